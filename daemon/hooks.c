/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "daemon/hooks.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "daemon/fields.h"
#include "daemon/hook_notes.h"
#include "daemon/hook_run.h"
#include "daemon/hook_tries.h"
#include "daemon/log.h"
#include "daemon/trust.h"

enum {
	RETRY_MAX_MS = 5 * 60 * 1000,
	POLL_MS = 200,	  /* interval of checking whether the runner of an earlier daemon is still active */
	VALUE_MAX = 4096, /* of one variable; the JSON has the full value. execve(2) refuses 128 KiB and more */
	/* After so many failures in a row, for any events, a hook is not run again sooner than after this. */
	ROW_LONG = 32,
	ROW_GAP_MS = 1000,
};

/* The options, copied. */
struct settings {
	char *directory;
	char *notes; /* NULL: none are kept */
	char *fabric;
	char *instance;
	unsigned int timeout_ms, retry_ms, give_up_ms;
};

/* One executable. It is kept when the file is removed: the same name is the same hook, and a running one must end. */
struct hook {
	struct ft_hooks *hooks;
	char *name;
	char *sink; /* "hook:NAME" */
	bool present;
	bool refused;  /* it exists, but untrusted users may have written it */
	bool starting; /* hook_next() is running; callbacks may call it again */
	bool alone;    /* no runner of an earlier daemon is active for it */
	bool waits;    /* waits for such a runner, or for memory: until @timer */

	struct ft_hook_run run; /* of the event @seq of the alert @id */
	uint64_t seq;
	char *id;
	sd_event_source *runner; /* NULL: it is not running */

	sd_event_source *timer; /* of the next try; NULL: none is due */
	struct ft_hook_tries tries;
	unsigned int failures; /* failures since all events were accepted at the first try */
	unsigned int row;      /* of them since the last accepted one */
	int64_t failed_ms;     /* monotonic time of the last one */
	struct ft_hook_runs runs;
};

struct ft_hooks {
	sd_event *loop;
	struct settings settings;
	struct ft_alerts *alerts;
	void (*changed)(void *userdata);
	void *userdata;

	struct hook **items;
	size_t count;
	const char **sinks; /* of those present */
	size_t sink_count;

	struct ft_hooks_counts counts;
	char **complaints; /* lines that were logged, and are still true */
	size_t complaint_count;
	size_t refused;	   /* executables that are refused because untrusted users may have written them */
	int scan_error;	   /* the last error logged; 0: it can be read */
	bool notes_failed; /* logged */
	bool notes_dirty;  /* some may be for events that are not queued any more */
};

static int64_t clock_ms(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Settings. */

static void settings_release(struct settings *settings)
{
	free(settings->directory);
	free(settings->notes);
	free(settings->fabric);
	free(settings->instance);
	*settings = (struct settings){0};
}

static int settings_copy(const struct ft_hooks_options *options, struct settings *ret_settings)
{
	_cleanup_(settings_release) struct settings settings = {
		.timeout_ms = options->timeout_ms,
		.retry_ms = options->retry_ms,
		.give_up_ms = options->give_up_ms,
	};

	settings.directory = strdup(options->directory ? options->directory : "");
	settings.fabric = strdup(options->fabric ? options->fabric : "");
	settings.instance = strdup(options->instance ? options->instance : "");
	if (!settings.directory || !settings.fabric || !settings.instance)
		return -ENOMEM;
	if (options->state_directory && asprintf(&settings.notes, "%s/hooks", options->state_directory) < 0) {
		settings.notes = NULL;
		return -ENOMEM;
	}
	*ret_settings = settings;
	settings = (struct settings){0};
	return 0;
}

/* The environment of a hook: the daemon's own, without the variables for systemd, and the event. */

static void strings_free(char **strings, size_t count)
{
	for (size_t i = 0; strings && i < count; i++)
		free(strings[i]);
	free(strings);
}

static void strings_freep(char ***strings)
{
	size_t count = 0;

	while (*strings && (*strings)[count])
		count++;
	strings_free(*strings, count);
}

static bool is_variable(const char *assignment, const char *name)
{
	size_t length = strlen(name);

	return strncmp(assignment, name, length) == 0 && assignment[length] == '=';
}

static bool is_inherited(const char *assignment)
{
	static const char *const prefixes[] = {"NOTIFY_SOCKET=", "WATCHDOG_", "LISTEN_"};

	for (size_t i = 0; i < FT_COUNT(prefixes); i++)
		if (strncmp(assignment, prefixes[i], strlen(prefixes[i])) == 0)
			return false;
	for (size_t i = 0; i < ft_field_count; i++)
		if (is_variable(assignment, ft_fields[i].name))
			return false;
	return true;
}

/* Cuts at VALUE_MAX bytes, but not inside a character. */
static void cut_value(struct ft_text *text, size_t start)
{
	size_t end = start + VALUE_MAX;

	if (ft_text_failed(text) || text->length <= end)
		return;
	while (end > start && ((unsigned char)text->data[end] & 0xc0) == 0x80)
		end--;
	text->length = end;
	text->data[end] = '\0';
}

static char *field_assignment(const struct ft_field *field, const struct ft_event *event,
			      const struct settings *settings)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};

	ft_text_printf(&text, "%s=", field->name);
	field->write(&text, event, settings->fabric, settings->instance);
	cut_value(&text, strlen(field->name) + 1);
	return ft_text_failed(&text) ? NULL : FT_STEAL(text.data);
}

