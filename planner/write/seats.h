/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The order in which switches stand on the floor. Private to the floor model (planner/write/floor.c).
 *
 * A tree stands pod by pod. A network with groups stands group by group, each with all of its switches. A grid stands
 * as it is: some of its dimensions run across the rows of racks, and the others along them; a dimension that is a ring
 * is folded.
 */
#ifndef FT_PLANNER_WRITE_SEATS_H
#define FT_PLANNER_WRITE_SEATS_H

#include "planner/plan/plan.h"

struct ft_seat {
	enum ft_tier tier; /* what it stands as: those without hosts of a group stand as the spines of a pod do */
	uint32_t pod;	   /* whose racks are next to each other */
	uint32_t place;	   /* among those of its tier in its pod */
};

/* Whether the plan stands on the floor as a grid. */
bool ft_seats_are_grid(const struct ft_plan *plan);

/*
 * Seats of all switches.
 *
 * @across     of a grid: how many of its dimensions, the first ones, run across the rows; each row is a pod then. 0:
 *             all of them follow each other, in one pod; anything else than a grid has 0
 * @ret_seats  [plan->switch_count]
 *
 * Returns 0 or -ENOMEM.
 */
int ft_seats_make(const struct ft_plan *plan, uint32_t across, struct ft_seat *ret_seats);

/*
 * The place of coordinate @at of a ring of @size that is folded: the order along the floor is 0, n-1, 1, n-2, 2, …, so
 * that neighbours are never more than two places apart (0, 2, 4, …, 5, 3, 1 are the places of 0, 1, 2, …).
 */
uint32_t ft_seat_folded(uint32_t at, uint32_t size);

#endif
