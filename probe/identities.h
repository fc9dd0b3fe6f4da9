/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* GUIDs and LIDs of a snapshot, and who holds them: sorted, so that those of several holders show. O(n log n). */
#ifndef FT_PROBE_IDENTITIES_H
#define FT_PROBE_IDENTITIES_H

#include "base/arena.h"
#include "probe/snapshot.h"

/*
 * An identity and who holds it: a port, or a node as port count + node. A switch's own LID is that of its port 0.
 */
struct ft_holding {
	uint32_t holder, number; /* @number: in the order of the nodes, which does not depend on the sweep */
	uint64_t identity;
	uint64_t base; /* of several LIDs of one port the first */
};

struct ft_holdings {
	struct ft_holding *list;
	size_t count;
	bool unsorted;
	struct ft_arena *memory;
};

/*
 * The GUIDs of nodes; the LIDs of ports and of switches. @order: the nodes in an order that does not depend on the
 * sweep (ft_nodes_in_order()); NULL: no memory for it, and nothing is found. The list is of @memory, which tells of a
 * failure.
 */
typedef struct ft_holdings ft_holdings_fn(const struct ft_snapshot *snapshot, const uint32_t *order,
					  struct ft_arena *memory);
ft_holdings_fn ft_guids_held, ft_lids_held;

/* The first holder of an identity; NULL: it has none. */
const struct ft_holding *ft_holding_first(const struct ft_holdings *holdings, uint64_t identity);

/*
 * The next holder of the identity of @at, behind it; NULL: none. Of two ports that share a range of LIDs only the first
 * LID is told.
 */
const struct ft_holding *ft_holding_next(const struct ft_holdings *holdings, const struct ft_holding *at);

#endif
