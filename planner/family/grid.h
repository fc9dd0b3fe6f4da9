/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What families have in common whose switches have coordinates: keys.dims says how many there are along each dimension.
 */
#ifndef FT_PLANNER_FAMILY_GRID_H
#define FT_PLANNER_FAMILY_GRID_H

#include "planner/family/recognise.h"

/* "sw-0-3", or NULL: no memory. */
char *ft_grid_switch_name(const struct ft_layout *layout, const uint32_t *at);

/* The coordinates behind @at, the last running fastest. */
void ft_grid_step(const struct ft_layout *layout, uint32_t *at);

/* "5x6" */
void ft_grid_label(struct ft_text *text, const struct ft_layout *layout);

/* A grid to be told from its numbers. */
struct ft_grid_guess {
	const struct ft_sketch *sketch;
	const struct ft_family *family;
	uint32_t neighbours;			     /* of a switch in all */
	uint32_t (*neighbours_along)(uint32_t size); /* along a dimension of that size, >= 2 */
	bool pairs_double;			     /* a dimension of two switches has twice its cables between them */
	struct ft_family_keys keys;		     /* scratch */
};

/* Offers all sizes and bundles that fit. Returns 0, or what the offer returned. */
int ft_grid_recognise(struct ft_grid_guess *guess);

#endif
