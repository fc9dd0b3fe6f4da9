/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Figures of plans that are any graph: what is counted, how far hosts are apart, blocking and bisection, what findings
 * cost and what more failures do. A tree that is written as a graph has the figures of the tree.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/bench.h"
#include "tests/extend.h"
#include "tests/rows.h"
#include "base/cuts.h"
#include "verify/report/look.h"
#include "verify/model/report.h"

#define GRAPH "{\"ftcheck\":1,\"name\":\"t\",\"topology\":\"graph\",\"switches\":["

/* Eight switches of four hosts; three cables to each neighbour, on ports 5 to 10. */
#define RING                                                                                                    \
	GRAPH "{\"name\":\"sw[1-8]\",\"ports\":16,\"hosts\":4}],\"links\":["                                    \
	      "{\"a\":\"sw1\",\"b\":[\"sw2\",\"sw8\"],\"count\":3},{\"a\":\"sw3\",\"b\":[\"sw2\",\"sw4\"],"     \
	      "\"count\":3},{\"a\":\"sw5\",\"b\":[\"sw4\",\"sw6\"],\"count\":3},{\"a\":\"sw7\",\"b\":[\"sw6\"," \
	      "\"sw8\"],\"count\":3}]}"

/* A torus of four by four, one cable a direction, three hosts on each. */
#define TORUS_ROW(r)                                                                                            \
	"{\"a\":\"" r "1\",\"b\":[\"" r "2\",\"" r "4\"],\"count\":1},{\"a\":\"" r "3\",\"b\":[\"" r "2\",\"" r \
	"4\"],\"count\":1}"
#define TORUS_COLUMN(c)                                                                                          \
	"{\"a\":\"a" c "\",\"b\":[\"b" c "\",\"d" c "\"],\"count\":1},{\"a\":\"c" c "\",\"b\":[\"b" c "\",\"d" c \
	"\"],\"count\":1}"
#define TORUS                                                                                                \
	GRAPH "{\"name\":[\"a[1-4]\",\"b[1-4]\",\"c[1-4]\",\"d[1-4]\"],\"ports\":8,\"hosts\":3}],\"links\":" \
	      "[" TORUS_ROW("a") "," TORUS_ROW("b") "," TORUS_ROW("c") "," TORUS_ROW("d") "," TORUS_COLUMN(  \
		      "1") "," TORUS_COLUMN("2") "," TORUS_COLUMN("3") "," TORUS_COLUMN("4") "]}"

/* Five groups of four routers, all to all inside, one cable between each two groups. */
#define DRAGONFLY                                                                                           \
	GRAPH "{\"name\":[\"g[1-5]r[1-4]\"],\"kind\":\"router\",\"ports\":8,\"hosts\":2}],\"links\":["      \
	      "{\"a\":\"g1r[1-4]\",\"b\":\"g1r[1-4]\",\"count\":1},{\"a\":\"g2r[1-4]\",\"b\":\"g2r[1-4]\"," \
	      "\"count\":1},{\"a\":\"g3r[1-4]\",\"b\":\"g3r[1-4]\",\"count\":1},{\"a\":\"g4r[1-4]\","       \
	      "\"b\":\"g4r[1-4]\",\"count\":1},{\"a\":\"g5r[1-4]\",\"b\":\"g5r[1-4]\",\"count\":1},"        \
	      "{\"a\":\"g1r1\",\"b\":\"g2r1\",\"count\":1},{\"a\":\"g1r2\",\"b\":\"g3r1\",\"count\":1},"    \
	      "{\"a\":\"g1r3\",\"b\":\"g4r1\",\"count\":1},{\"a\":\"g1r4\",\"b\":\"g5r1\",\"count\":1},"    \
	      "{\"a\":\"g2r2\",\"b\":\"g3r2\",\"count\":1},{\"a\":\"g2r3\",\"b\":\"g4r2\",\"count\":1},"    \
	      "{\"a\":\"g2r4\",\"b\":\"g5r2\",\"count\":1},{\"a\":\"g3r3\",\"b\":\"g4r3\",\"count\":1},"    \
	      "{\"a\":\"g3r4\",\"b\":\"g5r3\",\"count\":1},{\"a\":\"g4r4\",\"b\":\"g5r4\",\"count\":1}]}"

/* Two trees that are not cabled to each other, of two leaves and two spines each. */
#define TWO                                                                                                         \
	GRAPH "{\"name\":[\"a[1-2]\",\"b[1-2]\"],\"kind\":\"leaf\",\"ports\":8,\"hosts\":4},{\"name\":[\"x[1-2]\"," \
	      "\"y[1-2]\"],\"kind\":\"spine\",\"ports\":8}],\"links\":[{\"a\":\"a[1-2]\",\"b\":\"x[1-2]\","         \
	      "\"count\":2},{\"a\":\"b[1-2]\",\"b\":\"y[1-2]\",\"count\":2}]}"

/* Two rings of four that are not cabled to each other. */
#define RINGS                                                                           \
	GRAPH "{\"name\":[\"a[1-4]\",\"b[1-4]\"],\"ports\":8,\"hosts\":2}],\"links\":[" \
	      "{\"a\":\"a[1,3]\",\"b\":\"a[2,4]\",\"count\":1},{\"a\":\"b[1,3]\",\"b\":\"b[2,4]\",\"count\":1}]}"

struct row {
	const char *what;
	const char *design;
	const char *faults;
	const char *figures; /* see figures_write() */
	const char *costs;   /* see costs_write(); NULL: not looked at */
};

