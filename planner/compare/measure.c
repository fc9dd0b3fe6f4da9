/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/compare/measure.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "planner/compare/halves.h"
#include "planner/compare/loads.h"
#include "planner/compare/outage.h"
#include "planner/compare/price.h"
#include "planner/flow/throughput.h"
#include "planner/plan/figures.h"
#include "planner/plan/tree.h"

/* ---- its name ---- */

/* "5x6", "2^10": a size that many dimensions have once. */
static void add_dims(struct ft_text *text, const struct ft_plan *plan)
{
	enum { POWER_MIN = 3 };
	uint32_t same;

	for (uint32_t i = 0; i < plan->dim_count; i += same) {
		for (same = 1; i + same < plan->dim_count && plan->dims[i + same] == plan->dims[i];)
			same++;
		same = same < POWER_MIN ? 1 : same;
		ft_text_printf(text, "%s%u", i > 0 ? "x" : "", plan->dims[i]);
		if (same > 1)
			ft_text_printf(text, "^%u", same);
	}
}

static void add_network(struct ft_text *text, const struct ft_plan *plan)
{
	if (plan->topology == FT_TOPOLOGY_STAR) {
		ft_text_puts(text, "star");
	} else if (!plan->label) {
		ft_text_puts(text, ft_topology_name(plan->topology));
		if (plan->topology == FT_TOPOLOGY_FAT_TREE)
			ft_text_printf(text, " %u levels", plan->tree->levels);
	} else {
		ft_text_printf(text, "%s ", plan->called);
		if (plan->dim_count > 0)
			add_dims(text, plan);
		else
			ft_text_puts(text, plan->label);
	}
}

/* What tells switches apart for who buys them: the model, or else the ports. */
static bool is_same(const struct ft_plan *plan, uint32_t a, uint32_t b)
{
	const char *one = plan->models[plan->switches[a].tier], *other = plan->models[plan->switches[b].tier];

	return plan->switches[a].ports == plan->switches[b].ports && !one == !other &&
	       (!one || strcmp(one, other) == 0);
}

/* The model of a switch, or its ports. */
static void add_kind(struct ft_text *text, const struct ft_plan *plan, uint32_t index)
{
	const char *model = plan->models[plan->switches[index].tier];
	uint32_t ports = plan->switches[index].ports;

	if (model)
		ft_text_add_safe(text, model, strlen(model));
	else
		ft_text_printf(text, "%u port%s", ports, ft_text_s(ports));
}

/* "556 x Mellanox SX6036 (36 ports) + 2 x …", as many of each as there are. O(switches x kinds of them). */
static void add_switches(struct ft_text *text, const struct ft_plan *plan)
{
	uint32_t kinds[FT_TIER_COUNT * 2], counts[FT_TIER_COUNT * 2], found = 0;

	for (uint32_t i = 0; i < plan->switch_count; i++) {
		uint32_t kind = 0;

		while (kind < found && !is_same(plan, kinds[kind], i))
			kind++;
		if (kind == FT_COUNT(kinds)) {
			ft_text_printf(text, "%u switches of many kinds", plan->switch_count);
			return;
		}
		if (kind == found) {
			kinds[found] = i;
			counts[found++] = 0;
		}
		counts[kind]++;
	}
	for (uint32_t kind = 0; kind < found; kind++) {
		ft_text_printf(text, "%s%u x ", text->length ? " + " : "", counts[kind]);
		add_kind(text, plan, kinds[kind]);
	}
}

static bool are_alike(const struct ft_plan *plan)
{
	for (uint32_t i = 1; i < plan->switch_count; i++)
		if (!is_same(plan, 0, i))
			return false;
	return plan->switch_count > 0;
}

static int name(const struct ft_plan *plan, struct ft_compared *row)
{
	_cleanup_(ft_text_release) struct ft_text network = {0}, switches = {0}, kind = {0};

	add_network(&network, plan);
	add_switches(&switches, plan);
	if (are_alike(plan))
		add_kind(&kind, plan, 0);
	if (ft_text_failed(&network) || ft_text_failed(&switches) || kind.failed)
		return -ENOMEM;
	row->network = FT_STEAL(network.data);
	row->switches = FT_STEAL(switches.data);
	row->switch_kind = FT_STEAL(kind.data);
	return 0;
}

/* ---- distances and throughput ---- */

/* What no routing exceeds: cables, each once a direction, over what all hosts need of them at full rate (002, "An
 * application-oblivious throughput bound"), and the fabric boards of directors. */
static double throughput_bound(const struct ft_plan *plan, const struct ft_loads *loads, double cables)
{
	double bound = 1;

	if (loads->hosts_cables > 0)
		bound = fmin(bound, 2 * cables * (plan->nodes - 1.0) / loads->hosts_cables);
	if (!plan->general) {
		struct ft_figures figures;

		ft_figures_take(plan, &figures);
		bound = fmin(bound, (double)figures.throughput_bound.num / (double)figures.throughput_bound.den);
	}
	return bound;
}

/*
 * All shortest paths together carry so much; where the bound above is not met by that, a concurrent flow is searched
 * for (planner/flow), which narrows both. @heaviest, the pairs over the busiest cable, follows what is carried.
 */
