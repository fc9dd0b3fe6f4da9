/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Seed and extend, then local search.
 *
 * Planned switches with the same neighbours, ports and hosts are twins: exchanging them costs nothing, so a class of
 * twins is one candidate. Extension seats the observed switch with the most seated neighbours next, in the class that
 * its neighbours vote for and in which it makes the fewest faults; if two classes are equal, the switch is deferred
 * until more of its neighbours are seated, and guessed only when no other switch is left. If none is seated, a seed is
 * guessed: the rarest sort of planned switch, and the most similar observed one. If that is not good, refinement from a
 * few bases seeds many pairs together (bases.c). Several seeds are tried while the price exceeds a few faults, and the
 * cheapest restart is kept. Invariant: image and origin are each other's inverse.
 *
 * After each restart, local search moves or exchanges switches that make faults, while that lowers the price
 * (search.c). Small networks in which faults are left are searched once more, by what the whole costs (thorough.c).
 */
#include "config.h"

#include "verify/match/assign.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "verify/match/assign_parts.h"

/* Work limits in steps, for all seeds together; the lower ones apply when few faults are left, which may be real. */
static const uint64_t WORK_MAX = 60000000, WORK_FEW = 6000000, WORK_ONE = 1000000;

/* An unfinished search is reported if more than one cable in so many is a fault. */
enum { UNFINISHED_SHARE = 20 };

/* True if an unseated switch has no seated neighbour. */
static bool is_part_left(const struct ft_assign_work *w)
{
	for (uint32_t o = 0; o < w->in->observed->count; o++)
		if (w->image[o] == FT_NONE && w->support[o] == 0)
			return true;
	return false;
}

/* True if a pair is similar enough to seed a part. A switch without any cables is compared by ports and hosts alone. */
static bool is_likely(const struct ft_assign_work *w, const struct ft_assign_guess *guess)
{
	const struct ft_assign_vertex *want = &w->in->planned_at[guess->p], *have = &w->in->observed_at[guess->o];
	uint32_t degree = w->in->observed->degree[guess->o];

	if (degree == 0 && have->ports == want->ports && have->hosts > 0 && want->may_host)
		return true;
	return guess->unlike <= 64 + 8 * degree;
}

/* Seeds each part that is disconnected from all seated switches. */
static int parts_seed(struct ft_assign_work *w)
{
	while (is_part_left(w)) {
		_cleanup_free_ struct ft_assign_guess *guesses = NULL;
		uint32_t count = 0, pick = 0;
		int r = ft_assign_guesses_make(w, &guesses, &count);

		/* An unseated switch with a seated neighbour is unplanned. */
		while (r == 0 && pick < count && w->support[guesses[pick].o] > 0)
			pick++;
		if (r < 0 || pick >= count || !is_likely(w, &guesses[pick]))
			return r;
		ft_assign_seat_take(w, guesses[pick].o, guesses[pick].p);
		ft_assign_extend(w);
	}
	return 0;
}

/*
 * The seats of @begin, extended from @seed, or without one; then from further seeds while some switches are
 * disconnected from the seated ones. The result may lack some switches. 0 or -ENOMEM.
 */
static int restart(struct ft_assign_work *w, const uint32_t *begin, const struct ft_assign_guess *seed)
{
	int r;

	ft_assign_seats_copy(w, begin);
	ft_assign_waiting_reset(w);
	if (seed)
		ft_assign_seat_take(w, seed->o, seed->p);
	ft_assign_extend(w);
	r = parts_seed(w);
	return r == 0 ? ft_assign_twins_deal(w) : r;
}

/* Keeps the present seats if they are better than the best so far. */
static void best_take(struct ft_assign_work *w, struct ft_assign_worth *best_worth, uint32_t *best)
{
	struct ft_assign_worth now;

	ft_assign_misfits_leave(w);
	now = ft_assign_worth_of(w);

	if (!ft_assign_is_better(&now, best_worth))
		return;
	*best_worth = now;
	memcpy(best, w->image, w->in->observed->count * sizeof(*best));
}

/*
 * One restart from the seats @begin; a better result than @best_worth is kept in @best. Local search lowers the prices
 * of seats, but may raise the number of faults: two misplaced cables for one swap. So the whole is compared before and
 * after.
 */
static int restart_judge(struct ft_assign_work *w, const uint32_t *begin, const struct ft_assign_guess *seed,
			 struct ft_assign_worth *best_worth, uint32_t *best)
{
	int r = restart(w, begin, seed);

