/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Planned and observed cables as a graph over ports, without the cables that are as planned.
 *
 * Invariant: mate and far are each their own inverse, and no pair of ports is both. Cables whose planned port is not
 * given take ports that the plan gives to none: those that are as planned first. Cost: O(ports + cables), and O(cables
 * of a switch) for each cable without ports.
 */
#include "config.h"

#include <errno.h>

#include "verify/explain/residual.h"

static int residual_alloc(struct ft_residual *g, struct explain *x, size_t unknown)
{
	struct ft_model *m = x->m;
	size_t size = m->snapshot->port_count + unknown + 1;
	struct ft_arena *a = &g->memory;

	g->x = x;
	g->m = m;
	g->ports = g->count = m->snapshot->port_count;
	g->size = (uint32_t)size;
	g->mate = ft_arena_numbers(a, size, FT_NONE);
	g->planned = ft_arena_numbers(a, size, FT_NONE);
	g->far = ft_arena_numbers(a, size, FT_NONE);
	g->seen = ft_arena_numbers(a, size, FT_NONE);
	g->guest = ft_arena_numbers(a, size, FT_NONE);
	g->place = ft_arena_numbers(a, size, FT_NONE);
	g->held = ft_arena_zeros(a, size, sizeof(*g->held));
	g->done = ft_arena_zeros(a, size, sizeof(*g->done));
	g->path = ft_arena_zeros(a, size, sizeof(*g->path));
	g->lacking = ft_arena_zeros(a, m->cells.count + 1UL, sizeof(*g->lacking));
	return a->failed ? -ENOMEM : 0;
}

struct ft_residual *ft_residual_plain(struct explain *x)
{
	uint32_t most = 1;

	if (x->plain)
		return x->plain;
	x->plain = ft_arena_zeros(&x->memory, 1, sizeof(*x->plain));
	for (uint32_t i = 0; i < x->m->cells.count; i++)
		most = x->m->cells.width[i] > most ? x->m->cells.width[i] : most;
	if (!x->plain || residual_alloc(x->plain, x, 2UL * most) < 0)
		return NULL;
	return x->plain;
}

uint32_t ft_residual_port(struct ft_residual *g, uint32_t port, uint32_t place)
{
	if (port == FT_NONE) {
		g->count = g->count + 1 < g->size ? g->count : g->ports;
		port = g->count++;
	}
	g->place[port] = place;
	return port;
}

static uint32_t place_of_observed(const struct ft_residual *g, uint32_t observed)
{
	return g->m->observed.switches[observed].planned;
}

static void seen_set(struct ft_residual *g, uint32_t a, uint32_t b, uint32_t which)
{
	g->far[a] = b;
	g->far[b] = a;
	g->seen[a] = g->seen[b] = which;
}

/* Cables between planned switches, and what else is plugged into these. */
static void cables_seen(struct ft_residual *g)
{
	const struct ft_model *m = g->m;

	for (uint32_t i = 0; i < m->observed.cable_count; i++) {
		const struct ft_observed_cable *c = &m->observed.cables[i];
		uint32_t a = place_of_observed(g, c->a), b = place_of_observed(g, c->b);

		g->place[c->a_port] = a;
		g->place[c->b_port] = b;
		/* Plans without ports are judged by number. */
		if (m->plan->cable_count == 0)
			continue;
		if (a != FT_NONE && b != FT_NONE && c->a_port != c->b_port)
			seen_set(g, c->a_port, c->b_port, i);
		else
			g->held[c->a_port] = g->held[c->b_port] = true;
	}
}

static void hosts_seen(struct ft_residual *g)
{
	const struct ft_model *m = g->m;

	for (uint32_t i = 0; i < m->observed.host_count; i++) {
		const struct ft_observed_host *host = &m->observed.hosts[i];

		if (place_of_observed(g, host->observed) == FT_NONE)
			continue;
		g->place[host->switch_port] = place_of_observed(g, host->observed);
		if (m->port_map.listed && m->port_map.listed[i] != FT_NONE)
			seen_set(g, host->switch_port, host->port, m->observed.cable_count + i);
		else
			g->guest[host->switch_port] = i;
	}
}

/* The vertex of port @number of the switch in @place, which was seen. */
static uint32_t vertex_of(struct ft_residual *g, uint32_t place, uint32_t number)
{
	const struct ft_node *node = node_of(g->m, g->m->observed_of[place]);
	uint32_t v = number > 0 && number <= node->port_count ? node->first_port + number - 1 : g->count;

	if (v < g->ports && g->mate[v] != FT_NONE)
		v = g->count;
	if (v == g->count)
		g->count++;
	g->place[v] = place;
	return v;
}

static void planned_set(struct ft_residual *g, uint32_t a, uint32_t b, uint32_t which)
{
	g->mate[a] = b;
	g->mate[b] = a;
	g->planned[a] = g->planned[b] = which;
}

/*
 * True if cable @i is not to be judged: a switch or board of it was not seen or is cut off, and that finding has taken
 * the missing cable of the pair.
 */
