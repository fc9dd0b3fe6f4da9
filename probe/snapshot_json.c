/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Snapshots as JSON, version 1:
 *
 *     {"ftcheck_snapshot": 1,
 *      "source": {"live", "complete", "lists_down_ports", "detail", "entry": [NODE, PORT] or null, "mads", "timeouts",
 *                 "duration_ms", "time"},
 *      "nodes": [{"type", "guid", "description", "system_guid", "vendor_id", "device_id", "chassis", "lid", "lmc",
 *                 "port_count", "sm", "ports": [{"number", "link", "guid", "lid", "lmc", "phys_state", "logical_state",
 * "rate", "widths_enabled", "widths_supported", "speeds_enabled", "speeds_supported", "sm"}, …]}, …], "links": [[NODE,
 * PORT, NODE, PORT], …]}
 *
 * NODE is an index of "nodes", from 0. Members that are 0 or empty are left out; so are ports that are down and of
 * which nothing else is known, a switch port's GUID that is its node's, and the "link" of ports in "links": "up".
 *
 * A description may be any bytes, a JSON string may not: "\\" is a backslash and "\xNN" a byte (in the string itself,
 * so that JSON has each backslash twice), which stands for what ft_text_add_safe() calls unsafe.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "probe/snapshot_build.h"

enum { VERSION = 1 };

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

static void write_source(struct ft_text *text, const struct ft_snapshot *s, struct ft_text *scratch)
{
	const char *detail = s->strings + s->source.detail;

	ft_text_printf(text, "\"source\": {\"live\": %s, \"complete\": %s, \"lists_down_ports\": %s, \"detail\": ",
		       s->source.live ? "true" : "false", s->source.complete ? "true" : "false",
		       s->source.lists_down_ports ? "true" : "false");
	add_bytes(text, detail, strlen(detail), scratch);
	if (s->source.entry_node == FT_NO_NODE)
		ft_text_puts(text, ", \"entry\": null");
	else
		ft_text_printf(text, ", \"entry\": [%" PRIu32 ", %u]", s->source.entry_node, s->source.entry_port);
	if (s->source.stopped)
		ft_text_puts(text, ", \"stopped\": true");
	add_number(text, "mads", s->source.mads);
	add_number(text, "timeouts", s->source.timeouts);
	add_number(text, "duration_ms", s->source.duration_ms);
	if (s->source.time_s)
		ft_text_printf(text, ", \"time\": %" PRId64, s->source.time_s);
	ft_text_puts(text, "}");
}

/* The port's GUID as far as it is not what is assumed of it. */
static uint64_t port_guid_said(const struct ft_node *node, const struct ft_port *port)
{
	return node->type == FT_NODE_SWITCH && port->guid == node->guid ? 0 : port->guid;
}

static bool port_is_plain(const struct ft_node *node, const struct ft_port *port)
{
	bool own_guid = node->type != FT_NODE_SWITCH || port->guid == node->guid;

	return port->link == FT_LINK_DOWN && own_guid && !port_guid_said(node, port) && !port->lid && !port->lmc &&
	       !port->phys_state && !port->logical_state && !port->sm;
}

static void write_port(struct ft_text *text, const struct ft_node *node, const struct ft_port *port)
{
	char rate[FT_RATE_NAME_SIZE];

	ft_text_printf(text, "{\"number\": %u", port->number);
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
	ft_text_puts(text, "}");
}

static void write_node(struct ft_text *text, const struct ft_snapshot *s, const struct ft_node *node,
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
	for (unsigned int n = 1; n <= node->port_count; n++) {
		const struct ft_port *port = ft_node_port(s, node, n);

		if (port_is_plain(node, port))
			continue;
		ft_text_puts(text, listed ? ",\n  " : ", \"ports\": [\n  ");
		write_port(text, node, port);
		listed = true;
	}
	ft_text_puts(text, listed ? "]}" : "}");
}

