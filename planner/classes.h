/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Classes of switches of a fat-tree that are unlike the rest of their tier: the last ones of it, class by class in the
 * order of the design. The rules of the tree are for the others, which they plan as if only these were there; a class
 * says of its switches what is different. Private to planner/.
 */
#ifndef FT_PLANNER_CLASSES_H
#define FT_PLANNER_CLASSES_H

#include "planner/rules.h"

/* Switches of @tier that are in classes. */
uint32_t ft_classes_count(const struct ft_design *design, enum ft_tier tier);

/* The class of switch @index, from 0, of the @count that @tier has; NULL: it is like most. */
const struct ft_design_class *ft_classes_find(const struct ft_design *design, enum ft_tier tier, uint32_t index,
					      uint32_t count);

/* Hosts that classes give to their switches; and how many of these switches are edges. */
uint32_t ft_classes_hosts(const struct ft_design *design);
uint32_t ft_classes_hosting_edges(const struct ft_design *design);

/* Hosts that classes give to switches above the edge level. */
uint32_t ft_classes_upper_hosts(const struct ft_design *design);

/* Cables between switches in the tree of @shape. */
uint32_t ft_classes_links(const struct ft_design *design, const struct ft_shape *shape);

/*
 * How many edge switches like most take as many cables as the classes of edges do, where each takes @cables.
 */
uint32_t ft_classes_as_edges(const struct ft_design *design, uint32_t cables);

/*
 * The cables of a switch of @class to each of @count upper ones.
 *
 * @usual       those of a switch that is like most, as many in all; [count]
 * @ret_shares  [count]; some may be 0
 *
 * Returns 0, or -EINVAL, said to the rules: the class lists another number of upper switches.
 */
int ft_classes_shares(const struct ft_rules *rules, const struct ft_design_class *class, const uint32_t *usual,
		      uint32_t count, uint32_t *ret_shares);

/*
 * Gives the bundles of @plan, which has classes, their ports: at a lower switch behind the ports for hosts, or behind
 * the hosts if they would not fit there; at an upper one behind its hosts, bundle by bundle.
 *
 * Returns 0; -EINVAL, said to the rules: a switch has too few ports; or -ENOMEM.
 */
int ft_classes_wire(const struct ft_rules *rules, struct ft_plan *plan);

/* A line a class, for people. */
void ft_classes_write_text(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan);

#endif
