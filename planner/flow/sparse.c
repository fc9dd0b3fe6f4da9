/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Column generation under exponential prices, for demands of few pairs. Each demand is carried by a mix of routings
 * (mix.h). An arc has a price that grows exponentially with its load; a flow in which no demand could pay less is as
 * good as the prices are steep. Sources: D. Bienstock, "Potential Function Methods for Approximately Solving Linear
 * Programming Problems", 2002, for the prices; D. Bertsekas and E. Gafni, "Projection Methods for Variational
 * Inequalities with Application to the Traffic Assignment Problem", 1982, for the way that shares move.
 *
 * A round searches the shortest ways by the prices from every source, and gives each demand those that are cheaper than
 * what it uses. Then all demands bring the costs of their routings to one level, until little is gained by that. Prices
 * become steeper when nearly all has been found that there is at the present ones: too steep at the beginning, and ways
 * round what is loaded lead everywhere. Ways are not searched by steeper prices before shares have settled by them.
 *
 * Value: the mix routes every demand once, so its greatest load is the inverse of a value.
 * Bound: of any lengths, so of the prices. Single ones waver as demands move by turns; their running mean bounds
 * better, because the distance by a mean of lengths is no less than the mean of the distances.
 *
 * Multiplicative weights (dense.c) need no memory of routings, but move a whole demand at a time, and end at gaps of 10
 * to 60 % where each switch of a Slim Fly or dragonfly sends all to one other. The demands of all pairs of many
 * switches have too many routings for this file (flow.c).
 *
 * Cost: a round is O(vertices * arcs * log vertices) for the searches and, for the moves, up to 100 times the arcs of
 * all routings: with shares that are not settled the next ways are badly chosen, and gaps end at twice as much. How far
 * they must be settled follows from what ways still save: early rounds need ten sweeps. Some 10 to 30 rounds reach a
 * gap of 1 %. The value alone would like steeper prices than ways and bounds do, and is polished by such at the end.
 */
#include "planner/flow/sparse.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "planner/flow/mix.h"

#define STEEP_FIRST 4.0
#define STEEP_MORE 2.0	 /* prices become so many times as steep */
#define STAGNATION 0.97	 /* they do if ways save more than this share of what those of the last round did, */
#define LINGER 3	 /* but not in so many rounds, */
#define FINE 4		 /* and not if they already tell loads by the wanted gap over this */
#define GAIN_LEAST 1e-4	 /* demands move until this share of what they pay would be gained by it, */
#define SETTLED 0.2	 /* or this share of what the ways of the last round saved */
#define LITTLE 0.5	 /* a demand rests where it gains less than this share of what all do */
#define STEEP_POLISH 4.0 /* prices of a polish are so many times as steep */
#define WORTH 1e-3	 /* a way is worth a routing if it is by this share cheaper than what the demand pays, */
#define WORTH_OTHERS 0.2 /* and other ways if they save all but this share of what it saves */
#define SLACK 1e-6	 /* a way of the first round is as short as the shortest, but for rounding */
#define MEMORY 0.1	 /* weight of the last prices in their mean */

enum {
	SWEEPS_MAX = 100,
	SWEEPS_RAISED = 32, /* where prices became steeper */
	SWEEPS_POLISH = 12,
	SWEEPS_EACH = 4,  /* loads are added up after so many */
	PROOFS_FIRST = 4, /* a bound is searched after each of so many rounds, */
	PROOFS_EVERY = 4, /* then after every so many, and when what is still to be gained */
	PROOFS_NEAR = 5,  /* seems less than so many times the gap */
};

struct sparse {
	struct ft_flow_search *search;
	struct ft_flow_mix mix;
	double *mean; /* by arc: the mean of prices */
	uint32_t rounds, sweeps;
	uint32_t raised; /* the round of which prices became steeper */
	double steep;
	double soft;		  /* the share of the greatest load that prices do not tell from a mean one */
	double saved, saved_last; /* the share of all costs that the ways of the last round save, and of that before */
};

static void sparse_release(struct sparse *s)
{
	ft_flow_mix_release(&s->mix);
	free(s->mean);
}

