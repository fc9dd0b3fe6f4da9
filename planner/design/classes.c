/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The key "classes" of a design: switches that are unlike the rest of their tier. */
#include "planner/design/design_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "planner/family/classes.h"

void ft_design_classes_release(struct ft_design *design)
{
	for (size_t i = 0; i < design->class_count; i++) {
		free(design->classes[i].bundles);
		free(design->classes[i].uplink_rates.rates);
		free(design->classes[i].host_rates.rates);
		ft_pattern_free(design->classes[i].match);
	}
	free(design->classes);
}

static int key_tier(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	static const char *const names[] = {"edge", "spine", "core", NULL};
	enum ft_tier *tier = out;
	int word, r;

	r = ft_key_find_word(reader, at, names, &word);
	if (r == 0)
		*tier = (enum ft_tier)word;
	return r;
}

/* A number for each upper switch, or one for all. */
static int key_bundle(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	static const struct ft_key element = {"bundle", ft_key_count, 0, 0, FT_DIRECTOR_PORTS_MAX, NULL};
	struct ft_design_class *class = out;
	struct ft_key_at list = *at;
	size_t count = json_is_array(at->value) ? json_array_size(at->value) : 1;
	int r = json_is_array(at->value) ? ft_key_expect_filled_list(reader, at) : 0;

	if (r < 0)
		return r;
	class->bundles = calloc(count, sizeof(*class->bundles));
	if (!class->bundles)
		return -ENOMEM;
	class->bundle_count = count;
	class->bundle_each = !json_is_array(at->value);
	if (class->bundle_each)
		return ft_key_count(reader, at, class->bundles);
	list.rule = &element;
	return ft_key_read_elements(reader, &list, ft_key_count, sizeof(*class->bundles), class->bundles);
}

/* As the design's "rate". */
static int key_rate(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	struct ft_design_class *class = out;

	return ft_design_read_rates(reader, at, &class->uplink_rates, &class->host_rates);
}

static int key_match(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	return ft_design_read_pattern(reader, at, ft_pattern_compile, out);
}

/* What the keys of one class say together. */
static int class_check(const struct ft_key_reader *reader, const struct ft_key_at *at,
		       const struct ft_design_class *class)
{
	static const char *const upward[] = {"ports_to_core", "bundle"};
	uint64_t cables = 0;

	for (size_t i = 0; i < FT_COUNT(upward); i++)
		if (class->tier == FT_TIER_CORE && json_object_get(at->value, upward[i]))
			return ft_json_error_key(&reader->json, reader->err, at->value, upward[i],
						 "\"%s\" belongs to lower switches: core switches are the top",
						 upward[i]);
	for (size_t i = 0; i < class->bundle_count; i++)
		cables += class->bundles[i];
	if (class->bundle_count > 0 && !class->bundle_each && ft_pinned(class->ports_to_core) &&
	    cables != class->ports_to_core)
		return ft_json_error_value(&reader->json, reader->err, at->value, "bundle",
					   "\"bundle\" is %" PRIu64 " cable%s in all, but \"ports_to_core\" is %u",
					   cables, ft_text_s(cables), class->ports_to_core);
	if (class->bundle_each && ft_pinned(class->ports_to_core))
		return ft_json_error_key(
			&reader->json, reader->err, at->value, "ports_to_core",
			"\"ports_to_core\" follows from \"bundle\", one number for all upper switches: "
			"leave one of the two out");
	return 0;
}

static int key_class(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	static const struct ft_key keys[] = {
		{"tier", key_tier, offsetof(struct ft_design_class, tier), 0, 0, NULL},
		{"count", ft_key_count, offsetof(struct ft_design_class, count), 1, FT_SWITCHES_MAX,
		 "how many switches, the last of their tier"},
		{"ports", ft_key_count, offsetof(struct ft_design_class, ports), 2, FT_PORTS_MAX, NULL},
		{"ports_to_core", ft_key_count, offsetof(struct ft_design_class, ports_to_core), 0,
		 FT_DIRECTOR_PORTS_MAX, NULL},
		{"hosts", ft_key_count, offsetof(struct ft_design_class, hosts), 0, FT_DIRECTOR_PORTS_MAX, NULL},
		{"bundle", key_bundle, 0, 1, FT_DIRECTOR_PORTS_MAX, NULL},
		{"rate", key_rate, 0, 0, 0, NULL},
		{"match", key_match, offsetof(struct ft_design_class, match), 0, 0, NULL},
	};
	struct ft_design_class *class = out;
	int r;

	*class = (struct ft_design_class){
		.tier = FT_TIER_EDGE, .ports = FT_NONE, .ports_to_core = FT_NONE, .hosts = FT_NONE};
	r = ft_key_read_part(reader, at, keys, FT_COUNT(keys), class);
	return r < 0 ? r : class_check(reader, at, class);
}

