/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * What the life cycle (alert.c, alert_draft.c, alert_track.c, alert_look.c) and its written form (alert_json.c,
 * alert_read.c) share. For nobody else.
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
	FT_TRACK_SWEEP,	  /* the sweep-incomplete alert; there only while it stands */
	FT_TRACK_STORM,	  /* the alert-storm alert; likewise */
	FT_TRACK_KIND_COUNT,
};

/*
 * What is known of one id over time. It stands if it is raised or flapping; never both.
 *
 *     present  raised  flap
 *        1       0      0    pending
 *        1       1      0    raised
 *        0       1      0    clearing
 *        0       0      0    gone, remembered for a while because it may come back and be a flap
 *        -       0      1    flapping: the link-flapping alert stands, and nothing else is said
 */
struct ft_track {
	enum ft_track_kind kind;
	struct ft_message *message; /* the last seen; a reference */
	struct ft_message *flap;    /* of the link-flapping that stands, or NULL; a reference */
	bool present;		    /* in the last look that could tell */
	bool raised;
	bool hushed;	  /* it stands and is not told by itself: alert-storm stands for it (alert_storm.c) */
	uint32_t looks;	  /* that saw it so, present or not: the first, and full sweeps in a row */
	int64_t since_ms; /* monotonic: since when it is present or not; of a host's link: the last time it went down */
	enum ft_over over;   /* why it is not present */
	int64_t raised_ms;   /* wall: since when it stands */
	int64_t standing_ms; /* monotonic: the same */
	uint64_t announced;  /* of sweep-incomplete: which mute ports were told of; 0: none. Of alert-storm: how many
				joined since it was said last */
	int64_t *flaps;	     /* monotonic: when it came back (of a host's link: went down), oldest first */
	uint32_t flaps_count;
};

struct ft_alerts {
	struct ft_track **tracks; /* in the order in which they were met */
	size_t track_count, track_size;
	struct ft_ids index; /* of the tracks' ids, or empty: to be made when it is needed */
	struct ft_outbox outbox;
	uint64_t next_seq;
	uint64_t version;
	bool stormy;	  /* an alert-storm is among the tracks */
	uint32_t misses;  /* full sweeps in a row that failed or were incomplete */
	int64_t retry_ms; /* monotonic: after a ft_alerts_tick() that failed nothing is due before it; or 0 */
	struct ft_spot *gaps;
	size_t gap_count;
};

void ft_track_free(struct ft_track *track);

/*
 * After a loss: numbers from @seq on only, where those below may have been used by events that are no longer known.
 */
void ft_alerts_skip_seq(struct ft_alerts *alerts, uint64_t seq);

/* ---- a call's draft (alert_draft.c) ---- */

enum { FT_DRAFT_NEW_TRACK = UINT32_MAX };

struct ft_draft_step {
	uint32_t at; /* the track that is replaced, or FT_DRAFT_NEW_TRACK */
	struct ft_track *track;
};

/* One that stands from now on, and the event that says so. */
struct ft_draft_raise {
	struct ft_queued *queued;
	struct ft_track *track;
};

/*
 * Each call works on copies of the tracks that it touches and on a list of new events, and puts them in place when
 * nothing can fail any more: so it is taken in as a whole or not at all.
 */
struct ft_draft {
	struct ft_alerts *alerts;
	const struct ft_alert_rules *rules;
	struct ft_now now;
	enum ft_look_kind kind; /* of a look */
	bool full;		/* it is a look, and a full sweep */
	struct ft_draft_step *steps;
	size_t step_count, step_size;
	struct ft_queued *first, *last; /* the events; their numbers are given by the commit */
	struct ft_draft_raise *raises;	/* of findings and hosts, in the order of their events */
	size_t raise_count, raise_size;
	bool indexed;	     /* what it adds is in the index already, and it renames nothing */
	bool matters;	     /* something besides the steps changes what has to outlive the process */
	struct ft_text json; /* scratch */
};

struct ft_draft ft_draft_begin(struct ft_alerts *alerts, const struct ft_alert_rules *rules, struct ft_now now);
void ft_draft_release(struct ft_draft *d);

