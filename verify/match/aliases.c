/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Aliases: the plan has invented the names of the tree, and switches beside the tree know tree switches by other names.
 * The switch that carries such a name is meant, whatever place it got. So the matching runs without these cables first;
 * then the ends of these cables are resolved in the model's own copy of the plan.
 *
 * Invariant: the copy has the switches of the plan, in its order; it differs only in the ends of cables between the
 * tree and what hangs on it, and in the hosts of switches whose number of hosts is not given. O(V + E log E).
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verify/match/match.h"

/* A copy of @count elements; also of an empty list. */
static void *list_copy(struct ft_model *m, const void *list, size_t count, size_t size)
{
	void *copy = ft_arena_zeros(&m->memory, count, size);

	if (copy && count > 0)
		memcpy(copy, list, count * size);
	return copy;
}

/*
 * By planned switch, the observed one that carries its alias or, beside the tree, its name; FT_NONE: none. The caller
 * frees it; NULL: no memory.
 */
static uint32_t *called_find(const struct ft_model *m)
{
	_cleanup_(ft_name_index_release) struct ft_name_index names = {0};
	_cleanup_free_ uint32_t *found = malloc((m->observed.switch_count + 1UL) * sizeof(*found));
	_cleanup_free_ uint32_t *called = malloc((m->unresolved->switch_count + 1UL) * sizeof(*called));
	const struct ft_plan *plan = m->unresolved;
	int r = found && called ? ft_name_index_init(&names, plan->switch_count) : -ENOMEM;

	for (uint32_t i = 0; r == 0 && i < plan->switch_count; i++) {
		const char *name = ft_plan_is_beside(plan, i) ? plan->switches[i].name : plan->switches[i].alias;

		called[i] = FT_NONE;
		if (name)
			r = ft_name_index_add(&names, name, i);
	}
	if (r < 0)
		return NULL;
	for (uint32_t i = 0; i < m->observed.switch_count; i++)
		found[i] = FT_NONE;
	ft_name_index_tell(m, &names, found);
	for (uint32_t i = 0; i < m->observed.switch_count; i++)
		if (found[i] != FT_NONE)
			called[found[i]] = i;
	return FT_STEAL(called);
}

int ft_aliases_init(struct ft_model *m)
{
	const struct ft_plan *plan = m->plan;
	_cleanup_free_ uint32_t *called = NULL;

	if (plan->beside_switches == 0)
		return 0;
	m->unresolved = plan;
	m->resolved = ft_arena_zeros(&m->memory, 1, sizeof(*m->resolved));
	if (!m->resolved)
		return -ENOMEM;
	*m->resolved = *plan;
	m->resolved->switches = list_copy(m, plan->switches, plan->switch_count, sizeof(*plan->switches));
	m->resolved->bundles = list_copy(m, plan->bundles, plan->bundle_count, sizeof(*plan->bundles));
	m->resolved->cables = list_copy(m, plan->cables, plan->cable_count, sizeof(*plan->cables));
	called = called_find(m);
	if (m->memory.failed || !called)
		return -ENOMEM;
	m->plan = m->resolved;
	for (uint32_t i = ft_plan_tree_switches(plan); i < plan->switch_count; i++)
		if (plan->switches[i].hosts_unsaid && called[i] != FT_NONE)
			m->resolved->switches[i].hosts = m->observed.switches[called[i]].hosts;
	return 0;
}

bool ft_aliases_exist(const struct ft_model *m)
{
	for (uint32_t i = 0; m->resolved && i < m->unresolved->switch_count; i++)
		if (m->unresolved->switches[i].alias)
			return true;
	return false;
}

int ft_aliases_loose(const struct ft_model *m, bool **ret_loose)
{
	_cleanup_free_ uint32_t *called = called_find(m);
	_cleanup_free_ bool *beside = calloc(m->observed.switch_count + 1UL, sizeof(*beside));
	_cleanup_free_ bool *known = calloc(m->observed.switch_count + 1UL, sizeof(*known));
	bool *loose = calloc(m->observed.cable_count + 1UL, sizeof(*loose));

	if (!called || !beside || !known || !loose) {
		free(loose);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < m->plan->switch_count; i++)
		if (called[i] != FT_NONE)
			(ft_plan_is_beside(m->plan, i) ? beside : known)[called[i]] = true;
	for (uint32_t i = 0; i < m->observed.cable_count; i++) {
		const struct ft_observed_cable *cable = &m->observed.cables[i];

		loose[i] = (beside[cable->a] && known[cable->b]) || (known[cable->a] && beside[cable->b]);
	}
	*ret_loose = loose;
	return 0;
}

/* ---- where the cables end ---- */

