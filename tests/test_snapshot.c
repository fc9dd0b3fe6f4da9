/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Snapshots: building, checking, comparing, saving, handing over; and every allocation on the way allocation_failing
 * once.
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
#include <sys/stat.h>
#include <time.h>

#include <cmocka.h>
#include <jansson.h>

#include "base/json.h"
#include "probe/snapshot_parts.h"
#include "probe/source.h"
#include "tests/allocations.h"

static uint64_t random_state;

static uint32_t random_below(uint32_t limit)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)((random_state >> 16) % limit);
}

static int random_setup(void **state)
{
	const char *seed = getenv("FT_SEED");

	(void)state;
	random_state = seed ? strtoull(seed, NULL, 0) : ((uint64_t)time(NULL) << 20 ^ (uint64_t)getpid()) | 1;
	print_message("FT_SEED=0x%" PRIx64 "\n", random_state);
	return 0;
}

/* Two switches, a host between them by two cables, one port each silent, down and unread. */
static struct ft_snapshot *sample(void)
{
	struct ft_builder *builder = NULL;
	struct ft_snapshot *s = NULL;
	uint32_t a, b, host;

	assert_int_equal(ft_builder_new(&builder), 0);
	*ft_builder_source(builder) = (struct ft_snapshot_source){.live = true,
								  .complete = true,
								  .lists_down_ports = true,
								  .entry_node = FT_NONE,
								  .mads = 123,
								  .timeouts = 4,
								  .duration_ms = 567,
								  .time_s = 1614088926};
	assert_int_equal(ft_builder_set_detail(builder, "mlx5_0 port 1"), 0);
	ft_builder_set_entry(builder, 0x20, 0x22, 0);
	assert_int_equal(ft_builder_add_node(builder,
					     &(struct ft_build_node){.guid = 0x10,
								     .system_guid = 0x1f,
								     .vendor_id = 0x2c9,
								     .device_id = 0xd2f0,
								     .description = "one \\ \x80\n",
								     .description_length = 8,
								     .lid = 1,
								     .port_count = 4,
								     .port_count_known = true,
								     .type = FT_NODE_SWITCH},
					     &a),
			 0);
	assert_int_equal(ft_builder_add_node(builder,
					     &(struct ft_build_node){.guid = 0x11,
								     .description = "two",
								     .description_length = 3,
								     .lid = 2,
								     .lmc = 1,
								     .port_count = 4,
								     .port_count_known = true,
								     .type = FT_NODE_SWITCH,
								     .sm = true},
					     &b),
			 0);
	assert_int_equal(ft_builder_add_node(builder,
					     &(struct ft_build_node){.guid = 0x20,
								     .description = "host",
								     .description_length = 4,
								     .port_count = 2,
								     .port_count_known = true,
								     .type = FT_NODE_CA},
					     &host),
			 0);
#define ADD(node, ...) assert_int_equal(ft_builder_add_port(builder, node, &(struct ft_build_port){__VA_ARGS__}), 0)
	ADD(a, .number = 1, .link = FT_LINK_UP, .peer_guid = 0x20, .peer_number = 1, .phys_state = 5,
	    .logical_state = 4, .rate = {4, FT_SPEED_HDR});
	ADD(a, .number = 2, .link = FT_LINK_SILENT, .phys_state = 5, .rate = {2, FT_SPEED_UNKNOWN});
	ADD(a, .number = 3, .link = FT_LINK_DOWN, .phys_state = 2);
	ADD(b, .number = 1, .link = FT_LINK_UP, .peer_guid = 0x20, .peer_number = 2, .rate = {4, FT_SPEED_HDR});
	ADD(b, .number = 2, .link = FT_LINK_DOWN);
	ADD(host, .number = 1, .guid = 0x21, .lid = 5, .lmc = 1, .link = FT_LINK_UP, .peer_guid = 0x10,
	    .peer_number = 1, .rate = {4, FT_SPEED_HDR});
	ADD(host, .number = 2, .guid = 0x22, .lid = 6, .link = FT_LINK_UP, .peer_guid = 0x11, .peer_number = 1,
	    .rate = {4, FT_SPEED_HDR}, .sm = true,
	    .limits = {.speeds_enabled = 1 << FT_SPEED_HDR,
		       .speeds_supported = FT_SPEEDS_MAX,
		       .widths_enabled = 2,
		       .widths_supported = FT_WIDTHS_MAX});
#undef ADD
	assert_int_equal(ft_builder_finish(builder, &s, NULL, NULL), 0);
	ft_builder_free(builder);
	return s;
}

/* Field by field, places in the arena apart. */
static void assert_same(const struct ft_snapshot *a, const struct ft_snapshot *b)
{
	assert_int_equal(a->node_count, b->node_count);
	assert_int_equal(a->port_count, b->port_count);
	for (uint32_t n = 0; n < a->node_count; n++) {
		struct ft_node x = a->nodes[n], y = b->nodes[n];

		assert_memory_equal(ft_node_description(a, &x), ft_node_description(b, &y), x.description_length + 1U);
		x.description = y.description = 0;
		assert_memory_equal(&x, &y, sizeof(x));
	}
	assert_memory_equal(a->ports, b->ports, a->port_count * sizeof(*a->ports));
	assert_true(ft_snapshot_same(a, b));
	assert_string_equal(a->strings + a->source.detail, b->strings + b->source.detail);
	assert_int_equal(a->source.live, b->source.live);
	assert_int_equal(a->source.complete, b->source.complete);
	assert_int_equal(a->source.lists_down_ports, b->source.lists_down_ports);
	assert_int_equal(a->source.entry_node, b->source.entry_node);
	assert_int_equal(a->source.entry_port, b->source.entry_port);
	assert_int_equal(a->source.mads, b->source.mads);
	assert_int_equal(a->source.timeouts, b->source.timeouts);
	assert_int_equal(a->source.duration_ms, b->source.duration_ms);
	assert_int_equal(a->source.time_s, b->source.time_s);
}

/* What is written is read in one pass, and the same with its members in another order, which jansson's tree is for. */
static void assert_both_readers(const char *text, size_t length)
{
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *scanned = NULL, *turned = NULL;
	_cleanup_(ft_text_release) struct ft_text one = {0}, other = {0};
	json_t *root = json_loadb(text, length, 0, NULL);
	char *sorted = json_dumps(root, JSON_SORT_KEYS | JSON_INDENT(1));

	assert_int_equal(ft_snapshot_scan(text, length, &scanned), 1);
	assert_non_null(sorted);
	assert_int_equal(ft_snapshot_scan(sorted, strlen(sorted), &turned), 0);
	assert_int_equal(ft_snapshot_read_json(sorted, strlen(sorted), &turned, NULL), 0);
	ft_snapshot_write_json(&one, scanned);
	ft_snapshot_write_json(&other, turned);
	assert_string_equal(ft_text_string(&one), ft_text_string(&other));
	assert_string_equal(ft_text_string(&one), text);
	free(sorted);
	json_decref(root);
}