static bool cable_is_excused(const struct ft_residual *g, uint32_t i, uint32_t a, uint32_t b)
{
	return g->m->port_map.gone[i] || g->m->observed_of[a] == FT_NONE || g->m->observed_of[b] == FT_NONE ||
	       *missing_at(g->x, a, b) == 0;
}

static void match_clear(struct ft_residual *g, uint32_t a)
{
	uint32_t b = g->far[a];

	g->far[a] = g->far[b] = FT_NONE;
	if (g->mate[a] != FT_NONE)
		g->mate[g->mate[a]] = FT_NONE;
	g->mate[a] = FT_NONE;
}

static void cable_match(struct ft_residual *g, uint32_t a)
{
	match_clear(g, a);
	g->matched++;
}

static void cables_planned(struct ft_residual *g)
{
	const struct ft_model *m = g->m;

	for (uint32_t i = 0; i < m->plan->cable_count; i++) {
		const struct ft_plan_cable *c = &m->plan->cables[i];
		uint32_t a = m->place_of[c->a], b = m->place_of[c->b], va, vb;

		if (c->a_port == 0 || c->b_port == 0 || cable_is_excused(g, i, a, b))
			continue;
		va = vertex_of(g, a, c->a_port);
		vb = vertex_of(g, b, c->b_port);
		planned_set(g, va, vb, i);
		if (g->far[va] == vb)
			cable_match(g, va);
	}
}

/* ---- planned cables with unknown ports ---- */

/* True if @v may be that end: the planned port or, if none is given, one that the plan gives to no cable. */
static bool end_fits(const struct ft_residual *g, uint32_t place, uint32_t number, uint32_t v)
{
	uint32_t actual = ft_port_number(g->m, v);

	return number ? actual == number : ft_port_map_cable(g->m, place, actual) == FT_NONE;
}

/* One end of an observed cable that may be planned cable @c, or FT_NONE. */
static uint32_t loose_find(const struct ft_residual *g, const struct ft_plan_cable *c)
{
	const struct ft_model *m = g->m;
	uint32_t a = m->place_of[c->a], b = m->place_of[c->b], observed = m->observed_of[a];

	ft_each_end(end, m, observed) {
		uint32_t far = g->far[end->port];

		if (far != FT_NONE && g->place[far] == b && end_fits(g, a, c->a_port, end->port) &&
		    end_fits(g, b, c->b_port, far))
			return end->port;
	}
	return FT_NONE;
}

/* A vertex for an end in any port: one with a cable that is not planned, or else an unknown one. */
static uint32_t loose_vertex(struct ft_residual *g, uint32_t place, uint32_t number)
{
	const struct ft_model *m = g->m;
	uint32_t observed = m->observed_of[place];

	ft_each_end(end, m, observed)
		if (number == 0 && g->far[end->port] != FT_NONE && g->mate[end->port] == FT_NONE &&
		    end_fits(g, place, 0, end->port))
			return end->port;
	return vertex_of(g, place, number);
}

static bool cable_is_loose(const struct ft_plan_cable *c)
{
	return c->a_port == 0 || c->b_port == 0;
}

/* Cables as planned first, so that they are not taken for others; those with one port before those without. */
static void loose_planned(struct ft_residual *g)
{
	const struct ft_model *m = g->m;
	uint32_t *left = g->path, left_count = 0;

	for (unsigned int pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < m->plan->cable_count; i++) {
			const struct ft_plan_cable *c = &m->plan->cables[i];
			uint32_t v;

			if (!cable_is_loose(c) || (c->a_port == 0 && c->b_port == 0) != (pass == 1) ||
			    cable_is_excused(g, i, m->place_of[c->a], m->place_of[c->b]))
				continue;
			v = loose_find(g, c);
			if (v != FT_NONE)
				cable_match(g, v);
			else
				left[left_count++] = i;
		}
	for (uint32_t n = 0; n < left_count; n++) {
		const struct ft_plan_cable *c = &m->plan->cables[left[n]];
		uint32_t a = loose_vertex(g, m->place_of[c->a], c->a_port);
		uint32_t b = loose_vertex(g, m->place_of[c->b], c->b_port);

		/* Both ends of one observed cable would be a cable in its place. */
		if (g->far[a] == b)
			cable_match(g, a);
		else
			planned_set(g, a, b, left[n]);
	}
}

/* ---- listed hosts ---- */

/* The listing of observed host @i, if it can be judged. */
static const struct ft_plan_host *listing_of(const struct ft_residual *g, uint32_t i)
{
	const struct ft_model *m = g->m;
	uint32_t listed = m->port_map.listed[i];

	if (listed == FT_NONE || place_of_observed(g, m->observed.hosts[i].observed) == FT_NONE ||
	    m->observed_of[m->place_of[m->plan->hosts[listed].edge]] == FT_NONE)
		return NULL;
	return &m->plan->hosts[listed];
}

