/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* From the graph over ports to what explains it: cycles, then paths. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "verify/exact.h"

static void result_release(struct ft_exact_result *r)
{
	free(r->moves);
	free(r->gaps);
	free(r->extras);
}

static int result_alloc(struct ft_exact_result *r, const struct ft_model *m)
{
	size_t planned = m->plan->cable_count + m->plan->host_count + 1UL;
	size_t seen = m->live.cable_count + m->live.host_count + 1UL;

	*r = (struct ft_exact_result){
		.moves = calloc(planned, sizeof(*r->moves)),
		.gaps = calloc(planned, sizeof(*r->gaps)),
		.extras = calloc(seen, sizeof(*r->extras)),
	};
	return r->moves && r->gaps && r->extras ? 0 : -ENOMEM;
}

/* ---- what a reading costs ---- */

enum {
	COST_HOST_END = 1 << 16, /* a host's end does not move, nor is a host that is there missing */
	COST_CABLE = 8,		 /* a cable that is missing, or unplanned */
	COST_PORT = 4,		 /* a move within a switch */
	COST_SWITCH = 5,	 /* to another one of its tier */
	COST_TIER = 6,
	COST_TAKEN = 1, /* into a port that something else is in, or may be */
};

/* The end of a cable at @wrong goes to @target. */
static int64_t move_cost(const struct ft_exact_graph *g, uint32_t wrong, uint32_t target)
{
	uint32_t from = g->place[wrong], to = g->place[target];
	int64_t taken = (g->guest[target] != FT_NONE || g->held[target] || ft_exact_is_hazy(g, target)) * COST_TAKEN;

	if (ft_exact_is_host(g, wrong) || ft_exact_is_host(g, target))
		return COST_HOST_END;
	if (from == to)
		return COST_PORT + taken;
	return (ft_tier_of(g->m, from) == ft_tier_of(g->m, to) ? COST_SWITCH : COST_TIER) + taken;
}

static int64_t gap_cost(const struct ft_exact_graph *g, uint32_t a, uint32_t b)
{
	if (ft_exact_is_host(g, a) || ft_exact_is_host(g, b))
		return COST_HOST_END;
	/* What is plugged into its port keeps it out, and is found anyway. */
	return g->held[a] || g->held[b] ? 0 : COST_CABLE;
}

static int64_t extra_cost(const struct ft_exact_graph *g, uint32_t a, uint32_t b)
{
	return ft_exact_is_host(g, a) || ft_exact_is_host(g, b) ? COST_HOST_END : COST_CABLE;
}

/* ---- paths ---- */

/* A path: @count vertices at g->path; cable number i, planned or seen, is from vertex i to vertex i + 1. */
struct path {
	uint32_t count;
	bool planned_first, planned_last;
};

/* The cable seen from vertex @i of the path to the next is the planned one before it, or the one behind it. */
static int64_t shift_cost(const struct ft_exact_graph *g, uint32_t i, bool back)
{
	const uint32_t *v = g->path;

	return back ? move_cost(g, v[i + 1], v[i - 1]) : move_cost(g, v[i], v[i + 2]);
}

/* Cable number @odd of the path has no counterpart: a planned one is missing, or a seen one is unplanned. */
static int64_t odd_cost(const struct ft_exact_graph *g, const struct path *p, uint32_t odd)
{
	const uint32_t *v = g->path;

	return p->planned_first ? gap_cost(g, v[odd], v[odd + 1]) : extra_cost(g, v[odd], v[odd + 1]);
}

/* Whether the cable seen at @i is read as the planned one before it, where @odd has no counterpart. */
static bool is_read_back(const struct path *p, uint32_t i, uint32_t odd)
{
	return p->planned_first ? i < odd : i > odd;
}

