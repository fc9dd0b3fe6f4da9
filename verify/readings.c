/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Counts hide things: two moves can leave the number of cables of a pair as planned. So the strays are read more than
 * once, with and without what may be hidden, and the reading with the fewest faults is kept.
 */
#include "config.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "verify/explain.h"

/* True where some stray leaves @p in the port for @q, or @q in the port for @p: the cable of p-q that is elsewhere. */
static bool pair_has_moved(const struct explain *x, uint32_t p, uint32_t q)
{
	for (uint32_t i = 0; i < x->stray_count; i++) {
		const struct stray *s = &x->strays[i];

		if (s->a == s->b || s->uncovered)
			continue;
		if (((s->a == p || s->b == p) && stray_usual(x->m, s, p, q)) ||
		    ((s->a == q || s->b == q) && stray_usual(x->m, s, q, p)))
			return true;
	}
	return false;
}

/*
 * True where the port of planned switch @p, @live, usually leads to a switch that @p is short of a cable to.
 *
 * @is_short  by place: false where it is short of none at all, which goes for nearly all of a large fabric
 */
static bool port_is_short(const struct explain *x, const bool *is_short, uint32_t p, uint32_t live, uint32_t number)
{
	if (!is_short[p])
		return false;
	for (const struct ft_pair *pair = ft_pairs_of(x->m, p); pair < ft_pairs_of(x->m, p + 1); pair++)
		if (x->m->live_of[pair->peer] != FT_NONE && x->deficit[pair->cell] > 0 &&
		    ft_port_usual(x->m, live, number, pair->peer))
			return true;
	return false;
}

/* By place: short of some cable; to be freed. NULL: no memory. */
static bool *places_short(const struct explain *x)
{
	const struct ft_model *m = x->m;
	bool *is_short = calloc(m->place_count + 1UL, sizeof(*is_short));

	for (uint32_t r = 0; is_short && r < m->place_count; r++)
		for (const struct ft_pair *pair = ft_pairs_of(m, r); pair < ft_pairs_of(m, r + 1); pair++)
			if (pair->peer > r && x->deficit[pair->cell])
				is_short[r] = is_short[pair->peer] = true;
	return is_short;
}

static bool cable_is_stray(const struct explain *x, uint32_t cable)
{
	for (uint32_t i = 0; i < x->stray_count; i++)
		if (x->strays[i].cable == cable)
			return true;
	return false;
}

/* Takes a cable that counts as one of its pair's own for a stray: then the pair is short of one. */
static void cable_uncover(struct explain *x, uint32_t cable)
{
	struct stray *s = &x->strays[x->stray_count];

	ft_stray_add(x, cable);
	s->uncovered = true;
	(*deficit_at(x, s->a, s->b))++;
}

/*
 * Two moves can hide one another: a cable of e-c1 that landed on c2, and the cable of e-c2 gone elsewhere, leave the
 * count of e-c2 right. Port numbers show it: the cable sits where e's cable to c1 usually does, one is short there, and
 * either the cable of e-c2 is found among the strays, or the other end sits in a port whose own cable is short as well.
 * Such a cable is a stray too, and e-c2 short of one. Returns 0 or -ENOMEM.
 */
static int strays_uncover(struct explain *x)
{
	_cleanup_free_ bool *is_short = places_short(x);
	const struct ft_model *m = x->m;
	uint32_t known = x->stray_count;

	if (!is_short)
		return -ENOMEM;
	for (uint32_t i = 0; known > 0 && i < 2 * m->live.cable_count; i++) {
		const struct ft_live_cable *cable = &m->live.cables[i / 2];
		uint32_t near = i % 2 ? cable->b : cable->a, far = ft_cable_far(cable, near);
		uint32_t p = m->live.switches[near].planned, q = m->live.switches[far].planned;
		uint32_t number = ft_port_number(m, i % 2 ? cable->b_port : cable->a_port);
		uint32_t far_number = ft_port_number(m, i % 2 ? cable->a_port : cable->b_port);

		if (p == FT_NONE || q == FT_NONE || !ft_places_pair(m, p, q) || ft_port_usual(m, near, number, q))
			continue;
		if (!port_is_short(x, is_short, p, near, number) || cable_is_stray(x, i / 2) ||
		    (!pair_has_moved(x, p, q) && !port_is_short(x, is_short, q, far, far_number)))
			continue;
		cable_uncover(x, i / 2);
		is_short[p] = is_short[q] = true;
	}
	return 0;
}

/* What was uncovered and turned out to explain nothing is an ordinary cable again. */
static void strays_cover(struct explain *x)
{
	for (uint32_t i = 0; i < x->stray_count; i++) {
		struct stray *s = &x->strays[i];

		if (!s->uncovered || s->used || *deficit_at(x, s->a, s->b) == 0)
			continue;
		s->used = s->covered = true;
		(*deficit_at(x, s->a, s->b))--;
	}
}

