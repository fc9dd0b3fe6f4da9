/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The search: every edge switch with every core switch of the catalog, stars included, and the best by an objective
 * within limits. Source: the tutorial, "Building the core level" ("establish nested loops and try them in order") and
 * "Other design constraints". Of equal ones the first in the order of the catalog wins, stars before trees (SPEC 4).
 */
#ifndef FT_PLANNER_FAMILY_SEARCH_H
#define FT_PLANNER_FAMILY_SEARCH_H

#include "planner/plan/catalog.h"
#include "planner/family/family.h"
#include "planner/family/rules.h"

/* Whether the design leaves room for a star, and for a tree. */
/* Of a family there is neither, and what the catalog allows as edge switches is for all of its switches. */
bool ft_stars_wanted(const struct ft_design *design);
bool ft_trees_wanted(const struct ft_design *design);

/*
 * The candidate switches for each role: from the catalog, or the one that the design gives by its ports. Built once,
 * for any number of searches with designs that differ in their numbers of nodes only.
 */
struct ft_menu {
	struct ft_switch_type *types[FT_TIER_COUNT]; /* shallow copies: their strings are the catalog's */
	size_t count[FT_TIER_COUNT];
	struct ft_switch_type *stars;
	size_t star_count;
	int64_t cable_cost; /* thousandths; 0 where the catalog has none */
	bool from_catalog;  /* there is a choice beyond the design's own switches */
};

void ft_menu_release(struct ft_menu *menu);

/*
 * @ret_menu  out: borrows from @catalog, which may be NULL where the design gives the ports of every switch
 * Returns 0; -ENOMEM; or -EINVAL with @err and @blame: no such model, or none for a role that is needed.
 */
int ft_menu_make(const struct ft_design *design, const struct ft_catalog *catalog, struct ft_menu *ret_menu,
		 struct ft_error *err, struct ft_plan_blame *blame);

/* One way to build the fabric. */
struct ft_candidate {
	struct ft_shape shape;	 /* of a family: its number of switches, their ports, and that it is a graph */
	struct ft_layout layout; /* of a family; else its family is NULL */
	const struct ft_switch_type *types[FT_TIER_COUNT]; /* of the menu; NULL: no such tier */
	int64_t cost, power_w, weight_kg, size_u;	   /* thousandths; FT_AMOUNT_UNKNOWN */
	uint32_t links;
};

struct ft_quantity ft_candidate_metric(const struct ft_design *design, const struct ft_candidate *candidate,
				       enum ft_metric metric);

/* The present number of spines; 0 in two levels. */
static inline uint32_t ft_shape_spines(const struct ft_shape *shape)
{
	return shape->levels == 3 ? shape->pods * shape->pod_spines : 0;
}

/* The result of a search. */
struct ft_search {
	struct ft_candidate *best; /* best first */
	size_t count;
	enum ft_metric objective;
	bool fallback;	   /* no cost was known: optimised for fewest switches, then fewest cables */
	uint64_t unpriced; /* candidates within the limits that were left out, as the objective's figure is unknown */
};

void ft_search_release(struct ft_search *search);

/*
 * The up to @keep best designs that differ: in topology, in the families of their switches, or in the numbers of them.
 *
 * @ret_search  out: its candidates borrow from @menu
 * @err         filled on -EINVAL: why nothing fits: the number of candidates excluded by each limit, and the nearest
 *              one
 *
 * Returns 0, -EINVAL or -ENOMEM.
 */
int ft_search(const struct ft_design *design, const struct ft_menu *menu, size_t keep, struct ft_search *ret_search,
	      struct ft_error *err, struct ft_plan_blame *blame);

/*
 * The Pareto front over @a and @b: the designs within the limits that no other one dominates, the best in @a first.
 * Smaller is better, except for spare_ports and expandable_to.
 */
int ft_search_pareto(const struct ft_design *design, const struct ft_menu *menu, enum ft_metric a, enum ft_metric b,
		     struct ft_search *ret_search, struct ft_error *err, struct ft_plan_blame *blame);

/* The plan of a candidate as a graph. Returns 0, -EINVAL (a bind that does not fit it) or -ENOMEM. */
int ft_plan_build(const struct ft_design *design, const struct ft_candidate *candidate, struct ft_plan **ret_plan,
		  struct ft_error *err, struct ft_plan_blame *blame);

#endif
