/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Demands of a list are another file's (sparse.h); here all are of all pairs.
 *
 * Multiplicative weights with all demands of a source at once: L. Fleischer, "Approximating Fractional Multicommodity
 * Flow Independent of the Number of Commodities", 2000. A round routes every demand once; after each source, arcs
 * become longer by what they were loaded with, so that the next sources keep away. By how much shrinks from round to
 * round.
 *
 * Value: any average of rounds routes every demand once, so its greatest load is the inverse of a value. The first
 * rounds are the worst, so averages begin at the rounds 0, 1, 2, 4, 8..., and the best one counts.
 * Bound: of any lengths. Those of the rounds are tried, and lengths that fall off exponentially with the load of the
 * best average. Where the network is so regular that all shortest paths share traffic evenly, the latter prove the
 * value of the first round at once: by complementary slackness arcs that are not full have the length 0.
 *
 * Cost: a round is O(vertices * arcs * log vertices), and takes less than that in practice. Some ten rounds reach a gap
 * of 1 % in random networks; those with few bottlenecks take hundreds.
 */
#include "planner/flow/flow.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "planner/flow/paths.h"
#include "planner/flow/sparse.h"

#define LENGTH_LEAST 1e-100 /* of the longest arc: a length is never 0 */
#define BETTER 1e-6	    /* a gain that is worth a copy */
/* The exponent that lengths fall off by: doubled where that bounds better, else less, and then from the top again. */
#define STEEP_FIRST 16.0
#define STEEP_LEAST 4.0
#define STEEP_MOST 64.0
#define STEEP_LESS 2.5

enum {
	AVERAGES_MAX = 32,
	TRIALS_FIRST = 8,      /* lengths are tried after each of so many rounds, */
	TRIALS_EVERY = 3,      /* and then after every so many */
	STEPS_MAX = 400000000, /* arcs looked at: some 10 s */
};

#define RATE 0.5  /* by so much an arc that is loaded by its capacity grows in the first round; */
#define FALL 0.3  /* the rate falls as rounds to the power of this */
#define SLACK 0.3 /* of the mean length of an arc: how much longer a way may be to be used */

/* The sum of the loads of all rounds from one on. */
struct average {
	double *load; /* by arc, as a share of its capacity */
	uint32_t rounds;
};

struct search {
	const struct ft_flow_problem *problem;
	struct ft_flow_graph graph;
	struct ft_flow_paths paths;
	double *length;			/* by arc */
	double *trial;			/* by arc: other lengths */
	struct ft_flow_carried carried; /* of this round */
	double *best;			/* by arc: likewise, of the flow with the best value */
	double *want;			/* by vertex: the demands of one source */
	struct average averages[AVERAGES_MAX];
	uint32_t average_count;
	uint32_t rounds, trials;
	uint64_t steps;
	double steep;
	double bound; /* the least so far */
	double value; /* the most so far */
};

static void search_release(struct search *s)
{
	ft_flow_graph_release(&s->graph);
	ft_flow_paths_release(&s->paths);
	free(s->length);
	free(s->trial);
	ft_flow_carried_release(&s->carried);
	free(s->best);
	free(s->want);
	for (uint32_t i = 0; i < s->average_count; i++)
		free(s->averages[i].load);
}

static int search_make(const struct ft_flow_problem *problem, struct search *s)
{
	size_t arcs;
	int r;

	s->problem = problem;
	s->bound = INFINITY;
	s->steep = STEEP_FIRST;
	r = ft_flow_graph_make(problem, &s->graph);
	if (r >= 0)
		r = ft_flow_paths_make(&s->graph, &s->paths);
	if (r >= 0)
		r = ft_flow_carried_make(&s->graph, &s->carried);
	if (r < 0)
		return r;
	arcs = s->graph.arc_count + 1UL;
	s->length = calloc(arcs, sizeof(*s->length));
	s->trial = calloc(arcs, sizeof(*s->trial));
	s->best = calloc(arcs, sizeof(*s->best));
	s->want = calloc(problem->vertex_count + 1UL, sizeof(*s->want));
	if (!s->length || !s->trial || !s->best || !s->want)
		return -ENOMEM;
	for (uint32_t k = 0; k < s->graph.arc_count; k++)
		s->length[k] = 1 / s->graph.capacity[k];
	return 0;
}

/* ---- demands ---- */

/* Counts the pairs, and those without a path. */
static void pairs_count(struct search *s, struct ft_flow *ret)
{
	size_t next = 0;

	for (uint32_t source = 0; source < s->graph.vertex_count; source++) {
		uint32_t count = ft_flow_demands_of(s->problem, source, s->want, &next);

		if (count == 0)
			continue;
		ret->pairs += count;
		ret->pairs_cut += ft_flow_paths_find(&s->paths, source, s->length, s->want, count);
	}
}

/* ---- bounds ---- */

static bool bound_take(struct search *s, const double *length, double reach)
{
	double volume = 0;

	for (uint32_t k = 0; k < s->graph.arc_count; k++)
		volume += length[k] * s->graph.capacity[k];
	if (volume / reach >= s->bound)
		return false;
	s->bound = volume / reach;
	return true;
}

