/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Matches observed switches to planned switches, so that the fewest faults explain what was observed: the tables that
 * this needs, and the order of its steps (match.h).
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>

#include "base/numbers.h"
#include "verify/match/match.h"
#include "verify/model/recall.h"

/* Which kinds have each of their seen switches in the place of its name; bindings are ignored. */
static void names_judge(struct ft_model *m)
{
	for (uint32_t kind = 0; kind < m->plan->kind_count; kind++)
		m->kind_named[kind] = true;
	for (uint32_t i = 0; i < m->place_count; i++)
		if (m->observed_of[i] != FT_NONE && m->named[m->observed_of[i]] != i && ft_bind_of(m, i)->count == 0)
			m->kind_named[m->places[i]->kind] = false;
}

const char *ft_kind_words(const struct ft_model *m, uint32_t place, char buffer[FT_KIND_WORDS_SIZE])
{
	const char *name = ft_kind_word(ft_kind_at(m, place)->name);

	snprintf(buffer, FT_KIND_WORDS_SIZE, name[0] ? "%s switch" : "%sswitch", name);
	return buffer;
}

/* ---- places ---- */

/* Switches of rank 0, then all others. */
static int places_init(struct ft_model *m)
{
	const struct ft_plan *plan = m->plan;

	m->places = ft_arena_zeros(&m->memory, plan->switch_count, sizeof(struct ft_plan_switch *));
	m->place_of = ft_arena_zeros(&m->memory, plan->switch_count, sizeof(*m->place_of));
	if (m->memory.failed)
		return -ENOMEM;
	m->linked = plan->bundle_count > 0;
	for (unsigned int pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < plan->switch_count; i++) {
			const struct ft_plan_switch *sw = &plan->switches[i];
			bool first = ft_rank_of_kind(plan, sw->kind) == 0 && !plan->kinds[sw->kind].beside;

			if (first != (pass == 0))
				continue;
			m->edges += first;
			m->place_of[i] = m->place_count;
			m->places[m->place_count++] = sw;
		}
	return 0;
}

static int places_alloc(struct ft_model *m)
{
	struct ft_arena *a = &m->memory;

	m->observed_of = ft_arena_numbers(a, m->place_count, FT_NONE);
	m->replaced = ft_arena_zeros(a, m->place_count, sizeof(*m->replaced));
	m->status = ft_arena_zeros(a, m->place_count, sizeof(*m->status));
	m->port_claimed = ft_arena_zeros(a, m->snapshot->port_count, sizeof(*m->port_claimed));
	m->misplaced = ft_arena_zeros(a, m->observed.cable_count, sizeof(*m->misplaced));
	m->named = ft_arena_numbers(a, m->observed.switch_count, FT_NONE);
	m->bound = ft_arena_numbers(a, m->observed.switch_count, FT_NONE);
	m->kind_named = ft_arena_zeros(a, m->plan->kind_count, sizeof(*m->kind_named));
	return a->failed ? -ENOMEM : 0;
}

/* Which place's name each observed switch carries. */
static int names_learn(struct ft_model *m)
{
	_cleanup_(ft_name_index_release) struct ft_name_index names = {0};
	int r = ft_name_index_init(&names, m->place_count);

	for (uint32_t p = 0; r == 0 && p < m->place_count; p++)
		r = ft_name_index_add(&names, m->places[p]->name, p);
	if (r == 0)
		ft_name_index_tell(m, &names, m->named);
	return r;
}

/* Numbers the connected parts of the plan. */
static int networks_number(struct ft_model *m)
{
	m->network = ft_arena_zeros(&m->memory, m->place_count, sizeof(*m->network));
	if (!m->network)
		return -ENOMEM;
	ft_number_begin(m->network, m->place_count);
	for (uint32_t i = 0; i < m->plan->bundle_count; i++)
		if (m->plan->bundles[i].count > 0)
			ft_number_join(m->network, m->place_of[m->plan->bundles[i].a],
				       m->place_of[m->plan->bundles[i].b]);
	m->network_count = ft_number_sets(m->network, m->place_count);
	return 0;
}

/* True if a place beside the tree is empty, and some switch has no place. */
static bool beside_is_open(const struct ft_model *m)
{
	bool open = false, stranger = false;

	for (uint32_t p = m->edges; p < m->place_count; p++)
		open |= ft_is_beside(m, p) && m->observed_of[p] == FT_NONE;
	for (uint32_t i = 0; i < m->observed.switch_count; i++)
		stranger |= m->observed.switches[i].planned == FT_NONE && !m->observed.switches[i].tolerated;
	return open && stranger;
}

/* First without cables to aliased switches; then, if a switch beside the tree may have another name, with them. */
static int switches_match(struct ft_model *m)
{
	bool loose = ft_aliases_exist(m);
	int r = ft_switches_match(m, loose) ?: ft_aliases_resolve(m);

	if (r < 0 || !loose || !beside_is_open(m))
		return r;
	return ft_switches_match(m, false) ?: ft_aliases_resolve(m);
}

struct ft_names_tally ft_names_tally(const struct ft_model *m)
{
	struct ft_names_tally tally = {0};

	for (uint32_t i = 0; i < m->observed.switch_count; i++) {
		uint32_t place = m->observed.switches[i].planned;

		tally.right += place != FT_NONE && ft_told_place(m, i) == place;
		tally.wrong += place != FT_NONE && ft_told_place(m, i) != FT_NONE && ft_told_place(m, i) != place;
	}
	return tally;
}

/* True if the plan has a cable between the place and that of a switch which @observed is cabled to. */
static bool any_cable_fits(const struct ft_model *m, uint32_t observed, uint32_t place)
{
	ft_each_end(end, m, observed)
		if (ft_place_behind(m, end) != FT_NONE && ft_width_at(m, place, ft_place_behind(m, end)) > 0)
			return true;
	return false;
}

/*
 * Seats a switch that was left out in the empty place of its name. One that lacks most of its cables fits its place
 * badly: while a fabric is built, all do on their first day; later a cable that fits has to confirm the name, and the
 * names of most other switches. The case that bit: a core whose cables were pulled or moved but for two was told as
 * missing, and itself as an unplanned switch.
 */
static void named_seat(struct ft_model *m)
{
	bool building = m->input && m->input->building, right = !m->given && ft_names_are_right(ft_names_tally(m));

	for (uint32_t i = 0; (building || right) && i < m->observed.switch_count; i++) {
		const struct ft_observed_switch *sw = &m->observed.switches[i];
		uint32_t place = m->named[i];

		if (sw->planned != FT_NONE || sw->tolerated || place == FT_NONE || m->observed_of[place] != FT_NONE)
			continue;
		if (building || any_cable_fits(m, i, place))
			ft_observed_seat(m, i, place);
	}
}

int ft_match(struct ft_model *m)
{
	static ft_step_fn *const before[] = {
		ft_aliases_init, places_init,	  places_alloc,	    names_learn,    ft_cells_build,
		ft_recall_init,	 networks_number, ft_port_map_init, ft_habits_init, ft_port_map_votes_init,
		switches_match,
	};
	/* All switches have places: adds the cables observed between them. */
	static ft_step_fn *const after[] = {ft_port_map_settle, ft_exchanged_find, ft_cells_build, ft_port_map_hosts};
	int r = ft_steps_take(m, before, FT_COUNT(before));

	if (r < 0)
		return r;
	ft_recall_seat(m);
	named_seat(m);
	r = ft_steps_take(m, after, FT_COUNT(after));
	if (r < 0)
		return r;
	names_judge(m);
	return ft_habits_learn(m);
}
