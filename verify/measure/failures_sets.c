/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Which sets of failures are examined: all, a sample, and those that hit one place, or the whole, hardest. Each of the
 * latter is found by scores: the items with the highest ones fail.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/numbers.h"
#include "base/subsets.h"
#include "verify/measure/failures_parts.h"
#include "verify/model/capacity.h"

void ft_sets_all(struct ft_failures *x, ft_set_fn *look)
{
	ft_subset_first(x->chosen, x->count);
	do
		look(x, x->chosen);
	while (ft_subset_next(x->chosen, x->count, x->item_count));
}

void ft_sets_some(struct ft_failures *x, uint32_t samples, ft_set_fn *look)
{
	uint64_t random = FT_AFTER_SEED;

	for (uint32_t i = 0; i < samples; i++) {
		ft_subset_draw(x->chosen, x->count, x->item_count, &random);
		look(x, x->chosen);
	}
}

/* ---- the worst sets ---- */

static void hardest_try(struct ft_failures *x, struct ft_worth *candidates)
{
	ft_subset_worthiest(candidates, x->item_count, x->count, x->chosen);
	ft_failures_worst_take(x, x->chosen);
}

/*
 * The loss of place @p by each item: its own cables, or those to a switch. With @keep, its last cable scores lowest:
 * then it is not cut off, but all its traffic passes through that cable.
 */
static void candidates_of_place(const struct ft_failures *x, uint32_t p, bool keep, struct ft_worth *candidates)
{
	const struct ft_model *m = x->m;
	uint32_t last = FT_NONE;

	for (uint32_t i = 0; i < x->item_count; i++) {
		const struct ft_failing *item = &x->items[i];
		uint64_t worth = item->p == p || item->q == p;

		if (item->q == FT_NONE)
			worth = x->carriers[ft_cell_at(m, p, item->p)];
		last = worth > 0 ? i : last;
		candidates[i] = (struct ft_worth){2 * worth + 1, i};
	}
	if (keep && last != FT_NONE)
		candidates[last].worth = 0;
}

/* The total loss by each switch; for cables, those of edges with few of them, edge after edge. */
static void candidates_of_all(const struct ft_failures *x, bool weak_first, struct ft_worth *candidates)
{
	const struct ft_model *m = x->m;

	for (uint32_t i = 0; i < x->item_count; i++) {
		const struct ft_failing *item = &x->items[i];
		uint32_t from = item->q == FT_NONE ? item->p : item->p < m->edges ? item->p : item->q;
		uint64_t cables = 0;

		ft_each_pair(pair, m, from)
			cables += x->carriers[pair->cell];
		/* All cables of one edge come before any of the next. */
		candidates[i].number = i;
		if (weak_first)
			candidates[i].worth = (UINT32_MAX - cables) << 32 | (UINT32_MAX - from);
		else
			candidates[i].worth =
				item->q == FT_NONE ? cables : x->own[item->cell] == x->carriers[item->cell];
	}
}

/*
 * The edges to cut off with the given number of cables so that most hosts are lost: a 0-1 knapsack, exact in two ranks.
 */
static int candidates_by_hosts(struct ft_failures *x, struct ft_worth *candidates)
{
	const struct ft_model *m = x->m;
	size_t width = x->count + 1UL;
	_cleanup_free_ uint32_t *best = calloc(width, sizeof(*best));
	_cleanup_free_ bool *takes = calloc(width * (m->edges + 1UL), sizeof(*takes));
	_cleanup_free_ uint32_t *needs = calloc(m->edges + 1UL, sizeof(*needs));
	uint32_t room = x->count;

	if (!best || !takes || !needs)
		return -ENOMEM;
	for (uint32_t e = 0; e < m->edges; e++) {
		const struct ft_observed_switch *sw = ft_observed_at(m, e);

		ft_each_pair(pair, m, e)
			needs[e] += x->carriers[pair->cell];
		for (uint32_t n = x->count; sw && needs[e] > 0 && n >= needs[e]; n--)
			if (best[n - needs[e]] + sw->hosts > best[n]) {
				best[n] = best[n - needs[e]] + sw->hosts;
				takes[e * width + n] = true;
			}
	}
	for (uint32_t i = 0; i < x->item_count; i++)
		candidates[i] = (struct ft_worth){0, i};
	for (uint32_t e = m->edges; e-- > 0;) {
		if (!takes[e * width + room])
			continue;
		room -= needs[e];
		for (uint32_t i = 0; i < x->item_count; i++)
			candidates[i].worth += x->items[i].p == e || x->items[i].q == e;
	}
	return 0;
}

