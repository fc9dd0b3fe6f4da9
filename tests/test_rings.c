/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Rings of a fat-tree: planned, written, and verified. Four posts: two clusters of four racks with four cluster
 * switches each, in a ring of 2 cables, and four aggregation switches in a ring of 3.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>

#include "planner/plan/tree.h"
#include "planner/write/formats.h"
#include "tests/bench.h"
#include "tests/refused.h"
#include "verify/report/draw.h"

#define HEAD "{\"ftcheck\":1,\"name\":\"t\",\"topology\":\"fat-tree\","
#define THREE                                                                                                 \
	HEAD "\"levels\":3,\"nodes\":64,\"pods\":2,\"planes\":1,\"edge\":{\"ports\":12,\"ports_to_nodes\":8," \
	     "\"count\":8},\"spine\":{\"ports\":12,\"count\":8,\"ports_to_core\":4},\"core\":{\"ports\":16,"  \
	     "\"count\":4}"
#define FOUR_POST THREE ",\"rings\":{\"spine\":2,\"core\":3}"
/* The cores of a tree of two levels; cores in a ring of six tell by their ports which way a cable goes. */
#define SIX HEAD "\"nodes\":36,\"rings\":{\"core\":2},\"edge\":{\"ports\":12},\"core\":{\"ports\":10,\"count\":6}"

/* ---- the plan ---- */

struct plan_row {
	const char *design;
	uint32_t spine, core; /* cables in rings */
	uint32_t bundles;     /* that they are in */
	uint32_t links;
};

static const struct plan_row plans[] = {
	{THREE "}", 0, 0, 0, 64 + 32 + 32},
	{FOUR_POST "}", 2 * 4 * 2, 4 * 3, 2 * 4 + 4, 64 + 32 + 32 + 16 + 12},
	{THREE ",\"rings\":{\"spine\":2}}", 16, 0, 8, 64 + 64 + 16},
	{THREE ",\"rings\":{\"core\":3}}", 0, 12, 4, 64 + 64 + 12},
	{SIX "}", 0, 12, 6, 36 + 36 + 12},
	/* Of two, each is the other's neighbour on both sides; one alone has none. */
	{HEAD "\"nodes\":24,\"rings\":{\"core\":2},\"edge\":{\"ports\":12},\"core\":{\"ports\":16,\"count\":2}}", 0, 4,
	 1, 24 + 24 + 4},
	{HEAD "\"nodes\":12,\"rings\":{\"core\":2},\"edge\":{\"ports\":12},\"core\":{\"ports\":16,\"count\":1}}", 0, 0,
	 0, 24},
	/* As many pods as are there now. */
	{HEAD "\"levels\":3,\"nodes\":16,\"nodes_max\":64,\"rings\":{\"spine\":1,\"core\":1},\"edge\":{\"ports\":8},"
	      "\"spine\":{\"ports\":10},\"core\":{\"ports\":10}}",
	 4, 8, 12, 16 + 16 + 16 + 12},
};

static int end_compare(const void *one, const void *other)
{
	const uint32_t *x = one, *y = other;

	return (*x > *y) - (*x < *y);
}

/* No port twice, and none that the switch does not have. */
static void ports_check(const struct ft_plan *plan)
{
	for (uint32_t i = 0; i < plan->switch_count; i++) {
		uint32_t ports[512], count = 0;

		for (uint32_t port = 1; port <= plan->switches[i].hosts; port++)
			ports[count++] = port;
		for (uint32_t k = 0; k < plan->bundle_count; k++) {
			const struct ft_plan_bundle *bundle = &plan->bundles[k];
			uint32_t first = bundle->a == i ? bundle->a_port : bundle->b_port;

			for (uint32_t c = 0; (bundle->a == i || bundle->b == i) && c < bundle->count; c++)
				ports[count++] = first + c;
		}
		qsort(ports, count, sizeof(*ports), end_compare);
		for (uint32_t k = 0; k < count; k++)
			assert_in_range(ports[k], k ? ports[k - 1] + 1 : 1, plan->switches[i].ports);
	}
}

