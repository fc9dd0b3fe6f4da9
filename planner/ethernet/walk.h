/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Follows tables as a switch does, frame by frame, over the cables of the plan.
 *
 * A switch takes a frame without a tag into the VLAN of the port's PVID, and one with a tag into that of the tag, and
 * drops it where the port is not in that VLAN (IEEE 802.1Q, 8.6: ingress filtering). If it has a static entry for the
 * address in the VLAN, the frame leaves by that port only, else by all ports of the VLAN; in both cases not by the port
 * that it came in by, nor by one that is not in the VLAN. It leaves with or without the tag as the port has it.
 *
 * Every host sends a frame to every address, and one to all. What is said differently from the plan is found by
 * comparison; an entry that is missing where one is too much that differs in a single field is one change. What it
 * breaks is found by the walk: a frame that does not arrive is counted at the first difference on the way that it has
 * in the plan; a copy that ought not to be is counted at the last difference that it passed.
 *
 * Cost: O(pairs x switches on the way x log entries), and O(hosts x ports) for broadcasts.
 */
#ifndef FT_PLANNER_ETHERNET_WALK_H
#define FT_PLANNER_ETHERNET_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "planner/ethernet/ethernet.h"

/* How tables differ from the plan's. */
enum ft_walk_kind {
	FT_WALK_PORT_MISSING,	/* the file has no row of this port */
	FT_WALK_PVID_MISSING,	/* frames without a tag are dropped here */
	FT_WALK_PVID_WRONG,	/* and here they enter another VLAN */
	FT_WALK_PVID_EXTRA,	/* and here they are let in */
	FT_WALK_MEMBER_MISSING, /* the port is not in the VLAN */
	FT_WALK_MEMBER_WRONG,	/* it is, but sends with a tag in place of without, or the other way round */
	FT_WALK_MEMBER_EXTRA,	/* it is, and ought not to be */
	FT_WALK_MEMBER_MOVED,	/* it is in another VLAN in its place */
	FT_WALK_ENTRY_MISSING,
	FT_WALK_ENTRY_WRONG, /* it leads to another port */
	FT_WALK_ENTRY_TWICE, /* there are two, of which the last counts */
	FT_WALK_ENTRY_EXTRA, /* of an address or VLAN that the switch does not know by the plan */
	FT_WALK_ENTRY_MOVED, /* it is in another VLAN, at another switch, or has another address */
	FT_WALK_UNEXPLAINED, /* no difference, but frames do not arrive where they ought to */
	FT_WALK_KINDS
};

const char *ft_walk_kind_name(enum ft_walk_kind kind); /* "port-missing" and so on */

/* What became of frames. */
struct ft_walk_harm {
	uint64_t lost;	   /* ordered pairs whose frame does not arrive */
	uint64_t flooded;  /* whose frame arrives, but goes to others too */
	uint64_t missed;   /* ordered pairs where the second misses broadcasts of the first */
	uint64_t doubled;  /* copies of broadcasts at hosts that have one already */
	uint64_t tagged;   /* frames that reach a host with a tag */
	uint64_t strayed;  /* frames that leave their VLAN, or by a port that nobody planned */
	uint64_t loops;	   /* frames that go round */
	uint32_t from, to; /* hosts of the first pair; FT_NONE: there is none */
};

struct ft_walk_finding {
	enum ft_walk_kind kind;
	uint32_t sw, port, vlan;     /* 0: does not apply */
	uint64_t mac;		     /* of entries */
	uint32_t host;		     /* whose address that is; FT_NONE: nobody's */
	uint32_t planned, said;	     /* ports, PVIDs, or FT_MEMBER_…; 0: none */
	uint32_t said_sw, said_vlan; /* of what is moved: where it is; one of them, or the address, is another */
	uint64_t said_mac;
	const char *file; /* not owned; NULL: made from the plan */
	uint32_t line;	  /* 0: made from the plan, or the file lacks it */
	uint32_t beside;  /* of a wrong PVID: how many hosts of the switch send into that VLAN now */
	bool of_entries;  /* in the table of addresses, not in that of ports */
	struct ft_walk_harm harm;
};

/* The frames that cross a bundle of cables, each way, if every host sends one to every other. */
struct ft_walk_load {
	uint32_t lower, upper; /* switches */
	uint32_t cables;       /* that carry a VLAN by the plan */
	uint64_t up, down;
	uint64_t planned_up, planned_down;
};

struct ft_table_walk {
	uint64_t pairs, delivered;	  /* ordered pairs of hosts (of addresses, where hosts have several) */
	uint64_t local_pairs, local;	  /* of hosts of one switch, and whose frame does not leave it */
	uint64_t heard, heard_planned;	  /* receptions of broadcasts: each host hears every other */
	struct ft_walk_harm harm;	  /* of all frames together */
	struct ft_walk_finding *findings; /* those that break something first */
	size_t finding_count, broken_count;
	struct ft_walk_load *loads; /* by (lower, upper) */
	size_t load_count;
};

void ft_table_walk_release(struct ft_table_walk *walk);

/*
 * Walks @tables over the cables of the plan of @ethernet, whose own tables are what they are compared with.
 *
 * @ret_walk  out: for ft_table_walk_release(). Untouched on failure.
 * Returns 0 or -ENOMEM.
 */
int ft_table_walk(const struct ft_ethernet *ethernet, const struct ft_tables *tables, struct ft_table_walk *ret_walk);

/* Whether a frame is lost, doubled or goes round. */
static inline bool ft_walk_harm_is_grave(const struct ft_walk_harm *harm)
{
	return harm->lost || harm->missed || harm->doubled || harm->loops || harm->tagged;
}

static inline bool ft_walk_harm_is_any(const struct ft_walk_harm *harm)
{
	return ft_walk_harm_is_grave(harm) || harm->flooded || harm->strayed;
}

#endif
