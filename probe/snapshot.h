/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * A snapshot: the observed fabric, its nodes, ports and links. Its parts refer to each other by indices, not pointers,
 * so it can be copied, saved and handed from process to process as it is.
 *
 * "Not seen" is a value: a port whose PortInfo was never read is FT_LINK_UNREAD, not FT_LINK_DOWN.
 */
#ifndef FT_PROBE_SNAPSHOT_H
#define FT_PROBE_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/numbers.h"
#include "base/rate.h"
#include "base/text.h"

/*
 * The most ports that a snapshot may have: 49,151 unicast LIDs and 254 ports on each switch give fewer (IBTA Vol 1,
 * 4.1.3). The limit bounds the memory that a file of a few bytes a port can demand.
 */
enum { FT_SNAPSHOT_PORTS_MAX = 1 << 24 };

enum ft_node_type { FT_NODE_UNKNOWN, FT_NODE_SWITCH, FT_NODE_CA, FT_NODE_ROUTER };

/* What is known of a port's link. */
enum ft_link {
	FT_LINK_UNREAD, /* the port's state was never learned (lost packets) */
	FT_LINK_DOWN,	/* seen, and no link; in a dump that lists no such ports: not listed */
	FT_LINK_SILENT, /* physically up, but the far end did not respond or is not named */
	FT_LINK_UP,	/* up, and @peer is known */
};

struct ft_node {
	uint64_t guid;	      /* host order */
	uint64_t system_guid; /* SystemImageGUID; 0: not known */
	uint32_t vendor_id;
	uint32_t device_id;
	uint32_t chassis;     /* of switches: those with the same number are chips of one director; 0: not known */
	uint32_t spare;	      /* 0: padding, so that every byte is initialised */
	uint32_t first_port;  /* index into ports[] of port 1; port n is first_port + n - 1 */
	uint32_t description; /* offset into strings[]: raw bytes as seen, then one NUL */
	uint16_t description_length;
	uint16_t port_count; /* external ports, so port 0 of a switch is not among them */
	uint16_t lid;	     /* a switch's own (port 0); 0: none. A CA's are on its ports */
	uint8_t lmc;
	uint8_t type : 6;   /* enum ft_node_type */
	uint8_t sm : 1;	    /* a switch's own IsSM, that of port 0 */
	uint8_t silent : 1; /* an Ethernet machine that is known by what others see of it, and has no record */
};

/*
 * Enabled and supported widths and speeds, as in PortInfo: zeros where that is not known. Widths are the bits of
 * LinkWidthEnabled (1 = 1x, 2 = 4x, 4 = 8x, 8 = 12x, 16 = 2x); bit n of speeds is enum ft_speed n.
 */
struct ft_port_limits {
	uint16_t speeds_enabled;
	uint16_t speeds_supported;
	uint8_t widths_enabled;
	uint8_t widths_supported;
};

struct ft_port {
	uint64_t guid; /* a CA's port GUID; of a switch: its node GUID; 0: not known */
	uint32_t node;
	uint32_t peer;		      /* index into ports[], or FT_NONE; mutual */
	uint16_t lid;		      /* of CA and router ports; 0: none */
	struct ft_port_limits limits; /* of links that are up; zeros else */
	uint8_t lmc;
	uint16_t number;       /* from 1 */
	uint8_t link;	       /* enum ft_link */
	uint8_t phys_state;    /* PortInfo:PortPhysicalState, 2 = Polling, 5 = LinkUp; 0: not known */
	uint8_t logical_state; /* PortInfo:PortState, 1 = Down, 2 = Initialize, 3 = Armed, 4 = Active; 0: not known */
	struct ft_rate rate;   /* of links that are up; zeros else */
	uint8_t sm;    /* 1: PortInfo:CapabilityMask.IsSM, a subnet manager runs there. For a switch see its node */
	uint8_t deaf;  /* 1: of an Ethernet link only the far end knows: this one hears nothing, or has no record */
	uint32_t name; /* offset into strings[]: of an Ethernet interface, "swp19"; 0: it has a number only */
};

/*
 * The discovery engine. All give the same snapshot, but for directors whose slot numbering only libibnetdisc knows
 * (Voltaire's, for one): elsewhere the grouping is by SystemImageGUIDs and names. Nor does the engine libibumad know
 * the physical state of a port that is down by SwitchPortStateTable.
 */
enum ft_engine {
	FT_ENGINE_AUTO,		/* one of the others, by the size of the plan; of a snapshot: no sweep made it */
	FT_ENGINE_LIBIBNETDISC, /* libibnetdisc, with a fixed number of SMPs on the wire; discovery.h fills its gaps */
	FT_ENGINE_LIBIBUMAD,	/* discovery.h alone, over libibumad, with a congestion window */
	FT_ENGINE_COUNT,
};

