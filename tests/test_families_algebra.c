/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Families of networks whose switches are all near to each other: slim-fly and polarfly, which are made of finite
 * fields, and hyperx; and the fields. Figures of larger ones are compared to published ones by families_reference.py.
 */
#include "planner/family/finite_field.h"
#include "tests/families.h"

#define PORTS(ports) "\"edge\": {\"ports\": " #ports "}"
#define SLIM_FLY(q, ports) "\"topology\": \"slim-fly\", \"q\": " #q ", " PORTS(ports)
#define POLARFLY(q, ports) "\"topology\": \"polarfly\", \"q\": " #q ", " PORTS(ports)
#define SLIM_FLY_FOR(nodes, ports) "\"topology\": \"slim-fly\", \"nodes\": " #nodes ", " PORTS(ports)
#define POLARFLY_FOR(nodes, ports) "\"topology\": \"polarfly\", \"nodes\": " #nodes ", " PORTS(ports)
#define HYPERX "\"topology\": \"hyperx\", "
#define HYPERX_FOR(nodes) HYPERX "\"nodes\": " #nodes ", " PORTS(36)

static const struct family_row rows[] = {
	/* Of each d of q = 4 w + d; powers of primes. */
	{SLIM_FLY(3, 8), "q=3", 18, 45, 2, 5, 54},
	{SLIM_FLY(4, 9), "q=4", 32, 96, 2, 6, 96},
	{SLIM_FLY(5, 36), "q=5", 50, 175, 2, 7, 200},
	{SLIM_FLY(7, 17), "q=7", 98, 539, 2, 11, 588},
	{SLIM_FLY(8, 18), "q=8", 128, 768, 2, 12, 768},
	{SLIM_FLY(9, 20), "q=9", 162, 1053, 2, 13, 1134},
	{POLARFLY(2, 5), "q=2", 7, 9, 2, 3, 14},
	{POLARFLY(3, 6), "q=3", 13, 24, 2, 4, 26},
	{POLARFLY(4, 8), "q=4", 21, 50, 2, 5, 63},
	{POLARFLY(5, 9), "q=5", 31, 90, 2, 6, 93},
	{POLARFLY(7, 12), "q=7", 57, 224, 2, 8, 228},
	{POLARFLY(8, 14), "q=8", 73, 324, 2, 9, 365},
	{POLARFLY(9, 15), "q=9", 91, 450, 2, 10, 455},
	/* The smallest q that suffices. */
	{SLIM_FLY_FOR(1, 36), "q=3", 18, 45, 2, 5, 1},
	{SLIM_FLY_FOR(96, 36), "q=4", 32, 96, 2, 6, 96},
	{SLIM_FLY_FOR(97, 36), "q=5", 50, 175, 2, 7, 97},
	{POLARFLY_FOR(15, 36), "q=3", 13, 24, 2, 4, 15},
	/* What "edge" and the blocking factor say. */
	{"\"topology\": \"slim-fly\", \"nodes\": 100, \"edge\": {\"ports\": 36, \"ports_to_nodes\": 31}", "q=3", 18, 45,
	 2, 5, 100},
	{"\"topology\": \"slim-fly\", \"nodes\": 100, \"edge\": {\"ports\": 36, \"count\": 50}", "q=5", 50, 175, 2, 7,
	 100},
	{"\"topology\": \"slim-fly\", \"nodes\": 100, \"edge\": {\"ports\": 36, \"ports_to_core\": 12}", "q=8", 128,
	 768, 2, 12, 100},
	{"\"topology\": \"slim-fly\", \"nodes\": 201, \"blocking\": 2, \"q\": 5, " PORTS(36), "q=5", 50, 175, 2, 7,
	 201},
	/* Another primitive element, another graph of the same numbers. */
	{"\"topology\": \"slim-fly\", \"q\": 11, \"primitive\": 7, " PORTS(36), "q=11 z=7", 242, 2057, 2, 17, 2178},
	/* Dimensions that are said: one cable each, and hosts on all other ports. */
	{HYPERX "\"dims\": [12, 8], " PORTS(25), "12x8", 96, 864, 2, 18, 672},
	{HYPERX "\"dims\": [4, 3], \"bundle\": [2, 3], " PORTS(16), "4x3", 12, 72, 2, 12, 48},
	{HYPERX "\"dims\": [3, 1, 2], " PORTS(4), "3x1x2", 6, 9, 2, 3, 6},
	{HYPERX "\"dims\": [4, 4], " PORTS(36), "4x4", 16, 48, 2, 6, 480},
	/* With a blocking factor: more cables, if the nodes need them. */
	{HYPERX "\"dims\": [4, 4], \"blocking\": 1, " PORTS(36), "4x4", 16, 48, 2, 6, 96},
	{HYPERX "\"dims\": [4, 4], \"blocking\": 1, \"nodes\": 200, " PORTS(36), "4x4", 16, 120, 2, 15, 200},
	/* Chosen: one switch, one dimension, more. */
	{HYPERX_FOR(36), "1", 1, 0, 0, 0, 36},
	{HYPERX_FOR(37), "3", 3, 21, 1, 14, 37},
	{HYPERX_FOR(672), "6x7", 42, 336, 2, 16, 672},
	{HYPERX_FOR(2000), "5x5x5", 125, 1000, 3, 16, 2000},
	{HYPERX_FOR(500) ", \"dimensions\": 3", "3x3x4", 36, 252, 3, 14, 500},
	{HYPERX_FOR(500) ", \"bundle\": [1, 2]", "6x6", 36, 270, 2, 15, 500},
	{HYPERX "\"nodes\": 500, \"edge\": {\"ports\": 36, \"count\": 40}", "2x4x5", 40, 260, 3, 13, 500},
	{HYPERX "\"nodes\": 672, \"edge\": {\"ports\": 36, \"ports_to_nodes\": 7}", "4x5x5", 100, 550, 3, 11, 672},
	{HYPERX "\"nodes\": 672, \"edge\": {\"ports\": 36, \"ports_to_core\": 18}", "6x7", 42, 336, 2, 16, 672},
};

