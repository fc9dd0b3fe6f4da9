/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Random regular graphs: whatever their size, degree and seed, they are regular, simple and connected, and a seed is a
 * network for good.
 */
#include "tests/families.h"

static const struct family_row rows[] = {
	/* Random: switches, degree and seed are its label. */
	{"\"topology\": \"random\", \"nodes\": 300, \"degree\": 7, \"edge\": {\"ports\": 13}", "n=50 d=7 seed=1", 50,
	 175, 4, 7, 300},
	{"\"topology\": \"random\", \"nodes\": 300, \"degree\": 7, \"seed\": 2, \"edge\": {\"ports\": 13}",
	 "n=50 d=7 seed=2", 50, 175, 3, 7, 300},
	{"\"topology\": \"random\", \"degree\": 3, \"edge\": {\"ports\": 5, \"count\": 10}", "n=10 d=3 seed=1", 10, 15,
	 3, 3, 20},
	{"\"topology\": \"random\", \"degree\": 4, \"edge\": {\"ports\": 5, \"count\": 5}", "n=5 d=4 seed=1", 5, 10, 1,
	 4, 5},
	{"\"topology\": \"random\", \"degree\": 2, \"edge\": {\"ports\": 3, \"count\": 25}", "n=25 d=2 seed=1", 25, 25,
	 12, 2, 25},
	{"\"topology\": \"random\", \"degree\": 3, \"edge\": {\"ports\": 8, \"ports_to_nodes\": 2, \"count\": 20}",
	 "n=20 d=3 seed=1", 20, 30, 5, 3, 40},
	/* Chosen: the fewest switches that have room, enough neighbours, and whole cables. */
	{"\"topology\": \"random\", \"nodes\": 500, \"edge\": {\"ports\": 36}", "n=28 d=18 seed=1", 28, 252, 2, 18,
	 500},
	{"\"topology\": \"random\", \"nodes\": 100, \"edge\": {\"ports\": 8}", "n=25 d=4 seed=1", 25, 50, 4, 4, 100},
	{"\"topology\": \"random\", \"nodes\": 90, \"degree\": 3, \"edge\": {\"ports\": 9}", "n=16 d=3 seed=1", 16, 24,
	 5, 3, 90},
	{"\"topology\": \"random\", \"nodes\": 20, \"edge\": {\"ports\": 10, \"count\": 7}", "n=7 d=4 seed=1", 7, 14, 2,
	 4, 20},
	{"\"topology\": \"random\", \"nodes\": 36, \"edge\": {\"ports\": 36}", "1", 1, 0, 0, 0, 36},
};

static const struct refusal_row refusals[] = {
	{"\"topology\": \"random\", \"degree\": 3, \"edge\": {\"ports\": 36, \"count\": 5}",
	 "degree 3 x edge.count 5 is odd: a cable has two ends"},
	{"\"topology\": \"random\", \"degree\": 6, \"edge\": {\"ports\": 36, \"count\": 5}",
	 "degree 6 needs 7 switches or more, but edge.count is 5"},
	{"\"topology\": \"random\", \"degree\": 6, \"edge\": {\"ports\": 36, \"count\": 9, \"ports_to_core\": 5}",
	 "degree is 6, but edge.ports_to_core is 5"},
	{"\"topology\": \"random\", \"degree\": 6, \"edge\": {\"ports\": 36}",
	 "\"nodes\" is missing: how many host ports to connect; or \"count\" of \"edge\": how many switches"},
	{"\"topology\": \"random\", \"degree\": 36, \"nodes\": 50, \"edge\": {\"ports\": 36}",
	 "each switch needs 36 ports to other switches and one for a host, and has 36"},
	{"\"topology\": \"random\", \"nodes\": 50, \"edge\": {\"ports\": 8, \"ports_to_core\": 1}",
	 "8 switches are not connected with 1 port each to others: 2 at least"},
	{"\"topology\": \"random\", \"nodes\": 50, \"m\": 3, \"edge\": {\"ports\": 8}",
	 "\"m\" is of the topology clos; \"topology\" is \"random\""},
};