static const struct row rows[] = {
	{"ring", RING, "",
	 "8/8 switch, 24/24 cables, 32/32 hosts, 5/5 apart, 0 without a path, blocking 2:3/2:3, bisection 1", ""},
	{"a cable of a ring", RING, "cut sw1:5",
	 "8/8 switch 2 degraded, 23/24 cables, 32/32 hosts, 5/5 apart, 0 without a path, blocking 2:3/4:5, bisection "
	 "5:6",
	 "1 lost, bisection 1:6, 2 edges, sw1 1:6 blocks 4:5"},
	/* Of the line of eight that is left the two in the middle are cut off by nothing. */
	{"a link of a ring", RING, "cut sw1:5; cut sw1:6; cut sw1:7",
	 "8/8 switch 2 degraded, 21/24 cables, 32/32 hosts, 5/8 apart, 0 without a path, blocking 2:3/4:3, bisection "
	 "1:2",
	 "3 lost, 24 at risk, bisection 1:2, 2 edges, sw1 1:2 blocks 4:3"},
	{"a switch of a ring", RING, "dead sw3",
	 "7/8 switch 2 degraded 1 isolated, 18/24 cables, 28/32 hosts, 5/7 apart, 0 without a path, blocking 2:3/4:3, "
	 "bisection 1:2",
	 "6 lost, 4 cut off, 20 at risk, bisection 1:2, 2 edges, sw2 1:2 blocks 4:3"},
	{"torus", TORUS, "",
	 "16/16 switch, 32/32 cables, 48/48 hosts, 5/5 apart, 0 without a path, blocking 3:4/3:4, bisection 1", ""},
	{"a cable of a torus", TORUS, "cut a1:4",
	 "16/16 switch 2 degraded, 31/32 cables, 48/48 hosts, 5/5 apart, 0 without a path, blocking 3:4/1, bisection "
	 "7:8",
	 "1 lost, bisection 1:8, 2 edges, a1 1:4 blocks 1"},
	{"dragonfly", DRAGONFLY, "",
	 "20/20 router, 40/40 cables, 40/40 hosts, 4/4 apart, 0 without a path, blocking 1:2/1:2, bisection 1", ""},
	{"two networks are not without a path to each other", TWO, "",
	 "4/4 leaf, 4/4 spine, 16/16 cables, 16/16 hosts, 3/3 apart, 0 without a path, blocking 1/1, bisection 1", ""},
	{"a cable of one of two networks", TWO, "cut a1:5",
	 "4/4 leaf 1 degraded, 4/4 spine 1 degraded, 15/16 cables, 16/16 hosts, 3/3 apart, 0 without a path, blocking "
	 "1/4:3, bisection 15:16",
	 "1 lost, bisection 1:16, 1 edge, a1 1:4 blocks 4:3"},
	{"a leaf of one of two networks is apart", TWO, "cut a1:5; cut a1:6; cut a1:7; cut a1:8",
	 "4/4 leaf 1 isolated, 4/4 spine 2 degraded, 12/16 cables, 16/16 hosts, 3/3 apart, 16 without a path, blocking "
	 "1/1, bisection 3:4",
	 "4 lost, 4 cut off, bisection 1:4"},
	{"two rings are cut one by one", RINGS, "cut a1:3",
	 "8/8 switch 2 degraded, 7/8 cables, 16/16 hosts, 3/4 apart, 0 without a path, blocking 1/2, bisection 3:4",
	 "1 lost, 6 at risk, bisection 1:4, 2 edges, a1 1:2 blocks 2"},
};

static void ratio_write(struct ft_text *text, struct ft_ratio ratio)
{
	if (ratio.den == 1)
		ft_text_printf(text, "%" PRId64, ratio.num);
	else
		ft_text_printf(text, "%" PRId64 ":%" PRId64, ratio.num, ratio.den);
}

static void kinds_write(const struct ft_report *r, struct ft_text *text)
{
	for (size_t i = 0; i < r->kind_count; i++) {
		const struct ft_report_kind *kind = &r->kinds[i];

		ft_text_printf(text, "%u/%u %s", kind->found, kind->planned, kind->name);
		if (kind->degraded)
			ft_text_printf(text, " %u degraded", kind->degraded);
		if (kind->isolated)
			ft_text_printf(text, " %u isolated", kind->isolated);
		if (kind->missing)
			ft_text_printf(text, " %u missing", kind->missing);
		ft_text_puts(text, ", ");
	}
}

/* All that does not depend on what switches are called. */
static void figures_write(const struct ft_report *r, struct ft_text *text)
{
	ft_text_printf(text, "%u/%u cables, %u/%u hosts, %u/%u apart, %" PRIu64 " without a path, blocking ",
		       r->uplinks.up, r->uplinks.planned, r->hosts.found, r->hosts.planned, r->clos_planned,
		       r->clos_found, r->hops_unreachable);
	ratio_write(text, r->blocking_planned);
	ft_text_puts(text, "/");
	ratio_write(text, r->blocking_worst);
	ft_text_puts(text, ", bisection ");
	ratio_write(text, r->bisection);
}

static void costs_write(const struct ft_report *r, struct ft_text *text)
{
	for (size_t i = 0; i < r->finding_count; i++) {
		const struct ft_impact *impact = &r->findings[i].impact;

		ft_text_printf(text, "%s%u lost", i ? "; " : "", impact->links_lost);
		if (impact->hosts_cut_off)
			ft_text_printf(text, ", %u cut off", impact->hosts_cut_off);
		if (impact->hosts_at_risk)
			ft_text_printf(text, ", %u at risk", impact->hosts_at_risk);
		if (impact->bisection_lost.num > 0) {
			ft_text_puts(text, ", bisection ");
			ratio_write(text, impact->bisection_lost);
		}
		if (!r->findings[i].worst_edge)
			continue;
		ft_text_printf(text, ", %u edge%s, %s ", impact->edges, impact->edges == 1 ? "" : "s",
			       r->findings[i].worst_edge);
		ratio_write(text, impact->edge_loss);
		if (impact->blocking.den > 0) {
			ft_text_puts(text, " blocks ");
			ratio_write(text, impact->blocking);
		}
	}
}

