/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Directors. On a fabric a director is its switch chips: those of line boards, which have the outer ports, and those of
 * fabric boards, which join them, in a tree of two levels. Here chips that belong together become one switch again.
 *
 * What says that chips belong together, one of these for all of the fabric: the design's chassis pattern (which goes
 * before all others), libibnetdisc's grouping, names that are the same up to what tells a slot ("core01 L05"), one
 * SystemImageGUID (IBTA Vol 1, NodeInfo), one description; and where none of that is of use, the cables. A group counts
 * only if its chips are cabled to each other as such a tree is.
 */
#ifndef FT_VERIFY_CHASSIS_H
#define FT_VERIFY_CHASSIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "planner/plan.h"
#include "probe/snapshot.h"

/* What the name of a chip says of its slot. */
struct ft_slot {
	uint32_t chassis_length; /* so many bytes of the description, from its start, name the chassis */
	uint32_t word;		 /* where the word begins that names the board: "L05", "Leaf 5", "S201A" */
	uint32_t stem;		 /* how many bytes of that are before the number */
	uint32_t digits;	 /* how many the number has */
	uint32_t number;	 /* of the slot */
	uint32_t chip;		 /* of the board, from 1 (A is 1); 0: not said */
	bool plain;		 /* a blank, "/" or ":" is before that word; others ("-") are in names of all sorts */
};

/*
 * Reads the slot off a description: "core01 L05", "core01 L05/2", "core01/L05/U1", "core01 Leaf 5 Chip A", "x S201A".
 * Returns false, with @ret untouched, where it names none.
 */
bool ft_slot_read(const char *description, size_t length, struct ft_slot *ret);

/* A chip of a director. */
struct ft_chip {
	uint32_t node;	   /* index into the nodes of the snapshot of chips */
	uint32_t director; /* index into directors */
	bool line;	   /* of a line board; else of a fabric board */
	uint32_t board;	   /* its place from 0 among the line boards, or the fabric boards, of the director */
	uint32_t chip;	   /* from 0, of its board */
	bool named;	   /* the board is told by @slot; else by the order of GUIDs */
	struct ft_slot slot;
	uint32_t kind; /* index into kinds; of line chips only */
};

/* What the ports of line chips of a kind are: what most of them use a port number for. */
struct ft_chip_kind {
	enum ft_tier tier;
	uint32_t chip;		  /* its number on the board */
	uint32_t ports;		  /* of the chip */
	uint32_t first;		  /* the first port of its own among those of a line board, from 0 */
	uint32_t outer;		  /* how many ports are outside */
	uint8_t outer_ports[256]; /* these, in ascending order */
	bool irregular;		  /* some have a trace where others have an outer cable: numbers tell nothing */
	bool is_trace[256];	  /* by port number: leads to a fabric board */
};

struct ft_director {
	uint32_t node;	       /* index into the nodes of the snapshot of wholes */
	uint32_t first, count; /* its chips: chips[first …], line chips first, board by board */
	enum ft_tier tier;     /* that it is taken for; edge or core where no plan says more */
	uint64_t guid;	       /* the one the design binds, else its SystemImageGUID, else the lowest of its chips */
	uint32_t lost_ports; /* outer, of line chips that should be there (by the plan, or as most have) and are not */
	struct ft_inside
		seen; /* boards that are there; slots as far as numbers go; the other members as most have it */
};

/* A fabric with its directors made whole. All of it is owned. */
struct ft_chassis {
	struct ft_snapshot *snapshot; /* NULL: there are no directors */
	uint32_t *origin;	      /* by port of @snapshot: the port of the chips', or FT_NO_PORT where no chip is */
	uint32_t *whole_port;	      /* by port of the chips': the port of @snapshot, or FT_NO_PORT: a trace */
	uint32_t *chip_of;	      /* by node of the chips': index into @chips, or FT_NO_NODE */
	struct ft_chip *chips;
	uint32_t chip_count;
	struct ft_director *directors;
	uint32_t director_count;
	struct ft_chip_kind *kinds;
	uint32_t kind_count;
	/*
	 * By tier: what its directors should have. It is what the plan says; where that is silent, boards in the places
	 * where at least half of the directors have one, and else what most directors have.
	 */
	struct ft_inside usual[FT_TIER_COUNT];
};

/* Where a chip of a line board is, from 0. */
struct ft_seat {
	uint32_t board, chip;
};

/*
 * Finds the directors of the fabric @chips, and makes them whole.
 *
 * @design  adds chassis patterns and bound GUIDs; NULL: there are none
 * @plan    which tiers are directors, how many there are, and what is known of their inside. NULL: not known; then a
 *          group that is all of the fabric counts only if a pattern, libibnetdisc or names of slots make it one, for a
 *          fat-tree of monolithic switches that share a name, or wrongly a SystemImageGUID, is a tree, too
 * @seats   by node: where the chips of line boards are, if that is known better; NULL: it is not
 * @ret     out: the caller frees it; without directors where none is found
 *
 * Outer ports of a whole are numbered as struct ft_inside says, boards that are not there included; behind them come
 * those that are out of order: ports for aggregation nodes, and cables where none should be.
 * Returns 0 or -ENOMEM.
 */
int ft_chassis_find(const struct ft_snapshot *chips, const struct ft_design *design, const struct ft_plan *plan,
		    const struct ft_seat *seats, struct ft_chassis **ret);

void ft_chassis_free(struct ft_chassis *chassis);
static inline void ft_chassis_freep(struct ft_chassis **chassis)
{
	ft_chassis_free(*chassis);
}

/*
 * True where @port of a chip leads to the SHARP aggregation node inside it: a CA on its last port, if that is one
 * beyond an even number of ports, or the CA says so by its SystemImageGUID or name.
 */
bool ft_chip_port_aggregates(const struct ft_snapshot *chips, uint32_t port);

#endif
