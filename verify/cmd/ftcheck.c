/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* ftcheck: verify the live (or a recorded) fabric against the plan, print a report, exit with the verdict. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/moment.h"
#include "probe/guard.h"
#include "probe/recording.h"
#include "verify/measure/failures.h"
#include "verify/measure/throughput.h"
#include "verify/model/bounds.h"
#include "verify/cmd/accepting.h"
#include "verify/cmd/building.h"
#include "verify/cmd/gather.h"
#include "verify/report/look.h"
#include "verify/cmd/options.h"
#include "verify/repair/repair.h"
#include "verify/routes/workload.h"
#include "verify/report/draw.h"
#include "verify/cmd/status.h"
#include "verify/model/verify.h"
#include "verify/cmd/waiting.h"

/* Memory limit of --repair, --after and --routes: this many times that of the report. */
enum { MEMORY_FACTOR = 4 };

/* Known only to main: names of files, clocks. */
static int report_complete(struct ft_report *report, const struct ft_options *options, const struct ft_design *design,
			   const struct ft_snapshot *snapshot)
{
	int r;

	r = ft_report_set_plan(report, options->plan, design);
	if (r < 0)
		return r;
	report->plan_found = options->plan_found;
	/* A saved snapshot of a live sweep counts as a file when it is read back. That of a moment says so itself. */
	if (options->from) {
		const char *detail = options->more_from_count > 0 || ft_names_moment(options->from)
					     ? snapshot->strings + snapshot->source.detail
					     : options->from;

		report->source.live = false;
		report->source.detail = ft_arena_safe(&report->memory, detail, strlen(detail));
		if (!report->source.detail)
			return -ENOMEM;
	}
	report->time_s = snapshot->source.time_s ? snapshot->source.time_s : (int64_t)time(NULL);
	return 0;
}

/* Lines are broken on a terminal only, as programs that read a pipe expect whole ones. */
static struct ft_terminal terminal_look(void)
{
	enum { WIDTH_UNSAID = 80, WIDTH_LEAST = 40 };
	const char *no_colour = getenv("NO_COLOR"), *name = getenv("TERM");
	struct ft_terminal terminal = {0};
	struct winsize size = {0};

	if (!isatty(STDOUT_FILENO))
		return terminal;
	terminal.colour = !(no_colour && no_colour[0]) && name && strcmp(name, "dumb") != 0;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_col == 0)
		size.ws_col = WIDTH_UNSAID;
	terminal.width = size.ws_col < WIDTH_LEAST ? WIDTH_LEAST : size.ws_col;
	return terminal;
}

/* @plan with its @design: NULL if the report is the daemon's. */
static int report_print(const struct ft_report *report, const struct ft_options *options,
			const struct ft_design *design, const struct ft_plan *plan)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};
	struct ft_terminal terminal = terminal_look();
	struct ft_error err = {0};
	int r = 0;

	switch (options->format) {
	case FT_FORMAT_TEXT:
		ft_report_write_terminal(&text, report, options->verbose, &terminal);
		break;
	case FT_FORMAT_JSON:
		ft_report_write_json(&text, report);
		break;
	case FT_FORMAT_NAGIOS:
		ft_report_write_nagios(&text, report);
		break;
	case FT_FORMAT_SVG:
		r = ft_report_draw(&text, report, design, plan, ft_draw_svg, &err);
		break;
	case FT_FORMAT_CSV:
		break; /* refused with the options */
	case FT_FORMAT_DOT:
		r = ft_report_draw(&text, report, design, plan, ft_draw_dot, &err);
		break;
	}
	if (r < 0)
		return ft_file_error("ftcheck", r, &err);
	return ft_text_out(NULL, &text);
}

static int report_print_verdict(const struct ft_report *report, const struct ft_options *options,
				const struct ft_design *design, const struct ft_plan *plan)
{
	int r = report_print(report, options, design, plan);

	return r != 0 ? r : ft_verdict_status(report->verdict);
}

static int daemon_ask(const struct ft_options *options)
{
	const struct ft_limits limits = {options->warning_percent, options->critical_percent};
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	struct ft_error err = {0};
	int r;

	r = ft_status_ask(&options->daemon, &report, &err);
	if (r == 0 && ft_report_limit(report, &limits) < 0)
		return ft_file_error("ftcheck", -ENOMEM, &err);
	if (r == 0)
		return report_print_verdict(report, options, NULL, NULL);
	if (err.text[0] == '\0')
		return ft_file_error("ftcheck", r, &err);
	return ft_complain(err.text);
}

/* The outputs requested in addition to the findings. */
static int report_extend(const struct ft_options *options, struct ft_model *m, struct ft_error *err)
{
	struct ft_progress *progress = options->sweep.progress;
	int r = 0;

	if (options->repair) {
		ft_progress_enter(progress, FT_PHASE_REPAIR, 0);
		r = ft_repair_make(m);
	}
	if (options->after)
		ft_progress_enter(progress, FT_PHASE_AFTER, 0);

	for (enum ft_after_kind kind = 0; r == 0 && kind < FT_AFTER_KINDS; kind++)
		if (options->after && options->after_kinds[kind])
			r = ft_after_add(m, kind, options->after);
	if (r == 0 && options->throughput)
		r = ft_throughput_measure(m);
	if (r == 0 && options->throughput && !m->report->throughput.measured)
		fprintf(stderr, "ftcheck: --throughput: there are fewer than two hosts, and no traffic between them\n");
	if (r == 0 && options->workloads.count > 0)
		r = ft_workload_measure(m, &options->workloads, err);
	return r;
}

