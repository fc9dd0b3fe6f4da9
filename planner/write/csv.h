/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Comma-separated values (RFC 4180, with plain line feeds), also for those who open them in a spreadsheet.
 */
#ifndef FT_PLANNER_WRITE_CSV_H
#define FT_PLANNER_WRITE_CSV_H

#include <stdint.h>

struct ft_text;

/*
 * Adds @string as a cell, made safe for a terminal (base/text.h) and for a spreadsheet: what begins like a formula gets
 * a ' before it. So does what begins with a ', so that different strings stay different.
 */
void ft_csv_add(struct ft_text *text, const char *string);

/* Adds a number; it needs no escaping, and there are many of them. */
void ft_csv_add_count(struct ft_text *text, uint32_t value);

#endif
