/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/family/classes.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "planner/family/search.h"
#include "planner/plan/tree.h"

uint32_t ft_classes_count(const struct ft_design *design, enum ft_tier tier)
{
	uint32_t count = 0;

	for (size_t i = 0; i < design->class_count; i++)
		count += design->classes[i].tier == tier ? design->classes[i].count : 0;
	return count;
}

const struct ft_design_class *ft_classes_find(const struct ft_design *design, enum ft_tier tier, uint32_t index,
					      uint32_t count)
{
	uint32_t first = count - ft_number_least(count, ft_classes_count(design, tier));

	for (size_t i = 0; i < design->class_count && index >= first; i++) {
		const struct ft_design_class *class = &design->classes[i];

		if (class->tier != tier)
			continue;
		if (index - first < class->count)
			return class;
		first += class->count;
	}
	return NULL;
}

/* The reader keeps the sum of all hosts below FT_NODES_MAX. */
uint32_t ft_classes_hosts(const struct ft_design *design)
{
	uint32_t hosts = 0;

	for (size_t i = 0; i < design->class_count; i++)
		if (ft_pinned(design->classes[i].hosts))
			hosts += design->classes[i].count * design->classes[i].hosts;
	return hosts;
}

uint32_t ft_classes_hosting_edges(const struct ft_design *design)
{
	uint32_t edges = 0;

	for (size_t i = 0; i < design->class_count; i++)
		if (design->classes[i].tier == FT_TIER_EDGE && ft_pinned(design->classes[i].hosts))
			edges += design->classes[i].count;
	return edges;
}

uint32_t ft_classes_upper_hosts(const struct ft_design *design)
{
	uint32_t hosts = 0;

	for (size_t i = 0; i < design->class_count; i++)
		if (design->classes[i].tier != FT_TIER_EDGE && ft_pinned(design->classes[i].hosts))
			hosts += design->classes[i].count * design->classes[i].hosts;
	return hosts;
}

/* Cables of one switch of @class to the level above, if others have @usual to @uppers switches. */
static uint32_t class_cables(const struct ft_design_class *class, uint32_t usual, uint32_t uppers)
{
	uint32_t cables = 0;

	if (class->bundle_each)
		return class->bundles[0] * uppers;
	for (size_t i = 0; i < class->bundle_count; i++)
		cables += class->bundles[i];
	if (class->bundle_count > 0)
		return cables;
	return ft_pinned(class->ports_to_core) ? class->ports_to_core : usual;
}

/* Of all @count switches of @tier. */
static uint32_t tier_cables(const struct ft_design *design, enum ft_tier tier, uint32_t count, uint32_t usual,
			    uint32_t uppers)
{
	uint32_t cables = (count - ft_number_least(count, ft_classes_count(design, tier))) * usual;

	for (size_t i = 0; i < design->class_count; i++)
		if (design->classes[i].tier == tier)
			cables += design->classes[i].count * class_cables(&design->classes[i], usual, uppers);
	return cables;
}

uint32_t ft_classes_links(const struct ft_design *design, const struct ft_shape *shape)
{
	uint32_t uppers = shape->levels == 3 ? shape->pod_spines : shape->cores;

	return tier_cables(design, FT_TIER_EDGE, shape->e, shape->c, uppers) +
	       tier_cables(design, FT_TIER_SPINE, ft_shape_spines(shape), shape->spine_up, shape->plane_cores);
}

uint32_t ft_classes_as_edges(const struct ft_design *design, uint32_t cables)
{
	uint64_t total = 0;

	for (size_t i = 0; i < design->class_count; i++)
		if (design->classes[i].tier == FT_TIER_EDGE)
			total += (uint64_t)design->classes[i].count * class_cables(&design->classes[i], cables, 1);
	return (uint32_t)((total + cables - 1) / cables);
}

