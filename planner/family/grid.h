/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What families have in common whose switches have coordinates: keys.dims says how many there are along each dimension.
 */
#ifndef FT_PLANNER_FAMILY_GRID_H
#define FT_PLANNER_FAMILY_GRID_H

#include "planner/family/recognise.h"

/*
 * Adds the switches in the order of their coordinates, the last running fastest, with names such as "sw-0-3"; and for
 * each, at @at, the cables that @links adds. Returns 0 or -ENOMEM.
 */
int ft_grid_build(const struct ft_layout *layout, struct ft_network *network,
		  int (*links)(const struct ft_layout *layout, struct ft_network *network, uint32_t index,
			       const uint32_t *at));

/* "5x6" */
void ft_grid_label(struct ft_text *text, const struct ft_layout *layout);

/* Cables between the halves of a line of @size switches, one cable between each two that are next to each other. */
uint64_t ft_line_cut_path(uint32_t size);
uint64_t ft_line_cut_ring(uint32_t size); /* two cables between the two of a ring of two */
uint64_t ft_line_cut_complete(uint32_t size);

/* The bisection of a layout whose lines have such a cut; or FT_BISECTION_UNKNOWN. */
uint64_t ft_grid_bisection(const struct ft_layout *layout, uint64_t (*line_cut)(uint32_t size));

/* A grid to be told from its numbers. */
struct ft_grid_guess {
	const struct ft_sketch *sketch;
	const struct ft_family *family;
	uint32_t neighbours;			     /* of a switch in all */
	uint32_t (*neighbours_along)(uint32_t size); /* along a dimension of that size, >= 2 */
	bool pairs_double;			     /* a dimension of two switches has twice its cables between them */
	bool odd_port;				     /* no bundles are said: each switch has an odd number of cables */
	struct ft_family_keys keys;		     /* scratch */
};

/* Offers all sizes and bundles that fit. Returns 0, or what the offer returned. */
int ft_grid_recognise(struct ft_grid_guess *guess);

#endif
