/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/plan.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"

enum {
	PAIRS_LISTED_MAX = 48,	   /* edge-core pairs that are still printed one by one */
	UNICAST_LID_MAX = 0xbfff,  /* IBTA Vol 1, Local Identifiers */
	DESCRIPTION_SIZE_MAX = 63, /* ibsim keeps one byte of the 64 for a NUL */
	EMBED_INDENT = 2,	   /* of a "plan" that is added to a design */
};

static const uint64_t switch_guid_base = 0x100001;
static const uint64_t host_guid_base = 0x200001;

static void add_name(struct ft_text *text, const struct ft_plan_switch *sw)
{
	ft_text_add_safe(text, sw->name, strlen(sw->name));
}

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

/* What only a switch catalog knows. */
static void json_unknown(struct writer *w, const char *key)
{
	json_key(w, key);
	ft_text_puts(w->text, "null");
}

static void json_tiers(struct writer *w, const struct ft_plan *plan)
{
	json_key(w, "edge");
	json_open(w, "{");
	json_count(w, "count", plan->edge_count);
	json_unknown(w, "model");
	json_count(w, "ports", plan->edge_ports);
	json_count(w, "ports_to_nodes", plan->ports_to_nodes);
	json_count(w, "ports_to_core", plan->ports_to_core);
	json_word(w, "fill", ft_fill_name(plan->fill));
	json_close(w, "}");
	json_key(w, "core");
	json_open(w, "{");
	json_count(w, "count", plan->core_count);
	json_unknown(w, "model");
	json_count(w, "ports", plan->core_ports);
	json_close(w, "}");
}

/* Lists have one entry a line. */
static void json_switches(struct writer *w, const struct ft_plan *plan)
{
	json_key(w, "switches");
	json_open(w, "[");
	for (uint32_t i = 0; i < plan->switch_count; i++) {
		const struct ft_plan_switch *sw = &plan->switches[i];

		json_next(w);
		ft_text_puts(w->text, "{\"name\": ");
		ft_text_add_json(w->text, sw->name);
		ft_text_printf(w->text, ", \"tier\": \"%s\", \"model\": null, \"ports\": %u, \"hosts\": %u}",
			       ft_tier_name(sw->tier), sw->ports, sw->hosts);
	}
	json_close(w, "]");
}

static void json_bundles(struct writer *w, const struct ft_plan *plan)
{
	json_key(w, "bundles");
	json_open(w, "[");
	for (uint32_t i = 0; i < plan->bundle_count; i++) {
		const struct ft_plan_bundle *bundle = &plan->bundles[i];

		json_next(w);
		ft_text_puts(w->text, "{\"a\": ");
		ft_text_add_json(w->text, plan->switches[bundle->a].name);
		ft_text_puts(w->text, ", \"b\": ");
		ft_text_add_json(w->text, plan->switches[bundle->b].name);
		ft_text_printf(w->text, ", \"count\": %u}", bundle->count);
	}
	json_close(w, "]");
}

static void json_plan(struct writer *w, const struct ft_plan *plan)
{
	json_open(w, "{");
	json_word(w, "topology", ft_topology_name(plan->topology));
	json_count(w, "levels", plan->levels);
	json_count(w, "clos", plan->clos);
	json_tiers(w, plan);
	json_count(w, "bundle", plan->bundle);
	json_key(w, "blocking");
	ft_ratio_add_json(w->text, plan->blocking);
	json_count(w, "links", plan->links);
	json_count(w, "spare_ports", plan->spare_ports);
	json_count(w, "expandable_to", plan->expandable_to);
	json_unknown(w, "cost");
	json_unknown(w, "power_w");
	json_unknown(w, "weight_kg");
	json_unknown(w, "size_u");
	json_switches(w, plan);
	json_bundles(w, plan);
	json_close(w, "}");
}

void ft_plan_write_json(struct ft_text *text, const struct ft_plan *plan, unsigned int indent)
{
	struct writer w = {.text = text, .indent = indent};

	json_plan(&w, plan);
}

