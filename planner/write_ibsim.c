/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/formats.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/map.h"
#include "base/text.h"
#include "planner/chips.h"
#include "planner/wiring.h"

enum {
	UNICAST_LID_MAX = 0xbfff,  /* IBTA Vol 1, Local Identifiers */
	DESCRIPTION_SIZE_MAX = 63, /* ibsim keeps one byte of the 64 for a NUL */
	SLOT_SIZE_MAX = 12,	   /* " L0123/100" behind the name of a director */
};

static const uint64_t switch_guid_base = 0x100001;
static const uint64_t host_guid_base = 0x200001;
static const uint64_t chip_guid_base = 0x1000001; /* of directors */

/* Nodes of the network that switch @index is: itself, or its chips. */
static uint32_t node_count(const struct ft_inside *inside)
{
	return inside->line_chips ? ft_inside_line_chips(inside) + ft_inside_fabric_chips(inside) : 1;
}

/*
 * The directors of each tier, where what is not known is as usual; all 0 for tiers of other switches. Returns 0, or
 * -EINVAL with @err filled.
 */
static int insides_make(const struct ft_plan *plan, struct ft_inside insides[FT_TIER_COUNT], struct ft_error *err)
{
	memset(insides, 0, FT_TIER_COUNT * sizeof(*insides));
	for (uint32_t i = 0; i < plan->switch_count; i++) {
		const struct ft_plan_switch *sw = &plan->switches[i];

		if (!ft_plan_is_director(plan, i) || insides[sw->tier].line_chips)
			continue;
		if (ft_inside_assume(&plan->inside[sw->tier], sw->ports, &insides[sw->tier]) < 0)
			return ft_error_set(err, -EINVAL, 0, 0,
					    "the %s switches of this plan, of %u ports, are directors, and no usual "
					    "way to build one fits what is known of them: say what they are made of "
					    "by \"inside\"",
					    ft_tier_name(sw->tier), sw->ports);
	}
	return 0;
}

static int check_name(const char *name, struct ft_error *err)
{
	if (strlen(name) > DESCRIPTION_SIZE_MAX)
		return ft_error_set(err, -EINVAL, 0, 0, "\"%s\" is longer than the %d bytes that ibsim keeps of a name",
				    name, DESCRIPTION_SIZE_MAX);
	/* A quote ends the description early, and NAME=VALUE is read as an option of the port. */
	if (strpbrk(name, "\"="))
		return ft_error_set(err, -EINVAL, 0, 0,
				    "\"%s\" holds a character that ibsim's network file cannot (\" or =)", name);
	return 0;
}

/* Host ports of the network, those of islands included. */
static uint32_t host_count(const struct ft_plan *plan)
{
	return plan->nodes + ft_plan_island_hosts(plan);
}

static bool guid_is_made_up(const struct ft_plan *plan, uint64_t guid)
{
	return (guid >= switch_guid_base && guid < host_guid_base + 2 * (uint64_t)host_count(plan)) ||
	       (guid >= chip_guid_base &&
		guid < chip_guid_base + (uint64_t)plan->switch_count * 2 * FT_DIRECTOR_PORTS_MAX);
}

static int check_switch(const struct ft_design *design, const struct ft_plan *plan, uint32_t index,
			struct ft_error *err)
{
	const struct ft_plan_switch *sw = &plan->switches[index];
	uint64_t guid = ft_plan_bound_guid(design, plan, index);
	size_t room = DESCRIPTION_SIZE_MAX - (ft_plan_is_director(plan, index) ? SLOT_SIZE_MAX : 0);
	int r;

	if (strlen(sw->name) > room)
		return ft_error_set(err, -EINVAL, 0, 0,
				    "\"%s\" is longer than the %zu bytes that ibsim keeps of a name%s", sw->name, room,
				    ft_plan_is_director(plan, index) ? " besides the slot" : "");
	r = check_name(sw->name, err);
	if (r < 0)
		return r;
	if (guid && guid_is_made_up(plan, guid))
		return ft_error_set(
			err, -EINVAL, 0, 0,
			"\"%s\" is a GUID of those that are made up for the other nodes of the network file", sw->name);
	return 0;
}

