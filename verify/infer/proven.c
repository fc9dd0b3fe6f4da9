/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Missing cables that their ports prove, before the pattern of any class is known: a dark port at each end that belong
 * together by how the cables around them were laid. Evidence for port p of switch a and port q of switch b:
 *
 *   STEP    a port next to p leads to one next to q, as cables of a bundle do; on both sides of them: SANDWICH. "Next"
 *           is also the usual distance between two cables of one bundle, where bundles were laid in turns. It counts
 *           only for switches most of whose bundles were laid so, not in whatever port was free
 *   HABIT   the twins of a have b in port p; the twins of b have a in port q. Only a switch whose other links are
 *           mostly in the ports of its twins is predicted by them
 *   WITHIN  both are among the links of their switches
 *
 * A port that is dark on most twins was never used; nor was one behind all links of a switch that no twin has a link
 * in. Of candidates that share a port the one with the most evidence is taken, none if the best lead to different
 * switches; taken ports count as lit, so that others become certain (greedy matching by rounds, until nothing changes).
 *
 * Where two classes of leaves differ by a cable, a leaf that has lost one looks like one of the other class. The case
 * that bit: 4 and 5 cables to each of 4 cores, and a cable of a healthy leaf that was called misplaced.
 *
 * Invariant: a port is in at most one proven cable. Cost: for each round the dark ports of all switches times the ports
 * of a switch.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "verify/infer/general.h"

enum { SANDWICH = 7, STEP = 4, HABIT = 3, WITHIN = 2, ENOUGH = 6 };
enum { SHARED_SHARE = 4, HABIT_PERCENT = 60, ORDERLY_PERCENT = 50, ROUNDS = 16 };

/* A port: where it leads to. */
enum { DARK = UINT32_MAX, OTHER = UINT32_MAX - 1 };
struct end {
	uint32_t far;	 /* observed switch; DARK; OTHER: a host, or nothing is known */
	uint32_t number; /* of the far port */
};

/* Of its set, some with most of its links on that side in the same ports. */
enum { TWINS_MAX = 24 };
struct peers {
	uint32_t observed[TWINS_MAX], count;
	bool apart; /* it lacks so much of what they have that they do not tell what it should have */
};

struct candidate {
	uint32_t a, b, p, q; /* a < b */
	int worth;
};

struct proof {
	struct ft_intent *intent;
	uint32_t *first; /* by observed switch: its port 0 in @end; of [count] the end of all */
	struct end *end;
	uint32_t *low, *high; /* by observed switch: its first and last link */
	bool *orderly;	      /* by observed switch: most of its cables are in step with another one of the bundle */
	uint32_t *stride;     /* by observed switch: the usual distance between two cables of a bundle */
	struct peers *peers[FT_SIDE_COUNT]; /* by observed switch */
	struct candidate *candidates;
	uint32_t count;
};

/* ---- ports ---- */

static uint32_t last_port(const struct proof *x, uint32_t observed)
{
	return x->first[observed + 1] - x->first[observed] - 1;
}

/* Ports that a switch does not have lead to nothing that is known. */
static const struct end *end_at(const struct proof *x, uint32_t observed, int64_t number)
{
	static const struct end none = {OTHER, 0};

	return number < 1 || number > last_port(x, observed) ? &none : &x->end[x->first[observed] + (uint32_t)number];
}

static bool is_link(const struct end *end)
{
	return end->far < OTHER;
}

static bool is_within(const struct proof *x, uint32_t observed, uint32_t number)
{
	return number > x->low[observed] && number < x->high[observed];
}

static void range_find(struct proof *x, uint32_t observed)
{
	x->low[observed] = x->high[observed] = 0;
	for (uint32_t p = 1; p <= last_port(x, observed); p++)
		if (is_link(end_at(x, observed, p))) {
			x->low[observed] = x->low[observed] ? x->low[observed] : p;
			x->high[observed] = p;
		}
}

/* The most frequent distance from a link to the next one to the same switch, if it is more than 1; else 1. */
static uint32_t stride_find(const struct proof *x, uint32_t observed)
{
	struct ft_tally tally = {0};
	uint32_t usual;

	for (uint32_t p = x->low[observed]; p && p <= x->high[observed]; p++)
		for (uint32_t next = p + 1; is_link(end_at(x, observed, p)) && next <= x->high[observed]; next++)
			if (end_at(x, observed, next)->far == end_at(x, observed, p)->far) {
				ft_tally_add(&tally, next - p);
				break;
			}
	usual = ft_tally_mode(&tally, 1);
	return tally.votes[usual] > 1 ? usual : 1;
}

