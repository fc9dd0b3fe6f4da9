/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Switches beside the tree: planned, written, and verified. The tree is that of test_levels.c. mgmt1 hangs on mgmt2,
 * which hangs on two cores; store1 hangs on a spine.
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

#include "planner/write/formats.h"
#include "tests/allocations.h"
#include "tests/bench.h"
#include "tests/extend.h"
#include "tests/refused.h"
#include "tests/rows.h"
#include "verify/model/model.h"
#include "verify/report/draw.h"

#define PODS                                                                                                           \
	"{\"ftcheck\":1,\"name\":\"t\",\"levels\":3,\"nodes\":48,\"blocking\":\"4:1\",\"pods\":3,\"edge\":{\"ports\":" \
	"12,\"count\":12,\"ports_to_nodes\":4,\"ports_to_core\":6},\"spine\":{\"ports\":12,\"count\":9,"               \
	"\"ports_to_core\":2},\"core\":{\"ports\":6,\"count\":6},\"bundle\":{\"edge\":2,\"spine\":1}"
#define ISLANDS                                                                                                   \
	PODS ",\"islands\":[{\"name\":\"management\",\"switches\":[{\"name\":\"mgmt1\",\"ports\":8,\"hosts\":2}," \
	     "{\"name\":\"mgmt2\",\"ports\":8,\"hosts\":0}],\"bundles\":[{\"a\":\"mgmt1\",\"b\":\"mgmt2\","       \
	     "\"count\":3},{\"a\":\"mgmt2\",\"b\":\"core[01-02]\",\"count\":1}]},{\"name\":\"storage\","          \
	     "\"switches\":[{\"name\":\"store1\",\"ports\":8,\"hosts\":3}],\"bundles\":[{\"a\":\"spine05\","      \
	     "\"b\":\"store1\",\"count\":2}]}]"

#define TREE "{\"ftcheck\":1,\"name\":\"t\",\"nodes\":9,\"edge\":{\"ports\":8},\"core\":{\"ports\":8}"

/* Edges with unlike numbers of hosts, as built. */
#define UNEVEN                                                                                                         \
	"{\"ftcheck\":1,\"name\":\"t\",\"nodes\":20,\"edge\":{\"ports\":8,\"ports_to_nodes\":4,\"hosts\":[{\"count\":" \
	"4,"                                                                                                           \
	"\"hosts\":4},{\"count\":2,\"hosts\":2}]},\"core\":{\"ports\":8}"
/* The last pod is part full, and what is there has fewer hosts. */
#define PART_FULL                                                                                                    \
	"{\"ftcheck\":1,\"name\":\"t\",\"levels\":3,\"nodes\":36,\"blocking\":\"4:1\",\"pods\":[{\"count\":2,"       \
	"\"edges\":4},{\"count\":1,\"edges\":2}],\"edge\":{\"ports\":12,\"count\":10,\"ports_to_nodes\":4,"          \
	"\"ports_to_core\":6,\"hosts\":[{\"count\":8,\"hosts\":4},{\"count\":2,\"hosts\":2}]},\"spine\":{\"ports\":" \
	"12,"                                                                                                        \
	"\"count\":9,\"ports_to_core\":2},\"core\":{\"ports\":6,\"count\":6},\"bundle\":{\"edge\":2,\"spine\":1}"

struct row {
	const char *what;
	const char *design;
	const char *faults;
	const char *expected; /* as in test_verify.c */
	const char *counts; /* "up/missing/misplaced/unplanned, islands found/ok/degraded/missing, hosts planned/found,
			       farthest planned/found" */
};

