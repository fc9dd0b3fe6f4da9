/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The reader: tokens of the DOT language, machines, ports and cables. Attributes but for "function" are skipped. */
#include "config.h"

#include "planner/design/dot.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "planner/design/dot_parts.h"

void ft_dot_release(struct ft_dot *d)
{
	ft_text_release(&d->arena);
	ft_map_release(&d->machine_by_name);
	ft_map_release(&d->port_by_name);
	ft_map_release(&d->cable_by_ports);
	free(d->name);
	free(d->machines);
	free(d->ports);
	free(d->cables);
}

/* ---- tokens ---- */

enum token { TOKEN_END, TOKEN_ID, TOKEN_EDGE, TOKEN_SIGN };

struct lexer {
	const char *text;
	size_t length, at;
	struct ft_error *err;
	enum token token;
	size_t start;	   /* of the token */
	char sign;	   /* of TOKEN_SIGN */
	bool quoted;	   /* of TOKEN_ID: it is no keyword then */
	struct ft_text id; /* of TOKEN_ID */
};

static int fail(struct lexer *l, size_t at, const char *what)
{
	unsigned int line, column;

	ft_error_position(l->text, at, &line, &column);
	return ft_error_set(l->err, -EINVAL, line, column, "%s", what);
}

static bool is_id(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
	       (unsigned char)c >= 0x80;
}

static size_t line_skip(const char *text, size_t length, size_t at)
{
	while (at < length && text[at] != '\n')
		at++;
	return at;
}

/* Blanks and comments: C's two kinds, and lines that begin with "#", as of a preprocessor. */
static size_t gap_skip(const char *text, size_t length, size_t at)
{
	for (;;) {
		const char *end;

		while (at < length && text[at] && strchr(" \t\r\n\f\v", text[at]))
			at++;
		if (at < length && (text[at] == '#' || (text[at] == '/' && at + 1 < length && text[at + 1] == '/'))) {
			at = line_skip(text, length, at);
			continue;
		}
		if (at + 1 >= length || text[at] != '/' || text[at + 1] != '*')
			return at;
		end = memmem(text + at + 2, length - at - 2, "*/", 2);
		at = end ? (size_t)(end - text) + 2 : length;
	}
}

/* A string in quotes; \" is a quote, and a newline behind a backslash is none. */
static int quoted_read(struct lexer *l)
{
	for (l->at++; l->at < l->length && l->text[l->at] != '"'; l->at++) {
		if (l->text[l->at] == '\\' && l->at + 1 < l->length &&
		    (l->text[l->at + 1] == '"' || l->text[l->at + 1] == '\n'))
			l->at++;
		if (l->text[l->at] != '\n')
			ft_text_add(&l->id, l->text + l->at, 1);
	}
	if (l->at == l->length)
		return fail(l, l->start, "the closing quote is missing");
	l->at++;
	l->quoted = true;
	return 0;
}

static int next(struct lexer *l)
{
	int r = 0;

	l->at = gap_skip(l->text, l->length, l->at);
	l->start = l->at;
	l->quoted = false;
	if (l->at == l->length) {
		l->token = TOKEN_END;
		return 0;
	}
	ft_text_reset(&l->id);
	l->token = TOKEN_ID;
	if (l->text[l->at] == '"') {
		r = quoted_read(l);
	} else if (is_id(l->text[l->at])) {
		while (l->at < l->length && is_id(l->text[l->at]))
			ft_text_add(&l->id, l->text + l->at++, 1);
	} else if (l->at + 1 < l->length && l->text[l->at] == '-' && strchr("->", l->text[l->at + 1])) {
		l->token = TOKEN_EDGE;
		l->at += 2;
	} else if (strchr("{}[]=;,:", l->text[l->at]) && l->text[l->at]) {
		l->token = TOKEN_SIGN;
		l->sign = l->text[l->at++];
	} else {
		r = fail(l, l->at,
			 l->text[l->at] == '-' ? "a name with \"-\" is to stand in quotes"
					       : "this belongs to no graph of the DOT language");
	}
	return r == 0 && ft_text_failed(&l->id) ? -ENOMEM : r;
}

static bool is_sign(const struct lexer *l, char sign)
{
	return l->token == TOKEN_SIGN && l->sign == sign;
}

static bool is_word(const struct lexer *l, const char *word)
{
	return l->token == TOKEN_ID && !l->quoted && strcasecmp(ft_text_string(&l->id), word) == 0;
}

/* ---- machines, ports, cables ---- */

