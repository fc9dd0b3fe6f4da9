/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Lists of numbers that name things: switches, ports. */
#ifndef FT_BASE_NUMBERS_H
#define FT_BASE_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

/* For qsort(): in ascending order. */
static inline int ft_number_compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
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
 * Two sets become one by parent[ft_number_root(parent, a)] = ft_number_root(parent, b).
 */
static inline uint32_t ft_number_root(uint32_t *parent, uint32_t member)
{
	while (parent[member] != member) {
		parent[member] = parent[parent[member]];
		member = parent[member];
	}
	return member;
}

#endif
