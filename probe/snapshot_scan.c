/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Reads snapshots in the writer's form in one pass, without a tree, so that a large fabric takes no more time and
 * memory than a dump of it. Text in any other form ends the scan, and the tree reader (snapshot_json.c) takes over.
 * Invariant: the scan accepts nothing that the tree reader refuses, and reads nothing differently.
 */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "probe/snapshot_parts.h"
#include "probe/span.h"

enum { WORD_SIZE = 32, ENDS = 4 };

struct scan {
	const char *at, *end;
	struct ft_snapshot *s;
	size_t nodes_size, ports_size, strings_size;
	uint64_t entry[2]; /* node and port; if absent: FT_NONE and 0 */
	bool memory;	   /* there was none */
};

/* The members of an object, by their index. */
struct seen {
	uint64_t numbers[FT_PORT_MEMBERS];
	bool said[FT_PORT_MEMBERS];
	struct ft_span bytes; /* of the only FT_BYTES member: between its quotes */
};

static void blanks_skip(struct scan *c)
{
	while (c->at < c->end && (*c->at == ' ' || *c->at == '\n' || *c->at == '\r' || *c->at == '\t'))
		c->at++;
}

/* Advances past @what and the blanks around it. */
static bool skip(struct scan *c, char what)
{
	blanks_skip(c);
	if (c->at == c->end || *c->at != what)
		return false;
	c->at++;
	blanks_skip(c);
	return true;
}

static bool word_skip(struct scan *c, const char *word)
{
	size_t length = strlen(word);

	if ((size_t)(c->end - c->at) < length || memcmp(c->at, word, length) != 0)
		return false;
	c->at += length;
	return true;
}

/* A whole number; one with a leading zero, a fraction or an exponent is refused. */
static bool number_read(struct scan *c, uint64_t max, uint64_t *ret_number)
{
	const char *start = c->at;
	uint64_t number = 0;

	for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++) {
		number = number * 10 + (uint64_t)(*c->at - '0');
		if (number > max || c->at - start > 18)
			return false;
	}
	if (c->at == start || (*start == '0' && c->at - start > 1))
		return false;
	*ret_number = number;
	return c->at == c->end || !strchr(".eE", *c->at);
}

static bool signed_read(struct scan *c, uint64_t *ret_number)
{
	bool minus = c->at < c->end && *c->at == '-';

	c->at += minus;
	if (!number_read(c, INT64_MAX, ret_number))
		return false;
	if (minus)
		*ret_number = 0 - *ret_number;
	return true;
}

/* The text between two quotes, escapes unchanged. No control bytes, and UTF-8, as JSON requires. */
static bool string_read(struct scan *c, struct ft_span *ret_string)
{
	bool ascii = true;

	if (c->at == c->end || *c->at != '"')
		return false;
	for (ret_string->at = ++c->at; c->at < c->end && *c->at != '"'; c->at++) {
		if ((unsigned char)*c->at < 0x20)
			return false;
		ascii = ascii && (unsigned char)*c->at < 0x80;
		/* The writer escapes nothing but these two. */
		if (*c->at == '\\' && (c->end - c->at < 2 || (c->at[1] != '\\' && c->at[1] != '"')))
			return false;
		c->at += *c->at == '\\';
	}
	if (c->at >= c->end)
		return false;
	ret_string->end = c->at++;
	if (!ascii) {
		json_t *json = json_stringn(ret_string->at, (size_t)(ret_string->end - ret_string->at));

		if (!json)
			return false;
		json_decref(json);
	}
	return true;
}

/* A string that is one of a few, or a GUID. */
static bool named_read(struct scan *c, enum ft_kind kind, uint64_t *ret_number)
{
	struct ft_span string;
	char word[WORD_SIZE];
	size_t length;

	if (!string_read(c, &string))
		return false;
	length = (size_t)(string.end - string.at);
	if (length >= sizeof(word))
		return false;
	memcpy(word, string.at, length);
	word[length] = '\0';
	return ft_member_word(kind, word, ret_number) == 0;
}

static bool truth_read(struct scan *c, uint64_t *ret_number)
{
	*ret_number = word_skip(c, "true");
	return *ret_number || word_skip(c, "false");
}

/* The next member of an object: its index in @members, or -1. The one after the previous is tried first. */
static int key_read(struct scan *c, const struct ft_member *members, size_t count, size_t from)
{
	struct ft_span key;

	if (!string_read(c, &key) || !skip(c, ':'))
		return -1;
	for (size_t n = 0; n < count; n++) {
		size_t i = (from + n) % count, length = (size_t)(key.end - key.at);

		if (strncmp(members[i].name, key.at, length) == 0 && members[i].name[length] == '\0')
			return (int)i;
	}
	return -1;
}

