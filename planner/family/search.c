/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/family/search.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "planner/family/classes.h"
#include "planner/family/rings.h"

/* ---- candidates ---- */

/* Whether a class has unknown switches with other ports than its tier. */
static bool classes_unpriced(const struct ft_design *design, const struct ft_candidate *c)
{
	for (size_t i = 0; i < design->class_count; i++) {
		const struct ft_design_class *class = &design->classes[i];
		const struct ft_switch_type *type = c->types[class->tier];

		if (ft_pinned(class->ports) && type && class->ports != type->ports)
			return true;
	}
	return false;
}

static void candidate_price(struct ft_candidate *c, const struct ft_design *design, const struct ft_menu *menu)
{
	const struct ft_shape *s = &c->shape;
	uint32_t counts[FT_TIER_COUNT] = {s->e, ft_shape_spines(s), s->cores};

	c->cost = c->power_w = c->weight_kg = c->size_u = 0;
	for (int tier = 0; tier < FT_TIER_COUNT; tier++) {
		const struct ft_switch_type *type = c->types[tier];

		if (!type)
			continue;
		c->cost = ft_amount_add(c->cost, type->cost, counts[tier]);
		c->power_w = ft_amount_add(c->power_w, type->power_w, counts[tier]);
		c->weight_kg = ft_amount_add(c->weight_kg, type->weight_kg, counts[tier]);
		c->size_u = ft_amount_add(c->size_u, type->size_u, counts[tier]);
	}
	if (classes_unpriced(design, c))
		c->cost = c->power_w = c->weight_kg = c->size_u = FT_AMOUNT_UNKNOWN;
	c->links = design->nodes + (c->layout.family ? (uint32_t)c->layout.cables
						     : ft_classes_links(design, s) + ft_rings_cables(design, s));
	c->cost = ft_amount_add(c->cost, menu->cable_cost, c->links);
}

/* Chips that a packet crosses from one port of a switch to another: a director is a tree of two levels inside. */
static uint32_t chips_across(const struct ft_switch_type *type)
{
	enum { DIRECTOR_CHIPS = 3 };

	return type && type->modular ? DIRECTOR_CHIPS : 1;
}

static uint32_t candidate_clos(const struct ft_candidate *c)
{
	uint32_t chips = chips_across(c->types[FT_TIER_EDGE]);

	if (c->shape.topology == FT_TOPOLOGY_STAR)
		return chips;
	if (c->layout.family)
		return (c->layout.diameter + 1) * chips;
	chips = 2 * chips + chips_across(c->types[FT_TIER_CORE]);
	return c->shape.levels == 3 ? chips + 2 * chips_across(c->types[FT_TIER_SPINE]) : chips;
}

/* Free host ports; switches of classes with given hosts have none. */
static int64_t spare_ports(const struct ft_design *design, const struct ft_candidate *c)
{
	const struct ft_shape *s = &c->shape;
	int64_t edges = (int64_t)s->e - ft_classes_hosting_edges(design);
	int64_t spare = edges * s->n - ((int64_t)design->nodes - ft_classes_hosts(design));

	if (c->layout.family)
		return (int64_t)c->layout.room - design->nodes;
	/* "hosts" of "edge" may give an edge switch of a class more than its share. */
	return spare > 0 ? spare : 0;
}

struct ft_quantity ft_candidate_metric(const struct ft_design *design, const struct ft_candidate *c,
				       enum ft_metric metric)
{
	const struct ft_shape *s = &c->shape;

