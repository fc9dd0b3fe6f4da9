/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/write/formats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/map.h"
#include "base/text.h"
#include "planner/write/cable_rows.h"
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
	uint32_t listed = c->plan->host_count ? c->wiring.hosts[host].listed : FT_NONE;

	if (listed == FT_NONE || !c->plan->hosts[listed].adapter)
		return name;
	ft_text_printf(text, "%s %s", name, c->plan->hosts[listed].adapter);
	return ft_text_string(text);
}

/* The port given by the list; 0: none. */
static uint32_t host_port_said(const struct cables *c, uint32_t host)
{
	uint32_t listed = c->plan->host_count ? c->wiring.hosts[host].listed : FT_NONE;

	return listed == FT_NONE ? 0 : c->plan->hosts[listed].adapter_port;
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
		    (c->plan->host_count == 0 && ft_plan_find_host(c->plan, name) != FT_NONE))
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
}

/* A host that is listed twice has two ports. */
static uint32_t host_port(const struct cables *c, uint32_t host)
{
	return c->host_ports ? c->host_ports[host] : 1;
}

static void add_host_cable(const struct cables *c, const struct ft_cable_row *row)
{
	char buffer[FT_HOST_NAME_SIZE];
	_cleanup_(ft_text_release) struct ft_text cell = {0};
	_cleanup_(ft_text_release) struct ft_text text = {0};
	bool beside = ft_plan_is_beside(c->plan, row->b);
	struct item host = {.name = beside ? ft_plan_host_name(c->plan, row->host, buffer)
					   : host_name(c, row->host, buffer, &text),
			    .place = beside ? NULL : &c->floor->hosts[row->host]};

	if (host.name != buffer) {
		ft_csv_add(&cell, host.name);
		c->text->failed |= ft_text_failed(&cell) || ft_text_failed(&text);
		host.name = ft_text_string(&cell);
		host.quoted = host.name[0] == '"';
	}
	host.length = strlen(host.name);
	add_cable(c, &host, beside ? 1 : host_port(c, row->host), &c->items[row->b], row->b_port, row->kind);
}

/* For islands only the ends of their cables, and the ports: there is no floor plan for them. */
static void add_row(const struct cables *c, const struct ft_cable_row *row)
{
	if (row->host != FT_NONE)
		add_host_cable(c, row);
	else
		add_cable(c, &c->items[row->a], row->a_port,
			  &c->items[row->b + (row->alias ? c->plan->switch_count : 0)], row->b_port, row->kind);
}

static int add_cables(struct cables *c)
{
	_cleanup_free_ struct ft_cable_row *rows = NULL;
	uint32_t count;
	int r = ft_cable_rows_make(c->plan, &c->wiring, c->floor, &rows, &count);

	if (r < 0)
		return r;
	ft_text_puts(c->text, "label_a,label_b,a,a_port,a_rack,a_unit,b,b_port,b_rack,b_unit,kind,length_m\n");
	for (uint32_t i = 0; i < count; i++) {
		add_row(c, &rows[i]);
		ft_text_add(c->text, "\n", 1);
	}
	return 0;
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
	if (r == 0)
		r = add_cables(&c);
	if (r < 0)
		return r;
	return ft_text_failed(text) ? -ENOMEM : 0;
}
