/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Which port a cable should be in: what its number is used for elsewhere in the tier tells. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "verify/explain.h"
#include "verify/recall.h"

/* From the likeliest port to one surely not meant. RANK_GAP is taken from the top, the others from the bottom. */
enum { RANK_RECALLED, RANK_USUAL, RANK_BETWEEN, RANK_GAP, RANK_BESIDE, RANK_SPARE, RANK_FOREIGN };

/* How likely port @number of @live, which leads nowhere, is the one for planned switch @peer. */
static unsigned int port_rank(const struct ft_model *m, const struct ft_port_ranges *r, uint32_t live, uint32_t number,
			      uint32_t peer)
{
	const struct ft_live_switch *sw = &m->live.switches[live];
	const struct ft_snapshot *s = m->snapshot;
	uint32_t was, far;

	if (ft_exact_knows(m, sw->planned))
		return ft_port_usual(m, live, number, peer) ? RANK_USUAL : RANK_FOREIGN;
	if (ft_recall_port(m, live, number, &was) != FT_RECALLED_NOTHING) {
		if (was != peer)
			return RANK_FOREIGN;
		/* Of a cable that has only moved, one end is still in its port. */
		far = ft_recall_far(m, s->nodes[sw->node].first_port + number - 1);
		return far != FT_NONE && s->ports[far].link != FT_LINK_UP ? RANK_RECALLED : RANK_USUAL;
	}
	/* Wired without a pattern, the tier or this switch, numbers tell nothing: only being the one that is left does.
	 */
	if (number >= m->habit_ports || !m->regular[sw->tier] || !sw->regular)
		return RANK_SPARE;
	if (ft_port_usual(m, live, number, peer))
		return RANK_USUAL;
	if (ft_port_has_use(m, live, number))
		return RANK_FOREIGN;
	if (ft_port_is_hosts(m, live, number))
		return RANK_FOREIGN;
	if (r->link_low == FT_NONE)
		return RANK_SPARE;
	if (number > r->link_low && number < r->link_high)
		return RANK_BETWEEN;
	/* Hosts below, uplinks above: what lies between, or behind, is a core's that nobody reaches any more. */
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

/* True where the port is in state @link and no finding has it yet. */
static bool port_waits(const struct ft_model *m, const struct ft_node *node, uint32_t number, enum ft_link link)
{
	uint32_t port = node->first_port + number - 1;

	return m->snapshot->ports[port].link == link && !m->port_claimed[port];
}

/* Adds the ports of one rank, at most @room of them, to @ret_ports. Returns how many there are, which may be more. */
static uint32_t rank_pick(const struct ft_model *m, const struct ft_port_ranges *ranges, uint32_t live, uint32_t peer,
			  unsigned int rank, enum ft_link link, uint32_t *ret_ports, uint32_t room)
{
	const struct ft_node *node = node_of(m, live);
	uint32_t count = 0;

	for (uint32_t i = 1; i <= node->port_count; i++) {
		uint32_t number = rank == RANK_GAP ? node->port_count + 1 - i : i;

		if (!port_waits(m, node, number, link) || port_rank(m, ranges, live, number, peer) != rank)
			continue;
		if (count < room)
			ret_ports[count] = node->first_port + number - 1;
		count++;
	}
	return count;
}

/*
 * Of @count ports that are as likely, in ascending order, those that are next to each other and just as many as are
 * looked for: cables of a bundle are in adjacent ports, and a longer or shorter gap is another's. There has to be one
 * such run alone. Returns true if they are the first of @ports now.
 */
static bool run_pick(uint32_t *ports, uint32_t count, uint32_t need)
{
	uint32_t best = FT_NONE, runs = 0;

	for (uint32_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && ports[end] == ports[end - 1] + 1;)
			end++;
		if (end - i != need)
			continue;
		best = i;
		runs++;
	}
	if (runs != 1)
		return false;
	memmove(ports, ports + best, need * sizeof(*ports));
	return true;
}

