#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# How fast: ratios to the field's tools, all from one run on this machine. See bench/README.md.
set -u
# shellcheck source=tests/sim.sh
. "$FT_SRCDIR/tests/sim.sh"

FTCHECK=$FT_BUILDDIR/ftcheck
FTPLAN=$FT_BUILDDIR/ftplan
ROUNDS=${BENCH_ROUNDS:-21}

alternate() {
	python3 -B "$FT_SRCDIR/bench/alternate.py" --rounds "$ROUNDS" "$@"
}

# As sim_run of tests/sim.sh, for all commands of one comparison.
alternate_live() { # HOST ARGUMENTS...
	local host=$1

	shift
	(
		mkdir -p "$SIM_DIR/work" && cd "$SIM_DIR/work" || exit 1
		[ -z "$PROCESSOR" ] || taskset -cp "$PROCESSOR" "$BASHPID" >/dev/null || exit 1
		BENCH_PRELOAD=$SIM_PRELOAD SIM_HOST=$host IBSIM_SOCKNAME=$SIM_NAME alternate "$@"
	)
}

# sim_apart: ibsim gets a processor to itself, and what alternate_live times another one, until ibsim ends. The library that
# stands in for the fabric adds a thread to each tool, and times depend on who shares a processor with whom.
PROCESSOR=
sim_apart() {
	local -a processors

	mapfile -t processors < <(python3 -c 'import os; print(*sorted(os.sched_getaffinity(0)), sep="\n")')
	PROCESSOR=
	if [ "${#processors[@]}" -gt 1 ] && taskset -cp "${processors[1]}" "$SIM_PID" >/dev/null; then
		PROCESSOR=${processors[0]}
	fi
}

needs() {
	local tool

	for tool in "$@"; do
		command -v "$tool" >/dev/null && continue
		echo "  skipped: no $tool"
		return 1
	done
}

bench_live() {
	echo "Live, 648 hosts (36 edges, 18 cores), whole process:"
	needs ibnetdiscover iblinkinfo || return 0
	echo '{"ftcheck": 1, "name": "648", "nodes": 648, "edge": {"ports": 36}, "core": {"ports": 36}}' >"$SIM_DIR/648.json"
	"$FTPLAN" "$SIM_DIR/648.json" --format ibsim -o "$SIM_DIR/648.net" || fail "ftplan"
	sim_start "$SIM_DIR/648.net" || fail "ibsim"
	sim_run node001 "$FTCHECK" --plan "$SIM_DIR/648.json" >/dev/null || fail "the healthy fabric is not found healthy"
	alternate_live node001 --goal 0.6 "ftcheck=$FTCHECK --plan $SIM_DIR/648.json" \
		"ibnetdiscover -p=ibnetdiscover -p" "iblinkinfo -l=iblinkinfo -l"
}

bench_file() {
	local dump=$FT_SHARED/fabrics/selene/selene.compute.txt host

	echo "From a file, 5,007 nodes (selene.compute.txt), whole process:"
	needs ibnetdiscover || return 0
	if ! [ -r "$dump" ]; then
		echo "  skipped: no $dump"
		return
	fi
	sim_start "$dump" || fail "ibsim"
	host=$(sed -n 's/^Ca.*"\(H-[0-9a-f]*\)".*/\1/p' "$dump" | head -n 1)
	sim_run "$host" ibnetdiscover --cache "$SIM_DIR/cache" >/dev/null 2>&1
	[ -s "$SIM_DIR/cache" ] || fail "no cache"
	sim_stop
	alternate --goal 1.0 --memory "ftcheck --from=$FTCHECK --plan $FT_SRCDIR/bench/selene.json --from $dump" \
		"ibnetdiscover --load-cache=ibnetdiscover --load-cache $SIM_DIR/cache"
	echo "  and of the cache itself:"
	alternate "ftcheck --from cache=$FTCHECK --plan $FT_SRCDIR/bench/selene.json --from $SIM_DIR/cache" \
		"ibnetdiscover --load-cache=ibnetdiscover --load-cache $SIM_DIR/cache"
}

