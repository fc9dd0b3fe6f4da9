/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What people do with a plan: the floor it stands on, its cables, its bill, and the files of other programs. */
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

#include "base/cleanup.h"
#include "base/map.h"
#include "base/text.h"
#include "planner/plan/chips.h"
#include "planner/write/csv.h"
#include "planner/write/floor.h"
#include "planner/write/formats.h"
#include "planner/write/seats.h"
#include "planner/plan/wiring.h"

#include "tests/allocations.h"
#include "planner/plan/tree.h"

static uint64_t random_state;

static uint32_t random_below(uint32_t limit)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)((random_state >> 16) % limit);
}

/* A design with its plan, and the catalog it was chosen from. */
struct planned {
	struct ft_catalog *catalog;
	struct ft_design *design;
	struct ft_plan *plan;
};

static void planned_release(struct planned *p)
{
	ft_plan_free(p->plan);
	ft_design_free(p->design);
	ft_catalog_free(p->catalog);
}

/* Returns what reading the design did. */
static int plan_keys(const char *keys, const char *catalog, struct planned *p, struct ft_error *err)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};

	if (catalog && ft_catalog_load(catalog, &p->catalog, err) < 0)
		fail_msg("%s: %s", catalog, err->text);
	ft_text_printf(&text, "{\"ftcheck\": 1, \"name\": \"t\", %s}", keys);
	return ft_design_read_with(text.data, text.length, p->catalog, &p->design, &p->plan, err);
}

static void plan_or_fail(const char *keys, const char *catalog, struct planned *p)
{
	struct ft_error err = {0};

	if (plan_keys(keys, catalog, p, &err) < 0)
		fail_msg("%s: %u:%u: %s", keys, err.line, err.column, err.text);
}

/* ---- CSV, read strictly by RFC 4180 ---- */

enum { CELLS_MAX = 16, CELL_SIZE = 512 };

struct csv_row {
	char cells[CELLS_MAX][CELL_SIZE];
	size_t count;
};

static const char *read_cell(const char *s, char cell[CELL_SIZE])
{
	bool quoted = *s == '"';
	size_t n = 0;

	for (s += quoted; *s; s++) {
		if (quoted && *s == '"' && *++s != '"')
			break;
		if (!quoted && strchr(",\n", *s))
			break;
		assert_false(!quoted && *s == '"');
		assert_true(n + 1 < CELL_SIZE);
		cell[n++] = *s;
	}
	cell[n] = '\0';
	assert_true(*s == ',' || *s == '\n');
	return s;
}

/* The next row; NULL at the end. */
static const char *read_row(const char *s, struct csv_row *row)
{
	row->count = 0;
	if (!*s)
		return NULL;
	for (;; s++) {
		assert_true(row->count < CELLS_MAX);
		s = read_cell(s, row->cells[row->count++]);
		if (*s == '\n')
			return s + 1;
	}
}

static uint32_t number(const char *cell)
{
	char *end;
	unsigned long value = strtoul(cell, &end, 10);

	if (end == cell || *end)
		fail_msg("not a number: \"%s\"", cell);
	return (uint32_t)value;
}

/* An amount, in thousandths. */
static int64_t amount(const char *cell)
{
	char *end;
	double value = strtod(cell, &end);

	if (end == cell || *end)
		fail_msg("not an amount: \"%s\"", cell);
	return (int64_t)(value * FT_AMOUNT_UNIT + (value < 0 ? -0.5 : 0.5));
}

static const struct csv_cell {
	const char *string, *cell;
} csv_cells[] = {
	{"", ""},
	{"edge001", "edge001"},
	{"Mellanox SX6036 (36 ports)", "Mellanox SX6036 (36 ports)"},
	{"a,b", "\"a,b\""},
	{"a;b", "\"a;b\""},
	{"a\"b", "\"a\"\"b\""},
	{"\"", "\"\"\"\""},
	{" a", "\" a\""},
	{"a ", "\"a \""},
	{"a\nb", "a\\x0ab"},
	{"a\rb", "a\\x0db"},
	{"\t=1", "\\x09=1"},
	{"=1+1", "'=1+1"},
	{"+1", "'+1"},
	{"-1", "'-1"},
	{"@a", "'@a"},
	{"'=1", "''=1"},
	{" =1", "' =1"},
	{"=a,b", "\"'=a,b\""},
	{"\xef\xbc\x9d"
	 "1",
	 "'\xef\xbc\x9d"
	 "1"},
	{"a=1", "a=1"},
	{"\xff", "\\xff"},
};

static void csv_cell_test(void **state)
{
	const struct csv_cell *row = *state;
	_cleanup_(ft_text_release) struct ft_text text = {0};

	ft_csv_add(&text, row->string);
	assert_string_equal(ft_text_string(&text), row->cell);
}

static void test_csv_counts(void **state)
{
	static const uint32_t counts[] = {0, 1, 9, 10, 65535, 4294967295};
	_cleanup_(ft_text_release) struct ft_text text = {0};

	(void)state;
	for (size_t i = 0; i < FT_COUNT(counts); i++) {
		ft_csv_add_count(&text, counts[i]);
		ft_text_puts(&text, " ");
	}
	assert_string_equal(ft_text_string(&text), "0 1 9 10 65535 4294967295 ");
}

/* ---- the floor ---- */

/* Nothing stands in another's place, or beyond a rack; hosts of a chassis share its place with its switch. */
static void check_floor(const struct ft_plan *plan, const struct ft_floor *floor, const char *what)
{
	uint32_t racks = floor->rows * floor->columns, height = floor->model.rack_units;
	_cleanup_free_ uint32_t *used = calloc((size_t)racks * height, sizeof(*used));
	uint32_t count = floor->switch_count + floor->host_count;
	bool blades = false;

	assert_non_null(used);
	for (uint32_t i = 0; i < floor->host_count; i++)
		blades |= floor->hosts[i].midplane;
	assert_int_equal(floor->switch_count, plan->switch_count);
	assert_int_equal(floor->host_count, plan->nodes);
	for (uint32_t i = 0; i < count; i++) {
		const struct ft_floor_place *place =
			i < floor->switch_count ? &floor->switches[i] : &floor->hosts[i - floor->switch_count];
		uint32_t chassis = place->rack * 1000 + place->unit;

		if (place->rack >= racks || place->unit < 1 || place->units < 1 ||
		    place->unit + place->units - 1 > height)
			fail_msg("%s: thing %u is in rack %u of %u, units %u+%u of %u", what, i, place->rack, racks,
				 place->unit, place->units, height);
		for (uint32_t unit = place->unit; unit < place->unit + place->units; unit++) {
			uint32_t *slot = &used[place->rack * height + unit - 1];

			/* A chassis, 7 or more units tall, has many things in it. */
			if (*slot && (*slot != chassis || place->units < 7 || !blades))
				fail_msg("%s: thing %u is not alone in unit %u of rack %u", what, i, unit, place->rack);
			*slot = chassis;
		}
	}
}

