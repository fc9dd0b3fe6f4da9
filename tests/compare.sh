#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# ftplan --compare as a process: what goes with what, the page of text, and drawings that are well-formed.
set -u

ftplan=${FT_BUILDDIR:?}/ftplan
catalog=${FT_SRCDIR:?}/etc/catalog/slim-fly-2014.json

work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99

# shellcheck source=tests/process.sh
. "$FT_SRCDIR/tests/process.sh"

# compare WHAT STATUS STDERR ARGUMENTS...: run() of ftplan.
compare()
{
	local what=$1 status=$2 line=$3

	shift 3
	run "$what" "$status" "$line" "$ftplan" "$@"
}

# has WHAT REGEX: a line of the last output.
has()
{
	if grep -qE -- "$2" out; then
		printf 'ok - %s\n' "$1"
	else
		not_ok "$1" "no line is like: $2" "$(head -n 40 out)"
	fi
}

printf '{"ftcheck": 1, "name": "ours", "nodes": 72, "topology": "fat-tree", "edge": {"ports": 36}, "core": {"ports": 36}}' >a.json
printf '{"ftcheck": 1, "name": "theirs", "nodes": 64, "topology": "torus", "dims": [4, 4], "edge": {"ports": 12}}' >b.json
printf '{"ftcheck": 1, "nodse": 7}' >bad.json

compare 'all for 2000 hosts' 0 '' --compare all --nodes 2000
has 'says how many' '^12 networks for 2000 hosts$'
has 'the cheapest' '^  that carries 0\.5 and more +random n=112 d=18 seed=1 +706\.08$'
has 'the cheapest that carries all' '^  that carries 0\.9 and more +dragonfly\+ '
has 'what is worth choosing from, and what it takes' '^ 1 random n=112 d=18 seed=1 +112 +4016 +1008 +1412160 +706\.08 +23\.2 +11\.6 +112 +0\.056$'
has 'what it gives for that' '^ 1 random n=112 d=18 seed=1 +0\.5[0-9]+~ +[0-9.]+ % +0\.543\* +1\.872 +3 +[0-9]+~ +2\.0 %\* +[0-9]+ %~ +18$'
has 'what more money buys' '^ 5: \+12\.1 %, carries 1\.000 after 0\.[0-9]+~, mean hops 1\.938 after 1\.929$'
has 'what is not worth it, and why' '^6: 32 % dearer than 3; '
has 'nor at the same price' '; 11: carries less than 1; '
has 'what to buy' '^Switches: 1-5, 7-12: Mellanox SX6036 \(36 ports\); 6: 112 x Mellanox SX6036 \(36 ports\) \+ 4 x'
has 'what cannot be built' '^star cannot be built: of 3 combinations '
has 'where prices are from, and that they do not depend on length' '^Prices: catalog mellanox-fdr-2013, in USD, of December 2013; its cables cost the same at any length\.$'
[ "$(sed -n '/^The choice/,/^What more/p' out | grep -cE '^ ?[0-9]+ (fat-tree|torus|mesh|hypercube|ring|hyperx|slim-fly|polarfly|dragonfly|random)')" = 24 ] ||
	not_ok 'each network is in both tables' "$(head -n 30 out)"
grep -q electric out && not_ok 'the page has what decides' "$(cat out)"
for nodes in 500 2000 10000; do
	compare "a page for $nodes hosts" 0 '' --compare all --nodes $nodes
	[ "$(awk 'length > 100' out | wc -l)" = 0 ] || not_ok '100 columns' "$(awk 'length > 100' out)"
	[ "$(wc -l <out)" -lt 60 ] || not_ok '60 lines' "$(wc -l <out)"
done
has 'a throughput that is not known to a tenth' '^ 2 dragonfly a=18 h=9 g=62 +>0\.[0-9]+ +[0-9.]+ % '
has 'does not lose by that' '^ 2: \+94\.3 %, carries >0\.[0-9]+ after '
has 'which is explained' '>: at least \(--gap 0\.01 searches longer\)'
compare 'all figures' 0 '' --compare all --nodes 2000 -v
has 'a tree of two levels' '^ 6 fat-tree 2 levels +1\.000 +0\.0 % +1\.000\* +2\.000 +2 +1000\* '
has 'a ring, all of it exact' '^11 ring 112 .* 28\.252 +56 +18 '
has 'a torus, with the bound' '^ 8 torus 5\^3 +[0-9]+~ >=[0-9]+ '
has 'a median' '^ 8 torus 5\^3 .* [0-9.]+ %~ \([0-9]+-[0-9]+\) +0$'
has 'what is best, of equal ones the one that beats the other' '^  least power per host, W +random n=112 d=18 seed=1 +11\.59$'
[ "$(awk 'length > 100' out | wc -l)" = 0 ] || not_ok '100 columns' "$(awk 'length > 100' out)"
grep -q electric out && not_ok 'columns of which nothing is known' "$(grep electric out)"

