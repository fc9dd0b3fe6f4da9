/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Lists of cables and hosts: as a design has them, as a site's spreadsheet has them, and one made into the other. */
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
#include <jansson.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "planner/plan/adapter.h"
#include "planner/write/formats.h"
#include "planner/plan/names.h"
#include "planner/site/site.h"
#include "planner/plan/wiring.h"
#include "tests/allocations.h"
#include "tests/runs.h"
#include "planner/plan/tree.h"

/* Two edge switches with four hosts (ports 1-4) and two cables (5-8) to each of two core switches of four ports. */
#define TREE_HEAD                                                                                                     \
	"{\"ftcheck\": 1, \"name\": \"t\", \"nodes\": 8, \"edge\": {\"ports\": 8, \"count\": 2, \"ports_to_nodes\": " \
	"4, "                                                                                                         \
	"\"ports_to_core\": 4}, \"core\": {\"ports\": 6, \"count\": 2},\n"
#define TREE TREE_HEAD "\"why\": {}}"
#define CABLE(a, p, b, q) "{\"a\": \"" a "\", \"a_port\": " #p ", \"b\": \"" b "\", \"b_port\": " #q "}"
/* Two pods of two edges and two spines, two planes of one core; a cable for each pair. */
#define PODS                                                                                                    \
	"{\"ftcheck\": 1, \"name\": \"t\", \"levels\": 3, \"nodes\": 8, \"pods\": 2, \"edge\": {\"ports\": 4, " \
	"\"count\": 4}, "                                                                                       \
	"\"spine\": {\"ports\": 4, \"count\": 4}, \"core\": {\"ports\": 4, \"count\": 2},\n"

static struct ft_design *design_of(const char *text, struct ft_plan **ret_plan)
{
	struct ft_design *design = NULL;
	struct ft_error err = {0};

	if (ft_design_read(text, strlen(text), &design, ret_plan, &err) < 0)
		fail_msg("%s\n%u:%u: %s", text, err.line, err.column, err.text);
	return design;
}

/* "edge001:5-core01:1" for each cable, "n1@edge001:2" for each host, then how many hosts each edge switch has. */
static void plan_tell(const struct ft_plan *plan, struct ft_text *text)
{
	ft_text_add(text, "", 0);
	for (uint32_t i = 0; i < plan->cable_count; i++) {
		const struct ft_plan_cable *c = &plan->cables[i];

		ft_text_printf(text, "%s%s:%u-%s:%u", text->length ? " " : "", plan->switches[c->a].name, c->a_port,
			       plan->switches[c->b].name, c->b_port);
	}
	for (uint32_t i = 0; i < plan->host_count; i++) {
		const struct ft_plan_host *h = &plan->hosts[i];

		ft_text_printf(text, "%s%s", text->length ? " " : "", h->name ? h->name : "GUID");
		if (h->adapter || h->adapter_port)
			ft_text_printf(text, "[%s/%u]", h->adapter ? h->adapter : "", h->adapter_port);
		ft_text_printf(text, "@%s:%u", plan->switches[h->edge].name, h->port);
	}
	ft_text_puts(text, ";");
	for (uint32_t i = 0; i < plan->tree->edge_count; i++)
		ft_text_printf(text, " %u", plan->switches[i].hosts);
}

/* Says so where @told is not what was @expected of @text; returns 1 then. */
static int row_differs(const char *text, const char *told, const char *expected)
{
	if (strcmp(told, expected) == 0)
		return 0;
	print_error("%s\n   gives %s\nexpected %s\n", text, told, expected);
	return 1;
}

/* ---- what a design says ---- */

static const struct {
	const char *text;
	const char *told; /* plan_tell(), or LINE:COLUMN: error */
} designs[] = {
	{TREE_HEAD "\"cables\": \"plan\"}",
	 "edge001:5-core01:1 edge001:6-core01:2 edge001:7-core02:1 edge001:8-core02:2 edge002:5-core01:3 "
	 "edge002:6-core01:4 edge002:7-core02:3 edge002:8-core02:4; 4 4"},
	/* in either order; the list is the plan */
	{TREE_HEAD "\"cables\": [" CABLE("core02", 4, "edge001", 8) ", " CABLE("edge001", 1, "core01", 6) ", " CABLE(
		 "edge002", 2, "core01", 3) "]}",
	 "edge001:1-core01:6 edge001:8-core02:4 edge002:2-core01:3; 4 4"},
	/* without ports */
	{TREE_HEAD "\"cables\": [{\"a\": \"edge001\", \"b\": \"core01\"}, {\"a\": \"edge002\", \"b\": \"core02\"}]}",
	 "edge001:0-core01:0 edge002:0-core02:0; 4 4"},
	/* the others stay */
	{TREE_HEAD "\"cables_complete\": false, \"cables\": [" CABLE("edge001", 8, "core01", 6) "]}",
	 "edge001:0-core01:0 edge001:8-core01:6 edge001:0-core02:0 edge001:0-core02:0 edge002:0-core01:0 "
	 "edge002:0-core01:0 edge002:0-core02:0 edge002:0-core02:0; 4 4"},
	/* hosts */
	{TREE_HEAD "\"hosts\": [{\"name\": \"n1\", \"edge\": \"edge002\", \"port\": 3}, {\"guid\": \"0xab\", "
		   "\"edge\": \"edge001\"}]}",
	 "GUID@edge001:0 n1@edge002:3; 4 4"},
	{TREE_HEAD "\"hosts\": [{\"name\": \"a\", \"edge\": \"edge002\"}, {\"name\": \"b\", \"edge\": \"edge002\"}, "
		   "{\"name\": \"c\", \"edge\": \"edge002\"}, {\"name\": \"d\", \"edge\": \"edge002\"}]}",
	 "a@edge002:0 b@edge002:0 c@edge002:0 d@edge002:0; 4 4"},
	{"{\"ftcheck\": 1, \"name\": \"t\", \"nodes\": 6, \"edge\": {\"ports\": 8, \"count\": 2, "
	 "\"ports_to_nodes\": 4}, \"core\": {\"ports\": 8, \"count\": 1},\n"
	 "\"hosts\": [{\"name\": \"a\", \"edge\": \"edge002\"}, {\"name\": \"b\", \"edge\": \"edge002\"}, "
	 "{\"name\": \"c\", \"edge\": \"edge002\"}]}",
	 "a@edge002:0 b@edge002:0 c@edge002:0; 3 3"},
	/* two ports of a host */
	{TREE_HEAD "\"hosts\": [{\"name\": \"n1\", \"edge\": \"edge002\", \"adapter\": \"HCA-2\", "
		   "\"adapter_port\": 2}, {\"name\": \"n1\", \"edge\": \"edge001\", \"adapter_port\": 1}]}",
	 "n1[/1]@edge001:0 n1[HCA-2/2]@edge002:0; 4 4"},
	{TREE_HEAD "\"hosts\": [{\"name\": \"n1\", \"edge\": \"edge002\", \"adapter_port\": 255}]}",
	 "2:61: \"adapter_port\" is 255; it must be 1 to 254"},
	/* by short names */
	{TREE_HEAD "\"bind\": {\"edge\": [\"MF0;leaf1:X/U1\", \"MF0;leaf2:X/U1\"], \"core\": [\"a \", \"b\"]}, "
		   "\"cables\": [" CABLE("leaf1", 5, "a", 1) ", " CABLE("MF0;leaf2:Y/U1", 5, "b ", 1) "]}",
	 "MF0;leaf1:X/U1:5-a :1 MF0;leaf2:X/U1:5-b:1; 4 4"},
	/* what cannot be */
	{TREE_HEAD "\"cables\": [" CABLE("edge003", 5, "core01", 1) "]}",
	 "2:18: \"a\" is \"edge003\", which is no switch of the plan"},
	{TREE_HEAD "\"cables\": [" CABLE("edge001", 5, "core1", 1) "]}",
	 "2:47: \"b\" is \"core1\", which is no switch of the plan; did you mean \"core01\"?"},
	{TREE_HEAD "\"cables\": [" CABLE("edge001", 9, "core01", 1) "]}",
	 "2:39: \"a_port\" is 9, but edge001 has 8 ports"},
	{TREE_HEAD "\"cables\": [" CABLE("edge001", 5, "core01", 0) "]}",
	 "2:67: \"b_port\" is 0; it must be 1 to 4096"},
	{TREE_HEAD "\"cables\": [" CABLE("edge001", "x", "core01", 1) "]}",
	 "2:39: \"a_port\" is \"x\"; a port is 20, or of a director \"16/20\", board and port"},
	{TREE_HEAD "\"cables\": [" CABLE("edge001", "2/3", "core01", 1) "]}",
	 "2:39: \"a_port\" is on board 2, but edge001 is no director and has no boards"},
	{TREE_HEAD "\"cables\": [" CABLE("edge001", 5, "core01", 1) ",\n" CABLE("edge002", 5, "core01", 1) "]}",
	 "3:56: \"b_port\" is port 1 of core01, which is used twice: see element 1 of \"cables\""},
	{TREE_HEAD "\"cables\": [" CABLE("edge001", 5, "edge001", 6) "]}",
	 "2:12: element 1 of \"cables\": both ends are at edge001"},
	{TREE_HEAD "\"cables\": [" CABLE("edge001", 5, "edge002", 6) "]}",
	 "2:12: element 1 of \"cables\": edge001 and edge002 are both edge switches, which the plan does not join"},
	{TREE_HEAD "\"cables\": [" CABLE("edge001", 5, "core01", 6) "]}",
	 "2:11: \"cables\": there is no cable of core02 in the list: add them, or say \"cables_complete\": false if it "
	 "does not have all"},
	{TREE_HEAD "\"cables_complete\": false, \"cables\": [" CABLE("edge001", 5, "core01", 1) ", " CABLE(
		 "edge001", 6, "core01", 2) ", " CABLE("edge001", 7, "core01", 3) "]}",
	 "2:37: \"cables\": 3 cables between edge001 and core01 are listed, but the plan has 2: only a complete list "
	 "can change that"},
	{TREE_HEAD "\"hosts\": [{\"name\": \"n1\", \"edge\": \"core01\"}]}",
	 "2:34: \"edge\" is \"core01\", a core switch: hosts hang on edge switches only"},
	{TREE_HEAD "\"hosts\": [{\"name\": \"n1\", \"edge\": \"edge9\"}]}",
	 "2:34: \"edge\" is \"edge9\", which is no switch of the plan"},
	{TREE_HEAD "\"hosts\": [{\"guid\": \"ab\", \"edge\": \"edge001\"}]}",
	 "2:20: \"guid\" must be a GUID: a string of 0x and up to 16 hexadecimal digits"},
	{TREE_HEAD "\"cables\": \"plan\",\n\"hosts\": [{\"name\": \"n1\", \"edge\": \"edge001\", \"port\": 5}]}",
	 "3:53: \"port\" is port 5 of edge001, which is used twice: see element 1 of \"cables\""},
	{TREE_HEAD "\"hosts\": [{\"name\": \"n1\", \"edge\": \"edge001\", \"port\": 5},\n"
		   "{\"name\": \"n2\", \"edge\": \"edge001\", \"port\": 5}]}",
	 "3:43: \"port\" is port 5 of edge001, which is used twice: see element 1 of \"hosts\""},
	{"{\"ftcheck\": 1, \"name\": \"t\", \"nodes\": 1, \"topology\": \"star\", \"edge\": {\"ports\": 8},\n"
	 "\"hosts\": [{\"name\": \"a\", \"edge\": \"edge001\"}, {\"name\": \"b\", \"edge\": \"edge001\"}]}",
	 "a@edge001:0 b@edge001:0; 2"},
	{TREE_HEAD "\"cables\": [" CABLE("edge001", 5, "core01", 1) ", " CABLE("edge001", 6, "core01", 2) ", " CABLE(
		 "edge001", 7, "core01", 3) ", " CABLE("edge001", 8, "core01",
						       4) ", " CABLE("edge001", 1, "core01",
								     5) ", " CABLE("edge002", 1, "core02", 1) "]}",
	 "2:11: \"cables\": edge001 has 8 ports, but 4 hosts and 5 cables to other switches"},
	{PODS "\"cables\": [" CABLE("edge001", 3, "spine03", 1) "]}",
	 "2:12: element 1 of \"cables\": edge001 is of pod 1 and spine03 of pod 2, which the plan joins at the core "
	 "level only"},
	{PODS "\"cables\": [" CABLE("core02", 3, "spine03", 1) "]}",
	 "2:12: element 1 of \"cables\": spine03 is of plane 1 and core02 of plane 2, which the plan does not join"},
	{PODS "\"cables\": [" CABLE("edge001", 3, "core01", 1) "]}",
	 "2:12: element 1 of \"cables\": edge001 is of the edge tier and core01 of the core tier, which the plan does "
	 "not join"},
};

