/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/flow/traffic.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/chance.h"
#include "base/cleanup.h"
#include "planner/flow/matching.h"

static const char *const traffic_names[FT_TRAFFIC_COUNT] = {
	[FT_TRAFFIC_ALL_TO_ALL] = "all-to-all",
	[FT_TRAFFIC_PERMUTATION] = "permutation",
	[FT_TRAFFIC_WORST_MATCHING] = "worst-matching",
};

const char *ft_traffic_name(enum ft_traffic traffic)
{
	return traffic_names[traffic];
}

int ft_traffic_find(const char *name)
{
	for (int i = 0; i < FT_TRAFFIC_COUNT; i++)
		if (strcmp(traffic_names[i], name) == 0)
			return i;
	return -EINVAL;
}

void ft_traffic_release(struct ft_traffic_demands *demands)
{
	free(demands->weights);
	free(demands->list);
}

static uint64_t hosts_count(const uint32_t *hosts, uint32_t vertices)
{
	uint64_t count = 0;

	for (uint32_t v = 0; v < vertices; v++)
		count += hosts[v];
	return count;
}

/* From switch to switch: of each host of the one, the share that each host of the other has of all others. */
static int all_to_all_make(const struct ft_flow_problem *graph, const uint32_t *hosts, struct ft_traffic_demands *ret)
{
	double others = (double)(hosts_count(hosts, graph->vertex_count) - 1);

	ret->weights = calloc(graph->vertex_count + 1UL, sizeof(*ret->weights));
	if (!ret->weights)
		return -ENOMEM;
	for (uint32_t v = 0; v < graph->vertex_count; v++)
		ret->weights[v] = hosts[v] / sqrt(others);
	return 0;
}

static int by_ends(const void *a, const void *b)
{
	const struct ft_flow_demand *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->to > y->to) - (x->to < y->to);
}

/* Demands of the same two switches become one. */
static void list_merge(struct ft_traffic_demands *demands)
{
	size_t kept = 0;

	qsort(demands->list, demands->count, sizeof(*demands->list), by_ends);
	for (size_t i = 0; i < demands->count; i++) {
		struct ft_flow_demand *last = kept > 0 ? &demands->list[kept - 1] : NULL;

		if (last && by_ends(last, &demands->list[i]) == 0)
			last->amount += demands->list[i].amount;
		else
			demands->list[kept++] = demands->list[i];
	}
	demands->count = kept;
}

/*
 * A cycle of all hosts, so that none sends to itself. Source: S. Sattolo, "An algorithm to generate a random cyclic
 * permutation", 1986.
 */
static int permutation_make(const struct ft_flow_problem *graph, const uint32_t *hosts, uint64_t seed,
			    struct ft_traffic_demands *ret)
{
	uint32_t count = (uint32_t)hosts_count(hosts, graph->vertex_count), filled = 0;
	_cleanup_free_ uint32_t *at = calloc(count + 1UL, sizeof(*at));	    /* by host: its switch */
	_cleanup_free_ uint32_t *sink = calloc(count + 1UL, sizeof(*sink)); /* by host: the switch that it sends to */

	ret->list = calloc(count + 1UL, sizeof(*ret->list));
	if (!at || !sink || !ret->list)
		return -ENOMEM;
	for (uint32_t v = 0; v < graph->vertex_count; v++)
		for (uint32_t i = 0; i < hosts[v]; i++)
			at[filled++] = v;
	memcpy(sink, at, count * sizeof(*at));
	for (uint32_t i = count; i-- > 1;) {
		uint32_t other = ft_chance_below(&seed, i), kept = sink[i];

		sink[i] = sink[other];
		sink[other] = kept;
	}
	for (uint32_t i = 0; i < count; i++)
		ret->list[i] = (struct ft_flow_demand){at[i], sink[i], 1};
	ret->count = count;
	list_merge(ret);
	return 0;
}

int ft_traffic_make(enum ft_traffic traffic, const struct ft_flow_problem *graph, const uint32_t *hosts, uint64_t seed,
		    struct ft_traffic_demands *ret)
{
	*ret = (struct ft_traffic_demands){0};
	switch (traffic) {
	case FT_TRAFFIC_PERMUTATION:
		return permutation_make(graph, hosts, seed, ret);
	case FT_TRAFFIC_WORST_MATCHING:
		return ft_matching_longest(graph, hosts, &ret->list, &ret->count, &ret->exact);
	default:
		return all_to_all_make(graph, hosts, ret);
	}
}
