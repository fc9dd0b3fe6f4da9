/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * A fabric as it was recorded, as a plan: each switch by its name or GUID, each cable by its ports, each host by its
 * name, GUID and port. Nothing is inferred: what was missing then is not in the plan. Held against it, another
 * recording of the fabric shows what changed. Cost: O(n) in the number of ports.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/interface.h"
#include "base/map.h"
#include "probe/facts.h"
#include "verify/infer/infer.h"
#include "verify/model/chassis.h"
#include "verify/since/since.h"

enum { NAME_SIZE = 64 + 1 };
#define MADE_UP "switch-0x"

struct recording {
	const struct ft_snapshot *snapshot;
	char (*name)[NAME_SIZE]; /* by node: of switches, unique */
	bool *by_guid;		 /* by node: the GUID identifies the switch, and the name is made of it */
	bool *twin;		 /* by node: another switch has its GUID, which identifies neither */
	uint32_t *hosts;	 /* by node: host ports of a switch */
	uint32_t switch_count, host_count;
	bool cabled; /* there is a cable between two of them */
	struct ft_arena memory;
};

static void recording_release(struct recording *x)
{
	ft_arena_release(&x->memory);
}

/* ---- names ---- */

/* What a design takes for a GUID, or for a name that is made of one here, is no name. */
static bool is_name(const char *name)
{
	return ft_infer_name_is_plain(name) && strncasecmp(name, "0x", 2) != 0 &&
	       strncasecmp(name, MADE_UP, strlen(MADE_UP)) != 0;
}

/* Names that are unique regardless of case; the other switches are called by their GUIDs. */
static void names_take(struct recording *x)
{
	const struct ft_snapshot *s = x->snapshot;
	_cleanup_(ft_map_release) struct ft_map names = {0};

	for (uint32_t i = 0; i < s->node_count; i++) {
		size_t length;
		const char *start;

		if (s->nodes[i].type != FT_NODE_SWITCH)
			continue;
		start = ft_text_short_name(ft_node_description(s, &s->nodes[i]), &length);
		if (length < NAME_SIZE)
			memcpy(x->name[i], start, length);
		x->memory.failed |= ft_map_mark(&names, ft_text_short_hash(x->name[i]), i, x->by_guid) < 0;
		x->by_guid[i] |= !is_name(x->name[i]);
	}
}

static int names_complete(struct recording *x, struct ft_error *err)
{
	const struct ft_snapshot *s = x->snapshot;
	_cleanup_(ft_map_release) struct ft_map guids = {0};

	for (uint32_t i = 0; i < s->node_count; i++) {
		const struct ft_node *node = &s->nodes[i];
		uint32_t there = i;
		int r;

		if (node->type != FT_NODE_SWITCH)
			continue;
		x->switch_count++;
		r = ft_map_add(&guids, node->guid, i, &there);
		if (r < 0)
			return r;
		if (r == 0)
			x->twin[i] = x->twin[there] = true;
		if (r == 0 && (x->by_guid[i] || x->by_guid[there]))
			return ft_error_set(err, -EINVAL, 0, 0,
					    "two switches have the GUID 0x%016llx and no names of their own, so nobody "
					    "can say which of them changed",
					    (unsigned long long)node->guid);
		if (x->by_guid[i])
			snprintf(x->name[i], NAME_SIZE, MADE_UP "%016llx", (unsigned long long)node->guid);
	}
	if (x->switch_count == 0)
		return ft_error_set(err, -EINVAL, 0, 0, "no switch was seen");
	return 0;
}

/* ---- the plan: lists that would be empty are left out ---- */

static bool is_on_switch(const struct ft_snapshot *s, uint32_t port)
{
	return ft_port_node(s, &s->ports[port])->type == FT_NODE_SWITCH;
}

static void hosts_count(struct recording *x)
{
	const struct ft_snapshot *s = x->snapshot;

	for (uint32_t i = 0; i < s->port_count; i++)
		if (ft_host_behind(s, i)) {
			x->hosts[s->ports[i].node]++;
			x->host_count++;
		}
}

/* Ports of Ethernet by their names, so that they are the same ones whatever else has a neighbour then. */
static void interfaces_write(const struct ft_snapshot *s, const struct ft_node *node, struct ft_text *text)
{
	const char *separator = ", \"interfaces\": [";

	for (uint32_t i = 0; s->source.ethernet && i < node->port_count; i++) {
		const struct ft_port *port = &s->ports[node->first_port + i];
		const char *name = ft_port_name(s, port);
		bool good = name[0] && strlen(name) <= FT_INTERFACE_NAME_MAX && !strpbrk(name, "[]");
		char number[16];

		for (size_t c = 0; name[c]; c++)
			good &= name[c] > ' ' && name[c] <= '~';
		/* What no interface is called. */
		snprintf(number, sizeof(number), "#%u", port->number);
		ft_text_puts(text, separator);
		ft_text_add_json(text, good ? name : number);
		separator = ", ";
	}
	if (separator[0] == ',' && separator[2] == '\0')
		ft_text_puts(text, "]");
}

