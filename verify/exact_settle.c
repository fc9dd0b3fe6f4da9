/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Once all have a place, each cable says more: the port at its far end is that of one planned cable, so it knows who
 * should be at the near one. Switches that are alike by structure change places where that puts more cables, and listed
 * hosts, where they should be. Names and bindings stand against that, and are overruled only where whole switches are
 * exchanged: that is one fault then, instead of one for each pair of their cables.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verify/match.h"

struct settling {
	struct ft_model *m;
	uint32_t *wants; /* by live switch: a place that explains more of it than its own, or FT_NONE */
	uint32_t *gain;	 /* by live switch: how many cables and hosts more */
	uint32_t *all;	 /* by live switch: how many it has in all */
	bool *weak;	 /* by live switch: too few for it to move alone; but nothing says its own place */
	uint32_t *ring;	 /* scratch: live switches */
	uint32_t *mark;	 /* by live switch: the walk that came by */
};

static void settling_release(struct settling *s)
{
	free(s->wants);
	free(s->gain);
	free(s->all);
	free(s->weak);
	free(s->ring);
	free(s->mark);
}

static uint32_t place_of(const struct settling *s, uint32_t live)
{
	return s->m->live.switches[live].planned;
}

/*
 * Where switch @live would be if the cable were in its ports: its port, where that is said, and its far end's agree.
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

/* True where both places are to be cabled to the same others, by as many cables. */
static bool rows_are_alike(const struct ft_model *m, uint32_t p, uint32_t q)
{
	const struct ft_pair *a = ft_pairs_of(m, p), *b = ft_pairs_of(m, q);

	for (;; a++, b++) {
		/* Pairs of which only something was seen are not the plan's. */
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
 * Places of one pod and plane, with cables to as many, are alike: any cable decides. Others of the tier are told apart
 * by how many cables there are; only where most that a switch has agrees on another place were they misread.
 */
static bool may_change(const struct settling *s, uint32_t live, uint32_t p, uint32_t q, uint32_t gain)
{
	enum { CABLES_LEAST = 3 };
	const struct ft_plan_switch *x = s->m->places[p], *y = s->m->places[q];

	if (x->tier != y->tier)
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

/* What the cables and hosts of @live say, added to the votes or, with @step -1, taken off again. */
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
	if (weak && (here > 0 || m->places[own]->tier != m->places[place]->tier))
		return;
	s->wants[live] = place;
	s->weak[live] = weak;
	s->gain[live] = there - here;
}

/* Returns whether it would rather be elsewhere. */
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

/* Its place is said by its name, or by what the design binds it to. */
static bool is_pinned(const struct settling *s, uint32_t live)
{
	const struct ft_model *m = s->m;
	uint32_t place = place_of(s, live);

	return (m->design->binds[ft_tier_of(m, place)].count > 0 && !m->replaced[place]) || m->named[live] == place;
}

/* How many of the cables and hosts of @live say @place. */
static uint32_t votes_for(struct settling *s, uint32_t live, uint32_t place)
{
	uint32_t votes;

	votes_make(s, live, 1);
	votes = s->m->exact.votes[place];
	votes_make(s, live, -1);
	return votes;
}

/*
 * Names are overruled where most of what says anything agrees against them, and that is more than a pair of cables
 * each: those would be as many faults.
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

/* Each in the ring goes to the place of the next. Whose names or bindings say otherwise are remembered. */
static void ring_turn(struct settling *s, uint32_t count, bool pinned)
{
	struct ft_model *m = s->m;
	uint32_t *named = m->exact.named_at, first_named = named[place_of(s, s->ring[0])];

	for (uint32_t n = count; n-- > 0;) {
		uint32_t live = s->ring[n], from = place_of(s, live), to = s->wants[live];
		uint32_t was = n == 0 ? first_named : named[from];

		was = was == FT_NONE && pinned ? from : was;
		m->live_of[to] = live;
		m->live.switches[live].planned = to;
		named[to] = was == to ? FT_NONE : was;
		s->wants[live] = FT_NONE;
	}
}

/* From @start on, who wants whose place, until it closes. Returns how many are in the ring, 0: it does not close. */
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
	ring_turn(s, count, pinned);
	return true;
}

/* Who wants an empty place, or one whose owner loses less by going the other way. */
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

/* Switches of one tier are not cabled to one another, so what one of them says does not change as others move. */
static bool tier_settle(struct settling *s, enum ft_tier tier)
{
	const struct ft_live *live = &s->m->live;
	bool wanted = false, moved = false;

	for (uint32_t i = 0; i < live->switch_count; i++) {
		s->mark[i] = s->wants[i] = FT_NONE;
		if (live->switches[i].planned != FT_NONE && ft_tier_of(s->m, live->switches[i].planned) == tier)
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
	size_t count = m->live.switch_count + 1UL;

	*s = (struct settling){
		.m = m,
		.wants = calloc(count, sizeof(*s->wants)),
		.gain = calloc(count, sizeof(*s->gain)),
		.all = calloc(count, sizeof(*s->all)),
		.weak = calloc(count, sizeof(*s->weak)),
		.ring = calloc(count, sizeof(*s->ring)),
		.mark = calloc(count, sizeof(*s->mark)),
	};
	if (!s->wants || !s->gain || !s->all || !s->weak || !s->ring || !s->mark)
		return -ENOMEM;
	/* Where names are the plan's, who carries whose is known by now. */
	if (m->exact.named_at)
		return 0;
	m->exact.named_at = malloc((m->place_count + 1UL) * sizeof(*m->exact.named_at));
	if (!m->exact.named_at)
		return -ENOMEM;
	for (uint32_t p = 0; p < m->place_count; p++)
		m->exact.named_at[p] = FT_NONE;
	return 0;
}

/* ---- where names say it all ---- */

/* Cables that are in their ports if each live switch is in the place that @place has for it. */
static uint32_t places_rate(const struct ft_model *m, const uint32_t *place)
{
	uint32_t right = 0;

	for (uint32_t i = 0; i < m->live.cable_count; i++) {
		const struct ft_live_cable *c = &m->live.cables[i];
		uint32_t p = place[c->a], q = place[c->b], cable;

		cable = p == FT_NONE ? FT_NONE : ft_exact_cable(m, p, ft_port_number(m, c->a_port));
		right += cable != FT_NONE && q != FT_NONE && ft_exact_far(m, cable, p) == q &&
			 ft_exact_cable(m, q, ft_port_number(m, c->b_port)) == cable;
	}
	return right;
}

/* The place of its tier that carries its name, or the one it has. */
static uint32_t place_by_name(const struct ft_model *m, uint32_t live)
{
	const struct ft_live_switch *sw = &m->live.switches[live];
	uint32_t place = m->named[live];

	if (sw->planned == FT_NONE || m->design->binds[sw->tier].count > 0 || place == FT_NONE ||
	    ft_tier_of(m, place) != ft_tier_of(m, sw->planned))
		return sw->planned;
	return place;
}

/*
 * Planes that changed places with all their switches hold together, and no switch alone would rather be where its name
 * says: so that is tried at once.
 */
static void names_try(struct settling *s)
{
	struct ft_model *m = s->m;
	uint32_t *now = s->gain, *then = s->wants;
	bool differ = false;

	for (uint32_t i = 0; i < m->live.switch_count; i++) {
		now[i] = place_of(s, i);
		then[i] = place_by_name(m, i);
		differ |= then[i] != now[i];
		/* Each place once: this is scratch, and all 0 again below. */
		if (then[i] != FT_NONE)
			m->exact.votes[then[i]]++;
	}
	for (uint32_t p = 0; p < m->place_count; p++) {
		differ &= m->exact.votes[p] <= 1;
		m->exact.votes[p] = 0;
	}
	if (!differ || places_rate(m, then) < places_rate(m, now))
		return;
	for (uint32_t p = 0; p < m->place_count; p++)
		m->live_of[p] = FT_NONE;
	for (uint32_t i = 0; i < m->live.switch_count; i++) {
		m->live.switches[i].planned = then[i];
		if (then[i] != FT_NONE)
			m->live_of[then[i]] = i;
	}
}

int ft_exact_settle(struct ft_model *m)
{
	/* Each round puts more into place; what many rounds do not settle is not the planned fabric. */
	enum { ROUNDS_MAX = 16 };
	_cleanup_(settling_release) struct settling s = {0};
	bool moved = true;
	int r;

	if (!m->exact.votes)
		return 0;
	r = settling_init(&s, m);
	if (r == 0 && m->exact.first)
		names_try(&s);
	for (unsigned int round = 0; r == 0 && moved && round < ROUNDS_MAX; round++) {
		moved = false;
		for (unsigned int tier = 0; tier < FT_TIER_COUNT; tier++)
			moved |= tier_settle(&s, tier);
	}
	return r;
}