static bool leads(const struct proof *x, uint32_t a, int64_t p, uint32_t b, int64_t q)
{
	const struct end *end = end_at(x, a, p);

	return end->far == b && end->number == q;
}

/* From one cable of a bundle to the next: by one port or by the usual distance, at the far end in either direction. */
enum { WAYS = 8 };
struct step {
	int64_t near, far;
};

static struct step step_of(const struct proof *x, uint32_t a, uint32_t b, unsigned int way)
{
	int64_t far = way & 2 ? x->stride[b] : 1;

	return (struct step){way & 1 ? x->stride[a] : 1, way & 4 ? -far : far};
}

static bool is_in_step(const struct proof *x, uint32_t observed, uint32_t number)
{
	const struct end *end = end_at(x, observed, number);

	for (unsigned int way = 0; way < WAYS; way++) {
		struct step step = step_of(x, observed, end->far, way);

		if (leads(x, observed, number + step.near, end->far, end->number + step.far) ||
		    leads(x, observed, number - step.near, end->far, end->number - step.far))
			return true;
	}
	return false;
}

/* Of links in bundles of several, how many are in step with another one. */
struct order {
	uint64_t links, stepped;
};

static struct order order_of(const struct proof *x, uint32_t observed)
{
	struct order order = {0};

	for (uint32_t p = x->low[observed]; p && p <= x->high[observed]; p++) {
		const struct end *end = end_at(x, observed, p);

		if (!is_link(end) || ft_edges_between(&x->intent->f->graph, observed, end->far) < 2)
			continue;
		order.links++;
		order.stepped += is_in_step(x, observed, p);
	}
	return order;
}

static bool is_orderly(const struct order *order)
{
	return order->stepped * 100 > order->links * ORDERLY_PERCENT;
}

/* In a fabric without order a few switches may look orderly by chance. */
static void orderly_find(struct proof *x)
{
	struct order all = {0};

	for (uint32_t i = 0; i < x->intent->count; i++) {
		struct order order = order_of(x, i);

		x->orderly[i] = is_orderly(&order);
		all.links += order.links;
		all.stepped += order.stepped;
	}
	for (uint32_t i = 0; i < x->intent->count; i++)
		x->orderly[i] &= is_orderly(&all);
}

static int ports_read(struct proof *x)
{
	const struct ft_inference *f = x->intent->f;
	uint32_t count = x->intent->count, all = 0;

	x->first = ft_arena_numbers(f->memory, count + 1UL, 0);
	x->low = ft_arena_numbers(f->memory, count, 0);
	x->high = ft_arena_numbers(f->memory, count, 0);
	x->stride = ft_arena_numbers(f->memory, count, 0);
	x->orderly = ft_arena_zeros(f->memory, count, sizeof(*x->orderly));
	if (f->memory->failed)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		x->first[i] = all;
		all += ft_infer_last_port(f, i) + 1;
	}
	x->first[count] = all;
	x->end = ft_arena_zeros(f->memory, all, sizeof(*x->end));
	if (!x->end)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		for (uint32_t p = 1; p <= last_port(x, i); p++) {
			struct end *end = &x->end[x->first[i] + p];

			*end = (struct end){ft_infer_port_is_dark(f, i, p) ? DARK : OTHER, 0};
		}
	}
	for (uint32_t i = 0; i < 2 * f->observed->cable_count; i++) {
		const struct ft_observed_cable *cable = &f->observed->cables[i / 2];
		uint32_t near = i % 2 ? cable->b : cable->a, far = i % 2 ? cable->a : cable->b;
		uint32_t p = f->snapshot->ports[i % 2 ? cable->b_port : cable->a_port].number;
		uint32_t q = f->snapshot->ports[i % 2 ? cable->a_port : cable->b_port].number;

		if (near != far && p <= last_port(x, near))
			x->end[x->first[near] + p] = (struct end){far, q};
	}
	for (uint32_t i = 0; i < count; i++) {
		range_find(x, i);
		x->stride[i] = stride_find(x, i);
	}
	orderly_find(x);
	return 0;
}

/* ---- what twins use a port for ---- */

static bool is_link_on(const struct proof *x, uint32_t observed, uint32_t number, enum ft_side side)
{
	const struct end *end = end_at(x, observed, number);

	return is_link(end) && ft_side_of(x->intent, observed, end->far) == side;
}

