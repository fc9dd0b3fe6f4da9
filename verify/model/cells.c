/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The plan and the observed fabric as one multigraph in compressed rows: by place, the pairs with planned or observed
 * cables. O(V + E log(neighbours)).
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/multigraph.h"
#include "verify/model/model.h"

/* Which places have cables between them, planned or observed. */
static int graph_make(const struct ft_model *m, struct ft_multigraph *ret)
{
	size_t most = (size_t)m->plan->bundle_count + m->observed.cable_count + 1;
	_cleanup_free_ struct ft_edge *edges = malloc(most * sizeof(*edges));
	uint32_t count = 0;

	if (!edges)
		return -ENOMEM;
	for (uint32_t i = 0; i < m->plan->bundle_count; i++)
		edges[count++] =
			(struct ft_edge){m->place_of[m->plan->bundles[i].a], m->place_of[m->plan->bundles[i].b], 1};
	for (uint32_t i = 0; i < m->observed.cable_count; i++) {
		uint32_t a = m->observed.switches[m->observed.cables[i].a].planned;
		uint32_t b = m->observed.switches[m->observed.cables[i].b].planned;

		if (a != FT_NONE && b != FT_NONE)
			edges[count++] = (struct ft_edge){a, b, 1};
	}
	return ft_multigraph_make(m->place_count, edges, count, ret);
}

static int cells_alloc(struct ft_model *m, uint32_t count)
{
	struct ft_arena *a = &m->memory;

	m->cells = (struct ft_cells){
		.count = count,
		.first = ft_arena_zeros(a, m->place_count + 1UL, sizeof(*m->cells.first)),
		.ends = ft_arena_zeros(a, count, sizeof(*m->cells.ends)),
		.pairs = ft_arena_zeros(a, 2UL * count, sizeof(*m->cells.pairs)),
		.width = ft_arena_zeros(a, count + 1UL, sizeof(*m->cells.width)),
		.seen = ft_arena_zeros(a, count + 1UL, sizeof(*m->cells.seen)),
		.foreign = ft_arena_zeros(a, count + 1UL, sizeof(*m->cells.foreign)),
		.unjudged = ft_arena_zeros(a, count + 1UL, sizeof(*m->cells.unjudged)),
	};
	return a->failed ? -ENOMEM : 0;
}

/*
 * Numbers the pairs at the lower of their places. The higher one has them in the order of the lower ones, and first of
 * its pairs: @next, by place, is where its next one belongs.
 */
static void cells_number(struct ft_cells *cells, const struct ft_multigraph *graph, uint32_t *next)
{
	uint32_t cell = 0;

	memcpy(cells->first, graph->first, (graph->count + 1UL) * sizeof(*cells->first));
	memcpy(next, graph->first, (graph->count + 1UL) * sizeof(*next));
	for (uint32_t p = 0; p < graph->count; p++)
		ft_each_adjacent(q, graph, p) {
			if (q->vertex < p)
				continue;
			cells->pairs[next[p]++] = (struct ft_pair){q->vertex, cell};
			cells->pairs[next[q->vertex]++] = (struct ft_pair){p, cell};
			cells->ends[cell][0] = p;
			cells->ends[cell++][1] = q->vertex;
		}
}

static void cables_count(struct ft_model *m)
{
	for (uint32_t i = 0; i < m->plan->bundle_count; i++) {
		const struct ft_plan_bundle *bundle = &m->plan->bundles[i];
		uint32_t cell = ft_cell_at(m, m->place_of[bundle->a], m->place_of[bundle->b]);

		m->cells.width[cell] += cell < m->cells.count ? bundle->count : 0;
	}
	for (uint32_t i = 0; i < m->observed.cable_count; i++) {
		uint32_t a = m->observed.switches[m->observed.cables[i].a].planned;
		uint32_t b = m->observed.switches[m->observed.cables[i].b].planned;

		if (a != FT_NONE && b != FT_NONE && a != b)
			m->cells.seen[ft_cell_at(m, a, b)]++;
	}
}

int ft_cells_build(struct ft_model *m)
{
	_cleanup_(ft_multigraph_release) struct ft_multigraph graph = {0};
	_cleanup_free_ uint32_t *next = malloc((m->place_count + 1UL) * sizeof(*next));
	int r = next ? graph_make(m, &graph) : -ENOMEM;

	if (r == 0)
		r = cells_alloc(m, graph.first[m->place_count] / 2);
	if (r < 0)
		return r;
	cells_number(&m->cells, &graph, next);
	cables_count(m);
	return 0;
}
