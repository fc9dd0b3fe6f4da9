#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Names of Ethernet ports in designs and recordings, networks without VLANs, and what else is cabled to the same machines.

# shellcheck source=tests/neighbours.sh
. "${FT_SRCDIR:-$(cd "$(dirname "$0")/.." && pwd)}/tests/neighbours.sh"
ftplan=$FT_BUILDDIR/ftplan

# ---- without VLANs ----

printf '{"ftcheck": 1, "name": "clos", "technology": "ethernet", "nodes": 32, "edge": {"ports": 8}, "core": {"ports": 8}}' >clos.json
"$ftplan" clos.json --format cables | awk -F, 'NR > 1 { print $3, $11 == "host" ? "eth0" : "swp" $4, $7, "swp" $8 }' |
	sed -e 's/^edge001 swp5 /edge001 swpX /; s/^edge001 swp6 /edge001 swp5 /; s/swpX/swp6/' >swapped
sed 's/"technology"/"vlans": false, "technology"/' clos.json >routed.json
neighbours swapped
check routed.json
row 'a network without VLANs' is 1 'warning cables-swapped'
row 'has none that a cable joins' eval '! says "do not open"'
check clos.json
row 'and one with them has' says 'do not open core02 swp1 and edge001 swp5 before that'
"$ftplan" routed.json --format vlans >out 2>&1
row 'without VLANs there are no tables' says 'routed.json: the design says that there are no VLANs: "vlans": false'

# ---- names of ports ----

cat >modular.json <<-'END'
	{"ftcheck": 1, "name": "modular", "technology": "ethernet", "vlans": false, "topology": "graph",
	 "switches": [{"name": "leaf[01-02]", "kind": "leaf", "ports": 8, "hosts": 2,
	               "interfaces": ["xe-0/0/[0-3]", "et-0/1/[0-3]"]},
	              {"name": "spine[01-02]", "kind": "spine", "ports": 4, "interfaces": "et-[0-1]/0/[0-1]"}],
	 "cables": [{"a": "leaf01", "a_port": 5, "b": "spine01", "b_port": 1}, {"a": "leaf01", "a_port": 6, "b": "spine02", "b_port": 1},
	            {"a": "leaf02", "a_port": 5, "b": "spine01", "b_port": 3}, {"a": "leaf02", "a_port": 6, "b": "spine02", "b_port": 3}]}
END
cat >modular <<-'END'
	leaf01 xe-0/0/0 host1 eth0
	leaf01 xe-0/0/1 host2 eth0
	leaf02 xe-0/0/0 host3 eth0
	leaf02 xe-0/0/1 host4 eth0
	leaf01 et-0/1/0 spine01 et-0/0/0
	leaf01 et-0/1/1 spine02 et-0/0/0
	leaf02 et-0/1/0 spine01 et-1/0/0
	leaf02 et-0/1/1 spine02 et-1/0/0
END
neighbours modular
check modular.json
row 'ports of several slots are told by their names' is 0
sed -e '/leaf01 et-0.1.0/d' modular >pulled
neighbours pulled
check modular.json
row 'one that is missing leaves the others theirs' is 1 'warning cable-missing'
row 'and is named as planned' says 'the cable between leaf01 et-0/1/0 and spine01 et-0/0/0 is missing'
sed -e 's,\(leaf02 et-0.1.1 spine02\).*,\1 et-1/0/1,' modular >moved
neighbours moved
check modular.json
row 'a wrong port too' is 1 'warning cable-wrong-port'
row 'by both names' says 'is in spine02 et-1/0/1, but belongs in spine02 et-1/0/0'
sed 's/et-0/Et0/g; s/et-1/Et1/g' modular >brief
sed 's/"et-\[0-1\]/"Ethernet[0-1]/; s/"et-0/"Ethernet0/' modular.json >long.json
neighbours brief
check long.json
row 'short forms of names are those names' is 0
# A switch whose ports are known by serial numbers only, as nobody reads its own names.
sed 's/spine01 et-0.0.0/spine01 501/; s/spine01 et-1.0.0/spine01 617/' modular >serial
neighbours serial silent=spine01
check modular.json
row 'ports of a silent switch are not wrong by a serial number' is 1 'warning switch-mute'
{
	printf 'graph G {\n'
	awk '{ printf "\"%s\":\"%s\" -- \"%s\":\"%s\"\n", $1, $2, $3, $4 }' modular
	printf '}\n'
} >modular.dot
for links in modular pulled moved; do
	neighbours $links
	check modular.dot
	sed -n '/^warning/p' out >by.dot
	check modular.json
	sed -n '/^warning/p' out >by.json
	row "topology.dot says the same: $links" diff by.dot by.json
done
neighbours modular
"$ftplan" --infer lldp/* -o inferred.json 2>out
check inferred.json
row 'a design inferred from several files is that of the fabric' is 0
cp inferred.json out
row 'and of Ethernet' says '"technology": "ethernet"'
row 'without VLANs' says '"vlans": false'
"$ftcheck" --plan inferred.json --from lldp/* --save before.json >out 2>&1
neighbours pulled
"$ftcheck" --since before.json --from lldp/* >out 2>&1
status=$?
row 'since a recording one cable is missing, and no other is in a wrong port' is 1 'warning cable-missing'
row 'by its names' says 'the cable between leaf01 et-0/1/0 and spine01 et-0/0/0 is missing'
cp out since
"$ftcheck" --from lldp/* --since before.json >out 2>&1
row 'files of neighbors need not come last' diff since out
"$ftcheck" --plan inferred.json >out 2>&1
row 'without a recording there is nothing to look at' says 'the plan is of Ethernet switches: add --from'
"$ftcheck" --plan inferred.json --from lldp/* --routes >out 2>&1
row 'forwarding tables are of InfiniBand' says 'ftplan --walk follows the tables of these'

while IFS='|' read -r change error; do
	sed "$change" modular.json >bad.json
	"$ftplan" bad.json >out 2>&1
	row "refused: $error" says "$error"
done <<'END'
s#"et-0/1/\[0-3\]"#"et-0/1/[0-9]"#|bad.json:3:30: "interfaces" are 14, but "ports" is 8
s#"et-0/1/\[0-3\]"#"xe-0/0/2"#|bad.json:3:30: "interfaces" has "xe-0/0/2" twice
s#"technology": "ethernet", "vlans": false, ##|bad.json:3:30: "interfaces" is of Ethernet: "technology": "ethernet" is missing
END

# ---- what else is cabled to these machines ----

{
	cat links
	echo host1 eno2 oob swp11
	echo host2 eno2 oob swp12
	echo host3 eno2 oob swp13
	echo oob swp40 gateway swp1
} >managed
neighbours managed
check plan.json
row 'the network that hosts are managed by is another one' is 0
row 'and none of its hosts counts twice' says '4 of 4 hosts'
sed 's/oob swp40 gateway swp1/oob swp40 leaf01 swp8/' managed >bridged
neighbours bridged
check plan.json
row 'unless it is cabled to a planned switch' is 1 'warning switch-unplanned'
neighbours links
printf '{"lldp": {}}\n' >lldp/spine01.json
check plan.json
row 'a switch that hears nobody' is 1 'warning switch-mute'
row 'is one finding' says 'spine01 hears nobody: its neighbors hear it over 2 cables'

[ "$failed" = 0 ]
