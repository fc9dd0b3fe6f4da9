/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The codes of findings, and in one table all that the rooms above treat by code: a new code is a row of it, in
 * codes.c.
 */
#ifndef FT_VERIFY_MODEL_CODES_H
#define FT_VERIFY_MODEL_CODES_H

#include <stdint.h>

enum ft_severity { FT_SEVERITY_INFO, FT_SEVERITY_WARNING, FT_SEVERITY_CRITICAL };

enum ft_code {
	FT_CODE_EDGE_ISOLATED,
	FT_CODE_CORE_MISSING,
	FT_CODE_CABLE_MISSING,
	FT_CODE_CABLE_MISPLACED,
	FT_CODE_CABLES_SWAPPED,
	FT_CODE_CABLE_UNPLANNED,
	FT_CODE_CABLE_WRONG_PORT,
	FT_CODE_CABLE_SLOW,
	FT_CODE_CABLE_NARROW,
	FT_CODE_CABLE_FASTER,
	FT_CODE_PORT_INACTIVE,
	FT_CODE_LOOPBACK,
	FT_CODE_SWITCH_UNPLANNED,
	FT_CODE_SWITCH_REPLACED,
	FT_CODE_SWITCH_MUTE,
	FT_CODE_BOARD_MISSING,
	FT_CODE_EDGE_OVERLOADED,
	FT_CODE_HOST_ON_CORE,
	FT_CODE_HOST_MISPLACED,
	FT_CODE_HOSTS_MISSING,
	FT_CODE_HOSTS_UNPLANNED,
	FT_CODE_HOST_REPLACED,
	FT_CODE_RENAMED,
	FT_CODE_HOPS_EXCEEDED,
	FT_CODE_GUID_DUPLICATE,
	FT_CODE_LID_DUPLICATE,
	FT_CODE_LID_MISSING,
	FT_CODE_SM_MISSING,
	FT_CODE_SM_CONFLICT,
	FT_CODE_ROUTE_UNREACHABLE,
	FT_CODE_ROUTE_LOOP,
	FT_CODE_ROUTE_DETOUR,
	FT_CODE_ROUTE_CYCLE,
	FT_CODE_ROUTE_IMBALANCE,
	FT_CODE_PORT_ERRORS,
	FT_CODE_EXPECT_UNKNOWN,
	FT_CODE_EXPECT_OUTDATED,
	FT_CODE_PLAN_CONTRADICTION,
	FT_CODE_PLAN_FOREIGN,
	FT_CODE_SWEEP_INCOMPLETE,
	FT_CODE_FINDINGS_OMITTED,
	FT_CODE_COUNT,
};

/* Of a code: bits of ft_codes[].traits. */
enum ft_code_trait {
	FT_TRAIT_NONE = 0,
	FT_TRAIT_FABRIC = 1,	 /* about the fabric as a whole: the code alone is its id */
	FT_TRAIT_STRAY = 2,	 /* a cable that is where the plan has none */
	FT_TRAIT_MOVED = 4,	 /* a planned cable with a wrong end */
	FT_TRAIT_WEAK = 8,	 /* a cable in its place that is slow or narrow */
	FT_TRAIT_CAPACITY = 16,	 /* it costs bandwidth, and nothing else */
	FT_TRAIT_LENGTHENS = 32, /* it can make paths longer */
	FT_TRAIT_UNLEARNED = 64, /* what is in its ports does not belong there, and no baseline learns it */
	FT_TRAIT_PASSING = 128,	 /* while the fabric changes, the subnet manager may be about to end it */
	FT_TRAIT_UNTOLD = 256,	 /* it does not follow from the snapshot alone: no what-if fabric shows it */
};

/* What a finding costs as a part of an explanation (steps/placings.c). */
enum ft_code_cost {
	FT_COST_NONE,	  /* it is found whatever the explanation */
	FT_COST_FAULT,	  /* one move, one cable */
	FT_COST_CABLES,	  /* each of its cables */
	FT_COST_SWAP,	  /* one move less than cables */
	FT_COST_STRANGER, /* its own move, and the cables whose ports it took */
	FT_COST_UNJUDGED,
	FT_COST_HOSTS,
};

/* How a finding becomes part of the plan (accept/accept.c). */
enum ft_code_accept { FT_ACCEPT_REFUSED, FT_ACCEPT_CABLES, FT_ACCEPT_GONE, FT_ACCEPT_HOSTS, FT_ACCEPT_RATE };

/* What a drawing shows of it (report/draw.c), besides missing cables and the status of switches. */
enum ft_code_mark { FT_MARK_NONE, FT_MARK_CABLES, FT_MARK_SLOW, FT_MARK_HOSTS, FT_MARK_SWITCHES };

struct ft_code_info {
	const char *name; /* "cable-missing" */
	enum ft_severity severity;
	const char *meaning; /* for man pages and --list-codes */
	unsigned int traits;
	enum ft_code_cost cost;
	enum ft_code_accept accept;
	const char *refusal; /* why it cannot be accepted; NULL: it is a fault at any plan */
	enum ft_code_mark mark;
	const char *port_state; /* of the ports that it names, on the daemon's page; NULL: "wrong" */
	/*
	 * The level for absorption in the daemon: a missing switch or board (2) absorbs faults of its cables, cables
	 * (1) those of cables (missing ones turn out to be swapped). Others (0) concern a link that is up, or no port
	 * at all. A finding is never absorbed by one of a lower level: if a dead switch is back and one of its cables
	 * is still missing, the switch is repaired.
	 */
	uint8_t takes_in;
};

/* By code. */
extern const struct ft_code_info ft_codes[FT_CODE_COUNT];

/* The code of that name; FT_CODE_COUNT: there is none. */
enum ft_code ft_code_of(const char *name);

#endif
