#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# ftplan --infer on random trees that were broken (FT_RUNS rounds from FT_SEED on, fewer of three levels), and on fabrics
# that were in production, read where they are: the design, what ftcheck finds by it, and what is refused.
set -u

ftplan=${FT_BUILDDIR:?}/ftplan
ftcheck=${FT_BUILDDIR:?}/ftcheck
fabrics=${FT_SHARED:?}/fabrics
runs=${FT_RUNS:-120}

work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

# shellcheck source=tests/process.sh
. "$FT_SRCDIR/tests/process.sh"

# real FILE KEYS FINDINGS: the design holds these keys, and ftcheck finds as many of each code.
real()
{
	"$ftplan" --infer "$fabrics/$1" >"$work/design" 2>"$work/err" || {
		result "$1: a design: $(cat "$work/err")" 1
		return
	}
	"$ftcheck" --plan "$work/design" --from "$fabrics/$1" --format json >"$work/report" 2>"$work/err"
	python3 - "$work/design" "$work/report" "$2" "$3" <<-'END'
		import collections, json, sys
		with open(sys.argv[1], encoding="utf-8") as file:
		    design = json.load(file)
		with open(sys.argv[2], encoding="utf-8") as file:
		    report = json.load(file)
		wrong = {k: design.get(k) for k, v in json.loads(sys.argv[3]).items() if design.get(k) != v}
		found = dict(collections.Counter(f["code"] for f in report["findings"] if f["severity"] != "info"))
		if wrong or found != json.loads(sys.argv[4]) or not design["why"]:
		    sys.exit("  %s, found %s" % (wrong, found))
	END
	result "$1" $?
}

# rehearses FILE: the network file of its design is as that wants it. Not where names hold what ibsim cannot.
rehearses()
{
	"$ftplan" --infer "$fabrics/$1" >"$work/design" 2>"$work/err" &&
		"$ftplan" --format ibsim "$work/design" >"$work/net" 2>"$work/err" &&
		"$ftcheck" --plan "$work/design" --from "$work/net" >"$work/report" 2>"$work/err" &&
		grep -q '^OK .*; nothing to report$' "$work/report"
	result "$1: rehearses" $?
}

# refused FILE WORDS: status 3, nothing written, and one line with these words.
refused()
{
	"$ftplan" --infer "$fabrics/$1" >"$work/design" 2>"$work/err"
	[ $? = 3 ] && [ ! -s "$work/design" ] && [ "$(wc -l <"$work/err")" = 1 ] && grep -qF -- "$2" "$work/err"
	result "$1: refused" $?
}

python3 "$FT_SRCDIR/tests/infer_campaign.py" --rounds "$runs"
result "random fabrics of two levels" $?
python3 "$FT_SRCDIR/tests/infer_campaign.py" --replay 1:10
result "one of four leaves that has lost cables and hosts" $?
python3 "$FT_SRCDIR/tests/infer_campaign.py" --levels 3 --rounds "$((runs / 4))"
result "random fabrics of three levels" $?
for round in 6013:11 6013:101 6013:202; do
	python3 "$FT_SRCDIR/tests/infer_campaign.py" --levels 3 --replay "$round"
	result "three levels, of which a dead switch is named beside what else is wrong: $round" $?
done

# same_system WHAT SED KEYS: two levels of plain switches whose nodes say what SED makes of them are what they are.
same_system()
{
	printf '{"ftcheck": 1, "name": "t", "nodes": 72, "edge": {"ports": 36}, "core": {"ports": 36}}' >"$work/plain"
	"$ftplan" --format ibsim "$work/plain" | sed "$2" >"$work/net"
	"$ftplan" --infer "$work/net" >"$work/design" 2>"$work/err" &&
		grep -qF "$3" "$work/design" && ! grep -q inside "$work/design"
	result "$1" $?
}

tree='"edge": {"ports": 36, "count": 4, "ports_to_nodes": 18, "ports_to_core": 18}'
same_system "switches that all say one SystemImageGUID" 's/^sysimgguid=0x1000.*/sysimgguid=0x999/' "$tree"
same_system "and have one name" 's/^sysimgguid=0x1000.*/sysimgguid=0x999/; s/"\(edge\|core\)[0-9]*"/"sw"/' "$tree"
same_system "switches called as chips are" 's/"edge00\([0-9]\)"/"ib leaf \1"/; s/"core0\([0-9]\)"/"ib spine \1"/' "$tree"

