/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Work that may crash, hang or print, done in a short-lived child process that hands its result to its parent.
 *
 * libibnetdisc 44 ends in a double free where umad_recv() fails, can crash on a partial fabric and on a damaged cache
 * file, blocks without limit, and prints to standard error. Here each of these is an error code, returned by the
 * deadline at the latest.
 *
 * Two ways of use: ft_guard_run() waits for the end; ft_guard_start() does not, and is for an event loop.
 */
#ifndef FT_PROBE_GUARD_H
#define FT_PROBE_GUARD_H

#include <sys/types.h>

#include "probe/snapshot.h"

/*
 * For work that waits in its child for orders, with all done that can be done before.
 *
 * @prepare  called first, in the child, on the child's own @arg. Its failure is its own to remember
 * @take     called with the orders, before the work, as whose its failure counts
 */
struct ft_guard_wait {
	void (*prepare)(void *arg);
	int (*take)(void *arg, const char *orders, size_t length);
};

struct ft_guard {
	const char *what;	  /* names the work in errors: "the sweep"; static */
	unsigned int deadline_ms; /* of the whole work, handing over the result included */
	unsigned int first_ms; /* the work calls ft_guard_go_on() by then, or is killed; 0: the deadline alone holds */
	bool programs;	       /* the work starts programs, which have the caller's limit of memory */
	size_t memory;	       /* bytes that the child may add to its memory; 0: no limit */
	const struct ft_guard_wait *wait; /* NULL: the work begins at once */
};

/* What the work hands over; either part may be empty. The holder owns it. */
struct ft_guard_result {
	struct ft_snapshot *snapshot;
	struct ft_text text; /* any bytes */
	uint32_t timeouts;   /* SMPs that libibnetdisc reported as timed out; in a snapshot they are counted already */
};

void ft_guard_result_release(struct ft_guard_result *result);

/*
 * What runs in the child. All descriptors but 0, 1, 2 are closed; its output goes to the parent, line by line.
 *
 * @end_ms  when the parent must have the result, on the clock of ft_guard_now_ms()
 * @result  empty; the work fills it
 * Returns 0, or -errno with @err filled.
 */
typedef int ft_guard_work(const void *arg, int64_t end_ms, struct ft_guard_result *result, struct ft_error *err);

/* Called by the work, in the child: the part that may hang is over, from here on only the deadline holds. */
void ft_guard_go_on(void);

/*
 * Runs @work(@arg) in a child and waits. SMPs that libibnetdisc reports as timed out are added to the snapshot's
 * source.timeouts.
 *
 * @err  filled on failure: one line, with the most informative line that the child printed
 * Returns 0, -ETIMEDOUT (the deadline passed; the child was killed), -EIO (it crashed, ended without a result, or sent
 * a damaged one), what @work returned, or -errno of fork(2) and the like. No child is left behind in any case.
 */
int ft_guard_run(const struct ft_guard *guard, ft_guard_work *work, const void *arg, struct ft_guard_result *result,
		 struct ft_error *err);

/* The same for work that hands over a snapshot and no text. */
int ft_guard_run_snapshot(const struct ft_guard *guard, ft_guard_work *work, const void *arg,
			  struct ft_snapshot **ret_snapshot, struct ft_error *err);

/*
 * The same without waiting. The child sees the memory of the caller as it is now, @arg included.
 *
 *     r = ft_guard_start(&guard, work, arg, &job, err);
 *     ... whenever a descriptor of ft_guard_fds() is readable, and at ft_guard_end_ms():
 *     if (ft_guard_step(job))
 *             r = ft_guard_finish(job, &result, err);
 */
struct ft_guard_job;
int ft_guard_start(const struct ft_guard *guard, ft_guard_work *work, const void *arg, struct ft_guard_job **ret_job,
		   struct ft_error *err);

/*
 * To a child that waits: its orders, from which on the deadline counts; or that there will be none, so that it ends.
 * Orders are at most FT_GUARD_ORDERS_MAX bytes. ft_guard_order() returns 0, or -errno: then there will be no result.
 */
enum { FT_GUARD_ORDERS_MAX = 60000 };
int ft_guard_order(struct ft_guard_job *job, const void *orders, size_t length);
void ft_guard_dismiss(struct ft_guard_job *job);

/*
 * The descriptors to be watched for input: the result, what the child prints, and the child's end (a pidfd).
 * Descriptors that are finished are -1, from one ft_guard_step() to the next. All are owned by the job.
 */
enum { FT_GUARD_FDS = 3 };
const int *ft_guard_fds(const struct ft_guard_job *job);

pid_t ft_guard_pid(const struct ft_guard_job *job);

/* When ft_guard_step() must be called at the latest, even if nothing became readable; may change with each step. */
int64_t ft_guard_end_ms(const struct ft_guard_job *job);

/*
 * Makes progress without waiting: reads available data, kills the child at its deadline, reaps it. Returns true once
 * all is over. A child that hangs in the kernel is given up shortly after it was killed, so that the deadline holds.
 */
bool ft_guard_step(struct ft_guard_job *job);

/*
 * Whether the result is whole, as it may be long before the child has ended: it still closes its port and frees its
 * memory. ft_guard_finish() may be called then; the steps go on until all is over.
 */
bool ft_guard_is_told(const struct ft_guard_job *job);

/* After ft_guard_step() returned true: the result, as ft_guard_run(). The job must still be freed. */
int ft_guard_finish(struct ft_guard_job *job, struct ft_guard_result *result, struct ft_error *err);

/* Kills the child if it still runs, without waiting for it any longer than it takes to reap one that is killed. */
void ft_guard_free(struct ft_guard_job *job);
static inline void ft_guard_freep(struct ft_guard_job **job)
{
	ft_guard_free(*job);
}

/*
 * Limits the memory of the calling process to so many bytes more than now, permanently. Best effort; a stricter limit
 * stays in force.
 */
void ft_guard_limit_memory(size_t memory);

/* Milliseconds of the monotonic clock. */
int64_t ft_guard_now_ms(void);

#endif
