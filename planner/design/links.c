/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The cables of a design whose topology is a graph, or those between the groups of a dragonfly: the key "links", or a
 * table of comma-separated values in a file beside the design.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/text.h"
#include "planner/design/graph.h"
#include "planner/family/groups.h"
#include "planner/plan/name_ranges.h"
#include "planner/site/sheet_parts.h"

enum {
	LINKS_MAX = 4000000, /* pairs of switches, as in a tree */
	FILE_SIZE_MAX = 256 << 20,
};

enum { COLUMN_A, COLUMN_B, COLUMN_COUNT, COLUMNS };
static const char *const column_names[COLUMNS] = {"a", "b", "count"};

/* The cables of each of some switches to each of others. */
struct links_entry {
	struct ft_name_ranges ends[2];
	uint32_t count;
};

/* Where an entry stands: in the list of the design, or in a row of the file. */
struct place {
	const struct ft_key_at *at;	   /* NULL: in the file */
	const char *file;		   /* its name, as in the design */
	const struct ft_sheet_cell *cells; /* [COLUMNS] */
};

/* For a file, the message has the place; its own place is that of the design's "links_file". */
static int complain_file(const struct ft_graph_reading *g, const struct place *place, unsigned int column,
			 const char *text)
{
	const struct ft_key_at at = {.parent = g->reader->json.root, .key = "links_file"};
	const struct ft_sheet_cell *cell = &place->cells[column];

	return ft_key_error(g->reader, &at, "is %s:%u:%u: %s", place->file, cell->line, cell->column, text);
}

/* About the entry as a whole. */
__attribute__((format(printf, 3, 4))) static int complain(const struct ft_graph_reading *g, const struct place *place,
							  const char *format, ...)
{
	char text[FT_ERROR_TEXT_SIZE], row[FT_ERROR_TEXT_SIZE];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (place->at)
		return ft_key_error(g->reader, place->at, "%s", text);
	snprintf(row, sizeof(row), "this row %.*s", (int)sizeof(row) - 16, text);
	return complain_file(g, place, COLUMN_A, row);
}

/* About one of its ends, or its count. */
__attribute__((format(printf, 4, 5))) static int
complain_of(const struct ft_graph_reading *g, const struct place *place, unsigned int column, const char *format, ...)
{
	char text[FT_ERROR_TEXT_SIZE], cell[FT_ERROR_TEXT_SIZE];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (place->at) {
		const struct ft_key_at at = {.parent = place->at->value, .key = column_names[column]};

		return ft_key_error(g->reader, &at, "%s", text);
	}
	snprintf(cell, sizeof(cell), "\"%s\" %.*s", column_names[column], (int)sizeof(cell) - 16, text);
	return complain_file(g, place, column, cell);
}

/* ---- one entry ---- */

static int link_compare(const void *one, const void *other)
{
	const struct ft_graph_link *x = one, *y = other;

	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	return (x->b > y->b) - (x->b < y->b);
}

static int end_find(const struct ft_graph_reading *g, const struct place *place, unsigned int end, const char *name,
		    uint32_t *ret_index)
{
	uint32_t near = 0;
	int r;

	*ret_index = ft_names_find_exact(&g->index, name);
	if (*ret_index != FT_NONE)
		return 0;
	r = ft_names_find(&g->index, name, &near, NULL);
	if (r == -ENOMEM)
		return r;
	if (r == 1)
		return complain_of(g, place, end, "names \"%s\", which is %s; did you mean \"%s\"?", name,
				   g->groups ? "no switch of the groups" : "not in \"switches\"", g->labels[near]);
	if (g->groups)
		return complain_of(g, place, end, "names \"%s\", which is no switch of the groups: the first is \"%s\"",
				   name, g->labels[0]);
	return complain_of(g, place, end, "names \"%s\", which is not in \"switches\"", name);
}