/* Where the last member of the object that is all of @text ends. */
static size_t last_member_end(const char *text, size_t length)
{
	size_t end = length;

	while (text[end - 1] != '}')
		end--;
	for (end--; strchr(" \t\r\n", text[end - 1]); end--)
		;
	return end;
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
		start = end = last_member_end(design->text, design->text_length);
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

	for (uint32_t core = 0; core < plan->core_count; core += same) {
		for (same = 1; core + same < plan->core_count; same++)
			if (bundle_to(plan, core + same) != bundle_to(plan, core))
				break;
		ft_text_printf(text, "%s%u to ", core ? ", " : "", bundle_to(plan, core));
		if (same > 1)
			ft_text_puts(text, "each of ");
		add_name(text, &plan->switches[plan->edge_count + core]);
		if (same > 1) {
			ft_text_puts(text, same == 2 ? " and " : " to ");
			add_name(text, &plan->switches[plan->edge_count + core + same - 1]);
		}
	}
}

static void text_fill(struct ft_text *text, const struct ft_plan *plan)
{
	uint32_t most = 0, least = UINT32_MAX;

	for (uint32_t i = 0; i < plan->edge_count; i++) {
		most = plan->switches[i].hosts > most ? plan->switches[i].hosts : most;
		least = plan->switches[i].hosts < least ? plan->switches[i].hosts : least;
	}
	ft_text_printf(text, "Nodes: %u now, ", plan->nodes);
	if (plan->fill == FT_FILL_UNIFORM)
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
	ft_text_printf(text, "Growth: up to %u nodes by adding edge switches, with no cable of now moved.\n",
		       plan->expandable_to);
}

static void text_star(struct ft_text *text, const struct ft_plan *plan)
{
	ft_text_puts(text, "Topology: a star. One switch holds all nodes.\n");
	ft_text_printf(text, "Switch: 1 of %u ports, %u of them for nodes.\n", plan->edge_ports, plan->ports_to_nodes);
	ft_text_printf(text, "Blocking: 1; nothing is shared but the switch itself.\n");
	ft_text_printf(text, "Hops: a packet crosses %u switch chip.\n", plan->clos);
	ft_text_printf(text, "Cables: %u, all of them to nodes.\n", plan->links);
	ft_text_printf(text, "Room: %u port%s for nodes stay%s free.\n", plan->spare_ports, plural(plan->spare_ports),
		       plan->spare_ports == 1 ? "s" : "");
	ft_text_printf(text, "Growth: up to %u nodes on this switch.\n", plan->expandable_to);
}

static void text_fat_tree(struct ft_text *text, const struct ft_plan *plan)
{
	uint32_t used = plan->edge_count * bundle_to(plan, 0), uplinks = plan->edge_count * plan->ports_to_core;

	ft_text_puts(text, "Topology: a fat-tree of two levels.\n");
	ft_text_printf(text, "Edge: %u switch%s of %u ports, each with %u for nodes and %u to the core level.\n",
		       plan->edge_count, plan->edge_count == 1 ? "" : "es", plan->edge_ports, plan->ports_to_nodes,
		       plan->ports_to_core);
	ft_text_printf(text, "Core: %u switch%s of %u ports, with up to %u of them in use now.\n", plan->core_count,
		       plan->core_count == 1 ? "" : "es", plan->core_ports, used);
	ft_text_puts(text, "Bundles: the cables of every edge switch are ");
	add_bundle_pattern(text, plan);
	ft_text_printf(text, ".\nBlocking: ");
	ft_ratio_add(text, plan->blocking);
	ft_text_printf(text, " (%u ports for nodes share %u uplinks)%s.\n", plan->ports_to_nodes, plan->ports_to_core,
		       plan->ports_to_nodes <= plan->ports_to_core ? "; non-blocking" : "");
	ft_text_printf(text, "Hops: a packet crosses %u switch chips between nodes on different edge switches.\n",
		       plan->clos);
	ft_text_printf(text, "Cables: %u = %u to nodes + %u between switches.\n", plan->links, plan->nodes, uplinks);
	text_fill(text, plan);
	text_room(text, plan);
}

static void text_cable(struct ft_text *text, const struct ft_plan *plan, uint32_t edge, uint32_t core, uint32_t from)
{
	uint32_t count = bundle_to(plan, core);

	ft_text_puts(text, "  ");
	add_name(text, &plan->switches[edge]);
	ft_text_puts(text, " ");
	add_range(text, from, count);
	ft_text_puts(text, " -> ");
	add_name(text, &plan->switches[plan->edge_count + core]);
	ft_text_puts(text, " ");
	add_range(text, edge * count + 1, count);
	ft_text_puts(text, "\n");
}

