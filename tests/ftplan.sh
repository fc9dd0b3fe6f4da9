#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# ftplan as a process: its exit status, its one line on a failure, and that nothing is written then.
set -u

ftplan=${FT_BUILDDIR:?}/ftplan
sample=${FT_SRCDIR:?}/etc/examples/sample.json

work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
cp "$sample" good.json
printf '{"ftcheck": 1, "name": "t",\n "nodse": 72}\n' >key.json
printf '{"ftcheck": 1, "name": "t", "nodes": 648, "edge": {"ports": 36}, "core": {"ports": 648}}' >director.json

# shellcheck source=tests/process.sh
. "$FT_SRCDIR/tests/process.sh"

run 'a design' 0 '' "$ftplan" good.json
grep -q '^Edge: 4 switches of 36 ports' out || not_ok 'the plan in words' "$(cat out)"
run 'a rate' 0 '' "$ftplan" good.json
grep -q '^Bisection: 36 cables, 7200 Gb/s each way at 4xHDR' out || not_ok 'HDR is 200 Gb/s' "$(grep Bisection out)"
run 'as JSON' 0 '' "$ftplan" --format=json good.json
run 'as a network' 0 '' "$ftplan" --format ibsim good.json
run 'an unknown key' 3 'key.json:2:2: unknown key "nodse"; did you mean "nodes"?' "$ftplan" key.json
run 'no such file' 3 'none.json: No such file or directory' "$ftplan" none.json
run 'a directory' 3 '.: Is a directory' "$ftplan" .
run 'an empty standard input' 3 '-:1:1: the file is empty: a design is one JSON object' "$ftplan" -
run 'no design' 3 'ftplan: a design file or --nodes is missing' "$ftplan"
run 'two designs' 3 'ftplan: one design file is enough: other.json' "$ftplan" good.json other.json
run 'an unknown format' 3 \
	'ftplan: --format takes text, json, csv, cables, bom, svg, dot, ibsim, ibdm, ibnl, slurm, opensm, opensm-cn, vlans, macs, linux-bridge, openvswitch or switch-settings: png' \
	"$ftplan" --format png good.json
for format in text json csv cables bom svg dot ibsim ibdm ibnl slurm; do
	run "--format $format" 0 '' "$ftplan" --format "$format" good.json
	[ -s out ] || not_ok "--format $format" 'nothing was written'
done

# Without a file, and what goes with what.
run 'from options alone' 0 '' "$ftplan" --nodes 600 --nodes-max 700 --blocking 2:1 --objective size_u --name x --format json
grep -q '"nodes_max": 700' out || not_ok 'the design of the options' "$(head -n 9 out)"
mv out options.json
run 'and again from its file' 0 '' "$ftplan" --format json options.json
cmp -s out options.json || not_ok 'the same plan without the catalog' "$(diff out options.json | head -n 3)"
run 'a curve' 0 '' "$ftplan" --nodes 1..100..9 --format csv
[ "$(wc -l <out)" = 13 ] || not_ok 'a row for every ninth' "$(cat out)"
run 'a curve of a design' 0 '' "$ftplan" --nodes 60..80 --format csv good.json
run 'a curve beyond its largest' 0 '' "$ftplan" --nodes 209952..209953 --format csv
grep -q '^209953,209953,none,,,,,,,,,,,,,,,,$' out || not_ok 'none where no design exists' "$(cat out)"
run 'a curve in words' 3 'ftplan: --nodes A..B is written as CSV only: add --format csv' "$ftplan" --nodes 1..5
for bad in 0 1..0 5..1 1..5..0 1.. x 1..5x 1000001; do
	run "--nodes $bad" 3 "ftplan: --nodes takes N, A..B or A..B..STEP, from 1 to 1000000: $bad" \
		"$ftplan" --nodes "$bad" --format csv
done
run 'an option beside a file' 3 'ftplan: with a design file, this belongs into it: --blocking' \
	"$ftplan" --blocking 2 good.json