/* True if most links of @observed on that side are in the same ports of @other. */
static bool is_wired_alike(const struct proof *x, uint32_t observed, uint32_t other, enum ft_side side)
{
	uint32_t links = 0, same = 0;

	for (uint32_t p = x->low[observed]; p && p <= x->high[observed]; p++) {
		bool link = is_link_on(x, observed, p, side);

		links += link;
		same += link && end_at(x, other, p)->far == end_at(x, observed, p)->far;
	}
	return same > 0 && same * 100 >= links * HABIT_PERCENT;
}

/* How many of its peers have @far in that port. */
static uint32_t votes_for(const struct proof *x, const struct peers *peers, uint32_t number, uint32_t far)
{
	uint32_t votes = 0;

	for (uint32_t k = 0; k < peers->count; k++)
		votes += end_at(x, peers->observed[k], number)->far == far;
	return votes;
}

/* The switch that most peers have in that port on that side, or FT_NONE. */
static uint32_t customary_far(const struct proof *x, const struct peers *peers, uint32_t number, enum ft_side side)
{
	for (uint32_t k = 0; k < peers->count; k++) {
		uint32_t far = end_at(x, peers->observed[k], number)->far;

		if (is_link_on(x, peers->observed[k], number, side) &&
		    votes_for(x, peers, number, far) * 100 >= peers->count * HABIT_PERCENT)
			return far;
	}
	return FT_NONE;
}

/*
 * Marks a switch that lacks more than half of what its peers have, or several cables that one of them lacks, too, or
 * a third of the bundles, if they are thick, as a whole: a class of its own, such as boards of another make.
 */
static void apart_find(const struct proof *x, uint32_t observed, enum ft_side side, struct peers *peers)
{
	enum { GONE_MIN = 3, GONE_SHARE = 3 };
	const struct ft_multigraph *g = &x->intent->f->graph;
	uint32_t customary = 0, lacks = 0, common[TWINS_MAX] = {0}, last = FT_NONE, bundles = 0, gone = 0;

	for (uint32_t p = 1; peers->count > 0 && p <= last_port(x, observed); p++) {
		uint32_t far;

		if (is_link(end_at(x, observed, p)) && !is_link_on(x, observed, p, side))
			continue;
		far = customary_far(x, peers, p, side);
		if (far == FT_NONE)
			continue;
		customary++;
		bundles += far != last;
		gone += far != last && ft_edges_between(g, observed, far) == 0 &&
			ft_edges_between(g, peers->observed[0], far) > 1;
		last = far;
		if (is_link(end_at(x, observed, p)))
			continue;
		lacks++;
		for (uint32_t k = 0; k < peers->count; k++)
			common[k] += !is_link(end_at(x, peers->observed[k], p));
	}
	peers->apart = lacks * 2 > customary || (gone >= GONE_MIN && gone * GONE_SHARE >= bundles);
	for (uint32_t k = 0; k < peers->count; k++)
		peers->apart |= common[k] > 1 && common[k] * SHARED_SHARE >= lacks * (SHARED_SHARE - 1);
}

/*
 * True if one is below all others and has hosts, and the other has none. The case that bit: a router in the ports of
 * two storage switches, which have cables to one more core switch.
 */
static bool serves_otherwise(const struct proof *x, uint32_t a, uint32_t b)
{
	const uint32_t *hosts = x->intent->f->hosts;

	return x->intent->rank[a] == 0 && (hosts[a] > 0) != (hosts[b] > 0);
}

static bool has_dark(const struct proof *x, uint32_t observed)
{
	for (uint32_t p = 1; p <= last_port(x, observed); p++)
		if (end_at(x, observed, p)->far == DARK)
			return true;
	return false;
}

static int peers_find(struct proof *x, enum ft_side side)
{
	const struct ft_twins *twins = &x->intent->twins[side];

	x->peers[side] = ft_arena_zeros(x->intent->f->memory, x->intent->count, sizeof(*x->peers[side]));
	if (!x->peers[side])
		return -ENOMEM;
	for (uint32_t i = 0; i < x->intent->count; i++) {
		const struct ft_twin_set *set =
			twins->set_of[i] == FT_NONE || !has_dark(x, i) ? NULL : &twins->sets[twins->set_of[i]];
		struct peers *peers = &x->peers[side][i];

		for (uint32_t k = 0; set && k < set->count && peers->count < TWINS_MAX; k++) {
			uint32_t other = twins->members[set->first + k];

			if (other != i && !serves_otherwise(x, i, other) && is_wired_alike(x, i, other, side))
				peers->observed[peers->count++] = other;
		}
		apart_find(x, i, side, peers);
	}
	return 0;
}

