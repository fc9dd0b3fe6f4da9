/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Which switch is which where nothing has a name and all switches look alike: networks of high symmetry and random
 * ones, shuffled, some with faults. Any image under the symmetry is right: what counts is how many cables are not where
 * they belong.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "planner/plan/design.h"
#include "planner/plan/plan.h"
#include "tests/runs.h"
#include "verify/match/assign.h"

/* Where few runs are asked for: one draw of each row, and none of more switches than this. */
enum { BRIEF_SWITCHES = 700 };

/* What is wrong in a fabric: bundles that are not there, pairs of bundles with one end exchanged, dead switches. */
struct faults {
	uint32_t pulled, swapped, dead;
};

#define DRAGONFLY(a, h, g)                                                                                   \
	"\"topology\": \"dragonfly\", \"group\": {\"routers\": " #a ", \"global\": " #h "}, \"groups\": " #g \
	", \"edge\": {\"ports\": 64}"
#define RANDOM(nodes, seed)                                                                 \
	"\"topology\": \"random\", \"nodes\": " #nodes ", \"degree\": 24, \"seed\": " #seed \
	", \"edge\": {\"ports\": 36, \"ports_to_nodes\": 12}"

static const struct {
	const char *keys;
	struct faults faults;
	uint64_t seed; /* the one before the first */
} rows[] = {
	{"\"topology\": \"slim-fly\", \"q\": 8, \"edge\": {\"ports\": 64}", {2, 0, 0}, 0},
	{"\"topology\": \"slim-fly\", \"q\": 8, \"edge\": {\"ports\": 64}", {2, 0, 0}, 8},
	{"\"topology\": \"slim-fly\", \"q\": 8, \"edge\": {\"ports\": 64}", {1, 1, 1}, 0},
	{"\"topology\": \"slim-fly\", \"q\": 16, \"edge\": {\"ports\": 64}", {0, 0, 0}, 0},
	{"\"topology\": \"slim-fly\", \"q\": 16, \"edge\": {\"ports\": 64}", {3, 0, 0}, 0},
	{"\"topology\": \"slim-fly\", \"q\": 17, \"edge\": {\"ports\": 64}", {0, 0, 0}, 0},
	{"\"topology\": \"slim-fly\", \"q\": 17, \"edge\": {\"ports\": 64}", {3, 0, 0}, 0},
	{"\"topology\": \"slim-fly\", \"q\": 19, \"edge\": {\"ports\": 64}", {0, 0, 0}, 0},
	{"\"topology\": \"slim-fly\", \"q\": 19, \"edge\": {\"ports\": 64}", {2, 1, 1}, 0},
	{"\"topology\": \"slim-fly\", \"q\": 43, \"edge\": {\"ports\": 128}", {2, 1, 1}, 0},
	{"\"topology\": \"polarfly\", \"q\": 17, \"edge\": {\"ports\": 36}", {0, 0, 0}, 0},
	{"\"topology\": \"polarfly\", \"q\": 17, \"edge\": {\"ports\": 36}", {3, 0, 0}, 0},
	{"\"topology\": \"polarfly\", \"q\": 31, \"edge\": {\"ports\": 64}", {0, 0, 1}, 0},
	{"\"topology\": \"polarfly\", \"q\": 31, \"edge\": {\"ports\": 64}", {0, 0, 3}, 0},
	{DRAGONFLY(8, 4, 33), {0, 0, 0}, 0},
	{DRAGONFLY(8, 4, 33), {4, 0, 0}, 0},
	{DRAGONFLY(8, 4, 33), {2, 1, 1}, 0},
	{DRAGONFLY(12, 6, 73), {0, 3, 1}, 4},
	{DRAGONFLY(12, 6, 73), {2, 3, 2}, 4},
	{DRAGONFLY(12, 6, 73), {0, 6, 0}, 4},
	{DRAGONFLY(16, 8, 129), {0, 0, 0}, 0},
	{DRAGONFLY(16, 8, 129), {0, 1, 0}, 0},
	{RANDOM(12000, 1), {0, 0, 0}, 0},
	{RANDOM(12000, 1), {2, 1, 1}, 0},
	{RANDOM(49152, 1), {0, 0, 1}, 0},
	{"\"topology\": \"hyperx\", \"dims\": [12, 8], \"edge\": {\"ports\": 64}", {0, 0, 0}, 0},
	{"\"topology\": \"hyperx\", \"dims\": [12, 8], \"edge\": {\"ports\": 64}", {3, 0, 0}, 0},
};

