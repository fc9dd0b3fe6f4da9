/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Links from what ports see, and the snapshot of them: see lldp.h. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/interface.h"
#include "probe/lldp_parts.h"
#include "probe/snapshot_build.h"

/* ---- links ---- */

/* LLDP before other protocols, then the youngest: a stale neighbour stays in the list until its time to live ends. */
static int by_age(const void *a, const void *b, void *context)
{
	const struct ft_lldp *l = context;
	const uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct ft_lldp_heard *x = &l->heard[i], *y = &l->heard[k];

	if (x->foreign != y->foreign)
		return x->foreign ? 1 : -1;
	if (x->age_s != y->age_s)
		return x->age_s < y->age_s ? -1 : 1;
	return i < k ? -1 : i > k;
}

static bool port_is_free(const struct ft_lldp *l, uint32_t port)
{
	return l->ports[port].peer == FT_LLDP_NONE;
}

/* @a hears @b; does @b hear @a? */
static void link_make(struct ft_lldp *l, uint32_t a, uint32_t b, bool mutual)
{
	l->ports[a].peer = b;
	l->ports[b].peer = a;
	l->ports[a].hears = true;
	l->ports[b].hears |= mutual;
}

/*
 * An entry that tells nothing, as another one has its port: the stale neighbour of a port, a virtual machine behind the
 * host that is cabled there; or the bridge or bond of a machine, which hears what its ports hear.
 */
static bool is_idle(const struct ft_lldp *l, const struct ft_lldp_heard *heard)
{
	uint32_t peer = l->ports[heard->port].peer, other;

	if (heard->far_port == FT_LLDP_NONE || peer == heard->far_port)
		return false;
	if (peer != FT_LLDP_NONE)
		return true;
	other = l->ports[heard->far_port].peer;
	return other != FT_LLDP_NONE && l->ports[other].machine == heard->from;
}

static void ports_use(struct ft_lldp *l)
{
	for (uint32_t i = 0; i < l->heard_count; i++) {
		const struct ft_lldp_heard *heard = &l->heard[i];

		if (is_idle(l, heard))
			continue;
		l->ports[heard->port].used = true;
		if (heard->far_port != FT_LLDP_NONE)
			l->ports[heard->far_port].used = true;
	}
}

int ft_lldp_links_make(struct ft_lldp *l)
{
	_cleanup_free_ uint32_t *order = malloc((l->heard_count + 1UL) * sizeof(*order));
	_cleanup_(ft_map_release) struct ft_map seen = {0};

	if (!order)
		return -ENOMEM;
	for (uint32_t i = 0; i < l->heard_count; i++) {
		const struct ft_lldp_heard *heard = &l->heard[i];
		int r = ft_map_add(&seen, ft_hash_pair(heard->port, heard->far_port), 0, NULL);

		if (r < 0)
			return r;
		order[i] = i;
		l->ports[heard->port].claimed = true;
	}
	qsort_r(order, l->heard_count, sizeof(*order), by_age, l);
	for (uint32_t i = 0; i < l->heard_count; i++) {
		const struct ft_lldp_heard *heard = &l->heard[order[i]];

		if (heard->far_port != FT_LLDP_NONE && port_is_free(l, heard->port) &&
		    port_is_free(l, heard->far_port) &&
		    ft_map_get(&seen, ft_hash_pair(heard->far_port, heard->port)) != FT_NONE)
			link_make(l, heard->port, heard->far_port, true);
	}
	for (uint32_t i = 0; i < l->heard_count; i++) {
		const struct ft_lldp_heard *heard = &l->heard[order[i]];

		if (heard->far_port != FT_LLDP_NONE && port_is_free(l, heard->port) &&
		    port_is_free(l, heard->far_port) && !l->ports[heard->far_port].claimed)
			link_make(l, heard->port, heard->far_port, false);
	}
	ports_use(l);
	return 0;
}

/* ---- the snapshot ---- */

/* The ports in use, grouped by machine. @ret_order  one block that the caller frees. */
static int ports_group(struct ft_lldp *l, uint32_t **ret_order)
{
	uint32_t *order = malloc((l->port_count + 1UL) * sizeof(*order)), next = 0;

	if (!order)
		return -ENOMEM;
	for (uint32_t i = 0; i < l->port_count; i++)
		l->machines[l->ports[i].machine].port_count += l->ports[i].used;
	for (uint32_t i = 0; i < l->machine_count; i++) {
		l->machines[i].first_port = next;
		next += l->machines[i].port_count;
		l->machines[i].port_count = 0;
	}
	for (uint32_t i = 0; i < l->port_count; i++) {
		struct ft_lldp_machine *machine = &l->machines[l->ports[i].machine];

		if (l->ports[i].used)
			order[machine->first_port + machine->port_count++] = i;
	}
	*ret_order = order;
	return 0;
}

