/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "verify/model/verify.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "planner/plan/variant.h"
#include "planner/plan/wiring.h"
#include "planner/write/phases.h"
#include "verify/model/bounds.h"
#include "verify/model/capacity.h"
#include "verify/model/model.h"

/* All but the report. */
static void work_release(struct ft_model *m)
{
	ft_arena_release(&m->memory);
	ft_chassis_free(m->chassis);
	ft_capacity_free(m->capacity);
}

void ft_model_release(struct ft_model *m)
{
	work_release(m);
	ft_plan_variant_free(m->due);
	free(m->not_due);
	ft_finding_release(&m->lost);
	ft_report_free(m->report);
}

static int engine_describe(struct ft_report *report, const struct ft_snapshot_source *source)
{
	const char *why = ft_engine_reason_text(source->engine_reason);

	if (source->engine == FT_ENGINE_AUTO)
		return 0;
	report->source.engine = strdup(ft_engine_name(source->engine));
	report->source.engine_why = why ? strdup(why) : NULL;
	return report->source.engine && (report->source.engine_why || !why) ? 0 : -ENOMEM;
}

static int source_describe(struct ft_model *m)
{
	const struct ft_snapshot *s = m->snapshot;
	struct ft_report *report = m->report;
	const char *detail = s->strings + s->source.detail;

	report->source.live = s->source.live;
	report->source.ethernet = s->source.ethernet;
	report->source.mads = s->source.mads;
	report->source.timeouts = s->source.timeouts;
	report->source.duration_ms = s->source.duration_ms;
	report->source.complete = s->source.complete;
	report->source.detail = ft_text_safe_dup(detail, strlen(detail));
	report->plan_name = ft_text_safe_dup(m->design->name, strlen(m->design->name));
	if (!report->source.detail || !report->plan_name || engine_describe(report, &s->source) < 0)
		return -ENOMEM;
	if (s->source.entry_node < s->node_count) {
		const struct ft_node *node = &s->nodes[s->source.entry_node];

		report->source.entry.name = ft_text_safe_dup(ft_node_description(s, node), node->description_length);
		report->source.entry.guid = node->guid;
		report->source.entry.port = s->source.entry_port;
		if (!report->source.entry.name)
			return -ENOMEM;
	}
	return 0;
}

/* A director, one switch in the plan, is one switch from here on. */
static int directors_collapse(struct ft_model *m, const struct ft_seat *seats)
{
	int r = ft_plan_has_directors(m->plan) ? ft_chassis_find(m->chips, m->design, m->plan, seats, &m->chassis) : 0;

	if (r < 0 || !m->chassis || !m->chassis->snapshot)
		return r;
	m->snapshot = m->chassis->snapshot;
	m->origin = m->chassis->origin;
	return 0;
}

/*
 * More than a report lists, as it lists the worst ones; but bounded, as a nonsensical fabric could produce any number.
 */
static size_t findings_max(const struct ft_plan *plan)
{
	struct ft_bounds bounds;

	ft_bounds_of_plan(plan, &bounds);
	return 4UL * bounds.max_findings;
}

/* @due, @not_due: as in the model. */
static void model_begin(struct ft_model *m, const struct ft_verify_input *input, struct ft_report *report,
			struct ft_plan *due, bool *not_due)
{
	*m = (struct ft_model){
		.design = input->design,
		.plan = due ? due : input->plan,
		.due = due,
		.not_due = not_due,
		.snapshot = input->snapshot,
		.since = input->since,
		.chips = input->snapshot,
		.today = input->today,
		.words = ft_words_of(input->snapshot->source.ethernet),
		.input = input,
		.report = report,
		.findings_max = findings_max(input->plan),
	};
}

static int who_is_who(struct ft_model *m, const struct ft_seat *seats)
{
	int r = directors_collapse(m, seats);

	if (r == 0)
		r = ft_live_build(m);
	return r == 0 ? ft_match(m) : r;
}

/* Whatever the boards. */
static int switches_tell(struct ft_model *m)
{
	return who_is_who(m, NULL);
}

/* The far ends of their cables identify boards without names; and the boards determine the far ends: so iterate. */
static int boards_settle(struct ft_model *m)
{
	_cleanup_free_ struct ft_seat *seats = NULL;
	int r = ft_seats_tell(m, &seats);

	if (r < 0 || !seats)
		return r;
	work_release(m);
	model_begin(m, m->input, m->report, m->due, m->not_due);
	return who_is_who(m, seats);
}

