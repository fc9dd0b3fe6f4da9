/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * A comparison for people: short tables with a line a network each, as one of them all would be far too wide, what is
 * to be bought, and which network is best at what.
 */
#include "planner/compare/table.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"

enum { NAME_WIDTH = 28, WIDTH = 100 };

/* ---- cells ---- */

static const char *mark(const struct ft_measured *m)
{
	static const char *const marks[FT_HOW_COUNT] = {
		[FT_HOW_UNKNOWN] = "", [FT_HOW_EXACT] = "",    [FT_HOW_CLOSED] = "*",
		[FT_HOW_FOUND] = "~",  [FT_HOW_SAMPLED] = "~",
	};

	return marks[m->how];
}

static void cell_count(struct ft_text *cell, const struct ft_measured *m)
{
	ft_text_printf(cell, "%.0f%s", m->value, mark(m));
}

static void cell_thousands(struct ft_text *cell, const struct ft_measured *m)
{
	ft_text_printf(cell, "%.1f%s", m->value / 1000, mark(m));
}

static void cell_two(struct ft_text *cell, const struct ft_measured *m)
{
	ft_text_printf(cell, "%.2f%s", m->value, mark(m));
}

static void cell_three(struct ft_text *cell, const struct ft_measured *m)
{
	ft_text_printf(cell, "%.3f%s", m->value, mark(m));
}

/* The best found, and what it is at least. */
static void cell_at_least(struct ft_text *cell, const struct ft_measured *m)
{
	cell_count(cell, m);
	if (m->how == FT_HOW_FOUND)
		ft_text_printf(cell, " >=%.0f", m->low);
}

/* The best found, and what it is at most. */
static void cell_at_most(struct ft_text *cell, const struct ft_measured *m)
{
	cell_three(cell, m);
	if (m->how == FT_HOW_FOUND)
		ft_text_printf(cell, " <=%.3f", m->high);
}

/* A median, and where the middle four fifths of the trials are. */
static void cell_median(struct ft_text *cell, const struct ft_measured *m)
{
	ft_text_printf(cell, "%.1f %%%s", 100 * m->value, mark(m));
	if (m->how == FT_HOW_SAMPLED)
		ft_text_printf(cell, " (%.0f-%.0f)", 100 * m->low, 100 * m->high);
}

static void cell_percent(struct ft_text *cell, const struct ft_measured *m)
{
	ft_text_printf(cell, "%.1f %%%s", 100 * m->value, mark(m));
}

/* ---- rows ---- */

/* A design goes by its name: several may be of one network. */
static const char *called(const struct ft_compared *row)
{
	return row->asked_is_design ? row->asked : row->network;
}

/* Small numbers of hosts need one switch, whichever network is asked for: one row is enough of that. */
static bool is_repeated(const struct ft_comparison *comparison, size_t index)
{
	const struct ft_compared *row = &comparison->rows[index];

	for (size_t i = 0; i < index; i++) {
		const struct ft_compared *other = &comparison->rows[i];

		if (!row->asked_is_design && !other->asked_is_design && other->network && row->network &&
		    row->nodes == other->nodes && row->figures[FT_COMPARED_SWITCHES].value <= 1 &&
		    other->figures[FT_COMPARED_SWITCHES].value <= 1 && strcmp(row->switches, other->switches) == 0)
			return true;
	}
	return false;
}

/* It has lines in the tables. */
static bool is_shown(const struct ft_comparison *comparison, size_t index)
{
	return comparison->rows[index].network && !is_repeated(comparison, index);
}

/* ---- tables ---- */

struct column {
	enum ft_compared_figure figure;
	int width;
	const char *above, *below; /* its heading, in two lines */
	void (*add)(struct ft_text *cell, const struct ft_measured *measured);
};

