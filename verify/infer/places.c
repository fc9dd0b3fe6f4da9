/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The plan's order of the switches: groups in order, and in them those of a rank. Larger groups come first, fuller ones
 * before others if the plan's hosts are right that way, and wider bundles before narrower ones unless all are equal.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "verify/infer/infer_parts.h"

/* A switch, or a group of them, and its sort keys: the smallest first. */
struct seat {
	uint32_t what;
	uint64_t keys[3];
};

static int seat_compare(const void *a, const void *b)
{
	const struct seat *x = a, *y = b;

	for (size_t i = 0; i < FT_COUNT(x->keys); i++)
		if (x->keys[i] != y->keys[i])
			return x->keys[i] < y->keys[i] ? -1 : 1;
	return FT_ORDER(x->what, y->what);
}

static uint64_t most_first(uint64_t value)
{
	return UINT64_MAX - value;
}

/* True if all bundles of a step have one width: then they give no order. */
static bool bundles_alike(const struct ft_inference *f, uint32_t step)
{
	return f->design.spread == FT_SPREAD_EVEN && f->design.bundle[step] > 0;
}

/* The place of each group, from their keys. */
static uint32_t *places_of(const struct ft_inference *f, struct seat *seats, uint32_t count)
{
	uint32_t *place = ft_arena_numbers(f->memory, count, 0);

	qsort(seats, count, sizeof(*seats), seat_compare);
	for (uint32_t i = 0; place && i < count; i++)
		place[seats[i].what] = i;
	return place;
}

static struct seat *seats_make(const struct ft_inference *f, uint32_t count)
{
	struct seat *seats = ft_arena_zeros(f->memory, count, sizeof(*seats));

	for (uint32_t i = 0; seats && i < count; i++)
		seats[i] = (struct seat){.what = i, .keys = {UINT64_MAX, UINT64_MAX, UINT64_MAX}};
	return seats;
}

/* Pods by number of edges, then by hosts; planes by the bundles from below; then both by name. */
static uint32_t *groups_place(const struct ft_inference *f, uint32_t step)
{
	struct seat *seats = seats_make(f, f->fit.groups[step]);
	bool by_hosts = step == 0 && f->design.sorted_by_hosts;
	bool by_bundles = step > 0 && !bundles_alike(f, step - 1);

	if (!seats)
		return NULL;
	for (uint32_t i = 0; i < f->count[step]; i++) {
		uint32_t observed = f->member[step][i], group = f->fit.group[step][observed];
		uint64_t *keys = group != FT_NONE ? seats[group].keys : NULL;

		if (!keys)
			continue;
		keys[0] -= step == 0 ? 1 : by_bundles ? ft_fit_cables(f, &f->fit, observed, step - 1) : 0;
		keys[1] -= by_hosts ? f->hosts[observed] : 0;
		keys[2] = keys[2] == UINT64_MAX ? i : keys[2];
	}
	return places_of(f, seats, f->fit.groups[step]);
}

/* @place: of groups, by step */
static uint64_t place_in(const struct ft_inference *f, uint32_t *const place[FT_STEPS_MAX], uint32_t step,
			 uint32_t observed)
{
	return f->fit.group[step][observed] != FT_NONE ? place[step][f->fit.group[step][observed]] : UINT64_MAX;
}

static uint64_t second_key(const struct ft_inference *f, uint32_t rank, uint32_t *const place[FT_STEPS_MAX],
			   uint32_t observed)
{
	if (rank == 0)
		return f->design.sorted_by_hosts ? most_first(f->hosts[observed]) : 0;
	if (rank + 1 < f->fit.ranks)
		return place_in(f, place, rank, observed);
	return bundles_alike(f, rank - 1) ? 0 : most_first(ft_fit_cables(f, &f->fit, observed, rank - 1));
}

static int rank_order(struct ft_inference *f, uint32_t rank, uint32_t *const place[FT_STEPS_MAX])
{
	uint32_t count = f->count[rank], *member = f->member[rank];
	struct seat *seats = seats_make(f, count);

	if (!seats)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		seats[i] = (struct seat){
			.what = member[i],
			.keys = {place_in(f, place, rank > 0 ? rank - 1 : 0, member[i]),
				 second_key(f, rank, place, member[i]), i},
		};
	qsort(seats, count, sizeof(*seats), seat_compare);
	for (uint32_t i = 0; i < count; i++)
		member[i] = seats[i].what;
	return 0;
}

int ft_infer_places(struct ft_inference *f)
{
	uint32_t *place[FT_STEPS_MAX] = {0};
	int r;

	for (uint32_t s = 0; s < FT_STEPS_MAX; s++)
		place[s] = groups_place(f, s);
	r = f->memory->failed ? -ENOMEM : 0;
	for (uint32_t rank = 0; r == 0 && rank < f->fit.ranks; rank++)
		r = rank_order(f, rank, place);
	return r;
}
