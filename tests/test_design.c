/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The design file: what is read, and each bad design with its exact message. */
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
#include "base/text.h"
#include "planner/plan/plan.h"
#include "tests/allocations.h"
#include "tests/refused.h"
#include "planner/plan/tree.h"

/* The least that a design must say, so that a row holds only what it is about; the row starts on line 2. */
#define HEAD "{\"ftcheck\": 1, \"name\": \"t\", \"nodes\": 72, \"edge\": {\"ports\": 36}, \"core\": {\"ports\": 36},\n"
#define FREE "{\"ftcheck\": 1, \"name\": \"t\",\n"

/* What the "plan" of a file says was chosen: 3 edge and 2 core switches for 9 nodes. */
#define EDGE8 "\"edge\": {\"model\": \"E (8)\", \"family\": \"E\", \"ports\": 8}"
#define CORE8 "\"core\": {\"model\": \"C\", \"ports\": 8}"
#define CHOSEN "\"plan\": {\"topology\": \"fat-tree\", " EDGE8 ", " CORE8

#define A64 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define OPEN40 "(((((((((((((((((((((((((((((((((((((((("
#define CLOSE40 ")*)*)*)*)*)*)*)*)*)*)*)*)*)*)*)*)*)*)*)*)*)*)*)*)*)*)*)*)*)*)*)*)*)*)*)*)*)*)*)*"

#define FOREIGN                                                                                                 \
	"1:1: a design is one JSON object, and this is no JSON; a recorded fabric goes to 'ftcheck --from' or " \
	"'ftplan "                                                                                              \
	"--infer'"

