/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Dragonfly: groups of routers that are all cabled to each other, joined by global cables (groups.h). Each of a group's
 * a routers has p hosts, a cable to each of the others, and h global cables; g groups.
 *
 * Source: J. Kim, W. Dally, S. Scott, D. Abts, "Technology-driven, highly-scalable dragonfly topology" (2008), for the
 * balance a = 2p = 2h, in which no kind of cables is short before the others, and g = a*h + 1 at most.
 *
 * What the design leaves out: h is the larger half of a, or of as many hosts as are pinned, or, where nothing is said,
 * each for which the ports suffice, and the search takes the best. With a blocking factor p is that many times h. Of
 * groups there are as many as the nodes need. Where the groups and their number are given, hosts have all the ports
 * that are left; where the number is not, p of them, or more if else the largest network could not take all nodes.
 *
 * "bundle" multiplies the cables: "local" of each pair of routers in a group, "global" of each global cable.
 *
 * Ports of a router: hosts first, then its cables in the order of the switches that they lead to.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "base/text.h"
#include "planner/family/families.h"
#include "planner/family/groups.h"
#include "planner/family/recognise.h"
#include "planner/family/rules.h"

/* ---- proposing ---- */

static int keys_refuse(struct ft_proposal *proposal)
{
	const struct ft_family_keys *said = &proposal->design->keys;
	int r = ft_groups_refuse(proposal);

	if (r < 0)
		return r;
	if (ft_pinned(said->leafs) || ft_pinned(said->spines))
		return ft_proposal_refuse(proposal, "group", ft_pinned(said->leafs) ? "leafs" : "spines",
					  "a group of a dragonfly has \"routers\"; \"leafs\" and \"spines\" are of "
					  "dragonfly+");
	for (size_t i = 0; said->sizes && i < said->size_count; i++) {
		if (ft_pinned(said->sizes[i].leafs) || ft_pinned(said->sizes[i].spines))
			return ft_proposal_refuse(proposal, NULL, "groups",
						  "a group of a dragonfly has \"routers\"; \"leafs\" and \"spines\" "
						  "are of dragonfly+");
		if (!ft_pinned(said->sizes[i].routers) && !ft_pinned(said->routers))
			return ft_proposal_refuse(proposal, NULL, "groups",
						  "the \"routers\" of groups are missing, here and in \"group\"");
	}
	return 0;
}

/* The hosts of a router that balance @global cables to other groups. */
static uint32_t hosts_for(const struct ft_proposal *proposal, uint32_t global)
{
	struct ft_ratio blocking = proposal->design->blocking;
	uint64_t hosts = (uint64_t)((int64_t)global * blocking.num / blocking.den);
	uint32_t pinned = proposal->design->roles[FT_TIER_EDGE].ports_to_nodes;

	if (ft_pinned(pinned))
		return pinned;
	return hosts < 1 ? 1 : hosts < proposal->ports ? (uint32_t)hosts : proposal->ports;
}

/* The global cables that balance so many hosts. */
static uint32_t global_for(const struct ft_proposal *proposal, uint32_t hosts)
{
	struct ft_ratio blocking = proposal->design->blocking;
	uint64_t global =
		((uint64_t)hosts * (uint64_t)blocking.den + (uint64_t)blocking.num - 1) / (uint64_t)blocking.num;

	return global < 1 ? 1 : (uint32_t)global;
}

/* Cables between the farthest routers where it is known without building: at most 3, if each two groups are joined. */
static uint32_t diameter_of(const struct ft_family_keys *keys)
{
	uint64_t a = keys->routers, h = keys->global, others = a * (keys->groups - 1);

	if (keys->sizes || keys->links)
		return FT_NONE;
	if (a == 1 || keys->groups == 1)
		return a * keys->groups > 1;
	/* Over two cables, one of which is global, a router reaches no more of other groups than that. */
	return others > h * (2 * a + h - 2) ? 3 : FT_NONE;
}

/*
 * More hosts than balance the rest where the network is too small for the nodes else: as many as the largest network of
 * such groups needs on each router.
 */