	switch (metric) {
	case FT_METRIC_COST:
		return ft_quantity_amount(c->cost);
	case FT_METRIC_POWER_W:
		return ft_quantity_amount(c->power_w);
	case FT_METRIC_SIZE_U:
		return ft_quantity_amount(c->size_u);
	case FT_METRIC_WEIGHT_KG:
		return ft_quantity_amount(c->weight_kg);
	case FT_METRIC_SWITCHES:
		return ft_quantity_count((int64_t)s->e + ft_shape_spines(s) + s->cores);
	case FT_METRIC_CABLES:
	case FT_METRIC_LINKS:
		return ft_quantity_count(c->links);
	case FT_METRIC_BLOCKING:
		return s->c ? (struct ft_quantity){s->n, s->c} : ft_quantity_count(1);
	case FT_METRIC_SPARE_PORTS:
		return ft_quantity_count(spare_ports(design, c));
	case FT_METRIC_EXPANDABLE_TO:
		return ft_quantity_count((int64_t)design->nodes + spare_ports(design, c) +
					 (int64_t)(s->e_max - s->e) * s->n);
	case FT_METRIC_CLOS:
		if (c->layout.family && c->layout.diameter == FT_NONE)
			break;
		return ft_quantity_count(candidate_clos(c));
	case FT_METRIC_EDGE_COUNT:
		return ft_quantity_count(s->e);
	case FT_METRIC_SPINE_COUNT:
		return ft_quantity_count(ft_shape_spines(s));
	case FT_METRIC_CORE_COUNT:
		return ft_quantity_count(s->cores);
	case FT_METRIC_PORTS_TO_NODES:
		return ft_quantity_count(s->n);
	case FT_METRIC_PORTS_TO_CORE:
		return ft_quantity_count(s->c);
	case FT_METRIC_BUNDLE:
		return ft_quantity_count(s->b);
	case FT_METRIC_COUNT:
		break;
	}
	return (struct ft_quantity){0, 0};
}

static bool more_is_better(enum ft_metric metric)
{
	return metric == FT_METRIC_SPARE_PORTS || metric == FT_METRIC_EXPANDABLE_TO;
}

/* ---- enumeration ---- */

/* Why candidates were rejected, in case all are. */
struct exclusions {
	uint64_t tried;
	uint64_t trees;		       /* of these, those that are no stars */
	uint64_t mixed;		       /* not tried: switches of different technologies */
	uint64_t unfit;		       /* rejected by the rules: mostly too few ports */
	enum ft_metric unknown_metric; /* that figure, of the last such candidate */
	uint64_t unknown;	       /* the catalog lacks the requested figure */
	uint64_t *by_limit;	       /* [limit_count] */
	struct ft_candidate *nearest;  /* [limit_count]: of the candidates that a limit excludes, the nearest to it */
	bool *near;		       /* [limit_count]: there is one */
	uint64_t reach;		       /* the most nodes that any pair of types could serve */
	const struct ft_switch_type *reach_types[FT_TIER_COUNT];
	struct ft_unfit reason; /* of the last layout of a family that did not fit */
};

struct enumeration {
	struct ft_rules rules;
	const struct ft_menu *menu;
	struct exclusions why;
	struct ft_error *err;
	struct ft_plan_blame *blame;
	int (*visit)(struct enumeration *x, const struct ft_candidate *candidate);
	void *arg;
};

static bool limit_holds(const struct ft_design *design, const struct ft_candidate *c, const struct ft_limit *limit,
			bool *ret_unknown)
{
	struct ft_quantity value = ft_candidate_metric(design, c, limit->metric);
	int order;

	*ret_unknown = !ft_quantity_known(value);
	if (*ret_unknown)
		return false;
	order = ft_quantity_compare(value, limit->bound);
	return limit->is_max ? order <= 0 : order >= 0;
}

/* Keeps the candidate nearest to a limit. */
static void nearest_keep(struct enumeration *x, const struct ft_candidate *c, size_t i)
{
	const struct ft_design *design = x->rules.design;
	const struct ft_limit *limit = &design->limits[i];
	int order = 0;

	if (x->why.near[i]) {
		order = ft_quantity_compare(ft_candidate_metric(design, c, limit->metric),
					    ft_candidate_metric(design, &x->why.nearest[i], limit->metric));
		if (limit->is_max ? order >= 0 : order <= 0)
			return;
	}
	x->why.near[i] = true;
	x->why.nearest[i] = *c;
}

static bool limits_hold(struct enumeration *x, const struct ft_candidate *c)
{
	const struct ft_design *design = x->rules.design;
	bool broken = false;
	bool unknown = false, any_unknown = false;

	for (size_t i = 0; i < design->limit_count; i++) {
		if (limit_holds(design, c, &design->limits[i], &unknown))
			continue;
		broken = true;
		any_unknown |= unknown;
		if (unknown) {
			x->why.unknown_metric = design->limits[i].metric;
			continue;
		}
		x->why.by_limit[i]++;
		nearest_keep(x, c, i);
	}
	x->why.unknown += any_unknown;
	return !broken;
}

static int candidate_offer(struct enumeration *x, struct ft_candidate *c)
{
	candidate_price(c, x->rules.design, x->menu);
	return limits_hold(x, c) ? x->visit(x, c) : 0;
}

