/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Alerts: the life cycle of findings over time. A fault is reported once when it appears, again when it changes, and
 * once more when it is repaired, however often the fabric is checked in between.
 *
 * A pure state machine: reports and times go in, events come out and are queued until each sink has them. It does no
 * I/O and has no clock; its whole state can be written as JSON and read back, and so survives the process.
 *
 * The life of an alert, by finding id:
 *
 *     (seen) -> pending -> raised -> clearing -> (gone)
 *
 * pending and clearing last raise_after and clear_after. A finding that disappears before it was raised leaves no
 * trace; one that returns before it was cleared counts as present throughout. Each return within flap_window counts as
 * a flap; with flap_count flaps within flap_window the alert becomes "link-flapping:ID", and no more events are sent
 * until it was stable for a flap_window.
 *
 * Invariant: every raised event has a cleared event with the same id. link-flapping is raised and then the alert that
 * it replaces, if it was raised, is cleared ("flapping now: …"); once it is stable, the fault is raised if it is
 * present (and was for raise_after), and then link-flapping is cleared. Flaps are not counted if only critical alerts
 * are wanted, as link-flapping is a warning.
 *
 * A finding that is waived, or below the severity of alerts, counts as gone. A finding that a check cannot judge does
 * not: a port of it does not respond, or the sweep began on a switch that is cut off and so reached only a part (SPEC
 * 6, edge-isolated).
 *
 * Too many new alerts at once are summed up in one, "alert-storm" (alert_storm.c). The alerts that it covers exist all
 * the same, but cause no events.
 *
 * An event is sent to its sinks only after the state with it was saved; otherwise, after kill -9, its number would be
 * used again.
 */
#ifndef FT_DAEMON_ALERT_H
#define FT_DAEMON_ALERT_H

#include "verify/model/report.h"

/*
 * Both clocks, read by the caller at one moment. Spans are measured on the monotonic one; the wall clock may be stepped
 * at any time and is only for display, and to bridge a restart.
 */
struct ft_now {
	int64_t mono_ms;
	int64_t wall_ms;
};

/* How long to wait before an event: a number of full sweeps in a row, or a time. */
struct ft_patience {
	uint32_t looks; /* at least 1; 1: at once, after any check */
	uint32_t ms;	/* not 0: counts instead of @looks */
};

struct ft_alert_rules {
	struct ft_patience raise_after;
	struct ft_patience clear_after;
	enum ft_severity severity; /* findings below it are no alerts */
	uint32_t flap_count;	   /* 0: no flap detection */
	uint32_t flap_window_ms;
	uint32_t incomplete_after; /* full sweeps in a row that failed or were incomplete before that becomes an alert
				      itself */
	uint32_t storm;		   /* more new alerts at once than this are summed up in one; 0: never */
	size_t max_bytes; /* in the state file, of events that wait, and of alerts that are over but may be flapping; 0:
			     any */
};

/* The defaults: at once, at once, warning, 6 in 10 minutes, 3, 30. */
extern const struct ft_alert_rules ft_alert_rules_defaults;

enum ft_event_kind { FT_EVENT_RAISED, FT_EVENT_CHANGED, FT_EVENT_CLEARED };

const char *ft_event_kind_name(enum ft_event_kind kind); /* "raised", "changed", "cleared" */

