/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The report of a running ftcheckd: GET /report from a loopback address. Part of the program ftcheck and of no library,
 * for it has a socket and a clock.
 */
#ifndef FT_VERIFY_CMD_STATUS_H
#define FT_VERIFY_CMD_STATUS_H

#include <sys/socket.h>

#include "base/error.h"
#include "verify/model/report.h"

/* Where ftcheckd listens unless told otherwise. */
#define FT_STATUS_DEFAULT "127.0.0.1:9683"

struct ft_status_address {
	struct sockaddr_storage address;
	socklen_t length;
	char name[64]; /* "127.0.0.1:9683", "[::1]:9683" */
};

/*
 * Reads "9683" (of 127.0.0.1), "127.0.0.1:9683" or "[::1]:9683". No names: nothing is to be resolved.
 * Returns 0, -EINVAL (not of that form), or -EADDRNOTAVAIL: the address is no loopback address.
 */
int ft_status_address_read(const char *string, struct ft_status_address *ret_address);

/*
 * Requests the report. The whole exchange takes five seconds at most, and a response may have at most 64 MiB.
 *
 * @ret_report  out: the caller frees it; as_of gives its age, state is the daemon's, if it sent one
 * Returns 0, -ENOMEM, or -errno with a whole sentence in @err, without a place: no response, no report yet, the peer is
 * not ftcheckd, or the response is damaged.
 */
int ft_status_ask(const struct ft_status_address *address, struct ft_report **ret_report, struct ft_error *err);

#endif
