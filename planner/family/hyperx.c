/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * HyperX, or flattened butterfly: switches with coordinates, of which any two are neighbours that differ in just one.
 * All of a line along a dimension are cabled to each other.
 *
 * Sources: J. Ahn et al., "HyperX: Topology, Routing, and Packaging of Efficient Large-Scale Networks", SC09; J. Kim et
 * al., "Flattened Butterfly: A Cost-Efficient Topology for High-Radix Networks", ISCA 2007.
 *
 * What an operator does not say:
 *
 * "dims": the sizes are as equal as can be, the last are larger. For each number of dimensions from 1 to 4, or for the
 * number that is said, the fewest switches are tried that have room for the nodes; the objective chooses among these.
 * A network that has been chosen so keeps the blocking factor: a switch has at most so many hosts a cable to others,
 * as an edge switch of a tree. Otherwise two switches full of hosts with a single cable between them would always win.
 *
 * Hosts, where the dimensions are said: all ports that the cables leave, as of a torus with "bundle"; but a blocking
 * factor that is said is kept.
 *
 * "bundle": one cable, as in the papers; but where a blocking factor is to be kept and these are too few cables for the
 * nodes, one after the other is added along the dimension whose halves are joined by the fewest (K S of the paper); and
 * where "ports_to_core" of "edge" says how many ports are for cables, as many as there is room for.
 *
 * Ports of a switch: hosts first; then for each dimension a block of cables to each neighbour, in the order of these.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/numbers.h"
#include "base/text.h"
#include "planner/family/families.h"
#include "planner/family/grid.h"
#include "planner/family/recognise.h"
#include "planner/family/rules.h"

enum { DIMENSIONS_TRIED = 4 };

/* ---- proposing ---- */

/* What is tried, and the largest network that has too little room. */
struct trial {
	struct ft_proposal *proposal;
	bool keep_blocking;
	uint32_t hosts_most; /* of a switch, however many cables it has */
	bool thorough;	     /* also tries what has too little room for sure, to say which is the largest */
	bool done;	     /* a layout is offered: more switches or more cables are of no use */
	bool offered;	     /* one is, of any number of dimensions */
	struct ft_layout largest;
};

/* Switches, ports and cables by dims and bundles. False: they are too many. */
static bool layout_size(struct ft_layout *layout)
{
	uint64_t switches = 1;

	layout->net_ports = layout->diameter = 0;
	for (uint32_t i = 0; i < layout->keys.dim_count; i++) {
		switches *= layout->keys.dims[i];
		if (switches > FT_SWITCHES_MAX)
			return false;
		layout->net_ports += layout->keys.bundles[i] * (layout->keys.dims[i] - 1);
		layout->diameter += layout->keys.dims[i] > 1;
	}
	layout->switches = layout->hosting = (uint32_t)switches;
	layout->cables = switches * layout->net_ports / 2;
	return true;
}

/* Hosts on a switch that "edge" does not pin; 0: it has no port for any. */
static uint32_t hosts_usual(const struct trial *t, const struct ft_layout *layout)
{
	const struct ft_design *design = t->proposal->design;
	const struct ft_design_role *edge = &design->roles[FT_TIER_EDGE];
	uint32_t net = layout->net_ports, ports = t->proposal->ports;
	int64_t hosts;

	if (ft_pinned(edge->ports_to_nodes))
		return edge->ports_to_nodes;
	if (ft_pinned(edge->ports_to_core))
		return ports - ft_number_least(edge->ports_to_core, ports);
	if (net >= ports)
		return 0;
	hosts = (int64_t)net * design->blocking.num / design->blocking.den;
	return t->keep_blocking && net > 0 && hosts < ports - net ? (uint32_t)hosts : ports - net;
}

/* Whether there is room for the nodes; the search comes by here often, and needs no reason. */
static bool room_is_enough(struct trial *t, const struct ft_layout *layout, uint32_t hosts)
{
	uint64_t room = (uint64_t)layout->switches * hosts;

	if (room >= t->proposal->design->nodes)
		return true;
	if (room > t->largest.room) {
		t->largest = *layout;
		t->largest.hosts_each = hosts;
		t->largest.room = room;
	}
	return false;
}

/* Whether the ports of a switch suffice; if not, the first such network says why nothing fits. */
static int ports_suffice(const struct trial *t, const struct ft_layout *layout, uint32_t hosts)
{
	struct ft_proposal *proposal = t->proposal;
	uint32_t to_core = proposal->design->roles[FT_TIER_EDGE].ports_to_core;
	bool too_many = ft_pinned(to_core) && layout->net_ports > to_core;
	struct ft_layout first = *layout;

	if (!too_many && layout->net_ports < proposal->ports && hosts <= proposal->ports - layout->net_ports)
		return 1;
	if (proposal->reason.text[0])
		return 0;
	if (!too_many)
		return ft_proposal_settle(proposal, &first, hosts);
	return ft_proposal_unfit(proposal, "edge", "ports_to_core",
				 "each switch needs %u ports to other switches, and edge.ports_to_core is %u",
				 layout->net_ports, to_core);
}

