/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/write/formats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/map.h"
#include "base/text.h"
#include "planner/write/csv.h"
#include "planner/write/floor.h"
#include "planner/plan/wiring.h"

/*
 * The cells of a switch or host that every row repeats, escaped once: a plan has tens of thousands of cables. A label
 * is the name followed by the port, inside the quotes if there are any.
 */
struct item {
	const char *name;
	size_t length;
	bool quoted;
	const struct ft_floor_place *place; /* NULL: not on the floor plan, as islands are not */
};

struct cables {
	struct ft_text *text;
	const struct ft_plan *plan;
	const struct ft_floor *floor;
	struct ft_wiring wiring;
	uint32_t *host_ports; /* NULL: each has one */
	struct ft_text names; /* the cells of the switches, each with a NUL behind it */
	struct item *items;   /* item_name() of each */
	char (*racks)[FT_FLOOR_RACK_SIZE];
};

static void cables_release(struct cables *c)
{
	ft_text_release(&c->names);
	ft_wiring_release(&c->wiring);
	free(c->host_ports);
	free(c->items);
	free(c->racks);
}

/* Each switch, and behind them each by the name that islands know it by. */
static uint32_t item_count(const struct ft_plan *plan)
{
	return 2 * plan->switch_count;
}

static const char *item_name(const struct ft_plan *plan, uint32_t item)
{
	return item < plan->switch_count ? plan->switches[item].name
					 : ft_plan_known_as(plan, item - plan->switch_count);
}

static int make_names(struct cables *c)
{
	const struct ft_plan *plan = c->plan;
	const char *name;

	for (uint32_t i = 0; i < item_count(plan); i++) {
		ft_csv_add(&c->names, item_name(plan, i));
		ft_text_add(&c->names, "", 1);
	}
	if (ft_text_failed(&c->names))
		return -ENOMEM;
	name = c->names.data;
	for (uint32_t i = 0; i < item_count(plan); i++) {
		c->items[i] = (struct item){name, strlen(name), name[0] == '"',
					    i < ft_plan_tree_switches(plan) ? &c->floor->switches[i] : NULL};
		name += c->items[i].length + 1;
	}
	return 0;
}

static int name_taken(const char *name, struct ft_error *err)
{
	return ft_error_set(err, -EINVAL, 0, 0, "two things of this plan are called %s, and a label has to be unique",
			    name);
}

/*
 * The far end of a cable: the host, and its adapter if it is given. @buffer is for made-up names, @text for composed
 * ones.
 */
static const char *host_name(const struct cables *c, uint32_t host, char buffer[FT_HOST_NAME_SIZE],
			     struct ft_text *text)
{
	const char *name = ft_wiring_host_name(c->plan, &c->wiring, host, buffer);
	uint32_t listed = c->plan->host_count ? c->wiring.hosts[host].listed : FT_UNPINNED;

	if (listed == FT_UNPINNED || !c->plan->hosts[listed].adapter)
		return name;
	ft_text_printf(text, "%s %s", name, c->plan->hosts[listed].adapter);
	return ft_text_string(text);
}

/* The port given by the list; 0: none. */
static uint32_t host_port_said(const struct cables *c, uint32_t host)
{
	uint32_t listed = c->plan->host_count ? c->wiring.hosts[host].listed : FT_UNPINNED;

	return listed == FT_UNPINNED ? 0 : c->plan->hosts[listed].adapter_port;
}

/* The next port of a host, from *port on, that none of its cables has. Returns 0 or -ENOMEM. */
static int port_next(struct ft_map *ports, uint32_t first, uint32_t *port)
{
	int r = 0;

	while (r == 0)
		r = ft_map_add(ports, (uint64_t)first << 32 | ++*port, 0, NULL);
	return r < 0 ? r : 0;
}

/*
 * Ports of hosts: as the list says, and else by number, as a host that is listed twice has two. @there: names of
 * switches.
 */
