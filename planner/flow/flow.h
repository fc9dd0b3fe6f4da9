/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Maximum concurrent flow: the largest t such that t times every demand can flow at once, each along as many paths as
 * it likes, and no arc carries more than its capacity. Knows nothing of plans.
 *
 * Comes in: a directed graph with capacities, and demands between vertices. Goes out: a value that a flow reaches
 * (primal), and a bound that none exceeds (dual); both are certified, whatever the number of steps.
 *
 * Duality: for any lengths l >= 0 of arcs, t <= sum(capacity * l) / sum(demand * distance by l). Source: F. Shahrokhi
 * and D. Matula, "The Maximum Concurrent Flow Problem", 1990.
 */
#ifndef FT_PLANNER_FLOW_FLOW_H
#define FT_PLANNER_FLOW_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FT_FLOW_STEPS_MAX 7200000000UL /* the usual bound: some 15 s */

/* One direction of a link. */
struct ft_flow_arc {
	uint32_t from, to; /* vertices; never the same */
	double capacity;   /* finite; 0 and less: the arc is not there */
};

struct ft_flow_demand {
	uint32_t from, to;
	double amount; /* what has to flow for a value of 1 */
};

struct ft_flow_problem {
	uint32_t vertex_count;
	const struct ft_flow_arc *arcs; /* in any order; several may join the same two */
	size_t arc_count;
	/* The demands: by vertex a weight, and from each to each other the product of the two; or, where that is NULL,
	   a list in the order of @from. Those from a vertex to itself need no arc, and are ignored. */
	const double *weights;
	const struct ft_flow_demand *demands;
	size_t demand_count;
	double gap;    /* wanted: value >= bound * (1 - gap) */
	double enough; /* a value at which the search ends; 0: there is none */
	/* The search gives up after so many steps, roughly, each of which is a look at an arc of a routing; 0: the
	   usual bound. */
	uint64_t steps_max;
};

struct ft_flow {
	double value; /* INFINITY: there is no demand. 0: a demand has no path */
	double bound;
	uint64_t pairs;	    /* ordered pairs of vertices with a demand */
	uint64_t pairs_cut; /* of them without a path */
	uint32_t rounds;    /* so often all demands were routed */
};

/*
 * Solves @problem until the gap is reached or the steps are used up; @ret says how far it came. The same problem always
 * has the same answer. Returns 0 or -ENOMEM; @ret is untouched on failure.
 */
int ft_flow_solve(const struct ft_flow_problem *problem, struct ft_flow *ret);

#endif
