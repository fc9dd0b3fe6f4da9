/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * iblinkinfo's text: a line a port, of all nodes, in both of its forms, with or without -p:
 *
 *     Switch: 0x0000000000100001 leaf01:
 *                1    2[  ] ==( 4X        53.125 Gbps     Active/  LinkUp)==>       3    1[  ] "node1 HCA-1" ( )
 *                1    3[  ] ==(                Down/ Polling)==>             [  ] "" ( )
 *     CA: node1 HCA-1:
 *           0x0000000000200002      3    1[  ] ==( 4X …)==>       1    2[  ] "leaf01" ( )
 *
 *     0x0000000000100001 "  leaf01"      1    2[  ] ==( 4X …)==>  0x0000000000200002      3    1[  ] "node1 HCA-1" ( )
 *
 * The second form (-l) gives the far end's GUID, the first one its LID, port and name only. There a far end is the port
 * whose own line names this one in return; if there is none, as in a list of switches only, the far end cannot be
 * identified, and that is an error. Ports that are up without a far end ("Port not available") are FT_LINK_SILENT.
 *
 * A CA is listed by the GUIDs of its ports; the first one becomes its node GUID. The second form does not give the node
 * type: one GUID of several ports is a switch, else lines of one name with rising port numbers are a CA.
 * SystemImageGUIDs and devices are not known.
 */
#include "config.h"

#include "probe/source.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "probe/snapshot_build.h"
#include "probe/span.h"

enum { NONE = UINT32_MAX, LOOK_SIZE = 65536 };

/* One end of a line. */
struct end {
	uint64_t guid; /* 0: not said */
	unsigned int lid;
	unsigned int number; /* 0: not said */
	struct ft_span name;
};

struct line {
	struct end near, far;
	uint32_t node;
	uint32_t next; /* the next line with the same key, or NONE */
	uint8_t link;
	uint8_t phys_state, logical_state;
	struct ft_rate rate;
	const char *place, *far_place;
};

struct node {
	uint64_t guid;
	struct ft_span name;
	uint32_t first_line;
	uint32_t line_count;
	unsigned int lid;
	uint8_t type;
	uint32_t id; /* the builder's */
};

struct reader {
	const char *text, *end;
	struct ft_error *err;
	struct ft_builder *builder;
	struct line *lines;
	struct node *nodes;
	size_t line_count, line_size, node_count, node_size;
	bool headed; /* a node's own line was read, and the following lines belong to it */
	bool losses;
};

static void reader_release(struct reader *r)
{
	ft_builder_free(r->builder);
	free(r->lines);
	free(r->nodes);
}

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

static const char *find(const struct ft_span *s, const char *what)
{
	return s->at < s->end ? memmem(s->at, (size_t)(s->end - s->at), what, strlen(what)) : NULL;
}

/* ---- the parts of a line ---- */

/* Source: libibmad's mad_dump_linkspeed(), mad_dump_linkspeedext(); mad_dump_portstate(), mad_dump_physportstate(). */
static const struct {
	const char *name;
	uint8_t speed;
} speeds[] = {
	{"2.5 Gbps", FT_SPEED_SDR},
	{"5.0 Gbps", FT_SPEED_DDR},
	{"10.0 Gbps (FDR10)", FT_SPEED_FDR10},
	{"10.0 Gbps", FT_SPEED_QDR},
	{"14.0625 Gbps", FT_SPEED_FDR},
	{"25.78125 Gbps", FT_SPEED_EDR},
	{"53.125 Gbps", FT_SPEED_HDR},
	{"106.25 Gbps", FT_SPEED_NDR},
	{"212.5 Gbps", FT_SPEED_XDR},
	{"Extended speed", FT_SPEED_UNKNOWN},
	{"No Extended Speed", FT_SPEED_UNKNOWN},
};

static const char *const logical_states[] = {"", "Down", "Initialize", "Armed", "Active"};
static const char *const phys_states[] = {
	"", "Sleep", "Polling", "Disabled", "PortConfigurationTraining", "LinkUp", "LinkErrorRecovery", "PhyTest"};
enum { LOGICAL_DOWN = 1 };

static bool is_text(struct ft_span s, const char *text)
{
	ft_span_trim(&s);
	return (size_t)(s.end - s.at) == strlen(text) && memcmp(s.at, text, strlen(text)) == 0;
}

static uint8_t state_find(struct ft_span s, const char *const *names, size_t count)
{
	for (uint8_t i = 1; i < count; i++)
		if (is_text(s, names[i]))
			return i;
	return 0;
}

