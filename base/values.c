/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The general kinds of values in JSON by tables (members.h): how each is read, and how it is written. */
#include "config.h"

#include "base/members.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/moment.h"
#include "base/ratio.h"

/* ---- numbers ---- */

static int count_read(FT_VALUE_PARSED)
{
	if (!json_is_integer(value) || json_integer_value(value) < 0 || json_integer_value(value) > UINT32_MAX)
		return -EINVAL;
	*(uint32_t *)to = (uint32_t)json_integer_value(value);
	return 0;
}

static void count_write(FT_VALUE_ADDED)
{
	ft_text_printf(t, "%u", *(const uint32_t *)from);
}

static bool count_is_set(const void *from)
{
	return *(const uint32_t *)from != 0;
}

const struct ft_value_kind ft_value_count = {
	count_read, count_write, count_is_set, "a whole number from 0 to 4294967295", NULL, 0};

static int pairs_read(FT_VALUE_PARSED)
{
	if (!json_is_integer(value) || json_integer_value(value) < 0)
		return -EINVAL;
	*(uint64_t *)to = (uint64_t)json_integer_value(value);
	return 0;
}

static void pairs_write(FT_VALUE_ADDED)
{
	ft_text_printf(t, "%" PRIu64, *(const uint64_t *)from);
}

const struct ft_value_kind ft_value_pair_count = {pairs_read, pairs_write, NULL, "a whole number", NULL, 0};

static int truth_read(FT_VALUE_PARSED)
{
	if (!json_is_boolean(value))
		return -EINVAL;
	*(bool *)to = json_is_true(value);
	return 0;
}

static void truth_write(FT_VALUE_ADDED)
{
	ft_text_puts(t, *(const bool *)from ? "true" : "false");
}

static bool truth_is_set(const void *from)
{
	return *(const bool *)from;
}

const struct ft_value_kind ft_value_truth = {truth_read, truth_write, truth_is_set, "true or false", NULL, 0};

static int ratio_read(FT_VALUE_PARSED)
{
	const char *string = json_string_value(value);
	size_t start, end;

	if (string)
		return ft_ratio_parse(string, to) < 0 ? -EINVAL : 0;
	if (!json_is_number(value) || ft_json_member_span(at->json, at->parent, at->key, &start, &end) < 0)
		return -EINVAL;
	return ft_ratio_read_json(at->json->text + start, end - start, to);
}

static void ratio_write(FT_VALUE_ADDED)
{
	ft_ratio_add_json(t, *(const struct ft_ratio *)from);
}

static bool ratio_is_set(const void *from)
{
	return ((const struct ft_ratio *)from)->den > 0;
}

const struct ft_value_kind ft_value_ratio = {
	ratio_read, ratio_write, ratio_is_set, "a number, or a ratio such as \"7:3\"", NULL, 0};

enum { MILLION = 1000000 };

/* Six decimals are written, so rounding a double restores them. */
static int fraction_read(FT_VALUE_PARSED)
{
	double fraction = json_number_value(value);

	if (!json_is_number(value) || !(fraction >= 0 && fraction <= 1))
		return -EINVAL;
	return ft_ratio_make((int64_t)(fraction * MILLION + 0.5), MILLION, to) < 0 ? -EINVAL : 0;
}

/* Not a count that must be exact: any number is accepted. */
static void fraction_write(FT_VALUE_ADDED)
{
	const struct ft_ratio *ratio = from;
	int64_t millionths = ratio->den > 0 ? ratio->num * MILLION / ratio->den : 0;

	ft_text_printf(t, "%" PRId64 ".%06" PRId64, millionths / MILLION, millionths % MILLION);
}

static bool fraction_is_set(const void *from)
{
	return ((const struct ft_ratio *)from)->num > 0;
}

const struct ft_value_kind ft_value_fraction = {fraction_read,		fraction_write, fraction_is_set,
						"a number from 0 to 1", NULL,		0};

/* ---- strings ---- */

/* The text came from a socket, and may not have been made safe. */
static int string_read(FT_VALUE_PARSED)
{
	char *safe;

	if (!json_is_string(value))
		return -EINVAL;
	safe = ft_arena_safe(at->memory, json_string_value(value), json_string_length(value));
	*(char **)to = safe;
	return safe ? 0 : -ENOMEM;
}

