/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The daemon's baseline (verify/model/baseline.h): updated from each check that could be judged, and kept in the state
 * directory as baseline.json, so that devices that failed while the daemon was not running have their names as well.
 * Without a state directory it lasts as long as the process.
 */
#ifndef FT_DAEMON_REMEMBER_H
#define FT_DAEMON_REMEMBER_H

#include <stdbool.h>

struct ft_daemon;
struct ft_report;
struct ft_snapshot;

/* Reads it. A damaged file is logged and ignored: the baseline is optional, and learned again. */
void ft_remember_load(struct ft_daemon *d);

/* Learns from a check that could be judged. @snapshot NULL: nothing was read. @save: a full sweep: write the file. */
void ft_remember_look(struct ft_daemon *d, const struct ft_snapshot *snapshot, const struct ft_report *report,
		      bool save);

/*
 * The same later, from the known snapshot and report, as soon as anybody needs it: while hooks are told of an event the
 * processor is theirs. ft_remember_now() is called before either is replaced, and before a check is started.
 */
void ft_remember_later(struct ft_daemon *d);
void ft_remember_now(struct ft_daemon *d);

/* Saves what was learned since. */
void ft_remember_save(struct ft_daemon *d);

/* Discards it: the fabric is another one. */
void ft_remember_nothing(struct ft_daemon *d);

#endif
