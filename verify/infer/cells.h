/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef FT_VERIFY_INFER_CELLS_H
#define FT_VERIFY_INFER_CELLS_H

#include "planner/plan/design.h"
#include "verify/infer/infer_parts.h"

/* The cells that a fabric would have as a dragonfly+ (cells.c). */
struct ft_group_cells {
	uint32_t *cell_of; /* by observed switch */
	bool *leaf;	   /* the others are spines */
	uint32_t count;
};

/* Returns 0 or -ENOMEM. */
int ft_group_cells_find(const struct ft_inference *f, struct ft_group_cells *ret_cells);

/* The cells by size, the largest first. Returns 0 or -ENOMEM. */
int ft_infer_cells(const struct ft_inference *f, struct ft_group_size **ret_sizes, size_t *ret_count);

/*
 * *@ret_lacks: all cells but one are alike, that one has a leaf less, and each of its spines has exactly one dark port
 * below its last leaf, as at most one in eight of the other spines has any: a leaf is off. A cell that was built with a
 * leaf less, and one whose last leaf is off, look alike. Returns 0 or -ENOMEM.
 */
int ft_infer_cell_lacks_leaf(const struct ft_inference *f, bool *ret_lacks);

#endif