bench_plan() {
	echo "Planning 10,000 nodes, whole process, plan written as JSON:"
	echo '{"ftcheck": 1, "name": "10000", "nodes": 10000, "edge": {"ports": 144}, "core": {"ports": 144}}' \
		>"$SIM_DIR/10000.json"
	alternate --below 10 "ftplan=$FTPLAN $SIM_DIR/10000.json --format json"
	echo "The curve of N = 1..2592, every combination of the catalog for each, as CSV:"
	alternate --below 100 "ftplan=$FTPLAN --nodes 1..2592 --format csv"
	echo "The largest network of the catalog, N = 209,952, and one node more, which nothing connects:"
	"$FTPLAN" --nodes 209952 --format csv >/dev/null || fail "N = 209952 is not found"
	! "$FTPLAN" --nodes 209953 --format csv >/dev/null 2>&1 || fail "N = 209953 is found"
	alternate "209952=$FTPLAN --nodes 209952 --format csv"
	echo "27,648 nodes on three levels of 48 ports (2,880 switches), all 82,944 cables listed:"
	echo '{"ftcheck": 1, "name": "k48", "nodes": 27648, "levels": 3, "edge": {"ports": 48}, "spine": {"ports": 48},
		"core": {"ports": 48}}' >"$SIM_DIR/k48.json"
	[ "$("$FTPLAN" "$SIM_DIR/k48.json" --format cables | wc -l)" = 82945 ] || fail "not all cables are listed"
	alternate --below 200 "ftplan=$FTPLAN $SIM_DIR/k48.json --format cables"
}

# From a pulled cable to the alert, and what the daemon costs in between. bench_events NODES EDGE_PORTS CORE_PORTS ROUNDS
# QUIET: so many seconds without an event before the next cable.
bench_events() {
	local -a hosts

	echo "From a pulled cable to the alert, $1 hosts, with OpenSM's events:"
	needs opensm python3 || return 0
	echo "{\"ftcheck\": 1, \"name\": \"$1\", \"nodes\": $1, \"edge\": {\"ports\": $2}, \"core\": {\"ports\": $3}}" \
		>"$SIM_DIR/events.json"
	"$FTPLAN" "$SIM_DIR/events.json" --format ibsim -o "$SIM_DIR/events.net" || fail "ftplan"
	sim_start "$SIM_DIR/events.net" || fail "ibsim"
	mapfile -t hosts < <(sed -n 's/^Ca.*"\(H-[0-9a-f]*\)".*/\1/p' "$SIM_DIR/events.net")
	SIM_DEADLINE=300 sim_opensm_start "${hosts[-1]}" || fail "opensm"
	(
		cd "$SIM_DIR" || exit 1
		SIM_PRELOAD=$SIM_PRELOAD IBSIM_SOCKNAME=$SIM_NAME python3 -B "$FT_SRCDIR/bench/events.py" --plan events.json \
			--net events.net --console console --host "${hosts[0]}" --other "${hosts[-2]}" --rounds "$4" --settle "$5"
	)
	sim_stop
}

