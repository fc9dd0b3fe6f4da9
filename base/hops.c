/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Shortest paths between all chips with hosts, counted by the pairs of hosts on them: bit-parallel breadth-first
 * search, 64 sources at once, on the quotient graph of twins.
 *
 * Invariant: each pair of hosts is counted once, as reached or as unreachable (pairs_settle()). Cost: O(sources / 64 *
 * edges * steps) at worst, for the first of each twins alone.
 */
#include "config.h"

#include "base/hops.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/map.h"

/* ---- the graph ---- */

void ft_hop_graph_release(struct ft_hop_graph *graph)
{
	ft_arena_release(&graph->memory);
	*graph = (struct ft_hop_graph){0};
}

/* The numbers of the nodes behind the chips. Returns the number of nodes. */
static uint32_t doors_number(const bool *deep, uint32_t count, uint32_t *door)
{
	uint32_t nodes = count;

	for (uint32_t c = 0; c < count; c++) {
		door[c] = deep && deep[c] ? nodes : c;
		nodes += deep && deep[c] ? FT_HOP_DEEP - 1 : 0;
	}
	return nodes;
}

/* The node that is the @step-th inside of @chip. */
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

/* Removes duplicate neighbours and loops. @seen is by node, all zeros. */
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
	struct ft_arena *memory = &ret->memory;
	uint32_t *seen;

	*ret = (struct ft_hop_graph){.count = count};
	ret->door = ft_arena_zeros(memory, count + 1UL, sizeof(*ret->door));
	if (!ret->door)
		return -ENOMEM;
	ret->nodes = doors_number(deep, count, ret->door);
	seen = ft_arena_zeros(memory, ret->nodes + 1UL, sizeof(*seen));
	ret->first = ft_arena_zeros(memory, ret->nodes + 1UL, sizeof(*ret->first));
	ret->of = ft_arena_zeros(memory, 2 * edge_count + ret->nodes + 1, sizeof(*ret->of));
	ret->hosts = ft_arena_zeros(memory, ret->nodes + 1UL, sizeof(*ret->hosts));
	ret->regular = ft_arena_zeros(memory, ret->nodes + 1UL, sizeof(*ret->regular));
	if (memory->failed)
		return -ENOMEM;
	edges_sort(edges, edge_count, ret);
	ends_merge(ret, seen);
	return 0;
}

/* ---- twins ---- */

/*
 * Chips with the same neighbours (twins) have the same distances to all others, and reach each other by one of these
 * neighbours: the edges of a pod, the cores of a plane, nearly all chips of a tree. The search runs on the quotient
 * graph of the first of each twins; it counts the others' hosts as its own.
 */
struct twins {
	struct ft_hop_graph graph; /* numbered as the whole graph, with its doors; no edge leads to the other twins */
	uint32_t *first;	   /* by chip: the first of its twins; for a node behind the chips itself */
};

static void twins_release(struct twins *t)
{
	ft_hop_graph_release(&t->graph);
}

static int twins_init(struct twins *t, const struct ft_hop_graph *whole)
{
	struct ft_hop_graph *graph = &t->graph;

	*t = (struct twins){.graph = {.count = whole->count, .nodes = whole->nodes, .door = whole->door}};
	graph->first = ft_arena_zeros(&graph->memory, whole->nodes + 1UL, sizeof(*graph->first));
	graph->of = ft_arena_zeros(&graph->memory, whole->first[whole->nodes] + 1UL, sizeof(*graph->of));
	graph->hosts = ft_arena_zeros(&graph->memory, whole->nodes + 1UL, sizeof(*graph->hosts));
	graph->regular = ft_arena_zeros(&graph->memory, whole->nodes + 1UL, sizeof(*graph->regular));
	t->first = ft_arena_zeros(&graph->memory, whole->nodes + 1UL, sizeof(*t->first));
	return graph->memory.failed ? -ENOMEM : 0;
}

static uint32_t degree(const struct ft_hop_graph *graph, uint32_t node)
{
	return graph->first[node + 1] - graph->first[node];
}

/* Either all twins are regular or none: so the first of them represents all when the farthest are recorded. */
static unsigned int kind_of(const struct ft_hop_graph *graph, uint32_t chip)
{
	return graph->hosts[chip] == 0 ? 0 : graph->regular[chip] ? 2 : 1;
}

/* A hash of the neighbours, independent of their order. */
static uint64_t neighbours_hash(const struct ft_hop_graph *graph, uint32_t chip)
{
	uint64_t hash = kind_of(graph, chip);

	for (uint32_t i = graph->first[chip]; i < graph->first[chip + 1]; i++) {
		uint64_t far = (graph->of[i] + 1) * 0x9e3779b97f4a7c15ULL;

		hash += (far ^ far >> 32) * 0x100000001b3ULL;
	}
	return hash;
}

/* @seen is by node; no element is @a + 1 yet. Every neighbour occurs only once. */
static bool are_twins(const struct ft_hop_graph *graph, uint32_t a, uint32_t b, uint32_t *seen)
{
	if (degree(graph, a) != degree(graph, b) || kind_of(graph, a) != kind_of(graph, b))
		return false;
	for (uint32_t i = graph->first[a]; i < graph->first[a + 1]; i++)
		seen[graph->of[i]] = a + 1;
	for (uint32_t i = graph->first[b]; i < graph->first[b + 1]; i++)
		if (seen[graph->of[i]] != a + 1)
			return false;
	return true;
}

