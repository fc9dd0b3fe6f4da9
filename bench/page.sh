#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# How long the daemon's page takes in a headless Chromium, by the browser's own marks: until the verdict and the findings
# are there, until the picture is, to draw all again after a change, and for a step of zooming. page.sh [NODES...]
set -u
# shellcheck source=tests/sim.sh
. "$FT_SRCDIR/tests/sim.sh"
# shellcheck source=tests/faults.sh
. "$FT_SRCDIR/tests/faults.sh"
# shellcheck source=tests/daemon.sh
. "$FT_SRCDIR/tests/daemon.sh"

ROUNDS=${BENCH_ROUNDS:-5}

for program in chromium chromedriver; do
	command -v "$program" >/dev/null || skip "no $program"
done

browser() {
	python3 -B "$FT_SRCDIR/tests/browser.py" "$SIM_DIR/browser" "$@"
}

drawing_get() {
	daemon_get /drawing.svg >"$SIM_DIR/drawing" 2>/dev/null && grep -q "<svg" "$SIM_DIR/drawing"
}

median() {
	sort -n | awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)] }'
}

mark_ms() {
	browser is "performance.getEntriesByName('$1').length > 0" >&2 || fail "no mark $1"
	browser tell "Math.round(performance.getEntriesByName('$1')[0].startTime)"
}

# The work of the page itself: what the script takes, layout included, without waiting for the daemon.
again_ms() {
	browser tell "(() => { const begin = performance.now(); rowTexts.clear(); render(); document.body.offsetHeight;
		return Math.round(performance.now() - begin); })()"
}

zoom_ms() {
	browser tell "(() => { const begin = performance.now();
		for (const factor of [0.8, 0.8, 0.8, 0.8, 0.8, 1.25, 1.25, 1.25, 1.25, 1.25]) {
			zoom(factor); svg.getBBox(); document.body.offsetHeight; }
		return Math.round((performance.now() - begin) / 10); })()"
}

# measure NODES HOSTS PORTS CUT: three levels, so many cables missing.
measure() {
	local switch="{\"ports\": $3}" origin i verdict=() picture=() again=() zoomed=()

	echo "{\"ftcheck\": 1, \"name\": \"$1\", \"nodes\": $2, \"levels\": 3, \"topology\": \"fat-tree\"," \
		"\"edge\": $switch, \"spine\": $switch, \"core\": $switch}" >"$SIM_DIR/page.json"
	"$FTPLAN" "$SIM_DIR/page.json" --format ibsim -o "$SIM_DIR/whole" || fail "ftplan"
	python3 -B "$FT_SRCDIR/bench/cut.py" "$SIM_DIR/whole" "$4" >"$SIM_DIR/net" || fail "cut"
	SIM_DEADLINE=300 sim_start "$SIM_DIR/net" || fail "ibsim"
	daemon_start "$(sed -n 's/^Ca.*"\(H-[0-9a-f]*\)".*/\1/p' "$SIM_DIR/net" | tail -1)" \
		"$SIM_DIR/page.json" 'sweep_interval = 1h' 'deadline = 120s' || fail "ftcheckd"
	origin=http://127.0.0.1:$(daemon_port)
	within 300 drawing_get ||
		echo "  no drawing: $(head -c 200 "$SIM_DIR/drawing")"
	mkdir -p "$SIM_DIR/browser"
	python3 -B "$FT_SRCDIR/tests/browser.py" begin "$SIM_DIR/browser" || fail "no headless Chromium runs here"
	browser size 1300 900
	for ((i = 0; i < ROUNDS; i++)); do
		browser open "$origin/"
		verdict+=("$(mark_ms ftcheck-verdict)")
		picture+=("$(mark_ms ftcheck-picture)")
		again+=("$(again_ms)")
		zoomed+=("$(zoom_ms)")
	done
	printf '%s nodes, %s findings, drawing %s bytes, medians of %s:\n' "$1" \
		"$(browser tell 'summary.findings')" "$(wc -c <"$SIM_DIR/drawing")" "$ROUNDS"
	printf '  verdict and findings there after  %5s ms (goal 2000)\n' "$(printf '%s\n' "${verdict[@]}" | median)"
	printf '  picture there after               %5s ms (goal 2000)\n' "$(printf '%s\n' "${picture[@]}" | median)"
	printf '  all drawn again after a change    %5s ms\n' "$(printf '%s\n' "${again[@]}" | median)"
	printf '  a step of zooming                 %5s ms\n' "$(printf '%s\n' "${zoomed[@]}" | median)"
	[ -z "${PAGE_SHOT:-}" ] || browser shoot "$PAGE_SHOT-$1.png"
	browser quiet "$origin" || fail "the console is not empty"
	browser end
	daemon_stop
	sim_stop
}

[ $# -gt 0 ] || set -- 13284 30528
for size; do
	case $size in
	1080) measure 1080 864 24 300 ;;
	13284) measure 13284 11664 36 300 ;;
	30528) measure 30528 27648 48 300 ;;
	*) fail "page: 1080, 13284 or 30528 nodes, not $size" ;;
	esac
done
