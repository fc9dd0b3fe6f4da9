/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Extension from seated switches to their neighbours: the switch with the most seated neighbours first, by buckets, as
 * in maximum cardinality search (R. Tarjan, M. Yannakakis, 1984).
 *
 * Invariant: w->support is the number of seated neighbours, and an unseated switch that has some is in the bucket of
 * that number, or deferred. Cost: O(E) for the queue, and O(candidates * d) for each switch.
 */
#include "config.h"

#include <string.h>

#include "verify/match/assign_parts.h"

enum {
	VOTERS_MAX = 8,	     /* neighbours whose votes are taken */
	CANDIDATES_MAX = 64, /* classes that are tried */
};

/* ---- waiting for a place ---- */

/*
 * A switch is queued when its support rises, and again when it was deferred and its support has risen since: at most
 * twice for each of its neighbours, and once at first. So many entries are allocated.
 */
static void wait_push(struct ft_assign_work *w, uint32_t o)
{
	uint32_t level = w->support[o];

	w->entry_of[w->entry_count] = o;
	w->next[w->entry_count] = w->bucket[level];
	w->bucket[level] = w->entry_count++;
	w->highest = level > w->highest ? level : w->highest;
}

/* The waiting switch with the most seated neighbours, or FT_NONE. Outdated entries are dropped on the way. */
static uint32_t wait_pop(struct ft_assign_work *w)
{
	for (; w->highest > 0; w->highest--)
		while (w->bucket[w->highest] != FT_NONE) {
			uint32_t entry = w->bucket[w->highest], o = w->entry_of[entry];

			w->bucket[w->highest] = w->next[entry];
			if (w->image[o] == FT_NONE && w->support[o] == w->highest)
				return o;
		}
	return FT_NONE;
}

void ft_assign_seat_take(struct ft_assign_work *w, uint32_t o, uint32_t p)
{
	const struct ft_multigraph *g = w->in->observed;

	ft_assign_seat_move(w, o, p);
	w->waits[o] = false;
	for (uint32_t i = g->first[o]; i < g->first[o + 1]; i++) {
		uint32_t peer = g->adjacent[i].vertex;

		w->support[peer]++;
		if (w->image[peer] == FT_NONE && !w->waits[peer])
			wait_push(w, peer);
	}
}

/* ---- extension ---- */

/* Lets the seated neighbours of @o vote for classes with room. Returns how many classes have votes. */
uint32_t ft_assign_votes_take(struct ft_assign_work *w, uint32_t o, bool occupied)
{
	const struct ft_multigraph *planned = w->in->planned, *observed = w->in->observed;
	uint32_t touched = 0, asked = 0;

	for (uint32_t i = observed->first[o]; i < observed->first[o + 1] && asked < VOTERS_MAX; i++) {
		uint32_t q = w->image[observed->adjacent[i].vertex];

		if (q == FT_NONE)
			continue;
		asked++;
		w->vote++;
		w->steps += ft_adjacent_count(planned, q);
		for (uint32_t k = planned->first[q]; k < planned->first[q + 1]; k++) {
			uint32_t c = w->twin[planned->adjacent[k].vertex];
			uint32_t seen = observed->adjacent[i].count, width = planned->adjacent[k].count;

			/* Twins have equally many cables to the voter, and are one candidate. */
			if ((!occupied && w->room[c] == 0) || w->voter[c] == w->vote)
				continue;
			w->voter[c] = w->vote;
			if (w->votes[c] == 0)
				w->touched[touched++] = c;
			w->votes[c] += 2 * (seen < width ? seen : width) + (seen == width);
		}
	}
	return touched;
}

/*
 * Selection sort, one step: moves the class with the most votes of touched[@at … @touched), the first of equals, to
 * @at. False if it has less than a third of the votes of touched[0]: not worth trying.
 */
static bool votes_pick(struct ft_assign_work *w, uint32_t at, uint32_t touched)
{
	uint32_t best = at, c;

	for (uint32_t i = at + 1; i < touched; i++) {
		uint32_t a = w->votes[w->touched[i]], b = w->votes[w->touched[best]];

		if (a > b || (a == b && w->touched[i] < w->touched[best]))
			best = i;
	}
	if (3 * (uint64_t)w->votes[w->touched[best]] < w->votes[w->touched[0]])
		return false;
	c = w->touched[best];
	w->touched[best] = w->touched[at];
	w->touched[at] = c;
	return true;
}

static void votes_clear(struct ft_assign_work *w, uint32_t touched)
{
	for (uint32_t i = 0; i < touched; i++)
		w->votes[w->touched[i]] = 0;
}

/* Sorts the best classes by votes, at most @most of them; clears the votes. */
uint32_t ft_assign_votes_rank(struct ft_assign_work *w, uint32_t touched, uint32_t most)
{
	uint32_t kept = 0;

	while (kept < most && kept < touched && votes_pick(w, kept, touched))
		kept++;
	votes_clear(w, touched);
	return kept;
}

struct choice {
	uint32_t place; /* FT_NONE: none */
	struct ft_assign_seat seat;
	uint32_t unlike;
	bool torn; /* tied: another class is as good */
};

