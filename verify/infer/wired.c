/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * A dragonfly or dragonfly+ that others wired: its groups are as by the rule, all routers to each other, or all leafs
 * to all spines, but the cables between groups follow none that we know. The design has the groups, whose cables are
 * missing by the rule, and lists the cables between them.
 *
 * 1. Groups. Leafs and spines: cells.c. Routers of a group have most of their neighbours in common with each other, and
 *    hardly any with those of other groups that they are cabled to: a union-find over the former cables. What falls
 *    apart, since small groups that lack cables have few neighbours in common, is put together by its cables.
 * 2. Nearly all pairs of groups are joined; else it is no dragonfly, whatever its groups.
 * 3. A group with one switch less than all others has one that is down, if enough others lack a cable.
 * 4. Cables between groups are as they are seen, and more where two groups have fewer between them than nearly all
 * have, and it can be told which of their switches lack them; else a note tells. Where the groups have unlike numbers,
 * they are as the general inference plans them.
 *
 * Cost: the neighbours of all neighbours; the square of the groups.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/numbers.h"
#include "planner/family/families.h"
#include "planner/family/groups.h"
#include "planner/family/recognise.h"
#include "verify/infer/by_rule.h"
#include "verify/infer/cells.h"
#include "verify/infer/ranges.h"

enum {
	ROUTERS_MIN = 4, /* fewer have too few neighbours in common */
	LOOKED_MAX = 16, /* common neighbours that are looked at; more are not there by chance */
	LOOSE_MAX = 256, /* routers outside whole groups */
	LOOSE_SHARE = 2, /* and one in so many */
	LOOSE_PAIRS = 3, /* one in so many pairs of two parts of a group has its cable */
	ENDS_MIN = 2,
	GROUPS_MIN = 3,
	ALIKE_MIN = 3,	     /* groups of one size, for another one to have a switch that is down */
	JOINED_PERCENT = 90, /* of the pairs of groups */
	USUAL_PERCENT = 80,  /* of these are joined by equally many cables */
	WRONG_SOME = 3,	     /* cables that may be wrong, and one of so many; as for families (family.c) */
	WRONG_SHARE = 20,
	TOLD_MAX = 6, /* pairs of groups that a note names */
};

struct group {
	struct ft_group_size size; /* with its unseen switch */
	uint32_t first;		   /* its first place */
	uint32_t lowest;	   /* of its observed switches */
	bool has_unseen;	   /* its first leaf, spine or router is down */
	bool unseen_leaf;
};

struct wired {
	const struct ft_intent *intent;
	const struct ft_inference *f;
	const struct ft_family *family;
	const char *name;
	struct ft_group_cells cells; /* of a dragonfly all are leafs */
	struct group *groups;	     /* in the order of the design */
	uint32_t *group_of;	     /* by cell: its place among the groups */
	uint32_t *place_of;	     /* by observed switch */
	uint32_t *observed_of;	     /* by place; FT_NONE: unseen */
	uint32_t places, unseen;
	struct ft_group_size *sizes;
	struct ft_family_keys keys;
	struct ft_edge *links; /* between places of different groups */
	uint32_t link_count;
	struct ft_text undecided;     /* a note */
	struct ft_design_graph graph; /* the names of the places */
};

static void wired_release(struct wired *w)
{
	ft_text_release(&w->undecided);
	ft_design_graph_release(&w->graph);
}

static bool is_plus(const struct wired *w)
{
	return w->family == &ft_family_dragonfly_plus;
}

/* ---- groups ---- */

/*
 * The neighbours in common that are cabled to at least half of the others of these, as in a group. The case that bit:
 * cables between groups of four, of which some have as many neighbours in common by chance as those within.
 */
static uint32_t common_in_group(const struct ft_multigraph *g, uint32_t a, uint32_t b)
{
	const struct ft_adjacent *p = ft_adjacent_of(g, a), *q = ft_adjacent_of(g, b);
	uint32_t common[LOOKED_MAX], count = 0, in_group = 0, all = ft_infer_common_neighbours(g, a, b);

	if (all > LOOKED_MAX)
		return all;
	while (count < all) {
		uint32_t x = p->vertex, y = q->vertex;

		if (x == y)
			common[count++] = x;
		p += x <= y;
		q += y <= x;
	}
	for (uint32_t i = 0; i < count; i++) {
		uint32_t cabled = 0;

		for (uint32_t k = 0; k < count; k++)
			cabled += k != i && ft_edges_between(g, common[i], common[k]) > 0;
		in_group += cabled * 2 >= count - 1;
	}
	return in_group;
}