static const struct column takes[] = {
	{FT_COMPARED_SWITCHES, 9, "", "switches", cell_count},
	{FT_COMPARED_PORTS, 9, "ports", "in all", cell_count},
	{FT_COMPARED_PORTS_USED, 9, "", "used", cell_count},
	{FT_COMPARED_HOST_CABLES, 11, "cables to", "hosts", cell_count},
	{FT_COMPARED_SWITCH_CABLES, 10, "between", "switches", cell_count},
	{FT_COMPARED_ELECTRIC, 10, "of both:", "electric", cell_count},
	{FT_COMPARED_OPTICAL, 9, "", "optical", cell_count},
	{FT_COMPARED_CABLE_M, 8, "", "km", cell_thousands},
};

static const struct column costs[] = {
	{FT_COMPARED_COST, 13, "", "cost", cell_count},
	{FT_COMPARED_COST_PER_HOST, 11, "cost", "per host", cell_two},
	{FT_COMPARED_POWER_W, 12, "power", "kW", cell_thousands},
	{FT_COMPARED_POWER_W_PER_HOST, 11, "W", "per host", cell_two},
	{FT_COMPARED_SIZE_U, 12, "size", "rack units", cell_count},
	{FT_COMPARED_SIZE_U_PER_HOST, 11, "rack units", "per host", cell_three},
};

static const struct column carries[] = {
	{FT_COMPARED_DIAMETER, 9, "", "diameter", cell_count},
	{FT_COMPARED_MEAN_HOPS, 8, "mean", "hops", cell_three},
	{FT_COMPARED_OF_MOORE, 12, "of Moore's", "bound", cell_percent},
	{FT_COMPARED_BISECTION, 16, "", "bisection", cell_at_least},
	{FT_COMPARED_THROUGHPUT_BOUND, 11, "throughput", "bound", cell_three},
	{FT_COMPARED_THROUGHPUT, 16, "", "throughput", cell_at_most},
};

static const struct column withstands[] = {
	{FT_COMPARED_LINKS_LOST, 24, "links lost", "at disconnection", cell_median},
	{FT_COMPARED_SWITCH_CUTS_OFF, 24, "hosts cut off by one", "switch", cell_count},
	{FT_COMPARED_CABLE_CUTS_OFF, 14, "one", "cable", cell_count},
};

static const struct {
	const char *title;
	const struct column *columns;
	size_t count;
} tables[] = {
	{"What it takes", takes, FT_COUNT(takes)},
	{"What it costs", costs, FT_COUNT(costs)},
	{"What it carries", carries, FT_COUNT(carries)},
	{"What failures do", withstands, FT_COUNT(withstands)},
};

static void add_right(struct ft_text *text, const char *string, int width)
{
	ft_text_printf(text, "%*s", width, string);
}

/* A column that is known of no network is left out. */
static bool is_known(const struct ft_comparison *comparison, enum ft_compared_figure figure)
{
	for (size_t i = 0; i < comparison->count; i++)
		if (ft_measured_known(&comparison->rows[i].figures[figure]))
			return true;
	return false;
}

/* False: nothing is known of all that. */
static bool add_heading(struct ft_text *text, const struct ft_comparison *comparison, size_t table)
{
	const struct column *columns = tables[table].columns;
	bool known = false;

	for (size_t i = 0; i < tables[table].count; i++)
		known |= is_known(comparison, columns[i].figure);
	if (!known) {
		ft_text_printf(text, "\n%s: not known%s\n", tables[table].title,
			       columns == costs ? "; --catalog FILE gives prices, power and sizes" : "");
		return false;
	}
	ft_text_printf(text, "\n%-*s", NAME_WIDTH, tables[table].title);
	for (size_t i = 0; i < tables[table].count; i++)
		if (is_known(comparison, columns[i].figure))
			add_right(text, columns[i].above, columns[i].width);
	ft_text_printf(text, "\n%*s", NAME_WIDTH, "");
	for (size_t i = 0; i < tables[table].count; i++)
		if (is_known(comparison, columns[i].figure))
			add_right(text, columns[i].below, columns[i].width);
	ft_text_puts(text, "\n");
	return true;
}

