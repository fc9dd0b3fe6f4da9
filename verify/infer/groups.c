/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Three ranks, from below: switches with hosts are edges, their neighbours are spines, and the rest are cores. The
 * lower switches of a step with mostly common upper ones form a group: edges a pod, spines a plane.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "verify/infer/infer_parts.h"

/* The ranks. */
enum { EDGE, SPINE, CORE };

/* The steps between them. */
enum { PODS, PLANES };

enum { SORT_ROUNDS = 4, TIES_MAX = 64, MERGE_CELLS_MAX = 1 << 20 };

/* A core with one unplanned switch with hosts on it has far more links to spines than to such switches. */
static void ranks_sort(const struct ft_inference *f, struct ft_fit *fit, uint32_t least)
{
	uint32_t n = f->observed->switch_count;

	for (uint32_t i = 0; i < n; i++)
		fit->rank[i] = ft_infer_connected(f, i) && f->hosts[i] >= least ? EDGE : FT_OUTSIDE;
	for (uint32_t i = 0; i < n; i++)
		if (fit->rank[i] == FT_OUTSIDE && ft_fit_links(f, fit, i, EDGE) > 0)
			fit->rank[i] = SPINE;
	for (unsigned int round = 0; round < SORT_ROUNDS; round++)
		for (uint32_t i = 0; i < n; i++)
			if (fit->rank[i] == SPINE && ft_fit_links(f, fit, i, SPINE) > ft_fit_links(f, fit, i, EDGE))
				fit->rank[i] = CORE;
	for (uint32_t i = 0; i < n; i++)
		if (fit->rank[i] == FT_OUTSIDE && ft_fit_links(f, fit, i, SPINE) > 0)
			fit->rank[i] = CORE;
}

/* The cables of two switches that lead to the same ones of a rank. */
static uint32_t common_cables(const struct ft_inference *f, const struct ft_fit *fit, uint32_t a, uint32_t b,
			      uint32_t rank)
{
	const struct ft_adjacent *p = ft_adjacent_of(&f->graph, a), *q = ft_adjacent_of(&f->graph, b);
	uint32_t common = 0;

	while (p < ft_adjacent_of(&f->graph, a + 1) && q < ft_adjacent_of(&f->graph, b + 1)) {
		uint32_t x = p->vertex, y = q->vertex;

		if (x == y && fit->rank[x] == rank)
			common += p->count < q->count ? p->count : q->count;
		p += x <= y;
		q += y <= x;
	}
	return common;
}

/* The switch of a rank with the most cables to this one; of equals the first, FT_NONE if there is none. */
static uint32_t nearest_of(const struct ft_inference *f, const struct ft_fit *fit, uint32_t observed, uint32_t rank)
{
	const struct ft_adjacent *best = NULL;

	ft_each_adjacent(n, &f->graph, observed)
		if (fit->rank[n->vertex] == rank && (!best || n->count > best->count))
			best = n;
	return best ? best->vertex : FT_NONE;
}

/*
 * Groups the lower switches of a step that have more than half of their cables to the same upper ones (a union-find),
 * numbered from 0. At each upper switch all are compared with the one with the most cables: so this stays linear, and
 * two switches with swapped cables do not match each other on the wrong switch before they match their equals.
 */
static int groups_number(const struct ft_inference *f, struct ft_fit *fit, uint32_t step)
{
	uint32_t n = f->observed->switch_count, lower = step, upper = step + 1;
	_cleanup_free_ uint32_t *parent = malloc((n + 1UL) * sizeof(*parent));
	_cleanup_free_ uint32_t *cables = calloc(n + 1UL, sizeof(*cables));

	if (!parent || !cables)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		parent[i] = i;
		cables[i] = fit->rank[i] == lower ? ft_fit_cables(f, fit, i, upper) : 0;
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t first;

		first = fit->rank[i] == upper ? nearest_of(f, fit, i, lower) : FT_NONE;
		if (first == FT_NONE)
			continue;
		ft_each_adjacent(k, &f->graph, i) {
			uint32_t far = k->vertex;
			uint32_t most = cables[far] > cables[first] ? cables[far] : cables[first];

			if (fit->rank[far] == lower && far != first &&
			    common_cables(f, fit, first, far, upper) * 2 > most)
				parent[ft_number_root(parent, far)] = ft_number_root(parent, first);
		}
	}
	fit->groups[step] = 0;
	for (uint32_t i = 0; i < n; i++)
		if (fit->rank[i] == lower && ft_number_root(parent, i) == i)
			fit->group[step][i] = fit->groups[step]++;
	for (uint32_t i = 0; i < n; i++)
		if (fit->rank[i] == lower)
			fit->group[step][i] = fit->group[step][ft_number_root(parent, i)];
	return 0;
}