static const struct refusal_row refusals[] = {
	{"\"topology\": \"slim-fly\", \"q\": 11, \"primitive\": 5, " PORTS(36),
	 "primitive is 5, but not all of the 11 elements of the field but 0 are powers of it: the smallest that is "
	 "right "
	 "is 2"},
	{"\"topology\": \"slim-fly\", \"nodes\": 100, \"primitive\": 5, " PORTS(36),
	 "\"primitive\" is an element of a field: it needs \"q\""},
	{SLIM_FLY(2, 36), "q is 2, but a Slim Fly needs a prime power of 3 or more: the nearest is 3"},
	{SLIM_FLY(6, 36), "q is 6, but a Slim Fly needs a prime power of 3 or more: the nearest are 5 and 7"},
	{SLIM_FLY(254, 36), "q is 254, but a Slim Fly needs a prime power of 3 or more: the nearest is 251"},
	{SLIM_FLY(1000, 36), "\"q\" is 1000; it must be 2 to 254"},
	{SLIM_FLY(16, 24), "each switch needs 24 ports to other switches and one for a host, and has 24"},
	{SLIM_FLY(16, 35), "each switch needs 24 ports to other switches and 12 to hosts, and has 35"},
	{POLARFLY(15, 36), "q is 15, but a PolarFly needs a prime power of 2 or more: the nearest are 13 and 16"},
	{POLARFLY(251, 254) ", \"nodes\": 1",
	 "each switch needs 252 ports to other switches and 126 to hosts, and has 254"},
	{"\"topology\": \"polarfly\", \"q\": 251, \"edge\": {\"ports\": 254, \"ports_to_nodes\": 2}",
	 "63253 switches and 7969752 cables between them are more than 100000 and 4000000"},
	{"\"topology\": \"slim-fly\", " PORTS(36), "\"nodes\" is missing: how many host ports to connect; or \"q\""},
	{SLIM_FLY_FOR(6145, 36), "the largest q that fits is 16: 512 switches with 12 hosts each are for 6144 nodes, "
				 "and nodes is 6145"},
	{SLIM_FLY_FOR(1000000, 36), "the largest q that fits is 16: 512 switches with 12 hosts each are for 6144 "
				    "nodes, and nodes is 1000000"},
	{SLIM_FLY_FOR(1, 7), "each switch needs 5 ports to other switches and 3 to hosts, and has 7"},
	{"\"topology\": \"slim-fly\", \"nodes\": 1, \"edge\": {\"ports\": 36, \"ports_to_nodes\": 32}",
	 "each switch needs 5 ports to other switches and 32 to hosts, and has 36"},
	{"\"topology\": \"slim-fly\", \"nodes\": 1, \"edge\": {\"ports\": 36, \"count\": 40}",
	 "edge.count is 40, but there are 50 switches if q is 5"},
	{"\"topology\": \"slim-fly\", \"nodes\": 201, \"edge\": {\"ports\": 36, \"count\": 50}",
	 "the largest q that fits is 5: 50 switches with 4 hosts each are for 200 nodes, and nodes is 201"},
	{"\"topology\": \"slim-fly\", \"nodes\": 1, \"q\": 5, \"edge\": {\"ports\": 36, \"ports_to_core\": 8}",
	 "edge.ports_to_core is 8, but each switch has 7 ports to other switches if q is 5"},
	{HYPERX PORTS(36), "\"nodes\" is missing: how many host ports to connect; or \"dims\""},
	{HYPERX "\"dims\": [19, 19], " PORTS(36),
	 "each switch needs 36 ports to other switches and one for a host, and has 36"},
	{HYPERX "\"dims\": [1000, 1000], " PORTS(36), "dims make more than 100000 switches"},
	{HYPERX "\"dims\": [4, 4], \"dimensions\": 3, " PORTS(36), "\"dimensions\" is 3, but \"dims\" has 2 sizes"},
	{HYPERX "\"dims\": [4, 4], \"bundle\": [1, 2, 3], " PORTS(36),
	 "bundle has 3 numbers, but there are 2 dimensions"},
	{HYPERX "\"dims\": [4, 4], \"blocking\": 1, \"nodes\": 289, " PORTS(36),
	 "the largest HyperX that fits is 4x4: 16 switches with 18 hosts each are for 288 nodes, and nodes is 289"},
	{HYPERX_FOR(50000), "the largest HyperX that fits is 8x8x8x8: 4096 switches with 8 hosts each are for 32768 "
			    "nodes, and nodes is 50000"},
	{HYPERX "\"nodes\": 672, \"dims\": [12, 8], \"edge\": {\"ports\": 36, \"ports_to_nodes\": 19}",
	 "each switch needs 18 ports to other switches and 19 to hosts, and has 36"},
	{HYPERX "\"nodes\": 672, \"dims\": [12, 8], \"edge\": {\"ports\": 36, \"ports_to_core\": 17}",
	 "each switch needs 18 ports to other switches, and edge.ports_to_core is 17"},
};

