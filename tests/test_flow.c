/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Maximum concurrent flow: closed forms, what a linear program says of the same graphs, degraded and unlike ones; and
 * the throughput of plans. Of each the value must not exceed the truth, the bound not fall below, and both be as near
 * as was asked for.
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
#include <jansson.h>

#include "base/chance.h"
#include "base/cleanup.h"
#include "planner/flow/flow.h"
#include "planner/flow/matching.h"
#include "planner/flow/throughput.h"
#include "planner/plan/design.h"
#include "planner/plan/plan.h"
#include "tests/skipped.h"

#define TOLERANCE 1e-6

enum { ARCS_MAX = 4096, VERTICES_MAX = 128 };

/* ---- graphs ---- */

struct net {
	uint32_t vertex_count;
	struct ft_flow_arc arcs[ARCS_MAX];
	size_t arc_count;
	double weights[VERTICES_MAX];
};

static void net_join(struct net *net, uint32_t a, uint32_t b, double capacity)
{
	assert_true(net->arc_count + 2 <= ARCS_MAX);
	net->arcs[net->arc_count++] = (struct ft_flow_arc){a, b, capacity};
	net->arcs[net->arc_count++] = (struct ft_flow_arc){b, a, capacity};
}

static void net_begin(struct net *net, uint32_t vertices)
{
	*net = (struct net){.vertex_count = vertices};
	for (uint32_t v = 0; v < vertices; v++)
		net->weights[v] = 1;
}

/* A grid of x * y * z; @wraps: a torus. Dimensions of two have one link. */
static void net_grid(struct net *net, const uint32_t dims[3], bool wraps)
{
	uint32_t stride = dims[0] * dims[1] * dims[2];

	net_begin(net, stride);
	for (int d = 0; d < 3; d++) {
		stride /= dims[d];
		for (uint32_t v = 0; v < net->vertex_count; v++) {
			uint32_t at = v / stride % dims[d];

			if (at + 1 < dims[d])
				net_join(net, v, v + stride, 1);
			else if (wraps && dims[d] > 2)
				net_join(net, v, v - at * stride, 1);
		}
	}
}

static void net_complete(struct net *net, uint32_t vertices)
{
	net_begin(net, vertices);
	for (uint32_t a = 0; a < vertices; a++)
		for (uint32_t b = a + 1; b < vertices; b++)
			net_join(net, a, b, 1);
}

static void net_hypercube(struct net *net, uint32_t order)
{
	net_begin(net, 1U << order);
	for (uint32_t v = 0; v < net->vertex_count; v++)
		for (uint32_t d = 0; d < order; d++)
			if (!(v & 1U << d))
				net_join(net, v, v | 1U << d, 1);
}

/* Vertices that are matched with each other, x * y: all of a row and all of a column are joined. */
static void net_hyperx(struct net *net, uint32_t x, uint32_t y)
{
	net_begin(net, x * y);
	for (uint32_t a = 0; a < x * y; a++)
		for (uint32_t b = a + 1; b < x * y; b++)
			if (a / y == b / y || a % y == b % y)
				net_join(net, a, b, 1);
}

/* The Hoffman-Singleton graph in the order of Slim Fly's q = 5: type, x, y. */
static void net_hoffman(struct net *net)
{
	net_begin(net, 50);
	for (uint32_t i = 0; i < 25; i++) {
		uint32_t x = i / 5, y = i % 5;

		net_join(net, i, 5 * x + (y + 1) % 5, 1);
		net_join(net, 25 + i, 25 + 5 * x + (y + 2) % 5, 1);
		for (uint32_t m = 0; m < 5; m++)
			net_join(net, i, 25 + 5 * m + (y + 25 - m * x) % 5, 1);
	}
}

typedef void make_fn(struct net *net);

static void make_ring(struct net *net)
{
	net_grid(net, (const uint32_t[]){9, 1, 1}, true);
}

static void make_ring_open(struct net *net)
{
	net_grid(net, (const uint32_t[]){9, 1, 1}, false);
}

static void make_torus(struct net *net)
{
	net_grid(net, (const uint32_t[]){4, 6, 1}, true);
}

static void make_torus_3d(struct net *net)
{
	net_grid(net, (const uint32_t[]){3, 4, 5}, true);
}

static void make_mesh(struct net *net)
{
	net_grid(net, (const uint32_t[]){4, 4, 1}, false);
}

static void make_mesh_long(struct net *net)
{
	net_grid(net, (const uint32_t[]){8, 12, 1}, false);
}

