/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/plan/plan.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "planner/ethernet/vlans.h"
#include "planner/plan/figures.h"
#include "planner/plan/tree.h"

enum {
	EMBED_INDENT = 2, /* of a "plan" that is added to a design */
};

/* A JSON document on its way out. */
struct writer {
	struct ft_text *text;
	unsigned int indent; /* blanks a level; 0: all on one line */
	unsigned int level;
	bool first; /* nothing was written on this level yet */
};

static void json_break(const struct writer *w)
{
	if (w->indent)
		ft_text_printf(w->text, "\n%*s", (int)(w->indent * w->level), "");
}

static void json_next(struct writer *w)
{
	if (!w->first)
		ft_text_puts(w->text, w->indent ? "," : ", ");
	json_break(w);
	w->first = false;
}

static void json_open(struct writer *w, const char *bracket)
{
	ft_text_puts(w->text, bracket);
	w->level++;
	w->first = true;
}

static void json_close(struct writer *w, const char *bracket)
{
	w->level--;
	if (!w->first)
		json_break(w);
	ft_text_puts(w->text, bracket);
	w->first = false;
}

static void json_key(struct writer *w, const char *key)
{
	json_next(w);
	ft_text_printf(w->text, "\"%s\": ", key);
}

static void json_count(struct writer *w, const char *key, uint32_t value)
{
	json_key(w, key);
	ft_text_printf(w->text, "%u", value);
}

static void json_word(struct writer *w, const char *key, const char *value)
{
	json_key(w, key);
	ft_text_add_json(w->text, value);
}

/* What only a switch catalog knows may be unknown. */
static void json_quantity(struct writer *w, const char *key, struct ft_quantity quantity)
{
	json_key(w, key);
	ft_quantity_add_json(w->text, quantity);
}

static void json_model(struct writer *w, const struct ft_plan *plan, enum ft_tier tier)
{
	json_key(w, "model");
	if (plan->models[tier])
		ft_text_add_json(w->text, plan->models[tier]);
	else
		ft_text_puts(w->text, "null");
	if (plan->families[tier])
		json_word(w, "family", plan->families[tier]);
}

/* What is known of it. */
static void json_inside(struct writer *w, const struct ft_inside *inside)
{
	bool any = false;

	for (unsigned int i = 0; i < FT_INSIDE_KEYS; i++) {
		if (ft_inside_get(inside, i) == 0)
			continue;
		if (!any) {
			json_key(w, "inside");
			json_open(w, "{");
		}
		any = true;
		json_count(w, ft_inside_keys[i].name, ft_inside_get(inside, i));
	}
	if (any)
		json_close(w, "}");
}

/* A modular switch without all of its fabric boards blocks inside. */
static void json_boards(struct writer *w, const struct ft_plan *plan, enum ft_tier tier)
{
	if (plan->directors[tier]) {
		json_key(w, "director");
		ft_text_puts(w->text, "true");
		json_inside(w, &plan->inside[tier]);
	}
	if (!plan->fabric_boards[tier])
		return;
	json_count(w, "fabric_boards", plan->fabric_boards[tier]);
	json_quantity(w, "internal_blocking",
		      (struct ft_quantity){plan->fabric_boards_max[tier], plan->fabric_boards[tier]});
}

static void json_spine(struct writer *w, const struct ft_plan *plan)
{
	json_key(w, "spine");
	json_open(w, "{");
	json_count(w, "count", plan->tree->spine_count);
	json_model(w, plan, FT_TIER_SPINE);
	json_count(w, "ports", plan->tree->spine_ports);
	json_count(w, "ports_to_edge", plan->tree->spine_ports_down);
	json_count(w, "ports_to_core", plan->tree->spine_ports_up);
	json_count(w, "bundle", plan->tree->spine_bundle);
	json_key(w, "blocking");
	ft_ratio_add_json(w->text, plan->tree->spine_blocking);
	json_boards(w, plan, FT_TIER_SPINE);
	json_close(w, "}");
	json_key(w, "pods");
	json_open(w, "{");
	json_count(w, "count", plan->tree->pods);
	json_count(w, "count_max", plan->tree->pods_max);
	json_count(w, "edges", plan->tree->pod_edges);
	json_count(w, "spines", plan->tree->pod_spines);
	if (plan->tree->planes < plan->tree->pod_spines)
		json_count(w, "planes", plan->tree->planes);
	json_count(w, "plane_cores", plan->tree->plane_cores);
	json_close(w, "}");
}

