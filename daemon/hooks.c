/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "daemon/hooks.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
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
#include "daemon/log.h"

enum {
	RETRY_MAX_MS = 5 * 60 * 1000,
	POLL_MS = 200,	  /* is the runner of a daemon before this one still at it? */
	VALUE_MAX = 4096, /* of one variable; the JSON has all of it. execve(2) refuses 128 KiB and more */
};

/* The options, copied. */
struct settings {
	char *directory;
	char *notes; /* NULL: none are kept */
	char *fabric;
	char *instance;
	unsigned int timeout_ms, retry_ms, give_up_ms;
};

/* One executable. It stays when the file goes: one that comes back is the same hook, and what runs has to end. */
struct hook {
	struct ft_hooks *hooks;
	char *name;
	char *sink; /* "hook:NAME" */
	bool present;
	bool starting; /* hook_next() is at it; callbacks may come back to it */
	bool alone;    /* no runner of a daemon before this one is at work for it */

	struct ft_hook_run run; /* of the event @seq */
	uint64_t seq;
	sd_event_source *runner; /* NULL: it does not run */

	sd_event_source *timer;	  /* NULL: it waits for nothing */
	unsigned int failures;	  /* in a row */
	int64_t failing_since_ms; /* monotonic; of the first of them */
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
	char **refused; /* names that were complained about */
	size_t refused_count;
	int scan_error;	   /* the last one that was logged; 0: it can be read */
	bool notes_failed; /* logged */
	bool notes_dirty;  /* some may be of events that wait no longer */
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

/* The environment of a hook: what the daemon has of its own, but for what is between it and systemd, and the event. */

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

/* Cuts at VALUE_MAX bytes, and not within a character. */
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
	hook_next(hook);
	return 0;
}

/* Where not even a timer can be had, the next kick tries again. */
static void hook_wait(struct hook *hook, uint64_t delay_ms)
{
	hook->timer = sd_event_source_disable_unref(hook->timer);
	(void)sd_event_add_time_relative(hook->hooks->loop, &hook->timer, CLOCK_MONOTONIC, delay_ms * 1000,
					 delay_ms * 1000 / 20 + 1, on_timer, hook);
}

/* What becomes of a run. */

/* All that is touched after the callback is what it may not take away: it may scan and kick. */
static void report_change(struct ft_hooks *hooks)
{
	hooks->notes_dirty = true;
	hooks->changed(hooks->userdata);
}

static void hook_took(struct hook *hook, uint64_t seq)
{
	struct ft_hooks *hooks = hook->hooks;

	hooks->counts.succeeded++;
	if (hook->failures > 0)
		ft_log(LOG_NOTICE, "hook %s: works again after %u failure%s", hook->name, hook->failures,
		       hook->failures == 1 ? "" : "s");
	hook->failures = 0;
	ft_alerts_done(hooks->alerts, hook->sink, seq);
	report_change(hooks);
}

static uint64_t retry_delay_ms(const struct hook *hook)
{
	uint64_t delay = hook->hooks->settings.retry_ms;

	for (unsigned int i = 1; i < hook->failures && delay < RETRY_MAX_MS; i++)
		delay *= 2;
	/* Who asks for a longer one gets it. */
	if (delay > RETRY_MAX_MS)
		delay = hook->hooks->settings.retry_ms > RETRY_MAX_MS ? hook->hooks->settings.retry_ms : RETRY_MAX_MS;
	return delay;
}

/*
 * Is it time to give up on what is that old? By the wall clock alone a step of it would throw everything away: the hook
 * must have failed for as long, too.
 */
static size_t give_up(struct hook *hook)
{
	struct ft_hooks *hooks = hook->hooks;
	int64_t limit = hooks->settings.give_up_ms, now = clock_ms(CLOCK_REALTIME);
	const struct ft_event *event;
	size_t count = 0;

	if (clock_ms(CLOCK_MONOTONIC) - hook->failing_since_ms < limit)
		return 0;
	while ((event = ft_alerts_next(hooks->alerts, hook->sink)) && now - event->wall_ms >= limit) {
		if (count++ == 0)
			ft_log(LOG_ERR, "hook %s: event %" PRIu64 " is given up: %s: %s", hook->name, event->seq,
			       ft_event_kind_name(event->kind), event->text ? event->text : event->id);
		ft_alerts_done(hooks->alerts, hook->sink, event->seq);
	}
	if (count > 1)
		ft_log(LOG_ERR, "hook %s: and %zu more events, which are as old", hook->name, count - 1);
	hooks->counts.given_up += count;
	return count;
}

