/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Beam search for small networks in which several faults are left (B. Lowerre, 1976): observed switches are placed one
 * after the other, the one with the most placed neighbours next, in every free place of each of the best partial
 * placings; the best of what comes out are kept, up to a width.
 *
 * A partial placing is judged by the cables between placed switches, and by their common neighbours, placed or not: a
 * fault changes few of these, a wrong place most. Without them all beginnings in a sparse network are as good, since
 * hardly two of its first switches are cabled to each other.
 *
 * Placings that differ by a symmetry of the plan are one, or the beam of a torus would be full of one placing. Pairs of
 * places are coloured by refinement in two dimensions (B. Weisfeiler, A. Leman, 1968), and placings are one if each
 * pair of switches has the same colour in both.
 *
 * Which switches come first matters: if those next to a fault do, the right placing has it from the beginning, and is
 * not among the best for long. So several beginnings are tried, each with another order among equals. Cost: O(V^3) for
 * each of the width, which shrinks with V so that PAIRS_MAX is the most pairs that are compared.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/chance.h"
#include "base/cleanup.h"
#include "verify/match/assign_parts.h"

enum {
	SIZE = FT_BEAM_SWITCHES,
	NOWHERE = UINT8_MAX,
	WIDTH_MAX = 1024,
	WIDTH_USUAL = 256, /* more beginnings are tried if a beam of each is as wide */
	WIDTH_MIN = 16,
	BEGINNINGS_MIN = 4,
	BEGINNINGS_MAX = 16,
	FINALS_MAX = 128, /* of each beginning */
	ROUNDS = 4,	  /* of refinement */
	COST_MAX = 4095,
	/* What is wrong counts so much more than a common neighbour that is not. */
	FAULT = 8,
	HOSTS = 3,  /* the most that other numbers of hosts count */
	COMMON = 4, /* and other numbers of common neighbours */
};
static const uint64_t PAIRS_MAX = 40000000;

/* A graph as two tables, by pair. */
struct table {
	uint8_t cables[SIZE][SIZE];
	uint8_t common[SIZE][SIZE]; /* neighbours of both */
};

struct state {
	uint8_t place[SIZE]; /* by observed switch; NOWHERE: not placed yet, or not planned */
	uint64_t taken;	     /* places, by bit */
	uint64_t key;	     /* equal for placings that differ by a symmetry */
	uint32_t cost;
};

struct beam {
	struct ft_assign_work *w;
	struct table planned, observed;
	uint64_t colour[SIZE][SIZE]; /* of pairs of planned switches */
	uint64_t coarse[SIZE][SIZE]; /* scratch: the colours before */
	uint32_t alone[SIZE][SIZE];  /* by observed and planned switch: what is wrong but cables */
	uint8_t order[SIZE];	     /* observed switches as they are placed, those that are told first */
	uint32_t told;
	uint32_t width, count;
	struct state *state, *next; /* @width of each, the best first */
	uint16_t *cost;		    /* by state and place, the last: not planned */
	uint32_t *sorted, *begins;  /* the same, by cost */
	uint64_t *seen;		    /* keys, by hash; 0: free */
	uint32_t seen_size;
};

static uint8_t byte_of(uint32_t number)
{
	return number < UINT8_MAX ? (uint8_t)number : UINT8_MAX;
}

static void table_take(const struct ft_multigraph *g, struct table *ret)
{
	for (uint32_t v = 0; v < g->count; v++)
		for (uint32_t i = g->first[v]; i < g->first[v + 1]; i++) {
			uint32_t via = g->adjacent[i].vertex;

			ret->cables[v][via] = byte_of(g->adjacent[i].count);
			for (uint32_t k = g->first[via]; k < g->first[via + 1]; k++)
				ret->common[v][g->adjacent[k].vertex]++;
		}
}

/* ---- symmetries ---- */

