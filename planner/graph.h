/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The plan of a design that is any graph. Private to planner/. */
#ifndef FT_PLANNER_GRAPH_H
#define FT_PLANNER_GRAPH_H

#include "planner/plan.h"

/*
 * Plans the graph that @design lists: its switches in their order, a bundle for each pair that it links. Hosts have the
 * ports of a switch from 1 on, its cables those behind, neighbour by neighbour in the order of the switches.
 *
 * Returns 0 or -ENOMEM. @ret_plan is untouched on failure.
 */
int ft_graph_plan(const struct ft_design *design, struct ft_plan **ret_plan);

/*
 * What follows from the hosts and bundles of @plan, a graph: links, ports that are left, how far hosts are apart. To be
 * called again when they have changed. Returns 0 or -ENOMEM.
 */
int ft_graph_figures(struct ft_plan *plan);

/* What ft_plan_write_text() says of a graph below its headline. */
void ft_graph_write_text(struct ft_text *text, const struct ft_plan *plan);

#endif
