/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The graph for the walk: switches, chip by chip, their ports, and the LIDs of the hosts. Invariant: hops are in the
 * order of GUIDs and targets in that of LIDs, whatever the order of the snapshot. O(n log n) in switches and LIDs.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/numbers.h"
#include "verify/model/capacity.h"
#include "verify/routes/routes.h"

void ft_walk_release(struct ft_walk *w)
{
	ft_map_release(&w->loop_by_hash);
	ft_arena_release(&w->memory);
}

/* By GUID, so that findings and texts do not depend on the source of the fabric and its tables. */
static void hops_collect(struct ft_walk *w)
{
	const struct ft_snapshot *s = w->m->chips;
	const struct ft_routes *routes = w->m->input->routes;

	w->hop_of_node = ft_arena_numbers(&w->memory, s->node_count + 1UL, FT_NONE);
	w->hops = ft_arena_zeros(&w->memory, s->node_count + 1UL, sizeof(*w->hops));
	for (uint32_t i = 0; !w->memory.failed && i < s->node_count; i++)
		if (s->nodes[w->m->chip_order[i]].type == FT_NODE_SWITCH)
			w->hops[w->hop_count++].node = w->m->chip_order[i];
	for (uint32_t h = 0; h < w->hop_count; h++) {
		struct ft_hop *hop = &w->hops[h];

		*hop = (struct ft_hop){
			.node = hop->node,
			.observed = FT_NONE,
			.part = FT_NONE,
			.place = FT_NONE,
			.first_link = w->link_count,
			.links = s->nodes[hop->node].port_count,
			.first_host = FT_NONE,
			.table = &routes->tables[hop->node],
		};
		w->hop_of_node[hop->node] = h;
		w->link_count += hop->links;
		w->tables += !ft_walk_has_holes(hop);
		w->tables_unknown += ft_walk_has_holes(hop);
	}
}

static uint32_t far_of(const struct ft_walk *w, const struct ft_port *port)
{
	const struct ft_port *peer = ft_port_peer(w->m->chips, port);

	if (peer)
		return w->hop_of_node[peer->node] == FT_NONE ? FT_FAR_END : w->hop_of_node[peer->node];
	return port->link == FT_LINK_DOWN ? FT_FAR_DOWN : FT_FAR_UNKNOWN;
}

static void links_collect(struct ft_walk *w)
{
	const struct ft_snapshot *s = w->m->chips;

	w->far = ft_arena_zeros(&w->memory, w->link_count + 1UL, sizeof(*w->far));
	w->owner = ft_arena_zeros(&w->memory, w->link_count + 1UL, sizeof(*w->owner));
	w->up = ft_arena_zeros(&w->memory, w->link_count + 1UL, sizeof(*w->up));
	for (uint32_t h = 0; !w->memory.failed && h < w->hop_count; h++) {
		const struct ft_hop *hop = &w->hops[h];

		for (uint32_t i = 0; i < hop->links; i++) {
			w->owner[hop->first_link + i] = h;
			w->far[hop->first_link + i] = far_of(w, &s->ports[s->nodes[hop->node].first_port + i]);
		}
	}
}

static void parts_number(struct ft_walk *w)
{
	uint32_t *part = ft_arena_zeros(&w->memory, w->hop_count, sizeof(*part));

	if (!part)
		return;
	ft_number_begin(part, w->hop_count);
	for (uint32_t link = 0; link < w->link_count; link++)
		if (w->far[link] < w->hop_count)
			ft_number_join(part, w->owner[link], w->far[link]);
	ft_number_sets(part, w->hop_count);
	for (uint32_t h = 0; h < w->hop_count; h++)
		w->hops[h].part = part[h];
}

