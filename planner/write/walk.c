/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/write/walk.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mac.h"
#include "base/text.h"
#include "planner/write/csv.h"

enum {
	FINDINGS_SHOWN = 200,
	LOADS_SHOWN = 40,
};

static void add_switch(struct ft_text *text, const struct ft_walked *w, uint32_t sw)
{
	const char *name = w->ethernet->plan.switches[sw].name;

	ft_text_add_safe(text, name, strlen(name));
}

static void add_host(struct ft_text *text, const struct ft_walked *w, uint32_t host)
{
	char buffer[FT_HOST_NAME_SIZE];
	const char *name = ft_wiring_host_name(&w->ethernet->plan, &w->ethernet->vlans.wiring, host, buffer);

	ft_text_add_safe(text, name, strlen(name));
}

/* "port 25 (to core01)" */
static void add_port(struct ft_text *text, const struct ft_walked *w, uint32_t sw, uint32_t p)
{
	const struct ft_vlan_port *port = ft_vlans_port(&w->ethernet->vlans, sw, p);

	ft_text_printf(text, "port %u", p);
	if (!port) {
		ft_text_puts(text, " (which it has not)");
		return;
	}
	ft_text_puts(text, port->kind == FT_VLAN_NOTHING ? " (no planned cable)" : " (to ");
	if (port->kind == FT_VLAN_NOTHING)
		return;
	if (port->kind == FT_VLAN_HOST)
		add_host(text, w, port->peer);
	else
		add_switch(text, w, port->peer);
	ft_text_puts(text, ")");
}

/* ---- what differs ---- */

static const char *tag_name(uint32_t how)
{
	static const char *const names[] = {"not at all", "tagged", "untagged", "tagged and untagged"};

	return names[how & 3];
}

static void add_address(struct ft_text *text, const struct ft_walked *w, const struct ft_walk_finding *f)
{
	ft_mac_add(text, f->mac);
	ft_text_puts(text, " (");
	if (f->host == FT_NONE)
		ft_text_puts(text, "no host's");
	else
		add_host(text, w, f->host);
	ft_text_puts(text, ")");
}

/* It differs in one field. */
static void moved_tell(struct ft_text *text, const struct ft_walked *w, const struct ft_walk_finding *f)
{
	if (f->said_vlan != f->vlan) {
		ft_text_printf(text, "stands in VLAN %u", f->said_vlan);
	} else if (f->said_sw != f->sw) {
		ft_text_puts(text, "stands at ");
		add_switch(text, w, f->said_sw);
	} else {
		ft_text_puts(text, "has the address ");
		ft_mac_add(text, f->said_mac);
	}
	ft_text_puts(text, " instead; it leads to ");
	add_port(text, w, f->sw, f->planned);
}

static void entry_tell(struct ft_text *text, const struct ft_walked *w, const struct ft_walk_finding *f)
{
	ft_text_puts(text, "the entry of ");
	add_address(text, w, f);
	ft_text_printf(text, " in VLAN %u ", f->vlan);
	switch (f->kind) {
	case FT_WALK_ENTRY_MOVED:
		moved_tell(text, w, f);
		break;
	case FT_WALK_ENTRY_MISSING:
		ft_text_puts(text, "is missing; it leads to ");
		add_port(text, w, f->sw, f->planned);
		break;
	case FT_WALK_ENTRY_WRONG:
		ft_text_puts(text, "leads to ");
		add_port(text, w, f->sw, f->said);
		ft_text_puts(text, " in place of ");
		add_port(text, w, f->sw, f->planned);
		break;
	case FT_WALK_ENTRY_TWICE:
		ft_text_puts(text, "is there more than once, last with ");
		add_port(text, w, f->sw, f->said);
		break;
	default:
		ft_text_puts(text, "is none of the plan's; it leads to ");
		add_port(text, w, f->sw, f->said);
		break;
	}
}

