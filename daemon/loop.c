/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Start, listener, reload, end. */
#include "config.h"

#include "daemon/loop.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-daemon.h>

#include "daemon/daemon.h"
#include "daemon/log.h"
#include "daemon/neighbours.h"
#include "daemon/notify.h"
#include "daemon/remember.h"
#include "daemon/state.h"
#include "daemon/stop.h"
#include "probe/guard.h"
#include "verify/model/bounds.h"
#include "verify/model/verify.h"

enum {
	FIRST_SWEEP_MS = 1000, /* the first sweep waits so long for the listener, so that no event is lost in between */
	LISTENER_RETRY_MS = 1000, /* doubles */
	LISTENER_RETRY_MAX_MS = 60000,
	/* An SM that only checks whether all switches are unchanged sends each one SMP, now and then. */
	BUSY_PER_SWITCH = 2,
	CALM_MS = 2500,		    /* the listener polls every second */
	BUSY_TRAP_MS = 5000,	    /* a trap so long before explains the activity */
	AT_HOME_MS = 2000,	    /* without a trap for so long, the local switch is read first */
	LISTENER_SILENT_MS = 20000, /* four times the longest interval of its messages */
	SAVE_MS = 500,
	TIMER_ACCURACY_US = 100000,
	CHORES_US = 20000000, /* twice the interval between two runs if no watchdog needs a shorter one */
};

static const char *error_text(const struct ft_error *err, int r)
{
	return err->text[0] ? err->text : strerror(-r);
}

/* "FILE:LINE:COLUMN: what", the form of all programs of this project. */
static void file_error_log(const char *file, const struct ft_error *err, int r, const char *more)
{
	if (err->file)
		file = err->file;
	if (err->line > 0)
		ft_log(LOG_ERR, "%s:%u:%u: %s%s", file, err->line, err->column, error_text(err, r), more);
	else
		ft_log(LOG_ERR, "%s: %s%s", file, error_text(err, r), more);
}

/* Events. */

static void listener_drop(struct ft_daemon *d)
{
	ft_neighbours_free(FT_STEAL(d->neighbours));
	d->listener_input = sd_event_source_disable_unref(d->listener_input);
	ft_listener_free(FT_STEAL(d->listener));
	d->busy_since_ms = 0;
	if (d->calm_timer)
		sd_event_source_set_enabled(d->calm_timer, SD_EVENT_OFF);
}

/* A hint what to do; the port is looked for again automatically. */
static const char *no_port_advice(const char *text)
{
	if (strstr(text, "modprobe"))
		return "";
	return "; load the drivers (modprobe ib_umad), see with ibstat which ports there are and are up, or name "
	       "another one with \"ca\" and \"port\"";
}

static void listening_say(struct ft_daemon *d, bool listens, bool no_port, const char *text)
{
	d->metrics.listens = listens;
	d->no_port = no_port;
	snprintf(d->listens, sizeof(d->listens), "%s", text);
	if (no_port)
		ft_log(LOG_WARNING, "nothing can be watched: %s%s", text, no_port_advice(text));
	else
		ft_log(listens ? LOG_NOTICE : LOG_WARNING, "%s%s",
		       listens ? "listening to events of " : "polling only: ", text);
	/* Sweeps for changes without a listener; and the loss of the listener may itself be a sign of the fault. */
	ft_looks_sweep_in(d, 0);
	ft_tell_status(d, false);
}

static bool snapshot_has_end_port(const struct ft_snapshot *s, uint64_t guid)
{
	for (uint32_t i = 0; i < s->port_count; i++)
		if (s->ports[i].guid == guid)
			return true;
	return false;
}

static uint32_t switches_known(const struct ft_daemon *d)
{
	return d->report ? (uint32_t)d->report->switch_count : 0;
}

/* The SM is rerouting; whether that concerns us is checked once it has finished. */
static void busy_take(struct ft_daemon *d, uint32_t smps)
{
	int64_t now = ft_guard_now_ms();

	if (smps <= BUSY_PER_SWITCH * switches_known(d))
		return;
	if (d->busy_since_ms == 0) {
		d->busy_since_ms = now;
		if (now - d->trap_ms > AT_HOME_MS)
			ft_looks_at_home(d);
	}
	sd_event_source_set_time(d->calm_timer, (uint64_t)(now + CALM_MS) * 1000);
	sd_event_source_set_enabled(d->calm_timer, SD_EVENT_ONESHOT);
}

/*
 * After the SM has finished: its activity may be due to a change without a Report to us, since a Report sent before the
 * rerouting can be lost on the old route. If no event came at all, that is certain. If some came, it is not, and full
 * sweeps may take a hundredth of the time.
 */
