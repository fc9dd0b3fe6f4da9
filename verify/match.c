/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Which live switch is which planned one, so that the fewest faults explain what is seen.
 *
 * First tiers: bound names decide; else the split into edges and cores that leaves the fewest cables inside a tier and
 * the fewest hosts on cores. Then cores to planned cores, by how well their bundles fit; planned cores of one bundle
 * width are interchangeable, so it is classes that are assigned, and only then, among equals, names. Then edges.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verify/model.h"

/* ---- tiers ---- */

enum { LABEL_ROUNDS = 64 };

/* A split of the live switches under trial: one tier each. */
struct split {
	enum ft_tier *tier;
	uint64_t cost;
};

static bool tier_is_bound(const struct ft_bind *bind)
{
	return bind->count > 0 || bind->match;
}

/* 1 where @bind means the switch, 0 where not, or -ENOMEM. */
static int bind_names(const struct ft_bind *bind, const struct ft_model *m, const struct ft_live_switch *sw)
{
	const struct ft_node *node = &m->snapshot->nodes[sw->node];
	const char *description = ft_node_description(m->snapshot, node);

	if (bind->match)
		return ft_pattern_matches(bind->match, description, node->description_length);
	for (size_t i = 0; i < bind->count; i++)
		if (bind->guids[i] ? bind->guids[i] == sw->guid : strcmp(bind->names[i], description) == 0)
			return 1;
	return 0;
}

static int tiers_bind(struct ft_model *m)
{
	for (uint32_t i = 0; i < m->live.switch_count; i++) {
		struct ft_live_switch *sw = &m->live.switches[i];

		for (unsigned int t = 0; t < FT_TIER_COUNT; t++) {
			int r = tier_is_bound(&m->design->binds[t]) ? bind_names(&m->design->binds[t], m, sw) : 0;

			if (r < 0)
				return r;
			if (r == 0)
				continue;
			sw->tier = t;
			sw->tier_bound = true;
			break;
		}
	}
	return 0;
}

static void links_by_tier(const struct ft_live *live, const enum ft_tier *tier, uint32_t i, uint32_t *ret_edge,
			  uint32_t *ret_core)
{
	const struct ft_live_switch *sw = &live->switches[i];
	uint32_t count[FT_TIER_COUNT] = {0};

	for (uint32_t n = 0; n < sw->cable_count; n++) {
		uint32_t far = ft_cable_far(&live->cables[live->at[sw->first_cable + n]], i);

		if (far != i && !live->switches[far].tolerated)
			count[tier[far]]++;
	}
	*ret_edge = count[FT_TIER_EDGE];
	*ret_core = count[FT_TIER_CORE];
}

static uint32_t beyond(uint32_t count, uint32_t planned)
{
	return count > planned ? count - planned : 0;
}

/* Far fewer hosts than any planned edge has: a core with a host or two looks so. Worth half a fault, to break ties. */
static bool is_nearly_empty(const struct ft_model *m, uint32_t live)
{
	return m->edges > 0 && m->live.switches[live].hosts * 4 < m->plan->switches[m->edges - 1].hosts;
}

/* Cables inside a tier, hosts on cores, and switches beyond the planned number of a tier; in halves of a fault. */
static uint64_t split_cost(const struct ft_model *m, const enum ft_tier *tier)
{
	uint64_t inside = 0, hosts = 0, empty = 0;
	uint32_t count[FT_TIER_COUNT] = {0};

	for (uint32_t i = 0; i < m->live.switch_count; i++) {
		if (m->live.switches[i].tolerated)
			continue;
		count[tier[i]]++;
		if (tier[i] == FT_TIER_CORE)
			hosts += m->live.switches[i].hosts;
		else
			empty += is_nearly_empty(m, i);
	}
	for (uint32_t i = 0; i < m->live.cable_count; i++)
		inside += m->live.cables[i].a != m->live.cables[i].b &&
			  !m->live.switches[m->live.cables[i].a].tolerated &&
			  !m->live.switches[m->live.cables[i].b].tolerated &&
			  tier[m->live.cables[i].a] == tier[m->live.cables[i].b];
	return 2 * (inside + hosts + beyond(count[FT_TIER_EDGE], m->edges) + beyond(count[FT_TIER_CORE], m->cores)) +
	       empty;
}

