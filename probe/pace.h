/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * How many SMPs a fabric bears: how many may be on the wire, and when the next one may follow.
 *
 * SMPs travel on VL15, which knows no flow control: a port need buffer only one, and what is too many is dropped (IBTA
 * Vol 1, 3.5.10 and 14.2). So the window finds its size as a TCP sender's does (RFC 5681): it begins small, grows by
 * one for each answer until the first loss, then by one for each windowful, more slowly where it lost before, and is
 * halved by a loss. An SMP counts as lost once it is overdue by what answers took so far (as the retransmission timer
 * of RFC 6298); if its answer does come, the window is what it was.
 *
 * Pure: times come from the caller, in nanoseconds of any clock that does not go back.
 */
#ifndef FT_PROBE_PACE_H
#define FT_PROBE_PACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FT_NS_PER_MS 1000000LL

static inline int64_t ft_sooner_ns(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

struct ft_pace {
	double window;
	double threshold; /* beyond it the window grows slowly */
	double before;	  /* the window before it was halved last */
	size_t max;
	int64_t halved_ns; /* when that was */
	int64_t mean_ns;   /* of the time that answers take; 0: none came yet */
	int64_t deviation_ns;
	int64_t longest_ns; /* the caller's time-out */
	double per_second;  /* 0: any number */
	double credit;	    /* SMPs that may be sent as to that */
	int64_t credit_ns;  /* as of when */
};

/*
 * @max         window at most, from 1
 * @per_second  SMPs in a second at most; 0: no limit
 * @timeout_ms  after which an answer is not waited for any longer, however slow all are
 */
void ft_pace_init(struct ft_pace *pace, size_t max, unsigned int per_second, unsigned int timeout_ms, int64_t now_ns);

/* How many SMPs that are not overdue may be on the wire, from 1. */
size_t ft_pace_window(const struct ft_pace *pace);

/* When the next SMP may be sent: up to @now_ns, now. It is counted by ft_pace_sent(). */
int64_t ft_pace_next_ns(struct ft_pace *pace, int64_t now_ns);
void ft_pace_sent(struct ft_pace *pace);

/* An SMP without an answer for so long is overdue, and leaves its place in the window to another. */
int64_t ft_pace_overdue_ns(const struct ft_pace *pace);

/*
 * For how long to wait before an SMP is sent again, the @repeats of it before aside: twice as long each time, and never
 * longer than the time-out. Other than "overdue" this is generous, for asking twice is no help to those who are slow.
 */
unsigned int ft_pace_patience_ms(const struct ft_pace *pace, unsigned int repeats);

/*
 * An answer came.
 *
 * @sent_ns  when what it answers was sent
 * @blamed   the window was halved for it
 * @used     how much of the window is in use by others
 */
void ft_pace_answered(struct ft_pace *pace, int64_t sent_ns, int64_t now_ns, bool blamed, size_t used);

/* One is lost, or overdue. Of those that were on the wire together only the first counts. */
void ft_pace_lost(struct ft_pace *pace, int64_t sent_ns, int64_t now_ns);

#endif
