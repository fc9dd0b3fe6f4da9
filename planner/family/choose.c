/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/plan/plan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "planner/family/classes.h"
#include "planner/family/graph.h"
#include "planner/family/islands.h"
#include "planner/family/rings.h"
#include "planner/family/rules.h"
#include "planner/family/search.h"
#include "planner/plan/graph_figures.h"
#include "planner/plan/wiring.h"
#include "planner/plan/tree.h"

static uint32_t digit_count(uint32_t value)
{
	uint32_t digits = 1;

	while (value >= 10) {
		value /= 10;
		digits++;
	}
	return digits;
}

/* The name of planned switch @index (from 0) of @count: as bound, or numbered. */
static char *switch_name(const struct ft_bind *bind, enum ft_tier tier, uint32_t index, uint32_t count)
{
	static const uint32_t digits_min[FT_TIER_COUNT] = {3, 2, 2};
	uint32_t digits = digit_count(count);
	char name[32];

	if (bind->count > 0)
		return strdup(bind->names[index]);
	if (digits < digits_min[tier])
		digits = digits_min[tier];
	snprintf(name, sizeof(name), "%s%0*u", ft_tier_name(tier), (int)digits, index + 1);
	return strdup(name);
}

bool ft_design_has_host_kinds(const struct ft_design *design)
{
	uint64_t hosts = 0;

	for (size_t i = 0; i < design->host_kind_count; i++)
		hosts += (uint64_t)design->host_kinds[i].count * design->host_kinds[i].hosts;
	return design->host_kind_count > 0 && hosts + ft_classes_upper_hosts(design) == design->nodes;
}

/* Hosts of edge switch @index of a design that has kinds. */
static uint32_t kind_hosts(const struct ft_design *design, uint32_t index)
{
	for (size_t i = 0; i < design->host_kind_count; i++) {
		if (index < design->host_kinds[i].count)
			return design->host_kinds[i].hosts;
		index -= design->host_kinds[i].count;
	}
	return 0;
}

/* Edge switches before @index in classes that give hosts. */
static uint32_t said_before(const struct ft_design *design, const struct ft_shape *s, uint32_t index)
{
	uint32_t first = s->e - ft_classes_count(design, FT_TIER_EDGE), said = 0;

	for (size_t i = 0; i < design->class_count && first < index; i++) {
		const struct ft_design_class *class = &design->classes[i];

		if (class->tier != FT_TIER_EDGE)
			continue;
		said += ft_pinned(class->hosts) ? ft_number_least(class->count, index - first) : 0;
		first += class->count;
	}
	return said;
}

/* Hosts on edge @index: each edge filled before the next, or all evenly. */
static uint32_t hosts_on(const struct ft_design *design, const struct ft_shape *s, uint32_t index)
{
	const struct ft_design_class *class = ft_classes_find(design, FT_TIER_EDGE, index, s->e);
	uint32_t nodes = design->nodes - ft_classes_hosts(design), edges = s->e - ft_classes_hosting_edges(design);
	uint32_t place = index - said_before(design, s, index);
	uint64_t before = (uint64_t)place * s->n;

	/* For another number of nodes, as in a stage, the listed hosts do not apply. */
	if (ft_design_has_host_kinds(design))
		return kind_hosts(design, index);
	if (class && ft_pinned(class->hosts))
		return class->hosts;
	if (s->even)
		return nodes / edges + (place < nodes % edges);
	return before >= nodes ? 0 : ft_number_least(s->n, nodes - (uint32_t)before);
}

/* A plan under construction. */
struct build {
	const struct ft_design *design;
	const struct ft_candidate *candidate;
	const struct ft_shape *s;
	struct ft_plan *plan;
	struct ft_rules rules; /* receives complaints */
	uint32_t spines;
	uint32_t *shares; /* scratch space for the bundles of one switch; not owned */
};

static struct ft_plan_switch *switch_add(struct build *b, enum ft_tier tier, uint32_t index, uint32_t count)
{
	const struct ft_design_class *class = ft_classes_find(b->design, tier, index, count);
	struct ft_plan_switch *sw = &b->plan->switches[b->plan->switch_count];

