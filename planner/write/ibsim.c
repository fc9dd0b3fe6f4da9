/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/write/formats.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "planner/plan/chips.h"
#include "planner/write/ibsim_parts.h"
#include "planner/plan/wiring.h"

enum { UNICAST_LID_MAX = 0xbfff }; /* IBTA Vol 1, Local Identifiers */

/* The nodes that switch @index is: itself, or its chips. */
static uint32_t node_count(const struct ft_inside *inside)
{
	return inside->line_chips ? ft_inside_line_chips(inside) + ft_inside_fabric_chips(inside) : 1;
}

/*
 * FDR10 is a vendor's rate: libibnetdisc queries it only on devices known to support it. All other nodes have vendor
 * and device id 0.
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
	const struct ft_wiring *wiring;
	char **names;			  /* by switch; NULL: the plan's */
	struct ft_ibsim_chassis *chassis; /* by switch */
	struct ft_inside insides[FT_TIER_COUNT];
	uint32_t *first_node; /* by switch: nodes before it, and at the end all */
	uint32_t *first_chip; /* by switch: chips of directors before it */
	const char *uplink_rate;
	const char *host_rate;
	const struct product *switch_product;
	const struct product *host_product;
	bool lids; /* there are enough LIDs for all */
};

static const char *switch_name(const struct network *net, uint32_t index)
{
	return net->names[index] ? net->names[index] : net->plan->switches[index].name;
}

static const struct ft_inside *inside_of(const struct network *net, uint32_t index)
{
	static const struct ft_inside none = {0};

	if (ft_plan_is_beside(net->plan, index))
		return &none;
	return &net->insides[net->plan->switches[index].tier];
}

static bool is_director(const struct network *net, uint32_t index)
{
	return inside_of(net, index)->line_chips > 0;
}

/* The chip and port of a port of the whole; for a switch that is no director its own. */
static struct ft_chip_port outer_port(const struct network *net, uint32_t index, uint32_t port)
{
	if (!is_director(net, index))
		return (struct ft_chip_port){0, port};
	return ft_inside_outer(inside_of(net, index), port);
}

/* The GUID of the whole: a director's SystemImageGUID. */
static uint64_t switch_guid(const struct network *net, uint32_t index)
{
	uint64_t guid = ft_plan_bound_guid(net->design, net->plan, index);

	return guid ? guid : FT_IBSIM_SWITCH_GUID + index;
}

static uint64_t node_guid(const struct network *net, uint32_t index, uint32_t chip)
{
	return is_director(net, index) ? FT_IBSIM_CHIP_GUID + net->first_chip[index] + chip : switch_guid(net, index);
}

/* Two GUIDs a host: the node's, and its port's next to it, as ibsim numbers them. */
static uint64_t host_guid(const struct network *net, uint32_t host)
{
	uint32_t listed = net->wiring->hosts[host].listed;

	if (listed != FT_NONE && net->plan->hosts[listed].guid)
		return net->plan->hosts[listed].guid;
	return FT_IBSIM_HOST_GUID + 2 * (uint64_t)host;
}

static uint32_t node_lid(const struct network *net, uint32_t index, uint32_t chip)
{
	return net->lids ? net->first_node[index] + chip + 1 : 0;
}

static uint32_t host_lid(const struct network *net, uint32_t host)
{
	return net->lids ? net->first_node[net->plan->switch_count] + host + 1 : 0;
}

static void add_name(const struct network *net, uint32_t index, uint32_t chip)
{
	const struct ft_ibsim_chassis *chassis = is_director(net, index) ? &net->chassis[index] : NULL;
	const char *name = chassis && chassis->stem ? chassis->stem : switch_name(net, index);
	char slot[FT_SLOT_SIZE];

	ft_text_add_safe(net->text, name, strlen(name));
	if (is_director(net, index) && !chassis->bare)
		ft_text_printf(net->text, " %s", ft_inside_slot(inside_of(net, index), chip, slot));
}

static void write_product(const struct network *net, const struct product *product, uint64_t guid)
{
	ft_text_printf(net->text, "\nvendid=0x%x\ndevid=0x%x\nsysimgguid=0x%" PRIx64 "\n", product->vendor,
		       product->device, guid);
}

static uint32_t port_count(const struct network *net, uint32_t index)
{
	const struct ft_plan *plan = net->plan;

	if (is_director(net, index))
		return ft_inside_chip_ports(inside_of(net, index));
	return plan->switches[index].ports;
}

static void write_node_head(const struct network *net, uint32_t index, uint32_t chip)
{
	uint64_t guid = node_guid(net, index, chip);

	write_product(net, net->switch_product, switch_guid(net, index));
	ft_text_printf(net->text, "switchguid=0x%" PRIx64 "(%" PRIx64 ")\n", guid, guid);
	ft_text_printf(net->text, "Switch\t%u \"S-%016" PRIx64 "\"\t\t# \"", port_count(net, index), guid);
	add_name(net, index, chip);
	ft_text_printf(net->text, "\" base port 0 lid %u lmc 0\n", node_lid(net, index, chip));
}

