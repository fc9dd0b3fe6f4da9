/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * A site's list of cables: a spreadsheet saved as comma-separated values (RFC 4180), in whatever way the site keeps it.
 * What is understood is described in ftplan(1).
 */
#ifndef FT_PLANNER_SITE_SHEET_H
#define FT_PLANNER_SITE_SHEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* What a cell holds, without the blanks around it and what spreadsheets put before it. */
struct ft_sheet_cell {
	const char *text; /* "" where there is nothing */
	uint32_t line, column;
};

/* One end of a cable. */
struct ft_sheet_end {
	struct ft_sheet_cell name;  /* of a switch or host; an empty cell below a name repeats it, as merged cells do */
	struct ft_sheet_cell board; /* a column of its own; "": there is none */
	struct ft_sheet_cell port;
};

struct ft_sheet_row {
	struct ft_sheet_end ends[2];
	uint32_t line;
	bool foreign; /* a column says that it is of Ethernet, power and the like */
};

struct ft_sheet {
	char *bytes; /* owned; the cells are in it */
	struct ft_sheet_row *rows;
	size_t row_count;
	uint32_t first_line; /* of the rows, or of the header */
};

/*
 * Reads @length bytes (copied). Rows have a name at one end at least; all others, comments and empty lines are left
 * out.
 *
 * @ret_sheet  out: for ft_sheet_release(). Untouched on failure.
 * @err        filled with line, column and text on -EINVAL
 *
 * Returns 0, -EINVAL or -ENOMEM.
 */
int ft_sheet_read(const char *text, size_t length, struct ft_sheet *ret_sheet, struct ft_error *err);
void ft_sheet_release(struct ft_sheet *sheet);

/* The same from a file ("-": standard input). @err->file is set to @path. Also -errno of open() and read(). */
int ft_sheet_load(const char *path, struct ft_sheet *ret_sheet, struct ft_error *err);

#endif
