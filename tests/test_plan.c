/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The planner's arithmetic: every worked example there is, pinned counts, spreads, and the forms a plan is written in.
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
#include "planner/plan/plan.h"
#include "tests/skipped.h"
#include "planner/plan/tree.h"

static void design_init(struct ft_design *design)
{
	*design = (struct ft_design){
		.name = (char *)(uintptr_t) "test",
		.levels = 2,
		.blocking = {1, 1},
		.bundle = FT_NONE,
		.spread_multiple = 1,
		.planes = FT_NONE,
	};
	for (int tier = 0; tier < FT_TIER_COUNT; tier++)
		design->roles[tier] = (struct ft_design_role){
			.ports = FT_NONE, .count = FT_NONE, .ports_to_nodes = FT_NONE, .ports_to_core = FT_NONE};
}

static struct ft_plan *plan_json(const char *keys)
{
	_cleanup_(ft_design_freep) struct ft_design *design = NULL;
	_cleanup_(ft_text_release) struct ft_text text = {0};
	struct ft_error err = {0};
	struct ft_plan *plan = NULL;

	ft_text_printf(&text, "{\"ftcheck\": 1, \"name\": \"t\", %s}", keys);
	if (ft_design_read(text.data, text.length, &design, &plan, &err) < 0)
		fail_msg("%s: %u:%u: %s", keys, err.line, err.column, err.text);
	return plan;
}

/* What any plan must hold: no port is used twice, no cable ends nowhere, all hosts have a place. */
static void check_sound(const struct ft_plan *plan, const char *what)
{
	uint32_t *used = calloc(plan->switch_count, sizeof(*used));
	uint64_t hosts = 0, cables = 0;

	assert_non_null(used);
	for (uint32_t i = 0; i < plan->bundle_count; i++) {
		const struct ft_plan_bundle *bundle = &plan->bundles[i];

		if (bundle->count < 1 || bundle->count > plan->tree->bundle)
			fail_msg("%s: a bundle of %u, B is %u", what, bundle->count, plan->tree->bundle);
		assert_int_equal(plan->switches[bundle->a].tier, FT_TIER_EDGE);
		assert_int_equal(plan->switches[bundle->b].tier, FT_TIER_CORE);
		if (i > 0)
			assert_true(bundle->a > bundle[-1].a ||
				    (bundle->a == bundle[-1].a && bundle->b > bundle[-1].b));
		used[bundle->a] += bundle->count;
		used[bundle->b] += bundle->count;
		cables += bundle->count;
	}
	for (uint32_t i = 0; i < plan->switch_count; i++) {
		const struct ft_plan_switch *sw = &plan->switches[i];

		if (sw->tier == FT_TIER_EDGE) {
			assert_int_equal(used[i], plan->tree->ports_to_core);
			if (sw->hosts > plan->tree->ports_to_nodes)
				fail_msg("%s: %u hosts on %s", what, sw->hosts, sw->name);
			used[i] += plan->tree->ports_to_nodes;
		}
		if (used[i] > sw->ports)
			fail_msg("%s: %s uses %u of %u ports", what, sw->name, used[i], sw->ports);
		hosts += sw->hosts;
	}
	free(used);
	assert_int_equal(hosts, plan->nodes);
	assert_int_equal(plan->switch_count, plan->tree->edge_count + plan->tree->core_count);
	assert_int_equal(plan->links, hosts + cables);
	assert_int_equal(plan->spare_ports, plan->tree->edge_count * plan->tree->ports_to_nodes - plan->nodes);
	assert_true(plan->tree->expandable_to >= plan->nodes_max);
}

/* The tutorial's worked figures. -1: not said. */
static const struct tutorial_row {
	const char *keys;
	int n, c, e, b, cores;
} tutorial_rows[] = {
	{"\"nodes\":60,\"topology\":\"fat-tree\",\"edge\":{\"ports\":36},\"core\":{\"ports\":36}", 18, 18, 4, 9, 2},
	{"\"nodes\":72,\"edge\":{\"ports\":36},\"core\":{\"ports\":36}", 18, 18, 4, 9, 2},
	/* 36 ports at 4:1 and at 2.6:1, as a ratio and as a number */
	{"\"nodes\":200,\"blocking\":4,\"edge\":{\"ports\":36},\"core\":{\"ports\":36}", 28, 8, -1, -1, -1},
	{"\"nodes\":200,\"blocking\":\"4:1\",\"edge\":{\"ports\":36},\"core\":{\"ports\":36}", 28, 8, -1, -1, -1},
	{"\"nodes\":200,\"blocking\":\"2.6:1\",\"edge\":{\"ports\":36},\"core\":{\"ports\":36}", 26, 10, -1, -1, -1},
	{"\"nodes\":200,\"blocking\":2.6,\"edge\":{\"ports\":36},\"core\":{\"ports\":36}", 26, 10, -1, -1, -1},
	/* 200 nodes that may become 600: no cable moves on the way */
	{"\"nodes\":200,\"nodes_max\":600,\"edge\":{\"ports\":36},\"core\":{\"ports\":36}", 18, 18, 12, 1, 18},
	{"\"nodes\":400,\"nodes_max\":600,\"edge\":{\"ports\":36},\"core\":{\"ports\":36}", 18, 18, 23, 1, 18},
	{"\"nodes\":600,\"edge\":{\"ports\":36},\"core\":{\"ports\":36}", 18, 18, 34, 1, 18},
	{"\"nodes\":90,\"blocking\":4,\"edge\":{\"ports\":24},\"core\":{\"ports\":24}", 19, 5, 5, 4, 2},
	/* where floating point is one port off */
	{"\"nodes\":100,\"blocking\":1.4,\"edge\":{\"ports\":24},\"core\":{\"ports\":24},\"fill\":\"dense\"", 14, 10, 8,
	 3, 4},
	{"\"nodes\":200,\"blocking\":3.8,\"edge\":{\"ports\":72},\"core\":{\"ports\":72},\"fill\":\"dense\"", 57, 15, 4,
	 15, 1},
	{"\"nodes\":200,\"blocking\":1.7,\"edge\":{\"ports\":108},\"core\":{\"ports\":108},\"fill\":\"dense\"", 68, 40,
	 3, 36, 2},
	/* uniform fill saves a core switch; with room for 128 it must not promise ports that are not there */
	{"\"nodes\":128,\"edge\":{\"ports\":36},\"core\":{\"ports\":36}", 16, 16, 8, 4, 4},
	{"\"nodes\":128,\"edge\":{\"ports\":36},\"core\":{\"ports\":36},\"prefer_expandable\":true", 18, 18, 8, 4, 5},
	{"\"nodes\":125,\"nodes_max\":128,\"edge\":{\"ports\":36},\"core\":{\"ports\":36}", 16, 16, 8, 4, 4},
	/* B is clamped again to the fewer uplinks of uniform fill */
	{"\"nodes\":33,\"topology\":\"fat-tree\",\"edge\":{\"ports\":32},\"core\":{\"ports\":36},\"fill\":"
	 "\"uniform\"",
	 11, 11, 3, 11, 1},
	/* as built: four core switches where three would do */
	{"\"nodes\":144,\"edge\":{\"ports\":48},\"core\":{\"ports\":48,\"count\":4}", 24, 24, 6, 6, 4},
};

