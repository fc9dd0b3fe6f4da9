/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The daemon's inside, shared by loop.c (begin, reload, end), look.c (when the fabric is looked at) and tell.c (who is
 * told what was seen). Not for others.
 */
#ifndef FT_DAEMON_DAEMON_H
#define FT_DAEMON_DAEMON_H

#include <systemd/sd-event.h>

#include "daemon/check.h"
#include "daemon/conf.h"
#include "daemon/hooks.h"
#include "daemon/http.h"
#include "daemon/loop.h"
#include "daemon/metrics.h"
#include "probe/listen.h"

/* Where something changed since. */
struct ft_changes {
	struct ft_change *items;
	size_t count, size;
	bool too_many; /* to name each: only a sweep helps */
};

/* When the fabric is looked at, and what by. */
struct ft_looks {
	struct ft_check *sweep;	 /* under way, or NULL */
	struct ft_check *reread; /* the same; a judging too */
	sd_event_source *sweep_timer;
	sd_event_source *settle_timer;
	int64_t sweep_due_ms;	       /* INT64_MAX: none is, since one is under way */
	int64_t sweep_ended_ms;	       /* the last one; 0: none yet */
	int64_t settle_since_ms;       /* the first event of those that wait; 0: none waits */
	int64_t reread_after_ms;       /* not before: a storm of events shall not keep a core busy */
	struct ft_changes waiting;     /* not read again yet */
	struct ft_changes since_sweep; /* changed since the sweep under way began */
	struct ft_changes fresh;       /* of those that wait, what events told of */
	struct ft_changes confirm;     /* to be read once more: a link that came up may still change its speed */
	sd_event_source *confirm_timer;
	uint32_t unjudged;		  /* sweeps in a row, for what was to be read again on top of them */
	uint32_t reread_failures;	  /* in a row */
	uint32_t blind;			  /* sweeps in a row that gave nothing at all */
	bool stale;			  /* what is known may be older than what was said: a sweep comes first */
	uint32_t failures;		  /* sweeps in a row that failed or were incomplete */
	bool sweep_again;		  /* once the one under way has ended */
	bool judge_again;		  /* the plan changed: what is known is to be judged anew */
	char trouble[FT_ERROR_TEXT_SIZE]; /* of the last sweep, to say it once */
};

struct ft_daemon {
	const struct ft_daemon_options *options;
	sd_event *loop;
	struct ft_config *config;
	struct ft_design *design;
	struct ft_plan *plan;

	/* What is known of the fabric. @snapshot may be younger than @report: not judged yet; then @judged is the last
	 * one that was. */
	struct ft_snapshot *snapshot;
	struct ft_snapshot *judged;
	struct ft_report *report;
	struct ft_text json; /* @report as JSON */

	/* Who was who when it was last seen in its place (remember.c). */
	struct ft_baseline *baseline;
	bool baseline_unsaved;
	bool baseline_failed; /* to save it; said once */

	struct ft_looks looks;

	int lock; /* on the state directory; -1: none */
	struct ft_alerts *alerts;
	struct ft_hooks *hooks;
	uint64_t saved_version;	 /* of the alerts, on disk */
	uint64_t synced_version; /* of what the child under way brings to the disk */
	bool synced;		 /* what was saved is on the disk */
	bool state_failed;
	sd_event_source *sync_child;
	uint64_t dropped; /* events of alerts that were given up, as logged */
	sd_event_source *alert_timer;
	sd_event_source *save_timer; /* hooks took events: to be saved, but not each by itself */

	struct ft_http *http;
	bool http_failed;
	bool http_inherited; /* systemd's socket is served, whatever the configuration says */
	struct ft_metrics metrics;

	struct ft_listener *listener;
	sd_event_source *listener_input;
	sd_event_source *listener_timer; /* of starting it again */
	uint32_t listener_failures;
	int64_t listener_heard_ms;
	sd_event_source *calm_timer;	  /* runs while the SM is busier than a look at every switch makes it */
	int64_t busy_since_ms;		  /* 0: it is not */
	int64_t trap_ms;		  /* when the last trap came; 0: none did */
	char listens[FT_ERROR_TEXT_SIZE]; /* who to, or why not */

	sd_event_source *watchdog_timer;
	uint64_t watchdog_us; /* half of it lies between two chores */
	bool watchdog_wanted; /* by systemd */
	bool ready;	      /* the first sweep has ended */
	bool refused;	      /* the configuration as it is now on disk */
	bool ready_owed;      /* READY=1 is still to be said */
	char *status;	      /* the last STATUS= that was said */
};

/* Both clocks, now. */
struct ft_now ft_daemon_now(void);

/* look.c */

/* Sets the timers up; nothing is looked at yet. Returns 0 or -errno. */
int ft_looks_begin(struct ft_daemon *d);
void ft_looks_end(struct ft_daemon *d);

/* A full sweep in so long, unless one comes sooner. One that is under way does not count. */
void ft_looks_sweep_in(struct ft_daemon *d, int64_t delay_ms);

/* A full sweep after the SM was busy: at once where nothing explains that (@unexplained), else when it is not too soon.
 */
void ft_looks_sweep_after_busy(struct ft_daemon *d, bool unexplained);

/* Something changed there. */
void ft_looks_change(struct ft_daemon *d, const struct ft_change *change);

/* The switch that we hang on may have changed: events of that get lost most easily. */
void ft_looks_at_home(struct ft_daemon *d);

/* Another plan holds: judge what is known by it, and what is under way not at all. */
void ft_looks_judge_again(struct ft_daemon *d);

/* Another port: what is known is of another fabric. */
void ft_looks_forget(struct ft_daemon *d);

/* Do sweeps begin and end when they should? The loop itself evidently does. */
bool ft_looks_progress(const struct ft_daemon *d);

/* tell.c */

/*
 * Takes over what a look gave: the report, and the alerts that follow from it. Returns whether it could be judged by;
 * what was read again (FT_LOOK_PART) and cannot is not taken over at all.
 */
bool ft_tell_look(struct ft_daemon *d, struct ft_check_result *result, enum ft_look_kind kind);

/* A sweep failed: why. */
void ft_tell_miss(struct ft_daemon *d, const char *why);

/* Alerts changed or may have: saves them, hands events to the sinks, sets the timer of what is due. */
void ft_tell_alerts(struct ft_daemon *d);

/* Saves what changed, and brings it to the disk. */
void ft_tell_save(struct ft_daemon *d);

/* STATUS= of sd_notify(3), and READY=1 the first time @ready is true. What nobody had room for is said the next time.
 */
void ft_tell_status(struct ft_daemon *d, bool ready);

/* "listening: …" or "polling: …", for people. */
void ft_tell_listening(const struct ft_daemon *d, struct ft_text *text);

extern const struct ft_http_pages ft_tell_pages;

/* The sinks as they are now: the journal, and the hooks of the directory. */
void ft_tell_sinks(struct ft_daemon *d);

#endif
