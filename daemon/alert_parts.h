/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What the life cycle (alert.c) and its written form (alert_json.c) share. For nobody else. */
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
	uint32_t looks;	  /* that saw it so, present or not: the first, and full sweeps in a row */
	int64_t since_ms; /* monotonic: since when it is present or not; of a host's link: the last time it went down */
	enum ft_over over;   /* why it is not present */
	int64_t raised_ms;   /* wall: since when it stands */
	int64_t standing_ms; /* monotonic: the same */
	uint64_t announced;  /* of sweep-incomplete: which mute ports were told of; 0: none */
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

/* Of the written form: how kinds of tracks are called, and the head, which holds the checksum of all behind it. */
extern const char *const ft_track_kinds[FT_TRACK_KIND_COUNT];
enum { FT_STATE_HEAD_SIZE = 128 };
size_t ft_state_head(char ret_head[FT_STATE_HEAD_SIZE], const char *body, size_t length);

#endif
