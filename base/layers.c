/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "base/layers.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/numbers.h"

struct layers {
	const struct ft_multigraph *g;
	uint32_t lowest;
	const uint32_t *part;
	uint32_t *layer, count;
	struct ft_arena memory;
};

static void layers_release(struct layers *l)
{
	ft_arena_release(&l->memory);
}

/* Steps from the nearest lowest vertex; breadth-first search. True: every vertex is reached. */
static bool steps_count(struct layers *l)
{
	uint32_t *queue = ft_arena_zeros(&l->memory, l->g->count, sizeof(*queue)), tail = 0;

	if (!queue)
		return false;
	for (uint32_t v = 0; v < l->g->count; v++) {
		l->layer[v] = v < l->lowest ? 0 : FT_NONE;
		if (v < l->lowest)
			queue[tail++] = v;
	}
	for (uint32_t head = 0; head < tail; head++) {
		uint32_t v = queue[head];

		l->count = l->layer[v] + 1;
		ft_each_adjacent(far, l->g, v) {
			if (l->layer[far->vertex] != FT_NONE)
				continue;
			l->layer[far->vertex] = l->layer[v] + 1;
			queue[tail++] = far->vertex;
		}
	}
	return tail == l->g->count;
}

/* Every edge joins adjacent layers, and only vertices of the highest have none upwards. */
static bool edges_are_upright(const struct layers *l)
{
	for (uint32_t v = 0; v < l->g->count; v++) {
		bool up = false;

		ft_each_adjacent(far, l->g, v) {
			if (l->layer[far->vertex] == l->layer[v])
				return false;
			up |= l->layer[far->vertex] > l->layer[v];
		}
		if (!up && l->layer[v] + 1 < l->count)
			return false;
	}
	return true;
}

/* Every lowest vertex reaches every highest one of its part upwards: reachable sets as bit sets, from the top down. */
static bool tops_are_common(struct layers *l)
{
	uint32_t *wanted = ft_arena_zeros(&l->memory, l->g->count, sizeof(*wanted)), tops = 0, words;
	uint64_t *reach;
	bool common = true;

	for (uint32_t v = 0; v < l->g->count; v++)
		tops += l->layer[v] + 1 == l->count;
	words = (tops + 63) / 64;
	reach = ft_arena_zeros(&l->memory, (size_t)l->g->count * words, sizeof(*reach));
	if (l->memory.failed)
		return false;
	tops = 0;
	for (uint32_t layer = l->count; layer-- > 0;)
		for (uint32_t v = 0; v < l->g->count; v++) {
			if (l->layer[v] != layer)
				continue;
			if (layer + 1 == l->count) {
				reach[(size_t)v * words + tops / 64] |= 1ULL << tops % 64;
				wanted[l->part[v]]++;
				tops++;
			}
			ft_each_adjacent(far, l->g, v)
				for (uint32_t n = 0; n < words && l->layer[far->vertex] > layer; n++)
					reach[(size_t)v * words + n] |= reach[(size_t)far->vertex * words + n];
		}
	for (uint32_t v = 0; v < l->lowest; v++) {
		uint32_t count = 0;

		for (uint32_t n = 0; n < words; n++)
			count += (uint32_t)__builtin_popcountll(reach[(size_t)v * words + n]);
		common &= count == wanted[l->part[v]];
	}
	return common;
}

int ft_layers_find(const struct ft_multigraph *graph, uint32_t lowest, const uint32_t *part, uint32_t *ret_layer,
		   uint32_t *ret_layers)
{
	_cleanup_(layers_release) struct layers l = {
		.g = graph, .lowest = lowest, .part = part, .layer = ret_layer, .count = 1};
	bool layered = steps_count(&l) && l.count > 1 && edges_are_upright(&l) && tops_are_common(&l);

	if (l.memory.failed)
		return -ENOMEM;
	*ret_layers = l.count;
	return layered ? 0 : 1;
}