/* What blade switches sit in. */
static void json_chassis(struct writer *w, const struct ft_plan *plan)
{
	if (!plan->blade_servers)
		return;
	json_key(w, "chassis");
	json_open(w, "{");
	json_count(w, "servers", plan->blade_servers);
	json_count(w, "size_u", plan->blade_size_u);
	json_count(w, "rack_chassis", plan->blade_rack_chassis);
	if (plan->blade_pass_through)
		json_word(w, "pass_through", plan->blade_pass_through);
	json_close(w, "}");
}

static void json_tiers(struct writer *w, const struct ft_plan *plan)
{
	json_key(w, "edge");
	json_open(w, "{");
	json_count(w, "count", plan->tree->edge_count);
	json_model(w, plan, FT_TIER_EDGE);
	json_count(w, "ports", plan->tree->edge_ports);
	json_count(w, "ports_to_nodes", plan->tree->ports_to_nodes);
	json_count(w, "ports_to_core", plan->tree->ports_to_core);
	json_word(w, "fill", ft_fill_name(plan->tree->fill));
	json_boards(w, plan, FT_TIER_EDGE);
	json_close(w, "}");
	if (plan->tree->levels == 3)
		json_spine(w, plan);
	json_key(w, "core");
	json_open(w, "{");
	json_count(w, "count", plan->tree->core_count);
	json_model(w, plan, FT_TIER_CORE);
	json_count(w, "ports", plan->tree->core_ports);
	json_boards(w, plan, FT_TIER_CORE);
	json_close(w, "}");
}

static void json_figures(struct writer *w, const struct ft_plan *plan)
{
	struct ft_figures f;

	ft_figures_take(plan, &f);
	json_key(w, "figures");
	json_open(w, "{");
	if (f.notation[0])
		json_word(w, "notation", f.notation);
	json_count(w, "bisection_links", f.bisection_links);
	json_quantity(w, "paths", ft_quantity_count((int64_t)f.paths));
	json_key(w, "clos_network");
	ft_text_printf(w->text, "{\"m\": %u, \"n\": %u, \"r\": %u, \"class\": \"%s\"}", f.clos_m, f.clos_n, f.clos_r,
		       ft_clos_class_name(f.clos_class));
	json_quantity(w, "mean_hops", f.mean_hops);
	json_quantity(w, "throughput_bound", f.throughput_bound);
	json_close(w, "}");
}

static void json_switch_tier(const struct writer *w, const struct ft_plan *plan, const struct ft_plan_switch *sw)
{
	ft_text_printf(w->text, ", \"tier\": \"%s\", \"model\": ", ft_tier_name(sw->tier));
	if (plan->models[sw->tier])
		ft_text_add_json(w->text, plan->models[sw->tier]);
	else
		ft_text_puts(w->text, "null");
}

static void json_switch_kind(const struct writer *w, const struct ft_plan *plan, const struct ft_plan_switch *sw)
{
	ft_text_add_member(w->text, "kind", plan->kinds[sw->kind].name);
	if (sw->guid)
		ft_text_printf(w->text, ", \"guid\": \"0x%016" PRIx64 "\"", sw->guid);
}

/* Lists have one entry a line. */
static void json_switches(struct writer *w, const struct ft_plan *plan)
{
	json_key(w, "switches");
	json_open(w, "[");
	for (uint32_t i = 0; i < ft_plan_tree_switches(plan); i++) {
		const struct ft_plan_switch *sw = &plan->switches[i];

		json_next(w);
		ft_text_puts(w->text, "{\"name\": ");
		ft_text_add_json(w->text, sw->name);
		if (plan->topology == FT_TOPOLOGY_GRAPH)
			json_switch_kind(w, plan, sw);
		else
			json_switch_tier(w, plan, sw);
		ft_text_printf(w->text, ", \"ports\": %u, \"hosts\": %u}", sw->ports, sw->hosts);
	}
	json_close(w, "]");
}

