/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The keys "switches" and "links" of a design whose topology is a graph. They are read once all keys of the file are
 * known, switches first, whatever their order in the file.
 */
#include "planner/design_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/map.h"
#include "base/text.h"
#include "planner/name_ranges.h"
#include "planner/names.h"
#include "planner/rules.h"

enum {
	KIND_SIZE_MAX = 32,
	KINDS_MAX = 64,
	LINKS_MAX = 4000000, /* pairs of switches, as in a tree */
};

void ft_design_graph_release(struct ft_design_graph *graph)
{
	for (uint32_t i = 0; i < graph->switch_count; i++)
		free(graph->switches[i].name);
	for (uint32_t i = 0; i < graph->kind_count; i++)
		free(graph->kinds[i]);
	free(graph->switches);
	free(graph->kinds);
	free(graph->links);
	*graph = (struct ft_design_graph){0};
}

/* A graph on its way out of a file. */
struct reading {
	struct ft_key_reader *reader;
	struct ft_design_graph *graph;
	struct ft_map names, guids; /* of switches, to their indices */
	uint64_t hosts;
	size_t switch_size, link_size; /* room in the arrays of the graph */
	const char **labels;	       /* names of the switches, for @index; not owned */
	struct ft_names index;
	uint32_t *load; /* by switch: ports that hosts and cables take */
};

static void reading_release(struct reading *g)
{
	ft_map_release(&g->names);
	ft_map_release(&g->guids);
	ft_names_release(&g->index);
	free(g->labels);
	free(g->load);
}

/* ---- switches ---- */

struct switches_entry {
	struct ft_name_ranges names;
	char *kind;
	uint32_t ports, hosts;
	uint64_t guid;
};

