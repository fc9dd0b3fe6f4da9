# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# shellcheck shell=bash
#
# A simulated fabric for a test: ibsim under a name of its own, its console, and programs that see it as their fabric.
# To be sourced. It installs an EXIT trap, which ends all that the test started; a test with clean-up of its own defines
# sim_at_exit().
#
#	. "$FT_SRCDIR/tests/sim.sh"
#	sim_start net                               # ibsim options may follow
#	sim_do 'Unlink "S-0000000000100002"[20]'    # returns once it took effect
#	sim_run H-0000000000200001 ibnetdiscover    # as a program on that host
#	sim_opensm_start H-0000000000200001         # a subnet manager there; it has brought up the fabric on return
#	SIM_ISSM=1 sim_run HOST program             # one that subscribes to the fabric's events (see issm.c)
#	sim_stop                                    # or at exit
#
# Variables: SIM_DIR (private directory, gone at exit), SIM_PRELOAD (ibsim's client library), SIM_TIMEOUT (seconds a
# program may take; default 60), SIM_DEADLINE (seconds ibsim may take; default 120), SIM_OPENSM_LOG, SIM_KEEP_NAME (set:
# sim_start keeps the name, so that who was on the fabric before finds the next one).
#
# ibsim numbers GUIDs on its own where a network file gives none (switchguid=, caguid= lines before the record): tests
# that look at GUIDs write them.

SIM_TIMEOUT=${SIM_TIMEOUT:-60}
SIM_DEADLINE=${SIM_DEADLINE:-120}
SIM_PRELOAD=
SIM_DIR=
SIM_NAME=
SIM_PID=
SIM_CONSOLE=
SIM_SERIAL=0
SIM_ISSM=${SIM_ISSM:-}
SIM_OPENSM_PID=
SIM_OPENSM_LOG=

# skip WHY: this test cannot run here.
skip() {
	echo "skipped: $*" >&2
	exit 77
}

# fail WHAT: the test failed.
fail() {
	echo "FAILED: $*" >&2
	exit 1
}

# Polls until "$@" succeeds; false after SIM_DEADLINE seconds or once ibsim is gone.
sim_wait() {
	local end=$((SECONDS + SIM_DEADLINE))

	until "$@"; do
		if ((SECONDS >= end)) || ! kill -0 "$SIM_PID" 2>/dev/null; then
			return 1
		fi
		sim_pause 0.01
	done
}

# sim_pause SECONDS. Not "read -t": where its time is up before it begins to wait, as on a busy machine, bash 5.2 restores a
# signal mask that it never saved. Children are not reaped from then on, so that kill -0 finds them for ever, and those
# that are started have any signals blocked.
sim_pause() {
	sleep "$1"
}

# sim_ours: the processes that this test started and that are still there: all that descend from its shell, and all that
# carry its mark in their environment, whoever their parent is by now.
sim_ours() (
	self=$BASHPID
	# What looks for the mark does not carry it.
	unset SIM_TEST
	{
		# But for those that look.
		ps -e -o pid= -o ppid= -o stat= | awk -v top="$$" -v self="$self" '
			$3 !~ /^Z/ { parent[$1] = $2 }
			END {
				for (; self in parent && self != top; self = parent[self])
					looks[self] = 1
				for (pid in parent) {
					for (up = pid; up in parent && up != top && !(up in looks); up = parent[up])
						;
					if (up == top && pid != top)
						print pid
				}
			}
		'
		grep -lzsxF -e "SIM_TEST=$SIM_DIR" /proc/[0-9]*/environ | cut -d/ -f3
	} | sort -u
)