static const struct row rows[] = {
	{"healthy", ISLANDS "}", "", "ok", "97/0/0/0, 3/3/0/0, 53/53, 7/7"},
	{"a cable between islanders", ISLANDS "}", "cut mgmt1:4", "warning; cable-missing absent mgmt1:4 mgmt2:4",
	 "96/1/0/0, 3/1/2/0, 53/53, 7/7"},
	{"a cable to the tree", ISLANDS "}", "cut mgmt2:1", "warning; cable-missing absent mgmt2 core01:6",
	 "96/1/0/0, 3/2/1/0, 53/53, 7/7"},
	{"a cable of two to the tree", ISLANDS "}", "cut store1:5", "warning; cable-missing absent store1:5 spine05:10",
	 "96/1/0/0, 3/2/1/0, 53/53, 7/7"},
	{"a dead leaf of an island", ISLANDS "}", "dead mgmt1", "critical; edge-isolated absent mgmt2",
	 "94/3/0/0, 2/1/1/1, 53/51, 7/5"},
	{"a dead switch with one behind", ISLANDS "}", "dead mgmt2", "critical; edge-isolated absent core01 core02 x2",
	 "92/5/0/0, 1/1/0/2, 53/51, 7/5"},
	{"a dead islander on a spine", ISLANDS "}", "dead store1",
	 "critical; edge-isolated absent spine05:9 spine05:10 x2", "95/2/0/0, 2/2/0/1, 53/50, 7/5"},
	{"a dead core that carries a cable", ISLANDS "}", "dead core01",
	 "warning; core-missing absent spine01:11 spine04:11 spine07:11 mgmt2", "93/4/0/0, 3/2/1/0, 53/53, 7/7"},
	{"a dead spine that carries an island", ISLANDS "}", "dead spine05",
	 "critical; core-missing absent edge005:7 edge005:8 edge006:7 edge006:8 edge007:7 edge007:8 edge008:7 "
	 "edge008:8 core03:2 core04:2",
	 "85/12/0/0, 2/2/0/1, 53/50, 7/5"},
	/* store1 went with spine05, and not with core03 */
	{"two dead, one of which carries an island", ISLANDS "}", "dead core03; dead spine05",
	 "critical; core-missing absent edge005:7 edge005:8 edge006:7 edge006:8 edge007:7 edge007:8 edge008:7 "
	 "edge008:8 core04:2; core-missing absent spine02:11 spine08:11",
	 "83/14/0/0, 2/2/0/1, 53/50, 7/5"},
	{"a mute islander", ISLANDS "}", "mute mgmt2", "warning; switch-mute mute core01:6 core02:6 x2",
	 "94/0/0/0, 1/1/0/0, 53/51, 7/5"},
	{"a mute one on a spine", ISLANDS "}", "mute store1", "warning; switch-mute mute spine05:9 spine05:10 x2",
	 "97/0/0/0, 2/2/0/0, 53/50, 7/5"},
	{"misplaced in the tree", ISLANDS "}", "cut mgmt2:1; link mgmt2:1 core03:6",
	 "warning; cable-misplaced seen mgmt2:1 core03:6", "96/0/1/0, 3/2/1/0, 53/53, 7/5"},
	{"misplaced on an islander", ISLANDS "}", "cut mgmt2:1; link store1:8 core01:6",
	 "warning; cable-misplaced seen store1:8 core01:6", "96/0/1/0, 3/2/1/0, 53/53, 7/6"},
	{"two of islands swapped", ISLANDS "}",
	 "cut mgmt2:1; cut store1:4; link mgmt2:1 spine05:9; link store1:4 core01:6",
	 "warning; cables-swapped seen mgmt2:1 spine05:9 store1:4 core01:6 x2", "95/0/2/0, 3/1/2/0, 53/53, 7/5"},
	{"one too many", ISLANDS "}", "link mgmt1:8 edge003:11", "warning; cable-unplanned seen edge003:11 mgmt1:8",
	 "97/0/0/1, 3/3/0/0, 53/53, 7/6"},
	{"one of a pair too many", ISLANDS "}", "link mgmt1:8 mgmt2:8", "warning; cable-unplanned seen mgmt1:8 mgmt2:8",
	 "97/0/0/1, 3/3/0/0, 53/53, 7/7"},
	{"a loop", ISLANDS "}", "link mgmt1:7 mgmt1:8", "warning; loopback seen mgmt1:7 mgmt1:8",
	 "97/0/0/0, 3/3/0/0, 53/53, 7/7"},
	{"slow", ISLANDS "}", "rate mgmt1:3 4xEDR", "warning; cable-slow seen mgmt1:3 mgmt2:3",
	 "97/0/0/0, 3/3/0/0, 53/53, 7/7"},
	{"hosts that lack", ISLANDS "}", "cut mgmt1:1; cut store1:2; cut edge001:1",
	 "ok; hosts-missing absent edge001 mgmt1 store1 x3", "97/0/0/0, 3/3/0/0, 53/50, 7/7"},
	{"hosts too many", ISLANDS "}", "host mgmt1:8", "ok; hosts-unplanned seen mgmt1",
	 "97/0/0/0, 3/3/0/0, 53/54, 7/7"},
	{"another name", ISLANDS "}", "name mgmt2 MF0_mgmt2:MQM8700/U1",
	 "ok; switch-replaced seen MF0_mgmt2:MQM8700/U1", "97/0/0/0, 3/3/0/0, 53/53, 7/7"},
	{"renamed", ISLANDS "}", "name store1 other", "ok; switch-replaced seen other",
	 "97/0/0/0, 3/3/0/0, 53/53, 7/7"},
	{"a stranger of the same name", ISLANDS "}", "spare mgmt1 8; link mgmt1:8 mgmt2:8",
	 "warning; cable-unplanned seen mgmt1:8 mgmt2:8; switch-unplanned seen mgmt1", "97/0/0/1, 3/3/0/0, 53/53, 7/7"},
	{"a stranger on an islander", ISLANDS "}", "spare new 8; link new:1 mgmt2:8",
	 "warning; switch-unplanned seen new", "97/0/0/0, 3/3/0/0, 53/53, 7/7"},
	{"an islander not read", ISLANDS "}", "fog mgmt2",
	 "warning; sweep-incomplete unreached core01:6 core02:6 mgmt1:3 mgmt1:4 mgmt1:5 mgmt2:1 mgmt2:2 mgmt2:3 "
	 "mgmt2:4 mgmt2:5 x10",
	 "92/0/0/0, 3/3/0/0, 53/53, 7/5"},
	{"both ends silent", ISLANDS "}", "hide mgmt1:4; hide mgmt2:4",
	 "warning; sweep-incomplete mute mgmt1:4 mgmt2:4 x2", "96/0/0/0, 3/3/0/0, 53/53, 7/7"},
	{"the sweep began on one that is cut off", ISLANDS "}", "lone mgmt1", "critical; edge-isolated absent mgmt1 x3",
	 "0/3/0/0, 1/0/1/0, 53/2, 7/1"},
	{"the sweep began on one", ISLANDS "}", "only mgmt1", "ok", "97/0/0/0, 3/3/0/0, 53/53, 7/7"},
	{"uneven", UNEVEN "}", "", "ok", "24/0/0/0, 0/0/0/0, 20/20, 3/3"},
	{"uneven, a host of the few", UNEVEN "}", "cut edge005:1", "ok; hosts-missing absent edge005",
	 "24/0/0/0, 0/0/0/0, 20/19, 3/3"},
	{"uneven, a host of the many", UNEVEN "}", "cut edge002:1", "ok; hosts-missing absent edge002",
	 "24/0/0/0, 0/0/0/0, 20/19, 3/3"},
	{"uneven, a host moved", UNEVEN "}", "cut edge002:1; host edge006:3", "warning; edge-overloaded seen edge006",
	 "24/0/0/0, 0/0/0/0, 20/20, 3/3"},
	{"uneven, a host more", UNEVEN "}", "host edge006:3", "warning; edge-overloaded seen edge006",
	 "24/0/0/0, 0/0/0/0, 20/21, 3/3"},
	{"uneven, a dead edge", UNEVEN "}", "dead edge006",
	 "critical; edge-isolated absent core01 core02 core03 core04 x4", "20/4/0/0, 0/0/0/0, 20/18, 3/3"},
	{"uneven, bound, a dead edge",
	 UNEVEN ",\"bind\":{\"edge\":[\"edge001\",\"edge002\",\"edge003\",\"edge004\",\"edge005\",\"edge006\"]}}",
	 "dead edge006", "critical; edge-isolated absent core01 core02 core03 core04 x4",
	 "20/4/0/0, 0/0/0/0, 20/18, 3/3"},
	{"a part full pod", PART_FULL "}", "", "ok", "78/0/0/0, 0/0/0/0, 36/36, 5/5"},
	{"a part full pod, an edge of it", PART_FULL "}", "dead edge009",
	 "critical; edge-isolated absent spine07:1 spine07:2 spine08:1 spine08:2 spine09:1 spine09:2 x6",
	 "72/6/0/0, 0/0/0/0, 36/34, 5/5"},
	{"a part full pod, a host of it", PART_FULL "}", "cut edge009:1", "ok; hosts-missing absent edge009",
	 "78/0/0/0, 0/0/0/0, 36/35, 5/5"},
	{"a part full pod, a cable of it", PART_FULL "}", "cut edge010:5",
	 "warning; cable-missing absent edge010:5 spine07:3", "77/1/0/0, 0/0/0/0, 36/36, 5/5"},
	{"a part full pod, swapped with another", PART_FULL "}",
	 "cut edge010:5; cut edge001:7; link edge010:5 spine02:1; link edge001:7 spine07:3",
	 "warning; cables-swapped seen edge001:7 spine07:3 edge010:5 spine02:1 x2", "76/0/2/0, 0/0/0/0, 36/36, 5/5"},
};

