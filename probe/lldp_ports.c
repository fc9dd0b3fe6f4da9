/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Which ports the interfaces and port ids are: see lldp.h. */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/interface.h"
#include "probe/lldp_parts.h"

static uint64_t port_key(const struct ft_lldp *l, uint32_t machine, uint32_t name)
{
	return ft_hash_pair(machine, ft_interface_hash(ft_lldp_string(l, name)));
}

int ft_lldp_port_find(struct ft_lldp *l, uint32_t machine, uint32_t name, uint32_t *ret_port)
{
	int r = ft_map_add(&l->port_by_key, port_key(l, machine, name), l->port_count, ret_port);

	if (r <= 0)
		return r;
	r = ft_lldp_reserve(&l->ports, l->port_count, &l->port_size, sizeof(*l->ports));
	if (r < 0)
		return r;
	l->ports[l->port_count++] = (struct ft_lldp_port){.machine = machine, .name = name, .peer = FT_LLDP_NONE};
	return 0;
}

static int own_ports_add(struct ft_lldp *l)
{
	for (uint32_t i = 0; i < l->heard_count; i++) {
		struct ft_lldp_heard *heard = &l->heard[i];
		int r = ft_lldp_port_find(l, heard->from, heard->interface, &heard->port);

		if (r < 0)
			return r;
		l->ports[heard->port].own = true;
	}
	return 0;
}

/* ---- port ids that name a port ---- */

/* The port of the far machine called so, if its own record has it. */
static uint32_t owned_find(const struct ft_lldp *l, uint32_t machine, uint32_t name)
{
	uint32_t port = name ? ft_map_get(&l->port_by_key, port_key(l, machine, name)) : FT_NONE;

	return port != FT_NONE && l->ports[port].own ? port : FT_LLDP_NONE;
}

/* Whether several cables may lead to a port of that name: the address or interface of a bond, of all its ports. */
static bool is_shared(const struct ft_lldp *l, const struct ft_lldp_heard *heard, uint32_t name)
{
	return !heard->by_name || name != heard->port_id || ft_interface_is_virtual(ft_lldp_string(l, name));
}

static int named_tell(struct ft_lldp *l)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < l->heard_count; i++) {
		struct ft_lldp_heard *heard = &l->heard[i];

		if (heard->port_id && !is_shared(l, heard, heard->port_id)) {
			r = ft_lldp_port_find(l, heard->to, heard->port_id, &heard->far_port);
			continue;
		}
		heard->far_port = owned_find(l, heard->to, heard->description);
		if (heard->far_port == FT_LLDP_NONE)
			heard->far_port = owned_find(l, heard->to, heard->port_id);
	}
	return r;
}

/* ---- what the other end says ---- */

/* A far port that is not known is the interface on which the far machine hears this very port. */
static int answered_tell(struct ft_lldp *l)
{
	_cleanup_(ft_map_release) struct ft_map heard_at = {0};

	for (uint32_t i = 0; i < l->heard_count; i++) {
		const struct ft_lldp_heard *heard = &l->heard[i];
		int r = 0;

		if (heard->far_port != FT_LLDP_NONE)
			r = ft_map_add(&heard_at, ft_hash_pair(heard->far_port, heard->from), i, NULL);
		if (r < 0)
			return r;
	}
	for (uint32_t i = 0; i < l->heard_count; i++) {
		struct ft_lldp_heard *heard = &l->heard[i];
		uint32_t answer;

		if (heard->far_port != FT_LLDP_NONE)
			continue;
		answer = ft_map_get(&heard_at, ft_hash_pair(heard->port, heard->to));
		if (answer != FT_NONE && l->heard[answer].port != heard->port)
			heard->far_port = l->heard[answer].port;
	}
	return 0;
}

/* ---- cables between two machines of which neither end names the other's port ---- */

static int by_machines(const void *a, const void *b, void *context)
{
	const struct ft_lldp *l = context;
	const struct ft_lldp_heard *x = &l->heard[*(const uint32_t *)a], *y = &l->heard[*(const uint32_t *)b];
	uint32_t x_low = x->from < x->to ? x->from : x->to, y_low = y->from < y->to ? y->from : y->to;
	uint32_t x_high = x->from < x->to ? x->to : x->from, y_high = y->from < y->to ? y->to : y->from;

	if (x_low != y_low)
		return x_low < y_low ? -1 : 1;
	if (x_high != y_high)
		return x_high < y_high ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return ft_text_natural_compare(ft_lldp_string(l, x->interface), ft_lldp_string(l, y->interface));
}

static void pair_set(struct ft_lldp_heard *x, struct ft_lldp_heard *y)
{
	x->far_port = y->port;
	y->far_port = x->port;
}

/*
 * The neighbours at @order[0 … count) are of one pair of machines, those that the first one hears before the others. If
 * both hear as many, they are cabled in the order of their names; a machine cabled to itself likewise.
 */