static bool value_read(struct scan *c, const struct ft_member *member, size_t i, struct seen *seen)
{
	switch (member->kind) {
	case FT_TRUTH:
		return truth_read(c, &seen->numbers[i]);
	case FT_NUMBER:
		return number_read(c, member->max, &seen->numbers[i]);
	case FT_SIGNED:
		return signed_read(c, &seen->numbers[i]);
	case FT_BYTES:
		return string_read(c, &seen->bytes);
	case FT_GUID:
	case FT_TYPE:
	case FT_LINK:
	case FT_RATE:
		return named_read(c, member->kind, &seen->numbers[i]);
	default:
		return false;
	}
}

/* How an object reads a member that is a list, or of another kind; @seen: the members read before it. */
typedef bool (*list_read)(struct scan *c, struct seen *seen);

/* An object, whose last member may be read by @list. */
static bool object_read(struct scan *c, const struct ft_member *members, size_t count, list_read list,
			struct seen *seen)
{
	size_t next = 0;

	*seen = (struct seen){0};
	if (!skip(c, '{'))
		return false;
	do {
		int i = key_read(c, members, count, next);

		if (i < 0 || seen->said[i])
			return false;
		seen->said[i] = true;
		next = (size_t)i + 1;
		if (members[i].kind >= FT_LIST ? !list || !list(c, seen) : !value_read(c, &members[i], (size_t)i, seen))
			return false;
	} while (skip(c, ','));
	for (size_t i = 0; i < count; i++)
		if (members[i].required && !seen->said[i])
			return false;
	return skip(c, '}');
}

/* Copies a string's bytes into the arena, after undoing JSON's own escapes, if any. */
static bool bytes_take(struct scan *c, struct ft_span string, size_t max, uint32_t *ret_offset, size_t *ret_length)
{
	size_t room = (size_t)(string.end - string.at) + 1, length = 0;
	ssize_t decoded;
	char *to;
	int r;

	*ret_offset = 0;
	*ret_length = 0;
	if (room == 1)
		return true;
	r = ft_snapshot_strings_reserve(c->s, room, &c->strings_size);
	c->memory = c->memory || r == -ENOMEM;
	if (r < 0)
		return false;
	to = c->s->strings + c->s->strings_length;
	for (const char *at = string.at; at < string.end; at++) {
		at += *at == '\\';
		to[length++] = *at;
	}
	/* In place: the output never overtakes the input. */
	decoded = ft_snapshot_bytes_decode(to, length, to);
	if (decoded < 0 || (size_t)decoded > max)
		return false;
	to[decoded] = '\0';
	*ret_offset = c->s->strings_length;
	*ret_length = (size_t)decoded;
	c->s->strings_length += (uint32_t)decoded + 1;
	return true;
}

/* ---- the parts ---- */

/* null, or [NODE, PORT]. Checked against the nodes once they are known. */
static bool entry_read(struct scan *c, struct seen *seen)
{
	(void)seen;
	c->entry[0] = FT_NONE;
	c->entry[1] = 0;
	if (word_skip(c, "null"))
		return true;
	return skip(c, '[') && number_read(c, FT_NONE - 1, &c->entry[0]) && skip(c, ',') &&
	       number_read(c, FT_PORT_NUMBER_MAX, &c->entry[1]) && skip(c, ']');
}

static bool source_read(struct scan *c)
{
	struct seen seen;
	size_t length;

	if (!object_read(c, ft_source_members, FT_SOURCE_MEMBERS, entry_read, &seen))
		return false;
	ft_snapshot_source_set(&c->s->source, seen.numbers);
	return bytes_take(c, seen.bytes, UINT32_MAX / 4, &c->s->source.detail, &length);
}

static bool port_read(struct scan *c, const struct ft_node *node, uint64_t *ret_last)
{
	struct seen seen;
	uint64_t first, last;
	uint32_t name;
	size_t length;

	if (!object_read(c, ft_port_members, FT_PORT_MEMBERS, NULL, &seen))
		return false;
	first = seen.numbers[FT_PORT_NUMBER];
	last = seen.said[FT_PORT_LAST] ? seen.numbers[FT_PORT_LAST] : first;
	if (first <= *ret_last || last < first || last > node->port_count)
		return false;
	if (seen.said[FT_PORT_RATE] && seen.said[FT_PORT_LINK] && seen.numbers[FT_PORT_LINK] != FT_LINK_SILENT)
		return false;
	if (!bytes_take(c, seen.bytes, UINT16_MAX, &name, &length))
		return false;
	seen.numbers[FT_PORT_NAME] = name;
	for (uint64_t n = first; n <= last; n++)
		ft_snapshot_port_set(c->s, node, (unsigned int)n, seen.numbers, seen.said);
	*ret_last = last;
	return true;
}

static bool node_ports_add(struct scan *c, struct ft_node *node, const struct seen *seen)
{
	int r;

	ft_snapshot_node_set(node, seen->numbers);
	r = ft_snapshot_ports_add(c->s, node, &c->ports_size, NULL);
	c->memory = c->memory || r == -ENOMEM;
	return r == 0;
}

