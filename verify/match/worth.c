/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The value of a whole assignment, to compare it with another: an estimate of the faults in its residual, by connected
 * piece (union-find) from the imbalance of surplus and missing cables at each switch, and the sum of prices. O(E).
 */
#include "config.h"

#include <string.h>

#include "base/numbers.h"
#include "verify/match/assign_parts.h"

uint64_t ft_assign_total_price(struct ft_assign_work *w)
{
	uint64_t sum = 0;

	for (uint32_t o = 0; o < w->in->observed->count; o++) {
		if (w->image[o] == FT_NONE) {
			sum += ft_assign_stranger_price(w, o);
			continue;
		}
		sum += ft_assign_seat_price(w, o, w->image[o]).price;
	}
	return sum + FT_PRICE_FAULT * (w->in->planned->count - w->seated);
}

void ft_assign_seats_clear(struct ft_assign_work *w)
{
	for (uint32_t p = 0; p < w->in->planned->count; p++)
		w->origin[p] = FT_NONE;
	for (uint32_t o = 0; o < w->in->observed->count; o++)
		w->image[o] = FT_NONE;
	for (uint32_t c = 0; c < w->class_count; c++)
		w->room[c] = w->members_first[c + 1] - w->members_first[c];
	w->seated = 0;
}

void ft_assign_seats_copy(struct ft_assign_work *w, const uint32_t *image)
{
	ft_assign_seats_clear(w);
	for (uint32_t o = 0; o < w->in->observed->count; o++)
		if (image[o] != FT_NONE)
			ft_assign_seat_move(w, o, image[o]);
}

/* A price that no explanation can be far below, for the numbers of cables and hosts. */
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
	/* The cables of unseen switches are missing with them. */
	planned -= planned < 2 * unseen * most ? planned : 2 * unseen * most;
	return FT_PRICE_FAULT * (planned > observed ? planned - observed : 0) + FT_PRICE_FAULT * unseen +
	       FT_PRICE_HOST * (p_hosts > o_hosts ? p_hosts - o_hosts : o_hosts - p_hosts);
}

bool ft_assign_is_better(const struct ft_assign_worth *a, const struct ft_assign_worth *b)
{
	if (a->faults != b->faults)
		return a->faults < b->faults;
	return a->moves != b->moves ? a->moves < b->moves : a->price < b->price;
}

bool ft_assign_is_shorter(const struct ft_assign_worth *a, const struct ft_assign_worth *b)
{
	return a->mending != b->mending ? a->mending < b->mending : ft_assign_is_better(a, b);
}

/* A pair with @surplus surplus cables; negative: missing ones. */
static void residual_add(struct ft_assign_work *w, uint32_t p, uint32_t q, int64_t surplus)
{
	uint32_t a = ft_number_root(w->root, p), b = ft_number_root(w->root, q);

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

/* The pairs of @p with later places that differ from the plan. */
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

		if (q == FT_NONE)
			continue;
		w->stamp[q] = w->now;
		if (q > p && seen != w->width[q])
			residual_add(w, p, q, seen - w->width[q]);
	}
	for (uint32_t i = planned->first[p]; i < planned->first[p + 1]; i++) {
		uint32_t q = planned->adjacent[i].vertex;

		if (q > p && w->origin[q] != FT_NONE && w->stamp[q] != w->now)
			residual_add(w, p, q, -(int64_t)planned->adjacent[i].count);
		w->width[q] = 0;
	}
	w->steps += ft_adjacent_count(planned, p) + ft_adjacent_count(observed, o);
}

/*
 * Faults of one connected piece of the residual. An alternating trail takes a surplus and a missing cable at each
 * switch that it passes, so half of the imbalance is the number of open trails: each is a fault, of a moved, a missing
 * or an unplanned cable. The rest is closed trails, swaps, of about three cables each.
 *
 * To mend: a fault of an open trail is one cable to move, a pair that lacks several one fault of so many; a swap of k
 * cables is one fault, and k - 1 to move (steps/placings.h).
 */
static void piece_estimate(const struct ft_assign_work *w, uint32_t p, struct ft_assign_worth *worth)
{
	uint64_t ends = (w->over[p] + w->under[p] + 1) / 2;
	uint64_t open = ends < w->over[p] ? ends : w->over[p];
	uint64_t most = w->surplus[p] + (uint64_t)w->lacking[p];
	/* A pair that lacks several cables is one fault. */
	uint64_t trails = ends < most ? ends : most;
	uint64_t swapped = w->surplus[p] > open ? w->surplus[p] - open : 0;

	worth->faults += (uint32_t)(trails + (swapped + 2) / 3);
	worth->moves += (uint32_t)(ends + swapped);
	worth->mending += (uint32_t)(trails + ends + swapped);
}

