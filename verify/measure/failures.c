/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * N-k failures: what one set of failures does, and the worst and the mean of many. Which sets are looked at is decided
 * in failures_sets.c.
 *
 * Incremental: a set is taken out, looked at and put back. Invariant: between two sets all counts are those before any
 * failure (stale_forget(), fail_all()). Cost of a set: O(cables of its items), O(places), and O(cables) for
 * connectivity where a switch or a whole bundle fails.
 */
#include "config.h"

#include "verify/measure/failures.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hops.h"
#include "base/numbers.h"
#include "base/subsets.h"
#include "base/text.h"
#include "planner/plan/wiring.h"
#include "verify/measure/failures_parts.h"
#include "verify/measure/measure.h"
#include "verify/model/capacity.h"
#include "verify/model/model.h"

enum {
	MILLION = 1000000,
	HOPS_WORK_MAX = 400000000, /* edge ends that all searches for distances visit, roughly */
	HOPS_SAMPLES_MIN = 10,
	SAMPLES_MIN = 100,
};

static void after_release(struct ft_failures *x)
{
	ft_arena_release(&x->memory);
	free(x->cuts);
}

/* Networks are counted separately. O(places). */
static void order_make(struct ft_failures *x)
{
	const struct ft_model *m = x->m;
	uint32_t *first = ft_arena_zeros(&x->memory, m->network_count + 2UL, sizeof(*first));

	for (uint32_t p = 0; first && p < m->place_count; p++)
		first[m->network[p] + 1]++;
	for (uint32_t n = 0; first && n < m->network_count; n++)
		first[n + 1] += first[n];
	for (uint32_t p = 0; first && p < m->place_count; p++)
		x->order[first[m->network[p]]++] = p;
}

static int after_init(struct ft_failures *x, const struct ft_model *m)
{
	size_t places = m->place_count + 1UL, cells = m->cells.count + 1UL;
	size_t items = places;

	x->m = m;
	x->carriers = ft_arena_zeros(&x->memory, cells, sizeof(*x->carriers));
	x->own = ft_arena_zeros(&x->memory, cells, sizeof(*x->own));
	x->dead = ft_arena_zeros(&x->memory, places, sizeof(*x->dead));
	x->part = ft_arena_zeros(&x->memory, places, sizeof(*x->part));
	x->queue = ft_arena_zeros(&x->memory, places, sizeof(*x->queue));
	x->order = ft_arena_zeros(&x->memory, places, sizeof(*x->order));
	x->hosts_of = ft_arena_zeros(&x->memory, places + 1, sizeof(*x->hosts_of));
	x->load = ft_arena_zeros(&x->memory, places, sizeof(*x->load));
	x->leads_up = ft_arena_zeros(&x->memory, places, sizeof(*x->leads_up));
	x->above = ft_arena_zeros(&x->memory, places, sizeof(*x->above));
	x->links = ft_arena_zeros(&x->memory, places, sizeof(*x->links));
	x->stale = ft_arena_zeros(&x->memory, places, sizeof(*x->stale));
	x->is_stale = ft_arena_zeros(&x->memory, places, sizeof(*x->is_stale));
	x->part_then = ft_arena_zeros(&x->memory, places, sizeof(*x->part_then));
	x->taken = ft_arena_zeros(&x->memory, cells, sizeof(*x->taken));
	x->changed = ft_arena_zeros(&x->memory, cells, sizeof(*x->changed));
	x->cuts = ft_cuts_full(m, 1);
	if (x->memory.failed || !x->cuts)
		return -ENOMEM;
	for (uint32_t p = 0; p < m->place_count; p++) {
		x->load[p] = m->observed_of[p] != FT_NONE ? ft_load_of(m, p) : 0;
		ft_each_pair(pair, m, p)
			x->leads_up[p] |= m->cells.width[pair->cell] > 0 && ft_leads_up(m, p, pair->peer);
	}
	for (uint32_t cell = 0; cell < m->cells.count; cell++) {
		/* What hangs on the tree carries nothing for it. */
		if (ft_is_beside(m, m->cells.ends[cell][1]))
			continue;
		x->carriers[cell] = ft_cell_carriers(m, cell);
		x->own[cell] = ft_number_least(ft_cell_up(m, cell), x->carriers[cell]);
		ft_cuts_take(m, x->cuts, cell, m->cells.width[cell] - x->own[cell]);
		items += x->carriers[cell];
	}
	x->items = ft_arena_zeros(&x->memory, items, sizeof(*x->items));
	order_make(x);
	return x->memory.failed ? -ENOMEM : 0;
}

