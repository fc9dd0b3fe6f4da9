/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Seeds for networks that look alike from everywhere: individualisation and refinement (McKay, "Practical graph
 * isomorphism", 1981). One pair decides little there, and an arbitrary choice between equal neighbours may be wrong in
 * a way that shows only when most switches have a place.
 *
 * Colour refinement of the plan is exact: a stage splits each class of planned switches by the classes of their
 * neighbours. When that ends, a switch of the largest class is given a class of its own, a base, until each class has
 * one member, or members that are twins. In the fabric each base gets an image, an observed switch of the same class:
 * nearly every one is right if the classes are the orbits of what is left of the symmetry. A wrong one makes the sizes
 * of the classes differ, and the next one is tried.
 *
 * The fabric has faults, and exact colours would break at a distance of as many switches as there are stages. So an
 * observed switch that has no exact counterpart is given the class whose neighbours agree best, or none while two
 * classes agree equally; a neighbour without a class says nothing.
 *
 * O(stages * E) for each image tried, and O(classes * d) for each switch without an exact counterpart. Work ends at
 * STEPS_MAX.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "verify/match/assign_parts.h"

enum {
	STAGES_MAX = 192,
	BASES_MAX = 32,
	IMAGES_MAX = 3, /* tried for each base but the first */
	RECOVERIES = 3, /* repetitions of the last stage, in which classes are found again that faults have hidden */
};

static const uint64_t STEPS_MAX = 20000000, ODD_WORK_MAX = 1000000;

/* One partition of the planned switches. A class has the number of its place in the order of (parent, key). */
struct stage {
	uint32_t base;	  /* this planned switch was given a class of its own, the last; FT_UNASSIGNED: refined */
	uint32_t *class;  /* by planned switch */
	uint32_t *size;	  /* by class */
	uint32_t *member; /* by class: one of its switches */
	uint64_t *key;	  /* by class: what its members have in common */
	uint32_t *child;  /* by class of the stage before, and one more: its first class */
	uint32_t count;	  /* classes */
	uint32_t ground;  /* the class of most switches, which as neighbours do not count; or FT_UNASSIGNED */
};

struct bases {
	struct ft_assign_work *w;
	struct stage stage[STAGES_MAX];
	uint32_t stage_count;
	bool grounded;	 /* see ground_find() */
	uint32_t first;	 /* the stage of the first base */
	bool stable;	 /* the last stage has split no class */
	uint64_t limit;	 /* of w->steps */
	uint32_t *class; /* by observed switch: its class, or FT_UNASSIGNED */
	uint32_t *next, *odd;
	uint32_t *tally; /* scratch, by class: all 0 */
};

static void bases_release(struct bases *b)
{
	for (uint32_t i = 0; i < b->stage_count; i++) {
		free(b->stage[i].class);
		free(b->stage[i].size);
		free(b->stage[i].member);
		free(b->stage[i].key);
		free(b->stage[i].child);
	}
	free(b->class);
	free(b->next);
	free(b->odd);
	free(b->tally);
}

/* ---- the plan ---- */

/* The finaliser of splitmix64. */
static uint64_t scatter(uint64_t x)
{
	x += 0x9e3779b97f4a7c15;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
	return x ^ (x >> 31);
}

/* The classes of the neighbours, in no order. */
static uint64_t key_of(struct bases *b, const struct ft_multigraph *g, const uint32_t *class, uint32_t ground,
		       uint32_t v)
{
	uint64_t key = 0;

	for (uint32_t i = g->first[v]; i < g->first[v + 1]; i++)
		if (class[g->adjacent[i].vertex] != ground)
			key += scatter(((uint64_t) class[g->adjacent[i].vertex] << 32) | g->adjacent[i].count);
	b->w->steps += peers_of(g, v);
	return key;
}

static int stage_make(struct bases *b, struct stage **ret)
{
	size_t size = b->w->in->planned->count + 2UL;
	struct stage *s = &b->stage[b->stage_count++];

	*s = (struct stage){.base = FT_UNASSIGNED, .ground = FT_UNASSIGNED};
	s->class = calloc(size, sizeof(*s->class));
	s->size = calloc(size, sizeof(*s->size));
	s->member = calloc(size, sizeof(*s->member));
	s->key = calloc(size, sizeof(*s->key));
	s->child = calloc(size, sizeof(*s->child));
	*ret = s;
	return s->class && s->size && s->member && s->key && s->child ? 0 : -ENOMEM;
}

struct sorted {
	uint64_t key;
	uint32_t parent, vertex;
};

static int sorted_compare(const void *a, const void *b)
{
	const struct sorted *x = a, *y = b;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->vertex < y->vertex ? -1 : x->vertex > y->vertex;
}

/* Says which class of a new stage is the ground: with at least a quarter of the switches. */
static void ground_find(const struct bases *b, struct stage *s)
{
	uint32_t best = 0;

	for (uint32_t c = 1; c < s->count; c++)
		best = s->size[c] > s->size[best] ? c : best;
	s->ground = b->grounded && 4 * s->size[best] >= b->w->in->planned->count ? best : FT_UNASSIGNED;
}

/* Adds a stage: the last one, with each class split by the neighbours of its members. */
static int stage_refine(struct bases *b)
{
	const struct ft_multigraph *g = b->w->in->planned;
	const struct stage *last = &b->stage[b->stage_count - 1];
	_cleanup_free_ struct sorted *order = malloc((g->count + 1UL) * sizeof(*order));
	struct stage *s;
	int r = stage_make(b, &s);

	if (r < 0 || !order)
		return -ENOMEM;
	for (uint32_t p = 0; p < g->count; p++)
		order[p] = (struct sorted){key_of(b, g, last->class, last->ground, p), last->class[p], p};
	qsort(order, g->count, sizeof(*order), sorted_compare);
	for (uint32_t i = 0; i < g->count; i++) {
		uint32_t p = order[i].vertex, parent = order[i].parent;

		if (i == 0 || order[i - 1].parent != parent || order[i - 1].key != order[i].key) {
			s->member[s->count] = p;
			s->key[s->count++] = order[i].key;
			s->child[parent + 1] = s->count;
		}
		s->class[p] = s->count - 1;
		s->size[s->count - 1]++;
		s->child[parent + 1] = s->count;
	}
	ground_find(b, s);
	return 0;
}

/* Adds a stage: the last one, with @p in a class of its own. */
static int stage_split(struct bases *b, uint32_t p)
{
	const struct stage *last = &b->stage[b->stage_count - 1];
	size_t count = b->w->in->planned->count;
	struct stage *s;
	int r = stage_make(b, &s);

	if (r < 0)
		return r;
	s->base = p;
	s->count = last->count + 1;
	memcpy(s->class, last->class, count * sizeof(*s->class));
	memcpy(s->size, last->size, last->count * sizeof(*s->size));
	s->size[s->class[p]]--;
	s->class[p] = last->count;
	s->size[last->count] = 1;
	ground_find(b, s);
	return 0;
}

/* A switch of the largest class that has members other than twins, or FT_UNASSIGNED. */
static uint32_t base_choose(const struct bases *b)
{
	const struct stage *s = &b->stage[b->stage_count - 1];
	uint32_t best = FT_UNASSIGNED;

	for (uint32_t p = 0; p < b->w->in->planned->count; p++) {
		uint32_t c = s->class[p];

		if (b->w->twin[p] != b->w->twin[s->member[c]] &&
		    (best == FT_UNASSIGNED || s->size[c] > s->size[s->class[best]]))
			best = p;
	}
	return best;
}

static int number_compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/*
 * The first stage: classes of degrees, with gaps between them that no few faults bridge. In PolarFly some switches have
 * one neighbour fewer, as have all around a dead one. The key of a class is its least degree.
 */
static void degrees_sort(struct bases *b, struct stage *s)
{
	const struct ft_multigraph *g = b->w->in->planned;

	memcpy(s->member, g->degree, g->count * sizeof(*s->member));
	qsort(s->member, g->count, sizeof(*s->member), number_compare);
	for (uint32_t i = 0; i < g->count; i++)
		if (i == 0 || s->member[i] > s->member[i - 1] + 1 + s->member[i] / 8)
			s->key[s->count++] = s->member[i];
	for (uint32_t p = 0; p < g->count; p++) {
		uint32_t c = s->count - 1;

		while (c > 0 && g->degree[p] < s->key[c])
			c--;
		s->class[p] = c;
		s->member[c] = p;
		s->size[c]++;
	}
	ground_find(b, s);
}

/* The classes of the observed switches at the first stage. */
static void degrees_match(struct bases *b)
{
	const struct stage *s = &b->stage[0];

	for (uint32_t o = 0; o < b->w->in->observed->count; o++) {
		uint32_t c = s->count - 1, degree = b->w->in->observed->degree[o];

		while (c > 0 && degree + degree / 16 < s->key[c])
			c--;
		b->class[o] = c;
	}
}

/* All stages of the plan. The last one is stable: its classes are those of the stage before. */
static int plan_refine(struct bases *b)
{
	uint32_t bases = 0;
	struct stage *s;
	int r = stage_make(b, &s);

	if (r < 0)
		return r;
	degrees_sort(b, s);
	while (r == 0 && b->stage_count + 2 < STAGES_MAX && b->w->steps < b->limit - STEPS_MAX / 2) {
		uint32_t p;

		r = stage_refine(b);
		if (r < 0 || b->stage[b->stage_count - 1].count > b->stage[b->stage_count - 2].count)
			continue;
		p = base_choose(b);
		b->stable = p == FT_UNASSIGNED || bases++ == BASES_MAX;
		if (b->stable)
			break;
		r = stage_split(b, p);
		if (r == 0)
			r = stage_refine(b);
	}
	return r;
}

/* ---- the fabric ---- */

/* In how many neighbours @p differs from the switch in b->tally, which has @known. */
static uint32_t neighbours_apart(struct bases *b, const struct stage *before, uint32_t p, uint32_t known)
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
	b->w->steps += peers_of(g, p);
	return known + count - 2 * agree;
}

