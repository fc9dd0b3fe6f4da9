/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Alerts: what becomes of findings over time. A fault is said once when it appears, again when it changes, and once
 * more when it is repaired, however often the fabric is looked at in between.
 *
 * A pure state machine: reports and times go in, events come out and wait until each sink has them. It does no I/O and
 * has no clock; the whole of it can be written as JSON and read back, which is how it outlives the process.
 *
 * The life of an alert, by finding id:
 *
 *     (seen) -> pending -> raised -> clearing -> (gone)
 *
 * pending and clearing last raise_after and clear_after. A finding that goes before it was raised leaves no trace; one
 * that comes back before it was cleared was never away. Each time one is seen again within flap_window after it was
 * gone counts as a flap; with flap_count of them within flap_window the alert becomes one "link-flapping:ID", and
 * nothing more is said until it kept still for a flap_window.
 *
 * Whoever pairs raised and cleared by id is never left with one that does not end: link-flapping is raised and then the
 * alert that it replaces, if it stood, is cleared ("flapping now: …"); when it kept still, the fault is raised if it is
 * there (and was for raise_after), and then link-flapping is cleared. Flaps are not counted where only critical ones
 * are wanted, for link-flapping is a warning.
 *
 * A finding that is waived, or below the severity of alerts, counts as gone. One of which a look cannot tell is not: a
 * port of it is mute, or the sweep began on a switch that is cut off and so reached only a part (SPEC 6,
 * edge-isolated).
 *
 * More new alerts at once than anybody reads are summed up in one, "alert-storm" (alert_storm.c). Those that it stands
 * for are alerts all the same, but nothing is said of them.
 *
 * An event leaves for its sinks only after the state with it was saved; otherwise, after kill -9, its number would be
 * given to another.
 */
#ifndef FT_DAEMON_ALERT_H
#define FT_DAEMON_ALERT_H

#include "verify/report.h"

/*
 * Both clocks, as the caller read them at one moment. Spans are measured on the monotonic one; the wall clock may be
 * stepped at any time and is only for people, and for bridging a restart.
 */
struct ft_now {
	int64_t mono_ms;
	int64_t wall_ms;
};

/* How long before something is said: so many full sweeps of the fabric in a row, or so long. */
struct ft_patience {
	uint32_t looks; /* at least 1; 1: at once, whatever the look */
	uint32_t ms;	/* not 0: counts instead of @looks */
};

struct ft_alert_rules {
	struct ft_patience raise_after;
	struct ft_patience clear_after;
	enum ft_severity severity; /* findings below it are no alerts */
	uint32_t flap_count;	   /* 0: no flap detection */
	uint32_t flap_window_ms;
	uint32_t incomplete_after; /* full sweeps in a row that failed or were incomplete before that is an alert itself
				    */
	uint32_t storm;		   /* more new alerts at once are summed up in one; 0: never */
};

/* The defaults: at once, at once, warning, 6 in 10 minutes, 3, 30. */
extern const struct ft_alert_rules ft_alert_rules_defaults;

enum ft_event_kind { FT_EVENT_RAISED, FT_EVENT_CHANGED, FT_EVENT_CLEARED };

const char *ft_event_kind_name(enum ft_event_kind kind); /* "raised", "changed", "cleared" */

/* What the sinks are told. All strings are safe (base/text.h) and owned by the event. */
struct ft_event {
	uint64_t seq; /* from 1, never used twice, also not after a restart: a sink can tell what it had already */
	enum ft_event_kind kind;
	int64_t wall_ms;     /* of the event */
	int64_t raised_ms;   /* wall clock: since when the alert stands */
	int64_t duration_ms; /* for how long it stood, whatever was done to the wall clock meanwhile */
	char *id;
	char *code; /* "cable-missing", "link-flapping" */
	enum ft_severity severity;
	/*
	 * One sentence, as in the report; of a cleared one, how it is over before it: "repaired: …"; "now part of
	 * core-missing: …" where another finding has a port of its now; "not in the new plan: …"; "waived: …".
	 */
	char *text;
	char *fix;	       /* "" where it is over and there is nothing to be done any more */
	struct ft_place place; /* the first place of the finding; name NULL if it has none */
	char *finding;	       /* the finding as JSON on one line (ft_finding_write_json()); the last one seen */
	char **waiting;	       /* names of the sinks that have not had it yet */
	size_t waiting_count;
};

struct ft_alerts;

/* Returns 0 or -ENOMEM. */
int ft_alerts_new(struct ft_alerts **ret_alerts);
void ft_alerts_free(struct ft_alerts *alerts);
static inline void ft_alerts_freep(struct ft_alerts **alerts)
{
	ft_alerts_free(*alerts);
}

/*
 * What a look read of the fabric anew. All of them raise and clear, but only full sweeps count: for patience in looks
 * (another look begins a wait, and ends none) and for sweep-incomplete, with the ports that are silent.
 */
enum ft_look_kind {
	FT_LOOK_ALL,	   /* all of it: a full sweep */
	FT_LOOK_PART,	   /* what changed, after an event; the rest is known from before */
	FT_LOOK_REPLANNED, /* nothing: the plan changed */
};

/*
 * A look at the fabric that saw all that matters. (One that did not is taken as ft_alerts_miss() takes it.)
 *
 * What changed is a new severity, count or place, or another text; consequences (symptoms) that come and go are not
 * worth a word. What is waived is no alert, whatever its severity. One cable more or less missing between two switches
 * is a change too: an alert's id is its finding's, without the number of cables. Either all of a look is taken in, or
 * (on -ENOMEM) none of it. Returns 0 or -ENOMEM.
 */
