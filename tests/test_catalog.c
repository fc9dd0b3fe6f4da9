/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The catalog of switches: what is read, what comes out of modular ones, and each bad catalog with its exact message.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "planner/plan/catalog.h"
#include "tests/allocations.h"
#include "tests/skipped.h"

/* What a row is about stands on line 2. */
#define HEAD "{\"ftcheck_catalog\": 1, \"name\": \"t\",\n"
#define LIST HEAD "\"switches\": ["
#define SWITCH "{\"model\": \"a\", \"roles\": [\"edge\"], "
#define FINE SWITCH "\"ports\": 36}"
#define BOARDS LIST SWITCH "\"line_boards\": {\"slots\": 6, \"ports\": 18}, "
#define A50 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static const struct bad_catalog {
	const char *text;
	const char *error; /* LINE:COLUMN: text */
} bad_catalogs[] = {
	/* JSON itself */
	{"", "1:1: the file is empty: a catalog is one JSON object"},
	{" \n\t", "1:1: the file is empty: a catalog is one JSON object"},
	{"[]", "1:1: a catalog is one JSON object, not a list"},
	{"catalog", "1:7: '[' or '{' expected near 'catalog'"},
	{"{\"name\": \"a\", \"name\": \"b\"}", "1:20: duplicate object key near '\"name\"'"},
	{LIST SWITCH "\"ports\": 36, \"ports\": 36}]}", "2:67: duplicate object key near '\"ports\"'"},
	{HEAD "\"switches\": [" FINE "]} x", "2:63: end of file expected near 'x'"},
	{HEAD "\"switches\": [", "2:14: the file ends, and the [ in line 2 is still to be closed"},
	/* what is missing */
	{"{}", "1:1: \"ftcheck_catalog\" is missing: the version of the format, 1"},
	{"{\"ftcheck_catalog\": 1}", "1:1: \"name\" is missing: the catalog's name"},
	{HEAD "\"currency\": \"USD\"}", "1:1: \"switches\" is missing: a list of what can be bought"},
	{LIST "{}]}", "2:14: \"model\" is missing: what the switch is called"},
	{LIST "{\"model\": \"a\"}]}", "2:14: \"roles\" is missing: what the switch may be: edge, spine, core or star"},
	{LIST SWITCH "\"cost\": 1}]}",
	 "2:14: element 1 of \"switches\" lacks \"ports\", or \"line_boards\" if it is modular"},
	{LIST SWITCH "\"line_boards\": {\"ports\": 18}}]}",
	 "2:63: \"slots\" is missing: how many line boards the chassis takes"},
	{LIST SWITCH "\"line_boards\": {\"slots\": 18}}]}",
	 "2:63: \"ports\" is missing: how many ports a line board has outside"},
	{BOARDS "\"fabric_boards\": {}}]}", "2:107: \"slots\" is missing: how many fabric boards the chassis takes"},
	{LIST SWITCH "\"ports\": 36, \"blade\": {}}]}",
	 "2:70: \"servers\" is missing: how many servers a chassis holds"},
	/* the version */
	{"{\"ftcheck_catalog\": 2}",
	 "1:21: \"ftcheck_catalog\" is 2: a format newer than this program understands (1)"},
	{"{\"ftcheck_catalog\": 0}", "1:21: \"ftcheck_catalog\" is the version of the format: 1"},
	{"{\"ftcheck_catalog\": 1.0}", "1:21: \"ftcheck_catalog\" is the version of the format: 1"},
	/* unknown keys, on every level */
	{HEAD "\"colour\": 1}", "2:1: unknown key \"colour\""},
	{HEAD "\"switch\": []}", "2:1: unknown key \"switch\"; did you mean \"switches\"?"},
	{HEAD "\"\\u001b[31m\": 1}", "2:1: unknown key \"\\x1b[31m\""},
	{"{\"ftcheck\": 1}", "1:2: unknown key \"ftcheck\""},
	{LIST "{\"models\": \"a\"}]}", "2:15: unknown key \"models\"; did you mean \"model\"?"},
	{LIST "{\"power\": 3}]}", "2:15: unknown key \"power\"; did you mean \"power_w\"?"},
	{LIST "{\"roles\": {\"spline\": \"all\"}}]}", "2:25: unknown key \"spline\"; did you mean \"spine\"?"},
	{LIST "{\"chassis\": {\"slots\": 1}}]}", "2:27: unknown key \"slots\""},
	{LIST "{\"line_boards\": {\"size_u\": 1}}]}", "2:31: unknown key \"size_u\""},
	{LIST "{\"fabric_boards\": {\"ports\": 1}}]}", "2:33: unknown key \"ports\""},
	{LIST "{\"blade\": {\"server\": 1}}]}", "2:25: unknown key \"server\"; did you mean \"servers\"?"},
	/* types and ranges */
	{"{\"name\": 1}", "1:10: \"name\" must be a string, not a number"},
	{"{\"name\": \"\"}", "1:10: \"name\" must not be empty"},
	{"{\"name\": \"a\\nb\"}", "1:10: \"name\" holds bytes that are not safe to print: \"a\\x0ab\""},
	{"{\"name\": \"" A50 A50 A50 A50 "a\"}", "1:10: \"name\" is longer than 200 bytes"},
	{HEAD "\"cable_cost\": \"80\"}", "2:15: \"cable_cost\" must be a number, or null if unknown, not a string"},
	{HEAD "\"cable_cost\": -1}", "2:15: \"cable_cost\" is -1; it must be 0 to 1000000000"},
	{HEAD "\"cable_cost\": -0.5}", "2:15: \"cable_cost\" is -0.5; it must be 0 to 1000000000"},
	{HEAD "\"cable_cost\": 1000000001}", "2:15: \"cable_cost\" is 1000000001; it must be 0 to 1000000000"},
	{HEAD "\"cable_cost\": 1e300}", "2:15: \"cable_cost\" is 1e+300; it must be 0 to 1000000000"},
	{HEAD "\"cable_cost\": 77.3001}", "2:15: \"cable_cost\" is 77.3001; it may have three digits behind the point"},
	{HEAD "\"cable_cost\": 1e-9}", "2:15: \"cable_cost\" is 1e-09; it may have three digits behind the point"},
	{HEAD "\"cable_cost\": 1e999}", "2:19: real number overflow near '1e999'"},
	{HEAD "\"note\": 1}", "2:9: \"note\" must be a string, not a number"},
	{HEAD "\"why\": \"x\"}", "2:8: \"why\" must be an object, not a string"},
	{HEAD "\"why\": {\"a\": []}}", "2:14: \"why\" holds notes: \"a\" must be a string, not a list"},
	{HEAD "\"switches\": {}}", "2:13: \"switches\" must be a list, not an object"},
	{LIST "]}", "2:13: \"switches\" must not be empty"},
	{LIST "7]}", "2:14: element 1 of \"switches\" must be an object, not a number"},
	{LIST FINE ",\n null]}", "3:2: element 2 of \"switches\" must be an object, not null"},
	{LIST "{\"ports\": 1}]}", "2:24: \"ports\" is 1; it must be 2 to 4096"},
	{LIST "{\"ports\": 4097}]}", "2:24: \"ports\" is 4097; it must be 2 to 4096"},
	{LIST "{\"ports\": 36.0}]}", "2:24: \"ports\" must be a whole number, not a number with a fraction"},
	{LIST "{\"modular\": 1}]}", "2:26: \"modular\" must be true or false, not a number"},
	{LIST "{\"chassis\": []}]}", "2:26: \"chassis\" must be an object, not a list"},
	{LIST "{\"line_boards\": 6}]}", "2:30: \"line_boards\" must be an object, not a number"},
	{LIST "{\"line_boards\": {\"slots\": 0}}]}", "2:40: \"slots\" is 0; it must be 1 to 1000"},
	{LIST "{\"line_boards\": {\"ports\": 1}}]}", "2:40: \"ports\" is 1; it must be 2 to 254"},
	{LIST "{\"blade\": {\"servers\": 0}}]}", "2:36: \"servers\" is 0; it must be 1 to 1000"},
	{LIST "{\"blade\": {\"pass_through\": 1}}]}", "2:41: \"pass_through\" must be a string, not a number"},
	/* roles */
	{LIST "{\"roles\": \"edge\"}]}", "2:24: \"roles\" must be a list of roles, or an object of them"},
	{LIST "{\"roles\": []}]}", "2:24: \"roles\" must be a list of roles, or an object of them"},
	{LIST "{\"roles\": {}}]}", "2:24: \"roles\" must be a list of roles, or an object of them"},
	{LIST "{\"roles\": [\"leaf\"]}]}",
	 "2:25: element 1 of \"roles\" must be \"edge\", \"spine\", \"core\" or \"star\""},
	{LIST "{\"roles\": [\"edge\", 2]}]}",
	 "2:33: element 2 of \"roles\" must be \"edge\", \"spine\", \"core\" or \"star\""},
	{LIST "{\"roles\": [\"edge\", \"core\", \"edge\"]}]}", "2:41: element 3 of \"roles\" is \"edge\" again"},
	{LIST "{\"roles\": {\"edge\": true}}]}",
	 "2:33: \"edge\" must be \"all\", \"full\", or the number of line boards that it takes"},
	{LIST "{\"roles\": {\"edge\": \"any\"}}]}",
	 "2:33: \"edge\" must be \"all\", \"full\", or the number of line boards that it takes"},
	{LIST "{\"roles\": {\"edge\": 0}}]}", "2:33: \"edge\" is 0; it must be 1 to 1000"},
	{LIST "{\"model\": \"a\", \"ports\": 36, \"roles\": {\"edge\": \"all\"}}]}",
	 "2:51: \"roles\" of a switch without \"line_boards\" must be a list"},
	{LIST "{\"model\": \"a\", \"line_boards\": {\"slots\": 6, \"ports\": 18},\n\"roles\": {\"core\": 7}}]}",
	 "3:10: \"roles\" has \"core\" from 7 line boards on, but there are only 6"},
	/* what does not go together */
	{BOARDS "\"ports\": 108}]}",
	 "2:99: \"ports\" cannot stand beside \"line_boards\": the ports are those of the boards"},
	{BOARDS "\"cost\": 1}]}",
	 "2:98: \"cost\" of a switch with \"line_boards\" stands in \"chassis\" and with the boards"},
	{BOARDS "\"power_w\": 1}]}",
	 "2:101: \"power_w\" of a switch with \"line_boards\" stands in \"chassis\" and with the boards"},
	{BOARDS "\"weight_kg\": 1}]}",
	 "2:103: \"weight_kg\" of a switch with \"line_boards\" stands in \"chassis\" and with the boards"},
	{BOARDS "\"size_u\": 1}]}", "2:100: \"size_u\" of a switch with \"line_boards\" stands in \"chassis\""},
	{BOARDS "\"blade\": {\"servers\": 1}}]}",
	 "2:99: \"blade\" cannot stand beside \"line_boards\": no blade switch has boards"},
	{BOARDS "\"modular\": false}]}", "2:101: \"modular\" is false, but there are \"line_boards\""},
	{LIST SWITCH "\"ports\": 36, \"chassis\": {}}]}", "2:72: \"chassis\" is for a switch with \"line_boards\""},
	{LIST SWITCH "\"ports\": 36, \"fabric_boards\": {\"slots\": 1}}]}",
	 "2:78: \"fabric_boards\" is for a switch with \"line_boards\""},
	{LIST SWITCH "\"ports\": 255}]}",
	 "2:57: \"ports\" is 255: no single chip has more than 254, so \"modular\" must be true"},
	{LIST SWITCH "\"ports\": 36, \"modular\": true, \"blade\": {\"servers\": 1}}]}",
	 "2:87: \"blade\" cannot stand beside \"modular\": no blade switch has boards"},
	{LIST SWITCH "\"ports\": 36, \"blade\": {\"servers\": 37}}]}",
	 "2:70: \"blade\" has 37 servers, but the switch only 36 ports"},
	{LIST SWITCH "\"line_boards\": {\"slots\": 17, \"ports\": 254}}]}",
	 "2:63: \"line_boards\" has 17 boards of 254 ports: more than 4096 in all"},
	{LIST SWITCH "\"line_boards\": {\"slots\": 3, \"ports\": 18, \"min\": 4}}]}",
	 "2:63: \"line_boards\" has 3 slots, fewer than its \"min\" of 4"},
	{LIST SWITCH "\"chassis\": {\"power_w\": 1000000000}, \"line_boards\": {\"slots\": 3, \"ports\": 18, "
		     "\"power_w\": 0.001}}]}",
	 "2:14: element 1 of \"switches\" has a \"power_w\" of more than 1000000000 in all"},
	/* names */
	{LIST SWITCH "\"ports\": 36, \"name\": \"{model} {port}\"}]}",
	 "2:69: \"name\" may have {model}, {ports} and {boards}, and no other braces"},
	{LIST SWITCH "\"ports\": 36, \"name\": \"a}\"}]}",
	 "2:69: \"name\" may have {model}, {ports} and {boards}, and no other braces"},
	{LIST "{\"model\": \"" A50 A50 "\", \"roles\": [\"edge\"], \"ports\": 36, \"name\": \"{model}{model}b\"}]}",
	 "2:168: \"name\" gives a name of more than 200 bytes"},
	{LIST "{\"model\": \"" A50 A50 A50 A50 "\", \"roles\": [\"edge\"], \"line_boards\": {\"slots\": 1, \"ports\": "
	      "2}}]}",
	 "2:14: element 1 of \"switches\" gives a name of more than 200 bytes"},
	{LIST FINE ",\n" FINE "]}", "3:1: element 2 of \"switches\" is called \"a\", as element 1 is"},
	{LIST FINE ",\n" SWITCH "\"ports\": 24, \"name\": \"b\"}]}",
	 "3:1: element 2 of \"switches\" is called \"a\", as element 1 is"},
	{LIST FINE ",\n{\"model\": \"b\", \"roles\": [\"core\"], \"ports\": 24, \"name\": \"a\"}]}",
	 "3:1: element 2 of \"switches\" is called \"a\", as element 1 is"},
	{BOARDS "\"name\": \"{model}\"}]}", "2:14: element 1 of \"switches\" gives several populations the name \"a\": "
					    "{ports} or {boards} is missing in it"},
};