static int on_calm(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct ft_daemon *d = userdata;

	(void)source;
	(void)usec;
	ft_looks_sweep_after_busy(d, d->trap_ms < d->busy_since_ms - BUSY_TRAP_MS);
	d->busy_since_ms = 0;
	return 0;
}

static void trap_take(struct ft_daemon *d, const struct ft_listener_message *message)
{
	const struct ft_change change = {
		.lid = message->lid,
		.guid = message->guid,
		.gone = message->trap == 65,
	};

	d->metrics.events[message->trap == 128 ? 0 : message->trap == 64 ? 1 : 2]++;
	/* Only the GUID of a new host is known; trap 128 of its switch gives the place. */
	if (message->trap == 64 && d->snapshot && !d->looks.waiting.too_many &&
	    !snapshot_has_end_port(d->snapshot, change.guid))
		return;
	d->trap_ms = ft_guard_now_ms();
	ft_looks_change(d, &change);
}

static void listener_failed(struct ft_daemon *d, const char *why)
{
	int64_t delay = (int64_t)LISTENER_RETRY_MS << (d->listener_failures < 6 ? d->listener_failures : 6);

	listener_drop(d);
	d->listener_failures++;
	if (d->metrics.listens || strcmp(d->listens, why) != 0)
		listening_say(d, false, false, why);
	if (delay > LISTENER_RETRY_MAX_MS)
		delay = LISTENER_RETRY_MAX_MS;
	sd_event_source_set_time(d->listener_timer, (uint64_t)(ft_guard_now_ms() + delay) * 1000);
	sd_event_source_set_enabled(d->listener_timer, SD_EVENT_ONESHOT);
}

static int on_listener(sd_event_source *source, int fd, uint32_t events, void *userdata)
{
	struct ft_daemon *d = userdata;
	struct ft_listener_message message;
	int r;

	(void)source;
	(void)fd;
	(void)events;
	d->listener_heard_ms = ft_guard_now_ms();
	while ((r = ft_listener_read(d->listener, &message)) > 0) {
		if (message.kind == FT_LISTENER_ALIVE)
			continue;
		if (message.kind == FT_LISTENER_TRAP) {
			trap_take(d, &message);
			continue;
		}
		if (message.kind == FT_LISTENER_BUSY) {
			busy_take(d, message.smps);
			continue;
		}
		if (message.kind == FT_LISTENER_SUBSCRIBED)
			d->listener_failures = 0;
		listening_say(d, message.kind == FT_LISTENER_SUBSCRIBED, message.no_port, message.text);
	}
	if (r < 0)
		listener_failed(d, "the process that listens to events ended");
	return 0;
}

/* A look soon, in case more files change. */
static void on_neighbours(bool lost, void *userdata)
{
	struct ft_daemon *d = userdata;

	if (lost)
		listener_failed(d, "the directory of neighbors is gone");
	else
		ft_looks_sweep_in(d, d->config->settle_ms);
}

static void neighbours_begin(struct ft_daemon *d)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};
	int r = ft_neighbours_watch(d->loop, d->config->lldp, on_neighbours, d, &d->neighbours);

	ft_text_printf(&text, "%s%s%s", d->config->lldp, r < 0 ? ": " : "", r < 0 ? strerror(-r) : "");
	if (r < 0) {
		listener_failed(d, ft_text_string(&text));
		return;
	}
	d->listener_failures = 0;
	listening_say(d, true, false, ft_text_string(&text));
}

static void listener_begin(struct ft_daemon *d)
{
	struct ft_listener_options options = ft_listener_defaults;
	struct ft_error err = {0};
	int r;

	if (d->config->lldp_command) {
		snprintf(d->listens, sizeof(d->listens), "lldp_command prints the neighbors, and tells of no change");
		return;
	}
	if (d->config->lldp) {
		neighbours_begin(d);
		return;
	}
	options.ca = d->config->ca;
	options.port = d->config->sweep.port;
	d->listener_heard_ms = ft_guard_now_ms();
	r = ft_listener_start(&options, &d->listener, &err);
	if (r == 0)
		r = sd_event_add_io(d->loop, &d->listener_input, ft_listener_fd(d->listener), EPOLLIN, on_listener, d);
	if (r < 0)
		listener_failed(d, error_text(&err, r));
}

static int on_listener_timer(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct ft_daemon *d = userdata;

	(void)source;
	(void)usec;
	if (!d->listener && !d->neighbours && d->config->events)
		listener_begin(d);
	return 0;
}