static void report_counts(const struct ft_report *r, struct ft_text *text)
{
	ft_text_printf(text, "%u/%u/%u/%u, %u/%u/%u/%u, %u/%u, %u/%u", r->uplinks.up, r->uplinks.missing,
		       r->uplinks.misplaced, r->uplinks.unplanned, r->islands.found, r->islands.ok, r->islands.degraded,
		       r->islands.missing, r->hosts.planned, r->hosts.found, r->clos_planned, r->clos_found);
}

/* Islands are no strangers in the picture of the tree. */
static void drawing_check(const struct bench *b, const struct ft_report *report)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};
	struct ft_error err = {0};

	assert_int_equal(ft_report_draw(&text, report, b->design, b->plan, ft_draw_dot, &err), 0);
	assert_int_equal(strstr(text.data, "not in the plan") != NULL, report->switch_count > b->plan->switch_count);
}

static void test_row(void **state)
{
	const struct row *row = *state;
	_cleanup_(bench_release) struct bench b;
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;

	row_check(row->design, row->faults, row->expected, row->counts, report_counts, &b, &report);
	drawing_check(&b, report);
}

/* ---- the key ---- */

#define ONE(switches, bundles) \
	TREE ",\n\"islands\":[{\"name\":\"i\",\"switches\":[" switches "],\"bundles\":[" bundles "]}]}"