static void make_mesh_3d(struct net *net)
{
	net_grid(net, (const uint32_t[]){3, 4, 6}, false);
}

static void make_torus_4x4(struct net *net)
{
	net_grid(net, (const uint32_t[]){4, 4, 1}, true);
}

/* The link (0,0)-(0,1), which is the first along the second dimension. */
static void make_torus_broken(struct net *net)
{
	make_torus_4x4(net);
	for (size_t i = 0; i < net->arc_count; i++)
		if (net->arcs[i].from + net->arcs[i].to == 1)
			net->arcs[i].capacity = 0;
}

/* Four cables a ring's edge: of a dimension of two, both edges join the same two. */
static void make_cube_rack(struct net *net)
{
	net_grid(net, (const uint32_t[]){2, 3, 1}, true);
	for (size_t i = 0; i < net->arc_count; i++)
		net->arcs[i].capacity = net->arcs[i].from % 3 == net->arcs[i].to % 3 ? 8 : 4;
}

static void make_complete(struct net *net)
{
	net_complete(net, 8);
}

static void make_hypercube(struct net *net)
{
	net_hypercube(net, 6);
}

/* Four edges of weight 3 under two cores: 3 * 9 leave each edge over 2 * 3; a core that is thinner counts for less. */
static void make_tree(struct net *net)
{
	net_begin(net, 6);
	for (uint32_t e = 0; e < 4; e++) {
		net->weights[e] = 3;
		net_join(net, e, 4, 3);
		net_join(net, e, 5, 1.5);
	}
	net->weights[4] = net->weights[5] = 0;
}

static void make_parts(struct net *net)
{
	net_begin(net, 5);
	net_join(net, 0, 1, 1);
	net_join(net, 1, 2, 1);
	net_join(net, 3, 4, 1);
}

static void make_lonely(struct net *net)
{
	net_begin(net, 3);
	net_join(net, 0, 1, 1);
	net_join(net, 1, 2, 1);
	net->weights[0] = net->weights[1] = 0;
}

static void make_hyperx(struct net *net)
{
	net_hyperx(net, 12, 8);
}

struct row {
	const char *what;
	make_fn *make;
	uint32_t ahead; /* each vertex sends 1 to that so far behind it; 0: all to all */
	double truth;
	uint64_t cut; /* pairs without a path */
	double gap;
};

/* Of a ring of n, n odd: the distances from one are (n^2 - 1) / 4 in sum, over two arcs. */
static const struct row rows[] = {
	{"ring of 9", make_ring, 0, 2 / 20.0, 0, 0.01},
	{"chain of 9: the middle", make_ring_open, 0, 1 / 20.0, 0, 0.01},
	{"complete graph", make_complete, 0, 1, 0, 0.01},
	{"hypercube of order 6", make_hypercube, 0, 1 / 32.0, 0, 0.01},
	{"torus 4x6", make_torus, 0, 1 / 18.0, 0, 0.01},
	{"torus 3x4x5", make_torus_3d, 0, 1 / 36.0, 0, 0.01},
	{"torus 4x4", make_torus_4x4, 0, 0.125, 0, 0.01},
	{"torus 4x4 without a link: 12.5 % less", make_torus_broken, 0, 0.109375, 0, 0.01},
	{"the same, nearer", make_torus_broken, 0, 0.109375, 0, 0.003},
	{"torus 2x3 of 4 cables", make_cube_rack, 0, 2, 0, 0.01},
	{"mesh 4x4", make_mesh, 0, 0.0625, 0, 0.01},
	{"mesh 8x12: the cut of its middle, by the order of dimensions", make_mesh_long, 0, 8 / (48.0 * 48), 0, 1e-6},
	{"mesh 3x4x6: the same", make_mesh_3d, 0, 12 / (36.0 * 36), 0, 1e-6},
	{"unlike capacities", make_tree, 0, 4.5 / 27, 0, 0.01},
	{"ring of 9, each to the next but one", make_ring, 2, 0.5 + 1 / 7.0, 0, 0.01},
	{"ring of 9, each to the one opposite", make_ring, 4, 1 / 4.0 + 1 / 5.0, 0, 0.001},
	{"complete graph, each to the next: one way of a link, six of two", make_complete, 1, 4, 0, 0.001},
	{"hypercube, each across one dimension", make_hypercube, 32, 1, 0, 0.001},
	{"two parts", make_parts, 0, 0, 12, 0.01},
	{"no traffic between vertices", make_lonely, 0, INFINITY, 0, 0.01},
};

