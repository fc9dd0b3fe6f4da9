/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * What port numbers are used for. People wire by rule: port 19 of every edge goes to the first core. So what the others
 * of a tier do with a port tells which port a missing cable belongs in, and which end of a stray one is right.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "verify/recall.h"

/* The first place that is wired like @place. Edges are places 0 and up. */
static uint32_t place_like(const struct ft_model *m, uint32_t place)
{
	uint32_t like = place < m->rows ? m->edges : m->rows;

	if (place < m->edges)
		return 0;
	while (ft_tier_of(m, like) != ft_tier_of(m, place) || m->typical[like] != m->typical[place])
		like++;
	return like;
}

static void tree_groups(struct ft_model *m)
{
	m->group_count = 1;
	for (uint32_t p = m->edges; p < m->place_count; p++) {
		uint32_t like = place_like(m, p);

		m->group[p] = like < p ? m->group[like] : m->group_count++;
	}
}

/* In a plan that is general those are wired alike that are of one kind, and have as many cables to as many others. */
static int general_groups(struct ft_model *m)
{
	_cleanup_(ft_map_release) struct ft_map groups = {0};

	for (uint32_t p = 0; p < m->place_count; p++) {
		uint64_t cables = 0, peers = 0;
		int r;

		for (const struct ft_pair *pair = ft_pairs_of(m, p); pair < ft_pairs_of(m, p + 1); pair++) {
			cables += m->cells.width[pair->cell];
			peers += m->cells.width[pair->cell] > 0;
		}
		r = ft_map_add(&groups,
			       (uint64_t)m->places[p]->kind << 40 | (cables & 0xfffff) << 20 | (peers & 0xfffff),
			       m->group_count, &m->group[p]);
		if (r < 0)
			return r;
		m->group_count += r > 0;
	}
	m->group_count += m->group_count == 0;
	return 0;
}

int ft_habits_init(struct ft_model *m)
{
	size_t count;
	int r = 0;

	m->group = calloc(m->place_count + 1UL, sizeof(*m->group));
	if (!m->group)
		return -ENOMEM;
	if (m->plan->general)
		r = general_groups(m);
	else
		tree_groups(m);
	if (r < 0)
		return r;
	m->habit_ports = 256;
	for (uint32_t i = 0; i < m->live.switch_count; i++) {
		uint32_t ports = m->snapshot->nodes[m->live.switches[i].node].port_count;

		m->habit_ports = ports >= m->habit_ports ? ports + 1 : m->habit_ports;
	}
	count = (size_t)m->group_count * m->habit_ports;
	m->habits = calloc(count, sizeof(*m->habits));
	m->ranges = calloc(m->group_count, sizeof(*m->ranges));
	if (!m->habits || !m->ranges)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		m->habits[i].peer = FT_NONE;
	return 0;
}

/* The habits that the switch of place @planned shares. */
static struct ft_port_habit *habits_of_planned(const struct ft_model *m, uint32_t planned)
{
	return m->habits + (size_t)m->group[planned] * m->habit_ports;
}

/* Where a switch has no place, the habits of the first one of its tier are as good as any. */
const struct ft_port_habit *ft_habits_of(const struct ft_model *m, uint32_t live)
{
	const struct ft_live_switch *sw = &m->live.switches[live];

	if (sw->planned != FT_NONE)
		return habits_of_planned(m, sw->planned);
	for (uint32_t p = sw->tier == FT_TIER_EDGE ? m->place_count : m->edges; p < m->place_count; p++)
		if (ft_tier_of(m, p) == sw->tier)
			return habits_of_planned(m, p);
	return m->habits;
}

/*
 * What @peer is to the switch of place @here, so that all that are wired alike can be compared. In two levels they
 * share their peers. In three, port 19 of every edge goes to the first spine of its own pod, and port 1 of every core
 * to a spine of the first pod. Whoever the plan has no cable to is nothing that others have as well.
 */
enum { ROLE_UP = 1U << 31, ROLE_FOREIGN = UINT32_MAX - 1, ROLES_MAX = 4096 };

/* In a plan that is general: which one of those of its group that @here is cabled to, in the order of their places. */
static uint32_t general_role_of(const struct ft_model *m, uint32_t here, uint32_t peer)
{
	uint32_t ordinal = 0;

	if (ft_width_at(m, here, peer) == 0)
		return ROLE_FOREIGN;
	for (const struct ft_pair *pair = ft_pairs_of(m, here); pair < ft_pairs_of(m, here + 1) && pair->peer < peer;
	     pair++)
		ordinal += m->cells.width[pair->cell] > 0 && m->group[pair->peer] == m->group[peer];
	return m->group[peer] * ROLES_MAX + ordinal % ROLES_MAX;
}

static uint32_t role_of(const struct ft_model *m, uint32_t here, uint32_t peer)
{
	const struct ft_plan_switch *sw = m->places[peer];

	if (m->plan->general)
		return general_role_of(m, here, peer);
	if (m->plan->levels < 3)
		return peer;
	if (ft_width_at(m, here, peer) == 0)
		return ROLE_FOREIGN;
	switch (ft_tier_of(m, here)) {
	case FT_TIER_EDGE:
		return sw->plane;
	case FT_TIER_SPINE:
		return sw->tier == FT_TIER_CORE ? ROLE_UP | sw->place : sw->place;
	default:
		return sw->pod;
	}
}