compare 'some of them, in their order' 0 '' --compare ring,star,torus --nodes 300 --format csv
[ "$(cut -d, -f2 out | tr '\n' ' ')" = 'asked ring star torus ' ] || not_ok 'the order' "$(cut -d, -f2 out)"
compare 'both levels' 0 '' --compare fat-tree --nodes 300 --format csv
[ "$(wc -l <out)" = 3 ] || not_ok 'two trees' "$(cat out)"
compare 'the level that is asked for' 0 '' --compare fat-tree --levels 3 --nodes 300 --format csv
has 'three levels alone' '^300,"fat-tree, 3 levels",fat-tree 3 levels,'
[ "$(wc -l <out)" = 2 ] || not_ok 'one tree' "$(cat out)"
compare 'another objective' 0 '' --compare torus --nodes 300 --objective power_w --blocking 3 --format csv
has 'with its blocking' '^300,torus,torus '

compare 'designs' 0 '' --compare a.json b.json
has 'that differ in their hosts' '^2 networks for 64 to 72 hosts: numbers of hosts differ, so compare what is per host$'
has 'by their names' '^ 2: torus 4x4, 64 hosts$'
has 'no price is known, so there is no choice' '^No choice is made: no price is known\. What carries more takes more switches and cables, and only$'
has 'and how to give some' '--catalog FILE gives prices, power and sizes\.$'
has 'what is known decides' '^ 1 ours +1\.000 +0\.0 % +1\.000\* +2\.000 '
compare 'a design twice' 0 '' --compare a.json a.json
has 'each has a name of its own' '^ 2 ours \(2\) +1\.000 +0\.0 % +1\.000\* +2\.000 '
printf '{"ftcheck": 1, "name": "apart", "topology": "graph", "switches": [{"name": "s1", "ports": 9, "hosts": 4},
	{"name": "s2", "ports": 9, "hosts": 4}, {"name": "s3", "ports": 9, "hosts": 4}, {"name": "s4", "ports": 9, "hosts": 4}],
	"links": [{"a": "s1", "b": "s2", "count": 1}, {"a": "s3", "b": "s4", "count": 1}]}' >apart.json
compare 'a network in two parts' 0 '' --compare apart.json b.json
has 'carries nothing from one to the other' '^ 1 apart +0\.000 +0\.0 % +0\.000 +\? '
has 'is said' 'hosts; in parts: not all'
grep -qE '^  (fewest|most|shortest).* apart ' out && not_ok 'wins nothing' "$(cat out)"
status=0
"$ftplan" --compare bad.json a.json >out 2>err || status=$?
if [ $status != 1 ] || [ "$(cat err)" != 'bad.json:1:16: unknown key "nodse"; did you mean "nodes"?' ]; then
	not_ok 'a bad design beside a good one' "status $status" "$(cat err)"
fi
has 'says why' '^bad\.json: line 1, column 16: .*nodse'
has 'the other is compared' '^ 1 ours +1\.000 +0\.0 % +1\.000\* +2\.000 '
compare 'one switch for few hosts' 0 '' --compare all --nodes 10
[ "$(grep -c '^ 1 star' out)" = 2 ] || not_ok 'one row for one switch' "$(cat out)"
has 'and for which networks' 'torus, mesh, '
compare 'groups that are one' 0 '' --compare dragonfly --nodes 50
has 'is no choice between groups' '^ 1: a single group'
compare 'a torus of one dimension' 0 '' --compare torus,ring --nodes 50
[ "$(grep -cE '^ 1 ring 3 ' out)" = 2 ] || not_ok 'is a ring' "$(cat out)"
has 'which is said' '^ 1: the same for ring$'
compare 'a Clos network that is a tree' 0 '' --compare fat-tree,clos --levels 2 --nodes 500
has 'is said' '^ 1: the same for clos$'
grep -q '^ 2' out && not_ok 'and is no row of its own' "$(cat out)"
compare 'figures of what is no comparison' 3 'ftplan: -v goes with --compare' --nodes 300 -v

python3 - "$ftplan" >out 2>err <<'END'
import pty
import sys
pty.spawn([sys.argv[1], "--compare", "ring,torus", "--nodes", "200", "--format", "csv"])
END
grep -q 'measuring torus for 200 hosts' out || not_ok 'a terminal sees what is being measured' "$(cat out err)"
"$ftplan" --compare ring --nodes 200 --format csv 2>err | grep -q measuring && not_ok 'a file does not' "$(cat err)"
[ -s err ] && not_ok 'and nor does a log' "$(cat err)"
compare 'a ring of too many switches to search' 0 '' --compare ring --nodes 1000000
has 'is named' '^ring 55556 has so many switches that distances, bisection and throughput are not searched for\.$'
compare 'a Clos network that is too large' 0 '' --compare clos,ring --nodes 2000
has 'the reason of the one that has fewest leafs' 'for each of 112 leafs, and has 36\)$'
compare 'a design beside a family' 0 '' --compare slim-fly,a.json --nodes 72
has 'both' '^2 networks for 72 hosts$'
compare 'prices by length' 0 '' --compare torus --nodes 300 --catalog "$catalog"
has 'which is said' '; lengths of cables: the floor model\.$'
compare 'kinds of cables' 0 '' --compare torus --nodes 300 --catalog "$catalog" --verbose
has 'electric and optical' '^ .* electric +optical '