/* Offers the layout of dims and bundles. Returns 1 if it fits its ports, else 0. */
static int offer_one(struct trial *t, struct ft_layout *layout)
{
	uint32_t hosts = hosts_usual(t, layout);
	int r = ports_suffice(t, layout, hosts);

	if (r <= 0)
		return r;
	if (hosts > 0 && !room_is_enough(t, layout, hosts))
		return 1;
	layout->room = 0;
	r = ft_proposal_settle(t->proposal, layout, hosts);
	if (r > 0) {
		t->done = t->offered = true;
		r = t->proposal->offer(t->proposal, layout);
	}
	return r < 0 ? r : 1;
}

static void bundles_said(struct ft_layout *layout, const struct ft_family_keys *said)
{
	layout->keys.bundle_count = layout->keys.dim_count;
	for (uint32_t i = 0; i < layout->keys.dim_count; i++)
		layout->keys.bundles[i] = said->bundle_count == 0 ? 1 : said->bundles[said->bundle_count == 1 ? 0 : i];
}

/* One cable more along the dimension whose halves are joined by the fewest. False: there is no dimension. */
static bool bundles_raise(struct ft_layout *layout)
{
	uint32_t best = layout->keys.dim_count;
	const uint32_t *dims = layout->keys.dims, *bundles = layout->keys.bundles;

	for (uint32_t i = 0; i < layout->keys.dim_count; i++)
		if (dims[i] > 1 &&
		    (best == layout->keys.dim_count || bundles[i] * dims[i] < bundles[best] * dims[best]))
			best = i;
	if (best == layout->keys.dim_count)
		return false;
	layout->keys.bundles[best]++;
	return true;
}

/* As many cables as the design has ports for them, if it says how many. */
static void bundles_fill(const struct trial *t, struct ft_layout *layout)
{
	uint32_t to_core = t->proposal->design->roles[FT_TIER_EDGE].ports_to_core;
	struct ft_layout more = *layout;

	while (ft_pinned(to_core) && bundles_raise(&more) && layout_size(&more) && more.net_ports <= to_core)
		*layout = more;
}

/* Whether more cables may give the layout room enough, or are asked for. */
static bool more_cables_may_do(const struct trial *t, const struct ft_layout *layout)
{
	const struct ft_design *design = t->proposal->design;

	return !t->done && t->keep_blocking && design->keys.bundle_count == 0 &&
	       (t->thorough || (uint64_t)layout->switches * t->hosts_most >= design->nodes);
}

/*
 * Offers the layout of dims, with the fewest cables that suffice. False in @ret_fits: with one cable each, there is no
 * port for any host.
 */
static int offer_dims(struct trial *t, struct ft_layout *layout, bool *ret_fits)
{
	const struct ft_family_keys *said = &t->proposal->design->keys;
	int r;

	*ret_fits = false;
	bundles_said(layout, said);
	if (!layout_size(layout))
		return 0;
	if (said->bundle_count == 0)
		bundles_fill(t, layout);
	r = offer_one(t, layout);
	*ret_fits = r > 0;
	while (r > 0 && more_cables_may_do(t, layout) && bundles_raise(layout)) {
		layout_size(layout);
		r = offer_one(t, layout);
	}
	return r < 0 ? r : 0;
}

/* The @count as a product of @d numbers of at least @least, the smallest of them as large as can be. */
static bool factors_find(uint32_t count, uint32_t d, uint32_t least, uint32_t *dims)
{
	uint32_t most = 1;

	if (d == 1) {
		*dims = count;
		return count >= least;
	}
	for (uint64_t power = 1; power <= count; most++) {
		power = 1;
		for (uint32_t i = 0; i < d && power <= count; i++)
			power *= most + 1;
	}
	for (uint32_t size = most - 1; size >= least; size--)
		if (count % size == 0 && factors_find(count / size, d - 1, size, dims + 1)) {
			*dims = size;
			return true;
		}
	return false;
}

/* Of @d dimensions, the fewest switches that suffice; or as many as "edge" pins. */
static int offer_dimensions(struct trial *t, uint32_t d)
{
	const struct ft_design *design = t->proposal->design;
	struct ft_layout layout = {.family = design->family, .keys.dim_count = d};
	uint32_t count = design->roles[FT_TIER_EDGE].count;
	bool fits = true;
	int r = 0;

	t->done = false;
	if (ft_pinned(count))
		return factors_find(count, d, 2, layout.keys.dims) ? offer_dims(t, &layout, &fits) : 0;
	/* By the sum of the sizes, these are all that are as equal as can be. */
	for (uint32_t sum = 2 * d; r == 0 && fits && !t->done; sum++) {
		for (uint32_t i = 0; i < d; i++)
			layout.keys.dims[i] = sum / d + (i >= d - sum % d);
		r = offer_dims(t, &layout, &fits);
	}
	return r;
}

