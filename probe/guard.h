/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Work that may crash, hang or print, done in a short-lived child process that hands its result to its parent.
 *
 * libibnetdisc 44 ends in a double free where umad_recv() fails, can crash on a partial fabric and on a damaged cache
 * file, blocks without limit, and prints to standard error. Here all of that is a result, and never lasts longer than
 * the deadline.
 *
 * Two ways of use: ft_guard_run() waits for the end; ft_guard_start() does not, and is for an event loop.
 */
#ifndef FT_PROBE_GUARD_H
#define FT_PROBE_GUARD_H

#include <sys/types.h>

#include "probe/snapshot.h"

struct ft_guard {
	const char *what;	  /* names the work in errors: "the sweep"; static */
	unsigned int deadline_ms; /* of the whole work, handing over included */
	unsigned int first_ms; /* by then it has called ft_guard_go_on(), or is stopped; 0: the deadline alone holds */
	size_t memory;	       /* bytes the child may add to the address space it begins with; 0: no limit */
};

/* What the work hands over; either part may be empty. Owned by whoever has it. */
struct ft_guard_result {
	struct ft_snapshot *snapshot;
	struct ft_text text; /* any bytes */
	uint32_t timeouts;   /* SMPs that libibnetdisc reported as timed out; in a snapshot they are counted already */
};

void ft_guard_result_release(struct ft_guard_result *result);

/*
 * What runs in the child. All descriptors but 0, 1, 2 are closed to it; what it prints goes to the parent, line by
 * line.
 *
 * @end_ms  by when the parent has to have the result, on the clock of ft_guard_now_ms()
 * @result  empty; the work fills it
 * Returns 0, or -errno with @err filled.
 */
typedef int ft_guard_work(const void *arg, int64_t end_ms, struct ft_guard_result *result, struct ft_error *err);

/* For the work, in the child: the part of it that may hang is over, and from here on the deadline alone holds. */
void ft_guard_go_on(void);

/*
 * Runs @work(@arg) in a child and waits. SMPs that libibnetdisc reports as timed out are added to the snapshot's
 * source.timeouts.
 *
 * @err  filled on failure: one line, with the most telling one of what the child printed
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
 * The descriptors to be watched for input: the result, what the child prints, and the child's end (a pidfd). Those
 * that are through are -1, from one ft_guard_step() to the next. All are owned by the job.
 */
enum { FT_GUARD_FDS = 3 };
const int *ft_guard_fds(const struct ft_guard_job *job);

pid_t ft_guard_pid(const struct ft_guard_job *job);

/* When ft_guard_step() has to be called at the latest, though nothing became readable; it may change with each step. */
int64_t ft_guard_end_ms(const struct ft_guard_job *job);

/*
 * Does what is to be done, without waiting: reads what is there, kills the child at its deadline, reaps it. Returns
 * true once all is over. A child that hangs in the kernel is given up a little after it was killed: the deadline is a
 * promise.
 */
bool ft_guard_step(struct ft_guard_job *job);

/* Once ft_guard_step() said so: the result, as ft_guard_run(). The job is still to be freed. */
int ft_guard_finish(struct ft_guard_job *job, struct ft_guard_result *result, struct ft_error *err);

/* Kills the child if it still runs, without waiting for it any longer than it takes to reap one that is killed. */
void ft_guard_free(struct ft_guard_job *job);
static inline void ft_guard_freep(struct ft_guard_job **job)
{
	ft_guard_free(*job);
}

/* The address space of the calling process, in bytes; 0: not known. */
uint64_t ft_guard_memory(void);

/* Bounds it: so many bytes more than now, for good. Best effort, and no bound that holds already is loosened. */
void ft_guard_limit_memory(size_t memory);

/* Milliseconds of the monotonic clock. */
int64_t ft_guard_now_ms(void);

#endif
