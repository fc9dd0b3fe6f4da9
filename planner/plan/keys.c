/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/plan/keys.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "planner/plan/metric.h"

int ft_key_error(const struct ft_key_reader *reader, const struct ft_key_at *at, const char *format, ...)
{
	char text[FT_ERROR_TEXT_SIZE];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (at->key)
		return ft_json_error_value(&reader->json, reader->err, at->parent, at->key, "\"%s\" %s", at->key, text);
	return ft_json_error_element(&reader->json, reader->err, at->parent, at->index, "element %zu of \"%s\" %s",
				     at->index + 1, at->rule->name, text);
}

const char *ft_key_type_name(const json_t *value)
{
	static const char *const names[] = {
		[JSON_OBJECT] = "an object",
		[JSON_ARRAY] = "a list",
		[JSON_STRING] = "a string",
		[JSON_INTEGER] = "a number",
		[JSON_REAL] = "a number with a fraction",
		[JSON_TRUE] = "true",
		[JSON_FALSE] = "false",
		[JSON_NULL] = "null",
	};

	return names[json_typeof(value)];
}

struct ft_key_at ft_key_element(const struct ft_key_at *list, size_t index)
{
	return (struct ft_key_at){
		.parent = list->value,
		.index = index,
		.value = json_array_get(list->value, index),
		.rule = list->rule,
	};
}

static int unknown_key(const struct ft_key_reader *reader, const json_t *object, const char *word,
		       const struct ft_key *keys, size_t count)
{
	const char *near = ft_text_near(word, keys, count, sizeof(*keys));

	if (near)
		return ft_json_error_key(&reader->json, reader->err, object, word,
					 "unknown key \"%s\"; did you mean \"%s\"?", word, near);
	return ft_json_error_key(&reader->json, reader->err, object, word, "unknown key \"%s\"", word);
}

static int member_read(struct ft_key_reader *reader, const struct ft_key_at *at, size_t count, void *out)
{
	const struct ft_key *keys = at->rule;
	struct ft_key_at member = *at;

	for (size_t i = 0; i < count; i++) {
		if (strcmp(keys[i].name, at->key) != 0)
			continue;
		member.rule = &keys[i];
		return keys[i].read(reader, &member, (char *)out + keys[i].offset);
	}
	return unknown_key(reader, at->parent, at->key, keys, count);
}

int ft_key_read_object(struct ft_key_reader *reader, json_t *object, const struct ft_key *keys, size_t count, void *out)
{
	const char *word;
	json_t *value;

	json_object_foreach(object, word, value) {
		struct ft_key_at at = {.parent = object, .key = word, .value = value, .rule = keys};
		int r = member_read(reader, &at, count, out);

		if (r < 0)
			return r;
	}
	for (size_t i = 0; i < count; i++)
		if (keys[i].missing && !json_object_get(object, keys[i].name))
			return ft_json_error_key(&reader->json, reader->err, object, NULL, "\"%s\" is missing: %s",
						 keys[i].name, keys[i].missing);
	return 0;
}

int ft_key_expect_object(const struct ft_key_reader *reader, const struct ft_key_at *at)
{
	if (json_is_object(at->value))
		return 0;
	return ft_key_error(reader, at, "must be an object, not %s", ft_key_type_name(at->value));
}

int ft_key_expect_filled_list(const struct ft_key_reader *reader, const struct ft_key_at *at)
{
	if (!json_is_array(at->value))
		return ft_key_error(reader, at, "must be a list, not %s", ft_key_type_name(at->value));
	return json_array_size(at->value) > 0 ? 0 : ft_key_error(reader, at, "must not be empty");
}

int ft_key_read_part(struct ft_key_reader *reader, const struct ft_key_at *at, const struct ft_key *keys, size_t count,
		     void *out)
{
	int r;

	r = ft_key_expect_object(reader, at);
	return r < 0 ? r : ft_key_read_object(reader, at->value, keys, count, out);
}

int ft_key_read_elements(struct ft_key_reader *reader, const struct ft_key_at *at,
			 int (*read)(struct ft_key_reader *reader, const struct ft_key_at *at, void *out), size_t size,
			 void *out)
{
	for (size_t i = 0; i < json_array_size(at->value); i++) {
		struct ft_key_at element = ft_key_element(at, i);
		int r = read(reader, &element, (char *)out + i * size);

		if (r < 0)
			return r;
	}
	return 0;
}

int ft_key_read_list(struct ft_key_reader *reader, const struct ft_key_at *at,
		     int (*read)(struct ft_key_reader *reader, const struct ft_key_at *at, void *out), size_t size,
		     void *ret_list, size_t *ret_count)
{
	int r = ft_key_expect_filled_list(reader, at);
	void *list;

	if (r < 0)
		return r;
	list = calloc(json_array_size(at->value), size);
	if (!list)
		return -ENOMEM;
	memcpy(ret_list, &list, sizeof(list));
	*ret_count = json_array_size(at->value);
	return ft_key_read_elements(reader, at, read, size, list);
}

int ft_key_version(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	(void)out;
	if (!json_is_integer(at->value) || json_integer_value(at->value) < 1)
		return ft_key_error(reader, at, "is the version of the format: 1");
	if (json_integer_value(at->value) > 1)
		return ft_key_error(reader, at, "is %lld: a format newer than this program understands (1)",
				    (long long)json_integer_value(at->value));
	return 0;
}

