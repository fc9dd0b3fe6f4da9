/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * A comparison for people: a page that one can decide by, with every network and every figure; behind it, if asked for,
 * what is proven about them.
 */
#include "planner/compare/table.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "planner/compare/cells.h"
#include "planner/compare/choice.h"

/* ---- tables ---- */

/* These two have a line a network each, as one table of them both would be far too wide. */
static const struct ft_column takes[] = {
	{FT_COMPARED_SWITCHES, 9, "", "switches", ft_cell_count},
	{FT_COMPARED_PORTS_USED, 7, "ports", "used", ft_cell_count},
	{FT_COMPARED_SWITCH_CABLES, 7, "", "cables", ft_cell_count},
	{FT_COMPARED_COST, 10, "", "cost", ft_cell_count},
	{FT_COMPARED_COST_PER_HOST, 9, "cost per", "host", ft_cell_two},
	{FT_COMPARED_POWER_W, 7, "power", "kW", ft_cell_thousands},
	{FT_COMPARED_POWER_W_PER_HOST, 7, "W per", "host", ft_cell_one},
	{FT_COMPARED_SIZE_U, 6, "rack", "units", ft_cell_count},
	{FT_COMPARED_SIZE_U_PER_HOST, 7, "U per", "host", ft_cell_three},
};

static const struct ft_column gives[] = {
	{FT_COMPARED_THROUGHPUT, 8, "", "carries", ft_cell_carries},
	{FT_COMPARED_THROUGHPUT, 7, "", "gap", ft_cell_gap},
	{FT_COMPARED_THROUGHPUT_BOUND, 8, "", "bound", ft_cell_three},
	{FT_COMPARED_MEAN_HOPS, 7, "mean", "hops", ft_cell_three},
	{FT_COMPARED_DIAMETER, 5, "", "most", ft_cell_count},
	{FT_COMPARED_BISECTION, 10, "", "bisection", ft_cell_count},
	{FT_COMPARED_OF_MOORE, 9, "Moore's", "bound", ft_cell_percent},
	{FT_COMPARED_LINKS_LOST, 7, "cables", "lost", ft_cell_share},
	{FT_COMPARED_SWITCH_CUTS_OFF, 8, "hosts", "cut off", ft_cell_count},
};

/* With the others of -v. */
static const struct ft_column takes_more[] = {
	{FT_COMPARED_PORTS, 9, "ports", "in all", ft_cell_count},
	{FT_COMPARED_HOST_CABLES, 11, "cables to", "hosts", ft_cell_count},
	{FT_COMPARED_GROUP_CABLES, 13, "in groups,", "on a line", ft_cell_count},
	{FT_COMPARED_ELECTRIC, 10, "of all:", "electric", ft_cell_count},
	{FT_COMPARED_OPTICAL, 9, "", "optical", ft_cell_count},
	{FT_COMPARED_CABLE_M, 8, "", "km", ft_cell_thousands},
};

static const struct ft_column proven[] = {
	{FT_COMPARED_BISECTION, 18, "", "bisection", ft_cell_at_least},
	{FT_COMPARED_THROUGHPUT, 18, "", "carries", ft_cell_at_most},
	{FT_COMPARED_LINKS_LOST, 20, "cables", "lost", ft_cell_median},
	{FT_COMPARED_CABLE_CUTS_OFF, 13, "cut off by", "one cable", ft_cell_count},
};

#define LITTLE 5e-4 /* differences that three digits do not show */

/* ---- the order ---- */

/* All that have lines: those to choose from, the cheapest first, and then the others. They go by their numbers in it.
 */
struct order {
	size_t *rows;
	size_t count, choices;
};

static void order_release(struct order *order)
{
	free(order->rows);
}

/* The number that row @index goes by; 0: none. */
static size_t number_of(const struct order *order, size_t index)
{
	for (size_t i = 0; i < order->count; i++)
		if (order->rows[i] == index)
			return i + 1;
	return 0;
}

