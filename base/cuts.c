/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "base/cuts.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/numbers.h"

enum {
	PASSES_MAX = 8,
	IDLE_MIN = 64,	    /* moves without improvement that end a pass, and one more for each */
	IDLE_SHARE = 8,	    /* so many vertices */
	LOOK_MAX = 16,	    /* vertices of a bucket that are tried for one that may move */
	WORK_MAX = 1500000, /* limit of edge ends that all passes of a search visit, roughly */
	SEEDS_MIN = 4,	    /* cuts that are searched even beyond that limit */
};

/* The quality of a partition: first equal halves, then few cut edges. */
struct grade {
	uint64_t imbalance; /* weight difference of the sides; at least the unavoidable one */
	uint64_t cut;
};

/*
 * The part being partitioned. Vertices that may still move are in the bucket of their side and gain (the decrease of
 * the cut if they move). Buckets are lists; invariant: the highest non-empty one is at most @top.
 */
struct work {
	const struct ft_multigraph *graph;
	const uint32_t *weight;
	uint32_t *members; /* vertices of the part, in order */
	uint32_t count;
	uint64_t total;	      /* weight of all of them */
	uint64_t unavoidable; /* imbalance */
	uint32_t heaviest;
	bool *side;	 /* by vertex */
	uint64_t on[2];	 /* weight of the sides */
	uint64_t cut;	 /* edges between them */
	int64_t *gain;	 /* by vertex */
	uint32_t degree; /* the greatest */
	uint32_t *head[2];
	uint32_t *tail[2];
	int64_t top[2];
	uint32_t *next, *previous; /* by vertex */
	bool *is_listed;
	uint32_t *moves;
};

static void work_release(struct work *w)
{
	free(w->members);
	free(w->side);
	free(w->gain);
	free(w->next);
	free(w->previous);
	free(w->is_listed);
	free(w->moves);
	for (unsigned int s = 0; s < 2; s++) {
		free(w->head[s]);
		free(w->tail[s]);
	}
}

static int work_init(struct work *w, const struct ft_cut_search *search)
{
	const struct ft_multigraph *graph = search->graph;
	size_t count = graph->count + 1UL;

	*w = (struct work){
		.graph = graph,
		.weight = search->weight,
		.members = calloc(count, sizeof(*w->members)),
		.side = calloc(count, sizeof(*w->side)),
		.gain = calloc(count, sizeof(*w->gain)),
		.next = calloc(count, sizeof(*w->next)),
		.previous = calloc(count, sizeof(*w->previous)),
		.is_listed = calloc(count, sizeof(*w->is_listed)),
		.moves = calloc(count, sizeof(*w->moves)),
	};
	for (uint32_t v = 0; v < graph->count; v++)
		w->degree = graph->degree[v] > w->degree ? graph->degree[v] : w->degree;
	for (unsigned int s = 0; s < 2; s++) {
		w->head[s] = calloc(2UL * w->degree + 1, sizeof(*w->head[s]));
		w->tail[s] = calloc(2UL * w->degree + 1, sizeof(*w->tail[s]));
		if (!w->head[s] || !w->tail[s])
			return -ENOMEM;
	}
	return w->members && w->side && w->gain && w->next && w->previous && w->is_listed && w->moves ? 0 : -ENOMEM;
}

/* ---- buckets ---- */

static void buckets_clear(struct work *w)
{
	for (unsigned int s = 0; s < 2; s++) {
		for (size_t i = 0; i <= 2UL * w->degree; i++)
			w->head[s][i] = w->tail[s][i] = FT_NONE;
		w->top[s] = -(int64_t)w->degree;
	}
}

static size_t bucket_of(const struct work *w, int64_t gain)
{
	return (size_t)(gain + w->degree);
}

/* Appended, first in first out: the part grows evenly in all directions. */
static void list_add(struct work *w, uint32_t v)
{
	unsigned int s = w->side[v];
	size_t b = bucket_of(w, w->gain[v]);

	w->is_listed[v] = true;
	w->next[v] = FT_NONE;
	w->previous[v] = w->tail[s][b];
	if (w->tail[s][b] == FT_NONE)
		w->head[s][b] = v;
	else
		w->next[w->tail[s][b]] = v;
	w->tail[s][b] = v;
	w->top[s] = w->gain[v] > w->top[s] ? w->gain[v] : w->top[s];
}

static void list_remove(struct work *w, uint32_t v)
{
	unsigned int s = w->side[v];
	size_t b = bucket_of(w, w->gain[v]);

	w->is_listed[v] = false;
	if (w->previous[v] == FT_NONE)
		w->head[s][b] = w->next[v];
	else
		w->next[w->previous[v]] = w->next[v];
	if (w->next[v] == FT_NONE)
		w->tail[s][b] = w->previous[v];
	else
		w->previous[w->next[v]] = w->previous[v];
}

