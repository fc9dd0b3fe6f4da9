/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * ibnetdiscover's text: records of nodes with a line a linked port, or a port report (-p) with a line a port, or both.
 * Written by any version of ibnetdiscover, by hand for ibsim, or copied from a terminal. The reader accepts:
 *
 * - blanks, tabs or nothing between the parts of a line; CR LF; a byte order mark; no empty line between records
 * - prompts, banners and messages before the first record and behind the last; between records, messages of -v and of
 *   the libraries. Messages of lost packets make the snapshot incomplete, and name the port that is up with a silent
 *   far end; if they do not name it, unlisted ports do not count as down
 * - GUIDs with and without 0x and leading zeros; the one in the node id's quotes counts
 * - missing sysimgguid, LIDs, descriptions and rates; "lid -1", which is no LID; (x) and [ext n] behind a port: on CA
 *   ports (x) is the port's GUID, on others both are ignored
 * - rates by name, or ibsim's and -f's w=, s= and e= codes; an unrecognised speed or width is stored as unknown
 * - descriptions with any bytes but newline and NUL: the closing quote is the last one of the line
 *
 * A port that a record does not list is FT_LINK_DOWN: ibnetdiscover lists linked ports only, and
 * source.lists_down_ports is false. A port report lists them all. It gives neither the number of ports of a node (the
 * highest one named counts) nor, for a CA, the node GUID: each port of a CA with several ports is a node of its own,
 * known by the port's GUID, unless there are records too. Descriptions in it stand in single quotes, or in none; " - "
 * separates the two of a line.
 *
 * The nodes of a chassis are listed by -g.
 *
 * A truncated file is an error if that is evident (a line without its end, a record without its node); for far ends
 * without a record see ft_builder_set_last().
 */
#include "config.h"

#include "probe/source.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/text.h"
#include "probe/snapshot_build.h"
#include "probe/span.h"

enum { NO_RECORD = UINT32_MAX, LOSSES_MAX = 512 };

struct reader {
	const char *text;
	const char *end;
	struct ft_error *err;
	struct ft_builder *builder;

	const char *line_end;	   /* of what is not blank */
	bool line_open;		   /* the line ends with the file, not with a newline */
	const char *pending;	   /* the first line of a record that has no node yet */
	const char *garbage;	   /* the first line after the first record that could not be parsed */
	struct ft_build_node next; /* attributes of the next node, from the lines before its own */
	uint32_t chassis;	   /* the chassis of the records, by -g; 0: none */

	uint32_t node; /* the open record */
	uint8_t type;
	uint16_t port_count;
	uint32_t last;	   /* the last record */
	bool last_is_bare; /* nothing followed its node line, not even a newline */
	bool header;
	bool records;
	bool rates; /* port lines tell their rate */
	struct {
		uint32_t node;
		uint64_t peer_guid;
		uint8_t peer_number;
	} listed[256];			   /* the last node that lists this port number */
	struct ft_span losses[LOSSES_MAX]; /* messages of lost packets, from their directed route on */
	size_t loss_count;
	bool loss_nowhere; /* a message without a route, or one too many */
};

/* Fills the error with the place of @at. A fault at the truncated end of the file is reported as the truncation. */
static __attribute__((format(printf, 3, 4))) int fail(const struct reader *r, const char *at, const char *format, ...)
{
	unsigned int line, column;
	char text[FT_ERROR_TEXT_SIZE];
	va_list args;

	ft_error_position(r->text, (size_t)(at - r->text), &line, &column);
	if (r->line_open && at == r->line_end)
		return ft_error_set(r->err, -EINVAL, line, column, "the file ends in the middle of a line");
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return ft_error_set(r->err, -EINVAL, line, column, "%s", text);
}

static const char *find_last(const struct ft_span *s, char c)
{
	return s->at < s->end ? memrchr(s->at, c, (size_t)(s->end - s->at)) : NULL;
}

static uint8_t read_speed(const struct ft_span *word)
{
	return (uint8_t)ft_speed_find(word->at, (size_t)(word->end - word->at));
}

/*
 * "4xHDR", "4x" with the speed as the next word, "??" and "???" where ibnetdiscover could not tell. False if @word is
 * no rate.
 */
static bool read_rate(struct ft_span word, struct ft_span *rest, struct ft_rate *ret_rate)
{
	unsigned int lanes = 0;

	if (!ft_span_skip_string(&word, "??")) {
		if (!ft_span_number(&word, 99, &lanes) || word.at == word.end || (*word.at | 0x20) != 'x')
			return false;
		word.at++;
	}
	if (word.at == word.end) {
		struct ft_span after = *rest, speed = ft_span_word(&after);

		if (read_speed(&speed) != FT_SPEED_UNKNOWN || ft_span_skip_string(&speed, "???")) {
			word = ft_span_word(rest);
		}
	}
	if (lanes != 1 && lanes != 2 && lanes != 4 && lanes != 8 && lanes != 12)
		lanes = 0;
	*ret_rate = (struct ft_rate){(uint8_t)lanes, read_speed(&word)};
	return true;
}

/* Words that may follow the node ids, in any order; unrecognised words are ignored. */
struct words {
	uint16_t lid;
	uint8_t lmc;
	bool odd_lid; /* an invalid LID was given: empty, negative or 65535 */
	bool rate_said;
	struct ft_rate rate;
	unsigned int width_code, speed_code, speed_ext_code;
};

