/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "planner/plan/variant.h"

#include "base/cleanup.h"
#include "planner/plan/plan.h"

void ft_plan_variant_free(struct ft_plan *variant)
{
	if (!variant)
		return;
	free(variant->switches);
	free(variant->bundles);
	free(variant->cables);
	free(variant->hosts);
	free(variant);
}

struct ft_plan *ft_plan_variant(const struct ft_plan *plan)
{
	struct ft_plan *variant = ft_memory_copy(plan, sizeof(*plan));

	if (!variant)
		return NULL;
	variant->switches = ft_memory_copy(plan->switches, plan->switch_count * sizeof(*plan->switches));
	variant->bundles = ft_memory_copy(plan->bundles, plan->bundle_count * sizeof(*plan->bundles));
	variant->cables = ft_memory_copy(plan->cables, plan->cable_count * sizeof(*plan->cables));
	variant->hosts = ft_memory_copy(plan->hosts, plan->host_count * sizeof(*plan->hosts));
	if (variant->switches && variant->bundles && variant->cables && variant->hosts)
		return variant;
	ft_plan_variant_free(variant);
	return NULL;
}

static void cables_close_up(struct ft_plan *plan, const bool *gone)
{
	uint32_t kept = 0, tree = plan->cable_count - plan->beside_cables, beside = 0;

	for (uint32_t i = 0; i < plan->cable_count; i++) {
		if (gone[i])
			continue;
		beside += i >= tree;
		plan->cables[kept++] = plan->cables[i];
	}
	plan->cable_count = kept;
	plan->beside_cables = beside;
}

static void hosts_close_up(struct ft_plan *plan, const bool *gone)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < plan->host_count; i++)
		if (!gone[i])
			plan->hosts[kept++] = plan->hosts[i];
	plan->host_count = kept;
}

static void bundles_close_up(struct ft_plan *plan)
{
	uint32_t kept = 0, tree = ft_plan_tree_bundles(plan), beside = 0;

	for (uint32_t i = 0; i < plan->bundle_count; i++) {
		if (plan->bundles[i].count == 0)
			continue;
		beside += i >= tree;
		plan->bundles[kept++] = plan->bundles[i];
	}
	plan->bundle_count = kept;
	plan->beside_bundles = beside;
}

void ft_plan_leave_out(struct ft_plan *plan, const bool *cables, const bool *hosts)
{
	cables_close_up(plan, cables);
	hosts_close_up(plan, hosts);
	bundles_close_up(plan);
}
