/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The plan of a machine that has only one. Part of the program ftcheck and of no library: it reads files. */
#ifndef FT_VERIFY_PLAN_DEFAULT_H
#define FT_VERIFY_PLAN_DEFAULT_H

#include "base/error.h"

/*
 * The only design in @directory: of the files *.json those that say "ftcheck", or that nobody can read as JSON (a
 * design with a slip in it is not passed over for another one).
 *
 * @ret_path  out: the caller frees it
 * Returns 0, or with @err filled -ENOENT (none), -ENOTUNIQ (several; they are listed), or -ENOMEM.
 */
int ft_plan_default(const char *directory, char **ret_path, struct ft_error *err);

#endif
