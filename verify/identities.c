/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Identities: GUIDs and LIDs that two nodes or ports hold. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/map.h"
#include "verify/model.h"

static void duplicate_report(struct ft_model *m, uint32_t first, uint32_t second)
{
	const struct ft_snapshot *s = m->chips;
	struct ft_finding *f = ft_finding_add(m, FT_CODE_GUID_DUPLICATE, FT_EVIDENCE_SEEN);
	const uint32_t nodes[2] = {first, second};

	for (unsigned int i = 0; i < 2; i++)
		ft_finding_where_chip(m, f, nodes[i]);
	ft_finding_act(m, f, FT_ACT_SETTING, f->where_count > 1 ? &f->where[1] : NULL, NULL);
	ft_say(m, &f->expected, "one node of GUID 0x%016llx", (unsigned long long)s->nodes[first].guid);
	ft_say(m, &f->observed, "%s and %s", f->where[0].name, f->where[1].name);
	ft_say(m, &f->text, "two nodes carry GUID 0x%016llx: %s and %s", (unsigned long long)s->nodes[first].guid,
	       f->where[0].name, f->where[1].name);
	ft_say(m, &f->fix, "give one of them its own GUID (a board swapped with its flash, or a bad image)");
}

static int guids_check(struct ft_model *m)
{
	_cleanup_(ft_map_release) struct ft_map guids = {0};
	_cleanup_free_ uint32_t *order = ft_nodes_in_order(m->chips);

	if (!order)
		return -ENOMEM;
	for (uint32_t k = 0; k < m->chips->node_count; k++) {
		uint32_t i = order[k], there;
		int r;

		if (m->chips->nodes[i].guid == 0)
			continue;
		r = ft_map_add(&guids, m->chips->nodes[i].guid, i, &there);
		if (r < 0)
			return r;
		if (r == 0)
			duplicate_report(m, there, i);
	}
	return 0;
}

static void lid_report(struct ft_model *m, uint32_t lid, uint32_t first, uint32_t second)
{
	struct ft_finding *f = ft_finding_add(m, FT_CODE_LID_DUPLICATE, FT_EVIDENCE_SEEN);
	const uint32_t owners[2] = {first, second};
	_cleanup_(ft_text_release) struct ft_text words = {0};

	for (unsigned int i = 0; i < 2; i++) {
		/* An owner is a port; a switch's own LID is that of its port 0, kept as port count + node. */
		bool is_node = owners[i] >= m->chips->port_count;
		uint32_t node = is_node ? owners[i] - m->chips->port_count : m->chips->ports[owners[i]].node;

		if (is_node)
			ft_finding_where_chip(m, f, node);
		else
			ft_finding_where_chip_port(m, f, owners[i]);
		if (f->where_count > i)
			ft_text_printf(&words, "%s%s", i ? " and " : "", f->where[i].name);
		if (!is_node)
			ft_text_printf(&words, " port %u", m->chips->ports[owners[i]].number);
	}
	m->failed |= words.failed;
	ft_finding_act(m, f, FT_ACT_SETTING, f->where_count > 1 ? &f->where[1] : NULL, NULL);
	ft_say(m, &f->expected, "one port of LID %u", lid);
	ft_say(m, &f->observed, "%s", ft_text_string(&words));
	ft_say(m, &f->text, "LID %u is held by %s", lid, ft_text_string(&words));
	ft_say(m, &f->fix, "have the subnet manager reassign LIDs (opensm -r); look for a second one");
}

/* What has a LID, in an order that does not depend on that of the sweep: end ports, then switches' own. */
static int holders_find(const struct ft_snapshot *s, uint32_t **ret_holders, uint32_t *ret_count)
{
	_cleanup_free_ uint32_t *order = ft_nodes_in_order(s);
	uint32_t *holders = malloc(((size_t)s->port_count + s->node_count + 1) * sizeof(*holders)), count = 0;

	if (!order || !holders) {
		free(holders);
		return -ENOMEM;
	}
	for (uint32_t k = 0; k < s->node_count; k++)
		for (uint32_t n = 0; n < s->nodes[order[k]].port_count; n++)
			holders[count++] = s->nodes[order[k]].first_port + n;
	for (uint32_t k = 0; k < s->node_count; k++)
		holders[count++] = s->port_count + order[k];
	*ret_holders = holders;
	*ret_count = count;
	return 0;
}

/* LIDs 0 and 65535, and all beyond 0xBFFF (multicast), mean "none" (IBTA Vol 1, 4.1.3). */
static int lids_check(struct ft_model *m)
{
	enum { LID_UNICAST_MAX = 0xbfff };
	const struct ft_snapshot *s = m->chips;
	_cleanup_free_ uint32_t *owner = malloc((LID_UNICAST_MAX + 1UL) * sizeof(*owner)), *holders = NULL;
	uint32_t count = 0;
	int r = owner ? holders_find(s, &holders, &count) : -ENOMEM;

	if (r < 0)
		return r;
	for (uint32_t lid = 0; lid <= LID_UNICAST_MAX; lid++)
		owner[lid] = FT_NONE;
	for (uint32_t k = 0; k < count; k++) {
		uint32_t i = holders[k];
		bool is_node = i >= s->port_count;
		const struct ft_port *port = is_node ? NULL : &s->ports[i];
		uint32_t lid = is_node ? s->nodes[i - s->port_count].lid : port->lid;
		uint32_t lmc = is_node ? s->nodes[i - s->port_count].lmc : port->lmc;

		if (port && (ft_port_node(s, port)->type == FT_NODE_SWITCH || port->link == FT_LINK_DOWN))
			continue;
		for (uint32_t n = 0; lid > 0 && n < 1U << (lmc & 7) && lid + n <= LID_UNICAST_MAX; n++) {
			if (owner[lid + n] == FT_NONE)
				owner[lid + n] = i;
			else if (n == 0 || owner[lid + n] != owner[lid])
				lid_report(m, lid + n, owner[lid + n], i);
		}
	}
	return 0;
}

int ft_identities_check(struct ft_model *m)
{
	int r = guids_check(m);

	return r == 0 ? lids_check(m) : r;
}