/* Joins the routers that have more than half as much in common as either has with any neighbour. */
static int routers_join(const struct ft_inference *f, uint32_t *parent)
{
	const struct ft_multigraph *g = &f->graph;
	uint32_t *common = ft_arena_numbers(f->memory, g->first[g->count], 0);
	uint32_t *most = ft_arena_numbers(f->memory, g->count, 0);

	if (!common || !most)
		return -ENOMEM;
	for (uint32_t i = 0; i < g->count; i++)
		for (uint32_t n = g->first[i]; n < g->first[i + 1]; n++) {
			common[n] = common_in_group(g, i, g->adjacent[n].vertex);
			most[i] = common[n] > most[i] ? common[n] : most[i];
		}
	for (uint32_t i = 0; i < g->count; i++)
		for (uint32_t n = g->first[i]; n < g->first[i + 1]; n++)
			if (common[n] * 2 > most[i] && common[n] * 2 > most[g->adjacent[n].vertex])
				ft_number_join(parent, i, g->adjacent[n].vertex);
	return 0;
}

/* The parts of groups, which are cells with fewer routers than most. */
struct parts {
	uint32_t *size;	 /* by cell */
	uint32_t usual;	 /* the size of the cells that most routers are in */
	uint32_t *cells; /* those of fewer routers */
	uint32_t count;
	uint32_t *cables; /* [count][count]: pairs of routers that are cabled */
};

/* The sizes, and the parts. Returns 1; 0 if there are none, or too many; or -ENOMEM. */
static int parts_find(const struct ft_inference *f, const struct ft_group_cells *cells, struct parts *parts)
{
	uint32_t routers = f->graph.count, loose = 0, *votes = ft_arena_numbers(f->memory, routers + 1UL, 0);

	parts->size = ft_arena_numbers(f->memory, cells->count, 0);
	parts->cells = ft_arena_numbers(f->memory, cells->count, 0);
	if (f->memory->failed)
		return -ENOMEM;
	for (uint32_t i = 0; i < routers; i++)
		parts->size[cells->cell_of[i]]++;
	for (uint32_t c = 0; c < cells->count; c++)
		votes[parts->size[c]] += parts->size[c];
	for (uint32_t size = ROUTERS_MIN; size <= routers; size++)
		if (votes[size] > votes[parts->usual])
			parts->usual = size;
	for (uint32_t c = 0; c < cells->count; c++)
		if (parts->size[c] < parts->usual) {
			parts->cells[parts->count++] = c;
			loose += parts->size[c];
		}
	return parts->count > 1 && loose <= LOOSE_MAX && loose * LOOSE_SHARE <= routers;
}

static int parts_count_cables(const struct ft_inference *f, const struct ft_group_cells *cells, struct parts *parts)
{
	const struct ft_multigraph *g = &f->graph;
	uint32_t *part_of = ft_arena_numbers(f->memory, cells->count, FT_NONE);

	parts->cables = ft_arena_numbers(f->memory, (size_t)parts->count * parts->count, 0);
	if (f->memory->failed)
		return -ENOMEM;
	for (uint32_t k = 0; k < parts->count; k++)
		part_of[parts->cells[k]] = k;
	for (uint32_t i = 0; i < g->count; i++)
		ft_each_adjacent(n, g, i) {
			uint32_t x = part_of[cells->cell_of[i]], y = part_of[cells->cell_of[n->vertex]];

			if (x != FT_NONE && y != FT_NONE && x != y)
				parts->cables[(size_t)x * parts->count + y]++;
		}
	return 0;
}

/* The two parts with the most cables between them that may be of one group; of equals the largest. False: none. */
static bool parts_choose(const struct parts *parts, uint32_t *ret_x, uint32_t *ret_y)
{
	uint32_t most = 0, largest = 0;

	for (uint32_t x = 0; x < parts->count; x++)
		for (uint32_t y = 0; y < x; y++) {
			uint32_t cables = parts->cables[(size_t)x * parts->count + y];
			uint32_t one = parts->size[parts->cells[x]], other = parts->size[parts->cells[y]];

			if (cables == 0 || cables < most || one + other > parts->usual ||
			    cables * LOOSE_PAIRS < one * other || (cables == most && one + other <= largest))
				continue;
			most = cables;
			largest = one + other;
			*ret_x = x;
			*ret_y = y;
		}
	return most > 0;
}

