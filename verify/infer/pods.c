/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Three levels, from below: switches with hosts are edges, their neighbours are spines, and the rest are cores. Edges
 * with mostly common spines form a pod, spines with mostly common cores a plane.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verify/infer/infer_parts.h"

enum { SORT_ROUNDS = 4, TIES_MAX = 64, MERGE_CELLS_MAX = 1 << 20 };

static uint32_t links_to(const struct ft_inference *f, const struct ft_fit *fit, uint32_t live, uint8_t role)
{
	uint32_t count = 0;

	for (uint32_t n = f->near_first[live]; n < f->near_first[live + 1]; n++)
		count += fit->role[f->near[n].live] == role;
	return count;
}

/* A core with one unplanned switch with hosts on it has far more links to spines than to such switches. */
static void roles_sort(const struct ft_inference *f, struct ft_fit *fit, uint32_t least)
{
	uint32_t n = f->live->switch_count;

	for (uint32_t i = 0; i < n; i++)
		fit->role[i] = ft_infer_connected(f, i) && f->hosts[i] >= least ? FT_TIER_EDGE : FT_OUTSIDE;
	for (uint32_t i = 0; i < n; i++)
		if (fit->role[i] == FT_OUTSIDE && links_to(f, fit, i, FT_TIER_EDGE) > 0)
			fit->role[i] = FT_TIER_SPINE;
	for (unsigned int round = 0; round < SORT_ROUNDS; round++)
		for (uint32_t i = 0; i < n; i++)
			if (fit->role[i] == FT_TIER_SPINE &&
			    links_to(f, fit, i, FT_TIER_SPINE) > links_to(f, fit, i, FT_TIER_EDGE))
				fit->role[i] = FT_TIER_CORE;
	for (uint32_t i = 0; i < n; i++)
		if (fit->role[i] == FT_OUTSIDE && links_to(f, fit, i, FT_TIER_SPINE) > 0)
			fit->role[i] = FT_TIER_CORE;
}

static uint32_t root_of(uint32_t *parent, uint32_t i)
{
	while (parent[i] != i) {
		parent[i] = parent[parent[i]];
		i = parent[i];
	}
	return i;
}

static uint32_t cables_to(const struct ft_inference *f, const struct ft_fit *fit, uint32_t live, uint8_t role)
{
	uint32_t cables = 0;

	for (uint32_t n = f->near_first[live]; n < f->near_first[live + 1]; n++)
		cables += fit->role[f->near[n].live] == role ? f->near[n].cables : 0;
	return cables;
}

/* True if more than half of the cables of two switches to those of a role lead to the same ones. */
static bool alike(const struct ft_inference *f, const struct ft_fit *fit, uint32_t a, uint32_t b, uint8_t role)
{
	uint32_t x = f->near_first[a], y = f->near_first[b], common = 0;
	uint32_t most = cables_to(f, fit, a, role), other = cables_to(f, fit, b, role);

	while (x < f->near_first[a + 1] && y < f->near_first[b + 1]) {
		const struct ft_neighbour *p = &f->near[x], *q = &f->near[y];

		if (p->live == q->live && fit->role[p->live] == role)
			common += p->cables < q->cables ? p->cables : q->cables;
		x += p->live <= q->live;
		y += q->live <= p->live;
	}
	return common * 2 > (other > most ? other : most);
}

/* The switch of a role with the most cables to this one; of equals the first, FT_NONE if there is none. */
static uint32_t nearest_of(const struct ft_inference *f, const struct ft_fit *fit, uint32_t live, uint8_t role)
{
	uint32_t best = FT_NONE;

	for (uint32_t n = f->near_first[live]; n < f->near_first[live + 1]; n++)
		if (fit->role[f->near[n].live] == role && (best == FT_NONE || f->near[n].cables > f->near[best].cables))
			best = n;
	return best == FT_NONE ? FT_NONE : f->near[best].live;
}

/*
 * Groups the switches of role @lower by common neighbours of role @upper, numbered from 0. At each upper switch all are
 * compared with the one with the most cables: so this stays linear, and two switches with swapped cables do not match
 * each other on the wrong switch before they match their equals.
 */