/* Ports of a HyperX: hosts; along each dimension a block to each neighbour, in their order. */
static void test_hyperx_ports(void **state)
{
	static const struct {
		const char *a, *b;
		uint32_t count, a_port, b_port;
	} expected[] = {
		{"sw-0-0", "sw-0-1", 1, 8, 8}, {"sw-0-0", "sw-1-0", 2, 4, 4}, {"sw-0-0", "sw-2-0", 2, 6, 4},
		{"sw-0-1", "sw-1-1", 2, 4, 4}, {"sw-0-1", "sw-2-1", 2, 6, 4}, {"sw-1-0", "sw-1-1", 1, 8, 8},
		{"sw-1-0", "sw-2-0", 2, 6, 6}, {"sw-1-1", "sw-2-1", 2, 6, 6}, {"sw-2-0", "sw-2-1", 1, 8, 8},
	};
	_cleanup_(ft_design_freep) struct ft_design *design = NULL;
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	struct ft_error err = {0};

	(void)state;
	assert_int_equal(design_read(HYPERX "\"dims\": [3, 2], \"bundle\": [2, 1], " PORTS(8), &design, &plan, &err),
			 0);
	assert_int_equal(plan->bundle_count, FT_COUNT(expected));
	for (size_t i = 0; i < FT_COUNT(expected); i++) {
		const struct ft_plan_bundle *bundle = &plan->bundles[i];

		assert_string_equal(plan->switches[bundle->a].name, expected[i].a);
		assert_string_equal(plan->switches[bundle->b].name, expected[i].b);
		assert_int_equal(bundle->count, expected[i].count);
		assert_int_equal(bundle->a_port, expected[i].a_port);
		assert_int_equal(bundle->b_port, expected[i].b_port);
	}
}