/* Only switches of one technology are combined, unless the design names both. */
static bool go_together(struct enumeration *x, const struct ft_switch_type *low, const struct ft_switch_type *high,
			enum ft_tier low_tier, enum ft_tier high_tier)
{
	const struct ft_design_role *roles = x->rules.design->roles;
	bool same;

	if (!low->technology || !high->technology || !*low->technology || !*high->technology ||
	    (roles[low_tier].model && roles[high_tier].model))
		return true;
	same = strcmp(low->technology, high->technology) == 0;
	x->why.mixed += !same;
	return same;
}

/* The most nodes that the types could serve, for the error about too many nodes. */
static void reach_note(struct enumeration *x, const struct ft_switch_type *edge, const struct ft_switch_type *spine,
		       const struct ft_switch_type *core)
{
	const struct ft_design *design = x->rules.design;
	struct ft_ratio b = design->blocking, sb = design->spine_blocking;
	uint64_t reach = edge->ports;

	if (core)
		reach = (uint64_t)((int64_t)reach * b.num / (b.num + b.den)) * core->ports;
	if (spine)
		reach *= (uint64_t)((int64_t)spine->ports * sb.num / (sb.num + sb.den));
	if (reach <= x->why.reach)
		return;
	x->why.reach = reach;
	x->why.reach_types[FT_TIER_EDGE] = edge;
	x->why.reach_types[FT_TIER_SPINE] = spine;
	x->why.reach_types[FT_TIER_CORE] = core;
}

static int try_star(struct enumeration *x, const struct ft_switch_type *type)
{
	struct ft_candidate c = {.types = {[FT_TIER_EDGE] = type}};

	reach_note(x, type, NULL, NULL);
	x->why.tried++;
	x->rules.roles[FT_TIER_EDGE].ports = type->ports;
	if (ft_rules_star(&x->rules, &c.shape) < 0) {
		x->why.unfit++;
		return 0;
	}
	return candidate_offer(x, &c);
}

static int try_tree(struct enumeration *x, const struct ft_switch_type *edge, const struct ft_switch_type *spine,
		    const struct ft_switch_type *core, uint32_t pods)
{
	struct ft_candidate c = {.types = {edge, spine, core}};
	int r;

	x->why.tried++;
	x->why.trees++;
	r = spine ? ft_rules_three_levels(&x->rules, pods, &c.shape) : ft_rules_two_levels(&x->rules, &c.shape);
	if (r < 0) {
		x->why.unfit++;
		return 0;
	}
	return candidate_offer(x, &c);
}