run 'no number' 3 'ftplan: must be a whole number: --nodes-max' "$ftplan" --nodes 5 --nodes-max '1}'
run 'a bad ratio' 3 'ftplan: "blocking" must be a number or a ratio such as "3:1"' "$ftplan" --nodes 5 --blocking x
run 'too much for any switch' 3 \
	'ftplan: nothing fits: of 132 combinations of switches, 132 cannot connect nodes 209953 (the largest connects 209952: Mellanox SX6536 (with 648 ports) + Mellanox SX6536 (with 648 ports))' \
	"$ftplan" --nodes 209953
run 'the largest' 0 '' "$ftplan" --nodes 209952 --format csv
run 'no such catalog' 3 'none.cat: there is no such file, and the built-in catalogs are mellanox-fdr-2013, hp-blade-fdr-2013, infiniband' "$ftplan" --catalog none.cat --nodes 5

# Choices.
run 'alternatives' 0 '' "$ftplan" --nodes 600 --alternatives 3
[ "$(grep -c '' out)" = 22 ] || not_ok 'a row for each figure' "$(cat out)"
[ "$(tail -n 1 out)" = 'Costs are in USD (prices of December 2013).' ] || not_ok 'the currency' "$(tail -n 1 out)"
run 'cables of a design' 0 '' "$ftplan" --nodes 300 --topology torus --alternatives 1
grep -qx '  to nodes *300' out || not_ok 'cables to nodes' "$(grep -A2 cables out)"
grep -qx '  on *180' out || not_ok 'cables between switches' "$(grep -A2 cables out)"
run 'the bill of a network with spines' 0 '' "$ftplan" --nodes 300 --topology dragonfly+ --format bom
if grep unknown out; then not_ok 'spines have a model, and so a price' "$(cat out)"; fi
run 'the bill by lengths' 0 '' "$ftplan" --nodes 300 --topology torus --format bom \
	--catalog "$FT_SRCDIR/etc/catalog/slim-fly-2014.json"
grep -qx 'switch,switch,router of 20 ports,30,6115.7,183471,1680,,30,weight unknown' out ||
	not_ok 'a switch by its ports: 350.4 * 20 - 892.3, and 2.8 W each' "$(head -n 2 out)"
grep -qx 'cable,host,2 m electric,[0-9]*,55.716,[0-9.]*,,,,' out ||
	not_ok 'a cable by its length: 23.084 + 2 * 16.316' "$(grep host out)"
grep -q 'in USD (prices of 2014); the plan.s cost is 183471, without cables' out || not_ok 'the sum' "$(tail -n 1 out)"
run 'alternatives as CSV' 0 '' "$ftplan" --nodes 600 --alternatives 3 --format csv
[ "$(wc -l <out)" = 4 ] || not_ok 'three designs' "$(cat out)"
run 'a Pareto front' 0 '' "$ftplan" --nodes 600 --pareto cost,size_u
grep -q '^Costs are in USD' out || not_ok 'the currency of a front' "$(cat out)"
grep -q '^640880  *52  *34 x Mellanox SX6036' out || not_ok 'the cheapest is on it' "$(cat out)"
grep -q '^651550  *31  *1 x Mellanox SX6536' out || not_ok 'the smallest is on it' "$(cat out)"
run 'a front of one figure' 3 \
	'ftplan: --pareto takes two different figures out of cost, power_w, size_u, weight_kg, switches, cables, links, blocking, spare_ports, expandable_to, clos, edge_count, spine_count, core_count, ports_to_nodes, ports_to_core, bundle, such as cost,power_w: cost' \
	"$ftplan" --nodes 600 --pareto cost
