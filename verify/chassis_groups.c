/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Which switch chips belong together. Each kind of evidence makes its own groups of all of them; taken are those that
 * leave as many directors and other switches as the plan has.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/text.h"
#include "verify/chassis_parts.h"

/* The dearest first: of two that explain as much the first is taken. */
enum evidence { BY_CHASSIS, BY_SLOT, BY_SYSTEM, BY_DESCRIPTION, BY_CABLES, EVIDENCES };

/* What a group looks like from its cables. */
struct look {
	uint32_t members, lines, fabrics;
	uint32_t linked;       /* members that are cabled to one of the other role */
	uint32_t cross, same;  /* cables between the roles, and within one */
	uint32_t outer;	       /* cables that leave by line chips */
	uint32_t fabric_outer; /* and by others, where none should be */
	bool director;
};

void ft_groups_release(struct ft_groups *g)
{
	free(g->group);
	free(g->role);
	free(g->pattern);
	*g = (struct ft_groups){0};
}

bool ft_chip_port_aggregates(const struct ft_snapshot *chips, uint32_t port)
{
	const struct ft_port *near = &chips->ports[port], *far = ft_port_peer(chips, near);
	const struct ft_node *sw = ft_port_node(chips, near), *ca = far ? ft_port_node(chips, far) : NULL;

	if (!ca || ca->type != FT_NODE_CA || near->number != sw->port_count)
		return false;
	return sw->port_count % 2 == 1 || (sw->system_guid && sw->system_guid == ca->system_guid) ||
	       strstr(ft_node_description(chips, ca), "Aggregation Node") != NULL;
}

static bool is_switch(const struct ft_snapshot *s, uint32_t node)
{
	return s->nodes[node].type == FT_NODE_SWITCH;
}

/* ---- what a kind of evidence says of a node: nodes of one key belong together; 0: it says nothing ---- */

static uint64_t bytes_hash(const char *bytes, size_t length, uint64_t salt)
{
	uint64_t hash = ft_hash_pair(ft_hash_bytes(bytes, length), salt);

	return hash ? hash : 1;
}

static uint64_t node_key(const struct ft_groups *g, enum evidence evidence, uint32_t node)
{
	const struct ft_node *n = &g->chips->nodes[node];
	const char *description = ft_node_description(g->chips, n);
	size_t length = n->description_length;
	struct ft_slot slot;

	switch (evidence) {
	case BY_CHASSIS:
		return n->chassis;
	case BY_SLOT:
		if (!ft_slot_read(description, length, &slot) || (!g->plan && !slot.plain))
			return 0;
		return bytes_hash(description, slot.chassis_length, 0);
	case BY_SYSTEM:
		return n->system_guid;
	case BY_DESCRIPTION:
		while (length > 0 && description[length - 1] == ' ')
			length--;
		return length > 0 ? bytes_hash(description, length, 0) : 0;
	default:
		return 0;
	}
}

/* The key that a chassis pattern gives the node, and in @ret_tier whose it is. Returns 0 or -ENOMEM. */
static int pattern_key(const struct ft_groups *g, uint32_t node, uint64_t *ret_key, uint8_t *ret_tier)
{
	const struct ft_node *n = &g->chips->nodes[node];
	const char *description = ft_node_description(g->chips, n);

	*ret_key = 0;
	*ret_tier = FT_TIER_COUNT;
	for (unsigned int tier = 0; g->design && tier < FT_TIER_COUNT; tier++) {
		const struct ft_pattern *pattern = g->design->roles[tier].chassis;
		size_t start, end;
		int r = pattern ? ft_pattern_find(pattern, description, n->description_length, &start, &end) : 0;

		if (r < 0)
			return r;
		if (r == 0)
			continue;
		*ret_key = bytes_hash(description + start, end - start, tier + 1);
		*ret_tier = (uint8_t)tier;
		return 0;
	}
	return 0;
}

