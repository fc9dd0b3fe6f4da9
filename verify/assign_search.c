/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Local search: who makes faults is moved, or exchanged with another, while that makes the whole cheaper. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "verify/assign_parts.h"

enum {
	SUSPECTS_MAX = 512, /* that local search looks at in one pass */
	PASSES_MAX = 8,
};

/* What @o costs where it is: in its place, or as one that is not planned. */
static uint64_t price_now(struct ft_assign_work *w, uint32_t o)
{
	uint64_t price = FT_PRICE_FAULT * 2;
	const struct ft_multigraph *g = w->in->observed;

	if (w->image[o] != FT_UNASSIGNED)
		return ft_assign_seat_price(w, o, w->image[o]).price;
	for (uint32_t i = g->first[o]; i < g->first[o + 1]; i++)
		price += w->image[g->adjacent[i].vertex] != FT_UNASSIGNED ? FT_PRICE_FAULT * g->adjacent[i].count : 0;
	return price;
}

/* Puts @o into @p, and whoever is there into the place of @o. */
void ft_assign_exchange(struct ft_assign_work *w, uint32_t o, uint32_t p)
{
	uint32_t other = w->origin[p], from = w->image[o];

	if (other != FT_UNASSIGNED)
		ft_assign_seat_move(w, other, FT_UNASSIGNED);
	ft_assign_seat_move(w, o, p);
	if (other != FT_UNASSIGNED && from != FT_UNASSIGNED)
		ft_assign_seat_move(w, other, from);
}

/*
 * True where the switch is in the place of its name, and no more of its cables speak against that than for it: names
 * give way to whole switches that have changed places, not to cables.
 */
static bool is_pinned(struct ft_assign_work *w, uint32_t o)
{
	struct ft_assign_seat seat;

	if (w->in->fixed[o])
		return true;
	if (w->in->names_weak || w->image[o] == FT_UNASSIGNED || w->in->named[o] != w->image[o])
		return false;
	seat = ft_assign_seat_price(w, o, w->image[o]);
	return 2 * seat.right >= seat.row;
}

/* The same, if it makes both cheaper; *@ret_equal: it does not, but would make no more faults. */
static bool exchange_try(struct ft_assign_work *w, uint32_t o, uint32_t p, bool *ret_equal)
{
	uint32_t other = w->origin[p], from = w->image[o];
	uint64_t before, after;

	*ret_equal = false;
	if (p == from || is_pinned(w, o) || (other != FT_UNASSIGNED && is_pinned(w, other)))
		return false;
	before = price_now(w, o) + (other != FT_UNASSIGNED ? price_now(w, other) : 0);
	ft_assign_exchange(w, o, p);
	after = price_now(w, o) + (other != FT_UNASSIGNED ? price_now(w, other) : 0);
	if (after < before && (from != FT_UNASSIGNED || !ft_assign_is_intruder(w, o, ft_assign_seat_price(w, o, p))))
		return true;
	*ret_equal = after / FT_PRICE_FAULT == before / FT_PRICE_FAULT;
	if (other != FT_UNASSIGNED)
		ft_assign_seat_move(w, other, FT_UNASSIGNED);
	ft_assign_seat_move(w, o, from);
	if (other != FT_UNASSIGNED)
		ft_assign_seat_move(w, other, p);
	return false;
}

static bool suspect_improve(struct ft_assign_work *w, uint32_t o, uint32_t *ret_rival)
{
	enum { TRIES_MAX = 24 };
	uint32_t classes[TRIES_MAX];
	bool equal;
	uint32_t count = ft_assign_votes_rank(w, ft_assign_votes_take(w, o, true), TRIES_MAX);

	memcpy(classes, w->touched, count * sizeof(*classes));
	for (uint32_t i = 0; i < count; i++) {
		uint32_t c = classes[i], tries = 0;

		if (w->image[o] != FT_UNASSIGNED && w->twin[w->image[o]] == c)
			continue;
		if (w->room[c] > 0) {
			uint32_t p = ft_assign_class_member(w, c, o);

			if (exchange_try(w, o, p, &equal))
				return true;
			*ret_rival = equal ? p : *ret_rival;
		}
		for (uint32_t k = w->members_first[c]; k < w->members_first[c + 1] && tries < 8; k++) {
			uint32_t p = w->members[k];

			if (w->origin[p] == FT_UNASSIGNED)
				continue;
			tries++;
			if (exchange_try(w, o, p, &equal))
				return true;
			*ret_rival = equal ? p : *ret_rival;
		}
	}
	return false;
}

void ft_assign_improve(struct ft_assign_work *w)
{
	bool better = true;

	for (unsigned int pass = 0; better && pass < PASSES_MAX; pass++) {
		uint32_t suspects = 0, rival = FT_UNASSIGNED;

		better = false;
		for (uint32_t o = 0; o < w->in->observed->count && suspects < SUSPECTS_MAX; o++) {
			if (w->in->fixed[o] || price_now(w, o) < FT_PRICE_FAULT)
				continue;
			suspects++;
			better |= suspect_improve(w, o, &rival);
		}
	}
}

/* Where names do not tell: the places that would be as good for those that make faults in their own. */
void ft_assign_rivals_find(struct ft_assign_work *w, uint32_t *ret_rival)
{
	uint32_t suspects = 0;

	for (uint32_t o = 0; o < w->in->observed->count; o++) {
		ret_rival[o] = FT_UNASSIGNED;
		if (w->image[o] == FT_UNASSIGNED || w->in->named[o] == w->image[o] || suspects == SUSPECTS_MAX ||
		    price_now(w, o) < FT_PRICE_FAULT)
			continue;
		suspects++;
		suspect_improve(w, o, &ret_rival[o]);
	}
}

/* Whether even weak names are those of nearly all places. */
static bool names_are_true(const struct ft_assign_work *w)
{
	enum { MOST = 3 };
	uint32_t right = 0, wrong = 0;

	for (uint32_t o = 0; o < w->in->observed->count; o++) {
		if (w->image[o] == FT_UNASSIGNED || w->in->named[o] == FT_UNASSIGNED)
			continue;
		right += w->in->named[o] == w->image[o];
		wrong += w->in->named[o] != w->image[o];
	}
	return !w->in->names_weak || right > MOST * wrong;
}

/* Those that fit their place so badly that they are none of the planned switches; a name that says anything is kept. */
void ft_assign_strangers_leave(struct ft_assign_work *w)
{
	bool names = names_are_true(w);

	for (uint32_t o = 0; o < w->in->observed->count; o++)
		if (w->image[o] != FT_UNASSIGNED && !w->in->fixed[o] && !(names && w->in->named[o] == w->image[o]) &&
		    ft_assign_is_stranger(ft_assign_seat_price(w, o, w->image[o])))
			ft_assign_seat_move(w, o, FT_UNASSIGNED);
}
