/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/flow/flow.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "planner/flow/paths.h"

#define RATE 0.5	    /* of growth in the first round */
#define SLACK 0.3	    /* of the mean length of an arc: how much longer a path may be to be used */
#define LENGTH_LEAST 1e-100 /* of the longest arc: a length is never 0 */
#define STEPS_MAX 4000000000UL

/*
 * Algorithm: multiplicative weights with all demands of a source at once (L. Fleischer, "Approximating Fractional
 * Multicommodity Flow Independent of the Number of Commodities", 2000). A round routes every demand once; after each
 * source, arcs become longer by what they were loaded with.
 */
struct search {
	const struct ft_flow_problem *problem;
	struct ft_flow_graph graph;
	struct ft_flow_paths paths;
	double *length; /* by arc */
	double *load;	/* by arc: of this round */
	double *sum;	/* by arc: of all rounds */
	double *step;	/* by arc: of one source */
	double *want;	/* by vertex: the demands of one source */
	uint32_t rounds;
	double bound; /* the least so far */
	double value; /* the most so far */
};

static void search_release(struct search *s)
{
	ft_flow_graph_release(&s->graph);
	ft_flow_paths_release(&s->paths);
	free(s->length);
	free(s->load);
	free(s->sum);
	free(s->step);
	free(s->want);
}

static int search_make(const struct ft_flow_problem *problem, struct search *s)
{
	size_t arcs;
	int r;

	s->problem = problem;
	s->bound = INFINITY;
	r = ft_flow_graph_make(problem, &s->graph);
	if (r >= 0)
		r = ft_flow_paths_make(&s->graph, &s->paths);
	if (r < 0)
		return r;
	arcs = s->graph.arc_count + 1UL;
	s->length = calloc(arcs, sizeof(*s->length));
	s->load = calloc(arcs, sizeof(*s->load));
	s->sum = calloc(arcs, sizeof(*s->sum));
	s->step = calloc(arcs, sizeof(*s->step));
	s->want = calloc(problem->vertex_count + 1UL, sizeof(*s->want));
	return s->length && s->load && s->sum && s->step && s->want ? 0 : -ENOMEM;
}

/* Fills @want with the demands of @source; the list's go on from @ret_next. Returns whether there are any. */
static bool demands_of(struct search *s, uint32_t source, size_t *next)
{
	const struct ft_flow_problem *p = s->problem;
	bool any = false;

	memset(s->want, 0, p->vertex_count * sizeof(*s->want));
	if (p->weights) {
		for (uint32_t v = 0; v < p->vertex_count; v++)
			s->want[v] = p->weights[source] * p->weights[v];
	} else {
		for (; *next < p->demand_count && p->demands[*next].from <= source; ++*next)
			if (p->demands[*next].from == source)
				s->want[p->demands[*next].to] += p->demands[*next].amount;
	}
	s->want[source] = 0;
	for (uint32_t v = 0; v < p->vertex_count; v++)
		any = any || s->want[v] > 0;
	return any;
}

/* Counts the pairs, and those without a path; by the lengths as they are. */
static void pairs_count(struct search *s, struct ft_flow *ret)
{
	size_t next = 0;

	for (uint32_t source = 0; source < s->graph.vertex_count; source++) {
		if (!demands_of(s, source, &next))
			continue;
		ft_flow_paths_find(&s->paths, source, s->length);
		for (uint32_t v = 0; v < s->graph.vertex_count; v++) {
			if (s->want[v] <= 0)
				continue;
			ret->pairs++;
			ret->pairs_cut += isinf(s->paths.distance[v]) ? 1 : 0;
		}
	}
}

/* The value that the flow of all rounds together reaches, and the bound by the lengths as they are now. */
static void round_judge(struct search *s, double reach)
{
	const struct ft_flow_graph *g = &s->graph;
	double volume = 0, most = 0;

	for (uint32_t k = 0; k < g->arc_count; k++) {
		volume += s->length[k] * g->capacity[k];
		s->sum[k] += s->load[k];
		most = fmax(most, s->sum[k] / g->capacity[k]);
	}
	s->rounds++;
	s->bound = fmin(s->bound, volume / reach);
	s->value = fmax(s->value, s->rounds / most);
}

/* Arcs become longer by what this source loaded them with beyond @before. */
static void lengths_grow(struct search *s, double grow)
{
	const struct ft_flow_graph *g = &s->graph;

	for (uint32_t k = 0; k < g->arc_count; k++) {
		s->length[k] *= 1 + grow * s->step[k] / g->capacity[k];
		s->load[k] += s->step[k];
		s->step[k] = 0;
	}
}

/* Routes every demand once. @rate: of growth, per share of the capacity at the value found so far. */
static void round_run(struct search *s, double rate)
{
	const struct ft_flow_graph *g = &s->graph;
	double reach = 0, slack = 0;
	size_t next = 0;

	memset(s->load, 0, (g->arc_count + 1UL) * sizeof(*s->load));
	for (uint32_t k = 0; k < g->arc_count; k++)
		slack += s->length[k] / g->arc_count * SLACK;
	for (uint32_t source = 0; source < g->vertex_count; source++) {
		if (!demands_of(s, source, &next))
			continue;
		ft_flow_paths_find(&s->paths, source, s->length);
		/* Lengths only grow during a round: this is no more than by the last ones. */
		for (uint32_t v = 0; v < g->vertex_count; v++)
			if (s->want[v] > 0)
				reach += s->want[v] * s->paths.distance[v];
		ft_flow_paths_send(&s->paths, s->length, s->want, slack, s->step);
		lengths_grow(s, rate * s->value);
	}
	round_judge(s, reach);
}

/* Lengths count relative to each other only, and must not overflow. */
static void lengths_scale(struct search *s)
{
	double most = 0;

	for (uint32_t k = 0; k < s->graph.arc_count; k++)
		most = fmax(most, s->length[k]);
	for (uint32_t k = 0; k < s->graph.arc_count; k++)
		s->length[k] = fmax(s->length[k] / most, LENGTH_LEAST);
}

int ft_flow_solve(const struct ft_flow_problem *problem, struct ft_flow *ret)
{
	_cleanup_(search_release) struct search s = {0};
	struct ft_flow flow = {.value = INFINITY, .bound = INFINITY};
	uint64_t steps_max = problem->steps_max ? problem->steps_max : STEPS_MAX, steps = 0;
	int r = search_make(problem, &s);

	if (r < 0)
		return r;
	for (uint32_t k = 0; k < s.graph.arc_count; k++)
		s.length[k] = 1 / s.graph.capacity[k];
	pairs_count(&s, &flow);
	if (flow.pairs_cut > 0)
		flow.value = flow.bound = 0;
	while (flow.pairs > 0 && flow.pairs_cut == 0 && steps < steps_max) {
		round_run(&s, s.rounds == 0 ? 0 : RATE / sqrt(s.rounds));
		lengths_scale(&s);
		steps += (uint64_t)s.graph.vertex_count * s.graph.arc_count;
		flow.value = s.value;
		flow.bound = s.bound;
		if (flow.value >= flow.bound * (1 - problem->gap))
			break;
	}
	flow.rounds = s.rounds;
	*ret = flow;
	return 0;
}
