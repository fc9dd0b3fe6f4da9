/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "verify/model/bounds.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "planner/plan/wiring.h"

enum {
	NODES_MORE = 1000,
	PORTS_MORE = 16000,
	CHIP_PORTS_MORE = 3, /* port 0, and the port of the aggregation node, which users do not count */
	FINDINGS_MORE = 1000,
	FINDINGS_MAX = 5000, /* more are not readable */
	FINDINGS_MIN = 50,
	LISTED_A_FINDING = 20, /* of the places, symptoms and alternatives of all findings together */
	ROWS_MORE = 1000,      /* of switches that are not in the plan */
	JSON_MORE = 6 << 20,
	JSON_A_NODE = 600,
	ALERTS_MORE = 20 << 20, /* for all events that may wait, in brief */
	/* Of memory, in bytes. */
	MEMORY_BASE = 64 << 20,
	MEMORY_A_NODE = 6000,
	MEMORY_A_PORT = 1000,
};

static uint32_t clamp(uint64_t number)
{
	return number < UINT32_MAX / 4 ? (uint32_t)number : UINT32_MAX / 4;
}

/* The number of nodes of a planned switch. For a director with unknown inside, the chips of the largest one built. */
static uint64_t chips_of(const struct ft_plan *plan, uint32_t i)
{
	const struct ft_inside *inside = &plan->inside[plan->switches[i].tier];

	if (!ft_plan_is_director(plan, i))
		return 1;
	if (inside->line_boards_max == 0)
		return 2 + plan->switches[i].ports / 8;
	return (uint64_t)inside->line_boards_max * (inside->line_chips ? inside->line_chips : 1) +
	       (uint64_t)inside->fabric_boards_max * (inside->fabric_chips ? inside->fabric_chips : 1);
}

void ft_bounds_of_plan(const struct ft_plan *plan, struct ft_bounds *ret)
{
	uint64_t hosts = plan->nodes > plan->nodes_max ? plan->nodes : plan->nodes_max;
	uint64_t chips = 0, ports = 0, things;

	for (uint32_t i = 0; i < plan->switch_count; i++) {
		chips += chips_of(plan, i);
		/* Each outer port of a director has two more inside. */
		ports += (uint64_t)plan->switches[i].ports * (ft_plan_is_director(plan, i) ? 3 : 1);
	}
	for (uint32_t i = ft_plan_tree_switches(plan); i < plan->switch_count; i++)
		hosts += plan->switches[i].hosts_unsaid ? plan->switches[i].ports : plan->switches[i].hosts;
	things = plan->switch_count;
	ret->planned_nodes = clamp(things + hosts);
	ret->max_nodes = clamp(2 * (2 * chips + hosts) + NODES_MORE);
	/* A host's adapter may have two ports. */
	ret->max_ports = clamp(2 * (ports + CHIP_PORTS_MORE * chips + 2 * hosts) + PORTS_MORE);
	things += FINDINGS_MORE + plan->bundle_count;
	ret->max_findings = things < FINDINGS_MAX ? (uint32_t)things : FINDINGS_MAX;
	ret->max_json = JSON_MORE + (size_t)ret->planned_nodes * JSON_A_NODE;
	ret->max_alerts = ALERTS_MORE + ret->max_json;
}

void ft_bounds_sweep(const struct ft_plan *plan, struct ft_sweep_options *sweep)
{
	struct ft_bounds bounds;

	ft_bounds_of_plan(plan, &bounds);
	sweep->planned_nodes = bounds.planned_nodes;
	sweep->planned_switches = ft_plan_has_directors(plan) ? 0 : plan->switch_count;
	sweep->max_nodes = bounds.max_nodes;
	sweep->max_ports = bounds.max_ports;
}

size_t ft_bounds_memory(const struct ft_plan *plan, uint32_t nodes, uint32_t ports)
{
	struct ft_bounds bounds;

	ft_bounds_of_plan(plan, &bounds);
	return MEMORY_BASE + 8 * bounds.max_json + ((size_t)nodes + bounds.max_nodes) * MEMORY_A_NODE +
	       ((size_t)ports + bounds.max_ports) * MEMORY_A_PORT;
}

/* ---- what a report lists ---- */

static void string_bound(char *string)
{
	if (string)
		ft_text_cut(string, FT_STRING_MAX);
}

/*
 * How many of @count entries of a list stay if there is room for @room; the last of them then says how many others
 * there were: @ret_more, 0 if all stay.
 */
static size_t list_cut(size_t count, size_t *room, size_t *ret_more)
{
	/* The place of the finding itself is listed in any case. */
	enum { LISTED_MIN = 4 };
	size_t most = *room < FT_LIST_MAX ? *room : FT_LIST_MAX, kept;

	most = most < LISTED_MIN ? LISTED_MIN : most;
	kept = count < most ? count : most;
	*room -= kept < *room ? kept : *room;
	*ret_more = kept < count ? count - kept + 1 : 0;
	return kept;
}