#define HOSTS(kinds)                                                                                                  \
	"{\"ftcheck\":1,\"name\":\"t\",\"nodes\":9,\n\"edge\":{\"ports\":8,\"hosts\":" kinds "},\"core\":{\"ports\":" \
	"8}}"

static const struct {
	const char *design, *error;
} bad[] = {
	{TREE ",\n\"islands\":{}}", "2:11: \"islands\" must be a list, not an object"},
	{TREE ",\n\"islands\":[]}", "2:11: \"islands\" must not be empty"},
	{TREE ",\n\"islands\":[{\"name\":\"i\",\"switches\":[\"m\"]}]}", "2:12: \"bundles\" is missing: its cables"},
	{ONE("\"m\"", ""), "2:51: \"bundles\" must not be empty"},
	{ONE("{\"ports\":8}", "{\"a\":\"m\",\"b\":\"core01\"}"),
	 "2:36: \"name\" is missing: the names of the switches"},
	{ONE("\"m\"", "{\"a\":\"m\"}"), "2:52: \"b\" is missing: the switch at the other end"},
	{ONE("\"m\"", "{\"a\":\"m\",\"b\":\"core01\",\"count\":0}"), "2:82: \"count\" is 0; it must be 1 to 254"},
	{ONE("\"m[3-1]\"", "{\"a\":\"m\",\"b\":\"core01\"}"),
	 "2:36: element 1 of \"switches\" holds no range of numbers such as [1-3,07-12]"},
	{ONE("\"m[1-]\"", "{\"a\":\"m\",\"b\":\"core01\"}"),
	 "2:36: element 1 of \"switches\" holds no range of numbers such as [1-3,07-12]"},
	{ONE("\"m[1-99999999]\"", "{\"a\":\"m\",\"b\":\"core01\"}"),
	 "2:36: element 1 of \"switches\" is more than 10000 names"},
	{ONE("\"m\"", "{\"a\":\"m\",\"b\":\"m\"}"), "2:11: a bundle of \"m\" ends on itself"},
	{ONE("\"m\"", "{\"a\":\"n\",\"b\":\"core01\"}"),
	 "2:11: a bundle of an island ends on \"n\", and neither end is a switch of an island"},
	{ONE("\"m\",\"MF0;m:MQM8700/U1\"", "{\"a\":\"m\",\"b\":\"core01\"}"),
	 "2:11: \"MF0;m:MQM8700/U1\" of an island is the name of another planned switch too"},
	{ONE("\"core01\"", "{\"a\":\"m\",\"b\":\"core01\"}"),
	 "2:11: \"core01\" of an island is the name of another planned switch too"},
	{ONE("\"m\"", "{\"a\":\"m\",\"b\":\"core01\"},{\"a\":\"core01\",\"b\":\"m\"}"),
	 "2:11: two bundles of islands are between the same two switches, one of them \"m\""},
	{ONE("{\"name\":\"m\",\"hosts\":8}", "{\"a\":\"m\",\"b\":\"core01\"}"),
	 "2:11: \"m\" of an island has fewer ports than hosts and cables"},
	{ONE("\"m\"", "{\"a\":\"m\",\"b\":\"core01\",\"count\":6}"),
	 "2:11: \"core01\" has no ports left for the cables of an island"},
	{HOSTS("[]"), "2:27: \"hosts\" must not be empty"},
	{HOSTS("[{\"count\":2}]"), "2:28: \"hosts\" is missing: hosts of each"},
	{HOSTS("[{\"count\":2,\"hosts\":4}]"), "2:27: \"hosts\" are 8 in all, but nodes is 9"},
	{HOSTS("[{\"count\":1,\"hosts\":5},{\"count\":1,\"hosts\":4}]"),
	 "2:8: nodes 9 need 3 edge switches at ports_to_nodes 4, but edge.count is 2"},
	{"{\"ftcheck\":1,\"name\":\"t\",\"nodes\":9,\n\"edge\":{\"ports\":8,\"count\":4,\"hosts\":[{\"count\":3,"
	 "\"hosts\":3}]},"
	 "\"core\":{\"ports\":8}}",
	 "2:37: \"hosts\" are of 3 edge switches, but edge.count is 4"},
	{ONE("\"m\"", "{\"a\":\"m\",\"b\":\"elsewhere\",\"count\":6}"),
	 "2:11: \"elsewhere\" has no ports left for the cables of an island"},
};

