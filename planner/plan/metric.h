/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The metrics of plans: figures that may be an objective, a limit, or an axis of a Pareto front. All are exact: amounts
 * are whole thousandths, and fractions stay fractions.
 */
#ifndef FT_PLANNER_PLAN_METRIC_H
#define FT_PLANNER_PLAN_METRIC_H

#include <stdbool.h>
#include <stdint.h>

struct ft_text;

/* An amount of money, watts, kilograms or rack units, in thousandths. */
#define FT_AMOUNT_UNKNOWN INT64_MIN
enum { FT_AMOUNT_UNIT = 1000 };

/* The first six are the objectives of SPEC 3, in their order there. */
enum ft_metric {
	FT_METRIC_COST,
	FT_METRIC_POWER_W,
	FT_METRIC_SIZE_U,
	FT_METRIC_WEIGHT_KG,
	FT_METRIC_SWITCHES,
	FT_METRIC_CABLES,
	FT_METRIC_OBJECTIVES,
	FT_METRIC_LINKS = FT_METRIC_OBJECTIVES,
	FT_METRIC_BLOCKING,
	FT_METRIC_SPARE_PORTS,
	FT_METRIC_EXPANDABLE_TO,
	FT_METRIC_CLOS,
	FT_METRIC_EDGE_COUNT,
	FT_METRIC_SPINE_COUNT,
	FT_METRIC_CORE_COUNT,
	FT_METRIC_PORTS_TO_NODES,
	FT_METRIC_PORTS_TO_CORE,
	FT_METRIC_BUNDLE,
	FT_METRIC_COUNT,
};

/* A value: num/den; den 0: unknown. */
struct ft_quantity {
	int64_t num;
	int64_t den;
};

static inline struct ft_quantity ft_quantity_count(int64_t count)
{
	return (struct ft_quantity){count, 1};
}

static inline struct ft_quantity ft_quantity_amount(int64_t amount)
{
	return (struct ft_quantity){amount, amount == FT_AMOUNT_UNKNOWN ? 0 : FT_AMOUNT_UNIT};
}

static inline bool ft_quantity_known(struct ft_quantity quantity)
{
	return quantity.den != 0;
}

/* @sum plus @count times @each; unknown if either is. The result must stay far below the range of an int64_t. */
static inline int64_t ft_amount_add(int64_t sum, int64_t each, uint64_t count)
{
	if (count == 0)
		return sum;
	return sum == FT_AMOUNT_UNKNOWN || each == FT_AMOUNT_UNKNOWN ? FT_AMOUNT_UNKNOWN : sum + each * (int64_t)count;
}

/* Less than, equal to or greater than 0. Both must be known. */
int ft_quantity_compare(struct ft_quantity a, struct ft_quantity b);

/* "1363", "77.3", "19:7" (a fraction without an end); "?" if unknown. */
void ft_quantity_add(struct ft_text *text, struct ft_quantity quantity);

/* The same as a JSON value: a number, a string for a fraction without an end, or null. */
void ft_quantity_add_json(struct ft_text *text, struct ft_quantity quantity);

const char *ft_metric_name(enum ft_metric metric); /* "cost", "power_w", … */
int ft_metric_find(const char *name);		   /* FT_METRIC_…, or -EINVAL */

#endif