/* Worked by hand. Where a thing stands: its rack and unit. */
static const struct floor_row {
	const char *what, *keys, *catalog;
	bool host;
	uint32_t index;
	const char *place;
} floor_rows[] = {
	/* "Building the edge level": two edge switches of 18 hosts in 42 U, and the core in the 4 U that are left */
	{"sample", "\"nodes\":72,\"edge\":{\"ports\":36},\"core\":{\"ports\":36}", NULL, false, 0, "A01 42+1"},
	{"sample", "\"nodes\":72,\"edge\":{\"ports\":36},\"core\":{\"ports\":36}", NULL, false, 1, "A01 41+1"},
	{"sample", "\"nodes\":72,\"edge\":{\"ports\":36},\"core\":{\"ports\":36}", NULL, false, 3, "A02 41+1"},
	{"sample", "\"nodes\":72,\"edge\":{\"ports\":36},\"core\":{\"ports\":36}", NULL, false, 4, "A01 37+1"},
	{"sample", "\"nodes\":72,\"edge\":{\"ports\":36},\"core\":{\"ports\":36}", NULL, false, 5, "A01 39+1"},
	{"sample", "\"nodes\":72,\"edge\":{\"ports\":36},\"core\":{\"ports\":36}", NULL, true, 0, "A01 1+1"},
	{"sample", "\"nodes\":72,\"edge\":{\"ports\":36},\"core\":{\"ports\":36}", NULL, true, 35, "A01 36+1"},
	{"sample", "\"nodes\":72,\"edge\":{\"ports\":36},\"core\":{\"ports\":36}", NULL, true, 36, "A02 1+1"},
	/* 36 edge switches in 18 racks, 18 core switches with a free unit each in one: the 10th or 11th of 19 */
	{"648", "\"nodes\":648,\"edge\":{\"ports\":36},\"core\":{\"ports\":36}", NULL, false, 36, "A10 1+1"},
	{"648", "\"nodes\":648,\"edge\":{\"ports\":36},\"core\":{\"ports\":36}", NULL, false, 53, "A10 35+1"},
	{"648", "\"nodes\":648,\"edge\":{\"ports\":36},\"core\":{\"ports\":36}", NULL, false, 17, "A09 41+1"},
	{"648", "\"nodes\":648,\"edge\":{\"ports\":36},\"core\":{\"ports\":36}", NULL, false, 18, "A11 42+1"},
	{"648", "\"nodes\":648,\"edge\":{\"ports\":36},\"core\":{\"ports\":36}", NULL, true, 647, "A19 36+1"},
	/* 20 hosts and their switch are half a rack to the unit */
	{"HDR", "\"nodes\":80,\"edge\":{\"ports\":40},\"core\":{\"ports\":40}", NULL, false, 1, "A01 41+1"},
	{"HDR", "\"nodes\":80,\"edge\":{\"ports\":40},\"core\":{\"ports\":40}", NULL, false, 4, "A02 1+1"},
	/* 64 hosts on a switch of 2 U: two racks, 42 in one and 22 below the switch in the other */
	{"128", "\"nodes\":256,\"edge\":{\"ports\":128},\"core\":{\"ports\":128}", NULL, false, 0, "A02 41+2"},
	{"128", "\"nodes\":256,\"edge\":{\"ports\":128},\"core\":{\"ports\":128}", NULL, true, 41, "A01 42+1"},
	{"128", "\"nodes\":256,\"edge\":{\"ports\":128},\"core\":{\"ports\":128}", NULL, true, 63, "A02 22+1"},
	{"128", "\"nodes\":256,\"edge\":{\"ports\":128},\"core\":{\"ports\":128}", NULL, true, 64, "A03 1+1"},
	/* a star around a director, which is alone in the middle rack */
	{"star", "\"nodes\":100,\"topology\":\"star\",\"edge\":{\"ports\":648}", NULL, false, 0, "A03 10+33"},
	{"star", "\"nodes\":100,\"topology\":\"star\",\"edge\":{\"ports\":648}", NULL, true, 41, "A01 42+1"},
	{"star", "\"nodes\":100,\"topology\":\"star\",\"edge\":{\"ports\":648}", NULL, true, 83, "A02 42+1"},
	{"star", "\"nodes\":100,\"topology\":\"star\",\"edge\":{\"ports\":648}", NULL, true, 84, "A04 1+1"},
	/* blades: four chassis in a rack, 320 servers in five racks around the core's */
	{"blades", "\"nodes\":320", "hp-blade-fdr-2013", false, 0, "A01 1+10"},
	{"blades", "\"nodes\":320", "hp-blade-fdr-2013", false, 3, "A01 31+10"},
	{"blades", "\"nodes\":320", "hp-blade-fdr-2013", false, 8, "A04 1+10"},
	{"blades", "\"nodes\":320", "hp-blade-fdr-2013", false, 20, "A03 1+1"},
	{"blades", "\"nodes\":320", "hp-blade-fdr-2013", true, 319, "A06 31+10"},
	/* a pair: the second chassis has a pass-through module */
	{"pair", "\"nodes\":32", "hp-blade-fdr-2013", true, 31, "A01 11+10"},
	/* room for 600 nodes is kept from the first */
	{"200", "\"nodes\":200,\"nodes_max\":600,\"edge\":{\"ports\":36},\"core\":{\"ports\":36}", NULL, false, 12,
	 "A09 1+1"},
	{"400", "\"nodes\":400,\"nodes_max\":600,\"edge\":{\"ports\":36},\"core\":{\"ports\":36}", NULL, false, 23,
	 "A09 1+1"},
	{"600", "\"nodes\":600,\"nodes_max\":600,\"edge\":{\"ports\":36},\"core\":{\"ports\":36}", NULL, false, 34,
	 "A09 1+1"},
};

static void floor_test(void **state)
{
	const struct floor_row *row = *state;
	_cleanup_(planned_release) struct planned p = {0};
	_cleanup_(ft_floor_freep) struct ft_floor *floor = NULL;
	const struct ft_floor_place *place;
	char rack[FT_FLOOR_RACK_SIZE], found[64];

	plan_or_fail(row->keys, row->catalog, &p);
	assert_int_equal(ft_floor_make(p.plan, p.catalog, NULL, &floor), 0);
	check_floor(p.plan, floor, row->what);
	place = row->host ? &floor->hosts[row->index] : &floor->switches[row->index];
	snprintf(found, sizeof(found), "%s %u+%u", ft_floor_rack_name(floor, place->rack, rack), place->unit,
		 place->units);
	assert_string_equal(found, row->place);
}

static const struct length_row {
	uint32_t distance_mm, cable_mm;
} length_rows[] = {
	{0, 500},	  {500, 500},	    {501, 1000},      {1000, 1000},	{2423, 2500},
	{3001, 4000},	  {5001, 7000},	    {10001, 15000},   {30001, 50000},	{50001, 70000},
	{100000, 100000}, {100001, 150000}, {150000, 150000}, {150001, 200000}, {4294967295, 4294950000},
};

static void test_lengths(void **state)
{
	(void)state;
	for (size_t i = 0; i < FT_COUNT(length_rows); i++)
		assert_int_equal(ft_floor_cable_mm(length_rows[i].distance_mm), length_rows[i].cable_mm);
}

/* Worked by hand, on a floor of ten columns: slack 300 at each end, 42 U are 1866.9 and the tray is 300 above. */
static void test_distances(void **state)
{
	static const struct {
		struct ft_floor_place a, b;
		uint32_t distance_mm;
	} rows[] = {
		{{0, 42, 1, false}, {0, 1, 1, false}, 600 + 1823}, /* 41 U of 44.45 */
		{{0, 1, 1, false}, {0, 1, 1, false}, 600},
		{{0, 40, 1, false}, {0, 1, 31, false}, 600 + 1067}, /* to the middle of 31 U: 39.5 - 15.5 */
		/* up from 41.5 U and down again */
		{{0, 42, 1, false}, {1, 42, 1, false}, 600 + 600 + 645},
		{{0, 42, 1, false}, {10, 42, 1, false}, 600 + 2400 + 645},
		{{1, 42, 1, false}, {29, 1, 1, false}, 600 + 8 * 600 + 2 * 2400 + 2467},
	};
	struct ft_floor floor = {.model = ft_floor_default, .rows = 3, .columns = 10};

	(void)state;
	for (size_t i = 0; i < FT_COUNT(rows); i++) {
		assert_int_equal(ft_floor_distance_mm(&floor, &rows[i].a, &rows[i].b), rows[i].distance_mm);
		assert_int_equal(ft_floor_distance_mm(&floor, &rows[i].b, &rows[i].a), rows[i].distance_mm);
	}
}

static void test_rack_names(void **state)
{
	static const struct {
		uint32_t rack;
		const char *name;
	} rows[] = {
		{0, "A01"},	   {19, "A20"},
		{20, "B01"},	   {519, "Z20"},
		{520, "AA01"},	   {20 * 26 * 27, "AAA01"},
		{20 * 27, "AB01"}, {UINT32_MAX, "RAXGBM16"},
	};
	struct ft_floor floor = {.rows = 1, .columns = 20};
	char name[FT_FLOOR_RACK_SIZE];

	(void)state;
	for (size_t i = 0; i < FT_COUNT(rows); i++)
		assert_string_equal(ft_floor_rack_name(&floor, rows[i].rack, name), rows[i].name);
}

static void test_bad_models(void **state)
{
	struct ft_floor_model models[5];
	_cleanup_(planned_release) struct planned p = {0};
	struct ft_floor *floor = NULL;

	(void)state;
	plan_or_fail("\"nodes\":72,\"edge\":{\"ports\":36},\"core\":{\"ports\":36}", NULL, &p);
	for (size_t i = 0; i < FT_COUNT(models); i++)
		models[i] = ft_floor_default;
	models[0].rack_units = 0;
	models[1].host_units = 0;
	models[2].row_racks = 0;
	models[3].host_units = 43;
	models[4].rack_width_mm = 0;
	for (size_t i = 0; i < FT_COUNT(models); i++)
		assert_int_equal(ft_floor_make(p.plan, NULL, &models[i], &floor), -EINVAL);
	assert_null(floor);
}

