/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/flow/flow.h"

#include <math.h>

#include "base/cleanup.h"
#include "planner/flow/dense.h"
#include "planner/flow/sparse.h"

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
		r = problem->weights ? ft_flow_dense_solve(&search, &flow.rounds)
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