	if (r < 0)
		return r;
	best_take(w, best_worth, best);
	if (best_worth->price == 0)
		return 0;
	/* A price so much above the best cannot be repaired. */
	if (ft_assign_total_price(w) / 4 >= best_worth->price || !ft_assign_improve(w))
		return 0;
	/* Work that another restart has left undone does not matter. */
	w->unfinished = false;
	r = ft_assign_twins_deal(w);
	if (r == 0)
		best_take(w, best_worth, best);
	return r;
}

/* The price without what depends on the number of switches that hosts lack on, of which there is no least. */
static uint64_t even_price(const struct ft_assign_worth *worth)
{
	return worth->price - worth->uneven * FT_PRICE_UNEVEN;
}

/* True if no place has missing hosts while another has surplus ones. Wrong names are ignored. */
static bool hosts_are_right(const struct ft_assign_work *w, const struct ft_assign_worth *worth)
{
	uint64_t names = w->in->observed->count;

	return even_price(worth) % FT_PRICE_FAULT <= ft_assign_price_least(w) % FT_PRICE_FAULT + names;
}

/* True if it can hardly be cheaper. */
static bool is_least(const struct ft_assign_work *w, const struct ft_assign_worth *worth)
{
	return even_price(worth) <= ft_assign_price_least(w) && hosts_are_right(w, worth);
}

/* Work limits, in steps, by the number of faults left; the last row is for all larger numbers. */
static bool is_enough(const struct ft_assign_work *w, const struct ft_assign_worth *worth, uint32_t few,
		      uint32_t restarts)
{
	enum { HOSTS_RESTARTS = 24 }; /* to correct hosts as well: too few in some places, too many in others */
	const struct {
		uint32_t faults;
		uint64_t steps;
	} patience[] = {{0, 0}, {1, WORK_ONE}, {few, WORK_FEW}, {UINT32_MAX, WORK_MAX}};
	unsigned int row = 0;

	while (worth->faults > patience[row].faults)
		row++;
	if (row < 3 && !hosts_are_right(w, worth) && restarts < HOSTS_RESTARTS)
		return w->steps > WORK_MAX;
	return w->steps > patience[row].steps || (row == 0 && restarts > 0);
}

/*
 * True if so many faults are left that no other restart will end with as few wrong cables as matter, each of which is
 * two faults at most.
 */
static bool is_hopeless(const struct ft_assign_work *w, const struct ft_assign_worth *worth)
{
	enum { FAR = 8 };

	return w->in->wrong_most > 0 && worth->faults > FAR * w->in->wrong_most;
}

/* One restart from the pairs that refinement has found, if any. */
static int bases_try(struct ft_assign_work *w, const uint32_t *begin, struct ft_assign_worth *worth, uint32_t *best)
{
	_cleanup_free_ uint32_t *image = malloc((w->in->observed->count + 1UL) * sizeof(*image));
	uint32_t count = 0;
	int r = image ? 0 : -ENOMEM;

	ft_assign_seats_copy(w, begin);
	if (r == 0 && w->seated == 0)
		r = ft_assign_bases_find(w, image, &count);
	return r == 0 && count > 0 ? restart_judge(w, image, NULL, worth, best) : r;
}

/* Judges whether neighbours contradict the places of more switches than @few faults can explain. 0 or -ENOMEM. */
static int best_doubt(struct ft_assign_work *w, uint32_t few, const struct ft_assign_worth *worth, const uint32_t *best)
{
	_cleanup_free_ uint32_t *image = malloc((w->in->observed->count + 1UL) * sizeof(*image));

	if (!image)
		return -ENOMEM;
	memcpy(image, best, w->in->observed->count * sizeof(*image));
	w->contradicted = worth->faults > few && ft_assign_pairs_check(w, image) > 2 * few;
	return 0;
}

static uint32_t peers_least(const struct ft_multigraph *g)
{
	uint32_t least = UINT32_MAX;

	for (uint32_t v = 0; v < g->count; v++)
		least = ft_adjacent_count(g, v) < least ? ft_adjacent_count(g, v) : least;
	return least;
}

/*
 * Tries guess after guess. If most planned switches look alike, a guess alone is nearly always wrong: so refinement
 * comes first, and more faults count as few, because a wrong place alone makes as many as the switch has neighbours.
 */
