/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The figures of the report: counts, blocking, remaining bandwidth, and the table of switches.
 *
 * Invariant: of the planned cables of a pair those that are up or unjudged are no more than planned, and the others are
 * missing or misplaced; so it is of each sum. O(places + cells).
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "planner/plan/wiring.h"
#include "verify/model/capacity.h"
#include "verify/check/check.h"
#include "verify/measure/measure.h"
#include "verify/model/model.h"

/* The states of the planned cables of one switch, or of all. */
struct tally {
	uint32_t planned, up, unjudged;
};

static struct tally cell_tally(const struct ft_model *m, uint32_t cell)
{
	const struct ft_cells *cells = &m->cells;
	struct tally t = {.planned = cells->width[cell]};
	uint32_t p = cells->ends[cell][0], q = cells->ends[cell][1];
	enum ft_status one = m->status[p], other = m->status[q];

	if (ft_cell_is_seen(m, cell)) {
		uint32_t own = cells->seen[cell] - cells->foreign[cell];

		t.up = own < t.planned ? own : t.planned;
		t.unjudged = cells->unjudged[cell];
		return t;
	}
	if (ft_status_is_gone(one) || ft_status_is_gone(other))
		return t;
	if (one == FT_STATUS_UNREACHED || other == FT_STATUS_UNREACHED ||
	    (m->observed_of[p] == FT_NONE && m->observed_of[q] == FT_NONE))
		t.unjudged = t.planned;
	else
		t.up = t.planned; /* one end does not respond: its links are up */
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

	ft_each_pair(pair, m, planned)
		tally_add(&sum, cell_tally(m, pair->cell));
	return sum;
}

/* ---- blocking ---- */

uint32_t ft_cell_carriers(const struct ft_model *m, uint32_t cell)
{
	return ft_cell_is_seen(m, cell) ? m->cells.seen[cell] + m->cells.unjudged[cell] : cell_tally(m, cell).up;
}

uint32_t ft_cell_up(const struct ft_model *m, uint32_t cell)
{
	struct tally t = cell_tally(m, cell);

	return t.up + t.unjudged;
}

/* A switch without remaining up links carries no upward traffic. */
static int blocking_measure(struct ft_model *m)
{
	struct ft_report *report = m->report;
	bool *carries = ft_arena_zeros(&m->memory, m->place_count, sizeof(*carries));
	uint32_t *load = ft_arena_zeros(&m->memory, m->place_count, sizeof(*load));
	uint32_t *links = ft_arena_zeros(&m->memory, m->place_count, sizeof(*links));
	struct ft_ratio worst;

	if (m->memory.failed)
		return -ENOMEM;
	for (uint32_t p = 0; p < m->place_count; p++) {
		bool leads_up = false;

		ft_each_pair(pair, m, p) {
			bool up = ft_leads_up(m, p, pair->peer);

			leads_up |= up && m->cells.width[pair->cell] > 0;
			carries[p] |= up && ft_cell_carriers(m, pair->cell) > 0;
		}
		carries[p] |= !leads_up || m->observed_of[p] == FT_NONE;
	}
	for (uint32_t p = 0; ft_plan_tree_bundles(m->plan) > 0 && p < m->place_count; p++) {
		load[p] = m->observed_of[p] == FT_NONE ? 0 : ft_load_of(m, p);
		ft_each_pair(pair, m, p)
			if (ft_carries_from(m, p, pair->peer) && carries[pair->peer])
				links[p] += ft_cell_carriers(m, pair->cell);
	}
	worst = ft_blocking_worst(m, load, links, NULL);
	report->blocking_planned = ft_blocking_with(m, 0, m->capacity->blocking[0]);
	report->blocking_worst = worst.den > 0 ? worst : report->blocking_planned;
	return 0;
}

/* ---- counts ---- */

static void status_settle(struct ft_model *m, uint32_t planned, struct tally t)
{
	if (m->observed_of[planned] != FT_NONE && m->status[planned] != FT_STATUS_ISOLATED)
		m->status[planned] = t.up + t.unjudged < t.planned ? FT_STATUS_DEGRADED : FT_STATUS_OK;
}

