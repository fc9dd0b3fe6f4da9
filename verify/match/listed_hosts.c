/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Matches observed hosts to listed ones. A GUID, of the node or of the port, decides; else the name, whole, or without
 * the adapter's suffix: "node055" is "node055 HCA-1" and "Node055 mlx5_0". A machine may have several ports and
 * adapters, and be listed for each of them; a name that several machines share decides nothing. Which port belongs to
 * which listing is decided by adapter and port where the plan gives them, and else by location.
 */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/hash.h"
#include "planner/plan/adapter.h"
#include "verify/model/model.h"

/* A machine has no more ports than this. */
enum { PORTS_MAX = 64 };

/* Listings with one key, and the observed hosts that match it. Chains end in FT_NONE. */
struct group {
	uint32_t listing, observed; /* the first of each */
	uint32_t listings, lives;   /* how many: listings, observed hosts */
	bool doubtful;
};

struct guests {
	struct ft_model *m;
	struct group *groups;
	uint32_t group_count;
	uint32_t *group_of;	  /* by listing */
	uint32_t *next;		  /* by listing: the next of its group */
	uint32_t *group_observed; /* by observed host: its group, or FT_NONE */
	uint32_t *next_observed;  /* by observed host */
	struct ft_map keys;	  /* keys to groups */
	struct ft_map nodes;	  /* group and description to a node */
	struct ft_arena memory;
};

static void guests_release(struct guests *g)
{
	ft_arena_release(&g->memory);
	ft_map_release(&g->keys);
	ft_map_release(&g->nodes);
}

static int guests_init(struct guests *g, struct ft_model *m)
{
	struct ft_arena *a = &g->memory;

	g->m = m;
	g->groups = ft_arena_zeros(a, 2UL * m->plan->host_count, sizeof(*g->groups));
	g->group_of = ft_arena_zeros(a, m->plan->host_count, sizeof(*g->group_of));
	g->next = ft_arena_zeros(a, m->plan->host_count, sizeof(*g->next));
	g->group_observed = ft_arena_numbers(a, m->observed.host_count, FT_NONE);
	g->next_observed = ft_arena_zeros(a, m->observed.host_count, sizeof(*g->next_observed));
	return a->failed ? -ENOMEM : 0;
}

/* The key of a name; @brief: without the adapter's suffix. */
static uint64_t name_key(const char *name, size_t length, bool brief)
{
	uint64_t key = 0, word = 0;
	size_t i = 0;

	while (i < length && name[i] == ' ')
		i++;
	while (length > i && name[length - 1] == ' ')
		length--;
	for (unsigned int n = 1; i < length && !(brief && name[i] == ' '); i++, n++) {
		word = word << 8 | (unsigned char)tolower((unsigned char)name[i]);
		if (n % sizeof(word) == 0) {
			key = ft_hash_pair(key, word);
			word = 0;
		}
	}
	return ft_hash_pair(key, word);
}

static const struct ft_node *node_of_host(const struct ft_model *m, uint32_t observed_host)
{
	return ft_port_node(m->snapshot, &m->snapshot->ports[m->observed.hosts[observed_host].port]);
}

static uint64_t observed_key(const struct ft_model *m, uint32_t i, bool brief)
{
	const struct ft_node *node = node_of_host(m, i);

	return name_key(ft_node_description(m->snapshot, node), node->description_length, brief);
}

static int listing_add(struct guests *g, uint32_t listing, uint64_t key)
{
	uint32_t number = g->group_count;
	int r = ft_map_add(&g->keys, key, number, &number);

	if (r < 0)
		return r;
	if (r > 0)
		g->groups[g->group_count++] = (struct group){.listing = FT_NONE, .observed = FT_NONE};
	g->group_of[listing] = number;
	g->next[listing] = g->groups[number].listing;
	g->groups[number].listing = listing;
	g->groups[number].listings++;
	return 0;
}

/* Two nodes with one description on different machines: which of them is meant is undecidable. */
static int doubt_check(struct guests *g, struct group *group, uint32_t number, uint32_t observed_host)
{
	const struct ft_model *m = g->m;
	const struct ft_node *node = node_of_host(m, observed_host), *other;
	uint64_t key = ft_hash_pair(observed_key(m, observed_host, false), number);
	uint32_t there;
	int r = ft_map_add(&g->nodes, key, (uint32_t)(node - m->snapshot->nodes), &there);

	if (r != 0)
		return r < 0 ? r : 0;
	other = &m->snapshot->nodes[there];
	group->doubtful |= other != node && (other->system_guid == 0 || other->system_guid != node->system_guid);
	return 0;
}

static int observed_add(struct guests *g, uint32_t observed_host, uint32_t number, bool by_name)
{
	struct group *group = &g->groups[number];

	g->group_observed[observed_host] = number;
	g->next_observed[observed_host] = group->observed;
	group->observed = observed_host;
	group->lives++;
	group->doubtful |= group->lives > PORTS_MAX || group->listings > PORTS_MAX;
	return by_name ? doubt_check(g, group, number, observed_host) : 0;
}