run 'stages' 0 '' "$ftplan" --stages 200,400,600
grep -q '^Costs are in USD' out || not_ok 'the currency of stages' "$(cat out)"
grep -q '^No laid cable moves: each of the 1230 cables' out || not_ok 'no cable moves' "$(cat out)"
run 'a front without costs' 0 '' "$ftplan" --nodes 600 --pareto power_w,size_u
! grep -q 'USD' out || not_ok 'no currency where there is no cost' "$(cat out)"
run 'a plan with its cost' 0 '' "$ftplan" --nodes 600
grep -q '^Figures: 640880 USD for switches and cables (prices of December 2013), ' out || not_ok 'the currency' "$(grep Figures out)"
run 'a bill' 0 '' "$ftplan" --nodes 600 --format bom
grep -q '^total,,switches and cables,.*,in USD (prices of December 2013)$' out || not_ok 'the currency of a bill' "$(tail -n 1 out)"
run 'without a price' 0 '' "$ftplan" --nodes 600 --catalog infiniband --alternatives 2
! grep -q 'Costs are' out || not_ok 'no currency where none is known' "$(cat out)"
run 'stages that fall' 3 'ftplan: --stages takes rising numbers of nodes, such as 200,400,600: 5,4' "$ftplan" --stages 5,4
run 'throughput' 0 '' "$ftplan" --nodes 72 --topology torus --throughput --gap 0.02 --seed 7
grep -q '^  all-to-all  *[01][.][0-9]* ' out || not_ok 'the throughput of all to all' "$(cat out)"
grep -q '^  permutation .*; seed 7$' out || not_ok 'the seed of a permutation' "$(cat out)"
run 'throughput of a tree that does not block' 0 '' "$ftplan" --nodes 72 --throughput=worst-matching --format json
grep -q '"traffic": "worst-matching", "value": 1, "bound": 1, "gap": 0, ' out || not_ok 'a tree has all' "$(cat out)"
run 'throughput of one host' 3 'ftplan: throughput is of two hosts or more' "$ftplan" --nodes 1 --topology star --throughput
run 'traffic that is unknown' 3 \
	'ftplan: --throughput takes all-to-all, permutation, worst-matching, or several of them with commas: all' \
	"$ftplan" --nodes 72 --throughput=all
run 'no gap at all' 3 'ftplan: --gap takes a share from 0.001 to 0.5, such as 0.01: 0' \
	"$ftplan" --nodes 72 --throughput --gap 0
run 'a seed for nothing' 3 'ftplan: --seed goes with --throughput and --workload' "$ftplan" --nodes 72 --seed 3
run 'throughput as a drawing' 3 'ftplan: throughput is written as text or json: svg' \
	"$ftplan" --nodes 72 --throughput --format svg
run 'choices as a drawing' 3 'ftplan: several designs are written as text or csv: svg' \
	"$ftplan" --nodes 600 --alternatives 2 --format svg

# A graph: in every form but those of trees, and nothing to choose.
printf '{"ftcheck": 1, "name": "t", "topology": "graph",\n"switches": [{"name": "s[1-4]", "ports": 8, "hosts": 2}],\n%s' \
	'"links": [{"a": "s[1-4]", "b": "s[1-4]", "count": 2}]}' >graph.json
for format in text json csv cables bom svg dot ibsim ibdm ibnl slurm; do
	run "a graph, --format $format" 0 '' "$ftplan" --format "$format" graph.json
	[ -s out ] || not_ok "a graph, --format $format" 'nothing was written'
done
echo '{"ftcheck": 1, "name": "t", "topology": "torus", "dims": [4, 6], "nodes": 48, "edge": {"ports": 36}}' >torus.json
sed 's/48/24/; s/36/36, "ports_to_nodes": 1/' torus.json >single.json
run 'a torus of single hosts for Slurm' 3 \
	"single.json: this network is no tree for Slurm's topology/tree, and with a single host on a switch it has no blocks for topology/block" \
	"$ftplan" --format slurm single.json
run 'a torus for OpenSM' 3 \
	'torus.json: the GUID of "sw-0-0" is not known, and torus-2QoS wants those of a switch and its neighbours: give a snapshot or dump of the fabric with --from, or bind the GUIDs (bind.edge)' \
	"$ftplan" --format opensm torus.json
