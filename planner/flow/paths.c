/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/flow/paths.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

#define ROUNDING 1e-9 /* lengths that are equal but for so much of them are */

void ft_flow_graph_release(struct ft_flow_graph *graph)
{
	free(graph->first);
	free(graph->from);
	free(graph->to);
	free(graph->capacity);
	free(graph->in_first);
	free(graph->in);
}

/* Turns the counts by vertex into where each one's arcs end; filling from the last on leaves where they begin. */
static void counts_add_up(uint32_t *first, uint32_t vertices)
{
	for (uint32_t i = 1; i <= vertices; i++)
		first[i] += first[i - 1];
}

int ft_flow_graph_make(const struct ft_flow_problem *problem, struct ft_flow_graph *ret)
{
	uint32_t vertices = problem->vertex_count, arcs = 0;
	size_t room = problem->arc_count + 1;

	*ret = (struct ft_flow_graph){
		.vertex_count = vertices,
		.first = calloc(vertices + 1UL, sizeof(*ret->first)),
		.from = calloc(room, sizeof(*ret->from)),
		.to = calloc(room, sizeof(*ret->to)),
		.capacity = calloc(room, sizeof(*ret->capacity)),
		.in_first = calloc(vertices + 1UL, sizeof(*ret->in_first)),
		.in = calloc(room, sizeof(*ret->in)),
	};
	if (!ret->first || !ret->from || !ret->to || !ret->capacity || !ret->in_first || !ret->in)
		return -ENOMEM;
	for (size_t i = 0; i < problem->arc_count; i++) {
		if (problem->arcs[i].capacity <= 0)
			continue;
		ret->first[problem->arcs[i].from]++;
		ret->in_first[problem->arcs[i].to]++;
		arcs++;
	}
	ret->arc_count = arcs;
	counts_add_up(ret->first, vertices);
	counts_add_up(ret->in_first, vertices);
	for (size_t i = problem->arc_count; i-- > 0;) {
		const struct ft_flow_arc *arc = &problem->arcs[i];
		uint32_t k;

		if (arc->capacity <= 0)
			continue;
		k = --ret->first[arc->from];
		ret->from[k] = arc->from;
		ret->to[k] = arc->to;
		ret->capacity[k] = arc->capacity;
	}
	for (uint32_t k = arcs; k-- > 0;)
		ret->in[--ret->in_first[ret->to[k]]] = k;
	return 0;
}

/* ---- distances ---- */

int ft_flow_paths_make(const struct ft_flow_graph *graph, struct ft_flow_paths *ret)
{
	size_t count = graph->vertex_count + 1UL;

	*ret = (struct ft_flow_paths){
		.graph = graph,
		.distance = calloc(count, sizeof(*ret->distance)),
		.order = calloc(count, sizeof(*ret->order)),
		.last = calloc(count, sizeof(*ret->last)),
		.rank = calloc(count, sizeof(*ret->rank)),
		.places = calloc(count, sizeof(*ret->places)),
		.amount = calloc(count, sizeof(*ret->amount)),
		.share = calloc(graph->arc_count + 1UL, sizeof(*ret->share)),
	};
	if (!ret->distance || !ret->order || !ret->rank || !ret->last || !ret->places || !ret->amount || !ret->share ||
	    ft_queue_reserve(&ret->near, graph->vertex_count) < 0)
		return -ENOMEM;
	return 0;
}

void ft_flow_paths_release(struct ft_flow_paths *paths)
{
	free(paths->distance);
	free(paths->order);
	free(paths->rank);
	free(paths->last);
	ft_queue_release(&paths->near);
	free(paths->places);
	free(paths->amount);
	free(paths->share);
}

uint32_t ft_flow_paths_find(struct ft_flow_paths *paths, uint32_t source, const double *length, const double *want,
			    uint32_t count)
{
	const struct ft_flow_graph *g = paths->graph;

	for (uint32_t v = 0; v < g->vertex_count; v++) {
		paths->distance[v] = INFINITY;
		paths->rank[v] = UINT32_MAX;
	}
	paths->distance[source] = 0;
	paths->near.count = 0;
	ft_queue_put(&paths->near, paths->places, source, 0);
	paths->reached = 0;
	while (!ft_queue_is_empty(&paths->near)) {
		uint32_t from = ft_queue_take(&paths->near, paths->places);
		double so_far = paths->distance[from];

		paths->rank[from] = paths->reached;
		paths->order[paths->reached++] = from;
		if (want[from] > 0 && --count == 0)
			break;
		for (uint32_t k = g->first[from]; k < g->first[from + 1]; k++) {
			uint32_t to = g->to[k];
			double distance = so_far + length[k];

			if (distance >= paths->distance[to])
				continue;
			/* There is room for all vertices. */
			if (isinf(paths->distance[to]))
				ft_queue_put(&paths->near, paths->places, to, distance);
			else
				ft_queue_advance(&paths->near, paths->places, to, distance);
			paths->distance[to] = distance;
			paths->last[to] = k;
		}
	}
	return count;
}

double ft_flow_paths_reach(const struct ft_flow_paths *paths, const double *want)
{
	double reach = 0;

	for (uint32_t i = 1; i < paths->reached; i++)
		reach += want[paths->order[i]] * paths->distance[paths->order[i]];
	return reach;
}

/* ---- demands ---- */

