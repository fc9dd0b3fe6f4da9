/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Groups switch chips into directors. Each kind of evidence groups all of the chips; the grouping that comes closest to
 * the plan's numbers of directors and other switches wins. O(evidence x cables).
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "probe/facts.h"
#include "verify/director/chassis_parts.h"

/* The cabling of a group. */
struct look {
	uint32_t members, lines, fabrics;
	uint32_t linked;       /* members cabled to one of the other role */
	uint32_t cross, same;  /* cables between the roles, and within one */
	uint32_t outer;	       /* cables from line chips to the outside */
	uint32_t fabric_outer; /* cables from other chips to the outside, which should not exist */
	uint32_t to_switches;  /* cables to switches outside */
	bool director;
};

void ft_groups_release(struct ft_groups *g)
{
	free(g->group);
	free(g->role);
	free(g->pattern);
	*g = (struct ft_groups){0};
}

static bool is_switch(const struct ft_chip_graph *g, uint32_t node)
{
	return g->s->nodes[node].type == FT_NODE_SWITCH;
}

/* ---- the graph of chips, and what the plan has ---- */

static int cables_collect(struct ft_chip_graph *g)
{
	const struct ft_snapshot *s = g->s;
	_cleanup_free_ struct ft_edge *edges = malloc((s->port_count + 1UL) * sizeof(*edges));
	uint32_t count = 0;

	if (!edges)
		return -ENOMEM;
	for (uint32_t p = 0; p < s->port_count; p++) {
		uint32_t peer = s->ports[p].peer;

		if (peer != FT_NONE && peer > p && !ft_chip_port_aggregates(s, p) && !ft_chip_port_aggregates(s, peer))
			edges[count++] = (struct ft_edge){s->ports[p].node, s->ports[peer].node, 1};
	}
	return ft_multigraph_make(s->node_count, edges, count, &g->cables);
}

static void plan_read(struct ft_chip_graph *g)
{
	const struct ft_plan *plan = g->plan;
	bool apart = true;

	for (uint32_t i = 0; i < plan->switch_count; i++) {
		const struct ft_plan_switch *sw = &plan->switches[i];
		bool director = ft_plan_is_director(plan, i);

		if (director && sw->ports > g->ports[sw->tier])
			g->ports[sw->tier] = sw->ports;
		g->directors += director;
		g->others += !director;
		g->hosts = sw->hosts > g->hosts ? sw->hosts : g->hosts;
		apart &= director != plan->kinds[sw->kind].may_host;
	}
	for (uint32_t i = 0; i < plan->bundle_count; i++)
		apart &= !ft_plan_is_director(plan, plan->bundles[i].a) ||
			 !ft_plan_is_director(plan, plan->bundles[i].b);
	g->apart = apart || plan->switch_count == 1;
}

int ft_chip_graph_make(const struct ft_snapshot *chips, const struct ft_design *design, const struct ft_plan *plan,
		       struct ft_chip_graph *ret)
{
	*ret = (struct ft_chip_graph){.s = chips, .design = design, .plan = plan};
	if (plan)
		plan_read(ret);
	return cables_collect(ret);
}

uint32_t ft_chip_hosts(const struct ft_chip_graph *g, uint32_t node)
{
	uint32_t hosts = 0;

	ft_each_adjacent(a, &g->cables, node)
		hosts += g->s->nodes[a->vertex].type == FT_NODE_CA ? a->count : 0;
	return hosts;
}

/* ---- keys: nodes with the same key belong together; 0: no evidence ---- */

static uint64_t bytes_hash(const char *bytes, size_t length, uint64_t salt)
{
	uint64_t hash = ft_hash_pair(ft_hash_bytes(bytes, length), salt);

	return hash ? hash : 1;
}

static uint64_t chassis_key(const struct ft_chip_graph *g, uint32_t node)
{
	return g->s->nodes[node].chassis;
}

static uint64_t slot_key(const struct ft_chip_graph *g, uint32_t node)
{
	const struct ft_node *n = &g->s->nodes[node];
	const char *description = ft_node_description(g->s, n);
	struct ft_slot slot;

	if (!ft_slot_read(description, n->description_length, &slot) || (!g->plan && !slot.plain))
		return 0;
	return bytes_hash(description, slot.chassis_length, 0);
}

