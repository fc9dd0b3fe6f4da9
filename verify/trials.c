/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The matching in three levels goes by majorities, first of tiers, then of pods and planes. A switch that has few right
 * cables left may be counted for the wrong side, and then it is a stranger, and its true place is empty: a stranger
 * beside an empty place of another tier is a sign that something went wrong before. So what the first matching leaves
 * open is tried the other way round, and the matching that leaves least unexplained is taken.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verify/match.h"

/* All that a matching writes. */
struct outcome {
	struct ft_live_switch *switches;
	uint32_t *live_of;
	bool *replaced;
	struct ft_clusters clusters;
	int64_t cost;
};

struct trials {
	struct ft_model *m;
	struct outcome start; /* before any matching */
	struct outcome best;
	struct ft_hints hints; /* of the best */
	uint32_t left;	       /* trials that may still be made */
};

static void outcome_release(struct outcome *o)
{
	free(o->switches);
	free(o->live_of);
	free(o->replaced);
	ft_clusters_release(&o->clusters);
}

static void trials_release(struct trials *t)
{
	outcome_release(&t->start);
	outcome_release(&t->best);
	free(t->hints.tier);
	free(t->hints.with);
}

static int outcome_init(struct outcome *o, const struct ft_model *m)
{
	o->switches = malloc((m->live.switch_count + 1UL) * sizeof(*o->switches));
	o->live_of = malloc((m->place_count + 1UL) * sizeof(*o->live_of));
	o->replaced = malloc((m->place_count + 1UL) * sizeof(*o->replaced));
	return o->switches && o->live_of && o->replaced ? 0 : -ENOMEM;
}

static void outcome_save(struct outcome *o, const struct ft_model *m)
{
	if (m->live.switch_count > 0)
		memcpy(o->switches, m->live.switches, m->live.switch_count * sizeof(*o->switches));
	memcpy(o->live_of, m->live_of, m->place_count * sizeof(*o->live_of));
	memcpy(o->replaced, m->replaced, m->place_count * sizeof(*o->replaced));
}

static void outcome_restore(const struct outcome *o, struct ft_model *m)
{
	if (m->live.switch_count > 0)
		memcpy(m->live.switches, o->switches, m->live.switch_count * sizeof(*o->switches));
	memcpy(m->live_of, o->live_of, m->place_count * sizeof(*o->live_of));
	memcpy(m->replaced, o->replaced, m->place_count * sizeof(*o->replaced));
}

/* How many trials a fabric of this size is worth: a second of work is too much, in the largest. */
static uint32_t trials_worth(const struct ft_model *m)
{
	enum { SWITCHES = 1 << 14, MOST = 32, LEAST = 4 };
	uint32_t count = SWITCHES / (m->live.switch_count + 1);

	return count > MOST ? MOST : count < LEAST ? LEAST : count;
}

static int trials_init(struct trials *t, struct ft_model *m)
{
	uint32_t n = m->live.switch_count;
	int r;

	*t = (struct trials){.m = m, .left = trials_worth(m)};
	r = outcome_init(&t->start, m);
	if (r == 0)
		r = outcome_init(&t->best, m);
	t->hints.tier = malloc((n + 1UL) * sizeof(*t->hints.tier));
	t->hints.with = malloc((n + 1UL) * sizeof(*t->hints.with));
	if (r < 0 || !t->hints.tier || !t->hints.with)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		t->hints.tier[i] = FT_TIER_COUNT;
		t->hints.with[i] = FT_NONE;
	}
	outcome_save(&t->start, m);
	t->best.cost = INT64_MAX;
	return 0;
}

/* A matching by the hints as they are; @ret_better: whether it is the best so far. */
static int trial_make(struct trials *t, bool *ret_better)
{
	_cleanup_(ft_clusters_release) struct ft_clusters clusters = {0};
	struct ft_model *m = t->m;
	int64_t cost;
	int r;

	outcome_restore(&t->start, m);
	for (uint32_t i = 0; i < m->live.switch_count; i++)
		if (t->hints.tier[i] != FT_TIER_COUNT)
			m->live.switches[i].tier = t->hints.tier[i];
	r = ft_levels_try(m, &t->hints, &clusters);
	if (r < 0)
		return r;
	cost = ft_places_cost(m, &clusters);
	*ret_better = cost < t->best.cost;
	if (!*ret_better)
		return 0;
	outcome_save(&t->best, m);
	t->best.cost = cost;
	ft_clusters_release(&t->best.clusters);
	t->best.clusters = clusters;
	clusters = (struct ft_clusters){0};
	return 0;
}