static void tutorial_test(void **state)
{
	const struct tutorial_row *row = *state;
	_cleanup_(ft_plan_freep) struct ft_plan *plan = plan_json(row->keys);
	const int expected[] = {row->n, row->c, row->e, row->b, row->cores};
	const int found[] = {(int)plan->tree->ports_to_nodes, (int)plan->tree->ports_to_core,
			     (int)plan->tree->edge_count, (int)plan->tree->bundle, (int)plan->tree->core_count};

	for (size_t k = 0; k < FT_COUNT(expected); k++)
		if (expected[k] >= 0 && found[k] != expected[k])
			fail_msg("%s: figure %zu is %d, expected %d", row->keys, k, found[k], expected[k]);
	check_sound(plan, row->keys);
}

/* "3+2", and the number of hosts on each edge as a run: "18x3 6". */
static void show_shape(struct ft_text *text, const struct ft_plan *plan)
{
	uint32_t same;

	for (uint32_t i = 0; i < plan->tree->core_count; i++)
		ft_text_printf(text, "%s%u", i ? "+" : "", plan->bundles[i].count);
	ft_text_puts(text, " |");
	for (uint32_t i = 0; i < plan->tree->edge_count; i += same) {
		for (same = 1; i + same < plan->tree->edge_count; same++)
			if (plan->switches[i + same].hosts != plan->switches[i].hosts)
				break;
		ft_text_printf(text, " %ux%u", plan->switches[i].hosts, same);
	}
	ft_text_printf(text, " | %s %u-%u", ft_fill_name(plan->tree->fill), plan->spare_ports,
		       plan->tree->expandable_to);
}

static const struct shape_row {
	const char *keys, *shape;
} shape_rows[] = {
	{"\"nodes\":90,\"blocking\":4,\"edge\":{\"ports\":24},\"core\":{\"ports\":24}", "3+2 | 19x4 14x1 | dense 5-95"},
	{"\"nodes\":90,\"blocking\":4,\"edge\":{\"ports\":24},\"core\":{\"ports\":24},\"bundles\":\"even\"",
	 "3+2 | 19x4 14x1 | dense 5-95"},
	{"\"nodes\":90,\"blocking\":4,\"edge\":{\"ports\":24},\"core\":{\"ports\":24},\"bundles\":\"thick\"",
	 "4+1 | 19x4 14x1 | dense 5-95"},
	{"\"nodes\":90,\"blocking\":4,\"edge\":{\"ports\":24},\"core\":{\"ports\":24},\"bundles\":{"
	 "\"multiple\":2}",
	 "4+1 | 19x4 14x1 | dense 5-95"},
	{"\"nodes\":90,\"blocking\":4,\"edge\":{\"ports\":24},\"core\":{\"ports\":24},\"bundles\":{"
	 "\"multiple\":3}",
	 "3+2 | 19x4 14x1 | dense 5-95"},
	{"\"nodes\":72,\"edge\":{\"ports\":36},\"core\":{\"ports\":36},\"bundles\":{\"multiple\":4}",
	 "8+8+2 | 18x4 | dense 0-72"},
	{"\"nodes\":72,\"edge\":{\"ports\":36},\"core\":{\"ports\":36,\"count\":3},\"bundles\":\"thick\"",
	 "9+8+1 | 18x4 | dense 0-72"},
	{"\"nodes\":72,\"edge\":{\"ports\":36},\"core\":{\"ports\":36,\"count\":4}", "5+5+4+4 | 18x4 | dense 0-72"},
	{"\"nodes\":72,\"edge\":{\"ports\":36},\"core\":{\"ports\":36},\"bundle\":6", "6+6+6 | 18x4 | dense 0-72"},
	{"\"nodes\":72,\"edge\":{\"ports\":36},\"core\":{\"ports\":36},\"bundle\":7", "6+6+6 | 18x4 | dense 0-72"},
	{"\"nodes\":60,\"edge\":{\"ports\":36,\"count\":4},\"core\":{\"ports\":36}", "9+9 | 18x3 6x1 | dense 12-72"},
	{"\"nodes\":60,\"edge\":{\"ports\":36,\"count\":5},\"core\":{\"ports\":36},\"fill\":\"dense\"",
	 "6+6+6 | 18x3 6x1 0x1 | dense 30-90"},
	{"\"nodes\":62,\"edge\":{\"ports\":36,\"count\":4},\"core\":{\"ports\":36},\"prefer_expandable\":true",
	 "9+9 | 18x3 8x1 | dense 10-72"},
	{"\"nodes\":62,\"edge\":{\"ports\":36,\"count\":4},\"core\":{\"ports\":36},\"fill\":\"uniform\"",
	 "8+8 | 16x2 15x2 | uniform 2-64"},
	{"\"nodes\":40,\"edge\":{\"ports\":36,\"ports_to_nodes\":20,\"ports_to_core\":12},\"core\":{\"ports\":"
	 "36}",
	 "12 | 20x2 | dense 0-40"},
	{"\"nodes\":40,\"edge\":{\"ports\":36,\"ports_to_core\":12},\"core\":{\"ports\":36}",
	 "12 | 24x1 16x1 | dense 8-48"},
	{"\"nodes\":40,\"blocking\":1.5,\"edge\":{\"ports\":36,\"ports_to_core\":12},\"core\":{\"ports\":36}",
	 "12 | 18x2 4x1 | dense 14-54"},
	{"\"nodes\":40,\"edge\":{\"ports\":36,\"ports_to_nodes\":20},\"core\":{\"ports\":36}",
	 "16 | 20x2 | dense 0-40"},
	/* real fabrics, as built */
	{"\"nodes\":542,\"edge\":{\"ports\":64,\"count\":31,\"ports_to_nodes\":20,\"ports_to_core\":18},\"core\":{"
	 "\"ports\":64,"
	 "\"count\":9},\"bundle\":2,\"blocking\":2,\"fill\":\"uniform\"",
	 "2+2+2+2+2+2+2+2+2 | 18x15 17x16 | uniform 78-620"},
	{"\"nodes\":144,\"edge\":{\"ports\":36,\"count\":6},\"core\":{\"ports\":36,\"count\":2},\"bundle\":4",
	 "4+4 | 28x5 4x1 | dense 24-168"},
	{"\"nodes\":30,\"edge\":{\"ports\":36}", " | 30x1 | dense 6-36"},
	{"\"nodes\":30,\"edge\":{\"ports\":36,\"ports_to_nodes\":32}", " | 30x1 | dense 2-32"},
	{"\"nodes\":30,\"edge\":{\"ports\":36},\"core\":{\"count\":0}", " | 30x1 | dense 6-36"},
	{"\"nodes\":30,\"edge\":{\"ports\":36},\"core\":{\"ports\":36}", " | 30x1 | dense 6-36"},
	{"\"nodes\":30,\"edge\":{\"ports\":36},\"core\":{\"ports\":36,\"count\":1}", "18 | 18x1 12x1 | dense 6-36"},
	{"\"nodes\":30,\"topology\":\"fat-tree\",\"edge\":{\"ports\":36},\"core\":{\"ports\":36}",
	 "18 | 18x1 12x1 | dense 6-36"},
};