static uint64_t system_key(const struct ft_chip_graph *g, uint32_t node)
{
	return g->s->nodes[node].system_guid;
}

/* True for what a factory calls all switches of a chip: "SwitchIB Mellanox Technologies". */
static bool is_factory_name(const char *description, size_t length)
{
	static const char *const chips[] = {"MT", "Infiniscale", "SwitchX", "SwitchIB", "Quantum"};
	static const char maker[] = " Mellanox Technologies";
	bool chip = false;

	for (size_t i = 0; i < FT_COUNT(chips); i++)
		chip |= length > strlen(chips[i]) && memcmp(description, chips[i], strlen(chips[i])) == 0;
	return chip && length > strlen(maker) &&
	       memcmp(description + length - strlen(maker), maker, strlen(maker)) == 0;
}

/*
 * Switches that are systems of their own are no chips of one because a factory named them all alike. The case that bit:
 * an island of unmanaged switches under a managed top.
 */
static uint64_t description_key(const struct ft_chip_graph *g, uint32_t node)
{
	const struct ft_node *n = &g->s->nodes[node];
	const char *description = ft_node_description(g->s, n);
	size_t length = n->description_length;

	while (length > 0 && description[length - 1] == ' ')
		length--;
	if (length == 0 || (n->system_guid == n->guid && is_factory_name(description, length)))
		return 0;
	return bytes_hash(description, length, 0);
}

/* If hosts are on all switches except directors: directors are the connected parts of the switches without hosts. */
static uint64_t cables_key(const struct ft_chip_graph *g, uint32_t node)
{
	return g->apart && (g->plan->switch_count == 1 || ft_chip_hosts(g, node) * 4 < g->hosts);
}

/*
 * The most reliable evidence first: it wins if two explain as much.
 * @first   the patterns are tried even if it says nothing itself
 * @clear   so clear that cables need not confirm it
 * @lone    sufficient to take a whole fabric without a plan for one director
 * @shared  several directors, not cabled to each other, may have the same key
 * @cables  only says that they are cabled to each other
 */
static const struct evidence {
	uint64_t (*key)(const struct ft_chip_graph *g, uint32_t node);
	bool first, clear, lone, shared, cables;
} evidences[] = {
	{.key = chassis_key, .first = true, .clear = true, .lone = true},
	{.key = slot_key, .clear = true, .lone = true},
	{.key = system_key, .clear = true, .shared = true},
	{.key = description_key, .shared = true},
	{.key = cables_key, .shared = true, .cables = true},
};

/* The key that a chassis pattern gives each node, and the kind of the pattern. Returns 0 or -ENOMEM. */
static int patterns_read(struct ft_groups *g, uint64_t *keys)
{
	const struct ft_snapshot *s = g->g->s;

	for (uint32_t i = 0; i < s->node_count; i++) {
		const char *description = ft_node_description(s, &s->nodes[i]);
		int r = 0;

		g->pattern[i] = FT_DIRECTOR_KINDS;
		for (uint8_t kind = 0; g->g->design && is_switch(g->g, i) && r == 0 && kind < FT_DIRECTOR_KINDS;
		     kind++) {
			const struct ft_pattern *pattern = g->g->design->roles[kind].chassis;
			size_t start, end;

			r = pattern ? ft_pattern_find(pattern, description, s->nodes[i].description_length, &start,
						      &end)
				    : 0;
			if (r <= 0)
				continue;
			keys[i] = bytes_hash(description + start, end - start, kind + 1U);
			g->pattern[i] = kind;
		}
		if (r < 0)
			return r;
	}
	return 0;
}

/* Numbers the groups by keys, those of @patterns first. -ENOENT: no evidence. */
static int groups_by_keys(struct ft_groups *g, const struct evidence *evidence, const uint64_t *patterns)
{
	_cleanup_(ft_map_release) struct ft_map map = {0};
	bool any = evidence->first;

	g->count = 0;
	for (uint32_t i = 0; i < g->g->s->node_count; i++) {
		uint64_t key = patterns[i];
		int r;

		g->group[i] = FT_NO_GROUP;
		if (!key && is_switch(g->g, i)) {
			key = evidence->key(g->g, i);
			any |= key != 0;
		}
		if (key == 0)
			continue;
		r = ft_map_add(&map, key, g->count, &g->group[i]);
		if (r < 0)
			return r;
		g->count += r > 0;
	}
	return any ? 0 : -ENOENT;
}

