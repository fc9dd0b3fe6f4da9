/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "base/bridges.h"

#include <errno.h>

#include "base/cleanup.h"
#include "base/numbers.h"

void ft_hosted_release(struct ft_hosted *graph)
{
	ft_multigraph_release(&graph->cables);
	ft_arena_release(&graph->memory);
}

int ft_hosted_make(uint32_t count, const struct ft_edge *edges, uint32_t edge_count, struct ft_hosted *ret)
{
	ret->hosts = ft_arena_zeros(&ret->memory, count + 1UL, sizeof(*ret->hosts));
	ret->anchor = ft_arena_zeros(&ret->memory, count + 1UL, sizeof(*ret->anchor));
	return ret->memory.failed ? -ENOMEM : ft_multigraph_make(count, edges, edge_count, &ret->cables);
}

/* The size of a component. Without an anchor it counts as disconnected. */
struct amount {
	uint64_t hosts;
	uint32_t anchors;
};

static struct amount amount_plus(struct amount a, struct amount b)
{
	return (struct amount){a.hosts + b.hosts, a.anchors + b.anchors};
}

static struct amount amount_minus(struct amount a, struct amount b)
{
	return (struct amount){a.hosts - b.hosts, a.anchors - b.anchors};
}

/* Of two parts, the one with more hosts remains the fabric, if it has an anchor. */
static bool amount_is_more(struct amount a, struct amount b)
{
	return a.anchors > 0 && (b.anchors == 0 || a.hosts > b.hosts);
}

/*
 * Depth-first search for articulation points and bridges, without recursion: R. Tarjan, "Depth-first search and linear
 * graph algorithms", 1972. Invariant: when a node is left, @low is the earliest entry that its subtree reaches by one
 * edge upwards, and @below the size of the subtree. O(cables).
 */
struct walk {
	const struct ft_hosted *g;
	struct ft_arena *memory;
	uint32_t *entered, *low, *parent, *next; /* by node: time of entry, from 1 */
	uint32_t *order;			 /* nodes in order of entry */
	struct amount *below;			 /* by node: its subtree, itself included */
	uint32_t *last;				 /* by node: the last node entered in its subtree */
	struct amount *cut;			 /* by node: the subtrees that are separated if it fails */
	int32_t *marks;				 /* by time of entry: where marked ranges begin and end */
	uint32_t clock;
	uint32_t root;
};

static int walk_init(struct walk *w)
{
	size_t count = w->g->cables.count + 2UL;

	w->entered = ft_arena_zeros(w->memory, count, sizeof(*w->entered));
	w->low = ft_arena_zeros(w->memory, count, sizeof(*w->low));
	w->parent = ft_arena_zeros(w->memory, count, sizeof(*w->parent));
	w->next = ft_arena_zeros(w->memory, count, sizeof(*w->next));
	w->order = ft_arena_zeros(w->memory, count, sizeof(*w->order));
	w->below = ft_arena_zeros(w->memory, count, sizeof(*w->below));
	w->last = ft_arena_zeros(w->memory, count, sizeof(*w->last));
	w->cut = ft_arena_zeros(w->memory, count, sizeof(*w->cut));
	w->marks = ft_arena_zeros(w->memory, count + 1, sizeof(*w->marks));
	return w->memory->failed ? -ENOMEM : 0;
}

static struct amount amount_of(const struct ft_hosted *g, uint32_t node)
{
	return (struct amount){g->hosts[node], g->anchor[node]};
}

static void walk_enter(struct walk *w, uint32_t node, uint32_t parent)
{
	w->entered[node] = w->low[node] = ++w->clock;
	w->order[w->clock] = node;
	w->parent[node] = parent;
	w->next[node] = w->g->cables.first[node];
	w->below[node] = amount_of(w->g, node);
}

static void walk_leave(struct walk *w, uint32_t node)
{
	uint32_t parent = w->parent[node];

	w->last[node] = w->clock;
	if (parent == FT_NONE)
		return;
	w->below[parent] = amount_plus(w->below[parent], w->below[node]);
	if (w->low[node] < w->low[parent])
		w->low[parent] = w->low[node];
}