static void shape_test(void **state)
{
	const struct shape_row *row = *state;
	_cleanup_(ft_plan_freep) struct ft_plan *plan = plan_json(row->keys);
	_cleanup_(ft_text_release) struct ft_text shape = {0};

	check_sound(plan, row->keys);
	show_shape(&shape, plan);
	if (strcmp(ft_text_string(&shape), row->shape) != 0)
		fail_msg("%s: %s, expected %s", row->keys, ft_text_string(&shape), row->shape);
}

/* One line of a CSV with quoted fields, split in place. */
static size_t csv_split(char *line, char **fields, size_t max)
{
	size_t count = 0;
	char *s = line;

	line[strcspn(line, "\r\n")] = '\0';
	while (count < max) {
		if (*s == '"') {
			fields[count++] = ++s;
			s += strcspn(s, "\"");
			if (*s)
				*s++ = '\0';
		} else {
			fields[count++] = s;
		}
		s += strcspn(s, ",");
		if (!*s)
			break;
		*s++ = '\0';
	}
	return count;
}

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

static void csv_design(struct ft_design *design, char **fields)
{
	design_init(design);
	design->topology = FT_TOPOLOGY_FAT_TREE;
	design->nodes = (uint32_t)atoi(fields[1]);
	design->nodes_max = (uint32_t)atoi(fields[2]);
	design->roles[FT_TIER_EDGE].ports = (uint32_t)atoi(fields[3]);
	design->roles[FT_TIER_CORE].ports = (uint32_t)atoi(fields[4]);
	assert_int_equal(ft_ratio_parse(fields[5], &design->blocking), 0);
	design->fill = atoi(fields[6]) ? FT_FILL_UNIFORM : FT_FILL_DENSE;
}

/* A worked example, as it stands in the file. */
struct example {
	char name[64];
	char line[1024];
};

enum { EXAMPLES_MAX = 64 };
static struct example examples[EXAMPLES_MAX];

static size_t examples_load(void)
{
	bool twin;
	_cleanup_(ft_fclosep) FILE *file = reference_open("fattree_two_level_examples.csv", &twin);
	size_t count = 0;

	/* The first line is the header, and is overwritten. */
	if (!file || !fgets(examples[0].line, sizeof(examples->line), file))
		return 0;
	while (count < EXAMPLES_MAX && fgets(examples[count].line, sizeof(examples->line), file)) {
		struct example *example = &examples[count];
		char copy[sizeof(example->line)], *fields[13];

		memcpy(copy, example->line, sizeof(copy));
		if (csv_split(copy, fields, FT_COUNT(fields)) < 12)
			continue;
		snprintf(example->name, sizeof(example->name), "%.30s: N=%.8s Pe=%.8s", fields[0], fields[1],
			 fields[3]);
		count++;
	}
	return count;
}

static void example_test(void **state)
{
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	const struct example *example = *state;
	char line[sizeof(example->line)], *fields[13];
	struct ft_design design;
	struct ft_error err = {0};
	uint32_t found[5];

	memcpy(line, example->line, sizeof(line));
	assert_true(csv_split(line, fields, FT_COUNT(fields)) >= 12);
	csv_design(&design, fields);
	if (ft_plan_make(&design, &plan, &err) < 0)
		fail_msg("%s: %s", example->name, err.text);
	check_sound(plan, example->name);
	found[0] = plan->tree->ports_to_nodes;
	found[1] = plan->tree->ports_to_core;
	found[2] = plan->tree->edge_count;
	found[3] = plan->tree->bundle;
	found[4] = plan->tree->core_count;
	for (size_t k = 0; k < FT_COUNT(found); k++)
		if ((int)found[k] != atoi(fields[7 + k]))
			fail_msg("%s: column %zu is %u, expected %s", example->name, 7 + k, found[k], fields[7 + k]);
}

/* That the file was read at all, or its twin. */
static void test_examples_are_there(void **state)
{
	bool twin;
	_cleanup_(ft_fclosep) FILE *file = reference_open("fattree_two_level_examples.csv", &twin);
	size_t count = 0;

	(void)state;
	assert_non_null(file);
	while (count < EXAMPLES_MAX && examples[count].name[0])
		count++;
	assert_true(count >= (twin ? 4 : 28));
	if (twin)
		skip_for(NO_REFERENCE);
}

/* Columns of the reference tool's answers. */
enum {
	NODES,
	NODES_MAX,
	TOPOLOGY,
	E_COUNT = 4,
	C_COUNT = 6,
	C_PORTS,
	EPTN,
	EPTC,
	BLOCKING,
	BUNDLE,
	UNIFORM,
	LINKS,
	SPARE,
	EXPANDABLE,
	COLUMNS
};

