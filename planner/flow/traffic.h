/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Which hosts send to which: traffic patterns as demands between vertices. Private to planner/flow/. */
#ifndef FT_PLANNER_FLOW_TRAFFIC_H
#define FT_PLANNER_FLOW_TRAFFIC_H

#include "planner/flow/flow.h"
#include "planner/flow/throughput.h"

/* Demands of a pattern: either @weights by vertex or a list, as in struct ft_flow_problem. */
struct ft_traffic_demands {
	double *weights;
	struct ft_flow_demand *list;
	size_t count;
	bool exact; /* of worst matching: no matching is longer */
};

/*
 * Makes the demands of @traffic between @hosts, which are by vertex, at least two in all.
 *
 * @graph  arcs that have a capacity: worst matching counts them on the way
 * @ret    released by the caller also on failure
 * Returns 0 or -ENOMEM.
 */
int ft_traffic_make(enum ft_traffic traffic, const struct ft_flow_problem *graph, const uint32_t *hosts, uint64_t seed,
		    struct ft_traffic_demands *ret);
void ft_traffic_release(struct ft_traffic_demands *demands);

#endif
