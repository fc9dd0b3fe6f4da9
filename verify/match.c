/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Which live switch is which planned one, so that the fewest faults explain what is seen.
 *
 * First tiers: bound names decide; else the split into edges and cores that leaves the fewest cables inside a tier and
 * the fewest hosts on cores. Then cores to planned cores, by how well their bundles fit; planned cores of one bundle
 * width are interchangeable, so it is classes that are assigned, and only then, among equals, names. Then edges. For
 * three levels see levels.c.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify/match.h"
#include "verify/recall.h"

/* ---- two levels: who is who within a tier ---- */

/*
 * Cables that went with a board of a director do not tell it from others: of those that lack in each class, as many as
 * it has lost ports cost next to nothing: a place where none lack is still the better one. And however many bundles are
 * short of them, it is one fault.
 */
static void losses_forgive(const struct ft_roster *r, const struct ft_live_switch *sw, uint32_t edges_seen,
			   uint64_t total, int64_t *cost, int64_t *faults)
{
	for (uint32_t c = 0; sw->lost_ports > 0 && c < r->class_count; c++) {
		int64_t planned = (int64_t)r->value[c] * edges_seen;
		/* cost = lacking + beyond, and total = planned - lacking + beyond */
		int64_t lacking = (cost[c] + planned - (int64_t)total) / 2;

		if (lacking <= 0)
			continue;
		lacking = lacking < sw->lost_ports ? lacking : (int64_t)sw->lost_ports;
		cost[c] -= lacking - 1;
		if (faults[c] > 0)
			faults[c] = faults[c] > lacking ? faults[c] - lacking + 1 : 1;
	}
}

/*
 * For each waiting core: how far its bundles are from a place of each class, in cables, which tells classes apart; and,
 * which tells it from a stranger, the findings it makes in the best of them and those it makes as an unplanned switch.
 */
