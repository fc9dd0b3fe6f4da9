/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Walks the forwarding tables: where each leads, for every LID of every host.
 *
 * Invariant: pairs = reached + ended + looping + unknown + apart. Cost: O(switches) for each LID, as each switch is
 * settled once, however many routes pass it.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "base/hash.h"
#include "planner/plan/wiring.h"
#include "verify/routes/routes.h"

/*
 * The entries of all switches for a block of LIDs, copied side by side: the tables are far apart in memory, and each
 * access would be a cache miss.
 */
static void rows_load(struct ft_walk *w, uint32_t block)
{
	for (uint32_t h = 0; h < w->hop_count; h++) {
		const struct ft_route_table *table = w->hops[h].table;
		uint32_t first = block * FT_ROUTE_BLOCK, count = 0;
		uint8_t *row = w->rows + (size_t)h * FT_ROUTE_BLOCK;

		w->row_unread[h] = !table->ports || (table->unread && first < table->lids && table->unread[block]);
		if (!w->row_unread[h] && first < table->lids)
			count = table->lids - first < FT_ROUTE_BLOCK ? table->lids - first : FT_ROUTE_BLOCK;
		if (count > 0)
			memcpy(row, table->ports + first, count);
		memset(row + count, FT_ROUTE_NONE, FT_ROUTE_BLOCK - count);
	}
}

/* One step. Returns the next switch, or FT_NONE: then the route from this one is settled. */
static uint32_t step(struct ft_walk *w, uint32_t h, const struct ft_target *to)
{
	const struct ft_hop *hop = &w->hops[h];
	unsigned int port = w->rows[(size_t)h * FT_ROUTE_BLOCK + to->lid % FT_ROUTE_BLOCK];
	struct ft_way *way = &w->ways[h];
	uint32_t link = hop->first_link + port - 1;

	if (w->row_unread[h]) {
		way->kind = FT_WAY_UNKNOWN;
		return FT_NONE;
	}
	/* Entry 0 is the switch itself, which has another LID. */
	if (port == 0 || port > hop->links) {
		*way = (struct ft_way){.at = w->link_count + h, .kind = FT_WAY_ENDS};
		return FT_NONE;
	}
	w->out[h] = link;
	if (link == to->link) {
		*way = (struct ft_way){.hops = 1, .kind = FT_WAY_ARRIVES};
		return FT_NONE;
	}
	if (w->far[link] < w->hop_count)
		return w->far[link];
	*way = (struct ft_way){.at = link, .kind = w->far[link] == FT_FAR_UNKNOWN ? FT_WAY_UNKNOWN : FT_WAY_ENDS};
	return FT_NONE;
}

/* The loop of these links, independent of where it was entered: an index, or FT_NONE without memory. */
static uint32_t loop_find(struct ft_walk *w, const uint32_t *hops, uint32_t count)
{
	uint32_t lowest = 0, there, *links;
	struct ft_loop *loop;
	int r;

	for (uint32_t i = 1; i < count; i++)
		lowest = w->out[hops[i]] < w->out[hops[lowest]] ? i : lowest;
	for (uint32_t i = 0; i < count; i++)
		w->circle[i] = w->out[hops[(lowest + i) % count]];
	r = ft_map_add(&w->loop_by_hash, ft_hash_bytes(w->circle, count * sizeof(*w->circle)), w->loop_count, &there);
	if (r == 0)
		return there;
	/* Thousands of destinations may share one loop: only a new one is kept. */
	links = r > 0 ? ft_arena_zeros(&w->memory, count, sizeof(*links)) : NULL;
	loop = links ? FT_ARENA_MORE(&w->memory, w->loops, w->loop_count) : NULL;
	w->memory.failed |= !loop;
	if (!loop)
		return FT_NONE;
	memcpy(links, w->circle, count * sizeof(*links));
	*loop = (struct ft_loop){.links = links, .count = count};
	return w->loop_count - 1;
}