/* ---- what may be otherwise ---- */

static bool tier_has_room(const struct trials *t, enum ft_tier tier)
{
	for (uint32_t p = 0; p < t->m->place_count; p++)
		if (t->best.live_of[p] == FT_NONE && ft_tier_of(t->m, p) == tier)
			return true;
	return false;
}

/* A stranger is tried in the other tiers in which a place is empty. */
static int stranger_try(struct trials *t, uint32_t live, bool *ret_better)
{
	const struct ft_live_switch *sw = &t->best.switches[live];
	uint8_t before = t->hints.tier[live];
	int r = 0;

	if (sw->planned != FT_NONE || sw->tolerated || sw->tier_bound || sw->cable_count == 0)
		return 0;
	for (unsigned int tier = 0; r == 0 && tier < FT_TIER_COUNT && t->left > 0 && !*ret_better; tier++) {
		if (tier == sw->tier || t->m->design->binds[tier].match || !tier_has_room(t, tier))
			continue;
		t->left--;
		t->hints.tier[live] = (uint8_t)tier;
		r = trial_make(t, ret_better);
	}
	if (!*ret_better)
		t->hints.tier[live] = before;
	return r;
}

static uint32_t cables_to_pod(const struct trials *t, uint32_t live, uint32_t pod)
{
	const struct ft_clusters *c = &t->best.clusters;
	uint32_t sum = 0;

	for (uint32_t n = c->near_first[live]; n < c->near_first[live + 1]; n++)
		if (t->best.switches[c->near[n].live].tier == FT_TIER_SPINE && c->pod[c->near[n].live] == pod)
			sum += c->near[n].cables;
	return sum;
}

/* An edge that has as many cables to another pod as to its own is tried in that. */
static int edge_try(struct trials *t, uint32_t live, bool *ret_better)
{
	const struct ft_clusters *c = &t->best.clusters;
	uint32_t before = t->hints.with[live], own, pod = c->pod[live], tried = FT_NONE;
	int r = 0;

	if (t->best.switches[live].tier != FT_TIER_EDGE || pod == FT_NONE || before != FT_NONE)
		return 0;
	own = cables_to_pod(t, live, pod);
	for (uint32_t n = c->near_first[live]; n < c->near_first[live + 1] && t->left > 0; n++) {
		uint32_t spine = c->near[n].live, other = c->pod[spine];

		if (t->best.switches[spine].tier != FT_TIER_SPINE || other == pod || other == FT_NONE ||
		    other == tried || cables_to_pod(t, live, other) < own)
			continue;
		t->left--;
		t->hints.with[live] = spine;
		r = trial_make(t, ret_better);
		/* The lists are another matching's then. */
		if (r < 0 || *ret_better)
			return r;
		tried = other;
	}
	t->hints.with[live] = before;
	return r;
}

/* Tries what is open, until something is better or nothing is left. */
static int round_make(struct trials *t, bool *ret_better)
{
	uint32_t n = t->m->live.switch_count;
	int r = 0;

	for (uint32_t i = 0; i < n && r == 0 && t->left > 0 && !*ret_better; i++)
		r = stranger_try(t, i, ret_better);
	for (uint32_t i = 0; i < n && r == 0 && t->left > 0 && !*ret_better; i++)
		r = edge_try(t, i, ret_better);
	return r;
}

int ft_levels_match(struct ft_model *m)
{
	_cleanup_(trials_release) struct trials t = {0};
	bool better = false;
	int r;

	r = trials_init(&t, m);
	if (r == 0)
		r = trial_make(&t, &better);
	while (r == 0 && better && t.best.cost > 0 && t.left > 0) {
		better = false;
		r = round_make(&t, &better);
	}
	if (r == 0)
		outcome_restore(&t.best, m);
	return r;
}
