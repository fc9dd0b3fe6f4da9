/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Notifications to systemd. sd_notify(3) blocks if the socket is not read, which the loop must not do. */
#ifndef FT_DAEMON_NOTIFY_H
#define FT_DAEMON_NOTIFY_H

/* Sends @state if there is a notify socket. Returns 0, or -EAGAIN: there is no room for it now. */
int ft_notify(const char *state);

#endif