/* Moves single switches to the other tier as long as that makes the split cheaper. */
static void split_improve(const struct ft_model *m, struct split *split)
{
	uint32_t count[FT_TIER_COUNT] = {0};
	bool moved = true;

	for (uint32_t i = 0; i < m->live.switch_count; i++)
		count[split->tier[i]] += !m->live.switches[i].tolerated;
	for (unsigned int round = 0; moved && round < LABEL_ROUNDS; round++) {
		moved = false;
		for (uint32_t i = 0; i < m->live.switch_count; i++) {
			const struct ft_live_switch *sw = &m->live.switches[i];
			bool core = split->tier[i] == FT_TIER_CORE;
			uint32_t edge_links, core_links;
			int64_t as_edge, as_core;

			if (sw->tier_bound || sw->tolerated)
				continue;
			links_by_tier(&m->live, split->tier, i, &edge_links, &core_links);
			as_edge = 2 * ((int64_t)edge_links + (count[FT_TIER_EDGE] - !core >= m->edges)) +
				  is_nearly_empty(m, i);
			as_core = 2 * ((int64_t)core_links + sw->hosts + (count[FT_TIER_CORE] - core >= m->cores));
			if (core ? as_edge >= as_core : as_core >= as_edge)
				continue;
			count[split->tier[i]]--;
			split->tier[i] = core ? FT_TIER_EDGE : FT_TIER_CORE;
			count[split->tier[i]]++;
			moved = true;
		}
	}
	split->cost = split_cost(m, split->tier);
}

/* Start 1: hosts hang on edges. */
static void split_by_hosts(const struct ft_model *m, enum ft_tier *tier)
{
	for (uint32_t i = 0; i < m->live.switch_count; i++)
		tier[i] = m->live.switches[i].hosts > 0 ? FT_TIER_EDGE : FT_TIER_CORE;
}

/* Start 2: every cable crosses tiers, counted from the switch with the most hosts: right where few hosts are up. */
static int split_by_parity(const struct ft_model *m, enum ft_tier *tier)
{
	const struct ft_live *live = &m->live;
	_cleanup_free_ uint32_t *queue = malloc((live->switch_count + 1) * sizeof(*queue));
	_cleanup_free_ bool *done = calloc(live->switch_count + 1, sizeof(*done));

	if (!queue || !done)
		return -ENOMEM;
	for (uint32_t part = 0; part < live->part_count; part++) {
		uint32_t head = 0, tail = 0, start = FT_NONE;

		for (uint32_t i = 0; i < live->switch_count; i++)
			if (live->switches[i].part == part &&
			    (start == FT_NONE || live->switches[i].hosts > live->switches[start].hosts))
				start = i;
		if (start == FT_NONE)
			continue;
		queue[tail++] = start;
		done[start] = true;
		tier[start] = live->switches[start].hosts > 0 ? FT_TIER_EDGE : FT_TIER_CORE;
		while (head < tail) {
			uint32_t here = queue[head++];
			const struct ft_live_switch *sw = &live->switches[here];

			for (uint32_t n = 0; n < sw->cable_count; n++) {
				uint32_t far = ft_cable_far(&live->cables[live->at[sw->first_cable + n]], here);

				if (done[far])
					continue;
				done[far] = true;
				tier[far] = tier[here] == FT_TIER_EDGE ? FT_TIER_CORE : FT_TIER_EDGE;
				queue[tail++] = far;
			}
		}
	}
	return 0;
}

/* Start 3: by the size of the switch, where edges and cores differ in it. An aggregation port is one more. */
static void split_by_ports(const struct ft_model *m, enum ft_tier *tier)
{
	for (uint32_t i = 0; i < m->live.switch_count; i++) {
		uint32_t ports = m->snapshot->nodes[m->live.switches[i].node].port_count;

		tier[i] =
			ports == m->plan->core_ports || ports == m->plan->core_ports + 1 ? FT_TIER_CORE : FT_TIER_EDGE;
	}
}

enum { STARTS = 3 };