static void test_bad(void **state)
{
	(void)state;
	for (size_t i = 0; i < FT_COUNT(bad); i++)
		design_refused(bad[i].design, bad[i].error);
}

static void design_take(const char *text, struct ft_design **ret_design, struct ft_plan **ret_plan)
{
	struct ft_error err = {0};

	if (ft_design_read(text, strlen(text), ret_design, ret_plan, &err) < 0)
		fail_msg("%u:%u: %s", err.line, err.column, err.text);
}

/* Ranges, in the order of their numbers, padded like the first. Other brackets are of the name. */
static void test_names(void **state)
{
	static const char *const names[] = {"m08x1", "m08x2", "m09x1", "m09x2", "m10x1", "m10x2", "n[b]", "n[]7"};
	_cleanup_(ft_design_freep) struct ft_design *design = NULL;
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	(void)state;

	design_take(ONE("\"m[08-10]x[1,2]\",{\"name\":[\"n[b]\",\"n[][7]\"],\"ports\":5,\"hosts\":1}",
			"{\"a\":\"m08x1\",\"b\":\"core01\"}"),
		    &design, &plan);
	assert_int_equal(plan->beside_switches, FT_COUNT(names));
	for (size_t i = 0; i < FT_COUNT(names); i++) {
		const struct ft_plan_switch *sw = &plan->switches[ft_plan_tree_switches(plan) + i];

		assert_string_equal(sw->name, names[i]);
		assert_int_equal(sw->ports, i < 6 ? 8 : 5);
		assert_int_equal(sw->hosts_unsaid, i < 6);
		assert_int_equal(sw->hosts, i < 6 ? 0 : 1);
	}
}

/* No port twice, at whichever switch. */
static void test_ports(void **state)
{
	_cleanup_(bench_release) struct bench b;
	(void)state;

	bench_make(&b, ISLANDS "}");
	for (uint32_t i = 0; i < b.snapshot->port_count; i++) {
		uint32_t peer = b.snapshot->ports[i].peer;

		assert_true(peer == FT_NONE || b.snapshot->ports[peer].peer == i);
	}
	assert_int_equal(ft_plan_island_cables(b.plan), 7);
	assert_int_equal(ft_plan_island_hosts(b.plan), 5);
}

/* The cable list has them, each label once. */
static void test_cables(void **state)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};
	_cleanup_(bench_release) struct bench b;
	struct ft_error err = {0};
	(void)state;

	bench_make(&b, ISLANDS "}");
	assert_int_equal(ft_write_cables(&text, b.design, b.plan, NULL, &err), 0);
	assert_non_null(strstr(text.data, "\nnode053/1,store1/3,node053,1,,,store1,3,,,host,\n"));
	assert_non_null(strstr(text.data, "\nmgmt2/2,core02/6,mgmt2,2,,,core02,6,,,island,\n"));
	assert_non_null(strstr(text.data, "\nmgmt1/3,mgmt2/3,mgmt1,3,,,mgmt2,3,,,island,\n"));
	assert_non_null(strstr(text.data, "\nstore1/5,spine05/10,store1,5,,,spine05,10,,,island,\n"));
}

