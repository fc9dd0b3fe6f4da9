/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The planning rules as arithmetic: from a design and given switches to the shape of a tree, without building it.
 * Private to planner/. Source: K. Solnushkin, "Fat-Tree Design", sections "Building the edge level" to "Designing for
 * expandability"; the letters are the tutorial's.
 *
 * Three levels are the same rules applied twice: in a pod, where edges are the lower and spines the upper switches, and
 * in a plane, where spines (one of each pod) are the lower and core switches the upper ones.
 */
#ifndef FT_PLANNER_FAMILY_RULES_H
#define FT_PLANNER_FAMILY_RULES_H

#include "base/numbers.h"
#include "planner/plan/plan.h"

struct ft_shape {
	enum ft_topology topology; /* star or fat-tree */
	uint32_t levels;
	uint32_t n;	/* Eptn */
	uint32_t c;	/* Eptc */
	uint32_t e;	/* E */
	uint32_t e_max; /* Emax */
	uint32_t b;	/* B; three levels: to each spine of the pod */
	bool even;	/* the hosts are spread evenly */
	uint32_t cores; /* C, in all */

	/* Three levels only; else pods is 1 and the others 0. */
	uint32_t pods, pods_max, pod_edges;
	uint32_t pod_spines;
	uint32_t planes; /* each with as many spines of each pod */
	uint32_t spine_down, spine_up, spine_b;
	uint32_t plane_cores;
};

/* The input of the rules, and the receiver of complaints. */
struct ft_rules {
	const struct ft_design *design;
	struct ft_design_role roles[FT_TIER_COUNT]; /* the design's, with the ports of the switches on trial */
	uint32_t ring_ports[FT_TIER_COUNT];	    /* that rings took off these; 0: none (rings.h) */
	struct ft_error *err;			    /* NULL: complaints are not needed */
	struct ft_plan_blame *blame;		    /* likewise */
};

static inline bool ft_pinned(uint32_t value)
{
	return value != FT_NONE;
}

/*
 * The shape of a star, or of a tree of two levels, or of one of three levels with @pods pods (0: the fewest that will
 * do). Returns 0, or -EINVAL with the contradiction. @ret_shape is untouched on failure.
 */
int ft_rules_star(const struct ft_rules *rules, struct ft_shape *ret_shape);
int ft_rules_two_levels(const struct ft_rules *rules, struct ft_shape *ret_shape);
int ft_rules_three_levels(const struct ft_rules *rules, uint32_t pods, struct ft_shape *ret_shape);

/*
 * Iterates over the numbers of pods worth a trial, in ascending order: each smaller pod size once. @ret_pods is the
 * next one after @pods; returns false after the last. Start with 0.
 */
bool ft_rules_next_pods(const struct ft_rules *rules, uint32_t pods, uint32_t *ret_pods);

/*
 * Distributes @cables over @count upper switches by the design's "bundles"; none gets more than @widest.
 * @ret_bundles  [count]
 */
void ft_rules_spread(const struct ft_design *design, uint32_t cables, uint32_t widest, uint32_t count,
		     uint32_t *ret_bundles);

/* floor(ports * Bl / (1 + Bl)): the hosts of a switch; at least 1 and less than @ports, as Bl >= 1 and ports >= 2. */
uint32_t ft_rules_ports_to_nodes(uint32_t ports, struct ft_ratio blocking);

/* "nodes_max" or "nodes": the key that the largest number of nodes came from. */
const char *ft_rules_nodes_key(const struct ft_design *design);

/* The switches of pod @pod: as the design pins, or full. */
uint32_t ft_rules_pod_edges(const struct ft_design *design, const struct ft_shape *shape, uint32_t pod);

/* Sets the complaint; returns -EINVAL. */
int ft_rules_error(const struct ft_rules *rules, const char *object, const char *key, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

#endif
