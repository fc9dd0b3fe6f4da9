/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Walks of two hops: triangles and squares through each switch. In regular graphs they are the first thing that tells
 * switches apart, and a fault changes the numbers of those that are near it by little.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "verify/match/assign_parts.h"

/* @reached: scratch, all 0. */
static void ways_count(const struct ft_multigraph *g, uint32_t v, struct ft_ways *ways, uint32_t *reached)
{
	for (uint32_t i = g->first[v]; i < g->first[v + 1]; i++) {
		uint32_t via = g->adjacent[i].vertex;

		for (uint32_t k = g->first[via]; k < g->first[via + 1]; k++)
			reached[g->adjacent[k].vertex]++;
	}
	reached[v] = 0;
	for (uint32_t i = g->first[v]; i < g->first[v + 1]; i++) {
		uint32_t n = reached[g->adjacent[i].vertex];

		ways->others[v][1][n < FT_WAYS_MAX ? n : FT_WAYS_MAX]++;
		reached[g->adjacent[i].vertex] = 0;
	}
	for (uint32_t i = g->first[v]; i < g->first[v + 1]; i++) {
		uint32_t via = g->adjacent[i].vertex;

		for (uint32_t k = g->first[via]; k < g->first[via + 1]; k++) {
			uint32_t n = reached[g->adjacent[k].vertex];

			ways->others[v][0][n < FT_WAYS_MAX ? n : FT_WAYS_MAX] += n > 0;
			reached[g->adjacent[k].vertex] = 0;
		}
	}
}

static int ways_take(struct ft_assign_work *w, const struct ft_multigraph *g, struct ft_ways *ways)
{
	_cleanup_free_ uint32_t *reached = calloc(g->count + 1UL, sizeof(*reached));

	ways->others = ft_arena_zeros(w->memory, g->count, sizeof(*ways->others));
	if (!reached || w->memory->failed)
		return -ENOMEM;
	for (uint32_t v = 0; v < g->count; v++)
		ways_count(g, v, ways, reached);
	return 0;
}

int ft_assign_ways_take(struct ft_assign_work *w)
{
	int r = w->planned_ways.others ? 0 : ways_take(w, w->in->planned, &w->planned_ways);

	return r < 0 || w->observed_ways.others ? r : ways_take(w, w->in->observed, &w->observed_ways);
}

uint32_t ft_ways_apart(const struct ft_ways *a, uint32_t v, const struct ft_ways *b, uint32_t u)
{
	uint32_t apart = 0;

	for (unsigned int near = 0; near < 2; near++)
		for (unsigned int n = 0; n <= FT_WAYS_MAX; n++)
			apart += ft_number_apart(a->others[v][near][n], b->others[u][near][n]);
	return apart;
}