static int split_start(const struct ft_model *m, unsigned int start, enum ft_tier *tier)
{
	int r = 0;

	if (start == 1)
		r = split_by_parity(m, tier);
	else if (start == 2 && m->plan->core_ports != m->plan->edge_ports)
		split_by_ports(m, tier);
	else
		split_by_hosts(m, tier);
	for (uint32_t i = 0; r == 0 && i < m->live.switch_count; i++)
		if (m->live.switches[i].tier_bound)
			tier[i] = m->live.switches[i].tier;
	return r;
}

static int tiers_tell(struct ft_model *m)
{
	uint32_t n = m->live.switch_count;
	struct split best = {NULL, UINT64_MAX};
	int r;

	r = tiers_bind(m);
	if (r < 0)
		return r;
	if (m->cores == 0) {
		for (uint32_t i = 0; i < n; i++)
			m->live.switches[i].tier = FT_TIER_EDGE;
		return 0;
	}
	for (unsigned int start = 0; r == 0 && start < STARTS; start++) {
		struct split split = {malloc((n + 1) * sizeof(*split.tier)), 0};

		r = split.tier ? split_start(m, start, split.tier) : -ENOMEM;
		if (r == 0)
			split_improve(m, &split);
		if (r == 0 && split.cost < best.cost) {
			free(best.tier);
			best = split;
		} else {
			free(split.tier);
		}
	}
	for (uint32_t i = 0; r == 0 && i < n; i++)
		m->live.switches[i].tier = best.tier[i];
	free(best.tier);
	return r;
}

/* ---- who is who within a tier ---- */

/* The live switches of a tier that wait for a planned one, and the planned ones that are free. */
struct roster {
	struct ft_model *m;
	enum ft_tier tier;
	uint32_t first_planned; /* index of the tier's first planned switch */
	uint32_t planned_count;
	uint32_t *live; /* waiting live switches */
	uint32_t live_count;
	uint32_t *class_of; /* by planned switch of the tier: its class */
	uint32_t class_count;
	uint32_t *value; /* by class: bundle width (cores) or hosts (edges) */
	int64_t *cost;	 /* by [waiting live * class_count + class]: how badly it fits, to tell classes apart */
	uint64_t *drop;	 /* by waiting live: the findings it makes if it is unplanned, in halves */
	int64_t *best;	 /* by waiting live: the findings it makes in the best place, in halves */
	uint32_t *named; /* by waiting live: the free place (from 0 in the tier) whose name it carries, or FT_NONE */
};

static void roster_release(struct roster *r)
{
	free(r->live);
	free(r->class_of);
	free(r->value);
	free(r->cost);
	free(r->drop);
	free(r->best);
	free(r->named);
}

/* Which free places of the tier the waiting switches name. */
static int roster_names(struct roster *r)
{
	const struct ft_model *m = r->m;
	_cleanup_(ft_map_release) struct ft_map places = {0};

	for (uint32_t i = 0; i < r->planned_count; i++) {
		if (m->live_of[r->first_planned + i] != FT_NONE)
			continue;
		if (ft_map_add(&places, ft_text_hash(m->plan->switches[r->first_planned + i].name), i, NULL) < 0)
			return -ENOMEM;
	}
	for (uint32_t i = 0; i < r->live_count; i++) {
		const char *name = m->live.switches[r->live[i]].name;
		uint32_t place = ft_map_get(&places, ft_text_hash(name));

		if (place != FT_MAP_NONE && strcmp(m->plan->switches[r->first_planned + place].name, name) != 0)
			place = FT_NONE;
		r->named[i] = place;
	}
	return 0;
}

