/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The impact of each finding as if it were the only one: the loss of bandwidth, in total and of the worst edge; the
 * hosts that one more failure would cut off (risk.c); and whether OpenSM's ftree routing would reject the fabric
 * because of it (opensm.c).
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verify/measure/impact_parts.h"
#include "verify/measure/measure.h"
#include "verify/model/capacity.h"

static void impact_release(struct ft_weighing *x)
{
	ft_arena_release(&x->memory);
	free(x->cuts);
}

typedef void end_fn(struct ft_weighing *x, uint32_t place, uint64_t cables);

/* Calls @take for each place that uses cables between @p and @q for its hosts: the lower one, or both. */
static void ends_tell(struct ft_weighing *x, uint32_t p, uint32_t q, uint64_t cables, end_fn *take)
{
	if (ft_carries_from(x->m, p, q))
		take(x, p, cables);
	if (ft_carries_from(x->m, q, p))
		take(x, q, cables);
}

static void end_plan(struct ft_weighing *x, uint32_t place, uint64_t cables)
{
	x->planned_up[place] += (uint32_t)cables;
}

static int impact_init(struct ft_weighing *x, struct ft_model *m)
{
	size_t places = m->place_count + 1UL, cells = m->cells.count + 1UL;

	*x = (struct ft_weighing){.m = m, .cuts = ft_cuts_full(m, FT_IMPACT_UNIT)};
	x->lost = ft_arena_zeros(&x->memory, cells, sizeof(*x->lost));
	x->cells = ft_arena_zeros(&x->memory, cells, sizeof(*x->cells));
	x->is_gone = ft_arena_zeros(&x->memory, places, sizeof(*x->is_gone));
	x->planned_up = ft_arena_zeros(&x->memory, places, sizeof(*x->planned_up));
	x->lost_up = ft_arena_zeros(&x->memory, places, sizeof(*x->lost_up));
	x->touched = ft_arena_zeros(&x->memory, places, sizeof(*x->touched));
	x->is_touched = ft_arena_zeros(&x->memory, places, sizeof(*x->is_touched));
	x->at_risk = ft_arena_zeros(&x->memory, places, sizeof(*x->at_risk));
	x->planned_risk = ft_arena_zeros(&x->memory, places, sizeof(*x->planned_risk));
	x->told = ft_arena_zeros(&x->memory, places, sizeof(*x->told));
	if (x->memory.failed || !x->cuts)
		return -ENOMEM;
	for (uint32_t cell = 0; cell < m->cells.count; cell++)
		ends_tell(x, m->cells.ends[cell][0], m->cells.ends[cell][1], m->cells.width[cell], end_plan);
	return 0;
}

/* ---- bandwidth ---- */

uint32_t ft_impact_place(const struct ft_weighing *x, const struct ft_place *at)
{
	uint32_t observed = ft_observed_of_place(at);

	return ft_place_of(x->m, observed);
}

static void touch(struct ft_weighing *x, uint32_t place)
{
	if (x->is_touched[place])
		return;
	x->is_touched[place] = true;
	x->touched[x->touched_count++] = place;
}

static void end_lose(struct ft_weighing *x, uint32_t place, uint64_t lost)
{
	x->lost_up[place] += lost;
	touch(x, place);
}

static void cell_lose(struct ft_weighing *x, uint32_t p, uint32_t q, uint64_t lost)
{
	uint32_t cell = ft_cell_at(x->m, p, q);
	uint64_t room;

	if (cell == x->m->cells.count)
		return;
	room = (uint64_t)x->m->cells.width[cell] * FT_IMPACT_UNIT - x->lost[cell];
	lost = lost < room ? lost : room;
	if (lost == 0)
		return;
	if (x->lost[cell] == 0)
		x->cells[x->cell_count++] = cell;
	x->lost[cell] += lost;
	ft_cuts_take(x->m, x->cuts, cell, lost);
	ends_tell(x, p, q, lost, end_lose);
}