static const struct bad_design {
	const char *text;
	const char *error; /* LINE:COLUMN: text */
} bad_designs[] = {
	/* JSON itself */
	{"", "1:1: the file is empty: a design is one JSON object"},
	{" \n", "1:1: the file is empty: a design is one JSON object"},
	{"design", FOREIGN},
	{"#\n# Topology file\nvendid=0x2c9\nSwitch\t36 \"S-1\"\t# \"a\"\n[1]\t\"H-2\"[1]\t# \"b\"\n", FOREIGN},
	{"\x1f\x8b\b\x02", FOREIGN},
	{"name,edge\n\tn1,e1\n", FOREIGN},
	{"x\n  {\"ftcheck\": 1}", "1:1: '[' or '{' expected near 'x'"},
	{"[]", "1:1: a design is one JSON object, not a list"},
	{"{}", "1:1: \"ftcheck\": 1 is missing: the version of the format"},
	{"{\"ftcheck\": 1, \"ftcheck\": 1}", "1:24: duplicate object key near '\"ftcheck\"'"},
	{HEAD "\"nodes\": 73}", "2:7: duplicate object key near '\"nodes\"'"},
	{HEAD "\"fill\": \"dense\"} x", "2:18: end of file expected near 'x'"},
	{HEAD "\"fill\": \"den", "2:9: the string that begins here has no closing quotation mark on its line"},
	/* what is missing */
	{"{\"name\": \"t\"}", "1:1: \"ftcheck\": 1 is missing: the version of the format"},
	{"{\"ftcheck\": 1}", "1:1: \"name\" is missing: the fabric's name"},
	{"\n {\"ftcheck\": 1, \"name\": \"t\"}", "2:2: \"nodes\" is missing: how many host ports to connect"},
	/* families: the key at fault */
	{"{\"ftcheck\": 1, \"name\": \"t\",\n\"topology\": \"dragonfly\", \"edge\": {\"ports\": 12},\n\"nodes\": 5000}",
	 "3:10: 5000 nodes need 278 groups, each joined to 277 others, but 6 routers with 3 global cables each are for "
	 "18"},
	{"{\"ftcheck\": 1, \"name\": \"t\",\n\"topology\": \"dragonfly\", \"edge\": {\"ports\": 12}, \"group\": "
	 "{\"routers\": 1, \"global\": 1},\n\"groups\": 20}",
	 "3:11: each of 20 groups must be joined to 19 others, but 1 router with 1 global cable each are for 1"},
	{"{\"ftcheck\": 1, \"name\": \"t\",\n\"topology\": \"slim-fly\", \"edge\": {\"ports\": 12},\n\"nodes\": 9999}",
	 "3:10: the largest q that fits is 5: 50 switches with 4 hosts each are for 200 nodes, and nodes is 9999"},
	{"{\"ftcheck\": 1, \"name\": \"t\",\n\"topology\": \"slim-fly\", \"edge\": {\"ports\": 12}, \"nodes\": "
	 "9,\n\"q\": 13}",
	 "3:6: each switch needs 19 ports to other switches and one for a host, and has 12"},
	{"{\"ftcheck\": 1, \"name\": \"t\",\n\"topology\": \"torus\", \"dims\": [4, 6], \"nodes\": 9, \"edge\": "
	 "{\"ports\": 36},\n\"bundle\": 9}",
	 "3:11: each switch needs 36 ports to other switches and one for a host, and has 36"},
	{"{\"ftcheck\": 1, \"name\": \"t\",\n\"topology\": \"torus\", \"dims\": [4, 6], \"nodes\": 9, \"edge\": "
	 "{\"ports\": 36,\n\"count\": 20}}",
	 "3:10: edge.count is 20, but there are 24 switches"},
	{"{\"ftcheck\": 1, \"name\": \"t\",\n\"topology\": \"torus\", \"dims\": [4, 6], \"nodes\": 9, \"edge\": "
	 "{\"ports\": 36,\n\"ports_to_nodes\": 36}}",
	 "3:19: each switch has 0 ports to other switches, too few for 2 dimensions"},
	{"{\"ftcheck\": 1, \"name\": \"t\",\n\"topology\": \"torus\", \"edge\": {\"ports\": 36},\n\"dims\": [4, "
	 "60000]}",
	 "3:9: there would be more than 100000 switches"},
	{"{\"ftcheck\": 1, \"name\": \"t\",\n\"topology\": \"torus\", \"nodes\": 90, \"edge\": {\"ports\": "
	 "36,\n\"ports_to_core\": 40}}",
	 "3:18: edge.ports_to_core is 40, but each switch has 36 ports, and hosts need some"},
	{"{\"ftcheck\": 1, \"name\": \"t\",\n\"topology\": \"torus\", \"nodes\": 90, \"edge\": {\"ports\": "
	 "36,\n\"ports_to_nodes\": 40}}",
	 "3:19: edge.ports_to_nodes is 40, but each switch has 36 ports"},
	{"{\"ftcheck\": 1, \"name\": \"t\",\n\"topology\": \"mesh\", \"dims\": [3, 3], \"edge\": {\"ports\": "
	 "36},\n\"nodes\": 900}",
	 "3:10: 9 switches with 18 hosts each are for 162 nodes, and nodes is 900"},
	{"{\"ftcheck\": 1, \"name\": \"t\",\n\"topology\": \"hypercube\", \"dimensions\": 3, \"edge\": {\"ports\": "
	 "36},\n\"nodes\": 900}",
	 "3:10: 8 switches with 18 hosts each are for 144 nodes, and nodes is 900"},
	{"{\"ftcheck\": 1, \"name\": \"t\",\n\"topology\": \"ring\", \"nodes\": 90, \"edge\": {\"ports\": "
	 "36},\n\"bundle\": 18}",
	 "3:11: each switch needs 36 ports to other switches and one for a host, and has 36"},
	{"{\"ftcheck\": 1, \"name\": \"t\",\n\"topology\": \"ring\", \"nodes\": 90, \"edge\": {\"ports\": "
	 "36},\n\"bundle\": [1, 2]}",
	 "3:11: bundle has 2 numbers, but there is 1 dimension"},
	{"{\"ftcheck\": 1, \"name\": \"t\",\n\"topology\": \"hyperx\", \"nodes\": 90, \"edge\": {\"ports\": "
	 "36},\n\"dims\": [40, 40]}",
	 "3:9: each switch needs 78 ports to other switches and one for a host, and has 36"},
	{"{\"ftcheck\": 1, \"name\": \"t\",\n\"topology\": \"dragonfly\", \"nodes\": 90, \"edge\": {\"ports\": "
	 "36},\n\"group\": {\"routers\": 4, \"global\": 40}}",
	 "3:10: each router needs 43 ports to other switches and some for hosts, and has 36"},
	{"{\"ftcheck\": 1, \"name\": \"t\",\n\"topology\": \"dragonfly\", \"nodes\": 90, \"edge\": {\"ports\": "
	 "36},\n\"arrangement\": \"x\"}",
	 "3:16: \"arrangement\" is \"x\"; it must be \"absolute\", \"relative\" or \"circulant\""},
	{"{\"ftcheck\": 1, \"name\": \"t\",\n\"topology\": \"dragonfly\", \"group\": {\"routers\": 2}, \"groups\": 2, "
	 "\"edge\": {\"ports\": 9}, \"links\": [{\"a\": \"g0-r0\",\n\"b\": \"g1-r9\"}]}",
	 "3:6: \"b\" names \"g1-r9\", which is no switch of the groups: the first is \"g0-r0\""},
	{"{\"ftcheck\": 1, \"name\": \"t\",\n\"topology\": \"dragonfly+\", \"nodes\": 90, \"edge\": {\"ports\": "
	 "36},\n\"group\": {\"leafs\": 40, \"spines\": 2}}",
	 "3:10: 36 ports are too few for leafs and spines with 1 cable between two"},
	{"{\"ftcheck\": 1, \"name\": \"t\",\n\"topology\": \"polarfly\", \"nodes\": 90, \"edge\": {\"ports\": "
	 "36},\n\"q\": 41}",
	 "3:6: each switch needs 42 ports to other switches and one for a host, and has 36"},
	{"{\"ftcheck\": 1, \"name\": \"t\",\n\"topology\": \"random\", \"nodes\": 90, \"edge\": {\"ports\": 36, "
	 "\"count\": 7},\n\"degree\": 3}",
	 "3:11: degree 3 x edge.count 7 is odd: a cable has two ends"},
	{"{\"ftcheck\": 1, \"name\": \"t\",\n\"topology\": \"clos\", \"m\": 4, \"n\": 4, \"edge\": {\"ports\": "
	 "36},\n\"r\": 90}",
	 "3:6: each spine needs a port for each of 90 leafs, and has 36"},
	/* the version */
	{"{\"ftcheck\": 2}", "1:13: \"ftcheck\" is 2: a format newer than this program understands (1)"},
	{"{\"ftcheck\": 0}", "1:13: \"ftcheck\" is the version of the format: 1"},
	{"{\"ftcheck\": \"1\"}", "1:13: \"ftcheck\" is the version of the format: 1"},
	/* unknown keys, on every level */
	{HEAD "\"colour\": 1}", "2:1: unknown key \"colour\""},
	{HEAD "\"node\": 1}", "2:1: unknown key \"node\"; did you mean \"nodes\"?"},
	{HEAD "\"Rate\": 1}", "2:1: unknown key \"Rate\"; did you mean \"rate\"?"},
	{HEAD "\"prefer_expandible\": true}",
	 "2:1: unknown key \"prefer_expandible\"; did you mean \"prefer_expandable\"?"},
	{HEAD "\"\\u001b[31m\": 1}", "2:1: unknown key \"\\x1b[31m\""},
	{HEAD "\"\": 1}", "2:1: unknown key \"\""},
	{FREE "\"edge\": {\"port\": 36}}", "2:10: unknown key \"port\"; did you mean \"ports\"?"},
	{FREE "\"core\": {\"ports\": 36, \"bundle\": 2}}", "2:23: unknown key \"bundle\""},
	{FREE "\"core\": {\"ports\": 36, \"ports_to_nodes\": 2}}",
	 "2:23: \"ports_to_nodes\" belongs to \"edge\": hosts hang on edge switches only"},
	{HEAD "\"bundles\": {\"multiples\": 3}}", "2:13: unknown key \"multiples\"; did you mean \"multiple\"?"},
	{HEAD "\"rate\": {\"uplinks\": \"4xHDR\"}}", "2:10: unknown key \"uplinks\"; did you mean \"uplink\"?"},
	{HEAD "\"bind\": {\"edges\": []}}", "2:10: unknown key \"edges\"; did you mean \"edge\"?"},
	{HEAD "\"bind\": {\"edge\": {\"regex\": \"x\"}}}", "2:19: unknown key \"regex\""},
	{HEAD "\"expect\": {\"host_down\": 1}}", "2:12: unknown key \"host_down\"; did you mean \"hosts_down\"?"},
	{HEAD "\"expect\": {\"waive\": [{\"id\": \"x\", \"till\": \"2026-01-01\"}]}}", "2:34: unknown key \"till\""},
	/* cables and hosts: tests/test_cables.c has what they must agree with */
	{HEAD "\"cables\": []}",
	 "2:11: \"cables\" must be a list of cables, or \"plan\": the ports that the plan gives"},
	{HEAD "\"cables\": \"all\"}",
	 "2:11: \"cables\" must be a list of cables, or \"plan\": the ports that the plan gives"},
	{HEAD "\"cables\": [{\"a\": \"edge001\"}]}", "2:12: \"b\" is missing: the name of a planned switch"},
	{HEAD "\"cables_complete\": 1}", "2:20: \"cables_complete\" must be true or false, not a number"},
	{HEAD "\"hosts\": []}", "2:10: \"hosts\" must not be empty"},
	{HEAD "\"hosts\": [{\"edge\": \"edge001\"}]}",
	 "2:11: element 1 of \"hosts\" lacks \"name\" or \"guid\": which host it is"},
	{HEAD "\"names\": [{\"match\": \"(\", \"as\": \"x\"}]}",
	 "2:21: \"match\" is not an extended regular expression: missing closing parenthesis"},
	{HEAD "\"names\": [{\"match\": \"^ib-([0-9]+)$\", \"as\": \"leaf\\\\2\"}]}",
	 "2:44: \"as\" has a backslash that is not \\\\ or \\1 to \\9, one for each parenthesis of \"match\""},
	/* the catalog */
	{FREE "\"nodes\": 72, \"edge\": {\"model\": \"Mellanox SX6063\"}}",
	 "2:32: the catalog \"mellanox-fdr-2013\" has no \"Mellanox SX6063\"; did you mean \"Mellanox SX6036\"?"},
	{FREE "\"nodes\": 72, \"core\": {\"model\": \"x\"}}", "2:32: the catalog \"mellanox-fdr-2013\" has no \"x\""},
	{FREE "\"nodes\": 72, \"edge\": {\"ports\": 36, \"fabric_boards\": 3}}",
	 "2:53: \"fabric_boards\" needs the \"model\" of a modular switch beside it"},
	{FREE "\"nodes\": 209953}",
	 "2:10: nothing fits: of 132 combinations of switches, 132 cannot connect nodes 209953 "
	 "(the largest connects 209952: Mellanox SX6536 (with 648 ports) + Mellanox SX6536 "
	 "(with 648 ports))"},
	{FREE "\"nodes\": 600, \"limits\": {\"max_cost\": 600000}}",
	 "2:25: nothing fits: of 132 combinations of switches, 4 cannot connect nodes 600; max_cost 600000 excludes "
	 "128 "
	 "(nearest: Mellanox SX6036 (36 ports) + Mellanox SX6036 (36 ports), cost 640880)"},
	/* limits */
	{HEAD "\"limits\": {\"max_colour\": 1}}",
	 "2:12: unknown limit \"max_colour\": a limit is max_ or min_ and one of cost, power_w, size_u, weight_kg, "
	 "switches, cables, links, blocking, spare_ports, expandable_to, clos, edge_count, spine_count, core_count, "
	 "ports_to_nodes, ports_to_core, bundle"},
	{HEAD "\"limits\": {\"max_cost\": true}}", "2:24: \"max_cost\" must be a number, not true"},
	{HEAD "\"limits\": {\"max_cost\": -1}}", "2:24: \"max_cost\" must be 0 to 1000000000"},
	{HEAD "\"limits\": []}", "2:11: \"limits\" must be an object, not a list"},
	/* three levels */
	{HEAD "\"levels\": 4}", "2:11: \"levels\" must be 2 or 3"},
	{HEAD "\"spine\": {\"ports\": 36}}",
	 "2:1: \"spine\" is of a fat-tree of three levels: \"levels\": 3 is missing"},
	{HEAD "\"pods\": 2}", "2:1: \"pods\" is of a fat-tree of three levels: \"levels\": 3 is missing"},
	{HEAD "\"bundle\": {\"spine\": 2}}",
	 "2:11: \"bundle\" of spines is of a fat-tree of three levels: \"levels\": 3 is missing"},
	{HEAD "\"levels\": 3, \"topology\": \"star\"}", "2:11: \"levels\" is of fat-trees; \"topology\" is \"star\""},
	{HEAD "\"levels\": 3, \"spine\": {\"ports\": 36, \"ports_to_nodes\": 1}}",
	 "2:37: \"ports_to_nodes\" belongs to \"edge\": hosts hang on edge switches only"},
	{HEAD "\"levels\": 3, \"spine\": {\"ports\": 36}, \"pods\": [{\"count\": 2}]}",
	 "2:47: element 1 of \"pods\" must say both: {\"count\": PODS, \"edges\": EDGE SWITCHES OF EACH}"},
	{HEAD "\"levels\": 3, \"spine\": {\"ports\": 36}, \"pods\": [{\"count\": 2, \"edges\": 1}]}",
	 "2:46: pods hold 2 edge switches, but 4 are planned"},
	{HEAD "\"levels\": 3, \"spine\": {\"ports\": 36, \"count\": 7}, \"pods\": 2}",
	 "2:46: spine.count 7 is no multiple of the 2 pods"},
	{HEAD "\"levels\": 3, \"spine\": {\"ports\": 36, \"ports_to_core\": 36}}",
	 "2:54: spine.ports_to_core 36 of spine.ports 36: both sides need a port at least"},
	{HEAD "\"levels\": 3, \"spine\": {\"ports\": 36}, \"pods\": 5}",
	 "2:46: pods 5, but there are only 4 edge switches"},
	{HEAD "\"blocking\": {\"spine\": 0.5}}",
	 "2:23: \"spine\" is below 1: a spine would have more uplinks than downlinks"},
	/* types and ranges */
	{"{\"name\": 1}", "1:10: \"name\" must be a string, not a number"},
	{"{\"name\": \"\"}", "1:10: \"name\" must not be empty"},
	{"{\"name\": \"a\\nb\"}", "1:10: \"name\" holds bytes that are not safe to print: \"a\\x0ab\""},
	{"{\"nodes\": \"72\"}", "1:11: \"nodes\" must be a whole number, not a string"},
	{"{\"nodes\": 72.0}", "1:11: \"nodes\" must be a whole number, not a number with a fraction"},
	{"{\"nodes\": -1}", "1:11: \"nodes\" is -1; it must be 1 to 1000000"},
	{"{\"nodes\": 0}", "1:11: \"nodes\" is 0; it must be 1 to 1000000"},
	{"{\"nodes\": 1000001}", "1:11: \"nodes\" is 1000001; it must be 1 to 1000000"},
	{"{\"nodes\": 99999999999999999999}", "1:30: too big integer near '99999999999999999999'"},
	{"{\"nodes_max\": null}", "1:15: \"nodes_max\" must be a whole number, not null"},
	{HEAD "\"levels\": 4}", "2:11: \"levels\" must be 2 or 3"},
	{HEAD "\"levels\": \"2\"}", "2:11: \"levels\" must be 2 or 3"},
	{HEAD "\"topology\": 1}", "2:13: \"topology\" must be a string, not a number"},
	{HEAD "\"technology\": \"token ring\"}",
	 "2:15: \"technology\" is \"token ring\"; it must be \"infiniband\" or \"ethernet\""},
	{HEAD "\"technology\": 1}", "2:15: \"technology\" must be a string, not a number"},
	{HEAD "\"fill\": \"full\"}", "2:9: \"fill\" is \"full\"; it must be \"auto\", \"dense\" or \"uniform\""},
	{HEAD "\"prefer_expandable\": 1}", "2:22: \"prefer_expandable\" must be true or false, not a number"},
	{HEAD "\"objective\": \"speed\"}", "2:14: \"objective\" is \"speed\"; it must be \"cost\", \"power_w\", "
					   "\"size_u\", \"weight_kg\", \"switches\" or "
					   "\"cables\""},
	{HEAD "\"blocking\": 0.5}", "2:13: \"blocking\" is below 1: an edge switch would have more uplinks than hosts"},
	{HEAD "\"blocking\": \"1:2\"}",
	 "2:13: \"blocking\" is below 1: an edge switch would have more uplinks than hosts"},
	{HEAD "\"blocking\": -2}", "2:13: \"blocking\" is below 1: an edge switch would have more uplinks than hosts"},
	{HEAD "\"blocking\": \"3:\"}", "2:13: \"blocking\" must be a number or a ratio such as \"3:1\""},
	{HEAD "\"blocking\": \"3:0\"}",
	 "2:13: \"blocking\" is no ratio, or too large or too precise: its terms go from 1 to 1000000000"},
	{HEAD "\"blocking\": 1e300}",
	 "2:13: \"blocking\" is no ratio, or too large or too precise: its terms go from 1 to 1000000000"},
	{HEAD "\"blocking\": 3.1415926535897932}",
	 "2:13: \"blocking\" is no ratio, or too large or too precise: its terms go from 1 to 1000000000"},
	{HEAD "\"blocking\": true}", "2:13: \"blocking\" must be a number or a ratio such as \"3:1\", not true"},
	{FREE "\"edge\": 36}", "2:9: \"edge\" must be an object, not a number"},
	{FREE "\"edge\": {\"ports\": 1}}", "2:19: \"ports\" is 1; it must be 2 to 4096"},
	{FREE "\"edge\": {\"count\": 0}}", "2:19: \"count\" is 0; it must be 1 to 100000"},
	{FREE "\"core\": {\"ports\": 4097}}", "2:19: \"ports\" is 4097; it must be 2 to 4096"},
	{HEAD "\"bundle\": 0}", "2:11: \"bundle\" is 0; it must be 1 to 4096"},
	{HEAD "\"bundles\": \"odd\"}", "2:12: \"bundles\" must be \"even\", \"thick\" or {\"multiple\": N}"},
	{HEAD "\"bundles\": {}}", "2:12: \"bundles\" must be \"even\", \"thick\" or {\"multiple\": N}"},
	{HEAD "\"bundles\": {\"multiple\": 0}}", "2:25: \"multiple\" is 0; it must be 1 to 254"},
	{HEAD "\"rate\": 4}",
	 "2:9: \"rate\" must be a rate such as \"4xHDR\", or an object of \"uplink\" and \"host\""},
	{HEAD "\"rate\": \"HDR\"}", "2:9: \"rate\" is \"HDR\"; a rate is 1x, 2x, 4x, 8x or 12x and SDR, DDR, QDR, "
				    "FDR10, FDR, EDR, HDR, NDR or XDR, "
				    "such as \"4xHDR\""},
	{HEAD "\"rate\": {\"host\": []}}", "2:18: \"host\" must name one rate at least"},
	{HEAD "\"rate\": {\"host\": [\"4xHDR\", 1]}}",
	 "2:28: element 2 of \"host\" must be a rate such as \"4xHDR\", not a number"},
	{HEAD "\"bind\": []}", "2:9: \"bind\" must be an object, not a list"},
	{HEAD "\"bind\": {\"edge\": []}}",
	 "2:18: \"edge\" must be a list of names or 0x GUIDs, or {\"match\": PATTERN}"},
	{HEAD "\"bind\": {\"edge\": {}}}",
	 "2:18: \"edge\" must be a list of names or 0x GUIDs, or {\"match\": PATTERN}"},
	{HEAD "\"bind\": {\"edge\": [\"a\", 2]}}", "2:24: element 2 of \"edge\" must be a string, not a number"},
	{HEAD "\"bind\": {\"edge\": [\"0x12g\"]}}",
	 "2:19: element 1 of \"edge\" is \"0x12g\", which is not a GUID: 0x and up to 16 hexadecimal digits"},
	{HEAD "\"bind\": {\"edge\": [\"0x0\"]}}",
	 "2:19: element 1 of \"edge\" is \"0x0\", which is not a GUID: 0x and up to 16 hexadecimal digits"},
	{HEAD "\"bind\": {\"edge\": [\"01234567890123456789012345678901234567890123456789012345678901234\"]}}",
	 "2:19: element 1 of \"edge\" is longer than the 64 bytes of a node description"},
	{HEAD "\"bind\": {\"core\": [\"a\", \"b\", \"a\"]}}", "2:29: \"a\" is bound twice"},
	{HEAD "\"bind\": {\"core\": [\"b\", \"a\"],\n\"edge\": [\"a\"]}}", "2:24: \"a\" is bound twice"},
	{HEAD "\"bind\": {\"core\": [\"a[1-3]\", \"b\", \"a2\"]}}", "2:34: \"a2\" is bound twice"},
	{HEAD "\"bind\": {\"core\": [\"a[3-1]\"]}}",
	 "2:19: element 1 of \"core\" holds no range of numbers such as [1-3,07-12]"},
	{HEAD "\"bind\": {\"core\": [\"a[1-100001]\"]}}", "2:19: element 1 of \"core\" is more than 100000 names"},
	{HEAD "\"bind\": {\"core\": [\"0xAB\", \"0x00ab\"]}}", "2:27: \"0x00ab\" is bound twice"},
	{HEAD "\"bind\": {\"edge\": {\"match\": \"le(af\"}}}",
	 "2:28: \"match\" is not an extended regular expression: missing closing parenthesis"},
	{HEAD "\"bind\": {\"edge\": {\"match\": \"\"}}}", "2:28: \"match\" must not be empty"},
	{HEAD "\"bind\": {\"edge\": {\"match\": 1}}}", "2:28: \"match\" must be a string, not a number"},
	{HEAD "\"bind\": {\"edge\": {\"match\": \"" A64 A64 A64 A64 "a\"}}}",
	 "2:28: \"match\" is a pattern of more than 256 bytes"},
	{HEAD "\"bind\": {\"edge\": {\"match\": \"((a{99}){99}){99}\"}}}",
	 "2:28: \"match\" is not an extended regular expression: regular expression is too large"},
	{HEAD "\"bind\": {\"edge\": {\"match\": \"a+++\"}}}",
	 "2:28: \"match\" is not an extended regular expression: quantifier does not follow a repeatable item"},
	{HEAD "\"bind\": {\"edge\": {\"match\": \"a{1,65536}\"}}}",
	 "2:28: \"match\" is not an extended regular expression: number too big in {} quantifier"},
	{HEAD "\"bind\": {\"edge\": {\"match\": \"[[:number:]]\"}}}",
	 "2:28: \"match\" is not an extended regular expression: unknown POSIX class name"},
	{HEAD "\"bind\": {\"edge\": {\"match\": \"leaf\\\\\"}}}",
	 "2:28: \"match\" is not an extended regular expression: \\ at end of pattern"},
	{HEAD "\"bind\": {\"edge\": {\"match\": \"" OPEN40 "a" CLOSE40 "\"}}}",
	 "2:28: \"match\" is not an extended regular expression: parentheses are too deeply nested"},
	{HEAD "\"expect\": 1}", "2:11: \"expect\" must be an object, not a number"},
	{HEAD "\"expect\": {\"hosts_down\": -1}}", "2:26: \"hosts_down\" is -1; it must be 0 to 1000000"},
	{HEAD "\"expect\": {\"hosts_down\": \"a\"}}",
	 "2:26: \"hosts_down\" must be a number of hosts or a list of their names, not a string"},
	{HEAD "\"expect\": {\"hosts_down\": [1]}}", "2:27: element 1 of \"hosts_down\" must be a string, not a number"},
	{HEAD "\"expect\": {\"unplanned\": \"a\"}}", "2:25: \"unplanned\" must be a list, not a string"},
	{HEAD "\"expect\": {\"unplanned\": [\"a\", \"(\"]}}",
	 "2:31: element 2 of \"unplanned\" is not an extended regular expression: missing closing parenthesis"},
	{HEAD "\"expect\": {\"waive\": {}}}", "2:21: \"waive\" must be a list, not an object"},
	{HEAD "\"expect\": {\"waive\": [1]}}", "2:22: element 1 of \"waive\" must be an object, not a number"},
	{HEAD "\"expect\": {\"waive\": [{\"why\": \"x\"}]}}",
	 "2:22: element 1 of \"waive\" lacks \"id\": the id of the finding, as ftcheck prints it"},
	{HEAD "\"expect\": {\"waive\": [{\"id\": \"x\", \"until\": \"2026-02-29\"}]}}",
	 "2:43: \"until\" is \"2026-02-29\", which is no day of the calendar (YYYY-MM-DD)"},
	{HEAD "\"expect\": {\"waive\": [{\"id\": \"x\", \"until\": \"31.12.2026\"}]}}",
	 "2:43: \"until\" is \"31.12.2026\", which is no day of the calendar (YYYY-MM-DD)"},
	{HEAD "\"expect\": {\"waive\": [{\"id\": \"x\", \"until\": 2026}]}}",
	 "2:43: \"until\" must be a date such as \"2026-12-31\", not a number"},
	{HEAD "\"why\": []}", "2:8: \"why\" must be an object, not a list"},
	{HEAD "\"why\": {\"a\": \"b\",\n \"c\": 1}}", "3:7: \"why\" holds notes: \"c\" must be a string, not a number"},
	{HEAD "\"plan\": []}", "2:9: \"plan\" must be an object, not a list"},
	/* numbers that contradict each other */
	{HEAD "\"nodes_max\": 71}", "2:14: nodes_max 71 is less than nodes 72"},
	{FREE "\"nodes\": 700,\n\"edge\": {\"ports\": 36}, \"core\": {\"ports\": 36}}",
	 "3:42: nodes 700 need 39 edge switches, but a core switch of core.ports 36 reaches only 36"},
	{FREE "\"nodes\": 60, \"nodes_max\": 700,\n\"edge\": {\"ports\": 36}, \"core\": {\"ports\": 36}}",
	 "3:42: nodes_max 700 need 39 edge switches, but a core switch of core.ports 36 reaches only 36"},
	{FREE "\"nodes\": 700,\n\"edge\": {\"ports\": 36, \"count\": 31}, \"core\": {\"ports\": 48}}",
	 "3:32: nodes 700 need 39 edge switches at ports_to_nodes 18, but edge.count is 31"},
	{FREE "\"nodes\": 500, \"bundle\": 2,\n\"edge\": {\"ports\": 36, \"count\": 31}, \"core\": {\"ports\": 48}}",
	 "2:25: edge.count 31 x bundle 2 = 62 > core.ports 48"},
	{FREE "\"nodes\": 500, \"bundle\": 2,\n\"edge\": {\"ports\": 36}, \"core\": {\"ports\": 48}}",
	 "2:25: nodes 500 need 28 edge switches x bundle 2 = 56 > core.ports 48"},
	{FREE "\"nodes\": 40,\n\"edge\": {\"ports\": 36, \"ports_to_nodes\": 20, \"ports_to_core\": 18}, \"core\": "
	      "{\"ports\": 48}}",
	 "3:41: edge.ports_to_nodes 20 + edge.ports_to_core 18 = 38 exceed edge.ports 36"},
	{FREE
	 "\"nodes\": 40,\n\"edge\": {\"ports\": 36, \"ports_to_nodes\": 36, \"count\": 2}, \"core\": {\"ports\": 48}}",
	 "3:41: edge.ports_to_nodes 36 leaves no port for the core level: edge.ports is 36"},
	{FREE "\"nodes\": 40,\n\"edge\": {\"ports\": 36, \"ports_to_core\": 36}, \"core\": {\"ports\": 48}}",
	 "3:40: edge.ports_to_core 36 leaves no port for nodes: edge.ports is 36"},
	{FREE "\"nodes\": 40,\n\"edge\": {\"ports\": 36, \"ports_to_core\": 0}, \"core\": {\"ports\": 48}}",
	 "3:40: edge.ports_to_core 0 fits a star only, not a fat-tree"},
	{FREE "\"nodes\": 40, \"blocking\": 2,\n\"edge\": {\"ports\": 36, \"ports_to_nodes\": 28}, \"core\": "
	      "{\"ports\": 48}}",
	 "2:26: edge.ports_to_nodes 28 over edge.ports_to_core 8 exceeds the blocking of 2:1 that is allowed"},
	{FREE "\"nodes\": 40, \"bundle\": 9,\n\"edge\": {\"ports\": 36}, \"core\": {\"ports\": 48, \"count\": 4}}",
	 "2:24: bundle 9 x core.count 4 = 36 leaves no port for nodes: edge.ports is 36"},
	{FREE "\"nodes\": 40, \"bundle\": 20,\n\"edge\": {\"ports\": 36}, \"core\": {\"ports\": 48}}",
	 "2:24: bundle 20 is thicker than the 18 uplinks of an edge switch"},
	{FREE "\"nodes\": 40, \"bundle\": 4, \"bundles\": {\"multiple\": 3},\n\"edge\": {\"ports\": 36}, \"core\": "
	      "{\"ports\": 48}}",
	 "2:24: bundle 4 is not a multiple of 3, as bundles asks"},
	{FREE "\"nodes\": 300, \"bundles\": {\"multiple\": 3},\n\"edge\": {\"ports\": 36}, \"core\": {\"ports\": 36}}",
	 "2:26: a core switch of 36 ports takes 2 cables from each of 17 edge switches: no bundle of a multiple of 3 "
	 "fits"},
	{FREE "\"nodes\": 72,\n\"edge\": {\"ports\": 36}, \"core\": {\"ports\": 36, \"count\": 1}}",
	 "3:55: 4 edge switches with 18 uplinks each need 2 core switches of 36 ports, but core.count is 1"},
	{FREE "\"nodes\": 72,\n\"edge\": {\"ports\": 36}, \"core\": {\"ports\": 36, \"count\": 19}}",
	 "3:55: core.count 19, but an edge switch has only 18 uplinks to spread over them"},
	{FREE "\"nodes\": 72, \"bundles\": {\"multiple\": 4},\n\"edge\": {\"ports\": 36}, \"core\": {\"ports\": 36, "
	      "\"count\": 6}}",
	 "3:55: core.count 6, but an edge switch has only 18 uplinks in multiples to spread over them"},
	{FREE "\"nodes\": 72, \"bundle\": 6,\n\"edge\": {\"ports\": 36, \"ports_to_core\": 18}, \"core\": {\"ports\": "
	      "36, \"count\": 2}}",
	 "2:24: edge.ports_to_core 18 in bundles of 6 go to 3 core switches, but core.count is 2"},
	{FREE "\"nodes\": 72, \"topology\": \"fat-tree\",\n\"edge\": {\"ports\": 36}, \"core\": {\"ports\": 36, "
	      "\"count\": 0}}",
	 "3:55: core.count 0 fits a star only, not a fat-tree"},
	{HEAD "\"fill\": \"uniform\", \"prefer_expandable\": true}",
	 "2:9: fill \"uniform\" and prefer_expandable true contradict each other"},
	{HEAD "\"topology\": \"star\"}",
	 "1:38: nodes 72 do not fit on a star: one switch of 36 ports has 36 for nodes"},
	{FREE "\"nodes\": 20, \"topology\": \"star\", \"edge\": {\"ports\": 36, \"count\": 2}}",
	 "2:65: a star has one switch, but edge.count is 2"},
	{FREE "\"nodes\": 20, \"topology\": \"star\", \"edge\": {\"ports\": 36, \"ports_to_core\": 2}}",
	 "2:73: a star has no core level, but edge.ports_to_core is 2"},
	{FREE "\"nodes\": 20, \"topology\": \"star\", \"bundle\": 2, \"edge\": {\"ports\": 36}}",
	 "2:44: a star has no core level, but bundle is 2"},
	{FREE
	 "\"nodes\": 20, \"topology\": \"star\", \"core\": {\"ports\": 36, \"count\": 2}, \"edge\": {\"ports\": 36}}",
	 "2:65: a star has no core level, but core.count is 2"},
	{FREE "\"nodes\": 20, \"topology\": \"star\", \"edge\": {\"ports\": 36, \"ports_to_nodes\": 40}}",
	 "2:74: edge.ports_to_nodes 40 exceed edge.ports 36"},
	{FREE "\"nodes\": 20, \"topology\": \"star\", \"edge\": {\"ports\": 36}, \"bind\": {\"core\": [\"a\"]}}",
	 "2:74: a star has no core level, but bind.core is given"},
	{HEAD "\"bind\": {\"edge\": [\"a\", \"b\", \"c\"]}}", "2:18: bind.edge names 3 switches, but the plan has 4"},
	{HEAD "\"bind\": {\"edge\": [\"a\", \"b\", \"c\", \"core02\"]}}",
	 "2:9: \"core02\" is bound, and the name of another planned switch too"},
	/* directors */
	{FREE "\"nodes\": 72, \"edge\": {\"ports\": 36},\n\"core\": {\"ports\": 150, \"inside\": {\"line_boards\": 12, "
	      "\"line_ports\": 12}}}",
	 "3:19: 12 line boards of 12 ports are not the 150 ports of the whole"},
	{FREE
	 "\"nodes\": 72, \"edge\": {\"ports\": 36},\n\"core\": {\"ports\": 144, \"inside\": {\"line_boards\": 13}}}",
	 "3:34: \"inside\" does not go with the 144 ports of the whole: 13 line boards cannot have the same number "
	 "each"},
	{FREE
	 "\"nodes\": 72, \"edge\": {\"ports\": 36},\n\"core\": {\"ports\": 144, \"inside\": {\"line_ports\": 13}}}",
	 "3:34: \"inside\" does not go with the 144 ports of the whole: 13 ports a line board leave some over"},
	{FREE "\"nodes\": 72, \"edge\": {\"ports\": 36},\n\"core\": {\"inside\": {\"line_boards\": 2, \"line_ports\": "
	      "4000}}}",
	 "3:20: \"inside\" makes 8000 ports; the most is 4096"},
	{FREE "\"nodes\": 72, \"edge\": {\"ports\": 36},\n\"core\": {\"ports\": 144, \"inside\": {\"line_boards\": 12, "
	      "\"line_boards_max\": 11}}}",
	 "3:50: \"inside\": 12 line boards do not go into 11 slots"},
	{FREE "\"nodes\": 72, \"edge\": {\"ports\": 36},\n\"core\": {\"ports\": 144, \"inside\": {\"fabric_boards\": "
	      "4, \"fabric_boards_max\": 3}}}",
	 "3:52: \"inside\": 4 fabric boards do not go into 3 slots"},
	{FREE "\"nodes\": 72, \"edge\": {\"ports\": 36},\n\"core\": {\"ports\": 144, \"inside\": {\"line_boards\": 12, "
	      "\"line_chips\": 5}}}",
	 "3:68: \"inside\": 12 ports of a line board are not the same number on each of 5 chips"},
	{FREE "\"nodes\": 72, \"edge\": {\"ports\": 36},\n\"core\": {\"ports\": 144, \"inside\": {\"line_boards\": 12, "
	      "\"line_chips\": 1, \"traces\": 40, \"fabric_boards\": 6, \"fabric_chips\": 2}}}",
	 "3:68: \"inside\": a chip of a line board would have 492 ports; the most is 254"},
	{FREE "\"nodes\": 72, \"edge\": {\"ports\": 36},\n\"core\": {\"ports\": 144, \"inside\": {\"line_boards\": 12, "
	      "\"line_chips\": 1, \"traces\": 22}}}",
	 "3:81: \"inside\": a chip of a fabric board would have 264 ports; the most is 254"},
	{FREE "\"nodes\": 72, \"edge\": {\"ports\": 36},\n\"core\": {\"ports\": 144, \"inside\": {\"fabric_boards\": "
	      "4096}}}",
	 "3:34: \"inside\": a chip of a line board would have 4096 ports; the most is 254"},
	{FREE "\"nodes\": 72, \"edge\": {\"ports\": 36},\n\"core\": {\"ports\": 144, \"inside\": {\"slots\": 12}}}",
	 "3:35: unknown key \"slots\""},
	{FREE "\"nodes\": 72, \"edge\": {\"ports\": 36},\n\"core\": {\"ports\": 144, \"inside\": 1}}",
	 "3:34: \"inside\" must be an object, not a number"},
	{FREE "\"nodes\": 72, \"edge\": {\"ports\": 36},\n\"core\": {\"ports\": 144, \"inside\": {\"traces\": 0}}}",
	 "3:45: \"traces\" is 0; it must be 1 to 254"},
	{FREE "\"nodes\": 72, \"edge\": {\"ports\": 36},\n\"core\": {\"ports\": 144, \"chassis\": \"(\"}}",
	 "3:35: \"chassis\" is not an extended regular expression: missing closing parenthesis"},
	{FREE "\"nodes\": 72, \"edge\": {\"ports\": 36},\n\"core\": {\"ports\": 144, \"chassis\": 1}}",
	 "3:35: \"chassis\" must be a string, not a number"},
	{FREE "\"nodes\": 72, \"edge\": {\"ports\": 36},\n\"core\": {\"model\": \"SX6036\", \"chassis\": \"x\"}}",
	 "3:9: no \"SX6036\" of the catalog \"mellanox-fdr-2013\" is a director with such boards"},
	{FREE "\"nodes\": 72, \"edge\": {\"ports\": 36},\n\"core\": {\"model\": \"SX6506\", \"inside\": "
	      "{\"line_boards\": 7}}}",
	 "3:39: no \"SX6506\" of the catalog \"mellanox-fdr-2013\" is a director with such boards"},
	{FREE "\"nodes\": 72, \"edge\": {\"ports\": 36},\n\"core\": {\"model\": \"SX6506\", \"inside\": "
	      "{\"line_boards\": 6, \"fabric_boards\": 4}}}",
	 "3:9: no \"SX6506\" of the catalog \"mellanox-fdr-2013\" has 4 fabric boards"},
	{FREE "\"nodes\": 72, \"edge\": {\"ports\": 36},\n\"core\": {\"ports\": 144, \"inside\": {\"line_boards\": "
	      "12}}, \"plan\": {\"core\": {\"inside\": {\"line_ports\": 13}}}}",
	 "3:99: \"plan.core.inside.line_ports\" is 13 here, but the design gives 12"},
	/* a plan that is not this design's */
	{HEAD "\"plan\": {\"bundle\": 8}}", "2:20: \"plan.bundle\" is 8 here, but the design gives 9"},
	{HEAD "\"plan\": {\"edge\": {\"count\": 5}}}", "2:28: \"plan.edge.count\" is 5 here, but the design gives 4"},
	{HEAD "\"plan\": {\"cost\": 100}}", "2:18: \"plan.cost\" is 100 here, but the design gives null"},
	{HEAD "\"plan\": {\"topology\": \"star\"}}",
	 "2:22: \"plan.topology\" is \"star\" here, but the design gives \"fat-tree\""},
	{HEAD "\"plan\": {\"colour\": 1}}", "2:10: unknown key \"colour\" in \"plan\""},
	{HEAD "\"plan\": {\"switches\": []}}", "2:22: \"plan.switches\" has 0 entries here, but the design gives 6"},
	{HEAD "\"plan\": {\"core\": 2}}", "2:18: \"plan.core\" is 2 here, but the design gives an object"},
	{HEAD "\"plan\": {\"switches\": {}}}",
	 "2:22: \"plan.switches\" is an object here, but the design gives a list"},
	{HEAD "\"plan\": {\"bundle\": []}}", "2:20: \"plan.bundle\" is a list here, but the design gives 9"},
	{HEAD "\"plan\": {\"switches\": [\n {\"name\": \"edge001\", \"hosts\": 17}, {}, {}, {}, {}, {}]}}",
	 "3:31: \"plan.switches[0].hosts\" is 17 here, but the design gives 18"},
	{HEAD "\"plan\": {\"bundles\": [{}, {}, {}, {}, {}, {}, {}, {\"b\": \"core01\"}]}}",
	 "2:56: \"plan.bundles[7].b\" is \"core01\" here, but the design gives \"core02\""},
	{HEAD "\"plan\": {\"catalog\": \"infiniband\"}}", "2:10: unknown key \"catalog\" in \"plan\""},
	/* a plan that chooses what the design gives otherwise */
	{FREE "\"nodes\": 9, \"edge\": {\"model\": \"E\", \"ports\": 36},\n" CHOSEN "}}",
	 "3:85: \"plan.edge.ports\" is 8 here, but the design gives 36"},
	{FREE "\"nodes\": 9, \"edge\": {\"model\": \"F\"},\n" CHOSEN "}}",
	 "3:52: \"plan.edge.model\" is \"E (8)\" here, but the design gives \"F\""},
	{FREE "\"nodes\": 9, \"core\": {\"model\": \"C (8)\"},\n" CHOSEN "}}",
	 "3:107: \"plan.core.model\" is \"C\" here, but the design gives \"C (8)\""},
	{FREE "\"nodes\": 9, \"edge\": {\"ports\": 36},\n" CHOSEN "}}",
	 "3:52: \"plan.edge.model\" is \"E (8)\" here, but the design gives null"},
	{FREE "\"nodes\": 9, \"topology\": \"star\",\n" CHOSEN "}}",
	 "2:10: nodes 9 do not fit on a star: one switch of 8 ports has 8 for nodes"},
	{FREE "\"nodes\": 9,\n" CHOSEN ", \"links\": 20}}",
	 "3:134: \"plan.links\" is 20 here, but the design gives 21"},
	/* and one that does not keep to the limits */
	{FREE "\"nodes\": 9, \"limits\": {\"max_switches\": 4},\n" CHOSEN "}}",
	 "2:23: nothing fits: of 1 combination of switches; max_switches 4 excludes 1 (nearest: the fat-tree, switches "
	 "5)"},
	{FREE "\"nodes\": 9, \"limits\": {\"max_size_u\": 9, \"max_cost\": 998.5},\n" CHOSEN ", \"cost\": 999}}",
	 "2:53: \"max_cost\" is not kept to: \"plan.cost\" is 999"},
	{FREE "\"nodes\": 9, \"limits\": {\"min_power_w\": 50},\n" CHOSEN ", \"power_w\": 49.999}}",
	 "2:39: \"min_power_w\" is not kept to: \"plan.power_w\" is 49.999"},
	{FREE "\"nodes\": 9, \"limits\": {\"max_weight_kg\": 0},\n" CHOSEN ", \"weight_kg\": 0.001}}",
	 "2:41: \"max_weight_kg\" is not kept to: \"plan.weight_kg\" is 0.001"},
	{FREE "\"nodes\": 9, \"limits\": {\"max_size_u\": 4},\n" CHOSEN ", \"size_u\": 5}}",
	 "2:38: \"max_size_u\" is not kept to: \"plan.size_u\" is 5"},
	/* names of a plan */
	{FREE "\"nodes\": 9,\n\"plan\": {\"edge\": {\"model\": \"\\u001b[31m\", \"ports\": 8}, " CORE8 "}}",
	 "3:28: \"model\" holds bytes that are not safe to print: \"\\x1b[31m\""},
	{FREE "\"nodes\": 9,\n\"plan\": {\"edge\": {\"model\": \"\", \"ports\": 8}, " CORE8 "}}",
	 "3:28: \"model\" must not be empty"},
	{FREE "\"nodes\": 9,\n\"plan\": {\"edge\": {\"model\": \"E\", \"family\": \"\\u202e\", \"ports\": 8}, " CORE8
	      "}}",
	 "3:43: \"family\" holds bytes that are not safe to print: \"\\xe2\\x80\\xae\""},
	{FREE "\"nodes\": 9,\n" CHOSEN ", \"catalog\": \"a\\nb\"}}",
	 "3:136: \"catalog\" holds bytes that are not safe to print: \"a\\x0ab\""},
	{FREE "\"nodes\": 9,\n" CHOSEN ", \"catalog\": \"" A64 A64 A64 A64 "\"}}",
	 "3:136: \"catalog\" is longer than 200 bytes"},
	{FREE "\"nodes\": 9,\n" CHOSEN ", \"chassis\": {\"servers\": 4, \"pass_through\": \"\\u007f\"}}}",
	 "3:167: \"pass_through\" holds bytes that are not safe to print: \"\\x7f\""},
	/* one that does not say all that was chosen counts as none: the default catalog's plan is another */
	{FREE "\"nodes\": 9,\n\"plan\": {\"topology\": \"fat-tree\", " EDGE8 "}}",
	 "3:22: \"plan.topology\" is \"fat-tree\" here, but the design gives \"star\""},
	{FREE "\"nodes\": 100,\n\"plan\": {" EDGE8 "}}",
	 "3:28: \"plan.edge.model\" is \"E (8)\" here, but the design gives \"Mellanox SX6036 (36 ports)\""},
	{FREE "\"nodes\": 100,\n\"plan\": {\"edge\": {\"ports\": 8}, " CORE8 "}}",
	 "3:28: \"plan.edge.ports\" is 8 here, but the design gives 36"},
	{FREE "\"nodes\": 100, \"edge\": {\"model\": \"E\"},\n\"plan\": {" EDGE8 "}}",
	 "2:33: the catalog \"mellanox-fdr-2013\" has no \"E\""},
	{FREE "\"nodes\": 100,\n\"plan\": {\"catalog\": \"infiniband\", \"edge\": {\"model\": 5, \"ports\": 8}}}",
	 "3:21: \"plan.catalog\" is \"infiniband\" here, but the design gives \"mellanox-fdr-2013\""},
};

