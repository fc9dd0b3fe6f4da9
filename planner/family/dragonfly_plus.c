/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Dragonfly+: groups of leafs and spines, in each of which every leaf is cabled to every spine. Leafs have the hosts,
 * spines the global cables that join the groups (groups.h).
 *
 * Source: A. Shpiner, Z. Haramaty, S. Eliad, V. Zdornov, B. Gafni, E. Zahavi, "Dragonfly+: low cost topology for
 * scaling datacenters" (2017), for the balance: half the ports of a leaf are for hosts, and half to spines; half the
 * ports of a spine are to leafs, and half to other groups; so l = s = h, and g = s*h + 1 at most.
 *
 * What the design leaves out: the shares of a leaf are as the blocking factor has them; the ports of a spine that its
 * leafs leave are for global cables. Where "local" of "bundle" is left out too, every bundle that divides the shares is
 * proposed that leaves two leafs and two spines: 2 cables a pair are groups of half the size, of which a small network
 * is cheaper. Of groups there are as many as the nodes need. Where the groups and their number are given, hosts have
 * all the ports that are left.
 *
 * "bundle" multiplies the cables: "local" of each leaf to each spine, "global" of each global cable.
 *
 * Ports of a switch: hosts first, then its cables in the order of the switches that they lead to.
 */
#include <errno.h>
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
	if (ft_pinned(said->routers))
		return ft_proposal_refuse(proposal, "group", "routers",
					  "a group of a dragonfly+ has \"leafs\" and \"spines\"; \"routers\" are of "
					  "dragonfly");
	for (size_t i = 0; said->sizes && i < said->size_count; i++) {
		const struct ft_group_size *size = &said->sizes[i];

		if (ft_pinned(size->routers))
			return ft_proposal_refuse(proposal, NULL, "groups",
						  "a group of a dragonfly+ has \"leafs\" and \"spines\"; \"routers\" "
						  "are of dragonfly");
		if ((!ft_pinned(size->leafs) && !ft_pinned(said->leafs)) ||
		    (!ft_pinned(size->spines) && !ft_pinned(said->spines)))
			return ft_proposal_refuse(proposal, NULL, "groups",
						  "the \"leafs\" or \"spines\" of groups are missing, here and in "
						  "\"group\"");
	}
	return 0;
}

/* Cables between the farthest leafs; two groups are joined by spines, so that it takes no more, unless links say else.
 */
static uint32_t diameter_of(const struct ft_family_keys *keys)
{
	struct ft_group_size size = ft_group_run(keys, 0);

	if (keys->groups > 1)
		return keys->links ? FT_NONE : 3;
	return size.leafs > 1 ? 2 : 0;
}

/* What is said, else @usual; FT_NONE if that is 0. */
static uint32_t said_or(uint32_t said, uint32_t usual)
{
	return ft_pinned(said) ? said : usual > 0 ? usual : FT_NONE;
}

/* Hosts of a leaf where the number of groups is not said: its share, or more if the largest network needs that. */
static uint32_t hosts_for(const struct ft_proposal *proposal, const struct ft_family_keys *keys, uint32_t share)
{
	uint64_t cables = (uint64_t)keys->spines * keys->local_bundle;
	uint64_t leafs = (uint64_t)keys->leafs * ft_groups_most(keys);
	uint64_t needed = (proposal->design->nodes + leafs - 1) / leafs;

	const struct ft_family_keys *said = &proposal->design->keys;

	if (ft_pinned(proposal->design->roles[FT_TIER_EDGE].ports_to_nodes))
		return share;
	if (cables < proposal->ports && share > proposal->ports - cables)
		share = (uint32_t)(proposal->ports - cables);
	if (!ft_pinned(said->leafs) && !ft_pinned(said->spines) && !ft_pinned(said->global))
		return share;
	return needed <= share ? share : (uint32_t)needed;
}

/* No number of leafs and spines is left that they may have. */
static int ports_too_few(struct ft_proposal *proposal, uint32_t local)
{
	const struct ft_family_keys *said = &proposal->design->keys;
	bool of_edge = false;
	const char *key = "bundle";

	if (!ft_pinned(said->local_bundle)) {
		of_edge = !ft_pinned(said->leafs) && !ft_pinned(said->spines);
		key = of_edge ? "ports" : "group";
	}
	return ft_proposal_unfit(proposal, of_edge ? "edge" : NULL, key,
				 "%u ports are too few for leafs and spines with %u cable%s between two",
				 proposal->ports, local, ft_text_s(local));
}

