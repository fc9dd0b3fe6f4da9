/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Families of groups that are joined by global cables: dragonfly and dragonfly+. Each row is a design and what is true
 * of its plan; and whatever the numbers, the global cables are dealt as evenly as can be.
 */
#include "tests/families.h"

#define DRAGONFLY "\"topology\": \"dragonfly\", "
#define PLUS "\"topology\": \"dragonfly+\", "
#define PORTS(ports) ", \"edge\": {\"ports\": " #ports "}"
#define GROUP(a, h) "\"group\": {\"routers\": " #a ", \"global\": " #h "}"
#define LEAFS(l, s, h) "\"group\": {\"leafs\": " #l ", \"spines\": " #s ", \"global\": " #h "}"

#define LISTED(a, b)                                                                                       \
	DRAGONFLY "\"group\": {\"routers\": 2}, \"groups\": 2, \"links\": [{\"a\": \"" a "\", \"b\": \"" b \
		  "\"}]" PORTS(9)

static const struct family_row rows[] = {
	/* The design; switches, cables between switches, diameter, the most cables of a switch, hosts. */
	{DRAGONFLY GROUP(2, 1) ", \"groups\": 3" PORTS(3), "a=2 h=1 g=3", 6, 6, 3, 2, 6},
	{DRAGONFLY GROUP(4, 2) ", \"groups\": 9" PORTS(7), "a=4 h=2 g=9", 36, 90, 3, 5, 72},
	{DRAGONFLY GROUP(4, 2) ", \"groups\": 9, \"arrangement\": \"relative\"" PORTS(7), "a=4 h=2 g=9", 36, 90, 3, 5,
	 72},
	{DRAGONFLY GROUP(4, 2) ", \"groups\": 9, \"arrangement\": \"circulant\"" PORTS(7), "a=4 h=2 g=9", 36, 90, 3, 5,
	 72},
	{DRAGONFLY GROUP(8, 4) ", \"groups\": 33" PORTS(15), "a=8 h=4 g=33", 264, 1452, 3, 11, 1056},
	/* Fewer groups; an odd port that is left over; two groups and one; a group of one router. */
	{DRAGONFLY GROUP(4, 2) ", \"groups\": 5" PORTS(7), "a=4 h=2 g=5", 20, 50, 3, 5, 40},
	{DRAGONFLY GROUP(5, 3) ", \"groups\": 7" PORTS(10), "a=5 h=3 g=7", 35, 122, 3, 7, 105},
	{DRAGONFLY GROUP(4, 3) ", \"groups\": 2" PORTS(7), "a=4 h=3 g=2", 8, 24, 2, 6, 8},
	{DRAGONFLY GROUP(4, 3) ", \"groups\": 1" PORTS(7), "a=4 h=3 g=1", 4, 6, 1, 3, 16},
	{DRAGONFLY GROUP(1, 6) ", \"groups\": 7" PORTS(7), "a=1 h=6 g=7", 7, 21, 1, 6, 7},
	{DRAGONFLY GROUP(4, 2) ", \"groups\": 5, \"bundle\": {\"local\": 2, \"global\": 3}" PORTS(16), "a=4 h=2 g=5",
	 20, 120, 3, 12, 80},
	/* Unlike groups; the last one has more ports for hosts. */
	{DRAGONFLY "\"group\": {\"global\": 4}, \"groups\": [{\"count\": 3, \"routers\": 4, \"hosts\": 9}, "
		   "{\"count\": 2, \"routers\": 6}]" PORTS(36),
	 "a=4,6 h=4 g=5", 24, 96, 2, 9, 432},
	/* Chosen: one switch; one group; balanced groups; what a part of the numbers leaves open. */
	{DRAGONFLY "\"nodes\": 36" PORTS(36), "1", 1, 0, 0, 0, 36},
	{DRAGONFLY "\"nodes\": 50" PORTS(36), "a=10 h=5 g=1", 10, 45, 1, 9, 50},
	{DRAGONFLY "\"nodes\": 1056" PORTS(15), "a=8 h=4 g=33", 264, 1452, 3, 11, 1056},
	{DRAGONFLY "\"nodes\": 1000, \"blocking\": 2" PORTS(19), "a=8 h=4 g=16", 128, 704, 3, 11, 1000},
	{DRAGONFLY "\"edge\": {\"ports\": 11}", "a=6 h=3 g=19", 114, 456, 3, 8, 342},
	{DRAGONFLY "\"nodes\": 100, \"group\": {\"routers\": 4}" PORTS(36), "a=4 h=2 g=9", 36, 90, 3, 5, 100},
	{DRAGONFLY "\"nodes\": 100, \"group\": {\"global\": 4}" PORTS(36), "a=8 h=4 g=4", 32, 176, 2, 11, 100},
	{DRAGONFLY "\"nodes\": 500, \"edge\": {\"ports\": 36, \"ports_to_nodes\": 4}", "a=8 h=4 g=16", 128, 704, 3, 11,
	 500},
	/* Cables between groups that no rule deals: of pairs, of ranges, twice. */
	{DRAGONFLY "\"group\": {\"routers\": 3}, \"groups\": 3, \"links\": [{\"a\": \"g0-r0\", \"b\": \"g1-r2\"}, "
		   "{\"a\": \"g2-r1\", \"b\": [\"g0-r1\", \"g1-r[0-1]\"], \"count\": 2}]" PORTS(9),
	 "a=3 h=6 g=3", 9, 16, 3, 8, 9},
	{PLUS "\"group\": {\"leafs\": 2, \"spines\": 2, \"global\": 3}, \"groups\": 3, \"links\": [{\"a\": "
	      "\"g[0-2]-spine0\", \"b\": \"g[0-2]-spine0\"}]" PORTS(8),
	 "l=2 s=2 h=3 g=3", 12, 15, 5, 4, 36},
	/* Leafs and spines. Spines of two groups are farther apart than leafs. */
	{PLUS LEAFS(4, 4, 4) ", \"groups\": 17" PORTS(8), "l=4 s=4 h=4 g=17", 136, 408, 5, 8, 272},
	{PLUS LEAFS(16, 16, 16) ", \"groups\": 5" PORTS(32), "l=16 s=16 h=16 g=5", 160, 1920, 3, 32, 1280},
	{PLUS LEAFS(4, 2, 0) ", \"groups\": 1" PORTS(36), "l=4 s=2 h=0 g=1", 6, 8, 2, 4, 136},
	{PLUS "\"nodes\": 10" PORTS(4), "l=2 s=2 h=2 g=3", 12, 18, 3, 4, 10},
	{PLUS "\"nodes\": 200" PORTS(8), "l=4 s=4 h=4 g=13", 104, 312, 5, 8, 200},
	{PLUS "\"nodes\": 1000, \"bundle\": {\"local\": 3, \"global\": 2}" PORTS(36), "l=6 s=6 h=9 g=10", 120, 1620, 3,
	 36, 1000},
	/* As Leonardo: cells of fewer hosts at the end. As JUPITER: a last cell of 8 leafs and 124 hosts. */
	{PLUS LEAFS(18, 18,
		    22) ", \"groups\": [{\"count\": 19, \"hosts\": 10}, {\"count\": 4, \"hosts\": 0}]" PORTS(40),
	 "l=18 s=18 h=22 g=23", 828, 12006, 3, 40, 3420},
	{PLUS LEAFS(15, 15, 24) ", \"nodes\": 5884, \"groups\": [{\"count\": 24}, {\"count\": 1, \"leafs\": 8}], "
				"\"edge\": {\"ports\": 64, \"ports_to_nodes\": 16}",
	 "l=15,8 s=15 h=24 g=25", 743, 10020, 3, 39, 5884},
};

