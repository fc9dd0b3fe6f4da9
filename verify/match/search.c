/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Local search: moves a switch that makes faults, or exchanges it with another, while that lowers the price.
 *
 * Invariant: an exchange that is kept lowers the price of the two switches, or that of the whole; any other is undone.
 * Cost: O(d) for an exchange by the prices of two seats, of which each pass tries up to 24 classes for each suspect;
 * O(E) for one by the whole. Past SUSPECTS_MAX the assignment counts as unfinished, and the report says so.
 */
#include "config.h"

#include <string.h>

#include "base/cleanup.h"
#include "verify/match/assign_parts.h"

enum {
	SUSPECTS_MAX = 512, /* switches that one pass looks at */
	PASSES_MAX = 8,
};

/* The price of @o where it is: in its place, or as an unplanned switch next to an empty place. */
static uint64_t price_now(struct ft_assign_work *w, uint32_t o)
{
	if (w->image[o] != FT_NONE)
		return ft_assign_seat_price(w, o, w->image[o]).price;
	return FT_PRICE_FAULT + ft_assign_stranger_price(w, o);
}

void ft_assign_exchange(struct ft_assign_work *w, uint32_t o, uint32_t p)
{
	uint32_t other = w->origin[p], from = w->image[o];

	if (other != FT_NONE)
		ft_assign_seat_move(w, other, FT_NONE);
	ft_assign_seat_move(w, o, p);
	if (other != FT_NONE && from != FT_NONE)
		ft_assign_seat_move(w, other, from);
}

/*
 * True if the switch is in the place of its name, and no more of its cables contradict that than support it: names are
 * overruled when whole switches have been exchanged, not for cables.
 */
static bool is_pinned(struct ft_assign_work *w, uint32_t o)
{
	struct ft_assign_seat seat;

	if (w->in->fixed[o])
		return true;
	if (w->in->names_weak || w->image[o] == FT_NONE || w->in->named[o] != w->image[o])
		return false;
	seat = ft_assign_seat_price(w, o, w->image[o]);
	return 2 * seat.right >= seat.row;
}

/* Puts @o and @other back, after they were exchanged. */
static void exchange_undo(struct ft_assign_work *w, uint32_t o, uint32_t from, uint32_t other, uint32_t p)
{
	if (other != FT_NONE)
		ft_assign_seat_move(w, other, FT_NONE);
	ft_assign_seat_move(w, o, from);
	if (other != FT_NONE)
		ft_assign_seat_move(w, other, p);
}

/* Exchanges @o and the switch in @p if both get cheaper and @keep; *@ret_equal: not kept, but no more faults. */
static bool exchange_try(struct ft_assign_work *w, uint32_t o, uint32_t p, bool keep, bool *ret_equal)
{
	uint32_t other = w->origin[p], from = w->image[o];
	uint64_t before, after;

	*ret_equal = false;
	if (p == from || is_pinned(w, o) || (other != FT_NONE && is_pinned(w, other)))
		return false;
	before = price_now(w, o) + (other != FT_NONE ? price_now(w, other) : 0);
	ft_assign_exchange(w, o, p);
	after = price_now(w, o) + (other != FT_NONE ? price_now(w, other) : 0);
	if (keep && after < before)
		return true;
	*ret_equal = after / FT_PRICE_FAULT <= before / FT_PRICE_FAULT;
	exchange_undo(w, o, from, other, p);
	return false;
}

/* Moves @o to a cheaper place, if @keep; *@ret_rival: a place where it would make no more faults. */
static bool suspect_improve(struct ft_assign_work *w, uint32_t o, bool keep, uint32_t *ret_rival)
{
	enum { TRIES_MAX = 24 };
	uint32_t classes[TRIES_MAX];
	bool equal;
	uint32_t count = ft_assign_votes_rank(w, ft_assign_votes_take(w, o, true), TRIES_MAX);

	memcpy(classes, w->touched, count * sizeof(*classes));
	for (uint32_t i = 0; i < count; i++) {
		uint32_t c = classes[i], tries = 0;

		if (w->image[o] != FT_NONE && w->twin[w->image[o]] == c)
			continue;
		if (w->room[c] > 0) {
			uint32_t p = ft_assign_class_member(w, c, o);

			if (exchange_try(w, o, p, keep, &equal))
				return true;
			*ret_rival = equal ? p : *ret_rival;
		}
		for (uint32_t k = w->members_first[c]; k < w->members_first[c + 1] && tries < 8; k++) {
			uint32_t p = w->members[k];

			if (w->origin[p] == FT_NONE)
				continue;
			tries++;
			if (exchange_try(w, o, p, keep, &equal))
				return true;
			*ret_rival = equal ? p : *ret_rival;
		}
	}
	return false;
}

