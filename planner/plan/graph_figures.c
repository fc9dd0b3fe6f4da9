/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/plan/graph_figures.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/numbers.h"
#include "planner/plan/adjacency.h"
#include "planner/plan/tree.h"

/* ---- distances of hosts ---- */

enum {
	WORDS = 8,	    /* a cache line */
	BATCH = WORDS * 64, /* sources of one search: a bit each */
	PULL_SHARE = 4,	    /* once one arc in so many leads away from a queued switch, pulling is cheaper */
};

/* By source whether it has reached a switch. */
struct reach {
	uint64_t words[WORDS];
};

/*
 * Breadth-first searches from 512 switches at once. A switch is in a step's queue if a source reached it in the
 * previous step; @now tells which did, and is empty for all others. Invariant: after step d, bit s of @seen is set for
 * just the switches within d cables of source s.
 *
 * A step pushes from the queue while that is short. Once it is long, every switch that some source lacks pulls from its
 * neighbours, until it has all; most switches have them all after a few neighbours (S. Beamer, K. Asanovic, D.
 * Patterson, "Direction-optimizing breadth-first search", 2012). A search ends when all sources have reached all
 * switches. Cost: at most switches / 512 * arcs * diameter.
 */
struct search {
	const struct ft_plan *plan;
	struct ft_adjacency near;
	struct reach all; /* the sources of this search */
	struct reach *seen, *now, *next;
	uint32_t *queue, *queue_next;
	uint64_t lacking; /* pairs of a source and a switch that it has not reached */
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

/* Adds what is in @more and not in @but. Returns whether anything is. */
static bool reach_add(struct reach *to, const struct reach *more, const struct reach *but)
{
	uint64_t any = 0;

	for (unsigned int w = 0; w < WORDS; w++) {
		uint64_t added = more->words[w] & ~but->words[w];

		to->words[w] |= added;
		any |= added;
	}
	return any != 0;
}

static bool reach_is_empty(const struct reach *reach)
{
	uint64_t any = 0;

	for (unsigned int w = 0; w < WORDS; w++)
		any |= reach->words[w];
	return any == 0;
}

static uint32_t reach_count(const struct reach *reach)
{
	uint32_t count = 0;

	for (unsigned int w = 0; w < WORDS; w++)
		count += (unsigned int)__builtin_popcountll(reach->words[w]);
	return count;
}

/* Returns the number of switches newly reached, which are in @queue_next. */
static uint32_t step_push(struct search *s, uint32_t queued)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < queued; i++) {
		uint32_t from = s->queue[i];

		for (uint32_t k = s->near.first[from]; k < s->near.first[from + 1]; k++) {
			uint32_t to = s->near.arcs[k].to;
			bool first = reach_is_empty(&s->next[to]);

			if (reach_add(&s->next[to], &s->now[from], &s->seen[to]) && first)
				s->queue_next[found++] = to;
		}
	}
	return found;
}

static uint32_t step_pull(struct search *s)
{
	uint32_t found = 0;

	for (uint32_t to = 0; to < s->plan->switch_count; to++) {
		struct reach lacks = {0}, got = {0}, left = {0};

		if (!reach_add(&lacks, &s->all, &s->seen[to]))
			continue;
		left = lacks;
		for (uint32_t k = s->near.first[to]; k < s->near.first[to + 1] && !reach_is_empty(&left); k++)
			for (unsigned int w = 0; w < WORDS; w++) {
				got.words[w] |= s->now[s->near.arcs[k].to].words[w];
				left.words[w] = lacks.words[w] & ~got.words[w];
			}
		if (reach_add(&s->next[to], &got, &s->seen[to]))
			s->queue_next[found++] = to;
	}
	return found;
}

