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
#include "planner/write/choice.h"
#include "planner/draw/draw.h"
#include "planner/write/formats.h"

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

/* Whatever can be planned can be written in every form, or is refused with a reason. */
static void write_all(const struct ft_design *design, const struct ft_plan *plan)
{
	static int (*const writers[])(struct ft_text *, const struct ft_design *, const struct ft_plan *,
				      const struct ft_catalog *, struct ft_error *) = {
		ft_write_cables, ft_write_bom,	 ft_write_ibsim, ft_write_ibdm,
		ft_write_ibnl,	 ft_write_slurm, ft_write_opensm};

	for (size_t i = 0; i < FT_COUNT(writers) + 2; i++) {
		_cleanup_(ft_text_release) struct ft_text text = {0};
		struct ft_error err = {0};
		int r;

		if (i < FT_COUNT(writers))
			r = writers[i](&text, design, plan, NULL, &err);
		else
			r = (i == FT_COUNT(writers) ? ft_draw_svg : ft_draw_dot)(&text, design, plan, NULL, &err);
		check(r == 0 || (r == -EINVAL && err.text[0]));
		check(!ft_text_failed(&text));
	}
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
	ft_plan_write_text(&text, design, plan, NULL);
	ft_csv_plan(&text, plan);
	check(!ft_text_failed(&text));
	write_all(design, plan);
	return 0;
}
