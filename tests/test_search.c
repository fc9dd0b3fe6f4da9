/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The planner's search: published fabrics, what every plan must hold whatever the design, the best against all that
 * there is, why nothing fits, and memory that runs out.
 */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>
#include <jansson.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "planner/write/choice.h"
#include "planner/plan/figures.h"
#include "tests/allocations.h"
#include "tests/skipped.h"
#include "planner/plan/tree.h"

/* ---- catalogs ---- */

/*
 * Small enough to be searched by hand. T1: edges of 4 and 8 ports, cores of 8 and 12, a modular one of 6 or 12; T2: one
 * of 8 that is nearly free; of U8 nothing is known.
 */
static const char shop_text[] =
	"{\"ftcheck_catalog\": 1, \"name\": \"shop\", \"cable_cost\": 1, \"switches\": ["
	"{\"model\": \"S4\", \"technology\": \"T1\", \"roles\": [\"edge\", \"star\"], \"ports\": 4, \"cost\": 10,"
	" \"power_w\": 5},"
	"{\"model\": \"S8\", \"technology\": \"T1\", \"roles\": [\"edge\", \"core\", \"star\"], \"ports\": 8,"
	" \"cost\": 30, \"power_w\": 7},"
	"{\"model\": \"S12\", \"technology\": \"T1\", \"roles\": [\"core\"], \"ports\": 12, \"cost\": 40},"
	"{\"model\": \"X8\", \"technology\": \"T2\", \"roles\": [\"core\"], \"ports\": 8, \"cost\": 1,"
	" \"power_w\": 1},"
	"{\"model\": \"U8\", \"technology\": \"T3\", \"roles\": [\"edge\", \"core\"], \"ports\": 8},"
	"{\"model\": \"Modular\", \"technology\": \"T1\", \"roles\": [\"core\"],"
	" \"chassis\": {\"cost\": 70, \"power_w\": 10}, \"line_boards\": {\"slots\": 2, \"ports\": 6, \"cost\": 20,"
	" \"power_w\": 1}, \"fabric_boards\": {\"slots\": 2, \"cost\": 15, \"power_w\": 2}}]}";

enum { MELLANOX, BLADES, LATER, SHOP, CATALOGS };
static struct ft_catalog *catalogs[CATALOGS];

static int catalogs_load(void **state)
{
	static const char *const names[] = {"mellanox-fdr-2013", "hp-blade-fdr-2013", "infiniband"};

	(void)state;
	for (size_t i = 0; i < FT_COUNT(names); i++)
		if (ft_catalog_load(names[i], &catalogs[i], NULL) < 0)
			return -1;
	return ft_catalog_read(shop_text, strlen(shop_text), &catalogs[SHOP], NULL);
}

static int catalogs_free(void **state)
{
	(void)state;
	for (size_t i = 0; i < CATALOGS; i++)
		ft_catalog_free(catalogs[i]);
	return 0;
}

/* Rounds of a random test: @usual at FT_RUNS=1000, which is the default. */
static unsigned int rounds_wanted(unsigned int usual)
{
	unsigned long runs = getenv("FT_RUNS") ? strtoul(getenv("FT_RUNS"), NULL, 0) : 1000;

	return (unsigned int)(usual * runs / 1000) + 1;
}

/* ---- designs ---- */

static struct ft_text whole_design(const char *keys)
{
	struct ft_text text = {0};

	ft_text_printf(&text, "{\"ftcheck\": 1, \"name\": \"t\", %s}", keys);
	return text;
}

static struct ft_design *design_of(const char *keys)
{
	_cleanup_(ft_text_release) struct ft_text text = whole_design(keys);
	struct ft_design *design = NULL;
	struct ft_error err = {0};

	if (ft_design_read_unplanned(text.data, text.length, &design, &err) < 0)
		fail_msg("%s: %u:%u: %s", keys, err.line, err.column, err.text);
	return design;
}

static struct ft_plan *plan_of(const char *keys, const struct ft_catalog *catalog)
{
	_cleanup_(ft_design_freep) struct ft_design *design = design_of(keys);
	struct ft_plan_blame blame = {0};
	struct ft_plan *plan = NULL;
	struct ft_error err = {0};

	if (ft_plan_make_blame(design, catalog, &plan, &err, &blame) < 0)
		fail_msg("%s: %s", keys, err.text);
	return plan;
}

/* ---- the graph of a plan, port by port ---- */

/* What is on a port. */
struct end {
	enum { FREE, HOST, SWITCH } kind;
	uint32_t sw, port;
};

struct wiring {
	size_t *offset; /* [switch_count]: of port 1 in @ends */
	struct end *ends;
};

static void wiring_release(struct wiring *w)
{
	free(w->offset);
	free(w->ends);
}

static struct end *wiring_port(const struct wiring *w, const struct ft_plan *plan, uint32_t sw, uint32_t port,
			       const char *what)
{
	if (port < 1 || port > plan->switches[sw].ports)
		fail_msg("%s: %s has %u ports, and uses port %u", what, plan->switches[sw].name,
			 plan->switches[sw].ports, port);
	return &w->ends[w->offset[sw] + port - 1];
}

static void wiring_take(struct wiring *w, const struct ft_plan *plan, uint32_t sw, uint32_t port, struct end end,
			const char *what)
{
	struct end *place = wiring_port(w, plan, sw, port, what);

	if (place->kind != FREE)
		fail_msg("%s: port %u of %s is used twice", what, port, plan->switches[sw].name);
	*place = end;
}

/* Lays every cable of the plan. Fails where a port is used twice, or is none of its switch's. */
static void wiring_make(struct wiring *w, const struct ft_plan *plan, const char *what)
{
	size_t ports = 0;

	w->offset = calloc(plan->switch_count, sizeof(*w->offset));
	assert_non_null(w->offset);
	for (uint32_t i = 0; i < plan->switch_count; i++) {
		w->offset[i] = ports;
		ports += plan->switches[i].ports;
	}
	w->ends = calloc(ports, sizeof(*w->ends));
	assert_non_null(w->ends);
	for (uint32_t i = 0; i < plan->switch_count; i++)
		for (uint32_t k = 1; k <= plan->switches[i].hosts; k++)
			wiring_take(w, plan, i, k, (struct end){HOST, 0, 0}, what);
	for (uint32_t i = 0; i < plan->bundle_count; i++) {
		const struct ft_plan_bundle *b = &plan->bundles[i];

		for (uint32_t k = 0; k < b->count; k++) {
			wiring_take(w, plan, b->a, b->a_port + k, (struct end){SWITCH, b->b, b->b_port + k}, what);
			wiring_take(w, plan, b->b, b->b_port + k, (struct end){SWITCH, b->a, b->a_port + k}, what);
		}
	}
}

/* ---- what every plan must hold ---- */

/* Cables from the switches of a tier up. */
static uint64_t cables_from(const struct ft_plan *plan, enum ft_tier tier)
{
	uint64_t cables = 0;

	for (uint32_t i = 0; i < plan->bundle_count; i++)
		if (plan->switches[plan->bundles[i].a].tier == tier)
			cables += plan->bundles[i].count;
	return cables;
}

/* The bundles of the switch that bundle @i goes up from end before the one that is returned. */
static uint32_t bundles_end(const struct ft_plan *plan, uint32_t i)
{
	uint32_t end = i;

	while (end < plan->bundle_count && plan->bundles[end].a == plan->bundles[i].a)
		end++;
	return end;
}

/* Every edge reaches every core: those of its bundles, or over the spines that they go to. */
static void check_reach(const struct ft_plan *plan, const char *what)
{
	uint32_t *first = calloc(plan->switch_count + 1UL, sizeof(*first));
	bool *reached = calloc(plan->switch_count, sizeof(*reached));

	assert_true(first && reached);
	for (uint32_t i = 0; i < plan->bundle_count; i = bundles_end(plan, i))
		first[plan->bundles[i].a] = i;
	for (uint32_t e = 0; e < plan->tree->edge_count && plan->bundle_count; e++) {
		uint32_t cores = 0;

		memset(reached, 0, plan->switch_count * sizeof(*reached));
		for (uint32_t i = first[e]; i < bundles_end(plan, first[e]); i++) {
			uint32_t upper = plan->bundles[i].b;

			reached[upper] = true;
			for (uint32_t k = first[upper]; plan->tree->levels == 3 && k < bundles_end(plan, first[upper]);
			     k++)
				reached[plan->bundles[k].b] = true;
		}
		for (uint32_t i = 0; i < plan->switch_count; i++)
			cores += reached[i] && plan->switches[i].tier == FT_TIER_CORE;
		if (cores != plan->tree->core_count)
			fail_msg("%s: %s reaches %u of %u cores", what, plan->switches[e].name, cores,
				 plan->tree->core_count);
	}
	free(first);
	free(reached);
}

/* The ports of a bundle are those that the plan's header promises: one after the other, and a place for everyone. */
static void check_ports(const struct ft_plan *plan, const struct ft_plan_bundle *b, bool first, const char *what)
{
	const struct ft_plan_switch *low = &plan->switches[b->a];
	bool edge = low->tier == FT_TIER_EDGE;
	uint32_t a_port = (edge ? plan->tree->ports_to_nodes : plan->tree->spine_ports_down) + 1;
	uint32_t b_port = (edge ? low->place : low->pod) * b->count + 1;

	if (!first)
		a_port = b[-1].a_port + b[-1].count;
	if (b->a_port != a_port || b->b_port != b_port)
		fail_msg("%s: from %s to %s at ports %u and %u, expected %u and %u", what, low->name,
			 plan->switches[b->b].name, b->a_port, b->b_port, a_port, b_port);
}

/* Bundles go one tier up, within the pod and the plane, and in order. */
static void check_tiers(const struct ft_plan *plan, const char *what)
{
	for (uint32_t i = 0; i < plan->bundle_count; i++) {
		const struct ft_plan_bundle *b = &plan->bundles[i];
		const struct ft_plan_switch *low = &plan->switches[b->a], *high = &plan->switches[b->b];
		bool spines = plan->tree->levels == 3, up = low->tier == FT_TIER_SPINE;

		if (high->tier != (spines && !up ? FT_TIER_SPINE : FT_TIER_CORE) || low->tier == FT_TIER_CORE)
			fail_msg("%s: a bundle from %s to %s", what, low->name, high->name);
		if (spines && (up ? low->plane != high->plane : low->pod != high->pod))
			fail_msg("%s: %s and %s have nothing in common", what, low->name, high->name);
		if (i && !(b->a > b[-1].a || (b->a == b[-1].a && b->b > b[-1].b)))
			fail_msg("%s: bundle %u is out of order", what, i);
		if (spines && !up && b->b_port + b->count - 1 > plan->tree->spine_ports_down)
			fail_msg("%s: a port of %s that is kept for cores goes to %s", what, high->name, low->name);
		check_ports(plan, b, i == 0 || b[-1].a != b->a, what);
	}
}

/* The bundles [@from, @to) of one switch, none thicker than @widest, as "bundles" asks. */
static void check_spread(const struct ft_design *design, const struct ft_plan *plan, uint32_t from, uint32_t to,
			 uint32_t widest, const char *what)
{
	uint32_t unit = design->spread == FT_SPREAD_MULTIPLE ? design->spread_multiple : 1;
	uint32_t most = 0, least = UINT32_MAX, between = 0;

	for (uint32_t i = from; i < to; i++) {
		uint32_t count = plan->bundles[i].count;

		if (count < 1 || count > widest)
			fail_msg("%s: a bundle of %u, B is %u", what, count, widest);
		if (i + 1 < to && count % unit)
			fail_msg("%s: a bundle of %u is no multiple of %u", what, count, unit);
		between += count > 1 && count < widest;
		/* What the last unit lacks, the last bundle lacks. */
		count = ft_number_divide_up(count, unit) * unit;
		most = count > most ? count : most;
		least = count < least ? count : least;
	}
	if (design->spread == FT_SPREAD_THICK && between > 1)
		fail_msg("%s: %u bundles are neither thick nor single", what, between);
	if (design->spread != FT_SPREAD_THICK && most - least > unit)
		fail_msg("%s: bundles from %u to %u", what, least, most);
}

