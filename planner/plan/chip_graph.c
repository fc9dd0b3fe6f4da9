/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/plan/chip_graph.h"

#include <errno.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "planner/plan/wiring.h"

/* The edges of a graph under construction. */
struct edges {
	struct ft_hop_edge *edge;
	size_t count;
	struct ft_arena memory;
};

static void edges_release(struct edges *edges)
{
	ft_arena_release(&edges->memory);
}

static void edge_add(struct edges *edges, uint32_t a, uint32_t b)
{
	struct ft_hop_edge *edge = FT_ARENA_MORE(&edges->memory, edges->edge, edges->count);

	if (edge)
		*edge = (struct ft_hop_edge){a, b};
}

/*
 * The chips of a planned switch. Chips with outer ports come first, each with the same number of ports in order; then
 * the inner chips of a director, each cabled to all of the former.
 */
struct chips {
	uint32_t first;	       /* number of the first */
	uint32_t outer, inner; /* how many there are */
	uint32_t ports;	       /* outer ports of each */
	bool deep;	       /* it stands for a whole director */
};

/*
 * Assumption for a director with unknown inside: every path through it passes three chips, no two ports are on one chip
 * (SPEC 4).
 */
static struct chips chips_of(const struct ft_plan *plan, uint32_t index, uint32_t first)
{
	const struct ft_plan_switch *sw = &plan->switches[index];
	const struct ft_inside *inside = &plan->inside[sw->tier];
	struct chips chips = {.first = first, .outer = 1, .ports = sw->ports};
	uint32_t boards;

	if (!ft_plan_is_director(plan, index))
		return chips;
	if (inside->line_ports == 0 || inside->line_chips == 0 || inside->line_boards == 0) {
		chips.deep = true;
		return chips;
	}
	boards = inside->line_boards_max > inside->line_boards ? inside->line_boards_max : inside->line_boards;
	chips.outer = boards * inside->line_chips;
	chips.ports = (inside->line_ports + inside->line_chips - 1) / inside->line_chips;
	chips.inner =
		inside->fabric_boards * inside->fabric_chips > 0 ? inside->fabric_boards * inside->fabric_chips : 1;
	return chips;
}

/* The chip that has outer port @port (from 1). */
static uint32_t chip_at(const struct chips *chips, uint32_t port)
{
	uint32_t chip = port > 0 && chips->ports > 0 ? (port - 1) / chips->ports : 0;

	return chips->first + (chip < chips->outer ? chip : chips->outer - 1);
}

static void inside_add(struct edges *edges, const struct chips *chips)
{
	for (uint32_t i = 0; i < chips->inner; i++)
		for (uint32_t o = 0; o < chips->outer; o++)
			edge_add(edges, chips->first + o, chips->first + chips->outer + i);
}

static void cables_add(const struct ft_plan *plan, const struct chips *chips, struct edges *edges)
{
	for (uint32_t i = 0; i < plan->bundle_count && plan->cable_count == 0; i++) {
		const struct ft_plan_bundle *b = &plan->bundles[i];

		for (uint32_t k = 0; k < b->count; k++) {
			uint32_t x = chip_at(&chips[b->a], b->a_port + k), y = chip_at(&chips[b->b], b->b_port + k);

			edge_add(edges, x, y);
			/* Between two single chips one edge suffices. */
			if (chips[b->a].outer == 1 && chips[b->b].outer == 1)
				break;
		}
	}
	for (uint32_t i = 0; i < plan->cable_count; i++) {
		const struct ft_plan_cable *c = &plan->cables[i];

		edge_add(edges, chip_at(&chips[c->a], c->a_port), chip_at(&chips[c->b], c->b_port));
	}
}

static void plan_hosts_add(const struct ft_plan *plan, const struct chips *chips, struct ft_hop_graph *graph)
{
	for (uint32_t c = 0; c < graph->count; c++)
		graph->regular[c] = true;
	for (uint32_t i = ft_plan_tree_switches(plan); i < plan->switch_count; i++)
		graph->regular[chips[i].first] = false;
	for (uint32_t i = 0; i < plan->switch_count; i++)
		for (uint32_t h = 0; h < plan->switches[i].hosts; h++)
			graph->hosts[chip_at(&chips[i], h + 1)]++;
}

int ft_plan_chip_graph(const struct ft_plan *plan, struct ft_hop_graph *ret)
{
	_cleanup_(edges_release) struct edges edges = {0};
	struct chips *chips = ft_arena_zeros(&edges.memory, plan->switch_count, sizeof(*chips));
	uint32_t count = 0;
	bool *deep;
	int r;

	if (!chips)
		return -ENOMEM;
	for (uint32_t i = 0; i < plan->switch_count; i++) {
		chips[i] = chips_of(plan, i, count);
		count += chips[i].outer + chips[i].inner;
		inside_add(&edges, &chips[i]);
	}
	cables_add(plan, chips, &edges);
	deep = ft_arena_zeros(&edges.memory, count, sizeof(*deep));
	if (edges.memory.failed)
		return -ENOMEM;
	for (uint32_t i = 0; i < plan->switch_count; i++)
		deep[chips[i].first] = chips[i].deep;
	r = ft_hop_graph_make(count, deep, edges.edge, edges.count, ret);
	if (r < 0)
		return r;
	plan_hosts_add(plan, chips, ret);
	return 0;
}
