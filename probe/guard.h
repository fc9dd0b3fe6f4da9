/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Work that may crash, hang or print, done in a short-lived child process that hands a snapshot to its parent.
 *
 * libibnetdisc 44 ends in a double free where umad_recv() fails, can crash on a partial fabric and on a damaged cache
 * file, blocks without limit, and prints to standard error. Here all of that is a result, and never lasts longer than
 * the deadline.
 */
#ifndef FT_PROBE_GUARD_H
#define FT_PROBE_GUARD_H

#include "probe/snapshot.h"

struct ft_guard {
	const char *what;	  /* names the work in errors: "the sweep" */
	unsigned int deadline_ms; /* of the whole work, handing over included */
	size_t memory;		  /* bytes the child may add to the address space it begins with; 0: no limit */
};

/*
 * What runs in the child. All descriptors but 0, 1, 2 are closed to it; what it prints goes to the parent, line by
 * line.
 *
 * @end_ms  by when the parent has to have the result, on the clock of ft_guard_now_ms()
 * Returns 0, or -errno with @err filled.
 */
typedef int ft_guard_work(const void *arg, int64_t end_ms, struct ft_snapshot **ret_snapshot, struct ft_error *err);

/*
 * Runs @work(@arg) in a child. SMPs that libibnetdisc reports as timed out are added to source.timeouts.
 *
 * @err  filled on failure: one line, with the most telling one of what the child printed
 * Returns 0, -ETIMEDOUT (the deadline passed; the child was killed), -EIO (it crashed, ended without a result, or sent
 * a damaged one), what @work returned, or -errno of fork(2) and the like. No child is left behind in any case.
 */
int ft_guard_run(const struct ft_guard *guard, ft_guard_work *work, const void *arg, struct ft_snapshot **ret_snapshot,
		 struct ft_error *err);

/* Milliseconds of the monotonic clock. */
int64_t ft_guard_now_ms(void);

#endif
