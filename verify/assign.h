/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The assignment: which observed switch is which planned one, in networks of any shape. A pure function of two
 * multigraphs and of what is known of their vertices; it knows nothing of tiers.
 *
 * What is bound (a GUID) is fixed. What is named starts in the place of its name, and leaves it only where that is
 * worth more than one fault. The rest is told by cables: seed and extend, then local search (assign.c).
 */
#ifndef FT_VERIFY_ASSIGN_H
#define FT_VERIFY_ASSIGN_H

#include <stdbool.h>

#include "verify/multigraph.h"

/* A switch: what tells it from others, apart from its cables. */
struct ft_assign_vertex {
	uint32_t ports;
	uint32_t hosts;
	bool may_host;	  /* of a planned one: hosts belong on it, be it none now */
	uint32_t excused; /* of an observed one: cables that may be there and could not be seen */
};

struct ft_assign {
	const struct ft_multigraph *planned, *observed;
	const struct ft_assign_vertex *planned_at, *observed_at;
	const uint32_t *named; /* by observed switch: the planned one that it should be by its name, or UINT32_MAX */
	bool names_weak;   /* names are the plan's own inventions: where cables speak against them, they say nothing */
	bool names_first;  /* among twins a name says more than hosts do: it is made of port numbers */
	const bool *fixed; /* by observed switch: @named is bound, and no cable speaks against it */
	const uint32_t
		*order; /* by observed switch: its rank among its equals, for choices that nothing else decides */
};

/*
 * @ret_image  by observed switch: the planned one, or UINT32_MAX: it is none of them. [observed->count]
 * @ret_rival  by observed switch: another planned one whose place would make no more faults, where it makes some in its
 *             own and its name does not tell; or UINT32_MAX. [observed->count]
 *
 * O(E) where all are named. Else O(V d^2) for V switches of degree d, times the seeds that are tried, which are as many
 * as fit into a fixed amount of work. Returns 0 or -ENOMEM.
 */
int ft_assign(const struct ft_assign *input, uint32_t *ret_image, uint32_t *ret_rival);

#endif
