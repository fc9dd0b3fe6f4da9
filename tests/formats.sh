#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# The forms of a plan that other programs read, read by those programs: ibdmchk and Slurm see the fabric of the plan.
set -u

ftplan=${FT_BUILDDIR:?}/ftplan
sample=${FT_SRCDIR:?}/etc/examples/sample.json
failed=0
ran=0

PATH=$PATH:/usr/sbin:/sbin
work=$(mktemp -d) || exit 99
slurmctld=''
controller=''
trap '[ -z "$slurmctld" ] || kill -KILL "$slurmctld" 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP

cd "$work" || exit 99

head='"ftcheck": 1, "name": "t \"1\" # x"'
printf '{%s, "nodes": 648, "edge": {"ports": 36}, "core": {"ports": 36}}' "$head" >large.json
printf '{%s, "nodes": 90, "blocking": 4, "edge": {"ports": 24}, "core": {"ports": 24}}' "$head" >uneven.json
printf '{%s, "nodes": 100, "topology": "fat-tree", "edge": {"ports": 40}, "core": {"ports": 40}}' "$head" >hdr.json
printf '{%s, "nodes": 100, "levels": 3, "topology": "fat-tree", "edge": {"ports": 10}, "spine": {"ports": 36}, "core": {"ports": 24}}' \
	"$head" >three.json
printf '{%s, "nodes": 40, "edge": {"ports": 36}, "core": {"ports": 36}, "bind": {"edge": ["leaf #1", "0x0002C903000000A5", "leaf;1"], "core": ["a b", "MF0;spine:SX6036/U1"]}}' \
	"$head" >names.json
printf '{%s, "nodes": 20, "topology": "star", "edge": {"ports": 36}}' "$head" >small.json
printf '{%s, "nodes": 1030, "topology": "star", "edge": {"ports": 2048}}' "$head" >star.json

ok()
{
	printf 'ok - %s\n' "$1"
}

not_ok()
{
	printf 'not ok - %s\n' "$1"
	shift
	printf '  %s\n' "$@"
	failed=$((failed + 1))
}

