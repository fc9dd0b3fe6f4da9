/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "verify/model/ethernet.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/interface.h"
#include "base/map.h"
#include "base/numbers.h"
#include "base/text.h"
#include "probe/snapshot_build.h"

/* The names of the plan: switches first, then hosts. */
struct fit {
	const struct ft_plan *plan;
	struct ft_snapshot *s;
	struct ft_map whole; /* hash of a name -> its index */
	struct ft_map brief; /* hash of a name without its domain -> its index */
	struct ft_map twice; /* hashes in @brief that several names have */
	uint32_t *found;     /* by node: the index of its name, or FT_NONE */
	size_t strings_size;
	struct ft_arena memory; /* of all lists; it tells whether anything failed */
};

static void fit_release(struct fit *f)
{
	ft_map_release(&f->whole);
	ft_map_release(&f->brief);
	ft_map_release(&f->twice);
	ft_arena_release(&f->memory);
}

static const char *name_at(const struct fit *f, uint32_t index)
{
	return index < f->plan->switch_count ? f->plan->switches[index].name
					     : f->plan->hosts[index - f->plan->switch_count].name;
}

/* Of the name without its domain. */
static uint64_t brief_hash(struct fit *f, const char *name)
{
	_cleanup_free_ char *brief = strndup(name, ft_machine_short_length(name));

	f->memory.failed |= !brief;
	return brief ? ft_text_short_hash(brief) : 0;
}

static void names_collect(struct fit *f)
{
	for (uint32_t i = 0; i < f->plan->switch_count + f->plan->host_count; i++) {
		const char *name = name_at(f, i);
		uint64_t hash = name ? brief_hash(f, name) : 0;
		uint32_t first = i;

		if (!name)
			continue;
		ft_map_put(&f->whole, ft_text_short_hash(name), i, &f->memory.failed);
		f->memory.failed |= ft_map_add(&f->brief, hash, i, &first) < 0;
		/* A host is listed once a port. */
		if (!ft_text_short_equal(name_at(f, first), name))
			ft_map_put(&f->twice, hash, 0, &f->memory.failed);
	}
}

static void name_find(struct fit *f, uint32_t node)
{
	const char *name = ft_node_description(f->s, &f->s->nodes[node]);
	uint64_t hash;

	f->found[node] = ft_map_get(&f->whole, ft_text_short_hash(name));
	if (f->found[node] != FT_NONE)
		return;
	hash = brief_hash(f, name);
	if (ft_map_get(&f->twice, hash) == FT_NONE)
		f->found[node] = ft_map_get(&f->brief, hash);
}

/* Adds a string to those of the snapshot, whose size doubles. Where that fails nothing is set. */
static void string_add(struct fit *f, const char *string, uint32_t *ret_offset)
{
	struct ft_snapshot *s = f->s;
	size_t length = strlen(string) + 1;
	bool fits = length <= UINT32_MAX / 4 - s->strings_length;

	if (fits && s->strings_length + length > f->strings_size) {
		size_t size = 2 * (s->strings_length + length);
		char *strings = realloc(s->strings, size);

		fits = strings != NULL;
		s->strings = fits ? strings : s->strings;
		f->strings_size = fits ? size : f->strings_size;
	}
	f->memory.failed |= !fits;
	if (!fits)
		return;
	memcpy(s->strings + s->strings_length, string, length);
	*ret_offset = s->strings_length;
	s->strings_length += (uint32_t)length;
}

/* Calls the node as the plan does. */
static void node_name(struct fit *f, uint32_t node)
{
	const char *name = name_at(f, f->found[node]);
	struct ft_node *n = &f->s->nodes[node];

	if (strcmp(name, ft_node_description(f->s, n)) == 0 || strlen(name) > UINT16_MAX)
		return;
	string_add(f, name, &n->description);
	if (!f->memory.failed)
		n->description_length = (uint16_t)strlen(name);
}

/* ---- names of ports ---- */

