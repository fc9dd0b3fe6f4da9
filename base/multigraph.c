/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "base/multigraph.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"

void ft_multigraph_release(struct ft_multigraph *graph)
{
	free(graph->first);
	free(graph->adjacent);
	free(graph->degree);
	*graph = (struct ft_multigraph){0};
}

/* Both directions of each edge, by their far vertex: the second sort then finds them in that order. */
static void ends_count(const struct ft_edge *edges, uint32_t edge_count, uint32_t *first)
{
	for (uint32_t i = 0; i < edge_count; i++) {
		if (edges[i].a == edges[i].b)
			continue;
		first[edges[i].a + 1]++;
		first[edges[i].b + 1]++;
	}
}

/* Radix sort by far end, then by near end: each pass is stable. */
static void ends_sort(const struct ft_edge *from, uint32_t count, uint32_t *next, struct ft_edge *to, int by_near)
{
	for (uint32_t i = 0; i < count; i++)
		to[next[by_near ? from[i].a : from[i].b]++] = from[i];
}

/* @ends: sorted by near, then far end. */
static void rows_fill(struct ft_multigraph *graph, const struct ft_edge *ends, uint32_t count)
{
	uint32_t kept = 0, at = 0;

	for (uint32_t v = 0; v < graph->count; v++) {
		graph->first[v] = kept;
		for (; at < count && ends[at].a == v; at++) {
			graph->degree[v] += ends[at].count;
			if (kept > graph->first[v] && graph->adjacent[kept - 1].vertex == ends[at].b)
				graph->adjacent[kept - 1].count += ends[at].count;
			else
				graph->adjacent[kept++] = (struct ft_adjacent){ends[at].b, ends[at].count};
		}
	}
	graph->first[graph->count] = kept;
}

int ft_multigraph_make(uint32_t count, const struct ft_edge *edges, uint32_t edge_count, struct ft_multigraph *ret)
{
	_cleanup_free_ uint32_t *first = calloc(count + 2UL, sizeof(*first));
	_cleanup_free_ uint32_t *next = calloc(count + 2UL, sizeof(*next));
	_cleanup_free_ struct ft_edge *ends = malloc((2UL * edge_count + 1) * sizeof(*ends));
	_cleanup_free_ struct ft_edge *sorted = malloc((2UL * edge_count + 1) * sizeof(*sorted));
	uint32_t n = 0;

	*ret = (struct ft_multigraph){
		.count = count,
		.first = calloc(count + 2UL, sizeof(*ret->first)),
		.adjacent = malloc((2UL * edge_count + 1) * sizeof(*ret->adjacent)),
		.degree = calloc(count + 1UL, sizeof(*ret->degree)),
	};
	if (!first || !next || !ends || !sorted || !ret->first || !ret->adjacent || !ret->degree)
		return -ENOMEM;
	ends_count(edges, edge_count, first);
	for (uint32_t v = 0; v < count; v++)
		first[v + 1] += first[v];
	for (uint32_t i = 0; i < edge_count; i++) {
		if (edges[i].a == edges[i].b)
			continue;
		ends[n++] = edges[i];
		ends[n++] = (struct ft_edge){edges[i].b, edges[i].a, edges[i].count};
	}
	for (uint32_t v = 0; v <= count; v++)
		next[v] = first[v];
	ends_sort(ends, n, next, sorted, 0);
	for (uint32_t v = 0; v <= count; v++)
		next[v] = first[v];
	ends_sort(sorted, n, next, ends, 1);
	rows_fill(ret, ends, n);
	return 0;
}