/* Groups in which @local cables join each leaf and spine. */
static int offer_group(struct ft_proposal *proposal, uint32_t local, uint32_t hosts, uint32_t net)
{
	const struct ft_design *design = proposal->design;
	const struct ft_family_keys *said = &design->keys;
	struct ft_layout layout = {.family = design->family, .keys = *said};
	struct ft_family_keys *keys = &layout.keys;
	bool group_said = ft_pinned(said->leafs) && ft_pinned(said->spines) && ft_pinned(said->global);

	keys->local_bundle = local;
	keys->global_bundle = ft_pinned(said->global_bundle) ? said->global_bundle : 1;
	if (!said->sizes) {
		uint32_t down;

		keys->spines = said_or(said->spines, net / local);
		keys->leafs = said_or(said->leafs, proposal->ports / 2 / local);
		down = ft_number_least(keys->leafs, proposal->ports) * local;
		keys->global = said_or(said->global, (proposal->ports - ft_number_least(down, proposal->ports)) /
							     keys->global_bundle);
		if (!ft_pinned(keys->spines) || !ft_pinned(keys->leafs) || !ft_pinned(keys->global))
			return ports_too_few(proposal, local);
	}
	if (!ft_pinned(said->groups)) {
		hosts = hosts_for(proposal, keys, hosts);
		keys->groups = ft_groups_wanted(design, keys, hosts);
	} else if (said->sizes || group_said) {
		hosts = FT_NONE;
	}
	layout.diameter = diameter_of(keys);
	return ft_groups_offer(proposal, &layout, hosts);
}

static int propose_dragonfly_plus(struct ft_proposal *proposal)
{
	const struct ft_design *design = proposal->design;
	const struct ft_family_keys *said = &design->keys;
	uint32_t hosts, net, down = proposal->ports / 2;
	struct ft_unfit reason;
	int r = keys_refuse(proposal);

	if (r == 0 && ft_groups_unsaid(design))
		r = ft_proposal_star(proposal);
	if (r != 0)
		return r < 0 ? r : 0;
	ft_proposal_split(proposal, &hosts, &net);
	if (ft_pinned(said->local_bundle) || ft_pinned(said->leafs) || ft_pinned(said->spines) || said->sizes)
		return offer_group(proposal, ft_pinned(said->local_bundle) ? said->local_bundle : 1, hosts, net);
	r = offer_group(proposal, 1, hosts, net);
	/* If none fits, the largest was the nearest to it. */
	reason = proposal->reason;
	for (uint32_t local = 2; r == 0 && local <= ft_number_least(net, down) / 2; local++)
		if (net % local == 0 && down % local == 0)
			r = offer_group(proposal, local, hosts, net);
	proposal->reason = reason;
	return r;
}

/* ---- building ---- */

/* "g02-leaf05"; @most: of the group that has the most. */
static char *switch_name(const struct ft_layout *layout, uint32_t group, const char *kind, uint32_t index,
			 uint32_t most)
{
	char name[40];

	snprintf(name, sizeof(name), "g%0*u-%s%0*u", ft_digits_below(layout->keys.groups), group, kind,
		 ft_digits_below(most), index);
	return strdup(name);
}

static void sizes_most(const struct ft_family_keys *keys, uint32_t *ret_leafs, uint32_t *ret_spines)
{
	*ret_leafs = *ret_spines = 1;
	for (size_t run = 0; run < ft_group_runs(keys); run++) {
		struct ft_group_size size = ft_group_run(keys, run);

		*ret_leafs = size.leafs > *ret_leafs ? size.leafs : *ret_leafs;
		*ret_spines = size.spines > *ret_spines ? size.spines : *ret_spines;
	}
}

/* One group, whose first leaf is to be switch @first. */
static int build_group(const struct ft_layout *layout, const struct ft_group_size *size, uint32_t group, uint32_t first,
		       struct ft_network *network)
{
	uint32_t hosts = ft_pinned(size->hosts) ? size->hosts : layout->hosts_each, most_leafs, most_spines;
	int r = 0;

