/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Takes down what unit tests verify, for tests/accounted.py: linked into a test with --wrap=ft_verify and
 * --wrap=ft_verify_all, it appends one line of JSON for each report to the file that FT_ACCOUNT names. Without
 * FT_ACCOUNT it does nothing.
 *
 *     {"strangers": 0, "plan": {…}, "beside": {…}, "snapshot": {…}, "report": {…}}
 *
 * @strangers is how many patterns the design has of what may be there unplanned; @beside is what hangs on the tree, in
 * the form of the plan, and how many of its names are aliases.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "planner/plan/plan.h"
#include "probe/snapshot.h"
#include "verify/model/verify.h"

int __real_ft_verify(const struct ft_design *design, const struct ft_plan *plan, const struct ft_snapshot *snapshot,
		     const char *today, struct ft_report **ret_report);
int __wrap_ft_verify(const struct ft_design *design, const struct ft_plan *plan, const struct ft_snapshot *snapshot,
		     const char *today, struct ft_report **ret_report);
int __real_ft_verify_all(const struct ft_verify_input *input, struct ft_report **ret_report);
int __wrap_ft_verify_all(const struct ft_verify_input *input, struct ft_report **ret_report);

/* JSON without its line breaks: there is none in a string of it. */
static void add_line(struct ft_text *text, const char *json)
{
	for (; *json; json++)
		if (*json != '\n')
			ft_text_add(text, json, 1);
}

static void add_part(struct ft_text *text, const char *name, struct ft_text *part)
{
	ft_text_printf(text, "\"%s\": ", name);
	add_line(text, ft_text_string(part));
	text->failed = text->failed || part->failed;
	ft_text_release(part);
}

/* "plan" says no more of it than how much it is. */
static void add_beside(struct ft_text *text, const struct ft_plan *plan)
{
	uint32_t aliases = 0;

	ft_text_puts(text, "\"beside\": {\"switches\": [");
	for (uint32_t i = ft_plan_tree_switches(plan); i < plan->switch_count; i++) {
		ft_text_puts(text, i > ft_plan_tree_switches(plan) ? ", {\"name\": " : "{\"name\": ");
		ft_text_add_json(text, plan->switches[i].name);
		ft_text_printf(text, ", \"kind\": \"island\", \"hosts\": %u}", plan->switches[i].hosts);
	}
	ft_text_puts(text, "], \"bundles\": [");
	for (uint32_t i = ft_plan_tree_bundles(plan); i < plan->bundle_count; i++) {
		ft_text_puts(text, i > ft_plan_tree_bundles(plan) ? ", {\"a\": " : "{\"a\": ");
		ft_text_add_json(text, plan->switches[plan->bundles[i].a].name);
		ft_text_puts(text, ", \"b\": ");
		ft_text_add_json(text, plan->switches[plan->bundles[i].b].name);
		ft_text_printf(text, ", \"count\": %u}", plan->bundles[i].count);
	}
	for (uint32_t i = 0; i < plan->switch_count; i++)
		aliases += plan->switches[i].alias != NULL;
	ft_text_printf(text, "], \"aliases\": %u}, ", aliases);
}

static void take_down(const struct ft_design *design, const struct ft_plan *plan, const struct ft_snapshot *snapshot,
		      const struct ft_report *report)
{
	const char *path = getenv("FT_ACCOUNT");
	_cleanup_(ft_text_release) struct ft_text line = {0};
	struct ft_text part = {0};
	FILE *file;

	if (!path)
		return;
	ft_text_printf(&line, "{\"strangers\": %zu, ", design->expect.unplanned_count);
	ft_plan_write_json(&part, plan, 0);
	add_part(&line, "plan", &part);
	ft_text_puts(&line, ", ");
	add_beside(&line, plan);
	ft_snapshot_write_json(&part, snapshot);
	add_part(&line, "snapshot", &part);
	ft_text_puts(&line, ", ");
	ft_report_write_json(&part, report);
	add_part(&line, "report", &part);
	ft_text_puts(&line, "}\n");
	file = line.failed ? NULL : fopen(path, "a");
	if (!file)
		return;
	fputs(ft_text_string(&line), file);
	fclose(file);
}

int __wrap_ft_verify(const struct ft_design *design, const struct ft_plan *plan, const struct ft_snapshot *snapshot,
		     const char *today, struct ft_report **ret_report)
{
	int r = __real_ft_verify(design, plan, snapshot, today, ret_report);

	if (r == 0)
		take_down(design, plan, snapshot, *ret_report);
	return r;
}

int __wrap_ft_verify_all(const struct ft_verify_input *input, struct ft_report **ret_report)
{
	int r = __real_ft_verify_all(input, ret_report);

	if (r == 0)
		take_down(input->design, input->plan, input->snapshot, *ret_report);
	return r;
}