static void items_list(struct ft_failures *x)
{
	const struct ft_model *m = x->m;

	for (uint32_t p = 0; x->kind != FT_AFTER_CABLE && p < m->place_count; p++)
		if (m->observed_of[p] != FT_NONE && !ft_is_beside(m, p) &&
		    (x->kind == FT_AFTER_SWITCH || ft_is_top(m, p)))
			x->items[x->item_count++] = (struct ft_failing){p, FT_NONE, 0};
	for (uint32_t cell = 0; x->kind == FT_AFTER_CABLE && cell < m->cells.count; cell++)
		for (uint32_t n = 0; n < x->carriers[cell]; n++)
			x->items[x->item_count++] =
				(struct ft_failing){m->cells.ends[cell][0], m->cells.ends[cell][1], cell};
}

/* ---- one way ---- */

static void fail_all(struct ft_failures *x, const uint32_t *chosen, bool fail)
{
	for (uint32_t i = 0; i < x->count; i++) {
		const struct ft_failing *item = &x->items[chosen[i]];

		if (item->q == FT_NONE)
			x->dead[item->p] = fail;
		else
			x->carriers[item->cell] += fail ? -1U : 1U;
	}
}

static uint32_t left_of(const struct ft_failures *x, uint32_t p, const struct ft_pair *pair)
{
	return x->dead[p] || x->dead[pair->peer] ? 0 : x->carriers[pair->cell];
}

/* All places reached from the @tail places in the queue are in component @number. */
static void part_fill(struct ft_failures *x, uint32_t tail, uint32_t number)
{
	const struct ft_model *m = x->m;

	for (uint32_t head = 0; head < tail; head++) {
		uint32_t p = x->queue[head];

		ft_each_pair(pair, m, p) {
			if (x->part[pair->peer] != 0 || left_of(x, p, pair) == 0)
				continue;
			x->part[pair->peer] = number;
			x->queue[tail++] = pair->peer;
		}
	}
}

static bool is_left(const struct ft_failures *x, uint32_t p)
{
	return !x->dead[p] && x->m->observed_of[p] != FT_NONE;
}

/* In a tree places without a path to a top switch are cut off: breadth-first search from all top switches at once. */
static void tops_reach(struct ft_failures *x)
{
	const struct ft_model *m = x->m;
	uint32_t tail = 0;

	for (uint32_t p = 0; p < m->place_count; p++) {
		x->part[p] = ft_is_top(m, p) && is_left(x, p);
		if (x->part[p])
			x->queue[tail++] = p;
	}
	part_fill(x, tail, 1);
}

static uint64_t weight_of(const struct ft_model *m, uint32_t p)
{
	return (uint64_t)ft_observed_at(m, p)->hosts << 32 | 1;
}

/* In any other graph places outside of their network's component with most hosts. O(cables). */
static void parts_reach(struct ft_failures *x)
{
	const struct ft_model *m = x->m;
	uint32_t parts = 0;

	memset(x->part, 0, m->place_count * sizeof(*x->part));
	for (uint32_t p = 0; p < m->place_count; p++) {
		if (x->part[p] != 0 || !is_left(x, p))
			continue;
		x->part[p] = ++parts;
		x->queue[0] = p;
		part_fill(x, 1, parts);
	}
	for (uint32_t i = 0; i < m->place_count && parts > 1;) {
		uint32_t network = m->network[x->order[i]], begin = i, most = 0;

		for (; i < m->place_count && m->network[x->order[i]] == network; i++) {
			uint32_t p = x->order[i];

			if (x->part[p] == 0 || !is_left(x, p))
				continue;
			x->hosts_of[x->part[p]] += weight_of(m, p);
			if (most == 0 || x->hosts_of[x->part[p]] > x->hosts_of[most])
				most = x->part[p];
		}
		for (uint32_t n = begin; n < i; n++) {
			uint32_t part = x->part[x->order[n]];

			x->hosts_of[part] = 0;
			x->part[x->order[n]] = part == most ? part : 0;
		}
	}
}

static void above_count(struct ft_failures *x, uint32_t p)
{
	const struct ft_model *m = x->m;

	x->above[p] = 0;
	ft_each_pair(pair, m, p)
		x->above[p] += ft_carries_from(m, p, pair->peer) ? left_of(x, p, pair) : 0;
}

