/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The use of port numbers. Fabrics are wired by rule: port 19 of every edge goes to the first core. So the use of a
 * number on other switches of the kind shows in which port a missing cable belongs, and which end of a surplus one is
 * right.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "verify/model/recall.h"

/*
 * Switches are wired alike if they are of one kind, have equally many cables to equally many others, and most of their
 * bundles have one width. Links downwards are ignored: a pod that is not full has the same spines as others. So are
 * those to switches beside the tree, and beside a switch that has others above it: an edge that another one hangs on,
 * or that has a trunk to its neighbour, is wired like the others.
 */
static uint64_t group_key(const struct ft_model *m, uint32_t p)
{
	uint32_t rank = ft_rank_of(m, p), width = 0, votes = 0, cables[2] = {0}, peers[2] = {0};
	bool above;

	ft_each_pair(pair, m, p) {
		uint32_t here = m->cells.width[pair->cell], there = ft_rank_of(m, pair->peer);

		if (here == 0 || (ft_is_beside(m, pair->peer) && !ft_is_beside(m, p)))
			continue;
		if (there >= rank) {
			cables[there > rank] += here;
			peers[there > rank]++;
			continue;
		}
		/* Boyer-Moore majority vote. */
		width = votes == 0 ? here : width;
		votes += width == here ? 1U : -1U;
	}
	above = peers[1] > 0;
	return (uint64_t)m->places[p]->kind << 48 | (uint64_t)(width & 0xff) << 40 |
	       (uint64_t)(cables[above] & 0xfffff) << 20 | (peers[above] & 0xfffff);
}

