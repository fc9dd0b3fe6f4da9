/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Alternating trails over ports. A port has at most one planned and one observed cable, so what the two graphs do not
 * share is a set of cycles and paths. A cycle is a swap. The cheapest explanation of a path is found by dynamic
 * programming from cable to cable. Cost: O(ports + cables).
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "planner/write/phases.h"
#include "verify/explain/residual.h"

static int result_alloc(struct ft_trail_faults *r, struct ft_residual *g)
{
	const struct ft_model *m = g->m;
	size_t planned = m->plan->cable_count + m->plan->host_count;

	r->moves = ft_arena_zeros(&g->memory, planned, sizeof(*r->moves));
	r->gaps = ft_arena_zeros(&g->memory, planned, sizeof(*r->gaps));
	r->extras = ft_arena_zeros(&g->memory, (size_t)m->observed.cable_count + m->observed.host_count,
				   sizeof(*r->extras));
	return g->memory.failed ? -ENOMEM : 0;
}

/* ---- costs of explanations ---- */

enum {
	COST_HOST_END = 1 << 16, /* a host's end does not move, and a host that was seen is not missing */
	COST_CABLE = 8,		 /* a missing, or an unplanned, cable */
	COST_PORT = 4,		 /* a move within a switch */
	COST_SWITCH = 5,	 /* a move to another switch of the tier */
	COST_TIER = 6,
	COST_TAKEN = 1,	   /* a move into a port that is, or may be, occupied */
	SAVED_NOT_DUE = 4, /* of two cables that may be the missing one, that which is not due was not laid */
};

/* The cost of moving the end of a cable from @wrong to @target. */
static int64_t move_cost(const struct ft_residual *g, uint32_t wrong, uint32_t target)
{
	uint32_t from = g->place[wrong], to = g->place[target];
	int64_t taken = (g->guest[target] != FT_NONE || g->held[target] || ft_residual_is_hazy(g, target)) * COST_TAKEN;

	if (ft_residual_is_host(g, wrong) || ft_residual_is_host(g, target))
		return COST_HOST_END;
	if (from == to)
		return COST_PORT + taken;
	return (g->m->places[from]->kind == g->m->places[to]->kind ? COST_SWITCH : COST_TIER) + taken;
}

/* Whether the planned cable at @a belongs to a phase that is not over. */
static bool gap_is_open(const struct ft_residual *g, uint32_t a)
{
	const struct ft_phases *phases = g->m->input->phases;
	const struct ft_plan_cable *c = &g->m->plan->cables[g->planned[a]];

	return phases &&
	       ft_phase_is_open(phases->design,
				ft_phase_later(phases->design, phases->of_switch[c->a], phases->of_switch[c->b]),
				g->m->input->day);
}

static int64_t gap_cost(const struct ft_residual *g, uint32_t a, uint32_t b)
{
	if (ft_residual_is_host(g, a) || ft_residual_is_host(g, b))
		return COST_HOST_END;
	/* What is plugged into its port blocks it, and has a finding anyway. */
	if (g->held[a] || g->held[b])
		return 0;
	return COST_CABLE - gap_is_open(g, a) * SAVED_NOT_DUE;
}

static int64_t extra_cost(const struct ft_residual *g, uint32_t a, uint32_t b)
{
	return ft_residual_is_host(g, a) || ft_residual_is_host(g, b) ? COST_HOST_END : COST_CABLE;
}

/* ---- paths ---- */

/* A path: @count vertices at g->path; cable number i, planned or observed, connects vertices i and i + 1. */
struct path {
	uint32_t count;
	bool planned_first, planned_last;
};

/* The cost if the observed cable after vertex @i is the planned one before it, or the one after it. */
static int64_t shift_cost(const struct ft_residual *g, uint32_t i, bool back)
{
	const uint32_t *v = g->path;

	return back ? move_cost(g, v[i + 1], v[i - 1]) : move_cost(g, v[i], v[i + 2]);
}