static void plan_check(const struct plan_row *row)
{
	_cleanup_(ft_design_freep) struct ft_design *design = NULL;
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	uint32_t cables[FT_TIER_COUNT] = {0}, bundles = 0, all = 0;
	struct ft_error err = {0};

	if (ft_design_read(row->design, strlen(row->design), &design, &plan, &err) < 0)
		fail_msg("%s: %s", row->design, err.text);
	for (uint32_t i = 0; i < plan->bundle_count; i++) {
		const struct ft_plan_bundle *b = &plan->bundles[i];

		all += b->count;
		assert_int_equal(ft_plan_find_bundle(plan, b->a, b->b), i);
		if (plan->switches[b->a].tier != plan->switches[b->b].tier)
			continue;
		assert_int_equal(plan->switches[b->a].pod, plan->switches[b->b].pod);
		cables[plan->switches[b->a].tier] += b->count;
		bundles++;
	}
	assert_int_equal(plan->links, plan->nodes + all);
	if (cables[FT_TIER_SPINE] != row->spine || cables[FT_TIER_CORE] != row->core || bundles != row->bundles ||
	    plan->links != row->links)
		fail_msg("%s: %u + %u cables in %u bundles, %u links", row->design, cables[FT_TIER_SPINE],
			 cables[FT_TIER_CORE], bundles, plan->links);
	assert_int_equal(plan->general, plan->tree->planes == 1 || bundles > 0);
	ports_check(plan);
}

static void test_plans(void **state)
{
	(void)state;
	for (size_t i = 0; i < FT_COUNT(plans); i++)
		plan_check(&plans[i]);
}

/* ---- refusals ---- */

static const struct {
	const char *design, *error;
} bad[] = {
	{HEAD "\"nodes\":24,\n\"rings\":{\"spine\":2},\"edge\":{\"ports\":12},\"core\":{\"ports\":16}}",
	 "2:10: \"spine\" of \"rings\" is of a fat-tree of three levels: \"levels\": 3 is missing"},
	{HEAD "\"nodes\":24,\n\"rings\":{},\"edge\":{\"ports\":12},\"core\":{\"ports\":16}}",
	 "2:9: \"rings\" must be {\"spine\": CABLES, \"core\": CABLES}, or one of the two"},
	{HEAD "\"nodes\":24,\n\"rings\":{\"core\":0},\"edge\":{\"ports\":12},\"core\":{\"ports\":16}}",
	 "2:17: \"core\" is 0; it must be 1 to 254"},
	{HEAD "\"nodes\":24,\n\"rings\":{\"edge\":1},\"edge\":{\"ports\":12},\"core\":{\"ports\":16}}",
	 "2:10: unknown key \"edge\""},
	{"{\"ftcheck\":1,\"name\":\"t\",\"nodes\":24,\n\"rings\":{\"core\":2},\"edge\":{\"ports\":36}}",
	 "2:1: \"rings\" is of fat-trees: \"topology\": \"fat-tree\" is missing"},
	{"{\"ftcheck\":1,\"name\":\"t\",\"nodes\":24,\"topology\":\"star\",\n\"rings\":{\"core\":2},\"edge\":{"
	 "\"ports\":36}}",
	 "2:1: \"rings\" is of fat-trees; \"topology\" is \"star\""},
	{"{\"ftcheck\":1,\"name\":\"t\",\"nodes\":24,\"topology\":\"torus\",\n\"rings\":{\"core\":2},\"edge\":{"
	 "\"ports\":36}}",
	 "2:1: \"rings\" is of fat-trees; \"topology\" is \"torus\""},
	{"{\"ftcheck\":1,\"name\":\"t\",\"topology\":\"graph\",\n\"rings\":{\"core\":2}}",
	 "2:1: \"rings\" is of fat-trees; \"topology\" is \"graph\""},
	{HEAD "\"nodes\":24,\n\"rings\":{\"core\":8},\"edge\":{\"ports\":12},\"core\":{\"ports\":16}}",
	 "2:17: rings.core 8 takes 16 ports of each core switch, which has 16, and the tree needs 2 more"},
	{HEAD "\"nodes\":24,\n\"rings\":{\"core\":7},\"edge\":{\"ports\":12},\"core\":{\"ports\":16}}",
	 "2:56: nodes 24 need 4 edge switches, but a core switch of core.ports 2 reaches only 2; rings take 14 ports "
	 "of each core switch"},
	{HEAD "\"levels\":3,\"nodes\":64,\n\"rings\":{\"spine\":6,\"core\":3},\"edge\":{\"ports\":12},\"spine\":{"
	      "\"ports\":12},\"core\":{\"ports\":16}}",
	 "2:18: rings.spine 6 takes 12 ports of each spine switch, which has 12, and the tree needs 2 more"},
	/* A class of smaller switches has no room left. */
	{HEAD "\"nodes\":24,\"edge\":{\"ports\":12,\"count\":4},\"core\":{\"ports\":16,\"count\":6},\"classes\":[{"
	      "\"tier\":\"core\",\"count\":1,\"ports\":6}],\n\"rings\":{\"core\":2}}",
	 "2:17: rings: \"core06\" has 6 ports, of which the ring takes the last 4, but port 3 is in use"},
};