static int try_two_levels(struct enumeration *x, const struct ft_switch_type *edge)
{
	for (size_t k = 0; k < x->menu->count[FT_TIER_CORE]; k++) {
		const struct ft_switch_type *core = &x->menu->types[FT_TIER_CORE][k];
		int r;

		if (!go_together(x, edge, core, FT_TIER_EDGE, FT_TIER_CORE))
			continue;
		reach_note(x, edge, NULL, core);
		x->rules.roles[FT_TIER_CORE].ports = core->ports;
		r = try_tree(x, edge, NULL, core, 0);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Whether a full tree is better than another of the same switches: by the objective, then by its size. */
static bool full_tree_is_better(const struct ft_design *full, const struct ft_candidate *a,
				const struct ft_candidate *b)
{
	const enum ft_metric metrics[] = {full->objective, FT_METRIC_SWITCHES, FT_METRIC_CABLES};

	for (size_t i = 0; i < FT_COUNT(metrics); i++) {
		struct ft_quantity one = ft_candidate_metric(full, a, metrics[i]);
		struct ft_quantity other = ft_candidate_metric(full, b, metrics[i]);
		int order = ft_quantity_known(one) && ft_quantity_known(other) ? ft_quantity_compare(one, other) : 0;

		if (order != 0)
			return order < 0;
	}
	return false;
}

/*
 * The number of pods of the full tree. It is chosen for nodes_max, not for the present nodes: changing it later would
 * change bundles and move cables. 0: no number is possible.
 */
static uint32_t pods_settle(const struct enumeration *x, const struct ft_switch_type *edge,
			    const struct ft_switch_type *spine, const struct ft_switch_type *core)
{
	struct ft_design full = *x->rules.design;
	struct ft_rules rules = x->rules;
	struct ft_candidate best, c = {.types = {edge, spine, core}};
	uint32_t pods = 0, settled = 0;

	full.nodes = full.nodes_max;
	rules.design = &full;
	while (ft_rules_next_pods(&rules, pods, &pods)) {
		if (ft_rules_three_levels(&rules, pods, &c.shape) < 0)
			continue;
		candidate_price(&c, &full, x->menu);
		if (settled && !full_tree_is_better(&full, &c, &best))
			continue;
		best = c;
		settled = pods;
	}
	return settled;
}

static int try_pods(struct enumeration *x, const struct ft_switch_type *edge, const struct ft_switch_type *spine,
		    const struct ft_switch_type *core)
{
	const struct ft_design *design = x->rules.design;
	uint32_t pods = 0;
	int r = 0;

	reach_note(x, edge, spine, core);
	x->rules.roles[FT_TIER_SPINE].ports = spine->ports;
	x->rules.roles[FT_TIER_CORE].ports = core->ports;
	if (design->nodes < design->nodes_max)
		pods = pods_settle(x, edge, spine, core);
	if (pods)
		return try_tree(x, edge, spine, core, pods);
	while (r == 0 && ft_rules_next_pods(&x->rules, pods, &pods))
		r = try_tree(x, edge, spine, core, pods);
	return r;
}

static int try_three_levels(struct enumeration *x, const struct ft_switch_type *edge)
{
	const struct ft_menu *menu = x->menu;
	int r = 0;

	for (size_t i = 0; i < menu->count[FT_TIER_SPINE]; i++)
		for (size_t k = 0; r == 0 && k < menu->count[FT_TIER_CORE]; k++) {
			const struct ft_switch_type *spine = &menu->types[FT_TIER_SPINE][i];
			const struct ft_switch_type *core = &menu->types[FT_TIER_CORE][k];

			if (go_together(x, edge, spine, FT_TIER_EDGE, FT_TIER_SPINE) &&
			    go_together(x, spine, core, FT_TIER_SPINE, FT_TIER_CORE))
				r = try_pods(x, edge, spine, core);
		}
	return r;
}

static int enumerate_trees(struct enumeration *x)
{
	const struct ft_menu *menu = x->menu;
	int r = 0;

	for (size_t i = 0; r == 0 && i < menu->count[FT_TIER_EDGE]; i++) {
		const struct ft_switch_type *edge = &menu->types[FT_TIER_EDGE][i];

		x->rules.roles[FT_TIER_EDGE].ports = edge->ports;
		r = x->rules.design->levels == 3 ? try_three_levels(x, edge) : try_two_levels(x, edge);
	}
	return r;
}

/* A family's layout, and the switch that it is proposed for. */
struct family_trial {
	struct enumeration *x;
	const struct ft_switch_type *type;
};

static int layout_offer(struct ft_proposal *proposal, const struct ft_layout *layout)
{
	const struct family_trial *trial = proposal->arg;
	struct ft_candidate c = {
		.shape = {.topology = FT_TOPOLOGY_GRAPH,
			  .levels = 2,
			  .n = layout->hosts_each,
			  .c = layout->net_ports,
			  .e = layout->switches,
			  .e_max = layout->switches,
			  .b = layout->keys.bundle_count ? layout->keys.bundles[0] : 1,
			  .even = proposal->design->fill != FT_FILL_DENSE},
		.layout = *layout,
		.types = {[FT_TIER_EDGE] = trial->type},
	};

	proposal->offered++;
	trial->x->why.tried++;
	return candidate_offer(trial->x, &c);
}

/* Of every switch of one chip, each layout that a family proposes. */
static int enumerate_layouts(struct enumeration *x, const struct ft_family *family, struct ft_error *err,
			     struct ft_plan_blame *blame)
{
	struct ft_design design = *x->rules.design;

	design.family = family;
	for (size_t i = 0; i < x->menu->count[FT_TIER_EDGE]; i++) {
		struct family_trial trial = {x, &x->menu->types[FT_TIER_EDGE][i]};
		struct ft_proposal proposal = {.design = &design,
					       .ports = trial.type->ports,
					       .offer = layout_offer,
					       .arg = &trial,
					       .err = err,
					       .blame = blame};
		int r;

		if (trial.type->modular || trial.type->ports > FT_PORTS_MAX)
			continue;
		r = ft_family_propose(&proposal);
		if (r == -EINVAL && err)
			return r;
		if (r == -ENOMEM)
			return r;
		if (proposal.offered > 0)
			continue;
		x->why.tried++;
		x->why.unfit++;
		x->why.reason = proposal.reason;
	}
	return 0;
}

static int enumerate(struct enumeration *x)
{
	const struct ft_design *design = x->rules.design;
	int r = 0;

	if (design->family)
		return enumerate_layouts(x, design->family, NULL, NULL);
	if (ft_stars_wanted(design))
		for (size_t i = 0; r == 0 && i < x->menu->star_count; i++)
			r = try_star(x, &x->menu->stars[i]);
	if (r == 0 && ft_trees_wanted(design))
		r = enumerate_trees(x);
	for (size_t i = 0; r == 0 && design->any && i < ft_family_count; i++)
		r = enumerate_layouts(x, ft_families[i], NULL, NULL);
	return r;
}

/* ---- why nothing fits ---- */

static void add_types(struct ft_text *text, const struct ft_candidate *c)
{
	const char *between = "";

	for (int tier = 0; tier < FT_TIER_COUNT; tier++) {
		if (!c->types[tier] || !c->types[tier]->name)
			continue;
		ft_text_printf(text, "%s%s", between, c->types[tier]->name);
		between = " + ";
	}
	if (!*between)
		ft_text_puts(text, c->layout.family			   ? c->layout.family->about
				   : c->shape.topology == FT_TOPOLOGY_STAR ? "the star"
									   : "the fat-tree");
}

static void add_limits(struct ft_text *text, const struct enumeration *x)
{
	const struct ft_design *design = x->rules.design;

	for (size_t i = 0; i < design->limit_count; i++) {
		const struct ft_limit *limit = &design->limits[i];
		const char *name = ft_metric_name(limit->metric);

		if (x->why.by_limit[i] == 0)
			continue;
		ft_text_printf(text, "; %s_%s ", limit->is_max ? "max" : "min", name);
		ft_quantity_add(text, limit->bound);
		ft_text_printf(text, " excludes %" PRIu64, x->why.by_limit[i]);
		if (!x->why.near[i])
			continue;
		ft_text_puts(text, " (nearest: ");
		add_types(text, &x->why.nearest[i]);
		ft_text_printf(text, ", %s ", name);
		ft_quantity_add(text, ft_candidate_metric(design, &x->why.nearest[i], limit->metric));
		ft_text_puts(text, ")");
	}
}

/* Each tier may have switches in the catalog that cannot be combined. */
static void add_missing(struct ft_text *text, const struct enumeration *x)
{
	if (x->why.trees == 0 && x->why.mixed)
		ft_text_puts(text, "; none with a core level is left, as switches of different technologies go "
				   "together only where the design names the models of both");
	else if (x->why.tried == 0)
		ft_text_puts(text, "; the catalog has none for one of the tiers");
}

static void add_reach(struct ft_text *text, const struct enumeration *x)
{
	const char *between = ": ";

	ft_text_printf(text, " (the largest connects %" PRIu64, x->why.reach);
	for (int tier = 0; tier < FT_TIER_COUNT; tier++) {
		if (!x->why.reach_types[tier] || !x->why.reach_types[tier]->name)
			continue;
		ft_text_printf(text, "%s%s", between, x->why.reach_types[tier]->name);
		between = " + ";
	}
	ft_text_puts(text, ")");
}

/* With a single candidate the rules' own complaint is best; else counts. */
static int nothing_fits(struct enumeration *x)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};
	const struct ft_design *design = x->rules.design;
	const char *key = ft_rules_nodes_key(design);

	ft_text_printf(&text, "nothing fits: of %" PRIu64 " combination%s of switches", x->why.tried,
		       x->why.tried == 1 ? "" : "s");
	if (x->why.unfit)
		ft_text_printf(&text, ", %" PRIu64 " cannot connect %s %u", x->why.unfit, key, design->nodes_max);
	if (x->why.unfit && x->why.reach && x->why.reach < design->nodes_max)
		add_reach(&text, x);
	if (x->why.unfit && x->why.reason.text[0])
		ft_text_printf(&text, " (%s)", x->why.reason.text);
	add_missing(&text, x);
	add_limits(&text, x);
	if (x->why.unknown)
		ft_text_printf(&text, "; of %" PRIu64 " the %s is not known", x->why.unknown,
			       ft_metric_name(x->why.unknown_metric));
	if (ft_text_failed(&text))
		return -ENOMEM;
	if (x->why.unfit < x->why.tried)
		key = design->limit_count ? "limits" : "objective";
	if (x->blame)
		*x->blame = (struct ft_plan_blame){NULL, key};
	return ft_error_set(x->err, -EINVAL, 0, 0, "%s", ft_text_string(&text));
}

