/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Small cuts that halve a graph: how little carries the traffic from one half of the hosts to the other. To find the
 * smallest is NP-hard; these are the best that are found. Knows nothing of plans and fabrics.
 *
 * Algorithm: from several first vertices a half is grown, always by the vertex that has most edges into it (greedy
 * graph growing, G. Karypis and V. Kumar, "A Fast and High Quality Multilevel Scheme for Partitioning Irregular
 * Graphs"); each is then improved in passes of C. Fiduccia and R. Mattheyses, "A Linear-Time Heuristic for Improving
 * Network Partitions". A pass is O(edges). The same graph always gives the same cuts: nothing is random.
 */
#ifndef FT_VERIFY_CUTS_H
#define FT_VERIFY_CUTS_H

#include <stdint.h>

#include "verify/multigraph.h"

enum { FT_CUTS_MAX = 64 };

struct ft_cut_search {
	const struct ft_multigraph *graph;
	const uint32_t *weight; /* by vertex: hosts */
	const uint32_t *part;	/* by vertex: each part is halved on its own; no edge joins two */
	uint32_t parts;
	uint64_t *side;	    /* by vertex: bit n says on which side of cut n of its part it is */
	unsigned int count; /* of cuts that are there */
};

/*
 * Adds up to @wanted cuts of each part. Where there are some already, those that are smallest in this graph are
 * improved first. Fewer are added to a large graph, as long as it takes. Halves weigh the same, or differ by as little
 * as dealing the vertices out by weight comes to; a part of one vertex is on one side. Returns 0 or -ENOMEM.
 */
int ft_cuts_search(struct ft_cut_search *search, unsigned int wanted);

#endif