static void test_designs(void **state)
{
	int bad = 0;

	(void)state;
	for (size_t i = 0; i < FT_COUNT(designs); i++) {
		_cleanup_(ft_design_freep) struct ft_design *design = NULL;
		_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
		_cleanup_(ft_text_release) struct ft_text told = {0};
		struct ft_error err = {0};

		if (ft_design_read(designs[i].text, strlen(designs[i].text), &design, &plan, &err) < 0)
			ft_text_printf(&told, "%u:%u: %s", err.line, err.column, err.text);
		else
			plan_tell(plan, &told);
		bad += row_differs(designs[i].text, ft_text_string(&told), designs[i].told);
	}
	assert_int_equal(bad, 0);
}

/* Bundles, links and figures follow the list; the plan that is written is read back. */
static void test_plan_follows(void **state)
{
	static const char text[] = TREE_HEAD
		"\"cables\": [" CABLE("edge001", 5, "core01", 1) ", " CABLE("edge001", 6, "core01", 2) ", " CABLE(
			"edge001", 7, "core01", 3) ", " CABLE("edge002", 5, "core02", 1) "]}";
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL, *again = NULL;
	_cleanup_(ft_text_release) struct ft_text out = {0};
	_cleanup_(ft_design_freep) struct ft_design *design = design_of(text, &plan), *second = NULL;

	(void)state;
	assert_int_equal(plan->links, 8 + 4);
	assert_int_equal(plan->bundle_count, 2);
	assert_int_equal(plan->bundles[ft_plan_find_bundle(plan, 0, 2)].count, 3);
	assert_int_equal(ft_plan_find_bundle(plan, 0, 3), FT_NONE);
	assert_int_equal(ft_plan_write_design(&out, design, plan), 0);
	second = design_of(out.data, &again);
	assert_int_equal(again->bundle_count, 2);
}

/* ---- ports and names ---- */

static const struct {
	const char *label;
	uint32_t board, port, chip; /* port 0: it is none */
} labels[] = {
	{"20", 0, 20, 0},
	{"20.0", 0, 20, 0},
	{"020", 0, 20, 0},
	{"Port 20", 0, 20, 0},
	{"port20", 0, 20, 0},
	{"P20", 0, 20, 0},
	{"p-20", 0, 20, 0},
	{"#20", 0, 20, 0},
	{"IB 20", 0, 20, 0},
	{"16/20", 16, 20, 0},
	{"1/20", 1, 20, 0},
	{"ib1/20", 1, 20, 0},
	{"L16/P20", 16, 20, 0},
	{"Leaf 16 Port 20", 16, 20, 0},
	{"L16 P20.0", 16, 20, 0},
	{"Blade 16_Port 20", 16, 20, 0},
	{"Blade 16_Port 2/20", 16, 20, 2},
	{"L16/U2 port 20", 16, 20, 2},
	{"L16/U2/P20", 16, 20, 2},
	{"Board 16 Chip 2 Port 20", 16, 20, 2},
	{"L16/2/20", 16, 20, 2},
	{"U2 port 20", 0, 20, 2},
	{"L16/Port 2/Port 20", 0, 0, 0},
	{"L16/L2/20", 0, 0, 0},
	{"L16/0/20", 0, 0, 0},
	{"slot 3, port 4", 0, 0, 0},
	{"slot 3: port 4", 3, 4, 0},
	{"", 0, 0, 0},
	{"x", 0, 0, 0},
	{"0", 0, 0, 0},
	{"L16", 0, 0, 0},
	{"P1/20", 0, 0, 0},
	{"1/2/3", 0, 0, 0},
	{"1.5", 1, 5, 0},
	{"20a", 0, 0, 0},
	{"99999999999", 0, 0, 0},
	{"-", 0, 0, 0},
	{"16/0", 0, 0, 0},
	{"0/16", 0, 0, 0},
	{"HCA-1", 0, 0, 0},
};

static void test_labels(void **state)
{
	(void)state;
	for (size_t i = 0; i < FT_COUNT(labels); i++) {
		struct ft_port_label read = {7, 7, 7};
		int r = ft_port_label_read(labels[i].label, &read);

		if (labels[i].port == 0 ? r != -EINVAL || read.board != 7 || read.chip != 7 || read.port != 7
					: r != 0 || read.board != labels[i].board || read.chip != labels[i].chip ||
						  read.port != labels[i].port)
			fail_msg("\"%s\": %d, %u/%u/%u", labels[i].label, r, read.board, read.chip, read.port);
	}
}

/* Boards of two chips and eight ports: a port of a chip, as people number them. */
static void test_chips(void **state)
{
	static const struct {
		uint32_t board, chip, port, number;
		const char *error;
	} rows[] = {
		{1, 1, 1, 1, NULL},
		{1, 2, 1, 5, NULL},
		{2, 1, 4, 12, NULL},
		{2, 2, 4, 16, NULL},
		{2, 0, 6, 14, NULL},
		/* as on the board, which for the second chip is as on the chip, whose first half are traces */
		{2, 2, 5, 13, NULL},
		{2, 2, 8, 16, NULL},
		{2, 1, 5, 9, NULL},
		{2, 1, 8, 12, NULL},
		{2, 2, 9, 0, "is port 9 of a chip, but a chip of core01 has 4 outside"},
		{2, 3, 1, 0, "is on chip 3 of a board, but a board of core01 has 2 of them"},
	};
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	_cleanup_(ft_design_freep) struct ft_design *design = design_of(TREE, &plan);
	struct ft_error err = {0};

	(void)state;
	plan->directors[FT_TIER_CORE] = true;
	plan->switches[2].ports = 16;
	/* The plan knows of two chips, or the list does. */
	for (unsigned int known = 0; known < 2; known++) {
		plan->inside[FT_TIER_CORE] =
			(struct ft_inside){.line_boards = 2, .line_ports = 8, .line_chips = known ? 2 : 0};
		for (size_t i = 0; i < FT_COUNT(rows); i++) {
			struct ft_cabling_end end = {.sw = 2,
						     .board = rows[i].board,
						     .chip = rows[i].chip,
						     .port = rows[i].port,
						     .chips = known ? 0 : 2};
			uint32_t number = 99;
			int r = ft_cabling_port(plan, &end, &number, &err);

			if (rows[i].error ? r != -EINVAL || number != 99 || strcmp(err.text, rows[i].error) != 0
					  : r != 0 || number != rows[i].number)
				fail_msg("row %zu: %d, %u, %s", i, r, number, err.text);
		}
	}
	assert_non_null(design);
}

