/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "base/pattern.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/cleanup.h"
#include "base/text.h"

/*
 * Far beyond what a pattern for node descriptions needs. PCRE2 counts steps separately for each start of a match, and
 * expands the repetitions of a group; one step may walk through all of them. So steps times size bounds the time, to
 * some 30 ms on a name of 64 bytes at the worst. Two ".*" in a row take 2000 steps on such a name.
 */
enum {
	NEST_MAX = 32,
	COMPILED_SIZE_MAX = 4 << 10,
	WORK_MAX = 1 << 20, /* bytes of the compiled pattern, times steps */
	STEPS_MAX = 4000,
	DEPTH_MAX = 2000,
	HEAP_MAX_KIB = 512,
	CAPTURES_MAX = 9, /* one digit behind a backslash */
};

/* Matches bytes, even if the pattern requests "(*UTF)". */
static const uint32_t options =
	PCRE2_DOLLAR_ENDONLY | PCRE2_DOTALL | PCRE2_NEVER_BACKSLASH_C | PCRE2_NEVER_UCP | PCRE2_NEVER_UTF;

struct ft_pattern {
	pcre2_code *code;
	pcre2_match_context *limits;
	char *text;
};

/* PCRE2 allocates by the program's malloc(), so that the tests can make it fail. */
static void *memory_get(size_t size, void *unused)
{
	(void)unused;
	return malloc(size);
}

static void memory_put(void *memory, void *unused)
{
	(void)unused;
	free(memory);
}

static void general_freep(pcre2_general_context **context)
{
	pcre2_general_context_free(*context);
}

static void compile_freep(pcre2_compile_context **context)
{
	pcre2_compile_context_free(*context);
}

static void match_freep(pcre2_match_data **data)
{
	pcre2_match_data_free(*data);
}

void ft_pattern_free(struct ft_pattern *pattern)
{
	if (!pattern)
		return;
	pcre2_code_free(pattern->code);
	pcre2_match_context_free(pattern->limits);
	free(pattern->text);
	free(pattern);
}

const char *ft_pattern_text(const struct ft_pattern *pattern)
{
	return pattern->text;
}

static int code_compile(const char *text, uint32_t more_options, pcre2_general_context *memory, pcre2_code **ret_code,
			struct ft_error *err)
{
	_cleanup_(compile_freep) pcre2_compile_context *context = pcre2_compile_context_create(memory);
	PCRE2_UCHAR why[128];
	PCRE2_SIZE offset;
	int code;

	if (!context)
		return -ENOMEM;
	pcre2_set_parens_nest_limit(context, NEST_MAX);
	pcre2_set_max_pattern_length(context, FT_PATTERN_SIZE_MAX);
	*ret_code = pcre2_compile((PCRE2_SPTR)text, strlen(text), options | more_options, &code, &offset, context);
	if (*ret_code)
		return 0;
	if (code == PCRE2_ERROR_HEAP_FAILED)
		return -ENOMEM;
	pcre2_get_error_message(code, why, sizeof(why));
	return ft_error_set(err, -EINVAL, 0, 0, "%s", (const char *)why);
}

static int limits_create(pcre2_general_context *memory, size_t size, pcre2_match_context **ret_limits)
{
	size_t steps = WORK_MAX / size;

	*ret_limits = pcre2_match_context_create(memory);
	if (!*ret_limits)
		return -ENOMEM;
	pcre2_set_match_limit(*ret_limits, steps < STEPS_MAX ? (uint32_t)steps : STEPS_MAX);
	pcre2_set_depth_limit(*ret_limits, DEPTH_MAX);
	pcre2_set_heap_limit(*ret_limits, HEAP_MAX_KIB);
	return 0;
}

static int compile(const char *text, uint32_t more_options, struct ft_pattern **ret_pattern, struct ft_error *err)
{
	_cleanup_(general_freep) pcre2_general_context *memory =
		pcre2_general_context_create(memory_get, memory_put, NULL);
	_cleanup_(ft_pattern_freep) struct ft_pattern *pattern = calloc(1, sizeof(*pattern));
	size_t size = COMPILED_SIZE_MAX + 1;
	int r;

	if (!memory || !pattern)
		return -ENOMEM;
	pattern->text = strdup(text);
	if (!pattern->text)
		return -ENOMEM;
	r = code_compile(text, more_options, memory, &pattern->code, err);
	if (r < 0)
		return r;
	pcre2_pattern_info(pattern->code, PCRE2_INFO_SIZE, &size);
	if (size > COMPILED_SIZE_MAX)
		return ft_error_set(err, -EINVAL, 0, 0, "regular expression is too large");
	r = limits_create(memory, size, &pattern->limits);
	if (r < 0)
		return r;
	*ret_pattern = FT_STEAL(pattern);
	return 0;
}

