/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The impact of each finding as if it were the only one: the loss of bandwidth, in total and of the worst edge; the
 * hosts that one more failure would cut off; and whether OpenSM's ftree routing would reject the fabric because of it.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verify/model/capacity.h"
#include "verify/measure/ftree.h"
#include "verify/model/model.h"

enum { MILLION = 1000000 };

/*
 * Once so many bundles were examined, further findings are not tested one by one for ftree and for hosts at risk far
 * away.
 */
enum { BUNDLES_JUDGED_MAX = 2000000 };

struct impact {
	struct ft_model *m;
	struct ft_map by_guid; /* live switches by GUID; for directors by their chips too, as findings name them */
	/* Of one finding: by cell, in millionths of cables; non-zero cells are listed. */
	uint64_t *lost;
	uint32_t *cells;
	uint32_t (*ends)[2]; /* of those cells: places, the row first */
	uint32_t cell_count;
	bool *is_gone; /* by place */
	/*
	 * By place: planned cables up, or all cables in a plan without ranks; and how many of them the finding loses,
	 * in millionths.
	 */
	uint32_t *planned_up;
	uint64_t *lost_up;
	uint32_t *touched; /* places with a loss above, or edges below such */
	uint32_t touched_count;
	bool *is_touched;
	uint64_t *cuts;	    /* remaining planned capacity of each cut, in millionths of cables: see model/capacity.h */
	bool *at_risk;	    /* by place: one more failure cuts it off, and in the plan none can */
	bool *planned_risk; /* by place: a single failure cuts it off in the plan */
	bool any_at_risk;
	bool *told; /* by place: those that a finding puts at risk by itself, wherever it is */
};

static void impact_release(struct impact *x)
{
	ft_map_release(&x->by_guid);
	free(x->lost);
	free(x->cells);
	free(x->ends);
	free(x->is_gone);
	free(x->planned_up);
	free(x->lost_up);
	free(x->touched);
	free(x->is_touched);
	free(x->cuts);
	free(x->at_risk);
	free(x->planned_risk);
	free(x->told);
}

static int guids_map(struct impact *x)
{
	const struct ft_model *m = x->m;
	int r = 0;

	for (uint32_t i = 0; r >= 0 && i < m->live.switch_count; i++)
		r = ft_map_add(&x->by_guid, m->live.switches[i].guid, i, NULL);
	for (uint32_t i = 0; r >= 0 && m->origin && i < m->chassis->chip_count; i++) {
		const struct ft_chip *chip = &m->chassis->chips[i];

		r = ft_map_add(&x->by_guid, m->chips->nodes[chip->node].guid,
			       m->live.switch_of_node[m->chassis->directors[chip->director].node], NULL);
	}
	return r < 0 ? r : 0;
}

typedef void end_fn(struct impact *x, uint32_t place, uint64_t cables);

/* Calls @take for each place that uses cables between @p and @q for its hosts: the lower one, or both. */
static void ends_tell(struct impact *x, uint32_t p, uint32_t q, uint64_t cables, end_fn *take)
{
	if (ft_carries_from(x->m, p, q))
		take(x, p, cables);
	if (ft_carries_from(x->m, q, p))
		take(x, q, cables);
}

static void end_plan(struct impact *x, uint32_t place, uint64_t cables)
{
	x->planned_up[place] += (uint32_t)cables;
}

static int impact_init(struct impact *x, struct ft_model *m)
{
	size_t places = m->place_count + 1UL, cells = m->cells.count + 1UL;

	*x = (struct impact){
		.m = m,
		.lost = calloc(cells, sizeof(*x->lost)),
		.cells = calloc(cells, sizeof(*x->cells)),
		.ends = calloc(cells, sizeof(*x->ends)),
		.is_gone = calloc(places, sizeof(*x->is_gone)),
		.planned_up = calloc(places, sizeof(*x->planned_up)),
		.lost_up = calloc(places, sizeof(*x->lost_up)),
		.touched = calloc(places, sizeof(*x->touched)),
		.is_touched = calloc(places, sizeof(*x->is_touched)),
		.at_risk = calloc(places, sizeof(*x->at_risk)),
		.planned_risk = calloc(places, sizeof(*x->planned_risk)),
		.told = calloc(places, sizeof(*x->told)),
		.cuts = ft_cuts_full(m, MILLION),
	};
	if (!x->lost || !x->cells || !x->ends || !x->is_gone || !x->planned_up || !x->lost_up || !x->touched ||
	    !x->is_touched || !x->at_risk || !x->planned_risk || !x->told || !x->cuts)
		return -ENOMEM;
	for (uint32_t p = 0; p < m->place_count; p++)
		for (const struct ft_pair *pair = ft_pairs_of(m, p); pair < ft_pairs_of(m, p + 1); pair++)
			if (pair->peer > p)
				ends_tell(x, p, pair->peer, m->cells.width[pair->cell], end_plan);
	return guids_map(x);
}

/* ---- bandwidth ---- */