/* A director of three boards of four ports, one of them left out: boards may sit in any slot. */
static void test_boards(void **state)
{
	static const struct {
		uint32_t sw, board, port, number;
		const char *error;
	} rows[] = {
		{0, 0, 7, 7, NULL},
		{0, 1, 7, 7, NULL},
		{0, 2, 7, 0, "is on board 2, but edge001 is no director and has no boards"},
		{2, 0, 6, 6, NULL},
		{2, 1, 3, 3, NULL},
		{2, 2, 3, 7, NULL},
		{2, 3, 4, 12, NULL},
		{2, 103, 4, 12, NULL},
		{2, 104, 1, 0, "is on board 104, but core01 has 3 of them"},
		{2, 0, 13, 0, "is 13, but core01 has 12 ports"},
		{2, 4, 1, 0, "is on board 4, but core01 has 3 of them"},
		{2, 2, 5, 0, "is port 5 of a board, but a board of core01 has 4"},
		{2, 3, 0, 0, NULL},
	};
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	_cleanup_(ft_design_freep) struct ft_design *design = design_of(TREE, &plan);
	struct ft_cabling_end end = {.sw = 2, .board = 2, .port = 1};
	struct ft_error err = {0};
	uint32_t number = 99;

	(void)state;
	plan->directors[FT_TIER_CORE] = true;
	assert_int_equal(ft_cabling_port(plan, &end, &number, &err), -EINVAL);
	assert_string_equal(err.text, "is on board 2 of core01, but how many ports a board of that director has is not "
				      "known: say it in the design, or number the ports of the whole");
	assert_int_equal(number, 99);
	plan->inside[FT_TIER_CORE] = (struct ft_inside){.line_boards = 2, .line_boards_max = 3, .line_ports = 4};
	for (size_t i = 0; i < FT_COUNT(rows); i++) {
		int r;

		end = (struct ft_cabling_end){.sw = rows[i].sw, .board = rows[i].board, .port = rows[i].port};
		number = 99;
		r = ft_cabling_port(plan, &end, &number, &err);
		if (rows[i].error ? r != -EINVAL || number != 99 || strcmp(err.text, rows[i].error) != 0
				  : r != 0 || number != rows[i].number)
			fail_msg("row %zu: %d, %u, %s", i, r, number, err.text);
	}
	assert_non_null(design);
}

static void test_names(void **state)
{
	static const char *const names[] = {
		"leaf1",  "Leaf-02",	       "leaf11", "leaf1-1",	 "MF0;spine07:MQM8700/U1", "twin1",
		"twin01", "hub03.example.org", "rack a", "caf\xc3\xa9 1"};
	static const struct {
		const char *name;
		int r;
		const char *found; /* or the candidates */
	} rows[] = {
		{"leaf1", 1, "leaf1"},
		{"LEAF 001", 1, "leaf1"},
		{"leaf_2", 1, "Leaf-02"},
		{"leaf11", 1, "leaf11"},
		{"Leaf01.01", 1, "leaf1-1"},
		{"spine7", 1, "MF0;spine07:MQM8700/U1"},
		{"MF0;SPINE07:MQM8700/U1", 1, "MF0;spine07:MQM8700/U1"},
		{"leaf2.ib.example.org", 1, "Leaf-02"},
		{"twin1", 1, "twin1"},
		{"twin01", 1, "twin01"},
		{"TWIN1", -EEXIST, "\"twin1\" and \"twin01\""},
		{"rackA", 1, "rack a"},
		{"caf\xc3\xa9"
		 "01",
		 1, "caf\xc3\xa9 1"},
		{"leaf", 0, ""},
		{"leaf3", 0, ""},
		{"HUB-3", 1, "hub03.example.org"},
		{"hub3.elsewhere.org", 0, ""},
		{"", 0, ""},
		{"--", 0, ""},
	};
	_cleanup_(ft_names_release) struct ft_names index = {0};

	(void)state;
	assert_int_equal(ft_names_make(names, FT_COUNT(names), &index), 0);
	for (size_t i = 0; i < FT_COUNT(rows); i++) {
		_cleanup_(ft_text_release) struct ft_text candidates = {0};
		uint32_t found = 0;
		int r = ft_names_find(&index, rows[i].name, &found, &candidates);

		if (r != rows[i].r || strcmp(r == 1 ? names[found] : ft_text_string(&candidates), rows[i].found) != 0)
			fail_msg("\"%s\": %d %s %s", rows[i].name, r, r == 1 ? names[found] : "",
				 ft_text_string(&candidates));
	}
	assert_true(ft_name_guid("0xAB") == 0xab && ft_name_guid("0002:c903:0000:00a5") == 0x2c903000000a5);
	assert_true(ft_name_guid("0x") == 0 && ft_name_guid("12345678") == 0 && ft_name_guid("leaf1") == 0);
	assert_true(ft_name_guid("0x12345678901234567") == 0);
}

static void test_rewriting(void **state)
{
	static const struct {
		const char *pattern, *form, *name;
		bool taken;	       /* the form */
		const char *rewritten; /* NULL: the pattern does not match */
	} rows[] = {
		{"^ibsw-([0-9]+)$", "leaf\\1", "ibsw-07", true, "leaf07"},
		{"^ibsw-([0-9]+)$", "leaf\\1", "ibsw-07a", true, NULL},
		{"(a)(b)?(c)", "\\3\\2\\1\\\\", "xacx", true, "ca\\"},
		{"(?:x)(y)", "\\1\\1", "xy", true, "yy"},
		{"x", "\\1", "x", false, NULL},
		{"(x)", "\\2", "x", false, NULL},
		{"(x)", "\\0", "x", false, NULL},
		{"(x)", "y\\", "x", false, NULL},
	};
	struct ft_pattern *none = NULL;
	struct ft_error err = {0};

	(void)state;
	for (size_t i = 0; i < FT_COUNT(rows); i++) {
		_cleanup_(ft_pattern_freep) struct ft_pattern *pattern = NULL;
		_cleanup_(ft_text_release) struct ft_text text = {0};
		int r;

		assert_int_equal(ft_pattern_compile_capturing(rows[i].pattern, &pattern, &err), 0);
		assert_int_equal(ft_pattern_takes_form(pattern, rows[i].form), rows[i].taken);
		if (!rows[i].taken)
			continue;
		r = ft_pattern_rewrite(pattern, rows[i].name, strlen(rows[i].name), rows[i].form, &text);
		assert_int_equal(r, rows[i].rewritten != NULL);
		assert_string_equal(ft_text_string(&text), rows[i].rewritten ? rows[i].rewritten : "");
	}
	assert_int_equal(ft_pattern_compile_capturing("()()()()()()()()()()", &none, &err), -EINVAL);
	assert_string_equal(err.text, "more than 9 parentheses capture");
}

/* ---- sheets ---- */

#define WORKBOOK "this is a workbook: save the sheet with the cables as CSV"