/* What is before the number in the names of all ports of a switch, if it is the same in all; "": it is not. */
struct prefix {
	char text[32];
	bool differs;
};

static void prefix_add(struct prefix *prefix, const char *name, uint32_t number)
{
	char digits[12];
	size_t length = strlen(name), tail = (size_t)snprintf(digits, sizeof(digits), "%u", number);

	if (length <= tail || length - tail >= sizeof(prefix->text) || strcmp(name + length - tail, digits) != 0 ||
	    (prefix->text[0] &&
	     (strlen(prefix->text) != length - tail || memcmp(prefix->text, name, length - tail) != 0))) {
		prefix->differs = true;
		return;
	}
	memcpy(prefix->text, name, length - tail);
	prefix->text[length - tail] = '\0';
}

static void prefix_find(const struct fit *f, uint32_t node, struct prefix *prefix)
{
	const struct ft_node *n = &f->s->nodes[node];

	for (uint32_t i = 0; i < n->port_count; i++) {
		const struct ft_port *port = &f->s->ports[n->first_port + i];

		if (port->name)
			prefix_add(prefix, ft_port_name(f->s, port), port->number);
	}
}

/* The planned switch that the node is; NULL: none. */
static const struct ft_plan_switch *planned_of(const struct fit *f, uint32_t node)
{
	return f->found[node] < f->plan->switch_count ? &f->plan->switches[f->found[node]] : NULL;
}

/* The name of port @number in a list of the plan, with its length; NULL: it has none. */
static const char *listed_name(const char *interfaces, uint32_t number, size_t *ret_length)
{
	const char *line = interfaces;

	for (uint32_t i = 1; line && *line && i < number; i++)
		line = strchr(line, '\n') + 1;
	if (!line || !*line)
		return NULL;
	*ret_length = strcspn(line, "\n");
	return line;
}

/*
 * Names the ports of a switch that have no neighbour: as the plan does; else as the others, and those of a switch
 * without any as those of all switches.
 */
static void ports_name(struct fit *f, uint32_t node, const struct prefix *all)
{
	const struct ft_node *n = &f->s->nodes[node];
	const char *interfaces = planned_of(f, node)->interfaces;
	struct prefix own = {.text = ""};
	const char *text = "";

	prefix_find(f, node, &own);
	if (!own.differs)
		text = own.text[0] ? own.text : all->differs ? "" : all->text;
	for (uint32_t i = 0; i < n->port_count; i++) {
		struct ft_port *port = &f->s->ports[n->first_port + i];
		size_t length = 0;
		const char *listed = listed_name(interfaces, port->number, &length);
		char name[48] = "";

		if (listed)
			snprintf(name, sizeof(name), "%.*s", (int)length, listed);
		else if (!interfaces && text[0])
			snprintf(name, sizeof(name), "%s%u", text, port->number);
		if (!port->name && name[0])
			string_add(f, name, &port->name);
	}
}

static void switch_ports_name(struct fit *f)
{
	struct prefix all = {.text = ""};

	for (uint32_t i = 0; i < f->s->node_count; i++)
		if (planned_of(f, i))
			prefix_find(f, i, &all);
	for (uint32_t i = 0; i < f->s->node_count; i++)
		if (planned_of(f, i))
			ports_name(f, i, &all);
}

/* ---- numbers of ports ---- */

/* The number that the plan gives a port by its name; FT_NONE: it has none. */
static uint32_t listed_number(const struct fit *f, const struct ft_plan_switch *planned, const struct ft_port *port)
{
	uint64_t hash = ft_interface_hash(ft_port_name(f->s, port));
	uint32_t number = 1;

	if (!planned->interfaces)
		return port->number;
	for (const char *line = planned->interfaces; *line; line = strchr(line, '\n') + 1, number++) {
		char name[48];

		snprintf(name, sizeof(name), "%.*s", (int)strcspn(line, "\n"), line);
		if (ft_interface_hash(name) == hash)
			return number;
	}
	return FT_NONE;
}

