/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "base/json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/json_slip.h"
#include "base/text.h"

static int text_error(const char *text, size_t offset, struct ft_error *err, const char *what)
{
	unsigned int line, column;

	ft_error_position(text, offset, &line, &column);
	return ft_error_set(err, -EINVAL, line, column, "%s", what);
}

/* Messages for texts that jansson refuses, with words of ours for common mistakes. */
static int syntax_error(const char *text, size_t length, const json_error_t *why, struct ft_error *err)
{
	size_t at = why->position > 0 ? (size_t)why->position : 0;
	unsigned int line = 1, column = 1;
	struct ft_json_slip slip;

	if (at > length)
		at = length;
	if (ft_json_slip_find(text, length, at, &slip))
		return text_error(text, slip.offset, err, slip.text);
	/* jansson's position is the byte after the refused token. */
	ft_error_position(text, at, &line, &column);
	if (column > 1 && at > 0)
		column--;
	return ft_error_set(err, -EINVAL, line, column, "%s", why->text);
}

/* Checks for encodings of editors other than JSON's; @mark out: length of a UTF-8 byte order mark. */
static int encoding_check(const char *text, size_t length, size_t *ret_mark, struct ft_error *err)
{
	const char *nul = memchr(text, '\0', length);

	if (length >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0))
		return ft_error_set(err, -EINVAL, 1, 1, "this is UTF-16: save it as UTF-8");
	/* jansson accepts a NUL after a number, and then tree and text would not correspond. */
	if (nul)
		return text_error(text, (size_t)(nul - text), err, "a NUL byte is no part of JSON");
	*ret_mark = ft_text_mark(text, length);
	return 0;
}

int ft_json_read(const char *text, size_t length, struct ft_json *ret_json, struct ft_error *err)
{
	json_error_t why = {0};
	json_t *root;
	size_t mark = 0;
	int r;

	r = encoding_check(text, length, &mark, err);
	if (r < 0)
		return r;
	text += mark;
	length -= mark;
	errno = 0;
	root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &why);
	if (!root) {
		/*
		 * jansson reports few of its failed allocations as such: the others are "invalid token", or nothing at
		 * all.
		 */
		if (json_error_code(&why) == json_error_out_of_memory || errno == ENOMEM || !why.text[0])
			return -ENOMEM;
		return syntax_error(text, length, &why, err);
	}
	*ret_json = (struct ft_json){root, text, length};
	return 0;
}

void ft_json_release(struct ft_json *json)
{
	json_decref(json->root);
	*json = (struct ft_json){0};
}

/* The search for a value's place. The text is known to be the valid JSON of the tree. */
struct place {
	const json_t *parent;
	const char *key;
	size_t index;
	bool want_key;
	bool found;
	size_t offset;
	size_t end; /* of a member's value */
};

/* Loops, not strspn() and strcspn(): under the sanitizers' strict checks these measure the whole rest of the text. */
static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static size_t blank_skip(const char *text, size_t i)
{
	while (is_blank(text[i]))
		i++;
	return i;
}

/* Of a number, true, false or null. */
static size_t word_skip(const char *text, size_t i)
{
	while (text[i] && text[i] != ',' && text[i] != ']' && text[i] != '}' && !is_blank(text[i]))
		i++;
	return i;
}

static size_t string_skip(const char *text, size_t i)
{
	for (i++; text[i] != '"'; i++)
		if (text[i] == '\\')
			i++;
	return i + 1;
}

static void place_set(struct place *place, size_t offset)
{
	if (!place->found)
		place->offset = offset;
	place->found = true;
}

