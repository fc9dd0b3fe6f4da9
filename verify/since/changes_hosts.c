/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Hosts, or adapters of hosts, that are new in the switch ports of one that is gone: each port that it had has to
 * agree. Cost: O(n) in the ports.
 */
#include "config.h"

#include <string.h>

#include "probe/facts.h"
#include "verify/since/changes_parts.h"
#include "verify/model/chassis.h"

/* The host at a port, or FT_NONE. */
static uint32_t host_at(const struct ft_snapshot *s, uint32_t port)
{
	const struct ft_port *host = ft_host_behind(s, port);

	return host ? host->node : FT_NONE;
}

/* By host of before that is gone: the new one in all of its ports; FT_NONE where they do not agree. */
static void heirs_find(const struct ft_comparison *c, uint32_t *heir, bool *odd)
{
	for (uint32_t i = 0; i < c->before->port_count; i++) {
		uint32_t sw = c->before->ports[i].node, host = host_at(c->before, i), there;
		const struct ft_port *port;

		if (host == FT_NONE || c->later[host] != FT_NONE || c->twin_before[host])
			continue;
		port = c->later[sw] == FT_NONE
			       ? NULL
			       : ft_node_port(c->now, &c->now->nodes[c->later[sw]], c->before->ports[i].number);
		there = port ? host_at(c->now, (uint32_t)(port - c->now->ports)) : FT_NONE;
		if (there != FT_NONE && (c->earlier[there] != FT_NONE || c->twin_now[there]))
			there = FT_NONE;
		odd[host] |= there == FT_NONE || (heir[host] != FT_NONE && heir[host] != there);
		heir[host] = there;
	}
}

static void heir_tell(struct ft_comparison *c, struct ft_finding *change, uint32_t host, uint32_t heir)
{
	const struct ft_node *node = &c->now->nodes[heir];
	const char *was = ft_change_name(c, c->before, host), *is = ft_change_name(c, c->now, heir), *where;
	const struct ft_port *far = NULL;
	char *text;

	for (unsigned int n = 1; n <= node->port_count && !far; n++)
		far = ft_port_peer(c->now, ft_node_port(c->now, node, n));
	if (!far || !was || !is)
		return;
	where = ft_change_name(c, c->now, far->node);
	where = where ? where : "";
	if (strcmp(ft_node_description(c->before, &c->before->nodes[host]), ft_node_description(c->now, node)) == 0)
		text = ft_arena_print(
			c->memory, "the adapter of %s on %s port %u, which was 0x%016llx and is 0x%016llx", is, where,
			far->number, (unsigned long long)c->before->nodes[host].guid, (unsigned long long)node->guid);
	else
		text = ft_arena_print(c->memory, "%s by %s on %s port %u", was, is, where, far->number);
	ft_change_item(c, change, far->node, far->number, text);
}

/* The ports of the heir, which may have other numbers than those before. */
static void heir_put(struct ft_comparison *c, uint32_t host, uint32_t heir, uint32_t base)
{
	const struct ft_node *node = &c->before->nodes[host];

	ft_change_put(c, host, heir, base);
	for (unsigned int n = 1; n <= node->port_count; n++) {
		struct ft_port *port = &c->before->ports[node->first_port + n - 1];
		const struct ft_port *far = ft_port_peer(c->before, port), *now;

		if (!far || c->later[far->node] == FT_NONE)
			continue;
		now = ft_node_port(c->now, &c->now->nodes[c->later[far->node]], far->number);
		now = now ? ft_port_peer(c->now, now) : NULL;
		if (now && now->node == heir)
			port->guid = now->guid;
	}
}

void ft_change_hosts(struct ft_comparison *c, uint32_t base)
{
	uint32_t *heir = ft_arena_numbers(c->memory, c->before->node_count, FT_NONE);
	bool *odd = ft_arena_zeros(c->memory, c->before->node_count, sizeof(*odd));
	struct ft_finding *change = NULL;

	if (c->memory->failed)
		return;
	heirs_find(c, heir, odd);
	for (uint32_t i = 0; i < c->before->node_count && !c->memory->failed; i++) {
		if (heir[i] == FT_NONE || odd[i])
			continue;
		change = change ? change
				: ft_change_add(c, FT_CODE_HOST_REPLACED,
						"nothing, if it was replaced on purpose; else look what is there");
		heir_tell(c, change, i, heir[i]);
		heir_put(c, i, heir[i], base);
	}
	ft_change_list(c, change, "host was replaced", "hosts were replaced");
	ft_change_pair(c);
}
