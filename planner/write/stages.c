/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/write/choice.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "planner/plan/tree.h"

/* A stage, planned. */
struct stage {
	struct ft_design design; /* a copy whose pointers are the original's */
	struct ft_candidate candidate;
	struct ft_plan *plan;
};

struct stages {
	struct stage all[FT_STAGES_MAX];
	size_t count;
	const struct ft_menu *menu;
	struct ft_error *err;
	struct ft_plan_blame *blame;
};

static void stages_release(struct stages *s)
{
	for (size_t i = 0; i < s->count; i++)
		ft_plan_free(s->all[i].plan);
}

/* A menu with nothing on it but the switches of @chosen. */
struct one_dish {
	struct ft_menu menu;
	struct ft_switch_type types[FT_TIER_COUNT];
	struct ft_switch_type star;
};

static void one_dish_make(struct one_dish *dish, const struct ft_menu *menu, const struct ft_candidate *chosen)
{
	*dish = (struct one_dish){.menu = {.cable_cost = menu->cable_cost}};
	if (chosen->shape.topology == FT_TOPOLOGY_STAR) {
		dish->star = *chosen->types[FT_TIER_EDGE];
		dish->menu.stars = &dish->star;
		dish->menu.star_count = 1;
		return;
	}
	for (int tier = 0; tier < FT_TIER_COUNT; tier++) {
		if (!chosen->types[tier])
			continue;
		dish->types[tier] = *chosen->types[tier];
		dish->menu.types[tier] = &dish->types[tier];
		dish->menu.count[tier] = 1;
	}
}

/*
 * The star of a stage: line boards are added as the fabric grows, so the smallest population of the same switch that
 * holds the nodes of this stage.
 */
static const struct ft_switch_type *star_of_stage(const struct ft_menu *menu, const struct ft_switch_type *last,
						  uint32_t nodes)
{
	const struct ft_switch_type *best = last;

	for (size_t i = 0; last->family && i < menu->star_count; i++) {
		const struct ft_switch_type *type = &menu->stars[i];

		if (type->family && strcmp(type->family, last->family) == 0 && type->ports >= nodes &&
		    type->ports < best->ports)
			best = type;
	}
	return best;
}

/* One stage with the switches chosen for the last, the pods counted as there. */
static int stage_plan(struct stages *s, struct stage *stage, const struct ft_candidate *chosen)
{
	_cleanup_(ft_search_release) struct ft_search search = {0};
	struct ft_candidate wanted = *chosen;
	struct one_dish dish;
	int r;

	if (chosen->shape.topology == FT_TOPOLOGY_STAR) {
		wanted.types[FT_TIER_EDGE] = star_of_stage(s->menu, chosen->types[FT_TIER_EDGE], stage->design.nodes);
		stage->design.nodes_max = stage->design.nodes;
	}
	if (chosen->shape.levels == 3)
		stage->design.pods = chosen->shape.pods_max;
	stage->design.topology = chosen->shape.topology;
	stage->design.limit_count = 0;
	one_dish_make(&dish, s->menu, &wanted);
	r = ft_search(&stage->design, &dish.menu, 1, &search, s->err, s->blame);
	if (r < 0)
		return r;
	stage->candidate = search.best[0];
	r = ft_plan_build(&stage->design, &stage->candidate, &stage->plan, s->err, s->blame);
	/* The types were on this function's own menu. */
	memcpy(stage->candidate.types, wanted.types, sizeof(wanted.types));
	return r;
}

/* ---- that nothing moves ---- */

/* A switch of one stage in the plan of a later one: the same place in the same pod or plane. */
static uint32_t later_switch(const struct ft_plan *later, const struct ft_plan *plan, uint32_t index)
{
	const struct ft_plan_switch *sw = &plan->switches[index];
	uint32_t place = index;

	if (sw->tier == FT_TIER_SPINE)
		place = index - plan->tree->edge_count;
	if (sw->tier == FT_TIER_CORE)
		place = index - plan->tree->edge_count - plan->tree->spine_count;
	if (sw->tier == FT_TIER_SPINE)
		return place < later->tree->spine_count ? later->tree->edge_count + place : FT_NONE;
	if (sw->tier == FT_TIER_CORE)
		return place < later->tree->core_count ? later->tree->edge_count + later->tree->spine_count + place
						       : FT_NONE;
	return place < later->tree->edge_count ? place : FT_NONE;
}

