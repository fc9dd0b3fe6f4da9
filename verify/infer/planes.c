/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Three ranks in which every switch has its place: pods of edge switches and spines, planes of spines and core
 * switches, all bundles of a plane as wide, as many spines of each plane in every pod, and as many core switches in
 * every plane. That is so short that all else is a fault: a cable elsewhere, a bundle that lacks some, a place without
 * a switch.
 *
 * Groups begin as the twin sets of the lower rank; then every switch of either rank joins the group of most of its
 * cables, until none moves. Of two that have as many the one with fewer switches of its rank gets it (of its pod, for a
 * spine): that is where it is missing. So a switch that has half of its cables elsewhere keeps its place.
 *
 * Invariant: either all is planned so, or nothing is changed: if more than one cable in FAULTS_SHARE deviates, or one
 * switch by more than half of its cables, or parallel cables lead elsewhere, or places have more switches than others.
 * Cost: O(switches^2 + pairs).
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "base/numbers.h"
#include "verify/infer/general.h"

enum { EDGE, SPINE, CORE, RANKS };
enum {
	ROUNDS = 4,
	FAULTS_SHARE = 6,
	FAULTS_OF_ONE = 4, /* of a switch: so many it may have, however few cables */
	OWN_WIDTH = 3,	   /* cables by which a width of its own must be nearer */
	OFTEN_SHARE = 4,   /* one pair in so many has a width that is often */
	STRAY_CABLES = 3,
	ABSENT_SHARE = 3,
	MORE_MAX = 2, /* bundles of a switch that have a cable more */
	BUNDLES_MANY = 1 << 16,
};

struct fit {
	struct ft_intent *intent;
	uint32_t count;
	uint32_t *group[RANKS - 1]; /* by switch: the pod of edges and spines, the plane of spines and cores */
	uint32_t groups[RANKS - 1]; /* all are below this number */
	uint32_t *votes;	    /* by group */
	uint32_t *width;	    /* by switch: of its bundles downwards */
	uint32_t *load;		    /* by switch: planned cables */
	uint32_t *off;		    /* by switch: cables that are missing or surplus */
	uint32_t *narrower;	    /* by switch: bundles that lack more than one cable, also all, beside cabled ones */
	uint32_t spines;	    /* of a plane in a pod */
	uint32_t cores;		    /* of a plane */
	uint64_t missing, surplus;
	bool odd_host; /* the only host above the edge switches will not be planned */
};

static bool is_in(const struct fit *x, uint32_t i)
{
	return !x->intent->stray[i] && x->intent->rank[i] < RANKS;
}

/* ---- groups ---- */

/* Switches of the rank of @i in its place, as it were in @group between @rank and the one above. */
static uint32_t fellows_count(const struct fit *x, uint32_t i, uint32_t rank, uint32_t group)
{
	uint32_t count = 0;

	for (uint32_t k = 0; k < x->count; k++)
		count += k != i && is_in(x, k) && x->intent->rank[k] == x->intent->rank[i] &&
			 x->group[rank][k] == group &&
			 (rank == EDGE || x->intent->rank[i] != SPINE || x->group[EDGE][k] == x->group[EDGE][i]);
	return count;
}

/* The group of most of its cables to the other of the two ranks @rank and the one above. */
static uint32_t group_choose(const struct fit *x, uint32_t i, uint32_t rank)
{
	const struct ft_multigraph *graph = &x->intent->f->graph;
	uint32_t other = x->intent->rank[i] == rank ? rank + 1 : rank, best = x->group[rank][i], fewest = UINT32_MAX;

	for (unsigned int add = 0; add < 2; add++)
		ft_each_adjacent(n, graph, i)
			if (x->intent->rank[n->vertex] == other && x->group[rank][n->vertex] != FT_NONE)
				x->votes[x->group[rank][n->vertex]] =
					add ? x->votes[x->group[rank][n->vertex]] + n->count : 0;
	if (best != FT_NONE && x->votes[best] == 0)
		best = FT_NONE;
	ft_each_adjacent(n, graph, i) {
		uint32_t group = x->group[rank][n->vertex], fellows;

		if (x->intent->rank[n->vertex] != other || group == FT_NONE || group == best ||
		    (best != FT_NONE && x->votes[group] < x->votes[best]))
			continue;
		fellows = fellows_count(x, i, rank, group);
		if (best != FT_NONE && x->votes[group] == x->votes[best] && fewest == UINT32_MAX)
			fewest = fellows_count(x, i, rank, best);
		if (best == FT_NONE || x->votes[group] > x->votes[best] || fellows < fewest) {
			best = group;
			fewest = fellows;
		}
	}
	ft_each_adjacent(n, graph, i)
		if (x->group[rank][n->vertex] != FT_NONE)
			x->votes[x->group[rank][n->vertex]] = 0;
	return best == FT_NONE ? x->group[rank][i] : best;
}

