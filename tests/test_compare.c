/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * What networks are compared by, against closed forms and, in small random networks, against trying everything: loads
 * and distances, halving cuts, failures that cut off hosts. And the axes of charts.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "planner/compare/axis.h"
#include "planner/compare/halves.h"
#include "planner/compare/loads.h"
#include "planner/compare/measure.h"
#include "planner/compare/outage.h"
#include "planner/plan/design.h"
#include "tests/allocations.h"

#define HEAD "{\"ftcheck\":1,\"name\":\"t\","
#define EDGE(ports, hosts) "\"edge\":{\"ports\":" #ports ",\"ports_to_nodes\":" #hosts "}"
#define RING(n, nodes) HEAD "\"topology\":\"torus\",\"dims\":[" #n "],\"bundle\":1,\"nodes\":" #nodes ","

static struct ft_plan *plan_read(const char *text)
{
	_cleanup_(ft_design_freep) struct ft_design *design = NULL;
	struct ft_plan *plan = NULL;
	struct ft_error err = {0};

	if (ft_design_read(text, strlen(text), &design, &plan, &err) < 0)
		fail_msg("%s: %u:%u: %s", text, err.line, err.column, err.text);
	return plan;
}

/* ---- closed forms ---- */

/* -1: not asked. */
struct form {
	const char *design;
	double diameter, mean_hops, bisection, throughput, of_moore, lost, by_switch, by_cable;
};

static const struct form forms[] = {
	/* Rings: mean n^2 / 4 / (n - 1) of even n; a cut of two cables; the second cable that fails cuts off. */
	{RING(8, 8) EDGE(4, 1) "}", 4, 16.0 / 7, 2, 7.0 / 8, 8.0 / 9, 2.0 / 8, 1, 0},
	{RING(8, 16) EDGE(4, 2) "}", 4, 16.0 / 7, 2, 15.0 / 32, 8.0 / 9, 2.0 / 8, 2, 0},
	/* Two switches: all of their cables must fail. */
	{HEAD "\"topology\":\"graph\",\"nodes\":6,\"switches\":[{\"name\":\"s[1-2]\",\"ports\":8,\"hosts\":3}],"
	      "\"links\":[{\"a\":\"s1\",\"b\":\"s2\",\"count\":2}]}",
	 1, 1, 2, 1, 1, 1, 3, 0},
	/* A line of three: any cable cuts off. */
	{HEAD "\"topology\":\"graph\",\"nodes\":6,\"switches\":[{\"name\":\"s[1-3]\",\"ports\":8,\"hosts\":2}],"
	      "\"links\":[{\"a\":\"s2\",\"b\":[\"s1\",\"s3\"],\"count\":1}]}",
	 2, 4.0 / 3, 2, 5.0 / 8, 3.0 / 5, 0.5, 4, 2},
	/* A torus of even sides: the cut of the longer side, n/k * 2. */
	{HEAD "\"topology\":\"torus\",\"dims\":[4,6],\"bundle\":1,\"nodes\":24," EDGE(5, 1) "}", 5, 60.0 / 23, 8,
	 23.0 / 18, 24.0 / 485, -1, 1, 0},
	/* A hypercube: half of its vertices. */
	{HEAD "\"topology\":\"hypercube\",\"dimensions\":4,\"bundle\":1,\"nodes\":16," EDGE(5, 1) "}", 4, 32.0 / 15, 8,
	 1, -1, -1, 1, 0},
	/* HyperX of even sides: k^2/4 in each line of one dimension. */
	{HEAD "\"topology\":\"hyperx\",\"dims\":[4,4],\"bundle\":1,\"nodes\":16," EDGE(7, 1) "}", 2, 24.0 / 15, 8, -1,
	 16.0 / 37, -1, 1, 0},
	/* Hoffman and Singleton's graph is Moore's bound; two cables away are 42 of 49. */
	{HEAD "\"topology\":\"slim-fly\",\"q\":5,\"nodes\":200," EDGE(11, 4) "}", 2, 91.0 / 49, -1, -1, 1, -1, 4, 0},
	/* One switch: nothing between switches to fail. */
	{HEAD "\"topology\":\"star\",\"nodes\":20," EDGE(36, 36) "}", 0, 0, 10, 1, -1, -1, 20, -1},
	/* A tree that never blocks: half of the hosts. */
	{HEAD "\"topology\":\"fat-tree\",\"nodes\":72,\"edge\":{\"ports\":36},\"core\":{\"ports\":36}}", 2, 2, 36, 1,
	 -1, -1, 18, 0},
};