static void move_add(const struct ft_residual *g, struct ft_trail_faults *r, uint32_t i, bool back)
{
	const uint32_t *v = g->path;
	struct ft_cable_move *move = &r->moves[r->move_count++];

	*move = back ? (struct ft_cable_move){v[i], v[i + 1], v[i - 1], g->planned[v[i]], g->seen[v[i]], FT_NONE}
		     : (struct ft_cable_move){v[i + 1], v[i], v[i + 2], g->planned[v[i + 1]], g->seen[v[i]], FT_NONE};
}

static struct ft_cable_gap *gap_add(const struct ft_residual *g, struct ft_trail_faults *r, uint32_t a, uint32_t b)
{
	const struct ft_plan_cable *c = &g->m->plan->cables[g->planned[a]];
	bool turn = g->place[a] != g->m->place_of[c->a];
	struct ft_cable_gap *gap = &r->gaps[r->gap_count++];

	*gap = (struct ft_cable_gap){
		.planned = g->planned[a], .a = turn ? b : a, .b = turn ? a : b, .rival = FT_NONE, .taken = FT_NONE};
	return gap;
}

/*
 * The cheapest explanation of a path, by dynamic programming from cable to cable: O(length). The state is what became
 * of the previous cable: a planned one was found or not, an observed one is the next planned one or not.
 */
enum { OPEN, CLOSED, STATES };
enum reading { READ_NONE, READ_BACK, READ_ON, READINGS };

/* The cheapest way to reach each state, cable by cable. */
struct reach {
	int64_t cost[STATES];
	uint32_t ways[STATES];	 /* how many ways cost as much */
	uint8_t from[STATES];	 /* the previous state */
	uint8_t reading[STATES]; /* the explanation of this cable, if it is an observed one */
};

static const int64_t never = INT64_MAX / 4;

/* Between equals the first one offered stays. */
static void reach_offer(struct reach *to, unsigned int state, int64_t cost, const struct reach *before,
			unsigned int from, enum reading reading)
{
	uint32_t ways = before ? before->ways[from] : 1;

	if (cost == to->cost[state])
		to->ways[state] += ways;
	if (cost >= to->cost[state])
		return;
	to->cost[state] = cost;
	to->ways[state] = ways;
	to->from[state] = (uint8_t)from;
	to->reading[state] = (uint8_t)reading;
}

static bool is_planned(const struct path *p, uint32_t i)
{
	return (i % 2 == 0) == p->planned_first;
}

/* Observed cable @i: after a planned one that is CLOSED, or OPEN (not found yet), or after none at all. */
static void seen_reach(const struct ft_residual *g, const struct path *p, uint32_t i, const struct reach *before,
		       struct reach *to)
{
	const uint32_t *v = g->path;
	int64_t extra = extra_cost(g, v[i], v[i + 1]), on = i + 2 < p->count ? shift_cost(g, i, false) : never;

	if (before)
		reach_offer(to, CLOSED, before->cost[OPEN] + shift_cost(g, i, true), before, OPEN, READ_BACK);
	for (unsigned int state = STATES; state-- > 0;) {
		int64_t cost = before ? before->cost[state] : state == CLOSED ? 0 : never;
		int64_t gap = before && state == OPEN ? gap_cost(g, v[i - 1], v[i]) : 0;

		reach_offer(to, CLOSED, cost + gap + extra, before, state, READ_NONE);
		reach_offer(to, OPEN, cost + gap + on, before, state, READ_ON);
	}
}

/* After an observed cable that is OPEN, the two are the same cable. */
static void planned_reach(const struct reach *before, struct reach *to)
{
	reach_offer(to, OPEN, before ? before->cost[CLOSED] : 0, before, CLOSED, READ_NONE);
	if (before)
		reach_offer(to, CLOSED, before->cost[OPEN], before, OPEN, READ_NONE);
}