static void groups_find(struct fit *x, uint32_t rank)
{
	const struct ft_intent *intent = x->intent;
	const struct ft_twins *twins = &intent->twins[FT_SIDE_UP];
	bool changed = true;

	/* The last one is of those without a cable upwards. */
	x->groups[rank] = twins->set_count + 1;
	for (uint32_t i = 0; i < x->count; i++)
		if (intent->rank[i] == rank)
			x->group[rank][i] = twins->set_of[i] == FT_NONE ? twins->set_count : twins->set_of[i];
	for (unsigned int round = 0; round < ROUNDS && changed; round++) {
		changed = false;
		for (uint32_t turn = 0; turn < 2; turn++)
			for (uint32_t i = 0; i < x->count; i++) {
				uint32_t before = x->group[rank][i];

				if (intent->rank[i] != (turn ? rank : rank + 1))
					continue;
				x->group[rank][i] = group_choose(x, i, rank);
				changed |= x->group[rank][i] != before;
			}
	}
}

/* ---- widths ---- */

/* The width that the plan has between two switches, if all is in its place. */
static uint32_t width_between(const struct fit *x, uint32_t a, uint32_t b)
{
	uint32_t low = x->intent->rank[a] < x->intent->rank[b] ? a : b, high = low == a ? b : a;
	uint32_t rank = x->intent->rank[low];

	return is_in(x, low) && is_in(x, high) && x->intent->rank[high] == rank + 1 &&
			       x->group[rank][low] == x->group[rank][high]
		       ? x->width[high]
		       : 0;
}

/* Adds the widths between @high and the lower switches of its group, also those without a cable. */
static void widths_tally(const struct fit *x, uint32_t high, struct ft_tally *tally)
{
	uint32_t rank = x->intent->rank[high] - 1;

	for (uint32_t i = 0; i < x->count; i++)
		if (x->intent->rank[i] == rank && is_in(x, i) && x->group[rank][i] == x->group[rank][high])
			ft_tally_add(tally, ft_edges_between(&x->intent->f->graph, i, high));
}

/* The width that is nearest, unless it is seldom and not much nearer than the usual one. @all: of all pairs. */
static uint32_t width_choose(const struct ft_tally *tally, const struct ft_tally *all, uint32_t usual)
{
	uint32_t own = ft_tally_mode(tally, 1), votes = 0;
	uint64_t unused = 0;

	for (uint32_t width = 0; width < all->end; width++)
		votes += all->votes[width];
	return ft_tally_distance(tally, own, &unused) + (all->votes[own] * OFTEN_SHARE >= votes ? 1 : OWN_WIDTH) <=
			       ft_tally_distance(tally, usual, &unused)
		       ? own
		       : usual;
}

/* All spines of a plane have one width, and each core switch. */
static void widths_find(struct fit *x)
{
	const uint32_t *rank = x->intent->rank, *plane = x->group[SPINE];

	for (uint32_t above = SPINE; above < RANKS; above++) {
		struct ft_tally all = {0};
		uint32_t usual;

		for (uint32_t i = 0; i < x->count; i++)
			if (rank[i] == above && is_in(x, i))
				widths_tally(x, i, &all);
		usual = ft_tally_mode(&all, 1);
		for (uint32_t i = 0; i < x->count; i++) {
			struct ft_tally own = {0};

			if (rank[i] != above || x->width[i] > 0)
				continue;
			for (uint32_t k = 0; k < x->count; k++)
				if (k == i ||
				    (above == SPINE && rank[k] == SPINE && is_in(x, k) && plane[k] == plane[i]))
					widths_tally(x, k, &own);
			x->width[i] = width_choose(&own, &all, usual);
			for (uint32_t k = 0; k < x->count && above == SPINE; k++)
				if (rank[k] == SPINE && plane[k] == plane[i])
					x->width[k] = x->width[i];
		}
	}
}

/* ---- places ---- */

static uint32_t place_size(const struct fit *x, uint32_t i)
{
	return 1 + fellows_count(x, i, SPINE, x->group[SPINE][i]);
}

