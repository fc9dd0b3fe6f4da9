/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "verify/repair/what_if.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "probe/facts.h"
#include "verify/repair/what_if_parts.h"

void ft_what_if_free(struct ft_what_if *w)
{
	if (!w)
		return;
	ft_draft_release(&w->draft);
	ft_map_release(&w->by_guid);
	ft_wiring_release(&w->wiring);
	free(w->spoken);
	ft_arena_release(&w->memory);
	free(w);
}

/* ---- construction ---- */

static bool node_is_switch(const struct ft_what_if *w, uint32_t node)
{
	return w->draft.s.nodes[node].type == FT_NODE_SWITCH;
}

static int fabric_copy(struct ft_what_if *w, const struct ft_snapshot *from)
{
	int r = ft_draft_begin(&w->draft, from);

	w->first_count = from->node_count;
	w->spoken = calloc(from->port_count + 1UL, sizeof(*w->spoken));
	w->apart = ft_arena_zeros(&w->memory, from->node_count, sizeof(*w->apart));
	return r == 0 && w->spoken && !w->memory.failed ? 0 : -ENOMEM;
}

/* If a recorded fabric has no entry, its largest component counts as the swept part. */
static int start_settle(struct ft_what_if *w)
{
	_cleanup_free_ uint32_t *part = ft_parts_of(&w->draft.s);
	_cleanup_free_ uint32_t *size = calloc(w->draft.s.node_count + 1UL, sizeof(*size));

	if (!part || !size)
		return -ENOMEM;
	w->start = w->draft.s.source.entry_node < w->draft.s.node_count ? w->draft.s.source.entry_node : FT_NONE;
	for (uint32_t i = 0; i < w->draft.s.node_count; i++)
		size[part[i]]++;
	for (uint32_t i = 0; w->draft.s.source.entry_node >= w->draft.s.node_count && i < w->draft.s.node_count; i++)
		if (w->start == FT_NONE || size[i] > size[w->start])
			w->start = i;
	for (uint32_t i = 0; i < w->draft.s.node_count; i++)
		w->apart[i] = part[i] != part[w->start];
	return 0;
}

static uint32_t node_of_guid(const struct ft_what_if *w, uint64_t guid)
{
	uint32_t node = guid ? ft_map_get(&w->by_guid, guid) : FT_NONE;

	return node < w->draft.s.node_count ? node : FT_NONE;
}

/* The rows of the report's table are in the plan's order. */
static int places_map(struct ft_what_if *w)
{
	w->node_of = ft_arena_zeros(&w->memory, w->plan->switch_count, sizeof(*w->node_of));
	w->awaits_power = ft_arena_zeros(&w->memory, w->plan->switch_count, sizeof(*w->awaits_power));
	if (w->memory.failed)
		return -ENOMEM;
	for (uint32_t i = 0; i < w->plan->switch_count; i++)
		w->node_of[i] = i < w->report->switch_count && !ft_what_if_has_chips(w, i)
					? node_of_guid(w, w->report->switches[i].guid)
					: FT_NONE;
	return 0;
}

/* The hosts that the plan lists. */
static int hosts_find(struct ft_what_if *w)
{
	w->host_is_there = ft_arena_zeros(&w->memory, w->plan->host_count, sizeof(*w->host_is_there));
	if (!w->host_is_there)
		return -ENOMEM;
	for (uint32_t i = 0; w->m->port_map.host_of && i < w->plan->host_count; i++)
		w->host_is_there[i] = w->m->port_map.host_of[i] != FT_NONE;
	return 0;
}

/* The most common rate of cables of the kind. */
static struct ft_rate rate_usual(const struct ft_snapshot *s, enum ft_what_if_kind kind)
{
	struct ft_rate_votes votes = {0};
	struct ft_rate usual;

