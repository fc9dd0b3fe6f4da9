/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Asking many questions over a wire (smp.h) at the pace that the fabric bears (pace.h), until each has its answer or
 * has been repeated in vain.
 *
 * - As many at a time as the window has room for, and of one target no more than max_smps_per_target. Targets take
 *   turns.
 * - What is lost is asked again after the others of its target had their turn, and waited for twice as long each time;
 *   the last time for the whole time-out.
 * - A target that has lost several in a row gets one at a time; one that does not answer a question in all of its
 * tries, nor anything else meanwhile, is mute, and what was left to ask it is given up. Nobody else waits for it: what
 * is overdue leaves its place to others. One that is slow is not mute: it has no more to answer at a time than others.
 *
 *     r = ft_asker_new(&options, make, take, arg, &asker, err);
 *     ft_asker_push(asker, &question);  // also from within take()
 *     r = ft_asker_run(asker);
 */
#ifndef FT_PROBE_ASK_H
#define FT_PROBE_ASK_H

#include "probe/smp.h"

struct ft_ask_options {
	const char *ca;
	int port;
	enum ft_smp_kind kind;
	uint64_t m_key;			  /* of SMPs; 0: none */
	unsigned int timeout_ms;	  /* of one SMP */
	unsigned int max_smps;		  /* on the wire */
	unsigned int max_smps_per_target; /* of those */
	unsigned int max_smps_per_second; /* 0: any number */
	unsigned int retries;		  /* of one question; of losses that are told at once there may be more */
	struct ft_progress *progress;	  /* counts questions and answers; NULL: nobody asks */
	int64_t end_ms;			  /* when the last run is over, on the clock of ft_guard_now_ms() */
};

/* All but the target is the caller's. */
struct ft_question {
	uint32_t target; /* a number, from 0 without large gaps, of whom it goes to; or FT_NO_NODE */
	uint32_t node;
	uint32_t other;
	uint8_t port;
	uint8_t other_port;
	uint8_t kind;
	bool beyond;   /* it goes through the target to somebody else, whose silence is not the target's */
	bool optional; /* whoever does not know the attribute may keep silent */
};

/* Fills @ret_request, but for its time-out. Returns false where there is nothing to ask any more. */
typedef bool ft_ask_make(void *arg, const struct ft_question *question, struct ft_smp_request *ret_request);

/* Once a question that was not dropped by @make: the answer, or FT_SMP_LOST where there is none. */
typedef void ft_ask_take(void *arg, const struct ft_question *question, const struct ft_smp_answer *answer);

struct ft_asker;

/* Opens the port. Returns 0, -ENOMEM, or -EIO with @err filled. */
int ft_asker_new(const struct ft_ask_options *options, ft_ask_make *make, ft_ask_take *take, void *arg,
		 struct ft_asker **ret_asker, struct ft_error *err);
void ft_asker_free(struct ft_asker *asker);
static inline void ft_asker_freep(struct ft_asker **asker)
{
	ft_asker_free(*asker);
}

/* One more question, copied. That there is no memory for it ft_asker_run() tells. */
void ft_asker_push(struct ft_asker *asker, const struct ft_question *question);

/*
 * Asks until nothing is left, or until @end_ms. That answers are missing is no failure: take() hears of each. Returns
 * 0, -ENOMEM, -EIO where nothing can be sent any more, or -ETIMEDOUT where somebody who answers was not asked all: what
 * was not sent yet, or was sent so late that it may still be answered, or is to be asked again of one who is busy. May
 * be called again, with more questions.
 */
int ft_asker_run(struct ft_asker *asker, int64_t end_ms);

struct ft_smp_count ft_asker_count(const struct ft_asker *asker);

#endif
