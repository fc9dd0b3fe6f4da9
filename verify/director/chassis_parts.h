/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Shared by the steps that merge chips into directors. Private to chassis.c and the files of its steps. */
#ifndef FT_VERIFY_DIRECTOR_CHASSIS_PARTS_H
#define FT_VERIFY_DIRECTOR_CHASSIS_PARTS_H

#include "base/numbers.h"
#include "planner/plan/wiring.h"
#include "verify/model/chassis.h"

#define FT_NO_GROUP UINT32_MAX

/* The role of a chip in its group. */
enum ft_chip_role { FT_CHIP_NONE, FT_CHIP_LINE, FT_CHIP_FABRIC };

/* The fabric chip by chip. */
struct ft_chip_graph {
	const struct ft_snapshot *s;
	const struct ft_design *design; /* or NULL */
	const struct ft_plan *plan;	/* or NULL */
	struct ft_multigraph cables;	/* a vertex is a node; without those to aggregation nodes */

	/* Figures of the plan. */
	uint32_t ports[FT_DIRECTOR_KINDS]; /* outer ports of directors; 0: no directors of the kind */
	uint32_t directors, others;	   /* numbers of switches that are, and are not, directors */
	uint32_t hosts;			   /* the largest number on a switch */
	bool apart; /* hosts are on all switches except directors, and directors are not cabled to each other */
};

/* The switch nodes of a fabric in groups that form one director each. */
struct ft_groups {
	const struct ft_chip_graph *g;
	uint32_t *group;  /* by node: its group, or FT_NO_GROUP */
	uint8_t *role;	  /* by node: enum ft_chip_role */
	uint8_t *pattern; /* by node: the kind of director whose chassis pattern matches, or FT_DIRECTOR_KINDS */
	uint32_t count;	  /* groups; each is a director */
};

/* groups.c: the caller releases the graph, also on failure. Returns 0 or -ENOMEM. */
int ft_chip_graph_make(const struct ft_snapshot *chips, const struct ft_design *design, const struct ft_plan *plan,
		       struct ft_chip_graph *ret);

/* groups.c: finds the groups. The caller releases @ret also on failure. Returns 0 or -ENOMEM. */
int ft_groups_find(const struct ft_chip_graph *g, struct ft_groups *ret);
void ft_groups_release(struct ft_groups *g);

/* groups.c: hosts cabled to the node. */
uint32_t ft_chip_hosts(const struct ft_chip_graph *g, uint32_t node);

/* boards.c: gives each chip its board and number, and each director what was seen inside it. */
int ft_boards_number(struct ft_chassis *c, const struct ft_chip_graph *g);

/* The plan's figures for the inside of directors of @kind; all 0 if there are none. */
static inline struct ft_inside ft_inside_planned(const struct ft_chip_graph *g, unsigned int kind)
{
	return g->plan ? g->plan->inside[kind] : (struct ft_inside){0};
}

#endif
