/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/write/cable_rows.h"

#include <errno.h>
#include <stdlib.h>

struct rows {
	const struct ft_plan *plan;
	const struct ft_wiring *wiring;
	struct ft_cable_row *rows;
	uint32_t count;
};

static void hosts_add(struct rows *x, const struct ft_floor *floor, uint32_t sw)
{
	for (uint32_t i = 0; i < x->plan->switches[sw].hosts; i++) {
		uint32_t host = x->wiring->first_host[sw] + i;

		if (floor && !ft_plan_is_beside(x->plan, sw) && floor->hosts[host].midplane)
			continue;
		x->rows[x->count++] = (struct ft_cable_row){.host = host,
							    .a = FT_NONE,
							    .b = sw,
							    .bundle = FT_NONE,
							    .wire = FT_NONE,
							    .b_port = x->wiring->hosts[host].port,
							    .kind = "host"};
	}
}

static const char *bundle_kind(const struct ft_plan *plan, const struct ft_plan_bundle *bundle)
{
	enum ft_tier low = plan->switches[bundle->a].tier, high = plan->switches[bundle->b].tier;

	if (ft_plan_is_beside(plan, bundle->a) || ft_plan_is_beside(plan, bundle->b))
		return "island";
	if (plan->topology == FT_TOPOLOGY_GRAPH || low == high)
		return "link";
	return low == FT_TIER_EDGE ? "uplink" : "spine-uplink";
}

/* Of a cable between the tree and an island, the island's switch is first. */
static void bundle_add(struct rows *x, uint32_t index)
{
	const struct ft_plan_bundle *bundle = &x->plan->bundles[index];
	bool to_tree = ft_plan_is_beside(x->plan, bundle->b) && !ft_plan_is_beside(x->plan, bundle->a);

	for (uint32_t k = 0; k < bundle->count; k++) {
		uint32_t wire = x->wiring->first_cable[index] + k;
		const struct ft_wire *ports = &x->wiring->cables[wire];

		x->rows[x->count++] = (struct ft_cable_row){.host = FT_NONE,
							    .a = to_tree ? bundle->b : bundle->a,
							    .b = to_tree ? bundle->a : bundle->b,
							    .bundle = index,
							    .wire = wire,
							    .a_port = to_tree ? ports->b_port : ports->a_port,
							    .b_port = to_tree ? ports->a_port : ports->b_port,
							    .alias = to_tree,
							    .kind = bundle_kind(x->plan, bundle)};
	}
}

int ft_cable_rows_make(const struct ft_plan *plan, const struct ft_wiring *wiring, const struct ft_floor *floor,
		       struct ft_cable_row **ret_rows, uint32_t *ret_count)
{
	struct rows x = {.plan = plan, .wiring = wiring};
	size_t most = ft_plan_host_total(plan);
	uint32_t bundle = 0;

	for (uint32_t i = 0; i < plan->bundle_count; i++)
		most += plan->bundles[i].count;
	x.rows = calloc(most + 1, sizeof(*x.rows));
	if (!x.rows)
		return -ENOMEM;
	for (uint32_t i = 0; i < ft_plan_tree_switches(plan); i++) {
		hosts_add(&x, floor, i);
		for (; bundle < ft_plan_tree_bundles(plan) && plan->bundles[bundle].a == i; bundle++)
			bundle_add(&x, bundle);
	}
	for (uint32_t i = ft_plan_tree_switches(plan); i < plan->switch_count; i++)
		hosts_add(&x, floor, i);
	for (; bundle < plan->bundle_count; bundle++)
		bundle_add(&x, bundle);
	*ret_rows = x.rows;
	*ret_count = x.count;
	return 0;
}
