/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/work/net.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"

void ft_work_net_release(struct ft_work_net *traffic)
{
	ft_adjacency_release(&traffic->near);
	free(traffic->cable_bytes_per_ns);
	free(traffic->hosts);
}

bool ft_work_net_leads_down(const struct ft_work_net *traffic, uint32_t from, const struct ft_arc *arc)
{
	const struct ft_plan *plan = traffic->plan;
	uint32_t here = plan->kinds[plan->switches[from].kind].rank;
	uint32_t there = plan->kinds[plan->switches[arc->to].kind].rank;

	return here != FT_NONE && there != FT_NONE && there < here;
}

/* Mb/s are 10^6 bit/s: so many of them are a byte a nanosecond. */
#define MBPS_OF_BYTES_PER_NS 8000.0

static double bytes_per_ns(struct ft_rate rate)
{
	return ft_rate_data_mbps(rate) / MBPS_OF_BYTES_PER_NS;
}

/* The first of the expected rates; where none is given, @otherwise. */
static struct ft_rate rate_or(const struct ft_rates *rates, struct ft_rate otherwise)
{
	return rates->count > 0 && ft_rate_data_mbps(rates->rates[0]) > 0 ? rates->rates[0] : otherwise;
}

/* ---- parts ---- */

/* @ret_part: by switch: the first of its part; @ret_largest: the part with most hosts. */
static int parts_find(const struct ft_work_net *t, uint32_t **ret_part, uint32_t *ret_largest)
{
	size_t count = t->plan->switch_count + 1UL;
	_cleanup_free_ uint32_t *distance = malloc(count * sizeof(*distance));
	_cleanup_free_ uint32_t *order = malloc(count * sizeof(*order));
	_cleanup_free_ uint32_t *part = malloc(count * sizeof(*part));
	uint64_t most = 0;

	if (!distance || !order || !part)
		return -ENOMEM;
	ft_adjacency_forget(distance, t->plan->switch_count);
	*ret_largest = FT_NONE;
	for (uint32_t start = 0; start < t->plan->switch_count; start++) {
		uint32_t found = 0;
		uint64_t hosts = 0;

		if (distance[start] == FT_ADJACENCY_FAR)
			found = ft_adjacency_search(&t->near, t->plan, start, distance, order);
		for (uint32_t i = 0; i < found; i++) {
			part[order[i]] = start;
			hosts += t->plan->switches[order[i]].hosts;
		}
		if (hosts > most) {
			most = hosts;
			*ret_largest = start;
		}
	}
	*ret_part = FT_STEAL(part);
	return 0;
}

/* ---- hosts ---- */

static int hosts_list(const struct ft_design *design, struct ft_work_net *t)
{
	_cleanup_free_ uint32_t *part = NULL;
	uint32_t largest = 0;
	size_t count = 0;
	int r = parts_find(t, &part, &largest);

	if (r < 0)
		return r;
	for (uint32_t i = 0; i < t->plan->switch_count; i++)
		count += t->plan->switches[i].hosts;
	t->hosts = calloc(count + 1, sizeof(*t->hosts));
	if (!t->hosts)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->plan->switch_count; i++) {
		const struct ft_design_class *of = ft_plan_class_of(design, t->plan, i);
		double rate = bytes_per_ns(of ? rate_or(&of->host_rates, t->host_rate) : t->host_rate);

		for (uint32_t n = 0; n < t->plan->switches[i].hosts && part[i] == largest; n++)
			t->hosts[t->host_count++] = (struct ft_work_host){i, rate};
	}
	t->left_out = (uint32_t)(count - t->host_count);
	return 0;
}

int ft_work_net_make(const struct ft_design *design, const struct ft_plan *plan, struct ft_work_net *ret)
{
	int r;

	ret->plan = plan;
	ret->cable_rate_said = design->uplink_rates.count > 0;
	ret->host_rate_said = design->host_rates.count > 0 || ret->cable_rate_said;
	ret->cable_rate = rate_or(&design->uplink_rates, rate_or(&design->host_rates, FT_WORK_NET_RATE));
	ret->host_rate = rate_or(&design->host_rates, ret->cable_rate);
	r = ft_adjacency_make(plan, &ret->near);
	ret->cable_bytes_per_ns = calloc(plan->bundle_count + 1UL, sizeof(*ret->cable_bytes_per_ns));
	if (r < 0 || !ret->cable_bytes_per_ns)
		return -ENOMEM;
	for (uint32_t i = 0; i < plan->bundle_count; i++) {
		double mbps = ft_plan_cable_mbps(design, plan, &plan->bundles[i]);

		ret->cable_bytes_per_ns[i] = mbps > 0 ? mbps / MBPS_OF_BYTES_PER_NS : bytes_per_ns(ret->cable_rate);
	}
	return hosts_list(design, ret);
}
