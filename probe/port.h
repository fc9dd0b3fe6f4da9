/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The local port, from which the fabric is swept. */
#ifndef FT_PROBE_PORT_H
#define FT_PROBE_PORT_H

#include <infiniband/umad.h>

#include "base/error.h"

struct ft_port_choice {
	char ca[UMAD_CA_NAME_LEN];
	int port;
};

/*
 * Chooses like infiniband-diags: the port asked for if it is up, else the first InfiniBand port that is active, else
 * the first that is up at all.
 *
 * @ca    name of the channel adapter, or NULL: any
 * @port  its port, or 0: any
 * Returns 0, -EINVAL (no such CA or port), -ENODEV (no device, or no port that is up) or -ENOMEM, with @err
 * filled.
 */
int ft_port_choose(const char *ca, int port, struct ft_port_choice *ret_choice, struct ft_error *err);

/* Says why that port did not open for management packets, and what to do. Returns -EIO with @err filled, or -ENOMEM. */
int ft_port_explain_closed(const char *ca, int port, struct ft_error *err);

#endif
