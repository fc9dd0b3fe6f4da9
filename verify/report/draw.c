/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Converts the findings of a report to marks in the drawing of its plan.
 *
 * A finding names the places where something is, and the bundles of the plan that lack a cable because of it.
 */
#include "config.h"

#include "verify/report/draw.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/text.h"
#include "verify/model/model.h"
#include "verify/report/report_parts.h"

struct marker {
	const struct ft_report *report;
	const struct ft_plan *plan;
	struct ft_draw_marks *marks;
	struct ft_map by_guid;	/* number of planned switches that were seen */
	char **labels;		/* by row of the report's switches: their names in findings */
	struct ft_arena memory; /* of these; it tells whether an allocation of the marks failed, too */
};

/* ---- switches ---- */

static const enum ft_draw_state states[] = {
	[FT_STATUS_OK] = FT_DRAW_OK,
	[FT_STATUS_DEGRADED] = FT_DRAW_DEGRADED,
	[FT_STATUS_ISOLATED] = FT_DRAW_LOST,
	[FT_STATUS_MISSING] = FT_DRAW_LOST,
	[FT_STATUS_UNPLANNED] = FT_DRAW_OK,
	[FT_STATUS_MUTE] = FT_DRAW_UNKNOWN,
	[FT_STATUS_UNREACHED] = FT_DRAW_UNKNOWN,
	[FT_STATUS_NOT_DUE] = FT_DRAW_UNKNOWN,
	[FT_STATUS_GONE] = FT_DRAW_UNKNOWN,
};

static void string_keep(struct marker *m, char **string, const char *value)
{
	free(*string);
	*string = strdup(value);
	m->memory.failed |= !*string;
}

/* Names of several switches have the GUID appended, as in the sentences of findings (model/observed.c). */
static void labels_make(struct marker *m)
{
	const struct ft_report *report = m->report;
	_cleanup_(ft_map_release) struct ft_map names = {0};
	bool *repeated = ft_arena_zeros(&m->memory, report->switch_count, sizeof(*repeated));

	m->labels = ft_arena_zeros(&m->memory, report->switch_count, sizeof(*m->labels));
	for (size_t i = 0; !m->memory.failed && i < report->switch_count; i++) {
		m->labels[i] = ft_arena_keep(&m->memory, ft_switch_short_name(report->switches[i].name));
		if (m->labels[i] && report->switches[i].guid)
			m->memory.failed |= ft_map_mark(&names, ft_text_hash(m->labels[i]), (uint32_t)i, repeated) < 0;
	}
	for (size_t i = 0; !m->memory.failed && i < report->switch_count; i++) {
		char **label = &m->labels[i];

		if (repeated[i] || (*label)[strspn(*label, " ")] == '\0')
			*label = ft_arena_print(&m->memory, "%s%s0x%016" PRIx64, *label, **label ? " " : "",
						report->switches[i].guid);
	}
}

static void switch_mark(struct marker *m, uint32_t p)
{
	const struct ft_report_switch *row = &m->report->switches[p];
	struct ft_draw_switch_mark *mark = &m->marks->switches[p];

	mark->state = states[row->status];
	if (row->guid == 0) {
		mark->hosts = mark->state == FT_DRAW_LOST ? 0 : FT_NONE;
		return;
	}
	/* The status does not depend on its number of hosts: it is wrong if a finding says so (below). */
	mark->hosts = row->hosts;
	if (m->plan->kinds[m->plan->switches[p].kind].may_host)
		mark->hosts_planned = row->hosts;
	string_keep(m, &mark->name, m->labels[p]);
	if (row->hosts_names[0])
		string_keep(m, &mark->note, row->hosts_names);
	m->memory.failed |= ft_map_add(&m->by_guid, row->guid, p, NULL) < 0;
}

/* The table of the report begins with the switches of the plan, in its order. */
static int switches_mark(struct marker *m, struct ft_error *err)
{
	const struct ft_report *report = m->report;

	for (uint32_t p = 0; p < m->plan->switch_count; p++) {
		if (p >= report->switch_count || !report->switches[p].planned_as ||
		    strcmp(report->switches[p].planned_as, m->plan->switches[p].name) != 0)
			return ft_error_set(err, -EINVAL, 0, 0, "the report is of another plan");
		switch_mark(m, p);
	}
	/* What hangs on the tree is planned, and is in no picture of it. */
	for (size_t i = m->plan->switch_count; i < report->switch_count; i++)
		if (!report->switches[i].planned_as)
			m->memory.failed |= ft_draw_marks_add_stranger(m->marks, m->labels[i]) < 0;
	return 0;
}

