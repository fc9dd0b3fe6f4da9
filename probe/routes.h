/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Linear forwarding tables: the output port of a switch for each destination LID. Read from the switches, or from files
 * by ibroute, dump_lfts, dump_fts and OpenSM (opensm-lfts.dump).
 *
 * "Not known" is a value: a switch that did not respond, or a block of LIDs that was lost, is not an empty table.
 */
#ifndef FT_PROBE_ROUTES_H
#define FT_PROBE_ROUTES_H

#include "probe/snapshot.h"

struct ft_lanes;

enum {
	FT_ROUTE_LID_MAX = 0xbfff, /* the last unicast LID (IBTA Vol 1, 4.1.3) */
	FT_ROUTE_BLOCK = 64,	   /* LIDs in a LinearForwardingTable block (IBTA Vol 1, 14.2.5.11) */
	FT_ROUTE_NONE = 0xff,	   /* no port: packets for it are dropped */
	FT_ROUTE_UNKNOWN = 0x100,
};

struct ft_route_table {
	uint8_t *ports;	 /* [lids]: by LID; 0 is the switch itself, FT_ROUTE_NONE no port. NULL: nothing is known */
	uint8_t *unread; /* by block: 1 where it is not known. NULL: all of it is */
	uint32_t lids;	 /* LinearFDBTop + 1: there are no entries from here on */
	bool left_out;	 /* of files: all is known but the last LID, which some tools leave out */
	bool spoilt;	 /* of files: the table is inconsistent. All of it is unknown, whatever else is read */
};

struct ft_routes {
	struct ft_route_table *tables; /* by node of the snapshot; nothing is known of nodes other than switches */
	uint32_t node_count;
	uint32_t mads;	   /* SMPs sent; 0: read from files */
	uint32_t timeouts; /* SMPs that were lost */
};

static inline uint32_t ft_route_blocks(uint32_t lids)
{
	return (lids + FT_ROUTE_BLOCK - 1) / FT_ROUTE_BLOCK;
}

/* A port, FT_ROUTE_NONE or FT_ROUTE_UNKNOWN. */
static inline unsigned int ft_route_port(const struct ft_route_table *table, uint32_t lid)
{
	if (!table->ports)
		return FT_ROUTE_UNKNOWN;
	if (lid >= table->lids)
		return FT_ROUTE_NONE;
	return table->unread && table->unread[lid / FT_ROUTE_BLOCK] ? FT_ROUTE_UNKNOWN : table->ports[lid];
}

/* Tables of which nothing is known yet. Returns 0 or -ENOMEM. */
int ft_routes_new(uint32_t node_count, struct ft_routes **ret_routes);
void ft_routes_free(struct ft_routes *routes);
static inline void ft_routes_freep(struct ft_routes **routes)
{
	ft_routes_free(*routes);
}

/* Makes the table known and empty: no port for any LID up to @top (FT_ROUTE_LID_MAX at most). 0 or -ENOMEM. */
int ft_route_table_begin(struct ft_route_table *table, uint32_t top);

/* Marks a block of the table as not known. Returns 0 or -ENOMEM. */
int ft_route_table_unread(struct ft_route_table *table, uint32_t block);

/* Serialises them for the parent process, in the byte order of this machine. */
void ft_routes_pack(struct ft_text *text, const struct ft_routes *routes);

/*
 * The inverse, for a snapshot of @node_count nodes. The bytes are not trusted.
 * Returns 0, -ENOMEM, or -EINVAL with a reason in @err (no line).
 */
int ft_routes_unpack(const char *bytes, size_t length, uint32_t node_count, struct ft_routes **ret_routes,
		     struct ft_error *err);

struct ft_survey;
struct ft_scheduler_options;

/*
 * Reads the tables of all switches of @snapshot, which was made from @survey: of each SwitchInfo, then the blocks up to
 * LinearFDBTop, one SMP each, paced by the congestion window (scheduler.h). Get SMPs only.
 *
 * @options  as for ft_discover(); end_ms is when what is left stays unknown
 * Returns 0, -ENOMEM, or -EIO where the port cannot be used, with @err filled.
 */
int ft_routes_ask(const struct ft_survey *survey, const struct ft_snapshot *snapshot,
		  const struct ft_scheduler_options *options, struct ft_routes **ret_routes, struct ft_error *err);

/*
 * Adds the tables in a file's @length bytes at @text to @routes, by the GUIDs of their switches; tables of switches
 * that are not in @snapshot are left out. The format is recognised by content: any number of tables in the form of
 * ibroute (with or without -a, -n or a range of LIDs), dump_lfts or OpenSM. A table that ends early is unknown from
 * that block on; a damaged table, and those of a switch with two tables, are unknown as a whole; the others are used.
 *
 * @lanes       what the text tells of virtual lanes is added (dump_lanes.c); NULL is fine
 * @ret_tables  out: how many tables there were, those left out included; NULL is fine
 * @faults      "LINE:COLUMN: what is wrong", a line a damaged table, is added; NULL is fine
 * Returns 0; -ENOMSG where there is no table and nothing of lanes, with line and column in @err; or -ENOMEM.
 */
int ft_routes_parse(const char *text, size_t length, const struct ft_snapshot *snapshot, struct ft_routes *routes,
		    struct ft_lanes *lanes, uint32_t *ret_tables, struct ft_text *faults, struct ft_error *err);

/*
 * The tables in @count files or directories of them; files in a directory that hold none are passed over. A damaged
 * line about virtual lanes ends what its file tells of them.
 *
 * @ret_lanes  out: what the files tell of virtual lanes, the caller frees it; NULL: nothing
 * @faults    "FILE:LINE:COLUMN: what is wrong", a line a damaged table, is added
 * @ret_file  out, on failure: which file is at fault, the caller frees it; NULL where that is not known
 * Returns 0 or -errno with @err filled, as above; -EINVAL where none of the switches is in @snapshot, or no table of
 * one is whole.
 */
int ft_routes_load(const char *const *paths, size_t count, const struct ft_snapshot *snapshot,
		   struct ft_routes **ret_routes, struct ft_lanes **ret_lanes, struct ft_text *faults, char **ret_file,
		   struct ft_error *err);

#endif
