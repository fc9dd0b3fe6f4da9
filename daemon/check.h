/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * One check of the fabric: a sweep (full or incremental), then the verification against the plan. Both run in a guarded
 * child (probe/guard.h), so that a crash or a long run of libibnetdisc or of the matching does not stop the loop.
 */
#ifndef FT_DAEMON_CHECK_H
#define FT_DAEMON_CHECK_H

#include <systemd/sd-event.h>

#include "daemon/neighbours.h"
#include "probe/incremental.h"
#include "verify/model/baseline.h"
#include "verify/model/report.h"

enum ft_check_kind {
	FT_CHECK_SWEEP,	 /* a full sweep */
	FT_CHECK_REREAD, /* reads @changes again, on top of @snapshot */
	FT_CHECK_JUDGE,	 /* nothing is read: @snapshot against another plan */
	FT_CHECK_DRAW,	 /* nothing is read: @snapshot against the plan, as a drawing */
	FT_CHECK_BUILD,	 /* likewise, as the state of each planned cable */
	FT_CHECK_COUNT,	 /* reads the error counters of @snapshot, and judges nothing */
};

/* Used only during ft_check_start(): the child has its own copy of the memory. */
struct ft_check_request {
	enum ft_check_kind kind;
	const struct ft_sweep_options *sweep;
	struct ft_neighbours_source lldp; /* Ethernet: what takes the place of all sweeps; or all NULL */
	enum ft_engine_reason after;	  /* of a sweep: as in struct ft_sweep_options */
	const struct ft_names *names;	  /* names for nodes in the report; NULL: their descriptions */
	const struct ft_design *design;
	const struct ft_plan *plan;
	const char *plan_file;
	bool sm;			    /* check the subnet managers: a sweep queries them, */
	const struct ft_baseline *baseline; /* the baseline; NULL: none */
	uint32_t returning_s;		    /* as in struct ft_verify_input */
	const struct ft_report *last; /* the last report; other checks take the managers from it. NULL: there is none */
	const struct ft_text *course; /* of the build, as JSON: of FT_CHECK_BUILD */
	const struct ft_text
		*counted; /* the last reading of error counters (counting.h); NULL or empty: there is none */
	bool counted_new; /* of FT_CHECK_BUILD: it has not been told of this reading */
	const struct ft_snapshot *snapshot; /* not used by a sweep */
	bool judged;			    /* @last is the report of @snapshot against this plan */
	const struct ft_change *changes;    /* of an incremental sweep */
	size_t change_count;
	bool waits;		  /* an incremental sweep whose changes come with ft_check_go() */
	bool gives_way;		  /* once it has read, it leaves the processors to the reading of an event */
	struct ft_reread *reread; /* in the child of one that waits: what it has prepared; or NULL */
};

/* The result. Owned by the holder; parts may be taken (FT_STEAL). */
struct ft_check_result {
	struct ft_snapshot *snapshot; /* NULL of what reads no fabric */
	struct ft_report *report;     /* NULL of what judges nothing, or where all was read as it was judged before */
	struct ft_text text; /* the report as served at /report; of FT_CHECK_DRAW at /drawing.svg, of FT_CHECK_BUILD at
			/build, with the course behind a NUL; of FT_CHECK_COUNT as in counting.c */
	int64_t duration_ms; /* from the start of the child to the result */
};

struct ft_check;

/*
 * Called once, from the loop, when the result is there, but not after ft_check_free(). The child may still be closing
 * its port then: see ft_check_leave().
 *
 * @result  the result if @r is 0; the callee may take parts
 * @r       0, or -errno as ft_sweep() and ft_sweep_incremental()
 * @err     filled where @r is not 0
 */
typedef void ft_check_done(struct ft_check *check, int r, struct ft_check_result *result, const struct ft_error *err,
			   void *userdata);

/* Returns 0, or -errno with @err filled; @done is not called then. */
int ft_check_start(sd_event *loop, const struct ft_check_request *request, ft_check_done *done, void *userdata,
		   struct ft_check **ret_check, struct ft_error *err);

/*
 * To a check that was started to wait: what has changed. Times and deadline count from here. Returns 0, or -errno: then
 * it is good for nothing, and to be freed.
 */
int ft_check_go(struct ft_check *check, const struct ft_change *changes, size_t change_count);

/*
 * What the child does with what it has read, by itself, for tests: @snapshot against the plan, as the text of the kind.
 *
 * @end_ms  until when subnet managers may be asked
 * Returns 0 or -errno with @err filled.
 */
int ft_check_judge(const struct ft_check_request *request, const struct ft_snapshot *snapshot, int64_t end_ms,
		   struct ft_text *ret_text, struct ft_error *err);

enum ft_check_kind ft_check_kind(const struct ft_check *check);

/* On the monotonic clock. The end is the latest time at which the loop has the result. */
int64_t ft_check_begin_ms(const struct ft_check *check);
int64_t ft_check_end_ms(const struct ft_check *check);

/* Cancels it, if it is still running; may also be called from @done or after it. */
void ft_check_free(struct ft_check *check);

/*
 * Frees it from @done on, or one that waits, but lets its child end by itself, since one that is killed leaves its port
 * as it was: until then it is in @list, which must stay where it is. ft_check_free_all() ends those that are in it.
 */
void ft_check_leave(struct ft_check *check, struct ft_check **list);
void ft_check_free_all(struct ft_check **list);
static inline void ft_check_freep(struct ft_check **check)
{
	ft_check_free(*check);
}

#endif
