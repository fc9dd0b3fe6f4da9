/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Strongly connected components of a directed graph: the vertices of one lie on cycles with each other. */
#ifndef FT_BASE_COMPONENTS_H
#define FT_BASE_COMPONENTS_H

#include <stdint.h>

/*
 * @first, @next      compressed rows: from vertex i edges lead to next[first[i]] up to next[first[i + 1]]
 * @ret_component  out: by vertex: the number of its component
 * Returns 0 or -ENOMEM. O(edges).
 */
int ft_components_find(uint32_t count, const uint32_t *first, const uint32_t *next, uint32_t *ret_component);

#endif