static struct ft_snapshot *through_json(const struct ft_snapshot *s)
{
	_cleanup_(ft_text_release) struct ft_text text = {0}, again = {0};
	struct ft_snapshot *copy = NULL;
	struct ft_error err = {0};

	ft_snapshot_write_json(&text, s);
	assert_false(ft_text_failed(&text));
	if (ft_snapshot_read_json(text.data, text.length, &copy, &err) < 0)
		fail_msg("%u:%u: %s in\n%s", err.line, err.column, err.text, text.data);
	ft_snapshot_write_json(&again, copy);
	assert_string_equal(ft_text_string(&text), ft_text_string(&again));
	assert_both_readers(text.data, text.length);
	return copy;
}

static struct ft_snapshot *through_file(const struct ft_snapshot *s)
{
	_cleanup_(ft_fclosep) FILE *file = tmpfile();
	_cleanup_free_ char *bytes = NULL;
	struct ft_snapshot *copy = NULL;
	struct ft_error err = {0};
	struct stat st;

	assert_non_null(file);
	assert_int_equal(ft_snapshot_send(fileno(file), s), 0);
	assert_int_equal(fstat(fileno(file), &st), 0);
	/* One byte on, so that nothing is where a struct would be. */
	bytes = malloc((size_t)st.st_size + 1);
	assert_non_null(bytes);
	assert_int_equal(pread(fileno(file), bytes + 1, (size_t)st.st_size, 0), st.st_size);
	if (ft_snapshot_receive(bytes + 1, (size_t)st.st_size, &copy, &err) < 0)
		fail_msg("%s", err.text);
	return copy;
}

static void building(void **state)
{
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *s = sample();
	const struct ft_port *port;

	(void)state;
	assert_int_equal(ft_snapshot_check(s, NULL), 0);
	assert_int_equal(s->node_count, 3);
	assert_int_equal(s->port_count, 10);
	assert_int_equal(s->source.entry_node, 2);
	assert_int_equal(s->source.entry_port, 2);
	assert_string_equal(s->strings + s->source.detail, "mlx5_0 port 1");
	port = ft_node_port(s, &s->nodes[0], 1);
	assert_ptr_equal(ft_port_peer(s, port), ft_node_port(s, &s->nodes[2], 1));
	assert_int_equal(port->guid, 0x10);
	assert_int_equal(port->rate.speed, FT_SPEED_HDR);
	assert_int_equal(ft_node_port(s, &s->nodes[0], 2)->link, FT_LINK_SILENT);
	assert_int_equal(ft_node_port(s, &s->nodes[0], 3)->link, FT_LINK_DOWN);
	assert_int_equal(ft_node_port(s, &s->nodes[0], 4)->link, FT_LINK_UNREAD);
	assert_null(ft_node_port(s, &s->nodes[0], 5));
	assert_int_equal(ft_node_port(s, &s->nodes[2], 2)->lid, 6);
}

static void building_refuses(void **state)
{
	_cleanup_(ft_builder_freep) struct ft_builder *builder = NULL;
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *s = NULL;
	struct ft_error err = {0};
	uint32_t node = 7, place = 0;

	(void)state;
	assert_int_equal(ft_builder_new(&builder), 0);
	assert_int_equal(ft_builder_add_node(builder, &(struct ft_build_node){.port_count = 255}, &node), -EINVAL);
	assert_int_equal(node, 7);
	assert_int_equal(ft_builder_add_port(builder, 0, &(struct ft_build_port){.number = 1}), -EINVAL);
	assert_int_equal(
		ft_builder_add_node(
			builder, &(struct ft_build_node){.guid = 1, .port_count = 2, .port_count_known = true}, &node),
		0);
	assert_int_equal(ft_builder_add_port(builder, node, &(struct ft_build_port){.number = 0}), -EINVAL);
	assert_int_equal(ft_builder_add_port(builder, node, &(struct ft_build_port){.number = 255}), -EINVAL);
	assert_int_equal(ft_builder_add_port(builder, node, &(struct ft_build_port){.number = 1, .peer_number = 255}),
			 -EINVAL);
	assert_int_equal(ft_builder_add_port(builder, node, &(struct ft_build_port){.number = 3, .place = 99}), 0);
	assert_int_equal(ft_builder_finish(builder, &s, &err, &place), -EINVAL);
	assert_string_equal(err.text, "port 3 is beyond the 2 ports of its node");
	assert_int_equal(place, 99);
	assert_null(s);
}

static void building_nothing(void **state)
{
	_cleanup_(ft_builder_freep) struct ft_builder *builder = NULL;
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *s = NULL, *json = NULL, *file = NULL;

	(void)state;
	assert_int_equal(ft_builder_new(&builder), 0);
	assert_int_equal(ft_builder_finish(builder, &s, NULL, NULL), 0);
	assert_int_equal(s->node_count, 0);
	assert_int_equal(ft_snapshot_check(s, NULL), 0);
	assert_int_equal(ft_snapshot_equal(s, s, NULL), 1);
	json = through_json(s);
	assert_same(s, json);
	file = through_file(s);
	assert_same(s, file);
}

static void detail_is_replaced(void **state)
{
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *s = sample();

	(void)state;
	assert_int_equal(ft_snapshot_set_detail(s, "another"), 0);
	assert_string_equal(s->strings + s->source.detail, "another");
	assert_int_equal(ft_snapshot_check(s, NULL), 0);
	assert_int_equal(ft_snapshot_set_detail(s, ""), 0);
	assert_string_equal(s->strings + s->source.detail, "");
}

