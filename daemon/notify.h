/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * What is said to systemd again and again, and may get lost: STATUS= and WATCHDOG=1. sd_notify(3) waits where nobody
 * reads the socket; the loop waits for nobody. What is said once (READY, RELOADING, STOPPING) is sd_notify()'s.
 */
#ifndef FT_DAEMON_NOTIFY_H
#define FT_DAEMON_NOTIFY_H

/* Sends @state if there is somebody to hear it and room for it. */
void ft_notify_try(const char *state);

#endif
