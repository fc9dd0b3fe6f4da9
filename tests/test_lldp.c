/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* LLDP neighbours become a snapshot: the forms of lldpcli, names, port ids, links, and what is refused. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants those first. */
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/interface.h"
#include "probe/lldp.h"
#include "tests/allocations.h"

/* As lldpcli prints them. %s: a port id; a MAC address as the chassis id. */
#define ID(type, value) "{\"id\": {\"type\": \"" type "\", \"value\": \"" value "\"}}"
#define PORT(type, value, descr) \
	"{\"id\": {\"type\": \"" type "\", \"value\": \"" value "\"}, \"descr\": \"" descr "\", \"ttl\": \"120\"}"
#define NAMED(name) "{\"" name "\": {\"id\": {\"type\": \"mac\", \"value\": \"02:00:00:00:00:09\"}}}"
#define HEARD(interface, name, port)                                                                 \
	"{\"" interface "\": {\"via\": \"LLDP\", \"age\": \"0 day, 00:00:09\", \"chassis\": " NAMED( \
		name) ", \"port\": " port "}}"
#define ONE(interface, name, port) "{\"lldp\": {\"interface\": " HEARD(interface, name, port) "}}"
#define REGULAR(interface, name, port)                                                                                 \
	"{\"lldp\": [{\"interface\": [{\"name\": \"" interface "\", \"via\": \"LLDP\", \"age\": \"0 day, 00:00:09\", " \
	"\"chassis\": [{\"id\": [{\"type\": \"mac\", "                                                                 \
	"\"value\": \"02:00:00:00:00:09\"}], \"name\": [{\"value\": \"" name "\"}]}], \"port\": [{\"id\": [" port      \
	"], \"descr\": [{\"value\": \"free text\"}]}]}]}]}"
#define IFNAME(name) "{\"id\": {\"type\": \"ifname\", \"value\": \"" name "\"}}"
#define AGED(interface, name, age, port)                                                                              \
	"{\"" interface "\": {\"via\": \"LLDP\", \"age\": \"" age "\", \"chassis\": " NAMED(name) ", \"port\": " port \
												  "}}"

enum { FILES = 4 };