/* One step. Returns the number of switches newly reached; @ret_pairs: so often a source reached one with hosts. */
static uint32_t search_step(struct search *s, uint32_t queued, uint64_t *ret_pairs)
{
	uint64_t arcs = 0;
	uint32_t found;
	void *old;

	for (uint32_t i = 0; i < queued; i++)
		arcs += s->near.first[s->queue[i] + 1] - s->near.first[s->queue[i]];
	if (arcs * PULL_SHARE < s->near.first[s->plan->switch_count])
		found = step_push(s, queued);
	else
		found = step_pull(s);
	for (uint32_t i = 0; i < queued; i++)
		s->now[s->queue[i]] = (struct reach){0};
	old = s->now;
	s->now = s->next;
	s->next = old;
	old = s->queue;
	s->queue = s->queue_next;
	s->queue_next = old;
	*ret_pairs = 0;
	for (uint32_t i = 0; i < found; i++) {
		uint32_t to = s->queue[i], count = reach_count(&s->now[to]);

		reach_add(&s->seen[to], &s->now[to], &s->seen[to]);
		s->lacking -= count;
		*ret_pairs += s->plan->switches[to].hosts > 0 ? count : 0;
	}
	return found;
}

/* Over pairs of different switches with hosts that have a path; each pair is found from both ends. */
struct distances {
	uint32_t farthest;
	uint64_t pairs, cables;
};

/* Adds those from the @count switches of @sources. */
static void search_run(struct search *s, const uint32_t *sources, uint32_t count, struct distances *sum)
{
	uint32_t switches = s->plan->switch_count, queued = count;

	memset(s->seen, 0, switches * sizeof(*s->seen));
	memset(s->now, 0, switches * sizeof(*s->now));
	s->all = (struct reach){0};
	s->lacking = (uint64_t)count * (switches - 1);
	for (uint32_t i = 0; i < count; i++) {
		uint64_t bit = 1ULL << i % 64;

		s->queue[i] = sources[i];
		s->all.words[i / 64] |= bit;
		s->now[sources[i]].words[i / 64] = s->seen[sources[i]].words[i / 64] = bit;
	}
	for (uint32_t step = 1; queued > 0 && s->lacking > 0; step++) {
		uint64_t pairs;

		queued = search_step(s, queued, &pairs);
		if (pairs > 0 && step > sum->farthest)
			sum->farthest = step;
		sum->pairs += pairs;
		sum->cables += pairs * step;
	}
}

/* Whether the distances from one switch are those from every other, and all have hosts. */
static bool one_is_as_all(const struct ft_plan *plan)
{
	for (uint32_t i = 0; i < plan->switch_count; i++)
		if (plan->switches[i].hosts == 0)
			return false;
	return plan->symmetric;
}

static int distances_measure(const struct ft_plan *plan, struct distances *ret_sum)
{
	_cleanup_(search_release) struct search s = {0};
	uint32_t sources[BATCH], count = 0, searched = one_is_as_all(plan) ? 1 : plan->switch_count;
	struct distances sum = {0};
	int r = search_make(plan, &s);

	if (r < 0)
		return r;
	for (uint32_t i = 0; i < searched; i++) {
		if (plan->switches[i].hosts > 0)
			sources[count++] = i;
		if (count < BATCH && i + 1 < searched)
			continue;
		search_run(&s, sources, count, &sum);
		count = 0;
	}
	if (searched < plan->switch_count) {
		sum.pairs *= plan->switch_count;
		sum.cables *= plan->switch_count;
	}
	*ret_sum = sum;
	return 0;
}

int ft_graph_farthest(const struct ft_plan *plan, uint32_t *ret_switches)
{
	struct distances sum;
	int r = distances_measure(plan, &sum);

	if (r == 0)
		*ret_switches = sum.farthest + 1;
	return r;
}

int ft_graph_figures(struct ft_plan *plan)
{
	uint32_t free_ports;
	struct distances sum;
	int r = distances_measure(plan, &sum);

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
		free_ports = plan->tree->expandable_to - ft_number_least(plan->nodes, plan->tree->expandable_to);
	plan->spare_ports = free_ports;
	plan->clos = sum.farthest + 1;
	plan->switch_pairs = sum.pairs;
	plan->switch_cables = sum.cables;
	return 0;
}