# planes WHAT KEYS KEY SED: three levels with these keys, of which SED changes the network file, are inferred with KEY.
planes()
{
	printf '{"ftcheck": 1, "name": "t", "nodes": 360, "topology": "fat-tree", "levels": 3, "pods": 3, %s,
		"edge": {"ports": 48, "count": 18, "ports_to_nodes": 20, "ports_to_core": 8},
		"spine": {"ports": 64, "count": 12, "ports_to_core": 8}, "core": {"ports": 96, "count": 4}}' "$2" >"$work/plain"
	"$ftplan" --format ibsim "$work/plain" | sed "$4" >"$work/net"
	"$ftplan" --infer "$work/net" >"$work/design" 2>"$work/err" && grep -qF "$3" "$work/design" &&
		"$ftcheck" --plan "$work/design" --from "$work/net" >"$work/report" && grep -q '; nothing to report$' "$work/report"
	result "$1" $?
}

planes "spines that share planes" '"planes": 2' '"planes": 2' ''
planes "and have one name" '"planes": 2' '"planes": 2' 's/"\(edge\|spine\|core\)[0-9]*"/"sw"/'
planes "4-post: every spine is cabled to every core switch, and both have rings" \
	'"planes": 1, "rings": {"spine": 3, "core": 5}' '"rings": {"spine": 3, "core": 5}' ''
planes "a ring of spines in planes" '"planes": 4, "rings": {"spine": 2}' '"rings": {"spine": 2}' ''

# fabric_boards WHAT DIRECTORS BOARDS COUNT: so many directors of six fabric boards, one of which is without these; as many are
# missing.
fabric_boards()
{
	printf '{"ftcheck": 1, "name": "t", "nodes": 144, "topology": "fat-tree", "bundle": %d,
		"edge": {"ports": 36, "count": 8, "ports_to_nodes": 18, "ports_to_core": 18}, "core": {"ports": 108, "count": %d,
		"inside": {"line_boards": 6, "line_boards_max": 12, "line_ports": 18, "fabric_boards": 6, "traces": 3}}}' \
		$((18 / $2)) "$2" >"$work/plain"
	"$ftplan" --format ibsim "$work/plain" |
		awk -v RS= -v ORS='\n\n' -v gone="\"core02 F0[$3]\"" '!($0 ~ "Switch[^\n]*" gone)' | grep -v "^\[.*\"core02 F0[$3]\"" >"$work/net"
	"$ftplan" --infer "$work/net" >"$work/design" 2>"$work/err" &&
		{ "$ftcheck" --plan "$work/design" --from "$work/net" >"$work/report" || true; } &&
		[ "$(grep -c '^[a-z]* board-missing' "$work/report")" = "$4" ] && grep -qE "; (nothing to report|$4 finding)" "$work/report"
	result "$1" $?
}

fabric_boards "a director with the first half of its fabric boards lacks none" 2 456 0
fabric_boards "one with all but the last lacks that" 2 6 1
fabric_boards "and one that lost three in the midst lacks these" 2 234 3
fabric_boards "one of six directors with fewer than the others has lost them" 6 56 2

# classes WHAT KEYS SED: a tree of two levels with these keys, of which SED changes the network file, is inferred with its
# classes, and with nothing wrong.
classes()
{
	printf '{"ftcheck": 1, "name": "t", "topology": "fat-tree", %s}' "$2" >"$work/plain"
	"$ftplan" --format ibsim "$work/plain" | sed "$3" >"$work/net"
	"$ftplan" --infer "$work/net" >"$work/design" 2>"$work/err" &&
		"$ftcheck" --plan "$work/design" --from "$work/net" >"$work/report" && grep -q '; nothing to report$' "$work/report" &&
		python3 - "$work/plain" "$work/design" <<-'END'
			import json, sys
			meant, found = (json.load(open(name, encoding="utf-8")) for name in sys.argv[1:])
			keys = ("topology", "nodes", "classes", "bundle", "bundles")
			sys.exit(any(meant.get(key) != found.get(key) for key in keys))
		END
	result "$1" $?
}

leaves='"edge": {"ports": 36, "count": 20, "ports_to_nodes": 18, "ports_to_core": 8}, "core": {"ports": 120, "count": 2}'
classes "service leaves on two core switches" \
	'"nodes": 336, "bundle": 4, "classes": [{"count": 4, "hosts": 12, "bundle": [10, 8]}], '"$leaves" ''