	sizes_most(&layout->keys, &most_leafs, &most_spines);
	for (uint32_t i = 0; r == 0 && i < size->leafs; i++)
		r = ft_network_switch_hosts(network, switch_name(layout, group, "leaf", i, most_leafs), "leaf", group,
					    hosts);
	for (uint32_t i = 0; r == 0 && i < size->spines; i++)
		r = ft_network_switch(network, switch_name(layout, group, "spine", i, most_spines), "spine", group,
				      false);
	for (uint32_t leaf = 0; r == 0 && leaf < size->leafs; leaf++)
		for (uint32_t spine = 0; r == 0 && spine < size->spines; spine++)
			r = ft_network_link(network, first + leaf, first + size->leafs + spine,
					    layout->keys.local_bundle);
	return r;
}

static int build_dragonfly_plus(const struct ft_layout *layout, struct ft_network *network)
{
	uint32_t group = 0, first = 0;

	if (strcmp(ft_layout_called(layout), "star") == 0)
		return ft_network_switch(network, strdup("g0-leaf0"), "leaf", 0, true);
	for (size_t run = 0; run < ft_group_runs(&layout->keys); run++) {
		struct ft_group_size size = ft_group_run(&layout->keys, run);

		for (uint32_t i = 0; i < size.count; i++, group++, first += size.leafs + size.spines) {
			int r = build_group(layout, &size, group, first, network);

			if (r < 0)
				return r;
		}
	}
	return ft_groups_join(layout, network);
}

/* "l=16 s=16 h=16 g=5"; of unlike groups "l=15,8 s=15 h=16 g=25", in their order. */
static void label_dragonfly_plus(struct ft_text *text, const struct ft_layout *layout)
{
	const struct ft_family_keys *keys = &layout->keys;
	uint32_t leafs = 0, spines = 0;

	if (strcmp(ft_layout_called(layout), "star") == 0) {
		ft_text_puts(text, "1");
		return;
	}
	for (size_t run = 0; run < ft_group_runs(keys); run++) {
		struct ft_group_size size = ft_group_run(keys, run);

		if (size.leafs != leafs)
			ft_text_printf(text, "%s%u", run ? "," : "l=", size.leafs);
		leafs = size.leafs;
	}
	for (size_t run = 0; run < ft_group_runs(keys); run++) {
		struct ft_group_size size = ft_group_run(keys, run);

		if (size.spines != spines)
			ft_text_printf(text, "%s%u", run ? "," : " s=", size.spines);
		spines = size.spines;
	}
	ft_text_printf(text, " h=%u g=%u", keys->global, keys->groups);
}

/* ---- recognising ---- */

/* What is cabled beyond the cells joins them. */
static int recognise_dragonfly_plus(const struct ft_sketch *sketch)
{
	uint64_t inside = 0;
	uint32_t ends = 0;
	struct ft_family_keys keys;

	ft_family_keys_init(&keys);
	keys.groups = 0;
	for (size_t i = 0; i < sketch->cell_sizes; i++) {
		const struct ft_group_size *size = &sketch->cells[i];

		if (size->leafs == 0 || size->spines == 0)
			return 0;
		inside += (uint64_t)size->count * size->leafs * size->spines;
		ends += size->count * size->spines;
		keys.groups += size->count;
	}
	if (keys.groups < 2 || inside >= sketch->pairs)
		return 0;
	keys.leafs = sketch->cells[0].leafs;
	keys.spines = sketch->cells[0].spines;
	if (sketch->cell_sizes > 1) {
		keys.sizes = sketch->cells;
		keys.size_count = sketch->cell_sizes;
	}
	return ft_groups_guess(sketch, &ft_family_dragonfly_plus, &keys, inside, ends);
}

static const char *const keys_of_dragonflies_plus[] = {"group", "groups",     "arrangement", "bundle",
						       "links", "links_file", NULL};

const struct ft_family ft_family_dragonfly_plus = {
	.name = "dragonfly+",
	.keys = keys_of_dragonflies_plus,
	.about = "a dragonfly+",
	.propose = propose_dragonfly_plus,
	.build = build_dragonfly_plus,
	.label = label_dragonfly_plus,
	.recognise = recognise_dragonfly_plus,
};