/* Of a switch without a record: its port in the cable that is planned for the port at the other end; 0: none. */
static uint32_t number_of_cable(const struct fit *f, uint32_t node, const struct ft_port *port)
{
	const struct ft_port *far = ft_port_peer(f->s, port);
	uint32_t here = f->found[node], there = far ? f->found[far->node] : FT_NONE, number;

	if (there < f->plan->switch_count) {
		number = listed_number(f, &f->plan->switches[there], far);
		for (uint32_t i = 0; i < f->plan->cable_count; i++) {
			const struct ft_plan_cable *c = &f->plan->cables[i];

			if (c->a == here && c->b == there && c->b_port == number)
				return c->a_port;
			if (c->b == here && c->a == there && c->a_port == number)
				return c->b_port;
		}
	}
	for (uint32_t i = 0; there != FT_NONE && there >= f->plan->switch_count && i < f->plan->host_count; i++) {
		const struct ft_plan_host *host = &f->plan->hosts[i];

		if (host->edge == here && host->name && ft_text_short_equal(host->name, name_at(f, there)))
			return host->port;
	}
	return 0;
}

/*
 * A switch without a record is known from the other ends only, and what these call its ports may be a serial number or
 * a free text. Such a port is the planned one: nothing says otherwise. O(cables) for each.
 */
static void numbers_assume(const struct fit *f, uint32_t node, uint16_t numbers[], bool taken[])
{
	const struct ft_node *n = &f->s->nodes[node];

	for (uint32_t i = 0; n->silent && i < n->port_count; i++) {
		const struct ft_port *port = &f->s->ports[n->first_port + i];
		uint32_t number = numbers[i] == 0 && port->name ? number_of_cable(f, node, port) : 0;

		if (number == 0 || number > FT_PORT_NUMBER_MAX || taken[number])
			continue;
		numbers[i] = (uint16_t)number;
		taken[number] = true;
	}
}

/* The numbers of a node's ports, by their order; where the plan names them its own, and the others behind these. */
static void numbers_find(const struct fit *f, uint32_t node, uint16_t numbers[FT_PORT_NUMBER_MAX])
{
	const struct ft_node *n = &f->s->nodes[node];
	const char *interfaces = planned_of(f, node) ? planned_of(f, node)->interfaces : NULL;
	bool taken[FT_PORT_NUMBER_MAX + 1] = {false};
	uint32_t next = 0;

	for (uint32_t i = 0; i < n->port_count; i++)
		numbers[i] = (uint16_t)(i + 1);
	if (!interfaces)
		return;
	/* What is left of a switch without a record may be in any of its ports. */
	for (const char *line = interfaces; *line && !n->silent; line = strchr(line, '\n') + 1)
		next++;
	for (uint32_t i = 0; i < n->port_count; i++) {
		const struct ft_port *port = &f->s->ports[n->first_port + i];
		uint32_t number = port->name ? listed_number(f, planned_of(f, node), port) : FT_NONE;

		numbers[i] = number == FT_NONE || taken[number] ? 0 : (uint16_t)number;
		taken[numbers[i]] = numbers[i] > 0;
	}
	numbers_assume(f, node, numbers, taken);
	for (uint32_t i = 0; i < n->port_count; i++) {
		const struct ft_port *port = &f->s->ports[n->first_port + i];

		/* Numbers without a port between the others are those of no interface. */
		if (numbers[i] != 0 || (!port->name && port->peer == FT_NONE))
			continue;
		do
			next = next % FT_PORT_NUMBER_MAX + 1;
		while (taken[next]);
		taken[next] = true;
		numbers[i] = (uint16_t)next;
	}
}

/* How many ports the node has: as the plan says, or as many as have numbers. */
static uint32_t ports_of(const struct fit *f, uint32_t node, const uint16_t *numbers)
{
	const struct ft_plan_switch *planned = planned_of(f, node);
	uint32_t count = planned ? planned->ports : 0;

	if (count > FT_PORT_NUMBER_MAX)
		count = FT_PORT_NUMBER_MAX;
	for (uint32_t i = 0; i < f->s->nodes[node].port_count; i++)
		count = numbers[i] > count ? numbers[i] : count;
	return count;
}

