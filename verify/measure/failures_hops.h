/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* How far hosts are apart by the cables that are left. Private to failures.c and failures_hops.c. */
#ifndef FT_VERIFY_MEASURE_FAILURES_HOPS_H
#define FT_VERIFY_MEASURE_FAILURES_HOPS_H

#include <stdbool.h>
#include <stdint.h>

struct ft_model;

/* Over all pairs of hosts with a path. */
struct ft_hops_left {
	uint32_t farthest;   /* switches on the longest shortest path; 0: no pair has a path */
	uint64_t pairs, sum; /* how many pairs; their switches in all */
};

/*
 * True where distances tell something: in a plan without ranks, of switches that are one chip each. Up and down a tree
 * no path grows as long as there is one.
 */
bool ft_hops_count_for(const struct ft_model *m);

/* The work of one ft_hops_left(), about: edge ends that are visited, where hosts are @farthest apart. */
uint64_t ft_hops_work(const struct ft_model *m, uint32_t farthest);

/* @carriers: by cell, the cables that are left; @dead: by place. Returns 0 or -ENOMEM. */
int ft_hops_left(const struct ft_model *m, const uint32_t *carriers, const bool *dead, struct ft_hops_left *ret);

#endif
