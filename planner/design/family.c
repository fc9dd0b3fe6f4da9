/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The keys of a design that the families of networks have: dimensions, groups, and so on. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "planner/design/design_parts.h"
#include "planner/family/family.h"

/* A list of numbers, or where @one is true one number for all. */
static int counts_read(struct ft_key_reader *reader, const struct ft_key_at *at, bool one, const struct ft_key *element,
		       uint32_t *counts, uint32_t *ret_count)
{
	struct ft_key_at list = *at;
	int r;

	list.rule = element;
	if (one && !json_is_array(at->value)) {
		*ret_count = 1;
		return ft_key_count(reader, &list, counts);
	}
	r = ft_key_expect_filled_list(reader, at);
	if (r < 0)
		return r;
	if (json_array_size(at->value) > FT_DIMENSIONS_MAX)
		return ft_key_error(reader, at, "has more than %d numbers", FT_DIMENSIONS_MAX);
	*ret_count = (uint32_t)json_array_size(at->value);
	return ft_key_read_elements(reader, &list, ft_key_count, sizeof(*counts), counts);
}

int ft_design_key_dims(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	static const struct ft_key size = {"dims", ft_key_count, 0, 1, FT_SWITCHES_MAX, NULL};
	struct ft_design *design = out;

	return counts_read(reader, at, false, &size, design->keys.dims, &design->keys.dim_count);
}

int ft_design_key_family_bundle(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	static const struct ft_key cables = {"bundle", ft_key_count, 0, 1, FT_PORTS_MAX, NULL};
	struct ft_design *design = out;

	return counts_read(reader, at, true, &cables, design->keys.bundles, &design->keys.bundle_count);
}

#define KEYS(field) offsetof(struct ft_family_keys, field)

int ft_design_key_group(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	static const struct ft_key keys[] = {
		{"routers", ft_key_count, KEYS(routers), 1, FT_SWITCHES_MAX, NULL},
		{"leafs", ft_key_count, KEYS(leafs), 1, FT_SWITCHES_MAX, NULL},
		{"spines", ft_key_count, KEYS(spines), 1, FT_SWITCHES_MAX, NULL},
		{"global", ft_key_count, KEYS(global), 0, FT_PORTS_MAX, NULL},
	};
	struct ft_design *design = out;

	return ft_key_read_part(reader, at, keys, FT_COUNT(keys), &design->keys);
}

static int group_size_read(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	static const struct ft_key keys[] = {
		{"count", ft_key_count, offsetof(struct ft_group_size, count), 1, FT_SWITCHES_MAX, "how many groups"},
		{"routers", ft_key_count, offsetof(struct ft_group_size, routers), 1, FT_SWITCHES_MAX, NULL},
		{"leafs", ft_key_count, offsetof(struct ft_group_size, leafs), 1, FT_SWITCHES_MAX, NULL},
		{"spines", ft_key_count, offsetof(struct ft_group_size, spines), 1, FT_SWITCHES_MAX, NULL},
		{"hosts", ft_key_count, offsetof(struct ft_group_size, hosts), 0, FT_PORTS_MAX, NULL},
	};
	struct ft_group_size *size = out;

	size->routers = size->leafs = size->spines = size->hosts = FT_NONE;
	return ft_key_read_part(reader, at, keys, FT_COUNT(keys), size);
}

int ft_design_key_groups(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	struct ft_design *design = out;
	struct ft_family_keys *keys = &design->keys;
	uint64_t groups = 0;
	int r;

	if (!json_is_array(at->value))
		return ft_key_count(reader, at, &keys->groups);
	r = ft_key_read_list(reader, at, group_size_read, sizeof(*keys->sizes), &keys->sizes, &keys->size_count);
	if (r < 0)
		return r;
	for (size_t i = 0; i < keys->size_count; i++)
		groups += keys->sizes[i].count;
	if (groups > FT_SWITCHES_MAX)
		return ft_key_error(reader, at, "are more than %d groups", FT_SWITCHES_MAX);
	keys->groups = (uint32_t)groups;
	return 0;
}