/* A port that no record names: it has no neighbour if its machine has a record, which lists those that have one. */
static struct ft_port port_unsaid(const struct ft_node *node, uint32_t index, uint32_t number)
{
	return (struct ft_port){.guid = node->type == FT_NODE_SWITCH ? node->guid : 0,
				.node = index,
				.number = (uint16_t)number,
				.peer = FT_NONE,
				.link = node->silent ? FT_LINK_UNREAD : FT_LINK_DOWN};
}

/* ---- other networks ---- */

/* Joins the networks of two machines that are cabled to each other, if both are switches. */
static void networks_join(const struct fit *f, uint32_t *parent)
{
	const struct ft_snapshot *s = f->s;

	ft_number_begin(parent, s->node_count);
	for (uint32_t i = 0; i < s->port_count; i++) {
		const struct ft_port *far = ft_port_peer(s, &s->ports[i]);

		if (far && s->nodes[s->ports[i].node].type == FT_NODE_SWITCH &&
		    s->nodes[far->node].type == FT_NODE_SWITCH)
			ft_number_join(parent, s->ports[i].node, far->node);
	}
}

/*
 * Hosts are cabled to other networks too, such as the one that they are managed by. Switches that are in one without
 * any switch of the plan are left out, and what leads there; unless most of the plan's switches are not known by name,
 * for then it may be the plan's network that is meant.
 * By node; NULL: no memory.
 */
static bool *networks_tell(struct fit *f)
{
	uint32_t *parent = ft_arena_zeros(&f->memory, f->s->node_count, sizeof(*parent)), known = 0;
	bool *own = ft_arena_zeros(&f->memory, f->s->node_count, sizeof(*own));
	bool *foreign = ft_arena_zeros(&f->memory, f->s->node_count, sizeof(*foreign));

	if (f->memory.failed)
		return NULL;
	networks_join(f, parent);
	for (uint32_t i = 0; i < f->s->node_count; i++)
		if (planned_of(f, i)) {
			own[ft_number_root(parent, i)] = true;
			known++;
		}
	for (uint32_t i = 0; 2 * known >= f->plan->switch_count && i < f->s->node_count; i++)
		foreign[i] = f->s->nodes[i].type == FT_NODE_SWITCH && !own[ft_number_root(parent, i)];
	return foreign;
}

/* ---- the new ports ---- */

/* Nodes and ports as they are to be. */
struct refit {
	struct ft_port *ports;
	struct ft_node *nodes;
	uint32_t *moved; /* by old port: the new one, or FT_NONE */
	uint32_t port_count, node_count;
};

static void refit_release(struct refit *to)
{
	free(to->ports);
	free(to->nodes);
}

static void node_refit(const struct fit *f, uint32_t node, const uint16_t *numbers, struct refit *to)
{
	const struct ft_node *from = &f->s->nodes[node];
	uint32_t count = ports_of(f, node, numbers), index = to->node_count++;
	struct ft_port *ports = to->ports + to->port_count;

	for (uint32_t n = 0; n < count; n++)
		ports[n] = port_unsaid(from, index, n + 1);
	for (uint32_t i = 0; i < from->port_count; i++) {
		if (numbers[i] == 0)
			continue;
		ports[numbers[i] - 1] = f->s->ports[from->first_port + i];
		ports[numbers[i] - 1].number = numbers[i];
		ports[numbers[i] - 1].node = index;
		to->moved[from->first_port + i] = to->port_count + numbers[i] - 1;
	}
	to->nodes[index] = *from;
	to->nodes[index].first_port = to->port_count;
	to->nodes[index].port_count = (uint16_t)count;
	f->found[index] = f->found[node];
	to->port_count += count;
}

