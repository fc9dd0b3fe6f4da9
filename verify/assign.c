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

#define NONE UINT32_MAX

/*
 * Prices. A fault outweighs any number of hosts that are too few or too many, and a host any number of names that the
 * plan has only invented. A switch that is not in the place of its own name costs three: two of them are dearer than a
 * swap of two cables, which four pairs show, and cheaper than two such swaps.
 */
#define FAULT ((uint64_t)1 << 32)
#define HOST ((uint64_t)1 << 16)
#define MISNAMED (3 * FAULT)

enum {
	VOTERS_MAX = 16,      /* neighbours that are asked for candidates */
	CANDIDATES_MAX = 64,  /* classes that are looked at */
	HOPS_DEGREE_MAX = 24, /* neighbours, up to which two steps are looked at */
	HOPS_CANDIDATES_MAX = 12,
	GUESSES_MAX = 512,  /* seeds */
	SUSPECTS_MAX = 512, /* that local search looks at in one pass */
	PASSES_MAX = 8,
};
/* Steps, for all seeds together; and when a few faults are left, which it may well be. */
static const uint64_t WORK_MAX = 60000000, WORK_FEW = 6000000;

/* What a switch looks like from where it stands: sums over two rounds of neighbours. */
enum { LOOK_HOSTS, LOOK_PORTS, LOOK_CABLES, LOOK_PEERS, LOOK_PEER_HOSTS, LOOK_PEER_CABLES, LOOK_PEERS_OF_PEERS, LOOKS };
struct look {
	uint32_t at[LOOKS];
};

struct work {
	const struct ft_assign *in;
	uint32_t *image, *origin;	   /* by observed, by planned switch */
	uint32_t *twin;			   /* by planned switch: its class */
	uint32_t *members, *members_first; /* by class: its planned switches, ascending */
	uint32_t *room;			   /* by class: members that are free */
	uint32_t class_count;
	struct look *planned_look, *observed_look;

	uint32_t *width; /* scratch, by planned switch: all 0 */
	uint32_t *stamp; /* likewise: when last seen */
	uint32_t now;
	uint32_t *votes;   /* scratch, by class: all 0 */
	uint32_t *touched; /* classes with votes */
	uint32_t *voter;   /* by class: the vote that it was last given, as a number from 1 on */
	uint32_t vote;

	uint32_t *support;	 /* by observed switch: neighbours that have a place */
	uint32_t *bucket, *next; /* by support: the first waiting entry; by entry: the next */
	uint32_t *entry_of;	 /* by entry: the observed switch */
	uint32_t entry_count, entry_size, highest;
	uint32_t *deferred, deferred_count;
	bool *waits; /* by observed switch: it is in @deferred */

	uint32_t *root, *surplus, *lacking; /* by planned switch: the pieces of the residual */
	int64_t *balance;
	bool *open;

	uint32_t *hops_seen, *hops_planned; /* scratch, by planned switch: all 0 */
	bool mostly_named;		    /* names are the switches' own, and most have one */
	uint64_t steps;
};

static void work_release(struct work *w)
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

static uint32_t absolute(uint32_t a, uint32_t b)
{
	return a > b ? a - b : b - a;
}

static uint32_t peers_of(const struct ft_multigraph *g, uint32_t v)
{
	return g->first[v + 1] - g->first[v];
}

/* ---- what switches look like ---- */

static void looks_take(const struct ft_multigraph *g, const struct ft_assign_vertex *at, struct look *looks)
{
	for (uint32_t v = 0; v < g->count; v++) {
		struct look *look = &looks[v];

		look->at[LOOK_HOSTS] = at[v].hosts;
		look->at[LOOK_PORTS] = at[v].ports;
		look->at[LOOK_CABLES] = g->degree[v];
		look->at[LOOK_PEERS] = peers_of(g, v);
		for (uint32_t i = g->first[v]; i < g->first[v + 1]; i++) {
			uint32_t peer = g->adjacent[i].vertex;

			look->at[LOOK_PEER_HOSTS] += at[peer].hosts;
			look->at[LOOK_PEER_CABLES] += g->degree[peer];
			look->at[LOOK_PEERS_OF_PEERS] += peers_of(g, peer);
		}
	}
}

/* How unlike two switches look, in cables and hosts; far ones count less, for a fault shows up in them as well. */
static uint32_t unlikeness(const struct work *w, uint32_t o, uint32_t p)
{
	static const uint32_t weight[LOOKS] = {
		[LOOK_HOSTS] = 8,      [LOOK_PORTS] = 8,       [LOOK_CABLES] = 8,	  [LOOK_PEERS] = 8,
		[LOOK_PEER_HOSTS] = 1, [LOOK_PEER_CABLES] = 1, [LOOK_PEERS_OF_PEERS] = 1,
	};
	const struct look *a = &w->observed_look[o], *b = &w->planned_look[p];
	uint64_t sum = 0;

	for (unsigned int i = 0; i < LOOKS; i++)
		sum += (uint64_t)weight[i] * absolute(a->at[i], b->at[i]);
	return sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
}

/* ---- twins ---- */

static int row_compare(const struct ft_assign *in, uint32_t a, uint32_t b)
{
	const struct ft_multigraph *g = in->planned;
	const struct ft_assign_vertex *x = &in->planned_at[a], *y = &in->planned_at[b];
	uint32_t n = peers_of(g, a);

	if (n != peers_of(g, b))
		return n < peers_of(g, b) ? -1 : 1;
	if ((x->hosts > 0) != (y->hosts > 0))
		return x->hosts > 0 ? -1 : 1;
	if (x->ports != y->ports)
		return x->ports < y->ports ? -1 : 1;
	for (uint32_t i = 0; i < n; i++) {
		const struct ft_adjacent *p = &ft_adjacent_of(g, a)[i], *q = &ft_adjacent_of(g, b)[i];

		if (p->vertex != q->vertex)
			return p->vertex < q->vertex ? -1 : 1;
		if (p->count != q->count)
			return p->count < q->count ? -1 : 1;
	}
	return 0;
}

static int twins_compare(const void *a, const void *b, void *arg)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int order = row_compare(arg, x, y);

	return order ? order : (x > y) - (x < y);
}