static int throughput(const struct ft_plan *plan, const struct ft_compare_ask *ask, double bound, double *heaviest,
		      struct ft_measured *ret_measured)
{
	enum { STEPS = 400000000, ROUND_MOST = 100000000 }; /* half a second; arcs of all searches, a second */
	const struct ft_throughput_ask flow_ask = {
		.traffic = FT_TRAFFIC_ALL_TO_ALL, .gap = ask->gap, .steps_max = ask->gap > 0 ? 0 : STEPS};
	double value = *heaviest > 0 ? fmin(bound, (plan->nodes - 1.0) / *heaviest) : bound;
	struct ft_throughput flow;
	int r;

	/* The steps are counted after each round. */
	if (ask->gap <= 0 && (double)plan->switch_count * 2 * plan->bundle_count > ROUND_MOST)
		value = fmin(value, bound);
	else if (!ask->brief && value < bound * (1 - 1e-9)) {
		r = ft_throughput(plan, &flow_ask, &flow);
		if (r < 0)
			return r;
		bound = fmin(bound, flow.bound);
		value = fmin(fmax(value, flow.value), bound);
		*heaviest = fmin(*heaviest, (plan->nodes - 1.0) / flow.network);
	}
	*ret_measured = ft_measured_exact(bound);
	if (value < bound * (1 - 1e-9))
		*ret_measured = (struct ft_measured){value, value, bound, FT_HOW_FOUND};
	return 0;
}

/* Pairs of switches with hosts, for the mean. */
static double hosting_pairs(const struct ft_plan *plan)
{
	double hosting = 0;

	for (uint32_t i = 0; i < plan->switch_count; i++)
		hosting += plan->switches[i].hosts > 0;
	return hosting * (hosting - 1);
}

static int measure_distances(const struct ft_plan *plan, const struct ft_compare_ask *ask, struct ft_loads *loads,
			     struct ft_compared *row)
{
	double cables = row->figures[FT_COMPARED_SWITCH_CABLES].value, bound, pairs = hosting_pairs(plan);
	int r = ft_loads_take(plan, loads);

	if (r < 0)
		return r;
	if (!loads->connected) {
		row->apart = true;
		row->figures[FT_COMPARED_THROUGHPUT_BOUND] = ft_measured_exact(0);
		row->figures[FT_COMPARED_THROUGHPUT] = ft_measured_exact(0);
		return 0;
	}
	row->figures[FT_COMPARED_DIAMETER] = ft_measured_exact(loads->diameter);
	row->figures[FT_COMPARED_MEAN_HOPS] = ft_measured_exact(pairs > 0 ? (double)loads->switches_cables / pairs : 0);
	row->figures[FT_COMPARED_OF_MOORE] =
		ft_measured_exact(plan->switch_count / ft_moore_bound(loads->degree, loads->diameter_all));
	row->figures[FT_COMPARED_OF_MOORE].how = FT_HOW_CLOSED;
	if (plan->nodes < 2)
		return 0;
	bound = throughput_bound(plan, loads, cables);
	row->figures[FT_COMPARED_THROUGHPUT_BOUND] = ft_measured_exact(bound);
	row->figures[FT_COMPARED_THROUGHPUT_BOUND].how = FT_HOW_CLOSED;
	return throughput(plan, ask, bound, &loads->heaviest, &row->figures[FT_COMPARED_THROUGHPUT]);
}

/* ---- failures ---- */

static int measure_failures(const struct ft_plan *plan, const struct ft_compare_ask *ask, struct ft_compared *row)
{
	struct ft_cut_off cut_off;
	struct ft_lost lost;
	int r = ft_outage_lost(plan, ask->seed, ask->orders, &lost);

	if (r == 0)
		row->figures[FT_COMPARED_LINKS_LOST] =
			(struct ft_measured){lost.median, lost.p10, lost.p90, FT_HOW_SAMPLED};
	else if (r != -ENODATA)
		return r;
	/* Where hosts are apart from the first, one more failure is not what cuts them off. */
	if (row->apart)
		return 0;
	r = ft_outage_cut_off(plan, &cut_off);
	if (r < 0)
		return r;
	row->figures[FT_COMPARED_SWITCH_CUTS_OFF] = ft_measured_exact(cut_off.by_switch);
	if (plan->bundle_count > 0)
		row->figures[FT_COMPARED_CABLE_CUTS_OFF] = ft_measured_exact(cut_off.by_cable);
	return 0;
}

/* Switches times directions of bundles: a search from each switch takes so much, some ten seconds. */
#define SEARCHED_MOST 2e9

int ft_compared_measure(const struct ft_plan *whole, const struct ft_compare_ask *ask, struct ft_compared *row)
{
	const struct ft_plan plan = ft_plan_tree(whole);
	struct ft_loads loads = {0};
	int r = name(&plan, row);

	row->nodes = plan.nodes;
	row->one_group = plan.label && plan.group_count == 1;
	if (r == 0)
		r = ft_price_measure(&plan, ask->catalog, row);
	row->is_large = (double)plan.switch_count * 2 * plan.bundle_count > SEARCHED_MOST;
	if (r == 0 && !row->is_large)
		r = measure_distances(&plan, ask, &loads, row);
	if (r == 0 && !ask->brief && loads.connected)
		r = ft_halves_measure(&plan, loads.heaviest, &row->figures[FT_COMPARED_BISECTION]);
	if (r == 0)
		r = measure_failures(&plan, ask, row);
	return r;
}
