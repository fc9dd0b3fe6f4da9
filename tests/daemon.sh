# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# shellcheck shell=bash
#
# ftcheckd on a simulated fabric, with a stand-in for systemd and a hook that keeps every alert. To be sourced after
# sim.sh and faults.sh.
#
#	daemon_start HOST PLAN 'sweep_interval = 1s' …      # lines of the configuration; returns at READY=1
#	alerts_wait 1                                       # until that many alerts were told
#	alerts_list                                         # "EVENT CODE ID", one a line, in their order
#	daemon_stop
#
# Variables: SIM_ISSM (set: events reach it), D (its directory: state/, hooks/, conf, notify, err), DAEMON_PID, DAEMON_DEADLINE (seconds; default 180).

D=$SIM_DIR/daemon
DAEMON_DEADLINE=${DAEMON_DEADLINE:-180}
DAEMON_PID=
NOTIFY_PID=
# A daemon that is started again keeps its state and its configuration; a test that wants fresh ones says so.
DAEMON_SERIAL=0

# within SECONDS COMMAND…: polls until it succeeds.
within() {
	local end=$((SECONDS + $1))

	shift
	until "$@"; do
		((SECONDS < end)) || return 1
		sim_pause 0.05
	done
}

uptime_s() {
	cut -d' ' -f1 /proc/uptime
}

# took_at_least SECONDS, took_less SECONDS: from $began (of uptime_s) to now.
took_at_least() {
	# shellcheck disable=SC2154 # the caller's
	awk -v a="$began" -v b="$(uptime_s)" -v least="$1" 'BEGIN { exit !(b - a >= least) }'
}

took_less() {
	! took_at_least "$1"
}