/* Agglomerates the parts: two by two, until none are left that may be of one group. */
static int parts_join(const struct ft_inference *f, struct ft_group_cells *cells)
{
	struct parts parts = {0};
	int r = parts_find(f, cells, &parts);
	uint32_t x, y;

	if (r > 0)
		r = parts_count_cables(f, cells, &parts) < 0 ? -ENOMEM : 1;
	while (r > 0 && parts_choose(&parts, &x, &y)) {
		for (uint32_t i = 0; i < f->graph.count; i++)
			if (cells->cell_of[i] == parts.cells[x])
				cells->cell_of[i] = parts.cells[y];
		for (uint32_t k = 0; k < parts.count; k++) {
			uint32_t *row = &parts.cables[(size_t)y * parts.count + k];

			*row += parts.cables[(size_t)x * parts.count + k];
			parts.cables[(size_t)k * parts.count + y] = *row;
			parts.cables[(size_t)x * parts.count + k] = parts.cables[(size_t)k * parts.count + x] = 0;
		}
		parts.cables[(size_t)y * parts.count + y] = 0;
		parts.size[parts.cells[y]] += parts.size[parts.cells[x]];
		parts.size[parts.cells[x]] = 0;
	}
	return r < 0 ? r : 0;
}

/* Numbers cells from 0, without those that have no router left. */
static int cells_renumber(const struct ft_inference *f, struct ft_group_cells *cells)
{
	uint32_t *number = ft_arena_numbers(f->memory, cells->count, FT_NONE), count = 0;

	if (!number)
		return -ENOMEM;
	for (uint32_t i = 0; i < f->graph.count; i++) {
		uint32_t *new = &number[cells->cell_of[i]];

		if (*new == FT_NONE)
			*new = count++;
		cells->cell_of[i] = *new;
	}
	cells->count = count;
	return 0;
}

/* The groups of a dragonfly as cells without spines. */
static int routers_find(struct wired *w)
{
	const struct ft_multigraph *g = &w->f->graph;
	struct ft_group_cells *cells = &w->cells;
	int r;

	cells->cell_of = ft_arena_numbers(w->f->memory, g->count, 0);
	cells->leaf = ft_arena_zeros(w->f->memory, g->count, sizeof(*cells->leaf));
	if (w->f->memory->failed)
		return -ENOMEM;
	ft_number_begin(cells->cell_of, g->count);
	r = routers_join(w->f, cells->cell_of);
	if (r < 0)
		return r;
	cells->count = ft_number_sets(cells->cell_of, g->count);
	for (uint32_t i = 0; i < g->count; i++)
		cells->leaf[i] = true;
	return parts_join(w->f, cells) ?: cells_renumber(w->f, cells);
}

/* A dragonfly has hosts on all switches but, where these are down, a few. */
static int cells_settle(struct wired *w)
{
	uint32_t hosting = 0, switches = w->f->graph.count;

	for (uint32_t i = 0; i < switches; i++)
		hosting += w->f->hosts[i] > 0;
	w->family = hosting == switches ? &ft_family_dragonfly : &ft_family_dragonfly_plus;
	return is_plus(w) ? ft_group_cells_find(w->f, &w->cells) : routers_find(w);
}

static uint32_t leafs_of(const struct wired *w, const struct ft_group_size *size)
{
	return is_plus(w) ? size->leafs : size->routers;
}

static bool same_size(const struct ft_group_size *a, const struct ft_group_size *b)
{
	return a->leafs == b->leafs && a->spines == b->spines && a->routers == b->routers;
}

/* The largest first, and then in the order of the switches. */
static int group_compare(const void *one, const void *other)
{
	const struct group *x = one, *y = other;
	uint32_t a = x->size.routers + x->size.leafs, b = y->size.routers + y->size.leafs;

	return FT_ORDER(b, a) ?: FT_ORDER(y->size.spines, x->size.spines) ?: FT_ORDER(x->lowest, y->lowest);
}

