/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The figures of the report: counts, blocking, bandwidth left, and the table of switches. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verify/model.h"

/* What became of the planned cables of one switch, or of all. */
struct tally {
	uint32_t planned, up, unjudged;
};

static bool status_is_gone(enum ft_status status)
{
	return status == FT_STATUS_ISOLATED || status == FT_STATUS_MISSING;
}

static struct tally pair_tally(const struct ft_model *m, uint32_t place, const struct ft_pair *pair)
{
	const struct ft_cells *cells = &m->cells;
	struct tally t = {.planned = cells->width[pair->cell]};
	enum ft_status one = m->status[place], other = m->status[pair->peer];
	bool one_seen = m->live_of[place] != FT_NONE, other_seen = m->live_of[pair->peer] != FT_NONE;

	if (one_seen && other_seen) {
		uint32_t own = cells->seen[pair->cell] - cells->foreign[pair->cell];

		t.up = own < t.planned ? own : t.planned;
		t.unjudged = cells->unjudged[pair->cell];
		return t;
	}
	if (status_is_gone(one) || status_is_gone(other))
		return t;
	if (one == FT_STATUS_UNREACHED || other == FT_STATUS_UNREACHED || (!one_seen && !other_seen))
		t.unjudged = t.planned;
	else
		t.up = t.planned; /* one end is mute: its links are up */
	return t;
}

static void tally_add(struct tally *sum, struct tally t)
{
	sum->planned += t.planned;
	sum->up += t.up;
	sum->unjudged += t.unjudged;
}

static struct tally switch_tally(const struct ft_model *m, uint32_t planned)
{
	struct tally sum = {0};

	for (const struct ft_pair *pair = ft_pairs_of(m, planned); pair < ft_pairs_of(m, planned + 1); pair++)
		tally_add(&sum, pair_tally(m, planned, pair));
	return sum;
}

/* ---- blocking ---- */

/* Cables of a pair, where the plan has one or not, that carry traffic. */
uint32_t ft_pair_carriers(const struct ft_model *m, uint32_t place, const struct ft_pair *pair)
{
	if (m->live_of[place] != FT_NONE && m->live_of[pair->peer] != FT_NONE)
		return m->cells.seen[pair->cell] + m->cells.unjudged[pair->cell];
	return pair_tally(m, place, pair).up;
}

uint32_t ft_pair_up(const struct ft_model *m, uint32_t place, const struct ft_pair *pair)
{
	struct tally t = pair_tally(m, place, pair);

	return t.up + t.unjudged;
}

static void ratio_raise(struct ft_ratio *worst, int64_t down, int64_t up)
{
	struct ft_ratio ratio;

	if (up > 0 && ft_ratio_make(down, up, &ratio) == 0 && ft_ratio_compare(ratio, *worst) > 0)
		*worst = ratio;
}

/* Cables of a spine to cores. */
static uint32_t spine_carriers(const struct ft_model *m, uint32_t spine)
{
	uint32_t up = 0;

	for (const struct ft_pair *pair = ft_pairs_of(m, spine); pair < ft_pairs_of(m, spine + 1); pair++)
		up += pair->peer >= m->edges ? ft_pair_carriers(m, spine, pair) : 0;
	return up;
}

/* Of all seen edges; 0 where there is none. A spine that has lost all cores carries nothing that leaves the pod. */
static int edges_worst(const struct ft_model *m, struct ft_ratio *ret)
{
	_cleanup_free_ bool *carries = calloc(m->place_count + 1UL, sizeof(*carries));
	struct ft_ratio worst = {0, 1};

	if (!carries)
		return -ENOMEM;
	for (uint32_t p = m->rows; p < m->place_count; p++)
		carries[p] = m->plan->levels < 3 || m->live_of[p] == FT_NONE || spine_carriers(m, p) > 0;
	for (uint32_t e = 0; m->linked && e < m->edges; e++) {
		const struct ft_live_switch *sw = ft_live_at(m, e);
		uint32_t links = 0;

		if (!sw)
			continue;
		for (const struct ft_pair *pair = ft_pairs_of(m, e); pair < ft_pairs_of(m, e + 1); pair++)
			links += carries[pair->peer] ? ft_pair_carriers(m, e, pair) : 0;
		ratio_raise(&worst, sw->hosts > m->plan->ports_to_nodes ? sw->hosts : m->plan->ports_to_nodes, links);
	}
	*ret = worst;
	return 0;
}

/* Of all seen spines: what is planned to come from the edges of the pod, to what is there to the core level. */
static struct ft_ratio spines_worst(const struct ft_model *m)
{
	struct ft_ratio worst = {0, 1};

	for (uint32_t p = m->rows; m->plan->levels == 3 && p < m->place_count; p++) {
		uint32_t down = 0;

		if (m->live_of[p] == FT_NONE)
			continue;
		for (const struct ft_pair *pair = ft_pairs_of(m, p); pair < ft_pairs_of(m, p + 1); pair++)
			down += pair->peer < m->edges ? m->cells.width[pair->cell] : 0;
		ratio_raise(&worst, down, spine_carriers(m, p));
	}
	return worst;
}

