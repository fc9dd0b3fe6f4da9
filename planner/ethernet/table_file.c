/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/ethernet/table_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/mac.h"

struct table_reading {
	const struct ft_table_form *forms;
	size_t form_count;
	const struct ft_table_form *form; /* NULL: the first row is still to come */
	int places[FT_TABLE_COLUMNS_MAX]; /* of each column of the form; FT_SHEET_NONE: the file has it not */
	void *owner;
	struct ft_error *err;
};

/* Whether @word is one of @names, which have | between. */
static bool is_one_of(const char *word, const char *names)
{
	size_t length = strlen(word);

	for (const char *name = names; name; name = strchr(name, '|')) {
		name += *name == '|';
		if (length > 0 && strncasecmp(name, word, length) == 0 && (name[length] == '\0' || name[length] == '|'))
			return true;
	}
	return false;
}

static bool form_fits(struct table_reading *t, const struct ft_table_form *form, const struct ft_sheet_record *record)
{
	for (unsigned int c = 0; c < FT_TABLE_COLUMNS_MAX && form->columns[c]; c++) {
		t->places[c] = FT_SHEET_NONE;
		for (int i = 0; i < record->count && t->places[c] == FT_SHEET_NONE; i++)
			if (is_one_of(record->cells[i].text, form->columns[c]))
				t->places[c] = i;
		if (t->places[c] == FT_SHEET_NONE && form->needed >> c & 1)
			return false;
	}
	return true;
}

static int header_take(struct table_reading *t, const struct ft_sheet_record *record)
{
	_cleanup_(ft_text_release) struct ft_text wanted = {0};

	for (size_t i = 0; i < t->form_count; i++)
		if (form_fits(t, &t->forms[i], record)) {
			t->form = &t->forms[i];
			return 0;
		}
	for (size_t i = 0; i < t->form_count; i++) {
		ft_text_puts(&wanted, i > 0 ? "; or " : "");
		for (unsigned int c = 0; c < FT_TABLE_COLUMNS_MAX && t->forms[i].columns[c]; c++)
			if (t->forms[i].needed >> c & 1)
				ft_text_printf(&wanted, "%s%.*s", c > 0 ? "," : "",
					       (int)strcspn(t->forms[i].columns[c], "|"), t->forms[i].columns[c]);
	}
	return ft_error_set(t->err, -EINVAL, record->cells[0].line, record->cells[0].column,
			    "the first row must name the columns: %s", ft_text_string(&wanted));
}

static int record_take(void *owner, const struct ft_sheet_record *record)
{
	struct table_reading *t = owner;
	struct ft_sheet_cell cells[FT_TABLE_COLUMNS_MAX];

	if (!t->form)
		return header_take(t, record);
	for (unsigned int c = 0; c < FT_TABLE_COLUMNS_MAX; c++) {
		int place = c < FT_TABLE_COLUMNS_MAX && t->form->columns[c] ? t->places[c] : FT_SHEET_NONE;

		cells[c] = (struct ft_sheet_cell){"", record->cells[0].line, record->cells[0].column};
		if (!t->form->columns[c])
			break;
		if (place != FT_SHEET_NONE && place < record->count)
			cells[c] = record->cells[place];
	}
	return t->form->take(t->owner, cells, t->err);
}

int ft_table_file_read(char *bytes, size_t length, const struct ft_table_form *forms, size_t form_count, void *owner,
		       size_t *ret_form, struct ft_error *err)
{
	struct table_reading t = {.forms = forms, .form_count = form_count, .owner = owner, .err = err};
	int r = ft_sheet_each_record(bytes, length, record_take, &t, err);

	if (r < 0)
		return r;
	if (!t.form)
		return ft_error_set(err, -EINVAL, 1, 1, "the file is empty: its first row names the columns");
	if (ret_form)
		*ret_form = (size_t)(t.form - forms);
	return 0;
}

int ft_table_number(const struct ft_sheet_cell *cell, const char *what, uint32_t min, uint32_t max,
		    uint32_t *ret_number, struct ft_error *err)
{
	size_t digits = strspn(cell->text, "0123456789");
	unsigned long number =
		digits > 0 && digits < 10 && !cell->text[digits] ? strtoul(cell->text, NULL, 10) : max + 1UL;

	if (number < min || number > max)
		return ft_error_set(err, -EINVAL, cell->line, cell->column,
				    "\"%s\" is no %s: that is a number from %u to %u", cell->text, what, min, max);
	*ret_number = (uint32_t)number;
	return 0;
}

int ft_table_mac(const struct ft_sheet_cell *cell, uint64_t *ret_mac, struct ft_error *err)
{
	int r = ft_mac_read(cell->text, ret_mac);

	if (r == -ERANGE)
		return ft_error_set(err, -EINVAL, cell->line, cell->column, "\"%s\" is no address of a single port",
				    cell->text);
	return r < 0 ? ft_error_set(err, -EINVAL, cell->line, cell->column,
				    "\"%s\" is no address; one is such as 02:00:5e:10:00:01", cell->text)
		     : 0;
}
