/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Designs that are no plain tree, any graph, planes that spines of a pod share, classes: what is planned, and each bad
 * one with its exact message. */
#include <errno.h>
#include <inttypes.h>
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
#include "planner/write/formats.h"
#include "planner/plan/plan.h"
#include "tests/allocations.h"
#include "tests/refused.h"
#include "planner/plan/tree.h"

/* The least of a graph; what a row is about is on line 2. */
#define HEAD "{\"ftcheck\": 1, \"name\": \"g\", \"topology\": \"graph\",\n"
#define TWO "\"switches\": [{\"name\": [\"a\", \"b\"], \"ports\": 4, \"hosts\": 2}]"
#define ONE_LINK "\"links\": [{\"a\": \"a\", \"b\": \"b\"}]"

/* Two pods of an edge switch and four spines, two uplinks a spine. */
#define PLANES                                                                                   \
	"{\"ftcheck\": 1, \"name\": \"t\", \"levels\": 3, \"nodes\": 8, \"pods\": 2,\n"          \
	"\"edge\": {\"ports\": 8, \"count\": 2, \"ports_to_nodes\": 4, \"ports_to_core\": 4},\n" \
	"\"spine\": {\"ports\": 6, \"count\": 8, \"ports_to_core\": 2}, \"core\": {\"ports\": 4, \"count\": 4},\n"

/* Three edge switches of two hosts, two cores. */
#define CLASSES                                                                                     \
	"{\"ftcheck\": 1, \"name\": \"t\", \"nodes\": 6, \"edge\": {\"ports\": 4, \"count\": 3},\n" \
	"\"core\": {\"ports\": 6, \"count\": 2},\n"                                                 \
	"\"classes\": "