/* A copy of the track at @at, to be changed; it stays the draft's. All here that return an int: 0 or -ENOMEM. */
int ft_draft_track_edit(struct ft_draft *d, uint32_t at, struct ft_track **ret_track);

/* A new track, which stays the draft's. Takes a reference of its own to @message. */
int ft_draft_track_add(struct ft_draft *d, enum ft_track_kind kind, struct ft_message *message,
		       struct ft_track **ret_track);

/* What @finding says; @code as for ft_message_new(). The caller unrefs it. */
int ft_draft_message_make(struct ft_draft *d, const struct ft_finding *finding, const char *code,
			  struct ft_message **ret_message);

/* Tells of @track as it stands now, in the words of @message; of one that is hushed nothing is told. */
int ft_draft_say(struct ft_draft *d, const struct ft_track *track, enum ft_event_kind kind, struct ft_message *message,
		 enum ft_over over);

/* The same of one that stands from now on; it is hushed no longer. */
int ft_draft_say_raised(struct ft_draft *d, struct ft_track *track, struct ft_message *message);

/* Puts steps and events in place: all, or on -ENOMEM none. */
int ft_draft_commit(struct ft_draft *d);

/* After a commit: drops the tracks of which nothing is left to be known. */
void ft_draft_forget(struct ft_draft *d);

/* ---- storms (alert_storm.c) ---- */

/* Sums up what is too much in a draft that is complete otherwise. Returns 0 or -ENOMEM. */
int ft_storm_settle(struct ft_draft *d);

/* When a storm has something to say by the clock alone; INT64_MAX: it has not. */
int64_t ft_storm_due_ms(const struct ft_alerts *alerts);

/* ---- one track over time (alert_track.c) ---- */

extern const char ft_track_flapping_code[];

/* Is it an alert that stands: raised, clearing or flapping? */
bool ft_track_stands(const struct ft_track *track);

/* What a track waits for, if anything: the patience that has to run out. */
const struct ft_patience *ft_track_waits(const struct ft_alert_rules *rules, const struct ft_track *track);

/* The waited-for end on the monotonic clock; INT64_MAX: only looks can bring it. */
int64_t ft_track_due_ms(const struct ft_patience *patience, const struct ft_track *track);

/*
 * Do flaps count? A link-flapping is a warning: who wants to hear of worse only must not have the worse replaced by it.
 */
bool ft_track_counts_flaps(const struct ft_alert_rules *rules);

/* Do flaps count, and was @then_ms less than a flap_window before @now_ms? */
bool ft_track_in_flap_window(const struct ft_alert_rules *rules, int64_t then_ms, int64_t now_ms);

/* Takes a reference of its own. */
void ft_track_message_set(struct ft_track *track, struct ft_message *message);

/*
 * "link-flapping:ID", from what is flapping: where it is, and what was last said of it. @what it did: "went down". The
 * caller unrefs it.
 */
int ft_track_flap_message(struct ft_draft *d, const struct ft_finding *f, const char *id, const char *what,
			  struct ft_message **ret_message);

/* One more, now; those before the window no longer count. */
int ft_track_flap_note(struct ft_draft *d, struct ft_track *track);

/*
 * From now on link-flapping stands in its place. That is said first, and what it replaces is over after it, so that
 * whoever counts what stands never sees nothing.
 */
int ft_track_flap_begin(struct ft_draft *d, struct ft_track *track, struct ft_message *flap);

/* The look saw @f, which has no track yet; or has the one at @at; or tells that what is there is over. */
int ft_track_finding_first_seen(struct ft_draft *d, const struct ft_finding *f);
int ft_track_finding_seen(struct ft_draft *d, uint32_t at, const struct ft_finding *f);
int ft_track_finding_gone(struct ft_draft *d, uint32_t at, enum ft_over over);

/* The look does not tell of it: only its time passes. */
int ft_track_let_be(struct ft_draft *d, uint32_t at);

/* ---- the written form ---- */

/* Of the written form: how kinds of tracks are called, and the head, which holds the checksum of all behind it. */
extern const char *const ft_track_kinds[FT_TRACK_KIND_COUNT];
enum { FT_STATE_HEAD_SIZE = 128 };
size_t ft_state_head(char ret_head[FT_STATE_HEAD_SIZE], const char *body, size_t length);

#endif
