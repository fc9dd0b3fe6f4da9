/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The cables of a plan in the order in which they are listed, and so their numbers: number n is row n of
 * ftplan --format cables, from 1. Whatever speaks of a planned cable by its number takes it from here.
 *
 * The order: switch by switch in the plan's order, its hosts and then its cables to later switches; behind the tree the
 * hosts and the cables of what hangs on it. A host whose link is inside a blade chassis has no cable.
 */
#ifndef FT_PLANNER_WRITE_CABLE_ROWS_H
#define FT_PLANNER_WRITE_CABLE_ROWS_H

#include "planner/plan/plan.h"
#include "planner/plan/wiring.h"
#include "planner/write/floor.h"

struct ft_cable_row {
	uint32_t host;		 /* number of the host (plan/wiring.h); FT_NONE: the cable joins two switches */
	uint32_t a;		 /* index of the switch; of a host FT_NONE */
	uint32_t b;		 /* index of the other switch, or of that of the host */
	uint32_t bundle;	 /* index into the plan's bundles; of a host FT_NONE */
	uint32_t wire;		 /* index into wiring->cables; of a host FT_NONE */
	uint32_t a_port, b_port; /* of the switches; a host's own is not known here: 0 */
	bool alias;		 /* switch @b is meant by the name that an island has for it */
	const char *kind;	 /* "host", "uplink", "spine-uplink", "link", "island" */
};

/*
 * All rows of @plan, in their order.
 *
 * @floor     of the plan without what hangs on it: its places tell who is in a blade chassis; NULL: nobody is
 * @ret_rows  out: the caller frees it. Untouched on failure.
 *
 * Returns 0 or -ENOMEM.
 */
int ft_cable_rows_make(const struct ft_plan *plan, const struct ft_wiring *wiring, const struct ft_floor *floor,
		       struct ft_cable_row **ret_rows, uint32_t *ret_count);

#endif