static const struct {
	const char *text;
	const char *told; /* "line:column name board/port-name board/port; ", or LINE:COLUMN: error */
} sheets[] = {
	{"a,a_port,b,b_port\nx,1,y,2\n", "2:1 x /1-y /2;"},
	{"\xef\xbb\xbf"
	 "a;a_port;b;b_port\r\nx;1;y;2\r\n",
	 "2:1 x /1-y /2;"},
	{"sep=;\r\na;a_port;b;b_port\r\nx,1;1;y;2\r\n", "3:1 x,1 /1-y /2;"},
	{"a\ta_port\tb\tb_port\nx\t1\ty\t2", "2:1 x /1-y /2;"},
	{"x,1,y,2\n# x,1,y,3\n\n,,,\n x , 3 , y , 4 ", "1:1 x /1-y /2; 5:2 x /3-y /4;"},
	/* quotes */
	{"x,1,\"y \"\"z\"\", w\",2\n\"a\nb\",1,c,1\nd,1,e,1",
	 "1:1 x /1-y \"z\", w /2; 2:2 a\nb /1-c /1; 4:1 d /1-e /1;"},
	{"x,1,\"y,2\n", "1:5: this quote is not closed"},
	{"x,1,\"y\" z,2\n", "1:9: text behind a quoted cell: a quote inside one is written twice"},
	/* names of columns */
	{"B Port,Peer B,Switch A,Port A\n1,x,y,2\n", "2:5 y /2-x /1;"},
	{"Source Device;Source Port;Destination Device;Destination Port\nx;1;y;2", "2:1 x /1-y /2;"},
	{"From,To,From Port,To Port\nx,y,1,2", "2:1 x /1-y /2;"},
	{"from,to,port,port\nx,y,1,2", "2:1 x /1-y /2;"},
	{"Switch,Port,Device,Port\nx,1,y,2", "2:1 x /1-y /2;"},
	{"SourceSwitch,sourceport,DestSwitch,destport\nx,1,y,2", "2:1 x /1-y /2;"},
	{"Switch 1,Port 1,Switch 2,Port 2\nx,1,y,2", "2:1 x /1-y /2;"},
	{"Host,Switch,Switch Port\nx,y,2", "2:1 x /-y /2;"},
	{"Leaf,Leaf Port,Spine,Spine Slot,Spine Port\nx,1,y,3,2", "2:1 x /1-y 3/2;"},
	{"label_a,label_b,a,a_port,a_rack,a_unit,b,b_port,b_rack,b_unit,kind,length_m\n,,x,1,A01,3,y,2,B02,4,uplink,5",
	 "2:3 x /1-y /2;"},
	{"Cables of the machine\nas of May\nCable ID,A-End Switch,A-End Port,Z-End Switch,Z-End Port\n17,x,1,y,2",
	 "4:4 x /1-y /2;"},
	{"a,a_port,b,b_port\nx,1,y,2\n\nb,b_port,a,a_port\nx,1,y,2", "2:1 x /1-y /2; 5:5 y /2-x /1;"},
	/* adapters of hosts */
	{"Host,HCA,Port,Switch,Port\nx,HCA-1,1,y,2", "2:1 x HCA-1/1-y /2;"},
	{"Switch,Port,Host,Adapter\ny,2,x,mlx5_0", "2:1 y /2-x mlx5_0/;"},
	{"Host,Interface,Port,Switch,Switch Port\nx,mlx5_0,1,y,2", "2:1 x mlx5_0/1-y /2;"},
	{"Host,Port,Interface,Switch,Port\nx,1,mlx5_0,y,2", "2:1 x mlx5_0/1-y /2;"},
	{"Server,Interface,Switch,Interface\nx,mlx5_0,y,2", "2:1 x /mlx5_0-y /2;"},
	{"Host HCA,HCA Port,Switch,Port\nx HCA-1,1,y,2", "2:1 x HCA-1 /1-y /2;"},
	/* what the tools of others write */
	{"Rack,U,Name,HCA/Port,Rack,Name,Name,Port\nr,3,n,1,q,30,x,4", "2:5 n /1-x /4;"},
	{"Label,Side A,Termination A,Device A,Side B,Termination B,Device B,Status,Type,Length\n"
	 "#1,,IB1/4,x,,mlx5_0,n,Connected,AOC,3 m",
	 "2:11 x /IB1/4-n /mlx5_0;"},
	{"ID,Label,Side A,Termination A,Side B,Termination B,Status\n1,,x,4,y,5,Connected", "2:4 x /4-y /5;"},
	{"side_a_device,side_a_type,side_a_name,side_b_device,side_b_type,side_b_name\nx,dcim.interface,4,y,dcim."
	 "interface,5",
	 "2:1 x /4-y /5;"},
	{"A-Node,A-Port,Z-Node,Z-Port,Protocol\nx,1,y,2,ib\nx,2,y,3,ethernet", "2:1 x /1-y /2; foreign;"},
	{"a_name,a_port,b_name,b_port\nx,1,y,2", "2:1 x /1-y /2;"},
	/* name and port in one */
	{"end 1,end 2\nLeaf 7 Port 12,SW01 Blade 16_Port 2/20\ncore1/L16/P20,node01 HCA-1\n",
	 "2:1 Leaf 7 /Port 12-SW01 Blade 16 /Port 2/20; 3:1 core1/L16 /P20-node01 /HCA-1;"},
	{"leaf1/1/20,core1:3\nleaf1[7],core1-p4\n", "1:1 leaf1 /1/20-core1 /3; 2:1 leaf1 /7-core1 /p4;"},
	{"Switch,Port,Connected to\nx,1,y Port 3\nx,2,z Port 4\n", "2:1 x /1-y /Port 3; 3:1 x /2-z /Port 4;"},
	{"leaf/1,top/1\nleaf/1,top/2\nleaf/1,top/1\nleaf/1,top/2\nleaf/2,top/1\nleaf/2,top/2\nleaf/2,top/1\nleaf/2,top/"
	 "2",
	 "1:1 leaf/1 /-top/1 /; 2:1 leaf/1 /-top/2 /; 3:1 leaf/1 /-top/1 /; 4:1 leaf/1 /-top/2 /; 5:1 leaf/2 /-top/1 "
	 "/; "
	 "6:1 leaf/2 /-top/2 /; 7:1 leaf/2 /-top/1 /; 8:1 leaf/2 /-top/2 /;"},
	/* what spreadsheets do */
	{"x,'1,'y,=\"007\"", "1:1 x /1-y /007;"},
	{"a,a_port,b,b_port\nx,1,y,2\n,2,,3\n,3,z,1\n,4,,2\n",
	 "2:1 x /1-y /2; 2:1 x /2-y /3; 2:1 x /3-z /1; 2:1 x /4-z /2;"},
	{"a,a_port,b,b_port\nx,1,,\nx,2,-,n/a\nx,3,free,\n\xc2\xa0y\xc2\xa0,4,x,5\n",
	 "2:1 x /1- /; 3:1 x /2- /; 4:1 x /3- /; 5:3 y /4-x /5;"},
	/* another network */
	{"a,a_port,b,b_port,Type\nx,1,y,2,IB HDR\nx,1,y,2,Ethernet 10G\nx,2,y,1,MGMT",
	 "2:1 x /1-y /2; foreign; foreign;"},
	/* columns that nothing names */
	{"x,y\n", "1:1 x /-y /;"},
	{"x,y,3\n", "1:1 x /-y /3;"},
	{"x,y,z\n", "1:1: which column is what? The first line should name them: a,a_port,b,b_port"},
	{"x\n", "1:1: which column is what? The first line should name them: a,a_port,b,b_port"},
	{"1,x,2,y\n", "1:1: which column is what? The first line should name them: a,a_port,b,b_port"},
	{"", "1:1: there is no cable in this file"},
	{"# nothing\n\n", "1:1: there is no cable in this file"},
	{"a,a_port,b,b_port\n", "1:1: there is no cable in this file"},
	{"PK\003\004xx", "1:1: " WORKBOOK},
	{"\xff\xfex", "1:1: this is UTF-16: save it as CSV in UTF-8"},
};

static void end_tell(const struct ft_sheet_end *end, struct ft_text *text)
{
	ft_text_printf(text, "%s %s/%s", end->name.text, end->board.text, end->port.text);
}

static void test_sheets(void **state)
{
	int bad = 0;

	(void)state;
	for (size_t i = 0; i < FT_COUNT(sheets); i++) {
		_cleanup_(ft_sheet_release) struct ft_sheet sheet = {0};
		_cleanup_(ft_text_release) struct ft_text told = {0};
		struct ft_error err = {0};

		if (ft_sheet_read(sheets[i].text, strlen(sheets[i].text), &sheet, &err) < 0)
			ft_text_printf(&told, "%u:%u: %s", err.line, err.column, err.text);
		for (size_t k = 0; k < sheet.row_count; k++) {
			const struct ft_sheet_row *row = &sheet.rows[k];

			ft_text_puts(&told, k ? " " : "");
			if (row->foreign) {
				ft_text_puts(&told, "foreign;");
				continue;
			}
			ft_text_printf(&told, "%u:%u ", row->ends[0].name.line, row->ends[0].name.column);
			end_tell(&row->ends[0], &told);
			ft_text_puts(&told, "-");
			end_tell(&row->ends[1], &told);
			ft_text_puts(&told, ";");
		}
		bad += row_differs(sheets[i].text, ft_text_string(&told), sheets[i].told);
	}
	assert_int_equal(bad, 0);
}

static void test_sheet_nul(void **state)
{
	struct ft_sheet sheet = {0};
	struct ft_error err = {0};

	(void)state;
	assert_int_equal(ft_sheet_read("a,b\nx\0,y", 8, &sheet, &err), -EINVAL);
	assert_string_equal(err.text, "a byte 0: this is no text");
	assert_true(err.line == 2 && err.column == 2 && !sheet.bytes);
}

/* ---- what a list says at a host's end ---- */

static void test_adapters(void **state)
{
	static const struct {
		const char *text, *adapter;
		uint32_t port;
	} cells[] = {
		{"", "", 0},
		{"2", "", 2},
		{"p2", "", 2},
		{"Port 1", "", 1},
		{"HCA-1", "HCA-1", 0},
		{"mlx5_0", "mlx5_0", 0},
		{"mlx5_0/2", "mlx5_0", 2},
		{"HCA-2/1", "HCA-2", 1},
		{"HCA-1 port 2", "HCA-1", 2},
		{"HCA 1 port 2", "HCA 1", 2},
		{"hca1-P2", "hca1", 2},
		{"HCA-1 (2)", "HCA-1 (2)", 0},
		{"ib0", "ib0", 0},
		{"ib1", "ib1", 0},
		{"ibp59s0f1", "ibp59s0f1", 0},
		{"1/2", "1/2", 0},
		{"255", "255", 0},
		{"OSFP left", "OSFP left", 0},
	};
	static const struct {
		const char *a, *b;
		enum ft_adapter_relation relation;
	} pairs[] = {
		{"HCA-1", "hca1", FT_ADAPTER_SAME},	{"HCA-01", "HCA 1 ", FT_ADAPTER_SAME},
		{"HCA-1", "HCA-2", FT_ADAPTER_OTHER},	{"HCA-1", "HCA-11", FT_ADAPTER_OTHER},
		{"mlx5_0", "mlx5_1", FT_ADAPTER_OTHER}, {"mlx5_0", "mlx4_0", FT_ADAPTER_UNLIKE},
		{"HCA-1", "mlx5_0", FT_ADAPTER_UNLIKE}, {"2", "HCA-1", FT_ADAPTER_UNLIKE},
		{"2", "1", FT_ADAPTER_UNLIKE},		{"2", "2", FT_ADAPTER_SAME},
		{"left", "LEFT", FT_ADAPTER_SAME},	{"left", "right", FT_ADAPTER_UNLIKE},
		{"HCA-1", "", FT_ADAPTER_UNLIKE},	{"HCA-1", "HCA", FT_ADAPTER_UNLIKE},
	};
	(void)state;

	for (size_t i = 0; i < FT_COUNT(cells); i++) {
		uint32_t port;
		size_t length;

		ft_adapter_read(cells[i].text, &length, &port);
		if (length != strlen(cells[i].adapter) || strncmp(cells[i].text, cells[i].adapter, length) != 0 ||
		    port != cells[i].port)
			fail_msg("\"%s\": \"%.*s\" port %u", cells[i].text, (int)length, cells[i].text, port);
	}
	for (size_t i = 0; i < FT_COUNT(pairs); i++) {
		const char *a = pairs[i].a, *b = pairs[i].b;

		if (ft_adapter_compare(a, strlen(a), b, strlen(b)) != pairs[i].relation ||
		    ft_adapter_compare(b, strlen(b), a, strlen(a)) != pairs[i].relation)
			fail_msg("\"%s\" and \"%s\" are not %d", a, b, (int)pairs[i].relation);
	}
}

/* ---- imports ---- */

#define ALL4(l, s)                                                                                                \
	l "1,5," s "1,1\n" l "1,6," s "1,2\n" l "1,7," s "2,1\n" l "1,8," s "2,2\n" l "2,5," s "1,3\n" l "2,6," s \
	  "1,4\n" l "2,7," s "2,3\n" l "2,8," s "2,4\n"
#define BOUND "\"bind\": {\"edge\": [\"leaf01\", \"leaf02\"], \"core\": [\"0xc1\", \"0xc2\"]}"

