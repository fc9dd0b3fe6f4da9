/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Directed routes to the nodes of a snapshot, for queries after the sweep, when its survey is gone. Breadth-first from
 * the entry, so that routes are shortest: O(ports).
 */
#ifndef FT_PROBE_WAYS_H
#define FT_PROBE_WAYS_H

#include "probe/smp.h"

/* The route to a node from the entry. */
struct ft_way_to {
	uint32_t from; /* the previous node; FT_NONE: none, it is the entry */
	uint8_t port;  /* out of that */
	uint8_t hops;
	bool known;
};

/* By node of @snapshot; the caller frees it. Returns 0 or -ENOMEM. */
int ft_ways_find(const struct ft_snapshot *snapshot, struct ft_way_to **ret_ways);

/* Fills hops and path of @request. Returns false if no route to @node is known. */
bool ft_ways_write(const struct ft_way_to *ways, uint32_t node, struct ft_smp_request *request);

#endif