static struct ft_verify_input input_make(const struct ft_options *options, const struct ft_gathered *g,
					 const char *today)
{
	return (struct ft_verify_input){.design = g->design,
					.plan = g->plan,
					.snapshot = g->snapshot,
					.since = g->since,
					.changes = &g->changes,
					.today = today,
					.sms = g->sms,
					.counters = g->counters,
					.routes = g->routes,
					.lanes = g->lanes,
					.want_lanes = ft_gathers_lanes(options),
					.baseline = g->baseline,
					.phases = g->phases,
					.day = g->day,
					.building = options->build || g->phases,
					.doubt_plan = true,
					.limits = {options->warning_percent, options->critical_percent}};
}

/*
 * Lanes matter only where routes make a circle, and only on it: the first judgement tells what to read of them, if
 * anything, and then there is a second one.
 *
 * @m  out: the finished model with its report; also on failure the caller releases it
 */
static int verify_with_lanes(const struct ft_options *options, struct ft_verify_input *input, struct ft_gathered *g,
			     struct ft_model *m)
{
	int r = ft_model_finish(m, input);

	if (r < 0 || m->report->lane_wants.path_count == 0)
		return r;
	r = ft_gather_lanes(options, &m->report->lane_wants, g);
	if (r != 0)
		return r;
	ft_progress_enter(options->sweep.progress, FT_PHASE_JUDGE, 0);
	input->lanes = g->lanes;
	ft_model_release(m);
	return ft_model_finish(m, input);
}

/* @m: as of verify_with_lanes(), its report complete */
static int report_make(const struct ft_options *options, struct ft_verify_input *input, struct ft_gathered *g,
		       struct ft_model *m, struct ft_error *err)
{
	int r;

	/* A malicious fabric, or file, must exhaust this process and not the machine's memory. */
	ft_guard_limit_memory(MEMORY_FACTOR *
			      ft_bounds_memory(g->plan, g->snapshot->node_count, g->snapshot->port_count));
	r = verify_with_lanes(options, input, g, m);
	if (r == 0 && !ft_report_is_foreign(m->report))
		r = report_extend(options, m, err);
	return r ?: report_complete(m->report, options, g->design, g->snapshot);
}

/* Shows one switch only. */
static int look_print(const struct ft_options *options, const struct ft_verify_input *input)
{
	_cleanup_(ft_look_freep) struct ft_look *look = NULL;
	_cleanup_(ft_text_release) struct ft_text text = {0};
	struct ft_terminal terminal = terminal_look();
	struct ft_error err = {0};
	int r = ft_look_make(input, options->look_at, &look, &err);

	if (r < 0)
		return ft_file_error(err.text[0] ? "--switch" : "ftcheck", r, &err);
	if (options->format == FT_FORMAT_JSON)
		ft_look_write_json(&text, look);
	else
		ft_look_write_text(&text, look, options->verbose, &terminal);
	r = ft_text_out(NULL, &text);
	return r != 0 ? r : ft_verdict_status(look->report->verdict);
}

/* The user is typing a file on the terminal, which the progress line must not overwrite. */
static bool typed_in(const struct ft_options *options)
{
	const char *const files[] = {options->plan, options->from, options->cables};

	for (size_t i = 0; i < FT_COUNT(files); i++)
		if (files[i] && strcmp(files[i], "-") == 0)
			return isatty(STDIN_FILENO);
	return false;
}

int main(int argc, char **argv)
{
	_cleanup_(ft_gathered_release) struct ft_gathered gathered = {0};
	_cleanup_(ft_model_release) struct ft_model m = {0};
	struct ft_verify_input input;
	struct ft_error err = {0};
	struct ft_options options;
	char today[FT_DAY_SIZE];
	int r;

	r = ft_options_read(argc, argv, &options);
	if (r >= 0)
		return r;
	if (options.ask)
		return daemon_ask(&options);
	if (!typed_in(&options))
		options.sweep.progress = ft_waiting_begin();
	r = ft_gather(&options, &gathered);
	if (r != 0)
		return r;
	r = ft_day_string((int64_t)time(NULL), today);
	if (r < 0)
		return ft_file_error("ftcheck", r, &(struct ft_error){0});
	input = input_make(&options, &gathered, today);
	ft_progress_enter(options.sweep.progress, FT_PHASE_JUDGE, 0);
	if (options.look_at)
		return look_print(&options, &input);
	r = report_make(&options, &input, &gathered, &m, &err);
	if (r < 0)
		return ft_file_error(err.text[0] ? "--workload" : "ftcheck", r, &err);
	if (options.accept && r == 0)
		return ft_accept_findings(&options, &m);
	if (options.build && r == 0)
		return ft_build_show(&options, &m, (int64_t)time(NULL));
	return r > 0 ? r : report_print_verdict(m.report, &options, gathered.design, gathered.plan);
}
