/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Names and ports that are written in one cell: "leaf07/12", "Leaf 7 Port 12", "SW01 Blade 16_Port 2/20". */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/map.h"
#include "base/text.h"
#include "planner/plan/names.h"
#include "planner/site/sheet_parts.h"

static const char separators[] = " _-/.:#([";

static bool is_separator(char c)
{
	return c && strchr(separators, c);
}

/* Numbers, with slashes between, and a bracket that closes, up to the end. */
static bool is_numbers(const char *c)
{
	size_t digits = strspn(c, "0123456789");

	while (digits && c[digits] == '/' && isdigit((unsigned char)c[digits + 1])) {
		c += digits + 1;
		digits = strspn(c, "0123456789");
	}
	return digits && (c[digits] == '\0' || (strchr(")]", c[digits]) && c[digits + 1] == '\0'));
}

/* "Port 12", "p12", "Port 2/20" */
static bool is_port(const char *c)
{
	static const char *const words[] = {"port", "pt", "p"};

	for (size_t i = 0; i < FT_COUNT(words); i++) {
		size_t length = strlen(words[i]);

		if (strncasecmp(c, words[i], length) != 0)
			continue;
		c += length;
		return is_numbers(c + strspn(c, " _-.:#"));
	}
	return false;
}

/* "HCA-1", "mlx5_0", "ib0": what of a host the cable is plugged into. */
static bool is_adapter(const char *c)
{
	static const char *const words[] = {"hca", "mlx", "ib", "qib", "hfi"};

	for (size_t i = 0; i < FT_COUNT(words); i++) {
		size_t length = strlen(words[i]);

		if (strncasecmp(c, words[i], length) == 0 && strcspn(c + length, "0123456789") <= 1 &&
		    strlen(c + length) <= 4)
			return true;
	}
	return false;
}

/* Where the port begins in @text; 0: it has none. */
static size_t port_find(const char *text)
{
	size_t length = strlen(text);

	if (ft_name_guid(text))
		return 0;
	for (size_t i = length; i-- > 1;)
		if (is_separator(text[i - 1]) && is_port(text + i))
			return i;
	for (size_t i = 1; i < length; i++)
		if (strchr(":/[(", text[i - 1]) && is_numbers(text + i))
			return i;
	for (size_t i = length; i-- > 1;)
		if (strchr(" :/", text[i - 1]) && is_adapter(text + i))
			return i;
	return 0;
}

static bool end_is_open(const struct ft_sheet_end *end)
{
	return end->name.text[0] && !end->port.text[0];
}

struct tally {
	size_t open, split, different;
};

/* A port has one cable, and so one row, or two if both ends have one; the name of a switch has many. */
static int split_tally(const struct ft_sheet *sheet, struct tally *t)
{
	_cleanup_(ft_map_release) struct ft_map seen = {0};

	for (size_t i = 0; i < 2 * sheet->row_count; i++) {
		const struct ft_sheet_end *end = &sheet->rows[i / 2].ends[i % 2];
		int r;

		if (!end_is_open(end) || sheet->rows[i / 2].foreign)
			continue;
		t->open++;
		if (port_find(end->name.text) == 0)
			continue;
		t->split++;
		r = ft_map_add(&seen, ft_text_hash(end->name.text), 0, NULL);
		if (r < 0)
			return r;
		t->different += (size_t)r;
	}
	return 0;
}

/* Cells are cut in place. A name that stands in several rows, as merged cells do, is cut once. */
static void end_split(struct ft_sheet *sheet, struct ft_sheet_end *end)
{
	char *text = sheet->bytes + (end->name.text - sheet->bytes);
	size_t at = port_find(text), past = at;

	if (at == 0)
		return;
	end->port = (struct ft_sheet_cell){text + at, end->name.line, end->name.column + (uint32_t)at};
	text[at + strcspn(text + at, ")]")] = '\0';
	while (past > 1 && is_separator(text[past - 1]))
		past--;
	text[past] = '\0';
}

int ft_sheet_split(struct ft_sheet *sheet)
{
	struct tally t = {0};
	int r = split_tally(sheet, &t);

	if (r < 0 || t.split * 2 < t.open || t.different * 2 < t.split || t.split == 0)
		return r;
	for (size_t i = 0; i < 2 * sheet->row_count; i++)
		if (end_is_open(&sheet->rows[i / 2].ends[i % 2]))
			end_split(sheet, &sheet->rows[i / 2].ends[i % 2]);
	return 0;
}