/* Cables to a switch without remaining up links do not lead further up. */
static void links_count(struct ft_failures *x, uint32_t p)
{
	const struct ft_model *m = x->m;

	x->links[p] = 0;
	ft_each_pair(pair, m, p)
		if (ft_carries_from(m, p, pair->peer) && (!x->leads_up[pair->peer] || x->above[pair->peer] > 0))
			x->links[p] += left_of(x, p, pair);
}

static void stale_mark(struct ft_failures *x, uint32_t p)
{
	if (x->is_stale[p])
		return;
	x->is_stale[p] = true;
	x->stale[x->stale_count++] = (struct stale){p, x->above[p], x->links[p]};
}

static void neighbours_mark(struct ft_failures *x, uint32_t p)
{
	ft_each_pair(pair, x->m, p)
		stale_mark(x, pair->peer);
}

/* Recomputes the counts at the failed items, and below switches without remaining up links. O(their cables). */
static void stale_count(struct ft_failures *x, const uint32_t *chosen)
{
	uint32_t direct;

	for (uint32_t i = 0; i < x->count; i++) {
		const struct ft_failing *item = &x->items[chosen[i]];

		stale_mark(x, item->p);
		if (item->q != FT_NONE)
			stale_mark(x, item->q);
		else
			neighbours_mark(x, item->p);
	}
	direct = x->stale_count;
	for (uint32_t i = 0; i < direct; i++) {
		uint32_t p = x->stale[i].place;

		above_count(x, p);
		if (x->leads_up[p] && x->above[p] == 0 && x->stale[i].above > 0)
			neighbours_mark(x, p);
	}
	for (uint32_t i = 0; i < x->stale_count; i++)
		links_count(x, x->stale[i].place);
}

static void stale_forget(struct ft_failures *x)
{
	while (x->stale_count > 0) {
		const struct stale *stale = &x->stale[--x->stale_count];

		x->above[stale->place] = stale->above;
		x->links[stale->place] = stale->links;
		x->is_stale[stale->place] = false;
	}
}

/* Failed cables of a cell are subtracted from its cuts. */
static void cell_take(struct ft_failures *x, uint32_t p, const struct ft_pair *pair)
{
	uint32_t carries = left_of(x, p, pair), own = x->own[pair->cell], taken;

	taken = own - (carries < own ? carries : own);
	if (taken == x->taken[pair->cell])
		return;
	if (x->taken[pair->cell] == 0)
		x->changed[x->changed_count++] = pair->cell;
	ft_cuts_take(x->m, x->cuts, pair->cell, taken - x->taken[pair->cell]);
	x->taken[pair->cell] = taken;
}

static uint64_t bisection_look(struct ft_failures *x, const uint32_t *chosen)
{
	const struct ft_model *m = x->m;
	uint64_t planned = m->capacity->total, left;

	for (uint32_t i = 0; i < x->count; i++) {
		const struct ft_failing *item = &x->items[chosen[i]];

		ft_each_pair(pair, m, item->p)
			if (item->q == FT_NONE || pair->peer == item->q)
				cell_take(x, item->p, pair);
	}
	left = ft_cuts_least(m, x->cuts);
	while (x->changed_count > 0) {
		uint32_t cell = x->changed[--x->changed_count];

		ft_cuts_give(m, x->cuts, cell, x->taken[cell]);
		x->taken[cell] = 0;
	}
	left = left < planned ? left : planned;
	return planned ? left * MILLION / planned : MILLION;
}

static void parts_count(struct ft_failures *x)
{
	if (x->m->capacity->ranks > 1)
		tops_reach(x);
	else
		parts_reach(x);
}

/* Without a failed switch or a wholly failed bundle, connectivity does not change. */
static bool parts_may_change(const struct ft_failures *x, const uint32_t *chosen)
{
	for (uint32_t i = 0; i < x->count; i++)
		if (x->items[chosen[i]].q == FT_NONE || x->carriers[x->items[chosen[i]].cell] == 0)
			return true;
	return false;
}

/* The state before any failure. */
static void then_look(struct ft_failures *x)
{
	parts_count(x);
	memcpy(x->part_then, x->part, x->m->place_count * sizeof(*x->part));
	for (uint32_t p = 0; p < x->m->place_count; p++)
		above_count(x, p);
	for (uint32_t p = 0; p < x->m->place_count; p++)
		links_count(x, p);
}