static void group_pair(struct ft_lldp *l, const uint32_t *order, uint32_t count)
{
	const struct ft_lldp_heard *first = &l->heard[order[0]];
	uint32_t half = 0;

	if (first->from == first->to) {
		for (uint32_t i = 0; i + 1 < count; i += 2)
			pair_set(&l->heard[order[i]], &l->heard[order[i + 1]]);
		return;
	}
	while (half < count && l->heard[order[half]].from == first->from)
		half++;
	for (uint32_t i = 0; 2 * half == count && i < half; i++)
		pair_set(&l->heard[order[i]], &l->heard[order[half + i]]);
}

static bool one_pair(const struct ft_lldp_heard *x, const struct ft_lldp_heard *y)
{
	return (x->from == y->from && x->to == y->to) || (x->from == y->to && x->to == y->from);
}

static int ordered_tell(struct ft_lldp *l)
{
	_cleanup_free_ uint32_t *order = malloc((l->heard_count + 1UL) * sizeof(*order));
	uint32_t count = 0;

	if (!order)
		return -ENOMEM;
	for (uint32_t i = 0; i < l->heard_count; i++)
		if (l->heard[i].far_port == FT_LLDP_NONE && l->machines[l->heard[i].to].own)
			order[count++] = i;
	qsort_r(order, count, sizeof(*order), by_machines, l);
	for (uint32_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && one_pair(&l->heard[order[i]], &l->heard[order[end]]); end++)
			;
		group_pair(l, order + i, end - i);
	}
	return 0;
}

/* ---- the rest ---- */

/* A description that may be the name of an interface: one word that begins with a letter and ends in a digit. */
static bool looks_like_interface(const char *name)
{
	size_t length = strlen(name);

	if (length < 2 || length > 32 || !isalpha((unsigned char)name[0]) || !isdigit((unsigned char)name[length - 1]))
		return false;
	for (size_t i = 0; i < length; i++)
		if (!isalnum((unsigned char)name[i]) && !strchr("/._:-", name[i]))
			return false;
	return true;
}

/*
 * The far port that is called @name. Ports of a bond are told apart by who hears them: both leaves of a server hear the
 * same address, and each has a cable to it.
 */
static int rest_find(struct ft_lldp *l, struct ft_map *shared, struct ft_lldp_heard *heard, uint32_t name)
{
	_cleanup_(ft_text_release) struct ft_text other = {0};
	uint32_t first = heard->port;
	int r;

	if (is_shared(l, heard, name)) {
		r = ft_map_add(shared, port_key(l, heard->to, name), heard->port, &first);
		if (r < 0)
			return r;
	}
	if (first != heard->port) {
		ft_text_printf(&other, "%s (%s %s)", ft_lldp_string(l, name),
			       ft_lldp_string(l, l->machines[heard->from].name), ft_lldp_string(l, heard->interface));
		r = ft_text_failed(&other) ? -ENOMEM : ft_lldp_string_add(l, ft_text_string(&other), &name);
		if (r < 0)
			return r;
	}
	return ft_lldp_port_find(l, heard->to, name, &heard->far_port);
}

static int rest_tell(struct ft_lldp *l)
{
	_cleanup_(ft_map_release) struct ft_map shared = {0};
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < l->heard_count; i++) {
		struct ft_lldp_heard *heard = &l->heard[i];
		uint32_t name = heard->port_id;

		if (heard->far_port != FT_LLDP_NONE)
			continue;
		if (name == 0 || looks_like_interface(ft_lldp_string(l, heard->description)))
			name = heard->description;
		if (name)
			r = rest_find(l, &shared, heard, name);
	}
	return r;
}

/* ---- management ---- */

static void adapters_tell(struct ft_lldp *l)
{
	for (uint32_t i = 0; i < l->port_count; i++) {
		const char *name = ft_lldp_string(l, l->ports[i].name);

		if (!ft_interface_is_adapter(name) && !ft_interface_is_management(name, false) &&
		    !ft_interface_is_virtual(name))
			l->machines[l->ports[i].machine].adapters_only = false;
	}
}

static bool is_management(const struct ft_lldp *l, uint32_t port)
{
	const struct ft_lldp_port *p = &l->ports[port];

	return ft_interface_is_management(ft_lldp_string(l, p->name), !l->machines[p->machine].adapters_only);
}

/* Management ports are a network of their own: what is heard on them, and of them, is left out. */
static void management_drop(struct ft_lldp *l)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < l->heard_count; i++) {
		const struct ft_lldp_heard *heard = &l->heard[i];

		if (is_management(l, heard->port) ||
		    (heard->far_port != FT_LLDP_NONE && is_management(l, heard->far_port)))
			continue;
		l->heard[kept++] = *heard;
	}
	l->heard_count = kept;
}

int ft_lldp_ports_tell(struct ft_lldp *l)
{
	int r = own_ports_add(l);

	if (r == 0)
		r = named_tell(l);
	if (r == 0)
		r = answered_tell(l);
	if (r == 0)
		r = ordered_tell(l);
	if (r == 0)
		r = rest_tell(l);
	if (r < 0)
		return r;
	adapters_tell(l);
	management_drop(l);
	return 0;
}
