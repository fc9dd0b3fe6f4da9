/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Shortest paths between all chips with hosts, counted by the pairs of hosts on them. */
#include "config.h"

#include "verify/hops.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

/* ---- the graph ---- */

void ft_hop_graph_release(struct ft_hop_graph *graph)
{
	free(graph->first);
	free(graph->of);
	free(graph->hosts);
	free(graph->regular);
	*graph = (struct ft_hop_graph){0};
}

/* The far ends of all edges, grouped by chip; where those of chip c begin is first[c]. */
static void edges_sort(const struct ft_hop_edge *edges, size_t edge_count, uint32_t count, uint32_t *first,
		       uint32_t *ends)
{
	for (size_t i = 0; i < edge_count; i++) {
		first[edges[i].a]++;
		first[edges[i].b]++;
	}
	for (uint32_t c = 1; c <= count; c++)
		first[c] += first[c - 1];
	for (size_t i = edge_count; i-- > 0;) {
		ends[--first[edges[i].a]] = edges[i].b;
		ends[--first[edges[i].b]] = edges[i].a;
	}
}

/* Each neighbour once, and no chip its own. @seen is by chip, all zeros. */
static void ends_merge(struct ft_hop_graph *graph, uint32_t *seen)
{
	uint32_t kept = 0, start = 0;

	for (uint32_t c = 0; c < graph->count; c++) {
		uint32_t end = graph->first[c + 1];

		graph->first[c] = kept;
		for (uint32_t i = start; i < end; i++) {
			uint32_t far = graph->of[i];

			if (far == c || seen[far] == c + 1)
				continue;
			seen[far] = c + 1;
			graph->of[kept++] = far;
		}
		start = end;
	}
	graph->first[graph->count] = kept;
}

int ft_hop_graph_make(uint32_t count, const struct ft_hop_edge *edges, size_t edge_count, struct ft_hop_graph *ret)
{
	_cleanup_free_ uint32_t *seen = calloc(count + 1UL, sizeof(*seen));

	*ret = (struct ft_hop_graph){
		.count = count,
		.first = calloc(count + 1UL, sizeof(*ret->first)),
		.of = malloc((2 * edge_count + 1) * sizeof(*ret->of)),
		.hosts = calloc(count + 1UL, sizeof(*ret->hosts)),
		.regular = calloc(count + 1UL, sizeof(*ret->regular)),
	};
	if (!seen || !ret->first || !ret->of || !ret->hosts || !ret->regular)
		return -ENOMEM;
	edges_sort(edges, edge_count, count, ret->first, ret->of);
	ends_merge(ret, seen);
	return 0;
}

/* ---- searches ---- */

enum { BATCH = 64 };

/*
 * Breadth-first searches from up to 64 chips at once: bit n of a word is that of the n-th. In a tree they meet after a
 * step or two, and then go on as one.
 */
struct batch {
	const struct ft_hop_graph *graph;
	uint64_t *reached, *front, *coming; /* by chip: by whom; those just there; those one step on */
	uint32_t *here, *there;		    /* the chips that have a bit in @front, in @coming */
	uint32_t start[BATCH];
	uint32_t count;
};

static void batch_release(struct batch *b)
{
	free(b->reached);
	free(b->front);
	free(b->coming);
	free(b->here);
	free(b->there);
}

static int batch_init(struct batch *b, const struct ft_hop_graph *graph)
{
	size_t count = graph->count + 1UL;

	*b = (struct batch){
		.graph = graph,
		.reached = calloc(count, sizeof(*b->reached)),
		.front = calloc(count, sizeof(*b->front)),
		.coming = calloc(count, sizeof(*b->coming)),
		.here = calloc(count, sizeof(*b->here)),
		.there = calloc(count, sizeof(*b->there)),
	};
	return b->reached && b->front && b->coming && b->here && b->there ? 0 : -ENOMEM;
}

/* One step from each of the @count chips in @here. Returns how many there are in @there, which then are the front. */
static uint32_t batch_step(struct batch *b, uint32_t count)
{
	uint32_t found = 0;

	for (uint32_t n = 0; n < count; n++) {
		uint32_t here = b->here[n];
		uint64_t front = b->front[here];

		b->front[here] = 0;
		for (uint32_t i = b->graph->first[here]; i < b->graph->first[here + 1]; i++) {
			uint32_t far = b->graph->of[i];
			uint64_t bits = front & ~b->reached[far];

			if (!bits)
				continue;
			if (!b->coming[far])
				b->there[found++] = far;
			b->coming[far] |= bits;
		}
	}
	for (uint32_t n = 0; n < found; n++) {
		uint32_t there = b->there[n];

		b->front[there] = b->coming[there];
		b->reached[there] |= b->coming[there];
		b->coming[there] = 0;
	}
	return found;
}