/* The evidence of the twins that a dark port leads to @far; negative: they do not use it, or it is dark on most. */
static int custom_worth(const struct proof *x, uint32_t observed, uint32_t number, uint32_t far)
{
	const struct peers *peers = &x->peers[ft_side_of(x->intent, observed, far)][observed];
	uint32_t all = 0;

	for (enum ft_side side = 0; side < FT_SIDE_COUNT; side++) {
		const struct peers *of = &x->peers[side][observed];

		all += of->count;
		if (votes_for(x, of, number, DARK) * 2 > of->count)
			return -ENOUGH;
	}
	if (all == 0 && !is_within(x, observed, number))
		return -ENOUGH;
	return !peers->apart && peers->count > 0 &&
			       votes_for(x, peers, number, far) * 100 >= peers->count * HABIT_PERCENT
		       ? HABIT
		       : 0;
}

/* ---- candidates ---- */

static int step_worth(const struct proof *x, const struct candidate *c)
{
	bool one = false;

	if (!x->orderly[c->a] || !x->orderly[c->b])
		return 0;
	for (unsigned int way = 0; way < WAYS; way++) {
		struct step step = step_of(x, c->a, c->b, way);
		bool below = leads(x, c->a, c->p - step.near, c->b, c->q - step.far);
		bool above = leads(x, c->a, c->p + step.near, c->b, c->q + step.far);

		if (below && above)
			return SANDWICH;
		one |= below || above;
	}
	return one ? STEP : 0;
}

/* How many ports in a row are dark around that one. */
static uint32_t dark_run(const struct proof *x, uint32_t observed, int64_t number)
{
	int64_t low = number, high = number;

	while (end_at(x, observed, low - 1)->far == DARK)
		low--;
	while (end_at(x, observed, high + 1)->far == DARK)
		high++;
	return (uint32_t)(high - low + 1);
}

/* True if ports below and above have links: for an outer port of a board, outer ones, of which its traces say nothing.
 */
static bool is_within_outer(const struct proof *x, uint32_t observed, uint32_t number, uint32_t far)
{
	const struct ft_inference *f = x->intent->f;
	bool inner = ft_infer_same_system(f, observed, far), below = false, above = false;

	if (!is_within(x, observed, number))
		return false;
	for (uint32_t p = x->low[observed]; p <= x->high[observed]; p++) {
		const struct end *end = end_at(x, observed, p);

		if (!is_link(end) || (!inner && ft_infer_same_system(f, observed, end->far)))
			continue;
		below |= p < number;
		above |= p > number;
	}
	return below && above;
}

static int candidate_add(struct proof *x, uint32_t a, int64_t p, uint32_t b, int64_t q)
{
	struct candidate c = {a, b, (uint32_t)p, (uint32_t)q, 0};
	struct candidate *more;
	bool near_within, far_within;
	int near, far, step;

	if (end_at(x, a, p)->far != DARK || end_at(x, b, q)->far != DARK || a == b)
		return 0;
	near_within = is_within_outer(x, a, (uint32_t)p, b);
	far_within = is_within_outer(x, b, (uint32_t)q, a);
	if (a > b)
		c = (struct candidate){b, a, (uint32_t)q, (uint32_t)p, 0};
	near = custom_worth(x, c.a, c.p, c.b);
	far = custom_worth(x, c.b, c.q, c.a);
	step = step_worth(x, &c);
	c.worth = step + near + far + (near_within && far_within ? WITHIN : 0);
	/* What is dark on most twins counts only in the gap of a bundle, at whose other end it is not. */
	if (near < 0 || far < 0)
		c.worth = step == SANDWICH && (near > 0 || far > 0) ? SANDWICH : 0;
	if (c.worth < ENOUGH)
		return 0;
	/* Beside a thin bundle, many dark ports in a row were never used. */
	if (near <= 0 && far <= 0 && step == STEP &&
	    (dark_run(x, a, p) > ft_edges_between(&x->intent->f->graph, a, b) ||
	     dark_run(x, b, q) > ft_edges_between(&x->intent->f->graph, a, b)))
		return 0;
	/* Behind the links of both there is nothing but the habit of both. */
	if (!near_within && !far_within && (near == 0 || far == 0))
		return 0;
	more = FT_ARENA_MORE(x->intent->f->memory, x->candidates, x->count);
	if (!more)
		return -ENOMEM;
	*more = c;
	return 0;
}

