/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Which task runs on which host (indirect cube document, end of section 3).
 *
 * consecutive  Tasks are dealt to the hosts in the plan's order: switch by switch.
 * AxB          The hosts of each switch are a block of A by B tasks of the virtual torus, and the switches a grid of
 *              such blocks: that of the plan where it has two dimensions, else the one that makes the virtual torus as
 *              square as possible. Every switch with hosts must have A * B of them.
 */
#ifndef FT_PLANNER_WORK_PLACEMENT_H
#define FT_PLANNER_WORK_PLACEMENT_H

#include "planner/work/net.h"

/* @x 0: consecutive. */
struct ft_placement {
	uint32_t x, y;
	bool automatic; /* 5x4 where the plan is a grid of two dimensions with 20 hosts a switch, else consecutive */
};

/* Reads "auto", "consecutive", "5x4". Returns 0 or -EINVAL. */
int ft_placement_read(const char *string, struct ft_placement *ret);

enum { FT_PLACEMENT_NAME_SIZE = 32 };
const char *ft_placement_name(struct ft_placement placement, char buffer[FT_PLACEMENT_NAME_SIZE]);

/*
 * @placement    "auto" is replaced by what it means for this network
 * @ret_host_of  out: by task; the caller frees it
 * @ret_mesh_x   out: width of the virtual torus; 0: the placement is of none
 * Returns 0, -EINVAL with @err filled (no line), or -ENOMEM.
 */
int ft_placement_make(const struct ft_work_net *traffic, struct ft_placement *placement, uint32_t **ret_host_of,
		      uint32_t *ret_mesh_x, struct ft_error *err);

/* The width of a virtual torus of so many tasks that is as square as possible. */
uint32_t ft_placement_width(uint32_t tasks);

#endif
