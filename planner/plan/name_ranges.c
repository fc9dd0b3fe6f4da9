/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/plan/name_ranges.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

enum {
	NAME_SIZE_MAX = 256, /* of a name with its ranges */
	DIGITS_MAX = 9,
};

void ft_name_ranges_release(struct ft_name_ranges *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->names[i]);
	free(names->names);
}

static size_t names_max(const struct ft_name_ranges *names)
{
	return names->max ? names->max : FT_NAME_RANGES_MAX;
}

/* Returns 0, -ENOMEM, or -E2BIG. */
static int names_add(struct ft_name_ranges *names, const char *name)
{
	if (names->count == names_max(names))
		return -E2BIG;
	if (names->count == names->size) {
		size_t size = names->size ? 2 * names->size : 8;
		char **more = realloc(names->names, size * sizeof(*more));

		if (!more)
			return -ENOMEM;
		names->names = more;
		names->size = size;
	}
	names->names[names->count] = strdup(name);
	if (!names->names[names->count])
		return -ENOMEM;
	names->count++;
	return 0;
}

/* The first "[…]" with only digits, commas and hyphens; other brackets are part of the name. NULL: none. */
static const char *range_find(const char *name, size_t *ret_length)
{
	for (const char *open = strchr(name, '['); open; open = strchr(open + 1, '[')) {
		size_t length = strspn(open + 1, "0123456789,-");

		if (length > 0 && open[1 + length] == ']') {
			*ret_length = length + 2;
			return open;
		}
	}
	return NULL;
}

/* "007-012" or "7", up to a comma or the end. Returns where it ends, or NULL. */
static const char *range_parse(const char *text, uint32_t *ret_first, uint32_t *ret_last, int *ret_digits)
{
	size_t digits = strspn(text, "0123456789");
	const char *end = text + digits;

	if (digits == 0 || digits > DIGITS_MAX)
		return NULL;
	*ret_digits = (int)digits;
	*ret_first = *ret_last = (uint32_t)strtoul(text, NULL, 10);
	if (*end == '-') {
		size_t more = strspn(end + 1, "0123456789");

		if (more == 0 || more > DIGITS_MAX)
			return NULL;
		*ret_last = (uint32_t)strtoul(end + 1, NULL, 10);
		end += 1 + more;
	}
	return *ret_last >= *ret_first && (*end == ',' || *end == ']') ? end : NULL;
}

/* Expands the ranges of @name. Returns 0, -ENOMEM, -E2BIG, or -EINVAL: a malformed range. */
static int names_expand(struct ft_name_ranges *names, const char *name)
{
	size_t length;
	const char *open = range_find(name, &length), *at = open;

	if (!open)
		return names_add(names, name);
	do {
		uint32_t first, last;
		int digits, r;

		at = range_parse(at + 1, &first, &last, &digits);
		if (!at)
			return -EINVAL;
		for (uint32_t number = first; number <= last; number++) {
			char one[2 * NAME_SIZE_MAX];

			snprintf(one, sizeof(one), "%.*s%0*u%s", (int)(open - name), name, digits, number,
				 open + length);
			r = names_expand(names, one);
			if (r < 0)
				return r;
		}
	} while (*at == ',');
	return 0;
}

int ft_name_ranges_add(struct ft_name_ranges *names, const char *name)
{
	return strlen(name) >= NAME_SIZE_MAX ? -ENAMETOOLONG : names_expand(names, name);
}

int ft_name_ranges_read(struct ft_key_reader *reader, const struct ft_key_at *at, struct ft_name_ranges *names)
{
	const char *name = json_string_value(at->value);
	int r;

	r = ft_key_check_string(reader, at);
	if (r < 0)
		return r;
	r = ft_name_ranges_add(names, name);
	if (r == -ENAMETOOLONG)
		return ft_key_error(reader, at, "is longer than %d bytes", NAME_SIZE_MAX - 1);
	if (r == -E2BIG)
		return ft_key_error(reader, at, "is more than %zu names", names_max(names));
	return r == -EINVAL ? ft_key_error(reader, at, "holds no range of numbers such as [1-3,07-12]") : r;
}

/* A name, or a list of names. */
int ft_key_name_ranges(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	struct ft_name_ranges *names = out;
	int r = 0;

	if (!json_is_array(at->value))
		return ft_name_ranges_read(reader, at, names);
	r = ft_key_expect_filled_list(reader, at);
	for (size_t i = 0; r == 0 && i < json_array_size(at->value); i++) {
		struct ft_key_at element = ft_key_element(at, i);

		r = ft_name_ranges_read(reader, &element, names);
	}
	return r;
}