static void switch_count(struct ft_model *m, uint32_t place)
{
	struct ft_report *report = m->report;
	bool seen = m->observed_of[place] != FT_NONE;
	uint32_t rank = ft_rank_of(m, place);
	bool middle = rank == 1 && ft_plan_has_ranks(m->plan);
	struct ft_report_tier *tier = ft_is_beside(m, place) ? &report->islands
				      : middle		     ? &report->spine
							     : &report->core;

	if (place < m->edges) {
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
	/* An isolated spine has lost all its cables to the cores, and has others. */
	tier->degraded += seen && m->status[place] != FT_STATUS_OK;
	tier->missing += m->status[place] == FT_STATUS_MISSING ||
			 (ft_is_beside(m, place) && !seen && m->status[place] == FT_STATUS_ISOLATED);
}

static void kind_count(struct ft_model *m, uint32_t place)
{
	struct ft_report_kind *kind;
	enum ft_status status = m->status[place];
	bool seen = m->observed_of[place] != FT_NONE;

	if (m->report->kind_count == 0)
		return;
	kind = &m->report->kinds[m->places[place]->kind];
	kind->planned++;
	kind->found += seen;
	kind->ok += seen && status == FT_STATUS_OK;
	kind->degraded += seen && status == FT_STATUS_DEGRADED;
	kind->isolated += status == FT_STATUS_ISOLATED;
	kind->missing += status == FT_STATUS_MISSING;
}

/* A tree has edges and cores; switches of other plans are called by their kinds. */
static int kinds_name(struct ft_model *m)
{
	struct ft_report *report = m->report;

	if (ft_plan_has_ranks(m->plan))
		return 0;
	report->kinds = ft_arena_zeros(&report->memory, m->plan->kind_count, sizeof(*report->kinds));
	if (!report->kinds)
		return -ENOMEM;
	report->kind_count = m->plan->kind_count;
	for (uint32_t i = 0; i < m->plan->kind_count; i++)
		report->kinds[i].name =
			ft_arena_safe(&report->memory, m->plan->kinds[i].name, strlen(m->plan->kinds[i].name));
	return 0;
}

static int switches_count(struct ft_model *m)
{
	struct ft_report *report = m->report;
	struct tally all = {0};
	uint32_t misplaced = 0;

	for (uint32_t p = 0; p < m->place_count; p++) {
		status_settle(m, p, switch_tally(m, p));
		if (m->status[p] != FT_STATUS_NOT_DUE && m->status[p] != FT_STATUS_GONE) {
			switch_count(m, p);
			kind_count(m, p);
		}
	}
	for (uint32_t cell = 0; cell < m->cells.count; cell++)
		tally_add(&all, cell_tally(m, cell));
	report->uplinks.planned = all.planned;
	/* Those in other ports carry as much as in their own, but are not where they should be. */
	report->uplinks.up = all.up - m->port_map.shifted;
	for (uint32_t i = 0; i < m->observed.cable_count; i++)
		misplaced += m->misplaced[i];
	for (size_t i = 0; i < report->finding_count; i++)
		report->uplinks.unplanned += report->findings[i].code == FT_CODE_CABLE_UNPLANNED;
	report->uplinks.misplaced = misplaced;
	report->uplinks.missing = report->uplinks.planned - report->uplinks.up - all.unjudged - misplaced;
	report->hosts.planned = ft_hosts_planned(m);
	/* Of those that were recorded; new ones are a finding. */
	report->hosts.found = m->observed.host_count - m->hosts_new;
	return 0;
}

/* The remaining fraction of the planned bisection bandwidth. */
static int bisection_measure(struct ft_model *m)
{
	uint32_t *carriers = ft_arena_zeros(&m->memory, m->cells.count, sizeof(*carriers));
	_cleanup_free_ uint64_t *left = NULL;
	int r;

	if (!carriers)
		return -ENOMEM;
	for (uint32_t cell = 0; cell < m->cells.count; cell++)
		carriers[cell] = ft_cell_up(m, cell);
	r = ft_capacity_make(m, carriers);
	if (r < 0)
		return r;
	left = ft_cuts_full(m, 1);
	if (!left)
		return -ENOMEM;
	for (uint32_t cell = 0; cell < m->cells.count; cell++)
		ft_cuts_take(m, left, cell, (uint64_t)m->cells.width[cell] - carriers[cell]);
	m->report->bisection = ft_share(ft_cuts_least(m, left), m->capacity->total);
	return 0;
}

/* ---- the table of switches ---- */

static void row_fill(struct ft_arena *memory, struct ft_report_switch *row, const struct ft_observed_switch *sw)
{
	row->guid = sw->guid;
	row->hosts = sw->hosts;
	row->name = ft_arena_string(memory, sw->name);
	row->hosts_names = ft_arena_string(memory, sw->host_names);
}

/* SPEC 6: a tree's kind, or edge and core in a plan without an up and a down. */
static const char *tier_word(const struct ft_model *m, uint32_t kind)
{
	uint32_t rank = ft_rank_of_kind(m->plan, kind);

	if (m->plan->kinds[kind].beside)
		return "island";
	return rank == 0 ? "edge" : rank == 1 && ft_plan_has_ranks(m->plan) ? "spine" : "core";
}

/* True if the name or GUID of the switch in a place says that it is this one. */
static bool place_is_told(const struct ft_model *m, uint32_t planned, uint32_t place)
{
	uint64_t guid = ft_plan_bound_guid(m->design, m->plan, planned);

	return m->named[m->observed_of[place]] == place || (guid && guid == ft_observed_at(m, place)->guid);
}

static int switches_list(struct ft_model *m)
{
	struct ft_report *report = m->report;
	struct ft_arena *memory = &report->memory;

	report->switches = ft_arena_zeros(memory, m->place_count + m->observed.switch_count, sizeof(*report->switches));
	if (!report->switches)
		return -ENOMEM;
	for (uint32_t i = 0; i < m->plan->switch_count; i++) {
		struct ft_report_switch *row = &report->switches[report->switch_count++];
		uint32_t p = m->place_of[i];
		struct tally t = switch_tally(m, p);

		row->tier = tier_word(m, m->places[p]->kind);
		row->status = m->status[p];
		row->uplinks_planned = t.planned;
		row->uplinks_up = t.up;
		row->planned_as = ft_arena_string(memory, m->places[p]->name);
		/* A tree's kinds are its tiers. */
		row->kind = report->kind_count > 0 ? report->kinds[m->places[p]->kind].name : NULL;
		if (m->observed_of[p] != FT_NONE) {
			*(place_is_told(m, i, p) ? &report->places_told : &report->places_found) += 1;
			row_fill(memory, row, ft_observed_at(m, p));
			continue;
		}
		row->name = ft_arena_safe(memory, m->places[p]->name, strlen(m->places[p]->name));
		row->hosts_names = ft_arena_string(memory, "");
	}
	for (uint32_t i = 0; i < m->observed.switch_count; i++) {
		const struct ft_observed_switch *sw = &m->observed.switches[i];
		struct ft_report_switch *row = &report->switches[report->switch_count];

		if (sw->planned != FT_NONE)
			continue;
		report->switch_count++;
		row->tier = tier_word(m, sw->kind);
		row->status = FT_STATUS_UNPLANNED;
		row_fill(memory, row, sw);
	}
	return 0;
}

static int unreached_list(struct ft_model *m)
{
	struct ft_report *report = m->report;

	report->source.unreached = ft_arena_zeros(&report->memory, m->place_count, sizeof(*report->source.unreached));
	if (!report->source.unreached)
		return -ENOMEM;
	for (uint32_t i = 0; i < m->plan->switch_count; i++) {
		const char *name = m->plan->switches[i].name;

		if (m->status[m->place_of[i]] == FT_STATUS_UNREACHED)
			report->source.unreached[report->source.unreached_count++] =
				ft_arena_safe(&report->memory, name, strlen(name));
	}
	return 0;
}

int ft_measure(struct ft_model *m)
{
	static ft_step_fn *const steps[] = {
		kinds_name,   switches_count, bisection_measure, blocking_measure,
		ft_distances, switches_list,  unreached_list,
	};
	int r = ft_steps_take(m, steps, FT_COUNT(steps));

	/* Too incomplete to judge: no planned cable could be judged. */
	if (m->observed.switch_count == 0 ||
	    (m->report->uplinks.planned > 0 && !m->snapshot->source.complete &&
	     m->report->uplinks.up + m->report->uplinks.missing + m->report->uplinks.misplaced == 0))
		m->report->verdict = FT_VERDICT_UNKNOWN;
	return r;
}
