/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* All figures of one planned network. */
#ifndef FT_PLANNER_COMPARE_MEASURE_H
#define FT_PLANNER_COMPARE_MEASURE_H

#include "planner/compare/compared.h"
#include "planner/plan/catalog.h"
#include "planner/plan/plan.h"

enum {
	FT_COMPARE_ORDERS = 60, /* of failing cables */
	FT_COMPARE_SEED = 1,
};

struct ft_compare_ask {
	const struct ft_catalog *catalog; /* where prices are from; NULL: there are none */
	uint32_t seed;			  /* of all that is random */
	uint32_t orders;		  /* of failing cables; at least 1 */
	double gap; /* wanted of the throughput, as of ft_throughput(); 0: what a limited search comes to */
	bool brief; /* what curves show alone: no halving cut, and no throughput beyond its bounds */
};

/*
 * Measures @plan; what hangs on a tree is in none of the figures. Fills all of @row but its @asked and @refusal.
 * Returns 0 or -ENOMEM.
 */
int ft_compared_measure(const struct ft_plan *plan, const struct ft_compare_ask *ask, struct ft_compared *row);

#endif
