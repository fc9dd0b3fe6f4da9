/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * How the program ftcheck says why there is no report: a line on standard error or, where the report was to be one for
 * Nagios, its UNKNOWN line on standard output, for such a monitor reads nothing else. Part of the program and of no
 * library: it prints.
 */
#ifndef FT_VERIFY_COMPLAIN_H
#define FT_VERIFY_COMPLAIN_H

#include <stdbool.h>

#include "base/error.h"

enum { FT_EXIT_UNKNOWN = 3 };

/* Which of the two, from here on. Before, it is standard error. */
void ft_complain_to_nagios(bool nagios);

/* Says @line, which is safe for a terminal and has no newline. Returns the exit status. */
int ft_complain(const char *line);

/* The same as printf() has it; of a line that is longer than a page the end is lost. */
int ft_complainf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* FILE:LINE:COLUMN: what is wrong; @code is -errno, for where @err says nothing. Returns the exit status. */
int ft_file_error(const char *path, int code, const struct ft_error *err);

#endif
