/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Snapshots as JSON, version 2:
 *
 *     {"ftcheck_snapshot": 2,
 *      "source": {"live", "complete", "lists_down_ports", "detail", "entry": [NODE, PORT] or null, "stopped",
 *                 "ethernet", "mads", "timeouts", "duration_ms", "time"},
 *      "nodes": [{"type", "guid", "description", "system_guid", "vendor_id", "device_id", "chassis", "lid", "lmc",
 *                 "port_count", "sm", "silent", "ports": [{"number", "last", "link", "guid", "lid", "lmc",
 * "phys_state", "logical_state", "rate", "widths_enabled", "widths_supported", "speeds_enabled", "speeds_supported",
 *                 "sm", "deaf", "name"}, …]}, …],
 *      "links": [[NODE, PORT, NODE, PORT], …]}
 *
 * NODE is an index of "nodes", from 0. Members that are 0 or empty are left out; so are ports that are down and of
 * which nothing else is known, a switch port's GUID that is its node's, and the "link" of ports in "links": "up".
 * Ports that follow each other and differ in nothing but their number and far end are one member, from "number" to
 * "last".
 *
 * Version 1 has no "last"; it is read as well.
 *
 * What this program writes is read by snapshot_scan.c in one pass over the text. All else, such as members in another
 * order, escapes of another kind, and whatever is wrong, is read here, from jansson's tree, which knows the place of
 * each error.
 *
 * A description may be any bytes, a JSON string may not: "\\" is a backslash and "\xNN" a byte (in the string itself,
 * so that JSON has each backslash twice), which stands for what ft_text_add_safe() calls unsafe.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "probe/snapshot_parts.h"

enum { VERSION = FT_SNAPSHOT_VERSION };

static const char *const type_names[] = {"unknown", "switch", "ca", "router"};
static const char *const link_names[] = {"unread", "down", "silent", "up"};

/* Bytes as a JSON string, reversibly. @scratch is the caller's, for its memory. */
static void add_bytes(struct ft_text *text, const char *bytes, size_t length, struct ft_text *scratch)
{
	const char *end = bytes + length;

	ft_text_reset(scratch);
	while (bytes < end) {
		const char *backslash = memchr(bytes, '\\', (size_t)(end - bytes));
		const char *stop = backslash ? backslash : end;

		ft_text_add_safe(scratch, bytes, (size_t)(stop - bytes));
		if (backslash)
			ft_text_puts(scratch, "\\\\");
		bytes = backslash ? backslash + 1 : end;
	}
	ft_text_add_json(text, ft_text_string(scratch));
	text->failed = text->failed || scratch->failed;
}

static void add_number(struct ft_text *text, const char *name, uint64_t number)
{
	if (number)
		ft_text_printf(text, ", \"%s\": %" PRIu64, name, number);
}

static void add_guid(struct ft_text *text, const char *name, uint64_t guid)
{
	if (guid)
		ft_text_printf(text, ", \"%s\": \"0x%016" PRIx64 "\"", name, guid);
}

void ft_snapshot_write_source(struct ft_text *text, const struct ft_snapshot *s, struct ft_text *scratch)
{
	const char *detail = s->strings + s->source.detail;

	ft_text_printf(text, "\"source\": {\"live\": %s, \"complete\": %s, \"lists_down_ports\": %s, \"detail\": ",
		       s->source.live ? "true" : "false", s->source.complete ? "true" : "false",
		       s->source.lists_down_ports ? "true" : "false");
	add_bytes(text, detail, strlen(detail), scratch);
	if (s->source.entry_node == FT_NONE)
		ft_text_puts(text, ", \"entry\": null");
	else
		ft_text_printf(text, ", \"entry\": [%" PRIu32 ",%u]", s->source.entry_node, s->source.entry_port);
	if (s->source.stopped)
		ft_text_puts(text, ", \"stopped\": true");
	if (s->source.ethernet)
		ft_text_puts(text, ", \"ethernet\": true");
	add_number(text, "mads", s->source.mads);
	add_number(text, "timeouts", s->source.timeouts);
	add_number(text, "duration_ms", s->source.duration_ms);
	if (s->source.time_s)
		ft_text_printf(text, ", \"time\": %" PRId64, s->source.time_s);
	ft_text_puts(text, "}");
}

/* The port's FT_GUID unless it has the default value. */
static uint64_t port_guid_said(const struct ft_node *node, const struct ft_port *port)
{
	return node->type == FT_NODE_SWITCH && port->guid == node->guid ? 0 : port->guid;
}

static bool port_is_plain(const struct ft_node *node, const struct ft_port *port)
{
	bool own_guid = node->type != FT_NODE_SWITCH || port->guid == node->guid;

	return port->link == FT_LINK_DOWN && own_guid && !port_guid_said(node, port) && !port->lid && !port->lmc &&
	       !port->phys_state && !port->logical_state && !port->sm && !port->deaf && !port->name;
}

