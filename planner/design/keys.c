/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/design/design_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "planner/family/classes.h"
#include "planner/family/family.h"
#include "planner/family/rules.h"

static const char *const topology_names[] = {
	[FT_TOPOLOGY_AUTO] = "auto",
	[FT_TOPOLOGY_STAR] = "star",
	[FT_TOPOLOGY_FAT_TREE] = "fat-tree",
	[FT_TOPOLOGY_GRAPH] = "graph",
	NULL,
};
static const char *const technology_names[] = {
	[FT_TECHNOLOGY_INFINIBAND] = "infiniband",
	[FT_TECHNOLOGY_ETHERNET] = "ethernet",
	NULL,
};
static const char *const fill_names[] = {
	[FT_FILL_AUTO] = "auto",
	[FT_FILL_DENSE] = "dense",
	[FT_FILL_UNIFORM] = "uniform",
	NULL,
};
static const char *const objective_names[] = {"cost", "power_w", "size_u", "weight_kg", "switches", "cables", NULL};
static const char *const tier_names[] = {
	[FT_TIER_EDGE] = "edge",
	[FT_TIER_SPINE] = "spine",
	[FT_TIER_CORE] = "core",
	NULL,
};

const char *ft_topology_name(enum ft_topology topology)
{
	return topology_names[topology];
}

const char *ft_fill_name(enum ft_fill fill)
{
	return fill_names[fill];
}

const char *ft_tier_name(enum ft_tier tier)
{
	return tier_names[tier];
}

static int key_misplaced(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	(void)out;
	return ft_json_error_key(&reader->json, reader->err, at->parent, at->key,
				 strcmp(at->key, "ports_to_nodes") == 0
					 ? "\"%s\" belongs to \"edge\": hosts hang on edge switches only"
					 : "\"%s\" belongs to lower switches: core switches are the top",
				 at->key);
}

/* "plan" is compared with the computed plan later. */
static int key_later(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	(void)out;
	return ft_key_expect_object(reader, at);
}

/* Keys that are read after all others: switches before links. */
static int key_read_last(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	(void)out;
	return ft_key_expect_filled_list(reader, at);
}

static int key_levels(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	uint32_t *levels = out;
	json_int_t value = json_integer_value(at->value);

	if (!json_is_integer(at->value) || (value != 2 && value != 3))
		return ft_key_error(reader, at, "must be 2 or 3");
	*levels = (uint32_t)value;
	return 0;
}

/* One of the words above, or a family of graphs. */
static int key_topology(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	_cleanup_free_ const char **words = calloc(FT_COUNT(topology_names) + ft_family_count + 1, sizeof(*words));
	size_t own = FT_COUNT(topology_names) - 1;
	struct ft_design *design = out;
	int word, r;

	if (!words)
		return -ENOMEM;
	memcpy(words, topology_names, own * sizeof(*words));
	for (size_t i = 0; i < ft_family_count; i++)
		words[own + i] = ft_families[i]->name;
	words[own + ft_family_count] = "any";
	r = ft_key_find_word(reader, at, words, &word);
	if (r < 0)
		return r;
	design->any = (size_t)word == own + ft_family_count;
	if ((size_t)word >= own && !design->any)
		design->family = ft_families[(size_t)word - own];
	design->topology = design->any ? FT_TOPOLOGY_AUTO : design->family ? FT_TOPOLOGY_GRAPH : (enum ft_topology)word;
	return 0;
}

static int key_technology(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	enum ft_technology *technology = out;
	int word, r;

	r = ft_key_find_word(reader, at, technology_names, &word);
	if (r == 0)
		*technology = (enum ft_technology)word;
	return r;
}

static int key_fill(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	enum ft_fill *fill = out;
	int word, r;

	r = ft_key_find_word(reader, at, fill_names, &word);
	if (r == 0)
		*fill = (enum ft_fill)word;
	return r;
}

/* The first metrics are the objectives, in the order of these words. */
static int key_objective(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	enum ft_metric *objective = out;
	struct ft_design *design = reader->owner;
	int word, r;

	r = ft_key_find_word(reader, at, objective_names, &word);
	if (r < 0)
		return r;
	*objective = (enum ft_metric)word;
	design->objective_given = true;
	return 0;
}

