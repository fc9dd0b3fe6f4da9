/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "probe/names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/map.h"

enum {
	FILE_MAX = 64 << 20,
	NAME_MAX_BYTES = 256,
};

struct name {
	const char *bytes; /* in the text */
	uint16_t length;
};

struct ft_names {
	char *text; /* owned */
	struct name *items;
	size_t count, size;
	struct ft_map by_guid;
};

void ft_names_free(struct ft_names *names)
{
	if (!names)
		return;
	free(names->text);
	free(names->items);
	ft_map_release(&names->by_guid);
	free(names);
}

/* The line being read. */
struct line {
	const char *text, *at, *end;
	unsigned int number;
	struct ft_error *err;
};

static int line_error(const struct line *l, const char *at, const char *what)
{
	return ft_error_set(l->err, -EINVAL, l->number, (unsigned int)(at - l->text) + 1, "%s", what);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static void blanks_skip(struct line *l)
{
	while (l->at < l->end && is_blank(*l->at))
		l->at++;
}

/* Decimal, or hexadecimal with 0x in front. */
static int guid_read(struct line *l, uint64_t *ret_guid)
{
	const char *begin = l->at;
	unsigned int base = 10;
	uint64_t guid = 0;
	size_t digits = 0;

	if (l->end - l->at > 2 && l->at[0] == '0' && (l->at[1] == 'x' || l->at[1] == 'X')) {
		base = 16;
		l->at += 2;
	}
	for (; l->at < l->end; l->at++, digits++) {
		static const char hexadecimal[] = "0123456789abcdef";
		const char *digit = strchr(hexadecimal, *l->at | ('A' <= *l->at && *l->at <= 'F' ? 0x20 : 0));
		unsigned int value = digit && *digit ? (unsigned int)(digit - hexadecimal) : base;

		if (value >= base)
			break;
		if (guid > (UINT64_MAX - value) / base)
			return line_error(l, begin, "a GUID has no more than 64 bits");
		guid = guid * base + value;
	}
	if (digits == 0 || (l->at < l->end && !is_blank(*l->at) && *l->at != '#'))
		return line_error(l, begin,
				  "a line begins with a GUID such as 0x0002c90300001234, and its name follows");
	*ret_guid = guid;
	return 0;
}

/* Without a name, @ret_name is empty. */
static int name_read(struct line *l, struct name *ret_name)
{
	bool quoted = l->at < l->end && *l->at == '"';
	const char *begin = l->at + quoted, *stop = begin;

	while (stop < l->end && *stop != (quoted ? '"' : '#'))
		stop++;
	if (quoted && stop == l->end)
		return line_error(l, l->at, "the name that begins here has no closing quotation mark");
	while (!quoted && stop > begin && is_blank(stop[-1]))
		stop--;
	if (stop - begin > NAME_MAX_BYTES)
		return line_error(l, begin, "a name has no more than 256 bytes");
	*ret_name = (struct name){begin, (uint16_t)(stop - begin)};
	return 0;
}

static int name_add(struct ft_names *names, uint64_t guid, const struct name *name)
{
	int r;

	if (names->count == names->size) {
		size_t size = names->size ? names->size * 2 : 256;
		struct name *items = reallocarray(names->items, size, sizeof(*items));

		if (!items)
			return -ENOMEM;
		names->items = items;
		names->size = size;
	}
	r = ft_map_add(&names->by_guid, guid, (uint32_t)names->count, NULL);
	if (r > 0)
		names->items[names->count++] = *name;
	return r < 0 ? r : 0;
}

static int line_read(struct ft_names *names, struct line *l)
{
	struct name name;
	uint64_t guid = 0;
	int r;

	blanks_skip(l);
	if (l->at == l->end || *l->at == '#')
		return 0;
	r = guid_read(l, &guid);
	if (r < 0)
		return r;
	blanks_skip(l);
	r = name_read(l, &name);
	return r < 0 || name.length == 0 ? r : name_add(names, guid, &name);
}

static int lines_read(struct ft_names *names, size_t length, struct ft_error *err)
{
	const char *end = names->text + length, *at = names->text + ft_text_mark(names->text, length);
	struct line line = {.err = err};
	int r = 0;

	for (; r == 0 && at < end; at = line.end + 1) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));

		line.text = line.at = at;
		line.end = stop ? stop : end;
		line.number++;
		r = memchr(at, '\0', (size_t)(line.end - at)) ? line_error(&line, at, "a NUL byte is no part of a text")
							      : line_read(names, &line);
	}
	return r;
}

