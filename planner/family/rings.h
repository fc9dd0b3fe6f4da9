/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Rings of a fat-tree: the spines of each pod, and all core switches, are also cabled to their neighbours in the plan's
 * order, the last to the first. Traffic has its way if the level above is lost. Two switches are each other's neighbour
 * on both sides, and have both bundles; one alone has no ring.
 *
 * Source: N. Farrington, A. Andreyev, "Facebook's data center network architecture", 2013: the "4-post" network, in
 * which the cluster switches of a cluster are a ring of 8 cables each, and the FatCats one of 16.
 *
 * Ports: the last ones of a switch, so that no assigned port moves as the tree grows: first those to the next switch,
 * then those to the one before. They are kept free also where a switch is alone. Private to planner/family/.
 */
#ifndef FT_PLANNER_FAMILY_RINGS_H
#define FT_PLANNER_FAMILY_RINGS_H

#include "planner/family/rules.h"

/* Ports that the ring of @tier takes of each of its switches; 0: it has none. */
uint32_t ft_rings_ports(const struct ft_design *design, enum ft_tier tier);

/*
 * The rules for the tree alone: their switches have as many ports fewer.
 *
 * @ret_rules  out: a copy of @rules, whose complaints say so
 *
 * Returns 0, or -EINVAL with the complaint: a ring leaves a switch less than two ports.
 */
int ft_rings_reserve(const struct ft_rules *rules, struct ft_rules *ret_rules);

/* Cables of all rings in the tree of @shape, and an upper bound of their bundles. */
uint32_t ft_rings_cables(const struct ft_design *design, const struct ft_shape *shape);
uint32_t ft_rings_bundles(const struct ft_design *design, const struct ft_shape *shape);

/*
 * Adds the rings' bundles to @plan, whose list has room for them, and sorts it.
 *
 * Returns 0, or -EINVAL with the rules' complaint: the last ports of a switch, of a class, are in use.
 */
int ft_rings_wire(const struct ft_rules *rules, struct ft_plan *plan);

#endif