/* The switches of a rank in a place; @pod FT_NONE: in any. */
static uint32_t size_of(const struct fit *x, uint32_t rank, uint32_t pod, uint32_t plane)
{
	uint32_t size = 0;

	for (uint32_t i = 0; i < x->count; i++)
		size += x->intent->rank[i] == rank && is_in(x, i) && x->group[SPINE][i] == plane &&
			(pod == FT_NONE || x->group[EDGE][i] == pod);
	return size;
}

/* The size of most places of a rank, or of the largest one. */
static uint32_t place_usual(const struct fit *x, uint32_t rank, bool largest)
{
	struct ft_tally sizes = {0};

	for (uint32_t i = 0; i < x->count; i++)
		if (x->intent->rank[i] == rank && is_in(x, i))
			ft_tally_add(&sizes, place_size(x, i));
	for (uint32_t size = 1; size < sizes.end; size++)
		sizes.votes[size] /= size;
	return largest ? sizes.end - 1 : ft_tally_mode(&sizes, 1);
}

/* Fills load, off and the sums. */
static void deviations_count(struct fit *x)
{
	const struct ft_intent *intent = x->intent;

	memset(x->load, 0, x->count * sizeof(*x->load));
	memset(x->off, 0, x->count * sizeof(*x->off));
	memset(x->narrower, 0, x->count * sizeof(*x->narrower));
	x->missing = x->surplus = 0;
	for (uint32_t high = 0; high < x->count; high++)
		for (uint32_t low = 0; low < x->count && intent->rank[high] > EDGE; low++) {
			uint32_t width = intent->rank[low] + 1 == intent->rank[high] ? width_between(x, low, high) : 0;
			uint32_t seen = width > 0 ? ft_edges_between(&intent->f->graph, low, high) : 0;

			x->load[low] += width;
			x->load[high] += width;
			if (seen >= width)
				continue;
			x->missing += width - seen;
			x->off[low] += width - seen;
			x->off[high] += width - seen;
			if (intent->f->graph.degree[low] == 0 || intent->f->graph.degree[high] == 0)
				continue;
			x->narrower[low] += width > seen + 1;
			x->narrower[high] += width > seen + 1;
		}
	for (uint32_t i = 0; i < intent->pair_count; i++) {
		const struct ft_meant *pair = &intent->pairs[i];
		uint32_t width = width_between(x, pair->a, pair->b);
		uint32_t more = pair->seen > width ? pair->seen - width : 0;

		x->off[pair->a] += more;
		x->off[pair->b] += more;
		x->surplus += intent->stray[pair->a] || intent->stray[pair->b] ? 0 : more;
	}
}

/*
 * A switch on few single cables that fit nowhere, and one more in its place than others have, or alone in its plane, is
 * there by mistake.
 */
static void strays_mark(struct fit *x)
{
	const struct ft_inference *f = x->intent->f;
	uint32_t usual[RANKS] = {0, place_usual(x, SPINE, false), place_usual(x, CORE, false)};

	deviations_count(x);
	for (uint32_t i = 0; i < x->count; i++) {
		uint32_t rank = x->intent->rank[i];

		if (rank > EDGE && f->hosts[i] == 0 && f->graph.degree[i] <= STRAY_CABLES &&
		    f->graph.degree[i] == ft_adjacent_count(&f->graph, i) && x->off[i] >= f->graph.degree[i] &&
		    (rank >= RANKS || place_size(x, i) > usual[rank] ||
		     (rank == SPINE && size_of(x, SPINE, FT_NONE, x->group[SPINE][i]) == 1)))
			x->intent->stray[i] = true;
	}
	deviations_count(x);
}

/* Adds a switch that nobody saw, like @like but in that pod, and plane. False: too many, or no ports for it. */
static bool absent_add(struct fit *x, uint32_t like, uint32_t pod, uint32_t plane)
{
	struct ft_intent *intent = x->intent;
	uint32_t rank = intent->rank[like], number = x->count + intent->absent_count;
	struct ft_absent absent = {.like = like};
	uint32_t cables = 0;

	if (intent->absent_count == FT_ABSENT_MAX)
		return false;
	absent.links = ft_arena_zeros(intent->f->memory, x->count, sizeof(*absent.links));
	for (uint32_t i = 0; absent.links && i < x->count; i++) {
		uint32_t width = 0;

		if (!is_in(x, i))
			continue;
		if (rank == SPINE && intent->rank[i] == EDGE && x->group[EDGE][i] == pod)
			width = x->width[like];
		else if (rank == SPINE && intent->rank[i] == CORE && x->group[SPINE][i] == plane)
			width = x->width[i];
		else if (rank == CORE && intent->rank[i] == SPINE && x->group[SPINE][i] == plane)
			width = x->width[like];
		if (width == 0)
			continue;
		x->load[i] += width;
		cables += width;
		absent.links[absent.count++] = (struct ft_absent_link){i, width};
	}
	x->group[EDGE][number] = pod;
	x->group[SPINE][number] = plane;
	intent->absent[intent->absent_count++] = absent;
	return absent.links && absent.count > 0 && cables <= ft_infer_ports(intent->f, like);
}