static const struct row {
	const char *what;
	struct {
		const char *machine, *text;
	} files[FILES];
	const char *expected; /* the links, "leaf01 swp1 - spine01 swp3"; "silent": machines without a record */
} rows[] = {
	{"one neighbour is an object",
	 {{"leaf01", ONE("swp1", "spine01", IFNAME("swp3"))}, {"spine01", ONE("swp3", "leaf01", IFNAME("swp1"))}},
	 "leaf01 swp1 - spine01 swp3\n"},
	{"several are a list",
	 {{"leaf01", "{\"lldp\": {\"interface\": [" HEARD("swp1", "a", IFNAME("swp3")) ", " HEARD(
			     "swp2", "b", IFNAME("swp3")) "]}}"},
	  {"a", ONE("swp3", "leaf01", IFNAME("swp1"))},
	  {"b", ONE("swp3", "leaf01", IFNAME("swp2"))}},
	 "leaf01 swp1 - a swp3\nleaf01 swp2 - b swp3\n"},
	{"none is nothing, in each form",
	 {{"a", "{\"lldp\": {}}"}, {"b", "{\"lldp\": [{}]}"}, {"c", "{\"lldp\": {\"interface\": []}}"}},
	 ""},
	{"json0 is regular",
	 {{"leaf01", REGULAR("swp1", "spine01", "{\"type\": \"ifname\", \"value\": \"swp3\"}")},
	  {"spine01", REGULAR("swp3", "leaf01", "{\"type\": \"ifname\", \"value\": \"swp1\"}")}},
	 "leaf01 swp1 - spine01 swp3\n"},
	{"a line a machine",
	 {{NULL,
	   "{\"machine\": \"leaf01\", \"lldp\": {\"interface\": " HEARD(
		   "swp1", "spine01", IFNAME("swp3")) "}}\n\n"
						      "{\"machine\": \"spine01\", \"lldp\": {\"interface\": " HEARD(
							      "swp3", "leaf01", IFNAME("swp1")) "}}\n"}},
	 "leaf01 swp1 - spine01 swp3\n"},
	{"a link that one side sees is a link: the other is silent",
	 {{"leaf01", ONE("swp1", "spine01", IFNAME("swp3"))}},
	 "leaf01 swp1 - spine01 swp3 deaf\nsilent spine01\n"},
	{"one with a record that does not hear its neighbour",
	 {{"leaf01", ONE("swp1", "spine01", IFNAME("swp3"))}, {"spine01", "{\"lldp\": {}}"}},
	 "leaf01 swp1 - spine01 swp3 deaf\n"},
	{"long and short names are one machine",
	 {{"leaf01", ONE("swp1", "Spine01.example.com", IFNAME("swp3"))},
	  {"spine01", ONE("swp3", "leaf01.example.com", IFNAME("swp1"))}},
	 "leaf01 swp1 - spine01 swp3\n"},
	{"but not of two domains",
	 {{"leaf01", "{\"lldp\": {\"interface\": [" HEARD("swp1", "s.a.com", IFNAME("swp3")) ", " HEARD(
			     "swp2", "s.b.com", IFNAME("swp3")) "]}}"}},
	 "leaf01 swp1 - s.a.com swp3 deaf\nleaf01 swp2 - s.b.com swp3 deaf\nsilent s.a.com\nsilent s.b.com\n"},
	{"an address has no domain",
	 {{"leaf01", "{\"lldp\": {\"interface\": [" HEARD("swp1", "10.0.0.1", IFNAME("swp3")) ", " HEARD(
			     "swp2", "10.0.0.2", IFNAME("swp3")) "]}}"}},
	 "leaf01 swp1 - 10.0.0.1 swp3 deaf\nleaf01 swp2 - 10.0.0.2 swp3 deaf\nsilent 10.0.0.1\nsilent 10.0.0.2\n"},
	{"a MAC address as port id: the other end tells",
	 {{"leaf01", ONE("swp1", "spine01", ID("mac", "02:00:00:00:00:03"))},
	  {"spine01", ONE("swp3", "leaf01", IFNAME("swp1"))}},
	 "leaf01 swp1 - spine01 swp3\n"},
	{"at both ends: in the order of the names",
	 {{"leaf01", "{\"lldp\": {\"interface\": [" HEARD("swp2", "spine01", ID("mac", "02:00:00:00:00:22")) ", " HEARD(
			     "swp10", "spine01", ID("mac", "02:00:00:00:00:11")) "]}}"},
	  {"spine01", "{\"lldp\": {\"interface\": [" HEARD("swp3", "leaf01", ID("mac", "02:00:00:00:00:33")) ", " HEARD(
			      "swp4", "leaf01", ID("mac", "02:00:00:00:00:44")) "]}}"}},
	 "leaf01 swp2 - spine01 swp3\nleaf01 swp10 - spine01 swp4\n"},
	{"the description, if the machine has an interface called so",
	 {{"leaf01", ONE("swp1", "spine01", PORT("local", "etp3", "Ethernet8"))},
	  {"spine01", ONE("Ethernet8", "leaf01", IFNAME("swp1"))}},
	 "leaf01 swp1 - spine01 Ethernet8\n"},
	{"or looks like one, where nothing else tells",
	 {{"leaf01", ONE("swp1", "spine01", PORT("mac", "02:00:00:00:00:03", "swp3"))}},
	 "leaf01 swp1 - spine01 swp3 deaf\nsilent spine01\n"},
	{"free text does not",
	 {{"leaf01", ONE("swp1", "spine01", PORT("mac", "02:00:00:00:00:03", "to leaf01 rack 3"))}},
	 "leaf01 swp1 - spine01 02:00:00:00:00:03 deaf\nsilent spine01\n"},
	{"a chassis without a name is the one with its id",
	 {{"leaf01",
	   "{\"lldp\": {\"interface\": {\"swp1\": {\"via\": \"LLDP\", \"chassis\": {\"id\": {\"type\": \"mac\", "
	   "\"value\": \"02:00:00:00:00:09\"}}, \"port\": " IFNAME("swp3") "}}}}"},
	  {"leaf02", ONE("swp1", "spine01", IFNAME("swp4"))}},
	 "leaf01 swp1 - spine01 swp3 deaf\nleaf02 swp1 - spine01 swp4 deaf\nsilent spine01\n"},
	{"or is called by it",
	 {{"leaf01",
	   "{\"lldp\": {\"interface\": {\"swp1\": {\"via\": \"LLDP\", \"chassis\": {\"id\": {\"type\": \"mac\", "
	   "\"value\": \"02:00:00:00:00:09\"}}, \"port\": " IFNAME("swp3") "}}}}"}},
	 "leaf01 swp1 - 02:00:00:00:00:09 swp3 deaf\nsilent 02:00:00:00:00:09\n"},
	{"of several neighbours the mutual one",
	 {{"leaf01", "{\"lldp\": {\"interface\": [" AGED("swp1", "old", "0 day, 00:00:01", IFNAME("swp9")) ", " AGED(
			     "swp1", "spine01", "3 days, 00:00:00", IFNAME("swp3")) "]}}"},
	  {"spine01", ONE("swp3", "leaf01", IFNAME("swp1"))}},
	 "leaf01 swp1 - spine01 swp3\n"},
	{"else the youngest: a stale one stays until its time ends",
	 {{"leaf01", "{\"lldp\": {\"interface\": [" AGED("swp1", "old", "0 day, 10:00:00", IFNAME("swp9")) ", " AGED(
			     "swp1", "new", "0 day, 00:00:03", IFNAME("swp3")) "]}}"}},
	 "leaf01 swp1 - new swp3 deaf\nsilent new\n"},
	{"a bridge hears what its port hears",
	 {{"host1", "{\"lldp\": {\"interface\": [" HEARD("br0", "leaf01", IFNAME("swp1")) ", " HEARD(
			    "eno1", "leaf01", IFNAME("swp1")) "]}}"},
	  {"leaf01", ONE("swp1", "host1", PORT("mac", "02:00:00:00:00:01", "eno1"))}},
	 "host1 eno1 - leaf01 swp1\n"},
	{"a virtual machine behind its host's cable",
	 {{"host1", ONE("eno1", "leaf01", IFNAME("swp1"))},
	  {"leaf01", "{\"lldp\": {\"interface\": [" HEARD("swp1", "vm7", ID("mac", "02:00:00:00:00:07")) ", " HEARD(
			     "swp1", "host1", PORT("mac", "02:00:00:00:00:01", "eno1")) "]}}"}},
	 "host1 eno1 - leaf01 swp1\n"},
	{"two cables to a bond, of one address or one name",
	 {{"leaf01", "{\"lldp\": {\"interface\": [" HEARD("swp5", "host1", ID("mac", "02:00:00:00:00:01")) ", " HEARD(
			     "swp6", "host2", IFNAME("bond0")) "]}}"},
	  {"leaf02", "{\"lldp\": {\"interface\": [" HEARD("swp5", "host1", ID("mac", "02:00:00:00:00:01")) ", " HEARD(
			     "swp6", "host2", IFNAME("bond0")) "]}}"}},
	 "leaf01 swp5 - host1 02:00:00:00:00:01 deaf\nleaf01 swp6 - host2 bond0 deaf\n"
	 "leaf02 swp5 - host1 02:00:00:00:00:01 (leaf02 swp5) deaf\nleaf02 swp6 - host2 bond0 (leaf02 swp6) deaf\n"
	 "silent host1\nsilent host2\n"},
	{"a unit on a port is the port",
	 {{"leaf01", ONE("xe-0/0/1", "spine01", IFNAME("xe-0/0/3.0"))},
	  {"spine01", ONE("xe-0/0/3", "leaf01", IFNAME("xe-0/0/1.0"))}},
	 "leaf01 xe-0/0/1 - spine01 xe-0/0/3\n"},
	{"objects one after the other",
	 {{NULL, "{\"machine\": \"leaf01\",\n\"lldp\": {\"interface\": " HEARD(
			 "swp1", "spine01", IFNAME("swp3")) "}}{\"machine\": \"spine01\",\n\"lldp\": "
							    "{\"interface\": " HEARD("swp3", "leaf01",
										     IFNAME("swp1")) "}}\n"}},
	 "leaf01 swp1 - spine01 swp3\n"},
	{"objects in an array",
	 {{NULL, "[{\"machine\": \"leaf01\", \"lldp\": {\"interface\": " HEARD(
			 "swp1", "spine01", IFNAME("swp3")) "}},\n"
							    "{\"machine\": \"spine01\", \"lldp\": [{}]}]"}},
	 "leaf01 swp1 - spine01 swp3 deaf\n"},
	{"CDP is heard where LLDP is not",
	 {{"leaf01",
	   "{\"lldp\": {\"interface\": [{\"swp1\": {\"via\": \"CDPv2\", \"age\": \"0 day, 00:00:01\", "
	   "\"chassis\": " NAMED("cisco") ", \"port\": " IFNAME("Eth1/9") "}}, " HEARD(
		   "swp1", "spine01",
		   IFNAME("swp3")) ", {\"swp2\": {\"via\": \"CDPv2\", \"chassis\": " NAMED("cisco") ", "
												    "\"port\":"
												    " " IFNAME(
													    "Eth1/"
													    "1") "}"
														 "}"
														 "]"
														 "}"
														 "}"}},
	 "leaf01 swp1 - spine01 swp3 deaf\nleaf01 swp2 - cisco Eth1/1 deaf\nsilent cisco\nsilent spine01\n"},
	{"ends that contradict each other are no link",
	 {{"a", ONE("swp1", "b", IFNAME("swp1"))},
	  {"b", ONE("swp1", "c", IFNAME("swp1"))},
	  {"c", ONE("swp1", "b", IFNAME("swp1"))}},
	 "b swp1 - c swp1\n"},
	{"a cable from a switch to itself",
	 {{"leaf01", "{\"lldp\": {\"interface\": [" HEARD("swp7", "leaf01", IFNAME("swp8")) ", " HEARD(
			     "swp8", "leaf01", IFNAME("swp7")) "]}}"}},
	 "leaf01 swp7 - leaf01 swp8\n"},
	{"and a plug", {{"leaf01", ONE("swp7", "leaf01", IFNAME("swp7"))}}, "leaf01 swp7 - leaf01 swp7\n"},
	{"management ports are left out, and who is heard there only",
	 {{"leaf01", "{\"lldp\": {\"interface\": [" HEARD("eth0", "oob", IFNAME("swp1")) ", " HEARD(
			     "swp1", "spine01", IFNAME("swp3")) "]}}"},
	  {"oob", ONE("swp1", "leaf01", IFNAME("eth0"))},
	  {"spine01", "{\"lldp\": {\"interface\": [" HEARD("mgmt0", "oob", IFNAME("swp2")) ", " HEARD(
			      "swp3", "leaf01", IFNAME("swp1")) "]}}"}},
	 "leaf01 swp1 - spine01 swp3\n"},
	{"eth0 of a host is none",
	 {{"leaf01", ONE("swp1", "host1", IFNAME("eth0"))}, {"host1", ONE("eth0", "leaf01", IFNAME("swp1"))}},
	 "leaf01 swp1 - host1 eth0\n"},
};

