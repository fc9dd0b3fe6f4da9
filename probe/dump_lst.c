/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Subnet lists (".lst"): read by ibdm, written by OpenSM and ibis. One line for each direction of a link, all numbers
 * but the rate hexadecimal:
 *
 *     { SW Ports:18 SystemGUID:… NodeGUID:… PortGUID:… VenID:… DevID:… Rev:… {description} LID:0401 PN:03 } { CA … }
 *       PHY=4x LOG=ACT SPD=2.5
 *
 * - The type is CA, SW, RT or "**", with "-SM" behind it where a subnet manager is. Simulated subnets (ibmgtsim, from
 * ibdm's topology files) say CA of every node: one of more than two ports is a switch, as no adapter has so many.
 * - A description may contain braces: it ends where the remaining members follow.
 * - The 16-bit device id is in the upper half of 32 bits where OpenSM byte-swaps it as a 32-bit value: at the far end,
 *   and in older lists at both ends.
 * - Ports that are not listed are FT_LINK_DOWN: the file lists links only. So are ports with LOG=DWN, whose far end is
 *   the one that the subnet manager saw before.
 * - Link ends are listed once or twice, from either side; where two lines disagree, that is an error.
 */
#include "config.h"

#include "probe/source.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/map.h"
#include "base/text.h"
#include "probe/snapshot_build.h"
#include "probe/span.h"

enum { CA_PORTS_MAX = 2 };

/* One end of a line. */
struct end {
	struct ft_build_node node;
	uint64_t port_guid;
	uint16_t lid;
	uint8_t number;
	const char *place;
};

/* A node as it was first listed. */
struct known {
	uint64_t guid;
	const char *description;
	size_t description_length;
	uint32_t id; /* the builder's */
	uint16_t port_count;
	uint8_t type;
	struct {
		uint64_t guid;
		uint8_t number; /* 0: this port is not listed yet */
	} * far;		/* by port */
};

struct reader {
	const char *text;
	const char *end;
	struct ft_error *err;
	struct ft_builder *builder;
	struct ft_map by_guid;
	struct known *known;
	size_t known_count, known_size;
};

static __attribute__((format(printf, 3, 4))) int fail(const struct reader *r, const char *at, const char *format, ...)
{
	unsigned int line, column;
	char text[FT_ERROR_TEXT_SIZE];
	va_list args;

	ft_error_position(r->text, (size_t)(at - r->text), &line, &column);
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return ft_error_set(r->err, -EINVAL, line, column, "%s", text);
}

/* The members of an end, in this order, except the description, which precedes the last two. */
static const struct field {
	const char *name;
	uint64_t max;
} fields[] = {
	{"Ports:", FT_PORT_NUMBER_MAX}, {"SystemGUID:", UINT64_MAX}, {"NodeGUID:", UINT64_MAX},
	{"PortGUID:", UINT64_MAX},	{"VenID:", UINT32_MAX},	     {"DevID:", UINT32_MAX},
	{"Rev:", UINT32_MAX},		{"LID:", UINT16_MAX},	     {"PN:", FT_PORT_NUMBER_MAX},
};
enum { PORTS, SYSTEM_GUID, NODE_GUID, PORT_GUID, VENDOR, DEVICE, REVISION, LID, NUMBER, FIELDS };

static int read_field(const struct reader *r, struct ft_span *s, unsigned int field, uint64_t *ret_value)
{
	const char *at;

	ft_span_skip_blanks(s);
	if (!ft_span_skip_string(s, fields[field].name))
		return fail(r, s->at, "\"%s\" was expected", fields[field].name);
	at = s->at;
	if (!ft_span_hex(s, ret_value) || (s->at < s->end && !ft_is_blank(*s->at)))
		return fail(r, at, "a number in hexadecimal was expected");
	if (*ret_value > fields[field].max)
		return fail(r, at, "%" PRIx64 " is too large: the most is %" PRIx64 " (in hexadecimal)", *ret_value,
			    fields[field].max);
	return 0;
}

static const struct {
	const char *name;
	uint8_t type;
} types[] = {
	{"CA", FT_NODE_CA},
	{"SW", FT_NODE_SWITCH},
	{"RT", FT_NODE_ROUTER},
	{"**", FT_NODE_UNKNOWN},
};

static int read_type(const struct reader *r, struct ft_span *s, uint8_t *ret_type)
{
	struct ft_span word = ft_span_word(s);
	size_t length = (size_t)(word.end - word.at);

	if (length > 3 && strncasecmp(word.end - 3, "-SM", 3) == 0)
		length -= 3;
	for (size_t i = 0; i < FT_COUNT(types); i++)
		if (length == strlen(types[i].name) && strncasecmp(word.at, types[i].name, length) == 0) {
			*ret_type = types[i].type;
			return 0;
		}
	return fail(r, word.at, "the type of a node was expected: CA, SW or RT");
}

/* Does " LID:0401 PN:03 }", which ends a description, begin here? */
static bool is_tail(struct ft_span s)
{
	uint64_t value;

	for (unsigned int field = LID; field <= NUMBER; field++) {
		ft_span_skip_blanks(&s);
		if (!ft_span_skip_string(&s, fields[field].name) || !ft_span_hex(&s, &value))
			return false;
	}
	ft_span_skip_blanks(&s);
	return ft_span_skip_char(&s, '}');
}

/* {H-1 MT23108}, up to the brace that the tail follows, or else the next brace. */
static int read_description(const struct reader *r, struct ft_span *s, struct ft_build_node *node)
{
	struct ft_span rest;
	const char *start, *close;

	ft_span_skip_blanks(s);
	if (!ft_span_skip_char(s, '{'))
		return fail(r, s->at, "a description in braces was expected");
	start = s->at;
	rest = *s;
	do {
		close = ft_span_find(&rest, '}');
		rest.at = close ? close + 1 : rest.end;
	} while (close && !is_tail(rest));
	if (!close)
		close = ft_span_find(s, '}');
	if (!close)
		return fail(r, start, "the closing brace of a description is missing");
	if (memchr(start, '\0', (size_t)(close - start)))
		return fail(r, memchr(start, '\0', (size_t)(close - start)), "a NUL byte in a description");
	if (close - start > UINT16_MAX)
		return fail(r, start, "the description is longer than %u bytes", UINT16_MAX);
	node->description = start;
	node->description_length = (size_t)(close - start);
	s->at = close + 1;
	return 0;
}

static int read_fields(const struct reader *r, struct ft_span *s, struct ft_build_node *node, uint64_t value[FIELDS])
{
	for (unsigned int field = PORTS; field <= NUMBER; field++) {
		int e = field == LID ? read_description(r, s, node) : 0;

		if (e == 0)
			e = read_field(r, s, field, &value[field]);
		if (e < 0)
			return e;
	}
	return 0;
}

static int check_end(const struct reader *r, const struct end *end, const uint64_t value[FIELDS])
{
	if (value[NODE_GUID] == 0)
		return fail(r, end->place, "a node without a GUID");
	if (value[PORTS] == 0)
		return fail(r, end->place, "a node without ports");
	if (value[NUMBER] < 1 || value[NUMBER] > value[PORTS])
		return fail(r, end->place, "port %" PRIu64 " of a node of %" PRIu64 " port%s", value[NUMBER],
			    value[PORTS], ft_text_s(value[PORTS]));
	return 0;
}

/* { CA Ports:02 … PN:01 } */
static int read_end(const struct reader *r, struct ft_span *s, struct end *end)
{
	uint64_t value[FIELDS] = {0};
	uint8_t type = FT_NODE_UNKNOWN;
	int e;

	ft_span_skip_blanks(s);
	end->place = s->at;
	if (!ft_span_skip_char(s, '{'))
		return fail(r, s->at, "the end of a link in braces was expected");
	e = read_type(r, s, &type);
	if (e == 0)
		e = read_fields(r, s, &end->node, value);
	if (e < 0)
		return e;
	ft_span_skip_blanks(s);
	if (!ft_span_skip_char(s, '}'))
		return fail(r, s->at, "a closing brace was expected");
	e = check_end(r, end, value);
	if (e < 0)
		return e;
	if (type == FT_NODE_CA && value[PORTS] > CA_PORTS_MAX)
		type = FT_NODE_SWITCH;
	end->node.type = type;
	end->node.guid = value[NODE_GUID];
	end->node.system_guid = value[SYSTEM_GUID];
	end->node.vendor_id = (uint32_t)value[VENDOR];
	end->node.device_id = (uint32_t)(value[DEVICE] & 0xffff ? value[DEVICE] : value[DEVICE] >> 16);
	end->node.port_count = (uint16_t)value[PORTS];
	end->node.port_count_known = true;
	end->node.unlisted = FT_LINK_DOWN;
	end->node.lid = type == FT_NODE_SWITCH ? (uint16_t)value[LID] : 0;
	end->port_guid = value[PORT_GUID];
	end->lid = (uint16_t)value[LID];
	end->number = (uint8_t)value[NUMBER];
	return 0;
}

static int known_add(struct reader *r, const struct end *end, uint32_t *ret_index)
{
	struct known *known;
	int e;

	if (r->known_count == r->known_size) {
		size_t size = r->known_size ? 2 * r->known_size : 64;

		known = reallocarray(r->known, size, sizeof(*known));
		if (!known)
			return -ENOMEM;
		r->known = known;
		r->known_size = size;
	}
	known = &r->known[r->known_count];
	*known = (struct known){.guid = end->node.guid,
				.description = end->node.description,
				.description_length = end->node.description_length,
				.port_count = end->node.port_count,
				.type = end->node.type};
	known->far = calloc(end->node.port_count + 1UL, sizeof(*known->far));
	if (!known->far)
		return -ENOMEM;
	r->known_count++;
	e = ft_builder_add_node(r->builder, &end->node, &known->id);
	if (e == 0)
		e = ft_map_add(&r->by_guid, end->node.guid, (uint32_t)(r->known_count - 1), NULL);
	if (e < 0)
		return e;
	*ret_index = (uint32_t)(r->known_count - 1);
	return 0;
}

/* The node of an end, if it was listed before. */
static int known_find(struct reader *r, const struct end *end, uint32_t *ret_index)
{
	const struct known *known;

	*ret_index = ft_map_get(&r->by_guid, end->node.guid);
	if (*ret_index == FT_NONE)
		return known_add(r, end, ret_index);
	known = &r->known[*ret_index];
	if (known->port_count != end->node.port_count || known->type != end->node.type ||
	    known->description_length != end->node.description_length ||
	    memcmp(known->description, end->node.description, known->description_length) != 0)
		return fail(r, end->place,
			    "node 0x%016" PRIx64 " has another type, number of ports or description "
			    "than in a line before",
			    known->guid);
	return 0;
}

/* "PHY=4x LOG=ACT SPD=2.5", in any order; unknown members are ignored. */
static const struct {
	const char *name;
	uint8_t speed;
} speeds[] = {
	{"2.5", FT_SPEED_SDR}, {"5", FT_SPEED_DDR},	  {"10", FT_SPEED_QDR}, {"10+", FT_SPEED_FDR10},
	{"14", FT_SPEED_FDR},  {"FDR10", FT_SPEED_FDR10}, {"25", FT_SPEED_EDR}, {"50", FT_SPEED_HDR},
	{"100", FT_SPEED_NDR}, {"200", FT_SPEED_XDR},
};
static const char *const states[] = {"", "DWN", "INI", "ARM", "ACT"};
enum { LOGICAL_DOWN = 1 };

static bool word_is(const struct ft_span *word, const char *text)
{
	return (size_t)(word->end - word->at) == strlen(text) && memcmp(word->at, text, strlen(text)) == 0;
}

/* Returns whether the speed is a known one, or given as unknown. */
static bool read_speed(const struct ft_span *word, struct ft_build_port *port)
{
	for (size_t i = 0; i < FT_COUNT(speeds); i++)
		if (word_is(word, speeds[i].name)) {
			port->rate.speed = speeds[i].speed;
			return true;
		}
	return word_is(word, "??");
}

/* The widths that there are (IBTA Vol 1, PortInfo:LinkWidthActive). */
static bool lanes_are_possible(unsigned int lanes)
{
	return lanes == 1 || lanes == 2 || lanes == 4 || lanes == 8 || lanes == 12;
}

/* Returns whether the line ends with a speed. */
static bool read_tail(struct ft_span s, struct ft_build_port *port)
{
	bool whole = false;

	while (s.at < s.end) {
		struct ft_span word = ft_span_word(&s);
		unsigned int lanes = 0;

		if (ft_span_skip_string(&word, "PHY=") && ft_span_number(&word, 12, &lanes) &&
		    lanes_are_possible(lanes))
			port->rate.lanes = (uint8_t)lanes;
		if (ft_span_skip_string(&word, "LOG="))
			for (uint8_t i = 1; i < FT_COUNT(states); i++)
				if (word_is(&word, states[i]))
					port->logical_state = i;
		if (ft_span_skip_string(&word, "SPD="))
			whole = read_speed(&word, port);
	}
	if (port->logical_state == LOGICAL_DOWN)
		*port = (struct ft_build_port){.link = FT_LINK_DOWN, .logical_state = LOGICAL_DOWN};
	return whole;
}

/* Records the near port of a line with its far end. A repeated line, from either side, is harmless. */
static int add_port(struct reader *r, const struct end *near, const struct end *far, const struct ft_build_port *link)
{
	struct ft_build_port port = *link;
	struct known *known;
	uint32_t index = 0;
	int e;

	e = known_find(r, near, &index);
	if (e < 0)
		return e;
	known = &r->known[index];
	if (port.link == FT_LINK_UP && known->far[near->number].number &&
	    (known->far[near->number].guid != far->node.guid || known->far[near->number].number != far->number))
		return fail(r, near->place, "port %u of 0x%016" PRIx64 " has another far end than in a line before",
			    near->number, known->guid);
	if (port.link == FT_LINK_UP) {
		known->far[near->number].guid = far->node.guid;
		known->far[near->number].number = far->number;
		port.peer_guid = far->node.guid;
		port.peer_number = far->number;
		port.peer_type = far->node.type;
	}
	port.number = near->number;
	port.guid = known->type == FT_NODE_SWITCH ? 0 : near->port_guid;
	port.lid = known->type == FT_NODE_SWITCH ? 0 : near->lid;
	port.place = (uint32_t)(near->place - r->text);
	return ft_builder_add_port(r->builder, known->id, &port);
}

/* @line_open  the line ends with the file, not with a newline */
static int read_line(struct reader *r, struct ft_span line, bool line_open)
{
	struct ft_build_port link = {.link = FT_LINK_UP};
	struct end ends[2] = {0};
	int e = 0;

	ft_span_trim(&line);
	if (line.at == line.end || *line.at == '#')
		return 0;
	for (unsigned int i = 0; i < 2 && e == 0; i++)
		e = read_end(r, &line, &ends[i]);
	if (e < 0)
		return e;
	if (!read_tail(line, &link) && line_open)
		return fail(r, line.end, "the file ends in the middle of a line");
	if (link.rate.lanes == 0 && link.rate.speed == FT_SPEED_UNKNOWN && link.logical_state == 0)
		return fail(r, line.at, "\"PHY=\", \"LOG=\" and \"SPD=\" were expected");
	e = add_port(r, &ends[0], &ends[1], &link);
	return e < 0 ? e : add_port(r, &ends[1], &ends[0], &link);
}

static int read_lines(struct reader *r)
{
	const char *at = r->text;

	while (at < r->end) {
		const char *newline = memchr(at, '\n', (size_t)(r->end - at));
		const char *line_end = newline ? newline : r->end;
		int e = read_line(r, (struct ft_span){at, line_end}, !newline);

		if (e < 0)
			return e;
		at = newline ? newline + 1 : r->end;
	}
	return r->known_count ? 0 : fail(r, r->text, "this subnet list has no nodes");
}

static void reader_release(struct reader *r)
{
	for (size_t i = 0; i < r->known_count; i++)
		free(r->known[i].far);
	free(r->known);
	ft_map_release(&r->by_guid);
	ft_builder_free(r->builder);
}

bool ft_dump_is_lst(const char *text, size_t length)
{
	struct ft_span s = {text, text + length}, word;

	/* A comment has no structure: only its end is checked. */
	while (s.at < s.end && (ft_is_blank(*s.at) || *s.at == '\n' || *s.at == '#')) {
		const char *newline = *s.at == '#' ? ft_span_find(&s, '\n') : s.at;

		s.at = newline ? newline + 1 : s.end;
	}
	if (!ft_span_skip_char(&s, '{'))
		return false;
	word = ft_span_word(&s);
	ft_span_skip_blanks(&s);
	return word.at < word.end && ft_span_skip_string(&s, fields[PORTS].name);
}

int ft_dump_read_lst(const char *text, size_t length, struct ft_snapshot **ret_snapshot, struct ft_error *err)
{
	_cleanup_(reader_release) struct reader r = {.text = text, .end = text + length, .err = err};
	uint32_t place = 0;
	int e;

	if (length >= UINT32_MAX)
		return ft_error_set(err, -EFBIG, 0, 0, "larger than 4 GiB");
	e = ft_builder_new(&r.builder);
	if (e < 0)
		return e;
	ft_builder_source(r.builder)->complete = true;
	e = read_lines(&r);
	if (e < 0)
		return e;
	e = ft_builder_finish(r.builder, ret_snapshot, err, &place);
	if (e == -EINVAL && err)
		ft_error_position(text, place, &err->line, &err->column);
	return e;
}
