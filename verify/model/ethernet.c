/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "verify/model/ethernet.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/interface.h"
#include "base/map.h"
#include "base/text.h"
#include "probe/snapshot_build.h"

/* The names of the plan: switches first, then hosts. */
struct fit {
	const struct ft_plan *plan;
	struct ft_snapshot *s;
	struct ft_map whole; /* hash of a name -> its index */
	struct ft_map brief; /* hash of a name without its domain -> its index */
	struct ft_map twice; /* hashes in @brief that several names have */
	uint32_t *found;     /* by node: the index of its name, or FT_MAP_NONE */
	size_t strings_size;
};

static void fit_release(struct fit *f)
{
	ft_map_release(&f->whole);
	ft_map_release(&f->brief);
	ft_map_release(&f->twice);
	free(f->found);
}

static const char *name_at(const struct fit *f, uint32_t index)
{
	return index < f->plan->switch_count ? f->plan->switches[index].name
					     : f->plan->hosts[index - f->plan->switch_count].name;
}

/* Of the name without its domain. 0, -ENOMEM */
static int brief_hash(const char *name, uint64_t *ret_hash)
{
	_cleanup_free_ char *brief = strndup(name, ft_machine_short_length(name));

	if (!brief)
		return -ENOMEM;
	*ret_hash = ft_text_short_hash(brief);
	return 0;
}

static int names_collect(struct fit *f)
{
	for (uint32_t i = 0; i < f->plan->switch_count + f->plan->host_count; i++) {
		const char *name = name_at(f, i);
		uint32_t first = 0;
		uint64_t hash;
		int r = name ? brief_hash(name, &hash) : 0;

		if (!name)
			continue;
		if (r == 0)
			r = ft_map_add(&f->whole, ft_text_short_hash(name), i, NULL);
		if (r >= 0)
			r = ft_map_add(&f->brief, hash, i, &first);
		/* A host is listed once a port. */
		if (r == 0 && !ft_text_short_equal(name_at(f, first), name))
			r = ft_map_add(&f->twice, hash, 0, NULL);
		if (r < 0)
			return r;
	}
	return 0;
}

static int name_find(struct fit *f, uint32_t node)
{
	const char *name = ft_node_description(f->s, &f->s->nodes[node]);
	uint64_t hash;
	int r;

	f->found[node] = ft_map_get(&f->whole, ft_text_short_hash(name));
	if (f->found[node] != FT_MAP_NONE)
		return 0;
	r = brief_hash(name, &hash);
	if (r == 0 && ft_map_get(&f->twice, hash) == FT_MAP_NONE)
		f->found[node] = ft_map_get(&f->brief, hash);
	return r;
}

/* Adds a string to the arena, whose size doubles. Returns 0, -ENOMEM or -EOVERFLOW. */
static int string_add(struct fit *f, const char *string, uint32_t *ret_offset)
{
	struct ft_snapshot *s = f->s;
	size_t length = strlen(string) + 1;

	if (length > UINT32_MAX / 4 - s->strings_length)
		return -EOVERFLOW;
	if (s->strings_length + length > f->strings_size) {
		size_t size = 2 * (s->strings_length + length);
		char *strings = realloc(s->strings, size);

		if (!strings)
			return -ENOMEM;
		s->strings = strings;
		f->strings_size = size;
	}
	memcpy(s->strings + s->strings_length, string, length);
	*ret_offset = s->strings_length;
	s->strings_length += (uint32_t)length;
	return 0;
}

/* Calls the node as the plan does. */
static int node_name(struct fit *f, uint32_t node)
{
	const char *name = name_at(f, f->found[node]);
	struct ft_node *n = &f->s->nodes[node];

	if (strcmp(name, ft_node_description(f->s, n)) == 0 || strlen(name) > UINT16_MAX)
		return 0;
	n->description_length = (uint16_t)strlen(name);
	return string_add(f, name, &n->description);
}

/* ---- ports ---- */

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

/* Names the ports of a switch that have no neighbour as the others; one without any as those of all switches. */
static int ports_name(struct fit *f, uint32_t node, const struct prefix *all)
{
	const struct ft_node *n = &f->s->nodes[node];
	struct prefix own = {.text = ""};
	const char *text = all->differs ? "" : all->text;
	int r = 0;

	prefix_find(f, node, &own);
	if (own.differs)
		return 0;
	text = own.text[0] ? own.text : text;
	for (uint32_t i = 0; r == 0 && i < n->port_count && text[0]; i++) {
		struct ft_port *port = &f->s->ports[n->first_port + i];
		char name[48];

		snprintf(name, sizeof(name), "%s%u", text, port->number);
		if (!port->name)
			r = string_add(f, name, &port->name);
	}
	return r;
}