/* The lowest-numbered switch of a rank in a group; FT_NONE: none. */
static uint32_t one_of(const struct fit *x, uint32_t rank, uint32_t between, uint32_t group)
{
	for (uint32_t i = 0; i < x->count; i++)
		if (x->intent->rank[i] == rank && is_in(x, i) && (group == FT_NONE || x->group[between][i] == group))
			return i;
	return FT_NONE;
}

/*
 * Every pod and every plane that lacks one switch gets it. False: one lacks more, or half of its spines: it is
 * half-built, or of another kind.
 */
static bool places_fill(struct fit *x)
{
	uint32_t spines = place_usual(x, SPINE, true), cores = place_usual(x, CORE, true), planes = 0;
	uint32_t pods = 0, absent;

	if (one_of(x, CORE, SPINE, FT_NONE) == FT_NONE)
		return false;
	for (uint32_t plane = 0; plane < x->groups[SPINE]; plane++) {
		uint32_t core = one_of(x, CORE, SPINE, plane), size = size_of(x, CORE, FT_NONE, plane);

		if (one_of(x, SPINE, SPINE, plane) == FT_NONE)
			continue;
		planes++;
		core = core == FT_NONE ? one_of(x, CORE, SPINE, FT_NONE) : core;
		if (size < cores && (size + 1 < cores || !absent_add(x, core, 0, plane)))
			return false;
	}
	absent = x->intent->absent_count;
	for (uint32_t pod = 0; pod < x->groups[EDGE]; pod++) {
		uint32_t lacks = 0;

		if (one_of(x, EDGE, EDGE, pod) == FT_NONE)
			continue;
		pods++;
		for (uint32_t plane = 0; plane < x->groups[SPINE]; plane++) {
			uint32_t spine = one_of(x, SPINE, SPINE, plane), size = size_of(x, SPINE, pod, plane);

			if (spine == FT_NONE || size >= spines)
				continue;
			lacks += spines - size;
			if (lacks > 1 || planes * spines <= 2 || !absent_add(x, spine, pod, plane))
				return false;
		}
	}
	return pods > 1 && absent * ABSENT_SHARE <= planes * cores &&
	       (x->intent->absent_count - absent) * ABSENT_SHARE <= pods * planes * spines;
}

/* ---- */

/*
 * True if a switch has several cables more than its place, or lacks several of more than one bundle; or several have
 * each of their bundles upwards, and all of them narrower, or all wider: such are there, or not, on purpose.
 */
static bool has_policy(const struct fit *x)
{
	const struct ft_intent *intent = x->intent;
	uint32_t *less = ft_arena_numbers(intent->f->memory, x->count, 0), all_less = 0;
	uint32_t *more = ft_arena_numbers(intent->f->memory, x->count, 0), all_more = 0;
	uint32_t *wider = ft_arena_numbers(intent->f->memory, x->count, 0);
	bool policy = !wider || !less || !more;

	for (uint32_t i = 0; !policy && i < intent->pair_count; i++) {
		const struct ft_meant *pair = &intent->pairs[i];
		uint32_t width = width_between(x, pair->a, pair->b);
		uint32_t low = intent->rank[pair->a] < intent->rank[pair->b] ? pair->a : pair->b;

		if (intent->stray[pair->a] || intent->stray[pair->b])
			continue;
		if (pair->seen > width)
			policy |=
				wider[pair->a]++ == MORE_MAX || wider[pair->b]++ == MORE_MAX || pair->seen > width + 1;
		if (width > 0) {
			less[low] += pair->seen > 0 && pair->seen < width ? 1 : BUNDLES_MANY;
			more[low] += pair->seen > width ? 1 : BUNDLES_MANY;
		}
	}
	for (uint32_t i = 0; !policy && i < x->count; i++) {
		all_less += less[i] > 1 && less[i] < BUNDLES_MANY;
		all_more += more[i] > 1 && more[i] < BUNDLES_MANY;
		policy |= x->narrower[i] > 1;
	}
	return policy || all_less > 1 || all_more > 1;
}