static void check_form(const struct form *form, enum ft_compared_figure figure, double expected,
		       const struct ft_compared *row)
{
	const struct ft_measured *measured = &row->figures[figure];

	/* No host gets more than the whole rate of its cable. */
	expected = figure == FT_COMPARED_THROUGHPUT ? fmin(expected, 1) : expected;
	if (expected >= 0 && (measured->how == FT_HOW_FOUND || fabs(measured->value - expected) > 1e-9))
		fail_msg("%s: %s is %.9f (%s), expected %.9f", form->design, ft_compared_about[figure].name,
			 measured->value, ft_how_name(measured->how), expected);
}

static void test_closed_forms(void **state)
{
	const struct ft_compare_ask ask = {.seed = 7, .orders = 5};

	(void)state;
	for (size_t i = 0; i < FT_COUNT(forms); i++) {
		_cleanup_(ft_comparison_release) struct ft_comparison comparison = {0};
		_cleanup_(ft_plan_freep) struct ft_plan *plan = plan_read(forms[i].design);
		struct ft_compared *row = ft_comparison_add(&comparison);

		assert_non_null(row);
		assert_int_equal(ft_compared_measure(plan, &ask, row), 0);
		check_form(&forms[i], FT_COMPARED_DIAMETER, forms[i].diameter, row);
		check_form(&forms[i], FT_COMPARED_MEAN_HOPS, forms[i].mean_hops, row);
		check_form(&forms[i], FT_COMPARED_BISECTION, forms[i].bisection, row);
		check_form(&forms[i], FT_COMPARED_THROUGHPUT, forms[i].throughput, row);
		check_form(&forms[i], FT_COMPARED_OF_MOORE, forms[i].of_moore, row);
		check_form(&forms[i], FT_COMPARED_LINKS_LOST, forms[i].lost, row);
		check_form(&forms[i], FT_COMPARED_SWITCH_CUTS_OFF, forms[i].by_switch, row);
		check_form(&forms[i], FT_COMPARED_CABLE_CUTS_OFF, forms[i].by_cable, row);
	}
}

/* ---- everything tried ---- */

enum { SWITCHES_MAX = 9, TRIALS = 300 };

static uint32_t random_below(uint64_t *seed, uint32_t count)
{
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(*seed >> 33) % count;
}

/* A random network of up to nine switches, connected or not. */
static struct ft_plan *plan_random(uint64_t *seed)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};
	uint32_t count = 2 + random_below(seed, SWITCHES_MAX - 1), density = 20 + random_below(seed, 60), nodes = 0;
	const char *between = "";

	ft_text_puts(&text, HEAD "\"topology\":\"graph\",\"switches\":[");
	for (uint32_t i = 0; i < count; i++) {
		uint32_t hosts = i < 2 ? 1 + random_below(seed, 3) : random_below(seed, 4);

		ft_text_printf(&text, "%s{\"name\":\"s%u\",\"ports\":64,\"hosts\":%u}", i > 0 ? "," : "", i, hosts);
		nodes += hosts;
	}
	ft_text_puts(&text, "],\"links\":[");
	for (uint32_t a = 0; a < count; a++)
		for (uint32_t b = a + 1; b < count; b++)
			if (random_below(seed, 100) < density || (a == 0 && b == 1)) {
				ft_text_printf(&text, "%s{\"a\":\"s%u\",\"b\":\"s%u\",\"count\":%u}", between, a, b,
					       1 + random_below(seed, 2));
				between = ",";
			}
	ft_text_printf(&text, "],\"nodes\":%u}", nodes);
	return plan_read(ft_text_string(&text));
}