compare 'a search for throughput' 0 '' --compare mesh --nodes 300 --gap 0.05 --format csv
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
	NR == 2 { exit $at["throughput"] < 0.95 * $at["throughput_high"] || $at["throughput_low"] != $at["throughput"] }' out ||
	not_ok 'within its gap' "$(cat out)"
for gap in 0 0.6 1e-2 x ''; do
	compare "a gap of $gap" 3 "ftplan: --gap takes a share from 0.001 to 0.5, such as 0.01: $gap" --compare mesh --nodes 300 --gap "$gap"
done
compare 'a gap of nothing' 3 'ftplan: --gap goes with --compare and --throughput' --nodes 300 --gap 0.01

compare 'an unknown network' 3 'ftplan: --compare knows no "moebius"; there are all, star, fat-tree, torus, mesh, hypercube, ring, hyperx, slim-fly, polarfly, dragonfly, dragonfly+, random, clos, and design files' \
	--compare torus,moebius --nodes 72
compare 'nothing at all' 3 'ftplan: --compare knows no ""; there are all, star, fat-tree, torus, mesh, hypercube, ring, hyperx, slim-fly, polarfly, dragonfly, dragonfly+, random, clos, and design files' \
	--compare '' --nodes 72
compare 'no number of nodes' 3 'ftplan: --compare torus goes with --nodes' --compare torus,a.json
compare 'a broken design' 3 'bad.json:1:16: unknown key "nodse"; did you mean "nodes"?' --compare bad.json
compare 'no such design' 3 'none.json: No such file or directory' --compare none.json
compare 'a topology twice' 3 'ftplan: --compare says which topologies there are; leave out --topology: torus' \
	--compare all --nodes 72 --topology torus
compare 'another form' 3 'ftplan: a comparison is written as text, csv, json or svg: bom' --compare all --nodes 72 --format bom
compare 'curves in words' 3 'ftplan: curves are written as csv, json or svg: add --format svg' --compare all --nodes 72..100
compare 'too fine a curve' 3 'ftplan: --nodes 1..1000..1 has 1000 numbers of nodes, and 400 are the most for a curve' \
	--compare all --nodes 1..1000..1 --format csv
compare 'something else too' 3 'ftplan: --compare and --alternatives do not go together' --compare all --alternatives 2 --nodes 72
compare 'a name' 3 'ftplan: this does not go with --compare: --name' --compare all --nodes 72 --name x

compare 'a bad figure' 3 'ftplan: "blocking" must be a number or a ratio such as "3:1"' --compare all --nodes 72 --blocking x
compare 'a bad number' 3 'ftplan: must be a whole number: --levels' --compare all --nodes 72 --levels two

compare 'a curve by steps' 0 '' --compare torus --nodes 100..200..50 --format csv
[ "$(cut -d, -f1 out | tr '\n' ' ')" = 'nodes 100 150 200 ' ] || not_ok 'each step' "$(cut -d, -f1 out)"
compare 'a range before --compare' 0 '' --nodes 100..1000 --compare torus --format csv
[ "$(wc -l <out)" = 26 ] || not_ok 'numbers in equal ratios' "$(cut -d, -f1 out)"
compare 'a short range' 0 '' --nodes 100..103 --compare torus --format csv
[ "$(wc -l <out)" = 5 ] || not_ok 'each number' "$(cut -d, -f1 out)"

compare 'curves' 0 '' --compare all --nodes 50..500..75 --format svg
mv out curves.svg
compare 'bars' 0 '' --compare all --nodes 200 --format svg
mv out bars.svg
compare 'one number for which nothing can be built' 0 '' --compare star,clos --nodes 200000 --format svg
mv out none.svg
for drawing in curves bars none; do
	python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' $drawing.svg 2>err ||
		not_ok "$drawing: well-formed" "$(tail -n 1 err)"
	if grep -nE 'nan|inf[^o]' $drawing.svg; then
		not_ok "$drawing: every number is one" "$(grep -nE 'nan|inf[^o]' $drawing.svg | head -n 3)"
	fi
done
[ "$(grep -c 'stroke-width="1.6"><path fill="none"' curves.svg)" -ge 40 ] || not_ok 'a curve each in four panels' ''
[ "$(grep -c 'fill-opacity' bars.svg)" -ge 40 ] || not_ok 'a bar each in four panels' ''

printf '%d failed\n' "$failed"
[ "$failed" = 0 ]