static const struct refusal_row refusals[] = {
	{DRAGONFLY GROUP(4, 2) ", \"groups\": 10" PORTS(7),
	 "each of 10 groups must be joined to 9 others, but 4 routers with 2 global cables each are for 8"},
	{DRAGONFLY GROUP(4, 0) ", \"nodes\": 20, \"groups\": 2" PORTS(9),
	 "each of 2 groups must be joined to 1 others, but 4 routers with 0 global cables each are for 0"},
	{DRAGONFLY GROUP(4, 2) ", \"nodes\": 20, \"groups\": 2" PORTS(5),
	 "each switch needs 5 ports to other switches and one for a host, and has 5"},
	{DRAGONFLY GROUP(4, 2) ", \"nodes\": 20, \"groups\": 2" PORTS(4),
	 "each router needs 5 ports to other switches, and has 4"},
	{DRAGONFLY GROUP(4, 2) ", \"nodes\": 17, \"groups\": 2" PORTS(7),
	 "8 switches with 2 hosts each are for 16 nodes, and nodes is 17"},
	{DRAGONFLY GROUP(100000, 254) ", \"groups\": 100000" PORTS(254),
	 "the groups have 10000000000 switches in all; at most 100000 are possible"},
	{DRAGONFLY GROUP(100, 100) ", \"groups\": 900" PORTS(254),
	 "the groups have more than 4000000 cables between switches"},
	{DRAGONFLY "\"nodes\": 26407" PORTS(36), "26407 nodes need 164 groups, each joined to 163 others, but 18 "
						 "routers with 9 global cables each are for 162"},
	{DRAGONFLY "\"nodes\": 10" PORTS(2), "2 ports are too few for a router of a balanced dragonfly"},
	{DRAGONFLY "\"nodes\": 60, \"edge\": {\"ports\": 36, \"ports_to_core\": 10}",
	 "edge.ports_to_core is 10, but each switch has 17 cables to other switches"},
	{DRAGONFLY GROUP(4, 2) ", \"groups\": 2, \"bundle\": 4" PORTS(36),
	 "\"bundle\" must be {\"local\": N, \"global\": N}"},
	{DRAGONFLY "\"nodes\": 9, \"group\": {\"leafs\": 4}" PORTS(36),
	 "a group of a dragonfly has \"routers\"; \"leafs\" and \"spines\" are of dragonfly+"},
	{DRAGONFLY "\"nodes\": 9, \"group\": {\"global\": 4}, \"groups\": [{\"count\": 3}]" PORTS(36),
	 "the \"routers\" of groups are missing, here and in \"group\""},
	{DRAGONFLY "\"nodes\": 9, \"groups\": [{\"count\": 3, \"routers\": 2}]" PORTS(36),
	 "unlike groups need \"global\" of \"group\": the global cables of each switch that has any"},
	{DRAGONFLY "\"nodes\": 9, \"group\": {\"global\": 4}, \"groups\": [{\"count\": 99999, \"routers\": 1}, "
		   "{\"count\": 2, \"routers\": 1}]" PORTS(36),
	 "\"groups\" are more than 100000 groups"},
	{DRAGONFLY "\"nodes\": 9, \"group\": {\"global\": 4}, \"groups\": [{\"count\": 3, \"routers\": 4, "
		   "\"hosts\": 200}]" PORTS(36),
	 "each switch needs 7 ports to other switches and 200 to hosts, and has 36"},
	{PLUS "\"nodes\": 9, \"group\": {\"routers\": 4}" PORTS(36),
	 "a group of a dragonfly+ has \"leafs\" and \"spines\"; \"routers\" are of dragonfly"},
	{PLUS LEAFS(16, 16, 21) ", \"groups\": 5" PORTS(36), "each spine needs 37 ports to other switches, and has 36"},
	{PLUS LEAFS(4, 2, 1) ", \"groups\": 5" PORTS(36),
	 "each of 5 groups must be joined to 4 others, but 2 spines with 1 global cable each are for 2"},
	{PLUS "\"nodes\": 105301" PORTS(36), "105301 nodes need 326 groups, each joined to 325 others, but 18 spines "
					     "with 18 global cables each are for 324"},
	{PLUS "\"nodes\": 100, \"bundle\": {\"local\": 19}" PORTS(36),
	 "36 ports are too few for leafs and spines with 19 cables between two"},
	{LISTED("g0-r0", "g1-r9"), "\"b\" names \"g1-r9\", which is no switch of the groups: the first is \"g0-r0\""},
	{LISTED("G0-R1", "g1-r1"), "\"a\" names \"G0-R1\", which is no switch of the groups; did you mean \"g0-r1\"?"},
	{LISTED("g0-r0", "g0-r1"), "element 1 of \"links\" links \"g0-r0\" and \"g0-r1\", which are of one group"},
	{LISTED("g0-r0", "g1-r1") ", \"arrangement\": \"relative\"",
	 "\"arrangement\" deals cables between groups by a rule, and \"links\" lists them: leave one of the two out"},
	{LISTED("g0-r0", "g1-r1") ", \"bundle\": {\"global\": 2}",
	 "\"global\" multiplies cables between groups, and \"links\" counts them: leave one of the two out"},
	{DRAGONFLY "\"nodes\": 4, \"groups\": 2, \"links\": [{\"a\": \"g0-r0\", \"b\": \"g1-r1\"}]" PORTS(9),
	 "\"links\" needs \"groups\" and the switches of \"group\""},
	{DRAGONFLY
	 "\"nodes\": 4, \"group\": {\"routers\": 2}, \"links\": [{\"a\": \"g0-r0\", \"b\": \"g1-r1\"}]" PORTS(9),
	 "\"links\" needs \"groups\" and the switches of \"group\""},
	{DRAGONFLY GROUP(2, 1) ", \"groups\": 3, \"links\": [{\"a\": \"g0-r0\", \"b\": \"g[1-2]-r0\"}]" PORTS(9),
	 "\"global\" is 1, but the links give \"g0-r0\" 2 cables to other groups"},
	{DRAGONFLY "\"group\": {\"routers\": 3}, \"groups\": 2, \"links\": [{\"a\": \"g0-r0\", \"b\": \"g1-r1\", "
		   "\"count\": 3}]" PORTS(4),
	 "element 1 of \"links\" gives \"g0-r0\" 3 cables with those before, but 2 of its 4 ports are left"},
	{DRAGONFLY "\"group\": {\"routers\": 2}, \"groups\": 2, \"links\": [{\"a\": \"g0-r0\", \"b\": \"g1-r1\", "
		   "\"count\": 3}]" PORTS(4),
	 "each switch needs 4 ports to other switches and one for a host, and has 4"},
	{PLUS LEAFS(2, 2, 2) ", \"groups\": 2, \"links\": [{\"a\": \"g0-leaf0\", \"b\": \"g1-spine1\"}]" PORTS(9),
	 "\"a\" names \"g0-leaf0\": cables between groups are at spines"},
	{"\"topology\": \"torus\", \"nodes\": 9, \"links\": [{\"a\": \"sw-0\", \"b\": \"sw-1\"}]" PORTS(36),
	 "\"links\" is of graphs, dragonflies and dragonflies+: \"topology\": \"graph\" is missing"},
	{DRAGONFLY "\"group\": {\"routers\": 2}, \"groups\": 4, \"links\": [{\"a\": \"g0-r0\", \"b\": \"g2-r1\"}, "
		   "{\"a\": \"g1-r0\", \"b\": \"g3-r1\"}]" PORTS(9),
	 "\"links\" joins group 1 (\"g1-r0\" and others) to no group that the first is joined to"},
	{"\"topology\": \"torus\", \"nodes\": 9, \"groups\": 3" PORTS(36),
	 "\"groups\" is of the topologies dragonfly and dragonfly+; \"topology\" is \"torus\""},
};