static void net_solve(const struct net *net, uint32_t ahead, double gap, struct ft_flow *ret)
{
	struct ft_flow_demand demands[VERTICES_MAX];
	struct ft_flow_problem problem = {
		.vertex_count = net->vertex_count,
		.arcs = net->arcs,
		.arc_count = net->arc_count,
		.weights = ahead > 0 ? NULL : net->weights,
		.demands = demands,
		.demand_count = net->vertex_count,
		.gap = gap,
	};

	for (uint32_t v = 0; v < net->vertex_count; v++)
		demands[v] = (struct ft_flow_demand){v, (v + ahead) % net->vertex_count, 1};
	assert_int_equal(ft_flow_solve(&problem, ret), 0);
}

static void flow_judge(const struct ft_flow *flow, double truth, double gap)
{
	if (isinf(truth)) {
		assert_true(isinf(flow->value) && isinf(flow->bound));
		return;
	}
	if (flow->value > truth * (1 + TOLERANCE) || flow->bound < truth * (1 - TOLERANCE) ||
	    flow->value < flow->bound * (1 - gap))
		fail_msg("%.9g to %.9g, and it is %.9g", flow->value, flow->bound, truth);
}

static void test_row(void **state)
{
	const struct row *row = *state;
	struct net net;
	struct ft_flow flow;

	row->make(&net);
	net_solve(&net, row->ahead, row->gap, &flow);
	assert_int_equal(flow.pairs_cut, row->cut);
	flow_judge(&flow, row->truth, row->gap);
}

/* Few steps: the gap is larger, and what is said is still true. */
static void test_few_steps(void **state)
{
	static struct net net;
	struct ft_flow flow;
	struct ft_flow_problem problem = {.arcs = net.arcs, .weights = net.weights, .gap = 0.0001, .steps_max = 1};

	(void)state;
	make_torus_broken(&net);
	problem.vertex_count = net.vertex_count;
	problem.arc_count = net.arc_count;
	assert_int_equal(ft_flow_solve(&problem, &flow), 0);
	assert_int_equal(flow.rounds, 1);
	assert_true(flow.value < flow.bound * 0.99);
	flow_judge(&flow, 0.109375, 1);
}

/* ---- the reference ---- */

/* Graphs of the reference by how their names begin. */
static const struct {
	const char *name;
	make_fn *make;
} references[] = {
	{"torus 2x3, bundle 4", make_cube_rack},
	{"torus 4x6", make_torus},
	{"torus 3x4x5", make_torus_3d},
	{"mesh 4x4", make_mesh},
	{"hypercube 6", make_hypercube},
	{"complete K8", make_complete},
	{"slimfly q=5", net_hoffman},
	{"torus 4x4 without link (0,0)-(0,1)", make_torus_broken},
	{"hyperx 12x8", make_hyperx},
};

static make_fn *reference_find(const char *name)
{
	for (size_t i = 0; i < FT_COUNT(references); i++)
		if (strncmp(name, references[i].name, strlen(references[i].name)) == 0)
			return references[i].make;
	return NULL;
}

/* Every graph that is known here, all to all or each to the one opposite. */
static void test_reference(void **state)
{
	const char *shared = getenv("FT_SHARED");
	char path[4096];
	json_t *root, *item;
	size_t i, looked_at = 0;

	(void)state;
	snprintf(path, sizeof(path), "%s/reference/topologies/throughput-lp.json", shared ? shared : "../shared");
	root = json_load_file(path, 0, NULL);
	if (!root)
		skip_for(NO_REFERENCE);
	json_array_foreach(json_object_get(root, "cases"), i, item) {
		make_fn *make = reference_find(json_string_value(json_object_get(item, "topology")));
		bool opposite = strncmp(json_string_value(json_object_get(item, "demand")), "i -> i+n/2", 10) == 0;
		double gap = 0.01;
		struct net net;
		struct ft_flow flow;

		if (!make)
			continue;
		make(&net);
		net_solve(&net, opposite ? net.vertex_count / 2 : 0, gap, &flow);
		/* The reference has six decimals. */
		flow.value *= 1 - 1e-5;
		flow.bound *= 1 + 1e-5;
		flow_judge(&flow, json_real_value(json_object_get(item, "throughput")), gap + 0.0001);
		looked_at++;
	}
	json_decref(root);
	assert_true(looked_at >= FT_COUNT(references));
}

/* ---- matchings ---- */

enum { SMALL = 6 };