static void add_line(struct ft_text *text, const struct ft_comparison *comparison, const struct ft_compared *row,
		     size_t table)
{
	const struct column *columns = tables[table].columns;
	_cleanup_(ft_text_release) struct ft_text cell = {0};
	int late = 0;

	ft_text_printf(text, "%-*s", NAME_WIDTH, called(row));
	/* A name that is too long takes the room before the first number. */
	late = (int)strlen(called(row)) > NAME_WIDTH ? (int)strlen(called(row)) - NAME_WIDTH : 0;
	for (size_t i = 0; i < tables[table].count; i++) {
		const struct ft_measured *measured = &row->figures[columns[i].figure];
		int width = columns[i].width - late;

		if (!is_known(comparison, columns[i].figure))
			continue;
		ft_text_reset(&cell);
		if (ft_measured_known(measured))
			columns[i].add(&cell, measured);
		else
			ft_text_puts(&cell, "?");
		late = width <= (int)cell.length ? (int)cell.length + 1 - width : 0;
		add_right(text, ft_text_string(&cell), width + late);
	}
	ft_text_puts(text, "\n");
	text->failed |= cell.failed;
}

/* ---- what is best ---- */

static const struct {
	enum ft_compared_figure figure;
	bool most; /* else the least is best */
	bool per_host;
	double throughput; /* that a network must have to be considered */
	const char *words;
	void (*add)(struct ft_text *cell, const struct ft_measured *measured);
} merits[] = {
	{FT_COMPARED_COST_PER_HOST, false, false, 0, "Cheapest per host", cell_two},
	{FT_COMPARED_COST_PER_HOST, false, false, 0.25, "  of those with throughput >= 0.25", cell_two},
	{FT_COMPARED_COST_PER_HOST, false, false, 0.5, "  of those with throughput >= 0.5", cell_two},
	{FT_COMPARED_COST_PER_HOST, false, false, 0.9, "  of those with throughput >= 0.9", cell_two},
	{FT_COMPARED_POWER_W_PER_HOST, false, false, 0, "Least power per host, W", cell_two},
	{FT_COMPARED_SIZE_U_PER_HOST, false, false, 0, "Least room per host, rack units", cell_three},
	{FT_COMPARED_MEAN_HOPS, false, false, 0, "Shortest ways, mean hops", cell_three},
	{FT_COMPARED_THROUGHPUT, true, false, 0, "Most throughput, all to all", cell_three},
	{FT_COMPARED_BISECTION, true, true, 0, "Most bisection per host", cell_two},
	{FT_COMPARED_LINKS_LOST, true, false, 0, "Withstands most failed cables", cell_percent},
	{FT_COMPARED_SWITCH_CUTS_OFF, false, false, 0, "Fewest hosts cut off by one switch", cell_count},
};

static struct ft_measured merit_of(const struct ft_compared *row, size_t merit)
{
	struct ft_measured measured = row->figures[merits[merit].figure];

	if (merits[merit].per_host && row->nodes > 0)
		measured.value /= row->nodes;
	return measured;
}

/* Of networks that are equally good the cheaper one is named, or where nobody knows the cost the smaller one. */
static bool is_cheaper(const struct ft_compared *a, const struct ft_compared *b)
{
	static const enum ft_compared_figure figures[] = {FT_COMPARED_COST_PER_HOST, FT_COMPARED_SIZE_U_PER_HOST};

	for (size_t i = 0; i < FT_COUNT(figures); i++) {
		const struct ft_measured *x = &a->figures[figures[i]], *y = &b->figures[figures[i]];

		if (ft_measured_known(x) && ft_measured_known(y))
			return x->value < y->value;
	}
	return false;
}

/* The best network by @merit; of equal ones the cheaper, then the first. NULL: it is known of none. */
static const struct ft_compared *best_by(const struct ft_comparison *comparison, size_t merit)
{
	const struct ft_compared *best = NULL;

	for (size_t i = 0; i < comparison->count; i++) {
		struct ft_measured measured = merit_of(&comparison->rows[i], merit);
		double than = best ? merit_of(best, merit).value : 0;

		if (!ft_measured_known(&measured) || comparison->rows[i].apart ||
		    comparison->rows[i].figures[FT_COMPARED_THROUGHPUT].value < merits[merit].throughput)
			continue;
		if (!best || (merits[merit].most ? measured.value > than : measured.value < than) ||
		    (measured.value <= than && measured.value >= than && is_cheaper(&comparison->rows[i], best)))
			best = &comparison->rows[i];
	}
	return best;
}

