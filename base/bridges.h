/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * What one failure separates: the vertices behind an articulation point or a bridge, by R. Tarjan, "Depth-first search
 * and linear graph algorithms", 1972. O(edges).
 */
#ifndef FT_BASE_BRIDGES_H
#define FT_BASE_BRIDGES_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/multigraph.h"
#include "base/numbers.h"

/*
 * A depth-first search of each connected part, from its lowest vertex. The subtree of a vertex is what was entered from
 * it on, up to @last. Sums over subtrees are added up against the order.
 */
struct ft_depth {
	uint32_t count;
	uint32_t *order;   /* the vertices in the order of entry, from 1 on */
	uint32_t *entered; /* by vertex: when, as an index into @order */
	uint32_t *last;	   /* by vertex: when the last one of its subtree was entered */
	uint32_t *low;	   /* by vertex: the earliest entry that its subtree reaches by one edge upwards */
	uint32_t *parent;  /* by vertex; FT_NONE: its part begins here */
};

/* All lists are of @memory. Returns 0 or -ENOMEM. */
int ft_depth_search(const struct ft_multigraph *graph, struct ft_arena *memory, struct ft_depth *ret);

/* The subtree of @vertex, which has a parent, hangs on that parent alone: no path leads around it. */
static inline bool ft_depth_hangs(const struct ft_depth *d, uint32_t vertex)
{
	return d->low[vertex] >= d->entered[d->parent[vertex]];
}

/* The edge from @vertex to its parent, if it has one, is a bridge: the only connection of the subtree. */
static inline bool ft_depth_is_bridge(const struct ft_depth *d, const struct ft_multigraph *graph, uint32_t vertex)
{
	return d->parent[vertex] != FT_NONE && d->low[vertex] > d->entered[d->parent[vertex]] &&
	       ft_edges_between(graph, vertex, d->parent[vertex]) == 1;
}

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
