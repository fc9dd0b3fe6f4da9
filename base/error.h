/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * An error in a file of the user's, in the form that all programs print: FILE:LINE:COLUMN: what is wrong
 *
 * Libraries fill it and return -errno; only a main prints it.
 */
#ifndef FT_BASE_ERROR_H
#define FT_BASE_ERROR_H

#include <stddef.h>

enum { FT_ERROR_TEXT_SIZE = 512 };

struct ft_error {
	const char *file;  /* not owned: the name the caller passed in; NULL: the error is not in a file */
	unsigned int line; /* from 1; 0: the file as a whole */
	unsigned int column;
	char text[FT_ERROR_TEXT_SIZE]; /* one line, safe for a terminal, no final full stop */
};

/*
 * Fills @err (NULL is fine) and returns @code, so that a reader can write
 *     return ft_error_set(err, -EINVAL, line, column, "unknown key \"%s\"", key);
 *
 * The text may quote the user's file: bytes unsafe on a terminal are escaped as \xNN here. @err->file is left alone.
 */
int ft_error_set(struct ft_error *err, int code, unsigned int line, unsigned int column, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/*
 * Line and column (both from 1, the column in bytes) of the byte at @offset of @text.
 */
void ft_error_position(const char *text, size_t offset, unsigned int *ret_line, unsigned int *ret_column);

#endif
