/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The three-stage Clos network C(m, n, r), folded: r leaf switches with n hosts each, m spines, and one cable from
 * every leaf to every spine, or a bundle of them. The first and the third stage are the two directions of the leafs.
 *
 * Sources: C. Clos, "A study of non-blocking switching networks", 1953: strictly non-blocking if m >= 2n - 1; V. Benes,
 * 1962: rearrangeably non-blocking if m >= n, which is what is chosen where m is not given and nothing may block.
 *
 * Of Ethernet switches with fewer spines than hosts of a leaf, what is not said is a bundle that does not block: each
 * of its cables is of another VLAN, and so leads to another virtual spine (planner/ethernet/vlans.h).
 *
 * Ports of a leaf: hosts first, then the spines in their order. Ports of a spine: the leafs in their order.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "base/text.h"
#include "planner/family/families.h"
#include "planner/family/rules.h"

/* ---- proposing ---- */

/* A number that two keys may give. Returns 0 or -EINVAL: they differ. */
static int pin_merge(struct ft_proposal *proposal, const char *key, const char *name, uint32_t value, uint32_t *pin)
{
	if (ft_pinned(*pin) && ft_pinned(value) && *pin != value)
		return ft_proposal_refuse(proposal, NULL, key, "%s is %u, but edge.%s is %u", key, *pin, name, value);
	*pin = ft_pinned(*pin) ? *pin : value;
	return 0;
}

/* What the design says of m, n and r, by whatever keys. */
static int pins_read(struct ft_proposal *proposal, struct ft_family_keys *ret_said)
{
	const struct ft_design *design = proposal->design;
	const struct ft_design_role *edge = &design->roles[FT_TIER_EDGE];
	struct ft_family_keys said = design->keys;
	int r = pin_merge(proposal, "n", "ports_to_nodes", edge->ports_to_nodes, &said.n);

	if (r == 0)
		r = pin_merge(proposal, "m", "ports_to_core", edge->ports_to_core, &said.m);
	if (r < 0)
		return r;
	if (design->keys.bundle_count > 1)
		return ft_proposal_refuse(proposal, NULL, "bundle",
					  "bundle has %u numbers, but all cables of a Clos network are alike",
					  design->keys.bundle_count);
	if (design->nodes == 0 && !ft_pinned(said.r) && !ft_pinned(edge->count))
		return ft_proposal_refuse(proposal, NULL, NULL,
					  "\"nodes\" is missing: how many host ports to connect; or \"r\": how many "
					  "leafs");
	*ret_said = said;
	return 0;
}

/* ceil(n / Bl): the uplinks that n hosts need. */
static uint32_t uplinks_for(uint32_t n, struct ft_ratio blocking)
{
	return (uint32_t)(((int64_t)n * blocking.den + blocking.num - 1) / blocking.num);
}

/* Leafs, for @m spines. 0: "count" of "edge" leaves none. */
static uint32_t leafs_for(const struct ft_design *design, const struct ft_family_keys *said, uint32_t m, uint32_t n)
{
	uint32_t count = design->roles[FT_TIER_EDGE].count;

	if (ft_pinned(said->r))
		return said->r;
	if (ft_pinned(count))
		return count > m ? count - m : 0;
	return ft_number_divide_up(design->nodes, n);
}

/*
 * Spines where they are not said: one for each uplink, or for each bundle; of Ethernet switches the fewest that have
 * ports for all uplinks.
 */
static uint32_t spines_for(const struct ft_proposal *proposal, const struct ft_family_keys *said, uint32_t n)
{
	const struct ft_design *design = proposal->design;
	uint32_t uplinks = uplinks_for(n, design->blocking), m = uplinks, leafs;

	if (design->keys.bundle_count > 0)
		return ft_number_divide_up(uplinks, design->keys.bundles[0]);
	if (design->technology != FT_TECHNOLOGY_ETHERNET || ft_pinned(design->roles[FT_TIER_EDGE].count))
		return uplinks;
	leafs = leafs_for(design, said, m, n);
	for (uint64_t least = 1; least < uplinks; least++)
		if (leafs * (uint64_t)ft_number_divide_up(uplinks, (uint32_t)least) <= proposal->ports &&
		    n + least * ft_number_divide_up(uplinks, (uint32_t)least) <= proposal->ports)
			return (uint32_t)least;
	return uplinks;
}

/* Cables from a leaf to each spine. */
static uint32_t bundle_for(const struct ft_proposal *proposal, uint32_t m, uint32_t n, uint32_t leafs)
{
	const struct ft_design *design = proposal->design;
	uint32_t ports = proposal->ports, bundle;

	if (design->keys.bundle_count > 0)
		return design->keys.bundles[0];
	if (design->technology != FT_TECHNOLOGY_ETHERNET || n >= ports || leafs == 0 || leafs > ports)
		return 1;
	bundle = ft_number_least(ft_number_divide_up(uplinks_for(n, design->blocking), m),
				 ft_number_least((ports - n) / m, ports / leafs));
	return bundle > 1 ? bundle : 1;
}