/* The cheapest choice of a cable without counterpart, and another as cheap in @ret_rival, or FT_NONE. What it costs. */
static int64_t odd_choose(const struct ft_exact_graph *g, const struct path *p, uint32_t *ret_odd, uint32_t *ret_rival)
{
	uint32_t first = p->planned_first ? 1 : 0, best = 0;
	int64_t cost = odd_cost(g, p, 0), least;

	/* As if the first were it; then one further on at a time. */
	for (uint32_t i = first; i + 1 < p->count; i += 2)
		if (i != 0)
			cost += shift_cost(g, i, is_read_back(p, i, 0));
	least = cost;
	*ret_rival = FT_NONE;
	for (uint32_t odd = 2; odd + 1 < p->count; odd += 2) {
		uint32_t turned = p->planned_first ? odd - 1 : odd;

		cost += odd_cost(g, p, odd) - odd_cost(g, p, odd - 2);
		cost -= shift_cost(g, turned, is_read_back(p, turned, odd - 2));
		turned = p->planned_first ? odd - 1 : odd - 2;
		cost += shift_cost(g, turned, is_read_back(p, turned, odd));
		if (cost < least) {
			least = cost;
			best = odd;
			*ret_rival = FT_NONE;
		} else if (cost == least && *ret_rival == FT_NONE) {
			*ret_rival = odd;
		}
	}
	*ret_odd = best;
	return least;
}

static void move_add(const struct ft_exact_graph *g, struct ft_exact_result *r, uint32_t i, bool back)
{
	const uint32_t *v = g->path;
	struct ft_exact_move *move = &r->moves[r->move_count++];

	*move = back ? (struct ft_exact_move){v[i], v[i + 1], v[i - 1], g->planned[v[i]], g->seen[v[i]], FT_NONE}
		     : (struct ft_exact_move){v[i + 1], v[i], v[i + 2], g->planned[v[i + 1]], g->seen[v[i]], FT_NONE};
}

static void gap_add(const struct ft_exact_graph *g, struct ft_exact_result *r, uint32_t a, uint32_t b)
{
	const struct ft_plan_cable *c = &g->m->plan->cables[g->planned[a]];
	bool turn = g->place[a] != g->m->place_of[c->a];

	r->gaps[r->gap_count++] = (struct ft_exact_gap){g->planned[a], turn ? b : a, turn ? a : b, FT_NONE, 0};
}

/* One planned more than seen, or one seen more: @odd has no counterpart, and @rival might be it as well. */
static void odd_path_explain(const struct ft_exact_graph *g, struct ft_exact_result *r, const struct path *p,
			     uint32_t odd, uint32_t rival)
{
	const uint32_t *v = g->path;
	uint32_t first_move = r->move_count;

	for (uint32_t i = p->planned_first ? 1 : 0; i + 1 < p->count; i += 2)
		if (i != odd)
			move_add(g, r, i, is_read_back(p, i, odd));
	if (!p->planned_first) {
		r->extras[r->extra_count++] = v[odd];
		return;
	}
	gap_add(g, r, v[odd], v[odd + 1]);
	if (rival == FT_NONE)
		return;
	/* With one cable in between it can be said which it would be. */
	if (p->count != 4) {
		r->gaps[r->gap_count - 1].chain = p->count / 2 - 1;
		return;
	}
	r->gaps[r->gap_count - 1].rival = v[1];
	r->moves[first_move].rival = g->planned[v[odd]];
}

/* As many planned as seen: each cable seen is the planned one next to it, on the side where the path goes on. */
static void even_path_explain(const struct ft_exact_graph *g, struct ft_exact_result *r, const struct path *p)
{
	for (uint32_t i = p->planned_first ? 1 : 0; i + 1 < p->count; i += 2)
		move_add(g, r, i, p->planned_first);
}

static int64_t even_cost(const struct ft_exact_graph *g, const struct path *p)
{
	int64_t cost = 0;

	for (uint32_t i = p->planned_first ? 1 : 0; i + 1 < p->count; i += 2)
		cost += shift_cost(g, i, p->planned_first);
	return cost;
}

/* ---- paths that hosts hold: any cable may be without a counterpart ---- */

/* What became of the cable before: a planned one was found or not, a seen one is the next planned one or not. */
enum { OPEN, CLOSED, STATES };
enum reading { READ_NONE, READ_BACK, READ_ON, READINGS };

/* The cheapest way to have come to a state, cable by cable. */
struct reach {
	int64_t cost[STATES];
	uint8_t from[STATES];	 /* the state before */
	uint8_t reading[STATES]; /* of this cable, if it was seen */
};

static const int64_t never = INT64_MAX / 4;

static void reach_offer(struct reach *to, unsigned int state, int64_t cost, unsigned int from, enum reading reading)
{
	if (cost >= to->cost[state])
		return;
	to->cost[state] = cost;
	to->from[state] = (uint8_t)from;
	to->reading[state] = (uint8_t)reading;
}

static bool is_planned(const struct path *p, uint32_t i)
{
	return (i % 2 == 0) == p->planned_first;
}