static void hook_failed(struct hook *hook, uint64_t seq, const char *why)
{
	uint64_t delay_ms;

	hook->hooks->counts.failed++;
	if (hook->failures++ == 0)
		hook->failing_since_ms = clock_ms(CLOCK_MONOTONIC);
	delay_ms = retry_delay_ms(hook);
	/* At the first, and at each doubling. */
	if ((hook->failures & (hook->failures - 1)) == 0)
		ft_log(LOG_WARNING, "hook %s: failed on event %" PRIu64 " (failure %u in a row, again in %g s): %s",
		       hook->name, seq, hook->failures, (double)delay_ms / 1000, why);
	hook_wait(hook, delay_ms);
	if (give_up(hook) > 0)
		report_change(hook->hooks);
}

static int on_runner(sd_event_source *source, const siginfo_t *info, void *userdata)
{
	_cleanup_(ft_text_release) struct ft_text why = {0};
	struct hook *hook = userdata;
	struct ft_hooks *hooks = hook->hooks;

	(void)source;
	hook->runner = sd_event_source_disable_unref(hook->runner);
	if (hook->run.result->note_failed && !hooks->notes_failed) {
		hooks->notes_failed = true;
		ft_log(LOG_WARNING, "%s: cannot be written: after a restart hooks may be told again what they know",
		       hooks->settings.notes ? hooks->settings.notes : "notes");
	}
	if (ft_hook_run_end(&hook->run, info->si_code, info->si_status, &why))
		hook_took(hook, hook->seq);
	else
		hook_failed(hook, hook->seq, ft_text_string(&why));
	hook_next(hook);
	return 0;
}

/* Starting. */

static int watch_runner(struct hook *hook)
{
	int ret = sd_event_add_child(hook->hooks->loop, &hook->runner, hook->run.runner, WEXITED, on_runner, hook);

	if (ret >= 0)
		(void)sd_event_source_set_description(hook->runner, hook->name);
	return ret < 0 ? ret : 0;
}

/* A runner that nobody hears of is of no use, and its hook would be run again beside it. */
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
	_cleanup_free_ char *path = NULL;
	int ret;

	ft_event_write_json(&input, event, settings->fabric, settings->instance);
	if (ft_text_failed(&input))
		return -ENOMEM;
	ret = make_environment(event, settings, &environment);
	if (ret < 0)
		return ret;
	if (asprintf(&path, "%s/%s", settings->directory, hook->name) < 0) {
		path = NULL;
		return -ENOMEM;
	}
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
	if (ret < 0)
		end_unwatched(hook);
	return ret;
}

/* Returns an enum ft_note. Where no notes can be kept hooks are run all the same: better twice than never. */
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
		hook_took(hook, event->seq);
		return;
	}
	hook->seq = event->seq;
	ret = run_hook(hook, event, note);
	if (ret == 0)
		return;
	snprintf(why, sizeof(why), "it could not be started: %s", strerror(-ret));
	hook_failed(hook, event->seq, why);
}

