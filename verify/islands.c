/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Who is who among the switches of islands, which are told by their names, and among those of the tree that islands are
 * cabled to. The matching of the tree leaves islanders alone.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verify/model.h"

static int islanders_map(const struct ft_model *m, struct ft_map *map)
{
	for (uint32_t i = 0; i < m->plan->islander_count; i++) {
		int r = ft_map_add(map, ft_text_short_hash(m->plan->islanders[i].name), i, NULL);

		if (r < 0)
			return r;
	}
	return 0;
}

int ft_islanders_find(struct ft_model *m)
{
	_cleanup_(ft_map_release) struct ft_map map = {0};
	uint32_t count = m->plan->islander_count;
	int r;

	if (count == 0)
		return 0;
	m->islanders = calloc(count, sizeof(*m->islanders));
	if (!m->islanders)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		m->islanders[i].live = FT_NONE;
	r = islanders_map(m, &map);
	for (uint32_t i = 0; r == 0 && i < m->live.switch_count; i++) {
		struct ft_live_switch *sw = &m->live.switches[i];
		uint32_t islander = ft_map_get(&map, ft_text_short_hash(sw->name));

		/* Of two of one name the second is nobody's. */
		if (islander == FT_MAP_NONE || m->islanders[islander].live != FT_NONE ||
		    !ft_text_short_equal(sw->name, m->plan->islanders[islander].name))
			continue;
		m->islanders[islander].live = i;
		sw->islander = islander;
		sw->tolerated = true;
	}
	return r < 0 ? -ENOMEM : 0;
}

/* ---- the switches of the tree ---- */

/* By name, whatever its place; a name that two have tells nothing. */
static int anchors_by_name(struct ft_model *m)
{
	_cleanup_(ft_map_release) struct ft_map map = {0};
	_cleanup_free_ bool *twice = calloc(m->live.switch_count + 1UL, sizeof(*twice));
	uint32_t there;
	int r = twice ? 0 : -ENOMEM;

	for (uint32_t i = 0; r >= 0 && i < m->live.switch_count; i++) {
		if (m->live.switches[i].tolerated)
			continue;
		r = ft_map_add(&map, ft_text_short_hash(m->live.switches[i].name), i, &there);
		if (r == 0)
			twice[there] = true;
	}
	for (uint32_t i = 0; r >= 0 && i < m->plan->anchor_count; i++) {
		const char *name = m->plan->anchors[i].name;
		uint32_t live = ft_map_get(&map, ft_text_short_hash(name));

		if (live != FT_MAP_NONE && !twice[live] && ft_text_short_equal(m->live.switches[live].name, name))
			m->anchor_live[i] = live;
	}
	return r < 0 ? -ENOMEM : 0;
}

/* Cables of islander @live to @far. */
static uint32_t cables_between(const struct ft_model *m, uint32_t live, uint32_t far)
{
	const struct ft_live_switch *sw = &m->live.switches[live];
	uint32_t count = 0;

	for (uint32_t n = 0; n < sw->cable_count; n++)
		count += ft_cable_far(&m->live.cables[m->live.at[sw->first_cable + n]], live) == far;
	return count;
}

static bool is_anchor(const struct ft_model *m, uint32_t live)
{
	for (uint32_t i = 0; i < m->plan->anchor_count; i++)
		if (m->anchor_live[i] == live)
			return true;
	return false;
}

/*
 * Where nobody on the fabric carries the plan's names, a planned name means any switch of its tier: the one that the
 * islander has most cables to, and that is nobody's anchor.
 */
static uint32_t anchor_by_cables(const struct ft_model *m, const struct ft_plan_island_bundle *bundle)
{
	enum ft_tier tier = m->plan->switches[m->plan->anchors[bundle->anchor].stands_in].tier;
	uint32_t live = m->islanders[bundle->a].live, best = FT_NONE, most = 0;
	const struct ft_live_switch *sw = live == FT_NONE ? NULL : &m->live.switches[live];

	for (uint32_t n = 0; sw && n < sw->cable_count; n++) {
		uint32_t far = ft_cable_far(&m->live.cables[m->live.at[sw->first_cable + n]], live), count;

		if (m->live.switches[far].planned == FT_NONE || m->live.switches[far].tier != tier || is_anchor(m, far))
			continue;
		count = cables_between(m, live, far);
		if (count > most) {
			most = count;
			best = far;
		}
	}
	return best;
}

