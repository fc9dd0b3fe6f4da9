/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/flow/flow.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "planner/flow/dense.h"
#include "planner/flow/sparse.h"

enum {
	PAIRS_LISTED = 70000, /* 260 switches or so with hosts; up to 200 MiB where ways are long */
	ROUNDS_FIRST = 20,    /* before pairs are listed */
};

/* From each vertex with a weight to each other one: what the weights stand for. */
static struct ft_flow_demand *list_make(const struct ft_flow_problem *problem, size_t count)
{
	struct ft_flow_demand *list = calloc(count + 1, sizeof(*list));
	const double *weights = problem->weights;
	size_t filled = 0;

	for (uint32_t from = 0; list && from < problem->vertex_count; from++)
		for (uint32_t to = 0; to < problem->vertex_count; to++)
			if (from != to && weights[from] > 0 && weights[to] > 0)
				list[filled++] = (struct ft_flow_demand){from, to, weights[from] * weights[to]};
	return list;
}

/* Goes on with @search, of demands by weights, with the same demands as a list. */
static int solve_as_list(struct ft_flow_search *search, size_t pairs, uint32_t *ret_rounds)
{
	const struct ft_flow_problem *problem = search->problem;
	_cleanup_free_ struct ft_flow_demand *list = list_make(problem, pairs);
	struct ft_flow_problem listed = *problem;
	int r;

	if (!list)
		return -ENOMEM;
	listed.weights = NULL;
	listed.demands = list;
	listed.demand_count = pairs;
	search->problem = &listed;
	r = ft_flow_sparse_solve(search, ret_rounds);
	search->problem = problem;
	return r;
}

/*
 * Multiplicative weights prove at once what is symmetric, and need ten rounds where paths are many. Where cables are
 * missing from a symmetric network, few arcs limit all, and rounds end at some percent: a HyperX of 4 x 5 switches
 * without three at 3.5 % after four seconds. If there are not too many pairs, the routings of all of them are kept
 * then, which takes a tenth of a second there.
 */
static int solve_all_pairs(struct ft_flow_search *search, uint64_t pairs, uint32_t *ret_rounds)
{
	bool few = pairs <= PAIRS_LISTED;
	uint32_t rounds = 0;
	int r = ft_flow_dense_solve(search, few ? ROUNDS_FIRST : UINT32_MAX, ret_rounds);

	if (r >= 0 && few && !ft_flow_search_is_enough(search) && search->steps < search->steps_max) {
		r = solve_as_list(search, pairs, &rounds);
		*ret_rounds += rounds;
	}
	return r;
}

int ft_flow_solve(const struct ft_flow_problem *problem, struct ft_flow *ret)
{
	_cleanup_(ft_flow_search_release) struct ft_flow_search search = {0};
	struct ft_flow flow = {.value = INFINITY, .bound = INFINITY};
	int r = ft_flow_search_make(problem, &search);

	if (r < 0)
		return r;
	ft_flow_search_count(&search, &flow);
	if (flow.pairs_cut > 0)
		flow.value = flow.bound = 0;
	if (flow.pairs > 0 && flow.pairs_cut == 0) {
		r = problem->weights ? solve_all_pairs(&search, flow.pairs, &flow.rounds)
				     : ft_flow_sparse_solve(&search, &flow.rounds);
		if (r < 0)
			return r;
		flow.value = search.value;
		/* Where they are equal but for rounding. */
		flow.bound = fmax(search.bound, search.value);
	}
	*ret = flow;
	return 0;
}
