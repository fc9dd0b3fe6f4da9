/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What the child of a check does to read error counters; see counting.c. */
#ifndef FT_DAEMON_COUNTING_H
#define FT_DAEMON_COUNTING_H

#include "daemon/check.h"
#include "probe/counters.h"

/* The ports of the last reading, from what a child handed over. NULL: there was none. */
const struct ft_counted_port *ft_counting_ports(const struct ft_text *known, size_t *ret_count);

/* In the child: reads all counters, and adds them and the worst links to @text. Returns 0 or -errno, with @err filled.
 */
int ft_counting_read(const struct ft_check_request *request, int64_t end_ms, struct ft_text *text,
		     struct ft_error *err);

#endif