int ft_design_key_classes(struct ft_key_reader *reader, const struct ft_key_at *at, void *out)
{
	struct ft_design *design = out;

	return ft_key_read_list(reader, at, key_class, sizeof(*design->classes), &design->classes,
				&design->class_count);
}

/* Switches of each tier as built, where the design says that. */
static int counts_check(const struct ft_key_reader *reader, const struct ft_design *design)
{
	const json_t *list = json_object_get(reader->json.root, "classes");
	uint64_t counts[FT_TIER_COUNT] = {0};

	for (size_t i = 0; i < design->class_count; i++) {
		const struct ft_design_class *class = &design->classes[i];
		uint32_t pinned = design->roles[class->tier].count;

		counts[class->tier] += class->count;
		if (counts[class->tier] < (ft_pinned(pinned) ? pinned : FT_SWITCHES_MAX))
			continue;
		return ft_json_error_element(
			&reader->json, reader->err, list, i,
			"element %zu of \"classes\" leaves no %s switch like the rest: classes take %" PRIu64
			", and there are %u",
			i + 1, ft_tier_name(class->tier), counts[class->tier],
			ft_pinned(pinned) ? pinned : FT_SWITCHES_MAX);
	}
	return 0;
}

static int hosts_check(const struct ft_key_reader *reader, const struct ft_design *design)
{
	const json_t *list = json_object_get(reader->json.root, "classes");
	uint64_t hosts = 0;

	for (size_t i = 0; i < design->class_count; i++) {
		const struct ft_design_class *class = &design->classes[i];

		if (!ft_pinned(class->hosts))
			continue;
		if (class->tier == FT_TIER_EDGE && design->host_kind_count > 0)
			return ft_json_error_key(
				&reader->json, reader->err, json_array_get(list, i), "hosts",
				"\"hosts\" of \"edge\" say already how many hosts each edge switch has");
		hosts += (uint64_t) class->count * class->hosts;
		if (hosts > design->nodes)
			return ft_json_error_element(&reader->json, reader->err, list, i,
						     "element %zu of \"classes\" makes %" PRIu64
						     " hosts with those before, but nodes is %u",
						     i + 1, hosts, design->nodes);
	}
	return 0;
}

int ft_design_check_classes(const struct ft_key_reader *reader, const struct ft_design *design)
{
	const json_t *root = reader->json.root, *list = json_object_get(root, "classes");
	int r;

	if (design->class_count == 0)
		return 0;
	if (design->topology == FT_TOPOLOGY_STAR)
		return ft_json_error_key(&reader->json, reader->err, root, "classes",
					 "\"classes\" is of fat-trees; \"topology\" is \"star\"");
	for (size_t i = 0; i < design->class_count; i++) {
		const struct ft_design_class *class = &design->classes[i];

		if (class->tier == FT_TIER_SPINE && design->levels < 3)
			return ft_json_error_value(&reader->json, reader->err, json_array_get(list, i), "tier",
						   "\"tier\" is \"spine\", but a tree of two levels has no spines");
		if (ft_pinned(class->ports) &&
		    (design->roles[class->tier].director ||
		     (ft_pinned(design->roles[class->tier].ports) && design->roles[class->tier].ports > FT_PORTS_MAX)))
			return ft_json_error_value(&reader->json, reader->err, json_array_get(list, i), "ports",
						   "\"ports\": the %s switches are directors, which are all alike",
						   ft_tier_name(class->tier));
	}
	r = counts_check(reader, design);
	return r < 0 ? r : hosts_check(reader, design);
}