/* Chips without neighbours are not twins, and a deep chip is left by another node than it is entered. */
static bool may_have_twins(const struct ft_hop_graph *graph, uint32_t node)
{
	return node < graph->count && graph->door[node] == node && degree(graph, node) > 0;
}

static int twins_find(const struct ft_hop_graph *graph, uint32_t *ret_first)
{
	_cleanup_(ft_map_release) struct ft_map found = {0};
	_cleanup_free_ uint32_t *seen = calloc(graph->nodes + 1UL, sizeof(*seen));

	if (!seen)
		return -ENOMEM;
	for (uint32_t n = 0; n < graph->nodes; n++) {
		uint32_t other = n;
		int r = 1;

		ret_first[n] = n;
		if (may_have_twins(graph, n))
			r = ft_map_add(&found, neighbours_hash(graph, n), n, &other);
		if (r < 0)
			return r;
		if (r == 0 && are_twins(graph, n, other, seen))
			ret_first[n] = other;
	}
	return 0;
}

/* The quotient graph of the first twins. */
static int twins_merge(const struct ft_hop_graph *whole, struct twins *t)
{
	struct ft_hop_graph *graph = &t->graph;
	uint32_t kept = 0;
	int r = twins_find(whole, t->first);

	for (uint32_t n = 0; r == 0 && n < whole->nodes; n++) {
		graph->first[n] = kept;
		graph->hosts[t->first[n]] += whole->hosts[n];
		graph->regular[n] = whole->regular[n];
		for (uint32_t i = whole->first[n]; t->first[n] == n && i < whole->first[n + 1]; i++)
			if (t->first[whole->of[i]] == whole->of[i])
				graph->of[kept++] = whole->of[i];
	}
	graph->first[whole->nodes] = kept;
	return r;
}

/* ---- searches ---- */

enum { BATCH = 64 };

/*
 * Bit-parallel breadth-first searches from up to 64 chips: bit n of a word is the n-th search. In a tree they meet
 * after a step or two, and then share their steps.
 */
struct batch {
	const struct ft_hop_graph *graph;
	struct ft_arena *memory;
	uint64_t *reached, *front,
		*coming;	/* by node: searches that visited it; in the frontier; in the next frontier */
	uint32_t *here, *there; /* the nodes with a bit in @front, in @coming */
	uint32_t start[BATCH];	/* chips */
	uint32_t count;
	uint32_t each;	  /* hosts on each of @start, or 0: their numbers differ */
	uint64_t regular; /* which of @start are */
};

static int batch_init(struct batch *b, const struct ft_hop_graph *graph)
{
	size_t count = graph->nodes + 1UL;

	b->graph = graph;
	b->reached = ft_arena_zeros(b->memory, count, sizeof(*b->reached));
	b->front = ft_arena_zeros(b->memory, count, sizeof(*b->front));
	b->coming = ft_arena_zeros(b->memory, count, sizeof(*b->coming));
	b->here = ft_arena_zeros(b->memory, count, sizeof(*b->here));
	b->there = ft_arena_zeros(b->memory, count, sizeof(*b->there));
	return b->memory->failed ? -ENOMEM : 0;
}

/* One step from each of the @count nodes in @here. Returns the number of nodes in @there, the next frontier. */
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
	/* Ties go to the first pair, whatever the batch, so that every sweep names the same pair. */
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
 * Records the pairs at a distance of @chips at node @to. Every pair is found from both ends, so the pairs are counted
 * twice. Of equally far pairs the first of the batch is kept: its chips are in order.
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

/* The chips from one twin to another: both, and a neighbour; a deep one only if all are deep. */
static uint32_t twins_apart(const struct ft_hop_graph *graph, uint32_t chip)
{
	for (uint32_t i = graph->first[chip]; i < graph->first[chip + 1]; i++)
		if (graph->of[i] < graph->count)
			return 3;
	return 2 + FT_HOP_DEEP;
}

/* Hosts of twins were counted as if on one chip. Pairs are ordered ones here. */
static void twins_part(const struct ft_hop_graph *whole, const struct twins *t, struct ft_hop_counts *counts)
{
	for (uint32_t c = 0; c < whole->count; c++) {
		uint32_t first = t->first[c], chips;
		uint64_t apart = (uint64_t)whole->hosts[c] * (t->graph.hosts[first] - whole->hosts[c]);

		if (apart == 0)
			continue;
		chips = twins_apart(whole, c);
		counts->pairs[1] -= apart;
		counts->pairs[chips] += apart;
		if (first == c)
			continue;
		far_take(&counts->any, chips, first, c);
		if (whole->regular[c])
			far_take(&counts->regular, chips, first, c);
	}
}

/* Converts ordered pairs, each host with itself included, to pairs. */
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
	_cleanup_(twins_release) struct twins twins;
	_cleanup_(ft_arena_release) struct ft_arena memory = {0};
	struct batch b = {.memory = &memory};
	int r = twins_init(&twins, graph);

	*ret = (struct ft_hop_counts){.pairs = calloc(graph->nodes + 2UL, sizeof(*ret->pairs))};
	if (r == 0)
		r = twins_merge(graph, &twins) ?: batch_init(&b, &twins.graph);
	if (r < 0 || !ret->pairs)
		return -ENOMEM;
	for (uint32_t next = 0; next < graph->count;) {
		batch_fill(&b, &next);
		batch_search(&b, ret);
	}
	twins_part(graph, &twins, ret);
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
	/* Searched from the far end, so that following it backwards gives the path forwards. */
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
