/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/compare/cells.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"

/* ---- cells ---- */

static const char *mark(const struct ft_measured *m)
{
	static const char *const marks[FT_HOW_COUNT] = {
		[FT_HOW_UNKNOWN] = "", [FT_HOW_EXACT] = "",    [FT_HOW_CLOSED] = "*",
		[FT_HOW_FOUND] = "~",  [FT_HOW_SAMPLED] = "~",
	};

	return marks[m->how];
}

void ft_cell_count(struct ft_text *cell, const struct ft_measured *m)
{
	ft_text_printf(cell, "%.0f%s", m->value, mark(m));
}

void ft_cell_thousands(struct ft_text *cell, const struct ft_measured *m)
{
	ft_text_printf(cell, "%.1f%s", m->value / 1000, mark(m));
}

void ft_cell_one(struct ft_text *cell, const struct ft_measured *m)
{
	ft_text_printf(cell, "%.1f%s", m->value, mark(m));
}

void ft_cell_two(struct ft_text *cell, const struct ft_measured *m)
{
	ft_text_printf(cell, "%.2f%s", m->value, mark(m));
}

void ft_cell_three(struct ft_text *cell, const struct ft_measured *m)
{
	ft_text_printf(cell, "%.3f%s", m->value, mark(m));
}

void ft_cell_carries(struct ft_text *cell, const struct ft_measured *m)
{
	if (ft_measured_loose(m))
		ft_text_printf(cell, ">%.3f", m->value);
	else
		ft_cell_three(cell, m);
}

void ft_cell_gap(struct ft_text *cell, const struct ft_measured *m)
{
	ft_text_printf(cell, "%.1f %%", m->how == FT_HOW_FOUND && m->high > 0 ? 100 * (1 - m->value / m->high) : 0);
}

void ft_cell_at_least(struct ft_text *cell, const struct ft_measured *m)
{
	ft_cell_count(cell, m);
	if (m->how == FT_HOW_FOUND)
		ft_text_printf(cell, " >=%.0f", m->low);
}

void ft_cell_at_most(struct ft_text *cell, const struct ft_measured *m)
{
	ft_cell_three(cell, m);
	if (m->how == FT_HOW_FOUND)
		ft_text_printf(cell, " <=%.3f", m->high);
}

void ft_cell_median(struct ft_text *cell, const struct ft_measured *m)
{
	ft_text_printf(cell, "%.1f %%%s", 100 * m->value, mark(m));
	if (m->how == FT_HOW_SAMPLED)
		ft_text_printf(cell, " (%.0f-%.0f)", 100 * m->low, 100 * m->high);
}

void ft_cell_percent(struct ft_text *cell, const struct ft_measured *m)
{
	ft_text_printf(cell, "%.1f %%%s", 100 * m->value, mark(m));
}

void ft_cell_share(struct ft_text *cell, const struct ft_measured *m)
{
	ft_text_printf(cell, "%.0f %%%s", 100 * m->value, mark(m));
}

/* ---- rows ---- */

const char *ft_compared_called(const struct ft_compared *row)
{
	return row->asked_is_design ? row->asked : row->network;
}

/* As far as what is counted tells: the same switches, cables and distances. */
static bool is_alike(const struct ft_compared *a, const struct ft_compared *b)
{
	static const enum ft_compared_figure counted[] = {FT_COMPARED_SWITCHES, FT_COMPARED_SWITCH_CABLES,
							  FT_COMPARED_DIAMETER, FT_COMPARED_MEAN_HOPS};

	for (size_t i = 0; i < FT_COUNT(counted); i++)
		if (a->figures[counted[i]].value < b->figures[counted[i]].value ||
		    a->figures[counted[i]].value > b->figures[counted[i]].value)
			return false;
	return true;
}

/*
 * One switch, whichever network is asked for; a torus of one dimension, which is a ring; a Clos network of three
 * stages, which is a tree of two levels when folded.
 */
static bool is_same(const struct ft_compared *a, const struct ft_compared *b)
{
	return !a->asked_is_design && !b->asked_is_design && a->network && b->network && a->nodes == b->nodes &&
	       strcmp(a->switches, b->switches) == 0 && (a->figures[FT_COMPARED_SWITCHES].value <= 1 || is_alike(a, b));
}

