/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* A plan chip by chip, as far as it says what is inside its directors. */
#ifndef FT_PLANNER_PLAN_CHIP_GRAPH_H
#define FT_PLANNER_PLAN_CHIP_GRAPH_H

#include "base/hops.h"
#include "planner/plan/plan.h"

/*
 * The graph of the switch chips with the planned hosts on them; regular are those of the tree. The caller releases it
 * also on failure. Returns 0 or -ENOMEM. O(cables).
 */
int ft_plan_chip_graph(const struct ft_plan *plan, struct ft_hop_graph *ret);

#endif
