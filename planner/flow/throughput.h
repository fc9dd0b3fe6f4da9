/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The throughput of a plan under a traffic pattern: the share of its own link that every host can send at once, however
 * traffic is routed. 1 is what a network that never blocks gives.
 *
 * Traffic between hosts, in units of a host's link:
 *   all-to-all      each host sends the same to every other host, 1 in all. Source: the tutorial's "uniform traffic"
 *   permutation     each host sends 1 to another one, which nobody else sends to; drawn at random
 *   worst matching  likewise, and the hosts that send to each other are as far apart as can be in sum: S. Jyothi et
 * al., "Measuring and Understanding Throughput of Network Topologies", 2016, where it is called longest matching. The
 * worst traffic pattern that is known to be found in reasonable time Hosts of one switch reach each other without a
 * cable.
 */
#ifndef FT_PLANNER_FLOW_THROUGHPUT_H
#define FT_PLANNER_FLOW_THROUGHPUT_H

#include <stdbool.h>
#include <stdint.h>

struct ft_design;
struct ft_plan;

enum ft_traffic {
	FT_TRAFFIC_ALL_TO_ALL,
	FT_TRAFFIC_PERMUTATION,
	FT_TRAFFIC_WORST_MATCHING,
	FT_TRAFFIC_COUNT,
};

const char *ft_traffic_name(enum ft_traffic traffic); /* "all-to-all", "permutation", "worst-matching" */
int ft_traffic_find(const char *name);		      /* the pattern of that name, or -EINVAL */

#define FT_THROUGHPUT_GAP 0.01 /* that is aimed at where nothing else is said */

struct ft_throughput_ask {
	enum ft_traffic traffic;
	double gap;	    /* wanted: value >= bound * (1 - gap); 0: FT_THROUGHPUT_GAP */
	uint64_t seed;	    /* of a permutation */
	uint64_t steps_max; /* as in struct ft_flow_problem; 0: the usual bound */
	bool network;	    /* the gap is wanted of @network too, where the hosts' links are the bottleneck */
	/* By bundle, in each direction: in host links, so that a cable of the hosts' rate is 1. NULL: as planned, with
	   such cables. 0 and less: the bundle is not there. */
	const double *capacity;
	const uint32_t *hosts; /* by switch; NULL: as planned */
};

struct ft_throughput {
	double value; /* primal: every host can have this share of its own link; at most 1 */
	double bound; /* dual: no routing gives more; at most 1 */
	double gap;   /* 1 - value / bound; 0 where both are 0 */
	/* What the cables between the switches could carry if the links of the hosts were as fast as one likes.
	   INFINITY where no traffic leaves a switch. */
	double network, network_bound;
	uint64_t pairs;	     /* ordered pairs of switches with traffic */
	uint64_t pairs_cut;  /* of them without a path: the value is 0 then */
	uint32_t rounds;     /* of the search */
	bool matching_exact; /* of worst matching: no matching is longer; else it is the longest that was found */
};

/*
 * The throughput of @plan. Returns 0, -ENOMEM, or -EINVAL where there are fewer than two hosts; @ret is untouched on
 * failure. The same plan and the same @ask always have the same answer.
 */
int ft_throughput(const struct ft_plan *plan, const struct ft_throughput_ask *ask, struct ft_throughput *ret);

/*
 * Capacities for struct ft_throughput_ask by the rates that @design expects: that of cables (ft_plan_cable_mbps()) by
 * the first one of hosts. Where either is not said, a cable is 1.
 *
 * @ret_capacity  out: by bundle; owned by the caller
 * Returns 0 or -ENOMEM.
 */
int ft_throughput_capacity(const struct ft_design *design, const struct ft_plan *plan, double **ret_capacity);

#endif
