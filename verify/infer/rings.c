/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Rings of the spines of each pod, and of all core switches (the 4-post network): most switches of the rank have cables
 * to two others of it, and a pair that has fewer than most lacks the rest. In the design they follow the plan's order
 * where planes part them; else a ring is walked greedily: of the switches left, the one with the most cables to the
 * last is next. ft_tree_check() tells whether all rings are planned so.
 *
 * Cost: the square of a ring; of finding lacks O(pairs).
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "verify/infer/tree.h"

static void ring_walk(const struct ft_intent *intent, uint32_t *at, uint32_t count)
{
	for (uint32_t i = 0; i + 1 < count; i++) {
		uint32_t best = i + 1, next;

		for (uint32_t k = i + 2; k < count; k++)
			if (ft_meant_between(intent, at[i], at[k]) > ft_meant_between(intent, at[i], at[best]))
				best = k;
		next = at[best];
		memmove(&at[i + 2], &at[i + 1], (best - i - 1) * sizeof(*at));
		at[i + 1] = next;
	}
}

static bool has_beside(const struct ft_intent *intent, uint32_t rank)
{
	for (uint32_t i = 0; i < intent->pair_count; i++) {
		const struct ft_meant *pair = &intent->pairs[i];

		if (pair->planned > 0 && intent->rank[pair->a] == rank && intent->rank[pair->b] == rank &&
		    ft_intent_in_tree(intent, pair->a) && ft_intent_in_tree(intent, pair->b))
			return true;
	}
	return false;
}

uint32_t ft_tree_rings(struct ft_tree *tree, uint32_t rank, const uint32_t *pod, bool walk)
{
	uint32_t *at = tree->order[rank], run, width = 0;

	if (!has_beside(tree->intent, rank))
		return 0;
	for (uint32_t i = 0; i < tree->count[rank]; i += run) {
		for (run = 1; i + run < tree->count[rank] && (!pod || pod[at[i]] == pod[at[i + run]]); run++)
			;
		if (walk)
			ring_walk(tree->intent, at + i, run);
		/* Two are each other's neighbour on both sides. */
		if (run > 1 && width == 0)
			width = ft_meant_between(tree->intent, at[i], at[i + 1]) / (run == 2 ? 2 : 1);
	}
	return width;
}

/* ---- lacks ---- */

/* True for a bundle between two of the rank, both of which have switches below: routers, which hang beside, have none.
 */
static bool is_of_ring(const struct ft_intent *intent, const struct ft_meant *pair, uint32_t rank)
{
	const uint32_t *set = intent->twins[FT_SIDE_DOWN].set_of;

	return pair->planned > 0 && intent->rank[pair->a] == rank && intent->rank[pair->b] == rank &&
	       set[pair->a] != FT_NONE && set[pair->b] != FT_NONE;
}

static int rank_lacks(struct ft_intent *intent, uint32_t rank)
{
	enum { SHARE = 4 }; /* at most one in so many of a ring's cables is missing */
	uint32_t *near = ft_arena_numbers(intent->f->memory, intent->count, 0), usual, turns = 0, ends = 0;
	struct ft_tally tally = {0};
	uint64_t sum = 0, lacks = 0;

	if (!near)
		return -ENOMEM;
	for (uint32_t i = 0; i < intent->pair_count; i++) {
		const struct ft_meant *pair = &intent->pairs[i];

		if (!is_of_ring(intent, pair, rank))
			continue;
		near[pair->a]++;
		near[pair->b]++;
		ft_tally_add(&tally, pair->planned);
		sum += pair->planned;
	}
	for (uint32_t i = 0; i < intent->count; i++) {
		turns += near[i] == 2;
		ends += near[i] != 0 && near[i] != 2;
	}
	usual = ft_tally_mode(&tally, 1);
	ft_tally_distance(&tally, usual, &lacks);
	if (sum == 0 || ends > 0 || turns < 3 || lacks * SHARE > sum)
		return 0;
	for (uint32_t i = 0; i < intent->pair_count; i++) {
		struct ft_meant *pair = &intent->pairs[i];

		if (is_of_ring(intent, pair, rank) && pair->planned < usual) {
			pair->planned = usual;
			pair->settled = true;
		}
	}
	return 0;
}

int ft_intent_rings(struct ft_intent *intent)
{
	int r = 0;

	for (uint32_t rank = 1; r == 0 && intent->layered && rank < intent->ranks; rank++)
		r = rank_lacks(intent, rank);
	return r;
}
