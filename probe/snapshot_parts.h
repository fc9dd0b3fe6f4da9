/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Shared by all that read and write a snapshot's JSON: its members and their meanings. Private to probe/snapshot_*.c
 * and probe/archive.c.
 */
#ifndef FT_PROBE_SNAPSHOT_PARTS_H
#define FT_PROBE_SNAPSHOT_PARTS_H

#include "probe/snapshot_build.h"

enum { FT_SNAPSHOT_VERSION = 2 };

enum ft_kind { FT_TRUTH, FT_NUMBER, FT_SIGNED, FT_GUID, FT_TYPE, FT_LINK, FT_RATE, FT_BYTES, FT_LIST, FT_OTHER };

/* A member of an object. */
struct ft_member {
	const char *name;
	enum ft_kind kind;
	uint64_t max;
	bool required;
};

enum {
	FT_SOURCE_LIVE,
	FT_SOURCE_COMPLETE,
	FT_SOURCE_LISTS_DOWN_PORTS,
	FT_SOURCE_STOPPED,
	FT_SOURCE_ETHERNET,
	FT_SOURCE_DETAIL,
	FT_SOURCE_ENTRY,
	FT_SOURCE_MADS,
	FT_SOURCE_TIMEOUTS,
	FT_SOURCE_DURATION,
	FT_SOURCE_TIME,
	FT_SOURCE_MEMBERS
};

enum {
	FT_PORT_NUMBER,
	FT_PORT_LAST,
	FT_PORT_LINK,
	FT_PORT_GUID,
	FT_PORT_LID,
	FT_PORT_LMC,
	FT_PORT_PHYS,
	FT_PORT_LOGICAL,
	FT_PORT_RATE,
	FT_PORT_WIDTHS_ENABLED,
	FT_PORT_WIDTHS_SUPPORTED,
	FT_PORT_SPEEDS_ENABLED,
	FT_PORT_SPEEDS_SUPPORTED,
	FT_PORT_SM,
	FT_PORT_NAME,
	FT_PORT_DEAF,
	FT_PORT_MEMBERS
};

enum {
	FT_NODE_NODE_TYPE,
	FT_NODE_GUID,
	FT_NODE_DESCRIPTION,
	FT_NODE_SYSTEM,
	FT_NODE_VENDOR,
	FT_NODE_DEVICE,
	FT_NODE_CHASSIS,
	FT_NODE_LID,
	FT_NODE_LMC,
	FT_NODE_PORT_COUNT,
	FT_NODE_SM,
	FT_NODE_SILENT,
	FT_NODE_PORTS,
	FT_NODE_MEMBERS
};

extern const struct ft_member ft_source_members[FT_SOURCE_MEMBERS];
extern const struct ft_member ft_port_members[FT_PORT_MEMBERS];
extern const struct ft_member ft_node_members[FT_NODE_MEMBERS];

/* The value that a string of FT_GUID, FT_TYPE, FT_LINK or FT_RATE stands for. Returns 0 or -EINVAL. */
int ft_member_word(enum ft_kind kind, const char *string, uint64_t *ret_number);

/*
 * Appends the ports of the next node while reading a file, all down. Returns 0, -ENOMEM, or -EOVERFLOW with @err filled
 * (without a line) beyond FT_SNAPSHOT_PORTS_MAX.
 */
int ft_snapshot_ports_add(struct ft_snapshot *snapshot, struct ft_node *node, size_t *size, struct ft_error *err);

/* A node's numbers, by FT_NODE_*; its description and ports are not touched. */
void ft_snapshot_node_set(struct ft_node *node, const uint64_t numbers[FT_NODE_MEMBERS]);

/* Port @number of @node, by FT_PORT_*, its name by its offset; @said: which members there are. */
void ft_snapshot_port_set(struct ft_snapshot *snapshot, const struct ft_node *node, unsigned int number,
			  const uint64_t numbers[FT_PORT_MEMBERS], const bool said[FT_PORT_MEMBERS]);

/* Of the source, all but its detail and entry. */
void ft_snapshot_source_set(struct ft_snapshot_source *source, const uint64_t numbers[FT_SOURCE_MEMBERS]);

/* Reserves @more bytes behind the strings, which have @size. Returns 0, -ENOMEM or -EOVERFLOW. */
int ft_snapshot_strings_reserve(struct ft_snapshot *snapshot, size_t more, size_t *size);

/* The object of one node, on one line, and "source": {…}. @scratch is the caller's, for its memory. */
void ft_snapshot_write_node(struct ft_text *text, const struct ft_snapshot *s, const struct ft_node *node,
			    struct ft_text *scratch);
void ft_snapshot_write_source(struct ft_text *text, const struct ft_snapshot *s, struct ft_text *scratch);

/* Undoes the writer's escapes. Writes at most @length bytes; -1 where an escape is wrong or stands for NUL. */
ssize_t ft_snapshot_bytes_decode(const char *string, size_t length, char *ret_bytes);

/*
 * Reads what ft_snapshot_write_json() writes, of either version, in one pass.
 *
 * Returns 1; 0 if the text has another form or is wrong, which the caller diagnoses with the tree reader; or -ENOMEM.
 * The caller must still check the snapshot.
 */
int ft_snapshot_scan(const char *text, size_t length, struct ft_snapshot **ret_snapshot);

#endif