static int reserve(void *array, uint32_t count, uint32_t *size, size_t element)
{
	void **data = array, *more;
	uint32_t wanted = *size ? 2 * *size : 64;

	if (count < *size)
		return 0;
	more = reallocarray(*data, wanted, element);
	if (!more)
		return -ENOMEM;
	*data = more;
	*size = wanted;
	return 0;
}

static int string_add(struct ft_dot *d, const char *string, uint32_t *ret_offset)
{
	size_t offset = d->arena.length;

	ft_text_add(&d->arena, string, strlen(string) + 1);
	if (ft_text_failed(&d->arena) || offset > INT32_MAX)
		return -ENOMEM;
	*ret_offset = (uint32_t)offset;
	return 0;
}

static int machine_find(struct ft_dot *d, const char *name, uint32_t *ret_machine)
{
	uint32_t offset;
	int r = ft_map_add(&d->machine_by_name, ft_text_hash(name), d->machine_count, ret_machine);

	if (r <= 0)
		return r;
	r = reserve(&d->machines, d->machine_count, &d->machine_size, sizeof(*d->machines));
	if (r == 0)
		r = string_add(d, name, &offset);
	if (r < 0)
		return r;
	d->machines[d->machine_count++] = (struct ft_dot_machine){.name = offset, .adapters = true};
	return 0;
}

static int port_find(struct ft_dot *d, uint32_t machine, const char *name, uint32_t *ret_port)
{
	uint32_t offset;
	int r = ft_map_add(&d->port_by_name, ft_hash_pair(machine, ft_text_hash(name)), d->port_count, ret_port);

	if (r <= 0)
		return r;
	r = reserve(&d->ports, d->port_count, &d->port_size, sizeof(*d->ports));
	if (r == 0)
		r = string_add(d, name, &offset);
	if (r < 0)
		return r;
	d->ports[d->port_count] = (struct ft_dot_port){.machine = machine, .name = offset, .group = d->port_count};
	d->port_count++;
	return 0;
}

/* The same cable from either side, or said twice, is one. */
static int cable_add(struct ft_dot *d, uint32_t a, uint32_t b)
{
	uint32_t low = a < b ? a : b, high = a < b ? b : a;
	int r = ft_map_add(&d->cable_by_ports, ft_hash_pair(low, high), d->cable_count, NULL);

	if (r <= 0)
		return r;
	r = reserve(&d->cables, d->cable_count, &d->cable_size, sizeof(*d->cables));
	if (r == 0)
		d->cables[d->cable_count++] = (struct ft_dot_cable){.a = a, .b = b};
	return r;
}

/* ---- statements ---- */

static int id_check(struct lexer *l)
{
	if (l->token != TOKEN_ID || l->id.length == 0)
		return fail(l, l->start, "a name was expected");
	if (l->id.length > FT_DOT_NAME_MAX)
		return fail(l, l->start, "a name of more than 64 bytes");
	for (size_t i = 0; i < l->id.length; i++)
		if ((unsigned char)l->id.data[i] < ' ' || l->id.data[i] == 0x7f)
			return fail(l, l->start, "a control byte in a name");
	return 0;
}

/* A node, with a port behind a colon; a second colon is for the drawing. @ret_port: UINT32_MAX without a port. */
static int end_read(struct lexer *l, struct ft_dot *d, uint32_t *ret_machine, uint32_t *ret_port)
{
	int r = id_check(l);

	*ret_port = UINT32_MAX;
	if (r == 0)
		r = machine_find(d, ft_text_string(&l->id), ret_machine);
	if (r == 0)
		r = next(l);
	for (bool first = true; r == 0 && is_sign(l, ':'); first = false) {
		r = next(l);
		if (r == 0)
			r = id_check(l);
		if (r == 0 && first)
			r = port_find(d, *ret_machine, ft_text_string(&l->id), ret_port);
		if (r == 0)
			r = next(l);
	}
	return r;
}

/* [key=value, …]; @machine's "function" is kept; UINT32_MAX: of no machine. */
static int attributes_read(struct lexer *l, struct ft_dot *d, uint32_t machine)
{
	int r = 0;

	while (r == 0 && is_sign(l, '[')) {
		_cleanup_free_ char *key = NULL;

		for (r = next(l); r == 0 && !is_sign(l, ']'); r = r == 0 ? next(l) : r) {
			if (l->token == TOKEN_END)
				return fail(l, l->start, "the closing \"]\" is missing");
			if (l->token == TOKEN_SIGN)
				continue;
			if (key && machine != UINT32_MAX && strcasecmp(key, "function") == 0)
				r = string_add(d, ft_text_string(&l->id), &d->machines[machine].function);
			free(key);
			key = strdup(ft_text_string(&l->id));
			if (!key)
				return -ENOMEM;
		}
		if (r == 0)
			r = next(l);
	}
	return r;
}

