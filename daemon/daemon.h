/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Private to the daemon: shared by loop.c (start, reload, end), look.c (scheduling of sweeps) and tell.c (output of
 * results).
 */
#ifndef FT_DAEMON_DAEMON_H
#define FT_DAEMON_DAEMON_H

#include <systemd/sd-event.h>

#include "daemon/check.h"
#include "daemon/conf.h"
#include "daemon/history.h"
#include "daemon/hooks.h"
#include "daemon/http.h"
#include "daemon/keep.h"
#include "daemon/loop.h"
#include "daemon/metrics.h"
#include "probe/listen.h"

/* The places of changes. */
struct ft_changes {
	struct ft_change *items;
	size_t count;
	bool too_many; /* too many to list: a full sweep is needed */
};

/* The schedule of sweeps, and its state. */
struct ft_looks {
	struct ft_check *sweep;	      /* under way, or NULL */
	struct ft_check *incremental; /* the current check; also without reading */
	struct ft_check *ready;	      /* the next incremental one, which waits for what has changed; or NULL */
	sd_event_source *ready_timer;
	struct ft_check *leaving; /* those that are told, and whose children have not ended */
	sd_event_source *sweep_timer;
	sd_event_source *settle_timer;
	int64_t sweep_due_ms;	       /* INT64_MAX: none, as one is running */
	int64_t sweep_ended_ms;	       /* the last one; 0: none yet */
	int64_t settle_since_ms;       /* the first of the waiting events; 0: none is waiting */
	int64_t incremental_after_ms;  /* lower bound: a storm of events must not keep a core busy */
	struct ft_changes waiting;     /* not read again yet */
	struct ft_changes since_sweep; /* changed since the current sweep began */
	struct ft_snapshot *swept; /* of a sweep that ended while @incremental reads what changed meanwhile; or NULL */
	struct ft_changes since_swept; /* changed since that began */
	struct ft_changes fresh;       /* changes from the waiting events */
	struct ft_changes confirm;     /* to be read once more: the speed of a new link may still change */
	sd_event_source *confirm_timer;
	bool confirming;		  /* @incremental reads these, and no event waits for it */
	uint32_t unjudged;		  /* full sweeps in a row because of changes during them */
	uint32_t incremental_failures;	  /* in a row */
	uint32_t blind;			  /* sweeps in a row that failed */
	bool no_port;			  /* the last sweep found no port to start from */
	bool stale;			  /* the known state may be older than reported changes: a sweep comes first */
	uint32_t failures;		  /* sweeps in a row that failed or were incomplete */
	int64_t sweep_again_ms;		  /* when, after the current one has ended; INT64_MAX: not */
	bool judge_again;		  /* the plan changed: the known snapshot must be verified again */
	char trouble[FT_ERROR_TEXT_SIZE]; /* of the last sweep, to log it once */
};

struct ft_daemon {
	const struct ft_daemon_options *options;
	sd_event *loop;
	struct ft_config *config;
	struct ft_design *design;
	struct ft_plan *plan;

