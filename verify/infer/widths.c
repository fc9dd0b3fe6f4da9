/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Bundles and uplinks of two levels: the simplest of the design file's rules to spread uplinks over the core switches
 * that have the fewest surplus and missing cables.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "verify/infer/infer_parts.h"

/* The best rule so far. */
struct contest {
	const struct ft_columns *columns;
	const struct ft_spread_rule *like; /* NULL: any */
	struct ft_spread_rule best;	   /* of cost UINT64_MAX: none */
};

static uint32_t share_of(const struct ft_spread_rule *rule, uint32_t cores, uint32_t i, uint32_t left)
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

	for (uint32_t value = 0; value < pairs->end; value++)
		cost += (uint64_t)pairs->votes[value] * (value > share ? value - share : share - value);
	return cost;
}

/* UINT64_MAX: the rule leaves a core without any cable or with too many, or a cable without a core. */
static uint64_t rule_cost(const struct ft_spread_rule *rule, const struct ft_columns *columns)
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

/* Of equal rules the first one stays. */
static void contest_enter(struct contest *contest, struct ft_spread_rule rule)
{
	const struct ft_spread_rule *like = contest->like;

	if (like && !ft_infer_rule_is_equal(&rule) && (rule.spread != like->spread || rule.multiple != like->multiple))
		return;
	rule.cost = rule_cost(&rule, contest->columns);
	if (rule.cost < contest->best.cost)
		contest->best = rule;
}

static void contest_thick(struct contest *contest, uint32_t uplinks)
{
	uint32_t cores = contest->columns->count, most = uplinks - (cores - 1);
	struct ft_spread_rule rule = {.spread = FT_SPREAD_THICK, .uplinks = uplinks, .pinned = true};

	/* A pinned bundle must lead to equally many cores; else its width follows from a core's ports. */
	for (rule.bundle = 2; rule.bundle <= most; rule.bundle++)
		if ((uplinks + rule.bundle - 1) / rule.bundle == cores)
			contest_enter(contest, rule);
	rule.bundle = contest->columns->room < most ? contest->columns->room : most;
	rule.pinned = false;
	if (rule.bundle > 0)
		contest_enter(contest, rule);
}

/* All rules for that number of uplinks. */
static void contest_uplinks(struct contest *contest, uint32_t uplinks)
{
	uint32_t cores = contest->columns->count;

	if (uplinks < cores)
		return;
	if (uplinks % cores == 0)
		contest_enter(contest, (struct ft_spread_rule){.spread = FT_SPREAD_EVEN,
							       .bundle = uplinks / cores,
							       .uplinks = uplinks,
							       .pinned = true});
	contest_enter(contest, (struct ft_spread_rule){.spread = FT_SPREAD_EVEN, .uplinks = uplinks});
	contest_thick(contest, uplinks);
	for (uint32_t m = 2; m <= uplinks / cores + 1; m++)
		contest_enter(contest,
			      (struct ft_spread_rule){.spread = FT_SPREAD_MULTIPLE, .multiple = m, .uplinks = uplinks});
}

static uint64_t pairs_counted(const struct ft_column *column)
{
	uint64_t pairs = 0;

	for (uint32_t value = 0; value < column->pairs.end; value++)
		pairs += column->pairs.votes[value];
	return pairs;
}

