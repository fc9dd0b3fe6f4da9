/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * How much longer workloads take on the fabric as it was observed than on the planned one (planner/work/): the observed
 * one has the cables that carry traffic, planned or not. The hosts that are seen on their planned switches, and reach
 * each other, take part in both; the others are counted. If the forwarding tables are known, also by these.
 */
#ifndef FT_VERIFY_ROUTES_WORKLOAD_H
#define FT_VERIFY_ROUTES_WORKLOAD_H

#include "planner/work/work.h"
#include "verify/model/model.h"

/*
 * Adds the workloads of @list to the report of the finished model @m. With too few hosts for one of them, none is
 * added. Returns 0, -ENOMEM, or -EINVAL with @err filled (no line).
 */
int ft_workload_measure(struct ft_model *m, const struct ft_workload_list *list, struct ft_error *err);

#endif
