/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Switches that nobody saw, in any graph with an up and a down: all switches of a twin set have as many dark ports
 * between their cables upwards as a bundle has, in the same places. One that is off above a pod leaves such ports on
 * the switches above it, too; they tell where its own uplinks led.
 *
 * Members of a set with bundles of their own (classes of leaves) are asked by themselves; all must agree. What more
 * than one set of a rank has in the same ports was left out on purpose, and so may be a single port where there is but
 * one set. Ports below or above all cables, or beside a host, prove nothing: they may be for hosts.
 *
 * Invariant: a set lacks at most one switch. Cost: for each class of a set the ports of all switches of its rank.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify/infer/general.h"

enum { MEMBERS_MIN = 3, ALIKE_PERCENT = 60, PLACES_SHARE = 4, PORTS = FT_PORTS_MAX + 1 };

/* A side of all switches. */
struct asking {
	const struct ft_intent *intent;
	enum ft_side side;
	const uint32_t *width; /* by observed switch: that of most of its bundles on that side */
};

/* The ports of a set where a switch is missing. */
struct holes {
	bool port[PORTS];
	uint32_t count;
};

/* False: fewer than two neighbours are there. */
static bool has_several(const struct ft_intent *intent, uint32_t observed, enum ft_side side)
{
	uint32_t count = 0;

	ft_each_adjacent(n, &intent->f->graph, observed)
		count += ft_side_of(intent, observed, n->vertex) == side;
	return count > 1;
}

/* The width of most bundles of each switch on that side. NULL: no memory. */
static uint32_t *widths_find(const struct ft_intent *intent, enum ft_side side)
{
	uint32_t *width = ft_arena_numbers(intent->f->memory, intent->count, 0), votes[PORTS];

	for (uint32_t i = 0; width && i < intent->count; i++) {
		memset(votes, 0, sizeof(votes));
		ft_each_adjacent(n, &intent->f->graph, i) {
			uint32_t count = n->count < PORTS ? n->count : PORTS - 1;

			if (ft_side_of(intent, i, n->vertex) == side && ++votes[count] >= votes[width[i]])
				width[i] = count;
		}
	}
	return width;
}

static bool has_width(const struct ft_intent *intent, uint32_t observed, enum ft_side side, uint32_t width)
{
	ft_each_adjacent(n, &intent->f->graph, observed)
		if (ft_side_of(intent, observed, n->vertex) == side && n->count == width)
			return true;
	return false;
}

static bool are_one_class(const struct asking *x, uint32_t a, uint32_t b)
{
	const struct ft_inference *f = x->intent->f;

	return x->width[a] == x->width[b] && ft_infer_ports(f, a) == ft_infer_ports(f, b) &&
	       (x->intent->ranks == 2 || (f->hosts[a] > 0) == (f->hosts[b] > 0));
}

/* True if most cables of both on that side are in the same ports: else ports that are dark on both tell nothing. */
static bool are_wired_alike(const struct asking *x, uint32_t a, uint32_t b)
{
	const struct ft_inference *f = x->intent->f;
	uint32_t last = ft_infer_last_port(f, a), links = 0, same = 0;

	for (uint32_t p = 1; p <= last; p++) {
		uint32_t far = ft_infer_port_far(f, a, p);

		if (far == FT_NONE || ft_side_of(x->intent, a, far) != x->side)
			continue;
		links++;
		same += ft_infer_port_far(f, b, p) == far;
	}
	return same * 100 >= links * ALIKE_PERCENT;
}

/*
 * The dark ports of a switch between cables to two others on that side: the nearest ports in use on either side of
 * their run are these. A run that ends at a host may be free host ports, even where uplinks are at both ends of the
 * switch and in its midst; so may one as long as a run of hosts between two such cables, where hosts and uplinks
 * alternate.
 */
