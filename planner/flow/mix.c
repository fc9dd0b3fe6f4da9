/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/flow/mix.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

#define STRIDE 1.0	 /* a price changes by no more than e to the power of this in one move */
#define RELAXATION 1.3	 /* of Newton's steps: parts that answer each other by turns settle in fewer sweeps */
#define NEAR 1e-9	 /* levels of costs that differ by less are equal */
#define LENGTH_MOST 8.0	 /* steps are made so many times as long at most: where they are rounding alone, none is */
#define SHARE_LEAST 1e-6 /* less than that is none */
#define PRICE_LEAST 1e-100

enum { RESTS = 2 }; /* so many sweeps pass over a part that has little to gain */

void ft_flow_mix_release(struct ft_flow_mix *mix)
{
	free(mix->parts);
	free(mix->routings);
	free(mix->arcs);
	free(mix->loads);
	free(mix->at);
	free(mix->price);
	free(mix->changed);
}

int ft_flow_mix_make(const struct ft_flow_graph *graph, uint32_t part_count, struct ft_flow_mix *ret)
{
	size_t arcs = graph->arc_count + 1UL;

	*ret = (struct ft_flow_mix){
		.arc_count = graph->arc_count,
		.part_count = part_count,
		.capacity = graph->capacity,
		.parts = calloc(part_count + 1UL, sizeof(*ret->parts)),
		.at = calloc(arcs, sizeof(*ret->at)),
		.price = calloc(arcs, sizeof(*ret->price)),
		.changed = calloc(arcs, sizeof(*ret->changed)),
	};
	if (!ret->parts || !ret->at || !ret->price || !ret->changed)
		return -ENOMEM;
	for (uint32_t part = 0; part < part_count; part++)
		ret->parts[part].head = UINT32_MAX;
	for (uint32_t k = 0; k < graph->arc_count; k++) {
		ret->at[k].weight = 1;
		ret->price[k] = 1 / graph->capacity[k];
	}
	return 0;
}

/* ---- routings ---- */

/* Room for a routing of so many arcs more. */
static int mix_grow(struct ft_flow_mix *mix, size_t arcs)
{
	if (mix->count == mix->room) {
		uint32_t room = 2 * mix->room + 64;
		struct ft_flow_routing *list = reallocarray(mix->routings, room, sizeof(*list));

		if (!list)
			return -ENOMEM;
		mix->routings = list;
		mix->room = room;
	}
	if (mix->used + arcs > mix->arc_room) {
		size_t room = 2 * mix->arc_room + arcs;
		uint32_t *list = reallocarray(mix->arcs, room, sizeof(*list));
		double *loads;

		if (!list)
			return -ENOMEM;
		mix->arcs = list;
		loads = reallocarray(mix->loads, room, sizeof(*loads));
		if (!loads)
			return -ENOMEM;
		mix->loads = loads;
		mix->arc_room = room;
	}
	return 0;
}

int ft_flow_mix_add(struct ft_flow_mix *mix, uint32_t part, const struct ft_flow_carried *carried)
{
	if (mix_grow(mix, carried->count) < 0)
		return -ENOMEM;
	mix->routings[mix->count] = (struct ft_flow_routing){
		.next = mix->parts[part].head,
		.count = carried->count,
		.first = mix->used,
		.share = mix->parts[part].head == UINT32_MAX ? 1 : 0,
	};
	for (uint32_t i = 0; i < carried->count; i++) {
		mix->arcs[mix->used] = carried->arcs[i];
		mix->loads[mix->used++] = carried->amount[carried->arcs[i]] / mix->capacity[carried->arcs[i]];
	}
	mix->parts[part].head = mix->count++;
	return 0;
}

/* @index of @old becomes the last routing of @mix. */
static int routing_keep(const struct ft_flow_mix *old, uint32_t index, struct ft_flow_mix *mix)
{
	const struct ft_flow_routing *from = &old->routings[index];

	if (mix_grow(mix, from->count) < 0)
		return -ENOMEM;
	mix->routings[mix->count] = *from;
	mix->routings[mix->count].first = mix->used;
	mix->routings[mix->count++].next = UINT32_MAX;
	memcpy(mix->arcs + mix->used, old->arcs + from->first, from->count * sizeof(*mix->arcs));
	memcpy(mix->loads + mix->used, old->loads + from->first, from->count * sizeof(*mix->loads));
	mix->used += from->count;
	return 0;
}

