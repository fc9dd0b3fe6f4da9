/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The tree of two or three ranks that the general reading says: its ranks are those of ranks.c. Of three ranks, lower
 * switches of a step that are twins (twins.c) form a group: edges a pod, spines a plane. Their upper switches are those
 * with most of their cables there. Of two ranks all are one group.
 *
 * Outside of the tree is what is cabled to less than half of the other rank of its group; a switch of another size than
 * most of its rank must be nearly complete, and one without hosts at the bottom have half of the usual uplinks, too.
 */
#include "config.h"

#include <errno.h>

#include "verify/infer/general.h"

/* The ranks. */
enum { EDGE, SPINE, CORE };

/* The steps between them. */
enum { PODS, PLANES };

enum { TRIM_ROUNDS = 16 };

/* The lower switches of a step that are twins on their upper side. */
static void groups_number(const struct ft_intent *intent, struct ft_fit *fit, uint32_t step)
{
	const struct ft_twins *twins = &intent->twins[FT_SIDE_UP];

	fit->groups[step] = twins->set_count;
	for (uint32_t i = 0; i < intent->count; i++)
		if (fit->rank[i] == step)
			fit->group[step][i] = twins->set_of[i];
}

/* Adds the cables of a switch to those of a rank to those of their groups; @add false: sets these to 0. */
static void group_cables(const struct ft_inference *f, const struct ft_fit *fit, uint32_t step, uint32_t observed,
			 uint32_t rank, bool add, uint32_t *cables)
{
	ft_each_adjacent(n, &f->graph, observed) {
		uint32_t group = fit->group[step][n->vertex];

		if (fit->rank[n->vertex] == rank && group != FT_NONE)
			cables[group] = add ? cables[group] + n->count : 0;
	}
}

/* The group with the most cables of a switch to a rank, of equals the first; FT_NONE: it has no cables there. */
static uint32_t group_of(const struct ft_inference *f, const struct ft_fit *fit, uint32_t step, uint32_t observed,
			 uint32_t rank, const uint32_t *cables)
{
	uint32_t best = FT_NONE;

	ft_each_adjacent(n, &f->graph, observed) {
		uint32_t group = fit->group[step][n->vertex];

		if (fit->rank[n->vertex] == rank && group != FT_NONE &&
		    (best == FT_NONE || cables[group] > cables[best]))
			best = group;
	}
	return best;
}

/*
 * Switches of @rank join the group with the most of their cables to @other, the other rank of the step. So do lower
 * ones that share too little with any other, because one of their few cables is swapped.
 */
static int groups_join(const struct ft_inference *f, struct ft_fit *fit, uint32_t step, uint32_t rank, uint32_t other)
{
	uint32_t *cables = ft_arena_numbers(f->memory, fit->groups[step], 0);

	if (!cables)
		return -ENOMEM;
	for (uint32_t i = 0; i < f->observed->switch_count; i++) {
		uint32_t best;

		if (fit->rank[i] != rank)
			continue;
		group_cables(f, fit, step, i, other, true, cables);
		best = group_of(f, fit, step, i, other, cables);
		group_cables(f, fit, step, i, other, false, cables);
		if (best != FT_NONE)
			fit->group[step][i] = best;
	}
	return 0;
}

/* Renumbers the remaining groups. */
static int groups_renumber(const struct ft_inference *f, struct ft_fit *fit, uint32_t step)
{
	uint32_t *number = ft_arena_numbers(f->memory, fit->groups[step], FT_NONE);
	uint32_t *group = fit->group[step], next = 0;

	if (!number)
		return -ENOMEM;
	for (uint32_t i = 0; i < f->observed->switch_count; i++) {
		if (group[i] == FT_NONE)
			continue;
		if (number[group[i]] == FT_NONE)
			number[group[i]] = next++;
		group[i] = number[group[i]];
	}
	fit->groups[step] = next;
	return 0;
}

/* ---- who is outside ---- */

/* What the switches of a rank are like. */
struct standard {
	uint32_t ports, cables; /* of most; @cables to the other rank of the step */
};

static struct standard standard_of(const struct ft_inference *f, const struct ft_fit *fit, uint32_t step, uint32_t rank)
{
	struct ft_tally ports = {0}, cables = {0};

	for (uint32_t i = 0; i < f->observed->switch_count; i++) {
		if (fit->rank[i] != rank)
			continue;
		ft_tally_add(&ports, ft_infer_ports(f, i));
		ft_tally_add(&cables, ft_fit_cables_within(f, fit, step, i));
	}
	return (struct standard){ft_tally_mode(&ports, 0), ft_tally_mode(&cables, 1)};
}