/* The parts that a tree requires. */
static int core_missing(struct enumeration *x)
{
	const struct ft_design *design = x->rules.design;
	const char *key = ft_rules_nodes_key(design);

	x->rules.err = x->err;
	x->rules.blame = x->blame;
	if (design->roles[FT_TIER_CORE].count == 0)
		return ft_rules_error(&x->rules, "core", "count", "core.count 0 fits a star only, not a fat-tree");
	return ft_rules_error(
		&x->rules, "core", NULL,
		"a fat-tree is needed for %s %u on edge switches of %u port%s, but \"core\": {\"ports\": N} is "
		"missing",
		key, design->nodes_max, design->roles[FT_TIER_EDGE].ports,
		ft_text_s(design->roles[FT_TIER_EDGE].ports));
}

/* Every switch is given: the rules run once more, to get the complaint. */
static int only_one_fits_not(struct enumeration *x)
{
	const struct ft_design *design = x->rules.design;
	const struct ft_menu *menu = x->menu;
	struct ft_shape unused;
	uint32_t pods = 0;

	x->rules.err = x->err;
	x->rules.blame = x->blame;
	for (int tier = 0; tier < FT_TIER_COUNT; tier++)
		if (menu->count[tier])
			x->rules.roles[tier].ports = menu->types[tier][0].ports;
	if (!ft_trees_wanted(design) || menu->count[FT_TIER_EDGE] == 0) {
		/* A model that may only be a star, although a tree is possible too. */
		if (menu->star_count)
			x->rules.roles[FT_TIER_EDGE].ports = menu->stars[0].ports;
		return ft_rules_star(&x->rules, &unused);
	}
	if (menu->count[FT_TIER_CORE] == 0)
		return core_missing(x);
	if (design->levels == 2)
		return ft_rules_two_levels(&x->rules, &unused);
	ft_rules_next_pods(&x->rules, 0, &pods);
	return ft_rules_three_levels(&x->rules, pods, &unused);
}