static void text_edge_cables(struct ft_text *text, const struct ft_plan *plan, uint32_t edge)
{
	uint32_t from = plan->ports_to_nodes + 1;

	for (uint32_t core = 0; core < plan->core_count; core++) {
		text_cable(text, plan, edge, core, from);
		from += bundle_to(plan, core);
	}
}

/* One line a core switch says it all, as every edge switch repeats the first with the next ports of the cores. */
static void text_cables_condensed(struct ft_text *text, const struct ft_plan *plan)
{
	uint32_t from = plan->ports_to_nodes + 1;

	ft_text_puts(text, "  every edge switch, E being its number in the list (1, 2, ...):\n");
	for (uint32_t core = 0; core < plan->core_count; core++) {
		uint32_t count = bundle_to(plan, core);

		ft_text_puts(text, "    ");
		add_range(text, from, count);
		ft_text_puts(text, " -> ");
		add_name(text, &plan->switches[plan->edge_count + core]);
		if (count == 1)
			ft_text_puts(text, " port E\n");
		else
			ft_text_printf(text, " ports (E-1)*%u+1 to E*%u\n", count, count);
		from += count;
	}
	ft_text_puts(text, "  so the first bundle and the last are\n");
	text_cable(text, plan, 0, 0, plan->ports_to_nodes + 1);
	text_cable(text, plan, plan->edge_count - 1, plan->core_count - 1,
		   from - bundle_to(plan, plan->core_count - 1));
}

