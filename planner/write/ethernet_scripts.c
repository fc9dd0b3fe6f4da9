/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Scripts that set up the switches of an Ethernet plan. They open no port before its tables are complete, and may be
 * run again: what was there before is gone then.
 */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mac.h"
#include "base/text.h"
#include "planner/write/ethernet.h"

/* One kind of switch. */
struct dialect {
	const char *what;      /* in the first line */
	const char *variables; /* and what they mean: lines of sh */
	void (*body)(struct ft_text *text, const struct ft_ethernet *e, uint32_t sw);
};

/* A word of sh, whatever is in it. */
static void add_quoted(struct ft_text *text, const char *string)
{
	_cleanup_(ft_text_release) struct ft_text safe = {0};
	const char *c;

	ft_text_add_safe(&safe, string, strlen(string));
	ft_text_puts(text, "'");
	for (c = ft_text_string(&safe); *c; c++)
		if (*c == '\'')
			ft_text_puts(text, "'\\''");
		else
			ft_text_add(text, c, 1);
	ft_text_puts(text, "'");
}

static size_t port_number(const struct ft_ethernet *e, uint32_t sw, uint32_t port)
{
	return e->vlans.first_port[sw] + port - 1;
}

/* The entries of a switch begin here. */
static size_t entries_first(const struct ft_ethernet *e, uint32_t sw)
{
	return ft_tables_find(&e->tables, sw, 0, 0);
}

static bool entry_is_of(const struct ft_ethernet *e, size_t entry, uint32_t sw)
{
	return entry < e->tables.entry_count && e->tables.entries[entry].sw == sw;
}

/* ---- a bridge of the Linux kernel ---- */

/* Runs of VLANs that the port is in the same way: "vid 1-24 untagged". */
static void linux_port(struct ft_text *text, const struct ft_ethernet *e, uint32_t sw, uint32_t p)
{
	const struct ft_tables *t = &e->tables;
	size_t port = port_number(e, sw, p);

	ft_text_printf(text, "link set dev ${port}%u learning off flood on mcast_flood on bcast_flood on\n", p);
	for (uint32_t i = 0, end; i < t->id_count; i = end + 1) {
		uint8_t how = *ft_tables_member(t, port, i);

		for (end = i; end + 1 < t->id_count && *ft_tables_member(t, port, end + 1) == how &&
			      t->ids[end + 1] == t->ids[end] + 1;)
			end++;
		if (how == 0)
			continue;
		ft_text_printf(text, "vlan add dev ${port}%u vid %u", p, t->ids[i]);
		if (end > i)
			ft_text_printf(text, "-%u", t->ids[end]);
		ft_text_puts(text, how == FT_MEMBER_TAGGED ? "\n" : " untagged\n");
	}
	if (t->pvids[port] > 0)
		ft_text_printf(text, "vlan add dev ${port}%u vid %u pvid untagged\n", p, t->pvids[port]);
}

static void linux_body(struct ft_text *text, const struct ft_ethernet *e, uint32_t sw)
{
	uint32_t ports = ft_vlans_ports_of(&e->vlans, sw);

	ft_text_puts(text, "if ip link show dev \"$bridge\" >/dev/null 2>&1; then ip link delete dev \"$bridge\"; fi\n"
			   "# vlan_default_pvid 0 takes VLAN 1 from every port; stp_state 0 is: no spanning tree.\n"
			   "ip -batch - <<END\n"
			   "link add name $bridge type bridge vlan_filtering 1 vlan_default_pvid 0 stp_state 0 "
			   "mcast_snooping 0\n");
	for (uint32_t p = 1; p <= ports; p++)
		if (ft_vlans_is_open(&e->vlans, sw, p))
			ft_text_printf(text, "link set dev ${port}%u down\nlink set dev ${port}%u master $bridge\n", p,
				       p);
	ft_text_puts(text, "END\nbridge -batch - <<END\n");
	for (uint32_t p = 1; p <= ports; p++)
		if (ft_vlans_is_open(&e->vlans, sw, p))
			linux_port(text, e, sw, p);
	for (size_t i = entries_first(e, sw); entry_is_of(e, i, sw); i++) {
		const struct ft_static *entry = &e->tables.entries[i];

		ft_text_puts(text, "fdb add ");
		ft_mac_add(text, entry->mac);
		ft_text_printf(text, " dev ${port}%u master static vlan %u\n", entry->port, entry->vlan);
	}
	ft_text_puts(text, "END\nip -batch - <<END\n");
	for (uint32_t p = 1; p <= ports; p++)
		if (ft_vlans_is_open(&e->vlans, sw, p))
			ft_text_printf(text, "link set dev ${port}%u up\n", p);
	ft_text_puts(text, "link set dev $bridge up\nEND\n");
}