/* A planned switch of the kind of @index that is unseen and not the end of such a cable yet; else @index itself. */
static uint32_t unseen_like(const struct ft_model *m, const bool *taken, uint32_t index)
{
	const struct ft_plan *plan = m->plan;

	if (m->observed_of[m->place_of[index]] == FT_NONE && !taken[index])
		return index;
	for (uint32_t i = 0; i < plan->switch_count; i++)
		if (plan->switches[i].kind == plan->switches[index].kind && !taken[i] &&
		    m->observed_of[m->place_of[i]] == FT_NONE)
			return i;
	return index;
}

/* By planned switch: for those with an alias the planned switch that is meant; the others map to themselves. */
static void targets_find(const struct ft_model *m, const uint32_t *called, bool *taken, uint32_t *target)
{
	const struct ft_plan *plan = m->unresolved;

	for (uint32_t i = 0; i < plan->switch_count; i++) {
		uint32_t observed = plan->switches[i].alias ? called[i] : FT_NONE;
		uint32_t place = ft_place_of(m, observed);

		target[i] = place == FT_NONE ? i : ft_plan_index(m, place);
		taken[target[i]] |= place != FT_NONE;
	}
	for (uint32_t i = 0; i < plan->switch_count; i++) {
		if (!plan->switches[i].alias || called[i] != FT_NONE)
			continue;
		target[i] = unseen_like(m, taken, i);
		taken[target[i]] = true;
	}
}

static int cable_compare(const void *a, const void *b)
{
	const struct ft_plan_cable *x = a, *y = b;

	return FT_ORDER(x->a, y->a) ?: FT_ORDER(x->b, y->b);
}

/* Moves each alias to the switch that is meant: if it does not carry the alias now, it will once it is back. */
static void names_resolve(struct ft_plan *plan, const struct ft_plan *from, const uint32_t *target)
{
	for (uint32_t i = 0; i < from->switch_count; i++)
		plan->switches[i].alias = plan->switches[i].alias_full = NULL;
	for (uint32_t i = 0; i < from->switch_count; i++) {
		if (!from->switches[i].alias)
			continue;
		plan->switches[target[i]].alias = from->switches[i].alias;
		plan->switches[target[i]].alias_full = from->switches[i].alias_full;
	}
}

/* If two names resolve to one switch, their cables become one bundle. */
static void bundles_resolve(struct ft_plan *plan, const struct ft_plan *from, const uint32_t *target)
{
	uint32_t first = ft_plan_tree_bundles(from), kept = first;
	struct ft_plan_bundle *bundles = plan->bundles;

	for (uint32_t i = first; i < from->bundle_count; i++) {
		bundles[i] = from->bundles[i];
		bundles[i].a = target[bundles[i].a];
	}
	qsort(bundles + first, from->bundle_count - first, sizeof(*bundles), ft_plan_bundle_compare);
	for (uint32_t i = first; i < from->bundle_count; i++) {
		if (kept > first && ft_plan_bundle_compare(&bundles[kept - 1], &bundles[i]) == 0)
			bundles[kept - 1].count += bundles[i].count;
		else
			bundles[kept++] = bundles[i];
	}
	plan->bundle_count = kept;
	plan->beside_bundles = kept - first;
}

static void cables_resolve(struct ft_plan *plan, const struct ft_plan *from, const uint32_t *target)
{
	uint32_t first = from->cable_count - from->beside_cables;

	for (uint32_t i = first; i < from->cable_count; i++) {
		plan->cables[i] = from->cables[i];
		plan->cables[i].a = target[plan->cables[i].a];
	}
	qsort(plan->cables + first, from->beside_cables, sizeof(*plan->cables), cable_compare);
}

int ft_aliases_resolve(struct ft_model *m)
{
	_cleanup_free_ uint32_t *called = NULL, *target = NULL;
	_cleanup_free_ bool *taken = NULL;

	for (uint32_t p = m->edges; m->resolved && p < m->place_count; p++)
		if (m->places[p]->hosts_unsaid)
			m->resolved->switches[m->places[p] - m->plan->switches].hosts =
				m->observed_of[p] == FT_NONE ? 0 : ft_observed_at(m, p)->hosts;
	if (!ft_aliases_exist(m))
		return 0;
	called = called_find(m);
	target = calloc(m->plan->switch_count + 1UL, sizeof(*target));
	taken = calloc(m->plan->switch_count + 1UL, sizeof(*taken));
	if (!called || !target || !taken)
		return -ENOMEM;
	targets_find(m, called, taken, target);
	names_resolve(m->resolved, m->unresolved, target);
	bundles_resolve(m->resolved, m->unresolved, target);
	cables_resolve(m->resolved, m->unresolved, target);
	return 0;
}