/* The loss of cut @n of a network by each item. */
static void candidates_of_cut(const struct ft_failures *x, uint32_t network, unsigned int n,
			      struct ft_worth *candidates)
{
	const struct ft_model *m = x->m;
	const struct ft_capacity *c = m->capacity;

	for (uint32_t i = 0; i < x->item_count; i++) {
		const struct ft_failing *item = &x->items[i];
		const struct ft_pair *pair = ft_pairs_of(m, item->p);
		uint64_t worth = 0;

		for (; pair < ft_pairs_of(m, item->p + 1); pair++)
			if ((item->q == FT_NONE || item->q == pair->peer) && c->part[pair->cell] == network)
				worth += (c->across[pair->cell] >> n & 1) *
					 (item->q == FT_NONE ? x->own[pair->cell] : 1);
		candidates[i] = (struct ft_worth){worth, i};
	}
}

/* The cuts with least remaining capacity, which determine the bisection. */
static void cuts_try(struct ft_failures *x, struct ft_worth *candidates)
{
	enum { TRIED_MAX = 64 };
	const struct ft_capacity *c = x->m->capacity;
	unsigned int tried = 0;

	for (uint32_t part = 0; part < c->parts; part++) {
		const uint64_t *left = x->cuts + (size_t)part * c->cuts;
		uint64_t least = UINT64_MAX;

		for (unsigned int n = 0; n < c->cuts; n++)
			least = left[n] < least ? left[n] : least;
		for (unsigned int n = 0; n < c->cuts; n++) {
			if (left[n] != least || tried++ >= TRIED_MAX)
				continue;
			candidates_of_cut(x, part, n, candidates);
			hardest_try(x, candidates);
		}
	}
}

/* Greedy: one item after the other, each the worst with those before. */
static void greedy_try(struct ft_failures *x)
{
	uint32_t count = x->count, *chosen = x->chosen;
	uint64_t each = x->m->cells.count + x->m->place_count + 1UL;

	if ((uint64_t)count * x->item_count > FT_FAILURES_WORK_MAX / each)
		return;
	for (uint32_t n = 0; n < count; n++) {
		struct ft_failures_state worst = {0};
		uint32_t best = FT_NONE;

		x->count = n + 1;
		for (uint32_t i = 0; i < x->item_count; i++) {
			struct ft_failures_state s;
			bool twice = false;

			for (uint32_t k = 0; k < n; k++)
				twice |= chosen[k] == i;
			if (twice)
				continue;
			chosen[n] = i;
			s = ft_failures_look(x, chosen);
			if (best == FT_NONE || ft_failures_worse(&s, &worst)) {
				best = i;
				worst = s;
			}
		}
		chosen[n] = best;
	}
	x->count = count;
	qsort(chosen, count, sizeof(*chosen), ft_number_compare);
	ft_failures_worst_take(x, chosen);
}

int ft_sets_hardest(struct ft_failures *x)
{
	const struct ft_model *m = x->m;
	_cleanup_free_ struct ft_worth *candidates = calloc(x->item_count + 1UL, sizeof(*candidates));
	uint64_t work = 0;

	if (!candidates)
		return -ENOMEM;
	for (unsigned int weak_first = 0; weak_first < 2; weak_first++) {
		candidates_of_all(x, weak_first && x->kind == FT_AFTER_CABLE, candidates);
		hardest_try(x, candidates);
	}
	if (x->kind == FT_AFTER_CABLE) {
		int r = (uint64_t)x->count * m->edges > FT_FAILURES_WORK_MAX ? 0 : candidates_by_hosts(x, candidates);

		if (r < 0)
			return r;
		hardest_try(x, candidates);
	}
	for (uint32_t p = 0; p < m->place_count && work < FT_FAILURES_WORK_MAX; p++) {
		if (m->observed_of[p] == FT_NONE || ft_is_top(m, p))
			continue;
		for (unsigned int keep = 0; keep < 2; keep++) {
			candidates_of_place(x, p, keep > 0, candidates);
			hardest_try(x, candidates);
		}
		work += m->cells.count + 16UL * x->item_count;
	}
	if (m->capacity->ranks == 1) {
		cuts_try(x, candidates);
		greedy_try(x);
	}
	return 0;
}

bool ft_sets_hardest_known(const struct ft_failures *x)
{
	const struct ft_model *m = x->m;

	if (m->capacity->ranks != 2 || x->kind == FT_AFTER_SWITCH)
		return false;
	for (uint32_t e = 0; x->kind == FT_AFTER_CORE && e < m->edges; e++) {
		uint32_t cores = 0;

		ft_each_pair(pair, m, e)
			cores += x->carriers[pair->cell] > 0;
		if (m->observed_of[e] != FT_NONE && cores > 0 && cores <= x->count)
			return false;
	}
	return true;
}