/* One row is enough of networks that are the same. */
static bool is_repeated(const struct ft_comparison *comparison, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (is_same(&comparison->rows[i], &comparison->rows[index]))
			return true;
	return false;
}

bool ft_comparison_shows(const struct ft_comparison *comparison, size_t index)
{
	return comparison->rows[index].network && !is_repeated(comparison, index);
}

size_t ft_comparison_shown(const struct ft_comparison *comparison)
{
	size_t count = 0;

	for (size_t i = 0; i < comparison->count; i++)
		count += ft_comparison_shows(comparison, i);
	return count;
}

bool ft_comparison_knows(const struct ft_comparison *comparison, enum ft_compared_figure figure)
{
	for (size_t i = 0; i < comparison->count; i++)
		if (ft_measured_known(&comparison->rows[i].figures[figure]))
			return true;
	return false;
}

/* ---- tables ---- */

static void add_right(struct ft_text *text, const char *string, int width)
{
	ft_text_printf(text, "%*s", width, string);
}

void ft_cells_add_heading(struct ft_text *text, const struct ft_comparison *comparison, const char *title,
			  const struct ft_column *columns, size_t count)
{
	ft_text_printf(text, "\n%-*s", FT_CELLS_NUMBER + FT_CELLS_NAME, title);
	for (size_t i = 0; i < count; i++)
		if (ft_comparison_knows(comparison, columns[i].figure))
			add_right(text, columns[i].above, columns[i].width);
	ft_text_printf(text, "\n%*s", FT_CELLS_NUMBER + FT_CELLS_NAME, "");
	for (size_t i = 0; i < count; i++)
		if (ft_comparison_knows(comparison, columns[i].figure))
			add_right(text, columns[i].below, columns[i].width);
	ft_text_puts(text, "\n");
}

void ft_cells_add_line(struct ft_text *text, const struct ft_comparison *comparison, const struct ft_compared *row,
		       const struct ft_column *columns, size_t count)
{
	_cleanup_(ft_text_release) struct ft_text cell = {0};
	const char *called = ft_compared_called(row);
	int late = 0;

	ft_text_printf(text, "%-*s", FT_CELLS_NAME, called);
	/* A name that is too long takes the room before the first number. */
	late = (int)strlen(called) > FT_CELLS_NAME ? (int)strlen(called) - FT_CELLS_NAME : 0;
	for (size_t i = 0; i < count; i++) {
		const struct ft_measured *measured = &row->figures[columns[i].figure];
		int width = columns[i].width - late;

		if (!ft_comparison_knows(comparison, columns[i].figure))
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

void ft_cells_add_wrapped(struct ft_text *text, size_t at, int indent, const char *words)
{
	for (bool first = true; *words; first = false) {
		size_t length = strcspn(words, " ");

		if (!first && at + 1 + length > FT_CELLS_WIDTH) {
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

/* One more of several things to be said. */
static void add_part(struct ft_text *words, const char *part)
{
	ft_text_printf(words, "%s%s", words->length > 0 ? "; " : "", part);
}

/* Other networks that are this one, too. */
static void add_repeated(struct ft_text *words, const struct ft_comparison *comparison, size_t index)
{
	bool first = true;

	for (size_t i = index + 1; i < comparison->count; i++) {
		if (!is_same(&comparison->rows[index], &comparison->rows[i]))
			continue;
		if (first)
			add_part(words, "the same for ");
		ft_text_printf(words, "%s%s", first ? "" : ", ", comparison->rows[i].asked);
		first = false;
	}
}

void ft_cells_add_note(struct ft_text *words, const struct ft_comparison *comparison, size_t index)
{
	const struct ft_compared *row = &comparison->rows[index];

	if (row->asked_is_design) {
		add_part(words, row->network);
		ft_text_printf(words, ", %u host%s", row->nodes, ft_text_s(row->nodes));
	}
	if (row->one_group)
		add_part(words, "a single group, so nothing leads to others");
	if (row->apart)
		add_part(words, "in parts: not all hosts reach each other");
	add_repeated(words, comparison, index);
}
