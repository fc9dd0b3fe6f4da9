# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# shellcheck shell=bash
#
# Faults for the running fabric of sim.sh, and what ftcheck must say about them. To be sourced after sim.sh.
#
#	plan DESIGN.json                  # $SIM_DIR/plan.net, the fabric as planned
#	fabric [change...]                # starts ibsim on it, changed as net.py says; fills ID, GUID, PORT, HOSTS
#	check "one cable pulled" 1 verdict=warning cable-missing:"$(at edge001 core01)" ... # see expect.py
#	pull edge001 core01 1 ...         # faults; undo takes all of them back
#
# Cables are called by their ends and their number in the pair, in the order of the plan.

FTCHECK=$FT_BUILDDIR/ftcheck
FTPLAN=$FT_BUILDDIR/ftplan
DESIGN=
ENTRY=node001
CASES=0
FAILURES=0
declare -a UNDO=() FTCHECK_OPTIONS=()
declare -A ID=() GUID=() PORT=() HOSTS=()

command -v python3 >/dev/null || skip "no python3"
export PYTHONDONTWRITEBYTECODE=1

# design KEY=JSON...: prints a design; nodes and switches are named by the caller.
design() {
	local pair comma=

	printf '{"ftcheck": 1, "name": "test", "topology": "fat-tree"'
	for pair in "$@"; do
		comma=', '
		printf '%s"%s": %s' "$comma" "${pair%%=*}" "${pair#*=}"
	done
	printf '}\n'
}

# plan FILE: that design is the one to check against from now on.
plan() {
	DESIGN=$1
	"$FTPLAN" "$DESIGN" --format ibsim -o "$SIM_DIR/plan.net" || fail "ftplan refuses $DESIGN"
}

# fabric [change...]: ibsim runs the planned fabric with these changes (net.py).
fabric() {
	python3 "$FT_SRCDIR/tests/net.py" "$SIM_DIR/plan.net" "$SIM_DIR/net" "$@" || fail "net.py $*"
	# shellcheck disable=SC1091
	. "$SIM_DIR/net.sh"
	UNDO=()
	sim_start "$SIM_DIR/net" || fail "ibsim does not start"
}

# at NAME...: their GUIDs, with commas.
at() {
	local name list=

	for name in "$@"; do
		list=$list,${GUID[$name]}
	done
	printf '%s' "${list#,}"
}

# all FORMAT FIRST LAST [EXCEPT...]: GUIDs of numbered names.
all() {
	local format=$1 number name list=

	for ((number = $2; number <= $3; number++)); do
		# shellcheck disable=SC2059
		printf -v name "$format" "$number"
		case " ${*:4} " in
		*" $name "*) ;;
		*) list=$list,${GUID[$name]} ;;
		esac
	done
	printf '%s' "${list#,}"
}

# end A B K: "S-…"[port], A's end of that cable; port_at: GUID[port] as expect.py writes it.
end() {
	printf '"%s"[%d]' "${ID[$1]}" "${PORT[$1 $2 $3]}"
}

port_at() {
	printf '%s[%d]' "${GUID[$1]}" "${PORT[$1 $2 $3]}"
}

spare() { # NAME PORT
	printf '"%s"[%d]' "${ID[$1]}" "$2"
}