static int order_make(const struct ft_comparison *comparison, struct order *ret)
{
	size_t choice = ft_choice_next(comparison, SIZE_MAX);

	ret->rows = calloc(comparison->count + 1, sizeof(*ret->rows));
	if (!ret->rows)
		return -ENOMEM;
	for (; choice != SIZE_MAX; choice = ft_choice_next(comparison, choice))
		ret->rows[ret->count++] = choice;
	ret->choices = ret->count > 1 || ft_comparison_shown(comparison) > 1 ? ret->count : 0;
	for (size_t i = 0; i < comparison->count; i++)
		if (ft_comparison_shows(comparison, i) && number_of(ret, i) == 0)
			ret->rows[ret->count++] = i;
	return 0;
}

/* A line for each network, with its number, or that nothing is known of all that. */
static void add_table(struct ft_text *text, const struct ft_comparison *comparison, const struct order *order,
		      const char *title, const struct ft_column *columns, size_t count)
{
	bool known = false;

	for (size_t i = 0; i < count; i++)
		known |= ft_comparison_knows(comparison, columns[i].figure);
	if (!known) {
		ft_text_printf(text, "\n%s: not known\n", title);
		return;
	}
	ft_cells_add_heading(text, comparison, title, columns, count);
	for (size_t i = 0; i < order->count; i++) {
		ft_text_printf(text, "%2zu ", i + 1);
		ft_cells_add_line(text, comparison, &comparison->rows[order->rows[i]], columns, count);
	}
}

/* ---- the choice ---- */

