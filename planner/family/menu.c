/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/family/search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

/* ---- what the design requests ---- */

/* Pinned numbers that only a fat-tree has imply a fat-tree. */
static bool pinned_as_fat_tree(const struct ft_design *design)
{
	const struct ft_design_role *edge = &design->roles[FT_TIER_EDGE], *core = &design->roles[FT_TIER_CORE];
	const struct ft_bind *bind = &design->binds[FT_TIER_CORE];

	return design->levels == 3 || design->class_count > 0 || (ft_pinned(core->count) && core->count > 0) ||
	       ft_pinned(design->bundle) || (ft_pinned(edge->count) && edge->count > 1) ||
	       (ft_pinned(edge->ports_to_core) && edge->ports_to_core > 0) || bind->count > 0 || bind->match;
}

bool ft_stars_wanted(const struct ft_design *design)
{
	if (design->topology != FT_TOPOLOGY_AUTO)
		return design->topology == FT_TOPOLOGY_STAR;
	return !pinned_as_fat_tree(design);
}

bool ft_trees_wanted(const struct ft_design *design)
{
	if (design->topology != FT_TOPOLOGY_AUTO)
		return design->topology == FT_TOPOLOGY_FAT_TREE;
	return design->roles[FT_TIER_CORE].count != 0;
}

/* ---- the menu ---- */

void ft_menu_release(struct ft_menu *menu)
{
	for (int tier = 0; tier < FT_TIER_COUNT; tier++)
		free(menu->types[tier]);
	free(menu->stars);
	*menu = (struct ft_menu){0};
}

static int menu_error(struct ft_error *err, struct ft_plan_blame *blame, enum ft_tier tier, const char *key,
		      const char *text)
{
	if (blame)
		*blame = (struct ft_plan_blame){ft_tier_name(tier), key};
	return ft_error_set(err, -EINVAL, 0, 0, "%s", text);
}

/* A switch given by its ports only. */
static struct ft_switch_type bare_type(const struct ft_design_role *role)
{
	return (struct ft_switch_type){
		.ports = role->ports,
		.modular = role->ports > FT_PORTS_MAX || role->director,
		.roles = FT_ROLE_EDGE | FT_ROLE_SPINE | FT_ROLE_CORE | FT_ROLE_STAR,
		.line_boards = role->inside.line_boards,
		.line_boards_max = role->inside.line_boards_max,
		.line_board_ports = role->inside.line_ports,
		.fabric_boards = role->inside.fabric_boards,
		.fabric_boards_max = role->inside.fabric_boards_max,
		.cost = FT_AMOUNT_UNKNOWN,
		.power_w = FT_AMOUNT_UNKNOWN,
		.weight_kg = FT_AMOUNT_UNKNOWN,
		.size_u = FT_AMOUNT_UNKNOWN,
	};
}

static bool is_model(const struct ft_switch_type *type, const char *model)
{
	return ft_model_is(type->name, type->family, model);
}

/* The catalog's entry or population with the name most similar to a misspelt one, or NULL. */
static const char *model_near(const struct ft_catalog *catalog, const char *model)
{
	enum { SUBSTRING_MIN = 3, DISTANCE_MAX = 3 };
	const char *near = NULL;
	unsigned int best = DISTANCE_MAX + 1;

	for (size_t i = 0; i < catalog->count; i++) {
		const char *names[] = {catalog->types[i].family, catalog->types[i].name};

		for (size_t k = 0; k < FT_COUNT(names); k++) {
			unsigned int distance = ft_text_distance(model, names[k]);

			if (distance < best ||
			    (!near && strlen(model) >= SUBSTRING_MIN && strcasestr(names[k], model))) {
				best = distance < best ? distance : best;
				near = names[k];
			}
		}
	}
	return near;
}

static bool number_suits(uint32_t type, uint32_t asked)
{
	return type == 0 || asked == 0 || type == asked;
}

/* Whether the type is a director if one is requested, with the requested boards. */
static bool inside_suits(const struct ft_switch_type *type, const struct ft_design_role *asked)
{
	const struct ft_inside *in = &asked->inside;

	return !asked->director || (type->modular && number_suits(type->line_boards, in->line_boards) &&
				    number_suits(type->line_board_ports, in->line_ports));
}

/* There is no director, or none with such boards. Returns 0 if that is not the reason. */
static int no_such_inside(const struct ft_catalog *catalog, const struct ft_design_role *asked, enum ft_tier tier,
			  struct ft_error *err, struct ft_plan_blame *blame)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};

	for (size_t i = 0; i < catalog->count; i++)
		if (is_model(&catalog->types[i], asked->model) && inside_suits(&catalog->types[i], asked))
			return 0;
	ft_text_printf(&text, "no \"%s\" of the catalog \"%s\" is a director with such boards", asked->model,
		       catalog->name);
	if (ft_text_failed(&text))
		return -ENOMEM;
	return menu_error(err, blame, tier, "inside", ft_text_string(&text));
}