static void end_credit(struct ft_weighing *x, uint32_t place, uint64_t cables)
{
	if (x->lost_up[place] >= cables)
		x->lost_up[place] -= cables;
}

/* A cable to the wrong switch above carries the traffic of its switch all the same. */
static void strays_credit(struct ft_weighing *x, const struct ft_finding *f)
{
	if (!ft_finding_has(f, FT_TRAIT_MOVED))
		return;
	for (size_t i = 0; i + 1 < f->where_count; i += 2) {
		uint32_t a = ft_impact_place(x, &f->where[i]), b = ft_impact_place(x, &f->where[i + 1]);

		if (a != FT_NONE && b != FT_NONE && a != b)
			ends_tell(x, a, b, FT_IMPACT_UNIT, end_credit);
	}
}

static void losses_gather(struct ft_weighing *x, const struct ft_finding *f)
{
	const struct ft_model *m = x->m;

	for (size_t i = 0; i < f->lack_count; i++)
		cell_lose(x, m->place_of[f->lacks[i].a], m->place_of[f->lacks[i].b],
			  (uint64_t)f->lacks[i].cables * FT_IMPACT_UNIT + f->lacks[i].part_ppm);
	for (size_t i = 0; i < f->gone_count; i++) {
		uint32_t p = m->place_of[f->gone[i]];

		x->is_gone[p] = true;
		ft_each_pair(pair, m, p)
			cell_lose(x, p, pair->peer, (uint64_t)m->cells.width[pair->cell] * FT_IMPACT_UNIT);
	}
	strays_credit(x, f);
	/* The loss of a spine above is a loss of the edges below. */
	for (uint32_t i = 0, count = x->touched_count; i < count; i++) {
		uint32_t p = x->touched[i];

		if (p < m->edges)
			continue;
		ft_each_pair(pair, m, p)
			if (pair->peer < m->edges)
				touch(x, pair->peer);
	}
}

static void losses_forget(struct ft_weighing *x, const struct ft_finding *f)
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

static struct ft_ratio bisection_lost(const struct ft_weighing *x)
{
	uint64_t planned = x->m->capacity->total * FT_IMPACT_UNIT, left = ft_cuts_least(x->m, x->cuts);
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
static struct capacity capacity_plain(const struct ft_weighing *x, uint32_t e)
{
	uint64_t planned = (uint64_t)x->planned_up[e] * FT_IMPACT_UNIT;

	return (struct capacity){planned - x->lost_up[e], planned};
}

/* The number of up links of most neighbours of a place: a unit in which each share is whole. */
static uint64_t unit_above(const struct ft_weighing *x, uint32_t e)
{
	const struct ft_model *m = x->m;

	ft_each_pair(pair, m, e)
		if (m->cells.width[pair->cell] > 0 && ft_leads_up(m, e, pair->peer) && x->planned_up[pair->peer] > 0)
			return x->planned_up[pair->peer];
	return 0;
}

/*
 * Each cable counts with the fraction of up links that its upper end has left. Switches of a rank have the same number
 * of up links, a common denominator; if one differs, each share is rounded down.
 */
static struct capacity capacity_of(const struct ft_weighing *x, uint32_t e)
{
	const struct ft_model *m = x->m;
	struct capacity c = {0, 0};
	uint64_t unit = unit_above(x, e), lost = 0;

