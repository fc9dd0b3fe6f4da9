/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Whether OpenSM's fat-tree routing ("-R ftree", without a file of roots) accepts a fabric as a fat-tree, or falls back
 * to another algorithm.
 *
 * Follows OpenSM 3.3.23: switches are ranked by their distance from those with hosts, and again from those farthest
 * away, the roots. All hosts must be at the greatest rank. In a rank all switches must have the same number of
 * neighbours above, and below, and bundles of one width; cables within a rank are ignored. Each switch is compared with
 * the first switch of its rank in the order of OpenSM's tables, and of that one, and of groups below, only the first
 * bundle counts: so which fault is noticed depends on GUIDs, which are therefore an input here.
 */
#ifndef FT_PLANNER_FLOW_FTREE_H
#define FT_PLANNER_FLOW_FTREE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

enum ft_ftree_why {
	FT_FTREE_TAKEN,		/* it is a fat-tree */
	FT_FTREE_TOO_SMALL,	/* fewer than two switches or hosts */
	FT_FTREE_FLAT,		/* hosts on all switches, or a tree of one rank */
	FT_FTREE_DEEP,		/* more than eight ranks */
	FT_FTREE_HOST_RANK,	/* a host on a switch that is not a leaf: @a */
	FT_FTREE_ONE_LEAF,	/* all hosts are on one switch */
	FT_FTREE_UP_NEIGHBOURS, /* @a and @b have different numbers of switches above them */
	FT_FTREE_DOWN_NEIGHBOURS,
	FT_FTREE_UP_CABLES, /* a bundle of @b to a switch above has another width than one of @a */
	FT_FTREE_DOWN_CABLES,
};

struct ft_ftree_verdict {
	enum ft_ftree_why why;
	uint32_t a, b; /* switches, if the reason names any */
};

/* A bundle as seen from one of its switches. */
struct ft_ftree_group {
	uint32_t far;	/* switch */
	uint32_t count; /* number of cables */
};

/*
 * The fabric that the subnet manager sees, as switches by number. The groups of switch i are groups[first[i]] up to
 * groups[first[i + 1]], in the order of their lowest ports, loopbacks left out.
 */
struct ft_ftree {
	struct ft_arena memory;
	uint32_t count;	 /* of switches */
	uint64_t *guids; /* host order */
	uint32_t *hosts; /* ports of channel adapters on each */
	uint32_t *first; /* [count + 1] */
	struct ft_ftree_group *groups;
	uint32_t group_count; /* so far */
	uint32_t *at; /* by switch: its group among those of the current switch, if it is not before their first */
};

/*
 * Makes room for @count switches and @ends ends of cables; the caller fills guids and hosts, and releases it, also on
 * failure. Then, switch by switch in the order of their numbers, ft_ftree_switch() and its cables, by their ports.
 * Returns 0 or -ENOMEM.
 */
int ft_ftree_init(struct ft_ftree *fabric, uint32_t count, size_t ends);
void ft_ftree_switch(struct ft_ftree *fabric, uint32_t node);
void ft_ftree_cables(struct ft_ftree *fabric, uint32_t node, uint32_t far, uint32_t cables);
void ft_ftree_release(struct ft_ftree *fabric);

/* Returns 0 or -ENOMEM. */
int ft_ftree_judge(const struct ft_ftree *fabric, struct ft_ftree_verdict *ret_verdict);

#endif
