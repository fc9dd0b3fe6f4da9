/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The port where a cable belongs, among those without one, by rank. The one predictor of ports: it asks the plan and
 * the baseline, then the use of the number on other switches of the kind (match/port_use.c), then what missing cables
 * of both switches and their other ports tell (port_holes.c), and last where a switch has its links. None is named
 * where that would be a guess. Cost: O(ranks * ports of the switch).
 *
 * The first three are evidence of which cables are missing, too, and pairing.c asks them for that. Holes are not: they
 * follow from the missing cables, and would confirm any of them.
 */
#include "config.h"

#include <stdlib.h>

#include "base/numbers.h"
#include "verify/explain/explain.h"
#include "verify/model/recall.h"

/* From the likeliest port to one surely not meant. RANK_GAP is taken from the top, the others from the bottom. */
enum { RANK_RECALLED, RANK_USUAL, RANK_HOLE, RANK_BETWEEN, RANK_GAP, RANK_BESIDE, RANK_SPARE, RANK_FOREIGN };

/* Where port @number of @observed leads, as far as that is told: to planned switch @peer, or to another one. */
enum use { USE_ELSEWHERE, USE_UNTOLD, USE_HOLE, USE_THERE };

static enum use use_of(const struct ft_model *m, uint32_t observed, uint32_t number, uint32_t peer)
{
	uint32_t hole = m->holes ? m->holes[node_of(m, observed)->first_port + number - 1] : FT_NONE;

	if (ft_port_usual(m, observed, number, peer))
		return USE_THERE;
	if (ft_port_has_use(m, observed, number))
		return USE_ELSEWHERE;
	return hole == FT_NONE ? USE_UNTOLD : hole == peer ? USE_HOLE : USE_ELSEWHERE;
}

/* How likely port @number of @observed, which has no cable, is the one for planned switch @peer. */
static unsigned int port_rank(const struct ft_model *m, const struct ft_port_ranges *r, uint32_t observed,
			      uint32_t number, uint32_t peer)
{
	const struct ft_observed_switch *sw = &m->observed.switches[observed];
	const struct ft_snapshot *s = m->snapshot;
	uint32_t was, far;
	enum use use;

	if (ft_port_map_knows(m, sw->planned))
		return ft_port_usual(m, observed, number, peer) ? RANK_USUAL : RANK_FOREIGN;
	if (ft_recall_port(m, observed, number, &was) != FT_RECALLED_NOTHING) {
		if (was != peer)
			return RANK_FOREIGN;
		/* A cable that has only moved has one end still in its port; of a switch that is gone no port is seen.
		 */
		far = ft_recall_far(m, s->nodes[sw->node].first_port + number - 1);
		return far == FT_NONE || s->ports[far].link != FT_LINK_UP ? RANK_RECALLED : RANK_USUAL;
	}
	use = use_of(m, observed, number, peer);
	if (use != USE_UNTOLD)
		return use == USE_THERE ? RANK_USUAL : use == USE_HOLE ? RANK_HOLE : RANK_FOREIGN;
	/* If the kind or this switch has no pattern, numbers predict nothing: only the last free port does. */
	if (number >= m->habit_ports || !m->regular[sw->kind] || !sw->regular)
		return RANK_SPARE;
	if (ft_port_is_hosts(m, observed, number))
		return RANK_FOREIGN;
	/* Between the tree and switches beside it, ports have no order. */
	if (r->link_low == FT_NONE || ft_is_beside(m, sw->planned) || ft_is_beside(m, peer))
		return RANK_SPARE;
	if (number > r->link_low && number < r->link_high)
		return RANK_BETWEEN;
	/* Hosts below, uplinks above: a port between, or above, belongs to a core that no other cable reaches. */
	if (r->host_low != FT_NONE && r->host_high < r->link_low)
		return number > r->host_high && number < r->link_low ? RANK_GAP
		       : number > r->link_high			     ? RANK_BESIDE
								     : RANK_SPARE;
	if (r->host_low != FT_NONE && r->link_high < r->host_low)
		return number < r->link_low			       ? RANK_BESIDE
		       : number > r->link_high && number < r->host_low ? RANK_GAP
								       : RANK_SPARE;
	return RANK_SPARE;
}

/* True if the port is in state @link and has no finding yet. */
static bool port_waits(const struct ft_model *m, const struct ft_node *node, uint32_t number, enum ft_link link)
{
	uint32_t port = node->first_port + number - 1;

	return m->snapshot->ports[port].link == link && !m->port_claimed[port];
}

/* Adds the ports of one rank, at most @room of them, to @ret_ports. Returns how many there are, which may be more. */
static uint32_t rank_pick(const struct ft_model *m, const struct ft_port_ranges *ranges, uint32_t observed,
			  uint32_t peer, unsigned int rank, enum ft_link link, uint32_t *ret_ports, uint32_t room)
{
	const struct ft_node *node = node_of(m, observed);
	uint32_t count = 0;

	for (uint32_t i = 1; i <= node->port_count; i++) {
		uint32_t number = rank == RANK_GAP ? node->port_count + 1 - i : i;

		if (!port_waits(m, node, number, link) || port_rank(m, ranges, observed, number, peer) != rank)
			continue;
		if (count < room)
			ret_ports[count] = node->first_port + number - 1;
		count++;
	}
	return count;
}

/* The ports of @observed, in any state, that are told to lead to planned switch @peer. */
static uint32_t usual_ports(const struct ft_model *m, uint32_t observed, uint32_t peer)
{
	const struct ft_node *node = node_of(m, observed);
	uint32_t count = 0;

	for (uint32_t n = 1; n <= node->port_count; n++)
		count += use_of(m, observed, n, peer) >= USE_HOLE;
	return count;
}