static void twins_find(struct work *w)
{
	uint32_t count = w->in->planned->count;

	for (uint32_t p = 0; p < count; p++)
		w->members[p] = p;
	qsort_r(w->members, count, sizeof(*w->members), twins_compare, (void *)w->in);
	for (uint32_t i = 0; i < count; i++) {
		if (i == 0 || row_compare(w->in, w->members[i - 1], w->members[i]) != 0)
			w->members_first[w->class_count++] = i;
		w->twin[w->members[i]] = w->class_count - 1;
	}
	w->members_first[w->class_count] = count;
}

/* The free member of a class whose hosts are nearest to those of @o, the first of equals. There is one. */
static uint32_t class_member(struct work *w, uint32_t c, uint32_t o)
{
	uint32_t hosts = w->in->observed_at[o].hosts, best = NONE, least = 0;

	for (uint32_t i = w->members_first[c]; i < w->members_first[c + 1]; i++) {
		uint32_t p = w->members[i], apart = absolute(w->in->planned_at[p].hosts, hosts);

		if (w->origin[p] != NONE || (best != NONE && apart >= least))
			continue;
		best = p;
		least = apart;
		if (apart == 0)
			break;
	}
	w->steps += 2;
	return best;
}

/* ---- the price of a place ---- */

struct seat {
	uint64_t price;
	uint32_t right; /* cables that are as planned */
	uint32_t right_hosts;
	bool hostless; /* it has none where some belong */
	uint32_t row;  /* planned ones, to those that have places */
};

/*
 * What observed switch @o makes wrong in place @p, as far as its neighbours have places: pairs with too few cables,
 * each cable too many; ports, hosts and names that do not fit. O(neighbours of both).
 */
static struct seat seat_price(struct work *w, uint32_t o, uint32_t p)
{
	const struct ft_multigraph *planned = w->in->planned, *observed = w->in->observed;
	const struct ft_assign_vertex *want = &w->in->planned_at[p], *have = &w->in->observed_at[o];
	uint32_t lacking = 0, surplus = 0, hosts = absolute(want->hosts, have->hosts);
	struct seat seat = {0};

	w->now++;
	w->steps += peers_of(planned, p) + peers_of(observed, o) + 4UL;
	for (uint32_t i = planned->first[p]; i < planned->first[p + 1]; i++)
		w->width[planned->adjacent[i].vertex] = planned->adjacent[i].count;
	for (uint32_t i = observed->first[o]; i < observed->first[o + 1]; i++) {
		uint32_t q = w->image[observed->adjacent[i].vertex], seen = observed->adjacent[i].count;

		if (q == NONE || q == p)
			continue;
		w->stamp[q] = w->now;
		lacking += seen < w->width[q];
		surplus += seen > w->width[q] ? seen - w->width[q] : 0;
		seat.right += seen < w->width[q] ? seen : w->width[q];
	}
	for (uint32_t i = planned->first[p]; i < planned->first[p + 1]; i++) {
		uint32_t q = planned->adjacent[i].vertex;

		lacking += w->origin[q] != NONE && w->origin[q] != o && w->stamp[q] != w->now;
		seat.row += w->origin[q] != NONE && w->origin[q] != o ? w->width[q] : 0;
		w->width[q] = 0;
	}
	seat.right_hosts = want->hosts < have->hosts ? want->hosts : have->hosts;
	lacking = lacking > have->excused ? lacking - have->excused : 0;
	seat.price = FAULT * (lacking + surplus);
	/* A switch may have one port more than the plan says: an aggregation node's. */
	if (have->ports != want->ports && have->ports != want->ports + 1)
		seat.price += FAULT;
	seat.price += HOST * hosts;
	/* Each host on a switch that is for none is a fault; one that has lost all of its hosts is as odd. */
	if (want->hosts == 0)
		seat.price += FAULT * have->hosts;
	else if (have->hosts == 0)
		seat.price += FAULT;
	seat.hostless = want->hosts > 0 && have->hosts == 0;
	if (w->in->named[o] != NONE && w->in->named[o] != p)
		seat.price += w->in->names_weak ? 1 : MISNAMED;
	return seat;
}

/* ---- waiting for a place ---- */

static int wait_push(struct work *w, uint32_t o)
{
	uint32_t level = w->support[o];

	if (w->entry_count == w->entry_size) {
		uint32_t size = w->entry_size ? 2 * w->entry_size : 1024;
		uint32_t *next = realloc(w->next, size * sizeof(*next)), *entries;

		if (!next)
			return -ENOMEM;
		w->next = next;
		entries = realloc(w->entry_of, size * sizeof(*entries));
		if (!entries)
			return -ENOMEM;
		w->entry_of = entries;
		w->entry_size = size;
	}
	w->entry_of[w->entry_count] = o;
	w->next[w->entry_count] = w->bucket[level];
	w->bucket[level] = w->entry_count++;
	w->highest = level > w->highest ? level : w->highest;
	return 0;
}

/* The one with the most neighbours that have a place, or NONE. Entries that are out of date are dropped on the way. */
static uint32_t wait_pop(struct work *w)
{
	for (; w->highest > 0; w->highest--)
		while (w->bucket[w->highest] != NONE) {
			uint32_t entry = w->bucket[w->highest], o = w->entry_of[entry];

			w->bucket[w->highest] = w->next[entry];
			if (w->image[o] == NONE && w->support[o] == w->highest)
				return o;
		}
	return NONE;
}

static int seat_take(struct work *w, uint32_t o, uint32_t p)
{
	const struct ft_multigraph *g = w->in->observed;
	int r = 0;

	w->image[o] = p;
	w->origin[p] = o;
	w->room[w->twin[p]]--;
	w->waits[o] = false;
	for (uint32_t i = g->first[o]; r == 0 && i < g->first[o + 1]; i++) {
		uint32_t peer = g->adjacent[i].vertex;

		w->support[peer]++;
		if (w->image[peer] == NONE)
			r = wait_push(w, peer);
	}
	return r;
}

/* ---- extension ---- */