/* If all groups but one are alike, and that one has a leaf, spine or router less, this one is unseen. */
static void unseen_find(struct wired *w)
{
	struct group *odd = NULL, *usual = NULL;
	uint32_t alike = 0;

	for (uint32_t i = 0; i < w->cells.count; i++) {
		uint32_t same = 0;

		for (uint32_t k = 0; k < w->cells.count; k++)
			same += same_size(&w->groups[i].size, &w->groups[k].size);
		if (same > alike) {
			alike = same;
			usual = &w->groups[i];
		}
	}
	if (!usual || alike < ALIKE_MIN || alike + 1 != w->cells.count)
		return;
	for (uint32_t i = 0; i < w->cells.count; i++)
		if (!same_size(&w->groups[i].size, &usual->size))
			odd = &w->groups[i];
	if (!odd || odd->size.leafs + odd->size.spines + odd->size.routers + 1 !=
			    usual->size.leafs + usual->size.spines + usual->size.routers)
		return;
	if (odd->size.leafs > usual->size.leafs || odd->size.spines > usual->size.spines)
		return;
	odd->has_unseen = true;
	odd->unseen_leaf = odd->size.spines == usual->size.spines;
	odd->size = usual->size;
	w->unseen = 1;
}

/* Sizes and order of the groups. Returns 1; 0 if they are none. */
static int groups_make(struct wired *w)
{
	const struct ft_group_cells *cells = &w->cells;
	uint32_t unsaid = is_plus(w) ? FT_NONE : 0;

	if (cells->count < GROUPS_MIN)
		return 0;
	w->groups = ft_arena_zeros(w->f->memory, cells->count, sizeof(*w->groups));
	w->group_of = ft_arena_numbers(w->f->memory, cells->count, 0);
	if (w->f->memory->failed)
		return -ENOMEM;
	for (uint32_t i = 0; i < cells->count; i++)
		w->groups[i].lowest = FT_NONE;
	for (uint32_t i = 0; i < w->f->graph.count; i++) {
		struct group *group = &w->groups[cells->cell_of[i]];

		group->size.routers += !is_plus(w);
		group->size.leafs += is_plus(w) && cells->leaf[i];
		group->size.spines += is_plus(w) && !cells->leaf[i];
		if (group->lowest == FT_NONE)
			group->lowest = i;
	}
	unseen_find(w);
	qsort(w->groups, cells->count, sizeof(*w->groups), group_compare);
	for (uint32_t i = 0; i < cells->count; i++) {
		struct group *group = &w->groups[i];

		w->group_of[cells->cell_of[group->lowest]] = i;
		group->first = w->places;
		w->places += group->size.routers + group->size.leafs + group->size.spines;
		if (is_plus(w) ? group->size.leafs < ENDS_MIN || group->size.spines < ENDS_MIN
			       : group->size.routers < ROUTERS_MIN)
			return 0;
		group->size.count = 1;
		group->size.hosts = FT_NONE;
		group->size.routers = is_plus(w) ? unsaid : group->size.routers;
		group->size.leafs = is_plus(w) ? group->size.leafs : FT_NONE;
		group->size.spines = is_plus(w) ? group->size.spines : FT_NONE;
	}
	return 1;
}

/* Each switch has a place: the leafs of a group first, in the order in which they were observed. */
static int places_make(struct wired *w)
{
	struct ft_arena *memory = w->f->memory;
	uint32_t *leafs = ft_arena_numbers(memory, w->cells.count, 0);
	uint32_t *spines = ft_arena_numbers(memory, w->cells.count, 0);

	w->place_of = ft_arena_numbers(memory, w->f->graph.count, 0);
	w->observed_of = ft_arena_numbers(memory, w->places, FT_NONE);
	if (memory->failed)
		return -ENOMEM;
	for (uint32_t i = 0; i < w->cells.count; i++) {
		leafs[i] = w->groups[i].first + (w->groups[i].has_unseen && w->groups[i].unseen_leaf);
		spines[i] = w->groups[i].first + leafs_of(w, &w->groups[i].size) +
			    (w->groups[i].has_unseen && !w->groups[i].unseen_leaf);
	}
	for (uint32_t i = 0; i < w->f->graph.count; i++) {
		uint32_t group = w->group_of[w->cells.cell_of[i]];

		w->place_of[i] = w->cells.leaf[i] ? leafs[group]++ : spines[group]++;
		w->observed_of[w->place_of[i]] = i;
	}
	return 0;
}

/* The cables of most pairs of switches within groups. */
static uint32_t local_bundle(const struct wired *w)
{
	const struct ft_multigraph *g = &w->f->graph;
	struct ft_tally tally = {0};

	for (uint32_t i = 0; i < g->count; i++)
		ft_each_adjacent(n, g, i)
			if (w->cells.cell_of[i] == w->cells.cell_of[n->vertex])
				ft_tally_add(&tally, n->count);
	return ft_tally_mode(&tally, 1);
}

