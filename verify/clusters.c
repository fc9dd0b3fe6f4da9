/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * What belongs together in a tree of three levels: edges and spines of one pod, spines and cores of one plane.
 *
 * Both are the same riddle: rows (edges, or cores) that are cabled to the same columns (spines) are of one cluster, and
 * so are these columns. A stray cable joins two clusters, so being connected proves nothing; the majority of cables
 * does. Clusters grow from the rows that have their very columns in common with the most others, since where many
 * agree nothing is broken; then every switch goes where most of its cables go, until nobody moves.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verify/match.h"

void ft_clusters_release(struct ft_clusters *c)
{
	free(c->near_first);
	free(c->near);
	free(c->pod);
	free(c->plane);
	*c = (struct ft_clusters){0};
}

/* ---- neighbours ---- */

/* Adds the neighbours of @i behind those of the switches before it. @at is all FT_NONE, here and afterwards. */
static void near_add(const struct ft_live *live, uint32_t i, uint32_t *at, uint32_t *near_first, struct ft_near *found)
{
	const struct ft_live_switch *sw = &live->switches[i];
	uint32_t first = near_first[i], end = first;

	for (uint32_t n = 0; n < sw->cable_count && !sw->tolerated; n++) {
		uint32_t far = ft_cable_far(&live->cables[live->at[sw->first_cable + n]], i);

		if (far == i || live->switches[far].tolerated)
			continue;
		if (at[far] == FT_NONE) {
			at[far] = end;
			found[end++] = (struct ft_near){.live = far};
		}
		found[at[far]].cables++;
	}
	for (uint32_t n = first; n < end; n++)
		at[found[n].live] = FT_NONE;
	near_first[i + 1] = end;
}

/* Who is cabled to whom goes both ways: told by the far ends in their order, each one's neighbours come in order. */
static void near_sort(const struct ft_live *live, const struct ft_near *found, uint32_t *next, struct ft_clusters *c)
{
	memcpy(next, c->near_first, live->switch_count * sizeof(*next));
	for (uint32_t i = 0; i < live->switch_count; i++)
		for (uint32_t n = c->near_first[i]; n < c->near_first[i + 1]; n++)
			c->near[next[found[n].live]++] = (struct ft_near){i, found[n].cables};
}

static int near_list(const struct ft_live *live, struct ft_clusters *c)
{
	_cleanup_free_ uint32_t *at = malloc((live->switch_count + 1UL) * sizeof(*at));
	_cleanup_free_ struct ft_near *found = malloc((2UL * live->cable_count + 1) * sizeof(*found));

	c->near_first = calloc(live->switch_count + 2UL, sizeof(*c->near_first));
	c->near = malloc((2UL * live->cable_count + 1) * sizeof(*c->near));
	if (!at || !found || !c->near_first || !c->near)
		return -ENOMEM;
	for (uint32_t i = 0; i < live->switch_count; i++)
		at[i] = FT_NONE;
	for (uint32_t i = 0; i < live->switch_count; i++)
		near_add(live, i, at, c->near_first, found);
	near_sort(live, found, at, c);
	return 0;
}

/* ---- clusters of rows and columns ---- */

/* One clustering at work. */
struct work {
	const struct ft_model *m;
	const struct ft_clusters *c;
	const bool *row;      /* by live switch: whether it is one of the rows */
	const uint32_t *with; /* by live switch: whose cluster is its, or FT_NONE */
	uint32_t *label;      /* by live switch: the cluster of a row or column, or FT_NONE */
	uint32_t count;	      /* labels given */
	uint32_t *cables;     /* scratch, by label; all 0 between uses */
};

static bool is_column(const struct work *w, uint32_t live)
{
	const struct ft_live_switch *sw = &w->m->live.switches[live];

	return sw->tier == FT_TIER_SPINE && !sw->tolerated;
}