uint32_t ft_flow_demands_of(const struct ft_flow_problem *problem, uint32_t source, double *want, size_t *next)
{
	uint32_t count = 0;

	if (problem->weights && problem->weights[source] <= 0)
		return 0;
	memset(want, 0, problem->vertex_count * sizeof(*want));
	if (problem->weights)
		for (uint32_t v = 0; v < problem->vertex_count; v++)
			want[v] = problem->weights[source] * problem->weights[v];
	else
		for (; *next < problem->demand_count && problem->demands[*next].from == source; ++*next)
			want[problem->demands[*next].to] += problem->demands[*next].amount;
	want[source] = 0;
	for (uint32_t v = 0; v < problem->vertex_count; v++)
		count += want[v] > 0 ? 1 : 0;
	return count;
}

/* ---- traffic ---- */

/* How much of the traffic to @to comes by each arc, in @share, and the sum of that. */
static double shares_weigh(struct ft_flow_paths *p, const double *length, uint32_t to, double slack)
{
	const struct ft_flow_graph *g = p->graph;
	double limit = p->distance[to] + slack, sum = 0;

	for (uint32_t i = g->in_first[to]; i < g->in_first[to + 1]; i++) {
		uint32_t k = g->in[i], from = g->from[k];
		double left = limit - p->distance[from] - length[k], share = 0;

		/* Traffic never goes back: what is of a lower rank is nearer, so that no circle comes about. */
		if (left > 0 && p->rank[from] < p->rank[to])
			share = g->capacity[k] * left;
		p->share[i] = share;
		sum += share;
	}
	return sum;
}

int ft_flow_carried_make(const struct ft_flow_graph *graph, struct ft_flow_carried *ret)
{
	ret->amount = calloc(graph->arc_count + 1UL, sizeof(*ret->amount));
	ret->arcs = calloc(graph->arc_count + 1UL, sizeof(*ret->arcs));
	ret->count = 0;
	return ret->amount && ret->arcs ? 0 : -ENOMEM;
}

void ft_flow_carried_release(struct ft_flow_carried *carried)
{
	free(carried->amount);
	free(carried->arcs);
}

void ft_flow_carried_forget(struct ft_flow_carried *carried)
{
	for (uint32_t i = 0; i < carried->count; i++)
		carried->amount[carried->arcs[i]] = 0;
	carried->count = 0;
}

static void carry(struct ft_flow_carried *carried, uint32_t arc, double amount)
{
	if (carried->amount[arc] <= 0)
		carried->arcs[carried->count++] = arc;
	carried->amount[arc] += amount;
}

void ft_flow_paths_walk(const struct ft_flow_paths *paths, uint32_t last, double amount,
			struct ft_flow_carried *carried)
{
	const struct ft_flow_graph *g = paths->graph;

	carry(carried, last, amount);
	while (g->from[last] != paths->order[0]) {
		last = paths->last[g->from[last]];
		carry(carried, last, amount);
	}
}

/* The arc of a shortest way to @to that comes from the vertex whose number is nearest. */
static uint32_t arc_straight(const struct ft_flow_paths *paths, const double *length, uint32_t to)
{
	const struct ft_flow_graph *g = paths->graph;
	double limit = paths->distance[to] * (1 + ROUNDING);
	uint32_t best = paths->last[to], least = UINT32_MAX;

	for (uint32_t i = g->in_first[to]; i < g->in_first[to + 1]; i++) {
		uint32_t k = g->in[i], from = g->from[k], apart = from < to ? to - from : from - to;

		if (apart >= least || paths->rank[from] >= paths->rank[to] || paths->distance[from] + length[k] > limit)
			continue;
		best = k;
		least = apart;
	}
	return best;
}

void ft_flow_paths_send_straight(struct ft_flow_paths *paths, const double *want, const double *length,
				 struct ft_flow_carried *carried)
{
	for (uint32_t i = 0; i < paths->reached; i++)
		paths->amount[paths->order[i]] = want[paths->order[i]];
	for (uint32_t i = paths->reached; i-- > 1;) {
		uint32_t to = paths->order[i], arc = arc_straight(paths, length, to);

		if (paths->amount[to] <= 0)
			continue;
		carry(carried, arc, paths->amount[to]);
		paths->amount[paths->graph->from[arc]] += paths->amount[to];
	}
}

/* Sends what is in @amount of the first @count vertices reached. */
static void amounts_send(struct ft_flow_paths *paths, uint32_t count, double slack, double growth, double *length,
			 struct ft_flow_carried *carried)
{
	const struct ft_flow_graph *g = paths->graph;

	for (uint32_t i = count; i-- > 1;) {
		uint32_t to = paths->order[i];
		double unit;

		if (paths->amount[to] <= 0)
			continue;
		unit = paths->amount[to] / shares_weigh(paths, length, to, slack);
		for (uint32_t in = g->in_first[to]; in < g->in_first[to + 1]; in++) {
			uint32_t k = g->in[in];
			double part = unit * paths->share[in];

			if (part <= 0)
				continue;
			carry(carried, k, part);
			length[k] += length[k] * growth * part / g->capacity[k];
			paths->amount[g->from[k]] += part;
		}
	}
}

void ft_flow_paths_send(struct ft_flow_paths *paths, const double *want, double slack, double growth, double *length,
			struct ft_flow_carried *carried)
{
	for (uint32_t i = 0; i < paths->reached; i++)
		paths->amount[paths->order[i]] = want[paths->order[i]];
	amounts_send(paths, paths->reached, slack, growth, length, carried);
}

void ft_flow_paths_send_one(struct ft_flow_paths *paths, uint32_t to, double amount, double slack, double *length,
			    struct ft_flow_carried *carried)
{
	uint32_t count = paths->rank[to] + 1;

	for (uint32_t i = 0; i < count; i++)
		paths->amount[paths->order[i]] = 0;
	paths->amount[to] = amount;
	amounts_send(paths, count, slack, 0, length, carried);
}
