/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The listener's child process: see listen.h for what it does.
 */
#ifndef FT_PROBE_LISTEN_CHILD_H
#define FT_PROBE_LISTEN_CHILD_H

#include <stddef.h>

#include "probe/listen.h"

/* A message as sent through the socket: as much of the text as is used, with its NUL. */
static inline size_t ft_listener_message_size(size_t text_length)
{
	return offsetof(struct ft_listener_message, text) + text_length + 1;
}

/*
 * Listens until the parent's end of @parent_fd, a SOCK_SEQPACKET socket, is closed; then ends the process.
 */
_Noreturn void ft_listen(const struct ft_listener_options *options, int parent_fd);

#endif
