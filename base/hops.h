/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Distances between hosts: the number of switch chips on a shortest path between two hosts, counted over all pairs of
 * hosts in a graph of chips.
 */
#ifndef FT_BASE_HOPS_H
#define FT_BASE_HOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/* Two chips that are cabled to each other. */
struct ft_hop_edge {
	uint32_t a, b;
};

/*
 * A deep chip is a director with unknown inside: no two of its ports are on one chip, and every path through it passes
 * FT_HOP_DEEP chips. Additional nodes, numbered after the chips, give it that depth: it is entered by the first of
 * them.
 */
enum { FT_HOP_DEEP = 3 };

struct ft_hop_graph {
	uint32_t count;	 /* of chips */
	uint32_t nodes;	 /* chips and the additional nodes of deep ones */
	uint32_t *first; /* by node, and one more: index of its first neighbour in @of */
	uint32_t *of;	 /* neighbours of the nodes, once each */
	uint32_t *door;	 /* by chip: the node by which it is entered; itself, if it is not deep */
	uint32_t *hosts; /* by node: host ports on it */
	bool *regular;	 /* by node: it is in the tree, and its hosts are no farther apart than the tree makes them */
	struct ft_arena memory;
};

/* Two chips with hosts and the number of chips of the path, both included; chips 0: there is no pair. */
struct ft_hop_far {
	uint32_t chips;
	uint32_t from, to;
};

struct ft_hop_counts {
	uint64_t *pairs;	   /* [graph.nodes + 1], by number of chips: pairs of hosts */
	uint64_t unreachable;	   /* pairs without any path */
	struct ft_hop_far any;	   /* the farthest pair */
	struct ft_hop_far regular; /* the farthest pair of regular chips */
};

/*
 * A graph of @count chips, with no hosts and nothing regular yet. Duplicate edges and loops are allowed. @deep, by
 * chip: which are deep; NULL: none. The caller releases the graph also on failure. Returns 0 or -ENOMEM.
 */
int ft_hop_graph_make(uint32_t count, const bool *deep, const struct ft_hop_edge *edges, size_t edge_count,
		      struct ft_hop_graph *ret);
void ft_hop_graph_release(struct ft_hop_graph *graph);

/* Counts all pairs. The caller releases it also on failure. Returns 0 or -ENOMEM. */
int ft_hop_count(const struct ft_hop_graph *graph, struct ft_hop_counts *ret);
void ft_hop_counts_release(struct ft_hop_counts *counts);

/*
 * The chips from @far->from to @far->to, both included, into @ret_path of @far->chips, in a graph without deep chips.
 * Returns 0 or -ENOMEM.
 */
int ft_hop_path(const struct ft_hop_graph *graph, const struct ft_hop_far *far, uint32_t *ret_path);

#endif