static void bad_catalog_test(void **state)
{
	const struct bad_catalog *row = *state;
	struct ft_catalog *catalog = NULL;
	struct ft_error err = {0};
	char found[FT_ERROR_TEXT_SIZE + 32];
	int r = ft_catalog_read(row->text, strlen(row->text), &catalog, &err);

	snprintf(found, sizeof(found), "%u:%u: %s", err.line, err.column, err.text);
	assert_null(catalog);
	if (strcmp(found, row->error) != 0)
		fail_msg("%s\n   gives %s\nexpected %s", row->text, found, row->error);
	assert_int_equal(r, -EINVAL);
}

static const char everything[] =
	"{\"ftcheck_catalog\": 1, \"name\": \"every key\", \"source\": \"somewhere\", \"notice\": \"keep me\",\n"
	"\"currency\": \"EUR\", \"cable_cost\": 79.99, \"note\": \"n\", \"why\": {\"any\": \"note\"},\n"
	"\"switches\": [\n"
	"{\"model\": \"Fixed\", \"name\": \"{model} of {ports}\", \"vendor\": \"V\", \"technology\": \"IB 4X HDR\",\n"
	" \"connector\": \"QSFP56\", \"roles\": [\"star\", \"edge\"], \"ports\": 40, \"cost\": 0.001, \"power_w\": "
	"null,\n"
	" \"weight_kg\": 11.4, \"size_u\": 1, \"note\": \"\", \"why\": {},\n"
	" \"blade\": {\"servers\": 16, \"size_u\": 10, \"rack_chassis\": 4, \"pass_through\": \"P\", \"note\": \"\", "
	"\"why\": {}}},\n"
	"{\"model\": \"Boards\", \"name\": \"{boards} x {model}\", \"modular\": true,\n"
	" \"roles\": {\"edge\": \"full\", \"spine\": 4, \"core\": 3},\n"
	" \"chassis\": {\"cost\": 1000, \"power_w\": 100, \"weight_kg\": 50.5, \"size_u\": 7, \"note\": \"\", \"why\": "
	"{}},\n"
	" \"line_boards\": {\"slots\": 5, \"ports\": 18, \"min\": 2, \"cost\": 10.5, \"power_w\": 1, \"weight_kg\": "
	"2.8, "
	"\"note\": \"\", \"why\": {}},\n"
	" \"fabric_boards\": {\"slots\": 3, \"cost\": 100, \"power_w\": null, \"weight_kg\": 0.5, \"note\": \"\", "
	"\"why\": "
	"{}}},\n"
	"{\"model\": \"Plain\", \"roles\": [\"core\"], \"ports\": 648, \"modular\": true},\n"
	"{\"model\": \"Few\", \"roles\": [\"core\"], \"line_boards\": {\"slots\": 2, \"ports\": 36}}]}";