static double figure_of(const struct ft_comparison *comparison, size_t index, enum ft_compared_figure figure)
{
	return comparison->rows[index].figures[figure].value;
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
static void add_step(struct ft_text *text, const struct ft_comparison *comparison, const struct order *order, size_t to)
{
	const struct ft_measured *before = comparison->rows[order->rows[to - 1]].figures;
	const struct ft_measured *now = comparison->rows[order->rows[to]].figures;
	double cost = before[FT_COMPARED_COST_PER_HOST].value;

	ft_text_printf(text, "%2zu: +%.1f %%, ", to + 1,
		       cost > 0 ? 100 * (now[FT_COMPARED_COST_PER_HOST].value / cost - 1) : 0);
	add_after(text, "carries ", ft_cell_carries, &now[FT_COMPARED_THROUGHPUT], &before[FT_COMPARED_THROUGHPUT]);
	add_after(text, ", mean hops ", ft_cell_three, &now[FT_COMPARED_MEAN_HOPS], &before[FT_COMPARED_MEAN_HOPS]);
	ft_text_puts(text, "\n");
}

static void add_steps(struct ft_text *text, const struct ft_comparison *comparison, const struct order *order)
{
	if (order->choices > 1)
		ft_text_puts(text, "What more money buys, each against the one before\n");
	for (size_t to = 1; to < order->choices; to++)
		add_step(text, comparison, order, to);
}

/* Why @by is the better one: cost comes first, then what is carried. */
static void add_reason(struct ft_text *text, const struct ft_comparison *comparison, size_t index, size_t by)
{
	double cost = figure_of(comparison, index, FT_COMPARED_COST_PER_HOST);
	double than = figure_of(comparison, by, FT_COMPARED_COST_PER_HOST);

	if (cost > than && than > 0)
		ft_text_printf(text, "%.*f %% dearer than", cost > 1.1 * than ? 0 : 1, 100 * (cost / than - 1));
	else if (figure_of(comparison, index, FT_COMPARED_THROUGHPUT) + LITTLE <
		 figure_of(comparison, by, FT_COMPARED_THROUGHPUT))
		ft_text_puts(text, "carries less than");
	else if (figure_of(comparison, index, FT_COMPARED_MEAN_HOPS) >
		 figure_of(comparison, by, FT_COMPARED_MEAN_HOPS) + LITTLE)
		ft_text_puts(text, "longer ways than");
	else
		ft_text_puts(text, "no better than");
}

/* Who had one of these in mind sees what speaks against it. */
static void add_beaten(struct ft_text *text, const struct ft_comparison *comparison, const struct order *order)
{
	_cleanup_(ft_text_release) struct ft_text words = {0};

	for (size_t i = order->choices; i < order->count; i++) {
		size_t index = order->rows[i];
		size_t by = ft_choice_can(comparison, index) ? ft_choice_winner(comparison, index) : SIZE_MAX;

		if (by == SIZE_MAX)
			continue;
		ft_text_printf(&words, "%s%zu: ", words.length > 0 ? "; " : "", i + 1);
		add_reason(&words, comparison, index, by);
		ft_text_printf(&words, " %zu", number_of(order, by));
	}
	if (words.length > 0) {
		ft_text_puts(text, "Beaten by one that carries no less, has no longer ways, and costs no more\n");
		ft_cells_add_wrapped(text, 0, 3, ft_text_string(&words));
	}
	text->failed |= words.failed;
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

/* Prices are what is chosen by. */
static void add_undecided(struct ft_text *text, const struct order *order)
{
	if (order->choices == 0 && order->count > 1)
		ft_text_puts(
			text,
			"\nNo choice is made: no price is known. What carries more takes more switches and cables, "
			"and only\nprices say whether it is worth them. --catalog FILE gives prices, power and "
			"sizes.\n");
}

/* Of a network that nothing fits it is enough to say why. */
static void add_refusal(struct ft_text *words, const struct ft_compared *row)
{
	static const char known[] = "nothing fits: ";
	const char *why = row->refusal;

	if (strncmp(why, known, strlen(known)) == 0)
		why += strlen(known);
	ft_text_printf(words, "%s%s: %s", row->asked, row->asked_is_design ? "" : " cannot be built", why);
}

static void add_refusals(struct ft_text *text, const struct ft_comparison *comparison)
{
	bool first = true;

	for (size_t i = 0; i < comparison->count; i++) {
		_cleanup_(ft_text_release) struct ft_text words = {0};

		if (comparison->rows[i].network)
			continue;
		add_refusal(&words, &comparison->rows[i]);
		ft_text_puts(text, first ? "\n" : "");
		ft_cells_add_wrapped(text, 0, 3, ft_text_string(&words));
		text->failed |= words.failed;
		first = false;
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

static bool are_alike(const struct ft_compared *a, const struct ft_compared *b)
{
	return a->switch_kind && b->switch_kind && strcmp(a->switch_kind, b->switch_kind) == 0;
}

/* "1-5, 7": the networks at @at and behind it that have the same switches. Returns how many. */
static size_t add_alike(struct ft_text *numbers, const struct ft_comparison *comparison, const struct order *order,
			size_t at)
{
	const struct ft_compared *row = &comparison->rows[order->rows[at]];
	size_t alike = 0;

	for (size_t i = at, end; i < order->count; i = end + 1) {
		for (end = i; end < order->count; end++)
			if (end != at && !are_alike(row, &comparison->rows[order->rows[end]]))
				break;
		if (end == i)
			continue;
		ft_text_printf(numbers, "%s%zu", alike > 0 ? ", " : "", i + 1);
		if (end > i + 1)
			ft_text_printf(numbers, "-%zu", end);
		alike += end - i;
	}
	return alike;
}

/* The switches of the network at @at, unless one before it has told them. */
static void add_kind(struct ft_text *words, const struct ft_comparison *comparison, const struct order *order,
		     size_t at)
{
	_cleanup_(ft_text_release) struct ft_text numbers = {0};
	const struct ft_compared *row = &comparison->rows[order->rows[at]];

	for (size_t i = 0; i < at; i++)
		if (are_alike(row, &comparison->rows[order->rows[i]]))
			return;
	ft_text_puts(words, words->length > 0 ? "; " : "");
	if (add_alike(&numbers, comparison, order, at) < order->count)
		ft_text_printf(words, "%s: ", ft_text_string(&numbers));
	ft_text_puts(words, row->switch_kind ? row->switch_kind : row->switches);
	words->failed |= numbers.failed;
}

static void add_switches(struct ft_text *text, const struct ft_comparison *comparison, const struct order *order)
{
	_cleanup_(ft_text_release) struct ft_text words = {0};

	for (size_t i = 0; i < order->count; i++)
		add_kind(&words, comparison, order, i);
	ft_text_puts(text, "Switches: ");
	ft_cells_add_wrapped(text, strlen("Switches: "), 3, ft_text_string(&words));
	text->failed |= words.failed;
}

/* What else is to be known of some. */
static void add_notes(struct ft_text *text, const struct ft_comparison *comparison, const struct order *order)
{
	for (size_t i = 0; i < order->count; i++) {
		_cleanup_(ft_text_release) struct ft_text words = {0};

		ft_cells_add_note(&words, comparison, order->rows[i]);
		if (words.length > 0) {
			ft_text_printf(text, "%2zu: ", i + 1);
			ft_cells_add_wrapped(text, 4, 4, ft_text_string(&words));
		}
		text->failed |= words.failed;
	}
}

static void add_legend(struct ft_text *text, const struct ft_comparison *comparison)
{
	_cleanup_(ft_text_release) struct ft_text words = {0};

	ft_text_puts(
		&words,
		"Carries: the share of its cable's rate that every host gets when all send to all, by the best "
		"routing; gap: how much may be missing; bound: what no routing exceeds. Hops: cables between two "
		"switches with hosts; bisection: cables whose cut halves the hosts; lost: the share of cables that has "
		"failed, in random order, when a host is first cut off; cut off: by the worst failure of one switch.");
	ft_text_puts(&words, has_how(comparison, FT_HOW_FOUND) || has_how(comparison, FT_HOW_SAMPLED)
				     ? " ~: the best found, or a median."
				     : "");
	ft_text_puts(&words, has_loose(comparison) ? " >: at least (--gap 0.01 searches longer)." : "");
	ft_text_puts(&words, has_how(comparison, FT_HOW_CLOSED) ? " *: a formula." : "");
	ft_text_puts(&words, has_how(comparison, FT_HOW_UNKNOWN) ? " ?: not known, or there is none." : "");
	ft_text_puts(&words, " No mark: counted.");
	ft_text_puts(&words, comparison->verbose
				     ? " Behind ~ is what is proven: >= at least, <= at most; of a median what 10 % of "
				       "the trials are below and above."
				     : " -v shows what is proven.");
	ft_text_puts(&words, " ftplan(1) says how.");
	ft_text_puts(text, "\n");
	ft_cells_add_wrapped(text, 0, 0, ft_text_string(&words));
	text->failed |= words.failed;
	add_large(text, comparison);
	add_prices(text, comparison);
}

static void add_networks(struct ft_text *text, const struct ft_comparison *comparison, const struct order *order)
{
	if (order->count > 1)
		add_best(text, comparison, "The cheapest, and its cost per host", cheapest, FT_COUNT(cheapest));
	add_undecided(text, order);
	add_table(text, comparison, order, order->choices > 0 ? "The choice by cost, then others" : "What each takes",
		  takes, FT_COUNT(takes));
	add_table(text, comparison, order, "What each gives for that", gives, FT_COUNT(gives));
	ft_text_puts(text, "\n");
	add_steps(text, comparison, order);
	add_beaten(text, comparison, order);
	add_switches(text, comparison, order);
	add_notes(text, comparison, order);
	if (!comparison->verbose)
		return;
	if (order->count > 1)
		add_best(text, comparison, "The best at", best_at, FT_COUNT(best_at));
	add_table(text, comparison, order, "More of what it takes", takes_more, FT_COUNT(takes_more));
	add_table(text, comparison, order, "What is proven", proven, FT_COUNT(proven));
}

void ft_comparison_write_text(struct ft_text *text, const struct ft_comparison *comparison)
{
	_cleanup_(order_release) struct order order = {0};

	if (order_make(comparison, &order) < 0) {
		text->failed = true;
		return;
	}
	add_title(text, comparison);
	if (order.count > 0)
		add_networks(text, comparison, &order);
	add_refusals(text, comparison);
	if (order.count > 0)
		add_legend(text, comparison);
}