/* Hosts with given ports, and hosts without ports that are on the right edge. */
static void hosts_planned(struct ft_residual *g)
{
	const struct ft_model *m = g->m;

	for (uint32_t i = 0; i < m->observed.host_count; i++) {
		const struct ft_plan_host *h = listing_of(g, i);
		uint32_t v = m->observed.hosts[i].port, sw = m->observed.hosts[i].switch_port, place, to;

		/* A host that cannot be judged counts as unlisted. */
		if (!h) {
			if (g->far[v] != FT_NONE) {
				g->far[v] = g->far[sw] = FT_NONE;
				g->guest[sw] = i;
			}
			continue;
		}
		place = m->place_of[h->edge];
		if (h->port == 0 && g->place[sw] == place && g->mate[sw] == FT_NONE &&
		    ft_port_map_cable(m, place, ft_port_number(m, sw)) == FT_NONE) {
			match_clear(g, v);
			continue;
		}
		if (h->port == 0)
			continue;
		to = vertex_of(g, place, h->port);
		planned_set(g, v, to, m->plan->cable_count + m->port_map.listed[i]);
		if (g->far[v] == to)
			match_clear(g, v);
	}
}

/* A key of the edge that a listed host is on, and the one where it belongs. */
static uint64_t way_key(uint32_t from, uint32_t to)
{
	return ((uint64_t)from << 32) | to;
}

/* True if another listed host may take the port of this one, which has to leave it. */
static bool port_is_left(const struct ft_residual *g, const struct ft_observed_host *host)
{
	return g->mate[host->port] == FT_NONE && g->mate[host->switch_port] == FT_NONE;
}

/*
 * A host that belongs on any port of another edge takes the port of a host that has to leave that edge: preferably of
 * one that goes the other way, which makes it an exchange.
 */
static int hosts_exchange(struct ft_residual *g, const uint32_t *wait, uint32_t count)
{
	const struct ft_model *m = g->m;
	_cleanup_(ft_map_release) struct ft_map ways = {0};

	for (uint32_t n = 0; n < count; n++) {
		const struct ft_observed_host *host = &m->observed.hosts[wait[n]], *other;
		uint32_t to = m->place_of[m->plan->hosts[m->port_map.listed[wait[n]]].edge], way;
		int r;

		if (!port_is_left(g, host))
			continue;
		way = ft_map_get(&ways, way_key(to, g->place[host->switch_port]));
		other = way == FT_NONE ? NULL : &m->observed.hosts[way];
		if (other && port_is_left(g, other)) {
			planned_set(g, host->port, other->switch_port,
				    m->plan->cable_count + m->port_map.listed[wait[n]]);
			planned_set(g, other->port, host->switch_port, m->plan->cable_count + m->port_map.listed[way]);
			continue;
		}
		r = ft_map_add(&ways, way_key(g->place[host->switch_port], to), wait[n], NULL);
		if (r < 0)
			return r;
	}
	return 0;
}

/* A port of edge @place for a host: one that a listed host has to leave, one that is down, or an unknown one. */
static uint32_t host_vertex(struct ft_residual *g, uint32_t place)
{
	const struct ft_model *m = g->m;
	const struct ft_node *node = node_of(m, m->observed_of[place]);
	uint32_t dark = FT_NONE;

	for (uint32_t n = 1; n <= node->port_count; n++) {
		uint32_t v = node->first_port + n - 1;

		if (g->mate[v] != FT_NONE || ft_port_map_cable(m, place, n) != FT_NONE)
			continue;
		if (g->far[v] != FT_NONE && g->seen[v] >= m->observed.cable_count)
			return v;
		if (dark == FT_NONE && m->snapshot->ports[v].link == FT_LINK_DOWN)
			dark = v;
	}
	if (dark != FT_NONE) {
		g->place[dark] = place;
		return dark;
	}
	return vertex_of(g, place, 0);
}

static int hosts_loose(struct ft_residual *g)
{
	const struct ft_model *m = g->m;
	uint32_t *wait = g->path, count = 0;
	int r;

	for (uint32_t i = 0; i < m->observed.host_count; i++) {
		const struct ft_plan_host *h = listing_of(g, i);

		if (h && h->port == 0 && g->far[m->observed.hosts[i].port] != FT_NONE)
			wait[count++] = i;
	}
	r = hosts_exchange(g, wait, count);
	for (uint32_t n = 0; r == 0 && n < count; n++) {
		uint32_t v = m->observed.hosts[wait[n]].port, listed = m->port_map.listed[wait[n]];

		if (g->mate[v] == FT_NONE)
			planned_set(g, v, host_vertex(g, m->place_of[m->plan->hosts[listed].edge]),
				    m->plan->cable_count + listed);
	}
	return r;
}

int ft_residual_make(struct ft_residual *g, struct explain *x)
{
	int r = residual_alloc(g, x, 2UL * x->m->plan->cable_count + x->m->plan->host_count);

	if (r < 0)
		return r;
	cables_seen(g);
	hosts_seen(g);
	cables_planned(g);
	loose_planned(g);
	if (!g->m->port_map.listed)
		return 0;
	hosts_planned(g);
	return hosts_loose(g);
}