static unsigned int reference_compare(const char *name, unsigned int *ret_stars)
{
	bool twin;
	_cleanup_(ft_fclosep) FILE *file = reference_open(name, &twin);
	unsigned int rows = 0;
	char line[1024];

	if (!file)
		return 0;
	assert_non_null(fgets(line, sizeof(line), file));
	while (fgets(line, sizeof(line), file)) {
		_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
		char *fields[24];
		struct ft_design design;
		struct ft_error err = {0};
		bool star;

		if (csv_split(line, fields, FT_COUNT(fields)) < COLUMNS)
			continue;
		star = strcmp(fields[TOPOLOGY], "star") == 0;
		/* A director as a star is the catalog's business. */
		if (star && atoi(fields[EPTN]) > FT_PORTS_MAX)
			continue;
		design_init(&design);
		design.nodes = (uint32_t)atoi(fields[NODES]);
		design.nodes_max = (uint32_t)atoi(fields[NODES_MAX]);
		design.roles[FT_TIER_EDGE].ports = star ? (uint32_t)atoi(fields[EPTN]) : 36;
		if (!star)
			design.roles[FT_TIER_CORE].ports = (uint32_t)atoi(fields[C_PORTS]);
		assert_int_equal(ft_ratio_parse(fields[BLOCKING], &design.blocking), 0);
		if (ft_plan_make(&design, &plan, &err) < 0)
			fail_msg("N=%s: %s", fields[NODES], err.text);
		check_sound(plan, fields[NODES]);
		assert_string_equal(ft_topology_name(plan->topology), fields[TOPOLOGY]);
		const struct {
			int column;
			uint32_t found;
		} figures[] = {
			{E_COUNT, plan->tree->edge_count},
			{C_COUNT, plan->tree->core_count},
			{EPTN, plan->tree->ports_to_nodes},
			{EPTC, plan->tree->ports_to_core},
			{LINKS, plan->links},
			{SPARE, plan->spare_ports},
			{EXPANDABLE, plan->tree->expandable_to},
		};
		for (size_t k = 0; k < FT_COUNT(figures); k++)
			if ((int)figures[k].found != atoi(fields[figures[k].column]))
				fail_msg("%s, N=%s: column %d is %u, expected %s", name, fields[NODES],
					 figures[k].column, figures[k].found, fields[figures[k].column]);
		if (!star) {
			assert_int_equal(plan->tree->bundle, atoi(fields[BUNDLE]));
			assert_string_equal(plan->tree->fill == FT_FILL_UNIFORM ? "True" : "False", fields[UNIFORM]);
		}
		*ret_stars += star;
		rows++;
	}
	return rows;
}

static void test_reference_tool(void **state)
{
	unsigned int stars = 0;
	unsigned int rows = reference_compare("fattree_1-648_bl1.csv", &stars);
	unsigned int more = reference_compare("fattree_mellanox_fdr_expansion.csv", &stars);

	(void)state;
	if (rows == 0)
		skip_for(NO_REFERENCE);
	print_message("%u answers of the reference tool, %u of them stars\n", rows + more, stars);
	assert_true(rows > 600);
	assert_true(more == 8);
	assert_true(stars >= 36);
}

/* Where the reference tool's answer changes, beyond the range that it is there for in full. */
static void test_breakpoints(void **state)
{
	bool twin;
	_cleanup_(ft_fclosep) FILE *file = reference_open("breakpoints_bl1.csv", &twin);
	unsigned int rows = 0;
	char line[1024];

	(void)state;
	assert_non_null(file);
	assert_non_null(fgets(line, sizeof(line), file));
	while (fgets(line, sizeof(line), file)) {
		_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
		char *fields[8], *ports;
		struct ft_design design;
		struct ft_error err = {0};

		if (csv_split(line, fields, FT_COUNT(fields)) < 7 || strcmp(fields[1], "fat-tree") != 0)
			continue;
		/* "SX6536 (with 342 ports)" */
		ports = strchr(fields[3], '(');
		assert_non_null(ports);
		ports += strcspn(ports, "0123456789");
		design_init(&design);
		design.nodes = design.nodes_max = (uint32_t)atoi(fields[0]);
		design.roles[FT_TIER_EDGE].ports = 36;
		design.roles[FT_TIER_CORE].ports = (uint32_t)atoi(ports);
		if (ft_plan_make(&design, &plan, &err) < 0)
			fail_msg("N=%s: %s", fields[0], err.text);
		check_sound(plan, fields[0]);
		assert_int_equal(plan->tree->core_count, atoi(fields[4]));
		assert_int_equal(plan->tree->bundle, atoi(fields[5]));
		assert_string_equal(plan->tree->fill == FT_FILL_UNIFORM ? "True" : "False", fields[6]);
		rows++;
	}
	print_message("%u breakpoints\n", rows);
	assert_true(rows >= (twin ? 3 : 40));
	if (twin)
		skip_for(NO_REFERENCE);
}

/* NVIDIA's published DGX SuperPODs of two levels. */
static void test_superpods(void **state)
{
	enum { PORTS = 1, ENDPOINTS = 5, LEAF, SPINE, CORE, HOST_CABLES, UPLINK_CABLES, PUBLISHED };
	bool twin;
	_cleanup_(ft_fclosep) FILE *file = reference_open("dgx_superpod_published.csv", &twin);
	unsigned int rows = 0;
	char line[1024];

	(void)state;
	if (!file)
		skip_for(NO_REFERENCE);
	while (fgets(line, sizeof(line), file)) {
		_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
		struct ft_design design;
		struct ft_error err = {0};
		char *fields[20];

		/* Comment, header, and what has a third level. */
		if (line[0] == '#' || csv_split(line, fields, FT_COUNT(fields)) < PUBLISHED || !atoi(fields[PORTS]) ||
		    atoi(fields[CORE]))
			continue;
		design_init(&design);
		design.nodes = design.nodes_max = (uint32_t)atoi(fields[ENDPOINTS]);
		design.roles[FT_TIER_EDGE].ports = design.roles[FT_TIER_CORE].ports = (uint32_t)atoi(fields[PORTS]);
		if (ft_plan_make(&design, &plan, &err) < 0)
			fail_msg("%s %s: %s", fields[0], fields[ENDPOINTS], err.text);
		check_sound(plan, fields[0]);
		assert_int_equal(plan->tree->edge_count, atoi(fields[LEAF]));
		assert_int_equal(plan->tree->core_count, atoi(fields[SPINE]));
		assert_int_equal(plan->links, atoi(fields[HOST_CABLES]) + atoi(fields[UPLINK_CABLES]));
		rows++;
	}
	print_message("%u published fabrics\n", rows);
	assert_true(rows == 8);
}

static uint32_t random_below(uint64_t *seed, uint32_t limit)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return (uint32_t)(*seed % limit);
}

static uint32_t random_pin(uint64_t *seed, uint32_t limit)
{
	return random_below(seed, 4) ? FT_NONE : random_below(seed, limit) + 1;
}

