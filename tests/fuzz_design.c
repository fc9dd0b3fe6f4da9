/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * libFuzzer target: any bytes are a design or an error with a place, and a design survives being written and read.
 * Seeds: tests/data/fuzz_design/.
 */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "planner/plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int truth)
{
	if (!truth)
		abort();
}

/* What is promised of a design that was read: it can be written, and then reads and writes the same. */
static void round_trip(const struct ft_design *design, const struct ft_plan *plan)
{
	_cleanup_(ft_design_freep) struct ft_design *again = NULL;
	_cleanup_(ft_plan_freep) struct ft_plan *same = NULL;
	_cleanup_(ft_text_release) struct ft_text text = {0}, twice = {0};

	check(ft_plan_write_design(&text, design, plan) == 0);
	check(ft_design_read(text.data, text.length, &again, &same, NULL) == 0);
	check(ft_plan_write_design(&twice, again, same) == 0);
	check(text.length == twice.length && memcmp(text.data, twice.data, text.length) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(ft_design_freep) struct ft_design *design = NULL;
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	_cleanup_(ft_text_release) struct ft_text text = {0};
	struct ft_error err = {0};

	if (ft_design_read((const char *)data, size, &design, &plan, &err) < 0) {
		check(!design && !plan && err.line >= 1 && err.column >= 1 && err.text[0]);
		return 0;
	}
	check(design && plan);
	/* Large plans are slow to write under sanitizers and teach nothing that small ones do not. */
	if (plan->links > 3000)
		return 0;
	round_trip(design, plan);
	ft_plan_write_text(&text, design, plan);
	if (ft_plan_check_ibsim(design, plan, &err) == 0)
		ft_plan_write_ibsim(&text, design, plan);
	check(!ft_text_failed(&text));
	return 0;
}