	sw->name = switch_name(&b->design->binds[tier], tier, index, count);
	if (!sw->name)
		return NULL;
	sw->tier = tier;
	sw->ports = class && ft_pinned(class->ports) ? class->ports : b->candidate->types[tier]->ports;
	if (class && ft_pinned(class->hosts))
		sw->hosts = sw->hosts_rule = class->hosts;
	sw->pod = sw->plane = FT_NONE;
	b->plan->switch_count++;
	if (b->design->roles[tier].interfaces) {
		sw->interfaces = strdup(b->design->roles[tier].interfaces);
		if (!sw->interfaces)
			return NULL;
	}
	return sw;
}

static int edges_add(struct build *b)
{
	uint32_t pod = 0, place = 0, size = b->s->levels == 3 ? ft_rules_pod_edges(b->design, b->s, 0) : b->s->e;

	for (uint32_t i = 0; i < b->s->e; i++) {
		struct ft_plan_switch *sw = switch_add(b, FT_TIER_EDGE, i, b->s->e);

		if (!sw)
			return -ENOMEM;
		sw->hosts = sw->hosts_rule = hosts_on(b->design, b->s, i);
		sw->pod = pod;
		sw->place = place++;
		if (place == size && b->s->levels == 3) {
			place = 0;
			size = ft_rules_pod_edges(b->design, b->s, ++pod);
		}
	}
	return 0;
}

/* Spines of one pod in one plane. */
static uint32_t plane_spines(const struct build *b)
{
	return b->s->pod_spines / b->s->planes;
}

static int spines_add(struct build *b)
{
	for (uint32_t i = 0; i < b->spines; i++) {
		struct ft_plan_switch *sw = switch_add(b, FT_TIER_SPINE, i, b->spines);

		if (!sw)
			return -ENOMEM;
		sw->pod = i / b->s->pod_spines;
		sw->place = i % b->s->pod_spines;
		sw->plane = sw->place / plane_spines(b);
	}
	return 0;
}

static int cores_add(struct build *b)
{
	uint32_t plane_cores = b->plan->tree->plane_cores;

	for (uint32_t i = 0; i < b->s->cores; i++) {
		struct ft_plan_switch *sw = switch_add(b, FT_TIER_CORE, i, b->s->cores);

		if (!sw)
			return -ENOMEM;
		sw->plane = i / plane_cores;
		sw->place = i % plane_cores;
	}
	return 0;
}

static int switches_fill(struct build *b)
{
	uint32_t count = b->s->e + b->spines + b->s->cores;
	int r;

	b->plan->switches = calloc(count, sizeof(*b->plan->switches));
	if (!b->plan->switches)
		return -ENOMEM;
	r = edges_add(b);
	if (r == 0)
		r = spines_add(b);
	return r < 0 ? r : cores_add(b);
}

/*
 * Adds the bundles of lower switch @low to @count upper ones from index @first on, with @shares cables each, in its
 * ports from @port on.
 */
static void bundles_add(struct build *b, uint32_t low, uint32_t first, uint32_t count, const uint32_t *shares,
			uint32_t place, uint32_t port)
{
	for (uint32_t i = 0; i < count; i++) {
		/* A class may have no cable to one of them. */
		if (shares[i] == 0)
			continue;
		b->plan->bundles[b->plan->bundle_count++] =
			(struct ft_plan_bundle){low, first + i, shares[i], port, place * shares[i] + 1};
		port += shares[i];
	}
}

/*
 * The shares of switch @index, from 0, of the @count of @tier: the usual ones, or those of its class, which are written
 * to @b->shares. Returns 0 or -EINVAL.
 */
static int shares_find(struct build *b, enum ft_tier tier, uint32_t index, uint32_t count, const uint32_t *usual,
		       uint32_t uppers, const uint32_t **ret_shares)
{
	const struct ft_design_class *class = ft_classes_find(b->design, tier, index, count);

	*ret_shares = class ? b->shares : usual;
	return class ? ft_classes_shares(&b->rules, class, usual, uppers, b->shares) : 0;
}