/* The shortest decimal that reads back as @value is what the user wrote: 2.6, not 2.600000000000000088. */
static int number_ratio(double value, struct ft_ratio *ret_ratio)
{
	char decimal[32];

	/* Numbers that would be printed with an exponent are out of bounds on either side. */
	if (value < 1)
		return ft_ratio_make(0, 1, ret_ratio);
	if (value > 1e9)
		return -ERANGE;
	snprintf(decimal, sizeof(decimal), "%.15g", value);
	if (strtod(decimal, NULL) != value)
		snprintf(decimal, sizeof(decimal), "%.17g", value);
	return ft_ratio_parse(decimal, ret_ratio);
}

int ft_design_ratio(const json_t *value, struct ft_ratio *ret_ratio)
{
	if (json_is_string(value))
		return ft_ratio_parse(json_string_value(value), ret_ratio);
	return json_is_number(value) ? number_ratio(json_number_value(value), ret_ratio) : -EINVAL;
}

static int ratio_read(const struct ft_key_reader *reader, const struct ft_key_at *at, const char *low,
		      struct ft_ratio *ret_ratio)
{
	struct ft_ratio value = {0, 1};
	int r;

	if (!json_is_string(at->value) && !json_is_number(at->value))
		return ft_key_error(reader, at, "must be a number or a ratio such as \"3:1\", not %s",
				    ft_key_type_name(at->value));
	r = ft_design_ratio(at->value, &value);
	if (r == -ERANGE)
		return ft_key_error(reader, at,
				    "is no ratio, or too large or too precise: its terms go from 1 to 1000000000");
	if (r < 0)
		return ft_key_error(reader, at, "must be a number or a ratio such as \"3:1\"");
	if (value.num < value.den)
		return ft_key_error(reader, at, "is below 1: %s would have more uplinks than %s", low,
				    strcmp(low, "a spine") == 0 ? "downlinks" : "hosts");
	*ret_ratio = value;
	return 0;
}

static int key_edge_blocking(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	struct ft_design *design = reader->owner;

	design->blocking_given = true;
	return ratio_read(reader, at, "an edge switch", out);
}

static int key_spine_blocking(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	struct ft_design *design = reader->owner;

	design->spine_blocking_given = true;
	return ratio_read(reader, at, "a spine", out);
}

/* One ratio, of the edge switches; or one a level. */
static int key_blocking(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	static const struct ft_key keys[] = {
		{"edge", key_edge_blocking, offsetof(struct ft_design, blocking), 0, 0, NULL},
		{"spine", key_spine_blocking, offsetof(struct ft_design, spine_blocking), 0, 0, NULL},
	};
	struct ft_design *design = out;

	if (json_is_object(at->value))
		return ft_key_read_object(reader, at->value, keys, FT_COUNT(keys), design);
	return key_edge_blocking(reader, at, &design->blocking);
}

static int key_nodes_max(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	struct ft_design *design = reader->owner;

	design->nodes_max_given = true;
	return ft_key_count(reader, at, out);
}

#define ROLE(field) offsetof(struct ft_design_role, field)

/* Fabric boards are of a switch that the catalog knows. */
static int role_check(const struct ft_key_reader *reader, const struct ft_key_at *at, const struct ft_design_role *role)
{
	if (role->fabric_boards && !role->model)
		return ft_json_error_value(&reader->json, reader->err, at->value, "fabric_boards",
					   "\"fabric_boards\" needs the \"model\" of a modular switch beside it");
	return 0;
}

static int role_read(struct ft_key_reader *reader, const struct ft_key_at *at, const struct ft_key *keys, size_t count,
		     struct ft_design_role *role)
{
	int r;

	r = ft_key_read_part(reader, at, keys, count, role);
	if (r == 0)
		r = role_check(reader, at, role);
	if (r == 0)
		r = ft_interfaces_check(reader, at, role->interfaces, role->ports);
	return r < 0 ? r : ft_design_finish_inside(reader, at, role);
}

