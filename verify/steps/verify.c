/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The verification: the steps of model/model.h in their order, and what repeats them.
 *
 *   - due: a first explanation by the whole plan tells which parts that are not due are there; the plan without the
 *     others is verified then, again while that plan shrinks, ROUNDS times at most
 *   - boards: the assignment is made twice where line boards have no names: its cables seat the boards, and the ports
 *     of seated boards are evidence for the second one
 *   - placings: the matching estimates faults, and the explanation counts them: each assignment that the matching left
 *     in doubt is explained, the one that costs least (placings.h) is kept, and a tie is named
 *
 * Invariant: a model that is begun again has the inputs of the former one and nothing else of it but the plan that is
 * due, so the result does not depend on what was tried before. Cost: that of one explanation for each repetition.
 */
#include "config.h"

#include "verify/model/verify.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "planner/plan/variant.h"
#include "planner/plan/wiring.h"
#include "planner/write/phases.h"
#include "verify/build/build.h"
#include "verify/check/check.h"
#include "verify/steps/placings.h"
#include "verify/match/assign.h"
#include "verify/measure/measure.h"
#include "verify/model/bounds.h"
#include "verify/model/model.h"
#include "verify/routes/routes.h"

/* All but the report. */
static void work_release(struct ft_model *m)
{
	ft_arena_release(&m->memory);
	ft_chassis_free(m->chassis);
}

void ft_model_release(struct ft_model *m)
{
	work_release(m);
	ft_plan_variant_free(m->due);
	free(m->not_due);
	ft_report_free(m->report);
}

static void engine_describe(struct ft_report *report, const struct ft_snapshot_source *source)
{
	const char *why = ft_engine_reason_text(source->engine_reason);

	if (source->engine == FT_ENGINE_AUTO)
		return;
	report->source.engine = ft_arena_string(&report->memory, ft_engine_name(source->engine));
	report->source.engine_why = why ? ft_arena_string(&report->memory, why) : NULL;
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
	report->source.detail = ft_arena_safe(&report->memory, detail, strlen(detail));
	report->plan_name = ft_arena_safe(&report->memory, m->design->name, strlen(m->design->name));
	engine_describe(report, &s->source);
	if (s->source.entry_node < s->node_count) {
		const struct ft_node *node = &s->nodes[s->source.entry_node];

		report->source.entry.name =
			ft_arena_safe(&report->memory, ft_node_description(s, node), node->description_length);
		report->source.entry.guid = node->guid;
		report->source.entry.port = s->source.entry_port;
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
	for (uint32_t i = 0; !seats && i < m->chassis->chip_count; i++)
		m->unseated |= m->chassis->chips[i].line && !m->chassis->chips[i].named;
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
	int r = directors_collapse(m, seats) ?: ft_observed_build(m);

	return r ?: ft_match(m);
}

/* The assignment with the chips as they are named, or else in the order of their GUIDs: boards_settle() corrects it. */
static int switches_tell(struct ft_model *m)
{
	return who_is_who(m, NULL);
}

/*
 * Line boards without names are seated by the switches at the far ends of their cables. Then the port numbers of the
 * director are known, and the assignment is made once more, by these too.
 */
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

/* Marks the switches that are not there and need not be: no later step looks for them. */
static int not_due_mark(struct ft_model *m)
{
	for (uint32_t p = 0; p < m->place_count; p++)
		if (m->observed_of[p] == FT_NONE && m->not_due && m->not_due[ft_plan_index(m, p)])
			m->status[p] = FT_STATUS_NOT_DUE;
		else if (m->observed_of[p] == FT_NONE && m->places[p]->gone)
			m->status[p] = FT_STATUS_GONE;
	return 0;
}

/*
 * Of a design on trial: a lower bound of its wrong cables, those that two switches lack, beyond those that could not be
 * seen, or have too many of. Each wrong cable is one of each at most. Other placings may have fewer, but hardly half as
 * many (thorough.c).
 */
static int trial_stop(struct ft_model *m)
{
	uint64_t lacking = 0, surplus = 0, unseen = 0;

	if (m->input->wrong_most == 0)
		return 0;
	for (uint32_t c = 0; c < m->cells.count; c++) {
		uint32_t seen = m->cells.seen[c], width = m->cells.width[c];

		if (!ft_cell_is_seen(m, c))
			continue;
		lacking += seen < width ? width - seen : 0;
		surplus += seen > width ? seen - width : 0;
	}
	for (uint32_t o = 0; o < m->observed.switch_count; o++)
		unseen += m->observed.switches[o].silent + m->observed.switches[o].unread;
	lacking -= lacking < unseen ? lacking : unseen;
	return (lacking > surplus ? lacking : surplus) > 2 * m->input->wrong_most ? -ERANGE : 0;
}

/* The order matters: each step uses the results of those before. */
static ft_step_fn *const model_steps[] = {
	source_describe, switches_tell,	   boards_settle,  trial_stop,		not_due_mark,
	ft_explain,	 ft_rates_check,   ft_hosts_check, ft_identities_check, ft_contradictions_check,
	ft_storms_check, ft_untried_check, ft_sm_check,	   ft_counters_check,	ft_measure,
};

/* What follows once the explanation is chosen. The states of a build (build/build.c) need none of it. */
static ft_step_fn *const report_steps[] = {
	ft_foreign_check, routes_check, impact_weigh, ft_hosts_cut_off_name, ft_findings_finish,
};

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
	static ft_step_fn *const first_steps[] = {switches_tell, boards_settle, not_due_mark, ft_explain};
	const struct ft_verify_input *input = m->input;
	struct ft_plan *due = NULL;
	bool *not_due = NULL;
	int r;

	if (!ft_phases_open(input->phases, input->day))
		return 0;
	r = report_begin(m) ?: ft_steps_take(m, first_steps, FT_COUNT(first_steps)) ?: ft_due_make(m, &due, &not_due);
	if (r < 0)
		return r;
	ft_model_release(m);
	model_begin(m, input, NULL, due, not_due);
	return 0;
}