/* Why a model of the catalog that may have the role is refused. */
static int no_such_population(const struct ft_catalog *catalog, const struct ft_design_role *asked, enum ft_tier tier,
			      struct ft_error *err, struct ft_plan_blame *blame)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};
	bool ports = false;
	int r = no_such_inside(catalog, asked, tier, err, blame);

	if (r < 0)
		return r;
	for (size_t i = 0; i < catalog->count; i++)
		ports |= is_model(&catalog->types[i], asked->model) && catalog->types[i].ports == asked->ports;
	ports = ft_pinned(asked->ports) && !ports;
	ft_text_printf(&text, "no \"%s\" of the catalog \"%s\" has %u %s", asked->model, catalog->name,
		       ports ? asked->ports : asked->fabric_boards, ports ? "ports" : "fabric boards");
	if (ft_text_failed(&text))
		return -ENOMEM;
	return menu_error(err, blame, tier, ports ? "ports" : "fabric_boards", ft_text_string(&text));
}

/* No type of the catalog is the model @asked for @role (a bit). */
static int no_such_model(const struct ft_catalog *catalog, const struct ft_design_role *asked, unsigned int role,
			 enum ft_tier tier, struct ft_error *err, struct ft_plan_blame *blame)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};
	const char *model = asked->model, *near = model_near(catalog, model);
	bool known = false, fits = false;

	for (size_t i = 0; i < catalog->count; i++) {
		known |= is_model(&catalog->types[i], model);
		fits |= is_model(&catalog->types[i], model) && (catalog->types[i].roles & role);
	}
	if (fits)
		return no_such_population(catalog, asked, tier, err, blame);
	if (known)
		ft_text_printf(&text, "\"%s\" is not for this role by the catalog \"%s\"", model, catalog->name);
	else
		ft_text_printf(&text, "the catalog \"%s\" has no \"%s\"", catalog->name, model);
	if (!known && near)
		ft_text_printf(&text, "; did you mean \"%s\"?", near);
	if (ft_text_failed(&text))
		return -ENOMEM;
	return menu_error(err, blame, tier, "model", ft_text_string(&text));
}

/* A catalog that does not say what its switches are is the user's word that they fit. */
static bool technology_suits(const struct ft_switch_type *type, enum ft_technology technology)
{
	bool infiniband = strncasecmp(type->technology, "IB ", 3) == 0;
	bool ethernet = strncasecmp(type->technology, "Ethernet", 8) == 0;

	return technology == FT_TECHNOLOGY_ETHERNET ? !infiniband : !ethernet;
}

/* The types of the catalog that are of the design's technology, may have @role (a bit) and meet @asked. */
static int types_of(const struct ft_catalog *catalog, enum ft_technology technology, unsigned int role,
		    const struct ft_design_role *asked, struct ft_switch_type **ret_types, size_t *ret_count)
{
	struct ft_switch_type *types = calloc(catalog->count + 1, sizeof(*types));
	size_t count = 0;

	if (!types)
		return -ENOMEM;
	for (size_t i = 0; i < catalog->count; i++) {
		const struct ft_switch_type *type = &catalog->types[i];

		if (!technology_suits(type, technology) || !(type->roles & role) ||
		    (asked->model && !is_model(type, asked->model)) ||
		    (ft_pinned(asked->ports) && type->ports != asked->ports) || !inside_suits(type, asked))
			continue;
		if (asked->fabric_boards == 0)
			types[count++] = *type;
		else if (ft_switch_type_with_fabric(type, asked->fabric_boards, &types[count]) == 0)
			count++;
	}
	*ret_types = types;
	*ret_count = count;
	return 0;
}

static bool catalog_has_role(const struct ft_catalog *catalog, unsigned int role)
{
	for (size_t i = 0; i < catalog->count; i++)
		if (catalog->types[i].roles & role)
			return true;
	return false;
}

/* Whether the switch of a tier is given by its ports only. */
static bool is_bare(const struct ft_design_role *role)
{
	return ft_pinned(role->ports) && !role->model;
}

static int menu_tier(struct ft_menu *menu, const struct ft_design *design, const struct ft_catalog *catalog,
		     enum ft_tier tier, struct ft_error *err, struct ft_plan_blame *blame)
{
	static const unsigned int bits[] = {
		[FT_TIER_EDGE] = FT_ROLE_EDGE, [FT_TIER_SPINE] = FT_ROLE_SPINE, [FT_TIER_CORE] = FT_ROLE_CORE};
	const struct ft_design_role *role = &design->roles[tier];
	unsigned int bit = bits[tier];
	int r;