/* Numbers the groups by @keys. Returns 0 or -ENOMEM. */
static int groups_by_keys(struct ft_groups *g, const uint64_t *keys)
{
	_cleanup_(ft_map_release) struct ft_map map = {0};

	g->count = 0;
	for (uint32_t i = 0; i < g->chips->node_count; i++) {
		int r;

		g->group[i] = FT_NO_GROUP;
		if (keys[i] == 0)
			continue;
		r = ft_map_add(&map, keys[i], g->count, &g->group[i]);
		if (r < 0)
			return r;
		g->count += r > 0;
	}
	return 0;
}

/* ---- by cables alone ---- */

static uint32_t hosts_of(const struct ft_snapshot *s, uint32_t node)
{
	const struct ft_node *n = &s->nodes[node];
	uint32_t hosts = 0;

	for (uint32_t p = n->first_port; p < n->first_port + n->port_count; p++) {
		const struct ft_port *far = ft_port_peer(s, &s->ports[p]);

		hosts += far && ft_port_node(s, far)->type == FT_NODE_CA && !ft_chip_port_aggregates(s, p);
	}
	return hosts;
}

/*
 * Where edge switches are no directors and all else is, what is left without those that have hosts is the directors. In
 * a star it is all of the fabric. Returns 0 or -ENOMEM.
 */
static int groups_by_cables(struct ft_groups *g)
{
	const struct ft_snapshot *s = g->chips;
	_cleanup_free_ uint32_t *queue = malloc((s->node_count + 1UL) * sizeof(*queue));
	_cleanup_free_ bool *taken = calloc(s->node_count + 1UL, sizeof(*taken));
	bool star = g->plan->topology == FT_TOPOLOGY_STAR;

	if (!queue || !taken)
		return -ENOMEM;
	g->count = 0;
	for (uint32_t i = 0; i < s->node_count; i++) {
		g->group[i] = FT_NO_GROUP;
		taken[i] = is_switch(s, i) && (star || hosts_of(s, i) * 4 < g->plan->ports_to_nodes);
	}
	for (uint32_t start = 0; start < s->node_count; start++) {
		uint32_t head = 0, tail = 0;

		if (!taken[start] || g->group[start] != FT_NO_GROUP)
			continue;
		queue[tail++] = start;
		g->group[start] = g->count;
		while (head < tail) {
			const struct ft_node *n = &s->nodes[queue[head++]];

			for (uint32_t p = n->first_port; p < n->first_port + n->port_count; p++) {
				const struct ft_port *far = ft_port_peer(s, &s->ports[p]);

				if (!far || !taken[far->node] || g->group[far->node] != FT_NO_GROUP)
					continue;
				g->group[far->node] = g->count;
				queue[tail++] = far->node;
			}
		}
		g->count++;
	}
	return 0;
}

/* ---- what a group looks like ---- */

/* What is at the far end of a port of a grouped node. */
enum far_end { FAR_NOTHING, FAR_INSIDE, FAR_OUTSIDE };

static enum far_end far_end_of(const struct ft_groups *g, uint32_t port)
{
	const struct ft_port *near = &g->chips->ports[port], *far = ft_port_peer(g->chips, near);

	if (!far || ft_chip_port_aggregates(g->chips, port))
		return FAR_NOTHING;
	if (far->node == near->node)
		return FAR_OUTSIDE;
	return g->group[far->node] == g->group[near->node] ? FAR_INSIDE : FAR_OUTSIDE;
}

/*
 * Chips with cables that leave the group are of line boards. Their neighbours in the group are of fabric boards, the
 * neighbours of these of line boards that nothing is plugged into, and so on.
 */
