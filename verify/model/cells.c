/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The plan and the observed fabric as one multigraph in compressed rows: by place, the pairs with planned or observed
 * cables. O(V + E log E).
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "verify/model/model.h"

/* A pair, before it has its cell. */
struct entry {
	uint32_t row, column; /* places */
	uint32_t planned, seen;
};

/* Adds what is known of places @p and @q. */
static void entry_add(struct entry *entries, uint32_t *count, uint32_t p, uint32_t q, uint32_t planned, uint32_t seen)
{
	uint32_t row = p < q ? p : q, column = p < q ? q : p;

	if (column != FT_NONE && p != q)
		entries[(*count)++] = (struct entry){row, column, planned, seen};
}

static uint32_t entries_gather(const struct ft_model *m, struct entry *entries)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < m->plan->bundle_count; i++) {
		const struct ft_plan_bundle *bundle = &m->plan->bundles[i];

		entry_add(entries, &count, m->place_of[bundle->a], m->place_of[bundle->b], bundle->count, 0);
	}
	for (uint32_t i = 0; i < m->observed.cable_count; i++) {
		const struct ft_observed_cable *cable = &m->observed.cables[i];

		entry_add(entries, &count, m->observed.switches[cable->a].planned,
			  m->observed.switches[cable->b].planned, 0, 1);
	}
	return count;
}

static uint32_t entry_key(const struct entry *entry, bool by_row)
{
	return by_row ? entry->row : entry->column;
}

/* Counting sort by row or by column, in linear time. It is stable, so two passes sort by both. */
static int entries_sort(const struct ft_model *m, const struct entry *from, uint32_t count, bool by_row,
			struct entry *to)
{
	_cleanup_free_ uint32_t *next = calloc(m->place_count + 1UL, sizeof(*next));

	if (!next)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		next[entry_key(&from[i], by_row) + 1]++;
	for (uint32_t p = 0; p < m->place_count; p++)
		next[p + 1] += next[p];
	for (uint32_t i = 0; i < count; i++)
		to[next[entry_key(&from[i], by_row)]++] = from[i];
	return 0;
}

/* Merges sorted entries to one for each pair. Returns their number. */
static uint32_t entries_merge(struct entry *entries, uint32_t count)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < count; i++) {
		struct entry *last = kept > 0 ? &entries[kept - 1] : NULL;

		if (last && last->row == entries[i].row && last->column == entries[i].column) {
			last->planned += entries[i].planned;
			last->seen += entries[i].seen;
			continue;
		}
		entries[kept++] = entries[i];
	}
	return kept;
}

static int cells_alloc(struct ft_model *m, uint32_t count)
{
	struct ft_arena *a = &m->memory;

	m->cells = (struct ft_cells){
		.count = count,
		.first = ft_arena_zeros(a, m->place_count + 2UL, sizeof(*m->cells.first)),
		.ends = ft_arena_zeros(a, count, sizeof(*m->cells.ends)),
		.pairs = ft_arena_zeros(a, 2UL * count, sizeof(*m->cells.pairs)),
		.width = ft_arena_zeros(a, count + 1UL, sizeof(*m->cells.width)),
		.seen = ft_arena_zeros(a, count + 1UL, sizeof(*m->cells.seen)),
		.foreign = ft_arena_zeros(a, count + 1UL, sizeof(*m->cells.foreign)),
		.unjudged = ft_arena_zeros(a, count + 1UL, sizeof(*m->cells.unjudged)),
	};
	return a->failed ? -ENOMEM : 0;
}

/* @entries: sorted by row and column, so each place gets its pairs in the order of their other ends. */
static void cells_fill(struct ft_cells *cells, uint32_t places, const struct entry *entries)
{
	/* Shifted by one: p + 1 holds the insertion point of place p, and its end when all are inserted. */
	uint32_t *next = cells->first + 1;

	for (uint32_t i = 0; i < cells->count; i++) {
		next[entries[i].row + 1]++;
		next[entries[i].column + 1]++;
	}
	for (uint32_t p = 0; p < places; p++)
		next[p + 1] += next[p];
	for (uint32_t i = 0; i < cells->count; i++) {
		cells->pairs[next[entries[i].row]++] = (struct ft_pair){entries[i].column, i};
		cells->pairs[next[entries[i].column]++] = (struct ft_pair){entries[i].row, i};
		cells->ends[i][0] = entries[i].row;
		cells->ends[i][1] = entries[i].column;
		cells->width[i] = entries[i].planned;
		cells->seen[i] = entries[i].seen;
	}
}

int ft_cells_build(struct ft_model *m)
{
	size_t most = (size_t)m->plan->bundle_count + m->observed.cable_count + 1;
	_cleanup_free_ struct entry *entries = malloc(most * sizeof(*entries));
	_cleanup_free_ struct entry *sorted = malloc(most * sizeof(*sorted));
	uint32_t count;
	int r;

	if (!entries || !sorted)
		return -ENOMEM;
	count = entries_gather(m, entries);
	r = entries_sort(m, entries, count, false, sorted) ?: entries_sort(m, sorted, count, true, entries);
	if (r < 0)
		return r;
	r = cells_alloc(m, entries_merge(entries, count));
	if (r < 0)
		return r;
	cells_fill(&m->cells, m->place_count, entries);
	return 0;
}
