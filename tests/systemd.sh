#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# The installed units under a real systemd, on a simulated fabric: start, status text, journal, hooks, reload, watchdog,
# socket, stop, with the sandbox in force.
#
# That systemd is PID 1 of namespaces made for it, and its root is an overlay: whatever it writes, removes or mounts is
# gone with it, and nothing of this machine is touched. The network is its own, too, so no port is anybody else's.
set -u
export LC_ALL=C

# shellcheck source=tests/boot.sh
. "${FT_SRCDIR:?}/tests/boot.sh"

reason=$(boot_refused) || cannot "$reason"
command -v systemd-sysusers >/dev/null || cannot 'no systemd-sysusers'
[ -x /lib/systemd/systemd ] || cannot 'no systemd'
if [ -z "${FT_SYSTEMD_NET-}" ]; then
	FT_SYSTEMD_NET=1 exec unshare --net bash "${BASH_SOURCE[0]}"
fi

src=${FT_SRCDIR:?} build=${FT_BUILDDIR:?}
# Of single steps, one of which is to wait for the watchdog.
SIM_DEADLINE=120
# shellcheck source=tests/sim.sh
. "$src/tests/sim.sh"

sim_at_exit()
{
	boot_stop
}

# await WHAT COMMAND...: it becomes true, or the test has failed.
await()
{
	local what=$1

	shift
	boot_within "$SIM_DEADLINE" "$@" >/dev/null 2>&1 || give_up "$what"
	echo "ok - $what"
}

# check WHAT COMMAND...: it is true.
check()
{
	local what=$1

	shift
	"$@" >"$SIM_DIR/checked" 2>&1 || give_up "$what" "$(cat "$SIM_DIR/checked")"
	echo "ok - $what"
}

give_up()
{
	echo "not ok - $1"
	shift
	printf '  %s\n' "$@"
	echo '--- the unit:'
	inside systemctl --no-pager -l status 'ftcheckd*' 2>&1 | head -n 40
	echo '--- the journal:'
	inside journalctl --no-pager -b -n 60 2>&1
	exit 1
}

property()
{
	inside systemctl show --value -p "$1" "${2:-ftcheckd}"
}

is()
{
	local seen

	seen=$(property "$1" "${3-}")
	[ "$seen" = "$2" ] || { echo "$1 is $seen"; return 1; }
}

says()
{
	local seen

	seen=$(property "$1")
	grep -qE -- "$2" <<<"$seen" || { echo "$1 is $seen"; return 1; }
}

# logged COUNT MATCH...: so many entries of the journal match.
logged()
{
	local count=$1 seen

	shift
	seen=$(inside journalctl -q -b -o cat "$@" | grep -c .)
	[ "$seen" = "$count" ] || { echo "$seen entries match: $*"; return 1; }
}

logged_line()
{
	inside journalctl -q -b -o cat -u ftcheckd | grep -qE -- "$1"
}

# of_process WORD: what the kernel says of the daemon's process.
of_process()
{
	sed -n "s/^$1:[[:space:]]*//p" "/proc/$(host_pid)/status"
}

# Its PID in this namespace, not in that of its systemd.
host_pid()
{
	local pid main

	main=$(property MainPID)
	while read -r pid; do
		[ "$(sed -n 's/^NSpid:.*[[:space:]]//p' "/proc/$pid/status" 2>/dev/null)" != "$main" ] || echo "$pid"
	done <"$(find "$BOOT_CGROUP" -path '*/ftcheckd.service/cgroup.procs')"
}

# ---- beginning ----

prefix=$(sed -n 's/^prefix = //p' "$build/Makefile")
case $prefix/ in
/tmp/* | /var/tmp/* | /home/* | /root/* | /run/*) cannot "the unit's own sandbox hides what is installed in $prefix" ;;
esac
[ -x "$build/ftcheckd" ] || cannot 'ftcheckd is not built'

installed=$SIM_DIR/installed
mkdir "$installed" || exit 99
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C "$build" install DESTDIR="$installed" >"$SIM_DIR/install" 2>&1 ||
	{ cat "$SIM_DIR/install"; fail 'make install'; }

design=$src/etc/examples/sample.json
"$build/ftplan" --format ibsim "$design" >"$SIM_DIR/net" || fail 'no network of the sample'
host=$(sed -n 's/^Ca.*"\(H-[^"]*\)".*/\1/p' "$SIM_DIR/net" | tail -n 1)
cable=$(awk '
	/^Switch/ { split($0, part, "\""); node = part[2] }
	/^\[[0-9]+\][ \t]*"S-/ && node != "" {
		port = $0; sub(/^\[/, "", port); sub(/\].*/, "", port)
		print "\"" node "\"[" port "]"
		exit
	}' "$SIM_DIR/net")