/* The cables of a plan for @nodes: those of the last stage, which comes first, are in @last. */
static void check_stage(const char *keys, uint32_t nodes, uint32_t nodes_max, struct ft_text *last)
{
	_cleanup_(planned_release) struct planned p = {0};
	_cleanup_(ft_text_release) struct ft_text text = {0}, all = {0};
	char *line, *rest;

	ft_text_printf(&all, "%s,\"nodes\":%u,\"nodes_max\":%u,\"prefer_expandable\":true,\"topology\":\"fat-tree\"",
		       keys, nodes, nodes_max);
	plan_or_fail(ft_text_string(&all), NULL, &p);
	assert_int_equal(ft_write_cables(&text, p.design, p.plan, NULL, NULL), 0);
	if (!last->length) {
		ft_text_puts(last, "\n");
		ft_text_add(last, text.data, text.length);
		return;
	}
	for (line = strtok_r(text.data, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		_cleanup_(ft_text_release) struct ft_text whole = {0};

		ft_text_printf(&whole, "\n%s\n", line);
		if (!strstr(ft_text_string(last), ft_text_string(&whole)))
			fail_msg("of %u nodes, but not of %u: %s", nodes, nodes_max, line);
	}
}

/* As a plan grows towards its nodes_max, what stands stays where it is, and its cables are as long as they were. */
static void test_growth(void **state)
{
	static const struct {
		const char *keys;
		uint32_t stages[4]; /* the last is nodes_max */
	} rows[] = {
		{"\"edge\":{\"ports\":36},\"core\":{\"ports\":36}", {20, 200, 400, 600}},
		{"\"edge\":{\"ports\":8},\"spine\":{\"ports\":8},\"core\":{\"ports\":8},\"levels\":3",
		 {20, 60, 100, 128}},
	};

	(void)state;
	for (size_t k = 0; k < FT_COUNT(rows); k++) {
		_cleanup_(ft_text_release) struct ft_text last = {0};

		for (size_t i = FT_COUNT(rows[k].stages); i-- > 0;)
			check_stage(rows[k].keys, rows[k].stages[i], rows[k].stages[3], &last);
	}
}

/* ---- networks of families on the floor ---- */

static uint32_t apart(uint32_t a, uint32_t b)
{
	return a > b ? a - b : b - a;
}

/* Along a ring that is folded, neighbours stand two places apart at most, and no two in the same. */
static void test_folded(void **state)
{
	static const uint32_t six[] = {0, 2, 4, 5, 3, 1};

	(void)state;
	for (uint32_t at = 0; at < FT_COUNT(six); at++)
		assert_int_equal(ft_seat_folded(at, 6), six[at]);
	for (uint32_t size = 2; size < 40; size++) {
		uint64_t taken = 0;

		for (uint32_t at = 0; at < size; at++) {
			uint32_t place = ft_seat_folded(at, size);

			assert_in_range(place, 0, size - 1);
			assert_false(taken >> place & 1);
			taken |= 1ULL << place;
			assert_true(apart(place, ft_seat_folded((at + 1) % size, size)) <= 2);
		}
	}
}

/* The longest cables between switches by the floor model, and how many rows there are. Each rack has two switches. */
static const struct grid_row {
	const char *keys;
	uint32_t longest_mm, rows;
} grid_rows[] = {
	/* unfolded, the cable from the last switch to the first would be the longest: 10 racks are 6 m */
	{"\"topology\":\"ring\",\"nodes\":360,\"edge\":{\"ports\":36,\"count\":20}", 2000, 1},
	{"\"topology\":\"torus\",\"dims\":[20],\"nodes\":360,\"edge\":{\"ports\":36}", 2000, 1},
	/* rows of racks across, racks of a row along: two rows or two racks apart */
	{"\"topology\":\"torus\",\"dims\":[20,20],\"nodes\":7200,\"edge\":{\"ports\":36}", 7000, 20},
	{"\"topology\":\"torus\",\"dims\":[8,10,12],\"nodes\":6000,\"edge\":{\"ports\":36}", 10000, 8},
	/* a line has no way back, and is not folded */
	{"\"topology\":\"mesh\",\"dims\":[20,20],\"nodes\":7200,\"edge\":{\"ports\":36}", 4000, 20},
	{"\"topology\":\"hypercube\",\"dimensions\":6,\"nodes\":600,\"edge\":{\"ports\":36}", 7000, 2},
};

static void grid_test(void **state)
{
	const struct grid_row *row = *state;
	_cleanup_(planned_release) struct planned p = {0};
	_cleanup_(ft_floor_freep) struct ft_floor *floor = NULL;
	uint32_t longest_mm = 0;

	plan_or_fail(row->keys, NULL, &p);
	assert_int_equal(ft_floor_make(p.plan, NULL, NULL, &floor), 0);
	check_floor(p.plan, floor, row->keys);
	for (uint32_t i = 0; i < p.plan->bundle_count; i++) {
		const struct ft_plan_bundle *bundle = &p.plan->bundles[i];
		uint32_t mm = ft_floor_cable_mm(
			ft_floor_distance_mm(floor, &floor->switches[bundle->a], &floor->switches[bundle->b]));

		longest_mm = mm > longest_mm ? mm : longest_mm;
	}
	if (longest_mm != row->longest_mm || floor->rows != row->rows)
		fail_msg("the longest cable has %u mm, and there are %u rows", longest_mm, floor->rows);
}

/* Makes a graph one of @groups groups of equal size. */
static void groups_make(struct ft_plan *plan, uint32_t groups)
{
	for (uint32_t i = 0; i < plan->switch_count; i++)
		plan->switches[i].group = i % groups;
	plan->group_count = groups;
}

/*
 * Five groups of four switches with 18 hosts each and one without: two racks a group, with the one without hosts in the
 * first of them, and no rack with anything of two groups.
 */
static void test_groups(void **state)
{
	_cleanup_(planned_release) struct planned p = {0};
	_cleanup_(ft_floor_freep) struct ft_floor *floor = NULL;

	(void)state;
	plan_or_fail("\"topology\":\"graph\",\"switches\":["
		     "{\"name\":\"r[01-20]\",\"kind\":\"leaf\",\"ports\":36,\"hosts\":18},"
		     "{\"name\":\"s[1-5]\",\"kind\":\"spine\",\"ports\":36}],"
		     "\"links\":[{\"a\":\"r[01-20]\",\"b\":\"s[1-5]\",\"count\":1}]",
		     NULL, &p);
	groups_make(p.plan, 5);
	assert_int_equal(ft_floor_make(p.plan, NULL, NULL, &floor), 0);
	check_floor(p.plan, floor, "groups");
	for (uint32_t i = 0, host = 0; i < p.plan->switch_count; i++) {
		uint32_t group = p.plan->switches[i].group, rack = floor->switches[i].rack;

		assert_in_range(rack, 2 * group, 2 * group + 1);
		for (uint32_t k = 0; k < p.plan->switches[i].hosts; k++)
			assert_int_equal(floor->hosts[host++].rack, rack);
	}
}

/* A rack of a Slim Fly has a group of each type, and 2 q cables to each other rack. */
static void test_slim_fly(void **state)
{
	static const struct {
		const char *keys;
		uint32_t q;
	} rows[] = {
		{"\"topology\":\"slim-fly\",\"q\":3,\"nodes\":54,\"edge\":{\"ports\":8}", 3},
		{"\"topology\":\"slim-fly\",\"q\":4,\"nodes\":96,\"edge\":{\"ports\":9}", 4},
	};

	(void)state;
	for (size_t row = 0; row < FT_COUNT(rows); row++) {
		_cleanup_(planned_release) struct planned p = {0};
		_cleanup_(ft_floor_freep) struct ft_floor *floor = NULL;
		uint32_t cables[8][8] = {0}, q = rows[row].q;

		plan_or_fail(rows[row].keys, NULL, &p);
		assert_int_equal(ft_floor_make(p.plan, NULL, NULL, &floor), 0);
		check_floor(p.plan, floor, rows[row].keys);
		assert_int_equal(floor->rows * floor->columns, q);
		for (uint32_t i = 0; i < p.plan->bundle_count; i++) {
			const struct ft_plan_bundle *bundle = &p.plan->bundles[i];
			uint32_t a = floor->switches[bundle->a].rack, b = floor->switches[bundle->b].rack;

			cables[a < b ? a : b][a < b ? b : a] += bundle->count;
		}
		for (uint32_t a = 0; a < q; a++)
			for (uint32_t b = a + 1; b < q; b++)
				assert_int_equal(cables[a][b], 2 * q);
	}
}

/* The groups are the parents of their switches. */
static void test_slurm_groups(void **state)
{
	_cleanup_(planned_release) struct planned p = {0};
	_cleanup_(ft_text_release) struct ft_text text = {0};

	(void)state;
	plan_or_fail("\"topology\":\"graph\",\"switches\":[{\"name\":\"r[1-4]\",\"ports\":8,\"hosts\":2}],"
		     "\"links\":[{\"a\":\"r[1-4]\",\"b\":\"r[1-4]\",\"count\":1}]",
		     NULL, &p);
	groups_make(p.plan, 2);
	assert_int_equal(ft_write_slurm(&text, p.design, p.plan, NULL, NULL), 0);
	assert_string_equal(
		text.data,
		"# Topology of the intended fabric \"t\" for Slurm's topology/tree plugin, written by ftplan\n"
		"# The groups stand for the parents; slurm.conf: TopologyParam=Dragonfly\n"
		"SwitchName=r1 Nodes=node[001-002]\n"
		"SwitchName=r2 Nodes=node[003-004]\n"
		"SwitchName=r3 Nodes=node[005-006]\n"
		"SwitchName=r4 Nodes=node[007-008]\n"
		"SwitchName=group01 Switches=r1,r3\n"
		"SwitchName=group02 Switches=r2,r4\n"
		"SwitchName=core Switches=group[01-02]\n");
}

/* ---- cables ---- */

static const char cables_head[] = "label_a,label_b,a,a_port,a_rack,a_unit,b,b_port,b_rack,b_unit,kind,length_m\n";

/* Things told by name, and which of their ports have a cable. */
struct ports {
	struct ft_map map;
	struct ft_map labels;
	const struct ft_plan *plan;
	uint8_t *used; /* FT_DIRECTOR_PORTS_MAX + 1 each: switches, then hosts */
};

/* The name as the cell has it: escaped, and with the mark before a formula. */
static void ports_init(struct ports *ports, const struct ft_plan *plan)
{
	*ports = (struct ports){.plan = plan};
	ports->used = calloc((size_t)plan->switch_count + plan->nodes, FT_DIRECTOR_PORTS_MAX + 1);
	assert_non_null(ports->used);
	for (uint32_t i = 0; i < plan->switch_count + plan->nodes; i++) {
		_cleanup_(ft_text_release) struct ft_text cell = {0};
		char name[FT_HOST_NAME_SIZE];
		struct csv_row row;

		ft_csv_add(&cell, i < plan->switch_count ? plan->switches[i].name
							 : ft_plan_host_name(plan, i - plan->switch_count, name));
		ft_text_puts(&cell, "\n");
		read_row(ft_text_string(&cell), &row);
		assert_int_equal(ft_map_add(&ports->map, ft_text_hash(row.cells[0]), i, NULL), 1);
	}
}

static void ports_release(struct ports *ports)
{
	ft_map_release(&ports->map);
	ft_map_release(&ports->labels);
	free(ports->used);
}

/* Takes the port that one end of a cable says, with its label. Returns the thing's number. */
static uint32_t take_port(struct ports *ports, const char *label, const char *name, uint32_t port)
{
	const struct ft_plan *plan = ports->plan;
	uint32_t thing = ft_map_get(&ports->map, ft_text_hash(name));
	uint8_t *used;
	char expected[CELL_SIZE + 16];

	if (thing == FT_NONE)
		fail_msg("no such thing: %s", name);
	snprintf(expected, sizeof(expected), "%s/%u", name, port);
	assert_string_equal(label, expected);
	assert_int_equal(ft_map_add(&ports->labels, ft_text_hash(label), thing, NULL), 1);
	if (port < 1 || port > (thing < plan->switch_count ? plan->switches[thing].ports : 1))
		fail_msg("%s has no port %u", name, port);
	used = &ports->used[(size_t)thing * (FT_DIRECTOR_PORTS_MAX + 1) + port];
	if ((*used)++)
		fail_msg("%s: two cables on port %u", name, port);
	return thing;
}

static const struct ft_floor_place *place_of(const struct ft_plan *plan, const struct ft_floor *floor, uint32_t thing)
{
	return thing < plan->switch_count ? &floor->switches[thing] : &floor->hosts[thing - plan->switch_count];
}

static void check_place(const struct ft_floor *floor, const struct ft_floor_place *place, char *const cells[2])
{
	char rack[FT_FLOOR_RACK_SIZE];

	assert_string_equal(cells[0], ft_floor_rack_name(floor, place->rack, rack));
	assert_int_equal(number(cells[1]), place->unit);
}

/* Which cables there are between two switches, by their ports: against the plan's bundles. */
static bool bundle_has(const struct ft_plan *plan, uint32_t a, uint32_t a_port, uint32_t b, uint32_t b_port)
{
	for (uint32_t i = 0; i < plan->bundle_count; i++) {
		const struct ft_plan_bundle *bundle = &plan->bundles[i];

		if (bundle->a == a && bundle->b == b)
			return a_port - bundle->a_port < bundle->count &&
			       a_port - bundle->a_port == b_port - bundle->b_port;
	}
	return false;
}

static void check_cable(struct ports *ports, const struct ft_floor *floor, struct csv_row *row)
{
	const struct ft_plan *plan = ports->plan;
	char *a_place[2] = {row->cells[4], row->cells[5]}, *b_place[2] = {row->cells[8], row->cells[9]};
	uint32_t a_port = number(row->cells[3]), b_port = number(row->cells[7]);
	uint32_t a = take_port(ports, row->cells[0], row->cells[2], a_port);
	uint32_t b = take_port(ports, row->cells[1], row->cells[6], b_port), distance_mm;
	const struct ft_floor_place *a_at = place_of(plan, floor, a), *b_at = place_of(plan, floor, b);
	const char *kind = a >= plan->switch_count		    ? "host"
			   : plan->switches[a].tier == FT_TIER_EDGE ? "uplink"
								    : "spine-uplink";

	assert_int_equal(row->count, 12);
	check_place(floor, a_at, a_place);
	check_place(floor, b_at, b_place);
	assert_string_equal(row->cells[10], kind);
	assert_true(b < plan->switch_count);
	if (a < plan->switch_count)
		assert_true(bundle_has(plan, a, a_port, b, b_port));
	else
		assert_true(b_port <= plan->switches[b].hosts && !a_at->midplane);
	distance_mm = ft_floor_distance_mm(floor, a_at, b_at);
	assert_int_equal(amount(row->cells[11]), ft_floor_cable_mm(distance_mm));
	assert_true(ft_floor_cable_mm(distance_mm) >= distance_mm);
}

/* Every cable of the plan is there once, on free ports, with labels of its own. */
static void check_cables(const struct planned *p, const char *what)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};
	_cleanup_(ft_floor_freep) struct ft_floor *floor = NULL;
	_cleanup_(ports_release) struct ports ports = {0};
	_cleanup_free_ struct csv_row *row = malloc(sizeof(*row));
	struct ft_error err = {0};
	uint32_t expected = p->plan->nodes, found = 0;
	const char *s;

	if (ft_write_cables(&text, p->design, p->plan, p->catalog, &err) < 0)
		fail_msg("%s: %s", what, err.text);
	assert_int_equal(ft_floor_make(p->plan, p->catalog, NULL, &floor), 0);
	check_floor(p->plan, floor, what);
	for (uint32_t i = 0; i < floor->host_count; i++)
		expected -= floor->hosts[i].midplane;
	for (uint32_t i = 0; i < p->plan->bundle_count; i++)
		expected += p->plan->bundles[i].count;
	ports_init(&ports, p->plan);
	assert_memory_equal(text.data, cables_head, strlen(cables_head));
	for (s = text.data + strlen(cables_head); (s = read_row(s, row)); found++)
		check_cable(&ports, floor, row);
	assert_int_equal(found, expected);
}