/* ---- bundles ---- */

static void bundle_lacks(struct marker *m, uint32_t bundle, uint32_t cables, const char *note)
{
	struct ft_draw_bundle_mark *mark = &m->marks->bundles[bundle];
	uint32_t left = m->plan->bundles[bundle].count - mark->missing;

	mark->missing += cables < left ? cables : left;
	if (note)
		string_keep(m, &mark->note, note);
}

/* A switch that has lost all cables: it was not seen, or none is up. */
static bool is_bare(const struct marker *m, uint32_t p)
{
	const struct ft_report_switch *row = &m->report->switches[p];

	return states[row->status] == FT_DRAW_LOST && (row->guid == 0 || row->uplinks_up == 0);
}

static bool is_unreached(const struct marker *m, uint32_t p)
{
	return m->report->switches[p].status == FT_STATUS_UNREACHED;
}

/* Whole bundles, by the switches at their ends. */
static void bundles_mark(struct marker *m)
{
	for (uint32_t i = 0; i < m->plan->bundle_count; i++) {
		const struct ft_plan_bundle *bundle = &m->plan->bundles[i];

		if (is_bare(m, bundle->a) || is_bare(m, bundle->b))
			bundle_lacks(m, i, bundle->count, NULL);
		else if (is_unreached(m, bundle->a) || is_unreached(m, bundle->b))
			m->marks->bundles[i].unjudged = bundle->count;
	}
}

/* ---- findings ---- */

/* The planned switch of place @n of a finding, or FT_NONE. */
static uint32_t planned_at(const struct marker *m, const struct ft_finding *f, size_t n)
{
	const struct ft_place *place = n < f->where_count ? &f->where[n] : NULL;

	return place && place->guid ? ft_map_get(&m->by_guid, place->guid) : FT_NONE;
}

static void link_add(struct marker *m, const struct ft_finding *f, uint32_t a, uint32_t b, uint32_t number)
{
	uint32_t bundle = ft_plan_find_bundle(m->plan, a, b);

	m->memory.failed |= ft_draw_marks_add_link(m->marks, a, b, number, f->text) < 0;
	if (bundle == FT_NONE)
		return;
	m->marks->bundles[bundle].surplus++;
	string_keep(m, &m->marks->bundles[bundle].note, f->text);
}

static void lacks_mark(struct marker *m, const struct ft_finding *f)
{
	for (size_t i = 0; i < f->lack_count; i++) {
		uint32_t bundle = ft_plan_find_bundle(m->plan, f->lacks[i].a, f->lacks[i].b);

		if (bundle != FT_NONE && f->lacks[i].cables > 0)
			bundle_lacks(m, bundle, f->lacks[i].cables, f->text);
	}
}

/* Observed cables that are not planned: their ends, one cable after the other. */
static void mark_cables(struct marker *m, const struct ft_finding *f, uint32_t number)
{
	size_t ends = f->where_count / 2 * 2;

	for (size_t i = 0; i < ends; i++)
		if (planned_at(m, f, i) == FT_NONE)
			return;
	for (size_t i = 0; i < ends; i += 2)
		link_add(m, f, planned_at(m, f, i), planned_at(m, f, i + 1), number);
}

static void mark_slow(struct marker *m, const struct ft_finding *f)
{
	uint32_t a = planned_at(m, f, 0), b = planned_at(m, f, 1), bundle;

	if (a == FT_NONE || b == FT_NONE) {
		/* A host's. */
		a = a == FT_NONE ? b : a;
		if (a != FT_NONE)
			string_keep(m, &m->marks->switches[a].note, f->text);
		return;
	}
	bundle = ft_plan_find_bundle(m->plan, a, b);
	if (bundle == FT_NONE)
		return;
	m->marks->bundles[bundle].slow++;
	string_keep(m, &m->marks->bundles[bundle].note, f->text);
}