/* Cable @i, seen: after a planned one that is OPEN, not found yet, or CLOSED, or after none at all. */
static void seen_reach(const struct ft_exact_graph *g, const struct path *p, uint32_t i, const struct reach *before,
		       struct reach *to)
{
	const uint32_t *v = g->path;
	int64_t extra = extra_cost(g, v[i], v[i + 1]), on = i + 2 < p->count ? shift_cost(g, i, false) : never;

	for (unsigned int state = 0; state < STATES; state++) {
		int64_t cost = before ? before->cost[state] : state == CLOSED ? 0 : never;
		int64_t gap = before && state == OPEN ? gap_cost(g, v[i - 1], v[i]) : 0;

		reach_offer(to, CLOSED, cost + gap + extra, state, READ_NONE);
		reach_offer(to, OPEN, cost + gap + on, state, READ_ON);
		if (before && state == OPEN)
			reach_offer(to, CLOSED, cost + shift_cost(g, i, true), state, READ_BACK);
	}
}

/* After a seen cable that is OPEN, this one is that. */
static void planned_reach(const struct reach *before, struct reach *to)
{
	reach_offer(to, OPEN, before ? before->cost[CLOSED] : 0, CLOSED, READ_NONE);
	if (before)
		reach_offer(to, CLOSED, before->cost[OPEN], OPEN, READ_NONE);
}

static void held_path_take(const struct ft_exact_graph *g, struct ft_exact_result *r, const struct path *p,
			   const struct reach *reaches, unsigned int state)
{
	const uint32_t *v = g->path;
	bool found = false;

	for (uint32_t i = p->count - 1; i-- > 0;) {
		enum reading reading = reaches[i].reading[state];

		if (is_planned(p, i) && state == OPEN && !found)
			gap_add(g, r, v[i], v[i + 1]);
		if (!is_planned(p, i) && reading == READ_NONE)
			r->extras[r->extra_count++] = v[i];
		else if (!is_planned(p, i))
			move_add(g, r, i, reading == READ_BACK);
		found = !is_planned(p, i) && reading == READ_BACK;
		state = reaches[i].from[state];
	}
}

static int held_path_explain(const struct ft_exact_graph *g, struct ft_exact_result *r, const struct path *p)
{
	uint32_t cables = p->count - 1;
	_cleanup_free_ struct reach *reaches = malloc(cables * sizeof(*reaches));
	int64_t open;

	if (!reaches)
		return -ENOMEM;
	for (uint32_t i = 0; i < cables; i++) {
		reaches[i] = (struct reach){.cost = {never, never}};
		if (is_planned(p, i))
			planned_reach(i ? &reaches[i - 1] : NULL, &reaches[i]);
		else
			seen_reach(g, p, i, i ? &reaches[i - 1] : NULL, &reaches[i]);
	}
	open = is_planned(p, cables - 1) ? gap_cost(g, g->path[cables - 1], g->path[cables]) : never;
	open += reaches[cables - 1].cost[OPEN];
	held_path_take(g, r, p, reaches, open < reaches[cables - 1].cost[CLOSED] ? OPEN : CLOSED);
	return 0;
}

/* Nothing is known against a planned cable both of whose ends may lead anywhere. */
static bool path_is_hazy(const struct ft_exact_graph *g, const struct path *p)
{
	return p->count == 2 && p->planned_first && ft_exact_is_hazy(g, g->path[0]) && ft_exact_is_hazy(g, g->path[1]);
}

static int path_explain(struct ft_exact_graph *g, struct ft_exact_result *r, const struct path *p)
{
	const uint32_t *v = g->path;
	bool even = p->planned_first != p->planned_last;
	uint32_t odd = 0, rival = FT_NONE;
	int64_t cost = even ? even_cost(g, p) : odd_choose(g, p, &odd, &rival);

	if (path_is_hazy(g, p))
		g->m->cells.unjudged[ft_cell_at(g->m, g->place[v[0]], g->place[v[1]])]++;
	else if (cost >= COST_HOST_END)
		return held_path_explain(g, r, p);
	else if (even)
		even_path_explain(g, r, p);
	else
		odd_path_explain(g, r, p, odd, rival);
	return 0;
}

/* ---- walking ---- */

/* The other end of the cable at @v, of the kind asked for, or FT_NONE. */
static uint32_t step(const struct ft_exact_graph *g, uint32_t v, bool planned)
{
	return planned ? g->mate[v] : g->far[v];
}

