/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Memory of one lifetime: lists that are allocated one by one and released together.
 *
 *     work->image = ft_arena_numbers(&work->memory, count, FT_NONE);
 *     work->votes = ft_arena_zeros(&work->memory, count, sizeof(*work->votes));
 *     if (work->memory.failed)
 *             return -ENOMEM;
 *
 * Each list is a block of its own, so that tools find accesses beyond it. An allocation that fails gives NULL and sets
 * @failed, which stays set: it is tested once, after the last of several.
 *
 * A list that grows, or a text that is written anew, leaves its former block behind until all are released.
 */
#ifndef FT_BASE_ARENA_H
#define FT_BASE_ARENA_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ft_arena {
	struct ft_arena_block *last;
	bool failed;
};

/* @count elements of @size bytes, all 0; not NULL for a count of 0. */
void *ft_arena_zeros(struct ft_arena *arena, size_t count, size_t size);

/* @count numbers, all @number. */
uint32_t *ft_arena_numbers(struct ft_arena *arena, size_t count, uint32_t number);

/* Takes over @string, of malloc(), and returns it; NULL is a failed allocation. */
char *ft_arena_keep(struct ft_arena *arena, char *string);

/* A copy of a string; one that is made safe (base/text.h); and a formatted one. */
char *ft_arena_string(struct ft_arena *arena, const char *string);
char *ft_arena_safe(struct ft_arena *arena, const char *bytes, size_t length);
char *ft_arena_print(struct ft_arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *ft_arena_print_args(struct ft_arena *arena, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

/* Takes over what @text holds, "" where nothing was added, and leaves it empty; NULL: it or this has failed. */
struct ft_text;
char *ft_arena_text(struct ft_arena *arena, struct ft_text *text);

/* Room for one more element behind the @count of a list of this arena; see FT_ARENA_MORE(). */
void *ft_arena_room(struct ft_arena *arena, void *list, size_t count, size_t size);

/* The new last element of a list of the arena, uninitialised and counted; NULL: no memory, and the list is as before.
 */
#define FT_ARENA_MORE(arena, list, count)                                                            \
	({                                                                                           \
		__typeof__(list) ft_more = ft_arena_room((arena), (list), (count), sizeof(*(list))); \
		if (ft_more)                                                                         \
			(list) = ft_more;                                                            \
		ft_more ? &(list)[(count)++] : NULL;                                                 \
	})

/* Frees all of it; the arena is empty then, and has not failed. */
void ft_arena_release(struct ft_arena *arena);

#endif