/* What is congested twice: a spine that lets everything pass makes nothing better than its edges make it. */
static struct ft_ratio ratio_times(struct ft_ratio edges, struct ft_ratio spines)
{
	static const struct ft_ratio one = {1, 1};
	struct ft_ratio product = edges;

	if (ft_ratio_compare(spines, one) > 0 &&
	    ft_ratio_make(edges.num * spines.num, edges.den * spines.den, &product) < 0)
		return edges;
	return product;
}

/*
 * Traffic that leaves its pod passes an edge's uplinks and a spine's: the blocking of both counts. The worst is where
 * one edge, or one spine, is the worst and the other is as planned.
 */
static int blocking_measure(struct ft_model *m)
{
	struct ft_report *report = m->report;
	struct ft_ratio planned = m->plan->levels == 3 ? m->plan->spine_blocking : (struct ft_ratio){1, 1};
	struct ft_ratio by_spine = ratio_times(m->plan->blocking, spines_worst(m)), edge;
	int r = edges_worst(m, &edge);

	if (r < 0)
		return r;
	report->blocking_planned = ratio_times(m->plan->blocking, planned);
	report->blocking_worst = edge.num > 0 ? ratio_times(edge, planned) : report->blocking_planned;
	if (m->plan->levels == 3 && ft_ratio_compare(by_spine, report->blocking_worst) > 0)
		report->blocking_worst = by_spine;
	return 0;
}

/* ---- counts ---- */

static void status_settle(struct ft_model *m, uint32_t planned, struct tally t)
{
	if (m->live_of[planned] != FT_NONE && m->status[planned] != FT_STATUS_ISOLATED)
		m->status[planned] = t.up + t.unjudged < t.planned ? FT_STATUS_DEGRADED : FT_STATUS_OK;
}

static void switch_count(struct ft_model *m, uint32_t place)
{
	struct ft_report *report = m->report;
	bool seen = m->live_of[place] != FT_NONE;
	struct ft_report_tier *tier = ft_tier_of(m, place) == FT_TIER_SPINE ? &report->spine : &report->core;

	if (ft_tier_of(m, place) == FT_TIER_EDGE) {
		report->edge.planned++;
		report->edge.found += seen;
		report->edge.ok += seen && m->status[place] == FT_STATUS_OK;
		report->edge.degraded += seen && m->status[place] == FT_STATUS_DEGRADED;
		report->edge.isolated += m->status[place] == FT_STATUS_ISOLATED;
		return;
	}
	tier->planned++;
	tier->found += seen;
	tier->ok += seen && m->status[place] == FT_STATUS_OK;
	/* A spine that is isolated has lost all its cables to the cores, and has others. */
	tier->degraded += seen && m->status[place] != FT_STATUS_OK;
	tier->missing += m->status[place] == FT_STATUS_MISSING;
}

/*
 * The part of the planned bandwidth between halves of the fabric that is left. Where a level has more cables than the
 * other, those beyond carry nothing.
 */
static struct ft_ratio bisection_of(const struct tally level[2], bool two)
{
	struct ft_ratio left = {1, 1};
	uint32_t planned = level[0].planned, up = level[0].up + level[0].unjudged;

	if (two) {
		planned = level[1].planned < planned ? level[1].planned : planned;
		up = level[1].up + level[1].unjudged < up ? level[1].up + level[1].unjudged : up;
	}
	up = up < planned ? up : planned;
	if (planned > 0 && ft_ratio_make(up, planned, &left) < 0)
		return (struct ft_ratio){1, 1};
	return left;
}

static void islanders_count(struct ft_model *m)
{
	struct ft_report_tier *tier = &m->report->islands;

	for (uint32_t i = 0; i < m->plan->islander_count; i++) {
		struct ft_islander *islander = &m->islanders[i];
		bool seen = islander->live != FT_NONE;

		if (seen)
			islander->status = islander->up + islander->unjudged < islander->planned ? FT_STATUS_DEGRADED
												 : FT_STATUS_OK;
		tier->planned++;
		tier->found += seen;
		tier->ok += seen && islander->status == FT_STATUS_OK;
		tier->degraded += seen && islander->status == FT_STATUS_DEGRADED;
		tier->missing += status_is_gone(islander->status);
	}
}

