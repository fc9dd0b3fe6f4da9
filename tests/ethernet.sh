#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Ethernet fabrics held against their plans: LLDP neighbours in every form, faults, ptmd's topology.dot, and the words.
# shellcheck source=tests/neighbours.sh
. "${FT_SRCDIR:-$(cd "$(dirname "$0")/.." && pwd)}/tests/neighbours.sh"
ftplan=$FT_BUILDDIR/ftplan
recorded=${FT_SHARED:-$src/../shared}/reference/topologies/lldp

# ---- leaves and spines ----

for form in '' json0 lines mac 'mac json0' 'domain=example.com' 'lines json0 domain=example.com'; do
	# shellcheck disable=SC2086
	neighbours links $form
	check plan.json
	row "all is there, as ${form:-json}" is 0
done
neighbours links silent=host1 silent=host2 silent=host3 silent=host4 silent=oob
check plan.json
row 'hosts need not tell anything' is 0
neighbours links silent=spine01
check plan.json
row 'a silent switch is one finding, and no cable is missing' is 1 'warning switch-mute'
row 'and is named' says 'spine01 is silent: what it sees was not recorded, and its cables are known from the other ends only'
neighbours links mute=spine01
check plan.json
row 'so is one that nobody hears' is 1 'warning switch-mute'
row 'in other words' says 'spine01 is silent: it hears its neighbors over 2 cables, and none of them hears it'
neighbours links silent=leaf01 silent=spine01
check plan.json
row 'a cable between two silent ones is not judged' is 1 'warning switch-mute' 'warning switch-mute' 'warning sweep-incomplete'

grep -v 'leaf02 swp3' links >pulled
neighbours pulled
check plan.json
row 'a pulled cable' is 1 'warning cable-missing'
row 'with the interfaces that it was in' says 'the cable between leaf02 swp3 and spine01 swp2 is missing'
neighbours pulled silent=spine01
check plan.json
row 'a pulled cable of a silent switch' is 1 'warning cable-missing' 'warning switch-mute'
{
	cat links
	echo leaf01 swp7 leaf01 swp8
} >looped
neighbours looped
check plan.json
row 'a loopback cable' is 1 'warning loopback'
row 'with its interfaces' says 'leaf01 is cabled to itself: swp7 to swp8'
sed 's/leaf02 swp3 spine01 swp2/leaf02 swp3 spine02 swp3/' links >moved
neighbours moved
check plan.json
row 'a cable that ends on the wrong switch' is 1 'warning cable-misplaced'
sed 's/spine02/stranger/' links >strange
neighbours strange
check plan.json
row 'a switch that was renamed' is 0 'info switch-replaced'
row 'is told by its name alone' says 'stranger stands in the place of spine02. Fix: if it was replaced, put its name into'
grep -v spine02 links >dead
neighbours dead
check plan.json
row 'a dead spine' is 2 'critical core-missing'
row 'by the interfaces that went dark' says 'ports that went dark: leaf01 swp4, leaf02 swp4'

neighbours pulled
"$ftcheck" --plan plan.json --from lldp/leaf01.json --save saved.json lldp/leaf02.json lldp/spine01.json lldp/spine02.json >first 2>&1
"$ftcheck" --plan plan.json --from saved.json >second 2>&1
cp second out
row 'a saved snapshot says the same' diff first second
"$ftcheck" --plan plan.json --from lldp/leaf01.json plan.json >out 2>&1
row 'a file that is no recording' says 'plan.json:1:1: these are no LLDP neighbours, which alone come in several files'
printf '{"lldp": {"interface": 5}}' >lldp/bad.json
"$ftcheck" --plan plan.json --from lldp/leaf01.json lldp/bad.json >out 2>&1
row 'a damaged one is named with its place' says 'lldp/bad.json:1:24: an interface with its neighbour was expected'

# ---- the Clos network of VLANs ----