static struct ft_catalog *read_well(const char *text)
{
	struct ft_catalog *catalog = NULL;
	struct ft_error err = {0};

	if (ft_catalog_read(text, strlen(text), &catalog, &err) < 0)
		fail_msg("%u:%u: %s", err.line, err.column, err.text);
	return catalog;
}

/* Amounts, roles and numbers of every type of @everything. */
static const struct expected {
	const char *name, *family;
	uint32_t ports;
	unsigned int roles;
	uint32_t boards, boards_max, fabric;
	int64_t cost, power_w, weight_kg, size_u;
} expected_types[] = {
	{"Fixed of 40", "Fixed", 40, FT_ROLE_EDGE | FT_ROLE_STAR, 0, 0, 0, 1, FT_AMOUNT_UNKNOWN, 11400, 1000},
	{"5 x Boards", "Boards", 90, FT_ROLE_EDGE | FT_ROLE_SPINE | FT_ROLE_CORE, 5, 5, 3, 1352500, 105000, 66000,
	 7000},
	{"4 x Boards", "Boards", 72, FT_ROLE_SPINE | FT_ROLE_CORE, 4, 5, 3, 1342000, 104000, 63200, 7000},
	{"3 x Boards", "Boards", 54, FT_ROLE_CORE, 3, 5, 3, 1331500, 103000, 60400, 7000},
	{"Plain", "Plain", 648, FT_ROLE_CORE, 0, 0, 0, FT_AMOUNT_UNKNOWN, FT_AMOUNT_UNKNOWN, FT_AMOUNT_UNKNOWN,
	 FT_AMOUNT_UNKNOWN},
	{"Few (with 72 ports)", "Few", 72, FT_ROLE_CORE, 2, 2, 0, FT_AMOUNT_UNKNOWN, FT_AMOUNT_UNKNOWN,
	 FT_AMOUNT_UNKNOWN, FT_AMOUNT_UNKNOWN},
	{"Few (with 36 ports)", "Few", 36, FT_ROLE_CORE, 1, 2, 0, FT_AMOUNT_UNKNOWN, FT_AMOUNT_UNKNOWN,
	 FT_AMOUNT_UNKNOWN, FT_AMOUNT_UNKNOWN},
};