/* The complaint of a family, or why the layout does not fit. */
static int no_layout(struct enumeration *x)
{
	int r = enumerate_layouts(x, x->rules.design->family, x->err, x->blame);

	if (r < 0 || x->menu->count[FT_TIER_EDGE] != 1 || !x->why.reason.text[0])
		return r;
	if (x->blame)
		*x->blame = x->why.reason.at;
	return ft_error_set(x->err, -EINVAL, 0, 0, "%s", x->why.reason.text);
}

static int search_failed(struct enumeration *x)
{
	const struct ft_menu *menu = x->menu;
	bool single = !menu->from_catalog || (menu->count[FT_TIER_EDGE] <= 1 && menu->count[FT_TIER_SPINE] <= 1 &&
					      menu->count[FT_TIER_CORE] <= 1 && menu->star_count <= 1);

	if ((single || x->rules.design->family) && x->why.mixed == 0 && x->why.unfit == x->why.tried) {
		int r = x->rules.design->family ? no_layout(x) : only_one_fits_not(x);

		if (r < 0)
			return r;
	}
	return nothing_fits(x);
}

/* ---- the best ---- */

/* Orders candidates by an objective; after the fallback objective by cables. */
struct ranking {
	const struct ft_design *design;
	struct ft_candidate *best;
	size_t count, keep;
	enum ft_metric objective;
	bool fallback;
	uint64_t unpriced;
};

static uint64_t ports_bought(const struct ft_candidate *c)
{
	const uint32_t counts[FT_TIER_COUNT] = {c->shape.e, ft_shape_spines(&c->shape), c->shape.cores};
	uint64_t ports = 0;

	for (int tier = 0; tier < FT_TIER_COUNT; tier++)
		ports += c->types[tier] ? (uint64_t)c->types[tier]->ports * counts[tier] : 0;
	return ports;
}