/* a:p -- b:q -- c:r [attributes], or a node alone. */
static int edge_read(struct lexer *l, struct ft_dot *d)
{
	uint32_t machine = 0, port, last;
	size_t start = l->start;
	bool alone = true;
	int r = end_read(l, d, &machine, &last);

	if (r == 0 && is_sign(l, '=')) {
		/* An attribute of the graph: nothing was meant to be a machine, and without ports it is none. */
		r = next(l);
		return r == 0 ? next(l) : r;
	}
	while (r == 0 && l->token == TOKEN_EDGE) {
		uint32_t far;

		alone = false;
		r = next(l);
		if (r == 0)
			r = end_read(l, d, &far, &port);
		if (r == 0 && (port == UINT32_MAX || last == UINT32_MAX))
			return fail(l, start, "a cable without its ports: \"leaf01\":\"swp1\" -- \"spine01\":\"swp3\"");
		if (r == 0 && d->cable_count == FT_DOT_CABLES_MAX)
			return fail(l, start, "more than a million cables");
		if (r == 0)
			r = cable_add(d, last, port);
		last = port;
	}
	return r == 0 ? attributes_read(l, d, alone ? machine : UINT32_MAX) : r;
}

/* One statement; subgraphs are only drawn apart. */
static int statement_read(struct lexer *l, struct ft_dot *d, unsigned int *depth)
{
	int r;

	if (l->token == TOKEN_END)
		return fail(l, l->start, "the closing \"}\" is missing");
	if (l->token == TOKEN_SIGN && strchr("{};,", l->sign)) {
		*depth += l->sign == '{';
		*depth -= l->sign == '}';
		return *depth > 0 ? next(l) : 0;
	}
	if (is_word(l, "subgraph")) {
		r = next(l);
		return r == 0 && l->token == TOKEN_ID ? next(l) : r;
	}
	if (is_word(l, "graph") || is_word(l, "node") || is_word(l, "edge")) {
		r = next(l);
		if (r == 0 && !is_sign(l, '['))
			return fail(l, l->start, "\"[\" was expected, and the attributes");
		return r == 0 ? attributes_read(l, d, UINT32_MAX) : r;
	}
	return edge_read(l, d);
}

static int graph_read(struct lexer *l, struct ft_dot *d)
{
	unsigned int depth = 1;
	int r = next(l);

	if (r == 0 && is_word(l, "strict"))
		r = next(l);
	if (r == 0 && !is_word(l, "graph") && !is_word(l, "digraph"))
		return fail(l, l->start, "\"graph\" was expected");
	if (r == 0)
		r = next(l);
	if (r == 0 && l->token == TOKEN_ID) {
		d->name = strdup(ft_text_string(&l->id));
		r = d->name ? next(l) : -ENOMEM;
	}
	if (r == 0 && !is_sign(l, '{'))
		return fail(l, l->start, "\"{\" was expected");
	if (r == 0)
		r = next(l);
	while (r == 0 && depth > 0)
		r = statement_read(l, d, &depth);
	return r;
}

bool ft_dot_is(const char *text, size_t length)
{
	static const char *const words[] = {"graph", "digraph", "strict"};
	size_t at = gap_skip(text, length, ft_text_mark(text, length));

	for (size_t i = 0; i < FT_COUNT(words); i++) {
		size_t end = at + strlen(words[i]);

		if (end < length && strncasecmp(text + at, words[i], end - at) == 0 && !is_id(text[end]))
			return true;
	}
	return false;
}

int ft_dot_read(struct ft_dot *d, const char *text, size_t length, struct ft_error *err)
{
	struct lexer l = {.text = text, .length = length, .at = ft_text_mark(text, length), .err = err};
	int r;

	ft_text_add(&d->arena, "", 1);
	r = ft_text_failed(&d->arena) ? -ENOMEM : graph_read(&l, d);
	if (r == 0 && d->cable_count == 0)
		r = fail(&l, l.start, "there is no cable: \"leaf01\":\"swp1\" -- \"spine01\":\"swp3\"");
	ft_text_release(&l.id);
	return r;
}
