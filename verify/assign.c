/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Seed and extend, then local search.
 *
 * Planned switches with the same neighbours, ports and hosts are twins: which of them is which costs nothing, so twins
 * are chosen among as one class. From what is seated already, the observed switch with the most seated neighbours is
 * seated next, in the class whose members its neighbours vote for and in which it makes the fewest faults; where two
 * classes are as good, it waits until more of its neighbours have a place, and is guessed only when nobody else is
 * left. Where nothing is seated, a seed is guessed: the rarest sort of planned switch, and what looks most like it.
 * Several seeds are tried while the whole is dearer than a few faults, and the cheapest is kept. Invariant: image and
 * origin are each other's inverse.
 *
 * At last whoever makes faults is moved, or exchanged with another, while that makes the whole cheaper.
 */
#include "config.h"

#include "verify/assign.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "verify/assign_parts.h"

/* Steps, for all seeds together; and when a few faults are left, which it may well be. */
static const uint64_t WORK_MAX = 60000000, WORK_FEW = 6000000;

static void work_release(struct ft_assign_work *w)
{
	free(w->image);
	free(w->origin);
	free(w->twin);
	free(w->members);
	free(w->members_first);
	free(w->room);
	free(w->planned_look);
	free(w->observed_look);
	free(w->width);
	free(w->stamp);
	free(w->votes);
	free(w->touched);
	free(w->voter);
	free(w->support);
	free(w->bucket);
	free(w->next);
	free(w->entry_of);
	free(w->deferred);
	free(w->waits);
	free(w->root);
	free(w->surplus);
	free(w->lacking);
	free(w->balance);
	free(w->open);
	free(w->hops_seen);
	free(w->hops_planned);
}

/* Everything that has no place yet, from a seed; and then again from others as long as some are cut off from those. */
static int trial(struct ft_assign_work *w, const struct ft_assign_guess *seed)
{
	int r = ft_assign_waiting_reset(w);

	if (r == 0 && seed)
		r = ft_assign_seat_take(w, seed->o, seed->p);
	if (r == 0)
		r = ft_assign_extend(w);
	return r;
}

/* True where somebody has no place, and no neighbour that has one. */
static bool is_part_left(const struct ft_assign_work *w)
{
	for (uint32_t o = 0; o < w->in->observed->count; o++)
		if (w->image[o] == FT_UNASSIGNED && w->support[o] == 0)
			return true;
	return false;
}

/*
 * Whether a pair is alike enough to begin a part with it. What has lost all of its cables shows by its ports and hosts
 * alone what it is.
 */
static bool is_likely(const struct ft_assign_work *w, const struct ft_assign_guess *guess)
{
	const struct ft_assign_vertex *want = &w->in->planned_at[guess->p], *have = &w->in->observed_at[guess->o];
	uint32_t degree = w->in->observed->degree[guess->o];

	if (degree == 0 && have->ports == want->ports && have->hosts > 0 && want->may_host)
		return true;
	return guess->unlike <= 64 + 8 * degree;
}

/* What is cut off from all that have places: each part gets a seed of its own. */
static int parts_seed(struct ft_assign_work *w)
{
	enum { PARTS_MAX = 4096 };

	for (uint32_t part = 0; part < PARTS_MAX && is_part_left(w); part++) {
		_cleanup_free_ struct ft_assign_guess *guesses = NULL;
		uint32_t count = 0, pick = 0;
		int r = ft_assign_guesses_make(w, &guesses, &count);

		/* Who has a neighbour with a place, and none himself, is a stranger. */
		while (r == 0 && pick < count && w->support[guesses[pick].o] > 0)
			pick++;
		if (r < 0 || pick >= count || !is_likely(w, &guesses[pick]))
			return r;
		r = ft_assign_seat_take(w, guesses[pick].o, guesses[pick].p);
		if (r == 0)
			r = ft_assign_extend(w);
		if (r < 0)
			return r;
	}
	return 0;
}

/* One trial from the seats @begin; what is better than @best_worth is kept in @best. */
static int trial_judge(struct ft_assign_work *w, const uint32_t *begin, const struct ft_assign_guess *seed,
		       struct ft_assign_worth *best_worth, uint32_t *best)
{
	struct ft_assign_worth now;
	int r;

