/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Multiplicative weights, for demands of all pairs, with all demands of a source at once: L. Fleischer, "Approximating
 * Fractional Multicommodity Flow Independent of the Number of Commodities", 2000. A round routes every demand once;
 * after each source, arcs become longer by what they were loaded with, so that the next sources keep away. By how much
 * shrinks from round to round.
 *
 * Value: any average of rounds routes every demand once, so its greatest load is the inverse of a value. The first
 * rounds are the worst, so averages begin at the rounds 0, 1, 2, 4, 8..., and the best one counts. Each round is also
 * mixed with the best flow in the shares that give the most (M. Frank and P. Wolfe, "An Algorithm for Quadratic
 * Programming", 1956): where few arcs limit all, as when cables are missing from a symmetric network, averages end at
 * some percent.
 * Bound: of any lengths. Those of the rounds are tried, and lengths that fall off exponentially with the load of the
 * best average. Where the network is so regular that all shortest paths share traffic evenly, the latter prove the
 * value of the first round at once: by complementary slackness arcs that are not full have the length 0.
 *
 * Cost: a round is O(vertices * arcs * log vertices), and takes less than that in practice. Some ten rounds reach a gap
 * of 1 % in random networks; those with few bottlenecks take hundreds, or never do.
 */
#include "planner/flow/dense.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

#define LENGTH_LEAST 1e-100 /* of the longest arc: a length is never 0 */
#define BETTER 1e-6	    /* a gain that is worth a copy */
/* The exponent that lengths fall off by: doubled where that bounds better, else less, and then from the top again. */
#define STEEP_FIRST 16.0
#define STEEP_LEAST 4.0
#define STEEP_MOST 64.0
#define STEEP_LESS 2.5

enum {
	AVERAGES_MAX = 32,
	SECTIONS = 30,	  /* of a golden section */
	STEEP_TRIES = 8,  /* one after the other at most */
	TRIALS_FIRST = 8, /* lengths are tried after each of so many rounds, */
	TRIALS_EVERY = 3, /* and then after every so many */
};

#define WORTH 2e-4 /* a gain that is worth another such round */
#define GOLDEN 0.6180339887498949
#define STEEP_SLACK 0.05 /* of the mean length of an arc, likewise as SLACK */
#define RATE 0.5	 /* by so much an arc that is loaded by its capacity grows in the first round; */
#define FALL 0.3	 /* the rate falls as rounds to the power of this */
#define SLACK 0.3	 /* of the mean length of an arc: how much longer a way may be to be used */

/* The sum of the loads of all rounds from one on. */
struct average {
	double *load; /* by arc, as a share of its capacity */
	uint32_t rounds;
};

struct dense {
	struct ft_flow_search *search;
	double *length; /* by arc */
	double *trial;	/* by arc: other lengths */
	double *best;	/* by arc: its load, as a share of its capacity, in the flow with the best value */
	struct average averages[AVERAGES_MAX];
	uint32_t average_count;
	uint32_t rounds, trials;
	double steep;
	double value_last; /* at the last steep rounds, */
	uint32_t rounds_last;
};

static void dense_release(struct dense *d)
{
	free(d->length);
	free(d->trial);
	free(d->best);
	for (uint32_t i = 0; i < d->average_count; i++)
		free(d->averages[i].load);
}

static int dense_make(struct ft_flow_search *search, struct dense *d)
{
	size_t arcs = search->graph.arc_count + 1UL;

	d->search = search;
	d->steep = STEEP_FIRST;
	d->length = calloc(arcs, sizeof(*d->length));
	d->trial = calloc(arcs, sizeof(*d->trial));
	d->best = calloc(arcs, sizeof(*d->best));
	if (!d->length || !d->trial || !d->best)
		return -ENOMEM;
	for (uint32_t k = 0; k < search->graph.arc_count; k++)
		d->length[k] = 1 / search->graph.capacity[k];
	return 0;
}

/* ---- values ---- */

/* @load is the sum of so many rounds. */
static void value_take(struct dense *d, const double *load, uint32_t rounds)
{
	double most = 0;

	for (uint32_t k = 0; k < d->search->graph.arc_count; k++)
		most = fmax(most, load[k]);
	if (rounds / most <= d->search->value * (1 + BETTER))
		return;
	d->search->value = rounds / most;
	for (uint32_t k = 0; k < d->search->graph.arc_count; k++)
		d->best[k] = load[k] / rounds;
}

/* The greatest load of the best flow, but for the share @part of it, which goes as @load says. */
static double most_mixed(const struct dense *d, const double *load, double part)
{
	double most = 0;

	for (uint32_t k = 0; k < d->search->graph.arc_count; k++) {
		double mixed = d->best[k] + part * (load[k] - d->best[k]);

		most = mixed > most ? mixed : most;
	}
	return most;
}

/*
 * The best flow and one more round, in the shares that give the most: the greatest load is convex in them, so a golden
 * section finds its least. This is what ends gaps where few arcs limit all: a round that keeps away from them takes
 * their load away with a small share, and all else stays as it is.
 */
static void value_mix(struct dense *d, const double *load)
{
	double low = 0, high = 1, part;

	for (int i = 0; i < SECTIONS; i++) {
		double a = high - GOLDEN * (high - low), b = low + GOLDEN * (high - low);

		if (most_mixed(d, load, a) <= most_mixed(d, load, b))
			high = b;
		else
			low = a;
	}
	part = (low + high) / 2;
	if (most_mixed(d, load, part) * d->search->value * (1 + BETTER) >= 1)
		return;
	d->search->value = 1 / most_mixed(d, load, part);
	for (uint32_t k = 0; k < d->search->graph.arc_count; k++)
		d->best[k] += part * (load[k] - d->best[k]);
}

static int average_add(struct dense *d)
{
	struct average *average = &d->averages[d->average_count];

	if (d->average_count == AVERAGES_MAX)
		return 0;
	*average = (struct average){.load = calloc(d->search->graph.arc_count + 1UL, sizeof(*average->load))};
	if (!average->load)
		return -ENOMEM;
	d->average_count++;
	return 0;
}

/* Makes loads of the amounts that were carried. */
static const double *loads_make(struct dense *d)
{
	double *load = d->search->carried.amount;

	for (uint32_t k = 0; k < d->search->graph.arc_count; k++)
		load[k] /= d->search->graph.capacity[k];
	return load;
}

static int values_take(struct dense *d)
{
	const double *load = loads_make(d);

	value_take(d, load, 1);
	value_mix(d, load);
	if ((d->rounds & (d->rounds - 1)) == 0 && average_add(d) < 0)
		return -ENOMEM;
	for (uint32_t i = 0; i < d->average_count; i++) {
		struct average *average = &d->averages[i];

		for (uint32_t k = 0; k < d->search->graph.arc_count; k++)
			average->load[k] += load[k];
		value_take(d, average->load, ++average->rounds);
	}
	return 0;
}

/* ---- rounds ---- */

static double slack_of(const struct dense *d)
{
	double sum = 0;

	for (uint32_t k = 0; k < d->search->graph.arc_count; k++)
		sum += d->length[k];
	return SLACK * sum / d->search->graph.arc_count;
}

/* Lengths count relative to each other only, and must not overflow. */
static void lengths_scale(struct dense *d)
{
	double most = 0;

	for (uint32_t k = 0; k < d->search->graph.arc_count; k++)
		most = fmax(most, d->length[k]);
	for (uint32_t k = 0; k < d->search->graph.arc_count; k++)
		d->length[k] = fmax(d->length[k] / most, LENGTH_LEAST);
}

/*
 * Routes every demand once. Lengths only grow during a round: what is summed of distances is no more than it would be
 * by the last lengths, which the bound is taken of.
 */
static int round_run(struct dense *d)
{
	const struct ft_flow_graph *g = &d->search->graph;
	double growth = d->rounds == 0 ? 0 : d->search->value * RATE / pow(d->rounds, FALL);
	double reach = 0, slack = slack_of(d);
	size_t next = 0;
	int r;

	ft_flow_carried_forget(&d->search->carried);
	for (uint32_t source = 0; source < g->vertex_count; source++) {
		uint32_t count = ft_flow_demands_of(d->search->problem, source, d->search->want, &next);

		if (count == 0)
			continue;
		ft_flow_paths_find(&d->search->paths, source, d->length, d->search->want, count);
		reach += ft_flow_paths_reach(&d->search->paths, d->search->want);
		ft_flow_paths_send(&d->search->paths, d->search->want, slack, growth, d->length, &d->search->carried);
	}
	d->search->steps += (uint64_t)g->vertex_count * g->arc_count * FT_FLOW_ROUND_STEPS;
	ft_flow_search_take(d->search, d->length, reach);
	r = values_take(d);
	d->rounds++;
	lengths_scale(d);
	return r;
}

/*
 * One path for each pair: the shortest one by the arcs between the nearest numbers. In grids, whose vertices are
 * numbered one dimension after the other, that is the order of dimensions, which loads all lines of a mesh alike; all
 * shortest paths together meet in its middle, and rounds take hundreds to lead them out of there.
 */
static void straight_try(struct dense *d)
{
	struct ft_flow_search *search = d->search;
	size_t next = 0;

	ft_flow_carried_forget(&search->carried);
	for (uint32_t source = 0; source < search->graph.vertex_count; source++) {
		uint32_t count = ft_flow_demands_of(search->problem, source, search->want, &next);

		if (count == 0)
			continue;
		ft_flow_paths_find(&search->paths, source, d->length, search->want, count);
		ft_flow_paths_send_straight(&search->paths, search->want, d->length, &search->carried);
	}
	search->steps += (uint64_t)search->graph.vertex_count * search->graph.arc_count * FT_FLOW_FIND_STEPS;
	value_take(d, loads_make(d), 1);
}

/* Where a flow is the best there is, the arcs that it fills alone often prove it. */
static void full_try(struct dense *d)
{
	for (uint32_t k = 0; k < d->search->graph.arc_count; k++) {
		bool full = d->best[k] * d->search->value >= 1 - BETTER;

		d->trial[k] = (full ? 1 : LENGTH_LEAST) / d->search->graph.capacity[k];
	}
	ft_flow_search_prove(d->search, d->trial);
}

/* Lengths that follow from the best flow. Returns their mean. */
static double steep_lengths(struct dense *d)
{
	const struct ft_flow_graph *g = &d->search->graph;
	double most = 1 / d->search->value, sum = 0;

	for (uint32_t k = 0; k < g->arc_count; k++) {
		d->trial[k] = fmax(exp(d->steep * (d->best[k] / most - 1)), LENGTH_LEAST) / g->capacity[k];
		sum += d->trial[k];
	}
	return sum / g->arc_count;
}

static void steep_next(struct dense *d, bool is_better)
{
	if (is_better)
		d->steep *= 2;
	else
		d->steep = d->steep > STEEP_LEAST ? d->steep / STEEP_LESS : STEEP_MOST;
}

/*
 * Routes every demand once by steep lengths, along its shortest ways: what they reach bounds, and the flow keeps away
 * from what limits the best one, which is mixed with it.
 */
static void steep_try(struct dense *d)
{
	struct ft_flow_search *search = d->search;
	double slack = STEEP_SLACK * steep_lengths(d), reach = 0;
	size_t next = 0;

	ft_flow_carried_forget(&search->carried);
	for (uint32_t source = 0; source < search->graph.vertex_count; source++) {
		uint32_t count = ft_flow_demands_of(search->problem, source, search->want, &next);

		if (count == 0)
			continue;
		ft_flow_paths_find(&search->paths, source, d->trial, search->want, count);
		reach += ft_flow_paths_reach(&search->paths, search->want);
		ft_flow_paths_send(&search->paths, search->want, slack, 0, d->trial, &search->carried);
	}
	search->steps += (uint64_t)search->graph.vertex_count * search->graph.arc_count * FT_FLOW_ROUND_STEPS;
	value_mix(d, loads_make(d));
	steep_next(d, ft_flow_search_take(search, d->trial, reach));
}

/*
 * As long as each gains more than the other rounds did since the last time: where few arcs limit all, such ones gain
 * more than any others, and where many do, less.
 */
static void steep_repeat(struct dense *d)
{
	double others = (d->search->value - d->value_last) / (d->rounds - d->rounds_last), value;
	int tries = 0;

	do {
		value = d->search->value;
		steep_try(d);
	} while (++tries < STEEP_TRIES && d->search->value > fmax(value * (1 + WORTH), value + others) &&
		 !ft_flow_search_is_enough(d->search) && d->search->steps < d->search->steps_max);
	d->value_last = d->search->value;
	d->rounds_last = d->rounds;
}

/* By turns, but at first the lengths of the rounds have no experience. */
static void bound_improve(struct dense *d)
{
	if (d->rounds > TRIALS_FIRST && d->rounds % TRIALS_EVERY > 0)
		return;
	if (d->trials++ % 2 == 1 && d->rounds > TRIALS_FIRST / 2) {
		ft_flow_search_prove(d->search, d->length);
	} else if (d->rounds > TRIALS_FIRST) {
		steep_repeat(d);
	} else {
		steep_lengths(d);
		steep_next(d, ft_flow_search_prove(d->search, d->trial));
	}
}

int ft_flow_dense_solve(struct ft_flow_search *search, uint32_t rounds_max, uint32_t *ret_rounds)
{
	_cleanup_(dense_release) struct dense d = {0};
	int r = dense_make(search, &d);

	if (r < 0)
		return r;
	do {
		r = round_run(&d);
		if (r < 0)
			return r;
		if (d.rounds == 1 && !ft_flow_search_is_enough(search)) {
			straight_try(&d);
			full_try(&d);
		}
		if (!ft_flow_search_is_enough(search))
			bound_improve(&d);
	} while (!ft_flow_search_is_enough(search) && search->steps < search->steps_max && d.rounds < rounds_max);
	*ret_rounds = d.rounds;
	return 0;
}
