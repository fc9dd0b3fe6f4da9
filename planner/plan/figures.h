/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Figures from the theory of fat-trees: notation, bisection, paths, non-blocking class and throughput bound of a plan.
 */
#ifndef FT_PLANNER_PLAN_FIGURES_H
#define FT_PLANNER_PLAN_FIGURES_H

#include "planner/plan/plan.h"

/*
 * The class of a three-stage Clos network Clos(m,n,r): r input switches of n inputs each, m middle switches.
 * Source: C. Clos, "A Study of Non-Blocking Switching Networks", 1953: strict-sense non-blocking if m >= 2n-1; Slepian
 * and Duguid: rearrangeably non-blocking if m >= n.
 */
enum ft_clos_class { FT_CLOS_BLOCKING, FT_CLOS_REARRANGEABLE, FT_CLOS_STRICT };

enum ft_clos_class ft_clos_class(uint32_t m, uint32_t n);
const char *ft_clos_class_name(enum ft_clos_class class); /* "blocking", "rearrangeable", "strict" */

struct ft_figures {
	/*
	 * "PGFT(2; 18,4; 1,2; 1,9)": children, parents and parallel cables level by level from the hosts; XGFT where no
	 * cables are parallel. For the full design. Source: S. Ohring et al., 1995; E. Zahavi, 2010. If the bundles of
	 * a switch differ there is no PGFT, and the XGFT without widths is given. "": spines of a pod share planes, or
	 * switches have classes; neither is an XGFT.
	 */
	char notation[128];
	bool exact; /* all bundles of a switch are alike */
	bool full;  /* all pods have as many edge switches as the notation says */

	/*
	 * The minimum number of cables whose cut divides the hosts into halves (of an odd number, one side has one
	 * more): switches may be on either side, and a host whose switch is on the other side adds its own cable.
	 */
	uint32_t bisection_links;

	/* Shortest paths between two hosts at the greatest distance, counted as distinct by their switches. */
	uint64_t paths;

	/* A folded Clos network of three stages: r edges (pods) of n hosts (downlinks), m uplinks. */
	uint32_t clos_m, clos_n, clos_r;
	enum ft_clos_class clos_class; /* three levels: the worse of the two; directors without all boards block */

	/*
	 * TH <= l / (h * f), in what a cable carries: l cables, each counted once a direction; f flows, one from each
	 * host; h the mean number of cables between two hosts. At most 1. Application-oblivious: no routing does better
	 * for uniform traffic.
	 */
	struct ft_quantity throughput_bound;
	struct ft_quantity mean_hops; /* h */
};

void ft_figures_take(const struct ft_plan *plan, struct ft_figures *ret_figures);

#endif