/* "leaf01 swp1 - spine01 swp3", each link once, as the first end has it. */
static void links_show(const struct ft_snapshot *s, struct ft_text *text)
{
	for (uint32_t i = 0; i < s->port_count; i++) {
		const struct ft_port *port = &s->ports[i], *peer = ft_port_peer(s, port);

		if (!peer || port->peer < i)
			continue;
		ft_text_printf(text, "%s %s - %s %s%s\n", ft_node_description(s, ft_port_node(s, port)),
			       ft_port_name(s, port), ft_node_description(s, ft_port_node(s, peer)),
			       ft_port_name(s, peer), port->deaf || peer->deaf ? " deaf" : "");
	}
}

static int name_compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void silent_show(const struct ft_snapshot *s, struct ft_text *text)
{
	const char *names[16];
	size_t count = 0;

	for (uint32_t i = 0; i < s->node_count && count < FT_COUNT(names); i++)
		if (s->nodes[i].silent)
			names[count++] = ft_node_description(s, &s->nodes[i]);
	qsort(names, count, sizeof(*names), name_compare);
	for (size_t i = 0; i < count; i++)
		ft_text_printf(text, "silent %s\n", names[i]);
}

static void test_row(void **state)
{
	const struct row *row = *state;
	_cleanup_(ft_lldp_freep) struct ft_lldp *lldp = NULL;
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *snapshot = NULL, *copy = NULL;
	_cleanup_(ft_text_release) struct ft_text text = {0}, json = {0};
	struct ft_error err = {0};

	assert_int_equal(ft_lldp_new(&lldp), 0);
	for (size_t i = 0; i < FILES && row->files[i].text; i++) {
		const char *file = row->files[i].text;

		assert_true(ft_lldp_is(file, strlen(file)));
		if (ft_lldp_add(lldp, file, strlen(file), row->files[i].machine, &err) < 0)
			fail_msg("%u:%u: %s", err.line, err.column, err.text);
	}
	assert_int_equal(ft_lldp_finish(lldp, &snapshot, &err), 0);
	if (ft_snapshot_check(snapshot, &err) < 0)
		fail_msg("%s", err.text);
	assert_true(snapshot->source.ethernet);
	links_show(snapshot, &text);
	silent_show(snapshot, &text);
	assert_string_equal(ft_text_string(&text), row->expected);
	/* It is saved and read again as it is, names and all. */
	ft_snapshot_write_json(&json, snapshot);
	assert_int_equal(ft_snapshot_read_json(json.data, json.length, &copy, &err), 0);
	assert_int_equal(ft_snapshot_equal(snapshot, copy, NULL), 1);
	ft_text_reset(&text);
	links_show(copy, &text);
	silent_show(copy, &text);
	assert_string_equal(ft_text_string(&text), row->expected);
}

