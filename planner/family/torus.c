/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Grids of switches, in which each is cabled to the next ones along every dimension: the torus, whose dimensions are
 * rings; the mesh, whose dimensions are lines; the hypercube, a mesh of sides 2; the ring, a torus of one dimension.
 *
 * Sources: K. Solnushkin, "Torus Network Design" (the number of dimensions, their sizes, and how cables are divided);
 * J. Navaridas, J. Miguel-Alonso, "Indirect cube", for dimensions of size 2, in which both directions lead to the same
 * neighbour: twice the cables.
 *
 * Where the blocking factor leaves a switch of a torus an odd number of ports to neighbours, cables in both directions
 * leave one port over. Pairs of neighbours share one more cable there: along the first dimension, then, of the switches
 * at the end of a ring of odd size, along the next one, and so on. All switches but one at most are in a pair, so that
 * there are floor(S * Eptc / 2) cables between S switches, as in the source. Such a network has no symmetry.
 *
 * Ports of a switch: hosts first; then for each dimension a block of cables upwards and one downwards. With an odd
 * port: in the order of the switches that they lead to.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/numbers.h"
#include "base/text.h"
#include "planner/family/families.h"
#include "planner/family/grid.h"
#include "planner/family/recognise.h"
#include "planner/family/rules.h"

static bool is_ring(const struct ft_layout *layout)
{
	return layout->family == &ft_family_torus || layout->family == &ft_family_ring;
}

/* Blocks of cables that a switch has along dimension @i: upwards and downwards; one where there is one neighbour. */
static uint32_t blocks_along(const struct ft_layout *layout, uint32_t i)
{
	uint32_t size = layout->keys.dims[i];

	if (size < 2)
		return 0;
	return size == 2 && !is_ring(layout) ? 1 : 2;
}

/* Cables between neighbours along dimension @i, counted in blocks: the ends of a line have none beyond. */
static uint64_t steps_along(const struct ft_layout *layout, uint32_t i)
{
	uint32_t size = layout->keys.dims[i];

	if (size < 2)
		return 0;
	return (uint64_t)layout->switches / size * (is_ring(layout) ? size : size - 1);
}

/* ---- proposing ---- */

/* The largest number whose @power-th power is at most @value. */
static uint32_t root_below(uint64_t value, uint32_t power)
{
	uint32_t root = 1;

	for (;; root++) {
		uint64_t product = 1;

		for (uint32_t i = 0; i < power && product <= value; i++)
			product *= root + 1;
		if (product > value)
			return root;
	}
}

static uint64_t power_of(uint64_t base, uint32_t exponent)
{
	uint64_t power = 1;

	while (exponent-- > 0)
		power *= base;
	return power;
}

/* round(value ^ (1 / power)): up if value is at least (root + 1/2) ^ power. */
static uint32_t root_nearest(uint64_t value, uint32_t power)
{
	uint32_t root = root_below(value, power);

	/* Twice both sides: whole numbers. No root of a number of switches is large enough to overflow. */
	return power_of(2ULL * root + 1, power) <= value * power_of(2, power) ? root + 1 : root;
}

/* How many dimensions for so many switches. */
static uint32_t dimensions_for(uint32_t switches)
{
	static const uint32_t most[] = {3, 36, 125, 2401};
	uint32_t d = 0;

	while (d < FT_COUNT(most) && switches > most[d])
		d++;
	return d + 1;
}

static void dims_choose(struct ft_layout *layout, uint32_t switches, uint32_t dimensions)
{
	uint32_t side = root_nearest(switches, dimensions);
	uint64_t slab = power_of(side, dimensions - 1);

	layout->keys.dim_count = dimensions;
	for (uint32_t i = 0; i + 1 < dimensions; i++)
		layout->keys.dims[i] = side;
	layout->keys.dims[dimensions - 1] = (uint32_t)((switches + slab - 1) / slab);
}