struct ft_failures_state ft_failures_look(struct ft_failures *x, const uint32_t *chosen)
{
	const struct ft_model *m = x->m;
	struct ft_failures_state s = {0};

	fail_all(x, chosen, true);
	if (parts_may_change(x, chosen))
		parts_count(x);
	else
		memcpy(x->part, x->part_then, m->place_count * sizeof(*x->part));
	for (uint32_t p = 0; p < m->place_count; p++) {
		if (m->observed_of[p] == FT_NONE || x->part[p] != 0 || ft_is_beside(m, p) ||
		    (p >= m->edges && m->places[p]->hosts == 0))
			continue;
		s.edges += p < m->edges;
		s.hosts += ft_observed_at(m, p)->hosts;
	}
	s.bisection_ppm = bisection_look(x, chosen);
	stale_count(x, chosen);
	s.blocking = ft_blocking_worst(m, x->load, x->links, x->part);
	stale_forget(x);
	fail_all(x, chosen, false);
	return s;
}

static bool blocking_is_worse(struct ft_ratio a, struct ft_ratio b)
{
	return a.den > 0 && (b.den == 0 || ft_ratio_compare(a, b) > 0);
}

bool ft_failures_worse(const struct ft_failures_state *a, const struct ft_failures_state *b)
{
	if (a->hosts != b->hosts)
		return a->hosts > b->hosts;
	if (a->bisection_ppm != b->bisection_ppm)
		return a->bisection_ppm < b->bisection_ppm;
	return blocking_is_worse(a->blocking, b->blocking);
}

struct ft_failures_state ft_failures_worst_take(struct ft_failures *x, const uint32_t *chosen)
{
	struct ft_failures_state s = ft_failures_look(x, chosen);

	if (!x->any || ft_failures_worse(&s, &x->harshest)) {
		x->harshest = s;
		memcpy(x->worst_chosen, chosen, x->count * sizeof(*chosen));
	}
	if (!x->any)
		x->worst = s;
	x->any = true;
	x->worst.edges = s.edges > x->worst.edges ? s.edges : x->worst.edges;
	x->worst.hosts = s.hosts > x->worst.hosts ? s.hosts : x->worst.hosts;
	if (s.bisection_ppm < x->worst.bisection_ppm)
		x->worst.bisection_ppm = s.bisection_ppm;
	if (blocking_is_worse(s.blocking, x->worst.blocking))
		x->worst.blocking = s.blocking;
	return s;
}

/* Adds a set to the mean. */
static void way_count(struct ft_failures *x, const uint32_t *chosen)
{
	struct ft_failures_state s = ft_failures_worst_take(x, chosen);

	x->looked++;
	x->edges += s.edges;
	x->hosts += s.hosts;
	x->bisection_ppm += s.bisection_ppm;
	if (s.blocking.den > 0) {
		x->blocking_ppm += (uint64_t)(s.blocking.num * MILLION / s.blocking.den);
		x->blocked++;
	}
}

/* ---- distances ---- */

enum { BATCH = 64 }; /* searches of base/hops.h that share their steps */

/*
 * True where distances tell something: in a plan without ranks, of switches that are one chip each. Up and down a tree
 * no path grows as long as there is one.
 */
static bool hops_count_for(const struct ft_model *m)
{
	return m->capacity->ranks == 1 && m->plan->bundle_count > 0 && !ft_plan_has_directors(m->plan);
}

/*
 * The work of one hops_left(), about: edge ends that are visited. Sources arrive at a switch at different steps, at
 * most one step for each distance.
 */
static uint64_t hops_work(const struct ft_model *m, uint32_t farthest)
{
	uint64_t batches = (m->place_count + BATCH - 1UL) / BATCH;

	return batches * (2UL * m->cells.count + m->place_count) * (farthest + 1UL);
}

/* Each remaining bundle once. */
static int graph_make(const struct ft_failures *x, struct ft_hop_graph *ret)
{
	const struct ft_model *m = x->m;
	_cleanup_free_ struct ft_hop_edge *edges = calloc(m->cells.count + 1UL, sizeof(*edges));
	size_t count = 0;
	int r;

	if (!edges)
		return -ENOMEM;
	for (uint32_t cell = 0; cell < m->cells.count; cell++) {
		uint32_t p = m->cells.ends[cell][0], q = m->cells.ends[cell][1];

		if (x->carriers[cell] > 0 && is_left(x, p) && is_left(x, q))
			edges[count++] = (struct ft_hop_edge){p, q};
	}
	r = ft_hop_graph_make(m->place_count, NULL, edges, count, ret);
	for (uint32_t p = 0; r == 0 && p < m->place_count; p++)
		ret->hosts[p] = is_left(x, p) ? ft_observed_at(m, p)->hosts : 0;
	return r;
}

