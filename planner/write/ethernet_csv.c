/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The tables of Ethernet switches as comma-separated values, which ftplan --walk reads again. */
#include <errno.h>
#include <stdbool.h>

#include "base/cleanup.h"
#include "base/mac.h"
#include "planner/write/csv.h"
#include "planner/write/ethernet.h"

static void ids_write(struct ft_text *text, const struct ft_tables *tables, size_t port, uint8_t how)
{
	bool first = true;

	ft_text_puts(text, ",");
	for (uint32_t i = 0; i < tables->id_count; i++)
		if (*ft_tables_member(tables, port, i) & how) {
			ft_text_printf(text, "%s%u", first ? "" : " ", tables->ids[i]);
			first = false;
		}
}

int ft_write_vlans(struct ft_text *text, const struct ft_ethernet *ethernet, uint32_t only)
{
	const struct ft_vlans *vlans = &ethernet->vlans;
	const struct ft_tables *tables = &ethernet->tables;
	const struct ft_plan *plan = &ethernet->plan;

	ft_text_puts(text, "switch,port,pvid,tagged,untagged\n");
	for (uint32_t i = 0; i < plan->switch_count; i++) {
		for (uint32_t p = 1; (only == FT_NONE || only == i) && p <= ft_vlans_ports_of(vlans, i); p++) {
			size_t port = vlans->first_port[i] + p - 1;

			ft_csv_add(text, plan->switches[i].name);
			ft_text_printf(text, ",%u,", p);
			if (tables->pvids[port] > 0)
				ft_csv_add_count(text, tables->pvids[port]);
			ids_write(text, tables, port, FT_MEMBER_TAGGED);
			ids_write(text, tables, port, FT_MEMBER_UNTAGGED);
			ft_text_puts(text, "\n");
		}
	}
	return ft_text_failed(text) ? -ENOMEM : 0;
}

int ft_write_macs(struct ft_text *text, const struct ft_ethernet *ethernet, uint32_t only)
{
	const struct ft_tables *tables = &ethernet->tables;
	const struct ft_plan *plan = &ethernet->plan;

	ft_text_puts(text, "switch,vlan,mac,port\n");
	for (size_t i = 0; i < tables->entry_count; i++) {
		const struct ft_static *entry = &tables->entries[i];

		if (only != FT_NONE && only != entry->sw)
			continue;
		ft_csv_add(text, plan->switches[entry->sw].name);
		ft_text_puts(text, ",");
		ft_csv_add_count(text, entry->vlan);
		ft_text_puts(text, ",");
		ft_mac_add(text, entry->mac);
		ft_text_puts(text, ",");
		ft_csv_add_count(text, entry->port);
		ft_text_puts(text, "\n");
	}
	return ft_text_failed(text) ? -ENOMEM : 0;
}

/* ---- settings ---- */

struct settings {
	struct ft_text *text;
	const char *name; /* of the switch */
};

/* @port, @vlan: 0: none; @mac: NULL */
static void setting_add(const struct settings *s, uint32_t port, const char *setting, uint32_t vlan,
			const uint64_t *mac, const char *value)
{
	ft_csv_add(s->text, s->name);
	ft_text_puts(s->text, ",");
	if (port > 0)
		ft_csv_add_count(s->text, port);
	ft_text_printf(s->text, ",%s,", setting);
	if (vlan > 0)
		ft_csv_add_count(s->text, vlan);
	ft_text_puts(s->text, ",");
	if (mac)
		ft_mac_add(s->text, *mac);
	ft_text_printf(s->text, ",%s\n", value);
}

static void port_settings(const struct settings *s, const struct ft_ethernet *e, uint32_t sw, uint32_t p)
{
	const struct ft_tables *tables = &e->tables;
	size_t port = e->vlans.first_port[sw] + p - 1;

	setting_add(s, p, "state", 0, NULL, "down");
	setting_add(s, p, "spanning-tree", 0, NULL, "off");
	setting_add(s, p, "learning", 0, NULL, "off");
	setting_add(s, p, "default-vlan", 1, NULL, "remove");
	for (uint32_t i = 0; i < tables->id_count; i++) {
		uint8_t how = *ft_tables_member(tables, port, i);

		if (how)
			setting_add(s, p, "vlan", tables->ids[i], NULL,
				    how == FT_MEMBER_TAGGED ? "tagged" : "untagged");
	}
	if (tables->pvids[port] > 0)
		setting_add(s, p, "pvid", tables->pvids[port], NULL, "set");
	/* A trunk takes no frame without a tag. */
	setting_add(s, p, "untagged-frames", 0, NULL, tables->pvids[port] > 0 ? "accept" : "drop");
}

int ft_write_switch_settings(struct ft_text *text, const struct ft_ethernet *e, uint32_t only)
{
	ft_text_puts(text, "switch,port,setting,vlan,mac,value\n");
	for (uint32_t i = 0; i < e->plan.switch_count; i++) {
		struct settings s = {text, e->plan.switches[i].name};
		uint32_t ports = ft_vlans_ports_of(&e->vlans, i);

		if (only != FT_NONE && only != i)
			continue;
		setting_add(&s, 0, "spanning-tree", 0, NULL, "off");
		for (uint32_t p = 1; p <= ports; p++)
			port_settings(&s, e, i, p);
		for (size_t k = ft_tables_find(&e->tables, i, 0, 0);
		     k < e->tables.entry_count && e->tables.entries[k].sw == i; k++)
			setting_add(&s, e->tables.entries[k].port, "static-address", e->tables.entries[k].vlan,
				    &e->tables.entries[k].mac, "forward");
		for (uint32_t p = 1; p <= ports; p++)
			if (ft_vlans_is_open(&e->vlans, i, p))
				setting_add(&s, p, "state", 0, NULL, "up");
	}
	return ft_text_failed(text) ? -ENOMEM : 0;
}
