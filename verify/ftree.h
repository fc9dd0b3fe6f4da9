/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Whether OpenSM's fat-tree routing ("-R ftree", without a file of roots) takes a fabric for a fat-tree, or gives up
 * and routes it otherwise.
 *
 * The facts are those of OpenSM 3.3.23: switches are ranked by their distance from those with hosts, and again from
 * those farthest away, the roots. All hosts must be at the greatest rank. In a rank all switches must have as many
 * neighbours above, and below, and bundles of one width; cables within a rank are not looked at. Each is held against
 * the first switch of its rank in the order of its tables, and of that one, and of what is below, only the first bundle
 * counts: so which fault is noticed depends on GUIDs, which is why they are asked for here.
 */
#ifndef FT_VERIFY_FTREE_H
#define FT_VERIFY_FTREE_H

#include <stdbool.h>
#include <stdint.h>

enum ft_ftree_why {
	FT_FTREE_TAKEN,		/* it is a fat-tree */
	FT_FTREE_TOO_SMALL,	/* fewer than two switches or hosts */
	FT_FTREE_FLAT,		/* hosts on all switches, or a tree of one rank */
	FT_FTREE_DEEP,		/* more than eight ranks */
	FT_FTREE_HOST_RANK,	/* a host on a switch that is no leaf: @a */
	FT_FTREE_ONE_LEAF,	/* all hosts are on one switch */
	FT_FTREE_UP_NEIGHBOURS, /* @a and @b have not as many switches above them */
	FT_FTREE_DOWN_NEIGHBOURS,
	FT_FTREE_UP_CABLES, /* a bundle of @b to a switch above is not as wide as one of @a */
	FT_FTREE_DOWN_CABLES,
};

struct ft_ftree_verdict {
	enum ft_ftree_why why;
	uint32_t a, b; /* switches, where the reason names such */
};

/* A bundle as one of its switches sees it. */
struct ft_ftree_group {
	uint32_t far;	/* switch */
	uint32_t count; /* of cables; with none it is as good as not there */
};

/*
 * The fabric that the subnet manager sees, of switches by number. The groups of switch i are groups[first[i]] up to
 * groups[first[i + 1]], in the order of their lowest ports, loopbacks left out.
 */
struct ft_ftree {
	uint32_t count;	       /* of switches */
	const uint64_t *guids; /* host order */
	const uint32_t *hosts; /* ports of channel adapters on each */
	const uint32_t *first; /* [count + 1] */
	const struct ft_ftree_group *groups;
};

/* Returns 0 or -ENOMEM. */
int ft_ftree_judge(const struct ft_ftree *fabric, struct ft_ftree_verdict *ret_verdict);

#endif