	if (unit == 0)
		return capacity_plain(x, e);
	ft_each_pair(pair, m, e) {
		uint64_t width = m->cells.width[pair->cell], above = x->planned_up[pair->peer],
			 above_left = above * FT_IMPACT_UNIT - x->lost_up[pair->peer];

		if (width == 0 || !ft_leads_up(m, e, pair->peer))
			continue;
		if (above == 0 && !ft_is_top(m, pair->peer))
			continue;
		/* A top switch passes all traffic. */
		if (above == 0) {
			above = 1;
			above_left = FT_IMPACT_UNIT;
		}
		c.planned += width * unit * FT_IMPACT_UNIT;
		lost += x->lost[pair->cell];
		c.left += (width * FT_IMPACT_UNIT - x->lost[pair->cell]) / FT_IMPACT_UNIT * unit * above_left / above +
			  (width * FT_IMPACT_UNIT - x->lost[pair->cell]) % FT_IMPACT_UNIT * unit / FT_IMPACT_UNIT *
				  above_left / above;
	}
	/* Unplanned cables that replace it (strays_credit()). */
	c.left += (lost - x->lost_up[e]) * unit;
	c.left = c.left < c.planned ? c.left : c.planned;
	return c;
}

/* The ratio down to up of an edge with @c left: as in figures.c. */
static struct ft_ratio blocking_of(const struct ft_weighing *x, const struct capacity *c, uint32_t e)
{
	struct ft_ratio ratio = {0, 0}, share;

	if (c->left == 0 || ft_ratio_make((int64_t)c->planned, (int64_t)c->left, &share) < 0 ||
	    ft_ratio_make(share.num * ft_host_ports_of(x->m, e), share.den * x->planned_up[e], &ratio) < 0)
		return (struct ft_ratio){0, 0};
	return ft_blocking_with(x->m, 0, ratio);
}

static void edges_weigh(struct ft_weighing *x, struct ft_finding *f)
{
	struct ft_model *m = x->m;
	uint32_t worst = FT_NONE;
	struct capacity most = {1, 1};

	for (uint32_t i = 0; i < x->touched_count; i++) {
		uint32_t e = x->touched[i];
		struct capacity c;

		if (e >= m->edges && m->places[e]->hosts == 0)
			continue;
		if (x->at_risk[e] && !x->told[e] && m->observed_of[e] != FT_NONE)
			f->impact.hosts_at_risk += ft_observed_at(m, e)->hosts;
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
	ft_say(m, &f->worst_edge, "%s", label_of(m, worst));
}

/* ---- all of it ---- */

static int risks_far_tell(struct ft_weighing *x)
{
	const struct ft_model *m = x->m;
	uint64_t judged = 0;
	int r = 0;

	for (size_t i = 0; r == 0 && x->any_at_risk && m->capacity->ranks == 1 && i < m->report->finding_count; i++) {
		struct ft_finding *f = &m->report->findings[i];

		judged += m->cells.count + m->place_count;
		if (judged > FT_IMPACT_BUNDLES_MAX)
			break;
		losses_gather(x, f);
		if (x->cell_count > 0)
			r = ft_risk_of_finding(x, f);
		losses_forget(x, f);
	}
	return r;
}

int ft_impact_weigh(struct ft_model *m)
{
	_cleanup_(impact_release) struct ft_weighing x;
	bool tree = m->words->opensm && ft_plan_has_ranks(m->plan), refuses = true;
	uint64_t judged = 0;
	int r = impact_init(&x, m);

	if (r == 0 && m->linked && m->report->finding_count > 0)
		r = ft_risk_weigh(&x);
	if (r == 0)
		r = risks_far_tell(&x);
	/* A plan without ranks is no tree, and not meant for ftree routing; nor is Ethernet. */
	if (r == 0 && m->linked && tree)
		r = ft_opensm_judge(&x, &refuses);
	for (size_t i = 0; r == 0 && i < m->report->finding_count; i++) {
		struct ft_finding *f = &m->report->findings[i];

		losses_gather(&x, f);
		f->impact.bisection_lost = bisection_lost(&x);
		edges_weigh(&x, f);
		judged += m->cells.count + m->place_count;
		if (!refuses && judged <= FT_IMPACT_BUNDLES_MAX)
			r = ft_opensm_judge_finding(&x, f);
		losses_forget(&x, f);
	}
	return r;
}