static int sparse_make(struct ft_flow_search *search, struct sparse *s)
{
	int r;

	s->search = search;
	s->steep = STEEP_FIRST;
	if (search->problem->demand_count >= UINT32_MAX)
		return -ENOMEM;
	r = ft_flow_mix_make(&search->graph, (uint32_t)search->problem->demand_count, &s->mix);
	if (r < 0)
		return r;
	s->mean = calloc(search->graph.arc_count + 1UL, sizeof(*s->mean));
	return s->mean ? 0 : -ENOMEM;
}

/* ---- rounds ---- */

/* What is carried becomes a routing of @part. */
static int carried_offer(struct sparse *s, uint32_t part)
{
	int r = ft_flow_mix_add(&s->mix, part, &s->search->carried);

	ft_flow_carried_forget(&s->search->carried);
	return r;
}

/* What a round has seen of the costs of all parts. */
struct costs {
	double paid, least;
};

/*
 * The demand at @index of the list, from the source last searched from: its ways over each neighbour of its
 * destination, as far as they are worth it.
 */
static int demand_offer(struct sparse *s, size_t index, struct costs *costs)
{
	const struct ft_flow_demand *demand = &s->search->problem->demands[index];
	const struct ft_flow_graph *g = &s->search->graph;
	uint32_t part = (uint32_t)index;
	double paid = ft_flow_mix_cost(&s->mix, part), least = demand->amount * s->search->paths.distance[demand->to],
	       most;

	costs->paid += paid;
	costs->least += least;
	if (least >= paid * (1 - WORTH))
		return 0;
	most = least + (paid - least) * WORTH_OTHERS;
	for (uint32_t i = g->in_first[demand->to]; i < g->in_first[demand->to + 1]; i++) {
		uint32_t last = g->in[i], from = g->from[last];
		int r;

		if (!ft_flow_paths_before(&s->search->paths, from, demand->to) ||
		    demand->amount * (s->search->paths.distance[from] + s->mix.price[last]) > most)
			continue;
		ft_flow_paths_walk(&s->search->paths, last, demand->amount, &s->search->carried);
		r = carried_offer(s, part);
		if (r < 0)
			return r;
	}
	ft_flow_mix_balance(&s->mix, part);
	return 0;
}

/* The demands of the list from @begin to @end, which are of the source last searched from. */
static int demands_offer(struct sparse *s, uint32_t source, size_t begin, size_t end, struct costs *costs)
{
	for (size_t i = begin; i < end; i++) {
		const struct ft_flow_demand *demand = &s->search->problem->demands[i];
		int r;

		if (demand->to == source || demand->amount <= 0)
			continue;
		if (s->rounds > 0) {
			r = demand_offer(s, i, costs);
		} else {
			ft_flow_paths_send_one(&s->search->paths, demand->to, demand->amount,
					       SLACK * s->search->paths.distance[demand->to], s->mix.price,
					       &s->search->carried);
			r = carried_offer(s, (uint32_t)i);
		}
		if (r < 0)
			return r;
	}
	return 0;
}

/* Gives every demand new ways, and moves it to them at once, so that the next ones see what it has done. */
static int round_run(struct sparse *s)
{
	const struct ft_flow_graph *g = &s->search->graph;
	struct costs costs = {0};
	size_t next = 0;

	for (uint32_t source = 0; source < g->vertex_count; source++) {
		size_t begin = next;
		uint32_t count = ft_flow_demands_of(s->search->problem, source, s->search->want, &next);
		int r;

		if (count == 0)
			continue;
		ft_flow_paths_find(&s->search->paths, source, s->mix.price, s->search->want, count);
		r = demands_offer(s, source, begin, next, &costs);
		if (r < 0)
			return r;
		s->search->steps += (uint64_t)g->arc_count * FT_FLOW_FIND_STEPS;
	}
	s->saved_last = s->saved;
	s->saved = s->rounds > 0 ? 1 - costs.least / costs.paid : 0;
	s->rounds++;
	return 0;
}

/* ---- values ---- */

static void value_take(struct sparse *s)
{
	ft_flow_mix_add_up(&s->mix, s->steep);
	s->search->value = fmax(s->search->value, 1 / s->mix.most);
}