static void check_bill(const struct planned *p, const char *what);
static void check_ibsim(const struct planned *p, const char *what);

#define HOSTILE_BINDS \
	"\"bind\":{\"edge\":[\"=1+1\",\"leaf \\\"2\\\", row 3\",\"'=1+1\"],\"core\":[\"+a;b\",\"\xc3\xa9\"]}"
#define FDR "mellanox-fdr-2013"
#define BLADES "hp-blade-fdr-2013"

/* One design after the other, through all that holds for any. */
static const struct design_row {
	const char *keys, *catalog;
} design_rows[] = {
	{"\"nodes\":1,\"edge\":{\"ports\":36},\"topology\":\"star\"", NULL},
	{"\"nodes\":36,\"edge\":{\"ports\":36},\"topology\":\"star\"", NULL},
	{"\"nodes\":72,\"edge\":{\"ports\":36},\"core\":{\"ports\":36}", NULL},
	{"\"nodes\":90,\"blocking\":4,\"edge\":{\"ports\":24},\"core\":{\"ports\":24}", NULL},
	{"\"nodes\":90,\"blocking\":4,\"edge\":{\"ports\":24},\"core\":{\"ports\":24},\"bundles\":\"thick\"", NULL},
	{"\"nodes\":542,\"edge\":{\"ports\":64,\"count\":31},\"core\":{\"ports\":64,\"count\":9},\"bundle\":2", NULL},
	{"\"nodes\":648,\"edge\":{\"ports\":36},\"core\":{\"ports\":648}", NULL},
	{"\"nodes\":512,\"edge\":{\"ports_to_nodes\":64,\"ports_to_core\":64,\"inside\":{\"line_boards\":6,"
	 "\"line_boards_max\":8,\"line_ports\":24,\"line_chips\":2,\"fabric_boards\":2,\"fabric_boards_max\":3,"
	 "\"fabric_chips\":2,\"traces\":2}},\"core\":{\"count\":4,\"ports\":144,\"chassis\":\"^(SL2-[0-9]+) x$\"}",
	 NULL},
	{"\"nodes\":40,\"edge\":{\"ports\":36},\"core\":{\"ports\":36}," HOSTILE_BINDS, NULL},
	{"\"nodes\":128,\"levels\":3,\"topology\":\"fat-tree\",\"edge\":{\"ports\":8},\"spine\":{\"ports\":8},"
	 "\"core\":{\"ports\":8}",
	 NULL},
	{"\"nodes\":100,\"nodes_max\":500,\"levels\":3,\"topology\":\"fat-tree\",\"edge\":{\"ports\":10},"
	 "\"spine\":{\"ports\":36},\"core\":{\"ports\":24}",
	 NULL},
	{"\"nodes\":20", FDR},
	{"\"nodes\":150", FDR},
	{"\"nodes\":600", FDR},
	{"\"nodes\":1500", FDR},
	{"\"nodes\":2592", FDR},
	{"\"nodes\":32", BLADES},
	{"\"nodes\":320", BLADES},
	{"\"nodes\":500,\"blocking\":2", BLADES},
};

