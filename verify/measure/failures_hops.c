/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The distances that a set of failures leaves: hops.c in the graph of the remaining bundles. Its cost is most of that
 * of an N-k analysis, so that only a sample of the sets is looked at (ft_hops_work()).
 */
#include "config.h"

#include "verify/measure/failures_parts.h"

#include <errno.h>
#include <stdlib.h>

#include "planner/plan/wiring.h"
#include "base/hops.h"
#include "verify/model/capacity.h"
#include "verify/model/model.h"

enum { BATCH = 64 }; /* searches of hops.c that share their steps */

bool ft_hops_count_for(const struct ft_model *m)
{
	return m->capacity->ranks == 1 && m->plan->bundle_count > 0 && !ft_plan_has_directors(m->plan);
}

/* Sources arrive at a switch at different steps, at most one step for each distance. */
uint64_t ft_hops_work(const struct ft_model *m, uint32_t farthest)
{
	uint64_t batches = (m->place_count + BATCH - 1UL) / BATCH;

	return batches * (2UL * m->cells.count + m->place_count) * (farthest + 1UL);
}

static bool is_left(const struct ft_model *m, const bool *dead, uint32_t p)
{
	return !dead[p] && m->observed_of[p] != FT_NONE;
}

/* Each remaining bundle once. */
static int graph_make(const struct ft_model *m, const uint32_t *carriers, const bool *dead, struct ft_hop_graph *ret)
{
	_cleanup_free_ struct ft_hop_edge *edges = calloc(m->cells.count + 1UL, sizeof(*edges));
	size_t count = 0;
	int r;

	if (!edges)
		return -ENOMEM;
	for (uint32_t cell = 0; cell < m->cells.count; cell++) {
		uint32_t p = m->cells.ends[cell][0], q = m->cells.ends[cell][1];

		if (carriers[cell] > 0 && is_left(m, dead, p) && is_left(m, dead, q))
			edges[count++] = (struct ft_hop_edge){p, q};
	}
	r = ft_hop_graph_make(m->place_count, NULL, edges, count, ret);
	for (uint32_t p = 0; r == 0 && p < m->place_count; p++)
		ret->hosts[p] = is_left(m, dead, p) ? ft_observed_at(m, p)->hosts : 0;
	return r;
}

int ft_hops_left(const struct ft_model *m, const uint32_t *carriers, const bool *dead, struct ft_hops_left *ret)
{
	_cleanup_(ft_hop_graph_release) struct ft_hop_graph graph = {0};
	_cleanup_(ft_hop_counts_release) struct ft_hop_counts counts = {0};
	struct ft_hops_left left = {0};
	int r = graph_make(m, carriers, dead, &graph) ?: ft_hop_count(&graph, &counts);

	if (r < 0)
		return r;
	left.farthest = counts.any.chips;
	for (uint32_t chips = 1; chips <= graph.nodes; chips++) {
		left.pairs += counts.pairs[chips];
		left.sum += chips * counts.pairs[chips];
	}
	*ret = left;
	return 0;
}