static void port_tell(struct ft_text *text, const struct ft_walked *w, const struct ft_walk_finding *f)
{
	add_port(text, w, f->sw, f->port);
	switch (f->kind) {
	case FT_WALK_PORT_MISSING:
		ft_text_puts(text, " is not in the file, and so in no VLAN");
		break;
	case FT_WALK_PVID_MISSING:
		ft_text_printf(text, " has no PVID in place of %u", f->planned);
		break;
	case FT_WALK_PVID_WRONG:
		ft_text_printf(text, " has PVID %u in place of %u", f->said, f->planned);
		break;
	case FT_WALK_PVID_EXTRA:
		ft_text_printf(text, " has PVID %u, and ought to have none", f->said);
		break;
	case FT_WALK_MEMBER_MISSING:
		ft_text_printf(text, " is not in VLAN %u (%s)", f->vlan, tag_name(f->planned));
		break;
	case FT_WALK_MEMBER_WRONG:
		ft_text_printf(text, " is in VLAN %u %s in place of %s", f->vlan, tag_name(f->said),
			       tag_name(f->planned));
		break;
	case FT_WALK_MEMBER_MOVED:
		ft_text_printf(text, " is in VLAN %u in place of %u (%s)", f->said_vlan, f->vlan, tag_name(f->said));
		break;
	default:
		ft_text_printf(text, " is in VLAN %u (%s), and ought not to be", f->vlan, tag_name(f->said));
		break;
	}
}

static void finding_tell(struct ft_text *text, const struct ft_walked *w, const struct ft_walk_finding *f)
{
	if (f->kind == FT_WALK_UNEXPLAINED) {
		ft_text_puts(text, "the tables are as planned, and yet frames do not arrive as they ought to");
		return;
	}
	add_switch(text, w, f->sw);
	ft_text_puts(text, f->of_entries ? ": " : " ");
	if (f->of_entries)
		entry_tell(text, w, f);
	else
		port_tell(text, w, f);
}

/* ---- what it breaks ---- */

static const struct {
	size_t offset;
	const char *one, *more; /* behind the number */
	const char *name;	/* in JSON */
} harms[] = {
	{offsetof(struct ft_walk_harm, loops), "frame goes round", "frames go round", "loops"},
	{offsetof(struct ft_walk_harm, lost), "pair is not delivered", "pairs are not delivered", "pairs_lost"},
	{offsetof(struct ft_walk_harm, flooded), "pair is flooded, to others too", "pairs are flooded, to others too",
	 "pairs_flooded"},
	{offsetof(struct ft_walk_harm, missed), "broadcast is missed", "broadcasts are missed", "broadcasts_missed"},
	{offsetof(struct ft_walk_harm, doubled), "broadcast arrives again", "broadcasts arrive again",
	 "broadcasts_doubled"},
	{offsetof(struct ft_walk_harm, tagged), "frame reaches a host with a tag", "frames reach hosts with a tag",
	 "frames_tagged"},
	{offsetof(struct ft_walk_harm, strayed), "broadcast leaves its VLAN", "broadcasts leave their VLAN",
	 "broadcasts_strayed"},
};

static uint64_t harm_get(const struct ft_walk_harm *harm, size_t i)
{
	return *(const uint64_t *)((const char *)harm + harms[i].offset);
}

/* Of a difference that no frame notices. */
static void harmless_tell(struct ft_text *text, const struct ft_walk_finding *f)
{
	switch (f->kind) {
	case FT_WALK_PVID_WRONG:
		ft_text_printf(
			text,
			"all is delivered, but %u host%s of this switch send%s into VLAN %u now, and its cable carries "
			"that in place of its share",
			f->beside, ft_text_s(f->beside), f->beside == 1 ? "s" : "", f->said);
		break;
	case FT_WALK_PVID_EXTRA:
		ft_text_printf(text, "nothing yet: whatever is plugged in there is let into VLAN %u", f->said);
		break;
	case FT_WALK_MEMBER_EXTRA:
		ft_text_puts(text, "nothing yet: with the same at the other end it is a second way, and a loop");
		break;
	case FT_WALK_ENTRY_EXTRA:
		ft_text_puts(text, "nothing: it takes room in the table, and no frame asks for it");
		break;
	case FT_WALK_ENTRY_TWICE:
		ft_text_puts(text, "nothing as long as the switch keeps the last");
		break;
	default:
		ft_text_puts(text, "nothing now: no host sends what would ask for it");
		break;
	}
}

