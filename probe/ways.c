/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "probe/ways.h"

#include <errno.h>
#include <stdlib.h>

/* End nodes do not forward, except from our own port. */
static bool leads_on(const struct ft_snapshot *s, uint32_t node, unsigned int port)
{
	if (s->nodes[node].type == FT_NODE_SWITCH)
		return true;
	return node == s->source.entry_node && port == s->source.entry_port;
}

int ft_ways_find(const struct ft_snapshot *s, struct ft_way_to **ret_ways)
{
	_cleanup_free_ uint32_t *walk = calloc(s->node_count + 1UL, sizeof(*walk));
	_cleanup_free_ struct ft_way_to *ways = calloc(s->node_count + 1UL, sizeof(*ways));
	uint32_t count = 0;

	if (!walk || !ways)
		return -ENOMEM;
	if (s->source.entry_node != FT_NONE) {
		ways[s->source.entry_node] = (struct ft_way_to){.from = FT_NONE, .known = true};
		walk[count++] = s->source.entry_node;
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct ft_node *node = &s->nodes[walk[i]];

		for (unsigned int n = 1; n <= node->port_count && ways[walk[i]].hops < FT_SMP_HOPS_MAX; n++) {
			const struct ft_port *far = ft_port_peer(s, ft_node_port(s, node, n));

			if (!far || ways[far->node].known || !leads_on(s, walk[i], n))
				continue;
			ways[far->node] = (struct ft_way_to){walk[i], (uint8_t)n, ways[walk[i]].hops + 1, true};
			walk[count++] = far->node;
		}
	}
	*ret_ways = FT_STEAL(ways);
	return 0;
}

bool ft_ways_write(const struct ft_way_to *ways, uint32_t node, struct ft_smp_request *request)
{
	if (!ways[node].known)
		return false;
	request->hops = ways[node].hops;
	for (unsigned int hops = ways[node].hops; hops > 0; hops--, node = ways[node].from)
		request->path[hops] = ways[node].port;
	return true;
}