/* @others: of the other rank of the step, in its group. */
static bool belongs(const struct ft_inference *f, const struct ft_fit *fit, uint32_t step, uint32_t observed,
		    uint32_t others, const struct standard *standard)
{
	uint32_t links = ft_fit_links_within(f, fit, step, observed);
	bool like = ft_infer_ports(f, observed) == standard->ports;

	if (links == 0 || (like ? links * 2 < others : links * 4 < others * 3))
		return false;
	return fit->rank[observed] != EDGE || ft_infer_has_hosts(f, observed) ||
	       (like && ft_fit_cables_within(f, fit, step, observed) * 2 >= standard->cables);
}

/* Takes those of @rank that do not belong to their groups out of the tree. 1 if there were some, 0, or -ENOMEM. */
static int groups_trim(const struct ft_inference *f, struct ft_fit *fit, uint32_t step, uint32_t rank)
{
	const uint32_t *others = ft_fit_group_sizes(f, fit, step, 2 * step + 1 - rank);
	bool *out = ft_arena_zeros(f->memory, f->observed->switch_count, sizeof(*out));
	struct standard standard = standard_of(f, fit, step, rank);
	const uint32_t *group = fit->group[step];
	int trimmed = 0;

	if (!others || !out)
		return -ENOMEM;
	for (uint32_t i = 0; i < f->observed->switch_count; i++)
		out[i] = fit->rank[i] == rank &&
			 (group[i] == FT_NONE || !belongs(f, fit, step, i, others[group[i]], &standard));
	for (uint32_t i = 0; i < f->observed->switch_count; i++) {
		if (!out[i])
			continue;
		fit->rank[i] = FT_OUTSIDE;
		fit->group[PODS][i] = fit->group[PLANES][i] = FT_NONE;
		trimmed = 1;
	}
	return trimmed;
}

/* First the rank that only this step has. */
static int step_trim(const struct ft_inference *f, struct ft_fit *fit, uint32_t step)
{
	int r = 1;

	for (unsigned int round = 0; r > 0 && round < TRIM_ROUNDS; round++) {
		int first = groups_trim(f, fit, step, step == PODS ? step : step + 1);
		int second = first < 0 ? first : groups_trim(f, fit, step, step == PODS ? step + 1 : step);

		r = second < 0 ? second : first | second;
	}
	return r < 0 ? r : groups_renumber(f, fit, step);
}

/*
 * An isolated switch that ports are dark for above its kind (twins.c), or that is like an edge, with hardly fewer hosts
 * than most: an edge, and a fault. Others are fabrics of their own.
 */
static void isolated_add(const struct ft_intent *intent, struct ft_fit *fit)
{
	const struct ft_inference *f = intent->f;

	for (uint32_t i = 0; i < intent->count; i++) {
		bool edge = intent->twins[FT_SIDE_UP].set_of[i] != FT_NONE;

		if (f->graph.degree[i] > 0 || f->hosts[i] == 0)
			continue;
		for (uint32_t k = 0; k < intent->count && !edge && f->hosts[i] * 4 >= f->usual_hosts * 3; k++)
			edge = fit->rank[k] == EDGE && ft_intent_alike(intent, i, k);
		if (!edge)
			continue;
		fit->rank[i] = EDGE;
		fit->group[PODS][i] = 0;
	}
}

/* ---- */

/* The groups of a step, and without the switches that do not belong to them. */
static int groups_find(const struct ft_intent *intent, struct ft_fit *fit, uint32_t step)
{
	const struct ft_inference *f = intent->f;
	const uint32_t lower = step, upper = step + 1;

	groups_number(intent, fit, step);
	return groups_join(f, fit, step, upper, lower) ?: groups_join(f, fit, step, lower, upper)
		?: groups_join(f, fit, step, upper, lower) ?: step_trim(f, fit, step);
}

int ft_infer_tree(const struct ft_intent *intent, uint32_t ranks, struct ft_fit *fit)
{
	const struct ft_inference *f = intent->f;
	int r = 0;

	fit->ranks = ranks;
	for (uint32_t i = 0; i < intent->count; i++)
		if (ft_infer_connected(f, i) && intent->rank[i] < ranks)
			fit->rank[i] = (uint8_t)intent->rank[i];
	if (ranks == 2) {
		fit->groups[PODS] = 1;
		for (uint32_t i = 0; i < intent->count; i++)
			fit->group[PODS][i] = fit->rank[i] == FT_OUTSIDE ? FT_NONE : 0;
		r = step_trim(f, fit, PODS);
		isolated_add(intent, fit);
	}
	for (uint32_t step = 0; r == 0 && ranks == FT_RANKS_MAX && step < FT_STEPS_MAX; step++)
		r = groups_find(intent, fit, step);
	return r ?: ft_fit_judge(f, fit);
}
