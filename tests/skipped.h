/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Skipping a test, and saying why: quickstart counts the reasons. */
#ifndef FT_TESTS_SKIPPED_H
#define FT_TESTS_SKIPPED_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
/* cmocka wants those first. */
#include <cmocka.h>
#include <stdio.h>

/* Of whatever stands beside the checkout only where somebody put it there. */
#define NO_CAPTURED "no ../shared (captured fabrics)"
#define NO_REFERENCE "no ../shared (answers of the reference tool)"

#define skip_for(why)                           \
	do {                                    \
		printf("\nskipped: %s\n", why); \
		fflush(stdout);                 \
		skip();                         \
	} while (0)

#endif
