/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The stages of colour refinement of the plan, from degrees to classes of one member or of twins: see bases.c. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/chance.h"
#include "base/cleanup.h"
#include "base/numbers.h"
#include "verify/match/bases_parts.h"

enum { BASES_MAX = 32 };

/* The classes of the neighbours, in no order. */
uint64_t ft_stage_key(struct ft_bases *b, const struct ft_multigraph *g, const uint32_t *class, uint32_t ground,
		      uint32_t v)
{
	uint64_t key = 0;

	for (uint32_t i = g->first[v]; i < g->first[v + 1]; i++)
		if (class[g->adjacent[i].vertex] != ground)
			key += ft_chance_of(((uint64_t) class[g->adjacent[i].vertex] << 32) | g->adjacent[i].count);
	b->w->steps += ft_adjacent_count(g, v);
	return key;
}

uint64_t ft_stage_ways_key(const struct ft_ways *ways, uint32_t v)
{
	uint64_t key = 0;

	for (unsigned int near = 0; near < 2; near++)
		for (unsigned int n = 0; n <= FT_WAYS_MAX; n++)
			key = ft_chance_of(key + ways->others[v][near][n]);
	return key;
}

/* What splits the classes of stage @s: at first the numbers of two-hop walks, then the classes of the neighbours. */
static uint64_t planned_key(struct ft_bases *b, const struct ft_stage *s, uint32_t p)
{
	return s == b->stage && b->run.by_ways ? ft_stage_ways_key(&b->w->planned_ways, p)
					       : ft_stage_key(b, b->w->in->planned, s->class, s->ground, p);
}

static int stage_make(struct ft_bases *b, struct ft_stage **ret)
{
	size_t size = b->w->in->planned->count + 2UL;
	struct ft_stage *s = &b->stage[b->stage_count++];

	*s = (struct ft_stage){.base = FT_NONE, .ground = FT_NONE};
	s->class = ft_arena_zeros(b->memory, size, sizeof(*s->class));
	s->size = ft_arena_zeros(b->memory, size, sizeof(*s->size));
	s->member = ft_arena_zeros(b->memory, size, sizeof(*s->member));
	s->key = ft_arena_zeros(b->memory, size, sizeof(*s->key));
	s->child = ft_arena_zeros(b->memory, size, sizeof(*s->child));
	*ret = s;
	return b->memory->failed ? -ENOMEM : 0;
}

struct sorted {
	uint64_t key;
	uint32_t parent, vertex;
};

static int sorted_compare(const void *a, const void *b)
{
	const struct sorted *x = a, *y = b;

	return FT_ORDER(x->parent, y->parent) ?: FT_ORDER(x->key, y->key) ?: FT_ORDER(x->vertex, y->vertex);
}

/* Says which class of a new stage is the ground: with at least a quarter of the switches. */
static void ground_find(const struct ft_bases *b, struct ft_stage *s)
{
	uint32_t best = 0;

	for (uint32_t c = 1; c < s->count; c++)
		best = s->size[c] > s->size[best] ? c : best;
	s->ground = b->run.grounded && 4 * s->size[best] >= b->w->in->planned->count ? best : FT_NONE;
}

/* Adds a stage: the last one, with each class split by the neighbours of its members. */
static int stage_refine(struct ft_bases *b)
{
	const struct ft_multigraph *g = b->w->in->planned;
	const struct ft_stage *last = &b->stage[b->stage_count - 1];
	_cleanup_free_ struct sorted *order = malloc((g->count + 1UL) * sizeof(*order));
	struct ft_stage *s;
	int r = stage_make(b, &s);

	if (r < 0 || !order)
		return -ENOMEM;
	for (uint32_t p = 0; p < g->count; p++)
		order[p] = (struct sorted){planned_key(b, last, p), last->class[p], p};
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
static int stage_split(struct ft_bases *b, uint32_t p)
{
	const struct ft_stage *last = &b->stage[b->stage_count - 1];
	uint32_t count = b->w->in->planned->count;
	struct ft_stage *s;
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
	for (uint32_t v = 0; v < count; v++)
		s->member[s->class[v]] = v;
	ground_find(b, s);
	return 0;
}

/* A switch of the largest class that has members other than twins, or FT_NONE. */
static uint32_t base_choose(const struct ft_bases *b)
{
	const struct ft_stage *s = &b->stage[b->stage_count - 1];
	uint32_t best = FT_NONE, count = b->w->in->planned->count, start = b->run.turn * (count / 4 + 1);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t p = (start + i) % count, c = s->class[p];

		if (b->w->twin[p] != b->w->twin[s->member[c]] &&
		    (best == FT_NONE || s->size[c] > s->size[s->class[best]]))
			best = p;
	}
	return best;
}

/*
 * The first stage: classes of degrees, with gaps between them that no few faults bridge. In PolarFly some switches have
 * one neighbour fewer, as have all around a dead one. The key of a class is its least degree.
 */
static void degrees_sort(struct ft_bases *b, struct ft_stage *s)
{
	const struct ft_multigraph *g = b->w->in->planned;

	memcpy(s->member, g->degree, g->count * sizeof(*s->member));
	qsort(s->member, g->count, sizeof(*s->member), ft_number_compare);
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

/* All stages of the plan. The last one is stable: its classes are those of the stage before. */
int ft_stages_make(struct ft_bases *b)
{
	uint32_t bases = 0;
	struct ft_stage *s;
	int r = stage_make(b, &s);

	if (r < 0)
		return r;
	degrees_sort(b, s);
	if (b->run.by_ways)
		r = stage_refine(b);
	while (r == 0 && b->stage_count + 2 < FT_STAGES_MAX && b->w->steps < b->limit - FT_BASES_STEPS_MAX / 2) {
		uint32_t p;

		if (!b->run.early || bases > 0)
			r = stage_refine(b);
		if (r < 0 ||
		    (b->stage_count > 2 && b->stage[b->stage_count - 1].count > b->stage[b->stage_count - 2].count))
			continue;
		p = base_choose(b);
		if (p == FT_NONE || bases++ == BASES_MAX)
			break;
		r = stage_split(b, p) ?: stage_refine(b);
	}
	return r;
}
