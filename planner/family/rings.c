/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/family/rings.h"

#include <errno.h>
#include <stdlib.h>

#include "base/text.h"
#include "planner/family/search.h"
#include "planner/plan/tree.h"

uint32_t ft_rings_ports(const struct ft_design *design, enum ft_tier tier)
{
	return 2 * design->rings[tier];
}

int ft_rings_reserve(const struct ft_rules *rules, struct ft_rules *ret_rules)
{
	struct ft_rules less = *rules;

	for (enum ft_tier tier = FT_TIER_SPINE; tier < FT_TIER_COUNT; tier++) {
		uint32_t ports = less.roles[tier].ports, ring = ft_rings_ports(rules->design, tier);

		if (ring == 0)
			continue;
		if (ports < ring + 2)
			return ft_rules_error(rules, "rings", ft_tier_name(tier),
					      "rings.%s %u takes %u ports of each %s switch, which has %u, and the "
					      "tree needs 2 more",
					      ft_tier_name(tier), ring / 2, ring, ft_tier_name(tier), ports);
		less.roles[tier].ports = ports - ring;
		less.ring_ports[tier] = ring;
	}
	*ret_rules = less;
	return 0;
}

/* Cables of one ring of @count switches of @tier. */
static uint32_t ring_cables(const struct ft_design *design, enum ft_tier tier, uint32_t count)
{
	return count > 1 ? count * design->rings[tier] : 0;
}

uint32_t ft_rings_cables(const struct ft_design *design, const struct ft_shape *s)
{
	uint32_t cables = ring_cables(design, FT_TIER_CORE, s->cores);

	return s->levels < 3 ? cables : cables + s->pods * ring_cables(design, FT_TIER_SPINE, s->pod_spines);
}

uint32_t ft_rings_bundles(const struct ft_design *design, const struct ft_shape *s)
{
	return (design->rings[FT_TIER_CORE] ? s->cores : 0) + (design->rings[FT_TIER_SPINE] ? ft_shape_spines(s) : 0);
}

/* ---- wiring ---- */

/* The first port of the ring's: to the next switch, or @back, to the one before. */
static uint32_t ring_port(const struct ft_plan *plan, uint32_t index, uint32_t cables, bool back)
{
	return plan->switches[index].ports - 2 * cables + (back ? cables : 0) + 1;
}

/* The ring of @count switches from @first on, with @cables between neighbours. */
static void ring_add(struct ft_plan *plan, uint32_t first, uint32_t count, uint32_t cables)
{
	uint32_t last = first + count - 1;

	if (count < 2 || cables == 0)
		return;
	if (count == 2) {
		plan->bundles[plan->bundle_count++] =
			(struct ft_plan_bundle){first, last, 2 * cables, ring_port(plan, first, cables, false),
						ring_port(plan, last, cables, false)};
		return;
	}
	for (uint32_t i = first; i < last; i++)
		plan->bundles[plan->bundle_count++] = (struct ft_plan_bundle){
			i, i + 1, cables, ring_port(plan, i, cables, false), ring_port(plan, i + 1, cables, true)};
	plan->bundles[plan->bundle_count++] = (struct ft_plan_bundle){
		first, last, cables, ring_port(plan, first, cables, true), ring_port(plan, last, cables, false)};
}

/* Switches of a class may have other ports than the rules know of. */
static int end_check(const struct ft_rules *rules, const struct ft_plan *plan, uint32_t index, uint32_t used)
{
	const struct ft_plan_switch *sw = &plan->switches[index];
	uint32_t ring = ft_rings_ports(rules->design, sw->tier);

	if (ring == 0 || used + ring <= sw->ports)
		return 0;
	return ft_rules_error(rules, "rings", ft_tier_name(sw->tier),
			      "rings: \"%s\" has %u ports, of which the ring takes the last %u, but port %u is in use",
			      sw->name, sw->ports, ring, used);
}

static int ends_check(const struct ft_rules *rules, const struct ft_plan *plan)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < plan->switch_count; i++)
		r = end_check(rules, plan, i, plan->switches[i].hosts);
	for (uint32_t i = 0; r == 0 && i < plan->bundle_count; i++) {
		const struct ft_plan_bundle *bundle = &plan->bundles[i];

		r = end_check(rules, plan, bundle->a, bundle->a_port + bundle->count - 1);
		if (r == 0)
			r = end_check(rules, plan, bundle->b, bundle->b_port + bundle->count - 1);
	}
	return r;
}

int ft_rings_wire(const struct ft_rules *rules, struct ft_plan *plan)
{
	const uint32_t *rings = rules->design->rings;
	const struct ft_tree *tree = plan->tree;
	int r = ends_check(rules, plan);

	if (r < 0)
		return r;
	for (uint32_t pod = 0; pod < tree->pods; pod++)
		ring_add(plan, tree->edge_count + pod * tree->pod_spines, tree->pod_spines, rings[FT_TIER_SPINE]);
	ring_add(plan, tree->edge_count + tree->spine_count, tree->core_count, rings[FT_TIER_CORE]);
	qsort(plan->bundles, plan->bundle_count, sizeof(*plan->bundles), ft_plan_bundle_compare);
	return 0;
}