static void listener_restart(struct ft_daemon *d)
{
	listener_drop(d);
	sd_event_source_set_enabled(d->listener_timer, SD_EVENT_OFF);
	d->listener_failures = 0;
	d->metrics.listens = d->no_port = false;
	snprintf(d->listens, sizeof(d->listens), "%s",
		 d->config->events ? "not yet listening to events" : "the configuration wants no events");
	if (d->config->events)
		listener_begin(d);
}

/* HTTP. */

static void http_begin(struct ft_daemon *d, int fd)
{
	struct ft_error err = {0};
	int r;

	if (d->http_inherited && fd < 0)
		return;
	if (fd < 0 && !d->config->listen)
		return;
	d->http_inherited |= fd >= 0;
	r = ft_http_new(d->loop, d->config->listen, fd, &ft_tell_pages, d, &d->http, &err);
	if (r < 0 && !d->http_failed)
		ft_log(LOG_ERR, "no metrics and no reports by HTTP: %s", error_text(&err, r));
	if (r == 0 && ft_http_port(d->http) > 0)
		ft_log(LOG_INFO, "HTTP on port %u", ft_http_port(d->http));
	d->http_failed = r < 0;
}

/* The first socket passed by systemd, or -1. */
static int http_inherited(void)
{
	int count = sd_listen_fds(1);

	if (count > 1)
		ft_log(LOG_WARNING, "%d sockets were handed over, and only the first is served", count);
	return count > 0 ? SD_LISTEN_FDS_START : -1;
}

/* Configuration. */

struct settings {
	struct ft_config *config;
	struct ft_design *design;
	struct ft_plan *plan;
};

static void settings_release(struct settings *settings)
{
	ft_config_free(settings->config);
	ft_design_free(settings->design);
	ft_plan_free(settings->plan);
}

/* Reads and checks the whole configuration, or logs the error, followed by @more. */
static int settings_load(const struct ft_daemon_options *options, struct settings *ret_settings, const char *more)
{
	_cleanup_(settings_release) struct settings settings = {0};
	struct ft_error err = {0};
	struct ft_bounds bounds;
	int r;

	r = ft_config_load(options->config, options->instance, &settings.config, &err);
	if (r < 0) {
		file_error_log(options->config, &err, r, more);
		return r;
	}
	r = ft_config_load_plan(settings.config, options->config, &settings.design, &settings.plan, &err);
	if (r < 0) {
		file_error_log(settings.config->plan, &err, r, more);
		return r;
	}
	ft_bounds_of_plan(settings.plan, &bounds);
	settings.config->rules.max_bytes = bounds.max_alerts;
	*ret_settings = settings;
	settings = (struct settings){0};
	return 0;
}

static bool same(const char *a, const char *b)
{
	return (!a && !b) || (a && b && strcmp(a, b) == 0);
}

static struct ft_hooks_options hooks_options(const struct ft_daemon *d)
{
	return (struct ft_hooks_options){
		.directory = d->config->hook_directory,
		.state_directory = d->options->state_directory,
		.fabric = d->design->name,
		.instance = d->options->instance ? d->options->instance : "",
		.timeout_ms = d->config->hook_timeout_ms,
		.retry_ms = d->config->hook_retry_ms,
		.give_up_ms = d->config->hook_give_up_ms,
	};
}

/* Would sweeps give the same result? */
static bool same_plan(const struct ft_daemon *d, const struct settings *old)
{
	return same(d->config->plan, old->config->plan) && d->design->text_length == old->design->text_length &&
	       memcmp(d->design->text, old->design->text, d->design->text_length) == 0;
}

/* The new settings are in d already; @old has the previous ones. */
static void settings_apply(struct ft_daemon *d, const struct settings *old)
{
	const struct ft_config *now = d->config, *before = old->config;
	bool other_port = !same(now->ca, before->ca) || now->sweep.port != before->sweep.port ||
			  !same(now->lldp, before->lldp) || !same(now->lldp_command, before->lldp_command);
	struct ft_hooks_options hooks = hooks_options(d);

	ft_looks_unready(d);
	if (ft_hooks_set_options(d->hooks, &hooks) < 0)
		ft_log(LOG_ERR, "out of memory: hooks go on as before");
	if (!d->http_inherited && !same(now->listen, before->listen)) {
		ft_http_free(FT_STEAL(d->http));
		d->http_failed = false;
		http_begin(d, -1);
	}
	if (other_port)
		ft_tell_arrival(d);
	if (other_port)
		ft_looks_forget(d);
	else if (!same_plan(d, old))
		ft_looks_judge_again(d);
	else
		ft_looks_sweep_in(d, 0);
	if (other_port || now->events != before->events)
		listener_restart(d);
	ft_tell_sinks(d);
	ft_tell_alerts(d);
}