/* Each allocation fails once: there is no snapshot then, and nothing is lost. */
static void test_no_memory(void **state)
{
	(void)state;
	for (size_t i = 0; i < FT_COUNT(rows); i++) {
		int r = -ENOMEM;
		size_t n;

		for (n = 1; r == -ENOMEM && n < 10000; n++) {
			_cleanup_(ft_lldp_freep) struct ft_lldp *lldp = NULL;
			_cleanup_(ft_snapshot_freep) struct ft_snapshot *snapshot = NULL;
			struct ft_error err = {0};

			allocation_failing = n;
			allocation_keeps_failing = true;
			r = ft_lldp_new(&lldp);
			for (size_t k = 0; r == 0 && k < FILES && rows[i].files[k].text; k++)
				r = ft_lldp_add(lldp, rows[i].files[k].text, strlen(rows[i].files[k].text),
						rows[i].files[k].machine, &err);
			if (r == 0)
				r = ft_lldp_finish(lldp, &snapshot, &err);
			allocation_failing = 0;
			allocation_keeps_failing = false;
			if (r < 0)
				assert_null(snapshot);
		}
		assert_int_equal(r, 0);
		assert_true(n > 10);
	}
}

/* Who is void is told by times: its neighbours wrote later, and miss it. */
static void test_times(void **state)
{
	enum { MS = 1000000 };
	static const struct {
		int64_t leaf_ms, spine_ms;
		bool missed;
		const char *expected;
	} cases[] = {
		{9000, 1000, true, ""},
		{3000, 1000, true, "spine01 swp3 - leaf01 swp1 deaf\n"}, /* it may just begin */
		{1000, 9000, true, "spine01 swp3 - leaf01 swp1 deaf\n"},
		{9000, 1000, false, "spine01 swp3 - leaf01 swp1\n"},
		{0, 1000, true, "spine01 swp3 - leaf01 swp1 deaf\n"},
	};

	(void)state;
	for (size_t i = 0; i < FT_COUNT(cases); i++) {
		_cleanup_(ft_lldp_freep) struct ft_lldp *lldp = NULL;
		_cleanup_(ft_snapshot_freep) struct ft_snapshot *snapshot = NULL;
		_cleanup_(ft_text_release) struct ft_text text = {0};
		const char *leaf = cases[i].missed ? "{\"lldp\": {}}" : ONE("swp1", "spine01", IFNAME("swp3"));
		const char *spine = ONE("swp3", "leaf01", IFNAME("swp1"));
		struct ft_error err = {0};

		assert_int_equal(ft_lldp_new(&lldp), 0);
		assert_int_equal(ft_lldp_add_at(lldp, spine, strlen(spine), "spine01", cases[i].spine_ms * MS, &err),
				 0);
		assert_int_equal(ft_lldp_add_at(lldp, leaf, strlen(leaf), "leaf01", cases[i].leaf_ms * MS, &err), 0);
		assert_int_equal(ft_lldp_finish(lldp, &snapshot, &err), 0);
		links_show(snapshot, &text);
		assert_string_equal(ft_text_string(&text), cases[i].expected);
	}
}

