/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The queue of events for the sinks: one list in the order of their numbers, and for each sink its first undelivered
 * event, so that a blocked sink does not delay the others.
 */
#ifndef FT_DAEMON_OUTBOX_H
#define FT_DAEMON_OUTBOX_H

#include "daemon/alert.h"
#include "daemon/message.h"

/* Why an alert was cleared. */
enum ft_over {
	FT_OVER_REPAIRED,  /* the finding is gone */
	FT_OVER_WAIVED,	   /* the design waives it */
	FT_OVER_MINOR,	   /* present, but below the severity of alerts */
	FT_OVER_FLAPPING,  /* replaced by its link-flapping */
	FT_OVER_STEADY,	   /* of a link-flapping: stable again */
	FT_OVER_COMPLETE,  /* of a sweep-incomplete */
	FT_OVER_REPLANNED, /* only because the plan changed */
	FT_OVER_KNOWN,	   /* of a switch-replaced: the switch is still there, and has the place from now on */
	FT_OVER_SINGLY,	   /* of an alert-storm: the few remaining alerts are raised one by one */
	FT_OVER_PART,	   /* + enum ft_code: present, as a part of a finding with that code */
	FT_OVER_COUNT = FT_OVER_PART + FT_CODE_COUNT,
};

const char *ft_over_name(enum ft_over over);

/*
 * An event in the list. The strings of @event are those of @message, except the text of a cleared one, which has no fix
 * either, unless it became part of another finding.
 */
struct ft_queued {
	struct ft_event event;	    /* first member, so that a pointer to one converts to the other */
	struct ft_message *message; /* a reference */
	char *text;		    /* owned, or NULL: the message's */
	enum ft_over over;
	size_t bytes; /* what it takes in the state file, about */
	bool brief;   /* the lists of its finding are cut */
	struct ft_queued *prev, *next;
	struct ft_queued *same; /* during the search for pairs: the next of the same alert */
};

struct ft_sink {
	char *name;		 /* owned; queued events point to it */
	struct ft_queued *first; /* its oldest undelivered event, or NULL */
	size_t waiting;
	uint64_t busy_seq; /* the event being delivered to it; 0: none */
};

struct ft_outbox {
	struct ft_queued *head, *tail;
	struct ft_sink *sinks;
	size_t sink_count;
	size_t bytes;	  /* of all events */
	size_t max_bytes; /* see ft_outbox_append() */
	uint64_t dropped;
};

void ft_outbox_release(struct ft_outbox *outbox);

/*
 * Creates an event queued for every sink. The caller sets number and times.
 * Returns 0 or -ENOMEM.
 */
int ft_queued_new(const struct ft_outbox *outbox, enum ft_event_kind kind, struct ft_message *message,
		  enum ft_over over, struct ft_queued **ret_queued);
void ft_queued_free(struct ft_queued *queued);

/* Frees a chain of them, linked by next. */
void ft_queued_free_all(struct ft_queued *first);

/*
 * Appends a chain, linked by next, with numbers above all existing ones; takes ownership. Events beyond a sink's limit
 * are dropped.
 *
 * @max_bytes  of all events in the state file, 0: any. Beyond it, the lists in their findings are cut, the oldest
 * first; only if that is not enough, events of the sink with the most of them are dropped
 */
void ft_outbox_append(struct ft_outbox *outbox, struct ft_queued *first, size_t max_bytes);

/* See alert.h. */
int ft_outbox_set_sinks(struct ft_outbox *outbox, const char *const *names, size_t count, bool *ret_changed);
const struct ft_sink *ft_outbox_sink(const struct ft_outbox *outbox, const char *name);
const struct ft_queued *ft_outbox_after(const struct ft_sink *sink, const struct ft_queued *queued);
void ft_outbox_begin(struct ft_outbox *outbox, const char *sink, uint64_t seq);
bool ft_outbox_done(struct ft_outbox *outbox, const char *sink, uint64_t seq);

#endif
