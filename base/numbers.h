/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Numbers that name things: switches, ports; and lists of them. */
#ifndef FT_BASE_NUMBERS_H
#define FT_BASE_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

/* Of what has a number, as an index: none, not known, or not said. */
#define FT_NONE UINT32_MAX

/*
 * The order of two values for qsort(): negative, 0 or positive. By several keys, the first that differs decides:
 * FT_ORDER(a->guid, b->guid) ?: FT_ORDER(a->port, b->port).
 */
#define FT_ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/* For qsort(): in ascending order. */
static inline int ft_number_compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return FT_ORDER(x, y);
}

static inline uint32_t ft_number_least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static inline uint32_t ft_number_most(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* a / b, rounded up. Takes any a: a + b - 1 could be too much for 32 bits. */
static inline uint32_t ft_number_divide_up(uint32_t a, uint32_t b)
{
	return a / b + (a % b != 0);
}

/* The greatest common divisor of two numbers that are not negative (Euclid). */
static inline int64_t ft_number_divisor(int64_t a, int64_t b)
{
	while (b > 0) {
		int64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* The difference, whichever is the greater. */
static inline uint32_t ft_number_apart(uint32_t a, uint32_t b)
{
	return a > b ? a - b : b - a;
}

/* O(count). */
static inline bool ft_number_is_among(const uint32_t *list, uint32_t count, uint32_t number)
{
	for (uint32_t i = 0; i < count; i++)
		if (list[i] == number)
			return true;
	return false;
}

/*
 * The member that stands for the whole set of @member: a union-find with path halving, by member its parent, or itself.
 * Two sets become one by ft_number_join(), or by parent[ft_number_root(parent, a)] = ft_number_root(parent, b).
 */
static inline uint32_t ft_number_root(uint32_t *parent, uint32_t member)
{
	while (parent[member] != member) {
		parent[member] = parent[parent[member]];
		member = parent[member];
	}
	return member;
}

/* Makes one set of two. The lowest member stands for a set that is joined in no other way. */
static inline void ft_number_join(uint32_t *parent, uint32_t a, uint32_t b)
{
	uint32_t x = ft_number_root(parent, a), y = ft_number_root(parent, b);

	parent[x > y ? x : y] = x > y ? y : x;
}

/* @count sets of one member each. */
static inline void ft_number_begin(uint32_t *parent, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		parent[i] = i;
}

/* Replaces each parent by the number of the set, from 0 in the order of the lowest members. Returns how many there are.
 */
static inline uint32_t ft_number_sets(uint32_t *parent, uint32_t count)
{
	uint32_t sets = 0;

	/* Parents are lower than their members, so their sets have their numbers already. */
	for (uint32_t i = 0; i < count; i++)
		parent[i] = parent[i] == i ? sets++ : parent[parent[i]];
	return sets;
}

#endif