/* The ports come last, when the node's number of ports is known. */
static bool ports_read(struct scan *c, struct seen *seen)
{
	struct ft_node *node = &c->s->nodes[c->s->node_count];
	uint64_t last = 0;

	if (!seen->said[FT_NODE_NODE_TYPE] || !seen->said[FT_NODE_GUID] || !node_ports_add(c, node, seen))
		return false;
	if (!skip(c, '['))
		return false;
	do {
		if (!port_read(c, node, &last))
			return false;
	} while (skip(c, ','));
	if (!skip(c, ']'))
		return false;
	/* A member such as "port_count" would come too late here. */
	return c->at < c->end && *c->at == '}';
}

static bool node_read(struct scan *c)
{
	struct ft_node *node;
	struct seen seen;
	size_t length;

	if (c->s->node_count == c->nodes_size) {
		size_t size = c->nodes_size ? c->nodes_size + c->nodes_size / 2 : 256;

		node = size < FT_SNAPSHOT_PORTS_MAX ? reallocarray(c->s->nodes, size, sizeof(*node)) : NULL;
		c->memory = c->memory || !node;
		if (!node)
			return false;
		c->s->nodes = node;
		c->nodes_size = size;
	}
	node = &c->s->nodes[c->s->node_count];
	*node = (struct ft_node){0};
	if (!object_read(c, ft_node_members, FT_NODE_MEMBERS, ports_read, &seen))
		return false;
	if (!seen.said[FT_NODE_PORTS] && !node_ports_add(c, node, &seen))
		return false;
	if (!bytes_take(c, seen.bytes, UINT16_MAX, &node->description, &length))
		return false;
	node->description_length = (uint16_t)length;
	c->s->node_count++;
	return true;
}

static bool link_read(struct scan *c)
{
	struct ft_port *ports = c->s->ports;
	uint64_t ends[ENDS];
	uint32_t at[2];

	if (!skip(c, '['))
		return false;
	for (unsigned int i = 0; i < ENDS; i++)
		if ((i > 0 && !skip(c, ',')) || !number_read(c, UINT32_MAX, &ends[i]))
			return false;
	for (unsigned int i = 0; i < 2; i++) {
		if (ends[2 * i] >= c->s->node_count || ends[2 * i + 1] == 0 ||
		    ends[2 * i + 1] > c->s->nodes[ends[2 * i]].port_count)
			return false;
		at[i] = c->s->nodes[ends[2 * i]].first_port + (uint32_t)ends[2 * i + 1] - 1;
		if (ports[at[i]].link != FT_LINK_UP || ports[at[i]].peer != FT_NONE)
			return false;
	}
	ports[at[0]].peer = at[1];
	ports[at[1]].peer = at[0];
	return skip(c, ']');
}

static bool elements_read(struct scan *c, bool (*read)(struct scan *c))
{
	if (!skip(c, '['))
		return false;
	if (skip(c, ']'))
		return true;
	do {
		if (!read(c))
			return false;
	} while (skip(c, ','));
	return skip(c, ']');
}

static bool key_is(struct scan *c, const char *key)
{
	struct ft_span string;

	return string_read(c, &string) && (size_t)(string.end - string.at) == strlen(key) &&
	       memcmp(string.at, key, strlen(key)) == 0 && skip(c, ':');
}

static bool entry_is_there(const struct scan *c)
{
	return c->entry[0] == FT_NONE ||
	       (c->entry[0] < c->s->node_count && c->entry[1] <= c->s->nodes[c->entry[0]].port_count);
}

static bool links_are_complete(const struct ft_snapshot *s)
{
	for (uint32_t p = 0; p < s->port_count; p++)
		if (s->ports[p].link == FT_LINK_UP && s->ports[p].peer == FT_NONE)
			return false;
	return true;
}

static bool root_read(struct scan *c)
{
	uint64_t version;

	if (!skip(c, '{') || !key_is(c, "ftcheck_snapshot") || !number_read(c, FT_SNAPSHOT_VERSION, &version) ||
	    version == 0)
		return false;
	if (!skip(c, ',') || !key_is(c, "source") || !source_read(c))
		return false;
	if (!skip(c, ',') || !key_is(c, "nodes") || !elements_read(c, node_read))
		return false;
	if (!skip(c, ',') || !key_is(c, "links") || !elements_read(c, link_read))
		return false;
	return skip(c, '}') && c->at == c->end && entry_is_there(c) && links_are_complete(c->s);
}

int ft_snapshot_scan(const char *text, size_t length, struct ft_snapshot **ret_snapshot)
{
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *s = calloc(1, sizeof(*s));
	struct scan c = {.at = text, .end = text + length, .s = s, .entry = {FT_NONE, 0}};
	bool read;

	if (!s || ft_snapshot_strings_reserve(s, 1, &c.strings_size) < 0)
		return -ENOMEM;
	read = root_read(&c);
	if (c.memory)
		return -ENOMEM;
	if (!read)
		return 0;
	s->source.entry_node = (uint32_t)c.entry[0];
	s->source.entry_port = (uint8_t)c.entry[1];
	*ret_snapshot = FT_STEAL(s);
	return 1;
}
