/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "base/numbers.h"
#include "planner/plan/plan.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "planner/ethernet/vlans.h"
#include "planner/family/classes.h"
#include "planner/plan/figures.h"
#include "planner/family/graph.h"
#include "planner/plan/tree.h"

enum {
	PAIRS_LISTED_MAX = 48, /* pairs of switches that are still printed one by one */
};

static void add_name(struct ft_text *text, const struct ft_plan_switch *sw)
{
	ft_text_add_safe(text, sw->name, strlen(sw->name));
}

static const char *plural(uint32_t count)
{
	return count == 1 ? "" : "s";
}

static void add_range(struct ft_text *text, uint32_t first, uint32_t count)
{
	if (count == 1)
		ft_text_printf(text, "port %u", first);
	else
		ft_text_printf(text, "ports %u-%u", first, first + count - 1);
}

/* The bundle from any edge switch to core switch @core (from 0): every edge has the same. */
static uint32_t bundle_to(const struct ft_plan *plan, uint32_t core)
{
	return plan->bundles[core].count;
}

/* "3 to core01, 2 to core02"; a run of equal ones is "9 to each of core01 to core04". */
static void add_bundle_pattern(struct ft_text *text, const struct ft_plan *plan)
{
	uint32_t same = 0;

	for (uint32_t core = 0; core < plan->tree->core_count; core += same) {
		for (same = 1; core + same < plan->tree->core_count; same++)
			if (bundle_to(plan, core + same) != bundle_to(plan, core))
				break;
		ft_text_printf(text, "%s%u to ", core ? ", " : "", bundle_to(plan, core));
		if (same > 1)
			ft_text_puts(text, "each of ");
		add_name(text, &plan->switches[plan->tree->edge_count + core]);
		if (same > 1) {
			ft_text_puts(text, same == 2 ? " and " : " to ");
			add_name(text, &plan->switches[plan->tree->edge_count + core + same - 1]);
		}
	}
}

static void text_fill(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan)
{
	uint32_t most = 0, least = UINT32_MAX;

	for (uint32_t i = 0; i < plan->tree->edge_count; i++) {
		most = plan->switches[i].hosts > most ? plan->switches[i].hosts : most;
		least = plan->switches[i].hosts < least ? plan->switches[i].hosts : least;
	}
	ft_text_printf(text, "Nodes: %u now, ", plan->nodes);
	if (ft_design_has_host_kinds(design))
		ft_text_puts(text, "on each edge switch as many as the design says: ");
	else if (plan->tree->fill == FT_FILL_UNIFORM)
		ft_text_puts(text, "spread evenly (uniform fill): ");
	else
		ft_text_puts(text, "each edge switch filled before the next (dense fill): ");
	if (most == least)
		ft_text_printf(text, "%u on every edge switch.\n", most);
	else
		ft_text_printf(text, "%u to %u on an edge switch.\n", least, most);
}

static void text_room(struct ft_text *text, const struct ft_plan *plan)
{
	ft_text_printf(text, "Room: %u port%s for nodes stay%s free on the edge switches of now.\n", plan->spare_ports,
		       plural(plan->spare_ports), plan->spare_ports == 1 ? "s" : "");
	/* Switches of classes are the last of their tier, and would not be once it grows. */
	if (plan->tree->classes)
		return;
	ft_text_printf(text, "Growth: up to %u node%s by adding %s", plan->tree->expandable_to,
		       ft_text_s(plan->tree->expandable_to),
		       plan->tree->levels == 3 ? "edge switches, and spines with each pod" : "edge switches");
	/* Hosts that are spread evenly would be spread anew. */
	ft_text_puts(text, plan->tree->fill == FT_FILL_UNIFORM
				   ? "; no cable between switches moves, but nodes may, as they are spread evenly.\n"
				   : ", with no cable of now moved.\n");
}

