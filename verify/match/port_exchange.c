/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Local search over ports. Once all switches have places, each cable says more: the port at its far end belongs to one
 * planned cable, which identifies the switch at the near end. Structurally equal switches exchange places if that puts
 * more cables and listed hosts into their ports. Names and bindings prevent that, unless whole switches are exchanged:
 * that is one fault, instead of one for each pair of their cables.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verify/match/match.h"

struct settling {
	struct ft_model *m;
	uint32_t *wants; /* by live switch: a place that explains more of its cables than its own, or FT_NONE */
	uint32_t *gain;	 /* by live switch: how many more cables and hosts */
	uint32_t *all;	 /* by live switch: all its cables and hosts */
	bool *weak;	 /* by live switch: too few votes to move alone; but none are for its own place */
	uint32_t *ring;	 /* scratch: live switches of a cycle */
	uint32_t *mark;	 /* by live switch: the number of the last walk that visited it */
	struct ft_arena memory;
};

static uint32_t place_of(const struct settling *s, uint32_t live)
{
	return s->m->live.switches[live].planned;
}

/*
 * The place of @live at which the cable would be in its ports, if its port, where given, and that of the far end agree.
 * Else FT_NONE.
 */
static uint32_t cable_says(const struct ft_model *m, uint32_t live, const struct ft_live_cable *c)
{
	uint32_t far = ft_cable_far(c, live), there = m->live.switches[far].planned, cable, port;
	const struct ft_plan_cable *planned;

	if (far == live || there == FT_NONE)
		return FT_NONE;
	cable = ft_exact_cable(m, there, ft_port_number(m, ft_cable_port(c, far)));
	if (cable == FT_NONE)
		return FT_NONE;
	planned = &m->plan->cables[cable];
	port = m->place_of[planned->a] == there ? planned->b_port : planned->a_port;
	return port == 0 || port == ft_port_number(m, ft_cable_port(c, live)) ? ft_exact_far(m, cable, there) : FT_NONE;
}

/* True if both places have equally many planned cables to the same switches. */
static bool rows_are_alike(const struct ft_model *m, uint32_t p, uint32_t q)
{
	const struct ft_pair *a = ft_pairs_of(m, p), *b = ft_pairs_of(m, q);

	for (;; a++, b++) {
		/* Pairs with observed cables only are not planned. */
		while (a < ft_pairs_of(m, p + 1) && m->cells.width[a->cell] == 0)
			a++;
		while (b < ft_pairs_of(m, q + 1) && m->cells.width[b->cell] == 0)
			b++;
		if (a == ft_pairs_of(m, p + 1) || b == ft_pairs_of(m, q + 1))
			return a == ft_pairs_of(m, p + 1) && b == ft_pairs_of(m, q + 1);
		if (a->peer != b->peer || m->cells.width[a->cell] != m->cells.width[b->cell])
			return false;
	}
}

/*
 * Places of one pod and plane with equal rows are alike: any cable decides. Other places of the kind differ in their
 * numbers of cables; they were mistaken only if most cables of a switch agree on another place.
 */
static bool may_change(const struct settling *s, uint32_t live, uint32_t p, uint32_t q, uint32_t gain)
{
	enum { CABLES_LEAST = 3 };
	const struct ft_plan_switch *x = s->m->places[p], *y = s->m->places[q];

	if (x->kind != y->kind)
		return false;
	if (rows_are_alike(s->m, p, q))
		return true;
	return gain >= CABLES_LEAST && s->m->exact.votes[q] * 2 > s->all[live];
}

static void vote(struct settling *s, uint32_t place, int step)
{
	if (place != FT_NONE)
		s->m->exact.votes[place] += (uint32_t)step;
}