/* True where a cable between the two counts: from a row to a column, or back. */
static bool is_pair(const struct work *w, uint32_t a, uint32_t b)
{
	return (w->row[a] && is_column(w, b)) || (w->row[b] && is_column(w, a));
}

/*
 * The cluster that most cables of @live go to: its own where that is as good, else the lowest of several, or FT_NONE.
 * @ret_share: whether more than half of all its cables go there.
 */
static uint32_t label_best(const struct work *w, uint32_t live, bool *ret_share)
{
	uint32_t own = w->label[live], best = FT_NONE, most = 0, all = 0;

	if (w->with && w->with[live] != FT_NONE && w->label[w->with[live]] != FT_NONE) {
		*ret_share = true;
		return w->label[w->with[live]];
	}
	for (uint32_t n = w->c->near_first[live]; n < w->c->near_first[live + 1]; n++) {
		const struct ft_near *near = &w->c->near[n];
		uint32_t label = w->label[near->live];

		if (!is_pair(w, live, near->live))
			continue;
		all += near->cables;
		if (label == FT_NONE)
			continue;
		w->cables[label] += near->cables;
		if (w->cables[label] > most ||
		    (w->cables[label] == most && (label == own || (best != own && label < best)))) {
			most = w->cables[label];
			best = label;
		}
	}
	for (uint32_t n = w->c->near_first[live]; n < w->c->near_first[live + 1]; n++)
		if (w->label[w->c->near[n].live] != FT_NONE)
			w->cables[w->label[w->c->near[n].live]] = 0;
	*ret_share = most * 2 > all;
	return best;
}

/* A row, and how many others have the same columns. */
struct seed {
	uint64_t columns; /* hash of them */
	uint64_t guid;
	uint32_t live, alike, cables;
};

static int seed_by_columns(const void *a, const void *b)
{
	const struct seed *x = a, *y = b;

	return (x->columns > y->columns) - (x->columns < y->columns);
}

static int seed_by_worth(const void *a, const void *b)
{
	const struct seed *x = a, *y = b;

	if (x->alike != y->alike)
		return x->alike > y->alike ? -1 : 1;
	if (x->cables != y->cables)
		return x->cables > y->cables ? -1 : 1;
	return (x->guid > y->guid) - (x->guid < y->guid);
}

static struct seed seed_make(const struct work *w, uint32_t live)
{
	/* FNV-1a over whole numbers; two rows of one hash are only two that are tried early. */
	struct seed seed = {.columns = 0xcbf29ce484222325ULL, .guid = w->m->live.switches[live].guid, .live = live};

	for (uint32_t n = w->c->near_first[live]; n < w->c->near_first[live + 1]; n++) {
		if (!is_column(w, w->c->near[n].live))
			continue;
		seed.columns = (seed.columns ^ w->c->near[n].live) * 0x100000001b3ULL;
		seed.cables += w->c->near[n].cables;
	}
	return seed;
}

/* The rows that have columns, the most trusted first. */
static int seeds_list(const struct work *w, struct seed **ret_seeds, uint32_t *ret_count)
{
	_cleanup_free_ struct seed *seeds = malloc((w->m->live.switch_count + 1UL) * sizeof(*seeds));
	uint32_t count = 0;

	if (!seeds)
		return -ENOMEM;
	for (uint32_t i = 0; i < w->m->live.switch_count; i++) {
		if (!w->row[i])
			continue;
		seeds[count] = seed_make(w, i);
		count += seeds[count].cables > 0;
	}
	qsort(seeds, count, sizeof(*seeds), seed_by_columns);
	for (uint32_t i = 0; i < count;) {
		uint32_t end = i + 1;

		while (end < count && seeds[end].columns == seeds[i].columns)
			end++;
		for (uint32_t n = i; n < end; n++)
			seeds[n].alike = end - i;
		i = end;
	}
	qsort(seeds, count, sizeof(*seeds), seed_by_worth);
	*ret_seeds = FT_STEAL(seeds);
	*ret_count = count;
	return 0;
}