static void write_links(struct ft_text *text, const struct ft_snapshot *s)
{
	const char *separator = "\n ";

	for (uint32_t p = 0; p < s->port_count; p++) {
		const struct ft_port *port = &s->ports[p], *far = ft_port_peer(s, port);

		if (!far || port->peer < p)
			continue;
		ft_text_printf(text, "%s[%" PRIu32 ", %u, %" PRIu32 ", %u]", separator, port->node, port->number,
			       far->node, far->number);
		separator = ",\n ";
	}
}

void ft_snapshot_write_json(struct ft_text *text, const struct ft_snapshot *s)
{
	_cleanup_(ft_text_release) struct ft_text scratch = {0};

	ft_text_printf(text, "{\"ftcheck_snapshot\": %d,\n", VERSION);
	write_source(text, s, &scratch);
	ft_text_puts(text, ",\n\"nodes\": [");
	for (uint32_t n = 0; n < s->node_count; n++) {
		ft_text_puts(text, n ? ",\n " : "\n ");
		write_node(text, s, &s->nodes[n], &scratch);
	}
	ft_text_puts(text, "],\n\"links\": [");
	write_links(text, s);
	ft_text_puts(text, "]}\n");
}

/* What is being read, and the snapshot that grows from it. */
struct reader {
	const struct ft_json *json;
	struct ft_error *err;
	struct ft_snapshot *s;
	size_t strings_size;
};

enum kind { TRUTH, NUMBER, SIGNED, GUID, TYPE, LINK, RATE, BYTES, LIST, OTHER };

/* The members of an object. Numbers, truths, types and links go to values[] at the same index; the rest stays JSON. */
struct member {
	const char *name;
	enum kind kind;
	uint64_t max;
	bool required;
};

struct value {
	const json_t *json; /* NULL: not there */
	uint64_t number;
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

static int integer_read(const json_t *json, uint64_t max, uint64_t *ret_number)
{
	if (!json_is_integer(json) || json_integer_value(json) < 0 || (uint64_t)json_integer_value(json) > max)
		return -ERANGE;
	*ret_number = (uint64_t)json_integer_value(json);
	return 0;
}

/* One value by its kind; -EINVAL with what was expected in @ret_expected. */
static int value_read(const struct member *member, const json_t *json, uint64_t *ret_number, const char **ret_expected)
{
	static const char *const expected[] = {
		[TRUTH] = "true or false",
		[NUMBER] = "a number within its range",
		[SIGNED] = "a whole number",
		[GUID] = "a GUID such as \"0x0002c90200404730\"",
		[TYPE] = "\"switch\", \"ca\", \"router\" or \"unknown\"",
		[LINK] = "\"unread\", \"down\" or \"silent\"",
		[RATE] = "a rate such as \"4xHDR\"",
		[BYTES] = "a string",
		[LIST] = "an array",
		[OTHER] = "something else",
	};
	const char *string = json_string_value(json);
	struct ft_rate rate;
	bool good = false;

	*ret_expected = expected[member->kind];
	switch (member->kind) {
	case TRUTH:
		good = json_is_boolean(json);
		*ret_number = json_is_true(json);
		break;
	case NUMBER:
		good = integer_read(json, member->max, ret_number) == 0;
		break;
	case SIGNED:
		good = json_is_integer(json);
		*ret_number = (uint64_t)json_integer_value(json);
		break;
	case GUID:
		good = string && guid_parse(string, ret_number) == 0;
		break;
	case TYPE:
		good = string && named(type_names, FT_COUNT(type_names), string, ret_number) == 0;
		break;
	case LINK:
		good = string && named(link_names, FT_LINK_UP, string, ret_number) == 0;
		break;
	case RATE:
		good = string && rate_parse(string, &rate) == 0;
		*ret_number = good ? (uint64_t)rate.lanes << 8 | rate.speed : 0;
		break;
	case BYTES:
		good = string != NULL;
		break;
	case LIST:
		good = json_is_array(json);
		break;
	case OTHER:
		good = true;
		break;
	}
	return good ? 0 : -EINVAL;
}

/* Reads the members of @object into @ret_values, one for each of @members; others are refused. */
static int members_read(const struct reader *r, const json_t *object, const struct member *members, size_t count,
			struct value *ret_values)
{
	const char *key, *expected;
	json_t *json;

