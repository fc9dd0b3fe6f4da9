/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/design.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "planner/rules.h"

enum {
	DESIGN_SIZE_MAX = 256 << 20, /* a plan of a million hosts inside it stays far below */
	NAME_SIZE_MAX = 64,	     /* IBTA Vol 1, NodeDescription: 64 bytes */
	SHOWN_VALUE_MAX = 60,
	SUGGEST_DISTANCE_MAX = 2,
};

static const char *const topology_names[] = {
	[FT_TOPOLOGY_AUTO] = "auto",
	[FT_TOPOLOGY_STAR] = "star",
	[FT_TOPOLOGY_FAT_TREE] = "fat-tree",
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

static void names_free(char **names, size_t count)
{
	for (size_t i = 0; names && i < count; i++)
		free(names[i]);
	free(names);
}

static void bind_release(struct ft_bind *bind)
{
	names_free(bind->names, bind->count);
	free(bind->guids);
	ft_pattern_free(bind->match);
}

static void expect_release(struct ft_expect *expect)
{
	names_free(expect->hosts_down_names, expect->hosts_down_name_count);
	for (size_t i = 0; i < expect->unplanned_count; i++)
		ft_pattern_free(expect->unplanned[i]);
	free(expect->unplanned);
	for (size_t i = 0; i < expect->waiver_count; i++) {
		free(expect->waivers[i].id);
		free(expect->waivers[i].why);
	}
	free(expect->waivers);
}

void ft_design_free(struct ft_design *design)
{
	if (!design)
		return;
	for (int tier = 0; tier < FT_TIER_COUNT; tier++)
		bind_release(&design->binds[tier]);
	for (int tier = 0; tier < FT_TIER_COUNT; tier++)
		free(design->roles[tier].model);
	free(design->limits);
	free(design->pod_sizes);
	expect_release(&design->expect);
	free(design->uplink_rates.rates);
	free(design->host_rates.rates);
	free(design->name);
	free(design->text);
	free(design);
}

struct reader {
	struct ft_json json;
	struct ft_design *design;
	const struct ft_catalog *catalog;
	bool plan_chose; /* the switches are those of the "plan" in the file */
	struct ft_error *err;
};

struct key;

/* One value of the file: a member of an object (@key) or an element of an array (@index). */
struct at {
	const json_t *parent;
	const char *key; /* NULL: an element */
	size_t index;
	json_t *value;
	const struct key *rule; /* of the member; an element keeps that of its array */
};

/* How one key of an object is read. */
struct key {
	const char *name;
	int (*read)(struct reader *reader, const struct at *at, void *out);
	size_t offset;		  /* of what is filled, in the struct that the table is for */
	uint32_t min, max;	  /* of a count */
	const char *const *words; /* of a word, ended by NULL; the index is stored */
};

/* Fills the reader's error with the place of @at and what follows its name, and returns -EINVAL. */
static int at_error(const struct reader *reader, const struct at *at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static int at_error(const struct reader *reader, const struct at *at, const char *format, ...)
{
	char text[FT_ERROR_TEXT_SIZE];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (at->key)
		return ft_json_error_value(&reader->json, reader->err, at->parent, at->key, "\"%s\" %s", at->key, text);
	return ft_json_error_element(&reader->json, reader->err, at->parent, at->index, "element %zu of \"%s\" %s",
				     at->index + 1, at->rule->name, text);
}

static const char *type_name(const json_t *value)
{
	static const char *const names[] = {
		[JSON_OBJECT] = "an object",
		[JSON_ARRAY] = "a list",
		[JSON_STRING] = "a string",
		[JSON_INTEGER] = "a number",
		[JSON_REAL] = "a number with a fraction",
		[JSON_TRUE] = "true",
		[JSON_FALSE] = "false",
		[JSON_NULL] = "null",
	};

	return names[json_typeof(value)];
}

static struct at at_element(const struct at *list, size_t index)
{
	return (struct at){
		.parent = list->value,
		.index = index,
		.value = json_array_get(list->value, index),
		.rule = list->rule,
	};
}

static int unknown_key(const struct reader *reader, const json_t *object, const char *word, const struct key *keys,
		       size_t count)
{
	unsigned int best = SUGGEST_DISTANCE_MAX + 1;
	const char *near = NULL;

	for (size_t i = 0; i < count; i++) {
		unsigned int distance = ft_text_distance(word, keys[i].name);

		if (distance < best && distance < strlen(keys[i].name)) {
			best = distance;
			near = keys[i].name;
		}
	}
	if (near)
		return ft_json_error_key(&reader->json, reader->err, object, word,
					 "unknown key \"%s\"; did you mean \"%s\"?", word, near);
	return ft_json_error_key(&reader->json, reader->err, object, word, "unknown key \"%s\"", word);
}

/* Reads every member of @object by the table @keys into the struct at @out. */
static int object_read(struct reader *reader, json_t *object, const struct key *keys, size_t count, void *out)
{
	const char *word;
	json_t *value;

	json_object_foreach(object, word, value) {
		const struct key *rule = keys;
		struct at at = {.parent = object, .key = word, .value = value};
		int r;

		while (rule < keys + count && strcmp(rule->name, word) != 0)
			rule++;
		if (rule == keys + count)
			return unknown_key(reader, object, word, keys, count);
		at.rule = rule;
		r = rule->read(reader, &at, (char *)out + rule->offset);
		if (r < 0)
			return r;
	}
	return 0;
}

static int expect_object(struct reader *reader, const struct at *at)
{
	if (json_is_object(at->value))
		return 0;
	return at_error(reader, at, "must be an object, not %s", type_name(at->value));
}

static int key_unsupported(struct reader *reader, const struct at *at, void *out)
{
	(void)out;
	return ft_json_error_key(&reader->json, reader->err, at->parent, at->key, "\"%s\" is not supported yet",
				 at->key);
}

static int key_misplaced(struct reader *reader, const struct at *at, void *out)
{
	(void)out;
	return ft_json_error_key(&reader->json, reader->err, at->parent, at->key,
				 strcmp(at->key, "ports_to_nodes") == 0
					 ? "\"%s\" belongs to \"edge\": hosts hang on edge switches only"
					 : "\"%s\" belongs to lower switches: core switches are the top",
				 at->key);
}

/* "plan" is held against the computed plan once that is there. */
static int key_later(struct reader *reader, const struct at *at, void *out)
{
	(void)out;
	return expect_object(reader, at);
}

static int key_count(struct reader *reader, const struct at *at, void *out)
{
	uint32_t *count = out;
	json_int_t value;

	if (!json_is_integer(at->value))
		return at_error(reader, at, "must be a whole number, not %s", type_name(at->value));
	value = json_integer_value(at->value);
	if (value < (json_int_t)at->rule->min || value > (json_int_t)at->rule->max)
		return at_error(reader, at, "is %lld; it must be %u to %u", (long long)value, at->rule->min,
				at->rule->max);
	*count = (uint32_t)value;
	return 0;
}

static int key_bool(struct reader *reader, const struct at *at, void *out)
{
	bool *yes = out;

	if (!json_is_boolean(at->value))
		return at_error(reader, at, "must be true or false, not %s", type_name(at->value));
	*yes = json_is_true(at->value);
	return 0;
}

/* A string that a terminal can be shown as it is. */
static int string_check(struct reader *reader, const struct at *at)
{
	_cleanup_free_ char *safe = NULL;
	const char *string;

	if (!json_is_string(at->value))
		return at_error(reader, at, "must be a string, not %s", type_name(at->value));
	string = json_string_value(at->value);
	if (!*string)
		return at_error(reader, at, "must not be empty");
	safe = ft_text_safe_dup(string, strlen(string));
	if (!safe)
		return -ENOMEM;
	if (strcmp(string, safe) != 0)
		return at_error(reader, at, "holds bytes that are not safe to print: \"%s\"", safe);
	return 0;
}

static int key_string(struct reader *reader, const struct at *at, void *out)
{
	char **string = out;
	int r;

	r = string_check(reader, at);
	if (r < 0)
		return r;
	*string = strdup(json_string_value(at->value));
	return *string ? 0 : -ENOMEM;
}

static int key_word(struct reader *reader, const struct at *at, void *out)
{
	_cleanup_(ft_text_release) struct ft_text list = {0};
	int *word = out;
	int i;

	if (!json_is_string(at->value))
		return at_error(reader, at, "must be a string, not %s", type_name(at->value));
	for (i = 0; at->rule->words[i]; i++) {
		if (strcmp(json_string_value(at->value), at->rule->words[i]) == 0) {
			*word = i;
			return 0;
		}
		ft_text_printf(&list, "%s\"%s\"",
			       i == 0			? ""
			       : at->rule->words[i + 1] ? ", "
							: " or ",
			       at->rule->words[i]);
	}
	return at_error(reader, at, "is \"%s\"; it must be %s", json_string_value(at->value), ft_text_string(&list));
}

static int key_version(struct reader *reader, const struct at *at, void *out)
{
	(void)out;
	if (!json_is_integer(at->value) || json_integer_value(at->value) < 1)
		return at_error(reader, at, "is the version of the format: 1");
	if (json_integer_value(at->value) > 1)
		return at_error(reader, at, "is %lld: a format newer than this program understands (1)",
				(long long)json_integer_value(at->value));
	return 0;
}

static int key_levels(struct reader *reader, const struct at *at, void *out)
{
	uint32_t *levels = out;
	json_int_t value = json_integer_value(at->value);

	if (!json_is_integer(at->value) || (value != 2 && value != 3))
		return at_error(reader, at, "must be 2 or 3");
	*levels = (uint32_t)value;
	return 0;
}

/* The first metrics are the objectives, in the order of these words. */
static int key_objective(struct reader *reader, const struct at *at, void *out)
{
	enum ft_metric *objective = out;
	int word = 0, r;

	r = key_word(reader, at, &word);
	if (r < 0)
		return r;
	*objective = (enum ft_metric)word;
	reader->design->objective_given = true;
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

static int ratio_read(struct reader *reader, const struct at *at, const char *low, struct ft_ratio *ret_ratio)
{
	struct ft_ratio value = {0, 1};
	int r;

	if (json_is_string(at->value))
		r = ft_ratio_parse(json_string_value(at->value), &value);
	else if (json_is_number(at->value))
		r = number_ratio(json_number_value(at->value), &value);
	else
		return at_error(reader, at, "must be a number or a ratio such as \"3:1\", not %s",
				type_name(at->value));
	if (r == -ERANGE)
		return at_error(reader, at,
				"is no ratio, or too large or too precise: its terms go from 1 to 1000000000");
	if (r < 0)
		return at_error(reader, at, "must be a number or a ratio such as \"3:1\"");
	if (value.num < value.den)
		return at_error(reader, at, "is below 1: %s would have more uplinks than %s", low,
				strcmp(low, "a spine") == 0 ? "downlinks" : "hosts");
	*ret_ratio = value;
	return 0;
}

static int key_edge_blocking(struct reader *reader, const struct at *at, void *out)
{
	reader->design->blocking_given = true;
	return ratio_read(reader, at, "an edge switch", out);
}

static int key_spine_blocking(struct reader *reader, const struct at *at, void *out)
{
	return ratio_read(reader, at, "a spine", out);
}

/* One ratio, of the edge switches; or one a level. */
static int key_blocking(struct reader *reader, const struct at *at, void *out)
{
	static const struct key keys[] = {
		{"edge", key_edge_blocking, offsetof(struct ft_design, blocking), 0, 0, NULL},
		{"spine", key_spine_blocking, offsetof(struct ft_design, spine_blocking), 0, 0, NULL},
	};
	struct ft_design *design = out;

	if (json_is_object(at->value))
		return object_read(reader, at->value, keys, FT_COUNT(keys), design);
	return key_edge_blocking(reader, at, &design->blocking);
}

static int key_nodes_max(struct reader *reader, const struct at *at, void *out)
{
	reader->design->nodes_max_given = true;
	return key_count(reader, at, out);
}

#define ROLE(field) offsetof(struct ft_design_role, field)

/* Fabric boards are of a switch that the catalog knows. */
static int role_check(struct reader *reader, const struct at *at, const struct ft_design_role *role)
{
	if (role->fabric_boards && !role->model)
		return ft_json_error_value(&reader->json, reader->err, at->value, "fabric_boards",
					   "\"fabric_boards\" needs the \"model\" of a modular switch beside it");
	return 0;
}

static int role_read(struct reader *reader, const struct at *at, const struct key *keys, size_t count,
		     struct ft_design_role *role)
{
	int r;

	r = expect_object(reader, at);
	if (r == 0)
		r = object_read(reader, at->value, keys, count, role);
	return r < 0 ? r : role_check(reader, at, role);
}

static int key_edge(struct reader *reader, const struct at *at, void *out)
{
	static const struct key keys[] = {
		{"ports", key_count, ROLE(ports), 2, FT_DIRECTOR_PORTS_MAX, NULL},
		{"count", key_count, ROLE(count), 1, FT_SWITCHES_MAX, NULL},
		{"ports_to_nodes", key_count, ROLE(ports_to_nodes), 1, FT_DIRECTOR_PORTS_MAX, NULL},
		{"ports_to_core", key_count, ROLE(ports_to_core), 0, FT_DIRECTOR_PORTS_MAX, NULL},
		{"model", key_string, ROLE(model), 0, 0, NULL},
		{"fabric_boards", key_count, ROLE(fabric_boards), 1, FT_DIRECTOR_PORTS_MAX, NULL},
	};

	return role_read(reader, at, keys, FT_COUNT(keys), out);
}

static int key_spine(struct reader *reader, const struct at *at, void *out)
{
	static const struct key keys[] = {
		{"ports", key_count, ROLE(ports), 2, FT_DIRECTOR_PORTS_MAX, NULL},
		{"count", key_count, ROLE(count), 1, FT_SWITCHES_MAX, NULL},
		{"ports_to_core", key_count, ROLE(ports_to_core), 1, FT_DIRECTOR_PORTS_MAX, NULL},
		{"ports_to_nodes", key_misplaced, 0, 0, 0, NULL},
		{"model", key_string, ROLE(model), 0, 0, NULL},
		{"fabric_boards", key_count, ROLE(fabric_boards), 1, FT_DIRECTOR_PORTS_MAX, NULL},
	};

	return role_read(reader, at, keys, FT_COUNT(keys), out);
}

static int key_core(struct reader *reader, const struct at *at, void *out)
{
	static const struct key keys[] = {
		{"ports", key_count, ROLE(ports), 2, FT_DIRECTOR_PORTS_MAX, NULL},
		{"count", key_count, ROLE(count), 0, FT_SWITCHES_MAX, NULL},
		{"ports_to_nodes", key_misplaced, 0, 0, 0, NULL},
		{"ports_to_core", key_misplaced, 0, 0, 0, NULL},
		{"model", key_string, ROLE(model), 0, 0, NULL},
		{"fabric_boards", key_count, ROLE(fabric_boards), 1, FT_DIRECTOR_PORTS_MAX, NULL},
	};

	return role_read(reader, at, keys, FT_COUNT(keys), out);
}

/* Of an edge switch; or one a level. */
static int key_bundle(struct reader *reader, const struct at *at, void *out)
{
	static const struct key keys[] = {
		{"edge", key_count, offsetof(struct ft_design, bundle), 1, FT_DIRECTOR_PORTS_MAX, NULL},
		{"spine", key_count, offsetof(struct ft_design, spine_bundle), 1, FT_DIRECTOR_PORTS_MAX, NULL},
	};
	struct ft_design *design = out;

	if (json_is_object(at->value))
		return object_read(reader, at->value, keys, FT_COUNT(keys), design);
	return key_count(reader, at, &design->bundle);
}

static int pod_size_read(struct reader *reader, const struct at *at, struct ft_pod_size *size)
{
	static const struct key keys[] = {
		{"count", key_count, offsetof(struct ft_pod_size, count), 1, FT_SWITCHES_MAX, NULL},
		{"edges", key_count, offsetof(struct ft_pod_size, edges), 1, FT_DIRECTOR_PORTS_MAX, NULL},
	};
	int r;

	r = expect_object(reader, at);
	if (r == 0)
		r = object_read(reader, at->value, keys, FT_COUNT(keys), size);
	if (r == 0 && (size->count == 0 || size->edges == 0))
		return at_error(reader, at, "must say both: {\"count\": PODS, \"edges\": EDGE SWITCHES OF EACH}");
	return r;
}

/* A number of pods of one size, or a list of sizes. */
static int key_pods(struct reader *reader, const struct at *at, void *out)
{
	struct ft_design *design = out;
	size_t count = json_array_size(at->value);
	uint64_t pods = 0;

	if (!json_is_array(at->value))
		return key_count(reader, at, &design->pods);
	if (count == 0)
		return at_error(reader, at, "must name one size of pods at least");
	design->pod_sizes = calloc(count, sizeof(*design->pod_sizes));
	if (!design->pod_sizes)
		return -ENOMEM;
	design->pod_size_count = count;
	for (size_t i = 0; i < count; i++) {
		struct at element = at_element(at, i);
		int r = pod_size_read(reader, &element, &design->pod_sizes[i]);

		if (r < 0)
			return r;
		pods += design->pod_sizes[i].count;
	}
	if (pods > FT_SWITCHES_MAX)
		return at_error(reader, at, "are more than %d pods", FT_SWITCHES_MAX);
	design->pods = (uint32_t)pods;
	return 0;
}

/* The bound of a limit, in the unit of its metric. */
static int limit_bound(struct reader *reader, const struct at *at, struct ft_quantity *ret_bound)
{
	enum { LIMIT_MAX = 1000000000 };
	double value = json_number_value(at->value);

	if (json_is_string(at->value)) {
		struct ft_ratio ratio;

		if (ft_ratio_parse(json_string_value(at->value), &ratio) < 0)
			return at_error(reader, at, "must be a number, or a ratio such as \"3:1\"");
		*ret_bound = (struct ft_quantity){ratio.num, ratio.den};
		return 0;
	}
	if (!json_is_number(at->value))
		return at_error(reader, at, "must be a number, not %s", type_name(at->value));
	if (value < 0 || value > (double)LIMIT_MAX * FT_AMOUNT_UNIT)
		return at_error(reader, at, "must be 0 to %d", LIMIT_MAX);
	if (json_is_integer(at->value)) {
		*ret_bound = ft_quantity_count(json_integer_value(at->value));
		return 0;
	}
	/* Decimal fractions are what the user wrote: thousandths are as fine as any figure of the catalog. */
	*ret_bound = ft_quantity_amount((int64_t)(value * FT_AMOUNT_UNIT + 0.5));
	return 0;
}

static int limit_read(struct reader *reader, const struct at *at, struct ft_limit *limit)
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

static int key_limits(struct reader *reader, const struct at *at, void *out)
{
	struct ft_design *design = out;
	const char *word;
	json_t *value;
	int r;

	r = expect_object(reader, at);
	if (r < 0)
		return r;
	design->limits = calloc(json_object_size(at->value) + 1, sizeof(*design->limits));
	if (!design->limits)
		return -ENOMEM;
	json_object_foreach(at->value, word, value) {
		struct at inner = {.parent = at->value, .key = word, .value = value, .rule = at->rule};

		r = limit_read(reader, &inner, &design->limits[design->limit_count]);
		if (r < 0)
			return r;
		design->limit_count++;
	}
	return 0;
}

static int key_bundles(struct reader *reader, const struct at *at, void *out)
{
	static const struct key keys[] = {
		{"multiple", key_count, offsetof(struct ft_design, spread_multiple), 1, FT_PORTS_MAX, NULL},
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
		return at_error(reader, at, "must be \"even\", \"thick\" or {\"multiple\": N}");
	design->spread = FT_SPREAD_MULTIPLE;
	return object_read(reader, at->value, keys, FT_COUNT(keys), design);
}

static int rate_read(struct reader *reader, const struct at *at, struct ft_rate *rate)
{
	if (!json_is_string(at->value))
		return at_error(reader, at, "must be a rate such as \"4xHDR\", not %s", type_name(at->value));
	if (ft_rate_parse(json_string_value(at->value), rate) < 0)
		return at_error(reader, at,
				"is \"%s\"; a rate is 1x, 2x, 4x, 8x or 12x and SDR, DDR, QDR, FDR10, FDR, "
				"EDR, HDR, NDR or XDR, such as \"4xHDR\"",
				json_string_value(at->value));
	return 0;
}

/* One rate or a list of them. */
static int key_rates(struct reader *reader, const struct at *at, void *out)
{
	struct ft_rates *rates = out;
	size_t count = json_is_array(at->value) ? json_array_size(at->value) : 1;

	if (count == 0)
		return at_error(reader, at, "must name one rate at least");
	rates->rates = calloc(count, sizeof(*rates->rates));
	if (!rates->rates)
		return -ENOMEM;
	rates->count = count;
	if (!json_is_array(at->value))
		return rate_read(reader, at, &rates->rates[0]);
	for (size_t i = 0; i < count; i++) {
		struct at element = at_element(at, i);
		int r = rate_read(reader, &element, &rates->rates[i]);

		if (r < 0)
			return r;
	}
	return 0;
}

static int key_rate(struct reader *reader, const struct at *at, void *out)
{
	static const struct key keys[] = {
		{"uplink", key_rates, offsetof(struct ft_design, uplink_rates), 0, 0, NULL},
		{"host", key_rates, offsetof(struct ft_design, host_rates), 0, 0, NULL},
	};
	struct ft_design *design = out;
	int r;

	if (json_is_object(at->value))
		return object_read(reader, at->value, keys, FT_COUNT(keys), design);
	if (!json_is_string(at->value))
		return at_error(reader, at,
				"must be a rate such as \"4xHDR\", or an object of \"uplink\" and \"host\"");
	r = key_rates(reader, at, &design->uplink_rates);
	if (r < 0)
		return r;
	return key_rates(reader, at, &design->host_rates);
}

static int pattern_read(struct reader *reader, const struct at *at, struct ft_pattern **ret_pattern)
{
	struct ft_error why = {0};
	int r;

	r = string_check(reader, at);
	if (r < 0)
		return r;
	if (json_string_length(at->value) > FT_PATTERN_SIZE_MAX)
		return at_error(reader, at, "is a pattern of more than %d bytes", FT_PATTERN_SIZE_MAX);
	r = ft_pattern_compile(json_string_value(at->value), ret_pattern, &why);
	if (r == -EINVAL)
		return at_error(reader, at, "is not an extended regular expression: %s", why.text);
	return r;
}

/* "0x" and one to sixteen digits, not zero. */
static int guid_parse(const char *string, uint64_t *ret_guid)
{
	size_t digits;

	if (string[0] != '0' || string[1] != 'x')
		return -EINVAL;
	digits = strspn(string + 2, "0123456789abcdefABCDEF");
	if (digits < 1 || digits > 16 || string[2 + digits])
		return -EINVAL;
	*ret_guid = strtoull(string + 2, NULL, 16);
	return *ret_guid ? 0 : -EINVAL;
}

static int bind_name_read(struct reader *reader, const struct at *at, struct ft_bind *bind)
{
	char **name = &bind->names[at->index];
	int r;

	r = key_string(reader, at, name);
	if (r < 0)
		return r;
	if (strlen(*name) > NAME_SIZE_MAX)
		return at_error(reader, at, "is longer than the %d bytes of a node description", NAME_SIZE_MAX);
	if (strncmp(*name, "0x", 2) == 0 && guid_parse(*name, &bind->guids[at->index]) < 0)
		return at_error(reader, at, "is \"%s\", which is not a GUID: 0x and up to 16 hexadecimal digits",
				*name);
	return 0;
}

/* Where a switch was bound before, for the check on duplicates. */
struct bound {
	const struct ft_bind *bind;
	size_t index;
};

static int bound_compare(const void *one, const void *other)
{
	const struct bound *a = one, *b = other;
	uint64_t guid_a = a->bind->guids[a->index], guid_b = b->bind->guids[b->index];

	if (guid_a != guid_b)
		return guid_a < guid_b ? -1 : 1;
	return guid_a ? 0 : strcmp(a->bind->names[a->index], b->bind->names[b->index]);
}

/* Two planned switches bound to one live one, in a tier or across tiers, can never be right. */
static int binds_check(struct reader *reader, const json_t *binds)
{
	struct ft_bind *bind = reader->design->binds;
	_cleanup_free_ struct bound *bound = NULL;
	size_t count = 0, n = 0;

	for (int tier = 0; tier < FT_TIER_COUNT; tier++)
		count += bind[tier].count;
	bound = calloc(count + 1, sizeof(*bound));
	if (!bound)
		return -ENOMEM;
	for (int tier = 0; tier < FT_TIER_COUNT; tier++)
		for (size_t i = 0; i < bind[tier].count; i++)
			bound[n++] = (struct bound){&bind[tier], i};
	qsort(bound, count, sizeof(*bound), bound_compare);
	for (size_t i = 1; i < count; i++) {
		/* Blame the later one in the plan's order. */
		const struct bound *first = &bound[i - 1], *second = &bound[i];

		if (bound_compare(first, second) != 0)
			continue;
		if (first->bind > second->bind || (first->bind == second->bind && first->index > second->index))
			second = first;
		return ft_json_error_element(&reader->json, reader->err,
					     json_object_get(binds, ft_tier_name((enum ft_tier)(second->bind - bind))),
					     second->index, "\"%s\" is bound twice",
					     second->bind->names[second->index]);
	}
	return 0;
}

static int bind_pattern(struct reader *reader, const struct at *at, void *out)
{
	struct ft_bind *bind = out;

	return pattern_read(reader, at, &bind->match);
}

static int key_bind_tier(struct reader *reader, const struct at *at, void *out)
{
	static const struct key keys[] = {{"match", bind_pattern, 0, 0, 0, NULL}};
	struct ft_bind *bind = out;
	size_t count = json_array_size(at->value);

	if (json_is_object(at->value) && json_object_size(at->value) > 0)
		return object_read(reader, at->value, keys, FT_COUNT(keys), bind);
	if (!json_is_array(at->value) || count == 0)
		return at_error(reader, at, "must be a list of names or 0x GUIDs, or {\"match\": PATTERN}");
	bind->names = calloc(count, sizeof(*bind->names));
	bind->count = bind->names ? count : 0;
	bind->guids = calloc(count, sizeof(*bind->guids));
	if (!bind->names || !bind->guids)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		struct at element = at_element(at, i);
		int r = bind_name_read(reader, &element, bind);

		if (r < 0)
			return r;
	}
	return 0;
}

static int key_bind(struct reader *reader, const struct at *at, void *out)
{
	static const struct key keys[] = {
		{"edge", key_bind_tier, FT_TIER_EDGE * sizeof(struct ft_bind), 0, 0, NULL},
		{"spine", key_bind_tier, FT_TIER_SPINE * sizeof(struct ft_bind), 0, 0, NULL},
		{"core", key_bind_tier, FT_TIER_CORE * sizeof(struct ft_bind), 0, 0, NULL},
	};
	int r;

	r = expect_object(reader, at);
	if (r < 0)
		return r;
	r = object_read(reader, at->value, keys, FT_COUNT(keys), out);
	if (r < 0)
		return r;
	return binds_check(reader, at->value);
}

static int key_hosts_down(struct reader *reader, const struct at *at, void *out)
{
	struct ft_expect *expect = out;
	size_t count = json_array_size(at->value);

	if (json_is_integer(at->value))
		return key_count(reader, at, &expect->hosts_down);
	if (!json_is_array(at->value))
		return at_error(reader, at, "must be a number of hosts or a list of their names, not %s",
				type_name(at->value));
	expect->hosts_down_names = calloc(count + 1, sizeof(*expect->hosts_down_names));
	if (!expect->hosts_down_names)
		return -ENOMEM;
	expect->hosts_down_name_count = count;
	for (size_t i = 0; i < count; i++) {
		struct at element = at_element(at, i);
		int r = key_string(reader, &element, &expect->hosts_down_names[i]);

		if (r < 0)
			return r;
	}
	expect->hosts_down = (uint32_t)count;
	return 0;
}

static int expect_list(struct reader *reader, const struct at *at)
{
	if (json_is_array(at->value))
		return 0;
	return at_error(reader, at, "must be a list, not %s", type_name(at->value));
}

static int key_unplanned(struct reader *reader, const struct at *at, void *out)
{
	struct ft_expect *expect = out;
	size_t count = json_array_size(at->value);
	int r;

	r = expect_list(reader, at);
	if (r < 0)
		return r;
	expect->unplanned = calloc(count + 1, sizeof(*expect->unplanned));
	if (!expect->unplanned)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		struct at element = at_element(at, i);

		r = pattern_read(reader, &element, &expect->unplanned[i]);
		if (r < 0)
			return r;
		expect->unplanned_count = i + 1;
	}
	return 0;
}

static bool date_is_real(const char *date)
{
	static const int days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	int year, month, day;
	bool leap;

	for (int i = 0; i < 10; i++)
		if (i == 4 || i == 7 ? date[i] != '-' : !isdigit((unsigned char)date[i]))
			return false;
	if (date[10])
		return false;
	year = atoi(date);
	month = atoi(date + 5);
	day = atoi(date + 8);
	if (year < 1 || month < 1 || month > 12 || day < 1 || day > days[month - 1])
		return false;
	leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
	return month != 2 || day < 29 || leap;
}

static int key_date(struct reader *reader, const struct at *at, void *out)
{
	const char *date = json_string_value(at->value);

	if (!date)
		return at_error(reader, at, "must be a date such as \"2026-12-31\", not %s", type_name(at->value));
	if (!date_is_real(date))
		return at_error(reader, at, "is \"%s\", which is no day of the calendar (YYYY-MM-DD)", date);
	memcpy(out, date, sizeof(((struct ft_waiver *)NULL)->until));
	return 0;
}

static int waiver_read(struct reader *reader, const struct at *at, struct ft_waiver *waiver)
{
	static const struct key keys[] = {
		{"id", key_string, offsetof(struct ft_waiver, id), 0, 0, NULL},
		{"until", key_date, offsetof(struct ft_waiver, until), 0, 0, NULL},
		{"why", key_string, offsetof(struct ft_waiver, why), 0, 0, NULL},
	};
	int r;

	r = expect_object(reader, at);
	if (r < 0)
		return r;
	r = object_read(reader, at->value, keys, FT_COUNT(keys), waiver);
	if (r < 0)
		return r;
	if (!waiver->id)
		return at_error(reader, at, "lacks \"id\": the id of the finding, as ftcheck prints it");
	if (!waiver->why)
		waiver->why = strdup("");
	return waiver->why ? 0 : -ENOMEM;
}

static int key_waive(struct reader *reader, const struct at *at, void *out)
{
	struct ft_expect *expect = out;
	size_t count = json_array_size(at->value);
	int r;

	r = expect_list(reader, at);
	if (r < 0)
		return r;
	expect->waivers = calloc(count + 1, sizeof(*expect->waivers));
	if (!expect->waivers)
		return -ENOMEM;
	expect->waiver_count = count;
	for (size_t i = 0; i < count; i++) {
		struct at element = at_element(at, i);

		r = waiver_read(reader, &element, &expect->waivers[i]);
		if (r < 0)
			return r;
	}
	return 0;
}

static int key_expect(struct reader *reader, const struct at *at, void *out)
{
	static const struct key keys[] = {
		{"hosts_down", key_hosts_down, 0, 0, FT_NODES_MAX, NULL},
		{"unplanned", key_unplanned, 0, 0, 0, NULL},
		{"waive", key_waive, 0, 0, 0, NULL},
	};
	int r;

	r = expect_object(reader, at);
	if (r < 0)
		return r;
	return object_read(reader, at->value, keys, FT_COUNT(keys), out);
}

static int key_why(struct reader *reader, const struct at *at, void *out)
{
	const char *word;
	json_t *note;
	int r;

	(void)out;
	r = expect_object(reader, at);
	if (r < 0)
		return r;
	json_object_foreach(at->value, word, note) {
		if (!json_is_string(note))
			return ft_json_error_value(&reader->json, reader->err, at->value, word,
						   "\"why\" holds notes: \"%s\" must be a string, not %s", word,
						   type_name(note));
	}
	return 0;
}

#define DESIGN(field) offsetof(struct ft_design, field)

static const struct key design_keys[] = {
	{"ftcheck", key_version, 0, 0, 0, NULL},
	{"name", key_string, DESIGN(name), 0, 0, NULL},
	{"topology", key_word, DESIGN(topology), 0, 0, topology_names},
	{"levels", key_levels, DESIGN(levels), 0, 0, NULL},
	{"nodes", key_count, DESIGN(nodes), 1, FT_NODES_MAX, NULL},
	{"nodes_max", key_nodes_max, DESIGN(nodes_max), 1, FT_NODES_MAX, NULL},
	{"blocking", key_blocking, 0, 0, 0, NULL},
	{"edge", key_edge, DESIGN(roles[FT_TIER_EDGE]), 0, 0, NULL},
	{"core", key_core, DESIGN(roles[FT_TIER_CORE]), 0, 0, NULL},
	{"spine", key_spine, DESIGN(roles[FT_TIER_SPINE]), 0, 0, NULL},
	{"pods", key_pods, 0, 1, FT_SWITCHES_MAX, NULL},
	{"bundle", key_bundle, 0, 1, FT_DIRECTOR_PORTS_MAX, NULL},
	{"bundles", key_bundles, 0, 0, 0, NULL},
	{"fill", key_word, DESIGN(fill), 0, 0, fill_names},
	{"prefer_expandable", key_bool, DESIGN(prefer_expandable), 0, 0, NULL},
	{"objective", key_objective, DESIGN(objective), 0, 0, objective_names},
	{"limits", key_limits, 0, 0, 0, NULL},
	{"rate", key_rate, 0, 0, 0, NULL},
	{"bind", key_bind, DESIGN(binds), 0, 0, NULL},
	{"cables", key_unsupported, 0, 0, 0, NULL},
	{"hosts", key_unsupported, 0, 0, 0, NULL},
	{"why", key_why, 0, 0, 0, NULL},
	{"expect", key_expect, DESIGN(expect), 0, 0, NULL},
	{"plan", key_later, 0, 0, 0, NULL},
};

/* What every design must say, and how to put it. */
static const struct {
	const char *name;
	const char *text;
} required_keys[] = {
	{"ftcheck", "\"ftcheck\": 1 is missing: the version of the format"},
	{"name", "\"name\" is missing: the fabric's name"},
	{"nodes", "\"nodes\" is missing: how many host ports to connect"},
};

static void design_init(struct ft_design *design)
{
	design->levels = 2;
	design->blocking = (struct ft_ratio){1, 1};
	design->spine_blocking = (struct ft_ratio){1, 1};
	design->bundle = FT_UNPINNED;
	design->spread_multiple = 1;
	design->spine_bundle = FT_UNPINNED;
	design->pods = FT_UNPINNED;
	for (int tier = 0; tier < FT_TIER_COUNT; tier++)
		design->roles[tier] =
			(struct ft_design_role){FT_UNPINNED, FT_UNPINNED, FT_UNPINNED, FT_UNPINNED, NULL, 0, false};
}

/* Keys that only a tree of three levels has a use for. */
static int levels_check(struct reader *reader)
{
	static const char *const words[] = {"spine", "pods"};
	const struct ft_design *design = reader->design;
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

/* Everything that one key says, and what several say together without planning. */
static int design_parse(struct reader *reader)
{
	struct ft_design *design = reader->design;
	json_t *root = reader->json.root;
	int r;

	if (!json_is_object(root))
		return ft_json_error_key(&reader->json, reader->err, root, NULL, "a design is one JSON object, not %s",
					 type_name(root));
	r = object_read(reader, root, design_keys, FT_COUNT(design_keys), design);
	if (r < 0)
		return r;
	for (size_t i = 0; i < FT_COUNT(required_keys); i++)
		if (!json_object_get(root, required_keys[i].name))
			return ft_json_error_key(&reader->json, reader->err, root, NULL, "%s", required_keys[i].text);
	if (!design->nodes_max_given)
		design->nodes_max = design->nodes;
	return levels_check(reader);
}

/* The place of what the planner blames: the key, else its object, else the whole design. */
static int plan_error_place(struct reader *reader, const struct ft_plan_blame *blame, const char *text)
{
	json_t *root = reader->json.root;
	json_t *object = blame->object ? json_object_get(root, blame->object) : root;

	if (object && blame->key && json_object_get(object, blame->key))
		return ft_json_error_value(&reader->json, reader->err, object, blame->key, "%s", text);
	if (blame->object && object)
		return ft_json_error_value(&reader->json, reader->err, root, blame->object, "%s", text);
	return ft_json_error_key(&reader->json, reader->err, root, NULL, "%s", text);
}

/* Whether the design leaves the switches of a tier to the catalog. "count": 0 says that there are none. */
static bool tier_is_open(const struct ft_design *design, enum ft_tier tier)
{
	const struct ft_design_role *role = &design->roles[tier];

	if ((tier == FT_TIER_SPINE && design->levels < 3) || role->count == 0 ||
	    (tier != FT_TIER_EDGE && design->topology == FT_TOPOLOGY_STAR))
		return false;
	return !ft_pinned(role->ports) || role->model;
}

/* One tier, as the "plan" of the file says that it was chosen. */
static int tier_from_plan(struct reader *reader, const json_t *plan, enum ft_tier tier)
{
	struct ft_design_role *role = &reader->design->roles[tier];
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

/* Figures of the catalog, as the file has them. */
static int64_t amount_from_plan(const json_t *plan, const char *key)
{
	const json_t *value = json_object_get(plan, key);
	double amount = json_number_value(value);

	if (!json_is_number(value) || amount < 0 || amount > 1e12)
		return FT_AMOUNT_UNKNOWN;
	return (int64_t)(amount * FT_AMOUNT_UNIT + 0.5);
}

static void amounts_from_plan(const struct reader *reader, struct ft_plan *plan)
{
	const json_t *given = json_object_get(reader->json.root, "plan");

	plan->cost = amount_from_plan(given, "cost");
	plan->power_w = amount_from_plan(given, "power_w");
	plan->weight_kg = amount_from_plan(given, "weight_kg");
	plan->size_u = amount_from_plan(given, "size_u");
}

/*
 * Where no catalog is named: a file that carries its plan is complete in itself, whatever catalog that was made with.
 * Returns 1 if so.
 */
static int roles_from_plan(struct reader *reader)
{
	const json_t *plan = json_object_get(reader->json.root, "plan");
	const char *topology = json_string_value(json_object_get(plan, "topology"));
	bool star = topology && strcmp(topology, "star") == 0;

	if (!plan)
		return 0;
	for (enum ft_tier tier = FT_TIER_EDGE; tier < FT_TIER_COUNT; tier++) {
		int r;

		if (!tier_is_open(reader->design, tier) || (star && tier != FT_TIER_EDGE))
			continue;
		r = tier_from_plan(reader, plan, tier);
		if (r < 0)
			return r;
		if (!ft_pinned(reader->design->roles[tier].ports))
			return 0;
	}
	choice_from_plan(reader->design, plan, star);
	reader->plan_chose = true;
	return 1;
}

/* The catalog to choose from, where there is something to choose; NULL else. */
static int catalog_settle(struct reader *reader, struct ft_catalog **ret_own)
{
	bool open = false;
	int r;

	for (enum ft_tier tier = FT_TIER_EDGE; tier < FT_TIER_COUNT; tier++)
		open |= tier_is_open(reader->design, tier);
	if (!open || reader->catalog)
		return 0;
	r = roles_from_plan(reader);
	if (r != 0)
		return r < 0 ? r : 0;
	r = ft_catalog_load(FT_CATALOG_DEFAULT, ret_own, reader->err);
	reader->catalog = *ret_own;
	return r;
}

static int design_plan(struct reader *reader, struct ft_plan **ret_plan)
{
	_cleanup_(ft_catalog_freep) struct ft_catalog *own = NULL;
	struct ft_plan_blame blame = {0};
	struct ft_error why = {0};
	int r;

	r = catalog_settle(reader, &own);
	if (r < 0)
		return r;
	r = ft_plan_make_blame(reader->design, reader->catalog, ret_plan, &why, &blame);
	if (r == 0 && reader->plan_chose)
		amounts_from_plan(reader, *ret_plan);
	if (r != -EINVAL)
		return r;
	return plan_error_place(reader, &blame, why.text);
}

/* A value of the file for an error message, on one line and not too long. */
static int value_show(const json_t *value, char *buffer, size_t size)
{
	_cleanup_free_ char *whole = NULL;

	if (json_is_object(value) || json_is_array(value)) {
		snprintf(buffer, size, "%s", type_name(value));
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

static int plan_difference(struct reader *reader, const struct at *at, const char *path, const json_t *computed)
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
static int plan_compare(struct reader *reader, const struct at *at, const char *path, const json_t *computed)
{
	char inner_path[128];
	const char *word;
	json_t *value;
	int r;

	if (json_is_object(at->value) && json_is_object(computed)) {
		json_object_foreach(at->value, word, value) {
			struct at inner = {.parent = at->value, .key = word, .value = value, .rule = at->rule};
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
			struct at inner = at_element(at, i);

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

static int plan_check(struct reader *reader, const struct ft_plan *plan)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};
	_cleanup_(ft_json_release) struct ft_json computed = {0};
	struct at at = {.parent = reader->json.root, .key = "plan"};

	at.value = json_object_get(reader->json.root, "plan");
	if (!at.value)
		return 0;
	ft_plan_write_json(&text, plan, 0);
	/* Our own writing is JSON, so that only memory can be short here. */
	if (ft_text_failed(&text) || ft_json_read(text.data, text.length, &computed, NULL) < 0)
		return -ENOMEM;
	return plan_compare(reader, &at, "plan", computed.root);
}

static char *bytes_dup(const char *bytes, size_t length)
{
	char *copy = malloc(length + 1);

	if (!copy)
		return NULL;
	memcpy(copy, bytes, length);
	copy[length] = '\0';
	return copy;
}

/* What one reading does: planning may be left out. */
static int design_read(const char *text, size_t length, bool planned, const struct ft_catalog *catalog,
		       struct ft_design **ret_design, struct ft_plan **ret_plan, struct ft_error *err)
{
	_cleanup_(ft_design_freep) struct ft_design *design = calloc(1, sizeof(*design));
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	struct reader reader = {.design = design, .catalog = catalog, .err = err};
	int r;

	if (!design)
		return -ENOMEM;
	design_init(design);
	design->text = bytes_dup(text, length);
	if (!design->text)
		return -ENOMEM;
	design->text_length = length;
	if (strspn(design->text, " \t\r\n") == length)
		return ft_error_set(err, -EINVAL, 1, 1, "the file is empty: a design is one JSON object");
	r = ft_json_read(design->text, length, &reader.json, err);
	if (r < 0)
		return r;
	r = design_parse(&reader);
	if (r == 0 && planned)
		r = design_plan(&reader, &plan);
	if (r == 0 && planned)
		r = plan_check(&reader, plan);
	ft_json_release(&reader.json);
	if (r < 0)
		return r;
	*ret_design = FT_STEAL(design);
	if (ret_plan)
		*ret_plan = FT_STEAL(plan);
	return 0;
}

static int design_load(const char *path, bool planned, const struct ft_catalog *catalog, struct ft_design **ret_design,
		       struct ft_plan **ret_plan, struct ft_error *err)
{
	_cleanup_free_ char *text = NULL;
	size_t length;
	int r;

	if (err)
		err->file = path;
	r = ft_file_read(path, DESIGN_SIZE_MAX, &text, &length, err);
	return r < 0 ? r : design_read(text, length, planned, catalog, ret_design, ret_plan, err);
}

int ft_design_read_with(const char *text, size_t length, const struct ft_catalog *catalog,
			struct ft_design **ret_design, struct ft_plan **ret_plan, struct ft_error *err)
{
	return design_read(text, length, true, catalog, ret_design, ret_plan, err);
}

int ft_design_read(const char *text, size_t length, struct ft_design **ret_design, struct ft_plan **ret_plan,
		   struct ft_error *err)
{
	return design_read(text, length, true, NULL, ret_design, ret_plan, err);
}

int ft_design_read_unplanned(const char *text, size_t length, struct ft_design **ret_design, struct ft_error *err)
{
	return design_read(text, length, false, NULL, ret_design, NULL, err);
}

int ft_design_load_with(const char *path, const struct ft_catalog *catalog, struct ft_design **ret_design,
			struct ft_plan **ret_plan, struct ft_error *err)
{
	return design_load(path, true, catalog, ret_design, ret_plan, err);
}

int ft_design_load(const char *path, struct ft_design **ret_design, struct ft_plan **ret_plan, struct ft_error *err)
{
	return design_load(path, true, NULL, ret_design, ret_plan, err);
}

int ft_design_load_unplanned(const char *path, struct ft_design **ret_design, struct ft_error *err)
{
	return design_load(path, false, NULL, ret_design, NULL, err);
}
