/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Figures of a plan that is any graph. Private to planner/. */
#ifndef FT_PLANNER_PLAN_GRAPH_FIGURES_H
#define FT_PLANNER_PLAN_GRAPH_FIGURES_H

#include "planner/plan/plan.h"

/*
 * Computes from the hosts and bundles of @plan, a graph: links, free ports, distances of hosts. Called again after they
 * changed. Returns 0 or -ENOMEM.
 */
int ft_graph_figures(struct ft_plan *plan);

/* The switches on the way between the two hosts that are farthest apart, by the bundles of any plan. 0 or -ENOMEM. */
int ft_graph_farthest(const struct ft_plan *plan, uint32_t *ret_switches);

#endif