/* Adds the votes of the cables and hosts of @live or, with @step -1, subtracts them. */
static void votes_make(struct settling *s, uint32_t live, int step)
{
	const struct ft_model *m = s->m;
	const struct ft_live_switch *sw = &m->live.switches[live];

	for (uint32_t n = 0; n < sw->cable_count; n++)
		vote(s, cable_says(m, live, &m->live.cables[m->live.at[sw->first_cable + n]]), step);
	for (uint32_t i = m->exact.home ? m->exact.first_host[live] : 0;
	     m->exact.home && i < m->exact.first_host[live + 1]; i++)
		vote(s, m->exact.home[i], step);
}

static void wish_offer(struct settling *s, uint32_t live, uint32_t place)
{
	const struct ft_model *m = s->m;
	uint32_t own = place_of(s, live);
	uint32_t here = m->exact.votes[own], there = place == FT_NONE ? 0 : m->exact.votes[place];

	bool weak;

	if (place == FT_NONE || there <= here + s->gain[live])
		return;
	weak = !may_change(s, live, own, place, there - here);
	if (weak && (here > 0 || m->places[own]->kind != m->places[place]->kind))
		return;
	s->wants[live] = place;
	s->weak[live] = weak;
	s->gain[live] = there - here;
}

/* True if @live prefers another place. */
static bool wish_find(struct settling *s, uint32_t live)
{
	const struct ft_model *m = s->m;
	const struct ft_live_switch *sw = &m->live.switches[live];

	s->wants[live] = FT_NONE;
	s->gain[live] = 0;
	s->all[live] = sw->cable_count;
	if (m->exact.home)
		s->all[live] += m->exact.first_host[live + 1] - m->exact.first_host[live];
	if (sw->planned == FT_NONE)
		return false;
	votes_make(s, live, 1);
	for (uint32_t n = 0; n < sw->cable_count; n++)
		wish_offer(s, live, cable_says(m, live, &m->live.cables[m->live.at[sw->first_cable + n]]));
	for (uint32_t i = m->exact.home ? m->exact.first_host[live] : 0;
	     m->exact.home && i < m->exact.first_host[live + 1]; i++)
		wish_offer(s, live, m->exact.home[i]);
	votes_make(s, live, -1);
	return s->wants[live] != FT_NONE;
}

/* True if its place is given by its name, or by a binding of the design. */
static bool is_pinned(const struct settling *s, uint32_t live)
{
	const struct ft_model *m = s->m;
	uint32_t place = place_of(s, live);

	return (ft_bind_of(m, place)->count > 0 && !m->replaced[place]) || m->named[live] == place;
}

/* How many of the cables and hosts of @live vote for @place. */
static uint32_t votes_for(struct settling *s, uint32_t live, uint32_t place)
{
	uint32_t votes;

	votes_make(s, live, 1);
	votes = s->m->exact.votes[place];
	votes_make(s, live, -1);
	return votes;
}

/*
 * Names are overruled if most votes agree against them, by more than one cable for each switch: with one each, swapped
 * cables would be as few faults.
 */
static bool pins_give_way(const struct settling *s, uint32_t count)
{
	uint64_t gain = 0, all = 0;

	for (uint32_t n = 0; n < count; n++) {
		gain += s->gain[s->ring[n]];
		all += s->all[s->ring[n]];
	}
	return gain > count && gain * 2 > all;
}

/* Moves each switch of the cycle to the place of the next. */
static void ring_turn(struct settling *s, uint32_t count)
{
	struct ft_model *m = s->m;

	for (uint32_t n = 0; n < count; n++) {
		uint32_t live = s->ring[n], to = s->wants[live];

		m->live_of[to] = live;
		m->live.switches[live].planned = to;
		s->wants[live] = FT_NONE;
	}
}

/* Follows the wishes from @start until they close a cycle. Returns its length; 0: it does not close. */
static uint32_t ring_find(struct settling *s, uint32_t start)
{
	uint32_t count = 0, live = start;

	do {
		uint32_t next;

		if (live == FT_NONE || s->wants[live] == FT_NONE || s->mark[live] == start)
			return 0;
		s->mark[live] = start;
		s->ring[count++] = live;
		next = s->m->live_of[s->wants[live]];
		live = next;
	} while (live != start);
	return count;
}

