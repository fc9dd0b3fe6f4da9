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