static int guesses_try(struct ft_assign_work *w, const uint32_t *begin, struct ft_assign_worth *worth, uint32_t *best)
{
	uint32_t planned = w->in->planned->count, observed = w->in->observed->count, count = 0, restart = 0;
	uint32_t few = 2 + ft_number_apart(planned, observed);
	_cleanup_free_ struct ft_assign_guess *guesses = NULL;
	int r = ft_assign_guesses_make(w, &guesses, &count);
	bool alike = r == 0 && count > 0 && 2 * guesses[0].crowd > planned, based = alike;

	if (alike) {
		few += peers_least(w->in->planned) / 4;
		r = bases_try(w, begin, worth, best);
	}
	while (r == 0 && restart < count && !is_least(w, worth) && !(based && is_hopeless(w, worth)) &&
	       !(alike && worth->faults <= few) &&
	       (restart + based == 0 || !is_enough(w, worth, few, restart + based))) {
		r = restart_judge(w, begin, &guesses[restart++], worth, best);
		if (r == 0 && !based && worth->faults > 0) {
			based = true;
			r = bases_try(w, begin, worth, best);
		}
	}
	if (r == 0 && worth->price < UINT64_MAX)
		r = best_doubt(w, few, worth, best);
	w->contradicted &= alike;
	w->unfinished = r == 0 && worth->faults > few && (w->contradicted || w->steps > WORK_MAX);
	return r;
}

static uint32_t seats_count(const struct ft_assign_work *w, const uint32_t *image)
{
	uint32_t seated = 0;

	for (uint32_t o = 0; o < w->in->observed->count; o++)
		seated += image[o] != FT_NONE;
	return seated;
}

/*
 * True if each switch is in the place of its name, most of its cables are as planned there, and hosts are not on a
 * core, but for one: what is wrong is cables, and other places would make more of them wrong. With a start without
 * names as well, a check of 11,664 hosts takes twice the work with one swap, and four times the work with forty.
 * @image: scratch.
 */
static bool names_hold(struct ft_assign_work *w, const uint32_t *begin, const uint32_t *best, uint32_t *image)
{
	uint32_t observed = w->in->observed->count;

	if (seats_count(w, begin) < observed || memcmp(begin, best, observed * sizeof(*best)) != 0)
		return false;
	for (uint32_t o = 0; o < observed; o++)
		if (!w->in->planned_at[best[o]].may_host && w->in->observed_at[o].hosts > 1)
			return false;
	memcpy(image, best, observed * sizeof(*image));
	return ft_assign_pairs_check(w, image) == 0;
}

/* Starts from the names; if that is expensive, and they are weak and do not hold, also without names. */
static int seats_try(struct ft_assign_work *w, uint32_t *begin, struct ft_assign_worth *worth, uint32_t *best)
{
	uint32_t observed = w->in->observed->count, seated = seats_count(w, begin);
	_cleanup_free_ uint32_t *image = malloc((observed + 1UL) * sizeof(*image));
	int r = image ? 0 : -ENOMEM;

	if (r == 0 && seated > 0)
		r = restart_judge(w, begin, NULL, worth, best);
	if (r < 0 || (seated > 0 && (is_least(w, worth) || !w->in->names_weak)))
		return r;
	if (names_hold(w, begin, best, image)) {
		w->unfinished = false;
		return 0;
	}
	for (uint32_t o = 0; o < observed; o++)
		begin[o] = w->in->fixed[o] ? begin[o] : FT_NONE;
	ft_assign_seats_copy(w, begin);
	r = seats_count(w, begin) > 0 ? restart_judge(w, begin, NULL, worth, best) : guesses_try(w, begin, worth, best);
	/* If most are named, guesses are only a second opinion. */
	w->unfinished &= 2 * seated <= observed;
	return r;
}

static uint64_t cables_planned(const struct ft_assign_work *w)
{
	uint64_t ends = 0;

	for (uint32_t p = 0; p < w->in->planned->count; p++)
		ends += w->in->planned->degree[p];
	return ends / 2;
}

