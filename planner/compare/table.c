/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * A comparison for people: a page that one can decide by, and behind it, if asked for, all figures in short tables with
 * a line a network each, as one of them all would be far too wide.
 */
#include "planner/compare/table.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "planner/compare/cells.h"
#include "planner/compare/choice.h"

/* ---- tables ---- */

/* What decides. */
static const struct ft_column decides[] = {
	{FT_COMPARED_COST_PER_HOST, 10, "cost", "per host", ft_cell_two},
	{FT_COMPARED_THROUGHPUT, 8, "", "carries", ft_cell_carries},
	{FT_COMPARED_MEAN_HOPS, 7, "mean", "hops", ft_cell_three},
	{FT_COMPARED_POWER_W_PER_HOST, 7, "W per", "host", ft_cell_one},
	{FT_COMPARED_SIZE_U, 6, "rack", "units", ft_cell_count},
	{FT_COMPARED_SWITCHES, 10, "", "switches", ft_cell_count},
	{FT_COMPARED_SWITCH_CABLES, 8, "", "cables", ft_cell_count},
	{FT_COMPARED_SWITCH_CUTS_OFF, 8, "cut off", "by one", ft_cell_count},
	{FT_COMPARED_LINKS_LOST, 8, "cables", "lost", ft_cell_share},
};

#define LITTLE 5e-4 /* differences that three digits do not show */

/* The first of them, for those that are beaten. */
enum { DECIDES_FIRST = 3 };

static const struct ft_column takes[] = {
	{FT_COMPARED_SWITCHES, 9, "", "switches", ft_cell_count},
	{FT_COMPARED_PORTS, 9, "ports", "in all", ft_cell_count},
	{FT_COMPARED_PORTS_USED, 9, "", "used", ft_cell_count},
	{FT_COMPARED_HOST_CABLES, 11, "cables to", "hosts", ft_cell_count},
	{FT_COMPARED_SWITCH_CABLES, 10, "between", "switches", ft_cell_count},
	{FT_COMPARED_ELECTRIC, 10, "of both:", "electric", ft_cell_count},
	{FT_COMPARED_OPTICAL, 9, "", "optical", ft_cell_count},
	{FT_COMPARED_CABLE_M, 8, "", "km", ft_cell_thousands},
};

static const struct ft_column costs[] = {
	{FT_COMPARED_COST, 13, "", "cost", ft_cell_count},
	{FT_COMPARED_COST_PER_HOST, 11, "cost", "per host", ft_cell_two},
	{FT_COMPARED_POWER_W, 12, "power", "kW", ft_cell_thousands},
	{FT_COMPARED_POWER_W_PER_HOST, 11, "W", "per host", ft_cell_two},
	{FT_COMPARED_SIZE_U, 12, "size", "rack units", ft_cell_count},
	{FT_COMPARED_SIZE_U_PER_HOST, 11, "rack units", "per host", ft_cell_three},
};

static const struct ft_column carries[] = {
	{FT_COMPARED_DIAMETER, 9, "", "diameter", ft_cell_count},
	{FT_COMPARED_MEAN_HOPS, 8, "mean", "hops", ft_cell_three},
	{FT_COMPARED_OF_MOORE, 12, "of Moore's", "bound", ft_cell_percent},
	{FT_COMPARED_BISECTION, 16, "", "bisection", ft_cell_at_least},
	{FT_COMPARED_THROUGHPUT_BOUND, 11, "throughput", "bound", ft_cell_three},
	{FT_COMPARED_THROUGHPUT, 16, "", "throughput", ft_cell_at_most},
};

static const struct ft_column withstands[] = {
	{FT_COMPARED_LINKS_LOST, 24, "links lost", "at disconnection", ft_cell_median},
	{FT_COMPARED_SWITCH_CUTS_OFF, 24, "hosts cut off by one", "switch", ft_cell_count},
	{FT_COMPARED_CABLE_CUTS_OFF, 14, "one", "cable", ft_cell_count},
};

