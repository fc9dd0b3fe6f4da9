/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Bundles and uplinks of two levels: of all the rules of the design file to spread uplinks over the core switches, the
 * simplest of those that leave the fewest cables missing or too many.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "verify/infer_parts.h"

/* What edges have to one core. */
struct column {
	struct ft_tally pairs;
	uint32_t core; /* live switch */
	uint32_t cables;
	uint32_t order; /* by name */
};

struct columns {
	struct column *column; /* those with the most cables first, as in the plan */
	uint32_t count;
	uint32_t room; /* cables that a core has ports for from each edge */
};

/* A rule to spread uplinks. */
struct rule {
	enum ft_spread spread;
	uint32_t multiple;
	uint32_t bundle; /* of equal or thick bundles; else 0 */
	uint32_t uplinks;
	bool pinned; /* the bundle is said; else core.ports give it */
};

/* The choice so far. */
struct contest {
	const struct columns *columns;
	struct rule best;
	uint64_t cost; /* cables missing or too many */
};

static uint32_t share_of(const struct rule *rule, uint32_t cores, uint32_t i, uint32_t left)
{
	uint32_t unit = rule->spread == FT_SPREAD_MULTIPLE ? rule->multiple : 1;
	uint32_t units = (rule->uplinks + unit - 1) / unit, share;

	if (rule->spread == FT_SPREAD_THICK) {
		share = left > cores - 1 - i ? left - (cores - 1 - i) : 0;
		return share < rule->bundle ? share : rule->bundle;
	}
	share = (units / cores + (i < units % cores)) * unit;
	return share < left ? share : left;
}

static uint64_t column_cost(const struct ft_tally *pairs, uint32_t share)
{
	uint64_t cost = 0;

	for (uint32_t value = 0; value < FT_TALLY_MAX; value++)
		cost += (uint64_t)pairs->votes[value] * (value > share ? value - share : share - value);
	return cost;
}

/* UINT64_MAX: the rule leaves a core without any cable or with too many, or a cable without a core. */
static uint64_t rule_cost(const struct rule *rule, const struct columns *columns)
{
	uint32_t left = rule->uplinks;
	uint64_t cost = 0;

	for (uint32_t i = 0; i < columns->count; i++) {
		uint32_t share = share_of(rule, columns->count, i, left);

		if (share == 0 || share > columns->room)
			return UINT64_MAX;
		left -= share;
		cost += column_cost(&columns->column[i].pairs, share);
	}
	return left > 0 ? UINT64_MAX : cost;
}

/* Of equal rules the one that was tried first stays. */
static void contest_enter(struct contest *contest, struct rule rule)
{
	uint64_t cost = rule_cost(&rule, contest->columns);

	if (cost < contest->cost) {
		contest->cost = cost;
		contest->best = rule;
	}
}

static void contest_thick(struct contest *contest, uint32_t uplinks)
{
	uint32_t cores = contest->columns->count, most = uplinks - (cores - 1);
	struct rule rule = {.spread = FT_SPREAD_THICK, .uplinks = uplinks, .pinned = true};

	/* A pinned bundle must lead to as many cores; without one it is as thick as a core has ports for. */
	for (rule.bundle = 2; rule.bundle <= most; rule.bundle++)
		if ((uplinks + rule.bundle - 1) / rule.bundle == cores)
			contest_enter(contest, rule);
	rule.bundle = contest->columns->room < most ? contest->columns->room : most;
	rule.pinned = false;
	if (rule.bundle > 0)
		contest_enter(contest, rule);
}

/* All rules for so many uplinks. */
static void contest_uplinks(struct contest *contest, uint32_t uplinks)
{
	uint32_t cores = contest->columns->count;

	if (uplinks < cores)
		return;
	if (uplinks % cores == 0)
		contest_enter(contest, (struct rule){FT_SPREAD_EVEN, 0, uplinks / cores, uplinks, true});
	contest_enter(contest, (struct rule){.spread = FT_SPREAD_EVEN, .uplinks = uplinks});
	contest_thick(contest, uplinks);
	for (uint32_t m = 2; m <= uplinks / cores + 1; m++)
		contest_enter(contest, (struct rule){.spread = FT_SPREAD_MULTIPLE, .multiple = m, .uplinks = uplinks});
}

/* ---- */

