/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Ranks, blocking and cuts of the plan (model/capacity.h). Ranks come from the kinds, or from breadth-first search from
 * the hosts. Cuts are those between ranks; of other graphs the halves of a grid, and the best ones of the search of
 * base/cuts.h. Cost: that of the two searches, for layers (base/layers.h) and for cuts.
 */
#include "config.h"

#include "verify/model/capacity.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cuts.h"
#include "base/layers.h"

/* ---- which way is up ---- */

uint32_t ft_load_of(const struct ft_model *m, uint32_t p)
{
	bool hosts = ft_may_host(m, p);
	uint32_t down = 0, ports = hosts ? ft_host_ports_of(m, p) : 0;

	ft_each_pair(pair, m, p)
		down += ft_leads_up(m, pair->peer, p) ? m->cells.width[pair->cell] : 0;
	if (hosts)
		down += ft_observed_at(m, p)->hosts > ports ? ft_observed_at(m, p)->hosts : ports;
	return down;
}

/* How many ranks of kinds that the plan uses are lower than @rank. */
static uint32_t ranks_below(const struct ft_plan *plan, const bool *used, uint32_t rank)
{
	uint32_t below = 0;

	for (uint32_t k = 0; k < plan->kind_count; k++) {
		bool first = used[k] && plan->kinds[k].rank < rank;

		for (uint32_t i = 0; i < k && first; i++)
			first = !used[i] || plan->kinds[i].rank != plan->kinds[k].rank;
		below += first;
	}
	return below;
}

/* By the kinds; numbered without gaps, as a tree may have no spines. */
static void ranks_of_plan(struct ft_model *m, struct ft_capacity *c)
{
	const struct ft_plan *plan = m->plan;
	bool *used = ft_arena_zeros(&m->memory, plan->kind_count, sizeof(*used));

	if (!used)
		return;
	for (uint32_t i = 0; i < plan->switch_count; i++)
		used[plan->switches[i].kind] = true;
	for (uint32_t p = 0; p < m->place_count; p++) {
		c->rank[p] = FT_NONE;
		if (ft_is_beside(m, p))
			continue;
		c->rank[p] = ranks_below(plan, used, plan->kinds[m->places[p]->kind].rank);
		c->ranks = c->rank[p] + 1 > c->ranks ? c->rank[p] + 1 : c->ranks;
	}
}

/* The graph of the plan, or of the remaining cables; @count: by cell. */
static int graph_make(const struct ft_model *m, const uint32_t *count, struct ft_multigraph *ret)
{
	_cleanup_free_ struct ft_edge *edges = calloc(m->cells.count + 1UL, sizeof(*edges));
	uint32_t n = 0;

	if (!edges)
		return -ENOMEM;
	for (uint32_t cell = 0; cell < m->cells.count; cell++)
		if (m->cells.width[cell] > 0 && count[cell] > 0)
			edges[n++] = (struct ft_edge){m->cells.ends[cell][0], m->cells.ends[cell][1], count[cell]};
	return ft_multigraph_make(m->place_count, edges, n, ret);
}

/* A plan with the structure of a fat-tree is one, whatever its name. */
static int ranks_find(struct ft_model *m, struct ft_capacity *c)
{
	_cleanup_(ft_multigraph_release) struct ft_multigraph graph = {0};
	int r = graph_make(m, m->cells.width, &graph)
			?: ft_layers_find(&graph, m->edges, m->network, c->rank, &c->ranks);

	if (r != 1)
		return r;
	memset(c->rank, 0, m->place_count * sizeof(*c->rank));
	c->ranks = 1;
	return 0;
}

/* ---- blocking ---- */

static void ratio_raise(struct ft_ratio *worst, uint32_t down, uint32_t up)
{
	struct ft_ratio ratio;

	if (up > 0 && ft_ratio_make(down, up, &ratio) == 0 && (worst->den == 0 || ft_ratio_compare(ratio, *worst) > 0))
		*worst = ratio;
}

/* The worst planned value, if the plan does not state one. */
static void blocking_plan(const struct ft_model *m, struct ft_capacity *c)
{
	for (uint32_t rank = 0; rank < c->ranks; rank++)
		c->blocking[rank] = m->plan->general ? (struct ft_ratio){0, 0} : ft_plan_blocking_of(m->plan, rank);
	for (uint32_t p = 0; m->plan->general && p < m->place_count; p++) {
		uint32_t down = ft_host_ports_of(m, p), up = 0;

		if (c->rank[p] == FT_NONE)
			continue;
		ft_each_pair(pair, m, p) {
			uint32_t width = m->cells.width[pair->cell];

			up += ft_carries_from(m, p, pair->peer) ? width : 0;
			down += ft_leads_up(m, pair->peer, p) ? width : 0;
		}
		if (down > 0)
			ratio_raise(&c->blocking[c->rank[p]], down, up);
	}
	for (uint32_t rank = 0; rank < c->ranks; rank++)
		if (c->blocking[rank].den == 0)
			c->blocking[rank] = (struct ft_ratio){1, 1};
}