static int ports_number(struct ft_lldp *l, const struct ft_lldp_machine *machine, const uint32_t *order,
			struct ft_error *err)
{
	const char *names[FT_INTERFACE_NUMBER_MAX];
	uint16_t numbers[FT_INTERFACE_NUMBER_MAX];
	int r;

	if (machine->port_count > FT_INTERFACE_NUMBER_MAX)
		return ft_error_set(err, -EINVAL, 0, 0,
				    "%s has %u interfaces with neighbours; more than %d cannot be "
				    "held",
				    ft_lldp_string(l, machine->name), machine->port_count, FT_INTERFACE_NUMBER_MAX);
	for (uint32_t i = 0; i < machine->port_count; i++)
		names[i] = ft_lldp_string(l, l->ports[order[machine->first_port + i]].name);
	r = ft_interfaces_number(names, machine->port_count, numbers);
	for (uint32_t i = 0; r == 0 && i < machine->port_count; i++)
		l->ports[order[machine->first_port + i]].number = numbers[i];
	return r;
}

/*
 * Switch or host, from the outside. A machine that says that it is a bridge is a switch, unless all its interfaces have
 * names of network adapters and fewer than three lead anywhere: that is a host with virtual machines. One that says
 * nothing, or calls itself a station, is a switch if its ports are called as switches call them and lead to two places
 * or more. One without neighbours is no switch as far as can be told. The plan may know better
 * (verify/model/ethernet.h).
 */
static uint8_t type_of(const struct ft_lldp_machine *machine)
{
	enum { MANY = 3, SOME = 2 };
	bool is_switch = machine->port_count == 0 ? false
			 : machine->bridge	  ? !machine->adapters_only || machine->port_count >= MANY
						  : !machine->adapters_only && machine->port_count >= SOME;

	return is_switch ? FT_NODE_SWITCH : FT_NODE_CA;
}

static int port_build(const struct ft_lldp *l, struct ft_builder *builder, uint32_t node,
		      const struct ft_lldp_port *port)
{
	const struct ft_lldp_port *peer = port->peer == FT_LLDP_NONE ? NULL : &l->ports[port->peer];
	struct ft_build_port build = {
		.number = (uint8_t)port->number, .name = ft_lldp_string(l, port->name), .link = FT_LINK_SILENT};

	build.deaf = peer && !port->hears;
	if (peer) {
		build.peer_guid = l->machines[peer->machine].guid;
		build.peer_number = (uint8_t)peer->number;
	}
	return ft_builder_add_port(builder, node, &build);
}

/* Names of machines without a port in use, and without a record, were heard on management ports only. */
static int machine_build(const struct ft_lldp *l, struct ft_builder *builder, const struct ft_lldp_machine *machine,
			 const uint32_t *order)
{
	const char *name = ft_lldp_string(l, machine->name);
	uint32_t node = 0;
	int r;

	if (machine->port_count == 0 && !machine->own)
		return 0;
	r = ft_builder_add_node(builder,
				&(struct ft_build_node){.guid = machine->guid,
							.description = name,
							.description_length = strlen(name),
							.type = type_of(machine),
							.silent = !machine->own,
							.unlisted = machine->own ? FT_LINK_DOWN : FT_LINK_UNREAD},
				&node);
	for (uint32_t i = 0; r == 0 && i < machine->port_count; i++)
		r = port_build(l, builder, node, &l->ports[order[machine->first_port + i]]);
	return r;
}

static int snapshot_build(struct ft_lldp *l, struct ft_snapshot **ret_snapshot, struct ft_error *err)
{
	_cleanup_(ft_builder_freep) struct ft_builder *builder = NULL;
	_cleanup_free_ uint32_t *order = NULL;
	int r = ports_group(l, &order);

	if (r == 0)
		r = ft_builder_new(&builder);
	for (uint32_t i = 0; r == 0 && i < l->machine_count; i++)
		r = ports_number(l, &l->machines[i], order, err);
	for (uint32_t i = 0; r == 0 && i < l->machine_count; i++)
		r = machine_build(l, builder, &l->machines[i], order);
	if (r < 0)
		return r;
	ft_builder_source(builder)->ethernet = true;
	ft_builder_source(builder)->complete = true;
	return ft_builder_finish(builder, ret_snapshot, err, NULL);
}

int ft_lldp_finish(struct ft_lldp *l, struct ft_snapshot **ret_snapshot, struct ft_error *err)
{
	int r = ft_lldp_machines_tell(l);

	if (r == 0)
		r = ft_lldp_ports_tell(l);
	if (r == 0)
		r = ft_lldp_links_make(l);
	return r == 0 ? snapshot_build(l, ret_snapshot, err) : r;
}