static int roles_spread(struct ft_groups *g)
{
	const struct ft_snapshot *s = g->chips;
	_cleanup_free_ uint32_t *queue = malloc((s->node_count + 1UL) * sizeof(*queue));
	uint32_t tail = 0;

	if (!queue)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->node_count; i++) {
		const struct ft_node *n = &s->nodes[i];

		g->role[i] = FT_CHIP_NONE;
		for (uint32_t p = 0; g->group[i] != FT_NO_GROUP && p < n->port_count; p++)
			if (far_end_of(g, n->first_port + p) == FAR_OUTSIDE)
				g->role[i] = FT_CHIP_LINE;
		if (g->role[i] == FT_CHIP_LINE)
			queue[tail++] = i;
	}
	for (uint32_t head = 0; head < tail; head++) {
		const struct ft_node *n = &s->nodes[queue[head]];

		for (uint32_t p = n->first_port; p < n->first_port + n->port_count; p++) {
			uint32_t far;

			if (far_end_of(g, p) != FAR_INSIDE)
				continue;
			far = ft_port_peer(s, &s->ports[p])->node;
			if (g->role[far] != FT_CHIP_NONE)
				continue;
			g->role[far] = g->role[queue[head]] == FT_CHIP_LINE ? FT_CHIP_FABRIC : FT_CHIP_LINE;
			queue[tail++] = far;
		}
	}
	return 0;
}

/* By how many cables a chip has more to its own role than to the other. */
static int64_t role_doubt(const struct ft_groups *g, uint32_t node)
{
	const struct ft_node *n = &g->chips->nodes[node];
	int64_t doubt = 0;

	for (uint32_t p = n->first_port; p < n->first_port + n->port_count; p++)
		if (far_end_of(g, p) == FAR_INSIDE)
			doubt += g->role[ft_port_peer(g->chips, &g->chips->ports[p])->node] == g->role[node] ? 1 : -1;
	return doubt;
}

/* A cable in a wrong place must not make a fabric chip of a line chip: whoever has more of its own kind changes. */
static void roles_mend(struct ft_groups *g)
{
	enum { ROUNDS = 64 };

	for (unsigned int round = 0; round < ROUNDS; round++) {
		uint32_t worst = FT_NO_NODE;
		int64_t most = 0;

		for (uint32_t i = 0; i < g->chips->node_count; i++) {
			int64_t doubt = g->group[i] != FT_NO_GROUP && g->role[i] != FT_CHIP_NONE ? role_doubt(g, i) : 0;

			if (doubt > most) {
				most = doubt;
				worst = i;
			}
		}
		if (worst == FT_NO_NODE)
			return;
		g->role[worst] = g->role[worst] == FT_CHIP_LINE ? FT_CHIP_FABRIC : FT_CHIP_LINE;
	}
}

static void look_at_node(const struct ft_groups *g, uint32_t node, struct look *look)
{
	const struct ft_node *n = &g->chips->nodes[node];
	bool line = g->role[node] == FT_CHIP_LINE, linked = false;

	look->members++;
	look->lines += line;
	look->fabrics += g->role[node] == FT_CHIP_FABRIC;
	for (uint32_t p = n->first_port; p < n->first_port + n->port_count; p++) {
		const struct ft_port *far = ft_port_peer(g->chips, &g->chips->ports[p]);

		switch (far_end_of(g, p)) {
		case FAR_INSIDE:
			/* Each cable is counted at its end on a line chip, or at the first of two equal ones. */
			if (g->role[far->node] != g->role[node]) {
				look->cross += line;
				linked = true;
			} else {
				look->same += far->node > node;
			}
			break;
		case FAR_OUTSIDE:
			look->outer += line;
			look->fabric_outer += !line;
			break;
		default:
			break;
		}
	}
	look->linked += linked;
}

/*
 * The most outer ports that a director of the plan has, and some more, for a cable may be in a port that should not be
 * there; no plan: as many as anybody makes.
 */
static uint32_t ports_most(const struct ft_plan *plan)
{
	enum { ODD = 4 };
	uint32_t most = plan ? 0 : FT_DIRECTOR_PORTS_MAX;

	for (unsigned int tier = 0; plan && tier < FT_TIER_COUNT; tier++)
		if (ft_tier_has_directors(plan, tier) && ft_ports_planned(plan, tier) > most)
			most = ft_ports_planned(plan, tier);
	return most + most / 8 + ODD;
}

