/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* One axis of a chart: what is where, and the numbers beside it. */
#ifndef FT_PLANNER_COMPARE_AXIS_H
#define FT_PLANNER_COMPARE_AXIS_H

#include <stdbool.h>

enum { FT_AXIS_TICKS_MAX = 24, FT_AXIS_LABEL_SIZE = 16 };

struct ft_axis {
	double low, high; /* values at the two ends */
	bool log;
	double step;	 /* between marks, where it is not logarithmic */
	double from, to; /* pixels at the two ends */
};

/*
 * An axis for the values from @least to @most. @zero: it begins at 0. Else, where they are more than fourfold apart and
 * positive, it is logarithmic. Its ends are round numbers.
 */
struct ft_axis ft_axis_make(double least, double most, bool zero, double from, double to);

/* The pixel of a value. */
double ft_axis_at(const struct ft_axis *axis, double value);

/* Round values to be marked: 1, 2 and 5 times powers of ten. Returns how many there are. */
unsigned int ft_axis_ticks(const struct ft_axis *axis, double ret_ticks[FT_AXIS_TICKS_MAX]);

/* "0.25", "500", "20k", "1.5M". Returns @label. */
const char *ft_axis_label(double value, char label[FT_AXIS_LABEL_SIZE]);

#endif