/* "54 watts", or nothing where it is not known. */
static void text_amount(struct ft_text *text, const char **between, int64_t amount, const char *unit)
{
	if (amount == FT_AMOUNT_UNKNOWN)
		return;
	ft_text_puts(text, *between);
	ft_quantity_add(text, ft_quantity_amount(amount));
	ft_text_puts(text, unit);
	*between = ", ";
}

static void text_amounts(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan,
			 const struct ft_catalog *catalog)
{
	const char *between = "Figures: ";
	bool modelled = plan->models[FT_TIER_EDGE] || plan->models[FT_TIER_CORE];

	text_amount(text, &between, plan->cost, "");
	if (plan->cost != FT_AMOUNT_UNKNOWN) {
		ft_catalog_add_currency(text, catalog);
		ft_text_puts(text, " for switches and cables");
		ft_catalog_add_time(text, catalog);
	}
	text_amount(text, &between, plan->power_w, " W");
	text_amount(text, &between, plan->weight_kg, " kg");
	text_amount(text, &between, plan->size_u, plan->size_u == FT_AMOUNT_UNIT ? " rack unit" : " rack units");
	if (*between == ',')
		ft_text_puts(text, ".\n");
	if (plan->unpriced)
		ft_text_printf(text, "Left out: %llu other choices, whose %s is not known.\n",
			       (unsigned long long)plan->unpriced, ft_metric_name(design->objective));
	if (modelled && plan->cost == FT_AMOUNT_UNKNOWN)
		ft_text_puts(text, "Cost: not known, as the catalog has no price for one of these switches.\n");
	if (plan->fallback_objective && !design->objective_given)
		ft_text_puts(text, "Choice: the fewest switches, then the fewest cables, as no cost is known.\n");
}

static void text_model(struct ft_text *text, const struct ft_plan *plan, enum ft_tier tier)
{
	if (!plan->models[tier])
		return;
	ft_text_puts(text, ", ");
	ft_text_add_safe(text, plan->models[tier], strlen(plan->models[tier]));
}

/* What is known of the directors. */
static void text_inside(struct ft_text *text, const struct ft_plan *plan)
{
	for (enum ft_tier tier = FT_TIER_EDGE; tier < FT_TIER_COUNT; tier++) {
		const struct ft_inside *in = &plan->inside[tier];

		if (!in->line_boards)
			continue;
		ft_text_printf(text, "Director: every %s switch has %u line %s of %u port%s", ft_tier_name(tier),
			       in->line_boards, in->line_boards == 1 ? "board" : "boards", in->line_ports,
			       ft_text_s(in->line_ports));
		if (in->fabric_boards)
			ft_text_printf(text, " and %u fabric %s", in->fabric_boards,
				       in->fabric_boards == 1 ? "board" : "boards");
		ft_text_puts(text, ".\n");
	}
}

/* A director that lacks fabric boards blocks inside, whatever is cabled outside. */
static void text_boards(struct ft_text *text, const struct ft_plan *plan)
{
	for (enum ft_tier tier = FT_TIER_EDGE; tier < FT_TIER_COUNT; tier++) {
		if (!plan->fabric_boards[tier])
			continue;
		ft_text_printf(text, "Inside: every %s switch has %u of its %u fabric board%s: it blocks by ",
			       ft_tier_name(tier), plan->fabric_boards[tier], plan->fabric_boards_max[tier],
			       ft_text_s(plan->fabric_boards_max[tier]));
		ft_quantity_add(text, (struct ft_quantity){plan->fabric_boards_max[tier], plan->fabric_boards[tier]});
		ft_text_puts(text, " inside.\n");
	}
}

/* "2.88 Tb/s" where the rate of the cables is known. */
static void text_bandwidth(struct ft_text *text, const struct ft_design *design, uint32_t links)
{
	const struct ft_rates *rates = design->uplink_rates.count ? &design->uplink_rates : &design->host_rates;
	char name[FT_RATE_NAME_SIZE];
	uint64_t mbps;

	if (rates->count == 0)
		return;
	mbps = (uint64_t)ft_rate_data_mbps(rates->rates[0]) * links;
	ft_text_puts(text, ", ");
	ft_quantity_add(text, (struct ft_quantity){(int64_t)(mbps / 10), 100});
	ft_text_printf(text, " Gb/s each way at %s", ft_rate_name(rates->rates[0], name));
}

