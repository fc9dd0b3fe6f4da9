/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Adds to a report what ftcheck adds of a finished model: as the model of the report is gone, one is made again. */
#ifndef FT_TESTS_EXTEND_H
#define FT_TESTS_EXTEND_H

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "verify/measure/failures.h"
#include "verify/model/model.h"
#include "verify/repair/repair.h"

/* The report of @input gets its repair. Returns 0 or -ENOMEM. */
static inline int repair_add(const struct ft_verify_input *input, struct ft_report *report)
{
	_cleanup_(ft_model_release) struct ft_model m;
	struct ft_report exchanged;
	int r = ft_model_finish(&m, input);

	if (r == 0)
		r = ft_repair_make(&m);
	if (r < 0)
		return r;
	/* The report of the other model is the same but for its repair. */
	exchanged = *report;
	*report = *m.report;
	*m.report = exchanged;
	return 0;
}

/* And what so many more failures do. Returns 0 or -ENOMEM. */
static inline int after_add(const struct ft_verify_input *input, enum ft_after_kind kind, uint32_t count,
			    struct ft_report *report)
{
	_cleanup_(ft_model_release) struct ft_model m;
	struct ft_after *after;
	int r = ft_model_finish(&m, input);

	if (r == 0)
		r = ft_after_add(&m, kind, count);
	if (r < 0 || m.report->after_count == 0)
		return r;
	after = FT_ARENA_MORE(&report->memory, report->after, report->after_count);
	if (!after)
		return -ENOMEM;
	*after = m.report->after[0];
	after->ways = ft_arena_string(&report->memory, after->ways);
	after->example = ft_arena_string(&report->memory, after->example);
	return report->memory.failed ? -ENOMEM : 0;
}

#endif
