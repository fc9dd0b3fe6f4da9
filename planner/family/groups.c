/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/family/groups.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/numbers.h"
#include "base/text.h"
#include "planner/family/recognise.h"
#include "planner/family/rules.h"

/* ---- sizes ---- */

size_t ft_group_runs(const struct ft_family_keys *keys)
{
	return keys->sizes ? keys->size_count : 1;
}

static uint32_t said_or(uint32_t said, uint32_t otherwise)
{
	return ft_pinned(said) ? said : otherwise;
}

struct ft_group_size ft_group_run(const struct ft_family_keys *keys, size_t run)
{
	struct ft_group_size size = {keys->groups, keys->routers, keys->leafs, keys->spines, FT_NONE};

	if (!keys->sizes)
		return size;
	size.count = keys->sizes[run].count;
	size.routers = said_or(keys->sizes[run].routers, size.routers);
	size.leafs = said_or(keys->sizes[run].leafs, size.leafs);
	size.spines = said_or(keys->sizes[run].spines, size.spines);
	size.hosts = keys->sizes[run].hosts;
	return size;
}

static bool has_spines(const struct ft_group_size *size)
{
	return ft_pinned(size->spines);
}

uint32_t ft_group_hosting(const struct ft_group_size *size)
{
	return has_spines(size) ? size->leafs : size->routers;
}

uint32_t ft_group_ends(const struct ft_group_size *size)
{
	return has_spines(size) ? size->spines : size->routers;
}

static uint32_t switches_of(const struct ft_group_size *size)
{
	return has_spines(size) ? size->leafs + size->spines : size->routers;
}

/* Pairs of switches of the group that are cabled. */
static uint64_t pairs_inside(const struct ft_group_size *size)
{
	if (has_spines(size))
		return (uint64_t)size->leafs * size->spines;
	return (uint64_t)size->routers * (size->routers - 1) / 2;
}

/* Cables of an end to other groups. */
static uint32_t global_cables(const struct ft_family_keys *keys)
{
	return keys->groups > 1 ? keys->global * keys->global_bundle : 0;
}

/* Cables to other switches of one that has hosts. */
static uint32_t hosting_cables(const struct ft_family_keys *keys, const struct ft_group_size *size)
{
	if (has_spines(size))
		return size->spines * keys->local_bundle;
	return (size->routers - 1) * keys->local_bundle + global_cables(keys);
}

/* False if a number of it is missing. */
static bool is_said(const struct ft_group_size *size)
{
	return ft_pinned(size->count) && (ft_pinned(size->routers) || (ft_pinned(size->leafs) && has_spines(size)));
}

uint64_t ft_groups_switches(const struct ft_family_keys *keys)
{
	uint64_t sum = 0;

	for (size_t run = 0; run < ft_group_runs(keys); run++) {
		struct ft_group_size size = ft_group_run(keys, run);

		if (!is_said(&size))
			return 0;
		sum += (uint64_t)size.count * switches_of(&size);
	}
	return sum;
}

uint64_t ft_groups_pairs_inside(const struct ft_family_keys *keys)
{
	uint64_t sum = 0;

	for (size_t run = 0; run < ft_group_runs(keys); run++) {
		struct ft_group_size size = ft_group_run(keys, run);

		if (!is_said(&size))
			return 0;
		sum += size.count * pairs_inside(&size);
	}
	return sum;
}

uint32_t ft_groups_place(const struct ft_family_keys *keys, uint32_t index, bool *ret_end)
{
	uint32_t group = 0;

	for (size_t run = 0; run < ft_group_runs(keys); run++) {
		struct ft_group_size size = ft_group_run(keys, run);
		uint32_t each = switches_of(&size);

		if (index / each < size.count) {
			*ret_end = index % each >= each - ft_group_ends(&size);
			return group + index / each;
		}
		index -= size.count * each;
		group += size.count;
	}
	*ret_end = false;
	return FT_NONE;
}

uint32_t ft_groups_most(const struct ft_family_keys *keys)
{
	struct ft_group_size size = ft_group_run(keys, 0);

	return ft_group_ends(&size) * keys->global + 1;
}

bool ft_groups_unsaid(const struct ft_design *design)
{
	const struct ft_family_keys *said = &design->keys;
	const uint32_t numbers[] = {said->routers, said->leafs,	       said->spines,	   said->global,
				    said->groups,  said->local_bundle, said->global_bundle};

	for (size_t i = 0; i < FT_COUNT(numbers); i++)
		if (ft_pinned(numbers[i]))
			return false;
	return true;
}

