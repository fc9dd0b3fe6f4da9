/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Hooks, run for real from a directory of the test's own: what they get, what becomes of those that fail, hang or print
 * without end, and what is left of a run when the daemon or a runner is killed. Alerts and the log are doubles.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "daemon/fields.h"
#include "daemon/hook_notes.h"
#include "daemon/hooks.h"
#include "daemon/log.h"
#include "daemon/trust.h"
#include "tests/skipped.h"

enum {
	EVENTS_MAX = 128,
	SINKS_MAX = 4,
	DEADLINE_MS = 120000, /* for a busy machine; nothing here takes nearly as long */
	PATIENT_MS = 60000,   /* the time-out of hooks that end by themselves */
	DAY_MS = 86400000,
};

/* The doubles. */

struct ft_alerts {
	struct ft_event events[EVENTS_MAX];
	size_t count;
	char sinks[SINKS_MAX][64];
	bool done[SINKS_MAX][EVENTS_MAX];
	uint64_t busy[SINKS_MAX];
	unsigned int changes;
};

static size_t sink_index(struct ft_alerts *alerts, const char *sink)
{
	size_t i = 0;

	while (alerts->sinks[i][0] && strcmp(alerts->sinks[i], sink) != 0)
		assert_true(++i < SINKS_MAX);
	snprintf(alerts->sinks[i], sizeof(alerts->sinks[i]), "%s", sink);
	return i;
}

const struct ft_event *ft_alerts_next(const struct ft_alerts *alerts, const char *sink)
{
	size_t s = sink_index((struct ft_alerts *)(uintptr_t)alerts, sink);

	for (size_t i = 0; i < alerts->count; i++)
		if (!alerts->done[s][i])
			return &alerts->events[i];
	return NULL;
}

const struct ft_event *ft_alerts_after(const struct ft_alerts *alerts, const char *sink, const struct ft_event *event)
{
	size_t s = sink_index((struct ft_alerts *)(uintptr_t)alerts, sink);

	for (size_t i = (size_t)(event - alerts->events) + 1; i < alerts->count; i++)
		if (!alerts->done[s][i])
			return &alerts->events[i];
	return NULL;
}

void ft_alerts_begin(struct ft_alerts *alerts, const char *sink, uint64_t seq)
{
	alerts->busy[sink_index(alerts, sink)] = seq;
}

bool ft_alerts_has_sink(const struct ft_alerts *alerts, const char *sink)
{
	for (size_t i = 0; i < SINKS_MAX; i++)
		if (strcmp(alerts->sinks[i], sink) == 0)
			return true;
	return false;
}

/* The first of the alert that @event is of. */
static const struct ft_event *oldest_of(const struct ft_alerts *alerts, const char *sink, const struct ft_event *event)
{
	const struct ft_event *first = ft_alerts_next(alerts, sink);

	while (first && strcmp(first->id, event->id) != 0)
		first = ft_alerts_after(alerts, sink, first);
	return first;
}

void ft_alerts_done(struct ft_alerts *alerts, const char *sink, uint64_t seq)
{
	size_t s = sink_index(alerts, sink);

	for (size_t i = 0; i < alerts->count; i++) {
		if (alerts->events[i].seq != seq)
			continue;
		/* In the order of each alert, and each once. */
		assert_ptr_equal(oldest_of(alerts, sink, &alerts->events[i]), &alerts->events[i]);
		alerts->done[s][i] = true;
	}
}

const char *ft_event_kind_name(enum ft_event_kind kind)
{
	static const char *const names[] = {"raised", "changed", "cleared"};

	return names[kind];
}

void ft_event_write_json(struct ft_text *text, const struct ft_event *event, const char *fabric, const char *instance)
{
	ft_text_printf(text, "{\"seq\":%" PRIu64 ",\"fabric\":\"%s\",\"instance\":\"%s\",\"text\":\"%s\"}\n",
		       event->seq, fabric, instance, event->text);
}

static struct ft_text logged;

void ft_log(int priority, const char *format, ...)
{
	_cleanup_free_ char *line = NULL;
	va_list arguments;

	va_start(arguments, format);
	assert_true(vasprintf(&line, format, arguments) >= 0);
	va_end(arguments);
	ft_text_printf(&logged, "<%d>%s\n", priority, line);
}

static size_t times_logged(const char *what)
{
	size_t count = 0;

	for (const char *at = ft_text_string(&logged); (at = strstr(at, what)); at += strlen(what))
		count++;
	return count;
}

/* A directory for hooks, notes, and what hooks write; gone at the end of a test. */

struct place {
	char root[64];
	char hooks[80];
	char state[80];
	char record[80]; /* $FT_RECORD of the hooks */
	char go[80];	 /* $FT_GO: hooks that wait go on once it is there */
};

static struct place place;

static int set_up(void **state)
{
	static char record[sizeof("FT_RECORD=") + sizeof(place.record)], go[sizeof("FT_GO=") + sizeof(place.go)];
	const char *base = getenv("TMPDIR");

	(void)state;
	snprintf(place.root, sizeof(place.root), "%s/ftcheck-hooks.XXXXXX",
		 base && strlen(base) < 40 ? base : P_tmpdir);
	if (!mkdtemp(place.root))
		return -1;
	snprintf(place.hooks, sizeof(place.hooks), "%s/hooks.d", place.root);
	snprintf(place.state, sizeof(place.state), "%s/state", place.root);
	snprintf(place.record, sizeof(place.record), "%s/record", place.root);
	snprintf(place.go, sizeof(place.go), "%s/go", place.root);
	if (mkdir(place.hooks, 0700) < 0 || mkdir(place.state, 0700) < 0)
		return -1;
	/* What setenv(3) keeps looks like a leak to valgrind. */
	snprintf(record, sizeof(record), "FT_RECORD=%s", place.record);
	snprintf(go, sizeof(go), "FT_GO=%s", place.go);
	return putenv(record) == 0 && putenv(go) == 0 ? 0 : -1;
}

static void remove_below(const char *path)
{
	DIR *dir = opendir(path);
	const struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char child[PATH_MAX];

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		snprintf(child, sizeof(child), "%s/%s", path, entry->d_name);
		if (unlink(child) < 0)
			remove_below(child);
	}
	if (dir)
		closedir(dir);
	(void)rmdir(path);
}

static int tear_down(void **state)
{
	(void)state;
	remove_below(place.root);
	ft_text_release(&logged);
	logged = (struct ft_text){0};
	return 0;
}

static void write_file(const char *path, const char *content, mode_t mode)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_true(fputs(content, file) >= 0);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(chmod(path, mode), 0);
}

static void write_hook(const char *name, const char *content, mode_t mode)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", place.hooks, name);
	write_file(path, content, mode);
}

/* What hooks wrote; "" where they wrote nothing. */
static char *recorded(void)
{
	char *text = NULL;
	size_t length;

	if (ft_file_read(place.record, 0, &text, &length, NULL) < 0)
		text = strdup("");
	assert_non_null(text);
	return text;
}

static void assert_recorded(const char *expected)
{
	_cleanup_free_ char *text = recorded();

	assert_string_equal(text, expected);
}

/* The daemon, as far as hooks need one. */

struct stage {
	sd_event *loop;
	struct ft_alerts *alerts;
	struct ft_hooks *hooks;
	struct ft_hooks_options options;
	bool saves; /* after each change, as the daemon does */
};

static void on_change(void *userdata)
{
	struct stage *stage = userdata;

	stage->alerts->changes++;
	if (stage->saves)
		ft_hooks_saved(stage->hooks);
}