static int groups_number(const struct ft_inference *f, const struct ft_fit *fit, uint8_t lower, uint8_t upper,
			 uint32_t *ret_group, uint32_t *ret_count)
{
	uint32_t n = f->live->switch_count, count = 0;
	_cleanup_free_ uint32_t *parent = malloc((n + 1UL) * sizeof(*parent));

	if (!parent)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		parent[i] = i;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t first;

		if (fit->role[i] != upper)
			continue;
		first = nearest_of(f, fit, i, lower);
		for (uint32_t k = f->near_first[i]; k < f->near_first[i + 1]; k++) {
			uint32_t far = f->near[k].live;

			if (fit->role[far] == lower && far != first && alike(f, fit, first, far, upper))
				parent[root_of(parent, far)] = root_of(parent, first);
		}
	}
	for (uint32_t i = 0; i < n; i++)
		if (fit->role[i] == lower && root_of(parent, i) == i)
			ret_group[i] = count++;
	for (uint32_t i = 0; i < n; i++)
		if (fit->role[i] == lower)
			ret_group[i] = ret_group[root_of(parent, i)];
	*ret_count = count;
	return 0;
}

/* An upper switch belongs to the group with most of its cables. */
static int groups_lift(const struct ft_inference *f, const struct ft_fit *fit, uint8_t lower, uint8_t upper,
		       uint32_t *group, uint32_t groups)
{
	_cleanup_free_ uint32_t *cables = calloc(groups + 1UL, sizeof(*cables));

	if (!cables)
		return -ENOMEM;
	for (uint32_t i = 0; i < f->live->switch_count; i++) {
		uint32_t best = FT_NONE;

		if (fit->role[i] != upper)
			continue;
		for (uint32_t n = f->near_first[i]; n < f->near_first[i + 1]; n++) {
			uint32_t far = f->near[n].live;

			if (fit->role[far] != lower || group[far] == FT_NONE)
				continue;
			cables[group[far]] += f->near[n].cables;
			if (best == FT_NONE || cables[group[far]] > cables[best])
				best = group[far];
		}
		group[i] = best;
		for (uint32_t n = f->near_first[i]; n < f->near_first[i + 1]; n++)
			if (fit->role[f->near[n].live] == lower && group[f->near[n].live] != FT_NONE)
				cables[group[f->near[n].live]] = 0;
	}
	return 0;
}

/* True if another switch of the same role and pod is in the plane. */
static bool pod_is_served(const struct ft_inference *f, const struct ft_fit *fit, uint32_t live, uint32_t plane)
{
	for (uint32_t i = 0; i < f->live->switch_count; i++)
		if (i != live && fit->role[i] == fit->role[live] && fit->pod[i] == fit->pod[live] &&
		    fit->plane[i] == plane)
			return true;
	return false;
}

/* The group with the most cables of a lower switch; of two equal planes the one that its pod is not in yet. */
static uint32_t group_of(const struct ft_inference *f, const struct ft_fit *fit, uint32_t live, uint8_t upper,
			 const uint32_t *group, const uint32_t *cables, uint32_t *ties)
{
	uint32_t best = FT_NONE;

	for (uint32_t n = f->near_first[live]; n < f->near_first[live + 1]; n++) {
		uint32_t far = f->near[n].live, g = group[far];

		if (fit->role[far] != upper || g == FT_NONE || g == best)
			continue;
		if (best == FT_NONE || cables[g] > cables[best])
			best = g;
		else if (cables[g] == cables[best] && group == fit->plane && *ties < TIES_MAX && ++*ties &&
			 pod_is_served(f, fit, live, best) && !pod_is_served(f, fit, live, g))
			best = g;
	}
	return best;
}

/*
 * Lower switches that share too little with any other, because one of their few cables is swapped, join the group with
 * most of their cables.
 */