/* Are two ports equal, but for their numbers and far ends? */
static bool ports_alike(const struct ft_port *a, const struct ft_port *b)
{
	return !a->name && !b->name && a->deaf == b->deaf && a->link == b->link && a->guid == b->guid &&
	       a->lid == b->lid && a->lmc == b->lmc && a->phys_state == b->phys_state &&
	       a->logical_state == b->logical_state && a->rate.lanes == b->rate.lanes &&
	       a->rate.speed == b->rate.speed && a->sm == b->sm &&
	       a->limits.widths_enabled == b->limits.widths_enabled &&
	       a->limits.widths_supported == b->limits.widths_supported &&
	       a->limits.speeds_enabled == b->limits.speeds_enabled &&
	       a->limits.speeds_supported == b->limits.speeds_supported;
}

/* @last: the last port number of a run of equal ports */
static void write_port(struct ft_text *text, const struct ft_snapshot *s, const struct ft_node *node,
		       const struct ft_port *port, unsigned int last, struct ft_text *scratch)
{
	char rate[FT_RATE_NAME_SIZE];

	ft_text_printf(text, "{\"number\": %u", port->number);
	if (last > port->number)
		ft_text_printf(text, ", \"last\": %u", last);
	if (port->link != FT_LINK_UP)
		ft_text_printf(text, ", \"link\": \"%s\"", link_names[port->link]);
	if (node->type == FT_NODE_SWITCH && port->guid == 0)
		ft_text_puts(text, ", \"guid\": \"0x0\"");
	add_guid(text, "guid", port_guid_said(node, port));
	add_number(text, "lid", port->lid);
	add_number(text, "lmc", port->lmc);
	add_number(text, "phys_state", port->phys_state);
	add_number(text, "logical_state", port->logical_state);
	if (port->rate.lanes || port->rate.speed)
		ft_text_printf(text, ", \"rate\": \"%s\"", ft_rate_name(port->rate, rate));
	add_number(text, "widths_enabled", port->limits.widths_enabled);
	add_number(text, "widths_supported", port->limits.widths_supported);
	add_number(text, "speeds_enabled", port->limits.speeds_enabled);
	add_number(text, "speeds_supported", port->limits.speeds_supported);
	if (port->sm)
		ft_text_puts(text, ", \"sm\": true");
	if (port->deaf)
		ft_text_puts(text, ", \"deaf\": true");
	if (port->name) {
		ft_text_puts(text, ", \"name\": ");
		add_bytes(text, ft_port_name(s, port), strlen(ft_port_name(s, port)), scratch);
	}
	ft_text_puts(text, "}");
}

void ft_snapshot_write_node(struct ft_text *text, const struct ft_snapshot *s, const struct ft_node *node,
			    struct ft_text *scratch)
{
	bool listed = false;

	ft_text_printf(text, "{\"type\": \"%s\", \"guid\": \"0x%016" PRIx64 "\"", type_names[node->type], node->guid);
	if (node->description_length) {
		ft_text_puts(text, ", \"description\": ");
		add_bytes(text, ft_node_description(s, node), node->description_length, scratch);
	}
	add_guid(text, "system_guid", node->system_guid);
	add_number(text, "vendor_id", node->vendor_id);
	add_number(text, "device_id", node->device_id);
	add_number(text, "chassis", node->chassis);
	add_number(text, "lid", node->lid);
	add_number(text, "lmc", node->lmc);
	add_number(text, "port_count", node->port_count);
	if (node->sm)
		ft_text_puts(text, ", \"sm\": true");
	if (node->silent)
		ft_text_puts(text, ", \"silent\": true");
	for (unsigned int n = 1; n <= node->port_count; n++) {
		const struct ft_port *port = ft_node_port(s, node, n);

		if (port_is_plain(node, port))
			continue;
		while (n < node->port_count && ports_alike(port, ft_node_port(s, node, n + 1)))
			n++;
		ft_text_puts(text, listed ? "," : ", \"ports\": [");
		write_port(text, s, node, port, n, scratch);
		listed = true;
	}
	ft_text_puts(text, listed ? "]}" : "}");
}

static void write_links(struct ft_text *text, const struct ft_snapshot *s)
{
	const char *separator = "\n";

	for (uint32_t p = 0; p < s->port_count; p++) {
		const struct ft_port *port = &s->ports[p], *far = ft_port_peer(s, port);

		if (!far || port->peer < p)
			continue;
		ft_text_printf(text, "%s[%" PRIu32 ",%u,%" PRIu32 ",%u]", separator, port->node, port->number,
			       far->node, far->number);
		separator = ",\n";
	}
}

