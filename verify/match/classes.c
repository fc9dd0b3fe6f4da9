/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "verify/match/classes.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/numbers.h"

/*
 * The transportation problem, by successive shortest augmenting paths over classes. Items
 * enter one by one; the cheapest chain of moves between classes makes room for each. Invariant: the assignment of the
 * items so far is the cheapest one. O(n^2 k) while chains are short.
 */
int ft_classes_assign(const struct ft_choice *r, const uint32_t *capacity, uint32_t *ret_class)
{
	uint32_t n = r->count, k = r->class_count;
	_cleanup_free_ uint32_t *left = malloc((k + 1UL) * sizeof(*left));
	_cleanup_free_ uint32_t *before = malloc((k + 1UL) * sizeof(*before));
	_cleanup_free_ uint32_t *mover = malloc((k + 1UL) * sizeof(*mover));
	_cleanup_free_ int64_t *price = malloc((k + 1UL) * sizeof(*price));

	if (!left || !before || !mover || !price)
		return -ENOMEM;
	memcpy(left, capacity, k * sizeof(*left));
	for (uint32_t i = 0; i < n; i++) {
		uint32_t to = FT_NONE;
		bool cheaper = true;

		for (uint32_t c = 0; c < k; c++) {
			price[c] = r->cost[(size_t)i * k + c];
			before[c] = FT_NONE;
			mover[c] = i;
		}
		/* Bellman-Ford: moves may have negative costs. */
		for (uint32_t round = 0; cheaper && round < k; round++) {
			cheaper = false;
			for (uint32_t j = 0; j < i; j++)
				for (uint32_t c = 0; c < k; c++) {
					uint32_t from = ret_class[j];
					int64_t moved = price[from] + r->cost[(size_t)j * k + c] -
							r->cost[(size_t)j * k + from];

					if (c == from || capacity[c] == 0 || moved >= price[c])
						continue;
					price[c] = moved;
					before[c] = from;
					mover[c] = j;
					cheaper = true;
				}
		}
		for (uint32_t c = 0; c < k; c++)
			if (left[c] > 0 && (to == FT_NONE || price[c] < price[to]))
				to = c;
		left[to]--;
		while (to != FT_NONE) {
			ret_class[mover[to]] = to;
			to = before[to];
		}
	}
	return 0;
}