static void habit_count(struct ft_model *m, bool first_pass)
{
	for (uint32_t i = 0; i < 2 * m->live.cable_count; i++) {
		const struct ft_live_cable *cable = &m->live.cables[i / 2];
		uint32_t near = i % 2 ? cable->b : cable->a, far = ft_cable_far(cable, near);
		uint32_t port = i % 2 ? cable->b_port : cable->a_port;
		uint32_t here = m->live.switches[near].planned, peer = m->live.switches[far].planned;
		struct ft_port_habit *habit;

		if (here == FT_NONE || peer == FT_NONE || near == far)
			continue;
		peer = role_of(m, here, peer);
		habit = &habits_of_planned(m, here)[ft_port_number(m, port)];
		if (!first_pass) {
			habit->votes += habit->peer == peer;
			continue;
		}
		/* Majority vote (Boyer and Moore): the peer that more than half go to, if there is one. */
		habit->links++;
		if (habit->votes == 0)
			habit->peer = peer;
		habit->votes += habit->peer == peer ? 1U : -1U;
	}
}

static void habits_count(struct ft_model *m)
{
	habit_count(m, true);
	for (size_t i = 0; i < (size_t)m->group_count * m->habit_ports; i++)
		m->habits[i].votes = 0;
	habit_count(m, false);
	for (uint32_t i = 0; i < m->live.host_count; i++) {
		const struct ft_live_host *host = &m->live.hosts[i];
		uint32_t planned = m->live.switches[host->live].planned;

		if (planned != FT_NONE)
			habits_of_planned(m, planned)[ft_port_number(m, host->switch_port)].hosts++;
	}
}

/* The role of the planned switch that port @port_number of @live, which has a place, leads to, or FT_NONE. */
static uint32_t role_of_port(const struct ft_model *m, uint32_t live, uint32_t port_number)
{
	const struct ft_snapshot *s = m->snapshot;
	const struct ft_port *port = ft_node_port(s, &s->nodes[m->live.switches[live].node], port_number);
	const struct ft_port *peer = port ? ft_port_peer(s, port) : NULL;
	uint32_t far = peer ? m->live.switch_of_node[peer->node] : FT_NONE;

	if (far == FT_NONE || far == live || m->live.switches[far].planned == FT_NONE)
		return FT_NONE;
	return role_of(m, m->live.switches[live].planned, m->live.switches[far].planned);
}

/*
 * What the other switches like @live say of a port number: in @ret_role what more than half of them use it for, and how
 * many do. Returns false where there is none.
 */
static bool habit_without(const struct ft_model *m, uint32_t live, uint32_t port_number, uint32_t *ret_role,
			  uint32_t *ret_votes)
{
	const struct ft_port_habit *habit = &ft_habits_of(m, live)[port_number];
	uint32_t own = role_of_port(m, live, port_number);
	uint32_t votes = habit->votes - (own != FT_NONE && own == habit->peer), links = habit->links - (own != FT_NONE);

	*ret_votes = votes;
	*ret_role = habit->peer;
	return votes > 0 && votes * 2 > links && habit->peer != ROLE_FOREIGN;
}

/* True where a port of this number leads to a switch on any other switch like @live. */
static bool others_link(const struct ft_model *m, uint32_t live, uint32_t port_number)
{
	/* @live's own cable in it is one of those counted. */
	return ft_habits_of(m, live)[port_number].links > 1;
}

/* How far port numbers foretell where the cables of a switch go: what others do with the port is what it does. */
static void regularity_count(const struct ft_model *m, uint32_t live, uint32_t *told, uint32_t *right)
{
	const struct ft_live_switch *sw = &m->live.switches[live];

	for (uint32_t i = 0; i < sw->cable_count; i++) {
		const struct ft_live_cable *cable = &m->live.cables[m->live.at[sw->first_cable + i]];
		uint32_t number = ft_port_number(m, ft_cable_port(cable, live)), role, votes;
		uint32_t there = m->live.switches[ft_cable_far(cable, live)].planned;
		bool agree;

		if (there == FT_NONE || cable->a == cable->b || number >= m->habit_ports)
			continue;
		agree = habit_without(m, live, number, &role, &votes);
		*told += others_link(m, live, number);
		*right += agree && role == role_of(m, sw->planned, there);
	}
}

/*
 * A tier is wired by a pattern if its port numbers foretell where most cables go; a switch of it, if all but a few of
 * its own do. Else port numbers that agree do so by chance, and prove nothing.
 */