static const struct bad_row {
	const char *machine, *text, *expected;
} bad_rows[] = {
	{"a", "{\"lldp\": 1}", "1:10: \"lldp\" is to hold what \"lldpcli show neighbors -f json\" prints"},
	{"a", "{\"lldp\": {\"interface\": 1}}", "1:24: an interface with its neighbour was expected"},
	{"a", "{\"lldp\": {\"interface\": {\"swp1\": []}}}",
	 "1:33: the neighbour on \"swp1\" was expected: chassis and port"},
	{"a", "{\"lldp-deleted\": []}",
	 "1:2: this is one change, as \"lldpcli watch\" prints it; record with \"lldpcli show neighbors -f json\""},
	{NULL, "{\"lldp\": {}}",
	 "1:1: whose neighbours are these? Name the file after the machine, or begin with {\"machine\": NAME, "
	 "\"lldp\": "
	 "…}"},
	{"a", "{\"machine\": 1, \"lldp\": {}}", "1:13: \"machine\" is to be the machine's name"},
	{"a", "{\"machine\": \"b\"}", "1:1: \"lldp\" is missing: what \"lldpcli show neighbors -f json\" prints"},
	{NULL, "{\"machine\": \"a\", \"lldp\": {}}\n{\"machine\": \"b\", \"lldp\": 5}\n",
	 "2:26: \"lldp\" is to hold what \"lldpcli show neighbors -f json\" prints"},
	{NULL, "{\"machine\": \"a\", \"lldp\": {}}\n[]\n", "2:1: an object was expected"},
	{NULL, "[{\"machine\": \"a\", \"lldp\": {}},\n 7]", "1:1: objects with \"machine\" and \"lldp\" were expected"},
	{NULL, "{\"machine\": \"a\",\n\"lldp\": {}}\n\n{\"machine\": \"b\",\n\"lldp\": 5}\n",
	 "5:9: \"lldp\" is to hold what \"lldpcli show neighbors -f json\" prints"},
};

