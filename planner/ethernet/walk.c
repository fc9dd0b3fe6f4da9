/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/ethernet/walk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "planner/ethernet/walk_parts.h"

static const char *const kind_names[FT_WALK_KINDS] = {
	[FT_WALK_PORT_MISSING] = "port-missing",     [FT_WALK_PVID_MISSING] = "pvid-missing",
	[FT_WALK_PVID_WRONG] = "pvid-wrong",	     [FT_WALK_PVID_EXTRA] = "pvid-extra",
	[FT_WALK_MEMBER_MISSING] = "member-missing", [FT_WALK_MEMBER_WRONG] = "member-wrong",
	[FT_WALK_MEMBER_EXTRA] = "member-extra",     [FT_WALK_ENTRY_MISSING] = "entry-missing",
	[FT_WALK_ENTRY_WRONG] = "entry-wrong",	     [FT_WALK_ENTRY_TWICE] = "entry-twice",
	[FT_WALK_ENTRY_EXTRA] = "entry-extra",	     [FT_WALK_MEMBER_MOVED] = "member-moved",
	[FT_WALK_ENTRY_MOVED] = "entry-moved",	     [FT_WALK_UNEXPLAINED] = "unexplained",
};

const char *ft_walk_kind_name(enum ft_walk_kind kind)
{
	return kind_names[kind];
}

void ft_table_walk_release(struct ft_table_walk *walk)
{
	free(walk->findings);
	free(walk->loads);
	*walk = (struct ft_table_walk){0};
}

/* A frame inside a switch. */
struct frame {
	size_t port; /* that it came in by, its number among all */
	uint32_t sw;
	uint32_t id;	/* place of its VLAN */
	uint32_t blame; /* the last difference that it passed; FT_NONE: none */
};

struct walking {
	const struct ft_ethernet *ethernet;
	const struct ft_tables *tables;
	struct ft_differences d;
	struct ft_table_walk *walk;
	uint64_t *crossed; /* by port: frames that left by it to another switch */
	uint32_t unexplained;

	/* The frame on its way. */
	uint32_t from; /* the host that sent it */
	uint32_t to;   /* its address is of this host; FT_NONE: to all */
	uint64_t mac;
	struct frame *queue; /* [ports * VLANs]: each state once */
	size_t head, tail;
	uint32_t *seen, *got; /* by (port, VLAN), and by host: the number of the last frame that was there */
	uint32_t number;
	uint32_t copies; /* that reached hosts */
	bool left;	 /* it crossed a cable */
	bool flooded;	 /* a switch had no entry for it */
};

static void walking_release(struct walking *w)
{
	ft_differences_release(&w->d);
	free(w->crossed);
	free(w->queue);
	free(w->seen);
	free(w->got);
}

static int walking_begin(struct walking *w)
{
	size_t states = w->tables->port_count * w->tables->id_count;

	w->crossed = calloc(w->tables->port_count + 1, sizeof(*w->crossed));
	w->queue = calloc(states + 1, sizeof(*w->queue));
	w->seen = calloc(states + 1, sizeof(*w->seen));
	w->got = calloc(w->ethernet->vlans.host_count + 1UL, sizeof(*w->got));
	w->unexplained = FT_NONE;
	if (!w->crossed || !w->queue || !w->seen || !w->got)
		return -ENOMEM;
	return ft_differences_make(w->ethernet, w->tables, &w->d);
}

/* ---- who is to blame ---- */

/* What no difference explains is a finding of its own: the walk does not believe in the comparison alone. */
static struct ft_walk_harm *harm_of(struct walking *w, uint32_t blame)
{
	static const struct ft_walk_finding unexplained = {.kind = FT_WALK_UNEXPLAINED, .host = FT_NONE};

	if (blame == FT_NONE && w->unexplained == FT_NONE)
		w->unexplained = ft_differences_add(&w->d, &unexplained);
	if (blame == FT_NONE)
		blame = w->unexplained;
	return blame == FT_NONE ? NULL : &w->d.list[blame].harm;
}

static void harm_note(struct ft_walk_harm *harm, uint32_t from, uint32_t to)
{
	if (harm->from == FT_NONE) {
		harm->from = from;
		harm->to = to;
	}
}