static uint32_t hosts_enough(const struct ft_proposal *proposal, const struct ft_family_keys *keys, uint32_t hosts)
{
	uint64_t routers = (uint64_t)keys->routers * ft_groups_most(keys);
	uint64_t needed = (proposal->design->nodes + routers - 1) / routers;

	return needed <= hosts ? hosts : (uint32_t)needed;
}

static int offer_group(struct ft_proposal *proposal, uint32_t routers, uint32_t global)
{
	const struct ft_design *design = proposal->design;
	const struct ft_family_keys *said = &design->keys;
	struct ft_layout layout = {.family = design->family, .keys = *said};
	uint32_t hosts = hosts_for(proposal, global);
	uint64_t cables;
	bool some_said = ft_pinned(said->routers) || ft_pinned(said->global);
	bool all_said = ft_pinned(said->routers) && ft_pinned(said->global);

	layout.keys.routers = routers;
	layout.keys.global = global;
	layout.keys.local_bundle = ft_pinned(said->local_bundle) ? said->local_bundle : 1;
	layout.keys.global_bundle = ft_pinned(said->global_bundle) ? said->global_bundle : 1;
	cables = (uint64_t)(routers - 1) * layout.keys.local_bundle + (uint64_t)global * layout.keys.global_bundle;
	if (!ft_pinned(said->groups) && ft_pinned(said->global) && cables >= proposal->ports)
		return ft_proposal_unfit(proposal, NULL, "group",
					 "each router needs %" PRIu64
					 " ports to other switches and some for hosts, and has %u",
					 cables, proposal->ports);
	if (!ft_pinned(said->groups)) {
		if (some_said && !ft_pinned(design->roles[FT_TIER_EDGE].ports_to_nodes))
			hosts = hosts_enough(proposal, &layout.keys, hosts);
		layout.keys.groups = ft_groups_wanted(design, &layout.keys, hosts);
	} else if (said->sizes || all_said) {
		hosts = FT_NONE;
	}
	layout.diameter = diameter_of(&layout.keys);
	return ft_groups_offer(proposal, &layout, hosts);
}

/* Whether a switch has the ports for balanced groups of that many global cables, if no number but h is said. */
static bool ports_suffice(const struct ft_proposal *proposal, uint32_t global)
{
	const struct ft_family_keys *said = &proposal->design->keys;
	uint64_t local = ft_pinned(said->local_bundle) ? said->local_bundle : 1;
	uint64_t far = ft_pinned(said->global_bundle) ? said->global_bundle : 1;

	return hosts_for(proposal, global) + (2ULL * global - 1) * local + global * far <= proposal->ports;
}

static int propose_balanced(struct ft_proposal *proposal)
{
	struct ft_unfit reason;
	uint32_t global = 0;
	int r;

	while (ports_suffice(proposal, global + 1))
		global++;
	if (global == 0)
		return ft_proposal_unfit(proposal, "edge", "ports",
					 "%u ports are too few for a router of a balanced dragonfly", proposal->ports);
	r = offer_group(proposal, 2 * global, global);
	/* If none fits, the largest was the nearest to it. */
	reason = proposal->reason;
	for (global--; r == 0 && global > 0; global--)
		r = offer_group(proposal, 2 * global, global);
	proposal->reason = reason;
	return r;
}

static int propose_dragonfly(struct ft_proposal *proposal)
{
	const struct ft_design *design = proposal->design;
	const struct ft_family_keys *said = &design->keys;
	uint32_t hosts = design->roles[FT_TIER_EDGE].ports_to_nodes, global = said->global;
	int r = keys_refuse(proposal);

	if (r == 0 && ft_groups_unsaid(design))
		r = ft_proposal_star(proposal);
	if (r != 0)
		return r < 0 ? r : 0;
	if (!ft_pinned(global) && ft_pinned(said->routers))
		global = ft_number_divide_up(said->routers, 2);
	else if (!ft_pinned(global) && ft_pinned(hosts))
		global = global_for(proposal, hosts);
	if (!ft_pinned(global))
		return propose_balanced(proposal);
	return offer_group(proposal, ft_pinned(said->routers) ? said->routers : global ? 2 * global : 1, global);
}

/* ---- building ---- */