/* "lid 12", "lid12", "lid -1", "lid" and nothing: @rest is moved past the number only if there is one. */
static int read_value(const struct reader *r, struct ft_span word, struct ft_span *rest, unsigned int max,
		      unsigned int *ret_value, bool *ret_none)
{
	struct ft_span after = *rest;
	const char *start;
	bool negative;

	*ret_none = true;
	if (word.at == word.end) {
		word = ft_span_word(&after);
		if (word.at == word.end || (*word.at != '-' && !isdigit((unsigned char)*word.at)))
			return 0;
	}
	start = word.at;
	negative = ft_span_skip_char(&word, '-');
	if (!ft_span_number(&word, max, ret_value) || word.at != word.end) {
		*ret_value = 0;
		return 0; /* the next word is of another kind, such as "4xHDR" */
	}
	*rest = after;
	*ret_none = negative;
	if (negative)
		*ret_value = 0;
	if (*ret_value > max)
		return fail(r, start, "a number of at most %u was expected", max);
	return 0;
}

static int read_words(const struct reader *r, struct ft_span s, struct words *ret_words)
{
	while (s.at < s.end) {
		struct ft_span word = ft_span_word(&s);
		unsigned int value = 0;
		bool none = false;
		int e = 0;

		ft_span_skip_char(&word, '#');
		if (ft_span_skip_string(&word, "lid")) {
			e = read_value(r, word, &s, UINT16_MAX, &value, &none);
			ret_words->odd_lid = none || value == UINT16_MAX;
			ret_words->lid = ret_words->odd_lid ? 0 : (uint16_t)value;
		} else if (ft_span_skip_string(&word, "lmc")) {
			e = read_value(r, word, &s, 7, &value, &none);
			ret_words->lmc = (uint8_t)value;
		} else if (ft_span_skip_string(&word, "w=")) {
			ft_span_number(&word, 255, &ret_words->width_code);
		} else if (ft_span_skip_string(&word, "s=")) {
			ft_span_number(&word, 255, &ret_words->speed_code);
		} else if (ft_span_skip_string(&word, "e=")) {
			ft_span_number(&word, 255, &ret_words->speed_ext_code);
		} else if (read_rate(word, &s, &ret_words->rate)) {
			ret_words->rate_said = true;
		}
		if (e < 0)
			return e;
	}
	return 0;
}

/* Source of the codes: IBTA Vol 1, PortInfo: LinkWidthActive, LinkSpeedActive, LinkSpeedExtActive. */
static struct ft_rate rate_of_codes(const struct words *words)
{
	static const struct {
		uint8_t code, value;
	} widths[] = {{1, 1}, {2, 4}, {4, 8}, {8, 12}, {16, 2}},
	  speeds[] = {{1, FT_SPEED_SDR}, {2, FT_SPEED_DDR}, {4, FT_SPEED_QDR}},
	  speeds_ext[] = {
		  {1, FT_SPEED_FDR}, {2, FT_SPEED_EDR}, {4, FT_SPEED_HDR}, {8, FT_SPEED_NDR}, {32, FT_SPEED_XDR}};
	struct ft_rate rate = {0};

	for (size_t i = 0; i < FT_COUNT(widths); i++)
		if (widths[i].code == words->width_code)
			rate.lanes = widths[i].value;
	for (size_t i = 0; i < FT_COUNT(speeds); i++)
		if (speeds[i].code == words->speed_code)
			rate.speed = speeds[i].value;
	for (size_t i = 0; i < FT_COUNT(speeds_ext); i++)
		if (speeds_ext[i].code == words->speed_ext_code)
			rate.speed = speeds_ext[i].value;
	return rate;
}

static uint8_t type_of_letter(char letter)
{
	static const uint8_t types[UCHAR_MAX + 1] = {
		['S'] = FT_NODE_SWITCH, ['H'] = FT_NODE_CA, ['R'] = FT_NODE_ROUTER, ['?'] = FT_NODE_UNKNOWN};

	return types[(unsigned char)letter];
}

/* "S-0002c90200404730", with its quotes. */
static int read_id(const struct reader *r, struct ft_span *s, uint8_t *ret_type, uint64_t *ret_guid)
{
	const char *start = s->at, *close;
	struct ft_span id;

	if (!ft_span_skip_char(s, '"'))
		return fail(r, s->at, "a node id in quotes was expected");
	close = ft_span_find(s, '"');
	if (!close)
		return fail(r, r->line_open ? r->line_end : start, "the closing quote of the node id is missing");
	id = (struct ft_span){s->at, close};
	s->at = close + 1;
	if (close - id.at < 2 || !strchr("SHR?", id.at[0]) || id.at[1] != '-')
		id.end = id.at;
	*ret_type = id.at < id.end ? type_of_letter(id.at[0]) : FT_NODE_UNKNOWN;
	id.at = id.at < id.end ? id.at + 2 : id.at;
	if (!ft_span_hex(&id, ret_guid) || id.at != close)
		return fail(r, start, "node id \"%.*s\" is not S-, H- or R- and a GUID in hexadecimal",
			    (int)(close - start - 1 > 80 ? 80 : close - start - 1), start + 1);
	return 0;
}

/*
 * The text between the first quote of @s and the last, with @s moved behind it; an empty span if there is no quote.
 * @ret_before  out: what stood before it
 */
