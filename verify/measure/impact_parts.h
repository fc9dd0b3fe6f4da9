/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Shared by the files that weigh findings. Private to impact.c, risk.c and opensm.c. */
#ifndef FT_VERIFY_MEASURE_IMPACT_PARTS_H
#define FT_VERIFY_MEASURE_IMPACT_PARTS_H

#include "base/arena.h"
#include "verify/model/model.h"

enum { FT_IMPACT_UNIT = 1000000 }; /* parts of a cable in which losses are counted */

/*
 * Once so many bundles were examined, further findings are not tested one by one for ftree and for hosts at risk far
 * away.
 */
enum { FT_IMPACT_BUNDLES_MAX = 2000000 };

struct ft_weighing {
	struct ft_model *m;
	struct ft_arena memory; /* of all lists here but @cuts */
	/* Of one finding: by cell, in millionths of cables; non-zero cells are listed. */
	uint64_t *lost;
	uint32_t *cells;
	uint32_t cell_count;
	bool *is_gone; /* by place */
	/*
	 * By place: planned cables up, or all cables in a plan without ranks; and how many of them the finding loses,
	 * in millionths.
	 */
	uint32_t *planned_up;
	uint64_t *lost_up;
	uint32_t *touched; /* places with a loss above, or edges below such */
	uint32_t touched_count;
	bool *is_touched;
	uint64_t *cuts;	    /* remaining planned capacity of each cut, in millionths of cables: see model/capacity.h */
	bool *at_risk;	    /* by place: one more failure cuts it off, and in the plan none can */
	bool *planned_risk; /* by place: a single failure cuts it off in the plan */
	bool any_at_risk;
	bool *told; /* by place: those that a finding puts at risk by itself, wherever it is */
};

/* impact.c: the planned switch that one of a finding's places is on; or FT_NONE. */
uint32_t ft_impact_place(const struct ft_weighing *x, const struct ft_place *at);

/* The remaining planned cables of a pair, without the losses of the current finding. */
static inline uint32_t ft_impact_left(const struct ft_weighing *x, uint32_t cell)
{
	return x->m->cells.width[cell] - (uint32_t)(x->lost[cell] / FT_IMPACT_UNIT);
}

/* risk.c: which places one more failure would cut off, in the plan and now. Returns 0 or -ENOMEM. */
int ft_risk_weigh(struct ft_weighing *x);

/*
 * risk.c: adds to @f the hosts at risk because of it, the current finding, wherever they are. Returns 0 or -ENOMEM.
 *
 * In a plan without ranks a loss can put hosts anywhere at risk: those that one failure would cut off in the plan
 * without the lost items; if several findings together cause it, those with a loss by one of them. O(cables).
 */
int ft_risk_of_finding(struct ft_weighing *x, struct ft_finding *f);

/* opensm.c: whether "-R ftree" refuses the plan; and, in the report, the fabric. Returns 0 or -ENOMEM. */
int ft_opensm_judge(struct ft_weighing *x, bool *ret_refuses);

/* opensm.c: whether it refuses the plan because of the current finding, @f. O(cables). Returns 0 or -ENOMEM. */
int ft_opensm_judge_finding(const struct ft_weighing *x, struct ft_finding *f);

#endif