/* Counts one in @member (an offset) of the difference and of all. */
static void harm_count(struct walking *w, uint32_t blame, size_t member, uint32_t to)
{
	struct ft_walk_harm *both[] = {&w->walk->harm, harm_of(w, blame)};

	for (size_t i = 0; i < FT_COUNT(both); i++) {
		if (!both[i])
			continue;
		++*(uint64_t *)((char *)both[i] + member);
		harm_note(both[i], w->from, to);
	}
}

#define HARM(member) offsetof(struct ft_walk_harm, member)

static uint32_t either(uint32_t first, uint32_t second)
{
	return first != FT_NONE ? first : second;
}

/*
 * The first difference on the way that the plan has from one host to another. @mac 0: of a broadcast, which asks no
 * entry.
 */
static uint32_t blame_on_way(const struct walking *w, uint32_t from, uint32_t to, uint64_t mac)
{
	const struct ft_vlans *v = &w->ethernet->vlans;
	uint32_t sw = v->host_switch[from];
	size_t in = v->first_port[sw] + v->host_port[from] - 1;
	uint32_t vlan = v->ports[in].vlan, blame = ft_difference_of_pvid(&w->d, in);

	for (uint32_t step = 0; blame == FT_NONE && step <= w->ethernet->plan.switch_count; step++) {
		uint32_t way = ft_vlans_way(v, sw, vlan, to);
		size_t out = v->first_port[sw] + way - 1;

		blame = ft_difference_of_member(&w->d, in, vlan);
		if (mac)
			blame = either(blame, ft_difference_of_entry(&w->d, &w->ethernet->tables, sw, vlan, mac));
		if (way == 0)
			break;
		blame = either(blame, ft_difference_of_member(&w->d, out, vlan));
		if (v->ports[out].kind != FT_VLAN_SWITCH)
			break;
		sw = v->ports[out].peer;
		in = v->first_port[sw] + v->ports[out].peer_port - 1;
	}
	return blame;
}

/* ---- a frame ---- */

static void enter(struct walking *w, size_t port, uint32_t sw, uint32_t id, uint32_t blame)
{
	size_t state = port * w->tables->id_count + id;

	if (w->seen[state] == w->number) {
		harm_count(w, blame, HARM(loops), FT_NONE);
		return;
	}
	w->seen[state] = w->number;
	w->queue[w->tail++] = (struct frame){port, sw, id, blame};
}

/* At the next switch: with the tag into its VLAN, without into the PVID's. */
static void cross(struct walking *w, const struct frame *f, size_t out, bool tagged, uint32_t blame)
{
	const struct ft_vlans *v = &w->ethernet->vlans;
	const struct ft_vlan_port *port = &v->ports[out];
	size_t in = v->first_port[port->peer] + port->peer_port - 1;
	uint32_t id = tagged ? f->id : ft_tables_id(w->tables, w->tables->pvids[in]);

	w->left = true;
	w->crossed[out] += w->to != FT_NONE;
	if (id == FT_NONE || !*ft_tables_member(w->tables, in, id)) {
		blame = either(blame, either(ft_difference_of_member(&w->d, in, w->tables->ids[f->id]),
					     ft_difference_of_pvid(&w->d, in)));
		if (w->to == FT_NONE)
			harm_count(w, blame, HARM(strayed), FT_NONE);
		return;
	}
	if (id != f->id) {
		blame = either(blame, ft_difference_of_pvid(&w->d, in));
		harm_count(w, blame, HARM(strayed), FT_NONE);
	}
	enter(w, in, port->peer, id, either(ft_difference_of_member(&w->d, in, w->tables->ids[id]), blame));
}

static void reach(struct walking *w, uint32_t host, bool tagged, uint32_t blame)
{
	if (tagged) {
		harm_count(w, blame, HARM(tagged), host);
		return;
	}
	w->copies++;
	if (w->to == FT_NONE && (w->got[host] == w->number || host == w->from))
		harm_count(w, blame, HARM(doubled), host);
	w->got[host] = w->number;
}

static void leave(struct walking *w, const struct frame *f, size_t out)
{
	const struct ft_vlan_port *port = &w->ethernet->vlans.ports[out];
	uint8_t how = *ft_tables_member(w->tables, out, f->id);
	uint32_t blame = either(ft_difference_of_member(&w->d, out, w->tables->ids[f->id]), f->blame);
	bool tagged = how == FT_MEMBER_TAGGED;

	if (how == 0 || out == f->port)
		return;
	if (port->kind == FT_VLAN_SWITCH)
		cross(w, f, out, tagged, blame);
	else if (port->kind == FT_VLAN_HOST)
		reach(w, port->peer, tagged, blame);
	else if (w->to == FT_NONE)
		harm_count(w, blame, HARM(strayed), FT_NONE);
}