run 'a graph for OpenSM' 0 '' "$ftplan" --format opensm graph.json
grep -qx 'routing_engine dfsssp,nue,no_fallback' out || not_ok 'an engine for a graph' "$(cat out)"
for choice in '--alternatives 2' '--pareto switches,cables' '--stages 8,16'; do
	# shellcheck disable=SC2086 # two words
	run "a graph with $choice" 3 \
		'graph.json: the topology is a graph, whose switches are given: there is nothing to choose' \
		"$ftplan" $choice graph.json
done
run 'a curve of a graph' 3 \
	'graph.json: the topology is a graph, whose switches are given: there is nothing to choose' \
	"$ftplan" --nodes 1..5 --format csv graph.json
"$ftplan" --format ibsim graph.json >graph.net || not_ok 'a network of a graph' "$(cat graph.net)"
run 'the engine for a graph in a fabric' 0 '' "$ftplan" --format opensm --from graph.net graph.json
grep -qx 'routing_engine dfsssp,nue,no_fallback' out || not_ok 'an engine for a graph' "$(cat out)"
run 'a fabric against its graph' 0 '' "${FT_BUILDDIR:?}/ftcheck" --plan graph.json --from graph.net
grep -q '; nothing to report$' out || not_ok 'nothing to report of a graph' "$(cat out)"
run 'hosts of a graph in a fabric' 0 '' "$ftplan" --format opensm-cn --from graph.net graph.json
[ "$(grep -c '^0x' out)" = 8 ] || not_ok '8 hosts' "$(cat out)"
"$ftplan" --format cables graph.json >sheet.csv || not_ok 'a list of cables' "$(cat sheet.csv)"
run 'a graph with its list of cables' 0 '' "$ftplan" --cables sheet.csv --format json graph.json
mv out listed.json
run 'that is a design again' 0 '' "$ftplan" --format cables listed.json
cmp -s out sheet.csv || not_ok 'the same cables' "$(diff out sheet.csv | head -n 5)"
printf 'a,b,count\ns1,s[2-4],2\n' >links.csv
sed 's/"links": .*/"links_file": "links.csv"}/' graph.json >file.json
run 'links of a file' 0 '' "$ftplan" file.json
grep -q '^Cables: 14 = 8 to nodes + 6 between switches' out || not_ok 'cables of the file' "$(cat out)"
printf 'a,b,count\ns1,s9,2\n' >links.csv
run 'a wrong name in a file' 3 \
	'file.json:3:15: "links_file" is links.csv:2:4: "b" names "s9", which is not in "switches"' "$ftplan" file.json

# Classes are of a fabric as built.
printf '{"ftcheck": 1, "name": "t", "nodes": 408, "edge": {"ports": 36, "count": 24, "ports_to_nodes": 18, %s' \
	'"ports_to_core": 9}, "core": {"ports": 254, "count": 2}, "classes": [{"count": 4, "hosts": 12, "bundle": [10, 8]}]}' \
	>classes.json
for format in text json csv cables bom svg dot ibsim ibdm ibnl slurm; do
	run "classes, --format $format" 0 '' "$ftplan" --format "$format" classes.json
	[ -s out ] || not_ok "classes, --format $format" 'nothing was written'
done
run 'classes in words' 0 '' "$ftplan" classes.json
grep -q '^Unlike the rest: edge021 to edge024: 36 ports, 12 nodes, 18 cables up in bundles of 10 and 8, each\.$' out ||
	not_ok 'the words for classes' "$(cat out)"
run 'stages with classes' 3 \
	'classes.json: classes are the last switches of their tier as built: no stages can be planned with them' \
	"$ftplan" --stages 100,408 classes.json
