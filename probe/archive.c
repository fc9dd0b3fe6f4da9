/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "probe/archive.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/journal.h"
#include "probe/snapshot_parts.h"

static const char prefix[] = "fabric";

enum kind { KIND_WHOLE = 'W', KIND_CHANGES = 'C', KIND_MARK = 'M' };

enum {
	RAW_MAX = 1 << 29,    /* of all text of one file: some forty times a snapshot of 30,000 nodes */
	RAW_TIMES = 16,	      /* of it a writer reads no more than so many times the snapshot that it adds, */
	RAW_MORE = 1 << 26,   /* and this */
	RAW_HEAD = 4,	      /* the length of the text, before what is compressed */
	FILES = 256,	      /* so many at least share the limit, unless snapshots are large */
	FILE_LEAST = 1 << 24, /* or the limit is: differences of so many bytes are worth a new file */
	FILE_MOST = 1 << 30,  /* larger ones are none of ours */
	CHANGES_MAX = 4096,   /* differences in one file: each costs its reader a pass over all lines */
};

/* Nodes with one GUID are counted. */
struct key {
	uint64_t guid;
	uint32_t ordinal;
};

/* One node. Its text has no newline, and is in one of the buffers. */
struct line {
	struct key key;
	const char *text;
	size_t length;
};

/* A snapshot as lines, sorted by their keys. */
struct state {
	struct line *lines;
	size_t count;
	const char *source, *entry; /* in one of the buffers, each up to a newline */
	char **buffers;
	size_t buffer_count;
	size_t room; /* for text of records, in bytes */
};

static void state_release(struct state *state)
{
	for (size_t i = 0; i < state->buffer_count; i++)
		free(state->buffers[i]);
	free(state->buffers);
	free(state->lines);
	*state = (struct state){0};
}

/* Nothing is known; @room: for what is read from now on. Each record is compressed, and so may be a thousand times what
 * it takes on disk. */
static void state_begin(struct state *state, size_t room)
{
	state_release(state);
	state->room = room;
}

/* Owned by the state from here on, also on failure. */
static int buffer_keep(struct state *state, char *buffer)
{
	char **buffers = reallocarray(state->buffers, state->buffer_count + 1, sizeof(*buffers));

	if (!buffers) {
		free(buffer);
		return -ENOMEM;
	}
	state->buffers = buffers;
	buffers[state->buffer_count++] = buffer;
	return 0;
}

static int key_compare(const struct key *a, const struct key *b)
{
	if (a->guid != b->guid)
		return a->guid < b->guid ? -1 : 1;
	return a->ordinal < b->ordinal ? -1 : a->ordinal > b->ordinal;
}

static void key_write(struct ft_text *text, const struct key *key)
{
	ft_text_printf(text, "%016" PRIx64 ".%" PRIu32, key->guid, key->ordinal);
}

/* "GUID.ORDINAL" at *@at, which moves behind it. */
static bool key_take(const char **at, struct key *ret)
{
	enum { DIGITS = 16 };
	char *end;

	if (strspn(*at, "0123456789abcdef") != DIGITS || (*at)[DIGITS] != '.')
		return false;
	ret->guid = strtoull(*at, NULL, 16);
	*at += DIGITS + 1;
	if (**at < '0' || **at > '9')
		return false;
	ret->ordinal = (uint32_t)strtoul(*at, &end, 10);
	*at = end;
	return true;
}

/* ---- from a snapshot to lines ---- */

struct order {
	const struct ft_snapshot *s;
	uint32_t *nodes;  /* by place: the node */
	struct key *keys; /* by node */
};

static void order_release(struct order *order)
{
	free(order->nodes);
	free(order->keys);
}

/* The far end of a port as one number; 0: there is none. */
static uint64_t far_guid(const struct ft_snapshot *s, const struct ft_node *node, unsigned int number)
{
	const struct ft_port *port = ft_node_port(s, node, number), *far = port ? ft_port_peer(s, port) : NULL;

	return far ? ft_port_node(s, far)->guid : 0;
}