static void forward(struct walking *w, const struct frame *f)
{
	const struct ft_vlans *v = &w->ethernet->vlans;
	const struct ft_static *entry = NULL;

	if (w->to != FT_NONE)
		entry = ft_tables_entry(w->tables, f->sw, w->tables->ids[f->id], w->mac);
	if (entry) {
		if (ft_vlans_port(v, f->sw, entry->port))
			leave(w, f, v->first_port[f->sw] + entry->port - 1);
		return;
	}
	w->flooded = true;
	for (size_t out = v->first_port[f->sw]; out < v->first_port[f->sw + 1]; out++)
		leave(w, f, out);
}

/* @to, @mac: FT_NONE and 0 for all. */
static void send(struct walking *w, uint32_t from, uint32_t to, uint64_t mac)
{
	const struct ft_vlans *v = &w->ethernet->vlans;
	uint32_t sw = v->host_switch[from], id;
	size_t port = v->first_port[sw] + v->host_port[from] - 1;

	w->from = from;
	w->to = to;
	w->mac = mac;
	w->head = w->tail = 0;
	w->copies = 0;
	w->left = w->flooded = false;
	w->number++;
	id = ft_tables_id(w->tables, w->tables->pvids[port]);
	if (id == FT_NONE || !*ft_tables_member(w->tables, port, id))
		return;
	enter(w, port, sw, id, FT_NONE);
	while (w->head < w->tail)
		forward(w, &w->queue[w->head++]);
}

/* ---- all frames ---- */

static void pair_walk(struct walking *w, uint32_t from, const struct ft_mac_of *mac)
{
	const struct ft_vlans *v = &w->ethernet->vlans;
	bool local = v->host_switch[from] == v->host_switch[mac->host], arrived;

	send(w, from, mac->host, mac->mac);
	arrived = w->got[mac->host] == w->number;
	w->walk->pairs++;
	w->walk->delivered += arrived;
	w->walk->local_pairs += local;
	w->walk->local += local && arrived && !w->left;
	if (!arrived)
		harm_count(w, blame_on_way(w, from, mac->host, mac->mac), HARM(lost), mac->host);
	else if (w->flooded || w->copies > 1 || (local && w->left))
		harm_count(w, blame_on_way(w, from, mac->host, mac->mac), HARM(flooded), mac->host);
}

static void broadcast_walk(struct walking *w, uint32_t from)
{
	uint32_t hosts = w->ethernet->vlans.host_count;

	send(w, from, FT_NONE, 0);
	for (uint32_t host = 0; host < hosts; host++) {
		if (host == from)
			continue;
		w->walk->heard_planned++;
		if (w->got[host] == w->number)
			w->walk->heard++;
		else
			harm_count(w, blame_on_way(w, from, host, 0), HARM(missed), host);
	}
}

static void all_walk(struct walking *w)
{
	const struct ft_macs *macs = &w->ethernet->macs;

	for (uint32_t from = 0; from < w->ethernet->vlans.host_count; from++) {
		for (size_t i = 0; i < macs->count; i++)
			if (macs->list[i].host != from)
				pair_walk(w, from, &macs->list[i]);
		broadcast_walk(w, from);
	}
}

/* ---- loads ---- */

static uint32_t hosts_of(const struct ft_walk_load *load, const struct walking *w)
{
	return w->ethernet->plan.switches[load->lower].hosts;
}

/* By the plan: what the hosts of this VLAN send to elsewhere, and what those elsewhere send here. */
static void load_plan(const struct walking *w, struct ft_walk_load *load, const uint32_t *senders, uint32_t vlan)
{
	const struct ft_vlans *v = &w->ethernet->vlans;
	uint32_t here = senders[(size_t)v->lower_number[load->lower] * v->count + vlan - v->first], all = 0;

	for (uint32_t i = 0; i < v->lowers; i++)
		all += senders[(size_t)i * v->count + vlan - v->first];
	load->planned_up += (uint64_t)here * (v->host_count - hosts_of(load, w));
	load->planned_down += (uint64_t)(all - here) * hosts_of(load, w);
}