static int read_description(const struct reader *r, struct ft_span *s, struct ft_span *ret_before,
			    struct ft_span *ret_description)
{
	const char *open = ft_span_find(s, '"'), *close;

	*ret_before = *s;
	*ret_description = (struct ft_span){NULL, NULL};
	if (!open) {
		s->at = s->end;
		return 0;
	}
	ret_before->end = open;
	close = find_last(s, '"');
	if (close == open)
		return fail(r, r->line_open ? r->line_end : open, "the closing quote of the description is missing");
	if (close - open - 1 > UINT16_MAX)
		return fail(r, open, "the description is longer than %u bytes", UINT16_MAX);
	if (memchr(open, '\0', (size_t)(close - open)))
		return fail(r, memchr(open, '\0', (size_t)(close - open)), "a NUL byte in a description");
	*ret_description = (struct ft_span){open + 1, close};
	s->at = close + 1;
	return 0;
}

/* "[12]", and "[ext 3]" behind it. */
static int read_port_number(const struct reader *r, struct ft_span *s, uint8_t *ret_number)
{
	const char *start = s->at;
	unsigned int number = 0;

	if (!ft_span_skip_char(s, '[') || !ft_span_number(s, FT_PORT_NUMBER_MAX, &number) || !ft_span_skip_char(s, ']'))
		return fail(r, s->at, "a port number in brackets was expected");
	if (number < 1 || number > FT_PORT_NUMBER_MAX)
		return fail(r, start + 1, "a port number is from 1 to %d", FT_PORT_NUMBER_MAX);
	*ret_number = (uint8_t)number;
	if (ft_span_skip_string(s, "[ext")) {
		const char *close = ft_span_find(s, ']');

		if (!close)
			return fail(r, r->line_open ? r->line_end : s->at, "the closing bracket is missing");
		s->at = close + 1;
	}
	return 0;
}

/* "(2c90300080e85)": the port's GUID, except on switches, where it is a label and is ignored. */
static int read_parenthesis(const struct reader *r, struct ft_span *s, bool is_switch, uint64_t *ret_guid)
{
	struct ft_span inner, before = *s;
	const char *close;

	ft_span_skip_blanks(s);
	if (!ft_span_skip_char(s, '(')) {
		*s = before;
		return 0;
	}
	close = ft_span_find(s, ')');
	if (!close)
		return fail(r, r->line_open ? r->line_end : s->at, "the closing parenthesis is missing");
	inner = (struct ft_span){s->at, close};
	s->at = close + 1;
	if (is_switch)
		return 0;
	if (!ft_span_hex(&inner, ret_guid) || inner.at != close)
		return fail(r, inner.at, "a port's GUID in hexadecimal was expected");
	return 0;
}

/* "vendid=0x2c9": the lines before a node's own. */
static const struct attribute {
	const char *name;
	size_t offset, size; /* offset in struct ft_build_node; size 0: only checked, as the node id repeats it */
} attributes[] = {
	{"vendid=", offsetof(struct ft_build_node, vendor_id), sizeof(uint32_t)},
	{"devid=", offsetof(struct ft_build_node, device_id), sizeof(uint32_t)},
	{"sysimgguid=", offsetof(struct ft_build_node, system_guid), sizeof(uint64_t)},
	{"switchguid=", 0, 0},
	{"caguid=", 0, 0},
	{"rtguid=", 0, 0},
};

/* "Chassis 1", with whatever behind it. */
static bool read_chassis_number(struct ft_span s, uint32_t *ret_chassis)
{
	enum { CHASSIS_MAX = 1000000 };
	unsigned int number;

	ft_span_skip_blanks(&s);
	if (!ft_span_skip_string(&s, "Chassis "))
		return false;
	ft_span_skip_blanks(&s);
	if (!ft_span_number(&s, CHASSIS_MAX, &number) || (s.at < s.end && !ft_is_blank(*s.at)))
		return false;
	*ret_chassis = number;
	return true;
}

/* What -g puts behind GUIDs: "# Chassis 1" of a system's, "# ISR2012 Spine 1 Chip 2" of a switch's. */
static void read_slot(struct ft_span s, bool of_switch, struct ft_build_node *node)
{
	const char *comment = ft_span_find(&s, '#');

	if (!comment)
		return;
	s.at = comment + 1;
	ft_span_trim(&s);
	read_chassis_number(s, &node->chassis);
	node->slotted |= of_switch && s.at < s.end;
}

static int read_attribute(struct reader *r, struct ft_span line, unsigned int index)
{
	const struct attribute *attribute = &attributes[index];
	struct ft_span s = {line.at + strlen(attribute->name), line.end};
	const char *value = s.at;
	uint64_t number;

	if (!ft_span_hex(&s, &number) || (s.at < s.end && *s.at != '(' && *s.at != '#' && !ft_is_blank(*s.at)))
		return fail(r, value, "a number in hexadecimal was expected");
	if (attribute->size == sizeof(uint32_t)) {
		if (number > UINT32_MAX)
			return fail(r, value, "a number of 32 bits was expected");
		*(uint32_t *)((char *)&r->next + attribute->offset) = (uint32_t)number;
	} else if (attribute->size == sizeof(uint64_t)) {
		*(uint64_t *)((char *)&r->next + attribute->offset) = number;
	}
	read_slot(s, strcmp(attribute->name, "switchguid=") == 0, &r->next);
	if (!r->pending)
		r->pending = line.at;
	r->node = NO_RECORD;
	return 1;
}

