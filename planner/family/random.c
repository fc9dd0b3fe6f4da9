/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Random regular graphs: every switch has as many cables to others, to whom is left to chance. No two cables are
 * between the same switches, and all switches are connected.
 *
 * Sources: A. Singla, C.-Y. Hong, L. Popa, P. B. Godfrey, "Jellyfish: Networking Data Centers Randomly", NSDI 2012;
 * C. Cooper, M. Dyer, C. Greenhill, "Sampling regular graphs and a peer-to-peer network", 2007, for the chain of swaps.
 *
 * Ports of a switch: hosts first, then cables in the order of its neighbours.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/chance.h"
#include "base/cleanup.h"
#include "base/numbers.h"
#include "base/text.h"
#include "planner/family/families.h"
#include "planner/family/rules.h"

/* ---- proposing ---- */

static bool is_odd(uint64_t value)
{
	return value % 2 != 0;
}

/* As the design says; else what the hosts leave, as far as the switches suffice and a cable has two ends. */
static uint32_t degree_choose(const struct ft_design *design, uint32_t net)
{
	uint32_t count = design->roles[FT_TIER_EDGE].count, degree = net;

	if (ft_pinned(design->keys.degree))
		return design->keys.degree;
	if (!ft_pinned(count))
		return degree;
	degree = ft_number_least(degree, count - 1);
	return degree - is_odd((uint64_t)degree * count);
}

static int pins_check(struct ft_proposal *proposal)
{
	const struct ft_design_role *edge = &proposal->design->roles[FT_TIER_EDGE];
	uint32_t degree = proposal->design->keys.degree;

	if (proposal->design->nodes == 0 && !ft_pinned(edge->count))
		return ft_proposal_refuse(proposal, NULL, NULL,
					  "\"nodes\" is missing: how many host ports to connect; or \"count\" of "
					  "\"edge\": how many switches");
	if (!ft_pinned(degree))
		return 0;
	if (ft_pinned(edge->ports_to_core) && edge->ports_to_core != degree)
		return ft_proposal_refuse(proposal, NULL, "degree", "degree is %u, but edge.ports_to_core is %u",
					  degree, edge->ports_to_core);
	if (!ft_pinned(edge->count))
		return 0;
	if (degree >= edge->count)
		return ft_proposal_refuse(proposal, NULL, "degree",
					  "degree %u needs %u switches or more, but edge.count is %u", degree,
					  degree + 1, edge->count);
	if (is_odd((uint64_t)degree * edge->count))
		return ft_proposal_refuse(proposal, NULL, "degree",
					  "degree %u x edge.count %u is odd: a cable has two ends", degree,
					  edge->count);
	return 0;
}

/* Enough for the nodes, for as many neighbours that all differ, and for whole cables. */
static uint32_t switches_choose(const struct ft_design *design, uint32_t hosts, uint32_t degree)
{
	uint32_t count = design->roles[FT_TIER_EDGE].count;

	if (ft_pinned(count))
		return count;
	count = ft_number_divide_up(design->nodes, hosts);
	if (count < degree + 1)
		count = degree + 1;
	return count + is_odd((uint64_t)degree * count);
}

static int propose_random(struct ft_proposal *proposal)
{
	const struct ft_design *design = proposal->design;
	const struct ft_family_keys *said = &design->keys;
	struct ft_layout layout = {.family = design->family, .diameter = FT_NONE};
	uint32_t hosts, net, degree;
	int r = pins_check(proposal);

	if (r < 0)
		return r;
	if (!ft_pinned(said->degree)) {
		r = ft_proposal_star(proposal);
		if (r != 0)
			return r < 0 ? r : 0;
	}
	ft_proposal_split(proposal, &hosts, &net);
	degree = degree_choose(design, net);
	if (ft_pinned(said->degree) && !ft_pinned(design->roles[FT_TIER_EDGE].ports_to_nodes))
		hosts = proposal->ports - ft_number_least(degree, proposal->ports);
	layout.net_ports = layout.keys.degree = degree;
	layout.keys.seed = said->seed;
	layout.switches = layout.hosting = switches_choose(design, hosts ? hosts : 1, degree);
	layout.cables = (uint64_t)layout.switches * degree / 2;
	if (degree < 2 && layout.switches > degree + 1)
		return ft_proposal_unfit(proposal, NULL, ft_pinned(said->degree) ? "degree" : "nodes",
					 "%u switches are not connected with %u port%s each to others: 2 at least",
					 layout.switches, degree, ft_text_s(degree));
	r = ft_proposal_settle(proposal, &layout, hosts);
	return r <= 0 ? r : proposal->offer(proposal, &layout);
}

