/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* A plan of Ethernet switches with all that its switches are told. */
#ifndef FT_PLANNER_ETHERNET_ETHERNET_H
#define FT_PLANNER_ETHERNET_ETHERNET_H

#include "planner/ethernet/tables.h"

struct ft_ethernet {
	const struct ft_design *design;
	struct ft_plan plan; /* a view of it, without islands */
	struct ft_vlans vlans;
	struct ft_macs macs;
	struct ft_tables tables;
};

void ft_ethernet_release(struct ft_ethernet *ethernet);

/*
 * @ret_ethernet  out: borrows from @design and @plan; for ft_ethernet_release(). Untouched on failure.
 * @err           filled on -EINVAL: the plan is of another technology, or what the parts say
 * Returns 0, -EINVAL or -ENOMEM.
 */
int ft_ethernet_make(const struct ft_design *design, const struct ft_plan *plan, struct ft_ethernet *ret_ethernet,
		     struct ft_error *err);

#endif