/* The product of two blocking ratios: a ratio below 1 does not compensate for the other. */
static struct ft_ratio blocking_times(struct ft_ratio one, struct ft_ratio other)
{
	static const struct ft_ratio all = {1, 1};
	struct ft_ratio product = one;

	if (ft_ratio_compare(other, all) > 0 && ft_ratio_make(one.num * other.num, one.den * other.den, &product) < 0)
		return one;
	return product;
}

struct ft_ratio ft_blocking_with(const struct ft_model *m, uint32_t rank, struct ft_ratio there)
{
	const struct ft_capacity *c = m->capacity;
	struct ft_ratio product = rank == 0 ? there : c->blocking[0];

	for (uint32_t k = 1; k < c->ranks; k++)
		product = blocking_times(product, k == rank ? there : c->blocking[k]);
	return product;
}

struct ft_ratio ft_blocking_worst(const struct ft_model *m, const uint32_t *load, const uint32_t *links,
				  const uint32_t *part)
{
	enum { RANKS_MAX = 16 }; /* a tree has fewer */
	struct ft_ratio by_rank[RANKS_MAX] = {{0, 0}}, worst = {0, 0};

	for (uint32_t p = 0; p < m->place_count; p++) {
		uint32_t rank = m->capacity->rank[p];

		if (load[p] == 0 || rank >= RANKS_MAX || ft_is_beside(m, p) || (rank == 0 && part && part[p] == 0))
			continue;
		if (rank == 0 || load[p] > links[p])
			ratio_raise(&by_rank[rank], load[p], links[p]);
	}
	for (uint32_t rank = 0; rank < m->capacity->ranks && rank < RANKS_MAX; rank++) {
		struct ft_ratio there = by_rank[rank];

		if (there.den == 0)
			continue;
		there = ft_blocking_with(m, rank, there);
		if (worst.den == 0 || ft_ratio_compare(there, worst) > 0)
			worst = there;
	}
	return worst;
}

/* ---- cuts ---- */

static void planned_count(struct ft_model *m, struct ft_capacity *c)
{
	c->planned = ft_arena_zeros(&m->memory, (size_t)c->parts * c->cuts, sizeof(*c->planned));
	for (uint32_t cell = 0; c->planned && cell < m->cells.count; cell++)
		for (uint64_t bits = c->across[cell]; bits; bits &= bits - 1)
			c->planned[(size_t)c->part[cell] * c->cuts + (unsigned int)__builtin_ctzll(bits)] +=
				m->cells.width[cell];
	if (c->planned)
		c->total = ft_cuts_least(m, c->planned);
}

/* The cables between two ranks are in the cut of the lower one. */
static void ranks_cut(const struct ft_model *m, struct ft_capacity *c)
{
	c->parts = 1;
	c->cuts = c->ranks - 1;
	for (uint32_t p = 0; p < m->place_count; p++)
		ft_each_pair(pair, m, p)
			if (ft_leads_up(m, p, pair->peer))
				c->across[pair->cell] = 1ULL << c->rank[p];
}

/* In networks without hosts the switches count. */
static uint32_t *weights_tell(struct ft_model *m)
{
	uint32_t *weight = ft_arena_zeros(&m->memory, m->place_count, sizeof(*weight));
	uint64_t *hosts = ft_arena_zeros(&m->memory, m->network_count, sizeof(*hosts));

	if (m->memory.failed)
		return NULL;
	for (uint32_t p = 0; p < m->place_count; p++)
		hosts[m->network[p]] += m->places[p]->hosts;
	for (uint32_t p = 0; p < m->place_count; p++)
		weight[p] = hosts[m->network[p]] > 0 ? m->places[p]->hosts : 1;
	return weight;
}

/*
 * Of a grid the halves between two planes, for each dimension that has two halves of one weight. These are the smallest
 * cuts; in a large grid no half that grows from one switch comes near (16 x 16 x 16: 7,360 cables for 5,120).
 */
static void grid_halves(const struct ft_model *m, const uint32_t *weight, struct ft_cut_search *search)
{
	const struct ft_plan *plan = m->plan;
	uint32_t stride = 1;

	for (uint32_t d = 0; d < plan->dim_count; d++)
		stride *= plan->dims[d];
	if (m->network_count > 1 || stride != plan->switch_count)
		return;
	for (uint32_t d = 0; d < plan->dim_count; d++) {
		uint64_t on[2] = {0, 0};

		stride /= plan->dims[d];
		for (uint32_t p = 0; p < m->place_count; p++) {
			uint32_t at = (uint32_t)(m->places[p] - plan->switches) / stride % plan->dims[d];
			bool far = 2 * at >= plan->dims[d];

			on[far] += weight[p];
			search->side[p] = (search->side[p] & ~(1ULL << search->count)) | (uint64_t)far << search->count;
		}
		search->count += on[0] == on[1];
	}
}