/*
 * Cables of each block: as the design says; else half the ports to neighbours are divided over the dimensions as evenly
 * as can be, and the first get more. A hypercube has but one block a dimension, and divides all of them. False: some
 * dimension gets none.
 */
static bool bundles_settle(struct ft_layout *layout, const struct ft_family_keys *said, uint32_t net)
{
	uint32_t share = layout->family == &ft_family_hypercube ? net : net / 2, active = 0, seen = 0;

	for (uint32_t i = 0; i < layout->keys.dim_count; i++)
		active += layout->keys.dims[i] > 1;
	for (uint32_t i = 0; i < layout->keys.dim_count; i++) {
		uint32_t *bundle = &layout->keys.bundles[i];

		if (said->bundle_count > 0)
			*bundle = said->bundles[said->bundle_count == 1 ? 0 : i];
		else if (layout->keys.dims[i] > 1)
			*bundle = share / active + (seen++ < share % active);
		else
			*bundle = 0;
		if (*bundle == 0 && layout->keys.dims[i] > 1)
			return false;
	}
	layout->keys.bundle_count = layout->keys.dim_count;
	return true;
}

/*
 * Whether an odd port to neighbours has a cable: where the blocking factor or "ports_to_core" asks for it. Where hosts
 * or bundles are pinned, the network is as it was built, and that is nearly always even.
 */
static bool odd_port_is_used(const struct ft_proposal *proposal, const struct ft_layout *layout, uint32_t net)
{
	const struct ft_design_role *edge = &proposal->design->roles[FT_TIER_EDGE];

	return is_ring(layout) && layout->switches > 1 && proposal->design->keys.bundle_count == 0 && net % 2 == 1 &&
	       layout->net_ports + 1 == net && (ft_pinned(edge->ports_to_core) || !ft_pinned(edge->ports_to_nodes));
}

/* Everything but the dimensions, which are settled. */
static int offer_grid(struct ft_proposal *proposal, struct ft_layout *layout, uint32_t hosts, uint32_t net)
{
	const struct ft_family_keys *said = &proposal->design->keys;
	const struct ft_design_role *edge = &proposal->design->roles[FT_TIER_EDGE];
	uint64_t switches = 1;
	int r;

	for (uint32_t i = 0; i < layout->keys.dim_count; i++) {
		switches *= layout->keys.dims[i];
		if (switches > FT_SWITCHES_MAX)
			return ft_proposal_too_many(proposal);
	}
	if (said->bundle_count > 1 && said->bundle_count != layout->keys.dim_count)
		return ft_proposal_refuse(proposal, NULL, "bundle",
					  "bundle has %u number%s, but there %s %u dimension%s", said->bundle_count,
					  ft_text_s(said->bundle_count), layout->keys.dim_count == 1 ? "is" : "are",
					  layout->keys.dim_count, ft_text_s(layout->keys.dim_count));
	layout->switches = layout->hosting = (uint32_t)switches;
	if (!bundles_settle(layout, said, net))
		return ft_proposal_unfit(proposal, "edge", ft_pinned(edge->ports_to_nodes) ? "ports_to_nodes" : "ports",
					 "each switch has %u port%s to other switches, too few for %u dimension%s", net,
					 ft_text_s(net), layout->keys.dim_count, ft_text_s(layout->keys.dim_count));
	for (uint32_t i = 0; i < layout->keys.dim_count; i++) {
		layout->net_ports += blocks_along(layout, i) * layout->keys.bundles[i];
		layout->cables += steps_along(layout, i) * layout->keys.bundles[i];
	}
	if (odd_port_is_used(proposal, layout, net)) {
		layout->keys.odd_port = true;
		layout->net_ports++;
		layout->cables += layout->switches / 2;
	}
	for (uint32_t i = 0; i < layout->keys.dim_count; i++)
		layout->diameter += is_ring(layout) ? layout->keys.dims[i] / 2 : layout->keys.dims[i] - 1;
	if (layout->family == &ft_family_torus && layout->keys.dim_count == 1)
		layout->called = "ring";
	/* Where the cables are given, all ports that they leave are for hosts. */
	r = ft_proposal_settle(proposal, layout, said->bundle_count > 0 ? FT_NONE : hosts);
	return r <= 0 ? r : proposal->offer(proposal, layout);
}

