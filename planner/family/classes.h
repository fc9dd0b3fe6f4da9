/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Classes of switches that differ from the rest of their tier in a fat-tree: the last ones of the tier, class by class
 * in the order of the design. The tree rules plan the other switches as if no classes existed; a class lists the
 * differences of its switches. Private to planner/.
 */
#ifndef FT_PLANNER_FAMILY_CLASSES_H
#define FT_PLANNER_FAMILY_CLASSES_H

#include "planner/family/rules.h"

/* Switches of @tier that are in classes. */
uint32_t ft_classes_count(const struct ft_design *design, enum ft_tier tier);

/* The class of switch @index, from 0, of the @count in @tier; NULL: it has none. */
const struct ft_design_class *ft_classes_find(const struct ft_design *design, enum ft_tier tier, uint32_t index,
					      uint32_t count);

/* Hosts that classes give to their switches; and the number of these switches that are edges. */
uint32_t ft_classes_hosts(const struct ft_design *design);
uint32_t ft_classes_hosting_edges(const struct ft_design *design);

/* Hosts that classes give to switches above the edge level. */
uint32_t ft_classes_upper_hosts(const struct ft_design *design);

/* Cables between switches in the tree of @shape. */
uint32_t ft_classes_links(const struct ft_design *design, const struct ft_shape *shape);

/* The number of ordinary edge switches, with @cables each, that use as many cables as the classes of edges. */
uint32_t ft_classes_as_edges(const struct ft_design *design, uint32_t cables);

/*
 * The cables of a switch of @class to each of @count upper ones.
 *
 * @usual       those of an ordinary switch; [count]
 * @ret_shares  [count]; some may be 0
 *
 * Returns 0, or -EINVAL, with the rules' complaint set: the class lists another number of upper switches.
 */
int ft_classes_shares(const struct ft_rules *rules, const struct ft_design_class *class, const uint32_t *usual,
		      uint32_t count, uint32_t *ret_shares);

/*
 * Assigns ports to the bundles of @plan, which has classes: on a lower switch after the host ports, or after the hosts
 * if they do not fit there; on an upper one after its hosts, bundle by bundle.
 *
 * Returns 0; -EINVAL, with the rules' complaint set: a switch has too few ports; or -ENOMEM.
 */
int ft_classes_wire(const struct ft_rules *rules, struct ft_plan *plan);

/* Writes one line for each class, as text. */
void ft_classes_write_text(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan);

#endif