/* Networks of the same numbers that are not the same: no list of faults says so. */
static const struct {
	const char *planned, *observed;
} others[] = {
	{RANDOM(2400, 1), RANDOM(2400, 2)},
	{"\"topology\": \"slim-fly\", \"q\": 11, \"edge\": {\"ports\": 64}",
	 "\"topology\": \"slim-fly\", \"q\": 11, \"primitive\": 7, \"edge\": {\"ports\": 64}"},
	{RANDOM(12000, 1), RANDOM(12000, 2)},
	{DRAGONFLY(8, 4, 33), DRAGONFLY(8, 4, 33) ", \"arrangement\": \"relative\""},
	{"\"topology\": \"torus\", \"dims\": [8, 9, 5], \"edge\": {\"ports\": 36}",
	 "\"topology\": \"torus\", \"dims\": [6, 6, 10], \"edge\": {\"ports\": 36}"},
};

struct fabric {
	struct ft_multigraph planned, observed;
	struct ft_assign_vertex *vertices; /* of both: all are alike */
	uint32_t *none, *order;
	bool *fixed;
};

static void fabric_release(struct fabric *f)
{
	ft_multigraph_release(&f->planned);
	ft_multigraph_release(&f->observed);
	free(f->vertices);
	free(f->none);
	free(f->order);
	free(f->fixed);
}

static uint64_t random_next(uint64_t *state)
{
	*state = *state * 6364136223846793005 + 1442695040888963407;
	return *state >> 33;
}

/* A random permutation of 0 … @count - 1. */
static void shuffle(uint32_t *ret, uint32_t count, uint64_t *state)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t k = (uint32_t)(random_next(state) % (i + 1));

		ret[i] = ret[k];
		ret[k] = i;
	}
}

/* Exchanges the far ends of two bundles, if they have no switch in common. */
static void ends_swap(struct ft_edge *x, struct ft_edge *y)
{
	uint32_t b = x->b;

	if (x->a == y->a || x->a == y->b || x->b == y->a || x->b == y->b)
		return;
	x->b = y->b;
	y->b = b;
}

static struct ft_edge *edges_of(const struct ft_plan *plan)
{
	struct ft_edge *edges = calloc(plan->bundle_count, sizeof(*edges));

	assert_non_null(edges);
	for (uint32_t i = 0; i < plan->bundle_count; i++)
		edges[i] = (struct ft_edge){plan->bundles[i].a, plan->bundles[i].b, plan->bundles[i].count};
	return edges;
}

/* The network of @planned, and that of @observed with other numbers and faults. */
static void fabric_make(const struct ft_plan *planned, const struct ft_plan *observed, uint64_t seed,
			struct faults faults, struct fabric *f)
{
	uint32_t n = observed->switch_count, m = observed->bundle_count, count = 0;
	_cleanup_free_ struct ft_edge *plan = edges_of(planned), *edges = edges_of(observed);
	_cleanup_free_ uint32_t *number = calloc(n, sizeof(*number)), *pick = calloc(m, sizeof(*pick));

	assert_true(number && pick);
	assert_int_equal(planned->switch_count, n);
	assert_int_equal(ft_multigraph_make(n, plan, planned->bundle_count, &f->planned), 0);
	shuffle(number, n, &seed);
	shuffle(pick, m, &seed);
	for (uint32_t i = 0; i < faults.swapped; i++)
		ends_swap(&edges[pick[faults.pulled + 2 * i]], &edges[pick[faults.pulled + 2 * i + 1]]);
	for (uint32_t i = 0; i < faults.pulled; i++)
		edges[pick[i]].count = 0;
	/* Those of the highest numbers are dead. */
	for (uint32_t i = 0; i < m; i++) {
		uint32_t a = number[edges[i].a], b = number[edges[i].b];

		if (edges[i].count > 0 && a < n - faults.dead && b < n - faults.dead)
			edges[count++] = (struct ft_edge){a, b, edges[i].count};
	}
	assert_int_equal(ft_multigraph_make(n - faults.dead, edges, count, &f->observed), 0);
	f->vertices = calloc(n, sizeof(*f->vertices));
	f->none = malloc(n * sizeof(*f->none));
	f->order = malloc(n * sizeof(*f->order));
	f->fixed = calloc(n, sizeof(*f->fixed));
	assert_true(f->vertices && f->none && f->order && f->fixed);
	for (uint32_t i = 0; i < n; i++) {
		f->vertices[i] = (struct ft_assign_vertex){.ports = 64, .hosts = 1, .may_host = true};
		f->none[i] = UINT32_MAX;
		f->order[i] = i;
	}
}

/* Pairs of observed switches whose cables are not those of their places; UINT32_MAX if some switch has none. */
static uint32_t surplus_count(const struct fabric *f, const uint32_t *image)
{
	uint32_t wrong = 0;

	for (uint32_t o = 0; o < f->observed.count; o++) {
		if (image[o] == UINT32_MAX)
			return UINT32_MAX;
		for (uint32_t i = f->observed.first[o]; i < f->observed.first[o + 1]; i++) {
			const struct ft_adjacent *peer = &f->observed.adjacent[i];

			wrong += ft_edges_between(&f->planned, image[o], image[peer->vertex]) != peer->count;
		}
	}
	return wrong / 2;
}