static void walk_from(struct walk *w, uint32_t root)
{
	uint32_t here = root;

	w->root = root;
	walk_enter(w, root, FT_NONE);
	while (here != FT_NONE) {
		uint32_t far;

		if (w->next[here] == w->g->cables.first[here + 1]) {
			walk_leave(w, here);
			here = w->parent[here];
			continue;
		}
		far = w->g->cables.adjacent[w->next[here]++].vertex;
		if (w->entered[far] == 0) {
			walk_enter(w, far, here);
			here = far;
		} else if (far != w->parent[here] && w->entered[far] < w->low[here]) {
			w->low[here] = w->entered[far];
		}
	}
}

static void mark(struct walk *w, uint32_t from, uint32_t to)
{
	if (from > to)
		return;
	w->marks[from]++;
	w->marks[to + 1]--;
}

static void mark_below(struct walk *w, uint32_t node)
{
	mark(w, w->entered[node], w->last[node]);
}

/* Marks all of the component that began at time @begin, except @node and its subtree. */
static void mark_beside(struct walk *w, uint32_t node, uint32_t begin)
{
	mark(w, begin, w->entered[node] - 1);
	mark(w, w->last[node] + 1, w->clock);
}

/* The cable above @node is a bridge, and fails: the part that does not remain is cut off. */
static void cable_fail(struct walk *w, uint32_t node, uint32_t begin)
{
	struct amount rest = amount_minus(w->below[w->root], w->below[node]);

	if (!amount_is_more(w->below[node], rest))
		mark_below(w, node);
	if (amount_is_more(w->below[node], rest) || rest.anchors == 0)
		mark_beside(w, node, begin);
}

/* A subtree of @node without another path around @node. */
static bool falls_off(const struct walk *w, uint32_t node, uint32_t child)
{
	return w->parent[child] == node && w->low[child] >= w->entered[node];
}

/* If @node fails, these subtrees and the rest of the component separate: the largest one remains. */
static void node_fail(struct walk *w, uint32_t node, uint32_t begin)
{
	const struct ft_hosted *g = w->g;
	const struct ft_adjacent *first = ft_adjacent_of(&g->cables, node), *end = ft_adjacent_of(&g->cables, node + 1);
	struct amount rest = amount_minus(amount_minus(w->below[w->root], amount_of(g, node)), w->cut[node]),
		      most = rest;
	uint32_t kept = FT_NONE;
	bool falls = false;

	for (const struct ft_adjacent *a = first; a < end; a++) {
		if (!falls_off(w, node, a->vertex))
			continue;
		falls = true;
		if (amount_is_more(w->below[a->vertex], most)) {
			most = w->below[a->vertex];
			kept = a->vertex;
		}
	}
	for (const struct ft_adjacent *a = first; falls && a < end; a++)
		if (falls_off(w, node, a->vertex) && a->vertex != kept)
			mark_below(w, a->vertex);
	if (!falls || (kept == FT_NONE && rest.anchors > 0))
		return;
	/* The rest does not remain either: other branches, and subtrees with a path around. */
	mark_beside(w, node, begin);
	for (const struct ft_adjacent *a = first; a < end; a++)
		if (w->parent[a->vertex] == node && !falls_off(w, node, a->vertex))
			mark_below(w, a->vertex);
}

static void part_judge(struct walk *w, uint32_t begin)
{
	for (uint32_t t = begin; t <= w->clock; t++) {
		uint32_t node = w->order[t], parent = w->parent[node];

		if (parent == FT_NONE)
			continue;
		if (falls_off(w, parent, node))
			w->cut[parent] = amount_plus(w->cut[parent], w->below[node]);
		/* A bridge: this cable is the only connection of the subtree. */
		if (w->low[node] > w->entered[parent] && ft_edges_between(&w->g->cables, node, parent) == 1)
			cable_fail(w, node, begin);
	}
	for (uint32_t t = begin; t <= w->clock; t++)
		node_fail(w, w->order[t], begin);
}

int ft_bridges_find(const struct ft_hosted *g, bool *ret_risk)
{
	_cleanup_(ft_arena_release) struct ft_arena memory = {0};
	struct walk w = {.g = g, .memory = &memory};
	int32_t depth = 0;
	int r = walk_init(&w);

	if (r < 0)
		return r;
	for (uint32_t i = 0; i < g->cables.count; i++) {
		uint32_t begin = w.clock + 1;

		if (w.entered[i] > 0)
			continue;
		walk_from(&w, i);
		part_judge(&w, begin);
	}
	for (uint32_t t = 1; t <= w.clock; t++) {
		depth += w.marks[t];
		ret_risk[w.order[t]] = depth > 0 && g->hosts[w.order[t]] > 0;
	}
	return 0;
}