void ft_snapshot_write_json(struct ft_text *text, const struct ft_snapshot *s)
{
	_cleanup_(ft_text_release) struct ft_text scratch = {0};

	ft_text_printf(text, "{\"ftcheck_snapshot\": %d,\n", VERSION);
	ft_snapshot_write_source(text, s, &scratch);
	ft_text_puts(text, ",\n\"nodes\": [");
	for (uint32_t n = 0; n < s->node_count; n++) {
		ft_text_puts(text, n ? ",\n" : "\n");
		ft_snapshot_write_node(text, s, &s->nodes[n], &scratch);
	}
	ft_text_puts(text, "],\n\"links\": [");
	write_links(text, s);
	ft_text_puts(text, "]}\n");
}

/* The state of reading, and the growing snapshot. */
struct reader {
	const struct ft_json *json;
	struct ft_error *err;
	struct ft_snapshot *s;
	size_t strings_size, ports_size;
};

/* Numbers, booleans, types and links go to numbers[] at the index of their member; the rest stays JSON. */
struct values {
	const json_t *json[FT_PORT_MEMBERS]; /* NULL: not there */
	bool said[FT_PORT_MEMBERS];
	uint64_t numbers[FT_PORT_MEMBERS];
};

static int named(const char *const *names, size_t count, const char *name, uint64_t *ret_index)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(names[i], name) == 0) {
			*ret_index = i;
			return 0;
		}
	return -EINVAL;
}

static int guid_parse(const char *string, uint64_t *ret_guid)
{
	char *end;

	if (strncmp(string, "0x", 2) != 0 || strlen(string) > 18 || strspn(string + 2, "0123456789abcdefABCDEF") == 0)
		return -EINVAL;
	errno = 0;
	*ret_guid = strtoull(string + 2, &end, 16);
	return *end || errno ? -EINVAL : 0;
}

/* The names that ft_rate_name() gives, unknown parts included: "4xHDR", "4x?", "HDR". */
static int rate_parse(const char *string, struct ft_rate *ret_rate)
{
	static const struct {
		const char *prefix;
		uint8_t lanes;
	} widths[] = {{"12x", 12}, {"1x", 1}, {"2x", 2}, {"4x", 4}, {"8x", 8}, {"", 0}};

	for (size_t w = 0; w < FT_COUNT(widths); w++) {
		size_t length = strlen(widths[w].prefix);

		if (strncmp(string, widths[w].prefix, length) != 0)
			continue;
		for (unsigned int speed = 0; speed < FT_SPEED_COUNT; speed++)
			if (strcmp(string + length, ft_speed_name(speed)) == 0) {
				*ret_rate = (struct ft_rate){widths[w].lanes, (uint8_t)speed};
				return 0;
			}
	}
	return -EINVAL;
}

int ft_member_word(enum ft_kind kind, const char *string, uint64_t *ret_number)
{
	struct ft_rate rate;

	switch (kind) {
	case FT_GUID:
		return guid_parse(string, ret_number);
	case FT_TYPE:
		return named(type_names, FT_COUNT(type_names), string, ret_number);
	case FT_LINK:
		return named(link_names, FT_LINK_UP, string, ret_number);
	case FT_RATE:
		if (rate_parse(string, &rate) < 0)
			return -EINVAL;
		*ret_number = (uint64_t)rate.lanes << 8 | rate.speed;
		return 0;
	default:
		return -EINVAL;
	}
}

static int integer_read(const json_t *json, uint64_t max, uint64_t *ret_number)
{
	if (!json_is_integer(json) || json_integer_value(json) < 0 || (uint64_t)json_integer_value(json) > max)
		return -ERANGE;
	*ret_number = (uint64_t)json_integer_value(json);
	return 0;
}

/* One value by its kind; -EINVAL with the expected kind in @ret_expected. */
static int value_read(const struct ft_member *member, const json_t *json, uint64_t *ret_number,
		      const char **ret_expected)
{
	static const char *const expected[] = {
		[FT_TRUTH] = "true or false",
		[FT_NUMBER] = "a number within its range",
		[FT_SIGNED] = "a whole number",
		[FT_GUID] = "a GUID such as \"0x0002c90200404730\"",
		[FT_TYPE] = "\"switch\", \"ca\", \"router\" or \"unknown\"",
		[FT_LINK] = "\"unread\", \"down\" or \"silent\"",
		[FT_RATE] = "a rate such as \"4xHDR\"",
		[FT_BYTES] = "a string",
		[FT_LIST] = "an array",
		[FT_OTHER] = "something else",
	};
	const char *string = json_string_value(json);
	bool good = false;

	*ret_expected = expected[member->kind];
	switch (member->kind) {
	case FT_TRUTH:
		good = json_is_boolean(json);
		*ret_number = json_is_true(json);
		break;
	case FT_NUMBER:
		good = integer_read(json, member->max, ret_number) == 0;
		break;
	case FT_SIGNED:
		good = json_is_integer(json);
		*ret_number = (uint64_t)json_integer_value(json);
		break;
	case FT_GUID:
	case FT_TYPE:
	case FT_LINK:
	case FT_RATE:
		good = string && ft_member_word(member->kind, string, ret_number) == 0;
		break;
	case FT_BYTES:
		good = string != NULL;
		break;
	case FT_LIST:
		good = json_is_array(json);
		break;
	case FT_OTHER:
		good = true;
		break;
	}
	return good ? 0 : -EINVAL;
}

