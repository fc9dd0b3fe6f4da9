/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * A variant of a plan: it has its own lists of switches, bundles, cables and hosts, to be changed; all else, the names
 * too, is borrowed from the plan, which must outlive it.
 */
#ifndef FT_PLANNER_PLAN_VARIANT_H
#define FT_PLANNER_PLAN_VARIANT_H

struct ft_plan;

/* Equal to @plan. The caller frees it; NULL: no memory. */
struct ft_plan *ft_plan_variant(const struct ft_plan *plan);
void ft_plan_variant_free(struct ft_plan *variant);
static inline void ft_plan_variant_freep(struct ft_plan **variant)
{
	ft_plan_variant_free(*variant);
}

#endif