uint32_t ft_groups_wanted(const struct ft_design *design, const struct ft_family_keys *keys, uint32_t hosts)
{
	struct ft_group_size size = ft_group_run(keys, 0);
	uint64_t each = (uint64_t)ft_group_hosting(&size) * (hosts ? hosts : 1);
	uint32_t count = design->roles[FT_TIER_EDGE].count, groups = ft_groups_most(keys);

	if (ft_pinned(count))
		groups = count / switches_of(&size);
	else if (design->nodes > 0)
		groups = (uint32_t)((design->nodes + each - 1) / each);
	return groups > 0 ? groups : 1;
}

int ft_groups_refuse(struct ft_proposal *proposal)
{
	const struct ft_family_keys *said = &proposal->design->keys;

	if (said->sizes && !ft_pinned(said->global))
		return ft_proposal_refuse(proposal, NULL, "groups",
					  "unlike groups need \"global\" of \"group\": the global cables of each "
					  "switch that has any");
	return 0;
}

/* ---- dealing ---- */

/* The groups one by one, and how many bundles join each two. */
struct dealing {
	uint32_t count;
	uint32_t *ends;	    /* of each */
	uint32_t *first;    /* of these, by their indices in the network */
	uint32_t *capacity; /* bundles that it may have to others */
	uint32_t *bundles;  /* [count][count] */
	uint64_t total;
};

static void dealing_release(struct dealing *d)
{
	free(d->ends);
	free(d->first);
	free(d->capacity);
	free(d->bundles);
}

static uint32_t *bundles_between(const struct dealing *d, uint32_t a, uint32_t b)
{
	return &d->bundles[(size_t)a * d->count + b];
}

/* Adds bundles between two groups. */
static void deal(struct dealing *d, uint32_t a, uint32_t b, uint32_t bundles)
{
	*bundles_between(d, a, b) += bundles;
	*bundles_between(d, b, a) += bundles;
	d->total += bundles;
}

static bool all_alike(const struct dealing *d)
{
	for (uint32_t i = 1; i < d->count; i++)
		if (d->capacity[i] != d->capacity[0])
			return false;
	return true;
}

/*
 * Whether a pair is one of those that have one more, of @count groups that have @rest of these each. Invariant: no
 * group is in more than @rest of them, and all are in just as many, but for one group if both numbers are odd.
 */
static bool has_one_more(uint32_t a, uint32_t b, uint32_t count, uint32_t rest)
{
	uint32_t apart = ft_number_least(b - a, count - (b - a)), from, step;

	if (apart <= rest / 2)
		return true;
	if (rest % 2 == 0 || apart != count / 2)
		return false;
	if (count % 2 == 0)
		return true;
	/* The walk is 0, half, 2 * half, ...; its steps from places of even number count: -2 * half is 1. */
	from = b - a == apart ? a : b;
	step = (uint32_t)((count - 2ULL * from % count) % count);
	return step % 2 == 0 && step + 1 < count;
}

static void deal_to_like(struct dealing *d)
{
	uint32_t others = d->count - 1, each = d->capacity[0] / others, rest = d->capacity[0] % others;

	for (uint32_t a = 0; a < d->count; a++)
		for (uint32_t b = a + 1; b < d->count; b++)
			deal(d, a, b, each + has_one_more(a, b, d->count, rest));
}

/* One more for each pair of @open, the groups with ports left, the nearest first. */
static void deal_round(struct dealing *d, const uint32_t *open, uint32_t count)
{
	for (uint32_t apart = 1; apart <= count / 2; apart++)
		for (uint32_t i = 0; i < count; i++) {
			uint32_t a = open[i], b = open[(i + apart) % count];

			if ((2 * apart == count && i >= apart) || d->capacity[a] == 0 || d->capacity[b] == 0)
				continue;
			d->capacity[a]--;
			d->capacity[b]--;
			deal(d, a, b, 1);
		}
}

static int deal_to_unlike(struct dealing *d)
{
	_cleanup_free_ uint32_t *open = calloc(d->count, sizeof(*open));

	if (!open)
		return -ENOMEM;
	for (;;) {
		uint32_t count = 0;

		for (uint32_t i = 0; i < d->count; i++)
			if (d->capacity[i] > 0)
				open[count++] = i;
		if (count < 2)
			return 0;
		deal_round(d, open, count);
	}
}

