/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/plan/graph_figures.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "planner/plan/adjacency.h"
#include "planner/plan/numbers.h"
#include "planner/plan/tree.h"

/* ---- distances of hosts ---- */

enum { BATCH = 64 }; /* sources of one search: a bit each */

/*
 * Breadth-first searches from 64 switches at once. A switch is in a step's queue if a source reached it in the previous
 * step. Invariant: after step d, bit s of @seen is set for just the switches within d cables of source s.
 */
struct search {
	const struct ft_plan *plan;
	struct ft_adjacency near;
	uint64_t *seen, *now, *next;
	uint32_t *queue, *queue_next;
};

static void search_release(struct search *s)
{
	ft_adjacency_release(&s->near);
	free(s->seen);
	free(s->now);
	free(s->next);
	free(s->queue);
	free(s->queue_next);
}

static int search_make(const struct ft_plan *plan, struct search *s)
{
	size_t count = plan->switch_count + 1UL;

	s->plan = plan;
	s->seen = calloc(count, sizeof(*s->seen));
	s->now = calloc(count, sizeof(*s->now));
	s->next = calloc(count, sizeof(*s->next));
	s->queue = calloc(count, sizeof(*s->queue));
	s->queue_next = calloc(count, sizeof(*s->queue_next));
	if (!s->seen || !s->now || !s->next || !s->queue || !s->queue_next)
		return -ENOMEM;
	return ft_adjacency_make(plan, &s->near);
}

/* One step. Returns the number of switches newly reached; @ret_pairs: so often a source reached one with hosts. */
static uint32_t search_step(struct search *s, uint32_t queued, uint64_t *ret_pairs)
{
	uint32_t found = 0, kept = 0;

	for (uint32_t i = 0; i < queued; i++) {
		uint32_t from = s->queue[i];

		for (uint32_t k = s->near.first[from]; k < s->near.first[from + 1]; k++) {
			uint32_t to = s->near.arcs[k].to;

			if (!(s->now[from] & ~s->seen[to] & ~s->next[to]))
				continue;
			if (!s->next[to])
				s->queue_next[found++] = to;
			s->next[to] |= s->now[from] & ~s->seen[to];
		}
	}
	for (uint32_t i = 0; i < queued; i++)
		s->now[s->queue[i]] = 0;
	*ret_pairs = 0;
	for (uint32_t i = 0; i < found; i++) {
		uint32_t to = s->queue_next[i];

		s->seen[to] |= s->next[to];
		s->now[to] = s->next[to];
		s->next[to] = 0;
		if (s->plan->switches[to].hosts > 0)
			*ret_pairs += (unsigned int)__builtin_popcountll(s->now[to]);
		s->queue[kept++] = to;
	}
	return kept;
}

/* Over pairs of different switches with hosts that have a path; each pair is found from both ends. */
struct distances {
	uint32_t farthest;
	uint64_t pairs, cables;
};

/* Adds those from the @count switches of @sources. */
static void search_run(struct search *s, const uint32_t *sources, uint32_t count, struct distances *sum)
{
	uint32_t queued = count;

	memset(s->seen, 0, s->plan->switch_count * sizeof(*s->seen));
	for (uint32_t i = 0; i < count; i++) {
		s->queue[i] = sources[i];
		s->now[sources[i]] = s->seen[sources[i]] = 1ULL << i;
	}
	for (uint32_t step = 1; queued > 0; step++) {
		uint64_t pairs;

		queued = search_step(s, queued, &pairs);
		if (pairs > 0 && step > sum->farthest)
			sum->farthest = step;
		sum->pairs += pairs;
		sum->cables += pairs * step;
	}
}

int ft_graph_figures(struct ft_plan *plan)
{
	_cleanup_(search_release) struct search s = {0};
	uint32_t sources[BATCH], count = 0, free_ports;
	struct distances sum = {0};
	int r = search_make(plan, &s);

	if (r < 0)
		return r;
	plan->links = plan->nodes;
	free_ports = 0;
	for (uint32_t i = 0; i < plan->switch_count; i++)
		free_ports += plan->switches[i].ports - plan->switches[i].hosts;
	for (uint32_t i = 0; i < plan->bundle_count; i++) {
		plan->links += plan->bundles[i].count;
		free_ports -= 2 * plan->bundles[i].count;
	}
	/* The rules of a family say how many of them are for hosts. */
	if (plan->label)
		free_ports = plan->tree->expandable_to - ft_minimum(plan->nodes, plan->tree->expandable_to);
	plan->spare_ports = free_ports;
	for (uint32_t i = 0; i <= plan->switch_count; i++) {
		bool last = i == plan->switch_count;
		if (!last && plan->switches[i].hosts > 0)
			sources[count++] = i;
		if (count < BATCH && !last)
			continue;
		search_run(&s, sources, count, &sum);
		count = 0;
	}
	plan->clos = sum.farthest + 1;
	plan->switch_pairs = sum.pairs;
	plan->switch_cables = sum.cables;
	return 0;
}