static int keys_make(struct wired *w)
{
	struct ft_family_keys *keys = &w->keys;
	uint32_t local = local_bundle(w);
	size_t sizes = 0;

	ft_family_keys_init(keys);
	keys->groups = w->cells.count;
	keys->local_bundle = local > 1 ? local : FT_NONE;
	w->sizes = ft_arena_zeros(w->f->memory, w->cells.count, sizeof(*w->sizes));
	if (!w->sizes)
		return -ENOMEM;
	for (uint32_t i = 0; i < w->cells.count; i++) {
		if (sizes > 0 && same_size(&w->sizes[sizes - 1], &w->groups[i].size))
			w->sizes[sizes - 1].count++;
		else
			w->sizes[sizes++] = w->groups[i].size;
	}
	keys->routers = w->sizes[0].routers;
	keys->leafs = w->sizes[0].leafs;
	keys->spines = w->sizes[0].spines;
	if (sizes > 1) {
		keys->sizes = w->sizes;
		keys->size_count = sizes;
	}
	return 0;
}

/* ---- cables between groups ---- */

static bool is_end(const struct wired *w, uint32_t observed)
{
	return !is_plus(w) || !w->cells.leaf[observed];
}

static bool is_between(const struct wired *w, uint32_t a, uint32_t b)
{
	return w->cells.cell_of[a] != w->cells.cell_of[b] && is_end(w, a) && is_end(w, b);
}

/* Cables between groups, by group and by place. */
struct sums {
	uint32_t *pairs; /* [groups][groups] */
	uint32_t *place;
	uint32_t usual_pair, usual_place;
};

static uint32_t *pair_sum(const struct wired *w, const struct sums *sums, uint32_t a, uint32_t b)
{
	return &sums->pairs[(size_t)a * w->cells.count + b];
}

static uint32_t group_at(const struct wired *w, uint32_t place)
{
	bool end;

	return ft_groups_place(&w->keys, place, &end);
}

/* A cable between two places: listed, and counted. */
static void link_add(struct wired *w, struct sums *sums, uint32_t a, uint32_t b, uint32_t count)
{
	uint32_t x = group_at(w, a), y = group_at(w, b);

	w->links[w->link_count++] = a < b ? (struct ft_edge){a, b, count} : (struct ft_edge){b, a, count};
	*pair_sum(w, sums, x, y) += count;
	*pair_sum(w, sums, y, x) += count;
	sums->place[a] += count;
	sums->place[b] += count;
}

/* True if nearly all groups are joined to each other. */
static bool usual_find(const struct wired *w, struct sums *sums)
{
	struct ft_tally pairs = {0}, places = {0};
	uint32_t all = 0, joined = 0;

	for (uint32_t a = 0; a < w->cells.count; a++)
		for (uint32_t b = a + 1; b < w->cells.count; b++) {
			uint32_t cables = *pair_sum(w, sums, a, b);

			all++;
			joined += cables > 0;
			ft_tally_add(&pairs, cables);
		}
	for (uint32_t i = 0; i < w->places; i++)
		if (w->observed_of[i] != FT_NONE && is_end(w, w->observed_of[i]))
			ft_tally_add(&places, sums->place[i]);
	sums->usual_pair = ft_tally_mode(&pairs, 1);
	sums->usual_place = ft_tally_mode(&places, 1);
	/* Where pairs differ, which of them lacks a cable cannot be told. */
	if ((uint64_t)pairs.votes[sums->usual_pair] * 100 < (uint64_t)all * USUAL_PERCENT)
		sums->usual_pair = 0;
	return (uint64_t)joined * 100 >= (uint64_t)all * JOINED_PERCENT;
}

static uint32_t lacks_at(const struct wired *w, const struct sums *sums, uint32_t place)
{
	uint32_t observed = w->observed_of[place];
	bool end =
		observed != FT_NONE ? is_end(w, observed) : !is_plus(w) || !w->groups[group_at(w, place)].unseen_leaf;

	return end && sums->place[place] < sums->usual_place ? sums->usual_place - sums->place[place] : 0;
}

/* What switches of a group lack of cables to others. @ret_count: how many they are; @ret_last: one of them. */
static uint32_t lacks_in(const struct wired *w, const struct sums *sums, uint32_t group, uint32_t *ret_count,
			 uint32_t *ret_last)
{
	uint32_t end = group + 1 < w->cells.count ? w->groups[group + 1].first : w->places, sum = 0;

	*ret_count = 0;
	for (uint32_t i = w->groups[group].first; i < end; i++) {
		uint32_t lacks = lacks_at(w, sums, i);

		sum += lacks;
		*ret_count += lacks > 0;
		*ret_last = lacks > 0 ? i : *ret_last;
	}
	return sum;
}

