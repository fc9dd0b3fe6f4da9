/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * A comparison as a drawing: over numbers of nodes curves, of one number bars. SVG 1.1 without scripts, styles of
 * others or fonts to be loaded, so that it can be put into a paper as it is. A text that cannot grow remembers it.
 */
#ifndef FT_PLANNER_COMPARE_CHART_H
#define FT_PLANNER_COMPARE_CHART_H

#include "planner/compare/compared.h"

struct ft_text;

void ft_comparison_write_svg(struct ft_text *text, const struct ft_comparison *comparison);

#endif