static const struct {
	const char *design, *sheet;
	const char *told;  /* plan_tell(), or LINE:COLUMN: error */
	const char *notes; /* NULL: nothing worth telling */
} imports[] = {
	/* by the plan's own names, in any spelling */
	{TREE, "edge001,5,core01,1\ncore02,2,edge002,5\n", "edge001:5-core01:1 edge002:5-core02:2; 4 4",
	 "2 cables between switches, 0 hosts; 4 pairs of switches have other cables than the rules give"},
	{TREE, "Edge 1,p5,CORE1,1\nCore-002,2,EDGE2,Port 5\n", "Edge 1:5-CORE1:1 EDGE2:5-Core-002:2; 4 4",
	 "2 cables between switches, 0 hosts; 4 pairs of switches have other cables than the rules give"},
	/* names of the site's own: the order of names is the plan's */
	{TREE, ALL4("leaf", "top") "n1,1,leaf1,3\nleaf2,1,n2,1\n",
	 "leaf1:5-top1:1 leaf1:6-top1:2 leaf1:7-top2:1 leaf1:8-top2:2 leaf2:5-top1:3 leaf2:6-top1:4 leaf2:7-top2:3 "
	 "leaf2:8-top2:4 n1@leaf1:3 n2@leaf2:1; 4 4",
	 NULL},
	{TREE_HEAD "\"names\": [{\"match\": \"^ibsw-(\\\\d+)$\", \"as\": \"edge00\\\\1\"}, {\"match\": \"^c(\\\\d)$\", "
		   "\"as\": \"core\\\\1\"}]}",
	 "ibsw-1,5,c1,1\nibsw-2,5,c2,1\n", "edge001:5-core1:1 edge002:5-core2:1; 4 4",
	 "2 cables between switches, 0 hosts; 4 pairs of switches have other cables than the rules give"},
	{TREE_HEAD "\"bind\": {\"edge\": {\"match\": \"^rack\"}, \"core\": {\"match\": \"^top\"}}}",
	 ALL4("rack", "top"),
	 "rack1:5-top1:1 rack1:6-top1:2 rack1:7-top2:1 rack1:8-top2:2 rack2:5-top1:3 rack2:6-top1:4 rack2:7-top2:3 "
	 "rack2:8-top2:4; 4 4",
	 NULL},
	{TREE_HEAD "\"bind\": {\"edge\": {\"match\": \"^rack\"}, \"core\": {\"match\": \"^spine\"}}}",
	 ALL4("rack", "top"),
	 "1:1: the design does not say what its switches are called, and the list does not tell: it has 0 core "
	 "switches, "
	 "as it seems, and the plan has 2; name them in \"bind\"",
	 NULL},
	{TREE, ALL4("leaf", "top"),
	 "1:1: the design does not say what its switches are called, and the list does not tell: edge switches and "
	 "those "
	 "above them cannot be told from each other; name them in \"bind\"",
	 NULL},
	{TREE, "leaf1,5,top1,1\nleaf2,5,top1,2\n",
	 "1:1: the design does not say what its switches are called, and the list does not tell: it has fewer names "
	 "that may be switches than the plan has; name them in \"bind\"",
	 NULL},
	/* one tier is bound, the other is not */
	{TREE_HEAD "\"bind\": {\"edge\": [\"leaf1\", \"leaf2\"]}}", ALL4("LEAF-0", "top") "n1,1,leaf1,3",
	 "leaf1:5-top1:1 leaf1:6-top1:2 leaf1:7-top2:1 leaf1:8-top2:2 leaf2:5-top1:3 leaf2:6-top1:4 leaf2:7-top2:3 "
	 "leaf2:8-top2:4 n1@leaf1:3; 4 4",
	 NULL},
	/* GUIDs that are bound, by the names of the live fabric or in the list */
	{TREE_HEAD BOUND "}", ALL4("leaf", "spine"),
	 "leaf01:5-0xc1:1 leaf01:6-0xc1:2 leaf01:7-0xc2:1 leaf01:8-0xc2:2 leaf02:5-0xc1:3 leaf02:6-0xc1:4 "
	 "leaf02:7-0xc2:3 leaf02:8-0xc2:4; 4 4",
	 NULL},
	{TREE_HEAD BOUND "}", "leaf1,5,0x00C1,1\nleaf2,5,0xc2,1\n0x77,1,leaf1,1",
	 "leaf01:5-0xc1:1 leaf02:5-0xc2:1 GUID@leaf01:1; 4 4",
	 "2 cables between switches, 1 host; 4 pairs of switches have other cables than the rules give"},
	/* interfaces, where they tell the cables of a host apart */
	{TREE, "n1,HCA-1,edge001,1\nn1,HCA-2,edge002,1\n", "n1[HCA-1/0]@edge001:1 n1[HCA-2/0]@edge002:1; 4 4", NULL},
	{TREE, "n1,HCA-1 port 1,edge001,1\nedge002,1,n1,HCA-1 port 2\n",
	 "n1[HCA-1/1]@edge001:1 n1[HCA-1/2]@edge002:1; 4 4", NULL},
	{TREE, "n1,mlx5_0/1,edge001,1\nn1,mlx5_1/1,edge002,1\n", "n1[mlx5_0/1]@edge001:1 n1[mlx5_1/1]@edge002:1; 4 4",
	 NULL},
	{TREE, "n1 HCA-1,1,edge001,1\nn1 HCA-1,2,edge002,1\n", "n1 HCA-1[/1]@edge001:1 n1 HCA-1[/2]@edge002:1; 4 4",
	 NULL},
	{TREE, "host,hca,port,switch,port\nn1,2,1,edge001,1\nn1,2,p2,edge002,1\n",
	 "n1[2/1]@edge001:1 n1[2/2]@edge002:1; 4 4", NULL},
	{TREE, "n1,1,edge001,1\nn2,2,edge001,2\nn1,1,edge002,1\nn3,HCA-1,edge002,2\n",
	 "n1@edge001:1 n2@edge001:2 n1@edge002:1 n3@edge002:2; 4 4", NULL},
	{TREE, "n1,1,edge001,1\nn1,2,edge002,1\nedge001,1,n1,HCA-1\n", "n1[/1]@edge001:1 n1[/2]@edge002:1; 4 4",
	 "0 cables between switches, 2 hosts; passed over: 1 row that repeats another (line 3)"},
	{TREE, "n1,1,edge001,1\nn1,2,edge001,1\nn2,1,edge001,2\nn3,1,edge002,1\nn4,1,edge002,2\n",
	 "n1[/1]@edge001:0 n1[/2]@edge001:0 n2@edge001:2 n3@edge002:1 n4@edge002:2; 4 4",
	 "2:14: \"1\" is port 1 of edge001, which is used twice: see line 1\n0 cables between switches, 5 hosts; 1 row "
	 "cannot be right (line 2): the port that it claims may be any"},
	/* what is passed over */
	{TREE,
	 "a,a_port,b,b_port,network\n" ALL4("edge", "core") "edge1,1,,\nn1,1,n2,1\ncore1,6,tank,1\nx,1,y,2,mgmt\n"
							    "core1,1,edge1,5\nn5,1,edge2,1\nn5,1,edge2,1\n",
	 "edge1:5-core1:1 edge1:6-core1:2 edge1:7-core2:1 edge1:8-core2:2 edge2:5-core1:3 edge2:6-core1:4 "
	 "edge2:7-core2:3 edge2:8-core2:4 n5@edge2:1; 4 4",
	 "11:1: neither \"n1\" nor \"n2\" is a switch of the plan\n12:9: \"tank\" is no switch of the plan, and core1 "
	 "has "
	 "no hosts\n8 cables between switches, 1 host; passed over: 1 row of another network (line 13), 1 row of what "
	 "is "
	 "not in the plan (line 11), 1 row with one end only (line 10), 1 row of something that is no switch on a "
	 "spine or "
	 "core switch (line 12), 2 rows that repeat others (lines 14, 16)"},
	{TREE_HEAD "\"expect\": {\"unplanned\": [\"^mgmt\"]}}", ALL4("edge", "core") "edge1,1,mgmt7,3\n",
	 "edge1:5-core1:1 edge1:6-core1:2 edge1:7-core2:1 edge1:8-core2:2 edge2:5-core1:3 edge2:6-core1:4 "
	 "edge2:7-core2:3 edge2:8-core2:4; 4 4",
	 "8 cables between switches, 0 hosts; passed over: 1 row of what is not in the plan (line 9)"},
	{TREE, "n1,1,edge001,1\nn2.ib.example.org,1,edge001,2\n", "n1@edge001:1 n2@edge001:2; 4 4", NULL},
	{TREE_HEAD "\"cables_complete\": false}", "edge001,8,core01,6\n",
	 "edge001:0-core01:0 edge001:8-core01:6 edge001:0-core02:0 edge001:0-core02:0 edge002:0-core01:0 "
	 "edge002:0-core01:0 edge002:0-core02:0 edge002:0-core02:0; 4 4",
	 NULL},
	/* the list is in place of the design's, what it has nothing of stays */
	{TREE_HEAD "\"cables\": \"plan\", \"hosts\": [{\"name\": \"n1\", \"edge\": \"edge001\", \"port\": 1}]}",
	 "edge001,2,core01,1\nedge002,5,core02,1\n", "edge001:2-core01:1 edge002:5-core02:1 n1@edge001:1; 4 4",
	 "2 cables between switches, 0 hosts; 4 pairs of switches have other cables than the rules give"},
	{TREE_HEAD "\"cables\": \"plan\", \"hosts\": [{\"name\": \"n1\", \"edge\": \"edge001\", \"port\": 1}]}",
	 "edge001,1,core01,1\nedge002,5,core02,1\n", "1:1: is port 1 of edge001, which is used twice", NULL},
	/* what cannot be */
	{TREE, "foo,1,bar,2\n",
	 "1:1: the design does not say what its switches are called, and the list does not tell: it has fewer names "
	 "that may be switches than the plan has; name them in \"bind\"",
	 NULL},
	{TREE_HEAD BOUND "}", "foo,1,bar,2\n",
	 "1:1: no row of this list has a switch of the plan: the list has \"foo\", the plan \"leaf01\"; say in the "
	 "design's \"names\" which is which",
	 NULL},
	{TREE, "a,a_port,b,b_port\nedge001,9,core01,1\n", "2:9: \"9\" is 9, but edge001 has 8 ports", NULL},
	{TREE, "a,a_port,b,b_port\nedge001,HCA-1,core01,1\n",
	 "2:9: \"HCA-1\" is no port: 20, 16/20, L16/P20, \"Blade 16_Port 2/20\" and \"Port 20\" are", NULL},
	{TREE, "a,a_port,b,b_port\nedge001,2/3,core01,1\n",
	 "2:9: \"2/3\" is on board 2, but edge001 is no director and has no boards", NULL},
	{TREE, "a,a_port,b,b_port\nedge001,5,core01,1\nedge002,5,core01,1\n",
	 "3:18: \"1\" is port 1 of core01, which is used twice: see line 2", NULL},
	{TREE, "a,a_port,b,b_port\nedge001,5,core01,1\nedge002,5,core02,1\nn1,1,edge001,5\n",
	 "4:14: \"5\" is port 5 of edge001, which is used twice: see line 2", NULL},
	{TREE, "a,a_port,b,b_port\nedge001,5,core01,1\nedge001,6,edge001,7\n", "3:1: both ends are at edge001", NULL},
	{TREE, "a,a_port,b,b_port\nedge001,5,core01,1\nedge001,6,core03,7\n",
	 "3:11: \"core03\" is no switch of the plan, but called like one", NULL},
	{TREE, "a,a_port,b,b_port\nedge001,5,core01,1\n",
	 "1:1: there is no cable of core02 in the list: add them, or say \"cables_complete\": false if it does not "
	 "have all",
	 NULL},
	/* a row that cannot be right does not hide the others */
	{TREE, "edge001,99,core01,5\nedge001,6,core01,2\nedge001,7,core02,1\nedge002,5,core01,3\n",
	 "edge001:0-core01:5 edge001:6-core01:2 edge001:7-core02:1 edge002:5-core01:3; 4 4",
	 "1:9: \"99\" is 99, but edge001 has 8 ports\n4 cables between switches, 0 hosts; 3 pairs of switches have "
	 "other "
	 "cables than the rules give; 1 row cannot be right (line 1): the port that it claims may be any"},
	{TREE, "edge001,5,core01,1\nedge001,6,core01,2\nedge001,7,core02,1\nedge001,7,core02,2\nedge002,5,core01,3\n",
	 "edge001:5-core01:1 edge001:6-core01:2 edge001:0-core02:1 edge001:0-core02:2 edge002:5-core01:3; 4 4",
	 "4:9: \"7\" is port 7 of edge001, which is used twice: see line 3\n5 cables between switches, 0 hosts; 2 "
	 "pairs "
	 "of switches have other cables than the rules give; 1 row cannot be right (line 4): the port that it claims "
	 "may be any"},
	{TREE,
	 "edge001,5,core01,1\nedge001,6,core01,2\nedge001,7,core02,1\nedge001,8,coer02,2\nedge002,5,core01,3\n"
	 "edge002,6,core01,4\nedge002,7,core02,3\nedge002,8,edge002,4\n",
	 "edge001:5-core01:1 edge001:6-core01:2 edge001:0-core02:0 edge001:7-core02:1 edge002:5-core01:3 "
	 "edge002:6-core01:4 edge002:0-core02:0 edge002:7-core02:3; 4 4",
	 "4:11: \"coer02\" is no switch of the plan; did they mean \"core02\"?\n8:1: both ends are at edge002\n6 "
	 "cables "
	 "between switches, 0 hosts; 2 rows cannot be right (lines 4, 8): the ports that they claim may be any; 2 "
	 "cables are as the "
	 "rules "
	 "give them, in any port"},
	/* a mistake at one of both ends that are listed is one cable all the same */
	{TREE,
	 ALL4("edge00", "core0") "core01,1,edge001,5\ncore01,2,edge001,6\ncore02,1,edge001,7\ncore02,2,edge001,8\n"
				 "core01,3,edge002,5\ncore01,4,edge002,7\ncore02,3,edge002,7\ncore02,4,edge002,8\n",
	 "edge001:5-core01:1 edge001:6-core01:2 edge001:7-core02:1 edge001:8-core02:2 edge002:5-core01:3 "
	 "edge002:6-core01:0 edge002:0-core02:3 edge002:8-core02:4; 4 4",
	 "14:8: \"4\" is port 4 of core01, which is used twice: see line 6\n8 cables between switches, 0 hosts; passed "
	 "over: 7 rows that repeat others (lines 9-13, 15-16); 1 row cannot be right (line 14): the port that it "
	 "claims may be any"},
	/* switches that were forgotten */
	{PODS "\"why\": {}}",
	 "edge001,3,spine01,1\nedge001,4,spine02,1\nedge002,3,spine01,2\nedge002,4,spine02,2\nedge003,3,spine03,1\n"
	 "edge003,4,spine04,1\nspine01,3,core01,1\nspine02,3,core02,1\nspine03,3,core01,2\nspine04,3,core02,2\n",
	 "edge001:3-spine01:1 edge001:4-spine02:1 edge002:3-spine01:2 edge002:4-spine02:2 edge003:3-spine03:1 "
	 "edge003:4-spine04:1 edge004:0-spine03:0 edge004:0-spine04:0 spine01:3-core01:1 spine02:3-core02:1 "
	 "spine03:3-core01:2 spine04:3-core02:2; 2 2 2 2",
	 "10 cables between switches, 0 hosts; 4 pairs of switches have other cables than the rules give; no cable of "
	 "edge004 is listed; 2 cables are as the rules give them, in "
	 "any "
	 "port"},
	{TREE,
	 "n1,1,edge001,1\nn2,1,edge001,2\nn3,1,edge001,3\nn4,1,edge001,4\nn5,1,edge001,5\nn6,1,edge002,1\n"
	 "n7,1,edge002,2\nn8,1,edge002,3\nn9,1,edge002,4\n",
	 "1:1: edge001 has 8 ports, but 5 hosts and 4 cables to other switches", NULL},
	{"{\"ftcheck\": 1, \"name\": \"t\", \"nodes\": 3, \"edge\": {\"ports\": 8, \"count\": 2, \"ports_to_nodes\": "
	 "2}, \"core\": {\"ports\": 8, \"count\": 1}, \"bundle\": 2}",
	 "n1,1,edge001,1\nn2,1,edge001,2\nn3,1,edge001,3\nn4,1,edge002,1\n",
	 "n1@edge001:1 n2@edge001:2 n3@edge001:3 n4@edge002:1; 3 1",
	 "0 cables between switches, 4 hosts; that is more hosts than the 3 nodes of the design"},
	{TREE_HEAD "\"bind\": {\"edge\": [\"leaf1\", \"leaf01\"]}}", "Leaf1,1,core01,2",
	 "1:1: \"Leaf1\" may be \"leaf1\" and \"leaf01\": spell it as in the plan", NULL},
	/* of three levels: hosts alone, under the plan's names */
	{"{\"ftcheck\": 1, \"name\": \"t\", \"levels\": 3, \"nodes\": 48, \"blocking\": \"4:1\", \"pods\": 3, "
	 "\"edge\": "
	 "{\"ports\": 12, \"count\": 12, \"ports_to_nodes\": 4, \"ports_to_core\": 6}, \"spine\": {\"ports\": 12, "
	 "\"count\": "
	 "9, \"ports_to_core\": 2}, \"core\": {\"ports\": 6, \"count\": 6}, \"bundle\": {\"edge\": 2, \"spine\": 1}}",
	 "a,a_port,b,b_port\nedge001,1,n1,1\nedge002,2,n2,1\n", "n1@edge001:1 n2@edge002:2; 4 4 4 4 4 4 4 4 4 4 4 4",
	 NULL},
	{TREE, "a,a_port,b,b_port\nedge001,5,core01,1\nn\x1b[1m,1,edge001,1",
	 "3:1: the name holds bytes that are not safe to print, or not UTF-8", NULL},
};

