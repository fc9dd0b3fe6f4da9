/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * All inputs of one check: the design, the fabric, and further ones on request. Part of the program ftcheck and of no
 * library: it reads files, and reports their faults on standard error.
 */
#ifndef FT_VERIFY_CMD_GATHER_H
#define FT_VERIFY_CMD_GATHER_H

#include "base/moment.h"
#include "planner/plan/plan.h"
#include "probe/counters.h"
#include "probe/lanes.h"
#include "probe/routes.h"
#include "probe/sms.h"
#include "probe/snapshot.h"
#include "verify/model/baseline.h"
#include "verify/cmd/options.h"
#include "verify/model/changes.h"

/* Inputs that were not requested are NULL. */
struct ft_gathered {
	struct ft_design *design;
	struct ft_plan *plan;
	struct ft_phases *phases; /* NULL: the design has none */
	char day[FT_DAY_SIZE];	  /* that of --day, or of the sweep */
	struct ft_snapshot *snapshot;
	struct ft_sms *sms;
	struct ft_counters *counters;
	struct ft_routes *routes;	  /* from files, or from the switches */
	struct ft_lanes *lanes;		  /* from files; or by ft_gather_lanes() */
	struct ft_snapshot *since;	  /* the recording that the plan was made of; NULL: there is a design */
	struct ft_device_changes changes; /* since then */
	struct ft_baseline *baseline;
};

/*
 * Reads all inputs, and writes the fabric to the file of --save.
 *
 * @ret  all 0; the caller releases it in any case
 * Returns 0, or the exit status after reporting the reason.
 */
int ft_gather(const struct ft_options *options, struct ft_gathered *ret);

/* Whether the routes, and so their lanes, are those of the live fabric. */
bool ft_gathers_lanes(const struct ft_options *options);

/* Reads from the live fabric what @wants lists of virtual lanes. Returns like ft_gather(). */
int ft_gather_lanes(const struct ft_options *options, const struct ft_lane_wants *wants, struct ft_gathered *g);

void ft_gathered_release(struct ft_gathered *g);

#endif