static int wider_first(const void *a, const void *b)
{
	const struct column *x = a, *y = b;

	if (x->cables != y->cables)
		return x->cables > y->cables ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static void column_fill(const struct ft_inference *f, struct column *column)
{
	uint32_t seen = 0;

	for (uint32_t n = f->near_first[column->core]; n < f->near_first[column->core + 1]; n++) {
		if (f->fit.role[f->near[n].live] != FT_TIER_EDGE)
			continue;
		ft_tally_add(&column->pairs, f->near[n].cables);
		column->cables += f->near[n].cables;
		seen++;
	}
	column->pairs.votes[0] += f->count[FT_TIER_EDGE] - seen;
}

/* How many cables most edges have to the core level: what swaps and cables on the wrong core do not change. */
static uint32_t usual_uplinks(const struct ft_inference *f)
{
	struct ft_tally tally = {0};

	for (uint32_t i = 0; i < f->count[FT_TIER_EDGE]; i++) {
		uint32_t edge = f->member[FT_TIER_EDGE][i], cables = 0;

		for (uint32_t n = f->near_first[edge]; n < f->near_first[edge + 1]; n++)
			if (f->fit.role[f->near[n].live] == FT_TIER_CORE)
				cables += f->near[n].cables;
		ft_tally_add(&tally, cables);
	}
	return ft_tally_mode(&tally, 1);
}

static void bundles_tell(struct ft_inference *f, const struct rule *rule, const struct columns *columns)
{
	struct ft_text *why = &f->why[FT_WHY_BUNDLE];
	struct ft_tally all = {0};
	uint32_t left = rule->uplinks;

	if (rule->spread == FT_SPREAD_EVEN && rule->bundle > 0) {
		for (uint32_t c = 0; c < columns->count; c++)
			for (uint32_t value = 0; value < FT_TALLY_MAX; value++)
				all.votes[value] += columns->column[c].pairs.votes[value];
		ft_tally_tell(why, &all, rule->bundle, "edge-core pairs", rule->bundle == 1 ? "cable" : "cables");
		return;
	}
	ft_text_printf(why, "most edge switches have %u uplinks; core switch by core switch", rule->uplinks);
	for (uint32_t c = 0; c < columns->count; c++) {
		uint32_t share = share_of(rule, columns->count, c, left);

		left -= share;
		ft_text_printf(why, "%s %u of %u have %u cables", c ? "," : "", columns->column[c].pairs.votes[share],
			       f->count[FT_TIER_EDGE], share);
	}
}

/* What most edges have comes first, so that of rules that explain as much it stays. */
static int rule_choose(struct ft_inference *f, const struct columns *columns, struct ft_error *err)
{
	struct ft_inferred *d = &f->design;
	struct contest contest = {.columns = columns, .cost = UINT64_MAX};

	contest_uplinks(&contest, usual_uplinks(f));
	for (uint32_t uplinks = columns->count; uplinks < d->edge_ports; uplinks++)
		contest_uplinks(&contest, uplinks);
	if (contest.cost == UINT64_MAX)
		return ft_error_set(
			err, -EINVAL, 0, 0,
			"no design to be inferred: %u edge switches of mostly %u ports and %u core switches "
			"of mostly %u ports cannot all be cabled to each other",
			d->edge_count, d->edge_ports, d->core_count, d->core_ports);
	d->spread = contest.best.spread;
	d->multiple = contest.best.multiple;
	d->bundle = contest.best.pinned ? contest.best.bundle : 0;
	d->ports_to_core = contest.best.uplinks;
	bundles_tell(f, &contest.best, columns);
	return 0;
}

static int columns_find(struct ft_inference *f, struct columns *columns)
{
	columns->count = f->count[FT_TIER_CORE];
	columns->room = f->design.core_ports / f->design.edge_count;
	columns->column = calloc(columns->count + 1UL, sizeof(*columns->column));
	if (!columns->column)
		return -ENOMEM;
	for (uint32_t c = 0; c < columns->count; c++) {
		columns->column[c].core = f->member[FT_TIER_CORE][c];
		columns->column[c].order = c;
		column_fill(f, &columns->column[c]);
	}
	qsort(columns->column, columns->count, sizeof(*columns->column), wider_first);
	return 0;
}

/* The plan has the wider bundles first. Where all are alike, the order of names stays. */
static void cores_order(struct ft_inference *f, const struct columns *columns)
{
	if (f->design.spread == FT_SPREAD_EVEN && f->design.bundle > 0)
		return;
	for (uint32_t c = 0; c < columns->count; c++)
		f->member[FT_TIER_CORE][c] = columns->column[c].core;
}

int ft_infer_widths(struct ft_inference *f, struct ft_error *err)
{
	struct columns columns = {0};
	int r;

	f->design.edge_count = f->count[FT_TIER_EDGE];
	f->design.core_count = f->count[FT_TIER_CORE];
	ft_text_printf(&f->why[FT_WHY_EDGE], "%u switches with hosts, or cabled like those with hosts",
		       f->design.edge_count);
	ft_text_printf(&f->why[FT_WHY_CORE], "%u switches that most of the edge switches are cabled to",
		       f->design.core_count);
	r = columns_find(f, &columns);
	if (r == 0)
		r = rule_choose(f, &columns, err);
	if (r == 0)
		cores_order(f, &columns);
	free(columns.column);
	return r;
}
