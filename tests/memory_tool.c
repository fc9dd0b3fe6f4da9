/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The daemon's memory and its alerts over time, without a fabric, for tests/daemon_recall.py. Commands come on standard
 * input, one a line:
 *
 * - plan DESIGN: the plan from now on
 * - clock SECONDS: so much later
 * - look KIND FABRIC: KIND is "all", "part" or "replanned". Judges a recording as the daemon does, and prints one line
 *   of JSON: {"report": …, "events": [{"fields": {"FTCHECK_CODE": …}, "alert": …}]}
 * - restart: alerts and baseline are written as the state directory has them, and read back
 * - kill: the same of what was on disk at that moment: a baseline that is as old as the last save
 * - forget: neither alerts nor a baseline
 *
 * The clock begins at a fixed moment and moves by commands only. Status 3 and one line on standard error where
 * something failed.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/alert.h"
#include "daemon/check.h"
#include "daemon/fields.h"
#include "probe/guard.h"
#include "probe/source.h"
#include "verify/model/verify.h"

enum { STATUS_FAILED = 3, BEGIN_S = 1800000000 };

static const char sink[] = "rig";

struct rig {
	struct ft_design *design;
	struct ft_plan *plan;
	char *plan_file;
	struct ft_alerts *alerts;
	struct ft_baseline *baseline;
	struct ft_text saved; /* the baseline on disk */
	int64_t now_s;
};

static void rig_release(struct rig *rig)
{
	ft_design_free(rig->design);
	ft_plan_free(rig->plan);
	free(rig->plan_file);
	ft_alerts_free(rig->alerts);
	ft_baseline_free(rig->baseline);
	ft_text_release(&rig->saved);
}

static struct ft_now now_of(const struct rig *rig)
{
	return (struct ft_now){.mono_ms = rig->now_s * 1000, .wall_ms = rig->now_s * 1000};
}

/* ---- looks ---- */

static void fields_write(struct ft_text *t, const struct ft_event *event)
{
	ft_text_puts(t, "{");
	for (size_t i = 0; i < ft_field_count; i++) {
		_cleanup_(ft_text_release) struct ft_text value = {0};

		ft_fields[i].write(&value, event, "rig", "");
		ft_text_add_member(t, ft_fields[i].name, ft_text_string(&value));
	}
	ft_text_puts(t, "}");
}

static void events_write(struct rig *rig, struct ft_text *t)
{
	const struct ft_event *event;
	bool any = false;

	ft_text_puts(t, "[");
	while ((event = ft_alerts_next(rig->alerts, sink))) {
		ft_text_puts(t, any ? ", {\"fields\": " : "{\"fields\": ");
		fields_write(t, event);
		ft_text_puts(t, ", \"alert\": ");
		ft_event_write_json(t, event, "rig", "");
		ft_text_puts(t, "}");
		ft_alerts_done(rig->alerts, sink, event->seq);
		any = true;
	}
	ft_text_puts(t, "]");
}

static int kind_read(const char *word, enum ft_look_kind *ret_kind)
{
	static const char *const kinds[] = {
		[FT_LOOK_ALL] = "all", [FT_LOOK_PART] = "part", [FT_LOOK_REPLANNED] = "replanned"};

	for (size_t i = 0; i < FT_COUNT(kinds); i++)
		if (strcmp(word, kinds[i]) == 0) {
			*ret_kind = (enum ft_look_kind)i;
			return 0;
		}
	return -EINVAL;
}

/* As a check's child judges, and as the loop reads what it was told. */
static int report_make(const struct rig *rig, const struct ft_snapshot *snapshot, struct ft_text *text,
		       struct ft_report **ret_report, struct ft_error *err)
{
	const struct ft_sweep_options sweep = ft_sweep_defaults;
	const struct ft_check_request request = {
		.kind = FT_CHECK_SWEEP,
		.sweep = &sweep,
		.design = rig->design,
		.plan = rig->plan,
		.plan_file = rig->plan_file,
		.baseline = rig->baseline,
	};
	int r = ft_check_judge(&request, snapshot, ft_guard_now_ms(), text, err);

	return r < 0 ? r : ft_report_read_json(ft_text_string(text), text->length, ret_report, err);
}

static int alerts_take(struct rig *rig, const struct ft_report *report, enum ft_look_kind kind)
{
	const struct ft_alert_rules *rules = &ft_alert_rules_defaults;
	int r;

	if (ft_report_is_incomplete(report))
		return ft_alerts_miss(rig->alerts, rules, report, kind, "not all was seen", now_of(rig));
	r = ft_alerts_look(rig->alerts, rules, report, kind, now_of(rig));
	return r < 0 ? r : 1;
}

/* There are line breaks between members, and none in a string. */
static void one_line(struct ft_text *text)
{
	for (size_t i = 0; i < text->length; i++)
		if (text->data[i] == '\n')
			text->data[i] = ' ';
}

