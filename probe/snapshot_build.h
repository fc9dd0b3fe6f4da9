/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Building a snapshot: nodes in any order, with the far ends of their ports by (GUID, port number), which may precede
 * the record of their node, or have no record at all. ft_builder_finish() resolves the far ends.
 *
 *     _cleanup_(ft_builder_freep) struct ft_builder *builder = NULL;
 *
 *     r = ft_builder_new(&builder);
 *     r = ft_builder_add_node(builder, &(struct ft_build_node){.guid = …, .type = FT_NODE_SWITCH, …}, &node);
 *     r = ft_builder_add_port(builder, node, &(struct ft_build_port){.number = 1, .link = FT_LINK_UP, …});
 *     ft_builder_source(builder)->complete = true;
 *     r = ft_builder_finish(builder, &snapshot, err, NULL);
 */
#ifndef FT_PROBE_SNAPSHOT_BUILD_H
#define FT_PROBE_SNAPSHOT_BUILD_H

#include "probe/snapshot.h"

/* PortNum has 8 bits, and 255 means "all ports" (IBTA Vol 1, PortInfo). */
enum { FT_PORT_NUMBER_MAX = 254 };

/* Of the bits of LinkWidthEnabled and LinkWidthSupported, and of speeds. */
enum { FT_WIDTHS_MAX = 31, FT_SPEEDS_MAX = (1 << FT_SPEED_COUNT) - 1 };

struct ft_builder;

/* A node's own record. What is not known stays 0. */
struct ft_build_node {
	uint64_t guid;
	uint64_t system_guid;
	uint32_t vendor_id;
	uint32_t device_id;
	uint32_t chassis;	   /* any number that the other nodes of its chassis share */
	const char *description;   /* raw bytes, copied; they may hold anything but NUL, at which they end */
	size_t description_length; /* values beyond UINT16_MAX are truncated */
	uint16_t lid;		   /* of a switch */
	uint16_t port_count;	   /* 0 and !port_count_known: the highest port named */
	uint8_t lmc;
	uint8_t type;	  /* enum ft_node_type */
	bool sm;	  /* of a switch */
	bool silent;	  /* as in struct ft_node */
	bool slotted;	  /* the source knows its slot in the chassis */
	uint8_t unlisted; /* enum ft_link: what ports are that ft_builder_add_port() never heard of:
			   * FT_LINK_DOWN of a dump that lists links only, else FT_LINK_UNREAD */
	bool port_count_known;
	bool by_port; /* @guid may be the GUID of a port of it: all that a port report tells of a CA.
		       * Nodes of this kind with one GUID are one, and become part of the node that
		       * has that GUID, or a port of that GUID, if there is one */
};

/* A port, and its far end as this side names it. Unknown values are 0. */
struct ft_build_port {
	uint64_t guid;	    /* 0 and on a switch: its node's */
	uint64_t peer_guid; /* the far node's GUID, or with @peer_by_port maybe its port's */
	uint64_t peer_port_guid;
	const char *name;	      /* of an Ethernet interface, copied; NULL: it has none */
	const char *peer_description; /* not copied: valid until ft_builder_finish() */
	uint32_t place;		      /* for the caller: the place in the file */
	uint16_t peer_description_length;
	uint16_t lid; /* of a CA or router port */
	uint16_t peer_lid;
	uint8_t lmc;
	uint8_t number;	     /* 1 to FT_PORT_NUMBER_MAX */
	uint8_t peer_number; /* 0: no far end is named */
	uint8_t peer_type;   /* enum ft_node_type */
	uint8_t link;	     /* enum ft_link; FT_LINK_UP where a far end is named */
	uint8_t phys_state;
	uint8_t logical_state;
	struct ft_rate rate;
	struct ft_port_limits limits;
	bool sm;
	bool deaf;
	bool peer_by_port;
};

/* Returns 0 or -ENOMEM. */
int ft_builder_new(struct ft_builder **ret_builder);
void ft_builder_free(struct ft_builder *builder);
static inline void ft_builder_freep(struct ft_builder **builder)
{
	ft_builder_free(*builder);
}

/* The source of the snapshot, for the caller to fill; its strings and entry are set by the two functions below. */
struct ft_snapshot_source *ft_builder_source(struct ft_builder *builder);

