/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The assignment of observed switches to planned switches, for networks of any topology. A pure function of two
 * multigraphs and of what is known of their vertices; it does not know tiers.
 *
 * A switch that is bound (by GUID) is fixed. A named switch starts in the place of its name, and leaves it only if that
 * saves more than one fault. The others are assigned by their cables: seed and extend, then local search (assign.c).
 */
#ifndef FT_VERIFY_MATCH_ASSIGN_H
#define FT_VERIFY_MATCH_ASSIGN_H

#include <stdbool.h>

#include "base/multigraph.h"

/* A switch: what distinguishes it from others, apart from its cables. */
struct ft_assign_vertex {
	uint32_t ports;
	uint32_t hosts;
	bool may_host;	  /* planned switch: hosts belong on it, even if it has none now */
	uint32_t excused; /* observed switch: cables that may exist, but could not be seen */
	uint16_t rate[2]; /* to switches, to hosts: said of its class, or of most cables; 0: not known */
};

/* True if a switch with @have ports may be one with @want. It may have one more: that of its aggregation node. */
static inline bool ft_ports_fit(uint32_t have, uint32_t want)
{
	return have == want || have == want + 1;
}

/* How far an image is to be trusted. */
enum ft_assign_doubt {
	FT_ASSIGN_SURE,
	FT_ASSIGN_UNFINISHED,	/* the work limit was reached: another image may have fewer faults */
	FT_ASSIGN_CONTRADICTED, /* likewise, and many switches do not have the neighbours of their places */
};

struct ft_assign {
	const struct ft_multigraph *planned, *observed;
	const struct ft_assign_vertex *planned_at, *observed_at;
	const uint32_t *named; /* by observed switch: the planned switch that its name says, or UINT32_MAX */
	bool names_weak;       /* names are invented by the plan, not given by the design: cables overrule them */
	bool names_first;      /* among twins names outweigh hosts: they are derived from port numbers */
	const bool *fixed;     /* by observed switch: @named is bound, and no cable contradicts it */
	const uint32_t *order; /* by observed switch: its rank, the last tie-breaker among equals */
	const uint32_t *image; /* NULL, or the assignment: only the rivals are looked for */
	uint64_t wrong_most;   /* where more cables are wrong, any assignment will do; 0: the best, however many */
};

struct ft_assign_result {
	uint32_t *image; /* by observed switch: the planned one, or UINT32_MAX: not planned */
	/*
	 * By observed switch with faults in its place that its name does not identify: another planned switch whose
	 * place would make no more faults; else UINT32_MAX.
	 */
	uint32_t *rival;
	enum ft_assign_doubt doubt; /* whether another image may have fewer faults */
	/*
	 * Of small networks with several faults: other assignments that may have as few, one after the other; to be
	 * freed. The faults are estimated; only an explanation counts them.
	 */
	uint32_t *others;
	uint32_t other_count;
};

/*
 * @ret  image and rival have room for [observed->count]; others is NULL before
 *
 * O(E) if all are named. Else O(V d^2) for V switches of degree d, times the number of seeds tried, which a fixed
 * amount of work limits. Returns 0 or -ENOMEM.
 */
int ft_assign(const struct ft_assign *input, struct ft_assign_result *ret);

#endif
