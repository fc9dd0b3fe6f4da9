/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The verifier: a pure function from a plan and a snapshot to a report.
 */
#ifndef FT_VERIFY_VERIFY_H
#define FT_VERIFY_VERIFY_H

#include "verify/report.h"

struct ft_routes;
struct ft_counters;
struct ft_sms;
struct ft_baseline;

/*
 * What a fabric is judged by. Of what was not asked for, which is NULL, nothing is said. All is borrowed.
 */
struct ft_verify_input {
	const struct ft_design *design;	    /* adds the bindings, expected rates and waivers to its @plan */
	const struct ft_plan *plan;	    /* directors included */
	const struct ft_snapshot *snapshot; /* as it was read */
	const char *today;		    /* the date for waivers, "YYYY-MM-DD" (UTC) */
	const struct ft_routes *routes;	    /* probe/routes.h: forwarding tables */
	const struct ft_counters *counters; /* probe/counters.h: error counters over an interval */
	const struct ft_sms *sms;	    /* probe/sms.h: who manages the subnet */
	const struct ft_baseline *baseline; /* verify/baseline.h: who was who when all was well */
	/*
	 * Not NULL: something changed a moment ago, and the subnet manager may not be through with it. Of what it has
	 * left undone (port-inactive, lid-missing), only what this report knows already is told.
	 */
	const struct ft_report *before;
	/* Whether it is that of this fabric at all: if not, that is the one finding, and the verdict is unknown. */
	bool doubt_plan;
	struct ft_limits limits;
	bool without_impact; /* what findings cost, and whether OpenSM's ftree refuses the fabric, is left open */
};

/* ft_verify() with all that there is. */
int ft_verify_all(const struct ft_verify_input *input, struct ft_report **ret_report);

/*
 * Holds @snapshot against @plan (made from @design, which adds the bindings, expected rates and waivers).
 *
 * @today  the date for waivers, "YYYY-MM-DD" (UTC)
 * @ret_report  out: the caller frees it. plan_file, plan_sha256 and time_s are the caller's to fill
 *
 * Returns 0 or -ENOMEM. A fabric that makes no sense is a report, not an error.
 */
int ft_verify(const struct ft_design *design, const struct ft_plan *plan, const struct ft_snapshot *snapshot,
	      const char *today, struct ft_report **ret_report);

#endif