static const struct {
	const char *title;
	const struct ft_column *columns;
	size_t count;
} tables[] = {
	{"What it takes", takes, FT_COUNT(takes)},
	{"What it costs", costs, FT_COUNT(costs)},
	{"What it carries", carries, FT_COUNT(carries)},
	{"What failures do", withstands, FT_COUNT(withstands)},
};

/* A line for each network, or that nothing is known of all that. */
static void add_table(struct ft_text *text, const struct ft_comparison *comparison, size_t table)
{
	const struct ft_column *columns = tables[table].columns;
	size_t count = tables[table].count;
	bool known = false;

	for (size_t i = 0; i < count; i++)
		known |= ft_comparison_knows(comparison, columns[i].figure);
	if (!known) {
		ft_text_printf(text, "\n%s: not known\n", tables[table].title);
		return;
	}
	ft_cells_add_heading(text, comparison, tables[table].title, columns, count);
	for (size_t i = 0; i < comparison->count; i++) {
		if (!ft_comparison_shows(comparison, i))
			continue;
		ft_cells_add_line(text, comparison, &comparison->rows[i], columns, count);
		ft_text_puts(text, "\n");
	}
}

/* ---- the choice ---- */

static double figure_of(const struct ft_comparison *comparison, size_t index, enum ft_compared_figure figure)
{
	return comparison->rows[index].figures[figure].value;
}

static void add_decides(struct ft_text *text, const struct ft_comparison *comparison, size_t index)
{
	ft_cells_add_line(text, comparison, &comparison->rows[index], decides, FT_COUNT(decides));
	ft_text_puts(text, "\n");
}

/* "carries 1.000 after 0.537": a figure of a network, and of the one before. */
static void add_after(struct ft_text *text, const char *words, ft_cell_fn *add, const struct ft_measured *now,
		      const struct ft_measured *before)
{
	ft_text_puts(text, words);
	add(text, now);
	ft_text_puts(text, " after ");
	add(text, before);
}

/* What the dearer of two neighbours in the choice gives for its price, and what it takes. */
static void add_step(struct ft_text *text, const struct ft_comparison *comparison, size_t from, size_t to)
{
	const struct ft_measured *before = comparison->rows[from].figures, *now = comparison->rows[to].figures;
	double cost = before[FT_COMPARED_COST_PER_HOST].value;
	_cleanup_(ft_text_release) struct ft_text words = {0};

	ft_text_printf(&words, "+%.1f %%: ", cost > 0 ? 100 * (now[FT_COMPARED_COST_PER_HOST].value / cost - 1) : 0);
	add_after(&words, "carries ", ft_cell_carries, &now[FT_COMPARED_THROUGHPUT], &before[FT_COMPARED_THROUGHPUT]);
	add_after(&words, ", mean hops ", ft_cell_three, &now[FT_COMPARED_MEAN_HOPS], &before[FT_COMPARED_MEAN_HOPS]);
	ft_text_printf(text, "  %-*s ", FT_CELLS_NAME, ft_compared_called(&comparison->rows[to]));
	ft_cells_add_wrapped(text, FT_CELLS_NAME + 3, 4, ft_text_string(&words));
	text->failed |= words.failed;
}

static void add_steps(struct ft_text *text, const struct ft_comparison *comparison)
{
	size_t from = ft_choice_next(comparison, SIZE_MAX), to = ft_choice_next(comparison, from);

	if (to == SIZE_MAX)
		return;
	ft_text_puts(text, "What more money buys, each against the one before\n");
	for (; to != SIZE_MAX; from = to, to = ft_choice_next(comparison, to))
		add_step(text, comparison, from, to);
}

