/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "daemon/ids.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

void ft_ids_release(struct ft_ids *ids)
{
	ft_map_release(&ids->map);
	free(ids->names);
	free(ids->next);
	*ids = (struct ft_ids){0};
}

uint32_t ft_ids_find(const struct ft_ids *ids, const char *name)
{
	uint32_t i = ft_map_get(&ids->map, ft_text_hash(name));

	while (i != FT_NONE && strcmp(ids->names[i], name) != 0)
		i = ids->next[i];
	return i;
}

static int ids_grow(struct ft_ids *ids)
{
	uint32_t size = ids->size ? ids->size * 2 : 64;
	const char **names = reallocarray(ids->names, size, sizeof(*names));
	uint32_t *next;

	if (!names)
		return -ENOMEM;
	ids->names = names;
	next = reallocarray(ids->next, size, sizeof(*next));
	if (!next)
		return -ENOMEM;
	ids->next = next;
	ids->size = size;
	return 0;
}

int ft_ids_add(struct ft_ids *ids, const char *name, uint32_t *ret_number)
{
	uint32_t number = ft_ids_find(ids, name), first;
	int r;

	if (number == FT_NONE) {
		if (ids->count == ids->size && ids_grow(ids) < 0)
			return -ENOMEM;
		number = ids->count;
		r = ft_map_add(&ids->map, ft_text_hash(name), number, &first);
		if (r < 0)
			return r;
		ids->names[number] = name;
		ids->next[number] = FT_NONE;
		if (r == 0) {
			ids->next[number] = ids->next[first];
			ids->next[first] = number;
		}
		ids->count++;
		r = 1;
	} else {
		r = 0;
	}
	if (ret_number)
		*ret_number = number;
	return r;
}