/* Groups the planned switches of the tier by what tells them apart by structure. */
static int roster_init(struct roster *r, struct ft_model *m, enum ft_tier tier)
{
	uint32_t n = m->live.switch_count;

	*r = (struct roster){.m = m, .tier = tier};
	r->first_planned = tier == FT_TIER_EDGE ? 0 : m->edges;
	r->planned_count = tier == FT_TIER_EDGE ? m->edges : m->cores;
	r->live = malloc((n + 1) * sizeof(*r->live));
	r->class_of = malloc((r->planned_count + 1UL) * sizeof(*r->class_of));
	r->value = malloc((r->planned_count + 1UL) * sizeof(*r->value));
	if (!r->live || !r->class_of || !r->value)
		return -ENOMEM;
	for (uint32_t i = 0; i < r->planned_count; i++) {
		uint32_t value = tier == FT_TIER_EDGE ? m->plan->switches[i].hosts : m->column[i], c = 0;

		while (c < r->class_count && r->value[c] != value)
			c++;
		if (c == r->class_count)
			r->value[r->class_count++] = value;
		r->class_of[i] = c;
	}
	for (uint32_t i = 0; i < n; i++) {
		const struct ft_live_switch *sw = &m->live.switches[i];

		/* Where a tier is bound by pattern, nothing else belongs to it. */
		if (sw->tier != tier || sw->planned != FT_NONE || sw->tolerated ||
		    (m->design->binds[tier].match && !sw->tier_bound))
			continue;
		r->live[r->live_count++] = i;
	}
	r->cost = calloc((size_t)r->live_count * (r->class_count + 1UL) + 1, sizeof(*r->cost));
	r->drop = calloc(r->live_count + 1UL, sizeof(*r->drop));
	r->best = calloc(r->live_count + 1UL, sizeof(*r->best));
	r->named = calloc(r->live_count + 1UL, sizeof(*r->named));
	return r->cost && r->drop && r->best && r->named ? roster_names(r) : -ENOMEM;
}

static void planned_take(struct ft_model *m, uint32_t planned, uint32_t live)
{
	m->live_of[planned] = live;
	m->live.switches[live].planned = planned;
}

/* Bound names and GUIDs decide before anything else. */
static void bound_take(struct ft_model *m, enum ft_tier tier, uint32_t first)
{
	const struct ft_bind *bind = &m->design->binds[tier];

	for (size_t n = 0; n < bind->count; n++)
		for (uint32_t i = 0; i < m->live.switch_count; i++) {
			const struct ft_live_switch *sw = &m->live.switches[i];
			const char *description = ft_node_description(m->snapshot, &m->snapshot->nodes[sw->node]);

			if (sw->planned != FT_NONE ||
			    (bind->guids[n] ? bind->guids[n] != sw->guid : strcmp(bind->names[n], description) != 0))
				continue;
			planned_take(m, first + (uint32_t)n, i);
			break;
		}
}

/* The findings that @seen cables of a pair make where @planned are: one for those that lack, one a cable too many. */
static uint32_t pair_faults(uint32_t seen, uint32_t planned)
{
	return seen < planned ? 1 : seen - planned;
}

/*
 * What makes a switch that fits badly a stranger rather than a cripple: not the planned number of ports (one more is an
 * aggregation node's), and no more than half the cables of its place. Halves of a fault.
 */
static uint32_t strangeness(const struct ft_model *m, const struct ft_live_switch *sw, uint32_t planned_ports,
			    uint64_t right, uint64_t row)
{
	uint32_t ports = m->snapshot->nodes[sw->node].port_count;

	return 2U * (ports != planned_ports && ports != planned_ports + 1) + (right * 2 <= row);
}

/*
 * For each waiting core: how far its bundles are from a place of each class, in cables, which tells classes apart; and,
 * which tells it from a stranger, the findings it makes in the best of them and those it makes as an unplanned switch.
 */
static int cores_price(struct roster *r, uint32_t edges_seen)
{
	struct ft_model *m = r->m;
	_cleanup_free_ uint32_t *links = calloc(m->live.switch_count + 1UL, sizeof(*links));
	_cleanup_free_ int64_t *faults = calloc(r->class_count + 1UL, sizeof(*faults));

	if (!links || !faults)
		return -ENOMEM;
	for (uint32_t i = 0; i < r->live_count; i++) {
		const struct ft_live_switch *sw = &m->live.switches[r->live[i]];
		int64_t *cost = &r->cost[(size_t)i * r->class_count];
		uint64_t total = 0;

		for (uint32_t c = 0; c < r->class_count; c++) {
			cost[c] = (int64_t)r->value[c] * edges_seen;
			faults[c] = r->value[c] > 0 ? edges_seen : 0;
		}
		for (uint32_t n = 0; n < sw->cable_count; n++) {
			uint32_t far = ft_cable_far(&m->live.cables[m->live.at[sw->first_cable + n]], r->live[i]);

			if (m->live.switches[far].tier == FT_TIER_EDGE && !m->live.switches[far].tolerated)
				links[far]++;
		}
		for (uint32_t n = 0; n < sw->cable_count; n++) {
			uint32_t far = ft_cable_far(&m->live.cables[m->live.at[sw->first_cable + n]], r->live[i]);

			if (!links[far])
				continue;
			for (uint32_t c = 0; c < r->class_count; c++) {
				cost[c] += llabs((int64_t)links[far] - r->value[c]) - r->value[c];
				faults[c] += (int64_t)pair_faults(links[far], r->value[c]) - (r->value[c] > 0);
			}
			total += links[far];
			links[far] = 0;
		}
		r->best[i] = INT64_MAX;
		for (uint32_t c = 0; c < r->class_count; c++) {
			int64_t halves = 2 * faults[c] + strangeness(m, sw, m->plan->core_ports, total,
								     (uint64_t)r->value[c] * edges_seen);

			r->best[i] = halves < r->best[i] ? halves : r->best[i];
		}
		r->drop[i] = 2 * (2 + total);
	}
	return 0;
}