/* From @start on, beginning with a cable of that kind, until there is no more, or the circle is closed. */
static uint32_t walk(struct ft_exact_graph *g, uint32_t start, bool planned, bool *ret_planned_last)
{
	uint32_t v = start, count = 0;

	do {
		g->path[count++] = v;
		g->done[v] = true;
		*ret_planned_last = !planned;
		v = step(g, v, planned);
		planned = !planned;
	} while (v != FT_NONE && v != start);
	return count;
}

static bool is_end(const struct ft_exact_graph *g, uint32_t v)
{
	return (g->mate[v] == FT_NONE) != (g->far[v] == FT_NONE);
}

/* Marks what is on a path, so that what is left over is on cycles. */
static void paths_mark(struct ft_exact_graph *g)
{
	bool last;

	for (uint32_t v = 0; v < g->count; v++)
		if (!g->done[v] && is_end(g, v))
			walk(g, v, g->mate[v] != FT_NONE, &last);
}

static void cycles_explain(struct ft_exact_graph *g)
{
	bool last;

	for (uint32_t v = 0; v < g->count; v++) {
		uint32_t count;

		if (g->done[v] || g->mate[v] == FT_NONE)
			continue;
		count = walk(g, v, false, &last);
		ft_exact_report_cycle(g, g->path, count);
		for (uint32_t i = 0; i < count; i++)
			g->mate[g->path[i]] = g->far[g->path[i]] = FT_NONE;
	}
}

/* A cable from a switch to itself belongs nowhere; the planned ones are kept out by it. */
static void loopbacks_take(struct ft_exact_graph *g)
{
	const struct ft_model *m = g->m;

	for (uint32_t i = 0; i < m->live.cable_count; i++) {
		const struct ft_live_cable *c = &m->live.cables[i];
		bool plug = c->a_port == c->b_port;

		if (c->a != c->b || m->live.switches[c->a].planned == FT_NONE ||
		    (!plug && g->far[c->a_port] == FT_NONE))
			continue;
		g->far[c->a_port] = g->far[c->b_port] = FT_NONE;
		g->held[c->a_port] = g->held[c->b_port] = true;
		ft_stray_add(g->x, i);
	}
}

static int paths_explain(struct ft_exact_graph *g, struct ft_exact_result *r)
{
	int e = 0;

	for (uint32_t v = 0; v < g->count; v++)
		g->done[v] = false;
	for (uint32_t v = 0; v < g->count && e == 0; v++) {
		struct path p;

		if (g->done[v] || !is_end(g, v))
			continue;
		p.planned_first = g->mate[v] != FT_NONE;
		p.count = walk(g, v, p.planned_first, &p.planned_last);
		e = path_explain(g, r, &p);
	}
	return e;
}

/* ---- reports ---- */

/* The cable that the plan does not know, at @extra, is the one of @gap, with both ends in wrong ports. */
static bool is_both_wrong(const struct ft_exact_graph *g, uint32_t extra, const struct ft_exact_gap *gap)
{
	uint32_t a = g->place[extra], b = g->place[g->far[extra]], p = g->place[gap->a], q = g->place[gap->b];

	return (a == p && b == q) || (a == q && b == p);
}

static bool gap_is_held(const struct ft_exact_graph *g, const struct ft_exact_gap *gap)
{
	return g->held[gap->a] || g->held[gap->b];
}

/* First those that are right but for their ports. */
static int extras_report(struct ft_exact_graph *g, struct ft_exact_result *r)
{
	_cleanup_(ft_map_release) struct ft_map cells = {0};
	_cleanup_free_ bool *used = calloc(r->gap_count + 1UL, sizeof(*used));
	uint32_t kept = 0;

	if (!used)
		return -ENOMEM;
	for (uint32_t n = 0; n < r->gap_count; n++)
		if (!gap_is_held(g, &r->gaps[n]) &&
		    ft_map_add(&cells, ft_cell_at(g->m, g->place[r->gaps[n].a], g->place[r->gaps[n].b]), n, NULL) < 0)
			return -ENOMEM;
	for (uint32_t i = 0; i < r->extra_count; i++) {
		uint32_t v = r->extras[i];
		uint32_t n = ft_map_get(&cells, ft_cell_at(g->m, g->place[v], g->place[g->far[v]]));

		/* Gaps of a pair follow one another. */
		while (n != FT_MAP_NONE && n < r->gap_count && (used[n] || gap_is_held(g, &r->gaps[n])) &&
		       is_both_wrong(g, v, &r->gaps[n]))
			n++;
		if (n != FT_MAP_NONE && n < r->gap_count && !used[n] && !gap_is_held(g, &r->gaps[n]) &&
		    is_both_wrong(g, v, &r->gaps[n])) {
			used[n] = true;
			ft_exact_report_both(g, v, &r->gaps[n]);
		} else {
			ft_stray_add(g->x, g->seen[v]);
		}
	}
	for (uint32_t n = 0; n < r->gap_count; n++)
		if (!used[n])
			r->gaps[kept++] = r->gaps[n];
	r->gap_count = kept;
	return 0;
}

