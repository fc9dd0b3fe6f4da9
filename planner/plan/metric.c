/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/plan/metric.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/numbers.h"
#include "base/text.h"

static const char *const metric_names[FT_METRIC_COUNT] = {
	[FT_METRIC_COST] = "cost",
	[FT_METRIC_POWER_W] = "power_w",
	[FT_METRIC_SIZE_U] = "size_u",
	[FT_METRIC_WEIGHT_KG] = "weight_kg",
	[FT_METRIC_SWITCHES] = "switches",
	[FT_METRIC_CABLES] = "cables",
	[FT_METRIC_LINKS] = "links",
	[FT_METRIC_BLOCKING] = "blocking",
	[FT_METRIC_SPARE_PORTS] = "spare_ports",
	[FT_METRIC_EXPANDABLE_TO] = "expandable_to",
	[FT_METRIC_CLOS] = "clos",
	[FT_METRIC_EDGE_COUNT] = "edge_count",
	[FT_METRIC_SPINE_COUNT] = "spine_count",
	[FT_METRIC_CORE_COUNT] = "core_count",
	[FT_METRIC_PORTS_TO_NODES] = "ports_to_nodes",
	[FT_METRIC_PORTS_TO_CORE] = "ports_to_core",
	[FT_METRIC_BUNDLE] = "bundle",
};

const char *ft_metric_name(enum ft_metric metric)
{
	return metric_names[metric];
}

int ft_metric_find(const char *name)
{
	for (int i = 0; i < FT_METRIC_COUNT; i++)
		if (strcmp(metric_names[i], name) == 0)
			return i;
	return -EINVAL;
}

int ft_quantity_compare(struct ft_quantity a, struct ft_quantity b)
{
	__extension__ typedef __int128 wide;
	wide left = (wide)a.num * b.den, right = (wide)b.num * a.den;

	return (left > right) - (left < right);
}

/* True where the decimal expansion ends: the denominator has no prime factor but 2 and 5. */
static bool quantity_ends(struct ft_quantity quantity)
{
	while (quantity.den % 2 == 0)
		quantity.den /= 2;
	while (quantity.den % 5 == 0)
		quantity.den /= 5;
	return quantity.den == 1;
}

static struct ft_quantity quantity_reduce(struct ft_quantity quantity)
{
	int64_t divisor = ft_number_divisor(quantity.num < 0 ? -quantity.num : quantity.num, quantity.den);

	return divisor > 1 ? (struct ft_quantity){quantity.num / divisor, quantity.den / divisor} : quantity;
}

static void add_decimal(struct ft_text *text, struct ft_quantity q)
{
	int64_t whole = q.num / q.den, rest = q.num % q.den;

	if (q.num < 0) {
		ft_text_puts(text, "-");
		whole = -whole;
		rest = -rest;
	}
	ft_text_printf(text, "%" PRId64, whole);
	if (rest)
		ft_text_puts(text, ".");
	while (rest != 0) {
		int64_t tenfold = rest * 10;

		ft_text_printf(text, "%" PRId64, tenfold / q.den);
		rest = tenfold % q.den;
	}
}

void ft_quantity_add(struct ft_text *text, struct ft_quantity quantity)
{
	struct ft_quantity q;

	if (!ft_quantity_known(quantity)) {
		ft_text_puts(text, "?");
		return;
	}
	q = quantity_reduce(quantity);
	if (quantity_ends(q))
		add_decimal(text, q);
	else
		ft_text_printf(text, "%" PRId64 ":%" PRId64, q.num, q.den);
}

void ft_quantity_add_json(struct ft_text *text, struct ft_quantity quantity)
{
	bool quoted;

	if (!ft_quantity_known(quantity)) {
		ft_text_puts(text, "null");
		return;
	}
	quoted = !quantity_ends(quantity_reduce(quantity));
	if (quoted)
		ft_text_puts(text, "\"");
	ft_quantity_add(text, quantity);
	if (quoted)
		ft_text_puts(text, "\"");
}