static const struct bad_design {
	const char *text;
	const char *error; /* LINE:COLUMN: text */
} bad_designs[] = {
	{HEAD ONE_LINK "}", "1:1: \"switches\" is missing: the switches of the graph"},
	{HEAD TWO "}", "1:1: \"links\" is missing: the cables between the switches"},
	{HEAD "\"switches\": {}}", "2:13: \"switches\" must be a list, not an object"},
	{HEAD "\"switches\": []}", "2:13: \"switches\" must not be empty"},
	{HEAD TWO ", \"links\": []}", "2:70: \"links\" must not be empty"},
	/* switches */
	{HEAD "\"links\": [{}], \"switches\": [\"a\"]}",
	 "2:29: element 1 of \"switches\" must be an object, not a string"},
	{HEAD ONE_LINK ", \"switches\": [{\"ports\": 4}]}", "2:47: \"name\" is missing: the names of the switches"},
	{HEAD ONE_LINK ", \"switches\": [{\"name\": \"a\"}]}",
	 "2:47: \"ports\" is missing: how many ports each of the switches has"},
	{HEAD ONE_LINK ", \"switches\": [{\"name\": \"a\", \"port\": 4}]}",
	 "2:61: unknown key \"port\"; did you mean \"ports\"?"},
	{HEAD ONE_LINK ", \"switches\": [{\"name\": \"a\", \"ports\": 0}]}",
	 "2:70: \"ports\" is 0; it must be 1 to 254"},
	{HEAD ONE_LINK ", \"switches\": [{\"name\": \"a\", \"ports\": 255}]}",
	 "2:70: \"ports\" is 255; it must be 1 to 254"},
	{HEAD ONE_LINK ", \"switches\": [{\"name\": \"a\", \"ports\": 4, \"hosts\": 5}]}",
	 "2:82: \"hosts\" is 5, but \"ports\" is 4"},
	{HEAD ONE_LINK ", \"switches\": [{\"name\": \"\", \"ports\": 4}]}", "2:56: \"name\" must not be empty"},
	{HEAD ONE_LINK ", \"switches\": [{\"name\": \"a[3-1]\", \"ports\": 4}]}",
	 "2:56: \"name\" holds no range of numbers such as [1-3,07-12]"},
	{HEAD ONE_LINK ", \"switches\": [{\"name\": \"a[1-100001]\", \"ports\": 4}]}",
	 "2:56: \"name\" is more than 100000 names"},
	{HEAD ONE_LINK
	 ", \"switches\": [{\"name\": \"a[1-60000]\", \"ports\": 4}, {\"name\": \"b[1-60000]\", \"ports\": 4}]}",
	 "2:83: element 2 of \"switches\" makes more than 100000 switches"},
	{HEAD ONE_LINK ", \"switches\": [{\"name\": \"a[1-10000]\", \"ports\": 254, \"hosts\": 101}]}",
	 "2:47: element 1 of \"switches\" makes more than 1000000 hosts"},
	{HEAD ONE_LINK ", \"switches\": [{\"name\": [\"a\", \"b\", \"a\"], \"ports\": 4}]}",
	 "2:47: element 1 of \"switches\" names \"a\", which is the name of another switch too"},
	{HEAD ONE_LINK ", \"switches\": [{\"name\": \"s[1-3]\", \"ports\": 4}, {\"name\": \"s[3-4]\", \"ports\": 4}]}",
	 "2:79: element 2 of \"switches\" names \"s3\", which is the name of another switch too"},
	{HEAD ONE_LINK ", \"switches\": [{\"name\": \"an unusually long name, longer than any node description can be "
		       "[1-2]\", \"ports\": 4}]}",
	 "2:47: element 1 of \"switches\" names \"an unusually long name, longer than any node description can be 1\", "
	 "which is "
	 "longer than the 64 bytes of a node description"},
	{HEAD ONE_LINK ", \"switches\": [{\"name\": \"a\", \"ports\": 4, \"kind\": 3}]}",
	 "2:81: \"kind\" must be a string, not a number"},
	{HEAD ONE_LINK
	 ", \"switches\": [{\"name\": \"a\", \"ports\": 4, \"kind\": \"a kind with a name of no end at all\"}]}",
	 "2:81: \"kind\" is longer than 32 bytes"},
	{HEAD ONE_LINK ", \"switches\": [{\"name\": \"a\", \"ports\": 4, \"guid\": \"x\"}]}",
	 "2:81: \"guid\" must be a GUID: a string of 0x and up to 16 hexadecimal digits"},
	{HEAD ONE_LINK ", \"switches\": [{\"name\": \"a[1-2]\", \"ports\": 4, \"guid\": \"0x1\"}]}",
	 "2:86: \"guid\" is of one switch, but \"name\" is 2 names"},
	{HEAD ONE_LINK ", \"switches\": [{\"name\": \"a\", \"ports\": 4, \"guid\": \"0x1\"},\n"
		       "{\"name\": \"b\", \"ports\": 4, \"guid\": \"0x0001\"}]}",
	 "3:35: \"guid\" is 0x0000000000000001, which another switch has too"},
	/* links */
	{HEAD TWO ",\n\"links\": [\"a\"]}", "3:11: element 1 of \"links\" must be an object, not a string"},
	{HEAD TWO ",\n\"links\": [{\"b\": \"a\"}]}", "3:11: \"a\" is missing: the switch at one end"},
	{HEAD TWO ",\n\"links\": [{\"a\": \"a\"}]}", "3:11: \"b\" is missing: the switch at the other end"},
	{HEAD TWO ",\n\"links\": [{\"a\": \"a\", \"b\": \"b\", \"count\": 0}]}",
	 "3:41: \"count\" is 0; it must be 1 to 254"},
	{HEAD TWO ",\n\"links\": [{\"a\": \"a\", \"b\": [\"b\", \"c\"]}]}",
	 "3:27: \"b\" names \"c\", which is not in \"switches\""},
	{HEAD TWO ",\n\"links\": [{\"a\": \"A\", \"b\": \"b\"}]}",
	 "3:17: \"a\" names \"A\", which is not in \"switches\"; did you mean \"a\"?"},
	{HEAD TWO ",\n\"links\": [{\"a\": \"a\", \"b\": \"a\"}]}",
	 "3:11: element 1 of \"links\" links \"a\" to itself"},
	{HEAD TWO ",\n\"links\": [{\"a\": \"a\", \"b\": \"b\", \"count\": 3}]}",
	 "3:11: element 1 of \"links\" gives \"a\" 3 cables with those before, but 2 of its 4 ports are left"},
	{HEAD TWO ",\n\"links\": [{\"a\": \"a\", \"b\": \"b\", \"count\": 2},\n{\"a\": \"b\", \"b\": \"a\"}]}",
	 "4:1: element 2 of \"links\" gives \"a\" 3 cables with those before, but 2 of its 4 ports are left"},
	{HEAD "\"switches\": [{\"name\": \"s[1-5000]\", \"ports\": 4}],\n"
	      "\"links\": [{\"a\": \"s[1-5000]\", \"b\": \"s[1-5000]\"}]}",
	 "3:11: element 1 of \"links\" makes more than 4000000 pairs of switches"},
	{HEAD TWO ", " ONE_LINK ",\n\"links_file\": \"x.csv\"}",
	 "3:1: \"links\" and \"links_file\" say the same: leave one of the two out"},
	{HEAD TWO ",\n\"links_file\": \"/nowhere/x.csv\"}",
	 "3:15: \"links_file\" is \"/nowhere/x.csv\": No such file or directory"},
	{"{\"ftcheck\": 1, \"name\": \"t\", \"nodes\": 4, \"edge\": {\"ports\": 36},\n\"links_file\": \"x\"}",
	 "2:1: \"links_file\" is of graphs, dragonflies and dragonflies+: \"topology\": \"graph\" is missing"},
	/* ports and hosts */
	{HEAD TWO ",\n\"cables\": [{\"a\": \"a\", \"b\": \"a\"}]}",
	 "3:12: element 1 of \"cables\": both ends are at a"},
	{HEAD TWO ",\n\"cables\": [{\"a\": \"a\", \"a_port\": 5, \"b\": \"b\"}]}",
	 "3:33: \"a_port\" is 5, but a has 4 ports"},
	{HEAD TWO ",\n\"cables\": [{\"a\": \"a\", \"b\": \"b\"}, {\"a\": \"a\", \"b\": \"b\"}, {\"a\": \"a\", \"b\": "
		  "\"b\"}]}",
	 "3:11: \"cables\": a has 4 ports, but 2 hosts and 3 cables to other switches"},
	{HEAD "\"switches\": [{\"name\": \"a\", \"ports\": 4, \"hosts\": 1}, {\"name\": \"t\", \"kind\": \"top\", "
	      "\"ports\": 4}],\n\"links\": [{\"a\": \"a\", \"b\": \"t\"}], \"hosts\": [{\"name\": \"n\", \"edge\": "
	      "\"t\"}]}",
	 "3:66: \"edge\" is \"t\", but switches of kind top have no hosts by the plan"},
	/* what a graph does not have, and what only a graph has */
	{HEAD TWO ", " ONE_LINK ",\n\"levels\": 2}", "3:1: \"levels\" is of fat-trees; \"topology\" is \"graph\""},
	{HEAD TWO ", " ONE_LINK ",\n\"edge\": {\"ports\": 4}}",
	 "3:1: \"edge\" is of fat-trees: the switches of a graph are in \"switches\"; \"topology\" is \"graph\""},
	{HEAD TWO ", " ONE_LINK ",\n\"bundle\": 1}",
	 "3:1: \"bundle\" is of fat-trees: the cables of a graph are in \"links\"; \"topology\" is \"graph\""},
	{HEAD TWO ", " ONE_LINK ",\n\"bind\": {\"edge\": [\"a\", \"b\"]}}",
	 "3:1: \"bind\" is of fat-trees: a graph has names and GUIDs in \"switches\"; \"topology\" is \"graph\""},
	{HEAD TWO ", " ONE_LINK ",\n\"nodes\": 5}", "3:10: \"nodes\" is 5, but \"switches\" have 4 hosts"},
	{"{\"ftcheck\": 1, \"name\": \"t\", \"nodes\": 4, \"edge\": {\"ports\": 36},\n" TWO "}",
	 "2:1: \"switches\" is of graphs: \"topology\": \"graph\" is missing"},
	{"{\"ftcheck\": 1, \"name\": \"t\", \"nodes\": 4, \"edge\": {\"ports\": 36},\n" ONE_LINK "}",
	 "2:1: \"links\" is of graphs, dragonflies and dragonflies+: \"topology\": \"graph\" is missing"},
	/* planes */
	{PLANES "\"planes\": 3}", "4:11: planes 3 do not have the same number each of the 4 spines of a pod"},
	{PLANES "\"planes\": 0}", "4:11: \"planes\" is 0; it must be 1 to 4096"},
	{PLANES "\"planes\": 1}",
	 "3:74: nodes 8 need 8 spine switches, but a core switch of core.ports 4 reaches only 4"},
	{"{\"ftcheck\": 1, \"name\": \"t\", \"nodes\": 8, \"edge\": {\"ports\": 8},\n\"planes\": 1}",
	 "2:1: \"planes\" is of a fat-tree of three levels: \"levels\": 3 is missing"},
	{HEAD TWO ", " ONE_LINK ",\n\"planes\": 1}", "3:1: \"planes\" is of fat-trees; \"topology\" is \"graph\""},
	/* classes */
	{CLASSES "[]}", "3:12: \"classes\" must not be empty"},
	{CLASSES "[{\"hosts\": 1}]}", "3:13: \"count\" is missing: how many switches, the last of their tier"},
	{CLASSES "[{\"count\": 0}]}", "3:23: \"count\" is 0; it must be 1 to 100000"},
	{CLASSES "[{\"count\": 1, \"tier\": \"leaf\"}]}",
	 "3:34: \"tier\" is \"leaf\"; it must be \"edge\", \"spine\" or \"core\""},
	{CLASSES "[{\"count\": 1, \"tier\": \"spine\"}]}",
	 "3:34: \"tier\" is \"spine\", but a tree of two levels has no spines"},
	{CLASSES "[{\"count\": 1, \"tier\": \"core\", \"bundle\": 2}]}",
	 "3:42: \"bundle\" belongs to lower switches: core switches are the top"},
	{CLASSES "[{\"count\": 1}, {\"count\": 2}]}",
	 "3:27: element 2 of \"classes\" leaves no edge switch like the rest: classes take 3, and there are 3"},
	{CLASSES "[{\"count\": 1, \"ports\": 255}]}", "3:35: \"ports\" is 255; it must be 2 to 254"},
	{CLASSES "[{\"count\": 1, \"hosts\": 7}]}",
	 "3:13: element 1 of \"classes\" makes 7 hosts with those before, but nodes is 6"},
	{CLASSES "[{\"count\": 1, \"bundle\": []}]}", "3:36: \"bundle\" must not be empty"},
	{CLASSES "[{\"count\": 1, \"bundle\": 0}]}", "3:36: \"bundle\" is 0; it must be 1 to 4096"},
	{CLASSES "[{\"count\": 1, \"bundle\": [1, -1]}]}", "3:40: element 2 of \"bundle\" is -1; it must be 0 to 4096"},
	{CLASSES "[{\"count\": 1, \"bundle\": [1, 1, 1]}]}",
	 "3:12: classes: \"bundle\" has 3 numbers, but each edge switch has 2 switches above it"},
	{CLASSES "[{\"count\": 1, \"bundle\": [1, 1], \"ports_to_core\": 3}]}",
	 "3:36: \"bundle\" is 2 cables in all, but \"ports_to_core\" is 3"},
	{CLASSES "[{\"count\": 1, \"bundle\": 1, \"ports_to_core\": 2}]}",
	 "3:39: \"ports_to_core\" follows from \"bundle\", one number for all upper switches: leave one of the two "
	 "out"},
	{CLASSES "[{\"count\": 1, \"hosts\": 2, \"bundle\": 2}]}",
	 "3:12: classes: \"edge003\" has 4 ports, but 2 hosts and 4 cables"},
	{CLASSES "[{\"count\": 1, \"ports\": 9, \"bundle\": [5, 1]}]}",
	 "3:12: classes: \"core01\" has 6 ports, but 0 hosts and 7 cables"},
	{CLASSES "[{\"count\": 1, \"rate\": 5}]}",
	 "3:34: \"rate\" must be a rate such as \"4xHDR\", or an object of \"uplink\" and \"host\""},
	{CLASSES "[{\"count\": 1, \"match\": \"(\"}]}",
	 "3:35: \"match\" is not an extended regular expression: missing closing parenthesis"},
	{CLASSES "[{\"count\": 1, \"colour\": 1}]}", "3:26: unknown key \"colour\""},
	{"{\"ftcheck\": 1, \"name\": \"t\", \"nodes\": 8, \"edge\": {\"ports\": 8}, \"topology\": \"star\",\n"
	 "\"classes\": [{\"count\": 1}]}",
	 "2:1: \"classes\" is of fat-trees; \"topology\" is \"star\""},
	{"{\"ftcheck\": 1, \"name\": \"t\", \"nodes\": 8, \"edge\": {\"ports\": 8, \"hosts\": [{\"count\": 2, "
	 "\"hosts\": 4}]}, \"core\": {\"ports\": 8},\n"
	 "\"classes\": [{\"count\": 1, \"hosts\": 4}]}",
	 "2:26: \"hosts\" of \"edge\" say already how many hosts each edge switch has"},
	{"{\"ftcheck\": 1, \"name\": \"t\", \"nodes\": 80, \"edge\": {\"ports\": 8}, \"core\": {\"ports\": 300},\n"
	 "\"classes\": [{\"tier\": \"core\", \"count\": 1, \"ports\": 9}]}",
	 "2:51: \"ports\": the core switches are directors, which are all alike"},
	{HEAD TWO ", " ONE_LINK ",\n\"classes\": [{\"count\": 1}]}",
	 "3:1: \"classes\" is of fat-trees: the switches of a graph are in \"switches\"; \"topology\" is \"graph\""},
	/* what a file says was planned */
	{HEAD TWO ", " ONE_LINK ",\n\"plan\": {\"links\": 4}}",
	 "3:19: \"plan.links\" is 4 here, but the design gives 5"},
	{HEAD TWO ", " ONE_LINK ",\n\"plan\": {\"kinds\": {\"switch\": 3}}}",
	 "3:30: \"plan.kinds.switch\" is 3 here, but the design gives 2"},
};

