/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/design/design_parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "planner/plan/catalog.h"
#include "planner/family/family.h"
#include "planner/family/rules.h"

enum {
	SHOWN_VALUE_MAX = 60,
	NAME_MAX_BYTES = 200, /* of what comes from a catalog */
};

bool ft_design_tier_is_open(const struct ft_design *design, enum ft_tier tier)
{
	const struct ft_design_role *role = &design->roles[tier];

	if ((tier == FT_TIER_SPINE && design->levels < 3) || role->count == 0 ||
	    (tier != FT_TIER_EDGE && (design->topology == FT_TOPOLOGY_STAR || design->topology == FT_TOPOLOGY_GRAPH)) ||
	    (design->topology == FT_TOPOLOGY_GRAPH && !design->family))
		return false;
	return !ft_pinned(role->ports) || role->model;
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

/* A name in an object of the "plan", checked as names of the design are. @ret_name is the file's; NULL: there is none.
 */
static int name_from_plan(const struct ft_key_reader *reader, const json_t *object, const char *key,
			  const char **ret_name)
{
	static const struct ft_key rule = {.max = NAME_MAX_BYTES};
	struct ft_key_at at = {.parent = object, .key = key, .value = json_object_get(object, key), .rule = &rule};
	int r;

	*ret_name = NULL;
	if (!json_is_string(at.value))
		return 0;
	r = ft_key_check_string(reader, &at);
	if (r == 0)
		*ret_name = json_string_value(at.value);
	return r;
}

static int name_copy(const struct ft_key_reader *reader, const json_t *object, const char *key, char **ret_copy)
{
	const char *name;
	int r;

	r = name_from_plan(reader, object, key, &name);
	if (r < 0 || !name)
		return r;
	*ret_copy = strdup(name);
	return *ret_copy ? 0 : -ENOMEM;
}

/* What stands at @key of a tier of the "plan" is not what the design gives, which is @given (taken over). */
static int tier_difference(const struct ft_key_reader *reader, const json_t *chosen, enum ft_tier tier, const char *key,
			   json_t *given)
{
	struct ft_key_at at = {.parent = chosen, .key = key, .value = json_object_get(chosen, key)};
	char path[64];
	int r;

	snprintf(path, sizeof(path), "plan.%s.%s", ft_tier_name(tier), key);
	r = given ? plan_difference(reader, &at, path, given) : -ENOMEM;
	json_decref(given);
	return r;
}

/*
 * One tier, as the "plan" says that it was chosen. A design may name the entry of the catalog or one population of it.
 * Returns 1, 0 if it does not say, -EINVAL where the design says otherwise, or -ENOMEM.
 */
static int tier_from_plan(const struct ft_key_reader *reader, const json_t *chosen, enum ft_tier tier,
			  const struct ft_design_role *given, struct ft_design_role *role)
{
	const json_t *ports = json_object_get(chosen, "ports");
	const char *model, *family;
	int r;

	r = name_from_plan(reader, chosen, "model", &model);
	if (r == 0)
		r = name_from_plan(reader, chosen, "family", &family);
	if (r < 0)
		return r;
	if (!model || !json_is_integer(ports) || json_integer_value(ports) < 2 ||
	    json_integer_value(ports) > FT_DIRECTOR_PORTS_MAX)
		return 0;
	if (given->model && !ft_model_is(model, family, given->model))
		return tier_difference(reader, chosen, tier, "model", json_string(given->model));
	if (ft_pinned(given->ports) && given->ports != json_integer_value(ports))
		return tier_difference(reader, chosen, tier, "ports", json_integer(given->ports));
	role->ports = (uint32_t)json_integer_value(ports);
	role->director |= json_is_true(json_object_get(chosen, "director"));
	if (role->director)
		ft_design_inside_from_plan(chosen, role);
	role->model = strdup(model);
	return role->model ? 1 : -ENOMEM;
}

/* Figures that only a catalog knows, by their keys in the "plan". */
static const struct {
	enum ft_metric metric;
	size_t offset; /* in struct ft_plan */
} catalog_figures[] = {
	{FT_METRIC_COST, offsetof(struct ft_plan, cost)},
	{FT_METRIC_POWER_W, offsetof(struct ft_plan, power_w)},
	{FT_METRIC_WEIGHT_KG, offsetof(struct ft_plan, weight_kg)},
	{FT_METRIC_SIZE_U, offsetof(struct ft_plan, size_u)},
};

static int64_t *figure_of(struct ft_plan *plan, size_t row)
{
	return (int64_t *)((char *)plan + catalog_figures[row].offset);
}

/* The row of catalog_figures, or -ENOENT. */
static int figure_find(enum ft_metric metric)
{
	for (size_t i = 0; i < FT_COUNT(catalog_figures); i++)
		if (catalog_figures[i].metric == metric)
			return (int)i;
	return -ENOENT;
}

/* The limits that the computed plan can be judged by. */
static int limits_choose(const struct ft_design *design, struct ft_design *chosen)
{
	chosen->limit_count = 0;
	chosen->limits = calloc(design->limit_count + 1, sizeof(*chosen->limits));
	if (!chosen->limits)
		return -ENOMEM;
	for (size_t i = 0; i < design->limit_count; i++)
		if (figure_find(design->limits[i].metric) < 0)
			chosen->limits[chosen->limit_count++] = design->limits[i];
	return 0;
}

/* Every tier that the design leaves open. Returns 1, 0 if one is not in the "plan", or -errno. */
static int roles_from_plan(const struct ft_key_reader *reader, const json_t *plan, const struct ft_design *design,
			   struct ft_design *chosen)
{
	struct ft_design asked = *design;

	/* A star has no other tiers, whatever else is said of them. */
	asked.topology = chosen->topology;
	asked.family = chosen->family;
	for (enum ft_tier tier = FT_TIER_EDGE; tier < FT_TIER_COUNT; tier++) {
		int r;

		if (!ft_design_tier_is_open(&asked, tier))
			continue;
		r = tier_from_plan(reader, json_object_get(plan, ft_tier_name(tier)), tier, &design->roles[tier],
				   &chosen->roles[tier]);
		if (r <= 0)
			return r;
	}
	return 1;
}

/* What was chosen besides the switches by figures of the catalog. */
static void pods_from_plan(const json_t *plan, struct ft_design *chosen)
{
	const json_t *pods = json_object_get(json_object_get(plan, "pods"), "count_max");

	if (!ft_pinned(chosen->pods) && json_is_integer(pods) && json_integer_value(pods) > 0 &&
	    json_integer_value(pods) <= FT_SWITCHES_MAX)
		chosen->pods = (uint32_t)json_integer_value(pods);
}

void ft_design_chosen_release(struct ft_design *chosen)
{
	for (int tier = 0; tier < FT_TIER_COUNT; tier++)
		free(chosen->roles[tier].model);
	free(chosen->limits);
}

int ft_design_choose_from_plan(const struct ft_key_reader *reader, const struct ft_design *design,
			       struct ft_design *ret_chosen)
{
	const json_t *plan = json_object_get(reader->json.root, "plan");
	const char *topology = json_string_value(json_object_get(plan, "topology"));
	bool star = topology && strcmp(topology, "star") == 0;
	struct ft_design chosen = *design;
	int r;

	if (!plan)
		return 0;
	chosen.any = false;
	if (design->any && topology)
		chosen.family = ft_family_find(topology);
	if (chosen.family)
		chosen.topology = FT_TOPOLOGY_GRAPH;
	else if (design->topology == FT_TOPOLOGY_AUTO)
		chosen.topology = star ? FT_TOPOLOGY_STAR : FT_TOPOLOGY_FAT_TREE;
	for (int tier = 0; tier < FT_TIER_COUNT; tier++)
		chosen.roles[tier].model = NULL;
	r = limits_choose(design, &chosen);
	if (r == 0)
		r = roles_from_plan(reader, plan, design, &chosen);
	if (r <= 0) {
		ft_design_chosen_release(&chosen);
		return r;
	}
	pods_from_plan(plan, &chosen);
	if (chosen.family)
		chosen.label = json_string_value(json_object_get(plan, "dims"));
	*ret_chosen = chosen;
	return 1;
}

/*
 * Figures of the catalog, as the file has them: decimals of three digits at most behind the point, which a long double
 * holds exactly.
 */
static int64_t amount_from_plan(const json_t *plan, const char *key)
{
	const json_t *value = json_object_get(plan, key);
	double amount = json_number_value(value);

	if (!json_is_number(value) || amount < 0 || amount > (double)(INT64_MAX / FT_AMOUNT_UNIT / 2))
		return FT_AMOUNT_UNKNOWN;
	return (int64_t)((long double)amount * FT_AMOUNT_UNIT + 0.5L);
}

/* A figure that the file does not know is not judged: the catalog of then may be asked with --catalog. */
static int limit_check(const struct ft_key_reader *reader, const struct ft_limit *limit, struct ft_plan *plan)
{
	int row = figure_find(limit->metric);
	struct ft_quantity value = ft_quantity_amount(row < 0 ? FT_AMOUNT_UNKNOWN : *figure_of(plan, (size_t)row));
	_cleanup_(ft_text_release) struct ft_text key = {0}, shown = {0};
	struct ft_key_at at = {.parent = json_object_get(reader->json.root, "limits")};
	int order;

	if (!ft_quantity_known(value))
		return 0;
	order = ft_quantity_compare(value, limit->bound);
	if (limit->is_max ? order <= 0 : order >= 0)
		return 0;
	ft_text_printf(&key, "%s_%s", limit->is_max ? "max" : "min", ft_metric_name(limit->metric));
	ft_quantity_add(&shown, value);
	if (ft_text_failed(&key) || ft_text_failed(&shown))
		return -ENOMEM;
	at.key = ft_text_string(&key);
	return ft_key_error(reader, &at, "is not kept to: \"plan.%s\" is %s", ft_metric_name(limit->metric),
			    ft_text_string(&shown));
}

static int amounts_from_plan(const struct ft_key_reader *reader, const json_t *given, const struct ft_design *design,
			     struct ft_plan *plan)
{
	for (size_t i = 0; i < FT_COUNT(catalog_figures); i++)
		*figure_of(plan, i) = amount_from_plan(given, ft_metric_name(catalog_figures[i].metric));
	for (size_t i = 0; i < design->limit_count; i++) {
		int r = limit_check(reader, &design->limits[i], plan);

		if (r < 0)
			return r;
	}
	return 0;
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

static int chassis_from_plan(const struct ft_key_reader *reader, const json_t *given, struct ft_plan *plan)
{
	const json_t *chassis = json_object_get(given, "chassis");

	plan->blade_servers = count_from_plan(chassis, "servers");
	plan->blade_size_u = count_from_plan(chassis, "size_u");
	plan->blade_rack_chassis = count_from_plan(chassis, "rack_chassis");
	return name_copy(reader, chassis, "pass_through", &plan->blade_pass_through);
}

/* What the switch of a tier is, where the "plan" has its model. */
static int family_from_plan(const struct ft_key_reader *reader, const json_t *given, enum ft_tier tier,
			    struct ft_plan *plan)
{
	if (!plan->models[tier])
		return 0;
	return name_copy(reader, json_object_get(given, ft_tier_name(tier)), "family", &plan->families[tier]);
}

int ft_design_figures_from_plan(const struct ft_key_reader *reader, const struct ft_design *design,
				struct ft_plan *plan)
{
	const json_t *given = json_object_get(reader->json.root, "plan");
	int r;

	r = amounts_from_plan(reader, given, design, plan);
	if (r == 0)
		r = name_copy(reader, given, "catalog", &plan->catalog);
	for (enum ft_tier tier = FT_TIER_EDGE; r == 0 && tier < FT_TIER_COUNT; tier++) {
		boards_from_plan(given, design, tier, plan);
		r = family_from_plan(reader, given, tier, plan);
	}
	return r < 0 ? r : chassis_from_plan(reader, given, plan);
}

/*
 * Compares a "plan" of the file with the computed one: existing members must agree. Absent ones are accepted, so that
 * files written before a key was introduced stay valid. The recursion is no deeper than the computed plan is.
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
