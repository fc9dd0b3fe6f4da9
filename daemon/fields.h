/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * An event as names and values: the fields of its journal entry and the environment of its hooks are the same.
 */
#ifndef FT_DAEMON_FIELDS_H
#define FT_DAEMON_FIELDS_H

#include "daemon/alert.h"

/* One field. Missing values (no port, no fix) are empty strings. */
struct ft_field {
	const char *name; /* "FTCHECK_CODE" */
	void (*write)(struct ft_text *text, const struct ft_event *event, const char *fabric, const char *instance);
	const char *meaning; /* for manuals and tests */
};

extern const struct ft_field ft_fields[];
extern const size_t ft_field_count;

/* A wall-clock time in ms since 1970 as RFC 3339 in UTC with milliseconds: 2026-11-21T15:05:53.042Z. */
void ft_time_add(struct ft_text *text, int64_t wall_ms);

/* A span in its two largest units: "45 s", "3 min", "2 h 5 min", "3 d 4 h". Negative ones count as 0. */
void ft_span_add(struct ft_text *text, int64_t ms);

#endif