	for (uint32_t i = 0; i < s->port_count; i++) {
		const struct ft_port *port = &s->ports[i], *far = ft_port_peer(s, port);

		if (far && ft_port_node(s, port)->type == FT_NODE_SWITCH &&
		    (ft_port_node(s, far)->type == FT_NODE_SWITCH) == (kind == FT_WHAT_IF_UPLINK))
			ft_rate_vote(&votes, port->rate);
	}
	usual = ft_rate_usual(&votes);
	return usual.lanes > 0 ? usual : (struct ft_rate){4, FT_SPEED_SDR};
}

static void rates_settle(struct ft_what_if *w)
{
	const struct ft_rates *given[FT_WHAT_IF_KINDS] = {&w->design->uplink_rates, &w->design->host_rates};

	for (enum ft_what_if_kind kind = 0; kind < FT_WHAT_IF_KINDS; kind++) {
		w->rates[kind] = rate_usual(&w->draft.s, kind);
		for (size_t i = 0; i < given[kind]->count; i++)
			if (i == 0 || ft_rate_mbps(given[kind]->rates[i]) > ft_rate_mbps(w->rates[kind]))
				w->rates[kind] = given[kind]->rates[i];
	}
}

int ft_what_if_new(const struct ft_model *m, struct ft_what_if **ret_what_if)
{
	_cleanup_(ft_what_if_freep) struct ft_what_if *w = calloc(1, sizeof(*w));
	int r;

	if (!w)
		return -ENOMEM;
	w->m = m;
	w->design = m->design;
	w->plan = m->plan;
	w->report = m->report;
	r = fabric_copy(w, m->chips) ?: ft_snapshot_map_nodes(&w->draft.s, &w->by_guid) ?: hosts_find(w) ?: places_map(w)
		?: start_settle(w) ?: ft_wiring_make(w->plan, &w->wiring);
	if (r < 0)
		return r;
	rates_settle(w);
	*ret_what_if = FT_STEAL(w);
	return 0;
}

/* ---- look-ups ---- */

/* The switch of the plan with that name, or FT_NONE. */
static uint32_t switch_by_name(const struct ft_what_if *w, const char *name)
{
	for (uint32_t i = 0; name && i < w->plan->switch_count; i++)
		if (strcmp(w->plan->switches[i].name, name) == 0)
			return i;
	return FT_NONE;
}

static uint32_t node_at(const struct ft_what_if *w, const struct ft_place *place)
{
	uint32_t index;

	if (place->guid)
		return node_of_guid(w, place->guid);
	index = switch_by_name(w, place->name);
	return index == FT_NONE ? FT_NONE : w->node_of[index];
}

/* The port that @place refers to, or FT_NONE. */
uint32_t ft_what_if_port(const struct ft_what_if *w, const struct ft_place *place)
{
	uint32_t node = place->name || place->guid ? node_at(w, place) : FT_NONE;

	if (node == FT_NONE || place->port == 0 || place->port > w->draft.s.nodes[node].port_count)
		return FT_NONE;
	return w->draft.s.nodes[node].first_port + place->port - 1;
}

bool ft_what_if_is_taken(const struct ft_what_if *w, const struct ft_place *place)
{
	uint32_t port = ft_what_if_port(w, place);

	return port != FT_NONE && w->draft.s.ports[port].peer != FT_NONE;
}

void ft_what_if_reserve(struct ft_what_if *w, const struct ft_action *action, bool wanted)
{
	const struct ft_place *ends[2] = {&action->a, &action->b};

	for (unsigned int n = 0; n < 2; n++) {
		uint32_t port = ft_what_if_port(w, ends[n]);

		if (port != FT_NONE)
			w->spoken[port] = wanted;
	}
	if (action->act == FT_ACT_POWER && switch_by_name(w, action->a.name) != FT_NONE)
		w->awaits_power[switch_by_name(w, action->a.name)] = wanted;
}

/* The range of port numbers of @node that lead to nodes of @kind; low 0: there is none. */
static void ports_range(const struct ft_what_if *w, uint32_t node, enum ft_what_if_kind kind, uint32_t *ret_low,
			uint32_t *ret_high)
{
	const struct ft_node *n = &w->draft.s.nodes[node];

	*ret_low = *ret_high = 0;
	for (uint32_t i = 1; i <= n->port_count; i++) {
		const struct ft_port *far = ft_port_peer(&w->draft.s, &w->draft.s.ports[n->first_port + i - 1]);

		if (!far || node_is_switch(w, far->node) != (kind == FT_WHAT_IF_UPLINK))
			continue;
		*ret_low = *ret_low ? *ret_low : i;
		*ret_high = i;
	}
}

