/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/plan/figures.h"

#include <stdio.h>

#include "base/numbers.h"
#include "planner/plan/tree.h"

enum ft_clos_class ft_clos_class(uint32_t m, uint32_t n)
{
	if (m + 1ULL >= 2ULL * n)
		return FT_CLOS_STRICT;
	return m >= n ? FT_CLOS_REARRANGEABLE : FT_CLOS_BLOCKING;
}

const char *ft_clos_class_name(enum ft_clos_class class)
{
	static const char *const names[] = {
		[FT_CLOS_BLOCKING] = "blocking",
		[FT_CLOS_REARRANGEABLE] = "rearrangeable",
		[FT_CLOS_STRICT] = "strict",
	};

	return names[class];
}

static void notation_star(const struct ft_plan *plan, struct ft_figures *f)
{
	snprintf(f->notation, sizeof(f->notation), "XGFT(1; %u; 1)", plan->tree->ports_to_nodes);
	f->exact = true;
}

static void notation_two(const struct ft_plan *plan, struct ft_figures *f)
{
	uint32_t n = plan->tree->ports_to_nodes, e = plan->tree->pod_edges, c = plan->tree->core_count,
		 parallel = plan->tree->ports_to_core / c;

	f->exact = plan->tree->ports_to_core % c == 0;
	if (f->exact && parallel > 1)
		snprintf(f->notation, sizeof(f->notation), "PGFT(2; %u,%u; 1,%u; 1,%u)", n, e, c, parallel);
	else
		snprintf(f->notation, sizeof(f->notation), "XGFT(2; %u,%u; 1,%u)", n, e, c);
}

static void notation_three(const struct ft_plan *plan, struct ft_figures *f)
{
	uint32_t n = plan->tree->ports_to_nodes, e = plan->tree->pod_edges, s = plan->tree->pod_spines,
		 c = plan->tree->plane_cores;
	uint32_t low = plan->tree->ports_to_core / s, high = plan->tree->spine_ports_up / c;

	/*
	 * Spines of a pod that share a plane have the same parents, but switches of an XGFT share all parents or none.
	 */
	if (plan->tree->planes < s)
		return;
	f->exact = plan->tree->ports_to_core % s == 0 && plan->tree->spine_ports_up % c == 0;
	if (f->exact && (low > 1 || high > 1))
		snprintf(f->notation, sizeof(f->notation), "PGFT(3; %u,%u,%u; 1,%u,%u; 1,%u,%u)", n, e,
			 plan->tree->pods_max, s, c, low, high);
	else
		snprintf(f->notation, sizeof(f->notation), "XGFT(3; %u,%u,%u; 1,%u,%u)", n, e, plan->tree->pods_max, s,
			 c);
}

/* Edge switches when the design is full: Emax. */
static uint32_t edges_max(const struct ft_plan *plan)
{
	return plan->tree->expandable_to / plan->tree->ports_to_nodes;
}

/*
 * Cables cut if @edges of the edge switches, taken pod by pod, are on one side. Upper switches are on the side of most
 * of their cables.
 */
static uint64_t cut_of(const struct ft_plan *plan, uint32_t edges)
{
	uint32_t size = plan->tree->levels == 3 ? plan->tree->pod_edges : plan->tree->edge_count;
	uint32_t whole = edges / size, part = edges % size, pods = plan->tree->levels == 3 ? plan->tree->pods : 1;
	uint32_t other = size - part, last = plan->tree->edge_count - whole * size;
	uint64_t cut;

	if (whole >= pods)
		return 0;
	/* The divided pod, if any, may be the last one, and not full. */
	if (last < size)
		other = last - part;
	cut = (uint64_t)plan->tree->ports_to_core * (part < other ? part : other);
	if (plan->tree->levels == 3) {
		uint32_t here = whole + (part > other);

		cut += (uint64_t)plan->tree->pod_spines * plan->tree->spine_ports_up *
		       (here < pods - here ? here : pods - here);
	}
	return cut;
}

/*
 * Hosts that must be on the other side than their switches, if the @edges with the fewest or the most hosts are taken.
 */
static uint64_t strays_of(uint64_t fewest, uint64_t most, uint64_t hosts)
{
	uint64_t half = hosts / 2, more = hosts - half;

	if (most < half)
		return half - most;
	return fewest > more ? fewest - more : 0;
}