static int hops_left(const struct ft_failures *x, struct ft_hops_left *ret)
{
	_cleanup_(ft_hop_graph_release) struct ft_hop_graph graph = {0};
	_cleanup_(ft_hop_counts_release) struct ft_hop_counts counts = {0};
	int r = graph_make(x, &graph) ?: ft_hop_count(&graph, &counts);

	if (r < 0)
		return r;
	*ret = (struct ft_hops_left){.farthest = counts.any.chips};
	for (uint32_t chips = 1; chips <= graph.nodes; chips++) {
		ret->pairs += counts.pairs[chips];
		ret->sum += chips * counts.pairs[chips];
	}
	return 0;
}

/* A set whose bundles are only thinned lengthens no path. */
static struct ft_failures_apart apart_look(struct ft_failures *x, const uint32_t *chosen)
{
	struct ft_hops_left left = x->hops.then;
	int r = 0;

	fail_all(x, chosen, true);
	if (parts_may_change(x, chosen))
		r = hops_left(x, &left);
	fail_all(x, chosen, false);
	x->hops.error = r < 0 ? r : x->hops.error;
	return (struct ft_failures_apart){left.farthest, left.pairs ? left.sum * MILLION / left.pairs : 0,
					  x->hops.then.pairs - left.pairs};
}

static struct ft_failures_apart apart_take(struct ft_failures *x, const uint32_t *chosen)
{
	struct ft_failures_apart a = apart_look(x, chosen), *worst = &x->hops.worst;

	worst->farthest = a.farthest > worst->farthest ? a.farthest : worst->farthest;
	worst->mean_ppm = a.mean_ppm > worst->mean_ppm ? a.mean_ppm : worst->mean_ppm;
	worst->pairs = a.pairs > worst->pairs ? a.pairs : worst->pairs;
	return a;
}

static void apart_count(struct ft_failures *x, const uint32_t *chosen)
{
	struct ft_failures_apart a = apart_take(x, chosen);

	x->hops.looked++;
	x->hops.farthest += a.farthest;
	x->hops.mean_ppm += a.mean_ppm;
	x->hops.pairs += a.pairs;
}

/*
 * A search for each set, which costs far more than its other figures: of too many sets a sample of its own, and the
 * hardest set, are looked at. The set that cuts off most is found by then; for distances nothing better is known.
 */
static int hops_look(struct ft_failures *x, uint64_t ways, bool drawn)
{
	uint64_t each, affordable;
	int r;

	if (!hops_count_for(x->m))
		return 0;
	r = hops_left(x, &x->hops.then);
	if (r < 0)
		return r;
	each = hops_work(x->m, x->hops.then.farthest);
	affordable = HOPS_WORK_MAX / each;
	affordable = affordable < HOPS_SAMPLES_MIN   ? HOPS_SAMPLES_MIN
		     : affordable > FT_AFTER_SAMPLES ? FT_AFTER_SAMPLES
						     : affordable;
	if (!drawn && ways <= 2 * affordable) {
		ft_sets_all(x, apart_count);
	} else {
		apart_take(x, x->worst_chosen);
		ft_sets_some(x, (uint32_t)affordable, apart_count);
	}
	return x->hops.error;
}

/* ---- the result ---- */

static char *example_words(const struct ft_failures *x)
{
	const struct ft_model *m = x->m;
	enum { SHOWN = 6 };
	struct ft_text text = {0};

	for (uint32_t i = 0; i < x->count && i < SHOWN; i++) {
		const struct ft_failing *item = &x->items[x->worst_chosen[i]];

		ft_text_printf(&text, "%s%s", i ? ", " : "", label_of(m, item->p));
		if (item->q != FT_NONE)
			ft_text_printf(&text, " - %s", label_of(m, item->q));
	}
	ft_text_more(&text, x->count, SHOWN);
	return ft_arena_text(&m->report->memory, &text);
}

static struct ft_ratio mean(uint64_t sum, uint64_t count)
{
	struct ft_ratio ratio = {0, 1};

