/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The islands of a plan: switches that hang on the tree, by name, and the cables to them. Private to planner/. */
#ifndef FT_PLANNER_ISLANDS_H
#define FT_PLANNER_ISLANDS_H

#include "planner/plan.h"
#include "planner/rules.h"

/*
 * Plans the islands of the rules' design beside the tree that @plan holds already: names become switches, and every
 * cable gets its ports. What a name outside of the islands means: the planned switch of that name; else one of the tier
 * whose bind pattern it meets; else one of the highest tier that has ports left.
 *
 * Returns 0, -EINVAL (said to the rules: names or ports that contradict each other), or -ENOMEM.
 */
int ft_islands_plan(const struct ft_rules *rules, struct ft_plan *plan);

/* Frees what ft_islands_plan() made. */
void ft_islands_release(struct ft_plan *plan);

#endif
