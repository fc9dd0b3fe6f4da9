/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The schedule: full sweeps on a timer, incremental ones after events. */
#include "config.h"

#include "daemon/daemon.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/list.h"
#include "daemon/log.h"
#include "daemon/remember.h"
#include "probe/guard.h"

enum {
	CHANGES_MAX = 1024,  /* changes listed at a time; beyond, a full sweep is cheaper anyway */
	RETRY_MS = 10000,    /* delay after a failed sweep; doubles up to the interval */
	READY_MS = 50,	     /* after a check: what it told is on its way by then */
	CONFIRM_MS = 5000,   /* delay if alerts wait for another sweep, or links came up */
	SWEEP_GAP_MS = 1000, /* least time between sweeps that events require */
	FILES_GAP_MS = 20,   /* the same where files are read, and nobody is asked */
	UNJUDGED_MAX = 2,    /* sweeps in a row after which one is judged though the fabric changed meanwhile */
	/* Without events: this interval, but at most this fraction of the time. */
	DEAF_MS = 30000,
	DEAF_SHARE = 20,
	/*
	 * Full sweeps because events may have been lost, or certainly were (or the SM is active regularly): at most
	 * this fraction of the time, and at least this interval.
	 */
	BUSY_SHARE = 100,
	UNEXPLAINED_SHARE = 20,
	BUSY_GAP_MS = 5000,
	PROGRESS_SLACK_MS = 15000,
	TIMER_ACCURACY_US = 1000,
};