/* A share of 1 in percent, rounded down. */
static uint32_t percent(struct ft_quantity share)
{
	__extension__ typedef __int128 wide;
	wide hundredfold = share.num;

	hundredfold *= 100;
	return share.den ? (uint32_t)(hundredfold / share.den) : 0;
}

static bool lacks_boards(const struct ft_plan *plan)
{
	for (int tier = 0; tier < FT_TIER_COUNT; tier++)
		if (plan->fabric_boards[tier])
			return true;
	return false;
}

static void text_figures(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan)
{
	static const char *const classes[] = {
		[FT_CLOS_BLOCKING] = "blocking",
		[FT_CLOS_REARRANGEABLE] = "rearrangeably non-blocking (m >= n)",
		[FT_CLOS_STRICT] = "strictly non-blocking (m >= 2n-1)",
	};
	struct ft_figures f;

	ft_figures_take(plan, &f);
	if (f.notation[0])
		ft_text_printf(text, "Notation: %s%s%s.\n", f.notation,
			       f.exact ? "" : "; the bundles of a switch are not all alike, which it cannot say",
			       f.full ? "" : "; not all pods have that many edge switches");
	ft_text_printf(text, "Bisection: %u cable%s", f.bisection_links, plural(f.bisection_links));
	text_bandwidth(text, design, f.bisection_links);
	ft_text_printf(text, ".\nPaths: %llu between two nodes as far apart as can be.\n", (unsigned long long)f.paths);
	if (plan->topology == FT_TOPOLOGY_FAT_TREE)
		ft_text_printf(text, "As a Clos network: Clos(%u,%u,%u), %s%s.\n", f.clos_m, f.clos_n, f.clos_r,
			       classes[f.clos_class],
			       f.clos_class != FT_CLOS_BLOCKING || f.clos_m < f.clos_n ? ""
			       : lacks_boards(plan)				       ? ", for lack of fabric boards"
										       : " at the spines");
	ft_text_printf(
		text,
		"Throughput bound: %u %% of each node's rate under uniform traffic (cables / (mean hops x flows)).\n",
		percent(f.throughput_bound));
}

/* How full racks of chassis are (the tutorial, "Building the edge level"). */
static void text_racks(struct ft_text *text, const struct ft_plan *plan, uint32_t chassis)
{
	if (!plan->blade_rack_chassis)
		return;
	ft_text_printf(text, "Racks: %u of up to %u chassis", ft_number_divide_up(chassis, plan->blade_rack_chassis),
		       plan->blade_rack_chassis);
	if (plan->blade_size_u)
		ft_text_printf(text, " (%u units)", plan->blade_rack_chassis * plan->blade_size_u);
	ft_text_puts(text, ".\n");
}

/*
 * Two chassis are a star with one switch: the second has a module in the place of its switch that only hands its
 * servers' links out (the tutorial, "An unusual star network").
 */
static void text_blade_pair(struct ft_text *text, const struct ft_plan *plan)
{
	ft_text_printf(text,
		       "Chassis: 2. One holds the switch and %u node%s; the other has, in the place of a switch, ",
		       plan->blade_servers, ft_text_s(plan->blade_servers));
	if (plan->blade_pass_through)
		ft_text_add_safe(text, plan->blade_pass_through, strlen(plan->blade_pass_through));
	else
		ft_text_puts(text, "a pass-through module");
	ft_text_printf(text, " and a cable to the switch for each of its %u node%s.\n",
		       plan->nodes - plan->blade_servers, ft_text_s(plan->nodes - plan->blade_servers));
	text_racks(text, plan, 2);
}