/* By GUIDs and whole names. */
static int groups_exact(struct guests *g)
{
	const struct ft_model *m = g->m;
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < m->plan->host_count; i++) {
		const struct ft_plan_host *h = &m->plan->hosts[i];

		r = listing_add(g, i, h->guid || !h->name ? h->guid : name_key(h->name, strlen(h->name), false));
	}
	for (uint32_t i = m->observed.host_count; r == 0 && i-- > 0;) {
		const uint64_t keys[] = {m->snapshot->ports[m->observed.hosts[i].port].guid, node_of_host(m, i)->guid,
					 observed_key(m, i, false)};

		for (size_t k = 0; r == 0 && k < FT_COUNT(keys); k++) {
			uint32_t number = keys[k] ? ft_map_get(&g->keys, keys[k]) : FT_NONE;

			if (number == FT_NONE || g->group_observed[i] != FT_NONE)
				continue;
			r = observed_add(g, i, number, k == 2);
		}
	}
	return r;
}

/* By names without the adapter's suffix, for those not found yet. */
static int groups_brief(struct guests *g)
{
	const struct ft_model *m = g->m;
	int r = 0;

	ft_map_release(&g->keys);
	for (uint32_t i = 0; r == 0 && i < m->plan->host_count; i++) {
		const struct ft_plan_host *h = &m->plan->hosts[i];

		if (!h->name || h->guid || g->groups[g->group_of[i]].lives > 0)
			continue;
		g->groups[g->group_of[i]].listing = FT_NONE;
		r = listing_add(g, i, name_key(h->name, strlen(h->name), true));
	}
	for (uint32_t i = m->observed.host_count; r == 0 && i-- > 0;) {
		uint32_t number =
			g->group_observed[i] == FT_NONE ? ft_map_get(&g->keys, observed_key(m, i, true)) : FT_NONE;

		if (number != FT_NONE)
			r = observed_add(g, i, number, true);
	}
	return r;
}

/* ---- which of a machine's ports is which of its listings ---- */

/* How well a listing agrees with the place of a host, the strictest agreement first. */
enum agreement { AGREE_PORT, AGREE_EDGE, AGREE_NAME, AGREE_ANY, AGREE_COUNT };

static bool agrees(const struct ft_model *m, enum agreement how, uint32_t listing, uint32_t observed_host)
{
	const struct ft_plan_host *h = &m->plan->hosts[listing];
	const struct ft_observed_host *host = &m->observed.hosts[observed_host];
	uint32_t place = m->observed.switches[host->observed].planned;
	bool edge = place != FT_NONE && place == m->place_of[h->edge];

	switch (how) {
	case AGREE_PORT:
		return edge && (h->port == 0 || h->port == ft_port_number(m, host->switch_port));
	case AGREE_EDGE:
		return edge;
	case AGREE_NAME:
		return h->name && name_key(h->name, strlen(h->name), false) == observed_key(m, observed_host, false);
	default:
		return true;
	}
}

/* What the adapter and port of a listing say about an observed host. */
enum interface { INTERFACE_OTHER, INTERFACE_UNKNOWN, INTERFACE_SAME };

/* The adapter's suffix to the name of the machine: "HCA-1" of "node055 HCA-1". */
static const char *adapter_of(const struct ft_model *m, const struct ft_node *node, size_t *ret_length)
{
	const char *name = ft_node_description(m->snapshot, node);
	size_t start = 0;

	while (start < node->description_length && name[start] == ' ')
		start++;
	while (start < node->description_length && name[start] != ' ')
		start++;
	while (start < node->description_length && name[start] == ' ')
		start++;
	*ret_length = node->description_length - start;
	return name + start;
}

/*
 * Adapter names of different kinds decide nothing: HCA-1 may be mlx5_0. Nor does port 2 decide for a CA with one port:
 * an adapter with two ports appears as two of these.
 */
static enum interface interface_judge(const struct ft_model *m, uint32_t listing, uint32_t observed_host)
{
	const struct ft_plan_host *h = &m->plan->hosts[listing];
	const struct ft_node *node = node_of_host(m, observed_host);
	uint32_t port = ft_port_number(m, m->observed.hosts[observed_host].port);
	enum ft_adapter_relation adapter = FT_ADAPTER_UNLIKE;

	if (h->adapter) {
		size_t length;
		const char *name = adapter_of(m, node, &length);

		adapter = ft_adapter_compare(h->adapter, strlen(h->adapter), name, length);
	}
	if (adapter == FT_ADAPTER_OTHER)
		return INTERFACE_OTHER;
	if (h->adapter_port > node->port_count)
		return INTERFACE_UNKNOWN;
	if (h->adapter_port && h->adapter_port != port)
		return INTERFACE_OTHER;
	return adapter == FT_ADAPTER_SAME || (h->adapter_port && node->port_count > 1) ? INTERFACE_SAME
										       : INTERFACE_UNKNOWN;
}