/* ---- Open vSwitch ---- */

/*
 * Its own learning switch has no port that sends several VLANs untagged, so its two steps are flows: table 0 is the
 * ingress, table 1 the static entries and, below them, flooding. A port of "output" that a frame came in by is left out
 * (OpenFlow 1.3, "Output"), as in every switch.
 */
static void ovs_ingress(struct ft_text *text, const struct ft_ethernet *e, uint32_t sw, uint32_t p)
{
	const struct ft_tables *t = &e->tables;
	size_t port = port_number(e, sw, p);

	/* 4096: the bit that says that there is a tag (OpenFlow 1.3, "OFPVID_PRESENT"). */
	if (t->pvids[port] > 0)
		ft_text_printf(text,
			       "table=0,priority=10,in_port=%u,vlan_tci=0x0000/0x1fff,"
			       "actions=push_vlan:0x8100,set_field:%u->vlan_vid,goto_table:1\n",
			       p, 4096 + t->pvids[port]);
	for (uint32_t i = 0; i < t->id_count; i++)
		if (*ft_tables_member(t, port, i) == FT_MEMBER_TAGGED)
			ft_text_printf(text, "table=0,priority=10,in_port=%u,dl_vlan=%u,actions=goto_table:1\n", p,
				       t->ids[i]);
}

static void ovs_entry(struct ft_text *text, const struct ft_ethernet *e, const struct ft_static *entry)
{
	size_t port = port_number(e, entry->sw, entry->port);
	uint8_t how = *ft_tables_member(&e->tables, port, ft_tables_id(&e->tables, entry->vlan));

	ft_text_printf(text, "table=1,priority=10,dl_vlan=%u,dl_dst=", entry->vlan);
	ft_mac_add(text, entry->mac);
	ft_text_printf(text, ",actions=%soutput:%u\n", how == FT_MEMBER_TAGGED ? "" : "pop_vlan,", entry->port);
}

/* To all of the VLAN: with the tag first, as that is off for all that follow. */
static void ovs_flood(struct ft_text *text, const struct ft_ethernet *e, uint32_t sw, uint32_t id)
{
	_cleanup_(ft_text_release) struct ft_text actions = {0};
	static const uint8_t order[] = {FT_MEMBER_TAGGED, FT_MEMBER_UNTAGGED};

	for (size_t step = 0; step < FT_COUNT(order); step++) {
		bool first = true;

		for (uint32_t p = 1; p <= ft_vlans_ports_of(&e->vlans, sw); p++) {
			if (*ft_tables_member(&e->tables, port_number(e, sw, p), id) != order[step])
				continue;
			if (first && order[step] == FT_MEMBER_UNTAGGED)
				ft_text_printf(&actions, "%spop_vlan", actions.length ? "," : "");
			ft_text_printf(&actions, "%soutput:%u", actions.length ? "," : "", p);
			first = false;
		}
	}
	if (actions.length > 0)
		ft_text_printf(text, "table=1,priority=1,dl_vlan=%u,actions=%s\n", e->tables.ids[id],
			       ft_text_string(&actions));
	text->failed |= ft_text_failed(&actions);
}

