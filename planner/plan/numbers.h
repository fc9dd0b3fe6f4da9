/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Arithmetic of counts. Private to planner/. */
#ifndef FT_PLANNER_PLAN_NUMBERS_H
#define FT_PLANNER_PLAN_NUMBERS_H

#include <stdint.h>

static inline uint32_t ft_minimum(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* a / b, rounded up. Takes any a: a + b - 1 could be too much for 32 bits. */
static inline uint32_t ft_divide_up(uint32_t a, uint32_t b)
{
	return a / b + (a % b != 0);
}

#endif