static void bad_design_test(void **state)
{
	const struct bad_design *row = *state;

	design_refused(row->text, row->error);
}

static const char everything[] =
	"{\"ftcheck\": 1, \"name\": \"every key\", \"topology\": \"fat-tree\", \"levels\": 2, \"nodes\": 70, "
	"\"nodes_max\": 72,\n"
	"\"blocking\": \"1:1\", \"edge\": {\"ports\": 36, \"count\": 4, \"ports_to_nodes\": 18, \"ports_to_core\": "
	"18},\n"
	"\"core\": {\"ports\": 36, \"count\": 2}, \"bundle\": 9, \"bundles\": {\"multiple\": 3}, \"fill\": \"dense\",\n"
	"\"prefer_expandable\": true, \"objective\": \"cost\",\n"
	"\"rate\": {\"uplink\": \"4xhdr\", \"host\": [\"4xHDR\", \"4xEDR\"]},\n"
	"\"bind\": {\"edge\": [\"leaf4\", \"0x0002c903000000AB\", \"leaf[2,1]\"], \"core\": {\"match\": "
	"\"^spine[0-9]+$\"}},\n"
	"\"why\": {\"any\": \"note\"},\n"
	"\"expect\": {\"hosts_down\": [\"node07\", \"node09\"], \"unplanned\": [\"^mgmt\"],\n"
	" \"waive\": [{\"id\": \"cable-missing:a\", \"until\": \"2028-02-29\", \"why\": \"ordered\"}, {\"id\": "
	"\"x\"}]}}";

