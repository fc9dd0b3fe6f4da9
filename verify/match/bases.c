/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Seeds for networks that look alike from everywhere: individualisation and refinement (McKay, "Practical graph
 * isomorphism", 1981). One pair decides little there, and an arbitrary choice between equal neighbours may be wrong in
 * a way that shows only when most switches have a place.
 *
 * The first classes are those of degrees, in some runs then of two-hop walks (ways.c): they are nearly enough for
 * random networks, but in those of diameter three a few faults change the walks of nearly all switches. Colour
 * refinement of the plan is exact: a stage splits each class of planned switches by the classes of their neighbours.
 * When that ends, a switch of the largest class is given a class of its own, a base, until each class has one member,
 * or members that are twins. In the fabric each base gets an image, an observed switch of the same class: nearly every
 * one is right if the classes are the orbits of what is left of the symmetry. A wrong one makes the sizes of the
 * classes differ, and the next one is tried.
 *
 * The fabric has faults, and exact colours would break at a distance of as many switches as there are stages: one dead
 * switch changes all neighbourhoods of a network of diameter two. So an observed switch that has no exact counterpart
 * is given the class whose neighbours agree best, also one of another parent if its own is far. While two classes agree
 * equally it may be either: later stages choose among what these split into. (A choice would be wrong next to a dead
 * switch: the class that it lacks as a neighbour is just what tells two classes apart.) A neighbour without a class
 * says nothing. The last stage of a stable partition is repeated, which corrects most of what was wrong on the way.
 *
 * O(stages * E) for each image tried, and O(SCANNED_MAX * d) for each switch without an exact counterpart. Work ends at
 * FT_BASES_STEPS_MAX in each run.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "verify/match/bases_parts.h"

enum {
	IMAGES_MAX = 3,	  /* tried for each base but the first */
	SCANNED_MAX = 64, /* classes that are tried for a switch that had none */
	RECOVERIES = 3,	  /* repetitions of the last stage, in which classes are found again that faults have hidden */
};

/*
 * What is tried in turn, until three quarters of the switches agree. Other bases help where those of a run were next to
 * faults; and so do other images of the first base, which each run looks for from another observed switch on: in a
 * HyperX of 4,096 switches the work of a run is spent after a few images of it.
 */
static const struct ft_bases_run runs[] = {
	{.by_ways = true, .grounded = true, .agree_percent = 95},
	{.grounded = true, .agree_percent = 95},
	{.by_ways = true, .agree_percent = 95},
	{.grounded = true, .agree_percent = 95, .turn = 1},
	{.agree_percent = 95},
	{.early = true, .grounded = true, .agree_percent = 95},
	{.grounded = true, .agree_percent = 95, .turn = 2},
	{.grounded = true, .agree_percent = 95, .turn = 3},
	{.early = true, .agree_percent = 95},
	{.early = true, .grounded = true, .agree_percent = 85},
	{.early = true, .agree_percent = 85},
	{.grounded = true, .agree_percent = 70},
};

/* The classes of the observed switches at the first stage. */
static void degrees_match(struct ft_bases *b)
{
	const struct ft_stage *s = &b->stage[0];

	for (uint32_t o = 0; o < b->w->in->observed->count; o++) {
		uint32_t c = s->count - 1, degree = b->w->in->observed->degree[o];

		while (c > 0 && degree + degree / 16 < s->key[c])
			c--;
		b->class[o] = c;
	}
}

static uint64_t observed_key(struct ft_bases *b, const struct ft_stage *s, uint32_t o)
{
	return s == b->stage && b->run.by_ways ? ft_stage_ways_key(&b->w->observed_ways, o)
					       : ft_stage_key(b, b->w->in->observed, b->class, s->ground, o);
}

/* In how many neighbours @p differs from the switch in b->tally, which has @known. */
static uint32_t neighbours_apart(struct ft_bases *b, const struct ft_stage *before, uint32_t p, uint32_t known)
{
	const struct ft_multigraph *g = b->w->in->planned;
	uint32_t agree = 0, count = 0;

	for (uint32_t i = g->first[p]; i < g->first[p + 1]; i++) {
		uint32_t c = before->class[g->adjacent[i].vertex];

		if (c == before->ground)
			continue;
		count++;
		agree += (int32_t)b->tally[c] > 0;
		b->tally[c]--;
	}
	for (uint32_t i = g->first[p]; i < g->first[p + 1]; i++)
		if (before->class[g->adjacent[i].vertex] != before->ground)
			b->tally[before->class[g->adjacent[i].vertex]]++;
	b->w->steps += ft_adjacent_count(g, p);
	return known + count - 2 * agree;
}

/* A class for an observed switch, in how many neighbours its members differ from it, and all that differ as little. */
struct near {
	uint32_t class; /* FT_NONE: none, or several */
	uint32_t apart;
	uint32_t first, end; /* the classes that it may be, and others between them */
};

/*
 * Of @first … @end the classes that differ least from the switch in b->tally; all of them, if not a third of the
 * neighbours agree.
 */
static struct near best_class(struct ft_bases *b, const struct ft_stage *s, uint32_t first, uint32_t end,
			      uint32_t known)
{
	struct near best = {FT_NONE, UINT32_MAX, first, end};

	for (uint32_t c = first; c < end; c++) {
		uint32_t apart = neighbours_apart(b, s - 1, s->member[c], known);

		if (apart < best.apart)
			best = (struct near){c, apart, c, c + 1};
		else if (apart == best.apart)
			best = (struct near){FT_NONE, apart, best.first, c + 1};
	}
	if (3 * (uint64_t)best.apart > 4 * (uint64_t)known)
		best = (struct near){FT_NONE, best.apart, first, end};
	return best;
}

/* The class of stage 1 whose two-hop walks differ least; FT_NONE if two are equally near. */
static uint32_t nearest_ways(struct ft_bases *b, uint32_t o)
{
	const struct ft_stage *s = &b->stage[1];
	uint32_t best = FT_NONE, least = UINT32_MAX;
	bool tied = false;

	for (uint32_t c = s->child[b->class[o]]; c < s->child[b->class[o] + 1]; c++) {
		uint32_t apart = ft_ways_apart(&b->w->observed_ways, o, &b->w->planned_ways, s->member[c]);

		tied = apart == least || (apart > least && tied);
		best = apart < least ? c : best;
		least = apart < least ? apart : least;
		b->w->steps += 2;
	}
	return tied ? FT_NONE : best;
}

/*
 * The class of an observed switch that has no exact counterpart, in b->next, or those that it may be. If none of those
 * that it may have been is near, any, where these are few enough to try each.
 */
static void nearest_class(struct ft_bases *b, const struct ft_stage *s, uint32_t o)
{
	const struct ft_multigraph *g = b->w->in->observed;
	struct near best = {FT_NONE, UINT32_MAX, b->low[o], b->high[o]}, other = best;
	uint32_t known = 0;

	for (uint32_t i = g->first[o]; i < g->first[o + 1]; i++) {
		uint32_t c = b->class[g->adjacent[i].vertex];

		if (c != FT_NONE && c != s[-1].ground) {
			b->tally[c]++;
			known++;
		}
	}
	if (b->high[o] - b->low[o] <= SCANNED_MAX || b->class[o] != FT_NONE)
		best = best_class(b, s, b->low[o], b->high[o], known);
	if (known > 0 && s->count <= SCANNED_MAX && (2 * (uint64_t)best.apart > known || b->again))
		other = best_class(b, s, 0, s->count, known);
	if (other.apart < best.apart)
		best = other;
	for (uint32_t i = g->first[o]; i < g->first[o + 1]; i++)
		if (b->class[g->adjacent[i].vertex] != FT_NONE)
			b->tally[b->class[g->adjacent[i].vertex]] = 0;
	b->next[o] = best.class;
	b->low[o] = best.first;
	b->high[o] = best.end;
}

/* The child of @parent with this key, or FT_NONE. */
static uint32_t exact_class(const struct ft_stage *s, uint32_t parent, uint64_t key)
{
	uint32_t low = s->child[parent], high = s->child[parent + 1];

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (s->key[middle] == key)
			return middle;
		if (s->key[middle] < key)
			low = middle + 1;
		else
			high = middle;
	}
	return FT_NONE;
}

