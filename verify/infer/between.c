/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Bundles between groups, as the cables with several links between groups of a Cray XC. Lines are switches that are all
 * cabled to each other by bundles of one width (cliques.c): the rows and columns of a group. Groups are joined by
 * equally many bundles, and where these begin at the switches of a line, nearly all of it has one to the same group. Of
 * two groups with one bundle less than most pairs have, the ends are known if in each just one switch lacks what all
 * others of its line have. Else it is told that a bundle may be missing.
 *
 * The numbers of bundles of a switch do not tell: some switches have one more than others on purpose.
 *
 * Invariant: only a pair without cables is planned. Cost: the common neighbours of each pair, and for each line the
 * square of the neighbours of its switches.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/numbers.h"
#include "verify/infer/general.h"

enum {
	COMMON_MIN = 2, /* neighbours, of two switches of a line */
	LINE_MIN = 4,	/* switches */
	GROUP_MIN = 8,
	WIDTH_MAX = 15,	    /* as in cliques.c */
	USUAL_PERCENT = 80, /* of the pairs of groups have equally many bundles; */
	PAIRS_MIN = 3,	    /* of so few, all but one */
};

/*
 * Two groups, a < b. ends[0], in a, and ends[1], in b: the last switch found to lack a bundle to the other group;
 * end_count: how many were found.
 */
struct joint {
	uint32_t a, b;
	uint32_t bundles, width;
	uint32_t ends[2], end_count[2];
};

struct between {
	struct ft_intent *intent;
	uint32_t *group_of; /* by switch: the lowest of its group */
	uint32_t *size;	    /* by that switch */
	uint32_t *parent;   /* scratch: of lines */
	uint32_t *count;    /* scratch, by group: switches of a line that have a bundle to it; all 0 between */
	uint32_t *line;	    /* scratch: switches, line by line */
	struct joint *joints;
	uint32_t joint_count;
	struct ft_map joint_at;
	uint32_t largest; /* switches of a group */
	uint32_t usual;	  /* bundles between two groups */
};

static void between_release(struct between *x)
{
	ft_map_release(&x->joint_at);
}

/* True for two of one line. Three switches of three groups may be cabled to each other, too. */
static bool is_of_line(const struct between *x, const struct ft_meant *pair)
{
	return pair->meshed && ft_infer_common_neighbours(&x->intent->f->graph, pair->a, pair->b) >= COMMON_MIN;
}

static void groups_find(struct between *x)
{
	ft_number_begin(x->group_of, x->intent->count);
	for (uint32_t i = 0; i < x->intent->pair_count; i++)
		if (is_of_line(x, &x->intent->pairs[i]))
			ft_number_join(x->group_of, x->intent->pairs[i].a, x->intent->pairs[i].b);
	for (uint32_t i = 0; i < x->intent->count; i++) {
		x->group_of[i] = ft_number_root(x->group_of, i);
		x->largest = ft_number_most(x->largest, ++x->size[x->group_of[i]]);
	}
}

/* True for switches of a group, and not of a part of one that is half there: its columns may be too short for lines. */
static bool is_grouped(const struct between *x, uint32_t observed)
{
	uint32_t size = x->size[x->group_of[observed]];

	return size >= GROUP_MIN && 2 * size >= x->largest;
}

/* True for switches of two groups. */
static bool is_between(const struct between *x, uint32_t a, uint32_t b)
{
	return x->group_of[a] != x->group_of[b] && is_grouped(x, a) && is_grouped(x, b);
}

static uint64_t joint_key(uint32_t one, uint32_t other)
{
	return one < other ? (uint64_t)one << 32 | other : (uint64_t)other << 32 | one;
}

static struct joint *joint_get(const struct between *x, uint32_t one, uint32_t other)
{
	uint32_t at = ft_map_get(&x->joint_at, joint_key(one, other));

	return at == FT_NONE ? NULL : &x->joints[at];
}

static int joints_collect(struct between *x)
{
	for (uint32_t i = 0; i < x->intent->pair_count; i++) {
		const struct ft_meant *pair = &x->intent->pairs[i];
		uint32_t one = x->group_of[pair->a], other = x->group_of[pair->b], at;
		int r;

		if (pair->seen == 0 || !is_between(x, pair->a, pair->b))
			continue;
		r = ft_map_add(&x->joint_at, joint_key(one, other), x->joint_count, &at);
		if (r < 0)
			return r;
		if (r > 0) {
			struct joint *joint = FT_ARENA_MORE(x->intent->f->memory, x->joints, x->joint_count);

			if (!joint)
				return -ENOMEM;
			*joint = (struct joint){.a = one < other ? one : other, .b = one < other ? other : one};
			at = x->joint_count - 1;
		}
		x->joints[at].bundles++;
		x->joints[at].width = ft_number_most(x->joints[at].width, pair->seen);
	}
	return 0;
}

/* False if pairs of groups are joined by unlike numbers of bundles: then nothing is known to be missing. */
static bool usual_find(struct between *x)
{
	struct ft_tally tally = {0};

	for (uint32_t i = 0; i < x->joint_count; i++)
		ft_tally_add(&tally, x->joints[i].bundles);
	x->usual = ft_tally_mode(&tally, 1);
	return x->joint_count >= PAIRS_MIN &&
	       (tally.votes[x->usual] + 1 >= x->joint_count ||
		(uint64_t)tally.votes[x->usual] * 100 >= (uint64_t)x->joint_count * USUAL_PERCENT);
}