static int key_host_kind(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	static const struct ft_key keys[] = {
		{"count", ft_key_count, offsetof(struct ft_host_kind, count), 1, FT_SWITCHES_MAX,
		 "how many edge switches"},
		{"hosts", ft_key_count, offsetof(struct ft_host_kind, hosts), 0, FT_DIRECTOR_PORTS_MAX,
		 "hosts of each"},
	};

	return ft_key_read_part(reader, at, keys, FT_COUNT(keys), out);
}

static int key_hosts(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	struct ft_design *design = reader->owner;

	(void)out;
	return ft_key_read_list(reader, at, key_host_kind, sizeof(*design->host_kinds), &design->host_kinds,
				&design->host_kind_count);
}

static int key_edge(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	static const struct ft_key keys[] = {
		{"ports", ft_key_count, ROLE(ports), 2, FT_DIRECTOR_PORTS_MAX, NULL},
		{"count", ft_key_count, ROLE(count), 1, FT_SWITCHES_MAX, NULL},
		{"ports_to_nodes", ft_key_count, ROLE(ports_to_nodes), 1, FT_DIRECTOR_PORTS_MAX, NULL},
		{"ports_to_core", ft_key_count, ROLE(ports_to_core), 0, FT_DIRECTOR_PORTS_MAX, NULL},
		{"hosts", key_hosts, 0, 0, 0, NULL},
		{"model", ft_key_string, ROLE(model), 0, 0, NULL},
		{"mac_table", ft_key_count, ROLE(mac_table), 1, FT_MAC_TABLE_MAX, NULL},
		{"interfaces", ft_design_key_interfaces, ROLE(interfaces), 0, 0, NULL},
		{"fabric_boards", ft_key_count, ROLE(fabric_boards), 1, FT_DIRECTOR_PORTS_MAX, NULL},
		{"inside", ft_design_key_inside, ROLE(inside), 0, 0, NULL},
		{"chassis", ft_design_key_chassis, ROLE(chassis), 0, 0, NULL},
	};

	return role_read(reader, at, keys, FT_COUNT(keys), out);
}

static int key_spine(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	static const struct ft_key keys[] = {
		{"ports", ft_key_count, ROLE(ports), 2, FT_DIRECTOR_PORTS_MAX, NULL},
		{"count", ft_key_count, ROLE(count), 1, FT_SWITCHES_MAX, NULL},
		{"ports_to_core", ft_key_count, ROLE(ports_to_core), 1, FT_DIRECTOR_PORTS_MAX, NULL},
		{"ports_to_nodes", key_misplaced, 0, 0, 0, NULL},
		{"model", ft_key_string, ROLE(model), 0, 0, NULL},
		{"mac_table", ft_key_count, ROLE(mac_table), 1, FT_MAC_TABLE_MAX, NULL},
		{"interfaces", ft_design_key_interfaces, ROLE(interfaces), 0, 0, NULL},
		{"fabric_boards", ft_key_count, ROLE(fabric_boards), 1, FT_DIRECTOR_PORTS_MAX, NULL},
		{"inside", ft_design_key_inside, ROLE(inside), 0, 0, NULL},
		{"chassis", ft_design_key_chassis, ROLE(chassis), 0, 0, NULL},
	};

	return role_read(reader, at, keys, FT_COUNT(keys), out);
}

static int key_core(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	static const struct ft_key keys[] = {
		{"ports", ft_key_count, ROLE(ports), 2, FT_DIRECTOR_PORTS_MAX, NULL},
		{"count", ft_key_count, ROLE(count), 0, FT_SWITCHES_MAX, NULL},
		{"ports_to_nodes", key_misplaced, 0, 0, 0, NULL},
		{"ports_to_core", key_misplaced, 0, 0, 0, NULL},
		{"model", ft_key_string, ROLE(model), 0, 0, NULL},
		{"mac_table", ft_key_count, ROLE(mac_table), 1, FT_MAC_TABLE_MAX, NULL},
		{"interfaces", ft_design_key_interfaces, ROLE(interfaces), 0, 0, NULL},
		{"fabric_boards", ft_key_count, ROLE(fabric_boards), 1, FT_DIRECTOR_PORTS_MAX, NULL},
		{"inside", ft_design_key_inside, ROLE(inside), 0, 0, NULL},
		{"chassis", ft_design_key_chassis, ROLE(chassis), 0, 0, NULL},
	};

	return role_read(reader, at, keys, FT_COUNT(keys), out);
}

