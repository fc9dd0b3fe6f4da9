/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Chance that a seed repeats: the same numbers on every machine, for good. */
#ifndef FT_BASE_CHANCE_H
#define FT_BASE_CHANCE_H

#include <stdint.h>

/* The next number of @state, which begins as the seed. Source: splitmix64, G. Steele, D. Lea, C. Flood, "Fast
   splittable pseudorandom number generators", 2014. */
static inline uint64_t ft_chance_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

/* A number that looks like chance, for each @number always the same: for hashes. */
static inline uint64_t ft_chance_of(uint64_t number)
{
	return ft_chance_next(&number);
}

/* A number below @bound. */
static inline uint32_t ft_chance_below(uint64_t *state, uint32_t bound)
{
	return (uint32_t)((ft_chance_next(state) >> 32) * bound >> 32);
}

#endif
