/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "planner/ethernet/tables_parts.h"
#include "planner/ethernet/walk_parts.h"

void ft_differences_release(struct ft_differences *differences)
{
	free(differences->list);
	free(differences->of_port);
	free(differences->of_entry);
	ft_map_release(&differences->of_members);
	*differences = (struct ft_differences){0};
}

struct comparing {
	const struct ft_ethernet *ethernet;
	const struct ft_tables *planned, *said;
	struct ft_differences *d;
};

uint32_t ft_differences_add(struct ft_differences *d, const struct ft_walk_finding *finding)
{
	if (d->count == d->size) {
		size_t size = d->size ? 2 * d->size : 64;
		struct ft_walk_finding *list = reallocarray(d->list, size, sizeof(*list));

		if (!list)
			return FT_NONE;
		d->list = list;
		d->size = size;
	}
	d->list[d->count] = *finding;
	d->list[d->count].harm.from = d->list[d->count].harm.to = FT_NONE;
	return (uint32_t)d->count++;
}

uint32_t ft_difference_of_member(const struct ft_differences *d, size_t port, uint32_t vlan)
{
	uint32_t index = ft_map_get(&d->of_members, (uint64_t)port << 12 | vlan);
	uint32_t row = d->of_port[port];

	if (index == FT_NONE && row != FT_NONE && d->list[row].kind == FT_WALK_PORT_MISSING)
		return row;
	return index;
}

uint32_t ft_difference_of_entry(const struct ft_differences *d, const struct ft_tables *planned, uint32_t sw,
				uint32_t vlan, uint64_t mac)
{
	size_t at = ft_tables_find(planned, sw, vlan, mac);

	return at < planned->entry_count && ft_static_is(&planned->entries[at], sw, vlan, mac) ? d->of_entry[at]
											       : FT_NONE;
}

const struct ft_static *ft_tables_entry(const struct ft_tables *tables, uint32_t sw, uint32_t vlan, uint64_t mac)
{
	size_t at = ft_tables_find(tables, sw, vlan, mac);

	if (at >= tables->entry_count || !ft_static_is(&tables->entries[at], sw, vlan, mac))
		return NULL;
	while (at + 1 < tables->entry_count && ft_static_is(&tables->entries[at + 1], sw, vlan, mac))
		at++;
	return &tables->entries[at];
}

/* ---- ports ---- */

static int pvid_compare(struct comparing *c, struct ft_walk_finding finding, size_t port)
{
	uint32_t planned = c->planned->pvids[port], said = c->said->pvids[port];

	if (planned == said)
		return 0;
	finding.kind = said == 0 ? FT_WALK_PVID_MISSING : planned == 0 ? FT_WALK_PVID_EXTRA : FT_WALK_PVID_WRONG;
	finding.vlan = planned ? planned : said;
	finding.planned = planned;
	finding.said = said;
	c->d->of_port[port] = ft_differences_add(c->d, &finding);
	return c->d->of_port[port] == FT_NONE ? -ENOMEM : 0;
}

static uint8_t member_planned(const struct comparing *c, size_t port, uint32_t vlan)
{
	uint32_t id = ft_tables_id(c->planned, vlan);

	return id == FT_NONE ? 0 : *ft_tables_member(c->planned, port, id);
}

static int members_compare(struct comparing *c, struct ft_walk_finding finding, size_t port)
{
	for (uint32_t id = 0; id < c->said->id_count; id++) {
		uint8_t said = *ft_tables_member(c->said, port, id);
		uint32_t index;

		finding.vlan = c->said->ids[id];
		finding.planned = member_planned(c, port, finding.vlan);
		finding.said = said;
		if (finding.planned == said)
			continue;
		finding.kind = said == 0	      ? FT_WALK_MEMBER_MISSING
			       : finding.planned == 0 ? FT_WALK_MEMBER_EXTRA
						      : FT_WALK_MEMBER_WRONG;
		index = ft_differences_add(c->d, &finding);
		if (index == FT_NONE ||
		    ft_map_add(&c->d->of_members, (uint64_t)port << 12 | finding.vlan, index, NULL) < 0)
			return -ENOMEM;
	}
	return 0;
}

static bool port_is_planned(const struct comparing *c, size_t port)
{
	return c->ethernet->vlans.ports[port].vlan > 0;
}

