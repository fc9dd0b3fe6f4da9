/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Families of networks: their parameters, and the graph that these make. Each row is a design and what is true of its
 * plan; distances are found by breadth-first search, apart from all that the families know.
 */
#include "tests/families.h"

static const struct family_row rows[] = {
	/* Grids: switches, cables between switches, diameter, the most cables of a switch. */
	{"\"topology\": \"torus\", \"dims\": [4, 6], \"bundle\": 4, \"edge\": {\"ports\": 36}", "4x6", 24, 192, 5, 16,
	 480},
	{"\"topology\": \"torus\", \"dims\": [2, 3], \"bundle\": 4, \"edge\": {\"ports\": 36}", "2x3", 6, 48, 2, 16,
	 120},
	{"\"topology\": \"torus\", \"dims\": [5, 5, 5, 5], \"bundle\": 1, \"edge\": {\"ports\": 10}", "5x5x5x5", 625,
	 2500, 8, 8, 1250},
	{"\"topology\": \"torus\", \"dims\": [4, 4, 4], \"edge\": {\"ports\": 36}", "4x4x4", 64, 576, 6, 18, 1152},
	{"\"topology\": \"torus\", \"dims\": [3], \"bundle\": 2, \"edge\": {\"ports\": 8}", "3", 3, 6, 1, 4, 12},
	{"\"topology\": \"torus\", \"dims\": [1, 4], \"bundle\": 1, \"edge\": {\"ports\": 4}", "1x4", 4, 4, 2, 2, 8},
	{"\"topology\": \"mesh\", \"dims\": [3, 4], \"bundle\": 1, \"edge\": {\"ports\": 5}", "3x4", 12, 17, 5, 4, 12},
	{"\"topology\": \"mesh\", \"dims\": [2, 4], \"bundle\": [3, 1], \"edge\": {\"ports\": 8}", "2x4", 8, 18, 4, 5,
	 24},
	{"\"topology\": \"hypercube\", \"dimensions\": 4, \"bundle\": 1, \"edge\": {\"ports\": 6}", "2x2x2x2", 16, 32,
	 4, 4, 32},
	{"\"topology\": \"ring\", \"nodes\": 40, \"edge\": {\"ports\": 8, \"count\": 10}", "10", 10, 20, 5, 4, 40},
	/* Chosen: one switch, a ring, then more dimensions. */
	{"\"topology\": \"torus\", \"nodes\": 36, \"edge\": {\"ports\": 36}", "1", 1, 0, 0, 0, 36},
	{"\"topology\": \"torus\", \"nodes\": 37, \"edge\": {\"ports\": 36}", "3", 3, 27, 1, 18, 37},
	{"\"topology\": \"torus\", \"nodes\": 500, \"edge\": {\"ports\": 36}", "5x6", 30, 270, 5, 18, 500},
	/* 15 ports to neighbours: 30 switches in pairs; of 3x3x3 one is left over; of three and of two in a ring. */
	{"\"topology\": \"torus\", \"nodes\": 500, \"blocking\": 1.5, \"edge\": {\"ports\": 36}", "5x5", 25, 187, 4, 15,
	 500},
	{"\"topology\": \"torus\", \"dims\": [5, 6], \"blocking\": 1.5, \"edge\": {\"ports\": 36}", "5x6", 30, 225, 5,
	 15, 630},
	{"\"topology\": \"torus\", \"dims\": [3, 3, 3], \"edge\": {\"ports\": 9, \"ports_to_core\": 7}", "3x3x3", 27,
	 94, 3, 7, 54},
	{"\"topology\": \"ring\", \"nodes\": 60, \"blocking\": 1.5, \"edge\": {\"ports\": 36}", "3", 3, 22, 1, 15, 60},
	{"\"topology\": \"torus\", \"nodes\": 40, \"blocking\": 1.5, \"edge\": {\"ports\": 36}", "2", 2, 15, 1, 15, 40},
	/* As built: hosts or cables are pinned. */
	{"\"topology\": \"torus\", \"dims\": [4, 4], \"edge\": {\"ports\": 9, \"ports_to_nodes\": 2}", "4x4", 16, 48, 4,
	 6, 32},
	{"\"topology\": \"torus\", \"nodes\": 5000, \"edge\": {\"ports\": 36}", "4x4x4x5", 320, 2880, 8, 18, 5000},
	/* Of all families and trees the one of the fewest switches, then of the fewest cables. */
	{"\"topology\": \"any\", \"nodes\": 40, \"edge\": {\"ports\": 36}, \"core\": {\"ports\": 36}", "3", 3, 18, 2,
	 18, 40},
	/* Hosts as the design deals them; together they are the nodes. */
	{"\"topology\": \"torus\", \"dims\": [3], \"bundle\": 1, \"edge\": {\"ports\": 8, \"hosts\": [{\"count\": 1, "
	 "\"hosts\": 5}, {\"count\": 2, \"hosts\": 2}]}",
	 "3", 3, 3, 1, 2, 9},
	{"\"topology\": \"torus\", \"dims\": [3], \"bundle\": 1, \"nodes\": 7, \"edge\": {\"ports\": 8, \"hosts\": "
	 "[{\"count\": 1, "
	 "\"hosts\": 5}, {\"count\": 2, \"hosts\": 1}]}",
	 "3", 3, 3, 1, 2, 7},
	/* One without hosts: the others are not all as far apart from each. */
	{"\"topology\": \"torus\", \"dims\": [5], \"bundle\": 1, \"nodes\": 4, \"edge\": {\"ports\": 8, \"hosts\": "
	 "[{\"count\": 1, \"hosts\": 0}, {\"count\": 4, \"hosts\": 1}]}",
	 "5", 5, 5, 2, 2, 4},
	/* The general Clos network; those with room for each figure of the published table. */
	{"\"topology\": \"clos\", \"m\": 4, \"n\": 4, \"r\": 4, \"edge\": {\"ports\": 8}", "m=4 n=4 r=4", 8, 16, 2, 4,
	 16},
	{"\"topology\": \"clos\", \"m\": 3, \"n\": 2, \"r\": 4, \"edge\": {\"ports\": 5}", "m=3 n=2 r=4", 7, 12, 2, 4,
	 8},
	{"\"topology\": \"clos\", \"m\": 18, \"n\": 18, \"r\": 36, \"edge\": {\"ports\": 36}", "m=18 n=18 r=36", 54,
	 648, 2, 36, 648},
	{"\"topology\": \"clos\", \"m\": 35, \"n\": 18, \"r\": 36, \"edge\": {\"ports\": 64}", "m=35 n=18 r=36", 71,
	 1260, 2, 36, 648},
	{"\"topology\": \"clos\", \"m\": 32, \"n\": 32, \"r\": 64, \"edge\": {\"ports\": 64}", "m=32 n=32 r=64", 96,
	 2048, 2, 64, 2048},
	{"\"topology\": \"clos\", \"m\": 6, \"n\": 8, \"r\": 8, \"edge\": {\"ports\": 14}", "m=6 n=8 r=8", 14, 48, 2, 8,
	 64},
	/* Chosen: leafs and spines are as few as can be. */
	{"\"topology\": \"clos\", \"nodes\": 500, \"edge\": {\"ports\": 36}", "m=18 n=18 r=28", 46, 504, 2, 28, 500},
	{"\"topology\": \"clos\", \"nodes\": 100, \"edge\": {\"ports\": 36}", "m=10 n=10 r=10", 20, 100, 2, 10, 100},
	{"\"topology\": \"clos\", \"nodes\": 500, \"blocking\": 2, \"edge\": {\"ports\": 36}", "m=12 n=24 r=21", 33,
	 252, 2, 21, 500},
	{"\"topology\": \"clos\", \"nodes\": 90, \"n\": 12, \"edge\": {\"ports\": 36, \"count\": 20}", "m=12 n=12 r=8",
	 20, 96, 2, 12, 90},
	{"\"topology\": \"clos\", \"nodes\": 36, \"edge\": {\"ports\": 36}", "1", 1, 0, 0, 0, 36},
};