int ft_design_key_arrangement(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	static const char *const words[] = {
		[FT_ARRANGEMENT_ABSOLUTE] = "absolute",
		[FT_ARRANGEMENT_RELATIVE] = "relative",
		[FT_ARRANGEMENT_CIRCULANT] = "circulant",
		NULL,
	};
	struct ft_design *design = out;
	int word, r;

	r = ft_key_find_word(reader, at, words, &word);
	if (r == 0)
		design->keys.arrangement = (enum ft_arrangement)word;
	return r;
}

/* Keys that only some families have. */
static const char *const own_keys[] = {
	"dims",	     "dimensions", "bundle", "group", "groups", "arrangement", "q",
	"primitive", "degree",	   "seed",   "m",     "n",	"r",
};

/* Keys that no family has, and what they are of. */
static const struct {
	const char *name;
	const char *text;
} foreign_keys[] = {
	{"levels", "is of fat-trees"},
	{"nodes_max", "is of fat-trees, which grow by a rule"},
	{"spine", "is of fat-trees: \"edge\" is for all switches here"},
	{"core", "is of fat-trees: \"edge\" is for all switches here"},
	{"pods", "is of fat-trees"},
	{"planes", "is of fat-trees"},
	{"rings", "is of fat-trees"},
	{"classes", "is of fat-trees"},
	{"bundles", "is of fat-trees"},
	{"prefer_expandable", "is of fat-trees"},
	{"islands", "is of fat-trees"},
};

/* "torus, mesh and hypercube": the families that have the key. */
static int owners_say(const char *key, struct ft_text *text)
{
	size_t owners = 0, said = 0;

	for (size_t i = 0; i < ft_family_count; i++)
		owners += ft_family_reads(ft_families[i], key);
	for (size_t i = 0; i < ft_family_count; i++) {
		if (!ft_family_reads(ft_families[i], key))
			continue;
		ft_text_printf(text, "%s%s",
			       said == 0	    ? ""
			       : said + 1 == owners ? " and "
						    : ", ",
			       ft_families[i]->name);
		said++;
	}
	return ft_text_failed(text) ? -ENOMEM : 0;
}

static int own_keys_check(const struct ft_key_reader *reader, const struct ft_design *design)
{
	_cleanup_(ft_text_release) struct ft_text owners = {0};
	json_t *root = reader->json.root;

	for (size_t i = 0; i < FT_COUNT(own_keys); i++) {
		const char *key = own_keys[i];

		if (!json_object_get(root, key) ||
		    (design->family ? ft_family_reads(design->family, key) : strcmp(key, "bundle") == 0))
			continue;
		if (owners_say(key, &owners) < 0)
			return -ENOMEM;
		return ft_json_error_key(
			&reader->json, reader->err, root, key, "\"%s\" is of the topolog%s %s; \"topology\" is \"%s\"",
			key, strstr(ft_text_string(&owners), " and ") ? "ies" : "y", ft_text_string(&owners),
			design->family ? design->family->name
			: design->any  ? "any"
				       : ft_topology_name(design->topology));
	}
	return 0;
}

/* What a bundle of cables is between: levels of a tree, neighbours along dimensions, or routers and groups. */
static int bundle_check(const struct ft_key_reader *reader, const struct ft_design *design)
{
	static const char *const tree[] = {"edge", "spine"}, *const groups[] = {"local", "global"};
	const struct ft_key_at at = {.parent = reader->json.root, .key = "bundle"};
	const json_t *bundle = json_object_get(at.parent, at.key);
	bool grouped = design->family && ft_family_reads(design->family, "group");

	if (!design->family && json_is_array(bundle))
		return ft_key_error(reader, &at, "is a list, which is for the dimensions of a grid");
	if (grouped && !json_is_object(bundle) && bundle)
		return ft_key_error(reader, &at, "must be {\"local\": N, \"global\": N}");
	for (size_t i = 0; i < FT_COUNT(tree); i++)
		if (json_object_get(bundle, design->family ? tree[i] : groups[i]))
			return ft_key_error(reader, &at, "has \"%s\", which is of %s",
					    design->family ? tree[i] : groups[i],
					    design->family ? "fat-trees" : "networks with groups");
	if (design->family && !grouped && json_is_object(bundle))
		return ft_key_error(reader, &at, "must be a number, or a list with one number for each dimension");
	return 0;
}