/* ---- splitting groups ---- */

/* Splits a group into its connected parts. A chip without cables stays if there are at most @most parts. */
static int groups_split(struct ft_groups *g, uint32_t most)
{
	const struct ft_multigraph *cables = &g->g->cables;
	_cleanup_free_ uint32_t *part = malloc((cables->count + 1UL) * sizeof(*part));
	_cleanup_free_ uint32_t *size = calloc(cables->count + 1UL, sizeof(*size));
	_cleanup_free_ uint32_t *several = calloc(g->count + 1UL, sizeof(*several));

	if (!part || !size || !several)
		return -ENOMEM;
	ft_number_begin(part, cables->count);
	for (uint32_t i = 0; i < cables->count; i++)
		ft_each_adjacent(a, cables, i)
			if (g->group[i] != FT_NO_GROUP && g->group[a->vertex] == g->group[i])
				ft_number_join(part, i, a->vertex);
	ft_number_sets(part, cables->count);
	for (uint32_t i = 0; i < cables->count; i++)
		if (g->group[i] != FT_NO_GROUP)
			several[g->group[i]] += ++size[part[i]] == 2;
	for (uint32_t i = 0; i < cables->count; i++)
		if (g->group[i] != FT_NO_GROUP && several[g->group[i]] > most)
			g->group[i] = size[part[i]] > 1 ? g->count + part[i] : FT_NO_GROUP;
	g->count += cables->count;
	return 0;
}

/* ---- roles ---- */

/*
 * Alternates roles by breadth-first search: chips with cables that leave the group are on line boards, their neighbours
 * in the group on fabric boards, the neighbours of these on line boards without outer cables, and so on.
 */
static int roles_spread(struct ft_groups *g)
{
	const struct ft_multigraph *cables = &g->g->cables;
	_cleanup_free_ uint32_t *queue = malloc((cables->count + 1UL) * sizeof(*queue));
	uint32_t tail = 0;

	if (!queue)
		return -ENOMEM;
	for (uint32_t i = 0; i < cables->count; i++) {
		g->role[i] = FT_CHIP_NONE;
		for (const struct ft_adjacent *a = ft_adjacent_of(cables, i);
		     g->group[i] != FT_NO_GROUP && a < ft_adjacent_of(cables, i + 1); a++)
			if (g->group[a->vertex] != g->group[i])
				g->role[i] = FT_CHIP_LINE;
		if (g->role[i] == FT_CHIP_LINE)
			queue[tail++] = i;
	}
	for (uint32_t head = 0; head < tail; head++)
		ft_each_adjacent(a, cables, queue[head]) {
			if (g->group[a->vertex] != g->group[queue[head]] || g->role[a->vertex] != FT_CHIP_NONE)
				continue;
			g->role[a->vertex] = g->role[queue[head]] == FT_CHIP_LINE ? FT_CHIP_FABRIC : FT_CHIP_LINE;
			queue[tail++] = a->vertex;
		}
	return 0;
}

/* The number of cables to chips of its own role, minus those to chips of the other. */
static int64_t role_doubt(const struct ft_groups *g, uint32_t node)
{
	const struct ft_multigraph *cables = &g->g->cables;
	int64_t doubt = 0;

	if (g->group[node] == FT_NO_GROUP || g->role[node] == FT_CHIP_NONE)
		return 0;
	ft_each_adjacent(a, cables, node)
		if (g->group[a->vertex] == g->group[node])
			doubt += g->role[a->vertex] == g->role[node] ? (int64_t)a->count : -(int64_t)a->count;
	return doubt;
}

/*
 * Corrects roles: a chip with more cables to its own role than to the other changes its role, so that one misplaced
 * cable does not turn a fabric chip into a line chip.
 */