/* " 4X        53.125 Gbps     Active/  LinkUp", without its parentheses. */
static void link_read(struct ft_span s, struct line *line)
{
	const char *slash = memrchr(s.at, '/', (size_t)(s.end - s.at));
	struct ft_span before = {s.at, slash ? slash : s.end}, width, last;
	unsigned int lanes = 0;

	if (slash)
		line->phys_state = state_find((struct ft_span){slash + 1, s.end}, phys_states, FT_COUNT(phys_states));
	ft_span_trim(&before);
	last = before;
	while (last.at < last.end && !ft_is_blank(last.end[-1]))
		last.end--;
	last = (struct ft_span){last.end, before.end};
	line->logical_state = state_find(last, logical_states, FT_COUNT(logical_states));
	before.end = last.at;
	width = ft_span_word(&before);
	if (ft_span_number(&width, 12, &lanes) && width.at < width.end && (*width.at | 0x20) == 'x' &&
	    (lanes == 1 || lanes == 2 || lanes == 4 || lanes == 8 || lanes == 12))
		line->rate.lanes = (uint8_t)lanes;
	for (size_t i = 0; i < FT_COUNT(speeds) && line->rate.lanes; i++)
		if (is_text(before, speeds[i].name))
			line->rate.speed = speeds[i].speed;
}

/* "     3    1[  ]": a LID, a port and, for a director's port, a label in place of the port number. */
static bool end_read(struct ft_span *s, struct end *end)
{
	const char *close;

	ft_span_skip_blanks(s);
	if (!ft_span_number(s, UINT16_MAX, &end->lid) || end->lid > UINT16_MAX)
		return false;
	ft_span_skip_blanks(s);
	if (!ft_span_number(s, FT_PORT_NUMBER_MAX, &end->number) || !ft_span_skip_char(s, '['))
		return false;
	close = ft_span_find(s, ']');
	if (!close || close - s->at > 4)
		return false;
	s->at = close + 1;
	return true;
}

/* 0x0000000000100001, and with @named the name in quotes behind it. False if the text has another form. */
static bool guid_read(struct ft_span *s, struct end *end)
{
	ft_span_skip_blanks(s);
	return s->end - s->at > 2 && s->at[0] == '0' && s->at[1] == 'x' && ft_span_hex(s, &end->guid) &&
	       s->at < s->end && ft_is_blank(*s->at);
}

/* Takes the text between the quotes that begin here and the last ones before @to. */
static bool name_read(struct ft_span *s, const char *to, struct ft_span *ret_name)
{
	const char *close;

	ft_span_skip_blanks(s);
	if (s->at >= to || *s->at != '"')
		return false;
	close = memrchr(s->at, '"', (size_t)(to - s->at));
	if (close == s->at)
		return false;
	*ret_name = (struct ft_span){s->at + 1, close};
	ft_span_trim(ret_name);
	s->at = close + 1;
	return true;
}

/*
 * Parses a port's line; @ret_at: where its far end begins. False if it is none. A name may contain text that looks like
 * the arrow: the near name ends with the last quote before the first arrow that follows numbers.
 */
static bool near_read(struct ft_span s, struct end *near, struct ft_span *ret_link, struct ft_span *ret_rest)
{
	for (const char *arrow = find(&s, "==("); arrow; arrow = find(&(struct ft_span){arrow + 3, s.end}, "==(")) {
		struct ft_span before = {s.at, arrow}, rest = {arrow + 3, s.end};
		const char *close = find(&rest, ")==>"), *settings = find(&rest, ") (HOQ:");

		*near = (struct end){0};
		if (guid_read(&before, near) &&
		    (ft_span_skip_blanks(&before), before.at < arrow && *before.at == '"') &&
		    !name_read(&before, arrow, &near->name))
			continue;
		if (!end_read(&before, near) || near->number == 0 || near->number > FT_PORT_NUMBER_MAX)
			continue;
		ft_span_skip_blanks(&before);
		if (before.at != arrow || !close)
			continue;
		*ret_link = (struct ft_span){rest.at, settings && settings < close ? settings : close};
		/* The parenthesis of the settings precedes the arrow. */
		*ret_rest = (struct ft_span){close + 4, s.end};
		return true;
	}
	return false;
}

/* ---- nodes and lines ---- */

