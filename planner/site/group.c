/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Pods and planes of a site's list of cables: edge switches and spines that hang together are a pod, spines and core
 * switches that do are a plane.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "planner/site/site_parts.h"
#include "planner/plan/wiring.h"
#include "planner/plan/tree.h"

struct grouping {
	struct ft_site *site;
	uint32_t *place;  /* by name: the planned switch whose place it has so far; FT_NONE: none */
	uint32_t *parent; /* by planned switch: of one group, towards its head */
	uint32_t *pod;	  /* by planned switch: number of the pod, from 0 in the order of names */
	uint32_t *plane;
	uint32_t *list; /* by planned switch: the name */
};

static void grouping_release(struct grouping *g)
{
	free(g->place);
	free(g->parent);
	free(g->pod);
	free(g->plane);
}

static int group_error(const struct grouping *g, const char *text)
{
	uint32_t line = g->site->sheet->first_line;

	return ft_error_set(g->site->err, -EINVAL, line ? line : 1, 1,
			    "the design does not say what its switches are called, and %s; name them in \"bind\"",
			    text);
}

static uint32_t head_of(struct grouping *g, uint32_t sw)
{
	while (g->parent[sw] != sw) {
		g->parent[sw] = g->parent[g->parent[sw]];
		sw = g->parent[sw];
	}
	return sw;
}

/* Joins what cables between @low and @high tier lead to. Of two heads the first in the order of names stays. */
static void groups_join(struct grouping *g, enum ft_tier low, enum ft_tier high)
{
	const struct ft_site *site = g->site;
	const struct ft_plan_switch *switches = site->plan->switches;

	for (uint32_t i = 0; i < site->plan->switch_count; i++)
		g->parent[i] = i;
	for (size_t row = 0; row < site->sheet->row_count; row++) {
		uint32_t ends[2], heads[2];
		bool planned = true;

		for (unsigned int end = 0; end < 2; end++) {
			uint32_t name = site->ends[row][end];

			ends[end] = name == FT_NONE ? name : g->place[site->names[name].same];
			planned &= ends[end] != FT_NONE;
		}
		if (!planned || switches[ends[0]].tier == switches[ends[1]].tier)
			continue;
		if (switches[ends[0]].tier != low && switches[ends[1]].tier != low)
			continue;
		if (switches[ends[0]].tier != high && switches[ends[1]].tier != high)
			continue;
		heads[0] = head_of(g, ends[0]);
		heads[1] = head_of(g, ends[1]);
		g->parent[heads[0] < heads[1] ? heads[1] : heads[0]] = heads[0] < heads[1] ? heads[0] : heads[1];
	}
}

/* Numbers the groups of switches @first to @past, by the first that each has among them; returns how many. */
static uint32_t groups_number(struct grouping *g, uint32_t first, uint32_t past, uint32_t *numbers)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < g->site->plan->switch_count; i++)
		numbers[i] = FT_NONE;
	for (uint32_t i = first; i < past; i++)
		if (numbers[head_of(g, i)] == FT_NONE)
			numbers[head_of(g, i)] = count++;
	for (uint32_t i = 0; i < g->site->plan->switch_count; i++)
		numbers[i] = numbers[head_of(g, i)];
	return count;
}

/* Pods of unlike sizes: each place of the plan takes the first pod that is left of its size. */
static int pods_fit(struct grouping *g)
{
	const struct ft_plan *plan = g->site->plan;
	_cleanup_free_ uint32_t *have = calloc(plan->tree->pods + 1UL, sizeof(*have)),
				*want = calloc(plan->tree->pods + 1UL, sizeof(*want)),
				*to = calloc(plan->tree->pods + 1UL, sizeof(*to));

	if (!have || !want || !to)
		return -ENOMEM;
	for (uint32_t i = 0; i < plan->tree->edge_count; i++) {
		have[g->pod[i]]++;
		want[plan->switches[i].pod]++;
		to[g->pod[i]] = FT_NONE;
	}
	for (uint32_t p = 0; p < plan->tree->pods; p++) {
		uint32_t k = 0;

		while (k < plan->tree->pods && (to[k] != FT_NONE || have[k] != want[p]))
			k++;
		if (k == plan->tree->pods)
			return group_error(g, "the pods of the list are not of the sizes of the plan");
		to[k] = p;
	}
	for (uint32_t i = 0; i < plan->switch_count; i++)
		if (g->pod[i] != FT_NONE)
			g->pod[i] = to[g->pod[i]];
	return 0;
}

/* Gives each name its planned switch, by pod, plane and the order of names. */
static int places_deal(struct grouping *g)
{
	const struct ft_plan *plan = g->site->plan;
	_cleanup_free_ uint32_t *dealt = calloc(plan->switch_count + 1UL, sizeof(*dealt));

	if (!dealt)
		return -ENOMEM;
	for (uint32_t i = 0; i < plan->switch_count; i++)
		dealt[i] = FT_NONE;
	for (uint32_t i = 0; i < plan->switch_count; i++) {
		const struct ft_plan_switch *mine = &plan->switches[i];
		uint32_t first = ft_plan_tier_first(plan, mine->tier), k = first;
		uint32_t past = first + ft_plan_tier_count(plan, mine->tier);

		while (k < past &&
		       (dealt[k] != FT_NONE || (mine->tier != FT_TIER_CORE && plan->switches[k].pod != g->pod[i]) ||
			(mine->tier != FT_TIER_EDGE && plan->switches[k].plane != g->plane[i])))
			k++;
		if (k == past)
			return group_error(g, "a pod or plane of the list has other switches than one of the plan");
		dealt[k] = g->list[i];
	}
	memcpy(g->list, dealt, plan->switch_count * sizeof(*dealt));
	return 0;
}

static int groups_find(struct grouping *g)
{
	const struct ft_plan *plan = g->site->plan;
	uint32_t cores = ft_plan_tier_first(plan, FT_TIER_CORE);
	int r;

	groups_join(g, FT_TIER_EDGE, FT_TIER_SPINE);
	if (groups_number(g, 0, plan->tree->edge_count, g->pod) != plan->tree->pods)
		return group_error(g, "the list has more or fewer pods than the plan");
	r = pods_fit(g);
	if (r < 0)
		return r;
	groups_join(g, FT_TIER_SPINE, FT_TIER_CORE);
	if (groups_number(g, cores, cores + plan->tree->core_count, g->plane) != plan->tree->planes)
		return group_error(g, "the list has more or fewer planes than the plan");
	return places_deal(g);
}

int ft_site_group(struct ft_site *site, uint32_t *list)
{
	size_t names = site->name_count + 1, switches = site->plan->switch_count + 1UL;
	_cleanup_(grouping_release) struct grouping g = {
		.site = site,
		.place = calloc(names, sizeof(*g.place)),
		.parent = calloc(switches, sizeof(*g.parent)),
		.pod = calloc(switches, sizeof(*g.pod)),
		.plane = calloc(switches, sizeof(*g.plane)),
		.list = list,
	};

	if (!g.place || !g.parent || !g.pod || !g.plane)
		return -ENOMEM;
	for (size_t i = 0; i < names; i++)
		g.place[i] = FT_NONE;
	for (uint32_t i = 0; i < site->plan->switch_count; i++)
		if (list[i] != FT_NONE)
			g.place[site->names[list[i]].same] = i;
	return groups_find(&g);
}