static void bad_design_test(void **state)
{
	const struct bad_design *row = *state;

	design_refused(row->text, row->error);
}

/* Designs, and what is planned: figures, kinds (in brackets those that may host), switches, bundles with ports. */
static const struct good_design {
	const char *what;
	const char *text;
	const char *plan;
} good_designs[] = {
	{"two switches", HEAD TWO ", " ONE_LINK "}",
	 "4 nodes, 5 links, 2 spare, clos 2; (switch); a switch 4/2, b switch 4/2; a:3-b:3 x1"},
	{"what is listed again adds up",
	 HEAD TWO ", \"links\": [{\"a\": \"a\", \"b\": \"b\"}, {\"a\": \"b\", \"b\": \"a\"}]}",
	 "4 nodes, 6 links, 0 spare, clos 2; (switch); a switch 4/2, b switch 4/2; a:3-b:3 x2"},
	{"links before switches", HEAD ONE_LINK ", " TWO "}",
	 "4 nodes, 5 links, 2 spare, clos 2; (switch); a switch 4/2, b switch 4/2; a:3-b:3 x1"},
	{"all to all, each pair once",
	 HEAD "\"switches\": [{\"name\": \"s[1-3]\", \"ports\": 9, \"hosts\": 1}],\n"
	      "\"links\": [{\"a\": \"s[1-3]\", \"b\": \"s[1-3]\", \"count\": 2}]}",
	 "3 nodes, 9 links, 12 spare, clos 2; (switch); s1 switch 9/1, s2 switch 9/1, s3 switch 9/1; "
	 "s1:2-s2:2 x2, s1:4-s3:2 x2, s2:4-s3:4 x2"},
	{"kinds in the order of the file, a GUID",
	 HEAD "\"switches\": [{\"name\": \"top\", \"kind\": \"core\", \"ports\": 8, \"guid\": \"0x2c9\"},"
	      "{\"name\": [\"l[1,3]\", \"m\"], \"kind\": \"leaf\", \"ports\": 4, \"hosts\": 1}],\n"
	      "\"links\": [{\"a\": [\"l[1,3]\", \"m\"], \"b\": \"top\"}], \"nodes\": 3}",
	 "3 nodes, 6 links, 11 spare, clos 3; core (leaf); top core 8/0 0x2c9, l1 leaf 4/1, l3 leaf 4/1, m leaf 4/1; "
	 "top:1-l1:2 x1, top:2-l3:2 x1, top:3-m:2 x1"},
	{"a ring of six, hosts on two that are far apart",
	 HEAD
	 "\"switches\": [{\"name\": \"r[1-6]\", \"ports\": 3}, {\"name\": \"x\", \"ports\": 2, \"hosts\": 1}, "
	 "{\"name\": \"y\", \"ports\": 2, \"hosts\": 1}],\n"
	 "\"links\": [{\"a\": \"r1\", \"b\": \"r[2,6]\"}, {\"a\": \"r3\", \"b\": \"r[2,4]\"}, {\"a\": \"r5\", \"b\": "
	 "\"r[4,6]\"}, {\"a\": \"x\", \"b\": \"r1\"}, {\"a\": \"y\", \"b\": \"r4\"}]}",
	 "2 nodes, 10 links, 4 spare, clos 6; (switch); r1 switch 3/0, r2 switch 3/0, r3 switch 3/0, r4 switch 3/0, "
	 "r5 switch 3/0, r6 switch 3/0, x switch 2/1, y switch 2/1; r1:1-r2:1 x1, r1:2-r6:1 x1, r1:3-x:2 x1, "
	 "r2:2-r3:1 x1, r3:2-r4:1 x1, r4:2-r5:1 x1, r4:3-y:2 x1, r5:2-r6:2 x1"},
	{"two halves without a cable between them",
	 HEAD "\"switches\": [{\"name\": \"[1-4]\", \"ports\": 4, \"hosts\": 1}],\n"
	      "\"links\": [{\"a\": \"1\", \"b\": \"2\"}, {\"a\": \"3\", \"b\": \"4\"}]}",
	 "4 nodes, 6 links, 8 spare, clos 2; (switch); 1 switch 4/1, 2 switch 4/1, 3 switch 4/1, 4 switch 4/1; "
	 "1:2-2:2 x1, 3:2-4:2 x1"},
	{"cables port by port, in place of links",
	 HEAD "\"switches\": [{\"name\": [\"a\", \"b\", \"c\"], \"ports\": 8, \"hosts\": 2}],\n"
	      "\"cables\": [{\"a\": \"b\", \"a_port\": 8, \"b\": \"a\", \"b_port\": 7}, {\"a\": \"a\", \"b\": \"c\"}, "
	      "{\"a\": \"c\", \"a_port\": 3, \"b\": \"a\"}]}",
	 "6 nodes, 9 links, 12 spare, clos 3; (switch); a switch 8/2, b switch 8/2, c switch 8/2; a:7-b:8 x1, "
	 "a:0-c:0 x2"},
	{"the ports that are planned", HEAD TWO ", " ONE_LINK ", \"cables\": \"plan\"}",
	 "4 nodes, 5 links, 2 spare, clos 2; (switch); a switch 4/2, b switch 4/2; a:3-b:3 x1"},
	{"a list of hosts, more than planned on one switch",
	 HEAD TWO ", " ONE_LINK
		  ", \"hosts\": [{\"name\": \"n1\", \"edge\": \"b\", \"port\": 4}, {\"name\": \"n2\", \"edge\": "
		  "\"b\"}, {\"name\": \"n3\", \"edge\": \"b\"}]}",
	 "4 nodes, 5 links, 2 spare, clos 2; (switch); a switch 4/1, b switch 4/3; a:3-b:3 x1"},
	{"no hosts at all",
	 HEAD "\"switches\": [{\"name\": \"s[1-2]\", \"ports\": 2}], \"links\": [{\"a\": \"s1\", \"b\": \"s2\"}]}",
	 "0 nodes, 1 links, 2 spare, clos 1; switch; s1 switch 2/0, s2 switch 2/0; s1:1-s2:1 x1"},
};

