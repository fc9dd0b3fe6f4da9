/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/compare/loads.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "planner/plan/adjacency.h"

/*
 * All searches begin at the destination. Invariant of @order: switches in ascending distance, those without a path
 * left out.
 */
struct work {
	const struct ft_plan *plan;
	struct ft_adjacency near;
	uint32_t *distance; /* by switch */
	uint32_t *order;
	double *flow;	 /* by switch: what arrives there on its way to the destination */
	double *load[2]; /* by bundle: in the direction from a to b, and from b to a */
};

static void work_release(struct work *w)
{
	ft_adjacency_release(&w->near);
	free(w->distance);
	free(w->order);
	free(w->flow);
	free(w->load[0]);
	free(w->load[1]);
}

static int work_make(const struct ft_plan *plan, struct work *w)
{
	w->plan = plan;
	w->distance = calloc(plan->switch_count + 1UL, sizeof(*w->distance));
	w->order = calloc(plan->switch_count + 1UL, sizeof(*w->order));
	w->flow = calloc(plan->switch_count + 1UL, sizeof(*w->flow));
	for (int i = 0; i < 2; i++)
		w->load[i] = calloc(plan->bundle_count + 1UL, sizeof(*w->load[i]));
	if (!w->distance || !w->order || !w->flow || !w->load[0] || !w->load[1])
		return -ENOMEM;
	return ft_adjacency_make(plan, &w->near);
}

/* Returns how many switches are reached. */
static uint32_t search(struct work *w, uint32_t from)
{
	ft_adjacency_forget(w->distance, w->plan->switch_count);
	return ft_adjacency_search(&w->near, w->plan, from, w->distance, w->order);
}

/* What arrives at a switch goes on to all of its neighbours that are nearer, by the cables to each. */
static void pass_on(struct work *w, uint32_t at)
{
	const struct ft_plan_bundle *bundles = w->plan->bundles;
	uint32_t cables = 0;

	for (uint32_t k = w->near.first[at]; k < w->near.first[at + 1]; k++)
		if (w->distance[w->near.arcs[k].to] < w->distance[at])
			cables += bundles[w->near.arcs[k].bundle].count;
	for (uint32_t k = w->near.first[at]; k < w->near.first[at + 1]; k++) {
		const struct ft_arc *arc = &w->near.arcs[k];
		double share;

		if (w->distance[arc->to] >= w->distance[at])
			continue;
		share = w->flow[at] * bundles[arc->bundle].count / cables;
		w->flow[arc->to] += share;
		w->load[at != bundles[arc->bundle].a][arc->bundle] += share;
	}
}

/* The traffic of all other hosts to those of switch @to, the farthest first. */
static void flood(struct work *w, uint32_t to, uint32_t reached)
{
	const struct ft_plan_switch *switches = w->plan->switches;

	for (uint32_t i = 0; i < reached; i++)
		w->flow[w->order[i]] = (double)switches[w->order[i]].hosts * switches[to].hosts;
	for (uint32_t i = reached; i-- > 1;)
		pass_on(w, w->order[i]);
}

static void add_distances(const struct work *w, uint32_t from, uint32_t reached, struct ft_loads *loads)
{
	const struct ft_plan_switch *switches = w->plan->switches;
	uint64_t hosts = 0;

	for (uint32_t i = 0; i < reached; i++) {
		const struct ft_plan_switch *sw = &switches[w->order[i]];
		uint32_t distance = w->distance[w->order[i]];

		loads->diameter_all = distance > loads->diameter_all ? distance : loads->diameter_all;
		if (switches[from].hosts == 0 || sw->hosts == 0)
			continue;
		hosts += sw->hosts;
		loads->diameter = distance > loads->diameter ? distance : loads->diameter;
		loads->switches_cables += distance;
		loads->hosts_cables += (double)distance * sw->hosts * switches[from].hosts;
	}
	if (switches[from].hosts > 0 && hosts != w->plan->nodes)
		loads->connected = false;
}

int ft_loads_take(const struct ft_plan *plan, struct ft_loads *ret_loads)
{
	_cleanup_(work_release) struct work w = {0};
	struct ft_loads loads = {.connected = true};
	int r = work_make(plan, &w);

	if (r < 0)
		return r;
	for (uint32_t i = 0; i < plan->switch_count; i++) {
		uint32_t reached = search(&w, i), degree = w.near.first[i + 1] - w.near.first[i];

		loads.degree = degree > loads.degree ? degree : loads.degree;
		add_distances(&w, i, reached, &loads);
		if (plan->switches[i].hosts > 0)
			flood(&w, i, reached);
	}
	for (uint32_t i = 0; i < plan->bundle_count; i++)
		loads.heaviest = fmax(loads.heaviest, fmax(w.load[0][i], w.load[1][i]) / plan->bundles[i].count);
	*ret_loads = loads;
	return 0;
}

double ft_moore_bound(uint32_t degree, uint32_t diameter)
{
	double bound = 1, shell = degree;

	for (uint32_t i = 0; i < diameter; i++, shell *= (double)degree - 1)
		bound += shell;
	return bound;
}