static int make_environment(const struct ft_event *event, const struct settings *settings, char ***ret_environment)
{
	_cleanup_(strings_freep) char **strings = NULL;
	size_t inherited = 0, count = 0;

	while (environ && environ[inherited])
		inherited++;
	strings = calloc(inherited + ft_field_count + 1, sizeof(*strings));
	if (!strings)
		return -ENOMEM;
	for (size_t i = 0; i < inherited; i++) {
		if (!is_inherited(environ[i]))
			continue;
		strings[count] = strdup(environ[i]);
		if (!strings[count++])
			return -ENOMEM;
	}
	for (size_t i = 0; i < ft_field_count; i++) {
		strings[count] = field_assignment(&ft_fields[i], event, settings);
		if (!strings[count++])
			return -ENOMEM;
	}
	*ret_environment = FT_STEAL(strings);
	return 0;
}

/* Waiting. */

static void hook_next(struct hook *hook);

static int on_timer(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct hook *hook = userdata;

	(void)source, (void)usec;
	hook->timer = sd_event_source_disable_unref(hook->timer);
	hook->waits = false;
	hook_next(hook);
	return 0;
}

/* If not even a timer can be created, the next kick tries again. */
static void timer_arm(struct hook *hook, uint64_t delay_ms)
{
	hook->timer = sd_event_source_disable_unref(hook->timer);
	(void)sd_event_add_time_relative(hook->hooks->loop, &hook->timer, CLOCK_MONOTONIC, delay_ms * 1000,
					 delay_ms * 1000 / 20 + 1, on_timer, hook);
}

/* Until then nothing is run for it. */
static void hook_wait(struct hook *hook, uint64_t delay_ms)
{
	timer_arm(hook, delay_ms);
	hook->waits = hook->timer;
}

/* The result of a run. */

/* After the callback only persistent data is used: the callback may scan and kick. */
static void report_change(struct ft_hooks *hooks)
{
	hooks->notes_dirty = true;
	hooks->changed(hooks->userdata);
}

/* @id stays where it is until this returns. */
static void hook_took(struct hook *hook, const char *id, uint64_t seq)
{
	struct ft_hook_try *one = ft_hook_tries_find(&hook->tries, id);
	struct ft_hooks *hooks = hook->hooks;

	hooks->counts.succeeded++;
	hook->runs.succeeded++;
	hook->row = 0;
	if (one)
		ft_hook_tries_remove(&hook->tries, one);
	if (hook->tries.count == 0 && hook->failures > 0) {
		ft_log(LOG_NOTICE, "hook %s: works again after %u failure%s", hook->name, hook->failures,
		       hook->failures == 1 ? "" : "s");
		hook->failures = 0;
	}
	ft_alerts_done(hooks->alerts, hook->sink, seq);
	report_change(hooks);
}

static uint64_t retry_delay_ms(const struct hook *hook, unsigned int failures)
{
	uint64_t delay = hook->hooks->settings.retry_ms;

	for (unsigned int i = 1; i < failures && delay < RETRY_MAX_MS; i++)
		delay *= 2;
	/* A longer configured time holds. */
	if (delay > RETRY_MAX_MS)
		delay = hook->hooks->settings.retry_ms > RETRY_MAX_MS ? hook->hooks->settings.retry_ms : RETRY_MAX_MS;
	return delay;
}