static void gaps_find(const struct asking *x, uint32_t observed, bool gap[PORTS])
{
	const struct ft_inference *f = x->intent->f;
	uint32_t last = ft_infer_last_port(f, observed), link = 0, before = FT_NONE;
	bool hosts[PORTS] = {false}; /* by length of a run that has some */
	bool other = false;

	memset(gap, 0, PORTS * sizeof(*gap));
	for (uint32_t p = 1; p <= last && p < PORTS; p++) {
		uint32_t far = ft_infer_port_far(f, observed, p);

		if (far == FT_NONE || ft_side_of(x->intent, observed, far) != x->side) {
			other |= !ft_infer_port_is_dark(f, observed, p);
			continue;
		}
		hosts[p - link - 1] |= link > 0 && other;
		for (uint32_t between = link + 1; link > 0 && !other && far != before && between < p; between++)
			gap[between] = true;
		other = false;
		before = far;
		link = p;
	}
	for (uint32_t p = 1, run; p < PORTS; p += run + 1) {
		for (run = 0; p + run < PORTS && gap[p + run]; run++)
			;
		if (hosts[run])
			memset(gap + p, 0, run * sizeof(*gap));
	}
}

/* The ports that are dark between the cables of all members like @like. Returns how many these members are. */
static uint32_t holes_find(const struct asking *x, const struct ft_twin_set *set, uint32_t like, struct holes *holes)
{
	const struct ft_twins *twins = &x->intent->twins[x->side];
	uint32_t members = 0;
	bool gap[PORTS];

	memset(holes, 0, sizeof(*holes));
	for (uint32_t k = 0; k < set->count; k++) {
		uint32_t observed = twins->members[set->first + k];

		if (!are_one_class(x, like, observed) || !are_wired_alike(x, like, observed) ||
		    !has_several(x->intent, observed, x->side))
			continue;
		gaps_find(x, observed, gap);
		for (uint32_t p = 1; p < PORTS; p++)
			holes->port[p] = gap[p] && (members == 0 || holes->port[p]);
		members++;
	}
	for (uint32_t p = 1; p < PORTS; p++)
		holes->count += holes->port[p];
	return members;
}

static bool holes_meet(const struct holes *a, const struct holes *b)
{
	for (uint32_t p = 1; p < PORTS; p++)
		if (a->port[p] && b->port[p])
			return true;
	return false;
}

/* True if another set of such switches has one of these holes, too. @ret_sets: counts those that were asked. */
static bool is_policy(const struct asking *x, uint32_t set, uint32_t like, const struct holes *holes,
		      uint32_t *ret_sets)
{
	const struct ft_intent *intent = x->intent;
	const struct ft_twins *twins = &intent->twins[x->side];
	struct holes other;

	*ret_sets = 0;
	for (uint32_t s = 0; s < twins->set_count; s++) {
		const uint32_t *member = twins->members + twins->sets[s].first;
		uint32_t k = 0;

		while (k < twins->sets[s].count && !are_one_class(x, member[k], like))
			k++;
		if (s == set || k == twins->sets[s].count || intent->rank[member[k]] != intent->rank[like] ||
		    holes_find(x, &twins->sets[s], member[k], &other) < 2)
			continue;
		++*ret_sets;
		if (holes_meet(holes, &other))
			return true;
	}
	return false;
}

/*
 * True if the holes are one run of ports, or none of their runs is shorter than one that leads to a single switch: else
 * a port at the end of each of some bundles was left out, for a cable more.
 */
static bool is_one_bundle(const struct asking *x, uint32_t like, const struct holes *holes)
{
	uint32_t runs = 0, least = PORTS, longest = 1, run = 0, far = FT_NONE;

	for (uint32_t p = 1; p < PORTS; p += run) {
		far = ft_infer_port_far(x->intent->f, like, p);
		for (run = 1; p + run < PORTS && holes->port[p + run] == holes->port[p]; run++)
			if (ft_infer_port_far(x->intent->f, like, p + run) != far)
				break;
		if (holes->port[p]) {
			runs++;
			least = run < least ? run : least;
		} else if (far != FT_NONE && ft_side_of(x->intent, like, far) == x->side && run > longest) {
			longest = run;
		}
	}
	return runs == 1 || least >= longest;
}