int ft_classes_shares(const struct ft_rules *rules, const struct ft_design_class *class, const uint32_t *usual,
		      uint32_t count, uint32_t *ret_shares)
{
	bool listed = class->bundle_count > 0 && !class->bundle_each;

	if (listed && class->bundle_count != count)
		return ft_rules_error(
			rules, NULL, "classes",
			"classes: \"bundle\" has %zu number%s, but each %s switch has %u switch%s above it",
			class->bundle_count, ft_text_s(class->bundle_count), ft_tier_name(class->tier), count,
			ft_text_es(count));
	for (uint32_t i = 0; i < count; i++)
		ret_shares[i] = listed ? class->bundles[i] : class->bundle_each ? class->bundles[0] : usual[i];
	if (class->bundle_count == 0 && ft_pinned(class->ports_to_core))
		ft_rules_spread(rules->design, class->ports_to_core, class->ports_to_core, count, ret_shares);
	return 0;
}

/* ---- ports ---- */

/* By switch: hosts, and cables to the levels below and above. */
struct uses {
	uint32_t *down, *up;
	uint32_t *next_down, *next_up; /* the next free port */
};

static void uses_release(struct uses *uses)
{
	free(uses->down);
	free(uses->up);
	free(uses->next_down);
	free(uses->next_up);
}

static int ports_check(const struct ft_rules *rules, const struct ft_plan *plan, const struct uses *uses)
{
	for (uint32_t i = 0; i < plan->switch_count; i++) {
		const struct ft_plan_switch *sw = &plan->switches[i];
		uint32_t cables = uses->down[i] + uses->up[i];

		if (sw->hosts + cables > sw->ports)
			return ft_rules_error(rules, NULL, "classes",
					      "classes: \"%s\" has %u port%s, but %u host%s and %u cable%s", sw->name,
					      sw->ports, ft_text_s(sw->ports), sw->hosts, ft_text_s(sw->hosts), cables,
					      ft_text_s(cables));
	}
	return 0;
}

/* The first port of the cables to the level above: as in the rules if they fit there. */
static uint32_t up_from(const struct ft_plan *plan, uint32_t index, const struct uses *uses)
{
	const struct ft_plan_switch *sw = &plan->switches[index];
	uint32_t taken = sw->hosts + uses->down[index];
	uint32_t kept = sw->tier == FT_TIER_EDGE ? plan->tree->ports_to_nodes : plan->tree->spine_ports_down;

	return (kept > taken && kept + uses->up[index] <= sw->ports ? kept : taken) + 1;
}

int ft_classes_wire(const struct ft_rules *rules, struct ft_plan *plan)
{
	size_t count = plan->switch_count + 1UL;
	_cleanup_(uses_release) struct uses uses = {
		.down = calloc(count, sizeof(*uses.down)),
		.up = calloc(count, sizeof(*uses.up)),
		.next_down = calloc(count, sizeof(*uses.next_down)),
		.next_up = calloc(count, sizeof(*uses.next_up)),
	};
	int r;

	if (!uses.down || !uses.up || !uses.next_down || !uses.next_up)
		return -ENOMEM;
	for (uint32_t i = 0; i < plan->bundle_count; i++) {
		uses.up[plan->bundles[i].a] += plan->bundles[i].count;
		uses.down[plan->bundles[i].b] += plan->bundles[i].count;
	}
	r = ports_check(rules, plan, &uses);
	if (r < 0)
		return r;
	for (uint32_t i = 0; i < plan->switch_count; i++) {
		uses.next_down[i] = plan->switches[i].hosts + 1;
		uses.next_up[i] = up_from(plan, i, &uses);
	}
	for (uint32_t i = 0; i < plan->bundle_count; i++) {
		struct ft_plan_bundle *bundle = &plan->bundles[i];

		bundle->a_port = uses.next_up[bundle->a];
		bundle->b_port = uses.next_down[bundle->b];
		uses.next_up[bundle->a] += bundle->count;
		uses.next_down[bundle->b] += bundle->count;
	}
	return 0;
}