/* The number of switches where dimensions are not given: as said, or as many as the hosts need. */
static uint32_t switches_wanted(const struct ft_proposal *proposal, uint32_t hosts)
{
	const struct ft_design *design = proposal->design;
	uint32_t count = design->roles[FT_TIER_EDGE].count;

	return count != FT_NONE ? count : (design->nodes + hosts - 1) / hosts;
}

/* What all of them begin with; returns false if the switch has no port for hosts or for neighbours. */
static bool layout_begin(struct ft_proposal *proposal, struct ft_layout *layout, uint32_t *ret_hosts, uint32_t *ret_net)
{
	*layout = (struct ft_layout){.family = proposal->design->family};
	ft_proposal_split(proposal, ret_hosts, ret_net);
	return *ret_hosts > 0;
}

/* True if nothing says how many switches there are. */
static bool size_is_missing(const struct ft_proposal *proposal)
{
	return proposal->design->nodes == 0 && !ft_pinned(proposal->design->roles[FT_TIER_EDGE].count);
}

static void dims_take(struct ft_layout *layout, const struct ft_family_keys *said)
{
	layout->keys.dim_count = said->dim_count;
	memcpy(layout->keys.dims, said->dims, sizeof(said->dims));
}

/* Of dimensions that are given by their number, or by the rule for so many switches. */
static int propose_grid(struct ft_proposal *proposal)
{
	const struct ft_family_keys *said = &proposal->design->keys;
	uint32_t hosts, net, switches;
	struct ft_layout layout;
	int r;

	if (!layout_begin(proposal, &layout, &hosts, &net))
		return 0;
	if (said->dim_count > 0) {
		dims_take(&layout, said);
		return offer_grid(proposal, &layout, hosts, net);
	}
	if (size_is_missing(proposal))
		return ft_proposal_refuse(proposal, NULL, NULL,
					  "\"nodes\" is missing: how many host ports to connect; or \"dims\"");
	if (said->dimensions == FT_NONE && said->bundle_count == 0) {
		r = ft_proposal_star(proposal);
		if (r != 0)
			return r < 0 ? r : 0;
	}
	switches = switches_wanted(proposal, hosts);
	dims_choose(&layout, switches, said->dimensions == FT_NONE ? dimensions_for(switches) : said->dimensions);
	return offer_grid(proposal, &layout, hosts, net);
}

static int propose_ring(struct ft_proposal *proposal)
{
	struct ft_layout layout;
	uint32_t hosts, net;

	if (!layout_begin(proposal, &layout, &hosts, &net))
		return 0;
	if (size_is_missing(proposal))
		return ft_proposal_refuse(proposal, NULL, NULL,
					  "\"nodes\" is missing: how many host ports to connect; or \"count\" of "
					  "\"edge\": how many switches");
	dims_choose(&layout, switches_wanted(proposal, hosts), 1);
	return offer_grid(proposal, &layout, hosts, net);
}

static int propose_hypercube(struct ft_proposal *proposal)
{
	uint32_t dimensions = proposal->design->keys.dimensions, hosts, net;
	struct ft_layout layout;

	if (!layout_begin(proposal, &layout, &hosts, &net))
		return 0;
	if (dimensions == FT_NONE && size_is_missing(proposal))
		return ft_proposal_refuse(proposal, NULL, NULL,
					  "\"nodes\" is missing: how many host ports to connect; or \"dimensions\"");
	if (dimensions == FT_NONE)
		for (dimensions = 1; dimensions < FT_DIMENSIONS_MAX; dimensions++)
			if (1U << dimensions >= switches_wanted(proposal, hosts))
				break;
	layout.keys.dim_count = dimensions;
	for (uint32_t i = 0; i < dimensions; i++)
		layout.keys.dims[i] = 2;
	return offer_grid(proposal, &layout, hosts, net);
}

