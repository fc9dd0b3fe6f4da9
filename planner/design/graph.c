/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The keys "switches" and "links" of a design whose topology is a graph. They are read once all keys of the file are
 * known, switches first, whatever their order in the file.
 */
#include "planner/design/graph.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/map.h"
#include "base/numbers.h"
#include "base/text.h"
#include "planner/family/family.h"
#include "planner/family/groups.h"
#include "planner/family/rules.h"
#include "planner/plan/name_ranges.h"

enum {
	NAME_SIZE_MAX = 64, /* IBTA Vol 1, NodeDescription: 64 bytes */
	KIND_SIZE_MAX = 32,
	KINDS_MAX = 64,
};

void ft_design_graph_release(struct ft_design_graph *graph)
{
	for (uint32_t i = 0; i < graph->switch_count; i++) {
		free(graph->switches[i].name);
		free(graph->switches[i].interfaces);
	}
	for (uint32_t i = 0; i < graph->kind_count; i++)
		free(graph->kinds[i]);
	free(graph->switches);
	free(graph->kinds);
	free(graph->links);
	*graph = (struct ft_design_graph){0};
}

static void reading_release(struct ft_graph_reading *g)
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
	char *interfaces;
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

static int switch_add(struct ft_graph_reading *g, const struct ft_key_at *at, char **name,
		      const struct ft_graph_switch *like)
{
	struct ft_design_graph *graph = g->graph;
	uint32_t index = graph->switch_count;
	int r;

	if (strlen(*name) > NAME_SIZE_MAX)
		return ft_key_error(g->reader, at,
				    "names \"%s\", which is longer than the %d bytes of a node description", *name,
				    NAME_SIZE_MAX);
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
	graph->switches[index].interfaces = like->interfaces ? strdup(like->interfaces) : NULL;
	graph->switch_count++;
	return like->interfaces && !graph->switches[index].interfaces ? -ENOMEM : 0;
}

static int entry_check(struct ft_graph_reading *g, const struct ft_key_at *at, const struct switches_entry *entry)
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

static int switches_take(struct ft_graph_reading *g, const struct ft_key_at *at, struct switches_entry *entry)
{
	struct ft_graph_switch like = {
		.ports = entry->ports,
		.hosts = entry->hosts,
		.guid = entry->guid,
		.group = FT_NONE,
		.interfaces = entry->interfaces,
	};
	int r = entry_check(g, at, entry);

	if (r == 0)
		r = ft_interfaces_check(g->reader, at, entry->interfaces, entry->ports);

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
		{"interfaces", ft_design_key_interfaces, offsetof(struct switches_entry, interfaces), 0, 0, NULL},
	};
	struct switches_entry entry = {.names.max = FT_SWITCHES_MAX};
	int r;

	r = ft_key_read_part(reader, at, keys, FT_COUNT(keys), &entry);
	if (r == 0)
		r = switches_take(out, at, &entry);
	ft_name_ranges_release(&entry.names);
	free(entry.kind);
	free(entry.interfaces);
	return r;
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
	{"rings", "is of fat-trees"},
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

static const char *const graph_keys[] = {"switches", "links", "links_file"};

static int keys_check(const struct ft_key_reader *reader, const struct ft_design *design, bool graph)
{
	json_t *root = reader->json.root;

	for (size_t i = 0; !graph && i < FT_COUNT(graph_keys); i++)
		if (json_object_get(root, graph_keys[i]) &&
		    !(design->family && ft_family_reads(design->family, graph_keys[i])))
			return ft_json_error_key(&reader->json, reader->err, root, graph_keys[i],
						 "\"%s\" is of graphs%s: \"topology\": \"graph\" is missing",
						 graph_keys[i], i > 0 ? ", dragonflies and dragonflies+" : "");
	for (size_t i = 0; graph && i < FT_COUNT(refused_keys); i++)
		if (json_object_get(root, refused_keys[i].name))
			return ft_json_error_key(&reader->json, reader->err, root, refused_keys[i].name,
						 "\"%s\" %s; \"topology\" is \"graph\"", refused_keys[i].name,
						 refused_keys[i].text);
	return 0;
}

static int nodes_settle(const struct ft_graph_reading *g, struct ft_design *design)
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
	_cleanup_(reading_release) struct ft_graph_reading g = {.reader = reader, .graph = &design->graph};
	const json_t *root = reader->json.root;
	static const struct ft_key rule = {.name = "switches"};
	const struct ft_key_at switches = {
		.parent = root, .key = "switches", .value = json_object_get(root, "switches"), .rule = &rule};
	bool graph = design->topology == FT_TOPOLOGY_GRAPH && !design->family;
	int r = keys_check(reader, design, graph);

	if (r < 0)
		return r;
	if (json_object_get(root, "links") && json_object_get(root, "links_file"))
		return ft_json_error_key(&reader->json, reader->err, root, "links_file",
					 "\"links\" and \"links_file\" say the same: leave one of the two out");
	if (!graph)
		return 0;
	if (!switches.value)
		return ft_json_error_key(&reader->json, reader->err, root, NULL,
					 "\"switches\" is missing: the switches of the graph");
	/* A list of cables says as much. */
	if (!json_object_get(root, "links") && !json_object_get(root, "links_file") && !json_object_get(root, "cables"))
		return ft_json_error_key(&reader->json, reader->err, root, NULL,
					 "\"links\" is missing: the cables between the switches");
	r = ft_key_read_elements(reader, &switches, switches_read_one, 0, &g);
	if (r == 0)
		r = nodes_settle(&g, design);
	return r < 0 ? r : ft_graph_read_links(&g, design);
}