static void json_bundles(struct writer *w, const struct ft_plan *plan)
{
	json_key(w, "bundles");
	json_open(w, "[");
	for (uint32_t i = 0; i < ft_plan_tree_bundles(plan); i++) {
		const struct ft_plan_bundle *bundle = &plan->bundles[i];

		json_next(w);
		ft_text_puts(w->text, "{");
		ft_text_add_member(w->text, "a", plan->switches[bundle->a].name);
		ft_text_add_member(w->text, "b", plan->switches[bundle->b].name);
		ft_text_printf(w->text, ", \"count\": %u}", bundle->count);
	}
	json_close(w, "]");
}

static void json_islands(struct writer *w, const struct ft_plan *plan)
{
	if (plan->beside_switches == 0)
		return;
	json_key(w, "islands");
	ft_text_printf(w->text, "{\"switches\": %u, \"hosts\": %u, \"cables\": %u}", plan->beside_switches,
		       ft_plan_island_hosts(plan), ft_plan_island_cables(plan));
}

/* How many switches there are of each kind, in the order of the kinds. */
static void json_kinds(struct writer *w, const struct ft_plan *plan)
{
	json_key(w, "kinds");
	json_open(w, "{");
	for (uint32_t kind = 0; kind < plan->kind_count; kind++) {
		uint32_t count = 0;

		for (uint32_t i = 0; i < plan->switch_count; i++)
			count += plan->switches[i].kind == kind;
		json_next(w);
		ft_text_add_json(w->text, plan->kinds[kind].name);
		ft_text_printf(w->text, ": %u", count);
	}
	json_close(w, "}");
}

/* What the rules of a family settled, and what the catalog says of it. */
static void json_family(struct writer *w, const struct ft_plan *plan)
{
	json_word(w, "dims", plan->label);
	json_key(w, "edge");
	json_open(w, "{");
	json_count(w, "count", plan->tree->edge_count);
	json_model(w, plan, FT_TIER_EDGE);
	json_count(w, "ports", plan->tree->edge_ports);
	json_count(w, "ports_to_nodes", plan->tree->ports_to_nodes);
	json_count(w, "ports_to_core", plan->tree->ports_to_core);
	json_close(w, "}");
	json_count(w, "expandable_to", plan->tree->expandable_to);
	json_quantity(w, "cost", ft_quantity_amount(plan->cost));
	json_quantity(w, "power_w", ft_quantity_amount(plan->power_w));
	json_quantity(w, "weight_kg", ft_quantity_amount(plan->weight_kg));
	json_quantity(w, "size_u", ft_quantity_amount(plan->size_u));
}

/* Those that only the rules of a family give. */
static void json_graph_figures(struct writer *w, const struct ft_plan *plan)
{
	if (plan->bisection == FT_BISECTION_UNKNOWN)
		return;
	json_key(w, "figures");
	json_open(w, "{");
	json_quantity(w, "bisection_links", ft_quantity_count((int64_t)plan->bisection));
	json_close(w, "}");
}

/* What follows from the technology; nothing where the network has no VLANs. */
static void json_ethernet(struct writer *w, const struct ft_plan *plan)
{
	_cleanup_(ft_vlans_release) struct ft_vlans vlans = {0};
	const struct ft_plan tree = ft_plan_tree(plan);
	int r = plan->technology == FT_TECHNOLOGY_ETHERNET ? ft_vlans_make(&tree, 1, &vlans, NULL) : -EINVAL;

	w->text->failed |= r == -ENOMEM;
	if (r < 0)
		return;
	json_key(w, "ethernet");
	json_open(w, "{");
	json_count(w, "vlans", vlans.count);
	json_count(w, "virtual_switches", vlans.most);
	json_count(w, "static_entries", (uint32_t)ft_vlans_entries_most(&vlans));
	json_close(w, "}");
}