/*
 * Adds what two groups lack, if one switch of the first lacks cables, at least as many, and switches of the other just
 * as many. Returns whether it did.
 */
static bool lacking_pair_add(struct wired *w, struct sums *sums, uint32_t one, uint32_t other)
{
	uint32_t lacks = sums->usual_pair - *pair_sum(w, sums, one, other), count, many, place = 0, last = 0;
	uint32_t end = other + 1 < w->cells.count ? w->groups[other + 1].first : w->places;

	if (lacks_in(w, sums, one, &count, &place) < lacks || count != 1)
		return false;
	if (lacks_in(w, sums, other, &many, &last) != lacks)
		return false;
	for (uint32_t i = w->groups[other].first; i < end; i++)
		if (lacks_at(w, sums, i) > 0)
			link_add(w, sums, place, i, lacks_at(w, sums, i));
	return true;
}

/*
 * Pair by pair, as long as there is one that can be told: a cable that is found may leave but one way for another one.
 */
static void lacking_add(struct wired *w, struct sums *sums)
{
	bool more = true;

	while (more) {
		more = false;
		for (uint32_t a = 0; a < w->cells.count; a++)
			for (uint32_t b = a + 1; b < w->cells.count; b++)
				if (*pair_sum(w, sums, a, b) < sums->usual_pair)
					more |= lacking_pair_add(w, sums, a, b) || lacking_pair_add(w, sums, b, a);
	}
}

static int ends_compare(const void *one, const void *other)
{
	const struct ft_edge *x = one, *y = other;

	return FT_ORDER(x->a, y->a) ?: FT_ORDER(x->b, y->b);
}

/* One link of those between the same places: of a bundle that is seen, and of what it lacks. */
static void links_merge(struct wired *w)
{
	uint32_t count = 0;

	qsort(w->links, w->link_count, sizeof(*w->links), ends_compare);
	for (uint32_t i = 0; i < w->link_count; i++) {
		if (count > 0 && ends_compare(&w->links[count - 1], &w->links[i]) == 0)
			w->links[count - 1].count += w->links[i].count;
		else
			w->links[count++] = w->links[i];
	}
	w->link_count = count;
}

static int link_compare(const void *one, const void *other)
{
	const struct ft_edge *x = one, *y = other;

	return FT_ORDER(x->a, y->a) ?: FT_ORDER(x->count, y->count) ?: FT_ORDER(x->b, y->b);
}

/* The cables between groups that are seen and planned. */
static void seen_add(struct wired *w, struct sums *sums)
{
	for (uint32_t i = 0; i < w->intent->pair_count; i++) {
		const struct ft_meant *pair = &w->intent->pairs[i];
		uint32_t count = pair->seen < pair->planned ? pair->seen : pair->planned;

		if (count > 0 && is_between(w, pair->a, pair->b))
			link_add(w, sums, w->place_of[pair->a], w->place_of[pair->b], count);
	}
}

/*
 * The cables between groups that are planned and were not seen. Where all pairs of groups have as many, only those of a
 * bundle that is thinner: others are guessed by the ways around them, which tell nothing where cables lie at random.
 */
static void planned_add(struct wired *w, struct sums *sums)
{
	for (uint32_t i = 0; i < w->intent->pair_count; i++) {
		const struct ft_meant *pair = &w->intent->pairs[i];
		uint32_t x = w->place_of[pair->a], y = w->place_of[pair->b];

		if (pair->planned <= pair->seen || !is_between(w, pair->a, pair->b))
			continue;
		if (sums->usual_pair == 0 || (pair->seen > 0 && *pair_sum(w, sums, group_at(w, x), group_at(w, y)) +
										pair->planned - pair->seen <=
									sums->usual_pair))
			link_add(w, sums, x, y, pair->planned - pair->seen);
	}
}

static const char *label_in(const struct wired *w, uint32_t group)
{
	return w->f->observed->switches[w->groups[group].lowest].label;
}