static int grow(void **array, size_t count, size_t *size, size_t element)
{
	size_t more = *size ? *size * 2 : 64;
	void *bigger;

	if (count < *size)
		return 0;
	bigger = reallocarray(*array, more, element);
	if (!bigger)
		return -ENOMEM;
	*array = bigger;
	*size = more;
	return 0;
}

static int node_add(struct reader *r, uint8_t type, uint64_t guid, struct ft_span name)
{
	int e = grow((void **)&r->nodes, r->node_count, &r->node_size, sizeof(*r->nodes));

	if (e < 0)
		return e;
	ft_span_trim(&name);
	r->nodes[r->node_count++] =
		(struct node){.guid = guid, .name = name, .type = type, .first_line = (uint32_t)r->line_count};
	return 0;
}

static int name_check(const struct reader *r, const struct ft_span *name)
{
	if (name->end - name->at > UINT16_MAX)
		return fail(r, name->at, "the description is longer than %u bytes", UINT16_MAX);
	if (ft_span_find(name, '\0'))
		return fail(r, ft_span_find(name, '\0'), "a NUL byte in a description");
	return 0;
}

static const struct {
	const char *start;
	uint8_t type;
} heads[] = {
	{"Switch: ", FT_NODE_SWITCH}, {"CA: ", FT_NODE_CA}, {"Router: ", FT_NODE_ROUTER}, {"??: ", FT_NODE_UNKNOWN}};

/* "Switch: 0x0000000000100001 leaf01:", "CA: node1 HCA-1:". Returns 1, 0 if it is none, or -errno. */
static int head_read(struct reader *r, struct ft_span line)
{
	for (size_t i = 0; i < FT_COUNT(heads); i++) {
		struct ft_span s = line;
		struct end end = {0};
		int e;

		if (!ft_span_skip_string(&s, heads[i].start) || s.end == s.at || s.end[-1] != ':')
			continue;
		if (heads[i].type == FT_NODE_SWITCH && !guid_read(&s, &end))
			return 0;
		s.end--;
		e = name_check(r, &s);
		if (e == 0)
			e = node_add(r, heads[i].type, end.guid, s);
		r->headed = true;
		return e < 0 ? e : 1;
	}
	return 0;
}

static bool spans_equal(const struct ft_span *a, const struct ft_span *b)
{
	return a->end - a->at == b->end - b->at && memcmp(a->at, b->at, (size_t)(a->end - a->at)) == 0;
}

/* In the form -l: does a line with this end belong to the last node? */
static bool node_continues(const struct reader *r, const struct end *near)
{
	const struct node *node = r->node_count ? &r->nodes[r->node_count - 1] : NULL;
	const struct line *last = r->line_count ? &r->lines[r->line_count - 1] : NULL;

	if (!node || !last || node->line_count == 0 || near->number <= last->near.number ||
	    !spans_equal(&node->name, &near->name))
		return false;
	/* Each port of a CA has its own GUID; the ports of a switch share one. */
	return node->type == FT_NODE_SWITCH ? near->guid == node->guid
	       : node->line_count == 1	    ? true
					    : near->guid != node->guid;
}

static int far_read(struct reader *r, struct ft_span s, struct line *line)
{
	const char *quote;

	line->far_place = s.at;
	if (find(&s, "\"Port not available\"") || line->logical_state == LOGICAL_DOWN) {
		line->link = line->logical_state == LOGICAL_DOWN ? FT_LINK_DOWN : FT_LINK_SILENT;
		return 0;
	}
	guid_read(&s, &line->far);
	quote = ft_span_find(&s, '"');
	if (!end_read(&s, &line->far) || line->far.number == 0 || line->far.number > FT_PORT_NUMBER_MAX || !quote)
		return fail(r, line->far_place, "a far end was expected: a LID, a port and a name in quotes");
	if (!name_read(&s, s.end, &line->far.name))
		return fail(r, quote, "the closing quote of the name is missing");
	line->link = FT_LINK_UP;
	return name_check(r, &line->far.name);
}