/* A new cluster: the columns of @row that nobody has, and the rows that have most of their cables there. */
static void cluster_grow(struct work *w, uint32_t row)
{
	const struct ft_clusters *c = w->c;
	uint32_t label = w->count++;
	bool share;

	w->label[row] = label;
	for (uint32_t n = c->near_first[row]; n < c->near_first[row + 1]; n++)
		if (is_column(w, c->near[n].live) && w->label[c->near[n].live] == FT_NONE)
			w->label[c->near[n].live] = label;
	for (uint32_t n = c->near_first[row]; n < c->near_first[row + 1]; n++) {
		uint32_t column = c->near[n].live;

		if (!is_column(w, column) || w->label[column] != label)
			continue;
		for (uint32_t k = c->near_first[column]; k < c->near_first[column + 1]; k++) {
			uint32_t other = c->near[k].live;

			if (w->row[other] && w->label[other] == FT_NONE && label_best(w, other, &share) == label &&
			    share)
				w->label[other] = label;
		}
	}
}

/* Everybody goes where most of his cables go. */
static void labels_settle(struct work *w)
{
	enum { ROUNDS = 32 };
	bool moved = true, share;

	for (unsigned int round = 0; moved && round < ROUNDS; round++) {
		moved = false;
		for (uint32_t i = 0; i < w->m->live.switch_count; i++) {
			uint32_t best;

			if (!w->row[i] && !is_column(w, i))
				continue;
			best = label_best(w, i, &share);
			moved |= best != w->label[i];
			w->label[i] = best;
		}
	}
}

/* Numbers the clusters that are left from 0. */
static int labels_renumber(struct work *w)
{
	_cleanup_free_ uint32_t *fresh = malloc((w->count + 1UL) * sizeof(*fresh));
	uint32_t count = 0;

	if (!fresh)
		return -ENOMEM;
	for (uint32_t i = 0; i < w->count; i++)
		fresh[i] = FT_NONE;
	for (uint32_t i = 0; i < w->m->live.switch_count; i++) {
		if (w->label[i] == FT_NONE)
			continue;
		if (fresh[w->label[i]] == FT_NONE)
			fresh[w->label[i]] = count++;
		w->label[i] = fresh[w->label[i]];
	}
	w->count = count;
	return 0;
}

/*
 * Clusters the rows marked in @row and all columns.
 *
 * @with   by live switch: whose cluster is its, or FT_NONE; or NULL
 * @label  out: by live switch, overwritten
 */
static int cluster(const struct ft_model *m, const struct ft_clusters *c, const bool *row, const uint32_t *with,
		   uint32_t *label, uint32_t *ret_count)
{
	_cleanup_free_ uint32_t *cables = calloc(m->live.switch_count + 1UL, sizeof(*cables));
	_cleanup_free_ struct seed *seeds = NULL;
	struct work w = {.m = m, .c = c, .row = row, .with = with, .label = label, .cables = cables};
	uint32_t count;
	int r;

	if (!cables)
		return -ENOMEM;
	for (uint32_t i = 0; i < m->live.switch_count; i++)
		label[i] = FT_NONE;
	r = seeds_list(&w, &seeds, &count);
	if (r < 0)
		return r;
	for (uint32_t i = 0; i < count; i++) {
		bool share;

		if (label[seeds[i].live] == FT_NONE && (label_best(&w, seeds[i].live, &share) == FT_NONE || !share))
			cluster_grow(&w, seeds[i].live);
	}
	labels_settle(&w);
	r = labels_renumber(&w);
	if (r == 0)
		*ret_count = w.count;
	return r;
}

/* ---- edges and cores ---- */

/* A row, and how badly it would do as either. */
struct doubt {
	uint32_t live;
	int64_t as_edge, as_core;
};