/* Cables between groups are at spines, or at any router. */
static int end_check(const struct ft_graph_reading *g, const struct place *place, unsigned int end, uint32_t index)
{
	bool is_end = true;

	if (g->groups)
		ft_groups_place(g->groups, index, &is_end);
	return is_end ? 0
		      : complain_of(g, place, end, "names \"%s\": cables between groups are at spines",
				    g->labels[index]);
}

/* The switches that one end of an entry names; the caller frees @ret_indices. */
static int ends_find(const struct ft_graph_reading *g, const struct place *place, unsigned int end,
		     const struct ft_name_ranges *names, uint32_t **ret_indices)
{
	_cleanup_free_ uint32_t *indices = calloc(names->count + 1, sizeof(*indices));
	int r = indices ? 0 : -ENOMEM;

	for (size_t i = 0; r == 0 && i < names->count; i++) {
		r = end_find(g, place, end, names->names[i], &indices[i]);
		if (r == 0)
			r = end_check(g, place, end, indices[i]);
	}
	if (r == 0)
		*ret_indices = FT_STEAL(indices);
	return r;
}

/* Each of @a with each of @b, but none with itself; a pair is there once. Returns how many. */
static size_t pairs_make(const uint32_t *a, size_t a_count, const uint32_t *b, size_t b_count, uint32_t cables,
			 struct ft_graph_link *links)
{
	size_t count = 0, kept = 0;

	for (size_t i = 0; i < a_count; i++)
		for (size_t k = 0; k < b_count; k++) {
			uint32_t low = a[i] < b[k] ? a[i] : b[k], high = a[i] < b[k] ? b[k] : a[i];

			if (low == high)
				continue;
			links[count] = (struct ft_graph_link){.a = low, .b = high, .count = cables};
			count++;
		}
	qsort(links, count, sizeof(*links), link_compare);
	for (size_t i = 0; i < count; i++)
		if (kept == 0 || link_compare(&links[kept - 1], &links[i]) != 0)
			links[kept++] = links[i];
	return kept;
}

static int ports_take(struct ft_graph_reading *g, const struct place *place, uint32_t index, uint32_t count)
{
	const struct ft_graph_switch *sw = &g->graph->switches[index];

	g->load[index] += count;
	if (g->load[index] <= sw->ports)
		return 0;
	return complain(g, place, "gives \"%s\" %u cable%s with those before, but %u of its %u port%s are left",
			sw->name, g->load[index] - sw->hosts, ft_text_s(g->load[index] - sw->hosts),
			sw->ports - sw->hosts, sw->ports, ft_text_s(sw->ports));
}

static int groups_check(const struct ft_graph_reading *g, const struct place *place, const struct ft_graph_link *link)
{
	bool is_end;

	if (!g->groups || ft_groups_place(g->groups, link->a, &is_end) != ft_groups_place(g->groups, link->b, &is_end))
		return 0;
	return complain(g, place, "links \"%s\" and \"%s\", which are of one group", g->labels[link->a],
			g->labels[link->b]);
}

/* Room for @more links behind those that are there. */
static int links_reserve(struct ft_graph_reading *g, size_t more)
{
	size_t needed = g->graph->link_count + more, size = g->link_size ? g->link_size : 64;
	struct ft_graph_link *links;

	if (needed <= g->link_size)
		return 0;
	while (size < needed)
		size *= 2;
	links = realloc(g->graph->links, size * sizeof(*links));
	if (!links)
		return -ENOMEM;
	g->graph->links = links;
	g->link_size = size;
	return 0;
}