/* Of nodes with one GUID, by what sweeps do not change: the order in which they were found is chance. */
static int nodes_compare(const void *a, const void *b, void *arg)
{
	const struct ft_snapshot *s = arg;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	const struct ft_node *x = &s->nodes[i], *y = &s->nodes[j];
	int r;

	if (x->guid != y->guid)
		return x->guid < y->guid ? -1 : 1;
	if (x->type != y->type)
		return x->type < y->type ? -1 : 1;
	r = strcmp(ft_node_description(s, x), ft_node_description(s, y));
	for (unsigned int n = 1; r == 0 && (n <= x->port_count || n <= y->port_count); n++) {
		uint64_t a_far = far_guid(s, x, n), b_far = far_guid(s, y, n);

		r = a_far < b_far ? -1 : a_far > b_far;
	}
	if (r == 0)
		r = x->lid < y->lid ? -1 : x->lid > y->lid;
	return r != 0 ? r : i < j ? -1 : i > j;
}

static int order_make(struct order *order)
{
	const struct ft_snapshot *s = order->s;
	uint32_t ordinal = 0;

	order->nodes = malloc((s->node_count + 1UL) * sizeof(*order->nodes));
	order->keys = calloc(s->node_count + 1UL, sizeof(*order->keys));
	if (!order->nodes || !order->keys)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->node_count; i++)
		order->nodes[i] = i;
	qsort_r(order->nodes, s->node_count, sizeof(*order->nodes), nodes_compare, (void *)(uintptr_t)s);
	for (uint32_t i = 0; i < s->node_count; i++) {
		uint64_t guid = s->nodes[order->nodes[i]].guid;

		ordinal = i > 0 && s->nodes[order->nodes[i - 1]].guid == guid ? ordinal + 1 : 0;
		order->keys[order->nodes[i]] = (struct key){guid, ordinal};
	}
	return 0;
}

/* Those whose other end has the higher key, or on the same node the higher number. */
static void links_write(struct ft_text *text, const struct order *order, uint32_t node)
{
	const struct ft_snapshot *s = order->s;
	const char *separator = "";

	for (unsigned int n = 1; n <= s->nodes[node].port_count; n++) {
		const struct ft_port *port = ft_node_port(s, &s->nodes[node], n), *far = ft_port_peer(s, port);
		int compared = far ? key_compare(&order->keys[node], &order->keys[far->node]) : 1;

		if (compared > 0 || (compared == 0 && far->number < n))
			continue;
		ft_text_printf(text, "%s%u>", separator, n);
		key_write(text, &order->keys[far->node]);
		ft_text_printf(text, ".%u", far->number);
		separator = " ";
	}
}

static void head_write(struct ft_text *text, const struct order *order, struct ft_text *scratch)
{
	struct ft_snapshot plain = *order->s;
	uint32_t entry = plain.source.entry_node;

	/* It is an index of nodes, in another order. */
	plain.source.entry_node = FT_NONE;
	ft_snapshot_write_source(text, &plain, scratch);
	ft_text_puts(text, "\n");
	if (entry != FT_NONE && entry < plain.node_count) {
		key_write(text, &order->keys[entry]);
		ft_text_printf(text, ".%u", plain.source.entry_port);
	}
	ft_text_puts(text, "\n");
}

static int state_of(const struct ft_snapshot *s, struct state *ret)
{
	_cleanup_(ft_text_release) struct ft_text text = {0}, scratch = {0};
	_cleanup_(order_release) struct order order = {.s = s};
	_cleanup_free_ size_t *begins = calloc(s->node_count + 1UL, sizeof(*begins));
	_cleanup_(state_release) struct state state = {.lines = calloc(s->node_count + 1UL, sizeof(*state.lines))};
	const char *bytes;

	if (!begins || !state.lines || order_make(&order) < 0)
		return -ENOMEM;
	head_write(&text, &order, &scratch);
	for (uint32_t i = 0; i < s->node_count; i++) {
		begins[i] = text.length;
		key_write(&text, &order.keys[order.nodes[i]]);
		ft_text_puts(&text, "\t");
		ft_snapshot_write_node(&text, s, &s->nodes[order.nodes[i]], &scratch);
		ft_text_puts(&text, "\t");
		links_write(&text, &order, order.nodes[i]);
		ft_text_puts(&text, "\n");
	}
	begins[s->node_count] = text.length;
	if (ft_text_failed(&text) || ft_text_failed(&scratch) || text.length > RAW_MAX)
		return -ENOMEM;
	bytes = text.data;
	if (buffer_keep(&state, FT_STEAL(text.data)) < 0)
		return -ENOMEM;
	state.source = bytes;
	state.entry = strchr(bytes, '\n') + 1;
	state.count = s->node_count;
	for (uint32_t i = 0; i < s->node_count; i++)
		state.lines[i] = (struct line){.key = order.keys[order.nodes[i]],
					       .text = bytes + begins[i],
					       .length = begins[i + 1] - begins[i] - 1};
	*ret = state;
	state = (struct state){0};
	return 0;
}

