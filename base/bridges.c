/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "base/bridges.h"

#include <errno.h>

#include "base/cleanup.h"
#include "base/numbers.h"

/* ---- the search ---- */

/* Without recursion, as a path may be long. Invariant: when a vertex is left, its @low and @last are final. */
struct walk {
	const struct ft_multigraph *g;
	struct ft_depth *d;
	uint32_t *next; /* by vertex: the entry of its neighbours to look at next */
	uint32_t clock;
};

static void walk_enter(struct walk *w, uint32_t vertex, uint32_t parent)
{
	w->d->entered[vertex] = w->d->low[vertex] = ++w->clock;
	w->d->order[w->clock] = vertex;
	w->d->parent[vertex] = parent;
	w->next[vertex] = w->g->first[vertex];
}

static void walk_leave(struct walk *w, uint32_t vertex)
{
	uint32_t parent = w->d->parent[vertex];

	w->d->last[vertex] = w->clock;
	if (parent != FT_NONE)
		w->d->low[parent] = ft_number_least(w->d->low[parent], w->d->low[vertex]);
}

static void walk_from(struct walk *w, uint32_t root)
{
	struct ft_depth *d = w->d;
	uint32_t here = root;

	walk_enter(w, root, FT_NONE);
	while (here != FT_NONE) {
		uint32_t far;

		if (w->next[here] == w->g->first[here + 1]) {
			walk_leave(w, here);
			here = d->parent[here];
			continue;
		}
		far = w->g->adjacent[w->next[here]++].vertex;
		if (d->entered[far] == 0) {
			walk_enter(w, far, here);
			here = far;
		} else if (far != d->parent[here]) {
			d->low[here] = ft_number_least(d->low[here], d->entered[far]);
		}
	}
}

int ft_depth_search(const struct ft_multigraph *graph, struct ft_arena *memory, struct ft_depth *ret)
{
	struct walk w = {.g = graph, .d = ret};
	uint32_t **const lists[] = {&ret->order, &ret->entered, &ret->last, &ret->low, &ret->parent, &w.next};

	ret->count = graph->count;
	for (size_t i = 0; i < FT_COUNT(lists); i++)
		*lists[i] = ft_arena_zeros(memory, graph->count + 1UL, sizeof(**lists[i]));
	if (memory->failed)
		return -ENOMEM;
	for (uint32_t i = 0; i < graph->count; i++)
		if (ret->entered[i] == 0)
			walk_from(&w, i);
	return 0;
}

/* ---- what a failure cuts off ---- */

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

struct failing {
	const struct ft_hosted *g;
	struct ft_depth d;
	struct amount *below; /* by vertex: its subtree, itself included */
	struct amount *cut;   /* by vertex: the subtrees that are separated if it fails */
	int32_t *marks;	      /* by time of entry: where marked ranges begin and end */
	uint32_t begin, end;  /* the entries of the part at hand */
};

static struct amount amount_of(const struct ft_hosted *g, uint32_t node)
{
	return (struct amount){g->hosts[node], g->anchor[node]};
}

/* All of the part at hand. */
static struct amount amount_all(const struct failing *w)
{
	return w->below[w->d.order[w->begin]];
}

static void mark(struct failing *w, uint32_t from, uint32_t to)
{
	if (from > to)
		return;
	w->marks[from]++;
	w->marks[to + 1]--;
}

static void mark_below(struct failing *w, uint32_t node)
{
	mark(w, w->d.entered[node], w->d.last[node]);
}

/* Marks all of the part at hand, except @node and its subtree. */
static void mark_beside(struct failing *w, uint32_t node)
{
	mark(w, w->begin, w->d.entered[node] - 1);
	mark(w, w->d.last[node] + 1, w->end);
}

/* The cable above @node is a bridge, and fails: the part that does not remain is cut off. */
static void cable_fail(struct failing *w, uint32_t node)
{
	struct amount rest = amount_minus(amount_all(w), w->below[node]);

	if (!amount_is_more(w->below[node], rest))
		mark_below(w, node);
	if (amount_is_more(w->below[node], rest) || rest.anchors == 0)
		mark_beside(w, node);
}

/* A subtree of @node without another path around @node. */
static bool falls_off(const struct failing *w, uint32_t node, uint32_t child)
{
	return w->d.parent[child] == node && ft_depth_hangs(&w->d, child);
}

/* If @node fails, these subtrees and the rest of the component separate: the largest one remains. */
static void node_fail(struct failing *w, uint32_t node)
{
	const struct ft_hosted *g = w->g;
	const struct ft_adjacent *first = ft_adjacent_of(&g->cables, node), *end = ft_adjacent_of(&g->cables, node + 1);
	struct amount rest = amount_minus(amount_minus(amount_all(w), amount_of(g, node)), w->cut[node]), most = rest;
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
	mark_beside(w, node);
	for (const struct ft_adjacent *a = first; a < end; a++)
		if (w->d.parent[a->vertex] == node && !falls_off(w, node, a->vertex))
			mark_below(w, a->vertex);
}

static void part_judge(struct failing *w)
{
	for (uint32_t t = w->begin; t <= w->end; t++)
		if (ft_depth_is_bridge(&w->d, &w->g->cables, w->d.order[t]))
			cable_fail(w, w->d.order[t]);
	for (uint32_t t = w->begin; t <= w->end; t++)
		node_fail(w, w->d.order[t]);
}

static void amounts_add_up(struct failing *w)
{
	for (uint32_t i = 0; i < w->d.count; i++)
		w->below[i] = amount_of(w->g, i);
	for (uint32_t t = w->d.count; t > 0; t--) {
		uint32_t node = w->d.order[t], parent = w->d.parent[node];

		if (parent == FT_NONE)
			continue;
		w->below[parent] = amount_plus(w->below[parent], w->below[node]);
		if (ft_depth_hangs(&w->d, node))
			w->cut[parent] = amount_plus(w->cut[parent], w->below[node]);
	}
}

int ft_bridges_find(const struct ft_hosted *g, bool *ret_risk)
{
	_cleanup_(ft_arena_release) struct ft_arena memory = {0};
	struct failing w = {.g = g};
	size_t count = g->cables.count + 2UL;
	int32_t depth = 0;

	w.below = ft_arena_zeros(&memory, count, sizeof(*w.below));
	w.cut = ft_arena_zeros(&memory, count, sizeof(*w.cut));
	w.marks = ft_arena_zeros(&memory, count, sizeof(*w.marks));
	if (ft_depth_search(&g->cables, &memory, &w.d) < 0)
		return -ENOMEM;
	amounts_add_up(&w);
	for (w.begin = 1; w.begin <= w.d.count; w.begin = w.end + 1) {
		w.end = w.d.last[w.d.order[w.begin]];
		part_judge(&w);
	}
	for (uint32_t t = 1; t <= w.d.count; t++) {
		depth += w.marks[t];
		ret_risk[w.d.order[t]] = depth > 0 && g->hosts[w.d.order[t]] > 0;
	}
	return 0;
}