/* What the fabric is said to have: of the names that are bound by GUID alone. */
static const struct ft_site_switch live[] = {{"MF0;spine1:X/U1", 0xc1}, {"MF0;spine2:X/U1", 0xc2}};

static int import(struct ft_design *design, struct ft_plan *plan, const char *text, size_t length, bool known,
		  struct ft_text *notes, struct ft_error *err)
{
	_cleanup_(ft_sheet_release) struct ft_sheet sheet = {0};
	_cleanup_(ft_text_release) struct ft_text rest = {0};
	int r = ft_sheet_read(text, length, &sheet, err);

	/* What is wrong with single rows goes before the notes. */
	if (r == 0)
		r = ft_site_import(design, plan, &sheet, known ? live : NULL, known ? 2 : 0, notes, &rest, err);
	ft_text_puts(notes, ft_text_string(&rest));
	return r >= 0 && ft_text_failed(notes) ? -ENOMEM : r;
}

/* The design's text has become one that gives the plan. */
static void assert_written(const struct ft_design *design, const struct ft_plan *plan)
{
	_cleanup_(ft_plan_freep) struct ft_plan *again = NULL;
	_cleanup_(ft_design_freep) struct ft_design *second = design_of(design->text, &again);
	_cleanup_(ft_text_release) struct ft_text one = {0}, other = {0};

	plan_tell(plan, &one);
	plan_tell(again, &other);
	ft_plan_write_json(&one, plan, 0);
	ft_plan_write_json(&other, again, 0);
	assert_string_equal(one.data, other.data);
	assert_non_null(second);
}