static int switch_ports_name(struct fit *f)
{
	struct prefix all = {.text = ""};
	int r = 0;

	for (uint32_t i = 0; i < f->s->node_count; i++)
		if (f->found[i] < f->plan->switch_count)
			prefix_find(f, i, &all);
	for (uint32_t i = 0; r == 0 && i < f->s->node_count; i++)
		if (f->found[i] < f->plan->switch_count)
			r = ports_name(f, i, &all);
	return r;
}

/* How many ports the node has, if the plan says so. */
static uint32_t ports_of(const struct fit *f, uint32_t node)
{
	uint32_t have = f->s->nodes[node].port_count, want = 0;

	if (f->found[node] < f->plan->switch_count)
		want = f->plan->switches[f->found[node]].ports;
	if (want > FT_PORT_NUMBER_MAX)
		want = FT_PORT_NUMBER_MAX;
	return want > have ? want : have;
}

/* A port of which nobody tells: without a neighbour, if its machine tells of those that have one. */
static struct ft_port port_unsaid(const struct ft_node *node, uint32_t index, uint32_t number)
{
	return (struct ft_port){.guid = node->type == FT_NODE_SWITCH ? node->guid : 0,
				.node = index,
				.number = (uint16_t)number,
				.peer = FT_NO_PORT,
				.link = node->silent ? FT_LINK_UNREAD : FT_LINK_DOWN};
}

static int ports_grow(struct fit *f)
{
	struct ft_snapshot *s = f->s;
	_cleanup_free_ uint32_t *moved = calloc(s->port_count + 1UL, sizeof(*moved));
	_cleanup_free_ struct ft_port *ports = NULL;
	uint64_t total = 0;
	uint32_t next = 0;

	for (uint32_t i = 0; i < s->node_count; i++)
		total += ports_of(f, i);
	if (total > FT_SNAPSHOT_PORTS_MAX)
		return 0;
	ports = calloc(total + 1, sizeof(*ports));
	if (!moved || !ports)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->node_count; i++) {
		struct ft_node *node = &s->nodes[i];
		uint32_t count = ports_of(f, i);

		for (uint32_t n = 0; n < count; n++) {
			ports[next + n] =
				n < node->port_count ? s->ports[node->first_port + n] : port_unsaid(node, i, n + 1);
			if (n < node->port_count)
				moved[node->first_port + n] = next + n;
		}
		node->first_port = next;
		node->port_count = (uint16_t)count;
		next += count;
	}
	for (uint32_t i = 0; i < next; i++)
		if (ports[i].peer != FT_NO_PORT)
			ports[i].peer = moved[ports[i].peer];
	free(s->ports);
	s->ports = FT_STEAL(ports);
	s->port_count = next;
	return 0;
}

/* A switch's ports have its GUID, a host's have none. */
static void type_set(struct fit *f, uint32_t node)
{
	struct ft_node *n = &f->s->nodes[node];

	n->type = f->found[node] < f->plan->switch_count ? FT_NODE_SWITCH : FT_NODE_CA;
	for (uint32_t i = 0; i < n->port_count; i++)
		f->s->ports[n->first_port + i].guid = n->type == FT_NODE_SWITCH ? n->guid : 0;
}

int ft_ethernet_fit(const struct ft_plan *plan, struct ft_snapshot *snapshot)
{
	_cleanup_(fit_release) struct fit f = {.plan = plan, .s = snapshot};
	int r = 0;

	if (!snapshot->source.ethernet)
		return 0;
	f.found = malloc((snapshot->node_count + 1UL) * sizeof(*f.found));
	if (!f.found)
		return -ENOMEM;
	r = names_collect(&f);
	for (uint32_t i = 0; r == 0 && i < snapshot->node_count; i++) {
		r = name_find(&f, i);
		if (r < 0 || f.found[i] == FT_MAP_NONE)
			continue;
		type_set(&f, i);
		r = node_name(&f, i);
	}
	if (r == 0)
		r = ports_grow(&f);
	return r == 0 ? switch_ports_name(&f) : r;
}