/* Notes the pairs of groups that lack cables of which nothing tells the switches. */
static void lacking_tell(struct wired *w, const struct sums *sums)
{
	uint32_t told = 0, all = 0, count, last;

	for (uint32_t a = 0; a < w->cells.count && w->unseen == 0; a++)
		for (uint32_t b = a + 1; b < w->cells.count; b++) {
			uint32_t seen = *pair_sum(w, sums, a, b);

			if (seen >= sums->usual_pair || lacks_in(w, sums, a, &count, &last) == 0 ||
			    lacks_in(w, sums, b, &count, &last) == 0)
				continue;
			if (all++ < TOLD_MAX)
				ft_text_printf(&w->undecided, "%sthe groups of %s and %s: %u seen, most have %u",
					       told++ ? "; " : "", label_in(w, a), label_in(w, b), seen,
					       sums->usual_pair);
		}
	if (all > told)
		ft_text_printf(&w->undecided, "; and %u pairs more", all - told);
	if (all > 0)
		ft_text_puts(&w->undecided,
			     ": cables may be missing between them, and nothing tells between which of their switches");
}

/* Returns 1; 0 if the groups are not joined, or an unseen switch would have no cables to others. */
static int links_make(struct wired *w)
{
	struct ft_arena *memory = w->f->memory;
	size_t groups = w->cells.count, pairs = groups * groups;
	struct sums sums = {
		.pairs = ft_arena_numbers(memory, pairs, 0),
		.place = ft_arena_numbers(memory, w->places, 0),
	};

	w->links = ft_arena_zeros(memory, 2UL * w->intent->pair_count + (size_t)w->places + pairs, sizeof(*w->links));
	if (memory->failed)
		return -ENOMEM;
	seen_add(w, &sums);
	if (!usual_find(w, &sums))
		return 0;
	/* Cables of a switch that is down are missing at switches that are not cabled to each other. */
	if (w->unseen == 0)
		planned_add(w, &sums);
	if (sums.usual_pair > 0)
		lacking_add(w, &sums);
	lacking_tell(w, &sums);
	/* A switch that is down is told by those that lack its cables, or else the group is just smaller. */
	for (uint32_t i = 0; i < w->places; i++)
		if (w->observed_of[i] == FT_NONE && sums.place[i] != sums.usual_place &&
		    !(is_plus(w) && w->groups[group_at(w, i)].unseen_leaf))
			return 0;
	links_merge(w);
	qsort(w->links, w->link_count, sizeof(*w->links), link_compare);
	return 1;
}

/* ---- the design ---- */

static void links_write(const struct wired *w, struct ft_text *text)
{
	ft_text_puts(text, ",\n\t\"links\": [");
	for (uint32_t i = 0, next; i < w->link_count; i = next) {
		struct ft_name_list far;

		for (next = i + 1; next < w->link_count; next++)
			if (w->links[next].a != w->links[i].a || w->links[next].count != w->links[i].count)
				break;
		far = ft_name_list_of(w->f->memory, next - i);
		for (uint32_t k = i; k < next; k++)
			ft_name_list_add(&far, w->graph.switches[w->links[k].b].name);
		ft_text_printf(text, "%s\n\t\t{\"a\": \"%s\", \"b\": ", i ? "," : "",
			       w->graph.switches[w->links[i].a].name);
		ft_name_list_write(text, &far);
		if (w->links[i].count > 1)
			ft_text_printf(text, ", \"count\": %u", w->links[i].count);
		ft_text_puts(text, "}");
	}
	ft_text_puts(text, "\n\t]");
}

/* The hosts of an unseen leaf or router: those of most others of its group. */
static uint32_t hosts_beside(const struct wired *w, uint32_t place)
{
	const struct group *group = &w->groups[group_at(w, place)];
	struct ft_tally tally = {0};

	if (is_plus(w) && !group->unseen_leaf)
		return 0;
	for (uint32_t i = 1; i < leafs_of(w, &group->size); i++)
		ft_tally_add(&tally, w->f->hosts[w->observed_of[group->first + i]]);
	return ft_tally_mode(&tally, 0);
}

/* The hosts of an unseen switch, of which there is one at most. */
static uint32_t unseen_hosts(const struct wired *w)
{
	for (uint32_t i = 0; i < w->places; i++)
		if (w->observed_of[i] == FT_NONE)
			return hosts_beside(w, i);
	return 0;
}

/* Places by the names of their switches; one that is unseen has that of its family, unless another one has it. */
static int bind_write(const struct wired *w, struct ft_text *text)
{
	const bool *by_guid = ft_infer_by_rule_names(w->f);
	const char *unseen = NULL;

	for (uint32_t i = 0; i < w->places; i++)
		if (w->observed_of[i] == FT_NONE)
			unseen = ft_arena_print(w->f->memory, "%s%s", w->graph.switches[i].name,
						ft_infer_by_rule_taken(w->f, w->graph.switches[i].name) ? "-unseen"
													: "");
	if (!by_guid)
		return -ENOMEM;
	ft_text_puts(text, ",\n\t\"bind\": {\n\t\t\"edge\": ");
	ft_infer_by_rule_bind(w->f, w->observed_of, w->places, by_guid, &unseen, text);
	ft_text_puts(text, "\n\t}");
	return 0;
}