/* The kind of that label, which is new where it is not known yet. Returns 0, -ENOMEM, or -E2BIG: there are too many. */
static int kind_find(struct ft_design_graph *graph, const char *label, uint32_t *ret_kind)
{
	char **more;

	for (uint32_t i = 0; i < graph->kind_count; i++)
		if (strcmp(graph->kinds[i], label) == 0) {
			*ret_kind = i;
			return 0;
		}
	if (graph->kind_count == KINDS_MAX)
		return -E2BIG;
	more = realloc(graph->kinds, (graph->kind_count + 1UL) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	graph->kinds = more;
	more[graph->kind_count] = strdup(label);
	if (!more[graph->kind_count])
		return -ENOMEM;
	*ret_kind = graph->kind_count++;
	return 0;
}

static int switch_add(struct reading *g, const struct ft_key_at *at, char **name, const struct ft_graph_switch *like)
{
	struct ft_design_graph *graph = g->graph;
	uint32_t index = graph->switch_count;
	int r;

	r = ft_map_add(&g->names, ft_text_hash(*name), index, NULL);
	if (r == 0)
		return ft_key_error(g->reader, at, "names \"%s\", which is the name of another switch too", *name);
	if (r < 0)
		return r;
	if (index == g->switch_size) {
		size_t size = g->switch_size ? 2 * g->switch_size : 64;
		struct ft_graph_switch *more = realloc(graph->switches, size * sizeof(*more));

		if (!more)
			return -ENOMEM;
		graph->switches = more;
		g->switch_size = size;
	}
	graph->switches[index] = *like;
	graph->switches[index].name = FT_STEAL(*name);
	graph->switch_count++;
	return 0;
}

static int entry_check(struct reading *g, const struct ft_key_at *at, const struct switches_entry *entry)
{
	if (entry->hosts > entry->ports)
		return ft_json_error_value(&g->reader->json, g->reader->err, at->value, "hosts",
					   "\"hosts\" is %u, but \"ports\" is %u", entry->hosts, entry->ports);
	if (entry->guid && entry->names.count > 1)
		return ft_json_error_value(&g->reader->json, g->reader->err, at->value, "guid",
					   "\"guid\" is of one switch, but \"name\" is %zu names", entry->names.count);
	if (g->graph->switch_count + entry->names.count > FT_SWITCHES_MAX)
		return ft_key_error(g->reader, at, "makes more than %d switches", FT_SWITCHES_MAX);
	g->hosts += (uint64_t)entry->hosts * entry->names.count;
	if (g->hosts > FT_NODES_MAX)
		return ft_key_error(g->reader, at, "makes more than %d hosts", FT_NODES_MAX);
	return 0;
}

static int switches_take(struct reading *g, const struct ft_key_at *at, struct switches_entry *entry)
{
	struct ft_graph_switch like = {.ports = entry->ports, .hosts = entry->hosts, .guid = entry->guid};
	int r = entry_check(g, at, entry);

	if (r == 0)
		r = kind_find(g->graph, entry->kind ? entry->kind : "switch", &like.kind);
	if (r == -E2BIG)
		return ft_json_error_value(&g->reader->json, g->reader->err, at->value, "kind",
					   "\"kind\" is \"%s\", the %uth kind of switches; the most is %u", entry->kind,
					   KINDS_MAX + 1, KINDS_MAX);
	if (r == 0 && entry->guid) {
		r = ft_map_add(&g->guids, entry->guid, g->graph->switch_count, NULL);
		if (r == 0)
			return ft_json_error_value(&g->reader->json, g->reader->err, at->value, "guid",
						   "\"guid\" is 0x%016" PRIx64 ", which another switch has too",
						   entry->guid);
		r = r < 0 ? r : 0;
	}
	for (size_t i = 0; r == 0 && i < entry->names.count; i++)
		r = switch_add(g, at, &entry->names.names[i], &like);
	return r;
}

static int switches_read_one(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	static const struct ft_key keys[] = {
		{"name", ft_key_name_ranges, offsetof(struct switches_entry, names), 0, 0, "the names of the switches"},
		{"kind", ft_key_string, offsetof(struct switches_entry, kind), 0, KIND_SIZE_MAX, NULL},
		{"ports", ft_key_count, offsetof(struct switches_entry, ports), 1, FT_PORTS_MAX,
		 "how many ports each of the switches has"},
		{"hosts", ft_key_count, offsetof(struct switches_entry, hosts), 0, FT_PORTS_MAX, NULL},
		{"guid", ft_design_key_guid, offsetof(struct switches_entry, guid), 0, 0, NULL},
	};
	struct switches_entry entry = {.names.max = FT_SWITCHES_MAX};
	int r;

	r = ft_key_read_part(reader, at, keys, FT_COUNT(keys), &entry);
	if (r == 0)
		r = switches_take(out, at, &entry);
	ft_name_ranges_release(&entry.names);
	free(entry.kind);
	return r;
}

/* ---- links ---- */

struct links_entry {
	struct ft_name_ranges a, b;
	uint32_t count;
};

static int link_compare(const void *one, const void *other)
{
	const struct ft_graph_link *x = one, *y = other;

	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	return (x->b > y->b) - (x->b < y->b);
}

static int end_find(const struct reading *g, const struct ft_key_at *at, const char *key, const char *name,
		    uint32_t *ret_index)
{
	const struct ft_key_at end = {.parent = at->value, .key = key};
	uint32_t near = 0;
	int r;

	*ret_index = ft_names_find_exact(&g->index, name);
	if (*ret_index != FT_MAP_NONE)
		return 0;
	r = ft_names_find(&g->index, name, &near, NULL);
	if (r == -ENOMEM)
		return r;
	if (r == 1)
		return ft_key_error(g->reader, &end, "names \"%s\", which is not in \"switches\"; did you mean \"%s\"?",
				    name, g->labels[near]);
	return ft_key_error(g->reader, &end, "names \"%s\", which is not in \"switches\"", name);
}

/* The switches that one end of an entry names; the caller frees @ret_indices. */
static int ends_find(const struct reading *g, const struct ft_key_at *at, const char *key,
		     const struct ft_name_ranges *names, uint32_t **ret_indices)
{
	_cleanup_free_ uint32_t *indices = calloc(names->count + 1, sizeof(*indices));
	int r = indices ? 0 : -ENOMEM;

	for (size_t i = 0; r == 0 && i < names->count; i++)
		r = end_find(g, at, key, names->names[i], &indices[i]);
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
		for (size_t k = 0; k < b_count; k++)
			if (a[i] != b[k])
				links[count++] = (struct ft_graph_link){a[i] < b[k] ? a[i] : b[k],
									a[i] < b[k] ? b[k] : a[i], cables};
	qsort(links, count, sizeof(*links), link_compare);
	for (size_t i = 0; i < count; i++)
		if (kept == 0 || link_compare(&links[kept - 1], &links[i]) != 0)
			links[kept++] = links[i];
	return kept;
}

static int ports_take(struct reading *g, const struct ft_key_at *at, uint32_t index, uint32_t count)
{
	const struct ft_graph_switch *sw = &g->graph->switches[index];

	g->load[index] += count;
	if (g->load[index] <= sw->ports)
		return 0;
	return ft_key_error(g->reader, at,
			    "gives \"%s\" %u cable%s with those before, but %u of its %u port%s are left", sw->name,
			    g->load[index] - sw->hosts, ft_text_s(g->load[index] - sw->hosts), sw->ports - sw->hosts,
			    sw->ports, ft_text_s(sw->ports));
}

/* Room for @more links behind those that are there. */
static int links_reserve(struct reading *g, size_t more)
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

static int links_take(struct reading *g, const struct ft_key_at *at, const struct links_entry *entry)
{
	_cleanup_free_ uint32_t *a = NULL, *b = NULL;
	struct ft_graph_link *links;
	size_t count = 0;
	int r;

	if ((uint64_t)entry->a.count * entry->b.count + g->graph->link_count > LINKS_MAX)
		return ft_key_error(g->reader, at, "makes more than %d pairs of switches", LINKS_MAX);
	r = ends_find(g, at, "a", &entry->a, &a);
	if (r == 0)
		r = ends_find(g, at, "b", &entry->b, &b);
	if (r == 0)
		r = links_reserve(g, entry->a.count * entry->b.count);
	if (r < 0)
		return r;
	links = g->graph->links + g->graph->link_count;
	count = pairs_make(a, entry->a.count, b, entry->b.count, entry->count, links);
	if (count == 0)
		return ft_key_error(g->reader, at, "links \"%s\" to itself", entry->a.names[0]);
	for (size_t i = 0; r == 0 && i < count; i++) {
		r = ports_take(g, at, links[i].a, links[i].count);
		if (r == 0)
			r = ports_take(g, at, links[i].b, links[i].count);
	}
	g->graph->link_count += (uint32_t)count;
	return r;
}

static int links_read_one(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	static const struct ft_key keys[] = {
		{"a", ft_key_name_ranges, offsetof(struct links_entry, a), 0, 0, "the switch at one end"},
		{"b", ft_key_name_ranges, offsetof(struct links_entry, b), 0, 0, "the switch at the other end"},
		{"count", ft_key_count, offsetof(struct links_entry, count), 1, FT_PORTS_MAX, NULL},
	};
	struct links_entry entry = {.a.max = FT_SWITCHES_MAX, .b.max = FT_SWITCHES_MAX, .count = 1};
	int r;

	r = ft_key_read_part(reader, at, keys, FT_COUNT(keys), &entry);
	if (r == 0)
		r = links_take(out, at, &entry);
	ft_name_ranges_release(&entry.a);
	ft_name_ranges_release(&entry.b);
	return r;
}

/* A pair that is listed again adds up. */
static void links_merge(struct ft_design_graph *graph)
{
	uint32_t kept = 0;

	qsort(graph->links, graph->link_count, sizeof(*graph->links), link_compare);
	for (uint32_t i = 0; i < graph->link_count; i++) {
		if (kept > 0 && link_compare(&graph->links[kept - 1], &graph->links[i]) == 0)
			graph->links[kept - 1].count += graph->links[i].count;
		else
			graph->links[kept++] = graph->links[i];
	}
	graph->link_count = kept;
}

/* What links are looked up in, once all switches are known. */
static int switches_index(struct reading *g)
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

/* ---- the whole ---- */

/* Keys that say what no graph has. */
static const struct {
	const char *name;
	const char *text;
} refused_keys[] = {
	{"levels", "is of fat-trees"},
	{"nodes_max", "is of fat-trees, which grow by a rule"},
	{"blocking", "is of fat-trees"},
	{"edge", "is of fat-trees: the switches of a graph are in \"switches\""},
	{"spine", "is of fat-trees: the switches of a graph are in \"switches\""},
	{"core", "is of fat-trees: the switches of a graph are in \"switches\""},
	{"pods", "is of fat-trees"},
	{"planes", "is of fat-trees"},
	{"classes", "is of fat-trees: the switches of a graph are in \"switches\""},
	{"bundle", "is of fat-trees: the cables of a graph are in \"links\""},
	{"bundles", "is of fat-trees: the cables of a graph are in \"links\""},
	{"fill", "is of fat-trees: the hosts of a graph are in \"switches\""},
	{"prefer_expandable", "is of fat-trees"},
	{"objective", "is of fat-trees: in a graph nothing is chosen"},
	{"limits", "is of fat-trees: in a graph nothing is chosen"},
	{"islands", "is of fat-trees: in a graph all switches are in \"switches\""},
	{"bind", "is of fat-trees: a graph has names and GUIDs in \"switches\""},
};

static const char *const graph_keys[] = {"switches", "links"};

static int keys_check(const struct ft_key_reader *reader, bool graph)
{
	json_t *root = reader->json.root;

	for (size_t i = 0; !graph && i < FT_COUNT(graph_keys); i++)
		if (json_object_get(root, graph_keys[i]))
			return ft_json_error_key(&reader->json, reader->err, root, graph_keys[i],
						 "\"%s\" is of graphs: \"topology\": \"graph\" is missing",
						 graph_keys[i]);
	for (size_t i = 0; graph && i < FT_COUNT(refused_keys); i++)
		if (json_object_get(root, refused_keys[i].name))
			return ft_json_error_key(&reader->json, reader->err, root, refused_keys[i].name,
						 "\"%s\" %s; \"topology\" is \"graph\"", refused_keys[i].name,
						 refused_keys[i].text);
	return 0;
}

static int part_read(struct reading *g, const char *key,
		     int (*read)(struct ft_key_reader *reader, const struct ft_key_at *at, void *out))
{
	const struct ft_key rule = {.name = key};
	struct ft_key_at at = {.parent = g->reader->json.root, .key = key, .rule = &rule};

	at.value = json_object_get(at.parent, key);
	return ft_key_read_elements(g->reader, &at, read, 0, g);
}

static int nodes_settle(const struct reading *g, struct ft_design *design)
{
	const struct ft_key_at at = {.parent = g->reader->json.root, .key = "nodes"};

	if (json_object_get(at.parent, at.key) && design->nodes != g->hosts)
		return ft_key_error(g->reader, &at, "is %u, but \"switches\" have %" PRIu64 " host%s", design->nodes,
				    g->hosts, ft_text_s(g->hosts));
	design->nodes = design->nodes_max = (uint32_t)g->hosts;
	return 0;
}

int ft_design_finish_graph(struct ft_key_reader *reader, struct ft_design *design)
{
	_cleanup_(reading_release) struct reading g = {.reader = reader, .graph = &design->graph};
	const json_t *root = reader->json.root;
	bool graph = design->topology == FT_TOPOLOGY_GRAPH;
	int r = keys_check(reader, graph);

	if (r < 0 || !graph)
		return r;
	if (!json_object_get(root, "switches"))
		return ft_json_error_key(&reader->json, reader->err, root, NULL,
					 "\"switches\" is missing: the switches of the graph");
	/* A list of cables says as much. */
	if (!json_object_get(root, "links") && !json_object_get(root, "cables"))
		return ft_json_error_key(&reader->json, reader->err, root, NULL,
					 "\"links\" is missing: the cables between the switches");
	r = part_read(&g, "switches", switches_read_one);
	if (r == 0)
		r = nodes_settle(&g, design);
	if (r == 0)
		r = switches_index(&g);
	if (r == 0)
		r = part_read(&g, "links", links_read_one);
	if (r == 0)
		links_merge(&design->graph);
	return r;
}
