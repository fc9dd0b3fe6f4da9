/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Local search over what single cables say. Once all switches have places, the port at the far end of a cable belongs
 * to one planned cable, which identifies the switch at the near end. Structurally equal switches exchange places if
 * that puts more cables and listed hosts into their ports. Names and bindings prevent that, unless whole switches are
 * exchanged: that is one fault, instead of one for each pair of their cables.
 *
 * Where the plan gives no ports, a cable speaks for every place that has one to its far end, but of several to one
 * switch no more than the place has there: an unplanned second one made a swap an exchange of switches. Only switches
 * that the design tells, with wrong cables, are in question: two of which the list of bindings, or the cabling, has
 * exchanged. The matching moves the others, but of these none that has half of its cables right, as a spine has whose
 * pod is another one of the same plane. O(cables log d), and O(d^2) for each switch in question.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "base/numbers.h"
#include "verify/match/match.h"

struct settling {
	struct ft_model *m;
	uint32_t *wants; /* by observed switch: a place that explains more of its cables than its own, or FT_NONE */
	uint32_t *gain;	 /* by observed switch: how many more cables and hosts */
	uint32_t *all;	 /* by observed switch: all its cables and hosts */
	uint32_t *apart; /* by observed switch: of these, without those that speak for its own place and for that one */
	bool *weak;	 /* by observed switch: too few votes to move alone; but none are for its own place */
	uint32_t *ring;	 /* scratch: observed switches of a cycle */
	uint32_t *mark;	 /* by observed switch: the number of the last walk that visited it */
	uint32_t *votes; /* scratch, by place: all 0 */
	uint32_t *many;	 /* scratch, by place, of one switch: its cables there so far; all 0 */
	bool *odd;	 /* by observed switch: it is in question. NULL: the plan gives ports or hosts */
	struct ft_arena memory;
};

static uint32_t place_of(const struct settling *s, uint32_t observed)
{
	return s->m->observed.switches[observed].planned;
}

/*
 * The place of the near switch at which the cable would be in its ports, if its port, where given, and that of the far
 * end agree. Else FT_NONE.
 */