static void design_test(void **state)
{
	const struct design_row *row = *state;
	_cleanup_(planned_release) struct planned p = {0};

	plan_or_fail(row->keys, row->catalog, &p);
	check_cables(&p, row->keys);
	check_bill(&p, row->keys);
	check_ibsim(&p, row->keys);
}

/* ---- the bill ---- */

static const char bill_head[] = "item,kind,what,count,unit_cost,cost,power_w,weight_kg,size_u,note\n";

enum { ITEM, KIND, WHAT, COUNT, UNIT_COST, COST, POWER_W, WEIGHT_KG, SIZE_U, NOTE };

struct sums {
	uint64_t switches, cables, links;
	int64_t switch_cost, part_cost, cable_cost, power_w, size_u;
	bool cost_known, parts_known;
};

static void sum_row(struct sums *sums, const struct csv_row *row)
{
	uint64_t count = number(row->cells[COUNT]);
	bool known = row->cells[COST][0] != '\0';
	int64_t cost = known ? amount(row->cells[COST]) : 0;

	if (known && row->cells[UNIT_COST][0])
		assert_int_equal(cost, amount(row->cells[UNIT_COST]) * (int64_t)count);
	if (!known && strcmp(row->cells[ITEM], "part") != 0)
		assert_non_null(strstr(row->cells[NOTE], "cost"));
	if (strcmp(row->cells[ITEM], "switch") == 0) {
		sums->switches += count;
		sums->switch_cost += cost;
		sums->cost_known &= known;
		sums->power_w += row->cells[POWER_W][0] ? amount(row->cells[POWER_W]) : 0;
		sums->size_u += row->cells[SIZE_U][0] ? amount(row->cells[SIZE_U]) : 0;
	} else if (strcmp(row->cells[ITEM], "cable") == 0) {
		sums->cables += count;
		sums->cable_cost += cost;
	} else if (strcmp(row->cells[ITEM], "link") == 0) {
		sums->links += count;
	} else if (strcmp(row->cells[ITEM], "part") == 0) {
		sums->part_cost += cost;
		sums->parts_known &= known;
	}
}

static void check_total(const struct sums *sums, const struct csv_row *row)
{
	if (strcmp(row->cells[ITEM], "total") != 0)
		return;
	if (strcmp(row->cells[WHAT], "switches") == 0) {
		assert_int_equal(number(row->cells[COUNT]), sums->switches);
		if (sums->cost_known)
			assert_int_equal(amount(row->cells[COST]), sums->switch_cost);
		else
			assert_string_equal(row->cells[COST], "");
	} else if (strcmp(row->cells[WHAT], "cables") == 0) {
		assert_int_equal(number(row->cells[COUNT]), sums->cables);
	} else if (sums->cost_known) {
		assert_int_equal(amount(row->cells[COST]), sums->switch_cost + sums->cable_cost);
	}
}

/* The rows add up to the totals, and these to what the plan says. */
static void check_bill(const struct planned *p, const char *what)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};
	_cleanup_free_ struct csv_row *row = malloc(sizeof(*row));
	struct sums sums = {.cost_known = true, .parts_known = true};
	const struct ft_plan *plan = p->plan;
	struct ft_error err = {0};
	const char *s;

	if (ft_write_bom(&text, p->design, plan, p->catalog, &err) < 0)
		fail_msg("%s: %s", what, err.text);
	assert_memory_equal(text.data, bill_head, strlen(bill_head));
	for (s = text.data + strlen(bill_head); (s = read_row(s, row));) {
		assert_int_equal(row->count, NOTE + 1);
		sum_row(&sums, row);
		check_total(&sums, row);
	}
	assert_int_equal(sums.switches, plan->switch_count);
	assert_int_equal(sums.cables + sums.links, plan->links);
	if (plan->cost == FT_AMOUNT_UNKNOWN)
		return;
	assert_int_equal(sums.switch_cost + sums.cable_cost + (int64_t)sums.links * p->catalog->cable_cost, plan->cost);
	assert_int_equal(sums.power_w, plan->power_w);
	assert_int_equal(sums.size_u, plan->size_u);
}

/* ---- ibsim ---- */

/* @ret_traces: links inside of directors */
static bool ibsim_refuses(const struct ft_plan *plan, uint32_t *ret_traces)
{
	*ret_traces = 0;
	for (uint32_t i = 0; i < plan->switch_count; i++) {
		struct ft_inside inside;

		if (strpbrk(plan->switches[i].name, "\"="))
			return true;
		if (!ft_plan_is_director(plan, i))
			continue;
		if (ft_inside_assume(&plan->inside[plan->switches[i].tier], plan->switches[i].ports, &inside) < 0)
			return true;
		*ret_traces += ft_inside_line_chips(&inside) * ft_inside_fabric_chips(&inside) * inside.traces;
	}
	return false;
}

/* "S-…[19] H-…[1]" from an end of a cable, or the other way round. */
static uint64_t end_hash(const char *id, unsigned int port, const char *far_id, unsigned int far_port)
{
	char text[128];

	snprintf(text, sizeof(text), "%s[%u] %s[%u]", id, port, far_id, far_port);
	return ft_text_hash(text);
}