# Forwarding tables: how many packets they take, how long reading takes beside the field's tool, how long the walk.
bench_routes() {
	local figures

	echo "Forwarding tables, live, 648 hosts, routed by OpenSM, whole process, sweep included:"
	needs opensm dump_fts || return 0
	echo '{"ftcheck": 1, "name": "648", "nodes": 648, "edge": {"ports": 36}, "core": {"ports": 36}}' >"$SIM_DIR/648.json"
	"$FTPLAN" "$SIM_DIR/648.json" --format ibsim -o "$SIM_DIR/648.net" || fail "ftplan"
	sim_start "$SIM_DIR/648.net" || fail "ibsim"
	sim_opensm_start node648 || fail "opensm"
	sim_run node001 "$FTCHECK" --plan "$SIM_DIR/648.json" --routes --format json >"$SIM_DIR/routes.json" ||
		fail "what OpenSM routed is not found right"
	figures=$(python3 -c 'import json, sys
r = json.load(open(sys.argv[1]))["routes"]
# LIDs of all hosts and switches, 64 of them in a block.
blocks = (648 + r["switches"]) // 64 + 1
print("%d packets for %d switches: %d blocks and one SwitchInfo each" % (r["mads"], r["switches"], blocks))
sys.exit(r["mads"] != r["switches"] * (blocks + 1))' "$SIM_DIR/routes.json") || fail "$figures"
	echo "  $figures"
	alternate_live node001 --goal 1.0 "ftcheck --routes=$FTCHECK --plan $SIM_DIR/648.json --routes" "dump_fts=dump_fts"
	sim_opensm_stop
	echo "The same from a file, 11,664 hosts on three levels, 1,620 switches, 136 million pairs, whole process:"
	echo '{"ftcheck": 1, "name": "11664", "nodes": 11664, "levels": 3, "topology": "fat-tree", "edge": {"ports": 36},
		"spine": {"ports": 36}, "core": {"ports": 36}}' >"$SIM_DIR/routes.design"
	"$FTPLAN" "$SIM_DIR/routes.design" --format ibsim -o "$SIM_DIR/routes.net" || fail "ftplan"
	sim_start "$SIM_DIR/routes.net" || fail "ibsim"
	# 0x40: with its tables in a file, of which the comments are 1.2 GB.
	SIM_DEADLINE=300 sim_opensm_start node11664 -D 0xc3 || fail "opensm"
	sed 's/ #.*//' "$SIM_DIR/opensm/opensm-lfts.dump" >"$SIM_DIR/routes.lfts"
	SIM_TIMEOUT=300 sim_run node00001 "$FTCHECK" --plan "$SIM_DIR/routes.design" --save "$SIM_DIR/routes.snapshot" >/dev/null ||
		fail "the healthy fabric is not found healthy"
	sim_stop
	ROUNDS=5 alternate --below 3000 \
		"ftcheck --routes=$FTCHECK --plan $SIM_DIR/routes.design --from $SIM_DIR/routes.snapshot --routes $SIM_DIR/routes.lfts"
	echo "  of which without the tables:"
	ROUNDS=5 alternate "ftcheck=$FTCHECK --plan $SIM_DIR/routes.design --from $SIM_DIR/routes.snapshot"
}

# What verifying adds to the sweep; and the paths between all hosts, where directors are planned without their inside.
bench_deep() {
	echo "Live, 11,664 hosts on three levels, 1,620 switches, whole process:"
	echo '{"ftcheck": 1, "name": "11664", "nodes": 11664, "levels": 3, "topology": "fat-tree", "edge": {"ports": 36},
		"spine": {"ports": 36}, "core": {"ports": 36}}' >"$SIM_DIR/deep.json"
	"$FTPLAN" "$SIM_DIR/deep.json" --format ibsim -o "$SIM_DIR/deep.net" || fail "ftplan"
	sim_start "$SIM_DIR/deep.net" || fail "ibsim"
	SIM_TIMEOUT=300 sim_run node00001 "$FTCHECK" --plan "$SIM_DIR/deep.json" >/dev/null ||
		fail "the healthy fabric is not found healthy"
	ROUNDS=${BENCH_DEEP_ROUNDS:-5} alternate_live node00001 --goal 1.15 "ftcheck=$FTCHECK --plan $SIM_DIR/deep.json" \
		"the sweep alone=$FT_BUILDDIR/tests/snapshot_tool sweep /dev/null"
	sim_stop
	echo "From a file, 20,000 hosts, 6,255 chips, the insides of 425 directors not planned, whole process:"
	echo '{"ftcheck": 1, "name": "20000", "nodes": 20000, "topology": "fat-tree", "core": {"ports": 648},
		"edge": {"inside": {"line_boards": 6, "line_ports": 18}}}' >"$SIM_DIR/directors.json"
	"$FTPLAN" "$SIM_DIR/directors.json" --format ibsim -o "$SIM_DIR/directors.net" || fail "ftplan"
	"$FTCHECK" --plan "$SIM_DIR/directors.json" --from "$SIM_DIR/directors.net" >/dev/null ||
		fail "the healthy fabric is not found healthy"
	ROUNDS=5 alternate --below 1000 "ftcheck=$FTCHECK --plan $SIM_DIR/directors.json --from $SIM_DIR/directors.net"
}