/* ---- building ---- */

/*
 * The graph on its way. Invariant from the first to the last step: every switch has @degree neighbours, no two of them
 * the same and none itself; @edges has each pair of neighbours once.
 *
 * It begins as a ring in which each switch is joined to the nearest ones (a circulant graph). Then follow as many swaps
 * as said below: of two edges a-b and c-d become a-c and b-d, unless that breaks the invariant, and then nothing
 * happens. As their number is fixed, this ends for every degree, which a drawing of pairs that starts over does not.
 * What is not connected at last is joined.
 *
 * Cost: a swap looks through two lists of neighbours; cables x degree in all.
 */
struct random_graph {
	uint32_t switches, degree, edge_count;
	uint32_t *neighbours;  /* [switches][degree] */
	uint32_t (*edges)[2];  /* [edge_count] */
	uint32_t *part;	       /* by switch: the part that it is of, from 0; FT_NONE: not yet known */
	uint32_t *queue;       /* scratch space, by switch */
	uint32_t *parent;      /* by switch: from where it was reached */
	uint32_t *first_edges; /* edges of the first part */
	uint64_t chance;
};

/* Each edge takes part in some 20 of them: the chain is long past the point where longer ones look any different. */
enum { SWAPS_PER_EDGE = 10 };

static void random_graph_release(struct random_graph *g)
{
	free(g->neighbours);
	free(g->edges);
	free(g->part);
	free(g->queue);
	free(g->parent);
	free(g->first_edges);
}

static int random_graph_make(const struct ft_layout *layout, struct random_graph *g)
{
	size_t count = layout->switches + 1UL;

	g->switches = layout->switches;
	g->degree = layout->keys.degree;
	g->edge_count = (uint32_t)layout->cables;
	g->chance = layout->keys.seed;
	g->neighbours = calloc(count * (g->degree + 1UL), sizeof(*g->neighbours));
	g->edges = calloc(g->edge_count + 1UL, sizeof(*g->edges));
	g->first_edges = calloc(g->edge_count + 1UL, sizeof(*g->first_edges));
	g->part = calloc(count, sizeof(*g->part));
	g->queue = calloc(count, sizeof(*g->queue));
	g->parent = calloc(count, sizeof(*g->parent));
	if (!g->neighbours || !g->edges || !g->first_edges || !g->part || !g->queue || !g->parent)
		return -ENOMEM;
	return 0;
}

static uint32_t *neighbours_of(const struct random_graph *g, uint32_t sw)
{
	return &g->neighbours[(size_t)sw * g->degree];
}

/* Each switch is joined to the degree / 2 next ones, and for an odd degree to the one opposite. */
static void ring_fill(struct random_graph *g)
{
	uint32_t half = g->degree / 2, edge = 0;

	for (uint32_t i = 0; i < g->switches; i++) {
		uint32_t *own = neighbours_of(g, i);

		for (uint32_t k = 0; k < half; k++) {
			own[2 * k] = (uint32_t)(((uint64_t)i + k + 1) % g->switches);
			own[2 * k + 1] = (uint32_t)(((uint64_t)i + g->switches - k - 1) % g->switches);
			g->edges[edge][0] = i;
			g->edges[edge++][1] = own[2 * k];
		}
		if (!is_odd(g->degree))
			continue;
		own[g->degree - 1] = (uint32_t)(((uint64_t)i + g->switches / 2) % g->switches);
		if (i >= g->switches / 2)
			continue;
		g->edges[edge][0] = i;
		g->edges[edge++][1] = own[g->degree - 1];
	}
}

static bool are_neighbours(const struct random_graph *g, uint32_t a, uint32_t b)
{
	const uint32_t *own = neighbours_of(g, a);

	for (uint32_t k = 0; k < g->degree; k++)
		if (own[k] == b)
			return true;
	return false;
}

static void neighbour_replace(struct random_graph *g, uint32_t sw, uint32_t old, uint32_t new)
{
	uint32_t *own = neighbours_of(g, sw);

	while (*own != old)
		own++;
	*own = new;
}

/* Edges a-b and c-d become a-c and b-d, or, if @cross, a-d and b-c. */
static void edges_swap(struct random_graph *g, uint32_t one, uint32_t other, bool cross)
{
	uint32_t a = g->edges[one][0], b = g->edges[one][1];
	uint32_t c = g->edges[other][cross], d = g->edges[other][!cross];

	neighbour_replace(g, a, b, c);
	neighbour_replace(g, c, d, a);
	neighbour_replace(g, b, a, d);
	neighbour_replace(g, d, c, b);
	g->edges[one][1] = c;
	g->edges[other][0] = b;
	g->edges[other][1] = d;
}

