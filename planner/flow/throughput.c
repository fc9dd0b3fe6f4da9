/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/flow/throughput.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "planner/flow/flow.h"
#include "planner/flow/traffic.h"
#include "planner/plan/plan.h"

#define ROUNDING 1e-9 /* of a value that is reckoned */

/* The bundles of @plan as arcs, one each way. */
static struct ft_flow_arc *arcs_make(const struct ft_plan *plan, const double *capacity)
{
	struct ft_flow_arc *arcs = calloc(2UL * plan->bundle_count + 1, sizeof(*arcs));

	for (uint32_t i = 0; arcs && i < plan->bundle_count; i++) {
		const struct ft_plan_bundle *bundle = &plan->bundles[i];
		double cables = capacity ? capacity[i] : bundle->count;

		arcs[2 * i] = (struct ft_flow_arc){bundle->a, bundle->b, cables};
		arcs[2 * i + 1] = (struct ft_flow_arc){bundle->b, bundle->a, cables};
	}
	return arcs;
}

static uint32_t *hosts_make(const struct ft_plan *plan, const uint32_t *asked)
{
	uint32_t *hosts = calloc(plan->switch_count + 1UL, sizeof(*hosts));

	for (uint32_t i = 0; hosts && i < plan->switch_count; i++)
		hosts[i] = asked ? asked[i] : plan->switches[i].hosts;
	return hosts;
}

static bool are_two_hosts(const struct ft_plan *plan, const uint32_t *hosts)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < plan->switch_count; i++)
		count += hosts[i];
	return count >= 2;
}

int ft_throughput(const struct ft_plan *plan, const struct ft_throughput_ask *ask, struct ft_throughput *ret)
{
	_cleanup_free_ struct ft_flow_arc *arcs = arcs_make(plan, ask->capacity);
	_cleanup_free_ uint32_t *hosts = hosts_make(plan, ask->hosts);
	_cleanup_(ft_traffic_release) struct ft_traffic_demands demands = {0};
	struct ft_flow_problem problem = {
		.vertex_count = plan->switch_count,
		.arcs = arcs,
		.arc_count = 2UL * plan->bundle_count,
		.gap = ask->gap > 0 ? ask->gap : FT_THROUGHPUT_GAP,
		.enough = ask->network ? 0 : 1 + ROUNDING,
		.steps_max = ask->steps_max,
	};
	struct ft_flow flow;
	int r;

	if (!arcs || !hosts)
		return -ENOMEM;
	if (!are_two_hosts(plan, hosts))
		return -EINVAL;
	r = ft_traffic_make(ask->traffic, &problem, hosts, ask->seed, &demands);
	if (r < 0)
		return r;
	problem.weights = demands.weights;
	problem.demands = demands.list;
	problem.demand_count = demands.count;
	r = ft_flow_solve(&problem, &flow);
	if (r < 0)
		return r;
	*ret = (struct ft_throughput){
		.value = fmin(flow.value, 1),
		.bound = fmin(flow.bound, 1),
		.network = flow.value,
		.network_bound = flow.bound,
		.pairs = flow.pairs,
		.pairs_cut = flow.pairs_cut,
		.rounds = flow.rounds,
		.matching_exact = demands.exact,
	};
	ret->gap = ret->bound > 0 ? 1 - ret->value / ret->bound : 0;
	return 0;
}

int ft_throughput_capacity(const struct ft_design *design, const struct ft_plan *plan, double **ret_capacity)
{
	double hosts = design->host_rates.count > 0 ? ft_rate_data_mbps(design->host_rates.rates[0]) : 0;
	double *capacity = calloc(plan->bundle_count + 1UL, sizeof(*capacity));

	if (!capacity)
		return -ENOMEM;
	for (uint32_t i = 0; i < plan->bundle_count; i++) {
		double cables = ft_plan_cable_mbps(design, plan, &plan->bundles[i]);

		capacity[i] = plan->bundles[i].count * (hosts > 0 && cables > 0 ? cables / hosts : 1);
	}
	*ret_capacity = capacity;
	return 0;
}
