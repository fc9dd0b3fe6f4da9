/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/flow/mix.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

#define STRIDE 1.0	 /* a price changes by no more than e to the power of this in one move */
#define DAMPING 0.6	 /* of moves: many parts answer the same prices */
#define NEAR 1e-4	 /* costs that differ by less are equal: nothing is moved */
#define SHARE_LEAST 1e-6 /* less than that is none */
#define PRICE_LEAST 1e-100

void ft_flow_mix_release(struct ft_flow_mix *mix)
{
	free(mix->head);
	free(mix->routings);
	free(mix->arcs);
	free(mix->amounts);
	free(mix->load);
	free(mix->price);
	free(mix->other);
}

int ft_flow_mix_make(const struct ft_flow_graph *graph, uint32_t part_count, struct ft_flow_mix *ret)
{
	size_t arcs = graph->arc_count + 1UL;

	*ret = (struct ft_flow_mix){
		.arc_count = graph->arc_count,
		.part_count = part_count,
		.capacity = graph->capacity,
		.head = calloc(part_count + 1UL, sizeof(*ret->head)),
		.load = calloc(arcs, sizeof(*ret->load)),
		.price = calloc(arcs, sizeof(*ret->price)),
		.other = calloc(arcs, sizeof(*ret->other)),
	};
	if (!ret->head || !ret->load || !ret->price || !ret->other)
		return -ENOMEM;
	memset(ret->head, 0xff, (part_count + 1UL) * sizeof(*ret->head));
	for (uint32_t k = 0; k < graph->arc_count; k++)
		ret->price[k] = 1 / graph->capacity[k];
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
		double *amounts;

		if (!list)
			return -ENOMEM;
		mix->arcs = list;
		amounts = reallocarray(mix->amounts, room, sizeof(*amounts));
		if (!amounts)
			return -ENOMEM;
		mix->amounts = amounts;
		mix->arc_room = room;
	}
	return 0;
}

int ft_flow_mix_add(struct ft_flow_mix *mix, uint32_t part, const struct ft_flow_carried *carried)
{
	if (mix_grow(mix, carried->count) < 0)
		return -ENOMEM;
	mix->routings[mix->count] = (struct ft_flow_routing){
		.next = mix->head[part],
		.count = carried->count,
		.first = mix->used,
		.share = mix->head[part] == UINT32_MAX ? 1 : 0,
	};
	for (uint32_t i = 0; i < carried->count; i++) {
		mix->arcs[mix->used] = carried->arcs[i];
		mix->amounts[mix->used++] = carried->amount[carried->arcs[i]];
	}
	mix->head[part] = mix->count++;
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
	memcpy(mix->amounts + mix->used, old->amounts + from->first, from->count * sizeof(*mix->amounts));
	mix->used += from->count;
	return 0;
}

/* The two have one list of heads. */
static int part_keep(const struct ft_flow_mix *old, uint32_t part, struct ft_flow_mix *mix)
{
	uint32_t last = UINT32_MAX, first = old->head[part];

	mix->head[part] = UINT32_MAX;
	for (uint32_t i = first; i != UINT32_MAX; i = old->routings[i].next) {
		if (old->routings[i].share <= 0)
			continue;
		if (routing_keep(old, i, mix) < 0)
			return -ENOMEM;
		if (last == UINT32_MAX)
			mix->head[part] = mix->count - 1;
		else
			mix->routings[last].next = mix->count - 1;
		last = mix->count - 1;
	}
	return 0;
}

/* The routings of a part come to stand one after the other, which sweeps are faster for. */
int ft_flow_mix_clean(struct ft_flow_mix *mix)
{
	struct ft_flow_mix old = *mix;
	int r = 0;

	mix->routings = NULL;
	mix->arcs = NULL;
	mix->amounts = NULL;
	mix->count = mix->room = 0;
	mix->used = mix->arc_room = 0;
	for (uint32_t part = 0; r >= 0 && part < mix->part_count; part++)
		r = part_keep(&old, part, mix);
	free(old.routings);
	free(old.arcs);
	free(old.amounts);
	return r;
}

/* ---- loads and prices ---- */

static void price_set(struct ft_flow_mix *mix, uint32_t arc)
{
	double price = exp(mix->steep * (mix->load[arc] / mix->most - 1));

	mix->price[arc] = (price > PRICE_LEAST ? price : PRICE_LEAST) / mix->capacity[arc];
}

void ft_flow_mix_add_up(struct ft_flow_mix *mix, double steep)
{
	memset(mix->load, 0, (mix->arc_count + 1UL) * sizeof(*mix->load));
	for (uint32_t i = 0; i < mix->count; i++) {
		const struct ft_flow_routing *routing = &mix->routings[i];

		for (size_t k = routing->first; k < routing->first + routing->count; k++)
			mix->load[mix->arcs[k]] += routing->share * mix->amounts[k];
	}
	mix->most = 0;
	for (uint32_t k = 0; k < mix->arc_count; k++) {
		mix->load[k] /= mix->capacity[k];
		mix->most = fmax(mix->most, mix->load[k]);
	}
	mix->steep = steep;
	for (uint32_t k = 0; k < mix->arc_count; k++)
		price_set(mix, k);
	mix->steps += mix->used + mix->arc_count;
}