/* How many switches the plan and the fabric have in common, class by class. */
static uint32_t sizes_agree(struct ft_bases *b, const struct ft_stage *s)
{
	uint32_t agree = 0;

	for (uint32_t o = 0; o < b->w->in->observed->count; o++)
		if (b->class[o] != FT_NONE)
			agree += b->tally[b->class[o]]++ < s->size[b->class[o]];
	memset(b->tally, 0, s->count * sizeof(*b->tally));
	return agree;
}

/* True if most switches have a class, and the sizes of the classes are nearly those of the plan. */
static bool sizes_are_right(struct ft_bases *b, const struct ft_stage *s)
{
	uint32_t count = b->w->in->observed->count, known = 0;

	for (uint32_t o = 0; o < count; o++)
		known += b->class[o] != FT_NONE;
	return 4 * (uint64_t)known >= 3 * (uint64_t)count &&
	       100 * (uint64_t)sizes_agree(b, s) >= b->run.agree_percent * (uint64_t)known;
}

/*
 * Takes the observed switches to the classes of stage @at. False if the sizes of too many classes differ: then the
 * images are wrong.
 */
static bool fabric_refine(struct ft_bases *b, uint32_t at)
{
	const struct ft_multigraph *g = b->w->in->observed;
	const struct ft_stage *s = &b->stage[at];
	uint32_t odd = 0;

	for (uint32_t o = 0; o < g->count; o++) {
		uint32_t parent = b->class[o];

		b->low[o] = s->child[parent != FT_NONE ? parent : b->low[o]];
		b->high[o] = s->child[parent != FT_NONE ? parent + 1 : b->high[o]];
		b->next[o] = FT_NONE;
		if (parent != FT_NONE)
			b->next[o] = exact_class(s, parent, observed_key(b, s - 1, o));
		if (b->next[o] == FT_NONE)
			b->odd[odd++] = o;
	}
	for (uint32_t i = 0; i < odd && b->w->steps < b->limit; i++) {
		if (at == 1 && b->run.by_ways)
			b->next[b->odd[i]] = nearest_ways(b, b->odd[i]);
		else
			nearest_class(b, s, b->odd[i]);
	}
	memcpy(b->class, b->next, g->count * sizeof(*b->class));
	b->odd_count = odd;
	return b->w->steps < b->limit && (at < b->first || sizes_are_right(b, s));
}