printf '{"ftcheck": 1, "name": "clos", "technology": "ethernet", "nodes": 32, "edge": {"ports": 8}, "core": {"ports": 8}}' >clos.json
"$ftplan" clos.json --format cables | awk -F, 'NR > 1 { print $3, $11 == "host" ? "eth0" : "swp" $4, $7, "swp" $8 }' >clos.links
neighbours clos.links
check clos.json
row 'a Clos network as planned' is 0
sed -e 's/^edge001 swp5 /edge001 swpX /; s/^edge001 swp6 /edge001 swp5 /; s/swpX/swp6/' clos.links >swapped
neighbours swapped
check clos.json
row 'cables in each other'\''s VLAN are one finding' is 1 'warning cables-swapped'
row 'whose ports are not to be opened' says 'do not open core02 swp1 and edge001 swp5 before that: the cable joins the trees of VLAN 2 and VLAN 1'
sed -e '/^edge001 swp5 /d; s/^edge002 swp6 .*/edge002 swp6 edge001 swp5/' clos.links >joined
neighbours joined
check clos.json
row 'a cable between two L1 switches' says 'do not open edge001 swp5 and edge002 swp6 before that'
sed -e 's/^\(edge001 swp5 core01\) swp1/\1 swpX/; s/^\(edge002 swp5 core01\) swp2/\1 swp1/; s/swpX/swp2/' clos.links >harmless
neighbours harmless
check clos.json
row 'cables exchanged within a VLAN are a fault' is 1 'warning cables-swapped'
row 'but no storm' eval '! says "do not open"'

# ---- topology.dot ----

cat >site.dot <<-'END'
	/* made up */
	graph "site" {
		graph [hostidtype="hostname", version="1:0"];
		edge [dir=none];
		"leaf01":"swp3" -- "spine01":"swp1" [LLDP="match_type=ifname"];
		"leaf01":"swp4" -- "spine02":"swp1";
		# as a preprocessor leaves it
		leaf02:swp3 -- spine01:swp2; leaf02:swp4 -- spine02:swp2;
		"leaf01":"swp1" -- "host1":"eth0"; "leaf01":"swp2" -- "host2":"eth0";
		"leaf02":"swp1" -- "host3":"eth0"; "leaf02":"swp2" -- "host4":"eth0";
		"leaf01":"eth0" -- "oob":"swp1";
		"leaf01" [function="leaf"]; "spine01" [function="spine"];
	}
END
neighbours links
check site.dot
row 'topology.dot is a plan' is 0
sed -e 's/leaf02 swp3 spine01 swp2/leaf02 swp3 spine01 swp5/' links >port
neighbours port
check site.dot
row 'whose ports count' is 1 'warning cable-wrong-port'
row 'by their names' says 'the cable from leaf02 swp3 is in spine01 swp5, but belongs in spine01 swp2'
sed -e '/leaf02 swp2/d' links >fewer
neighbours fewer
check site.dot
row 'a host that is not there' is 0 'info hosts-missing'
sed -e 's/"leaf01":"swp4" -- "spine02":"swp1";/&\n"leaf02":"swp4" -- "spine02":"swp1"; "leaf01":"swp4" -- "spine02":"swp2";\n"leaf02":"swp7" -- "leaf02":"swp7";/' site.dot >twice.dot
neighbours links
check twice.dot
row 'a plan that contradicts itself' is 1 'warning plan-contradiction' 'warning plan-contradiction'
row 'says which ports it gives to whom' says 'leaf01 swp4 is given to spine02 swp1 and to spine02 swp2'
row 'and a cable from a port to itself' says 'leaf02 swp7 is given to itself'
sed -e '/leaf02 swp4/d' links >lost
neighbours lost
check twice.dot -v
row 'what is missing of these cables is a symptom' is 1 'warning plan-contradiction' 'warning plan-contradiction'
row 'of the contradiction' says 'so: the cable between spine02 and leaf02 is missing'
"$ftplan" twice.dot --format json >twice.json
check twice.json
row 'the design that it becomes says the same' is 1 'warning plan-contradiction' 'warning plan-contradiction'
while IFS='|' read -r text error; do
	printf '%b' "$text" >bad.dot
	"$ftplan" bad.dot >out 2>&1
	row "refused: $error" says "bad.dot:$error"