/* What the steps for strays change, kept so that they can be taken back. */
struct state {
	uint32_t *deficit;
	struct stray *strays;
	bool *port_claimed, *misplaced;
	uint32_t stray_count, rival_count;
	size_t finding_count;
	uint32_t unsaid;
};

static void state_release(struct state *s)
{
	free(s->deficit);
	free(s->strays);
	free(s->port_claimed);
	free(s->misplaced);
}

static size_t cells_size(const struct explain *x)
{
	return x->m->cells.count * sizeof(*x->deficit);
}

static int state_keep(const struct explain *x, struct state *ret)
{
	const struct ft_model *m = x->m;

	ret->deficit = ft_memory_copy(x->deficit, cells_size(x));
	ret->strays = ft_memory_copy(x->strays, m->live.cable_count * sizeof(*x->strays));
	ret->port_claimed = ft_memory_copy(m->port_claimed, m->snapshot->port_count * sizeof(*m->port_claimed));
	ret->misplaced = ft_memory_copy(m->misplaced, m->live.cable_count * sizeof(*m->misplaced));
	ret->stray_count = x->stray_count;
	ret->rival_count = x->rival_count;
	ret->finding_count = m->report->finding_count;
	ret->unsaid = m->unsaid;
	return ret->deficit && ret->strays && ret->port_claimed && ret->misplaced ? 0 : -ENOMEM;
}

static void state_restore(struct explain *x, const struct state *s)
{
	struct ft_model *m = x->m;

	memcpy(x->deficit, s->deficit, cells_size(x));
	memcpy(x->strays, s->strays, m->live.cable_count * sizeof(*x->strays));
	memcpy(m->port_claimed, s->port_claimed, m->snapshot->port_count * sizeof(*m->port_claimed));
	memcpy(m->misplaced, s->misplaced, m->live.cable_count * sizeof(*m->misplaced));
	x->stray_count = s->stray_count;
	x->rival_count = s->rival_count;
	m->unsaid = s->unsaid;
	while (m->report->finding_count > s->finding_count)
		ft_finding_release(&m->report->findings[--m->report->finding_count]);
}

static int strays_explain(struct explain *x)
{
	int r;

	r = ft_swaps_explain(x);
	if (r == 0)
		r = ft_misplaced_explain(x);
	strays_cover(x);
	return r;
}

/* The number of faults of a reading: findings, pairs that stay short, cables that stay unexplained. */
static size_t reading_price(const struct explain *x)
{
	size_t price = x->m->report->finding_count;

	for (uint32_t i = 0; i < x->m->cells.count; i++)
		price += x->deficit[i] > 0;
	for (uint32_t i = 0; i < x->stray_count; i++)
		price += !x->strays[i].used;
	return price;
}

/* A cable of planned pair @p-@q is taken for a stray, too; of several, one in an odd port. */
static bool pair_uncover(struct explain *x, uint32_t p, uint32_t q)
{
	const struct ft_model *m = x->m;
	const struct ft_live_switch *sw = ft_live_at(m, p);
	uint32_t pick = FT_NONE;
	int odd = -1;

	for (uint32_t i = 0; i < sw->cable_count; i++) {
		uint32_t cable = m->live.at[sw->first_cable + i];

		if (m->live.switches[ft_cable_far(&m->live.cables[cable], m->live_of[p])].planned != q ||
		    cable_is_stray(x, cable) || ft_cable_oddness(m, cable) <= odd)
			continue;
		odd = ft_cable_oddness(m, cable);
		pick = cable;
	}
	if (pick == FT_NONE)
		return false;
	cable_uncover(x, pick);
	return true;
}

/*
 * Whether a hidden stray between @p and @q could explain anything: both are short of others, or one is and a stray is
 * near.
 */
static bool pair_is_suspect(const struct explain *x, uint32_t p, uint32_t q, const bool *is_short)
{
	bool near = *deficit_at(x, p, q) > 0 || (is_short[p] && is_short[q]);

	if ((!is_short[p] && !is_short[q]) || x->m->cells.seen[ft_cell_at(x->m, p, q)] == 0)
		return false;
	for (uint32_t i = 0; i < x->stray_count && !near; i++)
		near = x->strays[i].a == p || x->strays[i].b == p || x->strays[i].a == q || x->strays[i].b == q;
	return near;
}

enum { HIDDEN_STRAYS_MAX = 8, HIDDEN_TRIALS_MAX = 512 };