/* The free port of @node nearest to those of its @kind, or FT_NONE. */
static uint32_t port_free(const struct ft_what_if *w, uint32_t node, enum ft_what_if_kind kind)
{
	const struct ft_node *n = &w->draft.s.nodes[node];
	uint32_t low, high, best = FT_NONE, nearest = FT_NONE;

	ports_range(w, node, kind, &low, &high);
	for (uint32_t i = 1; i <= n->port_count; i++) {
		uint32_t port = n->first_port + i - 1, away = low == 0	 ? 0
							      : i < low	 ? low - i
							      : i > high ? i - high
									 : 0;

		if (!ft_what_if_is_free(w, port) || away >= nearest)
			continue;
		best = port;
		nearest = away;
	}
	return best;
}

static enum ft_what_if_kind kind_of(const struct ft_what_if *w, uint32_t a, uint32_t b)
{
	return node_is_switch(w, w->draft.s.ports[a].node) && node_is_switch(w, w->draft.s.ports[b].node)
		       ? FT_WHAT_IF_UPLINK
		       : FT_WHAT_IF_HOST;
}

static void port_end(struct ft_port *port)
{
	port->peer = FT_NONE;
	port->link = FT_LINK_DOWN;
	port->rate = (struct ft_rate){0};
	port->phys_state = port->logical_state = 0;
}

static void cable_pull(struct ft_what_if *w, uint32_t port)
{
	uint32_t peer = w->draft.s.ports[port].peer;

	if (peer != FT_NONE)
		port_end(&w->draft.s.ports[peer]);
	port_end(&w->draft.s.ports[port]);
}

static void cable_put(struct ft_what_if *w, uint32_t a, uint32_t b, struct ft_rate rate)
{
	const uint32_t ends[2] = {a, b};

	for (unsigned int n = 0; n < 2; n++) {
		struct ft_port *port = &w->draft.s.ports[ends[n]];

		port_end(port);
		port->peer = ends[1 - n];
		port->link = FT_LINK_UP;
		port->rate = rate;
	}
}

/* ---- restoring missing parts ---- */

/* Adds a missing node, with all ports down. @guid 0: one is made up. */
static int node_add(struct ft_what_if *w, enum ft_node_type type, uint64_t guid, const char *name, uint32_t ports,
		    uint32_t *ret_node)
{
	enum { MADE_UP = 0xf7c4ec };
	uint32_t before = w->draft.ports_size, now;
	bool *spoken;

	while (guid == 0 || node_of_guid(w, guid) != FT_NONE)
		guid = (uint64_t)MADE_UP << 40 | ++w->made_up;
	if (ft_draft_add(&w->draft, type, guid, name, ports, ret_node) < 0)
		return -ENOMEM;
	now = w->draft.ports_size;
	spoken = now > before ? realloc(w->spoken, (now + 1UL) * sizeof(*spoken)) : w->spoken;
	if (!spoken)
		return -ENOMEM;
	w->spoken = spoken;
	memset(spoken + before, 0, (now - before) * sizeof(*spoken));
	return ft_map_add(&w->by_guid, guid, *ret_node, NULL) < 0 ? -ENOMEM : 0;
}

/* The name by which the switch will be known: its alias; where a pattern tells the tier, one that others of it have. */
static const char *switch_name(const struct ft_what_if *w, uint32_t index)
{
	const struct ft_plan_switch *sw = &w->plan->switches[index];
	uint32_t like = FT_NONE;

	if (sw->alias)
		return sw->alias_full ? sw->alias_full : sw->alias;
	for (uint32_t i = 0; w->design->binds[sw->tier].match && like == FT_NONE && i < w->plan->switch_count; i++)
		if (w->plan->switches[i].kind == sw->kind && !ft_plan_is_beside(w->plan, i))
			like = w->node_of[i];
	return like == FT_NONE ? sw->name : w->draft.s.strings + w->draft.s.nodes[like].description;
}