done <<'END'
graph G { a:b -- c:d|1:21: the closing "}" is missing
graph G { a -- b:c }|1:11: a cable without its ports
graph G { }|1:11: there is no cable
graph G { a-b:c -- d:e }|1:12: a name with "-" is to stand in quotes
graph G { "a:b -- c:d }|1:11: the closing quote is missing
graph G { a:b [x=y }|1:21: the closing "]" is missing
graph G a:b -- c:d|1:9: "{" was expected
graph G { a:b -- <c> }|1:18: this belongs to no graph of the DOT language
END

# ---- the words ----

# ib_words FILE: words that only InfiniBand has, in a text for people.
ib_words()
{
	grep -inwE 'LIDs?|GUIDs?|SMPs?|MADs?|SMA|HCAs?|CAs?|subnet manager|InfiniBand|channel adapters?|OpenSM|node description|sweep' "$1"
}

# json_words FILE: the same of all strings of a report that are no codes, ids or keys.
json_words()
{
	python3 - "$1" >words <<-'END'
		import json, sys
		def walk(value, key=""):
		    if isinstance(value, dict):
		        for k, v in value.items():
		            walk(v, k)
		    elif isinstance(value, list):
		        for v in value:
		            walk(v, key)
		    elif isinstance(value, str) and key not in ("id", "code", "guid"):
		        print(value)
		walk(json.load(open(sys.argv[1])))
	END
	ib_words words
}

for links in links pulled looped moved strange dead; do
	for form in '' silent=spine01 mute=spine02 'silent=leaf01 silent=spine01'; do
		# shellcheck disable=SC2086
		neighbours $links $form
		check plan.json -v --repair --after 1
		grep -v '^warning sweep-incomplete\|^    id ' out >text
		row "no word of InfiniBand: $links $form, text" eval '! ib_words text'
		check plan.json --format nagios
		cp out text
		row "no word of InfiniBand: $links $form, nagios" eval '! ib_words text'
		check plan.json --format json --repair
		row "no word of InfiniBand: $links $form, JSON" eval '! json_words out'
		check plan.json --switch leaf01
		sed 's/sweep-incomplete//' out >text
		row "no word of InfiniBand: $links $form, one switch" eval '! ib_words text'
	done
done
for links in swapped joined; do
	neighbours $links
	check clos.json -v --repair --after 1
	grep -v '^    id ' out >text
	row "no word of InfiniBand: $links" eval '! ib_words text'
done

# ---- recorded fabrics ----

# A fabric's recordings against the cabling that its builder wrote down, which contradicts itself.
recorded_row()
{
	local namespace=$1 loops=$2 lab=${1%%_*} want

	rm -rf lldp
	python3 "$src/tests/lldp.py" table lldp "$namespace" <"$recorded/suzieq-cndcn-live.csv"
	python3 "$src/tests/lldp.py" dot "$lab" <"$recorded/cndcn-plan.csv" >lab.dot
	check lab.dot
	[ "$(grep -c '^warning loopback' out)" = "$loops" ] && [ "$(grep -c '^info hosts-missing' out)" = 1 ] || return 1
	[ "$(grep -c 'exit01 swp1 is given to spine01 swp5 and to spine01 swp6' out)" = 1 ] || return 1
	# Nothing else, but that the switch "internet" is silent where edge01 is.
	want=0
	[ -f lldp/edge01.json ] || want=1
	[ "$(grep -c '^warning core-missing: internet' out)" = "$want" ] || return 1
	[ "$want" = 0 ] || grep -q '^info hosts-missing.*edge01' out || return 1
	! grep -E '^(critical|warning|info) ' out | grep -vE ' (plan-contradiction|loopback|hosts-missing|core-missing): '
}

if [ -f "$recorded/cndcn-plan.csv" ]; then
	for namespace in $(tail -n +2 "$recorded/suzieq-cndcn-live.csv" | cut -d, -f1 | sort -u); do
		loops=2
		case $namespace in *_evpn_*) loops=0 ;; esac
		row "recorded: $namespace" recorded_row "$namespace" "$loops"
	done
	for form in json json0; do
		"$ftcheck" --plan plan.json --from "$recorded/lldpd-1.0.16-one-neighbour.$form" "$recorded/lldpd-1.0.16-spine.$form" --format json >out 2>&1
		row "lldpd's own $form" says '"ethernet": true'
	done
	for form in keyvalue plain xml; do
		"$ftcheck" --plan plan.json --from "$recorded/lldpd-1.0.16-one-neighbour.$form" >out 2>&1
		row "lldpd's $form is no form that is read" says "record them with 'lldpcli show neighbors -f json'"
	done
	"$ftcheck" --plan plan.json --from "$recorded/lldpd-1.0.16-watch-deleted.json0" >out 2>&1
	row "nor is what lldpcli watch prints" says 'this is one change, as "lldpcli watch" prints it'
else
	echo 'ok - recorded fabrics # SKIP no recorded fabrics here'
fi

[ "$failed" = 0 ]