# Where VL15 runs over: who asks for more than fits waits for time-outs. kindness_at NODES HOST DEPTH ROUNDS [option...]
kindness_at() {
	local nodes=$1 host=$2 depth=$3 rounds=$4

	shift 4
	(
		mkdir -p "$SIM_DIR/work" && cd "$SIM_DIR/work" || exit 1
		BENCH_PRELOAD="$FT_BUILDDIR/tests/vl15.so $SIM_PRELOAD" SIM_HOST=$host IBSIM_SOCKNAME=$SIM_NAME \
			python3 -B "$FT_SRCDIR/bench/kindness.py" --ftcheck "$FTCHECK" --plan "$SIM_DIR/kindness.json" \
			--nodes "$nodes" --depth "$depth" --rounds "$rounds" "$@"
	) || fail "the healthy fabric is not found healthy"
}

# bench_kindness NODES HOSTS PORTS HOST ROUNDS: three levels.
bench_kindness() {
	local depth

	needs ibnetdiscover || return 0
	echo "{\"ftcheck\": 1, \"name\": \"$1\", \"nodes\": $2, \"levels\": 3, \"topology\": \"fat-tree\"," \
		"\"edge\": {\"ports\": $3}, \"spine\": {\"ports\": $3}, \"core\": {\"ports\": $3}}" >"$SIM_DIR/kindness.json"
	"$FTPLAN" "$SIM_DIR/kindness.json" --format ibsim -o "$SIM_DIR/kindness.net" || fail "ftplan"
	sim_start "$SIM_DIR/kindness.net" || fail "ibsim"
	for depth in 8 32; do
		echo "Live, $1 nodes, 1 ms from a question to its answer, VL15 with room for $depth, whole process:"
		kindness_at "$1" "$4" "$depth" "$5"
	done
	if [ "$1" = 1344 ]; then
		echo "The same with room for 8 and the time-out that all of them have unless told, 1000 ms, once:"
		kindness_at "$1" "$4" 8 1 --timeout 1000
	fi
	sim_stop
}

# A check or sweep of a whole fabric, by both engines and by the field's tools, at growing sizes. See bench/sweep.py.

SWEEP=(python3 -B "$FT_SRCDIR/bench/sweep.py")
SWEEP_TABLE=$FT_BUILDDIR/bench-sweep.tsv

# sweep_design NAME HOSTS LEVELS PORTS: a full fat-tree of one model of switch, and its network for ibsim.
sweep_design() {
	local switch="{\"ports\": $4}" spine=

	[ "$3" = 2 ] || spine=", \"spine\": $switch"
	echo "{\"ftcheck\": 1, \"name\": \"$1\", \"nodes\": $2, \"levels\": $3, \"topology\": \"fat-tree\"," \
		"\"edge\": $switch$spine, \"core\": $switch}" >"$SIM_DIR/$1.json"
	"$FTPLAN" "$SIM_DIR/$1.json" --format ibsim -o "$SIM_DIR/$1.net" || fail "ftplan"
}

# sweep_smps NODES HOST NET TOOL COMMAND...: how many SMPs one check takes, and the most that it may.
sweep_smps() {
	local nodes=$1 host=$2 net=$3 tool=$4 smps bound

	shift 4
	SIM_TIMEOUT=900 sim_run "$host" "$@" --format json >"$SIM_DIR/smps.json" 2>/dev/null
	smps=$("${SWEEP[@]}" smps <"$SIM_DIR/smps.json") || fail "$tool: no report"
	bound=$("${SWEEP[@]}" bound "$net") || fail "$net"
	printf '%s\t%s\tsmps\t%s\n%s\t%s\tsmps_bound\t%s\n' "$nodes" "$tool" "$smps" "$nodes" "$tool" "$bound" >>"$SWEEP_TABLE"
}