static void expect_type(const struct ft_switch_type *type, const struct expected *row)
{
	assert_string_equal(type->name, row->name);
	assert_string_equal(type->family, row->family);
	assert_int_equal(type->ports, row->ports);
	assert_int_equal(type->roles, row->roles);
	assert_int_equal(type->line_boards, row->boards);
	assert_int_equal(type->line_boards_max, row->boards_max);
	assert_int_equal(type->fabric_boards, row->fabric);
	assert_int_equal(type->fabric_boards_max, row->fabric);
	assert_true(type->cost == row->cost);
	assert_true(type->power_w == row->power_w);
	assert_true(type->weight_kg == row->weight_kg);
	assert_true(type->size_u == row->size_u);
}

static void test_every_key(void **state)
{
	_cleanup_(ft_catalog_freep) struct ft_catalog *catalog = read_well(everything);
	const struct ft_switch_type *type = catalog->types;

	(void)state;
	assert_string_equal(catalog->name, "every key");
	assert_string_equal(catalog->source, "somewhere");
	assert_string_equal(catalog->notice, "keep me");
	assert_string_equal(catalog->currency, "EUR");
	assert_true(catalog->cable_cost == 79990);
	assert_int_equal(catalog->count, FT_COUNT(expected_types));
	for (size_t i = 0; i < FT_COUNT(expected_types); i++)
		expect_type(&type[i], &expected_types[i]);
	assert_string_equal(type[0].vendor, "V");
	assert_string_equal(type[0].technology, "IB 4X HDR");
	assert_string_equal(type[0].connector, "QSFP56");
	assert_false(type[0].modular);
	assert_int_equal(type[0].blade.servers, 16);
	assert_int_equal(type[0].blade.size_u, 10);
	assert_int_equal(type[0].blade.rack_chassis, 4);
	assert_string_equal(type[0].blade.pass_through, "P");
	assert_true(type[1].modular && type[4].modular && type[5].modular);
	assert_int_equal(type[1].blade.servers, 0);
	assert_null(type[1].blade.pass_through);
	assert_int_equal(type[1].line_board_ports, 18);
	assert_true(type[1].chassis_cost == 1000000 && type[3].chassis_cost == 1000000);
	assert_true(type[1].line_board_cost == 10500 && type[1].fabric_board_cost == 100000);
	assert_true(type[0].chassis_cost == FT_AMOUNT_UNKNOWN && type[0].line_board_cost == FT_AMOUNT_UNKNOWN);
	assert_string_equal(type[1].vendor, "");
	assert_string_equal(type[1].technology, "");
	assert_string_equal(type[1].connector, "");
}

static void test_defaults(void **state)
{
	_cleanup_(ft_catalog_freep) struct ft_catalog *catalog = read_well(LIST FINE "]}");

	(void)state;
	assert_string_equal(catalog->source, "");
	assert_string_equal(catalog->notice, "");
	assert_string_equal(catalog->currency, "");
	assert_true(catalog->cable_cost == FT_AMOUNT_UNKNOWN);
	assert_int_equal(catalog->count, 1);
	assert_string_equal(catalog->types[0].name, "a");
	assert_int_equal(catalog->types[0].roles, FT_ROLE_EDGE);
}