/* What the sinks get. All strings are safe (base/text.h) and owned by the event. */
struct ft_event {
	uint64_t seq; /* from 1, never reused, even after a restart: a sink can recognise duplicates */
	enum ft_event_kind kind;
	int64_t wall_ms;     /* of the event */
	int64_t raised_ms;   /* wall clock: since when the alert is raised */
	int64_t duration_ms; /* for how long it was raised, by the monotonic clock */
	char *id;
	char *code; /* "cable-missing", "link-flapping" */
	enum ft_severity severity;
	/*
	 * One sentence, as in the report; for a cleared alert preceded by the reason: "repaired: …"; "now part of
	 * core-missing: …" if another finding has one of its ports now; "not in the new plan: …"; "waived: …".
	 */
	char *text;
	char *fix;	       /* "" if it is cleared and nothing remains to be done */
	struct ft_place place; /* the first place of the finding; name NULL if it has none */
	char *finding;	       /* the finding as JSON on one line (ft_finding_write_json()); the last one seen */
	char **waiting;	       /* names of the sinks that have not received it yet */
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
 * The part of the fabric that a check read. All kinds raise and clear alerts, but only full sweeps count for waits in
 * sweeps (another check starts a wait, and ends none) and for sweep-incomplete, with the ports that are silent.
 */
enum ft_look_kind {
	FT_LOOK_ALL,	   /* all of it: a full sweep */
	FT_LOOK_PART,	   /* the changed part, after an event; the rest is known from before */
	FT_LOOK_REPLANNED, /* nothing: the plan changed */
};

/*
 * Takes in a check that saw everything needed. (An incomplete one is handled as by ft_alerts_miss().)
 *
 * A change is a new severity, count, place or text; changes of symptoms cause no event. Waived findings are no alerts,
 * whatever their severity. One cable more or less missing between two switches is a change too: an alert's id is its
 * finding's, without the number of cables. A check is taken in as a whole or (on -ENOMEM) not at all. Returns 0 or
 * -ENOMEM.
 */
int ft_alerts_look(struct ft_alerts *alerts, const struct ft_alert_rules *rules, const struct ft_report *report,
		   enum ft_look_kind kind, struct ft_now now);

/*
 * A check that failed, or is incomplete: it raises and clears no alerts of the fabric. incomplete_after of them in a
 * row raise an alert of their own, "sweep-incomplete", cleared by the next ft_alerts_look() of a full sweep. It changes
 * only with the ports that are permanently silent, as lost packets differ each time.
 *
 * One exception, or a dead host port would block all alerts for ever: if each port without a response was silent in
 * incomplete_after checks in a row (evidence mute, the same places), they count as permanently silent. sweep-incomplete
 * stays raised, and the rest of the report is judged as by ft_alerts_look() as long as no other port joins them. Failed
 * checks say nothing about ports, and neither count nor interrupt the sequence. Checks that are no full sweeps are
 * judged if all their gaps are known to be permanently silent, and change nothing otherwise.
 *
 * @report  the report of an incomplete check, or NULL. Its sweep-incomplete finding, if any, gives the alert's text
 * @why     one line, safe: what happened; used where @report has no such finding
 * Returns 1 if the report was judged after all, 0 if not, or -ENOMEM.
 */
int ft_alerts_miss(struct ft_alerts *alerts, const struct ft_alert_rules *rules, const struct ft_report *report,
		   enum ft_look_kind kind, const char *why, struct ft_now now);

/*
 * Whether the report is too incomplete to be judged: it has a sweep-incomplete finding, or its verdict is unknown. A
 * switch known not to respond is a finding, and no gap.
 */
bool ft_report_is_incomplete(const struct ft_report *report);

/*
 * A host's link went down (and is expected up again): counted for link-flapping only, since hosts are rebooted every
 * day. Host links have no findings of their own.
 *
 * @guid, @port  the switch's end
 * @name         the switch, safe; @host: the host at the far end, safe
 */
int ft_alerts_host_link_down(struct ft_alerts *alerts, const struct ft_alert_rules *rules, uint64_t guid, uint32_t port,
			     const char *name, const char *host, struct ft_now now);

/*
 * Performs the transitions due by the clock alone: waits in ms, flapping alerts that are stable again.
 * Returns 0, or -ENOMEM: then it is due again a second later.
 */
int ft_alerts_tick(struct ft_alerts *alerts, const struct ft_alert_rules *rules, struct ft_now now);

/* When ft_alerts_tick() is to be called next, on the monotonic clock; INT64_MAX: nothing is due. */
int64_t ft_alerts_due_ms(const struct ft_alerts *alerts, const struct ft_alert_rules *rules);

/* Is an alert pending or clearing that waits for further sweeps? The caller may sweep sooner then. */
bool ft_alerts_want_look(const struct ft_alerts *alerts, const struct ft_alert_rules *rules);

/* The number of alerts (raised, clearing or flapping) with that severity; not those summed up in a storm. */
size_t ft_alerts_standing(const struct ft_alerts *alerts, enum ft_severity severity);

/* The number of alerts summed up in the current alert-storm. */
size_t ft_alerts_summed_up(const struct ft_alerts *alerts);

/* Incremented with every change that must be saved; the caller saves when it changed. */
uint64_t ft_alerts_version(const struct ft_alerts *alerts);

/* The sinks. */

/*
 * Sets the sinks. Events queued for a sink that is not among them are dropped from its queue.
 * Returns 0 or -ENOMEM.
 */
int ft_alerts_set_sinks(struct ft_alerts *alerts, const char *const *names, size_t count);

/* Is @name told? */
bool ft_alerts_has_sink(const struct ft_alerts *alerts, const char *name);

/* The oldest event queued for @sink, or NULL. Valid until the next call that changes @alerts. */
const struct ft_event *ft_alerts_next(const struct ft_alerts *alerts, const char *sink);

/* The next event after @event queued for @sink; NULL: there is none. */
const struct ft_event *ft_alerts_after(const struct ft_alerts *alerts, const char *sink, const struct ft_event *event);

/*
 * Marks the event as being delivered to @sink now: then it is not dropped together with the end of its alert, which
 * must be delivered too. One at a time for each sink; 0: none.
 */
void ft_alerts_begin(struct ft_alerts *alerts, const char *sink, uint64_t seq);

/* @sink received the event; once all sinks have it, it is released. */
void ft_alerts_done(struct ft_alerts *alerts, const char *sink, uint64_t seq);

/*
 * The number of events queued for @sink, and of those dropped because more than FT_EVENTS_MAX were queued for one:
 * first the pairs of alerts raised and cleared while it received neither, then the oldest. Counted once for each sink.
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

/* For display. */

/* Adds ", "KEY": "2026-11-20T12:00:00.250Z"", or null where the year is beyond all bounds. */
void ft_alerts_add_time(struct ft_text *text, const char *key, int64_t wall_ms);

/*
 * The alerts as a JSON list, in the order in which they were first seen; those summed up in a storm are left out:
 * [{"id", "code", "severity", "state": "pending", "raised", "clearing" or "flapping", "since", "text"}, ...]
 */
void ft_alerts_write_list(struct ft_text *text, const struct ft_alerts *alerts, struct ft_now now);

/* Persistence. */

/* The whole state, versioned and with a checksum. Monotonic times become wall times. */
void ft_alerts_write_json(struct ft_text *text, const struct ft_alerts *alerts, struct ft_now now);

/*
 * Reads it back. Wall times become monotonic ones; those in the future (the clock was stepped back) count as now.
 * Returns 0, -ENOMEM, or -EINVAL with @err filled: damaged, or of a newer version.
 */
int ft_alerts_read_json(const char *text, size_t length, struct ft_now now, struct ft_alerts **ret_alerts,
			struct ft_error *err);

#endif
