/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The cables of a plan, by what they lead to and by the lengths that the floor model gives them. */
#ifndef FT_PLANNER_WRITE_LENGTHS_H
#define FT_PLANNER_WRITE_LENGTHS_H

#include "planner/write/floor.h"

enum ft_length_kind { FT_LENGTH_HOST, FT_LENGTH_UPLINK, FT_LENGTH_SPINE_UPLINK, FT_LENGTH_LINK };

/* Cables of one kind and length. */
struct ft_length {
	enum ft_length_kind kind;
	uint32_t length_mm; /* a standard length */
	uint64_t count;
};

struct ft_lengths {
	struct ft_length *rows; /* sorted by kind and length, each once; owned */
	size_t count;
	uint64_t cables;   /* of all rows */
	uint64_t midplane; /* links of hosts inside a chassis, which need no cable */
};

void ft_lengths_release(struct ft_lengths *lengths);

/*
 * @catalog  where the sizes of switches are from; NULL: none
 * Returns 0, -EINVAL (the floor model has no room) or -ENOMEM. To be released in any case.
 */
int ft_lengths_make(const struct ft_plan *plan, const struct ft_catalog *catalog, struct ft_lengths *ret_lengths);

#endif