static void test_every_key(void **state)
{
	_cleanup_(ft_design_freep) struct ft_design *d = NULL;
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	struct ft_error err = {0};

	(void)state;
	if (ft_design_read(everything, strlen(everything), &d, &plan, &err) < 0)
		fail_msg("%u:%u: %s", err.line, err.column, err.text);
	assert_string_equal(d->name, "every key");
	assert_int_equal(d->topology, FT_TOPOLOGY_FAT_TREE);
	assert_int_equal(d->levels, 2);
	assert_int_equal(d->nodes, 70);
	assert_int_equal(d->nodes_max, 72);
	assert_true(d->nodes_max_given && d->blocking_given && d->prefer_expandable);
	assert_int_equal(d->blocking.num, 1);
	assert_int_equal(d->roles[FT_TIER_EDGE].ports, 36);
	assert_int_equal(d->roles[FT_TIER_EDGE].count, 4);
	assert_int_equal(d->roles[FT_TIER_EDGE].ports_to_nodes, 18);
	assert_int_equal(d->roles[FT_TIER_EDGE].ports_to_core, 18);
	assert_int_equal(d->roles[FT_TIER_CORE].count, 2);
	assert_int_equal(d->bundle, 9);
	assert_int_equal(d->spread, FT_SPREAD_MULTIPLE);
	assert_int_equal(d->spread_multiple, 3);
	assert_int_equal(d->fill, FT_FILL_DENSE);
	assert_int_equal(d->uplink_rates.count, 1);
	assert_int_equal(d->uplink_rates.rates[0].speed, FT_SPEED_HDR);
	assert_int_equal(d->host_rates.count, 2);
	assert_int_equal(d->host_rates.rates[1].speed, FT_SPEED_EDR);
	assert_int_equal(d->binds[FT_TIER_EDGE].count, 4);
	assert_string_equal(d->binds[FT_TIER_EDGE].names[3], "leaf1");
	assert_true(d->binds[FT_TIER_EDGE].guids[0] == 0);
	assert_true(d->binds[FT_TIER_EDGE].guids[1] == 0x2c903000000abULL);
	assert_null(d->binds[FT_TIER_EDGE].match);
	assert_int_equal(ft_pattern_matches(d->binds[FT_TIER_CORE].match, "spine12", 7), 1);
	assert_int_equal(ft_pattern_matches(d->binds[FT_TIER_CORE].match, "leaf12", 6), 0);
	assert_int_equal(d->expect.hosts_down, 2);
	assert_string_equal(d->expect.hosts_down_names[1], "node09");
	assert_int_equal(d->expect.unplanned_count, 1);
	assert_int_equal(ft_pattern_matches(d->expect.unplanned[0], "mgmt-switch", 11), 1);
	assert_int_equal(d->expect.waiver_count, 2);
	assert_string_equal(d->expect.waivers[0].until, "2028-02-29");
	assert_string_equal(d->expect.waivers[0].why, "ordered");
	assert_string_equal(d->expect.waivers[1].until, "");
	assert_string_equal(d->expect.waivers[1].why, "");
	assert_int_equal(d->text_length, strlen(everything));
	assert_string_equal(d->text, everything);
	assert_string_equal(plan->switches[0].name, "leaf4");
}

