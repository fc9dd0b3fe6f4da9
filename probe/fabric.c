/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "probe/fabric.h"

#include <errno.h>
#include <string.h>

enum { ANY_HOPS = -1 };

static bool is_shell(const uint8_t info[FT_SMP_SIZE])
{
	static const uint8_t zero[FT_SMP_SIZE];

	return memcmp(info, zero, FT_SMP_SIZE) == 0;
}

static uint64_t key(const ibnd_node_t *node)
{
	return (uint64_t)(uintptr_t)node;
}

static int add_node(struct ft_survey *survey, const ibnd_node_t *node, uint32_t *ret_id)
{
	unsigned int hops = node->path_portid.drpath.cnt < 0 ? 0 : (unsigned int)node->path_portid.drpath.cnt;
	uint32_t id;
	int r;

	r = ft_survey_add_node(survey, node->info, node->path_portid.drpath.p, hops, &id);
	if (r < 0)
		return r;
	if (node->nodedesc[0] != '\0')
		ft_survey_set_description(survey, id, (const uint8_t *)node->nodedesc);
	*ret_id = id;
	return 0;
}

static void take_port(struct ft_survey *survey, const ibnd_node_t *node, uint32_t id, unsigned int number)
{
	const ibnd_port_t *port = node->ports[number];
	struct ft_survey_port *p = ft_survey_port(survey, id, number);

	if (!port || !p)
		return;
	p->guid = port->guid;
	p->reached = true;
	if (!is_shell(port->info))
		ft_survey_set_port_info(survey, id, number, port->info);
	if (!is_shell(port->ext_info))
		ft_survey_set_ext_info(survey, id, number, port->ext_info);
}

/* Port 0 first: it has the switch's capabilities. */
static void take_ports(struct ft_survey *survey, const ibnd_node_t *node, uint32_t id)
{
	for (int number = 0; node->ports && number <= node->numports; number++)
		take_port(survey, node, id, (unsigned int)number);
}

/* The far end, where both ends name each other. */
static const ibnd_port_t *mutual_peer(const ibnd_port_t *port)
{
	const ibnd_port_t *peer = port ? port->remoteport : NULL;

	if (!peer || peer->remoteport != port || !peer->node || !peer->node->ports)
		return NULL;
	/* A damaged cache file can contain any number. */
	if (peer->portnum < 0 || peer->portnum > peer->node->numports)
		return NULL;
	return peer;
}

static void take_links(struct ft_survey *survey, const struct ft_map *ids, const ibnd_node_t *node, uint32_t id)
{
	for (int number = 1; node->ports && number <= survey->nodes[id].port_count; number++) {
		const ibnd_port_t *peer = mutual_peer(node->ports[number]);
		uint32_t peer_id = peer ? ft_map_get(ids, key(peer->node)) : FT_NONE;

		if (peer_id != FT_NONE && peer->portnum > 0 && peer->portnum <= survey->nodes[peer_id].port_count)
			ft_survey_link(survey, id, (unsigned int)number, peer_id, (unsigned int)peer->portnum);
	}
}

static void set_entry(struct ft_survey *survey, const ibnd_fabric_t *fabric, uint32_t id)
{
	int number = fabric->from_portnum;
	struct ft_survey_port *port;

	survey->entry_node = id;
	if (number < 0 || number > survey->nodes[id].port_count)
		return;
	survey->entry_port = (uint8_t)number;
	port = ft_survey_port(survey, id, survey->entry_port);
	port->reached = true;
}

/* Numbered by its first node, as libibnetdisc's own numbers have 8 bits. @ids has chassis by their addresses too. */
static int take_chassis(struct ft_survey *survey, struct ft_map *ids, const ibnd_node_t *node, uint32_t id)
{
	uint32_t number = id + 1;
	int r;

	if (!node->chassis)
		return 0;
	r = ft_map_add(ids, (uint64_t)(uintptr_t)node->chassis, number, &number);
	if (r < 0)
		return r;
	survey->nodes[id].chassis = number;
	survey->nodes[id].slotted = node->ch_slotnum != 0;
	return 0;
}

static int take_node(struct ft_survey *survey, struct ft_map *ids, const ibnd_fabric_t *fabric, const ibnd_node_t *node)
{
	uint32_t id = FT_NONE;
	int r;

	r = add_node(survey, node, &id);
	/* Nodes beyond the limits are left out, and the survey is marked. */
	if (r == -ENOSPC)
		return 0;
	if (r == 0)
		r = ft_map_add(ids, key(node), id, NULL);
	if (r == 1)
		r = take_chassis(survey, ids, node, id);
	if (r < 0)
		return r;
	take_ports(survey, node, id);
	if (node == fabric->from_node)
		set_entry(survey, fabric, id);
	return 0;
}

static int hops_of(const ibnd_node_t *node)
{
	int hops = node->path_portid.drpath.cnt;

	/* Larger numbers come only from a damaged cache file, and are refused. */
	return hops < 0 ? 0 : hops > FT_SMP_HOPS_MAX ? FT_SMP_HOPS_MAX : hops;
}

/* @hops  nodes at this distance only; ANY_HOPS: all */
static int take_nodes(struct ft_survey *survey, struct ft_map *ids, const ibnd_fabric_t *fabric, int hops)
{
	int r = 0;

	for (const ibnd_node_t *node = fabric->nodes; node && r == 0; node = node->next)
		if (hops == ANY_HOPS || hops_of(node) == hops)
			r = take_node(survey, ids, fabric, node);
	return r;
}

static bool all_fit(const struct ft_survey *survey, const ibnd_fabric_t *fabric)
{
	size_t nodes = 0, ports = 0;

	for (const ibnd_node_t *node = fabric->nodes; node; node = node->next) {
		nodes++;
		ports += (size_t)(node->numports > 0 ? node->numports : 0) + 1;
	}
	return (survey->max_nodes == 0 || nodes <= survey->max_nodes) &&
	       (survey->max_ports == 0 || ports <= survey->max_ports);
}

static int take_fabric(struct ft_survey *survey, struct ft_map *ids, const ibnd_fabric_t *fabric)
{
	bool fits = all_fit(survey, fabric);
	int r = fits ? take_nodes(survey, ids, fabric, ANY_HOPS) : 0;

	/* Nearest first, so that nodes beyond the limits are the farthest. */
	for (int hops = 0; r == 0 && !fits && hops <= FT_SMP_HOPS_MAX; hops++)
		r = take_nodes(survey, ids, fabric, hops);
	if (r < 0)
		return r;
	for (const ibnd_node_t *node = fabric->nodes; node; node = node->next)
		if (ft_map_get(ids, key(node)) != FT_NONE)
			take_links(survey, ids, node, ft_map_get(ids, key(node)));
	ft_survey_drop_contradictions(survey);
	return 0;
}

int ft_fabric_survey(const ibnd_fabric_t *fabric, struct ft_survey *survey)
{
	struct ft_map ids = {0};
	int r;

	r = take_fabric(survey, &ids, fabric);
	ft_map_release(&ids);
	return r;
}