static bool is_family(const struct ft_key_reader *reader)
{
	const char *topology = json_string_value(json_object_get(reader->json.root, "topology"));

	return topology && ft_family_find(topology);
}

/* Of an edge switch; or one a level, a dimension, or for cables within groups and between them. */
static int key_bundle(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	static const struct ft_key keys[] = {
		{"edge", ft_key_count, offsetof(struct ft_design, bundle), 1, FT_DIRECTOR_PORTS_MAX, NULL},
		{"spine", ft_key_count, offsetof(struct ft_design, spine_bundle), 1, FT_DIRECTOR_PORTS_MAX, NULL},
		{"local", ft_key_count, offsetof(struct ft_design, keys.local_bundle), 1, FT_PORTS_MAX, NULL},
		{"global", ft_key_count, offsetof(struct ft_design, keys.global_bundle), 1, FT_PORTS_MAX, NULL},
	};
	struct ft_design *design = out;

	if (json_is_object(at->value))
		return ft_key_read_object(reader, at->value, keys, FT_COUNT(keys), design);
	/* The topology may stand further down. */
	if (json_is_array(at->value) || is_family(reader))
		return ft_design_key_family_bundle(reader, at, design);
	return ft_key_count(reader, at, &design->bundle);
}

static int key_pod_size(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	static const struct ft_key keys[] = {
		{"count", ft_key_count, offsetof(struct ft_pod_size, count), 1, FT_SWITCHES_MAX, NULL},
		{"edges", ft_key_count, offsetof(struct ft_pod_size, edges), 1, FT_DIRECTOR_PORTS_MAX, NULL},
	};
	struct ft_pod_size *size = out;
	int r;

	r = ft_key_read_part(reader, at, keys, FT_COUNT(keys), size);
	if (r == 0 && (size->count == 0 || size->edges == 0))
		return ft_key_error(reader, at, "must say both: {\"count\": PODS, \"edges\": EDGE SWITCHES OF EACH}");
	return r;
}

/* A number of pods of one size, or a list of sizes. */
static int key_pods(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	struct ft_design *design = out;
	uint64_t pods = 0;
	int r;

	if (!json_is_array(at->value))
		return ft_key_count(reader, at, &design->pods);
	if (json_array_size(at->value) == 0)
		return ft_key_error(reader, at, "must name one size of pods at least");
	r = ft_key_read_list(reader, at, key_pod_size, sizeof(*design->pod_sizes), &design->pod_sizes,
			     &design->pod_size_count);
	if (r < 0)
		return r;
	for (size_t i = 0; i < design->pod_size_count; i++)
		pods += design->pod_sizes[i].count;
	if (pods > FT_SWITCHES_MAX)
		return ft_key_error(reader, at, "are more than %d pods", FT_SWITCHES_MAX);
	design->pods = (uint32_t)pods;
	return 0;
}

/* Cables between neighbours of each ring. */
static int key_rings(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	static const struct ft_key keys[] = {
		{"spine", ft_key_count, offsetof(struct ft_design, rings[FT_TIER_SPINE]), 1, FT_PORTS_MAX, NULL},
		{"core", ft_key_count, offsetof(struct ft_design, rings[FT_TIER_CORE]), 1, FT_PORTS_MAX, NULL},
	};

	if (json_object_size(at->value) == 0)
		return ft_key_error(reader, at, "must be {\"spine\": CABLES, \"core\": CABLES}, or one of the two");
	return ft_key_read_object(reader, at->value, keys, FT_COUNT(keys), out);
}