/* The smallest cuts of the plan, and those of the graph of cables that carry traffic. */
static int halves_cut(struct ft_model *m, struct ft_capacity *c, const uint32_t *carriers)
{
	enum { OF_PLAN = 40, OF_FABRIC = 16 };
	_cleanup_(ft_multigraph_release) struct ft_multigraph plan = {0}, fabric = {0};
	uint64_t *side = ft_arena_zeros(&m->memory, m->place_count, sizeof(*side));
	uint32_t *weight = weights_tell(m);
	struct ft_cut_search search = {&plan, weight, m->network, m->network_count, side, 0};
	bool same = true;
	int r;

	if (m->memory.failed)
		return -ENOMEM;
	grid_halves(m, weight, &search);
	r = graph_make(m, m->cells.width, &plan) ?: ft_cuts_search(&search, OF_PLAN);
	for (uint32_t cell = 0; cell < m->cells.count; cell++)
		same &= carriers[cell] >= m->cells.width[cell];
	search.graph = &fabric;
	if (r == 0 && !same)
		r = graph_make(m, carriers, &fabric) ?: ft_cuts_search(&search, OF_FABRIC);
	if (r < 0)
		return r;
	c->parts = m->network_count;
	c->cuts = search.count;
	for (uint32_t cell = 0; cell < m->cells.count; cell++) {
		const uint32_t *ends = m->cells.ends[cell];

		if (m->cells.width[cell] == 0)
			continue;
		c->across[cell] = side[ends[0]] ^ side[ends[1]];
		c->part[cell] = m->network[ends[0]];
	}
	return 0;
}

int ft_capacity_make(struct ft_model *m, const uint32_t *carriers)
{
	struct ft_capacity *c = ft_arena_zeros(&m->memory, 1, sizeof(*c));
	int r = 0;

	m->capacity = c;
	if (!c)
		return -ENOMEM;
	c->ranks = 1;
	c->rank = ft_arena_zeros(&m->memory, m->place_count, sizeof(*c->rank));
	c->across = ft_arena_zeros(&m->memory, m->cells.count, sizeof(*c->across));
	c->part = ft_arena_zeros(&m->memory, m->cells.count, sizeof(*c->part));
	if (m->memory.failed)
		return -ENOMEM;
	if (ft_plan_has_ranks(m->plan))
		ranks_of_plan(m, c);
	else
		r = ranks_find(m, c);
	c->blocking = ft_arena_zeros(&m->memory, c->ranks, sizeof(*c->blocking));
	if (r < 0 || m->memory.failed)
		return -ENOMEM;
	blocking_plan(m, c);
	if (c->ranks > 1 || ft_plan_tree_bundles(m->plan) == 0)
		ranks_cut(m, c);
	else
		r = halves_cut(m, c, carriers);
	if (r == 0)
		planned_count(m, c);
	return r < 0 || m->memory.failed ? -ENOMEM : 0;
}

uint64_t *ft_cuts_full(const struct ft_model *m, uint64_t unit)
{
	const struct ft_capacity *c = m->capacity;
	size_t count = (size_t)c->parts * c->cuts;
	uint64_t *left = calloc(count + 1, sizeof(*left));

	for (size_t i = 0; left && i < count; i++)
		left[i] = c->planned[i] * unit;
	return left;
}

void ft_cuts_take(const struct ft_model *m, uint64_t *left, uint32_t cell, uint64_t amount)
{
	const struct ft_capacity *c = m->capacity;
	uint64_t *of = left + (size_t)c->part[cell] * c->cuts;

	for (uint64_t bits = c->across[cell]; bits; bits &= bits - 1)
		of[__builtin_ctzll(bits)] -= amount;
}

void ft_cuts_give(const struct ft_model *m, uint64_t *left, uint32_t cell, uint64_t amount)
{
	ft_cuts_take(m, left, cell, -amount);
}

uint64_t ft_cuts_least(const struct ft_model *m, const uint64_t *left)
{
	const struct ft_capacity *c = m->capacity;
	uint64_t sum = 0;

	for (uint32_t part = 0; part < c->parts && c->cuts > 0; part++) {
		uint64_t least = UINT64_MAX;

		for (unsigned int n = 0; n < c->cuts; n++)
			least = left[(size_t)part * c->cuts + n] < least ? left[(size_t)part * c->cuts + n] : least;
		sum += least;
	}
	return sum;
}

struct ft_ratio ft_share(uint64_t left, uint64_t planned)
{
	struct ft_ratio ratio;

	left = left < planned ? left : planned;
	if (planned == 0 || ft_ratio_make((int64_t)left, (int64_t)planned, &ratio) < 0)
		return (struct ft_ratio){1, 1};
	return ratio;
}
