/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/plan/design.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "planner/plan/catalog.h"
#include "planner/design/design_parts.h"
#include "planner/ethernet/vlans.h"
#include "planner/design/dot.h"
#include "planner/family/recognise.h"

/*
 * The largest plan that can be written can be read: 4000000 bundles (planner/family/rules.c) are up to 300 bytes each
 * where their ends are bound to names of 64 bytes that all need a backslash, and 3 * FT_SWITCHES_MAX switches up to
 * 610.
 */
enum { DESIGN_SIZE_MAX = 1536 << 20 };

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
	free(expect->hosts_down_lines);
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
	for (int tier = 0; tier < FT_TIER_COUNT; tier++) {
		free(design->roles[tier].model);
		free(design->roles[tier].interfaces);
		ft_pattern_free(design->roles[tier].chassis);
	}
	free(design->limits);
	free(design->pod_sizes);
	free(design->host_kinds);
	free(design->keys.sizes);
	ft_design_classes_release(design);
	ft_islands_free(design->islands, design->island_count);
	ft_design_graph_release(&design->graph);
	expect_release(&design->expect);
	ft_design_phases_release(design);
	ft_design_accepted_release(design);
	ft_design_cabling_release(design);
	free(design->uplink_rates.rates);
	free(design->host_rates.rates);
	ft_design_macs_release(design->macs, design->mac_count);
	free(design->links_file);
	free(design->directory);
	free(design->name);
	free(design->text);
	free(design);
}

/* One reading of a file. */
struct reading {
	struct ft_key_reader reader;
	struct ft_design *design;
	const struct ft_catalog *catalog; /* NULL: none is named */
};

static void design_init(struct ft_design *design)
{
	design->levels = 2;
	design->blocking = (struct ft_ratio){1, 1};
	design->spine_blocking = (struct ft_ratio){1, 1};
	design->bundle = FT_NONE;
	design->spread_multiple = 1;
	design->spine_bundle = FT_NONE;
	design->pods = FT_NONE;
	design->planes = FT_NONE;
	ft_family_keys_init(&design->keys);
	design->cables_complete = true;
	design->vlan_first = 1;
	design->vlans = true;
	for (int tier = 0; tier < FT_TIER_COUNT; tier++)
		design->roles[tier] = (struct ft_design_role){
			.ports = FT_NONE, .count = FT_NONE, .ports_to_nodes = FT_NONE, .ports_to_core = FT_NONE};
}

int ft_design_fault(const struct ft_key_reader *reader, const struct ft_plan_blame *blame, const char *text)
{
	json_t *root = reader->json.root;
	json_t *object = blame->object ? json_object_get(root, blame->object) : root;

	if (object && blame->key && json_object_get(object, blame->key))
		return ft_json_error_value(&reader->json, reader->err, object, blame->key, "%s", text);
	if (blame->object && object)
		return ft_json_error_value(&reader->json, reader->err, root, blame->object, "%s", text);
	return ft_json_error_key(&reader->json, reader->err, root, NULL, "%s", text);
}

static int plan_make(struct reading *reading, const struct ft_design *design, const struct ft_catalog *catalog,
		     struct ft_plan **ret_plan)
{
	struct ft_plan_blame blame = {0};
	struct ft_error why = {0};
	int r;

	r = ft_plan_make_blame(design, catalog, ret_plan, &why, &blame);
	return r == -EINVAL ? ft_design_fault(&reading->reader, &blame, why.text) : r;
}

/* With the switches that the "plan" of the file says were chosen. Returns 1, 0 if it does not say, or -errno. */
static int plan_make_chosen(struct reading *reading, struct ft_plan **ret_plan)
{
	_cleanup_(ft_design_chosen_release) struct ft_design chosen = {0};
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	int r;

	r = ft_design_choose_from_plan(&reading->reader, reading->design, &chosen);
	if (r <= 0)
		return r;
	r = plan_make(reading, &chosen, NULL, &plan);
	if (r == 0)
		r = ft_design_figures_from_plan(&reading->reader, reading->design, plan);
	if (r < 0)
		return r;
	*ret_plan = FT_STEAL(plan);
	return 1;
}

static bool catalog_wanted(const struct ft_design *design)
{
	bool open = false;

	for (enum ft_tier tier = FT_TIER_EDGE; tier < FT_TIER_COUNT; tier++)
		open |= ft_design_tier_is_open(design, tier);
	return open;
}

static int design_plan(struct reading *reading, struct ft_plan **ret_plan)
{
	_cleanup_(ft_catalog_freep) struct ft_catalog *own = NULL;
	const struct ft_catalog *catalog = reading->catalog;
	int r;

	if (!catalog && catalog_wanted(reading->design)) {
		r = plan_make_chosen(reading, ret_plan);
		if (r != 0)
			return r < 0 ? r : 0;
		if (reading->design->technology == FT_TECHNOLOGY_ETHERNET)
			return ft_json_error_key(
				&reading->reader.json, reading->reader.err, reading->reader.json.root, NULL,
				"no built-in catalog has Ethernet switches: give \"edge\" with its \"ports\" (and "
				"\"core\", if that differs), or a catalog with --catalog");
		/* Errors are of the design's file: a catalog that is built in has none. */
		r = ft_catalog_load(FT_CATALOG_DEFAULT, &own, NULL);
		if (r < 0)
			return r;
		catalog = own;
	}
	return plan_make(reading, reading->design, catalog, ret_plan);
}

