/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * N-k failures: the effect of so many more core switches (any switches in a plan without tiers), or cables between
 * switches, failing, out of those observed now: worst case and mean.
 */
#ifndef FT_VERIFY_MEASURE_FAILURES_H
#define FT_VERIFY_MEASURE_FAILURES_H

#include "verify/model/model.h"

enum {
	FT_AFTER_COUNT_MAX = 1000, /* the most failures that can be requested */
	FT_AFTER_WAYS_MAX = 20000, /* up to this number of sets all are enumerated, */
	FT_AFTER_SAMPLES = 10000,  /* of more, at most this number is sampled (fewer in large fabrics), */
	FT_AFTER_SEED = 1,	   /* always the same */
};

/*
 * Adds to the report of the finished model @m the effect of @count more failures of @kind (in a plan without tiers,
 * FT_AFTER_CORE means FT_AFTER_SWITCH). If fewer exist, all of them fail; if none exist, nothing is added.
 *
 * If there are too many sets to enumerate, the mean is over a sample. The worst case is over all sets examined,
 * including those that hit one edge switch, or the total bandwidth, hardest: the thickest bundles of each edge, the
 * core switches with most cables, and the edges with fewest cables first. In a graph that is no tree they include sets
 * that hit a small cut, and a greedy set. In two levels no set is worse; elsewhere one may be, and "exact" is false.
 *
 * Returns 0 or -ENOMEM.
 */
int ft_after_add(struct ft_model *m, enum ft_after_kind kind, uint32_t count);

#endif
