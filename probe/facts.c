/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "probe/facts.h"

#include <stdlib.h>
#include <string.h>

bool ft_node_aggregates(const struct ft_snapshot *s, const struct ft_node *node, const struct ft_node *sw)
{
	return node->type == FT_NODE_CA && ((sw->system_guid && node->system_guid == sw->system_guid) ||
					    strstr(ft_node_description(s, node), "Aggregation Node"));
}

bool ft_chip_port_aggregates(const struct ft_snapshot *chips, uint32_t port)
{
	const struct ft_port *near = &chips->ports[port], *far = ft_port_peer(chips, near);
	const struct ft_node *sw = ft_port_node(chips, near);

	return far && near->number == sw->port_count && ft_node_aggregates(chips, ft_port_node(chips, far), sw);
}

const struct ft_port *ft_host_behind(const struct ft_snapshot *s, uint32_t port)
{
	const struct ft_port *near = &s->ports[port], *far = ft_port_peer(s, near);

	return far && ft_port_node(s, near)->type == FT_NODE_SWITCH && ft_port_node(s, far)->type == FT_NODE_CA &&
			       !ft_chip_port_aggregates(s, port)
		       ? far
		       : NULL;
}

uint64_t ft_host_guid(const struct ft_snapshot *s, const struct ft_port *port)
{
	return port->guid ? port->guid : ft_port_node(s, port)->guid;
}

uint64_t ft_host_key(const struct ft_snapshot *s, const struct ft_port *port)
{
	const struct ft_node *node = ft_port_node(s, port);

	return !port->guid || port->guid == node->guid ? node->guid ^ (port->number - 1ULL) << 56 : port->guid;
}

/* By GUID, then by the other attributes. */
static int node_compare(const void *a, const void *b, void *arg)
{
	const struct ft_snapshot *s = arg;
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct ft_node *p = &s->nodes[x], *q = &s->nodes[y];

	return FT_ORDER(p->guid, q->guid) ?: strcmp(ft_node_description(s, p), ft_node_description(s, q))
		?: FT_ORDER(x, y);
}

const uint32_t *ft_nodes_in_order(struct ft_arena *memory, const struct ft_snapshot *s)
{
	uint32_t *order = ft_arena_zeros(memory, s->node_count, sizeof(*order));

	for (uint32_t i = 0; order && i < s->node_count; i++)
		order[i] = i;
	if (order)
		qsort_r(order, s->node_count, sizeof(*order), node_compare, (void *)s);
	return order;
}

uint32_t *ft_parts_of(const struct ft_snapshot *s)
{
	uint32_t *part = malloc((s->node_count + 1UL) * sizeof(*part));

	if (!part)
		return NULL;
	ft_number_begin(part, s->node_count);
	for (uint32_t i = 0; i < s->port_count; i++)
		if (s->ports[i].peer != FT_NONE && s->ports[i].peer > i)
			ft_number_join(part, s->ports[i].node, s->ports[s->ports[i].peer].node);
	for (uint32_t i = 0; i < s->node_count; i++)
		part[i] = ft_number_root(part, i);
	return part;
}

char *ft_host_name_dup(const char *description, size_t length)
{
	_cleanup_free_ char *name = NULL;
	size_t before = 0, plain;
	char *start;

	while (before < length && description[before] == ' ')
		before++;
	/* Nearly all of them are of letters that are safe as they are. */
	plain = before;
	while (plain < length && description[plain] > ' ' && description[plain] < 0x7f && description[plain] != '\\')
		plain++;
	if (plain == length || description[plain] == ' ')
		return strndup(description + before, plain - before);
	name = ft_text_safe_dup(description, length);
	if (!name)
		return NULL;
	start = name + strspn(name, " ");
	return strndup(start, strcspn(start, " "));
}

struct ft_rate ft_rate_seen(const struct ft_snapshot *s, const struct ft_port *port)
{
	const struct ft_port *peer = ft_port_peer(s, port);
	unsigned int near = ft_rate_mbps(port->rate), far = peer ? ft_rate_mbps(peer->rate) : 0;

	return far > 0 && (near == 0 || far < near) ? peer->rate : port->rate;
}

const struct ft_port *ft_port_there(const struct ft_snapshot *s, const struct ft_port *port,
				    const struct ft_snapshot *other, const struct ft_map *others)
{
	uint32_t node = ft_map_get(others, ft_port_node(s, port)->guid);

	return node == FT_NONE ? NULL : ft_node_port(other, &other->nodes[node], port->number);
}