/* The next listed host planned on switch @index that was not seen, or the number of all listed hosts. */
static uint32_t host_next(const struct ft_what_if *w, uint32_t index, uint32_t from)
{
	while (from < w->plan->host_count && (w->plan->hosts[from].edge != index || w->host_is_there[from]))
		from++;
	return from;
}

/* The port of a switch for a host: the planned one, or any free one. FT_NONE: there is none. */
static uint32_t host_port(const struct ft_what_if *w, uint32_t index, const struct ft_plan_host *host)
{
	uint32_t node = w->node_of[index], number = host ? host->port : 0, port = FT_NONE;

	if (number > 0 && number <= w->draft.s.nodes[node].port_count)
		port = w->draft.s.nodes[node].first_port + number - 1;
	return port != FT_NONE && w->draft.s.ports[port].peer == FT_NONE ? port : port_free(w, node, FT_WHAT_IF_HOST);
}

/* Restores @count hosts with the switch, those that the plan lists there first. */
static int hosts_return(struct ft_what_if *w, uint32_t index, uint32_t count)
{
	uint32_t listed = host_next(w, index, 0);
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < count; i++) {
		const struct ft_plan_host *host = listed < w->plan->host_count ? &w->plan->hosts[listed] : NULL;
		uint32_t there, port = host_port(w, index, host);

		if (port == FT_NONE)
			break;
		r = node_add(w, FT_NODE_CA, host ? host->guid : 0, host && host->name ? host->name : "", 1, &there);
		if (r < 0)
			return r;
		cable_put(w, port, w->draft.s.nodes[there].first_port, w->rates[FT_WHAT_IF_HOST]);
		w->hosts_back++;
		if (host) {
			w->host_is_there[listed] = true;
			listed = host_next(w, index, listed);
		}
	}
	return r;
}

/* The next port of @node that the finding names and that lacks a cable, or FT_NONE. */
static uint32_t port_dark(const struct ft_what_if *w, const struct ft_finding *because, uint32_t node)
{
	for (size_t i = 0; because && i < because->where_count; i++) {
		uint32_t port;

		if (because->where[i].guid != w->draft.s.nodes[node].guid)
			continue;
		port = ft_what_if_port(w, &because->where[i]);
		if (port != FT_NONE && w->draft.s.ports[port].peer == FT_NONE && !w->spoken[port])
			return port;
	}
	return FT_NONE;
}

static bool is_there(const struct ft_what_if *w, uint32_t index)
{
	return w->node_of[index] != FT_NONE || ft_what_if_has_chips(w, index);
}

/* How a switch is restored: with cables to observed switches, or only to parts restored with it. */
struct comeback {
	const struct ft_finding *because;
	bool to_seen;
	uint32_t *queue; /* [switch_count] */
	uint32_t count;
};

/*
 * The port of switch @index for a cable of a bundle: port @planned if it is given or the switch is restored from the
 * plan, else a port that went down, else any free port.
 */
static uint32_t bundle_port(const struct ft_what_if *w, const struct comeback *c, uint32_t index, uint32_t planned,
			    bool precise)
{
	uint32_t node = w->node_of[index], port = FT_NONE;

	if (node == FT_NONE)
		return ft_what_if_outer_port(w, index, precise ? planned : 0, c->because);
	if ((precise || node >= w->first_count) && planned > 0 && planned <= w->draft.s.nodes[node].port_count)
		port = w->draft.s.nodes[node].first_port + planned - 1;
	if (port != FT_NONE && w->draft.s.ports[port].peer == FT_NONE)
		return port;
	port = port_dark(w, c->because, node);
	return port == FT_NONE ? port_free(w, node, FT_WHAT_IF_UPLINK) : port;
}

