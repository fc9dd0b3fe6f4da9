/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * What failures take from a planned network: how many cables fail in a random order before hosts are cut off, and how
 * many hosts the worst single failure cuts off.
 */
#ifndef FT_PLANNER_COMPARE_OUTAGE_H
#define FT_PLANNER_COMPARE_OUTAGE_H

#include "planner/plan/plan.h"

/* The share of the cables between switches that have failed when the first host is cut off, over random orders. */
struct ft_lost {
	double median, p10, p90;
};

/*
 * Each order is a random permutation (Fisher and Yates) of all cables between switches, each on its own, also of those
 * of one bundle. In the order of failing the k-th cable is the one that cuts off the first host; backwards it is the
 * one that, added to those that fail after it, joins all switches with hosts. So one pass with disjoint sets an order
 * does: O(orders x cables x inverse Ackermann).
 *
 * @seed    the same seed gives the same orders on every machine
 * @orders  at least 1
 *
 * Returns 0; -ENOMEM; -ENODATA: no two switches have hosts, or they are not all connected to begin with.
 */
int ft_outage_lost(const struct ft_plan *plan, uint64_t seed, uint32_t orders, struct ft_lost *ret_lost);

/* Hosts that the worst failure of one switch (its own counted), or of one cable between switches, cuts off. */
struct ft_cut_off {
	uint32_t by_switch, by_cable;
};

/*
 * Hosts are cut off that are not in the part of the network that has most hosts. One depth-first search (R. Tarjan,
 * "Depth-first search and linear graph algorithms", 1972) finds what each articulation and each bridge separates:
 * O(switches + bundles). Returns 0 or -ENOMEM.
 */
int ft_outage_cut_off(const struct ft_plan *plan, struct ft_cut_off *ret_cut_off);

#endif
