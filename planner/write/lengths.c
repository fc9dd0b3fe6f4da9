/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/write/lengths.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"

void ft_lengths_release(struct ft_lengths *lengths)
{
	free(lengths->rows);
}

static void add_cables(struct ft_lengths *lengths, const struct ft_floor *floor, enum ft_length_kind kind,
		       const struct ft_floor_place *a, const struct ft_floor_place *b, uint32_t count)
{
	uint32_t length_mm = ft_floor_cable_mm(ft_floor_distance_mm(floor, a, b));

	lengths->rows[lengths->count++] = (struct ft_length){kind, length_mm, count};
	lengths->cables += count;
}

static void add_host_cables(struct ft_lengths *lengths, const struct ft_plan *plan, const struct ft_floor *floor)
{
	const struct ft_floor_place *host = floor->hosts;

	for (uint32_t i = 0; i < plan->switch_count; i++)
		for (uint32_t k = 0; k < plan->switches[i].hosts; k++, host++) {
			if (host->midplane)
				lengths->midplane++;
			else
				add_cables(lengths, floor, FT_LENGTH_HOST, host, &floor->switches[i], 1);
		}
}

static void add_uplinks(struct ft_lengths *lengths, const struct ft_plan *plan, const struct ft_floor *floor)
{
	for (uint32_t i = 0; i < plan->bundle_count; i++) {
		const struct ft_plan_bundle *bundle = &plan->bundles[i];
		enum ft_tier low = plan->switches[bundle->a].tier, high = plan->switches[bundle->b].tier;
		enum ft_length_kind kind = low == FT_TIER_EDGE ? FT_LENGTH_UPLINK : FT_LENGTH_SPINE_UPLINK;

		if (plan->topology == FT_TOPOLOGY_GRAPH || low == high)
			kind = FT_LENGTH_LINK;
		add_cables(lengths, floor, kind, &floor->switches[bundle->a], &floor->switches[bundle->b],
			   bundle->count);
	}
}

static int length_compare(const void *a, const void *b)
{
	const struct ft_length *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return (x->length_mm > y->length_mm) - (x->length_mm < y->length_mm);
}

int ft_lengths_make(const struct ft_plan *plan, const struct ft_catalog *catalog, struct ft_lengths *ret_lengths)
{
	_cleanup_(ft_floor_freep) struct ft_floor *floor = NULL;
	struct ft_lengths *lengths = ret_lengths;
	size_t rows = 0;
	int r = ft_floor_make(plan, catalog, NULL, &floor);

	if (r < 0)
		return r;
	lengths->rows = calloc((size_t)floor->host_count + plan->bundle_count + 1, sizeof(*lengths->rows));
	if (!lengths->rows)
		return -ENOMEM;
	add_host_cables(lengths, plan, floor);
	add_uplinks(lengths, plan, floor);
	qsort(lengths->rows, lengths->count, sizeof(*lengths->rows), length_compare);
	for (size_t i = 0; i < lengths->count; i++) {
		if (rows > 0 && length_compare(&lengths->rows[rows - 1], &lengths->rows[i]) == 0)
			lengths->rows[rows - 1].count += lengths->rows[i].count;
		else
			lengths->rows[rows++] = lengths->rows[i];
	}
	lengths->count = rows;
	return 0;
}