/* A fabric chip has no outer port: it belongs to the switch of its line chips. */
static void inner_adopt(struct ft_walk *w, uint32_t h)
{
	struct ft_hop *hop = &w->hops[h];

	for (uint32_t i = 0; i < hop->links && hop->observed == FT_NONE; i++) {
		uint32_t far = w->far[hop->first_link + i];

		if (far < w->hop_count && w->hops[far].observed != FT_NONE && !(w->hops[far].rank & 1))
			hop->observed = w->hops[far].observed;
	}
	hop->rank = 1;
}

/* An unplanned switch gets the rank of the switches that it resembles; without such it is above the hosts. */
static uint32_t rank_of(const struct ft_model *m, const struct ft_observed_switch *sw)
{
	if (sw->planned != FT_NONE && !ft_is_beside(m, sw->planned))
		return m->capacity->rank[sw->planned];
	for (uint32_t p = 0; p < m->place_count; p++)
		if (m->places[p]->kind == sw->kind)
			return m->capacity->rank[p];
	return sw->hosts > 0 ? 0 : m->capacity->ranks - 1;
}

static void hops_rank(struct ft_walk *w)
{
	const struct ft_model *m = w->m;

	for (uint32_t i = 0; i < m->snapshot->port_count; i++) {
		uint32_t observed = ft_observed_of_port(m, i), origin = ft_port_origin(m, i);

		if (observed != FT_NONE && origin != FT_NONE)
			w->hops[w->hop_of_node[m->chips->ports[origin].node]].observed = observed;
	}
	for (uint32_t h = 0; h < w->hop_count; h++)
		if (w->hops[h].observed == FT_NONE)
			inner_adopt(w, h);
	for (uint32_t h = 0; h < w->hop_count; h++) {
		struct ft_hop *hop = &w->hops[h];
		const struct ft_observed_switch *sw =
			hop->observed == FT_NONE ? NULL : &m->observed.switches[hop->observed];

		if (!sw)
			continue;
		hop->place = sw->planned;
		hop->rank += 2 * rank_of(m, sw);
	}
	for (uint32_t link = 0; link < w->link_count; link++)
		w->up[link] = w->far[link] < w->hop_count && w->hops[w->far[link]].rank > w->hops[w->owner[link]].rank;
}

static bool lid_is_unicast(uint32_t lid)
{
	return lid > 0 && lid <= FT_ROUTE_LID_MAX;
}

/* Counts the ports with each LID, switches' included. */
static void lids_count(const struct ft_snapshot *s, uint8_t *count)
{
	for (uint32_t i = 0; i < s->node_count; i++)
		if (s->nodes[i].type == FT_NODE_SWITCH && lid_is_unicast(s->nodes[i].lid))
			count[s->nodes[i].lid] += count[s->nodes[i].lid] < 2;
	for (uint32_t i = 0; i < s->port_count; i++) {
		const struct ft_port *port = &s->ports[i];

		if (ft_port_node(s, port)->type == FT_NODE_SWITCH || !lid_is_unicast(port->lid) ||
		    port->link == FT_LINK_DOWN)
			continue;
		for (uint32_t n = 0; n < 1U << (port->lmc & 7); n++)
			count[port->lid + n] += count[port->lid + n] < 2;
	}
}

static void target_add(struct ft_walk *w, uint32_t host_port, uint32_t switch_port, const uint8_t *count)
{
	const struct ft_snapshot *s = w->m->chips;
	const struct ft_port *port = &s->ports[host_port], *at = &s->ports[switch_port];
	uint32_t hop = w->hop_of_node[at->node];

	if (!lid_is_unicast(port->lid))
		return;
	w->hops[hop].hosts++;
	for (uint32_t n = 0; n < 1U << (port->lmc & 7) && port->lid + n <= FT_ROUTE_LID_MAX; n++) {
		/* If two ports hold it, both are accepted: another finding reports that. */
		if (count[port->lid + n] > 1)
			continue;
		if (w->hops[hop].first_host == FT_NONE)
			w->hops[hop].first_host = w->target_count;
		w->targets[w->target_count++] = (struct ft_target){
			.lid = port->lid + n,
			.port = host_port,
			.hop = hop,
			.link = w->hops[hop].first_link + at->number - 1U,
		};
	}
}