/* Returns 1, 0 if it is no port's line, or -errno. */
static int port_read(struct reader *r, struct ft_span text)
{
	struct line line = {.place = text.at, .next = NONE};
	struct ft_span link, rest;
	struct node *node;
	int e;

	if (!near_read(text, &line.near, &link, &rest))
		return 0;
	link_read(link, &line);
	e = far_read(r, rest, &line);
	if (e == 0)
		e = name_check(r, &line.near.name);
	if (e < 0)
		return e;
	if (line.near.name.at && !node_continues(r, &line.near)) {
		e = node_add(r, FT_NODE_CA, line.near.guid, line.near.name);
		if (e < 0)
			return e;
	} else if (!line.near.name.at && !r->headed) {
		return fail(r, text.at, "a port before the line of its node");
	}
	e = grow((void **)&r->lines, r->line_count, &r->line_size, sizeof(*r->lines));
	if (e < 0)
		return e;
	node = &r->nodes[r->node_count - 1];
	if (line.near.name.at && node->line_count == 1 && line.near.guid == node->guid)
		node->type = FT_NODE_SWITCH;
	if (node->line_count && line.near.number <= r->lines[r->line_count - 1].near.number)
		return fail(r, text.at, "port %u is listed behind port %u of its node", line.near.number,
			    r->lines[r->line_count - 1].near.number);
	line.node = (uint32_t)(r->node_count - 1);
	if (!node->guid)
		node->guid = line.near.guid;
	if (!line.near.name.at)
		line.near.name = node->name;
	node->lid = line.near.lid;
	node->line_count++;
	r->lines[r->line_count++] = line;
	return 1;
}

static int lines_read(struct reader *r)
{
	for (const char *at = r->text; at < r->end;) {
		const char *newline = memchr(at, '\n', (size_t)(r->end - at));
		struct ft_span line = {at, newline ? newline : r->end};
		int e;

		ft_span_trim(&line);
		e = head_read(r, line);
		if (e == 0)
			e = port_read(r, line);
		if (e < 0)
			return e;
		/* The last line may be cut inside the name or the far end's number. */
		if (!newline && line.at < line.end && line.end[-1] != ')' && line.end[-1] != '"' &&
		    (e > 0 || find(&line, "==")))
			return fail(r, line.end, "the file ends in the middle of a line");
		r->losses = r->losses || (e == 0 && (find(&line, "timed out") || find(&line, "bad status")));
		at = newline ? newline + 1 : r->end;
	}
	return r->line_count ? 0 : fail(r, r->text, "iblinkinfo listed no port here");
}

/* ---- matching of far ends ---- */

static uint64_t end_key(const struct end *end)
{
	return ft_hash_pair(ft_hash_pair(end->lid, end->number),
			    ft_hash_bytes(end->name.at, (size_t)(end->name.end - end->name.at)));
}

/* The port whose line names the port of @line in return: by GUIDs if they are listed, else by LIDs, ports and names. */
static uint64_t line_key(const struct line *line, bool turned)
{
	const struct end *near = turned ? &line->far : &line->near, *far = turned ? &line->near : &line->far;

	if (line->far.guid)
		return ft_hash_pair(ft_hash_pair(near->guid, near->number), ft_hash_pair(far->guid, far->number));
	return ft_hash_pair(end_key(near), end_key(far));
}

/* @mates: by line, the line of its far end. Lines with the same key cannot be told apart and are taken in order. */
static int mates_find(struct reader *r, uint32_t *mates)
{
	_cleanup_(ft_map_release) struct ft_map map = {0};
	_cleanup_free_ uint32_t *tails = reallocarray(NULL, r->line_count + 1, sizeof(*tails));
	_cleanup_free_ uint32_t *waiting = reallocarray(NULL, r->line_count + 1, sizeof(*waiting));

	if (!tails || !waiting)
		return -ENOMEM;
	for (uint32_t i = 0; i < r->line_count; i++) {
		uint32_t first;
		int e;

		mates[i] = NONE;
		waiting[i] = tails[i] = i;
		if (r->lines[i].link != FT_LINK_UP)
			continue;
		e = ft_map_add(&map, line_key(&r->lines[i], false), i, &first);
		if (e < 0)
			return e;
		if (e == 0) {
			r->lines[tails[first]].next = i;
			tails[first] = i;
		}
	}
	for (uint32_t i = 0; i < r->line_count; i++) {
		uint32_t first, mate;

		if (r->lines[i].link != FT_LINK_UP || mates[i] != NONE)
			continue;
		first = ft_map_get(&map, line_key(&r->lines[i], true));
		if (first == FT_NONE)
			continue;
		for (mate = waiting[first]; mate != NONE && (mates[mate] != NONE || mate == i);)
			mate = r->lines[mate].next;
		/* The lines before it are all taken. */
		waiting[first] = mate;
		if (mate == NONE)
			continue;
		mates[i] = mate;
		mates[mate] = i;
	}
	return 0;
}

