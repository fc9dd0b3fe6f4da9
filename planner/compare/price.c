/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/compare/price.h"

#include <errno.h>

#include "planner/write/lengths.h"

/* ---- switches ---- */

struct amounts {
	int64_t cost, power_w, size_u; /* thousandths; FT_AMOUNT_UNKNOWN */
};

static void amounts_add(struct amounts *sum, const struct ft_switch_type *type, uint32_t count)
{
	sum->cost = ft_amount_add(sum->cost, type->cost, count);
	sum->power_w = ft_amount_add(sum->power_w, type->power_w, count);
	sum->size_u = ft_amount_add(sum->size_u, type->size_u, count);
}

static struct amounts switches_price(const struct ft_plan *plan, const struct ft_catalog *catalog)
{
	static const struct ft_switch_type unknown = {
		.cost = FT_AMOUNT_UNKNOWN,
		.power_w = FT_AMOUNT_UNKNOWN,
		.size_u = FT_AMOUNT_UNKNOWN,
	};
	struct amounts sum = {0};

	for (int tier = 0; tier < FT_TIER_COUNT; tier++) {
		struct ft_switch_type type = unknown;
		uint32_t known = 0, others = 0;
		bool found = ft_plan_switch_type(plan, tier, catalog, &type) == 0;

		for (uint32_t i = 0; i < plan->switch_count; i++) {
			const struct ft_plan_switch *sw = &plan->switches[i];

			known += (int)sw->tier == tier && found && sw->ports == type.ports;
			others += (int)sw->tier == tier && !(found && sw->ports == type.ports);
		}
		amounts_add(&sum, &type, known);
		amounts_add(&sum, &unknown, others);
	}
	return sum;
}

/* ---- cables ---- */

struct cables {
	int64_t cost; /* thousandths; FT_AMOUNT_UNKNOWN */
	uint64_t of[FT_CABLE_MEDIA];
	uint64_t unsorted; /* the catalog does not say what they are */
	uint64_t all;
	double metres;
};

static int cables_price(const struct ft_plan *plan, const struct ft_catalog *catalog, struct cables *ret_cables)
{
	_cleanup_(ft_lengths_release) struct ft_lengths lengths = {0};
	struct cables sum = {0};
	int r = ft_lengths_make(plan, catalog, &lengths);

	if (r < 0)
		return r;
	for (size_t i = 0; i < lengths.count; i++) {
		const struct ft_length *row = &lengths.rows[i];
		const struct ft_cable_type *type = catalog ? ft_catalog_cable(catalog, row->length_mm) : NULL;

		sum.cost = ft_amount_add(sum.cost, ft_catalog_cable_cost(catalog, row->length_mm), row->count);
		sum.metres += (double)row->count * row->length_mm / 1000;
		if (type)
			sum.of[type->medium] += row->count;
		else
			sum.unsorted += row->count;
	}
	sum.all = lengths.cables;
	*ret_cables = sum;
	return 0;
}

/* ---- the figures ---- */

static void put(struct ft_compared *row, enum ft_compared_figure figure, double value)
{
	row->figures[figure] = ft_measured_exact(value);
}

/* An amount, and its share of a host. */
static void put_amount(struct ft_compared *row, enum ft_compared_figure figure, int64_t amount, uint32_t hosts)
{
	if (amount == FT_AMOUNT_UNKNOWN)
		return;
	put(row, figure, (double)amount / FT_AMOUNT_UNIT);
	if (hosts > 0)
		put(row, figure + 1, (double)amount / FT_AMOUNT_UNIT / hosts);
}

/* Whether both ends are in one group, or in one line of a grid's last dimension. */
static bool is_near(const struct ft_plan *plan, const struct ft_plan_bundle *bundle)
{
	uint32_t size = plan->dim_count > 0 ? plan->dims[plan->dim_count - 1] : 0;

	if (size > 0)
		return bundle->a / size == bundle->b / size;
	return plan->switches[bundle->a].group != FT_NONE &&
	       plan->switches[bundle->a].group == plan->switches[bundle->b].group;
}

static void count(const struct ft_plan *plan, struct ft_compared *row)
{
	uint64_t cables = 0, near = 0, ports = 0;

	for (uint32_t i = 0; i < plan->bundle_count; i++) {
		cables += plan->bundles[i].count;
		near += is_near(plan, &plan->bundles[i]) ? plan->bundles[i].count : 0;
	}
	for (uint32_t i = 0; i < plan->switch_count; i++)
		ports += plan->switches[i].ports;
	put(row, FT_COMPARED_SWITCHES, plan->switch_count);
	put(row, FT_COMPARED_PORTS, (double)ports);
	put(row, FT_COMPARED_PORTS_USED, (double)(2 * cables + plan->nodes));
	put(row, FT_COMPARED_HOST_CABLES, plan->nodes);
	put(row, FT_COMPARED_SWITCH_CABLES, (double)cables);
	if (plan->group_count > 0 || plan->dim_count > 0)
		put(row, FT_COMPARED_GROUP_CABLES, (double)near);
}

int ft_price_measure(const struct ft_plan *plan, const struct ft_catalog *catalog, struct ft_compared *row)
{
	struct amounts switches = switches_price(plan, catalog);
	struct cables cables = {.cost = FT_AMOUNT_UNKNOWN, .unsorted = 1};
	int r = cables_price(plan, catalog, &cables);

	if (r == -ENOMEM)
		return r;
	count(plan, row);
	if (r == 0) {
		put(row, FT_COMPARED_HOST_CABLES, (double)cables.all - row->figures[FT_COMPARED_SWITCH_CABLES].value);
		put(row, FT_COMPARED_CABLE_M, cables.metres);
	}
	if (cables.unsorted == 0) {
		put(row, FT_COMPARED_ELECTRIC, (double)cables.of[FT_CABLE_ELECTRIC]);
		put(row, FT_COMPARED_OPTICAL, (double)cables.of[FT_CABLE_OPTICAL]);
	}
	put_amount(row, FT_COMPARED_COST, ft_amount_add(switches.cost, cables.cost, 1), plan->nodes);
	put_amount(row, FT_COMPARED_POWER_W, switches.power_w, plan->nodes);
	put_amount(row, FT_COMPARED_SIZE_U, switches.size_u, plan->nodes);
	return 0;
}
