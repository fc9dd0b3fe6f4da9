/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The listening socket of the daemon's pages: loopback only, or one that systemd hands over. */
#ifndef FT_DAEMON_SOCKET_H
#define FT_DAEMON_SOCKET_H

#include <stdbool.h>

#include "base/error.h"

/* Is it "ADDRESS:PORT" with a loopback address? Returns 0 or -EINVAL with a reason in @err (no line). */
int ft_socket_check_address(const char *address, struct ft_error *err);

/* Listens on @address. The caller closes @ret_fd. Returns 0, or -errno with @err filled. */
int ft_socket_open(const char *address, int *ret_fd, struct ft_error *err);

/*
 * Is it the socket that systemd should have passed? libmicrohttpd would fail only later, without a reason. It does not
 * block from then on, and is closed on exec. Returns 0, or -errno with @err filled.
 */
int ft_socket_check(int fd, struct ft_error *err);

/* The port it listens on (0: it has none, as AF_UNIX), and whether only this host reaches it. Returns 0 or -errno. */
int ft_socket_describe(int fd, unsigned int *ret_port, bool *ret_loopback);

#endif