static uint32_t cable_says(const struct ft_model *m, const struct ft_cable_end *end)
{
	uint32_t there = ft_place_behind(m, end), cable, port;
	const struct ft_plan_cable *planned;

	if (end->far == end->near || there == FT_NONE || ft_port_is_unseated(m, end->far_port))
		return FT_NONE;
	cable = ft_port_map_cable(m, there, ft_port_number(m, end->far_port));
	if (cable == FT_NONE)
		return FT_NONE;
	planned = &m->plan->cables[cable];
	port = m->place_of[planned->a] == there ? planned->b_port : planned->a_port;
	return port == 0 || ft_port_is_unseated(m, end->port) || port == ft_port_number(m, end->port)
		       ? ft_port_map_far(m, cable, there)
		       : FT_NONE;
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
static bool may_change(const struct settling *s, uint32_t observed, uint32_t p, uint32_t q, uint32_t gain)
{
	enum { CABLES_LEAST = 3 };
	const struct ft_plan_switch *x = s->m->places[p], *y = s->m->places[q];

	if (x->kind != y->kind)
		return false;
	if (rows_are_alike(s->m, p, q))
		return true;
	return gain >= CABLES_LEAST && s->votes[q] * 2 > s->all[observed];
}

typedef void said_fn(struct settling *s, uint32_t observed, uint32_t place);

/* Calls @fn for each place that a cable or a listed host of @observed speaks for, once for each of these. */
static void said_take(struct settling *s, uint32_t observed, said_fn *fn)
{
	const struct ft_model *m = s->m;
	const struct ft_observed_switch *sw = &m->observed.switches[observed];

	ft_each_end(end, m, observed) {
		uint32_t place = s->odd ? ft_place_behind(m, end) : cable_says(m, end);

		if (place == FT_NONE)
			continue;
		if (!s->odd)
			fn(s, observed, place);
		for (const struct ft_pair *pair = ft_pairs_of(m, place); s->odd && pair < ft_pairs_of(m, place + 1);
		     pair++)
			if (m->places[pair->peer]->kind == sw->kind && s->many[place] < m->cells.width[pair->cell])
				fn(s, observed, pair->peer);
		if (s->odd)
			s->many[place]++;
	}
	for (const struct ft_cable_end *end = ft_ends_of(m, observed); s->odd && end < ft_ends_of(m, observed + 1);
	     end++)
		if (ft_place_behind(m, end) != FT_NONE)
			s->many[ft_place_behind(m, end)] = 0;
	for (uint32_t i = sw->first_host; m->port_map.home && i < sw->end_host; i++)
		if (m->port_map.home[i] != FT_NONE)
			fn(s, observed, m->port_map.home[i]);
}

static void vote_add(struct settling *s, uint32_t observed, uint32_t place)
{
	(void)observed;
	s->votes[place]++;
}

static void vote_clear(struct settling *s, uint32_t observed, uint32_t place)
{
	(void)observed;
	s->votes[place] = 0;
}

static void wish_offer(struct settling *s, uint32_t observed, uint32_t place)
{
	const struct ft_model *m = s->m;
	uint32_t own = place_of(s, observed), here = s->votes[own], there = s->votes[place];
	bool weak = false;

	if (there <= here + s->gain[observed])
		return;
	if (s->odd) {
		if (m->observed_of[place] == FT_NONE || !s->odd[m->observed_of[place]])
			return;
	} else {
		weak = !may_change(s, observed, own, place, there - here);
		if (weak && (here > 0 || m->places[own]->kind != m->places[place]->kind))
			return;
	}
	s->wants[observed] = place;
	s->weak[observed] = weak;
	s->gain[observed] = there - here;
	s->apart[observed] = ft_number_least(s->all[observed], 2 * s->all[observed] - here - there);
}

/* True if @observed prefers another place. */
static bool wish_find(struct settling *s, uint32_t observed)
{
	const struct ft_model *m = s->m;
	const struct ft_observed_switch *sw = &m->observed.switches[observed];

	s->wants[observed] = FT_NONE;
	s->gain[observed] = 0;
	s->all[observed] = sw->cable_count + (m->port_map.home ? sw->end_host - sw->first_host : 0);
	if (sw->planned == FT_NONE || (s->odd && !s->odd[observed]))
		return false;
	said_take(s, observed, vote_add);
	said_take(s, observed, wish_offer);
	said_take(s, observed, vote_clear);
	return s->wants[observed] != FT_NONE;
}

/* True if its place is given by its name, or by a binding of the design. */
static bool is_pinned(const struct settling *s, uint32_t observed)
{
	const struct ft_model *m = s->m;
	uint32_t place = place_of(s, observed);

	return m->bound[observed] == place || m->named[observed] == place;
}

/* How many of the cables and hosts of @observed vote for @place. */
static uint32_t votes_for(struct settling *s, uint32_t observed, uint32_t place)
{
	uint32_t votes;

	said_take(s, observed, vote_add);
	votes = s->votes[place];
	said_take(s, observed, vote_clear);
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
		all += s->apart[s->ring[n]];
	}
	return gain > count && gain * 2 > all;
}

/* Moves each switch of the cycle to the place of the next. */
static void ring_turn(struct settling *s, uint32_t count)
{
	struct ft_model *m = s->m;

	for (uint32_t n = 0; n < count; n++) {
		uint32_t observed = s->ring[n], to = s->wants[observed];

		m->observed_of[to] = observed;
		m->observed.switches[observed].planned = to;
		s->wants[observed] = FT_NONE;
	}
}

