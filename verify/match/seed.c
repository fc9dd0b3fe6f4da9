/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Seeds: the pair to start from when no switch is identified. Planned switches of the rarest look come first, each with
 * the observed ones that look most like it. Cost: O(V log V), and O(sorts * V) with SORTS_MAX sorts, the rarest ones.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "verify/match/assign_parts.h"

static int look_compare(const struct ft_assign_look *a, const struct ft_assign_look *b)
{
	return memcmp(a, b, sizeof(*a));
}

static int planned_by_look(const void *a, const void *b, void *arg)
{
	const struct ft_assign_work *w = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int order = look_compare(&w->planned_look[x], &w->planned_look[y]);

	return order ? order : FT_ORDER(x, y);
}

static int guess_compare(const void *a, const void *b, void *arg)
{
	enum { WEIGHT = 16 };
	const struct ft_assign_work *w = arg;
	const struct ft_assign_guess *x = a, *y = b;
	uint64_t p = (uint64_t)x->unlike * WEIGHT + x->crowd, q = (uint64_t)y->unlike * WEIGHT + y->crowd;

	return FT_ORDER(x->turn, y->turn) ?: FT_ORDER(p, q) ?: FT_ORDER(x->p, y->p) ?: FT_ORDER(w->in->order[x->o], w->in->order[y->o]);
}

/* The observed switches most similar to sort->p, at most @most of them. Returns how many. */
static uint32_t sort_guesses(struct ft_assign_work *w, const struct ft_assign_guess *sort, uint32_t most,
			     struct ft_assign_guess *ret)
{
	uint32_t count = 0;

	for (uint32_t o = 0; o < w->in->observed->count; o++) {
		struct ft_assign_guess g = {o, sort->p, 0, sort->crowd, 0};
		uint32_t at;

		if (w->image[o] != FT_NONE)
			continue;
		g.unlike = ft_assign_unlikeness(w, o, sort->p);
		if (count == most && guess_compare(&ret[count - 1], &g, w) <= 0)
			continue;
		at = count < most ? count++ : count - 1;
		for (; at > 0 && guess_compare(&ret[at - 1], &g, w) > 0; at--)
			ret[at] = ret[at - 1];
		ret[at] = g;
	}
	for (uint32_t i = 0; i < count; i++)
		ret[i].turn = i;
	w->steps += w->in->observed->count;
	return count;
}

/* For each sort of free planned switches the most similar unseated observed ones. The caller frees the pairs. */
int ft_assign_guesses_make(struct ft_assign_work *w, struct ft_assign_guess **ret, uint32_t *ret_count)
{
	enum { SORTS_MAX = 64, SORT_GUESSES = 8 };
	uint32_t planned = w->in->planned->count, free_count = 0, sorts = 0, count = 0;
	_cleanup_free_ uint32_t *order = malloc((planned + 1UL) * sizeof(*order));
	struct ft_assign_guess sort[SORTS_MAX], *guesses;

	if (!order)
		return -ENOMEM;
	for (uint32_t p = 0; p < planned; p++)
		if (w->origin[p] == FT_NONE)
			order[free_count++] = p;
	qsort_r(order, free_count, sizeof(*order), planned_by_look, w);
	for (uint32_t i = 0; i < free_count;) {
		uint32_t end = i + 1, worst = 0;
		struct ft_assign_guess g = {.p = order[i]};

		while (end < free_count && look_compare(&w->planned_look[order[i]], &w->planned_look[order[end]]) == 0)
			end++;
		g.crowd = end - i;
		i = end;
		if (sorts < SORTS_MAX) {
			sort[sorts++] = g;
			continue;
		}
		for (uint32_t k = 1; k < sorts; k++)
			worst = sort[k].crowd > sort[worst].crowd ? k : worst;
		if (g.crowd < sort[worst].crowd)
			sort[worst] = g;
	}
	guesses = malloc(((size_t)FT_GUESSES_MAX + (size_t)sorts * SORT_GUESSES + 1) * sizeof(*guesses));
	if (!guesses)
		return -ENOMEM;
	for (uint32_t k = 0; k < sorts; k++)
		count += sort_guesses(w, &sort[k], FT_GUESSES_MAX / sorts + SORT_GUESSES, guesses + count);
	qsort_r(guesses, count, sizeof(*guesses), guess_compare, w);
	*ret = guesses;
	*ret_count = count;
	return 0;
}
