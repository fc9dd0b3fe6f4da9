/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What single failures separate. */
#include "planner/compare/outage.h"

#include <errno.h>

#include "base/bridges.h"
#include "base/cleanup.h"
#include "planner/plan/adjacency.h"

struct search {
	const struct ft_plan *plan;
	struct ft_multigraph graph;
	struct ft_depth depth;
	uint32_t *hosts;   /* by switch: of its subtree */
	uint32_t *hanging; /* by switch: hosts of the subtrees that hang on it alone, */
	uint32_t *largest; /* and of the largest of these */
	struct ft_arena memory;
};

static void search_release(struct search *s)
{
	ft_multigraph_release(&s->graph);
	ft_arena_release(&s->memory);
}

static int search_make(const struct ft_plan *plan, struct search *s)
{
	uint32_t **const lists[] = {&s->hosts, &s->hanging, &s->largest};

	s->plan = plan;
	for (size_t i = 0; i < FT_COUNT(lists); i++)
		*lists[i] = ft_arena_zeros(&s->memory, plan->switch_count + 1UL, sizeof(**lists[i]));
	return ft_plan_graph(plan, &s->graph) ?: ft_depth_search(&s->graph, &s->memory, &s->depth);
}

static void hosts_add_up(struct search *s)
{
	const struct ft_depth *d = &s->depth;

	for (uint32_t i = 0; i < d->count; i++)
		s->hosts[i] = s->plan->switches[i].hosts;
	for (uint32_t t = d->count; t > 0; t--) {
		uint32_t at = d->order[t], above = d->parent[at];

		if (above == FT_NONE)
			continue;
		s->hosts[above] += s->hosts[at];
		if (!ft_depth_hangs(d, at))
			continue;
		s->hanging[above] += s->hosts[at];
		s->largest[above] = ft_number_most(s->largest[above], s->hosts[at]);
	}
}

/* Hosts of the largest part, and of the largest but one: a failure in the first may leave the second as largest. */
struct parts {
	uint32_t first, second;
	uint32_t root; /* of the first */
};

static struct parts parts_find(const struct search *s)
{
	struct parts parts = {.root = FT_NONE};

	for (uint32_t i = 0; i < s->depth.count; i++) {
		if (s->depth.parent[i] != FT_NONE)
			continue;
		if (parts.root == FT_NONE || s->hosts[i] > parts.first) {
			parts.second = parts.first;
			parts.first = s->hosts[i];
			parts.root = i;
		} else {
			parts.second = ft_number_most(parts.second, s->hosts[i]);
		}
	}
	return parts;
}

static void worst_of(const struct search *s, const struct parts *parts, uint32_t at, struct ft_cut_off *worst)
{
	uint32_t above = parts->first - s->plan->switches[at].hosts - s->hanging[at];
	uint32_t left = ft_number_most(ft_number_most(above, s->largest[at]), parts->second);

	worst->by_switch = ft_number_most(worst->by_switch, parts->first - left);
	if (!ft_depth_is_bridge(&s->depth, &s->graph, at))
		return;
	left = ft_number_most(ft_number_most(s->hosts[at], parts->first - s->hosts[at]), parts->second);
	worst->by_cable = ft_number_most(worst->by_cable, parts->first - left);
}

int ft_outage_cut_off(const struct ft_plan *plan, struct ft_cut_off *ret_cut_off)
{
	_cleanup_(search_release) struct search s = {0};
	struct ft_cut_off worst = {0};
	struct parts parts;
	int r = search_make(plan, &s);

	if (r < 0)
		return r;
	hosts_add_up(&s);
	parts = parts_find(&s);
	for (uint32_t t = 1; t <= s.depth.count; t++)
		if (t >= s.depth.entered[parts.root] && t <= s.depth.last[parts.root])
			worst_of(&s, &parts, s.depth.order[t], &worst);
	*ret_cut_off = worst;
	return 0;
}
