/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What switches look like, which are twins, and what a place costs. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "verify/assign_parts.h"

/* ---- what switches look like ---- */

void ft_assign_looks_take(const struct ft_multigraph *g, const struct ft_assign_vertex *at,
			  struct ft_assign_look *looks)
{
	for (uint32_t v = 0; v < g->count; v++) {
		struct ft_assign_look *look = &looks[v];

		look->at[LOOK_HOSTS] = at[v].hosts;
		look->at[LOOK_PORTS] = at[v].ports;
		look->at[LOOK_CABLES] = g->degree[v];
		look->at[LOOK_PEERS] = peers_of(g, v);
		for (uint32_t i = g->first[v]; i < g->first[v + 1]; i++) {
			uint32_t peer = g->adjacent[i].vertex;

			look->at[LOOK_PEER_HOSTS] += at[peer].hosts;
			look->at[LOOK_PEER_CABLES] += g->degree[peer];
			look->at[LOOK_PEERS_OF_PEERS] += peers_of(g, peer);
		}
	}
}

/* How unlike two switches look, in cables and hosts; far ones count less, for a fault shows up in them as well. */
uint32_t ft_assign_unlikeness(const struct ft_assign_work *w, uint32_t o, uint32_t p)
{
	static const uint32_t weight[FT_ASSIGN_LOOKS] = {
		[LOOK_HOSTS] = 8,      [LOOK_PORTS] = 8,       [LOOK_CABLES] = 8,	  [LOOK_PEERS] = 8,
		[LOOK_PEER_HOSTS] = 1, [LOOK_PEER_CABLES] = 1, [LOOK_PEERS_OF_PEERS] = 1,
	};
	const struct ft_assign_look *a = &w->observed_look[o], *b = &w->planned_look[p];
	uint64_t sum = 0;

	for (unsigned int i = 0; i < FT_ASSIGN_LOOKS; i++)
		sum += (uint64_t)weight[i] * absolute(a->at[i], b->at[i]);
	return sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
}

/* ---- twins ---- */

static int row_compare(const struct ft_assign *in, uint32_t a, uint32_t b)
{
	const struct ft_multigraph *g = in->planned;
	const struct ft_assign_vertex *x = &in->planned_at[a], *y = &in->planned_at[b];
	uint32_t n = peers_of(g, a);

	if (n != peers_of(g, b))
		return n < peers_of(g, b) ? -1 : 1;
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

	return order ? order : (x > y) - (x < y);
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

/* The free member of a class whose hosts are nearest to those of @o, the first of equals. There is one. */
uint32_t ft_assign_class_member(struct ft_assign_work *w, uint32_t c, uint32_t o)
{
	uint32_t hosts = w->in->observed_at[o].hosts, best = FT_UNASSIGNED, least = 0;

	for (uint32_t i = w->members_first[c]; i < w->members_first[c + 1]; i++) {
		uint32_t p = w->members[i], apart = absolute(w->in->planned_at[p].hosts, hosts);

		if (w->origin[p] != FT_UNASSIGNED || (best != FT_UNASSIGNED && apart >= least))
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
 * What observed switch @o makes wrong in place @p, as far as its neighbours have places: pairs with too few cables,
 * each cable too many; ports, hosts and names that do not fit. O(neighbours of both).
 */
struct ft_assign_seat ft_assign_seat_price(struct ft_assign_work *w, uint32_t o, uint32_t p)
{
	const struct ft_multigraph *planned = w->in->planned, *observed = w->in->observed;
	const struct ft_assign_vertex *want = &w->in->planned_at[p], *have = &w->in->observed_at[o];
	uint32_t lacking = 0, surplus = 0, hosts = absolute(want->hosts, have->hosts);
	struct ft_assign_seat seat = {0};

	w->now++;
	w->steps += peers_of(planned, p) + peers_of(observed, o) + 4UL;
	for (uint32_t i = planned->first[p]; i < planned->first[p + 1]; i++)
		w->width[planned->adjacent[i].vertex] = planned->adjacent[i].count;
	for (uint32_t i = observed->first[o]; i < observed->first[o + 1]; i++) {
		uint32_t q = w->image[observed->adjacent[i].vertex], seen = observed->adjacent[i].count;

		if (q == FT_UNASSIGNED || q == p)
			continue;
		w->stamp[q] = w->now;
		lacking += seen < w->width[q];
		surplus += seen > w->width[q] ? seen - w->width[q] : 0;
		seat.right += seen < w->width[q] ? seen : w->width[q];
	}
	for (uint32_t i = planned->first[p]; i < planned->first[p + 1]; i++) {
		uint32_t q = planned->adjacent[i].vertex;

		lacking += w->origin[q] != FT_UNASSIGNED && w->origin[q] != o && w->stamp[q] != w->now;
		seat.row += w->origin[q] != FT_UNASSIGNED && w->origin[q] != o ? w->width[q] : 0;
		w->width[q] = 0;
	}
	seat.right_hosts = want->hosts < have->hosts ? want->hosts : have->hosts;
	lacking = lacking > have->excused ? lacking - have->excused : 0;
	seat.price = FT_PRICE_FAULT * (lacking + surplus);
	/* A switch may have one port more than the plan says: an aggregation node's. */
	if (have->ports != want->ports && have->ports != want->ports + 1)
		seat.price += FT_PRICE_FAULT;
	seat.price += FT_PRICE_HOST * hosts;
	/* Each host on a switch that is for none is a fault; one that has lost all of its hosts is as odd. */
	if (!want->may_host)
		seat.price += FT_PRICE_FAULT * have->hosts;
	else if (want->hosts > 0 && have->hosts == 0)
		seat.price += FT_PRICE_FAULT;
	seat.hostless = want->hosts > 0 && have->hosts == 0;
	if (w->in->named[o] != FT_UNASSIGNED && w->in->named[o] != p)
		seat.price += !w->in->names_weak ? FT_PRICE_MISNAMED : w->in->names_first ? FT_PRICE_VOTED : 1;
	return seat;
}

void ft_assign_seat_move(struct ft_assign_work *w, uint32_t o, uint32_t p)
{
	if (w->image[o] != FT_UNASSIGNED) {
		w->seated--;
		w->origin[w->image[o]] = FT_UNASSIGNED;
		w->room[w->twin[w->image[o]]]++;
	}
	w->image[o] = p;
	if (p != FT_UNASSIGNED) {
		w->seated++;
		w->origin[p] = o;
		w->room[w->twin[p]]--;
	}
}

/*
 * What makes an unplanned switch of it: more faults than it would be, its cables being wrong one by one. One that has
 * no more than half of the cables of its place is the likelier to be a stranger.
 */
bool ft_assign_is_stranger(struct ft_assign_seat seat)
{
	uint64_t wrong = 2 * seat.price + (2 * (uint64_t)seat.right <= seat.row ? FT_PRICE_FAULT : 0);
	uint64_t limit = 2 * FT_PRICE_FAULT * (2 + (uint64_t)seat.right + seat.right_hosts);

	/* Without a single host where some belong it has less to show for itself. */
	return seat.hostless ? wrong >= limit : wrong > limit;
}

/*
 * Where the others have names of their own, one without is taken for a planned switch, renamed, only if most of the
 * cables of the place are its own.
 */
bool ft_assign_is_intruder(const struct ft_assign_work *w, uint32_t o, struct ft_assign_seat seat)
{
	return w->mostly_named && w->in->named[o] == FT_UNASSIGNED && 2 * (uint64_t)seat.right <= seat.row;
}