/* Chassis that the hosts fill: those beyond an edge switch's own come to it through pass-through modules. */
static uint32_t chassis_count(const struct ft_plan *plan)
{
	uint32_t chassis = 0;

	for (uint32_t i = 0; i < plan->tree->edge_count; i++) {
		uint32_t filled = ft_number_divide_up(plan->switches[i].hosts, plan->blade_servers);

		chassis += filled > 1 ? filled : 1;
	}
	return chassis;
}

static void text_blades(struct ft_text *text, const struct ft_plan *plan)
{
	uint32_t chassis;

	if (!plan->blade_servers)
		return;
	if (plan->topology == FT_TOPOLOGY_STAR && plan->nodes > plan->blade_servers &&
	    plan->nodes <= 2 * plan->blade_servers) {
		text_blade_pair(text, plan);
		return;
	}
	chassis = chassis_count(plan);
	ft_text_printf(text, "Chassis: %u of up to %u server%s, %u of them with a switch", chassis, plan->blade_servers,
		       ft_text_s(plan->blade_servers), plan->tree->edge_count);
	if (chassis > plan->tree->edge_count)
		ft_text_printf(text,
			       " and %u with a pass-through module in its place, by cable to the switch of another",
			       chassis - plan->tree->edge_count);
	ft_text_puts(text, ".\n");
	if (chassis > plan->tree->edge_count && plan->topology == FT_TOPOLOGY_FAT_TREE)
		ft_text_printf(text,
			       "Mind: %u port%s for nodes are more than a chassis has servers; without pass-through "
			       "modules, pin "
			       "\"ports_to_nodes\": %u.\n",
			       plan->tree->ports_to_nodes, ft_text_s(plan->tree->ports_to_nodes), plan->blade_servers);
	text_racks(text, plan, chassis);
}

static void text_star(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan,
		      const struct ft_catalog *catalog)
{
	ft_text_puts(text, "Topology: a star. One switch holds all nodes.\n");
	ft_text_printf(text, "Switch: 1 of %u port%s, %u of them for nodes", plan->tree->edge_ports,
		       ft_text_s(plan->tree->edge_ports), plan->tree->ports_to_nodes);
	text_model(text, plan, FT_TIER_EDGE);
	ft_text_puts(text, ".\n");
	text_blades(text, plan);
	ft_text_puts(text, "Blocking: 1; nothing is shared but the switch itself.\n");
	text_inside(text, plan);
	text_boards(text, plan);
	ft_text_printf(text, "Hops: a packet crosses %u switch chip%s.\n", plan->clos, plural(plan->clos));
	ft_text_printf(text, "Cables: %u, all of them to nodes.\n", plan->links);
	text_amounts(text, design, plan, catalog);
	text_figures(text, design, plan);
	ft_text_printf(text, "Room: %u port%s for nodes stay%s free.\n", plan->spare_ports, plural(plan->spare_ports),
		       plan->spare_ports == 1 ? "s" : "");
	ft_text_printf(text, "Growth: up to %u node%s on this switch.\n", plan->tree->expandable_to,
		       ft_text_s(plan->tree->expandable_to));
}

static void text_edge(struct ft_text *text, const struct ft_plan *plan)
{
	ft_text_printf(text, "Edge: %u switch%s of %u port%s", plan->tree->edge_count,
		       plan->tree->edge_count == 1 ? "" : "es", plan->tree->edge_ports,
		       ft_text_s(plan->tree->edge_ports));
	text_model(text, plan, FT_TIER_EDGE);
	ft_text_printf(text, ", each with %u for nodes and %u to the %s level.\n", plan->tree->ports_to_nodes,
		       plan->tree->ports_to_core, plan->tree->levels == 3 ? "spine" : "core");
}

/* The ports of a core switch in use now: its bundles and, where there are classes, hosts. */
static uint32_t ports_used(const struct ft_plan *plan, uint32_t index)
{
	uint32_t used = plan->switches[index].hosts;

	for (uint32_t i = 0; i < plan->bundle_count; i++)
		if (plan->bundles[i].a == index || plan->bundles[i].b == index)
			used += plan->bundles[i].count;
	return used;
}

