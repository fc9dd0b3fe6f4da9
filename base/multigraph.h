/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * A multigraph in compressed rows: vertices numbered from 0, and for each its neighbours in ascending order, each once,
 * with the number of edges between the two. Loops are left out. One represents the plan, one the observed fabric.
 */
#ifndef FT_BASE_MULTIGRAPH_H
#define FT_BASE_MULTIGRAPH_H

#include <stdint.h>

struct ft_edge {
	uint32_t a, b;
	uint32_t count;
};

struct ft_adjacent {
	uint32_t vertex;
	uint32_t count; /* edges, >= 1 */
};

struct ft_multigraph {
	uint32_t count;		      /* of vertices */
	uint32_t *first;	      /* by vertex, and one more: index of its first entry in @adjacent */
	struct ft_adjacent *adjacent; /* each edge from both ends */
	uint32_t *degree;	      /* by vertex: edges */
};

/*
 * Makes a graph of @count vertices from @edge_count edges, in any order; the same pair may be there several times.
 * O(vertices + edges). The caller releases it, also on failure. Returns 0 or -ENOMEM.
 */
int ft_multigraph_make(uint32_t count, const struct ft_edge *edges, uint32_t edge_count, struct ft_multigraph *ret);
void ft_multigraph_release(struct ft_multigraph *graph);

/* The neighbours of @vertex, up to those of @vertex + 1. */
static inline const struct ft_adjacent *ft_adjacent_of(const struct ft_multigraph *graph, uint32_t vertex)
{
	return graph->adjacent + graph->first[vertex];
}

/* Visits them: @n points to one after the other. */
#define ft_each_adjacent(n, graph, of) \
	for (const struct ft_adjacent *n = ft_adjacent_of(graph, of); n < ft_adjacent_of(graph, (of) + 1); n++)

/* The number of its neighbours. */
static inline uint32_t ft_adjacent_count(const struct ft_multigraph *graph, uint32_t vertex)
{
	return graph->first[vertex + 1] - graph->first[vertex];
}

/* The edges between two vertices. Binary search: O(log neighbours of @a). */
static inline uint32_t ft_edges_between(const struct ft_multigraph *graph, uint32_t a, uint32_t b)
{
	uint32_t low = graph->first[a], end = graph->first[a + 1], high = end;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (graph->adjacent[middle].vertex < b)
			low = middle + 1;
		else
			high = middle;
	}
	return low < end && graph->adjacent[low].vertex == b ? graph->adjacent[low].count : 0;
}

#endif