	ft_assign_seats_copy(w, begin);
	r = trial(w, seed);
	if (r == 0)
		r = parts_seed(w);
	if (r == 0)
		r = ft_assign_twins_deal(w);
	if (r < 0)
		return r;
	/* What is so much dearer than the best is beyond repair. */
	if (ft_assign_total_price(w) / 4 < best_worth->price) {
		ft_assign_improve(w);
		r = ft_assign_twins_deal(w);
		if (r < 0)
			return r;
	}
	now = ft_assign_worth_of(w);
	if (ft_assign_is_better(&now, best_worth)) {
		*best_worth = now;
		memcpy(best, w->image, w->in->observed->count * sizeof(*best));
	}
	return 0;
}

/* No host is too few here and too many there. Names that are not right do not count. */
static bool hosts_are_right(const struct ft_assign_work *w, const struct ft_assign_worth *worth)
{
	uint64_t names = w->in->observed->count;

	return worth->price % FT_PRICE_FAULT <= ft_assign_price_least(w) % FT_PRICE_FAULT + names;
}

/* It can hardly be cheaper. */
static bool is_least(const struct ft_assign_work *w, const struct ft_assign_worth *worth)
{
	return worth->price <= ft_assign_price_least(w) && hosts_are_right(w, worth);
}

/*
 * From what is named; and, where that is dear and names are weak, without names. What nothing is known of begins with
 * the best of guesses, and goes on to others while more faults are left than a fabric has on most days.
 */
static int trials(struct ft_assign_work *w)
{
	/* So often it is tried to put hosts right as well, where they are too few here and too many there. */
	enum { FEW_FAULTS = 2, HOSTS_TRIALS = 12 };
	uint32_t observed = w->in->observed->count, seated = 0, count = 0, few = FEW_FAULTS;
	_cleanup_free_ uint32_t *begin = malloc((observed + 1UL) * sizeof(*begin));
	_cleanup_free_ uint32_t *best = malloc((observed + 1UL) * sizeof(*best));
	_cleanup_free_ struct ft_assign_guess *guesses = NULL;
	struct ft_assign_worth worth = {UINT32_MAX, UINT64_MAX};
	int r = 0;

	if (!begin || !best)
		return -ENOMEM;
	few += w->in->planned->count > observed ? w->in->planned->count - observed : observed - w->in->planned->count;
	memcpy(begin, w->image, observed * sizeof(*begin));
	for (uint32_t o = 0; o < observed; o++)
		seated += begin[o] != FT_UNASSIGNED;
	if (seated > 0)
		r = trial_judge(w, begin, NULL, &worth, best);
	if (r < 0 || (seated > 0 && (is_least(w, &worth) || !w->in->names_weak)))
		goto end;
	/* Where some names are of the one sort, by port numbers, and some of the other, by hosts: each for itself. */
	for (unsigned int hosts = 0; r == 0 && seated > 0 && w->in->names_first && hosts < 2; hosts++) {
		_cleanup_free_ uint32_t *half = malloc((observed + 1UL) * sizeof(*half));

		if (!half)
			return -ENOMEM;
		for (uint32_t o = 0; o < observed; o++) {
			bool keep = w->in->fixed[o] || (w->in->observed_at[o].hosts > 0) == (hosts > 0);

			half[o] = keep ? begin[o] : FT_UNASSIGNED;
		}
		r = trial_judge(w, half, NULL, &worth, best);
	}
	if (r < 0)
		goto end;
	seated = 0;
	for (uint32_t o = 0; o < observed; o++) {
		begin[o] = w->in->fixed[o] ? begin[o] : FT_UNASSIGNED;
		seated += begin[o] != FT_UNASSIGNED;
	}
	ft_assign_seats_copy(w, begin);
	if (seated > 0)
		r = trial_judge(w, begin, NULL, &worth, best);
	else
		r = ft_assign_guesses_make(w, &guesses, &count);
	for (uint32_t i = 0; r == 0 && i < count && i < FT_GUESSES_MAX; i++) {
		bool right = hosts_are_right(w, &worth);
		bool enough = worth.faults <= 1 || (worth.faults <= few && w->steps > WORK_FEW);

		if (i > 0 && ((enough && (right || i >= HOSTS_TRIALS)) || w->steps > WORK_MAX))
			break;
		r = trial_judge(w, begin, &guesses[i], &worth, best);
	}
end:
	if (r == 0 && worth.price < UINT64_MAX)
		ft_assign_seats_copy(w, best);
	return r;
}