static void show_switch(struct ft_text *text, const struct ft_plan *plan, uint32_t index)
{
	const struct ft_plan_switch *sw = &plan->switches[index];

	assert_true(sw->hosts == sw->hosts_rule || plan->host_count > 0);
	ft_text_printf(text, "%s %s %s %u/%u", index ? "," : ";", sw->name, plan->kinds[sw->kind].name, sw->ports,
		       sw->hosts);
	if (sw->guid)
		ft_text_printf(text, " 0x%" PRIx64, sw->guid);
}

static void show_bundles(struct ft_text *text, const struct ft_plan *plan)
{
	for (uint32_t i = 0; i < plan->bundle_count; i++) {
		const struct ft_plan_bundle *bundle = &plan->bundles[i];

		ft_text_printf(text, "%s%s:%u-%s:%u x%u", i ? ", " : "", plan->switches[bundle->a].name, bundle->a_port,
			       plan->switches[bundle->b].name, bundle->b_port, bundle->count);
	}
}

static void show(struct ft_text *text, const struct ft_plan *plan)
{
	ft_text_printf(text, "%u nodes, %u links, %u spare, clos %u;", plan->nodes, plan->links, plan->spare_ports,
		       plan->clos);
	for (uint32_t i = 0; i < plan->kind_count; i++)
		ft_text_printf(text, plan->kinds[i].may_host ? " (%s)" : " %s", plan->kinds[i].name);
	for (uint32_t i = 0; i < plan->switch_count; i++)
		show_switch(text, plan, i);
	ft_text_puts(text, plan->bundle_count ? "; " : "");
	show_bundles(text, plan);
}

