/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * How long a workload takes on a network, at flow level. A message is a flow: while it is sent it has its max-min fair
 * share of every link on its paths (fair.h), and a host sends one at a time. It has arrived when its last byte has left
 * and the latency of the switches on its path has passed. There are no packets: no buffers, no head-of-line blocking,
 * and no time is lost in arbitration.
 *
 * Algorithm: a simulation of events, which are ends of flows, arrivals and starts. Flows of one class (equal paths)
 * get the same rate, so a class counts the bytes that each member has got, and ends are in a heap of its own; classes
 * are in one heap by their next end. All events of one moment make one update of the shares. Flows over equal paths are
 * of a class of their own as long as they share the link of their destination with others.
 */
#ifndef FT_PLANNER_WORK_SIMULATE_H
#define FT_PLANNER_WORK_SIMULATE_H

#include "planner/work/paths.h"
#include "planner/work/workload.h"

/*
 * Events are simulated one by one until that has taken so much work: shares of links, looked at to keep them fair. Then
 * events within 1 % of the mean time that the messages under way take are one moment: a message arrives so much too
 * early at most. What it was spared is added to the next message of its sender. Otherwise messages to one host that
 * end about together would go on together to the next host, and to all hosts after that: all-to-all of 1,920 hosts
 * would take 60 times as long.
 */
#define FT_SIMULATE_WORK 300000000ULL
#define FT_SIMULATE_WORK_PER_MESSAGE 2500ULL
enum { FT_SIMULATE_MERGED_PERCENT = 1 };

/* Called now and then. */
struct ft_simulate_progress {
	void (*tell)(void *data, uint64_t done, uint64_t messages); /* NULL: nobody wants to know */
	void *data;
};

struct ft_simulate_input {
	const struct ft_work_net *traffic;
	struct ft_paths *paths;	  /* of @traffic; more of them are found on the way */
	const uint32_t *host_of;  /* by task */
	double switch_latency_ns; /* of each switch that a message crosses */
	double host_overhead_ns;  /* of the sender before a message, and of the receiver behind it */
	struct ft_simulate_progress progress;
	uint64_t work_most; /* before events are merged; 0: by the two constants above */
};

struct ft_simulated {
	double time_ns; /* until the last message has arrived */
	uint64_t messages;
	uint64_t alone; /* of them had arrived before events were merged; all: none were */
};

/* Returns 0, -ENOMEM, or -ENOLINK: forwarding tables do not lead to the receiver of a message. */
int ft_simulate(const struct ft_simulate_input *input, const struct ft_workload *workload,
		const struct ft_workload_setup *setup, struct ft_simulated *ret);

#endif