static void mean_take(struct sparse *s)
{
	double weight = fmax(MEMORY, 1.0 / ++s->sweeps), volume = ft_flow_search_volume(s->search, s->mix.price);

	for (uint32_t k = 0; k < s->search->graph.arc_count; k++)
		s->mean[k] += weight * (s->mix.price[k] / volume - s->mean[k]);
}

static int settle(struct sparse *s, int sweeps_max)
{
	double mean = 0, gain = 0;
	int r;

	value_take(s);
	mean_take(s);
	for (int i = 0; i < sweeps_max; i++) {
		gain = ft_flow_mix_sweep(&s->mix, LITTLE * gain);
		if (i % SWEEPS_EACH > 0 && i + 1 < sweeps_max && gain >= GAIN_LEAST)
			continue;
		value_take(s);
		mean_take(s);
		if (gain < GAIN_LEAST || (i > 0 && gain < SETTLED * s->saved))
			break;
	}
	r = ft_flow_mix_clean(&s->mix);
	for (uint32_t k = 0; k < s->search->graph.arc_count; k++)
		mean += s->mix.at[k].weight * s->mix.at[k].load;
	s->soft = 1 - mean / ft_flow_search_volume(s->search, s->mix.price) / s->mix.most;
	return r;
}

/*
 * By prices so much steeper a few sweeps give most of the value that soft ones hold back, but ways and bounds by them
 * are bad. So the shares are put back afterwards.
 */
static int value_polish(struct sparse *s)
{
	_cleanup_free_ double *shares = calloc(s->mix.count + 1UL, sizeof(*shares));

	if (!shares)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->mix.count; i++)
		shares[i] = s->mix.routings[i].share;
	for (int i = 0; i < SWEEPS_POLISH && !ft_flow_search_is_enough(s->search); i += SWEEPS_EACH) {
		ft_flow_mix_add_up(&s->mix, s->steep * STEEP_POLISH);
		for (int k = 0; k < SWEEPS_EACH; k++)
			ft_flow_mix_sweep(&s->mix, 0);
		ft_flow_mix_add_up(&s->mix, s->steep * STEEP_POLISH);
		s->search->value = fmax(s->search->value, 1 / s->mix.most);
	}
	for (uint32_t i = 0; i < s->mix.count; i++)
		s->mix.routings[i].share = shares[i];
	ft_flow_mix_add_up(&s->mix, s->steep);
	return 0;
}

/* ---- bounds ---- */

static bool is_bound_due(const struct sparse *s)
{
	return s->rounds <= PROOFS_FIRST || s->rounds % PROOFS_EVERY == 0 ||
	       s->soft + s->saved < PROOFS_NEAR * s->search->problem->gap;
}

/* Whether the value would do if all that the prices hold back were added. */
static bool is_value_near(const struct sparse *s)
{
	return s->search->value * (1 + s->soft) > s->search->bound * (1 - s->search->problem->gap);
}

/* Whether little more is to be found at these prices. */
static bool are_prices_too_flat(const struct sparse *s)
{
	return s->soft * FINE > s->search->problem->gap &&
	       (s->soft > s->saved || (s->rounds > s->raised + LINGER && s->saved > STAGNATION * s->saved_last));
}

static int prices_raise(struct sparse *s)
{
	s->steep *= STEEP_MORE;
	s->raised = s->rounds;
	return settle(s, SWEEPS_RAISED);
}

int ft_flow_sparse_solve(struct ft_flow_search *search, uint32_t *ret_rounds)
{
	_cleanup_(sparse_release) struct sparse s = {0};
	int r = sparse_make(search, &s);

	if (r < 0)
		return r;
	ft_flow_search_prove(search, s.mix.price);
	do {
		r = round_run(&s);
		if (r >= 0)
			r = settle(&s, SWEEPS_MAX);
		if (r < 0)
			return r;
		if (!ft_flow_search_is_enough(search) && is_bound_due(&s))
			ft_flow_search_prove(search, s.mean);
		if (!ft_flow_search_is_enough(search) && is_value_near(&s))
			r = value_polish(&s);
		if (r >= 0 && !ft_flow_search_is_enough(search) && are_prices_too_flat(&s))
			r = prices_raise(&s);
		if (r < 0)
			return r;
	} while (!ft_flow_search_is_enough(search) && search->steps + s.mix.steps < search->steps_max);
	*ret_rounds = s.rounds;
	return 0;
}