/* Why @by is the better one: cost comes first, then what is carried. */
static void add_reason(struct ft_text *text, const struct ft_comparison *comparison, size_t index, size_t by)
{
	double cost = figure_of(comparison, index, FT_COMPARED_COST_PER_HOST);
	double than = figure_of(comparison, by, FT_COMPARED_COST_PER_HOST);
	const char *name = ft_compared_called(&comparison->rows[by]);

	if (cost > than && than > 0)
		ft_text_printf(text, " %.*f %% dearer than %s\n", cost > 1.1 * than ? 0 : 1, 100 * (cost / than - 1),
			       name);
	else if (figure_of(comparison, index, FT_COMPARED_THROUGHPUT) + LITTLE <
		 figure_of(comparison, by, FT_COMPARED_THROUGHPUT))
		ft_text_printf(text, " carries less than %s\n", name);
	else if (figure_of(comparison, index, FT_COMPARED_MEAN_HOPS) >
		 figure_of(comparison, by, FT_COMPARED_MEAN_HOPS) + LITTLE)
		ft_text_printf(text, " longer ways than %s\n", name);
	else
		ft_text_printf(text, " no better than %s\n", name);
}

/* Who had one of these in mind sees what speaks against it. */
static void add_beaten(struct ft_text *text, const struct ft_comparison *comparison)
{
	bool first = true;

	for (size_t i = 0; i < comparison->count; i++) {
		size_t by = ft_choice_can(comparison, i) ? ft_choice_winner(comparison, i) : SIZE_MAX;

		if (by == SIZE_MAX)
			continue;
		if (first)
			ft_text_puts(text,
				     "\nBeaten by one that carries no less, has no longer ways, and costs no more\n");
		first = false;
		ft_cells_add_line(text, comparison, &comparison->rows[i], decides, DECIDES_FIRST);
		add_reason(text, comparison, i, by);
	}
}

/* Without prices, what would decide is shown of all. */
static void add_undecided(struct ft_text *text, const struct ft_comparison *comparison)
{
	if (ft_comparison_shown(comparison) > 1 && !ft_comparison_knows(comparison, FT_COMPARED_COST_PER_HOST))
		ft_text_puts(
			text,
			"\nNo choice is made: no price is known. What carries more takes more switches and cables, "
			"and only\nprices say whether it is worth them. --catalog FILE gives prices, power and "
			"sizes.\n");
	ft_cells_add_heading(text, comparison, "", decides, FT_COUNT(decides));
	for (size_t i = 0; i < comparison->count; i++)
		if (ft_comparison_shows(comparison, i))
			add_decides(text, comparison, i);
}

static void add_choice(struct ft_text *text, const struct ft_comparison *comparison)
{
	size_t choice = ft_choice_next(comparison, SIZE_MAX);

	if (ft_comparison_shown(comparison) < 2 || choice == SIZE_MAX) {
		add_undecided(text, comparison);
		return;
	}
	ft_cells_add_heading(text, comparison, "The choice, cheapest first", decides, FT_COUNT(decides));
	for (; choice != SIZE_MAX; choice = ft_choice_next(comparison, choice))
		add_decides(text, comparison, choice);
	add_steps(text, comparison);
	add_beaten(text, comparison);
}

/* ---- what is best ---- */

struct best {
	struct ft_merit merit;
	const char *words;
	ft_cell_fn *add;
};

static const struct best cheapest[] = {
	{{FT_COMPARED_COST_PER_HOST, false, false, 0}, "however little it carries", ft_cell_two},
	{{FT_COMPARED_COST_PER_HOST, false, false, 0.25}, "that carries 0.25 and more", ft_cell_two},
	{{FT_COMPARED_COST_PER_HOST, false, false, 0.5}, "that carries 0.5 and more", ft_cell_two},
	{{FT_COMPARED_COST_PER_HOST, false, false, 0.9}, "that carries 0.9 and more", ft_cell_two},
};

static const struct best best_at[] = {
	{{FT_COMPARED_POWER_W_PER_HOST, false, false, 0}, "least power per host, W", ft_cell_two},
	{{FT_COMPARED_MEAN_HOPS, false, false, 0}, "shortest ways, mean hops", ft_cell_three},
	{{FT_COMPARED_BISECTION, true, true, 0}, "most bisection per host", ft_cell_two},
	{{FT_COMPARED_LINKS_LOST, true, false, 0}, "withstanding most lost cables", ft_cell_percent},
	{{FT_COMPARED_SWITCH_CUTS_OFF, false, false, 0}, "fewest hosts cut off by one switch", ft_cell_count},
};

