/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Twin sets: switches of one rank with clearly more than half of their neighbours on one side in common (single linkage
 * by Jaccard similarity, with a union-find): a leaf on two line boards of each director is of neither board's set, also
 * when it lacks the only cable to one of these boards. In a tree the leaves of a pod are such a set on their upper
 * side, and so are the spines of a plane; the spines of a pod are one on their lower side, and so are the cores of a
 * plane. A switch that has lost so many cables that it is unlike all others joins those of its kind whose neighbours
 * include all of its own. A leaf that has lost every cable joins those of its kind above which ports are dark for it.
 * Strays are in no set.
 * Invariant: a set is of one rank. Cost: for each switch the sum of its neighbours' degrees; for each isolated leaf all
 * ports above its kind.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "base/numbers.h"
#include "verify/infer/general.h"

enum { HELD_PERCENT = 90, ATTACHED_MAX = 3, ATTACHED_SHARE = 2 };

struct linking {
	struct ft_intent *intent;
	enum ft_side side;
	uint32_t *root; /* union-find */
	uint32_t *size; /* neighbours on that side */
	uint32_t *common;
	uint32_t *touched;
};

static void sizes_count(struct linking *l)
{
	const struct ft_inference *f = l->intent->f;

	for (uint32_t i = 0; i < l->intent->count; i++) {
		l->size[i] = 0;
		l->root[i] = i;
		ft_each_adjacent(n, &f->graph, i)
			l->size[i] += ft_side_of(l->intent, i, n->vertex) == l->side && !l->intent->stray[i] &&
				      !l->intent->stray[n->vertex];
	}
}

/* Fills common and touched: the number of neighbours on that side shared with each other switch of its rank. */
static uint32_t common_count(struct linking *l, uint32_t observed)
{
	const struct ft_intent *intent = l->intent;
	const struct ft_inference *f = intent->f;
	uint32_t touched = 0;

	ft_each_adjacent(n, &f->graph, observed) {
		uint32_t far = n->vertex;

		if (ft_side_of(intent, observed, far) != l->side || intent->stray[far])
			continue;
		ft_each_adjacent(k, &f->graph, far) {
			uint32_t other = k->vertex;

			if (other != observed && !intent->stray[other] &&
			    intent->rank[other] == intent->rank[observed] && l->common[other]++ == 0)
				l->touched[touched++] = other;
		}
	}
	return touched;
}

/* The size of the union of their neighbours, without the two themselves. */
static uint32_t either_count(const struct linking *l, uint32_t a, uint32_t b)
{
	uint32_t each = l->side == FT_SIDE_BESIDE && ft_edges_between(&l->intent->f->graph, a, b) > 0;

	return l->size[a] + l->size[b] - 2 * each - l->common[b];
}

static void twins_link(struct linking *l)
{
	for (uint32_t i = 0; i < l->intent->count; i++) {
		uint32_t touched = l->size[i] > 0 ? common_count(l, i) : 0;

		for (uint32_t k = 0; k < touched; k++) {
			uint32_t other = l->touched[k];

			if (other > i && l->common[other] * 7 > either_count(l, i, other) * 4)
				l->root[ft_number_root(l->root, other)] = ft_number_root(l->root, i);
		}
		while (touched > 0)
			l->common[l->touched[--touched]] = 0;
	}
}

/* Joins the set of @observed to another one. */
static void set_attach(struct linking *l, uint32_t observed, uint32_t other, bool *apart)
{
	for (uint32_t i = 0; i < l->intent->count; i++)
		apart[i] |= ft_number_root(l->root, i) == observed;
	l->root[observed] = ft_number_root(l->root, other);
}

/*
 * Joins sets of one switch, or of a few, to much larger ones of their kind. The case that bit: of 8 leaves on 2 spines
 * two had lost the one cable to the same spine.
 */