static const struct ft_event *event_find(const struct ft_alerts *alerts, const char *sink, uint64_t seq)
{
	const struct ft_event *event = ft_alerts_next(alerts, sink);

	while (event && event->seq < seq)
		event = ft_alerts_after(alerts, sink, event);
	return event && event->seq == seq ? event : NULL;
}

/*
 * Is the event too old? By the wall clock alone a step of it could drop all events: the hook must have failed for as
 * long, too, with this event or with earlier ones of the same alert.
 */
static bool give_up(struct hook *hook, struct ft_hook_try *one)
{
	struct ft_hooks *hooks = hook->hooks;
	int64_t limit = hooks->settings.give_up_ms;
	const struct ft_event *event;

	if (clock_ms(CLOCK_MONOTONIC) - one->failing_since_ms < limit)
		return false;
	event = event_find(hooks->alerts, hook->sink, one->seq);
	if (!event || clock_ms(CLOCK_REALTIME) - event->wall_ms < limit)
		return false;
	ft_log(LOG_ERR, "hook %s: event %" PRIu64 " is given up: %s: %s", hook->name, event->seq,
	       ft_event_kind_name(event->kind), event->text ? event->text : event->id);
	/* The next event of the same alert is tried at once. */
	one->failures = 0;
	ft_alerts_done(hooks->alerts, hook->sink, one->seq);
	hooks->counts.given_up++;
	return true;
}

/* Logged at the first failure, and at each doubling: of this event's, and of those in a row. */
static bool is_worth_a_line(const struct hook *hook, const struct ft_hook_try *one)
{
	return (one->failures & (one->failures - 1)) == 0 && (hook->row & (hook->row - 1)) == 0;
}

static void hook_failed(struct hook *hook, const char *id, uint64_t seq, const char *why)
{
	const char *notes = hook->hooks->settings.notes;
	int64_t now = clock_ms(CLOCK_MONOTONIC);
	struct ft_hook_try *one;
	uint64_t delay_ms;

	if (hook->tries.count == 0)
		hook->failures = 0;
	hook->hooks->counts.failed++;
	hook->runs.failed++;
	hook->failures++;
	hook->row++;
	hook->failed_ms = now;
	ft_alerts_begin(hook->hooks->alerts, hook->sink, 0);
	/* The note has no information: the same as no note. */
	if (notes)
		ft_note_drop(notes, hook->name, seq);
	one = ft_hook_tries_get(&hook->tries, id);
	if (!one) {
		hook_wait(hook, retry_delay_ms(hook, 1));
		return;
	}
	if (one->failures == 0 && one->failing_since_ms == 0)
		one->failing_since_ms = now;
	one->seq = seq;
	one->failures++;
	delay_ms = retry_delay_ms(hook, one->failures);
	one->due_ms = now + (int64_t)delay_ms;
	if (is_worth_a_line(hook, one))
		ft_log(LOG_WARNING, "hook %s: failed on event %" PRIu64 " (failure %u in a row, again in %g s): %s",
		       hook->name, seq, one->failures, (double)delay_ms / 1000, why);
	if (give_up(hook, one))
		report_change(hook->hooks);
}

static int on_runner(sd_event_source *source, const siginfo_t *info, void *userdata)
{
	_cleanup_(ft_text_release) struct ft_text why = {0};
	_cleanup_free_ char *id = NULL;
	struct hook *hook = userdata;
	struct ft_hooks *hooks = hook->hooks;

	(void)source;
	hook->runner = sd_event_source_disable_unref(hook->runner);
	if (hook->run.result->note_failed && !hooks->notes_failed) {
		hooks->notes_failed = true;
		ft_log(LOG_WARNING, "%s: cannot be written: after a restart hooks may be told again what they know",
		       hooks->settings.notes ? hooks->settings.notes : "notes");
	}
	id = FT_STEAL(hook->id);
	if (ft_hook_run_end(&hook->run, info->si_code, info->si_status, &why))
		hook_took(hook, id, hook->seq);
	else
		hook_failed(hook, id, hook->seq, ft_text_string(&why));
	hook_next(hook);
	return 0;
}

/* Starting. */

