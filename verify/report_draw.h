/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The report as a drawing: the plan, with what is wrong marked in its place and the findings beneath.
 */
#ifndef FT_VERIFY_REPORT_DRAW_H
#define FT_VERIFY_REPORT_DRAW_H

#include "planner/draw.h"
#include "verify/report.h"

/*
 * What @report says of @plan, as marks: a switch is as its status is; a bundle lacks what findings say it lacks; cables
 * that are where the plan has none are links; every finding is a line, in the order of the report.
 *
 * @report  of ft_verify() on this very plan
 * @ret_marks  out: the caller frees it
 * @err     filled on -EINVAL: the report is of another plan
 *
 * Returns 0, -EINVAL or -ENOMEM.
 */
int ft_report_marks(const struct ft_report *report, const struct ft_plan *plan, struct ft_draw_marks **ret_marks,
		    struct ft_error *err);

/* ft_draw_svg() and ft_draw_dot() (planner/draw.h) with these marks. */
int ft_report_write_svg(struct ft_text *text, const struct ft_report *report, const struct ft_design *design,
			const struct ft_plan *plan, struct ft_error *err);
int ft_report_write_dot(struct ft_text *text, const struct ft_report *report, const struct ft_design *design,
			const struct ft_plan *plan, struct ft_error *err);

#endif
