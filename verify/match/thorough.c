/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Small networks in which several faults are left: a beam search (beam.c), the best results of which are improved by
 * exchanges of two. In a network of some twenty switches without names three faults touch most switches, hardly a seed
 * looks like its place, and what is seated next to it takes other places from the right ones.
 *
 * What an assignment takes to mend is an estimate (worth.c), and several assignments may have the least. Those
 * that differ are kept, so that the explanation of each may tell which has the fewest (steps/placings.h). Two that
 * differ by a symmetry of the plan alone are one: their residuals are the same cables of the same observed switches.
 *
 * Trees need none of this, as hosts tell the ranks of their switches, and those of a rank are twins; but for the
 * smallest, in which a few faults hide even that.
 *
 * Cost: bounded by STEPS_MAX.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/chance.h"
#include "base/cleanup.h"
#include "verify/match/assign_parts.h"

enum {
	IMPROVED_MAX = 32, /* results that are improved */
	FOREIGN_SHARE = 5,
	FAULTS_LEAST = 1, /* nothing is shorter */
	TREE_MOST = 12,	  /* switches of a tree that is searched */
	NEAR = 2,	  /* more mending than of the best may be estimated of what is kept */
};
static const uint64_t STEPS_MAX = 40000000;

/* ---- keeping ---- */

/* The key of two numbers and a third, in whatever order the two are. */
static uint64_t mix(uint64_t a, uint64_t b, uint64_t c)
{
	return ft_chance_of(ft_chance_of(a < b ? a << 32 | b : b << 32 | a) + c);
}

/* Of an observed switch: cables that its neighbours have and the plan has not, or fewer of. */
static uint64_t seen_key(const struct ft_assign_work *w, uint32_t o)
{
	const struct ft_multigraph *g = w->in->observed;
	uint64_t key = 0;

	for (uint32_t i = g->first[o]; i < g->first[o + 1]; i++) {
		uint32_t peer = g->adjacent[i].vertex, width;

		if (w->image[peer] == FT_NONE)
			continue;
		width = ft_edges_between(w->in->planned, w->image[o], w->image[peer]);
		if (width != g->adjacent[i].count)
			key += mix(o, peer, g->adjacent[i].count - (uint64_t)width);
	}
	return key;
}

/* Of a place: cables to others that were not seen at all; of an empty one, all of them. */
static uint64_t planned_key(const struct ft_assign_work *w, uint32_t p)
{
	const struct ft_multigraph *g = w->in->planned;
	uint32_t o = w->origin[p];
	uint64_t key = 0;

	for (uint32_t i = g->first[p]; i < g->first[p + 1]; i++) {
		uint32_t peer = w->origin[g->adjacent[i].vertex];

		if (peer == FT_NONE)
			continue;
		if (o == FT_NONE)
			key += ft_chance_of((uint64_t)peer << 32 | g->adjacent[i].count);
		else if (ft_edges_between(w->in->observed, o, peer) == 0)
			key += mix(o, peer, 0 - (uint64_t)g->adjacent[i].count);
	}
	return o == FT_NONE ? ft_chance_of(key) : key;
}

/* What the assignment leaves to be explained, in terms of observed switches. */
static uint64_t residual_key(const struct ft_assign_work *w)
{
	uint64_t key = 0;

	for (uint32_t p = 0; p < w->in->planned->count; p++)
		key += planned_key(w, p);
	for (uint32_t o = 0; o < w->in->observed->count; o++) {
		uint32_t p = w->image[o];

		if (p == FT_NONE) {
			key += mix(o, o, 0);
			continue;
		}
		key += seen_key(w, o);
		if (w->in->planned_at[p].hosts != w->in->observed_at[o].hosts)
			key += mix(o, o, 1 + w->in->planned_at[p].hosts);
		if (w->in->named[o] != FT_NONE && w->in->named[o] != p)
			key += mix(o, o, (uint64_t)1 << 32);
	}
	return key;
}

static bool is_kept(const struct ft_assign_pool *pool, uint64_t key)
{
	for (uint32_t i = 0; i < pool->count; i++)
		if (pool->key[i] == key)
			return true;
	return false;
}

