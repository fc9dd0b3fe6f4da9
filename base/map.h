/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * From a 64-bit key (a GUID) to a 32-bit index: open addressing, at most half full, so that look-ups stay flat however
 * large the fabric is. Where a key belongs depends on a random number (base/hash.h), so that keys cannot be chosen to
 * meet; nothing lists a map's keys, so that no result depends on it.
 */
#ifndef FT_BASE_MAP_H
#define FT_BASE_MAP_H

#include <stddef.h>
#include <stdint.h>

#define FT_MAP_NONE UINT32_MAX

struct ft_map {
	struct ft_map_slot *slots; /* owned */
	size_t size;		   /* a power of two, or 0 */
	size_t count;
};

void ft_map_release(struct ft_map *map);

/* The value of @key, or FT_MAP_NONE. */
uint32_t ft_map_get(const struct ft_map *map, uint64_t key);

/*
 * Sets @key to @value (not FT_MAP_NONE) unless it is there already; the value that holds then is in @ret_value (NULL
 * is fine). Returns 1 if it was added, 0 if it was there, -ENOMEM.
 */
int ft_map_add(struct ft_map *map, uint64_t key, uint32_t value, uint32_t *ret_value);

/* How many slots the longest look-up of a key in the map goes through: a few dozen at most, whatever the keys are. */
size_t ft_map_reach(const struct ft_map *map);

#endif
