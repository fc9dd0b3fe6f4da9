/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The trees that the fabric may be, those with the fewest unexplained cables first. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verify/infer/general.h"

enum {
	UNEXPLAINED_SOME = 16, /* cables: in a small fabric a few faults may be a large share */
	UNEXPLAINED_SHARE = 4,
};

static bool explains(const struct ft_inference *f, const struct ft_fit *fit)
{
	uint64_t some = f->cable_total / UNEXPLAINED_SHARE;

	return fit->possible && fit->unexplained <= (some > UNEXPLAINED_SOME ? some : UNEXPLAINED_SOME);
}

/* The only switch with hosts, or the one with the most of several that are not cabled to each other. */
static bool fit_star(const struct ft_inference *f, struct ft_fit *fit)
{
	uint32_t best = 0;

	for (uint32_t i = 0; i < f->observed->switch_count; i++) {
		fit->rank[i] = FT_OUTSIDE;
		if (f->hosts[i] > f->hosts[best])
			best = i;
	}
	ft_each_adjacent(n, &f->graph, best)
		if (ft_infer_has_hosts(f, n->vertex))
			return false;
	for (uint32_t i = 0; i < f->observed->switch_count; i++)
		if (i != best && f->graph.degree[i] > 0 && ft_infer_has_hosts(f, i))
			return false;
	fit->rank[best] = 0;
	fit->ranks = 1;
	fit->possible = true;
	fit->unexplained = 0;
	return true;
}

static int order_compare(const void *a, const void *b, void *context)
{
	return ft_infer_compare(context, *(const uint32_t *)a, *(const uint32_t *)b);
}

static int order_make(struct ft_inference *f)
{
	f->order = ft_arena_numbers(f->memory, f->observed->switch_count, 0);
	if (!f->order)
		return -ENOMEM;
	for (uint32_t i = 0; i < f->observed->switch_count; i++)
		f->order[i] = i;
	qsort_r(f->order, f->observed->switch_count, sizeof(*f->order), order_compare, f);
	return 0;
}

static bool fits_equal(const struct ft_inference *f, const struct ft_fit *a, const struct ft_fit *b)
{
	uint32_t count = f->observed->switch_count;
	bool equal = a->ranks == b->ranks && memcmp(a->rank, b->rank, count) == 0;

	for (uint32_t s = 0; s < FT_STEPS_MAX; s++)
		equal &= memcmp(a->group[s], b->group[s], count * sizeof(*a->group[s])) == 0;
	return equal;
}

/* Keeps the fits that explain the fabric, each once, best first, equals in order. */
static void fits_sort(const struct ft_inference *f, struct ft_fits *fits)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < fits->count; i++) {
		struct ft_fit fit = fits->fit[i];
		uint32_t at = kept;
		bool again = false;

		for (uint32_t k = 0; k < kept; k++)
			again |= fits_equal(f, &fits->fit[k], &fit);
		if (again || !explains(f, &fit))
			continue;
		for (kept++; at > 0 && fits->fit[at - 1].unexplained > fit.unexplained; at--)
			fits->fit[at] = fits->fit[at - 1];
		fits->fit[at] = fit;
	}
	fits->count = kept;
}

/* If no tree is possible, a star may be. */
static int fits_choose(struct ft_inference *f)
{
	struct ft_fits *fits = &f->fits;
	struct ft_fit *star = &fits->fit[fits->count];
	bool tree = false;
	int r = ft_fit_init(f, star);

	if (r < 0)
		return r;
	for (uint32_t i = 0; i < fits->count; i++)
		tree |= fits->fit[i].possible;
	if (!tree && fit_star(f, star))
		fits->count++;
	fits_sort(f, fits);
	return 0;
}

/* Trees of two and of three ranks. @ret_whole: one leaves nothing unexplained. Returns 0 or -ENOMEM. */
static int fits_add(struct ft_inference *f, bool any_host, bool *ret_whole)
{
	struct ft_intent intent;
	struct ft_fits *fits = &f->fits;
	int r = ft_intent_read(&intent, f, any_host);

	for (uint32_t ranks = 2; r == 0 && ranks <= FT_RANKS_MAX && ranks <= intent.ranks; ranks++) {
		struct ft_fit *fit = &fits->fit[fits->count++];

		r = ft_fit_init(f, fit) ?: ft_infer_tree(&intent, ranks, fit);
		*ret_whole |= r == 0 && fit->possible && fit->unexplained == 0;
	}
	return r;
}

int ft_infer_fits(struct ft_inference *f)
{
	bool whole = false;
	int r;

	if (f->host_total == 0)
		return 0;
	r = order_make(f);
	for (unsigned int any_host = 0; r == 0 && any_host < 2 && !whole; any_host++)
		r = fits_add(f, any_host > 0, &whole);
	return r ?: fits_choose(f);
}