/* The bound of a limit, in the unit of its metric. */
static int limit_bound(const struct ft_key_reader *reader, const struct ft_key_at *at, struct ft_quantity *ret_bound)
{
	enum { LIMIT_MAX = 1000000000 };
	double value = json_number_value(at->value);

	if (json_is_string(at->value)) {
		struct ft_ratio ratio;

		if (ft_ratio_parse(json_string_value(at->value), &ratio) < 0)
			return ft_key_error(reader, at, "must be a number, or a ratio such as \"3:1\"");
		*ret_bound = (struct ft_quantity){ratio.num, ratio.den};
		return 0;
	}
	if (!json_is_number(at->value))
		return ft_key_error(reader, at, "must be a number, not %s", ft_key_type_name(at->value));
	if (value < 0 || value > (double)LIMIT_MAX * FT_AMOUNT_UNIT)
		return ft_key_error(reader, at, "must be 0 to %d", LIMIT_MAX);
	if (json_is_integer(at->value)) {
		*ret_bound = ft_quantity_count(json_integer_value(at->value));
		return 0;
	}
	/* Decimal fractions are what the user wrote: thousandths are as fine as any figure of the catalog. */
	*ret_bound = ft_quantity_amount((int64_t)(value * FT_AMOUNT_UNIT + 0.5));
	return 0;
}

static int limit_read(const struct ft_key_reader *reader, const struct ft_key_at *at, struct ft_limit *limit)
{
	const char *prefix = strncmp(at->key, "max_", 4) == 0 ? "max_" : "min_";
	_cleanup_(ft_text_release) struct ft_text list = {0};
	int metric;

	metric = strncmp(at->key, prefix, 4) == 0 ? ft_metric_find(at->key + 4) : -EINVAL;
	if (metric < 0) {
		for (int i = 0; i < FT_METRIC_COUNT; i++)
			ft_text_printf(&list, "%s%s", i ? ", " : "", ft_metric_name((enum ft_metric)i));
		return ft_json_error_key(&reader->json, reader->err, at->parent, at->key,
					 "unknown limit \"%s\": a limit is max_ or min_ and one of %s", at->key,
					 ft_text_string(&list));
	}
	limit->metric = (enum ft_metric)metric;
	limit->is_max = at->key[1] == 'a';
	return limit_bound(reader, at, &limit->bound);
}

static int key_limits(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	struct ft_design *design = out;
	const char *word;
	json_t *value;
	int r;

	r = ft_key_expect_object(reader, at);
	if (r < 0)
		return r;
	design->limits = calloc(json_object_size(at->value) + 1, sizeof(*design->limits));
	if (!design->limits)
		return -ENOMEM;
	json_object_foreach(at->value, word, value) {
		struct ft_key_at inner = {.parent = at->value, .key = word, .value = value, .rule = at->rule};

		r = limit_read(reader, &inner, &design->limits[design->limit_count]);
		if (r < 0)
			return r;
		design->limit_count++;
	}
	return 0;
}

static int key_bundles(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	static const struct ft_key keys[] = {
		{"multiple", ft_key_count, offsetof(struct ft_design, spread_multiple), 1, FT_PORTS_MAX, NULL},
	};
	struct ft_design *design = out;
	const char *word = json_string_value(at->value);

	if (word && strcmp(word, "even") == 0) {
		design->spread = FT_SPREAD_EVEN;
		return 0;
	}
	if (word && strcmp(word, "thick") == 0) {
		design->spread = FT_SPREAD_THICK;
		return 0;
	}
	if (!json_is_object(at->value) || (json_object_size(at->value) == 0))
		return ft_key_error(reader, at, "must be \"even\", \"thick\" or {\"multiple\": N}");
	design->spread = FT_SPREAD_MULTIPLE;
	return ft_key_read_object(reader, at->value, keys, FT_COUNT(keys), design);
}

#define DESIGN(field) offsetof(struct ft_design, field)