static int bind_check(const struct ft_key_reader *reader, const struct ft_design *design)
{
	json_t *bind = json_object_get(reader->json.root, "bind");

	for (enum ft_tier tier = FT_TIER_SPINE; tier < FT_TIER_COUNT; tier++)
		if (json_object_get(bind, ft_tier_name(tier)))
			return ft_json_error_key(&reader->json, reader->err, bind, ft_tier_name(tier),
						 "\"%s\" is of fat-trees: \"edge\" binds all switches here",
						 ft_tier_name(tier));
	if (design->binds[FT_TIER_EDGE].match)
		return ft_json_error_value(&reader->json, reader->err, bind, "edge",
					   "\"edge\" must list the names of all switches, in the order of the plan: no "
					   "pattern says which of them is which");
	return 0;
}

/* Without "nodes", every port for hosts has one: that is known where the one layout is. */
static int keep_room(struct ft_proposal *proposal, const struct ft_layout *layout)
{
	uint64_t *room = proposal->arg;

	if (*room == 0)
		*room = layout->room;
	return 0;
}

static int nodes_settle(const struct ft_key_reader *reader, struct ft_design *design)
{
	const struct ft_design_role *edge = &design->roles[FT_TIER_EDGE];
	struct ft_error why = {0};
	struct ft_plan_blame blame = {0};
	uint64_t room = 0;
	struct ft_proposal proposal = {
		.design = design, .ports = edge->ports, .offer = keep_room, .arg = &room, .err = &why, .blame = &blame};
	int r;

	if (json_object_get(reader->json.root, "nodes"))
		return 0;
	for (size_t i = 0; i < design->host_kind_count; i++)
		room += (uint64_t)design->host_kinds[i].count * design->host_kinds[i].hosts;
	if (room > 0 && room <= FT_NODES_MAX) {
		design->nodes = design->nodes_max = (uint32_t)room;
		return 0;
	}
	room = 0;
	if (edge->ports == FT_NONE)
		return ft_json_error_key(
			&reader->json, reader->err, reader->json.root, NULL,
			"\"nodes\" is missing: how many host ports to connect; or \"ports\" of \"edge\", "
			"all of which are connected then");
	r = ft_family_propose(&proposal);
	if (r == -ENOMEM)
		return r;
	if (room > FT_NODES_MAX)
		return ft_json_error_key(&reader->json, reader->err, reader->json.root, NULL,
					 "\"nodes\" is missing, and there are ports for %" PRIu64
					 " hosts, which are more than %d",
					 room, FT_NODES_MAX);
	if (r < 0)
		return ft_design_fault(reader, &blame, why.text);
	if (room == 0)
		return ft_design_fault(reader, &proposal.reason.at,
				       proposal.reason.text[0]
					       ? proposal.reason.text
					       : "\"nodes\" is missing: how many host ports to connect");
	design->nodes = design->nodes_max = (uint32_t)room;
	return 0;
}

int ft_design_finish_family(struct ft_key_reader *reader, struct ft_design *design)
{
	json_t *root = reader->json.root;
	int r = own_keys_check(reader, design);

	if (r == 0)
		r = bundle_check(reader, design);
	if (r < 0 || !design->family)
		return r;
	if (design->keys.dim_count > 0 && design->keys.dimensions != FT_NONE &&
	    design->keys.dim_count != design->keys.dimensions)
		return ft_json_error_value(&reader->json, reader->err, root, "dimensions",
					   "\"dimensions\" is %u, but \"dims\" has %u sizes", design->keys.dimensions,
					   design->keys.dim_count);
	for (size_t i = 0; i < FT_COUNT(foreign_keys); i++)
		if (json_object_get(root, foreign_keys[i].name))
			return ft_json_error_key(&reader->json, reader->err, root, foreign_keys[i].name,
						 "\"%s\" %s; \"topology\" is \"%s\"", foreign_keys[i].name,
						 foreign_keys[i].text, design->family->name);
	r = bind_check(reader, design);
	if (r == 0)
		r = ft_design_read_group_links(reader, design);
	return r < 0 ? r : nodes_settle(reader, design);
}
