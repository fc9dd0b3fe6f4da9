/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The transportation problem: items to classes that take several each. Exact, and fast where classes are few. */
#ifndef FT_VERIFY_MATCH_CLASSES_H
#define FT_VERIFY_MATCH_CLASSES_H

#include <stdint.h>

/* Items to assign to classes, and the cost of each item in each class. */
struct ft_choice {
	const int64_t *cost; /* [count][class_count] */
	uint32_t count, class_count;
};

/*
 * Assigns each item a class with the least sum of costs. A class takes @capacity[class] items; together the classes
 * have room for all. Returns 0 or -ENOMEM. @ret_class is all 0 on entry.
 */
int ft_classes_assign(const struct ft_choice *choice, const uint32_t *capacity, uint32_t *ret_class);

#endif