/* The cables between each two groups differ by one at most, and no port is free but a single one. */
static void evenness_check(uint32_t a, uint32_t h, uint32_t groups, const char *arrangement)
{
	_cleanup_(ft_design_freep) struct ft_design *design = NULL;
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	uint32_t between[32][32] = {{0}}, global = 0, least = UINT32_MAX, most = 0;
	struct ft_error err = {0};
	char text[256];

	snprintf(text, sizeof(text),
		 DRAGONFLY "\"group\": {\"routers\": %u, \"global\": %u}, \"groups\": %u, \"arrangement\": \"%s\", "
			   "\"edge\": {\"ports\": 40}",
		 a, h, groups, arrangement);
	if (design_read(text, &design, &plan, &err) < 0)
		fail_msg("%s: %s", text, err.text);
	for (uint32_t i = 0; i < plan->bundle_count; i++) {
		const struct ft_plan_bundle *bundle = &plan->bundles[i];
		uint32_t x = plan->switches[bundle->a].group, y = plan->switches[bundle->b].group;

		between[x][y] += bundle->count;
		global += x != y ? bundle->count : 0;
	}
	for (uint32_t x = 0; x < groups; x++)
		for (uint32_t y = x + 1; y < groups; y++) {
			least = between[x][y] < least ? between[x][y] : least;
			most = between[x][y] > most ? between[x][y] : most;
		}
	if (global != groups * a * h / 2 || least == 0 || most > least + 1)
		fail_msg("%s: %u global cables, %u to %u between two groups", text, global, least, most);
	ports_check(plan);
}

static void test_evenness(void **state)
{
	static const char *const arrangements[] = {"absolute", "relative", "circulant"};

	(void)state;
	for (uint32_t a = 1; a <= 5; a++)
		for (uint32_t h = 1; h <= 5; h++)
			for (uint32_t groups = 2; groups <= a * h + 1; groups++)
				evenness_check(a, h, groups, arrangements[(a + h + groups) % 3]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_evenness)};
	int failed = families_test(rows, FT_COUNT(rows), refusals, FT_COUNT(refusals));

	return failed + cmocka_run_group_tests(tests, NULL, NULL);
}