/* Findings against the design of another fabric have no impact, and routes are not checked. */
static int routes_check(struct ft_model *m)
{
	return ft_report_is_foreign(m->report) ? 0 : ft_routes_check(m);
}

static int impact_weigh(struct ft_model *m)
{
	return m->input->without_impact || ft_report_is_foreign(m->report) ? 0 : ft_impact_weigh(m);
}

/* Switches that are not there, and need not be: no step looks for them. */
static int not_due_mark(struct ft_model *m)
{
	for (uint32_t p = 0; p < m->place_count; p++)
		if (m->places[p]->gone && m->live_of[p] == FT_NONE)
			m->status[p] = FT_STATUS_GONE;
	for (uint32_t p = 0; m->not_due && p < m->place_count; p++)
		if (m->not_due[m->places[p] - m->plan->switches] && m->live_of[p] == FT_NONE)
			m->status[p] = FT_STATUS_NOT_DUE;
	return 0;
}

/* The order matters: each step uses the results of those before. */
typedef int step_fn(struct ft_model *m);

static step_fn *const model_steps[] = {
	source_describe,   switches_tell,	boards_settle,
	not_due_mark,	   ft_explain,		ft_rates_check,
	ft_hosts_check,	   ft_identities_check, ft_contradictions_check,
	ft_storms_check,   ft_untried_check,	ft_sm_check,
	ft_counters_check, ft_measure,
};

/* Once for each report; --after omits it. */
static step_fn *const report_steps[] = {
	ft_foreign_check, routes_check, impact_weigh, ft_hosts_cut_off_name, ft_findings_finish,
};

static int steps_take(struct ft_model *m, step_fn *const steps[], size_t count)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < count; i++)
		r = steps[i](m);
	return r;
}

static int report_begin(struct ft_model *m)
{
	m->report = calloc(1, sizeof(*m->report));
	return m->report ? 0 : -ENOMEM;
}

/*
 * Parts of the plan that are not due: a first explanation, by the whole plan, tells which of their cables are there.
 * The model is begun again with a plan that has these alone.
 */
static int due_settle(struct ft_model *m)
{
	static step_fn *const first_steps[] = {switches_tell, boards_settle, not_due_mark, ft_explain};
	const struct ft_verify_input *input = m->input;
	struct ft_plan *due = NULL;
	bool *not_due = NULL;
	int r;

	if (!ft_phases_open(input->phases, input->day))
		return 0;
	r = report_begin(m);
	if (r == 0)
		r = steps_take(m, first_steps, FT_COUNT(first_steps));
	if (r == 0)
		r = ft_due_make(m, &due, &not_due);
	if (r < 0)
		return r;
	ft_model_release(m);
	model_begin(m, input, NULL, due, not_due);
	return 0;
}

/* ---- several ways to place the switches ---- */

/*
 * What an explanation costs: its findings of what is built otherwise and what it takes to mend them; then what could
 * not be judged; then hosts. Neither findings alone nor moves alone tell: a cycle of eleven exchanged cables is one
 * finding, and three moved cables are no more work than a cycle of three and a moved one.
 */
struct cost {
	uint32_t mending, unjudged, hosts, faults;
};

static void cost_add(struct cost *cost, uint32_t moves)
{
	cost->faults++;
	cost->mending += 1 + moves;
}

static void cost_of_finding(const struct ft_finding *f, struct cost *cost)
{
	switch (f->code) {
	case FT_CODE_EDGE_ISOLATED:
	case FT_CODE_CORE_MISSING:
	case FT_CODE_CABLE_MISPLACED:
	case FT_CODE_CABLE_UNPLANNED:
	case FT_CODE_CABLE_WRONG_PORT:
	case FT_CODE_LOOPBACK:
	case FT_CODE_SWITCH_UNPLANNED:
	case FT_CODE_SWITCH_REPLACED:
	case FT_CODE_SWITCH_MUTE:
	case FT_CODE_EDGE_OVERLOADED:
	case FT_CODE_HOST_ON_CORE:
		cost_add(cost, 1);
		break;
	case FT_CODE_CABLE_MISSING:
		cost_add(cost, f->count);
		break;
	case FT_CODE_CABLES_SWAPPED:
		cost_add(cost, f->count - 1);
		break;
	case FT_CODE_SWEEP_INCOMPLETE:
		cost_add(cost, 1);
		cost->unjudged++;
		break;
	case FT_CODE_HOSTS_MISSING:
	case FT_CODE_HOSTS_UNPLANNED:
		cost->mending++;
		cost->hosts += f->count;
		break;
	default:
		break;
	}
}