static int dealing_make(const struct ft_family_keys *keys, struct dealing *d)
{
	uint32_t at = 0, group = 0;

	d->count = keys->groups;
	d->ends = calloc(d->count, sizeof(*d->ends));
	d->first = calloc(d->count, sizeof(*d->first));
	d->capacity = calloc(d->count, sizeof(*d->capacity));
	d->bundles = calloc((size_t)d->count * d->count, sizeof(*d->bundles));
	if (!d->ends || !d->first || !d->capacity || !d->bundles)
		return -ENOMEM;
	for (size_t run = 0; run < ft_group_runs(keys); run++) {
		struct ft_group_size size = ft_group_run(keys, run);

		for (uint32_t i = 0; i < size.count; i++, group++) {
			d->ends[group] = ft_group_ends(&size);
			d->first[group] = at + switches_of(&size) - d->ends[group];
			d->capacity[group] = d->ends[group] * keys->global;
			at += switches_of(&size);
		}
	}
	if (!all_alike(d))
		return deal_to_unlike(d);
	deal_to_like(d);
	return 0;
}

/* The @k-th neighbour of a group. */
static uint32_t neighbour(enum ft_arrangement arrangement, uint32_t group, uint32_t k, uint32_t count)
{
	switch (arrangement) {
	case FT_ARRANGEMENT_RELATIVE:
		return (group + k + 1) % count;
	case FT_ARRANGEMENT_CIRCULANT:
		return (group + (k % 2 == 0 ? k / 2 + 1 : count - k / 2 - 1)) % count;
	default:
		return k < group ? k : k + 1;
	}
}

/* The ends at which the bundles of @group are, in the order of the other groups: @at is where each of these begins. */
static void ends_deal(const struct dealing *d, enum ft_arrangement arrangement, uint32_t group, const uint32_t *at,
		      uint32_t *ends)
{
	uint64_t used = 0, dealt = 0;

	for (uint32_t i = 0; i < d->count; i++)
		used += *bundles_between(d, group, i);
	for (uint32_t round = 0; dealt < used; round++)
		for (uint32_t k = 0; k + 1 < d->count; k++) {
			uint32_t to = neighbour(arrangement, group, k, d->count);

			if (*bundles_between(d, group, to) > round)
				ends[at[to] + round] = d->first[group] + (uint32_t)(dealt++ * d->ends[group] / used);
		}
}

/* As the design lists them. */
static int join_as_listed(const struct ft_family_keys *keys, struct ft_network *network)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < keys->link_count; i++)
		r = ft_network_link(network, keys->links[i].a, keys->links[i].b, keys->links[i].count);
	return r;
}

int ft_groups_join(const struct ft_layout *layout, struct ft_network *network)
{
	const struct ft_family_keys *keys = &layout->keys;
	_cleanup_(dealing_release) struct dealing d = {0};
	_cleanup_free_ uint32_t *at = NULL, *ends = NULL;
	size_t pairs = (size_t)keys->groups * keys->groups;
	int r = 0;

	if (keys->groups < 2)
		return 0;
	if (keys->links)
		return join_as_listed(keys, network);
	r = dealing_make(keys, &d);
	at = calloc(pairs + 1, sizeof(*at));
	ends = calloc(2 * d.total + 1, sizeof(*ends));
	if (r < 0 || !at || !ends)
		return -ENOMEM;
	for (size_t i = 0; i < pairs; i++)
		at[i + 1] = at[i] + d.bundles[i];
	for (uint32_t i = 0; i < d.count; i++)
		ends_deal(&d, keys->arrangement, i, &at[(size_t)i * d.count], ends);
	for (uint32_t a = 0; a < d.count; a++)
		for (uint32_t b = a + 1; b < d.count; b++)
			for (uint32_t i = 0; r == 0 && i < *bundles_between(&d, a, b); i++)
				r = ft_network_link(network, ends[at[(size_t)a * d.count + b] + i],
						    ends[at[(size_t)b * d.count + a] + i], keys->global_bundle);
	return r;
}

/* ---- offering ---- */

/* What settles how many groups there are. */
static const char *groups_key(const struct ft_proposal *proposal)
{
	return ft_pinned(proposal->design->keys.groups) ? "groups" : "nodes";
}

/* What the groups have in all. */
struct totals {
	uint64_t switches, hosting, inside /* cables */, global /* bundles that their ends can have */;
	struct ft_group_size least; /* ends */
	uint32_t ends_cables;	    /* of an end, to other switches, the most */
	bool alike;
};

