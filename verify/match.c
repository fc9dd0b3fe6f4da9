/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Which live switch is which planned one, so that the fewest faults explain what is seen: the tables that this takes,
 * and the order of its steps (match.h).
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify/match.h"
#include "verify/recall.h"

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
			bool first = plan->general ? sw->tier == FT_TIER_EDGE : tier_is_row(plan, sw->tier);

			if (first != (pass == 0))
				continue;
			m->edges += sw->tier == FT_TIER_EDGE;
			m->rows += pass == 0 || plan->general;
			m->columns += pass == 1 && !plan->general;
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

			if (width == 0 || m->plan->general)
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

int ft_match(struct ft_model *m)
{
	int r;

	r = plan_init(m);
	if (r == 0)
		r = ft_exact_votes_init(m);
	if (r == 0)
		r = ft_general_match(m);
	if (r == 0)
		ft_recall_seat(m);
	if (r == 0)
		r = ft_exact_settle(m);
	if (r == 0)
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
