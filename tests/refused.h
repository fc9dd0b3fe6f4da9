/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* A bad design, and the words that it is refused with: "LINE:COLUMN: TEXT". */
#ifndef FT_TESTS_REFUSED_H
#define FT_TESTS_REFUSED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants those first. */
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "planner/plan/plan.h"

static inline void design_refused(const char *text, const char *expected)
{
	struct ft_design *design = NULL;
	struct ft_plan *plan = NULL;
	struct ft_error err = {0};
	char found[FT_ERROR_TEXT_SIZE + 32];
	int r = ft_design_read(text, strlen(text), &design, &plan, &err);

	snprintf(found, sizeof(found), "%u:%u: %s", err.line, err.column, err.text);
	assert_int_equal(r, -EINVAL);
	assert_null(design);
	assert_null(plan);
	if (strcmp(found, expected) != 0)
		fail_msg("%s\n   gives %s\nexpected %s", text, found, expected);
}

#endif
