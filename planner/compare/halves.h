/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The bisection: the fewest cables whose cut divides the hosts into halves (of an odd number, one has one more). */
#ifndef FT_PLANNER_COMPARE_HALVES_H
#define FT_PLANNER_COMPARE_HALVES_H

#include "planner/compare/compared.h"
#include "planner/plan/plan.h"

/*
 * Switches may be on either side, and a host whose switch is on the other side adds its own cable, as in
 * planner/plan/figures.h: of a plain tree that has the closed form, and so have families in which all switches with
 * hosts have as many, and are an even number of them (ft_plan.bisection). Else the fewest cables found by base/cuts.h,
 * or half of the hosts' own cables, with a proven bound from below; where the two meet, the figure is exact.
 *
 * The bound: h hosts of one half send to N - h of the other, and no cable of the cut carries more of these pairs one
 * way than @heaviest (ft_loads; of a host's own cable: the N - h that it sends to). So there are at least h (N - h) /
 * max(@heaviest, N - h) cables. It is met by tori of even sides, hypercubes and other networks whose cables are all
 * busy alike.
 *
 * @heaviest      pairs over the busiest cable by ft_loads_take(), or of a better routing; 0: not known
 * @ret_measured  unknown where there are fewer than two hosts
 * Returns 0 or -ENOMEM.
 */
int ft_halves_measure(const struct ft_plan *plan, double heaviest, struct ft_measured *ret_measured);

#endif