/*
 * The same for edges. Their rows are all alike, so what tells classes apart is hosts: the fewest too few or too many,
 * then the fewest edges that differ. An edge without the hosts that every planned one has is a fault.
 */
static int edges_price(struct roster *r)
{
	struct ft_model *m = r->m;
	_cleanup_free_ uint32_t *links = calloc(m->cores + 1UL, sizeof(*links));

	if (!links)
		return -ENOMEM;
	for (uint32_t i = 0; i < r->live_count; i++) {
		const struct ft_live_switch *sw = &m->live.switches[r->live[i]];
		uint64_t total = 0, row = 0;
		uint32_t faults = 0;
		bool hostless = sw->hosts == 0;

		memset(links, 0, m->cores * sizeof(*links));
		for (uint32_t n = 0; n < sw->cable_count; n++) {
			uint32_t far = ft_cable_far(&m->live.cables[m->live.at[sw->first_cable + n]], r->live[i]);
			uint32_t planned = m->live.switches[far].planned;

			if (planned == FT_NONE || planned < m->edges)
				faults++;
			else
				links[planned - m->edges]++;
		}
		for (uint32_t c = 0; c < m->cores; c++) {
			if (m->live_of[ft_core_index(m, c)] == FT_NONE)
				continue;
			faults += pair_faults(links[c], m->column[c]);
			total += links[c];
			row += m->column[c];
		}
		for (uint32_t c = 0; c < r->class_count; c++) {
			r->cost[(size_t)i * r->class_count + c] =
				2 * llabs((int64_t)sw->hosts - r->value[c]) + (sw->hosts != r->value[c]);
			hostless &= r->value[c] > 0;
		}
		r->best[i] = 2 * (int64_t)(faults + hostless) + strangeness(m, sw, m->plan->edge_ports, total, row);
		r->drop[i] = 2 * (2 + total + sw->hosts);
	}
	return 0;
}

/* Names break ties between classes, and all of them together never more than ties. */
enum { NAMES_SCALE = 1 << 16 };

static void roster_remove(struct roster *r, uint32_t i)
{
	uint32_t last = --r->live_count;

	r->live[i] = r->live[last];
	r->drop[i] = r->drop[last];
	r->best[i] = r->best[last];
	r->named[i] = r->named[last];
	memcpy(&r->cost[(size_t)i * r->class_count], &r->cost[(size_t)last * r->class_count],
	       r->class_count * sizeof(*r->cost));
}

/*
 * Leaves out the live switches that fit no place of the plan: those that are cheaper as "unplanned" (one fault, another
 * for the place left empty, and one for every cable and host that would be right by chance), and where there are too
 * many, those that fit worst.
 */
static void roster_weed(struct roster *r, uint32_t free_count)
{
	for (uint32_t i = r->live_count; i-- > 0;)
		if (r->best[i] > (int64_t)r->drop[i]) {
			r->m->live.switches[r->live[i]].passed_over = r->live_count <= free_count;
			roster_remove(r, i);
		}
	while (r->live_count > free_count) {
		uint32_t worst = 0;

		for (uint32_t i = 1; i < r->live_count; i++) {
			/* What is lost by leaving it out: the more of the plan it stands for, the more. */
			int64_t a = (int64_t)r->drop[i] - r->best[i], b = (int64_t)r->drop[worst] - r->best[worst];
			const struct ft_live_switch *x = &r->m->live.switches[r->live[i]];
			const struct ft_live_switch *y = &r->m->live.switches[r->live[worst]];
			int by_name = (r->named[i] != FT_NONE) - (r->named[worst] != FT_NONE);

			if (a < b || (a == b && (by_name < 0 || (by_name == 0 && x->guid > y->guid))))
				worst = i;
		}
		roster_remove(r, worst);
	}
}