static void load_add(const struct walking *w, struct ft_walk_load *load, const uint32_t *senders)
{
	const struct ft_vlans *v = &w->ethernet->vlans;

	for (uint32_t p = 1; p <= ft_vlans_ports_of(v, load->lower); p++) {
		const struct ft_vlan_port *port = ft_vlans_port(v, load->lower, p);

		if (port->kind != FT_VLAN_SWITCH || port->peer != load->upper)
			continue;
		load->up += w->crossed[v->first_port[load->lower] + p - 1];
		load->down += w->crossed[v->first_port[load->upper] + port->peer_port - 1];
		if (port->vlan == 0)
			continue;
		load->cables++;
		load_plan(w, load, senders, port->vlan);
	}
}

/* Hosts by (L1 switch, VLAN) that send into it by the plan. */
static uint32_t *senders_count(const struct walking *w)
{
	const struct ft_vlans *v = &w->ethernet->vlans;
	uint32_t *senders = calloc((size_t)v->lowers * v->count + 1, sizeof(*senders));

	for (uint32_t host = 0; senders && host < v->host_count; host++) {
		const struct ft_vlan_port *port = ft_vlans_port(v, v->host_switch[host], v->host_port[host]);

		if (port)
			senders[(size_t)v->lower_number[v->host_switch[host]] * v->count + port->vlan - v->first]++;
	}
	return senders;
}

static int loads_make(struct walking *w)
{
	const struct ft_vlans *v = &w->ethernet->vlans;
	_cleanup_free_ uint32_t *senders = senders_count(w);

	w->walk->loads = calloc((size_t)v->lowers * v->uppers + 1, sizeof(*w->walk->loads));
	if (!senders || !w->walk->loads)
		return -ENOMEM;
	for (uint32_t i = 0; i < w->ethernet->plan.switch_count; i++)
		for (uint32_t k = 0; ft_vlans_is_lower(v, i) && k < w->ethernet->plan.switch_count; k++)
			if (!ft_vlans_is_lower(v, k) && v->carried[k] > 0) {
				struct ft_walk_load *load = &w->walk->loads[w->walk->load_count++];

				*load = (struct ft_walk_load){.lower = i, .upper = k};
				load_add(w, load, senders);
			}
	return 0;
}

/* ---- the end ---- */

/* How many hosts of the switch send into the VLAN that a wrong PVID names. */
static void pvids_count(struct walking *w)
{
	const struct ft_vlans *v = &w->ethernet->vlans;

	for (size_t i = 0; i < w->d.count; i++) {
		struct ft_walk_finding *finding = &w->d.list[i];

		for (size_t p = v->first_port[finding->sw];
		     finding->kind == FT_WALK_PVID_WRONG && p < v->first_port[finding->sw + 1]; p++)
			finding->beside += v->ports[p].kind == FT_VLAN_HOST && w->tables->pvids[p] == finding->said;
	}
}

/* Stable: those that break something come first, else they stay in the order of switches and ports. */
static int findings_order(struct walking *w)
{
	struct ft_table_walk *walk = w->walk;

	walk->findings = calloc(w->d.count + 1, sizeof(*walk->findings));
	if (!walk->findings)
		return -ENOMEM;
	for (int broken = 1; broken >= 0; broken--) {
		for (size_t i = 0; i < w->d.count; i++)
			if (w->d.list[i].kind != FT_WALK_KINDS && ft_walk_harm_is_any(&w->d.list[i].harm) == broken)
				walk->findings[walk->finding_count++] = w->d.list[i];
		if (broken)
			walk->broken_count = walk->finding_count;
	}
	return 0;
}

int ft_table_walk(const struct ft_ethernet *ethernet, const struct ft_tables *tables, struct ft_table_walk *ret_walk)
{
	_cleanup_(ft_table_walk_release) struct ft_table_walk walk = {.harm = {.from = FT_NONE, .to = FT_NONE}};
	_cleanup_(walking_release) struct walking w = {.ethernet = ethernet, .tables = tables, .walk = &walk};
	int r = walking_begin(&w);

	if (r < 0)
		return r;
	all_walk(&w);
	/* No memory for what could not be explained. */
	if (w.unexplained == FT_NONE && ft_walk_harm_is_any(&walk.harm) && w.d.count == 0)
		return -ENOMEM;
	pvids_count(&w);
	r = loads_make(&w);
	if (r == 0)
		r = ft_differences_fold(&w.d, tables);
	if (r == 0)
		r = findings_order(&w);
	if (r < 0)
		return r;
	*ret_walk = walk;
	walk = (struct ft_table_walk){0};
	return 0;
}