/* What each line says of a cable is what a line of its other end says. */
static void check_ibsim(const struct planned *p, const char *what)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};
	_cleanup_(ft_map_release) struct ft_map ends = {0}, mirrored = {0};
	char *line, *rest, id[64] = "", far_id[64];
	unsigned int port, far_port, count = 0;
	struct ft_error err = {0};
	int r = ft_write_ibsim(&text, p->design, p->plan, p->catalog, &err);
	uint32_t traces;

	if (ibsim_refuses(p->plan, &traces)) {
		assert_int_equal(r, -EINVAL);
		return;
	}
	if (r < 0)
		fail_msg("%s: %s", what, err.text);
	for (line = strtok_r(text.data, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		if (sscanf(line, "Switch\t%*u \"%63[^\"]\"", id) == 1 || sscanf(line, "Ca\t%*u \"%63[^\"]\"", id) == 1)
			continue;
		if (sscanf(line, "[%u]%*[^\"]\"%63[^\"]\"[%u]", &port, far_id, &far_port) != 3)
			continue;
		assert_int_equal(ft_map_add(&ends, end_hash(id, port, far_id, far_port), 0, NULL), 1);
		assert_int_equal(ft_map_add(&mirrored, end_hash(far_id, far_port, id, port), 0, NULL), 1);
		if (ft_map_get(&mirrored, end_hash(id, port, far_id, far_port)) != FT_NONE)
			count++;
	}
	assert_int_equal(ends.count, 2 * ((size_t)p->plan->links + traces));
	assert_int_equal(count, p->plan->links + traces);
}

/* ---- a three-level plan by hand ---- */

static char *numbered(const char *stem, uint32_t number)
{
	char name[32];

	snprintf(name, sizeof(name), "%s%u", stem, number);
	return strdup(name);
}

static void add_bundle(struct ft_plan *plan, uint32_t a, uint32_t b, uint32_t a_port, uint32_t b_port)
{
	plan->bundles[plan->bundle_count++] = (struct ft_plan_bundle){a, b, 1, a_port, b_port};
}

/* A fat-tree of switches of @k ports: k pods of k/2 edges and k/2 spines, k/2 planes of k/2 cores. */
static struct ft_plan *make_kary(uint32_t k)
{
	uint32_t half = k / 2, lower = k * half;
	struct ft_plan *plan = calloc(1, sizeof(*plan));

	assert_non_null(plan);
	*plan = (struct ft_plan){
		.topology = FT_TOPOLOGY_FAT_TREE,
		.tree = calloc(1, sizeof(*plan->tree)),
		.nodes = k * half * half,
		.nodes_max = k * half * half,
		.links = 3 * k * half * half,
		.cost = FT_AMOUNT_UNKNOWN,
		.switches = calloc((size_t)2 * lower + half * half, sizeof(*plan->switches)),
		.switch_count = 2 * lower + half * half,
		.bundles = calloc((size_t)2 * lower * half, sizeof(*plan->bundles)),
		.kinds = calloc(FT_TIER_COUNT, sizeof(*plan->kinds)),
		.kind_count = FT_TIER_COUNT,
	};
	assert_true(plan->tree && plan->switches && plan->bundles && plan->kinds);
	for (uint32_t tier = 0; tier < FT_TIER_COUNT; tier++)
		plan->kinds[tier] = (struct ft_plan_kind){
			.name = strdup(ft_tier_name(tier)), .may_host = tier == FT_TIER_EDGE, .rank = tier};
	*plan->tree = (struct ft_tree){
		.levels = 3,
		.edge_count = lower,
		.edge_ports = k,
		.ports_to_nodes = half,
		.ports_to_core = half,
		.spine_count = lower,
		.spine_ports = k,
		.pods = k,
		.pods_max = k,
		.pod_edges = half,
		.pod_spines = half,
		.core_count = half * half,
		.core_ports = k,
		.plane_cores = half,
	};
	for (uint32_t i = 0; i < plan->switch_count; i++) {
		struct ft_plan_switch *sw = &plan->switches[i];
		uint32_t n = i < lower ? i : i < 2 * lower ? i - lower : i - 2 * lower;

		sw->tier = i < lower ? FT_TIER_EDGE : i < 2 * lower ? FT_TIER_SPINE : FT_TIER_CORE;
		sw->kind = sw->tier;
		sw->name = numbered(ft_tier_name(sw->tier), n + 1);
		sw->ports = k;
		sw->hosts = sw->tier == FT_TIER_EDGE ? half : 0;
		sw->pod = sw->tier == FT_TIER_CORE ? FT_NONE : n / half;
		sw->place = n % half;
		sw->plane = sw->tier == FT_TIER_EDGE ? FT_NONE : sw->tier == FT_TIER_SPINE ? n % half : n / half;
	}
	for (uint32_t i = 0; i < lower; i++)
		for (uint32_t j = 0; j < half; j++)
			add_bundle(plan, i, lower + i / half * half + j, half + 1 + j, i % half + 1);
	for (uint32_t i = 0; i < lower; i++)
		for (uint32_t j = 0; j < half; j++)
			add_bundle(plan, lower + i, 2 * lower + i % half * half + j, half + 1 + j, i / half + 1);
	return plan;
}

static void test_kary(void **state)
{
	(void)state;
	for (uint32_t k = 2; k <= 12; k += 2) {
		struct planned p = {0};
		struct ft_design design = {.name = (char *)(uintptr_t) "k-ary"};

		p.design = &design;
		p.plan = make_kary(k);
		check_cables(&p, "k-ary");
		check_bill(&p, "k-ary");
		check_ibsim(&p, "k-ary");
		ft_plan_free(p.plan);
	}
}

/* Any design that has a plan. */
static void test_random(void **state)
{
	static const uint32_t ports[] = {8, 12, 24, 36, 40, 64, 108, 128, 324};
	const char *seed = getenv("FT_SEED"), *runs = getenv("FT_RUNS");
	unsigned long rounds = runs ? strtoul(runs, NULL, 10) : 150, planned = 0;

	(void)state;
	random_state = seed ? strtoull(seed, NULL, 0) : 20130101;
	print_message("FT_SEED=%" PRIu64 "\n", random_state);
	for (unsigned long i = 0; i < rounds; i++) {
		_cleanup_(planned_release) struct planned p = {0};
		_cleanup_(ft_text_release) struct ft_text keys = {0};
		uint32_t nodes = 1 + random_below(1500), most = nodes + random_below(2) * random_below(1500);
		struct ft_error err = {0};

		ft_text_printf(&keys, "\"nodes\":%u,\"nodes_max\":%u,\"blocking\":%u", nodes, most,
			       1 + random_below(3));
		if (random_below(3) == 0)
			ft_text_puts(&keys, ",\"levels\":3");
		ft_text_puts(&keys, ",\"topology\":\"fat-tree\"");
		ft_text_printf(&keys, ",\"edge\":{\"ports\":%u},\"core\":{\"ports\":%u}",
			       ports[random_below(FT_COUNT(ports))], ports[random_below(FT_COUNT(ports))]);
		if (strstr(ft_text_string(&keys), "levels"))
			ft_text_printf(&keys, ",\"spine\":{\"ports\":%u}", ports[random_below(FT_COUNT(ports))]);
		if (plan_keys(ft_text_string(&keys), NULL, &p, &err) < 0)
			continue;
		planned++;
		check_cables(&p, ft_text_string(&keys));
		check_bill(&p, ft_text_string(&keys));
		check_ibsim(&p, ft_text_string(&keys));
	}
	print_message("%lu of %lu designs have a plan\n", planned, rounds);
	assert_true(planned > rounds / 4);
}

/* ---- exact texts ---- */

#define SMALL "\"nodes\":3,\"topology\":\"fat-tree\",\"edge\":{\"ports\":4},\"core\":{\"ports\":36}"
#define ODD_NAMES                                                                               \
	"\"nodes\":9,\"edge\":{\"ports\":4},\"core\":{\"ports\":8},\"bind\":{\"edge\":[\"leaf " \
	"09\",\"leaf_10\",\"leaf_11\","                                                         \
	"\"leaf 11\",\"node001\"],\"core\":[\"core\",\"\xc3\xa9\"]}"
#define GUIDS                                                                                                     \
	"\"nodes\":4,\"edge\":{\"ports\":4},\"core\":{\"ports\":4},\"topology\":\"fat-tree\",\"bind\":{\"core\":" \
	"[\"0x0002C903000000A5\"]}"