/* What makes a snapshot invalid, and how the check says it. Node 2 is the host; its ports are 8 and 9. */
static void spoil_strings(struct ft_snapshot *s)
{
	s->strings[s->strings_length - 1] = 'x';
}
static void spoil_strings_start(struct ft_snapshot *s)
{
	s->strings[0] = 'x';
}
static void spoil_strings_length(struct ft_snapshot *s)
{
	s->strings_length = 0;
}
static void spoil_detail(struct ft_snapshot *s)
{
	s->source.detail = s->strings_length;
}
static void spoil_type(struct ft_snapshot *s)
{
	s->nodes[1].type = 4;
}
static void spoil_description(struct ft_snapshot *s)
{
	s->nodes[2].description = s->strings_length - 2;
}
static void spoil_description_far(struct ft_snapshot *s)
{
	s->nodes[2].description = UINT32_MAX;
}
static void spoil_description_length(struct ft_snapshot *s)
{
	s->nodes[2].description_length = 3;
}
static void spoil_description_nul(struct ft_snapshot *s)
{
	s->strings[s->nodes[2].description + 1] = 0;
}
static void spoil_port_count(struct ft_snapshot *s)
{
	s->nodes[2].port_count = 255;
}
static void spoil_port_more(struct ft_snapshot *s)
{
	s->nodes[2].port_count = 3;
}
static void spoil_port_fewer(struct ft_snapshot *s)
{
	s->nodes[2].port_count = 1;
}
static void spoil_first_port(struct ft_snapshot *s)
{
	s->nodes[2].first_port = UINT32_MAX;
}
static void spoil_first_port_shared(struct ft_snapshot *s)
{
	s->nodes[1].first_port = 0;
}
static void spoil_number(struct ft_snapshot *s)
{
	s->ports[9].number = 1;
}
static void spoil_owner(struct ft_snapshot *s)
{
	s->ports[9].node = 1;
}
static void spoil_link(struct ft_snapshot *s)
{
	s->ports[9].link = 4;
}
static void spoil_phys(struct ft_snapshot *s)
{
	s->ports[9].phys_state = 16;
}
static void spoil_lanes(struct ft_snapshot *s)
{
	s->ports[9].rate.lanes = 3;
}
static void spoil_speed(struct ft_snapshot *s)
{
	s->ports[9].rate.speed = FT_SPEED_COUNT;
}
static void spoil_rate_down(struct ft_snapshot *s)
{
	s->ports[3].rate.lanes = 4;
}
static void spoil_limits_down(struct ft_snapshot *s)
{
	s->ports[3].limits.widths_enabled = 2;
}
static void spoil_widths(struct ft_snapshot *s)
{
	s->ports[9].limits.widths_supported = 32;
}
static void spoil_speeds(struct ft_snapshot *s)
{
	s->ports[9].limits.speeds_enabled = 1 << FT_SPEED_COUNT;
}
static void spoil_sm(struct ft_snapshot *s)
{
	s->ports[9].sm = 2;
}
static void spoil_up(struct ft_snapshot *s)
{
	s->ports[3].link = FT_LINK_UP;
}
static void spoil_peer_down(struct ft_snapshot *s)
{
	s->ports[3].peer = 0;
}
static void spoil_peer(struct ft_snapshot *s)
{
	s->ports[9].peer = 0;
}
static void spoil_peer_far(struct ft_snapshot *s)
{
	s->ports[9].peer = 10;
}
static void spoil_entry(struct ft_snapshot *s)
{
	s->source.entry_node = 3;
}
static void spoil_entry_port(struct ft_snapshot *s)
{
	s->source.entry_port = 3;
}
static void spoil_entry_none(struct ft_snapshot *s)
{
	s->source.entry_node = FT_NONE;
}

static const struct spoil {
	const char *name;
	void (*apply)(struct ft_snapshot *s);
	const char *expected;
} spoils[] = {
	{"the strings' end", spoil_strings, "the strings are not closed by NULs"},
	{"the strings' start", spoil_strings_start, "the strings are not closed by NULs"},
	{"no strings", spoil_strings_length, "the strings are not closed by NULs"},
	{"detail", spoil_detail, "the source's detail lies outside the strings"},
	{"type", spoil_type, "node 1 is of no known type"},
	{"description beyond the end", spoil_description, "the description of node 2 is no string"},
	{"description far beyond", spoil_description_far, "the description of node 2 is no string"},
	{"description's length", spoil_description_length, "the description of node 2 is no string"},
	{"NUL in a description", spoil_description_nul, "the description of node 2 is no string"},
	{"port count", spoil_port_count, "node 2 has more than 254 ports"},
	{"port count beyond the array", spoil_port_more, "ports of node 2 lie outside"},
	{"port left over", spoil_port_fewer, "there are ports of no node"},
	{"first port", spoil_first_port, "ports of node 2 lie outside"},
	{"ports of another node", spoil_first_port_shared, "port 1 of node 1 is not its own"},
	{"port number", spoil_number, "port 2 of node 2 is not its own"},
	{"owner", spoil_owner, "port 2 of node 2 is not its own"},
	{"link", spoil_link, "port 9 is in no known state"},
	{"physical state", spoil_phys, "port 9 is in no known state"},
	{"lanes", spoil_lanes, "port 9 has an impossible rate"},
	{"speed", spoil_speed, "port 9 has an impossible rate"},
	{"rate of a port that is down", spoil_rate_down, "port 3 has an impossible rate"},
	{"settings of a port that is down", spoil_limits_down, "port 3 has impossible settings"},
	{"widths", spoil_widths, "port 9 has impossible settings"},
	{"speeds", spoil_speeds, "port 9 has impossible settings"},
	{"a subnet manager, or none", spoil_sm, "port 9 is in no known state"},
	{"up without a far end", spoil_up, "port 3 is up without a far end, or the reverse"},
	{"down with a far end", spoil_peer_down, "port 3 is up without a far end, or the reverse"},
	{"far end of another port", spoil_peer, "the link of port 4 is not mutual"},
	{"far end beyond the array", spoil_peer_far, "the link of port 4 is not mutual"},
	{"entry", spoil_entry, "the entry is no port of the fabric"},
	{"entry port", spoil_entry_port, "the entry is no port of the fabric"},
	{"entry port of no node", spoil_entry_none, "the entry is no port of the fabric"},
};

static void spoil_test(void **state)
{
	const struct spoil *spoil = *state;
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *s = sample();
	struct ft_error err = {0};

	assert_int_equal(ft_snapshot_check(s, &err), 0);
	spoil->apply(s);
	assert_int_equal(ft_snapshot_check(s, &err), -EINVAL);
	assert_string_equal(err.text, spoil->expected);
}