/* Whatever the numbers, the answer is a sound plan or a reason. */
static void test_random(void **state)
{
	const char *given = getenv("FT_SEED");
	uint64_t first = given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL) * 2654435761U + 1, seed = first;
	unsigned int made = 0, refused = 0;

	(void)state;
	print_message("FT_SEED=%" PRIu64 "\n", first);
	for (unsigned int i = 0; i < 20000; i++) {
		_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
		struct ft_design_role *edge, *core;
		struct ft_design design;
		struct ft_error err = {0};
		char what[160];

		design_init(&design);
		edge = &design.roles[FT_TIER_EDGE];
		core = &design.roles[FT_TIER_CORE];
		design.topology = (enum ft_topology)random_below(&seed, 3);
		design.nodes = random_below(&seed, 400) + 1;
		design.nodes_max = design.nodes + (random_below(&seed, 2) ? random_below(&seed, 200) : 0);
		assert_int_equal(
			ft_ratio_make(random_below(&seed, 40) + 10, random_below(&seed, 10) + 1, &design.blocking), 0);
		design.blocking_given = random_below(&seed, 2);
		edge->ports = random_below(&seed, 60) + 2;
		core->ports = random_below(&seed, 60) + 2;
		edge->count = random_pin(&seed, 40);
		core->count = random_pin(&seed, 12);
		edge->ports_to_nodes = random_pin(&seed, 40);
		edge->ports_to_core = random_pin(&seed, 40);
		design.bundle = random_pin(&seed, 8);
		design.spread = (enum ft_spread)random_below(&seed, 3);
		design.spread_multiple = random_below(&seed, 4) + 1;
		design.fill = (enum ft_fill)random_below(&seed, 3);
		design.prefer_expandable = random_below(&seed, 4) == 0;
		snprintf(what, sizeof(what), "seed %" PRIu64 " round %u", first, i);
		if (ft_plan_make(&design, &plan, &err) < 0) {
			assert_true(strlen(err.text) > 10);
			refused++;
			continue;
		}
		made++;
		check_sound(plan, what);
		for (uint32_t k = 0; k + 1 < plan->tree->core_count && design.spread == FT_SPREAD_MULTIPLE; k++)
			if (plan->bundles[k].count % design.spread_multiple)
				fail_msg("%s: a bundle of %u is no multiple", what, plan->bundles[k].count);
		if ((edge->count != FT_NONE && plan->tree->edge_count != edge->count) ||
		    (core->count != FT_NONE && plan->tree->core_count != core->count) ||
		    (edge->ports_to_nodes != FT_NONE && plan->tree->ports_to_nodes != edge->ports_to_nodes) ||
		    (edge->ports_to_core != FT_NONE && plan->tree->ports_to_core != edge->ports_to_core) ||
		    (design.bundle != FT_NONE && plan->tree->bundle != design.bundle))
			fail_msg("%s: a pinned number was not kept", what);
	}
	print_message("%u plans, %u refused\n", made, refused);
	assert_true(made > 1000 && refused > 1000);
}

static void test_names(void **state)
{
	_cleanup_(ft_plan_freep) struct ft_plan *small = NULL, *large = NULL, *bound = NULL;

	(void)state;
	small = plan_json("\"nodes\":72,\"edge\":{\"ports\":36},\"core\":{\"ports\":36}");
	assert_string_equal(small->switches[0].name, "edge001");
	assert_string_equal(small->switches[5].name, "core02");
	large = plan_json("\"nodes\":1000,\"edge\":{\"ports\":2},\"core\":{\"ports\":1024}");
	assert_int_equal(large->tree->edge_count, 1000);
	assert_string_equal(large->switches[0].name, "edge0001");
	assert_string_equal(large->switches[999].name, "edge1000");
	bound = plan_json("\"nodes\":40,\"edge\":{\"ports\":36},\"core\":{\"ports\":72},"
			  "\"bind\":{\"edge\":[\"leaf b\",\"leaf a\",\"0x0002c90300abcdef\"]}");
	assert_string_equal(bound->switches[0].name, "leaf b");
	assert_string_equal(bound->switches[1].name, "leaf a");
	assert_string_equal(bound->switches[2].name, "0x0002c90300abcdef");
	assert_string_equal(bound->switches[3].name, "core01");
}

static void test_clos(void **state)
{
	static const struct {
		const char *keys;
		uint32_t clos, levels;
		int64_t num, den;
	} rows[] = {
		{"\"nodes\":36,\"edge\":{\"ports\":36}", 1, 1, 1, 1},
		{"\"nodes\":72,\"edge\":{\"ports\":36},\"core\":{\"ports\":36}", 3, 2, 1, 1},
		{"\"nodes\":90,\"blocking\":4,\"edge\":{\"ports\":24},\"core\":{\"ports\":24}", 3, 2, 19, 5},
		/* a switch of more ports than a chip can number is a director */
		{"\"nodes\":648,\"edge\":{\"ports\":36},\"core\":{\"ports\":648}", 5, 2, 1, 1},
	};

	(void)state;
	for (size_t i = 0; i < FT_COUNT(rows); i++) {
		_cleanup_(ft_plan_freep) struct ft_plan *plan = plan_json(rows[i].keys);

		assert_int_equal(plan->clos, rows[i].clos);
		assert_int_equal(plan->tree->levels, rows[i].levels);
		assert_int_equal(plan->tree->blocking.num, rows[i].num);
		assert_int_equal(plan->tree->blocking.den, rows[i].den);
	}
}

/* The network file says each cable twice, once from either end, and both must agree. */
static void check_network(const char *text, const struct ft_plan *plan)
{
	struct end {
		char node[24], far[24];
		int port, far_port;
	} *ends = calloc(2 * (size_t)plan->links, sizeof(*ends));
	size_t count = 0, mutual = 0;
	char node[24] = "";

	assert_non_null(ends);
	for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		const char *quote = strchr(line, '"'), *bracket;

		if (strncmp(line, "Switch", 6) == 0 || strncmp(line, "Ca", 2) == 0)
			snprintf(node, sizeof(node), "%.18s", quote + 1);
		if (line[0] != '[')
			continue;
		assert_true(count < 2 * (size_t)plan->links);
		bracket = strchr(quote, '[');
		snprintf(ends[count].node, sizeof(ends->node), "%s", node);
		snprintf(ends[count].far, sizeof(ends->far), "%.18s", quote + 1);
		ends[count].port = atoi(line + 1);
		ends[count++].far_port = atoi(bracket + 1);
	}
	assert_int_equal(count, 2 * (size_t)plan->links);
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < count; k++)
			mutual += strcmp(ends[i].node, ends[k].far) == 0 && strcmp(ends[i].far, ends[k].node) == 0 &&
				  ends[i].port == ends[k].far_port && ends[i].far_port == ends[k].port;
	free(ends);
	/* Exactly one partner each: no port is used twice either. */
	assert_int_equal(mutual, count);
}

static void read_design(const char *keys, struct ft_design **ret_design, struct ft_plan **ret_plan)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};
	struct ft_error err = {0};

	ft_text_printf(&text, "{\"ftcheck\": 1, \"name\": \"t\", %s}", keys);
	if (ft_design_read(text.data, text.length, ret_design, ret_plan, &err) < 0)
		fail_msg("%s: %u:%u: %s", keys, err.line, err.column, err.text);
}