/* ---- switches of another name ---- */

static uint32_t planned_cables(const struct ft_model *m, uint32_t islander)
{
	uint32_t cables = 0;

	for (uint32_t i = 0; i < m->plan->island_bundle_count; i++) {
		const struct ft_plan_island_bundle *bundle = &m->plan->island_bundles[i];

		if (bundle->a == islander || (bundle->anchor == FT_UNPINNED && bundle->b == islander))
			cables += bundle->count;
	}
	return cables;
}

/* Has @live just the cables that unseen islander @islander should have, to those of its neighbours that were seen? */
static bool cabled_like(const struct ft_model *m, uint32_t live, uint32_t islander)
{
	uint32_t cables = 0;

	for (uint32_t i = 0; i < m->plan->island_bundle_count; i++) {
		const struct ft_plan_island_bundle *bundle = &m->plan->island_bundles[i];
		bool lower = bundle->a == islander;
		uint32_t far;

		if (!lower && (bundle->anchor != FT_UNPINNED || bundle->b != islander))
			continue;
		far = lower ? ft_island_bundle_far(m, bundle) : m->islanders[bundle->a].live;
		if (far == FT_NONE || cables_between(m, live, far) != bundle->count)
			return false;
		cables += bundle->count;
	}
	return cables > 0;
}

/* A switch that nobody planned, cabled exactly like one that was not seen, is that one under another name. */
static void replaced_find(struct ft_model *m)
{
	for (uint32_t i = 0; i < m->plan->islander_count; i++) {
		uint32_t cables = m->islanders[i].live == FT_NONE ? planned_cables(m, i) : 0;

		for (uint32_t s = 0; s < m->live.switch_count && m->islanders[i].live == FT_NONE; s++) {
			struct ft_live_switch *sw = &m->live.switches[s];

			if (sw->planned != FT_NONE || sw->tolerated || sw->cable_count != cables ||
			    !cabled_like(m, s, i))
				continue;
			m->islanders[i].live = s;
			m->islanders[i].replaced = true;
			sw->islander = i;
			sw->tolerated = true;
		}
	}
}

int ft_anchors_settle(struct ft_model *m)
{
	const struct ft_plan *plan = m->plan;
	int r;

	if (plan->islander_count == 0)
		return 0;
	m->anchor_live = malloc((plan->anchor_count + 1UL) * sizeof(*m->anchor_live));
	if (!m->anchor_live)
		return -ENOMEM;
	for (uint32_t i = 0; i < plan->anchor_count; i++)
		m->anchor_live[i] = FT_NONE;
	r = anchors_by_name(m);
	for (uint32_t i = 0; r == 0 && i < plan->island_bundle_count; i++) {
		const struct ft_plan_island_bundle *bundle = &plan->island_bundles[i];
		uint32_t place;

		if (bundle->anchor == FT_UNPINNED || m->anchor_live[bundle->anchor] != FT_NONE ||
		    !plan->anchors[bundle->anchor].planned)
			continue;
		place = m->place_of[plan->anchors[bundle->anchor].stands_in];
		m->anchor_live[bundle->anchor] =
			m->design->binds[ft_tier_of(m, place)].count ? m->live_of[place] : anchor_by_cables(m, bundle);
	}
	if (r == 0)
		replaced_find(m);
	return r;
}

uint32_t ft_island_bundle_far(const struct ft_model *m, const struct ft_plan_island_bundle *bundle)
{
	return bundle->anchor == FT_UNPINNED ? m->islanders[bundle->b].live : m->anchor_live[bundle->anchor];
}
