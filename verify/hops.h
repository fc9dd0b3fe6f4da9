/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * How far hosts are from each other: chips as a graph, and how many switch chips the shortest path between two hosts
 * passes, counted over all pairs of hosts. Private to hops.c and distances.c.
 */
#ifndef FT_VERIFY_HOPS_H
#define FT_VERIFY_HOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Two chips that are cabled to each other. */
struct ft_hop_edge {
	uint32_t a, b;
};

/*
 * A deep one is a director whose inside is not known: no two of its ports are on one chip, and every way through it
 * passes FT_HOP_DEEP chips. Behind the chips are nodes that make it that deep: one comes in by the first of them.
 */
enum { FT_HOP_DEEP = 3 };

struct ft_hop_graph {
	uint32_t count;	 /* of chips */
	uint32_t nodes;	 /* of these and those that make some of them deep */
	uint32_t *first; /* by node, and one more: where its neighbours begin in @of */
	uint32_t *of;	 /* nodes that one comes to from there, once each */
	uint32_t *door;	 /* by chip: the node by which one comes in; itself, if it is not deep */
	uint32_t *hosts; /* by node: host ports on it */
	bool *regular;	 /* by node: it is of the tree, and its hosts are no farther apart than the tree makes them */
};

/* Two chips with hosts and the number of chips from one to the other, both included; chips 0: there are no two. */
struct ft_hop_far {
	uint32_t chips;
	uint32_t from, to;
};

struct ft_hop_counts {
	uint64_t *pairs;	   /* [graph.nodes + 1], by number of chips: pairs of hosts */
	uint64_t unreachable;	   /* pairs without any path */
	struct ft_hop_far any;	   /* the farthest there are */
	struct ft_hop_far regular; /* the farthest of those on regular chips */
};

/*
 * A graph of @count chips, with no hosts and nothing regular yet. Edges may be there several times, and from a chip to
 * itself. @deep, by chip: which are deep; NULL: none. The caller releases the graph also on failure. Returns 0 or
 * -ENOMEM.
 */
int ft_hop_graph_make(uint32_t count, const bool *deep, const struct ft_hop_edge *edges, size_t edge_count,
		      struct ft_hop_graph *ret);
void ft_hop_graph_release(struct ft_hop_graph *graph);

/* Counts all pairs. The caller releases it also on failure. Returns 0 or -ENOMEM. */
int ft_hop_count(const struct ft_hop_graph *graph, struct ft_hop_counts *ret);
void ft_hop_counts_release(struct ft_hop_counts *counts);

/*
 * The chips from @far->from to @far->to, both included, into @ret_path of @far->chips, of a graph where none is deep.
 * Returns 0 or -ENOMEM.
 */
int ft_hop_path(const struct ft_hop_graph *graph, const struct ft_hop_far *far, uint32_t *ret_path);

#endif
