/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Three levels, from below: switches with hosts are edges, what those are cabled to are spines, and what is beyond are
 * cores. Edges that share most of their spines are of one pod, spines that share most of their cores of one plane.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verify/infer_parts.h"

enum { SORT_ROUNDS = 4 };

static uint32_t links_to(const struct ft_inference *f, const struct ft_fit *fit, uint32_t live, uint8_t role)
{
	uint32_t count = 0;

	for (uint32_t n = f->near_first[live]; n < f->near_first[live + 1]; n++)
		count += fit->role[f->near[n].live] == role;
	return count;
}

/* A core that one odd switch with hosts hangs on has far more links to spines than to such. */
static void roles_sort(const struct ft_inference *f, struct ft_fit *fit)
{
	uint32_t n = f->live->switch_count;

	for (uint32_t i = 0; i < n; i++)
		fit->role[i] = f->hosts[i] > 0 && f->hosts[i] * 4 >= f->usual_hosts ? FT_TIER_EDGE : FT_OUTSIDE;
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

/* Do two switches share at least half of their neighbours of that role? */
static bool alike(const struct ft_inference *f, const struct ft_fit *fit, uint32_t a, uint32_t b, uint8_t role)
{
	uint32_t x = f->near_first[a], y = f->near_first[b], common = 0;
	uint32_t most = links_to(f, fit, a, role), other = links_to(f, fit, b, role);

	while (x < f->near_first[a + 1] && y < f->near_first[b + 1]) {
		uint32_t p = f->near[x].live, q = f->near[y].live;

		common += p == q && fit->role[p] == role;
		x += p <= q;
		y += q <= p;
	}
	return common * 2 >= (other > most ? other : most);
}

/*
 * Numbers the groups of switches of role @lower that share their neighbours of role @upper, from 0 on. At each upper
 * switch all are held against the first, so that this stays linear; one that is out of place there is first elsewhere.
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
		uint32_t first = FT_NONE;

		if (fit->role[i] != upper)
			continue;
		for (uint32_t k = f->near_first[i]; k < f->near_first[i + 1]; k++) {
			uint32_t far = f->near[k].live;

			if (fit->role[far] != lower)
				continue;
			if (first == FT_NONE)
				first = far;
			else if (alike(f, fit, first, far, upper))
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

/* An upper switch is of the group that most of its cables lead to. */
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

/* How many switches of @role each group has. */
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

/* Puts switches outside that are cabled to less than half of the @other ones of their group, and unites the rest. */
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

/* A "core" whose spines are all of one pod is an edge without a host that is up. */
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

/* Numbers anew the groups that are left. */
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

static int pods_find(const struct ft_inference *f, struct ft_fit *fit)
{
	int r = groups_number(f, fit, FT_TIER_EDGE, FT_TIER_SPINE, fit->pod, &fit->pods);

	if (r == 0)
		r = groups_lift(f, fit, FT_TIER_EDGE, FT_TIER_SPINE, fit->pod, fit->pods);
	if (r == 0)
		r = hostless_edges_find(f, fit);
	if (r == 0)
		r = groups_trim(f, fit, fit->pod, fit->pods, FT_TIER_EDGE, FT_TIER_SPINE);
	if (r == 0)
		r = groups_trim(f, fit, fit->pod, fit->pods, FT_TIER_SPINE, FT_TIER_EDGE);
	return r == 0 ? groups_renumber(f, fit->pod, &fit->pods) : r;
}

static int planes_find(const struct ft_inference *f, struct ft_fit *fit)
{
	int r = groups_number(f, fit, FT_TIER_SPINE, FT_TIER_CORE, fit->plane, &fit->planes);

	if (r == 0)
		r = groups_lift(f, fit, FT_TIER_SPINE, FT_TIER_CORE, fit->plane, fit->planes);
	if (r == 0)
		r = groups_trim(f, fit, fit->plane, fit->planes, FT_TIER_CORE, FT_TIER_SPINE);
	if (r == 0)
		r = groups_trim(f, fit, fit->plane, fit->planes, FT_TIER_SPINE, FT_TIER_CORE);
	return r == 0 ? groups_renumber(f, fit->plane, &fit->planes) : r;
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

/* Cables of each pair of a lower and an upper switch of one group, the pairs that have none included. */
static int pairs_tally(const struct ft_inference *f, const struct ft_fit *fit, const uint32_t *group, uint32_t groups,
		       uint8_t lower, uint8_t upper, struct ft_tally *ret_tally)
{
	_cleanup_free_ uint32_t *count = groups_count(f, fit, group, groups, upper);

	if (!count)
		return -ENOMEM;
	*ret_tally = (struct ft_tally){0};
	for (uint32_t i = 0; i < f->live->switch_count; i++) {
		uint32_t links = 0;

		if (fit->role[i] != lower)
			continue;
		for (uint32_t n = f->near_first[i]; n < f->near_first[i + 1]; n++) {
			if (fit->role[f->near[n].live] != upper || group[f->near[n].live] != group[i])
				continue;
			ft_tally_add(ret_tally, f->near[n].cables);
			links++;
		}
		ret_tally->votes[0] += count[group[i]] - links;
	}
	return 0;
}

static uint64_t tally_residual(const struct ft_tally *tally)
{
	uint32_t usual = ft_tally_mode(tally, 1);
	uint64_t residual = 0;

	for (uint32_t value = 0; value < FT_TALLY_MAX; value++)
		residual += (uint64_t)tally->votes[value] * (value > usual ? value - usual : usual - value);
	return residual;
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

			if (!in_pod && !in_plane)
				twice += f->near[n].cables;
		}
	return twice / 2;
}

/* One spine of each pod in each plane, or the planner knows no such tree. */
static int three_judge(const struct ft_inference *f, struct ft_fit *fit)
{
	struct ft_tally spines, lower, upper;
	int r = usual_of_groups(f, fit, fit->pod, fit->pods, FT_TIER_SPINE, &spines);

	if (r == 0)
		r = pairs_tally(f, fit, fit->pod, fit->pods, FT_TIER_EDGE, FT_TIER_SPINE, &lower);
	if (r == 0)
		r = pairs_tally(f, fit, fit->plane, fit->planes, FT_TIER_SPINE, FT_TIER_CORE, &upper);
	if (r < 0)
		return r;
	fit->levels = 3;
	fit->possible = fit->pods >= 2 && fit->planes >= 1 && fit->planes == ft_tally_mode(&spines, 1);
	fit->unexplained = stray_cables(f, fit) + tally_residual(&lower) + tally_residual(&upper);
	return 0;
}

int ft_infer_three(struct ft_inference *f, struct ft_fit *fit)
{
	int r;

	roles_sort(f, fit);
	r = pods_find(f, fit);
	if (r == 0)
		r = planes_find(f, fit);
	return r == 0 ? three_judge(f, fit) : r;
}

/* ---- numbers ---- */

static void pods_tell(struct ft_inference *f, const struct ft_tally *edges)
{
	struct ft_inferred *d = &f->design;

	ft_text_printf(&f->why[FT_WHY_PODS], "edge switches that are cabled to the same spines are a pod: %u pods,",
		       f->fit.pods);
	for (uint32_t size = FT_TALLY_MAX - 1; size > 0; size--) {
		if (edges->votes[size] == 0)
			continue;
		ft_text_printf(&f->why[FT_WHY_PODS], "%s %u of %u edge switches", d->pod_kinds ? "," : "",
			       edges->votes[size], size);
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
	d->spine_up = per_plane * d->spine_bundle;
	ft_tally_tell(&f->why[FT_WHY_SPINE], spines, per_pod, "pods", "spines");
	ft_text_printf(
		&f->why[FT_WHY_SPINE],
		"; spines that are cabled to the same core switches are a plane: %u planes, one for each spine of "
		"a pod",
		f->fit.planes);
	ft_tally_tell(&f->why[FT_WHY_CORE], cores, per_plane, "planes", "core switches");
}

int ft_infer_three_counts(struct ft_inference *f)
{
	const struct ft_fit *fit = &f->fit;
	struct ft_tally edges, spines, cores, lower, upper;
	int r = usual_of_groups(f, fit, fit->pod, fit->pods, FT_TIER_EDGE, &edges);

	if (r == 0)
		r = usual_of_groups(f, fit, fit->pod, fit->pods, FT_TIER_SPINE, &spines);
	if (r == 0)
		r = usual_of_groups(f, fit, fit->plane, fit->planes, FT_TIER_CORE, &cores);
	if (r == 0)
		r = pairs_tally(f, fit, fit->pod, fit->pods, FT_TIER_EDGE, FT_TIER_SPINE, &lower);
	if (r == 0)
		r = pairs_tally(f, fit, fit->plane, fit->planes, FT_TIER_SPINE, FT_TIER_CORE, &upper);
	if (r < 0)
		return r;
	f->design.bundle = ft_tally_mode(&lower, 1);
	f->design.spine_bundle = ft_tally_mode(&upper, 1);
	f->design.edge_count = f->count[FT_TIER_EDGE];
	pods_tell(f, &edges);
	spines_tell(f, &spines, &cores);
	f->design.ports_to_core = ft_tally_mode(&spines, 1) * f->design.bundle;
	ft_tally_tell(&f->why[FT_WHY_BUNDLE], &lower, f->design.bundle,
		      "pairs of an edge switch and a spine of its pod", "cables");
	ft_text_puts(&f->why[FT_WHY_BUNDLE], ". ");
	ft_tally_tell(&f->why[FT_WHY_BUNDLE], &upper, f->design.spine_bundle,
		      "pairs of a spine and a core switch of its plane",
		      f->design.spine_bundle == 1 ? "cable" : "cables");
	ft_text_printf(&f->why[FT_WHY_EDGE], "%u switches with hosts, or cabled like those with hosts",
		       f->count[FT_TIER_EDGE]);
	return 0;
}
