/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The observed fabric in the form of its plan: the same switches, with the hosts that are seen on them and the cables
 * that carry traffic, planned or not. What the planner computes of a plan can be computed of the fabric so.
 */
#ifndef FT_VERIFY_MEASURE_OBSERVED_H
#define FT_VERIFY_MEASURE_OBSERVED_H

#include "planner/plan/variant.h"
#include "verify/model/model.h"

/* A variant of the plan of a finished model, which must outlive it. The caller frees it; NULL: no memory. */
struct ft_plan *ft_observed_plan(const struct ft_model *m);

#endif