/* Those that fit hardly better than "unplanned": within one fault. */
static void roster_doubt(struct roster *r)
{
	enum { ONE_FAULT = 2 };

	for (uint32_t i = 0; i < r->live_count; i++)
		r->m->live.switches[r->live[i]].doubtful = r->best[i] + ONE_FAULT >= (int64_t)r->drop[i];
}

struct choice {
	int64_t gain;
	uint32_t item;
};

static int choice_compare(const void *a, const void *b)
{
	const struct choice *x = a, *y = b;

	if (x->gain != y->gain)
		return x->gain < y->gain ? -1 : 1;
	return x->item < y->item ? -1 : x->item > y->item;
}

/*
 * Two classes (a bundle width and its remainder): sorted by how much dearer the second class is, a prefix goes to the
 * first. Exact.
 */
static int classes_split(const struct roster *r, const uint32_t *capacity, uint32_t *ret_class)
{
	uint32_t n = r->live_count, first = n > capacity[1] ? n - capacity[1] : 0;
	uint32_t high = n < capacity[0] ? n : capacity[0];
	_cleanup_free_ struct choice *order = malloc((n + 1UL) * sizeof(*order));

	if (!order)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		order[i] = (struct choice){r->cost[(size_t)i * 2] - r->cost[(size_t)i * 2 + 1], i};
	qsort(order, n, sizeof(*order), choice_compare);
	while (first < high && order[first].gain <= 0)
		first++;
	for (uint32_t i = 0; i < n; i++)
		ret_class[order[i].item] = i < first ? 0 : 1;
	return 0;
}

/*
 * Any number of classes: the assignment problem, by shortest augmenting paths over classes (a class has as many seats
 * as capacity). Each switch enters in turn; the cheapest chain of moves between classes makes room for it. Exact, and
 * quick because classes are few: O(n^2 k + n k^2).
 */
static int classes_chain(const struct roster *r, const uint32_t *capacity, uint32_t *ret_class)
{
	uint32_t n = r->live_count, k = r->class_count;
	_cleanup_free_ uint32_t *left = malloc((k + 1UL) * sizeof(*left));
	_cleanup_free_ uint32_t *before = malloc((k + 1UL) * sizeof(*before));
	_cleanup_free_ uint32_t *mover = malloc((k + 1UL) * sizeof(*mover));
	_cleanup_free_ int64_t *price = malloc((k + 1UL) * sizeof(*price));

	if (!left || !before || !mover || !price)
		return -ENOMEM;
	memcpy(left, capacity, k * sizeof(*left));
	for (uint32_t i = 0; i < n; i++) {
		uint32_t to = FT_NONE;
		bool cheaper = true;

		for (uint32_t c = 0; c < k; c++) {
			price[c] = r->cost[(size_t)i * k + c];
			before[c] = FT_NONE;
			mover[c] = i;
		}
		/* Bellman and Ford: moves may be worth less than nothing. */
		for (uint32_t round = 0; cheaper && round < k; round++) {
			cheaper = false;
			for (uint32_t j = 0; j < i; j++)
				for (uint32_t c = 0; c < k; c++) {
					uint32_t from = ret_class[j];
					int64_t moved = price[from] + r->cost[(size_t)j * k + c] -
							r->cost[(size_t)j * k + from];

					if (c == from || capacity[c] == 0 || moved >= price[c])
						continue;
					price[c] = moved;
					before[c] = from;
					mover[c] = j;
					cheaper = true;
				}
		}
		for (uint32_t c = 0; c < k; c++)
			if (left[c] > 0 && (to == FT_NONE || price[c] < price[to]))
				to = c;
		left[to]--;
		while (to != FT_NONE) {
			ret_class[mover[to]] = to;
			to = before[to];
		}
	}
	return 0;
}