/*
 * Unplanned switches next to empty places. A few of them are plausible: dead switches and unplanned ones. Taking most
 * of the fabric for unplanned and unseen would always be cheapest: so each further switch costs as much as its cables.
 */
static uint32_t strangers_estimate(const struct ft_assign_work *w)
{
	uint32_t planned = w->in->planned->count, strange = w->in->observed->count - w->seated;
	uint32_t empty = planned - w->seated, both = strange < empty ? strange : empty, few = 2 + planned / 16;
	uint64_t cables = 0;

	if (both <= few)
		return strange + empty;
	for (uint32_t p = 0; p < planned; p++)
		cables += w->in->planned->degree[p];
	return strange + empty + (uint32_t)((both - few) * cables / planned);
}

/* What is wrong but cables: names, hosts, ports. */
static void seats_estimate(const struct ft_assign_work *w, struct ft_assign_worth *worth)
{
	uint32_t misnamed = 0, hostless = 0, on_core = 0, strange_hosts = 0, unfit = 0;
	bool fewer = false, more = false;

	for (uint32_t o = 0; o < w->in->observed->count; o++) {
		uint32_t p = w->image[o], hosts = w->in->observed_at[o].hosts;

		if (p == FT_NONE) {
			strange_hosts += hosts > 0;
			continue;
		}
		if (w->in->named[o] != FT_NONE && w->in->named[o] != p)
			misnamed += !w->in->names_weak || w->in->names_first;
		on_core += w->in->planned_at[p].may_host ? 0 : hosts;
		unfit += !ft_ports_fit(w->in->observed_at[o].ports, w->in->planned_at[p].ports);
		hostless += w->in->planned_at[p].hosts > 0 && hosts == 0;
		fewer |= hosts < w->in->planned_at[p].hosts;
		more |= w->in->planned_at[p].may_host && hosts > w->in->planned_at[p].hosts;
		worth->uneven += hosts != w->in->planned_at[p].hosts;
	}
	/* Where most do not fit, the plan has the wrong number. */
	unfit = 2 * unfit > w->seated ? 0 : unfit;
	/*
	 * Two switches that are exchanged are one fault; a name that port numbers vote for counts like one of the
	 * design. The case that bit: a core with four of six cables wrong was left out as a stranger, and two pods
	 * exchanged.
	 *
	 * As the price of a seat has it: losing all hosts is as unlikely as a fault. In a tree, where hosts tell the
	 * ranks, it is the placing that spreads the lost ones over more switches that is less likely.
	 */
	worth->faults += (misnamed + 1) / 2 + on_core + strange_hosts + unfit + (w->in->names_weak ? 0 : hostless);
	worth->moves += on_core;
	worth->mending += misnamed + 2 * on_core + (hostless > on_core ? hostless - on_core : 0) + strange_hosts;
	worth->mending += (uint32_t)fewer + more;
}

/* An estimate of the faults that explain the residual. O(E). */
static void faults_estimate(struct ft_assign_work *w, struct ft_assign_worth *worth)
{
	uint32_t count = w->in->planned->count;

	worth->faults = strangers_estimate(w);
	worth->mending = 2 * worth->faults;
	for (uint32_t p = 0; p < count; p++) {
		w->root[p] = p;
		w->surplus[p] = w->lacking[p] = 0;
		w->balance[p] = 0;
		w->over[p] = w->under[p] = 0;
	}
	for (uint32_t p = 0; p < count; p++)
		if (w->origin[p] != FT_NONE)
			residual_take(w, p);
	for (uint32_t p = 0; p < count; p++) {
		uint32_t piece = ft_number_root(w->root, p);

		w->over[piece] += w->balance[p] > 0 ? (uint64_t)w->balance[p] : 0;
		w->under[piece] += w->balance[p] < 0 ? (uint64_t)-w->balance[p] : 0;
	}
	for (uint32_t p = 0; p < count; p++)
		if (w->root[p] == p)
			piece_estimate(w, p, worth);
	seats_estimate(w, worth);
}

struct ft_assign_worth ft_assign_worth_of(struct ft_assign_work *w)
{
	struct ft_assign_worth worth = {0};

	faults_estimate(w, &worth);
	worth.price = ft_assign_total_price(w);
	return worth;
}
