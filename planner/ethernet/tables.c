/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/ethernet/tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "planner/ethernet/tables_parts.h"

enum { MEMBERS_MAX = 16000000 }; /* ports times VLANs */

void ft_tables_release(struct ft_tables *tables)
{
	free(tables->ids);
	free(tables->members);
	free(tables->pvids);
	free(tables->port_lines);
	free(tables->port_files);
	free(tables->port_homes);
	free(tables->entry_homes);
	free(tables->entries);
	*tables = (struct ft_tables){0};
}

uint32_t ft_tables_id(const struct ft_tables *tables, uint32_t vlan)
{
	uint32_t low = 0, high = tables->id_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (tables->ids[middle] < vlan)
			low = middle + 1;
		else
			high = middle;
	}
	return low < tables->id_count && tables->ids[low] == vlan ? low : FT_NONE;
}

int ft_static_compare(const void *one, const void *other)
{
	const struct ft_static *x = one, *y = other;

	if (x->sw != y->sw)
		return x->sw < y->sw ? -1 : 1;
	if (x->vlan != y->vlan)
		return x->vlan < y->vlan ? -1 : 1;
	return (x->mac > y->mac) - (x->mac < y->mac);
}

size_t ft_tables_find(const struct ft_tables *tables, uint32_t sw, uint32_t vlan, uint64_t mac)
{
	const struct ft_static key = {.sw = sw, .vlan = vlan, .mac = mac};
	size_t low = 0, high = tables->entry_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ft_static_compare(&tables->entries[middle], &key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* What a switch is told last counts. */
static int by_turn(const void *one, const void *other)
{
	const struct ft_static *x = one, *y = other;
	int r = ft_static_compare(x, y);

	if (r != 0)
		return r;
	return x->file != y->file ? (x->file > y->file) - (x->file < y->file)
				  : (x->line > y->line) - (x->line < y->line);
}

void ft_tables_sort(struct ft_tables *tables)
{
	qsort(tables->entries, tables->entry_count, sizeof(*tables->entries), by_turn);
}

int ft_tables_make_ports(struct ft_tables *t, size_t port_count)
{
	t->port_count = port_count;
	t->pvids = calloc(port_count + 1, sizeof(*t->pvids));
	t->port_lines = calloc(port_count + 1, sizeof(*t->port_lines));
	t->port_files = calloc(port_count + 1, sizeof(*t->port_files));
	return t->pvids && t->port_lines && t->port_files ? 0 : -ENOMEM;
}

int ft_tables_make_members(struct ft_tables *t)
{
	if (t->port_count * t->id_count > MEMBERS_MAX)
		return -EINVAL;
	t->members = calloc(t->port_count * t->id_count + 1, sizeof(*t->members));
	return t->members ? 0 : -ENOMEM;
}

static int ids_make(struct ft_tables *t, const struct ft_vlans *vlans)
{
	t->ids = calloc(vlans->count, sizeof(*t->ids));
	if (!t->ids)
		return -ENOMEM;
	t->id_count = vlans->count;
	for (uint32_t i = 0; i < vlans->count; i++)
		t->ids[i] = vlans->first + i;
	return 0;
}

/* A host is in all VLANs, and sends into its own; a cable is in one. Ports without a VLAN stay closed. */
static void members_fill(struct ft_tables *t, const struct ft_vlans *vlans)
{
	for (size_t p = 0; p < t->port_count; p++) {
		const struct ft_vlan_port *port = &vlans->ports[p];

		if (port->vlan == 0)
			continue;
		if (port->kind == FT_VLAN_SWITCH) {
			*ft_tables_member(t, p, port->vlan - vlans->first) = FT_MEMBER_TAGGED;
			continue;
		}
		t->pvids[p] = port->vlan;
		memset(ft_tables_member(t, p, 0), FT_MEMBER_UNTAGGED, t->id_count);
	}
}

static int entries_fill(struct ft_tables *t, const struct ft_plan *plan, const struct ft_vlans *vlans,
			const struct ft_macs *macs)
{
	size_t total = 0;

	for (uint32_t i = 0; i < plan->switch_count; i++)
		total += vlans->carried[i] * macs->count;
	if (total > FT_ENTRIES_MAX)
		return -EINVAL;
	t->entries = calloc(total + 1, sizeof(*t->entries));
	if (!t->entries)
		return -ENOMEM;
	for (uint32_t i = 0; i < plan->switch_count; i++)
		for (uint32_t k = 0; k < vlans->carried[i]; k++)
			for (size_t m = 0; m < macs->count; m++)
				t->entries[t->entry_count++] = (struct ft_static){
					.sw = i,
					.vlan = vlans->first_vlan[i] + k,
					.mac = macs->list[m].mac,
					.port = ft_vlans_way(vlans, i, vlans->first_vlan[i] + k, macs->list[m].host)};
	ft_tables_sort(t);
	return 0;
}

int ft_tables_make(const struct ft_plan *plan, const struct ft_vlans *vlans, const struct ft_macs *macs,
		   struct ft_tables *ret_tables, struct ft_error *err)
{
	_cleanup_(ft_tables_release) struct ft_tables tables = {0};
	int r = ids_make(&tables, vlans);

	if (r == 0)
		r = ft_tables_make_ports(&tables, vlans->first_port[plan->switch_count]);
	if (r == 0)
		r = ft_tables_make_members(&tables);
	if (r == 0)
		members_fill(&tables, vlans);
	if (r == 0)
		r = entries_fill(&tables, plan, vlans, macs);
	if (r == -EINVAL)
		return ft_error_set(
			err, r, 0, 0,
			"the tables of all switches have more than %d entries, which is more than any that is "
			"sold holds",
			FT_ENTRIES_MAX);
	if (r < 0)
		return r;
	*ret_tables = tables;
	tables = (struct ft_tables){0};
	return 0;
}
