/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Numbers for strings: the first one added is 0, the next 1. Look-ups in constant time, so that a wrong plan with its
 * thousands of findings stays cheap.
 */
#ifndef FT_DAEMON_IDS_H
#define FT_DAEMON_IDS_H

#include "base/map.h"

struct ft_ids {
	struct ft_map map;  /* from a hash to the first string of that hash */
	const char **names; /* not owned */
	uint32_t *next;	    /* the next string of the same hash, or FT_NONE */
	uint32_t count;
	uint32_t size;
};

void ft_ids_release(struct ft_ids *ids);

/* The number of @name, or FT_NONE. */
uint32_t ft_ids_find(const struct ft_ids *ids, const char *name);

/*
 * Adds @name, which must stay where it is, unless it is there already. @ret_number (NULL is fine): its number.
 * Returns 1 if it was added, 0 if it was there, -ENOMEM.
 */
int ft_ids_add(struct ft_ids *ids, const char *name, uint32_t *ret_number);

#endif
