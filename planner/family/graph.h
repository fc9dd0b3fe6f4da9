/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The plan of a design that is any graph. Private to planner/. */
#ifndef FT_PLANNER_FAMILY_GRAPH_H
#define FT_PLANNER_FAMILY_GRAPH_H

#include "planner/plan/plan.h"

/*
 * Plans a graph: its switches in their order, a bundle for each linked pair. Hosts take the ports of a switch from 1
 * on, cables the following ones, neighbour by neighbour in the order of the switches; or those that a link says.
 *
 * Returns 0 or -ENOMEM. @ret_plan is untouched on failure.
 */
int ft_graph_plan(const struct ft_design_graph *graph, struct ft_plan **ret_plan);

/* The part of ft_plan_write_text() about a graph, below the headline. */
void ft_graph_write_text(struct ft_text *text, const struct ft_plan *plan);

#endif