static uint32_t distance_in(const struct net *net, uint32_t from, uint32_t to)
{
	uint32_t distance[VERTICES_MAX];

	for (uint32_t v = 0; v < net->vertex_count; v++)
		distance[v] = v == from ? 0 : net->vertex_count;
	for (uint32_t pass = 0; pass < net->vertex_count; pass++)
		for (size_t i = 0; i < net->arc_count; i++)
			if (distance[net->arcs[i].from] + 1 < distance[net->arcs[i].to])
				distance[net->arcs[i].to] = distance[net->arcs[i].from] + 1;
	return distance[to];
}

/* The longest of all permutations of what is left. */
static uint32_t longest_by_force(const struct net *net, uint32_t from, uint32_t taken)
{
	uint32_t longest = 0;

	for (uint32_t to = 0; from < net->vertex_count && to < net->vertex_count; to++) {
		uint32_t length;

		if (taken & 1U << to)
			continue;
		length = distance_in(net, from, to) + longest_by_force(net, from + 1, taken | 1U << to);
		longest = length > longest ? length : longest;
	}
	return longest;
}

/* Random trees with two more links. */
static void test_matchings(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 12; seed++) {
		_cleanup_free_ struct ft_flow_demand *matches = NULL;
		uint32_t hosts[SMALL] = {2, 2, 2, 2, 2, 2}, length = 0, sent[SMALL] = {0}, taken[SMALL] = {0};
		uint64_t chance = seed;
		struct net net;
		struct ft_flow_problem problem;
		size_t count;
		bool exact;

		net_begin(&net, SMALL);
		for (uint32_t v = 1; v < SMALL; v++)
			net_join(&net, v, ft_chance_below(&chance, v), 1);
		net_join(&net, 0, 1 + ft_chance_below(&chance, SMALL - 1), 1);
		problem = (struct ft_flow_problem){.vertex_count = SMALL, .arcs = net.arcs, .arc_count = net.arc_count};
		assert_int_equal(ft_matching_longest(&problem, hosts, &matches, &count, &exact), 0);
		assert_true(exact);
		for (size_t i = 0; i < count; i++) {
			length += (uint32_t)matches[i].amount * distance_in(&net, matches[i].from, matches[i].to);
			sent[matches[i].from] += (uint32_t)matches[i].amount;
			taken[matches[i].to] += (uint32_t)matches[i].amount;
		}
		assert_memory_equal(sent, hosts, sizeof(hosts));
		assert_memory_equal(taken, hosts, sizeof(hosts));
		assert_int_equal(length, 2 * longest_by_force(&net, 0, 0));
	}
}

/* ---- plans ---- */

#define DESIGN(keys) "{\"ftcheck\":1,\"name\":\"t\"," keys "}"
#define TREE(blocking)                                                           \
	DESIGN("\"nodes\":72,\"topology\":\"fat-tree\",\"blocking\":\"" blocking \
	       "\",\"edge\":{\"ports\":36},\"core\":{\"ports\":36}")

static const struct plan_row {
	const char *design;
	enum ft_traffic traffic;
	uint32_t lost; /* bundles from the first on that are not there */
	double value;
	uint64_t cut;
} plans[] = {
	{TREE("1"), FT_TRAFFIC_ALL_TO_ALL, 0, 1, 0},
	{TREE("1"), FT_TRAFFIC_PERMUTATION, 0, 1, 0},
	{TREE("1"), FT_TRAFFIC_WORST_MATCHING, 0, 1, 0},
	/* Three edges of 24 hosts, 12 cables up: 24 * 48 / 71 have to leave each. */
	{TREE("2"), FT_TRAFFIC_ALL_TO_ALL, 0, 12 * 71 / (24.0 * 48), 0},
	{TREE("2"), FT_TRAFFIC_WORST_MATCHING, 0, 0.5, 0},
	{TREE("2"), FT_TRAFFIC_WORST_MATCHING, 1, 0, 2},
	/* Four edges of 18 hosts, 9 cables up to each core switch, of which one can do half the rate of the edges only.
	 */
	{DESIGN("\"nodes\":72,\"topology\":\"fat-tree\",\"rate\":\"4xQDR\",\"edge\":{\"ports\":36,\"count\":4,"
		"\"ports_to_nodes\":18,\"ports_to_core\":18},\"core\":{\"ports\":36,\"count\":2},\"bundle\":9,"
		"\"classes\":[{\"tier\":\"core\",\"count\":1,\"rate\":\"4xDDR\"}]"),
	 FT_TRAFFIC_ALL_TO_ALL, 0, 13.5 * 71 / (18.0 * 54), 0},
};

