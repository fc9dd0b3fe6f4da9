/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/compare/halves.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/cuts.h"
#include "planner/plan/adjacency.h"
#include "planner/plan/figures.h"

enum { CUTS = 16 };

/* The cables of one cut, with those of the hosts that are too many on their side. */
static uint64_t cut_cables(const struct ft_plan *plan, const uint64_t *side, unsigned int cut)
{
	uint64_t cables = 0, hosts = 0, more;

	for (uint32_t i = 0; i < plan->bundle_count; i++)
		if ((side[plan->bundles[i].a] ^ side[plan->bundles[i].b]) >> cut & 1)
			cables += plan->bundles[i].count;
	for (uint32_t i = 0; i < plan->switch_count; i++)
		hosts += side[i] >> cut & 1 ? plan->switches[i].hosts : 0;
	more = hosts > plan->nodes - hosts ? hosts : plan->nodes - hosts;
	return cables + more - (plan->nodes + 1ULL) / 2;
}

static int cuts_least(const struct ft_plan *plan, uint64_t *best)
{
	_cleanup_(ft_multigraph_release) struct ft_multigraph graph = {0};
	_cleanup_free_ uint32_t *weight = calloc(plan->switch_count + 1UL, sizeof(*weight));
	_cleanup_free_ uint32_t *part = calloc(plan->switch_count + 1UL, sizeof(*part));
	_cleanup_free_ uint64_t *side = calloc(plan->switch_count + 1UL, sizeof(*side));
	struct ft_cut_search search = {&graph, weight, part, 1, side, 0};
	int r;

	if (!weight || !part || !side)
		return -ENOMEM;
	for (uint32_t i = 0; i < plan->switch_count; i++)
		weight[i] = plan->switches[i].hosts;
	r = ft_plan_graph(plan, &graph);
	if (r == 0)
		r = ft_cuts_search(&search, CUTS);
	for (unsigned int n = 0; r == 0 && n < search.count; n++) {
		uint64_t cables = cut_cables(plan, side, n);

		*best = cables < *best ? cables : *best;
	}
	return r;
}

/* Whether halves of the switches with hosts are halves of the hosts. */
static bool are_alike(const struct ft_plan *plan)
{
	uint32_t hosts = 0, count = 0;

	for (uint32_t i = 0; i < plan->switch_count; i++) {
		if (plan->switches[i].hosts == 0)
			continue;
		if (hosts > 0 && plan->switches[i].hosts != hosts)
			return false;
		hosts = plan->switches[i].hosts;
		count++;
	}
	return count % 2 == 0;
}

static struct ft_measured closed(uint64_t cables)
{
	struct ft_measured measured = ft_measured_exact((double)cables);

	measured.how = FT_HOW_CLOSED;
	return measured;
}

int ft_halves_measure(const struct ft_plan *plan, double heaviest, struct ft_measured *ret_measured)
{
	uint64_t half = plan->nodes / 2, best = half;
	double more = plan->nodes - (double)half, low = 0;
	struct ft_figures figures;
	int r;

	if (half == 0) {
		*ret_measured = (struct ft_measured){0};
		return 0;
	}
	if (!plan->general) {
		ft_figures_take(plan, &figures);
		*ret_measured = closed(figures.bisection_links);
		return 0;
	}
	r = cuts_least(plan, &best);
	if (r < 0)
		return r;
	/* Where hosts' own cables are fewer, or a cut beside them, that is found. */
	if (plan->bisection <= best && are_alike(plan)) {
		*ret_measured = closed(plan->bisection);
		return 0;
	}
	/* A sum of shares may be a hair above the whole number that it is. */
	if (heaviest > 0)
		low = ceil((double)half * more / fmax(heaviest, more) - 1e-6);
	*ret_measured = ft_measured_exact((double)best);
	if (low < (double)best) {
		ret_measured->low = low;
		ret_measured->how = FT_HOW_FOUND;
	}
	return 0;
}
