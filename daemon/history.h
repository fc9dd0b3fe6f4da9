/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The last events of alerts in memory, for display; those from before the start of the daemon are read by keep.c. */
#ifndef FT_DAEMON_HISTORY_H
#define FT_DAEMON_HISTORY_H

#include "daemon/alert.h"

enum { FT_HISTORY_MAX = 200 };

/* A ring; empty: all zeros. */
struct ft_history {
	char *events[FT_HISTORY_MAX]; /* each a JSON object; owned */
	size_t next;		      /* place of the next one */
};

/*
 * Adds an event in place of the oldest. Returns it as a JSON object, valid until the next one; NULL: without memory for
 * it, it is left out.
 */
const char *ft_history_note(struct ft_history *history, const struct ft_event *event);

/* The same with a JSON object, which it takes over. */
void ft_history_add(struct ft_history *history, char *event);

/*
 * As a JSON list, the newest first:
 * [{"seq", "event", "time", "id", "code", "severity", "text", "duration_s"}, ...]
 */
void ft_history_write(struct ft_text *text, const struct ft_history *history);

void ft_history_release(struct ft_history *history);

#endif
