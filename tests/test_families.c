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
	{"\"topology\": \"torus\", \"nodes\": 5000, \"edge\": {\"ports\": 36}", "4x4x4x5", 320, 2880, 8, 18, 5000},
	/* Of all families and trees the one of the fewest switches, then of the fewest cables. */
	{"\"topology\": \"any\", \"nodes\": 40, \"edge\": {\"ports\": 36}, \"core\": {\"ports\": 36}", "3", 3, 18, 2,
	 18, 40},
	/* Hosts as the design deals them. */
	{"\"topology\": \"torus\", \"dims\": [3], \"bundle\": 1, \"nodes\": 7, \"edge\": {\"ports\": 8, \"hosts\": "
	 "[{\"count\": 1, "
	 "\"hosts\": 5}, {\"count\": 2, \"hosts\": 1}]}",
	 "3", 3, 3, 1, 2, 7},
};

static const struct refusal_row refusals[] = {
	{"\"topology\": \"torus\", \"nodes\": 500, \"dims\": [4, 6], \"edge\": {\"ports\": 36}",
	 "24 switches with 18 hosts each are for 432 nodes, and nodes is 500"},
	{"\"topology\": \"torus\", \"nodes\": 24, \"dims\": [4, 6], \"bundle\": [1, 2, 3], \"edge\": {\"ports\": 36}",
	 "bundle has 3 numbers, but there are 2 dimensions"},
	{"\"topology\": \"torus\", \"nodes\": 24, \"dims\": [4, 6], \"bundle\": 9, \"edge\": {\"ports\": 36}",
	 "each switch needs 36 ports to other switches and one for a host, and has 36"},
	{"\"topology\": \"torus\", \"dims\": [4, 6]", "\"nodes\" is missing: how many host ports to connect; or "
						      "\"ports\" of \"edge\", all of which are connected then"},
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
};

int main(void)
{
	return families_test(rows, FT_COUNT(rows), refusals, FT_COUNT(refusals));
}
