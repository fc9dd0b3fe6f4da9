/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * How much traffic the plan carries, as a graph: which way is up, where there is an up and a down, and the cuts whose
 * cables are the bisection. Made once for a model (measure.c); impact.c and after.c ask it what a loss costs.
 *
 * Ranks: steps up from the hosts. A plan whose kinds have ranks says them. Of any other it is found out whether it is a
 * fat-tree all the same: every cable joins a rank and the next, and every switch with hosts reaches all top switches of
 * its network by going up alone. Where it is none, there is one rank, and no cable leads up.
 *
 * Cuts: of a fat-tree the cables between two ranks, each a cut; the rank with the fewest is what limits all others. Of
 * any other graph up to 64 cuts that halve the hosts of each network (cuts.h). Invariant: what is left of the bisection
 * is, network by network, the least of what is left of the cuts, and never more than the least that is planned of one.
 */
#ifndef FT_VERIFY_CAPACITY_H
#define FT_VERIFY_CAPACITY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/ratio.h"
#include "verify/model.h"

struct ft_capacity {
	uint32_t *rank;		   /* by place */
	uint32_t ranks;		   /* how many; 1: nothing is above anything */
	struct ft_ratio *blocking; /* [ranks], by rank: what comes from below to what leads up, as planned */
	uint64_t *across;	   /* by cell: bit n is set where its cables are of cut n */
	uint32_t *part;		   /* by cell: the network whose cuts these are; always 0 in a fat-tree */
	uint32_t parts, cuts;
	uint64_t *planned; /* [parts][cuts]: cables */
	uint64_t total;	   /* the sum over all networks of the least of these */
};

void ft_capacity_free(struct ft_capacity *capacity);

/*
 * Fills m->capacity, once the cells have been counted. @carriers: by cell, planned cables that carry. 0 or -ENOMEM.
 */
int ft_capacity_make(struct ft_model *m, const uint32_t *carriers);

/* Host ports that place @p has by the plan, connected now or not. */
uint32_t ft_host_ports(const struct ft_model *m, uint32_t p);

/* True where cables from place @p to place @q lead up. */
static inline bool ft_leads_up(const struct ft_model *m, uint32_t p, uint32_t q)
{
	return m->capacity->rank[p] < m->capacity->rank[q];
}

/* True where place @p is of the highest rank of several. */
static inline bool ft_is_top(const struct ft_model *m, uint32_t p)
{
	return m->capacity->ranks > 1 && m->capacity->rank[p] == m->capacity->ranks - 1;
}

/* True where cables from @p to @q are those that carry what the hosts of @p send: up, or to anybody. */
static inline bool ft_carries_from(const struct ft_model *m, uint32_t p, uint32_t q)
{
	return m->capacity->ranks == 1 || ft_leads_up(m, p, q);
}

/*
 * What place @p, which was seen, has to carry: hosts, those connected or those planned; above them, planned cables from
 * below.
 */
uint32_t ft_load_of(const struct ft_model *m, uint32_t p);

/*
 * What is left of each cut, in any unit: so many planned cables times the unit, less what is taken away. To be freed by
 * the caller; NULL: no memory.
 */
uint64_t *ft_cuts_full(const struct ft_model *m, uint64_t unit);
void ft_cuts_take(const struct ft_model *m, uint64_t *left, uint32_t cell, uint64_t amount);
void ft_cuts_give(const struct ft_model *m, uint64_t *left, uint32_t cell, uint64_t amount);

/* The bisection that is left, in cables times the unit of @left; the whole is m->capacity->total times it. */
uint64_t ft_cuts_least(const struct ft_model *m, const uint64_t *left);

/* What of @planned is left, as a fraction of at most 1; 1 where nothing is planned. */
struct ft_ratio ft_share(uint64_t left, uint64_t planned);

/* What is congested twice: what lets everything pass makes nothing better than the other makes it. */
struct ft_ratio ft_blocking_times(struct ft_ratio one, struct ft_ratio other);

/* The blocking of the whole way up, where that of @rank is @there, and all others are as planned. */
struct ft_ratio ft_blocking_with(const struct ft_model *m, uint32_t rank, struct ft_ratio there);

#endif