/* The best of all restarts, after the local searches. *@ret_exact: it has no faults at all. @pool: see thorough.c. */
static int restarts(struct ft_assign_work *w, struct ft_assign_pool *pool, bool *ret_exact)
{
	size_t size = (w->in->observed->count + 1UL) * sizeof(*w->image);
	_cleanup_free_ uint32_t *begin = malloc(size);
	_cleanup_free_ uint32_t *best = malloc(size);
	_cleanup_free_ uint32_t *certain = malloc(size);
	struct ft_assign_worth worth = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT64_MAX, 0};
	int r;

	if (!begin || !best || !certain)
		return -ENOMEM;
	memcpy(begin, w->image, w->in->observed->count * sizeof(*begin));
	memcpy(certain, begin, w->in->observed->count * sizeof(*begin));
	r = seats_try(w, begin, &worth, best);
	if (r == 0 && worth.price < UINT64_MAX)
		r = ft_assign_thorough(w, certain, &worth, best, pool);
	if (r < 0)
		return r;
	if (worth.price < UINT64_MAX)
		ft_assign_seats_copy(w, best);
	*ret_exact = worth.price == 0;
	/*
	 * A price that the numbers of cables and switches prove to be the least is the best, however little was tried.
	 * With few faults the assignment is not in doubt: each wrong switch alone costs as many faults as it has
	 * cables.
	 */
	w->unfinished &= worth.price / FT_PRICE_FAULT > ft_assign_price_least(w) / FT_PRICE_FAULT &&
			 (w->contradicted || UNFINISHED_SHARE * (uint64_t)worth.faults > cables_planned(w));
	return 0;
}

static int work_make(struct ft_assign_work *w, const struct ft_assign *in)
{
	size_t planned = in->planned->count, observed = in->observed->count;
	size_t entries = observed + 2UL * in->observed->first[observed];
	struct ft_arena *a = w->memory;

	w->in = in;
	w->image = ft_arena_numbers(a, observed, FT_NONE);
	w->origin = ft_arena_numbers(a, planned, FT_NONE);
	w->twin = ft_arena_zeros(a, planned, sizeof(*w->twin));
	w->members = ft_arena_zeros(a, planned, sizeof(*w->members));
	w->members_first = ft_arena_zeros(a, planned + 1, sizeof(*w->members_first));
	w->room = ft_arena_zeros(a, planned, sizeof(*w->room));
	w->planned_look = ft_arena_zeros(a, planned, sizeof(*w->planned_look));
	w->observed_look = ft_arena_zeros(a, observed, sizeof(*w->observed_look));
	w->width = ft_arena_zeros(a, planned, sizeof(*w->width));
	w->stamp = ft_arena_zeros(a, planned, sizeof(*w->stamp));
	w->votes = ft_arena_zeros(a, planned, sizeof(*w->votes));
	w->touched = ft_arena_zeros(a, planned, sizeof(*w->touched));
	w->voter = ft_arena_zeros(a, planned, sizeof(*w->voter));
	w->support = ft_arena_zeros(a, observed, sizeof(*w->support));
	w->bucket = ft_arena_zeros(a, observed + 1, sizeof(*w->bucket));
	w->next = ft_arena_zeros(a, entries, sizeof(*w->next));
	w->entry_of = ft_arena_zeros(a, entries, sizeof(*w->entry_of));
	w->deferred = ft_arena_zeros(a, observed, sizeof(*w->deferred));
	w->waits = ft_arena_zeros(a, observed, sizeof(*w->waits));
	w->asked = ft_arena_zeros(a, observed, sizeof(*w->asked));
	w->root = ft_arena_zeros(a, planned, sizeof(*w->root));
	w->surplus = ft_arena_zeros(a, planned, sizeof(*w->surplus));
	w->lacking = ft_arena_zeros(a, planned, sizeof(*w->lacking));
	w->balance = ft_arena_zeros(a, planned, sizeof(*w->balance));
	w->over = ft_arena_zeros(a, planned, sizeof(*w->over));
	w->under = ft_arena_zeros(a, planned, sizeof(*w->under));
	return a->failed ? -ENOMEM : 0;
}

/* Seats bound switches first, then named ones. */
static void named_seat(struct ft_assign_work *w)
{
	const struct ft_assign *in = w->in;

	w->misnamed_price = !in->names_weak ? FT_PRICE_MISNAMED : in->names_first ? FT_PRICE_VOTED : 1;
	ft_assign_seats_clear(w);
	for (unsigned int pass = 0; pass < 2; pass++)
		for (uint32_t o = 0; o < in->observed->count; o++)
			if (in->named[o] != FT_NONE && in->fixed[o] == (pass == 0) &&
			    w->origin[in->named[o]] == FT_NONE)
				ft_assign_seat_move(w, o, in->named[o]);
}

/*
 * Removes unplanned switches from their places, to seat others there. Exchanges that fill no place may not make the
 * whole worse, even if they lower the prices of seats.
 */