/*
 * Stages @from … @end - 1, and then the last one again while some switches have no exact class, if it has split none:
 * classes are found again that faults have hidden. False: see fabric_refine().
 */
static bool stages_follow(struct ft_bases *b, uint32_t from, uint32_t end)
{
	bool right = true;

	b->again = false;
	for (uint32_t i = from; right && i < end; i++)
		right = fabric_refine(b, i);
	b->again = end > 2 && b->stage[end - 1].count == b->stage[end - 2].count;
	for (unsigned int i = 0; right && b->again && b->odd_count > 0 && i < RECOVERIES; i++)
		right = fabric_refine(b, end - 1);
	return right;
}

static uint32_t stage_next_base(const struct ft_bases *b, uint32_t at)
{
	while (at < b->stage_count && b->stage[at].base == FT_NONE)
		at++;
	return at;
}

/* Images for all bases from stage @at on, @root for the first. *@ret_agree: how many switches agree. 0 or -ENOMEM. */
static int images_find(struct ft_bases *b, uint32_t at, uint32_t root, uint32_t *ret_agree)
{
	size_t size = 3 * (b->w->in->observed->count + 1UL) * sizeof(*b->class);
	_cleanup_free_ uint32_t *before = malloc(size);
	_cleanup_free_ uint32_t *best = malloc(size);
	uint32_t planned = b->w->in->planned->count, most = 0;

	if (!before || !best)
		return -ENOMEM;
	for (bool first = true; at < b->stage_count; first = false) {
		uint32_t wanted = b->stage[at - 1].class[b->stage[at].base], end = stage_next_base(b, at + 1),
			 tries = 0;

		most = 0;
		memcpy(before, b->class, size);
		for (uint32_t o = 0; o < b->w->in->observed->count && tries < IMAGES_MAX && 8 * most < 7 * planned;
		     o++) {
			uint32_t agree;

			if (before[o] != wanted || (first && o != root))
				continue;
			tries++;
			memcpy(b->class, before, size);
			b->class[o] = b->stage[at].count - 1;
			agree = stages_follow(b, at + 1, end) ? sizes_agree(b, &b->stage[end - 1]) : 0;
			if (agree > most)
				memcpy(best, b->class, size);
			most = agree > most ? agree : most;
		}
		if (2 * most < planned)
			return 0;
		memcpy(b->class, best, size);
		at = end;
	}
	*ret_agree = most;
	return 0;
}

/* Pairs the switches that are alone in their classes. */
static uint32_t pairs_take(struct ft_bases *b, uint32_t *ret_image)
{
	const struct ft_stage *s = &b->stage[b->stage_count - 1];
	uint32_t count = 0;

	for (uint32_t o = 0; o < b->w->in->observed->count; o++)
		if (b->class[o] != FT_NONE)
			b->tally[b->class[o]]++;
	for (uint32_t o = 0; o < b->w->in->observed->count; o++) {
		uint32_t c = b->class[o];
		bool alone = c != FT_NONE && s->size[c] == 1 && b->tally[c] == 1;

		ret_image[o] = alone ? s->member[c] : FT_NONE;
		count += alone;
	}
	memset(b->tally, 0, s->count * sizeof(*b->tally));
	return count;
}

