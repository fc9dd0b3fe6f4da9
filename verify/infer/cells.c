/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Cells of leafs and spines: groups in which every leaf is cabled to spines of its own cell only, and spines to those
 * of other cells as well. Leafs are the switches with hosts; and, in cells without any, those that have no neighbour in
 * a cell with hosts. Two leafs with most of their neighbours in common are of one cell, and a spine is of the cell that
 * most of its leafs are of: a leaf that was cabled to a spine elsewhere by mistake joins no cells.
 *
 * Cost: the leafs of each neighbour of each leaf.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "verify/infer/cells.h"
#include "verify/infer/general.h"

struct search {
	const struct ft_inference *f;
	uint32_t *parent; /* by switch: union-find, of leafs first */
	uint32_t *common; /* scratch, by switch: neighbours in common with a leaf */
	bool *leaf, *known;
};

/* Counts, for all leafs, the neighbours that they have in common with leaf @i. @step: 1, or -1 to undo that. */
static void common_count(struct search *s, uint32_t i, int32_t step)
{
	const struct ft_multigraph *g = &s->f->graph;

	ft_each_adjacent(n, g, i)
		ft_each_adjacent(k, g, n->vertex)
			s->common[k->vertex] += (uint32_t)step;
}

static void leaf_join(struct search *s, uint32_t i)
{
	const struct ft_multigraph *g = &s->f->graph;

	common_count(s, i, 1);
	ft_each_adjacent(n, g, i)
		ft_each_adjacent(k, g, n->vertex) {
			uint32_t fewer = ft_adjacent_count(g, k->vertex);

			fewer = fewer < ft_adjacent_count(g, i) ? fewer : ft_adjacent_count(g, i);
			if (k->vertex < i && s->leaf[k->vertex] && s->common[k->vertex] * 2 > fewer)
				ft_number_join(s->parent, i, k->vertex);
		}
	common_count(s, i, -1);
}

/* Joins a spine to most of its leafs; of equally many to those of the first. */
static void spine_join(struct search *s, uint32_t i)
{
	const struct ft_multigraph *g = &s->f->graph;
	uint32_t best = UINT32_MAX, most = 0;

	ft_each_adjacent(n, g, i)
		if (s->leaf[n->vertex])
			s->common[ft_number_root(s->parent, n->vertex)]++;
	ft_each_adjacent(n, g, i) {
		uint32_t root = ft_number_root(s->parent, n->vertex);

		if (s->leaf[n->vertex] && s->common[root] > most) {
			best = root;
			most = s->common[root];
		}
	}
	ft_each_adjacent(n, g, i)
		s->common[ft_number_root(s->parent, n->vertex)] = 0;
	if (best != UINT32_MAX)
		s->parent[i] = best;
}

/* Joins leafs, and then spines to them: all anew. */
static void cells_join(struct search *s)
{
	const struct ft_multigraph *g = &s->f->graph;

	ft_number_begin(s->parent, g->count);
	for (uint32_t i = 0; i < g->count; i++)
		if (s->leaf[i])
			leaf_join(s, i);
	for (uint32_t i = 0; i < g->count; i++)
		if (!s->leaf[i])
			spine_join(s, i);
	for (uint32_t i = 0; i < g->count; i++) {
		s->known[i] |= s->leaf[i];
		ft_each_adjacent(n, g, i)
			s->known[i] |= s->leaf[n->vertex];
	}
}

/* In cells without hosts; and a leaf whose own hosts are all down, which has neighbours in one cell alone. */
static void idle_leafs_find(struct search *s)
{
	const struct ft_multigraph *g = &s->f->graph;

	for (uint32_t i = 0; i < g->count; i++) {
		uint32_t known = 0, cell = UINT32_MAX;
		bool several = false;

		ft_each_adjacent(n, g, i) {
			uint32_t root = ft_number_root(s->parent, n->vertex);

			if (!s->known[n->vertex])
				continue;
			several |= known++ > 0 && root != cell;
			cell = root;
		}
		s->leaf[i] |= !s->known[i] && (known == 0 || (known == ft_adjacent_count(g, i) && !several));
	}
}

int ft_group_cells_find(const struct ft_inference *f, struct ft_group_cells *ret_cells)
{
	uint32_t count = f->graph.count;
	struct search s = {
		.f = f,
		.parent = ft_arena_numbers(f->memory, count, 0),
		.common = ft_arena_numbers(f->memory, count, 0),
		.leaf = ft_arena_zeros(f->memory, count, sizeof(*s.leaf)),
		.known = ft_arena_zeros(f->memory, count, sizeof(*s.known)),
	};

	ret_cells->cell_of = ft_arena_numbers(f->memory, count, 0);
	ret_cells->leaf = s.leaf;
	if (f->memory->failed)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		s.leaf[i] = f->hosts[i] > 0;
	cells_join(&s);
	idle_leafs_find(&s);
	cells_join(&s);
	/* A spine may be lower than its leafs: numbers in the order of their first switches. */
	memset(s.common, 0xff, count * sizeof(*s.common));
	ret_cells->count = 0;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t root = ft_number_root(s.parent, i);

		if (s.common[root] == UINT32_MAX)
			s.common[root] = ret_cells->count++;
		ret_cells->cell_of[i] = s.common[root];
	}
	return 0;
}

