/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "base/multigraph.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

void ft_multigraph_release(struct ft_multigraph *graph)
{
	free(graph->first);
	free(graph->adjacent);
	free(graph->degree);
	*graph = (struct ft_multigraph){0};
}

/* Adds up edges between the same two in each row, all of which are in ascending order. */
static void rows_merge(struct ft_multigraph *graph)
{
	uint32_t kept = 0, at = 0;

	for (uint32_t v = 0; v < graph->count; v++) {
		uint32_t end = graph->first[v + 1];

		graph->first[v] = kept;
		for (; at < end; at++) {
			struct ft_adjacent to = graph->adjacent[at];

			graph->degree[v] += to.count;
			if (kept > graph->first[v] && graph->adjacent[kept - 1].vertex == to.vertex)
				graph->adjacent[kept - 1].count += to.count;
			else
				graph->adjacent[kept++] = to;
		}
	}
	graph->first[graph->count] = kept;
}

int ft_multigraph_make(uint32_t count, const struct ft_edge *edges, uint32_t edge_count, struct ft_multigraph *ret)
{
	size_t size = (count + 1UL) * sizeof(uint32_t);
	_cleanup_free_ uint32_t *next = malloc(size);
	_cleanup_free_ struct ft_adjacent *rows = malloc((2UL * edge_count + 1) * sizeof(*rows));

	*ret = (struct ft_multigraph){
		.count = count,
		.first = calloc(1, size),
		.adjacent = malloc((2UL * edge_count + 1) * sizeof(*ret->adjacent)),
		.degree = calloc(1, size),
	};
	if (!next || !rows || !ret->first || !ret->adjacent || !ret->degree)
		return -ENOMEM;
	for (uint32_t i = 0; i < edge_count; i++)
		if (edges[i].a != edges[i].b) {
			ret->first[edges[i].a + 1]++;
			ret->first[edges[i].b + 1]++;
		}
	for (uint32_t v = 0; v < count; v++)
		ret->first[v + 1] += ret->first[v];
	memcpy(next, ret->first, size);
	for (uint32_t i = 0; i < edge_count; i++)
		if (edges[i].a != edges[i].b) {
			rows[next[edges[i].a]++] = (struct ft_adjacent){edges[i].b, edges[i].count};
			rows[next[edges[i].b]++] = (struct ft_adjacent){edges[i].a, edges[i].count};
		}
	/* The transposed matrix is the same, but that its rows are filled in ascending order. */
	memcpy(next, ret->first, size);
	for (uint32_t v = 0; v < count; v++)
		for (uint32_t i = ret->first[v]; i < ret->first[v + 1]; i++)
			ret->adjacent[next[rows[i].vertex]++] = (struct ft_adjacent){v, rows[i].count};
	rows_merge(ret);
	return 0;
}
