/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "base/subsets.h"

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
