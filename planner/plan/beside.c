/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What hangs on the tree, behind it in the plan's lists: the tree without it, and what it comes to. */
#include <errno.h>
#include <stdlib.h>

#include "planner/plan/plan.h"

struct ft_plan ft_plan_tree(const struct ft_plan *plan)
{
	struct ft_plan tree = *plan;

	tree.switch_count -= tree.beside_switches;
	tree.bundle_count -= tree.beside_bundles;
	tree.cable_count -= tree.beside_cables;
	tree.beside_switches = tree.beside_bundles = tree.beside_cables = 0;
	return tree;
}

int ft_plan_set_aside(struct ft_plan *plan, struct ft_plan_aside *ret_aside)
{
	struct ft_plan_aside aside = {NULL, plan->beside_switches, plan->beside_bundles};

	aside.bundles = malloc((aside.bundle_count + 1UL) * sizeof(*aside.bundles));
	if (!aside.bundles)
		return -ENOMEM;
	for (uint32_t i = 0; i < aside.bundle_count; i++)
		aside.bundles[i] = plan->bundles[ft_plan_tree_bundles(plan) + i];
	*plan = ft_plan_tree(plan);
	*ret_aside = aside;
	return 0;
}

/* Nobody says in which ports the cables of islands are. */
static int cables_take_back(struct ft_plan *plan, const struct ft_plan_aside *aside)
{
	struct ft_plan_cable *cables;
	size_t count = plan->cable_count;

	for (uint32_t i = 0; i < aside->bundle_count; i++)
		count += aside->bundles[i].count;
	cables = realloc(plan->cables, (count + 1) * sizeof(*cables));
	if (!cables)
		return -ENOMEM;
	plan->cables = cables;
	for (uint32_t i = 0; i < aside->bundle_count; i++)
		for (uint32_t k = 0; k < aside->bundles[i].count; k++) {
			cables[plan->cable_count++] =
				(struct ft_plan_cable){aside->bundles[i].a, aside->bundles[i].b, 0, 0};
			plan->beside_cables++;
		}
	return 0;
}

int ft_plan_take_back(struct ft_plan *plan, struct ft_plan_aside *aside)
{
	struct ft_plan_bundle *bundles =
		realloc(plan->bundles, (plan->bundle_count + aside->bundle_count + 1UL) * sizeof(*bundles));
	int r = 0;

	plan->switch_count += aside->switch_count;
	plan->beside_switches = aside->switch_count;
	if (bundles) {
		plan->bundles = bundles;
		for (uint32_t i = 0; i < aside->bundle_count; i++)
			bundles[plan->bundle_count++] = aside->bundles[i];
		plan->beside_bundles = aside->bundle_count;
		r = plan->cable_count > 0 ? cables_take_back(plan, aside) : 0;
	}
	free(aside->bundles);
	*aside = (struct ft_plan_aside){0};
	return bundles ? r : -ENOMEM;
}

uint32_t ft_plan_island_cables(const struct ft_plan *plan)
{
	uint32_t cables = 0;

	for (uint32_t i = ft_plan_tree_bundles(plan); i < plan->bundle_count; i++)
		cables += plan->bundles[i].count;
	return cables;
}

uint32_t ft_plan_island_hosts(const struct ft_plan *plan)
{
	uint32_t hosts = 0;

	for (uint32_t i = ft_plan_tree_switches(plan); i < plan->switch_count; i++)
		hosts += plan->switches[i].hosts;
	return hosts;
}
