/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Cells of leafs and spines: groups in which every leaf is cabled to spines of its own cell only, and spines to those
 * of other cells as well. Leafs are the switches with hosts; and, in cells without any, those that have no neighbour in
 * a cell with hosts. A cell is what its leafs and their neighbours are connected to. O(E).
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/numbers.h"
#include "verify/infer/cells.h"

struct cells {
	const struct ft_inference *f;
	uint32_t *parent; /* by switch: union-find */
	bool *leaf, *known;
};

static void cells_release(struct cells *c)
{
	free(c->parent);
	free(c->leaf);
	free(c->known);
}

/* Joins the leafs that are not known yet, and their neighbours. */
static void leafs_join(struct cells *c)
{
	const struct ft_multigraph *g = &c->f->graph;

	for (uint32_t i = 0; i < g->count; i++) {
		if (!c->leaf[i] || c->known[i])
			continue;
		c->known[i] = true;
		for (const struct ft_adjacent *n = ft_adjacent_of(g, i); n < ft_adjacent_of(g, i + 1); n++) {
			ft_number_join(c->parent, i, n->vertex);
			c->known[n->vertex] = true;
		}
	}
}

/* In cells without hosts; and a leaf whose own hosts are all down, which has neighbours in one cell alone. */
static void idle_leafs_find(struct cells *c)
{
	const struct ft_multigraph *g = &c->f->graph;

	for (uint32_t i = 0; i < g->count; i++) {
		uint32_t known = 0, cell = UINT32_MAX;
		bool several = false;

		for (const struct ft_adjacent *n = ft_adjacent_of(g, i); n < ft_adjacent_of(g, i + 1); n++) {
			uint32_t root = ft_number_root(c->parent, n->vertex);

			if (!c->known[n->vertex])
				continue;
			several |= known++ > 0 && root != cell;
			cell = root;
		}
		c->leaf[i] |= !c->known[i] && (known == 0 || (known == ft_adjacent_count(g, i) && !several));
	}
}

static int size_compare(const void *a, const void *b)
{
	const struct ft_group_size *x = a, *y = b;

	if (x->leafs != y->leafs)
		return x->leafs > y->leafs ? -1 : 1;
	return (x->spines < y->spines) - (x->spines > y->spines);
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

int ft_infer_cells(const struct ft_inference *f, struct ft_group_size **ret_sizes, size_t *ret_count)
{
	uint32_t count = f->graph.count, cells = 0;
	_cleanup_(cells_release) struct cells c = {.f = f};
	_cleanup_free_ struct ft_group_size *sizes = calloc(count + 1UL, sizeof(*sizes));
	_cleanup_free_ uint32_t *cell_of = calloc(count + 1UL, sizeof(*cell_of));

	c.parent = calloc(count + 1UL, sizeof(*c.parent));
	c.leaf = calloc(count + 1UL, sizeof(*c.leaf));
	c.known = calloc(count + 1UL, sizeof(*c.known));
	if (!sizes || !cell_of || !c.parent || !c.leaf || !c.known)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		c.parent[i] = i;
		c.leaf[i] = f->hosts[i] > 0;
	}
	leafs_join(&c);
	idle_leafs_find(&c);
	leafs_join(&c);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t root = ft_number_root(c.parent, i);

		if (cell_of[root] == 0) {
			sizes[cells] = (struct ft_group_size){1, FT_UNPINNED, 0, 0, FT_UNPINNED};
			cell_of[root] = ++cells;
		}
		sizes[cell_of[root] - 1].leafs += c.leaf[i];
		sizes[cell_of[root] - 1].spines += !c.leaf[i];
	}
	*ret_count = sizes_merge(sizes, cells);
	*ret_sizes = FT_STEAL(sizes);
	return 0;
}
