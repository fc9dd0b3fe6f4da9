/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Common mistakes in hand-written JSON: comments, a comma too many or too few, other quotation marks or none. A JSON
 * parser reports the token that it expected; this says what to do.
 */
#ifndef FT_BASE_JSON_SLIP_H
#define FT_BASE_JSON_SLIP_H

#include <stdbool.h>
#include <stddef.h>

struct ft_json_slip {
	size_t offset; /* of the byte that is wrong */
	char text[160];
};

/*
 * Finds the first mistake in @length bytes, none of them NUL, that a parser refused. One pass; mistakes after @until,
 * where the parser gave up, are ignored. Returns whether there is one.
 */
bool ft_json_slip_find(const char *text, size_t length, size_t until, struct ft_json_slip *ret_slip);

#endif