static int links_take(struct ft_graph_reading *g, const struct place *place, const struct links_entry *entry)
{
	const struct ft_name_ranges *ends = entry->ends;
	_cleanup_free_ uint32_t *a = NULL, *b = NULL;
	struct ft_graph_link *links;
	size_t count = 0;
	int r;

	if ((uint64_t)ends[0].count * ends[1].count + g->graph->link_count > LINKS_MAX)
		return complain(g, place, "makes more than %d pairs of switches", LINKS_MAX);
	r = ends_find(g, place, COLUMN_A, &ends[0], &a);
	if (r == 0)
		r = ends_find(g, place, COLUMN_B, &ends[1], &b);
	if (r == 0)
		r = links_reserve(g, ends[0].count * ends[1].count);
	if (r < 0)
		return r;
	links = g->graph->links + g->graph->link_count;
	count = pairs_make(a, ends[0].count, b, ends[1].count, entry->count, links);
	if (count == 0)
		return complain(g, place, "links \"%s\" to itself", ends[0].names[0]);
	for (size_t i = 0; r == 0 && i < count; i++) {
		r = groups_check(g, place, &links[i]);
		if (r == 0)
			r = ports_take(g, place, links[i].a, links[i].count);
		if (r == 0)
			r = ports_take(g, place, links[i].b, links[i].count);
	}
	g->graph->link_count += (uint32_t)count;
	return r;
}

static void entry_release(struct links_entry *entry)
{
	ft_name_ranges_release(&entry->ends[0]);
	ft_name_ranges_release(&entry->ends[1]);
}

static const struct links_entry entry_new = {
	.ends = {{.max = FT_SWITCHES_MAX}, {.max = FT_SWITCHES_MAX}},
	.count = 1,
};

static int links_read_one(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	static const struct ft_key keys[] = {
		{"a", ft_key_name_ranges, offsetof(struct links_entry, ends[0]), 0, 0, "the switch at one end"},
		{"b", ft_key_name_ranges, offsetof(struct links_entry, ends[1]), 0, 0, "the switch at the other end"},
		{"count", ft_key_count, offsetof(struct links_entry, count), 1, FT_PORTS_MAX, NULL},
	};
	_cleanup_(entry_release) struct links_entry entry = entry_new;
	const struct place place = {.at = at};
	int r;

	r = ft_key_read_part(reader, at, keys, FT_COUNT(keys), &entry);
	return r < 0 ? r : links_take(out, &place, &entry);
}

/* ---- a file ---- */

struct table {
	struct ft_graph_reading *g;
	const char *file;
	int columns[COLUMNS]; /* FT_SHEET_NONE: there is none */
	bool headed;
};

static int header_take(struct table *t, const struct ft_sheet_record *record)
{
	const struct place place = {.file = t->file, .cells = record->cells};

	for (unsigned int c = 0; c < COLUMNS; c++) {
		t->columns[c] = FT_SHEET_NONE;
		for (int i = 0; i < record->count; i++)
			if (strcasecmp(record->cells[i].text, column_names[c]) == 0)
				t->columns[c] = i;
	}
	t->headed = true;
	if (t->columns[COLUMN_A] != FT_SHEET_NONE && t->columns[COLUMN_B] != FT_SHEET_NONE)
		return 0;
	return complain_file(t->g, &place, 0, "the first row must name the columns: a,b,count");
}

static struct ft_sheet_cell cell_of(const struct table *t, const struct ft_sheet_record *record, unsigned int column)
{
	int c = t->columns[column];

	if (c == FT_SHEET_NONE || c >= record->count)
		return (struct ft_sheet_cell){"", record->cells[0].line, 1};
	return record->cells[c];
}

static int names_read(const struct ft_graph_reading *g, const struct place *place, unsigned int end,
		      struct ft_name_ranges *names)
{
	const char *text = place->cells[end].text;
	int r = ft_name_ranges_add(names, text);

	if (text[0] == '\0')
		return complain_of(g, place, end, "is empty");
	if (r == -E2BIG)
		return complain_of(g, place, end, "is more than %zu names", names->max);
	if (r == -ENAMETOOLONG)
		return complain_of(g, place, end, "is too long");
	return r == -EINVAL ? complain_of(g, place, end, "holds no range of numbers such as [1-3,07-12]") : r;
}

static int count_read(const struct ft_graph_reading *g, const struct place *place, uint32_t *ret_count)
{
	const char *text = place->cells[COLUMN_COUNT].text;
	unsigned long count;
	char *end;

	if (text[0] == '\0')
		return 0;
	errno = 0;
	count = strtoul(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end || errno || count < 1 || count > FT_PORTS_MAX)
		return complain_of(g, place, COLUMN_COUNT, "is \"%s\"; it must be 1 to %d", text, (int)FT_PORTS_MAX);
	*ret_count = (uint32_t)count;
	return 0;
}

