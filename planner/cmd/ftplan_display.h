/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* A line of progress on standard error if that is a terminal. Part of the program ftplan and of no library. */
#ifndef FT_PLANNER_CMD_FTPLAN_DISPLAY_H
#define FT_PLANNER_CMD_FTPLAN_DISPLAY_H

#include <stdbool.h>

struct ft_display {
	bool terminal; /* else nothing is shown */
	double begin_s, last_s;
	bool shown;
};

struct ft_display ft_display_begin(void);

/* From a second after the beginning on, twice a second, in place of what was shown. */
void ft_display_tell(struct ft_display *display, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* At once: what follows may take long, and tells nothing. */
void ft_display_say(struct ft_display *display, const char *format, ...) __attribute__((format(printf, 2, 3)));

void ft_display_end(struct ft_display *display);

#endif