/* Adds the planned cables between two existing switches. */
static void bundle_return(struct ft_what_if *w, const struct comeback *c, uint32_t number)
{
	const struct ft_plan_bundle *bundle = &w->plan->bundles[number];

	for (uint32_t i = 0; i < bundle->count; i++) {
		const struct ft_plan_cable *exact =
			w->plan->cable_count > 0 ? &w->plan->cables[w->wiring.first_cable[number] + i] : NULL;
		uint32_t at_a = bundle_port(w, c, bundle->a, exact ? exact->a_port : bundle->a_port + i, exact);
		uint32_t at_b = bundle_port(w, c, bundle->b, exact ? exact->b_port : bundle->b_port + i, exact);

		if (at_a != FT_NONE && at_b != FT_NONE)
			cable_put(w, at_a, at_b, w->rates[FT_WHAT_IF_UPLINK]);
	}
}

static int switch_add(struct ft_what_if *w, uint32_t index)
{
	/* Of another node it moves when the strings grow. */
	_cleanup_free_ char *name = strdup(switch_name(w, index));

	return name ? node_add(w, FT_NODE_SWITCH, ft_plan_bound_guid(w->design, w->plan, index), name,
			       w->plan->switches[index].ports, &w->node_of[index])
		    : -ENOMEM;
}

/* Switches that were not seen, and that no other action restores, were unreachable because of this one. */
static int neighbours_return(struct ft_what_if *w, struct comeback *c, uint32_t index)
{
	int r = 0;

	for (uint32_t i = w->wiring.first_bundle[index]; r == 0 && i < w->wiring.first_bundle[index + 1]; i++) {
		const struct ft_plan_bundle *bundle = &w->plan->bundles[w->wiring.bundles[i]];
		uint32_t far = bundle->a == index ? bundle->b : bundle->a;

		if (!is_there(w, far) && !w->awaits_power[far] && !ft_plan_is_director(w->plan, far)) {
			r = switch_add(w, far);
			c->queue[c->count++] = far;
		}
	}
	return r;
}

static void cables_return(struct ft_what_if *w, const struct comeback *c, uint32_t index, const bool *done)
{
	for (uint32_t i = w->wiring.first_bundle[index]; i < w->wiring.first_bundle[index + 1]; i++) {
		const struct ft_plan_bundle *bundle = &w->plan->bundles[w->wiring.bundles[i]];
		uint32_t far = bundle->a == index ? bundle->b : bundle->a;
		bool seen = w->node_of[far] < w->first_count || ft_what_if_has_chips(w, far);

		if (!is_there(w, far) || done[far] || (seen && !c->to_seen))
			continue;
		bundle_return(w, c, w->wiring.bundles[i]);
	}
}

/*
 * The number of hosts to restore with switch @index: the finding's number if it is about that switch only, else the
 * planned number; at most the number missing.
 */
static uint32_t hosts_behind(const struct ft_what_if *w, const struct comeback *c, uint32_t index)
{
	uint32_t seen = w->report->hosts.found + w->hosts_back, planned = w->report->hosts.planned;

	if (c->because && c->because->code == FT_CODE_EDGE_ISOLATED && c->because->gone_count == 1 &&
	    c->because->gone[0] == index)
		return c->because->impact.hosts_cut_off;
	return ft_number_least(w->plan->switches[index].hosts, planned > seen ? planned - seen : 0);
}

static int switch_return(struct ft_what_if *w, uint32_t index, const struct ft_finding *because, bool to_seen)
{
	_cleanup_free_ uint32_t *queue = calloc(w->plan->switch_count + 1UL, sizeof(*queue));
	_cleanup_free_ bool *done = calloc(w->plan->switch_count + 1UL, sizeof(*done));
	struct comeback c = {because, to_seen, queue, 1};
	int r;

	if (!queue || !done)
		return -ENOMEM;
	queue[0] = index;
	r = switch_add(w, index);
	for (uint32_t i = 0; r == 0 && i < c.count; i++)
		r = neighbours_return(w, &c, queue[i]);
	/* The cables between two restored switches are added once. */
	for (uint32_t i = 0; r == 0 && i < c.count; i++) {
		cables_return(w, &c, queue[i], done);
		done[queue[i]] = true;
		r = hosts_return(w, queue[i], hosts_behind(w, &c, queue[i]));
	}
	return r;
}

