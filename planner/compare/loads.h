/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * How far hosts are apart, and how much each cable carries when every host sends the same to every other over all
 * shortest paths. Both bound what any routing can do: from above and, as this is one, from below.
 */
#ifndef FT_PLANNER_COMPARE_LOADS_H
#define FT_PLANNER_COMPARE_LOADS_H

#include "planner/plan/plan.h"

struct ft_loads {
	uint32_t diameter;	  /* cables between the two switches with hosts that are farthest apart */
	uint32_t diameter_all;	  /* the same of any two switches */
	uint32_t degree;	  /* the most other switches that one has cables to */
	bool connected;		  /* every host has a path to every other */
	uint64_t switches_cables; /* of the shortest paths of all ordered pairs of switches with hosts */
	double hosts_cables;	  /* of the shortest paths of all ordered pairs of hosts, between switches */
	double heaviest; /* ordered pairs of hosts whose traffic goes over one direction of the busiest cable; 0: no
			    cable is needed */
};

/*
 * Shares at every switch go to all neighbours that are nearer to the destination, by the number of cables to each (as
 * hardware does with equal-cost paths). A search from every switch, and a pass over the arcs for every switch with
 * hosts: O(switches x arcs).
 *
 * Returns 0 or -ENOMEM.
 */
int ft_loads_take(const struct ft_plan *plan, struct ft_loads *ret_loads);

/*
 * Moore's bound: no graph of that degree and diameter has more vertices: 1 + k * sum of (k - 1)^i for i below D.
 * Source: M. Miller and J. Siran, "Moore graphs and beyond", 2005.
 */
double ft_moore_bound(uint32_t degree, uint32_t diameter);

#endif
