/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/family/grid.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* "sw-0-3", or NULL: no memory. */
static char *switch_name(const struct ft_layout *layout, const uint32_t *at)
{
	char name[FT_DIMENSIONS_MAX * 11 + 3] = "sw";
	size_t length = 2;

	for (uint32_t i = 0; i < layout->keys.dim_count; i++)
		length += (size_t)snprintf(name + length, sizeof(name) - length, "-%0*u",
					   ft_digits_below(layout->keys.dims[i]), at[i]);
	return strdup(name);
}

/* The coordinates behind @at. */
static void step(const struct ft_layout *layout, uint32_t *at)
{
	for (uint32_t i = layout->keys.dim_count; i-- > 0;) {
		if (++at[i] < layout->keys.dims[i])
			return;
		at[i] = 0;
	}
}

int ft_grid_build(const struct ft_layout *layout, struct ft_network *network,
		  int (*links)(const struct ft_layout *layout, struct ft_network *network, uint32_t index,
			       const uint32_t *at))
{
	uint32_t at[FT_DIMENSIONS_MAX] = {0};
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < layout->switches; i++, step(layout, at)) {
		r = ft_network_switch(network, switch_name(layout, at), "switch", FT_NONE, true);
		if (r == 0)
			r = links(layout, network, i, at);
	}
	return r;
}

void ft_grid_label(struct ft_text *text, const struct ft_layout *layout)
{
	for (uint32_t i = 0; i < layout->keys.dim_count; i++)
		ft_text_printf(text, "%s%u", i ? "x" : "", layout->keys.dims[i]);
}

/* ---- recognising ---- */

/*
 * The bundles: each dimension has one of the widths that are frequent, and one of them the rarest: those without it are
 * offered when there are fewer widths. More frequent ones may be without, as they may be bundles that lack cables. The
 * case that bit: a torus of 2x3, of whose three bundles of 8 cables two had 7.
 */
static int guess_bundles(struct ft_grid_guess *g, uint32_t dimension, bool rarest)
{
	const struct ft_sketch *sketch = g->sketch;
	int r = 0;

	if (dimension == g->keys.dim_count)
		return rarest ? sketch->offer(sketch, g->family, &g->keys) : 0;
	for (uint32_t w = 0; r == 0 && w < sketch->width_count; w++) {
		uint32_t share = g->pairs_double && g->keys.dims[dimension] == 2 ? 2 : 1;

		if (sketch->widths[w] % share != 0)
			continue;
		g->keys.bundles[dimension] = sketch->widths[w] / share;
		r = guess_bundles(g, dimension + 1, rarest || w + 1 == sketch->width_count);
	}
	return r;
}

/*
 * Sizes whose product is the number of switches, and that give as many neighbours; in rising order, but where the first
 * dimension has the cables that cannot be divided evenly.
 */
static int guess_dims(struct ft_grid_guess *g, uint32_t left, uint32_t least, uint32_t neighbours)
{
	int r = 0;

	if (left == 1) {
		/* Of sides 2 alone it is a hypercube. */
		if (neighbours != g->neighbours || (!g->odd_port && g->keys.dims[g->keys.dim_count - 1] == 2))
			return 0;
		if (g->odd_port) {
			g->keys.odd_port = true;
			return g->sketch->offer(g->sketch, g->family, &g->keys);
		}
		g->keys.bundle_count = g->keys.dim_count;
		return guess_bundles(g, 0, false);
	}
	for (uint32_t size = least; r == 0 && size <= left; size++) {
		uint32_t more = neighbours + g->neighbours_along(size);

		if (left % size != 0 || more > g->neighbours || g->keys.dim_count == FT_DIMENSIONS_MAX)
			continue;
		g->keys.dims[g->keys.dim_count++] = size;
		r = guess_dims(g, left / size, g->odd_port ? least : size, more);
		g->keys.dim_count--;
	}
	return r;
}

int ft_grid_recognise(struct ft_grid_guess *guess)
{
	ft_family_keys_init(&guess->keys);
	return guess_dims(guess, guess->sketch->switches, 2, 0);
}