static int propose_said(struct trial *t)
{
	const struct ft_family_keys *said = &t->proposal->design->keys;
	struct ft_layout layout = {.family = t->proposal->design->family, .keys.dim_count = said->dim_count};
	bool fits;

	memcpy(layout.keys.dims, said->dims, sizeof(said->dims));
	bundles_said(&layout, said);
	if (!layout_size(&layout))
		return ft_proposal_refuse(t->proposal, NULL, "dims", "dims make more than %d switches",
					  FT_SWITCHES_MAX);
	return offer_dims(t, &layout, &fits);
}

static int propose_chosen(struct trial *t)
{
	const struct ft_family_keys *said = &t->proposal->design->keys;
	uint32_t d = said->dimensions;
	int r = 0;

	if (t->proposal->design->nodes == 0)
		return ft_proposal_refuse(t->proposal, NULL, NULL,
					  "\"nodes\" is missing: how many host ports to connect; or \"dims\"");
	if (!ft_pinned(d) && said->bundle_count == 0) {
		r = ft_proposal_star(t->proposal);
		t->offered |= r > 0;
		if (r != 0)
			return r < 0 ? r : 0;
	}
	if (!ft_pinned(d) && said->bundle_count > 1)
		d = said->bundle_count;
	if (ft_pinned(d))
		return offer_dimensions(t, d);
	for (d = 1; r == 0 && d <= DIMENSIONS_TRIED; d++)
		r = offer_dimensions(t, d);
	return r;
}

static int keys_check(struct ft_proposal *proposal)
{
	const struct ft_family_keys *said = &proposal->design->keys;
	uint32_t d = said->dim_count > 0 ? said->dim_count : said->dimensions;

	if (said->bundle_count > 1 && ft_pinned(d) && said->bundle_count != d)
		return ft_proposal_refuse(proposal, NULL, "bundle",
					  "bundle has %u numbers, but there are %u dimensions", said->bundle_count, d);
	return 0;
}

static void reason_of_largest(const struct trial *t)
{
	_cleanup_(ft_text_release) struct ft_text label = {0};
	const struct ft_layout *layout = &t->largest;

	ft_grid_label(&label, layout);
	ft_proposal_unfit(t->proposal, NULL, "nodes",
			  "the largest HyperX that fits is %s: %u switches with %u host%s each are for %" PRIu64
			  " nodes, and nodes is %u",
			  ft_text_string(&label), layout->switches, layout->hosts_each, ft_text_s(layout->hosts_each),
			  layout->room, t->proposal->design->nodes);
}

static int propose_hyperx(struct ft_proposal *proposal)
{
	const struct ft_design *design = proposal->design;
	bool said = design->keys.dim_count > 0;
	struct trial t = {.proposal = proposal, .keep_blocking = !said || design->blocking_given};
	uint32_t unused;
	int r = keys_check(proposal);

	ft_proposal_split(proposal, &t.hosts_most, &unused);
	if (r == 0)
		r = said ? propose_said(&t) : propose_chosen(&t);
	t.thorough = true;
	if (r == 0 && !t.offered)
		r = said ? propose_said(&t) : propose_chosen(&t);
	if (r == 0 && !t.offered && t.largest.room > 0)
		reason_of_largest(&t);
	return r;
}

/* ---- building ---- */

/* The cables of switch @index to those behind it along each dimension. */
static int links_up(const struct ft_layout *layout, struct ft_network *network, uint32_t index, const uint32_t *at)
{
	uint32_t stride = layout->switches, port = layout->hosts_each + 1;
	int r = 0;

	for (uint32_t i = 0; i < layout->keys.dim_count; i++) {
		uint32_t size = layout->keys.dims[i], bundle = layout->keys.bundles[i];

		stride /= size;
		/* A switch has no block for itself: its neighbours behind it are one block earlier. */
		for (uint32_t far = at[i] + 1; r == 0 && far < size; far++)
			r = ft_network_link_at(network, index, port + (far - 1) * bundle,
					       index + (far - at[i]) * stride, port + at[i] * bundle, bundle);
		port += (size - 1) * bundle;
	}
	return r;
}

static int build_hyperx(const struct ft_layout *layout, struct ft_network *network)
{
	return ft_grid_build(layout, network, links_up);
}

/* ---- recognising ---- */

static uint32_t neighbours_along(uint32_t size)
{
	return size - 1;
}

static int recognise_hyperx(const struct ft_sketch *sketch)
{
	struct ft_grid_guess guess = {
		.sketch = sketch,
		.family = &ft_family_hyperx,
		.neighbours = sketch->degree,
		.neighbours_along = neighbours_along,
	};

	return ft_grid_recognise(&guess);
}

static uint64_t bisection_of_hyperx(const struct ft_layout *layout)
{
	return ft_grid_bisection(layout, ft_line_cut_complete);
}

static const char *const keys_of_hyperx[] = {"dims", "dimensions", "bundle", NULL};

const struct ft_family ft_family_hyperx = {
	.name = "hyperx",
	.keys = keys_of_hyperx,
	.about = "a HyperX",
	.propose = propose_hyperx,
	.build = build_hyperx,
	.label = ft_grid_label,
	.recognise = recognise_hyperx,
	.bisection = bisection_of_hyperx,
	.symmetric = true,
};