/* The most that any core switch has: the first, but for classes. */
static uint32_t core_ports_used(const struct ft_plan *plan)
{
	uint32_t first = plan->tree->edge_count + plan->tree->spine_count, most = ports_used(plan, first);

	for (uint32_t i = first + 1; plan->tree->classes && i < plan->switch_count; i++)
		most = ports_used(plan, i) > most ? ports_used(plan, i) : most;
	return most;
}

static void text_core(struct ft_text *text, const struct ft_plan *plan)
{
	ft_text_printf(text, "Core: %u switch%s of %u port%s", plan->tree->core_count,
		       plan->tree->core_count == 1 ? "" : "es", plan->tree->core_ports,
		       ft_text_s(plan->tree->core_ports));
	text_model(text, plan, FT_TIER_CORE);
	ft_text_printf(text, ", with up to %u of them in use now.\n", core_ports_used(plan));
}

static void text_spine(struct ft_text *text, const struct ft_plan *plan)
{
	ft_text_printf(text, "Pods: %u", plan->tree->pods);
	if (plan->tree->pods_max > plan->tree->pods)
		ft_text_printf(text, " (room for %u)", plan->tree->pods_max);
	ft_text_printf(
		text,
		" of up to %u edge switch%s and %u spine%s; every edge switch is cabled to each spine of its pod.\n",
		plan->tree->pod_edges, ft_text_es(plan->tree->pod_edges), plan->tree->pod_spines,
		ft_text_s(plan->tree->pod_spines));
	ft_text_printf(text, "Spine: %u switch%s of %u port%s", plan->tree->spine_count,
		       plan->tree->spine_count == 1 ? "" : "es", plan->tree->spine_ports,
		       ft_text_s(plan->tree->spine_ports));
	text_model(text, plan, FT_TIER_SPINE);
	ft_text_printf(text, ", each with %u for edge switches and %u to the core level.\n",
		       plan->tree->spine_ports_down, plan->tree->spine_ports_up);
	ft_text_printf(text, "Planes: %u of %u core switch%s; ", plan->tree->planes, plan->tree->plane_cores,
		       ft_text_es(plan->tree->plane_cores));
	if (plan->tree->planes == plan->tree->pod_spines)
		ft_text_puts(text,
			     "the spine of one number in every pod is cabled to each core switch of that plane.\n");
	else
		ft_text_printf(text, "%u spines of every pod are cabled to each core switch of that plane.\n",
			       plan->tree->pod_spines / plan->tree->planes);
}

static void text_blocking(struct ft_text *text, const struct ft_plan *plan)
{
	ft_text_printf(text, "Blocking: ");
	ft_ratio_add(text, plan->tree->blocking);
	ft_text_printf(text, " (%u port%s for nodes share%s %u uplink%s)%s.\n", plan->tree->ports_to_nodes,
		       ft_text_s(plan->tree->ports_to_nodes), plan->tree->ports_to_nodes == 1 ? "s" : "",
		       plan->tree->ports_to_core, ft_text_s(plan->tree->ports_to_core),
		       plan->tree->ports_to_nodes <= plan->tree->ports_to_core && !lacks_boards(plan) ? "; non-blocking"
												      : "");
	if (plan->tree->levels == 3) {
		ft_text_puts(text, "Blocking of spines: ");
		ft_ratio_add(text, plan->tree->spine_blocking);
		ft_text_printf(text, " (%u cable%s from edge switches share %u uplink%s).\n",
			       plan->tree->pod_edges * plan->tree->bundle,
			       ft_text_s(plan->tree->pod_edges * plan->tree->bundle), plan->tree->spine_ports_up,
			       ft_text_s(plan->tree->spine_ports_up));
	}
	text_inside(text, plan);
	text_boards(text, plan);
}

