/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "base/subsets.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/chance.h"
#include "base/numbers.h"

uint64_t ft_subsets_count(uint32_t of, uint32_t count, double *ret_about)
{
	uint64_t ways = 1;
	bool exact = true;
	double about = 1;

	for (uint32_t i = 1; i <= count; i++) {
		about = about * (of - count + i) / i;
		if (exact && ways > UINT64_MAX / of)
			exact = false;
		else if (exact)
			ways = ways * (of - count + i) / i;
	}
	*ret_about = about;
	return exact ? ways : UINT64_MAX;
}

void ft_subset_first(uint32_t *members, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		members[i] = i;
}

bool ft_subset_next(uint32_t *members, uint32_t count, uint32_t of)
{
	uint32_t i = count;

	while (i > 0 && members[i - 1] == of - count + i - 1)
		i--;
	if (i == 0)
		return false;
	members[i - 1]++;
	for (; i < count; i++)
		members[i] = members[i - 1] + 1;
	return true;
}

/* R. Floyd's algorithm. */
void ft_subset_draw(uint32_t *members, uint32_t count, uint32_t of, uint64_t *random)
{
	uint32_t drawn = 0;

	for (uint32_t top = of - count; top < of; top++) {
		uint32_t pick = (uint32_t)(((__uint128_t)ft_chance_next(random) * (top + 1UL)) >> 64);

		members[drawn] = ft_number_is_among(members, drawn, pick) ? top : pick;
		drawn++;
	}
	qsort(members, count, sizeof(*members), ft_number_compare);
}

static int worth_compare(const void *a, const void *b)
{
	const struct ft_worth *x = a, *y = b;

	return FT_ORDER(y->worth, x->worth) ?: FT_ORDER(x->number, y->number);
}

/* Partial sort: the first @count in order; the others in any order. */
static void worthiest_first(struct ft_worth *list, uint32_t of, uint32_t count)
{
	enum { FEW = 8 };

	if (count > FEW) {
		qsort(list, of, sizeof(*list), worth_compare);
		return;
	}
	for (uint32_t i = 0; i < of; i++) {
		struct ft_worth one = list[i];
		uint32_t at = i < count ? i : count;

		if (i >= count && worth_compare(&one, &list[count - 1]) >= 0)
			continue;
		if (i >= count) {
			list[i] = list[count - 1];
			at = count - 1;
		}
		for (; at > 0 && worth_compare(&one, &list[at - 1]) < 0; at--)
			list[at] = list[at - 1];
		list[at] = one;
	}
}

void ft_subset_worthiest(struct ft_worth *list, uint32_t of, uint32_t count, uint32_t *ret_members)
{
	worthiest_first(list, of, count);
	for (uint32_t i = 0; i < count; i++)
		ret_members[i] = list[i].number;
	qsort(ret_members, count, sizeof(*ret_members), ft_number_compare);
}

const char *ft_subsets_words(uint64_t exact, double about, char buffer[FT_SUBSETS_WORDS_SIZE])
{
	unsigned int exponent = 0;

	if (exact < 1000000) {
		snprintf(buffer, FT_SUBSETS_WORDS_SIZE, "%" PRIu64, exact);
		return buffer;
	}
	for (; about >= 9.95; about /= 10)
		exponent++;
	snprintf(buffer, FT_SUBSETS_WORDS_SIZE, "%.1fe%u", about, exponent);
	return buffer;
}