static void path_take(const struct ft_residual *g, struct ft_trail_faults *r, const struct path *p,
		      const struct reach *reaches, unsigned int state, bool ambiguous)
{
	const uint32_t *v = g->path;
	struct ft_cable_gap *gap = NULL;
	bool found = false;

	for (uint32_t i = p->count - 1; i-- > 0;) {
		enum reading reading = reaches[i].reading[state];

		if (is_planned(p, i) && state == OPEN && !found)
			gap = gap_add(g, r, v[i], v[i + 1]);
		if (!is_planned(p, i) && reading == READ_NONE)
			r->extras[r->extra_count++] = v[i];
		else if (!is_planned(p, i))
			move_add(g, r, i, reading == READ_BACK);
		found = !is_planned(p, i) && reading == READ_BACK;
		state = reaches[i].from[state];
	}
	if (!ambiguous || !gap)
		return;
	/* With a single cable between, the missing one can be named. */
	gap->chain = p->count == 4 ? 0 : p->count / 2 - 1;
	gap->rival = p->count == 4 ? v[1] : FT_NONE;
	if (p->count == 4)
		r->moves[r->move_count - 1].rival = gap->planned;
}

/* True for a planned cable whose ends both may lead anywhere: nothing proves it missing. */
static bool path_is_hazy(const struct ft_residual *g, const struct path *p)
{
	return p->count == 2 && p->planned_first && ft_residual_is_hazy(g, g->path[0]) &&
	       ft_residual_is_hazy(g, g->path[1]);
}

static int path_explain(struct ft_residual *g, struct ft_trail_faults *r, const struct path *p)
{
	uint32_t last = p->count - 2;
	_cleanup_free_ struct reach *reaches = malloc((last + 1) * sizeof(*reaches));
	unsigned int state;
	int64_t open = never;

	if (!reaches)
		return -ENOMEM;
	if (path_is_hazy(g, p)) {
		g->m->cells.unjudged[ft_cell_at(g->m, g->place[g->path[0]], g->place[g->path[1]])]++;
		return 0;
	}
	for (uint32_t i = 0; i <= last; i++) {
		reaches[i] = (struct reach){.cost = {never, never}};
		if (is_planned(p, i))
			planned_reach(i ? &reaches[i - 1] : NULL, &reaches[i]);
		else
			seen_reach(g, p, i, i ? &reaches[i - 1] : NULL, &reaches[i]);
	}
	if (p->planned_last)
		open = reaches[last].cost[OPEN] + gap_cost(g, g->path[last], g->path[last + 1]);
	state = open < reaches[last].cost[CLOSED] ? OPEN : CLOSED;
	path_take(g, r, p, reaches, state,
		  p->planned_first && p->planned_last &&
			  (state == OPEN ? open : reaches[last].cost[CLOSED]) < COST_HOST_END &&
			  reaches[last].ways[state] + (open == reaches[last].cost[CLOSED]) > 1);
	return 0;
}

/* ---- walking ---- */

/* The other end of the planned, or observed, cable at @v, or FT_NONE. */
static uint32_t step(const struct ft_residual *g, uint32_t v, bool planned)
{
	return planned ? g->mate[v] : g->far[v];
}

/* Walks the trail from @start, beginning with a cable of that kind, to its end, or until the cycle is closed. */
static uint32_t walk(struct ft_residual *g, uint32_t start, bool planned, bool *ret_planned_last)
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

static bool is_end(const struct ft_residual *g, uint32_t v)
{
	return (g->mate[v] == FT_NONE) != (g->far[v] == FT_NONE);
}

/* Marks the vertices on paths; the rest is on cycles. */
static void paths_mark(struct ft_residual *g)
{
	bool last;

	for (uint32_t v = 0; v < g->count; v++)
		if (!g->done[v] && is_end(g, v))
			walk(g, v, g->mate[v] != FT_NONE, &last);
}

static void cycles_explain(struct ft_residual *g)
{
	bool last;

	for (uint32_t v = 0; v < g->count; v++) {
		uint32_t count;

		if (g->done[v] || g->mate[v] == FT_NONE)
			continue;
		count = walk(g, v, false, &last);
		ft_cycle_report(g, g->path, count);
		for (uint32_t i = 0; i < count; i++)
			g->mate[g->path[i]] = g->far[g->path[i]] = FT_NONE;
	}
}

