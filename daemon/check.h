/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * One look at the fabric: read it (all of it, or again what changed), hold it against the plan. Both in a guarded child
 * (probe/guard.h), so that whatever a fabric may do to libibnetdisc, or to the patience of the matching, the loop goes
 * on.
 */
#ifndef FT_DAEMON_CHECK_H
#define FT_DAEMON_CHECK_H

#include <systemd/sd-event.h>

#include "probe/reread.h"
#include "verify/baseline.h"
#include "verify/report.h"

enum ft_check_kind {
	FT_CHECK_SWEEP,	 /* a full sweep */
	FT_CHECK_REREAD, /* @changes again, on top of @snapshot */
	FT_CHECK_JUDGE,	 /* nothing is read: @snapshot against another plan */
};

/* All of it is used at ft_check_start() only: the child has its own copy of the memory. */
struct ft_check_request {
	enum ft_check_kind kind;
	const struct ft_sweep_options *sweep;
	const struct ft_names *names; /* by which the report calls nodes; NULL: by their descriptions */
	const struct ft_design *design;
	const struct ft_plan *plan;
	const char *plan_file;
	bool sm;			    /* the subnet managers are part of it: a sweep asks them, */
	const struct ft_baseline *baseline; /* who was who before; NULL: not known */
	const struct ft_report *last;	    /* the last one; for the others it tells of them. NULL: there is none */
	const struct ft_snapshot *snapshot; /* not used by a sweep */
	const struct ft_change *changes;    /* of a rereading */
	size_t change_count;
};

/* What came of it. Owned by whoever has it; parts may be taken (FT_STEAL). */
struct ft_check_result {
	struct ft_snapshot *snapshot; /* NULL of FT_CHECK_JUDGE */
	struct ft_report *report;
	struct ft_text json; /* the report as /report serves it */
	int64_t duration_ms; /* from the start of the child to here */
};

struct ft_check;

/*
 * Called once, from the loop, when all is over, but not after ft_check_free().
 *
 * @result  what came of it where @r is 0, for the callee to take parts from
 * @r       0, or -errno as ft_sweep() and ft_reread()
 * @err     filled where @r is not 0
 */
typedef void ft_check_done(struct ft_check *check, int r, struct ft_check_result *result, const struct ft_error *err,
			   void *userdata);

/* Returns 0, or -errno with @err filled; @done is not called then. */
int ft_check_start(sd_event *loop, const struct ft_check_request *request, ft_check_done *done, void *userdata,
		   struct ft_check **ret_check, struct ft_error *err);

enum ft_check_kind ft_check_kind(const struct ft_check *check);

/* On the monotonic clock. The end is when the loop has its result at the latest. */
int64_t ft_check_begin_ms(const struct ft_check *check);
int64_t ft_check_end_ms(const struct ft_check *check);

/* Gives it up, if it still goes on; also to be called from @done or after it. */
void ft_check_free(struct ft_check *check);
static inline void ft_check_freep(struct ft_check **check)
{
	ft_check_free(*check);
}

#endif