/* All numbers of edge switches on one side are tried: hosts are spread nearly evenly, except on the last one. */
static uint32_t bisection(const struct ft_plan *plan)
{
	uint64_t best = plan->nodes / 2, first = 0, last = 0;

	for (uint32_t edges = 1; edges < plan->tree->edge_count; edges++) {
		uint64_t cut;

		/* Edge switches are in descending order of hosts. */
		first += plan->switches[edges - 1].hosts;
		last += plan->switches[plan->tree->edge_count - edges].hosts;
		cut = cut_of(plan, edges) + strays_of(last, first, plan->nodes);
		best = cut < best ? cut : best;
	}
	return (uint32_t)best;
}

static void clos_take(const struct ft_plan *plan, struct ft_figures *f)
{
	enum ft_clos_class upper;

	if (plan->topology == FT_TOPOLOGY_STAR) {
		f->clos_m = f->clos_r = 1;
		f->clos_n = plan->tree->ports_to_nodes;
		f->clos_class = FT_CLOS_STRICT;
		return;
	}
	f->clos_m = plan->tree->ports_to_core;
	f->clos_n = plan->tree->ports_to_nodes;
	f->clos_r = edges_max(plan);
	f->clos_class = ft_clos_class(f->clos_m, f->clos_n);
	if (plan->tree->levels < 3)
		return;
	upper = ft_clos_class(plan->tree->spine_ports_up, plan->tree->pod_edges * plan->tree->bundle);
	if (upper < f->clos_class)
		f->clos_class = upper;
}

/* Ordered pairs of hosts on one edge switch, in one pod, and in all. */
struct pairs {
	int64_t edge, pod, all;
};

static struct pairs pairs_count(const struct ft_plan *plan)
{
	struct pairs pairs = {.all = (int64_t)plan->nodes * (plan->nodes - 1LL)};
	int64_t in_pod = 0;

	for (uint32_t i = 0; i < plan->tree->edge_count; i++) {
		int64_t hosts = plan->switches[i].hosts;

		pairs.edge += hosts * (hosts - 1);
		in_pod += hosts;
		if (i + 1 < plan->tree->edge_count && plan->switches[i + 1].pod == plan->switches[i].pod)
			continue;
		pairs.pod += in_pod * (in_pod - 1);
		in_pod = 0;
	}
	return pairs;
}

static void throughput_take(const struct ft_plan *plan, struct ft_figures *f)
{
	enum { ON_EDGE = 2, IN_POD = 4, ACROSS = 6, DIRECTIONS = 2 };
	struct pairs pairs = pairs_count(plan);
	int64_t cables = ON_EDGE * pairs.edge + IN_POD * (pairs.pod - pairs.edge) + ACROSS * (pairs.all - pairs.pod);

	f->throughput_bound = ft_quantity_count(1);
	f->mean_hops = pairs.all ? (struct ft_quantity){cables, pairs.all} : ft_quantity_count(0);
	/* 2 l / (h f) with h = cables / all and f = nodes. */
	if (pairs.all && DIRECTIONS * (int64_t)plan->links * (plan->nodes - 1LL) < cables)
		f->throughput_bound =
			(struct ft_quantity){DIRECTIONS * (int64_t)plan->links * (plan->nodes - 1LL), cables};
}

/* A director without all of its fabric boards passes only that fraction of its traffic. */
static void boards_take(const struct ft_plan *plan, struct ft_figures *f)
{
	for (int tier = 0; tier < FT_TIER_COUNT; tier++) {
		struct ft_quantity share = {plan->fabric_boards[tier], plan->fabric_boards_max[tier]};

		if (!plan->fabric_boards[tier])
			continue;
		f->clos_class = FT_CLOS_BLOCKING;
		if (ft_quantity_compare(share, f->throughput_bound) < 0)
			f->throughput_bound = share;
	}
}

void ft_figures_take(const struct ft_plan *plan, struct ft_figures *ret_figures)
{
	struct ft_figures f = {.paths = 1};

	if (plan->topology == FT_TOPOLOGY_STAR) {
		notation_star(plan, &f);
	} else if (plan->tree->levels == 2) {
		notation_two(plan, &f);
		f.paths = plan->tree->edge_count > 1 ? plan->tree->core_count : 1;
	} else {
		notation_three(plan, &f);
		f.paths = plan->tree->pod_spines;
		/* A core switch leads to each spine that its plane has of the other pod. */
		if (plan->tree->pods > 1)
			f.paths *= (uint64_t)plan->tree->plane_cores * (plan->tree->pod_spines / plan->tree->planes);
	}
	f.bisection_links = bisection(plan);
	clos_take(plan, &f);
	throughput_take(plan, &f);
	boards_take(plan, &f);
	f.full = plan->tree->levels < 3 || (uint64_t)plan->tree->pod_edges * plan->tree->pods_max == edges_max(plan);
	*ret_figures = f;
}