static const struct node_kind {
	const char *name;
	uint8_t type;
} node_kinds[] = {
	{"Switch", FT_NODE_SWITCH}, {"Ca", FT_NODE_CA},		{"Hca", FT_NODE_CA},
	{"Rt", FT_NODE_ROUTER},	    {"Router", FT_NODE_ROUTER}, {"???", FT_NODE_UNKNOWN},
};

/* Places are translated to line numbers only when needed: counting lines takes time. */
static void lid_is_odd(struct reader *r, const char *at)
{
	unsigned int line = 0, column;

	if (ft_builder_source(r->builder)->odd_lids == 0)
		ft_error_position(r->text, (size_t)(at - r->text), &line, &column);
	ft_builder_odd_lid(r->builder, line);
}

/* Switch 41 "S-1c34da0300728866" # "MF0;MLG01-02:MQM8700/U1" enhanced port 0 lid 1600 lmc 0 */
static int read_node(struct reader *r, struct ft_span line, unsigned int index)
{
	struct ft_span s = {line.at + strlen(node_kinds[index].name), line.end}, before, description;
	struct words words = {0};
	unsigned int ports = 0;
	const char *number;
	uint8_t type;
	int e;

	ft_span_skip_blanks(&s);
	number = s.at;
	if (!ft_span_number(&s, FT_PORT_NUMBER_MAX, &ports))
		return number == s.end && r->line_open ? fail(r, number, "a number of ports was expected") : 0;
	ft_span_skip_blanks(&s);
	if (!r->records && !r->pending && (s.at == s.end || *s.at != '"'))
		return 0; /* a message that begins like this */
	if (ports > FT_PORT_NUMBER_MAX)
		return fail(r, number, "a node has at most %d ports", FT_PORT_NUMBER_MAX);
	e = read_id(r, &s, &type, &r->next.guid);
	if (e < 0)
		return e;
	e = read_description(r, &s, &before, &description);
	if (e < 0)
		return e;
	if (node_kinds[index].type == FT_NODE_SWITCH)
		e = read_words(r, description.at ? s : before, &words);
	if (e < 0)
		return e;
	r->next.type = node_kinds[index].type;
	r->next.port_count = (uint16_t)ports;
	r->next.port_count_known = true;
	r->next.description = description.at;
	r->next.description_length = (size_t)(description.end - description.at);
	r->next.lid = words.lid;
	r->next.lmc = words.lmc;
	r->next.unlisted = FT_LINK_DOWN;
	if (r->next.chassis == 0)
		r->next.chassis = r->chassis;
	if (words.odd_lid)
		lid_is_odd(r, line.at);
	e = ft_builder_add_node(r->builder, &r->next, &r->node);
	if (e < 0)
		return e;
	r->type = r->next.type;
	r->port_count = r->next.port_count;
	r->last = r->node;
	r->last_is_bare = r->line_open && r->type == FT_NODE_SWITCH;
	r->records = true;
	r->pending = NULL;
	r->next = (struct ft_build_node){0};
	return 1;
}

/* Has this record listed port @port before? A repeated line is harmless. */
static int check_listed(struct reader *r, const char *at, const struct ft_build_port *port, bool *ret_again)
{
	bool again = r->listed[port->number].node == r->node;

	if (port->number > r->port_count)
		return fail(r, at, "port %u is beyond the %u port%s of its node", port->number, r->port_count,
			    ft_text_s(r->port_count));
	if (again && (r->listed[port->number].peer_guid != port->peer_guid ||
		      r->listed[port->number].peer_number != port->peer_number))
		return fail(r, at, "port %u is listed twice, with two far ends", port->number);
	r->listed[port->number].node = r->node;
	r->listed[port->number].peer_guid = port->peer_guid;
	r->listed[port->number].peer_number = port->peer_number;
	*ret_again = again;
	return 0;
}

/* The rest of the line after the far end: on a CA's port line its own LID too, before the far description. */
static int read_port_tail(struct reader *r, struct ft_span s, struct ft_build_port *port)
{
	struct words near = {0}, far = {0};
	struct ft_span before, description;
	bool is_switch = r->type == FT_NODE_SWITCH;
	int e;

	e = read_description(r, &s, &before, &description);
	if (e < 0)
		return e;
	e = read_words(r, before, &near);
	if (e < 0)
		return e;
	e = read_words(r, s, &far);
	if (e < 0)
		return e;
	if (!is_switch && near.odd_lid)
		lid_is_odd(r, before.at);
	port->peer_description = description.at;
	port->peer_description_length = (uint16_t)(description.end - description.at);
	port->lid = is_switch ? 0 : near.lid;
	port->lmc = is_switch ? 0 : near.lmc;
	port->peer_lid = is_switch && !description.at ? near.lid : far.lid;
	port->rate = far.rate_said ? far.rate : near.rate_said ? near.rate : rate_of_codes(&near);
	if (r->line_open && r->rates && port->rate.speed == FT_SPEED_UNKNOWN)
		return fail(r, r->line_end, "a rate was expected");
	r->rates = r->rates || port->rate.speed != FT_SPEED_UNKNOWN;
	return 0;
}