static char *hook_path(const struct hook *hook)
{
	char *path;

	return asprintf(&path, "%s/%s", hook->hooks->settings.directory, hook->name) < 0 ? NULL : path;
}

static int watch_runner(struct hook *hook)
{
	int ret = sd_event_add_child(hook->hooks->loop, &hook->runner, hook->run.runner, WEXITED, on_runner, hook);

	if (ret >= 0)
		(void)sd_event_source_set_description(hook->runner, hook->name);
	return ret < 0 ? ret : 0;
}

/* A runner that cannot be watched is useless, and its hook would be run again beside it. */
static void end_unwatched(struct hook *hook)
{
	_cleanup_(ft_text_release) struct ft_text why = {0};

	(void)kill(hook->run.runner, SIGKILL);
	while (waitpid(hook->run.runner, NULL, 0) < 0 && errno == EINTR)
		;
	(void)ft_hook_run_end(&hook->run, CLD_KILLED, SIGKILL, &why);
}

static int run_hook(struct hook *hook, const struct ft_event *event, int note)
{
	const struct settings *settings = &hook->hooks->settings;
	_cleanup_(ft_text_release) struct ft_text input = {0};
	_cleanup_(strings_freep) char **environment = NULL;
	_cleanup_free_ char *path = hook_path(hook), *id = strdup(event->id);
	int ret;

	if (!path || !id)
		return -ENOMEM;
	ft_event_write_json(&input, event, settings->fabric, settings->instance);
	if (ft_text_failed(&input))
		return -ENOMEM;
	ret = make_environment(event, settings, &environment);
	if (ret < 0)
		return ret;
	ret = ft_hook_run_start(
		&(struct ft_hook_job){
			.path = path,
			.environment = environment,
			.input = &input,
			.timeout_ms = settings->timeout_ms,
			.note = note,
		},
		&hook->run);
	if (ret < 0)
		return ret;
	ret = watch_runner(hook);
	if (ret < 0) {
		end_unwatched(hook);
		return ret;
	}
	hook->id = FT_STEAL(id);
	hook->seq = event->seq;
	ft_alerts_begin(hook->hooks->alerts, hook->sink, event->seq);
	return 0;
}

/* Returns an enum ft_note. If notes cannot be kept hooks are run all the same: better twice than never. */
static int claim_note(struct hook *hook, const struct ft_event *event, int *ret_fd)
{
	struct ft_hooks *hooks = hook->hooks;
	const char *notes = hooks->settings.notes;
	int ret;

	if (!notes)
		return FT_NOTE_OURS;
	if (!hook->alone && ft_note_any_busy(notes, hook->name))
		return FT_NOTE_BUSY;
	hook->alone = true;
	ret = ft_note_claim(notes, hook->name, event, ret_fd);
	if (ret >= 0) {
		hooks->notes_failed = false;
		return ret;
	}
	if (!hooks->notes_failed)
		ft_log(LOG_WARNING,
		       "%s: cannot be written (%s): after a restart hooks may be told again what they know", notes,
		       strerror(-ret));
	hooks->notes_failed = true;
	return FT_NOTE_OURS;
}

static void hook_start(struct hook *hook, const struct ft_event *event)
{
	_cleanup_(ft_closep) int note = -1;
	char why[128];
	int ret;

	ret = claim_note(hook, event, &note);
	if (ret == FT_NOTE_BUSY) {
		hook_wait(hook, POLL_MS);
		return;
	}
	if (ret == FT_NOTE_DONE) {
		hook_took(hook, event->id, event->seq);
		return;
	}
	ret = run_hook(hook, event, note);
	if (ret == 0)
		return;
	snprintf(why, sizeof(why), "it could not be started: %s", strerror(-ret));
	hook_failed(hook, event->id, event->seq, why);
}

/* The next run. */
struct choice {
	const struct ft_event *event; /* NULL: nothing is, now */
	int64_t due_ms;		      /* then: the time of the next one; INT64_MAX: nothing is queued */
};

/* The oldest event of the same alert: it is delivered before later ones. */
static const struct ft_event *oldest_of_alert(const struct hook *hook, const struct ft_event *event)
{
	const struct ft_alerts *alerts = hook->hooks->alerts;
	const struct ft_event *first = ft_alerts_next(alerts, hook->sink);

	while (strcmp(first->id, event->id) != 0)
		first = ft_alerts_after(alerts, hook->sink, first);
	return first;
}