static void test_row(void **state)
{
	const struct row *row = *state;
	_cleanup_(bench_release) struct bench b;
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	_cleanup_(ft_text_release) struct ft_text figures = {0}, costs = {0};

	bench_make(&b, row->design);
	faults_apply(&b, row->faults);
	assert_int_equal(ft_verify(b.design, b.plan, b.snapshot, "2026-11-20", &report), 0);
	report_check(report);
	kinds_write(report, &figures);
	figures_write(report, &figures);
	costs_write(report, &costs);
	assert_string_equal(ft_text_string(&figures), row->figures);
	if (row->costs)
		assert_string_equal(ft_text_string(&costs), row->costs);
	/* OpenSM's ftree is for what has an up and a down. */
	assert_false(report->ftree_known);
	report_returns(report);
}

static void after_write(const struct ft_after *after, struct ft_text *text)
{
	ft_text_printf(text, "%u of %u, %s%s: ", after->count, after->of, after->ways, after->exact ? "" : " drawn");
	ratio_write(text, after->worst.edges);
	ft_text_puts(text, " edges, ");
	ratio_write(text, after->worst.hosts);
	ft_text_puts(text, " hosts, bisection ");
	ratio_write(text, after->worst.bisection);
	ft_text_puts(text, ", blocking ");
	ratio_write(text, after->worst.blocking);
	if (after->hops_looked == 0)
		return;
	ft_text_puts(text, ", ");
	ratio_write(text, after->worst.clos);
	ft_text_puts(text, " apart, mean ");
	ratio_write(text, after->worst.mean_hops);
	ft_text_puts(text, ", ");
	ratio_write(text, after->worst.pairs);
	ft_text_puts(text, " pairs");
}

/* ---- trees as graphs ---- */

#define SMALL "{\"ftcheck\":1,\"name\":\"t\",\"nodes\":72,\"edge\":{\"ports\":36},\"core\":{\"ports\":36}}"
#define PODS                                                                                                           \
	"{\"ftcheck\":1,\"name\":\"t\",\"levels\":3,\"nodes\":48,\"blocking\":\"4:1\",\"pods\":3,\"edge\":{\"ports\":" \
	"12,\"count\":12,\"ports_to_nodes\":4,\"ports_to_core\":6},\"spine\":{\"ports\":12,\"count\":9,"               \
	"\"ports_to_core\":2},\"core\":{\"ports\":6,\"count\":6},\"bundle\":{\"edge\":2,\"spine\":1}}"

/* The last of four edges has two hosts and three cables, which the design says are slower. */
#define SERVICE                                                                                                     \
	"{\"ftcheck\":1,\"name\":\"t\",\"topology\":\"fat-tree\",\"nodes\":14,\"edge\":{\"ports\":8,\"count\":4,"   \
	"\"ports_to_nodes\":4,\"ports_to_core\":4},\"core\":{\"ports\":16,\"count\":2},\"bundle\":2,\"classes\":[{" \
	"\"count\":1,\"hosts\":2,\"bundle\":[2,1],\"rate\":{\"uplink\":\"4xEDR\",\"host\":\"4xHDR\"}}]}"

/* Three levels with two spines of each pod in a plane; and all of them in one. */
#define PLANES(planes, ports, cores)                                                                                  \
	"{\"ftcheck\":1,\"name\":\"t\",\"levels\":3,\"nodes\":64,\"blocking\":\"4:1\",\"pods\":2,\"planes\":" planes  \
	",\"edge\":{\"ports\":12,\"count\":8,\"ports_to_nodes\":8,\"ports_to_core\":4},\"spine\":{\"ports\":12,"      \
	"\"count\":8,\"ports_to_core\":4},\"core\":{\"ports\":" ports ",\"count\":" cores "},\"bundle\":{\"edge\":1," \
	"\"spine\":1}}"

static const struct {
	const char *design, *faults;
} trees[] = {
	{PLANES("2", "32", "8"), ""},
	{PLANES("2", "32", "8"), "cut edge003:9; dead core02"},
	{PLANES("1", "32", "4"), "dead spine02; cut edge007:10"},
	{SERVICE, ""},
	{SERVICE, "dead edge002"},
	{SMALL, ""},
	{SMALL, "cut edge003:20"},
	{SMALL, "cut edge003:20; cut edge003:21; cut edge001:30"},
	{SMALL, "dead core01"},
	{SMALL, "dead edge002"},
	{SMALL, "dead core02; cut edge001:20"},
	{SMALL, "rate edge003:20 4xEDR"},
	{PODS, ""},
	{PODS, "cut edge003:6"},
	{PODS, "cut edge003:5; cut edge003:6"},
	{PODS, "dead spine04"},
	{PODS, "dead core02"},
	{PODS, "dead core01; dead spine02"},
	{PODS, "dead edge007; rate edge001:7 4xEDR"},
};

/* The design that lists the switches and links of @plan. */
static void graph_write(const struct ft_plan *plan, struct ft_text *text)
{
	ft_text_puts(text, GRAPH);
	for (uint32_t i = 0; i < plan->switch_count; i++) {
		const struct ft_plan_switch *sw = &plan->switches[i];

		ft_text_printf(text, "%s{\"name\":\"%s\",\"kind\":\"%s\",\"ports\":%u,\"hosts\":%u}", i ? "," : "",
			       sw->name, ft_tier_name(sw->tier), sw->ports, sw->hosts);
	}
	ft_text_puts(text, "],\"links\":[");
	for (uint32_t i = 0; i < plan->bundle_count; i++)
		ft_text_printf(text, "%s{\"a\":\"%s\",\"b\":\"%s\",\"count\":%u}", i ? "," : "",
			       plan->switches[plan->bundles[i].a].name, plan->switches[plan->bundles[i].b].name,
			       plan->bundles[i].count);
	ft_text_puts(text, "]}");
}