uint32_t ft_assign_pairs_check(struct ft_assign_work *w, uint32_t *image)
{
	uint32_t wrong = 0;

	ft_assign_seats_copy(w, image);
	for (uint32_t o = 0; o < w->in->observed->count; o++) {
		struct ft_assign_seat seat;

		if (w->image[o] == FT_NONE)
			continue;
		seat = ft_assign_seat_price(w, o, w->image[o]);
		/* One cable may well be a fault, even if the switch has only three. */
		if (seat.right + 1 >= seat.row || 4 * (uint64_t)seat.right >= 3 * (uint64_t)seat.row)
			continue;
		image[o] = FT_NONE;
		wrong++;
	}
	return wrong;
}

static int roots_try(struct ft_bases *b, uint32_t *ret_image, uint32_t *ret_count, uint32_t *ret_most)
{
	uint32_t observed = b->w->in->observed->count, planned = b->w->in->planned->count;
	uint32_t at = stage_next_base(b, 0);
	size_t size = 3 * (observed + 1UL) * sizeof(*b->class);
	_cleanup_free_ uint32_t *begin = malloc(size);
	_cleanup_free_ uint32_t *image = malloc((observed + 1UL) * sizeof(*image));

	if (!begin || !image)
		return -ENOMEM;
	b->first = at;
	degrees_match(b);
	if (!stages_follow(b, 1, at))
		return 0;
	if (at == b->stage_count) {
		*ret_most = sizes_agree(b, &b->stage[at - 1]);
		*ret_count = pairs_take(b, ret_image);
		*ret_most -= ft_assign_pairs_check(b->w, ret_image);
	}
	memcpy(begin, b->class, size);
	for (uint32_t i = 0;
	     at < b->stage_count && i < observed && 4 * *ret_most < 3 * planned && b->w->steps < b->limit; i++) {
		uint32_t o = (b->root + i) % observed, agree = 0, count;
		int r;

		if (begin[o] != b->stage[at - 1].class[b->stage[at].base])
			continue;
		memcpy(b->class, begin, size);
		r = images_find(b, at, o, &agree);
		if (r < 0)
			return r;
		if (agree <= *ret_most)
			continue;
		/* Classes of the right sizes may still be no image: so in every other Slim Fly of q = 8 with a fault.
		 */
		count = pairs_take(b, image);
		agree -= ft_assign_pairs_check(b->w, image);
		if (agree <= *ret_most)
			continue;
		*ret_most = agree;
		*ret_count = count;
		memcpy(ret_image, image, observed * sizeof(*image));
	}
	return 0;
}

/* One run, number @number. *@ret_agree: how many switches agree, class by class. */
static int bases_try(struct ft_assign_work *w, unsigned int number, uint32_t *ret_image, uint32_t *ret_count,
		     uint32_t *ret_agree)
{
	size_t observed = w->in->observed->count + 1UL, planned = w->in->planned->count + 2UL;
	_cleanup_(ft_arena_release) struct ft_arena memory = {0};
	struct ft_bases b = {.w = w, .memory = &memory, .limit = w->steps + FT_BASES_STEPS_MAX, .run = runs[number]};

	b.root = (uint32_t)((uint64_t)number * w->in->observed->count / FT_COUNT(runs));
	b.class = ft_arena_zeros(&memory, 3 * observed, sizeof(*b.class));
	b.next = ft_arena_zeros(&memory, observed, sizeof(*b.next));
	b.odd = ft_arena_zeros(&memory, observed, sizeof(*b.odd));
	b.low = b.class ? b.class + observed : NULL;
	b.high = b.class ? b.low + observed : NULL;
	b.tally = ft_arena_zeros(&memory, planned, sizeof(*b.tally));
	if (memory.failed)
		return -ENOMEM;
	return ft_stages_make(&b) ?: roots_try(&b, ret_image, ret_count, ret_agree);
}

int ft_assign_bases_find(struct ft_assign_work *w, uint32_t *ret_image, uint32_t *ret_count)
{
	enum { TRIAL_RUNS = 4 }; /* by then most of what is the network has been found to be it */
	uint32_t count = w->in->wrong_most > 0 ? TRIAL_RUNS : FT_COUNT(runs);
	uint64_t steps = w->steps;
	uint32_t agree = 0;
	int r = ft_assign_ways_take(w);

	*ret_count = 0;
	for (unsigned int i = 0; r == 0 && i < count && 4 * agree < 3 * w->in->planned->count; i++)
		r = bases_try(w, i, ret_image, ret_count, &agree);
	w->steps = steps;
	return r;
}