/*
 * The class of @first … @end that differs least from the switch in b->tally; of several the largest. FT_UNASSIGNED:
 * several are equally large, or none is near.
 */
static uint32_t best_class(struct bases *b, const struct stage *s, uint32_t first, uint32_t end, uint32_t known)
{
	uint32_t best = FT_UNASSIGNED, least = UINT32_MAX;
	bool tied = false;

	for (uint32_t c = first; c < end; c++) {
		uint32_t apart = neighbours_apart(b, s - 1, s->member[c], known);

		if (apart < least || (apart == least && s->size[c] > s->size[best])) {
			best = c;
			least = apart;
			tied = false;
		} else if (apart == least && s->size[c] == s->size[best]) {
			tied = true;
		}
	}
	return tied || 3 * least > 2 * known + 4 ? FT_UNASSIGNED : best;
}

/* The class of an observed switch that has no exact counterpart. */
static uint32_t nearest_class(struct bases *b, const struct stage *s, uint32_t o)
{
	const struct ft_multigraph *g = b->w->in->observed;
	uint32_t known = 0, parent = b->class[o], best = FT_UNASSIGNED;

	for (uint32_t i = g->first[o]; i < g->first[o + 1]; i++) {
		uint32_t c = b->class[g->adjacent[i].vertex];

		if (c != FT_UNASSIGNED && c != s[-1].ground) {
			b->tally[c]++;
			known++;
		}
	}
	if (parent != FT_UNASSIGNED)
		best = best_class(b, s, s->child[parent], s->child[parent + 1], known);
	else if (known > 0)
		best = best_class(b, s, 0, s->count, known);
	for (uint32_t i = g->first[o]; i < g->first[o + 1]; i++)
		if (b->class[g->adjacent[i].vertex] != FT_UNASSIGNED)
			b->tally[b->class[g->adjacent[i].vertex]] = 0;
	return best;
}