static void roles_mend(struct ft_groups *g)
{
	enum { ROUNDS = 64 };

	for (unsigned int round = 0; round < ROUNDS; round++) {
		uint32_t worst = FT_NONE;
		int64_t most = 0;

		for (uint32_t i = 0; i < g->g->s->node_count; i++) {
			int64_t doubt = role_doubt(g, i);

			if (doubt > most) {
				most = doubt;
				worst = i;
			}
		}
		if (worst == FT_NONE)
			return;
		g->role[worst] = g->role[worst] == FT_CHIP_LINE ? FT_CHIP_FABRIC : FT_CHIP_LINE;
	}
}

/* ---- the shape of a group ---- */

static void look_at_node(const struct ft_groups *g, uint32_t node, struct look *look)
{
	const struct ft_multigraph *cables = &g->g->cables;
	bool line = g->role[node] == FT_CHIP_LINE, linked = false;

	look->members++;
	look->lines += line;
	look->fabrics += g->role[node] == FT_CHIP_FABRIC;
	ft_each_adjacent(a, cables, node) {
		bool inside = g->group[a->vertex] == g->group[node], cross = g->role[a->vertex] != g->role[node];

		/* Counts each inner cable at its end on a line chip, or at the first of two equal ends. */
		linked |= inside && cross;
		look->cross += inside && cross && line ? a->count : 0;
		look->same += inside && !cross && a->vertex > node ? a->count : 0;
		look->outer += !inside && line ? a->count : 0;
		look->fabric_outer += !inside && !line ? a->count : 0;
		look->to_switches += !inside && is_switch(g->g, a->vertex) ? a->count : 0;
	}
	look->linked += linked;
}

/* The outer ports of the largest planned director, and some for misplaced cables; no plan: of the largest product. */
static uint32_t ports_most(const struct ft_chip_graph *g)
{
	enum { ODD = 4 };
	uint32_t most = g->plan ? 0 : FT_DIRECTOR_PORTS_MAX;

	for (unsigned int kind = 0; kind < FT_DIRECTOR_KINDS; kind++)
		most = g->ports[kind] > most ? g->ports[kind] : most;
	return most + most / 8 + ODD;
}

/*
 * True if its cables form a tree of depth one, ignoring a few wrong ones. Each line chip has at least one outer port,
 * and there are fewer fabric chips than outer ports: a group with more than @most chips of a role is none.
 */
static bool looks_like_director(const struct look *look, uint32_t most)
{
	return look->lines > 0 && look->fabrics > 0 && look->linked * 2 >= look->members &&
	       look->cross >= 9 * look->same && look->cross >= 10 * look->fabric_outer && look->outer <= most &&
	       look->lines <= most && look->fabrics <= most;
}

/*
 * True if the group is a whole fabric without a plan, and the evidence is not clear enough for one director. Two rails
 * of switches with one description are two fabrics: each part that no other switch is cabled to is a whole one.
 */
static bool is_all_and_weak(const struct ft_groups *g, const struct evidence *evidence, const struct look *look)
{
	uint32_t switches = 0;

	if (g->g->plan || evidence->lone)
		return false;
	for (uint32_t i = 0; i < g->g->s->node_count; i++)
		switches += is_switch(g->g, i);
	return look->members == switches || (!evidence->clear && look->to_switches == 0);
}

/*
 * A director that has lost all fabric boards is a set of line chips without cables between them. With clear evidence it
 * is taken as long as the plan has more directors than were found.
 */
static void bare_take(const struct ft_groups *g, struct look *looks)
{
	uint32_t room = g->g->directors, most = ports_most(g->g);

	for (uint32_t i = 0; i < g->count; i++)
		room -= looks[i].director && room > 0;
	for (uint32_t i = 0; room > 0 && i < g->count; i++) {
		if (looks[i].director || looks[i].members < 2 || looks[i].cross + looks[i].same > 0 ||
		    looks[i].outer == 0 || looks[i].outer > most)
			continue;
		looks[i].director = true;
		room--;
	}
}