static const struct refusal_row refusals[] = {
	{"\"topology\": \"torus\", \"nodes\": 500, \"dims\": [4, 6], \"edge\": {\"ports\": 36}",
	 "24 switches with 18 hosts each are for 432 nodes, and nodes is 500"},
	{"\"topology\": \"torus\", \"nodes\": 24, \"dims\": [4, 6], \"bundle\": [1, 2, 3], \"edge\": {\"ports\": 36}",
	 "bundle has 3 numbers, but there are 2 dimensions"},
	{"\"topology\": \"torus\", \"nodes\": 24, \"dims\": [4, 6], \"bundle\": 9, \"edge\": {\"ports\": 36}",
	 "each switch needs 36 ports to other switches and one for a host, and has 36"},
	{"\"topology\": \"torus\", \"dims\": [65536, 65536], \"edge\": {\"ports\": 36}",
	 "there would be more than 100000 switches"},
	{"\"topology\": \"torus\", \"dims\": [4, 4], \"dimensions\": 3, \"edge\": {\"ports\": 36}",
	 "\"dimensions\" is 3, but \"dims\" has 2 sizes"},
	{"\"topology\": \"slim-fly\", \"q\": 101, \"edge\": {\"ports\": 254}",
	 "\"nodes\" is missing, and there are ports for 1550552 hosts, which are more than 1000000"},
	{"\"topology\": \"torus\", \"dims\": [4, 6]", "\"nodes\" is missing: how many host ports to connect; or "
						      "\"ports\" of \"edge\", all of which are connected then"},
	{"\"topology\": \"torus\", \"edge\": {\"ports\": 36}",
	 "\"nodes\" is missing: how many host ports to connect; or \"dims\""},
	{"\"topology\": \"mesh\", \"dimensions\": 2, \"edge\": {\"ports\": 36}",
	 "\"nodes\" is missing: how many host ports to connect; or \"dims\""},
	{"\"topology\": \"ring\", \"edge\": {\"ports\": 36}",
	 "\"nodes\" is missing: how many host ports to connect; or \"count\" of \"edge\": how many switches"},
	{"\"topology\": \"hypercube\", \"edge\": {\"ports\": 36}",
	 "\"nodes\" is missing: how many host ports to connect; or \"dimensions\""},
	{"\"topology\": \"torus\", \"dims\": [3], \"bundle\": 1, \"nodes\": 7, \"edge\": {\"ports\": 8, \"hosts\": "
	 "[{\"count\": 1, "
	 "\"hosts\": 7}]}",
	 "edge.count is 1, but there are 3 switches"},
	{"\"topology\": \"torus\", \"dims\": [3], \"bundle\": 1, \"nodes\": 7, \"edge\": {\"ports\": 8, \"hosts\": "
	 "[{\"count\": 1, "
	 "\"hosts\": 7}, {\"count\": 2, \"hosts\": 0}]}",
	 "edge.hosts gives \"sw-0\" 7 hosts, but it has 6 ports for them"},
	{"\"topology\": \"torus\", \"dims\": [3], \"bundle\": 1, \"nodes\": 7, \"edge\": {\"ports\": 8}, \"bind\": "
	 "{\"edge\": [\"a\"]}",
	 "bind.edge has 1 name, but there are 3 switches"},
	{"\"topology\": \"ring\", \"nodes\": 24, \"dims\": [4, 6], \"edge\": {\"ports\": 36}",
	 "\"dims\" is of the topologies torus, mesh and hyperx; \"topology\" is \"ring\""},
	{"\"topology\": \"torus\", \"nodes\": 24, \"levels\": 3, \"edge\": {\"ports\": 36}",
	 "\"levels\" is of fat-trees; \"topology\" is \"torus\""},
	{"\"topology\": \"star\", \"nodes\": 24, \"dims\": [4], \"edge\": {\"ports\": 36}",
	 "\"dims\" is of the topologies torus, mesh and hyperx; \"topology\" is \"star\""},
	{"\"topology\": \"clos\", \"m\": 4, \"n\": 4, \"r\": 9, \"edge\": {\"ports\": 8}",
	 "each spine needs a port for each of 9 leafs, and has 8"},
	{"\"topology\": \"clos\", \"m\": 5, \"n\": 4, \"r\": 8, \"edge\": {\"ports\": 8}",
	 "each switch needs 5 ports to other switches and 4 to hosts, and has 8"},
	{"\"topology\": \"clos\", \"m\": 4, \"n\": 4, \"r\": 8, \"nodes\": 33, \"edge\": {\"ports\": 8}",
	 "8 switches with 4 hosts each are for 32 nodes, and nodes is 33"},
	{"\"topology\": \"clos\", \"m\": 4, \"n\": 4, \"r\": 8, \"edge\": {\"ports\": 8, \"count\": 11}",
	 "edge.count is 11, but there are 12 switches"},
	{"\"topology\": \"clos\", \"m\": 4, \"n\": 4, \"edge\": {\"ports\": 8}",
	 "\"nodes\" is missing: how many host ports to connect; or \"r\": how many leafs"},
	{"\"topology\": \"clos\", \"n\": 4, \"nodes\": 30, \"edge\": {\"ports\": 8, \"ports_to_nodes\": 3}",
	 "n is 4, but edge.ports_to_nodes is 3"},
};

int main(void)
{
	return families_test(rows, FT_COUNT(rows), refusals, FT_COUNT(refusals));
}