/* Cables between switches of @plan that are not at the same ports in @later. */
static uint64_t cables_moved(const struct ft_plan *plan, const struct ft_plan *later)
{
	uint64_t moved = 0;

	for (uint32_t i = 0; i < plan->bundle_count; i++) {
		const struct ft_plan_bundle *here = &plan->bundles[i], *there;
		uint32_t found = ft_plan_find_bundle(later, later_switch(later, plan, here->a),
						     later_switch(later, plan, here->b));

		there = found == FT_NONE ? NULL : &later->bundles[found];
		if (!there || there->a_port != here->a_port || there->b_port != here->b_port ||
		    there->count < here->count)
			moved += here->count;
	}
	return moved;
}

/* Hosts of @plan that have no port on the same switch in @later. */
static uint64_t hosts_moved(const struct ft_plan *plan, const struct ft_plan *later)
{
	uint64_t moved = 0;

	for (uint32_t i = 0; i < plan->tree->edge_count; i++) {
		uint32_t there = i < later->tree->edge_count ? later->switches[i].hosts : 0;

		if (plan->switches[i].hosts > there)
			moved += plan->switches[i].hosts - there;
	}
	return moved;
}

static int stages_check(const struct stages *s)
{
	for (size_t i = 1; i < s->count; i++) {
		uint64_t cables = cables_moved(s->all[i - 1].plan, s->all[i].plan);
		uint64_t hosts = hosts_moved(s->all[i - 1].plan, s->all[i].plan);

		if (cables == 0 && hosts == 0)
			continue;
		if (s->blame)
			*s->blame = (struct ft_plan_blame){NULL, "fill"};
		return ft_error_set(s->err, -EINVAL, 0, 0,
				    "from %u to %u node%s %" PRIu64 " cable%s between switches and %" PRIu64
				    " to nodes would have to move: uniform fill spreads the nodes anew; ask for "
				    "\"fill\": \"dense\" or \"prefer_expandable\": true",
				    s->all[i - 1].plan->nodes, s->all[i].plan->nodes, ft_text_s(s->all[i].plan->nodes),
				    cables, ft_text_s(cables), hosts);
	}
	return 0;
}

/* ---- what is added ---- */

static void add_name(struct ft_text *text, const struct ft_switch_type *type)
{
	if (type->name)
		ft_text_add_safe(text, type->name, strlen(type->name));
	else
		ft_text_printf(text, "switch of %u port%s", type->ports, ft_text_s(type->ports));
}

static void add_tier(struct ft_text *text, const struct stage *stage, const struct stage *before, enum ft_tier tier)
{
	const struct ft_plan *plan = stage->plan, *old = before ? before->plan : NULL;
	const uint32_t now[] = {plan->tree->edge_count, plan->tree->spine_count, plan->tree->core_count};
	const uint32_t then[] = {old ? old->tree->edge_count : 0, old ? old->tree->spine_count : 0,
				 old ? old->tree->core_count : 0};

	if (now[tier] == 0)
		return;
	ft_text_printf(text, "  %-6s %6u", ft_tier_name(tier), now[tier]);
	if (now[tier] > then[tier])
		ft_text_printf(text, "  (+%u)", now[tier] - then[tier]);
	ft_text_puts(text, "  ");
	add_name(text, stage->candidate.types[tier]);
	ft_text_puts(text, "\n");
}

static void add_cables(struct ft_text *text, uint32_t now, uint32_t then)
{
	ft_text_printf(text, "  cables %6u", now);
	if (now > then)
		ft_text_printf(text, "  (+%u)", now - then);
	ft_text_puts(text, "\n");
}

static void add_cost(struct ft_text *text, const struct ft_plan *plan, const struct ft_plan *old)
{
	if (plan->cost == FT_AMOUNT_UNKNOWN)
		return;
	ft_text_printf(text, "  %-6s ", "cost");
	ft_quantity_add(text, ft_quantity_amount(plan->cost));
	if (old && old->cost != FT_AMOUNT_UNKNOWN) {
		ft_text_puts(text, "  (+");
		ft_quantity_add(text, ft_quantity_amount(plan->cost - old->cost));
		ft_text_puts(text, ")");
	}
	ft_text_puts(text, "\n");
}

