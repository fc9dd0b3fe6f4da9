/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The bundles of a plan as lists of neighbours: what every search in the plan's graph goes by. Only which switches have
 * bundles counts: a search that minds widths, rates or what is missing has an array of its own by bundle.
 */
#ifndef FT_PLANNER_PLAN_ADJACENCY_H
#define FT_PLANNER_PLAN_ADJACENCY_H

#include <stdint.h>

#include "base/multigraph.h"

struct ft_plan;

/* A bundle as one of its switches sees it. */
struct ft_arc {
	uint32_t to;	 /* the switch at the other end */
	uint32_t bundle; /* index into the plan's bundles */
};

struct ft_adjacency {
	uint32_t *first;     /* [switch_count + 1]: where the arcs of each switch begin; the last: how many there are */
	struct ft_arc *arcs; /* switch by switch, each in the order of the bundles, which is that of @to where no
				other bundles are behind those of a tree */
};

/* Lists the bundles of @plan. The caller releases @ret also on failure. Returns 0 or -ENOMEM. */
int ft_adjacency_make(const struct ft_plan *plan, struct ft_adjacency *ret);
void ft_adjacency_release(struct ft_adjacency *adjacency);

#define FT_ADJACENCY_FAR UINT32_MAX

/*
 * Breadth-first search from switch @from, over bundles that have cables. O(arcs).
 *
 * @distance  by switch; FT_ADJACENCY_FAR where it is still to be looked for. Out: cables from @from, of those found
 * @order     out: the switches that were found, the nearest first; room for all
 * Returns how many were found.
 */
uint32_t ft_adjacency_search(const struct ft_adjacency *near, const struct ft_plan *plan, uint32_t from,
			     uint32_t *distance, uint32_t *order);

/* No switch has been found yet. */
void ft_adjacency_forget(uint32_t *distance, uint32_t switch_count);

/* The planned switches and their cables as a multigraph. The caller releases @ret also on failure. Returns 0 or
 * -ENOMEM. */
int ft_plan_graph(const struct ft_plan *plan, struct ft_multigraph *ret);

#endif