/* ---- actions ---- */

/* Few acts need all of them. */
#define ACT_ARGUMENTS                                                             \
	FT_UNUSED struct ft_what_if *w, FT_UNUSED const struct ft_action *action, \
		FT_UNUSED const struct ft_finding *because

static int do_remove(ACT_ARGUMENTS)
{
	uint32_t a = ft_what_if_port(w, &action->a), b = ft_what_if_port(w, &action->b);

	if (a == FT_NONE || w->draft.s.ports[a].peer == FT_NONE || (b != FT_NONE && w->draft.s.ports[a].peer != b))
		return -ENODEV;
	cable_pull(w, a);
	return 0;
}

/* The director that @place names as a whole: index of the plan's switches, or FT_NONE. */
static uint32_t director_at(const struct ft_what_if *w, const struct ft_place *place)
{
	uint32_t index = place->guid ? ft_what_if_director(w, place->guid) : switch_by_name(w, place->name);

	return index != FT_NONE && ft_what_if_has_chips(w, index) ? index : FT_NONE;
}

/* The end of a new cable, or trace: the port named, or any free one. */
static int end_take(struct ft_what_if *w, const struct ft_action *action, const struct ft_place *place,
		    enum ft_what_if_kind kind, uint32_t *ret_port)
{
	uint32_t node = node_at(w, place), port = ft_what_if_port(w, place), index = director_at(w, place);

	if (place->port > 0) {
		*ret_port = port;
		return port == FT_NONE ? -ENODEV : 0;
	}
	if (node == FT_NONE && index == FT_NONE)
		return -ENODEV;
	*ret_port = action->trace      ? ft_what_if_trace_port(w, node)
		    : index != FT_NONE ? ft_what_if_outer_port(w, index, 0, NULL)
				       : port_free(w, node, kind);
	return *ret_port == FT_NONE ? -EBUSY : 0;
}

/* A planned switch at the end of a cable that was not seen: it was unreachable, and exists. */
static int end_return(struct ft_what_if *w, const struct ft_place *place)
{
	uint32_t index = place->guid ? FT_NONE : switch_by_name(w, place->name);

	if (index == FT_NONE || is_there(w, index) || w->awaits_power[index])
		return 0;
	return ft_plan_is_director(w->plan, index) ? -ENOTSUP : switch_return(w, index, NULL, false);
}

static int do_connect(ACT_ARGUMENTS)
{
	uint32_t a = FT_NONE, b = FT_NONE;
	int r = end_return(w, &action->a) ?: end_return(w, &action->b)
		?: end_take(w, action, &action->a, FT_WHAT_IF_UPLINK, &a)
		?: end_take(w, action, &action->b, FT_WHAT_IF_UPLINK, &b);

	if (r < 0)
		return r;
	if (w->draft.s.ports[a].peer == b)
		return 0;
	if (a == b || w->draft.s.ports[a].peer != FT_NONE || w->draft.s.ports[b].peer != FT_NONE)
		return -EBUSY;
	cable_put(w, a, b, w->rates[kind_of(w, a, b)]);
	return 0;
}

static int do_move(ACT_ARGUMENTS)
{
	uint32_t from = ft_what_if_port(w, &action->a), far, to;
	int r;

	if (from == FT_NONE || w->draft.s.ports[from].peer == FT_NONE)
		return -ENODEV;
	far = w->draft.s.ports[from].peer;
	r = end_take(w, action, &action->b,
		     node_is_switch(w, w->draft.s.ports[far].node) ? FT_WHAT_IF_UPLINK : FT_WHAT_IF_HOST, &to);
	if (r < 0)
		return r;
	if (w->draft.s.ports[to].peer != FT_NONE)
		return -EBUSY;
	cable_pull(w, from);
	cable_put(w, far, to, w->rates[kind_of(w, far, to)]);
	return 0;
}