/* Cables between switches and to hosts. */
static uint64_t cables_count(const struct ft_plan *plan)
{
	uint64_t cables = 0;

	for (uint32_t i = 0; i < plan->bundle_count; i++)
		cables += plan->bundles[i].count;
	for (uint32_t i = 0; i < plan->switch_count; i++)
		cables += plan->switches[i].hosts;
	return cables;
}

/*
 * The plan that is due has those cables that the first explanation took to be there, some of them in wrong places. With
 * less to choose from, the same faults may be explained otherwise, and what was thought to be one of these cables is
 * just not there: it is not due then. Each round leaves fewer cables; two rounds are the rule.
 *
 * @ret_again  out: the model was begun again with a plan that has fewer cables
 */
static int due_shrink(struct ft_model *m, bool *ret_again)
{
	const struct ft_verify_input *input = m->input;
	struct ft_plan *due = NULL;
	bool *not_due = NULL;
	int r = 0;

	*ret_again = false;
	if (m->due)
		r = ft_due_make(m, &due, &not_due);
	if (r == 0 && due && cables_count(due) < cables_count(m->due)) {
		ft_model_release(m);
		model_begin(m, input, NULL, due, not_due);
		*ret_again = true;
		return 0;
	}
	ft_plan_variant_free(due);
	free(not_due);
	return r;
}

/* ---- several ways to place the switches ---- */

/* Explains the fabric with the switches placed as @given. The plan that is due stays @of's. */
static int placing_explain(const struct ft_model *of, const uint32_t *given, struct ft_model *ret)
{
	static ft_step_fn *const steps[] = {switches_tell, not_due_mark, ft_explain, ft_rates_check, ft_hosts_check};

	model_begin(ret, of->input, NULL, of->due, of->not_due);
	ret->given = given;
	return report_begin(ret) ?: ft_steps_take(ret, steps, FT_COUNT(steps));
}

static void placing_release(struct ft_model *m)
{
	m->due = NULL;
	m->not_due = NULL;
	ft_model_release(m);
}

static const uint32_t *placing_at(const struct ft_model *m, uint32_t number)
{
	return m->others + number * (size_t)m->observed.switch_count;
}

/* The number of the best of the other placings; their count: none is better. */
static int placing_choose(const struct ft_model *m, uint32_t *ret_best)
{
	struct ft_cost best;
	int r = ft_cost_of(m, &best);

	*ret_best = m->other_count;
	for (uint32_t i = 0; r == 0 && i < m->other_count; i++) {
		struct ft_model other;
		struct ft_cost cost;

		r = placing_explain(m, placing_at(m, i), &other) ?: ft_cost_of(&other, &cost);
		if (r == 0 && ft_cost_compare(cost, best) < 0) {
			best = cost;
			*ret_best = i;
		}
		placing_release(&other);
	}
	return r;
}

/*
 * Names a placing that costs as much as the present one: the first with faults of other kinds, else the first that
 * finds something else.
 */
static int tie_find(struct ft_model *m, uint32_t *others, uint32_t count)
{
	struct ft_cost cost;
	uint32_t like = count;
	bool unlike = false;
	int r = ft_cost_of(m, &cost);

	for (uint32_t i = 0; r == 0 && !unlike && i < count; i++) {
		struct ft_model other;
		struct ft_cost its;

		r = placing_explain(m, others + i * (size_t)m->observed.switch_count, &other)
			    ?: ft_cost_of(&other, &its);
		if (r == 0 && ft_cost_is_like(its, cost)) {
			unlike = ft_codes_differ(m->report, other.report);
			like = like == count || unlike ? i : like;
		}
		if (unlike)
			r = ft_tie_tell(m, &other);
		placing_release(&other);
	}
	if (r == 0 && !unlike && like < count) {
		struct ft_model other;

		r = placing_explain(m, others + like * (size_t)m->observed.switch_count, &other)
			    ?: ft_tie_tell(m, &other);
		placing_release(&other);
	}
	return r;
}