/* From every edge: two levels, to all cores; three, to the spines of its pod. */
static int edge_bundles(struct build *b, const uint32_t *usual)
{
	bool three = b->s->levels == 3;
	uint32_t uppers = three ? b->s->pod_spines : b->s->cores;

	for (uint32_t e = 0; e < b->s->e; e++) {
		const struct ft_plan_switch *sw = &b->plan->switches[e];
		const uint32_t *shares;
		int r = shares_find(b, FT_TIER_EDGE, e, b->s->e, usual, uppers, &shares);

		if (r < 0)
			return r;
		bundles_add(b, e, b->s->e + (three ? sw->pod * b->s->pod_spines : 0), uppers, shares, sw->place,
			    b->s->n + 1);
	}
	return 0;
}

/* From every spine to the cores of its plane, according to the spine's position in its pod. */
static int spine_bundles(struct build *b, const uint32_t *usual)
{
	for (uint32_t i = 0; i < b->spines; i++) {
		const struct ft_plan_switch *sw = &b->plan->switches[b->s->e + i];
		const uint32_t *shares;
		int r = shares_find(b, FT_TIER_SPINE, i, b->spines, usual, b->s->plane_cores, &shares);

		if (r < 0)
			return r;
		bundles_add(b, b->s->e + i, b->s->e + b->spines + sw->plane * b->s->plane_cores, b->s->plane_cores,
			    shares, sw->pod * plane_spines(b) + sw->place % plane_spines(b), b->s->spine_down + 1);
	}
	return 0;
}

static int bundles_fill(struct build *b)
{
	uint32_t edge_uppers = b->s->levels == 3 ? b->s->pod_spines : b->s->cores;
	_cleanup_free_ uint32_t *shares = calloc(2 * (edge_uppers + b->s->plane_cores + 1UL), sizeof(*shares));
	size_t count = (size_t)b->s->e * edge_uppers + (size_t)b->spines * b->s->plane_cores +
		       ft_rings_bundles(b->design, b->s);
	int r;

	if (b->s->cores == 0)
		return shares ? 0 : -ENOMEM;
	b->plan->bundles = calloc(count, sizeof(*b->plan->bundles));
	if (!shares || !b->plan->bundles)
		return -ENOMEM;
	ft_rules_spread(b->design, b->s->c, b->s->b, edge_uppers, shares);
	b->shares = shares + edge_uppers + b->s->plane_cores;
	r = edge_bundles(b, shares);
	if (r == 0 && b->s->levels == 3) {
		ft_rules_spread(b->design, b->s->spine_up, b->s->spine_b, b->s->plane_cores, shares);
		r = spine_bundles(b, shares);
	}
	b->shares = NULL;
	if (r == 0 && b->design->class_count > 0)
		r = ft_classes_wire(&b->rules, b->plan);
	if (r == 0 && b->plan->tree->rings)
		r = ft_rings_wire(&b->rules, b->plan);
	return r;
}

static int name_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Names must be unique: a bound name of one tier may collide with a numbered one of another. */
static int check_names(const struct build *b)
{
	const struct ft_plan *plan = b->plan;
	_cleanup_free_ const char **names = NULL;
	bool bound = false;

	for (int tier = 0; tier < FT_TIER_COUNT; tier++)
		bound |= b->design->binds[tier].count > 0;
	if (!bound)
		return 0;
	names = calloc(plan->switch_count, sizeof(*names));
	if (!names)
		return -ENOMEM;
	for (uint32_t i = 0; i < plan->switch_count; i++)
		names[i] = plan->switches[i].name;
	qsort(names, plan->switch_count, sizeof(*names), name_compare);
	for (uint32_t i = 1; i < plan->switch_count; i++)
		if (strcmp(names[i - 1], names[i]) == 0)
			return ft_rules_error(&b->rules, "bind", NULL,
					      "\"%s\" is bound, and the name of another planned switch too", names[i]);
	return 0;
}