/* A port that led to a machine that is left out has no neighbour. */
static void peers_refit(struct refit *to)
{
	for (uint32_t i = 0; i < to->port_count; i++) {
		struct ft_port *port = &to->ports[i];

		if (port->peer == FT_NONE)
			continue;
		port->peer = to->moved[port->peer];
		if (port->peer == FT_NONE) {
			port->link = to->nodes[port->node].silent ? FT_LINK_UNREAD : FT_LINK_DOWN;
			port->deaf = 0;
		}
	}
}

/* Gives the ports their numbers, adds those that no record names, and leaves other networks out. */
static void fabric_refit(struct fit *f)
{
	struct ft_snapshot *s = f->s;
	_cleanup_(refit_release) struct refit to = {0};
	uint16_t numbers[FT_PORT_NUMBER_MAX];
	const bool *foreign = networks_tell(f);
	uint64_t total = 0;

	for (uint32_t i = 0; i < s->node_count; i++) {
		numbers_find(f, i, numbers);
		total += ports_of(f, i, numbers);
	}
	if (total > FT_SNAPSHOT_PORTS_MAX)
		return;
	to.ports = calloc(total + 1, sizeof(*to.ports));
	to.nodes = calloc(s->node_count + 1UL, sizeof(*to.nodes));
	to.moved = ft_arena_numbers(&f->memory, s->port_count, FT_NONE);
	f->memory.failed |= !to.ports || !to.nodes;
	if (f->memory.failed)
		return;
	for (uint32_t i = 0; i < s->node_count; i++) {
		if (foreign[i])
			continue;
		numbers_find(f, i, numbers);
		node_refit(f, i, numbers, &to);
	}
	peers_refit(&to);
	free(s->ports);
	free(s->nodes);
	s->ports = FT_STEAL(to.ports);
	s->nodes = FT_STEAL(to.nodes);
	s->port_count = to.port_count;
	s->node_count = to.node_count;
}

/* ---- types ---- */

/* A switch's ports have its GUID, a host's have none. */
static void type_set(struct fit *f, uint32_t node)
{
	struct ft_node *n = &f->s->nodes[node];

	n->type = f->found[node] < f->plan->switch_count ? FT_NODE_SWITCH : FT_NODE_CA;
	for (uint32_t i = 0; i < n->port_count; i++)
		f->s->ports[n->first_port + i].guid = n->type == FT_NODE_SWITCH ? n->guid : 0;
}

/* A bridge that the plan does not know, and whose interfaces are all called as adapters are, is a host. */
static void hosts_tell(struct fit *f)
{
	struct ft_snapshot *s = f->s;
	uint32_t known = 0;

	for (uint32_t i = 0; i < s->node_count; i++)
		known += planned_of(f, i) != NULL;
	for (uint32_t i = 0; 2 * known >= f->plan->switch_count && i < s->node_count; i++) {
		struct ft_node *n = &s->nodes[i];
		bool adapters = n->port_count > 0 && n->type == FT_NODE_SWITCH && f->found[i] == FT_NONE;

		for (uint32_t p = 0; p < n->port_count; p++) {
			const struct ft_port *port = &s->ports[n->first_port + p];

			adapters &= !port->name || ft_interface_is_adapter(ft_port_name(s, port));
		}
		if (adapters)
			type_set(f, i);
	}
}

int ft_ethernet_fit(const struct ft_plan *plan, struct ft_snapshot *snapshot)
{
	_cleanup_(fit_release) struct fit f = {.plan = plan, .s = snapshot};

	if (!snapshot->source.ethernet)
		return 0;
	f.found = ft_arena_numbers(&f.memory, snapshot->node_count, FT_NONE);
	if (!f.found)
		return -ENOMEM;
	names_collect(&f);
	for (uint32_t i = 0; i < snapshot->node_count; i++) {
		name_find(&f, i);
		if (f.found[i] == FT_NONE)
			continue;
		type_set(&f, i);
		node_name(&f, i);
	}
	hosts_tell(&f);
	fabric_refit(&f);
	switch_ports_name(&f);
	return f.memory.failed ? -ENOMEM : 0;
}