/*
 * As in the matching (match/seat.c), it speaks against a placing that a switch is not in the place of its name, that an
 * unplanned one has hosts, or that one whose place has hosts has none.
 */
static struct cost cost_of(const struct ft_model *m)
{
	struct cost cost = {0};

	for (size_t i = 0; i < m->report->finding_count; i++)
		cost_of_finding(&m->report->findings[i], &cost);
	for (uint32_t i = 0; i < m->live.switch_count; i++) {
		const struct ft_live_switch *sw = &m->live.switches[i];

		if (sw->tolerated)
			continue;
		cost.mending += m->named[i] != FT_NONE && sw->planned != m->named[i];
		cost.mending +=
			sw->planned == FT_NONE ? sw->hosts > 0 : sw->hosts == 0 && m->places[sw->planned]->hosts > 0;
	}
	return cost;
}

static int cost_compare(struct cost a, struct cost b)
{
	const uint32_t x[] = {a.mending, a.unjudged, a.hosts, a.faults};
	const uint32_t y[] = {b.mending, b.unjudged, b.hosts, b.faults};

	for (size_t i = 0; i < FT_COUNT(x); i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

/* Explains the fabric with the switches placed as @given. The plan that is due stays @of's. */
static int placing_explain(const struct ft_model *of, const uint32_t *given, struct ft_model *ret)
{
	static step_fn *const steps[] = {switches_tell, not_due_mark, ft_explain, ft_rates_check, ft_hosts_check};
	int r;

	model_begin(ret, of->input, NULL, of->due, of->not_due);
	ret->given = given;
	r = report_begin(ret);
	return r == 0 ? steps_take(ret, steps, FT_COUNT(steps)) : r;
}

static void placing_release(struct ft_model *m)
{
	m->due = NULL;
	m->not_due = NULL;
	ft_model_release(m);
}

/* The number of the best of the other placings; their count: none is better. */
static int placing_choose(const struct ft_model *m, uint32_t *ret_best)
{
	struct cost best = cost_of(m);
	int r = 0;

	*ret_best = m->other_count;
	for (uint32_t i = 0; r == 0 && i < m->other_count; i++) {
		struct ft_model other;

		r = placing_explain(m, m->others + i * (size_t)m->live.switch_count, &other);
		if (r == 0 && cost_compare(cost_of(&other), best) < 0) {
			best = cost_of(&other);
			*ret_best = i;
		}
		placing_release(&other);
	}
	return r;
}

/* The estimate of the matching chose among several ways to place the switches: takes the one with the fewest faults. */
static int placings_settle(struct ft_model *m)
{
	const struct ft_verify_input *input = m->input;
	bool *not_due = m->not_due;
	struct ft_plan *due = m->due;
	uint32_t *others, best;
	int r = placing_choose(m, &best);

	if (r < 0 || best == m->other_count)
		return r;
	others = FT_STEAL(m->others);
	memmove(others, others + best * (size_t)m->live.switch_count, m->live.switch_count * sizeof(*others));
	placing_release(m);
	model_begin(m, input, NULL, due, not_due);
	r = report_begin(m);
	m->given = others;
	if (r == 0)
		r = steps_take(m, model_steps, FT_COUNT(model_steps));
	m->given = NULL;
	free(others);
	return r;
}

int ft_model_make(struct ft_model *m, const struct ft_verify_input *input)
{
	int r;

	model_begin(m, input, NULL, NULL, NULL);
	r = due_settle(m);
	if (r == 0)
		r = report_begin(m);
	if (r == 0)
		r = steps_take(m, model_steps, FT_COUNT(model_steps));
	return r == 0 && m->other_count > 0 ? placings_settle(m) : r;
}

int ft_model_judge(struct ft_model *m)
{
	return steps_take(m, report_steps, FT_COUNT(report_steps));
}

int ft_model_finish(struct ft_model *m, const struct ft_verify_input *input)
{
	int r = ft_model_make(m, input);

	return r == 0 ? ft_model_judge(m) : r;
}

int ft_verify_all(const struct ft_verify_input *input, struct ft_report **ret_report)
{
	_cleanup_(ft_model_release) struct ft_model m;
	int r = ft_model_finish(&m, input);

	if (r < 0)
		return r;
	*ret_report = FT_STEAL(m.report);
	return 0;
}

int ft_verify(const struct ft_design *design, const struct ft_plan *plan, const struct ft_snapshot *snapshot,
	      const char *today, struct ft_report **ret_report)
{
	return ft_verify_all(
		&(struct ft_verify_input){.design = design, .plan = plan, .snapshot = snapshot, .today = today},
		ret_report);
}
