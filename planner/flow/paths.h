/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Shortest paths from one vertex, and traffic that goes along them. Private to planner/flow/. */
#ifndef FT_PLANNER_FLOW_PATHS_H
#define FT_PLANNER_FLOW_PATHS_H

#include "base/queue.h"
#include "planner/flow/flow.h"

/* A problem's arcs that have a capacity, by the vertex where they begin, and where they end. */
struct ft_flow_graph {
	uint32_t vertex_count, arc_count;
	uint32_t *first; /* [vertex_count + 1]: arcs that begin there, in this order */
	uint32_t *from, *to;
	double *capacity;
	uint32_t *in_first; /* [vertex_count + 1] */
	uint32_t *in;	    /* arcs by where they end */
};

int ft_flow_graph_make(const struct ft_flow_problem *problem, struct ft_flow_graph *ret);
void ft_flow_graph_release(struct ft_flow_graph *graph);

/* The search from one vertex. */
struct ft_flow_paths {
	const struct ft_flow_graph *graph;
	double *distance; /* by vertex; INFINITY: not reached */
	uint32_t *order;  /* vertices reached, the nearest first */
	uint32_t reached;
	/* Private. */
	uint32_t *last;	      /* by vertex: the arc that it was reached by */
	uint32_t *rank;	      /* by vertex: its place in @order; UINT32_MAX: not reached */
	struct ft_queue near; /* vertices by their distance so far */
	uint32_t *places;     /* by vertex: in @near */
	double *amount;	      /* by vertex: what passes it or ends there */
	double *share;	      /* by arc that ends at a vertex */
};

int ft_flow_paths_make(const struct ft_flow_graph *graph, struct ft_flow_paths *ret);
void ft_flow_paths_release(struct ft_flow_paths *paths);

/*
 * Finds the distances from @source by @length of arcs, which are above 0, to the vertices v with @want[v] > 0, of which
 * there are @count. Dijkstra's algorithm with a binary heap. Returns how many of them have no path.
 */
uint32_t ft_flow_paths_find(struct ft_flow_paths *paths, uint32_t source, const double *length, const double *want,
			    uint32_t count);

/*
 * Fills @want, by vertex, with the demands of @source; of a list those from @next on, which is moved behind them.
 * Returns to how many vertices there are any.
 */
uint32_t ft_flow_demands_of(const struct ft_flow_problem *problem, uint32_t source, double *want, size_t *next);

/* The sum of @want times distance by the last search. */
double ft_flow_paths_reach(const struct ft_flow_paths *paths, const double *want);

/* What arcs carry. */
struct ft_flow_carried {
	double *amount; /* by arc */
	uint32_t *arcs; /* those with an amount */
	uint32_t count;
};

int ft_flow_carried_make(const struct ft_flow_graph *graph, struct ft_flow_carried *ret);
void ft_flow_carried_release(struct ft_flow_carried *carried);
/* Nothing is carried. */
void ft_flow_carried_forget(struct ft_flow_carried *carried);

/* Whether the last search reached @a before @b. */
static inline bool ft_flow_paths_before(const struct ft_flow_paths *paths, uint32_t a, uint32_t b)
{
	return paths->rank[a] < paths->rank[b];
}

/* Sends @amount over the arc @last, and before that along the shortest way from the source to where it begins. */
void ft_flow_paths_walk(const struct ft_flow_paths *paths, uint32_t last, double amount,
			struct ft_flow_carried *carried);

/*
 * Sends @want[v] from the source of the last search to every vertex v that it reached; or @amount to @to, one of these.
 *
 * @slack    above 0: at each vertex traffic arrives by all arcs that make its way less than this longer than the
 *           shortest one, by their capacity, and the less the longer
 * @growth   an arc that becomes loaded by its capacity becomes longer by this share
 * @length   that of the search; grows where @growth is given
 * @carried  what each arc carries is added
 */
void ft_flow_paths_send(struct ft_flow_paths *paths, const double *want, double slack, double growth, double *length,
			struct ft_flow_carried *carried);
void ft_flow_paths_send_one(struct ft_flow_paths *paths, uint32_t to, double amount, double slack, double *length,
			    struct ft_flow_carried *carried);

/*
 * Sends @want[v] from the source of the last search, which was by @length, to every vertex v, along one of the shortest
 * paths: of its last arcs the one from the vertex whose number is nearest, and so on.
 */
void ft_flow_paths_send_straight(struct ft_flow_paths *paths, const double *want, const double *length,
				 struct ft_flow_carried *carried);

#endif