static void far_take(struct ft_hop_far *far, uint32_t chips, uint32_t from, uint32_t to)
{
	/* Of equals the first there are, whatever the batch: so that it is the same pair in every sweep. */
	if (chips > far->chips || (chips == far->chips && (from < far->from || (from == far->from && to < far->to))))
		*far = (struct ft_hop_far){chips, from, to};
}

/* What is @chips away at chip @to. Every pair is met from both its ends, so that the pairs come out doubled. */
static void front_count(const struct batch *b, uint32_t to, uint32_t chips, struct ft_hop_counts *counts)
{
	const struct ft_hop_graph *graph = b->graph;
	uint64_t hosts = 0;

	if (graph->hosts[to] == 0)
		return;
	for (uint64_t bits = b->front[to]; bits; bits &= bits - 1) {
		uint32_t from = b->start[__builtin_ctzll(bits)];

		hosts += graph->hosts[from];
		if (chips >= counts->any.chips)
			far_take(&counts->any, chips, from, to);
		if (chips >= counts->regular.chips && graph->regular[from] && graph->regular[to])
			far_take(&counts->regular, chips, from, to);
	}
	counts->pairs[chips] += hosts * graph->hosts[to];
}

static void batch_search(struct batch *b, struct ft_hop_counts *counts)
{
	uint32_t count = b->count;

	memset(b->reached, 0, b->graph->count * sizeof(*b->reached));
	for (uint32_t n = 0; n < count; n++) {
		b->here[n] = b->start[n];
		b->front[b->start[n]] = b->reached[b->start[n]] = (uint64_t)1 << n;
	}
	for (uint32_t chips = 1; count > 0; chips++) {
		uint32_t *here = b->here;

		for (uint32_t n = 0; n < count; n++)
			front_count(b, here[n], chips, counts);
		count = batch_step(b, count);
		b->here = b->there;
		b->there = here;
	}
}

/* From ordered pairs, a host with itself among them, to pairs. */
static void pairs_settle(const struct ft_hop_graph *graph, struct ft_hop_counts *counts)
{
	uint64_t hosts = 0, reached = 0;

	for (uint32_t c = 0; c < graph->count; c++)
		hosts += graph->hosts[c];
	if (hosts == 0)
		return;
	counts->pairs[1] -= hosts;
	for (uint32_t chips = 1; chips <= graph->count; chips++) {
		counts->pairs[chips] /= 2;
		reached += counts->pairs[chips];
	}
	counts->unreachable = hosts * (hosts - 1) / 2 - reached;
}

int ft_hop_count(const struct ft_hop_graph *graph, struct ft_hop_counts *ret)
{
	_cleanup_(batch_release) struct batch b;
	int r = batch_init(&b, graph);

	*ret = (struct ft_hop_counts){.pairs = calloc(graph->count + 2UL, sizeof(*ret->pairs))};
	if (r < 0 || !ret->pairs)
		return -ENOMEM;
	for (uint32_t i = 0; i < graph->count;) {
		for (b.count = 0; i < graph->count && b.count < BATCH; i++)
			if (graph->hosts[i] > 0)
				b.start[b.count++] = i;
		batch_search(&b, ret);
	}
	pairs_settle(graph, ret);
	return 0;
}

void ft_hop_counts_release(struct ft_hop_counts *counts)
{
	free(counts->pairs);
	*counts = (struct ft_hop_counts){0};
}

int ft_hop_path(const struct ft_hop_graph *graph, const struct ft_hop_far *far, uint32_t *ret_path)
{
	_cleanup_free_ uint32_t *back = malloc((graph->count + 1UL) * sizeof(*back));
	_cleanup_free_ uint32_t *queue = malloc((graph->count + 1UL) * sizeof(*queue));
	uint32_t head = 0, tail = 0;

	if (!back || !queue)
		return -ENOMEM;
	/* From the far end, so that the way back leads forward. */
	for (uint32_t c = 0; c < graph->count; c++)
		back[c] = UINT32_MAX;
	back[far->to] = far->to;
	queue[tail++] = far->to;
	while (head < tail && back[far->from] == UINT32_MAX) {
		uint32_t here = queue[head++];

		for (uint32_t i = graph->first[here]; i < graph->first[here + 1]; i++) {
			uint32_t next = graph->of[i];

			if (back[next] != UINT32_MAX)
				continue;
			back[next] = here;
			queue[tail++] = next;
		}
	}
	for (uint32_t n = 0, here = far->from; n < far->chips; n++) {
		ret_path[n] = here;
		here = back[here] == UINT32_MAX ? here : back[here];
	}
	return 0;
}