static void gains_count(struct work *w)
{
	const struct ft_multigraph *graph = w->graph;

	w->cut = w->on[0] = w->on[1] = 0;
	buckets_clear(w);
	for (uint32_t i = 0; i < w->count; i++) {
		uint32_t v = w->members[i], across = 0;

		ft_each_adjacent(a, graph, v)
			across += w->side[a->vertex] != w->side[v] ? a->count : 0;
		w->gain[v] = 2 * (int64_t)across - graph->degree[v];
		w->on[w->side[v]] += w->weight[v];
		w->cut += across;
		list_add(w, v);
	}
	w->cut /= 2;
}

/* @v changes sides; it is in no bucket, its neighbours are in theirs. */
static void move(struct work *w, uint32_t v)
{
	const struct ft_multigraph *graph = w->graph;

	if (w->is_listed[v])
		list_remove(w, v);
	w->cut = (uint64_t)((int64_t)w->cut - w->gain[v]);
	w->on[w->side[v]] -= w->weight[v];
	w->side[v] = !w->side[v];
	w->on[w->side[v]] += w->weight[v];
	w->gain[v] = -w->gain[v];
	ft_each_adjacent(a, graph, v) {
		uint32_t u = a->vertex;
		bool listed = w->is_listed[u];

		if (listed)
			list_remove(w, u);
		w->gain[u] += (w->side[u] == w->side[v] ? -2 : 2) * (int64_t)a->count;
		if (listed)
			list_add(w, u);
	}
}

/* The movable vertex of side @s with the highest gain, or FT_NONE. The sides may differ by the heaviest vertex. */
static uint32_t best_of(struct work *w, unsigned int s)
{
	unsigned int looked = 0;

	while (w->top[s] > -(int64_t)w->degree && w->head[s][bucket_of(w, w->top[s])] == FT_NONE)
		w->top[s]--;
	for (int64_t gain = w->top[s]; gain >= -(int64_t)w->degree && looked < LOOK_MAX; gain--)
		for (uint32_t v = w->head[s][bucket_of(w, gain)]; v != FT_NONE && looked++ < LOOK_MAX; v = w->next[v])
			if (2 * (w->on[!s] + w->weight[v]) <= w->total + 2UL * w->heaviest)
				return v;
	return FT_NONE;
}

static uint32_t best_move(struct work *w)
{
	uint32_t from[2] = {best_of(w, 0), best_of(w, 1)};

	if (from[0] == FT_NONE || from[1] == FT_NONE)
		return from[0] == FT_NONE ? from[1] : from[0];
	if (w->gain[from[0]] != w->gain[from[1]])
		return w->gain[from[0]] > w->gain[from[1]] ? from[0] : from[1];
	return w->on[0] >= w->on[1] ? from[0] : from[1];
}

/* ---- one partition ---- */

static struct grade grade_of(const struct work *w)
{
	uint64_t imbalance = w->on[0] > w->on[1] ? w->on[0] - w->on[1] : w->on[1] - w->on[0];

	return (struct grade){imbalance > w->unavoidable ? imbalance : w->unavoidable, w->cut};
}

static bool is_better(struct grade a, struct grade b)
{
	return a.imbalance != b.imbalance ? a.imbalance < b.imbalance : a.cut < b.cut;
}

/* Grows side 1 from @seed until it has half the weight. */
static void half_grow(struct work *w, uint32_t seed)
{
	for (uint32_t i = 0; i < w->count; i++)
		w->side[w->members[i]] = false;
	gains_count(w);
	for (uint32_t v = seed; v != FT_NONE && 2 * w->on[1] + w->weight[v] <= w->total; v = best_of(w, 0))
		move(w, v);
	for (uint32_t i = 0; i < w->count; i++)
		w->is_listed[w->members[i]] = false;
}

/*
 * A Fiduccia-Mattheyses pass: moves each vertex at most once, then returns to the best state. Returns whether it is
 * better.
 */
static bool pass(struct work *w)
{
	struct grade first, best;
	uint32_t count = 0, kept = 0;

	gains_count(w);
	first = best = grade_of(w);
	while (count - kept <= IDLE_MIN + w->count / IDLE_SHARE) {
		uint32_t v = best_move(w);

		if (v == FT_NONE)
			break;
		move(w, v);
		w->moves[count++] = v;
		if (is_better(grade_of(w), best)) {
			best = grade_of(w);
			kept = count;
		}
	}
	for (uint32_t i = 0; i < w->count; i++)
		w->is_listed[w->members[i]] = false;
	while (count > kept)
		move(w, w->moves[--count]);
	return is_better(best, first);
}

static struct grade improve(struct work *w)
{
	for (unsigned int n = 0; n < PASSES_MAX && pass(w); n++)
		;
	return grade_of(w);
}

