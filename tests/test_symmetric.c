/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Which switch is which where nothing has a name and all switches look alike: networks of high symmetry, shuffled, some
 * with cables pulled. Any image under the symmetry is right: what counts is how many cables are not where they belong.
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
#include "verify/match/assign.h"

enum { SEEDS = 2, PULLED = 3 };

static const char *const designs[] = {
	"\"topology\": \"slim-fly\", \"q\": 16, \"edge\": {\"ports\": 64}",
	"\"topology\": \"slim-fly\", \"q\": 17, \"edge\": {\"ports\": 64}",
	"\"topology\": \"slim-fly\", \"q\": 19, \"edge\": {\"ports\": 64}",
	"\"topology\": \"polarfly\", \"q\": 17, \"edge\": {\"ports\": 36}",
	("\"topology\": \"dragonfly\", \"group\": {\"routers\": 8, \"global\": 4}, \"groups\": 33, "
	 "\"edge\": {\"ports\": 36}"),
	"\"topology\": \"hyperx\", \"dims\": [12, 8], \"edge\": {\"ports\": 64}",
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

/* The network of a plan, and the same with other numbers and without @pulled of its bundles. */
static void fabric_make(const struct ft_plan *plan, uint64_t seed, uint32_t pulled, struct fabric *f)
{
	uint32_t n = plan->switch_count;
	_cleanup_free_ struct ft_edge *edges = calloc(plan->bundle_count, sizeof(*edges));
	_cleanup_free_ uint32_t *number = calloc(n, sizeof(*number)), *pick = calloc(plan->bundle_count, sizeof(*pick));

	assert_true(edges && number && pick);
	for (uint32_t i = 0; i < plan->bundle_count; i++)
		edges[i] = (struct ft_edge){plan->bundles[i].a, plan->bundles[i].b, plan->bundles[i].count};
	assert_int_equal(ft_multigraph_make(n, edges, plan->bundle_count, &f->planned), 0);
	shuffle(number, n, &seed);
	shuffle(pick, plan->bundle_count, &seed);
	for (uint32_t i = pulled; i < plan->bundle_count; i++) {
		const struct ft_plan_bundle *bundle = &plan->bundles[pick[i]];

		edges[i - pulled] = (struct ft_edge){number[bundle->a], number[bundle->b], bundle->count};
	}
	assert_int_equal(ft_multigraph_make(n, edges, plan->bundle_count - pulled, &f->observed), 0);
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

/* Pairs of observed switches whose cables are not those of their places. */
static uint32_t surplus_count(const struct fabric *f, const uint32_t *image)
{
	uint32_t wrong = 0;

	for (uint32_t o = 0; o < f->observed.count; o++) {
		assert_int_not_equal(image[o], UINT32_MAX);
		for (uint32_t i = f->observed.first[o]; i < f->observed.first[o + 1]; i++) {
			const struct ft_adjacent *peer = &f->observed.adjacent[i];

			wrong += ft_edges_between(&f->planned, image[o], image[peer->vertex]) != peer->count;
		}
	}
	return wrong / 2;
}

static void design_run(const char *keys, uint64_t seed, uint32_t pulled)
{
	_cleanup_(ft_design_freep) struct ft_design *design = NULL;
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	_cleanup_(fabric_release) struct fabric f = {0};
	_cleanup_free_ uint32_t *image = NULL, *rival = NULL;
	struct ft_error err = {0};
	bool unfinished;
	char text[512];

	snprintf(text, sizeof(text), "{\"ftcheck\": 1, \"name\": \"t\", %s}", keys);
	assert_int_equal(ft_design_read(text, strlen(text), &design, &plan, &err), 0);
	fabric_make(plan, seed, pulled, &f);
	image = malloc(plan->switch_count * sizeof(*image));
	rival = malloc(plan->switch_count * sizeof(*rival));
	assert_true(image && rival);
	assert_int_equal(ft_assign(&(struct ft_assign){.planned = &f.planned,
						       .observed = &f.observed,
						       .planned_at = f.vertices,
						       .observed_at = f.vertices,
						       .named = f.none,
						       .fixed = f.fixed,
						       .order = f.order},
				   image, rival, &unfinished),
			 0);
	if (surplus_count(&f, image) > 0 || unfinished)
		fail_msg("%s, seed %u, %u pulled: %u wrong%s", keys, (unsigned int)seed, pulled,
			 surplus_count(&f, image), unfinished ? ", unfinished" : "");
}

static void test_intact(void **state)
{
	(void)state;
	for (size_t i = 0; i < FT_COUNT(designs); i++)
		for (uint64_t seed = 1; seed <= SEEDS; seed++)
			design_run(designs[i], seed, 0);
}

/* All pairs that are there are where they belong: only those pulled are missing. */
static void test_pulled(void **state)
{
	(void)state;
	for (size_t i = 0; i < FT_COUNT(designs); i++)
		for (uint64_t seed = 1; seed <= SEEDS; seed++)
			design_run(designs[i], seed, PULLED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_intact),
		cmocka_unit_test(test_pulled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