static int size_compare(const void *a, const void *b)
{
	const struct ft_group_size *x = a, *y = b;

	return FT_ORDER(y->leafs, x->leafs) ?: FT_ORDER(y->spines, x->spines);
}

/* The sizes in descending order, each with the number of cells that have it. Returns how many sizes. */
static size_t sizes_merge(struct ft_group_size *sizes, size_t cells)
{
	size_t count = 0;

	qsort(sizes, cells, sizeof(*sizes), size_compare);
	for (size_t i = 0; i < cells; i++) {
		if (count > 0 && size_compare(&sizes[count - 1], &sizes[i]) == 0)
			sizes[count - 1].count++;
		else
			sizes[count++] = sizes[i];
	}
	return count;
}

/* By cell: how large it is. NULL: no memory. */
static struct ft_group_size *sizes_count(const struct ft_inference *f, const struct ft_group_cells *cells)
{
	struct ft_group_size *sizes = ft_arena_zeros(f->memory, cells->count, sizeof(*sizes));

	for (uint32_t c = 0; sizes && c < cells->count; c++)
		sizes[c] = (struct ft_group_size){1, FT_NONE, 0, 0, FT_NONE};
	for (uint32_t i = 0; sizes && i < f->graph.count; i++) {
		sizes[cells->cell_of[i]].leafs += cells->leaf[i];
		sizes[cells->cell_of[i]].spines += !cells->leaf[i];
	}
	return sizes;
}

int ft_infer_cells(const struct ft_inference *f, struct ft_group_size **ret_sizes, size_t *ret_count)
{
	struct ft_group_cells cells = {0};
	int r = ft_group_cells_find(f, &cells);

	if (r < 0)
		return r;
	*ret_sizes = sizes_count(f, &cells);
	if (!*ret_sizes)
		return -ENOMEM;
	*ret_count = sizes_merge(*ret_sizes, cells.count);
	return 0;
}

/* The cell that is the only one with a leaf less than all others, or FT_NONE. */
static uint32_t odd_cell(const struct ft_group_size *sizes, uint32_t count)
{
	uint32_t odd = FT_NONE, usual = 0;

	for (uint32_t c = 1; c < count; c++)
		usual = sizes[c].leafs > sizes[usual].leafs ? c : usual;
	for (uint32_t c = 0; c < count; c++) {
		if (sizes[c].spines != sizes[usual].spines)
			return FT_NONE;
		if (sizes[c].leafs == sizes[usual].leafs)
			continue;
		if (odd != FT_NONE || sizes[c].leafs + 1 != sizes[usual].leafs)
			return FT_NONE;
		odd = c;
	}
	return count >= 3 ? odd : FT_NONE;
}

/* The dark ports of a spine below the last one that has a leaf. */
static uint32_t dark_among_leafs(const struct ft_inference *f, const struct ft_group_cells *cells, uint32_t spine)
{
	uint32_t dark = 0, below = 0;

	for (uint32_t p = 1; p <= ft_infer_ports(f, spine); p++) {
		uint32_t far = ft_infer_port_far(f, spine, p);

		if (far != FT_NONE && cells->leaf[far])
			below = dark;
		dark += ft_infer_port_is_dark(f, spine, p);
	}
	return below;
}

int ft_infer_cell_lacks_leaf(const struct ft_inference *f, bool *ret_lacks)
{
	enum { FEW = 8 }; /* of so many spines one may have a dark port of its own */
	struct ft_group_cells cells = {0};
	struct ft_group_size *sizes;
	uint32_t odd, full = 0, gaps = 0;
	int r = ft_group_cells_find(f, &cells);

	*ret_lacks = false;
	if (r < 0)
		return r;
	sizes = sizes_count(f, &cells);
	if (!sizes)
		return -ENOMEM;
	odd = odd_cell(sizes, cells.count);
	for (uint32_t i = 0; odd != FT_NONE && i < f->graph.count; i++) {
		uint32_t dark;

		if (cells.leaf[i])
			continue;
		dark = dark_among_leafs(f, &cells, i);
		if (cells.cell_of[i] == odd && dark != 1)
			return 0;
		full += cells.cell_of[i] != odd;
		gaps += cells.cell_of[i] != odd && dark > 0;
	}
	*ret_lacks = odd != FT_NONE && gaps * FEW <= full;
	return 0;
}