/* ---- building ---- */

/* The cables of switch @index upwards along each dimension. */
static int links_up(const struct ft_layout *layout, struct ft_network *network, uint32_t index, const uint32_t *at)
{
	uint32_t stride = layout->switches, port = layout->hosts_each + 1;

	for (uint32_t i = 0; i < layout->keys.dim_count; i++) {
		uint32_t size = layout->keys.dims[i], bundle = layout->keys.bundles[i];
		uint32_t blocks = blocks_along(layout, i), next;
		int r = 0;

		stride /= size;
		next = at[i] + 1 < size ? index + stride : index - (size - 1) * stride;
		/* Upwards here is downwards there; in a line of two both have but one block. */
		if (blocks > 0 && (at[i] + 1 < size || is_ring(layout)))
			r = ft_network_link_at(network, index, port, next, port + (blocks - 1) * bundle, bundle);
		if (r < 0)
			return r;
		port += blocks * bundle;
	}
	return 0;
}

/* The same of a torus with an odd port: one cable more to the neighbour that a switch shares it with. */
static int links_up_odd(const struct ft_layout *layout, struct ft_network *network, uint32_t index, const uint32_t *at)
{
	uint32_t stride = layout->switches;
	bool alone = true;

	for (uint32_t i = 0; i < layout->keys.dim_count; i++) {
		uint32_t size = layout->keys.dims[i], bundle = layout->keys.bundles[i];
		bool in_pair = alone && (at[i] % 2 == 1 || at[i] + 1 < size);
		int r;

		stride /= size;
		if (size < 2)
			continue;
		r = ft_network_link(network, index, at[i] + 1 < size ? index + stride : index - (size - 1) * stride,
				    bundle + (in_pair && at[i] % 2 == 0));
		if (r < 0)
			return r;
		alone = alone && !in_pair;
	}
	return 0;
}

static int build_grid(const struct ft_layout *layout, struct ft_network *network)
{
	return ft_grid_build(layout, network, layout->keys.odd_port ? links_up_odd : links_up);
}

/* ---- recognising ---- */

static uint32_t neighbours_along(uint32_t size)
{
	return size == 2 ? 1 : 2;
}

/* A torus of one dimension: but for missing cables, each switch has two neighbours, and all bundles are of one width.
 */
static int recognise_ring(const struct ft_sketch *sketch)
{
	struct ft_family_keys keys;

	if (sketch->degree != 2 || sketch->width_count != 1)
		return 0;
	ft_family_keys_init(&keys);
	keys.bundles[0] = sketch->widths[0];
	keys.bundle_count = 1;
	return sketch->offer(sketch, &ft_family_ring, &keys);
}

/*
 * Of a torus all switches have as many neighbours, but for missing cables. That of one dimension is a ring. With an odd
 * number of cables at each some pairs of neighbours share one more, which makes a second width.
 */
static int recognise_torus(const struct ft_sketch *sketch)
{
	struct ft_grid_guess guess = {
		.sketch = sketch,
		.family = &ft_family_torus,
		.neighbours = sketch->degree,
		.neighbours_along = neighbours_along,
		.pairs_double = true,
	};
	int r = sketch->degree == 2 ? 0 : ft_grid_recognise(&guess);

	if (r < 0 || sketch->degree == 2 || sketch->width_count < 2)
		return r;
	guess.odd_port = true;
	return ft_grid_recognise(&guess);
}