/* Hosts as built must fit the ports, and their list the number of edges. */
static int check_hosts(const struct build *b)
{
	uint64_t edges = 0;

	if (!ft_design_has_host_kinds(b->design))
		return 0;
	for (size_t i = 0; i < b->design->host_kind_count; i++) {
		if (b->design->host_kinds[i].hosts > b->s->n &&
		    !ft_classes_find(b->design, FT_TIER_EDGE, (uint32_t)edges, b->s->e))
			return ft_rules_error(
				&b->rules, "edge", "hosts",
				"edge.hosts gives edge switches %u host%s, but they have %u port%s to nodes",
				b->design->host_kinds[i].hosts, ft_text_s(b->design->host_kinds[i].hosts), b->s->n,
				ft_text_s(b->s->n));
		edges += b->design->host_kinds[i].count;
	}
	if (edges != b->s->e)
		return ft_rules_error(&b->rules, "edge", "hosts",
				      "edge.hosts is of %" PRIu64 " edge switch%s, but %u are planned", edges,
				      ft_text_es(edges), b->s->e);
	return 0;
}

static int check_binds(const struct build *b)
{
	const uint32_t planned[FT_TIER_COUNT] = {b->s->e, b->spines, b->s->cores};
	const char *what = b->s->topology == FT_TOPOLOGY_STAR ? "a star" : "a tree of two levels";

	for (enum ft_tier tier = FT_TIER_EDGE; tier < FT_TIER_COUNT; tier++) {
		const struct ft_bind *bind = &b->design->binds[tier];
		const char *name = ft_tier_name(tier);

		if (planned[tier] == 0 && (bind->count || bind->match))
			return ft_rules_error(&b->rules, "bind", name, "%s has no %s level, but bind.%s is given", what,
					      name, name);
		if (bind->count && bind->count != planned[tier])
			return ft_rules_error(&b->rules, "bind", name,
					      "bind.%s names %zu switch%s, but the plan has %u", name, bind->count,
					      ft_text_es(bind->count), planned[tier]);
	}
	return 0;
}

/* The name of the entry, if it differs from that of the type. */
static int family_fill(struct ft_plan *plan, enum ft_tier tier, const struct ft_switch_type *type)
{
	if (!type->family || strcmp(type->family, plan->models[tier]) == 0)
		return 0;
	plan->families[tier] = strdup(type->family);
	return plan->families[tier] ? 0 : -ENOMEM;
}

/* The catalog's data of a board, if the design gives none. */
static int inside_take(const struct build *b, enum ft_tier tier, uint32_t *member, uint32_t catalog, const char *what)
{
	if (catalog && *member && *member != catalog)
		return ft_rules_error(&b->rules, ft_tier_name(tier), "inside",
				      "the inside of the %s switches has %u %s, but by the catalog these are %u",
				      ft_tier_name(tier), *member, what, catalog);
	if (!*member)
		*member = catalog;
	return 0;
}

/* The inside of a director: from the design or else from the catalog. */
static int inside_fill(struct build *b, enum ft_tier tier, const struct ft_switch_type *type)
{
	const struct ft_design_role *role = &b->design->roles[tier];
	struct ft_inside in = role->inside;
	struct ft_error why = {0};
	const char *key;
	int r;

	if (!type->modular)
		return 0;
	r = inside_take(b, tier, &in.line_boards, type->line_boards, "line boards");
	if (r == 0)
		r = inside_take(b, tier, &in.line_boards_max, type->line_boards_max, "slots for line boards");
	if (r == 0)
		r = inside_take(b, tier, &in.line_ports, type->line_board_ports, "ports a line board");
	if (r == 0)
		r = inside_take(b, tier, &in.fabric_boards, type->fabric_boards, "fabric boards");
	if (r == 0)
		r = inside_take(b, tier, &in.fabric_boards_max, type->fabric_boards_max, "slots for fabric boards");
	if (r < 0)
		return r;
	/* A catalog may count external ports that are on no board. */
	if ((uint64_t)in.line_boards * in.line_ports != type->ports && type->name)
		in = role->inside;
	in.line_boards_max = in.line_boards_max ? in.line_boards_max : in.line_boards;
	in.fabric_boards_max = in.fabric_boards_max ? in.fabric_boards_max : in.fabric_boards;
	if (ft_inside_check(&in, type->ports, &why, &key) < 0)
		return ft_rules_error(&b->rules, ft_tier_name(tier), "inside", "%s", why.text);
	b->plan->inside[tier] = in;
	return 0;
}

