/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * What if more fails: so many core switches (any switches, where the plan has no tiers), or so many cables between
 * switches, of those that are there now. How bad
 * at worst, and how bad on average.
 */
#ifndef FT_VERIFY_AFTER_H
#define FT_VERIFY_AFTER_H

#include "verify/report.h"
#include "verify/verify.h"

enum {
	FT_AFTER_COUNT_MAX = 1000, /* the most failures that are asked for */
	FT_AFTER_WAYS_MAX = 20000, /* up to so many ways to fail are all looked at, */
	FT_AFTER_SAMPLES = 10000,  /* of more, so many are drawn, */
	FT_AFTER_SEED = 1,	   /* always the same */
};

/*
 * Adds to @report, which ft_verify_all() made of @input, what @count more failures of @kind do (for a plan without
 * tiers, FT_AFTER_CORE means FT_AFTER_SWITCH). Where fewer are there, all of these fail; where none are, nothing is
 * added.
 *
 * If there are too many ways to look at all of them, the average is of those that were drawn. The worst case is that of
 * all that were looked at, among them the ways that hit one edge switch, or the bandwidth as a whole, hardest: the
 * thickest bundles of each edge, the core switches with most cables, and the edges with fewest cables as long as they
 * last. On a graph that is no tree those are among them that hit a small cut, and one that is built failure by failure,
 * each the hardest with those before it. In two levels no way is worse; elsewhere there may be one, and "exact" is
 * false.
 *
 * Returns 0 or -ENOMEM.
 */
int ft_after_add(const struct ft_verify_input *input, enum ft_after_kind kind, uint32_t count,
		 struct ft_report *report);

#endif