/*
 * A tree of two levels, as far as its cables show; what is wrong with a few of them does not matter. Each line chip has
 * an outer port at least, and fabric chips are fewer than these: what has more chips of either is none.
 */
static bool looks_like_director(const struct ft_groups *g, const struct look *look)
{
	uint32_t most = ports_most(g->plan);

	return look->lines > 0 && look->fabrics > 0 && look->linked * 2 >= look->members &&
	       look->cross >= 9 * look->same && look->cross >= 10 * look->fabric_outer && look->outer <= most &&
	       look->lines <= most && look->fabrics <= most;
}

/* ---- one kind of evidence ---- */

/* Forgets the groups that are no directors, and numbers the others anew, in the order of their first nodes. */
static int groups_sift(struct ft_groups *g, const struct look *looks)
{
	_cleanup_free_ uint32_t *number = malloc((g->count + 1UL) * sizeof(*number));
	uint32_t count = 0;

	if (!number)
		return -ENOMEM;
	for (uint32_t i = 0; i < g->count; i++)
		number[i] = looks[i].director ? count++ : FT_NO_GROUP;
	for (uint32_t i = 0; i < g->chips->node_count; i++)
		if (g->group[i] != FT_NO_GROUP)
			g->group[i] = number[g->group[i]];
	g->count = count;
	return 0;
}

/* Without a plan, all of a fabric is one director only where that is said clearly. */
static bool is_all_and_weak(const struct ft_groups *g, enum evidence evidence, const struct look *look)
{
	uint32_t switches = 0;

	if (g->plan || evidence == BY_CHASSIS || evidence == BY_SLOT)
		return false;
	for (uint32_t i = 0; i < g->chips->node_count; i++)
		switches += is_switch(g->chips, i);
	return look->members == switches;
}

/*
 * A director that has lost all fabric boards is line chips that are cabled to none of each other. Said to belong
 * together clearly, it is one as long as the plan has more directors than were found.
 */
static void bare_take(const struct ft_groups *g, enum evidence evidence, struct look *looks)
{
	uint32_t room = 0;

	if (!g->plan || evidence == BY_DESCRIPTION || evidence == BY_CABLES)
		return;
	for (uint32_t i = 0; i < g->plan->switch_count; i++)
		room += ft_plan_is_director(g->plan, i);
	for (uint32_t i = 0; i < g->count; i++)
		room -= looks[i].director && room > 0;
	for (uint32_t i = 0; room > 0 && i < g->count; i++) {
		if (looks[i].director || looks[i].members < 2 || looks[i].cross + looks[i].same > 0 ||
		    looks[i].outer == 0 || looks[i].outer > ports_most(g->plan))
			continue;
		looks[i].director = true;
		room--;
	}
}

static int groups_judge(struct ft_groups *g, enum evidence evidence)
{
	_cleanup_free_ struct look *looks = calloc(g->count + 1UL, sizeof(*looks));
	int r;

	if (!looks)
		return -ENOMEM;
	r = roles_spread(g);
	if (r < 0)
		return r;
	roles_mend(g);
	for (uint32_t i = 0; i < g->chips->node_count; i++)
		if (g->group[i] != FT_NO_GROUP)
			look_at_node(g, i, &looks[g->group[i]]);
	for (uint32_t i = 0; i < g->count; i++)
		looks[i].director = looks_like_director(g, &looks[i]) && !is_all_and_weak(g, evidence, &looks[i]);
	bare_take(g, evidence, looks);
	return groups_sift(g, looks);
}