static void reloading_say(void)
{
	char state[64];

	snprintf(state, sizeof(state), "RELOADING=1\nMONOTONIC_USEC=%lld", (long long)ft_guard_now_ms() * 1000);
	ft_notify(state);
}

static void reload(struct ft_daemon *d)
{
	_cleanup_(settings_release) struct settings settings = {0};
	struct settings old = {d->config, d->design, d->plan};

	reloading_say();
	if (settings_load(d->options, &settings, "; the old configuration and plan stay in force") < 0) {
		d->metrics.reloads_refused++;
		d->refused = true;
	} else {
		d->refused = false;
		d->config = settings.config;
		d->design = settings.design;
		d->plan = settings.plan;
		settings = old;
		settings_apply(d, &old);
		ft_keep_begin(d);
		d->metrics.reloads++;
		ft_log(LOG_NOTICE, "configuration and plan %s are read again", d->design->name);
	}
	d->ready_owed = d->ready;
	ft_tell_status(d, false);
}

/* Signals and timers. */

static int on_hangup(sd_event_source *source, const struct signalfd_siginfo *info, void *userdata)
{
	(void)source;
	(void)info;
	reload(userdata);
	return 0;
}

static int on_alert_timer(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct ft_daemon *d = userdata;

	(void)source;
	(void)usec;
	if (ft_alerts_tick(d->alerts, &d->config->rules, ft_daemon_now()) < 0)
		ft_log(LOG_ERR, "alerts: out of memory");
	ft_tell_alerts(d);
	return 0;
}

/* Only while sweeps start and end in time: a running loop alone is not enough. */
static int on_watchdog(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct ft_daemon *d = userdata;

	(void)usec;
	if (d->watchdog_wanted && ft_looks_progress(d))
		ft_notify("WATCHDOG=1");
	/* Retries notifications for which there was no room. */
	ft_tell_status(d, false);
	/* A port used by another process may be free by now. */
	if (d->http_failed && !d->http)
		http_begin(d, -1);
	if (d->listener && ft_guard_now_ms() - d->listener_heard_ms > LISTENER_SILENT_MS)
		listener_failed(d, "the process that listens to events does not move");
	sd_event_source_set_time(source, (uint64_t)ft_guard_now_ms() * 1000 + d->watchdog_us / 2);
	sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
	return 0;
}

static int on_save_timer(sd_event_source *source, uint64_t usec, void *userdata)
{
	(void)source;
	(void)usec;
	ft_tell_save(userdata);
	return 0;
}

/* A hook accepted an event, which its note records. Thousands of them are not saved one by one. */
static void state_changed(void *userdata)
{
	struct ft_daemon *d = userdata;
	int enabled = SD_EVENT_OFF;

	sd_event_source_get_enabled(d->save_timer, &enabled);
	if (enabled != SD_EVENT_OFF)
		return;
	sd_event_source_set_time(d->save_timer, (uint64_t)(ft_guard_now_ms() + SAVE_MS) * 1000);
	sd_event_source_set_enabled(d->save_timer, SD_EVENT_ONESHOT);
}

static int signals_begin(struct ft_daemon *d)
{
	sigset_t set;
	int r;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return -errno;
	r = sd_event_add_signal(d->loop, NULL, SIGHUP, on_hangup, d);
	return r < 0 ? r : ft_stop_begin(d->loop);
}

static int timers_begin(struct ft_daemon *d)
{
	int r;

	d->watchdog_wanted = sd_watchdog_enabled(1, &d->watchdog_us) > 0;
	if (!d->watchdog_wanted)
		d->watchdog_us = CHORES_US;
	r = sd_event_add_time_relative(d->loop, &d->watchdog_timer, CLOCK_MONOTONIC, d->watchdog_us / 2,
				       TIMER_ACCURACY_US, on_watchdog, d);
	if (r >= 0)
		r = sd_event_add_time(d->loop, &d->alert_timer, CLOCK_MONOTONIC, UINT64_MAX, TIMER_ACCURACY_US,
				      on_alert_timer, d);
	if (r >= 0)
		r = sd_event_add_time(d->loop, &d->listener_timer, CLOCK_MONOTONIC, UINT64_MAX, TIMER_ACCURACY_US,
				      on_listener_timer, d);
	if (r >= 0)
		r = sd_event_add_time(d->loop, &d->save_timer, CLOCK_MONOTONIC, UINT64_MAX, TIMER_ACCURACY_US,
				      on_save_timer, d);
	if (r >= 0)
		r = sd_event_add_time(d->loop, &d->calm_timer, CLOCK_MONOTONIC, UINT64_MAX, TIMER_ACCURACY_US, on_calm,
				      d);
	return r;
}

