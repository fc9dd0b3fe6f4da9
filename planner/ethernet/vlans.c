/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/ethernet/vlans.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/numbers.h"
#include "base/text.h"
#include "planner/plan/cabling.h"

void ft_vlans_release(struct ft_vlans *vlans)
{
	free(vlans->carried);
	free(vlans->first_port);
	free(vlans->ports);
	free(vlans->host_switch);
	free(vlans->host_port);
	free(vlans->lower_number);
	free(vlans->first_vlan);
	free(vlans->first_way);
	free(vlans->ways);
	ft_wiring_release(&vlans->wiring);
	*vlans = (struct ft_vlans){0};
}

struct making {
	const struct ft_plan *plan;
	struct ft_vlans *vlans;
	uint32_t *shares; /* VLANs of each switch that is an L2 switch; else 0 */
	uint32_t number;  /* the highest number that a host's port has on its switch */
};

/* ---- what is at the other end of each port ---- */

static int ports_make(struct making *m)
{
	const struct ft_plan *plan = m->plan;
	struct ft_vlans *v = m->vlans;
	size_t total = 0;

	v->host_count = ft_plan_host_total(plan);
	v->carried = calloc(plan->switch_count + 1UL, sizeof(*v->carried));
	v->first_port = calloc(plan->switch_count + 1UL, sizeof(*v->first_port));
	v->host_switch = calloc(v->host_count + 1UL, sizeof(*v->host_switch));
	v->host_port = calloc(v->host_count + 1UL, sizeof(*v->host_port));
	v->lower_number = calloc(plan->switch_count + 1UL, sizeof(*v->lower_number));
	v->first_vlan = calloc(plan->switch_count + 1UL, sizeof(*v->first_vlan));
	v->first_way = calloc(plan->switch_count + 1UL, sizeof(*v->first_way));
	m->shares = calloc(plan->switch_count + 1UL, sizeof(*m->shares));
	if (!v->carried || !v->first_port || !v->host_switch || !v->host_port || !v->lower_number || !v->first_vlan ||
	    !v->first_way || !m->shares)
		return -ENOMEM;
	for (uint32_t i = 0; i < plan->switch_count; i++) {
		v->first_port[i] = total;
		total += ft_cabling_ports(plan, i);
		v->lower_number[i] = plan->switches[i].hosts > 0 ? v->lowers++ : FT_NONE;
	}
	v->first_port[plan->switch_count] = total;
	v->ports = calloc(total + 1, sizeof(*v->ports));
	return v->ports ? ft_wiring_make(plan, &v->wiring) : -ENOMEM;
}

static struct ft_vlan_port *port_at(struct making *m, uint32_t sw, uint32_t port)
{
	return &m->vlans->ports[m->vlans->first_port[sw] + port - 1];
}

/* Cables that lists of the site left without a port take no part. */
static void cables_plug(struct making *m)
{
	const struct ft_wiring *wiring = &m->vlans->wiring;

	for (uint32_t i = 0; i < m->plan->bundle_count; i++) {
		const struct ft_plan_bundle *bundle = &m->plan->bundles[i];

		for (uint32_t k = 0; k < bundle->count; k++) {
			const struct ft_wire *wire = &wiring->cables[wiring->first_cable[i] + k];

			if (wire->a_port == 0 || wire->b_port == 0)
				continue;
			*port_at(m, bundle->a, wire->a_port) =
				(struct ft_vlan_port){FT_VLAN_SWITCH, bundle->b, wire->b_port, 0};
			*port_at(m, bundle->b, wire->b_port) =
				(struct ft_vlan_port){FT_VLAN_SWITCH, bundle->a, wire->a_port, 0};
		}
	}
}