/* The live switch of that GUID, or FT_NONE. */
static uint32_t live_by_guid(const struct impact *x, uint64_t guid)
{
	uint32_t live = guid ? ft_map_get(&x->by_guid, guid) : FT_MAP_NONE;

	return live == FT_MAP_NONE ? FT_NONE : live;
}

static uint32_t place_by_guid(const struct impact *x, uint64_t guid)
{
	uint32_t live = live_by_guid(x, guid);

	return live == FT_NONE ? FT_NONE : x->m->live.switches[live].planned;
}

static void touch(struct impact *x, uint32_t place)
{
	if (x->is_touched[place])
		return;
	x->is_touched[place] = true;
	x->touched[x->touched_count++] = place;
}

static void end_lose(struct impact *x, uint32_t place, uint64_t lost)
{
	x->lost_up[place] += lost;
	touch(x, place);
}

static void cell_lose(struct impact *x, uint32_t p, uint32_t q, uint64_t lost)
{
	uint32_t cell = ft_cell_at(x->m, p, q);
	uint64_t room;

	if (cell == x->m->cells.count)
		return;
	room = (uint64_t)x->m->cells.width[cell] * MILLION - x->lost[cell];
	lost = lost < room ? lost : room;
	if (lost == 0)
		return;
	if (x->lost[cell] == 0) {
		x->cells[x->cell_count] = cell;
		x->ends[x->cell_count][0] = p < q ? p : q;
		x->ends[x->cell_count++][1] = p < q ? q : p;
	}
	x->lost[cell] += lost;
	ft_cuts_take(x->m, x->cuts, cell, lost);
	ends_tell(x, p, q, lost, end_lose);
}

static void end_credit(struct impact *x, uint32_t place, uint64_t cables)
{
	if (x->lost_up[place] >= cables)
		x->lost_up[place] -= cables;
}

/* A cable to the wrong switch above carries the traffic of its switch all the same. */
static void strays_credit(struct impact *x, const struct ft_finding *f)
{
	if (f->code != FT_CODE_CABLE_MISPLACED && f->code != FT_CODE_CABLES_SWAPPED)
		return;
	for (size_t i = 0; i + 1 < f->where_count; i += 2) {
		uint32_t a = place_by_guid(x, f->where[i].guid), b = place_by_guid(x, f->where[i + 1].guid);

		if (a != FT_NONE && b != FT_NONE && a != b)
			ends_tell(x, a, b, MILLION, end_credit);
	}
}

static void losses_gather(struct impact *x, const struct ft_finding *f)
{
	const struct ft_model *m = x->m;

	for (size_t i = 0; i < f->lack_count; i++)
		cell_lose(x, m->place_of[f->lacks[i].a], m->place_of[f->lacks[i].b],
			  (uint64_t)f->lacks[i].cables * MILLION + f->lacks[i].part_ppm);
	for (size_t i = 0; i < f->gone_count; i++) {
		uint32_t p = m->place_of[f->gone[i]];

		x->is_gone[p] = true;
		for (const struct ft_pair *pair = ft_pairs_of(m, p); pair < ft_pairs_of(m, p + 1); pair++)
			cell_lose(x, p, pair->peer, (uint64_t)m->cells.width[pair->cell] * MILLION);
	}
	strays_credit(x, f);
	/* The loss of a spine above is a loss of the edges below. */
	for (uint32_t i = 0, count = x->touched_count; i < count; i++) {
		uint32_t p = x->touched[i];

		if (p < m->edges)
			continue;
		for (const struct ft_pair *pair = ft_pairs_of(m, p); pair < ft_pairs_of(m, p + 1); pair++)
			if (pair->peer < m->edges)
				touch(x, pair->peer);
	}
}

static void losses_forget(struct impact *x, const struct ft_finding *f)
{
	for (uint32_t i = 0; i < x->cell_count; i++) {
		ft_cuts_give(x->m, x->cuts, x->cells[i], x->lost[x->cells[i]]);
		x->lost[x->cells[i]] = 0;
	}
	for (uint32_t i = 0; i < x->touched_count; i++) {
		x->lost_up[x->touched[i]] = 0;
		x->is_touched[x->touched[i]] = false;
	}
	for (size_t i = 0; i < f->gone_count; i++)
		x->is_gone[x->m->place_of[f->gone[i]]] = false;
	x->cell_count = x->touched_count = 0;
}

static struct ft_ratio bisection_lost(const struct impact *x)
{
	uint64_t planned = x->m->capacity->total * MILLION, left = ft_cuts_least(x->m, x->cuts);
	struct ft_ratio ratio = {0, 1};

	left = left < planned ? left : planned;
	if (planned > 0 && ft_ratio_make((int64_t)(planned - left), (int64_t)planned, &ratio) < 0)
		return (struct ft_ratio){0, 1};
	return ratio;
}

/* The remaining cables of an edge, and the planned ones, in the same unit. */
struct capacity {
	uint64_t left, planned;
};

/* Cables to switches without up links, in millionths. */
static struct capacity capacity_plain(const struct impact *x, uint32_t e)
{
	uint64_t planned = (uint64_t)x->planned_up[e] * MILLION;