/* The cables of each member of the class of @like to a switch that it misses; 0: to none, or too few members. */
static uint32_t class_judge(const struct asking *x, uint32_t set, uint32_t like, uint32_t *ret_members)
{
	struct holes holes;
	uint32_t sets;

	*ret_members = holes_find(x, &x->intent->twins[x->side].sets[set], like, &holes);
	return *ret_members < 2 || holes.count == 0 || !is_one_bundle(x, like, &holes) ||
			       !has_width(x->intent, like, x->side, holes.count) ||
			       is_policy(x, set, like, &holes, &sets) || (holes.count == 1 && sets == 0)
		       ? 0
		       : holes.count;
}

/* True if a switch has that many ports without a planned cable: else it never had a cable to the missing one. */
static bool has_room(const struct ft_intent *intent, uint32_t observed, uint32_t width)
{
	return intent->load[observed] + width <= ft_infer_ports(intent->f, observed);
}

/* Without the links to strays, which are not planned. One without any others is not added. */
static void absent_add(struct ft_intent *intent, const struct ft_absent *absent)
{
	struct ft_absent kept = {.like = absent->like, .links = absent->links};

	if (intent->absent_count == FT_ABSENT_MAX)
		return;
	for (uint32_t i = 0; i < absent->count; i++)
		if (!intent->stray[absent->links[i].observed])
			kept.links[kept.count++] = absent->links[i];
	if (kept.count == 0) {
		intent->absent_name[intent->absent_count][0] = '\0';
		return;
	}
	for (uint32_t i = 0; i < kept.count; i++)
		intent->load[kept.links[i].observed] += kept.links[i].width;
	intent->absent[intent->absent_count++] = kept;
}

/* Adds the links of a set to a missing switch to @absent. Returns 1, or 0 if it misses none. */
static int set_judge(const struct asking *x, uint32_t number, struct ft_absent *absent)
{
	const struct ft_twins *twins = &x->intent->twins[x->side];
	const struct ft_twin_set *set = &twins->sets[number];
	const uint32_t *member = twins->members + set->first;
	uint32_t before = absent->count;

	for (uint32_t k = 0; k < set->count; k++) {
		uint32_t first = 0, members, width;

		while (!are_one_class(x, member[first], member[k]))
			first++;
		if (first < k)
			continue;
		width = class_judge(x, number, member[k], &members);
		/* All classes agree; one switch by itself may lack what it will. */
		if (width == 0 && members > 1) {
			absent->count = before;
			return 0;
		}
		for (uint32_t i = k; width > 0 && i < set->count; i++) {
			if (!are_one_class(x, member[k], member[i]))
				continue;
			if (!has_room(x->intent, member[i], width)) {
				absent->count = before;
				return 0;
			}
			absent->links[absent->count++] = (struct ft_absent_link){member[i], width};
		}
	}
	if (absent->count < before + MEMBERS_MIN) {
		absent->count = before;
		return 0;
	}
	return 1;
}

/* The switch above the first member with the most cables: what is missing is like it. */
static uint32_t alike_find(const struct ft_intent *intent, uint32_t observed)
{
	uint32_t best = FT_NONE, most = 0;

	ft_each_adjacent(n, &intent->f->graph, observed)
		if (ft_side_of(intent, observed, n->vertex) == FT_SIDE_UP && intent->f->hosts[n->vertex] == 0 &&
		    !intent->stray[n->vertex] && n->count > most) {
			best = n->vertex;
			most = n->count;
		}
	return best;
}

/* The one set above @rank that lacks a switch below it. */
static void uplinks_find(const struct asking *down, uint32_t rank, struct ft_absent *absent)
{
	const struct ft_twins *twins = &down->intent->twins[FT_SIDE_DOWN];
	uint32_t before = absent->count, sets = 0;

	for (uint32_t s = 0; s < twins->set_count; s++)
		if (down->intent->rank[twins->members[twins->sets[s].first]] == rank + 1)
			sets += (uint32_t)set_judge(down, s, absent);
	if (sets > 1)
		absent->count = before;
}

/* ---- places ---- */