static int64_t clock_now_ms(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void stage_open(struct stage *stage, size_t events)
{
	static char id[] = "cable-missing:0x1:20-0x2:20", code[] = "cable-missing", text[] = "a cable is missing",
		    fix[] = "plug it in", name[] = "edge001";
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	assert_int_equal(sigprocmask(SIG_BLOCK, &child, NULL), 0);
	*stage = (struct stage){
		.options = {.directory = place.hooks,
			    .state_directory = place.state,
			    .fabric = "fabric",
			    .instance = "",
			    .timeout_ms = PATIENT_MS,
			    .retry_ms = 1,
			    .give_up_ms = DAY_MS},
		.saves = true,
	};
	assert_true(sd_event_new(&stage->loop) >= 0);
	stage->alerts = calloc(1, sizeof(*stage->alerts));
	assert_non_null(stage->alerts);
	stage->alerts->count = events;
	for (size_t i = 0; i < events; i++)
		stage->alerts->events[i] = (struct ft_event){
			.seq = i + 1,
			.kind = FT_EVENT_RAISED,
			.wall_ms = clock_now_ms(CLOCK_REALTIME),
			.raised_ms = clock_now_ms(CLOCK_REALTIME),
			.id = id,
			.code = code,
			.severity = FT_SEVERITY_WARNING,
			.text = text,
			.fix = fix,
			.place = {.name = name, .guid = 0x1, .port = 20},
		};
}

/* Returns how many hooks there are. */
static size_t stage_begin(struct stage *stage)
{
	size_t count;

	assert_int_equal(
		ft_hooks_new(stage->loop, &stage->options, stage->alerts, on_change, stage, &stage->hooks, NULL), 0);
	ft_hooks_scan(stage->hooks, &count);
	ft_hooks_kick(stage->hooks);
	return count;
}

static void stage_close(struct stage *stage)
{
	ft_hooks_free(stage->hooks);
	sd_event_unref(stage->loop);
	free(stage->alerts);
}

static bool nothing_waits(const struct stage *stage)
{
	size_t count;
	const char *const *sinks = ft_hooks_scan(stage->hooks, &count);

	for (size_t i = 0; i < count; i++)
		if (ft_alerts_next(stage->alerts, sinks[i]))
			return false;
	return true;
}

static bool has_record(const struct stage *stage)
{
	_cleanup_free_ char *text = recorded();

	(void)stage;
	return strchr(text, '\n');
}

/* Lets the loop run until it is so. */
static void stage_run(struct stage *stage, bool (*enough)(const struct stage *stage))
{
	int64_t end = clock_now_ms(CLOCK_MONOTONIC) + DEADLINE_MS;

	while (!enough(stage)) {
		if (clock_now_ms(CLOCK_MONOTONIC) > end)
			fail_msg("not within %d ms; logged:\n%s", DEADLINE_MS, ft_text_string(&logged));
		assert_true(sd_event_run(stage->loop, 10000) >= 0);
	}
}

/* One hook, one way to behave. */

#define SH "#!/bin/sh\n"

struct hook_case {
	const char *name;
	const char *script;
	unsigned int timeout_ms; /* 0: plenty */
	unsigned int retry_ms;
	size_t events;
	bool given_up; /* after the first failure */
	uint64_t succeeded, failed, lost;
	const char *record;
	const char *log; /* a part of it; NULL: nothing is logged */
};

static const struct hook_case hook_cases[] = {
	{"takes them in order", SH "echo $FTCHECK_SEQ >>$FT_RECORD\n", .events = 3, .succeeded = 3,
	 .record = "1\n2\n3\n"},
	{"fails", SH "echo no such host >&2; echo gone; exit 3\n", .events = 1, .given_up = true, .failed = 1,
	 .lost = 1,
	 .log = "<4>hook it: failed on event 1 (failure 1 in a row, again in 0.001 s): exit status 3: no such host | "
		"gone\n"
		"<3>hook it: event 1 is given up: raised: a cable is missing\n"},
	{"fails twice, then succeeds", SH "echo $FTCHECK_SEQ >>$FT_RECORD; [ $(wc -l <$FT_RECORD) -gt 2 ]\n",
	 .events = 2, .succeeded = 2, .failed = 2, .record = "1\n1\n1\n2\n",
	 .log = "<5>hook it: works again after 2 failures\n"},
	{"fails seven times: said at each doubling", SH "echo >>$FT_RECORD; [ $(wc -l <$FT_RECORD) -gt 7 ]\n",
	 .events = 1, .succeeded = 1, .failed = 7, .record = "\n\n\n\n\n\n\n\n",
	 .log = "(failure 1 in a row, again in 0.001 s): exit status 1\n"
		"<4>hook it: failed on event 1 (failure 2 in a row, again in 0.002 s): exit status 1\n"
		"<4>hook it: failed on event 1 (failure 4 in a row, again in 0.008 s): exit status 1\n"
		"<5>hook it: works again after 7 failures\n"},
	{"is killed", SH "kill -KILL $$\n", .events = 1, .given_up = true, .failed = 1, .lost = 1,
	 .log = ": killed by signal 9\n"},
	{"hangs", SH "echo waiting\nexec sleep 1000\n", .timeout_ms = 100, .events = 1, .given_up = true, .failed = 1,
	 .lost = 1, .log = ": it took too long"},
	{"hangs, and its children with it", SH "sleep 1000 | cat\n", .timeout_ms = 100, .events = 1, .given_up = true,
	 .failed = 1, .lost = 1, .log = ": it took too long"},
	{"ends well when told to, but too late", SH "trap 'exit 0' TERM\nwhile :; do sleep 0.01; done\n",
	 .timeout_ms = 500, .events = 1, .given_up = true, .failed = 1, .lost = 1, .log = ": it took too long"},
	{"hangs and does not listen", SH "trap '' TERM\nwhile :; do sleep 0.05; done\n", .timeout_ms = 100, .events = 1,
	 .given_up = true, .failed = 1, .lost = 1, .log = ": it took too long"},
	{"is stopped", SH "kill -STOP $$\n", .timeout_ms = 100, .events = 1, .given_up = true, .failed = 1, .lost = 1,
	 .log = ": it took too long"},
	{"prints 10 MB", SH "head -c 10485760 /dev/zero; head -c 10485760 /dev/zero >&2; echo $? >>$FT_RECORD\n",
	 .events = 1, .succeeded = 1, .record = "0\n"},
	{"prints without end", SH "exec yes\n", .timeout_ms = 300, .events = 1, .given_up = true, .failed = 1,
	 .lost = 1, .log = ": it took too long"},
	{"prints what a terminal obeys", SH "printf '\\033[2Jred\\n\\n\\tx\\377'; exit 1\n", .events = 1,
	 .given_up = true, .failed = 1, .lost = 1, .log = ": exit status 1: \\x1b[2Jred | \\x09x\\xff\n"},
	{"prints a long line", SH "printf '%0298d'; printf '\\303\\244 and more'; exit 1\n", .events = 1,
	 .given_up = true, .failed = 1, .lost = 1, .log = "00000\303\244...\n"},
	{"prints a long line, a character lies across its end", SH "printf '%0299d'; printf '\\303\\244'; exit 1\n",
	 .events = 1, .given_up = true, .failed = 1, .lost = 1, .log = "00000...\n"},
	{"prints a long line, an escape lies across its end", SH "printf '%0297d\\033x'; exit 1\n", .events = 1,
	 .given_up = true, .failed = 1, .lost = 1, .log = "00000...\n"},
	{"closes everything", SH "exec <&- >&- 2>&-\necho $FTCHECK_SEQ >>$FT_RECORD\n", .events = 2, .succeeded = 2,
	 .record = "1\n2\n"},
	{"leaves a child that holds its output open",
	 SH "sleep 1000 &\necho $! >$FT_GO; echo $FTCHECK_SEQ >>$FT_RECORD\n", .events = 1, .succeeded = 1,
	 .record = "1\n"},
	{"fails and leaves a child", SH "sleep 1000 &\nexit 1\n", .events = 1, .given_up = true, .failed = 1, .lost = 1,
	 .log = ": exit status 1\n"},
	{"has no #! line", "echo $FTCHECK_SEQ >>$FT_RECORD\n", .events = 1, .given_up = true, .failed = 1, .lost = 1,
	 .log = ": exit status 127: cannot be run: neither a program nor a script with a #! line\n"},
	{"wants an interpreter that is not there", "#!/nowhere/sh\n", .events = 1, .given_up = true, .failed = 1,
	 .lost = 1, .log = ": exit status 127: cannot be run: No such file or directory\n"},
	{"signals its group", SH "trap '' TERM\nkill -TERM 0\necho $FTCHECK_SEQ >>$FT_RECORD\n", .events = 2,
	 .succeeded = 2, .record = "1\n2\n"},
	{"tells its runner to end", SH "kill -TERM $PPID; kill -HUP $PPID; kill -PIPE $PPID; echo on >>$FT_RECORD\n",
	 .events = 1, .succeeded = 1, .record = "on\n"},
	{"kills its runner",
	 SH "echo $FTCHECK_SEQ >>$FT_RECORD; [ $(wc -l <$FT_RECORD) -gt 1 ] || { kill -KILL $PPID; sleep 1000; }\n",
	 .events = 1, .succeeded = 1, .failed = 1, .record = "1\n1\n", .log = ": its runner was killed by signal 9\n"},
};

/* There an execve(2) that fails late ends the process. */
static bool on_valgrind(void)
{
	const char *preload = getenv("LD_PRELOAD");

	return preload && strstr(preload, "vgpreload");
}

static void test_hook(void **state)
{
	const struct hook_case *c = *state;
	struct ft_hooks_counts counts;
	struct stage stage;

	if (c->log && strstr(c->log, "cannot be run") && on_valgrind())
		skip_for("not under valgrind");
	write_hook("it", c->script, 0755);
	stage_open(&stage, c->events);
	if (c->timeout_ms)
		stage.options.timeout_ms = c->timeout_ms;
	if (c->given_up)
		stage.options.give_up_ms = 0;
	assert_int_equal(stage_begin(&stage), 1);
	stage_run(&stage, nothing_waits);
	counts = ft_hooks_counts(stage.hooks);
	assert_int_equal(counts.succeeded, c->succeeded);
	assert_int_equal(counts.failed, c->failed);
	assert_int_equal(counts.given_up, c->lost);
	assert_true(stage.alerts->changes >= 1);
	assert_recorded(c->record ? c->record : "");
	if (!c->log)
		assert_string_equal(ft_text_string(&logged), "");
	else if (times_logged(c->log) != 1)
		fail_msg("logged:\n%s", ft_text_string(&logged));
	/* A few KiB at most, however much was printed. */
	assert_true(logged.length < 5 * 4096);
	stage_close(&stage);
	if (access(place.go, F_OK) == 0) {
		_cleanup_free_ char *text = NULL;
		size_t length;

		assert_int_equal(ft_file_read(place.go, 0, &text, &length, NULL), 0);
		(void)kill((pid_t)atol(text), SIGKILL);
	}
}

/* No process is left whose group the hook was; a runner that was killed has taken it with it. */
static bool group_is_gone(pid_t group)
{
	return kill(-group, 0) < 0 && errno == ESRCH;
}

static void test_group_ends(void **state)
{
	static const char *const scripts[] = {
		/* The hook fails, hangs, hangs deafly, or its runner is killed: its children go with it. */
		SH "echo $$ >>$FT_RECORD; sleep 1000 & exit 1\n",
		SH "sleep 1000 & echo $$ >>$FT_RECORD; sleep 1000\n",
		SH "trap '' TERM; sleep 1000 & echo $$ >>$FT_RECORD; sleep 1000\n",
		SH "sleep 1000 & echo $$ >>$FT_RECORD; kill -KILL $PPID; sleep 1000\n",
	};

	(void)state;
	for (size_t i = 0; i < FT_COUNT(scripts); i++) {
		int64_t end = clock_now_ms(CLOCK_MONOTONIC) + DEADLINE_MS;
		_cleanup_free_ char *text = strdup("");

		assert_non_null(text);
		(void)unlink(place.record);
		write_hook("it", scripts[i], 0755);
		/* On a busy machine it may not have come as far as to say who it is. */
		for (unsigned int timeout_ms = 500; text[0] == '\0'; timeout_ms *= 2) {
			struct stage stage;

			stage_open(&stage, 1);
			stage.options.timeout_ms = timeout_ms;
			stage.options.give_up_ms = 0;
			stage_begin(&stage);
			stage_run(&stage, nothing_waits);
			stage_close(&stage);
			free(text);
			text = recorded();
		}
		assert_true(atol(text) > 1);
		while (!group_is_gone((pid_t)atol(text))) {
			/* Orphans come to this process: one that is killed is in its group until it is waited for. */
			(void)waitpid((pid_t)-atol(text), NULL, WNOHANG);
			assert_true(clock_now_ms(CLOCK_MONOTONIC) < end);
			assert_true(usleep(1000) == 0);
		}
	}
}

/* What a hook gets. */

static int compare_strings(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void test_environment(void **state)
{
	static char text[] = "the cable between edge001 and \"core\" `01` is missing; $(reboot)";
	static const char *const expected[] = {
		"FTCHECK_CODE=cable-missing",
		"FTCHECK_DURATION_S=120.042",
		"FTCHECK_EVENT=cleared",
		"FTCHECK_FABRIC=fab",
		"FTCHECK_FIX=",
		"FTCHECK_GUID=0x0000000000000001",
		"FTCHECK_ID=cable-missing:0x1:20-0x2:20",
		"FTCHECK_INSTANCE=mlx5_0:1",
		"FTCHECK_MAILTO=ops",
		"FTCHECK_PORT=20",
		"FTCHECK_RAISED_AT=2023-11-14T22:13:20.000Z",
		"FTCHECK_SEQ=1",
		"FTCHECK_SEVERITY=critical",
		"FTCHECK_SWITCH=edge001",
		"FTCHECK_TEXT=the cable between edge001 and \"core\" `01` is missing; $(reboot)",
		"FTCHECK_TIME=2023-11-14T22:15:20.042Z",
		"JOURNAL_STREAM=8:1",
		"LD_PRELOAD=",
	};
	char *given[] = {
		(char[]){"FTCHECK_MAILTO=ops"},
		(char[]){"FTCHECK_TEXT=of somebody else"},
		(char[]){"JOURNAL_STREAM=8:1"},
		(char[]){"LD_PRELOAD="},
		(char[]){"LISTEN_FDS=1"},
		(char[]){"LISTEN_FDNAMES=http"},
		(char[]){"LISTEN_PID=1"},
		(char[]){"NOTIFY_SOCKET=@nobody"},
		(char[]){"WATCHDOG_PID=1"},
		(char[]){"WATCHDOG_USEC=1"},
		NULL,
	};
	_cleanup_free_ char *found = NULL;
	char *lines[64], record[256], **before = environ;
	size_t count = 0;
	struct stage stage;

	(void)state;
	/* The environment as execve(2) gave it, before the shell has added to it. */
	snprintf(record, sizeof(record), SH "/usr/bin/tr '\\0' '\\n' </proc/$$/environ >%s\n", place.record);
	write_hook("it", record, 0755);
	stage_open(&stage, 1);
	stage.options.fabric = "fab";
	stage.options.instance = "mlx5_0:1";
	stage.alerts->events[0].kind = FT_EVENT_CLEARED;
	stage.alerts->events[0].severity = FT_SEVERITY_CRITICAL;
	stage.alerts->events[0].raised_ms = 1700000000000;
	stage.alerts->events[0].wall_ms = 1700000120042;
	stage.alerts->events[0].duration_ms = 120042;
	stage.alerts->events[0].text = text;
	stage.alerts->events[0].fix = NULL;
	environ = given;
	stage_begin(&stage);
	environ = before;
	stage_run(&stage, nothing_waits);
	stage_close(&stage);

	found = recorded();
	for (char *line = strtok(found, "\n"); line && count < FT_COUNT(lines); line = strtok(NULL, "\n"))
		lines[count++] = line;
	qsort(lines, count, sizeof(*lines), compare_strings);
	for (size_t i = 0; i < FT_COUNT(expected) && i < count; i++)
		assert_string_equal(lines[i], expected[i]);
	assert_int_equal(count, FT_COUNT(expected));
}

/* Standard input, arguments, directory; and nothing open that is not its own, in it and in its runner. */
static void test_surroundings(void **state)
{
	char path[128], expected[512];
	int sockets[2], listing, leak;
	struct stage stage;

	(void)state;
	/* Left open on exec by somebody's mistake. */
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
	listing = open("/", O_RDONLY | O_DIRECTORY);
	leak = open("/dev/zero", O_RDONLY);
	assert_true(listing >= 0 && leak >= 0);
	write_hook("it",
		   SH "exec 9>>$FT_RECORD\n"
		      "echo \"$0 $# $PWD\" >&9\n"
		      "cat >&9\n"
		      /* Not through a pipe: the shell that makes it has its ends for a moment. */
		      "(exec >$FT_RECORD.fds; ls /proc/$$/fd)\n"
		      "tr '\\n' ' ' <$FT_RECORD.fds >&9\n"
		      "echo >&9\n"
		      /* The runner may not have come as far as to close its end of the input. */
		      "for i in 1 2 3 4 5 6 7 8 9; do\n"
		      "	ls -l /proc/$PPID/fd >$FT_RECORD.fds\n"
		      "	grep -q -e socket: -e /dev/zero -e '> /$' -e memfd: -e eventpoll $FT_RECORD.fds || break\n"
		      "	sleep 1\n"
		      "done\n"
		      "grep -c -e socket: -e /dev/zero -e '> /$' -e memfd: -e eventpoll $FT_RECORD.fds >&9\n"
		      "rm $FT_RECORD.fds\n"
		      /* By the shell itself: it blocks signals for a moment when it starts something.
			 Signals 32 and 33 are the C library's own. */
		      "while read -r key value; do\n"
		      "	case $key in SigBlk: | SigIgn:) echo $((0x$value & 0x7fffffff)) >&9 ;; esac\n"
		      "done </proc/$$/status\n"
		      "[ $(ps -o pgid= $$) = $$ ] && [ $(ps -o sid= $$) = $$ ] && [ $(ps -o pgid= $PPID) != $$ ] && "
		      "echo apart >&9\n",
		   0755);
	stage_open(&stage, 1);
	stage_begin(&stage);
	stage_run(&stage, nothing_waits);
	snprintf(path, sizeof(path), "%s/it", place.hooks);
	/* 10 is the shell's own, where it reads the script from. */
	snprintf(expected, sizeof(expected),
		 "%s 0 /\n{\"seq\":1,\"fabric\":\"fabric\",\"instance\":\"\",\"text\":\"a cable is missing\"}\n"
		 "0 1 10 2 9 \n0\n0\n0\napart\n",
		 path);
	assert_recorded(expected);
	stage_close(&stage);
	close(sockets[0]);
	close(sockets[1]);
	close(listing);
	close(leak);
}

/* More than a pipe holds, read or not; and a variable has its limit. */
static void test_long_text(void **state)
{
	enum { LENGTH = 3 * 1000 * 1000 };
	_cleanup_free_ char *text = malloc(LENGTH + 1);
	struct stage stage;

	(void)state;
	assert_non_null(text);
	/* Characters of two bytes, one byte off: 4096 is in the middle of one. */
	text[0] = 'x';
	for (size_t i = 1; i < LENGTH; i++)
		text[i] = i % 2 ? '\xc3' : '\xa9';
	text[LENGTH - 1] = '\0';
	write_hook("reads", SH "wc -c >>$FT_RECORD\nprintf %s \"$FTCHECK_TEXT\" | wc -c >>$FT_RECORD\n", 0755);
	write_hook("reads-not", SH "exit 0\n", 0755);
	stage_open(&stage, 1);
	stage.alerts->events[0].text = text;
	assert_int_equal(stage_begin(&stage), 2);
	stage_run(&stage, nothing_waits);
	assert_int_equal(ft_hooks_counts(stage.hooks).succeeded, 2);
	assert_recorded("3000051\n4095\n");
	stage_close(&stage);
}

/* Many events through several hooks: each event once, in order, and never two of the same hook at once. */
static void test_many(void **state)
{
	enum { HOOKS = 3, EVENTS = 100 };
	struct ft_text expected = {0};
	struct stage stage;

	(void)state;
	for (int i = 0; i < HOOKS; i++) {
		char name[16];

		snprintf(name, sizeof(name), "hook%d", i);
		write_hook(name,
			   SH "me=${0##*/}\nmkdir $FT_RECORD.$me || { echo two >>$FT_RECORD; exit 1; }\n"
			      "echo $FTCHECK_SEQ >>$FT_RECORD.$me.seen\nrmdir $FT_RECORD.$me\n",
			   0755);
	}
	stage_open(&stage, EVENTS);
	assert_int_equal(stage_begin(&stage), HOOKS);
	while (!nothing_waits(&stage)) {
		ft_hooks_kick(stage.hooks);
		assert_true(sd_event_run(stage.loop, 10000) >= 0);
	}
	assert_int_equal(ft_hooks_counts(stage.hooks).succeeded, HOOKS * EVENTS);
	assert_int_equal(ft_hooks_counts(stage.hooks).failed, 0);
	assert_recorded("");
	for (int i = 1; i <= EVENTS; i++)
		ft_text_printf(&expected, "%d\n", i);
	for (int i = 0; i < HOOKS; i++) {
		_cleanup_free_ char *text = NULL;
		char path[128];
		size_t length;

		snprintf(path, sizeof(path), "%s.hook%d.seen", place.record, i);
		assert_int_equal(ft_file_read(path, 0, &text, &length, NULL), 0);
		assert_string_equal(text, ft_text_string(&expected));
	}
	ft_text_release(&expected);
	stage_close(&stage);
}

static bool good_one_is_through(const struct stage *stage)
{
	return !ft_alerts_next(stage->alerts, "hook:good");
}

static bool slow_one_is_through(const struct stage *stage)
{
	return !ft_alerts_next(stage->alerts, "hook:slow");
}

/* One that fails, or takes its time, keeps nobody else waiting. */
static void test_independent(void **state)
{
	struct stage stage;

	(void)state;
	write_hook("bad", SH "exit 1\n", 0755);
	write_hook("good", SH "echo $FTCHECK_SEQ >>$FT_RECORD\n", 0755);
	write_hook("slow", SH "while [ ! -e $FT_GO ]; do sleep 0.01; done\n", 0755);
	stage_open(&stage, 5);
	stage.options.retry_ms = DAY_MS;
	assert_int_equal(stage_begin(&stage), 3);
	stage_run(&stage, good_one_is_through);
	assert_recorded("1\n2\n3\n4\n5\n");
	assert_int_equal(ft_alerts_next(stage.alerts, "hook:bad")->seq, 1);
	assert_int_equal(ft_alerts_next(stage.alerts, "hook:slow")->seq, 1);
	write_file(place.go, "", 0644);
	stage_run(&stage, slow_one_is_through);
	assert_int_equal(ft_alerts_next(stage.alerts, "hook:bad")->seq, 1);
	stage_close(&stage);
}

/* The directory. */

static void assert_scan(struct stage *stage, const char *expected)
{
	_cleanup_(ft_text_release) struct ft_text found = {0};
	size_t count;
	const char *const *names = ft_hooks_scan(stage->hooks, &count);

	if (!names)
		ft_text_puts(&found, "unknown");
	for (size_t i = 0; i < count; i++)
		ft_text_printf(&found, "%s ", names[i]);
	assert_string_equal(ft_text_string(&found), expected);
}

static void test_scan(void **state)
{
	char path[256], longest[FT_HOOK_NAME_MAX + 2];
	struct stage stage;

	(void)state;
	stage_open(&stage, 0);
	stage_begin(&stage);
	assert_scan(&stage, "");
	write_hook("b.2_x-Y", SH, 0755);
	write_hook("a", SH, 0755);
	write_hook("not-executable", SH, 0644);
	write_hook(".hidden", SH, 0755);
	write_hook("mail.dpkg-old", SH, 0755);
	write_hook("mail.bak", SH, 0755);
	write_hook("mail~", SH, 0755);
	write_hook("two words", SH, 0755);
	write_hook("bell\a", SH, 0755);
	memset(longest, 'z', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	write_hook(longest, SH, 0755);
	snprintf(path, sizeof(path), "%s/directory", place.hooks);
	assert_int_equal(mkdir(path, 0755), 0);
	snprintf(path, sizeof(path), "%s/fifo", place.hooks);
	assert_int_equal(mkfifo(path, 0755), 0);
	snprintf(path, sizeof(path), "%s/link", place.hooks);
	assert_int_equal(symlink("a", path), 0);
	snprintf(path, sizeof(path), "%s/dangling", place.hooks);
	assert_int_equal(symlink("nowhere", path), 0);
	assert_scan(&stage, "hook:a hook:b.2_x-Y hook:link ");
	assert_scan(&stage, "hook:a hook:b.2_x-Y hook:link ");
	assert_int_equal(times_logged("is left out"), 4);
	assert_int_equal(times_logged("/two words is left out: names of hooks are up to 200 of A-Z a-z 0-9 . _ -\n"),
			 1);
	snprintf(path, sizeof(path), "%s/a", place.hooks);
	assert_int_equal(unlink(path), 0);
	assert_scan(&stage, "hook:b.2_x-Y ");
	write_hook("a", SH, 0755);
	assert_scan(&stage, "hook:a hook:b.2_x-Y hook:link ");
	/* Not a directory any more: that says nothing about the hooks. One that is gone does. */
	snprintf(path, sizeof(path), "%s/away", place.root);
	assert_int_equal(rename(place.hooks, path), 0);
	write_file(place.hooks, "", 0644);
	assert_scan(&stage, "unknown");
	assert_scan(&stage, "unknown");
	assert_int_equal(times_logged(": Not a directory: the hooks stay as they were\n"), 1);
	assert_int_equal(unlink(place.hooks), 0);
	assert_scan(&stage, "");
	stage_close(&stage);
}

static bool has_failed(const struct stage *stage)
{
	return ft_hooks_counts(stage->hooks).failed > 0;
}

/* It goes between the look into the directory and its turn, and comes back. */
static void test_vanished(void **state)
{
	char path[128];
	size_t count;
	struct stage stage;

	(void)state;
	snprintf(path, sizeof(path), "%s/it", place.hooks);
	write_hook("it", SH "exit 1\n", 0755);
	stage_open(&stage, 2);
	assert_int_equal(ft_hooks_new(stage.loop, &stage.options, stage.alerts, on_change, &stage, &stage.hooks, NULL),
			 0);
	ft_hooks_scan(stage.hooks, &count);
	assert_int_equal(unlink(path), 0);
	ft_hooks_kick(stage.hooks);
	stage_run(&stage, has_failed);
	assert_int_equal(times_logged("cannot be run: No such file or directory\n"), 1);
	ft_hooks_scan(stage.hooks, &count);
	assert_int_equal(count, 0);
	ft_hooks_kick(stage.hooks);
	write_hook("it", SH "echo $FTCHECK_SEQ >>$FT_RECORD\n", 0755);
	ft_hooks_scan(stage.hooks, &count);
	assert_int_equal(count, 1);
	ft_hooks_kick(stage.hooks);
	stage_run(&stage, nothing_waits);
	assert_recorded("1\n2\n");
	stage_close(&stage);
}

/* What waits for one that was deleted is dropped with it, also while it waits for its next try. */
static void test_deleted(void **state)
{
	uint64_t failed;
	char path[128];
	size_t count;
	struct stage stage;

	(void)state;
	snprintf(path, sizeof(path), "%s/it", place.hooks);
	write_hook("it", SH "exit 1\n", 0755);
	stage_open(&stage, 1);
	stage_begin(&stage);
	stage_run(&stage, has_failed);
	assert_int_equal(unlink(path), 0);
	assert_non_null(ft_hooks_scan(stage.hooks, &count));
	assert_int_equal(count, 0);
	failed = ft_hooks_counts(stage.hooks).failed;
	write_hook("other", SH "echo $FTCHECK_SEQ >>$FT_RECORD\n", 0755);
	assert_non_null(ft_hooks_scan(stage.hooks, &count));
	ft_hooks_kick(stage.hooks);
	stage_run(&stage, has_record);
	/* The one that was on its way to be run when the file went may say that it found none; no later one. */
	assert_true(ft_hooks_counts(stage.hooks).failed <= failed + 1);
	assert_true(times_logged("No such file") <= 1);
	stage_close(&stage);
}

/* Each event has its own retries. */

static void other_alert(struct stage *stage, size_t event, const char *id)
{
	stage->alerts->events[event].id = (char *)(uintptr_t)id;
}

static bool second_is_through(const struct stage *stage)
{
	return stage->alerts->done[sink_index(stage->alerts, "hook:it")][1];
}

/* One that fails keeps back what comes after it of the same alert, and nothing else. */
static void test_own_retries(void **state)
{
	struct stage stage;

	(void)state;
	write_hook("it", SH "echo $FTCHECK_SEQ >>$FT_RECORD; [ $FTCHECK_SEQ != 1 ] || [ -e $FT_GO ]\n", 0755);
	stage_open(&stage, 4);
	stage.options.retry_ms = DAY_MS;
	other_alert(&stage, 1, "edge-isolated:0x3");
	other_alert(&stage, 3, "edge-isolated:0x3");
	stage_begin(&stage);
	stage_run(&stage, second_is_through);
	assert_int_equal(ft_alerts_next(stage.alerts, "hook:it")->seq, 1);
	while (!stage.alerts->done[sink_index(stage.alerts, "hook:it")][3])
		assert_true(sd_event_run(stage.loop, 10000) >= 0);
	assert_recorded("1\n2\n4\n");
	/* The third is the end of the first. */
	assert_false(stage.alerts->done[sink_index(stage.alerts, "hook:it")][2]);
	write_file(place.go, "", 0644);
	assert_int_equal(ft_hooks_set_options(stage.hooks, &stage.options), 0);
	ft_hooks_kick(stage.hooks);
	stage_run(&stage, nothing_waits);
	assert_recorded("1\n2\n4\n1\n3\n");
	assert_int_equal(times_logged("hook it: works again after 1 failure\n"), 1);
	assert_int_equal(ft_hooks_runs(stage.hooks, 0)->succeeded, 4);
	assert_int_equal(ft_hooks_runs(stage.hooks, 0)->failed, 1);
	assert_string_equal(ft_hooks_runs(stage.hooks, 0)->name, "it");
	assert_null(ft_hooks_runs(stage.hooks, 1));
	stage_close(&stage);
}

/* Those that fail are tried again each in its own time, and do not wait for each other. */
static void test_retries_apart(void **state)
{
	struct ft_hooks_counts counts;
	struct stage stage;

	(void)state;
	/* Each the second time only, but the first one never until all others are through. */
	write_hook("it",
		   SH "echo $FTCHECK_SEQ >>$FT_RECORD\n"
		      "[ $FTCHECK_SEQ != 1 ] || [ -e $FT_GO ] || exit 1\n"
		      "[ $(grep -cx $FTCHECK_SEQ $FT_RECORD) -ge 2 ]\n",
		   0755);
	stage_open(&stage, 3);
	other_alert(&stage, 1, "cable-missing:0x1-0x3");
	other_alert(&stage, 2, "cable-missing:0x1-0x4");
	stage_begin(&stage);
	while (!stage.alerts->done[sink_index(stage.alerts, "hook:it")][1] ||
	       !stage.alerts->done[sink_index(stage.alerts, "hook:it")][2])
		assert_true(sd_event_run(stage.loop, 10000) >= 0);
	write_file(place.go, "", 0644);
	stage_run(&stage, nothing_waits);
	counts = ft_hooks_counts(stage.hooks);
	assert_int_equal(counts.succeeded, 3);
	assert_true(counts.failed >= 3);
	stage_close(&stage);
}

/* What is critical does not wait for what is not, but for what came before it of the same alert. */
static void test_critical_first(void **state)
{
	static char id[] = "x", text[] = "y";
	struct stage stage;

	(void)state;
	write_hook("it", SH "while [ ! -e $FT_GO ]; do sleep 0.01; done\necho $FTCHECK_SEQ >>$FT_RECORD\n", 0755);
	stage_open(&stage, 2);
	other_alert(&stage, 1, "cable-missing:0x1-0x3");
	stage_begin(&stage);
	/* While it is told of the first. */
	stage.alerts->count = 5;
	for (size_t i = 2; i < 5; i++)
		stage.alerts->events[i] = (struct ft_event){.seq = i + 1, .id = id, .text = text};
	other_alert(&stage, 2, "cable-missing:0x1-0x4");
	other_alert(&stage, 3, "edge-isolated:0x3");
	other_alert(&stage, 4, "cable-missing:0x1-0x4");
	stage.alerts->events[3].severity = FT_SEVERITY_CRITICAL;
	stage.alerts->events[4].severity = FT_SEVERITY_CRITICAL;
	ft_hooks_kick(stage.hooks);
	write_file(place.go, "", 0644);
	stage_run(&stage, nothing_waits);
	assert_recorded("1\n4\n3\n5\n2\n");
	stage_close(&stage);
}

/* A hook that fails for everything is not run without a pause. */
static void test_broken_for_all(void **state)
{
	enum { EVENTS = 100 };
	static char ids[EVENTS][16];
	int64_t begin, end;
	struct stage stage;

	(void)state;
	write_hook("it", SH "exit 1\n", 0755);
	stage_open(&stage, EVENTS);
	for (size_t i = 0; i < EVENTS; i++) {
		snprintf(ids[i], sizeof(ids[i]), "alert:%zu", i);
		other_alert(&stage, i, ids[i]);
	}
	begin = clock_now_ms(CLOCK_MONOTONIC);
	stage_begin(&stage);
	while (ft_hooks_counts(stage.hooks).failed < 35)
		assert_true(sd_event_run(stage.loop, 10000) >= 0);
	end = clock_now_ms(CLOCK_MONOTONIC);
	assert_true(end - begin >= 3000);
	assert_true(times_logged("hook it: failed on event") <= 6);
	stage_close(&stage);
}

/* Whom a hook may be left to. */

static void assert_refused(struct stage *stage, const char *line)
{
	size_t count;

	ft_text_reset(&logged);
	ft_hooks_scan(stage->hooks, &count);
	ft_hooks_scan(stage->hooks, &count);
	if (times_logged(line) != 1)
		fail_msg("not logged once: %s\nlogged:\n%s", line, ft_text_string(&logged));
	assert_int_equal(ft_hooks_counts(stage->hooks).refused, 1);
}

static void assert_trusted(struct stage *stage)
{
	size_t count;

	ft_text_reset(&logged);
	ft_hooks_scan(stage->hooks, &count);
	assert_int_equal(ft_hooks_counts(stage->hooks).refused, 0);
	assert_string_equal(ft_text_string(&logged), "");
	assert_int_equal(count, 1);
}

static void test_trust(void **state)
{
	char hook[256], line[600], inner[256], link[256];
	struct stage stage;
	size_t count;

	(void)state;
	write_hook("it", SH "echo $FTCHECK_SEQ >>$FT_RECORD\n", 0757);
	snprintf(hook, sizeof(hook), "%s/it", place.hooks);
	stage_open(&stage, 1);
	/* Refused, and nothing waits for it. */
	assert_int_equal(stage_begin(&stage), 0);
	snprintf(line, sizeof(line), "<4>hook it is not run: %s can be written by everybody: chmod go-w %s\n", hook,
		 hook);
	assert_int_equal(times_logged(line), 1);
	assert_recorded("");

	assert_int_equal(chmod(hook, 0755), 0);
	assert_trusted(&stage);
	ft_hooks_kick(stage.hooks);
	stage_run(&stage, nothing_waits);
	assert_recorded("1\n");

	/* The folder; and now something does wait for it. */
	assert_int_equal(chmod(place.hooks, 0777), 0);
	snprintf(line, sizeof(line), "<4>no hook is run: %s can be written by everybody: chmod go-w %s\n", place.hooks,
		 place.hooks);
	assert_refused(&stage, line);
	ft_hooks_scan(stage.hooks, &count);
	assert_int_equal(count, 1);
	stage.alerts->events[1] = stage.alerts->events[0];
	stage.alerts->events[1].seq = 2;
	stage.alerts->count = 2;
	ft_hooks_kick(stage.hooks);
	assert_int_equal(ft_hooks_counts(stage.hooks).failed, 0);
	assert_int_equal(ft_alerts_next(stage.alerts, "hook:it")->seq, 2);
	assert_int_equal(chmod(place.hooks, 0755), 0);
	assert_trusted(&stage);
	ft_hooks_kick(stage.hooks);
	stage_run(&stage, nothing_waits);
	assert_recorded("1\n2\n");

	/* A link: where it leads to, and the directories on the way. Changed after the scan, it is not run either. */
	snprintf(inner, sizeof(inner), "%s/inner", place.root);
	assert_int_equal(mkdir(inner, 0755), 0);
	snprintf(link, sizeof(link), "%s/inner/real", place.root);
	assert_int_equal(rename(hook, link), 0);
	assert_int_equal(symlink("../inner/real", hook), 0);
	assert_trusted(&stage);
	assert_int_equal(chmod(inner, 0777), 0);
	stage.alerts->events[2] = stage.alerts->events[0];
	stage.alerts->events[2].seq = 3;
	stage.alerts->count = 3;
	ft_hooks_kick(stage.hooks);
	assert_int_equal(ft_alerts_next(stage.alerts, "hook:it")->seq, 3);
	snprintf(line, sizeof(line), "<4>hook it is not run: %s can be written by everybody: chmod go-w %s\n", inner,
		 inner);
	assert_refused(&stage, line);
	/* Nobody can rename another's file there. */
	assert_int_equal(chmod(inner, 01777), 0);
	assert_trusted(&stage);
	ft_hooks_kick(stage.hooks);
	stage_run(&stage, nothing_waits);
	assert_recorded("1\n2\n3\n");

	if (geteuid() == 0) {
		assert_int_equal(chown(link, 12345, 0), 0);
		snprintf(line, sizeof(line), "<4>hook it is not run: %s belongs to user 12345: chown root %s\n", link,
			 link);
		assert_refused(&stage, line);
		assert_int_equal(chown(link, 0, 0), 0);
		assert_int_equal(lchown(hook, 12345, 0), 0);
		snprintf(line, sizeof(line), "<4>hook it is not run: %s belongs to user 12345: chown -h root %s\n",
			 hook, hook);
		assert_refused(&stage, line);
		assert_int_equal(lchown(hook, 0, 0), 0);
		assert_int_equal(chmod(link, 0775), 0);
		snprintf(line, sizeof(line), "<4>hook it is not run: %s can be written by its group: chmod g-w %s\n",
			 link, link);
		assert_refused(&stage, line);
	} else {
		assert_int_equal(chmod(link, 0775), 0);
		assert_trusted(&stage);
	}
	stage_close(&stage);
}

/* As any user: root and that user are trusted, and a user's group. */
static void test_trust_of_users(void **state)
{
	_cleanup_(ft_text_release) struct ft_text why = {0};

	(void)state;
	write_hook("it", SH, 0775);
	assert_int_equal(ft_trust_check(place.hooks, geteuid() ? geteuid() : 4711, &why), 0);
	assert_int_equal(ft_trust_check("/no/such/thing", 0, &why), -ENOENT);
	assert_int_equal(ft_trust_check("relative", 0, &why), -EINVAL);
	assert_int_equal(ft_trust_check("/dev/null", 4711, &why), -EPERM);
	assert_string_equal(ft_text_string(&why), "/dev/null can be written by everybody: chmod go-w /dev/null");
}

/* Giving up. */

/* The clock was set to next year: what waits is old by it at once, but no hook has failed for so long. */
static void test_clock_steps(void **state)
{
	struct stage stage;

	(void)state;
	write_hook("it", SH "echo $FTCHECK_SEQ >>$FT_RECORD; [ $(wc -l <$FT_RECORD) -gt 3 ]\n", 0755);
	stage_open(&stage, 2);
	stage.alerts->events[0].wall_ms -= 365 * (int64_t)DAY_MS;
	stage.alerts->events[1].wall_ms -= 365 * (int64_t)DAY_MS;
	stage_begin(&stage);
	stage_run(&stage, nothing_waits);
	assert_int_equal(ft_hooks_counts(stage.hooks).given_up, 0);
	assert_int_equal(ft_hooks_counts(stage.hooks).succeeded, 2);
	stage_close(&stage);
}

static bool has_given_up(const struct stage *stage)
{
	return ft_hooks_counts(stage->hooks).given_up == 3;
}

/* What is as old goes after a try each; what is younger waits on. */
static void test_give_up(void **state)
{
	struct stage stage;

	(void)state;
	write_hook("it", SH "exit 1\n", 0755);
	stage_open(&stage, 4);
	stage.options.give_up_ms = 200;
	for (size_t i = 0; i < 3; i++)
		stage.alerts->events[i].wall_ms -= DAY_MS;
	stage.alerts->events[3].wall_ms += DAY_MS;
	stage_begin(&stage);
	stage_run(&stage, has_given_up);
	assert_int_equal(ft_hooks_counts(stage.hooks).given_up, 3);
	assert_true(ft_hooks_counts(stage.hooks).failed > 3);
	assert_int_equal(ft_alerts_next(stage.alerts, "hook:it")->seq, 4);
	assert_int_equal(times_logged(" is given up: raised: "), 3);
	stage_close(&stage);
}

/* A reload: what runs goes on, what waits for its next try need not. */
static void test_options(void **state)
{
	struct stage stage;

	(void)state;
	write_hook("it", SH "exit 1\n", 0755);
	stage_open(&stage, 1);
	stage.options.retry_ms = DAY_MS;
	stage_begin(&stage);
	stage_run(&stage, has_failed);
	write_hook("it", SH "echo $FTCHECK_FABRIC >>$FT_RECORD; while [ ! -e $FT_GO ]; do sleep 0.01; done\n", 0755);
	stage.options.fabric = "other";
	assert_int_equal(ft_hooks_set_options(stage.hooks, &stage.options), 0);
	ft_hooks_kick(stage.hooks);
	stage_run(&stage, has_record);
	stage.options.fabric = "third";
	assert_int_equal(ft_hooks_set_options(stage.hooks, &stage.options), 0);
	ft_hooks_kick(stage.hooks);
	write_file(place.go, "", 0644);
	stage_run(&stage, nothing_waits);
	assert_recorded("other\n");
	stage_close(&stage);
}

/* Notes, and what outlives the daemon. */

static void assert_notes(const char *expected)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};
	char path[128];
	struct dirent **entries;
	int count;

	snprintf(path, sizeof(path), "%s/hooks", place.state);
	count = scandir(path, &entries, NULL, alphasort);
	for (int i = 0; i < count; i++) {
		if (entries[i]->d_name[0] != '.')
			ft_text_printf(&text, "%s ", entries[i]->d_name);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	/* In their order. */
	assert_string_equal(ft_text_string(&text), expected);
}

static void write_note(const char *name, const char *content)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/hooks", place.state);
	(void)mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/hooks/%s", place.state, name);
	write_file(path, content, 0600);
}

/* They go only once the alerts are saved, and only those that nobody waits for. */
static void test_notes(void **state)
{
	struct stage stage;

	(void)state;
	write_note("7.it", "done of long ago");
	write_note("9.gone", "done");
	write_note("readme", "");
	write_hook("it", SH "[ $FTCHECK_SEQ -lt 3 ]\n", 0755);
	stage_open(&stage, 3);
	stage.saves = false;
	stage.options.retry_ms = DAY_MS;
	stage_begin(&stage);
	stage_run(&stage, has_failed);
	/* Of the third one, which failed, there is nothing to be known. */
	assert_notes("1.it 2.it 7.it 9.gone readme ");
	ft_hooks_saved(stage.hooks);
	assert_notes("readme ");
	stage_close(&stage);
}

/* A note keeps a hook from being run again for that very event, and for nothing else. */
static void test_note_is_of_one_event(void **state)
{
	struct stage stage, again;

	(void)state;
	write_hook("it", SH "echo $FTCHECK_SEQ $FTCHECK_TIME >>$FT_RECORD\n", 0755);
	stage_open(&stage, 1);
	stage.saves = false;
	stage.alerts->events[0].wall_ms = 1700000000000;
	stage_begin(&stage);
	stage_run(&stage, nothing_waits);
	stage_close(&stage);

	/* Killed before the alerts were saved: they are as they were. */
	stage_open(&again, 2);
	again.saves = false;
	again.alerts->events[0].wall_ms = 1700000000000;
	again.alerts->events[1].wall_ms = 1700000001000;
	stage_begin(&again);
	stage_run(&again, nothing_waits);
	assert_int_equal(ft_hooks_counts(again.hooks).succeeded, 2);
	assert_recorded("1 2023-11-14T22:13:20.000Z\n2 2023-11-14T22:13:21.000Z\n");
	stage_close(&again);

	/* The state was lost: the same number is another event's now. */
	stage_open(&again, 1);
	again.alerts->events[0].wall_ms = 1700000002000;
	stage_begin(&again);
	stage_run(&again, nothing_waits);
	assert_recorded("1 2023-11-14T22:13:20.000Z\n2 2023-11-14T22:13:21.000Z\n1 2023-11-14T22:13:22.000Z\n");
	stage_close(&again);
}

/* Where nothing can be noted hooks are run all the same; that is said once. */
static void test_no_notes(void **state)
{
	struct stage stage;

	(void)state;
	write_hook("it", SH "echo $FTCHECK_SEQ >>$FT_RECORD\n", 0755);
	assert_int_equal(rmdir(place.state), 0);
	write_file(place.state, "", 0644);
	stage_open(&stage, 3);
	stage_begin(&stage);
	stage_run(&stage, nothing_waits);
	assert_recorded("1\n2\n3\n");
	assert_int_equal(times_logged("after a restart hooks may be told again what they know\n"), 1);
	assert_int_equal(unlink(place.state), 0);
	assert_int_equal(mkdir(place.state, 0700), 0);
	stage_close(&stage);
}

#define WAITS SH "echo start $$ $PPID >>$FT_RECORD\nwhile [ ! -e $FT_GO ]; do sleep 0.01; done\necho end >>$FT_RECORD\n"

/* A daemon that is killed as soon as its hook runs. */
static void kill_a_daemon(int64_t wall_ms)
{
	int64_t end = clock_now_ms(CLOCK_MONOTONIC) + DEADLINE_MS;
	pid_t daemon_pid = fork();

	assert_true(daemon_pid >= 0);
	if (daemon_pid == 0) {
		struct stage stage;

		stage_open(&stage, 1);
		stage.alerts->events[0].wall_ms = wall_ms;
		stage_begin(&stage);
		for (;;)
			(void)sd_event_run(stage.loop, UINT64_MAX);
	}
	while (!has_record(NULL)) {
		assert_true(clock_now_ms(CLOCK_MONOTONIC) < end);
		assert_true(usleep(1000) == 0);
	}
	assert_int_equal(kill(daemon_pid, SIGKILL), 0);
	assert_int_equal(waitpid(daemon_pid, NULL, 0), daemon_pid);
}

static void read_pids(pid_t *ret_hook, pid_t *ret_runner)
{
	_cleanup_free_ char *text = recorded();
	long hook, runner;

	assert_int_equal(sscanf(text, "start %ld %ld\n", &hook, &runner), 2);
	*ret_hook = (pid_t)hook;
	*ret_runner = (pid_t)runner;
}

static void wait_gone(pid_t pid)
{
	int64_t end = clock_now_ms(CLOCK_MONOTONIC) + DEADLINE_MS;

	for (;;) {
		char path[64], what[256] = "";
		FILE *file;

		snprintf(path, sizeof(path), "/proc/%ld/stat", (long)pid);
		file = fopen(path, "re");
		if (!file)
			return;
		(void)!fgets(what, sizeof(what), file);
		fclose(file);
		/* It may be an orphan that came to this process. */
		if (strstr(what, ") Z "))
			return;
		assert_true(clock_now_ms(CLOCK_MONOTONIC) < end);
		assert_true(usleep(1000) == 0);
	}
}

/* The daemon dies; the hook goes on, and the next daemon waits for it and does not run it again. */
static void test_daemon_killed(void **state)
{
	int64_t wall_ms = clock_now_ms(CLOCK_REALTIME);
	pid_t hook, runner;
	struct stage stage;

	(void)state;
	write_hook("it", WAITS, 0755);
	kill_a_daemon(wall_ms);
	read_pids(&hook, &runner);
	stage_open(&stage, 1);
	stage.alerts->events[0].wall_ms = wall_ms;
	stage_begin(&stage);
	/* Two looks at the runner that is still there. */
	for (int i = 0; i < 2; i++)
		assert_true(sd_event_run(stage.loop, UINT64_MAX) >= 0);
	assert_int_equal(ft_alerts_next(stage.alerts, "hook:it")->seq, 1);
	assert_int_equal(kill(runner, 0), 0);
	assert_int_equal(kill(hook, 0), 0);
	write_file(place.go, "", 0644);
	stage_run(&stage, nothing_waits);
	assert_int_equal(ft_hooks_counts(stage.hooks).succeeded, 1);
	assert_int_equal(ft_hooks_counts(stage.hooks).failed, 0);
	{
		_cleanup_free_ char *text = recorded();
		char expected[128];

		snprintf(expected, sizeof(expected), "start %ld %ld\nend\n", (long)hook, (long)runner);
		assert_string_equal(text, expected);
	}
	assert_notes("");
	stage_close(&stage);
}

/* The hook has ended before the next daemon begins. */
static void test_daemon_killed_hook_ended(void **state)
{
	int64_t wall_ms = clock_now_ms(CLOCK_REALTIME);
	pid_t hook, runner;
	struct stage stage;
	size_t count;

	(void)state;
	write_hook("it", WAITS, 0755);
	kill_a_daemon(wall_ms);
	read_pids(&hook, &runner);
	write_file(place.go, "", 0644);
	wait_gone(runner);
	stage_open(&stage, 1);
	stage.alerts->events[0].wall_ms = wall_ms;
	stage_begin(&stage);
	/* No run, no wait: it is done at once. */
	assert_true(nothing_waits(&stage));
	ft_hooks_scan(stage.hooks, &count);
	assert_int_equal(ft_hooks_counts(stage.hooks).succeeded, 1);
	stage_close(&stage);
}

/* Runner and daemon are killed: the hook is cut off with them, and run again. */
static void test_all_killed(void **state)
{
	int64_t wall_ms = clock_now_ms(CLOCK_REALTIME);
	_cleanup_free_ char *text = NULL;
	pid_t hook, runner;
	struct stage stage;
	size_t starts = 0, ends = 0;

	(void)state;
	write_hook("it", WAITS, 0755);
	kill_a_daemon(wall_ms);
	read_pids(&hook, &runner);
	assert_int_equal(kill(runner, SIGKILL), 0);
	wait_gone(runner);
	wait_gone(hook);
	write_file(place.go, "", 0644);
	stage_open(&stage, 1);
	stage.alerts->events[0].wall_ms = wall_ms;
	stage_begin(&stage);
	stage_run(&stage, nothing_waits);
	text = recorded();
	for (const char *at = text; (at = strstr(at, "start")); at++)
		starts++;
	for (const char *at = text; (at = strstr(at, "end")); at++)
		ends++;
	assert_int_equal(starts, 2);
	assert_int_equal(ends, 1);
	stage_close(&stage);
}

/* The daemon died, and another event is next for the hook: never two at once all the same. */
static void test_other_event_waits(void **state)
{
	pid_t hook, runner;
	struct stage stage;

	(void)state;
	write_hook("it", WAITS, 0755);
	kill_a_daemon(1700000000000);
	read_pids(&hook, &runner);
	stage_open(&stage, 2);
	stage.alerts->done[sink_index(stage.alerts, "hook:it")][0] = true;
	stage_begin(&stage);
	ft_hooks_saved(stage.hooks);
	assert_notes("1.it ");
	assert_true(sd_event_run(stage.loop, UINT64_MAX) >= 0);
	assert_int_equal(kill(runner, 0), 0);
	write_file(place.go, "", 0644);
	stage_run(&stage, nothing_waits);
	{
		_cleanup_free_ char *text = recorded();
		const char *end = strstr(text, "end\n");

		/* start, end, start, end */
		assert_non_null(end);
		assert_null(strstr(text + 1, "start") < end ? strstr(text + 1, "start") : NULL);
		assert_non_null(strstr(end, "start"));
	}
	stage_close(&stage);
}

/* The hooks are freed while one runs: it goes on. */
static void test_freed(void **state)
{
	pid_t hook, runner;
	struct stage stage;

	(void)state;
	write_hook("it", WAITS, 0755);
	stage_open(&stage, 1);
	stage_begin(&stage);
	stage_run(&stage, has_record);
	stage_close(&stage);
	read_pids(&hook, &runner);
	write_file(place.go, "", 0644);
	assert_int_equal(waitpid(runner, NULL, 0), runner);
	{
		_cleanup_free_ char *text = recorded();

		assert_non_null(strstr(text, "end\n"));
	}
}

/* Spans and times, as fields have them. */

static const struct {
	int64_t ms;
	const char *span;
} spans[] = {
	{-5, "0 s"},
	{999, "0 s"},
	{59999, "59 s"},
	{60000, "1 min"},
	{3599999, "59 min"},
	{3600000, "1 h"},
	{7500000, "2 h 5 min"},
	{86399999, "23 h 59 min"},
	{86400000, "1 d"},
	{90000000, "1 d 1 h"},
	{INT64_C(8640000000), "100 d"},
};

static void test_spans(void **state)
{
	(void)state;
	for (size_t i = 0; i < FT_COUNT(spans); i++) {
		_cleanup_(ft_text_release) struct ft_text text = {0};

		ft_span_add(&text, spans[i].ms);
		assert_string_equal(ft_text_string(&text), spans[i].span);
	}
}

static const struct {
	int64_t ms;
	const char *time;
} times[] = {
	{0, "1970-01-01T00:00:00.000Z"},
	{-1, "1969-12-31T23:59:59.999Z"},
	{1700000120042, "2023-11-14T22:15:20.042Z"},
	{INT64_C(4102444800000), "2100-01-01T00:00:00.000Z"},
};

static void test_times(void **state)
{
	(void)state;
	for (size_t i = 0; i < FT_COUNT(times); i++) {
		_cleanup_(ft_text_release) struct ft_text text = {0};

		ft_time_add(&text, times[i].ms);
		assert_string_equal(ft_text_string(&text), times[i].time);
	}
}

int main(void)
{
#define SINGLE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
	static const struct CMUnitTest single[] = {
		SINGLE(test_group_ends),
		SINGLE(test_environment),
		SINGLE(test_surroundings),
		SINGLE(test_long_text),
		SINGLE(test_many),
		SINGLE(test_independent),
		SINGLE(test_scan),
		SINGLE(test_vanished),
		SINGLE(test_deleted),
		SINGLE(test_own_retries),
		SINGLE(test_retries_apart),
		SINGLE(test_critical_first),
		SINGLE(test_broken_for_all),
		SINGLE(test_trust),
		SINGLE(test_trust_of_users),
		SINGLE(test_clock_steps),
		SINGLE(test_give_up),
		SINGLE(test_options),
		SINGLE(test_notes),
		SINGLE(test_note_is_of_one_event),
		SINGLE(test_no_notes),
		SINGLE(test_daemon_killed),
		SINGLE(test_daemon_killed_hook_ended),
		SINGLE(test_all_killed),
		SINGLE(test_other_event_waits),
		SINGLE(test_freed),
		cmocka_unit_test(test_spans),
		cmocka_unit_test(test_times),
	};
#undef SINGLE
	struct CMUnitTest tests[FT_COUNT(hook_cases) + FT_COUNT(single)];
	size_t count = 0;

	/* Not every container has an init that waits for orphans. */
	if (prctl(PR_SET_CHILD_SUBREAPER, 1) < 0)
		return 99;
	for (size_t i = 0; i < FT_COUNT(hook_cases); i++)
		tests[count++] = (struct CMUnitTest){.name = hook_cases[i].name,
						     .test_func = test_hook,
						     .setup_func = set_up,
						     .teardown_func = tear_down,
						     .initial_state = (void *)(uintptr_t)&hook_cases[i]};
	memcpy(tests + count, single, sizeof(single));
	return cmocka_run_group_tests_name("hooks", tests, NULL, NULL);
}