	return (struct capacity){planned - x->lost_up[e], planned};
}

/* The number of up links of most neighbours of a place: a unit in which each share is whole. */
static uint64_t unit_above(const struct impact *x, uint32_t e)
{
	const struct ft_model *m = x->m;

	for (const struct ft_pair *pair = ft_pairs_of(m, e); pair < ft_pairs_of(m, e + 1); pair++)
		if (m->cells.width[pair->cell] > 0 && ft_leads_up(m, e, pair->peer) && x->planned_up[pair->peer] > 0)
			return x->planned_up[pair->peer];
	return 0;
}

/*
 * Each cable counts with the fraction of up links that its upper end has left. Switches of a rank have the same number
 * of up links, a common denominator; if one differs, each share is rounded down.
 */
static struct capacity capacity_of(const struct impact *x, uint32_t e)
{
	const struct ft_model *m = x->m;
	struct capacity c = {0, 0};
	uint64_t unit = unit_above(x, e), lost = 0;

	if (unit == 0)
		return capacity_plain(x, e);
	for (const struct ft_pair *pair = ft_pairs_of(m, e); pair < ft_pairs_of(m, e + 1); pair++) {
		uint64_t width = m->cells.width[pair->cell], above = x->planned_up[pair->peer],
			 above_left = above * MILLION - x->lost_up[pair->peer];

		if (width == 0 || !ft_leads_up(m, e, pair->peer))
			continue;
		if (above == 0 && !ft_is_top(m, pair->peer))
			continue;
		/* A top switch passes all traffic. */
		if (above == 0) {
			above = 1;
			above_left = MILLION;
		}
		c.planned += width * unit * MILLION;
		lost += x->lost[pair->cell];
		c.left += (width * MILLION - x->lost[pair->cell]) / MILLION * unit * above_left / above +
			  (width * MILLION - x->lost[pair->cell]) % MILLION * unit / MILLION * above_left / above;
	}
	/* Unplanned cables that replace it (strays_credit()). */
	c.left += (lost - x->lost_up[e]) * unit;
	c.left = c.left < c.planned ? c.left : c.planned;
	return c;
}

/* The ratio down to up of an edge with @c left: as in figures.c. */
static struct ft_ratio blocking_of(const struct impact *x, const struct capacity *c, uint32_t e)
{
	struct ft_ratio ratio = {0, 0}, share;

	if (c->left == 0 || ft_ratio_make((int64_t)c->planned, (int64_t)c->left, &share) < 0 ||
	    ft_ratio_make(share.num * ft_host_ports(x->m, e), share.den * x->planned_up[e], &ratio) < 0)
		return (struct ft_ratio){0, 0};
	return ft_blocking_with(x->m, 0, ratio);
}

static void edges_weigh(struct impact *x, struct ft_finding *f)
{
	struct ft_model *m = x->m;
	uint32_t worst = FT_NONE;
	struct capacity most = {1, 1};

	for (uint32_t i = 0; i < x->touched_count; i++) {
		uint32_t e = x->touched[i];
		struct capacity c;

		if (e >= m->edges && m->places[e]->hosts == 0)
			continue;
		if (x->at_risk[e] && !x->told[e] && m->live_of[e] != FT_NONE)
			f->impact.hosts_at_risk += ft_live_at(m, e)->hosts;
		if (e >= m->edges)
			continue;
		c = capacity_of(x, e);
		if (x->is_gone[e] || c.planned == 0 || c.left >= c.planned)
			continue;
		f->impact.edges++;
		if (worst == FT_NONE || (__uint128_t)c.left * most.planned < (__uint128_t)most.left * c.planned ||
		    ((__uint128_t)c.left * most.planned == (__uint128_t)most.left * c.planned && e < worst)) {
			worst = e;
			most = c;
		}
	}
	if (worst == FT_NONE ||
	    ft_ratio_make((int64_t)(most.planned - most.left), (int64_t)most.planned, &f->impact.edge_loss) < 0)
		return;
	f->impact.blocking = blocking_of(x, &most, worst);
	ft_say(m, &f->worst_edge, "%s", ft_live_at(m, worst) ? ft_live_at(m, worst)->label : m->places[worst]->name);
}

/* ---- one more failure ---- */

/* A fabric as a graph: each neighbour once, and whether a single cable leads there. */
struct graph {
	uint32_t count;
	uint32_t *first;
	uint32_t *of;
	bool *single;
	uint32_t *hosts;
	bool *core;
};

static void graph_release(struct graph *g)
{
	free(g->first);
	free(g->of);
	free(g->single);
	free(g->hosts);
	free(g->core);
}

static int graph_init(struct graph *g, uint32_t count, size_t ends)
{
	*g = (struct graph){
		.count = count,
		.first = calloc(count + 2UL, sizeof(*g->first)),
		.of = calloc(ends + 1, sizeof(*g->of)),
		.single = calloc(ends + 1, sizeof(*g->single)),
		.hosts = calloc(count + 1UL, sizeof(*g->hosts)),
		.core = calloc(count + 1UL, sizeof(*g->core)),
	};
	return g->first && g->of && g->single && g->hosts && g->core ? 0 : -ENOMEM;
}