static void hook_next(struct hook *hook)
{
	const struct ft_event *event;

	if (hook->starting)
		return;
	hook->starting = true;
	while (hook->present && !hook->runner && !hook->timer) {
		event = ft_alerts_next(hook->hooks->alerts, hook->sink);
		if (!event)
			break;
		hook_start(hook, event);
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
 * Returns 1, 0, or -errno where that cannot be told: then the directory cannot be searched, or the system is short of
 * something. Where a link points to is its own affair.
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

static int read_directory(const char *path, struct names *names, struct names *refused)
{
	_cleanup_(dir_closep) DIR *dir = opendir(path);
	const struct dirent *entry;
	int ret;

	if (!dir)
		return errno == ENOENT ? 0 : -errno;
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
		ret = names_add(is_good_name(entry->d_name) ? names : refused, entry->d_name);
		if (ret < 0)
			return ret;
	}
	if (errno)
		return -errno;
	if (names->count > 0)
		qsort(names->items, names->count, sizeof(*names->items), compare_names);
	return 0;
}

static void hook_free(struct hook *hook)
{
	if (!hook)
		return;
	sd_event_source_disable_unref(hook->runner);
	sd_event_source_disable_unref(hook->timer);
	ft_hook_run_release(&hook->run);
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

/* These hooks are there now; all of them or, on -ENOMEM, as before. */
static int set_present(struct ft_hooks *hooks, const struct names *names)
{
	_cleanup_free_ const char **sinks = calloc(names->count + 1, sizeof(*sinks));

	if (!sinks)
		return -ENOMEM;
	for (size_t i = 0; i < names->count; i++)
		if (!find_hook(hooks, names->items[i]) && add_hook(hooks, names->items[i]) < 0)
			return -ENOMEM;
	for (size_t i = 0; i < hooks->count; i++)
		hooks->items[i]->present = contains(names->items, names->count, hooks->items[i]->name);
	for (size_t i = 0; i < names->count; i++)
		sinks[i] = find_hook(hooks, names->items[i])->sink;
	free(hooks->sinks);
	hooks->sinks = FT_STEAL(sinks);
	hooks->sink_count = names->count;
	return 0;
}

/* Each name once, as long as it is there. */
static void complain(struct ft_hooks *hooks, struct names *refused)
{
	for (size_t i = 0; i < refused->count; i++)
		if (!contains(hooks->refused, hooks->refused_count, refused->items[i]))
			ft_log(LOG_WARNING, "%s/%s is left out: names of hooks are up to %d of A-Z a-z 0-9 . _ -",
			       hooks->settings.directory, refused->items[i], FT_HOOK_NAME_MAX);
	strings_free(hooks->refused, hooks->refused_count);
	hooks->refused = FT_STEAL(refused->items);
	hooks->refused_count = refused->count;
	refused->count = 0;
}

const char *const *ft_hooks_scan(struct ft_hooks *hooks, size_t *ret_count)
{
	_cleanup_(names_release) struct names names = {0}, refused = {0};
	int ret;

	ret = read_directory(hooks->settings.directory, &names, &refused);
	if (ret == 0)
		ret = set_present(hooks, &names);
	if (ret == 0)
		complain(hooks, &refused);
	else if (ret != hooks->scan_error)
		ft_log(LOG_ERR, "%s: %s: the hooks stay as they were", hooks->settings.directory, strerror(-ret));
	hooks->scan_error = ret;
	*ret_count = ret == 0 ? hooks->sink_count : 0;
	return ret == 0 ? hooks->sinks : NULL;
}

/* Notes. */

static bool keep_note(void *userdata, const char *name, uint64_t seq)
{
	const struct ft_hooks *hooks = userdata;
	const struct ft_event *event;
	char sink[sizeof("hook:") + FT_HOOK_NAME_MAX];

	if (snprintf(sink, sizeof(sink), "hook:%s", name) >= (int)sizeof(sink))
		return false;
	event = ft_alerts_next(hooks->alerts, sink);
	/* A hook is started for the oldest only. */
	return event && event->seq == seq;
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
	for (size_t i = 0; i < hooks->count; i++)
		hooks->items[i]->timer = sd_event_source_disable_unref(hooks->items[i]->timer);
	return 0;
}

struct ft_hooks_counts ft_hooks_counts(const struct ft_hooks *hooks)
{
	return hooks->counts;
}

void ft_hooks_free(struct ft_hooks *hooks)
{
	if (!hooks)
		return;
	for (size_t i = 0; i < hooks->count; i++)
		hook_free(hooks->items[i]);
	free(hooks->items);
	free(hooks->sinks);
	strings_free(hooks->refused, hooks->refused_count);
	settings_release(&hooks->settings);
	sd_event_unref(hooks->loop);
	free(hooks);
}