static void read_design(const char *text, struct ft_design **ret_design, struct ft_plan **ret_plan)
{
	struct ft_error err = {0};

	if (ft_design_read(text, strlen(text), ret_design, ret_plan, &err) < 0)
		fail_msg("%s: %u:%u: %s", text, err.line, err.column, err.text);
}

/* What is planned, and that the file with its plan is a design of the same plan. */
static void good_design_test(void **state)
{
	const struct good_design *row = *state;
	_cleanup_(ft_design_freep) struct ft_design *design = NULL, *again = NULL;
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL, *plan_again = NULL;
	_cleanup_(ft_text_release) struct ft_text shown = {0}, shown_again = {0}, file = {0};

	read_design(row->text, &design, &plan);
	assert_int_equal(plan->topology, FT_TOPOLOGY_GRAPH);
	assert_true(plan->general);
	assert_int_equal(plan->tree->levels, 0);
	assert_int_equal(plan->tree->edge_count, 0);
	for (uint32_t i = 0; i < plan->switch_count; i++)
		assert_int_equal(plan->switches[i].tier,
				 plan->kinds[plan->switches[i].kind].may_host ? FT_TIER_EDGE : FT_TIER_CORE);
	show(&shown, plan);
	assert_string_equal(ft_text_string(&shown), row->plan);
	assert_int_equal(ft_plan_write_design(&file, design, plan), 0);
	read_design(ft_text_string(&file), &again, &plan_again);
	show(&shown_again, plan_again);
	assert_string_equal(ft_text_string(&shown_again), row->plan);
}

/* Tables of links beside a design of three switches of four ports; what is planned, or what is wrong. */
static const struct links_file {
	const char *what;
	const char *table;
	const char *plan; /* NULL: it is refused */
	const char *error;
} links_files[] = {
	{"a table", "a,b,count\ns1,s2,2\ns2,s3,1\n", "s1:2-s2:2 x2, s2:4-s3:2 x1", NULL},
	{"ranges, other columns, no count, a comment", "note;B;A\n# all of them\nx;s1;s[2-3]\n;s3;s2\n",
	 "s1:2-s2:2 x1, s1:3-s3:2 x1, s2:3-s3:3 x1", NULL},
	{"what is listed again adds up", "a,b,count\ns1,s2\ns2,s1,\"2\"\n", "s1:2-s2:2 x3", NULL},
	{"an empty table", "", NULL, "\"links_file\" is \"links.csv\", which is empty"},
	{"no columns", "s1,s2\n", NULL,
	 "\"links_file\" is links.csv:1:1: the first row must name the columns: a,b,count"},
	{"an unknown name", "a,b\ns1,s2\ns1, s4\n", NULL,
	 "\"links_file\" is links.csv:3:5: \"b\" names \"s4\", which is not in \"switches\""},
	{"another spelling", "a,b\nS1,s2\n", NULL,
	 "\"links_file\" is links.csv:2:1: \"a\" names \"S1\", which is not in \"switches\"; did you mean \"s1\"?"},
	{"no name", "a,b\ns1\n", NULL, "\"links_file\" is links.csv:2:1: \"b\" is empty"},
	{"no range", "a,b\ns1,s[3-2]\n", NULL,
	 "\"links_file\" is links.csv:2:4: \"b\" holds no range of numbers such as [1-3,07-12]"},
	{"too many names", "a,b\ns1,s[1-100001]\n", NULL,
	 "\"links_file\" is links.csv:2:4: \"b\" is more than 100000 names"},
	{"no number", "a,b,count\ns1,s2,many\n", NULL,
	 "\"links_file\" is links.csv:2:7: \"count\" is \"many\"; it must be 1 to 254"},
	{"itself", "a,b,count\ns1,s1,1\n", NULL, "\"links_file\" is links.csv:2:1: this row links \"s1\" to itself"},
	{"too many cables", "a,b,count\ns1,s2,2\ns3,s1,2\n", NULL,
	 "\"links_file\" is links.csv:3:1: this row gives \"s1\" 4 cables with those before, but 3 of its 4 ports are "
	 "left"},
	{"an open quote", "a,b\n\"s1,s2\n", NULL, "\"links_file\" is links.csv:2:1: this quote is not closed"},
	{"no text", "PK\3\4", NULL,
	 "\"links_file\" is links.csv:1:1: this is a workbook: save the sheet with the cables as CSV"},
};