static int target_compare(const void *a, const void *b)
{
	const struct ft_target *x = a, *y = b;

	return FT_ORDER(x->lid, y->lid);
}

static void targets_collect(struct ft_walk *w)
{
	const struct ft_model *m = w->m;
	uint8_t *count = ft_arena_zeros(&w->memory, FT_ROUTE_LID_MAX + 129UL, sizeof(*count));

	/* Each LID occurs only once among them. */
	w->targets = ft_arena_zeros(&w->memory, FT_ROUTE_LID_MAX + 1UL, sizeof(*w->targets));
	w->sources = ft_arena_zeros(&w->memory, w->hop_count + 1UL, sizeof(*w->sources));
	if (w->memory.failed)
		return;
	lids_count(m->chips, count);
	for (uint32_t i = 0; i < m->observed.host_count; i++)
		target_add(w, ft_port_origin(m, m->observed.hosts[i].port),
			   ft_port_origin(m, m->observed.hosts[i].switch_port), count);
	qsort(w->targets, w->target_count, sizeof(*w->targets), target_compare);
	for (uint32_t i = w->target_count; i > 0; i--)
		w->hops[w->targets[i - 1].hop].first_host = i - 1;
	for (uint32_t h = 0; h < w->hop_count; h++)
		if (w->hops[h].hosts > 0)
			w->sources[w->source_count++] = h;
}

static void results_allocate(struct ft_walk *w)
{
	struct ft_arena *memory = &w->memory;
	size_t hops = w->hop_count + 1UL, places = w->m->place_count + 1UL;
	uint32_t words = 0;

	w->after_first = ft_arena_zeros(memory, w->link_count + 1UL, sizeof(*w->after_first));
	for (uint32_t link = 0; w->after_first && link < w->link_count; link++) {
		w->after_first[link] = words;
		words += w->far[link] < w->hop_count ? ft_walk_words(w, w->far[link]) : 0;
	}
	if (w->after_first)
		w->after_first[w->link_count] = words;
	w->after = ft_arena_zeros(memory, words + 1UL, sizeof(*w->after));
	w->load = ft_arena_zeros(memory, w->link_count + 1UL, sizeof(*w->load));
	w->ends = ft_arena_zeros(memory, w->link_count + hops, sizeof(*w->ends));
	w->detours = ft_arena_zeros(memory, hops, sizeof(*w->detours));
	w->reach = ft_arena_zeros(memory, hops, sizeof(*w->reach));
	w->ways = ft_arena_zeros(memory, hops, sizeof(*w->ways));
	w->out = ft_arena_zeros(memory, hops, sizeof(*w->out));
	w->stack = ft_arena_zeros(memory, hops, sizeof(*w->stack));
	w->circle = ft_arena_zeros(memory, hops, sizeof(*w->circle));
	w->rows = ft_arena_zeros(memory, hops, FT_ROUTE_BLOCK);
	w->row_unread = ft_arena_zeros(memory, hops, sizeof(*w->row_unread));
	w->planned = ft_arena_zeros(memory, places, sizeof(*w->planned));
	w->planned_to = FT_NONE;
	w->queue = ft_arena_zeros(memory, places, sizeof(*w->queue));
	w->is_queued = ft_arena_zeros(memory, places, sizeof(*w->is_queued));
}

int ft_walk_build(struct ft_walk *w)
{
	static void (*const steps[])(struct ft_walk * w) = {hops_collect, links_collect,   parts_number,
							    hops_rank,	  targets_collect, results_allocate};

	for (size_t i = 0; i < FT_COUNT(steps) && !w->memory.failed; i++)
		steps[i](w);
	return w->memory.failed ? -ENOMEM : 0;
}