/* The route of @h is that of the next switch, plus one hop. */
static void way_extend(struct ft_walk *w, uint32_t h)
{
	uint32_t link = w->out[h], next = w->far[link];
	const struct ft_way *ahead = &w->ways[next];
	uint32_t port = w->out[next] - w->hops[next].first_link;
	struct ft_way *way = &w->ways[h];

	*way = *ahead;
	if (ahead->kind != FT_WAY_ARRIVES)
		return;
	way->hops += way->hops < UINT16_MAX;
	if (w->up[link]) {
		way->flags |= FT_WAY_GOES_UP;
		w->load[link]++;
	} else if ((ahead->flags & FT_WAY_GOES_UP) && w->hops[next].rank < w->hops[h].rank) {
		way->flags |= FT_WAY_TURNS;
	}
	if (ahead->hops > 1)
		w->after[w->after_first[link] + port / 64] |= 1ULL << port % 64;
}

/* Settles the routes of @h and of all the switches on it. */
static void follow(struct ft_walk *w, uint32_t h, const struct ft_target *to)
{
	uint32_t depth = 0, here = h;

	while (here != FT_NONE && w->ways[here].kind == FT_WAY_NEW) {
		w->ways[here].kind = FT_WAY_OPEN;
		w->stack[depth++] = here;
		here = step(w, here, to);
	}
	if (here == FT_NONE) {
		depth--;
	} else if (w->ways[here].kind == FT_WAY_OPEN) {
		uint32_t first = depth, loop;

		do
			first--;
		while (w->stack[first] != here);
		loop = loop_find(w, w->stack + first, depth - first);
		while (depth > first)
			w->ways[w->stack[--depth]] = (struct ft_way){.at = loop, .kind = FT_WAY_LOOPS};
	}
	while (depth > 0)
		way_extend(w, w->stack[--depth]);
}

/* Assumption: no two ports of a director are on one chip. */
static uint32_t chips_of(const struct ft_model *m, uint32_t place)
{
	enum { DIRECTOR_DEEP = 3 };

	return ft_plan_is_director(m->plan, ft_plan_index(m, place)) ? DIRECTOR_DEEP : 1;
}

/*
 * Shortest paths in the plan to place @to, in chips. Breadth-first search; a place returns to the queue if a path of
 * more switches but fewer chips is found later, which happens with directors only: O(cables) without them.
 */
static void planned_count(struct ft_walk *w, uint32_t to)
{
	const struct ft_model *m = w->m;
	uint32_t head = 0, waiting = 1;

	for (uint32_t p = 0; p < m->place_count; p++) {
		w->planned[p] = FT_NONE;
		w->is_queued[p] = false;
	}
	w->planned_to = to;
	w->planned[to] = chips_of(m, to);
	w->queue[0] = to;
	for (; waiting > 0; waiting--) {
		uint32_t p = w->queue[head];

		head = (head + 1) % m->place_count;
		w->is_queued[p] = false;
		ft_each_pair(pair, m, p) {
			uint32_t chips = w->planned[p] + chips_of(m, pair->peer);

			if (m->cells.width[pair->cell] == 0 || w->planned[pair->peer] <= chips)
				continue;
			w->planned[pair->peer] = chips;
			if (w->is_queued[pair->peer])
				continue;
			w->is_queued[pair->peer] = true;
			w->queue[(head + waiting - 1) % m->place_count] = pair->peer;
			waiting++;
		}
	}
}

uint32_t ft_walk_planned(struct ft_walk *w, uint32_t from, uint32_t to)
{
	uint32_t clos = w->m->plan->clos, a = w->hops[from].place, b = w->hops[to].place;

	if (from == to)
		return 1;
	if (a == FT_NONE || b == FT_NONE)
		return clos;
	if (w->planned_to != b)
		planned_count(w, b);
	return w->planned[a] < clos ? w->planned[a] : clos;
}

