/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The report as a drawing: the plan, with faults marked in their places and the findings below. */
#ifndef FT_VERIFY_REPORT_DRAW_H
#define FT_VERIFY_REPORT_DRAW_H

#include "planner/draw/draw.h"
#include "verify/model/report.h"

/*
 * Converts @report to marks in @plan: switches by their status; bundles with the cables missing by the findings;
 * unplanned cables as links; every finding as a line, in the order of the report.
 *
 * @report  of ft_verify() with this plan
 * @ret_marks  out: the caller frees it
 * @err     filled on -EINVAL: the report is of another plan
 *
 * Returns 0, -EINVAL or -ENOMEM.
 */
int ft_report_marks(const struct ft_report *report, const struct ft_plan *plan, struct ft_draw_marks **ret_marks,
		    struct ft_error *err);

/* The plan with these marks, by @draw: ft_draw_svg or ft_draw_dot (planner/draw/draw.h). */
typedef int ft_draw_fn(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan,
		       const struct ft_draw_marks *marks, struct ft_error *err);
int ft_report_draw(struct ft_text *text, const struct ft_report *report, const struct ft_design *design,
		   const struct ft_plan *plan, ft_draw_fn *draw, struct ft_error *err);

#endif
