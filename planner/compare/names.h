/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Which networks may be asked for by name. */
#ifndef FT_PLANNER_COMPARE_NAMES_H
#define FT_PLANNER_COMPARE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ft_text;

struct ft_compare_name {
	const char *topology; /* static */
	uint32_t levels;      /* of a fat-tree, 2 or 3; else 0 */
};

enum { FT_COMPARE_NAMES_MAX = 32 };

/*
 * The networks that the word @name of @length bytes means: of a family one, of "fat-tree" those of two and of three
 * levels, of "all" every one that can be chosen for a number of nodes.
 *
 * Returns how many were put into @ret_names; 0: there is none of that name.
 */
size_t ft_compare_names(const char *name, size_t length, struct ft_compare_name ret_names[FT_COMPARE_NAMES_MAX]);

/* Adds the words that there are, "all, star, fat-tree, torus, …". */
void ft_compare_add_names(struct ft_text *text);

#endif
