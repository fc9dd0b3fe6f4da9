/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "base/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* Under AddressSanitizer, of a list that has grown elsewhere, what a stale pointer reads is reported. */
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(bytes, size) ((void)(bytes), (void)(size))
#endif

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

char *ft_arena_string(struct ft_arena *arena, const char *string)
{
	size_t size = strlen(string) + 1;
	char *copy = ft_arena_zeros(arena, size, 1);

	return copy ? memcpy(copy, string, size) : NULL;
}

char *ft_arena_safe(struct ft_arena *arena, const char *bytes, size_t length)
{
	return ft_arena_keep(arena, ft_text_safe_dup(bytes, length));
}

char *ft_arena_text(struct ft_arena *arena, struct ft_text *text)
{
	char *string;

	ft_text_puts(text, "");
	string = ft_arena_keep(arena, text->failed ? NULL : text->data);
	if (text->failed)
		free(text->data);
	*text = (struct ft_text){0};
	return string;
}

char *ft_arena_print_args(struct ft_arena *arena, const char *format, va_list args)
{
	char *string;

	return ft_arena_keep(arena, vasprintf(&string, format, args) < 0 ? NULL : string);
}

char *ft_arena_print(struct ft_arena *arena, const char *format, ...)
{
	va_list args;
	char *string;

	va_start(args, format);
	string = ft_arena_print_args(arena, format, args);
	va_end(args);
	return string;
}

/* Full where @count is 0 or a power of two, as in base/list.h. */
void *ft_arena_room(struct ft_arena *arena, void *list, size_t count, size_t size)
{
	void *fresh = count & (count - 1) ? list : ft_arena_zeros(arena, count ? 2 * count : 1, size);

	if (fresh && fresh != list && count > 0) {
		memcpy(fresh, list, count * size);
		ASAN_POISON_MEMORY_REGION(list, count * size);
	}
	return fresh;
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