/*
 * The oldest queued event of @one's alert. Returns whether it was tried and waits for its next try; later events of the
 * alert wait with it.
 */
static bool waits_for_retry(struct ft_hook_try *one, const struct ft_event *event)
{
	if (one->seen)
		return true;
	one->seen = true;
	/* The event that failed was given up meanwhile, or is not queued any more. */
	if (one->seq != event->seq)
		one->failures = 0;
	one->seq = event->seq;
	return one->failures > 0;
}

/*
 * First untried ones, critical before others, the oldest first; then those whose next try is due. So no event waits for
 * another one's retries. Linear scan: there are 10,000 at most.
 */
static struct choice choose(struct hook *hook)
{
	const struct ft_alerts *alerts = hook->hooks->alerts;
	const struct ft_event *fresh = NULL, *again = NULL;
	int64_t now = clock_ms(CLOCK_MONOTONIC), due_ms = INT64_MAX;

	for (size_t i = 0; i < hook->tries.count; i++)
		hook->tries.items[i].seen = false;
	for (const struct ft_event *event = ft_alerts_next(alerts, hook->sink); event;
	     event = ft_alerts_after(alerts, hook->sink, event)) {
		struct ft_hook_try *one = ft_hook_tries_find(&hook->tries, event->id);
		bool behind = one && one->seen;

		if (one && waits_for_retry(one, event)) {
			if (!behind && one->due_ms < due_ms) {
				due_ms = one->due_ms;
				again = event;
			}
		} else if (!fresh || event->severity > fresh->severity) {
			fresh = event;
		}
	}
	ft_hook_tries_sift(&hook->tries);
	if (hook->row >= ROW_LONG && (fresh || again) && now < hook->failed_ms + ROW_GAP_MS)
		return (struct choice){.due_ms = hook->failed_ms + ROW_GAP_MS};
	if (fresh)
		return (struct choice){.event = oldest_of_alert(hook, fresh)};
	return (struct choice){.event = due_ms <= now ? again : NULL, .due_ms = due_ms};
}

static bool hook_is_free(const struct hook *hook)
{
	return hook->present && !hook->refused && !hook->runner && !hook->waits;
}

static bool hook_is_trusted(struct hook *hook);

static void hook_next(struct hook *hook)
{
	struct choice choice = {.due_ms = INT64_MAX};

	if (hook->starting)
		return;
	hook->starting = true;
	while (hook_is_free(hook)) {
		choice = choose(hook);
		if (!choice.event || !hook_is_trusted(hook))
			break;
		hook_start(hook, choice.event);
	}
	if (hook_is_free(hook) && !choice.event && choice.due_ms != INT64_MAX) {
		int64_t left_ms = choice.due_ms - clock_ms(CLOCK_MONOTONIC);

		timer_arm(hook, left_ms > 0 ? (uint64_t)left_ms : 0);
	}
	hook->starting = false;
}

void ft_hooks_kick(struct ft_hooks *hooks)
{
	for (size_t i = 0; i < hooks->count; i++)
		hook_next(hooks->items[i]);
}

/* The directory. */

static bool is_leftover(const char *name)
{
	static const char *const endings[] = {".bak",	   ".old",	   ".orig",	   ".rej",	 ".swp",
					      ".tmp",	   ".dpkg-old",	   ".dpkg-new",	   ".dpkg-dist", ".dpkg-bak",
					      ".dpkg-tmp", ".dpkg-backup", ".dpkg-remove", ".ucf-old",	 ".ucf-new",
					      ".ucf-dist", ".rpmsave",	   ".rpmnew",	   ".rpmorig"};
	size_t length = strlen(name);

	for (size_t i = 0; i < FT_COUNT(endings); i++) {
		size_t ending = strlen(endings[i]);

		if (length > ending && strcmp(name + length - ending, endings[i]) == 0)
			return true;
	}
	return false;
}

static bool is_good_name(const char *name)
{
	size_t length = strlen(name);

	return length <= FT_HOOK_NAME_MAX &&
	       strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") == length;
}

/*
 * Returns 1, 0, or -errno if it cannot be checked: the directory cannot be searched, or the system lacks a resource.
 * The target of a link is not checked here.
 */