/* [1](f4521403001165a1) "S-1c34da0300608820"[1](1c34da0300608820) # lid 3 lmc 0 "name" lid 837 4xHDR */
static int read_port(struct reader *r, struct ft_span line, unsigned int index)
{
	struct ft_build_port port = {.link = FT_LINK_UP, .place = (uint32_t)(line.at - r->text)};
	struct ft_span s = line;
	bool again = false;
	const char *far;
	int e;

	(void)index;
	if ((s.end - s.at < 2 || !isdigit((unsigned char)s.at[1])) || (!r->records && !r->pending))
		return 0; /* "[root@login ~]#", "[12.345] mlx5_core: …" */
	if (r->node == NO_RECORD)
		return fail(r, s.at, "a port outside the record of a node");
	e = read_port_number(r, &s, &port.number);
	if (e < 0)
		return e;
	e = read_parenthesis(r, &s, r->type == FT_NODE_SWITCH, &port.guid);
	if (e < 0)
		return e;
	ft_span_skip_blanks(&s);
	far = s.at;
	e = read_id(r, &s, &port.peer_type, &port.peer_guid);
	if (e < 0)
		return e;
	ft_span_skip_blanks(&s);
	port.place = (uint32_t)(far - r->text);
	e = read_port_number(r, &s, &port.peer_number);
	if (e < 0)
		return e;
	e = read_parenthesis(r, &s, port.peer_type == FT_NODE_SWITCH, &port.peer_port_guid);
	if (e < 0)
		return e;
	e = read_port_tail(r, s, &port);
	if (e < 0)
		return e;
	r->last_is_bare = false;
	e = check_listed(r, line.at + 1, &port, &again);
	if (e < 0)
		return e;
	e = again ? 0 : ft_builder_add_port(r->builder, r->node, &port);
	return e < 0 ? e : 1;
}

static const struct node_kind report_kinds[] = {
	{"SW", FT_NODE_SWITCH},
	{"CA", FT_NODE_CA},
	{"RT", FT_NODE_ROUTER},
	{"??", FT_NODE_UNKNOWN},
};

/* One end of a report line: "SW    18 19 0x00066a00ec002dd9", behind the type. */
struct report_end {
	uint8_t type;
	uint8_t number;
	uint16_t lid;
	uint64_t guid;
};

/* Returns 1, 0 if it has another form, or -EINVAL if a number is out of its range. */
static int read_report_end(const struct reader *r, struct ft_span *s, uint8_t type, struct report_end *ret_end)
{
	unsigned int lid = 0, number = 0;
	uint64_t guid;
	const char *at;

	if (s->at == s->end || !ft_is_blank(*s->at))
		return 0;
	ft_span_skip_blanks(s);
	at = s->at;
	if (ft_span_skip_char(s, '-') ? !ft_span_number(s, 1, &lid) : !ft_span_number(s, UINT16_MAX, &lid))
		return 0;
	if (*at == '-')
		lid = 0;
	ft_span_skip_blanks(s);
	if (lid > UINT16_MAX)
		return fail(r, at, "a number of at most %u was expected", UINT16_MAX);
	at = s->at;
	if (!ft_span_number(s, FT_PORT_NUMBER_MAX, &number))
		return 0;
	ft_span_skip_blanks(s);
	if (s->end - s->at < 2 || s->at[0] != '0' || s->at[1] != 'x')
		return 0;
	if (number < 1 || number > FT_PORT_NUMBER_MAX)
		return fail(r, at, "a port number is from 1 to %d", FT_PORT_NUMBER_MAX);
	at = s->at;
	if (!ft_span_hex(s, &guid) || (s->at < s->end && !ft_is_blank(*s->at)))
		return fail(r, at, "a GUID in hexadecimal was expected");
	*ret_end = (struct report_end){type, (uint8_t)number, (uint16_t)lid, guid};
	return 1;
}

/* "- CA   224  1 0x001175000077f612", the far end of a report line. */
static int read_report_far(const struct reader *r, struct ft_span *s, struct report_end *ret_end)
{
	struct ft_span far = *s;
	int e = 0;

	if (!ft_span_skip_char(&far, '-'))
		return 0;
	ft_span_skip_blanks(&far);
	for (size_t i = 0; i < FT_COUNT(report_kinds) && e == 0; i++)
		if (ft_span_skip_string(&far, report_kinds[i].name))
			e = read_report_end(r, &far, report_kinds[i].type, ret_end);
	if (e > 0)
		*s = far;
	return e;
}

/* 'name', where blanks inside the quotes count. */
static void unquote(struct ft_span *s)
{
	ft_span_trim(s);
	if (s->end - s->at >= 2 && *s->at == '\'' && s->end[-1] == '\'') {
		s->at++;
		s->end--;
	}
}

/* "( 'near' - 'far' )": the quotes delimit the names safely as long as no name contains "' - '". */
static void split_report_names(struct ft_span s, struct ft_span *ret_near, struct ft_span *ret_far)
{
	const char *quoted, *part;

	ft_span_trim(&s);
	if (s.at < s.end && *s.at == '(')
		s.at++;
	if (s.end > s.at && s.end[-1] == ')')
		s.end--;
	ft_span_trim(&s);
	quoted = memmem(s.at, (size_t)(s.end - s.at), "' - '", 5);
	part = quoted ? quoted + 1 : memmem(s.at, (size_t)(s.end - s.at), " - ", 3);
	*ret_near = (struct ft_span){s.at, part ? part : s.end};
	*ret_far = part ? (struct ft_span){part + 3, s.end} : (struct ft_span){s.end, s.end};
	unquote(ret_near);
	unquote(ret_far);
}