/* As remember.c saves it. */
static void baseline_save(struct rig *rig)
{
	ft_text_reset(&rig->saved);
	ft_baseline_write_json(&rig->saved, rig->baseline);
}

static int look(struct rig *rig, const char *word, const char *file, struct ft_error *err)
{
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *snapshot = NULL;
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	_cleanup_(ft_text_release) struct ft_text text = {0}, events = {0};
	enum ft_look_kind kind;
	int r = kind_read(word, &kind), judged;

	if (r < 0)
		return ft_error_set(err, r, 0, 0, "look %s", word);
	r = ft_source_load(file, &snapshot, err);
	if (r < 0)
		return r;
	snapshot->source.time_s = rig->now_s;
	r = report_make(rig, snapshot, &text, &report, err);
	if (r < 0)
		return r;
	judged = alerts_take(rig, report, kind);
	if (judged < 0)
		return judged;
	events_write(rig, &events);
	/* A plan that is replaced is judged by what is known: nothing was read. */
	if (judged > 0 && kind != FT_LOOK_REPLANNED)
		r = ft_baseline_learn(&rig->baseline, snapshot, report, 0);
	if (r > 1 || (r >= 0 && judged > 0 && kind == FT_LOOK_ALL))
		baseline_save(rig);
	if (r < 0 || ft_text_failed(&events))
		return r < 0 ? r : -ENOMEM;
	one_line(&events);
	one_line(&text);
	printf("{\"events\": %s, \"report\": %s}\n", ft_text_string(&events), ft_text_string(&text));
	return 0;
}

/* ---- what else happens to a daemon ---- */

static int forget(struct rig *rig)
{
	static const char *const sinks[] = {sink};
	int r;

	ft_baseline_free(FT_STEAL(rig->baseline));
	ft_text_reset(&rig->saved);
	ft_alerts_free(FT_STEAL(rig->alerts));
	r = ft_alerts_new(&rig->alerts);
	return r < 0 ? r : ft_alerts_set_sinks(rig->alerts, sinks, FT_COUNT(sinks));
}

static int restart(struct rig *rig, bool killed, struct ft_error *err)
{
	_cleanup_(ft_text_release) struct ft_text alerts = {0};
	int r;

	/* One that is stopped saves it. */
	if (!killed && rig->baseline)
		baseline_save(rig);
	ft_alerts_write_json(&alerts, rig->alerts, now_of(rig));
	ft_alerts_free(FT_STEAL(rig->alerts));
	r = ft_alerts_read_json(ft_text_string(&alerts), alerts.length, now_of(rig), &rig->alerts, err);
	ft_baseline_free(FT_STEAL(rig->baseline));
	if (r < 0 || rig->saved.length == 0)
		return r;
	return ft_baseline_read_json(ft_text_string(&rig->saved), rig->saved.length, &rig->baseline, err);
}

static int plan_take(struct rig *rig, const char *file, struct ft_error *err)
{
	struct ft_design *design = NULL;
	struct ft_plan *plan = NULL;
	char *copy = strdup(file);
	int r = copy ? ft_design_load_with(file, NULL, &design, &plan, err) : -ENOMEM;

	if (r < 0) {
		free(copy);
		return r;
	}
	ft_design_free(rig->design);
	ft_plan_free(rig->plan);
	free(rig->plan_file);
	rig->design = design;
	rig->plan = plan;
	rig->plan_file = copy;
	return 0;
}

static int command_run(struct rig *rig, char *line, struct ft_error *err)
{
	char *rest = NULL, *word = strtok_r(line, " \n", &rest), *first = strtok_r(NULL, " \n", &rest),
	     *second = strtok_r(NULL, " \n", &rest);

	if (word && strcmp(word, "plan") == 0 && first)
		return plan_take(rig, first, err);
	if (word && strcmp(word, "look") == 0 && second && rig->plan)
		return look(rig, first, second, err);
	if (word && strcmp(word, "clock") == 0 && first) {
		rig->now_s += atoi(first);
		return 0;
	}
	if (word && strcmp(word, "restart") == 0)
		return restart(rig, false, err);
	if (word && strcmp(word, "kill") == 0)
		return restart(rig, true, err);
	if (word && strcmp(word, "forget") == 0)
		return forget(rig);
	return ft_error_set(err, -EINVAL, 0, 0, "%s is no command", word ? word : "nothing");
}

int main(void)
{
	_cleanup_(rig_release) struct rig rig = {.now_s = BEGIN_S};
	_cleanup_free_ char *line = NULL;
	struct ft_error err = {0};
	size_t size = 0;
	int r = forget(&rig);

	while (r == 0 && getline(&line, &size, stdin) > 0) {
		r = command_run(&rig, line, &err);
		fflush(stdout);
	}
	if (r < 0)
		fprintf(stderr, "memory_tool: %s: %s\n", strerror(-r), err.text);
	return r < 0 ? STATUS_FAILED : 0;
}