static int cores_price(struct ft_roster *r, uint32_t edges_seen)
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
				faults[c] += (int64_t)ft_pair_faults(links[far], r->value[c]) - (r->value[c] > 0);
			}
			total += links[far];
			links[far] = 0;
		}
		losses_forgive(r, sw, edges_seen, total, cost, faults);
		r->best[i] = INT64_MAX;
		for (uint32_t c = 0; c < r->class_count; c++) {
			/* What went with boards is a fault or two, and no stranger's. */
			int64_t lost = faults[c] < sw->lost_ports ? faults[c] : (int64_t)sw->lost_ports;
			int64_t halves =
				2 * (faults[c] - lost + (lost > 0)) +
				ft_strangeness(m, sw, m->plan->core_ports, total, (uint64_t)r->value[c] * edges_seen);

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
static int edges_price(struct ft_roster *r)
{
	struct ft_model *m = r->m;
	_cleanup_free_ uint32_t *links = calloc(m->columns + 1UL, sizeof(*links));

	if (!links)
		return -ENOMEM;
	for (uint32_t i = 0; i < r->live_count; i++) {
		const struct ft_live_switch *sw = &m->live.switches[r->live[i]];
		uint64_t total = 0, row = 0;
		uint32_t faults = 0;
		bool hostless = sw->hosts == 0;

		memset(links, 0, m->columns * sizeof(*links));
		for (uint32_t n = 0; n < sw->cable_count; n++) {
			uint32_t far = ft_cable_far(&m->live.cables[m->live.at[sw->first_cable + n]], r->live[i]);
			uint32_t planned = m->live.switches[far].planned;

			if (planned == FT_NONE || planned < m->rows)
				faults++;
			else
				links[planned - m->rows]++;
		}
		for (uint32_t c = 0; c < m->columns; c++) {
			if (m->live_of[ft_column_place(m, c)] == FT_NONE)
				continue;
			faults += ft_pair_faults(links[c], m->typical[m->rows + c]);
			total += links[c];
			row += m->typical[m->rows + c];
		}
		for (uint32_t c = 0; c < r->class_count; c++) {
			r->cost[(size_t)i * r->class_count + c] =
				2 * llabs((int64_t)sw->hosts - r->value[c]) + (sw->hosts != r->value[c]);
			hostless &= r->value[c] > 0;
		}
		r->best[i] = 2 * (int64_t)(faults + hostless) + ft_strangeness(m, sw, m->plan->edge_ports, total, row);
		r->drop[i] = 2 * (2 + total + sw->hosts);
	}
	return 0;
}

/* The two levels of a tier's places are told apart by bundle width (cores) or hosts (edges). */
static int tier_roster(struct ft_model *m, enum ft_tier tier, struct ft_roster *ret)
{
	uint32_t first = tier == FT_TIER_EDGE ? 0 : m->rows, live_count = 0;
	uint32_t count = tier == FT_TIER_EDGE ? m->edges : m->columns;
	_cleanup_free_ uint32_t *values = malloc((count + 1UL) * sizeof(*values));
	_cleanup_free_ uint32_t *live = malloc((m->live.switch_count + 1UL) * sizeof(*live));

	if (!values || !live)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		values[i] = tier == FT_TIER_EDGE ? m->places[i]->hosts : m->typical[first + i];
	for (uint32_t i = 0; i < m->live.switch_count; i++)
		if (ft_live_waits(m, &m->live.switches[i], tier))
			live[live_count++] = i;
	return ft_roster_init(ret, m, first, count, values, live, live_count);
}

static int tier_match(struct ft_model *m, enum ft_tier tier)
{
	_cleanup_(ft_roster_release) struct ft_roster r = {0};
	uint32_t edges_seen = 0;
	int e;

	ft_bound_take(m, tier, tier == FT_TIER_EDGE ? 0 : m->rows);
	e = tier_roster(m, tier, &r);
	if (e < 0)
		return e;
	if (tier == FT_TIER_EDGE) {
		e = edges_price(&r);
	} else {
		for (uint32_t i = 0; i < m->live.switch_count; i++)
			edges_seen += m->live.switches[i].tier == FT_TIER_EDGE;
		e = cores_price(&r, edges_seen < m->edges ? edges_seen : m->edges);
	}
	return e < 0 ? e : ft_roster_seat(&r);
}

static int two_levels_match(struct ft_model *m)
{
	int r = m->columns > 0 ? tier_match(m, FT_TIER_CORE) : 0;

	return r < 0 ? r : tier_match(m, FT_TIER_EDGE);
}

static void names_judge(struct ft_model *m)
{
	for (unsigned int t = 0; t < FT_TIER_COUNT; t++)
		m->tier_named[t] = true;
	for (uint32_t i = 0; i < m->place_count; i++) {
		const struct ft_live_switch *sw = ft_live_at(m, i);
		const struct ft_plan_switch *planned = m->places[i];

		if (sw && m->named[m->live_of[i]] != i && !m->design->binds[planned->tier].count)
			m->tier_named[planned->tier] = false;
	}
}

const char *ft_kind_words(const struct ft_model *m, uint32_t place, char buffer[FT_KIND_WORDS_SIZE])
{
	const char *kind = ft_kind_of(m, place);

	snprintf(buffer, FT_KIND_WORDS_SIZE, kind[0] ? "%s switch" : "%sswitch", kind);
	return buffer;
}

/* ---- */

static bool tier_is_row(const struct ft_plan *plan, enum ft_tier tier)
{
	return tier == FT_TIER_EDGE || (plan->levels == 3 && tier == FT_TIER_CORE);
}

/*
 * Rows, then columns; the plan has each tier in its order, and cores behind spines. In a plan that is general those on
 * which hosts belong, then all others, and all are rows.
 */
static int places_init(struct ft_model *m)
{
	const struct ft_plan *plan = m->plan;

	m->places = malloc((plan->switch_count + 1UL) * sizeof(*m->places));
	m->place_of = malloc((plan->switch_count + 1UL) * sizeof(*m->place_of));
	if (!m->places || !m->place_of)
		return -ENOMEM;
	m->linked = plan->bundle_count > 0;
	for (unsigned int pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < plan->switch_count; i++) {
			const struct ft_plan_switch *sw = &plan->switches[i];
			bool first = m->general ? sw->tier == FT_TIER_EDGE : tier_is_row(plan, sw->tier);

			if (first != (pass == 0))
				continue;
			m->edges += sw->tier == FT_TIER_EDGE;
			m->rows += pass == 0 || m->general;
			m->columns += pass == 1 && !m->general;
			m->place_of[i] = m->place_count;
			m->places[m->place_count++] = sw;
		}
	return 0;
}

static int places_alloc(struct ft_model *m)
{
	m->typical = calloc(m->place_count + 1UL, sizeof(*m->typical));
	m->live_of = malloc((m->place_count + 1UL) * sizeof(*m->live_of));
	m->replaced = calloc(m->place_count + 1UL, sizeof(*m->replaced));
	m->status = calloc(m->place_count + 1UL, sizeof(*m->status));
	m->port_claimed = calloc(m->snapshot->port_count + 1UL, sizeof(*m->port_claimed));
	m->misplaced = calloc(m->live.cable_count + 1UL, sizeof(*m->misplaced));
	m->named = malloc((m->live.switch_count + 1UL) * sizeof(*m->named));
	return m->typical && m->live_of && m->named && m->replaced && m->status && m->port_claimed && m->misplaced
		       ? 0
		       : -ENOMEM;
}

/*
 * The most common width of the bundles of each switch above the edges to the tier below it, by majority vote: in a plan
 * all rows of a tier are alike, as far as they are cabled to it at all.
 */
static int typical_find(struct ft_model *m)
{
	_cleanup_free_ uint32_t *votes = calloc(m->place_count + 1UL, sizeof(*votes));

	if (!votes)
		return -ENOMEM;
	for (uint32_t r = 0; r < m->rows; r++)
		for (const struct ft_pair *pair = ft_pairs_of(m, r); pair < ft_pairs_of(m, r + 1); pair++) {
			uint32_t width = m->cells.width[pair->cell];
			uint32_t upper = r < m->edges ? pair->peer : r;

			if (width == 0 || m->general)
				continue;
			if (votes[upper] == 0)
				m->typical[upper] = width;
			votes[upper] += m->typical[upper] == width ? 1U : -1U;
		}
	return 0;
}

/*
 * Which place's name each live switch carries: to the letter, or else by the short name in capitals or small letters,
 * where that is one place's only, no other switch has it to the letter, and no second one has it so.
 */
static int names_learn(struct ft_model *m)
{
	enum { DOUBTFUL = 2 };
	_cleanup_(ft_map_release) struct ft_map exact = {0}, brief = {0};
	_cleanup_free_ uint32_t *claims = calloc(m->place_count + 1UL, sizeof(*claims));

	if (!claims)
		return -ENOMEM;
	for (uint32_t p = 0; p < m->place_count; p++) {
		uint32_t first;
		int r = ft_map_add(&exact, ft_text_hash(m->places[p]->name), p, NULL);

		if (r >= 0)
			r = ft_map_add(&brief, ft_text_short_hash(m->places[p]->name), p, &first);
		if (r < 0)
			return r;
		if (r == 0)
			claims[p] = claims[first] = DOUBTFUL;
	}
	for (uint32_t i = 0; i < m->live.switch_count; i++) {
		const char *name = m->live.switches[i].name;
		uint32_t p = ft_map_get(&exact, ft_text_hash(name));

		m->named[i] = p != FT_MAP_NONE && strcmp(m->places[p]->name, name) == 0 ? p : FT_NONE;
		if (m->named[i] != FT_NONE)
			claims[p] = DOUBTFUL;
	}
	for (unsigned int pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < m->live.switch_count; i++) {
			const char *name = m->live.switches[i].name;
			uint32_t p =
				m->named[i] == FT_NONE ? ft_map_get(&brief, ft_text_short_hash(name)) : FT_MAP_NONE;

			if (p == FT_MAP_NONE || !ft_text_short_equal(m->places[p]->name, name))
				continue;
			if (pass == 0)
				claims[p]++;
			else if (claims[p] == 1)
				m->named[i] = p;
		}
	return 0;
}

/* Numbers the connected parts of the plan. */
static int networks_number(struct ft_model *m)
{
	_cleanup_free_ uint32_t *queue = malloc((m->place_count + 1UL) * sizeof(*queue));

	m->network = malloc((m->place_count + 1UL) * sizeof(*m->network));
	if (!queue || !m->network)
		return -ENOMEM;
	for (uint32_t p = 0; p < m->place_count; p++)
		m->network[p] = FT_NONE;
	for (uint32_t start = 0; start < m->place_count; start++) {
		uint32_t head = 0, tail = 0;

		if (m->network[start] != FT_NONE)
			continue;
		m->network[start] = m->network_count;
		queue[tail++] = start;
		while (head < tail) {
			uint32_t p = queue[head++];

			for (const struct ft_pair *pair = ft_pairs_of(m, p); pair < ft_pairs_of(m, p + 1); pair++) {
				if (m->network[pair->peer] != FT_NONE || m->cells.width[pair->cell] == 0)
					continue;
				m->network[pair->peer] = m->network_count;
				queue[tail++] = pair->peer;
			}
		}
		m->network_count++;
	}
	return 0;
}

static int plan_init(struct ft_model *m)
{
	int r;

	r = places_init(m);
	if (r == 0)
		r = places_alloc(m);
	if (r < 0)
		return r;
	for (uint32_t i = 0; i < m->place_count; i++)
		m->live_of[i] = FT_NONE;
	r = names_learn(m);
	if (r == 0)
		r = ft_recall_init(m);
	if (r == 0)
		r = ft_cells_build(m);
	if (r == 0)
		r = typical_find(m);
	if (r == 0)
		r = networks_number(m);
	if (r == 0)
		r = ft_exact_init(m);
	return r < 0 ? r : ft_habits_init(m);
}

static int tree_match(struct ft_model *m)
{
	int r = ft_tiers_tell(m);

	if (r < 0)
		return r;
	return m->plan->levels == 3 ? ft_levels_match(m) : two_levels_match(m);
}

int ft_match(struct ft_model *m)
{
	int r;

	r = plan_init(m);
	if (r == 0)
		r = ft_exact_votes_init(m);
	if (r == 0)
		r = m->general ? ft_general_match(m) : tree_match(m);
	if (r == 0)
		ft_recall_seat(m);
	if (r == 0)
		r = ft_exact_settle(m);
	if (r == 0 && m->general)
		r = ft_exchanged_find(m);
	/* Now that everybody has a place, with what is seen between them. */
	if (r == 0)
		r = ft_cells_build(m);
	if (r == 0)
		r = ft_exact_hosts(m);
	if (r < 0)
		return r;
	names_judge(m);
	ft_habits_learn(m);
	return ft_anchors_settle(m);
}
