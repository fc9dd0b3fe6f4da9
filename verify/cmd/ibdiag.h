/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The configuration of infiniband-diags, for the port and the M_Key that all tools of a site use: lines of KEY=VALUE,
 * comments from # at the beginning of a line. Part of the program ftcheck and of no library: it reads files.
 */
#ifndef FT_VERIFY_CMD_IBDIAG_H
#define FT_VERIFY_CMD_IBDIAG_H

#include "base/error.h"
#include "probe/source.h"

struct ft_ibdiag {
	char ca[64]; /* "": not said */
	unsigned int port, timeout_ms;
	uint64_t m_key;
};

/*
 * Reads @path; NULL: the default file of infiniband-diags, if it exists and is readable. The keys CA, Port, timeout and
 * m_key are used; others are ignored.
 *
 * @ret  out: zeros for missing keys
 * Returns 0, -EINVAL with @err filled (file, line, column), or -errno of reading.
 */
int ft_ibdiag_load(const char *path, struct ft_ibdiag *ret, struct ft_error *err);

#endif