static int check_name(const struct reader *r, const struct ft_span *name)
{
	if (name->end - name->at > UINT16_MAX)
		return fail(r, name->at, "the description is longer than %u bytes", UINT16_MAX);
	if (ft_span_find(name, '\0'))
		return fail(r, ft_span_find(name, '\0'), "a NUL byte in a description");
	return 0;
}

static int add_report(struct reader *r, const struct report_end *near, const struct ft_span *name,
		      struct ft_build_port *port)
{
	struct ft_build_node node = {
		.guid = near->guid,
		.type = near->type,
		.lid = near->type == FT_NODE_SWITCH ? near->lid : 0,
		.description = name->at,
		.description_length = (size_t)(name->end - name->at),
		.unlisted = FT_LINK_UNREAD,
		.by_port = true,
	};
	uint32_t id;
	int e;

	e = ft_builder_add_node(r->builder, &node, &id);
	if (e < 0)
		return e;
	port->number = near->number;
	port->guid = near->guid;
	port->lid = near->type == FT_NODE_SWITCH ? 0 : near->lid;
	r->records = true;
	r->node = NO_RECORD;
	ft_builder_source(r->builder)->lists_down_ports = true;
	e = ft_builder_add_port(r->builder, id, port);
	return e < 0 ? e : 1;
}

/* SW    20 15 0x00066a00ec002def 4x QDR - CA   224  1 0x001175000077f612 ( 'near' - 'far' ) */
static int read_report(struct reader *r, struct ft_span line, unsigned int index)
{
	struct ft_span s = {line.at + strlen(report_kinds[index].name), line.end}, name, far_name = {NULL, NULL}, word;
	struct ft_build_port port = {.link = FT_LINK_DOWN, .place = (uint32_t)(line.at - r->text)};
	struct report_end near, far;
	int e;

	e = read_report_end(r, &s, report_kinds[index].type, &near);
	if (e <= 0)
		return e == 0 && r->line_open && s.at == s.end && r->records ? fail(r, s.at, "cut") : e;
	if (r->line_open && line.end[-1] != ')' && line.end[-1] != '\'')
		return fail(r, r->line_end, "cut");
	word = ft_span_word(&s);
	if (!read_rate(word, &s, &port.rate))
		return fail(r, word.at, "a link width was expected");
	ft_span_skip_blanks(&s);
	e = read_report_far(r, &s, &far);
	if (e < 0)
		return e;
	if (e > 0) {
		port.link = FT_LINK_UP;
		port.peer_guid = far.guid;
		port.peer_number = far.number;
		port.peer_type = far.type;
		port.peer_lid = far.lid;
		port.peer_port_guid = far.guid;
		port.peer_by_port = true;
		split_report_names(s, &name, &far_name);
	} else {
		name = s;
		unquote(&name);
	}
	e = check_name(r, &name);
	if (e == 0)
		e = check_name(r, &far_name);
	if (e < 0)
		return e;
	port.peer_description = far_name.at;
	port.peer_description_length = (uint16_t)(far_name.end - far_name.at);
	return add_report(r, &near, &name, &port);
}

/* "Tue Feb 23 14:02:06 2021", taken as UTC: the dump does not give its time zone. */
static int64_t read_time(const struct ft_span *s)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	char text[64] = "", month[4] = "";
	struct tm tm = {0};
	const char *found;
	size_t length = (size_t)(s->end - s->at);

	memcpy(text, s->at, length < sizeof(text) ? length : sizeof(text) - 1);
	if (sscanf(text, "%*3s %3s %2d %2d:%2d:%2d %4d", month, &tm.tm_mday, &tm.tm_hour, &tm.tm_min, &tm.tm_sec,
		   &tm.tm_year) != 6)
		return 0;
	found = strstr(months, month);
	if (strlen(month) != 3 || !found || (found - months) % 3 != 0)
		return 0;
	tm.tm_mon = (int)(found - months) / 3;
	tm.tm_year -= 1900;
	return timegm(&tm);
}

static int read_comment(struct reader *r, struct ft_span line, unsigned int index)
{
	struct ft_span s = {line.at + 1, line.end};
	uint64_t guid, port_guid;

	(void)index;
	ft_span_skip_blanks(&s);
	if (ft_span_skip_string(&s, "Topology file: generated on ")) {
		ft_builder_source(r->builder)->time_s = read_time(&s);
		r->header = true;
		r->garbage = NULL; /* the prompt between two concatenated dumps */
		return 1;
	}
	if (!ft_span_skip_string(&s, "Initiated from node "))
		return 1;
	r->header = true;
	if (!ft_span_hex(&s, &guid) || !ft_span_skip_string(&s, " port ") || !ft_span_hex(&s, &port_guid))
		return 1;
	ft_builder_set_entry(r->builder, guid, port_guid, 0);
	return 1;
}

static bool find_string(const struct ft_span *s, const char *string, struct ft_span *ret_after)
{
	const char *found = memmem(s->at, (size_t)(s->end - s->at), string, strlen(string));

	if (found)
		*ret_after = (struct ft_span){found + strlen(string), s->end};
	return found != NULL;
}