/* The two have one list of heads. What is left of shares that are none any more, and rounding, goes to all others. */
static int part_keep(const struct ft_flow_mix *old, uint32_t part, struct ft_flow_mix *mix)
{
	uint32_t last = UINT32_MAX, first = old->parts[part].head;
	double sum = 0;

	mix->parts[part].head = UINT32_MAX;
	for (uint32_t i = first; i != UINT32_MAX; i = old->routings[i].next) {
		if (old->routings[i].share <= SHARE_LEAST)
			continue;
		if (routing_keep(old, i, mix) < 0)
			return -ENOMEM;
		if (last == UINT32_MAX)
			mix->parts[part].head = mix->count - 1;
		else
			mix->routings[last].next = mix->count - 1;
		last = mix->count - 1;
		sum += old->routings[i].share;
	}
	for (uint32_t i = mix->parts[part].head; i != UINT32_MAX; i = mix->routings[i].next)
		mix->routings[i].share /= sum;
	return 0;
}

/* The routings of a part come to stand one after the other, which sweeps are faster for. */
int ft_flow_mix_clean(struct ft_flow_mix *mix)
{
	struct ft_flow_mix old = *mix;
	int r = 0;

	mix->routings = NULL;
	mix->arcs = NULL;
	mix->loads = NULL;
	mix->count = mix->room = 0;
	mix->used = mix->arc_room = 0;
	for (uint32_t part = 0; r >= 0 && part < mix->part_count; part++)
		r = part_keep(&old, part, mix);
	free(old.routings);
	free(old.arcs);
	free(old.loads);
	return r;
}

/* ---- loads and prices ---- */

static void price_set(struct ft_flow_mix *mix, uint32_t arc)
{
	double weight = exp(mix->steep * (mix->at[arc].load / mix->most - 1));

	mix->at[arc].weight = weight > PRICE_LEAST ? weight : PRICE_LEAST;
	mix->price[arc] = mix->at[arc].weight / mix->capacity[arc];
}

void ft_flow_mix_add_up(struct ft_flow_mix *mix, double steep)
{
	for (uint32_t k = 0; k < mix->arc_count; k++)
		mix->at[k].load = 0;
	for (uint32_t i = 0; i < mix->count; i++) {
		const struct ft_flow_routing *routing = &mix->routings[i];

		for (size_t k = routing->first; k < routing->first + routing->count; k++)
			mix->at[mix->arcs[k]].load += routing->share * mix->loads[k];
	}
	mix->most = 0;
	for (uint32_t k = 0; k < mix->arc_count; k++)
		mix->most = fmax(mix->most, mix->at[k].load);
	mix->steep = steep;
	for (uint32_t k = 0; k < mix->arc_count; k++)
		price_set(mix, k);
	mix->steps += mix->used + mix->arc_count;
}

/* Its cost, and how that grows with its share, were it alone in that. */
static void routing_look(struct ft_flow_mix *mix, struct ft_flow_routing *routing)
{
	double cost = 0, bend = 0;

	for (size_t k = routing->first; k < routing->first + routing->count; k++) {
		double pays = mix->at[mix->arcs[k]].weight * mix->loads[k];

		cost += pays;
		bend += pays * mix->loads[k];
	}
	mix->steps += routing->count;
	routing->cost = cost;
	routing->bend = bend * mix->steep / mix->most;
}

double ft_flow_mix_cost(struct ft_flow_mix *mix, uint32_t part)
{
	double cost = 0;

	for (uint32_t i = mix->parts[part].head; i != UINT32_MAX; i = mix->routings[i].next) {
		routing_look(mix, &mix->routings[i]);
		cost += mix->routings[i].share * mix->routings[i].cost;
	}
	return cost;
}

/* ---- moves ---- */

/* What brings its cost to @level. Less than it has is all that it can give. */
static double step_of(const struct ft_flow_routing *routing, double level)
{
	double step = (level - routing->cost) / routing->bend;

	return routing->share + step > SHARE_LEAST || step > 0 ? step : -routing->share;
}

/*
 * The level at which the steps of all add up to nothing. Invariant: it falls, as each that gives all it has gives less
 * than it was reckoned with; so no more passes than routings are needed, and mostly three.
 */
static double level_find(const struct ft_flow_mix *mix, uint32_t part)
{
	double level = INFINITY;

	for (;;) {
		double sum = 0, weight = 0, last = level;

		for (uint32_t i = mix->parts[part].head; i != UINT32_MAX; i = mix->routings[i].next) {
			const struct ft_flow_routing *routing = &mix->routings[i];

			if (!isinf(last) && step_of(routing, last) <= -routing->share) {
				sum += routing->share;
				continue;
			}
			sum += routing->cost / routing->bend;
			weight += 1 / routing->bend;
		}
		level = sum / weight;
		if (!(level < last * (1 - NEAR)))
			return level;
	}
}

