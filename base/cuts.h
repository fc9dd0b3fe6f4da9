/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Small balanced cuts of a graph: the capacity between two halves of the hosts. Finding the smallest is NP-hard; this
 * is a heuristic. Knows nothing of plans and fabrics.
 *
 * Algorithm: from several seeds a half is grown, always by the vertex with most edges into it (greedy graph growing, G.
 * Karypis and V. Kumar, "A Fast and High Quality Multilevel Scheme for Partitioning Irregular Graphs"); each is then
 * improved in passes of C. Fiduccia and R. Mattheyses, "A Linear-Time Heuristic for Improving Network Partitions". A
 * pass is O(edges). The same graph always gives the same cuts: nothing is random.
 */
#ifndef FT_BASE_CUTS_H
#define FT_BASE_CUTS_H

#include <stdint.h>

#include "base/multigraph.h"

enum { FT_CUTS_MAX = 64 };

struct ft_cut_search {
	const struct ft_multigraph *graph;
	const uint32_t *weight; /* by vertex: hosts */
	const uint32_t *part;	/* by vertex: its part; each part is halved on its own, and no edge joins two */
	uint32_t parts;
	uint64_t *side;	    /* by vertex: bit n is its side in cut n of its part */
	unsigned int count; /* number of existing cuts */
};

/*
 * Adds up to @wanted cuts of each part. If there are some already, those that are smallest in this graph are improved
 * first. For a large graph fewer are added, to bound the time. Halves have the same weight, or the difference of a
 * greedy partition by weight; a part of one vertex is on one side. Returns 0 or -ENOMEM.
 */
int ft_cuts_search(struct ft_cut_search *search, unsigned int wanted);

#endif