/* True if another switch of the same rank and pod is in the plane. */
static bool pod_is_served(const struct ft_inference *f, const struct ft_fit *fit, uint32_t observed, uint32_t plane)
{
	for (uint32_t i = 0; i < f->observed->switch_count; i++)
		if (i != observed && fit->rank[i] == fit->rank[observed] &&
		    fit->group[PODS][i] == fit->group[PODS][observed] && fit->group[PLANES][i] == plane)
			return true;
	return false;
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

/* The group with the most cables of a switch; of two equal planes the one that its pod is not in yet. */
static uint32_t group_of(const struct ft_inference *f, const struct ft_fit *fit, uint32_t step, uint32_t observed,
			 uint32_t rank, const uint32_t *cables, uint32_t *ties)
{
	uint32_t best = FT_NONE;

	ft_each_adjacent(n, &f->graph, observed) {
		uint32_t far = n->vertex, g = fit->group[step][far];

		if (fit->rank[far] != rank || g == FT_NONE || g == best)
			continue;
		if (best == FT_NONE || cables[g] > cables[best])
			best = g;
		else if (cables[g] == cables[best] && step == PLANES && *ties < TIES_MAX && ++*ties &&
			 pod_is_served(f, fit, observed, best) && !pod_is_served(f, fit, observed, g))
			best = g;
	}
	return best;
}

/*
 * Switches of @rank join the group with the most of their cables to @other, the other rank of the step. So do lower
 * ones that share too little with any other, because one of their few cables is swapped.
 */
static int groups_join(const struct ft_inference *f, struct ft_fit *fit, uint32_t step, uint32_t rank, uint32_t other)
{
	_cleanup_free_ uint32_t *cables = calloc(fit->groups[step] + 1UL, sizeof(*cables));
	uint32_t ties = 0;

	if (!cables)
		return -ENOMEM;
	for (uint32_t i = 0; i < f->observed->switch_count; i++) {
		uint32_t best;

		if (fit->rank[i] != rank)
			continue;
		group_cables(f, fit, step, i, other, true, cables);
		best = group_of(f, fit, step, i, other, cables, &ties);
		group_cables(f, fit, step, i, other, false, cables);
		if (best != FT_NONE)
			fit->group[step][i] = best;
	}
	return 0;
}

/* Takes switches cabled to less than half of the @other ones of their group out of the tree. */
static int groups_trim(const struct ft_inference *f, struct ft_fit *fit, uint32_t step, uint32_t rank, uint32_t other)
{
	_cleanup_free_ uint32_t *count = ft_fit_group_sizes(f, fit, step, other);
	_cleanup_free_ bool *out = calloc(f->observed->switch_count + 1UL, sizeof(*out));
	const uint32_t *group = fit->group[step];

	if (!count || !out)
		return -ENOMEM;
	for (uint32_t i = 0; i < f->observed->switch_count; i++)
		if (fit->rank[i] == rank)
			out[i] = group[i] == FT_NONE || count[group[i]] == 0 ||
				 ft_fit_links_within(f, fit, step, i) * 2 < count[group[i]];
	for (uint32_t i = 0; i < f->observed->switch_count; i++) {
		if (!out[i])
			continue;
		fit->rank[i] = FT_OUTSIDE;
		fit->group[PODS][i] = fit->group[PLANES][i] = FT_NONE;
	}
	return 0;
}

/* A "core" with spines of one pod only is an edge without a host that is up. */
static int hostless_edges_find(const struct ft_inference *f, struct ft_fit *fit)
{
	_cleanup_free_ uint32_t *spines = ft_fit_group_sizes(f, fit, PODS, SPINE);

	if (!spines)
		return -ENOMEM;
	for (uint32_t i = 0; i < f->observed->switch_count; i++) {
		uint32_t links = ft_fit_links(f, fit, i, SPINE), pod = FT_NONE;
		bool single = true;

		if (fit->rank[i] != CORE || links < 2)
			continue;
		ft_each_adjacent(n, &f->graph, i) {
			uint32_t far = n->vertex;

			if (fit->rank[far] != SPINE)
				continue;
			pod = pod == FT_NONE ? fit->group[PODS][far] : pod;
			single &= fit->group[PODS][far] == pod;
		}
		if (pod == FT_NONE || !single || links * 2 < spines[pod])
			continue;
		fit->rank[i] = EDGE;
		fit->group[PODS][i] = pod;
	}
	return 0;
}

/* Renumbers the remaining groups. */
static int groups_renumber(const struct ft_inference *f, struct ft_fit *fit, uint32_t step)
{
	_cleanup_free_ uint32_t *number = malloc((fit->groups[step] + 1UL) * sizeof(*number));
	uint32_t *group = fit->group[step], next = 0;

	if (!number)
		return -ENOMEM;
	for (uint32_t g = 0; g < fit->groups[step]; g++)
		number[g] = FT_NONE;
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

/* Planes that may be parts of one: the cables between any two, and the pods where each has a spine. */
struct parts {
	uint32_t count, below; /* planes, and pods */
	uint32_t *cables;      /* [plane * planes + plane] */
	bool *served;	       /* [plane * pods + pod] */
};

static void parts_release(struct parts *parts)
{
	free(parts->cables);
	free(parts->served);
}

static int parts_fill(const struct ft_inference *f, const struct ft_fit *fit, struct parts *parts)
{
	uint32_t planes = parts->count = fit->groups[PLANES], pods = parts->below = fit->groups[PODS];

	parts->cables = calloc((size_t)planes * planes + 1, sizeof(*parts->cables));
	parts->served = calloc((size_t)planes * pods + 1, sizeof(*parts->served));
	if (!parts->cables || !parts->served)
		return -ENOMEM;
	for (uint32_t i = 0; i < f->observed->switch_count; i++) {
		if (fit->rank[i] != SPINE || fit->group[PLANES][i] == FT_NONE)
			continue;
		if (fit->group[PODS][i] != FT_NONE)
			parts->served[(size_t)fit->group[PLANES][i] * pods + fit->group[PODS][i]] = true;
		ft_each_adjacent(n, &f->graph, i) {
			uint32_t far = n->vertex;

			if (fit->rank[far] == CORE && fit->group[PLANES][far] != FT_NONE)
				parts->cables[(size_t)fit->group[PLANES][i] * planes + fit->group[PLANES][far]] +=
					n->count;
		}
	}
	return 0;
}

static bool parts_fit(const struct parts *parts, uint32_t p, uint32_t q)
{
	for (uint32_t pod = 0; pod < parts->below; pod++)
		if (parts->served[(size_t)p * parts->below + pod] && parts->served[(size_t)q * parts->below + pod])
			return false;
	return true;
}

/* The two planes with the most cables between them and no common pod. False: none. */
static bool parts_choose(const struct parts *parts, uint32_t *ret_p, uint32_t *ret_q)
{
	uint32_t most = 0;

	for (uint32_t p = 0; p < parts->count; p++)
		for (uint32_t q = 0; q < p; q++) {
			uint32_t cables = parts->cables[(size_t)p * parts->count + q] +
					  parts->cables[(size_t)q * parts->count + p];

			if (cables <= most || !parts_fit(parts, p, q))
				continue;
			most = cables;
			*ret_p = p;
			*ret_q = q;
		}
	return most > 0;
}

/* Swaps may split a small plane, which gives more planes than spines in a pod: merges the parts. */
static int planes_merge(const struct ft_inference *f, struct ft_fit *fit)
{
	struct ft_tally spines;
	int r = groups_renumber(f, fit, PLANES);

	if (r == 0)
		r = ft_fit_group_tally(f, fit, PODS, SPINE, &spines);
	while (r == 0 && fit->groups[PLANES] > ft_tally_mode(&spines, 1)) {
		_cleanup_(parts_release) struct parts parts = {0};
		uint32_t p, q;

		if ((uint64_t)fit->groups[PLANES] * (fit->groups[PLANES] + fit->groups[PODS]) > MERGE_CELLS_MAX ||
		    fit->groups[PLANES] > 2 * ft_tally_mode(&spines, 1))
			return 0;
		r = parts_fill(f, fit, &parts);
		if (r < 0 || !parts_choose(&parts, &p, &q))
			return r;
		for (uint32_t i = 0; i < f->observed->switch_count; i++)
			if (fit->group[PLANES][i] == p)
				fit->group[PLANES][i] = q;
		r = groups_renumber(f, fit, PLANES);
	}
	return r;
}

/* The groups of a step, and without the switches that do not belong to them. */
static int groups_find(const struct ft_inference *f, struct ft_fit *fit, uint32_t step)
{
	const uint32_t lower = step, upper = step + 1;
	int r = groups_number(f, fit, step);

	if (r == 0)
		r = groups_join(f, fit, step, upper, lower);
	if (r == 0)
		r = groups_join(f, fit, step, lower, upper);
	if (r == 0)
		r = groups_join(f, fit, step, upper, lower);
	if (r == 0)
		r = step == PODS ? hostless_edges_find(f, fit) : planes_merge(f, fit);
	for (uint32_t end = 0; r == 0 && end < 2; end++) {
		/* First the rank that only this step has. */
		bool lower_first = (step == PODS) == (end == 0);

		r = groups_trim(f, fit, step, lower_first ? lower : upper, lower_first ? upper : lower);
	}
	return r == 0 ? groups_renumber(f, fit, step) : r;
}

int ft_infer_three(const struct ft_inference *f, struct ft_fit *fit, uint32_t least)
{
	int r;

	fit->ranks = FT_RANKS_MAX;
	ranks_sort(f, fit, least);
	r = groups_find(f, fit, PODS);
	if (r == 0)
		r = groups_find(f, fit, PLANES);
	return r == 0 ? ft_fit_judge(f, fit) : r;
}
