/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The throughput of a plan under several traffic patterns, as text or JSON. */
#ifndef FT_PLANNER_WRITE_THROUGHPUT_H
#define FT_PLANNER_WRITE_THROUGHPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "planner/flow/throughput.h"
#include "planner/plan/design.h"
#include "planner/plan/plan.h"

struct ft_text;

struct ft_throughput_choice {
	bool traffic[FT_TRAFFIC_COUNT]; /* those that are asked for */
	double gap;			/* 0: the usual one */
	uint64_t seed;			/* of the permutation */
};

/* Both add to @text. They return 0, -ENOMEM, or -EINVAL with @err filled (no line): there are no two hosts. */
int ft_write_throughput(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan,
			const struct ft_throughput_choice *choice, struct ft_error *err);
int ft_write_throughput_json(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan,
			     const struct ft_throughput_choice *choice, struct ft_error *err);

#endif