int ft_alerts_look(struct ft_alerts *alerts, const struct ft_alert_rules *rules, const struct ft_report *report,
		   enum ft_look_kind kind, struct ft_now now);

/*
 * A look that failed, or saw too little: it raises and clears nothing of the fabric's. incomplete_after of them in a
 * row are an alert of their own, "sweep-incomplete", cleared by the next ft_alerts_look() of a full sweep. It changes
 * only with the ports that are mute for good: lost packets are others each time.
 *
 * One exception, or a dead host port would blind the daemon for ever: where each port that did not answer was silent in
 * incomplete_after looks in a row (evidence mute, these very places), they are simply mute. sweep-incomplete stands,
 * and the rest of the report is judged as by ft_alerts_look() as long as no other port joins them. Looks that failed
 * altogether say nothing of ports, and neither count nor break the row. Looks that are no full sweeps are judged if all
 * their gaps are known to be mute already, and change nothing otherwise.
 *
 * @report  the report of an incomplete look, or NULL where there is none. Its own sweep-incomplete finding is the
 *          alert's text then
 * @why     one line, safe: what happened; used where @report has no such finding
 * Returns 1 if the report was judged after all, 0 if not, or -ENOMEM.
 */
int ft_alerts_miss(struct ft_alerts *alerts, const struct ft_alert_rules *rules, const struct ft_report *report,
		   enum ft_look_kind kind, const char *why, struct ft_now now);

/*
 * Was it too incomplete to judge by? It has a sweep-incomplete finding, or its verdict is unknown. A switch that is
 * known to be mute is a finding, and no gap.
 */
bool ft_report_is_incomplete(const struct ft_report *report);

/*
 * A host's link went down (and is expected up again): counted for link-flapping only, since hosts are started anew
 * every day. Host links have no findings of their own.
 *
 * @guid, @port  the switch's end
 * @name         the switch, safe; @host: who is, or was, at the far end, safe
 */
int ft_alerts_host_link_down(struct ft_alerts *alerts, const struct ft_alert_rules *rules, uint64_t guid, uint32_t port,
			     const char *name, const char *host, struct ft_now now);

/*
 * What is due by the clock alone: patience in ms, flaps that kept still.
 * Returns 0, or -ENOMEM: then it is due again a second later.
 */
int ft_alerts_tick(struct ft_alerts *alerts, const struct ft_alert_rules *rules, struct ft_now now);

/* When ft_alerts_tick() is to be called next, on the monotonic clock; INT64_MAX: nothing is due. */
int64_t ft_alerts_due_ms(const struct ft_alerts *alerts, const struct ft_alert_rules *rules);

/* Is something pending or clearing that waits for further looks? The caller may look sooner then. */
bool ft_alerts_want_look(const struct ft_alerts *alerts, const struct ft_alert_rules *rules);

/* How many alerts stand (raised, clearing or flapping) of that severity; not those that are summed up in a storm. */
size_t ft_alerts_standing(const struct ft_alerts *alerts, enum ft_severity severity);

/* How many are summed up in the alert-storm that stands. */
size_t ft_alerts_summed_up(const struct ft_alerts *alerts);

/* Counts up with every change that has to outlive the process; the caller saves when it moved. */
uint64_t ft_alerts_version(const struct ft_alerts *alerts);

/* The sinks. */

/*
 * Who is told from now on. Events that wait for a sink that is not among them wait for it no longer.
 * Returns 0 or -ENOMEM.
 */
int ft_alerts_set_sinks(struct ft_alerts *alerts, const char *const *names, size_t count);

/* Is @name told? */
bool ft_alerts_has_sink(const struct ft_alerts *alerts, const char *name);

/* The oldest event that @sink has not had, or NULL. Valid until the next call that changes @alerts. */
const struct ft_event *ft_alerts_next(const struct ft_alerts *alerts, const char *sink);

/* The next one behind @event, which waits for @sink; NULL: there is none. */
const struct ft_event *ft_alerts_after(const struct ft_alerts *alerts, const char *sink, const struct ft_event *event);

/*
 * @sink is being told of the event just now: it is not given up together with the end of its alert, which has to be
 * told then. One at a time a sink; 0: none.
 */
void ft_alerts_begin(struct ft_alerts *alerts, const char *sink, uint64_t seq);

/* @sink had the event; once all had it, it is forgotten. */
void ft_alerts_done(struct ft_alerts *alerts, const char *sink, uint64_t seq);

/*
 * How many events wait for @sink, and how many were given up because more than FT_EVENTS_MAX waited for one: first
 * alerts that came and went while it had neither, then the oldest. Counted once a sink.
 */
enum { FT_EVENTS_MAX = 10000 };
size_t ft_alerts_waiting(const struct ft_alerts *alerts, const char *sink);
uint64_t ft_alerts_dropped(const struct ft_alerts *alerts);

/*
 * The event as the JSON object that hooks get, on one line with a newline:
 * {"ftcheck_alert": 1, "seq", "event", "time", "fabric", "instance", "id", "code", "severity", "text", "fix",
 *  "raised_at", "duration_s", "finding": {...}}
 */
void ft_event_write_json(struct ft_text *text, const struct ft_event *event, const char *fabric, const char *instance);

/* Outliving the process. */

/* All of it, versioned and with a checksum. Monotonic times become wall times. */
void ft_alerts_write_json(struct ft_text *text, const struct ft_alerts *alerts, struct ft_now now);

/*
 * Reads it back. Wall times become monotonic ones; those in the future (the clock was stepped back) count as now.
 * Returns 0, -ENOMEM, or -EINVAL with @err filled: damaged, or of a newer version.
 */
int ft_alerts_read_json(const char *text, size_t length, struct ft_now now, struct ft_alerts **ret_alerts,
			struct ft_error *err);

#endif
