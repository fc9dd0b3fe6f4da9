/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What an assignment as a whole is worth, to hold one against another. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "verify/assign_parts.h"

/* Cables of @o to switches that have places: what two strangers have to each other is nobody's fault. */
static uint32_t cables_to_seated(const struct ft_assign_work *w, uint32_t o)
{
	const struct ft_multigraph *g = w->in->observed;
	uint32_t cables = 0;

	for (uint32_t i = g->first[o]; i < g->first[o + 1]; i++)
		cables += w->image[g->adjacent[i].vertex] != FT_UNASSIGNED ? g->adjacent[i].count : 0;
	return cables;
}

uint64_t ft_assign_total_price(struct ft_assign_work *w)
{
	uint64_t sum = 0, seated = 0;

	for (uint32_t o = 0; o < w->in->observed->count; o++) {
		if (w->image[o] == FT_UNASSIGNED) {
			sum += FT_PRICE_FAULT * (cables_to_seated(w, o) + 1UL);
			continue;
		}
		seated++;
		sum += ft_assign_seat_price(w, o, w->image[o]).price;
	}
	return sum + FT_PRICE_FAULT * (w->in->planned->count - seated);
}

void ft_assign_seats_copy(struct ft_assign_work *w, const uint32_t *image)
{
	memcpy(w->image, image, w->in->observed->count * sizeof(*image));
	for (uint32_t p = 0; p < w->in->planned->count; p++)
		w->origin[p] = FT_UNASSIGNED;
	for (uint32_t c = 0; c < w->class_count; c++)
		w->room[c] = w->members_first[c + 1] - w->members_first[c];
	w->seated = 0;
	for (uint32_t o = 0; o < w->in->observed->count; o++)
		if (image[o] != FT_UNASSIGNED) {
			w->seated++;
			w->origin[image[o]] = o;
			w->room[w->twin[image[o]]]--;
		}
}

/* A price that no explanation can be far below, given how many cables and hosts there are. */
uint64_t ft_assign_price_least(const struct ft_assign_work *w)
{
	uint32_t p_count = w->in->planned->count, o_count = w->in->observed->count;
	uint64_t planned = 0, observed = 0, p_hosts = 0, o_hosts = 0,
		 unseen = p_count > o_count ? p_count - o_count : 0;
	uint32_t most = 0;

	for (uint32_t p = 0; p < p_count; p++) {
		planned += w->in->planned->degree[p];
		p_hosts += w->in->planned_at[p].hosts;
		most = w->in->planned->degree[p] > most ? w->in->planned->degree[p] : most;
	}
	for (uint32_t o = 0; o < o_count; o++) {
		observed += w->in->observed->degree[o];
		o_hosts += w->in->observed_at[o].hosts;
	}
	/* Switches that were not seen take their cables with them. */
	planned -= planned < 2 * unseen * most ? planned : 2 * unseen * most;
	return FT_PRICE_FAULT * (planned > observed ? planned - observed : 0) + FT_PRICE_FAULT * unseen +
	       FT_PRICE_HOST * (p_hosts > o_hosts ? p_hosts - o_hosts : o_hosts - p_hosts);
}

bool ft_assign_is_better(const struct ft_assign_worth *a, const struct ft_assign_worth *b)
{
	return a->faults != b->faults ? a->faults < b->faults : a->price < b->price;
}

static uint32_t root_find(uint32_t *root, uint32_t p)
{
	while (root[p] != p) {
		root[p] = root[root[p]];
		p = root[p];
	}
	return p;
}

/* A pair that has @surplus cables too many, or too few of them where it is negative. */
static void residual_add(struct ft_assign_work *w, uint32_t p, uint32_t q, int64_t surplus)
{
	uint32_t a = root_find(w->root, p), b = root_find(w->root, q);

	w->balance[p] += surplus;
	w->balance[q] += surplus;
	if (a != b) {
		w->root[b] = a;
		w->surplus[a] += w->surplus[b];
		w->lacking[a] += w->lacking[b];
	}
	if (surplus > 0)
		w->surplus[a] += (uint32_t)surplus;
	else
		w->lacking[a]++;
}

/* The pairs of @p with places behind it that are not as planned. */
static void residual_take(struct ft_assign_work *w, uint32_t p)
{
	const struct ft_multigraph *planned = w->in->planned, *observed = w->in->observed;
	uint32_t o = w->origin[p];

	w->now++;
	for (uint32_t i = planned->first[p]; i < planned->first[p + 1]; i++)
		w->width[planned->adjacent[i].vertex] = planned->adjacent[i].count;
	for (uint32_t i = observed->first[o]; i < observed->first[o + 1]; i++) {
		uint32_t q = w->image[observed->adjacent[i].vertex];
		int64_t seen = observed->adjacent[i].count;

		if (q == FT_UNASSIGNED)
			continue;
		w->stamp[q] = w->now;
		if (q > p && seen != w->width[q])
			residual_add(w, p, q, seen - w->width[q]);
	}
	for (uint32_t i = planned->first[p]; i < planned->first[p + 1]; i++) {
		uint32_t q = planned->adjacent[i].vertex;

		if (q > p && w->origin[q] != FT_UNASSIGNED && w->stamp[q] != w->now)
			residual_add(w, p, q, -(int64_t)planned->adjacent[i].count);
		w->width[q] = 0;
	}
	w->steps += peers_of(planned, p) + peers_of(observed, o);
}

/*
 * How many faults explain the difference, about: the residual falls apart into connected pieces. Where every switch of
 * a piece has as many cables too many as too few it is closed trails, swaps, of three cables or so each; else each
 * cable too many has moved, or is unplanned, and each pair that lacks cables beyond these is one fault. O(E).
 */
static uint32_t faults_estimate(struct ft_assign_work *w)
{
	uint32_t count = w->in->planned->count, faults = 0, misnamed = 0;

	for (uint32_t p = 0; p < count; p++) {
		w->root[p] = p;
		w->surplus[p] = w->lacking[p] = 0;
		w->balance[p] = 0;
		w->open[p] = false;
	}
	for (uint32_t p = 0; p < count; p++) {
		if (w->origin[p] == FT_UNASSIGNED) {
			faults++;
			continue;
		}
		residual_take(w, p);
	}
	for (uint32_t p = 0; p < count; p++)
		w->open[root_find(w->root, p)] |= w->balance[p] != 0;
	for (uint32_t p = 0; p < count; p++) {
		if (w->root[p] != p || w->surplus[p] + w->lacking[p] == 0)
			continue;
		if (!w->open[p])
			faults += (w->surplus[p] + 2) / 3;
		else
			faults += w->surplus[p] > w->lacking[p] ? w->surplus[p] : w->lacking[p];
	}
	for (uint32_t o = 0; o < w->in->observed->count; o++) {
		uint32_t p = w->image[o];

		faults += p == FT_UNASSIGNED;
		if (p == FT_UNASSIGNED)
			continue;
		misnamed += !w->in->names_weak && w->in->named[o] != FT_UNASSIGNED && w->in->named[o] != p;
		faults += w->in->planned_at[p].may_host ? 0 : w->in->observed_at[o].hosts;
	}
	return faults + (misnamed + 1) / 2;
}

struct ft_assign_worth ft_assign_worth_of(struct ft_assign_work *w)
{
	return (struct ft_assign_worth){faults_estimate(w), ft_assign_total_price(w)};
}
