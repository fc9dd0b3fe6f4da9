/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/design_parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "planner/rules.h"

enum { SHOWN_VALUE_MAX = 60 };

bool ft_design_tier_is_open(const struct ft_design *design, enum ft_tier tier)
{
	const struct ft_design_role *role = &design->roles[tier];

	if ((tier == FT_TIER_SPINE && design->levels < 3) || role->count == 0 ||
	    (tier != FT_TIER_EDGE && design->topology == FT_TOPOLOGY_STAR))
		return false;
	return !ft_pinned(role->ports) || role->model;
}

/* One tier, as the "plan" of the file says that it was chosen. */
static int tier_from_plan(const json_t *plan, enum ft_tier tier, struct ft_design_role *role)
{
	const json_t *chosen = json_object_get(plan, ft_tier_name(tier));
	const json_t *ports = json_object_get(chosen, "ports"), *model = json_object_get(chosen, "model");

	if (!json_is_integer(ports) || json_integer_value(ports) < 2 ||
	    json_integer_value(ports) > FT_DIRECTOR_PORTS_MAX)
		return 0;
	role->ports = (uint32_t)json_integer_value(ports);
	role->director = json_is_true(json_object_get(chosen, "director"));
	if (!json_is_string(model))
		return 0;
	free(role->model);
	role->model = strdup(json_string_value(model));
	return role->model ? 0 : -ENOMEM;
}

/* What was chosen by figures of the catalog besides the switches. Limits on these were kept to then. */
static void choice_from_plan(struct ft_design *design, const json_t *plan, bool star)
{
	const json_t *pods = json_object_get(json_object_get(plan, "pods"), "count_max");

	if (design->topology == FT_TOPOLOGY_AUTO)
		design->topology = star ? FT_TOPOLOGY_STAR : FT_TOPOLOGY_FAT_TREE;
	if (!ft_pinned(design->pods) && json_is_integer(pods) && json_integer_value(pods) > 0 &&
	    json_integer_value(pods) <= FT_SWITCHES_MAX)
		design->pods = (uint32_t)json_integer_value(pods);
	design->limit_count = 0;
}

int ft_design_choose_from_plan(const json_t *root, struct ft_design *design)
{
	const json_t *plan = json_object_get(root, "plan");
	const char *topology = json_string_value(json_object_get(plan, "topology"));
	bool star = topology && strcmp(topology, "star") == 0;

	if (!plan)
		return 0;
	for (enum ft_tier tier = FT_TIER_EDGE; tier < FT_TIER_COUNT; tier++) {
		int r;

		if (!ft_design_tier_is_open(design, tier) || (star && tier != FT_TIER_EDGE))
			continue;
		r = tier_from_plan(plan, tier, &design->roles[tier]);
		if (r < 0)
			return r;
		if (!ft_pinned(design->roles[tier].ports))
			return 0;
	}
	choice_from_plan(design, plan, star);
	return 1;
}

/* Figures of the catalog, as the file has them. */
static int64_t amount_from_plan(const json_t *plan, const char *key)
{
	const json_t *value = json_object_get(plan, key);
	double amount = json_number_value(value);

	if (!json_is_number(value) || amount < 0 || amount > 1e12)
		return FT_AMOUNT_UNKNOWN;
	return (int64_t)(amount * FT_AMOUNT_UNIT + 0.5);
}

/* The boards that a tier's switches do without: how many slots there are is only in the blocking that this makes. */
static void boards_from_plan(const json_t *given, const struct ft_design *design, enum ft_tier tier,
			     struct ft_plan *plan)
{
	const json_t *chosen = json_object_get(given, ft_tier_name(tier));
	uint32_t boards = design->roles[tier].fabric_boards;
	struct ft_ratio inside;
	int64_t slots;

	if (!boards || !plan->models[tier] || !json_object_get(chosen, "fabric_boards") ||
	    ft_design_ratio(json_object_get(chosen, "internal_blocking"), &inside) < 0)
		return;
	slots = boards * inside.num;
	if (slots % inside.den != 0 || slots / inside.den <= boards || slots / inside.den > FT_DIRECTOR_PORTS_MAX)
		return;
	plan->fabric_boards[tier] = boards;
	plan->fabric_boards_max[tier] = (uint32_t)(slots / inside.den);
}

static uint32_t count_from_plan(const json_t *object, const char *key)
{
	json_int_t count = json_integer_value(json_object_get(object, key));

	return count > 0 && count <= FT_SWITCHES_MAX ? (uint32_t)count : 0;
}

static int chassis_from_plan(const json_t *given, struct ft_plan *plan)
{
	const json_t *chassis = json_object_get(given, "chassis");
	const json_t *pass_through = json_object_get(chassis, "pass_through");

	plan->blade_servers = count_from_plan(chassis, "servers");
	plan->blade_size_u = count_from_plan(chassis, "size_u");
	plan->blade_rack_chassis = count_from_plan(chassis, "rack_chassis");
	if (!json_is_string(pass_through))
		return 0;
	plan->blade_pass_through = strdup(json_string_value(pass_through));
	return plan->blade_pass_through ? 0 : -ENOMEM;
}

