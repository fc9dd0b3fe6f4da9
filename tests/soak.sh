#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# ftcheckd under random faults for SOAK_MINUTES (default 10), with a subnet manager that now and then dies: no alert is
# missed, none is said twice, and memory and descriptors stay as they are. FT_SEED repeats it; the samples are kept in
# SOAK_SAMPLES, if that is set. Run by "make soak".
#
# Flat is: the straight line through the samples of one value (least squares; the first fifth is warming up and left
# out) rises over all that time by no more than 5 % of the mean and 256 KiB; of descriptors, by less than one. PSS is
# printed and not judged: it moves by megabytes as others that have the same libraries mapped come and go.
set -u
# shellcheck source=tests/sim.sh
. "$FT_SRCDIR/tests/sim.sh"
# shellcheck source=tests/faults.sh
. "$FT_SRCDIR/tests/faults.sh"
# shellcheck source=tests/daemon.sh
. "$FT_SRCDIR/tests/daemon.sh"

minutes=${SOAK_MINUTES:-10}
seed=${FT_SEED:-$RANDOM}
RANDOM=$seed
echo "seed $seed, $minutes min"

edges=12 cores=18
design nodes=216 'edge={"ports": 36}' 'core={"ports": 12}' >"$SIM_DIR/design.json"
plan "$SIM_DIR/design.json"
fabric
SIM_ISSM=1
manager=${ID[node200]}
sim_opensm_start "$manager" || fail "opensm does not start"
daemon_start "${ID[$ENTRY]}" "$DESIGN" 'sweep_interval = 2s' 'flap_count = 0'
within 30 listens || fail "does not listen"

# What is out: cables as "EDGE CORE", at most one core switch, hosts.
declare -A out=() hosts=() done_of=()
dead=
truth=()

id_of() {
	printf 'cable-missing:%s-%s' "${GUID[$1]}" "${GUID[$2]}"
}

core_is_touched() {
	case " ${!out[*]} " in
	*" $1 "*) return 0 ;;
	esac
	[ "$1" = "$dead" ]
}

