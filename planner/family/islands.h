/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The islands of a plan: switches beside the tree, given by name, and the cables to them. Private to planner/. */
#ifndef FT_PLANNER_FAMILY_ISLANDS_H
#define FT_PLANNER_FAMILY_ISLANDS_H

#include "planner/plan/plan.h"
#include "planner/family/rules.h"

/*
 * Plans the islands of the rules' design beside the tree that @plan holds already: names become switches, and every
 * cable gets its ports. A name outside of the islands (an anchor) is the planned switch with that name; else one of the
 * tier whose bind pattern it matches; else one of the highest tier with free ports.
 *
 * Returns 0, -EINVAL (names or ports contradict each other; the rules' complaint is set), or -ENOMEM.
 */
int ft_islands_plan(const struct ft_rules *rules, struct ft_plan *plan);

#endif
