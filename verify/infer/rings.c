/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Rings of the spines of each pod, and of all core switches (the 4-post network). They follow the plan's order where
 * planes part them; in one plane a ring is walked greedily: of the switches left, the one with the most cables to the
 * last is next. A pair of neighbours has as many cables as most have: what one lacks is missing by the rule.
 *
 * Cost: the square of a ring.
 */
#include "config.h"

#include <string.h>

#include "verify/infer/infer_parts.h"

enum { SPINE = 1, CORE };
enum { RING_SHARE = 4 }; /* at most one in so many of a ring's cables is missing, or beside it */

static void ring_walk(const struct ft_inference *f, uint32_t *at, uint32_t count)
{
	for (uint32_t i = 0; i + 1 < count; i++) {
		uint32_t best = i + 1, next;

		for (uint32_t k = i + 2; k < count; k++)
			if (ft_edges_between(&f->graph, at[i], at[k]) > ft_edges_between(&f->graph, at[i], at[best]))
				best = k;
		next = at[best];
		memmove(&at[i + 2], &at[i + 1], (best - i - 1) * sizeof(*at));
		at[i + 1] = next;
	}
}

/* Adds the cables between neighbours of a ring. Returns how many there are. */
static uint64_t ring_tally(const struct ft_inference *f, const uint32_t *at, uint32_t count, struct ft_tally *tally)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < count && count > 1; i++) {
		uint32_t cables = ft_edges_between(&f->graph, at[i], at[(i + 1) % count]);

		/* Two are each other's neighbour on both sides. */
		cables = count == 2 ? (cables + (i == 0)) / 2 : cables;
		ft_tally_add(tally, cables);
		sum += cables;
	}
	return sum;
}

/* The next members of a rank that one ring may join, from @first on: of one pod, or all at the top. */
static uint32_t ring_length(const struct ft_inference *f, uint32_t rank, uint32_t first)
{
	const uint32_t *member = f->member[rank], *pod = f->fit.group[0];
	uint32_t count = 1;

	while (first + count < f->count[rank] && (rank == CORE || pod[member[first]] == pod[member[first + count]]))
		count++;
	return count;
}

static void rank_rings(struct ft_inference *f, uint32_t rank)
{
	uint64_t sum = 0, beside = 0, lacks = 0, other;
	struct ft_tally tally = {0};
	uint32_t usual;

	for (uint32_t i = 0, count; i < f->count[rank]; i += count) {
		count = ring_length(f, rank, i);
		if (f->fit.groups[1] == 1)
			ring_walk(f, f->member[rank] + i, count);
		sum += ring_tally(f, f->member[rank] + i, count, &tally);
	}
	for (uint32_t i = 0; i < f->count[rank]; i++)
		beside += ft_fit_cables(f, &f->fit, f->member[rank][i], rank);
	usual = ft_tally_mode(&tally, 1);
	ft_tally_distance(&tally, usual, &lacks);
	other = beside / 2 > sum ? beside / 2 - sum : 0;
	if (sum == 0 || (lacks + other) * RING_SHARE > sum)
		return;
	f->design.ring[rank] = usual;
	f->design.ring_lacks += lacks;
}

void ft_infer_rings(struct ft_inference *f)
{
	f->design.ring_lacks = 0;
	for (uint32_t rank = SPINE; rank <= CORE && f->fit.ranks == FT_RANKS_MAX; rank++)
		if (f->fit.ringed[rank])
			rank_rings(f, rank);
}
