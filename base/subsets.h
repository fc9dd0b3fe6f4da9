/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Subsets of a given size, of numbers from 0 on. Their members are in ascending order. */
#ifndef FT_BASE_SUBSETS_H
#define FT_BASE_SUBSETS_H

#include <stdbool.h>
#include <stdint.h>

/* How many there are, UINT64_MAX if that cannot be counted exactly; about as many in any case. */
uint64_t ft_subsets_count(uint32_t of, uint32_t count, double *ret_about);

/* These numbers in words: "27720", "8.1e12". */
enum { FT_SUBSETS_WORDS_SIZE = 32 };
const char *ft_subsets_words(uint64_t exact, double about, char buffer[FT_SUBSETS_WORDS_SIZE]);

/* The first one, and the one after @members in lexical order; false: it was the last. */
void ft_subset_first(uint32_t *members, uint32_t count);
bool ft_subset_next(uint32_t *members, uint32_t count, uint32_t of);

/* One at random, all alike. @random: the state of base/chance.h. */
void ft_subset_draw(uint32_t *members, uint32_t count, uint32_t of, uint64_t *random);

/* What a number of a subset is worth. */
struct ft_worth {
	uint64_t worth;
	uint32_t number;
};

/* The @count of the @of in @list that are worth most, of equal ones the lowest. Changes the order of @list. O(of) for
 * few. */
void ft_subset_worthiest(struct ft_worth *list, uint32_t of, uint32_t count, uint32_t *ret_members);

#endif