/* True if a switch has so many dark ports just behind those to one other, or before those to another. */
static bool has_place(const struct ft_intent *intent, uint32_t observed, uint32_t before, uint32_t behind,
		      uint32_t ports)
{
	const struct ft_inference *f = intent->f;
	uint32_t last = ft_infer_last_port(f, observed), far = FT_NONE, next, run = 0;

	for (uint32_t p = 1; p <= last; p++) {
		if (ft_infer_port_is_dark(f, observed, p)) {
			run++;
			continue;
		}
		next = ft_infer_port_far(f, observed, p);
		if (run >= ports && ((far != FT_NONE && far == before) || (next != FT_NONE && next == behind)))
			return true;
		far = next;
		run = 0;
	}
	return false;
}

/* The switches next to a name: of those before it the last one, of those behind it the first. */
static void neighbours_find(const struct ft_intent *intent, const struct ft_infer_set *set, const char *name,
			    uint32_t *ret_before, uint32_t *ret_behind)
{
	const struct ft_observed_switch *switches = intent->f->observed->switches;

	*ret_before = *ret_behind = FT_NONE;
	for (uint32_t k = 0; k < set->count; k++) {
		const char *own = switches[set->member[k]].name;
		bool before = ft_text_natural_compare(own, name) < 0;
		uint32_t *best = before ? ret_before : ret_behind;

		if (*best == FT_NONE || (ft_text_natural_compare(own, switches[*best].name) > 0) == before)
			*best = set->member[k];
	}
}

/* True if the ports upwards of a leaf follow the names of the switches that they lead to. */
static bool follows_names(const struct ft_intent *intent, uint32_t leaf)
{
	const struct ft_inference *f = intent->f;
	uint32_t before = FT_NONE, last = ft_infer_last_port(f, leaf), seen = 0;

	for (uint32_t p = 1; p <= last; p++) {
		uint32_t far = ft_infer_port_far(f, leaf, p);

		if (far == FT_NONE || far == before || ft_side_of(intent, leaf, far) != FT_SIDE_UP)
			continue;
		if (before != FT_NONE &&
		    ft_text_natural_compare(f->observed->switches[before].name, f->observed->switches[far].name) >= 0)
			return false;
		before = far;
		seen++;
	}
	return seen > 1;
}

static bool is_odd_above(const struct ft_intent *intent, uint32_t observed)
{
	uint32_t above = 0;

	ft_each_adjacent(n, &intent->f->graph, observed)
		above += ft_side_of(intent, observed, n->vertex) == FT_SIDE_UP && !intent->stray[n->vertex];
	return above % 2 > 0;
}

/* The set of that number lacks a switch above it, or none. */
static int absent_find(struct ft_intent *intent, const struct asking *up, const struct asking *down, uint32_t set)
{
	const struct ft_twins *twins = &intent->twins[FT_SIDE_UP];
	struct ft_absent absent = {
		.links = ft_arena_zeros(intent->f->memory, 2UL * intent->count, sizeof(*absent.links))};
	struct ft_numbers lacking = {0};

	if (!absent.links)
		return -ENOMEM;
	absent.like =
		set_judge(up, set, &absent) ? alike_find(intent, twins->members[twins->sets[set].first]) : FT_NONE;
	if (absent.like == FT_NONE)
		return 0;
	/* Core switches are bought in pairs: beside an even number of them all leaves have a port free. */
	if (intent->ranks == 2 && !is_odd_above(intent, twins->members[twins->sets[set].first]))
		return 0;
	/* Between ports that follow the numbers of names none lacks: these were left out. */
	if (ft_intent_numbers(intent, intent->rank[absent.like], &lacking) < 0)
		return -ENOMEM;
	if (lacking.single && lacking.inside + lacking.first == 0 &&
	    follows_names(intent, twins->members[twins->sets[set].first]))
		return 0;
	uplinks_find(down, intent->rank[absent.like], &absent);
	absent_add(intent, &absent);
	return 0;
}

/* ---- groups of one size ---- */