/* A file that is refused leaves nothing behind. */
static void test_bad(void **state)
{
	(void)state;
	for (size_t i = 0; i < FT_COUNT(bad_rows); i++) {
		_cleanup_(ft_lldp_freep) struct ft_lldp *lldp = NULL;
		_cleanup_(ft_snapshot_freep) struct ft_snapshot *snapshot = NULL;
		const struct bad_row *row = &bad_rows[i];
		struct ft_error err = {0};
		char found[FT_ERROR_TEXT_SIZE + 32];

		assert_int_equal(ft_lldp_new(&lldp), 0);
		assert_int_equal(ft_lldp_add(lldp, row->text, strlen(row->text), row->machine, &err), -EINVAL);
		snprintf(found, sizeof(found), "%u:%u: %s", err.line, err.column, err.text);
		assert_string_equal(found, row->expected);
		assert_int_equal(ft_lldp_finish(lldp, &snapshot, &err), 0);
		assert_int_equal(snapshot->node_count, 0);
	}
}

static void test_other_files(void **state)
{
	static const char *const others[] = {
		"", "{", "{}", "{\"ftcheck_snapshot\": 2}", "[[{\"lldp\": 1}]]", "lldp", "{\"lldp", "{\"lldpx\": 1}"};

	(void)state;
	for (size_t i = 0; i < FT_COUNT(others); i++)
		assert_false(ft_lldp_is(others[i], strlen(others[i])));
}

