/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Bundles and uplinks of one step: the simplest of the design file's rules to spread uplinks over the upper switches
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

/*
 * UINT64_MAX: the rule leaves a core without any cable or with too many, or a cable without a core; or no pair of a
 * core has the bundle that the rule gives it. The case that bit: a core with two cables to one half of the edges, and
 * none to the other, which as one cable to each was three cables moved.
 */
static uint64_t rule_cost(const struct ft_spread_rule *rule, const struct ft_columns *columns)
{
	uint32_t left = rule->uplinks;
	uint64_t cost = 0;

	for (uint32_t i = 0; i < columns->count; i++) {
		const struct ft_tally *pairs = &columns->column[i].pairs;
		uint32_t share = share_of(rule, columns->count, i, left);

		if (share == 0 || share > columns->room || share >= pairs->end || pairs->votes[share] == 0)
			return UINT64_MAX;
		left -= share;
		cost += column_cost(pairs, share);
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

	return FT_ORDER(second, first) ?: FT_ORDER(x->order, y->order);
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
