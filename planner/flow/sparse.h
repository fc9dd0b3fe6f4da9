/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Maximum concurrent flow of a list of demands. Private to planner/flow/. */
#ifndef FT_PLANNER_FLOW_SPARSE_H
#define FT_PLANNER_FLOW_SPARSE_H

#include "planner/flow/flow.h"

/* As ft_flow_solve(), of demands in a list that all have a path. Fills value, bound and rounds of @ret. */
int ft_flow_sparse_solve(const struct ft_flow_problem *problem, struct ft_flow *ret);

#endif