/* True if hardly any switch has an entry for it. */
static bool is_unrouted(const struct ft_walk *w, const struct ft_target *to)
{
	uint32_t known = 0, routed = 0;

	for (uint32_t h = 0; h < w->hop_count; h++) {
		if (w->row_unread[h] || w->hops[h].part != w->hops[to->hop].part)
			continue;
		known++;
		routed += w->rows[(size_t)h * FT_ROUTE_BLOCK + to->lid % FT_ROUTE_BLOCK] != FT_ROUTE_NONE;
	}
	return routed * 2 < known;
}

static void end_count(struct ft_walk *w, uint32_t from, uint32_t target, uint32_t pairs)
{
	uint32_t at = w->ways[from].at;
	struct ft_target *to = &w->targets[target];

	w->ended += pairs;
	if (at >= w->link_count && w->judged != target + 1) {
		to->unrouted = is_unrouted(w, to);
		w->judged = target + 1;
	}
	ft_some_add(at >= w->link_count && to->unrouted ? &w->unrouted : &w->ends[at], pairs, from, target);
}

static void arrival_count(struct ft_walk *w, uint32_t from, uint32_t target, uint32_t pairs)
{
	const struct ft_way *way = &w->ways[from];

	w->reached += pairs;
	w->sum += (uint64_t)pairs * way->hops;
	w->longest = way->hops > w->longest ? way->hops : w->longest;
	if (way->hops > ft_walk_planned(w, from, w->targets[target].hop) || (way->flags & FT_WAY_TURNS))
		ft_walk_detour(w, from, target, pairs);
}

/* Hosts of two networks that the plan does not connect. */
static bool are_apart_by_plan(const struct ft_walk *w, uint32_t from, uint32_t to)
{
	uint32_t a = w->hops[from].place, b = w->hops[to].place;

	return w->hops[from].part != w->hops[to].part && a != FT_NONE && b != FT_NONE &&
	       w->m->network[a] != w->m->network[b];
}

/* The routes of all hosts of a switch to a target. */
static void source_count(struct ft_walk *w, uint32_t from, uint32_t target)
{
	const struct ft_target *to = &w->targets[target];
	uint32_t pairs = w->hops[from].hosts - (from == to->hop);

	if (pairs == 0 || are_apart_by_plan(w, from, to->hop))
		return;
	w->pairs += pairs;
	if (w->hops[from].part != w->hops[to->hop].part) {
		w->apart += pairs;
		return;
	}
	follow(w, from, to);
	if (w->memory.failed)
		return;
	switch ((enum ft_way_kind)w->ways[from].kind) {
	case FT_WAY_ARRIVES:
		arrival_count(w, from, target, pairs);
		break;
	case FT_WAY_ENDS:
		end_count(w, from, target, pairs);
		break;
	case FT_WAY_LOOPS:
		w->looping += pairs;
		ft_some_add(&w->loops[w->ways[from].at].some, pairs, from, target);
		break;
	case FT_WAY_NEW:
	case FT_WAY_OPEN:
	case FT_WAY_UNKNOWN:
		w->unknown += pairs;
		break;
	}
}

static void walk_all(struct ft_walk *w)
{
	uint32_t block = FT_NONE;

	for (uint32_t target = 0; !w->memory.failed && target < w->target_count; target++) {
		uint32_t its_block = w->targets[target].lid / FT_ROUTE_BLOCK;

		if (its_block != block)
			rows_load(w, its_block);
		block = its_block;
		memset(w->ways, 0, w->hop_count * sizeof(*w->ways));
		for (uint32_t i = 0; !w->memory.failed && i < w->source_count; i++)
			source_count(w, w->sources[i], target);
	}
}

int ft_routes_check(struct ft_model *m)
{
	_cleanup_(ft_walk_release) struct ft_walk w = {.m = m};
	int r;

	if (!m->input->routes)
		return 0;
	r = ft_walk_build(&w);
	if (r == 0)
		walk_all(&w);
	if (w.memory.failed)
		return -ENOMEM;
	ft_walk_report(&w);
	r = ft_walk_cycles(&w);
	ft_walk_balance(&w);
	return r < 0 || w.memory.failed ? -ENOMEM : 0;
}