/* Patterns reach the design as the file has them: what JSON escapes is unescaped once. */
static void test_patterns(void **state)
{
	static const struct {
		const char *written; /* as JSON */
		const char *name;
		int matches;
	} rows[] = {
		{"spine", "my-spine-1", 1},
		{"^(spine|core)[0-9]+$", "core07", 1},
		{"^(spine|core)[0-9]+$", "core07a", 0},
		{"^sw[[:digit:]]{2,3}$", "sw123", 1},
		{"^sw[[:digit:]]{2,3}$", "sw1", 0},
		{"^MF0;core\\\\.a\\\\\\\\", "MF0;core.a\\b", 1},
		{"^MF0;core\\\\.a", "MF0;core-a", 0},
		{"^caf\\u00e9$", "caf\xc3\xa9", 1},
		{"\\\\d+ *$", "leaf 12", 1},
	};

	(void)state;
	for (size_t i = 0; i < FT_COUNT(rows); i++) {
		_cleanup_(ft_design_freep) struct ft_design *design = NULL;
		struct ft_error err = {0};
		char text[512];

		snprintf(text, sizeof(text),
			 HEAD "\"bind\": {\"edge\": {\"match\": \"%s\"}}, \"expect\": {\"unplanned\": [\"%s\"]}}",
			 rows[i].written, rows[i].written);
		if (ft_design_read(text, strlen(text), &design, NULL, &err) < 0)
			fail_msg("%s: %s", rows[i].written, err.text);
		assert_int_equal(
			ft_pattern_matches(design->binds[FT_TIER_EDGE].match, rows[i].name, strlen(rows[i].name)),
			rows[i].matches);
		assert_int_equal(ft_pattern_matches(design->expect.unplanned[0], rows[i].name, strlen(rows[i].name)),
				 rows[i].matches);
	}
}