	if (is_bare(role) || !catalog) {
		menu->types[tier] = calloc(1, sizeof(**menu->types));
		if (!menu->types[tier])
			return -ENOMEM;
		if (ft_pinned(role->ports))
			menu->types[tier][menu->count[tier]++] = bare_type(role);
		return 0;
	}
	if (bit == FT_ROLE_SPINE && !catalog_has_role(catalog, bit))
		bit = FT_ROLE_CORE;
	r = types_of(catalog, design->technology, bit, role, &menu->types[tier], &menu->count[tier]);
	if (r < 0)
		return r;
	menu->from_catalog = true;
	/* A model that may only be a star is also searched for there. */
	if (menu->count[tier] == 0 && role->model && (tier != FT_TIER_EDGE || menu->star_count == 0))
		return no_such_model(catalog, role, bit, tier, err, blame);
	return 0;
}

static int menu_stars(struct ft_menu *menu, const struct ft_design *design, const struct ft_catalog *catalog)
{
	const struct ft_design_role *edge = &design->roles[FT_TIER_EDGE];

	if (!is_bare(edge) && catalog) {
		menu->from_catalog = true;
		return types_of(catalog, design->technology, FT_ROLE_STAR, edge, &menu->stars, &menu->star_count);
	}
	menu->stars = calloc(1, sizeof(*menu->stars));
	if (!menu->stars)
		return -ENOMEM;
	if (ft_pinned(edge->ports))
		menu->stars[menu->star_count++] = bare_type(edge);
	return 0;
}

static int menu_trees(struct ft_menu *menu, const struct ft_design *design, const struct ft_catalog *catalog,
		      struct ft_error *err, struct ft_plan_blame *blame)
{
	int r;

	r = menu_tier(menu, design, catalog, FT_TIER_EDGE, err, blame);
	if (r == 0 && design->levels == 3)
		r = menu_tier(menu, design, catalog, FT_TIER_SPINE, err, blame);
	/* "count": 0 means that there is no core level to choose switches for. */
	if (r == 0 && design->roles[FT_TIER_CORE].count != 0)
		r = menu_tier(menu, design, catalog, FT_TIER_CORE, err, blame);
	return r;
}

/* Bounds the search: a result after hours is useless. */
static int menu_check_size(const struct ft_menu *menu, const struct ft_design *design, struct ft_error *err,
			   struct ft_plan_blame *blame)
{
	enum { TWO_LEVELS_MAX = 10000000, THREE_LEVELS_MAX = 500000 };
	double count = (double)menu->count[FT_TIER_EDGE] * (double)menu->count[FT_TIER_CORE];

	if (design->levels == 3)
		count *= (double)menu->count[FT_TIER_SPINE];
	if (count <= (design->levels == 3 ? THREE_LEVELS_MAX : TWO_LEVELS_MAX))
		return 0;
	if (blame)
		*blame = (struct ft_plan_blame){NULL, NULL};
	return ft_error_set(
		err, -EINVAL, 0, 0,
		"the catalog leaves %.0f combinations of switches to try, which are too many: give the model of a "
		"tier, or a smaller catalog",
		count);
}

int ft_menu_make(const struct ft_design *design, const struct ft_catalog *catalog, struct ft_menu *ret_menu,
		 struct ft_error *err, struct ft_plan_blame *blame)
{
	_cleanup_(ft_menu_release) struct ft_menu menu = {0};
	int r = 0;

	if (design->topology == FT_TOPOLOGY_GRAPH && !design->family) {
		if (blame)
			*blame = (struct ft_plan_blame){NULL, "topology"};
		return ft_error_set(err, -EINVAL, 0, 0,
				    "the topology is a graph, whose switches are given: there is nothing to choose");
	}
	if (catalog && catalog->cable_cost != FT_AMOUNT_UNKNOWN)
		menu.cable_cost = catalog->cable_cost;
	if (design->family)
		r = menu_tier(&menu, design, catalog, FT_TIER_EDGE, err, blame);
	if (ft_stars_wanted(design))
		r = menu_stars(&menu, design, catalog);
	if (r == 0 && ft_trees_wanted(design))
		r = menu_trees(&menu, design, catalog, err, blame);
	if (r == 0 && menu.star_count == 0 && !ft_trees_wanted(design) && !design->family &&
	    design->roles[FT_TIER_EDGE].model)
		r = no_such_model(catalog, &design->roles[FT_TIER_EDGE], FT_ROLE_STAR, FT_TIER_EDGE, err, blame);
	if (r == 0)
		r = menu_check_size(&menu, design, err, blame);
	if (r < 0)
		return r;
	*ret_menu = menu;
	menu = (struct ft_menu){0};
	return 0;
}