undo() {
	local i
	local -a commands=()

	for ((i = ${#UNDO[@]} - 1; i >= 0; i--)); do
		commands+=("${UNDO[i]}")
	done
	UNDO=()
	((${#commands[@]} == 0)) || sim_do "${commands[@]}" || fail "faults cannot be undone"
}

do_fault() {
	sim_do "$@" || fail "ibsim refuses: $*"
}

pull() { # A B K [A B K...]
	local -a cut=()

	while [ $# -gt 0 ]; do
		cut+=("Unlink $(end "$1" "$2" "$3")")
		UNDO+=("Link $(end "$1" "$2" "$3") $(end "$2" "$1" "$3")")
		shift 3
	done
	do_fault "${cut[@]}"
}

# move A B K END: A's end of the cable stays, the other one goes to END.
move() {
	do_fault "Unlink $(end "$1" "$2" "$3")" "Link $(end "$1" "$2" "$3") $4"
	UNDO+=("Link $(end "$1" "$2" "$3") $(end "$2" "$1" "$3")" "Unlink $(end "$1" "$2" "$3")")
}

# swap A B K [A B K...]: the far ends of these cables go one cable further.
swap() {
	local -a cut=() join=() a=() b=()
	local i n

	while [ $# -gt 0 ]; do
		a+=("$(end "$1" "$2" "$3")")
		b+=("$(end "$2" "$1" "$3")")
		shift 3
	done
	n=${#a[@]}
	for ((i = 0; i < n; i++)); do
		cut+=("Unlink ${a[i]}")
		join+=("Link ${a[i]} ${b[(i + 1) % n]}")
	done
	do_fault "${cut[@]}" "${join[@]}"
	for ((i = 0; i < n; i++)); do
		UNDO+=("Link ${a[i]} ${b[i]}")
	done
	UNDO+=("${cut[@]}")
}

connect() { # END END
	do_fault "Link $1 $2"
	UNDO+=("Unlink $1")
}

power_off() { # NAME
	do_fault "Unlink \"${ID[$1]}\""
	UNDO+=("Relink \"${ID[$1]}\"")
}

silence() { # NAME
	do_fault "Error \"${ID[$1]}\" 100"
	UNDO+=("Error \"${ID[$1]}\" 0")
}

# The first COUNT hosts of that edge go down, or all; never the one the sweep starts on.
hosts_off() { # EDGE [COUNT]
	local host count=0
	local -a cut=()

	for host in ${HOSTS[$1]}; do
		[ "$host" != "$ENTRY" ] || continue
		((++count <= ${2:-100000})) || break
		cut+=("Unlink \"${ID[$host]}\"")
		UNDO+=("Relink \"${ID[$host]}\"")
	done
	do_fault "${cut[@]}"
}

# sweep [option...]: ftcheck on the running fabric; $SIM_DIR/report, $SIM_DIR/errors, STATUS.
sweep() {
	sim_run "${ID[$ENTRY]}" "$FTCHECK" --plan "$DESIGN" "${FTCHECK_OPTIONS[@]}" --format json "$@" \
		>"$SIM_DIR/report" 2>"$SIM_DIR/errors"
	STATUS=$?
}

# read_file FILE [option...]: the same from a file.
read_file() {
	"$FTCHECK" --plan "$DESIGN" --from "$@" --format json >"$SIM_DIR/report" 2>"$SIM_DIR/errors"
	STATUS=$?
}

# judge NAME [expectation...]: the report at hand against what it should say.
judge() {
	local name=$1

	shift
	CASES=$((CASES + 1))
	# That LIDs are none is told once, and is no fault.
	if [ "$(grep -c ' LIDs are empty, negative or 65535, which is none' "$SIM_DIR/errors")" -ne "${LIDS_TOLD:-0}" ] ||
		grep -qv ' LIDs are empty, negative or 65535, which is none' "$SIM_DIR/errors"; then
		echo "not ok $CASES - $name: on stderr: $(head -n 3 "$SIM_DIR/errors")"
	elif ! [ -s "$SIM_DIR/report" ]; then
		echo "not ok $CASES - $name: no report, status $STATUS"
	elif python3 "$FT_SRCDIR/tests/expect.py" "$SIM_DIR/report" "$STATUS" "$@" >"$SIM_DIR/complaints" 2>&1; then
		echo "ok $CASES - $name"
		return
	else
		echo "not ok $CASES - $name"
		cat "$SIM_DIR/complaints"
		"$FTCHECK" --version 2>/dev/null | head -n 1
	fi
	FAILURES=$((FAILURES + 1))
}

# check NAME [expectation...]: sweeps, judges, and takes the faults back.
check() {
	sweep
	judge "$@"
	undo
}

# result NAME STATUS: counts a case that is no report's.
result() {
	CASES=$((CASES + 1))
	if [ "$2" = 0 ]; then
		echo "ok $CASES - $1"
	else
		echo "not ok $CASES - $1"
		FAILURES=$((FAILURES + 1))
	fi
}

finish() {
	echo "$((CASES - FAILURES)) of $CASES cases as expected"
	[ "$FAILURES" = 0 ]
}