/* "g02-r05" */
static char *router_name(const struct ft_layout *layout, uint32_t group, uint32_t router, uint32_t routers)
{
	char name[32];

	snprintf(name, sizeof(name), "g%0*u-r%0*u", ft_digits_below(layout->keys.groups), group,
		 ft_digits_below(routers), router);
	return strdup(name);
}

/* The most routers of a group: names of all groups have as many digits. */
static uint32_t routers_most(const struct ft_family_keys *keys)
{
	uint32_t most = 1;

	for (size_t run = 0; run < ft_group_runs(keys); run++) {
		struct ft_group_size size = ft_group_run(keys, run);

		most = size.routers > most ? size.routers : most;
	}
	return most;
}

/* One group, whose first router is to be switch @first. */
static int build_group(const struct ft_layout *layout, const struct ft_group_size *size, uint32_t group, uint32_t first,
		       struct ft_network *network)
{
	uint32_t hosts = ft_pinned(size->hosts) ? size->hosts : layout->hosts_each;
	uint32_t most = routers_most(&layout->keys);
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < size->routers; i++)
		r = ft_network_switch_hosts(network, router_name(layout, group, i, most), "switch", group, hosts);
	for (uint32_t a = 0; r == 0 && a < size->routers; a++)
		for (uint32_t b = a + 1; r == 0 && b < size->routers; b++)
			r = ft_network_link(network, first + a, first + b, layout->keys.local_bundle);
	return r;
}

static int build_dragonfly(const struct ft_layout *layout, struct ft_network *network)
{
	uint32_t group = 0, first = 0;

	if (strcmp(ft_layout_called(layout), "star") == 0)
		return ft_network_switch(network, strdup("g0-r0"), "switch", 0, true);
	for (size_t run = 0; run < ft_group_runs(&layout->keys); run++) {
		struct ft_group_size size = ft_group_run(&layout->keys, run);

		for (uint32_t i = 0; i < size.count; i++, group++, first += size.routers) {
			int r = build_group(layout, &size, group, first, network);

			if (r < 0)
				return r;
		}
	}
	return ft_groups_join(layout, network);
}

/* "a=8 h=4 g=33"; of unlike groups "a=8,6 h=4 g=33", in their order. */
static void label_dragonfly(struct ft_text *text, const struct ft_layout *layout)
{
	const struct ft_family_keys *keys = &layout->keys;
	uint32_t before = 0;

	if (strcmp(ft_layout_called(layout), "star") == 0) {
		ft_text_puts(text, "1");
		return;
	}
	ft_text_puts(text, "a=");
	for (size_t run = 0; run < ft_group_runs(keys); run++) {
		struct ft_group_size size = ft_group_run(keys, run);

		if (size.routers != before)
			ft_text_printf(text, "%s%u", run ? "," : "", size.routers);
		before = size.routers;
	}
	ft_text_printf(text, " h=%u g=%u", keys->global, keys->groups);
}

/* ---- recognising ---- */

/* Groups of a size that divides the switches, if the other cables are enough to join them. */
static int recognise_dragonfly(const struct ft_sketch *sketch)
{
	struct ft_family_keys keys;
	int r = 0;

	ft_family_keys_init(&keys);
	if (sketch->hosting != sketch->switches)
		return 0;
	for (uint32_t a = 2; r == 0 && a <= sketch->degree_max && a <= sketch->switches / 2; a++) {
		if (sketch->switches % a != 0)
			continue;
		keys.routers = a;
		keys.groups = sketch->switches / a;
		r = ft_groups_guess(sketch, &ft_family_dragonfly, &keys, (uint64_t)sketch->switches * (a - 1) / 2,
				    sketch->switches);
	}
	return r;
}

static const char *const keys_of_dragonflies[] = {"group", "groups",	 "arrangement", "bundle",
						  "links", "links_file", NULL};

const struct ft_family ft_family_dragonfly = {
	.name = "dragonfly",
	.keys = keys_of_dragonflies,
	.about = "a dragonfly",
	.propose = propose_dragonfly,
	.build = build_dragonfly,
	.label = label_dragonfly,
	.recognise = recognise_dragonfly,
};
