/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Identifies switches by port numbers: they distinguish the equal edges, spines and cores even if none is bound.
 *
 * Planned cables are grouped by their two port numbers, by counting sort. Each observed cable shares its vote equally
 * among the planned switches that have a cable of the same numbers; one that more than SHARES_MAX have says too little
 * to count. Cost: O(planned cables), then O(cables * SHARES_MAX) at most for each switch.
 */
#include "config.h"

#include <errno.h>

#include "verify/match/match.h"

/* A cable with more candidates than this has no votes. */
enum { SHARES_MAX = 128 };

/* The index of the planned cables with these two port numbers. */
static uint32_t key_of(const struct ft_port_map *e, uint32_t a_port, uint32_t b_port)
{
	return a_port * (e->b_ports + 1) + b_port;
}

/* The highest port numbers; false if there are too many combinations, or none. */
static bool keys_measure(struct ft_model *m)
{
	enum { KEYS_MAX = 1 << 22 };
	struct ft_port_map *e = &m->port_map;

	for (uint32_t i = 0; i < m->plan->cable_count; i++) {
		const struct ft_plan_cable *c = &m->plan->cables[i];

		e->a_ports = c->a_port > e->a_ports ? c->a_port : e->a_ports;
		e->b_ports = c->b_port > e->b_ports ? c->b_port : e->b_ports;
	}
	return (uint64_t)(e->a_ports + 1) * (e->b_ports + 1) < KEYS_MAX;
}

/* Groups the planned cables with both ports given by these. */
static int keys_init(struct ft_model *m)
{
	struct ft_port_map *e = &m->port_map;
	uint32_t count;

	if (!keys_measure(m))
		return 0;
	count = key_of(e, e->a_ports, e->b_ports) + 1;
	e->key = ft_arena_zeros(&m->memory, count + 2UL, sizeof(*e->key));
	e->by_a = ft_arena_zeros(&m->memory, m->plan->cable_count, sizeof(*e->by_a));
	e->by_b = ft_arena_zeros(&m->memory, m->plan->cable_count, sizeof(*e->by_b));
	if (m->memory.failed)
		return -ENOMEM;
	for (unsigned int pass = 0; pass < 2; pass++) {
		/*
		 * Counting sort, two indices further on: counts, then insert positions, which end as the next key's
		 * start.
		 */
		for (uint32_t k = 0; pass == 1 && k < count; k++)
			e->key[k + 1] += e->key[k];
		for (uint32_t i = 0; i < m->plan->cable_count; i++) {
			const struct ft_plan_cable *c = &m->plan->cables[i];
			uint32_t k = key_of(e, c->a_port, c->b_port), at;

			if (c->a_port == 0 || c->b_port == 0)
				continue;
			if (pass == 0) {
				e->key[k + 2]++;
				continue;
			}
			at = e->key[k + 1]++;
			e->by_a[at] = m->place_of[c->a];
			e->by_b[at] = m->place_of[c->b];
		}
	}
	return 0;
}

int ft_port_map_votes_init(struct ft_model *m)
{
	int r = 0;

	if (m->plan->cable_count + m->plan->host_count == 0)
		return 0;
	m->port_map.votes = ft_arena_zeros(&m->memory, m->place_count, sizeof(*m->port_map.votes));
	if (!m->port_map.votes)
		return -ENOMEM;
	r = keys_init(m);
	return r == 0 && m->plan->host_count > 0 ? ft_port_map_homes(m) : r;
}

/* Planned cables with two port numbers: the places of one of their ends. */
struct shares {
	const uint32_t *places;
	uint32_t count, each; /* how many, and the votes for each */
};

/* The places that the near switch may have by its cable, as its lower end or as its upper one. */
static struct shares shares_of(const struct ft_model *m, const struct ft_cable_end *end, bool lower)
{
	uint32_t near = ft_port_number(m, end->port), far = ft_port_number(m, end->far_port);
	uint32_t a_port = lower ? near : far, b_port = lower ? far : near;
	const struct ft_port_map *e = &m->port_map;
	uint32_t k, count;

	if (end->far == end->near || !e->key || a_port > e->a_ports || b_port > e->b_ports ||
	    ft_port_is_unseated(m, end->port) || ft_port_is_unseated(m, end->far_port))
		return (struct shares){NULL, 0, 0};
	k = key_of(e, a_port, b_port);
	count = e->key[k + 1] - e->key[k];
	if (count == 0 || count > SHARES_MAX)
		return (struct shares){NULL, 0, 0};
	return (struct shares){(lower ? e->by_a : e->by_b) + e->key[k], count, FT_PORT_MAP_VOTE / count};
}

/* Places of other tiers may get votes, too: the caller considers only the tiers in question. */
static void votes_add(const struct ft_model *m, uint32_t observed, uint32_t first, uint32_t count)
{
	const struct ft_observed_switch *sw = &m->observed.switches[observed];
	uint32_t *votes = m->port_map.votes;

	for (uint32_t n = 0; n < 2 * sw->cable_count; n++) {
		struct shares s = shares_of(m, &ft_ends_of(m, observed)[n / 2], n % 2);

		for (uint32_t i = 0; i < s.count; i++)
			if (s.places[i] >= first && s.places[i] - first < count)
				votes[s.places[i]] += s.each;
	}
	for (uint32_t i = sw->first_host; m->port_map.home && i < sw->end_host; i++)
		if (m->port_map.home[i] != FT_NONE && m->port_map.home[i] >= first &&
		    m->port_map.home[i] - first < count)
			votes[m->port_map.home[i]] += FT_PORT_MAP_VOTE;
}

uint32_t ft_port_map_vote_best(struct ft_model *m, uint32_t observed, uint32_t first, uint32_t count)
{
	uint32_t *votes = m->port_map.votes, best = FT_NONE, most = 0;

	if (!votes)
		return FT_NONE;
	votes_add(m, observed, first, count);
	for (uint32_t p = first; p < first + count; p++) {
		if (m->observed_of[p] == FT_NONE && votes[p] > 0 && votes[p] >= most) {
			best = votes[p] == most ? FT_NONE : p;
			most = votes[p];
		}
		votes[p] = 0;
	}
	return best;
}