static int models_fill(struct build *b)
{
	for (enum ft_tier tier = FT_TIER_EDGE; tier < FT_TIER_COUNT; tier++) {
		const struct ft_switch_type *type = b->candidate->types[tier];
		const char *model = type && type->name ? type->name : NULL;
		int r;

		if (!type)
			continue;
		/* A switch given by ports may have a name all the same: that of the plan it was read with. */
		if (!model)
			model = b->design->roles[tier].model;
		b->plan->directors[tier] = type->modular;
		b->plan->mac_tables[tier] =
			b->design->roles[tier].mac_table ? b->design->roles[tier].mac_table : type->mac_table;
		r = inside_fill(b, tier, type);
		if (r < 0)
			return r;
		if (type->fabric_boards < type->fabric_boards_max) {
			b->plan->fabric_boards[tier] = type->fabric_boards;
			b->plan->fabric_boards_max[tier] = type->fabric_boards_max;
		}
		if (!model)
			continue;
		b->plan->models[tier] = strdup(model);
		if (!b->plan->models[tier] || family_fill(b->plan, tier, type) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int blade_fill(struct build *b)
{
	const struct ft_blade *blade = &b->candidate->types[FT_TIER_EDGE]->blade;

	b->plan->blade_servers = blade->servers;
	b->plan->blade_size_u = blade->size_u;
	b->plan->blade_rack_chassis = blade->rack_chassis;
	if (!blade->pass_through)
		return 0;
	b->plan->blade_pass_through = strdup(blade->pass_through);
	return b->plan->blade_pass_through ? 0 : -ENOMEM;
}

static void spines_figures(struct build *b)
{
	struct ft_plan *plan = b->plan;
	const struct ft_shape *s = b->s;

	plan->tree->spine_blocking = (struct ft_ratio){1, 1};
	plan->tree->pods = s->pods;
	plan->tree->pods_max = s->pods_max;
	plan->tree->pod_edges = s->levels == 3 ? s->pod_edges : s->e_max;
	plan->tree->plane_cores = s->levels == 3 ? s->plane_cores : s->cores;
	if (s->levels < 3)
		return;
	plan->tree->spine_count = b->spines;
	plan->tree->spine_ports = b->candidate->types[FT_TIER_SPINE]->ports;
	plan->tree->spine_ports_down = s->spine_down;
	plan->tree->spine_ports_up = s->spine_up;
	plan->tree->spine_bundle = s->spine_b;
	plan->tree->pod_spines = s->pod_spines;
	plan->tree->planes = s->planes;
	plan->general |= s->planes < s->pod_spines;
	/* Each spine divides its core ports by the uplinks of a full pod. */
	ft_ratio_make((int64_t)s->pod_edges * s->b, s->spine_up, &plan->tree->spine_blocking);
}

static uint32_t metric_count(const struct build *b, enum ft_metric metric)
{
	return (uint32_t)ft_candidate_metric(b->design, b->candidate, metric).num;
}

static void figures_fill(struct build *b)
{
	const struct ft_candidate *c = b->candidate;
	const struct ft_shape *s = b->s;
	struct ft_plan *plan = b->plan;

	plan->topology = s->topology;
	plan->tree->levels = s->levels;
	plan->clos = metric_count(b, FT_METRIC_CLOS);
	plan->nodes = b->design->nodes;
	plan->nodes_max = b->design->nodes_max;
	plan->tree->edge_count = s->e;
	plan->tree->edge_ports = c->types[FT_TIER_EDGE]->ports;
	plan->tree->ports_to_nodes = s->n;
	plan->tree->ports_to_core = s->c;
	plan->tree->fill = s->even ? FT_FILL_UNIFORM : FT_FILL_DENSE;
	plan->tree->core_count = s->cores;
	plan->tree->core_ports = c->types[FT_TIER_CORE] ? c->types[FT_TIER_CORE]->ports : 0;
	plan->tree->bundle = s->b;
	plan->tree->blocking = (struct ft_ratio){1, 1};
	if (s->c)
		ft_ratio_make(s->n, s->c, &plan->tree->blocking);
	plan->links = c->links;
	plan->spare_ports = metric_count(b, FT_METRIC_SPARE_PORTS);
	plan->tree->expandable_to = metric_count(b, FT_METRIC_EXPANDABLE_TO);
	plan->cost = c->cost;
	plan->power_w = c->power_w;
	plan->weight_kg = c->weight_kg;
	plan->size_u = c->size_u;
	plan->tree->classes = b->design->class_count > 0;
	plan->tree->rings = ft_rings_cables(b->design, s) > 0;
	plan->general = plan->tree->classes || plan->tree->rings;
	spines_figures(b);
}

/* Those of a tree, in the order of enum ft_tier. */
static int kinds_fill(struct ft_plan *plan)
{
	plan->kinds = calloc(FT_TIER_COUNT, sizeof(*plan->kinds));
	if (!plan->kinds)
		return -ENOMEM;
	for (uint32_t tier = 0; tier < FT_TIER_COUNT; tier++) {
		plan->kinds[tier] = (struct ft_plan_kind){
			.name = strdup(ft_tier_name(tier)), .may_host = tier == FT_TIER_EDGE, .rank = tier};
		plan->kind_count++;
		if (!plan->kinds[tier].name)
			return -ENOMEM;
	}
	for (uint32_t i = 0; i < plan->switch_count; i++) {
		plan->switches[i].kind = plan->switches[i].tier;
		plan->kinds[plan->switches[i].kind].may_host |= plan->switches[i].hosts > 0;
	}
	return 0;
}

static bool has_tier(const struct ft_plan *plan, enum ft_tier tier)
{
	for (uint32_t i = 0; i < plan->switch_count; i++)
		if (plan->switches[i].tier == tier)
			return true;
	return false;
}

/* The kinds of a family's switches without hosts count as of the core; all are of one model. */
static int family_models_fill(struct build *b)
{
	static const enum ft_tier other = FT_TIER_CORE;
	char **models = b->plan->models, **families = b->plan->families;
	int r = models_fill(b);

	b->plan->mac_tables[other] = b->plan->mac_tables[FT_TIER_EDGE];
	if (r < 0 || !has_tier(b->plan, other))
		return r;
	models[other] = models[FT_TIER_EDGE] ? strdup(models[FT_TIER_EDGE]) : NULL;
	families[other] = families[FT_TIER_EDGE] ? strdup(families[FT_TIER_EDGE]) : NULL;
	return (models[FT_TIER_EDGE] && !models[other]) || (families[FT_TIER_EDGE] && !families[other]) ? -ENOMEM : 0;
}

static int family_build(struct build *b, struct ft_plan **ret_plan)
{
	const struct ft_candidate *c = b->candidate;
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	int r;

	r = ft_family_plan(b->design, &c->layout, c->types[FT_TIER_EDGE]->ports, &plan, b->rules.err, b->rules.blame);
	if (r < 0)
		return r;
	b->plan = plan;
	plan->technology = b->design->technology;
	plan->without_vlans = !b->design->vlans;
	plan->cost = c->cost;
	plan->power_w = c->power_w;
	plan->weight_kg = c->weight_kg;
	plan->size_u = c->size_u;
	plan->tree->edge_ports = c->types[FT_TIER_EDGE]->ports;
	r = family_models_fill(b);
	if (r == 0)
		r = check_names(b);
	if (r == 0)
		*ret_plan = FT_STEAL(plan);
	return r;
}

/*
 * Classes of edge switches that have no core switch in common are farther apart than a tree has levels: islands of one
 * age each, joined at their tops.
 */
static int classes_hops(const struct build *b)
{
	uint32_t switches;
	int r;

	if (!b->plan->tree->classes)
		return 0;
	r = ft_graph_farthest(b->plan, &switches);
	if (r == 0 && switches > b->plan->clos)
		b->plan->clos = switches;
	return r;
}

int ft_plan_build(const struct ft_design *design, const struct ft_candidate *candidate, struct ft_plan **ret_plan,
		  struct ft_error *err, struct ft_plan_blame *blame)
{
	_cleanup_(ft_plan_freep) struct ft_plan *plan = ft_plan_new();
	struct build b = {
		.design = design,
		.candidate = candidate,
		.s = &candidate->shape,
		.plan = plan,
		.rules = {.design = design, .err = err, .blame = blame},
		.spines = ft_shape_spines(&candidate->shape),
	};
	int r;

	if (!plan)
		return -ENOMEM;
	plan->technology = design->technology;
	plan->without_vlans = !design->vlans;
	if (candidate->layout.family)
		return family_build(&b, ret_plan);
	r = check_binds(&b);
	if (r == 0)
		r = check_hosts(&b);
	if (r < 0)
		return r;
	figures_fill(&b);
	r = models_fill(&b);
	if (r == 0)
		r = blade_fill(&b);
	if (r == 0)
		r = switches_fill(&b);
	if (r == 0)
		r = kinds_fill(plan);
	if (r == 0)
		r = bundles_fill(&b);
	if (r == 0)
		r = classes_hops(&b);
	if (r == 0)
		r = check_names(&b);
	if (r == 0)
		r = ft_islands_plan(&b.rules, plan);
	if (r < 0)
		return r;
	*ret_plan = FT_STEAL(plan);
	return 0;
}

const char *ft_kind_word(const char *name)
{
	return strcmp(name, "switch") == 0 ? "" : name;
}

const char *ft_plan_kind_name(const struct ft_plan *plan, uint32_t index)
{
	const struct ft_plan_switch *sw = &plan->switches[index];
	const char *name = sw->kind < plan->kind_count ? plan->kinds[sw->kind].name : ft_tier_name(sw->tier);

	return ft_kind_word(name);
}

const struct ft_design_class *ft_plan_class_of(const struct ft_design *design, const struct ft_plan *plan,
					       uint32_t index)
{
	enum ft_tier tier = plan->switches[index].tier;

	if (!plan->tree->classes || ft_plan_is_beside(plan, index))
		return NULL;
	return ft_classes_find(design, tier, index - ft_plan_tier_first(plan, tier), ft_plan_tier_count(plan, tier));
}

/* Mb/s; 0: not said. */
static double end_mbps(const struct ft_design *design, const struct ft_plan *plan, uint32_t index)
{
	const struct ft_design_class *class = ft_plan_class_of(design, plan, index);
	const struct ft_rates *rates =
		class && class->uplink_rates.count > 0 ? &class->uplink_rates : &design->uplink_rates;

	return rates->count > 0 ? ft_rate_data_mbps(rates->rates[0]) : 0;
}

double ft_plan_cable_mbps(const struct ft_design *design, const struct ft_plan *plan,
			  const struct ft_plan_bundle *bundle)
{
	double a = end_mbps(design, plan, bundle->a), b = end_mbps(design, plan, bundle->b);

	return b <= 0 || (a > 0 && a < b) ? a : b;
}

bool ft_plan_has_ranks(const struct ft_plan *plan)
{
	for (uint32_t i = 0; i < plan->kind_count; i++)
		if (plan->kinds[i].rank == FT_NONE && !plan->kinds[i].beside)
			return false;
	return plan->kind_count > 0;
}

uint32_t ft_plan_host_ports(const struct ft_plan *plan, uint32_t index)
{
	bool own = (plan->general && !plan->amended) || ft_plan_is_beside(plan, index);

	return own ? plan->switches[index].hosts : plan->tree->ports_to_nodes;
}

struct ft_ratio ft_plan_blocking_of(const struct ft_plan *plan, uint32_t level)
{
	if (level == 0)
		return plan->tree->blocking;
	return level == 1 && plan->tree->levels == 3 ? plan->tree->spine_blocking : (struct ft_ratio){1, 1};
}

/* The notes about a choice, if there was one. */
static void figures_of_search(struct ft_plan *plan, const struct ft_search *search, const struct ft_menu *menu)
{
	plan->fallback_objective = search->fallback && menu->from_catalog;
	plan->unpriced = menu->from_catalog ? search->unpriced : 0;
}

/* The catalog of the switches, if any: their names are meaningless without it. */
static int catalog_fill(struct ft_plan *plan, const struct ft_catalog *catalog)
{
	bool models = false;

	for (int tier = 0; tier < FT_TIER_COUNT; tier++)
		models |= plan->models[tier] != NULL;
	if (!catalog || !models)
		return 0;
	plan->catalog = strdup(catalog->name);
	return plan->catalog ? 0 : -ENOMEM;
}

int ft_plan_make_blame(const struct ft_design *design, const struct ft_catalog *catalog, struct ft_plan **ret_plan,
		       struct ft_error *err, struct ft_plan_blame *ret_blame)
{
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	_cleanup_(ft_search_release) struct ft_search search = {0};
	_cleanup_(ft_menu_release) struct ft_menu menu = {0};
	int r;

	if (design->topology == FT_TOPOLOGY_GRAPH && !design->family) {
		r = ft_graph_plan(&design->graph, ret_plan);
		if (r == 0)
			(*ret_plan)->technology = design->technology;
		return r;
	}
	r = ft_menu_make(design, catalog, &menu, err, ret_blame);
	if (r == 0)
		r = ft_search(design, &menu, 1, &search, err, ret_blame);
	if (r == 0)
		r = ft_plan_build(design, &search.best[0], &plan, err, ret_blame);
	if (r == 0)
		r = catalog_fill(plan, catalog);
	if (r < 0)
		return r;
	figures_of_search(plan, &search, &menu);
	*ret_plan = FT_STEAL(plan);
	return 0;
}

int ft_plan_make(const struct ft_design *design, struct ft_plan **ret_plan, struct ft_error *err)
{
	struct ft_plan_blame blame = {0};

	return ft_plan_make_blame(design, NULL, ret_plan, err, &blame);
}

uint32_t ft_plan_find_bundle(const struct ft_plan *plan, uint32_t a, uint32_t b)
{
	uint32_t lower = a < b ? a : b, upper = a < b ? b : a, tree = ft_plan_tree_bundles(plan);
	bool beside = upper >= ft_plan_tree_switches(plan);
	uint32_t low = beside ? tree : 0, high = beside ? plan->bundle_count : tree;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct ft_plan_bundle *bundle = &plan->bundles[middle];

		if (bundle->a < lower || (bundle->a == lower && bundle->b < upper))
			low = middle + 1;
		else
			high = middle;
	}
	if (low < plan->bundle_count && plan->bundles[low].a == lower && plan->bundles[low].b == upper)
		return low;
	return FT_NONE;
}

void ft_plan_hosts_free(struct ft_plan_host *hosts, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		free(hosts[i].name);
		free(hosts[i].adapter);
	}
	free(hosts);
}

struct ft_plan *ft_plan_new(void)
{
	_cleanup_(ft_plan_freep) struct ft_plan *plan = calloc(1, sizeof(*plan));

	if (!plan)
		return NULL;
	plan->bisection = FT_BISECTION_UNKNOWN;
	plan->tree = calloc(1, sizeof(*plan->tree));
	return plan->tree ? FT_STEAL(plan) : NULL;
}

void ft_plan_free(struct ft_plan *plan)
{
	if (!plan)
		return;
	for (uint32_t i = 0; i < plan->switch_count; i++) {
		free(plan->switches[i].name);
		free(plan->switches[i].interfaces);
		free(plan->switches[i].alias);
		free(plan->switches[i].alias_full);
	}
	free(plan->tree);
	free(plan->label);
	for (int tier = 0; tier < FT_TIER_COUNT; tier++)
		free(plan->models[tier]);
	for (int tier = 0; tier < FT_TIER_COUNT; tier++)
		free(plan->families[tier]);
	free(plan->catalog);
	free(plan->blade_pass_through);
	for (uint32_t i = 0; i < plan->kind_count; i++)
		free(plan->kinds[i].name);
	free(plan->kinds);
	free(plan->switches);
	free(plan->bundles);
	free(plan->cables);
	ft_plan_hosts_free(plan->hosts, plan->host_count);
	free(plan);
}
