/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Memory of one lifetime: lists that are allocated one by one and released together.
 *
 *     work->image = ft_arena_numbers(&work->memory, count, UINT32_MAX);
 *     work->votes = ft_arena_zeros(&work->memory, count, sizeof(*work->votes));
 *     if (work->memory.failed)
 *             return -ENOMEM;
 *
 * Each list is a block of its own, so that tools find accesses beyond it. An allocation that fails gives NULL and sets
 * @failed, which stays set: it is tested once, after the last of several.
 */
#ifndef FT_BASE_ARENA_H
#define FT_BASE_ARENA_H

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

/* Frees all of it; the arena is empty then, and has not failed. */
void ft_arena_release(struct ft_arena *arena);

#endif