bool ft_assign_improve(struct ft_assign_work *w)
{
	bool better = true, moved = false;

	for (unsigned int pass = 0; better && pass < PASSES_MAX; pass++) {
		uint32_t suspects = 0, rival = FT_NONE;

		better = false;
		for (uint32_t o = 0; o < w->in->observed->count && suspects < SUSPECTS_MAX; o++) {
			if (w->in->fixed[o] || price_now(w, o) < FT_PRICE_FAULT)
				continue;
			suspects++;
			w->unfinished |= suspects == SUSPECTS_MAX;
			better |= suspect_improve(w, o, true, &rival);
		}
		moved |= better;
	}
	return moved;
}

bool ft_assign_exchange_settle(struct ft_assign_work *w, uint32_t o, uint32_t p, ft_assign_compare_fn *is_better,
			       struct ft_assign_worth *worth)
{
	uint32_t other = w->origin[p], from = w->image[o];
	struct ft_assign_worth now;

	if (is_pinned(w, o) || (other != FT_NONE && is_pinned(w, other)))
		return false;
	ft_assign_exchange(w, o, p);
	now = ft_assign_worth_of(w);
	if (is_better(&now, worth)) {
		*worth = now;
		return true;
	}
	exchange_undo(w, o, from, other, p);
	return false;
}

/* For switches that make faults and are not identified by names: the places that are as good as their own. */
void ft_assign_rivals_find(struct ft_assign_work *w, uint32_t *ret_rival)
{
	uint32_t suspects = 0;

	for (uint32_t o = 0; o < w->in->observed->count; o++) {
		ret_rival[o] = FT_NONE;
		if (w->image[o] == FT_NONE || w->in->named[o] == w->image[o] || suspects == SUSPECTS_MAX ||
		    price_now(w, o) < FT_PRICE_FAULT)
			continue;
		suspects++;
		suspect_improve(w, o, false, &ret_rival[o]);
	}
}

/* True if even weak names match nearly all places. */
static bool names_are_true(const struct ft_assign_work *w)
{
	enum { MOST = 3 };
	uint32_t right = 0, wrong = 0;

	for (uint32_t o = 0; o < w->in->observed->count; o++) {
		if (w->image[o] == FT_NONE || w->in->named[o] == FT_NONE)
			continue;
		right += w->in->named[o] == w->image[o];
		wrong += w->in->named[o] != w->image[o];
	}
	return !w->in->names_weak || right > MOST * wrong;
}

/* Removes switches that fit their place too badly to be a planned one; a switch with a name that counts stays. */
void ft_assign_strangers_leave(struct ft_assign_work *w)
{
	bool names = names_are_true(w);

	for (uint32_t o = 0; o < w->in->observed->count; o++)
		if (w->image[o] != FT_NONE && !w->in->fixed[o] && !(names && w->in->named[o] == w->image[o]) &&
		    ft_assign_is_stranger(ft_assign_seat_price(w, o, w->image[o])))
			ft_assign_seat_move(w, o, FT_NONE);
}

/* The same of switches with another number of ports that lack most cables of their place, if the whole is better then.
 */
void ft_assign_misfits_leave(struct ft_assign_work *w)
{
	enum { TRIES_MAX = 4 };
	struct ft_assign_worth worth = {0}, now;
	uint32_t tries = 0;

	for (uint32_t o = 0; o < w->in->observed->count && tries < TRIES_MAX; o++) {
		uint32_t p = w->image[o];
		struct ft_assign_seat seat;

		if (p == FT_NONE || w->in->fixed[o] ||
		    ft_ports_fit(w->in->observed_at[o].ports, w->in->planned_at[p].ports))
			continue;
		seat = ft_assign_seat_price(w, o, p);
		if (2 * seat.right >= seat.row)
			continue;
		worth = tries++ == 0 ? ft_assign_worth_of(w) : worth;
		ft_assign_seat_move(w, o, FT_NONE);
		now = ft_assign_worth_of(w);
		if (ft_assign_is_better(&now, &worth))
			worth = now;
		else
			ft_assign_seat_move(w, o, p);
	}
}