static int alerts_begin(struct ft_daemon *d, struct ft_error *ret_err)
{
	_cleanup_(ft_text_release) struct ft_text note = {0};
	struct ft_hooks_options options = hooks_options(d);
	struct ft_error err = {0};
	int r;

	if (!d->options->state_directory) {
		r = ft_alerts_new(&d->alerts);
		if (r < 0)
			return r;
	} else {
		r = ft_state_lock(d->options->state_directory, &d->lock, &err);
		if (r == -EWOULDBLOCK || ft_config_failure_passes(r))
			return ft_error_set(ret_err, r, 0, 0, "%s", error_text(&err, r));
		/* Monitoring without persistence is better than none; a failure to save is logged when it occurs. */
		r = ft_state_load(d->options->state_directory, ft_daemon_now(), &d->alerts, &note);
		if (r < 0)
			return ft_error_set(ret_err, r, 0, 0, "%s: %s", d->options->state_directory, strerror(-r));
		if (note.length > 0)
			ft_log(LOG_WARNING, "%s", ft_text_string(&note));
	}
	ft_remember_load(d);
	ft_building_load(d);
	ft_keep_begin(d);
	d->saved_version = ft_alerts_version(d->alerts);
	return ft_hooks_new(d->loop, &options, d->alerts, state_changed, d, &d->hooks, ret_err);
}

static void daemon_release(struct ft_daemon *d)
{
	ft_looks_end(d);
	ft_drawing_end(d);
	ft_building_end(d);
	ft_counting_end(d);
	listener_drop(d);
	ft_http_free(d->http);
	ft_hooks_free(d->hooks);
	ft_alerts_free(d->alerts);
	sd_event_source_disable_unref(d->listener_timer);
	sd_event_source_disable_unref(d->calm_timer);
	sd_event_source_disable_unref(d->alert_timer);
	sd_event_source_disable_unref(d->save_timer);
	sd_event_source_disable_unref(d->sync_child);
	sd_event_source_disable_unref(d->watchdog_timer);
	ft_remember_now(d);
	ft_snapshot_free(d->snapshot);
	ft_snapshot_free(d->judged);
	ft_remember_save(d);
	ft_baseline_free(d->baseline);
	ft_report_free(d->report);
	ft_text_release(&d->json);
	ft_history_release(&d->history);
	ft_keep_end(d);
	free(d->status);
	ft_config_free(d->config);
	ft_design_free(d->design);
	ft_plan_free(d->plan);
	sd_event_unref(d->loop);
	ft_closep(&d->lock);
}

static int daemon_begin(struct ft_daemon *d, struct ft_error *ret_err)
{
	int r;

	r = sd_event_new(&d->loop);
	if (r >= 0)
		r = signals_begin(d);
	if (r >= 0)
		r = timers_begin(d);
	if (r >= 0)
		r = alerts_begin(d, ret_err);
	if (r >= 0)
		r = ft_looks_begin(d);
	if (r < 0)
		return r;
	http_begin(d, http_inherited());
	ft_tell_arrival(d);
	/* Events queued since before a restart. */
	ft_tell_sinks(d);
	ft_tell_alerts(d);
	listener_restart(d);
	ft_looks_sweep_in(d, d->listener ? FIRST_SWEEP_MS : 0);
	return 0;
}

int ft_daemon_run(const struct ft_daemon_options *options)
{
	_cleanup_(daemon_release) struct ft_daemon d = {
		.options = options, .lock = -1, .metrics.instance = options->instance};
	struct settings settings = {0};
	struct ft_error err = {0};
	int r;

	r = settings_load(options, &settings, "");
	if (r < 0)
		return ft_daemon_status(r);
	d.config = settings.config;
	d.design = settings.design;
	d.plan = settings.plan;
	r = daemon_begin(&d, &err);
	if (r >= 0)
		r = sd_event_loop(d.loop);
	ft_stop_now();
	ft_notify("STOPPING=1");
	if (r < 0) {
		if (err.text[0])
			ft_log(LOG_ERR, "%s", err.text);
		else
			ft_log(LOG_ERR, "the daemon ends: %s", strerror(-r));
		return FT_DAEMON_FAILED;
	}
	ft_tell_end(&d);
	ft_stop_saved();
	return 0;
}

int ft_daemon_status(int code)
{
	return ft_config_failure_passes(code) ? FT_DAEMON_FAILED : FT_DAEMON_REFUSED;
}
