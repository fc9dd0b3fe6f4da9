/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Shared by the life cycle (alert.c, alert_draft.c, alert_track.c, alert_look.c) and its written form (alert_json.c,
 * alert_read.c). Private to them.
 */
#ifndef FT_DAEMON_ALERT_PARTS_H
#define FT_DAEMON_ALERT_PARTS_H

#include "daemon/alert.h"
#include "daemon/ids.h"
#include "daemon/message.h"
#include "daemon/outbox.h"

enum ft_track_kind {
	FT_TRACK_FINDING, /* of a report */
	FT_TRACK_HOST,	  /* a host's link, counted for flaps only: never present, never raised itself */
	FT_TRACK_SWEEP,	  /* the sweep-incomplete alert; exists only while it is raised */
	FT_TRACK_STORM,	  /* the alert-storm alert; likewise */
	FT_TRACK_KIND_COUNT,
};

/*
 * A track: the history of one id. Its alert is standing if it is raised or flapping; never both.
 *
 *     present  raised  flap
 *        1       0      0    pending
 *        1       1      0    raised
 *        0       1      0    clearing
 *        0       0      0    gone, kept for a while because its return may be a flap
 *        -       0      1    flapping: the link-flapping alert is standing, and there are no other events
 */
struct ft_track {
	enum ft_track_kind kind;
	struct ft_message *message; /* the last seen; a reference */
	struct ft_message *flap;    /* of the link-flapping alert, or NULL; a reference */
	bool present;		    /* in the last check that could judge it */
	bool raised;
	bool hushed;	  /* standing, but without events of its own: covered by alert-storm (alert_storm.c) */
	uint32_t looks;	  /* checks that saw it so, present or not: the first, and full sweeps in a row */
	int64_t since_ms; /* monotonic: since when it is present or not; of a host's link: the last time it went down */
	enum ft_over over;   /* why it is not present */
	int64_t raised_ms;   /* wall: since when it is standing */
	int64_t standing_ms; /* monotonic: the same */
	uint64_t announced; /* of sweep-incomplete: hash of the silent ports reported; 0: none. Of alert-storm: how many
			       joined since its last event */
	int64_t *flaps;	    /* monotonic: when it returned (of a host's link: went down), oldest first */
	uint32_t flaps_count;
};

struct ft_alerts {
	struct ft_track **tracks; /* in the order in which they were first seen */
	size_t track_count, track_size;
	struct ft_ids index; /* of the tracks' ids, or empty: built when needed */
	struct ft_outbox outbox;
	uint64_t next_seq;
	uint64_t version;
	bool stormy;	  /* an alert-storm is among the tracks */
	uint32_t misses;  /* full sweeps in a row that failed or were incomplete */
	int64_t retry_ms; /* monotonic: after a failed ft_alerts_tick() nothing is due before this time; or 0 */
	struct ft_spot *gaps;
	size_t gap_count;
};

void ft_track_free(struct ft_track *track);

/* After a loss of state: only numbers from @seq on, as lower ones may have been used by lost events. */
void ft_alerts_skip_seq(struct ft_alerts *alerts, uint64_t seq);

/* ---- a call's draft (alert_draft.c) ---- */

enum { FT_DRAFT_NEW_TRACK = UINT32_MAX };

struct ft_draft_step {
	uint32_t at; /* the track that is replaced, or FT_DRAFT_NEW_TRACK */
	struct ft_track *track;
};

/* An alert that is standing from now on, and its event. */
struct ft_draft_raise {
	struct ft_queued *queued;
	struct ft_track *track;
};

/*
 * A transaction: each call works on copies of the tracks that it touches and on a list of new events, and commits them
 * when nothing can fail any more, so that it takes effect as a whole or not at all.
 */
struct ft_draft {
	struct ft_alerts *alerts;
	const struct ft_alert_rules *rules;
	struct ft_now now;
	enum ft_look_kind kind; /* of a look */
	bool full;		/* it is a look, and a full sweep */
	struct ft_draft_step *steps;
	size_t step_count;
	struct ft_queued *first, *last; /* the events; the commit assigns their numbers */
	struct ft_draft_raise *raises;	/* of findings and hosts, in the order of their events */
	size_t raise_count;
	bool indexed;	     /* its additions are in the index already, and it renames nothing */
	bool matters;	     /* something besides the steps changes the state to be saved */
	struct ft_text json; /* scratch */
};

