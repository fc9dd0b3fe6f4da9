/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The congestion window: how many SMPs may be on the wire, and when the next one may follow.
 *
 * SMPs travel on VL15, which has no flow control: a port need buffer only one SMP, and further ones are dropped (IBTA
 * Vol 1, 3.5.10 and 14.2). So the window finds its size as a TCP sender's does (RFC 5681): it begins small, grows by
 * one for each answer until the first loss, then by one for each windowful, more slowly where it lost before, and is
 * halved by a loss. An SMP counts as lost once it is overdue by the response times so far (as the retransmission timer
 * of RFC 6298); if its answer does come, the window is restored.
 *
 * Pure: the caller passes the time, in nanoseconds of any monotonic clock.
 */
#ifndef FT_PROBE_WINDOW_H
#define FT_PROBE_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FT_NS_PER_MS 1000000LL

static inline int64_t ft_sooner_ns(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

struct ft_window {
	double window;
	double threshold; /* beyond it the window grows slowly */
	double before;	  /* the window before it was halved last */
	size_t max;
	int64_t halved_ns; /* when that was */
	int64_t mean_ns;   /* smoothed response time; 0: no answer yet */
	int64_t deviation_ns;
	int64_t longest_ns; /* the caller's time-out */
	double per_second;  /* 0: any number */
	double credit;	    /* SMPs that may be sent as to that */
	int64_t credit_ns;  /* as of when */
};

/*
 * @max         window at most, from 1
 * @per_second  SMPs in a second at most; 0: no limit
 * @timeout_ms  upper bound of the wait for an answer
 */
void ft_window_init(struct ft_window *pace, size_t max, unsigned int per_second, unsigned int timeout_ms,
		    int64_t now_ns);

/* How many SMPs that are not overdue may be on the wire, at least 1. */
size_t ft_window_size(const struct ft_window *pace);

/* When the next SMP may be sent: now, if up to @now_ns. ft_window_sent() counts it. */
int64_t ft_window_next_ns(struct ft_window *pace, int64_t now_ns);
void ft_window_sent(struct ft_window *pace);

/* An SMP unanswered for this long is overdue, and leaves its place in the window to another. */
int64_t ft_window_overdue_ns(const struct ft_window *pace);

/*
 * The wait before an SMP is sent again, after @repeats repetitions: doubled each time, at most the time-out. It is
 * longer than "overdue", as repeated SMPs only add to the load of a slow target.
 */
unsigned int ft_window_timeout_ms(const struct ft_window *pace, unsigned int repeats);

/*
 * An answer came.
 *
 * @sent_ns  when the SMP was sent
 * @blamed   the window was halved because of this SMP
 * @used     how much of the window other SMPs use
 */
void ft_window_answered(struct ft_window *pace, int64_t sent_ns, int64_t now_ns, bool blamed, size_t used);

/* An SMP is lost, or overdue. Of SMPs that were on the wire together only the first loss counts. */
void ft_window_lost(struct ft_window *pace, int64_t sent_ns, int64_t now_ns);

#endif