static void apart_attach(struct linking *l, const uint32_t *members, bool *apart)
{
	const struct ft_intent *intent = l->intent;

	for (uint32_t i = 0; i < intent->count; i++) {
		uint32_t touched, best = FT_NONE;
		bool unique = true;

		if (l->size[i] == 0 || members[i] == 0 || members[i] > ATTACHED_MAX)
			continue;
		touched = common_count(l, i);
		for (uint32_t k = 0; k < touched; k++) {
			uint32_t other = l->touched[k];
			bool held = l->common[other] * 100 >=
					    l->size[i] * (l->size[other] == l->size[i] ? 60 : HELD_PERCENT) &&
				    members[ft_number_root(l->root, other)] > ATTACHED_SHARE * members[i] - 1 &&
				    ft_number_root(l->root, other) != i && ft_intent_alike(intent, i, other);

			if (!held)
				continue;
			unique &= best == FT_NONE || ft_number_root(l->root, best) == ft_number_root(l->root, other);
			best = other;
		}
		while (touched > 0)
			l->common[l->touched[--touched]] = 0;
		if (best == FT_NONE || !unique)
			continue;
		set_attach(l, i, best, apart);
	}
}

static bool leads_down(const struct ft_intent *intent, uint32_t observed, uint32_t number)
{
	uint32_t far = ft_infer_port_far(intent->f, observed, number);

	return far != FT_NONE && intent->rank[far] < intent->rank[observed];
}

/* True for a dark port that leads down on another switch of its kind, or has ports that do so on both sides. */
static bool is_left_below(const struct ft_intent *intent, uint32_t observed, uint32_t number)
{
	const struct ft_inference *f = intent->f;
	bool below = false, above = false;

	if (!ft_infer_port_is_dark(f, observed, number))
		return false;
	for (uint32_t i = 0; i < intent->count; i++)
		if (intent->rank[i] == intent->rank[observed] && ft_infer_ports(f, i) == ft_infer_ports(f, observed) &&
		    leads_down(intent, i, number))
			return true;
	for (uint32_t p = 1; p <= ft_infer_last_port(f, observed); p++) {
		below |= p < number && leads_down(intent, observed, p);
		above |= p > number && leads_down(intent, observed, p);
	}
	return below && above;
}

/*
 * True if each switch above @twin has such ports for as many cables as @twin has to it; and for isolated leaves that
 * have joined its set before. @any_port: any dark ports will do.
 */
static bool has_room_above(struct linking *l, uint32_t twin, bool any_port)
{
	const struct ft_intent *intent = l->intent;
	const struct ft_inference *f = intent->f;
	uint32_t leaves = 1;
	bool any = false;

	for (uint32_t i = 0; i < intent->count; i++)
		leaves += f->graph.degree[i] == 0 && ft_number_root(l->root, i) == ft_number_root(l->root, twin);
	ft_each_adjacent(n, &f->graph, twin) {
		uint32_t dark = 0;

		if (ft_side_of(intent, twin, n->vertex) != FT_SIDE_UP)
			continue;
		for (uint32_t p = 1; p <= ft_infer_last_port(f, n->vertex) && dark < leaves * n->count; p++)
			dark += any_port ? ft_infer_port_is_dark(f, n->vertex, p) : is_left_below(intent, n->vertex, p);
		if (dark < leaves * n->count)
			return false;
		any = true;
	}
	return any;
}

/* True if all switches like this one that have twins are of one set. */
static bool is_only_set(const struct linking *l, const uint32_t *members, uint32_t observed)
{
	uint32_t set = FT_NONE;

	for (uint32_t other = 0; other < l->intent->count; other++) {
		uint32_t root = ft_number_root(l->root, other);

		if (l->size[other] == 0 || members[root] < 2 || !ft_intent_alike(l->intent, observed, other))
			continue;
		if (set != FT_NONE && set != root)
			return false;
		set = root;
	}
	return set != FT_NONE;
}

/*
 * Isolated leaves with hosts join the smallest set of their kind that ports are dark for: of two planes the one that
 * lacks a leaf, of equals the one with the name before their own. The case that bit: hosts on two disjoint trees, and a
 * leaf without any uplink, which was planned as it was seen. If their kind has one set, and they are about as full, any
 * dark ports will do: the last leaf of a series.
 */
