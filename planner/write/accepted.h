/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* A design with more accepted findings (ftcheck-design(5)). */
#ifndef FT_PLANNER_WRITE_ACCEPTED_H
#define FT_PLANNER_WRITE_ACCEPTED_H

#include "base/error.h"
#include "base/text.h"
#include "planner/plan/design.h"

/*
 * The text of @design with @entries, separated by commas, added to its "accepted", and with its "plan", if it has one,
 * as it is then. All else stays byte for byte.
 * Returns 0, -EINVAL with @err filled (no such plan), or -ENOMEM.
 */
int ft_accept_design(const struct ft_design *design, const char *entries, struct ft_text *text, struct ft_error *err);

#endif