static int do_exchange(ACT_ARGUMENTS)
{
	uint32_t a = ft_what_if_port(w, &action->a), b = ft_what_if_port(w, &action->b), far_a, far_b;

	if (a == FT_NONE || b == FT_NONE || w->draft.s.ports[a].peer == FT_NONE ||
	    w->draft.s.ports[b].peer == FT_NONE || w->draft.s.ports[a].peer == a || w->draft.s.ports[b].peer == b)
		return -ENODEV;
	far_a = w->draft.s.ports[a].peer;
	far_b = w->draft.s.ports[b].peer;
	if (far_a == b)
		return 0;
	cable_put(w, far_a, b, w->rates[kind_of(w, far_a, b)]);
	cable_put(w, far_b, a, w->rates[kind_of(w, far_b, a)]);
	return 0;
}

static int do_renew(ACT_ARGUMENTS)
{
	uint32_t a = ft_what_if_port(w, &action->a), b;

	a = a == FT_NONE ? ft_what_if_port(w, &action->b) : a;
	if (a == FT_NONE || w->draft.s.ports[a].peer == FT_NONE)
		return -ENODEV;
	b = w->draft.s.ports[a].peer;
	cable_put(w, a, b, w->rates[kind_of(w, a, b)]);
	return 0;
}

static int do_power(ACT_ARGUMENTS)
{
	uint32_t index = action->a.guid ? FT_NONE : switch_by_name(w, action->a.name);

	/* One that is silent, or of many chips: what it would look like then is not worked out. */
	if (index == FT_NONE || (ft_plan_is_director(w->plan, index) && !is_there(w, index)))
		return -ENOTSUP;
	w->awaits_power[index] = false;
	/* It was restored with another switch, behind which it was. */
	return is_there(w, index) ? 0 : switch_return(w, index, because, true);
}

static int do_nothing(ACT_ARGUMENTS)
{
	return -ENOTSUP;
}

int ft_what_if_do(struct ft_what_if *w, const struct ft_action *action, const struct ft_finding *because)
{
	static int (*const acts[])(struct ft_what_if *, const struct ft_action *, const struct ft_finding *) = {
		[FT_ACT_CONNECT] = do_connect,	 [FT_ACT_REMOVE] = do_remove,	[FT_ACT_MOVE] = do_move,
		[FT_ACT_EXCHANGE] = do_exchange, [FT_ACT_RENEW] = do_renew,	[FT_ACT_POWER] = do_power,
		[FT_ACT_BOARD] = do_nothing,	 [FT_ACT_SETTING] = do_nothing,
	};

	return acts[action->act](w, action, because);
}

/* ---- the resulting snapshot ---- */

int ft_what_if_look(const struct ft_what_if *w, struct ft_snapshot **ret_snapshot)
{
	const struct ft_snapshot *s = &w->draft.s;
	_cleanup_free_ bool *keep = calloc(s->node_count + 1UL, sizeof(*keep));
	_cleanup_free_ bool *reached = calloc(s->node_count + 1UL, sizeof(*reached));
	_cleanup_free_ uint32_t *part = ft_parts_of(s);

	if (!keep || !reached || !part)
		return -ENOMEM;
	for (uint32_t i = 0; i < w->first_count; i++)
		reached[part[i]] |= i == w->start || w->apart[i];
	for (uint32_t i = 0; i < s->node_count; i++)
		keep[i] = reached[part[i]];
	return ft_draft_take(&w->draft, keep, ret_snapshot);
}

struct ft_plan *ft_what_if_plan(const struct ft_what_if *w)
{
	struct ft_plan *plan = ft_plan_variant(w->m->input->plan);

	for (uint32_t i = 0; plan && i < plan->switch_count; i++)
		if (w->node_of[i] != FT_NONE && plan->switches[i].guid == 0 && !w->m->replaced[w->m->place_of[i]] &&
		    ft_bind_of(w->m, w->m->place_of[i])->count == 0)
			plan->switches[i].guid = w->draft.s.nodes[w->node_of[i]].guid;
	return plan;
}
