/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Forwarding tables: which port of a switch a packet for a LID leaves by. Read from the switches, or from what
 * ibroute, dump_lfts, dump_fts and OpenSM (opensm-lfts.dump) wrote.
 *
 * "Not known" is a value: a switch that was not heard, or a block of LIDs that was lost, is no table without entries.
 */
#ifndef FT_PROBE_ROUTES_H
#define FT_PROBE_ROUTES_H

#include "probe/snapshot.h"

enum {
	FT_ROUTE_LID_MAX = 0xbfff, /* the last unicast LID (IBTA Vol 1, 4.1.3) */
	FT_ROUTE_BLOCK = 64,	   /* LIDs in a LinearForwardingTable block (IBTA Vol 1, 14.2.5.11) */
	FT_ROUTE_NONE = 0xff,	   /* no port: packets for it are dropped */
	FT_ROUTE_UNKNOWN = 0x100,
};

struct ft_route_table {
	uint8_t *ports;	 /* [lids]: by LID; 0 is the switch itself, FT_ROUTE_NONE no port. NULL: nothing is known */
	uint8_t *unread; /* by block: 1 where it is not known. NULL: all of it is */
	uint32_t lids;	 /* LinearFDBTop + 1: there are no entries for those beyond */
	bool left_out;	 /* of files: nothing is unknown but the last LID, which who wrote it leaves out */
	bool spoilt;	 /* of files: what they say of it cannot be right. Nothing is known, whatever else is read */
};

struct ft_routes {
	struct ft_route_table *tables; /* by node of the snapshot; of anything but a switch, nothing is known */
	uint32_t node_count;
	uint32_t mads;	   /* SMPs sent for them; 0: from files */
	uint32_t timeouts; /* of which none came back */
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

/* An empty table is known from now on, with no port for any LID up to @top (FT_ROUTE_LID_MAX at most). 0 or -ENOMEM. */
int ft_route_table_begin(struct ft_route_table *table, uint32_t top);

/* A block of the table is not known, after all. Returns 0 or -ENOMEM. */
int ft_route_table_unread(struct ft_route_table *table, uint32_t block);

/* For handing them from a child to its parent: in the byte order of this machine. */
void ft_routes_pack(struct ft_text *text, const struct ft_routes *routes);

/*
 * The same back, for a snapshot of @node_count nodes. The child may have sent anything.
 * Returns 0, -ENOMEM, or -EINVAL with a reason in @err (no line).
 */
int ft_routes_unpack(const char *bytes, size_t length, uint32_t node_count, struct ft_routes **ret_routes,
		     struct ft_error *err);

struct ft_survey;
struct ft_ask_options;

/*
 * Reads the tables of all switches of @snapshot, which was made from @survey: of each SwitchInfo, then the blocks up to
 * LinearFDBTop, one SMP each, at the pace that the fabric bears (ask.h). Get SMPs only.
 *
 * @options  as for ft_walk(); end_ms is when what is left stays unknown
 * Returns 0, -ENOMEM, or -EIO where the port cannot be used, with @err filled.
 */
int ft_routes_ask(const struct ft_survey *survey, const struct ft_snapshot *snapshot,
		  const struct ft_ask_options *options, struct ft_routes **ret_routes, struct ft_error *err);

/*
 * Adds the tables in a file's @length bytes at @text to @routes, by the GUIDs of their switches; of a switch that is
 * not in @snapshot they are left out. Told by content: any number of tables in the form of ibroute (with or without
 * -a, -n or a range of LIDs), dump_lfts or OpenSM. A table that ends early is not known from that
 * block on; one that is damaged, and that of a switch that has two, are not known at all, and the others count.
 *
 * @ret_tables  out: how many tables there were, those left out included; NULL is fine
 * @faults      "LINE:COLUMN: what is wrong", a line a damaged table, is added; NULL is fine
 * Returns 0; -ENOMSG where there is no table, with line and column in @err; or -ENOMEM.
 */
int ft_routes_parse(const char *text, size_t length, const struct ft_snapshot *snapshot, struct ft_routes *routes,
		    uint32_t *ret_tables, struct ft_text *faults, struct ft_error *err);

/*
 * The tables in @count files or directories of them; files in a directory that hold no table are passed over.
 *
 * @faults    "FILE:LINE:COLUMN: what is wrong", a line a damaged table, is added
 * @ret_file  out, on failure: which file is at fault, the caller frees it; NULL where that is not known
 * Returns 0 or -errno with @err filled, as above; -EINVAL where none of the switches is in @snapshot, or no table of
 * one is whole.
 */
int ft_routes_load(const char *const *paths, size_t count, const struct ft_snapshot *snapshot,
		   struct ft_routes **ret_routes, struct ft_text *faults, char **ret_file, struct ft_error *err);

#endif