/* "Rings: 8 cables between neighbours of the spines of each pod, 16 of the core switches." */
static void text_rings(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan)
{
	uint32_t spine = plan->tree->pod_spines > 1 ? design->rings[FT_TIER_SPINE] : 0;
	uint32_t core = plan->tree->core_count > 1 ? design->rings[FT_TIER_CORE] : 0;

	if (!plan->tree->rings)
		return;
	ft_text_puts(text, "Rings: between neighbours there are ");
	if (spine)
		ft_text_printf(text, "%u cable%s of the spines of each pod", spine, ft_text_s(spine));
	if (core)
		ft_text_printf(text, "%s%u cable%s of the core switches", spine ? ", and " : "", core, ft_text_s(core));
	ft_text_puts(text, ".\n");
}

static void text_links(struct ft_text *text, const struct ft_plan *plan)
{
	uint32_t uplinks = 0, top = 0, rings = 0;

	for (uint32_t i = 0; i < plan->bundle_count; i++) {
		const struct ft_plan_bundle *bundle = &plan->bundles[i];
		enum ft_tier low = plan->switches[bundle->a].tier, high = plan->switches[bundle->b].tier;

		*(low == high ? &rings : low == FT_TIER_EDGE ? &uplinks : &top) += bundle->count;
	}
	ft_text_printf(text, "Hops: a packet crosses %u switch chip%s between nodes %s.\n", plan->clos,
		       ft_text_s(plan->clos),
		       plan->tree->levels == 3 ? "in different pods" : "on different edge switches");
	ft_text_printf(text, "Cables: %u = %u to nodes + %u between %s", plan->links, plan->nodes, uplinks,
		       plan->tree->levels == 3 ? "edges and spines" : "switches");
	if (plan->tree->levels == 3)
		ft_text_printf(text, " + %u between spines and cores", top);
	if (rings > 0)
		ft_text_printf(text, " + %u in rings", rings);
	ft_text_puts(text, ".\n");
}

static void text_bundles(struct ft_text *text, const struct ft_plan *plan)
{
	if (plan->cable_count > 0) {
		ft_text_puts(text, "Bundles: as the cables are listed.\n");
		return;
	}
	ft_text_printf(text, "Bundles: the cables of %s are ",
		       plan->tree->classes ? "most edge switches" : "every edge switch");
	if (plan->tree->levels == 3)
		ft_text_printf(
			text,
			"up to %u to each spine of its pod; of every spine, up to %u to each core switch of its plane",
			plan->tree->bundle, plan->tree->spine_bundle);
	else
		add_bundle_pattern(text, plan);
	ft_text_puts(text, ".\n");
}

static void text_fat_tree(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan,
			  const struct ft_catalog *catalog)
{
	ft_text_printf(text, "Topology: a fat-tree of %s levels.\n", plan->tree->levels == 3 ? "three" : "two");
	text_edge(text, plan);
	text_blades(text, plan);
	if (plan->tree->levels == 3)
		text_spine(text, plan);
	text_core(text, plan);
	if (plan->tree->classes)
		ft_classes_write_text(text, design, plan);
	text_bundles(text, plan);
	text_rings(text, design, plan);
	text_blocking(text, plan);
	text_links(text, plan);
	text_amounts(text, design, plan, catalog);
	if (!plan->tree->classes && !plan->tree->rings)
		text_figures(text, design, plan);
	text_fill(text, design, plan);
	text_room(text, plan);
}

static void text_cable(struct ft_text *text, const struct ft_plan *plan, const struct ft_plan_bundle *bundle)
{
	ft_text_puts(text, "  ");
	add_name(text, &plan->switches[bundle->a]);
	ft_text_puts(text, " ");
	add_range(text, bundle->a_port, bundle->count);
	ft_text_puts(text, " -> ");
	add_name(text, &plan->switches[bundle->b]);
	ft_text_puts(text, " ");
	add_range(text, bundle->b_port, bundle->count);
	ft_text_puts(text, "\n");
}