	memset(ret_values, 0, count * sizeof(*ret_values));
	json_object_foreach((json_t *)(uintptr_t)object, key, json) {
		size_t i = 0;

		while (i < count && strcmp(members[i].name, key) != 0)
			i++;
		if (i == count)
			return ft_json_error_key(r->json, r->err, object, key, "unknown key \"%s\"", key);
		if (value_read(&members[i], json, &ret_values[i].number, &expected) < 0)
			return ft_json_error_value(r->json, r->err, object, key, "\"%s\" is to be %s", key, expected);
		ret_values[i].json = json;
	}
	for (size_t i = 0; i < count; i++)
		if (members[i].required && !ret_values[i].json)
			return ft_json_error_key(r->json, r->err, object, NULL, "\"%s\" is missing", members[i].name);
	return 0;
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Undoes add_bytes(). Writes at most strlen(@string) bytes; -1 where an escape is wrong, or stands for a NUL. */
static ssize_t bytes_decode(const char *string, char *ret_bytes)
{
	char *out = ret_bytes;

	for (; *string; string++) {
		int high, low;

		if (*string != '\\') {
			*out++ = *string;
			continue;
		}
		string++;
		if (*string == '\\') {
			*out++ = '\\';
			continue;
		}
		high = *string == 'x' ? hex_digit(string[1]) : -1;
		low = high >= 0 ? hex_digit(string[2]) : -1;
		if (low < 0 || (high == 0 && low == 0))
			return -1;
		*out++ = (char)(high << 4 | low);
		string += 2;
	}
	return out - ret_bytes;
}

static int strings_reserve(struct reader *r, size_t more)
{
	size_t size = r->strings_size;
	char *strings;

	if (more >= UINT32_MAX / 2 - r->s->strings_length)
		return -EOVERFLOW;
	while (size < r->s->strings_length + more)
		size = size * 2;
	if (size == r->strings_size)
		return 0;
	strings = realloc(r->s->strings, size);
	if (!strings)
		return -ENOMEM;
	r->s->strings = strings;
	r->strings_size = size;
	return 0;
}

/* A string member into the arena. */
static int bytes_read(struct reader *r, const json_t *object, const char *key, const struct value *value, size_t max,
		      uint32_t *ret_offset, size_t *ret_length)
{
	const char *string = value->json ? json_string_value(value->json) : "";
	size_t room = strlen(string) + 1;
	ssize_t length;
	int e;

	*ret_offset = 0;
	*ret_length = 0;
	if (room == 1)
		return 0;
	e = strings_reserve(r, room);
	if (e < 0)
		return e;
	length = bytes_decode(string, r->s->strings + r->s->strings_length);
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

enum { LIVE, COMPLETE, LISTS_DOWN_PORTS, STOPPED, DETAIL, ENTRY, MADS, TIMEOUTS, DURATION, TIME, SOURCE_MEMBERS };

static const struct member source_members[SOURCE_MEMBERS] = {
	[LIVE] = {"live", TRUTH, 0, true},
	[COMPLETE] = {"complete", TRUTH, 0, true},
	[LISTS_DOWN_PORTS] = {"lists_down_ports", TRUTH, 0, true},
	[STOPPED] = {"stopped", TRUTH, 0, false},
	[DETAIL] = {"detail", BYTES, 0, true},
	[ENTRY] = {"entry", OTHER, 0, true},
	[MADS] = {"mads", NUMBER, UINT32_MAX, false},
	[TIMEOUTS] = {"timeouts", NUMBER, UINT32_MAX, false},
	[DURATION] = {"duration_ms", NUMBER, UINT32_MAX, false},
	[TIME] = {"time", SIGNED, 0, false},
};

/* Runs when the nodes are known, for the entry is one of them. */
static int source_read(struct reader *r, const json_t *source)
{
	struct ft_snapshot_source *to = &r->s->source;
	struct value values[SOURCE_MEMBERS];
	uint64_t node = FT_NO_NODE, port = 0;
	size_t length;
	int e;

	e = members_read(r, source, source_members, SOURCE_MEMBERS, values);
	if (e < 0)
		return e;
	if (!json_is_null(values[ENTRY].json) &&
	    (json_array_size(values[ENTRY].json) != 2 || r->s->node_count == 0 ||
	     integer_read(json_array_get(values[ENTRY].json, 0), r->s->node_count - 1, &node) < 0 ||
	     integer_read(json_array_get(values[ENTRY].json, 1), r->s->nodes[node].port_count, &port) < 0))
		return ft_json_error_value(r->json, r->err, source, "entry",
					   "\"entry\" is to be null, or a node and one of its ports");
	to->live = values[LIVE].number;
	to->complete = values[COMPLETE].number;
	to->lists_down_ports = values[LISTS_DOWN_PORTS].number;
	to->stopped = values[STOPPED].number;
	to->entry_node = (uint32_t)node;
	to->entry_port = (uint8_t)port;
	to->mads = (uint32_t)values[MADS].number;
	to->timeouts = (uint32_t)values[TIMEOUTS].number;
	to->duration_ms = (uint32_t)values[DURATION].number;
	to->time_s = (int64_t)values[TIME].number;
	return bytes_read(r, source, "detail", &values[DETAIL], UINT32_MAX / 4, &to->detail, &length);
}

enum {
	P_NUMBER,
	P_LINK,
	P_GUID,
	P_LID,
	P_LMC,
	P_PHYS,
	P_LOGICAL,
	P_RATE,
	P_WIDTHS_ENABLED,
	P_WIDTHS_SUPPORTED,
	P_SPEEDS_ENABLED,
	P_SPEEDS_SUPPORTED,
	P_SM,
	PORT_MEMBERS
};

static const struct member port_members[PORT_MEMBERS] = {
	[P_NUMBER] = {"number", NUMBER, FT_PORT_NUMBER_MAX, true},
	[P_LINK] = {"link", LINK, 0, false},
	[P_GUID] = {"guid", GUID, 0, false},
	[P_LID] = {"lid", NUMBER, UINT16_MAX, false},
	[P_LMC] = {"lmc", NUMBER, UINT8_MAX, false},
	[P_PHYS] = {"phys_state", NUMBER, 15, false},
	[P_LOGICAL] = {"logical_state", NUMBER, 15, false},
	[P_RATE] = {"rate", RATE, 0, false},
	[P_WIDTHS_ENABLED] = {"widths_enabled", NUMBER, FT_WIDTHS_MAX, false},
	[P_WIDTHS_SUPPORTED] = {"widths_supported", NUMBER, FT_WIDTHS_MAX, false},
	[P_SPEEDS_ENABLED] = {"speeds_enabled", NUMBER, FT_SPEEDS_MAX, false},
	[P_SPEEDS_SUPPORTED] = {"speeds_supported", NUMBER, FT_SPEEDS_MAX, false},
	[P_SM] = {"sm", TRUTH, 0, false},
};

/* A listed port. Without a "link" it is up, and one of "links" has to name it: see links_complete(). */
static int port_read(const struct reader *r, const struct ft_node *node, const json_t *json, uint8_t *ret_last)
{
	struct value values[PORT_MEMBERS];
	struct ft_port *port;
	bool silent;
	int e;

	e = members_read(r, json, port_members, PORT_MEMBERS, values);
	if (e < 0)
		return e;
	if (values[P_NUMBER].number <= *ret_last || values[P_NUMBER].number > node->port_count)
		return ft_json_error_value(r->json, r->err, json, "number",
					   "ports are listed in order, from 1 to the node's \"port_count\"");
	*ret_last = (uint8_t)values[P_NUMBER].number;
	silent = values[P_LINK].json && values[P_LINK].number == FT_LINK_SILENT;
	if (values[P_RATE].json && values[P_LINK].json && !silent)
		return ft_json_error_key(r->json, r->err, json, "rate", "a port that is not up has no \"rate\"");
	port = &r->s->ports[node->first_port + *ret_last - 1];
	port->link = values[P_LINK].json ? (uint8_t)values[P_LINK].number : FT_LINK_UP;
	if (values[P_GUID].json)
		port->guid = values[P_GUID].number;
	port->lid = (uint16_t)values[P_LID].number;
	port->lmc = (uint8_t)values[P_LMC].number;
	port->phys_state = (uint8_t)values[P_PHYS].number;
	port->logical_state = (uint8_t)values[P_LOGICAL].number;
	port->rate = (struct ft_rate){(uint8_t)(values[P_RATE].number >> 8), values[P_RATE].number & 0xff};
	port->limits = (struct ft_port_limits){
		.widths_enabled = (uint8_t)values[P_WIDTHS_ENABLED].number,
		.widths_supported = (uint8_t)values[P_WIDTHS_SUPPORTED].number,
		.speeds_enabled = (uint16_t)values[P_SPEEDS_ENABLED].number,
		.speeds_supported = (uint16_t)values[P_SPEEDS_SUPPORTED].number,
	};
	port->sm = values[P_SM].number;
	return 0;
}

enum {
	N_TYPE,
	N_GUID,
	N_DESCRIPTION,
	N_SYSTEM,
	N_VENDOR,
	N_DEVICE,
	N_CHASSIS,
	N_LID,
	N_LMC,
	N_PORT_COUNT,
	N_SM,
	N_PORTS,
	NODE_MEMBERS
};

static const struct member node_members[NODE_MEMBERS] = {
	[N_TYPE] = {"type", TYPE, 0, true},
	[N_GUID] = {"guid", GUID, 0, true},
	[N_DESCRIPTION] = {"description", BYTES, 0, false},
	[N_SYSTEM] = {"system_guid", GUID, 0, false},
	[N_VENDOR] = {"vendor_id", NUMBER, UINT32_MAX, false},
	[N_DEVICE] = {"device_id", NUMBER, UINT32_MAX, false},
	[N_CHASSIS] = {"chassis", NUMBER, UINT32_MAX, false},
	[N_LID] = {"lid", NUMBER, UINT16_MAX, false},
	[N_LMC] = {"lmc", NUMBER, UINT8_MAX, false},
	[N_PORT_COUNT] = {"port_count", NUMBER, FT_PORT_NUMBER_MAX, false},
	[N_SM] = {"sm", TRUTH, 0, false},
	[N_PORTS] = {"ports", LIST, 0, false},
};

static int ports_read(const struct reader *r, const struct ft_node *node, const json_t *parent, const json_t *list)
{
	uint8_t last = 0;
	int e = 0;

	for (unsigned int n = 0; n < node->port_count; n++) {
		struct ft_port *port = &r->s->ports[node->first_port + n];

		port->node = (uint32_t)(node - r->s->nodes);
		port->number = (uint8_t)(n + 1);
		port->peer = FT_NO_PORT;
		port->link = FT_LINK_DOWN;
		port->guid = node->type == FT_NODE_SWITCH ? node->guid : 0;
	}
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
	struct value values[NODE_MEMBERS];
	struct ft_port *ports;
	size_t length;
	int e;

	e = members_read(r, json, node_members, NODE_MEMBERS, values);
	if (e < 0)
		return e;
	e = bytes_read(r, json, "description", &values[N_DESCRIPTION], UINT16_MAX, &node->description, &length);
	if (e < 0)
		return e;
	node->description_length = (uint16_t)length;
	node->guid = values[N_GUID].number;
	node->type = (uint8_t)values[N_TYPE].number;
	node->system_guid = values[N_SYSTEM].number;
	node->vendor_id = (uint32_t)values[N_VENDOR].number;
	node->device_id = (uint32_t)values[N_DEVICE].number;
	node->chassis = (uint32_t)values[N_CHASSIS].number;
	node->lid = (uint16_t)values[N_LID].number;
	node->lmc = (uint8_t)values[N_LMC].number;
	node->port_count = (uint16_t)values[N_PORT_COUNT].number;
	node->sm = values[N_SM].number;
	node->first_port = r->s->port_count;
	ports = reallocarray(r->s->ports, (size_t)r->s->port_count + node->port_count + 1, sizeof(*ports));
	if (!ports)
		return -ENOMEM;
	r->s->ports = ports;
	memset(ports + r->s->port_count, 0, node->port_count * sizeof(*ports));
	r->s->port_count += node->port_count;
	return ports_read(r, node, json, values[N_PORTS].json);
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
		if (ports[a].peer != FT_NO_PORT || ports[b].peer != FT_NO_PORT)
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
		if (r->s->ports[p].link == FT_LINK_UP && r->s->ports[p].peer == FT_NO_PORT)
			return ft_json_error_key(r->json, r->err, root, "links",
						 "port %u of node %" PRIu32 " is up and no link names it",
						 r->s->ports[p].number, r->s->ports[p].node);
	return 0;
}

enum { R_VERSION, R_SOURCE, R_NODES, R_LINKS, ROOT_MEMBERS };

static const struct member root_members[ROOT_MEMBERS] = {
	[R_VERSION] = {"ftcheck_snapshot", OTHER, 0, true},
	[R_SOURCE] = {"source", OTHER, 0, true},
	[R_NODES] = {"nodes", LIST, 0, true},
	[R_LINKS] = {"links", LIST, 0, true},
};

/* The version first: of a newer file the rest may look like anything. */
static int version_check(const struct reader *r, const json_t *root)
{
	const json_t *version = json_is_object(root) ? json_object_get(root, "ftcheck_snapshot") : NULL;

	if (!version)
		return ft_json_error_key(r->json, r->err, root, NULL, "this JSON is no ftcheck snapshot");
	if (!json_is_integer(version) || json_integer_value(version) < VERSION)
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
	struct value values[ROOT_MEMBERS];
	const json_t *root = r->json->root;
	int e;

	e = version_check(r, root);
	if (e < 0)
		return e;
	e = members_read(r, root, root_members, ROOT_MEMBERS, values);
	if (e < 0)
		return e;
	if (!json_is_object(values[R_SOURCE].json))
		return ft_json_error_value(r->json, r->err, root, "source", "\"source\" is to be an object");
	r->s->strings = calloc(1, 256);
	if (!r->s->strings)
		return -ENOMEM;
	r->s->strings_length = 1;
	r->strings_size = 256;
	e = nodes_read(r, values[R_NODES].json);
	if (e < 0)
		return e;
	e = links_read(r, values[R_LINKS].json);
	if (e < 0)
		return e;
	e = links_complete(r, root);
	if (e < 0)
		return e;
	return source_read(r, values[R_SOURCE].json);
}

int ft_snapshot_read_json(const char *text, size_t length, struct ft_snapshot **ret_snapshot, struct ft_error *err)
{
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *s = calloc(1, sizeof(*s));
	_cleanup_(ft_json_release) struct ft_json json = {0};
	struct reader r = {.json = &json, .err = err, .s = s};
	int e;

	if (!s)
		return -ENOMEM;
	e = ft_json_read(text, length, &json, err);
	if (e < 0)
		return e;
	e = snapshot_read(&r);
	if (e < 0)
		return e;
	e = ft_snapshot_check(s, err);
	if (e < 0)
		return e;
	*ret_snapshot = FT_STEAL(s);
	return 0;
}
