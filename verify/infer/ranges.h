/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Compact lists of names in design files: "leaf[01-24]". Private to infer/. */
#ifndef FT_VERIFY_INFER_RANGES_H
#define FT_VERIFY_INFER_RANGES_H

#include "verify/infer/infer_parts.h"

/* A name, split at its last number, or where it differs from the next one. */
struct ft_name_part {
	const char *name;
	size_t head;   /* length before the number */
	size_t digits; /* 0: no number */
	uint32_t number;
};

struct ft_name_list {
	struct ft_name_part *part; /* NULL: no memory; then the text fails that it is added to */
	uint32_t count;
};

/* An empty one with room for @count names. These are borrowed; of NULL, for which there was no memory, it is none. */
struct ft_name_list ft_name_list_of(struct ft_arena *memory, uint32_t count);
void ft_name_list_add(struct ft_name_list *names, const char *name);

/*
 * Adds them as JSON, in their order, with commas between. Returns the number of strings, which is less than that of
 * names where ranges hold several.
 *
 * @line  what begins another line, where one is long enough; NULL: all are on one
 */
uint32_t ft_name_list_add_json(struct ft_text *text, const struct ft_name_list *names, const char *line);

/* Sorts them and adds them as JSON: one string, or a list of them. */
void ft_name_list_write(struct ft_text *text, struct ft_name_list *names);

#endif
