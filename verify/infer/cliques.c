/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Cliques: switches that are all cabled to each other by bundles of one width, as the routers of a row, and those of a
 * column, of a group of a Cray XC. Two switches have such a bundle if their common neighbours of that width are cabled
 * so to each other as well. Nearly all pairs with such common neighbours have it; the few that do not lack cables, if
 * each end has fewer such bundles than most switches have. A bundle that is thinner needs one such neighbour; one that
 * is not there at all, as where a cable has several links, needs several.
 *
 * The numbers of all cables of a switch tell nothing of that, where the cables between groups are spread unevenly. The
 * case that bit: routers of rows of 16, with fewer than half of their neighbours in common, where the rows are no twin
 * sets.
 *
 * Where there is an up and a down, blocks tell more. Invariant: only pairs outside all blocks are planned.
 *
 * Cost: for each switch the neighbours of all neighbours, and for pairs with enough of them in common the square of at
 * most LOOKED_MAX.
 */
#include "config.h"

#include <errno.h>

#include "verify/infer/general.h"

enum {
	WIDTH_MAX = 15,	 /* cables of a bundle */
	COMMON_MAX = 31, /* common neighbours: more count as so many */
	COMMON_GONE = 3, /* for a bundle that is not there at all */
	COMMON_NEAR = 2, /* fewer where another pair of the same clique lacks its bundle */
	LOOKED_MAX = 16,
	HOLES_SHARE = 10,  /* one in so many pairs of the common neighbours may lack cables, too */
	WHOLE_MIN = 10,	   /* pairs that have the bundle, */
	LACKING_SHARE = 20 /* and for so many of them at most one lacks cables */
};

/* Pairs by the width of the bundles to their common neighbours, and by the number of these. */
struct votes {
	uint32_t of[WIDTH_MAX + 1][COMMON_MAX + 1];
};

/* Two switches and what their common neighbours say. */
struct corner {
	uint32_t a, b;
	uint32_t seen;
	uint32_t width;	 /* of the bundles to the common neighbours */
	uint32_t common; /* how many of these there are */
};

struct cliques {
	struct ft_intent *intent;
	struct votes whole, thinner, gone;
	struct corner *lacking;
	uint32_t lacking_count;
	uint32_t *paths; /* by switch: neighbours in common with the one that is looked at; all 0 between */
	uint32_t *touched;
	uint32_t *bundles; /* by switch: bundles of one width within cliques */
};

/* The next common neighbour with equal bundles to both; NULL: no more. @p, @q: where the search goes on. */
static const struct ft_adjacent *common_next(const struct ft_multigraph *g, uint32_t a, uint32_t b,
					     const struct ft_adjacent **p, const struct ft_adjacent **q)
{
	while (*p < ft_adjacent_of(g, a + 1) && *q < ft_adjacent_of(g, b + 1)) {
		const struct ft_adjacent *x = *p, *y = *q;

		*p += x->vertex <= y->vertex;
		*q += y->vertex <= x->vertex;
		if (x->vertex == y->vertex && x->count == y->count)
			return x;
	}
	return NULL;
}

/* The width of most of their bundles to common neighbours, of equals the larger one. */
static uint32_t common_width(const struct ft_multigraph *g, uint32_t a, uint32_t b)
{
	const struct ft_adjacent *p = ft_adjacent_of(g, a), *q = ft_adjacent_of(g, b), *n;
	uint32_t votes[WIDTH_MAX + 1] = {0}, best = 0;

	while ((n = common_next(g, a, b, &p, &q)))
		votes[n->count <= WIDTH_MAX ? n->count : 0]++;
	for (uint32_t width = 1; width <= WIDTH_MAX; width++)
		if (votes[width] > 0 && (best == 0 || votes[width] >= votes[best]))
			best = width;
	return best;
}

/* Fills width and common. False if the common neighbours are not cabled to each other as they are to the two. */
static bool corner_look(const struct ft_multigraph *g, struct corner *corner)
{
	const struct ft_adjacent *p = ft_adjacent_of(g, corner->a), *q = ft_adjacent_of(g, corner->b), *n;
	uint32_t looked[LOOKED_MAX], count = 0, holes = 0;

	corner->width = common_width(g, corner->a, corner->b);
	while (corner->width > 0 && (n = common_next(g, corner->a, corner->b, &p, &q))) {
		if (n->count != corner->width)
			continue;
		if (count < LOOKED_MAX)
			looked[count++] = n->vertex;
		corner->common++;
	}
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t k = 0; k < i; k++)
			holes += ft_edges_between(g, looked[i], looked[k]) != corner->width;
	corner->common = corner->common < COMMON_MAX ? corner->common : COMMON_MAX;
	return count > 0 && holes * HOLES_SHARE <= count * (count - 1) / 2;
}

static int lacking_add(struct cliques *x, const struct corner *corner)
{
	struct corner *more = FT_ARENA_MORE(x->intent->f->memory, x->lacking, x->lacking_count);

	if (!more)
		return -ENOMEM;
	*more = *corner;
	return 0;
}