static void test_defaults(void **state)
{
	static const char text[] = "{\"ftcheck\":1,\"name\":\"t\",\"nodes\":20,\"edge\":{\"ports\":36}}";
	_cleanup_(ft_design_freep) struct ft_design *d = NULL;

	(void)state;
	assert_int_equal(ft_design_read(text, strlen(text), &d, NULL, NULL), 0);
	assert_int_equal(d->topology, FT_TOPOLOGY_AUTO);
	assert_int_equal(d->levels, 2);
	assert_int_equal(d->nodes_max, 20);
	assert_false(d->nodes_max_given || d->blocking_given || d->prefer_expandable);
	assert_int_equal(d->blocking.num, d->blocking.den);
	assert_true(d->bundle == FT_NONE);
	assert_true(d->roles[FT_TIER_CORE].ports == FT_NONE);
	assert_int_equal(d->uplink_rates.count, 0);
	assert_int_equal(d->expect.hosts_down, 0);
}

/* The technology is the same in the design and in its plan, whoever makes the plan, and survives being written. */
static void test_technology(void **state)
{
	static const struct {
		const char *keys;
		enum ft_technology technology;
	} rows[] = {
		{"\"nodes\": 20, \"edge\": {\"ports\": 36}", FT_TECHNOLOGY_INFINIBAND},
		{"\"technology\": \"infiniband\", \"nodes\": 20, \"edge\": {\"ports\": 36}", FT_TECHNOLOGY_INFINIBAND},
		{"\"technology\": \"ethernet\", \"nodes\": 20, \"edge\": {\"ports\": 36}", FT_TECHNOLOGY_ETHERNET},
		{"\"nodes\": 144, \"edge\": {\"ports\": 48}, \"core\": {\"ports\": 48}, \"technology\": \"ethernet\"",
		 FT_TECHNOLOGY_ETHERNET},
		{"\"technology\": \"ethernet\", \"topology\": \"clos\", \"m\": 4, \"n\": 4, \"r\": 8, \"edge\": "
		 "{\"ports\": 8}",
		 FT_TECHNOLOGY_ETHERNET},
		{"\"technology\": \"ethernet\", \"topology\": \"graph\", \"switches\": [{\"name\": \"s[1-2]\", "
		 "\"ports\": 8, "
		 "\"hosts\": 4}], \"links\": [{\"a\": \"s1\", \"b\": \"s2\"}]",
		 FT_TECHNOLOGY_ETHERNET},
	};

	(void)state;
	for (size_t i = 0; i < FT_COUNT(rows); i++) {
		_cleanup_(ft_text_release) struct ft_text written = {0};
		const char *text;
		char head[512];

		snprintf(head, sizeof(head), "{\"ftcheck\": 1, \"name\": \"t\", %s}", rows[i].keys);
		text = head;
		for (int round = 0; round < 2; round++) {
			_cleanup_(ft_design_freep) struct ft_design *design = NULL;
			_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
			struct ft_error err = {0};

			if (ft_design_read(text, strlen(text), &design, &plan, &err) < 0)
				fail_msg("%s: %u:%u: %s", text, err.line, err.column, err.text);
			assert_int_equal(design->technology, rows[i].technology);
			assert_int_equal(plan->technology, rows[i].technology);
			if (round == 0)
				assert_int_equal(ft_plan_write_design(&written, design, plan), 0);
			text = ft_text_string(&written);
		}
	}
}

