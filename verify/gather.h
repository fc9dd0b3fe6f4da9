/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * All that one check reads: the design, the fabric, and what is read beside it where it is asked for. Part of the
 * program ftcheck and of no library: it reads files, and says what is wrong with them on standard error.
 */
#ifndef FT_VERIFY_GATHER_H
#define FT_VERIFY_GATHER_H

#include "planner/plan.h"
#include "probe/counters.h"
#include "probe/routes.h"
#include "probe/sms.h"
#include "probe/snapshot.h"
#include "verify/baseline.h"
#include "verify/options.h"

/* What was not asked for is NULL. */
struct ft_gathered {
	struct ft_design *design;
	struct ft_plan *plan;
	struct ft_snapshot *snapshot;
	struct ft_sms *sms;
	struct ft_counters *counters;
	struct ft_routes *routes; /* of files, or of the switches */
	struct ft_baseline *baseline;
};

/*
 * Reads it, and writes the fabric to the file of --save.
 *
 * @ret  all 0; the caller releases it, whatever is returned
 * Returns 0, or the exit status once the reason is told.
 */
int ft_gather(const struct ft_options *options, struct ft_gathered *ret);
void ft_gathered_release(struct ft_gathered *g);

#endif
