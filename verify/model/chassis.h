/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Directors (modular switches). In a fabric a director appears as its switch chips: those of line boards, with the
 * outer ports, and those of fabric boards, which join them by backplane traces ("traces") in a tree of depth one. Here
 * the chips of a director are merged into one switch.
 *
 * Evidence that chips belong together, one kind for the whole fabric: the design's chassis pattern (which overrides all
 * others), libibnetdisc's grouping, names that differ only in the slot ("core01 L05"), one SystemImageGUID (IBTA Vol 1,
 * NodeInfo), one description; if none of these helps, the cables. A group counts only if its chips are cabled to each
 * other as such a tree.
 */
#ifndef FT_VERIFY_MODEL_CHASSIS_H
#define FT_VERIFY_MODEL_CHASSIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "planner/plan/plan.h"
#include "probe/snapshot.h"
#include "base/multigraph.h"

/*
 * The kind of a director follows from its cables: to hosts, to switches both below and above, or to switches below
 * only. The kinds are those for which a plan has figures, in the same order.
 */
enum { FT_DIRECTOR_OF_HOSTS, FT_DIRECTOR_BETWEEN, FT_DIRECTOR_ON_TOP, FT_DIRECTOR_KINDS };
_Static_assert(FT_DIRECTOR_KINDS == sizeof(((struct ft_plan *)0)->inside) / sizeof(struct ft_inside),
	       "a plan has figures for each kind of director");

/* The slot that the name of a chip gives. */
struct ft_slot {
	uint32_t chassis_length; /* length of the chassis name at the start of the description */
	uint32_t word;		 /* start of the word that names the board: "L05", "Leaf 5", "S201A" */
	uint32_t stem;		 /* its bytes before the number */
	uint32_t digits;	 /* digits of the number */
	uint32_t number;	 /* slot number */
	uint32_t chip;		 /* chip number on the board, from 1 (A is 1); 0: not given */
	bool plain; /* a blank, "/" or ":" precedes that word; other separators ("-") occur in names of all kinds */
};

/*
 * Parses the slot in a description: "core01 L05", "core01 L05/2", "core01/L05/U1", "core01 Leaf 5 Chip A", "x S201A".
 * Returns false, with @ret untouched, if there is none.
 */
bool ft_slot_read(const char *description, size_t length, struct ft_slot *ret);

/* A chip of a director. */
struct ft_chip {
	uint32_t node;	   /* index into the nodes of the snapshot of chips */
	uint32_t director; /* index into directors */
	bool line;	   /* on a line board; else on a fabric board */
	uint32_t board;	   /* its index among the line boards, or the fabric boards, of the director */
	uint32_t chip;	   /* its index on the board */
	bool named;	   /* the board is identified by @slot; else by the order of GUIDs */
	struct ft_slot slot;
	uint32_t kind; /* index into kinds; of line chips only */
};

/* The use of the ports of a kind of line chips: what most of them use a port number for. */
struct ft_chip_kind {
	uint32_t tier;		  /* kind of the director */
	uint32_t make;		  /* of the director */
	uint32_t chip;		  /* its number on the board */
	uint32_t ports;		  /* of the chip */
	uint32_t first;		  /* the first port of its own among those of a line board, from 0 */
	uint32_t outer;		  /* how many ports are outside */
	uint8_t outer_ports[256]; /* their numbers, in ascending order */
	bool irregular; /* some numbers are a trace on one chip and an outer cable on another: numbers prove nothing */
};

struct ft_director {
	uint32_t node;	       /* index into the nodes of the snapshot of whole directors */
	uint32_t first, count; /* its chips: chips[first …], line chips first, board by board */
	uint32_t tier;	       /* its kind: FT_DIRECTOR_OF_HOSTS …, an index into the plan's inside[] */
	uint32_t make;	       /* directors whose line chips use port numbers alike are of one make */
	uint64_t guid;	       /* the one the design binds, else its SystemImageGUID, else the lowest of its chips */
	uint32_t lost_ports;   /* outer ports of line chips that are missing (by the plan, or compared with most
				  directors) */
	struct ft_inside seen; /* seen boards; slots as far as numbers go; the other members are those of most boards */
};