static void add_host_name(const struct network *net, uint32_t host)
{
	char buffer[FT_HOST_NAME_SIZE];
	const char *name = ft_wiring_host_name(net->plan, net->wiring, host, buffer);
	uint32_t listed = net->wiring->hosts[host].listed;
	const char *adapter = listed == FT_NONE ? NULL : net->plan->hosts[listed].adapter;

	ft_text_add_safe(net->text, name, strlen(name));
	if (adapter) {
		ft_text_puts(net->text, " ");
		ft_text_add_safe(net->text, adapter, strlen(adapter));
	}
}

static void write_switch_host(const struct network *net, uint32_t port, uint32_t host)
{
	ft_text_printf(net->text, "[%u]\t\"H-%016" PRIx64 "\"[1](%" PRIx64 ")\t\t# \"", port, host_guid(net, host),
		       host_guid(net, host) + 1);
	add_host_name(net, host);
	ft_text_printf(net->text, "\" lid %u %s\n", host_lid(net, host), net->host_rate);
}

/* A link from port @port of the current node to another switch node. */
static void write_switch_link(const struct network *net, uint32_t port, uint32_t far, struct ft_chip_port far_port)
{
	ft_text_printf(net->text, "[%u]\t\"S-%016" PRIx64 "\"[%u]\t\t# \"", port, node_guid(net, far, far_port.chip),
		       far_port.port);
	add_name(net, far, far_port.chip);
	ft_text_printf(net->text, "\" lid %u %s\n", node_lid(net, far, far_port.chip), net->uplink_rate);
}

/* The cables of a bundle at @index, one of its two ends, as far as they are on @chip. */
static void write_switch_bundle(const struct network *net, uint32_t number, uint32_t index, uint32_t chip)
{
	const struct ft_plan_bundle *bundle = &net->plan->bundles[number];
	const struct ft_wire *wires = &net->wiring->cables[net->wiring->first_cable[number]];
	bool lower = bundle->a == index;

	for (uint32_t k = 0; k < bundle->count; k++) {
		struct ft_chip_port near = outer_port(net, index, lower ? wires[k].a_port : wires[k].b_port);
		uint32_t far = lower ? bundle->b : bundle->a;

		if (near.chip == chip)
			write_switch_link(net, near.port, far,
					  outer_port(net, far, lower ? wires[k].b_port : wires[k].a_port));
	}
}

/* The traces of a chip. */
static void write_traces(const struct network *net, uint32_t index, uint32_t chip)
{
	const struct ft_inside *in = inside_of(net, index);
	uint32_t lines = ft_inside_line_chips(in), fabrics = ft_inside_fabric_chips(in);
	bool is_line = chip < lines;

	for (uint32_t trace = 0; trace < in->traces; trace++)
		for (uint32_t far = 0; far < (is_line ? fabrics : lines); far++) {
			uint32_t line = is_line ? chip : far, fabric = is_line ? far : chip - lines;
			struct ft_chip_port a = ft_inside_line_end(in, line, fabric, trace);
			struct ft_chip_port b = ft_inside_fabric_end(in, line, fabric, trace);

			write_switch_link(net, is_line ? a.port : b.port, index, is_line ? b : a);
		}
}

static void write_switch_node(const struct network *net, uint32_t index, uint32_t chip)
{
	const struct ft_wiring *wiring = net->wiring;

	write_node_head(net, index, chip);
	for (uint32_t i = 0; i < net->plan->switches[index].hosts; i++) {
		uint32_t host = wiring->first_host[index] + i;
		struct ft_chip_port port = outer_port(net, index, wiring->hosts[host].port);

		if (port.chip == chip)
			write_switch_host(net, port.port, host);
	}
	for (uint32_t i = wiring->first_bundle[index]; i < wiring->first_bundle[index + 1]; i++)
		write_switch_bundle(net, wiring->bundles[i], index, chip);
	if (is_director(net, index))
		write_traces(net, index, chip);
}

static void write_host(const struct network *net, uint32_t host, uint32_t edge, uint32_t port)
{
	uint64_t guid = host_guid(net, host);
	struct ft_chip_port far = outer_port(net, edge, port);

	write_product(net, net->host_product, guid);
	ft_text_printf(net->text, "caguid=0x%" PRIx64 "\n", guid);
	ft_text_printf(net->text, "Ca\t1 \"H-%016" PRIx64 "\"\t\t# \"", guid);
	add_host_name(net, host);
	ft_text_puts(net->text, "\"\n");
	ft_text_printf(net->text, "[1](%" PRIx64 ")\t\"S-%016" PRIx64 "\"[%u]\t\t# lid %u lmc 0 \"", guid + 1,
		       node_guid(net, edge, far.chip), far.port, host_lid(net, host));
	add_name(net, edge, far.chip);
	ft_text_printf(net->text, "\" lid %u %s\n", node_lid(net, edge, far.chip), net->host_rate);
}