/* Lets the neighbours of @o that have places vote for classes with room. Returns how many have votes. */
static uint32_t votes_take(struct work *w, uint32_t o, bool occupied)
{
	const struct ft_multigraph *planned = w->in->planned, *observed = w->in->observed;
	uint32_t touched = 0, asked = 0;

	for (uint32_t i = observed->first[o]; i < observed->first[o + 1] && asked < VOTERS_MAX; i++) {
		uint32_t q = w->image[observed->adjacent[i].vertex];

		if (q == NONE)
			continue;
		asked++;
		w->vote++;
		w->steps += peers_of(planned, q);
		for (uint32_t k = planned->first[q]; k < planned->first[q + 1]; k++) {
			uint32_t c = w->twin[planned->adjacent[k].vertex];
			uint32_t seen = observed->adjacent[i].count, width = planned->adjacent[k].count;

			/* Twins have as many cables each to the voter, and are one candidate. */
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

/* The best classes by votes first, at most @most of them; the votes are taken back. */
static uint32_t votes_rank(struct work *w, uint32_t touched, uint32_t most)
{
	uint32_t kept = 0;

	for (; kept < most && kept < touched; kept++) {
		uint32_t best = kept;

		for (uint32_t i = kept + 1; i < touched; i++) {
			uint32_t a = w->votes[w->touched[i]], b = w->votes[w->touched[best]];

			if (a > b || (a == b && w->touched[i] < w->touched[best]))
				best = i;
		}
		if (kept > 0 && 3 * (uint64_t)w->votes[w->touched[best]] < w->votes[w->touched[0]])
			break;
		if (best != kept) {
			uint32_t c = w->touched[best];

			w->touched[best] = w->touched[kept];
			w->touched[kept] = c;
		}
	}
	for (uint32_t i = 0; i < touched; i++)
		w->votes[w->touched[i]] = 0;
	return kept;
}

/*
 * How far two steps from @o disagree with two steps from @p: by how many ways those that have a place are reached. That
 * tells neighbours on one ring from neighbours on two, where one step tells nothing. O(d^2).
 */
static uint32_t hops_disagree(struct work *w, uint32_t o, uint32_t p)
{
	const struct ft_multigraph *planned = w->in->planned, *observed = w->in->observed;
	uint32_t disagree = 0;

	for (uint32_t i = observed->first[o]; i < observed->first[o + 1]; i++) {
		uint32_t via = observed->adjacent[i].vertex;

		for (uint32_t k = observed->first[via]; k < observed->first[via + 1]; k++)
			if (w->image[observed->adjacent[k].vertex] != NONE)
				w->hops_seen[w->image[observed->adjacent[k].vertex]]++;
		w->steps += peers_of(observed, via);
	}
	for (uint32_t i = planned->first[p]; i < planned->first[p + 1]; i++) {
		uint32_t via = planned->adjacent[i].vertex;

		for (uint32_t k = planned->first[via]; k < planned->first[via + 1]; k++)
			w->hops_planned[planned->adjacent[k].vertex]++;
		w->steps += peers_of(planned, via);
	}
	for (uint32_t i = planned->first[p]; i < planned->first[p + 1]; i++) {
		uint32_t via = planned->adjacent[i].vertex;

		for (uint32_t k = planned->first[via]; k < planned->first[via + 1]; k++) {
			uint32_t z = planned->adjacent[k].vertex;

			if (w->origin[z] != NONE && z != p)
				disagree += absolute(w->hops_planned[z], w->hops_seen[z]);
			w->hops_planned[z] = w->hops_seen[z] = 0;
		}
	}
	for (uint32_t i = observed->first[o]; i < observed->first[o + 1]; i++) {
		uint32_t via = observed->adjacent[i].vertex;

		for (uint32_t k = observed->first[via]; k < observed->first[via + 1]; k++) {
			uint32_t q = w->image[observed->adjacent[k].vertex];

			if (q == NONE)
				continue;
			disagree += q == p ? 0 : w->hops_seen[q];
			w->hops_seen[q] = 0;
		}
	}
	return disagree;
}

struct choice {
	uint32_t place; /* NONE: there is none */
	struct seat seat;
	uint64_t unlike;
	bool torn; /* another class is as good */
};

static bool hops_tell(const struct work *w, uint32_t o)
{
	return peers_of(w->in->observed, o) <= HOPS_DEGREE_MAX;
}

/* The best place for @o among classes touched[0 … count). */
static struct choice choice_make(struct work *w, uint32_t o, uint32_t count)
{
	struct choice best = {.place = NONE};
	bool hops = count > 1 && hops_tell(w, o);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t p = class_member(w, w->touched[i], o);
		struct choice c = {.place = p, .seat = seat_price(w, o, p), .unlike = unlikeness(w, o, p)};

		/* A weak name decides between equals only. */
		if (best.place != NONE && c.seat.price / HOST > best.seat.price / HOST)
			continue;
		if (hops && i < HOPS_CANDIDATES_MAX)
			c.unlike += 16UL * hops_disagree(w, o, p);
		if (best.place == NONE || c.seat.price / HOST < best.seat.price / HOST || c.unlike < best.unlike ||
		    (c.unlike == best.unlike && c.seat.price < best.seat.price))
			best = c;
		else
			best.torn |= c.unlike == best.unlike && c.seat.price == best.seat.price;
	}
	return best;
}

/*
 * What makes an unplanned switch of it: more faults than it would be, its cables being wrong one by one. One that has
 * no more than half of the cables of its place is the likelier to be a stranger.
 */
static bool is_stranger(struct seat seat)
{
	uint64_t wrong = 2 * seat.price + (2 * (uint64_t)seat.right <= seat.row ? FAULT : 0);
	uint64_t limit = 2 * FAULT * (2 + (uint64_t)seat.right + seat.right_hosts);

	/* Without a single host where some belong it has less to show for itself. */
	return seat.hostless ? wrong >= limit : wrong > limit;
}

/*
 * Where the others have names of their own, one without is taken for a planned switch, renamed, only if most of the
 * cables of the place are its own.
 */
static bool is_intruder(const struct work *w, uint32_t o, struct seat seat)
{
	return w->mostly_named && w->in->named[o] == NONE && 2 * (uint64_t)seat.right <= seat.row;
}

/* Seats @o if that is clear, or @force. Returns 1 where it was seated, 0, or -ENOMEM. */
static int extend_one(struct work *w, uint32_t o, bool force)
{
	uint32_t count = votes_rank(w, votes_take(w, o, false), CANDIDATES_MAX);
	struct choice choice = choice_make(w, o, count);
	int r;

	if (choice.place == NONE || is_stranger(choice.seat) || is_intruder(w, o, choice.seat) ||
	    (choice.torn && !force))
		return 0;
	r = seat_take(w, o, choice.place);
	return r < 0 ? r : 1;
}

static void defer(struct work *w, uint32_t o)
{
	if (w->waits[o])
		return;
	w->waits[o] = true;
	w->deferred[w->deferred_count++] = o;
}

/* The deferred one with the most neighbours that have a place, the first of equals; or NONE. */
static uint32_t deferred_pick(struct work *w)
{
	uint32_t best = NONE, kept = 0;

	for (uint32_t i = 0; i < w->deferred_count; i++) {
		uint32_t o = w->deferred[i];

		if (!w->waits[o] || w->image[o] != NONE)
			continue;
		w->deferred[kept++] = o;
		if (best == NONE || w->support[o] > w->support[best] ||
		    (w->support[o] == w->support[best] && w->in->order[o] < w->in->order[best]))
			best = o;
	}
	w->steps += w->deferred_count;
	w->deferred_count = kept;
	return best;
}

/* Everybody who has a neighbour with a place, and then their neighbours. */
static int extend(struct work *w)
{
	for (;;) {
		uint32_t o = wait_pop(w);
		bool force = o == NONE;
		int r;

		if (force)
			o = deferred_pick(w);
		if (o == NONE)
			return 0;
		r = extend_one(w, o, force);
		if (r < 0)
			return r;
		if (r == 0 && !force)
			defer(w, o);
		else if (r == 0)
			w->waits[o] = false;
	}
}

/* ---- seeds ---- */

struct guess {
	uint32_t o, p;
	uint32_t unlike, crowd; /* planned switches that look like @p */
	uint32_t turn;		/* 0: the best for its @p; 1: the next; … */
};

static int look_compare(const struct look *a, const struct look *b)
{
	return memcmp(a, b, sizeof(*a));
}

static int planned_by_look(const void *a, const void *b, void *arg)
{
	const struct work *w = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int order = look_compare(&w->planned_look[x], &w->planned_look[y]);

	return order ? order : (x > y) - (x < y);
}

static int guess_compare(const void *a, const void *b, void *arg)
{
	const struct work *w = arg;
	const struct guess *x = a, *y = b;
	uint64_t p = (uint64_t)x->unlike * 4 + x->crowd, q = (uint64_t)y->unlike * 4 + y->crowd;

	if (x->turn != y->turn)
		return x->turn < y->turn ? -1 : 1;
	if (p != q)
		return p < q ? -1 : 1;
	if (x->p != y->p)
		return x->p < y->p ? -1 : 1;
	return w->in->order[x->o] < w->in->order[y->o] ? -1 : 1;
}

/* The observed switches that look most like sort->p, at most @most of them. Returns how many. */
static uint32_t sort_guesses(struct work *w, const struct guess *sort, uint32_t most, struct guess *ret)
{
	uint32_t count = 0;

	for (uint32_t o = 0; o < w->in->observed->count; o++) {
		struct guess g = {o, sort->p, 0, sort->crowd, 0};
		uint32_t at;

		if (w->image[o] != NONE)
			continue;
		g.unlike = unlikeness(w, o, sort->p);
		if (count == most && guess_compare(&ret[count - 1], &g, w) <= 0)
			continue;
		at = count < most ? count++ : count - 1;
		for (; at > 0 && guess_compare(&ret[at - 1], &g, w) > 0; at--)
			ret[at] = ret[at - 1];
		ret[at] = g;
	}
	for (uint32_t i = 0; i < count; i++)
		ret[i].turn = i;
	w->steps += w->in->observed->count;
	return count;
}

/*
 * Pairs to begin with: of each sort of free planned switches one, with the observed switches without a place that look
 * most like it. The caller frees them.
 */
static int guesses_make(struct work *w, struct guess **ret, uint32_t *ret_count)
{
	enum { SORTS_MAX = 64, SORT_GUESSES = 8 };
	uint32_t planned = w->in->planned->count, free_count = 0, sorts = 0, count = 0;
	_cleanup_free_ uint32_t *order = malloc((planned + 1UL) * sizeof(*order));
	struct guess sort[SORTS_MAX], *guesses;

	if (!order)
		return -ENOMEM;
	for (uint32_t p = 0; p < planned; p++)
		if (w->origin[p] == NONE)
			order[free_count++] = p;
	qsort_r(order, free_count, sizeof(*order), planned_by_look, w);
	for (uint32_t i = 0; i < free_count;) {
		uint32_t end = i + 1, worst = 0;
		struct guess g = {.p = order[i]};

		while (end < free_count && look_compare(&w->planned_look[order[i]], &w->planned_look[order[end]]) == 0)
			end++;
		g.crowd = end - i;
		i = end;
		if (sorts < SORTS_MAX) {
			sort[sorts++] = g;
			continue;
		}
		for (uint32_t k = 1; k < sorts; k++)
			worst = sort[k].crowd > sort[worst].crowd ? k : worst;
		if (g.crowd < sort[worst].crowd)
			sort[worst] = g;
	}
	guesses = malloc(((size_t)GUESSES_MAX + (size_t)sorts * SORT_GUESSES + 1) * sizeof(*guesses));
	if (!guesses)
		return -ENOMEM;
	for (uint32_t k = 0; k < sorts; k++)
		count += sort_guesses(w, &sort[k], GUESSES_MAX / sorts + SORT_GUESSES, guesses + count);
	qsort_r(guesses, count, sizeof(*guesses), guess_compare, w);
	*ret = guesses;
	*ret_count = count;
	return 0;
}

/* ---- the whole ---- */

static uint64_t total_price(struct work *w)
{
	uint64_t sum = 0, seated = 0;

	for (uint32_t o = 0; o < w->in->observed->count; o++) {
		if (w->image[o] == NONE) {
			sum += FAULT * (w->in->observed->degree[o] + 1);
			continue;
		}
		seated++;
		sum += seat_price(w, o, w->image[o]).price;
	}
	return sum + FAULT * (w->in->planned->count - seated);
}

static void seats_copy(const struct work *w, const uint32_t *image)
{
	memcpy(w->image, image, w->in->observed->count * sizeof(*image));
	for (uint32_t p = 0; p < w->in->planned->count; p++)
		w->origin[p] = NONE;
	for (uint32_t c = 0; c < w->class_count; c++)
		w->room[c] = w->members_first[c + 1] - w->members_first[c];
	for (uint32_t o = 0; o < w->in->observed->count; o++)
		if (image[o] != NONE) {
			w->origin[image[o]] = o;
			w->room[w->twin[image[o]]]--;
		}
}

/* Nobody waits; supports are counted anew. */
static int waiting_reset(struct work *w)
{
	const struct ft_multigraph *g = w->in->observed;
	int r = 0;

	w->entry_count = w->highest = w->deferred_count = 0;
	for (uint32_t i = 0; i <= g->count; i++)
		w->bucket[i] = NONE;
	memset(w->waits, 0, g->count * sizeof(*w->waits));
	for (uint32_t o = 0; r == 0 && o < g->count; o++) {
		w->support[o] = 0;
		for (uint32_t i = g->first[o]; i < g->first[o + 1]; i++)
			w->support[o] += w->image[g->adjacent[i].vertex] != NONE;
		if (w->image[o] == NONE && w->support[o] > 0)
			r = wait_push(w, o);
	}
	return r;
}

/* ---- local search ---- */

static void seat_move(struct work *w, uint32_t o, uint32_t p)
{
	if (w->image[o] != NONE) {
		w->origin[w->image[o]] = NONE;
		w->room[w->twin[w->image[o]]]++;
	}
	w->image[o] = p;
	if (p != NONE) {
		w->origin[p] = o;
		w->room[w->twin[p]]--;
	}
}

/* What @o costs where it is: in its place, or as one that is not planned. */
static uint64_t price_now(struct work *w, uint32_t o)
{
	uint64_t price = FAULT * 2;
	const struct ft_multigraph *g = w->in->observed;

	if (w->image[o] != NONE)
		return seat_price(w, o, w->image[o]).price;
	for (uint32_t i = g->first[o]; i < g->first[o + 1]; i++)
		price += w->image[g->adjacent[i].vertex] != NONE ? FAULT * g->adjacent[i].count : 0;
	return price;
}

/* Puts @o into @p, and whoever is there into the place of @o. */
static void exchange(struct work *w, uint32_t o, uint32_t p)
{
	uint32_t other = w->origin[p], from = w->image[o];

	if (other != NONE)
		seat_move(w, other, NONE);
	seat_move(w, o, p);
	if (other != NONE && from != NONE)
		seat_move(w, other, from);
}

/*
 * True where the switch is in the place of its name, and no more of its cables speak against that than for it: names
 * give way to whole switches that have changed places, not to cables.
 */
static bool is_pinned(struct work *w, uint32_t o)
{
	struct seat seat;

	if (w->in->fixed[o])
		return true;
	if (w->in->names_weak || w->image[o] == NONE || w->in->named[o] != w->image[o])
		return false;
	seat = seat_price(w, o, w->image[o]);
	return 2 * seat.right >= seat.row;
}

/* The same, if it makes both cheaper; *@ret_equal: it does not, but would make no more faults. */
static bool exchange_try(struct work *w, uint32_t o, uint32_t p, bool *ret_equal)
{
	uint32_t other = w->origin[p], from = w->image[o];
	uint64_t before, after;

	*ret_equal = false;
	if (p == from || is_pinned(w, o) || (other != NONE && is_pinned(w, other)))
		return false;
	before = price_now(w, o) + (other != NONE ? price_now(w, other) : 0);
	exchange(w, o, p);
	after = price_now(w, o) + (other != NONE ? price_now(w, other) : 0);
	if (after < before && (from != NONE || !is_intruder(w, o, seat_price(w, o, p))))
		return true;
	*ret_equal = after / FAULT == before / FAULT;
	if (other != NONE)
		seat_move(w, other, NONE);
	seat_move(w, o, from);
	if (other != NONE)
		seat_move(w, other, p);
	return false;
}

static bool suspect_improve(struct work *w, uint32_t o, uint32_t *ret_rival)
{
	enum { TRIES_MAX = 24 };
	uint32_t classes[TRIES_MAX];
	bool equal;
	uint32_t count = votes_rank(w, votes_take(w, o, true), TRIES_MAX);

	memcpy(classes, w->touched, count * sizeof(*classes));
	for (uint32_t i = 0; i < count; i++) {
		uint32_t c = classes[i], tries = 0;

		if (w->image[o] != NONE && w->twin[w->image[o]] == c)
			continue;
		if (w->room[c] > 0) {
			uint32_t p = class_member(w, c, o);

			if (exchange_try(w, o, p, &equal))
				return true;
			*ret_rival = equal ? p : *ret_rival;
		}
		for (uint32_t k = w->members_first[c]; k < w->members_first[c + 1] && tries < 8; k++) {
			uint32_t p = w->members[k];

			if (w->origin[p] == NONE)
				continue;
			tries++;
			if (exchange_try(w, o, p, &equal))
				return true;
			*ret_rival = equal ? p : *ret_rival;
		}
	}
	return false;
}

static void improve(struct work *w)
{
	bool better = true;

	for (unsigned int pass = 0; better && pass < PASSES_MAX; pass++) {
		uint32_t suspects = 0, rival = NONE;

		better = false;
		for (uint32_t o = 0; o < w->in->observed->count && suspects < SUSPECTS_MAX; o++) {
			if (w->in->fixed[o] || price_now(w, o) < FAULT)
				continue;
			suspects++;
			better |= suspect_improve(w, o, &rival);
		}
	}
}

/* Where names do not tell: the places that would be as good for those that make faults in their own. */
static void rivals_find(struct work *w, uint32_t *ret_rival)
{
	uint32_t suspects = 0;

	for (uint32_t o = 0; o < w->in->observed->count; o++) {
		ret_rival[o] = NONE;
		if (w->image[o] == NONE || w->in->named[o] == w->image[o] || suspects == SUSPECTS_MAX ||
		    price_now(w, o) < FAULT)
			continue;
		suspects++;
		suspect_improve(w, o, &ret_rival[o]);
	}
}

/* Whether even weak names are those of nearly all places. */
static bool names_are_true(const struct work *w)
{
	enum { MOST = 3 };
	uint32_t right = 0, wrong = 0;

	for (uint32_t o = 0; o < w->in->observed->count; o++) {
		if (w->image[o] == NONE || w->in->named[o] == NONE)
			continue;
		right += w->in->named[o] == w->image[o];
		wrong += w->in->named[o] != w->image[o];
	}
	return !w->in->names_weak || right > MOST * wrong;
}

/* Those that fit their place so badly that they are none of the planned switches; a name that says anything is kept. */
static void strangers_leave(struct work *w)
{
	bool names = names_are_true(w);

	for (uint32_t o = 0; o < w->in->observed->count; o++)
		if (w->image[o] != NONE && !w->in->fixed[o] && !(names && w->in->named[o] == w->image[o]) &&
		    is_stranger(seat_price(w, o, w->image[o])))
			seat_move(w, o, NONE);
}

/* ---- dealing the places of a class ---- */

/* A switch or a place, by hosts and then by order. */
struct dealt {
	uint32_t hosts, rank, index;
};

static int dealt_compare(const void *a, const void *b)
{
	const struct dealt *x = a, *y = b;

	if (x->hosts != y->hosts)
		return x->hosts < y->hosts ? -1 : 1;
	return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* The price of hosts that differ: first how many are too few or too many, then on how many switches. */
static uint32_t hosts_apart(uint32_t a, uint32_t b)
{
	return 2 * absolute(a, b) + (a != b);
}

/* Who has just the hosts of a place gets it. Both lists are sorted; what is left stays in them. */
static void equals_deal(struct work *w, struct dealt *who, uint32_t *who_count, struct dealt *seats,
			uint32_t *seat_count)
{
	uint32_t i = 0, k = 0, who_left = 0, seats_left = 0;

	while (i < *who_count || k < *seat_count) {
		if (i < *who_count && k < *seat_count && who[i].hosts == seats[k].hosts)
			seat_move(w, who[i++].index, seats[k++].index);
		else if (k == *seat_count || (i < *who_count && who[i].hosts < seats[k].hosts))
			who[who_left++] = who[i++];
		else
			seats[seats_left++] = seats[k++];
	}
	*who_count = who_left;
	*seat_count = seats_left;
}

/*
 * The others, so that the fewest hosts are too few or too many: in the order of both, with the fewest places left out
 * between. Seats are at least as many. Dynamic programming over (who, seats); O(who * seats).
 */
static int others_deal(struct work *w, const struct dealt *who, uint32_t n, const struct dealt *seats, uint32_t m)
{
	enum { CELLS_MAX = 1 << 22 };
	uint32_t extra = m - n, width = extra + 1;
	_cleanup_free_ uint32_t *cost = NULL;

	if (n == 0)
		return 0;
	if ((uint64_t)(n + 1) * width > CELLS_MAX) {
		for (uint32_t i = 0; i < n; i++)
			seat_move(w, who[i].index, seats[extra + i].index);
		return 0;
	}
	/* cost[i * width + k]: the first i have places, k places before these are left out. */
	cost = calloc((size_t)(n + 1) * width, sizeof(*cost));
	if (!cost)
		return -ENOMEM;
	for (uint32_t i = 1; i <= n; i++)
		for (uint32_t k = 0; k < width; k++) {
			uint32_t here = cost[(size_t)(i - 1) * width + k] +
					hosts_apart(who[i - 1].hosts, seats[i - 1 + k].hosts);
			uint32_t before = k > 0 ? cost[(size_t)i * width + k - 1] : UINT32_MAX;

			cost[(size_t)i * width + k] = here < before ? here : before;
		}
	for (uint32_t i = n, k = extra; i > 0;) {
		if (k > 0 && cost[(size_t)i * width + k] == cost[(size_t)i * width + k - 1]) {
			k--;
			continue;
		}
		i--;
		seat_move(w, who[i].index, seats[i + k].index);
	}
	return 0;
}

/* Who would have as many hosts too few or too many, all in all, in the place of its name goes there. */
static void names_deal(struct work *w, uint32_t c)
{
	const struct ft_assign *in = w->in;

	for (uint32_t i = w->members_first[c]; i < w->members_first[c + 1]; i++) {
		uint32_t from = w->members[i], o = w->origin[from], to = o == NONE ? NONE : in->named[o], other;
		uint32_t before, after;

		if (to == NONE || to == from || w->twin[to] != c || in->fixed[o])
			continue;
		other = w->origin[to];
		if (other != NONE && (in->fixed[other] || in->named[other] == to))
			continue;
		before = hosts_apart(in->observed_at[o].hosts, in->planned_at[from].hosts);
		after = hosts_apart(in->observed_at[o].hosts, in->planned_at[to].hosts);
		if (other != NONE) {
			before += hosts_apart(in->observed_at[other].hosts, in->planned_at[to].hosts);
			after += hosts_apart(in->observed_at[other].hosts, in->planned_at[from].hosts);
		}
		if (after <= before)
			exchange(w, o, to);
	}
}

/* Among places with as many hosts, who is not in the place of its name sits in the order of ranks. */
static void ranks_deal(struct work *w, uint32_t c, struct dealt *who, struct dealt *seats)
{
	const struct ft_assign *in = w->in;
	uint32_t count = 0;

	for (uint32_t i = w->members_first[c]; i < w->members_first[c + 1]; i++) {
		uint32_t p = w->members[i], o = w->origin[p];

		if (o != NONE && !in->fixed[o] && in->named[o] != p)
			seats[count++] = (struct dealt){in->planned_at[p].hosts, i, p};
	}
	qsort(seats, count, sizeof(*seats), dealt_compare);
	for (uint32_t first = 0, end; first < count; first = end) {
		for (end = first; end < count && seats[end].hosts == seats[first].hosts; end++) {
			uint32_t o = w->origin[seats[end].index];

			who[end - first] = (struct dealt){0, in->order[o], o};
			seat_move(w, o, NONE);
		}
		qsort(who, end - first, sizeof(*who), dealt_compare);
		for (uint32_t i = first; i < end; i++)
			seat_move(w, who[i - first].index, seats[i].index);
	}
}

/*
 * Twins are alike but for their hosts: within a class, first those with the name and the hosts of a place get it, then
 * those with its hosts, then the rest. A switch that is where its name is stays there, if names say anything.
 */
static int class_deal(struct work *w, uint32_t c, struct dealt *who, struct dealt *seats)
{
	const struct ft_assign *in = w->in;
	uint32_t count = 0, left = 0, seat_count = 0;
	int e;

	for (uint32_t i = w->members_first[c]; i < w->members_first[c + 1]; i++) {
		uint32_t o = w->origin[w->members[i]];

		if (o != NONE && !in->fixed[o] && (in->names_weak || in->named[o] != w->image[o]))
			who[count++] = (struct dealt){in->observed_at[o].hosts, in->order[o], o};
	}
	for (uint32_t i = 0; i < count; i++)
		seat_move(w, who[i].index, NONE);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t p = in->named[who[i].index];

		if (p != NONE && w->twin[p] == c && w->origin[p] == NONE &&
		    (in->names_first || in->planned_at[p].hosts == who[i].hosts))
			seat_move(w, who[i].index, p);
		else
			who[left++] = who[i];
	}
	for (uint32_t i = w->members_first[c]; i < w->members_first[c + 1]; i++)
		if (w->origin[w->members[i]] == NONE)
			seats[seat_count++] = (struct dealt){in->planned_at[w->members[i]].hosts, i, w->members[i]};
	qsort(who, left, sizeof(*who), dealt_compare);
	qsort(seats, seat_count, sizeof(*seats), dealt_compare);
	equals_deal(w, who, &left, seats, &seat_count);
	e = others_deal(w, who, left, seats, seat_count);
	if (e < 0)
		return e;
	names_deal(w, c);
	ranks_deal(w, c, who, seats);
	return 0;
}

static int twins_deal(struct work *w)
{
	size_t size = w->in->planned->count + 1UL;
	_cleanup_free_ struct dealt *who = malloc(size * sizeof(*who));
	_cleanup_free_ struct dealt *seats = malloc(size * sizeof(*seats));
	int r = who && seats ? 0 : -ENOMEM;

	for (uint32_t c = 0; r == 0 && c < w->class_count; c++)
		r = class_deal(w, c, who, seats);
	return r;
}

/* ---- trials ---- */

/* A price that no explanation can be far below, given how many cables and hosts there are. */
static uint64_t price_least(const struct work *w)
{
	uint32_t p_count = w->in->planned->count, o_count = w->in->observed->count;
	uint64_t planned = 0, observed = 0, p_hosts = 0, o_hosts = 0,
		 unseen = p_count > o_count ? p_count - o_count : 0;
	uint32_t most = 0;

	for (uint32_t p = 0; p < p_count; p++) {
		planned += w->in->planned->degree[p];
		p_hosts += w->in->planned_at[p].hosts;
		most = w->in->planned->degree[p] > most ? w->in->planned->degree[p] : most;
	}
	for (uint32_t o = 0; o < o_count; o++) {
		observed += w->in->observed->degree[o];
		o_hosts += w->in->observed_at[o].hosts;
	}
	/* Switches that were not seen take their cables with them. */
	planned -= planned < 2 * unseen * most ? planned : 2 * unseen * most;
	return FAULT * (planned > observed ? planned - observed : 0) + FAULT * unseen +
	       HOST * (p_hosts > o_hosts ? p_hosts - o_hosts : o_hosts - p_hosts);
}

/* Everything that has no place yet, from a seed; and then again from others as long as some are cut off from those. */
static int trial(struct work *w, const struct guess *seed)
{
	int r = waiting_reset(w);

	if (r == 0 && seed)
		r = seat_take(w, seed->o, seed->p);
	if (r == 0)
		r = extend(w);
	return r;
}

/* True where somebody has no place, and no neighbour that has one. */
static bool is_part_left(const struct work *w)
{
	for (uint32_t o = 0; o < w->in->observed->count; o++)
		if (w->image[o] == NONE && w->support[o] == 0)
			return true;
	return false;
}

/* What is cut off from all that have places: each part gets a seed of its own. */
static int parts_seed(struct work *w)
{
	enum { PARTS_MAX = 4096 };

	for (uint32_t part = 0; part < PARTS_MAX && is_part_left(w); part++) {
		_cleanup_free_ struct guess *guesses = NULL;
		uint32_t count = 0, pick = 0;
		int r = guesses_make(w, &guesses, &count);

		/* Who has a neighbour with a place, and none himself, is a stranger. */
		while (r == 0 && pick < count && w->support[guesses[pick].o] > 0)
			pick++;
		if (r < 0 || pick >= count || guesses[pick].unlike > 64 + 8 * w->in->observed->degree[guesses[pick].o])
			return r;
		r = seat_take(w, guesses[pick].o, guesses[pick].p);
		if (r == 0)
			r = extend(w);
		if (r < 0)
			return r;
	}
	return 0;
}

/* What an assignment is worth: the faults that its difference amounts to, then the price of its parts. */
struct worth {
	uint32_t faults;
	uint64_t price;
};

static bool is_better(const struct worth *a, const struct worth *b)
{
	return a->faults != b->faults ? a->faults < b->faults : a->price < b->price;
}

static uint32_t root_find(uint32_t *root, uint32_t p)
{
	while (root[p] != p) {
		root[p] = root[root[p]];
		p = root[p];
	}
	return p;
}

/* A pair that has @surplus cables too many, or too few of them where it is negative. */
static void residual_add(struct work *w, uint32_t p, uint32_t q, int64_t surplus)
{
	uint32_t a = root_find(w->root, p), b = root_find(w->root, q);

	w->balance[p] += surplus;
	w->balance[q] += surplus;
	if (a != b) {
		w->root[b] = a;
		w->surplus[a] += w->surplus[b];
		w->lacking[a] += w->lacking[b];
	}
	if (surplus > 0)
		w->surplus[a] += (uint32_t)surplus;
	else
		w->lacking[a]++;
}

/* The pairs of @p with places behind it that are not as planned. */
static void residual_take(struct work *w, uint32_t p)
{
	const struct ft_multigraph *planned = w->in->planned, *observed = w->in->observed;
	uint32_t o = w->origin[p];

	w->now++;
	for (uint32_t i = planned->first[p]; i < planned->first[p + 1]; i++)
		w->width[planned->adjacent[i].vertex] = planned->adjacent[i].count;
	for (uint32_t i = observed->first[o]; i < observed->first[o + 1]; i++) {
		uint32_t q = w->image[observed->adjacent[i].vertex];
		int64_t seen = observed->adjacent[i].count;

		if (q == NONE)
			continue;
		w->stamp[q] = w->now;
		if (q > p && seen != w->width[q])
			residual_add(w, p, q, seen - w->width[q]);
	}
	for (uint32_t i = planned->first[p]; i < planned->first[p + 1]; i++) {
		uint32_t q = planned->adjacent[i].vertex;

		if (q > p && w->origin[q] != NONE && w->stamp[q] != w->now)
			residual_add(w, p, q, -(int64_t)planned->adjacent[i].count);
		w->width[q] = 0;
	}
	w->steps += peers_of(planned, p) + peers_of(observed, o);
}

/*
 * How many faults explain the difference, about: the residual falls apart into connected pieces. Where every switch of
 * a piece has as many cables too many as too few it is closed trails, swaps, of three cables or so each; else each
 * cable too many has moved, or is unplanned, and each pair that lacks cables beyond these is one fault. O(E).
 */
static uint32_t faults_estimate(struct work *w)
{
	uint32_t count = w->in->planned->count, faults = 0, misnamed = 0;

	for (uint32_t p = 0; p < count; p++) {
		w->root[p] = p;
		w->surplus[p] = w->lacking[p] = 0;
		w->balance[p] = 0;
		w->open[p] = false;
	}
	for (uint32_t p = 0; p < count; p++) {
		if (w->origin[p] == NONE) {
			faults++;
			continue;
		}
		residual_take(w, p);
	}
	for (uint32_t p = 0; p < count; p++)
		w->open[root_find(w->root, p)] |= w->balance[p] != 0;
	for (uint32_t p = 0; p < count; p++) {
		if (w->root[p] != p || w->surplus[p] + w->lacking[p] == 0)
			continue;
		if (!w->open[p])
			faults += (w->surplus[p] + 2) / 3;
		else
			faults += w->surplus[p] > w->lacking[p] ? w->surplus[p] : w->lacking[p];
	}
	for (uint32_t o = 0; o < w->in->observed->count; o++) {
		uint32_t p = w->image[o];

		faults += p == NONE;
		if (p == NONE)
			continue;
		misnamed += !w->in->names_weak && w->in->named[o] != NONE && w->in->named[o] != p;
		faults += w->in->planned_at[p].hosts == 0 ? w->in->observed_at[o].hosts : 0;
	}
	return faults + (misnamed + 1) / 2;
}

static struct worth worth_of(struct work *w)
{
	return (struct worth){faults_estimate(w), total_price(w)};
}

/* One trial from the seats @begin; what is better than @best_worth is kept in @best. */
static int trial_judge(struct work *w, const uint32_t *begin, const struct guess *seed, struct worth *best_worth,
		       uint32_t *best)
{
	struct worth now;
	int r;

	seats_copy(w, begin);
	r = trial(w, seed);
	if (r == 0)
		r = parts_seed(w);
	if (r == 0)
		r = twins_deal(w);
	if (r < 0)
		return r;
	/* What is so much dearer than the best is beyond repair. */
	if (total_price(w) / 4 < best_worth->price) {
		improve(w);
		r = twins_deal(w);
		if (r < 0)
			return r;
	}
	now = worth_of(w);
	if (is_better(&now, best_worth)) {
		*best_worth = now;
		memcpy(best, w->image, w->in->observed->count * sizeof(*best));
	}
	return 0;
}

/*
 * From what is named; and, where that is dear and names are weak, without names. What nothing is known of begins with
 * the best of guesses, and goes on to others while more faults are left than a fabric has on most days.
 */
static int trials(struct work *w)
{
	/* So often it is tried to put hosts right as well, where they are too few here and too many there. */
	enum { FEW_FAULTS = 2, HOSTS_TRIALS = 12 };
	uint32_t observed = w->in->observed->count, seated = 0, count = 0, few = FEW_FAULTS;
	_cleanup_free_ uint32_t *begin = malloc((observed + 1UL) * sizeof(*begin));
	_cleanup_free_ uint32_t *best = malloc((observed + 1UL) * sizeof(*best));
	_cleanup_free_ struct guess *guesses = NULL;
	struct worth worth = {UINT32_MAX, UINT64_MAX};
	int r = 0;

	if (!begin || !best)
		return -ENOMEM;
	few += w->in->planned->count > observed ? w->in->planned->count - observed : observed - w->in->planned->count;
	memcpy(begin, w->image, observed * sizeof(*begin));
	for (uint32_t o = 0; o < observed; o++)
		seated += begin[o] != NONE;
	if (seated > 0)
		r = trial_judge(w, begin, NULL, &worth, best);
	if (r < 0 || (seated > 0 && (worth.price <= price_least(w) || !w->in->names_weak)))
		goto end;
	seated = 0;
	for (uint32_t o = 0; o < observed; o++) {
		begin[o] = w->in->fixed[o] ? begin[o] : NONE;
		seated += begin[o] != NONE;
	}
	seats_copy(w, begin);
	if (seated > 0)
		r = trial_judge(w, begin, NULL, &worth, best);
	else
		r = guesses_make(w, &guesses, &count);
	for (uint32_t i = 0; r == 0 && i < count && i < GUESSES_MAX; i++) {
		bool right = worth.price % FAULT <= price_least(w) % FAULT + observed;

		bool enough = worth.faults <= 1 || (worth.faults <= few && w->steps > WORK_FEW);

		if (i > 0 && ((enough && (right || i >= HOSTS_TRIALS)) || w->steps > WORK_MAX))
			break;
		r = trial_judge(w, begin, &guesses[i], &worth, best);
	}
end:
	if (r == 0 && worth.price < UINT64_MAX)
		seats_copy(w, best);
	return r;
}

static int work_make(struct work *w, const struct ft_assign *in)
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
static void named_seat(struct work *w)
{
	const struct ft_assign *in = w->in;
	uint32_t named = 0;

	for (uint32_t p = 0; p < in->planned->count; p++)
		w->origin[p] = NONE;
	for (uint32_t o = 0; o < in->observed->count; o++)
		w->image[o] = NONE;
	for (uint32_t c = 0; c < w->class_count; c++)
		w->room[c] = w->members_first[c + 1] - w->members_first[c];
	for (uint32_t o = 0; o < in->observed->count; o++)
		named += in->named[o] != NONE;
	w->mostly_named = !in->names_weak && 2 * named > in->observed->count;
	for (unsigned int pass = 0; pass < 2; pass++)
		for (uint32_t o = 0; o < in->observed->count; o++)
			if (in->named[o] != NONE && in->fixed[o] == (pass == 0) && w->origin[in->named[o]] == NONE)
				seat_move(w, o, in->named[o]);
}

int ft_assign(const struct ft_assign *input, uint32_t *ret_image, uint32_t *ret_rival)
{
	_cleanup_(work_release) struct work w = {0};
	int r = work_make(&w, input);

	if (r < 0)
		return r;
	twins_find(&w);
	named_seat(&w);
	looks_take(input->planned, input->planned_at, w.planned_look);
	looks_take(input->observed, input->observed_at, w.observed_look);
	r = trials(&w);
	if (r < 0)
		return r;
	strangers_leave(&w);
	improve(&w);
	r = twins_deal(&w);
	if (r < 0)
		return r;
	rivals_find(&w, ret_rival);
	memcpy(ret_image, w.image, input->observed->count * sizeof(*ret_image));
	return 0;
}
