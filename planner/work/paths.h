/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Which links a message takes, and what share of it goes over each. All paths are shortest ones, but those of tables.
 *
 * static    As in the indirect cube document, section 3: a message is split evenly over the cables that lead closer to
 *           its destination, except where all of these lead down a tree; there it takes one, the destination's number
 *           modulo their number. In a network without an up and a down this is the same as adaptive.
 * adaptive  Split evenly everywhere.
 * minimal   One path. In a tree each switch takes the cable of the destination's number in mixed radix: modulo the
 *           number of cables there, divided by that of the switches passed before. Elsewhere a fixed hash of switch and
 *           destination chooses, as forwarding tables would.
 * tables    One path, by forwarding tables that were read of a fabric; it need not be a shortest one.
 *
 * Links that carry the same share of every message are one resource: in a tree the 544 links between two pods are four.
 * They are found by a random linear fingerprint: random weights from every switch with hosts to every destination are
 * added up on each link, in the field of 2^61 - 1. Two links with unlike shares have the same sum with a probability of
 * 2^-61 (Schwartz-Zippel). O(destinations * links).
 *
 * A path is found by breadth-first search from the destination, once for each switch, and kept once it was asked for.
 */
#ifndef FT_PLANNER_WORK_PATHS_H
#define FT_PLANNER_WORK_PATHS_H

#include "planner/work/net.h"

enum ft_routing {
	FT_ROUTING_STATIC,
	FT_ROUTING_ADAPTIVE,
	FT_ROUTING_MINIMAL,
	FT_ROUTING_COUNT,
	FT_ROUTING_TABLES = FT_ROUTING_COUNT, /* struct ft_forwarding: not by name */
};

/* A cable that a message takes: one of a bundle, from switch @from. */
struct ft_step {
	uint32_t from, bundle, cable;
};

/* Tables that lead over more cables lead in a circle, or as good as that. */
enum { FT_STEPS_MAX = 64 };

/* Forwarding tables: the one path between two hosts, which may be no shortest one. Borrowed. */
struct ft_forwarding {
	/* Fills @steps from host @from to host @to of the net, and @ret_count. False: the tables do not lead there. */
	bool (*walk)(const void *data, uint32_t from, uint32_t to, struct ft_step steps[FT_STEPS_MAX],
		     uint32_t *ret_count);
	const void *data;
	const uint32_t *entry; /* by host: messages from hosts of one number, below 2^21, take the same way */
};

const char *ft_routing_name(enum ft_routing routing);

/* The share of each message that a link of the resource carries. */
struct ft_share {
	uint32_t resource;
	double share;
};

/* From a switch to a destination. Between hosts of one switch there are no shares. */
struct ft_path {
	struct ft_share *shares;
	uint32_t share_count;
	uint32_t switches; /* that a packet crosses */
};

struct ft_paths;

/* Of the distances to a switch from all others there are so many at most, 256 KB; of all of them 16 GB. */
enum { FT_PATHS_SWITCHES_MAX = UINT16_MAX - 1 };

/*
 * @forwarding  of FT_ROUTING_TABLES, which it must outlive; else NULL
 * @traffic  of FT_PATHS_SWITCHES_MAX switches at most; it must outlive the paths
 * @ret: the caller frees it; untouched on failure. Returns 0 or -ENOMEM.
 */
int ft_paths_make(const struct ft_work_net *traffic, enum ft_routing routing, const struct ft_forwarding *forwarding,
		  struct ft_paths **ret);
void ft_paths_free(struct ft_paths *paths);
static inline void ft_paths_freep(struct ft_paths **paths)
{
	ft_paths_free(*paths);
}

/* The resources: what one link of each carries, bytes a nanosecond. Owned by @paths. */
const double *ft_paths_capacities(const struct ft_paths *paths, uint32_t *ret_count);

/*
 * The path between two hosts of the traffic. @ret_index: equal for equal paths, from 0; @ret_path: valid as long as
 * @paths. Returns 0, -ENOMEM, or -ENOLINK: forwarding tables do not lead there.
 */
int ft_paths_find(struct ft_paths *paths, uint32_t from, uint32_t to, uint32_t *ret_index,
		  const struct ft_path **ret_path);

#endif