static int work_make(struct ft_assign_work *w, const struct ft_assign *in)
{
	size_t planned = in->planned->count + 1UL, observed = in->observed->count + 1UL;

	w->in = in;
	w->image = malloc(observed * sizeof(*w->image));
	w->origin = malloc(planned * sizeof(*w->origin));
	w->twin = malloc(planned * sizeof(*w->twin));
	w->members = malloc(planned * sizeof(*w->members));
	w->members_first = malloc((planned + 1) * sizeof(*w->members_first));
	w->room = calloc(planned, sizeof(*w->room));
	w->planned_look = calloc(planned, sizeof(*w->planned_look));
	w->observed_look = calloc(observed, sizeof(*w->observed_look));
	w->width = calloc(planned, sizeof(*w->width));
	w->stamp = calloc(planned, sizeof(*w->stamp));
	w->votes = calloc(planned, sizeof(*w->votes));
	w->touched = malloc(planned * sizeof(*w->touched));
	w->voter = calloc(planned, sizeof(*w->voter));
	w->support = calloc(observed, sizeof(*w->support));
	w->bucket = malloc((observed + 1) * sizeof(*w->bucket));
	w->deferred = malloc(observed * sizeof(*w->deferred));
	w->waits = calloc(observed, sizeof(*w->waits));
	w->root = calloc(planned, sizeof(*w->root));
	w->surplus = calloc(planned, sizeof(*w->surplus));
	w->lacking = calloc(planned, sizeof(*w->lacking));
	w->balance = calloc(planned, sizeof(*w->balance));
	w->open = calloc(planned, sizeof(*w->open));
	w->hops_seen = calloc(planned, sizeof(*w->hops_seen));
	w->hops_planned = calloc(planned, sizeof(*w->hops_planned));
	return w->image && w->origin && w->twin && w->members && w->members_first && w->room && w->planned_look &&
			       w->observed_look && w->width && w->stamp && w->votes && w->touched && w->voter &&
			       w->support && w->bucket && w->deferred && w->waits && w->root && w->surplus &&
			       w->lacking && w->balance && w->open && w->hops_seen && w->hops_planned
		       ? 0
		       : -ENOMEM;
}

/* Names and bindings; what is bound comes first. */
static void named_seat(struct ft_assign_work *w)
{
	const struct ft_assign *in = w->in;
	uint32_t named = 0;

	w->seated = 0;
	for (uint32_t p = 0; p < in->planned->count; p++)
		w->origin[p] = FT_UNASSIGNED;
	for (uint32_t o = 0; o < in->observed->count; o++)
		w->image[o] = FT_UNASSIGNED;
	for (uint32_t c = 0; c < w->class_count; c++)
		w->room[c] = w->members_first[c + 1] - w->members_first[c];
	for (uint32_t o = 0; o < in->observed->count; o++)
		named += in->named[o] != FT_UNASSIGNED;
	w->mostly_named = !in->names_weak && 2 * named > in->observed->count;
	for (unsigned int pass = 0; pass < 2; pass++)
		for (uint32_t o = 0; o < in->observed->count; o++)
			if (in->named[o] != FT_UNASSIGNED && in->fixed[o] == (pass == 0) &&
			    w->origin[in->named[o]] == FT_UNASSIGNED)
				ft_assign_seat_move(w, o, in->named[o]);
}

int ft_assign(const struct ft_assign *input, uint32_t *ret_image, uint32_t *ret_rival)
{
	_cleanup_(work_release) struct ft_assign_work w = {0};
	int r = work_make(&w, input);

	if (r < 0)
		return r;
	ft_assign_twins_find(&w);
	named_seat(&w);
	ft_assign_looks_take(input->planned, input->planned_at, w.planned_look);
	ft_assign_looks_take(input->observed, input->observed_at, w.observed_look);
	r = trials(&w);
	if (r < 0)
		return r;
	ft_assign_strangers_leave(&w);
	ft_assign_improve(&w);
	r = ft_assign_twins_deal(&w);
	if (r < 0)
		return r;
	ft_assign_rivals_find(&w, ret_rival);
	memcpy(ret_image, w.image, input->observed->count * sizeof(*ret_image));
	return 0;
}