/* Names of switches that a pattern tells: whoever stands in carries the vendor's form of it. */
static void test_stand_ins(void **state)
{
	static const char design[] = PODS
		",\"bind\":{\"spine\":{\"match\":\"^MF0;S[0-9]+:MQM8700/U1$\"},\"core\":{\"match\":\"^C[0-9]+$\"}},"
		"\"islands\":[{\"name\":\"i\",\"switches\":[{\"name\":\"m\",\"hosts\":1}],\"bundles\":[{\"a\":\"m\","
		"\"b\":[\"S7\",\"C3\",\"edge002\"]}]}]}";
	static const struct {
		enum ft_tier tier;
		const char *alias, *full;
	} expected[] = {{FT_TIER_SPINE, "S7", "MF0;S7:MQM8700/U1"}, {FT_TIER_CORE, "C3", ""}};
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	_cleanup_(bench_release) struct bench b;
	size_t aliases = 0;
	(void)state;

	bench_make(&b, design);
	for (uint32_t i = 0; i < b.plan->switch_count; i++) {
		const struct ft_plan_switch *sw = &b.plan->switches[i];

		if (!sw->alias)
			continue;
		assert_true(aliases < FT_COUNT(expected));
		assert_int_equal(sw->tier, expected[aliases].tier);
		assert_string_equal(sw->alias, expected[aliases].alias);
		assert_string_equal(sw->alias_full ? sw->alias_full : "", expected[aliases].full);
		aliases++;
	}
	assert_int_equal(aliases, FT_COUNT(expected));
	/* That one has its name in the plan. */
	assert_int_not_equal(ft_plan_find_bundle(b.plan, 1, b.plan->switch_count - 1), FT_NONE);
	node_find(b.snapshot, "MF0;S7:MQM8700/U1");
	assert_int_equal(ft_verify(b.design, b.plan, b.snapshot, "2026-11-20", &report), 0);
	assert_int_equal(report->finding_count, 0);
	assert_int_equal(report->verdict, FT_VERDICT_OK);
}

/* What was swallowed with a switch hangs on that, and not on whatever else is dead. */
static void test_swallowed(void **state)
{
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	_cleanup_(bench_release) struct bench b;
	uint32_t found = 0;
	(void)state;

	bench_make(&b, ISLANDS "}");
	faults_apply(&b, "dead core03; dead spine05");
	assert_int_equal(ft_verify(b.design, b.plan, b.snapshot, "2026-11-20", &report), 0);
	for (size_t i = 0; i < report->finding_count; i++) {
		const struct ft_finding *f = &report->findings[i];
		bool spine = f->planned_as && strcmp(f->planned_as, "spine05") == 0;

		assert_int_equal(f->impact.hosts_cut_off, spine ? 3 : 0);
		assert_int_equal(f->severity, spine ? FT_SEVERITY_CRITICAL : FT_SEVERITY_WARNING);
		for (size_t n = 0; n < f->symptom_count; n++)
			if (strstr(f->symptoms[n].text,
				   "island switch store1 and its 3 hosts behind it are out of reach")) {
				assert_true(spine);
				found++;
			}
	}
	assert_int_equal(found, 1);
}

/* All that hands can do is foretold to leave nothing. */
static void repaired_check(const struct bench *b, struct ft_report *report)
{
	const struct ft_verify_input input = {
		.design = b->design, .plan = b->plan, .snapshot = b->snapshot, .today = "2026-11-20"};

	assert_int_equal(repair_add(&input, report), 0);
	if (report->repair_count == 0)
		return;
	assert_true(report->repair[report->repair_count - 1].predicted);
	assert_int_equal(report->repair[report->repair_count - 1].findings, 0);
	assert_int_equal(report->repair[report->repair_count - 1].uplinks_up, report->uplinks.planned);
	assert_int_equal(report->repair[report->repair_count - 1].hosts_found, report->hosts.planned);
}

/* By an alias: a cable that lacks, its end on another switch, and one that is dead as a whole. */
static void test_aliases(void **state)
{
	static const char design[] =
		PODS ",\"bind\":{\"core\":{\"match\":\"^C[0-9]+$\"}},\"islands\":[{\"name\":\"i\",\"switches\":[{"
		     "\"name\":\"m\",\"ports\":8,\"hosts\":1}],\"bundles\":[{\"a\":\"m\",\"b\":[\"C3\",\"C5\"]}]}]}";
	static const struct {
		const char *faults, *expected;
	} cases[] = {
		{"", "ok"},
		{"cut m:3", "warning; cable-missing absent m C5:6"},
		{"cut m:3; link m:3 C1:6", "warning; cable-misplaced seen m:3 C1:6"},
		{"dead C5", "warning; core-missing absent spine01:12 spine04:12 spine07:12 m"},
		{"dead m", "critical; edge-isolated absent C3 C5 x2"},
		{"name m other", "ok; switch-replaced seen other"},
		/* Another make under another name: all that tells of it is its cables, which the first matching leaves
		   out. */
		{"cut m:2; cut m:3; spare other 254; link other:254 C3:6; link other:253 C5:6; only edge001",
		 "ok; switch-replaced seen other; hosts-missing absent other"},
	};

	(void)state;
	for (size_t i = 0; i < FT_COUNT(cases); i++) {
		_cleanup_(ft_report_freep) struct ft_report *report = NULL;
		_cleanup_(ft_text_release) struct ft_text words = {0};
		_cleanup_(bench_release) struct bench b;

		bench_make(&b, design);
		faults_apply(&b, cases[i].faults);
		assert_int_equal(ft_verify(b.design, b.plan, b.snapshot, "2026-11-20", &report), 0);
		report_check(report);
		report_words(report, &words);
		assert_string_equal(ft_text_string(&words), cases[i].expected);
		assert_int_equal(report->uplinks.planned, 92);
		if (strcmp(cases[i].faults, "dead C5") == 0)
			assert_non_null(
				strstr(report->findings[0].text, "core switch C5 (core02 in the plan) is missing"));
		repaired_check(&b, report);
	}
}