/* The technology may stand further down. */
static int key_rate(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	const char *technology = json_string_value(json_object_get(reader->json.root, "technology"));

	if (technology && strcmp(technology, technology_names[FT_TECHNOLOGY_ETHERNET]) == 0)
		return ft_json_error_key(&reader->json, reader->err, at->parent, at->key,
					 "\"rate\" is of InfiniBand alone, and \"technology\" is \"ethernet\"");
	return ft_design_key_rate(reader, at, out);
}

static const struct ft_key design_keys[] = {
	{"ftcheck", ft_key_version, 0, 0, 0, NULL},
	{"name", ft_key_string, DESIGN(name), 0, 0, NULL},
	{"technology", key_technology, DESIGN(technology), 0, 0, NULL},
	{"topology", key_topology, 0, 0, 0, NULL},
	{"levels", key_levels, DESIGN(levels), 0, 0, NULL},
	{"nodes", ft_key_count, DESIGN(nodes), 1, FT_NODES_MAX, NULL},
	{"nodes_max", key_nodes_max, DESIGN(nodes_max), 1, FT_NODES_MAX, NULL},
	{"blocking", key_blocking, 0, 0, 0, NULL},
	{"edge", key_edge, DESIGN(roles[FT_TIER_EDGE]), 0, 0, NULL},
	{"core", key_core, DESIGN(roles[FT_TIER_CORE]), 0, 0, NULL},
	{"spine", key_spine, DESIGN(roles[FT_TIER_SPINE]), 0, 0, NULL},
	{"pods", key_pods, 0, 1, FT_SWITCHES_MAX, NULL},
	{"planes", ft_key_count, DESIGN(planes), 1, FT_DIRECTOR_PORTS_MAX, NULL},
	{"rings", key_rings, 0, 0, 0, NULL},
	{"dims", ft_design_key_dims, 0, 0, 0, NULL},
	{"dimensions", ft_key_count, DESIGN(keys.dimensions), 1, FT_DIMENSIONS_MAX, NULL},
	{"group", ft_design_key_group, 0, 0, 0, NULL},
	{"groups", ft_design_key_groups, 0, 1, FT_SWITCHES_MAX, NULL},
	{"arrangement", ft_design_key_arrangement, 0, 0, 0, NULL},
	{"q", ft_key_count, DESIGN(keys.q), 2, FT_PORTS_MAX, NULL},
	{"primitive", ft_key_count, DESIGN(keys.primitive), 1, FT_PORTS_MAX, NULL},
	{"degree", ft_key_count, DESIGN(keys.degree), 2, FT_PORTS_MAX, NULL},
	{"seed", ft_key_count, DESIGN(keys.seed), 0, 1000000000, NULL},
	{"m", ft_key_count, DESIGN(keys.m), 1, FT_SWITCHES_MAX, NULL},
	{"n", ft_key_count, DESIGN(keys.n), 1, FT_DIRECTOR_PORTS_MAX, NULL},
	{"r", ft_key_count, DESIGN(keys.r), 1, FT_SWITCHES_MAX, NULL},
	{"bundle", key_bundle, 0, 1, FT_DIRECTOR_PORTS_MAX, NULL},
	{"bundles", key_bundles, 0, 0, 0, NULL},
	{"fill", key_fill, DESIGN(fill), 0, 0, NULL},
	{"prefer_expandable", ft_key_bool, DESIGN(prefer_expandable), 0, 0, NULL},
	{"objective", key_objective, DESIGN(objective), 0, 0, NULL},
	{"limits", key_limits, 0, 0, 0, NULL},
	{"rate", key_rate, 0, 0, 0, NULL},
	{"bind", ft_design_key_bind, DESIGN(binds), 0, 0, NULL},
	{"classes", ft_design_key_classes, 0, 0, 0, NULL},
	{"islands", ft_design_key_islands, 0, 0, 0, NULL},
	{"switches", key_read_last, 0, 0, 0, NULL},
	{"links", key_read_last, 0, 0, 0, NULL},
	{"links_file", ft_key_string, DESIGN(links_file), 0, 4095, NULL},
	{"cables", ft_design_key_cables, 0, 0, 0, NULL},
	{"cables_complete", ft_key_bool, DESIGN(cables_complete), 0, 0, NULL},
	{"hosts", ft_design_key_hosts, 0, 0, 0, NULL},
	{"macs", ft_design_key_macs, 0, 0, 0, NULL},
	{"vlans", ft_key_bool, DESIGN(vlans), 0, 0, NULL},
	{"vlan_first", ft_key_count, DESIGN(vlan_first), 1, 4094, NULL},
	{"contradictions", ft_design_key_contradictions, 0, 0, 0, NULL},
	{"names", ft_design_key_names, 0, 0, 0, NULL},
	{"why", ft_key_notes, 0, 0, 0, NULL},
	{"expect", ft_design_key_expect, DESIGN(expect), 0, 0, NULL},
	{"phases", ft_design_key_phases, 0, 0, 0, NULL},
	{"accepted", ft_design_key_accepted, 0, 0, 0, NULL},
	{"plan", key_later, 0, 0, 0, NULL},
};