/* The same with cables; which switches may fail is not the same in trees and graphs. */
static void after_cables_write(const struct bench *b, struct ft_report *report, struct ft_text *text)
{
	const struct ft_verify_input input = {
		.design = b->design, .plan = b->plan, .snapshot = b->snapshot, .today = "2026-11-20"};

	for (uint32_t count = 1; count < 4; count++) {
		assert_int_equal(after_add(&input, FT_AFTER_CABLE, count, report), 0);
		ft_text_puts(text, "; ");
		after_write(&report->after[count - 1], text);
	}
}

static void tree_figures(const char *design, const char *faults, struct ft_text *ret_graph, struct ft_text *figures)
{
	_cleanup_(bench_release) struct bench b;
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;

	bench_make(&b, design);
	if (ret_graph)
		graph_write(b.plan, ret_graph);
	faults_apply(&b, faults);
	assert_int_equal(ft_verify(b.design, b.plan, b.snapshot, "2026-11-20", &report), 0);
	figures_write(report, figures);
	for (size_t i = 0; i < report->hops_found.count; i++)
		ft_text_printf(figures, ", %u: %" PRIu64, report->hops_found.pairs[i].chips,
			       report->hops_found.pairs[i].pairs);
	ft_text_puts(figures, "; ");
	costs_write(report, figures);
	for (size_t i = 0; i < report->switch_count; i++)
		ft_text_printf(figures, "; %s %s", report->switches[i].name,
			       ft_status_name(report->switches[i].status));
	after_cables_write(&b, report, figures);
}

static void test_tree_as_graph(void **state)
{
	(void)state;
	for (size_t i = 0; i < FT_COUNT(trees); i++) {
		_cleanup_(ft_text_release) struct ft_text graph = {0}, tree_words = {0}, graph_words = {0};

		tree_figures(trees[i].design, trees[i].faults, &graph, &tree_words);
		tree_figures(ft_text_string(&graph), trees[i].faults, NULL, &graph_words);
		assert_string_equal(ft_text_string(&graph_words), ft_text_string(&tree_words));
	}
}

/* ---- cuts ---- */

static uint64_t cut_of(const struct ft_multigraph *graph, uint64_t side)
{
	uint64_t cut = 0;

	for (uint32_t v = 0; v < graph->count; v++)
		for (const struct ft_adjacent *a = ft_adjacent_of(graph, v); a < ft_adjacent_of(graph, v + 1); a++)
			cut += (side >> v & 1) > (side >> a->vertex & 1) ? a->count : 0;
	return cut;
}

static uint64_t weight_of(const uint32_t *weight, uint32_t count, uint64_t side)
{
	uint64_t sum = 0;

	for (uint32_t v = 0; v < count; v++)
		sum += side >> v & 1 ? weight[v] : 0;
	return sum;
}

static uint32_t random_below(uint64_t *random, uint32_t below)
{
	*random = *random * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((*random >> 33) % below);
}

/* All halves of a graph of ten vertices, against those that are found. */
static void test_cuts(void **state)
{
	enum { VERTICES = 10, RUNS = 60 };
	uint64_t random = 7;

	(void)state;
	for (unsigned int run = 0; run < RUNS; run++) {
		_cleanup_(ft_multigraph_release) struct ft_multigraph graph = {0};
		struct ft_edge edges[30];
		uint32_t weight[VERTICES], part[VERTICES] = {0}, total = 0;
		uint64_t side[VERTICES] = {0}, least = UINT64_MAX, found = UINT64_MAX;
		struct ft_cut_search search = {&graph, weight, part, 1, side, 0};

		for (uint32_t v = 0; v < VERTICES; v++)
			total += weight[v] = run % 3 == 0 ? 1 : run % 3 == 1 ? (v < 6) * 4 : v % 2 + 1;
		for (size_t i = 0; i < FT_COUNT(edges); i++)
			edges[i] = (struct ft_edge){random_below(&random, VERTICES), random_below(&random, VERTICES),
						    1 + random_below(&random, 4)};
		assert_int_equal(ft_multigraph_make(VERTICES, edges, FT_COUNT(edges), &graph), 0);
		/* Each of these weights can be halved, or misses by one. */
		for (uint64_t half = 0; half < 1 << VERTICES; half++)
			if (2 * weight_of(weight, VERTICES, half) == total - total % 2 && cut_of(&graph, half) < least)
				least = cut_of(&graph, half);
		assert_int_equal(ft_cuts_search(&search, 20), 0);
		assert_int_equal(search.count, 20);
		for (unsigned int n = 0; n < search.count; n++) {
			uint64_t half = 0, heavy;

			for (uint32_t v = 0; v < VERTICES; v++)
				half |= (side[v] >> n & 1) << v;
			heavy = weight_of(weight, VERTICES, half);
			heavy = 2 * heavy > total ? heavy : total - heavy;
			assert_int_equal(heavy, total - total / 2);
			found = cut_of(&graph, half) < found ? cut_of(&graph, half) : found;
		}
		assert_int_equal(found, least);
	}
}

