/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * A hash map from a 64-bit key (a GUID) to a 32-bit index: open addressing, at most half full, so that look-ups take
 * constant time for any size of the fabric. The slot of a key depends on a random key (base/hash.h), so that collisions
 * cannot be provoked; a map cannot be iterated, so that no result depends on the order.
 */
#ifndef FT_BASE_MAP_H
#define FT_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/numbers.h"

struct ft_map {
	struct ft_map_slot *slots; /* owned */
	size_t size;		   /* a power of two, or 0 */
	size_t count;
};

void ft_map_release(struct ft_map *map);

/* The value of @key, or FT_NONE. */
uint32_t ft_map_get(const struct ft_map *map, uint64_t key);

/*
 * Sets @key to @value (not FT_NONE) unless it exists already; @ret_value (NULL is fine) is the value in the map.
 * Returns 1 if it was added, 0 if it was there, -ENOMEM.
 */
int ft_map_add(struct ft_map *map, uint64_t key, uint32_t value, uint32_t *ret_value);

/* The same for those that set many: @failed is set where memory ran out, and stays set. */
static inline void ft_map_put(struct ft_map *map, uint64_t key, uint32_t value, bool *failed)
{
	*failed |= ft_map_add(map, key, value, NULL) < 0;
}

/*
 * Adds @key of element @index. Where another element has it already, both are marked in @repeated, which is by element.
 * Returns 0 or -ENOMEM.
 */
int ft_map_mark(struct ft_map *map, uint64_t key, uint32_t index, bool *repeated);

/* The slots visited by the longest look-up of a key in the map: a few dozen at most, whatever the keys are. */
size_t ft_map_reach(const struct ft_map *map);

#endif