	if (count == 0 || ft_ratio_make((int64_t)sum, (int64_t)count, &ratio) < 0)
		return (struct ft_ratio){0, 1};
	return ratio;
}

static void result_fill(const struct ft_failures *x, struct ft_after *result)
{
	result->looked = x->looked;
	result->hops_looked = x->hops.looked;
	result->worst = (struct ft_after_state){
		.edges = {x->worst.edges, 1},
		.hosts = {x->worst.hosts, 1},
		.bisection = mean(x->worst.bisection_ppm, MILLION),
		.blocking = x->worst.blocking.den ? x->worst.blocking : (struct ft_ratio){0, 1},
	};
	result->mean = (struct ft_after_state){
		.edges = mean(x->edges, x->looked),
		.hosts = mean(x->hosts, x->looked),
		.bisection = mean(x->bisection_ppm / (x->looked ? x->looked : 1), MILLION),
		.blocking = mean(x->blocked ? x->blocking_ppm / x->blocked : 0, MILLION),
	};
	if (x->hops.looked == 0)
		return;
	result->worst.clos = (struct ft_ratio){x->hops.worst.farthest, 1};
	result->worst.mean_hops = mean(x->hops.worst.mean_ppm, MILLION);
	result->worst.pairs = (struct ft_ratio){(int64_t)x->hops.worst.pairs, 1};
	result->mean.clos = mean(x->hops.farthest, x->hops.looked);
	result->mean.mean_hops = mean(x->hops.mean_ppm / x->hops.looked, MILLION);
	result->mean.pairs = mean(x->hops.pairs, x->hops.looked);
}

static int ways_look(struct ft_failures *x, struct ft_after *result)
{
	char words[FT_SUBSETS_WORDS_SIZE];
	double about;
	uint64_t ways = ft_subsets_count(x->item_count, x->count, &about);
	uint64_t each = x->m->cells.count + x->m->place_count + 1UL, samples = FT_FAILURES_WORK_MAX / each;
	int r;

	/* A tree has a cut for each level; other graphs have many for each network. */
	if (x->m->capacity->ranks == 1)
		samples = FT_FAILURES_WORK_MAX / (each + (uint64_t)x->m->capacity->parts * x->m->capacity->cuts);
	x->chosen = ft_arena_zeros(&x->memory, x->count + 1UL, sizeof(*x->chosen));
	x->worst_chosen = ft_arena_zeros(&x->memory, x->count + 1UL, sizeof(*x->worst_chosen));
	if (x->memory.failed)
		return -ENOMEM;
	samples = samples < SAMPLES_MIN ? SAMPLES_MIN : samples > FT_AFTER_SAMPLES ? FT_AFTER_SAMPLES : samples;
	result->drawn = ways > FT_AFTER_WAYS_MAX || ways > 2 * samples;
	result->seed = result->drawn ? FT_AFTER_SEED : 0;
	if (!result->drawn) {
		ft_sets_all(x, way_count);
	} else {
		r = ft_sets_hardest(x);
		if (r < 0)
			return r;
		ft_sets_some(x, (uint32_t)samples, way_count);
	}
	r = hops_look(x, ways, result->drawn);
	if (r < 0)
		return r;
	result->exact = !result->drawn || ft_sets_hardest_known(x);
	result_fill(x, result);
	result->ways = ft_arena_string(&x->m->report->memory, ft_subsets_words(ways, about, words));
	result->example = example_words(x);
	return x->m->report->memory.failed ? -ENOMEM : 0;
}

static int result_add(struct ft_failures *x, struct ft_report *report)
{
	struct ft_after *result = FT_ARENA_MORE(&report->memory, report->after, report->after_count);

	if (!result)
		return -ENOMEM;
	*result = (struct ft_after){.kind = x->kind, .count = x->count, .of = x->item_count};
	return ways_look(x, result);
}

int ft_after_add(struct ft_model *m, enum ft_after_kind kind, uint32_t count)
{
	_cleanup_(after_release) struct ft_failures x = {.kind = kind};
	int r = after_init(&x, m);

	if (r < 0)
		return r;
	if (kind == FT_AFTER_CORE && !ft_plan_has_ranks(m->plan))
		x.kind = FT_AFTER_SWITCH;
	then_look(&x);
	items_list(&x);
	x.count = count < x.item_count ? count : x.item_count;
	return x.count > 0 ? result_add(&x, m->report) : 0;
}