static int port_compare(struct comparing *c, uint32_t sw, uint32_t p)
{
	size_t port = c->ethernet->vlans.first_port[sw] + p - 1;
	struct ft_walk_finding finding = {.sw = sw, .port = p, .host = FT_NONE, .line = c->said->port_lines[port]};
	int r;

	if (c->said->ports_said)
		finding.file = c->said->paths[finding.line ? c->said->port_files[port] : c->said->port_homes[sw]];
	if (c->said->ports_said && finding.line == 0 && port_is_planned(c, port)) {
		finding.kind = FT_WALK_PORT_MISSING;
		c->d->of_port[port] = ft_differences_add(c->d, &finding);
		return c->d->of_port[port] == FT_NONE ? -ENOMEM : 0;
	}
	r = pvid_compare(c, finding, port);
	return r < 0 ? r : members_compare(c, finding, port);
}

/* ---- entries ---- */

/* The file that lacks an entry: the one with the entry before it; else with any of its switch. */
static uint16_t file_lacking(const struct ft_tables *said, const struct ft_static *planned)
{
	size_t at = ft_tables_find(said, planned->sw, planned->vlan, planned->mac);

	if (at > 0 && said->entries[at - 1].sw == planned->sw)
		return said->entries[at - 1].file;
	return said->entry_homes[planned->sw];
}

static int entry_add(struct comparing *c, enum ft_walk_kind kind, const struct ft_static *entry, uint32_t planned,
		     uint32_t said, uint32_t *ret_index)
{
	struct ft_walk_finding finding = {
		.kind = kind,
		.sw = entry->sw,
		.port = said,
		.vlan = entry->vlan,
		.mac = entry->mac,
		.host = ft_map_get(&c->ethernet->macs.hosts, entry->mac),
		.planned = planned,
		.said = said,
		.line = entry->line,
		.of_entries = true,
	};
	uint32_t index;

	if (c->said->entries_said)
		finding.file = c->said->paths[entry->line ? entry->file : file_lacking(c->said, entry)];
	index = ft_differences_add(c->d, &finding);
	if (index == FT_NONE)
		return -ENOMEM;
	if (ret_index)
		*ret_index = index;
	return 0;
}

/* All that the file says of one address at one switch, against what the plan does (NULL: nothing). */
static int entry_compare(struct comparing *c, const struct ft_static *planned, size_t at, const struct ft_static *said,
			 size_t count)
{
	uint32_t *slot = planned ? &c->d->of_entry[at] : NULL;
	const struct ft_static *last = count > 0 ? &said[count - 1] : NULL;

	if (!planned)
		return entry_add(c, FT_WALK_ENTRY_EXTRA, last, 0, last->port, NULL);
	if (!last)
		return entry_add(c, FT_WALK_ENTRY_MISSING, planned, planned->port, 0, slot);
	if (count > 1)
		return entry_add(c, FT_WALK_ENTRY_TWICE, last, planned->port, last->port, slot);
	return last->port == planned->port ? 0
					   : entry_add(c, FT_WALK_ENTRY_WRONG, last, planned->port, last->port, slot);
}

/* Both are sorted alike: one pass over the two. */
static int entries_compare(struct comparing *c)
{
	const struct ft_tables *a = c->planned, *b = c->said;
	size_t i = 0, k = 0;
	int r = 0;

	while (r == 0 && (i < a->entry_count || k < b->entry_count)) {
		int which = i == a->entry_count	  ? 1
			    : k == b->entry_count ? -1
						  : ft_static_compare(&a->entries[i], &b->entries[k]);
		size_t same = 0;

		while (which >= 0 && k + same < b->entry_count &&
		       ft_static_compare(&b->entries[k], &b->entries[k + same]) == 0)
			same++;
		r = entry_compare(c, which <= 0 ? &a->entries[i] : NULL, i, &b->entries[k], same);
		i += which <= 0;
		k += same;
	}
	return r;
}

int ft_differences_make(const struct ft_ethernet *ethernet, const struct ft_tables *tables,
			struct ft_differences *ret_differences)
{
	_cleanup_(ft_differences_release) struct ft_differences d = {
		.of_port = malloc((tables->port_count + 1) * sizeof(*d.of_port)),
		.of_entry = malloc((ethernet->tables.entry_count + 1) * sizeof(*d.of_entry)),
	};
	struct comparing c = {ethernet, &ethernet->tables, tables, &d};
	int r = 0;

	if (!d.of_port || !d.of_entry)
		return -ENOMEM;
	for (size_t i = 0; i < tables->port_count; i++)
		d.of_port[i] = FT_NONE;
	for (size_t i = 0; i < ethernet->tables.entry_count; i++)
		d.of_entry[i] = FT_NONE;
	for (uint32_t i = 0; r == 0 && i < ethernet->plan.switch_count; i++)
		for (uint32_t p = 1; r == 0 && p <= ft_vlans_ports_of(&ethernet->vlans, i); p++)
			r = port_compare(&c, i, p);
	if (r == 0)
		r = entries_compare(&c);
	if (r < 0)
		return r;
	*ret_differences = d;
	d = (struct ft_differences){0};
	return 0;
}