/* A number of the file is the decimal that the user wrote, not the double next to it. */
static void test_blocking(void **state)
{
	static const struct {
		const char *written;
		int64_t num, den;
	} rows[] = {
		{"1", 1, 1},	      {"2.6", 13, 5},
		{"1.4", 7, 5},	      {"3.8", 19, 5},
		{"1.7", 17, 10},      {"1e0", 1, 1},
		{"\"3:1\"", 3, 1},    {"\"20:16\"", 5, 4},
		{"\"2.6:1\"", 13, 5}, {"1.0000001", 10000001, 10000000},
		{"\"7:3\"", 7, 3},
	};

	(void)state;
	for (size_t i = 0; i < FT_COUNT(rows); i++) {
		_cleanup_(ft_design_freep) struct ft_design *design = NULL;
		struct ft_error err = {0};
		char text[256];

		snprintf(text, sizeof(text), HEAD "\"blocking\": %s}", rows[i].written);
		if (ft_design_read(text, strlen(text), &design, NULL, &err) < 0)
			fail_msg("%s: %s", rows[i].written, err.text);
		assert_int_equal(design->blocking.num, rows[i].num);
		assert_int_equal(design->blocking.den, rows[i].den);
	}
}

/* The plan of a file says what was chosen, and that alone: what the design says stays the design's. */
static void test_chosen(void **state)
{
	static const char text[] =
		FREE "\"nodes\": 9, \"limits\": {\"max_cost\": 5, \"max_power_w\": 300.5, \"max_switches\": 5},\n"
		     "\"edge\": {\"model\": \"E\"}, \"core\": {\"model\": \"C\", \"ports\": 8},\n" CHOSEN
		     ", \"catalog\": \"some shop\", \"cost\": null, \"power_w\": 300.5, \"size_u\": 100000000000.001}}";
	_cleanup_(ft_design_freep) struct ft_design *d = NULL;
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	struct ft_error err = {0};

	(void)state;
	if (ft_design_read(text, strlen(text), &d, &plan, &err) < 0)
		fail_msg("%u:%u: %s", err.line, err.column, err.text);
	assert_int_equal(plan->tree->edge_count, 3);
	assert_int_equal(plan->tree->core_count, 2);
	assert_string_equal(plan->catalog, "some shop");
	assert_string_equal(plan->models[FT_TIER_EDGE], "E (8)");
	assert_string_equal(plan->families[FT_TIER_EDGE], "E");
	assert_string_equal(plan->models[FT_TIER_CORE], "C");
	assert_null(plan->families[FT_TIER_CORE]);
	assert_true(plan->cost == FT_AMOUNT_UNKNOWN && plan->weight_kg == FT_AMOUNT_UNKNOWN);
	assert_true(plan->power_w == 300500 && plan->size_u == 100000000000001);
	assert_int_equal(d->topology, FT_TOPOLOGY_AUTO);
	assert_int_equal(d->limit_count, 3);
	assert_true(d->roles[FT_TIER_EDGE].ports == FT_NONE);
	assert_string_equal(d->roles[FT_TIER_EDGE].model, "E");
}