/* A torus of 16 by 10 by 8 is cut across its longest side, twice 80 cables. */
static void test_cut_of_torus(void **state)
{
	enum { X = 16, Y = 10, Z = 8, COUNT = X * Y * Z };
	_cleanup_(ft_multigraph_release) struct ft_multigraph graph = {0};
	_cleanup_free_ struct ft_edge *edges = calloc(3UL * COUNT, sizeof(*edges));
	_cleanup_free_ uint32_t *weight = calloc(COUNT, sizeof(*weight));
	_cleanup_free_ uint32_t *part = calloc(COUNT, sizeof(*part));
	_cleanup_free_ uint64_t *side = calloc(COUNT, sizeof(*side));
	struct ft_cut_search search = {&graph, weight, part, 1, side, 0};
	uint64_t least = UINT64_MAX;
	uint32_t count = 0;

	(void)state;
	assert_true(edges && weight && part && side);
	for (uint32_t v = 0; v < COUNT; v++) {
		uint32_t x = v / (Y * Z), y = v / Z % Y, z = v % Z;

		weight[v] = 12;
		edges[count++] = (struct ft_edge){v, ((x + 1) % X * Y + y) * Z + z, 1};
		edges[count++] = (struct ft_edge){v, (x * Y + (y + 1) % Y) * Z + z, 1};
		edges[count++] = (struct ft_edge){v, (x * Y + y) * Z + (z + 1) % Z, 1};
	}
	assert_int_equal(ft_multigraph_make(COUNT, edges, count, &graph), 0);
	assert_int_equal(ft_cuts_search(&search, 40), 0);
	for (unsigned int n = 0; n < search.count; n++) {
		uint64_t cut = 0;

		for (uint32_t i = 0; i < count; i++)
			cut += (side[edges[i].a] ^ side[edges[i].b]) >> n & 1;
		least = cut < least ? cut : least;
	}
	assert_int_equal(least, 2 * Y * Z);
}

/* ---- who is at risk ---- */

enum { RISK_SWITCHES = 6 };

/* Switch i has 2^i hosts, so that no two parts have as many. */
struct small {
	uint32_t width[RISK_SWITCHES][RISK_SWITCHES];
};

static uint32_t part_from(const struct small *g, uint32_t from, uint32_t dead)
{
	uint32_t part = 1U << from, before = 0;

	while (part != before) {
		before = part;
		for (uint32_t a = 0; a < RISK_SWITCHES; a++)
			for (uint32_t b = 0; part >> a & 1 && b < RISK_SWITCHES; b++)
				if (g->width[a][b] > 0 && b != dead)
					part |= 1U << b;
	}
	return part;
}

/* Those that are not of the greatest part that switch 0 … 5 but @dead make; numbers are sets, and numbers of hosts. */
static uint32_t cut_off_by(const struct small *g, uint32_t within, uint32_t dead)
{
	uint32_t most = 0;

	for (uint32_t v = 0; v < RISK_SWITCHES; v++)
		if (v != dead && within >> v & 1 && part_from(g, v, dead) > most)
			most = part_from(g, v, dead);
	return within & ~most & (dead < RISK_SWITCHES ? ~(1U << dead) : ~0U);
}

static uint32_t at_risk(const struct small *g)
{
	uint32_t all = (1U << RISK_SWITCHES) - 1, risk = 0;

	for (uint32_t v = 0; v < RISK_SWITCHES; v++)
		risk |= cut_off_by(g, all, v);
	for (uint32_t a = 0; a < RISK_SWITCHES; a++)
		for (uint32_t b = 0; b < a; b++) {
			struct small less = *g;

			less.width[a][b] = less.width[b][a] = 0;
			risk |= g->width[a][b] == 1 ? cut_off_by(&less, all, RISK_SWITCHES) : 0;
		}
	return risk;
}

static void small_design(const struct small *g, struct ft_text *text)
{
	const char *gap = "";

	ft_text_puts(text, GRAPH);
	for (uint32_t v = 0; v < RISK_SWITCHES; v++)
		ft_text_printf(text, "%s{\"name\":\"s%u\",\"ports\":60,\"hosts\":%u}", v ? "," : "", v, 1U << v);
	ft_text_puts(text, "],\"links\":[");
	for (uint32_t a = 0; a < RISK_SWITCHES; a++)
		for (uint32_t b = a + 1; b < RISK_SWITCHES; b++) {
			if (g->width[a][b] == 0)
				continue;
			ft_text_printf(text, "%s{\"a\":\"s%u\",\"b\":\"s%u\",\"count\":%u}", gap, a, b, g->width[a][b]);
			gap = ",";
		}
	ft_text_puts(text, "]}");
}

/* Takes a bundle away, and says in @faults what is to be cut for that. */
static void bundle_take(const struct bench *b, struct small *g, uint64_t *random, char *faults, size_t size)
{
	const struct ft_plan_bundle *bundle = &b->plan->bundles[random_below(random, b->plan->bundle_count)];
	size_t length = 0;

	g->width[bundle->a][bundle->b] = g->width[bundle->b][bundle->a] = 0;
	for (uint32_t k = 0; k < bundle->count; k++)
		length +=
			(size_t)snprintf(faults + length, size - length, "cut s%u:%u;", bundle->a, bundle->a_port + k);
}

/* Graphs of six switches that lack a bundle, by taking each switch and each cable away. */
static void test_at_risk(void **state)
{
	enum { RUNS = 300 };
	uint64_t random = 11;
	unsigned int some = 0;

	(void)state;
	for (unsigned int run = 0; run < RUNS; run++) {
		_cleanup_(ft_text_release) struct ft_text design = {0};
		_cleanup_(ft_report_freep) struct ft_report *report = NULL;
		_cleanup_(bench_release) struct bench b = {0};
		struct small g = {0};
		uint32_t planned, found;
		char faults[512];

		for (uint32_t v = 1; v < RISK_SWITCHES; v++)
			for (unsigned int n = 0; n < 2; n++) {
				uint32_t u = random_below(&random, v);

				g.width[u][v] += g.width[u][v] < 2;
				g.width[v][u] = g.width[u][v];
			}
		small_design(&g, &design);
		bench_make(&b, ft_text_string(&design));
		planned = at_risk(&g);
		bundle_take(&b, &g, &random, faults, sizeof(faults));
		if (part_from(&g, 0, RISK_SWITCHES) != (1U << RISK_SWITCHES) - 1)
			continue;
		found = at_risk(&g) & ~planned;
		faults_apply(&b, faults);
		assert_int_equal(ft_verify(b.design, b.plan, b.snapshot, "2026-11-20", &report), 0);
		assert_int_equal(report->finding_count, 1);
		if (report->findings[0].impact.hosts_at_risk != found)
			fail_msg("run %u, %s: %s", run, faults, ft_text_string(&design));
		some += found > 0;
	}
	assert_true(some > RUNS / 4);
}