static void switches_write(const struct recording *x, struct ft_text *text)
{
	const struct ft_snapshot *s = x->snapshot;
	const char *separator = "";

	ft_text_puts(text, ",\n\t\"switches\": [");
	for (uint32_t i = 0; i < s->node_count; i++) {
		if (s->nodes[i].type != FT_NODE_SWITCH)
			continue;
		ft_text_printf(text, "%s\n\t\t{", separator);
		ft_text_add_member(text, "name", x->name[i]);
		ft_text_printf(text, ", \"ports\": %u, \"hosts\": %u", s->nodes[i].port_count, x->hosts[i]);
		/* A lost one cuts off no hosts. */
		if (x->hosts[i] == 0 && x->host_count > 0)
			ft_text_puts(text, ", \"kind\": \"core\"");
		interfaces_write(s, &s->nodes[i], text);
		if (s->nodes[i].guid && !x->twin[i])
			ft_text_printf(text, ", \"guid\": \"0x%016llx\"", (unsigned long long)s->nodes[i].guid);
		ft_text_puts(text, "}");
		separator = ",";
	}
	ft_text_puts(text, "]");
}

static void cables_write(struct recording *x, struct ft_text *text)
{
	const struct ft_snapshot *s = x->snapshot;
	const char *separator = ",\n\t\"cables\": [";
	for (uint32_t i = 0; i < s->port_count; i++) {
		const struct ft_port *port = &s->ports[i];

		/* A cable from a switch to itself is in no plan. */
		if (port->peer == FT_NONE || port->peer < i || !is_on_switch(s, i) || !is_on_switch(s, port->peer) ||
		    s->ports[port->peer].node == port->node)
			continue;
		ft_text_printf(text, "%s\n\t\t{", separator);
		ft_text_add_member(text, "a", x->name[port->node]);
		ft_text_printf(text, ", \"a_port\": %u", port->number);
		ft_text_add_member(text, "b", x->name[s->ports[port->peer].node]);
		ft_text_printf(text, ", \"b_port\": %u}", s->ports[port->peer].number);
		separator = ",";
		x->cabled = true;
	}
	if (separator[1] == '\0')
		ft_text_puts(text, "]");
}

/* One switch is a star, and no graph, as it has no cables to others. */
static void star_write(struct recording *x, struct ft_text *text)
{
	const struct ft_snapshot *s = x->snapshot;
	uint32_t i = 0;

	while (s->nodes[i].type != FT_NODE_SWITCH)
		i++;
	ft_text_printf(text, ",\n\t\"topology\": \"star\",\n\t\"edge\": {\"ports\": %u}", s->nodes[i].port_count);
	if (x->by_guid[i]) {
		/* There is no other to take it for. The hosts are on the switch that the plan calls so. */
		memcpy(x->name[i], "edge001", sizeof("edge001"));
		return;
	}
	ft_text_puts(text, ",\n\t\"bind\": {\"edge\": [");
	ft_text_add_json(text, x->name[i]);
	ft_text_puts(text, "]}");
}

static void hosts_write(const struct recording *x, struct ft_text *text)
{
	const struct ft_snapshot *s = x->snapshot;
	const char *separator = ",\n\t\"hosts\": [";

	for (uint32_t i = 0; i < s->port_count; i++) {
		const struct ft_port *peer = ft_host_behind(s, i);
		const char *name;
		uint64_t guid;

		if (!peer)
			continue;
		name = ft_node_description(s, ft_port_node(s, peer));
		guid = ft_host_guid(s, peer);
		if (!guid && !ft_infer_name_is_plain(name))
			continue;
		ft_text_printf(text, "%s\n\t\t{", separator);
		if (ft_infer_name_is_plain(name))
			ft_text_add_member(text, "name", name);
		if (guid)
			ft_text_printf(text, "%s\"guid\": \"0x%016llx\"", ft_infer_name_is_plain(name) ? ", " : "",
				       (unsigned long long)guid);
		ft_text_add_member(text, "edge", x->name[s->ports[i].node]);
		ft_text_printf(text, ", \"port\": %u}", s->ports[i].number);
		separator = ",";
	}
	if (separator[1] == '\0')
		ft_text_puts(text, "]");
}

int ft_since_plan(const struct ft_snapshot *snapshot, const char *name, struct ft_text *ret_design,
		  struct ft_error *err)
{
	_cleanup_(recording_release) struct recording x = {.snapshot = snapshot};
	int r;

	x.name = ft_arena_zeros(&x.memory, snapshot->node_count, sizeof(*x.name));
	x.by_guid = ft_arena_zeros(&x.memory, snapshot->node_count, sizeof(*x.by_guid));
	x.twin = ft_arena_zeros(&x.memory, snapshot->node_count, sizeof(*x.twin));
	x.hosts = ft_arena_zeros(&x.memory, snapshot->node_count, sizeof(*x.hosts));
	if (x.memory.failed)
		return -ENOMEM;
	names_take(&x);
	r = x.memory.failed ? -ENOMEM : names_complete(&x, err);
	if (r < 0)
		return r;
	hosts_count(&x);
	ft_infer_write_head(ret_design, snapshot, name);
	if (x.host_count > 0)
		ft_text_printf(ret_design, ",\n\t\"nodes\": %u", x.host_count);
	if (x.switch_count > 1) {
		ft_text_puts(ret_design, ",\n\t\"topology\": \"graph\"");
		switches_write(&x, ret_design);
		cables_write(&x, ret_design);
	} else {
		star_write(&x, ret_design);
	}
	hosts_write(&x, ret_design);
	ft_text_puts(ret_design, "\n}\n");
	if (x.switch_count > 1 && !x.cabled)
		return ft_error_set(err, -EINVAL, 0, 0, "no two switches are cabled to each other");
	return ft_text_failed(ret_design) ? -ENOMEM : 0;
}
