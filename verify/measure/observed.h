/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The observed fabric in the form of its plan: the same switches, with the hosts that are seen on them and the cables
 * that carry traffic, planned or not. What the planner computes of a plan can be computed of the fabric so.
 */
#ifndef FT_VERIFY_MEASURE_OBSERVED_H
#define FT_VERIFY_MEASURE_OBSERVED_H

#include "verify/model/model.h"

struct ft_observed {
	struct ft_plan plan; /* borrows from the model's plan all but these two */
	struct ft_plan_switch *switches;
	struct ft_plan_bundle *bundles;
};

/* Requires a finished model, which must outlive it. The caller releases @o, all 0 before, also on failure. 0 or
 * -ENOMEM. */
int ft_observed_make(const struct ft_model *m, struct ft_observed *o);
void ft_observed_release(struct ft_observed *o);

#endif