static void test_ibsim(void **state)
{
	static const char *const rows[] = {
		"\"nodes\":70,\"edge\":{\"ports\":36},\"core\":{\"ports\":36}",
		"\"nodes\":90,\"blocking\":4,\"edge\":{\"ports\":24},\"core\":{\"ports\":24}",
		"\"nodes\":20,\"edge\":{\"ports\":36}",
		"\"nodes\":62,\"edge\":{\"ports\":36,\"count\":4},\"core\":{\"ports\":36},\"bundles\":{\"multiple\":4}",
	};

	(void)state;
	for (size_t i = 0; i < FT_COUNT(rows); i++) {
		_cleanup_(ft_design_freep) struct ft_design *design = NULL;
		_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
		_cleanup_(ft_text_release) struct ft_text text = {0};
		struct ft_error err = {0};

		read_design(rows[i], &design, &plan);
		assert_int_equal(ft_plan_check_ibsim(design, plan, &err), 0);
		ft_plan_write_ibsim(&text, design, plan);
		check_network(ft_text_string(&text), plan);
	}
}

#define BOUND(edge, core)                                                                                    \
	"\"nodes\":40,\"edge\":{\"ports\":36},\"core\":{\"ports\":72},\"bind\":{\"edge\":{\"match\":\"" edge \
	"\"},\"core\":{\"match\":\"" core "\"}}"

static void test_ibsim_lines(void **state)
{
	static const struct {
		const char *keys, *line;
	} rows[] = {
		{"\"nodes\":20,\"edge\":{\"ports\":36}",
		 "\nSwitch\t36 \"S-0000000000100001\"\t\t# \"edge001\" base port 0 lid 1 lmc 0\n"},
		{"\"nodes\":20,\"edge\":{\"ports\":36}",
		 "\n[2]\t\"H-0000000000200003\"[1](200004)\t\t# \"node002\" lid 3 4xHDR\n"},
		{"\"nodes\":20,\"edge\":{\"ports\":36}",
		 "\nCa\t1 \"H-0000000000200003\"\t\t# \"node002\"\n[1](200004)\t\"S-0000000000100001\"[2]"
		 "\t\t# lid 3 lmc 0 \"edge001\" lid 1 4xHDR\n"},
		{"\"nodes\":40,\"edge\":{\"ports\":36},\"core\":{\"ports\":72}",
		 "\n[19]\t\"S-0000000000100004\"[1]\t\t# \"core01\" lid 4 4xHDR\n"},
		{"\"nodes\":40,\"edge\":{\"ports\":36},\"core\":{\"ports\":72},\"rate\":{\"uplink\":[\"4xNDR\","
		 "\"4xHDR\"],\"host\":\"2xNDR\"}",
		 "\n[19]\t\"S-0000000000100004\"[1]\t\t# \"core01\" lid 4 4xNDR\n"},
		{"\"nodes\":40,\"edge\":{\"ports\":36},\"core\":{\"ports\":72},\"rate\":{\"uplink\":[\"4xNDR\","
		 "\"4xHDR\"],\"host\":\"2xNDR\"}",
		 "\n[1]\t\"H-0000000000200001\"[1](200002)\t\t# \"node001\" lid 5 2xNDR\n"},
		/* more ports than unicast LIDs: none is better than one twice */
		{"\"nodes\":60000,\"blocking\":253,\"edge\":{\"ports\":254},\"core\":{\"ports\":254}",
		 "\n[1]\t\"H-0000000000200001\"[1](200002)\t\t# \"node00001\" lid 0 4xHDR\n"},
		{"\"nodes\":20,\"edge\":{\"ports\":36},\"rate\":\"4xFDR10\"", "\nvendid=0x2c9\ndevid=0xc738\n"},
		{"\"nodes\":20,\"edge\":{\"ports\":36},\"bind\":{\"edge\":[\"0xABCDEF0123456789\"]}",
		 "\nSwitch\t36 \"S-abcdef0123456789\"\t\t# \"0xABCDEF0123456789\" base"},
		/* of a pattern: names that it matches, at both ends of a cable */
		{BOUND("^leaf[0-9]+$", "^top-[0-9]{3}$"), "# \"leaf3\" base port 0 lid 3 lmc 0\n"},
		{BOUND("^leaf[0-9]+$", "^top-[0-9]{3}$"), "# \"top-001\" base port 0 lid 4 lmc 0\n"},
		{BOUND("^leaf[0-9]+$", "^top-[0-9]{3}$"), "\n[19]\t\"S-0000000000100004\"[1]\t\t# \"top-001\" lid 4"},
		{BOUND("^leaf[0-9]+$", "^top-[0-9]{3}$"), "lmc 0 \"leaf1\" lid 1 4xHDR\n"},
		{BOUND("^[1-9][0-9]leaf$", "top"), "# \"12leaf\" base"},
		/* the other tier's pattern matches them too, the same name for all, no room, not understood */
		{BOUND("^sw[0-9]+$", "^sw[0-9]+$"), "# \"edge003\" base"},
		{BOUND("^sw[0-9]+$", "^sw[0-9]+$"), "# \"core01\" base"},
		{BOUND("^sw[0-9]+$", "^sw[0-9]+-top$"), "# \"sw1-top\" base"},
		{BOUND("^sw$", "^[0-9]+top$"), "# \"edge003\" base"},
		{BOUND("^sw[12]$", "^[0-9]+top$"), "# \"edge003\" base"},
		{BOUND("^sw(?=[0-9])[0-9]$", "^[0-9]+top$"), "# \"edge003\" base"},
	};

	(void)state;
	for (size_t i = 0; i < FT_COUNT(rows); i++) {
		_cleanup_(ft_design_freep) struct ft_design *design = NULL;
		_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
		_cleanup_(ft_text_release) struct ft_text text = {0};

		read_design(rows[i].keys, &design, &plan);
		ft_plan_write_ibsim(&text, design, plan);
		if (!strstr(ft_text_string(&text), rows[i].line))
			fail_msg("%s: no line %s in\n%.2000s", rows[i].keys, rows[i].line, ft_text_string(&text));
	}
}

