/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/site/sheet.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "planner/site/sheet_parts.h"

enum {
	SHEET_SIZE_MAX = 256 << 20,
	LINES_LOOKED_AT = 64, /* to tell the separator */
	TITLES_MAX = 20,      /* lines above the names of the columns */
	LOOKED_AT_MAX = 1 << 20,
};

void ft_sheet_release(struct ft_sheet *sheet)
{
	free(sheet->bytes);
	free(sheet->rows);
	*sheet = (struct ft_sheet){0};
}

/* ---- bytes ---- */

/* Cells are cut out in place: a NUL takes the place of what ends them. */
struct scan {
	char *c, *end;
	char *line_start;
	uint32_t line;
	char separator;
	struct ft_error *err;
};

static int scan_error(const struct scan *s, const char *at, const char *text)
{
	return ft_error_set(s->err, -EINVAL, s->line, (unsigned int)(at - s->line_start) + 1, "%s", text);
}

static const struct {
	const char *bytes;
	size_t length;
	const char *text;
} foreign_files[] = {
	{"PK\3\4", 4, "this is a workbook: save the sheet with the cables as CSV"},
	{"\xd0\xcf\x11\xe0", 4, "this is a workbook: save the sheet with the cables as CSV"},
	{"\xff\xfe", 2, "this is UTF-16: save it as CSV in UTF-8"},
	{"\xfe\xff", 2, "this is UTF-16: save it as CSV in UTF-8"},
};

static int bytes_check(const char *text, size_t length, struct ft_error *err)
{
	const char *nul = memchr(text, '\0', length);
	unsigned int line, column;

	for (size_t i = 0; i < FT_COUNT(foreign_files); i++)
		if (length >= foreign_files[i].length &&
		    memcmp(text, foreign_files[i].bytes, foreign_files[i].length) == 0)
			return ft_error_set(err, -EINVAL, 1, 1, "%s", foreign_files[i].text);
	if (!nul)
		return 0;
	ft_error_position(text, (size_t)(nul - text), &line, &column);
	return ft_error_set(err, -EINVAL, line, column, "a byte 0: this is no text");
}

/* What begins with a # is a comment, but #17 may be the number of a cable. */
static bool is_comment(const char *c, const char *end)
{
	return *c == '#' && !(c + 1 < end && isdigit((unsigned char)c[1]));
}

/* The one that there is most of, outside of quotes, in the first lines that are no comments. */
static char separator_tell(const char *c, const char *end)
{
	static const char candidates[] = {',', ';', '\t'};
	size_t counts[FT_COUNT(candidates)] = {0}, best = 0;
	bool quoted = false, comment = false, begins = true;

	for (size_t lines = 0; c < end && lines < LINES_LOOKED_AT; c++) {
		if (begins)
			comment = is_comment(c, end);
		begins = *c == '\n' && !quoted;
		lines += begins;
		quoted ^= *c == '"' && !comment;
		for (size_t i = 0; i < FT_COUNT(candidates); i++)
			counts[i] += *c == candidates[i] && !quoted && !comment;
	}
	for (size_t i = 1; i < FT_COUNT(candidates); i++)
		if (counts[i] > counts[best])
			best = i;
	return candidates[best];
}

/* "sep=;", which some spreadsheets begin with. */
static bool separator_said(struct scan *s)
{
	if (s->end - s->c < 6 || strncmp(s->c, "sep=", 4) != 0 || !strchr("\r\n", s->c[5]))
		return false;
	s->separator = s->c[4];
	return true;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f';
}

/* Blanks, also those that do not break (U+00A0 in UTF-8). */
static void text_trim(char **start, char **end)
{
	for (;;) {
		if (*start < *end && is_blank(**start))
			(*start)++;
		else if (*end - *start >= 2 && memcmp(*start, "\xc2\xa0", 2) == 0)
			*start += 2;
		else
			break;
	}
	for (;;) {
		if (*start < *end && is_blank((*end)[-1]))
			(*end)--;
		else if (*end - *start >= 2 && memcmp(*end - 2, "\xc2\xa0", 2) == 0)
			*end -= 2;
		else
			break;
	}
	**end = '\0';
}

/* An apostrophe before what would be a number or a formula, and the formula ="007", keep a cell a text. */
static char *text_unmark(char *start, char *end)
{
	size_t length = (size_t)(end - start);

	if (start[0] == '\'')
		return start + 1;
	if (length >= 3 && start[0] == '=' && start[1] == '"' && end[-1] == '"') {
		end[-1] = '\0';
		return start + 2;
	}
	return start;
}

/* The content of a quoted cell, from behind its quote; the scan stands behind the closing one then. */
static int quoted_read(struct scan *s, char **ret_end)
{
	char *to = s->c, *opened = s->c - 1, *opened_line = s->line_start;
	uint32_t opened_at = s->line;

	for (; s->c < s->end; s->c++) {
		if (*s->c == '"' && s->c + 1 < s->end && s->c[1] == '"')
			s->c++;
		else if (*s->c == '"')
			break;
		if (*s->c == '\n') {
			s->line++;
			s->line_start = s->c + 1;
		}
		*to++ = *s->c;
	}
	if (s->c == s->end)
		return ft_error_set(s->err, -EINVAL, opened_at, (unsigned int)(opened - opened_line) + 1,
				    "this quote is not closed");
	s->c++;
	*ret_end = to;
	return 0;
}