/* Its number of hosts differs from the plan. */
static void mark_hosts(struct marker *m, const struct ft_finding *f)
{
	for (size_t i = 0; i < f->where_count; i++) {
		uint32_t p = planned_at(m, f, i);

		if (p != FT_NONE)
			m->marks->switches[p].hosts_planned = m->plan->switches[p].hosts;
	}
}

static void mark_switches(struct marker *m, const struct ft_finding *f)
{
	for (size_t i = 0; i < f->where_count; i++) {
		uint32_t p = planned_at(m, f, i);

		if (p != FT_NONE)
			string_keep(m, &m->marks->switches[p].note, f->text);
	}
}

/* Other findings are shown by their missing cables and the status of the switches. */
static void finding_mark(struct marker *m, const struct ft_finding *f, uint32_t number)
{
	switch (ft_codes[f->code].mark) {
	case FT_MARK_NONE:
		break;
	case FT_MARK_CABLES:
		mark_cables(m, f, number);
		break;
	case FT_MARK_SLOW:
		mark_slow(m, f);
		break;
	case FT_MARK_HOSTS:
		mark_hosts(m, f);
		break;
	case FT_MARK_SWITCHES:
		mark_switches(m, f);
		break;
	}
}

static const enum ft_draw_severity severities[] = {
	[FT_SEVERITY_INFO] = FT_DRAW_INFO,
	[FT_SEVERITY_WARNING] = FT_DRAW_WARNING,
	[FT_SEVERITY_CRITICAL] = FT_DRAW_CRITICAL,
};

static void finding_line(struct marker *m, const struct ft_finding *f)
{
	_cleanup_(ft_text_release) struct ft_text line = {0};

	ft_report_write_sentences(&line, f, false);
	m->memory.failed |= ft_text_failed(&line) ||
			    ft_draw_marks_add_line(m->marks, severities[f->severity], ft_text_string(&line)) < 0;
}

static void findings_mark(struct marker *m)
{
	for (size_t i = 0; i < m->report->finding_count; i++) {
		const struct ft_finding *f = &m->report->findings[i];

		finding_line(m, f);
		finding_mark(m, f, (uint32_t)i + 1);
		lacks_mark(m, f);
	}
}

/* The first line of the report for people. */
static void headline_set(struct marker *m)
{
	static const enum ft_draw_severity of_verdict[] = {
		[FT_VERDICT_OK] = FT_DRAW_INFO,
		[FT_VERDICT_WARNING] = FT_DRAW_WARNING,
		[FT_VERDICT_CRITICAL] = FT_DRAW_CRITICAL,
		[FT_VERDICT_UNKNOWN] = FT_DRAW_WARNING,
	};
	_cleanup_(ft_text_release) struct ft_text text = {0};

	ft_report_write_text(&text, m->report, false, false);
	m->marks->severity = of_verdict[m->report->verdict];
	m->memory.failed |= ft_text_failed(&text);
	if (text.data)
		text.data[strcspn(text.data, "\n")] = '\0';
	string_keep(m, &m->marks->headline, ft_text_string(&text));
}

int ft_report_marks(const struct ft_report *report, const struct ft_plan *plan, struct ft_draw_marks **ret_marks,
		    struct ft_error *err)
{
	_cleanup_(ft_draw_marks_freep) struct ft_draw_marks *marks = NULL;
	const struct ft_plan tree = ft_plan_tree(plan);
	struct marker m = {.report = report, .plan = &tree};
	int r;

	r = ft_draw_marks_new(&tree, &marks);
	if (r < 0)
		return r;
	m.marks = marks;
	labels_make(&m);
	r = m.memory.failed ? -ENOMEM : switches_mark(&m, err);
	if (r == 0) {
		bundles_mark(&m);
		findings_mark(&m);
		headline_set(&m);
		if (m.memory.failed)
			r = -ENOMEM;
	}
	ft_map_release(&m.by_guid);
	ft_arena_release(&m.memory);
	if (r == 0)
		*ret_marks = FT_STEAL(marks);
	return r;
}

int ft_report_draw(struct ft_text *text, const struct ft_report *report, const struct ft_design *design,
		   const struct ft_plan *plan, ft_draw_fn *draw, struct ft_error *err)
{
	_cleanup_(ft_draw_marks_freep) struct ft_draw_marks *marks = NULL;
	int r = ft_report_marks(report, plan, &marks, err);

	return r < 0 ? r : draw(text, design, plan, marks, err);
}
