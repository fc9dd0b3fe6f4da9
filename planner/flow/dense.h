/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Maximum concurrent flow of all pairs. Private to planner/flow/. */
#ifndef FT_PLANNER_FLOW_DENSE_H
#define FT_PLANNER_FLOW_DENSE_H

#include "planner/flow/search.h"

/*
 * As ft_flow_solve(), of demands by weights that all have a path. The value and the bound are those of @search. Ends
 * after @rounds_max rounds at the latest.
 */
int ft_flow_dense_solve(struct ft_flow_search *search, uint32_t rounds_max, uint32_t *ret_rounds);

#endif