static void json_graph(struct writer *w, const struct ft_plan *plan)
{
	json_open(w, "{");
	if (plan->catalog)
		json_word(w, "catalog", plan->catalog);
	json_word(w, "topology", plan->family ? plan->family : ft_topology_name(plan->topology));
	if (plan->label)
		json_family(w, plan);
	json_count(w, "nodes", plan->nodes);
	json_count(w, "clos", plan->clos);
	json_quantity(w, "switch_hops",
		      plan->switch_pairs
			      ? (struct ft_quantity){(int64_t)plan->switch_cables, (int64_t)plan->switch_pairs}
			      : ft_quantity_count(0));
	json_graph_figures(w, plan);
	json_kinds(w, plan);
	json_count(w, "links", plan->links);
	json_count(w, "spare_ports", plan->spare_ports);
	json_switches(w, plan);
	json_bundles(w, plan);
	json_ethernet(w, plan);
	json_close(w, "}");
}

static void json_plan(struct writer *w, const struct ft_plan *plan)
{
	if (plan->topology == FT_TOPOLOGY_GRAPH) {
		json_graph(w, plan);
		return;
	}
	json_open(w, "{");
	/* The first to be compared: with another catalog all else is likely to differ. */
	if (plan->catalog)
		json_word(w, "catalog", plan->catalog);
	json_word(w, "topology", ft_topology_name(plan->topology));
	json_count(w, "levels", plan->tree->levels);
	json_count(w, "clos", plan->clos);
	json_tiers(w, plan);
	json_count(w, "bundle", plan->tree->bundle);
	json_key(w, "blocking");
	ft_ratio_add_json(w->text, plan->tree->blocking);
	json_count(w, "links", plan->links);
	json_count(w, "spare_ports", plan->spare_ports);
	json_count(w, "expandable_to", plan->tree->expandable_to);
	json_quantity(w, "cost", ft_quantity_amount(plan->cost));
	json_quantity(w, "power_w", ft_quantity_amount(plan->power_w));
	json_quantity(w, "weight_kg", ft_quantity_amount(plan->weight_kg));
	json_quantity(w, "size_u", ft_quantity_amount(plan->size_u));
	json_chassis(w, plan);
	if (!plan->tree->classes && !plan->tree->rings)
		json_figures(w, plan);
	json_switches(w, plan);
	json_bundles(w, plan);
	json_islands(w, plan);
	json_ethernet(w, plan);
	json_close(w, "}");
}

void ft_plan_write_json(struct ft_text *text, const struct ft_plan *plan, unsigned int indent)
{
	struct writer w = {.text = text, .indent = indent};

	json_plan(&w, plan);
}

int ft_plan_write_design(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan)
{
	_cleanup_(ft_json_release) struct ft_json json = {0};
	struct writer w = {.text = text, .indent = EMBED_INDENT, .level = 1};
	size_t start, end;
	int r;

	r = ft_json_read(design->text, design->text_length, &json, NULL);
	if (r < 0)
		return r;
	if (!json_is_object(json.root) || json_object_size(json.root) == 0)
		return -EINVAL;
	if (ft_json_member_span(&json, json.root, "plan", &start, &end) < 0) {
		start = end = ft_json_members_end(&json);
		ft_text_add(text, design->text, start);
		ft_text_printf(text, ",\n%*s\"plan\": ", EMBED_INDENT, "");
		json_plan(&w, plan);
		if (!strchr("\r\n", design->text[end]))
			ft_text_puts(text, "\n");
	} else {
		ft_text_add(text, design->text, start);
		json_plan(&w, plan);
	}
	ft_text_add(text, design->text + end, design->text_length - end);
	if (design->text[design->text_length - 1] != '\n')
		ft_text_puts(text, "\n");
	return ft_text_failed(text) ? -ENOMEM : 0;
}