static void check_bundles(const struct ft_design *design, const struct ft_plan *plan, const char *what)
{
	for (uint32_t i = 0; i < plan->bundle_count; i = bundles_end(plan, i)) {
		bool edge = plan->switches[plan->bundles[i].a].tier == FT_TIER_EDGE;
		uint32_t end = bundles_end(plan, i), cables = 0;

		check_spread(design, plan, i, end, edge ? plan->tree->bundle : plan->tree->spine_bundle, what);
		for (uint32_t k = i; k < end; k++)
			cables += plan->bundles[k].count;
		if (cables != (edge ? plan->tree->ports_to_core : plan->tree->spine_ports_up))
			fail_msg("%s: %s has %u uplinks", what, plan->switches[plan->bundles[i].a].name, cables);
	}
}

/* All nodes have a place: one edge after the other, or the same number everywhere. */
static void check_hosts(const struct ft_plan *plan, const char *what)
{
	uint32_t hosts = 0, most = 0, least = UINT32_MAX;

	for (uint32_t i = 0; i < plan->switch_count; i++) {
		uint32_t here = plan->switches[i].hosts;

		hosts += here;
		if (plan->switches[i].tier != FT_TIER_EDGE) {
			assert_int_equal(here, 0);
			continue;
		}
		if (here > plan->tree->ports_to_nodes)
			fail_msg("%s: %u nodes on %s", what, here, plan->switches[i].name);
		if (plan->tree->fill == FT_FILL_DENSE && here && i &&
		    plan->switches[i - 1].hosts < plan->tree->ports_to_nodes)
			fail_msg("%s: %s is used before the one before it is full", what, plan->switches[i].name);
		most = here > most ? here : most;
		least = here < least ? here : least;
	}
	if (plan->tree->fill == FT_FILL_UNIFORM && most - least > 1)
		fail_msg("%s: uniform, and %u to %u nodes an edge", what, least, most);
	assert_int_equal(hosts, plan->nodes);
	assert_int_equal(plan->spare_ports, plan->tree->edge_count * plan->tree->ports_to_nodes - plan->nodes);
	assert_true(plan->tree->expandable_to >= plan->nodes_max);
}

/* What shares an uplink on each switch, against what the design allows. */
static void check_blocking(const struct ft_design *design, const struct ft_plan *plan, const char *what)
{
	const struct ft_design_role *edge = &design->roles[FT_TIER_EDGE];
	const struct ft_ratio *low = &design->blocking, *high = &design->spine_blocking;
	uint32_t *down = calloc(plan->switch_count, sizeof(*down));
	bool pinned = ft_pinned(edge->ports_to_nodes) || ft_pinned(edge->ports_to_core) ||
		      (ft_pinned(design->bundle) &&
		       (ft_pinned(design->roles[FT_TIER_CORE].count) || ft_pinned(design->roles[FT_TIER_SPINE].count)));

	assert_non_null(down);
	if ((!pinned || design->blocking_given) &&
	    plan->tree->ports_to_nodes * low->den > low->num * plan->tree->ports_to_core)
		fail_msg("%s: %u over %u blocks too much", what, plan->tree->ports_to_nodes, plan->tree->ports_to_core);
	for (uint32_t i = 0; i < plan->bundle_count; i++)
		down[plan->bundles[i].b] += plan->bundles[i].count;
	for (uint32_t i = 0; i < plan->switch_count && !ft_pinned(design->roles[FT_TIER_SPINE].ports_to_core); i++)
		if (plan->switches[i].tier == FT_TIER_SPINE &&
		    down[i] * high->den > high->num * plan->tree->spine_ports_up)
			fail_msg("%s: %s blocks too much, %u over %u", what, plan->switches[i].name, down[i],
				 plan->tree->spine_ports_up);
	free(down);
}

/* The size of every pod, and how many there are. */
static void check_pods(const struct ft_design *design, const struct ft_plan *plan, const char *what)
{
	uint32_t *edges = calloc(plan->tree->pods + 1UL, sizeof(*edges)), pod = 0;

	assert_non_null(edges);
	assert_int_equal(plan->tree->spine_count, plan->tree->pods * plan->tree->pod_spines);
	assert_int_equal(plan->tree->core_count, plan->tree->pod_spines * plan->tree->plane_cores);
	for (uint32_t i = 0; i < plan->tree->edge_count; i++) {
		assert_true(plan->switches[i].pod < plan->tree->pods);
		edges[plan->switches[i].pod]++;
	}
	for (size_t i = 0; i < design->pod_size_count; i++)
		for (uint32_t k = 0; k < design->pod_sizes[i].count; k++, pod++)
			if (edges[pod] != design->pod_sizes[i].edges)
				fail_msg("%s: pod %u has %u edges", what, pod, edges[pod]);
	for (; pod < plan->tree->pods; pod++)
		if (edges[pod] > plan->tree->pod_edges ||
		    (pod + 1 < plan->tree->pods && edges[pod] != plan->tree->pod_edges))
			fail_msg("%s: pod %u has %u edges of %u", what, pod, edges[pod], plan->tree->pod_edges);
	if (ft_pinned(design->pods) && plan->tree->pods_max != design->pods)
		fail_msg("%s: %u pods", what, plan->tree->pods_max);
	free(edges);
}

static void check_pins(const struct ft_design *design, const struct ft_plan *plan, const char *what)
{
	const struct ft_design_role *edge = &design->roles[FT_TIER_EDGE], *spine = &design->roles[FT_TIER_SPINE];
	const struct {
		const char *name;
		uint32_t pinned, found;
	} rows[] = {
		{"edge.count", edge->count, plan->tree->edge_count},
		{"edge.ports", edge->ports, plan->tree->edge_ports},
		{"edge.ports_to_nodes", edge->ports_to_nodes, plan->tree->ports_to_nodes},
		{"edge.ports_to_core", edge->ports_to_core, plan->tree->ports_to_core},
		{"spine.count", spine->count, plan->tree->spine_count},
		{"spine.ports_to_core", spine->ports_to_core, plan->tree->spine_ports_up},
		{"core.count", design->roles[FT_TIER_CORE].count, plan->tree->core_count},
		{"bundle", design->bundle, plan->tree->bundle},
		{"bundle.spine", design->spine_bundle, plan->tree->spine_bundle},
	};

	for (size_t i = 0; i < FT_COUNT(rows); i++)
		if (ft_pinned(rows[i].pinned) && rows[i].pinned != rows[i].found)
			fail_msg("%s: %s is %u, pinned is %u", what, rows[i].name, rows[i].found, rows[i].pinned);
}

static void check_sound(const struct ft_design *design, const struct ft_plan *plan, const char *what)
{
	_cleanup_(wiring_release) struct wiring w = {0};

	wiring_make(&w, plan, what);
	assert_int_equal(plan->switch_count, plan->tree->edge_count + plan->tree->spine_count + plan->tree->core_count);
	assert_int_equal(plan->links, plan->nodes + cables_from(plan, FT_TIER_EDGE) + cables_from(plan, FT_TIER_SPINE));
	check_hosts(plan, what);
	check_pins(design, plan, what);
	if (plan->topology == FT_TOPOLOGY_STAR) {
		assert_int_equal(plan->switch_count, 1);
		assert_int_equal(plan->bundle_count, 0);
		return;
	}
	check_tiers(plan, what);
	check_reach(plan, what);
	check_bundles(design, plan, what);
	check_blocking(design, plan, what);
	if (plan->tree->levels == 3)
		check_pods(design, plan, what);
}

/* ---- published figures, row by row ---- */

enum { REFERENCES_MAX = 64, FIELDS_MAX = 20, LINE_SIZE = 512 };

static struct reference {
	char name[64], line[LINE_SIZE];
	CMUnitTestFunction test;
} references[REFERENCES_MAX];
static size_t reference_count;

/* One line of a CSV without quotes, split in place. Returns the number of fields. */
static size_t csv_split(char *line, char *fields[FIELDS_MAX])
{
	size_t count = 0;

	line[strcspn(line, "\r\n")] = '\0';
	while (line && count < FIELDS_MAX)
		fields[count++] = strsep(&line, ",");
	return count;
}

static void fields_of(const struct reference *reference, char line[LINE_SIZE], char *fields[FIELDS_MAX], size_t count)
{
	memcpy(line, reference->line, LINE_SIZE);
	assert_true(csv_split(line, fields) >= count);
}

static uint32_t field_count(const char *field)
{
	return (uint32_t)strtoul(field, NULL, 10);
}

static void superpod_test(void **state)
{
	enum { PORTS = 1, ENDPOINTS = 5, LEAF, SPINE, CORE, TO_NODES, TO_SPINES, TO_CORES, PUBLISHED };
	_cleanup_(ft_text_release) struct ft_text keys = {0};
	_cleanup_(ft_design_freep) struct ft_design *design = NULL;
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	char line[LINE_SIZE], *f[FIELDS_MAX];
	bool three;

	fields_of(*state, line, f, PUBLISHED);
	three = field_count(f[CORE]) > 0;
	ft_text_printf(&keys, "\"nodes\": %s, \"levels\": %d, \"edge\": {\"ports\": %s}, \"core\": {\"ports\": %s}",
		       f[ENDPOINTS], three ? 3 : 2, f[PORTS], f[PORTS]);
	if (three)
		ft_text_printf(&keys, ", \"spine\": {\"ports\": %s}", f[PORTS]);
	design = design_of(keys.data);
	plan = plan_of(keys.data, NULL);
	check_sound(design, plan, f[ENDPOINTS]);
	assert_int_equal(plan->tree->edge_count, field_count(f[LEAF]));
	assert_int_equal(three ? plan->tree->spine_count : plan->tree->core_count, field_count(f[SPINE]));
	assert_int_equal(three ? plan->tree->core_count : 0, field_count(f[CORE]));
	assert_int_equal(plan->nodes, field_count(f[TO_NODES]));
	assert_int_equal(cables_from(plan, FT_TIER_EDGE), field_count(f[TO_SPINES]));
	assert_int_equal(cables_from(plan, FT_TIER_SPINE), field_count(f[TO_CORES]));
}

/* Cables on a shortest path between hosts of the first and of the last edge switch. */
static uint32_t distance_across(const struct ft_plan *plan)
{
	enum { TO_HOSTS = 2, FAR = 100 };
	uint32_t *distance = malloc(plan->switch_count * sizeof(*distance)), found;
	bool changed = true;

	assert_non_null(distance);
	for (uint32_t i = 0; i < plan->switch_count; i++)
		distance[i] = i ? FAR : 0;
	while (changed) {
		changed = false;
		for (uint32_t i = 0; i < plan->bundle_count; i++) {
			uint32_t *a = &distance[plan->bundles[i].a], *b = &distance[plan->bundles[i].b];

			changed |= *a > *b + 1 || *b > *a + 1;
			*a = *a > *b + 1 ? *b + 1 : *a;
			*b = *b > *a + 1 ? *a + 1 : *b;
		}
	}
	found = distance[plan->tree->edge_count - 1] + TO_HOSTS;
	free(distance);
	return found;
}

static void kary_test(void **state)
{
	enum { K, PODS, EDGE, AGG, CORE, SWITCHES, SERVERS, TO_NODES, TO_AGG, TO_CORE, LINKS, PATHS, HOPS, BISECTION };
	_cleanup_(ft_text_release) struct ft_text keys = {0};
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	char line[LINE_SIZE], *f[FIELDS_MAX];
	struct ft_figures figures;

	fields_of(*state, line, f, BISECTION + 1);
	/* Where each step is dear (valgrind), not the largest ones. */
	if (rounds_wanted(1000) < 100 && field_count(f[SERVERS]) > 10000)
		skip_for("not where each step is dear");
	ft_text_printf(&keys,
		       "\"nodes\": %s, \"levels\": 3, \"edge\": {\"ports\": %s}, \"spine\": {\"ports\": %s}, "
		       "\"core\": {\"ports\": %s}",
		       f[SERVERS], f[K], f[K], f[K]);
	plan = plan_of(keys.data, NULL);
	ft_figures_take(plan, &figures);
	assert_int_equal(plan->tree->pods, field_count(f[PODS]));
	assert_int_equal(plan->tree->edge_count, field_count(f[EDGE]));
	assert_int_equal(plan->tree->spine_count, field_count(f[AGG]));
	assert_int_equal(plan->tree->core_count, field_count(f[CORE]));
	assert_int_equal(plan->switch_count, field_count(f[SWITCHES]));
	assert_int_equal(plan->nodes, field_count(f[TO_NODES]));
	assert_int_equal(cables_from(plan, FT_TIER_EDGE), field_count(f[TO_AGG]));
	assert_int_equal(cables_from(plan, FT_TIER_SPINE), field_count(f[TO_CORE]));
	assert_int_equal(plan->links, field_count(f[LINKS]));
	assert_int_equal(figures.paths, field_count(f[PATHS]));
	assert_int_equal(figures.bisection_links, field_count(f[BISECTION]));
	/* The column counts cables, of which there is one more than switches. */
	assert_int_equal(distance_across(plan), field_count(f[HOPS]));
	assert_int_equal(plan->clos + 1, field_count(f[HOPS]));
	/* One more host does not fit. */
	assert_int_equal(plan->spare_ports, 0);
	assert_int_equal(plan->tree->expandable_to, plan->nodes);
}