static void add_best(struct ft_text *text, const struct ft_comparison *comparison)
{
	ft_text_puts(text, "\nBest at\n");
	for (size_t i = 0; i < FT_COUNT(merits); i++) {
		_cleanup_(ft_text_release) struct ft_text cell = {0};
		const struct ft_compared *best = best_by(comparison, i);
		struct ft_measured measured;

		if (!best)
			continue;
		measured = merit_of(best, i);
		merits[i].add(&cell, &measured);
		ft_text_printf(text, "  %-36s%-*s %s\n", merits[i].words, NAME_WIDTH, called(best),
			       ft_text_string(&cell));
		text->failed |= cell.failed;
	}
}

/* ---- around the tables ---- */

static size_t planned(const struct ft_comparison *comparison)
{
	size_t count = 0;

	for (size_t i = 0; i < comparison->count; i++)
		count += is_shown(comparison, i);
	return count;
}

/* The nodes of all, or that they differ. */
static void add_title(struct ft_text *text, const struct ft_comparison *comparison)
{
	uint32_t least = UINT32_MAX, most = 0;
	size_t count = planned(comparison);

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

/* Words from column @at on, and in further lines from @indent on, none beyond WIDTH if it can be helped. */
static void add_wrapped(struct ft_text *text, size_t at, int indent, const char *words)
{
	for (bool first = true; *words; first = false) {
		size_t length = strcspn(words, " ");

		if (!first && at + 1 + length > WIDTH) {
			ft_text_printf(text, "\n%*s", indent, "");
			at = (size_t)indent;
		} else if (!first) {
			ft_text_puts(text, " ");
			at++;
		}
		ft_text_add(text, words, length);
		at += length;
		words += length;
		words += *words == ' ';
	}
	ft_text_puts(text, "\n");
}

/* Other networks that are this one switch, too. */
static void add_repeated(struct ft_text *text, const struct ft_comparison *comparison, size_t index)
{
	const char *between = "; the same for ";

	for (size_t i = index + 1; i < comparison->count; i++) {
		const struct ft_compared *row = &comparison->rows[i];

		if (!row->network || !is_repeated(comparison, i) || row->nodes != comparison->rows[index].nodes ||
		    comparison->rows[index].figures[FT_COMPARED_SWITCHES].value > 1)
			continue;
		ft_text_printf(text, "%s%s", between, row->asked);
		between = ", ";
	}
}

static void add_bought(struct ft_text *text, const struct ft_comparison *comparison)
{
	ft_text_puts(text, "\nWhat to buy\n");
	for (size_t i = 0; i < comparison->count; i++) {
		const struct ft_compared *row = &comparison->rows[i];
		_cleanup_(ft_text_release) struct ft_text words = {0};
		size_t name;

		if (!is_shown(comparison, i))
			continue;
		name = strlen(called(row)) > NAME_WIDTH ? strlen(called(row)) : NAME_WIDTH;
		ft_text_printf(&words, "%s; %u host%s%s%s%s%s", row->switches, row->nodes, ft_text_s(row->nodes),
			       row->asked_is_design ? ", " : "", row->asked_is_design ? row->network : "",
			       row->one_group ? "; a single group, so nothing leads to others" : "",
			       row->apart ? "; in parts: not all hosts reach each other" : "");
		add_repeated(&words, comparison, i);
		ft_text_printf(text, "%-*s ", NAME_WIDTH, called(row));
		add_wrapped(text, name + 1, NAME_WIDTH + 1, ft_text_string(&words));
		text->failed |= words.failed;
	}
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
		add_wrapped(text, strlen(row->asked) + 4, 4, row->refusal);
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
		ft_text_printf(text, "%sPrices%s%s: catalog ", last ? "" : "\n", last ? " from " : "",
			       last ? called(row) : "");
		ft_text_add_safe(text, row->catalog, strlen(row->catalog));
		if (row->currency && row->currency[0])
			ft_text_printf(text, ", in %s", row->currency);
		if (row->prices_of && row->prices_of[0])
			ft_text_printf(text, ", of %s", row->prices_of);
		ft_text_puts(text,
			     row->cables_cost_alike
				     ? ".\nIts cables cost the same at any length; lengths are those of the floor "
				       "model.\n"
				     : "; lengths of cables: the floor model.\n");
		last = row;
	}
}

