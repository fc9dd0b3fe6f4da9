/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Parts of a catalog's file that are priced by a measure: cables by their length, switches by their ports. */
#ifndef FT_PLANNER_DESIGN_CATALOG_PARTS_H
#define FT_PLANNER_DESIGN_CATALOG_PARTS_H

#include "planner/plan/catalog.h"
#include "planner/plan/keys.h"

/* A switch that can be had with @from, @from + @step, … up to @to ports. */
struct ft_catalog_range {
	uint32_t from, to, step;
	int64_t cost_per_port, power_w_per_port; /* thousandths; FT_AMOUNT_UNKNOWN */
	int64_t cost_less;			 /* what is taken off the price of the ports */
};

/* For the column "read" of struct ft_key: into a struct ft_catalog_range, and into a struct ft_catalog. */
int ft_catalog_key_range(struct ft_key_reader *reader, const struct ft_key_at *at, void *out);
int ft_catalog_key_cables(struct ft_key_reader *reader, const struct ft_key_at *at, void *out);

/*
 * Adds to the cost and power of @type, of which all else is filled, what its ports come to. Its own figures are those
 * of any number of ports; where it has none, they are 0 if the ports have a price.
 */
void ft_catalog_range_price(const struct ft_catalog_range *range, struct ft_switch_type *type);

#endif