/* Enters two switches with neighbours in common. */
static int corner_enter(struct cliques *x, uint32_t a, uint32_t b)
{
	const struct ft_multigraph *g = &x->intent->f->graph;
	struct corner corner = {.a = a, .b = b, .seen = ft_edges_between(g, a, b)};

	if ((corner.seen == 0 && x->paths[b] < COMMON_GONE) || !corner_look(g, &corner) || corner.seen > corner.width ||
	    (corner.seen == 0 && corner.common < COMMON_GONE))
		return 0;
	if (corner.seen == corner.width) {
		struct ft_meant *pair = ft_meant_find(x->intent, a, b);

		x->whole.of[corner.width][corner.common]++;
		if (pair)
			pair->meshed = true;
		return 0;
	}
	(corner.seen > 0 ? &x->thinner : &x->gone)->of[corner.width][corner.common]++;
	return lacking_add(x, &corner);
}

static int corners_collect(struct cliques *x)
{
	const struct ft_multigraph *g = &x->intent->f->graph;
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < g->count; i++) {
		uint32_t touched = 0;

		ft_each_adjacent(n, g, i)
			ft_each_adjacent(k, g, n->vertex)
				if (k->vertex > i && x->paths[k->vertex]++ == 0)
					x->touched[touched++] = k->vertex;
		for (uint32_t k = 0; r == 0 && k < touched; k++)
			r = corner_enter(x, i, x->touched[k]);
		while (touched > 0)
			x->paths[x->touched[--touched]] = 0;
	}
	return r;
}

/* The pairs with as many common neighbours, or a few more. */
static uint32_t votes_near(const struct votes *votes, const struct corner *corner)
{
	uint32_t sum = 0;

	for (uint32_t common = corner->common; common <= corner->common + COMMON_NEAR && common <= COMMON_MAX; common++)
		sum += votes->of[corner->width][common];
	return sum;
}

static bool is_rare(const struct cliques *x, const struct corner *corner)
{
	uint32_t whole = votes_near(&x->whole, corner);
	uint32_t lacking = votes_near(corner->seen > 0 ? &x->thinner : &x->gone, corner);

	return whole >= WHOLE_MIN && (uint64_t)lacking * LACKING_SHARE <= whole;
}

/* Fills bundles with those of that width. Returns how many most switches have that have any. */
static uint32_t bundles_count(struct cliques *x, uint32_t width)
{
	struct ft_tally tally = {0};

	for (uint32_t i = 0; i < x->intent->count; i++)
		x->bundles[i] = 0;
	for (uint32_t i = 0; i < x->intent->pair_count; i++) {
		const struct ft_meant *pair = &x->intent->pairs[i];

		if (!pair->meshed || pair->seen != width)
			continue;
		x->bundles[pair->a]++;
		x->bundles[pair->b]++;
	}
	for (uint32_t i = 0; i < x->intent->count; i++)
		ft_tally_add(&tally, x->bundles[i]);
	return ft_tally_mode(&tally, 1);
}

static int lacking_plan(struct cliques *x, uint32_t width)
{
	uint32_t usual = FT_NONE;

	for (uint32_t i = 0; i < x->lacking_count; i++) {
		const struct corner *corner = &x->lacking[i];
		struct ft_meant *pair;

		if (corner->width != width || !is_rare(x, corner) || !ft_intent_alike(x->intent, corner->a, corner->b))
			continue;
		if (usual == FT_NONE)
			usual = bundles_count(x, width);
		if (x->bundles[corner->a] >= usual || x->bundles[corner->b] >= usual)
			continue;
		pair = ft_meant_get(x->intent, corner->a, corner->b);
		if (!pair)
			return -ENOMEM;
		if (pair->settled)
			continue;
		pair->planned = width;
		pair->settled = true;
	}
	return 0;
}

/* The other bundles of a thinner one's clique are of the clique, though it does not confirm them. */
static void thinner_mark(struct cliques *x)
{
	const struct ft_multigraph *g = &x->intent->f->graph;

	for (uint32_t i = 0; i < x->lacking_count; i++) {
		uint32_t a = x->lacking[i].a, b = x->lacking[i].b;
		const struct ft_adjacent *p = ft_adjacent_of(g, a), *q = ft_adjacent_of(g, b), *n;

		while (x->lacking[i].seen > 0 && (n = common_next(g, a, b, &p, &q))) {
			struct ft_meant *one = ft_meant_find(x->intent, a, n->vertex);
			struct ft_meant *other = ft_meant_find(x->intent, b, n->vertex);

			if (n->count != x->lacking[i].width || !one || !other)
				continue;
			one->meshed = true;
			other->meshed = true;
		}
	}
}

int ft_intent_cliques(struct ft_intent *intent)
{
	struct ft_arena *memory = intent->f->memory;
	struct cliques x = {
		.intent = intent,
		.paths = ft_arena_numbers(memory, intent->count, 0),
		.touched = ft_arena_numbers(memory, intent->count, 0),
		.bundles = ft_arena_numbers(memory, intent->count, 0),
	};
	int r = memory->failed ? -ENOMEM : 0;

	if (r == 0 && !intent->layered)
		r = corners_collect(&x);
	for (uint32_t width = 1; r == 0 && width <= WIDTH_MAX; width++)
		r = lacking_plan(&x, width);
	if (r == 0)
		thinner_mark(&x);
	return r;
}
