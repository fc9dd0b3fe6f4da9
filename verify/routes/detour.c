/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Routes that arrive, but are longer than planned, or go up again after going down. If the remaining cables allow no
 * better route, the fault is in the cables, and reported there. Called for suspicious routes only, so that a healthy
 * fabric costs no search. Cost: two breadth-first searches for each switch that such a route leads to.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "verify/model/capacity.h"
#include "verify/routes/routes.h"

static uint16_t one_more(uint16_t distance)
{
	return distance == FT_AFAR ? FT_AFAR : (uint16_t)(distance + 1);
}

/* Distances to @to, by any cables or, backwards, only by those up from there. */
static void spread(const struct ft_walk *w, uint32_t to, bool only_up, uint16_t *distance, uint32_t *queue)
{
	uint32_t head = 0, tail = 0;

	for (uint32_t h = 0; h < w->hop_count; h++)
		distance[h] = FT_AFAR;
	distance[to] = 1;
	queue[tail++] = to;
	while (head < tail) {
		uint32_t h = queue[head++];
		const struct ft_hop *hop = &w->hops[h];

		for (uint32_t link = hop->first_link; link < hop->first_link + hop->links; link++) {
			uint32_t far = w->far[link];

			if (far >= w->hop_count || distance[far] != FT_AFAR || (only_up && !w->up[link]))
				continue;
			distance[far] = one_more(distance[h]);
			queue[tail++] = far;
		}
	}
}

/* Up links come first on a route: the highest rank is final, then each rank follows from those above it. */
static void rise(const struct ft_walk *w, uint16_t *legal)
{
	for (uint32_t rank = 2 * w->m->capacity->ranks; rank-- > 0;)
		for (uint32_t h = 0; h < w->hop_count; h++) {
			const struct ft_hop *hop = &w->hops[h];

			if (hop->rank != rank)
				continue;
			for (uint32_t link = hop->first_link; link < hop->first_link + hop->links; link++)
				if (w->up[link] && one_more(legal[w->far[link]]) < legal[h])
					legal[h] = one_more(legal[w->far[link]]);
		}
}

static void reach_find(struct ft_walk *w, uint32_t to)
{
	struct ft_reach *reach = &w->reach[to];
	size_t hops = w->hop_count + 1UL;
	_cleanup_free_ uint32_t *queue = NULL;

	if (reach->legal)
		return;
	queue = malloc(hops * sizeof(*queue));
	reach->plain = ft_arena_zeros(&w->memory, hops, sizeof(*reach->plain));
	reach->legal = ft_arena_zeros(&w->memory, hops, sizeof(*reach->legal));
	w->memory.failed |= !queue;
	if (w->memory.failed)
		return;
	spread(w, to, false, reach->plain, queue);
	spread(w, to, true, reach->legal, queue);
	rise(w, reach->legal);
}

/* The first switch of the route whose entry does not lead nearer; else the one where it turns up again. */
static uint32_t culprit(const struct ft_walk *w, uint32_t from, uint32_t to, uint32_t count)
{
	const uint16_t *plain = w->reach[to].plain;
	uint32_t turn = from;
	bool fell = false;

	for (uint32_t h = from; h != to && count > 0; count--) {
		uint32_t next = w->far[w->out[h]];

		if (plain[next] >= plain[h])
			return h;
		if (fell && w->up[w->out[h]])
			turn = h;
		fell |= w->hops[next].rank < w->hops[h].rank;
		h = next;
	}
	return turn;
}

void ft_walk_detour(struct ft_walk *w, uint32_t from, uint32_t target, uint32_t pairs)
{
	uint32_t to = w->targets[target].hop, hops = w->ways[from].hops;
	uint32_t planned = ft_walk_planned(w, from, to), best, allowed;
	bool turns = w->ways[from].flags & FT_WAY_TURNS;
	struct ft_detours *detours;

	reach_find(w, to);
	if (w->memory.failed)
		return;
	best = w->reach[to].legal[from];
	/* Every path turns up again. */
	if (best == FT_AFAR) {
		best = w->reach[to].plain[from];
		turns = false;
	}
	allowed = planned > best ? planned : best;
	if (hops <= allowed && !turns)
		return;
	detours = &w->detours[culprit(w, from, to, w->ways[from].hops)];
	detours->turns += turns ? pairs : 0;
	if (hops > detours->hops) {
		detours->hops = hops;
		detours->allowed = allowed;
	}
	ft_some_add(&detours->some, pairs, from, target);
}
