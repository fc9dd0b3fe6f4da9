/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What a snapshot tells by itself, whatever was planned: who is a host, which parts are connected, how fast a cable is.
 */
#ifndef FT_PROBE_FACTS_H
#define FT_PROBE_FACTS_H

#include "base/arena.h"
#include "base/map.h"
#include "probe/snapshot.h"

/*
 * True if the node is a CA that shows itself as the SHARP aggregation node inside the switch @sw: it has the switch's
 * SystemImageGUID, or a name that says so.
 */
bool ft_node_aggregates(const struct ft_snapshot *s, const struct ft_node *node, const struct ft_node *sw);

/*
 * True if @port of a chip is its last and leads to such a node. That a chip has an odd number of ports shows nothing:
 * what was recorded of a switch may end at any port, and a host may be on its last.
 */
bool ft_chip_port_aggregates(const struct ft_snapshot *chips, uint32_t port);

/* The port of a host that switch port @port leads to, or NULL: routers, and what aggregates in a switch, are none. */
const struct ft_port *ft_host_behind(const struct ft_snapshot *s, uint32_t port);

/* What identifies a host: the GUID of its port, or of the node where that of the port is not known. */
uint64_t ft_host_guid(const struct ft_snapshot *s, const struct ft_port *port);

/*
 * What tells one port of a host from the others, in the daemon's memory only: its GUID; where that is not known, or is
 * the node's, which some dumps give to all its ports, a number made of the node's and the port's.
 */
uint64_t ft_host_key(const struct ft_snapshot *s, const struct ft_port *port);

/*
 * The nodes by GUID, so that findings, their ids and the breaking of ties do not depend on the order in
 * which the fabric was swept or recorded. NULL: no memory. O(n log n).
 */
const uint32_t *ft_nodes_in_order(struct ft_arena *memory, const struct ft_snapshot *snapshot);

/*
 * A host's name, without its adapter and made safe: "node055 mlx5_0" and "node055 HCA-1" are node055. "" if
 * the description has none; owned by the caller; NULL: no memory.
 */
char *ft_host_name_dup(const char *description, size_t length);

/*
 * The connected parts of a snapshot: by node, the lowest one of its part. The caller frees it; NULL: no
 * memory.
 */
uint32_t *ft_parts_of(const struct ft_snapshot *snapshot);

/* The rate of the cable at a port is that of its slower end: both report the same unless one of them is wrong. */
struct ft_rate ft_rate_seen(const struct ft_snapshot *s, const struct ft_port *port);

/*
 * The port of @other with the number of @port, on the node with the GUID of its node; NULL: there is none. @others: the
 * nodes of @other (ft_snapshot_map_nodes()).
 */
const struct ft_port *ft_port_there(const struct ft_snapshot *s, const struct ft_port *port,
				    const struct ft_snapshot *other, const struct ft_map *others);

#endif