/* Mandatory keys, and their error messages. */
static const struct {
	const char *name;
	const char *text;
	bool of_trees; /* a graph has other keys for it, and families need not say it */
} required_keys[] = {
	{"ftcheck", "\"ftcheck\": 1 is missing: the version of the format", false},
	{"name", "\"name\" is missing: the fabric's name", false},
	{"nodes", "\"nodes\" is missing: how many host ports to connect", true},
};

/* Keys for Ethernet only. */
static int technology_check(const struct ft_key_reader *reader, const struct ft_design *design)
{
	static const char *const words[] = {"macs", "vlans", "vlan_first"};
	json_t *root = reader->json.root;

	if (design->technology == FT_TECHNOLOGY_ETHERNET)
		return 0;
	for (size_t i = 0; i < FT_COUNT(words); i++)
		if (json_object_get(root, words[i]))
			return ft_json_error_key(&reader->json, reader->err, root, words[i],
						 "\"%s\" is of Ethernet: \"technology\": \"ethernet\" is missing",
						 words[i]);
	for (enum ft_tier tier = FT_TIER_EDGE; tier < FT_TIER_COUNT; tier++)
		if (design->roles[tier].mac_table)
			return ft_json_error_key(
				&reader->json, reader->err, json_object_get(root, ft_tier_name(tier)), "mac_table",
				"\"mac_table\" is of Ethernet: \"technology\": \"ethernet\" is missing");
	return 0;
}

/* A Clos network of Ethernet switches is made of one sort of them, where the design does not say more. */
static int technology_finish(struct ft_design *design)
{
	const struct ft_design_role *edge = &design->roles[FT_TIER_EDGE];

	if (design->technology != FT_TECHNOLOGY_ETHERNET || design->topology == FT_TOPOLOGY_GRAPH ||
	    !ft_pinned(edge->ports) || edge->model)
		return 0;
	for (enum ft_tier tier = FT_TIER_SPINE; tier < FT_TIER_COUNT; tier++) {
		struct ft_design_role *role = &design->roles[tier];

		if (ft_pinned(role->ports) || role->model)
			continue;
		role->ports = edge->ports;
		role->mac_table = role->mac_table ? role->mac_table : edge->mac_table;
		if (role->interfaces || !edge->interfaces)
			continue;
		role->interfaces = strdup(edge->interfaces);
		if (!role->interfaces)
			return -ENOMEM;
	}
	return 0;
}

/* Keys for trees of three levels only. */
static int levels_check(const struct ft_key_reader *reader, const struct ft_design *design)
{
	static const char *const words[] = {"spine", "pods", "planes"};
	json_t *root = reader->json.root;

	if (design->levels == 3 && design->topology == FT_TOPOLOGY_STAR)
		return ft_json_error_value(&reader->json, reader->err, root, "levels",
					   "\"levels\" is of fat-trees; \"topology\" is \"star\"");
	if (design->levels == 3)
		return 0;
	for (size_t i = 0; i < FT_COUNT(words); i++)
		if (json_object_get(root, words[i]))
			return ft_json_error_key(&reader->json, reader->err, root, words[i],
						 "\"%s\" is of a fat-tree of three levels: \"levels\": 3 is missing",
						 words[i]);
	if (ft_pinned(design->spine_bundle))
		return ft_json_error_value(&reader->json, reader->err, root, "bundle",
					   "\"bundle\" of spines is of a fat-tree of three levels: \"levels\": 3 is "
					   "missing");
	return 0;
}