/* Counts an invalid LID: empty or negative. The builder itself counts those that are 65535. @line: its place, or 0. */
void ft_builder_odd_lid(struct ft_builder *builder, uint32_t line);

/* "mlx5_0 port 1". Returns 0 or -ENOMEM. */
int ft_builder_set_detail(struct ft_builder *builder, const char *detail);

/*
 * The node the sweep began on, which may be added later. @port_guid tells the port where the node has several;
 * @port_number, if not 0, does so at once.
 */
void ft_builder_set_entry(struct ft_builder *builder, uint64_t guid, uint64_t port_guid, uint8_t port_number);

/*
 * @node has the last record of a file that may have been cut short. The file was cut if nodes (or the entry) are named
 *       that have no record: then unlisted ports of @node are FT_LINK_UNREAD, not down, and the source is not complete
 *       if @node, or a node without a record, is a switch.
 * @certain  the file was cut, whether or not records are missing
 */
void ft_builder_set_last(struct ft_builder *builder, uint32_t node, bool certain);

/*
 * Adds a node. @ret_node is for ft_builder_add_port() (not an index of the snapshot).
 * Returns 0, -ENOMEM, or -EINVAL if port_count is beyond FT_PORT_NUMBER_MAX.
 */
int ft_builder_add_node(struct ft_builder *builder, const struct ft_build_node *node, uint32_t *ret_node);

/* Adds a port. Returns 0, -ENOMEM, or -EINVAL if a port number is out of its range or @node is none. */
int ft_builder_add_port(struct ft_builder *builder, uint32_t node, const struct ft_build_port *port);

/*
 * Makes the snapshot; after that the builder can only be freed, whatever the result.
 *
 * - The nodes keep the order in which they were added; nodes without a record of their own follow, in the order of
 *   their first mention. The ports of those are FT_LINK_UP where they are mentioned and FT_LINK_UNREAD else.
 * - Two records of one GUID stay two nodes, unless they are equal: then they are one record read twice. A far end of
 *   that GUID resolves to the record that names the port in return.
 * - Chassis are numbered from 1 by the lowest GUIDs of their switches. A chassis with a single switch is dropped, and
 *   so is one without a known slot whose switches share a SystemImageGUID: libibnetdisc derives it from that GUID
 *   alone, which is wrong on some vendors' switches.
 * - Two ports that name each other are a link. A far end named by one side only is a link too if the other side names
 *   none for that port. Otherwise the ends disagree, and the port is FT_LINK_SILENT: up, far end unknown. The first
 *   match holds.
 * - Of a port added twice, the first record that names a far end holds; its zeros are filled from the other.
 *
 * @ret_place  out: @place of the port at fault, on -EINVAL; NULL is fine
 * Returns 0, -ENOMEM, -EINVAL with @err filled (without a line) if a port is beyond its node's count, or -EOVERFLOW
 * beyond 2^31 ports or 2^31 bytes of strings.
 */
int ft_builder_finish(struct ft_builder *builder, struct ft_snapshot **ret_snapshot, struct ft_error *err,
		      uint32_t *ret_place);

/*
 * Renumbers the chassis of a snapshot as ft_builder_finish() does; until now its switches share any number that their
 * source gave them. The new numbers depend on the fabric only, so that two sweeps of it agree.
 *
 * @slotted  by node: its slot in the chassis is known
 * Returns 0 or -ENOMEM.
 */
int ft_snapshot_number_chassis(struct ft_snapshot *snapshot, const bool *slotted);

/* Replaces source.detail of a finished snapshot. Returns 0 or -ENOMEM. */
int ft_snapshot_set_detail(struct ft_snapshot *snapshot, const char *detail);

/*
 * Handing a snapshot from a child to its parent, over a pipe: the parts in the byte order and layout of this machine.
 *
 * @fd  is written to until everything is sent. Returns 0 or -errno of write(2).
 */
int ft_snapshot_send(int fd, const struct ft_snapshot *snapshot);

/*
 * The snapshot in the @length bytes at @bytes (no alignment needed). The bytes are not trusted (the child may have
 * crashed): ft_snapshot_check() checks all of it. Returns 0, -ENOMEM, or -EINVAL with a reason in @err (no line).
 */
int ft_snapshot_receive(const void *bytes, size_t length, struct ft_snapshot **ret_snapshot, struct ft_error *err);

#endif