/* Reads the members of @object into @ret_values, one for each of @members; others are refused. */
static int members_read(const struct reader *r, const json_t *object, const struct ft_member *members, size_t count,
			struct values *ret_values)
{
	const char *key, *expected;
	json_t *json;

	*ret_values = (struct values){0};
	json_object_foreach((json_t *)(uintptr_t)object, key, json) {
		size_t i = 0;

		while (i < count && strcmp(members[i].name, key) != 0)
			i++;
		if (i == count)
			return ft_json_error_key(r->json, r->err, object, key, "unknown key \"%s\"", key);
		if (value_read(&members[i], json, &ret_values->numbers[i], &expected) < 0)
			return ft_json_error_value(r->json, r->err, object, key, "\"%s\" is to be %s", key, expected);
		ret_values->json[i] = json;
		ret_values->said[i] = true;
	}
	for (size_t i = 0; i < count; i++)
		if (members[i].required && !ret_values->said[i])
			return ft_json_error_key(r->json, r->err, object, NULL, "\"%s\" is missing", members[i].name);
	return 0;
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

ssize_t ft_snapshot_bytes_decode(const char *string, size_t length, char *ret_bytes)
{
	const char *end = string + length;
	char *out = ret_bytes;

	for (; string < end; string++) {
		int high, low;

		if (*string != '\\') {
			*out++ = *string;
			continue;
		}
		if (end - string >= 2 && string[1] == '\\') {
			*out++ = '\\';
			string++;
			continue;
		}
		if (end - string < 4 || string[1] != 'x')
			return -1;
		high = hex_digit(string[2]);
		low = hex_digit(string[3]);
		if (high < 0 || low < 0 || (high == 0 && low == 0))
			return -1;
		*out++ = (char)(high << 4 | low);
		string += 3;
	}
	return out - ret_bytes;
}

int ft_snapshot_strings_reserve(struct ft_snapshot *s, size_t more, size_t *size)
{
	size_t wanted = *size ? *size : 256;
	char *strings;

	if (more >= UINT32_MAX / 2 - s->strings_length)
		return -EOVERFLOW;
	while (wanted < s->strings_length + more)
		wanted = wanted * 2;
	if (wanted == *size)
		return 0;
	strings = realloc(s->strings, wanted);
	if (!strings)
		return -ENOMEM;
	/* Offset 0 is the empty string. */
	if (*size == 0) {
		strings[0] = '\0';
		s->strings_length = 1;
	}
	s->strings = strings;
	*size = wanted;
	return 0;
}

/* A string member into the arena. */
static int bytes_read(struct reader *r, const json_t *object, const char *key, const json_t *value, size_t max,
		      uint32_t *ret_offset, size_t *ret_length)
{
	const char *string = value ? json_string_value(value) : "";
	size_t room = strlen(string) + 1;
	ssize_t length;
	int e;

	*ret_offset = 0;
	*ret_length = 0;
	if (room == 1)
		return 0;
	e = ft_snapshot_strings_reserve(r->s, room, &r->strings_size);
	if (e < 0)
		return e;
	length = ft_snapshot_bytes_decode(string, room - 1, r->s->strings + r->s->strings_length);
	if (length < 0)
		return ft_json_error_value(r->json, r->err, object, key,
					   "in \"%s\", a backslash is to be one of \\\\ or \\xNN", key);
	if ((size_t)length > max)
		return ft_json_error_value(r->json, r->err, object, key, "\"%s\" is longer than %zu bytes", key, max);
	*ret_offset = r->s->strings_length;
	*ret_length = (size_t)length;
	r->s->strings[r->s->strings_length + (size_t)length] = '\0';
	r->s->strings_length += (uint32_t)length + 1;
	return 0;
}

const struct ft_member ft_source_members[FT_SOURCE_MEMBERS] = {
	[FT_SOURCE_LIVE] = {"live", FT_TRUTH, 0, true},
	[FT_SOURCE_COMPLETE] = {"complete", FT_TRUTH, 0, true},
	[FT_SOURCE_LISTS_DOWN_PORTS] = {"lists_down_ports", FT_TRUTH, 0, true},
	[FT_SOURCE_STOPPED] = {"stopped", FT_TRUTH, 0, false},
	[FT_SOURCE_ETHERNET] = {"ethernet", FT_TRUTH, 0, false},
	[FT_SOURCE_DETAIL] = {"detail", FT_BYTES, 0, true},
	[FT_SOURCE_ENTRY] = {"entry", FT_OTHER, 0, true},
	[FT_SOURCE_MADS] = {"mads", FT_NUMBER, UINT32_MAX, false},
	[FT_SOURCE_TIMEOUTS] = {"timeouts", FT_NUMBER, UINT32_MAX, false},
	[FT_SOURCE_DURATION] = {"duration_ms", FT_NUMBER, UINT32_MAX, false},
	[FT_SOURCE_TIME] = {"time", FT_SIGNED, 0, false},
};

void ft_snapshot_source_set(struct ft_snapshot_source *source, const uint64_t numbers[FT_SOURCE_MEMBERS])
{
	source->live = numbers[FT_SOURCE_LIVE];
	source->complete = numbers[FT_SOURCE_COMPLETE];
	source->lists_down_ports = numbers[FT_SOURCE_LISTS_DOWN_PORTS];
	source->stopped = numbers[FT_SOURCE_STOPPED];
	source->ethernet = numbers[FT_SOURCE_ETHERNET];
	source->mads = (uint32_t)numbers[FT_SOURCE_MADS];
	source->timeouts = (uint32_t)numbers[FT_SOURCE_TIMEOUTS];
	source->duration_ms = (uint32_t)numbers[FT_SOURCE_DURATION];
	source->time_s = (int64_t)numbers[FT_SOURCE_TIME];
}

/* Runs once the nodes are known, as the entry is one of them. */
static int source_read(struct reader *r, const json_t *source)
{
	struct ft_snapshot_source *to = &r->s->source;
	struct values values;
	uint64_t node = FT_NONE, port = 0;
	size_t length;
	int e;

	e = members_read(r, source, ft_source_members, FT_SOURCE_MEMBERS, &values);
	if (e < 0)
		return e;
	if (!json_is_null(values.json[FT_SOURCE_ENTRY]) &&
	    (json_array_size(values.json[FT_SOURCE_ENTRY]) != 2 || r->s->node_count == 0 ||
	     integer_read(json_array_get(values.json[FT_SOURCE_ENTRY], 0), r->s->node_count - 1, &node) < 0 ||
	     integer_read(json_array_get(values.json[FT_SOURCE_ENTRY], 1), r->s->nodes[node].port_count, &port) < 0))
		return ft_json_error_value(r->json, r->err, source, "entry",
					   "\"entry\" is to be null, or a node and one of its ports");
	ft_snapshot_source_set(to, values.numbers);
	to->entry_node = (uint32_t)node;
	to->entry_port = (uint8_t)port;
	return bytes_read(r, source, "detail", values.json[FT_SOURCE_DETAIL], UINT32_MAX / 4, &to->detail, &length);
}

const struct ft_member ft_port_members[FT_PORT_MEMBERS] = {
	[FT_PORT_NUMBER] = {"number", FT_NUMBER, FT_PORT_NUMBER_MAX, true},
	[FT_PORT_LAST] = {"last", FT_NUMBER, FT_PORT_NUMBER_MAX, false},
	[FT_PORT_LINK] = {"link", FT_LINK, 0, false},
	[FT_PORT_GUID] = {"guid", FT_GUID, 0, false},
	[FT_PORT_LID] = {"lid", FT_NUMBER, UINT16_MAX, false},
	[FT_PORT_LMC] = {"lmc", FT_NUMBER, UINT8_MAX, false},
	[FT_PORT_PHYS] = {"phys_state", FT_NUMBER, 15, false},
	[FT_PORT_LOGICAL] = {"logical_state", FT_NUMBER, 15, false},
	[FT_PORT_RATE] = {"rate", FT_RATE, 0, false},
	[FT_PORT_WIDTHS_ENABLED] = {"widths_enabled", FT_NUMBER, FT_WIDTHS_MAX, false},
	[FT_PORT_WIDTHS_SUPPORTED] = {"widths_supported", FT_NUMBER, FT_WIDTHS_MAX, false},
	[FT_PORT_SPEEDS_ENABLED] = {"speeds_enabled", FT_NUMBER, FT_SPEEDS_MAX, false},
	[FT_PORT_SPEEDS_SUPPORTED] = {"speeds_supported", FT_NUMBER, FT_SPEEDS_MAX, false},
	[FT_PORT_SM] = {"sm", FT_TRUTH, 0, false},
	[FT_PORT_NAME] = {"name", FT_BYTES, 0, false},
	[FT_PORT_DEAF] = {"deaf", FT_TRUTH, 0, false},
};

void ft_snapshot_port_set(struct ft_snapshot *s, const struct ft_node *node, unsigned int number,
			  const uint64_t numbers[FT_PORT_MEMBERS], const bool said[FT_PORT_MEMBERS])
{
	struct ft_port *port = &s->ports[node->first_port + number - 1];

	port->link = said[FT_PORT_LINK] ? (uint8_t)numbers[FT_PORT_LINK] : FT_LINK_UP;
	if (said[FT_PORT_GUID])
		port->guid = numbers[FT_PORT_GUID];
	port->lid = (uint16_t)numbers[FT_PORT_LID];
	port->lmc = (uint8_t)numbers[FT_PORT_LMC];
	port->phys_state = (uint8_t)numbers[FT_PORT_PHYS];
	port->logical_state = (uint8_t)numbers[FT_PORT_LOGICAL];
	port->rate = (struct ft_rate){(uint8_t)(numbers[FT_PORT_RATE] >> 8), numbers[FT_PORT_RATE] & 0xff};
	port->limits = (struct ft_port_limits){
		.widths_enabled = (uint8_t)numbers[FT_PORT_WIDTHS_ENABLED],
		.widths_supported = (uint8_t)numbers[FT_PORT_WIDTHS_SUPPORTED],
		.speeds_enabled = (uint16_t)numbers[FT_PORT_SPEEDS_ENABLED],
		.speeds_supported = (uint16_t)numbers[FT_PORT_SPEEDS_SUPPORTED],
	};
	port->sm = numbers[FT_PORT_SM];
	port->deaf = numbers[FT_PORT_DEAF];
	port->name = (uint32_t)numbers[FT_PORT_NAME];
}

/* Listed ports. Without a "link" they are up, and some of "links" have to name them: see links_complete(). */
static int port_read(struct reader *r, const struct ft_node *node, const json_t *json, uint8_t *ret_last)
{
	struct values values;
	uint64_t first, last;
	uint32_t name;
	size_t length;
	bool silent;
	int e;

	e = members_read(r, json, ft_port_members, FT_PORT_MEMBERS, &values);
	if (e < 0)
		return e;
	first = values.numbers[FT_PORT_NUMBER];
	last = values.said[FT_PORT_LAST] ? values.numbers[FT_PORT_LAST] : first;
	if (first <= *ret_last || first > node->port_count)
		return ft_json_error_value(r->json, r->err, json, "number",
					   "ports are listed in order, from 1 to the node's \"port_count\"");
	if (last < first || last > node->port_count)
		return ft_json_error_value(r->json, r->err, json, "last",
					   "\"last\" is from \"number\" to the node's \"port_count\"");
	silent = values.said[FT_PORT_LINK] && values.numbers[FT_PORT_LINK] == FT_LINK_SILENT;
	if (values.said[FT_PORT_RATE] && values.said[FT_PORT_LINK] && !silent)
		return ft_json_error_key(r->json, r->err, json, "rate", "a port that is not up has no \"rate\"");
	e = bytes_read(r, json, "name", values.json[FT_PORT_NAME], UINT16_MAX, &name, &length);
	if (e < 0)
		return e;
	values.numbers[FT_PORT_NAME] = name;
	for (uint64_t n = first; n <= last; n++)
		ft_snapshot_port_set(r->s, node, (unsigned int)n, values.numbers, values.said);
	*ret_last = (uint8_t)last;
	return 0;
}

const struct ft_member ft_node_members[FT_NODE_MEMBERS] = {
	[FT_NODE_NODE_TYPE] = {"type", FT_TYPE, 0, true},
	[FT_NODE_GUID] = {"guid", FT_GUID, 0, true},
	[FT_NODE_DESCRIPTION] = {"description", FT_BYTES, 0, false},
	[FT_NODE_SYSTEM] = {"system_guid", FT_GUID, 0, false},
	[FT_NODE_VENDOR] = {"vendor_id", FT_NUMBER, UINT32_MAX, false},
	[FT_NODE_DEVICE] = {"device_id", FT_NUMBER, UINT32_MAX, false},
	[FT_NODE_CHASSIS] = {"chassis", FT_NUMBER, UINT32_MAX, false},
	[FT_NODE_LID] = {"lid", FT_NUMBER, UINT16_MAX, false},
	[FT_NODE_LMC] = {"lmc", FT_NUMBER, UINT8_MAX, false},
	[FT_NODE_PORT_COUNT] = {"port_count", FT_NUMBER, FT_PORT_NUMBER_MAX, false},
	[FT_NODE_SM] = {"sm", FT_TRUTH, 0, false},
	[FT_NODE_SILENT] = {"silent", FT_TRUTH, 0, false},
	[FT_NODE_PORTS] = {"ports", FT_LIST, 0, false},
};

void ft_snapshot_node_set(struct ft_node *node, const uint64_t numbers[FT_NODE_MEMBERS])
{
	node->guid = numbers[FT_NODE_GUID];
	node->type = (uint8_t)numbers[FT_NODE_NODE_TYPE];
	node->system_guid = numbers[FT_NODE_SYSTEM];
	node->vendor_id = (uint32_t)numbers[FT_NODE_VENDOR];
	node->device_id = (uint32_t)numbers[FT_NODE_DEVICE];
	node->chassis = (uint32_t)numbers[FT_NODE_CHASSIS];
	node->lid = (uint16_t)numbers[FT_NODE_LID];
	node->lmc = (uint8_t)numbers[FT_NODE_LMC];
	node->port_count = (uint16_t)numbers[FT_NODE_PORT_COUNT];
	node->sm = numbers[FT_NODE_SM];
	node->silent = numbers[FT_NODE_SILENT];
}

int ft_snapshot_ports_add(struct ft_snapshot *s, struct ft_node *node, size_t *size, struct ft_error *err)
{
	size_t wanted = (size_t)s->port_count + node->port_count, more = *size ? *size : 256;
	struct ft_port *ports = s->ports;

	if (wanted > FT_SNAPSHOT_PORTS_MAX)
		return ft_error_set(err, -EOVERFLOW, 0, 0, "there are more than %u ports here: no subnet has so many",
				    FT_SNAPSHOT_PORTS_MAX);
	while (more < wanted)
		more += more / 2;
	if (more > *size) {
		ports = reallocarray(ports, more, sizeof(*ports));
		if (!ports)
			return -ENOMEM;
		s->ports = ports;
		*size = more;
	}
	node->first_port = s->port_count;
	for (unsigned int n = 0; n < node->port_count; n++)
		ports[s->port_count + n] = (struct ft_port){
			.node = (uint32_t)(node - s->nodes),
			.number = (uint16_t)(n + 1),
			.peer = FT_NONE,
			.link = FT_LINK_DOWN,
			.guid = node->type == FT_NODE_SWITCH ? node->guid : 0,
		};
	s->port_count += node->port_count;
	return 0;
}

static int ports_read(struct reader *r, const struct ft_node *node, const json_t *parent, const json_t *list)
{
	uint8_t last = 0;
	int e = 0;

	for (size_t i = 0; i < json_array_size(list) && e == 0; i++) {
		const json_t *json = json_array_get(list, i);

		if (!json_is_object(json))
			return ft_json_error_value(r->json, r->err, parent, "ports",
						   "\"ports\" is to be a list of objects");
		e = port_read(r, node, json, &last);
	}
	return e;
}

static int node_read(struct reader *r, const json_t *json, struct ft_node *node)
{
	struct values values;
	size_t length;
	int e;

	e = members_read(r, json, ft_node_members, FT_NODE_MEMBERS, &values);
	if (e < 0)
		return e;
	e = bytes_read(r, json, "description", values.json[FT_NODE_DESCRIPTION], UINT16_MAX, &node->description,
		       &length);
	if (e < 0)
		return e;
	node->description_length = (uint16_t)length;
	ft_snapshot_node_set(node, values.numbers);
	e = ft_snapshot_ports_add(r->s, node, &r->ports_size, r->err);
	return e < 0 ? e : ports_read(r, node, json, values.json[FT_NODE_PORTS]);
}

static int nodes_read(struct reader *r, const json_t *list)
{
	size_t count = json_array_size(list);
	int e = 0;

	if (count > UINT32_MAX / 2 / FT_PORT_NUMBER_MAX)
		return -EOVERFLOW;
	r->s->nodes = calloc(count ? count : 1, sizeof(*r->s->nodes));
	if (!r->s->nodes)
		return -ENOMEM;
	for (size_t i = 0; i < count && e == 0; i++) {
		const json_t *json = json_array_get(list, i);

		if (!json_is_object(json))
			return ft_json_error_element(r->json, r->err, list, i, "a node is to be an object");
		e = node_read(r, json, &r->s->nodes[i]);
		r->s->node_count++;
	}
	return e;
}

/* The port that two elements of a link name. */
static int link_end(const struct reader *r, const json_t *link, size_t at, uint32_t *ret_port)
{
	uint64_t node, number;

	if (r->s->node_count == 0 || integer_read(json_array_get(link, at), r->s->node_count - 1, &node) < 0 ||
	    integer_read(json_array_get(link, at + 1), r->s->nodes[node].port_count, &number) < 0 || number == 0)
		return -EINVAL;
	*ret_port = r->s->nodes[node].first_port + (uint32_t)number - 1;
	return 0;
}

static int links_read(const struct reader *r, const json_t *list)
{
	struct ft_port *ports = r->s->ports;

	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *link = json_array_get(list, i);
		uint32_t a, b;

		if (json_array_size(link) != 4 || link_end(r, link, 0, &a) < 0 || link_end(r, link, 2, &b) < 0)
			return ft_json_error_element(r->json, r->err, list, i,
						     "a link is to be [node, port, node, port], all of which exist");
		if (ports[a].link != FT_LINK_UP || ports[b].link != FT_LINK_UP)
			return ft_json_error_element(r->json, r->err, list, i,
						     "this link ends on a port that is not listed as up");
		if (ports[a].peer != FT_NONE || ports[b].peer != FT_NONE)
			return ft_json_error_element(r->json, r->err, list, i,
						     "this link ends on a port that has another");
		ports[a].peer = b;
		ports[b].peer = a;
	}
	return 0;
}

