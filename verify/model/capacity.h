/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The capacity of the plan as a graph: which cables lead up, if there are ranks, and the cuts whose cables are the
 * bisection. Computed once for a model (measure/figures.c); measure/impact.c and measure/failures.c derive the cost of
 * a loss from it.
 *
 * Ranks: steps up from the hosts, given by the plan if its kinds have ranks. Any other plan is tested for being a
 * fat-tree: every cable joins adjacent ranks, and every switch with hosts reaches all top switches of its network by up
 * links only. If it is none, there is one rank, and no cable leads up.
 *
 * Cuts: in a fat-tree the cables between each two adjacent ranks are a cut; the smallest one is the limit. In any other
 * graph up to 64 cuts that halve the hosts of each network (base/cuts.h). Invariant: the remaining bisection of a
 * network is the minimum over its cuts of the remaining cables, and at most the minimum of the planned ones.
 */
#ifndef FT_VERIFY_MODEL_CAPACITY_H
#define FT_VERIFY_MODEL_CAPACITY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/ratio.h"
#include "verify/model/model.h"

struct ft_capacity {
	uint32_t *rank;		   /* by place; FT_NONE: it is beside the tree */
	uint32_t ranks;		   /* how many; 1: nothing is above anything */
	struct ft_ratio *blocking; /* [ranks], by rank: what comes from below to what leads up, as planned */
	uint64_t *across;	   /* by cell: bit n is set where its cables are of cut n */
	uint32_t *part;		   /* by cell: the network whose cuts these are; always 0 in a fat-tree */
	uint32_t parts, cuts;
	uint64_t *planned; /* [parts][cuts]: cables */
	uint64_t total;	   /* sum over all networks of the smallest cut */
};

/* Fills m->capacity, in m->memory, after the cells were counted. @carriers: by cell, planned cables that carry. 0 or
 * -ENOMEM. */
int ft_capacity_make(struct ft_model *m, const uint32_t *carriers);

/* True where cables from place @p to place @q lead up. */
static inline bool ft_leads_up(const struct ft_model *m, uint32_t p, uint32_t q)
{
	return m->capacity->rank[p] < m->capacity->rank[q] && m->capacity->rank[q] != FT_NONE;
}

/* True where place @p is of the highest rank of several. */
static inline bool ft_is_top(const struct ft_model *m, uint32_t p)
{
	return m->capacity->ranks > 1 && m->capacity->rank[p] == m->capacity->ranks - 1;
}

/* True if cables from @p to @q carry the traffic of the hosts of @p: up, or in a plan without ranks to any place. */
static inline bool ft_carries_from(const struct ft_model *m, uint32_t p, uint32_t q)
{
	const uint32_t *rank = m->capacity->rank;

	return ft_leads_up(m, p, q) || (m->capacity->ranks == 1 && rank[p] != FT_NONE && rank[q] != FT_NONE);
}

/*
 * The load of place @p, which was seen: its hosts, connected or planned; in higher ranks, its planned cables from
 * below.
 */
uint32_t ft_load_of(const struct ft_model *m, uint32_t p);

/*
 * The remaining capacity of each cut, in any unit: planned cables times the unit, minus the losses. The caller frees
 * it; NULL: no memory.
 */
uint64_t *ft_cuts_full(const struct ft_model *m, uint64_t unit);

/* Subtracts @amount, in the unit of @left, from the cuts that @cell is in, or adds it again. */
void ft_cuts_take(const struct ft_model *m, uint64_t *left, uint32_t cell, uint64_t amount);
void ft_cuts_give(const struct ft_model *m, uint64_t *left, uint32_t cell, uint64_t amount);

/* The remaining bisection, in cables times the unit of @left; the whole is m->capacity->total times it. */
uint64_t ft_cuts_least(const struct ft_model *m, const uint64_t *left);

/* The fraction of @planned that is left, at most 1; 1 where nothing is planned. */
struct ft_ratio ft_share(uint64_t left, uint64_t planned);

/*
 * The worst blocking of a path up: upward traffic passes switches of all ranks, so their ratios multiply, and the worst
 * case has the worst switch in one rank and all others as planned. A rank above the hosts that passes more than its
 * load does not compensate for others. 0 / 0: no switch has a load and links.
 *
 * @load   by place: ft_load_of(), 0 of those that are not there
 * @links  by place: cables that lead up, as far as they carry
 * @part   by place: 0 of switches without hosts in reach; NULL: all are in reach
 */
struct ft_ratio ft_blocking_worst(const struct ft_model *m, const uint32_t *load, const uint32_t *links,
				  const uint32_t *part);

/* The blocking of the whole path up, if that of @rank is @there and all others are as planned. */
struct ft_ratio ft_blocking_with(const struct ft_model *m, uint32_t rank, struct ft_ratio there);

#endif
