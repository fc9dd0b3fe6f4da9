/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * What is due: the plan without the cables and hosts that are not there and whose phase is not over.
 *
 * Invariant: the switches are those of the whole plan, in its order, as its findings and the design's bindings number
 * them. What is there of later phases stays in the plan, so that it is judged as everything else is: a cable of a rack
 * that comes next week and is in the wrong port already is a fault already.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "planner/plan/variant.h"
#include "verify/build/states.h"

static void host_drop(const struct ft_states *s, struct ft_plan *due, const struct ft_cable_row *row, bool *host_gone)
{
	uint32_t listed = due->host_count ? s->wiring.hosts[row->host].listed : FT_NONE;

	due->switches[row->b].hosts--;
	if (!ft_plan_is_beside(due, row->b))
		due->nodes--;
	if (listed != FT_NONE)
		host_gone[listed] = true;
}

/* Not seen, and all of its cables are not due, or its phase is open and it has none. */
static void switches_mark(const struct ft_model *m, const struct ft_plan *due, bool *not_due)
{
	const struct ft_verify_input *input = m->input;

	for (uint32_t i = 0; i < due->switch_count; i++)
		not_due[i] = m->observed_of[m->place_of[i]] == FT_NONE &&
			     (input->plan->bundle_count > 0 ||
			      ft_phase_is_open(input->phases->design, input->phases->of_switch[i], input->day));
	for (uint32_t i = 0; i < due->bundle_count; i++)
		not_due[due->bundles[i].a] = not_due[due->bundles[i].b] = false;
}

/*
 * A switch that has come with few of its cables keeps the place that the whole plan gave it: what is left of the plan
 * around it may be too little to find the place once more.
 */
static void switches_pin(const struct ft_model *m, struct ft_plan *due)
{
	const struct ft_verify_input *input = m->input;

	for (uint32_t i = 0; i < due->switch_count; i++) {
		const struct ft_observed_switch *sw = ft_observed_at(m, m->place_of[i]);

		if (sw && due->switches[i].guid == 0 && !ft_plan_is_director(due, i) &&
		    ft_phase_is_open(input->phases->design, input->phases->of_switch[i], input->day))
			due->switches[i].guid = sw->guid;
	}
}

static void rows_drop(const struct ft_states *s, struct ft_plan *due, bool *cable_gone, bool *host_gone)
{
	for (uint32_t i = 0; i < s->count; i++) {
		const struct ft_cable_row *row = &s->rows[i];

		if (s->states[i].state != FT_CABLE_NOT_DUE)
			continue;
		if (row->host != FT_NONE) {
			host_drop(s, due, row, host_gone);
			continue;
		}
		due->bundles[row->bundle].count--;
		if (due->cable_count > 0)
			cable_gone[row->wire] = true;
	}
}

static bool none_dropped(const struct ft_states *s)
{
	for (uint32_t i = 0; i < s->count; i++)
		if (s->states[i].state == FT_CABLE_NOT_DUE)
			return false;
	return true;
}

int ft_due_make(const struct ft_model *m, struct ft_plan **ret_due, bool **ret_not_due)
{
	_cleanup_(ft_states_release) struct ft_states s = {0};
	const struct ft_plan *plan = m->input->plan;
	_cleanup_free_ bool *cable_gone = calloc(plan->cable_count + 1UL, sizeof(*cable_gone));
	_cleanup_free_ bool *host_gone = calloc(plan->host_count + 1UL, sizeof(*host_gone));
	_cleanup_free_ bool *not_due = calloc(plan->switch_count + 1UL, sizeof(*not_due));
	struct ft_plan *due;
	int r = ft_states_make(m, m->input->phases, m->input->day, &s);

	if (r < 0)
		return r;
	if (!cable_gone || !host_gone || !not_due)
		return -ENOMEM;
	if (none_dropped(&s))
		return 0;
	due = ft_plan_variant(plan);
	if (!due)
		return -ENOMEM;
	rows_drop(&s, due, cable_gone, host_gone);
	ft_plan_leave_out(due, cable_gone, host_gone);
	switches_mark(m, due, not_due);
	switches_pin(m, due);
	/* Half a tree is no tree, and half a torus is not symmetric. */
	due->amended |= !due->general;
	due->general = true;
	due->symmetric = false;
	due->bisection = FT_BISECTION_UNKNOWN;
	*ret_due = due;
	*ret_not_due = FT_STEAL(not_due);
	return 0;
}
