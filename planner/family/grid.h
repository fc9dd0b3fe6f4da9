/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What families have in common whose switches have coordinates: keys.dims says how many there are along each dimension.
 */
#ifndef FT_PLANNER_FAMILY_GRID_H
#define FT_PLANNER_FAMILY_GRID_H

#include "planner/family/family.h"

/* "sw-0-3", or NULL: no memory. */
char *ft_grid_switch_name(const struct ft_layout *layout, const uint32_t *at);

/* The coordinates behind @at, the last running fastest. */
void ft_grid_step(const struct ft_layout *layout, uint32_t *at);

/* "5x6" */
void ft_grid_label(struct ft_text *text, const struct ft_layout *layout);

#endif
