/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What a planned network costs, draws and takes up, and its cables: by the floor model and the catalog. */
#ifndef FT_PLANNER_COMPARE_PRICE_H
#define FT_PLANNER_COMPARE_PRICE_H

#include "planner/compare/compared.h"
#include "planner/plan/catalog.h"
#include "planner/plan/plan.h"

/*
 * Fills the figures of @row from FT_COMPARED_SWITCHES to FT_COMPARED_SIZE_U_PER_HOST.
 *
 * The price of a cable is that of its length (ft_catalog_cable_cost()). A switch that @catalog (NULL: there is none)
 * does not know makes the sums unknown, and so does a cable without a price.
 *
 * Returns 0 or -ENOMEM. A plan that the floor model has no room for has cables of unknown length.
 */
int ft_price_measure(const struct ft_plan *plan, const struct ft_catalog *catalog, struct ft_compared *row);

#endif