/* By arc, what a whole step changes. */
static void changes_add(struct ft_flow_mix *mix, const struct ft_flow_routing *routing)
{
	for (size_t k = routing->first; k < routing->first + routing->count; k++) {
		struct ft_flow_mix_arc *at = &mix->at[mix->arcs[k]];

		if (!at->is_changed) {
			at->is_changed = true;
			mix->changed[mix->changed_count++] = mix->arcs[k];
		}
		at->change += routing->step * mix->loads[k];
	}
	mix->steps += routing->count;
}

/*
 * The length of the step, by Newton's method along it: what it saves is its first derivative, and the second one what
 * that falls by on all arcs together. No share falls below 0.
 */
static double length_of(const struct ft_flow_mix *mix, uint32_t part)
{
	double saves = 0, bend = 0, most = 0, length = LENGTH_MOST;

	for (uint32_t i = mix->parts[part].head; i != UINT32_MAX; i = mix->routings[i].next) {
		const struct ft_flow_routing *routing = &mix->routings[i];

		saves -= routing->cost * routing->step;
		if (routing->step < 0)
			length = fmin(length, routing->share / -routing->step);
	}
	for (uint32_t i = 0; i < mix->changed_count; i++) {
		const struct ft_flow_mix_arc *at = &mix->at[mix->changed[i]];

		bend += at->weight * at->change * at->change;
		most = fmax(most, fabs(at->change));
	}
	if (saves <= 0 || bend <= 0)
		return 0;
	return fmin(length, mix->most / mix->steep * fmin(RELAXATION * saves / bend, STRIDE / most));
}

static void changes_make(struct ft_flow_mix *mix, double length)
{
	for (uint32_t i = 0; i < mix->changed_count; i++) {
		uint32_t arc = mix->changed[i];

		mix->at[arc].load += length * mix->at[arc].change;
		price_set(mix, arc);
		mix->at[arc].change = 0;
		mix->at[arc].is_changed = false;
	}
	mix->steps += 4UL * mix->changed_count; /* an exponential takes longer than a look */
	mix->changed_count = 0;
}

/*
 * After ft_flow_mix_cost() of @part: brings the costs of all its routings to one level, by a step of Newton's method in
 * all of them at once. Its direction is that of routings that have no arc in common. To move shares from each to the
 * cheapest alone leaves that one as the dearest, and the costs end at some percent about their mean, however often that
 * is done.
 */
static void part_move(struct ft_flow_mix *mix, uint32_t part)
{
	double level, length;

	level = level_find(mix, part);
	for (uint32_t i = mix->parts[part].head; i != UINT32_MAX; i = mix->routings[i].next) {
		mix->routings[i].step = step_of(&mix->routings[i], level);
		if (mix->routings[i].step > 0 || mix->routings[i].step < 0)
			changes_add(mix, &mix->routings[i]);
	}
	length = length_of(mix, part);
	for (uint32_t i = mix->parts[part].head; i != UINT32_MAX; i = mix->routings[i].next)
		mix->routings[i].share = fmax(mix->routings[i].share + length * mix->routings[i].step, 0);
	changes_make(mix, length);
}

static double least_cost(const struct ft_flow_mix *mix, uint32_t part)
{
	double least = INFINITY;

	for (uint32_t i = mix->parts[part].head; i != UINT32_MAX; i = mix->routings[i].next)
		least = fmin(least, mix->routings[i].cost);
	return least;
}

/* Returns whether there is anything to gain for @part by the routings that it has, and whether that is worth a move. */
static bool part_look(struct ft_flow_mix *mix, uint32_t part, double little)
{
	struct ft_flow_part *p = &mix->parts[part];

	if (p->head == UINT32_MAX)
		return false;
	p->paid = ft_flow_mix_cost(mix, part);
	p->saves = p->paid - least_cost(mix, part);
	return mix->routings[p->head].next != UINT32_MAX && p->saves > little * p->paid;
}

void ft_flow_mix_balance(struct ft_flow_mix *mix, uint32_t part)
{
	if (part_look(mix, part, 0))
		part_move(mix, part);
}

double ft_flow_mix_sweep(struct ft_flow_mix *mix, double little)
{
	double cost = 0, gain = 0;

	for (uint32_t i = 0; i < mix->part_count; i++) {
		struct ft_flow_part *part = &mix->parts[i];

		if (little > 0 && part->rests > 0) {
			part->rests--;
		} else if (part_look(mix, i, little)) {
			part->rests = 0;
			part_move(mix, i);
		} else {
			part->rests = RESTS;
		}
		cost += part->paid;
		gain += part->saves;
	}
	return cost > 0 ? gain / cost : 0;
}
