/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * How unlike an observed and a planned switch are, before any of their neighbours is seated.
 *
 * The fast measure is the difference of sums over two rounds of neighbours (looks), O(1) for a pair. In regular graphs
 * all sums are equal. There the thorough measure helps: the similarity of all pairs, refined by that of their
 * neighbours. It starts from hosts, ports, cables and the numbers of two-hop walks to other switches (triangles,
 * squares), and then adds, for a few rounds, the unlikeness of the neighbours under a greedy pairing. It never hashes:
 * a fault makes its surroundings slightly unlike, instead of giving them another colour.
 *
 * Invariant: compared with itself, a graph gives 0 for each switch and its copy. O(rounds * E_planned * E_observed).
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "verify/match/assign_parts.h"

/* ---- looks ---- */

void ft_assign_looks_take(const struct ft_multigraph *g, const struct ft_assign_vertex *at,
			  struct ft_assign_look *looks)
{
	for (uint32_t v = 0; v < g->count; v++) {
		struct ft_assign_look *look = &looks[v];

		look->at[LOOK_HOSTS] = at[v].hosts;
		look->at[LOOK_PORTS] = at[v].ports;
		look->at[LOOK_CABLES] = g->degree[v];
		look->at[LOOK_PEERS] = ft_adjacent_count(g, v);
		for (uint32_t i = g->first[v]; i < g->first[v + 1]; i++) {
			uint32_t peer = g->adjacent[i].vertex;

			look->at[LOOK_PEER_HOSTS] += at[peer].hosts;
			look->at[LOOK_PEER_CABLES] += g->degree[peer];
			look->at[LOOK_PEERS_OF_PEERS] += ft_adjacent_count(g, peer);
		}
	}
}

/* In cables and hosts; distant ones weigh less, because a fault changes them as well. */
static uint32_t looks_apart(const struct ft_assign_work *w, uint32_t o, uint32_t p, unsigned int looks)
{
	static const uint32_t weight[FT_ASSIGN_LOOKS] = {
		[LOOK_HOSTS] = 8,      [LOOK_PORTS] = 8,       [LOOK_CABLES] = 8,	  [LOOK_PEERS] = 8,
		[LOOK_PEER_HOSTS] = 1, [LOOK_PEER_CABLES] = 1, [LOOK_PEERS_OF_PEERS] = 1,
	};
	const struct ft_assign_look *a = &w->observed_look[o], *b = &w->planned_look[p];
	uint64_t sum = 0;

	for (unsigned int i = 0; i < looks; i++)
		sum += (uint64_t)weight[i] * ft_number_apart(a->at[i], b->at[i]);
	return sum < UINT32_MAX / FT_LIKENESS_SCALE ? (uint32_t)sum : UINT32_MAX / FT_LIKENESS_SCALE;
}

uint32_t ft_assign_unlikeness(const struct ft_assign_work *w, uint32_t o, uint32_t p)
{
	if (w->unlike)
		return w->unlike[(size_t)o * w->in->planned->count + p];
	return FT_LIKENESS_SCALE * looks_apart(w, o, p, FT_ASSIGN_LOOKS);
}

/* ---- similarity ---- */

enum {
	UNKNOWN = 1024, /* for a neighbour without a counterpart */
	ROUNDS = 4,
};

/* The unlikeness of the two alone. */
static uint32_t begin_with(const struct ft_assign_work *w, uint32_t o, uint32_t p)
{
	return 4 * looks_apart(w, o, p, LOOK_PEER_HOSTS) + 8 * ft_ways_apart(&w->observed_ways, o, &w->planned_ways, p);
}

/* Pairs the neighbours of @o and @p greedily, the most alike for each in turn. O(d^2). */
static uint32_t neighbours_apart(const struct ft_assign_work *w, const uint32_t *before, uint32_t o, uint32_t p,
				 uint32_t *taken)
{
	const struct ft_multigraph *a = w->in->observed, *b = w->in->planned;
	uint32_t n = ft_adjacent_count(a, o), m = ft_adjacent_count(b, p), most = n > m ? n : m;
	uint64_t sum = (uint64_t)UNKNOWN * (m > n ? m - n : 0);

	memset(taken, 0, m * sizeof(*taken));
	for (uint32_t i = a->first[o]; i < a->first[o + 1]; i++) {
		const uint32_t *row = before + (size_t)a->adjacent[i].vertex * b->count;
		uint32_t best = UNKNOWN, at = FT_NONE;

		for (uint32_t k = b->first[p]; k < b->first[p + 1]; k++) {
			uint32_t apart = row[b->adjacent[k].vertex] +
					 32 * ft_number_apart(a->adjacent[i].count, b->adjacent[k].count) +
					 32 * ft_number_apart(w->observed_ways.between[i], w->planned_ways.between[k]);

			if (taken[k - b->first[p]] || (apart >= best && at != FT_NONE))
				continue;
			best = apart;
			at = k - b->first[p];
		}
		sum += best < UNKNOWN ? best : UNKNOWN;
		if (at != FT_NONE)
			taken[at] = 1;
	}
	return most > 0 ? (uint32_t)(sum / most) : 0;
}

bool ft_assign_likeness_is_affordable(const struct ft_assign_work *w)
{
	enum { PAIRS_MAX = 10000000 };

	return (uint64_t)w->in->planned->first[w->in->planned->count] *
		       w->in->observed->first[w->in->observed->count] <=
	       PAIRS_MAX;
}

int ft_assign_likeness_take(struct ft_assign_work *w)
{
	uint32_t o_count = w->in->observed->count, p_count = w->in->planned->count;
	size_t size = (size_t)o_count * p_count;
	_cleanup_free_ uint32_t *start = malloc((size + 1) * sizeof(*start));
	_cleanup_free_ uint32_t *before = malloc((size + 1) * sizeof(*before));
	uint32_t *now = ft_arena_zeros(w->memory, size, sizeof(*now));
	_cleanup_free_ uint32_t *taken = malloc((p_count + 1UL) * sizeof(*taken));
	int r = start && before && now && taken ? 0 : -ENOMEM;

	if (r == 0)
		r = ft_assign_ways_take(w);
	if (r < 0)
		return r;
	for (uint32_t o = 0; o < o_count; o++)
		for (uint32_t p = 0; p < p_count; p++)
			start[(size_t)o * p_count + p] = now[(size_t)o * p_count + p] = begin_with(w, o, p);
	for (unsigned int round = 0; round < ROUNDS; round++) {
		memcpy(before, now, size * sizeof(*now));
		for (uint32_t o = 0; o < o_count; o++)
			for (uint32_t p = 0; p < p_count; p++)
				now[(size_t)o * p_count + p] =
					start[(size_t)o * p_count + p] + neighbours_apart(w, before, o, p, taken);
	}
	w->steps += (uint64_t)w->in->planned->first[p_count] * w->in->observed->first[o_count];
	w->unlike = now;
	return 0;
}