static double routing_cost(struct ft_flow_mix *mix, struct ft_flow_routing *routing)
{
	double cost = 0;

	for (size_t k = routing->first; k < routing->first + routing->count; k++)
		cost += mix->price[mix->arcs[k]] * mix->amounts[k];
	mix->steps += routing->count;
	routing->cost = cost;
	return cost;
}

double ft_flow_mix_cost(struct ft_flow_mix *mix, uint32_t part)
{
	double cost = 0;

	for (uint32_t i = mix->head[part]; i != UINT32_MAX; i = mix->routings[i].next)
		cost += mix->routings[i].share * routing_cost(mix, &mix->routings[i]);
	return cost;
}

/* ---- moves ---- */

static void other_set(struct ft_flow_mix *mix, const struct ft_flow_routing *routing, bool there)
{
	for (size_t k = routing->first; k < routing->first + routing->count; k++)
		mix->other[mix->arcs[k]] = there ? mix->amounts[k] : 0;
}

static void shift(struct ft_flow_mix *mix, struct ft_flow_routing *routing, double share)
{
	routing->share += share;
	for (size_t k = routing->first; k < routing->first + routing->count; k++) {
		uint32_t arc = mix->arcs[k];

		mix->load[arc] += share * mix->amounts[k] / mix->capacity[arc];
		price_set(mix, arc);
	}
	mix->steps += 4 * routing->count; /* an exponential takes longer than a look */
}

/*
 * A step of Newton's method from @from to @to, whose amounts are in @other, along the sum of all prices: its first
 * derivative is the difference of the costs, and the second one what that falls by.
 */
static void move(struct ft_flow_mix *mix, struct ft_flow_routing *from, struct ft_flow_routing *to)
{
	double fall = 0, most = 0, share;

	for (size_t k = to->first; k < to->first + to->count; k++) {
		uint32_t arc = mix->arcs[k];
		double load = mix->amounts[k] / mix->capacity[arc];

		fall += mix->price[arc] * mix->amounts[k] * load;
		if (load > most)
			most = load;
	}
	for (size_t k = from->first; k < from->first + from->count; k++) {
		uint32_t arc = mix->arcs[k];
		double other = mix->other[arc], less = mix->amounts[k] - other;

		fall += mix->price[arc] * (less * less - other * other) / mix->capacity[arc];
		if (less > most * mix->capacity[arc])
			most = less / mix->capacity[arc];
	}
	mix->steps += from->count + to->count;
	share = STRIDE / most;
	if (fall > 0)
		share = fmin(share, DAMPING * (from->cost - to->cost) / fall);
	share *= mix->most / mix->steep;
	if (share > from->share - SHARE_LEAST)
		share = from->share;
	shift(mix, from, -share);
	shift(mix, to, share);
}

static struct ft_flow_routing *cheapest(struct ft_flow_mix *mix, uint32_t part)
{
	struct ft_flow_routing *best = NULL;

	for (uint32_t i = mix->head[part]; i != UINT32_MAX; i = mix->routings[i].next)
		if (!best || mix->routings[i].cost < best->cost)
			best = &mix->routings[i];
	return best;
}

/* After ft_flow_mix_cost() of @part. */
static void part_move(struct ft_flow_mix *mix, uint32_t part, struct ft_flow_routing *to)
{
	other_set(mix, to, true);
	for (uint32_t i = mix->head[part]; i != UINT32_MAX; i = mix->routings[i].next) {
		struct ft_flow_routing *from = &mix->routings[i];

		if (from == to || from->share <= 0 || from->cost <= to->cost * (1 + NEAR))
			continue;
		/* The last move has changed them. */
		if (routing_cost(mix, from) > routing_cost(mix, to))
			move(mix, from, to);
	}
	other_set(mix, to, false);
}

/* Returns what @part pays, and adds what it could save by the routings that it has. */
static double part_balance(struct ft_flow_mix *mix, uint32_t part, double *gain)
{
	double cost = ft_flow_mix_cost(mix, part);
	struct ft_flow_routing *to = cheapest(mix, part);

	if (!to)
		return 0;
	*gain += cost - to->cost;
	if (mix->routings[mix->head[part]].next != UINT32_MAX)
		part_move(mix, part, to);
	return cost;
}

void ft_flow_mix_balance(struct ft_flow_mix *mix, uint32_t part)
{
	double gain = 0;

	part_balance(mix, part, &gain);
}

double ft_flow_mix_sweep(struct ft_flow_mix *mix)
{
	double cost = 0, gain = 0;

	for (uint32_t part = 0; part < mix->part_count; part++)
		cost += part_balance(mix, part, &gain);
	return cost > 0 ? gain / cost : 0;
}