static void why_write(const struct wired *w, uint64_t wrong, struct ft_text *text)
{
	ft_text_printf(
		text,
		",\n\t\"why\": {\n\t\t\"topology\": \"%u switches in %u groups, in which they are cabled to each "
		"other as those of %s are; %llu of %llu cables are wrong or missing by that. The cables between groups "
		"follow no rule that is known, and are listed",
		w->f->graph.count, w->cells.count, w->family->about, (unsigned long long)wrong,
		(unsigned long long)w->f->cable_total);
	if (w->unseen > 0)
		ft_text_puts(text,
			     ". One group has a switch less than the others, and it is planned, as others lack its "
			     "cables");
	ft_text_puts(text, "\"");
	ft_infer_by_rule_notes(w->f, NULL, text);
	if (ft_text_string(&w->undecided)[0] != '\0') {
		ft_text_puts(text, ",\n\t\t\"undecided\": ");
		ft_text_add_json(text, ft_text_string(&w->undecided));
	}
	ft_text_puts(text, "\n\t}");
}

static int design_write(const struct wired *w, uint64_t wrong, struct ft_text *text)
{
	uint32_t unseen = unseen_hosts(w), most = ft_number_most(unseen, 1);
	int r;

	for (uint32_t i = 0; i < w->f->graph.count; i++)
		most = ft_number_most(most, w->f->hosts[i]);
	ft_text_reset(text);
	ft_infer_write_head(text, w->f->snapshot, w->name);
	why_write(w, wrong, text);
	ft_text_printf(text, ",\n\t\"topology\": \"%s\"", w->family->name);
	ft_family_keys_write(text, &w->keys);
	ft_text_printf(text, ",\n\t\"nodes\": %u,\n\t\"edge\": {\"ports\": %u, \"ports_to_nodes\": %u",
		       w->f->host_total + unseen, ft_infer_ports(w->f, 0), most);
	ft_infer_by_rule_hosts(w->f->hosts, w->observed_of, w->places, unseen, text);
	ft_text_puts(text, "}");
	ft_infer_write_rates(text, w->f);
	links_write(w, text);
	r = bind_write(w, text);
	ft_text_puts(text, "\n}\n");
	return r < 0 || ft_text_failed(text) || ft_text_failed(&w->undecided) ? -ENOMEM : 0;
}

static int design_make(struct wired *w, struct ft_text *text, uint64_t *ret_wrong)
{
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	int r = design_write(w, 0, text) ?: ft_infer_by_rule_verify(w->f, text, false, 0, &report);

	if (r < 0)
		return r == -EINVAL ? 0 : r;
	*ret_wrong = ft_infer_by_rule_wrong(report, w->unseen);
	if (*ret_wrong > WRONG_SOME && *ret_wrong > w->f->cable_total / WRONG_SHARE)
		return 0;
	r = design_write(w, *ret_wrong, text);
	return r < 0 ? r : 1;
}

/* All have as many ports, as a design of a family says but one number, and are in one part. */
static bool is_possible(const struct ft_inference *f)
{
	if (f->observed->part_count > 1 || f->host_total == 0)
		return false;
	for (uint32_t i = 0; i < f->graph.count; i++)
		if (ft_infer_ports(f, i) != ft_infer_ports(f, 0))
			return false;
	return true;
}

int ft_infer_wired(const struct ft_intent *intent, const char *name, struct ft_text *text, uint64_t *ret_wrong,
		   uint64_t *ret_listed)
{
	_cleanup_(wired_release) struct wired w = {.intent = intent, .f = intent->f, .name = name};
	int r;

	if (!is_possible(w.f))
		return 0;
	r = cells_settle(&w) ?: groups_make(&w);
	if (r > 0)
		r = places_make(&w) < 0 || keys_make(&w) < 0 ? -ENOMEM : 1;
	if (r > 0)
		r = links_make(&w);
	if (r > 0)
		r = ft_family_groups(w.family, &w.keys, &w.graph) < 0 ? -ENOMEM : 1;
	*ret_listed = 0;
	for (uint32_t i = 0; i < w.link_count; i++)
		*ret_listed += w.links[i].count;
	return r > 0 ? design_make(&w, text, ret_wrong) : r;
}
