/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The residual over ports, for plans that say which port each cable is in. Private to explain/.
 *
 * Planned and observed cables form a graph over ports. A port has at most one of each, so without the cables that are
 * as planned the graph consists of cycles and paths on which the two kinds alternate. Each is explained on its own:
 *   cycle               a swap of k cables: one finding
 *   path, as many seen  each observed cable has moved: a finding each, because each is a separate repair, but for
 *                       several that have all moved equally far on one switch
 *   path, one less      the same, and one cable is missing
 *   path, one more      the same, and one cable is unplanned
 * If a path has several explanations, the shortest moves win: within a switch, then within a tier. A host's end never
 * moves: the host stays, and its cable is in the wrong port of a switch.
 */
#ifndef FT_VERIFY_EXPLAIN_RESIDUAL_H
#define FT_VERIFY_EXPLAIN_RESIDUAL_H

#include "verify/explain/explain.h"

/*
 * A vertex is a port: of the snapshot, or, from @ports on, one that was not seen: a port that the switch lacks, or any
 * free one if the plan gives none. Cables beyond plan->cable_count are those of listed hosts, observed ones beyond
 * observed.cable_count those of observed hosts.
 */
struct ft_residual {
	struct explain *x;
	struct ft_model *m;
	uint32_t ports, count, size; /* ports of the snapshot; vertices in use; room */
	uint32_t *mate;		     /* by vertex: the other end of its planned cable, or FT_NONE */
	uint32_t *planned;	     /* by vertex: its planned cable */
	uint32_t *far;		     /* by vertex: the other end of its observed cable, or FT_NONE */
	uint32_t *seen;		     /* by vertex: its observed cable */
	uint32_t *guest;	     /* by vertex: the unlisted host (observed host) plugged into it, or FT_NONE */
	uint32_t *place;	     /* by vertex: its planned switch; FT_NONE: a host's port */
	bool *held;		     /* by vertex: occupied by a loopback or an unplanned switch */
	bool *done;		     /* by vertex */
	uint32_t *lacking;	     /* by cell: missing cables that have no finding yet */
	uint32_t matched;	     /* cables between switches that are as planned */
	uint32_t *path;		     /* scratch: vertices */
	struct ft_arena memory;
};

/* An observed cable from @keep to @wrong that is planned cable @planned, from @keep to @target. */
struct ft_cable_move {
	uint32_t keep, wrong, target;
	uint32_t planned, seen;
	uint32_t rival; /* another planned cable that it may be, or FT_NONE */
};

/* A missing planned cable. */
struct ft_cable_gap {
	uint32_t planned, a, b; /* vertices; first the end in the plan's @a */
	uint32_t rival;		/* an observed cable that may be this one, by a port of it, or FT_NONE */
	uint32_t chain;		/* length of the run of moved cables, any of which may be the missing one; or 0 */
	enum ft_evidence evidence;
	uint32_t taken; /* a port for such a cable that holds another one (snapshot port), or FT_NONE */
};

/* The explanation of the graph. */
struct ft_trail_faults {
	struct ft_cable_move *moves;
	struct ft_cable_gap *gaps;
	uint32_t *extras; /* one end vertex of each unplanned cable */
	uint32_t move_count, gap_count, extra_count;
};

static inline bool ft_residual_is_host(const struct ft_residual *g, uint32_t vertex)
{
	return g->place[vertex] == FT_NONE;
}

/* The state of the port; unknown ports count as down. */
static inline enum ft_link ft_residual_link(const struct ft_residual *g, uint32_t vertex)
{
	return vertex < g->ports ? (enum ft_link)g->m->snapshot->ports[vertex].link : FT_LINK_DOWN;
}

/* True if the port may lead where it should, for all that is known. */
static inline bool ft_residual_is_hazy(const struct ft_residual *g, uint32_t vertex)
{
	return ft_residual_link(g, vertex) == FT_LINK_SILENT || ft_residual_link(g, vertex) == FT_LINK_UNREAD;
}

/* residual.c: the planned and observed cables, without those that are as planned. 0 or -ENOMEM. */
int ft_residual_make(struct ft_residual *g, struct explain *x);
static inline void ft_residual_release(struct ft_residual *g)
{
	ft_arena_release(&g->memory);
}

/*
 * The residual of @x for explanations that only name ports, created at the first call; NULL: no memory.
 * ft_residual_port() is the vertex of @port on the switch in @place; FT_NONE: an unknown port, of which only the last
 * few stay valid.
 */
struct ft_residual *ft_residual_plain(struct explain *x);
uint32_t ft_residual_port(struct ft_residual *g, uint32_t port, uint32_t place);

/*
 * cable_findings.c: the findings. A cycle: the ends at path[0], path[2], … each belong at the next but one. A move
 * returns its finding, or NULL for a host's. A shift: moves within one switch, all equally far, in the order of ports.
 */
void ft_cycle_report(struct ft_residual *g, const uint32_t *path, uint32_t count);
struct ft_finding *ft_move_report(struct ft_residual *g, const struct ft_cable_move *move);
void ft_shift_report(struct ft_residual *g, const struct ft_cable_move *moves, uint32_t count);
void ft_both_report(struct ft_residual *g, uint32_t extra, const struct ft_cable_gap *gap);
struct ft_finding *ft_gaps_report(struct ft_residual *g, const struct ft_cable_gap *gaps, uint32_t count);

#endif