/* An amount of the file is the decimal that was written, not the double next to it. */
static void test_amounts(void **state)
{
	static const struct {
		const char *written;
		int64_t amount;
	} rows[] = {
		{"0", 0},
		{"0.0", 0},
		{"-0.0", 0},
		{"0.001", 1},
		{"0.29", 290},
		{"1.001", 1001},
		{"77.3", 77300},
		{"77.300000", 77300},
		{"327.4", 327400},
		{"4.35", 4350},
		{"1e3", 1000000},
		{"8.1e-1", 810},
		{"999999999.999", 999999999999},
		{"1000000000", 1000000000000},
		{"1000000000.0", 1000000000000},
		{"null", FT_AMOUNT_UNKNOWN},
	};

	(void)state;
	for (size_t i = 0; i < FT_COUNT(rows); i++) {
		_cleanup_(ft_catalog_freep) struct ft_catalog *catalog = NULL;
		char text[256];

		snprintf(text, sizeof(text), "%s", LIST SWITCH "\"ports\": 36, \"cost\": ");
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s}]}", rows[i].written);
		catalog = read_well(text);
		if (catalog->types[0].cost != rows[i].amount)
			fail_msg("%s is %lld", rows[i].written, (long long)catalog->types[0].cost);
	}
}

/* Thousandths are exact as far as amounts go: 123456789.000 and on, in steps. */
static void test_thousandths(void **state)
{
	(void)state;
	for (int64_t amount = 123456789000; amount < 123456809000; amount += 7) {
		_cleanup_(ft_catalog_freep) struct ft_catalog *catalog = NULL;
		char text[256];

		snprintf(text, sizeof(text), HEAD "\"cable_cost\": %lld.%03lld, \"switches\": [" FINE "]}",
			 (long long)amount / 1000, (long long)amount % 1000);
		catalog = read_well(text);
		if (catalog->cable_cost != amount)
			fail_msg("%s is %lld", text, (long long)catalog->cable_cost);
	}
}

/* Fewer fabric boards: what they cost is gone, or is unknown. */
static void test_fabric_boards(void **state)
{
	_cleanup_(ft_catalog_freep) struct ft_catalog *catalog = read_well(everything);
	const struct ft_switch_type *type = &catalog->types[1];
	struct ft_switch_type fewer = {0};

	(void)state;
	assert_int_equal(ft_switch_type_with_fabric(type, 2, &fewer), 0);
	assert_ptr_equal(fewer.name, type->name);
	assert_int_equal(fewer.ports, type->ports);
	assert_int_equal(fewer.fabric_boards, 2);
	assert_int_equal(fewer.fabric_boards_max, 3);
	assert_true(fewer.cost == type->cost - 100000);
	assert_true(fewer.weight_kg == type->weight_kg - 500);
	assert_true(fewer.power_w == FT_AMOUNT_UNKNOWN);
	assert_true(fewer.size_u == type->size_u);
	assert_int_equal(ft_switch_type_with_fabric(type, 1, &fewer), 0);
	assert_true(fewer.cost == type->cost - 200000);
	assert_int_equal(ft_switch_type_with_fabric(type, 3, &fewer), 0);
	assert_true(fewer.cost == type->cost && fewer.power_w == type->power_w);
	fewer.ports = 12345;
	assert_int_equal(ft_switch_type_with_fabric(type, 0, &fewer), -EINVAL);
	assert_int_equal(ft_switch_type_with_fabric(type, 4, &fewer), -EINVAL);
	assert_int_equal(ft_switch_type_with_fabric(&catalog->types[0], 1, &fewer), -EINVAL);
	assert_int_equal(ft_switch_type_with_fabric(&catalog->types[4], 1, &fewer), -EINVAL);
	assert_int_equal(fewer.ports, 12345);
}

/* A file of a few bytes cannot fill the memory: populations are counted before any is made. */
static void test_too_many(void **state)
{
	static const char entry[] = "{\"model\": \"m%d\", \"roles\": [\"core\"], "
				    "\"line_boards\": {\"slots\": 1000, \"ports\": 4}}";
	_cleanup_(ft_catalog_freep) struct ft_catalog *catalog = NULL;
	struct ft_error err = {0};
	char text[4096];
	size_t length;

	(void)state;
	for (int count = 10; count <= 11; count++) {
		length = (size_t)snprintf(text, sizeof(text), "%s", LIST);
		for (int i = 0; i < count; i++) {
			length += (size_t)snprintf(text + length, sizeof(text) - length, "%s", i ? ",\n" : "");
			length += (size_t)snprintf(text + length, sizeof(text) - length, entry, i);
		}
		length += (size_t)snprintf(text + length, sizeof(text) - length, "]}");
		assert_true(length < sizeof(text));
		if (count == 10) {
			assert_int_equal(ft_catalog_read(text, length, &catalog, &err), 0);
			assert_int_equal(catalog->count, 10000);
			continue;
		}
		ft_catalog_free(FT_STEAL(catalog));
		assert_int_equal(ft_catalog_read(text, length, &catalog, &err), -EINVAL);
		assert_string_equal(err.text, "element 11 of \"switches\" is one too many: 10000 switches, "
					      "populations counted, are the most");
		assert_int_equal(err.line, 12);
	}
}

/* The built-in catalogs read well, are called as their files, and are what the files say. */
static void test_builtin(void **state)
{
	const char *source = getenv("FT_SRCDIR");
	size_t count = 0;

	(void)state;
	assert_string_equal(ft_catalog_builtin_name(0), FT_CATALOG_DEFAULT);
	for (; ft_catalog_builtin_name(count); count++) {
		_cleanup_(ft_catalog_freep) struct ft_catalog *catalog = NULL;
		_cleanup_free_ char *text = NULL;
		const char *name = ft_catalog_builtin_name(count);
		struct ft_error err = {0};
		char path[4096];
		size_t length;

		if (ft_catalog_load(name, &catalog, &err) < 0)
			fail_msg("%s:%u:%u: %s", name, err.line, err.column, err.text);
		assert_ptr_equal(err.file, name);
		assert_string_equal(catalog->name, name);
		assert_true(catalog->source[0]);
		snprintf(path, sizeof(path), "%s/etc/catalog/%s.json", source ? source : ".", name);
		if (ft_file_read(path, 0, &text, &length, &err) < 0)
			fail_msg("%s: %s", path, err.text);
		assert_string_equal(text, ft_catalog_builtin_text(count));
	}
	assert_int_equal(count, 3);
	assert_null(ft_catalog_builtin_text(count));
}