static void tiers_count(struct ft_model *m)
{
	struct ft_report *report = m->report;
	struct tally level[2] = {{0}, {0}}; /* the cables of edges, those of the rows behind them */
	uint32_t misplaced = 0;

	for (uint32_t p = 0; p < m->place_count; p++) {
		struct tally t = switch_tally(m, p);

		status_settle(m, p, t);
		switch_count(m, p);
		if (p < m->rows)
			tally_add(&level[p >= m->edges], t);
	}
	report->uplinks.planned = level[0].planned + level[1].planned + m->island_cables.planned;
	/* Those in other ports carry as much as in their own, but are not where they should be. */
	report->uplinks.up = level[0].up + level[1].up + m->island_cables.up - m->exact.shifted;
	for (uint32_t i = 0; i < m->live.cable_count; i++)
		misplaced += m->misplaced[i];
	for (size_t i = 0; i < report->finding_count; i++)
		report->uplinks.unplanned += report->findings[i].code == FT_CODE_CABLE_UNPLANNED;
	report->uplinks.misplaced = misplaced;
	report->uplinks.missing = report->uplinks.planned - report->uplinks.up - level[0].unjudged - level[1].unjudged -
				  m->island_cables.unjudged - misplaced;
	report->hosts.planned = ft_hosts_planned(m);
	report->hosts.found = m->live.host_count;
	report->bisection = bisection_of(level, m->plan->levels == 3);
}

/* ---- the table of switches ---- */

static int row_fill(struct ft_report_switch *row, const struct ft_live_switch *sw)
{
	row->guid = sw->guid;
	row->hosts = sw->hosts;
	row->name = strdup(sw->name);
	row->hosts_names = strdup(sw->host_names);
	return row->name && row->hosts_names ? 0 : -ENOMEM;
}

/* A planned switch that was not seen, by its name in the plan. */
static int row_fill_unseen(struct ft_report_switch *row, const char *name)
{
	row->name = ft_text_safe_dup(name, strlen(name));
	row->hosts_names = strdup("");
	return row->name && row->hosts_names ? 0 : -ENOMEM;
}

static int islanders_list(struct ft_model *m)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < m->plan->islander_count; i++) {
		struct ft_report_switch *row = &m->report->switches[m->report->switch_count++];
		const struct ft_islander *islander = &m->islanders[i];
		const char *name = m->plan->islanders[i].name;

		row->tier = "island";
		row->status = islander->status;
		row->uplinks_planned = islander->planned;
		row->uplinks_up = islander->up;
		row->planned_as = strdup(name);
		if (!row->planned_as)
			return -ENOMEM;
		r = islander->live != FT_NONE ? row_fill(row, &m->live.switches[islander->live])
					      : row_fill_unseen(row, name);
	}
	return r;
}

static int switches_list(struct ft_model *m)
{
	struct ft_report *report = m->report;
	int r = 0;

	report->switches = calloc(m->place_count + m->plan->islander_count + m->live.switch_count + 1UL,
				  sizeof(*report->switches));
	if (!report->switches)
		return -ENOMEM;
	for (uint32_t i = 0; r == 0 && i < m->plan->switch_count; i++) {
		struct ft_report_switch *row = &report->switches[report->switch_count++];
		uint32_t p = m->place_of[i];
		struct tally t = switch_tally(m, p);

		row->tier = ft_tier_name(ft_tier_of(m, p));
		row->status = m->status[p];
		row->uplinks_planned = t.planned;
		row->uplinks_up = t.up;
		row->planned_as = strdup(m->places[p]->name);
		if (!row->planned_as)
			return -ENOMEM;
		if (m->live_of[p] != FT_NONE) {
			r = row_fill(row, ft_live_at(m, p));
			continue;
		}
		r = row_fill_unseen(row, m->places[p]->name);
	}
	if (r == 0)
		r = islanders_list(m);
	for (uint32_t i = 0; r == 0 && i < m->live.switch_count; i++) {
		const struct ft_live_switch *sw = &m->live.switches[i];
		struct ft_report_switch *row = &report->switches[report->switch_count];

		if (sw->planned != FT_NONE || sw->islander != FT_NONE)
			continue;
		report->switch_count++;
		row->tier = ft_tier_name(sw->tier);
		row->status = FT_STATUS_UNPLANNED;
		r = row_fill(row, sw);
	}
	return r;
}

static int unreached_list(struct ft_model *m)
{
	struct ft_report *report = m->report;

	report->source.unreached = calloc(m->place_count + 1UL, sizeof(*report->source.unreached));
	if (!report->source.unreached)
		return -ENOMEM;
	for (uint32_t i = 0; i < m->plan->switch_count; i++) {
		uint32_t p = m->place_of[i];
		char *name;

		if (m->status[p] != FT_STATUS_UNREACHED)
			continue;
		name = ft_text_safe_dup(m->places[p]->name, strlen(m->places[p]->name));
		if (!name)
			return -ENOMEM;
		report->source.unreached[report->source.unreached_count++] = name;
	}
	return 0;
}

int ft_measure(struct ft_model *m)
{
	int r;

	islanders_count(m);
	tiers_count(m);
	r = blocking_measure(m);
	if (r == 0)
		r = ft_distances(m);
	if (r == 0)
		r = switches_list(m);
	if (r == 0)
		r = unreached_list(m);
	/* Too incomplete to judge: not one planned cable was. */
	if (m->live.switch_count == 0 ||
	    (m->report->uplinks.planned > 0 && !m->snapshot->source.complete &&
	     m->report->uplinks.up + m->report->uplinks.missing + m->report->uplinks.misplaced == 0))
		m->report->verdict = FT_VERDICT_UNKNOWN;
	return r;
}