static void clos_test(void **state)
{
	enum { M, N, R, HOSTS, STRICT, REARRANGEABLE, CROSSPOINTS, CROSSBAR };
	char line[LINE_SIZE], *f[FIELDS_MAX];
	enum ft_clos_class class;
	uint32_t m, n, r;

	fields_of(*state, line, f, CROSSBAR + 1);
	m = field_count(f[M]);
	n = field_count(f[N]);
	r = field_count(f[R]);
	class = ft_clos_class(m, n);
	assert_string_equal(class == FT_CLOS_STRICT ? "True" : "False", f[STRICT]);
	assert_string_equal(class == FT_CLOS_BLOCKING ? "False" : "True", f[REARRANGEABLE]);
	assert_int_equal(n * r, field_count(f[HOSTS]));
}

static const struct {
	const char *file;
	CMUnitTestFunction test;
	size_t rows, twin_rows;
} reference_files[] = {
	{"dgx_superpod_published.csv", superpod_test, 11, 0},
	{"kary_fattree.csv", kary_test, 12, 3},
	{"clos.csv", clos_test, 11, 4},
};

/* Where it is not at hand, its twin, of a few rows that are made up; *@ret_twin says which. */
static FILE *reference_open(const char *name, bool *ret_twin)
{
	const char *shared = getenv("FT_SHARED"), *source = getenv("FT_SRCDIR");
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/reference/planner/%s", shared ? shared : "../shared", name);
	file = fopen(path, "r");
	*ret_twin = !file;
	if (file)
		return file;
	snprintf(path, sizeof(path), "%s/tests/data/twin/planner/%s", source ? source : ".", name);
	return fopen(path, "r");
}
/* Each row but the comments and the header. */
static void references_load(size_t file)
{
	bool twin;
	_cleanup_(ft_fclosep) FILE *stream = reference_open(reference_files[file].file, &twin);
	char line[LINE_SIZE];
	bool header = true;

	while (stream && reference_count < REFERENCES_MAX && fgets(line, sizeof(line), stream)) {
		struct reference *reference = &references[reference_count];

		if (line[0] == '#' || header) {
			header = line[0] == '#';
			continue;
		}
		line[strcspn(line, "\r\n")] = '\0';
		memcpy(reference->line, line, sizeof(line));
		reference->test = reference_files[file].test;
		snprintf(reference->name, sizeof(reference->name), "%.12s: %.40s", reference_files[file].file, line);
		reference_count++;
	}
}

/* That the files were read at all, or their twins. */
static void test_references_are_there(void **state)
{
	size_t expected = 0, twins = 0;

	(void)state;
	for (size_t i = 0; i < FT_COUNT(reference_files); i++) {
		bool twin;
		_cleanup_(ft_fclosep) FILE *stream = reference_open(reference_files[i].file, &twin);

		assert_non_null(stream);
		twins += twin;
		expected += twin ? reference_files[i].twin_rows : reference_files[i].rows;
	}
	assert_int_equal(reference_count, expected);
	if (twins)
		skip_for(NO_REFERENCE);
}

/* ---- random designs ---- */

static uint32_t random_below(uint64_t *seed, uint32_t limit)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return (uint32_t)(*seed % limit);
}

/* True once in @times. */
static bool random_hit(uint64_t *seed, uint32_t times)
{
	return random_below(seed, times) == 0;
}