/*
 * A component of a tree without a top switch counts as disconnected; in any other graph any switch suffices. @hosts: on
 * an unplanned switch.
 */
static bool is_anchor(const struct ft_model *m, uint32_t place, uint32_t hosts)
{
	if (m->capacity->ranks == 1)
		return true;
	return place == FT_NONE ? hosts == 0 : ft_is_top(m, place);
}

static int graph_of_live(const struct ft_model *m, struct graph *g)
{
	const struct ft_live *live = &m->live;
	_cleanup_free_ uint32_t *at = malloc((live->switch_count + 1UL) * sizeof(*at));
	uint32_t count = 0;
	int r = graph_init(g, live->switch_count, 2UL * live->cable_count);

	if (r < 0 || !at)
		return -ENOMEM;
	for (uint32_t i = 0; i < live->switch_count; i++)
		at[i] = FT_NONE;
	for (uint32_t i = 0; i < live->switch_count; i++) {
		const struct ft_live_switch *sw = &live->switches[i];

		g->first[i] = count;
		g->hosts[i] = sw->tolerated ? 0 : sw->hosts;
		g->core[i] = is_anchor(m, sw->planned, sw->hosts);
		for (uint32_t n = 0; n < sw->cable_count; n++) {
			uint32_t far = ft_cable_far(&live->cables[live->at[sw->first_cable + n]], i);

			if (far == i)
				continue;
			/* An entry of an earlier switch is below its first. */
			if (at[far] != FT_NONE && at[far] >= g->first[i]) {
				g->single[at[far]] = false;
				continue;
			}
			at[far] = count;
			g->single[count] = true;
			g->of[count++] = far;
		}
	}
	g->first[live->switch_count] = count;
	return 0;
}

/* @lost: by cell, millionths of missing cables; @gone: by place, missing switches. NULL: nothing is missing. */
static int graph_of_plan(const struct ft_model *m, const uint64_t *lost, const bool *gone, struct graph *g)
{
	uint32_t count = 0;
	int r = graph_init(g, m->place_count, 2UL * m->cells.count);

	if (r < 0)
		return r;
	for (uint32_t p = 0; p < m->place_count; p++) {
		g->first[p] = count;
		g->hosts[p] = gone && gone[p] ? 0 : m->places[p]->hosts;
		g->core[p] = is_anchor(m, p, 0);
		for (const struct ft_pair *pair = ft_pairs_of(m, p); pair < ft_pairs_of(m, p + 1); pair++) {
			uint32_t left = m->cells.width[pair->cell];

			left -= lost ? (uint32_t)(lost[pair->cell] / MILLION) : 0;
			if (left == 0)
				continue;
			g->single[count] = left == 1;
			g->of[count++] = pair->peer;
		}
	}
	g->first[m->place_count] = count;
	return 0;
}

/* The size of a component. Without a core switch it counts as disconnected. */
struct amount {
	uint64_t hosts;
	uint32_t cores;
};

static struct amount amount_plus(struct amount a, struct amount b)
{
	return (struct amount){a.hosts + b.hosts, a.cores + b.cores};
}

static struct amount amount_minus(struct amount a, struct amount b)
{
	return (struct amount){a.hosts - b.hosts, a.cores - b.cores};
}

/* Of two parts, the one with more hosts remains the fabric, if it has a core switch. */
static bool amount_is_more(struct amount a, struct amount b)
{
	return a.cores > 0 && (b.cores == 0 || a.hosts > b.hosts);
}

/* Depth-first search: Tarjan's algorithm for articulation points and bridges, without recursion. */
struct walk {
	const struct graph *g;
	uint32_t *entered, *low, *parent, *next; /* by node: time of entry, from 1 */
	uint32_t *order;			 /* nodes in order of entry */
	struct amount *below;			 /* by node: its subtree, itself included */
	uint32_t *last;				 /* by node: the last node entered in its subtree */
	struct amount *cut;			 /* by node: the subtrees that are separated if it fails */
	int32_t *marks;				 /* by time of entry: where marked ranges begin and end */
	uint32_t clock;
	uint32_t root;
};

static void walk_release(struct walk *w)
{
	free(w->entered);
	free(w->low);
	free(w->parent);
	free(w->next);
	free(w->order);
	free(w->below);
	free(w->last);
	free(w->cut);
	free(w->marks);
}

static int walk_init(struct walk *w, const struct graph *g)
{
	size_t count = g->count + 2UL;

	*w = (struct walk){
		.g = g,
		.entered = calloc(count, sizeof(*w->entered)),
		.low = calloc(count, sizeof(*w->low)),
		.parent = calloc(count, sizeof(*w->parent)),
		.next = calloc(count, sizeof(*w->next)),
		.order = calloc(count, sizeof(*w->order)),
		.below = calloc(count, sizeof(*w->below)),
		.last = calloc(count, sizeof(*w->last)),
		.cut = calloc(count, sizeof(*w->cut)),
		.marks = calloc(count + 1, sizeof(*w->marks)),
	};
	return w->entered && w->low && w->parent && w->next && w->order && w->below && w->last && w->cut && w->marks
		       ? 0
		       : -ENOMEM;
}