struct ft_draft ft_draft_begin(struct ft_alerts *alerts, const struct ft_alert_rules *rules, struct ft_now now);
void ft_draft_release(struct ft_draft *d);

/*
 * A copy of the track at @at, to be changed; owned by the draft. All functions here that return an int: 0 or -ENOMEM.
 */
int ft_draft_track_edit(struct ft_draft *d, uint32_t at, struct ft_track **ret_track);

/* A new track, owned by the draft. Takes a reference of its own to @message. */
int ft_draft_track_add(struct ft_draft *d, enum ft_track_kind kind, struct ft_message *message,
		       struct ft_track **ret_track);

/* The message of @finding; @code as for ft_message_new(). The caller unrefs it. */
int ft_draft_message_make(struct ft_draft *d, const struct ft_finding *finding, const char *code,
			  struct ft_message **ret_message);

/* Adds an event for the present state of @track, with the text of @message; none if the track is hushed. */
int ft_draft_say(struct ft_draft *d, const struct ft_track *track, enum ft_event_kind kind, struct ft_message *message,
		 enum ft_over over);

/* The same for a track that is standing from now on; it is not hushed any more. */
int ft_draft_say_raised(struct ft_draft *d, struct ft_track *track, struct ft_message *message);

/* Commits steps and events: all, or on -ENOMEM none. */
int ft_draft_commit(struct ft_draft *d);

/* After a commit: drops tracks that are not needed any more. */
void ft_draft_forget(struct ft_draft *d);

/* ---- storms (alert_storm.c) ---- */

/* Sums up too many alerts in a draft that is complete otherwise. Returns 0 or -ENOMEM. */
int ft_storm_settle(struct ft_draft *d);

/* When a storm needs a tick; INT64_MAX: it does not. */
int64_t ft_storm_due_ms(const struct ft_alerts *alerts);

/* ---- one track over time (alert_track.c) ---- */

extern const char ft_track_flapping_code[];

/* Is it standing: raised, clearing or flapping? */
bool ft_track_stands(const struct ft_track *track);

/* The wait of a track, if any. */
const struct ft_patience *ft_track_waits(const struct ft_alert_rules *rules, const struct ft_track *track);

/* The end of the wait on the monotonic clock; INT64_MAX: only checks can end it. */
int64_t ft_track_due_ms(const struct ft_patience *patience, const struct ft_track *track);

/* Do flaps count? link-flapping is a warning: if only critical alerts are wanted, it must not replace one of them. */
bool ft_track_counts_flaps(const struct ft_alert_rules *rules);

/* Do flaps count, and was @then_ms less than a flap_window before @now_ms? */
bool ft_track_in_flap_window(const struct ft_alert_rules *rules, int64_t then_ms, int64_t now_ms);

/* Takes a reference of its own. */
void ft_track_message_set(struct ft_track *track, struct ft_message *message);

/*
 * The message "link-flapping:ID" for a flapping alert: its place and last text. @what it did: "went down". The caller
 * unrefs it.
 */
int ft_track_flap_message(struct ft_draft *d, const struct ft_finding *f, const char *id, const char *what,
			  struct ft_message **ret_message);

/* One more, now; those before the window no longer count. */
int ft_track_flap_note(struct ft_draft *d, struct ft_track *track);

/*
 * Replaces the alert by link-flapping. link-flapping is raised first, then the alert is cleared, so that the number of
 * standing alerts never drops to zero in between.
 */
int ft_track_flap_begin(struct ft_draft *d, struct ft_track *track, struct ft_message *flap);

/* The check saw @f, without a track yet; or with the one at @at; or shows that an existing one is over. */
int ft_track_finding_first_seen(struct ft_draft *d, const struct ft_finding *f);
int ft_track_finding_seen(struct ft_draft *d, uint32_t at, const struct ft_finding *f);
int ft_track_finding_gone(struct ft_draft *d, uint32_t at, enum ft_over over);

/* The check cannot judge it: only its time passes. */
int ft_track_let_be(struct ft_draft *d, uint32_t at);

/* ---- the written form ---- */

/* Of the written form: how kinds of tracks are called, and the head, which holds the checksum of all behind it. */
extern const char *const ft_track_kinds[FT_TRACK_KIND_COUNT];
enum { FT_STATE_HEAD_SIZE = 128 };
size_t ft_state_head(char ret_head[FT_STATE_HEAD_SIZE], const char *body, size_t length);

#endif