static int is_executable(int directory, const char *name)
{
	static const int nowhere[] = {ENOENT, ENOTDIR, ELOOP, EACCES, ENAMETOOLONG};
	struct stat st;

	if (fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : -errno;
	if (S_ISLNK(st.st_mode) && fstatat(directory, name, &st, 0) < 0) {
		for (size_t i = 0; i < FT_COUNT(nowhere); i++)
			if (errno == nowhere[i])
				return 0;
		return -errno;
	}
	return S_ISREG(st.st_mode) && faccessat(directory, name, X_OK, AT_EACCESS) == 0;
}

/* Names that grow. */
struct names {
	char **items;
	size_t count;
};

static void names_release(struct names *names)
{
	strings_free(names->items, names->count);
}

static int names_add(struct names *names, const char *name)
{
	char **items = reallocarray(names->items, names->count + 1, sizeof(*items));

	if (!items)
		return -ENOMEM;
	names->items = items;
	items[names->count] = strdup(name);
	if (!items[names->count])
		return -ENOMEM;
	names->count++;
	return 0;
}

static bool contains(char *const *items, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(items[i], name) == 0)
			return true;
	return false;
}

static void dir_closep(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* What is in the directory. */
struct listing {
	struct names names;   /* of hooks that may be run */
	struct names refused; /* that may not be */
	struct names complaints;
};

static void listing_release(struct listing *listing)
{
	names_release(&listing->names);
	names_release(&listing->refused);
	names_release(&listing->complaints);
}

static int complaint_add(struct listing *listing, const char *format, ...) __attribute__((format(printf, 2, 3)));

static int complaint_add(struct listing *listing, const char *format, ...)
{
	_cleanup_free_ char *line = NULL;
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vasprintf(&line, format, arguments);
	va_end(arguments);
	if (length < 0) {
		line = NULL;
		return -ENOMEM;
	}
	return names_add(&listing->complaints, line);
}

/* @trusted: whether the directory is. Its files may be untrusted all the same. */
static int take_hook(const char *directory, const char *name, bool trusted, struct listing *listing)
{
	_cleanup_(ft_text_release) struct ft_text why = {0};
	_cleanup_free_ char *path = NULL;
	int ret;

	if (!is_good_name(name))
		return complaint_add(listing, "%s/%s is left out: names of hooks are up to %d of A-Z a-z 0-9 . _ -",
				     directory, name, FT_HOOK_NAME_MAX);
	if (!trusted)
		return names_add(&listing->refused, name);
	if (asprintf(&path, "%s/%s", directory, name) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	ret = ft_trust_check(path, geteuid(), &why);
	/* It went just now. */
	if (ret == -ENOENT)
		return 0;
	if (ret != -EPERM)
		return ret < 0 ? ret : names_add(&listing->names, name);
	ret = complaint_add(listing, "hook %s is not run: %s", name, ft_text_string(&why));
	return ret < 0 ? ret : names_add(&listing->refused, name);
}

static int check_directory(const char *path, struct listing *listing, bool *ret_trusted)
{
	_cleanup_(ft_text_release) struct ft_text why = {0};
	int ret = ft_trust_check(path, geteuid(), &why);

	*ret_trusted = ret == 0;
	return ret == -EPERM ? complaint_add(listing, "no hook is run: %s", ft_text_string(&why)) : ret;
}

static int read_directory(const char *path, struct listing *listing)
{
	_cleanup_(dir_closep) DIR *dir = opendir(path);
	const struct dirent *entry;
	bool trusted = false;
	int ret;

	if (!dir)
		return errno == ENOENT ? 0 : -errno;
	ret = check_directory(path, listing, &trusted);
	if (ret < 0)
		return ret;
	for (;;) {
		errno = 0;
		entry = readdir(dir);
		if (!entry)
			break;
		if (entry->d_name[0] == '.' || is_leftover(entry->d_name))
			continue;
		ret = is_executable(dirfd(dir), entry->d_name);
		if (ret < 0)
			return ret;
		if (ret == 0)
			continue;
		ret = take_hook(path, entry->d_name, trusted, listing);
		if (ret < 0)
			return ret;
	}
	if (errno)
		return -errno;
	/* An untrusted directory without hooks is no problem yet. */
	if (!trusted && listing->refused.count == 0) {
		names_release(&listing->complaints);
		listing->complaints = (struct names){0};
	}
	return 0;
}

static void hook_free(struct hook *hook)
{
	if (!hook)
		return;
	sd_event_source_disable_unref(hook->runner);
	sd_event_source_disable_unref(hook->timer);
	ft_hook_run_release(&hook->run);
	ft_hook_tries_release(&hook->tries);
	free(hook->id);
	free(hook->name);
	free(hook->sink);
	free(hook);
}

static void hook_freep(struct hook **hook)
{
	hook_free(*hook);
}

static struct hook *find_hook(const struct ft_hooks *hooks, const char *name)
{
	for (size_t i = 0; i < hooks->count; i++)
		if (strcmp(hooks->items[i]->name, name) == 0)
			return hooks->items[i];
	return NULL;
}

static int add_hook(struct ft_hooks *hooks, const char *name)
{
	_cleanup_(hook_freep) struct hook *hook = calloc(1, sizeof(*hook));
	struct hook **items;

	if (!hook)
		return -ENOMEM;
	hook->hooks = hooks;
	hook->name = strdup(name);
	if (!hook->name)
		return -ENOMEM;
	hook->runs.name = hook->name;
	if (asprintf(&hook->sink, "hook:%s", name) < 0) {
		hook->sink = NULL;
		return -ENOMEM;
	}
	items = reallocarray(hooks->items, hooks->count + 1, sizeof(struct hook *));
	if (!items)
		return -ENOMEM;
	hooks->items = items;
	items[hooks->count++] = FT_STEAL(hook);
	return 0;
}

/* Events for a refused hook stay queued, as the hook may be repaired. One that never was a sink has none. */
static int keep_waiting(struct ft_hooks *hooks, const struct names *refused, struct names *all)
{
	char sink[sizeof("hook:") + FT_HOOK_NAME_MAX];

	for (size_t i = 0; i < refused->count; i++) {
		snprintf(sink, sizeof(sink), "hook:%s", refused->items[i]);
		if (ft_alerts_has_sink(hooks->alerts, sink) && names_add(all, refused->items[i]) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* Replaces the list of hooks; on -ENOMEM it is not changed. */
static int set_present(struct ft_hooks *hooks, struct listing *listing)
{
	struct names *names = &listing->names;
	size_t trusted = names->count;
	_cleanup_free_ const char **sinks = NULL;

	if (keep_waiting(hooks, &listing->refused, names) < 0)
		return -ENOMEM;
	if (names->count > trusted)
		qsort(names->items, names->count, sizeof(*names->items), compare_names);
	sinks = calloc(names->count + 1, sizeof(*sinks));
	if (!sinks)
		return -ENOMEM;
	for (size_t i = 0; i < names->count; i++)
		if (!find_hook(hooks, names->items[i]) && add_hook(hooks, names->items[i]) < 0)
			return -ENOMEM;
	for (size_t i = 0; i < hooks->count; i++) {
		struct hook *hook = hooks->items[i];

		hook->present = contains(names->items, names->count, hook->name);
		hook->refused = contains(listing->refused.items, listing->refused.count, hook->name);
	}
	for (size_t i = 0; i < names->count; i++)
		sinks[i] = find_hook(hooks, names->items[i])->sink;
	free(hooks->sinks);
	hooks->sinks = FT_STEAL(sinks);
	hooks->sink_count = names->count;
	hooks->refused = listing->refused.count;
	return 0;
}

/* Logs each line once, as long as it is true. */
static void complain(struct ft_hooks *hooks, struct names *complaints)
{
	for (size_t i = 0; i < complaints->count; i++)
		if (!contains(hooks->complaints, hooks->complaint_count, complaints->items[i]))
			ft_log(LOG_WARNING, "%s", complaints->items[i]);
	strings_free(hooks->complaints, hooks->complaint_count);
	hooks->complaints = FT_STEAL(complaints->items);
	hooks->complaint_count = complaints->count;
	complaints->count = 0;
}

const char *const *ft_hooks_scan(struct ft_hooks *hooks, size_t *ret_count)
{
	_cleanup_(listing_release) struct listing listing = {0};
	int ret;

	ret = read_directory(hooks->settings.directory, &listing);
	if (ret == 0 && listing.names.count > 0)
		qsort(listing.names.items, listing.names.count, sizeof(*listing.names.items), compare_names);
	if (ret == 0)
		ret = set_present(hooks, &listing);
	if (ret == 0)
		complain(hooks, &listing.complaints);
	else if (ret != hooks->scan_error)
		ft_log(LOG_ERR, "%s: %s: the hooks stay as they were", hooks->settings.directory, strerror(-ret));
	hooks->scan_error = ret;
	*ret_count = ret == 0 ? hooks->sink_count : 0;
	return ret == 0 ? hooks->sinks : NULL;
}

/* Checked again right before the run: the scan may be minutes old. The next scan logs the fault. */
static bool hook_is_trusted(struct hook *hook)
{
	_cleanup_(ft_text_release) struct ft_text why = {0};
	_cleanup_free_ char *path = hook_path(hook);
	struct ft_hooks *hooks = hook->hooks;
	int ret;

	if (!path)
		return true;
	ret = ft_trust_check(hooks->settings.directory, geteuid(), &why);
	if (ret == 0)
		ret = ft_trust_check(path, geteuid(), &why);
	if (ret != -EPERM)
		return true;
	hook->refused = true;
	hooks->refused++;
	return false;
}

/* Notes. */

static bool keep_note(void *userdata, const char *name, uint64_t seq)
{
	const struct ft_hooks *hooks = userdata;
	char sink[sizeof("hook:") + FT_HOOK_NAME_MAX];

	/* By the sink's name: after a restart the directory may not have been read yet. */
	if (snprintf(sink, sizeof(sink), "hook:%s", name) >= (int)sizeof(sink))
		return false;
	return event_find(hooks->alerts, sink, seq);
}

void ft_hooks_saved(struct ft_hooks *hooks)
{
	if (!hooks->notes_dirty || !hooks->settings.notes)
		return;
	hooks->notes_dirty = false;
	ft_note_clean(hooks->settings.notes, keep_note, hooks);
}

/* The whole. */

int ft_hooks_new(sd_event *loop, const struct ft_hooks_options *options, struct ft_alerts *alerts,
		 void (*changed)(void *userdata), void *userdata, struct ft_hooks **ret_hooks, struct ft_error *err)
{
	_cleanup_(ft_hooks_freep) struct ft_hooks *hooks = calloc(1, sizeof(*hooks));

	if (!hooks || settings_copy(options, &hooks->settings) < 0)
		return ft_error_set(err, -ENOMEM, 0, 0, "out of memory");
	hooks->sinks = calloc(1, sizeof(*hooks->sinks));
	if (!hooks->sinks)
		return ft_error_set(err, -ENOMEM, 0, 0, "out of memory");
	hooks->loop = sd_event_ref(loop);
	hooks->alerts = alerts;
	hooks->changed = changed;
	hooks->userdata = userdata;
	hooks->notes_dirty = true;
	*ret_hooks = FT_STEAL(hooks);
	return 0;
}

int ft_hooks_set_options(struct ft_hooks *hooks, const struct ft_hooks_options *options)
{
	struct settings settings;
	int ret;

	ret = settings_copy(options, &settings);
	if (ret < 0)
		return ret;
	settings_release(&hooks->settings);
	hooks->settings = settings;
	hooks->notes_dirty = true;
	for (size_t i = 0; i < hooks->count; i++) {
		struct hook *hook = hooks->items[i];

		hook->timer = sd_event_source_disable_unref(hook->timer);
		hook->waits = false;
		hook->row = 0;
		for (size_t k = 0; k < hook->tries.count; k++)
			hook->tries.items[k].due_ms = 0;
	}
	return 0;
}

struct ft_hooks_counts ft_hooks_counts(const struct ft_hooks *hooks)
{
	struct ft_hooks_counts counts = hooks->counts;

	counts.refused = hooks->refused;
	return counts;
}

const struct ft_hook_runs *ft_hooks_runs(const struct ft_hooks *hooks, size_t number)
{
	return number < hooks->count ? &hooks->items[number]->runs : NULL;
}

void ft_hooks_free(struct ft_hooks *hooks)
{
	if (!hooks)
		return;
	for (size_t i = 0; i < hooks->count; i++)
		hook_free(hooks->items[i]);
	free(hooks->items);
	free(hooks->sinks);
	strings_free(hooks->complaints, hooks->complaint_count);
	settings_release(&hooks->settings);
	sd_event_unref(hooks->loop);
	free(hooks);
}
