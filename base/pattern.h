/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Patterns of the user's for untrusted names: extended regular expressions of POSIX, and Perl's additions to them, by
 * PCRE2. The C library's regcomp() takes exponential time and memory for some short patterns; here both compiling and
 * matching are bounded, whatever the pattern and the name.
 */
#ifndef FT_BASE_PATTERN_H
#define FT_BASE_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum {
	FT_PATTERN_SIZE_MAX = 256,
	FT_PATTERN_SAMPLE_SIZE = 64, /* room for any name of ft_pattern_sample() */
};

struct ft_pattern;
struct ft_text;

/*
 * Compiles @text, which is at most FT_PATTERN_SIZE_MAX bytes. Names are bytes, not characters: "." is any one byte, and
 * "$" is the end of the name only. Parentheses do not capture, so that there are no back references.
 *
 * @ret_pattern  out: the caller frees it. Untouched on failure.
 * @err          on -EINVAL its text is the reason (NULL is fine); it has no line: the caller knows the place
 *
 * Returns 0, -EINVAL (no regular expression, or one that is too long, too deeply nested or too large) or -ENOMEM.
 */
int ft_pattern_compile(const char *text, struct ft_pattern **ret_pattern, struct ft_error *err);

/* The same, and parentheses capture: for ft_pattern_rewrite() and ft_pattern_find(). Also -EINVAL for more than nine of
 * them. */
int ft_pattern_compile_capturing(const char *text, struct ft_pattern **ret_pattern, struct ft_error *err);

/*
 * Rewrites a name that @pattern (ft_pattern_compile_capturing()) matches: @form, in which \1 to \9 stand for what the
 * parentheses captured (nothing, where they took no part) and \\ for a backslash.
 *
 * @text  it is added to this; untouched unless 1 is returned, or memory ran out
 *
 * Returns 1, 0 where the pattern does not match, or -ENOMEM.
 */
int ft_pattern_rewrite(const struct ft_pattern *pattern, const char *bytes, size_t length, const char *form,
		       struct ft_text *text);

/*
 * Whether @form has nothing but \1 to \N behind its backslashes, N the number of parentheses of @pattern, and \\.
 */
bool ft_pattern_takes_form(const struct ft_pattern *pattern, const char *form);

/*
 * Does @pattern match anywhere in the @length bytes? Safe from several threads at once.
 *
 * The search is limited in steps; only nested repetitions, such as (x+x+)+[yz] on a name of many x, or many repetitions
 * in a row reach the limit. Then there is no match.
 *
 * Returns 1, 0 or -ENOMEM.
 */
int ft_pattern_matches(const struct ft_pattern *pattern, const char *bytes, size_t length);

/*
 * Where @pattern matches: the capture of its first pair of parentheses, if it is from ft_pattern_compile_capturing()
 * and they took part in the match, else the whole match.
 *
 * @ret_start, @ret_end  out: bytes from the first up to, not including, the last. Untouched unless 1 is returned.
 * Returns 1, 0 (no match, as ft_pattern_matches()) or -ENOMEM.
 */
int ft_pattern_find(const struct ft_pattern *pattern, const char *bytes, size_t length, size_t *ret_start,
		    size_t *ret_end);

/* The text that it was compiled from; owned by the pattern. */
const char *ft_pattern_text(const struct ft_pattern *pattern);

/*
 * Generates a name that @text matches, of printable ASCII without a quote or an equals sign and at most 63 bytes long.
 * Names for different numbers differ: the last run of digits that the pattern leaves open is @number, with leading
 * zeros if it must be longer; so are earlier ones, if they have room. If the pattern leaves none open, and is not
 * anchored at the end, the number is appended.
 *
 * Extended regular expressions are understood, with \d, \w, \s and "(?:", but no other addition of Perl's. Of the
 * alternatives of a pattern, the first 64 are tried.
 *
 * @buffer  out: the name, of @size bytes with its NUL. Untouched on failure.
 *
 * Returns 0, -EINVAL (no pattern, not understood, no room for the number, or no name found) or -ENOMEM.
 */
int ft_pattern_sample(const char *text, uint32_t number, char *buffer, size_t size);

void ft_pattern_free(struct ft_pattern *pattern);
static inline void ft_pattern_freep(struct ft_pattern **pattern)
{
	ft_pattern_free(*pattern);
}

#endif
