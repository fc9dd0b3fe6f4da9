/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The MAD scheduler: sends many queries over a wire (smp.h), as many at a time as the congestion window allows
 * (window.h), until each has its answer or has used up its retries.
 *
 * - Round robin over targets; a target has no more than max_smps_per_target on the wire.
 * - A lost query is sent again after the others of its target had their turn. The time-out doubles with each try; the
 *   last try has the whole time-out.
 * - A target that has lost several in a row gets one at a time. One that answers no try of a query, nor anything else
 *   meanwhile, does not respond: its other queries are dropped. No other target waits for it: an overdue query leaves
 *   its place in the window. A slow target counts as responding: it only has fewer queries on the wire.
 *
 *     r = ft_scheduler_new(&options, make, take, arg, &scheduler, err);
 *     ft_scheduler_push(scheduler, &query);  // also from within take()
 *     r = ft_scheduler_run(scheduler, end_ms);
 */
#ifndef FT_PROBE_SCHEDULER_H
#define FT_PROBE_SCHEDULER_H

#include "probe/smp.h"

struct ft_scheduler_options {
	const char *ca;
	int port;
	enum ft_smp_kind kind;
	uint64_t m_key;			  /* of SMPs; 0: none */
	unsigned int timeout_ms;	  /* of one SMP */
	unsigned int max_smps;		  /* on the wire */
	unsigned int max_smps_per_target; /* of those */
	unsigned int max_smps_per_second; /* 0: any number */
	unsigned int retries;		  /* of one query; of losses that are reported at once there may be more */
	struct ft_progress *progress;	  /* counts queries and answers; NULL: not displayed */
	int64_t end_ms;			  /* when the last run is over, on the clock of ft_guard_now_ms() */
};

/* All but the target is for the caller's use. */
struct ft_query {
	uint32_t target; /* number of the node it goes to, from 0 without large gaps; or FT_NONE */
	uint32_t node;
	uint32_t other;
	uint8_t port;
	uint8_t other_port;
	uint8_t kind;
	bool beyond;   /* it passes through the target to a further node; a loss says nothing about the target */
	bool optional; /* a node that does not know the attribute may leave it unanswered */
};

/* Fills @ret_request, but for its time-out. Returns false if the query is not needed any more. */
typedef bool ft_scheduler_make(void *arg, const struct ft_query *query, struct ft_smp_request *ret_request);

/* Called once for each query that @make did not drop: the answer, or FT_SMP_LOST if there is none. */
typedef void ft_scheduler_take(void *arg, const struct ft_query *query, const struct ft_smp_answer *answer);

struct ft_scheduler;

/* Opens the port. Returns 0, -ENOMEM, or -EIO with @err filled. */
int ft_scheduler_new(const struct ft_scheduler_options *options, ft_scheduler_make *make, ft_scheduler_take *take,
		     void *arg, struct ft_scheduler **ret_asker, struct ft_error *err);
void ft_scheduler_free(struct ft_scheduler *scheduler);
static inline void ft_scheduler_freep(struct ft_scheduler **scheduler)
{
	ft_scheduler_free(*scheduler);
}

/* Adds a query, copied. Running out of memory is reported by ft_scheduler_run(). */
void ft_scheduler_push(struct ft_scheduler *scheduler, const struct ft_query *query);

/*
 * Runs until no query is left, or until @end_ms. Missing answers are no failure: take() gets each as FT_SMP_LOST.
 * Returns 0, -ENOMEM, -EIO where nothing can be sent any more, or -ETIMEDOUT where queries to a responding target are
 * unfinished: not sent yet, sent so late that an answer may still come, or to be repeated as the target was busy. May
 * be called again, with more queries.
 */
int ft_scheduler_run(struct ft_scheduler *scheduler, int64_t end_ms);

struct ft_smp_count ft_scheduler_count(const struct ft_scheduler *scheduler);

#endif
