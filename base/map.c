/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "base/map.h"

#include <errno.h>
#include <stdlib.h>

#include "base/hash.h"

struct ft_map_slot {
	uint64_t key;
	uint32_t value; /* FT_NONE: free */
};

void ft_map_release(struct ft_map *map)
{
	free(map->slots);
	*map = (struct ft_map){0};
}

/* The slot with @key, or the free one for it. */
static struct ft_map_slot *map_slot(struct ft_map_slot *slots, size_t size, uint64_t key)
{
	size_t i = (size_t)ft_hash_number(key) & (size - 1);

	while (slots[i].value != FT_NONE && slots[i].key != key)
		i = (i + 1) & (size - 1);
	return &slots[i];
}

uint32_t ft_map_get(const struct ft_map *map, uint64_t key)
{
	return map->size ? map_slot(map->slots, map->size, key)->value : FT_NONE;
}

static int map_grow(struct ft_map *map)
{
	size_t size = map->size ? map->size * 2 : 64;
	struct ft_map_slot *slots = malloc(size * sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	for (size_t i = 0; i < size; i++)
		slots[i].value = FT_NONE;
	for (size_t i = 0; i < map->size; i++)
		if (map->slots[i].value != FT_NONE)
			*map_slot(slots, size, map->slots[i].key) = map->slots[i];
	free(map->slots);
	map->slots = slots;
	map->size = size;
	return 0;
}

size_t ft_map_reach(const struct ft_map *map)
{
	size_t reach = 0;

	for (size_t i = 0; i < map->size; i++) {
		size_t home = (size_t)ft_hash_number(map->slots[i].key) & (map->size - 1);
		size_t way = ((i - home) & (map->size - 1)) + 1;

		if (map->slots[i].value != FT_NONE && way > reach)
			reach = way;
	}
	return reach;
}

int ft_map_add(struct ft_map *map, uint64_t key, uint32_t value, uint32_t *ret_value)
{
	struct ft_map_slot *slot;
	int r, added = 0;

	if (map->count * 2 >= map->size) {
		r = map_grow(map);
		if (r < 0)
			return r;
	}
	slot = map_slot(map->slots, map->size, key);
	if (slot->value == FT_NONE) {
		*slot = (struct ft_map_slot){key, value};
		map->count++;
		added = 1;
	}
	if (ret_value)
		*ret_value = slot->value;
	return added;
}

int ft_map_mark(struct ft_map *map, uint64_t key, uint32_t index, bool *repeated)
{
	uint32_t there;
	int r = ft_map_add(map, key, index, &there);

	if (r == 0)
		repeated[index] = repeated[there] = true;
	return r < 0 ? r : 0;
}