/* Messages of the libraries, and the words by which they report lost packets. */
static int read_message(struct reader *r, struct ft_span line, unsigned int index)
{
	static const char *const losses[] = {"timed out", "bad status", "recv failed", "send failed", "madrpc failed"};
	struct ft_span after;
	bool lost = false;

	(void)index;
	for (size_t i = 0; i < FT_COUNT(losses) && !lost; i++)
		lost = find_string(&line, losses[i], &after);
	if (!lost)
		return 1;
	ft_builder_source(r->builder)->complete = false;
	if (r->loss_count < LOSSES_MAX && find_string(&line, "DR path", &r->losses[r->loss_count]))
		r->loss_count++;
	else
		r->loss_nowhere = true;
	return 1;
}

/* Ports may be unlisted because a query was lost: @number, or all ports of the node (0). */
static void ports_doubt(struct ft_snapshot *s, uint32_t node, unsigned int number)
{
	for (unsigned int n = 1; n <= s->nodes[node].port_count; n++) {
		struct ft_port *port = &s->ports[s->nodes[node].first_port + n - 1];

		if (port->link == FT_LINK_DOWN && (number == 0 || number == n))
			port->link = FT_LINK_UNREAD;
	}
}

/*
 * Follows " slid 0; dlid 0; 0,1,1,31": from the entry through port 1, port 1 of the next node, then port 31.
 * @ret_node  out: the node where it ends, or FT_NONE where the last port's far end is not known
 * @ret_port  out: the last port; its index, or FT_NONE for a route of no hops
 */
static int route_follow(const struct ft_snapshot *s, struct ft_span *route, uint32_t *ret_node, uint32_t *ret_port)
{
	const struct ft_port *far = NULL;
	uint32_t node = s->source.entry_node, at = FT_NONE;
	unsigned int hop = 0;

	if (!find_string(route, "dlid ", route) || !ft_span_number(route, UINT16_MAX, &hop) ||
	    !ft_span_skip_char(route, ';'))
		return -EINVAL;
	ft_span_skip_blanks(route);
	if (!ft_span_number(route, 0, &hop) || hop != 0)
		return -EINVAL;
	while (ft_span_skip_char(route, ',')) {
		if (node == FT_NONE || !ft_span_number(route, FT_PORT_NUMBER_MAX, &hop) || hop == 0 ||
		    hop > s->nodes[node].port_count)
			return -EINVAL;
		at = s->nodes[node].first_port + hop - 1;
		far = ft_port_peer(s, &s->ports[at]);
		node = far ? far->node : FT_NONE;
	}
	*ret_node = node;
	*ret_port = at;
	return 0;
}

/*
 * Marks what one lost packet leaves unknown. NodeInfo is requested only behind ports that are physically up, so that a
 * port without a response is not down but silent.
 */
static int loss_apply(struct ft_snapshot *s, struct ft_span loss)
{
	enum { NODE_INFO = 0x11, SWITCH_INFO = 0x12, PORT_INFO = 0x15 };
	uint32_t node, port;
	uint64_t attribute = NODE_INFO;
	unsigned int modifier = 0;

	if (route_follow(s, &loss, &node, &port) < 0)
		return -EINVAL;
	if (find_string(&loss, "Attr ", &loss) && !ft_span_hex(&loss, &attribute))
		return -EINVAL;
	if (ft_span_skip_char(&loss, ':') && !ft_span_number(&loss, FT_PORT_NUMBER_MAX, &modifier))
		return -EINVAL;
	if (attribute == NODE_INFO && port != FT_NONE) {
		if (s->ports[port].link == FT_LINK_DOWN)
			s->ports[port].link = FT_LINK_SILENT;
		return 0;
	}
	if (node == FT_NONE)
		return -EINVAL;
	if (attribute == PORT_INFO || attribute == SWITCH_INFO)
		ports_doubt(s, node, attribute == PORT_INFO ? modifier : 0);
	return 0;
}

/* The libraries sometimes report one loss in two lines; the line without a route counts only if there is no other. */
static void losses_apply(const struct reader *r, struct ft_snapshot *s)
{
	bool nowhere = r->loss_nowhere && (r->loss_count == 0 || r->loss_count == LOSSES_MAX);

	for (size_t i = 0; i < r->loss_count; i++)
		if (loss_apply(s, r->losses[i]) < 0)
			nowhere = true;
	for (uint32_t n = 0; nowhere && !s->source.lists_down_ports && n < s->node_count; n++)
		ports_doubt(s, n, 0);
}

/* "Chassis 1 (guid 0x66a00e8001310)", before its nodes; "Non-Chassis Nodes". */
static int read_chassis(struct reader *r, struct ft_span line, unsigned int index)
{
	if (index == 0 || !read_chassis_number(line, &r->chassis))
		r->chassis = 0;
	return read_message(r, line, index);
}