static struct amount amount_of(const struct graph *g, uint32_t node)
{
	return (struct amount){g->hosts[node], g->core[node]};
}

static void walk_enter(struct walk *w, uint32_t node, uint32_t parent)
{
	w->entered[node] = w->low[node] = ++w->clock;
	w->order[w->clock] = node;
	w->parent[node] = parent;
	w->next[node] = w->g->first[node];
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

		if (w->next[here] == w->g->first[here + 1]) {
			walk_leave(w, here);
			here = w->parent[here];
			continue;
		}
		far = w->g->of[w->next[here]++];
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
	if (amount_is_more(w->below[node], rest) || rest.cores == 0)
		mark_beside(w, node, begin);
}

static bool link_is_single(const struct graph *g, uint32_t node, uint32_t parent)
{
	for (uint32_t n = g->first[node]; n < g->first[node + 1]; n++)
		if (g->of[n] == parent)
			return g->single[n];
	return false;
}

/* A subtree of @node without another path around @node. */
static bool falls_off(const struct walk *w, uint32_t node, uint32_t child)
{
	return w->parent[child] == node && w->low[child] >= w->entered[node];
}

/* If @node fails, these subtrees and the rest of the component separate: the largest one remains. */
static void node_fail(struct walk *w, uint32_t node, uint32_t begin)
{
	const struct graph *g = w->g;
	struct amount rest = amount_minus(amount_minus(w->below[w->root], amount_of(g, node)), w->cut[node]),
		      most = rest;
	uint32_t kept = FT_NONE;
	bool falls = false;

	for (uint32_t n = g->first[node]; n < g->first[node + 1]; n++) {
		uint32_t child = g->of[n];

		if (!falls_off(w, node, child))
			continue;
		falls = true;
		if (amount_is_more(w->below[child], most)) {
			most = w->below[child];
			kept = child;
		}
	}
	for (uint32_t n = g->first[node]; falls && n < g->first[node + 1]; n++)
		if (falls_off(w, node, g->of[n]) && g->of[n] != kept)
			mark_below(w, g->of[n]);
	if (!falls || (kept == FT_NONE && rest.cores > 0))
		return;
	/* The rest does not remain either: other branches, and subtrees with a path around. */
	mark_beside(w, node, begin);
	for (uint32_t n = g->first[node]; n < g->first[node + 1]; n++)
		if (w->parent[g->of[n]] == node && !falls_off(w, node, g->of[n]))
			mark_below(w, g->of[n]);
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
		if (w->low[node] > w->entered[parent] && link_is_single(w->g, node, parent))
			cable_fail(w, node, begin);
	}
	for (uint32_t t = begin; t <= w->clock; t++)
		node_fail(w, w->order[t], begin);
}