static void test_load(void **state)
{
	const char *directory = getenv("TMPDIR");
	struct ft_design *design = NULL;
	struct ft_error err = {0};
	char path[4096];
	int fd;

	(void)state;
	snprintf(path, sizeof(path), "%s/test_design.XXXXXX", directory ? directory : P_tmpdir);
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, everything, strlen(everything)), strlen(everything));
	close(fd);
	assert_int_equal(ft_design_load(path, &design, NULL, &err), 0);
	assert_string_equal(design->name, "every key");
	ft_design_free(design);
	assert_int_equal(truncate(path, 10), 0);
	design = NULL;
	assert_int_equal(ft_design_load(path, &design, NULL, &err), -EINVAL);
	assert_ptr_equal(err.file, path);
	assert_int_equal(err.line, 1);
	unlink(path);
	assert_int_equal(ft_design_load(path, &design, NULL, &err), -ENOENT);
	assert_string_equal(err.text, "No such file or directory");
	assert_int_equal(err.line, 0);
	assert_int_equal(ft_design_load("/", &design, NULL, &err), -EISDIR);
	assert_null(design);
}

/* Any prefix of a good design is an error with a place, or a design; never a crash. */
static void test_truncated(void **state)
{
	(void)state;
	for (size_t length = 0; length < strlen(everything); length++) {
		struct ft_design *design = NULL;
		struct ft_error err = {0};

		assert_int_equal(ft_design_read(everything, length, &design, NULL, &err), -EINVAL);
		assert_null(design);
		assert_true(err.line >= 1 && err.column >= 1 && err.text[0]);
	}
}

/* Directors as given, with what follows from it, and the same from the file with its plan. */
static const struct inside_row {
	const char *core; /* keys of it */
	uint32_t ports;
	struct ft_inside inside;
	uint32_t fabric_boards_missing;
} inside_rows[] = {
	{"\"inside\": {\"line_boards\": 12, \"line_ports\": 12}", 144, {12, 12, 12, 0, 0, 0, 0, 0}, 0},
	{"\"ports\": 144, \"inside\": {\"line_boards\": 8}", 144, {8, 8, 18, 0, 0, 0, 0, 0}, 0},
	{"\"ports\": 144, \"inside\": {\"line_ports\": 24, \"line_boards_max\": 8}", 144, {6, 8, 24, 0, 0, 0, 0, 0}, 0},
	{"\"ports\": 144, \"inside\": {\"line_boards\": 12, \"line_chips\": 1, \"fabric_boards\": 3, "
	 "\"fabric_boards_max\": 6, \"fabric_chips\": 1, \"traces\": 2}",
	 144,
	 {12, 12, 12, 1, 3, 6, 1, 2},
	 3},
	{"\"ports\": 144, \"inside\": {}", 144, {0, 0, 0, 0, 0, 0, 0, 0}, 0},
	{"\"ports\": 144, \"chassis\": \"^(core[0-9]+) \"", 144, {0, 0, 0, 0, 0, 0, 0, 0}, 0},
	{"\"model\": \"Mellanox SX6506 (with 90 ports)\"", 90, {5, 6, 18, 0, 3, 3, 0, 0}, 0},
	{"\"model\": \"Mellanox SX6506 (with 90 ports)\", \"fabric_boards\": 2", 90, {5, 6, 18, 0, 2, 3, 0, 0}, 1},
	{"\"model\": \"SX6506\", \"inside\": {\"line_boards\": 5, \"fabric_boards\": 2, \"traces\": 6}",
	 90,
	 {5, 6, 18, 0, 2, 3, 0, 6},
	 1},
};

static void inside_expect(const struct ft_plan *plan, const struct inside_row *row)
{
	assert_true(plan->directors[FT_TIER_CORE]);
	assert_int_equal(plan->tree->core_ports, row->ports);
	for (unsigned int i = 0; i < FT_INSIDE_KEYS; i++)
		assert_int_equal(ft_inside_get(&plan->inside[FT_TIER_CORE], i), ft_inside_get(&row->inside, i));
	assert_int_equal(plan->fabric_boards_max[FT_TIER_CORE] - plan->fabric_boards[FT_TIER_CORE],
			 row->fabric_boards_missing);
	assert_int_equal(plan->clos, 5);
}

static void test_inside(void **state)
{
	(void)state;
	for (size_t i = 0; i < FT_COUNT(inside_rows); i++) {
		const struct inside_row *row = &inside_rows[i];
		_cleanup_(ft_design_freep) struct ft_design *design = NULL, *again = NULL;
		_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL, *same = NULL;
		_cleanup_(ft_text_release) struct ft_text text = {0}, out = {0};
		struct ft_error err = {0};

		ft_text_printf(&text, FREE "\"nodes\": 72, \"edge\": {\"ports\": 36}, \"core\": {%s}}", row->core);
		if (ft_design_read(text.data, text.length, &design, &plan, &err) < 0)
			fail_msg("%s: %u:%u: %s", row->core, err.line, err.column, err.text);
		inside_expect(plan, row);
		assert_int_equal(ft_plan_write_design(&out, design, plan), 0);
		if (ft_design_read(out.data, out.length, &again, &same, &err) < 0)
			fail_msg("%s: %u:%u: %s", out.data, err.line, err.column, err.text);
		inside_expect(same, row);
	}
}

static int read_and_write(const char *text)
{
	_cleanup_(ft_design_freep) struct ft_design *design = NULL;
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	_cleanup_(ft_text_release) struct ft_text out = {0};
	struct ft_error err;
	int r;

	r = ft_design_read(text, strlen(text), &design, &plan, &err);
	if (r < 0) {
		assert_null(design);
		assert_null(plan);
		return r;
	}
	r = ft_plan_write_design(&out, design, plan);
	if (r < 0)
		return r;
	ft_plan_write_ibsim(&out, design, plan);
	ft_plan_write_text(&out, design, plan, NULL);
	return ft_text_failed(&out) ? -ENOMEM : 0;
}

/* Every allocation fails once: each time -ENOMEM comes back, and nothing leaks or is left half done. */
static void test_no_memory(void **state)
{
	_cleanup_(ft_text_release) struct ft_text with_plan = {0};
	static const char chosen[] =
		FREE "\"nodes\": 9, \"limits\": {\"max_cost\": 5, \"max_links\": 30},\n" CHOSEN
		     ", \"catalog\": \"shop\", \"cost\": 4.5, \"chassis\": {\"servers\": 4, \"size_u\": 0, "
		     "\"rack_chassis\": 0, \"pass_through\": \"P\"}}}";
	static const char directors[] = FREE
		"\"nodes\": 64, \"edge\": {\"ports\": 16, \"count\": 8, \"ports_to_core\": 8}, \"core\": {\"inside\": "
		"{\"line_boards\": 8, \"line_ports\": 8, \"line_chips\": 1}, \"chassis\": \"^(big[0-9]+) x$\"},\n"
		"\"plan\": {\"core\": {\"inside\": {\"line_boards_max\": 8}}}}";
	const char *texts[4] = {everything, NULL, chosen, directors};

	(void)state;
	ft_text_add(&with_plan, everything, strlen(everything) - 1);
	ft_text_puts(&with_plan, ", \"plan\": {\"bundle\": 9, \"switches\": [{}, {}, {}, {}, {}, {}]}}");
	texts[1] = with_plan.data;
	json_set_alloc_funcs(__wrap_malloc, free);
	allocation_keeps_failing = true;
	for (size_t i = 0; i < FT_COUNT(texts); i++) {
		size_t failing = 0;
		int r;

		do {
			allocation_failing = ++failing;
			r = read_and_write(texts[i]);
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
	static struct CMUnitTest tests[FT_COUNT(bad_designs) + 16];
	const struct CMUnitTest others[] = {
		cmocka_unit_test(test_every_key),  cmocka_unit_test(test_patterns), cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_blocking),   cmocka_unit_test(test_load),	    cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_no_memory),  cmocka_unit_test(test_chosen),   cmocka_unit_test(test_inside),
		cmocka_unit_test(test_technology),
	};
	size_t n = 0;

	for (size_t i = 0; i < FT_COUNT(bad_designs); i++)
		tests[n++] = (struct CMUnitTest){bad_designs[i].error, bad_design_test, NULL, NULL,
						 (void *)(uintptr_t)&bad_designs[i]};
	for (size_t i = 0; i < FT_COUNT(others); i++)
		tests[n++] = others[i];
	return _cmocka_run_group_tests("design", tests, n, NULL, NULL) ? 1 : 0;
}
