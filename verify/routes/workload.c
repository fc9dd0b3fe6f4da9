/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "verify/routes/workload.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "verify/measure/observed.h"
#include "verify/routes/forward.h"

/* The networks that workloads run on. */
enum { FOUND, PLANNED, BY_TABLES, SIDES };

static int rows_add(struct ft_report *report, const struct ft_work_result *result, uint32_t left_out)
{
	report->workloads = ft_arena_zeros(&report->memory, result->count, sizeof(*report->workloads));
	if (!report->workloads)
		return -ENOMEM;
	for (uint32_t i = 0; i < result->count; i++) {
		const struct ft_work_row *row = &result->rows[i];
		struct ft_report_workload *to = &report->workloads[i];

		to->name = ft_arena_string(&report->memory, row->name);
		report->workload_count++;
		to->hosts = result->tasks;
		to->hosts_left_out = left_out;
		to->planned_ns = (uint64_t)(row->time_ns[PLANNED] + 0.5);
		to->found_ns = (uint64_t)(row->time_ns[FOUND] + 0.5);
		to->by_tables = result->sides > BY_TABLES;
		if (to->by_tables && isfinite(row->time_ns[BY_TABLES]))
			to->tables_ns = (uint64_t)(row->time_ns[BY_TABLES] + 0.5);
		/* In thousandths: more is not known. */
		if (ft_ratio_make((int64_t)(ft_work_ratio(row) * 1000 + 0.5), 1000, &to->ratio) < 0)
			to->ratio = (struct ft_ratio){0, 1};
	}
	return report->memory.failed ? -ENOMEM : 0;
}

struct sides {
	struct ft_work_side of[SIDES - 1];
};

static void sides_release(struct sides *sides)
{
	for (int i = 0; i < SIDES - 1; i++)
		ft_work_side_release(&sides->of[i]);
}

int ft_workload_measure(struct ft_model *m, const struct ft_workload_list *list, struct ft_error *err)
{
	_cleanup_(ft_plan_variant_freep) struct ft_plan *observed = ft_observed_plan(m);
	_cleanup_(ft_forward_release) struct ft_forward forward = {0};
	_cleanup_(sides_release) struct sides sides = {0};
	struct ft_work_side *seen = &sides.of[FOUND], *planned = &sides.of[PLANNED], run[SIDES];
	const struct ft_work_model model = ft_work_model_default();
	bool tables = m->input->routes != NULL;
	struct ft_work_result result;
	uint32_t all;
	int r = -ENOMEM;

	if (observed)
		r = ft_work_side_make(m->design, m->plan, (struct ft_placement){.automatic = true}, planned, err);
	if (r == 0)
		r = ft_work_side_make(m->design, observed, (struct ft_placement){0}, seen, err);
	if (r < 0)
		return r;
	all = planned->tasks;
	seen->mesh_x = planned->mesh_x;
	r = ft_work_sides_align(planned, seen);
	if (r == 0 && tables)
		r = ft_forward_make(m, &seen->traffic, &forward);
	if (r < 0)
		return r;
	run[FOUND] = run[BY_TABLES] = *seen;
	run[PLANNED] = *planned;
	run[BY_TABLES].forwarding = &forward.forwarding;
	r = ft_work_run(&model, list, run, tables ? SIDES : SIDES - 1, NULL, &result, err);
	return r ?: rows_add(m->report, &result, all - result.tasks);
}