static int groups_settle(const struct ft_inference *f, const struct ft_fit *fit, uint8_t lower, uint8_t upper,
			 uint32_t *group, uint32_t groups)
{
	_cleanup_free_ uint32_t *cables = calloc(groups + 1UL, sizeof(*cables));
	uint32_t ties = 0;

	if (!cables)
		return -ENOMEM;
	for (uint32_t i = 0; i < f->live->switch_count; i++) {
		uint32_t first = f->near_first[i], last = f->near_first[i + 1], best;

		if (fit->role[i] != lower)
			continue;
		for (uint32_t n = first; n < last; n++)
			if (fit->role[f->near[n].live] == upper && group[f->near[n].live] != FT_NONE)
				cables[group[f->near[n].live]] += f->near[n].cables;
		best = group_of(f, fit, i, upper, group, cables, &ties);
		for (uint32_t n = first; n < last; n++)
			if (fit->role[f->near[n].live] == upper && group[f->near[n].live] != FT_NONE)
				cables[group[f->near[n].live]] = 0;
		group[i] = best != FT_NONE ? best : group[i];
	}
	return 0;
}

/* The number of switches of @role in each group. */
static uint32_t *groups_count(const struct ft_inference *f, const struct ft_fit *fit, const uint32_t *group,
			      uint32_t groups, uint8_t role)
{
	uint32_t *count = calloc(groups + 1UL, sizeof(*count));

	for (uint32_t i = 0; count && i < f->live->switch_count; i++)
		if (fit->role[i] == role && group[i] != FT_NONE)
			count[group[i]]++;
	return count;
}

/* Links of a switch to those of @role in its own group. */
static uint32_t links_within(const struct ft_inference *f, const struct ft_fit *fit, const uint32_t *group,
			     uint32_t live, uint8_t role)
{
	uint32_t count = 0;

	for (uint32_t n = f->near_first[live]; n < f->near_first[live + 1]; n++)
		count += fit->role[f->near[n].live] == role && group[f->near[n].live] == group[live];
	return count;
}

/* Removes switches cabled to less than half of the @other ones of their group from the tree, and unites the rest. */
static int groups_trim(const struct ft_inference *f, struct ft_fit *fit, uint32_t *group, uint32_t groups, uint8_t role,
		       uint8_t other)
{
	_cleanup_free_ uint32_t *count = groups_count(f, fit, group, groups, other);
	_cleanup_free_ bool *out = calloc(f->live->switch_count + 1UL, sizeof(*out));

	if (!count || !out)
		return -ENOMEM;
	for (uint32_t i = 0; i < f->live->switch_count; i++)
		if (fit->role[i] == role)
			out[i] = group[i] == FT_NONE || count[group[i]] == 0 ||
				 links_within(f, fit, group, i, other) * 2 < count[group[i]];
	for (uint32_t i = 0; i < f->live->switch_count; i++) {
		if (!out[i])
			continue;
		fit->role[i] = FT_OUTSIDE;
		fit->pod[i] = fit->plane[i] = FT_NONE;
	}
	return 0;
}

/* A "core" with spines of one pod only is an edge without a host that is up. */
static int hostless_edges_find(const struct ft_inference *f, struct ft_fit *fit)
{
	_cleanup_free_ uint32_t *spines = groups_count(f, fit, fit->pod, fit->pods, FT_TIER_SPINE);

	if (!spines)
		return -ENOMEM;
	for (uint32_t i = 0; i < f->live->switch_count; i++) {
		uint32_t links = links_to(f, fit, i, FT_TIER_SPINE), pod = FT_NONE;

		if (fit->role[i] != FT_TIER_CORE || links < 2)
			continue;
		for (uint32_t n = f->near_first[i]; pod == FT_NONE && n < f->near_first[i + 1]; n++)
			if (fit->role[f->near[n].live] == FT_TIER_SPINE)
				pod = fit->pod[f->near[n].live];
		if (pod == FT_NONE)
			continue;
		fit->pod[i] = pod;
		if (links_within(f, fit, fit->pod, i, FT_TIER_SPINE) == links && links * 2 >= spines[pod])
			fit->role[i] = FT_TIER_EDGE;
		else
			fit->pod[i] = FT_NONE;
	}
	return 0;
}

/* Renumbers the remaining groups. */
static int groups_renumber(const struct ft_inference *f, uint32_t *group, uint32_t *count)
{
	_cleanup_free_ uint32_t *number = malloc((*count + 1UL) * sizeof(*number));
	uint32_t next = 0;

	if (!number)
		return -ENOMEM;
	for (uint32_t g = 0; g < *count; g++)
		number[g] = FT_NONE;
	for (uint32_t i = 0; i < f->live->switch_count; i++) {
		if (group[i] == FT_NONE)
			continue;
		if (number[group[i]] == FT_NONE)
			number[group[i]] = next++;
		group[i] = number[group[i]];
	}
	*count = next;
	return 0;
}