static int strangers_leave(struct ft_assign_work *w)
{
	_cleanup_free_ uint32_t *before = malloc((w->in->observed->count + 1UL) * sizeof(*before));
	struct ft_assign_worth worth, improved;
	uint32_t seated;
	int r;

	if (!before)
		return -ENOMEM;
	seated = w->seated;
	ft_assign_strangers_leave(w);
	r = w->seated < seated ? ft_assign_twins_deal(w) : 0;
	if (r < 0)
		return r;
	seated = w->seated;
	memcpy(before, w->image, w->in->observed->count * sizeof(*before));
	worth = ft_assign_worth_of(w);
	if (!ft_assign_improve(w))
		return 0;
	r = ft_assign_twins_deal(w);
	if (r < 0 || w->seated > seated)
		return r;
	improved = ft_assign_worth_of(w);
	if (ft_assign_is_better(&worth, &improved))
		ft_assign_seats_copy(w, before);
	return 0;
}

/*
 * Seats the switches as in @start, by their names, if that is better and leaves no more out. Places of unplanned
 * switches are filled without regard for the whole. The case that bit: of two cores with as many cables missing or
 * moved both were left out first, and then seated in each other's places.
 */
static int start_keep(struct ft_assign_work *w, const uint32_t *start)
{
	const struct ft_assign_worth now = ft_assign_worth_of(w);
	uint32_t *image = ft_arena_numbers(w->memory, w->in->observed->count, FT_NONE);
	uint32_t seated = w->seated;
	struct ft_assign_worth first;

	if (!image)
		return -ENOMEM;
	memcpy(image, w->image, w->in->observed->count * sizeof(*image));
	ft_assign_seats_copy(w, start);
	first = ft_assign_worth_of(w);
	if (w->seated < seated || !ft_assign_is_better(&first, &now))
		ft_assign_seats_copy(w, image);
	return 0;
}

/* The assignments of @pool that differ from the present one, as one array. 0 or -ENOMEM. */
static int others_take(struct ft_assign_work *w, struct ft_assign_pool *pool, struct ft_assign_result *ret)
{
	uint32_t observed = w->in->observed->count;
	bool first = false;

	if (pool->count == 0)
		return 0;
	ret->others = malloc(pool->count * (observed + 1UL) * sizeof(*ret->others));
	if (!ret->others)
		return -ENOMEM;
	for (uint32_t i = 0; i < pool->count; i++) {
		if (!first && memcmp(pool->image[i], w->image, observed * sizeof(*w->image)) == 0) {
			first = true;
			continue;
		}
		memcpy(ret->others + ret->other_count++ * (size_t)observed, pool->image[i],
		       observed * sizeof(*ret->others));
	}
	return 0;
}

int ft_assign(const struct ft_assign *input, struct ft_assign_result *ret)
{
	_cleanup_(ft_arena_release) struct ft_arena memory = {0};
	struct ft_assign_work w = {.memory = &memory};
	struct ft_assign_pool pool = {0};
	bool exact = false;
	uint32_t *start;
	int r = work_make(&w, input);

	if (r < 0)
		return r;
	ft_assign_twins_find(&w);
	named_seat(&w);
	start = ft_arena_numbers(&memory, input->observed->count, FT_NONE);
	if (!start)
		return -ENOMEM;
	memcpy(start, w.image, input->observed->count * sizeof(*start));
	ft_assign_looks_take(input->planned, input->planned_at, w.planned_look);
	ft_assign_looks_take(input->observed, input->observed_at, w.observed_look);
	if (input->image)
		ft_assign_seats_copy(&w, input->image);
	else
		r = restarts(&w, &pool, &exact);
	if (r < 0)
		return r;
	for (uint32_t o = 0; o < input->observed->count; o++)
		ret->rival[o] = FT_NONE;
	r = exact || input->image ? 0 : strangers_leave(&w) ?: start_keep(&w, start);
	if (r == 0)
		r = others_take(&w, &pool, ret);
	if (r < 0)
		return r;
	if (!exact)
		ft_assign_rivals_find(&w, ret->rival);
	memcpy(ret->image, w.image, input->observed->count * sizeof(*ret->image));
	ret->doubt = !w.unfinished ? FT_ASSIGN_SURE : w.contradicted ? FT_ASSIGN_CONTRADICTED : FT_ASSIGN_UNFINISHED;
	return 0;
}