static void test_bad(void **state)
{
	(void)state;
	for (size_t i = 0; i < FT_COUNT(bad); i++)
		design_refused(bad[i].design, bad[i].error);
}

/* ---- the fabric ---- */

struct fabric_row {
	const char *what, *design, *faults;
	const char *expected; /* as in test_verify.c */
};

#define PORTS FOUR_POST ",\"cables\":\"plan\""

static const struct fabric_row fabrics[] = {
	{"healthy", FOUR_POST "}", "", "ok"},
	{"a cable of a ring of spines", FOUR_POST "}", "cut spine01:9",
	 "warning; cable-missing absent spine01:9 spine02:11"},
	{"the one that closes it", FOUR_POST "}", "cut spine01:11",
	 "warning; cable-missing absent spine01:11 spine04:9"},
	{"a cable of the ring of cores", FOUR_POST "}", "cut core02:12",
	 "warning; cable-missing absent core02:12 core03:15"},
	{"swapped within a pod", FOUR_POST "}",
	 "cut spine01:9; cut spine03:9; link spine01:9 spine04:11; link spine03:9 spine02:11",
	 "warning; cables-swapped seen spine01:9 spine04:11 spine02:11 spine03:9 x2"},
	{"swapped between pods", FOUR_POST "}",
	 "cut spine01:9; cut spine05:9; link spine01:9 spine06:11; link spine05:9 spine02:11",
	 "warning; cables-swapped seen spine01:9 spine06:11 spine02:11 spine05:9 x2"},
	{"of a ring and of the tree swapped", FOUR_POST "}",
	 "cut spine01:9; cut spine03:5; link spine01:9 core01:3; link spine03:5 spine02:11",
	 "warning; cables-swapped seen spine01:9 core01:3 spine02:11 spine03:5 x2"},
	{"cores swapped", SIX "}", "cut core01:7; cut core04:7; link core01:7 core05:9; link core04:7 core02:9",
	 "warning; cables-swapped seen core01:7 core05:9 core02:9 core04:7 x2"},
	{"one too many", FOUR_POST "}", "link core01:9 core03:9", "warning; cable-unplanned seen core01:9 core03:9"},
	{"slow", FOUR_POST "}", "rate core01:11 4xEDR", "warning; cable-slow seen core01:11 core02:14"},
	{"a dead spine", FOUR_POST "}", "dead spine02",
	 "warning; core-missing absent edge001:10 edge002:10 edge003:10 edge004:10 spine01:9 spine01:10 spine03:11 "
	 "spine03:12 core01:2 core02:2 core03:2 core04:2"},
	{"a dead core", FOUR_POST "}", "dead core02",
	 "warning; core-missing absent spine01:6 spine02:6 spine03:6 spine04:6 spine05:6 spine06:6 spine07:6 spine08:6 "
	 "core01:11 core01:12 core01:13 core03:14 core03:15 core03:16"},
	{"a dead core of two levels", SIX "}", "dead core03",
	 "warning; core-missing absent edge001:9 edge002:9 edge003:9 edge004:9 edge005:9 edge006:9 core02:7 core02:8 "
	 "core04:9 core04:10"},
	{"any port will do", FOUR_POST "}", "cut core01:11; link core01:11 core02:10", "ok"},
	{"port by port", PORTS "}", "", "ok"},
	{"in a wrong port", PORTS "}", "cut core01:11; link core01:11 core02:10",
	 "warning; cable-wrong-port seen core01:11 core02:10"},
	{"two of a bundle swapped", PORTS "}",
	 "cut core01:11; cut core01:12; link core01:11 core02:15; link core01:12 core02:14",
	 "warning; cables-swapped seen core01:11 core02:15 core01:12 core02:14 x2"},
	{"the two ways swapped", PORTS "}",
	 "cut core01:11; cut core01:14; link core01:11 core04:11; link core01:14 core02:14",
	 "warning; cables-swapped seen core01:14 core02:14 core01:11 core04:11 x2"},
};