static int record_take(void *owner, const struct ft_sheet_record *record)
{
	struct table *t = owner;
	struct ft_sheet_cell cells[COLUMNS];
	const struct place place = {.file = t->file, .cells = cells};
	_cleanup_(entry_release) struct links_entry entry = entry_new;
	int r = 0;

	if (!t->headed)
		return header_take(t, record);
	for (unsigned int c = 0; c < COLUMNS; c++)
		cells[c] = cell_of(t, record, c);
	for (unsigned int end = 0; r == 0 && end < 2; end++)
		r = names_read(t->g, &place, end, &entry.ends[end]);
	if (r == 0)
		r = count_read(t->g, &place, &entry.count);
	return r < 0 ? r : links_take(t->g, &place, &entry);
}

static int file_read(struct ft_graph_reading *g, const struct ft_design *design)
{
	const struct ft_key_at at = {.parent = g->reader->json.root, .key = "links_file"};
	struct table table = {.g = g, .file = design->links_file};
	_cleanup_(ft_text_release) struct ft_text path = {0};
	_cleanup_free_ char *text = NULL;
	struct ft_error why = {0};
	size_t length = 0;
	int r;

	if (design->directory && design->links_file[0] != '/')
		ft_text_puts(&path, design->directory);
	ft_text_puts(&path, design->links_file);
	if (ft_text_failed(&path))
		return -ENOMEM;
	r = ft_file_read_plain(path.data, 0, FILE_SIZE_MAX, &text, &length, &why);
	if (r == 0)
		r = ft_sheet_each_record(text, length, record_take, &table, &why);
	if (r == -ENOMEM || (r < 0 && !why.text[0]))
		return r;
	if (r < 0 && why.line > 0)
		return ft_key_error(g->reader, &at, "is %s:%u:%u: %s", design->links_file, why.line, why.column,
				    why.text);
	if (r < 0)
		return ft_key_error(g->reader, &at, "is \"%s\": %s", design->links_file, why.text);
	return table.headed ? 0 : ft_key_error(g->reader, &at, "is \"%s\", which is empty", design->links_file);
}

/* ---- the whole ---- */

/* What links are looked up in. */
static int switches_index(struct ft_graph_reading *g)
{
	uint32_t count = g->graph->switch_count;

	g->labels = calloc(count + 1UL, sizeof(*g->labels));
	g->load = calloc(count + 1UL, sizeof(*g->load));
	if (!g->labels || !g->load)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		g->labels[i] = g->graph->switches[i].name;
		g->load[i] = g->graph->switches[i].hosts;
	}
	return ft_names_make(g->labels, count, &g->index);
}

/* A pair that is listed again adds up. */
static void links_merge(struct ft_design_graph *graph)
{
	uint32_t kept = 0;

	if (graph->link_count == 0)
		return;
	qsort(graph->links, graph->link_count, sizeof(*graph->links), link_compare);
	for (uint32_t i = 0; i < graph->link_count; i++) {
		if (kept > 0 && link_compare(&graph->links[kept - 1], &graph->links[i]) == 0)
			graph->links[kept - 1].count += graph->links[i].count;
		else
			graph->links[kept++] = graph->links[i];
	}
	graph->link_count = kept;
}

int ft_graph_read_links(struct ft_graph_reading *g, const struct ft_design *design)
{
	static const struct ft_key rule = {.name = "links"};
	struct ft_key_at at = {.parent = g->reader->json.root, .key = "links", .rule = &rule};
	int r = switches_index(g);

	at.value = json_object_get(at.parent, at.key);
	if (r == 0)
		r = design->links_file ? file_read(g, design)
				       : ft_key_read_elements(g->reader, &at, links_read_one, 0, g);
	if (r == 0)
		links_merge(g->graph);
	return r;
}
