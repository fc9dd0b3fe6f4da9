/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Compact lists of names in design files: "leaf[01-24]". Private to infer/. */
#ifndef FT_VERIFY_INFER_RANGES_H
#define FT_VERIFY_INFER_RANGES_H

#include "verify/infer/infer_parts.h"

/* A name, split at its last number, or where it differs from the next one. */
struct ft_name_part {
	char *name;
	size_t head;   /* length before the number */
	size_t digits; /* 0: no number */
	uint32_t number;
};

struct ft_name_list {
	struct ft_name_part *part;
	uint32_t count;
};

/* Room for @count names. Returns 0 or -ENOMEM; to be released in any case. */
int ft_name_list_init(struct ft_name_list *names, uint32_t count);
int ft_name_list_add(struct ft_name_list *names, const char *name);
void ft_name_list_release(struct ft_name_list *names);

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