/* Loopbacks are never planned; they block the planned cables of their ports. */
static void loopbacks_take(struct ft_residual *g)
{
	const struct ft_model *m = g->m;

	for (uint32_t i = 0; i < m->observed.cable_count; i++) {
		const struct ft_observed_cable *c = &m->observed.cables[i];
		bool plug = c->a_port == c->b_port;

		if (c->a != c->b || m->observed.switches[c->a].planned == FT_NONE ||
		    (!plug && g->far[c->a_port] == FT_NONE))
			continue;
		g->far[c->a_port] = g->far[c->b_port] = FT_NONE;
		g->held[c->a_port] = g->held[c->b_port] = true;
		ft_surplus_add(g->x, i);
	}
}

static int paths_explain(struct ft_residual *g, struct ft_trail_faults *r)
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

/* ---- findings ---- */

/* True if the unplanned cable at @extra is the one of @gap, with both ends in wrong ports. */
static bool is_both_wrong(const struct ft_residual *g, uint32_t extra, const struct ft_cable_gap *gap)
{
	uint32_t a = g->place[extra], b = g->place[g->far[extra]], p = g->place[gap->a], q = g->place[gap->b];

	return (a == p && b == q) || (a == q && b == p);
}

static bool gap_is_held(const struct ft_residual *g, const struct ft_cable_gap *gap)
{
	return g->held[gap->a] || g->held[gap->b];
}

/* First those with only their ports wrong. */
static int extras_report(struct ft_residual *g, struct ft_trail_faults *r)
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

		/* Gaps of a pair are consecutive. */
		while (n != FT_NONE && n < r->gap_count && (used[n] || gap_is_held(g, &r->gaps[n])) &&
		       is_both_wrong(g, v, &r->gaps[n]))
			n++;
		if (n != FT_NONE && n < r->gap_count && !used[n] && !gap_is_held(g, &r->gaps[n]) &&
		    is_both_wrong(g, v, &r->gaps[n])) {
			used[n] = true;
			ft_both_report(g, v, &r->gaps[n]);
		} else {
			ft_surplus_add(g->x, g->seen[v]);
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
	const struct ft_cable_gap *x = a, *y = b;

	return FT_ORDER(x->planned, y->planned);
}

/* Reports gaps by pair; those whose port is occupied belong to the finding about that. */
static void gaps_report(struct ft_residual *g, struct ft_trail_faults *r)
{
	const struct ft_plan_cable *cables = g->m->plan->cables;
	uint32_t kept = 0;

	for (uint32_t n = 0; n < r->gap_count; n++) {
		if (gap_is_held(g, &r->gaps[n]))
			(*missing_at(g->x, g->place[r->gaps[n].a], g->place[r->gaps[n].b]))++;
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
		ft_gaps_report(g, &r->gaps[n], count);
	}
}

/* True for a cable whose end is in another port of the switch that it is on. Hosts on cores are told one by one. */
static bool is_shift(const struct ft_residual *g, const struct ft_cable_move *move)
{
	return move->wrong < g->ports && move->target < g->ports &&
	       (!ft_residual_is_host(g, move->keep) || g->place[move->wrong] < g->m->edges) &&
	       g->place[move->wrong] == g->place[move->target] && g->guest[move->target] == FT_NONE &&
	       move->rival == FT_NONE;
}

/* By switch, cables of hosts last, by how far the cable has moved, then by port. */
static int shift_compare(const void *a, const void *b, void *arg)
{
	const struct ft_residual *g = arg;
	const struct ft_cable_move *x = a, *y = b;

	return FT_ORDER(g->place[x->wrong], g->place[y->wrong]) ?:
	       FT_ORDER(ft_residual_is_host(g, x->keep), ft_residual_is_host(g, y->keep)) ?:
	       FT_ORDER((int64_t)x->wrong - x->target, (int64_t)y->wrong - y->target) ?: FT_ORDER(x->wrong, y->wrong);
}

