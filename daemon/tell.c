/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Output of results: alerts to their sinks, notifications to systemd, HTTP pages. */
#include "config.h"

#include "daemon/daemon.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "daemon/links.h"
#include "daemon/log.h"
#include "daemon/notify.h"
#include "daemon/remember.h"
#include "daemon/state.h"
#include "probe/guard.h"

static const char journal_sink[] = "journal";

enum { JOURNAL_RETRY_MS = 100 };

static int64_t clock_ms(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

struct ft_now ft_daemon_now(void)
{
	return (struct ft_now){.mono_ms = clock_ms(CLOCK_MONOTONIC), .wall_ms = clock_ms(CLOCK_REALTIME)};
}

/* Alerts. */

void ft_tell_sinks(struct ft_daemon *d)
{
	_cleanup_free_ const char **names = NULL;
	const char *const *hooks;
	size_t count;

	hooks = ft_hooks_scan(d->hooks, &count);
	/* Events for hooks that cannot be listed now stay queued. Without any sinks yet, nothing is queued. */
	if (!hooks && ft_alerts_has_sink(d->alerts, journal_sink))
		return;
	names = calloc(count + 1, sizeof(*names));
	if (!names)
		return;
	names[0] = journal_sink;
	for (size_t i = 0; i < count; i++)
		names[i + 1] = hooks[i];
	if (ft_alerts_set_sinks(d->alerts, names, count + 1) < 0)
		ft_log(LOG_ERR, "out of memory: new hooks are not heeded");
}

static void state_trouble(struct ft_daemon *d, int r)
{
	static const struct {
		int code;
		const char *fix;
	} fixes[] = {
		{ENOENT, "make the directory (mkdir -p), or name another with --state-directory"},
		{ENOTDIR, "name a directory with --state-directory"},
		{EACCES,
		 "give the directory to the user of the daemon (chown), or name another with --state-directory"},
		{EPERM, "give the directory to the user of the daemon (chown), or name another with --state-directory"},
		{EROFS, "mount it for writing, or name another with --state-directory"},
		{ENOSPC, "make room on its file system"},
		{EDQUOT, "make room on its file system"},
	};
	const char *fix = NULL;

	d->metrics.state_failures++;
	for (size_t i = 0; i < FT_COUNT(fixes); i++)
		if (fixes[i].code == -r)
			fix = fixes[i].fix;
	if (!d->state_failed)
		ft_log(LOG_ERR,
		       "%s: the state of alerts cannot be saved, after a restart they may be said twice: %s%s%s",
		       d->options->state_directory, strerror(-r), fix ? "; " : "", fix ? fix : "");
	d->state_failed = true;
}

static void state_sync(struct ft_daemon *d);

static int on_synced(sd_event_source *source, const siginfo_t *info, void *userdata)
{
	struct ft_daemon *d = userdata;

	(void)source;
	d->sync_child = sd_event_source_disable_unref(d->sync_child);
	if (info->si_code != CLD_EXITED || info->si_status != 0)
		state_trouble(d, info->si_code == CLD_EXITED ? -info->si_status : -EIO);
	else if (d->synced_version == d->saved_version)
		d->synced = true;
	else
		state_sync(d);
	return 0;
}

/* Syncs to disk without blocking the loop. One at a time. */
static void state_sync(struct ft_daemon *d)
{
	pid_t child;
	int r;

	if (d->sync_child)
		return;
	d->synced_version = d->saved_version;
	child = fork();
	if (child == 0) {
		/* Locks of hooks' notes among them. */
		close_range(3, ~0U, 0);
		_exit(-ft_state_sync(d->options->state_directory));
	}
	r = child < 0 ? -errno : sd_event_add_child(d->loop, &d->sync_child, child, WEXITED, on_synced, d);
	/* After its end the loop does not wait for the child, which finishes all the same. */
	if (r < 0 && r != -ESTALE)
		ft_log(LOG_WARNING, "no process to bring the state to the disk: %s", strerror(-r));
}

static void state_save(struct ft_daemon *d)
{
	const char *directory = d->options->state_directory;
	uint64_t version = ft_alerts_version(d->alerts);
	int r;

	if (version == d->saved_version || !directory)
		return;
	r = ft_state_save(directory, d->alerts, ft_daemon_now(), d->synced);
	if (r < 0) {
		state_trouble(d, r);
		return;
	}
	d->saved_version = version;
	d->synced = false;
	ft_hooks_saved(d->hooks);
	if (d->state_failed)
		ft_log(LOG_NOTICE, "%s: the state of alerts is saved again", directory);
	d->state_failed = false;
}

/* Returns whether there was room for all. */
static bool journal_feed(struct ft_daemon *d)
{
	const struct ft_event *event;
	const char *json;

	while ((event = ft_alerts_next(d->alerts, journal_sink))) {
		if (ft_log_alert(event, d->design->name, d->options->instance ? d->options->instance : "") < 0)
			return false;
		d->metrics.alerts[event->kind]++;
		json = ft_history_note(&d->history, event);
		if (json)
			ft_keep_event(d, event, json);
		ft_alerts_done(d->alerts, journal_sink, event->seq);
	}
	return true;
}

static void alert_timer_set(struct ft_daemon *d, bool journal_fed)
{
	int64_t due_ms = ft_alerts_due_ms(d->alerts, &d->config->rules),
		retry_ms = ft_guard_now_ms() + JOURNAL_RETRY_MS;

	if (!journal_fed && retry_ms < due_ms)
		due_ms = retry_ms;
	if (due_ms == INT64_MAX) {
		sd_event_source_set_enabled(d->alert_timer, SD_EVENT_OFF);
		return;
	}
	sd_event_source_set_time(d->alert_timer, due_ms > 0 ? (uint64_t)due_ms * 1000 : 0);
	sd_event_source_set_enabled(d->alert_timer, SD_EVENT_ONESHOT);
}

static void dropped_say(struct ft_daemon *d)
{
	uint64_t dropped = ft_alerts_dropped(d->alerts);

	if (dropped > d->dropped)
		ft_log(LOG_ERR, "%llu alerts were given up: more than %d wait for a sink that does not take them",
		       (unsigned long long)(dropped - d->dropped), FT_EVENTS_MAX);
	d->dropped = dropped;
}

void ft_tell_save(struct ft_daemon *d)
{
	state_save(d);
	if (!d->synced && d->options->state_directory && !d->state_failed)
		state_sync(d);
}

void ft_tell_alerts(struct ft_daemon *d)
{
	bool fed;

	/* Saved before any event is sent: a daemon started after a kill knows that it was. */
	state_save(d);
	fed = journal_feed(d);
	/*
	 * Hooks start before it is saved that the journal has these events: that save can take 100 ms on a busy disk.
	 * ft_tell_save() covers both. After a kill in between, the journal may get an event twice.
	 */
	ft_hooks_kick(d->hooks);
	ft_tell_save(d);
	dropped_say(d);
	alert_timer_set(d, fed);
	ft_http_tell(d->http);
}

/* No hook is started, as nothing would receive its result. The next daemon starts it. */
void ft_tell_end(struct ft_daemon *d)
{
	state_save(d);
	(void)journal_feed(d);
	ft_tell_save(d);
	dropped_say(d);
}

static void alerts_check(int r)
{
	/* The check had no effect; the next one will. */
	if (r < 0)
		ft_log(LOG_ERR, "alerts: %s", strerror(-r));
}

static int host_link_lost(const struct ft_snapshot *before, const struct ft_port *port, void *userdata)
{
	const struct ft_node *sw = ft_port_node(before, port), *ca = ft_port_node(before, ft_port_peer(before, port));
	struct ft_daemon *d = userdata;
	_cleanup_free_ char *name = ft_names_safe_dup(d->config->names, before, sw);
	_cleanup_free_ char *host = ft_names_safe_dup(d->config->names, before, ca);

	/* If memory ran out, one flap less is counted. */
	if (name && host)
		ft_alerts_host_link_down(d->alerts, &d->config->rules, sw->guid, port->number, name, host,
					 ft_daemon_now());
	return 0;
}

static void host_links_compare(struct ft_daemon *d, const struct ft_snapshot *snapshot)
{
	const struct ft_snapshot *before = d->judged ? d->judged : d->snapshot;

	if (before && snapshot)
		ft_host_links_lost(before, snapshot, host_link_lost, d);
}

static int guid_compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Planned switches that were not seen, or only by their neighbors. O(n log n); all of them if memory runs out. */
static uint32_t arrival_count(const struct ft_check_result *result)
{
	const struct ft_snapshot *s = result->snapshot;
	const struct ft_report *report = result->report;
	_cleanup_free_ uint64_t *silent = malloc((s->node_count + 1UL) * sizeof(*silent));
	uint32_t missing = 0;
	size_t count = 0;

	for (uint32_t i = 0; silent && i < s->node_count; i++)
		if (s->nodes[i].type == FT_NODE_SWITCH && s->nodes[i].silent)
			silent[count++] = s->nodes[i].guid;
	if (silent)
		qsort(silent, count, sizeof(*silent), guid_compare);
	for (size_t i = 0; i < report->switch_count; i++) {
		const struct ft_report_switch *sw = &report->switches[i];

		missing += sw->planned_as && (sw->guid == 0 || !silent ||
					      bsearch(&sw->guid, silent, count, sizeof(*silent), guid_compare));
	}
	return missing;
}

/* Do alerts wait for it? @result: NULL, or without a snapshot: nothing was read. */
static bool arrival_goes_on(struct ft_daemon *d, const struct ft_check_result *result)
{
	int64_t left_ms = d->arrival.until_ms - ft_guard_now_ms();
	bool read = result && result->snapshot;
	uint32_t missing;

	if (d->arrival.until_ms == 0)
		return false;
	missing = read ? arrival_count(result) : d->arrival.missing;
	if (left_ms <= 0 || (read && missing == 0)) {
		d->arrival = (struct ft_arrival){0};
		return false;
	}
	if (read && missing != d->arrival.missing)
		ft_log(LOG_INFO, "no alerts yet: %u switch%s handed over no neighbors", missing,
		       missing == 1 ? " has" : "es have");
	d->arrival.missing = missing;
	ft_looks_sweep_in(d, left_ms);
	return true;
}

void ft_tell_arrival(struct ft_daemon *d)
{
	bool waits = d->config->lldp && d->config->lldp_wait_ms > 0;

	d->arrival = (struct ft_arrival){.until_ms = waits ? ft_guard_now_ms() + d->config->lldp_wait_ms : 0};
}

/* Returns 1 if the report could be judged, 0 if not, or -errno. */
static int alerts_look(struct ft_daemon *d, const struct ft_report *report, enum ft_look_kind kind)
{
	struct ft_now now = ft_daemon_now();
	int r;

	if (ft_report_is_incomplete(report))
		return ft_alerts_miss(d->alerts, &d->config->rules, report, kind, "the sweep could not see everything",
				      now);
	r = ft_alerts_look(d->alerts, &d->config->rules, report, kind, now);
	return r < 0 ? r : 1;
}

/* Cables that a returned switch still lacks at the end of its time must be reported, with or without events. */
static void returning_watch(struct ft_daemon *d, const struct ft_report *report)
{
	for (size_t i = 0; i < report->finding_count; i++)
		if (report->findings[i].returning.of) {
			ft_looks_sweep_in(d, (int64_t)d->config->returning_ms + 1000);
			return;
		}
}

bool ft_tell_look(struct ft_daemon *d, struct ft_check_result *result, enum ft_look_kind kind)
{
	bool arrives = arrival_goes_on(d, result);
	int judged;

	ft_remember_now(d);
	ft_tell_sinks(d);
	judged = arrives ? 1 : alerts_look(d, result->report, kind);
	alerts_check(judged);
	if (judged > 0 && !arrives) {
		host_links_compare(d, result->snapshot);
		returning_watch(d, result->report);
	}
	if (judged > 0 && kind == FT_LOOK_ALL)
		d->metrics.last_success_ms = ft_daemon_now().wall_ms;
	if (judged > 0 || kind != FT_LOOK_PART) {
		ft_report_free(d->report);
		d->report = FT_STEAL(result->report);
		d->report_version++;
		ft_text_release(&d->json);
		d->json = result->text;
		result->text = (struct ft_text){0};
	}
	ft_tell_alerts(d);
	if (judged > 0 && !arrives) {
		/* In a large fabric this takes longer than all of the above: no alert waits for it. */
		if (kind == FT_LOOK_PART)
			ft_remember_later(d);
		else
			ft_remember_look(d, result->snapshot, d->report, kind == FT_LOOK_ALL);
		if (result->snapshot)
			ft_keep_fabric(d);
	}
	return judged > 0;
}

void ft_tell_miss(struct ft_daemon *d, const char *why)
{
	if (arrival_goes_on(d, NULL))
		return;
	ft_tell_sinks(d);
	alerts_check(ft_alerts_miss(d->alerts, &d->config->rules, NULL, FT_LOOK_ALL, why, ft_daemon_now()));
	ft_tell_alerts(d);
}

/* Words. */

void ft_tell_listening(const struct ft_daemon *d, struct ft_text *text)
{
	if (d->no_port || (d->looks.no_port && !d->metrics.listens))
		ft_text_printf(text, "nothing can be watched: %s", d->no_port ? d->listens : d->looks.trouble);
	else if (d->metrics.listens)
		ft_text_printf(text, "listening to events of %s", d->listens);
	else
		ft_text_printf(text, "polling every %u s: %s", d->config->sweep_interval_ms / 1000, d->listens);
}

void ft_tell_verdict(const struct ft_daemon *d, struct ft_text *text)
{
	const struct ft_report *r = d->report;

	if (!r) {
		ft_text_printf(text, "%s: not seen yet%s%s", d->design->name, d->looks.trouble[0] ? ": " : "",
			       d->looks.trouble);
		return;
	}
	ft_text_printf(text, "%s: %s: %u of %u %s%s up, %u of %u host%s, %zu finding%s", r->plan_name,
		       ft_verdict_name(r->verdict), r->uplinks.up, r->uplinks.planned, ft_report_link_word(r),
		       ft_text_s(r->uplinks.planned), r->hosts.found, r->hosts.planned, ft_text_s(r->hosts.planned),
		       r->finding_count, r->finding_count == 1 ? "" : "s");
	if (d->looks.trouble[0])
		ft_text_printf(text, "; since then: %s", d->looks.trouble);
}

static void refused_words(const struct ft_daemon *d, struct ft_text *text)
{
	uint64_t refused = ft_hooks_counts(d->hooks).refused;

	if (refused > 0)
		ft_text_printf(text, "; %llu hook%s refused, the log says why", (unsigned long long)refused,
			       refused == 1 ? " is" : "s are");
}

static void status_words(const struct ft_daemon *d, struct ft_text *text)
{
	ft_text_puts(text, "STATUS=");
	ft_tell_verdict(d, text);
	ft_text_puts(text, "; ");
	ft_tell_listening(d, text);
	if (d->state_failed)
		ft_text_puts(text, "; state not saved");
	refused_words(d, text);
	if (d->refused)
		ft_text_puts(text, "; the new configuration is refused, the old one is in force");
}

void ft_tell_status(struct ft_daemon *d, bool ready)
{
	_cleanup_(ft_text_release) struct ft_text status = {0}, message = {0};

	d->ready_owed |= ready && !d->ready;
	d->ready |= ready;
	status_words(d, &status);
	if (!d->ready_owed && d->status && strcmp(d->status, ft_text_string(&status)) == 0)
		return;
	if (d->ready_owed)
		ft_text_puts(&message, "READY=1\n");
	ft_text_puts(&message, ft_text_string(&status));
	if (ft_notify(ft_text_string(&message)) < 0)
		return;
	d->ready_owed = false;
	free(d->status);
	d->status = strdup(ft_text_string(&status));
	ft_http_tell(d->http);
}

/* HTTP. */

bool ft_tell_is_blind(const struct ft_daemon *d)
{
	return d->looks.blind >= d->config->rules.incomplete_after;
}

static void metrics_page(void *userdata, struct ft_text *text)
{
	struct ft_daemon *d = userdata;
	struct ft_hooks_counts hooks = ft_hooks_counts(d->hooks);
	_cleanup_free_ struct ft_hook_runs *runs = NULL;
	size_t count = 0;

	for (unsigned int i = 0; i < FT_COUNT(d->metrics.standing); i++)
		d->metrics.standing[i] = ft_alerts_standing(d->alerts, i);
	d->metrics.hooks_succeeded = hooks.succeeded;
	d->metrics.hooks_failed = hooks.failed;
	d->metrics.hooks_given_up = hooks.given_up;
	d->metrics.hooks_refused = hooks.refused;
	d->metrics.alerts_summed_up = ft_alerts_summed_up(d->alerts);
	d->metrics.blind = ft_tell_is_blind(d);
	while (ft_hooks_runs(d->hooks, count))
		count++;
	runs = calloc(count + 1, sizeof(*runs));
	for (size_t i = 0; runs && i < count; i++)
		runs[i] = *ft_hooks_runs(d->hooks, i);
	d->metrics.hooks = runs;
	d->metrics.hook_count = runs ? count : 0;
	ft_metrics_write(text, &d->metrics, d->report);
	d->metrics.hooks = NULL;
	d->metrics.hook_count = 0;
}

static int report_page(void *userdata, struct ft_text *text)
{
	struct ft_daemon *d = userdata;

	/* An outdated report must not look healthy. */
	if (!d->report || ft_tell_is_blind(d)) {
		ft_tell_verdict(d, text);
		ft_text_puts(text, "\n");
		return -EAGAIN;
	}
	ft_text_add(text, d->json.data, d->json.length);
	return 0;
}

static int health_page(void *userdata, struct ft_text *text)
{
	struct ft_daemon *d = userdata;
	bool progress = ft_looks_progress(d);

	ft_text_puts(text, progress ? "ok: " : "the sweeps make no progress: ");
	ft_tell_verdict(d, text);
	ft_text_puts(text, "; ");
	ft_tell_listening(d, text);
	ft_text_puts(text, "\n");
	return progress ? 0 : -EAGAIN;
}

static void state_line(void *userdata, struct ft_text *text)
{
	struct ft_daemon *d = userdata;

	ft_tell_listening(d, text);
	if (d->arrival.missing > 0)
		ft_text_printf(text, "; no alerts yet: %u switch%s handed over no neighbors", d->arrival.missing,
			       d->arrival.missing == 1 ? " has" : "es have");
	if (d->looks.trouble[0])
		ft_text_printf(text, "; since then: %s", d->looks.trouble);
	refused_words(d, text);
}

const struct ft_http_pages ft_tell_pages = {
	.summary = ft_summary_page,
	.drawing = ft_drawing_page,
	.build = ft_building_page,
	.nodes = ft_nodes_page,
	.history = ft_keep_page,
	.metrics = metrics_page,
	.report = report_page,
	.health = health_page,
	.state = state_line,
};