/* NULL: null. */
void ft_value_string_add(FT_VALUE_ADDED)
{
	const char *string = *(char *const *)from;

	if (string)
		ft_text_add_json(t, string);
	else
		ft_text_puts(t, "null");
}

static bool string_is_set(const void *from)
{
	return *(char *const *)from != NULL;
}

const struct ft_value_kind ft_value_string = {string_read, ft_value_string_add, string_is_set, "a string", NULL, 0};

static int string_or_null_read(FT_VALUE_PARSED)
{
	return json_is_null(value) ? 0 : string_read(kind, at, value, to);
}

const struct ft_value_kind ft_value_string_or_null = {
	string_or_null_read, ft_value_string_add, string_is_set, "null or a string", NULL, 0};

static bool is_hex(const char *string, size_t length)
{
	return strlen(string) == length && strspn(string, "0123456789abcdef") == length;
}

/* A string within the struct; "": it is not set. */
void ft_value_array_add(FT_VALUE_ADDED)
{
	ft_text_add_json(t, from);
}

bool ft_value_array_is_set(const void *from)
{
	return *(const char *)from != '\0';
}

static int sha256_read(FT_VALUE_PARSED)
{
	enum { DIGITS = 64 };
	const char *string = json_string_value(value);

	if (!string || !is_hex(string, DIGITS))
		return -EINVAL;
	memcpy(to, string, DIGITS + 1);
	return 0;
}

const struct ft_value_kind ft_value_sha256 = {
	sha256_read, ft_value_array_add, ft_value_array_is_set, "64 hexadecimal digits", NULL, 0};

static int guid_read(FT_VALUE_PARSED)
{
	const char *string = json_string_value(value);

	if (json_is_null(value))
		return 0;
	if (!string || strncmp(string, "0x", 2) != 0 || !is_hex(string + 2, 16))
		return -EINVAL;
	*(uint64_t *)to = strtoull(string + 2, NULL, 16);
	return 0;
}

static void guid_write(FT_VALUE_ADDED)
{
	uint64_t guid = *(const uint64_t *)from;

	if (guid)
		ft_text_printf(t, "\"0x%016" PRIx64 "\"", guid);
	else
		ft_text_puts(t, "null");
}

const struct ft_value_kind ft_value_guid = {
	guid_read, guid_write, NULL, "null or a GUID such as \"0x0002c90200404730\"", NULL, 0};

static int time_read(FT_VALUE_PARSED)
{
	const char *string = json_string_value(value);
	char again[FT_TIME_SIZE];
	struct tm tm = {0};
	int64_t time_s;

	if (!string || !strptime(string, "%Y-%m-%dT%H:%M:%SZ", &tm))
		return -EINVAL;
	time_s = (int64_t)timegm(&tm);
	/* strptime() accepts more than RFC 3339: blanks, single digits, the thirty-first of February. */
	if (ft_time_string(time_s, again) < 0 || strcmp(again, string) != 0)
		return -EINVAL;
	*(int64_t *)to = time_s;
	return 0;
}

static void time_write(FT_VALUE_ADDED)
{
	char buffer[FT_TIME_SIZE];

	if (ft_time_string(*(const int64_t *)from, buffer) == 0)
		ft_text_printf(t, "\"%s\"", buffer);
	else
		ft_text_puts(t, "null");
}

const struct ft_value_kind ft_value_time = {time_read, time_write, NULL, "a time such as \"2026-11-20T12:00:00Z\"",
					    NULL,      0};

/* ---- words: of enumerations, by number ---- */

int ft_value_word_find(const struct ft_value_kind *kind, const json_t *value, unsigned int *ret_index)
{
	const char *string = json_string_value(value);

	for (unsigned int i = 0; string && i < kind->words; i++)
		if (strcmp(kind->word(i), string) == 0) {
			*ret_index = i;
			return 0;
		}
	return -EINVAL;
}

int ft_value_word_parse(FT_VALUE_PARSED)
{
	return ft_value_word_find(kind, value, to);
}

void ft_value_word_add(FT_VALUE_ADDED)
{
	ft_text_add_json(t, kind->word(*(const unsigned int *)from));
}

/* ---- words kept as strings ---- */

int ft_value_name_parse(FT_VALUE_PARSED)
{
	unsigned int index;

	if (ft_value_word_find(kind, value, &index) < 0)
		return -EINVAL;
	*(const char **)to = kind->word(index);
	return 0;
}