/* Beside an end of a cable from a port beside @p. */
static int steps_add(struct proof *x, uint32_t a, uint32_t p)
{
	const int64_t near[] = {-1, 1, -(int64_t)x->stride[a], x->stride[a]};
	int r = 0;

	for (unsigned int i = 0; i < (x->stride[a] > 1 ? 4 : 2); i++) {
		const struct end *end = end_at(x, a, p + near[i]);
		int64_t far;

		if (!is_link(end))
			continue;
		far = x->stride[end->far];
		for (int turn = -1; r == 0 && turn <= 1; turn += 2) {
			r = candidate_add(x, a, p, end->far, end->number + turn);
			if (r == 0 && far > 1)
				r = candidate_add(x, a, p, end->far, end->number + turn * far);
		}
	}
	return r;
}

/* The ports of the switch that the twins have in port @p, which its own twins have for @a. */
static int customs_add(struct proof *x, uint32_t a, uint32_t p, enum ft_side side)
{
	uint32_t far = customary_far(x, &x->peers[side][a], p, side);
	int r = 0;

	for (uint32_t q = 1; r == 0 && far != FT_NONE && q <= last_port(x, far); q++)
		if (end_at(x, far, q)->far == DARK && custom_worth(x, far, q, a) > 0)
			r = candidate_add(x, a, p, far, q);
	return r;
}

/* The best first, then by ports, so that the same one comes twice in a row if it was found from both ends. */
static int candidate_compare(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	return FT_ORDER(y->worth, x->worth) ?: FT_ORDER(x->a, y->a) ?: FT_ORDER(x->p, y->p) ?: FT_ORDER(x->b, y->b) ?: FT_ORDER(x->q, y->q);
}

static int candidates_find(struct proof *x)
{
	int r = 0;

	x->count = 0;
	for (uint32_t i = 0; i < x->intent->count; i++)
		for (uint32_t p = 1; r == 0 && p <= last_port(x, i); p++) {
			if (end_at(x, i, p)->far != DARK)
				continue;
			r = steps_add(x, i, p);
			for (enum ft_side side = 0; r == 0 && side < FT_SIDE_COUNT; side++)
				r = customs_add(x, i, p, side);
		}
	if (x->count > 0)
		qsort(x->candidates, x->count, sizeof(*x->candidates), candidate_compare);
	return r;
}

/* ---- certain ones ---- */

static bool is_open(const struct proof *x, const struct candidate *c)
{
	return end_at(x, c->a, c->p)->far == DARK && end_at(x, c->b, c->q)->far == DARK;
}

/* True if another open candidate with as much evidence has one of its ports for another switch. */
static bool is_ambiguous(const struct proof *x, const struct candidate *c)
{
	for (uint32_t i = 0; i < x->count && x->candidates[i].worth >= c->worth; i++) {
		const struct candidate *other = &x->candidates[i];
		uint32_t here = other->a == c->a && other->p == c->p   ? other->b
				: other->b == c->a && other->q == c->p ? other->a
								       : c->b;
		uint32_t there = other->b == c->b && other->q == c->q	? other->a
				 : other->a == c->b && other->p == c->q ? other->b
									: c->a;

		if ((here != c->b || there != c->a) && is_open(x, other))
			return true;
	}
	return false;
}

static int candidate_take(struct proof *x, const struct candidate *c)
{
	struct ft_meant *pair = ft_meant_get(x->intent, c->a, c->b);

	if (!pair)
		return -ENOMEM;
	pair->proven++;
	pair->certain += c->worth > ENOUGH;
	x->end[x->first[c->a] + c->p] = (struct end){c->b, c->q};
	x->end[x->first[c->b] + c->q] = (struct end){c->a, c->p};
	return 0;
}

int ft_intent_proven(struct ft_intent *intent)
{
	struct proof x = {.intent = intent};
	bool found = true;
	int r = ports_read(&x);

	for (enum ft_side side = 0; r == 0 && side < FT_SIDE_COUNT; side++)
		r = peers_find(&x, side);
	for (unsigned int round = 0; r == 0 && found && round < ROUNDS; round++) {
		found = false;
		r = candidates_find(&x);
		for (uint32_t i = 0; r == 0 && i < x.count; i++) {
			if (!is_open(&x, &x.candidates[i]) || is_ambiguous(&x, &x.candidates[i]))
				continue;
			r = candidate_take(&x, &x.candidates[i]);
			found = true;
		}
	}
	return r;
}