/* Changes that keep the snapshot valid, and whether the fabric is another one then. */
static void change_nothing(struct ft_snapshot *s)
{
	(void)s;
}
static void change_source(struct ft_snapshot *s)
{
	s->source = (struct ft_snapshot_source){.lists_down_ports = true};
}
static void change_guid(struct ft_snapshot *s)
{
	s->nodes[1].guid = 0x12;
}
static void change_type(struct ft_snapshot *s)
{
	s->nodes[1].type = FT_NODE_ROUTER;
}
static void change_description(struct ft_snapshot *s)
{
	s->strings[s->nodes[1].description] = 'x';
}
static void change_no_description(struct ft_snapshot *s)
{
	s->nodes[1].description = 0;
	s->nodes[1].description_length = 0;
}
static void change_lid(struct ft_snapshot *s)
{
	s->nodes[1].lid = 9;
}
static void change_no_lid(struct ft_snapshot *s)
{
	s->nodes[1].lid = 0;
}
static void change_permissive_lid(struct ft_snapshot *s)
{
	s->nodes[1].lid = 65535;
}
static void change_system(struct ft_snapshot *s)
{
	s->nodes[0].system_guid = 9;
}
static void change_port_lid(struct ft_snapshot *s)
{
	s->ports[9].lid = 9;
}
static void change_port_guid(struct ft_snapshot *s)
{
	s->ports[9].guid = 9;
}
static void change_rate(struct ft_snapshot *s)
{
	s->ports[9].rate.speed = FT_SPEED_EDR;
}
static void change_lanes(struct ft_snapshot *s)
{
	s->ports[9].rate.lanes = 2;
}
static void change_no_rate(struct ft_snapshot *s)
{
	s->ports[9].rate = (struct ft_rate){0};
}
static void change_phys(struct ft_snapshot *s)
{
	s->ports[0].phys_state = 4;
}
static void change_logical(struct ft_snapshot *s)
{
	s->ports[0].logical_state = 2;
}
static void change_swap(struct ft_snapshot *s)
{
	s->ports[0].peer = 9;
	s->ports[9].peer = 0;
	s->ports[4].peer = 8;
	s->ports[8].peer = 4;
}
static void change_cut(struct ft_snapshot *s)
{
	s->ports[0].peer = s->ports[8].peer = FT_NONE;
	s->ports[0].link = s->ports[8].link = FT_LINK_DOWN;
	s->ports[0].rate = s->ports[8].rate = (struct ft_rate){0};
}
static void change_unread(struct ft_snapshot *s)
{
	change_cut(s);
	s->ports[0].link = s->ports[8].link = FT_LINK_UNREAD;
}
static void change_silent_down(struct ft_snapshot *s)
{
	s->ports[1].link = FT_LINK_DOWN;
	s->ports[1].rate = (struct ft_rate){0};
}
static void change_silent_unlisted(struct ft_snapshot *s)
{
	change_silent_down(s);
	s->source.lists_down_ports = false;
}

static const struct change {
	const char *name;
	void (*apply)(struct ft_snapshot *s);
	const char *difference; /* "" where equal */
} changes[] = {
	{"nothing", change_nothing, ""},
	{"where from and when", change_source, ""},
	{"GUID", change_guid, "node 0x0000000000000011 \"two\" is only here"},
	{"type", change_type, "node 0x0000000000000011 \"two\": its type is 0x1 here and 0x3 there"},
	{"description", change_description, "node 0x0000000000000011 \"two\" is there node 0x0000000000000011 \"xwo\""},
	{"description not known", change_no_description, ""},
	{"LID", change_lid, "node 0x0000000000000011 \"two\": its LID is 0x2 here and 0x9 there"},
	{"LID not known", change_no_lid, ""},
	{"permissive LID", change_permissive_lid, ""},
	{"SystemImageGUID", change_system,
	 "node 0x0000000000000010 \"one \\ \\x80\\x0a\": its SystemImageGUID is 0x1f here and 0x9 there"},
	{"port's LID", change_port_lid, "node 0x0000000000000020 \"host\" port 2: its LID is 0x6 here and 0x9 there"},
	{"port's GUID", change_port_guid,
	 "node 0x0000000000000020 \"host\" port 2: its GUID is 0x22 here and 0x9 there"},
	{"speed", change_rate, "node 0x0000000000000020 \"host\" port 2: its speed is 0x7 here and 0x6 there"},
	{"width", change_lanes, "node 0x0000000000000020 \"host\" port 2: its width is 0x4 here and 0x2 there"},
	{"rate not known", change_no_rate, ""},
	{"physical state", change_phys,
	 "node 0x0000000000000010 \"one \\ \\x80\\x0a\" port 1: its physical state is 0x5 here and 0x4 there"},
	{"logical state", change_logical,
	 "node 0x0000000000000010 \"one \\ \\x80\\x0a\" port 1: its logical state is 0x4 here and 0x2 there"},
	{"swapped cables", change_swap,
	 "node 0x0000000000000010 \"one \\ \\x80\\x0a\" port 1: cabled to node 0x0000000000000020 \"host\" port 1 here "
	 "and to "
	 "node 0x0000000000000020 \"host\" port 2 there"},
	{"a cable cut", change_cut,
	 "node 0x0000000000000010 \"one \\ \\x80\\x0a\" port 1: its link's state is 0x3 here and 0x1 there"},
	{"ports not read", change_unread, ""},
	{"silent against down", change_silent_down,
	 "node 0x0000000000000010 \"one \\ \\x80\\x0a\" port 2: its link's state is 0x2 here and 0x1 there"},
	{"silent against not listed", change_silent_unlisted, ""},
};

static void change_test(void **state)
{
	const struct change *change = *state;
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *a = sample(), *b = sample();
	_cleanup_(ft_text_release) struct ft_text text = {0};
	bool equal = change->difference[0] == '\0';

	change->apply(b);
	assert_int_equal(ft_snapshot_check(b, NULL), 0);
	assert_int_equal(ft_snapshot_equal(a, b, &text), equal);
	assert_string_equal(ft_text_string(&text), change->difference);
	assert_int_equal(ft_snapshot_equal(a, b, NULL), equal);
	assert_int_equal(ft_snapshot_equal(b, a, NULL), equal);
	/* That something is not known any more is a difference, and where a sweep began. */
	assert_int_equal(ft_snapshot_same(a, b), change->apply == change_nothing);
	assert_int_equal(ft_snapshot_same(b, a), ft_snapshot_same(a, b));
}

static void missing_node(void **state)
{
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *a = sample(), *b = NULL;
	_cleanup_(ft_builder_freep) struct ft_builder *builder = NULL;
	_cleanup_(ft_text_release) struct ft_text text = {0};

	(void)state;
	assert_int_equal(ft_builder_new(&builder), 0);
	assert_int_equal(ft_builder_finish(builder, &b, NULL, NULL), 0);
	assert_int_equal(ft_snapshot_equal(a, b, &text), 0);
	assert_string_equal(ft_text_string(&text), "node 0x0000000000000010 \"one \\ \\x80\\x0a\" is only here");
	assert_int_equal(ft_snapshot_equal(b, a, &text), 0);
	assert_string_equal(ft_text_string(&text), "node 0x0000000000000010 \"one \\ \\x80\\x0a\" is only there");
}

/* A parcel that was cut anywhere, or has any one byte changed, is refused or is a valid snapshot. */
static void damaged_parcels(void **state)
{
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *s = sample();
	_cleanup_(ft_fclosep) FILE *file = tmpfile();
	unsigned char bytes[4096];
	struct ft_error err;
	size_t length;

	(void)state;
	assert_non_null(file);
	assert_int_equal(ft_snapshot_send(fileno(file), s), 0);
	length = (size_t)pread(fileno(file), bytes, sizeof(bytes), 0);
	assert_in_range(length, 100, sizeof(bytes) - 1);
	for (size_t cut = 0; cut <= length + 1; cut++) {
		_cleanup_(ft_snapshot_freep) struct ft_snapshot *copy = NULL;

		assert_int_equal(ft_snapshot_receive(bytes, cut, &copy, &err), cut == length ? 0 : -EINVAL);
	}
	for (size_t at = 0; at < length; at++)
		for (unsigned int bit = 0; bit < 8; bit++) {
			_cleanup_(ft_snapshot_freep) struct ft_snapshot *copy = NULL;

			bytes[at] ^= (unsigned char)(1 << bit);
			if (ft_snapshot_receive(bytes, length, &copy, &err) == 0)
				assert_int_equal(ft_snapshot_check(copy, NULL), 0);
			else
				assert_null(copy);
			bytes[at] ^= (unsigned char)(1 << bit);
		}
}