static bool cell_ends(const struct scan *s)
{
	return s->c == s->end || *s->c == s->separator || *s->c == '\n';
}

static void blanks_skip(struct scan *s)
{
	while (!cell_ends(s) && is_blank(*s->c))
		s->c++;
}

/* One cell, and what ends it: a separator or the end of the line, which the scan passes. */
static int cell_read(struct scan *s, struct ft_sheet_cell *ret_cell, char *ret_mark)
{
	uint32_t line = s->line;
	char *start, *end = s->c, *line_start = s->line_start;

	blanks_skip(s);
	start = s->c;
	if (!cell_ends(s) && *s->c == '"') {
		start = ++s->c;
		if (quoted_read(s, &end) < 0)
			return -EINVAL;
		blanks_skip(s);
		if (!cell_ends(s))
			return scan_error(s, s->c, "text behind a quoted cell: a quote inside one is written twice");
	} else {
		while (!cell_ends(s))
			s->c++;
		end = s->c;
	}
	*ret_mark = s->c < s->end ? *s->c : '\n';
	/* The NUL takes the place of what was just looked at. */
	if (s->c < s->end)
		s->c++;
	if (*ret_mark == '\n') {
		s->line++;
		s->line_start = s->c;
	}
	text_trim(&start, &end);
	ret_cell->line = line;
	ret_cell->column = (uint32_t)(start - line_start) + 1;
	ret_cell->text = text_unmark(start, end);
	return 0;
}

static void line_skip(struct scan *s)
{
	while (s->c < s->end && *s->c != '\n')
		s->c++;
	s->c += s->c < s->end;
	s->line++;
	s->line_start = s->c;
}

/* The next line that is no comment and not empty: 1, 0 behind the last, or -EINVAL. */
static int record_read(struct scan *s, struct ft_sheet_record *record)
{
	while (s->c < s->end) {
		char mark = s->separator;
		bool empty = true;

		if (is_comment(s->c, s->end)) {
			line_skip(s);
			continue;
		}
		for (record->count = 0; mark == s->separator; record->count++) {
			if (record->count == FT_SHEET_COLUMNS_MAX)
				return scan_error(s, s->c, "more than 256 columns");
			if (cell_read(s, &record->cells[record->count], &mark) < 0)
				return -EINVAL;
			empty &= record->cells[record->count].text[0] == '\0';
		}
		if (!empty)
			return 1;
	}
	return 0;
}

/* ---- rows ---- */

struct reading {
	struct scan scan;
	struct ft_sheet_record record;
	struct ft_sheet_columns columns;
	bool columns_known;
	struct ft_sheet_cell above[2]; /* the last name of each side */
	struct ft_sheet sheet;
	size_t size; /* rows that there is memory for */
};

static struct ft_sheet_cell cell_at(const struct reading *r, int column)
{
	if (column == FT_SHEET_NONE || column >= r->record.count)
		return (struct ft_sheet_cell){"", r->record.cells[0].line, 1};
	return r->record.cells[column];
}

static struct ft_sheet_end end_at(struct reading *r, unsigned int side)
{
	struct ft_sheet_end end = {cell_at(r, r->columns.name[side]), cell_at(r, r->columns.board[side]),
				   cell_at(r, r->columns.port[side])};

	if (ft_sheet_cell_is_blank(end.port.text))
		end.port.text = "";
	if (ft_sheet_cell_is_blank(end.board.text))
		end.board.text = "";
	/* Merged cells, and tables that name a switch once. */
	if (end.name.text[0] == '\0' && end.port.text[0] != '\0')
		end.name = r->above[side];
	if (ft_sheet_cell_is_blank(end.name.text))
		end.name.text = "";
	else
		r->above[side] = end.name;
	return end;
}

static int row_add(struct reading *r)
{
	struct ft_sheet_row row = {
		.line = r->record.cells[0].line,
		.foreign = ft_sheet_kind_is_foreign(cell_at(r, r->columns.kind).text),
	};

	row.ends[0] = end_at(r, 0);
	row.ends[1] = end_at(r, 1);
	if (row.ends[0].name.text[0] == '\0' && row.ends[1].name.text[0] == '\0')
		return 0;
	if (r->sheet.row_count == r->size) {
		size_t size = r->size ? 2 * r->size : 256;
		struct ft_sheet_row *rows = reallocarray(r->sheet.rows, size, sizeof(*rows));

		if (!rows)
			return -ENOMEM;
		r->sheet.rows = rows;
		r->size = size;
	}
	r->sheet.rows[r->sheet.row_count++] = row;
	return 0;
}

