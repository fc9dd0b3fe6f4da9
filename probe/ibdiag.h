/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What all tools of a site use by default: the port, the time-out and the M_Key of infiniband-diags. */
#ifndef FT_PROBE_IBDIAG_H
#define FT_PROBE_IBDIAG_H

#include <stdint.h>

#include "base/error.h"

struct ft_ibdiag {
	char ca[64]; /* "": not said */
	unsigned int port, timeout_ms;
	uint64_t m_key;
};

/*
 * The configuration of infiniband-diags: lines of KEY=VALUE, comments from # at the beginning of a line.
 *
 * Reads @path; NULL: the default file of infiniband-diags, if it exists and is readable. The keys CA, Port, timeout and
 * m_key are used; others are ignored.
 *
 * @ret  out: zeros for missing keys
 * Returns 0, -EINVAL with @err filled (file, line, column), or -errno of reading.
 */
int ft_ibdiag_load(const char *path, struct ft_ibdiag *ret, struct ft_error *err);

#endif