static int hosts_plug(struct making *m, struct ft_error *err)
{
	const struct ft_wiring *wiring = &m->vlans->wiring;

	for (uint32_t i = 0; i < m->plan->switch_count; i++)
		for (uint32_t k = 0; k < m->plan->switches[i].hosts; k++) {
			uint32_t host = wiring->first_host[i] + k, port = wiring->hosts[host].port;

			if (port == 0)
				return ft_error_set(err, -EINVAL, 0, 0, "%s has no free port for one of its %u hosts",
						    m->plan->switches[i].name, m->plan->switches[i].hosts);
			m->vlans->host_switch[host] = i;
			m->vlans->host_port[host] = port;
			*port_at(m, i, port) = (struct ft_vlan_port){FT_VLAN_HOST, host, 0, 0};
		}
	return 0;
}

/* ---- how many VLANs, and who carries them ---- */

/*
 * The number of a host's port: its place among the ports of its switch that are for hosts, which are those without a
 * cable to another switch. So uplinks may be below or between them.
 */
static uint32_t ports_number(struct making *m, uint32_t sw, bool settle)
{
	uint32_t number = 0, last = 0;

	for (uint32_t p = 1; p <= ft_vlans_ports_of(m->vlans, sw); p++) {
		struct ft_vlan_port *port = port_at(m, sw, p);

		number += port->kind != FT_VLAN_SWITCH;
		if (port->kind != FT_VLAN_HOST)
			continue;
		last = number;
		if (settle)
			port->vlan = m->vlans->first + (number - 1) % m->vlans->count;
	}
	return last;
}

/* Of an L2 switch: as many as the cables that each L1 switch has to it. */
static uint32_t share_of(const struct making *m, uint32_t upper)
{
	uint32_t share = UINT32_MAX;

	for (uint32_t i = 0; i < m->plan->switch_count && share > 0; i++) {
		uint32_t bundle;

		if (!ft_vlans_is_lower(m->vlans, i))
			continue;
		bundle = ft_plan_find_bundle(m->plan, i, upper);
		share = ft_number_least(share, bundle == FT_NONE ? 0 : m->plan->bundles[bundle].count);
	}
	return share;
}

/* Takes one from the last of those with most, until there are @count: the L2 switches stay as alike as can be. */
static void shares_trim(struct making *m, uint32_t total, uint32_t count)
{
	for (; total > count; total--) {
		uint32_t most = 0;

		for (uint32_t i = 0; i < m->plan->switch_count; i++)
			if (m->shares[i] >= m->shares[most])
				most = i;
		m->shares[most]--;
	}
}

static int count_settle(struct making *m, struct ft_error *err)
{
	const struct ft_plan *plan = m->plan;
	struct ft_vlans *v = m->vlans;
	uint32_t total = 0;

	for (uint32_t i = 0; i < plan->switch_count; i++) {
		uint32_t number = ports_number(m, i, false);

		m->number = number > m->number ? number : m->number;
		if (!ft_vlans_is_lower(v, i) && v->lowers > 0)
			total += m->shares[i] = share_of(m, i);
	}
	if (v->lowers == 0 || m->number == 0)
		return ft_error_set(err, -EINVAL, 0, 0, "no switch of the plan has a host, so there are no VLANs");
	if (v->lowers > 1 && total == 0)
		return ft_error_set(
			err, -EINVAL, 0, 0,
			"these VLANs are of two levels: every switch with hosts has a cable to the same upper "
			"switch, and here no upper switch has one to all of them");
	v->count = v->lowers == 1 && total == 0 ? 1 : ft_number_least(total, m->number);
	v->sharing = ft_number_divide_up(m->number, v->count);
	if (v->first + v->count - 1 > FT_VLAN_MAX)
		return ft_error_set(err, -EINVAL, 0, 0,
				    "VLANs %u to %u are needed, and the last that there can be is %d", v->first,
				    v->first + v->count - 1, FT_VLAN_MAX);
	shares_trim(m, total, v->count);
	return 0;
}

/* ---- the VLAN of each cable ---- */