static void plan_read(const char *keys, struct ft_design **ret_design, struct ft_plan **ret_plan)
{
	struct ft_error err = {0};
	char text[512];

	snprintf(text, sizeof(text), "{\"ftcheck\": 1, \"name\": \"t\", %s}", keys);
	if (ft_design_read(text, strlen(text), ret_design, ret_plan, &err) != 0)
		fail_msg("%s: %s", keys, err.text);
}

/* Pairs that are wrong after a match; all are if some switch has no place. None if @brief, of a large network. */
static uint32_t wrong_after_match(const char *planned_keys, const char *observed_keys, uint64_t seed,
				  struct faults faults, bool brief, enum ft_assign_doubt *ret_doubt)
{
	_cleanup_(ft_design_freep) struct ft_design *design = NULL, *other = NULL;
	_cleanup_(ft_plan_freep) struct ft_plan *planned = NULL, *observed = NULL;
	_cleanup_(fabric_release) struct fabric f = {0};
	_cleanup_free_ uint32_t *image = NULL, *rival = NULL;
	struct ft_assign_result result;

	plan_read(planned_keys, &design, &planned);
	plan_read(observed_keys, &other, &observed);
	*ret_doubt = FT_ASSIGN_SURE;
	if (brief && planned->switch_count > BRIEF_SWITCHES)
		return 0;
	fabric_make(planned, observed, seed, faults, &f);
	image = malloc(planned->switch_count * sizeof(*image));
	rival = malloc(planned->switch_count * sizeof(*rival));
	assert_true(image && rival);
	result = (struct ft_assign_result){.image = image, .rival = rival};
	assert_int_equal(ft_assign(&(struct ft_assign){.planned = &f.planned,
						       .observed = &f.observed,
						       .planned_at = f.vertices,
						       .observed_at = f.vertices,
						       .named = f.none,
						       .fixed = f.fixed,
						       .order = f.order},
				   &result),
			 0);
	free(result.others);
	*ret_doubt = result.doubt;
	return surplus_count(&f, image);
}

/* Each pair that is there is where it belongs, but for two of each swap. */
static void test_faults(void **state)
{
	uint64_t seeds = runs_are_few() ? 1 : 2;

	(void)state;
	for (size_t i = 0; i < FT_COUNT(rows); i += runs_are_few() ? 3 : 1)
		for (uint64_t seed = rows[i].seed + 1; seed <= rows[i].seed + seeds; seed++) {
			struct faults faults = rows[i].faults;
			enum ft_assign_doubt doubt;
			uint32_t wrong =
				wrong_after_match(rows[i].keys, rows[i].keys, seed, faults, runs_are_few(), &doubt);

			if (wrong > 2 * faults.swapped || doubt != FT_ASSIGN_SURE)
				fail_msg("%s, seed %u, %u pulled, %u swapped, %u dead: %u wrong%s", rows[i].keys,
					 (unsigned int)seed, faults.pulled, faults.swapped, faults.dead, wrong,
					 doubt != FT_ASSIGN_SURE ? ", in doubt" : "");
		}
}

/* Slim Flies of the primitive elements z^-1 and z^p are that of z. */
static void test_isomorphic(void **state)
{
	static const struct {
		uint32_t q, primitive; /* of q = 27 and 16: z^3 and z^-2 */
	} slim_flies[] = {{11, 6}, {19, 10}, {23, 14}, {27, 5}, {16, 13}};

	(void)state;
	for (size_t i = 0; i < FT_COUNT(slim_flies); i++) {
		char plain[128], other[192];
		enum ft_assign_doubt doubt;

		snprintf(plain, sizeof(plain), "\"topology\": \"slim-fly\", \"q\": %u, \"edge\": {\"ports\": 64}",
			 slim_flies[i].q);
		snprintf(other, sizeof(other), "%s, \"primitive\": %u", plain, slim_flies[i].primitive);
		assert_int_equal(wrong_after_match(plain, other, 1, (struct faults){0}, runs_are_few(), &doubt), 0);
	}
}

/* What cannot be matched is not told as faults. */
static void test_others(void **state)
{
	(void)state;
	for (size_t i = 0; i < FT_COUNT(others); i += runs_are_few() ? 3 : 1) {
		enum ft_assign_doubt doubt;
		uint32_t wrong =
			wrong_after_match(others[i].planned, others[i].observed, 1, (struct faults){0}, false, &doubt);

		assert_true(wrong > 0);
		if (doubt != FT_ASSIGN_CONTRADICTED)
			fail_msg("%s: %u wrong, and no doubt", others[i].planned, wrong);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_isomorphic),
		cmocka_unit_test(test_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
