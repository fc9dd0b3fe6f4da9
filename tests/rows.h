/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What the tests of the verifier have in common: a table of rows, and a verification that runs out of memory. */
#ifndef FT_TESTS_ROWS_H
#define FT_TESTS_ROWS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants those first. */
#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "tests/allocations.h"
#include "tests/bench.h"

/* Runs @test once for each of @rows, which have a name in .what, and then the tests in @others; both are arrays. */
#define rows_run(rows, test, others)                                                                                \
	({                                                                                                          \
		struct CMUnitTest tests_[FT_COUNT(rows) + FT_COUNT(others)];                                        \
                                                                                                                    \
		for (size_t i_ = 0; i_ < FT_COUNT(rows); i_++)                                                      \
			tests_[i_] =                                                                                \
				(struct CMUnitTest){rows[i_].what, test, NULL, NULL, (void *)(uintptr_t)&rows[i_]}; \
		memcpy(tests_ + FT_COUNT(rows), others, sizeof(others));                                            \
		cmocka_run_group_tests(tests_, NULL, NULL);                                                         \
	})

/*
 * Verifies with each allocation failing in turn: no report then, and nothing else lost.
 *
 * @least  allocations that there are more of
 * @fewer  there are thousands, in the same places again and again: each of the first, then ever fewer
 */
static inline void input_out_of_memory(const struct ft_verify_input *input, size_t least, bool fewer)
{
	int r = -ENOMEM;
	size_t n;

	for (n = 1; r == -ENOMEM && n < 100000; n += 1 + (fewer ? n / 40 : 0)) {
		struct ft_report *report = NULL;

		allocation_failing = n;
		r = ft_verify_all(input, &report);
		allocation_failing = 0;
		if (r < 0)
			assert_null(report);
		ft_report_free(report);
	}
	assert_int_equal(r, 0);
	assert_true(n > least);
}

static inline void bench_out_of_memory(const struct bench *b, bool fewer)
{
	const struct ft_verify_input input = {
		.design = b->design, .plan = b->plan, .snapshot = b->snapshot, .today = "2026-11-20"};

	input_out_of_memory(&input, 50, fewer);
}

#endif
