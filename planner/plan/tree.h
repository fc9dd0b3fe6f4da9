/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * What the planner of trees works out, in the letters of "the tutorial" (plan.h). Only planner/ knows it: who verifies
 * a plan has its kinds, switches, bundles and hosts.
 */
#ifndef FT_PLANNER_PLAN_TREE_H
#define FT_PLANNER_PLAN_TREE_H

#include "planner/plan/plan.h"

struct ft_tree {
	uint32_t levels; /* 1 for a star; 0 for a graph */
	bool rings;	 /* there are cables between spines of a pod, or between core switches */
	bool classes;	 /* some switches are unlike the rest of their tier, which the figures below are for */

	/* Edge tier: E switches of Pe ports. */
	uint32_t edge_count;
	uint32_t edge_ports;
	uint32_t ports_to_nodes; /* Eptn */
	uint32_t ports_to_core;	 /* Eptc; 0 for a star */
	enum ft_fill fill;	 /* dense or uniform: how the hosts lie on the edges */

	/* Spine tier, three levels only: all 0 and 1 otherwise. */
	uint32_t spine_count;
	uint32_t spine_ports;
	uint32_t spine_ports_down; /* kept for edges: the cables of a full pod's edges to each spine fit */
	uint32_t spine_ports_up;   /* to the core level */
	uint32_t spine_bundle;	   /* from a spine to each core switch of its plane; no bundle is thicker */
	struct ft_ratio spine_blocking;
	uint32_t pods;	     /* that are there now */
	uint32_t pods_max;   /* that the core level has room for by the design's nodes_max */
	uint32_t pod_edges;  /* edge switches of a full pod (the last may have fewer); all of them in two levels */
	uint32_t pod_spines; /* spines of a pod */
	uint32_t planes;     /* each with as many spines of each pod; just one each, but for general plans */

	/* Core tier: C switches of Pc ports; both 0 for a star. */
	uint32_t core_count;
	uint32_t core_ports;
	uint32_t plane_cores; /* core switches of a plane; all of them in two levels */

	uint32_t bundle;	  /* B of the rule, no bundle is thicker (B=4 of Eptc=5 may be 3+2); 0 for a star;
				     three levels: from an edge switch to each spine of its pod */
	struct ft_ratio blocking; /* Eptn/Eptc as built; 1 for a star */
	uint32_t expandable_to;	  /* Emax*Eptn: the nodes that fit on the edge switches that nodes_max makes room for */
};

#endif
