/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The routing engine of OpenSM for a network that is no tree: lines of opensm.conf that choose it, and for a torus of
 * two or three dimensions the whole torus-2QoS.conf.
 *
 * Source: opensm(8), torus-2QoS(8) and torus-2QoS.conf(5) of OpenSM 3.3.23; tests/torus.sim asks OpenSM itself.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "planner/plan/wiring.h"
#include "planner/write/formats.h"

enum {
	AXES = 3,
	SEEDS = 2,	       /* the second is for when a switch of the first has failed */
	RADIX_BOTH = 4,	       /* a ring of 4 switches needs both neighbours as seeds: it is itself a loop of 4 */
	PORTGROUP_DEFAULT = 16 /* OpenSM's */
};

/* ---- what kind of grid it is ---- */

/* The dimensions of a grid that have more than one switch. */
struct grid {
	const struct ft_plan *plan;
	uint32_t size[FT_DIMENSIONS_MAX], stride[FT_DIMENSIONS_MAX], count;
	bool ring[FT_DIMENSIONS_MAX];
	bool any_ring; /* of three or more: a ring of two is no loop */
};

/* Whether a bundle leads to the next switch along one dimension: a step, or the way around a ring. */
static bool is_step(struct grid *g, const struct ft_plan_bundle *bundle)
{
	for (uint32_t i = 0; i < g->count; i++) {
		uint32_t block = g->stride[i] * g->size[i], apart = bundle->b - bundle->a;
		bool around = apart == g->stride[i] * (g->size[i] - 1);

		if (bundle->a / block != bundle->b / block || (apart != g->stride[i] && !around))
			continue;
		if (around && g->size[i] > 2)
			g->any_ring = g->ring[i] = true;
		return true;
	}
	return false;
}

/* False: it is no grid in which each switch is cabled to the next ones only. */
static bool grid_find(const struct ft_plan *plan, struct grid *ret_grid)
{
	struct grid g = {.plan = plan};
	uint64_t stride = plan->switch_count;

	for (uint32_t i = 0; i < plan->dim_count; i++) {
		if (stride % plan->dims[i] != 0)
			return false;
		stride /= plan->dims[i];
		if (plan->dims[i] < 2)
			continue;
		g.size[g.count] = plan->dims[i];
		g.stride[g.count++] = (uint32_t)stride;
	}
	if (g.count == 0 || stride != 1)
		return false;
	for (uint32_t i = 0; i < plan->bundle_count; i++)
		if (!is_step(&g, &plan->bundles[i]))
			return false;
	*ret_grid = g;
	return true;
}

static uint32_t coordinate(const struct grid *g, uint32_t index, uint32_t axis)
{
	return index / g->stride[axis] % g->size[axis];
}

/* The next switch along @axis, upwards or downwards; FT_NONE: a line ends here. */
static uint32_t neighbour(const struct grid *g, uint32_t index, uint32_t axis, bool up)
{
	uint32_t at = coordinate(g, index, axis), last = g->size[axis] - 1, stride = g->stride[axis];

	if (at == (up ? last : 0))
		return !g->ring[axis] ? FT_NONE : up ? index - last * stride : index + last * stride;
	return up ? index + stride : index - stride;
}

/* ---- torus-2QoS.conf ---- */

/* The most cables of a port group: those of a bundle, or the hosts of a switch and its own port 0. */
static uint32_t portgroup_ports(const struct ft_plan *plan)
{
	uint32_t most = PORTGROUP_DEFAULT;

	for (uint32_t i = 0; i < plan->bundle_count; i++)
		most = plan->bundles[i].count > most ? plan->bundles[i].count : most;
	for (uint32_t i = 0; i < plan->switch_count; i++) {
		uint32_t hosts = ft_plan_host_ports(plan, i) + 1;

		most = hosts > most ? hosts : most;
	}
	return most;
}

/* The switches of a seed: the common one, and its neighbours along each axis. */
struct seed {
	uint32_t origin;
	uint32_t up[AXES], down[AXES]; /* FT_NONE: not needed */
};