static void harm_tell(struct ft_text *text, const struct ft_walked *w, const struct ft_walk_harm *harm)
{
	bool first = true;

	for (size_t i = 0; i < FT_COUNT(harms); i++) {
		uint64_t count = harm_get(harm, i);

		if (count == 0)
			continue;
		ft_text_printf(text, "%s%" PRIu64 " %s", first ? "" : ", ", count,
			       count == 1 ? harms[i].one : harms[i].more);
		first = false;
	}
	if (harm->from == FT_NONE)
		return;
	ft_text_puts(text, " (such as from ");
	add_host(text, w, harm->from);
	if (harm->to != FT_NONE) {
		ft_text_puts(text, " to ");
		add_host(text, w, harm->to);
	}
	ft_text_puts(text, ")");
}

static void breaks_tell(struct ft_text *text, const struct ft_walked *w, const struct ft_walk_finding *f)
{
	if (ft_walk_harm_is_any(&f->harm))
		harm_tell(text, w, &f->harm);
	else
		harmless_tell(text, f);
}

static void place_tell(struct ft_text *text, const struct ft_walk_finding *f)
{
	if (!f->file)
		return;
	ft_text_add_safe(text, f->file, strlen(f->file));
	if (f->line > 0)
		ft_text_printf(text, ":%u", f->line);
	ft_text_puts(text, ": ");
}

static void text_findings(struct ft_text *text, const struct ft_walked *w)
{
	const struct ft_table_walk *walk = w->walk;

	for (size_t i = 0; i < walk->finding_count && i < FINDINGS_SHOWN; i++) {
		const struct ft_walk_finding *f = &walk->findings[i];

		ft_text_puts(text, i == 0 ? "\n" : "");
		place_tell(text, f);
		finding_tell(text, w, f);
		ft_text_puts(text, "\n  breaks: ");
		breaks_tell(text, w, f);
		ft_text_puts(text, "\n");
	}
	if (walk->finding_count > FINDINGS_SHOWN)
		ft_text_printf(text, "and %zu more: --format json has them all\n",
			       walk->finding_count - FINDINGS_SHOWN);
}

/* ---- the figures ---- */

static bool load_is_planned(const struct ft_walk_load *load)
{
	return load->up == load->planned_up && load->down == load->planned_down;
}

static void text_load(struct ft_text *text, const struct ft_walked *w, const struct ft_walk_load *load)
{
	ft_text_puts(text, "  ");
	add_switch(text, w, load->lower);
	ft_text_puts(text, " - ");
	add_switch(text, w, load->upper);
	ft_text_printf(text, ": %u cable%s, %" PRIu64 " up, %" PRIu64 " down", load->cables, ft_text_s(load->cables),
		       load->up, load->down);
	if (!load_is_planned(load))
		ft_text_printf(text, "; by the plan %" PRIu64 " up, %" PRIu64 " down", load->planned_up,
			       load->planned_down);
	ft_text_puts(text, "\n");
}

static void text_loads(struct ft_text *text, const struct ft_walked *w)
{
	const struct ft_table_walk *walk = w->walk;
	size_t other = 0, shown = 0;
	bool alike = true;

	for (size_t i = 0; i < walk->load_count; i++) {
		other += !load_is_planned(&walk->loads[i]);
		alike &= walk->loads[i].up == walk->loads[0].up && walk->loads[i].down == walk->loads[0].down;
	}
	if (walk->load_count == 0)
		return;
	if (alike && other == 0) {
		ft_text_printf(text,
			       "Load: each of %zu bundle%s between L1 and L2 switches carries %" PRIu64 " pairs up and "
			       "%" PRIu64 " down.\n",
			       walk->load_count, ft_text_s(walk->load_count), walk->loads[0].up, walk->loads[0].down);
		return;
	}
	ft_text_printf(text, "Load: %zu of %zu bundle%s between L1 and L2 switches carr%s %s share (pairs):\n",
		       walk->load_count - other, walk->load_count, ft_text_s(walk->load_count),
		       walk->load_count - other == 1 ? "ies" : "y", walk->load_count - other == 1 ? "its" : "their");
	for (size_t i = 0; i < walk->load_count && shown < LOADS_SHOWN; i++)
		if (other == 0 || !load_is_planned(&walk->loads[i])) {
			text_load(text, w, &walk->loads[i]);
			shown++;
		}
	if ((other ? other : walk->load_count) > LOADS_SHOWN)
		ft_text_puts(text, "  and more: --format csv has them all\n");
}

