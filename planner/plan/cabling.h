/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The cabling of a plan as a list of cables and hosts, from a design or a spreadsheet; it is checked against the plan
 * here, and becomes part of it.
 */
#ifndef FT_PLANNER_PLAN_CABLING_H
#define FT_PLANNER_PLAN_CABLING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "planner/plan/plan.h"

/* A port of a planned switch. */
struct ft_cabling_end {
	uint32_t sw;	/* index of the planned switch */
	uint32_t board; /* line board of a director, from 1; 0: not given, and @port is that of the whole */
	uint32_t port;	/* from 1; 0: not given, any port */
	uint32_t chip;	/* of the board, from 1: @port is that of the chip; 0: not given, and it is that of the board */
	uint32_t chips; /* number of chips that the list has for a board, if the plan does not know it; 0: unknown */
};

struct ft_cabling_cable {
	struct ft_cabling_end ends[2]; /* in either order */
};

struct ft_cabling_host {
	const char *name; /* NULL: not said; not owned */
	uint64_t guid;	  /* 0: not said */
	struct ft_cabling_end edge;
	const char *adapter;   /* NULL: not said; not owned */
	uint32_t adapter_port; /* 0: not said */
};

struct ft_cabling {
	const struct ft_cabling_cable *cables; /* NULL: none are listed, and those of the plan stay */
	size_t cable_count;
	bool complete; /* the list has all cables between switches */
	const struct ft_cabling_host *hosts;
	size_t host_count;
};

/* The fault of an entry, for its place in the file. */
enum ft_cabling_cell { FT_CABLING_ENTRY, FT_CABLING_NAME, FT_CABLING_PORT };

struct ft_cabling_fault {
	bool of_hosts;	  /* in the list of hosts */
	size_t entry;	  /* SIZE_MAX: the list as a whole */
	unsigned int end; /* 0 or 1, of a cable */
	enum ft_cabling_cell cell;
	size_t other; /* the entry that contradicts it; SIZE_MAX: none */
	bool other_of_hosts;
	struct ft_error why; /* only its text; the caller adds "see …" for @other */
};

/*
 * The number that port @end has in the whole of its switch (struct ft_inside).
 *
 * The chips of a line board share its ports evenly. A port of a chip may be numbered from 1 on; or as on the board; or,
 * if the chip's own lower ports are traces, as on the chip. For a board with one chip the chip number is ignored.
 *
 * @ret_port  out: 0 where the port is not said. Untouched on failure.
 * @err       on -EINVAL its text says why, without a place: the switch has no such port or board, or it is a director
 * of which it is not known how many ports a board has
 *
 * Returns 0 or -EINVAL.
 */
int ft_cabling_port(const struct ft_plan *plan, const struct ft_cabling_end *end, uint32_t *ret_port,
		    struct ft_error *err);

/*
 * Whether the plan can have a cable between two of its switches, in either order. Returns 0, or -EINVAL: the text of
 * @err gives the reason.
 */
int ft_cabling_check_pair(const struct ft_plan *plan, uint32_t a, uint32_t b, struct ft_error *err);

/* The highest number that a port of planned switch @sw can have: boards of a director may sit in any of its slots. */
uint32_t ft_cabling_ports(const struct ft_plan *plan, uint32_t sw);

/*
 * Merges the list into @plan: its cables and hosts, and the bundles, links and hosts of each switch that follow from
 * them.
 *
 * A complete list of cables replaces the plan's: bundles follow from it. Otherwise the unlisted cables of the plan stay
 * in their bundles, and may be in any port. The plan must join the two switches of a cable: by a bundle, or as those of
 * neighbouring tiers in one pod or plane. A complete list has at least one cable for each switch.
 *
 * An edge switch has at least its listed hosts; the plan's other nodes fill the remaining room in the plan's order. If
 * more hosts are listed than the plan has nodes, the plan's number is raised.
 *
 * @fault  out: filled on -EINVAL. The plan is untouched on failure.
 *
 * Returns 0, -EINVAL or -ENOMEM.
 */
int ft_cabling_apply(struct ft_plan *plan, const struct ft_cabling *cabling, struct ft_cabling_fault *fault);

/*
 * The plan's own list: every cable of its bundles in the port that ftplan --format cables prints. Returns 0 or -ENOMEM;
 * the caller frees @ret_cables.
 */
int ft_cabling_of_plan(const struct ft_plan *plan, struct ft_cabling_cable **ret_cables, size_t *ret_count);

/* The parts of a port label; board and chip are 0 if absent. */
struct ft_port_label {
	uint32_t board, chip, port;
};

/*
 * Parses a port label: "20", "20.0", "Port 20", "p20", "16/20", "L16/P20", "ib1/20", "Leaf 16 Port 20", or with the
 * chip of the board between the two: "Blade 16_Port 2/20", "L16/U2 port 20". The last number is the port, the first one
 * before it the board, but for "U2 port 20", which has a chip alone.
 *
 * Returns 0, or -EINVAL if it is none of these. Nothing is touched then.
 */
int ft_port_label_read(const char *label, struct ft_port_label *ret_label);

#endif
