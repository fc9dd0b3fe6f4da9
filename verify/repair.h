/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The smallest set of things to do that mends what was found, in the order of one walk, and what the verifier will say
 * after each: not claimed but computed, by carrying it out on a copy of the snapshot (rework.h) and verifying that.
 */
#ifndef FT_VERIFY_REPAIR_H
#define FT_VERIFY_REPAIR_H

#include "verify/report.h"
#include "verify/verify.h"

/* Up to so many times the fabric is verified anew; with more steps, not each has its prediction. */
enum { FT_REPAIR_LOOKS_MAX = 100 };

/*
 * Fills the repair of @report, which ft_verify_all() made of @input. A finding that is waived is left as it is.
 *
 * Forwarding tables, error counters and subnet managers are not foretold: what is wrong with them stays until all that
 * mends it is done.
 *
 * Returns 0 or -ENOMEM.
 */
int ft_repair_make(const struct ft_verify_input *input, struct ft_report *report);

#endif