/* Gives each waiting live switch a class so that the sum of costs is least. */
static int classes_assign(const struct roster *r, const uint32_t *capacity, uint32_t *ret_class)
{
	if (r->class_count == 1)
		return 0;
	return r->class_count == 2 ? classes_split(r, capacity, ret_class) : classes_chain(r, capacity, ret_class);
}

/* Natural order of names, then GUIDs: what people expect where structure leaves the choice. */
static int live_compare(const void *a, const void *b, void *arg)
{
	const struct ft_model *m = arg;
	const struct ft_live_switch *x = &m->live.switches[*(const uint32_t *)a];
	const struct ft_live_switch *y = &m->live.switches[*(const uint32_t *)b];
	int d = ft_text_natural_compare(x->name, y->name);

	if (d)
		return d;
	return x->guid < y->guid ? -1 : x->guid > y->guid;
}

/* Within a class all places are equal: planned names go to the switches that carry them, the rest by order. */
static int class_seat(struct roster *r, uint32_t c, const uint32_t *class_of_item)
{
	struct ft_model *m = r->m;
	_cleanup_free_ uint32_t *items = malloc((r->live_count + 1UL) * sizeof(*items));
	uint32_t count = 0, seat = 0;

	if (!items)
		return -ENOMEM;
	for (uint32_t i = 0; i < r->live_count; i++) {
		uint32_t place = r->named[i];

		if (class_of_item[i] != c)
			continue;
		if (place != FT_NONE && r->class_of[place] == c && m->live_of[r->first_planned + place] == FT_NONE)
			planned_take(m, r->first_planned + place, r->live[i]);
		else
			items[count++] = r->live[i];
	}
	qsort_r(items, count, sizeof(*items), live_compare, m);
	for (uint32_t i = 0; i < count; i++) {
		while (m->live_of[r->first_planned + seat] != FT_NONE || r->class_of[seat] != c)
			seat++;
		planned_take(m, r->first_planned + seat, items[i]);
	}
	return 0;
}

/* True where the bound tier names every place, so that whoever sits in a free one has replaced somebody. */
static void replaced_mark(struct ft_model *m, const struct roster *r)
{
	if (m->design->binds[r->tier].count == 0)
		return;
	for (uint32_t i = 0; i < r->live_count; i++)
		if (m->live.switches[r->live[i]].planned != FT_NONE)
			m->replaced[m->live.switches[r->live[i]].planned] = true;
}

static int roster_seat(struct roster *r)
{
	struct ft_model *m = r->m;
	_cleanup_free_ uint32_t *capacity = calloc(r->class_count + 1UL, sizeof(*capacity));
	_cleanup_free_ uint32_t *class_of_item = NULL;
	uint32_t free_count = 0;
	int e;

	if (!capacity)
		return -ENOMEM;
	for (uint32_t i = 0; i < r->planned_count; i++)
		if (m->live_of[r->first_planned + i] == FT_NONE) {
			capacity[r->class_of[i]]++;
			free_count++;
		}
	roster_weed(r, free_count);
	roster_doubt(r);
	for (uint32_t i = 0; i < r->live_count; i++) {
		for (uint32_t c = 0; c < r->class_count; c++) {
			int64_t *cost = &r->cost[(size_t)i * r->class_count + c];

			*cost = *cost * NAMES_SCALE + (r->named[i] != FT_NONE && r->class_of[r->named[i]] != c);
		}
	}
	class_of_item = calloc(r->live_count + 1UL, sizeof(*class_of_item));
	if (!class_of_item)
		return -ENOMEM;
	e = classes_assign(r, capacity, class_of_item);
	for (uint32_t c = 0; e == 0 && c < r->class_count; c++)
		e = class_seat(r, c, class_of_item);
	if (e == 0)
		replaced_mark(m, r);
	return e;
}

