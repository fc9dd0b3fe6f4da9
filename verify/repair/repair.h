/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * A small set of actions that repairs the findings, in the order of one walk, and the verdict expected after each,
 * computed by applying it to a copy of the snapshot (what_if.h) and verifying that.
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