/* Hosts whose interface is known to be the listed one come first; those with a different interface are never taken. */
static void group_settle(struct guests *g, const struct group *group)
{
	static const enum interface interfaces[] = {INTERFACE_SAME, INTERFACE_UNKNOWN};
	struct ft_port_map *e = &g->m->port_map;

	for (unsigned int how = 0; how < FT_COUNT(interfaces) * AGREE_COUNT; how++)
		for (uint32_t l = group->listing; l != FT_NONE; l = g->next[l])
			for (uint32_t i = group->observed; i != FT_NONE && e->host_of[l] == FT_NONE;
			     i = g->next_observed[i]) {
				if (e->listed[i] != FT_NONE || !agrees(g->m, how % AGREE_COUNT, l, i) ||
				    interface_judge(g->m, l, i) != interfaces[how / AGREE_COUNT])
					continue;
				e->listed[i] = l;
				e->host_of[l] = i;
			}
}

/* True if the listed host may exist unseen: behind a switch or a port of which too little is known. */
static bool listing_is_hazy(const struct ft_model *m, const struct ft_plan_host *h)
{
	const struct ft_observed_switch *sw = ft_observed_at(m, m->place_of[h->edge]);
	const struct ft_port *port;

	if (!sw)
		return true;
	port = ft_node_port(m->snapshot, &m->snapshot->nodes[sw->node], h->port);
	if (h->port == 0)
		return sw->silent + sw->unread > 0;
	return port && (port->link == FT_LINK_SILENT || port->link == FT_LINK_UNREAD);
}

static void fates_tell(struct guests *g)
{
	const struct ft_model *m = g->m;

	for (uint32_t l = 0; l < m->plan->host_count; l++)
		m->port_map.fate[l] = m->port_map.host_of[l] != FT_NONE ? FT_HOST_SEEN
				      : g->groups[g->group_of[l]].doubtful || listing_is_hazy(m, &m->plan->hosts[l])
					      ? FT_HOST_UNDECIDED
					      : FT_HOST_MISSING;
}

static int hosts_alloc(struct ft_model *m)
{
	struct ft_port_map *e = &m->port_map;
	struct ft_arena *a = &m->memory;

	e->listed = ft_arena_numbers(a, m->observed.host_count, FT_NONE);
	e->belongs = ft_arena_numbers(a, m->observed.host_count, FT_NONE);
	e->host_of = ft_arena_numbers(a, m->plan->host_count, FT_NONE);
	e->fate = ft_arena_zeros(a, m->plan->host_count, sizeof(*e->fate));
	e->told = ft_arena_zeros(a, m->observed.host_count, sizeof(*e->told));
	e->away = ft_arena_zeros(a, m->place_count, sizeof(*e->away));
	return a->failed ? -ENOMEM : 0;
}

static int groups_make(struct guests *g, struct ft_model *m)
{
	int r = guests_init(g, m) ?: groups_exact(g);

	return r ?: groups_brief(g);
}

int ft_port_map_hosts(struct ft_model *m)
{
	_cleanup_(guests_release) struct guests g = {0};
	int r;

	if (m->plan->host_count == 0)
		return 0;
	r = hosts_alloc(m) ?: groups_make(&g, m);
	if (r < 0)
		return r;
	for (uint32_t n = 0; n < g.group_count; n++)
		if (!g.groups[n].doubtful)
			group_settle(&g, &g.groups[n]);
	fates_tell(&g);
	return 0;
}

/* The edge of all listings of a group if it is the same one, or FT_NONE. */
static uint32_t group_home(const struct guests *g, const struct group *group)
{
	const struct ft_plan_host *hosts = g->m->plan->hosts;

	for (uint32_t l = group->listing; l != FT_NONE; l = g->next[l])
		if (hosts[l].edge != hosts[group->listing].edge)
			return FT_NONE;
	return g->m->place_of[hosts[group->listing].edge];
}

int ft_port_map_homes(struct ft_model *m)
{
	_cleanup_(guests_release) struct guests g = {0};
	int r = groups_make(&g, m);

	if (r < 0)
		return r;
	m->port_map.home = ft_arena_zeros(&m->memory, m->observed.host_count, sizeof(*m->port_map.home));
	if (!m->port_map.home)
		return -ENOMEM;
	for (uint32_t i = 0; i < m->observed.host_count; i++) {
		const struct group *group = g.group_observed[i] == FT_NONE ? NULL : &g.groups[g.group_observed[i]];

		m->port_map.home[i] = group && !group->doubtful ? group_home(&g, group) : FT_NONE;
	}
	return 0;
}

uint32_t ft_port_map_host_count(const struct ft_model *m, uint32_t place)
{
	int64_t hosts = ft_observed_at(m, place)->hosts + (m->port_map.away ? (int64_t)m->port_map.away[place] : 0);

	return hosts > 0 ? (uint32_t)hosts : 0;
}
