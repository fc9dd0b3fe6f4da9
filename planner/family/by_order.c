/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/family/by_order.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/numbers.h"
#include "base/text.h"
#include "planner/family/finite_field.h"
#include "planner/family/recognise.h"
#include "planner/family/rules.h"

static int order_refuse(struct ft_proposal *proposal, uint32_t least, uint32_t q)
{
	const char *about = proposal->design->family->about;
	uint32_t below = q, above = q;

	while (below >= least && !ft_field_exists(below, NULL, NULL))
		below--;
	while (above < least || !ft_field_exists(above, NULL, NULL))
		above++;
	if (below >= least && above <= FT_PORTS_MAX)
		return ft_proposal_refuse(
			proposal, NULL, "q",
			"q is %u, but %s needs a prime power of %u or more: the nearest are %u and %u", q, about, least,
			below, above);
	return ft_proposal_refuse(proposal, NULL, "q",
				  "q is %u, but %s needs a prime power of %u or more: the nearest is %u", q, about,
				  least, below >= least ? below : above);
}

/* All but the hosts. */
static void layout_size(struct ft_layout *layout, const struct ft_by_order *rules, const struct ft_family *family,
			uint32_t q)
{
	*layout = (struct ft_layout){.family = family, .keys.q = q, .diameter = 2};
	rules->size(layout);
	layout->hosting = layout->switches;
}

static uint32_t hosts_usual(const struct ft_proposal *proposal, const struct ft_layout *layout)
{
	const struct ft_design *design = proposal->design;
	int64_t hosts = ft_number_divide_up(layout->net_ports, 2) * design->blocking.num / design->blocking.den;

	if (ft_pinned(design->roles[FT_TIER_EDGE].ports_to_nodes))
		return design->roles[FT_TIER_EDGE].ports_to_nodes;
	/* More than any switch has ports is too many, however many it is. */
	return hosts > FT_PORTS_MAX ? FT_PORTS_MAX + 1 : (uint32_t)hosts;
}

/* Less than, equal to or more than 0, as the network is smaller than what "edge" pins, just so, or larger. */
static int pins_compare(struct ft_proposal *proposal, const struct ft_layout *layout)
{
	const struct ft_design_role *edge = &proposal->design->roles[FT_TIER_EDGE];

	if (ft_pinned(edge->count) && edge->count != layout->switches) {
		ft_proposal_unfit(proposal, "edge", "count", "edge.count is %u, but there are %u switches if q is %u",
				  edge->count, layout->switches, layout->keys.q);
		return layout->switches < edge->count ? -1 : 1;
	}
	if (ft_pinned(edge->ports_to_core) && edge->ports_to_core != layout->net_ports) {
		ft_proposal_unfit(proposal, "edge", "ports_to_core",
				  "edge.ports_to_core is %u, but each switch has %u ports to other switches if q is %u",
				  edge->ports_to_core, layout->net_ports, layout->keys.q);
		return layout->net_ports < edge->ports_to_core ? -1 : 1;
	}
	return 0;
}

static int layout_offer(struct ft_proposal *proposal, struct ft_layout *layout)
{
	int r = ft_proposal_settle(proposal, layout, hosts_usual(proposal, layout));

	return r <= 0 ? r : proposal->offer(proposal, layout);
}

static void reason_of_largest(struct ft_proposal *proposal, const struct ft_layout *largest)
{
	ft_proposal_unfit(proposal, NULL, "nodes",
			  "the largest q that fits is %u: %u switches with %u host%s each are for %" PRIu64
			  " nodes, and nodes is %u",
			  largest->keys.q, largest->switches, largest->hosts_each, ft_text_s(largest->hosts_each),
			  largest->room, proposal->design->nodes);
}

static int propose_smallest(struct ft_proposal *proposal, const struct ft_by_order *rules)
{
	struct ft_layout layout, largest = {0};

	for (uint32_t q = rules->least; q <= FT_PORTS_MAX; q++) {
		int order, r;

		if (!ft_field_exists(q, NULL, NULL))
			continue;
		layout_size(&layout, rules, proposal->design->family, q);
		layout.keys.primitive = FT_NONE;
		order = pins_compare(proposal, &layout);
		if (order < 0)
			continue;
		if (order > 0)
			break;
		r = ft_proposal_settle(proposal, &layout, hosts_usual(proposal, &layout));
		if (r != 0)
			return r < 0 ? r : proposal->offer(proposal, &layout);
		if (layout.room == 0)
			break;
		largest = layout;
	}
	if (largest.room > 0)
		reason_of_largest(proposal, &largest);
	return 0;
}

int ft_by_order_propose(struct ft_proposal *proposal, const struct ft_by_order *rules)
{
	const struct ft_design *design = proposal->design;
	uint32_t q = design->keys.q;
	struct ft_layout layout;

	if (!ft_pinned(q)) {
		if (design->nodes > 0)
			return propose_smallest(proposal, rules);
		return ft_proposal_refuse(proposal, NULL, NULL,
					  "\"nodes\" is missing: how many host ports to connect; or \"q\"");
	}
	if (q < rules->least || !ft_field_exists(q, NULL, NULL))
		return order_refuse(proposal, rules->least, q);
	layout_size(&layout, rules, design->family, q);
	layout.keys.primitive = design->keys.primitive;
	return pins_compare(proposal, &layout) == 0 ? layout_offer(proposal, &layout) : 0;
}

int ft_by_order_recognise(const struct ft_sketch *sketch, const struct ft_family *family,
			  const struct ft_by_order *rules,
			  int (*offer)(const struct ft_sketch *sketch, const struct ft_family *family,
				       const struct ft_family_keys *keys))
{
	struct ft_layout layout;

	if (sketch->width_count != 1 || sketch->widths[0] != 1)
		return 0;
	for (uint32_t q = rules->least; q <= FT_PORTS_MAX; q++) {
		layout_size(&layout, rules, family, q);
		if (layout.switches != sketch->switches || layout.net_ports != sketch->degree ||
		    !ft_field_exists(q, NULL, NULL))
			continue;
		ft_family_keys_init(&layout.keys);
		layout.keys.q = q;
		return offer(sketch, family, &layout.keys);
	}
	return 0;
}

void ft_by_order_label(struct ft_text *text, const struct ft_layout *layout)
{
	ft_text_printf(text, "q=%u", layout->keys.q);
}
