/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* A comparison as text, csv and json. A text that cannot grow remembers it: ft_text_failed(). */
#ifndef FT_PLANNER_COMPARE_TABLE_H
#define FT_PLANNER_COMPARE_TABLE_H

#include "planner/compare/compared.h"

struct ft_text;

/*
 * A page of 100 columns: which networks are worth choosing from and why, and which is best at what. Behind it, if
 * @comparison is verbose, what each one takes, costs, carries and withstands.
 */
void ft_comparison_write_text(struct ft_text *text, const struct ft_comparison *comparison);

/* One row a network and number of nodes; beside a figure that may be other than exact stands how it came about. */
void ft_comparison_write_csv(struct ft_text *text, const struct ft_comparison *comparison);

/* etc/comparison.schema.json. */
void ft_comparison_write_json(struct ft_text *text, const struct ft_comparison *comparison);

#endif