/* Hosts of the largest part without switch @lost and without bundle @cut. */
static uint32_t largest_part(const struct ft_plan *plan, uint32_t lost, uint32_t cut)
{
	uint32_t part[SWITCHES_MAX], hosts[SWITCHES_MAX] = {0}, most = 0;

	for (uint32_t i = 0; i < plan->switch_count; i++)
		part[i] = i;
	for (uint32_t round = 0; round < plan->switch_count; round++)
		for (uint32_t i = 0; i < plan->bundle_count; i++) {
			uint32_t a = plan->bundles[i].a, b = plan->bundles[i].b;

			if (i != cut && a != lost && b != lost)
				part[a] = part[b] = part[a] < part[b] ? part[a] : part[b];
		}
	for (uint32_t i = 0; i < plan->switch_count; i++)
		hosts[part[i]] += i == lost ? 0 : plan->switches[i].hosts;
	for (uint32_t i = 0; i < plan->switch_count; i++)
		most = hosts[i] > most ? hosts[i] : most;
	return most;
}

static void check_cut_off(const struct ft_plan *plan, uint64_t seed)
{
	uint32_t all = largest_part(plan, UINT32_MAX, UINT32_MAX), by_switch = 0, by_cable = 0;
	struct ft_cut_off found;

	for (uint32_t i = 0; i < plan->switch_count; i++) {
		uint32_t left = largest_part(plan, i, UINT32_MAX);

		by_switch = all - left > by_switch ? all - left : by_switch;
	}
	for (uint32_t i = 0; i < plan->bundle_count; i++) {
		uint32_t left = plan->bundles[i].count > 1 ? all : largest_part(plan, UINT32_MAX, i);

		by_cable = all - left > by_cable ? all - left : by_cable;
	}
	assert_int_equal(ft_outage_cut_off(plan, &found), 0);
	if (found.by_switch != by_switch || found.by_cable != by_cable)
		fail_msg("seed %llu: %u by a switch and %u by a cable, expected %u and %u", (unsigned long long)seed,
			 found.by_switch, found.by_cable, by_switch, by_cable);
}

/* Of all ways to divide the switches, with the hosts on the wrong side each a cable. */
static uint32_t halves_least(const struct ft_plan *plan)
{
	uint32_t least = plan->nodes / 2;

	for (uint32_t side = 0; side < 1U << plan->switch_count; side++) {
		uint32_t cables = 0, hosts = 0, more;

		for (uint32_t i = 0; i < plan->bundle_count; i++)
			cables += ((side >> plan->bundles[i].a ^ side >> plan->bundles[i].b) & 1) *
				  plan->bundles[i].count;
		for (uint32_t i = 0; i < plan->switch_count; i++)
			hosts += (side >> i & 1) * plan->switches[i].hosts;
		more = hosts > plan->nodes - hosts ? hosts : plan->nodes - hosts;
		cables += more - (plan->nodes + 1) / 2;
		least = cables < least ? cables : least;
	}
	return least;
}

static void check_halves(const struct ft_plan *plan, const struct ft_loads *loads, uint64_t seed)
{
	uint32_t least = halves_least(plan);
	struct ft_measured found;

	assert_int_equal(ft_halves_measure(plan, loads->heaviest, &found), 0);
	if (found.low > least || found.value < least || (found.how == FT_HOW_EXACT && found.value != least))
		fail_msg("seed %llu: the bisection is %.0f (at least %.0f, %s), and the least %u",
			 (unsigned long long)seed, found.value, found.low, ft_how_name(found.how), least);
}

static void test_random(void **state)
{
	uint32_t connected = 0, apart = 0;

	(void)state;
	for (uint64_t trial = 0; trial < TRIALS; trial++) {
		uint64_t seed = trial;
		_cleanup_(ft_plan_freep) struct ft_plan *plan = plan_random(&seed);
		bool whole = largest_part(plan, UINT32_MAX, UINT32_MAX) == plan->nodes;
		struct ft_loads loads;
		struct ft_lost lost;

		check_cut_off(plan, trial);
		assert_int_equal(ft_loads_take(plan, &loads), 0);
		assert_int_equal(loads.connected, whole);
		assert_int_equal(ft_outage_lost(plan, trial, 3, &lost), whole ? 0 : -ENODATA);
		connected += whole;
		apart += !whole;
		if (!whole)
			continue;
		assert_true(lost.p10 > 0 && lost.p10 <= lost.median && lost.median <= lost.p90 && lost.p90 <= 1);
		check_halves(plan, &loads, trial);
	}
	assert_true(connected > TRIALS / 3 && apart > TRIALS / 30);
}