/* True if the switch has a bundle to the group. */
static bool is_joined(const struct between *x, uint32_t observed, uint32_t group)
{
	ft_each_adjacent(n, &x->intent->f->graph, observed)
		if (x->group_of[n->vertex] == group)
			return true;
	return false;
}

/* All switches of the line but one have a bundle to @group: that one lacks it, if the two groups have one less. */
static void end_enter(struct between *x, const uint32_t *line, uint32_t count, uint32_t group)
{
	uint32_t own = x->group_of[line[0]], end = FT_NONE;
	struct joint *joint = joint_get(x, own, group);
	unsigned int side;

	if (!joint || joint->bundles + 1 != x->usual)
		return;
	side = joint->b == own;
	for (uint32_t i = 0; i < count; i++)
		end = is_joined(x, line[i], group) ? end : line[i];
	/* A switch may lack it by its row and by its column. */
	if (joint->end_count[side] > 0 && joint->ends[side] == end)
		return;
	joint->ends[side] = end;
	joint->end_count[side]++;
}

/* Counts each group once for each switch of the line that has a bundle to it. @add false: sets these to 0. */
static void line_count(struct between *x, uint32_t observed, bool add)
{
	const struct ft_multigraph *g = &x->intent->f->graph;

	ft_each_adjacent(n, g, observed) {
		uint32_t group = x->group_of[n->vertex];
		bool again = false;

		if (!is_between(x, observed, n->vertex))
			continue;
		for (const struct ft_adjacent *k = ft_adjacent_of(g, observed); k < n; k++)
			again |= x->group_of[k->vertex] == group;
		if (!again)
			x->count[group] = add ? x->count[group] + 1 : 0;
	}
}

static void line_look(struct between *x, const uint32_t *line, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		line_count(x, line[i], true);
	/* The first or the second has a bundle to each group that all but one have. */
	for (uint32_t i = 0; i < 2; i++)
		ft_each_adjacent(n, &x->intent->f->graph, line[i]) {
			uint32_t group = x->group_of[n->vertex];

			if (!is_between(x, line[i], n->vertex) || x->count[group] + 1 != count)
				continue;
			end_enter(x, line, count, group);
			x->count[group] = 0;
		}
	for (uint32_t i = 0; i < count; i++)
		line_count(x, line[i], false);
}

static int line_compare(const void *one, const void *other, void *parent)
{
	uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
	uint32_t x = ((const uint32_t *)parent)[a], y = ((const uint32_t *)parent)[b];

	return x != y ? FT_ORDER(x, y) : FT_ORDER(a, b);
}

/* The lines whose bundles have that width. */
static void lines_look(struct between *x, uint32_t width)
{
	uint32_t all = x->intent->count;

	ft_number_begin(x->parent, all);
	for (uint32_t i = 0; i < x->intent->pair_count; i++) {
		const struct ft_meant *pair = &x->intent->pairs[i];

		if (pair->planned == width && is_of_line(x, pair))
			ft_number_join(x->parent, pair->a, pair->b);
	}
	for (uint32_t i = 0; i < all; i++) {
		x->parent[i] = ft_number_root(x->parent, i);
		x->line[i] = i;
	}
	qsort_r(x->line, all, sizeof(*x->line), line_compare, x->parent);
	for (uint32_t i = 0, next; i < all; i = next) {
		for (next = i + 1; next < all && x->parent[x->line[next]] == x->parent[x->line[i]]; next++)
			;
		if (next - i >= LINE_MIN)
			line_look(x, &x->line[i], next - i);
	}
}

static int joints_settle(struct between *x)
{
	for (uint32_t i = 0; i < x->joint_count; i++) {
		const struct joint *joint = &x->joints[i];
		struct ft_meant *pair;

		if (joint->bundles >= x->usual)
			continue;
		if (joint->end_count[0] != 1 || joint->end_count[1] != 1) {
			/* With fewer than half of the bundles, a group is smaller than the others. */
			if (2 * joint->bundles >= x->usual)
				x->intent->undecided += (uint64_t)(x->usual - joint->bundles) * joint->width;
			continue;
		}
		pair = ft_meant_get(x->intent, joint->ends[0], joint->ends[1]);
		if (!pair)
			return -ENOMEM;
		if (pair->seen > 0 || pair->settled)
			continue;
		pair->planned = joint->width;
		pair->settled = true;
	}
	return 0;
}

int ft_intent_between(struct ft_intent *intent)
{
	_cleanup_(between_release) struct between x = {.intent = intent};
	struct ft_arena *memory = intent->f->memory;
	int r;

	if (intent->layered)
		return 0;
	x.group_of = ft_arena_numbers(memory, intent->count, 0);
	x.size = ft_arena_numbers(memory, intent->count, 0);
	x.parent = ft_arena_numbers(memory, intent->count, 0);
	x.count = ft_arena_numbers(memory, intent->count, 0);
	x.line = ft_arena_numbers(memory, intent->count, 0);
	if (memory->failed)
		return -ENOMEM;
	groups_find(&x);
	r = joints_collect(&x);
	if (r < 0 || !usual_find(&x))
		return r;
	for (uint32_t width = 1; width <= WIDTH_MAX; width++)
		lines_look(&x, width);
	return joints_settle(&x);
}