/* Line kinds by their first word. A reader returns 1, 0 if the line is of another kind after all, or -errno. */
static const struct line_kind {
	const char *start;
	int (*read)(struct reader *r, struct ft_span line, unsigned int index);
	unsigned int index;
} line_kinds[] = {
	{"[", read_port, 0},
	{"vendid=", read_attribute, 0},
	{"devid=", read_attribute, 1},
	{"sysimgguid=", read_attribute, 2},
	{"switchguid=", read_attribute, 3},
	{"caguid=", read_attribute, 4},
	{"rtguid=", read_attribute, 5},
	{"#", read_comment, 0},
	{"Switch", read_node, 0},
	{"Ca", read_node, 1},
	{"Hca", read_node, 2},
	{"Rt", read_node, 3},
	{"Router", read_node, 4},
	{"???", read_node, 5},
	{"SW", read_report, 0},
	{"CA", read_report, 1},
	{"RT", read_report, 2},
	{"??", read_report, 3},
	{"DR path", read_message, 0},
	{"Max of ", read_message, 0},
	{"Total MADs", read_message, 0},
	{"Reported max hops", read_message, 0},
	{"Non-Chassis Nodes", read_chassis, 0},
	{"Chassis", read_chassis, 1},
	{"Hostname:", read_message, 0},
	{"discovered", read_message, 0},
	{"ibwarn", read_message, 0},
	{"ibpanic", read_message, 0},
	{"iberror", read_message, 0},
	{"src/", read_message, 0},
	{"./src/", read_message, 0},
	{"./libibnetdisc/", read_message, 0},
	{"../libibnetdisc/", read_message, 0},
	{"libibnetdisc", read_message, 0},
	{"-I-", read_message, 0},
	{"-W-", read_message, 0},
	{"-E-", read_message, 0},
};

/* Is this unterminated last line the beginning of a known one? */
static bool line_is_cut(const struct reader *r, const struct ft_span *line)
{
	size_t length = (size_t)(line->end - line->at);

	if (!r->line_open)
		return false;
	for (size_t i = 0; i < FT_COUNT(line_kinds); i++)
		if (line_kinds[i].read != read_message && line_kinds[i].read != read_chassis &&
		    length < strlen(line_kinds[i].start) + 1 && strncmp(line_kinds[i].start, line->at, length) == 0)
			return true;
	return false;
}

static int read_line(struct reader *r, struct ft_span line)
{
	int e = 0;

	ft_span_trim(&line);
	if (line.at == line.end)
		return 0;
	r->line_end = line.end;
	for (size_t i = 0; i < FT_COUNT(line_kinds) && e == 0; i++) {
		struct ft_span rest = line;

		if (*line_kinds[i].start != *line.at || !ft_span_skip_string(&rest, line_kinds[i].start))
			continue;
		e = line_kinds[i].read(r, line, line_kinds[i].index);
		/* Unparsable lines are messages only if no record line follows them. */
		if (e > 0 && r->garbage && line_kinds[i].read != read_message && line_kinds[i].read != read_chassis &&
		    line_kinds[i].read != read_comment)
			return fail(r, r->garbage, "this is no line of a dump by ibnetdiscover");
	}
	if (e != 0)
		return e < 0 ? e : 0;
	if ((r->records || r->pending) && line_is_cut(r, &line))
		return fail(r, r->line_end, "cut");
	read_message(r, line, 0);
	if ((r->records || r->pending) && !r->garbage)
		r->garbage = line.at;
	return 0;
}

static int read_lines(struct reader *r)
{
	const char *at = r->text;

	if (r->end - at >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0)
		at += 3;
	while (at < r->end) {
		const char *newline = memchr(at, '\n', (size_t)(r->end - at));
		const char *line_end = newline ? newline : r->end;
		int e;

		r->line_open = !newline;
		e = read_line(r, (struct ft_span){at, line_end});
		if (e < 0)
			return e;
		at = newline ? newline + 1 : r->end;
	}
	r->line_open = false;
	return 0;
}

static int read_end(struct reader *r)
{
	if (r->pending)
		return fail(r, r->pending, "the file ends before the node that this belongs to");
	if (!r->records && r->header)
		return ft_error_set(r->err, -EINVAL, 1, 1, "this dump has no nodes");
	if (!r->records)
		return ft_error_set(r->err, -EINVAL, 1, 1,
				    "not a dump by ibnetdiscover or iblinkinfo, a libibnetdisc cache or an ftcheck "
				    "snapshot; record the fabric with 'ibnetdiscover'");
	if (r->last != NO_RECORD)
		ft_builder_set_last(r->builder, r->last, r->last_is_bare);
	return 0;
}

int ft_dump_read_ibnetdiscover(const char *text, size_t length, struct ft_snapshot **ret_snapshot, struct ft_error *err)
{
	_cleanup_(ft_builder_freep) struct ft_builder *builder = NULL;
	struct ft_snapshot *snapshot = NULL;
	struct reader r = {.text = text, .end = text + length, .err = err, .node = NO_RECORD, .last = NO_RECORD};
	uint32_t place = 0;
	int e;

	if (length >= UINT32_MAX)
		return ft_error_set(err, -EFBIG, 0, 0, "larger than 4 GiB");
	for (size_t i = 0; i < FT_COUNT(r.listed); i++)
		r.listed[i].node = NO_RECORD;
	e = ft_builder_new(&builder);
	if (e < 0)
		return e;
	r.builder = builder;
	ft_builder_source(builder)->complete = true;
	e = read_lines(&r);
	if (e < 0)
		return e;
	e = read_end(&r);
	if (e < 0)
		return e;
	e = ft_builder_finish(builder, &snapshot, err, &place);
	if (e == -EINVAL && err)
		ft_error_position(text, place, &err->line, &err->column);
	if (e < 0)
		return e;
	losses_apply(&r, snapshot);
	*ret_snapshot = snapshot;
	return 0;
}