/* Follows the wishes from @start until they close a cycle. Returns its length; 0: it does not close. */
static uint32_t ring_find(struct settling *s, uint32_t start)
{
	uint32_t count = 0, observed = start;

	do {
		if (observed == FT_NONE || s->wants[observed] == FT_NONE || s->mark[observed] == start)
			return 0;
		s->mark[observed] = start;
		s->ring[count++] = observed;
		observed = s->m->observed_of[s->wants[observed]];
	} while (observed != start);
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

/* Moves @observed to an empty place, or exchanges it with a switch that loses less than @observed gains. */
static bool move_try(struct settling *s, uint32_t observed)
{
	struct ft_model *m = s->m;
	uint32_t from = place_of(s, observed), to = s->wants[observed], other;

	if (to == FT_NONE || s->weak[observed] || is_pinned(s, observed))
		return false;
	other = m->observed_of[to];
	if (other != FT_NONE &&
	    (is_pinned(s, other) || s->gain[observed] + votes_for(s, other, from) <= votes_for(s, other, to)))
		return false;
	m->observed_of[to] = observed;
	m->observed.switches[observed].planned = to;
	m->observed_of[from] = other;
	if (other != FT_NONE) {
		m->observed.switches[other].planned = from;
		s->wants[other] = FT_NONE;
	}
	s->wants[observed] = FT_NONE;
	return true;
}

/* True for a switch that the design tells, in its place, with a cable which the plan has not. */
static bool is_odd(const struct ft_model *m, uint32_t observed)
{
	uint32_t place = m->observed.switches[observed].planned;
	bool named = m->plan->topology == FT_TOPOLOGY_GRAPH;

	if (place == FT_NONE || (named ? ft_told_place(m, observed) : m->bound[observed]) != place)
		return false;
	ft_each_end(end, m, observed)
		if (ft_place_behind(m, end) != FT_NONE && ft_width_at(m, place, ft_place_behind(m, end)) == 0)
			return true;
	return false;
}

/* In a tree switches of one kind are not cabled to one another: their votes do not depend on each other's places. */
static bool kind_settle(struct settling *s, uint32_t kind)
{
	const struct ft_observed_fabric *observed = &s->m->observed;
	bool wanted = false, moved = false;

	for (uint32_t i = 0; s->odd && i < observed->switch_count; i++)
		s->odd[i] = is_odd(s->m, i);
	for (uint32_t i = 0; i < observed->switch_count; i++) {
		s->mark[i] = s->wants[i] = FT_NONE;
		if (observed->switches[i].planned != FT_NONE &&
		    s->m->places[observed->switches[i].planned]->kind == kind)
			wanted |= wish_find(s, i);
	}
	for (uint32_t i = 0; wanted && i < observed->switch_count; i++)
		moved |= s->wants[i] != FT_NONE && ring_try(s, i);
	for (uint32_t i = 0; wanted && !s->odd && i < observed->switch_count; i++)
		moved |= s->wants[i] != FT_NONE && move_try(s, i);
	return moved;
}

static int settling_init(struct settling *s, struct ft_model *m)
{
	struct ft_arena *a = &s->memory;
	size_t count = m->observed.switch_count;

	s->m = m;
	s->wants = ft_arena_zeros(a, count, sizeof(*s->wants));
	s->gain = ft_arena_zeros(a, count, sizeof(*s->gain));
	s->all = ft_arena_zeros(a, count, sizeof(*s->all));
	s->weak = ft_arena_zeros(a, count, sizeof(*s->weak));
	s->apart = ft_arena_zeros(a, count, sizeof(*s->apart));
	s->ring = ft_arena_zeros(a, count, sizeof(*s->ring));
	s->mark = ft_arena_zeros(a, count, sizeof(*s->mark));
	s->votes = m->port_map.votes ? m->port_map.votes : ft_arena_zeros(a, m->place_count, sizeof(*s->votes));
	s->odd = m->port_map.votes ? NULL : ft_arena_zeros(a, count, sizeof(*s->odd));
	s->many = ft_arena_zeros(a, m->place_count, sizeof(*s->many));
	return a->failed ? -ENOMEM : 0;
}

/*
 * Seats a switch that was left out in the empty place that most of its cables, and two or more, speak for with both of
 * their ports. The case that bit: a nameless core whose other cables were pulled or moved was told as missing, and
 * itself as an unplanned switch.
 */
static void stranger_seat(struct settling *s, uint32_t observed)
{
	const struct ft_observed_switch *sw = &s->m->observed.switches[observed];
	uint32_t best = FT_NONE, most = 1;

	said_take(s, observed, vote_add);
	for (uint32_t p = 0; p < s->m->place_count; p++)
		if (s->votes[p] > most && s->m->observed_of[p] == FT_NONE) {
			best = p;
			most = s->votes[p];
		}
	said_take(s, observed, vote_clear);
	if (best != FT_NONE && 2 * most >= sw->cable_count && s->m->places[best]->ports == sw->ports)
		ft_observed_seat(s->m, observed, best);
}

int ft_port_map_settle(struct ft_model *m)
{
	/* Each round puts more cables into place; a fabric that needs more rounds is not the planned one. */
	enum { ROUNDS_MAX = 16 };
	struct settling s = {0};
	bool moved = true;
	int r;

	r = settling_init(&s, m);
	for (unsigned int round = 0; r == 0 && moved && round < ROUNDS_MAX; round++) {
		moved = false;
		for (uint32_t kind = 0; kind < m->plan->kind_count; kind++)
			moved |= kind_settle(&s, kind);
	}
	for (uint32_t i = 0; r == 0 && !s.odd && !m->given && i < m->observed.switch_count; i++)
		if (m->observed.switches[i].planned == FT_NONE && !m->observed.switches[i].tolerated)
			stranger_seat(&s, i);
	ft_arena_release(&s.memory);
	return r;
}