static int number_host_ports(struct cables *c, struct ft_map *there, struct ft_error *err)
{
	_cleanup_free_ uint32_t *first = calloc((size_t)c->plan->nodes + 1, sizeof(*first));
	_cleanup_free_ uint32_t *last = calloc((size_t)c->plan->nodes + 1, sizeof(*last));
	_cleanup_(ft_map_release) struct ft_map ports = {0};
	char buffer[FT_HOST_NAME_SIZE];
	int r = 0;

	c->host_ports = calloc((size_t)c->plan->nodes + 1, sizeof(*c->host_ports));
	if (!first || !last || !c->host_ports)
		return -ENOMEM;
	for (uint32_t i = 0; r >= 0 && i < c->plan->nodes; i++) {
		_cleanup_(ft_text_release) struct ft_text text = {0};
		const char *name = host_name(c, i, buffer, &text);
		uint32_t number = i + c->plan->switch_count;

		if (ft_text_failed(&text))
			return -ENOMEM;
		r = ft_map_add(there, ft_text_hash(name), number, &number);
		if (r >= 0 && number < c->plan->switch_count)
			return name_taken(name, err);
		first[i] = number - c->plan->switch_count;
		c->host_ports[i] = r < 0 ? 0 : host_port_said(c, i);
		if (r >= 0 && c->host_ports[i])
			r = ft_map_add(&ports, (uint64_t)first[i] << 32 | c->host_ports[i], 0, NULL);
		/* Duplicates get a number of their own. */
		if (r == 0 && c->host_ports[i])
			c->host_ports[i] = 0;
	}
	for (uint32_t i = 0; r >= 0 && i < c->plan->nodes; i++) {
		if (c->host_ports[i])
			continue;
		r = port_next(&ports, first[i], &last[first[i]]);
		c->host_ports[i] = last[first[i]];
	}
	return r < 0 ? r : 0;
}

/* Bound names may be those of hosts, or be the same once they are escaped. */
static int check_names(struct cables *c, struct ft_error *err)
{
	_cleanup_(ft_map_release) struct ft_map map = {0};

	for (uint32_t i = 0; i < c->plan->switch_count; i++) {
		const char *name = c->items[i].name;
		uint32_t other;
		int r = ft_map_add(&map, ft_text_hash(name), i, &other);

		if (r < 0)
			return r;
		if ((r == 0 && strcmp(c->items[other].name, name) == 0) ||
		    (c->plan->host_count == 0 && ft_plan_find_host(c->plan, name) != FT_UNPINNED))
			return name_taken(name, err);
	}
	return c->plan->host_count > 0 ? number_host_ports(c, &map, err) : 0;
}

static int name_racks(struct cables *c)
{
	uint32_t count = c->floor->rows * c->floor->columns;

	c->racks = calloc(count, sizeof(*c->racks));
	if (!c->racks)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		ft_floor_rack_name(c->floor, i, c->racks[i]);
	return 0;
}

static void add_label(const struct cables *c, const struct item *item, uint32_t port)
{
	ft_text_add(c->text, item->name, item->length - item->quoted);
	ft_text_add(c->text, "/", 1);
	ft_csv_add_count(c->text, port);
	ft_text_add(c->text, item->quoted ? "\"," : ",", 1 + (size_t)item->quoted);
}

static void add_end(const struct cables *c, const struct item *item, uint32_t port)
{
	const char *rack;

	ft_text_add(c->text, item->name, item->length);
	ft_text_add(c->text, ",", 1);
	ft_csv_add_count(c->text, port);
	ft_text_add(c->text, ",", 1);
	if (!item->place) {
		ft_text_add(c->text, ",,", 2);
		return;
	}
	rack = c->racks[item->place->rack];
	ft_text_add(c->text, rack, strlen(rack));
	ft_text_add(c->text, ",", 1);
	ft_csv_add_count(c->text, item->place->unit);
	ft_text_add(c->text, ",", 1);
}

/* Standard lengths are whole or half metres. */
static void add_length(struct ft_text *text, uint32_t length_mm)
{
	ft_csv_add_count(text, length_mm / 1000);
	if (length_mm % 1000)
		ft_text_add(text, ".5", 2);
}

static void add_cable(const struct cables *c, const struct item *a, uint32_t a_port, const struct item *b,
		      uint32_t b_port, const char *kind)
{
	add_label(c, a, a_port);
	add_label(c, b, b_port);
	add_end(c, a, a_port);
	add_end(c, b, b_port);
	ft_text_puts(c->text, kind);
	ft_text_add(c->text, ",", 1);
	if (a->place && b->place)
		add_length(c->text, ft_floor_cable_mm(ft_floor_distance_mm(c->floor, a->place, b->place)));
	ft_text_add(c->text, "\n", 1);
}

/* A host that is listed twice has two ports. */
static uint32_t host_port(struct cables *c, uint32_t host)
{
	return c->host_ports ? c->host_ports[host] : 1;
}