int ft_key_count(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	uint32_t *count = out;
	json_int_t value;

	if (!json_is_integer(at->value))
		return ft_key_error(reader, at, "must be a whole number, not %s", ft_key_type_name(at->value));
	value = json_integer_value(at->value);
	if (value < (json_int_t)at->rule->min || value > (json_int_t)at->rule->max)
		return ft_key_error(reader, at, "is %lld; it must be %u to %u", (long long)value, at->rule->min,
				    at->rule->max);
	*count = (uint32_t)value;
	return 0;
}

int ft_key_bool(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	bool *yes = out;

	if (!json_is_boolean(at->value))
		return ft_key_error(reader, at, "must be true or false, not %s", ft_key_type_name(at->value));
	*yes = json_is_true(at->value);
	return 0;
}

/* A string that is safe to print on a terminal. */
int ft_key_check_string(const struct ft_key_reader *reader, const struct ft_key_at *at)
{
	_cleanup_free_ char *safe = NULL;
	const char *value;

	if (!json_is_string(at->value))
		return ft_key_error(reader, at, "must be a string, not %s", ft_key_type_name(at->value));
	value = json_string_value(at->value);
	if (!*value)
		return ft_key_error(reader, at, "must not be empty");
	if (at->rule->max && strlen(value) > at->rule->max)
		return ft_key_error(reader, at, "is longer than %u bytes", at->rule->max);
	safe = ft_text_safe_dup(value, strlen(value));
	if (!safe)
		return -ENOMEM;
	/* jansson refuses "\u0000" in strings, so the string ends at its NUL. */
	if (strcmp(value, safe) != 0)
		return ft_key_error(reader, at, "holds bytes that are not safe to print: \"%s\"", safe);
	return 0;
}

int ft_key_string(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	char **string = out, *copy;
	int r;

	r = ft_key_check_string(reader, at);
	if (r < 0)
		return r;
	copy = strdup(json_string_value(at->value));
	if (!copy)
		return -ENOMEM;
	free(*string);
	*string = copy;
	return 0;
}

int ft_key_find_word(const struct ft_key_reader *reader, const struct ft_key_at *at, const char *const *words,
		     int *ret_word)
{
	_cleanup_(ft_text_release) struct ft_text list = {0};
	const char *word = json_string_value(at->value);

	if (!word)
		return ft_key_error(reader, at, "must be a string, not %s", ft_key_type_name(at->value));
	for (int i = 0; words[i]; i++) {
		if (strcmp(word, words[i]) == 0) {
			*ret_word = i;
			return 0;
		}
		ft_text_printf(&list, "%s\"%s\"", i == 0 ? "" : words[i + 1] ? ", " : " or ", words[i]);
	}
	return ft_key_error(reader, at, "is \"%s\"; it must be %s", word, ft_text_string(&list));
}

int ft_key_note(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	(void)out;
	if (!json_is_string(at->value))
		return ft_key_error(reader, at, "must be a string, not %s", ft_key_type_name(at->value));
	return 0;
}

int ft_key_notes(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	const char *word;
	json_t *note;
	int r;

	(void)out;
	r = ft_key_expect_object(reader, at);
	if (r < 0)
		return r;
	json_object_foreach(at->value, word, note) {
		if (!json_is_string(note))
			return ft_json_error_value(&reader->json, reader->err, at->value, word,
						   "\"%s\" holds notes: \"%s\" must be a string, not %s", at->key, word,
						   ft_key_type_name(note));
	}
	return 0;
}

/* @value in thousandths; the number of the file is known to be the double next to one of them if there is any. */
static int real_amount(struct ft_key_reader *reader, const struct ft_key_at *at, double value, int64_t *ret_amount)
{
	int64_t amount;

	if (!(value >= 0 && value <= FT_KEY_AMOUNT_MAX))
		return ft_key_error(reader, at, "is %.15g; it must be 0 to %d", value, FT_KEY_AMOUNT_MAX);
	amount = (int64_t)(value * FT_AMOUNT_UNIT + 0.5);
	if ((double)amount / FT_AMOUNT_UNIT != value)
		return ft_key_error(reader, at, "is %.15g; it may have three digits behind the point", value);
	*ret_amount = amount;
	return 0;
}

int ft_key_amount(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	int64_t *amount = out;
	json_int_t value;

	if (json_is_null(at->value)) {
		*amount = FT_AMOUNT_UNKNOWN;
		return 0;
	}
	if (json_is_real(at->value))
		return real_amount(reader, at, json_real_value(at->value), amount);
	if (!json_is_integer(at->value))
		return ft_key_error(reader, at, "must be a number, or null if unknown, not %s",
				    ft_key_type_name(at->value));
	value = json_integer_value(at->value);
	if (value < 0 || value > FT_KEY_AMOUNT_MAX)
		return ft_key_error(reader, at, "is %lld; it must be 0 to %d", (long long)value, FT_KEY_AMOUNT_MAX);
	*amount = (int64_t)value * FT_AMOUNT_UNIT;
	return 0;
}
