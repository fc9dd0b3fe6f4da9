/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The daemon's baseline (verify/baseline.h): learned from each look that could be judged, and kept in the state
 * directory as baseline.json, so that what died while the daemon was away is called by its name as well. Without a
 * state directory it lasts as long as the process.
 */
#ifndef FT_DAEMON_REMEMBER_H
#define FT_DAEMON_REMEMBER_H

#include <stdbool.h>

struct ft_daemon;
struct ft_report;
struct ft_snapshot;

/* Reads it. One that is damaged is told and passed over: it is a convenience, and made anew. */
void ft_remember_load(struct ft_daemon *d);

/* Learns from a look that could be judged. @snapshot NULL: nothing was read. @save: a full sweep, worth a file. */
void ft_remember_look(struct ft_daemon *d, const struct ft_snapshot *snapshot, const struct ft_report *report,
		      bool save);

/* Saves what was learned since. */
void ft_remember_save(struct ft_daemon *d);

/* It is of another fabric. */
void ft_remember_nothing(struct ft_daemon *d);

#endif