/* Cuts the three lists down to the room, and says so in the last entry of each. */
static void lists_bound(struct ft_arena *memory, struct ft_finding *f, size_t *room)
{
	size_t more;

	f->where_count = list_cut(f->where_count, room, &more);
	if (more > 0) {
		struct ft_place *last = &f->where[f->where_count - 1];

		last->guid = 0;
		last->port = 0;
		last->name = ft_arena_print(memory, "and %zu more", more);
	}
	f->symptom_count = list_cut(f->symptom_count, room, &more);
	if (more > 0)
		f->symptoms[f->symptom_count - 1].text = ft_arena_print(memory, "and %zu more", more);
	f->alternative_count = list_cut(f->alternative_count, room, &more);
	if (more > 0)
		f->alternatives[f->alternative_count - 1] = ft_arena_print(memory, "and %zu more", more);
}

static void finding_bound(struct ft_arena *memory, struct ft_finding *f, size_t *room)
{
	lists_bound(memory, f, room);
	string_bound(f->expected);
	string_bound(f->observed);
	string_bound(f->text);
	string_bound(f->fix);
	string_bound(f->waived);
	for (size_t i = 0; i < f->symptom_count; i++)
		string_bound(f->symptoms[i].text);
	for (size_t i = 0; i < f->alternative_count; i++)
		string_bound(f->alternatives[i]);
}

static struct ft_finding *omitted_find(struct ft_report *report)
{
	for (size_t i = report->finding_count; i-- > 0;)
		if (report->findings[i].code == FT_CODE_FINDINGS_OMITTED)
			return &report->findings[i];
	return NULL;
}

/* The finding with the number left out; the last of the report. */
static void omitted_say(struct ft_report *report, uint32_t count)
{
	const struct ft_code_info *code = &ft_codes[FT_CODE_FINDINGS_OMITTED];
	struct ft_arena *memory = &report->memory;
	struct ft_finding *f = FT_ARENA_MORE(memory, report->findings, report->finding_count);

	if (!f)
		return;
	*f = (struct ft_finding){
		.id = ft_arena_string(memory, code->name),
		.code = FT_CODE_FINDINGS_OMITTED,
		.severity = code->severity,
		.evidence = FT_EVIDENCE_SEEN,
		.count = count,
		.expected = ft_arena_string(memory, "a fabric much like its plan"),
		.observed = ft_arena_print(memory, "%u more findings", count),
		.text = ft_arena_print(
			memory, "%u more finding%s %s not listed: a report of this plan lists no more than are above",
			count, ft_text_s(count), count == 1 ? "is" : "are"),
		.fix = ft_arena_string(memory, "mend what is listed first; the rest is told by the next look"),
	};
}

static void finding_drop(struct ft_report *report, struct ft_finding *f)
{
	report->finding_count--;
	memmove(f, f + 1, (size_t)(report->findings + report->finding_count - f) * sizeof(*f));
}

/* The rows of planned switches come first, and stay. */
static void rows_bound(struct ft_report *report)
{
	size_t kept = 0, unplanned = 0;

	for (size_t i = 0; i < report->switch_count; i++) {
		struct ft_report_switch *row = &report->switches[i];

		if (row->status == FT_STATUS_UNPLANNED && ++unplanned > ROWS_MORE)
			continue;
		string_bound(row->hosts_names);
		report->switches[kept++] = *row;
	}
	report->switch_count = kept;
}

int ft_report_bound(struct ft_report *report, uint32_t max_findings, uint32_t unsaid)
{
	size_t room = (size_t)max_findings * LISTED_A_FINDING;
	struct ft_finding *before = omitted_find(report);

	if (before) {
		unsaid += before->count;
		finding_drop(report, before);
	}
	for (size_t i = report->finding_count; i-- > 0 && report->finding_count > max_findings;) {
		if (report->findings[i].code == FT_CODE_SWEEP_INCOMPLETE)
			continue;
		finding_drop(report, &report->findings[i]);
		unsaid++;
	}
	for (size_t i = 0; i < report->finding_count; i++)
		finding_bound(&report->memory, &report->findings[i], &room);
	rows_bound(report);
	if (unsaid > 0)
		omitted_say(report, unsaid);
	return report->memory.failed ? -ENOMEM : 0;
}

int ft_report_write_bounded(struct ft_text *text, struct ft_report *report, const struct ft_bounds *bounds)
{
	uint32_t findings = bounds->max_findings;
	int r = 0;

	ft_report_write_json(text, report);
	while (r == 0 && !ft_text_failed(text) && text->length > bounds->max_json && findings > FINDINGS_MIN) {
		findings /= 2;
		r = ft_report_bound(report, findings, 0);
		ft_text_reset(text);
		ft_report_write_json(text, report);
	}
	return r < 0 || ft_text_failed(text) ? -ENOMEM : 0;
}
