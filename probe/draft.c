/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "probe/draft.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The caller releases @to in any case. */
static int snapshot_copy(struct ft_snapshot *to, const struct ft_snapshot *from)
{
	*to = *from;
	to->nodes = ft_memory_copy(from->nodes, from->node_count * sizeof(*from->nodes));
	to->ports = ft_memory_copy(from->ports, from->port_count * sizeof(*from->ports));
	to->strings = ft_memory_copy(from->strings, from->strings_length);
	return to->nodes && to->ports && to->strings ? 0 : -ENOMEM;
}

int ft_draft_begin(struct ft_draft *ret, const struct ft_snapshot *from)
{
	*ret = (struct ft_draft){
		.nodes_size = from->node_count, .ports_size = from->port_count, .strings_size = from->strings_length};
	return snapshot_copy(&ret->s, from);
}

void ft_draft_release(struct ft_draft *draft)
{
	free(draft->s.nodes);
	free(draft->s.ports);
	free(draft->s.strings);
}

/* Makes room in @array for @more beyond @count elements; grows by half. */
static void *room_make(void *array, uint32_t *size, uint32_t count, uint32_t more, size_t element)
{
	uint64_t wanted = (uint64_t)count + more, grown = wanted + wanted / 2;
	void *fresh;

	if (wanted <= *size)
		return array;
	if (grown > INT32_MAX)
		return NULL;
	fresh = realloc(array, grown * element);
	if (fresh)
		*size = (uint32_t)grown;
	return fresh;
}

static int room_for_node(struct ft_draft *d, uint32_t ports, uint32_t name_length)
{
	struct ft_snapshot *s = &d->s;
	struct ft_node *nodes = room_make(s->nodes, &d->nodes_size, s->node_count, 1, sizeof(*nodes));
	struct ft_port *all;
	char *strings;

	s->nodes = nodes ? nodes : s->nodes;
	strings = room_make(s->strings, &d->strings_size, s->strings_length, name_length + 1, 1);
	s->strings = strings ? strings : s->strings;
	all = room_make(s->ports, &d->ports_size, s->port_count, ports, sizeof(*all));
	s->ports = all ? all : s->ports;
	return nodes && strings && all ? 0 : -ENOMEM;
}

int ft_draft_add(struct ft_draft *d, enum ft_node_type type, uint64_t guid, const char *name, uint32_t ports,
		 uint32_t *ret_node)
{
	struct ft_snapshot *s = &d->s;
	uint32_t length = (uint32_t)strlen(name);

	if (room_for_node(d, ports, length) < 0)
		return -ENOMEM;
	s->nodes[s->node_count] = (struct ft_node){.guid = guid,
						   .system_guid = guid,
						   .type = (uint8_t)type,
						   .port_count = (uint16_t)ports,
						   .first_port = s->port_count,
						   .description = s->strings_length,
						   .description_length = (uint16_t)length};
	memcpy(s->strings + s->strings_length, name, length + 1);
	s->strings_length += length + 1;
	for (uint32_t i = 0; i < ports; i++)
		s->ports[s->port_count++] = (struct ft_port){.guid = guid,
							     .node = s->node_count,
							     .peer = FT_NONE,
							     .number = (uint16_t)(i + 1),
							     .link = FT_LINK_DOWN};
	*ret_node = s->node_count++;
	return 0;
}

/* Copies the nodes of @from marked in @keep, renumbered, to @to, which has room for all. */
static void nodes_keep(struct ft_snapshot *to, const struct ft_snapshot *from, const bool *keep, uint32_t *moved)
{
	uint32_t ports = 0;

	for (uint32_t i = 0; i < from->node_count; i++)
		for (uint32_t p = 0; p < from->nodes[i].port_count; p++)
			moved[from->nodes[i].first_port + p] = keep[i] ? ports++ : FT_NONE;
	to->node_count = to->port_count = 0;
	to->source.entry_node = FT_NONE;
	for (uint32_t i = 0; i < from->node_count; i++) {
		const struct ft_node *node = &from->nodes[i];

		if (!keep[i])
			continue;
		if (i == from->source.entry_node)
			to->source.entry_node = to->node_count;
		to->nodes[to->node_count] = *node;
		to->nodes[to->node_count].first_port = to->port_count;
		for (uint32_t p = 0; p < node->port_count; p++) {
			struct ft_port *port = &to->ports[to->port_count++];

			*port = from->ports[node->first_port + p];
			port->node = to->node_count;
			port->peer = port->peer == FT_NONE ? FT_NONE : moved[port->peer];
		}
		to->node_count++;
	}
}

int ft_draft_take(const struct ft_draft *draft, const bool *keep, struct ft_snapshot **ret_snapshot)
{
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *to = calloc(1, sizeof(*to));
	_cleanup_free_ uint32_t *moved = calloc(draft->s.port_count + 1UL, sizeof(*moved));

	if (!to || !moved || snapshot_copy(to, &draft->s) < 0)
		return -ENOMEM;
	nodes_keep(to, &draft->s, keep, moved);
	*ret_snapshot = FT_STEAL(to);
	return 0;
}