/* Refines once: of each pair, the colours of the ways over each third. O(V^3). */
static void colours_refine(struct beam *b, uint32_t count)
{
	memcpy(b->coarse, b->colour, sizeof(b->coarse));
	for (uint32_t p = 0; p < count; p++)
		for (uint32_t q = 0; q < count; q++) {
			uint64_t sum = ft_chance_of(b->coarse[p][q]);

			for (uint32_t via = 0; via < count; via++)
				sum += ft_chance_of(b->coarse[p][via] * 3 + b->coarse[via][q]);
			b->colour[p][q] = ft_chance_of(sum);
		}
}

static void colours_take(struct beam *b)
{
	const struct ft_assign *in = b->w->in;

	for (uint32_t p = 0; p < in->planned->count; p++)
		for (uint32_t q = 0; q < in->planned->count; q++) {
			const struct ft_assign_vertex *at = &in->planned_at[p];

			b->colour[p][q] =
				ft_chance_of((uint64_t)b->planned.cables[p][q] << 8 | b->planned.common[p][q]);
			if (p == q)
				b->colour[p][q] =
					ft_chance_of(((uint64_t)at->ports << 32 | at->hosts << 1) + at->may_host);
		}
	for (unsigned int round = 0; round < ROUNDS; round++)
		colours_refine(b, in->planned->count);
}

/* What the place @p of @o adds to the key of @s. */
static uint64_t key_of(const struct beam *b, const struct state *s, uint32_t level, uint32_t o, uint32_t p)
{
	uint64_t key = 0;

	if (p == NOWHERE)
		return ft_chance_of(o + 1);
	for (uint32_t i = 0; i < level; i++) {
		uint8_t other = b->order[i];

		if (s->place[other] != NOWHERE)
			key += ft_chance_of(b->colour[s->place[other]][p] + ((uint64_t)other << 8 | o));
	}
	return key + ft_chance_of(b->colour[p][p] + ((uint64_t)o << 8 | o));
}

/* ---- what a place costs ---- */

static uint32_t alone_of(const struct ft_assign *in, uint32_t o, uint32_t p)
{
	const struct ft_assign_vertex *have = &in->observed_at[o], *want = &in->planned_at[p];
	uint32_t cost = ft_number_least(ft_number_apart(have->hosts, want->hosts), HOSTS);

	cost += ft_ports_fit(have->ports, want->ports) ? 0 : FAULT;
	cost += !want->may_host ? FAULT * ft_number_least(have->hosts, SIZE) : 0;
	cost += want->may_host && want->hosts > 0 && have->hosts == 0 ? FAULT : 0;
	cost += in->named[o] != FT_NONE && in->named[o] != p ? 3 * FAULT : 0;
	return cost;
}

/* @o in place @p, beside what @s has placed. O(level). */
static uint32_t cost_of(const struct beam *b, const struct state *s, uint32_t level, uint32_t o, uint32_t p)
{
	const uint8_t *cables = b->observed.cables[o], *common = b->observed.common[o];
	bool excused = b->w->in->observed_at[o].excused > 0;
	uint32_t cost = s->cost + b->alone[o][p];

	for (uint32_t i = 0; i < level; i++) {
		uint8_t other = b->order[i], q = s->place[other];
		uint32_t seen = cables[other];

		if (q == NOWHERE) {
			cost += FAULT * seen;
			continue;
		}
		if (seen < b->planned.cables[p][q])
			cost += excused || b->w->in->observed_at[other].excused > 0 ? 0 : FAULT;
		else
			cost += FAULT * (seen - b->planned.cables[p][q]);
		cost += ft_number_least(ft_number_apart(common[other], b->planned.common[p][q]), COMMON);
	}
	return cost;
}

/* @o as an unplanned switch, which leaves a place empty. */
static uint32_t stranger_cost(const struct beam *b, const struct state *s, uint32_t level, uint32_t o)
{
	uint32_t cables = 0;

	for (uint32_t i = 0; i < level; i++)
		cables += b->observed.cables[o][b->order[i]];
	return s->cost + FAULT * (2 + (b->w->in->observed_at[o].hosts > 0) + cables);
}

/* ---- the beam ---- */