static void test_imports(void **state)
{
	int bad = 0;

	(void)state;
	for (size_t i = 0; i < FT_COUNT(imports); i++) {
		_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
		_cleanup_(ft_design_freep) struct ft_design *design = design_of(imports[i].design, &plan);
		_cleanup_(ft_text_release) struct ft_text told = {0}, notes = {0};
		struct ft_error err = {0};
		int r = import(design, plan, imports[i].sheet, strlen(imports[i].sheet),
			       strstr(imports[i].design, BOUND) != NULL, &notes, &err);

		if (r < 0)
			ft_text_printf(&told, "%u:%u: %s", err.line, err.column, err.text);
		else
			plan_tell(plan, &told);
		bad += row_differs(imports[i].sheet, ft_text_string(&told), imports[i].told);
		if (r >= 0)
			bad += row_differs(imports[i].sheet, r == 1 ? ft_text_string(&notes) : "",
					   imports[i].notes ? imports[i].notes : "");
		if (r >= 0)
			assert_written(design, plan);
	}
	assert_int_equal(bad, 0);
}

/* The live fabric's spelling is bound; where it has none of the names, they are no binding. */
static void test_live_names(void **state)
{
	static const char sheet_text[] = ALL4("leaf", "spine") "n1,1,leaf1,1\n";
	static const struct ft_site_switch seen[] = {{"MF0;leaf01:X/U1", 1}, {"MF0;leaf02:X/U1", 2}, {"core", 3}};
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	_cleanup_(ft_design_freep) struct ft_design *design = design_of(TREE, &plan);
	_cleanup_(ft_sheet_release) struct ft_sheet sheet = {0};
	_cleanup_(ft_text_release) struct ft_text faults = {0}, notes = {0};
	struct ft_error err = {0};

	(void)state;
	assert_int_equal(ft_sheet_read(sheet_text, strlen(sheet_text), &sheet, &err), 0);
	assert_int_equal(ft_site_import(design, plan, &sheet, seen, 3, &faults, &notes, &err), 1);
	assert_string_equal(ft_text_string(&notes), "8 cables between switches, 1 host; none of its names of switches "
						    "is a node description on the fabric");
	assert_string_equal(plan->switches[1].name, "MF0;leaf02:X/U1");
	assert_int_equal(design->binds[FT_TIER_EDGE].count, 2);
	assert_string_equal(plan->switches[2].name, "spine1");
	assert_int_equal(design->binds[FT_TIER_CORE].count, 0);
	assert_written(design, plan);
}

/* ---- at random ---- */

static uint64_t random_state;

static uint32_t random_below(uint32_t bound)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)((random_state >> 20) % bound);
}

static uint64_t seed_get(void)
{
	const char *seed = getenv("FT_SEED");
	uint64_t value = seed ? strtoull(seed, NULL, 0) : 1;

	print_message("FT_SEED=%" PRIu64 "\n", value);
	return value * 0x9e3779b97f4a7c15ULL + 1;
}

static void random_design(struct ft_text *text)
{
	uint32_t ports = 8 + 2 * random_below(15);

	ft_text_printf(text, "{\"ftcheck\": 1, \"name\": \"r\", \"nodes\": %u, \"topology\": \"fat-tree\", ",
		       2 + random_below(ports * ports / 4));
	if (random_below(3) == 0)
		ft_text_printf(text, "\"levels\": 3, \"spine\": {\"ports\": %u}, ", ports);
	if (random_below(2) == 0)
		ft_text_puts(text, "\"blocking\": 2, ");
	if (random_below(3) == 0)
		ft_text_puts(text, "\"fill\": \"uniform\", ");
	ft_text_printf(text, "\"edge\": {\"ports\": %u}, \"core\": {", ports);
	if (random_below(3) == 0)
		ft_text_printf(text,
			       "\"inside\": {\"line_boards\": %u, \"line_boards_max\": %u, \"line_ports\": %u, "
			       "\"fabric_boards\": %u%s}}",
			       2 + ports / 8, 2 + ports / 8 + random_below(3), 4 + ports / 2, 2 + random_below(4),
			       ports % 4 == 0 && random_below(2) ? ", \"line_chips\": 2" : "");
	else
		ft_text_printf(text, "\"ports\": %u}", ports);
}

/* A spelling of "edge007": other stems, capitals, zeros, punctuation. */
static void spelling_add(struct ft_text *text, const char *name)
{
	static const char *const stems[][2] = {{"edge", "leaf"}, {"spine", "ibsp"}, {"core", "top"}, {"node", "cn"}};
	static const char *const joints[] = {"", "-", "_", " ", "-0", "00"};
	size_t letters = strcspn(name, "0123456789");
	unsigned long number = strtoul(name + letters, NULL, 10);

	for (size_t i = 0; i < FT_COUNT(stems); i++) {
		const char *stem = stems[i][1];

		if (strlen(stems[i][0]) != letters || strncmp(stems[i][0], name, letters) != 0)
			continue;
		for (; *stem; stem++)
			ft_text_printf(text, "%c", random_below(4) ? *stem : *stem - 'a' + 'A');
	}
	ft_text_printf(text, "%s%lu%s", joints[random_below(FT_COUNT(joints))], number,
		       random_below(8) ? "" : ".ib.example.org");
}

static void port_spelling_add(struct ft_text *text, uint32_t port)
{
	static const char *const forms[][2] = {{"", ""},     {"", ".0"}, {"Port ", ""}, {"p", ""},    {"1/", ""},
					       {"ib1/", ""}, {"'", ""},	 {"  ", " "},	{"\"", "\""}, {"=\"", "\""}};
	size_t form = random_below(FT_COUNT(forms));

	ft_text_printf(text, "%s%u%s", forms[form][0], port, forms[form][1]);
}

static uint32_t spelt_chips; /* of a board */

/* Of a director by its boards and their chips, or by the number in the whole. */
static void board_spelling_add(struct ft_text *text, uint32_t port, uint32_t line_ports)
{
	uint32_t board = (port - 1) / line_ports + 1, number = (port - 1) % line_ports + 1;
	uint32_t outside = line_ports / spelt_chips, chip = (number - 1) / outside + 1,
		 own = (number - 1) % outside + 1;

	switch (random_below(spelt_chips > 1 ? 9 : 5)) {
	case 0:
		ft_text_printf(text, "%u", port);
		break;
	case 1:
		ft_text_printf(text, "%u/%u", board, number);
		break;
	case 2:
		ft_text_printf(text, "L%02u/P%u", board, number);
		break;
	case 3:
		ft_text_printf(text, "Leaf %u Port %u", board, number);
		break;
	case 4:
		ft_text_printf(text, "Blade %u_Port %u/%u", board, spelt_chips > 1 ? chip : 2, number);
		break;
	case 5:
	case 6:
		ft_text_printf(text, "Blade %u_Port %u/%u", board, chip, own);
		break;
	case 7:
		ft_text_printf(text, "L%u/U%u port %u", board, chip, own);
		break;
	default:
		ft_text_printf(text, "L%u/U%u port %u", board, chip, own + outside);
	}
}

static void end_add(struct ft_text *text, const char *name, uint32_t port, uint32_t line_ports, char separator)
{
	spelling_add(text, name);
	ft_text_printf(text, "%c", separator);
	if (line_ports)
		board_spelling_add(text, port, line_ports);
	else
		port_spelling_add(text, port);
}

/* Everything that plan has, in random order and spelling. */
static void random_sheet(struct ft_text *text, const struct ft_plan *plan, const struct ft_wiring *wiring)
{
	static const char separators[] = {',', ';', '\t'};
	char separator = separators[random_below(3)];
	uint32_t *order = calloc(plan->links + 1UL, sizeof(*order)), cables = plan->links - plan->nodes, host = 0,
		 bundle = 0;
	const char *end = random_below(2) ? "\n" : "\r\n";

	assert_non_null(order);
	spelt_chips = plan->inside[FT_TIER_CORE].line_chips ? plan->inside[FT_TIER_CORE].line_chips : 1;
	ft_text_printf(text, "%sfrom%cfrom port%cto%cto port%s", random_below(2) ? "" : "\xef\xbb\xbf", separator,
		       separator, separator, end);
	for (uint32_t i = 0; i < plan->links; i++) {
		uint32_t k = random_below(i + 1);

		order[i] = order[k];
		order[k] = i;
	}
	for (uint32_t i = 0; i < plan->links; i++) {
		const char *names[2];
		uint32_t ports[2], boards[2] = {0, 0};
		bool turn = random_below(2);
		char buffer[FT_HOST_NAME_SIZE];

		if (order[i] < cables) {
			for (bundle = 0;
			     bundle + 1 < plan->bundle_count && wiring->first_cable[bundle + 1] <= order[i];)
				bundle++;
			names[0] = plan->switches[plan->bundles[bundle].a].name;
			names[1] = plan->switches[plan->bundles[bundle].b].name;
			ports[0] = wiring->cables[order[i]].a_port;
			ports[1] = wiring->cables[order[i]].b_port;
			if (ft_plan_is_director(plan, plan->bundles[bundle].b))
				boards[1] = plan->inside[FT_TIER_CORE].line_ports;
		} else {
			uint32_t sw = 0;

			host = order[i] - cables;
			while (sw + 1 < plan->tree->edge_count && wiring->first_host[sw + 1] <= host)
				sw++;
			names[0] = ft_plan_host_name(plan, host, buffer);
			names[1] = plan->switches[sw].name;
			ports[0] = 1;
			ports[1] = wiring->hosts[host].port;
		}
		end_add(text, names[turn], ports[turn], boards[turn], separator);
		ft_text_printf(text, "%c", separator);
		end_add(text, names[!turn], ports[!turn], boards[!turn], separator);
		ft_text_puts(text, end);
	}
	free(order);
}

static int host_compare(const void *one, const void *other)
{
	const struct ft_plan_host *a = one, *b = other;

	return a->edge != b->edge ? (a->edge < b->edge ? -1 : 1) : a->port < b->port ? -1 : a->port > b->port;
}