sim_start "$SIM_DIR/net" || fail 'ibsim did not start'

# What the simulator needs; and a watchdog that does not take half a minute.
units=$installed/etc/systemd/system
mkdir -p "$units/ftcheckd.service.d" "$units/ftcheckd@.service.d" "$installed/etc/ftcheck-test"
cp "$SIM_DIR/asan" "$installed/etc/ftcheck-test/asan"
cat >"$units/ftcheckd.service.d/test.conf" <<-END
	[Service]
	Environment=LD_PRELOAD=${SIM_PRELOAD##* } SIM_HOST=$host IBSIM_SOCKNAME=$SIM_NAME
	Environment=ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0:suppressions=/etc/ftcheck-test/asan
	RuntimeDirectory=%p%i
	WorkingDirectory=%t/%p%i
	WatchdogSec=6
	RestartSec=100ms
END
cp "$units/ftcheckd.service.d/test.conf" "$units/ftcheckd@.service.d/test.conf"
# Where systemd does not look by itself.
unit_dir=$(dirname "$(find "$installed" -name ftcheckd.service | head -n 1)")
cp "$unit_dir"/ftcheckd*.service "$unit_dir/ftcheckd.socket" "$units/"
# There is no device to wait for here: this is shown with the template as it is, the rest with one that does not wait.
sed -e '/sys-subsystem-rdma-devices/d' "$unit_dir/ftcheckd@.service" >"$units/ftcheckd-loose@.service"
mkdir "$units/ftcheckd-loose@.service.d"
cp "$units/ftcheckd.service.d/test.conf" "$units/ftcheckd-loose@.service.d/test.conf"

conf=$(find "$installed" -path '*/ftcheck/ftcheckd.conf')
[ -s "$conf" ] || fail 'no configuration is installed'
conf_dir=${conf%/*}
conf_dir=${conf_dir#"$installed"}
cp "$design" "$installed$conf_dir/plan.json"
printf '%s\n' 'events = no' 'sm = no' 'sweep_interval = 1s' >>"$conf"
printf '%s\n' '[ibsim0:1]' 'listen = none' >>"$conf"
# A hook that says what it can do from within the sandbox.
cat >"$installed$conf_dir/hooks.d/facts" <<-'END'
	#!/bin/sh
	can() {
		name=$1
		shift
		if "$@" >/dev/null 2>&1; then echo "can $name"; else echo "cannot $name"; fi
	}
	cd "$STATE_DIRECTORY" || exit 1
	{
		echo "event $FTCHECK_EVENT $FTCHECK_CODE"
		can write-state sh -c ': >here'
		can write-etc sh -c ': >/etc/ftcheck-was-here'
		can write-usr sh -c ': >/usr/ftcheck-was-here'
		can write-run sh -c ': >/run/ftcheck-was-here'
		can write-tmp sh -c 'cd /tmp && : >ftcheck-was-here'
		can see-root-home ls /root/
		can see-home ls /home/
		can open-umad sh -c ': <>/dev/infiniband/umad0'
		can open-issm sh -c ': <>/dev/infiniband/issm0'
		can open-other-device sh -c ': </dev/infiniband/other'
		can see-pid-1 test -e /proc/1/status
		can see-sysctl test -e /proc/sys/kernel
		can make-namespaces unshare --user true
		can become-root setpriv --reuid 0 true
		can chown chown 0:0 here
		can make-setuid chmod u+s here
		can resolve python3 -c 'import socket; socket.getaddrinfo("localhost", 80)'
		can use-tcp python3 -c 'import socket; socket.create_connection(("127.0.0.1", 9683), 10)'
		can use-netlink python3 -c 'import socket; socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)'
		can use-packets python3 -c 'import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)'
		can step-back sh -c '[ "$(nice -n 5 nice)" -ge 5 ]'
		can come-forward sh -c '[ "$(nice -n -5 nice)" -lt 0 ]'
		can map-code python3 -c 'import mmap; mmap.mmap(-1, 4096, prot=7)'
	} >"facts.$FTCHECK_EVENT.new"
	mv "facts.$FTCHECK_EVENT.new" "facts.$FTCHECK_EVENT"
END
chmod +x "$installed$conf_dir/hooks.d/facts"

python3 - <<-'END' || cannot 'the loopback interface cannot be had'
	import fcntl, socket, struct
	fcntl.ioctl(socket.socket(), 0x8914, struct.pack("16sh14x", b"lo", 1 | 64))
END
boot_start "$SIM_DIR/top" / "$installed" {SIM_CONSOLE}>&-
case $? in
0) ;;
77) cannot 'no control group can be made' ;;
*)
	tail -n 20 "$SIM_DIR/top.console" >&2
	cannot 'systemd does not come up in namespaces here'
	;;
esac
echo "note: systemd is up after $SECONDS s"

# ---- the service ----

sysusers=$(cd "$installed" && find . -path '*/sysusers.d/ftcheckd.conf' | sed 's|^\.||')
check 'systemd-sysusers makes the group' inside systemd-sysusers "$sysusers"
group=$(inside getent group ftcheck | cut -d: -f3)
# The numbers of the null device, which every service may open, with the owners that the udev rule gives.
inside sh -e -c '
	cd /dev/infiniband
	mknod umad0 c 1 3; chgrp ftcheck umad0; chmod 660 umad0
	mknod issm0 c 1 3; chmod 600 issm0
	mknod other c 1 1; chmod 666 other
' || cannot 'no device nodes can be made'

# Without a plan, as packages leave it: no failure, and no process.
inside mv "$conf_dir/plan.json" "$conf_dir/plan"
check 'without a plan it is told to start' inside systemctl start ftcheckd
check '... and waits' is ConditionResult no
check '... without a failure' is ActiveState inactive
inside mv "$conf_dir/plan" "$conf_dir/plan.json"

# Bad configuration first: the reason, the status, and no second try.
inside sed -i 's/^plan = .*/plan =/' "$conf_dir/ftcheckd.conf"
check 'a bad configuration does not start' eval '! inside systemctl start ftcheckd'
check '... and is a failure with status 3' is ExecMainStatus 3
check '... that is not tried again' is NRestarts 0
check '... and says where' logged_line "$conf_dir/ftcheckd.conf:[0-9]+:[0-9]+: no value for \"plan\""
inside sed -i 's/^plan =.*/plan = plan.json/' "$conf_dir/ftcheckd.conf"
inside systemctl reset-failed ftcheckd

check 'starts' inside systemctl start ftcheckd
check 'is active' is ActiveState active
check 'is running' is SubState running
check 'tells its verdict as status' says StatusText '^sample: ok:'
check 'has entries in the journal' logged_line '[a-z]'

check 'has no new privileges' [ "$(of_process NoNewPrivs)" = 1 ]
for set in CapInh CapPrm CapEff CapBnd CapAmb; do
	check "$set is empty" [ "$(of_process "$set")" = 0000000000000000 ]
done
check 'has a system call filter' [ "$(of_process Seccomp)" = 2 ]
uid=$(of_process Uid | cut -f1)
check "has a dynamic user ($uid)" eval '((uid >= 61184 && uid <= 65519))'
check 'is in the group of the devices' grep -qw "$group" <<<"$(of_process Groups)"
check 'has its state directory' inside test -d /var/lib/private/ftcheckd
check '... for itself' [ "$(inside stat -c %a /var/lib/private/ftcheckd)" = 700 ]

bin_dir=$(dirname "$(cd "$installed" && find . -name ftcheck -type f -perm -1 | sed 's|^\.||' | head -n 1)")
status_is()
{
	local status=0

	inside env ASAN_OPTIONS=detect_leaks=0 "$bin_dir/ftcheck" --status || status=$?
	[ "$status" = "$1" ] || { echo "status $status"; return 1; }
}
check 'ftcheck --status has its report' status_is 0

# A cable.
sim_do "Unlink $cable" || fail 'Unlink'
await 'a pulled cable is raised in the journal' logged 1 FTCHECK_CODE=cable-missing FTCHECK_EVENT=raised
check '... as a warning' logged 1 FTCHECK_CODE=cable-missing FTCHECK_EVENT=raised PRIORITY=4
check '... from the daemon' logged 1 FTCHECK_EVENT=raised SYSLOG_IDENTIFIER=ftcheckd _SYSTEMD_UNIT=ftcheckd.service
await '... and tells its verdict as status' says StatusText '^sample: warning:'
check '... and to ftcheck --status' status_is 1
state=/var/lib/private/ftcheckd
await 'the hook was run' inside test -e "$state/facts.raised"
inside cat "$state/facts.raised" >"$SIM_DIR/facts"
for fact in 'event raised cable-missing' 'can write-state' 'cannot write-etc' 'cannot write-usr' 'cannot write-run' \
	'can write-tmp' 'cannot see-root-home' 'cannot see-home' 'can open-umad' 'cannot open-issm' \
	'cannot open-other-device' 'cannot see-pid-1' 'cannot see-sysctl' 'cannot make-namespaces' 'cannot become-root' \
	'cannot chown' 'cannot make-setuid' 'can resolve' 'can use-tcp' 'cannot use-netlink' 'cannot use-packets' \
	'can step-back' 'cannot come-forward' 'cannot map-code'; do
	check "the hook: $fact" grep -qx "$fact" "$SIM_DIR/facts"
done
check 'what it wrote to /tmp is nobody else'\''s' inside sh -c 'cd /tmp && test ! -e ftcheck-was-here'

# Hangs: the watchdog.
before=$(property MainPID)
# As soon as it is running, and not in the middle of a restart.
kill -STOP "$(host_pid)" || fail 'no main process to stop'
restarted()
{
	is NRestarts 1 && is SubState running
}
await 'a daemon that hangs is killed and started again' restarted
check '... as another process' [ "$(property MainPID)" != "$before" ]
check '... by the watchdog' logged_line 'Watchdog timeout'
await '... and tells its verdict again' says StatusText '^sample: warning:'
check '... but not the alert' logged 1 FTCHECK_CODE=cable-missing FTCHECK_EVENT=raised

# Dies.
kill -KILL "$(host_pid)" || fail 'no main process to kill'
restarted_again()
{
	is NRestarts 2 && is SubState running
}
await 'a daemon that is killed is started again' restarted_again
await '... and tells its verdict again' says StatusText '^sample: warning:'
check '... but not the alert' logged 1 FTCHECK_CODE=cable-missing FTCHECK_EVENT=raised

sim_do "Relink $cable" || fail 'Relink'
await 'a cable that is back is cleared' logged 1 FTCHECK_CODE=cable-missing FTCHECK_EVENT=cleared
await '... to the hook' inside test -e "$state/facts.cleared"
await '... and as status' says StatusText '^sample: ok:'
check '... and was raised only once' logged 1 FTCHECK_CODE=cable-missing FTCHECK_EVENT=raised

# Reloading: another plan, and a broken one.
before=$(property MainPID)
inside sed -i 's/"name": *"[^"]*"/"name": "renamed"/' "$conf_dir/plan.json"
check 'reloads' inside systemctl reload ftcheckd
await '... and judges by the new plan' says StatusText '^renamed: ok:'
inside sh -c "echo 'settel = 1s' >>'$conf_dir/ftcheckd.conf'"
check 'is told to reload what is broken' inside systemctl reload ftcheckd
await '... and says why not' logged_line 'ftcheckd.conf:[0-9]+:1: unknown key "settel"; did you mean "settle"'
check '... and goes on' is SubState running
check '... as the same process' [ "$(property MainPID)" = "$before" ]
check '... with the old configuration' says StatusText '^renamed: ok:'
inside sed -i '/^settel/d' "$conf_dir/ftcheckd.conf"

check 'stops' inside systemctl stop ftcheckd
check '... for good' is ActiveState inactive
check '... without a complaint' is Result success
check '... and leaves no process' eval '! inside pgrep ftcheckd'

# The socket: whoever asks starts it.
check 'the socket starts' inside systemctl start ftcheckd.socket
check '... without the service' is ActiveState inactive
healthy()
{
	inside python3 - <<-'END'
		import urllib.request
		urllib.request.urlopen("http://127.0.0.1:9683/healthz", timeout=20).read()
	END
}
await 'whoever asks the socket is answered' healthy
await '... by the service' is SubState running
check 'the socket and the service stop' inside systemctl stop ftcheckd.socket ftcheckd.service

# One port.
check 'the template as it is waits for its device' inside systemctl start --no-block ftcheckd@mlx5_0:1
waits()
{
	inside systemctl list-jobs --no-legend | grep -q 'sys-subsystem-rdma-devices-mlx5_0:1-umad.device'
}
await '... which is that of rdma-core' waits
check '... and not for ever' inside systemctl stop ftcheckd@mlx5_0:1
check 'without one to wait for it starts' inside systemctl start ftcheckd-loose@ibsim0:1
check '... and runs' is SubState running ftcheckd-loose@ibsim0:1
check '... with a state directory of its own' inside test -d /var/lib/private/ftcheckd-ibsim0:1
check '... which is in use' inside test -e /var/lib/private/ftcheckd-ibsim0:1/alerts.json
check '... beside the other service' inside systemctl start ftcheckd
check '... and both stop' inside systemctl stop ftcheckd ftcheckd-loose@ibsim0:1

check 'no unit failed' eval '! inside systemctl --no-legend --failed list-units "ftcheckd*" | grep -q .'
echo "note: all of it took $SECONDS s"