# ibdm WHAT DESIGN NODES HOPS:PAIRS...: ibdmchk sees that many nodes, and that many pairs of hosts that many hops apart;
# it finds every path, and no credit loop. (It crashes as it leaves, after its own samples too: its status says nothing.)
ibdm()
{
	local what=$1 design=$2 nodes=$3 found

	shift 3
	if ! "$ftplan" --format ibdm -o topo "$design" || ! "$ftplan" --format ibnl -o ibnl/ftplan.ibnl "$design"; then
		not_ok "$what: ftplan"
		return
	fi
	# The shell that sees it crash says so.
	(
		ulimit -c 0
		IBDM_IBNL_PATH=$work/ibnl timeout 60 ibdmchk -t topo -n node001/U1 -p 1 >out 2>&1
		exit 0
	) 2>/dev/null
	found=$(awk '/CA to CA : MIN HOP/ { on = 1 } on && /^ *[0-9]+ +[0-9]+$/ { printf "%s%d:%d", sep, $1, $2; sep = " " }
		on && sep && /^---/ { exit }' out)
	if grep -e '-E-' out >errors; then
		not_ok "$what" "$(head -n 3 errors)"
	elif ! grep -q "Defined $nodes/$nodes systems/nodes" out; then
		not_ok "$what" "$(grep Defined out)"
	elif [ "$found" != "$*" ]; then
		not_ok "$what" "hops: $found, expected $*"
	elif ! grep -q 'no credit loops found' out; then
		not_ok "$what" 'no word on credit loops'
	else
		ok "$what"
	fi
}

if command -v ibdmchk >/dev/null; then
	ran=1
	mkdir ibnl
	ibdm 'ibdm: 4 x 2 x 9' "$sample" 78 2:1224 4:3888
	ibdm 'ibdm: 36 x 18 x 1' large.json 702 2:11016 4:408240
	ibdm 'ibdm: uneven bundles' uneven.json 97 2:1550 4:6460
	ibdm 'ibdm: switches of 40 ports' hdr.json 108 2:1900 4:8000
	ibdm 'ibdm: three levels, three kinds of switches' three.json 132 2:400 4:950 6:8550
	ibdm 'ibdm: a star' small.json 21 2:380
	ibdm 'ibdm: odd names' names.json 45 2:624 4:936
else
	echo '# no ibdmchk'
fi

slurm_conf()
{
	cat >slurm.conf <<-EOF
		ClusterName=ftplan
		SlurmctldHost=$(uname -n | sed 's/\..*//')(127.0.0.1)
		SlurmctldPort=$((20000 + RANDOM % 30000))
		SlurmUser=$(id -un)
		SlurmdUser=$(id -un)
		AuthType=auth/none
		CredType=cred/none
		SlurmctldPidFile=$work/pid
		StateSaveLocation=$work/state
		TopologyPlugin=topology/tree
		SelectType=select/linear
		ProctrackType=proctrack/linuxproc
		NodeName=$1 NodeAddr=127.0.0.1
		PartitionName=all Nodes=ALL Default=YES
	EOF
}

# What the controller makes of topology.conf, in "shown"; false if it did not start, as its port may be taken.
slurm_topology()
{
	local end=$((SECONDS + 30)) seen=1

	rm -rf state
	mkdir state
	slurm_conf "$1"
	"$controller" -D >slurm.log 2>&1 </dev/null &
	slurmctld=$!
	while kill -0 "$slurmctld" 2>/dev/null && ((SECONDS < end)); do
		timeout 10 scontrol show topology >shown 2>/dev/null && seen=0 && break
		sleep 0.1
	done
	kill -KILL "$slurmctld" 2>/dev/null
	wait "$slurmctld" 2>/dev/null
	slurmctld=
	return "$seen"
}

# slurm WHAT DESIGN NODES LINE...: Slurm takes the topology of nodes NODES, without an error about it, and shows these
# lines among others; the switches of its last level have all nodes.
slurm()
{
	local what=$1 design=$2 nodes=$3 line attempt

	shift 3
	"$ftplan" --format slurm -o topology.conf "$design" || not_ok "$what: ftplan"
	for attempt in 1 2 3; do
		slurm_topology "$nodes" && break
		[ "$attempt" -lt 3 ] || not_ok "$what" "$(tail -n 5 slurm.log)"
	done
	if grep -i 'error.*\(topology\|switch\)' slurm.log >errors; then
		not_ok "$what" "$(head -n 3 errors)"
		return
	fi
	for line in "$@" "Nodes=$nodes"; do
		if ! sed 's/LinkSpeed=1 //; s/ *$//' shown | grep -qF -- "$line"; then
			not_ok "$what" "not shown: $line" "$(tail -n 3 shown)"
			return
		fi
	done
	ok "$what"
}

slurm_runs()
{
	controller=$(command -v slurmctld || command -v slurmctld-wlm) && command -v scontrol >/dev/null || return 1
	export SLURM_CONF=$work/slurm.conf
	echo 'SwitchName=one Nodes=node1' >topology.conf
	slurm_topology node1 || slurm_topology node1 || slurm_topology node1
}

if slurm_runs; then
	ran=1
	slurm 'slurm: 4 x 2 x 9' "$sample" 'node[001-072]' 'SwitchName=edge003 Level=0 Nodes=node[037-054]' \
		'SwitchName=core Level=1 Nodes=node[001-072] Switches=edge[001-004]'
	slurm 'slurm: three levels' three.json 'node[001-100]' 'SwitchName=edge020 Level=0 Nodes=node[096-100]' \
		'SwitchName=pod07 Level=1 Nodes=node[091-100] Switches=edge[019-020]' \
		'SwitchName=core Level=2 Nodes=node[001-100] Switches=pod[01-07]'
	slurm 'slurm: a star' star.json 'node[0001-1030]' 'SwitchName=edge001 Level=0 Nodes=node[0001-1030]'
	slurm 'slurm: odd names' names.json 'node[001-040]' 'SwitchName=leaf__1 Level=0 Nodes=node[001-018]' \
		'SwitchName=leaf_1 Level=0 Nodes=node[037-040]' \
		'SwitchName=core Level=1 Nodes=node[001-040] Switches=leaf__1,0x0002C903000000A5,leaf_1'
else
	echo '# no slurmctld that runs'
	! [ -s slurm.log ] || tail -n 3 slurm.log
fi

[ "$ran" = 1 ] || { echo "skipped: none of the programs that read these files"; exit 77; }
exit $((failed > 0))
