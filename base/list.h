/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Lists that grow by one element at a time, without a member for their size. */
#ifndef FT_BASE_LIST_H
#define FT_BASE_LIST_H

#include <stdlib.h>

/*
 * Room for one more element behind the @count of a list that grows in no other way: its size is always @count or the
 * next power of two, so the count tells when it is full. Returns the list, which may have moved; NULL: no memory, and
 * the list is as before.
 */
static inline void *ft_list_room(void *list, size_t count, size_t element)
{
	return count & (count - 1) ? list : reallocarray(list, count ? 2 * count : 1, element);
}

/* The new last element of a list, uninitialised and counted; NULL: no memory. */
#define FT_LIST_MORE(list, count)                                                          \
	({                                                                                 \
		__typeof__(list) ft_more = ft_list_room((list), (count), sizeof(*(list))); \
		if (ft_more)                                                               \
			(list) = ft_more;                                                  \
		ft_more ? &(list)[(count)++] : NULL;                                       \
	})

#endif