/* The pairs that may hide a stray, as (row, column). Only small riddles are worth the search. */
static int suspects_list(struct explain *x, uint32_t (*ret_pairs)[2], uint32_t *ret_count)
{
	const struct ft_model *m = x->m;
	_cleanup_free_ bool *is_short = places_short(x);
	uint32_t count = 0;

	if (!is_short)
		return -ENOMEM;
	for (uint32_t r = 0; r < m->place_count && x->stray_count <= HIDDEN_STRAYS_MAX; r++)
		for (const struct ft_pair *pair = ft_pairs_of(m, r);
		     pair < ft_pairs_of(m, r + 1) && count < HIDDEN_TRIALS_MAX; pair++) {
			uint32_t q = pair->peer;

			if (q < r || m->live_of[r] == FT_NONE || m->live_of[q] == FT_NONE ||
			    !pair_is_suspect(x, r, q, is_short))
				continue;
			ret_pairs[count][0] = r;
			ret_pairs[count++][1] = q;
		}
	*ret_count = count;
	return 0;
}

/* How a reading was prepared, so that the best one can be carried out again. */
struct reading {
	enum { READ_PLAIN, READ_PORTS, READ_HIDDEN } kind;
	uint32_t pair[2]; /* READ_HIDDEN */
	size_t price;
};

static int reading_try(struct explain *x, const struct state *before, struct reading *reading)
{
	int r;

	state_restore(x, before);
	r = reading->kind == READ_PORTS ? strays_uncover(x) : 0;
	if (r < 0)
		return r;
	if (reading->kind == READ_HIDDEN && !pair_uncover(x, reading->pair[0], reading->pair[1])) {
		reading->price = SIZE_MAX;
		return 0;
	}
	r = strays_explain(x);
	reading->price = reading_price(x);
	return r;
}

/* True where the last reading made use of what it uncovered. */
static bool reading_used_hidden(const struct explain *x)
{
	for (uint32_t i = 0; i < x->stray_count; i++)
		if (x->strays[i].uncovered && !x->strays[i].covered)
			return true;
	return false;
}

/* Names the other reading with each finding about strays. */
static void reading_alternative(struct explain *x, size_t first, const struct reading *other)
{
	struct ft_model *m = x->m;

	for (size_t i = first; i < m->report->finding_count; i++)
		ft_finding_alternative(
			m, &m->report->findings[i],
			"another reading with as few faults moves a cable between %s and %s as well; compare "
			"labels before moving this one",
			label_of(m, other->pair[0]), label_of(m, other->pair[1]));
}

static bool tiers_are_regular(const struct ft_model *m)
{
	bool regular = true;

	for (uint32_t p = 0; p < m->place_count; p++)
		regular &= m->regular[ft_tier_of(m, p)];
	return regular;
}

/*
 * Reads the strays plainly; with those that only port numbers show; and, where there are few, with one hidden stray in
 * each pair that might have one. The fewest faults win; between equals, port numbers are believed, then the plain
 * reading. Where nothing but a guess decides between a plain reading and one with a hidden stray, the other is named.
 */
int ft_strays_read(struct explain *x)
{
	_cleanup_(state_release) struct state before = {0};
	_cleanup_free_ uint32_t(*pairs)[2] = malloc(HIDDEN_TRIALS_MAX * sizeof(*pairs));
	struct reading best = {.kind = READ_PLAIN}, next = {.kind = READ_PORTS}, equal = {.price = SIZE_MAX};
	/* With a memory of who was cabled to whom, port by port, there is nothing to guess. */
	bool patterned = tiers_are_regular(x->m) || x->m->recall.baseline;
	uint32_t count = 0;
	int r;

	x->m->strays = x->stray_count;
	if (x->stray_count == 0 || x->stray_count > STRAYS_EXPLAINED_MAX)
		return 0;
	if (!pairs)
		return -ENOMEM;
	r = suspects_list(x, pairs, &count);
	if (r == 0)
		r = state_keep(x, &before);
	if (r == 0)
		r = reading_try(x, &before, &best);
	if (r == 0)
		r = reading_try(x, &before, &next);
	if (r < 0)
		return r;
	if (next.price <= best.price)
		best = next;
	for (uint32_t i = 0; r == 0 && i < count && best.price > before.finding_count + 1; i++) {
		next = (struct reading){.kind = READ_HIDDEN, .pair = {pairs[i][0], pairs[i][1]}};
		r = reading_try(x, &before, &next);
		if (next.price < best.price) {
			best = next;
			equal.price = SIZE_MAX;
		} else if (next.price == best.price && !patterned && reading_used_hidden(x)) {
			equal = next;
		}
	}
	if (r == 0)
		r = reading_try(x, &before, &best);
	if (r == 0 && equal.price == best.price)
		reading_alternative(x, before.finding_count, &equal);
	return r;
}