static void stage_write(struct ft_text *text, const struct stages *s, size_t i)
{
	const struct stage *stage = &s->all[i], *before = i ? &s->all[i - 1] : NULL;
	const struct ft_plan *plan = stage->plan, *old = before ? before->plan : NULL;

	ft_text_printf(text, "Stage %zu: %u node%s\n", i + 1, plan->nodes, ft_text_s(plan->nodes));
	for (enum ft_tier tier = FT_TIER_EDGE; tier < FT_TIER_COUNT; tier++)
		add_tier(text, stage, before, tier);
	add_cables(text, plan->links, old ? old->links : 0);
	add_cost(text, plan, old);
	ft_text_printf(text, "  free   %6u  ports for nodes on the switches of this stage\n", plan->spare_ports);
	if (before && stage->candidate.types[FT_TIER_EDGE] != before->candidate.types[FT_TIER_EDGE])
		ft_text_puts(text, "  Line boards are added to the switch of the stage before.\n");
	ft_text_puts(text, "\n");
}

static void stages_write(struct ft_text *text, const struct stages *s)
{
	const struct ft_design *design = &s->all[0].design;
	uint64_t laid = 0;

	ft_text_add_safe(text, design->name, strlen(design->name));
	ft_text_printf(text, ": %zu stage%s, with room for %u node%s\n\n", s->count, ft_text_s(s->count),
		       s->all[s->count - 1].plan->tree->expandable_to,
		       ft_text_s(s->all[s->count - 1].plan->tree->expandable_to));
	for (size_t i = 0; i < s->count; i++)
		stage_write(text, s, i);
	for (size_t i = 0; i + 1 < s->count; i++)
		laid += s->all[i].plan->links;
	ft_text_printf(text,
		       "No laid cable moves: each of the %" PRIu64
		       " cable%s of a stage was found at the same ports in the next.\n",
		       laid, ft_text_s(laid));
}

/*
 * The switches for the last stage. Hosts that are spread would be spread anew, so dense fill is the choice where there
 * is one and it fits the limits. Names are of the fabric that is there, not of one that is yet to grow.
 */
static int last_search(struct ft_design *last, const struct ft_menu *menu, struct ft_search *ret_search,
		       struct ft_error *err, struct ft_plan_blame *blame)
{
	bool asked = last->prefer_expandable;
	int r;

	last->prefer_expandable |= last->fill == FT_FILL_AUTO;
	r = ft_search(last, menu, 1, ret_search, err, blame);
	if (r != -EINVAL || asked == last->prefer_expandable)
		return r;
	last->prefer_expandable = asked;
	return ft_search(last, menu, 1, ret_search, err, blame);
}

int ft_write_stages(struct ft_text *text, const struct ft_design *design, const struct ft_menu *menu,
		    const uint32_t *nodes, size_t count, struct ft_error *err, struct ft_plan_blame *blame)
{
	_cleanup_(stages_release) struct stages s = {.menu = menu, .err = err, .blame = blame};
	_cleanup_(ft_search_release) struct ft_search search = {0};
	struct ft_design last = *design;
	int r;

	if (design->class_count > 0) {
		if (blame)
			*blame = (struct ft_plan_blame){NULL, "classes"};
		return ft_error_set(err, -EINVAL, 0, 0,
				    "classes are the last switches of their tier as built: no stages can be planned "
				    "with them");
	}
	last.nodes = nodes[count - 1];
	if (!design->nodes_max_given || last.nodes_max < last.nodes)
		last.nodes_max = last.nodes;
	last.nodes_max_given = true;
	memset(last.binds, 0, sizeof(last.binds));
	r = last_search(&last, menu, &search, err, blame);
	for (size_t i = 0; r == 0 && i < count; i++) {
		struct stage *stage = &s.all[s.count++];

		stage->design = last;
		stage->design.nodes = nodes[i];
		r = stage_plan(&s, stage, &search.best[0]);
	}
	if (r == 0)
		r = stages_check(&s);
	if (r == 0)
		stages_write(text, &s);
	return r;
}