	/*
	 * The known fabric. @snapshot may be newer than @report, and not judged yet; then @judged is the last one that
	 * was.
	 */
	struct ft_snapshot *snapshot;
	struct ft_snapshot *judged;
	struct ft_report *report;
	struct ft_text json;	 /* @report as JSON */
	uint64_t report_version; /* incremented with each report */
	struct ft_drawing {
		struct ft_check *check; /* under way, or NULL */
		struct ft_text svg;
		char trouble[FT_ERROR_TEXT_SIZE]; /* why there is none; "": there is one */
		uint64_t version, key;		  /* of the last report that was looked at: what it would show */
		uint64_t begun, done;		  /* the keys of what is being drawn, and of what was; 0: none */
		uint64_t failed;		  /* the report that could not be drawn; 0: none */
		int64_t done_ms;
	} drawing;
	struct ft_building {
		struct ft_check *check; /* under way, or NULL */
		struct ft_text page;
		char trouble[FT_ERROR_TEXT_SIZE]; /* why there is none; "": there is one */
		uint64_t begun, done;		  /* of these versions of the report; 0: none */
		struct ft_text course;		  /* of the build, as JSON */
		bool failed;			  /* saving it failed; logged once */
		uint64_t counted;		  /* the last reading of error counters that it was told of */
	} building;
	struct ft_counting {
		struct ft_check *check;		  /* under way, or NULL */
		struct ft_text known;		  /* the last reading, as counting.c has it */
		struct ft_text links;		  /* the worst ones, as JSON */
		int64_t at_ms;			  /* wall clock */
		uint64_t serial;		  /* incremented with each reading; 0: none yet */
		uint64_t swept;			  /* the one that the last full sweep judged, or is to judge */
		char trouble[FT_ERROR_TEXT_SIZE]; /* to log it once */
	} counting;

	/* The baseline (remember.c). */
	struct ft_baseline *baseline;
	bool baseline_due; /* it does not know of @report yet */
	bool baseline_unsaved;
	bool baseline_failed; /* saving failed; logged once */

	struct ft_looks looks;

	int lock; /* on the state directory; -1: none */
	struct ft_alerts *alerts;
	struct ft_history history;
	struct ft_keep keep;
	int64_t shown_offset_ms; /* wall clock - monotonic clock, of times that pages show (summary.c) */
	struct ft_hooks *hooks;
	uint64_t saved_version;	 /* of the alerts, saved */
	uint64_t synced_version; /* of the alerts being synced by the current child */
	bool synced;		 /* the saved state is synced to disk */
	bool state_failed;
	sd_event_source *sync_child;
	uint64_t dropped; /* events dropped from queues, as logged */
	sd_event_source *alert_timer;
	sd_event_source *save_timer; /* hooks received events: to be saved, but not each by itself */

	struct ft_http *http;
	bool http_failed;
	bool http_inherited; /* systemd's socket is served, whatever the configuration */
	struct ft_metrics metrics;

	struct ft_neighbours *neighbours; /* Ethernet: in place of the listener */
	struct ft_arrival {
		int64_t until_ms; /* alerts wait, at most until then; 0: not any more */
		uint32_t missing; /* switches, at the last look */
	} arrival;
	struct ft_listener *listener;
	sd_event_source *listener_input;
	sd_event_source *listener_timer; /* delay of its restart */
	uint32_t listener_failures;
	int64_t listener_heard_ms;
	sd_event_source *calm_timer;	  /* runs while the SM sends more than one SMP to every switch accounts for */
	int64_t busy_since_ms;		  /* 0: it is not */
	int64_t trap_ms;		  /* time of the last trap; 0: none yet */
	char listens[FT_ERROR_TEXT_SIZE]; /* who to, or why not */
	bool no_port;			  /* false if there is no port, so that polling is impossible too */

	sd_event_source *watchdog_timer;
	uint64_t watchdog_us; /* half of the watchdog's time is between two runs */
	bool watchdog_wanted; /* by systemd */
	bool ready;	      /* the first sweep has ended */
	bool refused;	      /* the configuration as it is now on disk */
	bool ready_owed;      /* READY=1 is to be sent */
	char *status;	      /* the last STATUS= sent */
};

/* Both clocks, now. */
struct ft_now ft_daemon_now(void);

/* look.c */

/* A check of that kind with what all have in common; the snapshot and the rest are the caller's to add. */
struct ft_check_request ft_looks_request(struct ft_daemon *d, enum ft_check_kind kind);

/* Sets up the timers, without starting a sweep. Returns 0 or -errno. */
int ft_looks_begin(struct ft_daemon *d);
void ft_looks_end(struct ft_daemon *d);

