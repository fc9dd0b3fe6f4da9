/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "daemon/links.h"

static bool leads_to_host(const struct ft_snapshot *s, const struct ft_port *port)
{
	const struct ft_port *peer = ft_port_peer(s, port);

	return peer && ft_port_node(s, peer)->type == FT_NODE_CA;
}

static int switch_compare(const struct ft_snapshot *before, const struct ft_node *old, const struct ft_snapshot *after,
			  const struct ft_node *new, ft_link_lost *lost, void *userdata)
{
	for (unsigned int number = 1; number <= old->port_count; number++) {
		const struct ft_port *port = ft_node_port(before, old, number);
		const struct ft_port *now = ft_node_port(after, new, number);
		int r;

		if (!leads_to_host(before, port) || !now || now->link != FT_LINK_DOWN)
			continue;
		r = lost(before, port, userdata);
		if (r < 0)
			return r;
	}
	return 0;
}

static bool is_alone(const struct ft_snapshot *s, uint32_t node)
{
	uint64_t guid = s->nodes[node].guid;

	return (node == 0 || s->nodes[node - 1].guid != guid) &&
	       (node + 1 >= s->node_count || s->nodes[node + 1].guid != guid);
}

int ft_host_links_lost(const struct ft_snapshot *before, const struct ft_snapshot *after, ft_link_lost *lost,
		       void *userdata)
{
	uint32_t j = 0;
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < before->node_count; i++) {
		const struct ft_node *old = &before->nodes[i];

		while (j < after->node_count && after->nodes[j].guid < old->guid)
			j++;
		if (j == after->node_count)
			break;
		if (after->nodes[j].guid == old->guid && old->type == FT_NODE_SWITCH && is_alone(before, i) &&
		    is_alone(after, j))
			r = switch_compare(before, old, after, &after->nodes[j], lost, userdata);
	}
	return r;
}