static int groups_find(struct ft_model *m)
{
	_cleanup_(ft_map_release) struct ft_map groups = {0};

	for (uint32_t p = 0; p < m->place_count; p++) {
		int r = ft_map_add(&groups, group_key(m, p), m->group_count, &m->group[p]);

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
	int r;

	m->group = ft_arena_zeros(&m->memory, m->place_count, sizeof(*m->group));
	m->regular = ft_arena_zeros(&m->memory, m->plan->kind_count, sizeof(*m->regular));
	if (m->memory.failed)
		return -ENOMEM;
	r = groups_find(m);
	if (r < 0)
		return r;
	m->habit_ports = 256;
	for (uint32_t i = 0; i < m->observed.switch_count; i++) {
		uint32_t ports = m->snapshot->nodes[m->observed.switches[i].node].port_count;

		m->habit_ports = ports >= m->habit_ports ? ports + 1 : m->habit_ports;
	}
	count = (size_t)m->group_count * m->habit_ports;
	m->habits = ft_arena_zeros(&m->memory, count, sizeof(*m->habits));
	m->ranges = ft_arena_zeros(&m->memory, m->group_count, sizeof(*m->ranges));
	m->members = ft_arena_zeros(&m->memory, m->group_count, sizeof(*m->members));
	if (m->memory.failed)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		m->habits[i].of[0].peer = m->habits[i].of[1].peer = FT_NONE;
	return 0;
}

/* The habits shared by the group of place @planned. */
static struct ft_port_habit *habits_of_planned(const struct ft_model *m, uint32_t planned)
{
	return m->habits + (size_t)m->group[planned] * m->habit_ports;
}

/* A switch without a place uses the habits of the first one of its kind. */
const struct ft_port_habit *ft_habits_of(const struct ft_model *m, uint32_t observed)
{
	const struct ft_observed_switch *sw = &m->observed.switches[observed];

	if (sw->planned != FT_NONE)
		return habits_of_planned(m, sw->planned);
	for (uint32_t p = 0; p < m->place_count; p++)
		if (m->places[p]->kind == sw->kind)
			return habits_of_planned(m, p);
	return m->habits;
}

/*
 * The role of @peer for the switch in place @here, comparable between all that are wired alike: its index among the
 * switches of its group that @here is cabled to, in the order of their places. In a tree of two levels all edges share
 * the first core; in one of three, port 19 of every edge goes to the first spine of its own pod. Those beside it, of
 * its own rank, are counted from its own place on, and then from the first: in a ring port 35 of each goes to the next.
 * A peer without a planned cable to @here has no role that others share.
 */
enum { ROLE_FOREIGN = UINT32_MAX - 1, ROLES_MAX = 4096 };

static uint32_t role_of(const struct ft_model *m, uint32_t here, uint32_t peer)
{
	const struct ft_pair *pair = ft_pair_at(m, here, peer);

	return pair ? m->roles[pair - m->cells.pairs] : ROLE_FOREIGN;
}

/* True where the pair of place @p leads back among switches of its own rank. */
static bool leads_back(const struct ft_model *m, uint32_t p, const struct ft_pair *pair)
{
	return pair->peer < p && ft_plan_has_ranks(m->plan) && m->group[p] == m->group[pair->peer];
}

/* The roles of the pairs of place @p: of those that lead back, or of the others. @ordinal: by group, the next number.
 */
static void roles_number(struct ft_model *m, uint32_t p, bool back, uint32_t *ordinal)
{
	ft_each_pair(pair, m, p) {
		uint32_t group = m->group[pair->peer], *role = &m->roles[pair - m->cells.pairs];

		if (leads_back(m, p, pair) != back)
			continue;
		*role = ROLE_FOREIGN;
		if (m->cells.width[pair->cell] > 0)
			*role = group * ROLES_MAX + ordinal[group]++ % ROLES_MAX;
	}
}

/* The role of each pair. O(pairs). */
static int roles_find(struct ft_model *m)
{
	_cleanup_free_ uint32_t *ordinal = calloc(m->group_count + 1UL, sizeof(*ordinal));

	m->roles = ft_arena_zeros(&m->memory, m->cells.first[m->place_count], sizeof(*m->roles));
	if (!ordinal || !m->roles)
		return -ENOMEM;
	for (uint32_t p = 0; p < m->place_count; p++) {
		roles_number(m, p, false, ordinal);
		roles_number(m, p, true, ordinal);
		ft_each_pair(pair, m, p)
			ordinal[m->group[pair->peer]] = 0;
	}
	return 0;
}

/* By end of each cable, @a of cable i at 2 * i: the role of the far switch there; FT_NONE: one of the two has no place.
 */
static int ends_find(const struct ft_model *m, struct ft_arena *memory, uint32_t **ret_ends)
{
	uint32_t *ends = ft_arena_numbers(memory, 2UL * m->observed.cable_count, FT_NONE);

	if (!ends)
		return -ENOMEM;
	for (uint32_t i = 0; i < m->observed.cable_count; i++) {
		const struct ft_observed_cable *cable = &m->observed.cables[i];
		uint32_t a = m->observed.switches[cable->a].planned, b = m->observed.switches[cable->b].planned;

		if (a == FT_NONE || b == FT_NONE || a == b)
			continue;
		ends[2 * i] = role_of(m, a, b);
		ends[2 * i + 1] = role_of(m, b, a);
	}
	*ret_ends = ends;
	return 0;
}

/*
 * The frequent roles of a port number, by Misra and Gries: of n links, each role that more than a third have is one of
 * the two that are left. One candidate, as for a majority, would be too few: without one of two links of different
 * roles the other one is all, whichever was counted first.
 */
static void role_count(struct ft_port_habit *habit, uint32_t role)
{
	unsigned int free = FT_COUNT(habit->of);

	for (unsigned int i = FT_COUNT(habit->of); i-- > 0;) {
		if (habit->of[i].votes == 0) {
			free = i;
		} else if (habit->of[i].peer == role) {
			habit->of[i].votes++;
			return;
		}
	}
	if (free < FT_COUNT(habit->of)) {
		habit->of[free].peer = role;
		habit->of[free].votes = 1;
		return;
	}
	for (unsigned int i = 0; i < FT_COUNT(habit->of); i++)
		habit->of[i].votes--;
}

static void habit_count(struct ft_model *m, const uint32_t *ends, bool first_pass)
{
	for (uint32_t i = 0; i < 2 * m->observed.cable_count; i++) {
		const struct ft_observed_cable *cable = &m->observed.cables[i / 2];
		uint32_t here = m->observed.switches[i % 2 ? cable->b : cable->a].planned;
		uint32_t port = i % 2 ? cable->b_port : cable->a_port, role = ends[i];
		struct ft_port_habit *habit;

		if (role == FT_NONE)
			continue;
		habit = &habits_of_planned(m, here)[ft_port_number(m, port)];
		if (first_pass) {
			habit->links++;
			role_count(habit, role);
			continue;
		}
		for (unsigned int k = 0; k < FT_COUNT(habit->of); k++)
			habit->of[k].votes += habit->of[k].peer == role;
	}
}

static void habits_count(struct ft_model *m, const uint32_t *ends)
{
	habit_count(m, ends, true);
	for (size_t i = 0; i < (size_t)m->group_count * m->habit_ports; i++)
		m->habits[i].of[0].votes = m->habits[i].of[1].votes = 0;
	habit_count(m, ends, false);
	for (uint32_t i = 0; i < m->observed.host_count; i++) {
		const struct ft_observed_host *host = &m->observed.hosts[i];
		uint32_t planned = m->observed.switches[host->observed].planned;

		if (planned != FT_NONE)
			habits_of_planned(m, planned)[ft_port_number(m, host->switch_port)].hosts++;
	}
}

/* The role of the planned switch behind port @port_number of @observed, which has a place, or FT_NONE. */
static uint32_t role_of_port(const struct ft_model *m, uint32_t observed, uint32_t port_number)
{
	const struct ft_snapshot *s = m->snapshot;
	const struct ft_port *port = ft_node_port(s, &s->nodes[m->observed.switches[observed].node], port_number);
	const struct ft_port *peer = port ? ft_port_peer(s, port) : NULL;
	uint32_t far = peer ? m->observed.switch_of_node[peer->node] : FT_NONE;

	if (far == FT_NONE || far == observed || m->observed.switches[far].planned == FT_NONE)
		return FT_NONE;
	return role_of(m, m->observed.switches[observed].planned, m->observed.switches[far].planned);
}

/*
 * What the switches like @observed, without @observed itself, whose role there is @own, use a port number for: in
 * @ret_role the role of more than half of them, and how many these are. Returns false if there is none.
 */
static bool habit_without(const struct ft_model *m, uint32_t observed, uint32_t port_number, uint32_t own,
			  uint32_t *ret_role, uint32_t *ret_votes)
{
	const struct ft_port_habit *habit = &ft_habits_of(m, observed)[port_number];
	uint32_t links = habit->links - (own != FT_NONE);

	for (unsigned int i = 0; i < FT_COUNT(habit->of); i++) {
		uint32_t votes = habit->of[i].votes - (own != FT_NONE && own == habit->of[i].peer);

		if (votes * 2 <= links || habit->of[i].peer == ROLE_FOREIGN)
			continue;
		*ret_votes = votes;
		*ret_role = habit->of[i].peer;
		return true;
	}
	*ret_votes = 0;
	*ret_role = FT_NONE;
	return false;
}

/* True if a port of this number leads to a switch on any other switch like @observed. */
static bool others_link(const struct ft_model *m, uint32_t observed, uint32_t port_number)
{
	/* @observed's own cable is counted as well. */
	return ft_habits_of(m, observed)[port_number].links > 1;
}

/* How well port numbers predict the peers of a switch: it uses a port for what the others use it for. */
static void regularity_count(const struct ft_model *m, const uint32_t *ends, uint32_t observed, uint32_t *told,
			     uint32_t *right)
{
	ft_each_end(end, m, observed) {
		uint32_t number = ft_port_number(m, end->port), role, votes;
		uint32_t own = ends[2 * end->cable + (m->observed.cables[end->cable].a != observed)];
		bool agree;

		if (own == FT_NONE || number >= m->habit_ports)
			continue;
		agree = habit_without(m, observed, number, own, &role, &votes);
		*told += others_link(m, observed, number);
		*right += agree && role == own;
	}
}

/*
 * A kind is wired by a pattern if port numbers predict the peers of most of its cables; a switch follows it if they
 * predict all but a few of its own. Else numbers that agree do so by chance, and prove nothing.
 */
static int regularity_learn(struct ft_model *m, const uint32_t *ends)
{
	enum { DEVIATIONS = 2 };
	_cleanup_free_ uint32_t *told = calloc(m->plan->kind_count + 1UL, sizeof(*told));
	_cleanup_free_ uint32_t *right = calloc(m->plan->kind_count + 1UL, sizeof(*right));

	if (!told || !right)
		return -ENOMEM;
	for (uint32_t i = 0; i < m->observed.switch_count; i++) {
		struct ft_observed_switch *sw = &m->observed.switches[i];
		uint32_t own_told = 0, own_right = 0;

		if (sw->planned == FT_NONE)
			continue;
		regularity_count(m, ends, i, &own_told, &own_right);
		/* A switch without any cable in its predicted port follows another pattern. */
		sw->regular = (own_told - own_right <= DEVIATIONS && (own_right > 0 || own_told < DEVIATIONS)) ||
			      own_right * 20 >= own_told * 17;
		told[sw->kind] += own_told;
		right[sw->kind] += own_right;
	}
	for (uint32_t kind = 0; kind < m->plan->kind_count; kind++)
		m->regular[kind] = told[kind] > 0 && right[kind] * 20 >= told[kind] * 17;
	return 0;
}

/* False if the port numbers of @observed predict nothing. */
static bool port_tells(const struct ft_model *m, uint32_t observed, uint32_t port_number)
{
	const struct ft_observed_switch *sw = &m->observed.switches[observed];

	return port_number < m->habit_ports && sw->planned != FT_NONE && sw->regular && m->regular[sw->kind];
}

bool ft_port_has_use(const struct ft_model *m, uint32_t observed, uint32_t port_number)
{
	uint32_t usual, votes, here = m->observed.switches[observed].planned;

	if (ft_port_map_cable(m, here, port_number) != FT_NONE)
		return true;
	if (ft_port_map_knows(m, here))
		return false;
	if (ft_recall_port(m, observed, port_number, &usual) == FT_RECALLED_SWITCH)
		return true;
	return port_tells(m, observed, port_number) &&
	       habit_without(m, observed, port_number, role_of_port(m, observed, port_number), &usual, &votes);
}

uint32_t ft_port_votes(const struct ft_model *m, uint32_t observed, uint32_t port_number, uint32_t peer)
{
	uint32_t usual, votes, here = m->observed.switches[observed].planned;
	uint32_t cable = ft_port_map_cable(m, here, port_number);

	/* The plan itself gives the port: that outweighs any number of other switches. */
	if (cable != FT_NONE)
		return ft_port_map_far(m, cable, here) == peer ? UINT32_MAX : 0;
	if (ft_port_map_knows(m, here))
		return 0;
	/* The port's own peer in the baseline outweighs the use on other switches. */
	if (ft_recall_port(m, observed, port_number, &usual) == FT_RECALLED_SWITCH)
		return usual == peer ? UINT32_MAX : 0;
	if (!port_tells(m, observed, port_number) ||
	    !habit_without(m, observed, port_number, role_of_port(m, observed, port_number), &usual, &votes))
		return 0;
	return peer != FT_NONE && usual == role_of(m, m->observed.switches[observed].planned, peer) ? votes : 0;
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

const struct ft_port_ranges *ft_port_ranges_of(const struct ft_model *m, uint32_t observed)
{
	return &m->ranges[(ft_habits_of(m, observed) - m->habits) / m->habit_ports];
}

bool ft_port_is_hosts(const struct ft_model *m, uint32_t observed, uint32_t port_number)
{
	const struct ft_port_ranges *r = ft_port_ranges_of(m, observed);
	const struct ft_port_habit *habit;
	uint32_t here = m->observed.switches[observed].planned, was;

	if (ft_port_map_cable(m, here, port_number) != FT_NONE)
		return false;
	if (ft_port_map_knows(m, here))
		return true;
	switch (ft_recall_port(m, observed, port_number, &was)) {
	case FT_RECALLED_SWITCH:
		return false;
	case FT_RECALLED_HOST:
		return true;
	case FT_RECALLED_NOTHING:
		break;
	}
	if (port_number >= m->habit_ports || r->mixed)
		return false;
	habit = &ft_habits_of(m, observed)[port_number];
	if (habit->links > 0 || habit->hosts > 0)
		return habit->hosts > habit->links;
	/* No switch uses it: it is a host port if it lies between host ports. */
	return r->host_low != FT_NONE && port_number > r->host_low && port_number < r->host_high &&
	       !(r->link_low != FT_NONE && port_number > r->link_low && port_number < r->link_high);
}

int ft_habits_learn(struct ft_model *m)
{
	_cleanup_(ft_arena_release) struct ft_arena memory = {0};
	uint32_t *ends;
	int r = roles_find(m) ?: ends_find(m, &memory, &ends);

	if (r < 0)
		return r;
	habits_count(m, ends);
	for (uint32_t p = 0; p < m->place_count; p++)
		m->members[m->group[p]] += m->observed_of[p] != FT_NONE;
	for (uint32_t group = 0; group < m->group_count; group++)
		m->ranges[group] = ranges_find(m->habits + (size_t)group * m->habit_ports, m->habit_ports);
	return regularity_learn(m, ends);
}
