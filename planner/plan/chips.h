/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Directors chip by chip: the planned switches as nodes of the fabric. Private to planner/.
 *
 * The chips of a director are numbered from 0: those of its line boards, board by board, then those of its fabric
 * boards. A chip of a line board has its outer ports first, then the traces, one to each fabric chip in turn, as often
 * as there are traces between two; slots that are empty keep their ports. A fabric chip is numbered likewise, with one
 * trace to each line chip in turn.
 */
#ifndef FT_PLANNER_PLAN_CHIPS_H
#define FT_PLANNER_PLAN_CHIPS_H

#include "planner/plan/plan.h"

/*
 * Fills the unknown numbers of the inside of a director with @ports ports, by the usual construction:
 *
 * - one chip a line board, of which half the ports are outside; the smallest chip of 24, 36, 40, 64, 80 or 128 ports,
 *   or else of any size, that makes so many ports with no more boards than the chip has ports;
 * - as few fabric chips as can be of the same size, one a board; more a board only where the number of boards is known;
 * - as many traces as do not block with all fabric boards.
 *
 * @ret_inside  out: every number is known. Untouched on failure.
 * Returns 0, or -EINVAL: no such construction exists.
 */
int ft_inside_assume(const struct ft_inside *known, uint32_t ports, struct ft_inside *ret_inside);

/*
 * Chips of the installed line boards, of the fabric boards, and ports of each chip. The inside must be completely
 * known.
 */
uint32_t ft_inside_line_chips(const struct ft_inside *inside);
uint32_t ft_inside_fabric_chips(const struct ft_inside *inside);
uint32_t ft_inside_chip_ports(const struct ft_inside *inside);

/* A port of a chip. */
struct ft_chip_port {
	uint32_t chip;
	uint32_t port; /* from 1 */
};

/* The place of outer port @port (from 1). */
struct ft_chip_port ft_inside_outer(const struct ft_inside *inside, uint32_t port);

/* How many outer ports each line chip has. */
static inline uint32_t ft_inside_outer_ports(const struct ft_inside *inside)
{
	return inside->line_ports / inside->line_chips;
}

/* The two ends of trace @trace (from 0) between line chip @line and fabric chip @fabric, both counted from 0. */
struct ft_chip_port ft_inside_line_end(const struct ft_inside *inside, uint32_t line, uint32_t fabric, uint32_t trace);
struct ft_chip_port ft_inside_fabric_end(const struct ft_inside *inside, uint32_t line, uint32_t fabric,
					 uint32_t trace);

/* "L05", "F03", "L05/2" (the second chip of its board): the slot of a chip, as its board's label has it. */
enum { FT_SLOT_SIZE = 24 };
const char *ft_inside_slot(const struct ft_inside *inside, uint32_t chip, char buffer[FT_SLOT_SIZE]);

#endif