/* The text, or the error on -EINVAL. */
static const struct text_row {
	const char *what;
	int (*write)(struct ft_text *, const struct ft_design *, const struct ft_plan *, const struct ft_catalog *,
		     struct ft_error *);
	const char *keys, *text;
} text_rows[] = {
	{"cables", ft_write_cables, SMALL,
	 "label_a,label_b,a,a_port,a_rack,a_unit,b,b_port,b_rack,b_unit,kind,length_m\n"
	 "node001/1,edge001/1,node001,1,A01,1,edge001,1,A01,42,host,2.5\n"
	 "node002/1,edge001/2,node002,1,A01,2,edge001,2,A01,42,host,2.5\n"
	 "edge001/3,core01/1,edge001,3,A01,42,core01,1,A01,5,uplink,2.5\n"
	 "edge001/4,core01/2,edge001,4,A01,42,core01,2,A01,5,uplink,2.5\n"
	 "node003/1,edge002/1,node003,1,A01,3,edge002,1,A01,41,host,2.5\n"
	 "edge002/3,core01/3,edge002,3,A01,41,core01,3,A01,5,uplink,2.5\n"
	 "edge002/4,core01/4,edge002,4,A01,41,core01,4,A01,5,uplink,2.5\n"},
	{"a bound name like a host's", ft_write_cables, ODD_NAMES,
	 "two things of this plan are called node001, and a label has to be unique"},
	{"ibdm", ft_write_ibdm, SMALL,
	 "# Topology of the intended fabric \"t\", written by ftplan\n\n"
	 "FTSWITCH edge001 CFG: sw=4\n"
	 "   P1 -> MT25204 node001 P1\n"
	 "   P2 -> MT25204 node002 P1\n"
	 "   P3 -> MTS3600 core01 P1\n"
	 "   P4 -> MTS3600 core01 P2\n\n"
	 "FTSWITCH edge002 CFG: sw=4\n"
	 "   P1 -> MT25204 node003 P1\n"
	 "   P3 -> MTS3600 core01 P3\n"
	 "   P4 -> MTS3600 core01 P4\n\n"
	 "MTS3600 core01\n\n"},
	{"a director for ibdm", ft_write_ibdm, "\"nodes\":648,\"edge\":{\"ports\":36},\"core\":{\"ports\":648}",
	 "the core switches of this plan, of 648 ports, are directors, which ibdmchk knows by their chips only"},
	{"a small director for ibdm", ft_write_ibdm,
	 "\"nodes\":100,\"topology\":\"star\",\"edge\":{\"model\":\"Mellanox SX6506\"}",
	 "the edge switches of this plan, of 108 ports, are directors, which ibdmchk knows by their chips only"},
	{"ibnl", ft_write_ibnl, "\"nodes\":2,\"topology\":\"fat-tree\",\"edge\":{\"ports\":2},\"core\":{\"ports\":3}",
	 "SYSTEM BOARD:2\n\nNODE SW 2 FTSWITCH U1\n1 -> P1\n2 -> P2\n\n"
	 "SYSTEM BOARD:3\n\nNODE SW 3 FTSWITCH U1\n1 -> P1\n2 -> P2\n3 -> P3\n\n"
	 "TOPSYSTEM FTSWITCH\n\nSUBSYSTEM BOARD sw\nP1 -> P1\nP2 -> P2\nP3 -> P3\n"},
	{"slurm", ft_write_slurm, SMALL,
	 "# Topology of the intended fabric \"t\" for Slurm's topology/tree plugin, written by ftplan\n"
	 "SwitchName=edge001 Nodes=node[001-002]\n"
	 "SwitchName=edge002 Nodes=node003\n"
	 "SwitchName=core Switches=edge[001-002]\n"},
	{"slurm, a star", ft_write_slurm, "\"nodes\":1200,\"topology\":\"star\",\"edge\":{\"ports\":2000}",
	 "# Topology of the intended fabric \"t\" for Slurm's topology/tree plugin, written by ftplan\n"
	 "SwitchName=edge001 Nodes=node[0001-1200]\n"},
	{"slurm, names", ft_write_slurm, ODD_NAMES,
	 "# Topology of the intended fabric \"t\" for Slurm's topology/tree plugin, written by ftplan\n"
	 "SwitchName=leaf_09 Nodes=node[001-002]\n"
	 "SwitchName=leaf_10 Nodes=node[003-004]\n"
	 "SwitchName=leaf_11 Nodes=node[005-006]\n"
	 "SwitchName=leaf_11.4 Nodes=node[007-008]\n"
	 "SwitchName=node001.5 Nodes=node009\n"
	 "SwitchName=core Switches=leaf_[09-11],leaf_11.4,node001.5\n"},
	{"slurm, three levels", ft_write_slurm,
	 "\"nodes\":9,\"levels\":3,\"topology\":\"fat-tree\",\"edge\":{\"ports\":4},\"spine\":{\"ports\":4},"
	 "\"core\":{\"ports\":4},\"fill\":\"dense\"",
	 "# Topology of the intended fabric \"t\" for Slurm's topology/tree plugin, written by ftplan\n"
	 "SwitchName=edge001 Nodes=node[001-002]\n"
	 "SwitchName=edge002 Nodes=node[003-004]\n"
	 "SwitchName=edge003 Nodes=node[005-006]\n"
	 "SwitchName=edge004 Nodes=node[007-008]\n"
	 "SwitchName=edge005 Nodes=node009\n"
	 "SwitchName=pod01 Switches=edge[001-002]\n"
	 "SwitchName=pod02 Switches=edge[003-004]\n"
	 "SwitchName=pod03 Switches=edge005\n"
	 "SwitchName=core Switches=pod[01-03]\n"},
	{"slurm, blocks", ft_write_slurm,
	 "\"nodes\":11,\"topology\":\"torus\",\"dims\":[3],\"edge\":{\"ports\":12,\"ports_to_nodes\":4}",
	 "# Topology of the intended fabric \"t\" for Slurm's topology/block plugin, written by ftplan\n"
	 "# The nodes of a switch are a block; slurm.conf: TopologyPlugin=topology/block, from Slurm 23.11 on\n"
	 "BlockName=sw-0 Nodes=node[001-004]\n"
	 "BlockName=sw-1 Nodes=node[005-008]\n"
	 "BlockName=sw-2 Nodes=node[009-011]\n"
	 "BlockSizes=3\n"},
	{"opensm", ft_write_opensm, GUIDS,
	 "# Root GUID file of OpenSM (-a): switches of the highest tier, written by ftplan\n0x0002c903000000a5\n"},
	{"opensm, a torus", ft_write_opensm,
	 "\"topology\":\"torus\",\"dims\":[2,4],\"nodes\":8,\"bundle\":9,\"edge\":{\"ports\":64},\"bind\":{\"edge\":"
	 "[\"0xa1\",\"0xa2\",\"0xa3\",\"0xa4\",\"0xa5\",\"0xa6\",\"0xa7\",\"0xa8\"]}",
	 "# Routing of the torus 2x4 \"t\", written by ftplan\n"
	 "# It is the file of OpenSM's engine torus-2QoS. The way around a ring is a credit loop, and this\n"
	 "# engine breaks it by virtual lanes. Start OpenSM with:\n"
	 "#     opensm -R torus-2QoS,no_fallback -Q --torus_config FILE\n"
	 "# or write in opensm.conf:\n"
	 "#     routing_engine torus-2QoS,no_fallback\n"
	 "#     torus_config FILE\n"
	 "#     qos TRUE\n"
	 "# Give virtual lanes 0 to 3 equal weights there, and 4 to 7 likewise: see torus-2QoS(8).\n"
	 "torus 2 4 1\n"
	 "portgroup_max_ports 18\n"
	 "xp_link 0x00000000000000a1 0x00000000000000a5 # sw-0-0 to sw-1-0\n"
	 "yp_link 0x00000000000000a1 0x00000000000000a2 # sw-0-0 to sw-0-1\n"
	 "ym_link 0x00000000000000a1 0x00000000000000a4 # sw-0-0 to sw-0-3\n"
	 "# If a switch of these has failed:\n"
	 "next_seed\n"
	 "xm_link 0x00000000000000a7 0x00000000000000a3 # sw-1-2 to sw-0-2\n"
	 "yp_link 0x00000000000000a7 0x00000000000000a8 # sw-1-2 to sw-1-3\n"
	 "ym_link 0x00000000000000a7 0x00000000000000a6 # sw-1-2 to sw-1-1\n"
	 "x_dateline -1\n"
	 "y_dateline -2\n"},
	{"opensm, roots of a graph", ft_write_opensm,
	 "\"topology\":\"graph\",\"switches\":[{\"name\":\"l[1-2]\",\"kind\":\"leaf\",\"ports\":8,\"hosts\":2},"
	 "{\"name\":\"t\",\"kind\":\"top\",\"ports\":8,\"guid\":\"0xa5\"}],"
	 "\"links\":[{\"a\":\"l[1-2]\",\"b\":\"t\",\"count\":1}]",
	 "# Root GUID file of OpenSM (-a): switches of the highest tier, written by ftplan\n0x00000000000000a5\n"},
	{"opensm, not bound", ft_write_opensm, SMALL,
	 "\"core01\" is not bound by GUID (bind.core), and OpenSM's root GUID file needs that: give a snapshot or dump "
	 "of "
	 "the fabric with --from, or the GUIDs"},
};

