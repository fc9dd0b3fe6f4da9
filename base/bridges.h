/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * What one failure separates: the vertices behind an articulation point or a bridge. R. Tarjan's depth-first search, in
 * O(edges).
 */
#ifndef FT_BASE_BRIDGES_H
#define FT_BASE_BRIDGES_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/multigraph.h"

/* A graph with hosts. Of the parts that a failure leaves, one without an anchor counts as cut off. */
struct ft_hosted {
	struct ft_multigraph cables;
	uint32_t *hosts; /* by vertex */
	bool *anchor;	 /* by vertex */
	struct ft_arena memory;
};

/* A graph of @count vertices, without hosts and anchors yet. The caller releases it, also on failure. 0 or -ENOMEM. */
int ft_hosted_make(uint32_t count, const struct ft_edge *edges, uint32_t edge_count, struct ft_hosted *ret);
void ft_hosted_release(struct ft_hosted *graph);

/*
 * @ret_risk  out: by vertex: it has hosts that the failure of one other vertex, or of one edge, would cut off from most
 *            others
 * Returns 0 or -ENOMEM.
 */
int ft_bridges_find(const struct ft_hosted *graph, bool *ret_risk);

#endif