static bool seed_make(const struct grid *g, const uint64_t *guids, uint32_t origin, struct seed *ret_seed)
{
	struct seed seed = {.origin = origin};

	if (guids[origin] == 0)
		return false;
	for (uint32_t axis = 0; axis < g->count; axis++) {
		uint32_t up = neighbour(g, origin, axis, true), down = neighbour(g, origin, axis, false);
		bool both = g->ring[axis] && g->size[axis] == RADIX_BOTH;

		up = up != FT_NONE && guids[up] ? up : FT_NONE;
		down = down != FT_NONE && guids[down] && (both || up == FT_NONE) ? down : FT_NONE;
		if ((up == FT_NONE && down == FT_NONE) || (both && (up == FT_NONE || down == FT_NONE)))
			return false;
		seed.up[axis] = up;
		seed.down[axis] = down;
	}
	*ret_seed = seed;
	return true;
}

/* The switches of @seed in @ret_switches; returns how many. */
static uint32_t seed_switches(const struct grid *g, const struct seed *seed, uint32_t ret_switches[1 + 2 * AXES])
{
	uint32_t count = 0;

	ret_switches[count++] = seed->origin;
	for (uint32_t axis = 0; axis < g->count; axis++) {
		if (seed->up[axis] != FT_NONE)
			ret_switches[count++] = seed->up[axis];
		if (seed->down[axis] != FT_NONE)
			ret_switches[count++] = seed->down[axis];
	}
	return count;
}

static bool seeds_share(const struct grid *g, const struct seed *a, const struct seed *b)
{
	uint32_t of_a[1 + 2 * AXES], of_b[1 + 2 * AXES];
	uint32_t count_a = seed_switches(g, a, of_a), count_b = seed_switches(g, b, of_b);

	for (uint32_t i = 0; i < count_a; i++)
		for (uint32_t k = 0; k < count_b; k++)
			if (of_a[i] == of_b[k])
				return true;
	return false;
}

/* The first switch that can be a seed, and the first behind the middle that shares no switch with it. */
static uint32_t seeds_find(const struct grid *g, const uint64_t *guids, struct seed seeds[SEEDS])
{
	uint32_t count = g->plan->switch_count, first = 0, middle = 0;

	while (first < count && !seed_make(g, guids, first, &seeds[0]))
		first++;
	if (first == count)
		return 0;
	for (uint32_t axis = 0; axis < g->count; axis++)
		middle += g->size[axis] / 2 * g->stride[axis];
	for (uint32_t i = 0; i < count; i++)
		if (seed_make(g, guids, (middle + i) % count, &seeds[1]) && !seeds_share(g, &seeds[0], &seeds[1]))
			return 2;
	return 1;
}

static void add_name(struct ft_text *text, const struct ft_plan *plan, uint32_t index)
{
	ft_text_add_safe(text, plan->switches[index].name, strlen(plan->switches[index].name));
}

static void write_link(struct ft_text *text, const struct grid *g, const uint64_t *guids, const char *word,
		       uint32_t from, uint32_t to)
{
	if (to == FT_NONE)
		return;
	ft_text_printf(text, "%s 0x%016" PRIx64 " 0x%016" PRIx64 " # ", word, guids[from], guids[to]);
	add_name(text, g->plan, from);
	ft_text_puts(text, " to ");
	add_name(text, g->plan, to);
	ft_text_puts(text, "\n");
}

/* The dateline is where it is from switch 0, whichever seed is used: then path SLs do not change. */
static void write_seed(struct ft_text *text, const struct grid *g, const uint64_t *guids, const struct seed *seed)
{
	static const char *const words[AXES][3] = {
		{"xp_link", "xm_link", "x_dateline"},
		{"yp_link", "ym_link", "y_dateline"},
		{"zp_link", "zm_link", "z_dateline"},
	};

	for (uint32_t axis = 0; axis < g->count; axis++) {
		write_link(text, g, guids, words[axis][0], seed->origin, seed->up[axis]);
		write_link(text, g, guids, words[axis][1], seed->origin, seed->down[axis]);
	}
	for (uint32_t axis = 0; axis < g->count; axis++) {
		uint32_t at = coordinate(g, seed->origin, axis);

		if (at > 0)
			ft_text_printf(text, "%s -%u\n", words[axis][2], at);
	}
}