# sweep_live NODES PLAN NET ROUNDS: the fabric of NET on ibsim, swept by all of them. ibsim runs on.
sweep_live() {
	local nodes=$1 plan=$2 net=$3 rounds=$4 warm=1 few window size
	local check="$FTCHECK --plan $plan --deadline 900" other=ftcheck\ --engine\ libibnetdisc
	local -a hosts peers scan=()

	few=$(((rounds + 2) / 3))
	# In the largest, the scan has warmed up all that there is.
	[ "$rounds" -gt 3 ] || warm=0
	mapfile -t hosts < <(sed -n 's/^Ca.*"\(H-[0-9a-f]*\)".*/\1/p' "$net")
	SIM_DEADLINE=300 sim_start "$net" || fail "ibsim"
	sim_apart
	echo "Live, $nodes nodes, whole process:"
	for size in 4 16 32 64 128; do
		scan+=("$size=ibnetdiscover -o $size")
	done
	window=$(alternate_live "${hosts[0]}" --choose --warm 0 --rounds "$few" "${scan[@]}") || fail "ibnetdiscover"
	ROUNDS=$rounds alternate_live "${hosts[0]}" --table "$SWEEP_TABLE" --nodes "$nodes" --warm "$warm" "ftcheck=$check" \
		"$other=$check --engine libibnetdisc" ibnetdiscover=ibnetdiscover "ibnetdiscover -o $window=ibnetdiscover -o $window" ||
		fail "sweeps of $nodes nodes"
	alternate_live "${hosts[0]}" --table "$SWEEP_TABLE" --nodes "$nodes" --rounds 0 --warm 0 --memory "ftcheck=$check" \
		"$other=$check --engine libibnetdisc" ibnetdiscover=ibnetdiscover || fail "memory at $nodes nodes"
	# The window that is best for one is best for all three: it is the same library that sweeps.
	peers=("iblinkinfo=iblinkinfo -l" "iblinkinfo -o $window=iblinkinfo -l -o $window")
	sweep_smps "$nodes" "${hosts[0]}" "$net" ftcheck "$FTCHECK" --plan "$plan" --deadline 900
	sweep_smps "$nodes" "${hosts[0]}" "$net" "$other" "$FTCHECK" --plan "$plan" --deadline 900 --engine libibnetdisc
	if sweep_route "${hosts[-1]}"; then
		peers+=("ibqueryerrors=ibqueryerrors --skip-sl" "ibqueryerrors -o $window=ibqueryerrors --skip-sl -o $window")
	fi
	ROUNDS=$few alternate_live "${hosts[0]}" --table "$SWEEP_TABLE" --nodes "$nodes" --warm 0 "${peers[@]}" ||
		fail "sweeps of $nodes nodes"
}

# ibqueryerrors asks by LID, so somebody has to have set forwarding tables; they stay when OpenSM has gone. What it takes is
# not measured: many packets on the wire and the plainest routing are for that.
sweep_route() {
	if ! command -v opensm >/dev/null; then
		echo "  ibqueryerrors is skipped: no opensm"
		return 1
	fi
	SIM_TIMEOUT=1800 sim_run "$1" env OSM_TMP_DIR=. OSM_CACHE_DIR=. opensm -o -n 64 -R minhop -f log >/dev/null 2>&1 ||
		fail "opensm"
}

# sweep_file NODES PLAN HOST ROUNDS: the fabric of the running ibsim, recorded and read again.
sweep_file() {
	local nodes=$1 plan=$2 host=$3

	echo "From a file, $nodes nodes, whole process:"
	SIM_TIMEOUT=900 sim_run "$host" ibnetdiscover -o 32 >"$SIM_DIR/dump" 2>/dev/null || fail "ibnetdiscover"
	SIM_TIMEOUT=900 sim_run "$host" ibnetdiscover -o 32 --cache "$SIM_DIR/cache" >/dev/null 2>&1 || fail "ibnetdiscover"
	sim_stop
	ROUNDS=$4 alternate --table "$SWEEP_TABLE" --nodes "$nodes" --warm 1 \
		"ftcheck --from=$FTCHECK --plan $plan --from $SIM_DIR/dump" \
		"ibnetdiscover --load-cache=ibnetdiscover --load-cache $SIM_DIR/cache" || fail "files of $nodes nodes"
	ROUNDS=$4 alternate --table "$SWEEP_TABLE" --nodes "$nodes" --warm 1 --printed \
		"verifying alone=$FT_BUILDDIR/tests/verify_tool $plan $SIM_DIR/dump" || fail "verify_tool"
}

