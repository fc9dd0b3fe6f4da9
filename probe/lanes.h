/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Virtual lanes: by which lane a packet leaves a switch. A switch chooses it by the packet's service level, the port it
 * came in by and the port it leaves by (SL2VL table: IBTA Vol 1, 14.2.5.8); the service level of a route is that of its
 * path record. Read from the switches and the subnet administration, only where it matters (struct ft_lane_wants), or
 * from files.
 *
 * Lanes beyond OperationalVLs of the output port (PortInfo, the VL arbitration limit) do not exist: packets for them
 * are dropped, like those for lane 15 (IBTA Vol 1, 7.6.6).
 *
 * A port sends from a lane only by the weight that the lane has in its VL arbitration tables, of high and of low
 * priority; an entry of weight 0 is skipped (IBTA Vol 1, 7.6.9). Packets of a lane without weight wait until they are
 * dropped. Tables without any weight are those of a port that was never configured, and tell nothing.
 */
#ifndef FT_PROBE_LANES_H
#define FT_PROBE_LANES_H

#include <stdlib.h>

#include "base/map.h"
#include "probe/source.h"

enum {
	FT_LANE_LEVELS = 16,   /* service levels */
	FT_LANE_DROPPED = 15,  /* the lane of management packets: all others are dropped */
	FT_LANE_UNKNOWN = 255, /* of lanes and of service levels */
};

/* The way through a switch, by its ports. */
struct ft_crossing {
	uint32_t node;
	uint8_t in, out;
};

/* A route, by the LIDs of its ends. */
struct ft_lane_path {
	uint16_t from, to;
};

/* What is to be read; no duplicates. */
struct ft_lane_wants {
	struct ft_crossing *crossings;
	struct ft_lane_path *paths;
	uint32_t crossing_count, path_count;
};

static inline void ft_lane_wants_release(struct ft_lane_wants *wants)
{
	free(wants->crossings);
	free(wants->paths);
	*wants = (struct ft_lane_wants){0};
}

/* What is known. */
struct ft_lanes {
	uint8_t (*rows)[FT_LANE_LEVELS]; /* by service level: the lane; FT_LANE_DROPPED also beyond the port's lanes */
	uint32_t row_count, row_size;
	struct ft_map row_of;	  /* by crossing: its row */
	struct ft_map level_of;	  /* by path: its service level */
	struct ft_map weights_of; /* by output port: the place in @weights */
	uint16_t *weights;	  /* the lanes that have one, as bits */
	uint32_t weight_count, weight_size;
	uint32_t mads, timeouts; /* packets sent and lost; 0: from files */
};

void ft_lanes_free(struct ft_lanes *lanes);
static inline void ft_lanes_freep(struct ft_lanes **lanes)
{
	ft_lanes_free(*lanes);
}

/* Of which nothing is known yet. This and the next three return 0 or -ENOMEM. */
int ft_lanes_new(struct ft_lanes **ret_lanes);

/* Sets a row of a SL2VL table, where a later one counts, or the service level of a path, where the first one does. */
int ft_lanes_set_row(struct ft_lanes *lanes, const struct ft_crossing *at, const uint8_t row[FT_LANE_LEVELS]);
int ft_lanes_set_level(struct ft_lanes *lanes, const struct ft_lane_path *path, unsigned int level);

/* Adds lanes, as bits, to those that have a weight at port @out of the node. */
int ft_lanes_add_weights(struct ft_lanes *lanes, uint32_t node, uint8_t out, uint16_t weights);

/* False if the output port gives other lanes a weight, and none to this one. */
bool ft_lanes_is_sent(const struct ft_lanes *lanes, const struct ft_crossing *at, unsigned int lane);

/* The service level of a path, or FT_LANE_UNKNOWN. */
unsigned int ft_lanes_level(const struct ft_lanes *lanes, uint16_t from, uint16_t to);

/*
 * The lane of packets of service level @level (FT_LANE_UNKNOWN: any) on that way; FT_LANE_UNKNOWN where it is not
 * known, or not the same for all levels.
 */
unsigned int ft_lanes_lane(const struct ft_lanes *lanes, const struct ft_crossing *at, unsigned int level);

/*
 * Reads what @wants lists, of @snapshot, which a live sweep with @options has just returned, in a child process: of
 * each output port PortInfo and, unless it has one lane only, the VL arbitration tables, of each crossing a row of the
 * SL2VL table, and of each path its PathRecord. Get MADs only. What did not respond in time stays unknown.
 *
 * Returns 0 or -errno as ft_sweep(), with @err filled.
 */
int ft_lanes_ask(const struct ft_sweep_options *options, const struct ft_snapshot *snapshot,
		 const struct ft_lane_wants *wants, struct ft_lanes **ret_lanes, struct ft_error *err);

/* Reads the lines of a file for ft_routes_load(), see dump_lanes.c. */
struct ft_lane_reader {
	const struct ft_snapshot *snapshot;
	struct ft_lanes *lanes;
	const struct ft_map *ports; /* by GUID of ports and nodes: the node */
	uint32_t node;		    /* of the section being read, or FT_NONE */
	uint16_t lid;		    /* the LID from which the paths of the section lead; 0: none */
	uint8_t section;
	uint8_t columns[4]; /* of a section with commas: where its columns are */
	uint32_t count;	    /* rows and levels in the file, those of unknown switches included */
};

/*
 * Takes a line without its end. Returns 1 if it tells something of lanes, 0 if it does not, -ENOMEM, or -EINVAL with
 * column and text in @err.
 */
int ft_lane_reader_line(struct ft_lane_reader *reader, const char *line, const char *end, struct ft_error *err);

/* By GUID of each node and each port: the node. The caller releases it in any case. Returns 0 or -ENOMEM. */
int ft_lane_reader_index(const struct ft_snapshot *snapshot, struct ft_map *ports);

#endif
