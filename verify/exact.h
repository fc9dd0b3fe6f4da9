/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Plans that say which port each cable is in. Private to exact*.c and explain.c.
 *
 * Planned and seen cables make a graph over ports. A port has at most one of either, so without those that are as
 * planned, the rest falls apart into cycles and paths on which the two kinds alternate. Each is explained for itself:
 *
 *   cycle               k cables that are right once their ends change places: one finding
 *   path, as many seen  each of its cables has moved: one finding each, as each is one thing to do
 *   path, one less      the same, and one is missing
 *   path, one more      the same, and one is unplanned
 *
 * Where a path can be read in several ways, the shortest moves win: within a switch, within a tier. A host's end never
 * moves: the host is where it is, and its cable is in the wrong port of a switch.
 */
#ifndef FT_VERIFY_EXACT_H
#define FT_VERIFY_EXACT_H

#include "verify/explain.h"

/*
 * A vertex is a port: of the snapshot, or, from @ports on, one that was not seen: a port that the switch does not have,
 * or any that is free where the plan does not say which. Cables beyond plan->cable_count are listed hosts', those seen
 * beyond live.cable_count live hosts'.
 */
struct ft_exact_graph {
	struct explain *x;
	struct ft_model *m;
	uint32_t ports, count, size; /* ports of the snapshot; vertices in use; room */
	uint32_t *mate;		     /* by vertex: the other end of its planned cable, or FT_NONE */
	uint32_t *planned;	     /* by vertex: which that is */
	uint32_t *far;		     /* by vertex: the other end of the cable seen, or FT_NONE */
	uint32_t *seen;		     /* by vertex: which that is */
	uint32_t *guest;	     /* by vertex: an unlisted host in it (live host), or FT_NONE */
	uint32_t *place;	     /* by vertex: its planned switch; FT_NONE: a host's port */
	bool *held;		     /* by vertex: a loopback's, or a switch's that the plan does not know */
	bool *done;		     /* by vertex */
	uint32_t *lacking;	     /* by cell: cables too few, as far as no finding has them yet */
	uint32_t matched;	     /* cables between switches that are as planned */
	uint32_t *path;		     /* scratch: vertices */
};

/* A cable seen, from @keep to @wrong, that is planned cable @planned, from @keep to @target. */
struct ft_exact_move {
	uint32_t keep, wrong, target;
	uint32_t planned, seen;
	uint32_t rival; /* the planned cable that it may be as well, or FT_NONE */
};

/* A planned cable that is not there. */
struct ft_exact_gap {
	uint32_t planned, a, b; /* vertices; the end in the plan's @a first */
	uint32_t rival;		/* a cable seen that may be it, at this port of it, or FT_NONE */
	uint32_t chain;		/* so many cables in a row that have moved, or else it is one of them; or 0 */
};

/* What explains the graph. */
struct ft_exact_result {
	struct ft_exact_move *moves;
	struct ft_exact_gap *gaps;
	uint32_t *extras; /* vertices at one end of cables that the plan does not know */
	uint32_t move_count, gap_count, extra_count;
};

static inline bool ft_exact_is_host(const struct ft_exact_graph *g, uint32_t vertex)
{
	return g->place[vertex] == FT_NONE;
}

/* The state of the port; of one that is not known, down. */
static inline enum ft_link ft_exact_link(const struct ft_exact_graph *g, uint32_t vertex)
{
	return vertex < g->ports ? (enum ft_link)g->m->snapshot->ports[vertex].link : FT_LINK_DOWN;
}

/* True where the port may well lead where it should, for all that is known. */
static inline bool ft_exact_is_hazy(const struct ft_exact_graph *g, uint32_t vertex)
{
	return ft_exact_link(g, vertex) == FT_LINK_SILENT || ft_exact_link(g, vertex) == FT_LINK_UNREAD;
}

/* exact_graph.c: what is planned and what is seen, without what is as planned. 0 or -ENOMEM. */
int ft_exact_graph_make(struct ft_exact_graph *g, struct explain *x);
void ft_exact_graph_release(struct ft_exact_graph *g);

/* exact_report.c: the findings. A cycle: the ends at path[0], path[2], … are each to go to the next but one. */
void ft_exact_report_cycle(struct ft_exact_graph *g, const uint32_t *path, uint32_t count);
void ft_exact_report_move(struct ft_exact_graph *g, const struct ft_exact_move *move);
void ft_exact_report_both(struct ft_exact_graph *g, uint32_t extra, const struct ft_exact_gap *gap);
void ft_exact_report_gaps(struct ft_exact_graph *g, const struct ft_exact_gap *gaps, uint32_t count);

/* exact_explain.c: all of it. 0 or -ENOMEM. */
int ft_exact_explain(struct explain *x);

#endif