/* ---- differences: from nothing, all lines are new ---- */

static bool lines_equal(const struct line *a, const struct line *b)
{
	return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

static void line_add(struct ft_text *text, char sign, const struct line *line)
{
	ft_text_add(text, &sign, 1);
	if (sign == '+')
		ft_text_add(text, line->text, line->length);
	else
		key_write(text, &line->key);
	ft_text_puts(text, "\n");
}

/* Returns whether a node changed. @ret_text: the source and entry of @new, then the lines. */
static bool changes_write(const struct state *old, const struct state *new, struct ft_text *ret_text)
{
	size_t i = 0, j = 0, head;

	ft_text_add(ret_text, new->source, (size_t)(strchr(new->entry, '\n') + 1 - new->source));
	head = ret_text->length;
	while (i < old->count || j < new->count) {
		int compared = i == old->count	 ? 1
			       : j == new->count ? -1
						 : key_compare(&old->lines[i].key, &new->lines[j].key);

		if (compared < 0) {
			line_add(ret_text, '-', &old->lines[i++]);
			continue;
		}
		if (compared > 0 || !lines_equal(&old->lines[i], &new->lines[j]))
			line_add(ret_text, '+', &new->lines[j]);
		i += compared == 0;
		j++;
	}
	return ret_text->length > head;
}

/* One line, up to its newline, which becomes a NUL; NULL at the end or where there is none. */
static char *line_cut(char **at)
{
	char *line = *at, *end = *line ? strchr(line, '\n') : NULL;

	if (!end)
		return NULL;
	*end = '\0';
	*at = end + 1;
	return line;
}

static int lines_merge(struct state *state, char *at)
{
	size_t size = state->count, count = 0, i = 0;
	struct line *lines;
	char *text;

	for (const char *newline = strchr(at, '\n'); newline; newline = strchr(newline + 1, '\n'))
		size++;
	lines = calloc(size + 1, sizeof(*lines));
	if (!lines)
		return -ENOMEM;
	while ((text = line_cut(&at))) {
		struct line line = {.text = text + 1};
		const char *behind = text + 1;

		if (!key_take(&behind, &line.key) || *behind != (text[0] == '+' ? '\t' : '\0') ||
		    (count > 0 && key_compare(&lines[count - 1].key, &line.key) >= 0))
			break;
		while (i < state->count && key_compare(&state->lines[i].key, &line.key) < 0)
			lines[count++] = state->lines[i++];
		if (i < state->count && key_compare(&state->lines[i].key, &line.key) == 0)
			i++;
		line.length = strlen(line.text);
		if (text[0] == '+')
			lines[count++] = line;
	}
	if (text || *at) {
		free(lines);
		return -EBADMSG;
	}
	while (i < state->count)
		lines[count++] = state->lines[i++];
	free(state->lines);
	state->lines = lines;
	state->count = count;
	return 0;
}

/* @text is taken over. */
static int changes_apply(struct state *state, char *text)
{
	char *source, *entry;
	int r = buffer_keep(state, text);

	if (r < 0)
		return r;
	source = line_cut(&text);
	entry = source ? line_cut(&text) : NULL;
	if (!entry)
		return -EBADMSG;
	state->source = source;
	state->entry = entry;
	return lines_merge(state, text);
}

/* ---- from lines to a snapshot ---- */

static uint32_t index_of(const struct state *state, const struct key *key)
{
	size_t low = 0, high = state->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (key_compare(&state->lines[middle].key, key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < state->count && key_compare(&state->lines[low].key, key) == 0 ? (uint32_t)low : FT_NONE;
}

/* "GUID.ORDINAL.PORT"; FT_NONE: there is no such node. */
static uint32_t end_take(const struct state *state, const char **at, unsigned int *ret_port)
{
	struct key key;
	char *end;

	if (!key_take(at, &key) || **at != '.')
		return FT_NONE;
	*ret_port = (unsigned int)strtoul(*at + 1, &end, 10);
	*at = end;
	return index_of(state, &key);
}

static int links_restore(const struct state *state, uint32_t node, const char *at, bool *any, struct ft_text *text)
{
	while (*at) {
		unsigned int number, far_number;
		uint32_t far;
		char *end;

		number = (unsigned int)strtoul(at, &end, 10);
		if (end == at || *end != '>')
			return -EBADMSG;
		at = end + 1;
		far = end_take(state, &at, &far_number);
		if (far == FT_NONE || (*at != ' ' && *at != '\0'))
			return -EBADMSG;
		at += *at == ' ';
		ft_text_printf(text, "%s[%" PRIu32 ",%u,%" PRIu32 ",%u]", *any ? ",\n" : "\n", node, number, far,
			       far_number);
		*any = true;
	}
	return 0;
}

static int entry_restore(const struct state *state, struct ft_snapshot *snapshot)
{
	const char *at = state->entry;
	unsigned int port;
	uint32_t node;

	if (!*at)
		return 0;
	node = end_take(state, &at, &port);
	if (node == FT_NONE || *at || port > snapshot->nodes[node].port_count)
		return -EBADMSG;
	snapshot->source.entry_node = node;
	snapshot->source.entry_port = (uint8_t)port;
	return 0;
}

static int state_restore(const struct state *state, struct ft_snapshot **ret_snapshot, struct ft_error *err)
{
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *snapshot = NULL;
	_cleanup_(ft_text_release) struct ft_text text = {0}, links = {0};
	bool any = false;
	int r;

	ft_text_printf(&text, "{\"ftcheck_snapshot\": %d,\n%s,\n\"nodes\": [", FT_SNAPSHOT_VERSION, state->source);
	for (size_t i = 0; i < state->count; i++) {
		const char *node = strchr(state->lines[i].text, '\t') + 1, *tab = strchr(node, '\t');

		if (!tab)
			return -EBADMSG;
		ft_text_puts(&text, i > 0 ? ",\n" : "\n");
		ft_text_add(&text, node, (size_t)(tab - node));
		r = links_restore(state, (uint32_t)i, tab + 1, &any, &links);
		if (r < 0)
			return r;
	}
	ft_text_printf(&text, "],\n\"links\": [");
	ft_text_add(&text, links.data, links.length);
	ft_text_puts(&text, "]}\n");
	if (ft_text_failed(&text) || ft_text_failed(&links))
		return -ENOMEM;
	r = ft_snapshot_read_json(text.data, text.length, &snapshot, err);
	if (r == 0)
		r = entry_restore(state, snapshot);
	if (r < 0)
		return r == -ENOMEM ? r : -EBADMSG;
	*ret_snapshot = FT_STEAL(snapshot);
	return 0;
}

/* ---- records ---- */

static int pack(const struct ft_text *text, char **ret_bytes, size_t *ret_length)
{
	uLongf length = compressBound(text->length);
	_cleanup_free_ char *bytes = malloc(RAW_HEAD + length);

	if (!bytes)
		return -ENOMEM;
	for (size_t i = 0; i < RAW_HEAD; i++)
		bytes[i] = (char)(text->length >> 8 * i & 0xff);
	if (compress2((Bytef *)bytes + RAW_HEAD, &length, (const Bytef *)text->data, text->length,
		      Z_DEFAULT_COMPRESSION) != Z_OK)
		return -ENOMEM;
	*ret_bytes = FT_STEAL(bytes);
	*ret_length = RAW_HEAD + length;
	return 0;
}

/* @room: it is not longer, and becomes less. */
static int unpack(const struct ft_journal_record *record, size_t *room, char **ret_text)
{
	enum { TIMES = 1100 }; /* deflate packs no better (zlib's technical details) */
	_cleanup_free_ char *text = NULL;
	uLongf length = 0;

	if (record->length < RAW_HEAD)
		return -EBADMSG;
	for (size_t i = 0; i < RAW_HEAD; i++)
		length |= (uLongf)(unsigned char)record->bytes[i] << 8 * i;
	if (length > *room || length / TIMES > record->length)
		return -EBADMSG;
	text = malloc(length + 1);
	if (!text)
		return -ENOMEM;
	text[length] = '\0';
	if (uncompress((Bytef *)text, &length, (const Bytef *)record->bytes + RAW_HEAD, record->length - RAW_HEAD) !=
		    Z_OK ||
	    strlen(text) != length)
		return -EBADMSG;
	*room -= length;
	*ret_text = FT_STEAL(text);
	return 0;
}

static int record_apply(struct state *state, const struct ft_journal_record *record)
{
	char *text;
	int r;

	if (record->kind == KIND_MARK)
		return 0;
	if (record->kind == KIND_WHOLE)
		state_begin(state, state->room);
	else if (record->kind != KIND_CHANGES || !state->source)
		return -EBADMSG;
	r = unpack(record, &state->room, &text);
	return r < 0 ? r : changes_apply(state, text);
}

/* ---- adding ---- */

/* Bytes of its text. */
static size_t state_size(const struct state *state)
{
	size_t size = 0;

	for (size_t i = 0; i < state->count; i++)
		size += state->lines[i].length + 1;
	return size;
}

/* The newest file: its last state, and how much is in it. */
struct last {
	struct state state;
	int64_t time_ms;	      /* of its last record */
	size_t whole, changes, bytes; /* bytes of the snapshot; differences, and their bytes */
};

static void last_release(struct last *last)
{
	state_release(&last->state);
}

/* Without a file, or with one that is damaged or needs more than @room, there is no last state. */
static int last_read(const char *directory, size_t room, struct last *last)
{
	_cleanup_(ft_journal_files_release) struct ft_journal_files files = {0};
	_cleanup_free_ char *bytes = NULL;
	struct ft_journal_record record;
	size_t length, at = 0;
	int r = ft_journal_list(directory, prefix, &files);

	if (r < 0 || files.count == 0)
		return r;
	state_begin(&last->state, room);
	r = ft_journal_read(directory, prefix, files.numbers[files.count - 1], room, &bytes, &length);
	while (r == 0 && ft_journal_next(bytes, length, &at, &record)) {
		last->time_ms = record.time_ms;
		if (record.kind == KIND_WHOLE)
			last->whole = record.length;
		if (record.kind == KIND_CHANGES) {
			last->changes++;
			last->bytes += record.length;
		}
		r = record_apply(&last->state, &record);
	}
	if (r < 0)
		state_release(&last->state);
	return r == -ENOMEM ? r : 0;
}

static bool is_worn(const struct last *last, uint64_t limit)
{
	uint64_t least = limit / FILES < FILE_LEAST ? limit / FILES : FILE_LEAST;

	return last->changes >= CHANGES_MAX || last->bytes >= (last->whole > least ? last->whole : least);
}

static int mark_add(struct ft_journal *journal, const struct last *last, int64_t time_ms)
{
	int64_t passed_ms = time_ms - last->time_ms;

	if (passed_ms >= 0 && passed_ms < FT_ARCHIVE_MARK_S * 1000)
		return 0;
	return ft_journal_append(journal, &(struct ft_journal_record){.kind = KIND_MARK, .time_ms = time_ms});
}

static int state_add(struct ft_journal *journal, const struct state *old, const struct state *new, int64_t time_ms)
{
	struct ft_journal_record record = {.kind = old->source ? KIND_CHANGES : KIND_WHOLE, .time_ms = time_ms};
	_cleanup_(ft_text_release) struct ft_text text = {0};
	_cleanup_free_ char *bytes = NULL;
	int r;

	(void)changes_write(old, new, &text);
	r = ft_text_failed(&text) ? -ENOMEM : pack(&text, &bytes, &record.length);
	if (r < 0)
		return r;
	record.bytes = bytes;
	return ft_journal_append(journal, &record);
}

int ft_archive_add(const char *directory, uint64_t limit, const struct ft_snapshot *snapshot, int64_t time_ms)
{
	_cleanup_(ft_journal_freep) struct ft_journal *journal = NULL;
	_cleanup_(last_release) struct last last = {0};
	_cleanup_(state_release) struct state now = {0};
	_cleanup_(ft_text_release) struct ft_text text = {0};
	bool changed;
	int r;

	r = state_of(snapshot, &now);
	if (r == 0)
		r = last_read(directory, RAW_TIMES * state_size(&now) + RAW_MORE, &last);
	if (r == 0)
		r = ft_journal_open(directory, prefix, limit, &journal);
	if (r < 0)
		return r;
	changed = changes_write(&last.state, &now, &text) || !last.state.source;
	if (!changed && ft_journal_file_length(journal) > 0) {
		r = mark_add(journal, &last, time_ms);
	} else {
		/* A file begins with a whole snapshot. */
		if (!last.state.source || is_worn(&last, limit))
			ft_journal_begin_file(journal);
		if (ft_journal_file_length(journal) == 0)
			state_release(&last.state);
		r = state_add(journal, &last.state, &now, time_ms);
	}
	if (r == 0)
		r = ft_journal_sync(journal);
	return r < 0 ? r : changed;
}

/* ---- any moment ---- */

/* The state at the moment from one file; 0, -EAGAIN (it begins later, or is damaged), or -ENOMEM. */
static int file_look(const char *bytes, size_t length, int64_t time_ms, struct state *state,
		     struct ft_archive_moment *moment)
{
	struct ft_journal_record record;
	size_t at = 0, end = 0;
	int r = 0;

	while (ft_journal_next(bytes, length, &at, &record)) {
		if (end == 0 && at == FT_JOURNAL_HEAD + record.length)
			moment->next_ms = record.time_ms;
		if (record.time_ms > time_ms)
			continue;
		end = at;
		moment->seen_ms = record.time_ms;
	}
	if (end == 0)
		return -EAGAIN;
	moment->next_ms = ft_journal_next(bytes, length, &end, &record) ? record.time_ms : 0;
	if (moment->next_ms > 0)
		end -= FT_JOURNAL_HEAD + record.length;
	for (at = 0; r == 0 && at < end;) {
		if (!ft_journal_next(bytes, length, &at, &record))
			return -EAGAIN;
		r = record_apply(state, &record);
	}
	if (r == 0 && !state->source)
		r = -EBADMSG;
	return r == -ENOMEM ? r : r < 0 ? -EAGAIN : 0;
}

/* The newest file that has the moment. */
static int files_look(const char *directory, const struct ft_journal_files *files, int64_t time_ms, struct state *state,
		      struct ft_archive_moment *moment)
{
	int64_t next_ms = 0;
	int trouble = -ERANGE;

	for (size_t i = files->count; i-- > 0;) {
		_cleanup_free_ char *bytes = NULL;
		size_t length;
		int r = ft_journal_read(directory, prefix, files->numbers[i], FILE_MOST, &bytes, &length);

		/* Removed since: it was the oldest. */
		if (r == -ENOENT)
			break;
		if (r == -ENOMEM)
			return r;
		/* What cannot be read hides nothing that is older. */
		if (r < 0) {
			trouble = r;
			continue;
		}
		state_begin(state, RAW_MAX);
		r = file_look(bytes, length, time_ms, state, moment);
		if (r == 0 && moment->next_ms == 0)
			moment->next_ms = next_ms;
		if (r != -EAGAIN)
			return r;
		if (moment->next_ms > 0)
			next_ms = moment->next_ms;
	}
	moment->next_ms = next_ms;
	return trouble;
}

int ft_archive_at(const char *directory, int64_t time_ms, struct ft_snapshot **ret_snapshot,
		  struct ft_archive_moment *ret_moment, struct ft_error *err)
{
	_cleanup_(ft_journal_files_release) struct ft_journal_files files = {0};
	_cleanup_(state_release) struct state state = {0};
	struct ft_archive_moment moment = {0};
	struct ft_error why = {0};
	int r = ft_journal_list(directory, prefix, &files);

	if (r < 0)
		return ft_error_set(err, r, 0, 0, "%s: %s", directory, strerror(-r));
	if (files.count == 0)
		return ft_error_set(err, -ENOENT, 0, 0, "%s: there is no history of the fabric", directory);
	r = files_look(directory, &files, time_ms, &state, &moment);
	*ret_moment = moment;
	if (r == -ERANGE)
		return ft_error_set(err, r, 0, 0, "%s: the history begins later", directory);
	if (r == 0)
		r = state_restore(&state, ret_snapshot, &why);
	return r < 0 ? ft_error_set(err, r, 0, 0, "%s: %s", directory, why.text[0] ? why.text : strerror(-r)) : 0;
}
