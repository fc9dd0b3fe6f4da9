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
#include <string.h>

#include "verify/infer/general.h"

enum { MEMBERS_MIN = 3, ALIKE_PERCENT = 60, PORTS = FT_PORTS_MAX + 1 };

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
	       (f->hosts[a] > 0) == (f->hosts[b] > 0);
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
 * The dark ports of a switch between two cables to that side: the nearest ports in use on either side of their run are
 * these. A run that ends at a host may be free host ports, even where uplinks are at both ends of the switch and in its
 * midst; so may one as long as a run of hosts between two such cables, where hosts and uplinks alternate.
 */
static void gaps_find(const struct asking *x, uint32_t observed, bool gap[PORTS])
{
	const struct ft_inference *f = x->intent->f;
	uint32_t last = ft_infer_last_port(f, observed), link = 0;
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
		for (uint32_t between = link + 1; link > 0 && !other && between < p; between++)
			gap[between] = true;
		other = false;
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

/* True if a switch has that many ports without a cable: one without them never had a cable to the missing one. */
static bool has_room(const struct ft_inference *f, uint32_t observed, uint32_t width)
{
	return f->graph.degree[observed] + f->hosts[observed] + width <= ft_infer_ports(f, observed);
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
			if (!has_room(x->intent->f, member[i], width)) {
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
		    n->count > most) {
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

/* The set of that number lacks a switch above it, or none. */
static int absent_find(struct ft_intent *intent, const struct asking *up, const struct asking *down, uint32_t set)
{
	const struct ft_twins *twins = &intent->twins[FT_SIDE_UP];
	struct ft_absent absent = {
		.links = ft_arena_zeros(intent->f->memory, 2UL * intent->count, sizeof(*absent.links))};

	if (!absent.links)
		return -ENOMEM;
	absent.like =
		set_judge(up, set, &absent) ? alike_find(intent, twins->members[twins->sets[set].first]) : FT_NONE;
	if (absent.like == FT_NONE)
		return 0;
	uplinks_find(down, intent->rank[absent.like], &absent);
	intent->absent[intent->absent_count++] = absent;
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
	return r;
}