/* One line a core switch says it all, as every edge switch repeats the first with the next ports of the cores. */
static void text_cables_condensed(struct ft_text *text, const struct ft_plan *plan)
{
	uint32_t from = plan->tree->ports_to_nodes + 1;

	ft_text_puts(text, "  every edge switch, E being its number in the list (1, 2, ...):\n");
	for (uint32_t core = 0; core < plan->tree->core_count; core++) {
		uint32_t count = bundle_to(plan, core);

		ft_text_puts(text, "    ");
		add_range(text, from, count);
		ft_text_puts(text, " -> ");
		add_name(text, &plan->switches[plan->tree->edge_count + core]);
		if (count == 1)
			ft_text_puts(text, " port E\n");
		else
			ft_text_printf(text, " ports (E-1)*%u+1 to E*%u\n", count, count);
		from += count;
	}
	ft_text_puts(text, "  so the first bundle and the last are\n");
	text_cable(text, plan, &plan->bundles[0]);
	text_cable(text, plan, &plan->bundles[plan->bundle_count - 1]);
}

static void text_hosts(struct ft_text *text, const struct ft_plan *plan)
{
	uint32_t same;

	if (plan->host_count > 0) {
		ft_text_printf(text, "\nNodes: %u of %u have their edge switch in the design.\n", plan->host_count,
			       plan->nodes);
		return;
	}
	if (plan->cable_count > 0) {
		ft_text_puts(text, "\nNodes: in ports of the edge switches that no listed cable takes.\n");
		return;
	}
	ft_text_puts(text, "\nNodes, from port 1 of each edge switch on:\n");
	for (uint32_t i = 0; i < plan->switch_count; i += same) {
		for (same = 1; i + same < plan->switch_count; same++)
			if (plan->switches[i + same].hosts != plan->switches[i].hosts ||
			    plan->switches[i + same].tier != plan->switches[i].tier)
				break;
		if (plan->switches[i].tier != FT_TIER_EDGE && plan->switches[i].hosts == 0)
			continue;
		ft_text_puts(text, "  ");
		add_name(text, &plan->switches[i]);
		if (same > 1) {
			ft_text_puts(text, same == 2 ? " and " : " to ");
			add_name(text, &plan->switches[i + same - 1]);
		}
		ft_text_printf(text, ": %u%s", plan->switches[i].hosts, same > 1 ? " each" : "");
		if (plan->switches[i].hosts > 0) {
			ft_text_puts(text, ", ");
			add_range(text, 1, plan->switches[i].hosts);
		}
		ft_text_puts(text, "\n");
	}
}

static void add_port(struct ft_text *text, uint32_t port)
{
	if (port > 0)
		ft_text_printf(text, " port %u", port);
	else
		ft_text_puts(text, " any port");
}

static void text_listed_cables(struct ft_text *text, const struct ft_plan *plan)
{
	ft_text_puts(text, "\nCables between switches (ftcheck wants them in these ports):\n");
	if (plan->cable_count > PAIRS_LISTED_MAX) {
		ft_text_printf(text, "  %u cable%s: ftplan --format cables lists every one.\n", plan->cable_count,
			       ft_text_s(plan->cable_count));
		return;
	}
	for (uint32_t i = 0; i < plan->cable_count; i++) {
		const struct ft_plan_cable *cable = &plan->cables[i];

		ft_text_puts(text, "  ");
		add_name(text, &plan->switches[cable->a]);
		add_port(text, cable->a_port);
		ft_text_puts(text, " -> ");
		add_name(text, &plan->switches[cable->b]);
		add_port(text, cable->b_port);
		ft_text_puts(text, "\n");
	}
}

static void text_cables(struct ft_text *text, const struct ft_plan *plan)
{
	if (plan->cable_count > 0) {
		text_listed_cables(text, plan);
		return;
	}
	ft_text_puts(text,
		     "\nCables between switches (a numbering that suits; ftcheck wants the pairs, not the ports):\n");
	if (plan->bundle_count > PAIRS_LISTED_MAX && (plan->tree->levels == 3 || plan->general)) {
		ft_text_printf(text, "  %u bundles: ftplan --format cables lists every cable.\n", plan->bundle_count);
		return;
	}
	if (plan->bundle_count > PAIRS_LISTED_MAX && plan->tree->edge_count > 2) {
		text_cables_condensed(text, plan);
		return;
	}
	for (uint32_t i = 0; i < plan->bundle_count; i++)
		text_cable(text, plan, &plan->bundles[i]);
}