/* Many hosts make an edge, to begin with; a core may carry a few. */
static bool is_likely_edge(const struct ft_model *m, const struct ft_hints *hints, uint32_t live)
{
	const struct ft_live_switch *sw = &m->live.switches[live];

	if (sw->tier_bound || hints->tier[live] != FT_TIER_COUNT)
		return sw->tier == FT_TIER_EDGE;
	return sw->hosts > 0 && (uint64_t)sw->hosts * 4 >= m->plan->ports_to_nodes;
}

static int cables_descending(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x < *y) - (*x > *y);
}

/* What deciding a doubt needs: the pods of the likely edges, and scratch. */
struct trial {
	const struct ft_model *m;
	const struct ft_clusters *c;
	const uint32_t *pod;  /* by live switch */
	uint32_t *sum, *most; /* scratch, by pod; all 0 between uses */
	uint32_t *loose;      /* scratch: bundles to spines of no known pod */
	uint32_t loose_pods;  /* how many pods these spines may be */
};

/*
 * An edge has all its cables in one pod; a core has one spine in each pod. Spines of which no pod is known are of a pod
 * whose hosts are all down: they are as one to an edge, and as several to a core.
 */
static struct doubt doubt_of(const struct trial *t, uint32_t live)
{
	const struct ft_live_switch *sw = &t->m->live.switches[live];
	uint32_t ports = t->m->snapshot->nodes[sw->node].port_count;
	uint32_t total = 0, best = 0, spread = 0, loose = 0, loose_sum = 0;
	struct doubt d = {.live = live};

	for (uint32_t n = t->c->near_first[live]; n < t->c->near_first[live + 1]; n++) {
		uint32_t pod = t->pod[t->c->near[n].live], cables = t->c->near[n].cables;

		if (t->m->live.switches[t->c->near[n].live].tier != FT_TIER_SPINE)
			continue;
		total += cables;
		if (pod == FT_NONE) {
			t->loose[loose++] = cables;
			loose_sum += cables;
			continue;
		}
		t->sum[pod] += cables;
		best = t->sum[pod] > best ? t->sum[pod] : best;
		if (cables > t->most[pod]) {
			spread += cables - t->most[pod];
			t->most[pod] = cables;
		}
	}
	for (uint32_t n = t->c->near_first[live]; n < t->c->near_first[live + 1]; n++) {
		uint32_t pod = t->pod[t->c->near[n].live];

		if (pod != FT_NONE)
			t->sum[pod] = t->most[pod] = 0;
	}
	qsort(t->loose, loose, sizeof(*t->loose), cables_descending);
	for (uint32_t i = 0; i < loose && i < t->loose_pods; i++)
		spread += t->loose[i];
	best = loose_sum > best ? loose_sum : best;
	d.as_edge = (int64_t)(total - best) + (sw->hosts == 0) +
		    (ports != t->m->plan->edge_ports && ports != t->m->plan->edge_ports + 1);
	d.as_core = (int64_t)(total - spread) + sw->hosts +
		    (ports != t->m->plan->core_ports && ports != t->m->plan->core_ports + 1);
	return d;
}

static int doubt_compare(const void *a, const void *b)
{
	const struct doubt *x = a, *y = b;
	int64_t left = x->as_edge - x->as_core, right = y->as_edge - y->as_core;

	if (left != right)
		return left < right ? -1 : 1;
	return (x->live > y->live) - (x->live < y->live);
}

/*
 * Those that do better as edges become edges. Where edges are lacking, so do those that do as well as either, and those
 * that do little worse if there are more cores than planned.
 */
static void doubts_decide(struct ft_model *m, struct doubt *doubts, uint32_t count, uint32_t edges, uint32_t cores)
{
	enum { LITTLE = 2 };

	qsort(doubts, count, sizeof(*doubts), doubt_compare);
	for (uint32_t i = 0; i < count; i++) {
		int64_t gain = doubts[i].as_core - doubts[i].as_edge;
		bool crowded = cores + count - i > m->rows - m->edges;
		bool edge = gain > 0 || (edges < m->edges && gain >= (crowded ? -LITTLE : 0));

		m->live.switches[doubts[i].live].tier = edge ? FT_TIER_EDGE : FT_TIER_CORE;
		edges += edge;
	}
}

