/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "probe/window.h"

#define NS_PER_S (1000 * FT_NS_PER_MS)

/* SMPs that a VL15 buffer of any switch can hold. */
#define WINDOW_FIRST 4.0

/* The initial time-out, before any answer: no switch takes longer, alone or at the end of a busy fabric. */
#define OVERDUE_FIRST_NS (20 * FT_NS_PER_MS)

/* Below this the delay is the scheduler's, not the fabric's: the clock granularity of RFC 6298. */
#define GRANULARITY_NS (2 * FT_NS_PER_MS)

/* Management agents are firmware with other tasks: tens of milliseconds are normal. */
#define PATIENCE_LEAST_NS (50 * FT_NS_PER_MS)

/*
 * Each time the window exceeds the capacity, a few SMPs are lost, and their repetition takes long. So from this
 * fraction of the last such size on it grows more slowly by this factor (similar to the cubic curve of RFC 9438).
 */
#define CEILING_NEAR 0.9
#define CAUTION 16

/* For this long only: the fabric may have become quiet since. */
#define CEILING_NS (500 * FT_NS_PER_MS)

/* Clocks of operating systems tick in milliseconds: a delay of this much may be caught up at once. */
#define CREDIT_S 0.002

static double least(double a, double b)
{
	return a < b ? a : b;
}

static double most(double a, double b)
{
	return a > b ? a : b;
}

static int64_t clamp_ns(int64_t value, int64_t low, int64_t high)
{
	value = value < low ? low : value;
	return value > high ? high : value;
}

void ft_window_init(struct ft_window *pace, size_t max, unsigned int per_second, unsigned int timeout_ms,
		    int64_t now_ns)
{
	*pace = (struct ft_window){
		.window = least(WINDOW_FIRST, (double)max),
		.threshold = (double)max,
		.max = max,
		.halved_ns = INT64_MIN / 2,
		.longest_ns = timeout_ms * FT_NS_PER_MS,
		.per_second = per_second,
		.credit = 1,
		.credit_ns = now_ns,
	};
}

size_t ft_window_size(const struct ft_window *pace)
{
	return (size_t)pace->window;
}

int64_t ft_window_next_ns(struct ft_window *pace, int64_t now_ns)
{
	double credit, rate;

	if (pace->per_second == 0)
		return now_ns;
	/* The sends that may be caught up count in each second's limit. */
	credit = most(1, pace->per_second * CREDIT_S);
	rate = pace->per_second - (credit - 1);
	pace->credit = least(pace->credit + rate * (double)(now_ns - pace->credit_ns) / NS_PER_S, credit);
	pace->credit_ns = now_ns;
	if (pace->credit >= 1)
		return now_ns;
	return now_ns + 1 + (int64_t)((1 - pace->credit) * NS_PER_S / rate);
}

void ft_window_sent(struct ft_window *pace)
{
	pace->credit -= pace->per_second > 0;
}

/* RFC 6298, 2. */
static int64_t expected_ns(const struct ft_window *pace)
{
	int64_t spread_ns = 4 * pace->deviation_ns;

	if (pace->mean_ns == 0)
		return OVERDUE_FIRST_NS;
	return pace->mean_ns + (spread_ns > GRANULARITY_NS ? spread_ns : GRANULARITY_NS);
}

int64_t ft_window_overdue_ns(const struct ft_window *pace)
{
	return clamp_ns(expected_ns(pace), 0, pace->longest_ns);
}

unsigned int ft_window_timeout_ms(const struct ft_window *pace, unsigned int repeats)
{
	int64_t wait_ns = clamp_ns(expected_ns(pace), PATIENCE_LEAST_NS, pace->longest_ns);

	while (repeats-- > 0 && wait_ns < pace->longest_ns)
		wait_ns *= 2;
	return (unsigned int)(clamp_ns(wait_ns, 0, pace->longest_ns) / FT_NS_PER_MS);
}

static void measure(struct ft_window *pace, int64_t took_ns)
{
	int64_t off_ns;

	if (pace->mean_ns == 0) {
		pace->mean_ns = took_ns > 0 ? took_ns : 1;
		pace->deviation_ns = took_ns / 2;
		return;
	}
	off_ns = took_ns > pace->mean_ns ? took_ns - pace->mean_ns : pace->mean_ns - took_ns;
	pace->deviation_ns += (off_ns - pace->deviation_ns) / 4;
	pace->mean_ns += (took_ns - pace->mean_ns) / 8;
	/* A mean rounded to zero would mean that no answer has come. */
	if (pace->mean_ns == 0)
		pace->mean_ns = 1;
}

static bool is_near_ceiling(const struct ft_window *pace, int64_t now_ns)
{
	return pace->window + 1 >= CEILING_NEAR * pace->before && now_ns - pace->halved_ns < CEILING_NS;
}

void ft_window_answered(struct ft_window *pace, int64_t sent_ns, int64_t now_ns, bool blamed, size_t used)
{
	/* The answer was late and not lost: undo the halving. */
	if (blamed && sent_ns <= pace->halved_ns) {
		pace->window = most(pace->window, pace->before);
		pace->threshold = most(pace->threshold, pace->before);
	}
	measure(pace, now_ns - sent_ns);
	/* A window that is not full gives no information about the capacity. */
	if ((double)used + 1 < pace->window / 2)
		return;
	if (pace->window < pace->threshold)
		pace->window += 1;
	else
		pace->window += 1 / pace->window / (is_near_ceiling(pace, now_ns) ? CAUTION : 1);
	pace->window = least(pace->window, (double)pace->max);
}

void ft_window_lost(struct ft_window *pace, int64_t sent_ns, int64_t now_ns)
{
	if (sent_ns <= pace->halved_ns)
		return;
	pace->before = pace->window;
	pace->window = most(pace->window / 2, 1);
	pace->threshold = pace->window;
	pace->halved_ns = now_ns;
}