/* A plan that says which port is whose says it of the tree: what hangs on it is in any port. */
static void test_exact(void **state)
{
	static const char design[] = TREE
		",\"cables_complete\":false,\"cables\":[{\"a\":\"edge001\",\"a_port\":5,\"b\":\"core01\",\"b_port\":1}]"
		","
		"\"islands\":[{\"name\":\"i\",\"switches\":[{\"name\":\"m\",\"hosts\":1}],\"bundles\":[{\"a\":\"m\","
		"\"b\":[\"core01\",\"core02\"]}]}]}";
	static const struct {
		const char *faults, *expected;
	} cases[] = {
		{"", "ok"},
		{"cut m:3", "warning; cable-missing absent core02 m"},
		{"cut m:3; link m:3 edge003:4", "warning; cable-misplaced seen edge003:4 m:3"},
		{"dead m", "critical; edge-isolated absent core01 core02 x2"},
	};

	(void)state;
	for (size_t i = 0; i < FT_COUNT(cases); i++) {
		_cleanup_(ft_report_freep) struct ft_report *report = NULL;
		_cleanup_(ft_text_release) struct ft_text words = {0};
		_cleanup_(bench_release) struct bench b;

		bench_make(&b, design);
		assert_int_equal(b.plan->cable_count, 14);
		faults_apply(&b, cases[i].faults);
		assert_int_equal(ft_verify(b.design, b.plan, b.snapshot, "2026-11-20", &report), 0);
		report_words(report, &words);
		assert_string_equal(ft_text_string(&words), cases[i].expected);
	}
}

/* Where nobody carries the plan's names, the switches of the tree are told by the cables. */
static void test_nameless_tree(void **state)
{
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	_cleanup_(bench_release) struct bench b;
	char name[32];
	(void)state;

	bench_make(&b, ISLANDS "}");
	for (uint32_t i = 0; i < b.snapshot->node_count; i++)
		if (b.snapshot->nodes[i].type == FT_NODE_SWITCH &&
		    !strchr("ms", ft_node_description(b.snapshot, &b.snapshot->nodes[i])[0])) {
			snprintf(name, sizeof(name), "x%u", (b.snapshot->node_count - i) * 7 % 101);
			node_name(b.snapshot, i, name);
		} else if (strncmp(ft_node_description(b.snapshot, &b.snapshot->nodes[i]), "spine", 5) == 0) {
			snprintf(name, sizeof(name), "y%u", b.snapshot->node_count - i);
			node_name(b.snapshot, i, name);
		}
	assert_int_equal(ft_verify(b.design, b.plan, b.snapshot, "2026-11-20", &report), 0);
	assert_int_equal(report->finding_count, 0);
	assert_int_equal(report->islands.ok, 3);
}

/* ---- how far hosts are apart ---- */

static uint64_t pairs_of(const struct ft_histogram *histogram, uint32_t chips)
{
	for (size_t i = 0; i < histogram->count; i++)
		if (histogram->pairs[i].chips == chips)
			return histogram->pairs[i].pairs;
	return 0;
}

