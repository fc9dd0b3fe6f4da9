/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Link rates by their usual names: lanes and generation, "4xHDR".
 */
#ifndef FT_BASE_RATE_H
#define FT_BASE_RATE_H

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>

/* In order of their lane rate: a greater value is faster. */
enum ft_speed {
	FT_SPEED_UNKNOWN,
	FT_SPEED_SDR,
	FT_SPEED_DDR,
	FT_SPEED_QDR,
	FT_SPEED_FDR10,
	FT_SPEED_FDR,
	FT_SPEED_EDR,
	FT_SPEED_HDR,
	FT_SPEED_NDR,
	FT_SPEED_XDR,
	FT_SPEED_COUNT,
};

struct ft_rate {
	uint8_t lanes; /* 1, 2, 4, 8 or 12; 0: not known */
	uint8_t speed; /* enum ft_speed */
};

/* "HDR", and "?" for FT_SPEED_UNKNOWN. */
const char *ft_speed_name(enum ft_speed speed);

/* The inverse, for the @length bytes at @name, case-insensitive; FT_SPEED_UNKNOWN if there is none. */
enum ft_speed ft_speed_find(const char *name, size_t length);

static inline bool ft_rates_equal(struct ft_rate a, struct ft_rate b)
{
	return a.lanes == b.lanes && a.speed == b.speed;
}

/*
 * Signalling rate of all lanes, Mb/s (10^6 bit/s): 4xHDR is 212500. 0 where lanes or speed are not known.
 * Source: IBTA Vol 2, link rates: SDR 2.5, DDR 5, QDR 10, FDR10 10.3125, FDR 14.0625, EDR 25.78125, HDR 53.125,
 * NDR 106.25, XDR 212.5 Gb/s a lane.
 */
unsigned int ft_rate_mbps(struct ft_rate rate);

/* The nominal data rate: 4xHDR is 200000, 4xEDR 100000, 4xFDR 54545, 4xQDR 32000. */
unsigned int ft_rate_data_mbps(struct ft_rate rate);

/*
 * The symbol errors that a sound link may count in that time. Its bit error rate is at most 10^-12 (IBTA Vol 2) with
 * independent errors, so that the count is Poisson distributed; a sound link exceeds this limit with a probability
 * below 10^-9.
 *
 * @mbps  ft_rate_mbps() of the link
 */
uint64_t ft_rate_errors_allowed(unsigned int mbps, uint32_t interval_ms);

/* Votes for rates; what has more lanes than any link does not count. */
enum { FT_RATE_LANES_MAX = 12, FT_RATES = (FT_RATE_LANES_MAX + 1) * FT_SPEED_COUNT };
struct ft_rate_votes {
	uint32_t at[FT_RATES]; /* lanes * FT_SPEED_COUNT + speed */
};
void ft_rate_vote(struct ft_rate_votes *votes, struct ft_rate rate);

/* The known rate with most votes, of equals the faster; lanes 0: there is none. */
struct ft_rate ft_rate_usual(const struct ft_rate_votes *votes);

/* Reads "4xHDR" (the case of the letters does not matter). Returns 0 or -EINVAL. */
int ft_rate_parse(const char *string, struct ft_rate *ret_rate);

/* Writes "4xHDR", "4x?" or "?" into @buffer and returns it. */
enum { FT_RATE_NAME_SIZE = 12 };
const char *ft_rate_name(struct ft_rate rate, char buffer[FT_RATE_NAME_SIZE]);

#endif