static void test_machine_of_file(void **state)
{
	static const char *const pairs[][2] = {
		{"leaf01.json", "leaf01"}, {"site/leaf01.example.com.json0", "leaf01.example.com"},
		{"leaf01", "leaf01"},	   {"./leaf01.json.gz", "leaf01"},
		{"leaf01.lldp", "leaf01"}, {".json", ".json"}};
	char *machine = NULL;

	(void)state;
	for (size_t i = 0; i < FT_COUNT(pairs); i++) {
		assert_int_equal(ft_lldp_machine(pairs[i][0], &machine), 0);
		assert_string_equal(machine, pairs[i][1]);
		free(machine);
	}
	machine = (char *)pairs;
	assert_int_equal(ft_lldp_machine("-", &machine), 0);
	assert_null(machine);
}

static void test_numbers(void **state)
{
	static const struct {
		const char *names[6];
		uint16_t numbers[6];
	} cases[] = {
		{{"swp1", "swp2", "swp19"}, {1, 2, 19}},
		/* The prefix that more of them have keeps the number. */
		{{"eth1", "swp1", "swp2"}, {3, 1, 2}},
		{{"Ethernet0", "Ethernet4", "Ethernet8"}, {9, 4, 8}},
		{{"et-0/0/1", "et-0/0/2", "et-1/0/1"}, {1, 2, 3}},
		{{"uplink", "swp7"}, {8, 7}},
		{{"swp254", "x", "y"}, {254, 1, 2}},
		{{"swp0007", "swp300"}, {7, 8}},
	};

	(void)state;
	for (size_t i = 0; i < FT_COUNT(cases); i++) {
		uint16_t numbers[6];
		size_t count = 0;

		while (count < 6 && cases[i].names[count])
			count++;
		assert_int_equal(ft_interfaces_number(cases[i].names, count, numbers), 0);
		for (size_t n = 0; n < count; n++)
			if (numbers[n] != cases[i].numbers[n])
				fail_msg("%s is %u, not %u", cases[i].names[n], numbers[n], cases[i].numbers[n]);
	}
}

/* All numbers are given, each once, and there is an end to them. */
static void test_many_numbers(void **state)
{
	const char *names[FT_INTERFACE_NUMBER_MAX + 1];
	char texts[FT_INTERFACE_NUMBER_MAX + 1][16];
	uint16_t numbers[FT_INTERFACE_NUMBER_MAX + 1];
	bool seen[FT_INTERFACE_NUMBER_MAX + 1] = {false};

	(void)state;
	for (size_t i = 0; i < FT_COUNT(names); i++) {
		snprintf(texts[i], sizeof(texts[i]), "%c%zu", 'a' + (int)(i % 3), i / 2);
		names[i] = texts[i];
	}
	assert_int_equal(ft_interfaces_number(names, FT_INTERFACE_NUMBER_MAX, numbers), 0);
	for (size_t i = 0; i < FT_INTERFACE_NUMBER_MAX; i++) {
		assert_in_range(numbers[i], 1, FT_INTERFACE_NUMBER_MAX);
		assert_false(seen[numbers[i]]);
		seen[numbers[i]] = true;
	}
	assert_int_equal(ft_interfaces_number(names, FT_COUNT(names), numbers), -E2BIG);
}

int main(void)
{
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_other_files),
		cmocka_unit_test(test_machine_of_file),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_many_numbers),
	};
	struct CMUnitTest tests[FT_COUNT(rows) + FT_COUNT(others)];

	for (size_t i = 0; i < FT_COUNT(rows); i++)
		tests[i] = (struct CMUnitTest){rows[i].what, test_row, NULL, NULL, (void *)(uintptr_t)&rows[i]};
	memcpy(tests + FT_COUNT(rows), others, sizeof(others));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