/* Tries @length as it stands. Returns whether it bounds better than all before. */
static bool bound_try(struct search *s, const double *length)
{
	double reach = 0;
	size_t next = 0;

	for (uint32_t source = 0; source < s->graph.vertex_count; source++) {
		uint32_t count = ft_flow_demands_of(s->problem, source, s->want, &next);

		if (count == 0)
			continue;
		ft_flow_paths_find(&s->paths, source, length, s->want, count);
		reach += ft_flow_paths_reach(&s->paths, s->want);
	}
	s->steps += (uint64_t)s->graph.vertex_count * s->graph.arc_count / 2;
	return bound_take(s, length, reach);
}

/* Tries lengths that follow from the best flow. */
static void bound_try_steep(struct search *s)
{
	double most = 1 / s->value;

	for (uint32_t k = 0; k < s->graph.arc_count; k++)
		s->trial[k] = fmax(exp(s->steep * (s->best[k] / most - 1)), LENGTH_LEAST) / s->graph.capacity[k];
	if (bound_try(s, s->trial))
		s->steep *= 2;
	else
		s->steep = s->steep > STEEP_LEAST ? s->steep / STEEP_LESS : STEEP_MOST;
}

/* By turns, but at first the lengths of the rounds have no experience. */
static void bound_improve(struct search *s)
{
	if (s->rounds > TRIALS_FIRST && s->rounds % TRIALS_EVERY > 0)
		return;
	if (s->trials++ % 2 == 1 && s->rounds > TRIALS_FIRST / 2)
		bound_try(s, s->length);
	else
		bound_try_steep(s);
}

/* ---- values ---- */

/* @load is the sum of so many rounds. */
static void value_take(struct search *s, const double *load, uint32_t rounds)
{
	double most = 0;

	for (uint32_t k = 0; k < s->graph.arc_count; k++)
		most = fmax(most, load[k]);
	if (rounds / most <= s->value * (1 + BETTER))
		return;
	s->value = rounds / most;
	for (uint32_t k = 0; k < s->graph.arc_count; k++)
		s->best[k] = load[k] / rounds;
}

static int average_add(struct search *s)
{
	struct average *average = &s->averages[s->average_count];

	if (s->average_count == AVERAGES_MAX)
		return 0;
	*average = (struct average){.load = calloc(s->graph.arc_count + 1UL, sizeof(*average->load))};
	if (!average->load)
		return -ENOMEM;
	s->average_count++;
	return 0;
}

static int values_take(struct search *s)
{
	double *load = s->carried.amount;

	for (uint32_t k = 0; k < s->graph.arc_count; k++)
		load[k] /= s->graph.capacity[k];
	value_take(s, load, 1);
	if ((s->rounds & (s->rounds - 1)) == 0 && average_add(s) < 0)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->average_count; i++) {
		struct average *average = &s->averages[i];

		for (uint32_t k = 0; k < s->graph.arc_count; k++)
			average->load[k] += load[k];
		value_take(s, average->load, ++average->rounds);
	}
	return 0;
}

/* ---- rounds ---- */

static double slack_of(const struct search *s)
{
	double sum = 0;

	for (uint32_t k = 0; k < s->graph.arc_count; k++)
		sum += s->length[k];
	return SLACK * sum / s->graph.arc_count;
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

/*
 * Routes every demand once. Lengths only grow during a round: what is summed of distances is no more than it would be
 * by the last lengths, which the bound is taken of.
 */
static int round_run(struct search *s)
{
	const struct ft_flow_graph *g = &s->graph;
	double growth = s->rounds == 0 ? 0 : s->value * RATE / pow(s->rounds, FALL);
	double reach = 0, slack = slack_of(s);
	size_t next = 0;
	int r;

	ft_flow_carried_forget(&s->carried);
	for (uint32_t source = 0; source < g->vertex_count; source++) {
		uint32_t count = ft_flow_demands_of(s->problem, source, s->want, &next);

		if (count == 0)
			continue;
		ft_flow_paths_find(&s->paths, source, s->length, s->want, count);
		reach += ft_flow_paths_reach(&s->paths, s->want);
		ft_flow_paths_send(&s->paths, s->want, slack, growth, s->length, &s->carried);
	}
	s->steps += (uint64_t)g->vertex_count * g->arc_count;
	bound_take(s, s->length, reach);
	r = values_take(s);
	s->rounds++;
	lengths_scale(s);
	return r;
}

static bool is_enough(const struct search *s)
{
	return s->value >= s->bound * (1 - s->problem->gap) ||
	       (s->problem->enough > 0 && s->value >= s->problem->enough);
}

int ft_flow_solve(const struct ft_flow_problem *problem, struct ft_flow *ret)
{
	_cleanup_(search_release) struct search s = {0};
	struct ft_flow flow = {.value = INFINITY, .bound = INFINITY};
	uint64_t steps_max = problem->steps_max ? problem->steps_max : STEPS_MAX;
	int r = search_make(problem, &s);

	if (r < 0)
		return r;
	pairs_count(&s, &flow);
	if (flow.pairs_cut > 0)
		flow.value = flow.bound = 0;
	if (flow.pairs == 0 || flow.pairs_cut > 0) {
		*ret = flow;
		return 0;
	}
	if (!problem->weights) {
		r = ft_flow_sparse_solve(problem, &flow);
		if (r >= 0)
			*ret = flow;
		return r;
	}
	do {
		r = round_run(&s);
		if (r < 0)
			return r;
		if (!is_enough(&s))
			bound_improve(&s);
	} while (!is_enough(&s) && s.steps < steps_max);
	flow.value = s.value;
	/* Where they are equal but for rounding. */
	flow.bound = fmax(s.bound, s.value);
	flow.rounds = s.rounds;
	*ret = flow;
	return 0;
}
