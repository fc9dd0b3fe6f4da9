/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* How often random tests are run. */
#ifndef FT_TESTS_RUNS_H
#define FT_TESTS_RUNS_H

#include <stdbool.h>
#include <stdlib.h>

/* As often as the environment's FT_RUNS says; without it @usual times. */
static inline unsigned long runs_get(unsigned long usual)
{
	const char *given = getenv("FT_RUNS");

	return given ? strtoul(given, NULL, 0) : usual;
}

/* The same of a test that takes little: at most @usual times. */
static inline unsigned long runs_at_most(unsigned long usual)
{
	unsigned long runs = runs_get(usual);

	return runs < usual ? runs : usual;
}

/* Few are asked for, as under valgrind: what repeats itself does so less, and the largest cases are left out. */
static inline bool runs_are_few(void)
{
	return runs_get(100) < 100;
}

#endif