/* Few switches are inside of a small mesh, and each of them may lack a cable. */
static int recognise_mesh(const struct ft_sketch *sketch)
{
	int r = 0;

	for (uint32_t lacks = 0; r == 0 && lacks <= 1; lacks++) {
		struct ft_grid_guess guess = {
			.sketch = sketch,
			.family = &ft_family_mesh,
			.neighbours = sketch->degree_max + lacks,
			.neighbours_along = neighbours_along,
		};

		r = ft_grid_recognise(&guess);
	}
	return r;
}

/*
 * Offers all ways to give the remaining dimensions widths from @width on, whose order does not matter. @cables: those
 * of one switch in the dimensions before.
 */
static int offer_hypercubes(const struct ft_sketch *sketch, struct ft_family_keys *keys, uint32_t width,
			    uint32_t cables)
{
	/* Cables that are missing, or one too many, do not hide the number of a dimension's. */
	const uint32_t half = sketch->switches / 2;
	int r = 0;

	if (keys->bundle_count == keys->dimensions)
		return (uint64_t)cables * half < sketch->cables + half &&
				       (uint64_t)cables * half + half > sketch->cables
			       ? sketch->offer(sketch, &ft_family_hypercube, keys)
			       : 0;
	for (uint32_t i = width; r == 0 && i < sketch->width_count; i++) {
		keys->bundles[keys->bundle_count++] = sketch->widths[i];
		r = offer_hypercubes(sketch, keys, i, cables + sketch->widths[i]);
		keys->bundle_count--;
	}
	return r;
}

/* Dimensions may have bundles of their own: enclosures whose low dimensions are doubled. */
static int recognise_hypercube(const struct ft_sketch *sketch)
{
	struct ft_family_keys keys;

	if (sketch->degree >= FT_DIMENSIONS_MAX || sketch->switches != 1U << sketch->degree)
		return 0;
	ft_family_keys_init(&keys);
	keys.dimensions = sketch->degree;
	keys.bundles[0] = sketch->widths[0];
	keys.bundle_count = 1;
	if (sketch->width_count == 1)
		return sketch->offer(sketch, &ft_family_hypercube, &keys);
	keys.bundle_count = 0;
	return offer_hypercubes(sketch, &keys, 0, 0);
}

/* ---- figures ---- */

static uint64_t bisection_of_grid(const struct ft_layout *layout)
{
	return layout->keys.odd_port ? FT_BISECTION_UNKNOWN
				     : ft_grid_bisection(layout, is_ring(layout) ? ft_line_cut_ring : ft_line_cut_path);
}

static const char *const keys_of_grids[] = {"dims", "dimensions", "bundle", NULL};
static const char *const keys_of_hypercubes[] = {"dimensions", "bundle", NULL};
static const char *const keys_of_rings[] = {"bundle", NULL};

const struct ft_family ft_family_torus = {
	.name = "torus",
	.keys = keys_of_grids,
	.about = "a torus",
	.propose = propose_grid,
	.build = build_grid,
	.label = ft_grid_label,
	.recognise = recognise_torus,
	.bisection = bisection_of_grid,
	.symmetric = true,
};
const struct ft_family ft_family_mesh = {
	.name = "mesh",
	.keys = keys_of_grids,
	.about = "a mesh",
	.propose = propose_grid,
	.build = build_grid,
	.label = ft_grid_label,
	.recognise = recognise_mesh,
	.bisection = bisection_of_grid,
};
const struct ft_family ft_family_hypercube = {
	.name = "hypercube",
	.keys = keys_of_hypercubes,
	.about = "a hypercube",
	.propose = propose_hypercube,
	.build = build_grid,
	.label = ft_grid_label,
	.recognise = recognise_hypercube,
	.bisection = bisection_of_grid,
	.symmetric = true,
};
const struct ft_family ft_family_ring = {
	.name = "ring",
	.keys = keys_of_rings,
	.about = "a ring",
	.counted = true,
	.propose = propose_ring,
	.build = build_grid,
	.label = ft_grid_label,
	.recognise = recognise_ring,
	.bisection = bisection_of_grid,
	.symmetric = true,
};