static void totals_add(const struct ft_family_keys *keys, const struct ft_group_size *size, struct totals *t)
{
	uint32_t ends = ft_group_ends(size), cables = hosting_cables(keys, size);

	if (has_spines(size))
		cables = size->leafs * keys->local_bundle + global_cables(keys);
	if (t->switches == 0)
		t->least = *size;
	t->alike = t->switches == 0 || (t->alike && ends == ft_group_ends(&t->least));
	if (ends < ft_group_ends(&t->least))
		t->least = *size;
	t->switches += (uint64_t)size->count * switches_of(size);
	t->hosting += (uint64_t)size->count * ft_group_hosting(size);
	t->inside += size->count * pairs_inside(size) * keys->local_bundle;
	t->global += (uint64_t)size->count * ends * keys->global;
	t->ends_cables = cables > t->ends_cables ? cables : t->ends_cables;
}

/* A number of groups that nobody said is what the nodes need. */
static int unjoined(struct ft_proposal *proposal, const struct ft_family_keys *keys, const struct totals *t)
{
	const struct ft_design *design = proposal->design;
	uint32_t ends = ft_group_ends(&t->least);
	char what[96];

	if (ft_pinned(design->keys.groups) || design->nodes == 0)
		snprintf(what, sizeof(what), "each of %u groups must be", keys->groups);
	else
		snprintf(what, sizeof(what), "%u nodes need %u groups, each", design->nodes, keys->groups);
	return ft_proposal_unfit(proposal, NULL, groups_key(proposal),
				 "%s joined to %u others, but %u %s%s with %u global cable%s each are for %" PRIu64,
				 what, keys->groups - 1, ends, has_spines(&t->least) ? "spine" : "router",
				 ft_text_s(ends), keys->global, ft_text_s(keys->global), (uint64_t)ends * keys->global);
}

/* Returns 1 if the groups can be built of such switches and joined; 0. */
static int totals_check(struct ft_proposal *proposal, const struct ft_family_keys *keys, const struct totals *t)
{
	struct ft_plan_blame cables = ft_proposal_cables_key(proposal);
	uint32_t ends = ft_group_ends(&t->least);

	if (t->switches > FT_SWITCHES_MAX)
		return ft_proposal_unfit(proposal, NULL, groups_key(proposal),
					 "the groups have %" PRIu64 " switches in all; at most %d are possible",
					 t->switches, FT_SWITCHES_MAX);
	if (t->ends_cables > proposal->ports)
		return ft_proposal_unfit(proposal, cables.object, cables.key,
					 "each %s needs %u ports to other switches, and has %u",
					 has_spines(&t->least) ? "spine" : "router", t->ends_cables, proposal->ports);
	if (keys->groups > 1 && !keys->links && (uint64_t)ends * keys->global < keys->groups - 1)
		return unjoined(proposal, keys, t);
	if (t->inside + (keys->groups > 1 ? t->global / 2 * keys->global_bundle : 0) > FT_FAMILY_CABLES_MAX)
		return ft_proposal_unfit(proposal, NULL, groups_key(proposal),
					 "the groups have more than %d cables between switches", FT_FAMILY_CABLES_MAX);
	return 1;
}

/* The cables between switches, once they are known to be few enough. */
static int cables_count(const struct ft_family_keys *keys, const struct totals *t, uint64_t *ret_cables)
{
	_cleanup_(dealing_release) struct dealing d = {0};
	uint64_t global = keys->groups > 1 ? t->global / 2 : 0;

	if (keys->links) {
		*ret_cables = t->inside;
		for (uint32_t i = 0; i < keys->link_count; i++)
			*ret_cables += keys->links[i].count;
		return 0;
	}
	if (global > 0 && !t->alike) {
		if (dealing_make(keys, &d) < 0)
			return -ENOMEM;
		global = d.total;
	}
	*ret_cables = t->inside + global * keys->global_bundle;
	return 0;
}

/*
 * Hosts where groups say theirs: the others have @usual, or what the ports leave. Returns 1 with the room and the hosts
 * of the others in the layout, which is then to be settled; or 0.
 */