static void sending_fails(void **state)
{
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *s = sample();

	(void)state;
	assert_int_equal(ft_snapshot_send(-1, s), -EBADF);
}

/*
 * However a file is damaged, the reader in one pass takes nothing that the tree's refuses, and understands nothing
 * otherwise.
 */
static void scan_takes_no_more(void **state)
{
	static const char odd[] = "0123456789-+.eE\\\"{}[]:, \n\t\x01\x80\xc3\xa9xun";
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *s = sample();
	_cleanup_(ft_text_release) struct ft_text text = {0};
	unsigned int taken = 0;

	(void)state;
	ft_snapshot_write_json(&text, s);
	for (unsigned int round = 0; round < 30000; round++) {
		_cleanup_(ft_snapshot_freep) struct ft_snapshot *scanned = NULL, *read = NULL;
		_cleanup_(ft_text_release) struct ft_text one = {0}, other = {0};
		size_t at = random_below((uint32_t)text.length);
		char old = text.data[at];
		json_t *root;
		char *sorted;

		text.data[at] = odd[random_below(sizeof(odd))];
		if (ft_snapshot_scan(text.data, text.length, &scanned) == 1) {
			root = memchr(text.data, '\0', text.length)
				       ? NULL
				       : json_loadb(text.data, text.length, JSON_REJECT_DUPLICATES, NULL);
			if (!root)
				fail_msg("byte %zu: %c became %c, and jansson refuses it", at, old, text.data[at]);
			sorted = json_dumps(root, JSON_SORT_KEYS);
			assert_non_null(sorted);
			if (ft_snapshot_check(scanned, NULL) == 0) {
				assert_int_equal(ft_snapshot_read_json(sorted, strlen(sorted), &read, NULL), 0);
				ft_snapshot_write_json(&one, scanned);
				ft_snapshot_write_json(&other, read);
				assert_string_equal(ft_text_string(&one), ft_text_string(&other));
				taken++;
			} else {
				assert_int_equal(ft_snapshot_read_json(sorted, strlen(sorted), &read, NULL), -EINVAL);
			}
			free(sorted);
			json_decref(root);
		}
		text.data[at] = old;
	}
	assert_true(taken > 100);
}

static void sample_travels(void **state)
{
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *s = sample(), *json = through_json(s), *file = through_file(s);

	(void)state;
	assert_same(s, json);
	assert_same(s, file);
	assert_int_equal(ft_snapshot_equal(s, json, NULL), 1);
}

enum { RANDOM_NODES = 12, RANDOM_PORTS = 6 };

/* A random far end of some port, whether it is consistent with the others or not. */
static void random_port(struct ft_builder *builder, uint32_t node, unsigned int number, uint32_t nodes)
{
	static const uint8_t lanes[] = {0, 1, 2, 4, 8, 12};
	struct ft_build_port port = {
		.number = (uint8_t)number,
		.link = (uint8_t)random_below(FT_LINK_UP),
		.guid = random_below(2) ? 0x1000 + random_below(100) : 0,
		.lid = (uint16_t)random_below(65536),
		.lmc = (uint8_t)random_below(8),
		.phys_state = (uint8_t)random_below(8),
		.logical_state = (uint8_t)random_below(5),
		.rate = {lanes[random_below(FT_COUNT(lanes))], (uint8_t)random_below(FT_SPEED_COUNT)},
	};

	if (random_below(2)) {
		port.peer_guid = random_below(nodes + 2);
		port.peer_number = (uint8_t)(1 + random_below(RANDOM_PORTS));
		port.peer_type = (uint8_t)random_below(4);
		port.peer_port_guid = random_below(50);
		port.peer_lid = (uint16_t)random_below(10);
	}
	assert_int_equal(ft_builder_add_port(builder, node, &port), 0);
}

static void random_node(struct ft_builder *builder, uint32_t guid, uint32_t nodes)
{
	char description[70];
	struct ft_build_node node = {
		.guid = random_below(8) ? guid : random_below(nodes),
		.system_guid = random_below(2) ? random_below(1000) : 0,
		.vendor_id = random_below(2),
		.device_id = random_below(70000),
		.chassis = random_below(4),
		.slotted = random_below(2),
		.description = description,
		.description_length = random_below(sizeof(description)),
		.lid = (uint16_t)random_below(65536),
		.lmc = (uint8_t)random_below(8),
		.port_count = RANDOM_PORTS,
		.port_count_known = random_below(2),
		.type = (uint8_t)random_below(4),
		.unlisted = (uint8_t)random_below(2),
	};
	uint32_t id;

	for (size_t i = 0; i < sizeof(description); i++)
		description[i] = (char)(random_below(4) ? 0x20 + random_below(0x60) : random_below(256));
	assert_int_equal(ft_builder_add_node(builder, &node, &id), 0);
	for (unsigned int n = 1; n <= RANDOM_PORTS; n++)
		if (random_below(4))
			random_port(builder, id, n, nodes);
}

static struct ft_snapshot *random_snapshot(void)
{
	_cleanup_(ft_builder_freep) struct ft_builder *builder = NULL;
	uint32_t nodes = 1 + random_below(RANDOM_NODES);
	struct ft_snapshot *s = NULL;
	struct ft_error err = {0};

	assert_int_equal(ft_builder_new(&builder), 0);
	*ft_builder_source(builder) =
		(struct ft_snapshot_source){.live = random_below(2),
					    .complete = random_below(2),
					    .lists_down_ports = random_below(2),
					    .entry_node = FT_NONE,
					    .mads = random_below(UINT32_MAX),
					    .time_s = (int64_t)random_below(UINT32_MAX) - 1000000};
	ft_builder_set_entry(builder, random_below(nodes), random_below(50), (uint8_t)random_below(8));
	for (uint32_t n = 0; n < nodes; n++)
		random_node(builder, n, nodes);
	if (ft_builder_finish(builder, &s, &err, NULL) < 0)
		fail_msg("%s", err.text);
	return s;
}

/* The same fabric with its nodes in another order. */
static struct ft_snapshot *shuffled(const struct ft_snapshot *s)
{
	struct ft_snapshot *t = through_file(s);
	uint32_t *place = test_calloc(s->node_count + 1, sizeof(*place)),
		 *moved = test_calloc(s->port_count + 1, sizeof(*moved));
	uint32_t first = 0;

