/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Names of switches in a design, which may hold ranges of numbers: "CCORE1-[001-003,007]" is four names. Private to
 * planner/design*.c.
 */
#ifndef FT_PLANNER_PLAN_NAME_RANGES_H
#define FT_PLANNER_PLAN_NAME_RANGES_H

#include <stddef.h>

#include "planner/plan/keys.h"

struct ft_name_ranges {
	char **names; /* expanded names; owned */
	size_t count, size;
	size_t max; /* the limit for one key; 0: FT_NAME_RANGES_MAX */
};

enum { FT_NAME_RANGES_MAX = 10000 };

void ft_name_ranges_release(struct ft_name_ranges *ranges);

/* Adds the names of the string at @at. Returns 0, -EINVAL with the reader's error filled, or -ENOMEM. */
int ft_name_ranges_read(struct ft_key_reader *reader, const struct ft_key_at *at, struct ft_name_ranges *ranges);

/* The same of @name. Returns 0, -EINVAL (a range that is none), -E2BIG, -ENAMETOOLONG or -ENOMEM. */
int ft_name_ranges_add(struct ft_name_ranges *ranges, const char *name);

/* For the column "read" of a key: a name or a list of names. @out is a struct ft_name_ranges. */
int ft_key_name_ranges(struct ft_key_reader *reader, const struct ft_key_at *at, void *out);

#endif
