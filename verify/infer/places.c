/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The plan's order of the switches of three levels: larger pods first, the spines of a pod by planes, core switches
 * plane by plane, and wider bundles before narrower ones.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
	return x->what < y->what ? -1 : x->what > y->what;
}

static uint64_t most_first(uint64_t value)
{
	return UINT64_MAX - value;
}

static uint32_t cables_to(const struct ft_inference *f, uint32_t live, enum ft_tier tier)
{
	uint32_t cables = 0;

	for (uint32_t n = f->near_first[live]; n < f->near_first[live + 1]; n++)
		cables += f->fit.role[f->near[n].live] == tier ? f->near[n].cables : 0;
	return cables;
}

/* The rank of each group, from their keys. */
static uint32_t *ranks_of(struct seat *seats, uint32_t count)
{
	uint32_t *rank = calloc(count + 1UL, sizeof(*rank));

	if (!rank)
		return NULL;
	qsort(seats, count, sizeof(*seats), seat_compare);
	for (uint32_t i = 0; i < count; i++)
		rank[seats[i].what] = i;
	return rank;
}

static struct seat *seats_make(uint32_t count)
{
	struct seat *seats = calloc(count + 1UL, sizeof(*seats));

	for (uint32_t i = 0; seats && i < count; i++)
		seats[i] = (struct seat){.what = i, .keys = {UINT64_MAX, UINT64_MAX, UINT64_MAX}};
	return seats;
}

/* By number of edges, and by hosts if the plan's hosts are right that way; then by name. */
static uint32_t *pods_rank(const struct ft_inference *f)
{
	_cleanup_free_ struct seat *seats = seats_make(f->fit.pods);

	if (!seats)
		return NULL;
	for (uint32_t i = 0; i < f->count[FT_TIER_EDGE]; i++) {
		uint32_t live = f->member[FT_TIER_EDGE][i];
		uint64_t *keys = f->fit.pod[live] != FT_NONE ? seats[f->fit.pod[live]].keys : NULL;

		if (!keys)
			continue;
		keys[0]--;
		keys[1] -= f->design.sorted_by_hosts ? f->hosts[live] : 0;
		keys[2] = keys[2] == UINT64_MAX ? i : keys[2];
	}
	return ranks_of(seats, f->fit.pods);
}

/* By the bundles from edges if these differ; then by name. */
static uint32_t *planes_rank(const struct ft_inference *f)
{
	_cleanup_free_ struct seat *seats = seats_make(f->fit.planes);
	bool alike = f->design.spread == FT_SPREAD_EVEN && f->design.bundle > 0;

	if (!seats)
		return NULL;
	for (uint32_t i = 0; i < f->count[FT_TIER_SPINE]; i++) {
		uint32_t live = f->member[FT_TIER_SPINE][i];
		uint64_t *keys = f->fit.plane[live] != FT_NONE ? seats[f->fit.plane[live]].keys : NULL;

		if (!keys)
			continue;
		keys[0] -= alike ? 0 : cables_to(f, live, FT_TIER_EDGE);
		keys[1] = keys[1] == UINT64_MAX ? i : keys[1];
	}
	return ranks_of(seats, f->fit.planes);
}

static uint64_t rank_in(const uint32_t *rank, uint32_t group)
{
	return group != FT_NONE ? rank[group] : UINT64_MAX;
}

static void keys_fill(const struct ft_inference *f, enum ft_tier tier, const uint32_t *pods, const uint32_t *planes,
		      uint32_t live, uint64_t keys[3])
{
	bool alike = f->design.spread == FT_SPREAD_EVEN && f->design.spine_bundle > 0;

	if (tier == FT_TIER_CORE) {
		keys[0] = rank_in(planes, f->fit.plane[live]);
		keys[1] = alike ? 0 : most_first(cables_to(f, live, FT_TIER_SPINE));
		return;
	}
	keys[0] = rank_in(pods, f->fit.pod[live]);
	if (tier == FT_TIER_SPINE)
		keys[1] = rank_in(planes, f->fit.plane[live]);
	else
		keys[1] = f->design.sorted_by_hosts ? most_first(f->hosts[live]) : 0;
}

static int tier_order(struct ft_inference *f, enum ft_tier tier, const uint32_t *pods, const uint32_t *planes)
{
	uint32_t count = f->count[tier], *member = f->member[tier];
	_cleanup_free_ struct seat *seats = calloc(count + 1UL, sizeof(*seats));

	if (!seats)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		seats[i].what = member[i];
		keys_fill(f, tier, pods, planes, member[i], seats[i].keys);
		seats[i].keys[2] = i;
	}
	qsort(seats, count, sizeof(*seats), seat_compare);
	for (uint32_t i = 0; i < count; i++)
		member[i] = seats[i].what;
	return 0;
}

int ft_infer_places(struct ft_inference *f)
{
	_cleanup_free_ uint32_t *pods = pods_rank(f), *planes = planes_rank(f);
	int r = pods && planes ? 0 : -ENOMEM;

	for (unsigned int t = 0; r == 0 && t < FT_TIER_COUNT; t++)
		r = tier_order(f, t, pods, planes);
	return r;
}