static int number_compare(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The ports of @live, in whatever state, that others use for planned switch @peer. */
static uint32_t usual_ports(const struct ft_model *m, uint32_t live, uint32_t peer)
{
	const struct ft_node *node = node_of(m, live);
	uint32_t count = 0;

	for (uint32_t n = 1; n <= node->port_count; n++)
		count += ft_port_usual(m, live, n, peer);
	return count;
}

uint32_t ft_ports_pick(const struct ft_model *m, uint32_t live, uint32_t peer, uint32_t need, enum ft_link link,
		       uint32_t *ret_ports)
{
	const struct ft_port_ranges *ranges = ft_port_ranges_of(m, live);
	unsigned int last = usual_ports(m, live, peer) >= need ? RANK_USUAL : RANK_SPARE;
	uint32_t found = 0;

	/* Where the port is known that it should be in, another one that happens to be free is not it. */
	for (unsigned int rank = RANK_RECALLED; rank <= last && found < need; rank++) {
		uint32_t room = need - found;
		uint32_t count = rank_pick(m, ranges, live, peer, rank, link, ret_ports + found, room);

		/* Where there is a choice between cables of others, the gap of the right size. */
		if (rank == RANK_BETWEEN && count > room && room > 1 && found == 0) {
			uint32_t all = rank_pick(m, ranges, live, peer, rank, link, ret_ports, m->habit_ports);

			if (!run_pick(ret_ports, all, room))
				rank_pick(m, ranges, live, peer, rank, link, ret_ports, room);
		}

		/* A gap too small for the bundle is spare host ports; spare ports tell nothing if there is a choice. */
		if ((rank == RANK_GAP && count < room) || (rank == RANK_SPARE && count > room))
			continue;
		found += count < room ? count : room;
	}
	qsort(ret_ports, found, sizeof(*ret_ports), number_compare);
	return found;
}

/* True where an action of @f has a cable for that port already. */
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
	uint32_t found = ft_ports_pick(x->m, x->m->live_of[p], q, count, FT_LINK_DOWN, x->picked);

	/* A port of a director's board that was not seen is no place to plug anything into. */
	for (uint32_t i = 0; i < found; i++)
		if (ft_port_origin(x->m, x->picked[i]) != FT_NONE && !port_is_acted_on(x->m, f, x->picked[i]))
			return x->picked[i];
	return FT_NONE;
}

/* The place for the next cable from @p to @q: a port that is free for it, or the switch alone. @name is to be freed. */
static struct ft_place connect_end(struct explain *x, const struct ft_finding *f, uint32_t p, uint32_t q,
				   uint32_t count)
{
	struct ft_model *m = x->m;
	const struct ft_live_switch *sw = ft_live_at(m, p);
	struct ft_place end = {.name = strdup(sw ? sw->name : m->places[p]->name), .guid = sw ? sw->guid : 0};
	uint32_t port = sw ? ft_port_unacted(x, f, p, q, count) : FT_NONE;

	m->failed |= !end.name;
	if (port != FT_NONE) {
		const struct ft_port *origin = &m->chips->ports[ft_port_origin(m, port)];

		end.guid = ft_port_node(m->chips, origin)->guid;
		end.port = origin->number;
	}
	return end;
}

void ft_connect_act(struct explain *x, struct ft_finding *f, uint32_t p, uint32_t q, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct ft_place a = connect_end(x, f, p, q, count), b = connect_end(x, f, q, p, count);

		ft_finding_act(x->m, f, FT_ACT_CONNECT, &a, &b);
		free(a.name);
		free(b.name);
	}
}

uint32_t ft_usual_ports(const struct ft_model *m, uint32_t live, uint32_t peer, enum ft_link link, uint32_t votes)
{
	const struct ft_node *node = node_of(m, live);
	uint32_t count = 0;

	for (uint32_t n = 1; n <= node->port_count; n++)
		count += port_waits(m, node, n, link) && ft_port_votes(m, live, n, peer) >= votes;
	return count;
}

uint32_t ft_uplinks_in_state(const struct ft_model *m, uint32_t live, enum ft_link link)
{
	const struct ft_node *node = node_of(m, live);
	uint32_t count = 0;

	for (uint32_t n = 1; n <= node->port_count; n++)
		count += port_waits(m, node, n, link) && !ft_port_is_hosts(m, live, n);
	return count;
}

uint32_t ft_ports_in_state(const struct ft_model *m, uint32_t live, enum ft_link link)
{
	const struct ft_node *node = node_of(m, live);
	uint32_t count = 0;

	for (uint32_t n = 1; n <= node->port_count; n++)
		count += port_waits(m, node, n, link);
	return count;
}
