/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The plan of a machine that has only one, where the command line names none. */
#ifndef FT_PLANNER_DESIGN_ONLY_H
#define FT_PLANNER_DESIGN_ONLY_H

#include "base/error.h"

/*
 * The only design in @directory: a file *.json that has "ftcheck", or that is invalid JSON (a design with a syntax
 * error is not skipped in favour of another one).
 *
 * @ret_path  out: the caller frees it
 * Returns 0, or with @err filled -ENOENT (none), -ENOTUNIQ (several; they are listed), or -ENOMEM.
 */
int ft_plan_default(const char *directory, char **ret_path, struct ft_error *err);

#endif