/* The cables of a bundle in the order of the ports of its L1 switch: the first are taken. */
static void bundle_tag(struct making *m, uint32_t lower, uint32_t upper, uint32_t vlan)
{
	uint32_t left = m->shares[upper];

	for (uint32_t p = 1; left > 0 && p <= ft_vlans_ports_of(m->vlans, lower); p++) {
		struct ft_vlan_port *port = port_at(m, lower, p);

		if (port->kind != FT_VLAN_SWITCH || port->peer != upper)
			continue;
		port->vlan = port_at(m, upper, port->peer_port)->vlan = vlan++;
		left--;
	}
}

static void cables_tag(struct making *m)
{
	const struct ft_plan *plan = m->plan;
	struct ft_vlans *v = m->vlans;
	uint32_t vlan = v->first;

	for (uint32_t upper = 0; upper < plan->switch_count; upper++) {
		if (m->shares[upper] == 0)
			continue;
		for (uint32_t i = 0; i < plan->switch_count; i++)
			if (ft_vlans_is_lower(v, i))
				bundle_tag(m, i, upper, vlan);
		v->first_vlan[upper] = vlan;
		v->carried[upper] = m->shares[upper];
		v->most = m->shares[upper] > v->most ? m->shares[upper] : v->most;
		v->uppers++;
		vlan += m->shares[upper];
	}
	for (uint32_t i = 0; i < plan->bundle_count; i++)
		v->idle += plan->bundles[i].count;
	v->idle -= v->uppers > 0 ? v->count * v->lowers : 0;
}

static void lowers_tag(struct making *m)
{
	struct ft_vlans *v = m->vlans;

	for (uint32_t i = 0; i < m->plan->switch_count; i++) {
		if (!ft_vlans_is_lower(v, i))
			continue;
		v->first_vlan[i] = v->first;
		v->carried[i] = v->count;
		ports_number(m, i, true);
	}
}

/* ---- the ways ---- */

static size_t way_index(const struct ft_vlans *v, uint32_t sw, uint32_t vlan, uint32_t lower)
{
	size_t number = vlan - v->first_vlan[sw];

	return v->first_way[sw] + (ft_vlans_is_lower(v, sw) ? number : number * v->lowers + v->lower_number[lower]);
}

static int ways_make(struct making *m)
{
	struct ft_vlans *v = m->vlans;
	size_t total = 0;

	for (uint32_t i = 0; i < m->plan->switch_count; i++) {
		v->first_way[i] = total;
		total += (size_t)v->carried[i] * (ft_vlans_is_lower(v, i) ? 1 : v->lowers);
	}
	v->ways = calloc(total + 1, sizeof(*v->ways));
	if (!v->ways)
		return -ENOMEM;
	for (uint32_t i = 0; i < m->plan->switch_count; i++)
		for (uint32_t p = 1; p <= ft_vlans_ports_of(v, i); p++) {
			const struct ft_vlan_port *port = port_at(m, i, p);

			if (port->kind == FT_VLAN_SWITCH && port->vlan > 0)
				v->ways[way_index(v, i, port->vlan, port->peer)] = p;
		}
	return 0;
}

uint32_t ft_vlans_way(const struct ft_vlans *vlans, uint32_t sw, uint32_t vlan, uint32_t host)
{
	if (vlan < vlans->first_vlan[sw] || vlan - vlans->first_vlan[sw] >= vlans->carried[sw])
		return 0;
	if (vlans->host_switch[host] == sw)
		return vlans->host_port[host];
	return vlans->ways[way_index(vlans, sw, vlan, vlans->host_switch[host])];
}

int ft_vlans_make(const struct ft_plan *plan, uint32_t first, struct ft_vlans *ret_vlans, struct ft_error *err)
{
	_cleanup_(ft_vlans_release) struct ft_vlans vlans = {.first = first};
	_cleanup_free_ uint32_t *shares = NULL;
	struct making m = {.plan = plan, .vlans = &vlans};
	int r;

	if (plan->without_vlans)
		return ft_error_set(err, -EINVAL, 0, 0, "the design says that there are no VLANs: \"vlans\": false");
	r = ports_make(&m);
	shares = m.shares;
	if (r < 0)
		return r;
	cables_plug(&m);
	r = hosts_plug(&m, err);
	if (r == 0)
		r = count_settle(&m, err);
	if (r < 0)
		return r;
	cables_tag(&m);
	lowers_tag(&m);
	r = ways_make(&m);
	if (r < 0)
		return r;
	*ret_vlans = vlans;
	vlans = (struct ft_vlans){0};
	return 0;
}