static int offer_clos(struct ft_proposal *proposal, uint32_t m, uint32_t n, uint32_t leafs)
{
	uint32_t bundle = bundle_for(proposal, m, n, leafs);
	struct ft_layout layout = {
		.family = proposal->design->family,
		.keys = {.m = m, .n = n, .r = leafs, .bundles = {bundle}, .bundle_count = 1},
		.switches = leafs + m,
		.hosting = leafs,
		.net_ports = m * bundle,
		.cables = (uint64_t)leafs * m * bundle,
		.diameter = leafs + m > 2 ? 2 : 1,
	};
	int r;

	if (bundle > 1 && (uint64_t)leafs * bundle > proposal->ports)
		return ft_proposal_unfit(proposal, NULL, "bundle",
					 "each spine needs %u ports for each of %u leafs, and has %u", bundle, leafs,
					 proposal->ports);
	if (leafs > proposal->ports)
		return ft_proposal_unfit(proposal, NULL, ft_pinned(proposal->design->keys.r) ? "r" : "nodes",
					 "each spine needs a port for each of %u leafs, and has %u", leafs,
					 proposal->ports);
	r = ft_proposal_settle(proposal, &layout, n);
	return r <= 0 ? r : proposal->offer(proposal, &layout);
}

/*
 * With fewer hosts on each leaf there are more leafs, but fewer spines: which is the cheapest is for the search to say.
 * The largest n comes first, as that is what is taken where nothing else decides.
 */
static int propose_clos(struct ft_proposal *proposal)
{
	const struct ft_design *design = proposal->design;
	struct ft_family_keys said = design->keys;
	uint32_t most, least;
	bool crowded = false;
	int r = pins_read(proposal, &said);

	if (r < 0)
		return r;
	if (!ft_pinned(said.m) && !ft_pinned(said.n) && !ft_pinned(said.r)) {
		r = ft_proposal_star(proposal);
		if (r != 0)
			return r < 0 ? r : 0;
	}
	most = ft_pinned(said.n) ? said.n : proposal->ports - 1;
	least = ft_pinned(said.n) ? said.n : 1;
	for (uint32_t n = most; r == 0 && n >= least; n--) {
		uint32_t m = ft_pinned(said.m) ? said.m : spines_for(proposal, &said, n);
		uint32_t leafs = leafs_for(design, &said, m, n), uplinks = m * bundle_for(proposal, m, n, leafs);

		/* More than one of these numbers is open: only what does not block is worth a trial, and has room. */
		if (!ft_pinned(said.n) &&
		    (n + (uint64_t)uplinks > proposal->ports || uplinks_for(n, design->blocking) > uplinks))
			continue;
		/* Fewer hosts on each leaf make more leafs: the reason is that of the fewest. */
		if (leafs == 0 || (crowded && leafs > proposal->ports))
			continue;
		crowded = leafs > proposal->ports;
		r = offer_clos(proposal, m, n, leafs);
	}
	return r;
}

/* ---- building ---- */

static int switches_add(struct ft_network *network, const char *kind, uint32_t count, bool hosting)
{
	int digits = ft_digits_below(count), r = 0;
	char name[32];

	for (uint32_t i = 0; r == 0 && i < count; i++) {
		snprintf(name, sizeof(name), "%s-%0*u", kind, digits, i);
		r = ft_network_switch(network, strdup(name), kind, FT_NONE, hosting);
	}
	return r;
}

static int build_clos(const struct ft_layout *layout, struct ft_network *network)
{
	const struct ft_family_keys *keys = &layout->keys;
	int r;

	/* The one switch of a star is a leaf. */
	r = switches_add(network, "leaf", layout->hosting, true);
	if (r == 0)
		r = switches_add(network, "spine", keys->m, false);
	for (uint32_t i = 0; r == 0 && i < keys->r; i++)
		for (uint32_t k = 0; r == 0 && k < keys->m; k++)
			r = ft_network_link(network, i, keys->r + k, keys->bundles[0]);
	return r;
}

static void label_clos(struct ft_text *text, const struct ft_layout *layout)
{
	if (layout->called)
		ft_text_puts(text, "1");
	else
		ft_text_printf(text, "m=%u n=%u r=%u", layout->keys.m, layout->keys.n, layout->keys.r);
	if (!layout->called && layout->keys.bundles[0] > 1)
		ft_text_printf(text, " bundle=%u", layout->keys.bundles[0]);
}

/* A spine is on the side of most leafs, and has a bundle to each on the other. */
static uint64_t bisection_of_clos(const struct ft_layout *layout)
{
	return (uint64_t)layout->keys.m * layout->keys.bundles[0] * (layout->keys.r / 2);
}

static const char *const keys_of_clos[] = {"m", "n", "r", "bundle", NULL};

const struct ft_family ft_family_clos = {
	.name = "clos",
	.keys = keys_of_clos,
	.about = "a Clos network",
	.propose = propose_clos,
	.build = build_clos,
	.label = label_clos,
	.bisection = bisection_of_clos,
};
