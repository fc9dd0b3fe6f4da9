/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/flow/search.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

void ft_flow_search_release(struct ft_flow_search *search)
{
	ft_flow_graph_release(&search->graph);
	ft_flow_paths_release(&search->paths);
	ft_flow_carried_release(&search->carried);
	free(search->want);
}

int ft_flow_search_make(const struct ft_flow_problem *problem, struct ft_flow_search *ret)
{
	int r = ft_flow_graph_make(problem, &ret->graph);

	ret->problem = problem;
	ret->bound = INFINITY;
	ret->steps_max = problem->steps_max ? problem->steps_max : FT_FLOW_STEPS_MAX;
	if (r >= 0)
		r = ft_flow_paths_make(&ret->graph, &ret->paths);
	if (r >= 0)
		r = ft_flow_carried_make(&ret->graph, &ret->carried);
	if (r < 0)
		return r;
	ret->want = calloc(problem->vertex_count + 1UL, sizeof(*ret->want));
	return ret->want ? 0 : -ENOMEM;
}

/*
 * Finds the distances from @source to all that it has demands to. Returns to how many; @ret_cut: how many of them have
 * no path.
 */
static uint32_t source_find(struct ft_flow_search *search, uint32_t source, const double *length, size_t *next,
			    uint32_t *ret_cut)
{
	uint32_t count = ft_flow_demands_of(search->problem, source, search->want, next);

	*ret_cut = 0;
	if (count == 0)
		return 0;
	*ret_cut = ft_flow_paths_find(&search->paths, source, length, search->want, count);
	return count;
}

void ft_flow_search_count(struct ft_flow_search *search, struct ft_flow *ret)
{
	uint32_t cut;
	size_t next = 0;

	for (uint32_t source = 0; source < search->graph.vertex_count; source++) {
		/* Any lengths above 0 will do. */
		ret->pairs += source_find(search, source, search->graph.capacity, &next, &cut);
		ret->pairs_cut += cut;
	}
}

double ft_flow_search_volume(const struct ft_flow_search *search, const double *length)
{
	double volume = 0;

	for (uint32_t k = 0; k < search->graph.arc_count; k++)
		volume += length[k] * search->graph.capacity[k];
	return volume;
}

bool ft_flow_search_take(struct ft_flow_search *search, const double *length, double reach)
{
	double bound = ft_flow_search_volume(search, length) / reach;

	if (bound >= search->bound)
		return false;
	search->bound = bound;
	return true;
}

bool ft_flow_search_prove(struct ft_flow_search *search, const double *length)
{
	double reach = 0;
	uint32_t cut;
	size_t next = 0;

	for (uint32_t source = 0; source < search->graph.vertex_count; source++)
		if (source_find(search, source, length, &next, &cut) > 0)
			reach += ft_flow_paths_reach(&search->paths, search->want);
	search->steps += (uint64_t)search->graph.vertex_count * search->graph.arc_count * FT_FLOW_FIND_STEPS;
	return ft_flow_search_take(search, length, reach);
}

bool ft_flow_search_is_enough(const struct ft_flow_search *search)
{
	const struct ft_flow_problem *problem = search->problem;

	return search->value >= search->bound * (1 - problem->gap) ||
	       (problem->enough > 0 && search->value >= problem->enough);
}