/* Every port that is up needs its link. */
static int links_complete(const struct reader *r, const json_t *root)
{
	for (uint32_t p = 0; p < r->s->port_count; p++)
		if (r->s->ports[p].link == FT_LINK_UP && r->s->ports[p].peer == FT_NONE)
			return ft_json_error_key(r->json, r->err, root, "links",
						 "port %u of node %" PRIu32 " is up and no link names it",
						 r->s->ports[p].number, r->s->ports[p].node);
	return 0;
}

enum { R_VERSION, R_SOURCE, R_NODES, R_LINKS, ROOT_MEMBERS };

static const struct ft_member root_members[ROOT_MEMBERS] = {
	[R_VERSION] = {"ftcheck_snapshot", FT_OTHER, 0, true},
	[R_SOURCE] = {"source", FT_OTHER, 0, true},
	[R_NODES] = {"nodes", FT_LIST, 0, true},
	[R_LINKS] = {"links", FT_LIST, 0, true},
};

/* Other files of this project. */
static const struct {
	const char *key, *what;
} others[] = {
	{"ftcheck", "this is a design, not a recorded fabric; give it to --plan"},
	{"ftcheck_report", "this is a report, not a recorded fabric; record one with --save or 'ibnetdiscover'"},
	{"ftcheck_catalog", "this is a catalog, not a recorded fabric; give it to --catalog"},
	{"ftcheckd_state", "this is the state of ftcheckd, not a recorded fabric; record one with --save"},
};