static void text_harm(struct ft_text *text, const struct ft_table_walk *walk)
{
	const struct ft_walk_harm *harm = &walk->harm;

	if (harm->loops == 0 && harm->strayed == 0)
		ft_text_puts(text, "Loops: none; no frame goes round, and none leaves its VLAN.\n");
	else
		ft_text_printf(text, "Loops: %" PRIu64 " frames go round, and %" PRIu64 " leave their VLAN.\n",
			       harm->loops, harm->strayed);
}

int ft_write_walk(struct ft_text *text, const struct ft_walked *w)
{
	const struct ft_table_walk *walk = w->walk;
	const char *name = w->ethernet->design->name;

	ft_text_add_safe(text, name, strlen(name));
	ft_text_printf(text, ": %u switch%s followed, with %u VLAN%s and %zu static entries\n\n",
		       w->ethernet->plan.switch_count, ft_text_es(w->ethernet->plan.switch_count), w->tables->id_count,
		       ft_text_s(w->tables->id_count), w->tables->entry_count);
	ft_text_printf(text, "Pairs: %" PRIu64 " of %" PRIu64 " ordered pairs of hosts are delivered", walk->delivered,
		       walk->pairs);
	if (walk->harm.flooded > 0)
		ft_text_printf(text, ", %" PRIu64 " of them by flooding", walk->harm.flooded);
	ft_text_printf(text,
		       ".\nLocal: %" PRIu64 " of %" PRIu64 " pairs on one switch do not leave it.\n"
		       "Broadcasts: %" PRIu64 " of %" PRIu64 " arrive, ",
		       walk->local, walk->local_pairs, walk->heard, walk->heard_planned);
	if (walk->harm.doubled > 0)
		ft_text_printf(text, "and %" PRIu64 " copies that are too many.\n", walk->harm.doubled);
	else
		ft_text_puts(text, "each of them once.\n");
	text_harm(text, walk);
	text_loads(text, w);
	if (walk->finding_count == 0)
		ft_text_puts(text, "Tables: as planned.\n");
	else
		ft_text_printf(text, "Tables: %zu difference%s from the plan, of which %zu break%s something.\n",
			       walk->finding_count, ft_text_s(walk->finding_count), walk->broken_count,
			       walk->broken_count == 1 ? "s" : "");
	text_findings(text, w);
	return ft_text_failed(text) ? -ENOMEM : 0;
}

/* ---- for programs ---- */

static void json_harm(struct ft_text *text, const struct ft_walk_harm *harm)
{
	ft_text_puts(text, "{");
	for (size_t i = 0; i < FT_COUNT(harms); i++)
		ft_text_printf(text, "%s\"%s\": %" PRIu64, i > 0 ? ", " : "", harms[i].name, harm_get(harm, i));
	ft_text_puts(text, "}");
}

static void json_finding(struct ft_text *text, const struct ft_walked *w, const struct ft_walk_finding *f)
{
	_cleanup_(ft_text_release) struct ft_text words = {0};
	bool placed = f->kind != FT_WALK_UNEXPLAINED;

	ft_text_puts(text, "{");
	ft_text_add_member(text, "kind", ft_walk_kind_name(f->kind));
	add_switch(&words, w, f->sw);
	ft_text_add_member(text, "switch", placed ? ft_text_string(&words) : NULL);
	ft_text_printf(text, ", \"port\": %u, \"vlan\": %u", f->port, f->vlan);
	ft_text_reset(&words);
	ft_mac_add(&words, f->mac);
	ft_text_add_member(text, "mac", f->of_entries ? ft_text_string(&words) : NULL);
	ft_text_reset(&words);
	if (f->file)
		ft_text_add_safe(&words, f->file, strlen(f->file));
	ft_text_add_member(text, "file", f->file ? ft_text_string(&words) : NULL);
	ft_text_printf(text, ", \"line\": %u", f->line);
	ft_text_reset(&words);
	finding_tell(&words, w, f);
	ft_text_add_member(text, "text", ft_text_string(&words));
	ft_text_reset(&words);
	breaks_tell(&words, w, f);
	ft_text_add_member(text, "breaks", ft_text_string(&words));
	ft_text_puts(text, ", \"harm\": ");
	json_harm(text, &f->harm);
	ft_text_puts(text, "}");
	text->failed |= ft_text_failed(&words);
}

