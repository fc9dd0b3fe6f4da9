/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Strongly connected components of a directed graph: the vertices of one lie on cycles with each other. And short ones
 * of these cycles.
 */
#ifndef FT_BASE_COMPONENTS_H
#define FT_BASE_COMPONENTS_H

#include <stdint.h>

#include "base/arena.h"

/*
 * @first, @next      compressed rows: from vertex i edges lead to next[first[i]] up to next[first[i + 1]]
 * @ret_component  out: by vertex: the number of its component
 * Returns 0 or -ENOMEM. O(edges).
 */
int ft_components_find(uint32_t count, const uint32_t *first, const uint32_t *next, uint32_t *ret_component);

/* A directed graph whose cycles are looked for. */
struct ft_cycles {
	uint32_t count;		      /* of vertices */
	const uint32_t *first, *next; /* as above */
	uint32_t *component;	      /* by vertex */
	/* The search. */
	uint32_t *queue, *before;
	uint64_t steps;
	struct ft_arena memory;
};

/* Finds the components. @first and @next must outlive @ret, which the caller releases in any case. 0 or -ENOMEM. */
int ft_cycles_make(uint32_t count, const uint32_t *first, const uint32_t *next, struct ft_cycles *ret);
void ft_cycles_release(struct ft_cycles *cycles);

/*
 * The shortest cycle in a component: breadth-first from each of its @count members. After FT_CYCLE_STEPS_MAX steps it
 * is a short one.
 *
 * @ret_cycle  out: its vertices, with room for @count
 * Returns how many; 0: there is none.
 */
enum { FT_CYCLE_STEPS_MAX = 20000000 };
uint32_t ft_cycle_shortest(struct ft_cycles *cycles, const uint32_t *members, uint32_t count, uint32_t *ret_cycle);

#endif
