/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The longest matching of hosts. Private to planner/flow/. */
#ifndef FT_PLANNER_FLOW_MATCHING_H
#define FT_PLANNER_FLOW_MATCHING_H

#include "planner/flow/flow.h"

/* Switches with hosts up to which the matching is the longest; beyond, it is the longest found. */
enum { FT_MATCHING_EXACT_MAX = 1024 };

/*
 * Matches all hosts as senders with all hosts as receivers so that the sum of the distances, in arcs of @graph, is
 * greatest. A host may be matched with one of its own switch, at the distance 0.
 *
 * @hosts      by vertex
 * @ret_list   out: the demands between vertices, in the order of @from; owned by the caller
 * @ret_exact  out: no matching is longer
 *
 * Vertices without a path between them count as one arc farther apart than any others. Returns 0 or -ENOMEM.
 */
int ft_matching_longest(const struct ft_flow_problem *graph, const uint32_t *hosts, struct ft_flow_demand **ret_list,
			size_t *ret_count, bool *ret_exact);

#endif
