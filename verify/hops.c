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
	free(graph->door);
	free(graph->hosts);
	free(graph->regular);
	*graph = (struct ft_hop_graph){0};
}

/* Numbers of the nodes behind the chips. Returns how many nodes there are. */
static uint32_t doors_number(const bool *deep, uint32_t count, uint32_t *door)
{
	uint32_t nodes = count;

	for (uint32_t c = 0; c < count; c++) {
		door[c] = deep && deep[c] ? nodes : c;
		nodes += deep && deep[c] ? FT_HOP_DEEP - 1 : 0;
	}
	return nodes;
}

/* Where one comes to from a node behind the chips that is the @step-th inside of @chip. */
static uint32_t inward(const uint32_t *door, uint32_t chip, uint32_t step)
{
	return step == FT_HOP_DEEP - 1 ? chip : door[chip] + step;
}

/* The far ends of all edges, grouped by node; where those of node n begin is graph->first[n]. */
static void edges_sort(const struct ft_hop_edge *edges, size_t edge_count, struct ft_hop_graph *graph)
{
	uint32_t *first = graph->first;

	for (size_t i = 0; i < edge_count; i++) {
		first[edges[i].a]++;
		first[edges[i].b]++;
	}
	for (uint32_t n = graph->count; n < graph->nodes; n++)
		first[n] = 1;
	for (uint32_t n = 1; n <= graph->nodes; n++)
		first[n] += first[n - 1];
	for (size_t i = edge_count; i-- > 0;) {
		graph->of[--first[edges[i].a]] = graph->door[edges[i].b];
		graph->of[--first[edges[i].b]] = graph->door[edges[i].a];
	}
	for (uint32_t c = 0; c < graph->count; c++)
		for (uint32_t step = 1; graph->door[c] != c && step < FT_HOP_DEEP; step++)
			graph->of[--first[graph->door[c] + step - 1]] = inward(graph->door, c, step);
}

/* Each neighbour once, and none its own. @seen is by node, all zeros. */
static void ends_merge(struct ft_hop_graph *graph, uint32_t *seen)
{
	uint32_t kept = 0, start = 0;

	for (uint32_t n = 0; n < graph->nodes; n++) {
		uint32_t end = graph->first[n + 1];

		graph->first[n] = kept;
		for (uint32_t i = start; i < end; i++) {
			uint32_t far = graph->of[i];

			if (far == n || seen[far] == n + 1)
				continue;
			seen[far] = n + 1;
			graph->of[kept++] = far;
		}
		start = end;
	}
	graph->first[graph->nodes] = kept;
}

int ft_hop_graph_make(uint32_t count, const bool *deep, const struct ft_hop_edge *edges, size_t edge_count,
		      struct ft_hop_graph *ret)
{
	_cleanup_free_ uint32_t *seen = NULL;

	*ret = (struct ft_hop_graph){.count = count, .door = calloc(count + 1UL, sizeof(*ret->door))};
	if (!ret->door)
		return -ENOMEM;
	ret->nodes = doors_number(deep, count, ret->door);
	seen = calloc(ret->nodes + 1UL, sizeof(*seen));
	ret->first = calloc(ret->nodes + 1UL, sizeof(*ret->first));
	ret->of = malloc((2 * edge_count + ret->nodes + 1) * sizeof(*ret->of));
	ret->hosts = calloc(ret->nodes + 1UL, sizeof(*ret->hosts));
	ret->regular = calloc(ret->nodes + 1UL, sizeof(*ret->regular));
	if (!seen || !ret->first || !ret->of || !ret->hosts || !ret->regular)
		return -ENOMEM;
	edges_sort(edges, edge_count, ret);
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
	uint64_t *reached, *front, *coming; /* by node: by whom; those just there; those one step on */
	uint32_t *here, *there;		    /* the nodes that have a bit in @front, in @coming */
	uint32_t start[BATCH];		    /* chips */
	uint32_t count;
	uint32_t each;	  /* hosts on each of @start, or 0: not as many on all */
	uint64_t regular; /* which of @start are */
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
	size_t count = graph->nodes + 1UL;

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

/* One step from each of the @count nodes in @here. Returns how many there are in @there, which then are the front. */
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

static uint64_t hosts_of(const struct batch *b, uint64_t bits)
{
	uint64_t hosts = 0;

	if (b->each > 0)
		return (uint64_t)b->each * (unsigned int)__builtin_popcountll(bits);
	for (; bits; bits &= bits - 1)
		hosts += b->graph->hosts[b->start[__builtin_ctzll(bits)]];
	return hosts;
}

/*
 * What is @chips away at node @to. Every pair is met from both its ends, so that the pairs come out doubled. Of those
 * that are as far the first of the batch counts: its chips are in order.
 */
static void front_count(const struct batch *b, uint32_t to, uint32_t chips, struct ft_hop_counts *counts)
{
	const struct ft_hop_graph *graph = b->graph;
	uint64_t bits = b->front[to], regular = bits & b->regular;

	if (graph->hosts[to] == 0)
		return;
	far_take(&counts->any, chips, b->start[__builtin_ctzll(bits)], to);
	if (regular && graph->regular[to])
		far_take(&counts->regular, chips, b->start[__builtin_ctzll(regular)], to);
	counts->pairs[chips] += hosts_of(b, bits) * graph->hosts[to];
}

static void batch_fill(struct batch *b, uint32_t *next)
{
	const struct ft_hop_graph *graph = b->graph;

	b->count = 0;
	b->regular = 0;
	for (; *next < graph->count && b->count < BATCH; ++*next) {
		uint32_t hosts = graph->hosts[*next];

		if (hosts == 0)
			continue;
		b->each = b->count == 0 || b->each == hosts ? hosts : 0;
		b->regular |= (uint64_t)graph->regular[*next] << b->count;
		b->start[b->count++] = *next;
	}
}

static void batch_search(struct batch *b, struct ft_hop_counts *counts)
{
	uint32_t count = b->count;

	memset(b->reached, 0, b->graph->nodes * sizeof(*b->reached));
	for (uint32_t n = 0; n < count; n++) {
		b->here[n] = b->graph->door[b->start[n]];
		b->front[b->here[n]] = b->reached[b->here[n]] = (uint64_t)1 << n;
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

	for (uint32_t c = 0; c < graph->count; c++) {
		hosts += graph->hosts[c];
		if (graph->hosts[c] > 0)
			counts->pairs[graph->door[c] == c ? 1 : FT_HOP_DEEP] -= graph->hosts[c];
	}
	if (hosts == 0)
		return;
	for (uint32_t chips = 1; chips <= graph->nodes; chips++) {
		counts->pairs[chips] /= 2;
		reached += counts->pairs[chips];
	}
	counts->unreachable = hosts * (hosts - 1) / 2 - reached;
}

int ft_hop_count(const struct ft_hop_graph *graph, struct ft_hop_counts *ret)
{
	_cleanup_(batch_release) struct batch b;
	int r = batch_init(&b, graph);

	*ret = (struct ft_hop_counts){.pairs = calloc(graph->nodes + 2UL, sizeof(*ret->pairs))};
	if (r < 0 || !ret->pairs)
		return -ENOMEM;
	for (uint32_t next = 0; next < graph->count;) {
		batch_fill(&b, &next);
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
