#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# ftplan --infer on networks of families, whole and broken (half of FT_RUNS rounds), on a random network, and the ports of
# what lacks.
set -u

ftplan=${FT_BUILDDIR:?}/ftplan
runs=${FT_RUNS:-120}

work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

# shellcheck source=tests/process.sh
. "$FT_SRCDIR/tests/process.sh"

python3 "$FT_SRCDIR/tests/infer_families.py" --rounds "$((runs / 2))"
result "networks of families" $?
# A dragonfly+ without a leaf has groups of unlike size, which are built so, too, unless ports tell.
python3 "$FT_SRCDIR/tests/infer_families.py" --dead --rounds 40 --families torus,mesh,hypercube,hyperx,slim-fly,polarfly,dragonfly &&
	python3 "$FT_SRCDIR/tests/infer_families.py" --dead --seed 31 --rounds 60 --families dragonfly+
result "networks of families without a switch" $?
# A switch that is off: nearly all distances of 15 switches change with it; and it has hosts, like all others of its kind.
python3 "$FT_SRCDIR/tests/infer_families.py" --dead --replay 6:42 --families dragonfly+ &&
	python3 "$FT_SRCDIR/tests/infer_families.py" --dead --replay 9:62
result "small networks of families without a switch" $?

( cd "$work" && python3 "$FT_SRCDIR/tests/infer_ports.py" )
result "the ports of what lacks" $?

printf '{"ftcheck": 1, "name": "r", "nodes": 120, "topology": "random", "degree": 5, "seed": 4,
	"edge": {"ports": 12, "ports_to_nodes": 6}}' >"$work/plain"
"$ftplan" --format ibsim "$work/plain" >"$work/net" && "$ftplan" --infer "$work/net" >"$work/design" &&
	grep -q '20 of them have 5 neighbours each, .* so random networks are' "$work/design"
result "a random network is said to be like one" $?

# Half of such networks are a dragonfly with two cables swapped, which nobody laid.
swapped=0
for seed in 1 2 4 9 10 11 13 18; do
	printf '{"ftcheck": 1, "name": "r", "nodes": 20, "topology": "random", "degree": 4, "seed": %s,
		"edge": {"ports": 8, "ports_to_nodes": 2, "count": 10}}' "$seed" >"$work/plain"
	"$ftplan" --format ibsim "$work/plain" >"$work/net" && "$ftplan" --infer "$work/net" >"$work/design" &&
		grep -q '"topology": "graph"' "$work/design" || swapped=1
done
result "small random networks are no dragonflies with cables swapped" "$swapped"

# Built with a leaf less, which looks as if the last one was off.
printf '{"ftcheck": 1, "name": "d", "nodes": 16, "topology": "dragonfly+", "group": {"leafs": 3, "spines": 3, "global": 2},
	"groups": [{"count": 2}, {"count": 1, "leafs": 2}], "edge": {"ports": 16, "ports_to_nodes": 2}}' >"$work/plain"
"$ftplan" --format ibsim "$work/plain" >"$work/net" && "$ftplan" --infer "$work/net" >"$work/design" &&
	grep -qF 'One group has one leaf fewer than the others. If a leaf is off there, plan the same number of leaves in each group' \
		"$work/design"
result "a dragonfly+ with a leaf less in one group: the notes say so" $?

[ "$failed" = 0 ]