/* Tries every place for @o; sorts what comes out by cost, by counting. Returns how many. */
static uint32_t choices_make(struct beam *b, uint32_t level, uint32_t o)
{
	uint32_t planned = b->w->in->planned->count, wide = planned + 1, first = 0;

	memset(b->begins, 0, (COST_MAX + 1UL) * sizeof(*b->begins));
	for (uint32_t i = 0; i < b->count; i++)
		for (uint32_t p = 0; p <= planned; p++) {
			const struct state *s = &b->state[i];
			uint32_t cost;

			b->cost[i * wide + p] = UINT16_MAX;
			if (p < planned && s->taken >> p & 1)
				continue;
			cost = p < planned ? cost_of(b, s, level, o, p) : stranger_cost(b, s, level, o);
			if (cost > COST_MAX)
				continue;
			b->cost[i * wide + p] = (uint16_t)cost;
			b->begins[cost]++;
		}
	for (uint32_t cost = 0; cost <= COST_MAX; cost++) {
		uint32_t many = b->begins[cost];

		b->begins[cost] = first;
		first += many;
	}
	for (uint32_t at = 0; at < b->count * wide; at++)
		if (b->cost[at] != UINT16_MAX)
			b->sorted[b->begins[b->cost[at]]++] = at;
	return first;
}

/* True if @key is new. */
static bool seen_add(struct beam *b, uint64_t key)
{
	uint32_t at = (uint32_t)(key % b->seen_size);

	key |= 1;
	while (b->seen[at] != 0 && b->seen[at] != key)
		at = at + 1 < b->seen_size ? at + 1 : 0;
	if (b->seen[at] == key)
		return false;
	b->seen[at] = key;
	return true;
}

/* Places one more switch in all states. */
static void level_take(struct beam *b, uint32_t level)
{
	uint32_t o = b->order[level], planned = b->w->in->planned->count, wide = planned + 1, kept = 0;
	uint32_t count = choices_make(b, level, o);
	struct state *before = b->state;

	memset(b->seen, 0, b->seen_size * sizeof(*b->seen));
	for (uint32_t i = 0; i < count && kept < b->width; i++) {
		const struct state *s = &b->state[b->sorted[i] / wide];
		uint32_t p = b->sorted[i] % wide;
		uint8_t place = p < planned ? (uint8_t)p : NOWHERE;
		uint64_t key = s->key + key_of(b, s, level, o, place);
		struct state *to = &b->next[kept];

		if (!seen_add(b, key))
			continue;
		*to = *s;
		to->place[o] = place;
		to->taken |= p < planned ? (uint64_t)1 << p : 0;
		to->key = key;
		to->cost = b->cost[b->sorted[i]];
		kept++;
	}
	b->w->steps += (uint64_t)b->count * (planned - ft_number_least(level, planned)) * level / 8;
	b->state = b->next;
	b->next = before;
	b->count = kept;
}

/* Which of two switches that are as good comes first, in that beginning. */
static bool is_before(const struct ft_assign *in, uint32_t beginning, uint32_t a, uint32_t b)
{
	uint64_t seed = (uint64_t)beginning << 32;

	return beginning == 0 ? in->order[a] < in->order[b]
			      : ft_chance_of(seed + in->order[a]) < ft_chance_of(seed + in->order[b]);
}

/* The order of switches after the told ones. */
static void order_make(struct beam *b, uint32_t beginning)
{
	const struct ft_assign *in = b->w->in;
	uint32_t placed[SIZE] = {0}, count = in->observed->count;
	bool done[SIZE] = {false};

	for (uint32_t level = 0; level < count; level++) {
		uint32_t best = FT_NONE;

		for (uint32_t o = 0; o < count && level >= b->told; o++) {
			if (done[o])
				continue;
			if (best == FT_NONE || placed[o] > placed[best] ||
			    (placed[o] == placed[best] && is_before(in, beginning, o, best)))
				best = o;
		}
		best = level < b->told ? b->order[level] : best;
		done[best] = true;
		b->order[level] = (uint8_t)best;
		for (uint32_t other = 0; other < count; other++)
			placed[other] += b->observed.cables[best][other] > 0;
	}
}

