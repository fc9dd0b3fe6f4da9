/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Figures of a comparison as cells of a table, and what the tables for people share. Private to planner/compare/. */
#ifndef FT_PLANNER_COMPARE_CELLS_H
#define FT_PLANNER_COMPARE_CELLS_H

#include "base/text.h"
#include "planner/compare/compared.h"

enum { FT_CELLS_NUMBER = 3, FT_CELLS_NAME = 28, FT_CELLS_WIDTH = 100 };

typedef void ft_cell_fn(struct ft_text *cell, const struct ft_measured *measured);

ft_cell_fn ft_cell_count, ft_cell_thousands, ft_cell_one, ft_cell_two, ft_cell_three;
ft_cell_fn ft_cell_percent;  /* "55.1 %" */
ft_cell_fn ft_cell_share;    /* "55 %~": the same, shorter */
ft_cell_fn ft_cell_at_least; /* the best found, and what it is at least */
ft_cell_fn ft_cell_at_most;  /* the best found, and what it is at most */
ft_cell_fn ft_cell_median;   /* and where the middle four fifths of the trials are */
ft_cell_fn ft_cell_gap;	     /* "0.9 %": how much of the bound may be missing */
ft_cell_fn ft_cell_carries;  /* three digits; ">0.451" where it is only known to be so much at least */

struct ft_column {
	enum ft_compared_figure figure;
	int width;
	const char *above, *below; /* its heading, in two lines */
	ft_cell_fn *add;
};

/* What a row goes by: the name of a design, as several may be of one network; else the network. */
const char *ft_compared_called(const struct ft_compared *row);

/* It has lines in the tables: it is planned, and no row before it is the same network. */
bool ft_comparison_shows(const struct ft_comparison *comparison, size_t index);
size_t ft_comparison_shown(const struct ft_comparison *comparison); /* how many */

/* Whether a figure is known of any network. Columns of which nothing is known are left out. */
bool ft_comparison_knows(const struct ft_comparison *comparison, enum ft_compared_figure figure);

/* The two lines of a heading, for lines that begin with a number of FT_CELLS_NUMBER columns. */
void ft_cells_add_heading(struct ft_text *text, const struct ft_comparison *comparison, const char *title,
			  const struct ft_column *columns, size_t count);

/* The name of @row and its cells; its number is before that. */
void ft_cells_add_line(struct ft_text *text, const struct ft_comparison *comparison, const struct ft_compared *row,
		       const struct ft_column *columns, size_t count);

/* Words from column @at on, and in further lines from @indent on, none beyond FT_CELLS_WIDTH if it can be helped. */
void ft_cells_add_wrapped(struct ft_text *text, size_t at, int indent, const char *words);

/* What is to be known of row @index beside its figures, such as for which networks it is the same. */
void ft_cells_add_note(struct ft_text *words, const struct ft_comparison *comparison, size_t index);

#endif
