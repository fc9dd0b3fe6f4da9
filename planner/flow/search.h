/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * What every search for a maximum concurrent flow has: the graph, a search for paths, the best value and the least
 * bound so far, and when it is over. Private to planner/flow/.
 */
#ifndef FT_PLANNER_FLOW_SEARCH_H
#define FT_PLANNER_FLOW_SEARCH_H

#include <stdbool.h>

#include "planner/flow/paths.h"

struct ft_flow_search {
	const struct ft_flow_problem *problem;
	struct ft_flow_graph graph;
	struct ft_flow_paths paths;
	struct ft_flow_carried carried; /* scratch */
	double *want;			/* by vertex: the demands of one source */
	uint64_t steps;			/* done so far */
	uint64_t steps_max;		/* the search ends with so many */
	double value;			/* the most so far */
	double bound;			/* the least so far */
};

/* So many steps an arc from each source: its distances, and these and its traffic. */
enum { FT_FLOW_FIND_STEPS = 4, FT_FLOW_ROUND_STEPS = 8 };

/* The caller releases @ret also on failure. Returns 0 or -ENOMEM. */
int ft_flow_search_make(const struct ft_flow_problem *problem, struct ft_flow_search *ret);
void ft_flow_search_release(struct ft_flow_search *search);

/* Counts the pairs of @ret, and those without a path. */
void ft_flow_search_count(struct ft_flow_search *search, struct ft_flow *ret);

/* The sum of capacity * @length. */
double ft_flow_search_volume(const struct ft_flow_search *search, const double *length);

/* Takes a bound of lengths by which all demands together reach @reach. Returns whether it is the least. */
bool ft_flow_search_take(struct ft_flow_search *search, const double *length, double reach);

/* Finds the distances by @length, which are above 0, and takes their bound. Returns whether it is the least. */
bool ft_flow_search_prove(struct ft_flow_search *search, const double *length);

/* The gap is reached, or the value that is enough. */
bool ft_flow_search_is_enough(const struct ft_flow_search *search);

#endif