/* What a director is written as: a line of each sort of chip, and who is behind an outer port. */
static void test_ibsim_directors(void **state)
{
	static const char boards[] = "\"nodes\":40,\"edge\":{\"ports\":8},\"core\":{\"count\":1,\"inside\":"
				     "{\"line_boards\":5,\"line_boards_max\":6,\"line_ports\":8,\"line_chips\":2,"
				     "\"fabric_boards\":1,\"fabric_boards_max\":2,\"fabric_chips\":2,\"traces\":1}";
	static const struct {
		const char *keys, *more, *line;
	} rows[] = {
		{boards, "}", "Switch\t12 \"S-0000000001000001\"\t\t# \"core01 L01\" base port 0 lid 11 lmc 0\n"},
		{boards, "}", "Switch\t12 \"S-0000000001000002\"\t\t# \"core01 L01/2\" base port 0 lid 12 lmc 0\n"},
		{boards, "}", "Switch\t12 \"S-000000000100000c\"\t\t# \"core01 F01/2\" base port 0 lid 22 lmc 0\n"},
		{boards, "}", "sysimgguid=0x10000b\nswitchguid=0x100000c(100000c)\n"},
		/* the third edge's last uplink is outer port 12: board 2, its first chip */
		{boards, "}", "[8]\t\"S-0000000001000003\"[4]\t\t# \"core01 L02\" lid 13 4xHDR\n"},
		{boards, "}", "[4]\t\"S-0000000000100003\"[8]\t\t# \"edge003\" lid 3 4xHDR\n"},
		/* traces: behind the outer ports, of line chip 3 and fabric chip 2 */
		{boards, "}", "[6]\t\"S-000000000100000c\"[3]\t\t# \"core01 F01/2\" lid 22 4xHDR\n"},
		{boards, "}", "[3]\t\"S-0000000001000003\"[6]\t\t# \"core01 L02\" lid 13 4xHDR\n"},
		{boards, "},\"bind\":{\"core\":[\"0xabc\"]}", "sysimgguid=0xabc\nswitchguid=0x1000001(1000001)\n"},
		{boards, "},\"bind\":{\"core\":[\"big one\"]}", "# \"big one F01/2\" base port 0"},
		{boards, ",\"chassis\":\"^(core[0-9]+) [LF]\"}", "# \"core01 F01/2\" base port 0"},
		{boards, ",\"chassis\":\"^(SL1-[0-9]+) MT[0-9]+$\"}", "# \"SL1-1 MT1\" base port 0"},
		{boards, ",\"chassis\":\"^sw([a-z]*) [LF]\"},\"bind\":{\"core\":[\"big\"]}",
		 "# \"swbig F1 L01\" base port 0"},
	};

	(void)state;
	for (size_t i = 0; i < FT_COUNT(rows); i++) {
		_cleanup_(ft_design_freep) struct ft_design *design = NULL;
		_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
		_cleanup_(ft_text_release) struct ft_text text = {0}, keys = {0};
		struct ft_error err = {0};

		ft_text_printf(&keys, "%s%s", rows[i].keys, rows[i].more);
		read_design(keys.data, &design, &plan);
		if (ft_plan_check_ibsim(design, plan, &err) < 0)
			fail_msg("%s: %s", keys.data, err.text);
		ft_plan_write_ibsim(&text, design, plan);
		if (!strstr(ft_text_string(&text), rows[i].line))
			fail_msg("%s: no line %s in\n%.9000s", keys.data, rows[i].line, ft_text_string(&text));
	}
}

static void test_ibsim_refused(void **state)
{
	static const struct {
		const char *keys, *text;
	} rows[] = {
		{"\"nodes\":400,\"topology\":\"star\",\"edge\":{\"ports\":509}",
		 "the edge switches of this plan, of 509 ports, are directors, and no usual way to build one fits what "
		 "is known of them: say what they are made of by \"inside\""},
		{"\"nodes\":100,\"topology\":\"star\",\"edge\":{\"inside\":{\"line_boards\":6,\"line_ports\":18}},"
		 "\"bind\":{\"edge\":[\"0123456789012345678901234567890123456789012345678901\"]}",
		 "\"0123456789012345678901234567890123456789012345678901\" is longer than the 51 bytes that ibsim "
		 "keeps "
		 "of a name besides the slot"},
		{"\"nodes\":100,\"topology\":\"star\",\"edge\":{\"ports\":108,\"inside\":{}},"
		 "\"bind\":{\"edge\":[\"0x1000001\"]}",
		 "\"0x1000001\" is a GUID of those that are made up for the other nodes of the network file"},
		{"\"nodes\":20,\"edge\":{\"ports\":36},\"bind\":{\"edge\":[\"a\\\"b\"]}",
		 "\"a\"b\" holds a character that ibsim's network file cannot (\" or =)"},
		{"\"nodes\":20,\"edge\":{\"ports\":36},\"bind\":{\"edge\":[\"w=4\"]}",
		 "\"w=4\" holds a character that ibsim's network file cannot (\" or =)"},
		{"\"nodes\":20,\"edge\":{\"ports\":36},\"bind\":{\"edge\":[\"0x200003\"]}",
		 "\"0x200003\" is a GUID of those that are made up for the other nodes of the network file"},
		{"\"nodes\":20,\"edge\":{\"ports\":36},\"bind\":{\"edge\":"
		 "[\"0123456789012345678901234567890123456789012345678901234567890123\"]}",
		 "\"0123456789012345678901234567890123456789012345678901234567890123\" is longer than the 63 bytes "
		 "that ibsim "
		 "keeps of a name"},
	};

	(void)state;
	for (size_t i = 0; i < FT_COUNT(rows); i++) {
		_cleanup_(ft_design_freep) struct ft_design *design = NULL;
		_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
		struct ft_error err = {0};

		read_design(rows[i].keys, &design, &plan);
		assert_int_equal(ft_plan_check_ibsim(design, plan, &err), -EINVAL);
		assert_string_equal(err.text, rows[i].text);
	}
}

/* ftplan's JSON is a design again, which gives the same plan and is written the same. */
static void test_json_round_trip(void **state)
{
	static const char *const designs[] = {
		"{\"ftcheck\":1,\"name\":\"t\",\"nodes\":72,\"edge\":{\"ports\":36},\"core\":{\"ports\":36}}",
		"{\n\t\"ftcheck\": 1,\n\t\"name\": \"t\",\n\t\"blocking\": 2.6,\n\t\"nodes\": 90,\n\t\"edge\": "
		"{\"ports\": 36},\n"
		"\t\"core\": {\"ports\": 36}\n}\n",
		("{\"plan\": {\"bundle\": 9, \"clos\": 3.0}, "
		 "\"ftcheck\":1,\"name\":\"t\",\"nodes\":72,\"edge\":{\"ports\":36},"
		 "\"core\":{\"ports\":36}, \"why\": {\"plan\": \"}\"}  } \r\n"),
		("{\"ftcheck\":1,\"name\":\"\\\"\\\\ \xc3\xa9\",\"nodes\":30,\"edge\":{\"ports\":36},"
		 "\"bind\":{\"edge\":[\"a \\\" \\\\ b\"]}}"),
	};

	(void)state;
	for (size_t i = 0; i < FT_COUNT(designs); i++) {
		_cleanup_(ft_design_freep) struct ft_design *design = NULL, *again = NULL;
		_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL, *same = NULL;
		_cleanup_(ft_text_release) struct ft_text text = {0}, twice = {0}, one = {0}, two = {0};
		struct ft_error err = {0};

		assert_int_equal(ft_design_read(designs[i], strlen(designs[i]), &design, &plan, &err), 0);
		assert_int_equal(ft_plan_write_design(&text, design, plan), 0);
		if (ft_design_read(text.data, text.length, &again, &same, &err) < 0)
			fail_msg("%u:%u: %s in\n%s", err.line, err.column, err.text, text.data);
		assert_int_equal(ft_plan_write_design(&twice, again, same), 0);
		assert_string_equal(text.data, twice.data);
		ft_plan_write_json(&one, plan, 0);
		ft_plan_write_json(&two, same, 0);
		assert_string_equal(one.data, two.data);
		assert_null(strchr(one.data, '\n'));
		assert_non_null(strstr(text.data, "\"plan\": {\n    \"topology\": "));
	}
}