/* The version first: the rest of a newer file may have any form. */
static int version_check(const struct reader *r, const json_t *root)
{
	const json_t *version = json_is_object(root) ? json_object_get(root, "ftcheck_snapshot") : NULL;

	for (size_t i = 0; !version && json_is_object(root) && i < FT_COUNT(others); i++)
		if (json_object_get(root, others[i].key))
			return ft_json_error_key(r->json, r->err, root, others[i].key, "%s", others[i].what);
	if (!version)
		return ft_json_error_key(r->json, r->err, root, NULL, "this JSON is no ftcheck snapshot");
	if (!json_is_integer(version) || json_integer_value(version) < 1)
		return ft_json_error_value(r->json, r->err, root, "ftcheck_snapshot",
					   "\"ftcheck_snapshot\" is to be a version number");
	if (json_integer_value(version) > VERSION)
		return ft_json_error_value(r->json, r->err, root, "ftcheck_snapshot",
					   "snapshot version %lld is newer than this program understands",
					   (long long)json_integer_value(version));
	return 0;
}

static int snapshot_read(struct reader *r)
{
	struct values values;
	const json_t *root = r->json->root;
	int e;

	e = version_check(r, root);
	if (e < 0)
		return e;
	e = members_read(r, root, root_members, ROOT_MEMBERS, &values);
	if (e < 0)
		return e;
	if (!json_is_object(values.json[R_SOURCE]))
		return ft_json_error_value(r->json, r->err, root, "source", "\"source\" is to be an object");
	e = ft_snapshot_strings_reserve(r->s, 1, &r->strings_size);
	if (e < 0)
		return e;
	e = nodes_read(r, values.json[R_NODES]);
	if (e < 0)
		return e;
	e = links_read(r, values.json[R_LINKS]);
	if (e < 0)
		return e;
	e = links_complete(r, root);
	if (e < 0)
		return e;
	return source_read(r, values.json[R_SOURCE]);
}

/* Its tree takes ten times the memory of the text; the place of the error is worth that. */
static int tree_read(const char *text, size_t length, struct ft_snapshot **ret_snapshot, struct ft_error *err)
{
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *s = calloc(1, sizeof(*s));
	_cleanup_(ft_json_release) struct ft_json json = {0};
	struct reader r = {.json = &json, .err = err, .s = s};
	int e;

	if (!s)
		return -ENOMEM;
	e = ft_json_read(text, length, &json, err);
	if (e == 0)
		e = snapshot_read(&r);
	if (e < 0)
		return e;
	*ret_snapshot = FT_STEAL(s);
	return 0;
}

int ft_snapshot_read_json(const char *text, size_t length, struct ft_snapshot **ret_snapshot, struct ft_error *err)
{
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *s = NULL;
	int e = ft_snapshot_scan(text, length, &s);

	if (e == 0)
		e = tree_read(text, length, &s, err);
	if (e < 0)
		return e;
	e = ft_snapshot_check(s, err);
	if (e < 0)
		return e;
	*ret_snapshot = FT_STEAL(s);
	return 0;
}