/* By how many switches what is there then differs from the plan. */
static uint64_t groups_cost(const struct ft_groups *g)
{
	int64_t directors = g->count, others = 0;

	for (uint32_t i = 0; i < g->chips->node_count; i++)
		others += is_switch(g->chips, i) && g->group[i] == FT_NO_GROUP;
	/* Without a plan: the fewer single switches the better, as long as there are directors. */
	if (!g->plan)
		return g->count == 0 ? UINT64_MAX : (uint64_t)others;
	for (uint32_t i = 0; i < g->plan->switch_count; i++)
		if (ft_plan_is_director(g->plan, i))
			directors--;
		else
			others--;
	return (uint64_t)llabs(directors) + (uint64_t)llabs(others);
}

/* A switch that is cabled to a fabric chip is a line chip of that director: fabric chips have no outer ports. */
static void strays_attach(struct ft_groups *g)
{
	const struct ft_snapshot *s = g->chips;

	for (uint32_t i = 0; i < s->port_count; i++) {
		const struct ft_port *near = &s->ports[i], *far = ft_port_peer(s, near);

		if (!far || g->group[near->node] == FT_NO_GROUP || g->role[near->node] != FT_CHIP_FABRIC ||
		    !is_switch(s, far->node) || g->group[far->node] != FT_NO_GROUP)
			continue;
		g->group[far->node] = g->group[near->node];
		g->role[far->node] = FT_CHIP_LINE;
	}
}

/* ---- groups that are several ---- */

struct parts {
	uint32_t *of;	 /* by node */
	uint32_t *size;	 /* by part */
	uint32_t *group; /* by part */
	uint32_t count;
};

static int parts_number(const struct ft_groups *g, struct parts *p)
{
	const struct ft_snapshot *s = g->chips;
	_cleanup_free_ uint32_t *queue = malloc((s->node_count + 1UL) * sizeof(*queue));

	if (!queue)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->node_count; i++)
		p->of[i] = FT_NO_GROUP;
	for (uint32_t start = 0; start < s->node_count; start++) {
		uint32_t head = 0, tail = 0;

		if (g->group[start] == FT_NO_GROUP || p->of[start] != FT_NO_GROUP)
			continue;
		queue[tail++] = start;
		p->of[start] = p->count;
		while (head < tail) {
			const struct ft_node *n = &s->nodes[queue[head++]];

			for (uint32_t port = n->first_port; port < n->first_port + n->port_count; port++) {
				const struct ft_port *far = ft_port_peer(s, &s->ports[port]);

				if (!far || g->group[far->node] != g->group[start] || p->of[far->node] != FT_NO_GROUP)
					continue;
				p->of[far->node] = p->count;
				queue[tail++] = far->node;
			}
		}
		p->size[p->count] = tail;
		p->group[p->count++] = g->group[start];
	}
	return 0;
}

/*
 * A description, or a SystemImageGUID given by mistake, may be that of several directors, which are not cabled to each
 * other. A chip that is cabled to none stays where it is if there is only one.
 */
static int groups_split(struct ft_groups *g)
{
	_cleanup_free_ uint32_t *of = malloc((g->chips->node_count + 1UL) * sizeof(*of));
	_cleanup_free_ uint32_t *size = calloc(g->chips->node_count + 1UL, sizeof(*size));
	_cleanup_free_ uint32_t *group = calloc(g->chips->node_count + 1UL, sizeof(*group));
	_cleanup_free_ uint32_t *several = calloc(g->count + 1UL, sizeof(*several));
	struct parts p = {of, size, group, 0};
	int r;

	if (!of || !size || !group || !several)
		return -ENOMEM;
	r = parts_number(g, &p);
	if (r < 0)
		return r;
	for (uint32_t i = 0; i < p.count; i++)
		several[group[i]] += size[i] > 1;
	/* What was one group has the number of its parts behind all others. */
	for (uint32_t i = 0; i < g->chips->node_count; i++)
		if (g->group[i] != FT_NO_GROUP && several[g->group[i]] > 1)
			g->group[i] = size[of[i]] > 1 ? g->count + of[i] : FT_NO_GROUP;
	g->count += p.count;
	return 0;
}

/* ---- the best of all kinds ---- */