/* A way to a file of a fresh directory. */
static void path_make(char *path, size_t size)
{
	const char *directory = getenv("TMPDIR");

	snprintf(path, size, "%s/test_catalog.XXXXXX", directory ? directory : P_tmpdir);
	assert_non_null(mkdtemp(path));
	strncat(path, "/x.json", size - strlen(path) - 1);
}

static void test_load(void **state)
{
	struct ft_catalog *catalog = NULL;
	struct ft_error err = {0};
	char path[4096];
	FILE *file;

	(void)state;
	path_make(path, sizeof(path));
	file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(everything, file) >= 0);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(ft_catalog_load(path, &catalog, &err), 0);
	assert_string_equal(catalog->name, "every key");
	ft_catalog_free(FT_STEAL(catalog));
	assert_int_equal(truncate(path, 10), 0);
	assert_int_equal(ft_catalog_load(path, &catalog, &err), -EINVAL);
	assert_ptr_equal(err.file, path);
	assert_int_equal(err.line, 1);
	unlink(path);
	assert_int_equal(ft_catalog_load(path, &catalog, &err), -ENOENT);
	assert_string_equal(err.text, "No such file or directory");
	*strrchr(path, '/') = '\0';
	assert_int_equal(ft_catalog_load(path, &catalog, &err), -EISDIR);
	rmdir(path);
	assert_int_equal(ft_catalog_load("no-such-catalog", &catalog, &err), -ENOENT);
	assert_string_equal(err.text, "there is no such file, and the built-in catalogs are mellanox-fdr-2013, "
				      "hp-blade-fdr-2013, infiniband");
	assert_int_equal(err.line, 0);
	assert_int_equal(ft_catalog_load("./infiniband", &catalog, &err), -ENOENT);
	assert_int_equal(ft_catalog_load("infiniband.json", &catalog, &err), -ENOENT);
	assert_string_equal(err.text, "No such file or directory");
	assert_null(catalog);
}

/* Any prefix of a good catalog is an error with a place; never a crash. */
static void test_truncated(void **state)
{
	(void)state;
	for (size_t length = 0; length < strlen(everything); length++) {
		/* Of its own size, so that a step beyond the end is seen. */
		_cleanup_free_ char *copy = malloc(length + 1);
		struct ft_catalog *catalog = NULL;
		struct ft_error err = {0};

		assert_non_null(copy);
		memcpy(copy, everything, length);
		copy[length] = '}';
		assert_int_equal(ft_catalog_read(copy, length, &catalog, &err), -EINVAL);
		assert_null(catalog);
		assert_true(err.line >= 1 && err.column >= 1 && err.text[0]);
	}
}

/* Every allocation fails once: each time -ENOMEM comes back, and nothing leaks. */
static void test_no_memory(void **state)
{
	size_t failing = 0;
	int r;

	(void)state;
	json_set_alloc_funcs(__wrap_malloc, free);
	allocation_keeps_failing = true;
	do {
		struct ft_catalog *catalog = NULL;
		struct ft_error err = {0};

		allocation_failing = ++failing;
		r = ft_catalog_read(everything, strlen(everything), &catalog, &err);
		allocation_failing = 0;
		if (r < 0 && (r != -ENOMEM || catalog))
			fail_msg("allocation %zu: %d", failing, r);
		ft_catalog_free(catalog);
	} while (r < 0);
	json_set_alloc_funcs(malloc, free);
	print_message("%zu allocations, each failed once\n", failing - 1);
	assert_true(failing > 100);
}

/* Columns of the reference catalogue. */
enum {
	LINE_BOARDS = 2,
	FABRIC_BOARDS,
	CONNECTOR,
	COST,
	MODEL,
	PORTS,
	POWER,
	SIZE,
	WEIGHT,
	TECHNOLOGY,
	VENDOR,
	COLUMNS
};

static FILE *reference_open(const char *name)
{
	const char *shared = getenv("FT_SHARED");
	char path[4096];

	snprintf(path, sizeof(path), "%s/reference/switch-catalog/%s", shared ? shared : "../shared", name);
	return fopen(path, "r");
}

/* Fields, some of them in quotes, of a line without quotes inside. */
static size_t csv_split(char *line, char **fields, size_t max)
{
	char *s = line, end;
	size_t count = 0;

	line[strcspn(line, "\r\n")] = '\0';
	do {
		bool quoted = *s == '"';

		s += quoted;
		if (count < max)
			fields[count] = s;
		count++;
		s += strcspn(s, quoted ? "\"" : ",");
		if (quoted && *s)
			*s++ = '\0';
		end = *s;
		*s++ = '\0';
	} while (end == ',');
	return count;
}

/* "77,3" or "3.45" in thousandths, without the reader's own arithmetic. */
static int64_t thousandths(const char *decimal)
{
	int64_t value = 0;
	int digits = -1;

	for (; *decimal; decimal++) {
		if (*decimal == ',' || *decimal == '.') {
			digits = 0;
			continue;
		}
		assert_true(*decimal >= '0' && *decimal <= '9');
		value = value * 10 + (*decimal - '0');
		if (digits >= 0)
			digits++;
	}
	for (digits = digits < 0 ? 0 : digits; digits < 3; digits++)
		value *= 10;
	return value;
}

