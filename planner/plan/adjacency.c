/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/plan/adjacency.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "planner/plan/plan.h"

void ft_adjacency_release(struct ft_adjacency *adjacency)
{
	free(adjacency->first);
	free(adjacency->arcs);
}

/* Counting sort: counted, then filled from the last bundle on, which leaves @first at each switch's first arc. */
int ft_adjacency_make(const struct ft_plan *plan, struct ft_adjacency *ret)
{
	uint32_t count = plan->switch_count;

	ret->first = calloc(count + 1UL, sizeof(*ret->first));
	ret->arcs = calloc(2UL * plan->bundle_count + 1, sizeof(*ret->arcs));
	if (!ret->first || !ret->arcs)
		return -ENOMEM;
	for (uint32_t i = 0; i < plan->bundle_count; i++) {
		ret->first[plan->bundles[i].a]++;
		ret->first[plan->bundles[i].b]++;
	}
	for (uint32_t i = 1; i <= count; i++)
		ret->first[i] += ret->first[i - 1];
	for (uint32_t i = plan->bundle_count; i-- > 0;) {
		const struct ft_plan_bundle *bundle = &plan->bundles[i];

		ret->arcs[--ret->first[bundle->a]] = (struct ft_arc){bundle->b, i};
		ret->arcs[--ret->first[bundle->b]] = (struct ft_arc){bundle->a, i};
	}
	return 0;
}

int ft_plan_graph(const struct ft_plan *plan, struct ft_multigraph *ret)
{
	_cleanup_free_ struct ft_edge *edges = malloc((plan->bundle_count + 1UL) * sizeof(*edges));

	if (!edges)
		return -ENOMEM;
	for (uint32_t i = 0; i < plan->bundle_count; i++)
		edges[i] = (struct ft_edge){plan->bundles[i].a, plan->bundles[i].b, plan->bundles[i].count};
	return ft_multigraph_make(plan->switch_count, edges, plan->bundle_count, ret);
}

void ft_adjacency_forget(uint32_t *distance, uint32_t switch_count)
{
	for (uint32_t i = 0; i < switch_count; i++)
		distance[i] = FT_ADJACENCY_FAR;
}

uint32_t ft_adjacency_search(const struct ft_adjacency *near, const struct ft_plan *plan, uint32_t from,
			     uint32_t *distance, uint32_t *order)
{
	uint32_t found = 0;

	distance[from] = 0;
	order[found++] = from;
	for (uint32_t i = 0; i < found; i++)
		for (uint32_t k = near->first[order[i]]; k < near->first[order[i] + 1]; k++) {
			uint32_t to = near->arcs[k].to;

			if (distance[to] != FT_ADJACENCY_FAR || plan->bundles[near->arcs[k].bundle].count == 0)
				continue;
			distance[to] = distance[order[i]] + 1;
			order[found++] = to;
		}
	return found;
}