static void file_write(const char *directory, const char *name, const char *text)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/* The table is beside the design, whatever directory the program works in. */
static void links_file_test(void **state)
{
	const struct links_file *row = *state;
	_cleanup_(ft_design_freep) struct ft_design *design = NULL;
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	_cleanup_(ft_text_release) struct ft_text shown = {0};
	const char *temporary = getenv("TMPDIR");
	char directory[4000], path[4096];
	struct ft_error err = {0};
	int r;

	snprintf(directory, sizeof(directory), "%s/test_graph.XXXXXX", temporary ? temporary : P_tmpdir);
	assert_non_null(mkdtemp(directory));
	file_write(directory, "links.csv", row->table);
	file_write(
		directory, "design.json",
		HEAD
		"\"switches\": [{\"name\": \"s[1-3]\", \"ports\": 4, \"hosts\": 1}], \"links_file\": \"links.csv\"}");
	snprintf(path, sizeof(path), "%s/design.json", directory);
	r = ft_design_load(path, &design, &plan, &err);
	unlink(path);
	snprintf(path, sizeof(path), "%s/links.csv", directory);
	unlink(path);
	rmdir(directory);
	assert_int_equal(r, row->plan ? 0 : -EINVAL);
	if (!row->plan) {
		assert_string_equal(err.text, row->error);
		assert_int_equal(err.line, 2);
		return;
	}
	show_bundles(&shown, plan);
	assert_string_equal(ft_text_string(&shown), row->plan);
}