static void text_hosts(struct ft_text *text, const struct ft_plan *plan)
{
	uint32_t same;

	ft_text_puts(text, "\nNodes, from port 1 of each edge switch on:\n");
	for (uint32_t i = 0; i < plan->edge_count; i += same) {
		for (same = 1; i + same < plan->edge_count; same++)
			if (plan->switches[i + same].hosts != plan->switches[i].hosts)
				break;
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

static void text_cables(struct ft_text *text, const struct ft_plan *plan)
{
	ft_text_puts(text,
		     "\nCables between switches (a numbering that suits; ftcheck wants the pairs, not the ports):\n");
	if (plan->bundle_count > PAIRS_LISTED_MAX && plan->edge_count > 2) {
		text_cables_condensed(text, plan);
		return;
	}
	for (uint32_t edge = 0; edge < plan->edge_count; edge++)
		text_edge_cables(text, plan, edge);
}

void ft_plan_write_text(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan)
{
	ft_text_add_safe(text, design->name, strlen(design->name));
	ft_text_printf(text, ": a plan for %u node%s", plan->nodes, plural(plan->nodes));
	if (plan->nodes_max > plan->nodes)
		ft_text_printf(text, ", and %u later", plan->nodes_max);
	ft_text_puts(text, "\n\n");
	if (plan->topology == FT_TOPOLOGY_STAR) {
		text_star(text, plan);
		text_hosts(text, plan);
		return;
	}
	text_fat_tree(text, plan);
	text_hosts(text, plan);
	text_cables(text, plan);
}

/* The bound GUID of planned switch @index, or 0. */
static uint64_t bound_guid(const struct ft_design *design, const struct ft_plan *plan, uint32_t index)
{
	enum ft_tier tier = plan->switches[index].tier;
	const struct ft_bind *bind = &design->binds[tier];

	return bind->count ? bind->guids[tier == FT_TIER_EDGE ? index : index - plan->edge_count] : 0;
}

static int check_ibsim_switch(const struct ft_design *design, const struct ft_plan *plan, uint32_t index,
			      struct ft_error *err)
{
	const struct ft_plan_switch *sw = &plan->switches[index];
	uint64_t guid = bound_guid(design, plan, index);

	if (sw->ports > FT_PORTS_MAX)
		return ft_error_set(err, -EINVAL, 0, 0,
				    "ibsim takes at most %d ports a node, and a %s switch of this plan has %u: it is a "
				    "director, which ibsim knows by its chips only",
				    FT_PORTS_MAX, ft_tier_name(sw->tier), sw->ports);
	if (strlen(sw->name) > DESCRIPTION_SIZE_MAX)
		return ft_error_set(err, -EINVAL, 0, 0, "\"%s\" is longer than the %d bytes that ibsim keeps of a name",
				    sw->name, DESCRIPTION_SIZE_MAX);
	/* A quote ends the description early, and NAME=VALUE is read as an option of the port. */
	if (strpbrk(sw->name, "\"="))
		return ft_error_set(err, -EINVAL, 0, 0,
				    "\"%s\" holds a character that ibsim's network file cannot (\" or =)", sw->name);
	if (guid >= switch_guid_base && guid < host_guid_base + 2 * (uint64_t)plan->nodes)
		return ft_error_set(
			err, -EINVAL, 0, 0,
			"\"%s\" is a GUID of those that are made up for the other nodes of the network file", sw->name);
	return 0;
}

int ft_plan_check_ibsim(const struct ft_design *design, const struct ft_plan *plan, struct ft_error *err)
{
	for (uint32_t i = 0; i < plan->switch_count; i++) {
		int r = check_ibsim_switch(design, plan, i, err);

		if (r < 0)
			return r;
	}
	return 0;
}

/*
 * FDR10 is a rate of one vendor's: libibnetdisc asks for it only where the vendor and device are known to have it.
 * Everything else is the product of nobody.
 */
struct product {
	unsigned int vendor;
	unsigned int device;
};
static const struct product no_product = {0, 0};
static const struct product fdr10_switch = {0x2c9, 0xc738};
static const struct product fdr10_host = {0x2c9, 0x1003};

static bool is_fdr10(const struct ft_rates *rates)
{
	return rates->count > 0 && rates->rates[0].speed == FT_SPEED_FDR10;
}

/* The plan as a network of nodes with GUIDs and LIDs. */
struct network {
	struct ft_text *text;
	const struct ft_design *design;
	const struct ft_plan *plan;
	const char *uplink_rate;
	const char *host_rate;
	const struct product *switch_product;
	const struct product *host_product;
	int host_digits;
	bool lids; /* there are enough for all */
};

static uint64_t switch_guid(const struct network *net, uint32_t index)
{
	uint64_t guid = bound_guid(net->design, net->plan, index);

	return guid ? guid : switch_guid_base + index;
}

/* Two GUIDs a host: the node's, and its port's next to it, as ibsim numbers them. */
static uint64_t host_guid(uint32_t host)
{
	return host_guid_base + 2 * (uint64_t)host;
}

static uint32_t switch_lid(const struct network *net, uint32_t index)
{
	return net->lids ? index + 1 : 0;
}

static uint32_t host_lid(const struct network *net, uint32_t host)
{
	return net->lids ? net->plan->switch_count + host + 1 : 0;
}

static void ibsim_product(const struct network *net, const struct product *product, uint64_t guid)
{
	ft_text_printf(net->text, "\nvendid=0x%x\ndevid=0x%x\nsysimgguid=0x%" PRIx64 "\n", product->vendor,
		       product->device, guid);
}

static void ibsim_switch_head(const struct network *net, uint32_t index)
{
	const struct ft_plan_switch *sw = &net->plan->switches[index];
	uint64_t guid = switch_guid(net, index);

	ibsim_product(net, net->switch_product, guid);
	ft_text_printf(net->text, "switchguid=0x%" PRIx64 "(%" PRIx64 ")\n", guid, guid);
	ft_text_printf(net->text, "Switch\t%u \"S-%016" PRIx64 "\"\t\t# \"", sw->ports, guid);
	add_name(net->text, sw);
	ft_text_printf(net->text, "\" base port 0 lid %u lmc 0\n", switch_lid(net, index));
}

/* A port of a switch that holds a cable to port @port of switch @index. */
static void ibsim_switch_port(const struct network *net, uint32_t own_port, uint32_t index, uint32_t port)
{
	ft_text_printf(net->text, "[%u]\t\"S-%016" PRIx64 "\"[%u]\t\t# \"", own_port, switch_guid(net, index), port);
	add_name(net->text, &net->plan->switches[index]);
	ft_text_printf(net->text, "\" lid %u %s\n", switch_lid(net, index), net->uplink_rate);
}

static void ibsim_edge(const struct network *net, uint32_t edge, uint32_t first_host)
{
	const struct ft_plan *plan = net->plan;
	uint32_t port = plan->ports_to_nodes;

	ibsim_switch_head(net, edge);
	for (uint32_t i = 0; i < plan->switches[edge].hosts; i++) {
		uint32_t host = first_host + i;

		ft_text_printf(net->text, "[%u]\t\"H-%016" PRIx64 "\"[1](%" PRIx64 ")\t\t# \"node%0*u\" lid %u %s\n",
			       i + 1, host_guid(host), host_guid(host) + 1, net->host_digits, host + 1,
			       host_lid(net, host), net->host_rate);
	}
	for (uint32_t core = 0; core < plan->core_count; core++)
		for (uint32_t k = 0; k < bundle_to(plan, core); k++)
			ibsim_switch_port(net, ++port, plan->edge_count + core, edge * bundle_to(plan, core) + k + 1);
}

static void ibsim_core(const struct network *net, uint32_t core)
{
	const struct ft_plan *plan = net->plan;
	uint32_t edge_port = plan->ports_to_nodes, port = 0;

	for (uint32_t before = 0; before < core; before++)
		edge_port += bundle_to(plan, before);
	ibsim_switch_head(net, plan->edge_count + core);
	for (uint32_t edge = 0; edge < plan->edge_count; edge++)
		for (uint32_t k = 0; k < bundle_to(plan, core); k++)
			ibsim_switch_port(net, ++port, edge, edge_port + k + 1);
}

static void ibsim_host(const struct network *net, uint32_t host, uint32_t edge, uint32_t port)
{
	const struct ft_plan_switch *sw = &net->plan->switches[edge];
	uint64_t guid = host_guid(host);

	ibsim_product(net, net->host_product, guid);
	ft_text_printf(net->text, "caguid=0x%" PRIx64 "\n", guid);
	ft_text_printf(net->text, "Ca\t1 \"H-%016" PRIx64 "\"\t\t# \"node%0*u\"\n", guid, net->host_digits, host + 1);
	ft_text_printf(net->text, "[1](%" PRIx64 ")\t\"S-%016" PRIx64 "\"[%u]\t\t# lid %u lmc 0 \"", guid + 1,
		       switch_guid(net, edge), port, host_lid(net, host));
	add_name(net->text, sw);
	ft_text_printf(net->text, "\" lid %u %s\n", switch_lid(net, edge), net->host_rate);
}

static const char *first_rate(const struct ft_rates *rates, char buffer[FT_RATE_NAME_SIZE])
{
	return rates->count ? ft_rate_name(rates->rates[0], buffer) : "4xHDR";
}

static int host_digits(uint32_t nodes)
{
	int digits = 3;

	for (uint32_t rest = nodes / 1000; rest; rest /= 10)
		digits++;
	return digits;
}

void ft_plan_write_ibsim(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan)
{
	char uplink[FT_RATE_NAME_SIZE], host_rate[FT_RATE_NAME_SIZE];
	bool switches_fdr10 = is_fdr10(&design->uplink_rates) || is_fdr10(&design->host_rates);
	struct network net = {
		.text = text,
		.design = design,
		.plan = plan,
		.uplink_rate = first_rate(&design->uplink_rates, uplink),
		.host_rate = first_rate(&design->host_rates, host_rate),
		.switch_product = switches_fdr10 ? &fdr10_switch : &no_product,
		.host_product = is_fdr10(&design->host_rates) ? &fdr10_host : &no_product,
		.host_digits = host_digits(plan->nodes),
		.lids = plan->switch_count + plan->nodes <= UNICAST_LID_MAX,
	};
	uint32_t host = 0;

	ft_text_puts(text, "#\n# Topology file: the intended fabric \"");
	ft_text_add_safe(text, design->name, strlen(design->name));
	ft_text_puts(text, "\", written by ftplan\n#\n");
	for (uint32_t edge = 0; edge < plan->edge_count; edge++) {
		ibsim_edge(&net, edge, host);
		host += plan->switches[edge].hosts;
	}
	for (uint32_t core = 0; core < plan->core_count; core++)
		ibsim_core(&net, core);
	host = 0;
	for (uint32_t edge = 0; edge < plan->edge_count; edge++)
		for (uint32_t i = 0; i < plan->switches[edge].hosts; i++)
			ibsim_host(&net, host++, edge, i + 1);
}
