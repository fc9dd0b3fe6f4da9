/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/write/csv.h"

#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"

/* What spreadsheets take for the beginning of a formula, in its full-width forms too. */
static bool is_formula(const char *string)
{
	static const char *const starts[] = {
		"=", "+", "-", "@", "'", "\xef\xbc\x9d", "\xef\xbc\x8b", "\xef\xbc\x8d", "\xef\xbc\xa0",
	};

	/* They skip blanks in some forms of import. */
	string += strspn(string, " ");
	for (size_t i = 0; i < FT_COUNT(starts); i++)
		if (strncmp(string, starts[i], strlen(starts[i])) == 0)
			return true;
	return false;
}

/* A semicolon separates cells where the comma is the decimal sign. */
static bool needs_quotes(const char *string)
{
	return strpbrk(string, "\",;") || string[0] == ' ' || (string[0] && string[strlen(string) - 1] == ' ');
}

static void add_quoted(struct ft_text *text, const char *string)
{
	const char *quote;

	ft_text_add(text, "\"", 1);
	while ((quote = strchr(string, '"'))) {
		ft_text_add(text, string, (size_t)(quote - string) + 1);
		ft_text_add(text, "\"", 1);
		string = quote + 1;
	}
	ft_text_puts(text, string);
	ft_text_add(text, "\"", 1);
}

void ft_csv_add(struct ft_text *text, const char *string)
{
	_cleanup_(ft_text_release) struct ft_text cell = {0};

	if (is_formula(string))
		ft_text_add(&cell, "'", 1);
	ft_text_add_safe(&cell, string, strlen(string));
	if (ft_text_failed(&cell))
		text->failed = true;
	else if (needs_quotes(ft_text_string(&cell)))
		add_quoted(text, ft_text_string(&cell));
	else
		ft_text_puts(text, ft_text_string(&cell));
}

void ft_csv_add_count(struct ft_text *text, uint32_t value)
{
	char digits[10], *start = digits + sizeof(digits);

	do
		*--start = (char)('0' + value % 10);
	while ((value /= 10) > 0);
	ft_text_add(text, start, (size_t)(digits + sizeof(digits) - start));
}