static void row_check(const struct ft_switch_type *type, char **fields)
{
	assert_string_equal(type->name, fields[MODEL]);
	assert_string_equal(type->vendor, fields[VENDOR]);
	assert_string_equal(type->technology, fields[TECHNOLOGY]);
	assert_string_equal(type->connector, fields[CONNECTOR]);
	assert_int_equal(type->ports, atoi(fields[PORTS]));
	assert_int_equal(type->line_boards, atoi(fields[LINE_BOARDS]));
	assert_int_equal(type->fabric_boards, atoi(fields[FABRIC_BOARDS]));
	assert_true(type->cost == thousandths(fields[COST]));
	assert_true(type->power_w == thousandths(fields[POWER]));
	assert_true(type->size_u == thousandths(fields[SIZE]));
	assert_true(type->weight_kg == thousandths(fields[WEIGHT]));
}

/* The next type from @index on that has @role. */
static size_t role_next(const struct ft_catalog *catalog, unsigned int role, size_t index)
{
	while (index < catalog->count && !(catalog->types[index].roles & role))
		index++;
	return index;
}

static const struct reference {
	const char *catalog;
	unsigned int role;
	const char *file;
	unsigned int rows;
} references[] = {
	{"mellanox-fdr-2013", FT_ROLE_EDGE, "fat-tree_mellanox_edge.csv", 3},
	{"mellanox-fdr-2013", FT_ROLE_STAR, "fat-tree_mellanox_edge.csv", 3},
	{"mellanox-fdr-2013", FT_ROLE_CORE, "fat-tree_mellanox_core.csv", 43},
	{"hp-blade-fdr-2013", FT_ROLE_EDGE, "fat-tree_hp-blade_edge.csv", 1},
	{"hp-blade-fdr-2013", FT_ROLE_STAR, "fat-tree_hp-blade_edge.csv", 1},
	{"hp-blade-fdr-2013", FT_ROLE_CORE, "fat-tree_hp-blade_core.csv", 43},
};

/* The types of a role are the rows of the reference catalogue, in its order, and no others. */
static void reference_test(void **state)
{
	const struct reference *reference = *state;
	_cleanup_(ft_fclosep) FILE *file = reference_open(reference->file);
	_cleanup_(ft_catalog_freep) struct ft_catalog *catalog = NULL;
	char line[1024], *fields[COLUMNS];
	unsigned int rows = 0;
	size_t index = 0;

	if (!file)
		skip_for(NO_REFERENCE);
	assert_int_equal(ft_catalog_load(reference->catalog, &catalog, NULL), 0);
	assert_true(catalog->cable_cost == 80000);
	assert_non_null(strstr(catalog->notice, "K. Solnushkin"));
	assert_non_null(fgets(line, sizeof(line), file));
	for (; fgets(line, sizeof(line), file); index++, rows++) {
		assert_int_equal(csv_split(line, fields, COLUMNS), COLUMNS);
		index = role_next(catalog, reference->role, index);
		assert_true(index < catalog->count);
		row_check(&catalog->types[index], fields);
	}
	assert_int_equal(rows, reference->rows);
	assert_int_equal(role_next(catalog, reference->role, index), catalog->count);
}

static void test_blade(void **state)
{
	_cleanup_(ft_catalog_freep) struct ft_catalog *catalog = NULL;

	(void)state;
	assert_int_equal(ft_catalog_load("hp-blade-fdr-2013", &catalog, NULL), 0);
	assert_int_equal(catalog->types[0].blade.servers, 16);
	assert_int_equal(catalog->types[0].blade.size_u, 10);
	assert_int_equal(catalog->types[0].blade.rack_chassis, 4);
	assert_non_null(catalog->types[0].blade.pass_through);
	assert_true(catalog->types[0].size_u == 0);
	for (size_t i = 1; i < catalog->count; i++)
		assert_int_equal(catalog->types[i].blade.servers, 0);
}

/* Columns of the list of later switches. */
enum {
	LATER_MODEL,
	LATER_TECHNOLOGY,
	LATER_PORTS,
	LATER_CONNECTORS,
	LATER_SIZE,
	LATER_WEIGHT,
	LATER_POWER,
	LATER_LINE_BOARDS = 8,
	LATER_FABRIC_BOARDS,
	LATER_LINE_BOARD_PORTS,
	LATER_COLUMNS = 13
};

/* Its rows by how they begin, and the switches of the catalog; what of a row is no figure that is known is left out. */
static const struct later {
	const char *row;
	const char *family;
	bool no_weight, no_boards;
} later_switches[] = {
	{"IS5100/", "Mellanox IS5100", false, false},
	{"IS5200/", "Mellanox IS5200", false, false},
	{"IS5300/", "Mellanox IS5300", false, false},
	{"IS5600/", "Mellanox IS5600", false, false},
	{"MTS3610", "Mellanox MTS3610", false, false},
	{"Sun DCS 648", "Sun DCS 648 QDR", false, false},
	{"Sun DCS 72", "Sun DCS 72 QDR", false, false},
	{"MTS14400", "Mellanox MTS14400", false, false},
	{"Grid Director 4200", "Grid Director 4200 style", false, false},
	/* from 58 to 74 kg; its boards are inferred */
	{"Grid Director 4700", "Grid Director 4700", true, true},
	{"SB7800", "Mellanox SB7800", false, false},
	{"QM8700", "NVIDIA QM8700", false, false},
	{"QM9700", "NVIDIA QM9700", false, false},
	{"Q3400-RA", "NVIDIA Q3400-RA", false, false},
	{"CS7510", "Mellanox CS7510", false, false},
	{"CS7500", "Mellanox CS7500", false, false},
	{"CS8500", "NVIDIA CS8500", false, false},
};

/* The leading number of a cell; an empty one is unknown. */
static int64_t cell_amount(char *cell)
{
	cell[strspn(cell, "0123456789.")] = '\0';
	return *cell ? thousandths(cell) : FT_AMOUNT_UNKNOWN;
}