/* Walks text and tree in parallel: jansson keeps the members of an object in the order of the file. */
static size_t value_walk(const char *text, size_t i, const json_t *value, struct place *place)
{
	bool here = value == place->parent;

	if (here && !place->key && place->index == SIZE_MAX)
		place_set(place, i);
	if (json_is_object(value)) {
		const char *key;
		json_t *member;

		i = blank_skip(text, i + 1);
		json_object_foreach((json_t *)value, key, member) {
			bool match = here && place->key && strcmp(key, place->key) == 0;

			if (text[i] == ',')
				i = blank_skip(text, i + 1);
			if (match && place->want_key)
				place_set(place, i);
			i = blank_skip(text, string_skip(text, i));
			i = blank_skip(text, i + 1);
			if (match) {
				struct place nothing = {.index = SIZE_MAX};

				place_set(place, i);
				place->end = value_walk(text, i, member, &nothing);
				return place->end;
			}
			i = blank_skip(text, value_walk(text, i, member, place));
			if (place->found)
				return i;
		}
		return i + 1;
	}
	if (json_is_array(value)) {
		i = blank_skip(text, i + 1);
		for (size_t n = 0; n < json_array_size(value); n++) {
			if (text[i] == ',')
				i = blank_skip(text, i + 1);
			if (here && place->index == n)
				place_set(place, i);
			i = blank_skip(text, value_walk(text, i, json_array_get(value, n), place));
			if (place->found)
				return i;
		}
		return i + 1;
	}
	if (text[i] == '"')
		return string_skip(text, i);
	return word_skip(text, i);
}

static int place_error(const struct ft_json *json, struct ft_error *err, struct place *place, const char *format,
		       va_list args) __attribute__((format(printf, 4, 0)));

static int place_error(const struct ft_json *json, struct ft_error *err, struct place *place, const char *format,
		       va_list args)
{
	unsigned int line = 0, column = 0;
	char text[FT_ERROR_TEXT_SIZE];

	value_walk(json->text, blank_skip(json->text, 0), json->root, place);
	if (place->found)
		ft_error_position(json->text, place->offset, &line, &column);
	vsnprintf(text, sizeof(text), format, args);
	return ft_error_set(err, -EINVAL, line, column, "%s", text);
}

int ft_json_error_key(const struct ft_json *json, struct ft_error *err, const json_t *parent, const char *key,
		      const char *format, ...)
{
	struct place place = {.parent = parent, .key = key, .index = SIZE_MAX, .want_key = true};
	va_list args;
	int r;

	va_start(args, format);
	r = place_error(json, err, &place, format, args);
	va_end(args);
	return r;
}

int ft_json_error_value(const struct ft_json *json, struct ft_error *err, const json_t *parent, const char *key,
			const char *format, ...)
{
	struct place place = {.parent = parent, .key = key, .index = SIZE_MAX};
	va_list args;
	int r;

	va_start(args, format);
	r = place_error(json, err, &place, format, args);
	va_end(args);
	return r;
}

int ft_json_error_element(const struct ft_json *json, struct ft_error *err, const json_t *parent, size_t index,
			  const char *format, ...)
{
	struct place place = {.parent = parent, .index = index};
	va_list args;
	int r;

	va_start(args, format);
	r = place_error(json, err, &place, format, args);
	va_end(args);
	return r;
}

void ft_json_element_lines(const struct ft_json *json, const json_t *array, unsigned int *ret_lines)
{
	struct place first = {.parent = array}, nothing = {.index = SIZE_MAX};
	size_t count = json_array_size(array), i, from = 0;
	unsigned int line = 1;

	value_walk(json->text, blank_skip(json->text, 0), json->root, &first);
	i = first.offset;
	for (size_t n = 0; first.found && n < count; n++) {
		for (; from < i; from++)
			line += json->text[from] == '\n';
		ret_lines[n] = line;
		i = blank_skip(json->text, value_walk(json->text, i, json_array_get(array, n), &nothing));
		i = json->text[i] == ',' ? blank_skip(json->text, i + 1) : i;
	}
}

int ft_json_member_span(const struct ft_json *json, const json_t *parent, const char *key, size_t *ret_start,
			size_t *ret_end)
{
	struct place place = {.parent = parent, .key = key, .index = SIZE_MAX};

	value_walk(json->text, blank_skip(json->text, 0), json->root, &place);
	if (!place.found)
		return -ENOENT;
	*ret_start = place.offset;
	*ret_end = place.end;
	return 0;
}

size_t ft_json_members_end(const struct ft_json *json)
{
	const char *text = json->text;
	size_t end = json->length;

	while (text[end - 1] != '}')
		end--;
	for (end--; is_blank(text[end - 1]); end--)
		;
	return end;
}