/* Trees, of which @general is true where they are no plain ones. */
static const struct tree_design {
	const char *what;
	const char *text;
	bool general;
	const char *plan;
} tree_designs[] = {
	{"two planes of two spines of each pod", PLANES "\"planes\": 2}", true,
	 "edge001:5-spine01:1 x1, edge001:6-spine02:1 x1, edge001:7-spine03:1 x1, edge001:8-spine04:1 x1, "
	 "edge002:5-spine05:1 x1, edge002:6-spine06:1 x1, edge002:7-spine07:1 x1, edge002:8-spine08:1 x1, "
	 "spine01:5-core01:1 x1, spine01:6-core02:1 x1, spine02:5-core01:2 x1, spine02:6-core02:2 x1, "
	 "spine03:5-core03:1 x1, spine03:6-core04:1 x1, spine04:5-core03:2 x1, spine04:6-core04:2 x1, "
	 "spine05:5-core01:3 x1, spine05:6-core02:3 x1, spine06:5-core01:4 x1, spine06:6-core02:4 x1, "
	 "spine07:5-core03:3 x1, spine07:6-core04:3 x1, spine08:5-core03:4 x1, spine08:6-core04:4 x1"},
	{"as many planes as spines of a pod", PLANES "\"planes\": 4}", false,
	 "edge001:5-spine01:1 x1, edge001:6-spine02:1 x1, edge001:7-spine03:1 x1, edge001:8-spine04:1 x1, "
	 "edge002:5-spine05:1 x1, edge002:6-spine06:1 x1, edge002:7-spine07:1 x1, edge002:8-spine08:1 x1, "
	 "spine01:5-core01:1 x2, spine02:5-core02:1 x2, spine03:5-core03:1 x2, spine04:5-core04:1 x2, "
	 "spine05:5-core01:3 x2, spine06:5-core02:3 x2, spine07:5-core03:3 x2, spine08:5-core04:3 x2"},
	{"an edge switch of other ports, hosts and bundles",
	 CLASSES
	 "[{\"count\": 1, \"ports\": 9, \"hosts\": 3, \"bundle\": [4, 1], \"rate\": \"4xEDR\", \"match\": \"^x\"}]}",
	 true,
	 "edge001:3-core01:1 x1, edge001:4-core02:1 x1, edge002:3-core01:2 x1, edge002:4-core02:2 x1, "
	 "edge003:4-core01:3 x4, edge003:8-core02:3 x1"},
	{"one without a cable to the second core switch", CLASSES "[{\"count\": 1, \"bundle\": [2, 0]}]}", true,
	 "edge001:3-core01:1 x1, edge001:4-core02:1 x1, edge002:3-core01:2 x1, edge002:4-core02:2 x1, "
	 "edge003:3-core01:3 x2"},
	{"two classes, the second of more uplinks",
	 CLASSES "[{\"count\": 1, \"hosts\": 1}, {\"count\": 1, \"ports\": 7, \"ports_to_core\": 3, \"hosts\": 3}]}",
	 true,
	 "edge001:3-core01:1 x1, edge001:4-core02:1 x1, edge002:3-core01:2 x1, edge002:4-core02:2 x1, "
	 "edge003:4-core01:3 x2, edge003:6-core02:3 x1"},
	{"hosts on a core switch", CLASSES "[{\"tier\": \"core\", \"count\": 1, \"hosts\": 2, \"ports\": 8}]}", true,
	 "edge001:3-core01:1 x1, edge001:4-core02:3 x1, edge002:3-core01:2 x1, edge002:4-core02:4 x1, "
	 "edge003:3-core01:3 x1, edge003:4-core02:5 x1"},
	{"spines with hosts, of shared planes",
	 PLANES "\"planes\": 2, \"classes\": [{\"tier\": \"spine\", \"count\": 2, \"ports\": 5, \"hosts\": 1, "
		"\"bundle\": [1, 2]}, "
		"{\"tier\": \"core\", \"count\": 1, \"ports\": 6}]}",
	 true,
	 "edge001:5-spine01:1 x1, edge001:6-spine02:1 x1, edge001:7-spine03:1 x1, edge001:8-spine04:1 x1, "
	 "edge002:5-spine05:1 x1, edge002:6-spine06:1 x1, edge002:7-spine07:2 x1, edge002:8-spine08:2 x1, "
	 "spine01:5-core01:1 x1, spine01:6-core02:1 x1, spine02:5-core01:2 x1, spine02:6-core02:2 x1, "
	 "spine03:5-core03:1 x1, spine03:6-core04:1 x1, spine04:5-core03:2 x1, spine04:6-core04:2 x1, "
	 "spine05:5-core01:3 x1, spine05:6-core02:3 x1, spine06:5-core01:4 x1, spine06:6-core02:4 x1, "
	 "spine07:3-core03:3 x1, spine07:4-core04:3 x2, spine08:3-core03:4 x1, spine08:4-core04:5 x2"},
	{"hosts as the edge switches have them, more on one of a class",
	 "{\"ftcheck\": 1, \"name\": \"t\", \"nodes\": 7, \"edge\": {\"ports\": 4, \"hosts\": [{\"count\": 2, "
	 "\"hosts\": 2}, "
	 "{\"count\": 1, \"hosts\": 3}]},\n"
	 "\"core\": {\"ports\": 8, \"count\": 2}, \"classes\": [{\"count\": 1, \"ports\": 8, \"bundle\": 2}]}",
	 true,
	 "edge001:3-core01:1 x1, edge001:4-core02:1 x1, edge002:3-core01:2 x1, edge002:4-core02:2 x1, "
	 "edge003:4-core01:3 x2, edge003:6-core02:3 x2"},
	{"an edge switch of its own in a pod of its own",
	 "{\"ftcheck\": 1, \"name\": \"t\", \"levels\": 3, \"nodes\": 7, \"pods\": [{\"count\": 1, \"edges\": 2}, "
	 "{\"count\": 1, \"edges\": 1}],\n"
	 "\"edge\": {\"ports\": 4, \"count\": 3, \"ports_to_nodes\": 2, \"ports_to_core\": 2}, \"spine\": {\"ports\": "
	 "6, "
	 "\"count\": 4, \"ports_to_core\": 2},\n"
	 "\"core\": {\"ports\": 4, \"count\": 4}, \"classes\": [{\"count\": 1, \"ports\": 12, \"hosts\": 3, "
	 "\"bundle\": [4, 1]}]}",
	 true,
	 "edge001:3-spine01:1 x1, edge001:4-spine02:1 x1, edge002:3-spine01:2 x1, edge002:4-spine02:2 x1, "
	 "edge003:4-spine03:1 x4, edge003:8-spine04:1 x1, spine01:5-core01:1 x1, spine01:6-core02:1 x1, "
	 "spine02:5-core03:1 x1, spine02:6-core04:1 x1, spine03:5-core01:2 x1, spine03:6-core02:2 x1, "
	 "spine04:5-core03:2 x1, spine04:6-core04:2 x1"},
	{"core switches are chosen for the cables of classes, too",
	 "{\"ftcheck\": 1, \"name\": \"t\", \"nodes\": 5, \"fill\": \"uniform\", \"edge\": {\"ports\": 4}, \"core\": "
	 "{\"ports\": 4},\n"
	 "\"classes\": [{\"count\": 1, \"hosts\": 1, \"ports\": 6, \"ports_to_core\": 4}]}",
	 true,
	 "edge001:3-core01:1 x1, edge001:4-core02:1 x1, edge002:3-core01:2 x1, edge002:4-core02:2 x1, "
	 "edge003:3-core01:3 x2, edge003:5-core02:3 x2"},
	{"one plane",
	 "{\"ftcheck\": 1, \"name\": \"t\", \"levels\": 3, \"nodes\": 4, \"pods\": 2, \"planes\": 1,\n"
	 "\"edge\": {\"ports\": 4, \"count\": 2, \"ports_to_nodes\": 2, \"ports_to_core\": 2},\n"
	 "\"spine\": {\"ports\": 4, \"count\": 4, \"ports_to_core\": 2}, \"core\": {\"ports\": 8, \"count\": 1}}",
	 true,
	 "edge001:3-spine01:1 x1, edge001:4-spine02:1 x1, edge002:3-spine03:1 x1, edge002:4-spine04:1 x1, "
	 "spine01:3-core01:1 x2, spine02:3-core01:3 x2, spine03:3-core01:5 x2, spine04:3-core01:7 x2"},
};

/* No port is used twice, and none that there is not. */
static void check_ports(const struct ft_plan *plan)
{
	_cleanup_free_ bool(*used)[FT_PORTS_MAX + 1] = calloc(plan->switch_count, sizeof(*used));

	assert_non_null(used);
	for (uint32_t i = 0; i < plan->switch_count; i++)
		for (uint32_t p = 1; p <= plan->switches[i].hosts; p++)
			used[i][p] = true;
	for (uint32_t i = 0; i < plan->bundle_count; i++) {
		const struct ft_plan_bundle *b = &plan->bundles[i];

		assert_true(b->a < b->b && b->count > 0);
		assert_true(b->a_port + b->count - 1 <= plan->switches[b->a].ports);
		assert_true(b->b_port + b->count - 1 <= plan->switches[b->b].ports);
		for (uint32_t k = 0; k < b->count; k++) {
			assert_false(used[b->a][b->a_port + k] || used[b->b][b->b_port + k]);
			used[b->a][b->a_port + k] = used[b->b][b->b_port + k] = true;
		}
	}
}

