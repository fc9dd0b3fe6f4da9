/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Reading again by hand, for the tests on a simulated fabric:
 *
 *     incremental_tool DESIGN [KEY=VALUE ...]    keys: timeout_ms max_smps retries
 *
 * It sweeps, and then takes commands, one a line, each answered by a line:
 *
 *     sweep             the snapshot is what a sweep sees:     swept MADS
 *     reread WHAT ...   reads again, on top of the snapshot:   merged MADS TIMEOUTS US
 *                                                              stale WHY | failed WHY
 *     check             a fresh sweep against the snapshot, whose place it takes, and what verify makes of both:
 *                                                              equal MADS | different HOW
 *
 * WHAT is lid:N, 0xGUID, or gone:0xGUID. All is done in this process, with no child around it, so that valgrind sees
 * it.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "planner/plan/design.h"
#include "probe/guard.h"
#include "probe/incremental.h"
#include "verify/model/verify.h"

enum { STATUS_USAGE = 2, STATUS_FAILED = 3, CHANGES_MAX = 256, LINE_SIZE = 8192, SWEEP_SMPS = 64, LEAVE_S = 10 };

struct tool {
	struct ft_design *design;
	struct ft_plan *plan;
	struct ft_snapshot *snapshot;
	struct ft_sweep_options options;
};

static void tool_release(struct tool *tool)
{
	ft_design_free(tool->design);
	ft_plan_free(tool->plan);
	ft_snapshot_free(tool->snapshot);
}

static int64_t now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static int failed(int r, const struct ft_error *err)
{
	printf("failed %s: %s\n", strerror(-r), err->text);
	return 0;
}

static int sweep(const struct tool *tool, struct ft_snapshot **ret_snapshot, struct ft_error *err)
{
	struct ft_sweep_options options = tool->options;

	options.max_smps = SWEEP_SMPS;
	return ft_sweep_here(&options, ft_guard_now_ms() + options.deadline_ms, ret_snapshot, err);
}

static void keep(struct tool *tool, struct ft_snapshot *snapshot)
{
	ft_snapshot_free(tool->snapshot);
	tool->snapshot = snapshot;
}

static int command_sweep(struct tool *tool, char *arguments)
{
	struct ft_snapshot *snapshot = NULL;
	struct ft_error err = {0};
	int r;

	(void)arguments;
	r = sweep(tool, &snapshot, &err);
	if (r < 0)
		return failed(r, &err);
	keep(tool, snapshot);
	printf("swept %" PRIu32 "\n", snapshot->source.mads);
	return 0;
}

static bool parse_change(const char *word, struct ft_change *ret_change)
{
	struct ft_change change = {0};
	char *end;

	if (strncmp(word, "gone:", 5) == 0) {
		change.gone = true;
		word += 5;
	}
	if (strncmp(word, "lid:", 4) == 0)
		change.lid = (uint16_t)strtoul(word + 4, &end, 10);
	else
		change.guid = strtoull(word, &end, 16);
	*ret_change = change;
	return *end == '\0' && (change.lid || change.guid);
}