static int tier_match(struct ft_model *m, enum ft_tier tier)
{
	_cleanup_(roster_release) struct roster r = {0};
	uint32_t edges_seen = 0;
	int e;

	bound_take(m, tier, tier == FT_TIER_EDGE ? 0 : m->edges);
	e = roster_init(&r, m, tier);
	if (e < 0)
		return e;
	if (tier == FT_TIER_EDGE) {
		e = edges_price(&r);
	} else {
		for (uint32_t i = 0; i < m->live.switch_count; i++)
			edges_seen += m->live.switches[i].tier == FT_TIER_EDGE;
		e = cores_price(&r, edges_seen < m->edges ? edges_seen : m->edges);
	}
	return e < 0 ? e : roster_seat(&r);
}

static void names_judge(struct ft_model *m)
{
	for (unsigned int t = 0; t < FT_TIER_COUNT; t++)
		m->tier_named[t] = true;
	for (uint32_t i = 0; i < m->plan->switch_count; i++) {
		const struct ft_live_switch *sw = ft_live_at(m, i);
		const struct ft_plan_switch *planned = &m->plan->switches[i];

		if (sw && strcmp(sw->name, planned->name) != 0 && !m->design->binds[planned->tier].count)
			m->tier_named[planned->tier] = false;
	}
}

static void seen_count(struct ft_model *m)
{
	for (uint32_t i = 0; i < m->live.cable_count; i++) {
		uint32_t a = m->live.switches[m->live.cables[i].a].planned;
		uint32_t b = m->live.switches[m->live.cables[i].b].planned;
		uint32_t edge = a < b ? a : b, core = a < b ? b : a;

		if (core != FT_NONE && edge < m->edges && core >= m->edges)
			m->seen[(size_t)edge * m->cores + core - m->edges]++;
	}
}

/* ---- */

static int matrices_init(struct ft_model *m)
{
	size_t cells;

	for (uint32_t i = 0; i < m->plan->switch_count; i++)
		*(m->plan->switches[i].tier == FT_TIER_EDGE ? &m->edges : &m->cores) += 1;
	cells = (size_t)m->edges * m->cores + 1;
	m->width = calloc(cells, sizeof(*m->width));
	m->seen = calloc(cells, sizeof(*m->seen));
	m->foreign = calloc(cells, sizeof(*m->foreign));
	m->unjudged = calloc(cells, sizeof(*m->unjudged));
	m->column = calloc(m->cores + 1UL, sizeof(*m->column));
	m->live_of = malloc((m->plan->switch_count + 1UL) * sizeof(*m->live_of));
	m->replaced = calloc(m->plan->switch_count + 1UL, sizeof(*m->replaced));
	m->status = calloc(m->plan->switch_count + 1UL, sizeof(*m->status));
	m->core_class = calloc(m->cores + 1UL, sizeof(*m->core_class));
	m->port_claimed = calloc(m->snapshot->port_count + 1UL, sizeof(*m->port_claimed));
	m->misplaced = calloc(m->live.cable_count + 1UL, sizeof(*m->misplaced));
	if (!m->width || !m->seen || !m->foreign || !m->unjudged || !m->column || !m->live_of || !m->replaced ||
	    !m->status || !m->core_class || !m->port_claimed || !m->misplaced)
		return -ENOMEM;
	for (uint32_t i = 0; i < m->plan->switch_count; i++)
		m->live_of[i] = FT_NONE;
	for (uint32_t i = 0; i < m->plan->bundle_count; i++) {
		const struct ft_plan_bundle *bundle = &m->plan->bundles[i];

		m->width[(size_t)bundle->a * m->cores + bundle->b - m->edges] = bundle->count;
	}
	/* The most common width of a column, by majority vote: in a two-level plan all rows are alike. */
	for (uint32_t c = 0; c < m->cores; c++) {
		uint32_t votes = 0;

		for (uint32_t e = 0; e < m->edges; e++) {
			uint32_t width = m->width[(size_t)e * m->cores + c];

			if (votes == 0)
				m->column[c] = width;
			votes += m->column[c] == width ? 1U : -1U;
		}
	}
	return ft_habits_init(m);
}

int ft_match(struct ft_model *m)
{
	int r;

	r = matrices_init(m);
	if (r == 0)
		r = tiers_tell(m);
	if (r == 0 && m->cores > 0)
		r = tier_match(m, FT_TIER_CORE);
	if (r == 0)
		r = tier_match(m, FT_TIER_EDGE);
	if (r < 0)
		return r;
	names_judge(m);
	seen_count(m);
	ft_habits_learn(m);
	return 0;
}