/* The optimum: no fault, and alike all around. */
static bool is_perfect(const struct choice *c)
{
	return c->place != FT_NONE && c->seat.price < FT_PRICE_HOST && c->unlike == 0;
}

/*
 * The best place for @o among the @count classes with votes, those with the most votes first. Stops at two perfect
 * ones, which are a tie whatever follows: in a network of many equal parts that skips most of the candidates.
 */
static struct choice choice_make(struct ft_assign_work *w, uint32_t o, uint32_t count)
{
	struct choice best = {.place = FT_NONE};
	uint32_t votes = 0; /* for @best */

	for (uint32_t i = 0; i < count && i < CANDIDATES_MAX && !(best.torn && is_perfect(&best)); i++) {
		struct choice c;

		/* A class with fewer votes lacks a cable to a voter that the perfect one has. */
		if (!votes_pick(w, i, count) || (is_perfect(&best) && w->votes[w->touched[i]] < votes))
			break;
		c.place = ft_assign_class_member(w, w->touched[i], o);
		c.seat = ft_assign_seat_price(w, o, c.place);
		c.torn = false;
		/* A weak name only breaks ties. */
		if (best.place != FT_NONE && c.seat.price / FT_PRICE_HOST > best.seat.price / FT_PRICE_HOST)
			continue;
		c.unlike = ft_assign_unlikeness(w, o, c.place);
		if (best.place == FT_NONE || c.seat.price / FT_PRICE_HOST < best.seat.price / FT_PRICE_HOST ||
		    c.unlike < best.unlike || (c.unlike == best.unlike && c.seat.price < best.seat.price))
			best = c;
		else
			best.torn |= c.unlike == best.unlike && c.seat.price == best.seat.price;
		votes = best.place == c.place ? w->votes[w->touched[i]] : votes;
	}
	return best;
}

/* Seats @o if its place is unambiguous, or @force. Returns true if it was seated. */
static bool extend_one(struct ft_assign_work *w, uint32_t o, bool force)
{
	uint32_t count = ft_assign_votes_take(w, o, false);
	struct choice choice = choice_make(w, o, count);

	votes_clear(w, count);
	w->asked[o] = w->support[o];
	if (choice.place == FT_NONE || ft_assign_is_stranger(choice.seat) || (choice.torn && !force))
		return false;
	ft_assign_seat_take(w, o, choice.place);
	return true;
}

static void defer(struct ft_assign_work *w, uint32_t o)
{
	if (w->waits[o])
		return;
	w->waits[o] = true;
	w->deferred[w->deferred_count++] = o;
}

/* The deferred switch with the most seated neighbours, the first of equals; or FT_NONE. */
static uint32_t deferred_pick(struct ft_assign_work *w)
{
	uint32_t best = FT_NONE, kept = 0;

	for (uint32_t i = 0; i < w->deferred_count; i++) {
		uint32_t o = w->deferred[i];

		if (!w->waits[o] || w->image[o] != FT_NONE)
			continue;
		w->deferred[kept++] = o;
		if (best == FT_NONE || w->support[o] > w->support[best] ||
		    (w->support[o] == w->support[best] && w->in->order[o] < w->in->order[best]))
			best = o;
	}
	w->steps += w->deferred_count;
	w->deferred_count = kept;
	return best;
}

/* Queues deferred switches again that have more seated neighbours than when they were last tried. */
static void deferred_push(struct ft_assign_work *w)
{
	for (uint32_t i = 0; i < w->deferred_count; i++) {
		uint32_t o = w->deferred[i];

		if (w->waits[o] && w->image[o] == FT_NONE && w->support[o] > w->asked[o]) {
			w->asked[o] = w->support[o];
			wait_push(w, o);
		}
	}
	w->steps += w->deferred_count;
}

/*
 * Seats all switches with a seated neighbour, and then their neighbours. Tied switches are retried only when no others
 * are left, not after each seated neighbour: a switch of a pod would be retried once for each of its cables.
 */
void ft_assign_extend(struct ft_assign_work *w)
{
	for (;;) {
		uint32_t o = wait_pop(w);
		bool force;

		if (o == FT_NONE) {
			deferred_push(w);
			o = wait_pop(w);
		}
		force = o == FT_NONE;
		if (force)
			o = deferred_pick(w);
		/* Unplanned switches may wait, but all places are taken. */
		if (o == FT_NONE || w->seated == w->in->planned->count)
			return;
		if (extend_one(w, o, force))
			continue;
		if (force)
			w->waits[o] = false;
		else
			defer(w, o);
	}
}

/* Empties the queue and recounts the support. */
void ft_assign_waiting_reset(struct ft_assign_work *w)
{
	const struct ft_multigraph *g = w->in->observed;

	w->entry_count = w->highest = w->deferred_count = 0;
	for (uint32_t i = 0; i <= g->count; i++)
		w->bucket[i] = FT_NONE;
	memset(w->waits, 0, g->count * sizeof(*w->waits));
	for (uint32_t o = 0; o < g->count; o++) {
		w->support[o] = 0;
		for (uint32_t i = g->first[o]; i < g->first[o + 1]; i++)
			w->support[o] += w->image[g->adjacent[i].vertex] != FT_NONE;
		if (w->image[o] == FT_NONE && w->support[o] > 0)
			wait_push(w, o);
	}
}