/* A rack of a Slim Fly is one group of each type, and has 2 q cables to every other one. */
static void test_slim_fly_racks(void **state)
{
	_cleanup_(ft_design_freep) struct ft_design *design = NULL;
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	struct ft_error err = {0};
	uint32_t between[9][9] = {0};

	(void)state;
	assert_int_equal(design_read(SLIM_FLY(9, 36), &design, &plan, &err), 0);
	assert_int_equal(plan->group_count, 9);
	for (uint32_t i = 0; i < plan->bundle_count; i++) {
		uint32_t a = plan->switches[plan->bundles[i].a].group, b = plan->switches[plan->bundles[i].b].group;

		between[a < b ? a : b][a < b ? b : a]++;
	}
	for (uint32_t a = 0; a < 9; a++)
		for (uint32_t b = a + 1; b < 9; b++)
			assert_int_equal(between[a][b], 18);
}

/* ---- fields ---- */

static void field_check(const struct ft_field *f)
{
	for (uint32_t a = 0; a < f->order; a++) {
		assert_int_equal(ft_field_add(f, a, 0), a);
		assert_int_equal(ft_field_multiply(f, a, 1), a);
		assert_int_equal(ft_field_multiply(f, a, 0), 0);
		assert_int_equal(ft_field_add(f, a, ft_field_subtract(f, 0, a)), 0);
		if (a != 0) {
			assert_int_equal(ft_field_multiply(f, a, ft_field_divide(f, 1, a)), 1);
			assert_int_equal(ft_field_power(f, f->log[a]), a);
		}
		for (uint32_t b = 0; b < f->order; b++) {
			uint32_t sum = ft_field_add(f, a, b), product = ft_field_multiply(f, a, b);

			assert_int_equal(sum, ft_field_add(f, b, a));
			assert_int_equal(product, ft_field_multiply(f, b, a));
			assert_int_equal(ft_field_subtract(f, sum, b), a);
			/* Any third element would do; all are too many for the larger fields. */
			for (uint32_t c = f->order - 1; c > 0; c /= 2)
				assert_int_equal(
					ft_field_multiply(f, sum, c),
					ft_field_add(f, ft_field_multiply(f, a, c), ft_field_multiply(f, b, c)));
		}
	}
}

static void test_fields(void **state)
{
	uint32_t fields = 0;

	(void)state;
	for (uint32_t q = 0; q <= 256; q++) {
		struct ft_field field = {0};

		if (!ft_field_exists(q, NULL, NULL)) {
			assert_int_equal(ft_field_make(q, &field), -EINVAL);
			continue;
		}
		assert_int_equal(ft_field_make(q, &field), 0);
		field_check(&field);
		ft_field_release(&field);
		fields++;
	}
	/* 54 primes, and 16 powers of these. */
	assert_int_equal(fields, 70);
}

/* Of a prime the smallest primitive root; of a power of it as of the Conway polynomial. */
static void test_primitive(void **state)
{
	static const struct {
		uint32_t order, element, its_power /* element ^ degree */;
	} expected[] = {
		{2, 1, 1},     {3, 2, 2}, {5, 2, 2},  {7, 3, 3},      {23, 5, 5},     {41, 6, 6},
		{191, 19, 19}, {8, 2, 3}, {16, 2, 3}, {27, 3, 3 + 2}, {32, 2, 4 + 1},
	};

	(void)state;
	for (size_t i = 0; i < FT_COUNT(expected); i++) {
		struct ft_field field = {0};

		assert_int_equal(ft_field_make(expected[i].order, &field), 0);
		assert_int_equal(ft_field_power(&field, 1), expected[i].element);
		assert_int_equal(ft_field_power(&field, field.degree), expected[i].its_power);
		ft_field_release(&field);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hyperx_ports),
		cmocka_unit_test(test_slim_fly_racks),
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_primitive),
	};
	int failed = families_test(rows, FT_COUNT(rows), refusals, FT_COUNT(refusals));

	return failed + cmocka_run_group_tests(tests, NULL, NULL);
}