classes "of one name" \
	'"nodes": 336, "bundle": 4, "classes": [{"count": 4, "hosts": 12, "bundle": [10, 8]}], '"$leaves" 's/"\(edge\|core\)[0-9]*"/"sw"/'
classes "two classes of leaves, one with more ports, and a core switch with hosts" '"nodes": 374, "bundle": 2,
	"classes": [{"count": 6, "hosts": 20, "bundle": 3}, {"count": 3, "ports": 40, "hosts": 10, "bundle": 1},
	{"tier": "core", "count": 1, "hosts": 4}],
	"edge": {"ports": 36, "count": 20, "ports_to_nodes": 20, "ports_to_core": 8}, "core": {"ports": 120, "count": 4}' ''
classes "uneven bundles: 5 + 4 of most, 3 + 1 of some" '"nodes": 336, "classes": [{"count": 4, "hosts": 12, "bundle": [3, 1]}],
	"edge": {"ports": 36, "count": 20, "ports_to_nodes": 18, "ports_to_core": 9}, "core": {"ports": 120, "count": 2}' ''
classes "thick bundles, and half of them" '"nodes": 336, "bundle": 4, "bundles": "thick",
	"classes": [{"count": 4, "hosts": 12, "bundle": [2, 2, 1]}],
	"edge": {"ports": 36, "count": 20, "ports_to_nodes": 18, "ports_to_core": 10}, "core": {"ports": 120, "count": 3}' ''
classes "two storage leaves with a cable more to one core switch" '"nodes": 100, "bundle": 2,
	"classes": [{"count": 2, "hosts": 2, "bundle": [3, 2]}],
	"edge": {"ports": 16, "count": 14, "ports_to_nodes": 8, "ports_to_core": 4}, "core": {"ports": 34, "count": 2}' ''
classes "leaves that were bought in four lots" '"nodes": 112, "bundle": 2, "classes": [{"count": 3, "hosts": 8, "bundle": 1},
	{"count": 3, "hosts": 8, "bundle": [2, 3]}, {"count": 2, "hosts": 8, "bundle": [2, 1]}],
	"edge": {"ports": 16, "count": 14, "ports_to_nodes": 8, "ports_to_core": 4}, "core": {"ports": 34, "count": 2}' ''

# surplus WHAT CLASSES COUNT: of 14 leaves with two cables to each of two core switches, those of these classes have other
# cables, of which so many are found to be too many, and nothing else.
surplus()
{
	printf '{"ftcheck": 1, "name": "t", "topology": "fat-tree", "nodes": 100, "bundle": 2, "classes": [%s],
		"edge": {"ports": 16, "count": 14, "ports_to_nodes": 8, "ports_to_core": 4},
		"core": {"ports": 34, "count": 2}}' "$2" >"$work/plain"
	"$ftplan" --format ibsim "$work/plain" >"$work/net" && "$ftplan" --infer "$work/net" >"$work/design" 2>"$work/err" &&
		{ "$ftcheck" --plan "$work/design" --from "$work/net" >"$work/report" || true; } &&
		[ "$(grep -c '^warning cable-unplanned' "$work/report")" = "$3" ] && grep -q "; $3 findings\$" "$work/report"
	result "$1" $?
}

surplus "one of two storage leaves with two cables too many" \
	'{"count": 1, "hosts": 2, "bundle": [4, 2]}, {"count": 1, "hosts": 2, "bundle": [2, 2]}' 2