	for (uint32_t n = 0; n < s->node_count; n++)
		place[n] = n;
	for (uint32_t n = s->node_count; n > 1; n--) {
		uint32_t other = random_below(n), kept = place[n - 1];

		place[n - 1] = place[other];
		place[other] = kept;
	}
	for (uint32_t n = 0; n < s->node_count; n++) {
		const struct ft_node *from = &s->nodes[place[n]];

		t->nodes[n] = *from;
		t->nodes[n].first_port = first;
		for (unsigned int i = 0; i < from->port_count; i++) {
			moved[from->first_port + i] = first;
			t->ports[first] = s->ports[from->first_port + i];
			t->ports[first++].node = n;
		}
	}
	for (uint32_t p = 0; p < t->port_count; p++)
		if (t->ports[p].peer != FT_NONE)
			t->ports[p].peer = moved[t->ports[p].peer];
	t->source.entry_node = FT_NONE;
	t->source.entry_port = 0;
	test_free(place);
	test_free(moved);
	return t;
}

/* Duplicates of one GUID that differ in nothing the order looks at may be paired either way. */
static bool guids_are_unique(const struct ft_snapshot *s)
{
	for (uint32_t a = 0; a < s->node_count; a++)
		for (uint32_t b = 0; b < a; b++)
			if (s->nodes[a].guid == s->nodes[b].guid)
				return false;
	return true;
}

static void random_snapshots_travel(void **state)
{
	unsigned int links = 0, shuffles = 0;

	(void)state;
	for (unsigned int round = 0; round < 300; round++) {
		_cleanup_(ft_snapshot_freep) struct ft_snapshot *s = random_snapshot(), *json = NULL, *file = NULL;
		_cleanup_(ft_snapshot_freep) struct ft_snapshot *other = NULL;
		struct ft_error err = {0};

		if (ft_snapshot_check(s, &err) < 0)
			fail_msg("round %u: %s", round, err.text);
		json = through_json(s);
		file = through_file(s);
		assert_same(s, json);
		assert_same(s, file);
		for (uint32_t p = 0; p < s->port_count; p++)
			links += s->ports[p].peer != FT_NONE;
		if (!guids_are_unique(s))
			continue;
		shuffles++;
		other = shuffled(s);
		assert_int_equal(ft_snapshot_check(other, NULL), 0);
		assert_int_equal(ft_snapshot_equal(s, other, NULL), 1);
	}
	/* The random fabrics are not trivial ones. */
	assert_in_range(links, 300, UINT32_MAX);
	assert_in_range(shuffles, 10, 300);
}

#define SOURCE                                                                                                         \
	"\"source\": {\"live\": false, \"complete\": true, \"lists_down_ports\": false, \"detail\": \"\", \"entry\": " \
	"null}"
#define SNAPSHOT(nodes, links) \
	"{\"ftcheck_snapshot\": 1,\n" SOURCE ",\n\"nodes\": [" nodes "],\n\"links\": [" links "]}"
#define NODE(members) SNAPSHOT("{\"type\": \"switch\", \"guid\": \"0x10\", \"port_count\": 4" members "}", "")
#define PORTS(ports) NODE(", \"ports\": [" ports "]")
#define PAIR                                                                                                           \
	"{\"type\": \"switch\", \"guid\": \"0x10\", \"port_count\": 4, \"ports\": [{\"number\": 1}, {\"number\": 2}, " \
	"{\"number\": 3, \"link\": \"silent\"}]}"