/* The hosts of the whole plan are in the tables of its switches. */
static int tables_check(struct reading *reading, const struct ft_plan *plan)
{
	struct ft_plan tree = ft_plan_tree(plan);
	struct ft_plan_blame blame = {0};
	struct ft_error why = {0};
	int r;

	if (plan->technology != FT_TECHNOLOGY_ETHERNET)
		return 0;
	r = ft_vlans_check_tables(reading->design, &tree, &blame, &why);
	return r == -EINVAL ? ft_design_fault(&reading->reader, &blame, why.text) : r;
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

/* True for a text that cannot be meant as JSON: a recorded fabric, a table, a program. No line of it begins as one
 * does. */
static bool is_foreign(const char *text, size_t length)
{
	bool begins = true;

	if (length >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0))
		return false;
	if (text[strspn(text, " \t\r\n")] == '[')
		return false;
	for (size_t i = 0; i < length; i++) {
		if (begins && strchr("{\"/", text[i]))
			return false;
		begins = text[i] == '\n' || (begins && (text[i] == ' ' || text[i] == '\t' || text[i] == '\r'));
	}
	return true;
}

/* What one reading does: planning may be left out. */
static int design_read(const char *path, const char *text, size_t length, bool planned,
		       const struct ft_catalog *catalog, struct ft_design **ret_design, struct ft_plan **ret_plan,
		       struct ft_error *err)
{
	_cleanup_(ft_design_freep) struct ft_design *design = calloc(1, sizeof(*design));
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	struct reading reading = {.reader.err = err, .design = design, .catalog = catalog};
	size_t mark = ft_text_mark(text, length);
	int r;

	if (!design)
		return -ENOMEM;
	design_init(design);
	text += mark;
	length -= mark;
	design->text = bytes_dup(text, length);
	if (!design->text)
		return -ENOMEM;
	if (path && strrchr(path, '/')) {
		design->directory = bytes_dup(path, (size_t)(strrchr(path, '/') + 1 - path));
		if (!design->directory)
			return -ENOMEM;
	}
	design->text_length = length;
	if (strspn(design->text, " \t\r\n") == length)
		return ft_error_set(err, -EINVAL, 1, 1, "the file is empty: a design is one JSON object");
	if (is_foreign(design->text, length))
		return ft_error_set(err, -EINVAL, 1, 1,
				    "a design is one JSON object, and this is no JSON; a recorded fabric goes to "
				    "'ftcheck --from' or 'ftplan --infer'");
	r = ft_json_read(design->text, length, &reading.reader.json, err);
	if (r < 0)
		return r;
	r = ft_design_parse(&reading.reader, design);
	if (r == 0 && planned)
		r = design_plan(&reading, &plan);
	if (r == 0 && planned)
		r = ft_design_apply_cabling(&reading.reader, design, plan);
	if (r == 0 && planned)
		r = ft_design_apply_accepted(&reading.reader, design, plan);
	if (r == 0 && planned)
		r = tables_check(&reading, plan);
	if (r == 0 && planned)
		r = ft_design_check_macs(&reading.reader, design, plan);
	if (r == 0)
		r = ft_design_hash(reading.reader.json.root, design->hash);
	if (r == 0 && planned)
		r = ft_design_check_plan(&reading.reader, plan);
	ft_json_release(&reading.reader.json);
	if (r < 0)
		return r;
	*ret_design = FT_STEAL(design);
	if (ret_plan)
		*ret_plan = FT_STEAL(plan);
	return 0;
}

/* A topology.dot is a design in another form (dot.h): what is read is the design that it becomes. */
static int text_read(const char *path, const char *text, size_t length, bool planned, const struct ft_catalog *catalog,
		     struct ft_design **ret_design, struct ft_plan **ret_plan, struct ft_error *err)
{
	_cleanup_(ft_text_release) struct ft_text design = {0};
	int r;

	if (!ft_dot_is(text, length))
		return design_read(path, text, length, planned, catalog, ret_design, ret_plan, err);
	r = ft_dot_design(text, length, &design, err);
	if (r == 0)
		r = design_read(path, ft_text_string(&design), design.length, planned, catalog, ret_design, ret_plan,
				err);
	return r;
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
	return r < 0 ? r : text_read(path, text, length, planned, catalog, ret_design, ret_plan, err);
}

int ft_design_read_with(const char *text, size_t length, const struct ft_catalog *catalog,
			struct ft_design **ret_design, struct ft_plan **ret_plan, struct ft_error *err)
{
	return text_read(NULL, text, length, true, catalog, ret_design, ret_plan, err);
}

int ft_design_read(const char *text, size_t length, struct ft_design **ret_design, struct ft_plan **ret_plan,
		   struct ft_error *err)
{
	return text_read(NULL, text, length, true, NULL, ret_design, ret_plan, err);
}

int ft_design_read_unplanned(const char *text, size_t length, struct ft_design **ret_design, struct ft_error *err)
{
	return text_read(NULL, text, length, false, NULL, ret_design, NULL, err);
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