static int seed_refuse(const struct grid *g, const uint64_t *guids, struct ft_error *err)
{
	uint32_t lacking = 0;

	while (lacking < g->plan->switch_count && guids[lacking] != 0)
		lacking++;
	return ft_error_set(
		err, -EINVAL, 0, 0,
		"the GUID of \"%s\" is not known, and torus-2QoS wants those of a switch and its neighbours: "
		"give a snapshot or dump of the fabric with --from, or bind the GUIDs (bind.edge)",
		lacking < g->plan->switch_count ? g->plan->switches[lacking].name : "?");
}

static int write_torus(struct ft_text *text, const struct grid *g, const uint64_t *guids, struct ft_error *err)
{
	struct seed seeds[SEEDS];
	uint32_t count = seeds_find(g, guids, seeds);

	if (count == 0)
		return seed_refuse(g, guids, err);
	ft_text_puts(
		text,
		"# It is the file of OpenSM's engine torus-2QoS. The way around a ring is a credit loop, and this\n"
		"# engine breaks it by virtual lanes. Start OpenSM with:\n"
		"#     opensm -R torus-2QoS,no_fallback -Q --torus_config FILE\n"
		"# or write in opensm.conf:\n"
		"#     routing_engine torus-2QoS,no_fallback\n"
		"#     torus_config FILE\n"
		"#     qos TRUE\n"
		"# Give virtual lanes 0 to 3 equal weights there, and 4 to 7 likewise: see torus-2QoS(8).\n"
		"torus");
	for (uint32_t axis = 0; axis < AXES; axis++)
		ft_text_printf(text, " %u%s", axis < g->count ? g->size[axis] : 1,
			       axis < g->count && g->size[axis] > 2 && !g->ring[axis] ? "M" : "");
	ft_text_printf(text, "\nportgroup_max_ports %u\n", portgroup_ports(g->plan));
	for (uint32_t i = 0; i < count; i++) {
		if (i > 0)
			ft_text_puts(text, "# If a switch of these has failed:\nnext_seed\n");
		write_seed(text, g, guids, &seeds[i]);
	}
	return 0;
}

/* ---- the others ---- */

static void write_mesh(struct ft_text *text)
{
	ft_text_puts(
		text,
		"# Lines of opensm.conf. The engine dor crosses one dimension after the other, so that no credit loop\n"
		"# can arise: no dimension is a ring. It wants the planned ports, the same along each dimension.\n"
		"routing_engine dor,no_fallback\n");
}

static void write_single(struct ft_text *text)
{
	ft_text_puts(text, "# Lines of opensm.conf. No switch is cabled to another, so that there are no loops.\n"
			   "routing_engine minhop\n");
}

static void write_any(struct ft_text *text)
{
	ft_text_puts(text,
		     "# Lines of opensm.conf. Shortest paths in this network can form credit loops. The engine dfsssp\n"
		     "# breaks them by virtual lanes; where these do not suffice, nue finds other paths.\n"
		     "routing_engine dfsssp,nue,no_fallback\n"
		     "qos TRUE\n");
}

/* A single ring is no torus to it. */
static bool is_torus(const struct grid *g)
{
	return g->any_ring && g->count > 1 && g->count <= AXES;
}

int ft_write_opensm_engine(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan,
			   const uint64_t *guids, struct ft_error *err)
{
	struct grid g = {0};
	bool grid = grid_find(plan, &g);
	int r = 0;

	ft_text_puts(text, "# Routing of ");
	if (plan->label)
		ft_text_printf(text, "the %s %s ", plan->called, plan->label);
	ft_text_puts(text, "\"");
	ft_text_add_safe(text, design->name, strlen(design->name));
	ft_text_puts(text, "\", written by ftplan\n");
	if (grid && is_torus(&g))
		r = write_torus(text, &g, guids, err);
	else if (plan->bundle_count == 0)
		write_single(text);
	else if (grid && !g.any_ring)
		write_mesh(text);
	else
		write_any(text);
	return r == 0 && ft_text_failed(text) ? -ENOMEM : r;
}