/* The child of @parent with this key, or FT_UNASSIGNED. */
static uint32_t exact_class(const struct stage *s, uint32_t parent, uint64_t key)
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
	return FT_UNASSIGNED;
}

/* The steps to find classes for those of b->odd. */
static uint64_t odd_work(const struct bases *b, const struct stage *s, uint32_t odd)
{
	const struct ft_multigraph *g = b->w->in->observed;
	uint64_t work = 0;

	for (uint32_t i = 0; i < odd; i++) {
		uint32_t o = b->odd[i], parent = b->class[o];
		uint32_t classes = parent == FT_UNASSIGNED ? s->count : s->child[parent + 1] - s->child[parent];

		work += (uint64_t)classes * peers_of(g, o);
	}
	return work;
}

/*
 * Takes the observed switches to the classes of stage @at. False if most have none that is exact, and the classes are
 * many: then the images are wrong.
 */
static bool fabric_refine(struct bases *b, uint32_t at)
{
	const struct ft_multigraph *g = b->w->in->observed;
	const struct stage *s = &b->stage[at];
	uint32_t odd = 0, *swap = b->class;

	for (uint32_t o = 0; o < g->count; o++) {
		b->next[o] = FT_UNASSIGNED;
		if (b->class[o] != FT_UNASSIGNED)
			b->next[o] = exact_class(s, b->class[o], key_of(b, g, b->class, s[-1].ground, o));
		if (b->next[o] == FT_UNASSIGNED)
			b->odd[odd++] = o;
	}
	if ((at > b->first && 4 * odd > 3 * g->count) || (2 * odd > g->count && odd_work(b, s, odd) > ODD_WORK_MAX))
		return false;
	for (uint32_t i = 0; i < odd && b->w->steps < b->limit; i++)
		b->next[b->odd[i]] = nearest_class(b, s, b->odd[i]);
	b->class = b->next;
	b->next = swap;
	return b->w->steps < b->limit;
}