static bool ring_is_pinned(const struct settling *s, uint32_t count)
{
	bool pinned = false;

	for (uint32_t n = 0; n < count; n++)
		pinned |= is_pinned(s, s->ring[n]);
	return pinned;
}

static bool ring_try(struct settling *s, uint32_t start)
{
	uint32_t count = ring_find(s, start);
	bool pinned = ring_is_pinned(s, count), weak = false;

	for (uint32_t n = 0; n < count; n++)
		weak |= s->weak[s->ring[n]];
	if (count < 2 || ((pinned || weak) && !pins_give_way(s, count)))
		return false;
	ring_turn(s, count);
	return true;
}

/* Moves @live to an empty place, or exchanges it with a switch that loses less than @live gains. */
static bool move_try(struct settling *s, uint32_t live)
{
	struct ft_model *m = s->m;
	uint32_t from = place_of(s, live), to = s->wants[live], other;

	if (to == FT_NONE || s->weak[live] || is_pinned(s, live))
		return false;
	other = m->live_of[to];
	if (other != FT_NONE &&
	    (is_pinned(s, other) || s->gain[live] + votes_for(s, other, from) <= votes_for(s, other, to)))
		return false;
	m->live_of[to] = live;
	m->live.switches[live].planned = to;
	m->live_of[from] = other;
	if (other != FT_NONE) {
		m->live.switches[other].planned = from;
		s->wants[other] = FT_NONE;
	}
	s->wants[live] = FT_NONE;
	return true;
}

/* In a tree switches of one kind are not cabled to one another: their votes do not depend on each other's places. */
static bool kind_settle(struct settling *s, uint32_t kind)
{
	const struct ft_live *live = &s->m->live;
	bool wanted = false, moved = false;

	for (uint32_t i = 0; i < live->switch_count; i++) {
		s->mark[i] = s->wants[i] = FT_NONE;
		if (live->switches[i].planned != FT_NONE && s->m->places[live->switches[i].planned]->kind == kind)
			wanted |= wish_find(s, i);
	}
	for (uint32_t i = 0; wanted && i < live->switch_count; i++)
		moved |= s->wants[i] != FT_NONE && ring_try(s, i);
	for (uint32_t i = 0; wanted && i < live->switch_count; i++)
		moved |= s->wants[i] != FT_NONE && move_try(s, i);
	return moved;
}

static int settling_init(struct settling *s, struct ft_model *m)
{
	struct ft_arena *a = &s->memory;
	size_t count = m->live.switch_count;

	s->m = m;
	s->wants = ft_arena_zeros(a, count, sizeof(*s->wants));
	s->gain = ft_arena_zeros(a, count, sizeof(*s->gain));
	s->all = ft_arena_zeros(a, count, sizeof(*s->all));
	s->weak = ft_arena_zeros(a, count, sizeof(*s->weak));
	s->ring = ft_arena_zeros(a, count, sizeof(*s->ring));
	s->mark = ft_arena_zeros(a, count, sizeof(*s->mark));
	return a->failed ? -ENOMEM : 0;
}

int ft_exact_settle(struct ft_model *m)
{
	/* Each round puts more cables into place; a fabric that needs more rounds is not the planned one. */
	enum { ROUNDS_MAX = 16 };
	struct settling s = {0};
	bool moved = true;
	int r;

	if (!m->exact.votes)
		return 0;
	r = settling_init(&s, m);
	for (unsigned int round = 0; r == 0 && moved && round < ROUNDS_MAX; round++) {
		moved = false;
		for (uint32_t kind = 0; kind < m->plan->kind_count; kind++)
			moved |= kind_settle(&s, kind);
	}
	ft_arena_release(&s.memory);
	return r;
}
