/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "base/arena.h"

#include <stdlib.h>

struct ft_arena_block {
	struct ft_arena_block *before;
	char *kept; /* or NULL: the bytes follow */
	_Alignas(max_align_t) unsigned char bytes[];
};

static struct ft_arena_block *block_add(struct ft_arena *arena, size_t count, size_t size)
{
	size_t bytes;
	struct ft_arena_block *block = NULL;

	if (!__builtin_mul_overflow(count, size, &bytes) && bytes < SIZE_MAX / 2)
		block = calloc(1, sizeof(*block) + bytes);
	arena->failed |= !block;
	if (!block)
		return NULL;
	block->before = arena->last;
	arena->last = block;
	return block;
}

void *ft_arena_zeros(struct ft_arena *arena, size_t count, size_t size)
{
	struct ft_arena_block *block = block_add(arena, count, size);

	return block ? block->bytes : NULL;
}

uint32_t *ft_arena_numbers(struct ft_arena *arena, size_t count, uint32_t number)
{
	uint32_t *list = ft_arena_zeros(arena, count, sizeof(*list));

	for (size_t i = 0; list && i < count; i++)
		list[i] = number;
	return list;
}

char *ft_arena_keep(struct ft_arena *arena, char *string)
{
	struct ft_arena_block *block = string ? block_add(arena, 0, 1) : NULL;

	arena->failed |= !string;
	if (!block) {
		free(string);
		return NULL;
	}
	block->kept = string;
	return string;
}

void ft_arena_release(struct ft_arena *arena)
{
	for (struct ft_arena_block *block = arena->last, *before; block; block = before) {
		before = block->before;
		free(block->kept);
		free(block);
	}
	*arena = (struct ft_arena){0};
}