static void later_check(const struct ft_switch_type *type, const struct later *later, char **fields)
{
	bool modular = *fields[LATER_LINE_BOARDS] != '0';
	char technology[64];

	snprintf(technology, sizeof(technology), "IB 4X %s", fields[LATER_TECHNOLOGY]);
	assert_string_equal(type->technology, technology);
	assert_int_equal(type->ports, atoi(fields[LATER_PORTS]));
	assert_true(type->cost == FT_AMOUNT_UNKNOWN);
	assert_true(type->size_u == cell_amount(fields[LATER_SIZE]));
	assert_true(type->weight_kg == (later->no_weight ? FT_AMOUNT_UNKNOWN : cell_amount(fields[LATER_WEIGHT])));
	assert_true(type->power_w == cell_amount(fields[LATER_POWER]));
	assert_int_equal(type->modular, modular);
	assert_int_equal(type->roles, modular ? FT_ROLE_CORE | FT_ROLE_STAR
					      : FT_ROLE_EDGE | FT_ROLE_SPINE | FT_ROLE_CORE | FT_ROLE_STAR);
	if (later->no_boards)
		return;
	assert_int_equal(type->line_boards, atoi(fields[LATER_LINE_BOARDS]));
	assert_int_equal(type->fabric_boards, atoi(fields[LATER_FABRIC_BOARDS]));
	assert_int_equal(type->line_board_ports, atoi(fields[LATER_LINE_BOARD_PORTS]));
}

/* Its full population, which is the first one. */
static const struct ft_switch_type *family_find(const struct ft_catalog *catalog, const char *family)
{
	for (size_t i = 0; i < catalog->count; i++)
		if (strcmp(catalog->types[i].family, family) == 0)
			return &catalog->types[i];
	fail_msg("no %s", family);
	return NULL;
}

/* Every row of the list is in the catalog with what is known of it, and nothing more. */
static void test_later(void **state)
{
	_cleanup_(ft_fclosep) FILE *file = reference_open("modern.csv");
	_cleanup_(ft_catalog_freep) struct ft_catalog *catalog = NULL;
	char line[1024], *fields[LATER_COLUMNS];
	unsigned int rows = 0;

	(void)state;
	if (!file)
		skip_for(NO_REFERENCE);
	assert_int_equal(ft_catalog_load("infiniband", &catalog, NULL), 0);
	assert_true(catalog->cable_cost == FT_AMOUNT_UNKNOWN);
	assert_non_null(fgets(line, sizeof(line), file));
	while (fgets(line, sizeof(line), file)) {
		const struct later *later = later_switches;

		/* Those of 2013 are in the other catalogs. */
		if (strncmp(line, "SX6", 3) == 0)
			continue;
		assert_int_equal(csv_split(line, fields, LATER_COLUMNS), LATER_COLUMNS);
		while (later < later_switches + FT_COUNT(later_switches) &&
		       strncmp(fields[LATER_MODEL], later->row, strlen(later->row)) != 0)
			later++;
		if (later == later_switches + FT_COUNT(later_switches))
			fail_msg("%s is not in the catalog", fields[LATER_MODEL]);
		later_check(family_find(catalog, later->family), later, fields);
		rows++;
	}
	assert_int_equal(rows, FT_COUNT(later_switches));
}

/* How people call a switch. */
static void test_model_is(void **state)
{
	static const struct {
		const char *name, *family, *asked;
		bool is;
	} rows[] = {
		{"Mellanox SX6506 (with 90 ports)", "Mellanox SX6506", "Mellanox SX6506 (with 90 ports)", true},
		{"Mellanox SX6506 (with 90 ports)", "Mellanox SX6506", "Mellanox SX6506", true},
		{"Mellanox SX6506 (with 90 ports)", "Mellanox SX6506", "SX6506", true},
		{"Mellanox SX6506 (with 90 ports)", "Mellanox SX6506", "X6506", false},
		{"Mellanox SX6506 (with 90 ports)", "Mellanox SX6506", "ports)", false},
		{"NVIDIA QM8700", NULL, "QM8700", true},
		{"NVIDIA QM8700", NULL, "NVIDIA", false},
		{"NVIDIA QM8700", NULL, "", false},
		{"QM8700", NULL, "NVIDIA QM8700", false},
	};

	(void)state;
	for (size_t i = 0; i < FT_COUNT(rows); i++)
		if (ft_model_is(rows[i].name, rows[i].family, rows[i].asked) != rows[i].is)
			fail_msg("\"%s\" of \"%s\"", rows[i].asked, rows[i].name);
}

int main(void)
{
	static struct CMUnitTest tests[FT_COUNT(bad_catalogs) + FT_COUNT(references) + 16];
	const struct CMUnitTest others[] = {
		cmocka_unit_test(test_every_key),     cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_amounts),	      cmocka_unit_test(test_thousandths),
		cmocka_unit_test(test_fabric_boards), cmocka_unit_test(test_too_many),
		cmocka_unit_test(test_model_is),      cmocka_unit_test(test_builtin),
		cmocka_unit_test(test_load),	      cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_no_memory),     cmocka_unit_test(test_blade),
		cmocka_unit_test(test_later),
	};
	char names[FT_COUNT(references)][80];
	size_t n = 0;

	for (size_t i = 0; i < FT_COUNT(bad_catalogs); i++)
		tests[n++] = (struct CMUnitTest){bad_catalogs[i].error, bad_catalog_test, NULL, NULL,
						 (void *)(uintptr_t)&bad_catalogs[i]};
	for (size_t i = 0; i < FT_COUNT(references); i++) {
		snprintf(names[i], sizeof(names[i]), "%s: role %u: %s", references[i].catalog, references[i].role,
			 references[i].file);
		tests[n++] =
			(struct CMUnitTest){names[i], reference_test, NULL, NULL, (void *)(uintptr_t)&references[i]};
	}
	for (size_t i = 0; i < FT_COUNT(others); i++)
		tests[n++] = others[i];
	return _cmocka_run_group_tests("catalog", tests, n, NULL, NULL) ? 1 : 0;
}