/* The switches above a twin set that most of it is cabled to; @ret_one: one of them, @ret_width: of most bundles. */
static uint32_t above_count(const struct ft_intent *intent, uint32_t set, uint32_t *ret_one, uint32_t *ret_width)
{
	const struct ft_twins *twins = &intent->twins[FT_SIDE_UP];
	const uint32_t *member = twins->members + twins->sets[set].first;
	uint32_t count = 0;
	struct ft_tally tally = {0};

	for (uint32_t i = 0; i < intent->count; i++) {
		uint32_t links = 0;

		if (intent->rank[i] != intent->rank[member[0]] + 1)
			continue;
		for (uint32_t k = 0; k < twins->sets[set].count; k++) {
			uint32_t width = ft_meant_between(intent, member[k], i);

			links += width > 0;
			if (width)
				ft_tally_add(&tally, width);
		}
		if (2 * links <= twins->sets[set].count)
			continue;
		count++;
		*ret_one = i;
	}
	*ret_width = ft_tally_mode(&tally, 1);
	return count;
}

/* ---- names ---- */

/* True if most leaves of a set have their uplinks in the ports that the one before has: dark ones tell of a switch. */
static bool is_in_order(const struct ft_intent *intent, const struct ft_twin_set *set)
{
	const struct asking up = {.intent = intent, .side = FT_SIDE_UP};
	const uint32_t *member = intent->twins[FT_SIDE_UP].members + set->first;
	uint32_t alike = 0;

	for (uint32_t k = 1; k < set->count; k++)
		alike += are_wired_alike(&up, member[k - 1], member[k]);
	return alike * 2 >= set->count;
}

/*
 * Numbers that lack among the names of the switches above the only set of leaves, for each of which all leaves have a
 * bundle's ports dark: at one end of the uplinks, or among them; or for the only one, where uplinks are in no order,
 * any ports.
 */
static int named_find(struct ft_intent *intent)
{
	const struct ft_twins *twins = &intent->twins[FT_SIDE_UP];
	struct ft_numbers lacking = {0};
	uint32_t top = intent->ranks - 1, set = FT_NONE, sets = 0, count, kept = 0, one, width, lack, dark = 0;
	uint32_t *member = ft_intent_members(intent, top, &count);
	const char *names;
	uint32_t leaf;
	bool follows;

	if (!member)
		return -ENOMEM;
	if (intent->ranks != 2 || intent->absent_count > 0)
		return 0;
	for (uint32_t s = 0; s < twins->set_count; s++)
		if (intent->rank[twins->members[twins->sets[s].first]] == 0 && twins->sets[s].count >= MEMBERS_MIN) {
			set = s;
			sets++;
		}
	for (uint32_t i = 0; i < count; i++)
		if (!intent->stray[member[i]])
			member[kept++] = member[i];
	if (sets != 1 || kept == 0)
		return 0;
	if (ft_infer_numbers(intent->f, &(struct ft_infer_set){member, kept}, &lacking) < 0)
		return -ENOMEM;
	lack = lacking.inside + lacking.first;
	if (lack == 0 || lack > FT_ABSENT_MAX || above_count(intent, set, &one, &width) == 0)
		return 0;
	for (uint32_t p = 1; p < PORTS; p++) {
		uint32_t votes = 0, other = 0;

		for (uint32_t k = 0; k < twins->sets[set].count; k++) {
			uint32_t observed = twins->members[twins->sets[set].first + k];

			votes += ft_infer_port_is_dark(intent->f, observed, p);
			other += p <= ft_infer_last_port(intent->f, observed);
		}
		dark += other > 0 && votes * 20 >= twins->sets[set].count * 19;
	}
	/* Where bundles are uneven the dark ports tell which one. */
	if (lack == 1 && has_width(intent, twins->members[twins->sets[set].first], FT_SIDE_UP, dark))
		width = dark;
	if (dark < lack * width && (lack > 1 || lacking.inside == 0 || is_in_order(intent, &twins->sets[set])))
		return 0;
	leaf = twins->members[twins->sets[set].first];
	follows = follows_names(intent, leaf);
	names = lacking.first ? lacking.first_names : lacking.names;
	for (uint32_t n = 0; n < lack; n++) {
		struct ft_absent absent = {
			.like = one,
			.links = ft_arena_zeros(intent->f->memory, twins->sets[set].count, sizeof(*absent.links))};
		char name[sizeof(intent->absent_name[0])];
		uint32_t before, behind;
		size_t length;

		if (!absent.links)
			return -ENOMEM;
		if (n == lacking.first && n > 0)
			names = lacking.names;
		length = strcspn(names, ",");
		snprintf(name, sizeof(name), "%.*s", (int)length, names);
		neighbours_find(intent, &(struct ft_infer_set){member, kept}, name, &before, &behind);
		if (follows && !has_place(intent, leaf, before, behind, width))
			return 0;
		for (uint32_t k = 0; k < twins->sets[set].count; k++) {
			uint32_t observed = twins->members[twins->sets[set].first + k];

			if (!has_room(intent, observed, width * (lack - n)))
				return 0;
			absent.links[absent.count++] = (struct ft_absent_link){observed, width};
		}
		memcpy(intent->absent_name[intent->absent_count], name, sizeof(name));
		absent_add(intent, &absent);
		names += length + strspn(names + length, ", ");
	}
	return 0;
}