static const struct json_row {
	const char *name;
	const char *text;
	const char *expected; /* "" where it is fine */
} json_rows[] = {
	{"no nodes", SNAPSHOT("", ""), ""},
	{"a node", NODE(""), ""},
	{"links", SNAPSHOT(PAIR, "[0, 1, 0, 2]"), ""},
	{"a loopback plug",
	 SNAPSHOT("{\"type\": \"switch\", \"guid\": \"0x10\", \"port_count\": 1, \"ports\": [{\"number\": 1}]}",
		  "[0, 1, 0, 1]"),
	 ""},
	{"escapes", NODE(", \"description\": \"a\\\\\\\\b\\\\x0a\\\\xff\""), ""},
	{"not JSON", "{\"ftcheck_snapshot\": 1,\n oops}", "2:2: quotation marks are missing: write \"oops\""},
	{"cut", "{\"ftcheck_snapshot\": 1,\n", "2:1: the file ends, and the { in line 1 is still to be closed"},
	{"an array", "[1]", "1:1: this JSON is no ftcheck snapshot"},
	{"a design", "{\"ftcheck\": 1}", "1:2: this is a design, not a recorded fabric; give it to --plan"},
	{"a version in words", "{\"ftcheck_snapshot\": \"1\"}", "1:22: \"ftcheck_snapshot\" is to be a version number"},
	{"version 0", "{\"ftcheck_snapshot\": 0}", "1:22: \"ftcheck_snapshot\" is to be a version number"},
	{"a version to come", "{\"ftcheck_snapshot\": 3, \"x\": 1}",
	 "1:22: snapshot version 3 is newer than this program understands"},
	{"ports up to one that is not there", PORTS("{\"number\": 1, \"link\": \"down\", \"last\": 250}"),
	 "3:111: \"last\" is from \"number\" to the node's \"port_count\""},
	{"ports up to one before the first", PORTS("{\"number\": 2, \"link\": \"down\", \"last\": 1}"),
	 "3:111: \"last\" is from \"number\" to the node's \"port_count\""},
	{"nothing else", "{\"ftcheck_snapshot\": 1}", "1:1: \"source\" is missing"},
	{"twice the same key", "{\"ftcheck_snapshot\": 1,\n\"nodes\": [], \"nodes\": []}",
	 "2:20: duplicate object key near '\"nodes\"'"},
	{"an unknown key", "{\"ftcheck_snapshot\": 1,\n\"switches\": []}", "2:1: unknown key \"switches\""},
	{"nodes no array", "{\"ftcheck_snapshot\": 1,\n\"nodes\": {}}", "2:10: \"nodes\" is to be an array"},
	{"source no object", "{\"ftcheck_snapshot\": 1, \"nodes\": [], \"links\": [],\n\"source\": 7}",
	 "2:11: \"source\" is to be an object"},
	{"source empty", "{\"ftcheck_snapshot\": 1, \"nodes\": [], \"links\": [],\n\"source\": {}}",
	 "2:11: \"live\" is missing"},
	{"a truth in words",
	 "{\"ftcheck_snapshot\": 1, \"nodes\": [], \"links\": [],\n\"source\": {\"live\": \"yes\"}}",
	 "2:20: \"live\" is to be true or false"},
	{"an entry of no node",
	 "{\"ftcheck_snapshot\": 1, \"nodes\": [], \"links\": [],\n\"source\": {\"live\": true, \"complete\": true, "
	 "\"lists_down_ports\": true,\n"
	 "\"detail\": \"\", \"entry\": [0, 1]}}",
	 "3:24: \"entry\" is to be null, or a node and one of its ports"},
	{"a node no object", SNAPSHOT("7", ""), "3:11: a node is to be an object"},
	{"a node without a type", SNAPSHOT("{\"guid\": \"0x10\"}", ""), "3:11: \"type\" is missing"},
	{"an unknown type", SNAPSHOT("{\"type\": \"hub\"}", ""),
	 "3:20: \"type\" is to be \"switch\", \"ca\", \"router\" or \"unknown\""},
	{"a GUID without 0x", SNAPSHOT("{\"guid\": \"10\"}", ""),
	 "3:20: \"guid\" is to be a GUID such as \"0x0002c90200404730\""},
	{"a GUID of 17 digits", SNAPSHOT("{\"guid\": \"0x10000000000000000\"}", ""),
	 "3:20: \"guid\" is to be a GUID such as \"0x0002c90200404730\""},
	{"a LID out of range", SNAPSHOT("{\"lid\": 65536}", ""), "3:19: \"lid\" is to be a number within its range"},
	{"a negative LID", SNAPSHOT("{\"lid\": -1}", ""), "3:19: \"lid\" is to be a number within its range"},
	{"a LID with a fraction", SNAPSHOT("{\"lid\": 1.5}", ""), "3:19: \"lid\" is to be a number within its range"},
	{"too many ports", SNAPSHOT("{\"port_count\": 255}", ""),
	 "3:26: \"port_count\" is to be a number within its range"},
	{"an escape unknown", NODE(", \"description\": \"\\\\n\""),
	 "3:78: in \"description\", a backslash is to be one of \\\\ or \\xNN"},
	{"an escape cut", NODE(", \"description\": \"\\\\x4\""),
	 "3:78: in \"description\", a backslash is to be one of \\\\ or \\xNN"},
	{"an escaped NUL", NODE(", \"description\": \"\\\\x00\""),
	 "3:78: in \"description\", a backslash is to be one of \\\\ or \\xNN"},
	{"ports no objects", PORTS("1"), "3:72: \"ports\" is to be a list of objects"},
	{"a port without a number", PORTS("{}"), "3:73: \"number\" is missing"},
	{"a port beyond the node", PORTS("{\"number\": 5}"),
	 "3:84: ports are listed in order, from 1 to the node's \"port_count\""},
	{"a port twice", PORTS("{\"number\": 1, \"link\": \"down\"}, {\"number\": 1}"),
	 "3:115: ports are listed in order, from 1 to the node's \"port_count\""},
	{"port 0", PORTS("{\"number\": 0}"), "3:84: ports are listed in order, from 1 to the node's \"port_count\""},
	{"an unknown link", PORTS("{\"number\": 1, \"link\": \"up\"}"),
	 "3:95: \"link\" is to be \"unread\", \"down\" or \"silent\""},
	{"an unknown rate", PORTS("{\"number\": 1, \"rate\": \"4xZDR\"}"),
	 "3:95: \"rate\" is to be a rate such as \"4xHDR\""},
	{"a rate of a port that is down", PORTS("{\"number\": 1, \"link\": \"down\", \"rate\": \"4xHDR\"}"),
	 "3:103: a port that is not up has no \"rate\""},
	{"a port that is up alone", PORTS("{\"number\": 1}"), "4:1: port 1 of node 0 is up and no link names it"},
	{"a link of three", SNAPSHOT(PAIR, "[0, 1, 0]"),
	 "4:11: a link is to be [node, port, node, port], all of which exist"},
	{"a link of no node", SNAPSHOT(PAIR, "[0, 1, 1, 1]"),
	 "4:11: a link is to be [node, port, node, port], all of which exist"},
	{"a link of no port", SNAPSHOT(PAIR, "[0, 1, 0, 5]"),
	 "4:11: a link is to be [node, port, node, port], all of which exist"},
	{"a link of port 0", SNAPSHOT(PAIR, "[0, 1, 0, 0]"),
	 "4:11: a link is to be [node, port, node, port], all of which exist"},
	{"a link of a port that is down", SNAPSHOT(PAIR, "[0, 1, 0, 4]"),
	 "4:11: this link ends on a port that is not listed as up"},
	{"a link of a silent port", SNAPSHOT(PAIR, "[0, 1, 0, 3]"),
	 "4:11: this link ends on a port that is not listed as up"},
	{"a port linked twice", SNAPSHOT(PAIR, "[0, 1, 0, 2], [0, 2, 0, 1]"),
	 "4:25: this link ends on a port that has another"},
};

static void json_test(void **state)
{
	const struct json_row *row = *state;
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *s = NULL;
	_cleanup_(ft_text_release) struct ft_text text = {0};
	struct ft_error err = {0};
	int r;

	r = ft_snapshot_read_json(row->text, strlen(row->text), &s, &err);
	assert_int_equal(r, row->expected[0] ? -EINVAL : 0);
	if (r < 0) {
		assert_null(s);
		ft_text_printf(&text, "%u:%u: %s", err.line, err.column, err.text);
	}
	assert_string_equal(ft_text_string(&text), row->expected);
}

static void json_keeps_bytes(void **state)
{
	static const char text[] = NODE(", \"description\": \"a\\\\\\\\b\\\\x0a\\\\xff\"");
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *s = NULL;

	(void)state;
	assert_int_equal(ft_snapshot_read_json(text, strlen(text), &s, NULL), 0);
	assert_string_equal(ft_node_description(s, &s->nodes[0]), "a\\b\n\xff");
	assert_int_equal(s->nodes[0].description_length, 5);
}

/* What is measured here: no step may be quadratic in the size of the fabric. */
static void large_fabric(void **state)
{
	_cleanup_(ft_builder_freep) struct ft_builder *builder = NULL;
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *s = NULL, *json = NULL;
	_cleanup_(ft_text_release) struct ft_text text = {0};
	const uint32_t edges = 648, hosts = 18;

	(void)state;
	assert_int_equal(ft_builder_new(&builder), 0);
	for (uint32_t e = 0; e < edges; e++) {
		uint32_t edge, host;

		assert_int_equal(ft_builder_add_node(builder,
						     &(struct ft_build_node){.guid = 0x100000 + e,
									     .port_count = 36,
									     .port_count_known = true,
									     .type = FT_NODE_SWITCH},
						     &edge),
				 0);
		for (uint32_t h = 0; h < hosts; h++) {
			assert_int_equal(ft_builder_add_node(builder,
							     &(struct ft_build_node){.guid = 0x200000 + e * hosts + h,
										     .port_count = 1,
										     .port_count_known = true,
										     .type = FT_NODE_CA},
							     &host),
					 0);
			assert_int_equal(ft_builder_add_port(builder, host,
							     &(struct ft_build_port){.number = 1,
										     .peer_guid = 0x100000 + e,
										     .peer_number = (uint8_t)(h + 1),
										     .rate = {4, FT_SPEED_EDR}}),
					 0);
		}
	}
	assert_int_equal(ft_builder_finish(builder, &s, NULL, NULL), 0);
	assert_int_equal(s->node_count, edges * (1 + hosts));
	ft_snapshot_write_json(&text, s);
	assert_int_equal(ft_snapshot_read_json(text.data, text.length, &json, NULL), 0);
	assert_same(s, json);
	assert_int_equal(ft_snapshot_equal(s, json, NULL), 1);
}