/* ---- the kind "switch" ---- */

/* No text says "switch switch". */
static void test_kind_words(void **state)
{
	static const struct {
		const char *design, *faults;
	} kinds[] = {{RING, "dead sw3"}, {RING, "mute sw3"},	       {TORUS, "dead b2; dead c3"},
		     {TORUS, "mute b2"}, {TORUS, "only a1; cut a1:4"}, {RING, "cut sw1:5; cut sw1:6; cut sw1:7"}};

	(void)state;
	for (size_t i = 0; i < FT_COUNT(kinds); i++)
		for (unsigned int named = 0; named < 2; named++) {
			_cleanup_(bench_release) struct bench b;
			_cleanup_(ft_report_freep) struct ft_report *report = NULL;
			_cleanup_(ft_text_release) struct ft_text words = {0};

			bench_make(&b, kinds[i].design);
			faults_apply(&b, kinds[i].faults);
			if (!named)
				switches_unname(b.snapshot);
			assert_int_equal(ft_verify(b.design, b.plan, b.snapshot, "2026-11-20", &report), 0);
			assert_true(report->finding_count > 0);
			ft_report_write_text(&words, report, true, false);
			ft_report_write_json(&words, report);
			assert_non_null(strstr(ft_text_string(&words), "switch"));
			assert_null(strstr(ft_text_string(&words), "switch switch"));
		}
}

/* ---- what more failures do ---- */

static const struct {
	const char *what, *design, *faults;
	enum ft_after_kind kind;
	uint32_t count;
	const char *expected;
} afters[] = {
	{"a switch of a ring", RING, "", FT_AFTER_CORE, 1,
	 "1 of 8, 8: 1 edges, 4 hosts, bisection 1:2, blocking 4:3, 7 apart, mean 337037:100000, 118 pairs"},
	{"two of a ring part it", RING, "", FT_AFTER_CORE, 2,
	 "2 of 8, 28: 5 edges, 20 hosts, bisection 0, blocking 4:3, 6 apart, mean 605797:200000, 364 pairs"},
	{"a cable of a ring", RING, "", FT_AFTER_CABLE, 1,
	 "1 of 24, 24: 0 edges, 0 hosts, bisection 833333:1000000, blocking 4:5, 5 apart, mean 766129:250000, 0 pairs"},
	{"six cables part a ring", RING, "", FT_AFTER_CABLE, 6,
	 "6 of 24, 134596 drawn: 4 edges, 16 hosts, bisection 0, blocking 4, 8 apart, mean 3709677:1000000, 256 pairs"},
	{"a ring that is open already", RING, "cut sw1:5; cut sw1:6; cut sw1:7", FT_AFTER_CORE, 1,
	 "1 of 8, 8: 4 edges, 16 hosts, bisection 0, blocking 4:3, 7 apart, mean 337037:100000, 310 pairs"},
	{"a switch of a torus", TORUS, "", FT_AFTER_CORE, 1,
	 "1 of 16, 16: 1 edges, 3 hosts, bisection 7:8, blocking 1, 5 apart, mean 3036363:1000000, 138 pairs"},
	{"networks are counted one by one", TWO, "", FT_AFTER_CORE, 1,
	 "1 of 8, 8: 1 edges, 4 hosts, bisection 3:4, blocking 2"},
	{"two of a torus", TORUS, "", FT_AFTER_CABLE, 2,
	 "2 of 32, 496: 0 edges, 0 hosts, bisection 3:4, blocking 3:2, 5 apart, mean 1553191:500000, 0 pairs"},
};

static void test_after(void **state)
{
	(void)state;
	for (size_t i = 0; i < FT_COUNT(afters); i++) {
		_cleanup_(bench_release) struct bench b;
		_cleanup_(ft_report_freep) struct ft_report *report = NULL;
		_cleanup_(ft_text_release) struct ft_text words = {0};
		struct ft_verify_input input;

		bench_make(&b, afters[i].design);
		faults_apply(&b, afters[i].faults);
		input = (struct ft_verify_input){
			.design = b.design, .plan = b.plan, .snapshot = b.snapshot, .today = "2026-11-20"};
		assert_int_equal(ft_verify_all(&input, &report), 0);
		assert_int_equal(after_add(&input, afters[i].kind, afters[i].count, report), 0);
		assert_int_equal(report->after_count, 1);
		after_write(&report->after[0], &words);
		assert_string_equal(ft_text_string(&words), afters[i].expected);
		report_returns(report);
	}
}

/* Of all sets but those that cut off the entry of the sweep, whose report knows nothing: the worst, and sums. */
struct far {
	int64_t clos, clos_sum, mean_ppm, mean_ppm_sum, pairs, pairs_sum, unknown;
};

static void histogram_sum(const struct ft_histogram *hops, uint64_t *ret_pairs, uint64_t *ret_chips)
{
	*ret_pairs = *ret_chips = 0;
	for (size_t i = 0; i < hops->count; i++) {
		*ret_pairs += hops->pairs[i].pairs;
		*ret_chips += hops->pairs[i].pairs * hops->pairs[i].chips;
	}
}

