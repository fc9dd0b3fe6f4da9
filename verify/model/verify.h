/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The verifier: a pure function from a plan and a snapshot to a report.
 */
#ifndef FT_VERIFY_MODEL_VERIFY_H
#define FT_VERIFY_MODEL_VERIFY_H

#include "verify/model/report.h"

struct ft_routes;
struct ft_counters;
struct ft_lanes;
struct ft_sms;
struct ft_baseline;
struct ft_phases;
struct ft_device_changes;

/*
 * The links of a switch that boots come up one after the other: for this long, unless the input says otherwise, they
 * are one fault. A managed switch takes two to five minutes.
 */
enum { FT_RETURNING_S = 300 };

/* The inputs of a verification. NULL members are not checked. All are borrowed. */
struct ft_verify_input {
	const struct ft_design *design;	    /* adds the bindings, expected rates and waivers to its @plan */
	const struct ft_plan *plan;	    /* directors included */
	const struct ft_snapshot *snapshot; /* as it was read */
	/* The recording that @plan was made of: cables are to be as fast as they were then. NULL: there is a design. */
	const struct ft_snapshot *since;
	const struct ft_device_changes *changes; /* with @since: what is known already, and amended in it (changes.h) */
	const char *today;			 /* the date for waivers, "YYYY-MM-DD" (UTC) */
	/* planner/write/phases.h: what is to be there when; NULL: now. And the day: as @today */
	const struct ft_phases *phases;
	const char *day;
	bool building;			/* most of it may not be there yet: a sweep that saw little is not cut off */
	const struct ft_routes *routes; /* probe/routes.h: forwarding tables */
	const struct ft_lanes *lanes;	/* probe/lanes.h: virtual lanes; NULL: nothing is known of them */
	bool want_lanes;		/* where they matter, fill report->lane_wants */
	const struct ft_counters *counters; /* probe/counters.h: error counters over an interval */
	const struct ft_sms *sms;	    /* probe/sms.h: the subnet managers */
	const struct ft_baseline *baseline; /* verify/model/baseline.h: the last known good state */
	uint32_t returning_s;		    /* for so long a switch that was gone is coming back; 0: FT_RETURNING_S */
	/*
	 * Not NULL: something changed a moment ago, and the subnet manager may still be working on it. Of its
	 * unfinished work (port-inactive, lid-missing), only what this report has already is reported.
	 */
	const struct ft_report *before;
	/*
	 * Test whether the design is that of this fabric: if not, that is the only finding, and the verdict is unknown.
	 */
	bool doubt_plan;
	/*
	 * A trial: whether this is the fabric's design, by which no more cables are wrong; 0: no trial. Where the
	 * matching leaves more, nothing is explained, and ft_verify_all() returns -ERANGE.
	 */
	uint64_t wrong_most;
	struct ft_limits limits;
	bool without_impact; /* do not compute the impact of findings, nor whether OpenSM's ftree rejects the fabric */
};

/* ft_verify() with all inputs. Returns -ERANGE also: see wrong_most. */
int ft_verify_all(const struct ft_verify_input *input, struct ft_report **ret_report);

/*
 * Verifies @snapshot against @plan (made from @design, which adds the bindings, expected rates and waivers).
 *
 * @today  the date for waivers, "YYYY-MM-DD" (UTC)
 * @ret_report  out: the caller frees it. plan_file, plan_sha256 and time_s are the caller's to fill
 *
 * Returns 0 or -ENOMEM. A nonsensical fabric gives a report, not an error.
 */
int ft_verify(const struct ft_design *design, const struct ft_plan *plan, const struct ft_snapshot *snapshot,
	      const char *today, struct ft_report **ret_report);

#endif