/*
 * The estimate of the matching chose among several ways to place the switches: takes the one with the fewest faults,
 * and names another that has as few. *@ret_better: it is another one than before.
 */
static int placings_settle(struct ft_model *m, bool *ret_better)
{
	const struct ft_verify_input *input = m->input;
	_cleanup_free_ uint32_t *others = NULL;
	_cleanup_free_ uint32_t *given = NULL;
	uint32_t best, count = m->other_count;
	size_t size;
	bool *not_due = m->not_due;
	struct ft_plan *due = m->due;
	int r = placing_choose(m, &best);

	if (r < 0)
		return r;
	size = count * (size_t)m->observed.switch_count * sizeof(*others);
	others = malloc(size);
	given = malloc(m->observed.switch_count * sizeof(*given));
	if (!others || !given)
		return -ENOMEM;
	memcpy(others, m->others, size);
	m->other_count = 0;
	*ret_better = best < count;
	if (best < count) {
		/* The one that was left may be a tie. */
		for (uint32_t i = 0; i < m->observed.switch_count; i++) {
			given[i] = others[best * (size_t)m->observed.switch_count + i];
			others[best * (size_t)m->observed.switch_count + i] = m->observed.switches[i].planned;
		}
		placing_release(m);
		model_begin(m, input, NULL, due, not_due);
		m->given = given;
		r = report_begin(m) ?: ft_steps_take(m, model_steps, FT_COUNT(model_steps));
		m->given = NULL;
	}
	return r ?: tie_find(m, others, count);
}

/* Adds @given to the other placings. */
static int other_add(struct ft_model *m, const uint32_t *given)
{
	size_t count = m->observed.switch_count;
	uint32_t *others = ft_arena_numbers(&m->memory, (uint32_t)((m->other_count + 1) * count), FT_NONE);

	if (!others)
		return -ENOMEM;
	if (m->other_count > 0)
		memcpy(others, m->others, m->other_count * count * sizeof(*others));
	memcpy(others + m->other_count * count, given, count * sizeof(*others));
	m->others = others;
	m->other_count++;
	return 0;
}

/*
 * Adds placings that the matching has not: the one with each switch in the place of its name; and in a small network
 * for which the matching left no others, but which has two faults or more, those with one switch in the place of its
 * rival. Two switches are exchanged, as an edge and a core may each have more faults in
 * the other's place while that one is still there. The case that bit: a missing and an unplanned cable at one switch,
 * which the matching estimates as one moved cable, though port numbers deny that they are.
 */
static int others_add(struct ft_model *m)
{
	enum { SMALL = 64, RIVALS_MAX = 8 };
	_cleanup_free_ uint32_t *given = NULL;
	uint32_t rivals = 0, count = m->observed.switch_count;
	bool several = m->other_count > 0;
	struct ft_cost cost;
	int r = m->match_contradicted ? 0 : ft_names_restore(m, &given);

	if (r == 0 && given)
		r = other_add(m, given);
	if (r < 0 || m->chassis || several || count > SMALL)
		return r;
	r = ft_cost_of(m, &cost);
	if (r < 0 || cost.faults < 2)
		return r;
	given = given ? given : malloc(count * sizeof(*given));
	for (uint32_t o = 0; r == 0 && o < count && rivals < RIVALS_MAX; o++) {
		const struct ft_observed_switch *sw = &m->observed.switches[o];

		if (sw->rival == FT_NONE)
			continue;
		for (uint32_t i = 0; given && i < count; i++)
			given[i] = i == o					  ? sw->rival
				   : m->observed.switches[i].planned == sw->rival ? sw->planned
										  : m->observed.switches[i].planned;
		r = given ? other_add(m, given) : -ENOMEM;
		rivals++;
	}
	return r;
}

/* From a better placing others are in reach. */
static int model_explain(struct ft_model *m)
{
	enum { ROUNDS = 3 };
	bool better = true;
	int r = report_begin(m) ?: ft_steps_take(m, model_steps, FT_COUNT(model_steps));

	for (unsigned int round = 0; r == 0 && better && round < ROUNDS; round++) {
		better = false;
		r = others_add(m);
		if (r == 0 && m->other_count > 0)
			r = placings_settle(m, &better);
	}
	return r;
}

int ft_model_make(struct ft_model *m, const struct ft_verify_input *input)
{
	enum { ROUNDS = 8 }; /* each explains the whole fabric */
	bool again = true;
	int r;

	model_begin(m, input, NULL, NULL, NULL);
	r = due_settle(m);
	for (unsigned int round = 1; r == 0 && again; round++) {
		again = false;
		r = model_explain(m);
		if (r == 0 && round < ROUNDS)
			r = due_shrink(m, &again);
	}
	return r;
}

int ft_model_finish(struct ft_model *m, const struct ft_verify_input *input)
{
	return ft_model_make(m, input) ?: ft_steps_take(m, report_steps, FT_COUNT(report_steps));
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