/* Every key of the plan, in the order of the specification. */
static void test_json_keys(void **state)
{
	static const char *const keys[] = {"topology",	"levels", "clos",	 "edge",	  "core",   "bundle",
					   "blocking",	"links",  "spare_ports", "expandable_to", "cost",   "power_w",
					   "weight_kg", "size_u", "figures",	 "switches",	  "bundles"};
	_cleanup_(ft_plan_freep) struct ft_plan *plan =
		plan_json("\"nodes\":90,\"blocking\":\"7:3\",\"edge\":{\"ports\":20},\"core\":{\"ports\":36}");
	_cleanup_(ft_text_release) struct ft_text text = {0};
	const char *key;
	json_t *root, *value;
	size_t i = 0;

	(void)state;
	ft_plan_write_json(&text, plan, 2);
	root = json_loads(text.data, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(root);
	json_object_foreach(root, key, value) {
		assert_true(i < FT_COUNT(keys));
		assert_string_equal(key, keys[i++]);
	}
	assert_int_equal(i, FT_COUNT(keys));
	assert_string_equal(json_string_value(json_object_get(root, "blocking")), "7:3");
	assert_true(json_is_null(json_object_get(root, "cost")));
	assert_int_equal(json_array_size(json_object_get(root, "switches")), plan->switch_count);
	assert_int_equal(json_array_size(json_object_get(root, "bundles")), plan->bundle_count);
	json_decref(root);
}

static void test_text(void **state)
{
	static const struct {
		const char *keys, *part;
	} rows[] = {
		{"\"nodes\":72,\"edge\":{\"ports\":36},\"core\":{\"ports\":36}",
		 "\n  edge002 ports 28-36 -> core02 ports 10-18\n"},
		{"\"nodes\":72,\"edge\":{\"ports\":36},\"core\":{\"ports\":36}",
		 "\nBundles: the cables of every edge switch are 9 to each of core01 and core02.\n"},
		{"\"nodes\":90,\"blocking\":4,\"edge\":{\"ports\":24},\"core\":{\"ports\":24}",
		 "\nBundles: the cables of every edge switch are 3 to core01, 2 to core02.\n"},
		{"\"nodes\":90,\"blocking\":4,\"edge\":{\"ports\":24},\"core\":{\"ports\":24}",
		 "\nBlocking: 3.8 (19 ports for nodes share 5 uplinks).\n"},
		{"\"nodes\":648,\"edge\":{\"ports\":36},\"core\":{\"ports\":36}", "\n    port 36 -> core18 port E\n"},
		{"\"nodes\":648,\"edge\":{\"ports\":36},\"core\":{\"ports\":36}",
		 "\n  edge036 port 36 -> core18 port 36\n"},
		{"\"nodes\":20,\"edge\":{\"ports\":36}", "\n  edge001: 20, ports 1-20\n"},
	};

	(void)state;
	for (size_t i = 0; i < FT_COUNT(rows); i++) {
		_cleanup_(ft_design_freep) struct ft_design *design = NULL;
		_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
		_cleanup_(ft_text_release) struct ft_text text = {0};

		read_design(rows[i].keys, &design, &plan);
		ft_plan_write_text(&text, design, plan, NULL);
		if (!strstr(ft_text_string(&text), rows[i].part))
			fail_msg("%s: no %s in\n%s", rows[i].keys, rows[i].part, ft_text_string(&text));
	}
}

/* 10,000 nodes take less than 10 ms; the best of several, as the machine has other things to do. */
static void test_speed(void **state)
{
	struct ft_design design;
	double best_ms = 1e9;

	(void)state;
	design_init(&design);
	design.nodes = design.nodes_max = 10000;
	design.roles[FT_TIER_EDGE].ports = 40;
	design.roles[FT_TIER_CORE].ports = 800;
	for (int i = 0; i < 10; i++) {
		_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
		struct timespec a, b;
		double ms;

		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
		assert_int_equal(ft_plan_make(&design, &plan, NULL), 0);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
		ms = (double)(b.tv_sec - a.tv_sec) * 1e3 + (double)(b.tv_nsec - a.tv_nsec) / 1e6;
		best_ms = ms < best_ms ? ms : best_ms;
	}
	print_message("10000 nodes planned in %.3f ms\n", best_ms);
	assert_true(best_ms < 10);
}

int main(void)
{
	static struct CMUnitTest tests[FT_COUNT(tutorial_rows) + FT_COUNT(shape_rows) + EXAMPLES_MAX + 16];
	const struct CMUnitTest others[] = {
		cmocka_unit_test(test_examples_are_there),
		cmocka_unit_test(test_reference_tool),
		cmocka_unit_test(test_breakpoints),
		cmocka_unit_test(test_superpods),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_clos),
		cmocka_unit_test(test_ibsim),
		cmocka_unit_test(test_ibsim_lines),
		cmocka_unit_test(test_ibsim_directors),
		cmocka_unit_test(test_ibsim_refused),
		cmocka_unit_test(test_json_round_trip),
		cmocka_unit_test(test_json_keys),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_speed),
	};
	size_t n = 0, example_count = examples_load();

	for (size_t i = 0; i < FT_COUNT(tutorial_rows); i++)
		tests[n++] = (struct CMUnitTest){tutorial_rows[i].keys, tutorial_test, NULL, NULL,
						 (void *)(uintptr_t)&tutorial_rows[i]};
	for (size_t i = 0; i < FT_COUNT(shape_rows); i++)
		tests[n++] = (struct CMUnitTest){shape_rows[i].keys, shape_test, NULL, NULL,
						 (void *)(uintptr_t)&shape_rows[i]};
	for (size_t i = 0; i < example_count; i++)
		tests[n++] = (struct CMUnitTest){examples[i].name, example_test, NULL, NULL, &examples[i]};
	for (size_t i = 0; i < FT_COUNT(others); i++)
		tests[n++] = others[i];
	return _cmocka_run_group_tests("plan", tests, n, NULL, NULL) ? 1 : 0;
}
