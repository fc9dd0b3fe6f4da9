/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Events on their way to the sinks: one list in the order of their numbers, and for each sink the first that it has not
 * had, so that a sink that is blocked costs the others nothing.
 */
#ifndef FT_DAEMON_OUTBOX_H
#define FT_DAEMON_OUTBOX_H

#include "daemon/alert.h"
#include "daemon/message.h"

/* Why an alert is over. */
enum ft_over {
	FT_OVER_REPAIRED,  /* the finding is gone */
	FT_OVER_WAIVED,	   /* the design says that it is known */
	FT_OVER_MINOR,	   /* it is there, but below the severity of alerts */
	FT_OVER_FLAPPING,  /* its link-flapping stands in its place */
	FT_OVER_STEADY,	   /* of a link-flapping: it kept still */
	FT_OVER_COMPLETE,  /* of a sweep-incomplete */
	FT_OVER_REPLANNED, /* the plan changed, and nothing else */
	FT_OVER_SINGLY,	   /* of an alert-storm: the few that are left are told one by one */
	FT_OVER_PART,	   /* + enum ft_code: it is there, as a part of a finding of that code */
	FT_OVER_COUNT = FT_OVER_PART + FT_CODE_COUNT,
};

const char *ft_over_name(enum ft_over over);

/*
 * An event in the list. The strings of @event are those of @message, but for the text of one that is over, which has no
 * fix either, unless it goes on as a part of another.
 */
struct ft_queued {
	struct ft_event event;	    /* first, so that one leads to the other */
	struct ft_message *message; /* a reference */
	char *text;		    /* owned, or NULL: the message's */
	enum ft_over over;
	struct ft_queued *prev, *next;
	struct ft_queued *same; /* while pairs are looked for: the next of the same alert */
};

struct ft_sink {
	char *name;		 /* owned; events that wait point to it */
	struct ft_queued *first; /* the oldest that it has not had, or NULL */
	size_t waiting;
	uint64_t busy_seq; /* the event that it is being told of; 0: none */
};

struct ft_outbox {
	struct ft_queued *head, *tail;
	struct ft_sink *sinks;
	size_t sink_count;
	uint64_t dropped;
};

void ft_outbox_release(struct ft_outbox *outbox);

/*
 * An event that waits for every sink there is. Number and times are for the caller to set.
 * Returns 0 or -ENOMEM.
 */
int ft_queued_new(const struct ft_outbox *outbox, enum ft_event_kind kind, struct ft_message *message,
		  enum ft_over over, struct ft_queued **ret_queued);
void ft_queued_free(struct ft_queued *queued);

/* Frees a chain of them, linked by next. */
void ft_queued_free_all(struct ft_queued *first);

/*
 * Appends a chain, linked by next, whose numbers are beyond all there; takes ownership. What then is too much for a
 * sink is given up.
 */
void ft_outbox_append(struct ft_outbox *outbox, struct ft_queued *first);

/* See alert.h. */
int ft_outbox_set_sinks(struct ft_outbox *outbox, const char *const *names, size_t count, bool *ret_changed);
const struct ft_sink *ft_outbox_sink(const struct ft_outbox *outbox, const char *name);
const struct ft_queued *ft_outbox_after(const struct ft_sink *sink, const struct ft_queued *queued);
void ft_outbox_begin(struct ft_outbox *outbox, const char *sink, uint64_t seq);
bool ft_outbox_done(struct ft_outbox *outbox, const char *sink, uint64_t seq);

#endif