/* Why that engine. */
enum ft_engine_reason {
	FT_ENGINE_SAID,	      /* the user said so; or there is no choice: what an event tells is read by ourselves */
	FT_ENGINE_SMALL,      /* the plan is small, where libibnetdisc is as fast */
	FT_ENGINE_LARGE,      /* the plan is large, where libibnetdisc takes a multiple of the time */
	FT_ENGINE_LIMITED,    /* only libibumad can be held to a number of SMPs per second */
	FT_ENGINE_FAILED,     /* the sweep before, by libibumad, failed */
	FT_ENGINE_INCOMPLETE, /* the sweep before, by libibumad, could not see everything */
	FT_ENGINE_REASONS,
};

/* Where the snapshot came from. Offsets are into strings[]; the empty string is offset 0. */
struct ft_snapshot_source {
	bool live;
	bool complete;	       /* nothing is unknown because of lost SMPs; repeated ones may have timed out */
	bool lists_down_ports; /* false: a plain dump, which lists no port without a known far end */
	bool ethernet;	       /* else InfiniBand */
	bool stopped;	     /* more nodes or ports responded than the limits of the sweep: the farthest are left out */
	uint32_t detail;     /* "mlx5_0 port 1", or the file's name */
	uint32_t entry_node; /* the node where the sweep began, or FT_NONE */
	uint8_t entry_port;
	enum ft_engine engine; /* of a sweep: never FT_ENGINE_AUTO */
	enum ft_engine_reason engine_reason;
	uint32_t mads;	       /* SMPs sent; 0: not known */
	uint32_t timeouts;     /* SMPs that never came back, retries included */
	uint32_t odd_lids;     /* of dumps: LIDs that are empty, negative or 65535; stored as 0 */
	uint32_t odd_lid_line; /* the first of them; 0: not known */
	uint32_t duration_ms;
	int64_t time_s; /* Unix time of the sweep; for dumps the time of their header (UTC); 0: not known */
};

struct ft_snapshot {
	struct ft_node *nodes;
	struct ft_port *ports;
	char *strings; /* strings[0] is NUL */
	uint32_t node_count;
	uint32_t port_count;
	uint32_t strings_length;
	struct ft_snapshot_source source;
};

void ft_snapshot_free(struct ft_snapshot *snapshot);

/* Adds the nodes by their GUIDs; of several with one GUID the first. Returns 0 or -ENOMEM. */
struct ft_map;
int ft_snapshot_map_nodes(const struct ft_snapshot *snapshot, struct ft_map *by_guid);
static inline void ft_snapshot_freep(struct ft_snapshot **snapshot)
{
	ft_snapshot_free(*snapshot);
}

/* The node of a port, the far end of a port (NULL where there is none), a node's port by its number (NULL if beyond).
 */
static inline const struct ft_node *ft_port_node(const struct ft_snapshot *s, const struct ft_port *port)
{
	return &s->nodes[port->node];
}

static inline const struct ft_port *ft_port_peer(const struct ft_snapshot *s, const struct ft_port *port)
{
	return port->peer == FT_NONE ? NULL : &s->ports[port->peer];
}

static inline const struct ft_port *ft_node_port(const struct ft_snapshot *s, const struct ft_node *node,
						 unsigned int number)
{
	return number >= 1 && number <= node->port_count ? &s->ports[node->first_port + number - 1] : NULL;
}

/* The name of an Ethernet interface, raw bytes as seen; "": it has none. */
static inline const char *ft_port_name(const struct ft_snapshot *s, const struct ft_port *port)
{
	return s->strings + port->name;
}

static inline const char *ft_node_description(const struct ft_snapshot *s, const struct ft_node *node)
{
	return s->strings + node->description;
}

/*
 * Building: a builder takes nodes in any order, and links by (GUID, port) that may precede the record of their node.
 * Readers of dumps use snapshot_build.h.
 */

/*
 * Checks that every index is in range, peers are mutual and ports belong to their nodes; snapshots from files and other
 * processes are checked before use. Returns 0 or -EINVAL with a reason in @err (no line).
 */
int ft_snapshot_check(const struct ft_snapshot *snapshot, struct ft_error *err);

/*
 * Compares two snapshots: GUIDs, types, descriptions, port counts, LIDs, links, rates and states, whatever the order of
 * the nodes. A value that one side does not know (0, FT_LINK_UNREAD, or down against silent where a side does not list
 * such ports) equals any other. Source and time are not compared.
 *
 * @ret_difference  out: the first difference in words, empty where equal; NULL is fine
 * Returns 1 equal, 0 different, -ENOMEM.
 */
int ft_snapshot_equal(const struct ft_snapshot *a, const struct ft_snapshot *b, struct ft_text *ret_difference);

/*
 * Whether all that a report depends on is the same, but for times and the packets that it took: node by node and port
 * by port, in this order, and what is not known is not known in both. Cheaper than ft_snapshot_equal(). O(n), no
 * memory.
 */
bool ft_snapshot_same(const struct ft_snapshot *a, const struct ft_snapshot *b);

/*
 * The snapshot as versioned JSON ({"ftcheck_snapshot": 2, …}), which ft_snapshot_read_json() gives back exactly. It
 * reads version 1, too.
 */
void ft_snapshot_write_json(struct ft_text *text, const struct ft_snapshot *snapshot);
int ft_snapshot_read_json(const char *text, size_t length, struct ft_snapshot **ret_snapshot, struct ft_error *err);

#endif
