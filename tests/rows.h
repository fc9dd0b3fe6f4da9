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
#include <stdlib.h>
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

	/* No report, no account: accounted.py runs these for what other rows say. */
	if (getenv("FT_ACCOUNT"))
		return;
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

/*
 * Verifies the fabric of a design after faults.
 *
 * @expected  what is found, in words; or their beginning, with a "*" at its end; NULL: any
 * @counts    what @count adds of the report, NULL: any
 * @ret_b, @ret_report  out: the caller releases them
 */
static inline void row_check(const char *design, const char *faults, const char *expected, const char *counts,
			     void (*count)(const struct ft_report *report, struct ft_text *text), struct bench *ret_b,
			     struct ft_report **ret_report)
{
	_cleanup_(ft_text_release) struct ft_text words = {0}, counted = {0};

	bench_make(ret_b, design);
	faults_apply(ret_b, faults);
	assert_int_equal(ft_snapshot_check(ret_b->snapshot, NULL), 0);
	assert_int_equal(ft_verify(ret_b->design, ret_b->plan, ret_b->snapshot, "2026-11-20", ret_report), 0);
	report_check(*ret_report);
	report_words(*ret_report, &words);
	count(*ret_report, &counted);
	if (expected && expected[0] && expected[strlen(expected) - 1] == '*')
		assert_memory_equal(ft_text_string(&words), expected, strlen(expected) - 1);
	else if (expected)
		assert_string_equal(ft_text_string(&words), expected);
	if (counts)
		assert_string_equal(ft_text_string(&counted), counts);
	report_returns(*ret_report);
}

#endif