static void far_add(struct far *far, const struct ft_report *whole, const struct ft_report *dead)
{
	uint64_t planned, pairs, chips;
	int64_t mean, cut;

	histogram_sum(&whole->hops_found, &planned, &chips);
	histogram_sum(&dead->hops_found, &pairs, &chips);
	if (pairs == 0) {
		far->unknown++;
		return;
	}
	mean = (int64_t)(chips * 1000000 / pairs);
	cut = (int64_t)(planned - pairs);
	far->clos = dead->clos_found > far->clos ? dead->clos_found : far->clos;
	far->clos_sum += dead->clos_found;
	far->mean_ppm = mean > far->mean_ppm ? mean : far->mean_ppm;
	far->mean_ppm_sum += mean;
	far->pairs = cut > far->pairs ? cut : far->pairs;
	far->pairs_sum += cut;
}

/* The mean of so many ways is the sum of those known, and of no more than the worst for each of the others. */
static void mean_is(struct ft_ratio mean, int64_t unit, int64_t ways, int64_t sum, int64_t others)
{
	int64_t whole = mean.num * unit * ways / mean.den;

	/* Millionths are rounded down. */
	assert_true(whole + (unit > 1 ? ways : 0) >= sum && whole <= sum + others);
}

static void far_is(const struct far *far, const struct ft_after *after)
{
	const struct ft_after_state *worst = &after->worst, *mean = &after->mean;
	int64_t ways = after->looked;

	assert_int_equal(after->hops_looked, ways);
	assert_int_equal(far->unknown, 1);
	assert_int_equal(worst->clos.num, far->clos);
	assert_int_equal(worst->mean_hops.num * 1000000 / worst->mean_hops.den, far->mean_ppm);
	assert_int_equal(worst->pairs.num, far->pairs);
	mean_is(mean->clos, 1, ways, far->clos_sum, far->clos);
	mean_is(mean->mean_hops, 1000000, ways, far->mean_ppm_sum, far->mean_ppm);
	mean_is(mean->pairs, 1, ways, far->pairs_sum, far->pairs);
}

/* What one more failure does is what the report says once it has happened. */
static void test_after_happens(void **state)
{
	static const char *const designs[] = {RING, TORUS, DRAGONFLY};

	(void)state;
	for (size_t i = 0; i < FT_COUNT(designs); i++) {
		_cleanup_(bench_release) struct bench b;
		_cleanup_(ft_report_freep) struct ft_report *report = NULL;
		struct ft_ratio blocking = {0, 1}, bisection = {1, 1};
		struct ft_verify_input input;
		struct far far = {0};
		uint32_t hosts = 0;

		bench_make(&b, designs[i]);
		input = (struct ft_verify_input){
			.design = b.design, .plan = b.plan, .snapshot = b.snapshot, .today = "2026-11-20"};
		assert_int_equal(ft_verify_all(&input, &report), 0);
		assert_int_equal(after_add(&input, FT_AFTER_CORE, 1, report), 0);
		for (uint32_t k = 0; k < b.plan->switch_count; k++) {
			_cleanup_(bench_release) struct bench one;
			_cleanup_(ft_report_freep) struct ft_report *dead = NULL;
			char fault[64];

			bench_make(&one, designs[i]);
			snprintf(fault, sizeof(fault), "dead %s", b.plan->switches[k].name);
			faults_apply(&one, fault);
			assert_int_equal(ft_verify(one.design, one.plan, one.snapshot, "2026-11-20", &dead), 0);
			assert_int_equal(dead->finding_count, 1);
			far_add(&far, report, dead);
			hosts = dead->findings[0].impact.hosts_cut_off > hosts ? dead->findings[0].impact.hosts_cut_off
									       : hosts;
			if (ft_ratio_compare(dead->blocking_worst, blocking) > 0)
				blocking = dead->blocking_worst;
			if (ft_ratio_compare(dead->bisection, bisection) < 0)
				bisection = dead->bisection;
		}
		assert_int_equal(report->after[0].worst.hosts.num, hosts);
		assert_int_equal(ft_ratio_compare(report->after[0].worst.blocking, blocking), 0);
		assert_int_equal(ft_ratio_compare(report->after[0].worst.bisection, bisection), 0);
		far_is(&far, &report->after[0]);
		report_returns(report);
	}
}

/* ---- rates ---- */

/* Four leaves and a storage leaf of other ports, whose cables and hosts are all slower. */
#define STORAGE                                                                                          \
	GRAPH "{\"name\":\"leaf[1-4]\",\"kind\":\"leaf\",\"ports\":16,\"hosts\":4},{\"name\":\"store\"," \
	      "\"kind\":\"storage\",\"ports\":12,\"hosts\":4},{\"name\":\"top[1-2]\",\"kind\":\"top\","  \
	      "\"ports\":40}],\"links\":[{\"a\":[\"leaf[1-4]\",\"store\"],\"b\":\"top[1-2]\",\"count\":2}]}"

static const struct {
	const char *what, *design, *faults, *expected;
} rates[] = {
	{"a kind that is slow", STORAGE,
	 "rate store:1 4xEDR; rate store:2 4xEDR; rate store:3 4xEDR; rate store:4 4xEDR; rate store:5 4xEDR; "
	 "rate store:6 4xEDR; rate store:7 4xEDR; rate store:8 4xEDR",
	 "ok"},
	{"one of a kind that is slow", STORAGE,
	 "rate store:5 4xEDR; rate store:6 4xEDR; rate store:7 4xEDR; rate store:8 4xFDR",
	 "warning; cable-slow seen store:8 top2:10"},
	{"a slow level of a tree", PODS,
	 "rate core01:1 4xEDR; rate core01:2 4xEDR; rate core01:3 4xEDR; rate core02:1 4xEDR; rate core02:2 4xEDR; "
	 "rate core02:3 4xEDR; rate core03:1 4xEDR; rate core03:2 4xEDR; rate core03:3 4xEDR; rate core04:1 4xEDR; "
	 "rate core04:2 4xEDR; rate core04:3 4xEDR; rate core05:1 4xEDR; rate core05:2 4xEDR; rate core05:3 4xEDR; "
	 "rate core06:1 4xEDR; rate core06:2 4xEDR; rate core06:3 4xEDR",
	 "ok"},
	{"a class that the design says is slow", SERVICE,
	 "rate edge004:2 4xEDR; rate edge004:5 4xEDR; rate edge004:6 4xEDR; rate edge004:7 4xEDR",
	 "warning; cable-slow seen edge004:2 node014:1"},
	{"one of few proves nothing", RINGS, "rate a1:3 4xEDR", "warning; cable-slow seen a1:3 a2:3"},
};

