/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/write/seats.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"

bool ft_seats_are_grid(const struct ft_plan *plan)
{
	uint64_t product = 1;

	for (uint32_t i = 0; i < plan->dim_count && product <= plan->switch_count; i++)
		product *= plan->dims[i];
	if (plan->dim_count == 0 || product != plan->switch_count)
		return false;
	for (uint32_t i = 0; i < plan->switch_count; i++)
		if (plan->switches[i].tier != FT_TIER_EDGE)
			return false;
	return true;
}

uint32_t ft_seat_folded(uint32_t at, uint32_t size)
{
	return 2 * at < size ? 2 * at : 2 * (size - at) - 1;
}

/*
 * A dimension is a ring if its last switch is cabled to its first, but the first not to the third, as it is where all
 * are cabled to all. Folding a line would only make its cables longer.
 */
static bool is_ring(const struct ft_plan *plan, uint32_t size, uint32_t stride)
{
	return size > 3 && ft_plan_find_bundle(plan, 0, (size - 1) * stride) != FT_NONE &&
	       ft_plan_find_bundle(plan, 0, 2 * stride) == FT_NONE;
}

static void seats_of_grid(const struct ft_plan *plan, uint32_t across, struct ft_seat *seats)
{
	uint32_t stride = plan->switch_count;

	for (uint32_t i = 0; i < plan->switch_count; i++)
		seats[i] = (struct ft_seat){.tier = FT_TIER_EDGE};
	for (uint32_t d = 0; d < plan->dim_count; d++) {
		uint32_t size = plan->dims[d];
		bool ring;

		stride /= size;
		ring = is_ring(plan, size, stride);
		for (uint32_t i = 0; i < plan->switch_count; i++) {
			uint32_t at = i / stride % size, *number = d < across ? &seats[i].pod : &seats[i].place;

			*number = *number * size + (ring ? ft_seat_folded(at, size) : at);
		}
	}
}

/* Group by group, those with hosts and those without counted apart. Switches of no group stand as they do in a tree. */
static int seats_of_groups(const struct ft_plan *plan, struct ft_seat *seats)
{
	_cleanup_free_ uint32_t *next = calloc(2 * ((size_t)plan->group_count + 1), sizeof(*next));

	if (!next)
		return -ENOMEM;
	for (uint32_t i = 0; i < plan->switch_count; i++) {
		const struct ft_plan_switch *sw = &plan->switches[i];
		bool edge = sw->tier == FT_TIER_EDGE, grouped = sw->group < plan->group_count;
		uint32_t group = grouped ? sw->group : edge ? plan->group_count : 0;

		seats[i].tier = edge ? FT_TIER_EDGE : grouped ? FT_TIER_SPINE : FT_TIER_CORE;
		seats[i].pod = group;
		if (edge || grouped)
			seats[i].place = next[2 * group + !edge]++;
	}
	return 0;
}

int ft_seats_make(const struct ft_plan *plan, uint32_t across, struct ft_seat *ret_seats)
{
	if (ft_seats_are_grid(plan)) {
		seats_of_grid(plan, across, ret_seats);
		return 0;
	}
	for (uint32_t i = 0; i < plan->switch_count; i++) {
		const struct ft_plan_switch *sw = &plan->switches[i];

		ret_seats[i] = (struct ft_seat){sw->tier, sw->pod == FT_NONE ? 0 : sw->pod, sw->place};
	}
	return plan->topology == FT_TOPOLOGY_GRAPH && plan->group_count > 0 ? seats_of_groups(plan, ret_seats) : 0;
}