/* True if all that deviates is so little that it is a fault. */
static bool fits(const struct fit *x)
{
	const struct ft_intent *intent = x->intent;
	const struct ft_inference *f = intent->f;
	uint64_t cables = 0;

	for (uint32_t i = 0; i < x->count; i++) {
		if (intent->stray[i])
			continue;
		/* A leaf that hangs on spines, as of a gateway, has a width of its own. */
		if (intent->rank[i] != EDGE && ft_infer_has_hosts(f, i))
			return false;
		if (intent->rank[i] >= RANKS || x->group[EDGE][i] == FT_NONE || x->group[SPINE][i] == FT_NONE ||
		    x->load[i] == 0 ||
		    x->load[i] + (intent->rank[i] == EDGE || !x->odd_host ? f->hosts[i] : 0) > ft_infer_ports(f, i))
			return false;
		if (f->graph.degree[i] > 0 && x->off[i] > FAULTS_OF_ONE && 2 * x->off[i] > x->load[i])
			return false;
		cables += x->load[i];
	}
	return !has_policy(x) && 2 * (x->missing > x->surplus ? x->missing : x->surplus) * FAULTS_SHARE <= cables;
}

static int plan(struct fit *x)
{
	struct ft_intent *intent = x->intent;

	for (uint32_t high = 0; high < x->count; high++)
		for (uint32_t low = 0; low < x->count && intent->rank[high] > EDGE; low++)
			if (intent->rank[low] + 1 == intent->rank[high] && width_between(x, low, high) > 0 &&
			    !ft_meant_get(intent, low, high))
				return -ENOMEM;
	for (uint32_t i = 0; i < intent->pair_count; i++) {
		struct ft_meant *pair = &intent->pairs[i];

		if (intent->stray[pair->a] || intent->stray[pair->b])
			pair->seen = 0;
		pair->planned = width_between(x, pair->a, pair->b);
		pair->settled = true;
		pair->patterned = pair->planned > 0;
	}
	return 0;
}

/* In every pod are spines of every plane: there are no more of both than faults can have made of them. */
static bool may_fit(const struct ft_intent *intent)
{
	enum { SPARE = 4 };
	const struct ft_twins *twins = &intent->twins[FT_SIDE_UP];
	uint64_t sets[RANKS] = {0}, spines = 0;

	for (uint32_t s = 0; s < twins->set_count; s++)
		if (intent->rank[twins->members[twins->sets[s].first]] < RANKS)
			sets[intent->rank[twins->members[twins->sets[s].first]]]++;
	for (uint32_t i = 0; i < intent->count; i++)
		spines += intent->rank[i] == SPINE;
	return sets[EDGE] * sets[SPINE] <= SPARE * (spines + SPARE * SPARE);
}

int ft_intent_planes(struct ft_intent *intent)
{
	struct ft_arena *memory = intent->f->memory;
	struct fit x = {
		.intent = intent,
		.count = intent->count,
		.group = {ft_arena_numbers(memory, intent->count + FT_ABSENT_MAX, FT_NONE),
			  ft_arena_numbers(memory, intent->count + FT_ABSENT_MAX, FT_NONE)},
		.votes = ft_arena_numbers(memory, intent->count + 1, 0),
		.width = ft_arena_numbers(memory, intent->count, 0),
		.load = ft_arena_numbers(memory, intent->count, 0),
		.off = ft_arena_numbers(memory, intent->count, 0),
		.narrower = ft_arena_numbers(memory, intent->count, 0),
	};
	bool *strays;

	if (!intent->layered || intent->ranks < RANKS || !may_fit(intent))
		return 0;
	strays = ft_arena_zeros(memory, intent->count, sizeof(*strays));
	if (memory->failed || ft_intent_host_is_odd(intent, &x.odd_host) < 0)
		return -ENOMEM;
	memcpy(strays, intent->stray, x.count * sizeof(*strays));
	memset(intent->stray, 0, x.count * sizeof(*strays));
	groups_find(&x, EDGE);
	groups_find(&x, SPINE);
	for (uint32_t i = 0; i < x.count; i++) {
		if (intent->rank[i] == EDGE)
			x.group[SPINE][i] = 0;
		else if (intent->rank[i] == CORE)
			x.group[EDGE][i] = 0;
	}
	widths_find(&x);
	strays_mark(&x);
	if (!places_fill(&x) || !fits(&x)) {
		memcpy(intent->stray, strays, x.count * sizeof(*strays));
		intent->absent_count = 0;
		return memory->failed ? -ENOMEM : 0;
	}
	intent->pod = x.group[EDGE];
	intent->plane = x.group[SPINE];
	return plan(&x);
}