/* 12 edges of 4 hosts in pods of 4; 2 on mgmt1, 3 on store1. */
static void test_hops(void **state)
{
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	_cleanup_(bench_release) struct bench b;
	(void)state;

	bench_make(&b, ISLANDS "}");
	assert_int_equal(ft_verify(b.design, b.plan, b.snapshot, "2026-11-20", &report), 0);
	for (unsigned int n = 0; n < 2; n++) {
		const struct ft_histogram *hops = n ? &report->hops_found : &report->hops_planned;

		assert_int_equal(pairs_of(hops, 1), 12 * 6 + 1 + 3);
		/* In a pod; store1 and the edges of its pod. */
		assert_int_equal(pairs_of(hops, 3), 3 * 6 * 16 + 3 * 16);
		/* mgmt1, mgmt2, core, spine, edge; store1, spine, core, spine, edge; edges of two pods. */
		assert_int_equal(pairs_of(hops, 5), 2 * 48 + 3 * 32 + 48 * 32 / 2);
		/* mgmt1, mgmt2, core01, spine, edge, spine05, store1. */
		assert_int_equal(pairs_of(hops, 7), 6);
		assert_int_equal(hops->count, 4);
	}
	assert_int_equal(report->hops_unreachable, 0);
}

static void test_hops_unreachable(void **state)
{
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	_cleanup_(bench_release) struct bench b;
	(void)state;

	bench_make(&b, ISLANDS "}");
	faults_apply(&b, "cut mgmt2:1; cut mgmt2:2");
	assert_int_equal(ft_verify(b.design, b.plan, b.snapshot, "2026-11-20", &report), 0);
	assert_int_equal(report->hops_unreachable, 2 * 51);
	assert_int_equal(report->clos_found, 5);
}

/* A fault that nothing else tells of: an extra cable shortens no way, but a way of its own is too long. */
static void test_hops_exceeded(void **state)
{
	static const char design[] = TREE ",\"expect\":{\"unplanned\":[\"^far\"]}}";
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	_cleanup_(bench_release) struct bench b;
	(void)state;

	bench_make(&b, design);
	faults_apply(&b,
		     "cut edge002:5; cut edge002:6; cut edge002:7; cut edge002:8; spare far 8; link edge002:5 far:1; "
		     "link far:2 edge003:4");
	assert_int_equal(ft_verify(b.design, b.plan, b.snapshot, "2026-11-20", &report), 0);
	assert_true(report->finding_count > 0);
	assert_int_equal(report->clos_found, 5);
	assert_int_equal(report->clos_planned, 3);
	/* It hangs under its cause, with two hosts and the way between them. */
	for (size_t i = 0; i < report->finding_count; i++) {
		const struct ft_finding *f = &report->findings[i];

		assert_int_not_equal(f->code, FT_CODE_HOPS_EXCEEDED);
		for (size_t n = 0; n < f->symptom_count; n++)
			if (strstr(f->symptoms[n].text, "switches apart, planned are 3; on the way are ")) {
				assert_non_null(strstr(f->symptoms[n].text, "hosts node"));
				assert_non_null(strstr(f->symptoms[n].text, ", far, "));
				return;
			}
	}
	fail_msg("nobody tells of it");
}

/* ---- every allocation may fail ---- */

static void test_no_memory(void **state)
{
	_cleanup_(bench_release) struct bench b;
	(void)state;

	bench_make(&b, ISLANDS "}");
	faults_apply(&b, "cut mgmt1:4; cut mgmt2:1; link mgmt2:1 core03:6; dead store1; cut mgmt1:1; "
			 "link mgmt1:8 edge003:11");
	bench_out_of_memory(&b, true);
}

static void test_no_memory_reading(void **state)
{
	int r = -ENOMEM;
	size_t n;
	(void)state;

	for (n = 1; r == -ENOMEM && n < 100000; n++) {
		struct ft_design *design = NULL;
		struct ft_plan *plan = NULL;
		struct ft_error err = {0};

		allocation_failing = n;
		allocation_keeps_failing = true;
		r = ft_design_read(ISLANDS "}", strlen(ISLANDS "}"), &design, &plan, &err);
		allocation_failing = 0;
		allocation_keeps_failing = false;
		if (r < 0)
			assert_null(design);
		/* The reader of JSON says of itself that it lacks memory. */
		if (r == -EINVAL)
			r = -ENOMEM;
		ft_design_free(design);
		ft_plan_free(plan);
	}
	assert_int_equal(r, 0);
	assert_true(n > 50);
}

int main(void)
{
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_cables),
		cmocka_unit_test(test_ports),
		cmocka_unit_test(test_stand_ins),
		cmocka_unit_test(test_swallowed),
		cmocka_unit_test(test_aliases),
		cmocka_unit_test(test_exact),
		cmocka_unit_test(test_nameless_tree),
		cmocka_unit_test(test_hops),
		cmocka_unit_test(test_hops_unreachable),
		cmocka_unit_test(test_hops_exceeded),
		cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_no_memory_reading),
	};

	return rows_run(rows, test_row, others);
}