/* How many switches the plan and the fabric have in common, class by class. */
static uint32_t sizes_agree(struct bases *b, const struct stage *s)
{
	uint32_t agree = 0;

	for (uint32_t o = 0; o < b->w->in->observed->count; o++)
		if (b->class[o] != FT_UNASSIGNED)
			agree += b->tally[b->class[o]]++ < s->size[b->class[o]];
	memset(b->tally, 0, s->count * sizeof(*b->tally));
	return agree;
}

/* The stages from @at to the next base, with image @o for the base that @at begins with. Returns how many agree. */
static uint32_t image_try(struct bases *b, uint32_t at, uint32_t o)
{
	uint32_t i = at + 1;

	b->class[o] = b->stage[at].count - 1;
	for (; i < b->stage_count && b->stage[i].base == FT_UNASSIGNED; i++)
		if (!fabric_refine(b, i))
			return 0;
	for (unsigned int again = 0; b->stable && i == b->stage_count && again < RECOVERIES; again++)
		if (!fabric_refine(b, i - 1))
			return 0;
	return sizes_agree(b, &b->stage[i - 1]);
}

static uint32_t stage_next_base(const struct bases *b, uint32_t at)
{
	while (at < b->stage_count && b->stage[at].base == FT_UNASSIGNED)
		at++;
	return at;
}

/* Images for all bases from stage @at on, @root for the first. *@ret_agree: how many switches agree. 0 or -ENOMEM. */
static int images_find(struct bases *b, uint32_t at, uint32_t root, uint32_t *ret_agree)
{
	size_t size = (b->w->in->observed->count + 1UL) * sizeof(*b->class);
	_cleanup_free_ uint32_t *before = malloc(size);
	_cleanup_free_ uint32_t *best = malloc(size);
	uint32_t planned = b->w->in->planned->count;

	if (!before || !best)
		return -ENOMEM;
	for (bool first = true; at < b->stage_count; at = stage_next_base(b, at + 1), first = false) {
		uint32_t wanted = b->stage[at - 1].class[b->stage[at].base], most = 0, tries = 0;

		memcpy(before, b->class, size);
		for (uint32_t o = 0; o < b->w->in->observed->count && tries < IMAGES_MAX && 8 * most < 7 * planned;
		     o++) {
			uint32_t agree;

			if (before[o] != wanted || (first && o != root))
				continue;
			tries++;
			memcpy(b->class, before, size);
			agree = image_try(b, at, o);
			if (agree > most)
				memcpy(best, b->class, size);
			most = agree > most ? agree : most;
		}
		*ret_agree = most;
		if (2 * most < planned)
			break;
		memcpy(b->class, best, size);
	}
	return 0;
}