# Sets CHILDREN. In one look: a sweep may begin between two.
one_child() {
	# Not the one that waits for what has changed.
	mapfile -t CHILDREN < <(pgrep -x -P "$DAEMON_PID" ftcheckd)
	[ ${#CHILDREN[@]} = 1 ]
}

# Sets LISTENER: the child that is left once no sweep and no reading goes on.
listener_find() {
	within 120 one_child || fail "the daemon's children do not end"
	# shellcheck disable=SC2034 # for those who source this
	LISTENER=${CHILDREN[0]}
}

# sim.sh calls this at exit, with $status.
sim_at_exit() {
	[ -z "$DAEMON_PID" ] || kill -KILL "$DAEMON_PID" 2>/dev/null
	[ -z "$NOTIFY_PID" ] || kill -KILL "$NOTIFY_PID" 2>/dev/null
	[ -z "$SIM_PID" ] || kill -CONT "$SIM_PID" 2>/dev/null
	# shellcheck disable=SC2154
	if [ "$status" != 0 ] && [ "$status" != 77 ] && [ -d "$D" ]; then
		echo "--- the daemon's last words:" >&2
		tail -n 30 "$D/err" >&2
		echo "--- what it told systemd:" >&2
		tail -n 10 "$D/notify" >&2
		echo "--- the last alerts:" >&2
		alerts_list 2>/dev/null | tail -n 20 >&2
	fi
}

# daemon_fresh: no state, no alerts, no hooks but the one that keeps them.
daemon_fresh() {
	[ -z "$NOTIFY_PID" ] || kill "$NOTIFY_PID" 2>/dev/null
	NOTIFY_PID=
	rm -rf "$D"
	mkdir -p "$D/state" "$D/hooks" "$D/run"
	: >"$D/alerts"
	cat >"$D/hooks/keep" <<-END
		#!/bin/sh
		exec cat >>"$D/alerts"
	END
	chmod +x "$D/hooks/keep"
}

# daemon_configure PLAN [LINE…]: most fabrics of tests are without a subnet manager, or lose it for a while; who is about
# that says "sm = yes".
daemon_configure() {
	local plan=$1

	shift
	printf '%s\n' "plan = $plan" "hooks = $D/hooks" "hook_retry = 200ms" "listen = 127.0.0.1:0" "$@" >"$D/conf"
	grep -q '^sm = ' "$D/conf" || echo 'sm = no' >>"$D/conf"
}

# daemon_launch HOST: as it is configured, with that host's port as its own. Does not wait.
daemon_launch() {
	local host=$1 preload=$SIM_PRELOAD

	[ -z "$SIM_ISSM" ] || preload+=" $FT_BUILDDIR/tests/issm.so"
	[ -z "${DAEMON_PRELOAD:-}" ] || preload+=" $DAEMON_PRELOAD"

	if [ -z "$NOTIFY_PID" ] || ! kill -0 "$NOTIFY_PID" 2>/dev/null; then
		rm -f "$D/notify.socket"
		python3 "$FT_SRCDIR/tests/notify.py" "$D/notify.socket" >>"$D/notify" &
		NOTIFY_PID=$!
		disown
		within 120 grep -qs listening "$D/notify" || fail "no notify socket"
	fi
	DAEMON_SERIAL=$((DAEMON_SERIAL + 1))
	# So that what is waited for is said by this one.
	echo "--- start $DAEMON_SERIAL" >>"$D/notify"
	(
		cd "$D/run" || exit 99
		exec env LD_PRELOAD="$preload" SIM_HOST="$host" IBSIM_SOCKNAME="$SIM_NAME" \
			NOTIFY_SOCKET="$D/notify.socket" ${DAEMON_WATCHDOG_USEC:+WATCHDOG_USEC="$DAEMON_WATCHDOG_USEC"} \
			ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0:suppressions=$SIM_DIR/asan" \
			LSAN_OPTIONS="${LSAN_OPTIONS:+$LSAN_OPTIONS:}print_suppressions=0:suppressions=$SIM_DIR/lsan" \
			"$FT_BUILDDIR/ftcheckd" --config "$D/conf" --state-directory "$D/state" >>"$D/out" 2>>"$D/err"
	) &
	DAEMON_PID=$!
}

# told PATTERN: did this daemon tell systemd a line of that pattern (grep -E)?
told() {
	sed -n "/^--- start $DAEMON_SERIAL\$/,\$p" "$D/notify" | grep -qE -e "$1"
}

daemon_gone() {
	! kill -0 "$DAEMON_PID" 2>/dev/null
}

ready_or_gone() {
	told 'READY=1' || daemon_gone
}

# daemon_start HOST PLAN [LINE…]: fresh; returns once it is ready.
daemon_start() {
	local host=$1 plan=$2

	shift 2
	daemon_fresh
	daemon_configure "$plan" "$@"
	daemon_restart "$host"
}

# daemon_restart HOST: as it is configured, with the state that there is.
daemon_restart() {
	daemon_launch "$1"
	within "$DAEMON_DEADLINE" ready_or_gone || fail "ftcheckd is not ready"
	told 'READY=1' || fail "ftcheckd did not start"
}

# daemon_stop [SIGNAL]: returns its exit status.
daemon_stop() {
	local pid=$DAEMON_PID

	kill "-${1:-TERM}" "$pid"
	# kill(1) of a process that stands still is heard later.
	within 120 daemon_gone || fail "ftcheckd does not stop"
	DAEMON_PID=
	wait "$pid"
}

# daemon_port: of its HTTP server.
daemon_port() {
	sed -n 's/.*HTTP on port \([0-9]*\)$/\1/p' "$D/err" | tail -n 1
}

# daemon_get PAGE: prints it; fails unless it is there.
daemon_get() {
	python3 - "http://127.0.0.1:$(daemon_port)$1" <<-'END'
		import sys, urllib.request
		sys.stdout.write(urllib.request.urlopen(sys.argv[1], timeout=20).read().decode())
	END
}

healthy() {
	daemon_get /healthz >/dev/null
}

# alerts_list: "EVENT CODE ID", one a line.
alerts_list() {
	python3 - "$D/alerts" <<-'END'
		import json, sys
		for line in open(sys.argv[1]):
		    # One that is being written right now.
		    if not line.endswith("\n"):
		        break
		    alert = json.loads(line)
		    print(alert["event"], alert["code"], alert["id"])
	END
}

alerts_count() {
	wc -l <"$D/alerts"
}

# Asked often: in the shell itself.
alerts_are() {
	local -a lines

	mapfile lines <"$D/alerts"
	# The last one may be on its way still.
	[ ${#lines[@]} = 0 ] || [[ ${lines[-1]} == *$'\n' ]] || unset 'lines[-1]'
	((${#lines[@]} >= $1))
}

# alerts_wait COUNT: until so many were told, and fails where there are more.
alerts_wait() {
	within "$DAEMON_DEADLINE" alerts_are "$1" || fail "only $(alerts_count) of $1 alerts"
	(($(alerts_count) == $1)) || fail "$(alerts_count) alerts instead of $1"
}

# metric NAME: its value (the first of that name and labels).
metric() {
	daemon_get /metrics | awk -v name="$1" '$1 == name { print $2; exit }'
}

metric_at_least() {
	awk -v have="$(metric "$1")" -v want="$2" 'BEGIN { exit !(have != "" && have + 0 >= want + 0) }'
}

# looks_wait COUNT: until so many further full sweeps ended, so that whatever they would say has been said.
looks_wait() {
	local had

	had=$(metric 'ftcheck_sweeps_total{result="complete"}')
	within "$DAEMON_DEADLINE" metric_at_least 'ftcheck_sweeps_total{result="complete"}' $((had + $1)) ||
		fail "no further sweep"
}

are_gone() {
	local pid

	for pid in "$@"; do
		! kill -0 "$pid" 2>/dev/null || return 1
	done
}

# row NAME COMMAND…: one case, which holds if the command succeeds.
row() {
	local name=$1

	shift
	"$@"
	result "$name" $?
}

# last_are WORDS: the last alerts, "EVENT CODE", sorted, are these.
last_are() {
	local count

	count=$(($(wc -w <<<"$1") / 2))
	[ "$(alerts_list | tail -n "$count" | cut -d' ' -f1,2 | sort | tr '\n' ' ')" = "$1 " ]
}

# sweeper: the process of the sweep that is under way.
sweeper() {
	pgrep -x -P "$DAEMON_PID" ftcheckd
}

sweeper_is_there() {
	[ -n "$(sweeper)" ]
}

sweeper_wait() {
	within 120 sweeper_is_there || fail "no sweep begins"
}

bad_sweeps() {
	echo $(($(metric 'ftcheck_sweeps_total{result="failed"}') + $(metric 'ftcheck_sweeps_total{result="incomplete"}')))
}

bad_sweeps_are() {
	(($(bad_sweeps) >= $1))
}

# bad_sweeps_wait COUNT: until there were so many since the start.
bad_sweeps_wait() {
	within "$DAEMON_DEADLINE" bad_sweeps_are "$1" || fail "only $(bad_sweeps) of $1 sweeps failed"
}

listens() {
	[ "$(metric ftcheck_listening)" = 1 ]
}

# Between two sweeps: no child but the listener, if there is one, and where it hears events the one that waits for the next.
is_idle() {
	local wanted=1 waits=0

	! grep -qx 'events = no' "$D/conf" || wanted=0
	! listens || waits=1
	[ "$(pgrep -c -P "$DAEMON_PID")" = $((wanted + waits)) ] &&
		[ "$(pgrep -c -x -P "$DAEMON_PID" ftcheckd-waits)" = "$waits" ]
}

# set_key KEY VALUE: in its configuration, which it reads again.
set_key() {
	sed -i "s/^$1 = .*/$1 = $2/" "$D/conf"
	kill -HUP "$DAEMON_PID"
}

reread() {
	grep -c 'are read again' "$D/err"
}

reread_since() {
	(($(reread) > $1))
}

# On a busy machine a sweep takes longer than a second, and the next one begins at once: so it is to sweep less often
# while its descriptors are counted.
sweeps_every() {
	local before

	before=$(reread)
	set_key sweep_interval "$1"
	within 120 reread_since "$before" || fail "no reload"
}

# descriptors: how many it has, taken when it rests; connections of HTTP, which end when they may, do not count.
descriptors() {
	local n=

	while :; do
		within 120 is_idle || fail "ftcheckd does not rest"
		n=$(find "/proc/$DAEMON_PID/fd" -mindepth 1 -printf '%l\n' | awk '
			NR == FNR { if ($4 != "0A") connection["socket:[" $10 "]"]; next }
			!($0 in connection) { n++ }
			END { print n + 0 }
		' /proc/net/tcp -)
		! is_idle || break
	done
	echo "$n"
}

descriptors_equal() {
	[ "$(descriptors)" = "$1" ]
}

# descriptors_are COUNT: again, once what is under way has ended. What is left behind stays.
descriptors_are() {
	within 60 descriptors_equal "$1" || { echo "  it has $(descriptors)"; return 1; }
}

zombies() {
	pgrep -c -r Z -P "$DAEMON_PID"
}

# stands: the ids of the alerts that were raised and not cleared, one a line.
stands() {
	alerts_list | awk '$1 == "raised" { up[$3]++ } $1 == "cleared" { up[$3]-- } END { for (id in up) if (up[id]) print id }'
}

nothing_stands() {
	[ -z "$(stands)" ]
}

# alerts_are_paired: each alert's events are raised, cleared, raised, … in turn, and no number is there twice.
alerts_are_paired() {
	python3 - "$D/alerts" <<-'END'
		import json, sys
		standing, numbers = set(), set()
		for line in open(sys.argv[1]):
		    alert = json.loads(line)
		    name, event = alert["id"], alert["event"]
		    assert alert["seq"] not in numbers, "twice: " + line
		    numbers.add(alert["seq"])
		    assert (event == "raised") == (name not in standing), line
		    if event != "changed":
		        standing ^= {name}
	END
}

pings() {
	sed -n "/^--- start $DAEMON_SERIAL\$/,\$p" "$D/notify" | grep -c WATCHDOG=1
}

# simulator_tend: after clients of the simulator were killed. It does not survive to be asked by one that is dead: then
# another one is started (with SIM_KEEP_NAME), with the console commands TEND, and OpenSM on the host TEND_OPENSM.
TEND=()
TEND_OPENSM=
simulator_tend() {
	! sim_reap 2>/dev/null || return 0
	sim_start "$SIM_DIR/net" || fail "ibsim does not start again"
	((${#TEND[@]} == 0)) || sim_do "${TEND[@]}" || fail "the new simulator refuses: ${TEND[*]}"
	[ -z "$TEND_OPENSM" ] || sim_opensm_start "$TEND_OPENSM" || fail "opensm does not start again"
}