/* @text is owned from here on. */
static int names_take(char *text, size_t length, struct ft_names **ret_names, struct ft_error *err)
{
	_cleanup_(ft_names_freep) struct ft_names *names = calloc(1, sizeof(*names));
	int r;

	if (!names) {
		free(text);
		return -ENOMEM;
	}
	names->text = text;
	r = lines_read(names, length, err);
	if (r < 0)
		return r;
	*ret_names = FT_STEAL(names);
	return 0;
}

int ft_names_read(const char *text, size_t length, struct ft_names **ret_names, struct ft_error *err)
{
	char *copy = malloc(length + 1);

	if (!copy)
		return -ENOMEM;
	memcpy(copy, text, length);
	copy[length] = '\0';
	return names_take(copy, length, ret_names, err);
}

int ft_names_load(const char *path, struct ft_names **ret_names, struct ft_error *err)
{
	char *text;
	size_t length;
	int r;

	if (!path && access(FT_NODE_NAME_MAP, F_OK) < 0) {
		*ret_names = NULL;
		return 0;
	}
	path = path ? path : FT_NODE_NAME_MAP;
	if (err)
		err->file = path;
	r = ft_file_read(path, FILE_MAX, &text, &length, err);
	return r < 0 ? r : names_take(text, length, ret_names, err);
}

static const struct name *name_of(const struct ft_names *names, const struct ft_node *node)
{
	uint32_t which = ft_map_get(&names->by_guid, node->guid);

	return which == FT_NONE ? NULL : &names->items[which];
}

char *ft_names_safe_dup(const struct ft_names *names, const struct ft_snapshot *snapshot, const struct ft_node *node)
{
	const struct name *name = names ? name_of(names, node) : NULL;

	return name ? ft_text_safe_dup(name->bytes, name->length)
		    : ft_text_safe_dup(ft_node_description(snapshot, node), node->description_length);
}

/* The bytes that the names of its nodes take, each with its NUL. */
static size_t names_size(const struct ft_names *names, const struct ft_snapshot *snapshot)
{
	size_t size = 0;

	for (uint32_t i = 0; i < snapshot->node_count; i++) {
		const struct name *name = name_of(names, &snapshot->nodes[i]);

		size += name ? name->length + 1U : 0;
	}
	return size;
}

/* After the existing strings. */
static void names_write(const struct ft_names *names, struct ft_snapshot *view)
{
	for (uint32_t i = 0; i < view->node_count; i++) {
		const struct name *name = name_of(names, &view->nodes[i]);

		if (!name)
			continue;
		view->nodes[i].description = view->strings_length;
		view->nodes[i].description_length = name->length;
		memcpy(view->strings + view->strings_length, name->bytes, name->length);
		view->strings_length += name->length;
		view->strings[view->strings_length++] = '\0';
	}
}

int ft_names_view(const struct ft_names *names, const struct ft_snapshot *snapshot, struct ft_snapshot *ret_view)
{
	struct ft_snapshot view = *snapshot;
	size_t more = names ? names_size(names, snapshot) : 0;

	if (more > UINT32_MAX - snapshot->strings_length)
		return -ENOMEM;
	view.strings = malloc(snapshot->strings_length + more + 1);
	view.nodes = calloc(snapshot->node_count + 1UL, sizeof(*view.nodes));
	if (!view.strings || !view.nodes) {
		ft_names_view_release(&view);
		return -ENOMEM;
	}
	memcpy(view.strings, snapshot->strings, snapshot->strings_length);
	if (snapshot->node_count > 0)
		memcpy(view.nodes, snapshot->nodes, snapshot->node_count * sizeof(*view.nodes));
	if (names)
		names_write(names, &view);
	*ret_view = view;
	return 0;
}

void ft_names_view_release(struct ft_snapshot *view)
{
	free(view->strings);
	free(view->nodes);
	*view = (struct ft_snapshot){0};
}

int ft_names_apply(const struct ft_names *names, struct ft_snapshot *snapshot)
{
	struct ft_snapshot view, old = *snapshot;
	int r;

	if (!names)
		return 0;
	r = ft_names_view(names, snapshot, &view);
	if (r < 0)
		return r;
	*snapshot = view;
	ft_names_view_release(&old);
	return 0;
}
