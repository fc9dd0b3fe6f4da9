/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "base/rate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct {
	const char *name;
	unsigned int lane_100kbps; /* a lane's rate in units of 10^5 bit/s, so that all are whole */
	unsigned int data_100kbps; /* of it without the line coding, 8b/10b or 64b/66b, and the error correction */
} speeds[FT_SPEED_COUNT] = {
	[FT_SPEED_UNKNOWN] = {"?", 0, 0},
	[FT_SPEED_SDR] = {"SDR", 25000, 20000},
	[FT_SPEED_DDR] = {"DDR", 50000, 40000},
	[FT_SPEED_QDR] = {"QDR", 100000, 80000},
	[FT_SPEED_FDR10] = {"FDR10", 103125, 100000},
	[FT_SPEED_FDR] = {"FDR", 140625, 136363},
	[FT_SPEED_EDR] = {"EDR", 257812, 250000},
	[FT_SPEED_HDR] = {"HDR", 531250, 500000},
	[FT_SPEED_NDR] = {"NDR", 1062500, 1000000},
	[FT_SPEED_XDR] = {"XDR", 2125000, 2000000},
};

const char *ft_speed_name(enum ft_speed speed)
{
	return speed < FT_SPEED_COUNT ? speeds[speed].name : speeds[FT_SPEED_UNKNOWN].name;
}

enum ft_speed ft_speed_find(const char *name, size_t length)
{
	for (unsigned int i = FT_SPEED_SDR; i < FT_SPEED_COUNT && length > 0; i++)
		/* The first letter distinguishes most of them. */
		if (((name[0] ^ speeds[i].name[0]) & ~0x20) == 0 && strlen(speeds[i].name) == length &&
		    strncasecmp(name, speeds[i].name, length) == 0)
			return (enum ft_speed)i;
	return FT_SPEED_UNKNOWN;
}

unsigned int ft_rate_mbps(struct ft_rate rate)
{
	return rate.speed < FT_SPEED_COUNT ? rate.lanes * speeds[rate.speed].lane_100kbps / 10 : 0;
}

unsigned int ft_rate_data_mbps(struct ft_rate rate)
{
	return rate.speed < FT_SPEED_COUNT ? rate.lanes * speeds[rate.speed].data_100kbps / 10 : 0;
}

void ft_rate_vote(struct ft_rate_votes *votes, struct ft_rate rate)
{
	if (rate.lanes <= FT_RATE_LANES_MAX && rate.speed < FT_SPEED_COUNT)
		votes->at[rate.lanes * FT_SPEED_COUNT + rate.speed]++;
}

struct ft_rate ft_rate_usual(const struct ft_rate_votes *votes)
{
	struct ft_rate usual = {0};
	uint32_t most = 0;

	for (unsigned int i = 0; i < FT_RATES; i++) {
		struct ft_rate rate = {(uint8_t)(i / FT_SPEED_COUNT), i % FT_SPEED_COUNT};
		unsigned int mbps = ft_rate_mbps(rate);

		if (mbps == 0 || votes->at[i] == 0 || votes->at[i] < most ||
		    (votes->at[i] == most && mbps < ft_rate_mbps(usual)))
			continue;
		most = votes->at[i];
		usual = rate;
	}
	return usual;
}

int ft_rate_parse(const char *string, struct ft_rate *ret_rate)
{
	char *end;
	unsigned long lanes = strtoul(string, &end, 10);
	enum ft_speed speed;

	if (string[0] < '0' || string[0] > '9' || (*end != 'x' && *end != 'X'))
		return -EINVAL;
	if (lanes != 1 && lanes != 2 && lanes != 4 && lanes != 8 && lanes != 12)
		return -EINVAL;
	speed = ft_speed_find(end + 1, strlen(end + 1));
	if (speed == FT_SPEED_UNKNOWN)
		return -EINVAL;
	*ret_rate = (struct ft_rate){(uint8_t)lanes, (uint8_t)speed};
	return 0;
}

const char *ft_rate_name(struct ft_rate rate, char buffer[FT_RATE_NAME_SIZE])
{
	if (rate.lanes)
		snprintf(buffer, FT_RATE_NAME_SIZE, "%ux%s", rate.lanes, ft_speed_name(rate.speed));
	else
		snprintf(buffer, FT_RATE_NAME_SIZE, "%s", ft_speed_name(rate.speed));
	return buffer;
}

/* ---- how many symbol errors are too many ---- */

enum {
	EXACT_MOST = 600
}; /* the greatest mean whose Poisson terms are added up: e^709 is the most that a double holds */

static const double improbable = 1e-9;

/* Floor of the square root. */
static uint64_t root(uint64_t n)
{
	uint64_t low = 0, high = 1ULL << 32;

	while (high - low > 1) {
		uint64_t middle = low + (high - low) / 2;

		if (middle * middle <= n)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/*
 * The greatest count that is not improbable if @mean is expected: the sum of the Poisson terms mean^k / k! beyond it is
 * less than that fraction of their total, e^mean.
 */
static uint64_t poisson_most(double mean)
{
	double term = 1, sum = 1, tail = 0;
	uint64_t k = 0;

	while (k <= mean || term > sum * improbable * improbable) {
		term = term * mean / ++k;
		sum += term;
	}
	for (; k > 0 && tail + term < sum * improbable; k--) {
		tail += term;
		term = term * k / mean;
	}
	return k;
}

uint64_t ft_rate_errors_allowed(unsigned int mbps, uint32_t interval_ms)
{
	/* 10^6 bits a second, 10^-3 seconds, 10^-12 errors a bit. */
	double mean = (double)mbps * interval_ms * 1e-9;
	uint64_t whole = (uint64_t)mean + 1;

	if (mean <= 0)
		return 0;
	if (mean <= EXACT_MOST)
		return poisson_most(mean);
	/* Bernstein's bound: e^(-x^2 / (2 (mean + x/3))) is 10^-9 at x = 6.9 + sqrt(47.7 + 41.4 mean), or less. */
	return whole + 7 + root(48 + 42 * whole) + 1;
}