static void edges_mix(struct random_graph *g)
{
	for (uint64_t i = 0; i < (uint64_t)SWAPS_PER_EDGE * g->edge_count; i++) {
		uint32_t one = ft_chance_below(&g->chance, g->edge_count);
		uint32_t other = ft_chance_below(&g->chance, g->edge_count);
		bool cross = ft_chance_next(&g->chance) >> 63;
		uint32_t c = g->edges[other][cross], d = g->edges[other][!cross];

		/* Edges with a common end fail too: the new edge would be one of the two, or a loop. */
		if (g->edges[one][0] != c && g->edges[one][1] != d && !are_neighbours(g, g->edges[one][0], c) &&
		    !are_neighbours(g, g->edges[one][1], d))
			edges_swap(g, one, other, cross);
	}
}

/* Marks all that is connected with @from as part @part. */
static void part_mark(struct random_graph *g, uint32_t from, uint32_t part)
{
	uint32_t queued = 0;

	g->part[from] = part;
	g->parent[from] = from;
	g->queue[queued++] = from;
	for (uint32_t i = 0; i < queued; i++) {
		const uint32_t *own = neighbours_of(g, g->queue[i]);

		for (uint32_t k = 0; k < g->degree; k++) {
			if (ft_pinned(g->part[own[k]]))
				continue;
			g->part[own[k]] = part;
			g->parent[own[k]] = g->queue[i];
			g->queue[queued++] = own[k];
		}
	}
}

static uint32_t parts_mark(struct random_graph *g)
{
	uint32_t parts = 0;

	for (uint32_t i = 0; i < g->switches; i++)
		g->part[i] = FT_NONE;
	for (uint32_t i = 0; i < g->switches; i++)
		if (!ft_pinned(g->part[i]))
			part_mark(g, i, parts++);
	return parts;
}

/*
 * Joins every other part to the first: an edge of the part that its search tree does without is swapped with any edge
 * of the first. There is such an edge, as all switches have two neighbours or more; without it the part holds together.
 * The first may fall in two without its edge, but both halves are joined to the part. No edge between two parts was
 * there before, so the invariant stands. What was an edge of the first part is one after the swap, too.
 */
static void parts_join(struct random_graph *g)
{
	uint32_t parts = parts_mark(g), first_edges = 0, *is_joined = g->queue;

	if (parts == 1)
		return;
	memset(is_joined, 0, parts * sizeof(*is_joined));
	for (uint32_t i = 0; i < g->edge_count; i++)
		if (g->part[g->edges[i][0]] == 0)
			g->first_edges[first_edges++] = i;
	for (uint32_t i = 0; i < g->edge_count; i++) {
		uint32_t a = g->edges[i][0], b = g->edges[i][1], part = g->part[a];

		if (part == 0 || part != g->part[b] || is_joined[part] || g->parent[a] == b || g->parent[b] == a)
			continue;
		is_joined[part] = 1;
		edges_swap(g, g->first_edges[ft_chance_below(&g->chance, first_edges)], i, false);
	}
}

static int graph_add(const struct random_graph *g, struct ft_network *network)
{
	int digits = ft_digits_below(g->switches), r = 0;
	char name[32];

	for (uint32_t i = 0; r == 0 && i < g->switches; i++) {
		snprintf(name, sizeof(name), "sw-%0*u", digits, i);
		r = ft_network_switch(network, strdup(name), "switch", FT_NONE, true);
	}
	for (uint32_t i = 0; r == 0 && i < g->edge_count; i++)
		r = ft_network_link(network, g->edges[i][0], g->edges[i][1], 1);
	return r;
}

static int build_random(const struct ft_layout *layout, struct ft_network *network)
{
	_cleanup_(random_graph_release) struct random_graph g = {0};
	int r = random_graph_make(layout, &g);

	if (r < 0)
		return r;
	ring_fill(&g);
	edges_mix(&g);
	parts_join(&g);
	return graph_add(&g, network);
}

static void label_random(struct ft_text *text, const struct ft_layout *layout)
{
	if (layout->called)
		ft_text_puts(text, "1");
	else
		ft_text_printf(text, "n=%u d=%u seed=%u", layout->switches, layout->keys.degree, layout->keys.seed);
}

static const char *const keys_of_random[] = {"degree", "seed", NULL};

const struct ft_family ft_family_random = {
	.name = "random",
	.keys = keys_of_random,
	.about = "a random network",
	.propose = propose_random,
	.build = build_random,
	.label = label_random,
};
