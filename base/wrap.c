/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Breaks long lines between words for a terminal. Continuation lines are indented by four more columns. */
#include "config.h"

#include <string.h>

#include "base/text.h"

enum { HANG = 4 };

/* Length of the colour escape sequence at @string, or 0. */
static size_t escape_length(const char *string)
{
	size_t length = 2;

	if (string[0] != '\033' || string[1] != '[')
		return 0;
	while (string[length] && string[length] != 'm')
		length++;
	return string[length] ? length + 1 : 0;
}

/* Columns of @length bytes: one for each character, none for a change of colour. */
static unsigned int columns(const char *string, size_t length)
{
	unsigned int count = 0;

	for (size_t i = 0; i < length;) {
		size_t escape = escape_length(string + i);

		if (escape) {
			i += escape;
			continue;
		}
		/* Continuation bytes of UTF-8 begin with the bits 10. */
		count += ((unsigned char)string[i] & 0xc0) != 0x80;
		i++;
	}
	return count;
}

/* One line without its end. A word longer than a line is not broken: ids and names are copied from it. */
static void line_wrap(struct ft_text *t, const char *line, size_t length, unsigned int width)
{
	unsigned int indent = 0, used;
	size_t i = 0;

	while (i < length && line[i] == ' ')
		i++;
	indent = (unsigned int)i;
	ft_text_add(t, line, i);
	used = indent;
	indent += HANG;
	while (i < length) {
		size_t blank = i, end;
		unsigned int word;

		while (blank < length && line[blank] == ' ')
			blank++;
		end = blank;
		while (end < length && line[end] != ' ')
			end++;
		word = columns(line + blank, end - blank);
		if (blank > i && used > indent && used + (blank - i) + word > width) {
			ft_text_printf(t, "\n%*s", (int)indent, "");
			used = indent;
		} else {
			ft_text_add(t, line + i, blank - i);
			used += (unsigned int)(blank - i);
		}
		ft_text_add(t, line + blank, end - blank);
		used += word;
		i = end;
	}
}

void ft_text_wrap(struct ft_text *t, const char *lines, unsigned int width)
{
	while (*lines) {
		size_t length = strcspn(lines, "\n");

		if (width == 0 || columns(lines, length) <= width)
			ft_text_add(t, lines, length);
		else
			line_wrap(t, lines, length, width);
		lines += length;
		if (*lines)
			ft_text_add(t, lines++, 1);
	}
}