static void add_large(struct ft_text *text, const struct ft_comparison *comparison)
{
	for (size_t i = 0; i < comparison->count; i++)
		if (is_shown(comparison, i) && comparison->rows[i].is_large)
			ft_text_printf(text,
				       "%s has so many switches that distances, bisection and throughput are not "
				       "searched for.\n",
				       called(&comparison->rows[i]));
}

static void add_legend(struct ft_text *text, const struct ft_comparison *comparison)
{
	static const struct {
		enum ft_how how;
		const char *words;
	} words[] = {
		{FT_HOW_CLOSED, "* closed form.\n"},
		{FT_HOW_FOUND, "~ best found; behind it what is proven: >= at least, <= at most.\n"},
		{FT_HOW_SAMPLED, "%~ median of random orders of failing cables; 10 % of them are below the first "
				 "number in\n  brackets, 10 % above the second.\n"},
		{FT_HOW_UNKNOWN, "? not known, or there is no such thing.\n"},
	};

	ft_text_puts(text, "\nNumbers without a mark are counted, or searched completely.\n");
	for (size_t i = 0; i < FT_COUNT(words); i++)
		if (has_how(comparison, words[i].how))
			ft_text_puts(text, words[i].words);
	ft_text_puts(text,
		     "Throughput: share of its cable's rate that every host gets when all send to all. Bisection: "
		     "cables\nwhose cut halves the hosts. Links lost: share of the cables between switches that "
		     "fail until a host\nis cut off. ftplan(1) says how each is found.\n");
	add_large(text, comparison);
	add_prices(text, comparison);
}

/* It costs no more, carries no less and has no longer ways, and is better at one of these at least. */
static bool beats(const struct ft_compared *a, const struct ft_compared *b)
{
	double cost = a->figures[FT_COMPARED_COST_PER_HOST].value - b->figures[FT_COMPARED_COST_PER_HOST].value;
	double throughput = a->figures[FT_COMPARED_THROUGHPUT].value - b->figures[FT_COMPARED_THROUGHPUT].value;
	double ways = a->figures[FT_COMPARED_MEAN_HOPS].value - b->figures[FT_COMPARED_MEAN_HOPS].value;

	return cost <= 0 && throughput >= 0 && ways <= 0 && (cost < 0 || throughput > 0 || ways < 0);
}

static bool can_choose(const struct ft_comparison *comparison, size_t index)
{
	const struct ft_compared *row = &comparison->rows[index];

	return is_shown(comparison, index) && !row->apart &&
	       ft_measured_known(&row->figures[FT_COMPARED_COST_PER_HOST]) &&
	       ft_measured_known(&row->figures[FT_COMPARED_THROUGHPUT]);
}

static bool is_beaten(const struct ft_comparison *comparison, size_t index)
{
	for (size_t i = 0; i < comparison->count; i++)
		if (can_choose(comparison, i) && beats(&comparison->rows[i], &comparison->rows[index]))
			return true;
	return false;
}

/* The cheapest that is left and dearer than @last, or as dear and behind it; SIZE_MAX: none. */
static size_t next_choice(const struct ft_comparison *comparison, size_t last)
{
	size_t next = SIZE_MAX;

	for (size_t i = 0; i < comparison->count; i++) {
		double cost = comparison->rows[i].figures[FT_COMPARED_COST_PER_HOST].value, than;

		if (!can_choose(comparison, i) || is_beaten(comparison, i))
			continue;
		if (last != SIZE_MAX) {
			than = comparison->rows[last].figures[FT_COMPARED_COST_PER_HOST].value;
			if (cost < than || (cost <= than && i <= last))
				continue;
		}
		if (next == SIZE_MAX || cost < comparison->rows[next].figures[FT_COMPARED_COST_PER_HOST].value)
			next = i;
	}
	return next;
}