/* By cables for each pair: a missing spine leaves fewer pairs. */
static int wider_first(const void *a, const void *b)
{
	const struct ft_column *x = a, *y = b;
	uint64_t first = x->cables * pairs_counted(y), second = y->cables * pairs_counted(x);

	if (first != second)
		return first > second ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* The usual number comes first, so that it wins among equal rules. */
int ft_infer_rule(struct ft_columns *columns, uint32_t usual, uint32_t most, const struct ft_spread_rule *like,
		  struct ft_spread_rule *ret_rule)
{
	struct contest contest = {.columns = columns, .like = like, .best = {.cost = UINT64_MAX}};

	qsort(columns->column, columns->count, sizeof(*columns->column), wider_first);
	if (usual <= most)
		contest_uplinks(&contest, usual);
	for (uint32_t uplinks = columns->count; uplinks <= most; uplinks++)
		contest_uplinks(&contest, uplinks);
	if (contest.best.cost == UINT64_MAX)
		return -ERANGE;
	*ret_rule = contest.best;
	ret_rule->widest = share_of(ret_rule, columns->count, 0, ret_rule->uplinks);
	return 0;
}

void ft_infer_rule_tell(struct ft_text *why, const struct ft_spread_rule *rule, const struct ft_columns *columns,
			const char *pairs, const char *switches)
{
	struct ft_tally all = {0};
	uint32_t left = rule->uplinks;

	if (rule->spread == FT_SPREAD_EVEN && rule->bundle > 0) {
		for (uint32_t c = 0; c < columns->count; c++)
			for (uint32_t value = 0; !columns->column[c].unseen && value < columns->column[c].pairs.end;
			     value++)
				ft_tally_add_many(&all, value, columns->column[c].pairs.votes[value]);
		ft_tally_tell(why, &all, rule->bundle, pairs, "cable", "cables");
		return;
	}
	ft_text_printf(why, "most have %u %s to the %s, one by one", rule->uplinks,
		       ft_infer_plural(rule->uplinks, "uplink", "uplinks"), switches);
	for (uint32_t c = 0; c < columns->count; c++) {
		uint32_t share = share_of(rule, columns->count, c, left);

		left -= share;
		if (columns->column[c].unseen)
			ft_text_printf(why, "%s %u (to none that was seen)", c ? "," : "", share);
		else
			ft_text_printf(why, "%s %u (%u do)", c ? "," : "", share,
				       columns->column[c].pairs.votes[share]);
	}
}

/* ---- */

static void column_fill(const struct ft_inference *f, uint32_t core, struct ft_column *column)
{
	uint32_t seen = 0;

	for (uint32_t n = f->near_first[core]; n < f->near_first[core + 1]; n++) {
		if (f->fit.role[f->near[n].live] != FT_TIER_EDGE)
			continue;
		ft_tally_add(&column->pairs, f->near[n].cables);
		column->cables += f->near[n].cables;
		seen++;
	}
	ft_tally_add_many(&column->pairs, 0, f->count[FT_TIER_EDGE] - seen);
}

/* The usual number of cables of edges to the core level, which swaps and misplaced cables do not change. */
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

static int rule_choose(struct ft_inference *f, struct ft_columns *columns, struct ft_error *err)
{
	struct ft_inferred *d = &f->design;
	struct ft_spread_rule rule;
	uint32_t usual = usual_uplinks(f);
	int r;

	if (ft_infer_rule(columns, usual, d->edge_ports - 1, NULL, &rule) < 0)
		return ft_error_set(
			err, -EINVAL, 0, 0,
			"no design to be inferred: %u edge switches of mostly %u ports and %u core switches "
			"of mostly %u ports cannot all be cabled to each other",
			d->edge_count, d->edge_ports, d->core_count, d->core_ports);
	r = ft_infer_unseen_cores(f, columns, usual, &rule);
	if (r < 0)
		return r;
	d->core_count += f->unseen[FT_TIER_CORE];
	d->spread = rule.spread;
	d->multiple = rule.multiple;
	d->bundle = rule.pinned ? rule.bundle : 0;
	d->ports_to_core = rule.uplinks;
	ft_infer_rule_tell(&f->why[FT_WHY_BUNDLE], &rule, columns, "edge-core pairs", "core switches");
	return 0;
}

static int columns_find(struct ft_inference *f, struct ft_columns *columns)
{
	columns->count = f->count[FT_TIER_CORE];
	columns->room = f->design.core_ports / f->design.edge_count;
	/* At most half of the core level is taken for unseen. */
	columns->column = calloc(2UL * columns->count + 1, sizeof(*columns->column));
	if (!columns->column)
		return -ENOMEM;
	for (uint32_t c = 0; c < columns->count; c++) {
		columns->column[c].order = c;
		column_fill(f, f->member[FT_TIER_CORE][c], &columns->column[c]);
	}
	return 0;
}

/* The plan has the wider bundles first. If all are equal, they stay in the order of names. */
static int cores_order(struct ft_inference *f, const struct ft_columns *columns)
{
	uint32_t *by_name = f->member[FT_TIER_CORE];
	uint32_t *sorted, count = 0;

	if (f->design.spread == FT_SPREAD_EVEN && f->design.bundle > 0)
		return 0;
	sorted = malloc((f->live->switch_count + 1UL) * sizeof(*sorted));
	if (!sorted)
		return -ENOMEM;
	for (uint32_t c = 0; c < columns->count; c++)
		if (!columns->column[c].unseen)
			sorted[count++] = by_name[columns->column[c].order];
	f->member[FT_TIER_CORE] = sorted;
	free(by_name);
	return 0;
}

int ft_infer_widths(struct ft_inference *f, struct ft_error *err)
{
	struct ft_columns columns = {0};
	int r;

	f->design.edge_count = f->count[FT_TIER_EDGE];
	f->design.core_count = f->count[FT_TIER_CORE];
	ft_text_printf(&f->why[FT_WHY_EDGE], "%u %s with hosts, or cabled like those with hosts", f->design.edge_count,
		       ft_infer_plural(f->design.edge_count, "switch", "switches"));
	ft_text_printf(&f->why[FT_WHY_CORE], "%u %s that most of the edge switches are cabled to", f->design.core_count,
		       ft_infer_plural(f->design.core_count, "switch", "switches"));
	r = columns_find(f, &columns);
	if (r == 0)
		r = rule_choose(f, &columns, err);
	if (r == 0)
		r = cores_order(f, &columns);
	free(columns.column);
	return r;
}