static void text_end(struct ft_text *text, const struct ft_plan *plan, uint32_t count, uint32_t far)
{
	const char *name = ft_plan_known_as(plan, far);

	ft_text_printf(text, "%u to ", count);
	ft_text_add_safe(text, name, strlen(name));
}

/* Every cable from the side of the tree is named at its islander; those between two of these at the first. */
static void text_islander(struct ft_text *text, const struct ft_plan *plan, uint32_t index)
{
	const struct ft_plan_switch *sw = &plan->switches[index];
	const char *between = ": cables ";

	ft_text_puts(text, "  ");
	ft_text_add_safe(text, sw->name, strlen(sw->name));
	ft_text_printf(text, ", %u port%s", sw->ports, ft_text_s(sw->ports));
	if (!sw->hosts_unsaid)
		ft_text_printf(text, ", %u node%s", sw->hosts, plural(sw->hosts));
	for (uint32_t i = ft_plan_tree_bundles(plan); i < plan->bundle_count; i++) {
		const struct ft_plan_bundle *bundle = &plan->bundles[i];
		bool to_tree = bundle->b == index && !ft_plan_is_beside(plan, bundle->a);

		if (!to_tree && bundle->a != index)
			continue;
		ft_text_puts(text, between);
		text_end(text, plan, bundle->count, to_tree ? bundle->a : bundle->b);
		between = ", ";
	}
	ft_text_puts(text, "\n");
}

static void text_islands(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan)
{
	uint32_t first = ft_plan_tree_switches(plan);

	if (plan->beside_switches == 0)
		return;
	ft_text_printf(text, "\nBeside the tree, and in none of the figures above: %u switch%s with %u cable%s.\n",
		       plan->beside_switches, plan->beside_switches == 1 ? "" : "es", ft_plan_island_cables(plan),
		       plural(ft_plan_island_cables(plan)));
	for (uint32_t i = first; i < plan->switch_count; i++) {
		if (i == first || plan->switches[i].island != plan->switches[i - 1].island) {
			const char *name = design->islands[plan->switches[i].island].name;

			ft_text_puts(text, "Island ");
			ft_text_add_safe(text, name, strlen(name));
			ft_text_puts(text, ":\n");
		}
		text_islander(text, plan, i);
	}
}

static void text_graph(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan,
		       const struct ft_catalog *catalog)
{
	const struct ft_plan tree = ft_plan_tree(plan);

	ft_text_add_safe(text, design->name, strlen(design->name));
	ft_text_printf(text, ": a plan for %u node%s", plan->nodes, plural(plan->nodes));
	if (plan->nodes_max > plan->nodes)
		ft_text_printf(text, ", and %u later", plan->nodes_max);
	ft_text_puts(text, "\n\n");
	if (plan->topology == FT_TOPOLOGY_GRAPH) {
		ft_graph_write_text(text, plan);
		if (plan->label)
			text_amounts(text, design, plan, catalog);
		return;
	}
	if (plan->topology == FT_TOPOLOGY_STAR) {
		text_star(text, design, &tree, catalog);
		text_hosts(text, &tree);
		text_islands(text, design, plan);
		return;
	}
	text_fat_tree(text, design, &tree, catalog);
	text_hosts(text, &tree);
	text_cables(text, &tree);
	text_islands(text, design, plan);
}

/* What is not of the graph, but of what its switches are */
static void text_technology(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan)
{
	const struct ft_plan tree = ft_plan_tree(plan);

	if (plan->technology == FT_TECHNOLOGY_ETHERNET && ft_vlans_write_text(text, design, &tree) < 0)
		text->failed = true;
}

void ft_plan_write_text(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan,
			const struct ft_catalog *catalog)
{
	text_graph(text, design, plan, catalog);
	text_technology(text, design, plan);
}