/*
 * True if a director has fabric boards in the first slots alone, and a third fewer than @most, or less: it was bought
 * so. Of less than a third of them the others are lost.
 */
static inline bool ft_director_has_first_boards(const struct ft_director *director, uint32_t most)
{
	uint32_t boards = director->seen.fabric_boards;

	return boards > 0 && boards == director->seen.fabric_boards_max && boards * 3 >= most && boards * 3 <= most * 2;
}

/* A fabric whose directors are merged into one switch each. All members are owned. */
struct ft_chassis {
	const struct ft_snapshot *parts; /* the chips' snapshot; not owned */
	struct ft_snapshot *snapshot;	 /* NULL: there are no directors */
	uint32_t *origin;		 /* by port of @snapshot: the port of the chips', or FT_NONE where no chip is */
	uint32_t *whole_port; /* by port of the chips': the port of @snapshot, or FT_NONE: a backplane trace */
	uint32_t *chip_of;    /* by node of the chips': index into @chips, or FT_NONE */
	struct ft_chip *chips;
	uint32_t chip_count;
	struct ft_director *directors;
	uint32_t director_count;
	struct ft_chip_kind *kinds;
	uint32_t kind_count;
	struct ft_multigraph traces; /* backplane traces; a vertex is an index into @chips */
	/*
	 * By kind: what its directors should have, by the plan; if it does not say, the board places that at least half
	 * of the directors use, and else what most directors have.
	 */
	struct ft_inside usual[FT_DIRECTOR_KINDS];
	struct ft_arena memory; /* of all but @traces */
};

/* The place of a line chip, from 0. */
struct ft_seat {
	uint32_t board, chip;
};

/*
 * Finds the directors of the fabric @chips, and merges the chips of each into one switch.
 *
 * @design  adds chassis patterns and bound GUIDs; NULL: there are none
 * @plan    which tiers are directors, how many there are, and what is known of their inside. NULL: not known; then a
 *          group that is the whole fabric counts only if a pattern, libibnetdisc or slot names make it one, because a
 *          fat-tree of monolithic switches with one name, or wrongly one SystemImageGUID, is such a tree, too
 * @seats   by node: the places of line chips, if known from elsewhere; NULL: unknown
 * @ret     out: the caller frees it; without directors if none is found
 *
 * Outer ports of a director are numbered as struct ft_inside says, including those of missing boards; after them come
 * the irregular ones: ports for aggregation nodes, and outer cables in ports that should have none. Returns 0 or
 * -ENOMEM.
 */
int ft_chassis_find(const struct ft_snapshot *chips, const struct ft_design *design, const struct ft_plan *plan,
		    const struct ft_seat *seats, struct ft_chassis **ret);

/* The chip of node @node, or NULL. */
static inline const struct ft_chip *ft_chip_of(const struct ft_chassis *c, uint32_t node)
{
	return c->chip_of[node] == FT_NONE ? NULL : &c->chips[c->chip_of[node]];
}

/* The chip that port @port of @parts leads to by a trace: on the other side of the same director; or NULL. */
static inline const struct ft_chip *ft_trace_far(const struct ft_chassis *c, uint32_t port)
{
	const struct ft_port *far = ft_port_peer(c->parts, &c->parts->ports[port]);
	const struct ft_chip *a = ft_chip_of(c, c->parts->ports[port].node), *b = far ? ft_chip_of(c, far->node) : NULL;

	return a && b && a->director == b->director && a->line != b->line ? b : NULL;
}

/* Observed traces between two chips. */
static inline uint32_t ft_traces_between(const struct ft_chassis *c, const struct ft_chip *a, const struct ft_chip *b)
{
	return ft_edges_between(&c->traces, (uint32_t)(a - c->chips), (uint32_t)(b - c->chips));
}

/* The chip of director @d in the place of @like, or NULL. */
const struct ft_chip *ft_chip_at(const struct ft_chassis *c, const struct ft_director *d, const struct ft_chip *like);

void ft_chassis_free(struct ft_chassis *chassis);
static inline void ft_chassis_freep(struct ft_chassis **chassis)
{
	ft_chassis_free(*chassis);
}

#endif
