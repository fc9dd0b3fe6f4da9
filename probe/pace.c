/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "probe/pace.h"

#define NS_PER_S (1000 * FT_NS_PER_MS)

/* What a VL15 buffer of any switch bears. */
#define WINDOW_FIRST 4.0

/* Nobody has answered yet: neither a switch on the table nor one at the end of a busy fabric takes longer. */
#define OVERDUE_FIRST_NS (20 * FT_NS_PER_MS)

/* Up to that it is the scheduler that is late, not the fabric: what RFC 6298 calls the granularity of the clock. */
#define GRANULARITY_NS (2 * FT_NS_PER_MS)

/* Management agents are firmware with other things to do: tens of milliseconds are nothing unusual. */
#define PATIENCE_LEAST_NS (50 * FT_NS_PER_MS)

/*
 * Each time that the window finds out how large is too large, a few SMPs are lost, and take long to be repeated. So
 * from this part of the last such size on it grows so many times as slowly (RFC 9438 does the like by a cubic curve).
 */
#define CEILING_NEAR 0.9
#define CAUTION 16

/* And for so long: the fabric may have become quiet since. */
#define CEILING_NS (500 * FT_NS_PER_MS)

/* Clocks of operating systems tick in milliseconds: so much may be made up for at once. */
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

void ft_pace_init(struct ft_pace *pace, size_t max, unsigned int per_second, unsigned int timeout_ms, int64_t now_ns)
{
	*pace = (struct ft_pace){
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

size_t ft_pace_window(const struct ft_pace *pace)
{
	return (size_t)pace->window;
}

int64_t ft_pace_next_ns(struct ft_pace *pace, int64_t now_ns)
{
	double credit, rate;

	if (pace->per_second == 0)
		return now_ns;
	/* What may be made up for is part of each second's number. */
	credit = most(1, pace->per_second * CREDIT_S);
	rate = pace->per_second - (credit - 1);
	pace->credit = least(pace->credit + rate * (double)(now_ns - pace->credit_ns) / NS_PER_S, credit);
	pace->credit_ns = now_ns;
	if (pace->credit >= 1)
		return now_ns;
	return now_ns + 1 + (int64_t)((1 - pace->credit) * NS_PER_S / rate);
}

void ft_pace_sent(struct ft_pace *pace)
{
	pace->credit -= pace->per_second > 0;
}

/* RFC 6298, 2. */
static int64_t expected_ns(const struct ft_pace *pace)
{
	int64_t spread_ns = 4 * pace->deviation_ns;

	if (pace->mean_ns == 0)
		return OVERDUE_FIRST_NS;
	return pace->mean_ns + (spread_ns > GRANULARITY_NS ? spread_ns : GRANULARITY_NS);
}

int64_t ft_pace_overdue_ns(const struct ft_pace *pace)
{
	return clamp_ns(expected_ns(pace), 0, pace->longest_ns);
}

unsigned int ft_pace_patience_ms(const struct ft_pace *pace, unsigned int repeats)
{
	int64_t wait_ns = clamp_ns(expected_ns(pace), PATIENCE_LEAST_NS, pace->longest_ns);

	while (repeats-- > 0 && wait_ns < pace->longest_ns)
		wait_ns *= 2;
	return (unsigned int)(clamp_ns(wait_ns, 0, pace->longest_ns) / FT_NS_PER_MS);
}

static void measure(struct ft_pace *pace, int64_t took_ns)
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
	/* An arithmetic mean that rounds to nothing would mean that nobody has answered. */
	if (pace->mean_ns == 0)
		pace->mean_ns = 1;
}

static bool is_near_ceiling(const struct ft_pace *pace, int64_t now_ns)
{
	return pace->window + 1 >= CEILING_NEAR * pace->before && now_ns - pace->halved_ns < CEILING_NS;
}

void ft_pace_answered(struct ft_pace *pace, int64_t sent_ns, int64_t now_ns, bool blamed, size_t used)
{
	/* It was late and not lost: there was no reason to halve anything. */
	if (blamed && sent_ns <= pace->halved_ns) {
		pace->window = most(pace->window, pace->before);
		pace->threshold = most(pace->threshold, pace->before);
	}
	measure(pace, now_ns - sent_ns);
	/* A window that is not filled tells nothing of what would be too much. */
	if ((double)used + 1 < pace->window / 2)
		return;
	if (pace->window < pace->threshold)
		pace->window += 1;
	else
		pace->window += 1 / pace->window / (is_near_ceiling(pace, now_ns) ? CAUTION : 1);
	pace->window = least(pace->window, (double)pace->max);
}

void ft_pace_lost(struct ft_pace *pace, int64_t sent_ns, int64_t now_ns)
{
	if (sent_ns <= pace->halved_ns)
		return;
	pace->before = pace->window;
	pace->window = most(pace->window / 2, 1);
	pace->threshold = pace->window;
	pace->halved_ns = now_ns;
}