static int rings_check(const struct ft_key_reader *reader, const struct ft_design *design)
{
	json_t *root = reader->json.root, *rings = json_object_get(root, "rings");

	if (!rings || (design->topology == FT_TOPOLOGY_FAT_TREE && design->levels == 3))
		return 0;
	if (design->topology == FT_TOPOLOGY_AUTO)
		return ft_json_error_key(&reader->json, reader->err, root, "rings",
					 "\"rings\" is of fat-trees: \"topology\": \"fat-tree\" is missing");
	if (design->topology != FT_TOPOLOGY_FAT_TREE)
		return ft_json_error_key(&reader->json, reader->err, root, "rings",
					 "\"rings\" is of fat-trees; \"topology\" is \"%s\"",
					 ft_topology_name(design->topology));
	if (json_object_get(rings, "spine"))
		return ft_json_error_key(&reader->json, reader->err, rings, "spine",
					 "\"spine\" of \"rings\" is of a fat-tree of three levels: \"levels\": 3 is "
					 "missing");
	return 0;
}

/* What "hosts" of "edge" say of all edges must be what the rest of the design says. */
static int host_kinds_check(const struct ft_key_reader *reader, struct ft_design *design)
{
	const json_t *edge = json_object_get(reader->json.root, "edge");
	struct ft_design_role *role = &design->roles[FT_TIER_EDGE];
	uint64_t edges = 0, hosts = 0;

	if (design->host_kind_count == 0)
		return 0;
	for (size_t i = 0; i < design->host_kind_count; i++) {
		edges += design->host_kinds[i].count;
		hosts += (uint64_t)design->host_kinds[i].count * design->host_kinds[i].hosts;
	}
	hosts += ft_classes_upper_hosts(design);
	if (hosts != design->nodes)
		return ft_json_error_value(&reader->json, reader->err, edge, "hosts",
					   "\"hosts\" are %" PRIu64 " in all, but nodes is %u", hosts, design->nodes);
	if (edges > FT_SWITCHES_MAX || (ft_pinned(role->count) && edges != role->count))
		return ft_json_error_value(&reader->json, reader->err, edge, "hosts",
					   "\"hosts\" are of %" PRIu64 " edge switches, but edge.count is %u", edges,
					   ft_pinned(role->count) ? role->count : FT_SWITCHES_MAX);
	role->count = (uint32_t)edges;
	return 0;
}

int ft_design_parse(struct ft_key_reader *reader, struct ft_design *design)
{
	json_t *root = reader->json.root;
	int r;

	if (!json_is_object(root))
		return ft_json_error_key(&reader->json, reader->err, root, NULL, "a design is one JSON object, not %s",
					 ft_key_type_name(root));
	reader->owner = design;
	r = ft_key_read_object(reader, root, design_keys, FT_COUNT(design_keys), design);
	if (r < 0)
		return r;
	r = ft_design_finish_graph(reader, design);
	if (r == 0)
		r = ft_design_finish_family(reader, design);
	if (r < 0)
		return r;
	for (size_t i = 0; i < FT_COUNT(required_keys); i++)
		if (!json_object_get(root, required_keys[i].name) &&
		    !(required_keys[i].of_trees && design->topology == FT_TOPOLOGY_GRAPH))
			return ft_json_error_key(&reader->json, reader->err, root, NULL, "%s", required_keys[i].text);
	if (!design->nodes_max_given)
		design->nodes_max = design->nodes;
	r = host_kinds_check(reader, design);
	if (r == 0)
		r = levels_check(reader, design);
	if (r == 0)
		r = rings_check(reader, design);
	if (r == 0)
		r = technology_check(reader, design);
	if (r == 0)
		r = technology_finish(design);
	return r < 0 ? r : ft_design_check_classes(reader, design);
}