# Ends them all. One that is just starting another is found by another look.
sim_end_all() {
	local round
	local -a pids

	for ((round = 0; round < 100; round++)); do
		mapfile -t pids < <(sim_ours)
		((${#pids[@]})) || return 0
		kill -KILL "${pids[@]}"
		sim_pause 0.01
	done
} 2>/dev/null

sim_is_listening() {
	# The name is followed by a NUL, which the kernel prints as another @.
	grep -q "@$SIM_NAME:ctl@*\$" /proc/net/unix
}

sim_init() {
	local file

	command -v ibsim >/dev/null || skip "no ibsim"
	for file in "${SIM_PRELOAD_DIR:-/usr/lib}"/*/umad2sim/libumad2sim.so /usr/lib/umad2sim/libumad2sim.so \
		/usr/lib64/umad2sim/libumad2sim.so; do
		if [ -r "$file" ]; then
			SIM_PRELOAD=$file
			break
		fi
	done
	[ -n "$SIM_PRELOAD" ] || skip "no libumad2sim.so"
	# Before the library, which crashes on late answers.
	[ ! -r "${FT_BUILDDIR:-}/tests/late.so" ] || SIM_PRELOAD="${FT_BUILDDIR:-}/tests/late.so $SIM_PRELOAD"
	grep -q . /proc/net/unix 2>/dev/null || skip "no /proc/net/unix"
	SIM_DIR=$(mktemp -d "${TMPDIR:-/tmp}/ftcheck-sim.XXXXXX") || exit 99
	# The mark of all that this test starts.
	export SIM_TEST=$SIM_DIR
	echo 'interceptor_via_lib:libumad2sim.so' >"$SIM_DIR/asan"
	echo 'leak:libibnetdisc.so' >"$SIM_DIR/lsan"
	trap sim_exit EXIT
	trap 'exit 129' HUP
	trap 'exit 130' INT
	trap 'exit 143' TERM
}

sim_exit() {
	local status=$?

	trap - EXIT
	sim_stop
	if declare -F sim_at_exit >/dev/null; then
		sim_at_exit
	fi
	if [ "$status" != 0 ] && [ "$status" != 77 ] && [ -s "$SIM_DIR/err" ]; then
		echo "--- the simulator's last words:" >&2
		tail -n 20 "$SIM_DIR/err" >&2
	fi
	sim_end_all
	rm -rf "$SIM_DIR"
	exit "$status"
}

# sim_start NETFILE [ibsim options]: the fabric of that file, in place of the one before.
sim_start() {
	local net=$1 survive=${FT_BUILDDIR:-}/tests/ibsim.so

	shift
	sim_stop
	# make check builds it.
	[ -r "$survive" ] || survive=
	SIM_SERIAL=$((SIM_SERIAL + 1))
	if [ -z "$SIM_NAME" ] || [ -z "${SIM_KEEP_NAME:-}" ]; then
		SIM_NAME=ftcheck-$$-$RANDOM-$SIM_SERIAL
	fi
	rm -f "$SIM_DIR/console"
	mkfifo "$SIM_DIR/console" || return 1
	# Open for reading too: ibsim spins once its console is at its end.
	exec {SIM_CONSOLE}<>"$SIM_DIR/console"
	: >"$SIM_DIR/log"
	IBSIM_SOCKNAME=$SIM_NAME LD_PRELOAD=$survive ibsim -s -N 40000 -S 4000 -P 400000 "$@" "$net" \
		<"$SIM_DIR/console" >"$SIM_DIR/log" 2>"$SIM_DIR/err" {SIM_CONSOLE}>&- &
	SIM_PID=$!
	if ! sim_wait sim_is_listening; then
		echo "ibsim did not start on $net:" >&2
		tail -n 5 "$SIM_DIR/log" "$SIM_DIR/err" >&2
		sim_stop
		return 1
	fi
}

# sim_opensm_start HOST [options]: OpenSM on that host, its files in $SIM_DIR/opensm; LIDs stay from one start to the next
# (in guid2lid there). Without an OpenSM to be found the test is skipped.
sim_opensm_start() {
	local host=$1 opensm

	shift
	sim_opensm_stop
	opensm=$(PATH=$PATH:/usr/sbin:/sbin command -v opensm) || skip "no opensm"
	mkdir -p "$SIM_DIR/opensm" || return 1
	SIM_OPENSM_LOG=$SIM_DIR/opensm/log
	: >"$SIM_OPENSM_LOG"
	# What it did is to be seen at once.
	echo 'force_log_flush TRUE' >"$SIM_DIR/opensm/conf"
	(
		cd "$SIM_DIR/opensm" || exit 99
		exec env LD_PRELOAD="$SIM_PRELOAD" SIM_HOST="$host" IBSIM_SOCKNAME="$SIM_NAME" \
			OSM_TMP_DIR="$SIM_DIR/opensm" OSM_CACHE_DIR="$SIM_DIR/opensm" \
			"$opensm" -F "$SIM_DIR/opensm/conf" -R ftree -f "$SIM_OPENSM_LOG" -D 0x83 "$@"
	) </dev/null >"$SIM_DIR/opensm/out" 2>&1 {SIM_CONSOLE}>&- &
	SIM_OPENSM_PID=$!
	# Its SA answers no sooner.
	if ! sim_wait sim_opensm_is_up; then
		echo "OpenSM does not bring up the fabric:" >&2
		tail -n 5 "$SIM_OPENSM_LOG" "$SIM_DIR/opensm/out" >&2
		sim_opensm_stop KILL
		return 1
	fi
}

sim_opensm_is_up() {
	grep -q 'SUBNET UP' "$SIM_OPENSM_LOG"
}

sim_opensm_is_gone() {
	! kill -0 "$SIM_OPENSM_PID" 2>/dev/null
}

# sim_opensm_stop [SIGNAL]: TERM, upon which it takes its leave of ibsim, or KILL.
sim_opensm_stop() {
	[ -n "$SIM_OPENSM_PID" ] || return 0
	kill "-${1:-TERM}" "$SIM_OPENSM_PID" 2>/dev/null
	# It may wait for answers that ibsim lost, and those never come.
	[ "${1:-TERM}" = KILL ] || sim_wait sim_opensm_is_gone || kill -KILL "$SIM_OPENSM_PID" 2>/dev/null
	wait "$SIM_OPENSM_PID" 2>/dev/null
	SIM_OPENSM_PID=
}

sim_stop() {
	# It would retry for ever without its fabric.
	sim_opensm_stop KILL
	if [ -n "$SIM_PID" ]; then
		kill -KILL "$SIM_PID" 2>/dev/null
		wait "$SIM_PID" 2>/dev/null
		SIM_PID=
	fi
	if [ -n "$SIM_CONSOLE" ]; then
		exec {SIM_CONSOLE}>&-
		SIM_CONSOLE=
	fi
	return 0
}

# sim_do COMMAND...: console commands, one an argument. Returns once all took effect; what ibsim said is in
# $SIM_DIR/said. 1 if it refused one.
sim_do() {
	local mark start

	SIM_SERIAL=$((SIM_SERIAL + 1))
	mark="# done $SIM_SERIAL."
	printf '%s\n' "$@" >"$SIM_DIR/commands"
	start=$(($(wc -c <"$SIM_DIR/log") + 1))
	# Its console takes lines of up to 127 bytes; a file's may be longer. It echoes the comment when it is through.
	printf '!%s\n%s\n' "$SIM_DIR/commands" "$mark" >&"$SIM_CONSOLE"
	if ! sim_wait grep -qF "$mark" "$SIM_DIR/log"; then
		echo "ibsim does not answer" >&2
		return 1
	fi
	tail -c "+$start" "$SIM_DIR/log" | sed -e 's/^\(sim> *\)*//' -e "s/$mark.*//" -e '/^$/d' >"$SIM_DIR/said"
	if grep -q -e '^#.*\(not found\|not linked\|bad \|missing\|range\|already connected\|no \(local\|remote\) port\)' \
		-e 'unknown - skipped$' -e 'no previous link' -e "can't" -e 'cannot open' "$SIM_DIR/said"; then
		echo "ibsim refused: $*" >&2
		cat "$SIM_DIR/said" >&2
		return 1
	fi
}

# sim_nodes: the ids of the running fabric's nodes ("S-…", "H-…"), one a line.
sim_nodes() {
	sim_do Dump && sed -n 's/^\(Switch\|Hca\|Ca\|Router\|Rt\) [0-9]* "\([^"]*\)".*/\2/p' "$SIM_DIR/said"
}

# sim_reap: ibsim takes ten clients and does not see one go that was killed; worse, packets for another on its port
# still go to the dead one.
sim_reap() {
	local line id pid
	local -a commands=()

	sim_do Attached || return 1
	while read -r line; do
		id=${line#Client } pid=${line#*pid }
		id=${id%%:*} pid=${pid%% *}
		kill -0 "$pid" 2>/dev/null || commands+=("X $id")
	done < <(grep '^Client ' "$SIM_DIR/said")
	((${#commands[@]} == 0)) || sim_do "${commands[@]}"
}

# sim_mute NODE: its SMA does not answer who it is any more; packets to others still come through it.
# ("Error NODE 100" without an attribute takes what passes through, too.)
sim_mute() {
	sim_do "Error \"$1\" 100 17"
}

# sim_loss PERCENT: every port drops that many of the packets it gets, those on their way to others too: of an SMP that
# crosses four switches there and back a multiple of it. 0 is the end of it, and of being mute.
sim_loss() {
	local node
	local -a commands=()

	while read -r node; do
		commands+=("Error \"$node\" $1")
	done < <(sim_nodes)
	((${#commands[@]})) && sim_do "${commands[@]}"
}

# sim_run HOST COMMAND...: a program with HOST's port as its own, for SIM_TIMEOUT seconds at most (then 124).
# HOST is a node id or description. Its working directory stays; ibsim's library keeps its files in a private one.
sim_run() {
	local host=$1 here=$PWD work status preload=$SIM_PRELOAD

	shift
	[ -z "$SIM_ISSM" ] || preload+=" $FT_BUILDDIR/tests/issm.so"
	work=$(mktemp -d "$SIM_DIR/run.XXXXXX") || return 1
	(
		# The library writes ./sys-PID: the program starts there, so file arguments are best absolute.
		cd "$work" || exit 99
		export OLDPWD=$here
		# The client library has to come before the sanitizers' and is none of theirs: its read() copies 320 bytes
		# of a 288-byte buffer, which is not for our programs to answer for. Nor is what libibnetdisc leaks.
		exec env LD_PRELOAD="$preload" SIM_HOST="$host" IBSIM_SOCKNAME="$SIM_NAME" \
			ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0:suppressions=$SIM_DIR/asan" \
			LSAN_OPTIONS="${LSAN_OPTIONS:+$LSAN_OPTIONS:}print_suppressions=0:suppressions=$SIM_DIR/lsan" \
			timeout --foreground -k 5 "$SIM_TIMEOUT" "$@"
	)
	status=$?
	rm -rf "$work"
	return "$status"
}

sim_init
