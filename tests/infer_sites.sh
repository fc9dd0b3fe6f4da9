#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# ftplan --infer on what sites build, FT_RUNS rounds of each from FT_SEED on: large fabrics as they are in production, the
# habits of sites, and fabrics that are no plain trees.
set -u

runs=${FT_RUNS:-120}

# shellcheck source=tests/process.sh
. "$FT_SRCDIR/tests/process.sh"

python3 "$FT_SRCDIR/tests/infer_graphs.py" --rounds "$runs"
result "random fabrics that are no plain trees" $?

python3 "$FT_SRCDIR/tests/infer_production.py" --rounds "$runs"
result "large fabrics as they are found in production" $?

# What bit: management switches in a chain, a pair of storage switches, a leaf behind a director or two boards, a port left
# out of a bundle, one port that all leaves leave free, directors by their chips, an old island, cores with hosts, routers, a pod without
# its spine.
for round in 24:110 24:255 25:16 25:81 31:51 31:65 41:68 41:89 41:157 41:174 42:75 42:196 51:123 61:53 61:149 71:148 82:91 82:174 89:162 90:67 92:156 93:125 31337:85; do
	python3 "$FT_SRCDIR/tests/infer_production.py" --replay "$round"
	result "round $round of these" $?
done
python3 "$FT_SRCDIR/tests/infer_graphs.py" --replay 77:192
result "a round of no tree, in which nothing is missing" $?

python3 "$FT_SRCDIR/tests/infer_habits.py" --rounds "$runs" --healthy --kinds \
	director_core,frontera,split_ports,paired_leafs,half_pod,third_spine,services,two_rails,rails_ai,blades,cascaded
result "healthy fabrics by the habits of sites" $?
python3 "$FT_SRCDIR/tests/infer_habits.py" --rounds "$runs"
result "and with faults" $?
python3 "$FT_SRCDIR/tests/infer_habits.py" --replay mesh_2d:6
result "a mesh with a dark end has the same findings with other GUIDs" $?
for round in split_ports:3228 services:3312 half_pod:3000; do
	python3 "$FT_SRCDIR/tests/infer_habits.py" --replay "$round"
	result "the same findings with other GUIDs: $round" $?
done
# Islands that have no core switch in common, a host beside routers on the spines, a trunk between
# directors, long cables at other rates.
for round in pruned_islands:6 pruned_islands:10 routers:10 director_pair:2 two_sites:2 border_leafs:3314 chain:3027; do
	python3 "$FT_SRCDIR/tests/infer_habits.py" --healthy --replay "$round"
	result "healthy: $round" $?
done

# A leaf for logins with a share of each bundle, and long cables slower than all others.
for round in login_leaf:3027 login_leaf:3216 two_sites:3115; do
	python3 "$FT_SRCDIR/tests/infer_habits.py" --replay "$round"
	result "with faults: $round" $?
done

# Directors of which one has fewer line boards than others, or in other slots, and cables that are missing or swapped.
for round in director_core:6 director_core:113 frontera:3 frontera:124; do
	python3 "$FT_SRCDIR/tests/infer_habits.py" --replay "$round"
	result "directors of unlike size: $round" $?
done

[ "$failed" = 0 ]
