/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Random orders of failing cables. */
#include "planner/compare/outage.h"

#include <errno.h>
#include <stdlib.h>

#include "base/chance.h"
#include "base/cleanup.h"
#include "base/numbers.h"

/* Disjoint sets of switches, by size, paths halved (R. Tarjan and J. van Leeuwen, 1984). */
struct sets {
	const struct ft_plan *plan;
	uint32_t *parent, *size;
	uint32_t *hosting; /* by root: switches with hosts */
	uint32_t all;	   /* switches with hosts */
};

static void sets_release(struct sets *s)
{
	free(s->parent);
	free(s->size);
	free(s->hosting);
}

static int sets_make(const struct ft_plan *plan, struct sets *s)
{
	size_t count = plan->switch_count + 1UL;

	s->plan = plan;
	s->parent = calloc(count, sizeof(*s->parent));
	s->size = calloc(count, sizeof(*s->size));
	s->hosting = calloc(count, sizeof(*s->hosting));
	for (uint32_t i = 0; i < plan->switch_count; i++)
		s->all += plan->switches[i].hosts > 0;
	return s->parent && s->size && s->hosting ? 0 : -ENOMEM;
}

static void sets_reset(struct sets *s)
{
	for (uint32_t i = 0; i < s->plan->switch_count; i++) {
		s->parent[i] = i;
		s->size[i] = 1;
		s->hosting[i] = s->plan->switches[i].hosts > 0;
	}
}

/* Whether all switches with hosts are in one set afterwards. */
static bool sets_join(struct sets *s, uint32_t a, uint32_t b)
{
	a = ft_number_root(s->parent, a);
	b = ft_number_root(s->parent, b);
	if (a == b)
		return false;
	if (s->size[a] < s->size[b]) {
		uint32_t swap = a;

		a = b;
		b = swap;
	}
	s->parent[b] = a;
	s->size[a] += s->size[b];
	s->hosting[a] += s->hosting[b];
	return s->hosting[a] == s->all;
}

/* The bundle of each cable. */
static uint32_t *cables_list(const struct ft_plan *plan, uint32_t *ret_count)
{
	uint32_t count = 0, *cables;

	for (uint32_t i = 0; i < plan->bundle_count; i++)
		count += plan->bundles[i].count;
	cables = calloc(count + 1UL, sizeof(*cables));
	*ret_count = 0;
	for (uint32_t i = 0; cables && i < plan->bundle_count; i++)
		for (uint32_t k = 0; k < plan->bundles[i].count; k++)
			cables[(*ret_count)++] = i;
	return cables;
}

/*
 * Draws cables from the end of an order backwards. Returns how many of them join all switches with hosts; 0: all
 * together do not.
 */
static uint32_t draw_until_joined(struct sets *s, uint64_t *state, uint32_t *cables, uint32_t count)
{
	sets_reset(s);
	for (uint32_t drawn = 0; drawn < count; drawn++) {
		uint32_t at = drawn + ft_chance_below(state, count - drawn), bundle = cables[at];

		cables[at] = cables[drawn];
		cables[drawn] = bundle;
		if (sets_join(s, s->plan->bundles[bundle].a, s->plan->bundles[bundle].b))
			return drawn + 1;
	}
	return 0;
}

static int share_compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Between the two nearest of @count sorted values. */
static double quantile(const double *values, uint32_t count, double share)
{
	double at = share * (count - 1);
	uint32_t below = (uint32_t)at;

	if (below + 1 >= count)
		return values[count - 1];
	return values[below] + (at - below) * (values[below + 1] - values[below]);
}

int ft_outage_lost(const struct ft_plan *plan, uint64_t seed, uint32_t orders, struct ft_lost *ret_lost)
{
	_cleanup_(sets_release) struct sets sets = {0};
	_cleanup_free_ double *shares = calloc(orders, sizeof(*shares));
	_cleanup_free_ uint32_t *cables = NULL;
	uint32_t count = 0;
	int r = sets_make(plan, &sets);

	if (r < 0 || !shares)
		return -ENOMEM;
	cables = cables_list(plan, &count);
	if (!cables)
		return -ENOMEM;
	if (sets.all < 2)
		return -ENODATA;
	for (uint32_t i = 0; i < orders; i++) {
		uint32_t kept = draw_until_joined(&sets, &seed, cables, count);

		if (kept == 0)
			return -ENODATA;
		shares[i] = (double)(count - kept + 1) / count;
	}
	qsort(shares, orders, sizeof(*shares), share_compare);
	*ret_lost = (struct ft_lost){
		quantile(shares, orders, 0.5),
		quantile(shares, orders, 0.1),
		quantile(shares, orders, 0.9),
	};
	return 0;
}