static void isolated_attach(struct linking *l, uint32_t *members, bool *apart)
{
	enum { FEW = 2 };
	enum { UNKNOWN, ROOM, NONE };
	const struct ft_intent *intent = l->intent;
	const struct ft_observed_switch *switches = intent->f->observed->switches;
	uint32_t isolated = 0;

	for (uint32_t i = 0; i < intent->count; i++)
		isolated += intent->f->graph.degree[i] == 0 && intent->f->hosts[i] > 0;
	/* More of them have one cause: those of a pod whose spine is off. */
	for (uint32_t i = 0; i < intent->count && isolated <= FEW; i++) {
		uint32_t best = FT_NONE, least = UINT32_MAX;
		bool only;

		if (intent->f->graph.degree[i] > 0 || intent->f->hosts[i] == 0)
			continue;
		only = is_only_set(l, members, i);
		for (uint32_t other = 0; other < intent->count; other++) {
			uint32_t root = ft_number_root(l->root, other), of = members[root], *room = &l->common[root];
			bool before = ft_text_natural_compare(switches[other].name, switches[i].name) < 0;

			if (l->size[other] == 0 || of < 2 || !ft_intent_alike(intent, i, other) || of > least ||
			    (of == least && !before))
				continue;
			/* Once for each set: O(ports x switches). */
			if (*room == UNKNOWN)
				*room = has_room_above(l, other,
						       only && intent->f->hosts[i] * 4 >= intent->f->hosts[other] * 3)
						? ROOM
						: NONE;
			if (*room == NONE)
				continue;
			best = other;
			least = of;
		}
		memset(l->common, 0, intent->count * sizeof(*l->common));
		if (best != FT_NONE)
			set_attach(l, i, best, apart);
	}
}

/* Numbers the sets, and lists their members in order. */
static int sets_number(struct linking *l, struct ft_twins *twins)
{
	struct ft_arena *memory = l->intent->f->memory;
	uint32_t count = l->intent->count, used = 0;

	twins->set_of = ft_arena_numbers(memory, count, FT_NONE);
	twins->members = ft_arena_numbers(memory, count, FT_NONE);
	twins->sets = ft_arena_zeros(memory, count, sizeof(*twins->sets));
	if (memory->failed)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t root = ft_number_root(l->root, i);

		if (l->size[root] == 0)
			continue;
		if (twins->set_of[root] == FT_NONE)
			twins->set_of[root] = twins->set_count++;
		twins->set_of[i] = twins->set_of[root];
		twins->sets[twins->set_of[i]].count++;
	}
	for (uint32_t s = 0; s < twins->set_count; s++) {
		twins->sets[s].first = used;
		used += twins->sets[s].count;
		twins->sets[s].count = 0;
	}
	for (uint32_t i = 0; i < count; i++)
		if (twins->set_of[i] != FT_NONE) {
			struct ft_twin_set *set = &twins->sets[twins->set_of[i]];

			twins->members[set->first + set->count++] = i;
		}
	return 0;
}

int ft_intent_twins(struct ft_intent *intent)
{
	struct ft_arena *memory = intent->f->memory;
	struct linking l = {
		.intent = intent,
		.root = ft_arena_numbers(memory, intent->count, 0),
		.size = ft_arena_numbers(memory, intent->count, 0),
		.common = ft_arena_numbers(memory, intent->count, 0),
		.touched = ft_arena_numbers(memory, intent->count, 0),
	};

	for (enum ft_side side = 0; side < FT_SIDE_COUNT; side++) {
		struct ft_twins *twins = &intent->twins[side];
		uint32_t *members = ft_arena_numbers(memory, intent->count, 0);
		int r;

		twins->apart = ft_arena_zeros(memory, intent->count, sizeof(*twins->apart));
		if (memory->failed)
			return -ENOMEM;
		l.side = side;
		sizes_count(&l);
		twins_link(&l);
		for (uint32_t i = 0; i < intent->count; i++)
			members[ft_number_root(l.root, i)]++;
		apart_attach(&l, members, twins->apart);
		if (side == FT_SIDE_UP && intent->layered)
			isolated_attach(&l, members, twins->apart);
		r = sets_number(&l, twins);
		if (r < 0)
			return r;
	}
	return 0;
}