static void assert_hosts_equal(struct ft_plan *plan, const struct ft_plan *first, const struct ft_wiring *wiring)
{
	assert_int_equal(plan->host_count, first->nodes);
	qsort(plan->hosts, plan->host_count, sizeof(*plan->hosts), host_compare);
	for (uint32_t i = 0, sw = 0; i < plan->host_count; i++) {
		while (sw + 1 < first->tree->edge_count && wiring->first_host[sw + 1] <= i)
			sw++;
		assert_int_equal(plan->hosts[i].edge, sw);
		assert_int_equal(plan->hosts[i].port, wiring->hosts[i].port);
	}
}

static bool tiers_can_be_told(const struct ft_plan *plan)
{
	uint32_t least = UINT32_MAX;

	/* A switch of one cable looks like a host, an edge switch without hosts like a core switch. */
	for (uint32_t i = 0; i < plan->switch_count; i++) {
		uint32_t ports = plan->switches[i].hosts;

		for (uint32_t k = 0; k < plan->bundle_count; k++)
			if (plan->bundles[k].a == i || plan->bundles[k].b == i)
				ports += plan->bundles[k].count;
		least = ports < least ? ports : least;
		if (i < plan->tree->edge_count && plan->switches[i].hosts == 0)
			return false;
	}
	return least > 1;
}

/* A plan, written by somebody who has other names for all of it, and spells no two alike, is read back. */
static void random_round(uint32_t round, uint32_t *ret_read, uint32_t *ret_directors)
{
	_cleanup_(ft_text_release) struct ft_text text = {0}, sheet = {0}, notes = {0};
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL, *first = NULL;
	_cleanup_(ft_design_freep) struct ft_design *design = NULL, *unused = NULL;
	_cleanup_(ft_wiring_release) struct ft_wiring wiring = {0};
	struct ft_error err = {0};

	random_design(&text);
	ft_text_puts(&text, "}");
	if (ft_design_read(text.data, text.length, &design, &plan, &err) < 0 || !tiers_can_be_told(plan))
		return;
	text.data[text.length - 1] = ',';
	ft_text_puts(&text, "\"cables\": \"plan\"}");
	unused = design_of(text.data, &first);
	assert_int_equal(ft_wiring_make(first, &wiring), 0);
	random_sheet(&sheet, first, &wiring);
	if (import(design, plan, sheet.data, sheet.length, false, &notes, &err) != 0)
		fail_msg("round %u: %s\n%u:%u: %s %s", round, text.data, err.line, err.column, err.text,
			 ft_text_string(&notes));
	assert_written(design, plan);
	assert_hosts_equal(plan, first, &wiring);
	assert_int_equal(plan->cable_count, first->cable_count);
	assert_memory_equal(plan->cables, first->cables, plan->cable_count * sizeof(*plan->cables));
	(*ret_read)++;
	*ret_directors += plan->tree->core_count > 0 && ft_plan_is_director(plan, plan->switch_count - 1);
}

static void test_random(void **state)
{
	uint32_t rounds = (uint32_t)runs_at_most(300), read = 0, directors = 0;

	(void)state;
	random_state = seed_get();
	for (uint32_t i = 0; i < rounds; i++)
		random_round(i, &read, &directors);
	print_message("%u of %u plans, %u with directors\n", read, rounds, directors);
	assert_true(directors > rounds / 30);
	assert_true(read > rounds / 3);
}

/* ftplan's own list is read back exactly, and then written again to the byte. */
static void test_own_list(void **state)
{
	static const char *const texts[] = {
		TREE,
		PODS "\"why\": {}}",
		TREE_HEAD "\"bind\": {\"edge\": [\"=1+1\", \"'x\"], \"core\": [\"a,b\", \" c;\\\"d\\\"\"]}}",
		("{\"ftcheck\": 1, \"name\": \"t\", \"nodes\": 40, \"edge\": {\"ports\": 36}, \"core\": {\"ports\": "
		 "36}}"),
	};

	(void)state;
	for (size_t i = 0; i < FT_COUNT(texts); i++) {
		_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
		_cleanup_(ft_design_freep) struct ft_design *design = design_of(texts[i], &plan);
		_cleanup_(ft_text_release) struct ft_text before = {0}, after = {0}, notes = {0};
		struct ft_error err = {0};

		assert_int_equal(ft_write_cables(&before, design, plan, NULL, &err), 0);
		if (import(design, plan, before.data, before.length, false, &notes, &err) != 0)
			fail_msg("%s\n%u:%u: %s %s", before.data, err.line, err.column, err.text,
				 ft_text_string(&notes));
		assert_int_equal(ft_write_cables(&after, design, plan, NULL, &err), 0);
		assert_string_equal(before.data, after.data);
		assert_written(design, plan);
	}
}

/* Whatever is not said gets a port of its own. */
static void test_wiring(void **state)
{
	static const char *const texts[] = {
		TREE_HEAD "\"cables_complete\": false, \"cables\": [" CABLE(
			"edge001", 1, "core01",
			6) "], \"hosts\": "
			   "[{\"name\": \"a\", \"edge\": \"edge001\", \"port\": 5}, {\"name\": \"b\", \"edge\": "
			   "\"edge001\"}]}",
		TREE_HEAD "\"hosts\": [{\"name\": \"a\", \"edge\": \"edge001\", \"port\": 5}]}",
		TREE_HEAD "\"cables\": [{\"a\": \"edge001\", \"b\": \"core01\"}, {\"a\": \"edge002\", \"b\": "
			  "\"core02\"}]}",
	};

	(void)state;
	for (size_t i = 0; i < FT_COUNT(texts); i++) {
		_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
		_cleanup_(ft_design_freep) struct ft_design *design = design_of(texts[i], &plan);
		_cleanup_(ft_wiring_release) struct ft_wiring wiring = {0};
		bool taken[4][9] = {{false}};
		uint32_t count = 0;

		assert_non_null(design);
		assert_int_equal(ft_wiring_make(plan, &wiring), 0);
		for (uint32_t k = 0; k < plan->bundle_count; k++)
			for (uint32_t n = 0; n < plan->bundles[k].count; n++) {
				const struct ft_wire *wire = &wiring.cables[wiring.first_cable[k] + n];

				assert_false(taken[plan->bundles[k].a][wire->a_port] ||
					     taken[plan->bundles[k].b][wire->b_port]);
				assert_true(wire->a_port > 0 && wire->b_port > 0);
				taken[plan->bundles[k].a][wire->a_port] = taken[plan->bundles[k].b][wire->b_port] =
					true;
				count++;
			}
		for (uint32_t sw = 0; sw < plan->tree->edge_count; sw++)
			for (uint32_t n = 0; n < plan->switches[sw].hosts; n++, count++) {
				uint32_t port = wiring.hosts[wiring.first_host[sw] + n].port;

				assert_true(port > 0 && !taken[sw][port]);
				taken[sw][port] = true;
			}
		assert_int_equal(count, plan->links);
	}
}

/* ---- no memory ---- */

static int all_of_it(const char *text, const char *list)
{
	_cleanup_(ft_design_freep) struct ft_design *design = NULL;
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	_cleanup_(ft_text_release) struct ft_text out = {0}, notes = {0};
	struct ft_error err = {0};
	int r;

	r = ft_design_read(text, strlen(text), &design, &plan, &err);
	if (r == 0)
		r = import(design, plan, list, strlen(list), true, &notes, &err);
	if (r >= 0)
		r = ft_write_cables(&out, design, plan, NULL, &err);
	if (r >= 0)
		r = ft_write_ibsim(&out, design, plan, NULL, &err);
	return r;
}

static void test_no_memory(void **state)
{
	static const char *const texts[] = {
		TREE_HEAD
		"\"names\": [{\"match\": \"^c(\\\\d)$\", \"as\": \"spine\\\\1\"}], \"cables\": \"plan\", \"hosts\": "
		"[{\"name\": \"a\", \"edge\": \"edge001\"}]}",
		PODS "\"why\": {}}",
	};
	static const char *const lists[] = {
		"a,a_port,b,b_port\n" ALL4("leaf", "c") "n1,1,leaf1,3\nn2,1,leaf2,3\n",
		"l1,3,s1,1\nl1,4,s2,1\nl2,3,s1,2\nl2,4,s2,2\nl3,3,s3,1\nl3,4,s4,1\nl4,3,s3,2\nl4,4,s4,2\ns1,3,t1,1\n"
		"s1,4,t1,2\ns2,3,t2,1\ns2,4,t2,2\ns3,3,t1,3\ns3,4,t1,4\ns4,3,t2,3\ns4,4,t2,4\nn1,1,l1,1\nn2,1,l2,1\n"
		"n3,1,l3,1\nn4,1,l4,1\n",
	};

	(void)state;
	json_set_alloc_funcs(__wrap_malloc, free);
	allocation_keeps_failing = true;
	for (size_t i = 0; i < FT_COUNT(texts); i++) {
		size_t failing = 0;
		int r;

		do {
			allocation_failing = ++failing;
			r = all_of_it(texts[i], lists[i]);
			allocation_failing = 0;
			if (r < 0 && r != -ENOMEM)
				fail_msg("allocation %zu: %d", failing, r);
		} while (r < 0);
		print_message("%zu allocations, each failed once\n", failing - 1);
		assert_true(failing > 100);
	}
	json_set_alloc_funcs(malloc, free);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_designs),	  cmocka_unit_test(test_plan_follows),
		cmocka_unit_test(test_labels),	  cmocka_unit_test(test_boards),
		cmocka_unit_test(test_chips),	  cmocka_unit_test(test_names),
		cmocka_unit_test(test_rewriting), cmocka_unit_test(test_sheets),
		cmocka_unit_test(test_sheet_nul), cmocka_unit_test(test_adapters),
		cmocka_unit_test(test_imports),	  cmocka_unit_test(test_live_names),
		cmocka_unit_test(test_random),	  cmocka_unit_test(test_own_list),
		cmocka_unit_test(test_wiring),	  cmocka_unit_test(test_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
