/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/graph.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

/* ---- how far hosts are apart ---- */

enum { BATCH = 64 }; /* sources of one search: a bit each */

/*
 * Breadth-first searches from 64 switches at once. A switch is in the queue of a step if a source reached it in the
 * step before. Invariant: after step d, bit s of @seen is set for just the switches within d cables of source s.
 */
struct search {
	const struct ft_plan *plan;
	uint32_t *first;     /* of each switch and one more: where its neighbours begin */
	uint32_t *neighbour; /* switch by switch */
	uint64_t *seen, *now, *next;
	uint32_t *queue, *queue_next;
};

static void search_release(struct search *s)
{
	free(s->first);
	free(s->neighbour);
	free(s->seen);
	free(s->now);
	free(s->next);
	free(s->queue);
	free(s->queue_next);
}

static int search_make(const struct ft_plan *plan, struct search *s)
{
	size_t count = plan->switch_count + 1UL;

	s->plan = plan;
	s->first = calloc(count + 1, sizeof(*s->first));
	s->neighbour = calloc(2UL * plan->bundle_count + 1, sizeof(*s->neighbour));
	s->seen = calloc(count, sizeof(*s->seen));
	s->now = calloc(count, sizeof(*s->now));
	s->next = calloc(count, sizeof(*s->next));
	s->queue = calloc(count, sizeof(*s->queue));
	s->queue_next = calloc(count, sizeof(*s->queue_next));
	if (!s->first || !s->neighbour || !s->seen || !s->now || !s->next || !s->queue || !s->queue_next)
		return -ENOMEM;
	for (uint32_t i = 0; i < plan->bundle_count; i++) {
		s->first[plan->bundles[i].a]++;
		s->first[plan->bundles[i].b]++;
	}
	for (uint32_t i = 1; i < count; i++)
		s->first[i] += s->first[i - 1];
	for (uint32_t i = plan->bundle_count; i-- > 0;) {
		const struct ft_plan_bundle *bundle = &plan->bundles[i];

		s->neighbour[--s->first[bundle->a]] = bundle->b;
		s->neighbour[--s->first[bundle->b]] = bundle->a;
	}
	return 0;
}

/* One step. Returns how many switches are new to some source; @ret_hosts: whether one of them has hosts. */
static uint32_t search_step(struct search *s, uint32_t queued, bool *ret_hosts)
{
	uint32_t found = 0, kept = 0;

	for (uint32_t i = 0; i < queued; i++) {
		uint32_t from = s->queue[i];

		for (uint32_t k = s->first[from]; k < s->first[from + 1]; k++) {
			uint32_t to = s->neighbour[k];

			if (!(s->now[from] & ~s->seen[to] & ~s->next[to]))
				continue;
			if (!s->next[to])
				s->queue_next[found++] = to;
			s->next[to] |= s->now[from] & ~s->seen[to];
		}
	}
	for (uint32_t i = 0; i < queued; i++)
		s->now[s->queue[i]] = 0;
	*ret_hosts = false;
	for (uint32_t i = 0; i < found; i++) {
		uint32_t to = s->queue_next[i];

		s->seen[to] |= s->next[to];
		s->now[to] = s->next[to];
		s->next[to] = 0;
		*ret_hosts |= s->plan->switches[to].hosts > 0;
		s->queue[kept++] = to;
	}
	return kept;
}

/* From the @count switches of @sources: cables to the farthest switch with hosts that is reached. */
static uint32_t search_run(struct search *s, const uint32_t *sources, uint32_t count)
{
	uint32_t farthest = 0, queued = count;

	memset(s->seen, 0, s->plan->switch_count * sizeof(*s->seen));
	for (uint32_t i = 0; i < count; i++) {
		s->queue[i] = sources[i];
		s->now[sources[i]] = s->seen[sources[i]] = 1ULL << i;
	}
	for (uint32_t step = 1; queued > 0; step++) {
		bool hosts;

		queued = search_step(s, queued, &hosts);
		if (hosts)
			farthest = step;
	}
	return farthest;
}

int ft_graph_figures(struct ft_plan *plan)
{
	_cleanup_(search_release) struct search s = {0};
	uint32_t sources[BATCH], count = 0, farthest = 0;
	int r = search_make(plan, &s);

	if (r < 0)
		return r;
	plan->links = plan->nodes;
	plan->spare_ports = 0;
	for (uint32_t i = 0; i < plan->switch_count; i++)
		plan->spare_ports += plan->switches[i].ports - plan->switches[i].hosts;
	for (uint32_t i = 0; i < plan->bundle_count; i++) {
		plan->links += plan->bundles[i].count;
		plan->spare_ports -= 2 * plan->bundles[i].count;
	}
	for (uint32_t i = 0; i <= plan->switch_count; i++) {
		bool last = i == plan->switch_count;
		uint32_t reached;

		if (!last && plan->switches[i].hosts > 0)
			sources[count++] = i;
		if (count < BATCH && !last)
			continue;
		reached = search_run(&s, sources, count);
		farthest = reached > farthest ? reached : farthest;
		count = 0;
	}
	plan->clos = farthest + 1;
	return 0;
}

/* ---- the plan ---- */

static int kinds_fill(const struct ft_design_graph *graph, struct ft_plan *plan)
{
	plan->kinds = calloc(graph->kind_count + 1UL, sizeof(*plan->kinds));
	if (!plan->kinds)
		return -ENOMEM;
	for (uint32_t i = 0; i < graph->kind_count; i++) {
		plan->kinds[i] = (struct ft_plan_kind){.name = strdup(graph->kinds[i]), .rank = FT_UNPINNED};
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
			.pod = FT_UNPINNED,
			.plane = FT_UNPINNED,
			.place = places[tier]++,
		};
		plan->switch_count++;
		if (!plan->switches[i].name)
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
		next[i] = graph->switches[i].hosts + 1;
	for (uint32_t i = 0; i < graph->link_count; i++) {
		const struct ft_graph_link *from = &graph->links[i];

		plan->bundles[plan->bundle_count++] =
			(struct ft_plan_bundle){from->a, from->b, from->count, next[from->a], next[from->b]};
		next[from->a] += from->count;
		next[from->b] += from->count;
	}
	return 0;
}

int ft_graph_plan(const struct ft_design *design, struct ft_plan **ret_plan)
{
	_cleanup_(ft_plan_freep) struct ft_plan *plan = calloc(1, sizeof(*plan));
	int r;

	if (!plan)
		return -ENOMEM;
	plan->topology = FT_TOPOLOGY_GRAPH;
	plan->general = true;
	plan->blocking = plan->spine_blocking = (struct ft_ratio){1, 1};
	plan->cost = plan->power_w = plan->weight_kg = plan->size_u = FT_AMOUNT_UNKNOWN;
	r = kinds_fill(&design->graph, plan);
	if (r == 0)
		r = switches_fill(&design->graph, plan);
	if (r == 0)
		r = bundles_fill(&design->graph, plan);
	plan->nodes_max = plan->expandable_to = plan->nodes;
	if (r == 0)
		r = ft_graph_figures(plan);
	if (r < 0)
		return r;
	*ret_plan = FT_STEAL(plan);
	return 0;
}
