/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Scope-bound release of memory, files and descriptors; copies of memory.
 *
 *     _cleanup_(ft_text_freep) struct ft_text text = {0};
 *
 * Ownership moves by FT_STEAL(local): it hands the pointer out and leaves NULL behind.
 */
#ifndef FT_BASE_CLEANUP_H
#define FT_BASE_CLEANUP_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define _cleanup_(f) __attribute__((cleanup(f)))

#define FT_STEAL(p)                         \
	({                                  \
		__typeof__(p) *ft_p = &(p); \
		__typeof__(p) ft_v = *ft_p; \
		*ft_p = NULL;               \
		ft_v;                       \
	})

/* Of a parameter that a table of functions asks for, and this one does not need. */
#define FT_UNUSED __attribute__((unused))

#define FT_COUNT(array) (sizeof(array) / sizeof((array)[0]))

static inline void ft_freep(void *p)
{
	free(*(void **)p);
}

static inline void ft_closep(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void ft_fclosep(FILE **file)
{
	if (*file)
		fclose(*file);
}

#define _cleanup_free_ _cleanup_(ft_freep)

/* A copy of @size bytes, which the caller frees; NULL only if memory ran out. */
static inline void *ft_memory_copy(const void *bytes, size_t size)
{
	void *copy = malloc(size + 1);

	if (copy && size > 0)
		memcpy(copy, bytes, size);
	return copy;
}

#endif
