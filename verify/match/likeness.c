/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * How unlike an observed and a planned switch are, before any of their neighbours is seated: the difference of sums
 * over two rounds of neighbours (looks), O(1) for a pair. Sums, and no hashes: a fault makes its surroundings slightly
 * unlike, instead of giving them another colour. In regular graphs all sums are equal; there bases.c tells switches
 * apart, and in small networks the beam search.
 */
#include "config.h"

#include "verify/match/assign_parts.h"

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
uint32_t ft_assign_unlikeness(const struct ft_assign_work *w, uint32_t o, uint32_t p)
{
	static const uint32_t weight[FT_ASSIGN_LOOKS] = {
		[LOOK_HOSTS] = 8,      [LOOK_PORTS] = 8,       [LOOK_CABLES] = 8,	  [LOOK_PEERS] = 8,
		[LOOK_PEER_HOSTS] = 1, [LOOK_PEER_CABLES] = 1, [LOOK_PEERS_OF_PEERS] = 1,
	};
	const struct ft_assign_look *a = &w->observed_look[o], *b = &w->planned_look[p];
	uint64_t sum = 0;

	for (unsigned int i = 0; i < FT_ASSIGN_LOOKS; i++)
		sum += (uint64_t)weight[i] * ft_number_apart(a->at[i], b->at[i]);
	return sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
}
