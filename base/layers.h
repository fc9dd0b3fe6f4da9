/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Layers of a graph: steps up from its lowest vertices. In a folded Clos network, which a fat-tree is, every edge joins
 * adjacent layers, and every lowest vertex reaches all highest ones of its part by edges upwards alone.
 */
#ifndef FT_BASE_LAYERS_H
#define FT_BASE_LAYERS_H

#include <stdint.h>

#include "base/multigraph.h"

/*
 * @lowest      vertices below this number are the lowest layer
 * @part        by vertex: its part, from 0; no edge joins two
 * @ret_layer   out: by vertex: its layer, from 0 on
 * @ret_layers  out: how many there are
 * Returns 0; 1: it is no such network, and the results mean nothing; or -ENOMEM. O(edges * highest vertices / 64 +
 * layers * vertices).
 */
int ft_layers_find(const struct ft_multigraph *graph, uint32_t lowest, const uint32_t *part, uint32_t *ret_layer,
		   uint32_t *ret_layers);

#endif