/* A host has two GUIDs, of which the list may give either: ibsim takes no GUID twice. */
static int check_hosts(const struct ft_design *design, const struct ft_plan *plan, struct ft_error *err)
{
	_cleanup_(ft_map_release) struct ft_map there = {0};
	int r = 0;

	for (uint32_t i = 0; r >= 0 && i < plan->switch_count; i++)
		if (ft_plan_bound_guid(design, plan, i))
			r = ft_map_add(&there, ft_plan_bound_guid(design, plan, i), 0, NULL);
	for (uint32_t i = 0; r >= 0 && i < plan->host_count; i++) {
		const struct ft_plan_host *host = &plan->hosts[i];

		r = host->name ? check_name(host->name, err) : 0;
		if (r < 0 || host->guid == 0)
			continue;
		if (guid_is_made_up(plan, host->guid) || guid_is_made_up(plan, host->guid + 1))
			return ft_error_set(err, -EINVAL, 0, 0,
					    "the host's GUID 0x%016" PRIx64
					    " is of those that are made up for the other nodes of the network file",
					    host->guid);
		for (unsigned int k = 0; r >= 0 && k < 2; k++) {
			r = ft_map_add(&there, host->guid + k, 0, NULL);
			if (r == 0)
				return ft_error_set(err, -EINVAL, 0, 0,
						    "ibsim takes no GUID twice, and 0x%016" PRIx64
						    " is that of another node or port",
						    host->guid + k);
		}
	}
	return r < 0 ? r : 0;
}

