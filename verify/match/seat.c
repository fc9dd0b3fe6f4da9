/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Classes of twins among the planned switches, and the price of a place.
 *
 * Invariant: w->room is the number of free members of each class, w->seated that of seated switches. Cost: O(E log V)
 * for the classes; O(d) for a price.
 */
#include "config.h"

#include <stdlib.h>

#include "verify/match/assign_parts.h"

/* ---- twins ---- */

static int row_compare(const struct ft_assign *in, uint32_t a, uint32_t b)
{
	const struct ft_multigraph *g = in->planned;
	const struct ft_assign_vertex *x = &in->planned_at[a], *y = &in->planned_at[b];
	uint32_t n = ft_adjacent_count(g, a);

	if (n != ft_adjacent_count(g, b))
		return n < ft_adjacent_count(g, b) ? -1 : 1;
	if (x->may_host != y->may_host)
		return x->may_host ? -1 : 1;
	if (x->ports != y->ports)
		return x->ports < y->ports ? -1 : 1;
	for (uint32_t i = 0; i < n; i++) {
		const struct ft_adjacent *p = &ft_adjacent_of(g, a)[i], *q = &ft_adjacent_of(g, b)[i];

		if (p->vertex != q->vertex)
			return p->vertex < q->vertex ? -1 : 1;
		if (p->count != q->count)
			return p->count < q->count ? -1 : 1;
	}
	return 0;
}

static int twins_compare(const void *a, const void *b, void *arg)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int order = row_compare(arg, x, y);

	return order ? order : FT_ORDER(x, y);
}

void ft_assign_twins_find(struct ft_assign_work *w)
{
	uint32_t count = w->in->planned->count;

	for (uint32_t p = 0; p < count; p++)
		w->members[p] = p;
	qsort_r(w->members, count, sizeof(*w->members), twins_compare, (void *)w->in);
	for (uint32_t i = 0; i < count; i++) {
		if (i == 0 || row_compare(w->in, w->members[i - 1], w->members[i]) != 0)
			w->members_first[w->class_count++] = i;
		w->twin[w->members[i]] = w->class_count - 1;
	}
	w->members_first[w->class_count] = count;
}

/* The free member of a class with hosts nearest to those of @o, the first of equals. At least one is free. */
uint32_t ft_assign_class_member(struct ft_assign_work *w, uint32_t c, uint32_t o)
{
	uint32_t hosts = w->in->observed_at[o].hosts, best = FT_NONE, least = 0;

	for (uint32_t i = w->members_first[c]; i < w->members_first[c + 1]; i++) {
		uint32_t p = w->members[i], apart = ft_number_apart(w->in->planned_at[p].hosts, hosts);

		if (w->origin[p] != FT_NONE || (best != FT_NONE && apart >= least))
			continue;
		best = p;
		least = apart;
		if (apart == 0)
			break;
	}
	w->steps += 2;
	return best;
}

/* ---- the price of a place ---- */

/*
 * The faults of observed switch @o in place @p, counted against its seated neighbours: pairs with missing cables, each
 * surplus cable; ports, hosts and names that do not match. O(neighbours of both).
 */
struct ft_assign_seat ft_assign_seat_price(struct ft_assign_work *w, uint32_t o, uint32_t p)
{
	const struct ft_multigraph *planned = w->in->planned, *observed = w->in->observed;
	const struct ft_assign_vertex *want = &w->in->planned_at[p], *have = &w->in->observed_at[o];
	uint32_t lacking = 0, surplus = 0, hosts = ft_number_apart(want->hosts, have->hosts);
	struct ft_assign_seat seat = {0};

	w->now++;
	w->steps += ft_adjacent_count(planned, p) + ft_adjacent_count(observed, o) + 4UL;
	for (uint32_t i = planned->first[p]; i < planned->first[p + 1]; i++)
		w->width[planned->adjacent[i].vertex] = planned->adjacent[i].count;
	for (uint32_t i = observed->first[o]; i < observed->first[o + 1]; i++) {
		uint32_t q = w->image[observed->adjacent[i].vertex], seen = observed->adjacent[i].count;

		if (q == FT_NONE || q == p)
			continue;
		w->stamp[q] = w->now;
		lacking += seen < w->width[q];
		surplus += seen > w->width[q] ? seen - w->width[q] : 0;
		seat.right += seen < w->width[q] ? seen : w->width[q];
	}
	for (uint32_t i = planned->first[p]; i < planned->first[p + 1]; i++) {
		uint32_t q = planned->adjacent[i].vertex;

		lacking += w->origin[q] != FT_NONE && w->origin[q] != o && w->stamp[q] != w->now;
		seat.row += w->origin[q] != FT_NONE && w->origin[q] != o ? w->width[q] : 0;
		w->width[q] = 0;
	}
	seat.right_hosts = want->hosts < have->hosts ? want->hosts : have->hosts;
	lacking = lacking > have->excused ? lacking - have->excused : 0;
	seat.price = FT_PRICE_FAULT * (lacking + surplus);
	if (!ft_ports_fit(have->ports, want->ports))
		seat.price += FT_PRICE_FAULT;
	seat.price += FT_PRICE_HOST * hosts + (hosts > 0 ? FT_PRICE_UNEVEN : 0);
	/* Each host on a switch that should have none is a fault; losing all hosts is as unlikely. */
	if (!want->may_host)
		seat.price += FT_PRICE_FAULT * have->hosts;
	else if (want->hosts > 0 && have->hosts == 0)
		seat.price += FT_PRICE_FAULT;
	if (w->in->named[o] != FT_NONE && w->in->named[o] != p)
		seat.price += w->misnamed_price;
	return seat;
}

void ft_assign_seat_move(struct ft_assign_work *w, uint32_t o, uint32_t p)
{
	if (w->image[o] != FT_NONE) {
		w->seated--;
		w->origin[w->image[o]] = FT_NONE;
		w->room[w->twin[w->image[o]]]++;
	}
	w->image[o] = p;
	if (p != FT_NONE) {
		w->seated++;
		w->origin[p] = o;
		w->room[w->twin[p]]--;
	}
}

/*
 * The switch is unplanned if it makes more faults in the place than as an unplanned one, where each of its cables is a
 * fault.
 */
bool ft_assign_is_stranger(struct ft_assign_seat seat)
{
	return seat.price > FT_PRICE_FAULT * (2 + (uint64_t)seat.right + seat.right_hosts);
}

/* Cables of @o to seated switches. Cables between two unplanned switches are not counted as faults. */
static uint32_t cables_to_seated(const struct ft_assign_work *w, uint32_t o)
{
	const struct ft_multigraph *g = w->in->observed;
	uint32_t cables = 0;

	for (uint32_t i = g->first[o]; i < g->first[o + 1]; i++)
		cables += w->image[g->adjacent[i].vertex] != FT_NONE ? g->adjacent[i].count : 0;
	return cables;
}

/* A switch with hosts is less likely to be unplanned. */
uint64_t ft_assign_stranger_price(const struct ft_assign_work *w, uint32_t o)
{
	return FT_PRICE_FAULT * (1UL + (w->in->observed_at[o].hosts > 0) + cables_to_seated(w, o));
}