/* The same seed, the same orders; and so many orders differ. */
static void test_orders(void **state)
{
	_cleanup_(ft_plan_freep) struct ft_plan *plan =
		plan_read(HEAD "\"topology\":\"torus\",\"dims\":[6,6],\"bundle\":1,\"nodes\":36," EDGE(5, 1) "}");
	struct ft_lost first, again, other;

	(void)state;
	assert_int_equal(ft_outage_lost(plan, 1, 60, &first), 0);
	assert_int_equal(ft_outage_lost(plan, 1, 60, &again), 0);
	assert_int_equal(ft_outage_lost(plan, 2, 60, &other), 0);
	assert_memory_equal(&first, &again, sizeof(first));
	assert_memory_not_equal(&first, &other, sizeof(first));
	assert_true(first.p10 < first.median && first.median < first.p90);
}

/* ---- no memory ---- */

/* Whichever allocation fails, that is what is said, and nothing else comes of it. */
static void test_no_memory(void **state)
{
	static const char *const designs[] = {
		HEAD "\"topology\":\"mesh\",\"dims\":[3,4],\"bundle\":1,\"nodes\":24," EDGE(6, 2) "}",
		HEAD "\"topology\":\"fat-tree\",\"nodes\":72,\"edge\":{\"ports\":36},\"core\":{\"ports\":36}}",
	};
	const struct ft_compare_ask ask = {.seed = 1, .orders = 3};

	(void)state;
	for (size_t i = 0; i < FT_COUNT(designs); i++) {
		_cleanup_(ft_plan_freep) struct ft_plan *plan = plan_read(designs[i]);
		int r = -ENOMEM;
		size_t n = 0;

		while (r == -ENOMEM) {
			_cleanup_(ft_comparison_release) struct ft_comparison comparison = {0};
			struct ft_compared *row = ft_comparison_add(&comparison);

			assert_non_null(row);
			allocation_failing = ++n;
			r = ft_compared_measure(plan, &ask, row);
			allocation_failing = 0;
		}
		assert_int_equal(r, 0);
		assert_true(n > 20);
	}
}

/* ---- axes ---- */

static const struct {
	double least, most;
	bool zero;
	const char *ends;  /* "low high", and "log" */
	const char *marks; /* the labels */
} axes[] = {
	{0.2, 97, true, "0 100", "0 20 40 60 80 100"},
	{3, 9, false, "3 9", "3 4 5 6 7 8 9"},
	{700, 6200, false, "500 10000 log", "500 1000 2000 5000 10k"},
	{100, 20000, false, "100 20000 log", "100 200 500 1000 2000 5000 10k 20k"},
	{1, 1000000, false, "1 1e+06 log", "1 10 100 1000 10k 100k 1M"},
	{2.5, 2.5, false, "2.5 5", "2.5 3 3.5 4 4.5 5"},
	{0, 0, false, "0 1", "0 0.2 0.4 0.6 0.8 1"},
};

static void test_axes(void **state)
{
	(void)state;
	for (size_t i = 0; i < FT_COUNT(axes); i++) {
		struct ft_axis axis = ft_axis_make(axes[i].least, axes[i].most, axes[i].zero, 10, 110);
		_cleanup_(ft_text_release) struct ft_text marks = {0};
		double ticks[FT_AXIS_TICKS_MAX];
		unsigned int count = ft_axis_ticks(&axis, ticks);
		char ends[64], label[FT_AXIS_LABEL_SIZE];

		for (unsigned int k = 0; k < count; k++) {
			ft_text_printf(&marks, "%s%s", k > 0 ? " " : "", ft_axis_label(ticks[k], label));
			assert_true(ft_axis_at(&axis, ticks[k]) > 9.99 && ft_axis_at(&axis, ticks[k]) < 110.01);
		}
		snprintf(ends, sizeof(ends), "%g %g%s", axis.low, axis.high, axis.log ? " log" : "");
		assert_string_equal(ends, axes[i].ends);
		assert_string_equal(ft_text_string(&marks), axes[i].marks);
		assert_true(fabs(ft_axis_at(&axis, axis.low) - 10) < 1e-9);
		assert_true(fabs(ft_axis_at(&axis, axis.high) - 110) < 1e-9);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_closed_forms), cmocka_unit_test(test_random), cmocka_unit_test(test_orders),
		cmocka_unit_test(test_no_memory),    cmocka_unit_test(test_axes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