/* The groups that @lower and @upper switches form. */
static int groups_find(const struct ft_inference *f, struct ft_fit *fit, uint8_t lower, uint8_t upper, uint32_t *group,
		       uint32_t *groups)
{
	int r = groups_number(f, fit, lower, upper, group, groups);

	if (r == 0)
		r = groups_lift(f, fit, lower, upper, group, *groups);
	if (r == 0)
		r = groups_settle(f, fit, lower, upper, group, *groups);
	return r == 0 ? groups_lift(f, fit, lower, upper, group, *groups) : r;
}

static int pods_find(const struct ft_inference *f, struct ft_fit *fit)
{
	int r = groups_find(f, fit, FT_TIER_EDGE, FT_TIER_SPINE, fit->pod, &fit->pods);

	if (r == 0)
		r = hostless_edges_find(f, fit);
	if (r == 0)
		r = groups_trim(f, fit, fit->pod, fit->pods, FT_TIER_EDGE, FT_TIER_SPINE);
	if (r == 0)
		r = groups_trim(f, fit, fit->pod, fit->pods, FT_TIER_SPINE, FT_TIER_EDGE);
	return r == 0 ? groups_renumber(f, fit->pod, &fit->pods) : r;
}

/* The usual number of switches of a role in a group. */
static int usual_of_groups(const struct ft_inference *f, const struct ft_fit *fit, const uint32_t *group,
			   uint32_t groups, uint8_t role, struct ft_tally *ret_tally)
{
	_cleanup_free_ uint32_t *count = groups_count(f, fit, group, groups, role);

	if (!count)
		return -ENOMEM;
	*ret_tally = (struct ft_tally){0};
	for (uint32_t g = 0; g < groups; g++)
		ft_tally_add(ret_tally, count[g]);
	return 0;
}

/* Planes that may be parts of one: the cables between any two, and the pods where each has a spine. */
struct parts {
	uint32_t planes, pods;
	uint32_t *cables; /* [plane * planes + plane] */
	bool *served;	  /* [plane * pods + pod] */
};

static void parts_release(struct parts *parts)
{
	free(parts->cables);
	free(parts->served);
}

static int parts_fill(const struct ft_inference *f, const struct ft_fit *fit, struct parts *parts)
{
	uint32_t planes = parts->planes = fit->planes, pods = parts->pods = fit->pods;

	parts->cables = calloc((size_t)planes * planes + 1, sizeof(*parts->cables));
	parts->served = calloc((size_t)planes * pods + 1, sizeof(*parts->served));
	if (!parts->cables || !parts->served)
		return -ENOMEM;
	for (uint32_t i = 0; i < f->live->switch_count; i++) {
		if (fit->role[i] != FT_TIER_SPINE || fit->plane[i] == FT_NONE)
			continue;
		if (fit->pod[i] != FT_NONE)
			parts->served[(size_t)fit->plane[i] * pods + fit->pod[i]] = true;
		for (uint32_t n = f->near_first[i]; n < f->near_first[i + 1]; n++) {
			uint32_t far = f->near[n].live;

			if (fit->role[far] == FT_TIER_CORE && fit->plane[far] != FT_NONE)
				parts->cables[(size_t)fit->plane[i] * planes + fit->plane[far]] += f->near[n].cables;
		}
	}
	return 0;
}

static bool parts_fit(const struct parts *parts, uint32_t p, uint32_t q)
{
	for (uint32_t pod = 0; pod < parts->pods; pod++)
		if (parts->served[(size_t)p * parts->pods + pod] && parts->served[(size_t)q * parts->pods + pod])
			return false;
	return true;
}

