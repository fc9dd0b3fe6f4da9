/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What the reading of a spreadsheet is made of. Private to planner/sheet*.c. */
#ifndef FT_PLANNER_SITE_SHEET_PARTS_H
#define FT_PLANNER_SITE_SHEET_PARTS_H

#include "planner/site/sheet.h"

enum {
	FT_SHEET_COLUMNS_MAX = 256,
	FT_SHEET_NONE = -1,
};

/* One line of the sheet, cut into cells. */
struct ft_sheet_record {
	struct ft_sheet_cell cells[FT_SHEET_COLUMNS_MAX];
	int count;
};

/* Which column is what; FT_SHEET_NONE: there is none. */
struct ft_sheet_columns {
	int name[2], board[2], port[2];
	int kind;
};

/*
 * Cuts @length bytes of comma-separated values, in whatever way these are written, into lines and these into cells, and
 * hands each line that is no comment and not empty to @take, until it fails. The bytes are cut in place, and one more
 * behind them has to be there.
 *
 * @err  filled on -EINVAL, unless @take returned that
 * Returns 0, -EINVAL, or what @take returned; or -ENOMEM.
 */
typedef int ft_sheet_taker(void *owner, const struct ft_sheet_record *record);
int ft_sheet_each_record(char *bytes, size_t length, ft_sheet_taker *take, void *owner, struct ft_error *err);

/*
 * Whether the cells are words that name columns: two of names at least.
 *
 * @ret_columns  out: untouched unless it is true
 */
bool ft_sheet_header_read(const struct ft_sheet_record *record, struct ft_sheet_columns *ret_columns);

/* The columns of a sheet without such words, by the first row of it. Returns 0 or -EINVAL: they do not tell. */
int ft_sheet_columns_guess(const struct ft_sheet_record *record, struct ft_sheet_columns *ret_columns);

/* Whether a cell of the column "kind" says that the cable is of another network. */
bool ft_sheet_kind_is_foreign(const char *kind);

/*
 * Cuts the cells of names in two where they end with a port, if most of those without a port of their own do. Returns 0
 * or -ENOMEM.
 */
int ft_sheet_split(struct ft_sheet *sheet);

/* Whether a cell says that nothing is there: "-", "n/a", "free" and so on, or nothing at all. */
bool ft_sheet_cell_is_blank(const char *text);

#endif
