/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * What the machine says where the command line does not: the plan, if it has only one, and the port and the M_Key that
 * all tools of a site use. Part of the program ftcheck and of no library: it reads files.
 */
#ifndef FT_VERIFY_CMD_DEFAULTS_H
#define FT_VERIFY_CMD_DEFAULTS_H

#include "base/error.h"
#include "probe/source.h"

/*
 * The only design in @directory: a file *.json that has "ftcheck", or that is invalid JSON (a design with a syntax
 * error is not skipped in favour of another one).
 *
 * @ret_path  out: the caller frees it
 * Returns 0, or with @err filled -ENOENT (none), -ENOTUNIQ (several; they are listed), or -ENOMEM.
 */
int ft_plan_default(const char *directory, char **ret_path, struct ft_error *err);

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