run 'a curve with classes' 0 '' "$ftplan" --nodes 47..49 --format csv classes.json
[ "$(cut -d, -f 1,3,5 out | tr '\n' ' ')" = 'nodes,topology,edge_count 47,none, 48,fat-tree,24 49,fat-tree,24 ' ] ||
	not_ok 'no fewer nodes than those of classes' "$(cat out)"

# The GUID files of OpenSM need GUIDs.
run 'no GUIDs' 3 \
	"good.json: \"core01\" is not bound by GUID (bind.core), and OpenSM's root GUID file needs that: give a snapshot or dump of the fabric with --from, or the GUIDs" \
	"$ftplan" --format opensm good.json
run 'no GUIDs of hosts' 3 \
	'good.json: the GUIDs of hosts are in no design: give a snapshot or dump of the fabric with --from' \
	"$ftplan" --format opensm-cn good.json
"$ftplan" --format ibsim good.json >good.net || not_ok 'a network' "$(cat good.net)"
run 'roots of a fabric' 0 '' "$ftplan" --format opensm --from good.net good.json
[ "$(grep -c '^0x' out)" = 2 ] || not_ok 'two roots' "$(cat out)"
run 'hosts of a fabric' 0 '' "$ftplan" --format opensm-cn --from good.net good.json
[ "$(grep -c '^0x' out)" = 72 ] || not_ok '72 hosts' "$(cat out)"
# A root list that lacks one: not without a word.
guid=$(sed -n 's/^Switch.*"\(S-[0-9a-f]*\)".*# "core01".*/\1/p' good.net)
awk -v RS= -v ORS='\n\n' -v name="# \"core01\" base" 'index($0, name) == 0' good.net | grep -v "\"$guid\"" >less.net
run 'a root that is not there' 3 \
	'less.net: core01 was not found in the fabric: repair it first, or bind its GUID' \
	"$ftplan" --format opensm --from less.net good.json
sed 's/^{/{"bind": {"core": ["0x100005", "0x100006"]},/' good.json >bound.json
run 'a root that is not there, and bound' 0 '' "$ftplan" --format opensm --from less.net bound.json
[ "$(grep -c '^0x000000000010000[56]' out)" = 2 ] || not_ok 'both roots' "$(cat out)"
run 'hosts on directors' 3 \
	'director.json: the plan has core switches of 648 ports: directors, and to OpenSM each of their chips is a switch of its own' \
	"$ftplan" --format opensm-cn --from good.net director.json
run 'GUIDs for a drawing' 3 'ftplan: --from goes with --cables, with --format opensm and opensm-cn, and with the tables of Ethernet switches: good.net' \
	"$ftplan" --format svg --from good.net good.json

# A site's list of cables.
ftcheck=${FT_BUILDDIR:?}/ftcheck sheets=${FT_SRCDIR:?}/tests/data/sheets
run 'a list of cables' 0 '' "$ftplan" --cables "$sheets/labels.csv" --format json good.json
cp out imported.json
run 'what it became' 0 '' "$ftplan" --format json imported.json
cmp -s out imported.json || not_ok 'the same again' "$(diff imported.json out | head -n 5)"
run 'its network' 0 '' "$ftplan" --format ibsim imported.json
cp out imported.net
run 'is as listed' 0 '' "$ftcheck" --plan good.json --cables "$sheets/labels.csv" --from imported.net
run 'and as imported' 0 '' "$ftcheck" --plan imported.json --from imported.net
run 'another list of the same' 0 \
	"$sheets/racks.csv: 72 cables between switches, 72 hosts; passed over: 4 rows of other networks (lines 42, 81, 120, 159), 1 row with one end only (line 41)" \
	"$ftplan" --cables "$sheets/racks.csv" --from imported.net --format cables good.json
