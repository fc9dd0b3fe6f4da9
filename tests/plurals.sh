#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Nobody reads of "1 hosts": the smallest plans and fabrics, in all that ftplan and ftcheck write of them.
set -u
export LC_ALL=C

ftplan=${FT_BUILDDIR:?}/ftplan ftcheck=$FT_BUILDDIR/ftcheck
failed=0 passed=0

work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99

nouns='cables|hosts|ports|switches|nodes|links|uplinks|findings|packets|pairs|steps|stages|designs|boards|chips|rows|spines|pods|planes|traces|tables|edges|cores|servers|tiles|racks'

# says WHAT COMMAND...: it writes something, and no plural behind a 1.
says()
{
	local what=$1 wrong

	shift
	"$@" >out 2>&1 </dev/null
	# A design that is refused says nothing of all this.
	wrong=$(grep -E "must be|^[^ ]*\.json:[0-9]" out || grep -oE "(^|[^0-9.,:=/-])1 (of 1 )?([a-z-]+ )?($nouns)\\b.{0,20}" out | grep -vE "1 (of|to|for|in|and|per) [a-z]" | head -n 3)
	if [ -s out ] && [ -z "$wrong" ]; then
		printf 'ok - %s\n' "$what"
		passed=$((passed + 1))
	else
		printf 'not ok - %s\n  %s\n' "$what" "${wrong:-nothing is said}"
		failed=$((failed + 1))
	fi
}

# The smallest star and trees: of one host, of one host an edge switch, of one cable a pair.
printf '{"ftcheck": 1, "name": "star", "topology": "star", "nodes": 1, "edge": {"ports": 2}}' >star.json
printf '{"ftcheck": 1, "name": "pair", "topology": "fat-tree", "nodes": 2, "edge": {"ports": 2}, "core": {"ports": 2}}' >pair.json
printf '{"ftcheck": 1, "name": "lone", "topology": "fat-tree", "nodes": 1, "edge": {"ports": 2}, "core": {"ports": 2}}' >lone.json
printf '{"ftcheck": 1, "name": "pods", "topology": "fat-tree", "levels": 3, "nodes": 4, "edge": {"ports": 2}, "spine": {"ports": 4}, "core": {"ports": 4}}' >pods.json
for plan in star pair lone pods; do
	for format in text bom svg dot; do
		says "$plan: ftplan --format $format" "$ftplan" $plan.json --format $format
	done
	says "$plan: --alternatives" "$ftplan" $plan.json --alternatives 1
	"$ftplan" $plan.json --format ibsim >$plan.net
	says "$plan: ftplan --infer" "$ftplan" --infer $plan.net
	says "$plan: ftcheck" "$ftcheck" --plan $plan.json --from $plan.net -v
	says "$plan: ftcheck --repair --after" "$ftcheck" --plan $plan.json --from $plan.net -v --repair --after 1
	says "$plan: ftcheck as a drawing" "$ftcheck" --plan $plan.json --from $plan.net --format svg
	# Without its first cable, without its last host, and as the fabric of another plan.
	awk '/^\[/ && !done { done = 1; next } { print }' $plan.net >cut.net
	awk -v RS= -v ORS='\n\n' '{ record[NR] = $0 } END { for (i = 1; i < NR; i++) print record[i] }' $plan.net >less.net
	for fabric in cut less star pair pods; do
		says "$plan: ftcheck of $fabric" "$ftcheck" --plan $plan.json --from $fabric.net -v --repair
	done
done
# What the fix says of a single host: one that is missing, and one too many.
printf '{"ftcheck": 1, "name": "three", "topology": "fat-tree", "nodes": 3, "edge": {"ports": 4}, "core": {"ports": 4}}' >three.json
sed 's/"nodes": 3/"nodes": 4/' three.json >four.json
for plan in three four; do
	case $plan in
	three) fabric=four fix='if it belongs there, raise "nodes" in the design' ;;
	four) fabric=three fix='check whether it is powered on; if that is known, it can go into expect.hosts_down' ;;
	esac
	"$ftplan" "$fabric.json" --format ibsim >"$fabric.net"
	says "$plan: ftcheck of $fabric hosts" "$ftcheck" --plan $plan.json --from "$fabric.net"
	if grep -qF "1 host" out && grep -qF "Fix: $fix" out; then
		printf 'ok - %s: the fix is for one host\n' "$plan"
		passed=$((passed + 1))
	else
		printf 'not ok - %s: the fix is for one host\n' "$plan"
		sed 's/^/  /' out
		failed=$((failed + 1))
	fi
done
says 'stages' "$ftplan" --stages 1,2
says 'a Pareto front' "$ftplan" --nodes 1 --pareto cost,power_w

printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