/*
 * One that would have more cables than its like has ports, or more than others have ports left, was never there. What
 * was planned since took some of these.
 */
int ft_intent_absent_respect(struct ft_intent *intent)
{
	uint32_t *load = ft_arena_numbers(intent->f->memory, intent->count, 0), kept = 0;

	if (!load)
		return -ENOMEM;
	memcpy(load, intent->hosts, intent->count * sizeof(*load));
	for (uint32_t i = 0; i < intent->pair_count; i++) {
		load[intent->pairs[i].a] += intent->pairs[i].planned;
		load[intent->pairs[i].b] += intent->pairs[i].planned;
	}
	for (uint32_t k = 0; k < intent->absent_count; k++) {
		const struct ft_absent *absent = &intent->absent[k];
		uint32_t cables = 0;
		bool fits = true;

		for (uint32_t i = 0; i < absent->count; i++) {
			uint32_t far = absent->links[i].observed;

			cables += absent->links[i].width;
			load[far] += absent->links[i].width;
			fits &= load[far] <= ft_infer_ports(intent->f, far);
		}
		if (fits && cables <= ft_infer_ports(intent->f, absent->like)) {
			memmove(intent->absent_name[kept], intent->absent_name[k], sizeof(intent->absent_name[k]));
			intent->absent[kept++] = *absent;
			continue;
		}
		for (uint32_t i = 0; i < absent->count; i++)
			load[absent->links[i].observed] -= absent->links[i].width;
	}
	intent->absent_count = kept;
	return 0;
}

/* A leaf that is cabled as its block says. */
static uint32_t usual_leaf(const struct ft_intent *intent, const uint32_t *member, uint32_t count)
{
	for (uint32_t k = 0; k < count; k++) {
		bool usual = true;

		ft_each_adjacent(n, &intent->f->graph, member[k]) {
			const struct ft_meant *pair = ft_meant_find(intent, member[k], n->vertex);

			usual &= pair && pair->patterned && pair->more + pair->lacks == 0;
		}
		if (usual)
			return member[k];
	}
	return FT_NONE;
}

/* The leaf of that name, which nobody saw: it is planned like @like if most switches above have a place for it. */
static int leaf_find(struct ft_intent *intent, const struct ft_infer_set *set, uint32_t like, const char *name)
{
	struct ft_absent absent = {.like = like};
	uint32_t before, behind, places = 0, size = ft_adjacent_count(&intent->f->graph, like);

	absent.links = ft_arena_zeros(intent->f->memory, size, sizeof(*absent.links));
	if (!absent.links)
		return -ENOMEM;
	neighbours_find(intent, set, name, &before, &behind);
	ft_each_adjacent(n, &intent->f->graph, like) {
		uint32_t width = ft_meant_between(intent, like, n->vertex);

		if (width == 0)
			continue;
		places += before != FT_NONE && behind != FT_NONE && has_place(intent, n->vertex, before, behind, width);
		absent.links[absent.count++] = (struct ft_absent_link){n->vertex, width};
	}
	if (intent->absent_count == FT_ABSENT_MAX || absent.count < 2 ||
	    places * PLACES_SHARE < absent.count * (PLACES_SHARE - 1))
		return 0;
	snprintf(intent->absent_name[intent->absent_count], sizeof(intent->absent_name[0]), "%s", name);
	absent_add(intent, &absent);
	return 0;
}

/*
 * Numbers that lack among the names of the leaves of a tree of two ranks, where the switches above have left ports dark
 * for each in its place.
 */