/* Drops groups that are not directors, and renumbers the others in the order of their first nodes. */
static int groups_judge(struct ft_groups *g, const struct evidence *evidence)
{
	_cleanup_free_ struct look *looks = calloc(g->count + 1UL, sizeof(*looks));
	_cleanup_free_ uint32_t *number = malloc((g->count + 1UL) * sizeof(*number));
	uint32_t count = 0, most = ports_most(g->g);
	int r = looks && number ? roles_spread(g) : -ENOMEM;

	if (r < 0)
		return r;
	roles_mend(g);
	for (uint32_t i = 0; i < g->g->s->node_count; i++)
		if (g->group[i] != FT_NO_GROUP)
			look_at_node(g, i, &looks[g->group[i]]);
	for (uint32_t i = 0; i < g->count; i++)
		looks[i].director = looks_like_director(&looks[i], most) && !is_all_and_weak(g, evidence, &looks[i]);
	if (evidence->clear)
		bare_take(g, looks);
	for (uint32_t i = 0; i < g->count; i++)
		number[i] = looks[i].director ? count++ : FT_NO_GROUP;
	for (uint32_t i = 0; i < g->g->s->node_count; i++)
		if (g->group[i] != FT_NO_GROUP)
			g->group[i] = number[g->group[i]];
	g->count = count;
	return 0;
}

/* An ungrouped switch on a fabric chip is a line chip of that director: fabric chips have no outer ports. */
static void strays_attach(struct ft_groups *g)
{
	const struct ft_multigraph *cables = &g->g->cables;

	for (uint32_t i = 0; i < cables->count; i++)
		for (const struct ft_adjacent *a = ft_adjacent_of(cables, i);
		     g->group[i] != FT_NO_GROUP && g->role[i] == FT_CHIP_FABRIC && a < ft_adjacent_of(cables, i + 1);
		     a++) {
			if (!is_switch(g->g, a->vertex) || g->group[a->vertex] != FT_NO_GROUP)
				continue;
			g->group[a->vertex] = g->group[i];
			g->role[a->vertex] = FT_CHIP_LINE;
		}
}

/* ---- the best evidence ---- */

/* The difference between the resulting numbers of switches and those of the plan. */
static uint64_t groups_cost(const struct ft_groups *g)
{
	int64_t others = 0;

	for (uint32_t i = 0; i < g->g->s->node_count; i++)
		others += is_switch(g->g, i) && g->group[i] == FT_NO_GROUP;
	/* Without a plan: the fewer single switches the better, as long as there are directors. */
	if (!g->g->plan)
		return (uint64_t)others;
	return (uint64_t)llabs((int64_t)g->count - g->g->directors) + (uint64_t)llabs(others - (int64_t)g->g->others);
}

static int evidence_try(struct ft_groups *g, const struct evidence *evidence, const uint64_t *patterns)
{
	int r = groups_by_keys(g, evidence, patterns);

	if (r == 0 && evidence->shared)
		r = groups_split(g, evidence->cables ? 0 : 1);
	if (r == 0)
		r = groups_judge(g, evidence);
	if (r == 0)
		strays_attach(g);
	return r;
}

static int groups_alloc(struct ft_groups *g)
{
	size_t count = g->g->s->node_count + 1UL;

	g->group = malloc(count * sizeof(*g->group));
	g->role = calloc(count, sizeof(*g->role));
	g->pattern = calloc(count, sizeof(*g->pattern));
	for (uint32_t i = 0; g->group && i < count; i++)
		g->group[i] = FT_NO_GROUP;
	return g->group && g->role && g->pattern ? 0 : -ENOMEM;
}

int ft_groups_find(const struct ft_chip_graph *graph, struct ft_groups *ret)
{
	_cleanup_(ft_groups_release) struct ft_groups trial = {.g = graph};
	_cleanup_free_ uint64_t *patterns = calloc(graph->s->node_count + 1UL, sizeof(*patterns));
	uint64_t least = UINT64_MAX;
	int r;

	*ret = trial;
	r = patterns ? groups_alloc(ret) : -ENOMEM;
	if (r == 0)
		r = groups_alloc(&trial) ?: patterns_read(&trial, patterns);
	if (r < 0)
		return r;
	memcpy(ret->pattern, trial.pattern, graph->s->node_count * sizeof(*trial.pattern));
	for (size_t i = 0; i < FT_COUNT(evidences); i++) {
		struct ft_groups other = *ret;

		r = evidence_try(&trial, &evidences[i], patterns);
		if (r < 0 && r != -ENOENT)
			return r;
		if (r < 0 || trial.count == 0 || groups_cost(&trial) >= least)
			continue;
		least = groups_cost(&trial);
		*ret = trial;
		trial = other;
	}
	return 0;
}