uint32_t ft_ports_pick(const struct ft_model *m, uint32_t observed, uint32_t peer, uint32_t need, enum ft_link link,
		       uint32_t *ret_ports)
{
	const struct ft_port_ranges *ranges = ft_port_ranges_of(m, observed);
	unsigned int last = usual_ports(m, observed, peer) >= need ? RANK_HOLE : RANK_SPARE;
	uint32_t found = 0;

	/* If the cable's port is known, no other free one is taken. */
	for (unsigned int rank = RANK_RECALLED; rank <= last && found < need; rank++) {
		uint32_t room = need - found;
		uint32_t count = rank_pick(m, ranges, observed, peer, rank, link, ret_ports + found, room);

		/* A gap too small for the bundle consists of spare host ports; several spare ports decide nothing. */
		if ((rank == RANK_GAP && count < room) || (rank == RANK_SPARE && count > room))
			continue;
		found += count < room ? count : room;
	}
	qsort(ret_ports, found, sizeof(*ret_ports), ft_number_compare);
	return found;
}

uint32_t ft_port_home(struct explain *x, uint32_t keep, uint32_t right, uint32_t target)
{
	const struct ft_model *m = x->m;
	uint32_t was = ft_recall_far(m, keep);

	if (was != FT_NONE && m->observed.switch_of_node[m->snapshot->ports[was].node] == m->observed_of[target] &&
	    m->snapshot->ports[was].link == FT_LINK_DOWN && !m->port_claimed[was])
		return was;
	return ft_ports_pick(m, m->observed_of[target], right, 1, FT_LINK_DOWN, x->picked) == 1 ? x->picked[0]
												: FT_NONE;
}

/* True if an action of @f has a cable for that port already. */
static bool port_is_acted_on(const struct ft_model *m, const struct ft_finding *f, uint32_t port)
{
	const struct ft_port *p = &m->chips->ports[ft_port_origin(m, port)];
	uint64_t guid = ft_port_node(m->chips, p)->guid;

	for (size_t i = 0; i < f->action_count; i++) {
		const struct ft_place *ends[2] = {&f->actions[i].a, &f->actions[i].b};

		for (unsigned int n = 0; f->actions[i].act == FT_ACT_CONNECT && n < 2; n++)
			if (ends[n]->guid == guid && ends[n]->port == p->number)
				return true;
	}
	return false;
}

uint32_t ft_port_unacted(struct explain *x, const struct ft_finding *f, uint32_t p, uint32_t q, uint32_t count)
{
	uint32_t found = ft_ports_pick(x->m, x->m->observed_of[p], q, count, FT_LINK_DOWN, x->picked);

	/* Nothing can be plugged into a port of a director's board that was not seen. */
	for (uint32_t i = 0; i < found; i++)
		if (ft_port_origin(x->m, x->picked[i]) != FT_NONE && !port_is_acted_on(x->m, f, x->picked[i]))
			return x->picked[i];
	return FT_NONE;
}

void ft_connect_act(struct explain *x, struct ft_finding *f, uint32_t p, uint32_t q, uint32_t count)
{
	struct ft_model *m = x->m;

	for (uint32_t i = 0; i < count; i++) {
		struct ft_act_end a = {FT_NONE, p}, b = {FT_NONE, q};

		if (m->observed_of[p] != FT_NONE)
			a.port = ft_port_unacted(x, f, p, q, count);
		if (m->observed_of[q] != FT_NONE)
			b.port = ft_port_unacted(x, f, q, p, count);
		ft_finding_act_ends(m, f, FT_ACT_CONNECT, a, b);
	}
}

uint32_t ft_port_opposite(const struct ft_model *m, uint32_t place, uint32_t number)
{
	uint32_t i = ft_port_map_cable(m, place, number), far_number;
	const struct ft_plan_cable *cable;
	const struct ft_node *node;

	if (i == FT_NONE || m->observed_of[ft_port_map_far(m, i, place)] == FT_NONE)
		return FT_NONE;
	cable = &m->plan->cables[i];
	far_number = m->place_of[cable->a] == place ? cable->b_port : cable->a_port;
	node = node_of(m, m->observed_of[ft_port_map_far(m, i, place)]);
	return far_number > 0 && far_number <= node->port_count ? node->first_port + far_number - 1 : FT_NONE;
}

uint32_t ft_port_taken(const struct ft_model *m, uint32_t observed, uint32_t peer)
{
	const struct ft_node *node = node_of(m, observed);

	for (uint32_t n = 1; n <= node->port_count; n++) {
		const struct ft_port *far = ft_port_peer(m->snapshot, ft_node_port(m->snapshot, node, n));
		uint32_t there = far ? m->observed.switch_of_node[far->node] : FT_NONE;

		if (far && ft_port_usual(m, observed, n, peer) &&
		    (there == FT_NONE || m->observed.switches[there].planned != peer))
			return node->first_port + n - 1;
	}
	return FT_NONE;
}

uint32_t ft_usual_ports(const struct ft_model *m, uint32_t observed, uint32_t peer, enum ft_link link, uint32_t votes)
{
	const struct ft_node *node = node_of(m, observed);
	uint32_t count = 0;

	for (uint32_t n = 1; n <= node->port_count; n++)
		count += port_waits(m, node, n, link) && ft_port_votes(m, observed, n, peer) >= votes;
	return count;
}

uint32_t ft_ports_in_state(const struct ft_model *m, uint32_t observed, enum ft_link link, bool hosts)
{
	const struct ft_node *node = node_of(m, observed);
	uint32_t count = 0;

	for (uint32_t n = 1; n <= node->port_count; n++)
		count += port_waits(m, node, n, link) && (hosts || !ft_port_is_hosts(m, observed, n));
	return count;
}
