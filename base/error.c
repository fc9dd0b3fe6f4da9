/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"

/* As much of @safe as fits, in whole characters. */
static void text_cut(char text[FT_ERROR_TEXT_SIZE], const struct ft_text *safe)
{
	const char *string = ft_text_failed(safe) ? "no memory is left to say what" : ft_text_string(safe);
	size_t length = strlen(string);

	if (length >= FT_ERROR_TEXT_SIZE)
		length = FT_ERROR_TEXT_SIZE - 1;
	while (length > 0 && ((unsigned char)string[length] & 0xc0) == 0x80)
		length--;
	memcpy(text, string, length);
	text[length] = '\0';
}

int ft_error_set(struct ft_error *err, int code, unsigned int line, unsigned int column, const char *format, ...)
{
	_cleanup_(ft_text_release) struct ft_text safe = {0};
	char raw[FT_ERROR_TEXT_SIZE];
	va_list args;

	if (!err)
		return code;
	va_start(args, format);
	vsnprintf(raw, sizeof(raw), format, args);
	va_end(args);
	ft_text_add_safe(&safe, raw, strlen(raw));
	err->line = line;
	err->column = column;
	text_cut(err->text, &safe);
	return code;
}

void ft_error_position(const char *text, size_t offset, unsigned int *ret_line, unsigned int *ret_column)
{
	unsigned int line = 1;
	size_t start = 0;

	for (size_t i = 0; i < offset; i++)
		if (text[i] == '\n') {
			line++;
			start = i + 1;
		}
	*ret_line = line;
	*ret_column = (unsigned int)(offset - start) + 1;
}