static int gap_compare(const void *a, const void *b)
{
	const struct ft_exact_gap *x = a, *y = b;

	return (x->planned > y->planned) - (x->planned < y->planned);
}

/* By pair; those whose place something else holds are left to the finding about that. */
static void gaps_report(struct ft_exact_graph *g, struct ft_exact_result *r)
{
	const struct ft_plan_cable *cables = g->m->plan->cables;
	uint32_t kept = 0;

	for (uint32_t n = 0; n < r->gap_count; n++) {
		if (gap_is_held(g, &r->gaps[n]))
			(*deficit_at(g->x, g->place[r->gaps[n].a], g->place[r->gaps[n].b]))++;
		else
			r->gaps[kept++] = r->gaps[n];
	}
	for (uint32_t n = 0, count; n < kept; n += count) {
		const struct ft_plan_cable *c = &cables[r->gaps[n].planned];

		for (count = 1; n + count < kept; count++) {
			const struct ft_plan_cable *d = &cables[r->gaps[n + count].planned];

			if (c->a != d->a || c->b != d->b)
				break;
		}
		ft_exact_report_gaps(g, &r->gaps[n], count);
	}
}

static int graph_explain(struct ft_exact_graph *g, struct ft_exact_result *r)
{
	int e;

	paths_mark(g);
	cycles_explain(g);
	loopbacks_take(g);
	e = paths_explain(g, r);
	if (e < 0)
		return e;
	for (uint32_t i = 0; i < r->move_count; i++)
		ft_exact_report_move(g, &r->moves[i]);
	if (r->gap_count)
		qsort(r->gaps, r->gap_count, sizeof(*r->gaps), gap_compare);
	e = extras_report(g, r);
	if (e == 0)
		gaps_report(g, r);
	return e;
}

/*
 * Which pairs are short of cables, in whatever ports: what is in a wrong port of the right switch carries what it
 * should, and is up as far as bandwidth is concerned.
 */
static void cells_count(struct ft_exact_graph *g)
{
	struct ft_model *m = g->m;
	uint32_t up = 0;

	for (uint32_t r = 0; r < m->place_count; r++)
		for (const struct ft_pair *pair = ft_pairs_of(m, r); pair < ft_pairs_of(m, r + 1); pair++) {
			uint32_t width = m->cells.width[pair->cell], seen = lesser(m->cells.seen[pair->cell], width);

			if (pair->peer < r || m->live_of[r] == FT_NONE || m->live_of[pair->peer] == FT_NONE)
				continue;
			up += seen;
			g->lacking[pair->cell] = width - seen;
		}
	for (uint32_t i = 0; i < m->plan->cable_count; i++) {
		const struct ft_plan_cable *c = &m->plan->cables[i];
		uint32_t cell = ft_cell_at(m, m->place_of[c->a], m->place_of[c->b]);

		if (m->exact.gone[i] && g->lacking[cell] > 0)
			g->lacking[cell]--;
	}
	m->exact.shifted = up - g->matched;
}

int ft_exact_explain(struct explain *x)
{
	_cleanup_(ft_exact_graph_release) struct ft_exact_graph g = {0};
	_cleanup_(result_release) struct ft_exact_result result = {0};
	struct ft_model *m = x->m;
	int r = ft_exact_graph_make(&g, x);

	if (r < 0)
		return r;
	/* From here on a deficit is one that another finding is to account for. */
	for (uint32_t i = 0; m->plan->cable_count > 0 && i < m->cells.count; i++)
		x->deficit[i] = 0;
	if (m->plan->cable_count > 0)
		cells_count(&g);
	r = result_alloc(&result, m);
	return r < 0 ? r : graph_explain(&g, &result);
}
