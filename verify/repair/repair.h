/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * A small set of actions that repairs the findings, in the order of one walk, and the verdict expected after each,
 * computed by applying it to a copy of the snapshot (what_if.h) and verifying that.
 *
 * Flow: actions of findings become jobs, and jobs that do the same work are merged. The stops of the walk, the switches
 * at which something is to be done, are a greedy set cover of the jobs; they are visited rack by rack, or in the
 * natural order of their names. A job whose port another cable has to leave first waits for that one; if all jobs wait
 * for each other, one of them is changed (knot_undo()).
 *
 * Invariant: a job is a step only once the what-if fabric could carry it out. Cost: one verification for each
 * prediction, FT_REPAIR_LOOKS_MAX at most.
 */
#ifndef FT_VERIFY_REPAIR_REPAIR_H
#define FT_VERIFY_REPAIR_REPAIR_H

#include "verify/model/model.h"

/* The most verifications of predicted fabrics; with more steps, not each has its prediction. */
enum { FT_REPAIR_LOOKS_MAX = 100 };

/*
 * Fills the repair of the report of the finished model @m. Waived findings are not repaired.
 *
 * Forwarding tables, error counters and subnet managers are not predicted: their findings stay until all their actions
 * are done.
 *
 * Returns 0 or -ENOMEM.
 */
int ft_repair_make(struct ft_model *m);

#endif
