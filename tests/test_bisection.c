/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The bisections that the rules of families give, against all halves of small networks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "planner/plan/plan.h"

enum { HOSTING_MAX = 25 };

struct row {
	const char *design;
	uint64_t bisection; /* FT_BISECTION_UNKNOWN: no rule gives it, and none is searched */
};

#define EDGE "\"edge\": {\"ports\": 36, \"ports_to_nodes\": 1}"

static const struct row rows[] = {
	/* Paths: the longest even side is cut; where it is odd, the slab in its middle is halved in turn. */
	{"\"topology\": \"mesh\", \"dims\": [4, 4], \"bundle\": 1, " EDGE, 4},
	{"\"topology\": \"mesh\", \"dims\": [3, 6], \"bundle\": 2, " EDGE, 6},
	{"\"topology\": \"mesh\", \"dims\": [5, 4], \"bundle\": 1, " EDGE, 5},
	{"\"topology\": \"mesh\", \"dims\": [3, 3], \"bundle\": 1, " EDGE, 4},
	{"\"topology\": \"mesh\", \"dims\": [5, 3], \"bundle\": 1, " EDGE, 4},
	{"\"topology\": \"mesh\", \"dims\": [3, 3, 2], \"bundle\": 1, " EDGE, 9},
	{"\"topology\": \"hypercube\", \"dimensions\": 4, \"bundle\": 3, " EDGE, 24},
	/* Rings: twice that. */
	{"\"topology\": \"ring\", \"bundle\": 2, \"edge\": {\"ports\": 36, \"ports_to_nodes\": 1, \"count\": 7}", 4},
	{"\"topology\": \"torus\", \"dims\": [2, 3], \"bundle\": 4, " EDGE, 24},
	{"\"topology\": \"torus\", \"dims\": [1, 6], \"bundle\": 1, " EDGE, 2},
	{"\"topology\": \"torus\", \"dims\": [3, 3], \"bundle\": 1, " EDGE, 8},
	{"\"topology\": \"torus\", \"dims\": [3, 5], \"bundle\": 1, " EDGE, 8},
	{"\"topology\": \"torus\", \"dims\": [5, 5], \"bundle\": 1, " EDGE, 12},
	{"\"topology\": \"torus\", \"dims\": [5, 4], \"bundle\": 1, " EDGE, 10},
	{"\"topology\": \"torus\", \"dims\": [3, 3, 2], \"bundle\": 1, " EDGE, 18},
	/* Complete graphs: the smallest side. */
	{"\"topology\": \"hyperx\", \"dims\": [7], \"bundle\": 3, " EDGE, 36},
	{"\"topology\": \"hyperx\", \"dims\": [4, 4], " EDGE, 16},
	{"\"topology\": \"hyperx\", \"dims\": [4, 3], " EDGE, 12},
	{"\"topology\": \"hyperx\", \"dims\": [3, 3], " EDGE, 8},
	{"\"topology\": \"hyperx\", \"dims\": [3, 5], " EDGE, 16},
	{"\"topology\": \"hyperx\", \"dims\": [2, 3, 3], " EDGE, 9},
	/* Unlike bundles: known if the dimension that costs least has an even size. */
	{"\"topology\": \"torus\", \"dims\": [4, 4], \"bundle\": [3, 1], " EDGE, 8},
	{"\"topology\": \"mesh\", \"dims\": [2, 8], \"bundle\": [1, 5], " EDGE, 8},
	{"\"topology\": \"mesh\", \"dims\": [4, 3], \"bundle\": [2, 2], " EDGE, 6},
	{"\"topology\": \"hyperx\", \"dims\": [4, 4], \"bundle\": [2, 5], " EDGE, 32},
	{"\"topology\": \"hyperx\", \"dims\": [4, 3], \"bundle\": [1, 3], " EDGE, 12},
	{"\"topology\": \"torus\", \"dims\": [2, 3], \"bundle\": [4, 1], " EDGE, FT_BISECTION_UNKNOWN},
	{"\"topology\": \"torus\", \"dims\": [3, 5], \"bundle\": [4, 1], " EDGE, FT_BISECTION_UNKNOWN},
	/* The spines of a Clos network are on either side. */
	{"\"topology\": \"clos\", \"m\": 3, \"n\": 2, \"r\": 6, \"edge\": {\"ports\": 8}", 9},
	{"\"topology\": \"clos\", \"m\": 4, \"n\": 4, \"r\": 7, \"edge\": {\"ports\": 8}", 12},
	/* No rule. */
	{"\"topology\": \"slim-fly\", \"q\": 3, \"edge\": {\"ports\": 8}", FT_BISECTION_UNKNOWN},
	{"\"topology\": \"random\", \"degree\": 3, \"nodes\": 12, \"edge\": {\"ports\": 6}", FT_BISECTION_UNKNOWN},
	{"\"topology\": \"torus\", \"nodes\": 12, \"edge\": {\"ports\": 36}", FT_BISECTION_UNKNOWN},
	{"\"topology\": \"fat-tree\", \"nodes\": 72, \"edge\": {\"ports\": 36}, \"core\": {\"ports\": 36}",
	 FT_BISECTION_UNKNOWN},
};

/* Cables if the switches of @side, by their bits, are on one side; one without hosts is where that costs least. */
static uint64_t cut_of(const struct ft_plan *plan, uint32_t side, uint32_t hosting)
{
	uint64_t cut = 0, beyond[64][2] = {{0}};

	for (uint32_t i = 0; i < plan->bundle_count; i++) {
		const struct ft_plan_bundle *bundle = &plan->bundles[i];
		unsigned int here = side >> bundle->a & 1;

		if (bundle->b < hosting)
			cut += here != (side >> bundle->b & 1) ? bundle->count : 0;
		else
			beyond[bundle->b][here] += bundle->count;
	}
	for (uint32_t i = hosting; i < plan->switch_count; i++)
		cut += beyond[i][0] < beyond[i][1] ? beyond[i][0] : beyond[i][1];
	return cut;
}

/* The least over all sets of half the switches with hosts, which are the first ones. */
static uint64_t least_cut(const struct ft_plan *plan)
{
	uint32_t hosting = 0;
	uint64_t least = UINT64_MAX;

	while (hosting < plan->switch_count && plan->switches[hosting].hosts > 0)
		hosting++;
	assert_in_range(hosting, 2, HOSTING_MAX);
	/* The next greater number with as many bits (R. W. Gosper). */
	for (uint32_t side = (1U << hosting / 2) - 1; side < 1U << hosting;) {
		uint32_t low = side & -side, up = side + low;
		uint64_t cut = cut_of(plan, side, hosting);

		least = cut < least ? cut : least;
		side = (((side ^ up) >> 2) / low) | up;
	}
	return least;
}

static void row_test(void **state)
{
	const struct row *row = *state;
	_cleanup_(ft_design_freep) struct ft_design *design = NULL;
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	struct ft_error err = {0};

	char text[512];

	snprintf(text, sizeof(text), "{\"ftcheck\": 1, \"name\": \"t\", %s}", row->design);
	if (ft_design_read(text, strlen(text), &design, &plan, &err) < 0)
		fail_msg("%s", err.text);
	assert_true(plan->bisection == row->bisection);
	if (row->bisection != FT_BISECTION_UNKNOWN)
		assert_int_equal(least_cut(plan), row->bisection);
}

int main(void)
{
	struct CMUnitTest tests[FT_COUNT(rows)];

	for (size_t i = 0; i < FT_COUNT(rows); i++)
		tests[i] = (struct CMUnitTest){rows[i].design, row_test, NULL, NULL, (void *)(uintptr_t)&rows[i]};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
