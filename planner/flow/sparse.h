/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Maximum concurrent flow of a list of demands. Private to planner/flow/. */
#ifndef FT_PLANNER_FLOW_SPARSE_H
#define FT_PLANNER_FLOW_SPARSE_H

#include "planner/flow/search.h"

/* As ft_flow_solve(), of demands in a list that all have a path. The value and the bound are those of @search. */
int ft_flow_sparse_solve(struct ft_flow_search *search, uint32_t *ret_rounds);

#endif