int ft_pattern_compile(const char *text, struct ft_pattern **ret_pattern, struct ft_error *err)
{
	return compile(text, PCRE2_NO_AUTO_CAPTURE, ret_pattern, err);
}

static uint32_t capture_count(const struct ft_pattern *pattern)
{
	uint32_t count = 0;

	pcre2_pattern_info(pattern->code, PCRE2_INFO_CAPTURECOUNT, &count);
	return count;
}

int ft_pattern_compile_capturing(const char *text, struct ft_pattern **ret_pattern, struct ft_error *err)
{
	_cleanup_(ft_pattern_freep) struct ft_pattern *pattern = NULL;
	int r;

	r = compile(text, 0, &pattern, err);
	if (r < 0)
		return r;
	if (capture_count(pattern) > CAPTURES_MAX)
		return ft_error_set(err, -EINVAL, 0, 0, "more than %d parentheses capture", CAPTURES_MAX);
	*ret_pattern = FT_STEAL(pattern);
	return 0;
}

bool ft_pattern_takes_form(const struct ft_pattern *pattern, const char *form)
{
	uint32_t count = capture_count(pattern);

	for (; *form; form++) {
		if (*form != '\\')
			continue;
		form++;
		if (*form != '\\' && (*form < '1' || *form > '9' || (uint32_t)(*form - '0') > count))
			return false;
	}
	return true;
}

/* @ends: two offsets for each capture, from the second pair on; unset if it did not match. */
static void form_fill(const char *form, const char *bytes, const PCRE2_SIZE *ends, uint32_t pairs, struct ft_text *text)
{
	for (; *form; form++) {
		uint32_t capture;

		if (*form != '\\' || !form[1]) {
			ft_text_add(text, form, 1);
			continue;
		}
		form++;
		capture = (uint32_t)(*form - '0');
		if (*form == '\\')
			ft_text_add(text, form, 1);
		else if (capture < pairs && ends[2 * capture] != PCRE2_UNSET &&
			 ends[2 * capture] < ends[2 * capture + 1])
			ft_text_add(text, bytes + ends[2 * capture], ends[2 * capture + 1] - ends[2 * capture]);
	}
}

/* The number of pairs of offsets in @data, including the whole match; 0: no match; or -ENOMEM. */
static int pattern_match(const struct ft_pattern *pattern, const char *bytes, size_t length, pcre2_match_data *data)
{
	int r;

	if (!data)
		return -ENOMEM;
	r = pcre2_match(pattern->code, (PCRE2_SPTR)bytes, length, 0, 0, data, pattern->limits);
	if (r == PCRE2_ERROR_NOMEMORY)
		return -ENOMEM;
	return r > 0 ? r : 0;
}

int ft_pattern_find(const struct ft_pattern *pattern, const char *bytes, size_t length, size_t *ret_start,
		    size_t *ret_end)
{
	_cleanup_(match_freep) pcre2_match_data *data = pcre2_match_data_create_from_pattern(pattern->code, NULL);
	const PCRE2_SIZE *at;
	int r;

	r = pattern_match(pattern, bytes, length, data);
	if (r <= 0)
		return r;
	at = pcre2_get_ovector_pointer(data);
	if (r > 1 && at[2] != PCRE2_UNSET)
		at += 2;
	/* "\K" in a lookahead can put the start after the end. */
	*ret_start = at[0];
	*ret_end = at[1] > at[0] ? at[1] : at[0];
	return 1;
}

int ft_pattern_rewrite(const struct ft_pattern *pattern, const char *bytes, size_t length, const char *form,
		       struct ft_text *text)
{
	_cleanup_(match_freep) pcre2_match_data *data = pcre2_match_data_create_from_pattern(pattern->code, NULL);
	int r;

	r = pattern_match(pattern, bytes, length, data);
	if (r <= 0)
		return r;
	form_fill(form, bytes, pcre2_get_ovector_pointer(data), pcre2_get_ovector_count(data), text);
	return ft_text_failed(text) ? -ENOMEM : 1;
}

int ft_pattern_matches(const struct ft_pattern *pattern, const char *bytes, size_t length)
{
	_cleanup_(match_freep) pcre2_match_data *data = pcre2_match_data_create_from_pattern(pattern->code, NULL);
	int r;

	r = pattern_match(pattern, bytes, length, data);
	return r > 0 ? 1 : r;
}