/* The two planes with the most cables between them and no common pod. False: none. */
static bool parts_choose(const struct parts *parts, uint32_t *ret_p, uint32_t *ret_q)
{
	uint32_t most = 0;

	for (uint32_t p = 0; p < parts->planes; p++)
		for (uint32_t q = 0; q < p; q++) {
			uint32_t cables = parts->cables[(size_t)p * parts->planes + q] +
					  parts->cables[(size_t)q * parts->planes + p];

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
	int r = groups_renumber(f, fit->plane, &fit->planes);

	if (r == 0)
		r = usual_of_groups(f, fit, fit->pod, fit->pods, FT_TIER_SPINE, &spines);
	while (r == 0 && fit->planes > ft_tally_mode(&spines, 1)) {
		_cleanup_(parts_release) struct parts parts = {0};
		uint32_t p, q;

		if ((uint64_t)fit->planes * (fit->planes + fit->pods) > MERGE_CELLS_MAX ||
		    fit->planes > 2 * ft_tally_mode(&spines, 1))
			return 0;
		r = parts_fill(f, fit, &parts);
		if (r < 0 || !parts_choose(&parts, &p, &q))
			return r;
		for (uint32_t i = 0; i < f->live->switch_count; i++)
			if (fit->plane[i] == p)
				fit->plane[i] = q;
		r = groups_renumber(f, fit->plane, &fit->planes);
	}
	return r;
}

static int planes_find(const struct ft_inference *f, struct ft_fit *fit)
{
	int r = groups_find(f, fit, FT_TIER_SPINE, FT_TIER_CORE, fit->plane, &fit->planes);

	if (r == 0)
		r = planes_merge(f, fit);
	if (r == 0)
		r = groups_trim(f, fit, fit->plane, fit->planes, FT_TIER_CORE, FT_TIER_SPINE);
	if (r == 0)
		r = groups_trim(f, fit, fit->plane, fit->planes, FT_TIER_SPINE, FT_TIER_CORE);
	return r == 0 ? groups_renumber(f, fit->plane, &fit->planes) : r;
}

/* Adds the pairs of an upper switch with the @lowers lower ones of its pod or plane to its column. */
static void column_add(const struct ft_inference *f, const struct ft_fit *fit, const uint32_t *group, uint32_t live,
		       uint8_t lower, uint32_t lowers, struct ft_column *column)
{
	uint32_t links = 0;

	for (uint32_t n = f->near_first[live]; n < f->near_first[live + 1]; n++) {
		uint32_t far = f->near[n].live;

		if (fit->role[far] != lower || group[far] != group[live])
			continue;
		ft_tally_add(&column->pairs, f->near[n].cables);
		column->cables += f->near[n].cables;
		links++;
	}
	ft_tally_add_many(&column->pairs, 0, lowers - links);
}

/* The upper switches in order: by pod and plane, or by plane and number of cables. */
struct place {
	uint32_t live, group, place;
};

static int place_compare(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	if (x->place != y->place)
		return x->place > y->place ? -1 : 1;
	return x->live < y->live ? -1 : x->live > y->live;
}

/* Cables from a switch to those of @role in its group. */
static uint32_t cables_within(const struct ft_inference *f, const struct ft_fit *fit, const uint32_t *group,
			      uint32_t live, uint8_t role)
{
	uint32_t cables = 0;

	for (uint32_t n = f->near_first[live]; n < f->near_first[live + 1]; n++)
		if (fit->role[f->near[n].live] == role && group[f->near[n].live] == group[live])
			cables += f->near[n].cables;
	return cables;
}

/* The cables of edges to the spine of each plane. */
static int lower_columns(const struct ft_inference *f, const struct ft_fit *fit, struct ft_columns *columns)
{
	_cleanup_free_ uint32_t *edges = groups_count(f, fit, fit->pod, fit->pods, FT_TIER_EDGE);

	columns->count = fit->planes;
	columns->column = calloc(fit->planes + 1UL, sizeof(*columns->column));
	if (!edges || !columns->column)
		return -ENOMEM;
	for (uint32_t i = 0; i < f->live->switch_count; i++)
		if (fit->role[i] == FT_TIER_SPINE && fit->plane[i] != FT_NONE && fit->pod[i] != FT_NONE)
			column_add(f, fit, fit->pod, i, FT_TIER_EDGE, edges[fit->pod[i]],
				   &columns->column[fit->plane[i]]);
	return 0;
}

/* The cables of spines to the core switches of their plane, those with the most cables first. */
static int upper_columns(const struct ft_inference *f, const struct ft_fit *fit, uint32_t cores,
			 struct ft_columns *columns)
{
	_cleanup_free_ uint32_t *spines = groups_count(f, fit, fit->plane, fit->planes, FT_TIER_SPINE);
	_cleanup_free_ struct place *places = malloc((f->live->switch_count + 1UL) * sizeof(*places));
	uint32_t count = 0, place = 0;

	columns->count = cores;
	columns->column = calloc(cores + 1UL, sizeof(*columns->column));
	if (!spines || !places || !columns->column)
		return -ENOMEM;
	for (uint32_t i = 0; i < f->live->switch_count; i++)
		if (fit->role[i] == FT_TIER_CORE && fit->plane[i] != FT_NONE)
			places[count++] =
				(struct place){i, fit->plane[i], cables_within(f, fit, fit->plane, i, FT_TIER_SPINE)};
	qsort(places, count, sizeof(*places), place_compare);
	for (uint32_t i = 0; i < count; i++) {
		place = i > 0 && places[i].group == places[i - 1].group ? place + 1 : 0;
		if (place < cores)
			column_add(f, fit, fit->plane, places[i].live, FT_TIER_SPINE, spines[places[i].group],
				   &columns->column[place]);
	}
	return 0;
}

static uint64_t columns_residual(const struct ft_columns *columns, uint64_t *lacking)
{
	uint64_t residual = 0;

	for (uint32_t c = 0; c < columns->count; c++) {
		const struct ft_tally *pairs = &columns->column[c].pairs;
		uint32_t usual = ft_tally_mode(pairs, 1);

		residual += ft_tally_distance(pairs, usual, lacking);
	}
	return residual;
}

static void columns_release(struct ft_columns *columns)
{
	free(columns->column);
}

/* Cables that are not between neighbouring tiers of one pod or plane. */
static uint64_t stray_cables(const struct ft_inference *f, const struct ft_fit *fit)
{
	uint64_t twice = 0;

	for (uint32_t i = 0; i < f->live->switch_count; i++)
		for (uint32_t n = f->near_first[i]; n < f->near_first[i + 1]; n++) {
			uint32_t far = f->near[n].live, roles = 1U << fit->role[i] | 1U << fit->role[far];
			bool in_pod =
				roles == (1U << FT_TIER_EDGE | 1U << FT_TIER_SPINE) && fit->pod[i] == fit->pod[far];
			bool in_plane =
				roles == (1U << FT_TIER_SPINE | 1U << FT_TIER_CORE) && fit->plane[i] == fit->plane[far];

			if (ft_infer_connected(f, i) && !in_pod && !in_plane)
				twice += f->near[n].cables;
		}
	return twice / 2;
}

/* True for a single pod with nothing above except what serves its spines. */
static bool serves_one(const struct ft_inference *f, const struct ft_fit *fit)
{
	uint32_t down = 0, up = 0;

	for (uint32_t i = 0; i < f->live->switch_count; i++) {
		if (fit->role[i] == FT_TIER_CORE && f->hosts[i] > 0)
			return false;
		if (fit->role[i] != FT_TIER_SPINE)
			continue;
		down += cables_to(f, fit, i, FT_TIER_EDGE);
		up += cables_to(f, fit, i, FT_TIER_CORE);
	}
	return up * FT_CROWDED >= down;
}

/* Each pod must have one spine in each plane: the planner knows no other such tree. */
static int three_judge(const struct ft_inference *f, struct ft_fit *fit)
{
	_cleanup_(columns_release) struct ft_columns lower = {0}, upper = {0};
	struct ft_tally spines, cores;
	int r = usual_of_groups(f, fit, fit->pod, fit->pods, FT_TIER_SPINE, &spines);

	if (r == 0)
		r = usual_of_groups(f, fit, fit->plane, fit->planes, FT_TIER_CORE, &cores);
	if (r == 0)
		r = lower_columns(f, fit, &lower);
	if (r == 0)
		r = upper_columns(f, fit, ft_tally_mode(&cores, 1), &upper);
	if (r < 0)
		return r;
	fit->levels = 3;
	fit->possible = fit->pods >= 1 && fit->planes >= 1 && fit->planes == ft_tally_mode(&spines, 1) &&
			(fit->pods > 1 || serves_one(f, fit));
	fit->lacking = 0;
	fit->unexplained = stray_cables(f, fit) + columns_residual(&lower, &fit->lacking) +
			   columns_residual(&upper, &fit->lacking);
	return 0;
}

int ft_infer_three(struct ft_inference *f, struct ft_fit *fit, uint32_t least)
{
	int r;

	roles_sort(f, fit, least);
	r = pods_find(f, fit);
	if (r == 0)
		r = planes_find(f, fit);
	return r == 0 ? three_judge(f, fit) : r;
}

/* ---- numbers ---- */

static void pods_tell(struct ft_inference *f, const struct ft_tally *edges)
{
	struct ft_inferred *d = &f->design;

	ft_text_printf(&f->why[FT_WHY_PODS], "edge switches that are cabled to the same spines are a pod: %u %s,",
		       f->fit.pods, ft_infer_plural(f->fit.pods, "pod", "pods"));
	for (uint32_t size = edges->end; size-- > 1;) {
		if (edges->votes[size] == 0)
			continue;
		ft_text_printf(&f->why[FT_WHY_PODS], "%s %u of %u edge %s", d->pod_kinds ? "," : "", edges->votes[size],
			       size, ft_infer_plural(size, "switch", "switches"));
		if (d->pod_kinds < FT_POD_KINDS_MAX)
			d->pods[d->pod_kinds++] = (struct ft_pod_kind){edges->votes[size], size};
		else
			d->pods[FT_POD_KINDS_MAX - 1].count += edges->votes[size];
	}
}

static void spines_tell(struct ft_inference *f, const struct ft_tally *spines, const struct ft_tally *cores)
{
	struct ft_inferred *d = &f->design;
	uint32_t per_pod = ft_tally_mode(spines, 1), per_plane = ft_tally_mode(cores, 1);

	d->spine_count = f->fit.pods * per_pod;
	d->core_count = f->fit.planes * per_plane;
	ft_tally_tell(&f->why[FT_WHY_SPINE], spines, per_pod, "pods", "spine", "spines");
	ft_text_printf(&f->why[FT_WHY_SPINE],
		       "; spines that are cabled to the same core switches are a plane: %u %s, one for each spine of "
		       "a pod",
		       f->fit.planes, ft_infer_plural(f->fit.planes, "plane", "planes"));
	ft_tally_tell(&f->why[FT_WHY_CORE], cores, per_plane, "planes", "core switch", "core switches");
}

/* The most frequent number of cables of a switch of one role to those of another in its group. */
static uint32_t usual_cables(const struct ft_inference *f, const uint32_t *group, uint8_t role, uint8_t other)
{
	struct ft_tally tally = {0};

	for (uint32_t i = 0; i < f->live->switch_count; i++)
		if (f->fit.role[i] == role)
			ft_tally_add(&tally, cables_within(f, &f->fit, group, i, other));
	return ft_tally_mode(&tally, 1);
}

/* Uplinks of edges and of spines, and the rules to spread them. */
struct pair {
	struct ft_columns *lower, *upper;
	uint32_t down, up; /* the most frequent numbers of uplinks */
	struct ft_spread_rule low, high;
};

/* Each level by itself, or both by one rule; -ERANGE if none fits. */
static int pair_rules(const struct ft_inference *f, const struct ft_spread_rule *like, struct pair *pair)
{
	const struct ft_inferred *d = &f->design;
	int r = ft_infer_rule(pair->lower, pair->down, d->edge_ports - 1, like, &pair->low);

	if (r < 0)
		return r;
	return ft_infer_rule(pair->upper, pair->up, d->spine_ports - pair->low.widest * d->pods[0].edges, like,
			     &pair->high);
}

/* The design has one rule for both levels; equal bundles fit any. */
static bool pair_agrees(const struct pair *pair)
{
	return ft_infer_rule_is_equal(&pair->low) || ft_infer_rule_is_equal(&pair->high) ||
	       (pair->low.spread == pair->high.spread && pair->low.multiple == pair->high.multiple);
}

/* The simplest of the rules for both levels with the fewest surplus and missing cables. */
static int pair_choose(const struct ft_inference *f, struct pair *pair)
{
	struct ft_spread_rule like = {.spread = FT_SPREAD_EVEN};
	uint64_t least = UINT64_MAX;
	struct pair trial = *pair;
	uint32_t widest;
	int r = pair_rules(f, NULL, &trial);

	if (r < 0 || pair_agrees(&trial)) {
		*pair = trial;
		return r;
	}
	widest = trial.low.widest > trial.high.widest ? trial.low.widest : trial.high.widest;
	while (like.multiple <= widest) {
		if (pair_rules(f, &like, &trial) == 0 && trial.low.cost + trial.high.cost < least) {
			least = trial.low.cost + trial.high.cost;
			*pair = trial;
		}
		if (like.spread == FT_SPREAD_EVEN) {
			like.spread = FT_SPREAD_THICK;
			continue;
		}
		like.multiple = like.spread == FT_SPREAD_THICK ? 2 : like.multiple + 1;
		like.spread = FT_SPREAD_MULTIPLE;
	}
	return least < UINT64_MAX ? 0 : -ERANGE;
}

static int rules_choose(struct ft_inference *f, struct ft_columns *lower, struct ft_columns *upper,
			struct ft_error *err)
{
	struct ft_inferred *d = &f->design;
	struct pair pair = {.lower = lower,
			    .upper = upper,
			    .down = usual_cables(f, f->fit.pod, FT_TIER_EDGE, FT_TIER_SPINE),
			    .up = usual_cables(f, f->fit.plane, FT_TIER_SPINE, FT_TIER_CORE)};
	const struct ft_spread_rule *low = &pair.low, *high = &pair.high, *uneven;

	lower->room = d->spine_ports > pair.up ? (d->spine_ports - pair.up) / d->pods[0].edges : 0;
	upper->room = d->core_ports / f->fit.pods;
	if (pair_choose(f, &pair) < 0)
		return ft_error_set(
			err, -EINVAL, 0, 0,
			"no design to be inferred: in pods of up to %u edge switches of mostly %u ports and "
			"%u spines of mostly %u ports, not all can be cabled to each other",
			d->pods[0].edges, d->edge_ports, lower->count, d->spine_ports);
	uneven = ft_infer_rule_is_equal(low) ? high : low;
	d->spread = uneven->spread;
	d->multiple = uneven->multiple;
	d->bundle = low->pinned ? low->bundle : 0;
	d->spine_bundle = high->pinned ? high->bundle : 0;
	d->ports_to_core = low->uplinks;
	d->spine_up = high->uplinks;
	ft_infer_rule_tell(&f->why[FT_WHY_BUNDLE], low, lower, "pairs of an edge switch and a spine of its pod",
			   "spines of the pod");
	ft_text_puts(&f->why[FT_WHY_BUNDLE], "; ");
	ft_infer_rule_tell(&f->why[FT_WHY_BUNDLE], high, upper, "pairs of a spine and a core switch of its plane",
			   "core switches of the plane");
	return 0;
}

int ft_infer_three_counts(struct ft_inference *f, struct ft_error *err)
{
	_cleanup_(columns_release) struct ft_columns lower = {0}, upper = {0};
	const struct ft_fit *fit = &f->fit;
	struct ft_tally edges, spines, cores;
	int r = usual_of_groups(f, fit, fit->pod, fit->pods, FT_TIER_EDGE, &edges);

	if (r == 0)
		r = usual_of_groups(f, fit, fit->pod, fit->pods, FT_TIER_SPINE, &spines);
	if (r == 0)
		r = usual_of_groups(f, fit, fit->plane, fit->planes, FT_TIER_CORE, &cores);
	if (r == 0)
		r = lower_columns(f, fit, &lower);
	if (r == 0)
		r = upper_columns(f, fit, ft_tally_mode(&cores, 1), &upper);
	if (r < 0)
		return r;
	f->design.edge_count = f->count[FT_TIER_EDGE];
	pods_tell(f, &edges);
	spines_tell(f, &spines, &cores);
	ft_text_printf(&f->why[FT_WHY_EDGE], "%u %s with hosts, or cabled like those with hosts",
		       f->count[FT_TIER_EDGE], ft_infer_plural(f->count[FT_TIER_EDGE], "switch", "switches"));
	return rules_choose(f, &lower, &upper, err);
}