static void text_test(void **state)
{
	const struct text_row *row = *state;
	_cleanup_(planned_release) struct planned p = {0};
	_cleanup_(ft_text_release) struct ft_text text = {0};
	struct ft_error err = {0};

	plan_or_fail(row->keys, NULL, &p);
	if (row->write(&text, p.design, p.plan, NULL, &err) < 0)
		assert_string_equal(err.text, row->text);
	else
		assert_string_equal(ft_text_string(&text), row->text);
}

static void test_opensm_lists(void **state)
{
	static const uint64_t guids[] = {0x200002, 0xe41d2d0300000001, 0x200002, 0};
	static const char *const names[] = {"node001", "n\n2 # x", "again", "unknown"};
	const struct {
		struct ft_opensm_list list;
		const char *text;
	} rows[] = {
		{{guids, names, 2},
		 "# Compute node GUID file of OpenSM (-u): ports of hosts, written by ftplan\n"
		 "0x0000000000200002 # node001\n0xe41d2d0300000001 # n\\x0a2 # x\n"},
		{{guids, NULL, 1},
		 "# Compute node GUID file of OpenSM (-u): ports of hosts, written by ftplan\n0x0000000000200002\n"},
		{{guids, names, 3}, "GUID 0x0000000000200002 is there twice"},
		{{guids + 1, names + 1, 3}, "the GUID of \"unknown\" is not known, and OpenSM wants it"},
		{{guids, names, 0}, "there is no GUID to write for OpenSM"},
	};

	(void)state;
	for (size_t i = 0; i < FT_COUNT(rows); i++) {
		_cleanup_(ft_text_release) struct ft_text text = {0};
		struct ft_error err = {0};
		int r = ft_write_opensm_cns(&text, &rows[i].list, &err);

		assert_string_equal(r < 0 ? err.text : ft_text_string(&text), rows[i].text);
	}
}

/* A modular switch's bill: what its parts cost is what it costs. */
static void test_bill_parts(void **state)
{
	_cleanup_(planned_release) struct planned p = {0};
	_cleanup_(ft_text_release) struct ft_text text = {0};
	_cleanup_free_ struct csv_row *row = malloc(sizeof(*row));
	int64_t switch_cost = 0, part_cost = 0;
	uint32_t parts = 0;
	const char *s;

	(void)state;
	plan_or_fail("\"nodes\":108,\"topology\":\"star\",\"edge\":{\"model\":\"Mellanox SX6506\"}", FDR, &p);
	assert_int_equal(ft_write_bom(&text, p.design, p.plan, p.catalog, NULL), 0);
	for (s = text.data + strlen(bill_head); (s = read_row(s, row));) {
		if (strcmp(row->cells[ITEM], "switch") == 0)
			switch_cost += amount(row->cells[COST]);
		if (strcmp(row->cells[ITEM], "part") == 0) {
			part_cost += row->cells[COST][0] ? amount(row->cells[COST]) : 0;
			parts++;
		}
	}
	assert_int_equal(switch_cost, 112830 * FT_AMOUNT_UNIT);
	assert_int_equal(part_cost, switch_cost);
	assert_int_equal(parts, 3);
}

/* Every allocation of every writer fails once: each time -ENOMEM comes back, and nothing leaks. */
static void test_no_memory(void **state)
{
	static const char keys[] =
		"\"nodes\":30,\"nodes_max\":60,\"levels\":3,\"topology\":\"fat-tree\",\"edge\":{\"ports\":8},"
		"\"spine\":{\"ports\":8},\"core\":{\"ports\":8},\"bind\":{\"core\":{\"match\":\"core\"}}";
	static const char torus[] = "\"topology\":\"torus\",\"dims\":[3,4],\"nodes\":30,\"edge\":{\"ports\":8}";
	static const char groups[] = "\"topology\":\"slim-fly\",\"q\":3,\"nodes\":54,\"edge\":{\"ports\":8}";
	static const struct {
		ft_format_writer *write;
		const char *keys;
	} rows[] = {
		{ft_write_cables, keys}, {ft_write_bom, keys},	 {ft_write_ibsim, keys},   {ft_write_ibdm, keys},
		{ft_write_ibnl, keys},	 {ft_write_slurm, keys}, {ft_write_opensm, GUIDS}, {ft_write_cables, torus},
		{ft_write_bom, torus},	 {ft_write_bom, groups}, {ft_write_slurm, groups}, {ft_write_opensm, groups},
	};

	(void)state;
	for (size_t i = 0; i < FT_COUNT(rows); i++) {
		_cleanup_(planned_release) struct planned p = {0};
		size_t failing = 0;
		int r;

		plan_or_fail(rows[i].keys, NULL, &p);
		do {
			struct ft_text text = {0};

			allocation_failing = ++failing;
			r = rows[i].write(&text, p.design, p.plan, NULL, NULL);
			allocation_failing = 0;
			ft_text_release(&text);
			if (r < 0 && r != -ENOMEM)
				fail_msg("writer %zu, allocation %zu: %d", i, failing, r);
		} while (r < 0);
		assert_true(failing > 1);
	}
}

int main(void)
{
	static struct CMUnitTest tests[FT_COUNT(csv_cells) + FT_COUNT(floor_rows) + FT_COUNT(grid_rows) +
				       FT_COUNT(design_rows) + FT_COUNT(text_rows) + 16];
	const struct CMUnitTest others[] = {
		cmocka_unit_test(test_csv_counts), cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_distances),  cmocka_unit_test(test_rack_names),
		cmocka_unit_test(test_bad_models), cmocka_unit_test(test_growth),
		cmocka_unit_test(test_kary),	   cmocka_unit_test(test_random),
		cmocka_unit_test(test_bill_parts), cmocka_unit_test(test_opensm_lists),
		cmocka_unit_test(test_no_memory),  cmocka_unit_test(test_folded),
		cmocka_unit_test(test_groups),	   cmocka_unit_test(test_slurm_groups),
		cmocka_unit_test(test_slim_fly),
	};
	size_t n = 0;

	for (size_t i = 0; i < FT_COUNT(csv_cells); i++)
		tests[n++] = (struct CMUnitTest){csv_cells[i].cell, csv_cell_test, NULL, NULL,
						 (void *)(uintptr_t)&csv_cells[i]};
	for (size_t i = 0; i < FT_COUNT(floor_rows); i++)
		tests[n++] = (struct CMUnitTest){floor_rows[i].place, floor_test, NULL, NULL,
						 (void *)(uintptr_t)&floor_rows[i]};
	for (size_t i = 0; i < FT_COUNT(grid_rows); i++)
		tests[n++] =
			(struct CMUnitTest){grid_rows[i].keys, grid_test, NULL, NULL, (void *)(uintptr_t)&grid_rows[i]};
	for (size_t i = 0; i < FT_COUNT(design_rows); i++)
		tests[n++] = (struct CMUnitTest){design_rows[i].keys, design_test, NULL, NULL,
						 (void *)(uintptr_t)&design_rows[i]};
	for (size_t i = 0; i < FT_COUNT(text_rows); i++)
		tests[n++] =
			(struct CMUnitTest){text_rows[i].what, text_test, NULL, NULL, (void *)(uintptr_t)&text_rows[i]};
	for (size_t i = 0; i < FT_COUNT(others); i++)
		tests[n++] = others[i];
	return _cmocka_run_group_tests("formats", tests, n, NULL, NULL) ? 1 : 0;
}
