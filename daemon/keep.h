/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The history on disk, in the directory "history" of the state directory: the fabric at any moment (probe/archive.h),
 * and the events of alerts (the journal "events": each the JSON object of history.h).
 *
 * Snapshots are compared and written by a child, where the unit allows it at low priority, one at a time and one in
 * KEEP_GAP_MS at most: in a storm, what stood in between is in the events only. Events are written by the loop, a few
 * hundred bytes each, and synced by nobody: a power failure may cost the last ones.
 *
 * What cannot be written is logged once, and nothing older is removed for it.
 */
#ifndef FT_DAEMON_KEEP_H
#define FT_DAEMON_KEEP_H

#include <stdint.h>

#include "base/journal.h"
#include "daemon/alert.h"

struct ft_daemon;
typedef struct sd_event_source sd_event_source;

struct ft_keep {
	char *directory;	   /* NULL: no history is kept */
	struct ft_journal *events; /* NULL: not open */
	sd_event_source *child;	   /* a snapshot is being written */
	sd_event_source *timer;	   /* the next one is due */
	int64_t began_ms;	   /* the last one */
	bool due;		   /* the fabric may have changed since */
	bool failed;		   /* logged once */
};

/* Makes the directory and reads the last events, unless that is done or no history is wanted. Failures are logged: a
 * watch without a history is better than none. */
void ft_keep_begin(struct ft_daemon *d);
void ft_keep_end(struct ft_daemon *d);

/* The fabric was seen, and judged: the last judged snapshot is written soon. */
void ft_keep_fabric(struct ft_daemon *d);

/* Writes an event; @json is its object. */
void ft_keep_event(struct ft_daemon *d, const struct ft_event *event, const char *json);

/* As @history of struct ft_http_pages. */
int ft_keep_page(void *userdata, const char *before, struct ft_text *text);

#endif