/* ---- one part ---- */

static int weight_compare(const void *a, const void *b, void *context)
{
	const uint32_t *weight = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (weight[x] != weight[y])
		return weight[x] > weight[y] ? -1 : 1;
	return (x > y) - (x < y);
}

/* Greedy: the heaviest first, always to the lighter side. */
static void balance_tell(struct work *w)
{
	uint64_t on[2] = {0, 0};

	memcpy(w->moves, w->members, w->count * sizeof(*w->moves));
	qsort_r(w->moves, w->count, sizeof(*w->moves), weight_compare, (void *)(uintptr_t)w->weight);
	w->heaviest = w->count > 0 ? w->weight[w->moves[0]] : 0;
	for (uint32_t i = 0; i < w->count; i++)
		on[on[1] < on[0]] += w->weight[w->moves[i]];
	w->total = on[0] + on[1];
	w->unavoidable = on[0] > on[1] ? on[0] - on[1] : on[1] - on[0];
}

static void side_keep(const struct work *w, uint64_t *side, unsigned int cut)
{
	for (uint32_t i = 0; i < w->count; i++) {
		uint32_t v = w->members[i];

		side[v] = (side[v] & ~(1ULL << cut)) | (uint64_t)w->side[v] << cut;
	}
}

static void side_take(struct work *w, const uint64_t *side, unsigned int cut)
{
	for (uint32_t i = 0; i < w->count; i++)
		w->side[w->members[i]] = side[w->members[i]] >> cut & 1;
}

/* The existing cuts, the smallest in this graph first. */
static void cuts_order(struct work *w, const struct ft_cut_search *search, unsigned int order[FT_CUTS_MAX])
{
	struct grade grade[FT_CUTS_MAX];

	for (unsigned int n = 0; n < search->count; n++) {
		unsigned int at = n;

		side_take(w, search->side, n);
		gains_count(w);
		grade[n] = grade_of(w);
		for (; at > 0 && is_better(grade[n], grade[order[at - 1]]); at--)
			order[at] = order[at - 1];
		order[at] = n;
	}
}

static void part_cut(struct work *w, struct ft_cut_search *search, unsigned int wanted)
{
	unsigned int again = wanted / 2 < search->count ? wanted / 2 : search->count, best = 0;
	unsigned int order[FT_CUTS_MAX] = {0};
	struct grade grade[FT_CUTS_MAX];

	balance_tell(w);
	if (again > 0)
		cuts_order(w, search, order);
	for (unsigned int n = 0; n < wanted; n++) {
		if (n < again)
			side_take(w, search->side, order[n]);
		else
			half_grow(w, w->members[(uint64_t)(n - again) * w->count / (wanted - again)]);
		grade[n] = improve(w);
		side_keep(w, search->side, search->count + n);
		best = is_better(grade[n], grade[best]) ? n : best;
	}
	/* Less equal halves are not comparable with the others. */
	for (unsigned int n = 0; n < wanted; n++) {
		if (grade[n].imbalance == grade[best].imbalance)
			continue;
		side_take(w, search->side, search->count + best);
		side_keep(w, search->side, search->count + n);
	}
}

int ft_cuts_search(struct ft_cut_search *search, unsigned int wanted)
{
	const struct ft_multigraph *graph = search->graph;
	_cleanup_(work_release) struct work w;
	_cleanup_free_ uint32_t *first = calloc(search->parts + 2UL, sizeof(*first));
	_cleanup_free_ uint32_t *order = calloc(graph->count + 1UL, sizeof(*order));
	uint64_t each = 6UL * (graph->first[graph->count] + graph->count + 1UL), affordable = WORK_MAX / each;
	int r = work_init(&w, search);

	if (r < 0 || !first || !order)
		return -ENOMEM;
	if (search->count + wanted > FT_CUTS_MAX)
		wanted = FT_CUTS_MAX - search->count;
	if (wanted > SEEDS_MIN && affordable < wanted)
		wanted = affordable > SEEDS_MIN ? (unsigned int)affordable : SEEDS_MIN;
	for (uint32_t v = 0; v < graph->count; v++)
		first[search->part[v] + 1]++;
	for (uint32_t n = 0; n < search->parts; n++)
		first[n + 1] += first[n];
	for (uint32_t v = 0; v < graph->count; v++)
		order[first[search->part[v]]++] = v;
	/* Where each part began is now where the one before it ends. */
	for (uint32_t n = 0; n < search->parts; n++) {
		uint32_t begin = n > 0 ? first[n - 1] : 0;

		w.count = first[n] - begin;
		memcpy(w.members, order + begin, w.count * sizeof(*order));
		part_cut(&w, search, wanted);
	}
	search->count += wanted;
	return 0;
}