/* Keeps the present assignment in its order, unless one like it is there. 0 or -ENOMEM. */
static int pool_add(struct ft_assign_work *w, struct ft_assign_pool *pool)
{
	struct ft_assign_worth now = ft_assign_worth_of(w);
	uint64_t key = residual_key(w);
	uint32_t at = pool->count, *image;

	if (is_kept(pool, key))
		return 0;
	while (at > 0 && ft_assign_is_shorter(&now, &pool->worth[at - 1]))
		at--;
	if (at == FT_POOL_MAX)
		return 0;
	image = pool->count == FT_POOL_MAX ? pool->image[FT_POOL_MAX - 1]
					   : ft_arena_zeros(w->memory, w->in->observed->count, sizeof(*image));
	if (!image)
		return -ENOMEM;
	pool->count += pool->count < FT_POOL_MAX;
	for (uint32_t i = pool->count - 1; i > at; i--) {
		pool->image[i] = pool->image[i - 1];
		pool->worth[i] = pool->worth[i - 1];
		pool->key[i] = pool->key[i - 1];
	}
	memcpy(image, w->image, w->in->observed->count * sizeof(*image));
	pool->image[at] = image;
	pool->worth[at] = now;
	pool->key[at] = key;
	return 0;
}

/* ---- searching ---- */

/* Keeps the best that the beam search ends with. 0 or -ENOMEM. */
static int beam_try(struct ft_assign_work *w, const uint32_t *begin, struct ft_assign_pool *pool)
{
	_cleanup_(ft_arena_release) struct ft_arena memory = {0};
	uint32_t *images, count;
	int r = ft_assign_beam(w, &memory, begin, &images, &count);

	for (uint32_t i = 0; r == 0 && i < count; i++) {
		ft_assign_seats_copy(w, images + i * (size_t)w->in->observed->count);
		r = ft_assign_twins_deal(w) ?: pool_add(w, pool);
	}
	return r;
}

/* Exchanges of two, and moves to free places, while that is better. */
static int exchanges_try(struct ft_assign_work *w, uint32_t *image, uint64_t limit, struct ft_assign_pool *pool)
{
	struct ft_assign_worth worth;
	bool better = true;

	ft_assign_seats_copy(w, image);
	worth = ft_assign_worth_of(w);
	while (better) {
		better = false;
		for (uint32_t o = 0; o < w->in->observed->count; o++)
			for (uint32_t p = 0; p < w->in->planned->count && w->steps < limit; p++)
				if (w->image[o] != p && !(w->origin[p] != FT_NONE && w->origin[p] < o))
					better |= ft_assign_exchange_settle(w, o, p, ft_assign_is_shorter, &worth);
	}
	return pool_add(w, pool);
}

int ft_assign_thorough(struct ft_assign_work *w, const uint32_t *begin, struct ft_assign_worth *worth, uint32_t *best,
		       struct ft_assign_pool *pool)
{
	uint32_t observed = w->in->observed->count, tried = 0;
	uint32_t most = w->in->names_weak ? TREE_MOST : FT_BEAM_SWITCHES;
	size_t size = (observed + 1UL) * sizeof(*best);
	_cleanup_free_ uint32_t *starts = malloc(IMPROVED_MAX * size);
	uint64_t limit = w->steps + STEPS_MAX, ends = 0;
	int r = starts ? 0 : -ENOMEM;

	if (observed > most || w->in->planned->count > most || worth->faults <= FAULTS_LEAST)
		return 0;
	if (r == 0) {
		ft_assign_seats_copy(w, best);
		r = pool_add(w, pool);
	}
	if (r == 0)
		r = beam_try(w, begin, pool);
	for (; r == 0 && tried < pool->count && tried < IMPROVED_MAX; tried++)
		memcpy(starts + tried * (observed + 1UL), pool->image[tried], observed * sizeof(*best));
	for (uint32_t i = 0; r == 0 && i < tried; i++)
		r = exchanges_try(w, starts + i * (observed + 1UL), limit, pool);
	if (r < 0)
		return r;
	while (pool->count > 0 && pool->worth[pool->count - 1].mending > pool->worth[0].mending + NEAR)
		pool->count--;
	*worth = pool->worth[0];
	memcpy(best, pool->image[0], observed * sizeof(*best));
	for (uint32_t p = 0; p < w->in->planned->count; p++)
		ends += w->in->planned->degree[p];
	/* So many faults are those of another network. */
	w->unfinished &= w->steps >= limit || FOREIGN_SHARE * (uint64_t)worth->faults > ends / 2;
	return 0;
}