static int groups_alloc(struct ft_groups *g)
{
	size_t count = g->chips->node_count + 1UL;

	g->group = malloc(count * sizeof(*g->group));
	g->role = calloc(count, sizeof(*g->role));
	g->pattern = calloc(count, sizeof(*g->pattern));
	if (!g->group || !g->role || !g->pattern)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		g->group[i] = FT_NO_GROUP;
	return 0;
}

/* The keys of @evidence, behind those of patterns. */
static int keys_make(struct ft_groups *g, enum evidence evidence, const uint64_t *patterns, uint64_t *keys)
{
	bool any = false;

	for (uint32_t i = 0; i < g->chips->node_count; i++) {
		keys[i] = patterns[i];
		if (keys[i] || !is_switch(g->chips, i))
			continue;
		keys[i] = node_key(g, evidence, i);
		any |= keys[i] != 0;
	}
	return any;
}

/* Cables alone tell nothing where edges are directors, or where other switches without hosts are beside them. */
static bool cables_may_tell(const struct ft_plan *plan)
{
	if (!plan)
		return false;
	if (plan->topology == FT_TOPOLOGY_STAR)
		return true;
	return !ft_tier_has_directors(plan, FT_TIER_EDGE) && plan->levels == 2;
}

static int evidence_try(struct ft_groups *g, enum evidence evidence, const uint64_t *patterns, uint64_t *keys)
{
	int r;

	if (evidence == BY_CABLES) {
		r = cables_may_tell(g->plan) ? groups_by_cables(g) : -ENOENT;
	} else {
		bool any = keys_make(g, evidence, patterns, keys);

		/* The first kind has the patterns tried even where it says nothing itself. */
		r = any || evidence == BY_CHASSIS ? groups_by_keys(g, keys) : -ENOENT;
	}
	if (r == 0 && (evidence == BY_SYSTEM || evidence == BY_DESCRIPTION))
		r = groups_split(g);
	if (r == 0)
		r = groups_judge(g, evidence);
	if (r == 0)
		strays_attach(g);
	return r;
}

static int patterns_read(struct ft_groups *g, uint64_t *keys)
{
	for (uint32_t i = 0; i < g->chips->node_count; i++) {
		int r = 0;

		keys[i] = 0;
		g->pattern[i] = FT_TIER_COUNT;
		if (is_switch(g->chips, i))
			r = pattern_key(g, i, &keys[i], &g->pattern[i]);
		if (r < 0)
			return r;
	}
	return 0;
}

static void groups_swap(struct ft_groups *a, struct ft_groups *b)
{
	struct ft_groups c = *a;

	*a = *b;
	*b = c;
}

int ft_groups_find(const struct ft_snapshot *chips, const struct ft_design *design, const struct ft_plan *plan,
		   struct ft_groups *ret)
{
	_cleanup_(ft_groups_release) struct ft_groups trial = {.chips = chips, .design = design, .plan = plan};
	_cleanup_free_ uint64_t *patterns = malloc((chips->node_count + 1UL) * sizeof(*patterns));
	_cleanup_free_ uint64_t *keys = malloc((chips->node_count + 1UL) * sizeof(*keys));
	uint64_t least = UINT64_MAX;
	int r;

	*ret = trial;
	r = patterns && keys ? groups_alloc(ret) : -ENOMEM;
	if (r == 0)
		r = groups_alloc(&trial);
	if (r == 0)
		r = patterns_read(&trial, patterns);
	if (r < 0)
		return r;
	memcpy(ret->pattern, trial.pattern, chips->node_count * sizeof(*trial.pattern));
	for (unsigned int evidence = 0; evidence < EVIDENCES; evidence++) {
		r = evidence_try(&trial, evidence, patterns, keys);
		if (r == -ENOENT)
			continue;
		if (r < 0)
			return r;
		if (trial.count == 0 || groups_cost(&trial) >= least)
			continue;
		least = groups_cost(&trial);
		groups_swap(ret, &trial);
	}
	return 0;
}
