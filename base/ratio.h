/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Exact ratios. Blocking factors are rationals: in floating point 24 ports at 1.4:1, 72 at 3.8:1 and 108 at 1.7:1
 * come out one port wrong.
 */
#ifndef FT_BASE_RATIO_H
#define FT_BASE_RATIO_H

#include <stddef.h>
#include <stdint.h>

struct ft_text;

/* @num / @den, in lowest terms, @den > 0. Both stay within 10^9, so that products of two fit an int64_t. */
struct ft_ratio {
	int64_t num;
	int64_t den;
};

/* Lowest terms of @num / @den. Returns 0, or -ERANGE if @den is 0 or a term is negative or beyond 10^9. */
int ft_ratio_make(int64_t num, int64_t den, struct ft_ratio *ret_ratio);

/*
 * Reads "3:1", "2.6:1", "2.6", "18". Nothing else may follow. Decimals are read exactly: 2.6 is 13/5.
 * Returns 0, -EINVAL (not of that form) or -ERANGE (too large or too precise, or a denominator of 0).
 */
int ft_ratio_parse(const char *string, struct ft_ratio *ret_ratio);

/* <0, 0, >0 as @a is less than, equal to or greater than @b. */
int ft_ratio_compare(struct ft_ratio a, struct ft_ratio b);

/*
 * Adds the ratio as an exact JSON value: a number if the decimal is finite (1, 3.5), else a string in the form of the
 * design file ("7:3").
 */
void ft_ratio_add_json(struct ft_text *text, struct ft_ratio ratio);

/*
 * Reads such a number: it may have thirty digits, more than a double holds or ft_ratio_parse() takes. Returns 0 or
 * -EINVAL.
 */
int ft_ratio_read_json(const char *text, size_t length, struct ft_ratio *ret_ratio);

/* Adds it for text output and for CSV: "1", "3.5", "7:3". */
void ft_ratio_add(struct ft_text *text, struct ft_ratio ratio);

#endif