/* How many pods the spines that are in none that is known may be. */
static uint32_t loose_pods(const struct ft_model *m, const uint32_t *pod)
{
	uint32_t count = 0, spines = m->plan->pod_spines ? m->plan->pod_spines : 1;

	for (uint32_t i = 0; i < m->live.switch_count; i++)
		count += m->live.switches[i].tier == FT_TIER_SPINE && !m->live.switches[i].tolerated &&
			 pod[i] == FT_NONE;
	return (count + spines - 1) / spines;
}

static int rows_judge(struct ft_model *m, const struct ft_hints *hints, struct ft_clusters *c, struct doubt *doubts)
{
	const uint32_t *pod = c->pod;
	uint32_t n = m->live.switch_count, count = 0, edges = 0, cores = 0;
	_cleanup_free_ uint32_t *sum = calloc(c->pods + 1UL, sizeof(*sum));
	_cleanup_free_ uint32_t *most = calloc(c->pods + 1UL, sizeof(*most));
	_cleanup_free_ uint32_t *loose = malloc((n + 1UL) * sizeof(*loose));
	struct trial t = {.m = m, .c = c, .pod = pod, .sum = sum, .most = most, .loose = loose};

	if (!sum || !most || !loose)
		return -ENOMEM;
	t.loose_pods = loose_pods(m, pod);
	for (uint32_t i = 0; i < n; i++) {
		const struct ft_live_switch *sw = &m->live.switches[i];

		cores += sw->tier == FT_TIER_CORE && !sw->tolerated;
		if (sw->tolerated || sw->tier != FT_TIER_EDGE)
			continue;
		if (sw->tier_bound || hints->tier[i] != FT_TIER_COUNT)
			edges++;
		else
			doubts[count++] = doubt_of(&t, i);
	}
	doubts_decide(m, doubts, count, edges, cores);
	return 0;
}

static void rows_mark(const struct ft_model *m, enum ft_tier tier, bool *row)
{
	for (uint32_t i = 0; i < m->live.switch_count; i++)
		row[i] = m->live.switches[i].tier == tier && !m->live.switches[i].tolerated;
}

int ft_clusters_find(struct ft_model *m, const struct ft_hints *hints, struct ft_clusters *ret)
{
	uint32_t n = m->live.switch_count;
	_cleanup_free_ bool *row = malloc(n + 1UL);
	_cleanup_free_ struct doubt *doubts = malloc((n + 1UL) * sizeof(*doubts));
	int r;

	*ret = (struct ft_clusters){0};
	if (!row || !doubts)
		return -ENOMEM;
	ret->pod = malloc((n + 1UL) * sizeof(*ret->pod));
	ret->plane = malloc((n + 1UL) * sizeof(*ret->plane));
	if (!ret->pod || !ret->plane)
		return -ENOMEM;
	r = near_list(&m->live, ret);
	if (r < 0)
		return r;
	rows_mark(m, FT_TIER_EDGE, row);
	for (uint32_t i = 0; i < n; i++)
		row[i] = row[i] && is_likely_edge(m, hints, i);
	r = cluster(m, ret, row, hints->with, ret->pod, &ret->pods);
	if (r == 0)
		r = rows_judge(m, hints, ret, doubts);
	if (r < 0)
		return r;
	rows_mark(m, FT_TIER_EDGE, row);
	r = cluster(m, ret, row, hints->with, ret->pod, &ret->pods);
	if (r < 0)
		return r;
	rows_mark(m, FT_TIER_CORE, row);
	return cluster(m, ret, row, NULL, ret->plane, &ret->planes);
}
