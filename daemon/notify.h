/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What is said to systemd. sd_notify(3) waits where nobody reads the socket; the loop waits for nobody. */
#ifndef FT_DAEMON_NOTIFY_H
#define FT_DAEMON_NOTIFY_H

/* Sends @state if there is somebody to hear it. Returns 0, or -EAGAIN: there is no room for it now. */
int ft_notify(const char *state);

#endif
