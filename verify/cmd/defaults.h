/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * What the machine says where the command line does not: the plan, if it has only one. Part of the program ftcheck and
 * of no library: it reads files.
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

#endif