cable_out() {
	local edge core

	((${#out[@]} < 7)) || return 1
	printf -v edge 'edge%03d' $((RANDOM % edges + 1))
	printf -v core 'core%02d' $((RANDOM % cores + 1))
	[ -z "${out["$edge $core"]:-}" ] && [ "$core" != "$dead" ] || return 1
	do_fault "Unlink $(end "$edge" "$core" 1)"
	out["$edge $core"]=1
	truth+=("raised cable-missing $(id_of "$edge" "$core")")
}

cable_in() {
	local pair
	local -a pairs=("${!out[@]}")

	((${#pairs[@]} > 0)) || return 1
	pair=${pairs[RANDOM % ${#pairs[@]}]}
	do_fault "Relink $(end "${pair% *}" "${pair#* }" 1)"
	unset "out[$pair]"
	truth+=("cleared cable-missing $(id_of "${pair% *}" "${pair#* }")")
}

core_off() {
	local core

	printf -v core 'core%02d' $((RANDOM % cores + 1))
	[ -z "$dead" ] && ! core_is_touched "$core" || return 1
	do_fault "Unlink \"${ID[$core]}\""
	dead=$core
	truth+=("raised core-missing core-missing:$core")
}

core_on() {
	[ -n "$dead" ] || return 1
	do_fault "Relink \"${ID[$dead]}\""
	truth+=("cleared core-missing core-missing:$dead")
	dead=
}

# Hosts that go are no alert. Neither the daemon's own nor the subnet manager's.
host_off() {
	local host

	printf -v host 'node%03d' $((RANDOM % 150 + 20))
	[ -z "${hosts[$host]:-}" ] && ((${#hosts[@]} < 10)) || return 1
	do_fault "Unlink \"${ID[$host]}\""
	hosts[$host]=1
}

host_on() {
	local all=("${!hosts[@]}")

	((${#all[@]} > 0)) || return 1
	do_fault "Relink \"${ID[${all[0]}]}\""
	unset "hosts[${all[0]}]"
}

reload() {
	kill -HUP "$DAEMON_PID"
}

scrape() {
	daemon_get /metrics >"$SIM_DIR/metrics" && daemon_get /report >"$SIM_DIR/report"
}

manager_dies() {
	local signals=(TERM KILL)

	sim_opensm_stop "${signals[RANDOM % 2]}"
	sim_reap || fail "the simulator is gone"
	sim_opensm_start "$manager" || fail "opensm does not start again"
}

# How often each, of 100.
faults=(cable_out:30 cable_in:30 core_off:7 core_on:7 host_off:6 host_on:6 reload:4 scrape:8 manager_dies:2)

fault_choose() {
	local n=$((RANDOM % 100)) entry

	for entry in "${faults[@]}"; do
		n=$((n - ${entry#*:}))
		((n >= 0)) || break
	done
	fault=${entry%:*}
}

# sample: seconds, descriptors, RSS, PSS and anonymous memory of the daemon in KiB, PSS of its listener. PSS goes up and
# down with the others that have the same files mapped; anonymous memory is the daemon's alone.
samples=${SOAK_SAMPLES:-$SIM_DIR/samples}
: >"$samples"
sample() {
	local fds listener

	fds=$(descriptors)
	listener=$(pgrep -x -P "$DAEMON_PID" ftcheckd | head -n 1)
	{
		printf '%s %s ' "$SECONDS" "$fds"
		awk '/^Rss:/ { rss = $2 } /^Pss:/ { pss = $2 } /^Anonymous:/ { printf "%d %d %d ", rss, pss, $2 }' \
			"/proc/$DAEMON_PID/smaps_rollup"
		awk '/^Pss:/ { print $2 }' "/proc/${listener:-none}/smaps_rollup" 2>/dev/null || echo 0
	} >>"$samples"
}

SECONDS=0
next_sample=10
steps=0
while ((SECONDS < minutes * 60)); do
	kill -0 "$DAEMON_PID" 2>/dev/null || fail "ftcheckd died (seed $seed)"
	fault_choose
	"$fault" || continue
	steps=$((steps + 1))
	done_of[$fault]=$((${done_of[$fault]:-0} + 1))
	if ! within "$DAEMON_DEADLINE" alerts_are ${#truth[@]} || (($(alerts_count) > ${#truth[@]})); then
		printf '%s\n' "${truth[@]}" >"$SIM_DIR/truth"
		echo "after step $steps, $fault, at $SECONDS s: the truth (<) and what was said (>):"
		diff "$SIM_DIR/truth" <(alerts_list) | tail -n 20
		fail "$(alerts_count) alerts instead of ${#truth[@]} (seed $seed)"
	fi
	if ((SECONDS >= next_sample)); then
		sample
		next_sample=$((SECONDS + 5))
	fi
done
while ((${#out[@]})); do
	cable_in
done
[ -z "$dead" ] || core_on
alerts_wait ${#truth[@]}
looks_wait 2
alerts_wait ${#truth[@]}
alerts_list >"$SIM_DIR/said"
printf '%s\n' "${truth[@]}" >"$SIM_DIR/truth"
echo
printf '%-14s %6s\n' fault times
for fault in "${faults[@]%:*}"; do
	printf '%-14s %6d\n' "$fault" "${done_of[$fault]:-0}"
done
printf '%-14s %6d\n' alerts ${#truth[@]} sweeps "$(metric 'ftcheck_sweeps_total{result="complete"}')" \
	rereads "$(metric 'ftcheck_rereads_total{result="complete"}')"
echo
row "the alerts are the truth" diff <(sort "$SIM_DIR/truth") <(sort "$SIM_DIR/said")
row "each once, raised and cleared in turn" alerts_are_paired
row "memory and descriptors are flat" python3 - "$samples" <<'END'
import sys
rows = [[float(v) for v in line.split()] for line in open(sys.argv[1])]
rows = [r for r in rows if len(r) == 6][len(rows) // 5:]
if len(rows) < 8:
    sys.exit("only %d samples: too short" % len(rows))
span = rows[-1][0] - rows[0][0]
bad = False
print("%-18s %8s %8s %8s %10s %8s" % ("%d samples, %d s" % (len(rows), span), "first", "last", "mean", "rise", "limit"))
for column, name, share, slack in ((2, "RSS (KiB)", .05, 256), (3, "PSS (KiB)", None, 0),
                                   (4, "anonymous (KiB)", .05, 256), (5, "listener PSS (KiB)", None, 0),
                                   (1, "descriptors", 0, 1)):
    t, v = [r[0] for r in rows], [r[column] for r in rows]
    mt, mv = sum(t) / len(t), sum(v) / len(v)
    slope = sum((a - mt) * (b - mv) for a, b in zip(t, v)) / sum((a - mt) ** 2 for a in t)
    limit = float("inf") if share is None else mv * share + slack
    bad |= slope * span >= limit
    print("%-18s %8d %8d %8d %10.1f %8.1f" % (name, v[0], v[-1], mv, slope * span, limit))
sys.exit(bad)
END
daemon_stop
row "stop: status 0" [ $? = 0 ]
finish