int ft_plan_check_ibsim(const struct ft_design *design, const struct ft_plan *plan, struct ft_error *err)
{
	struct ft_inside insides[FT_TIER_COUNT];

	for (uint32_t i = 0; i < plan->switch_count; i++) {
		int r = check_switch(design, plan, i, err);

		if (r < 0)
			return r;
	}
	for (uint32_t i = 0; i < plan->islander_count; i++) {
		int r = check_name(plan->islanders[i].name, err);

		if (r < 0)
			return r;
	}
	if (insides_make(plan, insides, err) < 0)
		return -EINVAL;
	return check_hosts(design, plan, err);
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

/*
 * ---- names ----
 * Of switches of a tier that is bound by a pattern, names are made up that it matches, so that they are told for that
 * tier again.
 */

/* By switch: a name in place of the plan's, or NULL. */
static void names_free(const struct ft_plan *plan, char **names)
{
	for (uint32_t i = 0; names && i < plan->switch_count; i++)
		free(names[i]);
	free(names);
}

static void tier_names_drop(const struct ft_plan *plan, enum ft_tier tier, char **names)
{
	for (uint32_t i = 0; i < plan->switch_count; i++)
		if (plan->switches[i].tier == tier) {
			free(names[i]);
			names[i] = NULL;
		}
}

/* Whether the pattern of no tier but @tier matches @name: 1, 0 or -ENOMEM. */
static int name_is_ours(const struct ft_design *design, enum ft_tier tier, const char *name)
{
	for (int other = 0; other < FT_TIER_COUNT; other++) {
		const struct ft_pattern *match = design->binds[other].match;
		int r = match && other != (int)tier ? ft_pattern_matches(match, name, strlen(name)) : 0;

		if (r != 0)
			return r < 0 ? r : 0;
	}
	return 1;
}

/* Whether the pattern of @tier, and of no other, matches what the plan calls its switches: 1, 0 or -ENOMEM. */
static int plan_names_serve(const struct ft_design *design, const struct ft_plan *plan, enum ft_tier tier)
{
	for (uint32_t i = 0; i < plan->switch_count; i++) {
		const char *name = plan->switches[i].name;
		int r;

		if (plan->switches[i].tier != tier)
			continue;
		r = ft_pattern_matches(design->binds[tier].match, name, strlen(name));
		if (r > 0)
			r = name_is_ours(design, tier, name);
		if (r <= 0)
			return r;
	}
	return 1;
}

/* Names for the switches of @tier, counted from @number on. 1, 0 where there are none for all of them, or -ENOMEM. */
static int tier_names_make(const struct ft_design *design, const struct ft_plan *plan, enum ft_tier tier,
			   uint32_t number, char **names)
{
	const char *pattern = ft_pattern_text(design->binds[tier].match);
	char name[FT_PATTERN_SAMPLE_SIZE];
	int r;

	for (uint32_t i = 0; i < plan->switch_count; i++) {
		if (plan->switches[i].tier != tier)
			continue;
		r = ft_pattern_sample(pattern, number++, name, sizeof(name));
		if (r < 0)
			return r == -ENOMEM ? r : 0;
		r = name_is_ours(design, tier, name);
		if (r <= 0)
			return r;
		names[i] = strdup(name);
		if (!names[i])
			return -ENOMEM;
	}
	return 1;
}

/* Whether all switches are called differently: 1, 0 or -ENOMEM. */
static int names_differ(const struct ft_plan *plan, char *const *names)
{
	_cleanup_(ft_map_release) struct ft_map there = {0};
	int r = 1;

	for (uint32_t i = 0; r == 1 && i < plan->switch_count; i++)
		r = ft_map_add(&there, ft_text_hash(names[i] ? names[i] : plan->switches[i].name), i, NULL);
	return r;
}

/* A tier that its pattern tells by the plan's names, or that none are found for, keeps these. Returns 0 or -ENOMEM. */
static int tier_names_find(const struct ft_design *design, const struct ft_plan *plan, enum ft_tier tier, char **names)
{
	/* "leaf[1-9][0-9]" has no room for less than 10. */
	static const uint32_t starts[] = {1, 10, 100, 1000, 10000, 100000};
	int r = plan_names_serve(design, plan, tier);

	if (r != 0)
		return r < 0 ? r : 0;
	for (size_t i = 0; i < FT_COUNT(starts); i++) {
		r = tier_names_make(design, plan, tier, starts[i], names);
		if (r == 1)
			r = names_differ(plan, names);
		if (r == 1)
			return 0;
		tier_names_drop(plan, tier, names);
		if (r < 0)
			return r;
	}
	return 0;
}

static int names_find(const struct ft_design *design, const struct ft_plan *plan, char **names)
{
	for (int tier = 0; tier < FT_TIER_COUNT; tier++) {
		int r = design->binds[tier].match ? tier_names_find(design, plan, tier, names) : 0;

		if (r < 0)
			return r;
	}
	return 0;
}

/* Names @index as @form; whoever is called so by chance gets the name that is free then. */
static int anchor_name(const struct ft_plan *plan, uint32_t index, const char *form, char **names)
{
	char *old = names[index];

	for (uint32_t i = 0; i < plan->switch_count; i++) {
		if (i == index || !names[i] || strcmp(names[i], form) != 0)
			continue;
		names[index] = names[i];
		names[i] = old;
		return 0;
	}
	names[index] = strdup(form);
	free(old);
	return names[index] ? 0 : -ENOMEM;
}

/* Who stands in for a switch that an island is cabled to carries its name. */
static int anchors_name(const struct ft_plan *plan, char **names)
{
	for (uint32_t i = 0; i < plan->anchor_count; i++) {
		const struct ft_plan_anchor *anchor = &plan->anchors[i];
		int r = anchor->planned ? 0
					: anchor_name(plan, anchor->stands_in,
						      anchor->seen_as ? anchor->seen_as : anchor->name, names);

		if (r < 0)
			return r;
	}
	return 0;
}

/*
 * ---- directors ----
 * Each chip has the name of its director and its slot behind it: "core01 L05". Where the design has a pattern for
 * chassis, it has to find the director's name in there.
 */

/* Does the pattern find @chassis in @name? 1, 0 or -ENOMEM. */
static int chassis_found(const struct ft_pattern *pattern, const char *name, const char *chassis)
{
	size_t start = 0, end = 0;
	int r = ft_pattern_find(pattern, name, strlen(name), &start, &end);

	if (r <= 0)
		return r;
	return end - start == strlen(chassis) && strncmp(name + start, chassis, end - start) == 0;
}

/*
 * A name that the pattern matches, with @name in place of what it takes for the chassis; or, where that may be (@free)
 * and has to be, with a chassis of its own. @ret_chassis: which it has. 1, 0 or -ENOMEM.
 */
static int chassis_sample(const struct ft_pattern *pattern, uint32_t number, const char *name, bool free,
			  struct ft_text *ret_stem, struct ft_text *ret_chassis)
{
	char sample[FT_PATTERN_SAMPLE_SIZE];
	size_t start = 0, end = 0;
	int r = ft_pattern_sample(ft_pattern_text(pattern), number, sample, sizeof(sample));

	if (r == 0)
		r = ft_pattern_find(pattern, sample, strlen(sample), &start, &end);
	if (r <= 0)
		return r == -ENOMEM ? r : 0;
	ft_text_printf(ret_stem, "%.*s%s%s", (int)start, sample, name, sample + end);
	ft_text_puts(ret_chassis, name);
	if (ft_text_failed(ret_stem) || ft_text_failed(ret_chassis))
		return -ENOMEM;
	r = ret_stem->length > DESCRIPTION_SIZE_MAX ? 0 : chassis_found(pattern, ft_text_string(ret_stem), name);
	if (r != 0 || !free)
		return r;
	ft_text_reset(ret_stem);
	ft_text_puts(ret_stem, sample);
	ft_text_reset(ret_chassis);
	ft_text_add(ret_chassis, sample + start, end - start);
	return ft_text_failed(ret_stem) || ft_text_failed(ret_chassis) ? -ENOMEM : 1;
}

/* What stands before the slot in the names of the chips of director @index. */
struct chassis {
	char *stem; /* owned; NULL: the name of the director */
	bool bare;  /* no slot may stand behind it: all chips have one name */
};

static void chassis_free(struct chassis *chassis, uint32_t count)
{
	for (uint32_t i = 0; chassis && i < count; i++)
		free(chassis[i].stem);
	free(chassis);
}

/* Whether the pattern finds @name before a slot, too: 1, 0 or -ENOMEM. */
static int slots_serve(const struct ft_pattern *pattern, const char *stem, const char *name)
{
	static const char *const slots[] = {"L01", "F01"};
	int r = 1;

	for (size_t i = 0; i < FT_COUNT(slots) && r == 1; i++) {
		_cleanup_(ft_text_release) struct ft_text text = {0};

		ft_text_printf(&text, "%s %s", stem, slots[i]);
		r = ft_text_failed(&text) ? -ENOMEM : chassis_found(pattern, ft_text_string(&text), name);
	}
	return r;
}

/*
 * @free  the director may be called anything. Where no name is found that serves, it has that of the plan.
 * Returns 0 or -ENOMEM.
 */
static int chassis_name(const struct ft_pattern *pattern, uint32_t number, const char *name, bool free,
			struct chassis *ret)
{
	_cleanup_(ft_text_release) struct ft_text stem = {0}, chassis = {0};
	int r = slots_serve(pattern, name, name);

	if (r != 0)
		return r < 0 ? r : 0;
	r = chassis_sample(pattern, number, name, free, &stem, &chassis);
	if (r <= 0)
		return r;
	r = stem.length > DESCRIPTION_SIZE_MAX - SLOT_SIZE_MAX
		    ? 0
		    : slots_serve(pattern, ft_text_string(&stem), ft_text_string(&chassis));
	if (r < 0)
		return r;
	while (stem.length > 0 && stem.data[stem.length - 1] == ' ' && r > 0)
		stem.data[--stem.length] = '\0';
	ret->bare = r == 0;
	ret->stem = strdup(ft_text_string(&stem));
	return ret->stem ? 0 : -ENOMEM;
}

/* The plan as a network of nodes with GUIDs and LIDs. */
struct network {
	struct ft_text *text;
	const struct ft_design *design;
	const struct ft_plan *plan;
	const struct ft_wiring *wiring;
	char **names;		 /* by switch; NULL: the plan's */
	struct chassis *chassis; /* by switch */
	struct ft_inside insides[FT_TIER_COUNT];
	uint32_t *first_node; /* by switch, those of islands behind: nodes before it, and at the end all */
	uint32_t *first_chip; /* by switch: chips of directors before it */
	bool *anchored;	      /* by switch: an island is cabled to it */
	const char *uplink_rate;
	const char *host_rate;
	const struct product *switch_product;
	const struct product *host_product;
	bool lids; /* there are enough for all */
};

static bool is_islander(const struct network *net, uint32_t index)
{
	return index >= net->plan->switch_count;
}

/* Islanders are numbered behind the switches of the tree. */
static const char *switch_name(const struct network *net, uint32_t index)
{
	if (is_islander(net, index))
		return net->plan->islanders[index - net->plan->switch_count].name;
	return net->names[index] ? net->names[index] : net->plan->switches[index].name;
}

static const struct ft_inside *inside_of(const struct network *net, uint32_t index)
{
	static const struct ft_inside none = {0};

	if (is_islander(net, index))
		return &none;
	return &net->insides[net->plan->switches[index].tier];
}

static bool is_director(const struct network *net, uint32_t index)
{
	return inside_of(net, index)->line_chips > 0;
}

/* Where a port of the whole is; of a switch that is no director it is its own. */
static struct ft_chip_port outer_port(const struct network *net, uint32_t index, uint32_t port)
{
	if (!is_director(net, index))
		return (struct ft_chip_port){0, port};
	return ft_inside_outer(inside_of(net, index), port);
}

/* What a switch is called by as a whole: a director's SystemImageGUID. */
static uint64_t switch_guid(const struct network *net, uint32_t index)
{
	uint64_t guid = index < net->plan->switch_count ? ft_plan_bound_guid(net->design, net->plan, index) : 0;

	return guid ? guid : switch_guid_base + index;
}

static uint64_t node_guid(const struct network *net, uint32_t index, uint32_t chip)
{
	return is_director(net, index) ? chip_guid_base + net->first_chip[index] + chip : switch_guid(net, index);
}

/* Two GUIDs a host: the node's, and its port's next to it, as ibsim numbers them. */
static uint64_t host_guid(const struct network *net, uint32_t host)
{
	uint32_t listed = host < net->plan->nodes ? net->wiring->hosts[host].listed : FT_UNPINNED;

	if (listed != FT_UNPINNED && net->plan->hosts[listed].guid)
		return net->plan->hosts[listed].guid;
	return host_guid_base + 2 * (uint64_t)host;
}

static uint32_t node_lid(const struct network *net, uint32_t index, uint32_t chip)
{
	return net->lids ? net->first_node[index] + chip + 1 : 0;
}

static uint32_t host_lid(const struct network *net, uint32_t host)
{
	return net->lids ? net->first_node[net->plan->switch_count + net->plan->islander_count] + host + 1 : 0;
}

static void add_name(const struct network *net, uint32_t index, uint32_t chip)
{
	const struct chassis *chassis = is_director(net, index) ? &net->chassis[index] : NULL;
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
	return index < plan->switch_count ? plan->switches[index].ports
					  : plan->islanders[index - plan->switch_count].ports;
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
	/* Those of islands are numbered behind those of the tree. */
	const char *name = host < net->plan->nodes
				   ? ft_wiring_host_name(net->plan, net->wiring, host, buffer)
				   : ft_numbered_name("node", host + 1, host_count(net->plan), 3, buffer);

	ft_text_add_safe(net->text, name, strlen(name));
}

static void write_switch_host(const struct network *net, uint32_t port, uint32_t host)
{
	ft_text_printf(net->text, "[%u]\t\"H-%016" PRIx64 "\"[1](%" PRIx64 ")\t\t# \"", port, host_guid(net, host),
		       host_guid(net, host) + 1);
	add_host_name(net, host);
	ft_text_printf(net->text, "\" lid %u %s\n", host_lid(net, host), net->host_rate);
}

/* A link from port @port of the node that is being written to another switch node. */
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

/* A cable of an island at switch @index, if it is on @chip. */
static void write_island_cable(const struct network *net, uint32_t index, uint32_t chip, uint32_t port, uint32_t far,
			       uint32_t far_port)
{
	struct ft_chip_port near = outer_port(net, index, port);

	if (near.chip == chip)
		write_switch_link(net, near.port, far, outer_port(net, far, far_port));
}

/* The cables of islands at switch @index, of a tree or an island, as far as they are on @chip. */
static void write_island_bundles(const struct network *net, uint32_t index, uint32_t chip)
{
	const struct ft_plan *plan = net->plan;

	for (uint32_t i = 0; i < plan->island_bundle_count; i++) {
		const struct ft_plan_island_bundle *bundle = &plan->island_bundles[i];
		uint32_t a = plan->switch_count + bundle->a;
		uint32_t b = bundle->anchor == FT_UNPINNED ? plan->switch_count + bundle->b
							   : plan->anchors[bundle->anchor].stands_in;

		for (uint32_t k = 0; k < bundle->count; k++) {
			if (a == index)
				write_island_cable(net, a, chip, bundle->a_port + k, b, bundle->b_port + k);
			else if (b == index)
				write_island_cable(net, b, chip, bundle->b_port + k, a, bundle->a_port + k);
		}
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
	if (net->anchored[index])
		write_island_bundles(net, index, chip);
	if (is_director(net, index))
		write_traces(net, index, chip);
}

/* @first_host: number of its first host. */
static void write_islander(const struct network *net, uint32_t islander, uint32_t first_host)
{
	const struct ft_plan_islander *sw = &net->plan->islanders[islander];
	uint32_t index = net->plan->switch_count + islander;

	write_node_head(net, index, 0);
	for (uint32_t i = 0; sw->hosts != FT_UNPINNED && i < sw->hosts; i++)
		write_switch_host(net, i + 1, first_host + i);
	write_island_bundles(net, index, 0);
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

static void write_islands(const struct network *net)
{
	const struct ft_plan *plan = net->plan;
	uint32_t host = plan->nodes;

	for (uint32_t i = 0; i < plan->islander_count; i++) {
		uint32_t hosts = plan->islanders[i].hosts == FT_UNPINNED ? 0 : plan->islanders[i].hosts;

		write_islander(net, i, host);
		for (uint32_t k = 0; k < hosts; k++)
			write_host(net, host + k, plan->switch_count + i, k + 1);
		host += hosts;
	}
}

static void write_network(const struct network *net)
{
	ft_text_puts(net->text, "#\n# Topology file: the intended fabric \"");
	ft_text_add_safe(net->text, net->design->name, strlen(net->design->name));
	ft_text_puts(net->text, "\", written by ftplan\n#\n");
	for (uint32_t i = 0; i < net->plan->switch_count; i++)
		for (uint32_t chip = 0; chip < node_count(inside_of(net, i)); chip++)
			write_switch_node(net, i, chip);
	for (uint32_t i = 0; i < net->plan->switch_count; i++)
		for (uint32_t k = 0; k < net->plan->switches[i].hosts; k++)
			write_host(net, net->wiring->first_host[i] + k, i,
				   net->wiring->hosts[net->wiring->first_host[i] + k].port);
	write_islands(net);
}

/* Where the nodes of each switch begin, and what the chips of directors are called. Returns 0 or -ENOMEM. */
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
		    chassis_name(pattern, i - ft_plan_tier_first(net->plan, tier) + 1, switch_name(net, i), free,
				 &net->chassis[i]) < 0)
			return -ENOMEM;
	}
	for (uint32_t i = 0; i <= net->plan->islander_count; i++)
		net->first_node[net->plan->switch_count + i] = nodes + i;
	for (uint32_t i = 0; i < net->plan->anchor_count; i++)
		net->anchored[net->plan->anchors[i].stands_in] = true;
	net->lids = nodes + net->plan->islander_count + host_count(net->plan) <= UNICAST_LID_MAX;
	return 0;
}

static void network_release(struct network *net)
{
	names_free(net->plan, net->names);
	chassis_free(net->chassis, net->plan->switch_count);
	free(net->first_node);
	free(net->first_chip);
	free(net->anchored);
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
		.anchored = calloc(plan->switch_count + 1UL, sizeof(*net.anchored)),
		.chassis = calloc(plan->switch_count + 1UL, sizeof(*net.chassis)),
		.first_node = calloc(plan->switch_count + plan->islander_count + 1UL, sizeof(*net.first_node)),
		.first_chip = calloc(plan->switch_count + 1UL, sizeof(*net.first_chip)),
		.uplink_rate = first_rate(&design->uplink_rates, uplink),
		.host_rate = first_rate(&design->host_rates, host_rate),
		.switch_product = switches_fdr10 ? &fdr10_switch : &no_product,
		.host_product = is_fdr10(&design->host_rates) ? &fdr10_host : &no_product,
	};

	if (!net.names || !net.chassis || !net.first_node || !net.first_chip || !net.anchored ||
	    ft_wiring_make(plan, &wiring) < 0 || names_find(design, plan, net.names) < 0 ||
	    anchors_name(plan, net.names) < 0 || insides_make(plan, net.insides, NULL) < 0 ||
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