static void ovs_body(struct ft_text *text, const struct ft_ethernet *e, uint32_t sw)
{
	uint32_t ports = ft_vlans_ports_of(&e->vlans, sw);

	ft_text_puts(
		text,
		"ovs-vsctl --if-exists del-br \"$bridge\"\n"
		"# fail_mode=secure: nothing is forwarded but by the flows below; so VLAN 1 is on no port, and no\n"
		"# address is learned. No spanning tree.\n"
		"ovs-vsctl add-br \"$bridge\" -- set bridge \"$bridge\" datapath_type=\"$datapath\" fail_mode=secure "
		"\\\n"
		"\tprotocols=OpenFlow13 stp_enable=false rstp_enable=false mcast_snooping_enable=false");
	for (uint32_t p = 1; p <= ports; p++)
		if (ft_vlans_is_open(&e->vlans, sw, p))
			ft_text_printf(text,
				       " \\\n\t-- add-port \"$bridge\" \"${port}%u\" -- set interface \"${port}%u\" "
				       "ofport_request=%u",
				       p, p, p);
	ft_text_puts(text, "\novs-ofctl -O OpenFlow13 replace-flows \"$bridge\" - <<'END'\n");
	for (uint32_t p = 1; p <= ports; p++)
		if (ft_vlans_is_open(&e->vlans, sw, p))
			ovs_ingress(text, e, sw, p);
	for (size_t i = entries_first(e, sw); entry_is_of(e, i, sw); i++)
		ovs_entry(text, e, &e->tables.entries[i]);
	for (uint32_t i = 0; i < e->tables.id_count; i++)
		ovs_flood(text, e, sw, i);
	ft_text_puts(text, "END\n");
	for (uint32_t p = 1; p <= ports; p++)
		if (ft_vlans_is_open(&e->vlans, sw, p))
			ft_text_printf(text, "ip link set dev \"${port}%u\" up\n", p);
}

/* ---- the script around it ---- */

static void add_head(struct ft_text *text, const struct ft_ethernet *e, const struct dialect *dialect, uint32_t only)
{
	ft_text_puts(text, "#!/bin/sh\n# ");
	if (only != FT_NONE)
		ft_text_add_safe(text, e->plan.switches[only].name, strlen(e->plan.switches[only].name));
	else
		ft_text_puts(text, "The switches");
	ft_text_puts(text, " of \"");
	ft_text_add_safe(text, e->design->name, strlen(e->design->name));
	ft_text_printf(text, "\" as %s, by ftplan\n", dialect->what);
	if (e->macs.made_up)
		ft_text_puts(
			text,
			"# The addresses are made up: \"macs\" in the design, or --from, gives those of the hosts.\n");
	ft_text_puts(
		text,
		"# Ports without a planned cable are left out of the bridge, and so closed.\n"
		"#\n"
		"# VLANs are the trees of this network, and spanning tree is off. So a cable in a wrong port can be a\n"
		"# loop: check the cabling before this opens the ports.\n");
	ft_text_puts(text, dialect->variables);
	ft_text_puts(text, "set -eu\n");
}

static int script_write(struct ft_text *text, const struct ft_ethernet *e, uint32_t only, const struct dialect *dialect)
{
	add_head(text, e, dialect, only);
	if (only != FT_NONE) {
		dialect->body(text, e, only);
		return ft_text_failed(text) ? -ENOMEM : 0;
	}
	ft_text_puts(text, "\n# The switch that this is: the argument, or the name of the machine.\n"
			   "case \"${1-$(hostname -s)}\" in\n");
	for (uint32_t i = 0; i < e->plan.switch_count; i++) {
		add_quoted(text, e->plan.switches[i].name);
		ft_text_puts(text, ")\n");
		dialect->body(text, e, i);
		ft_text_puts(text, ";;\n");
	}
	ft_text_puts(text, "*)\necho \"$0: this is no switch of the plan; give its name\" >&2\nexit 3\n;;\nesac\n");
	return ft_text_failed(text) ? -ENOMEM : 0;
}

int ft_write_linux_bridge(struct ft_text *text, const struct ft_ethernet *ethernet, uint32_t only)
{
	static const struct dialect dialect = {
		.what = "a bridge of the Linux kernel",
		.variables = "bridge=${BRIDGE:-br0}\n"
			     "port=${PORT:-swp} # port 7 is the interface swp7\n",
		.body = linux_body,
	};

	return script_write(text, ethernet, only, &dialect);
}

int ft_write_openvswitch(struct ft_text *text, const struct ft_ethernet *ethernet, uint32_t only)
{
	static const struct dialect dialect = {
		.what = "Open vSwitch",
		.variables = "bridge=${BRIDGE:-br0}\n"
			     "port=${PORT:-swp} # port 7 is the interface swp7\n"
			     "datapath=${DATAPATH:-system} # or netdev: in user space\n",
		.body = ovs_body,
	};

	return script_write(text, ethernet, only, &dialect);
}