/* Of two lines that differ only in what is demanded, the one that demands more. */
static bool is_said_next(const struct ft_comparison *comparison, const struct best *best, const struct best *next)
{
	return best->merit.figure == next->merit.figure &&
	       ft_merit_best(comparison, &best->merit) == ft_merit_best(comparison, &next->merit);
}

static void add_best(struct ft_text *text, const struct ft_comparison *comparison, const char *title,
		     const struct best *list, size_t count)
{
	bool first = true;

	for (size_t i = 0; i < count; i++) {
		_cleanup_(ft_text_release) struct ft_text cell = {0};
		const struct ft_compared *best = ft_merit_best(comparison, &list[i].merit);
		struct ft_measured measured;

		if (!best || (i + 1 < count && is_said_next(comparison, &list[i], &list[i + 1])))
			continue;
		if (first)
			ft_text_printf(text, "\n%s\n", title);
		first = false;
		measured = ft_merit_of(&list[i].merit, best);
		list[i].add(&cell, &measured);
		ft_text_printf(text, "  %-36s%-*s %s\n", list[i].words, FT_CELLS_NAME, ft_compared_called(best),
			       ft_text_string(&cell));
		text->failed |= cell.failed;
	}
}

/* ---- around that ---- */

/* The nodes of all, or that they differ. */
static void add_title(struct ft_text *text, const struct ft_comparison *comparison)
{
	uint32_t least = UINT32_MAX, most = 0;
	size_t count = ft_comparison_shown(comparison);

	for (size_t i = 0; i < comparison->count; i++) {
		uint32_t nodes = comparison->rows[i].nodes;

		if (comparison->rows[i].asked_is_design && !comparison->rows[i].network)
			continue;
		least = nodes < least ? nodes : least;
		most = nodes > most ? nodes : most;
	}
	ft_text_printf(text, "%zu network%s for ", count, ft_text_s(count));
	if (least == most)
		ft_text_printf(text, "%u host%s\n", most, ft_text_s(most));
	else
		ft_text_printf(text, "%u to %u hosts: numbers of hosts differ, so compare what is per host\n", least,
			       most);
}

/* What to buy for each of the choice, in its order; for all, where there is none, or all is to be told. */
static void add_bought(struct ft_text *text, const struct ft_comparison *comparison)
{
	size_t choice = ft_choice_next(comparison, SIZE_MAX);
	bool all = comparison->verbose || choice == SIZE_MAX;

	ft_text_puts(text, "\nWhat to buy\n");
	for (size_t i = 0; all && i < comparison->count; i++)
		if (ft_comparison_shows(comparison, i))
			ft_cells_add_bought(text, comparison, i);
	for (; !all && choice != SIZE_MAX; choice = ft_choice_next(comparison, choice))
		ft_cells_add_bought(text, comparison, choice);
}

static void add_refusals(struct ft_text *text, const struct ft_comparison *comparison)
{
	bool first = true;

	for (size_t i = 0; i < comparison->count; i++) {
		const struct ft_compared *row = &comparison->rows[i];

		if (row->network)
			continue;
		if (first)
			ft_text_puts(text, "\nCannot be built\n");
		first = false;
		ft_text_printf(text, "  %s: ", row->asked);
		ft_cells_add_wrapped(text, strlen(row->asked) + 4, 4, row->refusal);
	}
}

static bool has_how(const struct ft_comparison *comparison, enum ft_how how)
{
	for (size_t i = 0; i < comparison->count; i++)
		for (int k = 0; k < FT_COMPARED_COUNT; k++)
			if (comparison->rows[i].network && comparison->rows[i].figures[k].how == how)
				return true;
	return false;
}

/* A throughput that is only known to be so much at least. */
static bool has_loose(const struct ft_comparison *comparison)
{
	for (size_t i = 0; i < comparison->count; i++)
		if (ft_measured_loose(&comparison->rows[i].figures[FT_COMPARED_THROUGHPUT]))
			return true;
	return false;
}

static bool same(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "") == 0;
}