sort out >racks.cables
run 'the cables of the first' 0 '' "$ftplan" --format cables imported.json
sort out | cmp -s - racks.cables || not_ok 'both give the same cables' "$(sort out | diff - racks.cables | head -n 5)"
printf 'a,a_port,b,b_port\nedge001,40,core01,1\n' >bad.csv
run 'a port too many' 3 'bad.csv:2:9: "40" is 40, but edge001 has 36 ports' "$ftplan" --cables bad.csv good.json
run 'to ftcheck too' 3 'bad.csv:2:9: "40" is 40, but edge001 has 36 ports' \
	"$ftcheck" --plan good.json --cables bad.csv --from good.net
run 'no such list' 3 'none.csv: No such file or directory' "$ftplan" --cables none.csv good.json
run 'a list for many plans' 3 'ftplan: --cables goes with one plan: bad.csv' \
	"$ftplan" --cables bad.csv --nodes 1..9 --format csv
run 'two standard inputs' 3 'ftplan: --cables and the design cannot both be standard input' "$ftplan" --cables - -

# The other way round.
run 'a design inferred' 0 '' "$ftplan" --infer good.net --name again
grep -q '"name": "again"' out || not_ok 'its name' "$(head -n 4 out)"
mv out again.json
run 'and planned' 0 '' "$ftplan" again.json
grep -q '^Edge: 4 switches of 36 ports' out || not_ok 'the same edges' "$(cat out)"
run 'inferred from a design' 3 '' "$ftplan" --infer good.json

printf '{"ftcheck": 1, "name": "a", "topology": "torus", "dims": [5], "edge": {"ports": 36, "ports_to_nodes": 3}}' >ring.json
workload()
{
	run "workloads: $1" 3 "$2" "$ftplan" ring.json --workload "${@:3}"
}
known='all-to-all, binary-tree, butterfly, near-neighbor, n-bodies and random:W'
workload 'an unknown one' "ftplan: --workload: there is no workload \"nbodies\"; there are $known" all-to-all,nbodies
workload 'none' "ftplan: --workload: there is no workload \"\"; there are $known" all-to-all,
workload 'a wave of one that has none' "ftplan: --workload: there is no workload \"n-bodies:3\"; there are $known" n-bodies:3
waves='ftplan: --workload: random takes the length of its waves, from 1 to 40000 messages: random:200'
workload 'no wave' "$waves" random
workload 'a wave of 0' "$waves" random:0
workload 'a wave that is too long' "$waves" random:40001
workload 'a wave that is no number' "$waves" random:1x
workload 'an unknown routing' 'ftplan: --routing takes static, adaptive or minimal: best' n-bodies --routing best
workload 'a placement' \
	'ftplan: --placement takes auto, consecutive or a block such as 5x4, or two of them: 5x4,consecutive: 5x' \
	n-bodies --placement 5x
workload 'a placement that does not fit' 'ring.json: placement 5x4 takes 20 hosts on each switch that has any; here they differ: use --placement consecutive' \
	n-bodies --placement 5x4
workload 'two placements for one network' 'ftplan: two placements go with --against: the second one is that of the other network: --placement' \
	n-bodies --placement consecutive,consecutive
workload 'a latency' 'ftplan: --switch-latency takes nanoseconds, from 0 to 1000000000: -1' n-bodies --switch-latency=-1
workload 'an overhead' 'ftplan: --host-overhead takes nanoseconds, from 0 to 1000000000: 1us' n-bodies --host-overhead 1us
workload 'a seed' 'ftplan: --seed takes a number from 0 to 999999999: x' random:1 --seed x
workload 'a drawing' 'ftplan: workloads are written as text, json or csv: svg' n-bodies --format svg
workload 'a network of another size' 'good.json: a has 15 hosts and sample 72: a workload takes as many on both' \
	n-bodies --against good.json
