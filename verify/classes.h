/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The assignment problem where seats come in classes: exact, and quick where classes are few. */
#ifndef FT_VERIFY_CLASSES_H
#define FT_VERIFY_CLASSES_H

#include <stdint.h>

/* Items to be shared out to classes: how much each of them costs in each class. */
struct ft_choice {
	const int64_t *cost; /* [count][class_count] */
	uint32_t count, class_count;
};

/*
 * Gives each item a class so that the sum of costs is least. A class takes @capacity[class] items; all together have
 * room for all items. Returns 0 or -ENOMEM. @ret_class is all 0 on entry.
 */
int ft_classes_assign(const struct ft_choice *choice, const uint32_t *capacity, uint32_t *ret_class);

#endif