/* The seats that are certain. */
static void told_take(struct beam *b, const uint32_t *begin)
{
	b->told = 0;
	for (uint32_t o = 0; o < b->w->in->observed->count; o++)
		if (begin[o] != FT_NONE)
			b->order[b->told++] = (uint8_t)o;
}

static void state_begin(struct beam *b, const uint32_t *begin)
{
	struct state *s = &b->state[0];

	*s = (struct state){0};
	memset(s->place, NOWHERE, sizeof(s->place));
	for (uint32_t i = 0; i < b->told; i++) {
		uint32_t o = b->order[i];

		s->place[o] = (uint8_t)begin[o];
		s->taken |= (uint64_t)1 << begin[o];
	}
	b->count = 1;
}

/* NULL: no memory. */
static struct beam *beam_make(struct ft_assign_work *w, struct ft_arena *memory, const uint32_t *begin,
			      uint32_t *ret_beginnings)
{
	uint32_t planned = w->in->planned->count, observed = w->in->observed->count;
	struct beam *b = ft_arena_zeros(memory, 1, sizeof(*b));
	uint64_t pairs = 1 + (uint64_t)planned * observed * observed / 6;
	size_t choices;

	if (!b)
		return NULL;
	b->w = w;
	told_take(b, begin);
	*ret_beginnings = ft_number_most((uint32_t)(PAIRS_MAX / WIDTH_USUAL / pairs), BEGINNINGS_MIN);
	*ret_beginnings = ft_number_least(*ret_beginnings, BEGINNINGS_MAX);
	pairs = PAIRS_MAX / *ret_beginnings / pairs;
	b->width = pairs < WIDTH_MIN ? WIDTH_MIN : pairs < WIDTH_MAX ? (uint32_t)pairs : WIDTH_MAX;
	choices = b->width * (planned + 1UL);
	b->seen_size = 4 * b->width + 1;
	b->state = ft_arena_zeros(memory, b->width, sizeof(*b->state));
	b->next = ft_arena_zeros(memory, b->width, sizeof(*b->next));
	b->cost = ft_arena_zeros(memory, choices, sizeof(*b->cost));
	b->sorted = ft_arena_zeros(memory, choices, sizeof(*b->sorted));
	b->begins = ft_arena_zeros(memory, COST_MAX + 1UL, sizeof(*b->begins));
	b->seen = ft_arena_zeros(memory, b->seen_size, sizeof(*b->seen));
	if (memory->failed)
		return NULL;
	table_take(w->in->planned, &b->planned);
	table_take(w->in->observed, &b->observed);
	colours_take(b);
	for (uint32_t o = 0; o < observed; o++)
		for (uint32_t p = 0; p < planned; p++)
			b->alone[o][p] = alone_of(w->in, o, p);
	return b;
}

/* False: all are told. */
static bool any_is_left(const struct ft_assign_work *w, const uint32_t *begin)
{
	return ft_number_is_among(begin, w->in->observed->count, FT_NONE);
}

int ft_assign_beam(struct ft_assign_work *w, struct ft_arena *memory, const uint32_t *begin, uint32_t **ret_images,
		   uint32_t *ret_count)
{
	uint32_t observed = w->in->observed->count, beginnings = 0, count = 0;
	struct beam *b;
	uint32_t *images;

	*ret_count = 0;
	if (!any_is_left(w, begin))
		return 0;
	b = beam_make(w, memory, begin, &beginnings);
	images = ft_arena_zeros(memory, (size_t)beginnings * FINALS_MAX, observed * sizeof(*images));
	if (!b || !images)
		return -ENOMEM;
	for (uint32_t n = 0; n < beginnings; n++) {
		order_make(b, n);
		state_begin(b, begin);
		for (uint32_t level = b->told; level < observed; level++)
			level_take(b, level);
		for (uint32_t i = 0; i < b->count && i < FINALS_MAX; i++, count++)
			for (uint32_t o = 0; o < observed; o++) {
				uint8_t p = b->state[i].place[o];

				images[count * (size_t)observed + o] = p == NOWHERE ? FT_NONE : p;
			}
	}
	*ret_images = images;
	*ret_count = count;
	return 0;
}