sweep_size() {
	local dump=$FT_SHARED/fabrics/selene/selene.compute.txt few=$(((ROUNDS + 6) / 7))

	case $1 in
	702) sweep_design 702 648 2 36 && sweep_live 702 "$SIM_DIR/702.json" "$SIM_DIR/702.net" "$ROUNDS" ;;
	1344) sweep_design 1344 1024 3 16 && sweep_live 1344 "$SIM_DIR/1344.json" "$SIM_DIR/1344.net" "$ROUNDS" ;;
	5007)
		if [ -r "$dump" ]; then
			sweep_live 5007 "$FT_SRCDIR/bench/selene.json" "$dump" $((2 * few))
		else
			echo "5,007 nodes are skipped: no $dump"
		fi
		;;
	13284)
		sweep_design 13284 11664 3 36
		sweep_live 13284 "$SIM_DIR/13284.json" "$SIM_DIR/13284.net" $((2 * few))
		sweep_file 13284 "$SIM_DIR/13284.json" node00001 $((2 * few))
		;;
	30528) sweep_design 30528 27648 3 48 && sweep_live 30528 "$SIM_DIR/30528.json" "$SIM_DIR/30528.net" "$few" ;;
	*) fail "sweep: 702, 1344, 5007, 13284 or 30528 nodes, not $1" ;;
	esac
	sim_stop
	PROCESSOR=
}

# bench_sweep [NODES...]: of these sizes, or of all.
bench_sweep() {
	local size

	needs ibnetdiscover iblinkinfo ibqueryerrors || return 0
	[ $# -gt 0 ] || set -- 702 1344 5007 13284 30528
	rm -f "$SWEEP_TABLE"
	for size; do
		sweep_size "$size"
	done
	echo "A check or sweep of a whole fabric, medians, the best window in brackets:"
	"${SWEEP[@]}" summary "$SWEEP_TABLE"
	"${SWEEP[@]}" goals "$SWEEP_TABLE"
	if needs gnuplot; then
		"${SWEEP[@]}" plot "$SWEEP_TABLE" "${SWEEP_TABLE%.tsv}.svg"
	fi
}

# Debian keeps opensm where only root looks; quickstart unpacks one in its build directory.
PATH=$PATH:/usr/sbin:/sbin:$FT_BUILDDIR/tools/usr/sbin
if [ "${1:-}" = plan ]; then
	bench_plan
	exit
fi
if [ "${1:-}" = routes ]; then
	bench_routes
	exit
fi
if [ "${1:-}" = deep ]; then
	bench_deep
	exit
fi
if [ "${1:-}" = kindness ]; then
	bench_kindness 1344 1024 16 node0001 $(((ROUNDS + 6) / 7))
	bench_kindness 13284 11664 36 node00001 $(((ROUNDS + 20) / 21))
	exit
fi
if [ "${1:-}" = sweep ]; then
	bench_sweep "${@:2}"
	exit
fi
if [ "${1:-}" = page ]; then
	exec bash "$FT_SRCDIR/bench/page.sh" "${@:2}"
fi
if [ "${1:-}" = events ]; then
	bench_events 648 36 36 "${BENCH_EVENTS:-50}" 0.5
	bench_events 11664 108 216 "${BENCH_EVENTS_LARGE:-10}" 5
	exit
fi
bench_live
bench_file
bench_plan
bench_deep
bench_routes
bench_events 648 36 36 "${BENCH_EVENTS:-50}" 0.5
bench_events 11664 108 216 "${BENCH_EVENTS_LARGE:-10}" 5
bench_sweep
bench_kindness 1344 1024 16 node0001 $(((ROUNDS + 6) / 7))
bench_kindness 13284 11664 36 node00001 $(((ROUNDS + 20) / 21))