/* The nodes with hosts that the failure of one other node, or of one cable, would cut off from most others. */
static int risk_find(const struct graph *g, bool *ret_risk)
{
	_cleanup_(walk_release) struct walk w;
	int32_t depth = 0;
	int r = walk_init(&w, g);

	if (r < 0)
		return r;
	for (uint32_t i = 0; i < g->count; i++) {
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

static int risk_weigh(struct impact *x)
{
	const struct ft_model *m = x->m;
	_cleanup_(graph_release) struct graph live = {0};
	_cleanup_(graph_release) struct graph plan = {0};
	_cleanup_free_ bool *now = calloc(m->live.switch_count + 1UL, sizeof(*now));
	int r = now ? graph_of_live(m, &live) : -ENOMEM;

	if (r == 0)
		r = graph_of_plan(m, NULL, NULL, &plan);
	if (r == 0)
		r = risk_find(&live, now);
	if (r == 0)
		r = risk_find(&plan, x->planned_risk);
	for (uint32_t p = 0; r == 0 && p < m->place_count; p++)
		if (m->live_of[p] != FT_NONE && now[m->live_of[p]] && !x->planned_risk[p])
			x->at_risk[p] = x->any_at_risk = true;
	return r;
}

/*
 * The hosts at risk because of a finding. In a tree those of the edges with a loss. In any other graph a loss can put
 * hosts anywhere at risk: those that one failure would cut off in the plan without the lost items; if several findings
 * together cause it, those with a loss by one of them. O(cables).
 */
static int risk_of_finding(struct impact *x, struct ft_finding *f)
{
	const struct ft_model *m = x->m;
	_cleanup_(graph_release) struct graph plan = {0};
	_cleanup_free_ bool *risk = calloc(m->place_count + 1UL, sizeof(*risk));
	int r = risk ? graph_of_plan(m, x->lost, x->is_gone, &plan) : -ENOMEM;

	if (r == 0)
		r = risk_find(&plan, risk);
	for (uint32_t p = 0; r == 0 && p < m->place_count; p++) {
		if (!risk[p] || !x->at_risk[p])
			continue;
		x->told[p] = true;
		f->impact.hosts_at_risk += ft_live_at(m, p)->hosts;
	}
	return r;
}

static int risks_far_tell(struct impact *x)
{
	const struct ft_model *m = x->m;
	uint64_t judged = 0;
	int r = 0;

	for (size_t i = 0; r == 0 && x->any_at_risk && m->capacity->ranks == 1 && i < m->report->finding_count; i++) {
		struct ft_finding *f = &m->report->findings[i];

		judged += m->cells.count + m->place_count;
		if (judged > BUNDLES_JUDGED_MAX)
			break;
		losses_gather(x, f);
		if (x->cell_count > 0)
			r = risk_of_finding(x, f);
		losses_forget(x, f);
	}
	return r;
}

/* ---- OpenSM's fat-tree routing ---- */

/* The graph for ft_ftree_judge(), under construction. */
struct tree {
	uint32_t count;
	uint64_t *guids;
	uint32_t *hosts;
	uint32_t *first;
	struct ft_ftree_group *groups;
	uint32_t group_count;
	uint32_t *at; /* by switch: its group among those of the current switch, or FT_NONE */
};

static void tree_release(struct tree *t)
{
	free(t->guids);
	free(t->hosts);
	free(t->first);
	free(t->groups);
	free(t->at);
}

static int tree_init(struct tree *t, uint32_t count, size_t ends)
{
	*t = (struct tree){
		.count = count,
		.guids = calloc(count + 1UL, sizeof(*t->guids)),
		.hosts = calloc(count + 1UL, sizeof(*t->hosts)),
		.first = calloc(count + 2UL, sizeof(*t->first)),
		.groups = calloc(ends + 1, sizeof(*t->groups)),
		.at = malloc((count + 1UL) * sizeof(*t->at)),
	};
	if (!t->guids || !t->hosts || !t->first || !t->groups || !t->at)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		t->at[i] = FT_NONE;
	return 0;
}

static void tree_switch_begin(struct tree *t, uint32_t node)
{
	t->first[node] = t->group_count;
	t->first[node + 1] = t->group_count;
}

static void tree_cables_add(struct tree *t, uint32_t node, uint32_t far, uint32_t cables)
{
	if (cables == 0 || far == node)
		return;
	if (t->at[far] == FT_NONE || t->at[far] < t->first[node]) {
		t->at[far] = t->group_count;
		t->groups[t->group_count++] = (struct ft_ftree_group){far, 0};
		t->first[node + 1] = t->group_count;
	}
	t->groups[t->at[far]].count += cables;
}

static int tree_judge(const struct tree *t, struct ft_ftree_verdict *ret_verdict)
{
	const struct ft_ftree fabric = {t->count, t->guids, t->hosts, t->first, t->groups};

	return ft_ftree_judge(&fabric, ret_verdict);
}

/* Numbers of the switches that a subnet manager at the entry of the sweep sees; of all others FT_NONE. */
static int switches_number(const struct ft_snapshot *s, uint32_t *ret_number, uint32_t *ret_nodes, uint32_t *ret_count)
{
	_cleanup_free_ uint32_t *queue = malloc((s->node_count + 1UL) * sizeof(*queue));
	_cleanup_free_ bool *seen = calloc(s->node_count + 1UL, sizeof(*seen));
	uint32_t tail = 0;

	if (!queue || !seen)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->node_count; i++)
		if (i == s->source.entry_node || s->source.entry_node >= s->node_count) {
			seen[i] = true;
			queue[tail++] = i;
		}
	for (uint32_t head = 0; head < tail; head++) {
		const struct ft_node *node = &s->nodes[queue[head]];

		for (uint32_t n = 0; n < node->port_count; n++) {
			const struct ft_port *far = ft_port_peer(s, &s->ports[node->first_port + n]);

			if (!far || seen[far->node])
				continue;
			seen[far->node] = true;
			queue[tail++] = far->node;
		}
	}
	*ret_count = 0;
	for (uint32_t i = 0; i < s->node_count; i++) {
		bool counts = seen[i] && s->nodes[i].type == FT_NODE_SWITCH;

		ret_number[i] = counts ? *ret_count : FT_NONE;
		if (counts)
			ret_nodes[(*ret_count)++] = i;
	}
	return 0;
}

static void tree_of_seen(const struct ft_snapshot *s, const uint32_t *number, const uint32_t *nodes, struct tree *t)
{
	for (uint32_t i = 0; i < t->count; i++) {
		const struct ft_node *node = &s->nodes[nodes[i]];

		t->guids[i] = node->guid;
		tree_switch_begin(t, i);
		for (uint32_t n = 0; n < node->port_count; n++) {
			const struct ft_port *far = ft_port_peer(s, &s->ports[node->first_port + n]);

			if (far && number[far->node] != FT_NONE)
				tree_cables_add(t, i, number[far->node], 1);
			t->hosts[i] += far && s->nodes[far->node].type == FT_NODE_CA;
		}
	}
}

/* "leaf07", the observed name. */
static int refusal_say(struct ft_model *m, const struct ft_ftree_verdict *verdict, const uint32_t *nodes, bool planned)
{
	static const char *const words[] = {
		[FT_FTREE_TOO_SMALL] = "there are fewer than two switches, or fewer than two hosts",
		[FT_FTREE_FLAT] = "every switch has hosts, so that there is no level above them",
		[FT_FTREE_DEEP] = "it has more than eight levels",
		[FT_FTREE_HOST_RANK] = "there are hosts on %s, which is not on the level of the leaf switches",
		[FT_FTREE_ONE_LEAF] = "all hosts are on one switch",
		[FT_FTREE_UP_NEIGHBOURS] = "%s and %s are not cabled to as many switches above them",
		[FT_FTREE_DOWN_NEIGHBOURS] = "%s and %s are not cabled to as many switches below them",
		[FT_FTREE_UP_CABLES] = "%s and %s have bundles of unlike width to switches above them",
		[FT_FTREE_DOWN_CABLES] = "%s and %s have bundles of unlike width to switches below them",
	};
	_cleanup_(ft_text_release) struct ft_text text = {0}, name_text = {0};
	const uint32_t named[2] = {nodes[verdict->a], nodes[verdict->b]};
	unsigned int count = 0;

	for (const char *c = words[verdict->why]; *c; c++) {
		bool name = c[0] == '%' && c[1] == 's';

		if (name)
			ft_text_puts(&text, ft_switch_text(m, named[count++], &name_text));
		else
			ft_text_add(&text, c, 1);
		c += name;
	}
	if (!planned)
		ft_text_puts(&text, "; not even as planned is it what it takes for a fat-tree");
	if (text.failed || name_text.failed)
		return -ENOMEM;
	ft_say(m, &m->report->ftree_why, "%s", ft_text_string(&text));
	return 0;
}

static int ftree_of_fabric(struct ft_model *m, bool planned)
{
	const struct ft_snapshot *s = m->chips;
	_cleanup_free_ uint32_t *number = malloc((s->node_count + 1UL) * sizeof(*number));
	_cleanup_free_ uint32_t *nodes = calloc(s->node_count + 1UL, sizeof(*nodes));
	_cleanup_(tree_release) struct tree t = {0};
	struct ft_ftree_verdict verdict;
	uint32_t count;
	int r;

	if (!number || !nodes)
		return -ENOMEM;
	r = switches_number(s, number, nodes, &count);
	if (r == 0)
		r = tree_init(&t, count, s->port_count);
	if (r < 0)
		return r;
	tree_of_seen(s, number, nodes, &t);
	r = tree_judge(&t, &verdict);
	if (r < 0 || count == 0)
		return r;
	m->report->ftree_known = true;
	m->report->ftree_refuses = verdict.why != FT_FTREE_TAKEN;
	return m->report->ftree_refuses ? refusal_say(m, &verdict, nodes, planned) : 0;
}

/* Cables that a finding adds to the plan: pairs of places; the one after the last is an additional switch. */
struct extras {
	uint32_t (*ends)[2];
	uint32_t count;
	uint32_t hosts_at; /* a host on that switch, or FT_NONE */
	uint32_t stranger_hosts;
};

static void extra_add(struct extras *e, uint32_t a, uint32_t b)
{
	if (a == FT_NONE || b == FT_NONE)
		return;
	e->ends[e->count][0] = a;
	e->ends[e->count++][1] = b;
}

static int extras_gather(const struct impact *x, const struct ft_finding *f, struct extras *e)
{
	const struct ft_model *m = x->m;
	uint32_t live = f->code == FT_CODE_SWITCH_UNPLANNED ? live_by_guid(x, f->where[0].guid) : FT_NONE;
	bool stray = f->code == FT_CODE_CABLE_MISPLACED || f->code == FT_CODE_CABLES_SWAPPED ||
		     f->code == FT_CODE_CABLE_UNPLANNED;

	*e = (struct extras){.hosts_at = FT_NONE};
	e->ends = calloc(f->where_count + (live == FT_NONE ? 0 : m->live.switches[live].cable_count) + 1UL,
			 sizeof(*e->ends));
	if (!e->ends)
		return -ENOMEM;
	for (size_t i = 0; stray && i + 1 < f->where_count; i += 2)
		extra_add(e, place_by_guid(x, f->where[i].guid), place_by_guid(x, f->where[i + 1].guid));
	if (f->code == FT_CODE_HOST_ON_CORE && f->where_count > 0)
		e->hosts_at = place_by_guid(x, f->where[0].guid);
	if (live == FT_NONE)
		return 0;
	e->stranger_hosts = m->live.switches[live].hosts;
	for (uint32_t i = 0; i < m->live.switches[live].cable_count; i++) {
		const struct ft_live_cable *cable = &m->live.cables[m->live.at[m->live.switches[live].first_cable + i]];

		extra_add(e, m->place_count, m->live.switches[ft_cable_far(cable, live)].planned);
	}
	return 0;
}

/* The plan, without the losses of the current finding, and with its additions. */
static void tree_of_plan(const struct impact *x, const struct extras *e, struct tree *t)
{
	const struct ft_model *m = x->m;

	for (uint32_t p = 0; p <= m->place_count; p++) {
		bool placed = p < m->place_count;

		tree_switch_begin(t, p);
		t->guids[p] = placed && m->live_of[p] != FT_NONE ? ft_live_at(m, p)->guid : 0;
		t->hosts[p] = !placed ? e->stranger_hosts : x->is_gone[p] ? 0 : m->places[p]->hosts;
		t->hosts[p] += p == e->hosts_at;
		for (const struct ft_pair *pair = ft_pairs_of(m, p); placed && pair < ft_pairs_of(m, p + 1); pair++)
			tree_cables_add(t, p, pair->peer,
					m->cells.width[pair->cell] - (uint32_t)(x->lost[pair->cell] / MILLION));
		for (uint32_t i = 0; i < e->count; i++)
			for (unsigned int n = 0; n < 2; n++)
				if (e->ends[i][n] == p)
					tree_cables_add(t, p, e->ends[i][1 - n], 1);
	}
}

/* @t: empty; the caller releases it, also on failure. */
static int plan_judge(const struct impact *x, const struct extras *e, struct tree *t, bool *ret_refuses)
{
	struct ft_ftree_verdict verdict;
	int r = tree_init(t, x->m->place_count + 1, 2UL * (x->m->cells.count + e->count));

	if (r < 0)
		return r;
	tree_of_plan(x, e, t);
	r = tree_judge(t, &verdict);
	if (r == 0)
		*ret_refuses = verdict.why != FT_FTREE_TAKEN;
	return r;
}

static void tree_bundle_set(struct tree *t, uint32_t node, uint32_t far, uint32_t cables)
{
	for (uint32_t n = t->first[node]; n < t->first[node + 1]; n++)
		if (t->groups[n].far == far)
			t->groups[n].count = cables;
}

/* Removes the losses of the current finding from the plan's tree, or (@back) restores them. */
static void tree_change(const struct impact *x, struct tree *t, bool back)
{
	const struct ft_model *m = x->m;

	for (uint32_t i = 0; i < x->cell_count; i++) {
		uint32_t cables = m->cells.width[x->cells[i]];

		cables -= back ? 0 : (uint32_t)(x->lost[x->cells[i]] / MILLION);
		for (unsigned int n = 0; n < 2; n++)
			tree_bundle_set(t, x->ends[i][n], x->ends[i][1 - n], cables);
	}
	for (uint32_t p = 0; p < m->place_count; p++)
		if (x->is_gone[p])
			t->hosts[p] = back ? m->places[p]->hosts : 0;
}

/* Tests a finding that adds nothing to the plan, in the tree of the whole plan, which has many bundles. */
static int loss_judge(const struct impact *x, struct tree *t, bool *ret_refuses)
{
	struct ft_ftree_verdict verdict;
	int r;

	tree_change(x, t, false);
	r = tree_judge(t, &verdict);
	tree_change(x, t, true);
	if (r == 0)
		*ret_refuses = verdict.why != FT_FTREE_TAKEN;
	return r;
}

/* @t: the tree of the plan */
static int finding_judge(const struct impact *x, struct tree *t, struct ft_finding *f)
{
	_cleanup_(tree_release) struct tree own = {0};
	struct extras e;
	int r = extras_gather(x, f, &e);

	if (r == 0 && (e.count > 0 || e.hosts_at != FT_NONE || (x->cell_count > 0 && e.stranger_hosts > 0)))
		r = plan_judge(x, &e, &own, &f->impact.ftree_refuses);
	else if (r == 0 && x->cell_count > 0)
		r = loss_judge(x, t, &f->impact.ftree_refuses);
	free(e.ends);
	return r;
}

/* ---- all of it ---- */

int ft_impact_weigh(struct ft_model *m)
{
	_cleanup_(impact_release) struct impact x;
	_cleanup_(tree_release) struct tree plan = {0};
	bool tree = m->words->opensm && ft_plan_has_ranks(m->plan), refuses = true;
	uint64_t judged = 0;
	int r = impact_init(&x, m);

	if (r == 0 && m->linked && m->report->finding_count > 0)
		r = risk_weigh(&x);
	if (r == 0)
		r = risks_far_tell(&x);
	/* A plan without ranks is no tree, and not meant for ftree routing; nor is Ethernet. */
	if (r == 0 && m->linked && tree)
		r = plan_judge(&x, &(const struct extras){.hosts_at = FT_NONE}, &plan, &refuses);
	if (r == 0 && m->linked && tree)
		r = ftree_of_fabric(m, !refuses);
	for (size_t i = 0; r == 0 && i < m->report->finding_count; i++) {
		struct ft_finding *f = &m->report->findings[i];

		losses_gather(&x, f);
		f->impact.bisection_lost = bisection_lost(&x);
		edges_weigh(&x, f);
		judged += m->cells.count + m->place_count;
		if (!refuses && judged <= BUNDLES_JUDGED_MAX)
			r = finding_judge(&x, &plan, f);
		losses_forget(&x, f);
	}
	return r;
}
