/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The ports of directors that were seen, for cables and traces whose port is not given. */
#include "config.h"

#include "verify/repair/what_if_parts.h"

static const struct ft_director *director_of(const struct ft_what_if *w, uint32_t index)
{
	uint32_t observed = w->m->observed_of[w->m->place_of[index]];

	return w->m->origin && observed != FT_NONE ? ft_director_of(w->m, observed) : NULL;
}

bool ft_what_if_has_chips(const struct ft_what_if *w, uint32_t index)
{
	return director_of(w, index) != NULL;
}

uint32_t ft_what_if_director(const struct ft_what_if *w, uint64_t guid)
{
	for (uint32_t i = 0; i < w->plan->switch_count; i++) {
		const struct ft_director *d = director_of(w, i);

		if (d && d->guid == guid)
			return i;
	}
	return FT_NONE;
}

/*
 * The observed use of ports of that number on line chips of the same director: above 0 more often for cables, below 0
 * more often for traces. Directors of one tier may differ in that.
 */
static int port_votes(const struct ft_what_if *w, const struct ft_chip *like, uint32_t number)
{
	const struct ft_director *d = &w->m->chassis->directors[like->director];
	const struct ft_snapshot *s = w->m->chips;
	int votes = 0;

	for (uint32_t i = d->first; i < d->first + d->count; i++) {
		const struct ft_chip *chip = &w->m->chassis->chips[i];
		const struct ft_port *port = ft_node_port(s, &s->nodes[chip->node], number);

		if (chip->line && chip->chip == like->chip && port && port->peer != FT_NONE)
			votes += ft_trace_far(w->m->chassis, (uint32_t)(port - s->ports)) ? -1 : 1;
	}
	return votes;
}

/* Whether a cable can be plugged into that port of a chip: 0 no, 1 possibly, 2 yes. */
static unsigned int outer_rank(const struct ft_what_if *w, uint32_t port)
{
	const struct ft_chip *chip = ft_chip_of(w->m->chassis, w->m->chips->ports[port].node);
	bool outer = chip->line && w->m->chassis->whole_port[port] != FT_NONE;
	int votes = outer ? port_votes(w, chip, w->m->chips->ports[port].number) : -1;

	return votes < 0 ? 0 : votes == 0 ? 1 : 2;
}

/* True if there is a cable in outer port @n of a director (from 0), and it is on the same chip as port @beside. */
static bool is_cabled_beside(const struct ft_what_if *w, const uint32_t *ports, uint32_t n, uint32_t beside)
{
	return ports[n] != FT_NONE && w->draft.s.ports[ports[n]].peer != FT_NONE &&
	       w->draft.s.ports[ports[n]].node == w->draft.s.ports[ports[beside]].node;
}

/*
 * How well outer port @n of a director (from 0, of @count) serves for a cable: 3 if it is between cabled ones of its
 * chip, as ports that cables were pulled from are; else as outer_rank().
 */
static unsigned int outer_order(const struct ft_what_if *w, const uint32_t *ports, uint32_t n, uint32_t count)
{
	unsigned int rank = outer_rank(w, ports[n]);

	return rank > 0 && n > 0 && n + 1 < count && is_cabled_beside(w, ports, n - 1, n) &&
			       is_cabled_beside(w, ports, n + 1, n)
		       ? 3
		       : rank;
}

static bool port_is_named(const struct ft_what_if *w, const struct ft_finding *because, uint32_t port)
{
	for (size_t i = 0; i < because->where_count; i++)
		if (ft_what_if_port(w, &because->where[i]) == port)
			return true;
	return false;
}

uint32_t ft_what_if_outer_port(const struct ft_what_if *w, uint32_t index, uint32_t planned,
			       const struct ft_finding *because)
{
	const struct ft_node *node = &w->m->snapshot->nodes[director_of(w, index)->node];
	const uint32_t *ports = w->m->origin + node->first_port;

	if (planned > 0 && planned <= node->port_count && ports[planned - 1] != FT_NONE &&
	    w->draft.s.ports[ports[planned - 1]].peer == FT_NONE)
		return ports[planned - 1];
	/* Named ports before others, and certain outer ports before possible ones. */
	for (unsigned int pass = because ? 0 : 3; pass < 6; pass++)
		for (uint32_t n = 0; n < node->port_count; n++)
			if (ports[n] != FT_NONE && ft_what_if_is_free(w, ports[n]) &&
			    (pass >= 3 || port_is_named(w, because, ports[n])) &&
			    outer_order(w, ports, n, node->port_count) == 3 - pass % 3)
				return ports[n];
	return FT_NONE;
}

uint32_t ft_what_if_trace_port(const struct ft_what_if *w, uint32_t node)
{
	const struct ft_snapshot *s = w->m->chips;

	if (!w->m->origin || node >= s->node_count || !ft_chip_of(w->m->chassis, node))
		return FT_NONE;
	for (uint32_t port = s->nodes[node].first_port; port < s->nodes[node].first_port + s->nodes[node].port_count;
	     port++)
		if (ft_what_if_is_free(w, port) && outer_rank(w, port) < 2)
			return port;
	return FT_NONE;
}