static const char *first_rate(const struct ft_rates *rates, char buffer[FT_RATE_NAME_SIZE])
{
	return rates->count ? ft_rate_name(rates->rates[0], buffer) : "4xHDR";
}

static bool is_beyond_ibsim(const struct ft_rates *rates)
{
	return rates->count > 0 && rates->rates[0].speed > FT_SPEED_HDR;
}

/* The file is the plan's: ftcheck --from compares it with the design, and later releases of ibsim know more rates. */
static void write_rate_note(const struct network *net)
{
	if (is_beyond_ibsim(&net->design->uplink_rates) || is_beyond_ibsim(&net->design->host_rates))
		ft_text_puts(net->text, "# ibsim 0.10 knows rates up to HDR: to rehearse with it, write 4xHDR in the "
					"design (see ftplan(1))\n#\n");
}

static void write_network(const struct network *net)
{
	ft_text_puts(net->text, "#\n# Topology file: the intended fabric \"");
	ft_text_add_safe(net->text, net->design->name, strlen(net->design->name));
	ft_text_puts(net->text, "\", written by ftplan\n#\n");
	write_rate_note(net);
	for (uint32_t i = 0; i < net->plan->switch_count; i++)
		for (uint32_t chip = 0; chip < node_count(inside_of(net, i)); chip++)
			write_switch_node(net, i, chip);
	for (uint32_t i = 0; i < net->plan->switch_count; i++)
		for (uint32_t k = 0; k < net->plan->switches[i].hosts; k++)
			write_host(net, net->wiring->first_host[i] + k, i,
				   net->wiring->hosts[net->wiring->first_host[i] + k].port);
}

/* The first node of each switch, and the names of directors' chips. Returns 0 or -ENOMEM. */
static int network_prepare(struct network *net)
{
	uint32_t nodes = 0, chips = 0;

	for (uint32_t i = 0; i < net->plan->switch_count; i++) {
		enum ft_tier tier = net->plan->switches[i].tier;
		const struct ft_pattern *pattern = net->design->roles[tier].chassis;
		bool free = net->design->binds[tier].count == 0 && !net->design->binds[tier].match;
		uint32_t count = node_count(inside_of(net, i));

		net->first_node[i] = nodes;
		net->first_chip[i] = chips;
		nodes += count;
		chips += is_director(net, i) ? count : 0;
		if (is_director(net, i) && pattern &&
		    ft_ibsim_chassis_name(pattern, i - ft_plan_tier_first(net->plan, tier) + 1, switch_name(net, i),
					  free, &net->chassis[i]) < 0)
			return -ENOMEM;
	}
	net->first_node[net->plan->switch_count] = nodes;
	net->lids = nodes + ft_plan_host_total(net->plan) <= UNICAST_LID_MAX;
	return 0;
}

static void network_release(struct network *net)
{
	ft_ibsim_names_free(net->plan, net->names);
	ft_ibsim_chassis_free(net->chassis, net->plan->switch_count);
	free(net->first_node);
	free(net->first_chip);
}

void ft_plan_write_ibsim(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan)
{
	_cleanup_(ft_wiring_release) struct ft_wiring wiring = {0};
	char uplink[FT_RATE_NAME_SIZE], host_rate[FT_RATE_NAME_SIZE];
	bool switches_fdr10 = is_fdr10(&design->uplink_rates) || is_fdr10(&design->host_rates);
	_cleanup_(network_release) struct network net = {
		.text = text,
		.design = design,
		.plan = plan,
		.wiring = &wiring,
		.names = calloc(plan->switch_count + 1UL, sizeof(*net.names)),
		.chassis = calloc(plan->switch_count + 1UL, sizeof(*net.chassis)),
		.first_node = calloc(plan->switch_count + 1UL, sizeof(*net.first_node)),
		.first_chip = calloc(plan->switch_count + 1UL, sizeof(*net.first_chip)),
		.uplink_rate = first_rate(&design->uplink_rates, uplink),
		.host_rate = first_rate(&design->host_rates, host_rate),
		.switch_product = switches_fdr10 ? &fdr10_switch : &no_product,
		.host_product = is_fdr10(&design->host_rates) ? &fdr10_host : &no_product,
	};

	if (!net.names || !net.chassis || !net.first_node || !net.first_chip || ft_wiring_make(plan, &wiring) < 0 ||
	    ft_ibsim_names_find(design, plan, net.names) < 0 || ft_ibsim_insides(plan, net.insides, NULL) < 0 ||
	    network_prepare(&net) < 0) {
		text->failed = true;
	} else {
		write_network(&net);
	}
}

int ft_write_ibsim(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan,
		   const struct ft_catalog *catalog, struct ft_error *err)
{
	int r = ft_plan_check_ibsim(design, plan, err);

	(void)catalog;
	if (r < 0)
		return r;
	ft_plan_write_ibsim(text, design, plan);
	return ft_text_failed(text) ? -ENOMEM : 0;
}