static void add_host_cable(struct cables *c, uint32_t edge, uint32_t number)
{
	char buffer[FT_HOST_NAME_SIZE];
	_cleanup_(ft_text_release) struct ft_text cell = {0};
	_cleanup_(ft_text_release) struct ft_text text = {0};
	struct item host = {.name = host_name(c, number, buffer, &text), .place = &c->floor->hosts[number]};

	if (host.place->midplane)
		return;
	if (host.name != buffer) {
		ft_csv_add(&cell, host.name);
		c->text->failed |= ft_text_failed(&cell) || ft_text_failed(&text);
		host.name = ft_text_string(&cell);
		host.quoted = host.name[0] == '"';
	}
	host.length = strlen(host.name);
	add_cable(c, &host, host_port(c, number), &c->items[edge], c->wiring.hosts[number].port, "host");
}

static void add_host_cables(struct cables *c, uint32_t edge)
{
	for (uint32_t i = 0; i < c->plan->switches[edge].hosts; i++)
		add_host_cable(c, edge, c->wiring.first_host[edge] + i);
}

static void add_bundle(const struct cables *c, uint32_t index)
{
	const struct ft_plan_bundle *bundle = &c->plan->bundles[index];
	const struct ft_wire *wires = &c->wiring.cables[c->wiring.first_cable[index]];
	enum ft_tier low = c->plan->switches[bundle->a].tier, high = c->plan->switches[bundle->b].tier;
	const char *kind = low == FT_TIER_EDGE ? "uplink" : "spine-uplink";

	if (c->plan->topology == FT_TOPOLOGY_GRAPH || low == high)
		kind = "link";
	for (uint32_t k = 0; k < bundle->count; k++)
		add_cable(c, &c->items[bundle->a], wires[k].a_port, &c->items[bundle->b], wires[k].b_port, kind);
}

/* For islands only the ends of their cables, and the ports: there is no floor plan for them. */
static void add_islands(const struct cables *c)
{
	const struct ft_plan *plan = c->plan;

	for (uint32_t i = ft_plan_tree_switches(plan); i < plan->switch_count; i++)
		for (uint32_t k = 0; k < plan->switches[i].hosts; k++) {
			uint32_t host = c->wiring.first_host[i] + k;
			char name[FT_HOST_NAME_SIZE];
			struct item item = {.name = ft_plan_host_name(plan, host, name)};

			item.length = strlen(name);
			add_cable(c, &item, 1, &c->items[i], c->wiring.hosts[host].port, "host");
		}
	for (uint32_t i = ft_plan_tree_bundles(plan); i < plan->bundle_count; i++) {
		const struct ft_plan_bundle *b = &plan->bundles[i];
		const struct ft_wire *wires = &c->wiring.cables[c->wiring.first_cable[i]];
		bool to_tree = !ft_plan_is_beside(plan, b->a);

		for (uint32_t k = 0; k < b->count; k++) {
			if (to_tree)
				add_cable(c, &c->items[b->b], wires[k].b_port, &c->items[plan->switch_count + b->a],
					  wires[k].a_port, "island");
			else
				add_cable(c, &c->items[b->a], wires[k].a_port, &c->items[b->b], wires[k].b_port,
					  "island");
		}
	}
}

/* Switch by switch in the plan's order: its hosts, then its uplinks. */
static void add_cables(struct cables *c)
{
	const struct ft_plan *plan = c->plan;
	uint32_t bundle = 0;

	ft_text_puts(c->text, "label_a,label_b,a,a_port,a_rack,a_unit,b,b_port,b_rack,b_unit,kind,length_m\n");
	for (uint32_t i = 0; i < ft_plan_tree_switches(plan); i++) {
		add_host_cables(c, i);
		for (; bundle < ft_plan_tree_bundles(plan) && plan->bundles[bundle].a == i; bundle++)
			add_bundle(c, bundle);
	}
	add_islands(c);
}

int ft_write_cables(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan,
		    const struct ft_catalog *catalog, struct ft_error *err)
{
	_cleanup_(ft_floor_freep) struct ft_floor *floor = NULL;
	_cleanup_(cables_release) struct cables c = {.text = text, .plan = plan};
	const struct ft_plan tree = ft_plan_tree(plan);
	int r;

	(void)design;
	r = ft_floor_make(&tree, catalog, NULL, &floor);
	if (r < 0)
		return r == -EINVAL ? ft_error_set(err, r, 0, 0, "the floor model has no room for this plan") : r;
	c.floor = floor;
	c.items = calloc((size_t)item_count(plan) + 1, sizeof(*c.items));
	if (!c.items)
		return -ENOMEM;
	r = ft_wiring_make(plan, &c.wiring);
	if (r == 0)
		r = make_names(&c);
	if (r == 0)
		r = check_names(&c, err);
	if (r == 0)
		r = name_racks(&c);
	if (r < 0)
		return r;
	add_cables(&c);
	return ft_text_failed(text) ? -ENOMEM : 0;
}