static void test_plans(void **state)
{
	(void)state;
	for (size_t i = 0; i < FT_COUNT(plans); i++) {
		_cleanup_(ft_design_freep) struct ft_design *design = NULL;
		_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
		_cleanup_free_ double *capacity = NULL;
		struct ft_throughput_ask ask = {.traffic = plans[i].traffic, .seed = 1};
		struct ft_throughput found;
		struct ft_error err = {0};

		if (ft_design_read(plans[i].design, strlen(plans[i].design), &design, &plan, &err) < 0)
			fail_msg("%s", err.text);
		assert_int_equal(ft_throughput_capacity(design, plan, &capacity), 0);
		for (uint32_t k = 0; k < plans[i].lost; k++)
			capacity[k] = 0;
		ask.capacity = capacity;
		assert_int_equal(ft_throughput(plan, &ask, &found), 0);
		assert_int_equal(found.pairs_cut, plans[i].cut);
		flow_judge(&(struct ft_flow){.value = found.value, .bound = found.bound}, plans[i].value, 0.01);
	}
}

/*
 * Hard ones, over many long ways, in few steps, and what has been proved of them. The steps of the first are not enough
 * where each part's shares move to its cheapest routing alone; those of the others, where all parts settle in every
 * round as far as in the last.
 */
static const struct hard {
	const char *name, *text;
	enum ft_traffic traffic;
	uint64_t steps_max;
	double least, most;
	bool is_damaged; /* the first cable is missing */
} hard[] = {
	{"each switch of a slim fly sends all to one other",
	 DESIGN("\"topology\":\"slim-fly\",\"q\":11,\"edge\":{\"ports\":26,\"ports_to_nodes\":9}"),
	 FT_TRAFFIC_WORST_MATCHING, 200000000, 0.6120, 0.6165, false},
	{"permutation of a hyperx",
	 DESIGN("\"topology\":\"hyperx\",\"dims\":[16,16],\"bundle\":1,\"edge\":{\"ports\":45,\"ports_to_nodes\":15}"),
	 FT_TRAFFIC_PERMUTATION, 300000000, 0.9459, 0.9526, false},
	{"one cable is missing from a slim fly",
	 DESIGN("\"topology\":\"slim-fly\",\"q\":13,\"edge\":{\"ports\":30,\"ports_to_nodes\":11}"),
	 FT_TRAFFIC_ALL_TO_ALL, 3000000000, 0.8250, 0.8366, true},
};

static void test_hard(void **state)
{
	const struct hard *row = *state;
	struct ft_throughput_ask ask = {.traffic = row->traffic, .seed = 1, .steps_max = row->steps_max};
	_cleanup_free_ double *capacity = NULL;
	_cleanup_(ft_design_freep) struct ft_design *design = NULL;
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	struct ft_throughput found;
	struct ft_error err = {0};

	if (ft_design_read(row->text, strlen(row->text), &design, &plan, &err) < 0)
		fail_msg("%s", err.text);
	capacity = calloc(plan->bundle_count, sizeof(*capacity));
	assert_non_null(capacity);
	for (uint32_t b = 0; b < plan->bundle_count; b++)
		capacity[b] = plan->bundles[b].count - (b == 0 && row->is_damaged ? 1 : 0);
	ask.capacity = capacity;
	assert_int_equal(ft_throughput(plan, &ask, &found), 0);
	if (found.gap > 0.01 || found.value > row->most || found.bound < row->least)
		fail_msg("%.5f to %.5f", found.value, found.bound);
}

int main(void)
{
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(test_few_steps),
		cmocka_unit_test(test_reference),
		cmocka_unit_test(test_matchings),
		cmocka_unit_test(test_plans),
	};

	struct CMUnitTest tests[FT_COUNT(rows) + FT_COUNT(others) + FT_COUNT(hard)];

	for (size_t i = 0; i < FT_COUNT(rows); i++)
		tests[i] = (struct CMUnitTest){rows[i].what, test_row, NULL, NULL, (void *)(uintptr_t)&rows[i]};
	memcpy(tests + FT_COUNT(rows), others, sizeof(others));
	for (size_t i = 0; i < FT_COUNT(hard); i++)
		tests[FT_COUNT(rows) + FT_COUNT(others) + i] =
			(struct CMUnitTest){hard[i].name, test_hard, NULL, NULL, (void *)(uintptr_t)&hard[i]};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