static int rank_compare(const struct ranking *k, const struct ft_candidate *a, const struct ft_candidate *b)
{
	int order = ft_quantity_compare(ft_candidate_metric(k->design, a, k->objective),
					ft_candidate_metric(k->design, b, k->objective));

	if (order == 0 && k->fallback)
		order = ft_quantity_compare(ft_candidate_metric(k->design, a, FT_METRIC_CABLES),
					    ft_candidate_metric(k->design, b, FT_METRIC_CABLES));
	/* Without prices, designs without unneeded boards are preferred. */
	if (order == 0 && k->fallback)
		order = (ports_bought(a) > ports_bought(b)) - (ports_bought(a) < ports_bought(b));
	return order;
}

static const char *family_of(const struct ft_candidate *c, enum ft_tier tier)
{
	return c->types[tier] && c->types[tier]->family ? c->types[tier]->family : "";
}

/* The same switches in the same numbers: at most the boards differ. */
static bool is_same_design(const struct ft_candidate *a, const struct ft_candidate *b)
{
	for (enum ft_tier tier = FT_TIER_EDGE; tier < FT_TIER_COUNT; tier++)
		if (strcmp(family_of(a, tier), family_of(b, tier)) != 0)
			return false;
	/* A star of a modular switch has as many ports as boards. */
	if (a->shape.topology == FT_TOPOLOGY_STAR && b->shape.topology == FT_TOPOLOGY_STAR &&
	    *family_of(a, FT_TIER_EDGE))
		return true;
	return a->shape.topology == b->shape.topology && a->layout.family == b->layout.family &&
	       a->shape.e == b->shape.e && a->shape.cores == b->shape.cores &&
	       ft_shape_spines(&a->shape) == ft_shape_spines(&b->shape) && a->shape.n == b->shape.n;
}

static void rank_remove(struct ranking *k, size_t i)
{
	memmove(&k->best[i], &k->best[i + 1], (k->count - i - 1) * sizeof(*k->best));
	k->count--;
}

static int rank_visit(struct enumeration *x, const struct ft_candidate *c)
{
	struct ranking *k = x->arg;
	size_t i;

	if (!ft_quantity_known(ft_candidate_metric(k->design, c, k->objective))) {
		k->unpriced++;
		x->why.unknown++;
		x->why.unknown_metric = k->objective;
		return 0;
	}
	for (i = 0; k->keep > 1 && i < k->count; i++) {
		if (!is_same_design(&k->best[i], c))
			continue;
		if (rank_compare(k, c, &k->best[i]) >= 0)
			return 0;
		rank_remove(k, i);
		break;
	}
	for (i = k->count; i > 0 && rank_compare(k, c, &k->best[i - 1]) < 0; i--)
		;
	if (i == k->keep)
		return 0;
	if (k->count < k->keep)
		k->count++;
	memmove(&k->best[i + 1], &k->best[i], (k->count - 1 - i) * sizeof(*k->best));
	k->best[i] = *c;
	return 0;
}

static void exclusions_release(struct exclusions *why)
{
	free(why->by_limit);
	free(why->nearest);
	free(why->near);
}

static int exclusions_init(struct exclusions *why, size_t limits)
{
	exclusions_release(why);
	*why = (struct exclusions){
		.by_limit = calloc(limits + 1, sizeof(*why->by_limit)),
		.nearest = calloc(limits + 1, sizeof(*why->nearest)),
		.near = calloc(limits + 1, sizeof(*why->near)),
	};
	return why->by_limit && why->nearest && why->near ? 0 : -ENOMEM;
}

void ft_search_release(struct ft_search *search)
{
	free(search->best);
	*search = (struct ft_search){0};
}

static int enumeration_run(struct enumeration *x)
{
	const struct ft_design *design = x->rules.design;
	int r;

	r = exclusions_init(&x->why, design->limit_count);
	if (r < 0)
		return r;
	memcpy(x->rules.roles, design->roles, sizeof(x->rules.roles));
	x->rules.err = NULL;
	x->rules.blame = NULL;
	return enumerate(x);
}

/* Checks before every search: numbers that contradict each other for any switches. */
static int search_check(struct enumeration *x)
{
	const struct ft_design *design = x->rules.design;

	x->rules.err = x->err;
	x->rules.blame = x->blame;
	if (design->nodes_max < design->nodes)
		return ft_rules_error(&x->rules, NULL, "nodes_max", "nodes_max %u is less than nodes %u",
				      design->nodes_max, design->nodes);
	return 0;
}

