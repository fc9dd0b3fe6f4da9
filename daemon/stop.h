/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Being told to stop (SIGTERM, SIGINT). The loop then ends, what is to be kept is saved, all is released. Each of these
 * runs code of libraries, which may hang: the process is gone FT_STOP_MAX_S seconds after the signal all the same.
 */
#ifndef FT_DAEMON_STOP_H
#define FT_DAEMON_STOP_H

#include <systemd/sd-event.h>

enum { FT_STOP_MAX_S = 10 };

/*
 * From here on SIGTERM and SIGINT end @loop with status 0. They are handled, not read from a descriptor: a loop that
 * hangs would not read it. A process has one loop that can be stopped so.
 *
 * Returns 0, or -errno; the source is @loop's.
 */
int ft_stop_begin(sd_event *loop);

/* The loop has ended, for whatever reason: the seconds count from now, if they do not yet. */
void ft_stop_now(void);

/* All that is to be kept is saved: a process that hangs from here on ends with status 0, else with 1. */
void ft_stop_saved(void);

#endif