static void plan_random(uint32_t switches, uint32_t degree, uint32_t seed, struct ft_plan **ret_plan)
{
	_cleanup_(ft_design_freep) struct ft_design *design = NULL;
	struct ft_error err = {0};
	char keys[256];

	snprintf(keys, sizeof(keys),
		 "\"topology\": \"random\", \"degree\": %u, \"seed\": %u, \"edge\": {\"ports\": %u, \"count\": %u}",
		 degree, seed, degree + 1, switches);
	if (design_read(keys, &design, ret_plan, &err) < 0)
		fail_msg("%s: %s", keys, err.text);
}

/* Bundles are sorted and at most one a pair, which the plan has seen to. */
static void graph_check(const struct ft_plan *plan, uint32_t degree)
{
	_cleanup_free_ uint32_t *cables = calloc(plan->switch_count, sizeof(*cables));

	assert_non_null(cables);
	for (uint32_t i = 0; i < plan->bundle_count; i++) {
		const struct ft_plan_bundle *bundle = &plan->bundles[i];

		assert_int_equal(bundle->count, 1);
		assert_true(bundle->a < bundle->b);
		cables[bundle->a]++;
		cables[bundle->b]++;
	}
	for (uint32_t i = 0; i < plan->switch_count; i++)
		assert_int_equal(cables[i], degree);
	assert_int_not_equal(farthest_from(plan, 0), UINT32_MAX);
	ports_check(plan);
}

static void test_sizes(void **state)
{
	(void)state;
	for (uint32_t switches = 3; switches <= 24; switches++)
		for (uint32_t degree = 2; degree < switches; degree++)
			for (uint32_t seed = 0; seed < 4 && switches * degree % 2 == 0; seed++) {
				_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;

				plan_random(switches, degree, seed, &plan);
				assert_int_equal(plan->switch_count, switches);
				graph_check(plan, degree);
			}
}

/* Left to chance alone, a graph of degree 2 is several rings. */
static void test_connected(void **state)
{
	(void)state;
	for (uint32_t seed = 0; seed < 200; seed++) {
		_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;

		plan_random(60, 2, seed, &plan);
		graph_check(plan, 2);
		assert_int_equal(farthest_from(plan, 0), 30);
	}
}

static void test_large(void **state)
{
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;

	(void)state;
	plan_random(1000, 24, 1, &plan);
	graph_check(plan, 24);
	/* As few cables as with any graph of that degree: 1 + 24 + 24 * 23 < 1000. */
	assert_int_equal(farthest_from(plan, 0), 3);
}

/* FNV-1a of all pairs. */
static uint64_t graph_hash(const struct ft_plan *plan)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (uint32_t i = 0; i < plan->bundle_count; i++) {
		hash = (hash ^ plan->bundles[i].a) * 0x100000001b3;
		hash = (hash ^ plan->bundles[i].b) * 0x100000001b3;
	}
	return hash;
}

/* A design that was cabled by its seed must stay what it is: these may never change. */
static void test_seeds(void **state)
{
	static const struct {
		uint32_t switches, degree, seed;
		uint64_t hash;
	} golden[] = {
		{10, 3, 1, 0xc92c00c891f1544e},
		{10, 3, 2, 0xe66155408e3bfcf6},
		{50, 7, 1, 0xc3984ad253d8887e},
		{1000, 24, 1, 0x88fe8b41e2c70d2b},
	};

	(void)state;
	for (size_t i = 0; i < FT_COUNT(golden); i++) {
		_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;

		plan_random(golden[i].switches, golden[i].degree, golden[i].seed, &plan);
		if (graph_hash(plan) != golden[i].hash)
			fail_msg("row %zu: 0x%llx", i, (unsigned long long)graph_hash(plan));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_connected),
		cmocka_unit_test(test_large),
		cmocka_unit_test(test_seeds),
	};

	return families_test(rows, FT_COUNT(rows), refusals, FT_COUNT(refusals)) +
	       cmocka_run_group_tests(tests, NULL, NULL);
}