int ft_search(const struct ft_design *design, const struct ft_menu *menu, size_t keep, struct ft_search *ret_search,
	      struct ft_error *err, struct ft_plan_blame *blame)
{
	_cleanup_free_ struct ft_candidate *best = calloc(keep + 1, sizeof(*best));
	struct ranking k = {.design = design, .best = best, .keep = keep, .objective = design->objective};
	struct enumeration x = {
		.rules.design = design, .menu = menu, .err = err, .blame = blame, .visit = rank_visit, .arg = &k};
	int r;

	if (!best)
		return -ENOMEM;
	r = search_check(&x);
	if (r < 0)
		return r;
	r = enumeration_run(&x);
	if (r == 0 && k.count == 0 && x.why.unknown && (!design->objective_given || !menu->from_catalog)) {
		k.objective = FT_METRIC_SWITCHES;
		k.fallback = true;
		k.unpriced = 0;
		r = enumeration_run(&x);
	}
	if (r == 0 && k.count == 0)
		r = search_failed(&x);
	exclusions_release(&x.why);
	if (r < 0)
		return r;
	*ret_search = (struct ft_search){FT_STEAL(best), k.count, k.objective, k.fallback, k.unpriced};
	return 0;
}

/* ---- the Pareto front ---- */

struct front {
	const struct ft_design *design;
	enum ft_metric a, b;
	struct ft_candidate *all;
	size_t count, size;
	uint64_t unpriced;
};

static int metric_compare(const struct front *f, const struct ft_candidate *x, const struct ft_candidate *y,
			  enum ft_metric metric)
{
	int order = ft_quantity_compare(ft_candidate_metric(f->design, x, metric),
					ft_candidate_metric(f->design, y, metric));

	return more_is_better(metric) ? -order : order;
}

/* At least as good as @y in both. */
static bool covers(const struct front *f, const struct ft_candidate *x, const struct ft_candidate *y)
{
	return metric_compare(f, x, y, f->a) <= 0 && metric_compare(f, x, y, f->b) <= 0;
}

/* The front is short, so a linear scan is fast. */
static int front_visit(struct enumeration *x, const struct ft_candidate *c)
{
	struct front *f = x->arg;
	size_t kept = 0;

	if (!ft_quantity_known(ft_candidate_metric(f->design, c, f->a)) ||
	    !ft_quantity_known(ft_candidate_metric(f->design, c, f->b))) {
		f->unpriced++;
		x->why.unknown++;
		x->why.unknown_metric = ft_quantity_known(ft_candidate_metric(f->design, c, f->a)) ? f->b : f->a;
		return 0;
	}
	for (size_t i = 0; i < f->count; i++)
		if (covers(f, &f->all[i], c))
			return 0;
	for (size_t i = 0; i < f->count; i++)
		if (!covers(f, c, &f->all[i]))
			f->all[kept++] = f->all[i];
	f->count = kept;
	if (f->count == f->size) {
		size_t size = f->size ? 2 * f->size : 64;
		struct ft_candidate *all = reallocarray(f->all, size, sizeof(*all));

		if (!all)
			return -ENOMEM;
		f->all = all;
		f->size = size;
	}
	f->all[f->count++] = *c;
	return 0;
}

static int front_order(const void *one, const void *other, void *arg)
{
	return metric_compare(arg, one, other, ((struct front *)arg)->a);
}

int ft_search_pareto(const struct ft_design *design, const struct ft_menu *menu, enum ft_metric a, enum ft_metric b,
		     struct ft_search *ret_search, struct ft_error *err, struct ft_plan_blame *blame)
{
	struct front f = {.design = design, .a = a, .b = b};
	struct enumeration x = {
		.rules.design = design, .menu = menu, .err = err, .blame = blame, .visit = front_visit, .arg = &f};
	int r;

	r = search_check(&x);
	if (r == 0)
		r = enumeration_run(&x);
	if (r == 0 && f.count == 0)
		r = search_failed(&x);
	exclusions_release(&x.why);
	if (r < 0) {
		free(f.all);
		return r;
	}
	qsort_r(f.all, f.count, sizeof(*f.all), front_order, &f);
	*ret_search = (struct ft_search){f.all, f.count, a, false, f.unpriced};
	return 0;
}