/* Pairs the switches that are alone in their classes. */
static uint32_t pairs_take(struct bases *b, uint32_t *ret_image)
{
	const struct stage *s = &b->stage[b->stage_count - 1];
	uint32_t count = 0;

	for (uint32_t o = 0; o < b->w->in->observed->count; o++)
		if (b->class[o] != FT_UNASSIGNED)
			b->tally[b->class[o]]++;
	for (uint32_t o = 0; o < b->w->in->observed->count; o++) {
		uint32_t c = b->class[o];
		bool alone = c != FT_UNASSIGNED && s->size[c] == 1 && b->tally[c] == 1;

		ret_image[o] = alone ? s->member[c] : FT_UNASSIGNED;
		count += alone;
	}
	memset(b->tally, 0, s->count * sizeof(*b->tally));
	return count;
}

/* Leaves out pairs that their neighbours contradict. */
static void pairs_check(struct ft_assign_work *w, uint32_t *image)
{
	ft_assign_seats_copy(w, image);
	for (uint32_t o = 0; o < w->in->observed->count; o++) {
		struct ft_assign_seat seat;

		if (w->image[o] == FT_UNASSIGNED)
			continue;
		seat = ft_assign_seat_price(w, o, w->image[o]);
		if (4 * (uint64_t)seat.right < 3 * (uint64_t)seat.row)
			image[o] = FT_UNASSIGNED;
	}
}

static int roots_try(struct bases *b, uint32_t *ret_image, uint32_t *ret_count, uint32_t *ret_most)
{
	uint32_t observed = b->w->in->observed->count, planned = b->w->in->planned->count;
	uint32_t at = stage_next_base(b, 0);
	_cleanup_free_ uint32_t *begin = malloc((observed + 1UL) * sizeof(*begin));

	if (!begin)
		return -ENOMEM;
	b->first = at;
	degrees_match(b);
	for (uint32_t i = 1; i < at; i++)
		if (!fabric_refine(b, i))
			return 0;
	if (at == b->stage_count)
		*ret_count = pairs_take(b, ret_image);
	memcpy(begin, b->class, observed * sizeof(*begin));
	for (uint32_t o = 0;
	     at < b->stage_count && o < observed && 4 * *ret_most < 3 * planned && b->w->steps < b->limit; o++) {
		uint32_t agree = 0;
		int r;

		if (begin[o] != b->stage[at - 1].class[b->stage[at].base])
			continue;
		memcpy(b->class, begin, observed * sizeof(*begin));
		r = images_find(b, at, o, &agree);
		if (r < 0)
			return r;
		if (agree > *ret_most)
			*ret_count = pairs_take(b, ret_image);
		*ret_most = agree > *ret_most ? agree : *ret_most;
	}
	return 0;
}

/* One run with or without a ground. *@ret_agree: how many switches agree, class by class. */
static int bases_try(struct ft_assign_work *w, bool grounded, uint32_t *ret_image, uint32_t *ret_count,
		     uint32_t *ret_agree)
{
	size_t observed = w->in->observed->count + 1UL;
	_cleanup_(bases_release) struct bases b = {.w = w, .limit = w->steps + STEPS_MAX, .grounded = grounded};
	int r;

	b.class = calloc(observed, sizeof(*b.class));
	b.next = calloc(observed, sizeof(*b.next));
	b.odd = calloc(observed, sizeof(*b.odd));
	b.tally = calloc(w->in->planned->count + 2UL, sizeof(*b.tally));
	if (!b.class || !b.next || !b.odd || !b.tally)
		return -ENOMEM;
	r = plan_refine(&b);
	return r == 0 ? roots_try(&b, ret_image, ret_count, ret_agree) : r;
}

int ft_assign_bases_find(struct ft_assign_work *w, uint32_t *ret_image, uint32_t *ret_count)
{
	uint64_t steps = w->steps;
	uint32_t agree = 0;
	int r;

	*ret_count = 0;
	r = bases_try(w, true, ret_image, ret_count, &agree);
	if (r == 0 && 4 * agree < 3 * w->in->planned->count)
		r = bases_try(w, false, ret_image, ret_count, &agree);
	w->steps = steps;
	if (r == 0 && *ret_count > 0)
		pairs_check(w, ret_image);
	return r;
}
