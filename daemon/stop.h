/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Termination by SIGTERM or SIGINT. The loop ends, the state is saved, all is released. Each of these steps runs
 * library code, which may hang: the process exits FT_STOP_MAX_S seconds after the signal all the same.
 */
#ifndef FT_DAEMON_STOP_H
#define FT_DAEMON_STOP_H

#include <systemd/sd-event.h>

enum { FT_STOP_MAX_S = 10 };

/*
 * From here on SIGTERM and SIGINT end @loop with status 0. They have signal handlers, not a signalfd, which a hanging
 * loop would not read. A process has one loop that can be stopped so.
 *
 * Returns 0, or -errno; the source is @loop's.
 */
int ft_stop_begin(sd_event *loop);

/* The loop has ended, for any reason: starts the time limit, if it is not running yet. */
void ft_stop_now(void);

/* The state is saved: a process that hangs from here on exits with status 0, else with 1. */
void ft_stop_saved(void);

#endif