static void add_offer(struct ft_text *text, const struct ft_compared *row)
{
	const struct ft_measured *figures = row->figures;

	ft_text_printf(text, "%-*s%14.2f%12.3f%1s%12.3f", NAME_WIDTH, called(row),
		       figures[FT_COMPARED_COST_PER_HOST].value, figures[FT_COMPARED_THROUGHPUT].value,
		       mark(&figures[FT_COMPARED_THROUGHPUT]), figures[FT_COMPARED_MEAN_HOPS].value);
}

/* The cheapest of the choice that beats it. */
static const struct ft_compared *beaten_by(const struct ft_comparison *comparison, size_t index)
{
	size_t choice = next_choice(comparison, SIZE_MAX);

	while (choice != SIZE_MAX && !beats(&comparison->rows[choice], &comparison->rows[index]))
		choice = next_choice(comparison, choice);
	return choice == SIZE_MAX ? NULL : &comparison->rows[choice];
}

/* Who had one of these in mind sees what speaks against it. */
static void add_beaten(struct ft_text *text, const struct ft_comparison *comparison)
{
	bool first = true;

	for (size_t i = 0; i < comparison->count; i++) {
		const struct ft_compared *by = can_choose(comparison, i) ? beaten_by(comparison, i) : NULL;

		if (!by)
			continue;
		if (first)
			ft_text_puts(text, "\nBeaten, and by which of them\n");
		first = false;
		add_offer(text, &comparison->rows[i]);
		ft_text_printf(text, "   %s\n", called(by));
	}
}

/* What is worth a second look, for those who read no further. */
static void add_choice(struct ft_text *text, const struct ft_comparison *comparison)
{
	size_t choice = next_choice(comparison, SIZE_MAX);

	if (choice == SIZE_MAX) {
		if (!is_known(comparison, FT_COMPARED_COST_PER_HOST))
			ft_text_puts(text,
				     "\nWithout prices there is no choice to be made; --catalog FILE gives them.\n");
		return;
	}
	ft_text_puts(text,
		     "\nThe choice: every other network is beaten by one of these, which costs no more, carries no "
		     "less and\nhas no longer ways. The cheapest comes first. Throughput is what the best routing "
		     "gives: trees have\nit as they are usually routed, other networks need a routing of their own.\n");
	ft_text_printf(text, "%*s%14s%13s%12s%18s\n", NAME_WIDTH, "", "cost per host", "throughput", "mean hops",
		       "one switch cuts");
	for (; choice != SIZE_MAX; choice = next_choice(comparison, choice)) {
		const struct ft_compared *row = &comparison->rows[choice];

		add_offer(text, row);
		ft_text_printf(text, "%12.0f host%s\n", row->figures[FT_COMPARED_SWITCH_CUTS_OFF].value,
			       ft_text_s((size_t)row->figures[FT_COMPARED_SWITCH_CUTS_OFF].value));
	}
	add_beaten(text, comparison);
}

void ft_comparison_write_text(struct ft_text *text, const struct ft_comparison *comparison)
{
	add_title(text, comparison);
	if (planned(comparison) > 1)
		add_choice(text, comparison);
	for (size_t t = 0; t < FT_COUNT(tables) && planned(comparison) > 0; t++) {
		if (!add_heading(text, comparison, t))
			continue;
		for (size_t i = 0; i < comparison->count; i++)
			if (is_shown(comparison, i))
				add_line(text, comparison, &comparison->rows[i], t);
	}
	if (planned(comparison) > 1)
		add_best(text, comparison);
	if (planned(comparison) > 0)
		add_bought(text, comparison);
	add_refusals(text, comparison);
	if (planned(comparison) > 0)
		add_legend(text, comparison);
}