int ft_design_figures_from_plan(const json_t *root, const struct ft_design *design, struct ft_plan *plan)
{
	const json_t *given = json_object_get(root, "plan");

	plan->cost = amount_from_plan(given, "cost");
	plan->power_w = amount_from_plan(given, "power_w");
	plan->weight_kg = amount_from_plan(given, "weight_kg");
	plan->size_u = amount_from_plan(given, "size_u");
	for (enum ft_tier tier = FT_TIER_EDGE; tier < FT_TIER_COUNT; tier++)
		boards_from_plan(given, design, tier, plan);
	return chassis_from_plan(given, plan);
}

/* A value of the file for an error message, on one line and not too long. */
static int value_show(const json_t *value, char *buffer, size_t size)
{
	_cleanup_free_ char *whole = NULL;

	if (json_is_object(value) || json_is_array(value)) {
		snprintf(buffer, size, "%s", ft_key_type_name(value));
		return 0;
	}
	whole = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
	if (!whole)
		return -ENOMEM;
	snprintf(buffer, size, "%.*s%s", SHOWN_VALUE_MAX, whole, strlen(whole) > SHOWN_VALUE_MAX ? "..." : "");
	return 0;
}

static bool scalar_equal(const json_t *a, const json_t *b)
{
	if (json_is_number(a) && json_is_number(b))
		return json_number_value(a) == json_number_value(b);
	return json_equal(a, b);
}

static int plan_difference(const struct ft_key_reader *reader, const struct ft_key_at *at, const char *path,
			   const json_t *computed)
{
	char here[SHOWN_VALUE_MAX + 8], right[SHOWN_VALUE_MAX + 8], text[FT_ERROR_TEXT_SIZE];

	if (value_show(at->value, here, sizeof(here)) < 0 || value_show(computed, right, sizeof(right)) < 0)
		return -ENOMEM;
	if (json_is_array(at->value) && json_is_array(computed))
		snprintf(text, sizeof(text), "\"%s\" has %zu entries here, but the design gives %zu", path,
			 json_array_size(at->value), json_array_size(computed));
	else
		snprintf(text, sizeof(text), "\"%s\" is %s here, but the design gives %s", path, here, right);
	if (at->key)
		return ft_json_error_value(&reader->json, reader->err, at->parent, at->key, "%s", text);
	return ft_json_error_element(&reader->json, reader->err, at->parent, at->index, "%s", text);
}

/*
 * Holds a "plan" of the file against the computed one: what is there must agree. What is not there is not missed, so
 * that files written before a key was invented stay good. The recursion is no deeper than the computed plan is.
 */
static int plan_compare(const struct ft_key_reader *reader, const struct ft_key_at *at, const char *path,
			const json_t *computed)
{
	char inner_path[128];
	const char *word;
	json_t *value;
	int r;

	if (json_is_object(at->value) && json_is_object(computed)) {
		json_object_foreach(at->value, word, value) {
			struct ft_key_at inner = {.parent = at->value, .key = word, .value = value, .rule = at->rule};
			const json_t *right = json_object_get(computed, word);

			snprintf(inner_path, sizeof(inner_path), "%s.%s", path, word);
			if (!right)
				return ft_json_error_key(&reader->json, reader->err, at->value, word,
							 "unknown key \"%s\" in \"%s\"", word, path);
			r = plan_compare(reader, &inner, inner_path, right);
			if (r < 0)
				return r;
		}
		return 0;
	}
	if (json_is_array(at->value) && json_array_size(at->value) == json_array_size(computed)) {
		for (size_t i = 0; i < json_array_size(computed); i++) {
			struct ft_key_at inner = ft_key_element(at, i);

			snprintf(inner_path, sizeof(inner_path), "%s[%zu]", path, i);
			r = plan_compare(reader, &inner, inner_path, json_array_get(computed, i));
			if (r < 0)
				return r;
		}
		if (json_is_array(computed))
			return 0;
	}
	return scalar_equal(at->value, computed) ? 0 : plan_difference(reader, at, path, computed);
}

int ft_design_check_plan(const struct ft_key_reader *reader, const struct ft_plan *plan)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};
	_cleanup_(ft_json_release) struct ft_json computed = {0};
	struct ft_key_at at = {.parent = reader->json.root, .key = "plan"};

	at.value = json_object_get(reader->json.root, "plan");
	if (!at.value)
		return 0;
	ft_plan_write_json(&text, plan, 0);
	/* Our own writing is JSON, so that only memory can be short here. */
	if (ft_text_failed(&text) || ft_json_read(text.data, text.length, &computed, NULL) < 0)
		return -ENOMEM;
	return plan_compare(reader, &at, "plan", computed.root);
}