static int command_reread(struct tool *tool, char *arguments)
{
	struct ft_change changes[CHANGES_MAX];
	size_t count = 0;
	struct ft_snapshot *snapshot = NULL;
	struct ft_error err = {0};
	int64_t began_us = now_us();
	char *rest = NULL;
	int r;

	for (char *word = strtok_r(arguments, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		if (count == CHANGES_MAX || !parse_change(word, &changes[count++]))
			return -1;
	r = ft_sweep_incremental(&tool->options, tool->snapshot, changes, count,
				 ft_guard_now_ms() + tool->options.deadline_ms, &snapshot, &err);
	if (r == -ESTALE)
		printf("stale %s\n", err.text);
	if (r == -ESTALE)
		return 0;
	if (r < 0)
		return failed(r, &err);
	keep(tool, snapshot);
	if (ft_snapshot_check(snapshot, &err) < 0)
		return failed(-EINVAL, &err);
	printf("merged %" PRIu32 " %" PRIu32 " %" PRId64 "\n", snapshot->source.mads, snapshot->source.timeouts,
	       now_us() - began_us);
	return 0;
}

/* The report on a snapshot, apart from what each sweep and each reading again has of its own. */
static int report_on(const struct tool *tool, struct ft_snapshot *snapshot, struct ft_text *text)
{
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	struct ft_snapshot_source source = snapshot->source;
	int r;

	snapshot->source.mads = snapshot->source.timeouts = snapshot->source.duration_ms = 0;
	snapshot->source.time_s = 0;
	r = ft_verify(tool->design, tool->plan, snapshot, "2026-01-01", &report);
	snapshot->source = source;
	if (r < 0)
		return r;
	ft_report_write_json(text, report);
	return ft_text_failed(text) ? -ENOMEM : 0;
}

/* The first line that two texts do not share. */
static void print_line_apart(const char *a, const char *b)
{
	size_t begin = 0, i;

	for (i = 0; a[i] && a[i] == b[i]; i++)
		if (a[i] == '\n')
			begin = i + 1;
	printf("different report: %.*s | %.*s\n", (int)strcspn(a + begin, "\n"), a + begin,
	       (int)strcspn(b + begin, "\n"), b + begin);
}

static int command_check(struct tool *tool, char *arguments)
{
	_cleanup_(ft_text_release) struct ft_text difference = {0};
	_cleanup_(ft_text_release) struct ft_text here = {0};
	_cleanup_(ft_text_release) struct ft_text there = {0};
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *old = tool->snapshot;
	struct ft_error err = {0};
	int r, equal;

	(void)arguments;
	tool->snapshot = NULL;
	r = sweep(tool, &tool->snapshot, &err);
	if (r < 0) {
		tool->snapshot = FT_STEAL(old);
		return failed(r, &err);
	}
	equal = ft_snapshot_equal(old, tool->snapshot, &difference);
	r = equal < 0 ? equal : report_on(tool, old, &here);
	if (r == 0)
		r = report_on(tool, tool->snapshot, &there);
	if (r < 0)
		return failed(r, &err);
	if (!equal)
		printf("different %s\n", ft_text_string(&difference));
	else if (strcmp(ft_text_string(&here), ft_text_string(&there)) != 0)
		print_line_apart(ft_text_string(&here), ft_text_string(&there));
	else
		printf("equal %" PRIu32 "\n", tool->snapshot->source.mads);
	return 0;
}

static int run_command(struct tool *tool, char *line)
{
	static const struct {
		const char *name;
		int (*run)(struct tool *tool, char *arguments);
	} commands[] = {
		{"sweep", command_sweep},
		{"reread", command_reread},
		{"check", command_check},
	};
	char *arguments = line + strcspn(line, " ");

	if (*arguments)
		*arguments++ = '\0';
	for (size_t i = 0; i < FT_COUNT(commands); i++)
		if (strcmp(line, commands[i].name) == 0)
			return commands[i].run(tool, arguments);
	return -1;
}

static bool set_option(struct ft_sweep_options *options, const char *argument)
{
	const struct {
		const char *key;
		unsigned int *value;
	} keys[] = {
		{"timeout_ms=", &options->timeout_ms},
		{"max_smps=", &options->max_smps},
		{"retries=", &options->retries},
	};

	for (size_t i = 0; i < FT_COUNT(keys); i++)
		if (strncmp(argument, keys[i].key, strlen(keys[i].key)) == 0) {
			*keys[i].value = (unsigned int)strtoul(argument + strlen(keys[i].key), NULL, 10);
			return true;
		}
	return false;
}

int main(int argc, char **argv)
{
	_cleanup_(tool_release) struct tool tool = {.options = ft_sweep_defaults};
	struct ft_error err = {0};
	char line[LINE_SIZE];
	int r;

	/*
	 * libibnetdisc has a process of its own, and this one has used the simulator's library before: that takes its
	 * leave in the child as well, and its devices with it.
	 */
	tool.options.engine = FT_ENGINE_LIBIBUMAD;
	for (int i = 2; i < argc; i++)
		if (!set_option(&tool.options, argv[i]))
			return STATUS_USAGE;
	if (argc < 2)
		return STATUS_USAGE;
	setvbuf(stdout, NULL, _IOLBF, 0);
	r = ft_design_load(argv[1], &tool.design, &tool.plan, &err);
	if (r == 0)
		r = sweep(&tool, &tool.snapshot, &err);
	if (r < 0) {
		fprintf(stderr, "incremental_tool: %s: %s\n", strerror(-r), err.text);
		return STATUS_FAILED;
	}
	printf("swept %" PRIu32 "\n", tool.snapshot->source.mads);
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		if (run_command(&tool, line) < 0)
			return STATUS_USAGE;
	}
	/* For the caller: what is left is the simulator's library taking its leave, which may crash, or hang in a
	 * crash. */
	fputs("incremental_tool: through\n", stderr);
	alarm(LEAVE_S);
	return 0;
}