static uint64_t seed_of(void)
{
	const char *given = getenv("FT_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : 20130115;

	print_message("FT_SEED=%" PRIu64 "\n", seed);
	return seed;
}

static const struct ft_switch_type *random_type(uint64_t *seed, const struct ft_catalog *catalog, unsigned int roles)
{
	for (int i = 0; i < 50; i++) {
		const struct ft_switch_type *type = &catalog->types[random_below(seed, (uint32_t)catalog->count)];

		if (type->roles & roles)
			return type;
	}
	return &catalog->types[0];
}

/* A few of the types of a catalog, in its order. They borrow from it: only the list is to be freed. */
static struct ft_catalog random_catalog(uint64_t *seed, const struct ft_catalog *whole, uint32_t chance)
{
	struct ft_catalog few = *whole;

	few.types = calloc(whole->count, sizeof(*few.types));
	few.count = 0;
	assert_non_null(few.types);
	for (size_t i = 0; i < whole->count; i++)
		if (random_hit(seed, chance) || (whole->types[i].roles & FT_ROLE_EDGE && random_hit(seed, 2)))
			few.types[few.count++] = whole->types[i];
	return few;
}

static void add_pin(struct ft_text *text, uint64_t *seed, const char *key, uint32_t limit)
{
	if (random_hit(seed, 8))
		ft_text_printf(text, ", \"%s\": %u", key, random_below(seed, limit) + 1);
}

/* What is asked of plans in general: numbers of nodes, blocking, fill and spread. */
static void random_wishes(struct ft_text *text, uint64_t *seed, uint32_t nodes_limit, uint32_t levels)
{
	static const char *const wishes[] = {
		"",
		"",
		", \"fill\": \"dense\"",
		", \"fill\": \"uniform\"",
		", \"prefer_expandable\": true",
		", \"bundles\": \"thick\"",
		", \"bundles\": {\"multiple\": 2}",
		", \"bundles\": {\"multiple\": 3}, \"fill\": \"dense\"",
		", \"topology\": \"fat-tree\"",
	};
	static const char *const ratios[] = {"1", "2", "\"3:2\"", "\"7:3\"", "1.4", "4", "2.6"};
	uint32_t nodes = random_below(seed, nodes_limit) + 1;

	ft_text_printf(text, "\"nodes\": %u, \"levels\": %u", nodes, levels);
	if (random_hit(seed, 3))
		ft_text_printf(text, ", \"nodes_max\": %u", nodes + random_below(seed, nodes_limit));
	if (levels == 3 && random_hit(seed, 3))
		ft_text_printf(text, ", \"blocking\": {\"edge\": %s, \"spine\": %s}",
			       ratios[random_below(seed, FT_COUNT(ratios))],
			       ratios[random_below(seed, FT_COUNT(ratios))]);
	else if (random_hit(seed, 2))
		ft_text_printf(text, ", \"blocking\": %s", ratios[random_below(seed, FT_COUNT(ratios))]);
	ft_text_puts(text, wishes[random_below(seed, FT_COUNT(wishes))]);
}

static void random_pods(struct ft_text *text, uint64_t *seed)
{
	if (random_hit(seed, 3))
		ft_text_printf(text, ", \"pods\": %u", random_below(seed, 6) + 1);
	else if (random_hit(seed, 6))
		ft_text_printf(text, ", \"pods\": [{\"count\": %u, \"edges\": %u}, {\"count\": 1, \"edges\": %u}]",
			       random_below(seed, 3) + 1, random_below(seed, 6) + 1, random_below(seed, 6) + 1);
	if (random_hit(seed, 8))
		ft_text_printf(text, ", \"bundle\": {\"edge\": %u, \"spine\": %u}", random_below(seed, 4) + 1,
			       random_below(seed, 4) + 1);
}

/* Switches by their ports, with all that may be pinned. */
static void random_by_ports(struct ft_text *text, uint64_t *seed, uint32_t levels)
{
	uint32_t limit = levels == 3 ? 24 : 60;

	random_wishes(text, seed, levels == 3 ? 300 : 600, levels);
	ft_text_printf(text, ", \"edge\": {\"ports\": %u", random_below(seed, limit) + 2);
	add_pin(text, seed, "count", 30);
	add_pin(text, seed, "ports_to_nodes", limit / 2);
	add_pin(text, seed, "ports_to_core", limit / 2);
	ft_text_printf(text, "}, \"core\": {\"ports\": %u", random_below(seed, limit) + 4);
	add_pin(text, seed, "count", levels == 3 ? 24 : 12);
	ft_text_puts(text, "}");
	if (levels == 2) {
		add_pin(text, seed, "bundle", 8);
		return;
	}
	ft_text_printf(text, ", \"spine\": {\"ports\": %u", random_below(seed, limit) + 4);
	add_pin(text, seed, "count", 12);
	add_pin(text, seed, "ports_to_core", limit / 2);
	ft_text_puts(text, "}");
	random_pods(text, seed);
}

static void add_model(struct ft_text *text, uint64_t *seed, const struct ft_catalog *catalog, const char *tier,
		      unsigned int roles)
{
	const struct ft_switch_type *type;

	if (catalog->count == 0 || !random_hit(seed, 4))
		return;
	type = random_type(seed, catalog, roles);
	ft_text_printf(text, ", \"%s\": {\"model\": ", tier);
	ft_text_add_json(text, random_hit(seed, 2) ? type->family : type->name);
	if (type->fabric_boards > 1 && random_hit(seed, 2))
		ft_text_printf(text, ", \"fabric_boards\": %u", type->fabric_boards - 1);
	ft_text_puts(text, "}");
}

/* Switches from @catalog, with objectives and limits. */
static void random_from_catalog(struct ft_text *text, uint64_t *seed, const struct ft_catalog *catalog, uint32_t levels)
{
	static const char *const wishes[] = {
		"",
		", \"objective\": \"power_w\"",
		", \"objective\": \"switches\"",
		", \"objective\": \"cables\"",
		", \"objective\": \"cost\", \"limits\": {\"max_core_count\": 6}",
		", \"limits\": {\"max_clos\": 3, \"min_spare_ports\": 2}",
		", \"limits\": {\"max_blocking\": \"3:2\", \"min_expandable_to\": 100}",
		", \"objective\": \"size_u\", \"limits\": {\"max_switches\": 40}",
		", \"limits\": {\"max_cost\": 900000.5}",
	};

	random_wishes(text, seed, 600, levels);
	add_model(text, seed, catalog, "edge", FT_ROLE_EDGE);
	add_model(text, seed, catalog, "core", FT_ROLE_CORE);
	if (levels == 3) {
		add_model(text, seed, catalog, "spine", FT_ROLE_SPINE | FT_ROLE_CORE);
		if (random_hit(seed, 4))
			ft_text_printf(text, ", \"pods\": %u", random_below(seed, 6) + 1);
	}
	ft_text_puts(text, wishes[random_below(seed, FT_COUNT(wishes))]);
}

/* A design, what there is to choose from, and what came out. */
struct trial {
	char what[1024]; /* the round and the design, for messages */
	struct ft_text keys;
	struct ft_catalog few; /* its list is owned */
	const struct ft_catalog *catalog;
	struct ft_design *design;
	struct ft_menu menu;
	struct ft_search search;
	struct ft_plan *plan;
};

static void trial_release(struct trial *t)
{
	ft_text_release(&t->keys);
	free(t->few.types);
	ft_design_free(t->design);
	ft_menu_release(&t->menu);
	ft_search_release(&t->search);
	ft_plan_free(t->plan);
}

/* Makes up design number @round, by ports or from a catalog. Returns whether there is a plan of it. */
static bool trial_make(struct trial *t, uint64_t *seed, unsigned int round, bool by_ports)
{
	uint32_t levels = random_below(seed, 2) + 2;
	struct ft_plan_blame blame = {0};
	struct ft_error err = {0};
	int r;

	if (by_ports) {
		random_by_ports(&t->keys, seed, levels);
	} else {
		uint32_t which = random_below(seed, CATALOGS);

		t->few = random_catalog(seed, catalogs[which], which == SHOP ? 2 : levels == 3 ? 14 : 4);
		t->catalog = &t->few;
		/* Now and then a model that is not among the few. */
		random_from_catalog(&t->keys, seed, random_hit(seed, 9) ? catalogs[which] : &t->few, levels);
	}
	snprintf(t->what, sizeof(t->what), "round %u: {%s}", round, t->keys.data);
	t->design = design_of(t->keys.data);
	r = ft_menu_make(t->design, t->catalog, &t->menu, &err, &blame);
	if (r == 0)
		r = ft_search(t->design, &t->menu, 1, &t->search, &err, &blame);
	if (r < 0) {
		if (r != -EINVAL || strlen(err.text) < 10)
			fail_msg("%s: %d: %s", t->what, r, err.text);
		return false;
	}
	assert_int_equal(t->search.count, 1);
	r = ft_plan_make_blame(t->design, t->catalog, &t->plan, &err, &blame);
	if (r < 0)
		fail_msg("%s: %s", t->what, err.text);
	return true;
}

/* ---- amounts, and the way through a file ---- */

static const struct ft_switch_type *type_named(const struct ft_catalog *catalog, const char *name)
{
	for (size_t i = 0; name && i < catalog->count; i++)
		if (strcmp(catalog->types[i].name, name) == 0)
			return &catalog->types[i];
	return NULL;
}

/* Cost of all switches and cables, added up once more from the catalog. */
static void check_cost(const struct trial *t)
{
	const struct ft_plan *plan = t->plan;
	const uint32_t counts[] = {plan->tree->edge_count, plan->tree->spine_count, plan->tree->core_count};
	int64_t cost = t->catalog->cable_cost == FT_AMOUNT_UNKNOWN ? 0 : plan->links * t->catalog->cable_cost;

	for (int tier = 0; tier < FT_TIER_COUNT && cost != FT_AMOUNT_UNKNOWN; tier++) {
		const struct ft_switch_type *type = type_named(t->catalog, plan->models[tier]);
		struct ft_switch_type fewer;

		if (counts[tier] == 0)
			continue;
		assert_non_null(type);
		assert_int_equal(
			plan->switches[tier == FT_TIER_EDGE    ? 0
				       : tier == FT_TIER_SPINE ? plan->tree->edge_count
							       : plan->tree->edge_count + plan->tree->spine_count]
				.ports,
			type->ports);
		if (t->design->roles[tier].fabric_boards) {
			assert_int_equal(ft_switch_type_with_fabric(type, t->design->roles[tier].fabric_boards, &fewer),
					 0);
			type = &fewer;
		}
		cost = type->cost == FT_AMOUNT_UNKNOWN ? FT_AMOUNT_UNKNOWN : cost + type->cost * counts[tier];
	}
	if (plan->cost != cost)
		fail_msg("%s: cost %" PRId64 ", expected %" PRId64, t->what, plan->cost, cost);
}

/* The file of a plan is read with @catalog, gives the same plan and is written the same. */
static void check_reads_back(const struct trial *t, const struct ft_text *file, const struct ft_catalog *catalog)
{
	_cleanup_(ft_design_freep) struct ft_design *design = NULL;
	_cleanup_(ft_text_release) struct ft_text again = {0};
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	struct ft_error err = {0};

	if (ft_design_read_with(file->data, file->length, catalog, &design, &plan, &err) < 0)
		fail_msg("%s, read %s a catalog: %u:%u: %s", t->what, catalog ? "with" : "without", err.line,
			 err.column, err.text);
	assert_int_equal(ft_plan_write_design(&again, design, plan), 0);
	if (strcmp(again.data, file->data) != 0)
		fail_msg("%s, read %s a catalog: not the same again", t->what, catalog ? "with" : "without");
}

static void check_round_trip(const struct trial *t)
{
	_cleanup_(ft_text_release) struct ft_text file = {0};

	assert_int_equal(ft_plan_write_design(&file, t->design, t->plan), 0);
	check_reads_back(t, &file, t->catalog);
	check_reads_back(t, &file, NULL);
}

/* The row of a curve is that of the plan, and has as many fields as the header. */
static void check_csv(const struct trial *t)
{
	_cleanup_(ft_text_release) struct ft_text header = {0}, row = {0}, same = {0}, none = {0};
	const struct ft_text *const rows[] = {&row, &none};

	ft_csv_header(&header, t->plan->tree->levels, false);
	ft_csv_row(&row, t->design, &t->search.best[0]);
	ft_csv_plan(&same, t->plan);
	ft_csv_row(&none, t->design, NULL);
	if (strcmp(row.data, same.data) != 0)
		fail_msg("%s: %s, but the plan gives %s", t->what, row.data, same.data);
	for (size_t i = 0; i < FT_COUNT(rows); i++) {
		int commas = 0;

		/* No name in a catalog of the tests has a comma. */
		for (const char *c = rows[i]->data; *c; c++)
			commas += *c == ',';
		for (const char *c = header.data; *c; c++)
			commas -= *c == ',';
		if (commas)
			fail_msg("%s: %d fields too many: %s", t->what, commas, rows[i]->data);
	}
}

/*
 * What the design gives beside its plan, read again with the catalog that the plan was made with, without one, and
 * with another.
 */
static const struct reread_row {
	const char *keys;
	int catalog;
	const char *family; /* of the edge switches; NULL: theirs is their model */
	const char *name;   /* of the catalog that the plan says; NULL: none */
} reread_rows[] = {
	{"\"nodes\": 300", MELLANOX, "Mellanox SX6036", "mellanox-fdr-2013"},
	{"\"nodes\": 300, \"edge\": {\"model\": \"Mellanox SX6036\"}", MELLANOX, "Mellanox SX6036",
	 "mellanox-fdr-2013"},
	{"\"nodes\": 300, \"edge\": {\"model\": \"Mellanox SX6036 (36 ports)\", \"ports\": 36}", MELLANOX,
	 "Mellanox SX6036", "mellanox-fdr-2013"},
	{"\"nodes\": 300, \"core\": {\"model\": \"Mellanox SX6506\"}", MELLANOX, "Mellanox SX6036",
	 "mellanox-fdr-2013"},
	{"\"nodes\": 300, \"edge\": {\"model\": \"Mellanox SX6036\"}, \"core\": {\"model\": \"Mellanox SX6506\", "
	 "\"fabric_boards\": 2}",
	 MELLANOX, "Mellanox SX6036", "mellanox-fdr-2013"},
	{"\"nodes\": 300, \"edge\": {\"ports\": 36}, \"core\": {\"model\": \"Mellanox SX6506\", \"ports\": 90}",
	 MELLANOX, NULL, "mellanox-fdr-2013"},
	{"\"nodes\": 300, \"edge\": {\"ports\": 36}, \"core\": {\"ports\": 36}", MELLANOX, NULL, NULL},
	{"\"nodes\": 300, \"topology\": \"star\", \"edge\": {\"ports\": 324}", MELLANOX, NULL, NULL},
	{"\"nodes\": 300, \"topology\": \"star\", \"core\": {\"model\": \"not looked at\"}", MELLANOX,
	 "Mellanox SX6536", "mellanox-fdr-2013"},
	{"\"nodes\": 300, \"limits\": {\"max_cost\": 400000, \"min_power_w\": 1, \"max_size_u\": 99, "
	 "\"max_weight_kg\": 999.5, "
	 "\"max_switches\": 40, \"min_spare_ports\": 0}",
	 MELLANOX, "Mellanox SX6036", "mellanox-fdr-2013"},
	{"\"nodes\": 2000, \"levels\": 3, \"spine\": {\"model\": \"Mellanox SX6036\"}, \"limits\": {\"max_cost\": "
	 "9000000}",
	 MELLANOX, "Mellanox SX6036", "mellanox-fdr-2013"},
	{"\"nodes\": 300, \"limits\": {\"max_cost\": 900000}", BLADES,
	 "HP 4X FDR InfiniBand Switch Module for c-Class BladeSystem (648312-B21)", "hp-blade-fdr-2013"},
	{"\"nodes\": 700", LATER, "NVIDIA CS8500", "infiniband"},
	{"\"nodes\": 700, \"edge\": {\"model\": \"NVIDIA QM8700\"}", LATER, NULL, "infiniband"},
	{"\"nodes\": 9, \"core\": {\"model\": \"Modular\", \"ports\": 12}, \"limits\": {\"max_cost\": 209}", SHOP, NULL,
	 "shop"},
	{"\"nodes\": 3", SHOP, NULL, "shop"},
};

static void check_names(const struct ft_plan *plan, const struct reread_row *row)
{
	const char *family = plan->families[FT_TIER_EDGE];

	if (!family != !row->family || (family && strcmp(family, row->family) != 0))
		fail_msg("%s: the edge switches are %s", row->keys, family ? family : "of no other family");
	if (!plan->catalog != !row->name || (row->name && strcmp(plan->catalog, row->name) != 0))
		fail_msg("%s: from the catalog %s", row->keys, plan->catalog ? plan->catalog : "of no name");
}

/* Another catalog than that of the plan is said to be another, before what differs by it. */
static void check_other_catalog(const struct reread_row *row, const struct ft_text *file)
{
	int other = row->catalog == LATER ? MELLANOX : LATER;
	struct ft_design *design = NULL;
	char expected[128] = "";
	struct ft_error err = {0};
	int r = ft_design_read_with(file->data, file->length, catalogs[other], &design, NULL, &err);

	ft_design_free(design);
	if (row->name)
		snprintf(expected, sizeof(expected), "\"plan.catalog\" is \"%s\" here, but the design gives \"%s\"",
			 row->name, catalogs[other]->name);
	/* A model that the other has not is said even before. */
	if (strstr(err.text, "has no \"") || strstr(err.text, "nothing fits"))
		return;
	if (strcmp(err.text, expected) != 0 || (r == 0) != !row->name)
		fail_msg("%s, with another catalog: %s", row->keys, err.text);
}

static void reread_test(void **state)
{
	const struct reread_row *row = *state;
	_cleanup_(ft_text_release) struct ft_text keys = whole_design(row->keys), file = {0};
	struct trial t = {.catalog = catalogs[row->catalog]};
	_cleanup_(ft_design_freep) struct ft_design *design = NULL;
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	struct ft_error err = {0};

	snprintf(t.what, sizeof(t.what), "%s", row->keys);
	if (ft_design_read_with(keys.data, keys.length, t.catalog, &design, &plan, &err) < 0)
		fail_msg("%s: %s", row->keys, err.text);
	check_names(plan, row);
	assert_int_equal(ft_plan_write_design(&file, design, plan), 0);
	check_reads_back(&t, &file, t.catalog);
	check_reads_back(&t, &file, NULL);
	check_other_catalog(row, &file);
}

/* ---- growth ---- */

/* A menu with nothing on it but @types. The lists are on the caller's stack. */
struct one_dish {
	struct ft_menu menu;
	struct ft_switch_type types[FT_TIER_COUNT], star;
};

static void one_dish_make(struct one_dish *dish, const struct ft_switch_type *const *types, bool star,
			  int64_t cable_cost)
{
	*dish = (struct one_dish){.menu = {.cable_cost = cable_cost == FT_AMOUNT_UNKNOWN ? 0 : cable_cost}};
	if (star) {
		dish->star = *types[FT_TIER_EDGE];
		dish->menu.stars = &dish->star;
		dish->menu.star_count = 1;
		return;
	}
	for (int tier = 0; tier < FT_TIER_COUNT; tier++) {
		if (!types[tier])
			continue;
		dish->types[tier] = *types[tier];
		dish->menu.types[tier] = &dish->types[tier];
		dish->menu.count[tier] = 1;
	}
}

/* A plan of @t's switches for other numbers. */
static struct ft_plan *plan_again(const struct trial *t, uint32_t nodes, enum ft_fill fill)
{
	const struct ft_candidate *chosen = &t->search.best[0];
	_cleanup_(ft_search_release) struct ft_search search = {0};
	struct ft_design design = *t->design;
	struct ft_error err = {0};
	struct ft_plan *plan = NULL;
	struct one_dish dish;

	design.nodes = nodes;
	design.fill = fill;
	design.limit_count = 0;
	design.topology = chosen->shape.topology;
	if (chosen->shape.levels == 3)
		design.pods = chosen->shape.pods_max;
	one_dish_make(&dish, chosen->types, chosen->shape.topology == FT_TOPOLOGY_STAR, t->menu.cable_cost);
	if (ft_search(&design, &dish.menu, 1, &search, &err, NULL) < 0)
		fail_msg("%s for %u nodes: %s", t->what, nodes, err.text);
	assert_int_equal(ft_plan_build(&design, &search.best[0], &plan, &err, NULL), 0);
	return plan;
}

/* Switch @index of @plan in @later: of the same place in the same pod or plane. */
static uint32_t same_place(const struct ft_plan *plan, uint32_t index, const struct ft_plan *later)
{
	const struct ft_plan_switch *sw = &plan->switches[index];

	for (uint32_t i = 0; i < later->switch_count; i++) {
		const struct ft_plan_switch *other = &later->switches[i];

		if (other->tier == sw->tier && other->pod == sw->pod && other->plane == sw->plane &&
		    other->place == sw->place)
			return i;
	}
	return FT_NONE;
}

/* The switches of @plan in @later, of which none may be gone. The caller frees them. */
static uint32_t *same_places(const struct ft_plan *plan, const struct ft_plan *later, const char *what)
{
	uint32_t *places = calloc(plan->switch_count, sizeof(*places));

	assert_non_null(places);
	for (uint32_t i = 0; i < plan->switch_count; i++) {
		places[i] = same_place(plan, i, later);
		if (places[i] == FT_NONE)
			fail_msg("%s: %s is gone", what, plan->switches[i].name);
	}
	return places;
}

/* Cables of @plan, to hosts too, that are not at the same ports in @later. */
static unsigned int cables_moved(const struct ft_plan *plan, const struct ft_plan *later, const char *what)
{
	_cleanup_(wiring_release) struct wiring now = {0}, then = {0};
	_cleanup_free_ uint32_t *places = same_places(plan, later, what);
	unsigned int moved = 0;

	wiring_make(&now, plan, what);
	wiring_make(&then, later, what);
	for (uint32_t i = 0; i < plan->switch_count; i++)
		for (uint32_t port = 1; port <= plan->switches[i].ports; port++) {
			const struct end *a = wiring_port(&now, plan, i, port, what);
			const struct end *b = wiring_port(&then, later, places[i], port, what);

			if (a->kind == FREE)
				continue;
			moved += a->kind != b->kind ||
				 (a->kind == SWITCH && (places[a->sw] != b->sw || a->port != b->port));
		}
	return moved;
}

/* Where numbers of switches are pinned that grow with the nodes, there are no smaller plans. */
static bool may_grow(const struct trial *t)
{
	const struct ft_design_role *roles = t->design->roles;

	return t->plan->nodes > 1 && (t->plan->tree->levels < 3 || (!ft_pinned(roles[FT_TIER_SPINE].count) &&
								    !ft_pinned(roles[FT_TIER_CORE].count)));
}

/* Fewer nodes with the same room for growth, dense: each cable has its ports already. */
static void check_growth(const struct trial *t, uint32_t fewer)
{
	_cleanup_(ft_plan_freep) struct ft_plan *small = plan_again(t, fewer, FT_FILL_DENSE);
	_cleanup_(ft_plan_freep) struct ft_plan *large = plan_again(t, t->plan->nodes, FT_FILL_DENSE);
	unsigned int moved = cables_moved(small, large, t->what);

	if (moved)
		fail_msg("%s: from %u to %u nodes %u cables move", t->what, fewer, t->plan->nodes, moved);
	assert_true(small->links <= large->links);
}

/* ft_write_stages() says the same, or that cables would have to move where they would. Returns whether they would. */
static bool check_stages(const struct trial *t, uint32_t fewer)
{
	_cleanup_(ft_plan_freep) struct ft_plan *small = NULL, *large = NULL;
	_cleanup_(ft_text_release) struct ft_text text = {0}, expected = {0};
	const uint32_t nodes[] = {fewer, t->plan->nodes};
	struct ft_plan_blame blame = {0};
	struct ft_error err = {0};
	unsigned int moved = 0;
	int r;

	r = ft_write_stages(&text, t->design, &t->menu, nodes, FT_COUNT(nodes), &err, &blame);
	/* Limits may leave no dense design, and then stages are of spread hosts all the same. */
	if (r == -EINVAL && t->design->limit_count && t->design->fill == FT_FILL_AUTO) {
		assert_non_null(strstr(err.text, "would have to move: uniform fill spreads the nodes anew"));
		return true;
	}
	if (t->plan->topology == FT_TOPOLOGY_FAT_TREE) {
		/* Stages fill densely unless they are told to spread, which may make other switches the best. */
		bool open = t->design->fill == FT_FILL_AUTO;

		small = plan_again(t, fewer, open ? FT_FILL_DENSE : t->design->fill);
		large = plan_again(t, t->plan->nodes, open ? FT_FILL_DENSE : t->design->fill);
		moved = cables_moved(small, large, t->what);
		if (!open || !t->menu.from_catalog)
			ft_text_printf(&expected, "\nStage 1: %u node%s\n  edge   %6u  ", fewer, ft_text_s(fewer),
				       small->tree->edge_count);
	}
	if (r != (moved ? -EINVAL : 0))
		fail_msg("%s: stages %u,%u: %d: %s, but %u cables move", t->what, fewer, t->plan->nodes, r, err.text,
			 moved);
	if (moved) {
		assert_non_null(strstr(err.text, "would have to move: uniform fill spreads the nodes anew"));
		assert_int_equal(text.length, 0);
		return true;
	}
	assert_non_null(strstr(text.data, ft_text_string(&expected)));
	assert_non_null(strstr(text.data, "\nNo laid cable moves: "));
	return false;
}

/* Whatever the design: a sound plan that goes through a file and grows, or a reason. */
static void random_test(uint64_t seed, unsigned int usual, bool by_ports)
{
	unsigned int rounds = rounds_wanted(usual), made = 0, refused = 0, deep = 0, moving = 0;

	for (unsigned int i = 0; i < rounds; i++) {
		_cleanup_(trial_release) struct trial t = {0};

		if (!trial_make(&t, &seed, i, by_ports)) {
			refused++;
			continue;
		}
		made++;
		deep += t.plan->tree->levels == 3;
		check_sound(t.design, t.plan, t.what);
		check_round_trip(&t);
		check_csv(&t);
		if (!by_ports)
			check_cost(&t);
		if (may_grow(&t)) {
			uint32_t fewer = random_below(&seed, t.plan->nodes - 1) + 1;

			check_growth(&t, fewer);
			moving += check_stages(&t, fewer);
		}
	}
	print_message("%u plans, %u of them of three levels; %u refused; %u would move cables\n", made, deep, refused,
		      moving);
	if (rounds < usual)
		return;
	assert_true(made > rounds / 5 && deep > rounds / 20 && refused > rounds / 10 && (moving > 0 || !by_ports));
}

static void test_random_by_ports(void **state)
{
	(void)state;
	random_test(seed_of(), 2000, true);
}

static void test_random_from_catalog(void **state)
{
	(void)state;
	random_test(seed_of(), 1500, false);
}

/* ---- the best, against all there is ---- */

enum { POOL_MAX = 20000, PODS_TRIED = 80 };

/* Every candidate of a design: found one by one, from menus of one type a tier and a given number of pods. */
struct pool {
	struct ft_candidate *all;
	size_t count;
};

static void pool_release(struct pool *pool)
{
	free(pool->all);
}

static void pool_try(struct pool *pool, const struct trial *t, const struct ft_switch_type *const *types, bool star,
		     uint32_t pods)
{
	_cleanup_(ft_search_release) struct ft_search search = {0};
	struct ft_design design = *t->design;
	struct one_dish dish;

	design.pods = pods;
	one_dish_make(&dish, types, star, t->catalog->cable_cost);
	if (ft_search(&design, &dish.menu, 1, &search, NULL, NULL) < 0)
		return;
	assert_true(pool->count < POOL_MAX);
	pool->all[pool->count] = search.best[0];
	memcpy(pool->all[pool->count++].types, types, sizeof(search.best->types));
}

static bool is_wanted(const struct ft_design *design, const struct ft_switch_type *type, enum ft_tier tier,
		      unsigned int role)
{
	const char *model = design->roles[tier].model;

	return (type->roles & role) && (!model || strcmp(model, type->name) == 0 || strcmp(model, type->family) == 0);
}

/* Switches of different technologies only where the design names both. */
static bool may_mix(const struct ft_design *design, const struct ft_switch_type *low, enum ft_tier low_tier,
		    const struct ft_switch_type *high, enum ft_tier high_tier)
{
	return (design->roles[low_tier].model && design->roles[high_tier].model) ||
	       strcmp(low->technology, high->technology) == 0;
}

static unsigned int spine_role(const struct ft_catalog *catalog)
{
	for (size_t i = 0; i < catalog->count; i++)
		if (catalog->types[i].roles & FT_ROLE_SPINE)
			return FT_ROLE_SPINE;
	return FT_ROLE_CORE;
}

/*
 * Of a fabric that is to grow, how many pods the full one has: the best by the objective, then by switches, then by
 * cables. No other number of them is a candidate, as cables would have to move on the way.
 */
static uint32_t pods_when_full(const struct trial *t, const struct ft_switch_type *const *types)
{
	struct ft_quantity least[3] = {{0}};
	uint32_t best = 0;

	for (uint32_t pods = 1; pods <= PODS_TRIED; pods++) {
		_cleanup_(ft_search_release) struct ft_search search = {0};
		struct ft_design full = *t->design;
		struct one_dish dish;
		int order = -1;

		full.nodes = full.nodes_max;
		full.pods = pods;
		full.limit_count = 0;
		full.objective_given = false;
		one_dish_make(&dish, types, false, t->catalog->cable_cost);
		if (ft_search(&full, &dish.menu, 1, &search, NULL, NULL) < 0)
			continue;
		const struct ft_quantity found[] = {ft_candidate_metric(&full, &search.best[0], full.objective),
						    ft_candidate_metric(&full, &search.best[0], FT_METRIC_SWITCHES),
						    ft_candidate_metric(&full, &search.best[0], FT_METRIC_CABLES)};

		for (size_t i = 0; best && (order = 0, i < FT_COUNT(found)); i++)
			if (ft_quantity_known(found[i]) && (order = ft_quantity_compare(found[i], least[i])) != 0)
				break;
		if (order >= 0)
			continue;
		best = pods;
		memcpy(least, found, sizeof(found));
	}
	return best;
}

static void pool_add_pods(struct pool *pool, const struct trial *t, const struct ft_switch_type *const *types)
{
	uint32_t full =
		t->design->nodes < t->design->nodes_max && !ft_pinned(t->design->pods) ? pods_when_full(t, types) : 0;

	if (full) {
		pool_try(pool, t, types, false, full);
		return;
	}
	if (ft_pinned(t->design->pods)) {
		pool_try(pool, t, types, false, t->design->pods);
		return;
	}
	for (uint32_t pods = 1; pods <= PODS_TRIED; pods++)
		pool_try(pool, t, types, false, pods);
}

static void pool_add_spines(struct pool *pool, const struct trial *t, const struct ft_switch_type *edge,
			    unsigned int role)
{
	const struct ft_catalog *catalog = t->catalog;

	for (size_t k = 0; k < catalog->count; k++)
		for (size_t m = 0; m < catalog->count; m++) {
			const struct ft_switch_type *types[] = {edge, &catalog->types[k], &catalog->types[m]};

			if (is_wanted(t->design, types[1], FT_TIER_SPINE, role) &&
			    is_wanted(t->design, types[2], FT_TIER_CORE, FT_ROLE_CORE) &&
			    may_mix(t->design, types[0], FT_TIER_EDGE, types[1], FT_TIER_SPINE) &&
			    may_mix(t->design, types[1], FT_TIER_SPINE, types[2], FT_TIER_CORE))
				pool_add_pods(pool, t, types);
		}
}

static void pool_add_cores(struct pool *pool, const struct trial *t, const struct ft_switch_type *edge)
{
	for (size_t k = 0; k < t->catalog->count; k++) {
		const struct ft_switch_type *types[] = {edge, NULL, &t->catalog->types[k]};

		if (is_wanted(t->design, types[2], FT_TIER_CORE, FT_ROLE_CORE) &&
		    may_mix(t->design, edge, FT_TIER_EDGE, types[2], FT_TIER_CORE))
			pool_try(pool, t, types, false, FT_NONE);
	}
}

/* In the order of the catalog, stars first; fewer pods before more. */
static void pool_fill(struct pool *pool, const struct trial *t)
{
	const struct ft_catalog *catalog = t->catalog;

	pool->all = calloc(POOL_MAX, sizeof(*pool->all));
	assert_non_null(pool->all);
	for (size_t i = 0; i < catalog->count && t->design->levels == 2; i++) {
		const struct ft_switch_type *types[FT_TIER_COUNT] = {&catalog->types[i]};

		if (is_wanted(t->design, types[0], FT_TIER_EDGE, FT_ROLE_STAR))
			pool_try(pool, t, types, true, FT_NONE);
	}
	for (size_t i = 0; i < catalog->count; i++) {
		const struct ft_switch_type *edge = &catalog->types[i];

		if (!is_wanted(t->design, edge, FT_TIER_EDGE, FT_ROLE_EDGE))
			continue;
		if (t->design->levels == 3)
			pool_add_spines(pool, t, edge, spine_role(catalog));
		else
			pool_add_cores(pool, t, edge);
	}
}

/* Boards left out make other switches of those in the catalog. */
static bool has_boards(const struct trial *t)
{
	for (int tier = 0; tier < FT_TIER_COUNT; tier++)
		if (t->design->roles[tier].fabric_boards)
			return true;
	return false;
}

static struct ft_quantity value_of(const struct trial *t, const struct ft_candidate *c, enum ft_metric metric)
{
	return ft_candidate_metric(t->design, c, metric);
}

static uint64_t ports_of(const struct ft_candidate *c)
{
	uint64_t ports = (uint64_t)c->shape.e * c->types[FT_TIER_EDGE]->ports;

	if (c->types[FT_TIER_SPINE])
		ports += (uint64_t)c->shape.pods * c->shape.pod_spines * c->types[FT_TIER_SPINE]->ports;
	return c->types[FT_TIER_CORE] ? ports + (uint64_t)c->shape.cores * c->types[FT_TIER_CORE]->ports : ports;
}

/* By the objective that the search went by; of equal ones the first in the pool is the better. */
static bool is_better(const struct trial *t, const struct ft_candidate *a, const struct ft_candidate *b)
{
	int order = ft_quantity_compare(value_of(t, a, t->search.objective), value_of(t, b, t->search.objective));

	if (order == 0 && t->search.fallback)
		order = ft_quantity_compare(value_of(t, a, FT_METRIC_CABLES), value_of(t, b, FT_METRIC_CABLES));
	if (order == 0 && t->search.fallback)
		order = (ports_of(a) > ports_of(b)) - (ports_of(a) < ports_of(b));
	return order < 0 || (order == 0 && a < b);
}

static bool is_known(const struct trial *t, const struct ft_candidate *c, enum ft_metric metric)
{
	return ft_quantity_known(value_of(t, c, metric));
}

/* As a user would tell two designs apart. */
static bool differ(const struct ft_candidate *a, const struct ft_candidate *b)
{
	for (int tier = 0; tier < FT_TIER_COUNT; tier++) {
		if (!a->types[tier] != !b->types[tier])
			return true;
		if (a->types[tier] && strcmp(a->types[tier]->family, b->types[tier]->family) != 0)
			return true;
	}
	/* Stars of one modular switch differ in their boards only. */
	if (a->shape.topology == FT_TOPOLOGY_STAR && b->shape.topology == FT_TOPOLOGY_STAR)
		return false;
	return a->shape.topology != b->shape.topology || a->shape.e != b->shape.e || a->shape.n != b->shape.n ||
	       a->shape.cores != b->shape.cores || ft_shape_spines(&a->shape) != ft_shape_spines(&b->shape);
}

/* Of the pool, the best that differs from all of @before; NULL: there is none. */
static const struct ft_candidate *pool_next(const struct pool *pool, const struct trial *t,
					    const struct ft_candidate *const *before, size_t count)
{
	const struct ft_candidate *best = NULL;

	for (size_t i = 0; i < pool->count; i++) {
		bool fresh = is_known(t, &pool->all[i], t->search.objective);

		for (size_t k = 0; fresh && k < count; k++)
			fresh = differ(&pool->all[i], before[k]);
		if (fresh && (!best || is_better(t, &pool->all[i], best)))
			best = &pool->all[i];
	}
	return best;
}

static void assert_same(const struct trial *t, const struct ft_candidate *a, const struct ft_candidate *b, size_t rank)
{
	for (int tier = 0; tier < FT_TIER_COUNT; tier++)
		if (!a->types[tier] != !b->types[tier] ||
		    (a->types[tier] && strcmp(a->types[tier]->name, b->types[tier]->name) != 0))
			fail_msg("%s: number %zu has another switch than is best (%s, not %s)", t->what, rank + 1,
				 a->types[tier] ? a->types[tier]->name : "none",
				 b->types[tier] ? b->types[tier]->name : "none");
	if (a->shape.pods != b->shape.pods || a->shape.cores != b->shape.cores || a->shape.e != b->shape.e ||
	    a->cost != b->cost || a->links != b->links)
		fail_msg("%s: number %zu is not the best", t->what, rank + 1);
}

/* The best few are those of the pool, one after the other; the first is what is found when one is asked for. */
static void check_alternatives(const struct trial *t, const struct pool *pool, size_t keep)
{
	_cleanup_(ft_search_release) struct ft_search search = {0};
	const struct ft_candidate *found[16];
	struct ft_error err = {0};

	assert_int_equal(ft_search(t->design, &t->menu, keep, &search, &err, NULL), 0);
	assert_int_equal(search.objective, t->search.objective);
	assert_int_equal(search.fallback, t->search.fallback);
	assert_true(search.count >= 1 && search.count <= keep);
	for (size_t i = 0; i < keep; i++) {
		const struct ft_candidate *next = pool_next(pool, t, found, i);

		if ((next != NULL) != (i < search.count))
			fail_msg("%s: %zu designs of %zu, which is not all", t->what, search.count, keep);
		if (!next)
			break;
		found[i] = next;
		assert_same(t, &search.best[i], next, i);
		for (size_t k = 0; k < i; k++)
			assert_true(differ(&search.best[k], &search.best[i]));
	}
	assert_same(t, &t->search.best[0], &search.best[0], 0);
}

static bool worth_more(enum ft_metric metric)
{
	return metric == FT_METRIC_SPARE_PORTS || metric == FT_METRIC_EXPANDABLE_TO;
}

/* Less than, equal to or greater than 0: @a is better, as good, or worse. */
static int metric_order(const struct trial *t, const struct ft_candidate *a, const struct ft_candidate *b,
			enum ft_metric metric)
{
	int order = ft_quantity_compare(value_of(t, a, metric), value_of(t, b, metric));

	return worth_more(metric) ? -order : order;
}

static bool dominates(const struct trial *t, const struct ft_candidate *a, const struct ft_candidate *b,
		      const enum ft_metric metrics[2])
{
	int one = metric_order(t, a, b, metrics[0]), other = metric_order(t, a, b, metrics[1]);

	return one <= 0 && other <= 0 && (one < 0 || other < 0);
}

/* How many of @all stand where @c does in both metrics. */
static size_t count_equal(const struct trial *t, const struct ft_candidate *c, const struct ft_candidate *all,
			  size_t count, const enum ft_metric metrics[2])
{
	size_t equal = 0;

	for (size_t i = 0; i < count; i++)
		equal += is_known(t, &all[i], metrics[0]) && is_known(t, &all[i], metrics[1]) &&
			 metric_order(t, c, &all[i], metrics[0]) == 0 && metric_order(t, c, &all[i], metrics[1]) == 0;
	return equal;
}

/* One for each pair of values that nothing in the pool dominates, and nothing else, in order. */
static void check_front(const struct trial *t, const struct pool *pool, const enum ft_metric metrics[2])
{
	_cleanup_(ft_search_release) struct ft_search front = {0};
	struct ft_error err = {0};
	size_t candidates = 0;
	int r;

	r = ft_search_pareto(t->design, &t->menu, metrics[0], metrics[1], &front, &err, NULL);
	for (size_t i = 0; i < pool->count; i++) {
		const struct ft_candidate *c = &pool->all[i];
		bool dominated = false;

		if (!is_known(t, c, metrics[0]) || !is_known(t, c, metrics[1]))
			continue;
		candidates++;
		for (size_t k = 0; k < pool->count && !dominated; k++)
			dominated = is_known(t, &pool->all[k], metrics[0]) && is_known(t, &pool->all[k], metrics[1]) &&
				    dominates(t, &pool->all[k], c, metrics);
		if (count_equal(t, c, front.best, front.count, metrics) != !dominated)
			fail_msg("%s: a design is %s the front over %s and %s", t->what,
				 dominated ? "dominated, and on" : "missing on", ft_metric_name(metrics[0]),
				 ft_metric_name(metrics[1]));
	}
	assert_int_equal(r, candidates ? 0 : -EINVAL);
	for (size_t i = 0; i < front.count; i++) {
		assert_true(count_equal(t, &front.best[i], pool->all, pool->count, metrics) > 0);
		if (i)
			assert_true(metric_order(t, &front.best[i - 1], &front.best[i], metrics[0]) < 0);
	}
}

/* No plan of @t: nothing in the pool is one. A model that is not there is refused whatever else there is. */
static void check_nothing(const struct trial *t, struct pool *pool)
{
	if (!t->menu.from_catalog || has_boards(t))
		return;
	pool_fill(pool, t);
	for (size_t k = 0; k < pool->count; k++)
		if (is_known(t, &pool->all[k], t->design->objective))
			fail_msg("%s: nothing found, but there is something", t->what);
}

/* Three levels that grow: the pods and planes of the full tree are those of every stage, and no cable moves. */
static void test_growth_in_pods(void **state)
{
	_cleanup_(ft_plan_freep) struct ft_plan *before = NULL;

	(void)state;
	for (unsigned int nodes = 700; nodes <= 3000; nodes += 100) {
		_cleanup_(ft_design_freep) struct ft_design *design = NULL;
		_cleanup_(ft_text_release) struct ft_text text = {0};
		struct ft_plan *plan = NULL;
		struct ft_error err = {0};

		ft_text_printf(&text,
			       "{\"ftcheck\": 1, \"name\": \"t\", \"nodes\": %u, \"nodes_max\": 3000, \"levels\": 3, "
			       "\"fill\": \"dense\", \"edge\": {\"ports\": 36}, \"spine\": {\"ports\": 36}, "
			       "\"core\": {\"ports\": 36}}",
			       nodes);
		if (ft_design_read(text.data, text.length, &design, &plan, &err) < 0)
			fail_msg("%u nodes: %s", nodes, err.text);
		if (before) {
			assert_int_equal(plan->tree->pods_max, before->tree->pods_max);
			assert_int_equal(plan->tree->core_count, before->tree->core_count);
			assert_int_equal(cables_moved(before, plan, "growth"), 0);
		}
		ft_plan_free(before);
		before = plan;
	}
}

static void test_best_of_all(void **state)
{
	enum { USUAL = 600 };
	unsigned int rounds = rounds_wanted(USUAL), made = 0, deep = 0, empty = 0;
	uint64_t seed = seed_of();

	(void)state;
	for (unsigned int i = 0; i < rounds; i++) {
		_cleanup_(trial_release) struct trial t = {0};
		_cleanup_(pool_release) struct pool pool = {0};
		enum ft_metric metrics[2] = {(enum ft_metric)random_below(&seed, FT_METRIC_COUNT),
					     (enum ft_metric)random_below(&seed, FT_METRIC_COUNT)};

		if (!trial_make(&t, &seed, i, false)) {
			check_nothing(&t, &pool);
			empty++;
			continue;
		}
		if (has_boards(&t))
			continue;
		made++;
		deep += t.design->levels == 3;
		pool_fill(&pool, &t);
		check_alternatives(&t, &pool, random_below(&seed, 8) + 2);
		check_front(&t, &pool, metrics);
	}
	print_message("%u searches, %u of them of three levels; %u found nothing\n", made, deep, empty);
	assert_true(rounds < USUAL || (made > 100 && deep > 30 && empty > 30));
}

/* ---- limits, by hand ---- */

/*
 * 9 nodes from the shop, none of whose stars has room for them (2 tried). S4 has 2 ports for nodes and 2 up, so that
 * there are 5 of them and 9 + 10 = 19 cables; S8 4 and 4: 3 of them, 21 cables. Modular with 12 ports costs 70 + 2 * 20
 * + 2 * 15 = 140 and draws 16 W; with 6, 120 and 15 W. S12's power is not known, and nothing of U8 but its ports.
 *
 *                 S4, cores  cost  W         S8, cores  cost  W
 *     S8                  2   129  39                2   171  35
 *     S12                 1   109  ?                 1   151  ?
 *     Modular 12          1   209  41                1   251  37
 *     Modular 6           2   309  55                2   351  51
 *
 * And U8 + U8: 3 and 2 switches.
 */
static const struct choice_row {
	const char *keys;
	const char *found; /* "3 x S4 + 2 x S8: cost" or what ft_menu_make() or ft_search() says */
} choice_rows[] = {
	{"\"nodes\": 6", "1 x S8: 36"},
	{"\"nodes\": 3", "1 x S4: 13"},
	{"\"nodes\": 9", "5 x S4 + 1 x S12: 109"},
	{"\"nodes\": 9, \"objective\": \"cost\"", "5 x S4 + 1 x S12: 109"},
	{"\"nodes\": 9, \"objective\": \"power_w\"", "3 x S8 + 2 x S8: 171"},
	{"\"nodes\": 9, \"objective\": \"switches\"", "3 x S8 + 1 x S12: 151"},
	{"\"nodes\": 9, \"objective\": \"cables\"", "5 x S4 + 2 x S8: 129"},
	{"\"nodes\": 6, \"topology\": \"fat-tree\"", "3 x S4 + 1 x S8: 72"},
	/* limits that leave something */
	{"\"nodes\": 9, \"limits\": {\"max_switches\": 5}", "3 x S8 + 1 x S12: 151"},
	{"\"nodes\": 9, \"limits\": {\"min_spare_ports\": 2}", "3 x S8 + 1 x S12: 151"},
	{"\"nodes\": 9, \"limits\": {\"min_core_count\": 2}", "5 x S4 + 2 x S8: 129"},
	{"\"nodes\": 9, \"limits\": {\"max_power_w\": 35.5}", "3 x S8 + 2 x S8: 171"},
	{"\"nodes\": 9, \"limits\": {\"max_cost\": 109}", "5 x S4 + 1 x S12: 109"},
	{"\"nodes\": 9, \"limits\": {\"max_switches\": 4, \"min_cost\": 151.001}",
	 "3 x S8 + 1 x Modular (with 12 ports): 251"},
	{"\"nodes\": 9, \"limits\": {\"min_clos\": 4}", "5 x S4 + 1 x Modular (with 12 ports): 209"},
	{"\"nodes\": 6, \"limits\": {\"min_clos\": 3}", "3 x S4 + 1 x S8: 72"},
	/* limits that leave nothing */
	{"\"nodes\": 9, \"limits\": {\"max_cost\": 100}",
	 "nothing fits: of 11 combinations of switches, 2 cannot connect nodes 9; max_cost 100 excludes 8 (nearest: S4 "
	 "+ S12, cost 109); of 1 the cost is not known"},
	{"\"nodes\": 9, \"limits\": {\"min_spare_ports\": 4}",
	 "nothing fits: of 11 combinations of switches, 2 cannot connect nodes 9; min_spare_ports 4 excludes 9 "
	 "(nearest: S8 + S8, spare_ports 3)"},
	{"\"nodes\": 9, \"limits\": {\"max_cost\": 108.5, \"max_switches\": 5}",
	 "nothing fits: of 11 combinations of switches, 2 cannot connect nodes 9; max_cost 108.5 excludes 8 (nearest: "
	 "S4 + S12, cost 109); max_switches 5 excludes 4 (nearest: S4 + S12, switches 6); of 1 the cost is not known"},
	{"\"nodes\": 9, \"limits\": {\"max_cost\": 110, \"max_switches\": 5}",
	 "nothing fits: of 11 combinations of switches, 2 cannot connect nodes 9; max_cost 110 excludes 7 (nearest: S4 "
	 "+ S8, cost 129); max_switches 5 excludes 4 (nearest: S4 + S12, switches 6); of 1 the cost is not known"},
	{"\"nodes\": 9, \"limits\": {\"max_power_w\": 30}",
	 "nothing fits: of 11 combinations of switches, 2 cannot connect nodes 9; max_power_w 30 excludes 6 (nearest: "
	 "S8 + S8, power_w 35); of 3 the power_w is not known"},
	{"\"nodes\": 9, \"limits\": {\"min_blocking\": \"4:3\"}",
	 "nothing fits: of 11 combinations of switches, 2 cannot connect nodes 9; min_blocking 4:3 excludes 9 "
	 "(nearest: S4 + S8, blocking 1)"},
	{"\"nodes\": 6, \"topology\": \"star\", \"limits\": {\"max_cost\": 35.999}",
	 "nothing fits: of 2 combinations of switches, 1 cannot connect nodes 6; max_cost 35.999 excludes 1 (nearest: "
	 "S8, cost 36)"},
	{"\"nodes\": 9, \"objective\": \"size_u\"",
	 "nothing fits: of 11 combinations of switches, 2 cannot connect nodes 9; of 9 the size_u is not known"},
	/* too many nodes */
	{"\"nodes\": 100",
	 "nothing fits: of 11 combinations of switches, 11 cannot connect nodes 100 (the largest connects 48: S8 + "
	 "S12)"},
	{"\"nodes\": 9, \"nodes_max\": 49",
	 "nothing fits: of 11 combinations of switches, 11 cannot connect nodes_max 49 (the largest connects 48: S8 + "
	 "S12)"},
	{"\"nodes\": 9, \"edge\": {\"model\": \"S4\"}, \"topology\": \"star\"",
	 "nodes 9 do not fit on a star: one switch of 4 ports has 4 for nodes"},
	/* no price: the fewest switches, then cables, unless cost was asked for by its name */
	{"\"nodes\": 9, \"edge\": {\"model\": \"U8\"}", "3 x U8 + 2 x U8: ? by switches"},
	{"\"nodes\": 9, \"edge\": {\"model\": \"U8\"}, \"objective\": \"cost\"",
	 "nothing fits: of 1 combination of switches; of 1 the cost is not known"},
	{"\"nodes\": 9, \"edge\": {\"ports\": 8}, \"core\": {\"ports\": 8}, \"objective\": \"cost\"",
	 "3 x 8 + 2 x 8: ? by switches"},
	{"\"nodes\": 9, \"edge\": {\"ports\": 8}", "3 x 8 + 1 x S12: ? by switches"},
	/* models: a family, a population, and none */
	{"\"nodes\": 9, \"core\": {\"model\": \"Modular\"}", "5 x S4 + 1 x Modular (with 12 ports): 209"},
	{"\"nodes\": 9, \"core\": {\"model\": \"Modular (with 6 ports)\"}", "5 x S4 + 2 x Modular (with 6 ports): 309"},
	{"\"nodes\": 9, \"core\": {\"model\": \"Modular\", \"ports\": 6}", "5 x S4 + 2 x Modular (with 6 ports): 309"},
	{"\"nodes\": 9, \"core\": {\"model\": \"Modular\", \"fabric_boards\": 1}",
	 "5 x S4 + 1 x Modular (with 12 ports): 194"},
	{"\"nodes\": 9, \"core\": {\"model\": \"Modular\", \"fabric_boards\": 2}",
	 "5 x S4 + 1 x Modular (with 12 ports): 209"},
	{"\"nodes\": 9, \"core\": {\"model\": \"Modular\", \"fabric_boards\": 3}",
	 "core.fabric_boards: no \"Modular\" of the catalog \"shop\" has 3 fabric boards"},
	{"\"nodes\": 9, \"core\": {\"model\": \"S12\", \"fabric_boards\": 1}",
	 "core.fabric_boards: no \"S12\" of the catalog \"shop\" has 1 fabric boards"},
	{"\"nodes\": 3, \"edge\": {\"model\": \"S4\", \"fabric_boards\": 1}",
	 "edge.fabric_boards: no \"S4\" of the catalog \"shop\" has 1 fabric boards"},
	{"\"nodes\": 9, \"core\": {\"model\": \"Modular\", \"ports\": 7}",
	 "core.ports: no \"Modular\" of the catalog \"shop\" has 7 ports"},
	{"\"nodes\": 3, \"topology\": \"star\", \"edge\": {\"model\": \"S4\", \"ports\": 8}",
	 "edge.ports: no \"S4\" of the catalog \"shop\" has 8 ports"},
	{"\"nodes\": 9, \"core\": {\"model\": \"Modulr\"}",
	 "core.model: the catalog \"shop\" has no \"Modulr\"; did you mean \"Modular\"?"},
	{"\"nodes\": 9, \"core\": {\"model\": \"with 6\"}",
	 "core.model: the catalog \"shop\" has no \"with 6\"; did you mean \"Modular (with 6 ports)\"?"},
	{"\"nodes\": 9, \"core\": {\"model\": \"nothing like it\"}",
	 "core.model: the catalog \"shop\" has no \"nothing like it\""},
	{"\"nodes\": 9, \"core\": {\"model\": \"S4\"}",
	 "core.model: \"S4\" is not for this role by the catalog \"shop\""},
	{"\"nodes\": 9, \"edge\": {\"model\": \"S12\"}",
	 "edge.model: \"S12\" is not for this role by the catalog \"shop\""},
	{"\"nodes\": 6, \"edge\": {\"model\": \"U8\"}, \"topology\": \"star\"",
	 "edge.model: \"U8\" is not for this role by the catalog \"shop\""},
	{"\"nodes\": 9, \"levels\": 3, \"spine\": {\"model\": \"S4\"}",
	 "spine.model: \"S4\" is not for this role by the catalog \"shop\""},
	/*
	 * X8 is the cheapest core by far, and of another technology than any edge. In three levels: with two pods (3
	 * and 2 edges) 4 spines and 35 cables; with three (2, 2, 1), where both uplinks go to one spine, 3 and 31.
	 */
	{"\"nodes\": 9, \"edge\": {\"model\": \"S4\"}, \"core\": {\"model\": \"X8\"}", "5 x S4 + 2 x X8: 71"},
	{"\"nodes\": 9, \"core\": {\"model\": \"X8\"}",
	 "nothing fits: of 2 combinations of switches, 2 cannot connect nodes 9 (the largest connects 8: S8); none "
	 "with a core level is left, as switches of different technologies go together only where the design names the "
	 "models of both"},
	{"\"nodes\": 9, \"topology\": \"fat-tree\", \"core\": {\"model\": \"X8\"}",
	 "nothing fits: of 0 combinations of switches; none with a core level is left, as switches of different "
	 "technologies go together only where the design names the models of both"},
	{"\"nodes\": 9, \"edge\": {\"ports\": 4}, \"core\": {\"model\": \"X8\"}", "5 x 4 + 2 x X8: ? by switches"},
	{"\"nodes\": 9, \"levels\": 3, \"edge\": {\"model\": \"S4\"}, \"spine\": {\"model\": \"X8\"}, "
	 "\"core\": {\"model\": \"X8\"}",
	 "5 x S4 + 3 x X8 + 2 x X8: 86"},
	{"\"nodes\": 9, \"levels\": 3, \"edge\": {\"model\": \"S4\"}, \"core\": {\"model\": \"X8\"}",
	 "nothing fits: of 0 combinations of switches; none with a core level is left, as switches of different "
	 "technologies go together only where the design names the models of both"},
	/* more than there is memory for */
	{"\"nodes\": 1000000, \"levels\": 3, \"edge\": {\"ports\": 4096, \"ports_to_nodes\": 1}, \"spine\": "
	 "{\"ports\": "
	 "4096, \"ports_to_core\": 100}, \"core\": {\"ports\": 4096}",
	 "edge: more than 100000 edge switches are needed"},
};

/* The search's answer in one line; its complaint with the key that it blames. */
static void answer(struct ft_text *text, const struct ft_design *design, const struct ft_menu *menu)
{
	_cleanup_(ft_search_release) struct ft_search search = {0};
	struct ft_plan_blame blame = {0};
	const struct ft_candidate *c;
	struct ft_error err = {0};
	const char *between = "";

	if (ft_search(design, menu, 1, &search, &err, &blame) < 0) {
		ft_text_printf(text, "%s%s%s", blame.object ? blame.object : "", blame.object ? ": " : "", err.text);
		return;
	}
	c = &search.best[0];
	for (int tier = 0; tier < FT_TIER_COUNT; tier++) {
		const uint32_t counts[] = {c->shape.e, ft_shape_spines(&c->shape), c->shape.cores};

		if (!c->types[tier])
			continue;
		ft_text_printf(text, "%s%u x ", between, counts[tier]);
		if (c->types[tier]->name)
			ft_text_puts(text, c->types[tier]->name);
		else
			ft_text_printf(text, "%u", c->types[tier]->ports);
		between = " + ";
	}
	ft_text_puts(text, ": ");
	ft_quantity_add(text, ft_quantity_amount(c->cost));
	if (search.objective != design->objective)
		ft_text_printf(text, " by %s", ft_metric_name(search.objective));
}

static void choice_test(void **state)
{
	const struct choice_row *row = *state;
	_cleanup_(ft_design_freep) struct ft_design *design = design_of(row->keys);
	_cleanup_(ft_menu_release) struct ft_menu menu = {0};
	_cleanup_(ft_text_release) struct ft_text text = {0};
	struct ft_plan_blame blame = {0};
	struct ft_error err = {0};

	if (ft_menu_make(design, catalogs[SHOP], &menu, &err, &blame) < 0)
		ft_text_printf(&text, "%s.%s: %s", blame.object, blame.key, err.text);
	else
		answer(&text, design, &menu);
	if (strcmp(ft_text_string(&text), row->found) != 0)
		fail_msg("%s: %s, expected %s", row->keys, ft_text_string(&text), row->found);
}

/* The best of the pool that keeps to a limit, NULL: none does. */
static const struct ft_candidate *pool_within(const struct pool *pool, const struct trial *t,
					      const struct ft_limit *limit)
{
	const struct ft_candidate *best = NULL;

	for (size_t i = 0; i < pool->count; i++) {
		struct ft_quantity value = value_of(t, &pool->all[i], limit->metric);
		int order = ft_quantity_known(value) ? ft_quantity_compare(value, limit->bound) : 0;

		if (!ft_quantity_known(value) || !is_known(t, &pool->all[i], FT_METRIC_COST) ||
		    (limit->is_max ? order > 0 : order < 0))
			continue;
		if (!best || is_better(t, &pool->all[i], best))
			best = &pool->all[i];
	}
	return best;
}

static void check_limit(struct trial *t, const struct pool *pool, struct ft_limit limit)
{
	const struct ft_candidate *expected = pool_within(pool, t, &limit);
	_cleanup_(ft_search_release) struct ft_search search = {0};
	struct ft_design design = *t->design;
	struct ft_error err = {0};
	int r;

	design.limits = &limit;
	design.limit_count = 1;
	design.objective_given = true;
	snprintf(t->what, sizeof(t->what), "%s_%s %" PRId64 "/%" PRId64, limit.is_max ? "max" : "min",
		 ft_metric_name(limit.metric), limit.bound.num, limit.bound.den);
	r = ft_search(&design, &t->menu, 1, &search, &err, NULL);
	if (r != (expected ? 0 : -EINVAL))
		fail_msg("%s: %d: %s", t->what, r, err.text);
	if (expected)
		assert_same(t, &search.best[0], expected, 0);
}

/* Both limits on every metric, at every value that it has, and a little beside it. */
static void test_limits(void **state)
{
	_cleanup_(pool_release) struct pool pool = {0};
	_cleanup_(trial_release) struct trial t = {.catalog = catalogs[SHOP]};
	unsigned int limits = 0;

	(void)state;
	t.design = design_of("\"nodes\": 9");
	assert_int_equal(ft_menu_make(t.design, t.catalog, &t.menu, NULL, NULL), 0);
	assert_int_equal(ft_search(t.design, &t.menu, 1, &t.search, NULL, NULL), 0);
	pool_fill(&pool, &t);
	assert_int_equal(pool.count, 9);
	for (size_t i = 0; i < pool.count; i++)
		for (int metric = 0; metric < FT_METRIC_COUNT; metric++) {
			struct ft_quantity value = value_of(&t, &pool.all[i], (enum ft_metric)metric);

			for (int beside = -1; beside <= 1 && ft_quantity_known(value); beside++) {
				struct ft_quantity bound = {value.num * 1000 + beside, value.den * 1000};

				check_limit(&t, &pool, (struct ft_limit){(enum ft_metric)metric, true, bound});
				check_limit(&t, &pool, (struct ft_limit){(enum ft_metric)metric, false, bound});
				limits += 2;
			}
		}
	print_message("%u limits\n", limits);
	assert_true(limits > 600);
}

/* Whatever there is to choose from, what is chosen is of one technology; what is named is taken at its word. */
static void test_technologies(void **state)
{
	static const char *const rows[] = {
		"\"nodes\": 700, \"topology\": \"fat-tree\"",
		"\"nodes\": 700, \"edge\": {\"model\": \"Mellanox SB7800\"}, \"topology\": \"fat-tree\"",
		"\"nodes\": 700, \"core\": {\"model\": \"NVIDIA Q3400-RA\"}, \"topology\": \"fat-tree\"",
		"\"nodes\": 3000, \"levels\": 3",
		"\"nodes\": 3000, \"levels\": 3, \"spine\": {\"model\": \"NVIDIA QM8700\"}",
	};
	_cleanup_(ft_plan_freep) struct ft_plan *mixed = NULL;

	(void)state;
	for (size_t i = 0; i < FT_COUNT(rows); i++) {
		_cleanup_(ft_design_freep) struct ft_design *design = design_of(rows[i]);
		_cleanup_(ft_search_release) struct ft_search search = {0};
		_cleanup_(ft_menu_release) struct ft_menu menu = {0};

		assert_int_equal(ft_menu_make(design, catalogs[LATER], &menu, NULL, NULL), 0);
		assert_int_equal(ft_search(design, &menu, 100, &search, NULL, NULL), 0);
		for (size_t k = 0; k < search.count; k++)
			for (int tier = FT_TIER_SPINE; tier < FT_TIER_COUNT; tier++)
				if (search.best[k].types[tier])
					assert_string_equal(search.best[k].types[FT_TIER_EDGE]->technology,
							    search.best[k].types[tier]->technology);
	}
	mixed = plan_of("\"nodes\": 700, \"edge\": {\"model\": \"Mellanox SB7800\"}, "
			"\"core\": {\"model\": \"NVIDIA Q3400-RA\"}",
			catalogs[LATER]);
	assert_string_equal(mixed->models[FT_TIER_EDGE], "Mellanox SB7800");
	assert_string_equal(mixed->models[FT_TIER_CORE], "NVIDIA Q3400-RA");
}

/* ---- memory that runs out ---- */

/* From the design to everything that is written of a choice. */
static int choose_and_write(const struct ft_text *file, const uint32_t *stages)
{
	_cleanup_(ft_search_release) struct ft_search search = {0}, front = {0};
	_cleanup_(ft_text_release) struct ft_text text = {0}, json = {0};
	_cleanup_(ft_design_freep) struct ft_design *design = NULL, *again = NULL;
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL, *same = NULL;
	_cleanup_(ft_menu_release) struct ft_menu menu = {0};
	struct ft_plan_blame blame = {0};
	struct ft_error err = {0};
	int r;

	r = ft_design_read_with(file->data, file->length, catalogs[SHOP], &design, &plan, &err);
	if (r == 0)
		r = ft_menu_make(design, catalogs[SHOP], &menu, &err, &blame);
	if (r == 0)
		r = ft_search_pareto(design, &menu, FT_METRIC_COST, FT_METRIC_SPARE_PORTS, &front, &err, &blame);
	if (r == 0)
		r = ft_search(design, &menu, 5, &search, &err, &blame);
	if (r == 0)
		r = ft_write_stages(&text, design, &menu, stages, 3, &err, &blame);
	if (r < 0)
		return r;
	ft_write_front(&text, design, &front, FT_METRIC_COST, FT_METRIC_SPARE_PORTS);
	ft_write_alternatives(&text, design, &search);
	ft_csv_row(&text, design, &search.best[0]);
	ft_csv_plan(&text, plan);
	ft_plan_write_text(&text, design, plan, NULL);
	r = ft_plan_write_design(&json, design, plan);
	if (r < 0 || ft_text_failed(&text))
		return -ENOMEM;
	return ft_design_read_with(json.data, json.length, NULL, &again, &same, &err);
}

/* Nothing fits, which needs memory to be said too. */
static int choose_nothing(const struct ft_text *file, const uint32_t *stages)
{
	struct ft_design *design = NULL;
	struct ft_error err = {0};
	int r;

	(void)stages;
	r = ft_design_read_with(file->data, file->length, catalogs[SHOP], &design, NULL, &err);
	assert_null(design);
	/* What base/error.h says instead where the text itself needs memory. */
	if (strcmp(err.text, "no memory is left to say what") == 0)
		return -ENOMEM;
	if (r == -EINVAL && !strstr(err.text, "(nearest: S4 + S12, cost 109)"))
		fail_msg("%s", err.text);
	return r == -EINVAL ? 0 : r;
}

/* One allocation after the other fails: each time -ENOMEM comes back, and nothing leaks. */
static void test_no_memory(void **state)
{
	static const struct {
		const char *keys;
		uint32_t stages[3];
		int (*work)(const struct ft_text *file, const uint32_t *stages);
	} rows[] = {
		{"\"nodes\": 30, \"fill\": \"dense\"", {9, 20, 30}, choose_and_write},
		{"\"nodes\": 16, \"levels\": 3, \"fill\": \"dense\"", {5, 9, 16}, choose_and_write},
		{"\"nodes\": 9, \"limits\": {\"max_cost\": 100}", {0}, choose_nothing},
		{"\"nodes\": 8", {4, 6, 8}, choose_and_write},
	};

	/* Every allocation; a prime apart where each step is dear (valgrind). */
	const size_t stride = rounds_wanted(1000) < 100 ? 13 : 1;

	(void)state;
	json_set_alloc_funcs(__wrap_malloc, free);
	for (size_t i = 0; i < FT_COUNT(rows); i++) {
		_cleanup_(ft_text_release) struct ft_text file = whole_design(rows[i].keys);
		size_t failing = 0;
		int r;

		allocation_keeps_failing = true;
		do {
			failing += stride;
			allocation_failing = failing;
			r = rows[i].work(&file, rows[i].stages);
			allocation_failing = 0;
			if (r < 0 && r != -ENOMEM)
				fail_msg("%s: allocation %zu: %d", rows[i].keys, failing, r);
		} while (r < 0);
		print_message("up to %zu allocations failed once\n", failing - 1);
		assert_true(failing > 30);
	}
	json_set_alloc_funcs(malloc, free);
}

int main(void)
{
	static struct CMUnitTest tests[REFERENCES_MAX + FT_COUNT(choice_rows) + FT_COUNT(reread_rows) + 16];
	const struct CMUnitTest others[] = {
		cmocka_unit_test(test_references_are_there), cmocka_unit_test(test_random_by_ports),
		cmocka_unit_test(test_random_from_catalog),  cmocka_unit_test(test_growth_in_pods),
		cmocka_unit_test(test_best_of_all),	     cmocka_unit_test(test_limits),
		cmocka_unit_test(test_technologies),	     cmocka_unit_test(test_no_memory),
	};
	size_t n = 0;

	for (size_t i = 0; i < FT_COUNT(reference_files); i++)
		references_load(i);
	for (size_t i = 0; i < reference_count; i++)
		tests[n++] = (struct CMUnitTest){references[i].name, references[i].test, NULL, NULL, &references[i]};
	for (size_t i = 0; i < FT_COUNT(choice_rows); i++)
		tests[n++] = (struct CMUnitTest){choice_rows[i].keys, choice_test, NULL, NULL,
						 (void *)(uintptr_t)&choice_rows[i]};
	for (size_t i = 0; i < FT_COUNT(reread_rows); i++)
		tests[n++] = (struct CMUnitTest){reread_rows[i].keys, reread_test, NULL, NULL,
						 (void *)(uintptr_t)&reread_rows[i]};
	for (size_t i = 0; i < FT_COUNT(others); i++)
		tests[n++] = others[i];
	return _cmocka_run_group_tests("search", tests, n, catalogs_load, catalogs_free) ? 1 : 0;
}
