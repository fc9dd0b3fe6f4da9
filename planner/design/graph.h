/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What the reading of a graph is made of. Private to planner/design/graph.c and planner/design/links.c. */
#ifndef FT_PLANNER_DESIGN_GRAPH_H
#define FT_PLANNER_DESIGN_GRAPH_H

#include "base/map.h"
#include "planner/design/design_parts.h"
#include "planner/plan/names.h"

/* A graph on its way out of a file. */
struct ft_graph_reading {
	struct ft_key_reader *reader;
	struct ft_design_graph *graph;
	struct ft_map names, guids; /* of switches, to their indices */
	uint64_t hosts;
	size_t switch_size, link_size; /* room in the arrays of the graph */
	const char **labels;	       /* names of the switches, for @index; not owned */
	struct ft_names index;
	uint32_t *load;			     /* by switch: ports that hosts and cables take */
	const struct ft_family_keys *groups; /* links are between these; NULL: between any two switches */
};

/*
 * The links of the graph, whose switches are known: from "links", or from the file that "links_file" names. Returns 0,
 * -EINVAL with the reader's error filled, or -ENOMEM.
 */
int ft_graph_read_links(struct ft_graph_reading *g, const struct ft_design *design);

#endif
