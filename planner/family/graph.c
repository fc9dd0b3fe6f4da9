/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/family/graph.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "planner/plan/graph_figures.h"
#include "planner/plan/tree.h"

static int kinds_fill(const struct ft_design_graph *graph, struct ft_plan *plan)
{
	plan->kinds = calloc(graph->kind_count + 1UL, sizeof(*plan->kinds));
	if (!plan->kinds)
		return -ENOMEM;
	for (uint32_t i = 0; i < graph->kind_count; i++) {
		plan->kinds[i] = (struct ft_plan_kind){.name = strdup(graph->kinds[i]), .rank = FT_NONE};
		plan->kind_count++;
		if (!plan->kinds[i].name)
			return -ENOMEM;
	}
	for (uint32_t i = 0; i < graph->switch_count; i++)
		plan->kinds[graph->switches[i].kind].may_host |= graph->switches[i].hosts > 0;
	return 0;
}

static int switches_fill(const struct ft_design_graph *graph, struct ft_plan *plan)
{
	uint32_t places[FT_TIER_COUNT] = {0};

	plan->switches = calloc(graph->switch_count + 1UL, sizeof(*plan->switches));
	if (!plan->switches)
		return -ENOMEM;
	for (uint32_t i = 0; i < graph->switch_count; i++) {
		const struct ft_graph_switch *from = &graph->switches[i];
		enum ft_tier tier = plan->kinds[from->kind].may_host ? FT_TIER_EDGE : FT_TIER_CORE;

		plan->switches[i] = (struct ft_plan_switch){
			.name = strdup(from->name),
			.kind = from->kind,
			.tier = tier,
			.ports = from->ports,
			.hosts = from->hosts,
			.hosts_rule = from->hosts,
			.guid = from->guid,
			.pod = FT_NONE,
			.plane = FT_NONE,
			.group = from->group,
			.place = places[tier]++,
		};
		plan->switch_count++;
		if (from->interfaces)
			plan->switches[i].interfaces = strdup(from->interfaces);
		if (!plan->switches[i].name || (from->interfaces && !plan->switches[i].interfaces))
			return -ENOMEM;
		plan->nodes += from->hosts;
	}
	return 0;
}

static int bundles_fill(const struct ft_design_graph *graph, struct ft_plan *plan)
{
	_cleanup_free_ uint32_t *next = calloc(graph->switch_count + 1UL, sizeof(*next));

	plan->bundles = calloc(graph->link_count + 1UL, sizeof(*plan->bundles));
	if (!next || !plan->bundles)
		return -ENOMEM;
	for (uint32_t i = 0; i < graph->switch_count; i++)
		next[i] =
			graph->switches[i].cables_from ? graph->switches[i].cables_from : graph->switches[i].hosts + 1;
	for (uint32_t i = 0; i < graph->link_count; i++) {
		const struct ft_graph_link *from = &graph->links[i];

		plan->bundles[plan->bundle_count++] = (struct ft_plan_bundle){
			from->a, from->b, from->count, from->a_port ? from->a_port : next[from->a],
			from->b_port ? from->b_port : next[from->b]};
		next[from->a] += from->count;
		next[from->b] += from->count;
	}
	return 0;
}

int ft_graph_plan(const struct ft_design_graph *graph, struct ft_plan **ret_plan)
{
	_cleanup_(ft_plan_freep) struct ft_plan *plan = ft_plan_new();
	int r;

	if (!plan)
		return -ENOMEM;
	plan->topology = FT_TOPOLOGY_GRAPH;
	plan->general = true;
	plan->symmetric = graph->symmetric;
	plan->tree->blocking = plan->tree->spine_blocking = (struct ft_ratio){1, 1};
	plan->cost = plan->power_w = plan->weight_kg = plan->size_u = FT_AMOUNT_UNKNOWN;
	r = kinds_fill(graph, plan);
	if (r == 0)
		r = switches_fill(graph, plan);
	if (r == 0)
		r = bundles_fill(graph, plan);
	plan->nodes_max = plan->tree->expandable_to = plan->nodes;
	if (r == 0)
		r = ft_graph_figures(plan);
	if (r < 0)
		return r;
	*ret_plan = FT_STEAL(plan);
	return 0;
}