static int leaves_find(struct ft_intent *intent)
{
	uint32_t count, kept = 0, like;
	uint32_t *member = ft_intent_members(intent, 0, &count);
	struct ft_numbers lacking = {0};
	int r;

	if (!member)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		if (!intent->stray[member[i]])
			member[kept++] = member[i];
	like = usual_leaf(intent, member, kept);
	if (like == FT_NONE)
		return 0;
	r = ft_infer_numbers(intent->f, &(struct ft_infer_set){member, kept}, &lacking);
	if (r < 0 || lacking.inside == 0 || lacking.inside + intent->absent_count > FT_ABSENT_MAX)
		return r;
	for (const char *name = lacking.names; r == 0 && *name; name += strspn(name, ", ")) {
		size_t length = strcspn(name, ",");
		const char *own = ft_arena_print(intent->f->memory, "%.*s", (int)length, name);

		r = own ? leaf_find(intent, &(struct ft_infer_set){member, kept}, like, own) : -ENOMEM;
		name += length;
	}
	return r;
}

/* ---- ports that are up, and nobody answers ---- */

/* The silent ports of each member of a set, if they are as many as a bundle; 0: of some they are not, or none. */
static uint32_t silent_of(const struct ft_intent *intent, const uint32_t *member, uint32_t count)
{
	const struct ft_observed_switch *switches = intent->f->observed->switches;
	uint32_t silent = switches[member[0]].silent;

	for (uint32_t k = 0; k < count; k++) {
		if (switches[member[k]].silent != silent)
			return 0;
		/* Where those above have some, too, these are aggregation nodes that do not answer. */
		ft_each_adjacent(n, &intent->f->graph, member[k])
			if (switches[n->vertex].silent > 0)
				return 0;
	}
	return has_width(intent, member[0], FT_SIDE_UP, silent) ? silent : 0;
}

/* A switch that does not answer: all of a set have as many silent ports, where dark ones did not tell of it already. */
static int mute_find(struct ft_intent *intent, uint32_t set)
{
	const struct ft_twins *twins = &intent->twins[FT_SIDE_UP];
	const uint32_t *member = twins->members + twins->sets[set].first;
	uint32_t count = twins->sets[set].count, silent = silent_of(intent, member, count);
	struct ft_absent absent = {.like = silent > 0 ? alike_find(intent, member[0]) : FT_NONE};

	for (uint32_t k = 0; k < intent->absent_count; k++)
		for (uint32_t i = 0; i < intent->absent[k].count; i++)
			if (intent->absent[k].links[i].observed == member[0])
				return 0;
	if (absent.like == FT_NONE || intent->absent_count == FT_ABSENT_MAX)
		return 0;
	absent.links = ft_arena_zeros(intent->f->memory, count, sizeof(*absent.links));
	if (!absent.links)
		return -ENOMEM;
	for (uint32_t k = 0; k < count; k++)
		absent.links[absent.count++] = (struct ft_absent_link){member[k], silent};
	absent_add(intent, &absent);
	return 0;
}

int ft_intent_absent(struct ft_intent *intent)
{
	const uint32_t *ups = widths_find(intent, FT_SIDE_UP), *downs = widths_find(intent, FT_SIDE_DOWN);
	const struct asking up = {intent, FT_SIDE_UP, ups}, down = {intent, FT_SIDE_DOWN, downs};
	const struct ft_twins *twins = &intent->twins[FT_SIDE_UP];
	int r = ups && downs ? 0 : -ENOMEM;

	for (uint32_t s = 0; r == 0 && intent->layered && s < twins->set_count; s++)
		if (twins->sets[s].count >= MEMBERS_MIN && intent->absent_count < FT_ABSENT_MAX)
			r = absent_find(intent, &up, &down, s);
	for (uint32_t s = 0; r == 0 && intent->layered && s < twins->set_count; s++)
		if (twins->sets[s].count >= MEMBERS_MIN)
			r = mute_find(intent, s);
	if (r == 0 && intent->layered)
		r = named_find(intent);
	if (r == 0 && intent->layered && intent->ranks == 2)
		r = leaves_find(intent);
	return r;
}