/* ---- the sizes of tables ---- */

int ft_vlans_check_tables(const struct ft_design *design, const struct ft_plan *plan, struct ft_plan_blame *blame,
			  struct ft_error *err)
{
	_cleanup_(ft_vlans_release) struct ft_vlans vlans = {0};
	uint64_t addresses;
	int r;

	if (plan->mac_tables[FT_TIER_EDGE] == 0 && plan->mac_tables[FT_TIER_CORE] == 0)
		return 0;
	r = ft_vlans_make(plan, design->vlan_first, &vlans, NULL);
	if (r < 0)
		return r == -EINVAL ? 0 : r;
	/* Every host has one address at least, so there are no fewer than hosts. */
	addresses = design->macs ? design->mac_count : vlans.host_count;
	for (uint32_t i = 0; i < plan->switch_count; i++) {
		enum ft_tier tier = plan->switches[i].tier;
		uint32_t size = plan->mac_tables[tier];

		if (size == 0 || vlans.carried[i] * addresses <= size)
			continue;
		*blame = (struct ft_plan_blame){ft_tier_name(tier), "mac_table"};
		return ft_error_set(err, -EINVAL, 0, 0,
				    "%s needs %llu static entries, for %llu %s in each of %u VLANs, and its "
				    "\"mac_table\" holds %u: the most that fit are %u %s",
				    plan->switches[i].name, (unsigned long long)(vlans.carried[i] * addresses),
				    (unsigned long long)addresses, addresses > vlans.host_count ? "addresses" : "hosts",
				    vlans.carried[i], size, size / vlans.carried[i],
				    addresses > vlans.host_count ? "addresses" : "hosts");
	}
	return 0;
}

/* ---- for people ---- */

int ft_vlans_write_text(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan)
{
	_cleanup_(ft_vlans_release) struct ft_vlans v = {0};
	int r = ft_vlans_make(plan, design->vlan_first, &v, NULL);

	if (r < 0)
		return r == -EINVAL ? 0 : r;
	if (v.count == 1)
		ft_text_printf(text, "\nVLANs: 1, number %u.\n", v.first);
	else
		ft_text_printf(text, "\nVLANs: %u, numbers %u to %u, one for each host port of an L1 switch%s.\n",
			       v.count, v.first, v.first + v.count - 1,
			       v.sharing > 1 ? " as far as there are uplinks" : "");
	if (v.sharing > 1 && v.uppers > 0)
		ft_text_printf(text, "Shared: up to %u hosts of an L1 switch are in one VLAN.\n", v.sharing);
	if (v.uppers > 0)
		ft_text_printf(text, "Virtual L2 switches: up to %u in each of %u L2 switch%s, one for each VLAN.\n",
			       v.most, v.uppers, ft_text_es(v.uppers));
	if (v.uppers > 0 && v.idle > 0)
		ft_text_printf(text, "Idle: %u cable%s between switches carr%s no VLAN, and the ports stay closed.\n",
			       v.idle, ft_text_s(v.idle), v.idle == 1 ? "ies" : "y");
	ft_text_printf(text, "Tables: %llu static entries in an L1 switch",
		       (unsigned long long)ft_vlans_entries_most(&v));
	if (v.uppers > 0)
		ft_text_printf(text, ", %llu in an L2 switch", (unsigned long long)v.most * v.host_count);
	ft_text_puts(text,
		     "; one for each host in each VLAN.\n"
		     "Spanning tree: off in every switch; its VLANs have no loops, and it would close their cables.\n");
	return 0;
}
