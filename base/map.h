/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * From a 64-bit key (a GUID) to a 32-bit index: open addressing, at most half full, so that look-ups stay flat however
 * large the fabric is.
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

#endif
