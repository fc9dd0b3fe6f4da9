/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * A variant of a plan: it has its own lists of switches, bundles, cables and hosts, to be changed; all else, the names
 * too, is borrowed from the plan, which must outlive it.
 */
#ifndef FT_PLANNER_PLAN_VARIANT_H
#define FT_PLANNER_PLAN_VARIANT_H

#include <stdbool.h>

struct ft_plan;

/* Equal to @plan. The caller frees it; NULL: no memory. */
struct ft_plan *ft_plan_variant(const struct ft_plan *plan);
void ft_plan_variant_free(struct ft_plan *variant);
static inline void ft_plan_variant_freep(struct ft_plan **variant)
{
	ft_plan_variant_free(*variant);
}

/*
 * Leaves out of a variant the listed cables and listed hosts that are marked, by their numbers, and the bundles without
 * a cable.
 */
void ft_plan_leave_out(struct ft_plan *variant, const bool *cables, const bool *hosts);

#endif