static void regularity_learn(struct ft_model *m)
{
	enum { DEVIATIONS = 2 };
	uint32_t told[FT_TIER_COUNT] = {0}, right[FT_TIER_COUNT] = {0};

	for (uint32_t i = 0; i < m->live.switch_count; i++) {
		struct ft_live_switch *sw = &m->live.switches[i];
		uint32_t own_told = 0, own_right = 0;

		if (sw->planned == FT_NONE)
			continue;
		regularity_count(m, i, &own_told, &own_right);
		sw->regular = own_told - own_right <= DEVIATIONS || own_right * 20 >= own_told * 17;
		told[ft_tier_of(m, sw->planned)] += own_told;
		right[ft_tier_of(m, sw->planned)] += own_right;
	}
	for (unsigned int tier = 0; tier < FT_TIER_COUNT; tier++)
		m->regular[tier] = told[tier] > 0 && right[tier] * 20 >= told[tier] * 17;
}

/* False where nothing is learned from port numbers of @live. */
static bool port_tells(const struct ft_model *m, uint32_t live, uint32_t port_number)
{
	const struct ft_live_switch *sw = &m->live.switches[live];

	return port_number < m->habit_ports && sw->planned != FT_NONE && sw->regular &&
	       m->regular[ft_tier_of(m, sw->planned)];
}

bool ft_port_has_use(const struct ft_model *m, uint32_t live, uint32_t port_number)
{
	uint32_t usual, votes, here = m->live.switches[live].planned;

	if (ft_exact_cable(m, here, port_number) != FT_NONE)
		return true;
	if (ft_exact_knows(m, here))
		return false;
	if (ft_recall_port(m, live, port_number, &usual) == FT_RECALLED_SWITCH)
		return true;
	return port_tells(m, live, port_number) && habit_without(m, live, port_number, &usual, &votes);
}

uint32_t ft_port_votes(const struct ft_model *m, uint32_t live, uint32_t port_number, uint32_t peer)
{
	uint32_t usual, votes, here = m->live.switches[live].planned;
	uint32_t cable = ft_exact_cable(m, here, port_number);

	/* The plan itself says so: that is more than any number of others. */
	if (cable != FT_NONE)
		return ft_exact_far(m, cable, here) == peer ? UINT32_MAX : 0;
	if (ft_exact_knows(m, here))
		return 0;
	/* What it led to itself is more than what others do. */
	if (ft_recall_port(m, live, port_number, &usual) == FT_RECALLED_SWITCH)
		return usual == peer ? UINT32_MAX : 0;
	if (!port_tells(m, live, port_number) || !habit_without(m, live, port_number, &usual, &votes))
		return 0;
	return peer != FT_NONE && usual == role_of(m, m->live.switches[live].planned, peer) ? votes : 0;
}

/* ---- where hosts end and uplinks begin ---- */

static struct ft_port_ranges ranges_find(const struct ft_port_habit *habits, uint32_t ports)
{
	struct ft_port_ranges r = {FT_NONE, 0, FT_NONE, 0, false};
	uint32_t used = 0, agreed = 0;

	for (uint32_t p = 0; p < ports; p++) {
		used += habits[p].links + habits[p].hosts;
		agreed += habits[p].links > habits[p].hosts ? habits[p].links : habits[p].hosts;
		if (habits[p].links > habits[p].hosts) {
			r.link_low = r.link_low == FT_NONE ? p : r.link_low;
			r.link_high = p;
		} else if (habits[p].hosts > 0) {
			r.host_low = r.host_low == FT_NONE ? p : r.host_low;
			r.host_high = p;
		}
	}
	r.mixed = agreed * 20 < used * 17;
	return r;
}

const struct ft_port_ranges *ft_port_ranges_of(const struct ft_model *m, uint32_t live)
{
	return &m->ranges[(ft_habits_of(m, live) - m->habits) / m->habit_ports];
}

bool ft_port_is_hosts(const struct ft_model *m, uint32_t live, uint32_t port_number)
{
	const struct ft_port_ranges *r = ft_port_ranges_of(m, live);
	const struct ft_port_habit *habit;
	uint32_t here = m->live.switches[live].planned, was;

	if (ft_exact_cable(m, here, port_number) != FT_NONE)
		return false;
	if (ft_exact_knows(m, here))
		return true;
	switch (ft_recall_port(m, live, port_number, &was)) {
	case FT_RECALLED_SWITCH:
		return false;
	case FT_RECALLED_HOST:
		return true;
	case FT_RECALLED_NOTHING:
		break;
	}
	if (port_number >= m->habit_ports || r->mixed)
		return false;
	habit = &ft_habits_of(m, live)[port_number];
	if (habit->links > 0 || habit->hosts > 0)
		return habit->hosts > habit->links;
	/* Nobody uses it: it is the hosts' if it lies among theirs. */
	return r->host_low != FT_NONE && port_number > r->host_low && port_number < r->host_high &&
	       !(r->link_low != FT_NONE && port_number > r->link_low && port_number < r->link_high);
}

void ft_habits_learn(struct ft_model *m)
{
	habits_count(m);
	for (uint32_t group = 0; group < m->group_count; group++)
		m->ranges[group] = ranges_find(m->habits + (size_t)group * m->habit_ports, m->habit_ports);
	regularity_learn(m);
}