static void test_rates(void **state)
{
	(void)state;
	for (size_t i = 0; i < FT_COUNT(rates); i++) {
		_cleanup_(bench_release) struct bench b;
		_cleanup_(ft_report_freep) struct ft_report *report = NULL;
		_cleanup_(ft_text_release) struct ft_text words = {0};

		bench_make(&b, rates[i].design);
		faults_apply(&b, rates[i].faults);
		assert_int_equal(ft_verify(b.design, b.plan, b.snapshot, "2026-11-20", &report), 0);
		report_words(report, &words);
		assert_string_equal(ft_text_string(&words), rates[i].expected);
	}
}

/* ---- words ---- */

/* What has no edge, no core and no uplinks is not told of any. */
static void test_words(void **state)
{
	static const char *const wrong[] = {"edge switch", "core switch", "uplink", "tier"};
	static const char *const faults[] = {"", "cut sw1:5", "cut sw1:5; cut sw3:6", "rate sw1:5 4xEDR"};

	(void)state;
	for (size_t i = 0; i < FT_COUNT(faults); i++) {
		_cleanup_(bench_release) struct bench b;
		_cleanup_(ft_report_freep) struct ft_report *report = NULL;
		_cleanup_(ft_text_release) struct ft_text text = {0};
		struct ft_verify_input input;

		bench_make(&b, RING);
		faults_apply(&b, faults[i]);
		input = (struct ft_verify_input){
			.design = b.design, .plan = b.plan, .snapshot = b.snapshot, .today = "2026-11-20"};
		assert_int_equal(ft_verify_all(&input, &report), 0);
		assert_int_equal(after_add(&input, FT_AFTER_CORE, 1, report), 0);
		assert_int_equal(after_add(&input, FT_AFTER_CABLE, 1, report), 0);
		report->plan_file = ft_arena_string(&report->memory, "plan.json");
		report->repair_asked = true;
		ft_report_write_text(&text, report, true, false);
		for (size_t k = 0; k < FT_COUNT(wrong); k++)
			assert_null(strstr(ft_text_string(&text), wrong[k]));
		ft_text_reset(&text);
		ft_report_write_nagios(&text, report);
		assert_null(strstr(ft_text_string(&text), "edge"));
		assert_null(strstr(ft_text_string(&text), "core"));
	}
}

static const struct {
	const char *design, *faults, *name, *head;
} looks[] = {
	{RING, "dead sw3", "sw3", "sw3, switch that was not seen: isolated, 0 of 6 cables, 0 hosts\n"},
	{RING, "cut sw1:5", "SW1", "sw1 (0x0000000000100001), switch: degraded, 5 of 6 cables, 4 hosts\n"},
	{DRAGONFLY, "", "g1r1", "g1r1 (0x0000000000100001), router switch: ok, 4 of 4 cables, 2 hosts\n"},
	{RING, "spare stray 36; link stray:1 sw1:16", "stray",
	 "stray (0x0000000000400001), a switch that the plan does not know: unplanned, 0 of 0 cables, 0 hosts\n"},
};

static void test_look(void **state)
{
	(void)state;
	for (size_t i = 0; i < FT_COUNT(looks); i++) {
		_cleanup_(bench_release) struct bench b;
		_cleanup_(ft_look_freep) struct ft_look *look = NULL;
		_cleanup_(ft_text_release) struct ft_text text = {0};
		struct ft_error err = {0};
		struct ft_verify_input input;

		bench_make(&b, looks[i].design);
		faults_apply(&b, looks[i].faults);
		input = (struct ft_verify_input){
			.design = b.design, .plan = b.plan, .snapshot = b.snapshot, .today = "2026-11-20"};
		assert_int_equal(ft_look_make(&input, looks[i].name, &look, &err), 0);
		ft_look_write_text(&text, look, false, &(struct ft_terminal){0});
		text.data[strcspn(text.data, "\n") + 1] = '\0';
		assert_string_equal(text.data, looks[i].head);
	}
}

static void test_no_memory(void **state)
{
	static const char *const designs[] = {RING, TWO};

	(void)state;
	for (size_t i = 0; i < FT_COUNT(designs); i++) {
		_cleanup_(bench_release) struct bench b;

		bench_make(&b, designs[i]);
		faults_apply(&b, i == 0 ? "dead sw3" : "dead x1");
		bench_out_of_memory(&b, false);
	}
}

int main(void)
{
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(test_tree_as_graph), cmocka_unit_test(test_cuts),
		cmocka_unit_test(test_cut_of_torus),  cmocka_unit_test(test_at_risk),
		cmocka_unit_test(test_after),	      cmocka_unit_test(test_after_happens),
		cmocka_unit_test(test_kind_words),    cmocka_unit_test(test_rates),
		cmocka_unit_test(test_words),	      cmocka_unit_test(test_look),
		cmocka_unit_test(test_no_memory),
	};

	return rows_run(rows, test_row, others) ? 1 : 0;
}