/* Where the prices are from: once, or for each that is from elsewhere than the one before it. */
static void add_prices(struct ft_text *text, const struct ft_comparison *comparison)
{
	const struct ft_compared *last = NULL;

	for (size_t i = 0; i < comparison->count; i++) {
		const struct ft_compared *row = &comparison->rows[i];

		if (!row->network || !row->catalog)
			continue;
		if (last && same(last->catalog, row->catalog))
			continue;
		ft_text_printf(text, "Prices%s%s: catalog ", last ? " from " : "", last ? ft_compared_called(row) : "");
		ft_text_add_safe(text, row->catalog, strlen(row->catalog));
		if (row->currency && row->currency[0])
			ft_text_printf(text, ", in %s", row->currency);
		if (row->prices_of && row->prices_of[0])
			ft_text_printf(text, ", of %s", row->prices_of);
		ft_text_puts(text, row->cables_cost_alike ? "; its cables cost the same at any length.\n"
							  : "; lengths of cables: the floor model.\n");
		last = row;
	}
}

static void add_large(struct ft_text *text, const struct ft_comparison *comparison)
{
	for (size_t i = 0; i < comparison->count; i++)
		if (ft_comparison_shows(comparison, i) && comparison->rows[i].is_large)
			ft_text_printf(text,
				       "%s has so many switches that distances, bisection and throughput are not "
				       "searched for.\n",
				       ft_compared_called(&comparison->rows[i]));
}

static void add_legend(struct ft_text *text, const struct ft_comparison *comparison)
{
	_cleanup_(ft_text_release) struct ft_text words = {0};

	ft_text_puts(
		&words,
		"Carries: the share of its cable's rate that every host gets when all send to all, by the best "
		"routing; trees have it as usual, for others --format opensm names an engine. Hops: cables between "
		"two switches with hosts. Cut off by one: hosts that the worst failure of one switch cuts off. "
		"Cables lost: the share of those between switches that has failed, in random order, when a host is "
		"first cut off.");
	ft_text_puts(&words, has_how(comparison, FT_HOW_FOUND) || has_how(comparison, FT_HOW_SAMPLED)
				     ? " ~: the best found, or a median."
				     : "");
	ft_text_puts(&words, has_loose(comparison) ? " >: at least; --gap 0.01 searches longer for how much." : "");
	ft_text_puts(&words, has_how(comparison, FT_HOW_CLOSED) ? " *: a formula." : "");
	ft_text_puts(&words, has_how(comparison, FT_HOW_UNKNOWN) ? " ?: not known, or there is no such thing." : "");
	ft_text_puts(&words, " No mark: counted.");
	ft_text_puts(&words, comparison->verbose
				     ? " Behind ~ is what is proven: >= at least, <= at most; of a median what 10 % of "
				       "the trials are below and above. Bisection: cables whose cut halves the hosts."
				     : " -v shows all figures with their bounds,");
	ft_text_puts(&words, comparison->verbose ? " ftplan(1) says how each is found."
						 : " and ftplan(1) says how each is found.");
	ft_text_puts(text, "\nWhat this rests on\n");
	ft_cells_add_wrapped(text, 0, 0, ft_text_string(&words));
	text->failed |= words.failed;
	add_large(text, comparison);
	add_prices(text, comparison);
}

void ft_comparison_write_text(struct ft_text *text, const struct ft_comparison *comparison)
{
	size_t count = ft_comparison_shown(comparison);

	add_title(text, comparison);
	if (count > 1)
		add_best(text, comparison, "The cheapest, and its cost per host", cheapest, FT_COUNT(cheapest));
	if (count > 0)
		add_choice(text, comparison);
	if (count > 1)
		add_best(text, comparison, "The best at", best_at, FT_COUNT(best_at));
	if (count > 0)
		add_bought(text, comparison);
	add_refusals(text, comparison);
	for (size_t t = 0; t < FT_COUNT(tables) && count > 0 && comparison->verbose; t++)
		add_table(text, comparison, t);
	if (count > 0)
		add_legend(text, comparison);
}
