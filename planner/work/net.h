/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The network that messages travel on: a plan's switches and bundles, what a cable of each carries, and the hosts that
 * reach each other. Links are full duplex. What was observed is described in the same way, by a plan whose bundles and
 * hosts are those that were found.
 */
#ifndef FT_PLANNER_WORK_NET_H
#define FT_PLANNER_WORK_NET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/rate.h"
#include "planner/plan/adjacency.h"
#include "planner/plan/plan.h"

/* What is taken where the design gives no rate: the QDR InfiniBand of the indirect cube document, section 3. */
#define FT_WORK_NET_RATE ((struct ft_rate){4, FT_SPEED_QDR})

struct ft_work_host {
	uint32_t sw;	     /* index of its switch */
	double bytes_per_ns; /* of its link, in each direction */
};

struct ft_work_net {
	const struct ft_plan *plan; /* borrowed */
	struct ft_adjacency near;
	double *cable_bytes_per_ns; /* by bundle: of one cable, in each direction */
	struct ft_work_host *hosts; /* that reach each other; switch by switch, in the plan's order */
	uint32_t host_count;
	uint32_t left_out;		      /* hosts that do not reach the largest part */
	struct ft_rate cable_rate, host_rate; /* expected of most */
	bool cable_rate_said, host_rate_said; /* the design says them */
};

/*
 * The network of @plan with the rates of its @design. The largest part by its hosts is taken, of equal ones the first:
 * the hosts of others are left out. The plan must outlive it. The caller releases @ret also on failure.
 * Returns 0 or -ENOMEM.
 */
int ft_work_net_make(const struct ft_design *design, const struct ft_plan *plan, struct ft_work_net *ret);
void ft_work_net_release(struct ft_work_net *traffic);

/* True where the cables of an arc from @from lead down: the ranks of both ends are known. */
bool ft_work_net_leads_down(const struct ft_work_net *traffic, uint32_t from, const struct ft_arc *arc);

#endif