/* The columns begin anew: tables may follow each other. */
static void columns_take(struct reading *r)
{
	r->columns_known = true;
	r->above[0] = r->above[1] = (struct ft_sheet_cell){"", 0, 0};
	if (r->sheet.first_line == 0)
		r->sheet.first_line = r->record.cells[0].line;
}

static void scan_move(struct scan *s, const struct scan *copy, const char *copy_start, char *start)
{
	s->c = start + (copy->c - copy_start);
	s->line_start = start + (copy->line_start - copy_start);
	s->line = copy->line;
}

/*
 * What stands above the names of the columns is a title, if these follow soon. Cells are cut out for good, so it is a
 * copy that is looked at. What is wrong in it is found again when the rows are read.
 */
static int header_find(struct reading *r)
{
	size_t length = (size_t)(r->scan.end - r->scan.c);
	size_t looked_at = length < LOOKED_AT_MAX ? length : LOOKED_AT_MAX;
	_cleanup_free_ char *copy = malloc(looked_at + 1);
	struct scan ahead = r->scan;

	if (!copy)
		return -ENOMEM;
	memcpy(copy, r->scan.c, looked_at);
	copy[looked_at] = '\0';
	ahead.line_start = ahead.c = copy;
	ahead.end = copy + looked_at;
	ahead.err = NULL;
	for (int lines = 0; lines < TITLES_MAX && record_read(&ahead, &r->record) == 1; lines++)
		if (ft_sheet_header_read(&r->record, &r->columns)) {
			columns_take(r);
			scan_move(&r->scan, &ahead, copy, r->scan.c);
			break;
		}
	return 0;
}

static int columns_guess(struct reading *r)
{
	const struct ft_sheet_cell *first = &r->record.cells[0];

	if (ft_sheet_columns_guess(&r->record, &r->columns) < 0)
		return ft_error_set(r->scan.err, -EINVAL, first->line, 1,
				    "which column is what? The first line should name them: a,a_port,b,b_port");
	columns_take(r);
	return 0;
}

static int record_take(struct reading *r)
{
	int n;

	if (ft_sheet_header_read(&r->record, &r->columns)) {
		columns_take(r);
		return 0;
	}
	n = r->columns_known ? 0 : columns_guess(r);
	return n < 0 ? n : row_add(r);
}

/* @bytes have a NUL behind them, and are cut in place. */
static void scan_begin(struct scan *s, char *bytes, size_t length, struct ft_error *err)
{
	size_t mark = length >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;

	*s = (struct scan){.c = bytes + mark, .end = bytes + length, .line_start = bytes + mark, .line = 1, .err = err};
	if (separator_said(s))
		line_skip(s);
	else
		s->separator = separator_tell(s->c, s->end);
}

int ft_sheet_each_record(char *bytes, size_t length, ft_sheet_taker *take, void *owner, struct ft_error *err)
{
	_cleanup_free_ struct ft_sheet_record *record = calloc(1, sizeof(*record));
	struct scan scan;
	int r;

	if (!record)
		return -ENOMEM;
	r = bytes_check(bytes, length, err);
	if (r < 0)
		return r;
	scan_begin(&scan, bytes, length, err);
	while ((r = record_read(&scan, record)) == 1) {
		r = take(owner, record);
		if (r < 0)
			break;
	}
	return r;
}

static int rows_read(struct reading *r)
{
	int n;

	n = header_find(r);
	if (n < 0)
		return n;
	while ((n = record_read(&r->scan, &r->record)) == 1) {
		n = record_take(r);
		if (n < 0)
			return n;
	}
	if (n == 0 && r->sheet.row_count == 0)
		return ft_error_set(r->scan.err, -EINVAL, 1, 1, "there is no cable in this file");
	return n;
}

int ft_sheet_read(const char *text, size_t length, struct ft_sheet *ret_sheet, struct ft_error *err)
{
	_cleanup_free_ struct reading *r = calloc(1, sizeof(*r));
	int n;

	if (!r)
		return -ENOMEM;
	n = bytes_check(text, length, err);
	if (n < 0)
		return n;
	r->sheet.bytes = malloc(length + 1);
	if (!r->sheet.bytes)
		return -ENOMEM;
	memcpy(r->sheet.bytes, text, length);
	r->sheet.bytes[length] = '\0';
	scan_begin(&r->scan, r->sheet.bytes, length, err);
	n = rows_read(r);
	if (n == 0)
		n = ft_sheet_split(&r->sheet);
	if (n < 0) {
		ft_sheet_release(&r->sheet);
		return n;
	}
	*ret_sheet = r->sheet;
	return 0;
}

int ft_sheet_load(const char *path, struct ft_sheet *ret_sheet, struct ft_error *err)
{
	_cleanup_free_ char *text = NULL;
	size_t length;
	int r;

	if (err)
		err->file = path;
	r = ft_file_read(path, SHEET_SIZE_MAX, &text, &length, err);
	return r < 0 ? r : ft_sheet_read(text, length, ret_sheet, err);
}