static void json_loads(struct ft_text *text, const struct ft_walked *w)
{
	_cleanup_(ft_text_release) struct ft_text name = {0};

	ft_text_puts(text, "  \"loads\": [");
	for (size_t i = 0; i < w->walk->load_count; i++) {
		const struct ft_walk_load *load = &w->walk->loads[i];

		ft_text_puts(text, i > 0 ? ",\n    {" : "\n    {");
		ft_text_reset(&name);
		add_switch(&name, w, load->lower);
		ft_text_add_member(text, "a", ft_text_string(&name));
		ft_text_reset(&name);
		add_switch(&name, w, load->upper);
		ft_text_add_member(text, "b", ft_text_string(&name));
		ft_text_printf(text,
			       ", \"cables\": %u, \"up\": %" PRIu64 ", \"down\": %" PRIu64 ", \"planned_up\": %" PRIu64
			       ", \"planned_down\": %" PRIu64 "}",
			       load->cables, load->up, load->down, load->planned_up, load->planned_down);
	}
	ft_text_puts(text, w->walk->load_count ? "\n  ],\n" : "],\n");
	text->failed |= ft_text_failed(&name);
}

int ft_write_walk_json(struct ft_text *text, const struct ft_walked *w)
{
	const struct ft_table_walk *walk = w->walk;
	_cleanup_(ft_text_release) struct ft_text name = {0};

	ft_text_add_safe(&name, w->ethernet->design->name, strlen(w->ethernet->design->name));
	ft_text_puts(text, "{\n  \"ftcheck_walk\": 1,\n  ");
	ft_text_add_member(text, "name", ft_text_string(&name));
	ft_text_printf(text,
		       ",\n  \"switches\": %u,\n  \"vlans\": %u,\n  \"entries\": %zu,\n  \"pairs\": %" PRIu64
		       ",\n  \"delivered\": %" PRIu64 ",\n  \"local_pairs\": %" PRIu64 ",\n  \"local\": %" PRIu64
		       ",\n  \"broadcasts\": %" PRIu64 ",\n  \"broadcasts_heard\": %" PRIu64 ",\n  \"harm\": ",
		       w->ethernet->plan.switch_count, w->tables->id_count, w->tables->entry_count, walk->pairs,
		       walk->delivered, walk->local_pairs, walk->local, walk->heard_planned, walk->heard);
	json_harm(text, &walk->harm);
	ft_text_puts(text, ",\n");
	json_loads(text, w);
	ft_text_puts(text, "  \"findings\": [");
	for (size_t i = 0; i < walk->finding_count; i++) {
		ft_text_puts(text, i > 0 ? ",\n    " : "\n    ");
		json_finding(text, w, &walk->findings[i]);
	}
	ft_text_puts(text, walk->finding_count ? "\n  ]\n}\n" : "]\n}\n");
	return ft_text_failed(text) || ft_text_failed(&name) ? -ENOMEM : 0;
}

int ft_write_walk_csv(struct ft_text *text, const struct ft_walked *w)
{
	ft_text_puts(text, "a,b,cables,up,down,planned_up,planned_down\n");
	for (size_t i = 0; i < w->walk->load_count; i++) {
		const struct ft_walk_load *load = &w->walk->loads[i];

		ft_csv_add(text, w->ethernet->plan.switches[load->lower].name);
		ft_text_puts(text, ",");
		ft_csv_add(text, w->ethernet->plan.switches[load->upper].name);
		ft_text_printf(text, ",%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", load->cables, load->up,
			       load->down, load->planned_up, load->planned_down);
	}
	return ft_text_failed(text) ? -ENOMEM : 0;
}
