/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * JSON files of the user's, read by jansson, with the place of every member: jansson gives the line of syntax errors
 * only, and errors about values need theirs too.
 */
#ifndef FT_BASE_JSON_H
#define FT_BASE_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/file.h"

struct ft_json {
	json_t *root;	  /* owned */
	const char *text; /* not owned: the file's bytes after a byte order mark, while the document is in use */
	size_t length;
};

/*
 * Parses @length bytes. Duplicate keys and anything after the first value are refused; a leading UTF-8 byte order mark,
 * as some editors write it, is skipped. For common mistakes the error says what to do.
 * Returns 0, -EINVAL with @err filled, or -ENOMEM.
 */
int ft_json_read(const char *text, size_t length, struct ft_json *ret_json, struct ft_error *err);
void ft_json_release(struct ft_json *json);

/*
 * Fills @err with the place of a member of @parent (which must belong to @json) and returns -EINVAL:
 * the member's key or its value, the element, or the place where @parent begins (@key NULL).
 */
int ft_json_error_key(const struct ft_json *json, struct ft_error *err, const json_t *parent, const char *key,
		      const char *format, ...) __attribute__((format(printf, 5, 6)));
int ft_json_error_value(const struct ft_json *json, struct ft_error *err, const json_t *parent, const char *key,
			const char *format, ...) __attribute__((format(printf, 5, 6)));
int ft_json_error_element(const struct ft_json *json, struct ft_error *err, const json_t *parent, size_t index,
			  const char *format, ...) __attribute__((format(printf, 5, 6)));

/*
 * The line numbers, from 1, where the elements of @array begin, which must belong to @json; @ret_lines has room for
 * all.
 */
void ft_json_element_lines(const struct ft_json *json, const json_t *array, unsigned int *ret_lines);

/*
 * The place of the value of member @key of @parent: the bytes from @ret_start up to, not including, @ret_end.
 * Returns 0, or -ENOENT if there is no such member.
 */
int ft_json_member_span(const struct ft_json *json, const json_t *parent, const char *key, size_t *ret_start,
			size_t *ret_end);

/* Where the last member of the root, an object that is not empty, ends: a new one is inserted there, after a comma. */
size_t ft_json_members_end(const struct ft_json *json);

#endif