/* Schedules a full sweep after that time, unless one starts sooner. A running one does not count. */
void ft_looks_sweep_in(struct ft_daemon *d, int64_t delay_ms);

/* A full sweep after activity of the SM: at once if nothing explains that (@unexplained), else rate-limited. */
void ft_looks_sweep_after_busy(struct ft_daemon *d, bool unexplained);

/* A change was reported at that place. */
void ft_looks_change(struct ft_daemon *d, const struct ft_change *change);

/* The local switch may have changed: its traps are the most likely to be lost. */
void ft_looks_at_home(struct ft_daemon *d);

/* The settings were replaced: what waits with the old ones goes. */
void ft_looks_unready(struct ft_daemon *d);

/* The plan was replaced: verify the known snapshot again, and discard the running check. */
void ft_looks_judge_again(struct ft_daemon *d);

/* The port was changed: the known state belongs to another fabric. */
void ft_looks_forget(struct ft_daemon *d);

/* Do sweeps start and end in time? The loop itself evidently runs. */
bool ft_looks_progress(const struct ft_daemon *d);

/* tell.c */

/*
 * Ethernet: the daemon begins, maybe while the machines begin too. Until all switches have handed over their
 * neighbours, and for lldp_wait at most, what is seen is a part of the fabric: it raises no alert and clears none.
 */
void ft_tell_arrival(struct ft_daemon *d);

/*
 * Accepts the result of a check: the report, and the alerts that follow from it. Returns whether it could be judged; an
 * incremental result (FT_LOOK_PART) that cannot be judged is discarded.
 */
bool ft_tell_look(struct ft_daemon *d, struct ft_check_result *result, enum ft_look_kind kind);

/* Records the reason of a failed sweep. */
void ft_tell_miss(struct ft_daemon *d, const char *why);

/* Alerts may have changed: saves them, passes events to the sinks, sets the timer. */
void ft_tell_alerts(struct ft_daemon *d);

/* Saves changes, and syncs them to disk. */
void ft_tell_save(struct ft_daemon *d);

/* Final delivery: the loop has ended. */
void ft_tell_end(struct ft_daemon *d);

/*
 * Sends STATUS= by sd_notify(3), and READY=1 the first time @ready is true. If there was no room it is sent the next
 * time.
 */
void ft_tell_status(struct ft_daemon *d, bool ready);

/* "listening: …" or "polling: …", for display. */
void ft_tell_listening(const struct ft_daemon *d, struct ft_text *text);

extern const struct ft_http_pages ft_tell_pages;

/* Is the known state outdated? */
bool ft_tell_is_blind(const struct ft_daemon *d);

/* One line: the verdict, or that nothing was seen yet. */
void ft_tell_verdict(const struct ft_daemon *d, struct ft_text *text);

/* drawing.c: the report as SVG, drawn by a child when it is asked for. As @drawing of struct ft_http_pages. */
int ft_drawing_page(void *userdata, struct ft_text *text);
void ft_drawing_end(struct ft_daemon *d);

/*
 * building.c: how far the fabric is built, as @build of struct ft_http_pages. Its course is in the state directory: it
 * is read once, replaced by each check of the build, and each sweep of a design with phases is such a check.
 */
int ft_building_page(void *userdata, struct ft_text *text);
void ft_building_load(struct ft_daemon *d);
void ft_building_look(struct ft_daemon *d);
void ft_building_end(struct ft_daemon *d);

/* counting.c: reads error counters if that is configured; after each full sweep. */
void ft_counting_look(struct ft_daemon *d);
void ft_counting_end(struct ft_daemon *d);

/* summary.c, nodes.c: as in struct ft_http_pages. */
int ft_summary_page(void *userdata, struct ft_text *text);
int ft_nodes_page(void *userdata, const char *name, const char *guid, struct ft_text *text);

/* Sets the present sinks: the journal, and the hooks of the directory. */
void ft_tell_sinks(struct ft_daemon *d);

#endif
