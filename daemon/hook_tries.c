/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "daemon/hook_tries.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

void ft_hook_tries_release(struct ft_hook_tries *tries)
{
	for (size_t i = 0; i < tries->count; i++)
		free(tries->items[i].id);
	free(tries->items);
	*tries = (struct ft_hook_tries){0};
}

/* The index of @id, or the place to insert it. */
static size_t place_find(const struct ft_hook_tries *tries, const char *id)
{
	size_t low = 0, high = tries->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(tries->items[middle].id, id) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct ft_hook_try *ft_hook_tries_find(const struct ft_hook_tries *tries, const char *id)
{
	size_t at = place_find(tries, id);

	return at < tries->count && strcmp(tries->items[at].id, id) == 0 ? &tries->items[at] : NULL;
}

struct ft_hook_try *ft_hook_tries_get(struct ft_hook_tries *tries, const char *id)
{
	struct ft_hook_try *one = ft_hook_tries_find(tries, id);
	_cleanup_free_ char *copy = NULL;
	size_t at;

	if (one)
		return one;
	copy = strdup(id);
	if (!copy)
		return NULL;
	if (tries->count == tries->size) {
		size_t size = tries->size ? tries->size * 2 : 8;
		struct ft_hook_try *items = reallocarray(tries->items, size, sizeof(*items));

		if (!items)
			return NULL;
		tries->items = items;
		tries->size = size;
	}
	at = place_find(tries, id);
	one = &tries->items[at];
	memmove(one + 1, one, (tries->count - at) * sizeof(*one));
	*one = (struct ft_hook_try){.id = FT_STEAL(copy)};
	tries->count++;
	return one;
}

void ft_hook_tries_remove(struct ft_hook_tries *tries, struct ft_hook_try *one)
{
	free(one->id);
	tries->count--;
	memmove(one, one + 1, (size_t)(tries->items + tries->count - one) * sizeof(*one));
}

void ft_hook_tries_sift(struct ft_hook_tries *tries)
{
	size_t kept = 0;

	for (size_t i = 0; i < tries->count; i++)
		if (tries->items[i].seen)
			tries->items[kept++] = tries->items[i];
		else
			free(tries->items[i].id);
	tries->count = kept;
}