/* ---- between groups ---- */

/* What listed links leave no room for. */
static int group_keys_check(const struct ft_key_reader *reader, const struct ft_design *design, const char *links)
{
	json_t *root = reader->json.root;
	uint64_t switches = ft_groups_switches(&design->keys);

	if (json_object_get(root, "arrangement"))
		return ft_json_error_key(
			&reader->json, reader->err, root, "arrangement",
			"\"arrangement\" deals cables between groups by a rule, and \"%s\" lists them: "
			"leave one of the two out",
			links);
	if (ft_pinned(design->keys.global_bundle))
		return ft_json_error_value(&reader->json, reader->err, json_object_get(root, "bundle"), "global",
					   "\"global\" multiplies cables between groups, and \"%s\" counts them: leave "
					   "one of the two out",
					   links);
	if (switches == 0)
		return ft_json_error_key(&reader->json, reader->err, root, links,
					 "\"%s\" needs \"groups\" and the switches of \"group\"", links);
	if (switches > FT_SWITCHES_MAX)
		return ft_json_error_key(&reader->json, reader->err, root, "groups",
					 "\"groups\" have %" PRIu64 " switches in all; at most %d are possible",
					 switches, FT_SWITCHES_MAX);
	if (ft_groups_pairs_inside(&design->keys) > FT_FAMILY_CABLES_MAX)
		return ft_json_error_key(&reader->json, reader->err, root, "groups",
					 "\"groups\" have more than %d cables between switches", FT_FAMILY_CABLES_MAX);
	return 0;
}

/* Ports of each switch, of which the cables within its group take some. */
static void group_ports_set(struct ft_design_graph *graph, const struct ft_design *design)
{
	uint32_t ports = design->roles[FT_TIER_EDGE].ports;

	for (uint32_t i = 0; i < graph->switch_count; i++)
		graph->switches[i].ports = ft_pinned(ports) ? ports : FT_PORTS_MAX;
	for (uint32_t i = 0; i < graph->link_count; i++) {
		graph->switches[graph->links[i].a].hosts += graph->links[i].count;
		graph->switches[graph->links[i].b].hosts += graph->links[i].count;
	}
}

/* The most of them at one switch are its "global", unless that is said, and enough. */
static int global_settle(const struct ft_graph_reading *g, struct ft_design *design)
{
	const json_t *group = json_object_get(g->reader->json.root, "group");
	uint32_t most = 0;

	for (uint32_t i = 0; i < g->graph->switch_count; i++) {
		uint32_t cables = g->load[i] - g->graph->switches[i].hosts;

		if (ft_pinned(design->keys.global) && cables > design->keys.global)
			return ft_json_error_value(
				&g->reader->json, g->reader->err, group, "global",
				"\"global\" is %u, but the links give \"%s\" %u cables to other groups",
				design->keys.global, g->labels[i], cables);
		most = cables > most ? cables : most;
	}
	if (!ft_pinned(design->keys.global))
		design->keys.global = most;
	return 0;
}

/* Each group has to be joined to the first, if by way of others: hosts reach hosts. Union-find, O(links). */
static int groups_joined_check(const struct ft_graph_reading *g, const struct ft_design *design, const char *key)
{
	const struct ft_design_graph *graph = g->graph;
	_cleanup_free_ uint32_t *parent = malloc((graph->switch_count + 1UL) * sizeof(*parent));
	bool end;

	if (!parent)
		return -ENOMEM;
	ft_number_begin(parent, graph->switch_count);
	for (uint32_t i = 0; i < graph->link_count; i++)
		ft_number_join(parent, ft_groups_place(&design->keys, graph->links[i].a, &end),
			       ft_groups_place(&design->keys, graph->links[i].b, &end));
	for (uint32_t i = 0; i < graph->switch_count; i++) {
		uint32_t group = ft_groups_place(&design->keys, i, &end);

		if (ft_number_root(parent, group) != ft_number_root(parent, 0))
			return ft_json_error_key(&g->reader->json, g->reader->err, g->reader->json.root, key,
						 "\"%s\" joins group %u (\"%s\" and others) to no group that the first "
						 "is joined to",
						 key, group, g->labels[i]);
	}
	return 0;
}

int ft_design_read_group_links(struct ft_key_reader *reader, struct ft_design *design)
{
	const char *key = design->links_file ? "links_file" : "links";
	struct ft_design_graph *graph = &design->graph;
	_cleanup_(reading_release) struct ft_graph_reading g = {
		.reader = reader, .graph = graph, .groups = &design->keys};
	int r;

	if (!json_object_get(reader->json.root, key))
		return 0;
	r = group_keys_check(reader, design, key);
	if (r == 0)
		r = ft_family_groups(design->family, &design->keys, graph);
	if (r < 0)
		return r;
	group_ports_set(graph, design);
	graph->link_count = 0;
	free(graph->links);
	graph->links = NULL;
	r = ft_graph_read_links(&g, design);
	if (r == 0)
		r = global_settle(&g, design);
	if (r == 0)
		r = groups_joined_check(&g, design, key);
	design->keys.links = graph->links;
	design->keys.link_count = graph->link_count;
	return r;
}