static void tree_design_test(void **state)
{
	const struct tree_design *row = *state;
	_cleanup_(ft_design_freep) struct ft_design *design = NULL, *again = NULL;
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL, *plan_again = NULL;
	_cleanup_(ft_text_release) struct ft_text shown = {0}, shown_again = {0}, file = {0};
	uint32_t hosts = 0;

	read_design(row->text, &design, &plan);
	assert_int_equal(plan->general, row->general);
	for (uint32_t i = 0; i < plan->switch_count; i++)
		hosts += plan->switches[i].hosts;
	assert_int_equal(hosts, plan->nodes);
	for (uint32_t i = 0; i < plan->bundle_count; i++)
		hosts += plan->bundles[i].count;
	assert_int_equal(hosts, plan->links);
	check_ports(plan);
	show_bundles(&shown, plan);
	assert_string_equal(ft_text_string(&shown), row->plan);
	assert_int_equal(ft_plan_write_design(&file, design, plan), 0);
	read_design(ft_text_string(&file), &again, &plan_again);
	show_bundles(&shown_again, plan_again);
	assert_string_equal(ft_text_string(&shown_again), row->plan);
}

/* Reads a design and writes it in every form. Returns 0 or -ENOMEM. */
static int read_and_write(const char *text)
{
	_cleanup_(ft_design_freep) struct ft_design *design = NULL;
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	static const char *const formats[] = {"text", "json", "ibsim", "ibdm", "ibnl", "csv", "cables", "bom"};
	struct ft_error err = {0};
	int r = ft_design_read(text, strlen(text), &design, &plan, &err);

	for (size_t i = 0; r == 0 && i < FT_COUNT(formats); i++) {
		_cleanup_(ft_text_release) struct ft_text out = {0};

		r = ft_format_find(formats[i])->write(&out, design, plan, NULL, &err);
		if (r == 0 && ft_text_failed(&out))
			r = -ENOMEM;
	}
	return r;
}

static void test_many_kinds(void **state)
{
	(void)state;
	for (int kinds = 64; kinds <= 65; kinds++) {
		_cleanup_(ft_design_freep) struct ft_design *design = NULL;
		_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
		_cleanup_(ft_text_release) struct ft_text text = {0};
		struct ft_error err = {0};
		int r;

		ft_text_puts(&text, HEAD "\"links\": [{\"a\": \"s1\", \"b\": \"s2\"}], \"switches\": [");
		for (int i = 1; i <= kinds; i++)
			ft_text_printf(&text, "%s\n{\"name\": \"s%d\", \"ports\": 2, \"kind\": \"k%d\"}",
				       i > 1 ? "," : "", i, i);
		ft_text_puts(&text, "]}");
		r = ft_design_read(text.data, text.length, &design, &plan, &err);
		assert_int_equal(r, kinds == 64 ? 0 : -EINVAL);
		if (r == 0)
			assert_int_equal(plan->kind_count, 64);
		else
			assert_string_equal(err.text, "\"kind\" is \"k65\", the 65th kind of switches; the most is 64");
	}
}

/* GUIDs that the network file makes up for other nodes are no switch's. */
static void test_made_up_guid(void **state)
{
	_cleanup_(ft_design_freep) struct ft_design *design = NULL;
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	_cleanup_(ft_text_release) struct ft_text text = {0};
	struct ft_error err = {0};

	(void)state;
	read_design(HEAD ONE_LINK
		    ", \"switches\": [{\"name\": \"a\", \"ports\": 4, \"guid\": \"0x100002\"}, {\"name\": \"b\", "
		    "\"ports\": 4}]}",
		    &design, &plan);
	assert_int_equal(ft_write_ibsim(&text, design, plan, NULL, &err), -EINVAL);
	assert_string_equal(
		err.text, "the GUID of \"a\" is one of those that are made up for the other nodes of the network file");
}

static void fail_each_allocation(const char *what, const char *text)
{
	size_t failing = 0;
	int r;

	do {
		allocation_failing = ++failing;
		r = read_and_write(text);
		allocation_failing = 0;
		if (r < 0 && r != -ENOMEM)
			fail_msg("%s: allocation %zu: %d", what, failing, r);
	} while (r < 0);
	assert_true(failing > 50);
}

static void test_no_memory(void **state)
{
	(void)state;
	json_set_alloc_funcs(__wrap_malloc, free);
	allocation_keeps_failing = true;
	for (size_t i = 0; i < FT_COUNT(good_designs); i++)
		fail_each_allocation(good_designs[i].what, good_designs[i].text);
	for (size_t i = 0; i < FT_COUNT(tree_designs); i++)
		fail_each_allocation(tree_designs[i].what, tree_designs[i].text);
	json_set_alloc_funcs(malloc, free);
}

int main(void)
{
	static struct CMUnitTest tests[FT_COUNT(bad_designs) + FT_COUNT(good_designs) + FT_COUNT(tree_designs) +
				       FT_COUNT(links_files) + 3];
	size_t n = 0;

	for (size_t i = 0; i < FT_COUNT(bad_designs); i++)
		tests[n++] = (struct CMUnitTest){bad_designs[i].error, bad_design_test, NULL, NULL,
						 (void *)(uintptr_t)&bad_designs[i]};
	for (size_t i = 0; i < FT_COUNT(good_designs); i++)
		tests[n++] = (struct CMUnitTest){good_designs[i].what, good_design_test, NULL, NULL,
						 (void *)(uintptr_t)&good_designs[i]};
	for (size_t i = 0; i < FT_COUNT(links_files); i++)
		tests[n++] = (struct CMUnitTest){links_files[i].what, links_file_test, NULL, NULL,
						 (void *)(uintptr_t)&links_files[i]};
	for (size_t i = 0; i < FT_COUNT(tree_designs); i++)
		tests[n++] = (struct CMUnitTest){tree_designs[i].what, tree_design_test, NULL, NULL,
						 (void *)(uintptr_t)&tree_designs[i]};
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(test_many_kinds);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(test_made_up_guid);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(test_no_memory);
	return _cmocka_run_group_tests("graph", tests, n, NULL, NULL) ? 1 : 0;
}