/* True if @b has moved as far as @a on the same switch, and nothing of their sort is plugged in between the two. */
static bool shifts_go_on(const struct ft_residual *g, const struct ft_cable_move *a, const struct ft_cable_move *b)
{
	const struct ft_snapshot *s = g->m->snapshot;
	bool hosts = ft_residual_is_host(g, a->keep);

	if (g->place[a->wrong] != g->place[b->wrong] || hosts != ft_residual_is_host(g, b->keep) ||
	    b->wrong - a->wrong != b->target - a->target)
		return false;
	for (uint32_t p = a->wrong + 1; p < b->wrong; p++)
		if (s->ports[p].peer != FT_NONE &&
		    (s->nodes[s->ports[s->ports[p].peer].node].type != FT_NODE_SWITCH) == hosts)
			return false;
	return true;
}

/*
 * Reports moved cables. Several that follow each other on one switch and have moved equally far are one mistake, of who
 * counted ports from another one on. O(n log n), and O(ports) of the switches that they are on.
 */
static void moves_report(struct ft_residual *g, struct ft_trail_faults *r)
{
	enum { SEVERAL = 4 };
	uint32_t kept = 0;

	for (uint32_t i = 0; i < r->move_count; i++) {
		if (is_shift(g, &r->moves[i]))
			r->moves[kept++] = r->moves[i];
		else
			ft_move_report(g, &r->moves[i]);
	}
	qsort_r(r->moves, kept, sizeof(*r->moves), shift_compare, g);
	for (uint32_t i = 0, count; i < kept; i += count) {
		for (count = 1; i + count < kept; count++)
			if (!shifts_go_on(g, &r->moves[i + count - 1], &r->moves[i + count]))
				break;
		if (count >= SEVERAL)
			ft_shift_report(g, &r->moves[i], count);
		for (uint32_t n = 0; count < SEVERAL && n < count; n++)
			ft_move_report(g, &r->moves[i + n]);
	}
}

static int graph_explain(struct ft_residual *g, struct ft_trail_faults *r)
{
	int e;

	paths_mark(g);
	cycles_explain(g);
	loopbacks_take(g);
	e = paths_explain(g, r);
	if (e < 0)
		return e;
	moves_report(g, r);
	if (r->gap_count)
		qsort(r->gaps, r->gap_count, sizeof(*r->gaps), gap_compare);
	e = extras_report(g, r);
	if (e == 0)
		gaps_report(g, r);
	return e;
}

/*
 * Counts missing cables by pair, in any ports: a cable in a wrong port of the right switch carries its traffic, and is
 * up as far as bandwidth is concerned.
 */
static void cells_count(struct ft_residual *g)
{
	struct ft_model *m = g->m;
	uint32_t up = 0;

	for (uint32_t cell = 0; cell < m->cells.count; cell++) {
		uint32_t width = m->cells.width[cell], seen = ft_number_least(m->cells.seen[cell], width);

		if (!ft_cell_is_seen(m, cell))
			continue;
		up += seen;
		g->lacking[cell] = width - seen;
	}
	for (uint32_t i = 0; i < m->plan->cable_count; i++) {
		const struct ft_plan_cable *c = &m->plan->cables[i];
		uint32_t cell = ft_cell_at(m, m->place_of[c->a], m->place_of[c->b]);

		if (m->port_map.gone[i] && g->lacking[cell] > 0)
			g->lacking[cell]--;
	}
	m->port_map.shifted = up - g->matched;
}

int ft_trails_explain(struct explain *x)
{
	_cleanup_(ft_residual_release) struct ft_residual g = {0};
	struct ft_trail_faults result = {0};
	struct ft_model *m = x->m;
	int r = ft_residual_make(&g, x);

	if (r < 0)
		return r;
	/* From here on these are cables that another finding has to account for. */
	for (uint32_t i = 0; m->plan->cable_count > 0 && i < m->cells.count; i++)
		x->missing[i] = 0;
	if (m->plan->cable_count > 0)
		cells_count(&g);
	r = result_alloc(&result, &g);
	return r < 0 ? r : graph_explain(&g, &result);
}
