/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef FT_VERIFY_INFER_CELLS_H
#define FT_VERIFY_INFER_CELLS_H

#include "planner/plan/design.h"
#include "verify/infer/infer_parts.h"

/*
 * The cells that a fabric would have as a dragonfly+ (cells.c), by size, the largest first. The caller frees them.
 * Returns 0 or -ENOMEM.
 */
int ft_infer_cells(const struct ft_inference *f, struct ft_group_size **ret_sizes, size_t *ret_count);

#endif