if [ -d "$fabrics" ]; then
	real topograph/example.out '{"nodes": 542, "bundle": 2, "core": {"ports": 64, "count": 9},
		"edge": {"ports": 64, "count": 31, "ports_to_nodes": 19, "ports_to_core": 18, "hosts": [{"count": 2, "hosts": 19},
		{"count": 15, "hosts": 18}, {"count": 10, "hosts": 17}, {"count": 4, "hosts": 16}]}}' '{"cable-missing": 16}'
	# Three hosts on a core switch, which is no fault there.
	real loginoff/topo '{"topology": "fat-tree", "nodes": 145, "classes": [{"tier": "core", "count": 1, "hosts": 3}]}' \
		'{"cable-missing": 1}'
	# One director: what was bought is one switch, and its inside is part of the design.
	real avakas/ib-subnet.txt '{"topology": "star", "nodes": 281, "edge": {"ports": 288, "inside": {"line_boards": 16,
		"line_boards_max": 16, "line_ports": 18, "line_chips": 1, "fabric_boards": 9, "fabric_boards_max": 9,
		"fabric_chips": 1, "traces": 2}, "chassis": "^(QLogic [0-9]+-[0-9]+ GUID=0x[0-9a-fA-F]+)[ /:]"}}' \
		'{"cable-slow": 1}'
	# Edge and core directors, as the topology file beside it says: 8 of 64 hosts and 64 uplinks, 4 above.
	boards='"inside": {"line_boards": 12, "line_boards_max": 12, "line_ports": 12, "line_chips": 1, "fabric_boards": 6,
		"fabric_boards_max": 6, "fabric_chips": 1, "traces": 2}'
	name='[0-9]+ MT47396 Infiniscale-III Mellanox Technologies) *$'
	rhino='{"topology": "fat-tree", "nodes": 512, "bundle": 16, "edge": {"ports": 144, '$boards', "count": 8,
		"ports_to_nodes": 64, "ports_to_core": 64, "chassis": "^(SL1-'$name'"},
		"core": {"ports": 144, '$boards', "count": 4, "chassis": "^(SL2-'$name'"}}'
	real ibutils/RhinoBased512.lst "$rhino" '{}'
	# Without director SL2-3, which its neighbours' names and the ports that are dark tell of; and by the design of before.
	real ibutils/RhinoBased512.no_sp2-3.lst "$rhino" '{"core-missing": 1}'
	"$ftplan" --infer "$fabrics/ibutils/RhinoBased512.lst" >"$work/design" &&
		{ "$ftcheck" --plan "$work/design" --from "$fabrics/ibutils/RhinoBased512.no_sp2-3.lst" >"$work/report" || true; } &&
		[ "$(grep -c '^warning\|^critical' "$work/report")" = 1 ] && grep -q '^warning core-missing: core switch SL2-3 ' "$work/report"
	result "ibutils/RhinoBased512.no_sp2-3.lst: the director that is gone, by the design of the whole" $?
	real selene/selene.compute.txt '{"levels": 3, "nodes": 3664, "bundle": {"edge": 2, "spine": 1},
		"pods": [{"count": 24, "edges": 7}, {"count": 8, "edges": 4}], "core": {"ports": 40, "count": 140},
		"spine": {"ports": 40, "count": 320, "ports_to_core": 14}}' '{"cable-missing": 29}'
	# A DDR island among QDR switches, a leaf behind another one; what is slow is so in its own class.
	real plafrim/ib-subnet.txt '{"bundle": 9}' '{"cable-missing": 1, "cable-slow": 7}'
	real plafrim2/ib-subnet-0.txt '{"bundle": 6}' '{"cable-missing": 1}'
	for file in las_20_4 las_dup; do
		real "shapes/$file.txt" '{"topology": "fat-tree", "nodes": 408, "classes": [{"count": 4, "hosts": 12, "bundle": [10, 8]}]}' '{}'
	done
	real shapes/two_edge_classes.txt '{"topology": "fat-tree", "classes": [{"count": 4, "hosts": 12, "bundle": 6}]}' '{}'
	real shapes/ring4.txt '{"topology": "ring", "bundle": [3], "nodes": 48}' '{}'
	for file in cascaded_leaf dual_rail hexnames; do
		real "shapes/$file.txt" '{"topology": "fat-tree"}' '{}'
	done
	real shapes/one_plane.txt '{"topology": "fat-tree", "levels": 3, "planes": 1, "bundle": {"edge": 4, "spine": 2}}' '{}'
	real shapes/planes_of_2.txt '{"topology": "fat-tree", "levels": 3, "planes": 2, "bundle": {"edge": 4, "spine": 1}}' '{}'
	for file in triangle_mesh two_planes_disjoint two_switches; do
		real "shapes/$file.txt" '{"topology": "graph"}' '{}'
	done
	real shapes/torus444.txt '{"topology": "torus", "dims": [4, 4, 4]}' '{}'
	real shapes/dragonfly.txt '{"topology": "dragonfly"}' '{}'
	real shapes/planes_of_5.txt '{"topology": "graph", "nodes": 1130}' '{"cable-missing": 4}'
	real x5/X5.topofile '{"topology": "graph", "nodes": 89}' '{}'
	for file in topograph/example.out loginoff/topo shapes/planes_of_5.txt shapes/las_dup.txt selene/selene.compute.txt ibutils/RhinoBased512.lst; do
		rehearses "$file"
	done
	refused topograph/example-bad.out 'no switch among them'
else
	printf 'ok - fabrics that were in production # SKIP no ../shared (captured fabrics)\n'
fi

[ "$failed" = 0 ]