static void test_fabric(void **state)
{
	const struct fabric_row *row = *state;
	_cleanup_(bench_release) struct bench b;
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	_cleanup_(ft_text_release) struct ft_text words = {0};
	_cleanup_(ft_text_release) struct ft_text drawing = {0};
	struct ft_error err = {0};

	bench_make(&b, row->design);
	faults_apply(&b, row->faults);
	assert_int_equal(ft_snapshot_check(b.snapshot, NULL), 0);
	assert_int_equal(ft_verify(b.design, b.plan, b.snapshot, "2026-11-20", &report), 0);
	report_check(report);
	report_words(report, &words);
	assert_string_equal(ft_text_string(&words), row->expected);
	report_returns(report);
	assert_int_equal(ft_report_draw(&drawing, report, b.design, b.plan, ft_draw_svg, &err), 0);
}

/* ---- what is written ---- */

static void test_cables(void **state)
{
	_cleanup_(ft_text_release) struct ft_text cables = {0};
	_cleanup_(ft_text_release) struct ft_text plan = {0};
	_cleanup_(bench_release) struct bench b;
	struct ft_error err = {0};

	(void)state;
	bench_make(&b, FOUR_POST "}");
	assert_int_equal(ft_write_cables(&cables, b.design, b.plan, NULL, &err), 0);
	assert_non_null(strstr(cables.data, "\nspine01/9,spine02/11,spine01,9,"));
	assert_non_null(strstr(cables.data, "\nspine01/11,spine04/9,spine01,11,"));
	assert_non_null(strstr(cables.data, ",core04,13,A03,7,link,1\n"));
	ft_plan_write_text(&plan, b.design, b.plan, NULL);
	assert_non_null(strstr(plan.data, "\nCables: 156 = 64 to nodes + 32 between edges and spines + 32 between "
					  "spines and cores + 28 in rings.\n"));
	assert_non_null(strstr(plan.data, "\nRings: between neighbours there are 2 cables of the spines of each pod, "
					  "and 3 cables of the core switches.\n"));
	assert_null(strstr(plan.data, "Bisection"));
}

int main(void)
{
	struct CMUnitTest tests[FT_COUNT(fabrics) + 3] = {
		cmocka_unit_test(test_plans),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_cables),
	};

	for (size_t i = 0; i < FT_COUNT(fabrics); i++)
		tests[i + 3] = (struct CMUnitTest){
			.name = fabrics[i].what, .test_func = test_fabric, .initial_state = (void *)&fabrics[i]};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
