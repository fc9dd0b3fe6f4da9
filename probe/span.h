/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Parts of the lines of a text dump. Nothing here reads beyond the end of a span, so that no NUL is needed there.
 * Private to probe/dump_*.c.
 */
#ifndef FT_PROBE_SPAN_H
#define FT_PROBE_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Part of a line: [at, end). */
struct ft_span {
	const char *at;
	const char *end;
};

static inline bool ft_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static inline void ft_span_skip_blanks(struct ft_span *s)
{
	while (s->at < s->end && ft_is_blank(*s->at))
		s->at++;
}

/* Advances past it if it is next; else false. */
static inline bool ft_span_skip_char(struct ft_span *s, char c)
{
	if (s->at == s->end || *s->at != c)
		return false;
	s->at++;
	return true;
}

static inline bool ft_span_skip_string(struct ft_span *s, const char *string)
{
	size_t length = strlen(string);

	if ((size_t)(s->end - s->at) < length || memcmp(s->at, string, length) != 0)
		return false;
	s->at += length;
	return true;
}

/* NULL if it is absent. */
static inline const char *ft_span_find(const struct ft_span *s, char c)
{
	return s->at < s->end ? memchr(s->at, c, (size_t)(s->end - s->at)) : NULL;
}

/* Up to the next blank; empty where there is nothing left. */
static inline struct ft_span ft_span_word(struct ft_span *s)
{
	struct ft_span word;

	ft_span_skip_blanks(s);
	word.at = s->at;
	while (s->at < s->end && !ft_is_blank(*s->at))
		s->at++;
	word.end = s->at;
	return word;
}

/* A decimal number; values beyond @max become @max + 1. False if there is none. */
static inline bool ft_span_number(struct ft_span *s, unsigned int max, unsigned int *ret_number)
{
	unsigned int number = 0;
	const char *start = s->at;

	for (; s->at < s->end && *s->at >= '0' && *s->at <= '9'; s->at++)
		if (number <= max)
			number = number * 10 + (unsigned int)(*s->at - '0');
	if (s->at == start)
		return false;
	*ret_number = number > max ? max + 1 : number;
	return true;
}

/*
 * The value of a hexadecimal digit, or 16. Digits of GUIDs are half of a dump, and isxdigit() consults the locale for
 * each.
 */
static inline unsigned int ft_hex_digit(char c)
{
	unsigned int digit = (unsigned int)(unsigned char)c - '0', letter = ((unsigned char)c | 0x20U) - 'a';

	return digit <= 9 ? digit : letter <= 5 ? letter + 10 : 16;
}

/* A hexadecimal number of at most 64 bits, with or without 0x. False if there is none, or a longer one. */
static inline bool ft_span_hex(struct ft_span *s, uint64_t *ret_number)
{
	uint64_t number = 0;
	unsigned int digit;
	const char *start;

	if (s->end - s->at > 2 && s->at[0] == '0' && (s->at[1] | 0x20) == 'x')
		s->at += 2;
	start = s->at;
	for (; s->at < s->end && (digit = ft_hex_digit(*s->at)) < 16; s->at++) {
		if (number >> 60)
			return false;
		number = number << 4 | digit;
	}
	if (s->at == start)
		return false;
	*ret_number = number;
	return true;
}

static inline void ft_span_trim(struct ft_span *s)
{
	ft_span_skip_blanks(s);
	while (s->end > s->at && ft_is_blank(s->end[-1]))
		s->end--;
}

#endif
