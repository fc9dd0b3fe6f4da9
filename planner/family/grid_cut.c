/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The bisection of grids, in closed form.
 *
 * Along each dimension lie lines of switches, all cabled alike: paths, rings or complete graphs. A cut of slabs halves
 * all lines of one dimension. If its size is odd, the slab in the middle is halved along another one, and so on.
 *
 * Bundles that are alike: the best cut of slabs is the bisection. It begins with the dimension whose lines cost least
 * to cut for each of their switches: of paths and rings the longest, of complete graphs the shortest. Sources: J. H.
 * Lindsey, "Assignment of numbers to vertices", 1964 (complete graphs); K. Nakano, "Linear layouts of generalized
 * hypercubes", 1994 (paths); J. Arjona Aroca, A. Fernandez Anta, "Bisection (band)width of product networks with
 * application to data centers", 2012 (rings).
 *
 * Other bundles: a line of k switches can carry the traffic of a complete graph whose edges have the weight
 * cut / (floor(k/2) * ceil(k/2)). So the grid has at least the bisection of the product of these graphs, which by its
 * Laplacian (M. Fiedler, 1973) is at least a quarter of the switches times the least weight * k. For an even k that is
 * the cut of slabs. So this is the bisection if the dimension that costs least is even; else none is known.
 */
#include "planner/family/grid.h"

uint64_t ft_line_cut_path(uint32_t size)
{
	return size > 1;
}

uint64_t ft_line_cut_ring(uint32_t size)
{
	return size > 1 ? 2 : 0;
}

uint64_t ft_line_cut_complete(uint32_t size)
{
	return (uint64_t)(size / 2) * (size - size / 2);
}

/* The lines of one dimension. */
struct line {
	uint32_t size;
	uint64_t cut; /* cables between the halves of one */
};

/* Costs less to cut for each of its switches; of equal ones an even size does. */
static bool is_cheaper(struct line a, struct line b)
{
	uint64_t left = a.cut * b.size, right = b.cut * a.size;

	return left != right ? left < right : a.size % 2 < b.size % 2;
}

/* The dimensions of more than one switch, the cheapest first. Returns how many; @ret_alike: their bundles are equal. */
static uint32_t lines_take(const struct ft_layout *layout, uint64_t (*line_cut)(uint32_t size),
			   struct line lines[FT_DIMENSIONS_MAX], bool *ret_alike)
{
	uint32_t count = 0, bundle = 0;

	*ret_alike = true;
	for (uint32_t i = 0; i < layout->keys.dim_count; i++) {
		uint32_t size = layout->keys.dims[i], own = layout->keys.bundles[i], at = count;
		struct line line = {size, own * line_cut(size)};

		if (size < 2)
			continue;
		*ret_alike &= count == 0 || own == bundle;
		bundle = own;
		for (; at > 0 && is_cheaper(line, lines[at - 1]); at--)
			lines[at] = lines[at - 1];
		lines[at] = line;
		count++;
	}
	return count;
}

uint64_t ft_grid_bisection(const struct ft_layout *layout, uint64_t (*line_cut)(uint32_t size))
{
	struct line lines[FT_DIMENSIONS_MAX];
	bool alike;
	uint32_t count = lines_take(layout, line_cut, lines, &alike);
	uint64_t slab = layout->switches, cut = 0;

	if (count == 0 || (!alike && lines[0].size % 2 == 1))
		return FT_BISECTION_UNKNOWN;
	for (uint32_t i = 0; i < count; i++) {
		slab /= lines[i].size;
		cut += lines[i].cut * slab;
		if (lines[i].size % 2 == 0)
			break;
	}
	return cut;
}