static int nodes_build(struct reader *r)
{
	for (size_t i = 0; i < r->node_count; i++) {
		struct node *node = &r->nodes[i];
		int e = ft_builder_add_node(r->builder,
					    &(struct ft_build_node){
						    .guid = node->guid,
						    .type = node->type,
						    .lid = node->type == FT_NODE_SWITCH ? (uint16_t)node->lid : 0,
						    .description = node->name.at,
						    .description_length = (size_t)(node->name.end - node->name.at),
						    .unlisted = FT_LINK_UNREAD,
					    },
					    &node->id);

		if (e < 0)
			return e;
	}
	return 0;
}

static int port_build(struct reader *r, const struct line *line, uint32_t mate)
{
	const struct node *node = &r->nodes[line->node];
	bool of_switch = node->type == FT_NODE_SWITCH;
	struct ft_build_port port = {
		.number = (uint8_t)line->near.number,
		.link = line->link,
		.guid = of_switch ? 0 : line->near.guid,
		.lid = of_switch ? 0 : (uint16_t)line->near.lid,
		.phys_state = line->phys_state,
		.logical_state = line->logical_state,
		.place = (uint32_t)(line->place - r->text),
	};

	if (line->link != FT_LINK_DOWN)
		port.rate = line->rate;
	if (line->link == FT_LINK_UP) {
		port.peer_number = (uint8_t)line->far.number;
		port.peer_description = line->far.name.at;
		port.peer_description_length = (uint16_t)(line->far.name.end - line->far.name.at);
		port.peer_lid = (uint16_t)line->far.lid;
	}
	if (line->link == FT_LINK_UP && mate != NONE) {
		port.peer_guid = r->nodes[r->lines[mate].node].guid;
		port.peer_type = r->nodes[r->lines[mate].node].type;
	} else if (line->link == FT_LINK_UP && line->far.guid) {
		/* A list of switches only: a node without lines of its own cannot be identified. */
		port.peer_guid = port.peer_port_guid = line->far.guid;
		port.peer_type = FT_NODE_CA;
	} else if (line->link == FT_LINK_UP) {
		return fail(r, line->far_place,
			    "this far end has no line of its own, and iblinkinfo says its GUID only with -l; record "
			    "with 'iblinkinfo -l' or 'ibnetdiscover'");
	}
	return ft_builder_add_port(r->builder, node->id, &port);
}

static int lines_build(struct reader *r)
{
	_cleanup_free_ uint32_t *mates = reallocarray(NULL, r->line_count + 1, sizeof(*mates));
	int e = mates ? mates_find(r, mates) : -ENOMEM;

	if (e == 0)
		e = nodes_build(r);
	for (size_t i = 0; i < r->line_count && e == 0; i++)
		e = port_build(r, &r->lines[i], mates[i]);
	return e;
}

/* ---- the file ---- */

bool ft_dump_is_iblinkinfo(const char *text, size_t length)
{
	static const char *const others[] = {"vendid=", "# Topology file", "{"};
	const char *end = text + (length < LOOK_SIZE ? length : LOOK_SIZE);

	for (const char *at = text; at < end;) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		struct ft_span line = {at, newline ? newline : end}, link, rest;
		struct end near;

		for (size_t i = 0; i < FT_COUNT(others); i++)
			if (ft_span_skip_string(&(struct ft_span){line.at, line.end}, others[i]))
				return false;
		ft_span_trim(&line);
		if (near_read(line, &near, &link, &rest))
			return true;
		at = newline ? newline + 1 : end;
	}
	return false;
}

int ft_dump_read_iblinkinfo(const char *text, size_t length, struct ft_snapshot **ret_snapshot, struct ft_error *err)
{
	_cleanup_(reader_release) struct reader r = {.text = text, .end = text + length, .err = err};
	uint32_t place = 0;
	int e;

	if (length >= UINT32_MAX)
		return ft_error_set(err, -EFBIG, 0, 0, "larger than 4 GiB");
	e = lines_read(&r);
	if (e == 0)
		e = ft_builder_new(&r.builder);
	if (e < 0)
		return e;
	ft_builder_source(r.builder)->complete = !r.losses;
	ft_builder_source(r.builder)->lists_down_ports = true;
	e = lines_build(&r);
	if (e < 0)
		return e;
	e = ft_builder_finish(r.builder, ret_snapshot, err, &place);
	if (e == -EINVAL && err)
		ft_error_position(text, place, &err->line, &err->column);
	return e;
}