static const char oom_dump[] =
	"Switch 4 \"S-0000000000000010\" # \"sw one\" enhanced port 0 lid 7 lmc 0\n"
	"[1] \"H-0000000000000020\"[1](21) # \"host a\" lid 3 4xHDR\n"
	"[2] \"S-0000000000000011\"[1] # \"sw two\" lid 3 4xHDR\n"
	"Ca 1 \"H-0000000000000020\" # \"host a\"\n"
	"Ca 1 \"H-0000000000000020\" # \"host b\"\n"
	"CA     3  1 0x0000000000000021 4x HDR - SW     7  1 0x0000000000000010 ( 'host a' - 'sw one' )\n"
	"CA     3  1 0x0000000000000031 4x HDR                                     'host c'\n";

/* The steps under test, each with memory that runs out at its n-th allocation. */
static int oom_dump_read(const struct ft_snapshot *s, struct ft_snapshot **ret)
{
	(void)s;
	return ft_dump_read_ibnetdiscover(oom_dump, strlen(oom_dump), ret, NULL);
}

static int oom_equal(const struct ft_snapshot *s, struct ft_snapshot **ret)
{
	int r = ft_snapshot_equal(s, s, NULL);

	(void)ret;
	return r < 0 ? r : 0;
}

static int oom_write(const struct ft_snapshot *s, struct ft_snapshot **ret)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};

	(void)ret;
	ft_snapshot_write_json(&text, s);
	return ft_text_failed(&text) ? -ENOMEM : 0;
}

static int oom_read(const struct ft_snapshot *s, struct ft_snapshot **ret)
{
	static const char text[] = NODE(", \"description\": \"a\"");

	(void)s;
	return ft_snapshot_read_json(text, strlen(text), ret, NULL);
}

static int oom_receive(const struct ft_snapshot *s, struct ft_snapshot **ret)
{
	_cleanup_(ft_fclosep) FILE *file = NULL;
	unsigned int kept = allocation_failing;
	char bytes[4096];
	ssize_t length;

	allocation_failing = 0;
	file = tmpfile();
	assert_non_null(file);
	assert_int_equal(ft_snapshot_send(fileno(file), s), 0);
	length = pread(fileno(file), bytes, sizeof(bytes), 0);
	allocation_failing = kept;
	return ft_snapshot_receive(bytes, (size_t)length, ret, NULL);
}

static int oom_load(const struct ft_snapshot *s, struct ft_snapshot **ret)
{
	char path[] = "test_snapshot.XXXXXX";
	unsigned int kept = allocation_failing;
	int r, fd;

	(void)s;
	allocation_failing = 0;
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, oom_dump, strlen(oom_dump)), strlen(oom_dump));
	close(fd);
	allocation_failing = kept;
	r = ft_source_load(path, ret, NULL);
	unlink(path);
	return r;
}

static const struct oom {
	const char *name;
	int (*step)(const struct ft_snapshot *s, struct ft_snapshot **ret);
	unsigned int allocations; /* at least */
} ooms[] = {
	{"no memory: reading a dump", oom_dump_read, 10}, {"no memory: comparing", oom_equal, 3},
	{"no memory: writing JSON", oom_write, 3},	  {"no memory: reading JSON", oom_read, 4},
	{"no memory: receiving", oom_receive, 4},	  {"no memory: loading", oom_load, 11},
};

static void oom_test(void **state)
{
	const struct oom *oom = *state;
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *s = sample();
	unsigned int nth = 0;
	int r;

	do {
		struct ft_snapshot *made = NULL;
		bool failed;

		allocation_failing = ++nth;
		r = oom->step(s, &made);
		failed = allocation_failing == 0;
		allocation_failing = 0;
		/* An allocation that may fail without harm: an array that could not be shrunk. */
		if (r < 0) {
			assert_int_equal(r, -ENOMEM);
			assert_null(made);
		}
		ft_snapshot_free(made);
		if (!failed)
			break;
	} while (nth < 1000);
	assert_int_equal(r, 0);
	assert_in_range(nth - 1, oom->allocations, 998);
}

int main(void)
{
	static struct CMUnitTest
		tests[FT_COUNT(spoils) + FT_COUNT(changes) + FT_COUNT(json_rows) + FT_COUNT(ooms) + 16];
	const struct CMUnitTest others[] = {
		cmocka_unit_test(building),
		cmocka_unit_test(building_refuses),
		cmocka_unit_test(building_nothing),
		cmocka_unit_test(detail_is_replaced),
		cmocka_unit_test(missing_node),
		cmocka_unit_test(damaged_parcels),
		cmocka_unit_test(sending_fails),
		cmocka_unit_test(sample_travels),
		cmocka_unit_test_setup(scan_takes_no_more, random_setup),
		cmocka_unit_test_setup(random_snapshots_travel, random_setup),
		cmocka_unit_test(json_keeps_bytes),
		cmocka_unit_test(large_fabric),
	};
	size_t n = 0;

	for (size_t i = 0; i < FT_COUNT(others); i++)
		tests[n++] = others[i];
	for (size_t i = 0; i < FT_COUNT(spoils); i++)
		tests[n++] = (struct CMUnitTest){spoils[i].name, spoil_test, NULL, NULL, (void *)(uintptr_t)&spoils[i]};
	for (size_t i = 0; i < FT_COUNT(changes); i++)
		tests[n++] =
			(struct CMUnitTest){changes[i].name, change_test, NULL, NULL, (void *)(uintptr_t)&changes[i]};
	for (size_t i = 0; i < FT_COUNT(json_rows); i++)
		tests[n++] =
			(struct CMUnitTest){json_rows[i].name, json_test, NULL, NULL, (void *)(uintptr_t)&json_rows[i]};
	for (size_t i = 0; i < FT_COUNT(ooms); i++)
		tests[n++] = (struct CMUnitTest){ooms[i].name, oom_test, NULL, NULL, (void *)(uintptr_t)&ooms[i]};
	return _cmocka_run_group_tests("snapshot", tests, n, NULL, NULL) ? 1 : 0;
}