static int hosts_of_unlike(struct ft_proposal *proposal, struct ft_layout *layout, uint32_t *usual)
{
	const struct ft_family_keys *keys = &layout->keys;
	uint32_t pinned = proposal->design->roles[FT_TIER_EDGE].ports_to_nodes, most = 0;
	bool open = false;

	layout->net_ports = 0;
	for (size_t run = 0; run < ft_group_runs(keys); run++) {
		struct ft_group_size size = ft_group_run(keys, run);
		uint32_t cables = hosting_cables(keys, &size);

		if (ft_pinned(size.hosts) && (uint64_t)size.hosts + cables > proposal->ports)
			return ft_proposal_unfit(
				proposal, NULL, "groups",
				"each switch needs %u ports to other switches and %u to hosts, and has %u", cables,
				size.hosts, proposal->ports);
		open |= !ft_pinned(size.hosts);
		if (ft_pinned(size.hosts))
			most = size.hosts > most ? size.hosts : most;
		else if (cables > layout->net_ports)
			layout->net_ports = cables;
	}
	if (!open)
		*usual = most;
	else if (ft_pinned(pinned))
		*usual = pinned;
	else if (!ft_pinned(*usual))
		*usual = proposal->ports - ft_number_least(layout->net_ports, proposal->ports);
	for (size_t run = 0; run < ft_group_runs(keys); run++) {
		struct ft_group_size size = ft_group_run(keys, run);

		layout->room += (uint64_t)size.count * ft_group_hosting(&size) * said_or(size.hosts, *usual);
	}
	return 1;
}

/* Hosts of all, and what else is of the switch. Returns as ft_proposal_settle(). */
static int settle(struct ft_proposal *proposal, struct ft_layout *layout, uint32_t usual)
{
	const struct ft_family_keys *keys = &layout->keys;
	uint32_t pinned = proposal->design->roles[FT_TIER_EDGE].ports_to_core, cables = layout->net_ports;
	int r = 1;

	if (ft_pinned(pinned) && cables != pinned)
		return ft_proposal_unfit(proposal, "edge", "ports_to_core",
					 "edge.ports_to_core is %u, but each switch has %u cables to other switches",
					 pinned, cables);
	if (keys->sizes)
		r = hosts_of_unlike(proposal, layout, &usual);
	if (r > 0)
		r = ft_proposal_settle(proposal, layout, usual);
	layout->net_ports = cables;
	return r;
}

int ft_groups_offer(struct ft_proposal *proposal, struct ft_layout *layout, uint32_t usual)
{
	const struct ft_family_keys *keys = &layout->keys;
	struct totals t = {0};
	int r;

	for (size_t run = 0; run < ft_group_runs(keys); run++) {
		struct ft_group_size size = ft_group_run(keys, run);
		uint32_t cables = hosting_cables(keys, &size);

		totals_add(keys, &size, &t);
		layout->net_ports = cables > layout->net_ports ? cables : layout->net_ports;
	}
	r = totals_check(proposal, keys, &t);
	if (r > 0)
		r = cables_count(keys, &t, &layout->cables) < 0 ? -ENOMEM : 1;
	layout->switches = (uint32_t)t.switches;
	layout->hosting = (uint32_t)t.hosting;
	if (r > 0)
		r = settle(proposal, layout, usual);
	return r <= 0 ? r : proposal->offer(proposal, layout);
}

/* ---- recognising ---- */

/* The ports for global cables that the other cables are of, to the nearest whole number: a few may be missing. */
static uint32_t global_ports(const struct ft_sketch *sketch, const struct ft_family_keys *keys, uint64_t inside,
			     uint32_t ends)
{
	uint64_t local = inside * keys->local_bundle, share = (uint64_t)ends * keys->global_bundle;

	return local >= sketch->cables ? 0 : (uint32_t)((4 * (sketch->cables - local) + share) / (2 * share));
}

int ft_groups_guess(const struct ft_sketch *sketch, const struct ft_family *family, struct ft_family_keys *keys,
		    uint64_t inside, uint32_t ends)
{
	static const enum ft_arrangement arrangements[] = {FT_ARRANGEMENT_ABSOLUTE, FT_ARRANGEMENT_RELATIVE,
							   FT_ARRANGEMENT_CIRCULANT};
	int r = 0;

	for (uint32_t local = 0; local < sketch->width_count; local++)
		for (uint32_t global = 0; global < sketch->width_count; global++)
			for (size_t i = 0; r == 0 && i < FT_COUNT(arrangements); i++) {
				keys->local_bundle = sketch->widths[local];
				keys->global_bundle = sketch->widths[global];
				keys->global = global_ports(sketch, keys, inside, ends);
				keys->arrangement = arrangements[i];
				if ((uint64_t)keys->global * ends >= (uint64_t)keys->groups * (keys->groups - 1))
					r = sketch->offer(sketch, family, keys);
			}
	return r;
}