static int64_t min(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t max(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static void changes_release(struct ft_changes *changes)
{
	free(changes->items);
	*changes = (struct ft_changes){0};
}

static bool changes_any(const struct ft_changes *changes)
{
	return changes->count > 0 || changes->too_many;
}

static void changes_add(struct ft_changes *changes, const struct ft_change *change)
{
	struct ft_change *item;

	for (size_t i = 0; i < changes->count; i++)
		if (changes->items[i].lid == change->lid && changes->items[i].guid == change->guid &&
		    changes->items[i].gone == change->gone)
			return;
	item = changes->count < CHANGES_MAX ? FT_LIST_MORE(changes->items, changes->count) : NULL;
	if (item)
		*item = *change;
	else
		changes->too_many = true;
}

/* Leaves @from empty. */
static void changes_move(struct ft_changes *to, struct ft_changes *from)
{
	for (size_t i = 0; i < from->count; i++)
		changes_add(to, &from->items[i]);
	to->too_many |= from->too_many;
	changes_release(from);
}

static void timer_set(sd_event_source *timer, int64_t when_ms)
{
	sd_event_source_set_time(timer, (uint64_t)when_ms * 1000);
	sd_event_source_set_enabled(timer, SD_EVENT_ONESHOT);
}

static void sweep_timer_set(struct ft_daemon *d, int64_t when_ms)
{
	d->looks.sweep_due_ms = when_ms;
	timer_set(d->looks.sweep_timer, when_ms);
}

/* From begin to begin, plus or minus a tenth, so that the daemons of a site do not sweep in step. */
static int64_t interval_jittered(const struct ft_daemon *d)
{
	uint32_t interval = d->config->sweep_interval_ms, tenth, drawn = 0;

	/* Without events: more often, as far as the load allows. */
	if (d->config->events && !d->metrics.listens && !d->config->lldp_command)
		interval = (uint32_t)min(interval,
					 max(DEAF_MS, (int64_t)(d->metrics.sweep_duration_s * 1000) * DEAF_SHARE));
	tenth = interval / 10;
	/* glibc has arc4random_uniform() only from 2.36 on. If nothing can be drawn, the interval is the shortest. */
	if (getrandom(&drawn, sizeof(drawn), GRND_NONBLOCK) < 0)
		drawn = 0;
	return (int64_t)interval - tenth + drawn % (2 * tenth + 1);
}

static void snapshot_take(struct ft_daemon *d, struct ft_snapshot *snapshot, bool judged)
{
	if (judged)
		ft_snapshot_free(FT_STEAL(d->judged));
	else if (!d->judged)
		d->judged = FT_STEAL(d->snapshot);
	ft_snapshot_free(d->snapshot);
	d->snapshot = snapshot;
}

static void packets_count(struct ft_daemon *d, const struct ft_check_result *result)
{
	d->metrics.mads += result->snapshot->source.mads;
	d->metrics.timeouts += result->snapshot->source.timeouts;
}

/* The last report is that of the known snapshot, and of the plan as it is. */
static bool is_judged(const struct ft_daemon *d)
{
	return d->report && d->snapshot && !d->judged && !d->looks.judge_again;
}

static void settle_arm(struct ft_daemon *d);
static void ready_later(struct ft_daemon *d);

static void confirming_end(struct ft_daemon *d)
{
	if (d->looks.confirming)
		changes_release(&d->looks.confirm);
	d->looks.confirming = false;
}

/* With it a sweep that waits for its end; what has changed since that began is still to be read. */
static void incremental_drop(struct ft_daemon *d)
{
	ft_check_free(FT_STEAL(d->looks.incremental));
	confirming_end(d);
	ft_snapshot_free(FT_STEAL(d->looks.swept));
	changes_move(&d->looks.waiting, &d->looks.since_swept);
}

/*
 * A place that changed during the sweep is being read already. The result of the sweep waits for that reading, so that
 * its alert is not delayed by another one.
 */
static void swept_hold(struct ft_daemon *d, struct ft_snapshot *snapshot)
{
	ft_snapshot_free(d->looks.swept);
	d->looks.swept = snapshot;
	changes_move(&d->looks.since_swept, &d->looks.since_sweep);
}

/* Returns whether there was one. It is judged with what is read once more now. */
static bool swept_take(struct ft_daemon *d)
{
	if (!d->looks.swept)
		return false;
	d->looks.unjudged++;
	d->looks.stale = false;
	snapshot_take(d, FT_STEAL(d->looks.swept), false);
	changes_move(&d->looks.waiting, &d->looks.since_swept);
	return true;
}

/* Sweeps. */

static void sweep_failed(struct ft_daemon *d, const char *why)
{
	int64_t delay = (int64_t)RETRY_MS << (d->looks.failures < 16 ? d->looks.failures : 16);

	d->looks.failures++;
	if (strcmp(d->looks.trouble, why) != 0) {
		ft_log(LOG_WARNING, "%s", why);
		snprintf(d->looks.trouble, sizeof(d->looks.trouble), "%s", why);
	}
	ft_looks_sweep_in(d, min(delay, interval_jittered(d)));
}

static void sweep_judge(struct ft_daemon *d, struct ft_check_result *result)
{
	bool judged = ft_tell_look(d, result, FT_LOOK_ALL);

	d->looks.unjudged = 0;
	snapshot_take(d, FT_STEAL(result->snapshot), judged);
	if (!judged) {
		sweep_failed(d, "the sweep could not see everything");
		return;
	}
	if (d->looks.failures > 0)
		ft_log(LOG_NOTICE, "the sweep succeeds again");
	d->looks.failures = 0;
	d->looks.trouble[0] = '\0';
	ft_building_look(d);
	ft_counting_look(d);
}

static void sweep_succeeded(struct ft_daemon *d, struct ft_check_result *result)
{
	bool changed = changes_any(&d->looks.since_sweep);

	d->looks.stale = false;
	d->looks.blind = 0;
	if (changed && d->looks.unjudged < UNJUDGED_MAX && d->looks.incremental && !d->looks.confirming) {
		swept_hold(d, FT_STEAL(result->snapshot));
		return;
	}
	/* The places read again now changed before this sweep began, or are read once more now. */
	incremental_drop(d);
	changes_release(&d->looks.waiting);
	d->looks.settle_since_ms = 0;
	/* An occasionally inconsistent snapshot is corrected by the next check; no snapshot at all is not. */
	if (changed && d->looks.unjudged < UNJUDGED_MAX) {
		d->looks.unjudged++;
		snapshot_take(d, FT_STEAL(result->snapshot), false);
	} else {
		sweep_judge(d, result);
	}
	if (!changed)
		return;
	d->looks.waiting = d->looks.since_sweep;
	d->looks.since_sweep = (struct ft_changes){0};
	settle_arm(d);
}

static void sweep_ended(struct ft_daemon *d, int64_t began_ms)
{
	int64_t now = ft_guard_now_ms();

	d->looks.sweep_ended_ms = now;
	changes_release(&d->looks.since_sweep);
	if (d->looks.sweep_again_ms != INT64_MAX)
		ft_looks_sweep_in(d, max(d->looks.sweep_again_ms - now,
					 ft_config_is_ethernet(d->config) ? FILES_GAP_MS : SWEEP_GAP_MS));
	d->looks.sweep_again_ms = INT64_MAX;
	ft_looks_sweep_in(d, max(began_ms + interval_jittered(d) - now, SWEEP_GAP_MS));
	if (d->looks.failures == 0 && ft_alerts_want_look(d->alerts, &d->config->rules))
		ft_looks_sweep_in(d, CONFIRM_MS);
}

static void on_sweep_done(struct ft_check *check, int r, struct ft_check_result *result, const struct ft_error *err,
			  void *userdata)
{
	struct ft_daemon *d = userdata;
	int64_t began_ms = ft_check_begin_ms(check);

	ft_check_leave(FT_STEAL(d->looks.sweep), &d->looks.leaving);
	d->looks.no_port = r == -ENODEV;
	d->metrics.sweep_duration_s = (double)(ft_guard_now_ms() - began_ms) / 1000;
	if (r < 0) {
		d->metrics.sweeps[FT_LOOK_FAILED]++;
		d->looks.blind++;
		sweep_failed(d, err->text);
		ft_tell_miss(d, err->text);
	} else {
		d->metrics.sweeps[ft_report_is_incomplete(result->report) ? FT_LOOK_INCOMPLETE : FT_LOOK_COMPLETE]++;
		packets_count(d, result);
		sweep_succeeded(d, result);
	}
	sweep_ended(d, began_ms);
	ready_later(d);
	ft_tell_status(d, true);
}

struct ft_check_request ft_looks_request(struct ft_daemon *d, enum ft_check_kind kind)
{
	ft_remember_now(d);
	return (struct ft_check_request){
		.kind = kind,
		.sweep = &d->config->sweep,
		.names = d->config->names,
		.design = d->design,
		.plan = d->plan,
		.plan_file = d->config->plan,
		.lldp = {d->config->lldp, d->config->lldp_command, d->config->lldp_max_age_ms},
		.sm = d->config->sm && !ft_config_is_ethernet(d->config),
		.baseline = d->baseline,
		.returning_s = d->config->returning_ms / 1000,
		.last = d->report,
		.counted = &d->counting.known,
	};
}

/* Trouble counts every other time only, so that a device that never answers does not make all sweeps slow. */
static enum ft_engine_reason trouble_before(const struct ft_daemon *d)
{
	if (d->looks.failures % 2 == 0)
		return FT_ENGINE_SAID;
	return d->looks.blind > 0 ? FT_ENGINE_FAILED : FT_ENGINE_INCOMPLETE;
}

static void sweep_start(struct ft_daemon *d)
{
	struct ft_check_request request = ft_looks_request(d, FT_CHECK_SWEEP);
	struct ft_error err = {0};
	int r;

	request.after = trouble_before(d);
	request.gives_way = d->metrics.listens;
	d->looks.sweep_due_ms = INT64_MAX;
	changes_release(&d->looks.since_sweep);
	d->counting.swept = d->counting.serial;
	r = ft_check_start(d->loop, &request, on_sweep_done, d, &d->looks.sweep, &err);
	if (r == 0)
		return;
	d->metrics.sweeps[FT_LOOK_FAILED]++;
	d->looks.blind++;
	sweep_failed(d, err.text);
	ft_tell_miss(d, err.text);
	ft_tell_status(d, true);
}

static int on_sweep_timer(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct ft_daemon *d = userdata;

	(void)source;
	(void)usec;
	if (!d->looks.sweep)
		sweep_start(d);
	return 0;
}

void ft_looks_sweep_in(struct ft_daemon *d, int64_t delay_ms)
{
	int64_t when_ms = ft_guard_now_ms() + delay_ms;

	if (d->looks.sweep) {
		d->looks.sweep_again_ms = min(d->looks.sweep_again_ms, when_ms);
		return;
	}
	if (when_ms < d->looks.sweep_due_ms)
		sweep_timer_set(d, when_ms);
}

void ft_looks_sweep_after_busy(struct ft_daemon *d, bool unexplained)
{
	int share = unexplained ? UNEXPLAINED_SHARE : BUSY_SHARE;
	int64_t gap = max((int64_t)(d->metrics.sweep_duration_s * 1000) * share, BUSY_GAP_MS);
	int64_t now = ft_guard_now_ms();

	if (unexplained)
		ft_log(LOG_INFO, "the subnet manager was busy and no event came: sweeping");
	/* A sweep that is under way is about to end: the gap comes after it. */
	ft_looks_sweep_in(d, max(0, (d->looks.sweep ? now : d->looks.sweep_ended_ms) + gap - now));
}

/* Reading again. */

/*
 * The incremental sweep gave no result, and the known state may be older than the events. In a storm of events this
 * must not lead to continuous full sweeps.
 */
static void sweep_instead(struct ft_daemon *d)
{
	int64_t gap = (int64_t)SWEEP_GAP_MS << (d->looks.incremental_failures < 5 ? d->looks.incremental_failures : 5);

	d->looks.incremental_failures++;
	d->looks.stale = true;
	ft_looks_sweep_in(d, max(0, d->looks.sweep_ended_ms + gap - ft_guard_now_ms()));
}

/* Returns whether all that was known stands. */
static bool incremental_judge(struct ft_daemon *d, enum ft_check_kind kind, struct ft_check_result *result)
{
	bool stands = !result->report, judged;

	if (kind == FT_CHECK_JUDGE) {
		ft_tell_look(d, result, FT_LOOK_REPLANNED);
		return false;
	}
	packets_count(d, result);
	/* If nothing has changed, the report and the alerts stand. */
	judged = stands || ft_tell_look(d, result, FT_LOOK_PART);
	d->metrics.rereads[judged ? FT_LOOK_COMPLETE : FT_LOOK_INCOMPLETE]++;
	if (!judged) {
		sweep_instead(d);
		return false;
	}
	d->looks.incremental_failures = d->looks.unjudged = 0;
	if (!stands)
		snapshot_take(d, FT_STEAL(result->snapshot), true);
	return stands;
}

static void on_incremental_done(struct ft_check *check, int r, struct ft_check_result *result,
				const struct ft_error *err, void *userdata)
{
	struct ft_daemon *d = userdata;
	enum ft_check_kind kind = ft_check_kind(check);
	int64_t now = ft_guard_now_ms(), took = now - ft_check_begin_ms(check);
	bool stands = false;

	ft_check_leave(FT_STEAL(d->looks.incremental), &d->looks.leaving);
	/* What confirms is rare by itself: no event waits for having come after it. */
	if (!d->looks.confirming)
		d->looks.incremental_after_ms = now + took;
	confirming_end(d);
	d->metrics.reread_duration_s = (double)took / 1000;
	if (r < 0) {
		d->metrics.rereads[FT_LOOK_FAILED]++;
		ft_log(r == -ESTALE ? LOG_DEBUG : LOG_WARNING, "%s; sweeping", err->text);
		sweep_instead(d);
	} else {
		stands = incremental_judge(d, kind, result);
	}
	stands = !swept_take(d) && stands;
	d->looks.judge_again = false;
	if (changes_any(&d->looks.waiting))
		settle_arm(d);
	if (ft_alerts_want_look(d->alerts, &d->config->rules))
		ft_looks_sweep_in(d, CONFIRM_MS);
	if (!stands)
		ready_later(d);
	else if (!d->looks.ready)
		timer_set(d->looks.ready_timer, now);
	ft_tell_status(d, d->ready);
}

/* The places of events are read once more later: a link trains up, and the SM sets its speed, without a trap. */
static void confirm_later(struct ft_daemon *d)
{
	if (!changes_any(&d->looks.fresh))
		return;
	changes_move(&d->looks.confirm, &d->looks.fresh);
	timer_set(d->looks.confirm_timer, ft_guard_now_ms() + CONFIRM_MS);
}

/*
 * The next incremental sweep waits with its port open and the known fabric as a survey: between an event and its alert
 * that is most of the time. It has a copy of all that it needs, so that another one takes its place whenever any of
 * that changes.
 */
void ft_looks_unready(struct ft_daemon *d)
{
	ft_check_leave(FT_STEAL(d->looks.ready), &d->looks.leaving);
}

static void ready_later(struct ft_daemon *d)
{
	ft_looks_unready(d);
	timer_set(d->looks.ready_timer, ft_guard_now_ms() + READY_MS);
}

static int on_ready_timer(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct ft_daemon *d = userdata;
	struct ft_check_request request = ft_looks_request(d, FT_CHECK_REREAD);
	struct ft_error err = {0};

	(void)source;
	(void)usec;
	/* Without events there is nothing to wait for; a stale state is not read again in part. */
	if (d->looks.ready || d->looks.incremental || d->looks.stale || !d->snapshot || !d->metrics.listens ||
	    d->config->lldp)
		return 0;
	request.snapshot = d->snapshot;
	request.judged = is_judged(d);
	request.waits = true;
	/* If there is none, the next event starts one that does not wait. */
	(void)ft_check_start(d->loop, &request, on_incremental_done, d, &d->looks.ready, &err);
	return 0;
}

/* Gives the one that waits its orders, or starts one. */
static int incremental_order(struct ft_daemon *d, const struct ft_check_request *request, struct ft_error *err)
{
	if (request->kind == FT_CHECK_REREAD && d->looks.ready &&
	    ft_check_go(d->looks.ready, request->changes, request->change_count) == 0) {
		d->looks.incremental = FT_STEAL(d->looks.ready);
		return 0;
	}
	ft_looks_unready(d);
	return ft_check_start(d->loop, request, on_incremental_done, d, &d->looks.incremental, err);
}

static void incremental_start(struct ft_daemon *d)
{
	_cleanup_(changes_release) struct ft_changes changes = d->looks.waiting;
	struct ft_check_request request = ft_looks_request(d, changes.count > 0 ? FT_CHECK_REREAD : FT_CHECK_JUDGE);
	struct ft_error err = {0};

	request.snapshot = d->snapshot;
	request.judged = is_judged(d);
	request.changes = changes.items;
	request.change_count = changes.count;
	d->looks.waiting = (struct ft_changes){0};
	d->looks.settle_since_ms = 0;
	confirm_later(d);
	if (changes.too_many || !d->snapshot) {
		sweep_instead(d);
		return;
	}
	if (incremental_order(d, &request, &err) < 0) {
		ft_log(LOG_WARNING, "%s", err.text);
		sweep_instead(d);
	}
}

/*
 * Reads them in a child of its own: the one that waits goes on waiting, and its copy is right unless this finds
 * something. An event just then would else wait for both, this one's end and the next one's beginning.
 */
static int confirm_start(struct ft_daemon *d)
{
	struct ft_check_request request = ft_looks_request(d, FT_CHECK_REREAD);
	struct ft_error err = {0};

	request.snapshot = d->snapshot;
	request.judged = is_judged(d);
	request.changes = d->looks.confirm.items;
	request.change_count = d->looks.confirm.count;
	request.gives_way = true;
	d->looks.confirming = true;
	return ft_check_start(d->loop, &request, on_incremental_done, d, &d->looks.incremental, &err);
}

/* The places are among those of the events that wait. */
static void confirm_join(struct ft_daemon *d)
{
	ft_check_leave(FT_STEAL(d->looks.incremental), &d->looks.leaving);
	changes_move(&d->looks.waiting, &d->looks.confirm);
	confirming_end(d);
}

static int on_confirm(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct ft_daemon *d = userdata;
	bool alone = !d->looks.incremental && !changes_any(&d->looks.waiting) && !d->looks.confirm.too_many;

	(void)source;
	(void)usec;
	if (!d->snapshot || d->looks.stale) {
		changes_release(&d->looks.confirm);
		return 0;
	}
	if (alone && confirm_start(d) == 0)
		return 0;
	changes_move(&d->looks.waiting, &d->looks.confirm);
	d->looks.confirming = false;
	settle_arm(d);
	return 0;
}

static int on_settled(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct ft_daemon *d = userdata;

	(void)source;
	(void)usec;
	if (d->looks.stale || !(changes_any(&d->looks.waiting) || d->looks.judge_again))
		return 0;
	if (d->looks.confirming)
		confirm_join(d);
	/* A running check arms the timer again when it ends, and so does a sweep. */
	if (!d->looks.incremental)
		incremental_start(d);
	return 0;
}

/* Starts after a quiet time, or after the longest delay. */
static void settle_arm(struct ft_daemon *d)
{
	int64_t now = ft_guard_now_ms();
	int64_t when_ms = now + d->config->settle_ms;

	if (d->looks.settle_since_ms == 0)
		d->looks.settle_since_ms = now;
	when_ms = min(when_ms, d->looks.settle_since_ms + d->config->settle_max_ms);
	timer_set(d->looks.settle_timer, max(when_ms, d->looks.incremental_after_ms));
}

void ft_looks_change(struct ft_daemon *d, const struct ft_change *change)
{
	if (d->looks.sweep)
		changes_add(&d->looks.since_sweep, change);
	/* There is no snapshot to update: the first full sweep is running, or is still to come. */
	if (!d->snapshot)
		return;
	changes_add(&d->looks.waiting, change);
	changes_add(&d->looks.fresh, change);
	settle_arm(d);
}

void ft_looks_at_home(struct ft_daemon *d)
{
	const struct ft_snapshot *s = d->snapshot;
	const struct ft_port *port, *peer;

	if (!s || s->source.entry_node >= s->node_count)
		return;
	port = ft_node_port(s, &s->nodes[s->source.entry_node], s->source.entry_port);
	peer = port ? ft_port_peer(s, port) : NULL;
	if (peer && ft_port_node(s, peer)->type == FT_NODE_SWITCH)
		ft_looks_change(d, &(struct ft_change){.guid = ft_port_node(s, peer)->guid});
}

void ft_looks_judge_again(struct ft_daemon *d)
{
	/* The running check uses the old plan. */
	ft_looks_unready(d);
	incremental_drop(d);
	ft_check_free(FT_STEAL(d->looks.sweep));
	d->looks.sweep_again_ms = INT64_MAX;
	d->looks.sweep_due_ms = INT64_MAX;
	changes_move(&d->looks.waiting, &d->looks.since_sweep);
	d->looks.judge_again = d->snapshot != NULL;
	if (d->looks.judge_again)
		timer_set(d->looks.settle_timer, ft_guard_now_ms());
	ft_looks_sweep_in(d, 0);
}

void ft_looks_forget(struct ft_daemon *d)
{
	incremental_drop(d);
	ft_snapshot_free(FT_STEAL(d->snapshot));
	ft_snapshot_free(FT_STEAL(d->judged));
	ft_remember_nothing(d);
	changes_release(&d->looks.waiting);
	changes_release(&d->looks.since_sweep);
	changes_release(&d->looks.fresh);
	changes_release(&d->looks.confirm);
	ft_looks_judge_again(d);
}

bool ft_looks_progress(const struct ft_daemon *d)
{
	int64_t now = ft_guard_now_ms();

	if (d->looks.sweep)
		return now <= ft_check_end_ms(d->looks.sweep) + PROGRESS_SLACK_MS;
	return d->looks.sweep_due_ms != INT64_MAX && now <= d->looks.sweep_due_ms + PROGRESS_SLACK_MS;
}

int ft_looks_begin(struct ft_daemon *d)
{
	int r;

	d->looks.sweep_due_ms = d->looks.sweep_again_ms = INT64_MAX;
	r = sd_event_add_time(d->loop, &d->looks.sweep_timer, CLOCK_MONOTONIC, UINT64_MAX, TIMER_ACCURACY_US,
			      on_sweep_timer, d);
	if (r >= 0)
		r = sd_event_add_time(d->loop, &d->looks.settle_timer, CLOCK_MONOTONIC, UINT64_MAX, TIMER_ACCURACY_US,
				      on_settled, d);
	if (r >= 0)
		r = sd_event_add_time(d->loop, &d->looks.confirm_timer, CLOCK_MONOTONIC, UINT64_MAX, TIMER_ACCURACY_US,
				      on_confirm, d);
	if (r >= 0)
		r = sd_event_add_time(d->loop, &d->looks.ready_timer, CLOCK_MONOTONIC, UINT64_MAX, TIMER_ACCURACY_US,
				      on_ready_timer, d);
	return r < 0 ? r : 0;
}

void ft_looks_end(struct ft_daemon *d)
{
	ft_check_free(FT_STEAL(d->looks.sweep));
	incremental_drop(d);
	ft_looks_unready(d);
	ft_check_free_all(&d->looks.leaving);
	d->looks.sweep_timer = sd_event_source_disable_unref(d->looks.sweep_timer);
	d->looks.settle_timer = sd_event_source_disable_unref(d->looks.settle_timer);
	d->looks.confirm_timer = sd_event_source_disable_unref(d->looks.confirm_timer);
	d->looks.ready_timer = sd_event_source_disable_unref(d->looks.ready_timer);
	changes_release(&d->looks.waiting);
	changes_release(&d->looks.since_sweep);
	changes_release(&d->looks.fresh);
	changes_release(&d->looks.confirm);
}