workload 'another work' 'ftplan: --workload and --stages do not go together' n-bodies --stages 10,20
run 'workloads: an option without them' 3 'ftplan: this goes with --workload: --routing' "$ftplan" ring.json --routing static
run 'workloads: one host' 3 'ftplan: n-bodies takes 3 hosts or more; there is 1' "$ftplan" --nodes 1 --topology star --workload n-bodies
run 'workloads: without a design file' 0 '' "$ftplan" --nodes 12 --topology ring --workload n-bodies,butterfly --placement 1x12
run 'an unknown option' 3 'ftplan: there is no option --fromat (did you mean --format?)' "$ftplan" --fromat json good.json
run 'a director in a network file' 0 '' "$ftplan" --format ibsim director.json
[ "$(grep -c '^Switch' out)" = 90 ] || not_ok 'its chips' "$(grep -c '^Switch' out)"
run 'a directory that is not there' 3 'none/plan.txt: No such file or directory' "$ftplan" -o none/plan.txt good.json
if [ -c /dev/full ]; then
	run 'a full disk' 3 '/dev/full: No space left on device' "$ftplan" -o /dev/full good.json
fi

# The old file stays until there is a new one, and nothing is left beside it.
echo old >plan.txt
run 'a bad design to a file' 3 'key.json:2:2: unknown key "nodse"; did you mean "nodes"?' "$ftplan" -o plan.txt key.json
[ "$(cat plan.txt)" = old ] || not_ok 'the old file stays' "$(cat plan.txt)"
umask 027
run 'a good design to a file' 0 '' "$ftplan" --output plan.txt good.json
grep -q '^sample: a plan for 72 nodes' plan.txt || not_ok 'the new file' "$(cat plan.txt)"
run 'a good design to a new file' 0 '' "$ftplan" --output new.txt good.json
[ "$(stat -c %a new.txt)" = 640 ] || not_ok 'its mode follows the umask' "$(stat -c %a new.txt)"
chmod 600 plan.txt
ln -s plan.txt link.txt
run 'a link to a file' 0 '' "$ftplan" -o link.txt options.json
[ -L link.txt ] || not_ok 'the link stays one' "$(ls -l)"
grep -q '^x: a plan for 600 nodes' plan.txt || not_ok 'what it leads to is new' "$(head -n 1 plan.txt)"
[ "$(stat -c %a plan.txt)" = 600 ] || not_ok 'a file keeps its mode' "$(stat -c %a plan.txt)"
# Of another's file, too: root keeps its owner and group, and who may only write it writes it over.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	chown 65534:65533 plan.txt
	run 'root, a file of another' 0 '' "$ftplan" -o link.txt good.json
	[ "$(stat -c '%u:%g %a' plan.txt)" = '65534:65533 600' ] ||
		not_ok 'it stays the file of another' "$(stat -c '%u:%g %a' plan.txt)"
	grep -q '^sample: a plan for 72 nodes' plan.txt || not_ok 'and is the new plan' "$(head -n 1 plan.txt)"
	mkdir shared
	chmod 777 shared .
	cp -p plan.txt shared/plan.txt
	chown 65532:65532 shared/plan.txt
	chmod 666 shared/plan.txt
	run 'one who may write it, a file of another' 0 '' setpriv --reuid 65531 --regid 65531 --clear-groups \
		"$ftplan" -o "$PWD/shared/plan.txt" --nodes 600
	[ "$(stat -c '%u:%g %a' shared/plan.txt)" = '65532:65532 666' ] ||
		not_ok 'it stays the file of another as well' "$(stat -c '%u:%g %a' shared/plan.txt)"
	grep -q 'a plan for 600 nodes' shared/plan.txt || not_ok 'and is the new plan as well' "$(head -n 1 shared/plan.txt)"
	[ "$(ls shared)" = plan.txt ] || not_ok 'nothing is left beside it there' "$(ls shared)"
fi
run 'to standard output' 0 '' "$ftplan" -o - good.json
if [ ! -s out ] || [ -e ./- ]; then not_ok 'standard output is no file' "$(ls)"; fi
[ -z "$(find . -name 'plan.txt?*')" ] || not_ok 'nothing is left beside it' "$(ls)"

exit $((failed > 0))
