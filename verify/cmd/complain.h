/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Reports why ftcheck has no report: a line on standard error or, with the Nagios format, its UNKNOWN line on standard
 * output, the only one that such a monitor reads. Part of the program and of no library: it prints.
 */
#ifndef FT_VERIFY_CMD_COMPLAIN_H
#define FT_VERIFY_CMD_COMPLAIN_H

#include <stdbool.h>

#include "base/error.h"

enum { FT_EXIT_UNKNOWN = 3 };

/* Selects the form from here on. The default is standard error. */
void ft_complain_to_nagios(bool nagios);

/* Prints @line, which is safe for a terminal and has no newline. Returns the exit status. */
int ft_complain(const char *line);

/* The same as printf(); a line longer than a page is cut. */
int ft_complainf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* FILE:LINE:COLUMN: what is wrong; @code is -errno, for an @err without text. Returns the exit status. */
int ft_file_error(const char *path, int code, const struct ft_error *err);

/*
 * Writes @text to that file, whole or not at all; NULL: to standard output, where the progress line ends first. Returns
 * 0, or the exit status after reporting the reason.
 */
struct ft_text;
int ft_text_out(const char *path, const struct ft_text *text);

#endif
