/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The forwarding tables of a fabric as ways through the network of its observed plan (measure/observed.h): which cable
 * of which bundle a message takes. Host number n of a planned switch is the n-th observed one there, by switch port.
 */
#ifndef FT_VERIFY_ROUTES_FORWARD_H
#define FT_VERIFY_ROUTES_FORWARD_H

#include "planner/work/paths.h"
#include "verify/routes/routes.h"

struct ft_forward {
	struct ft_walk walk;	      /* whose memory all is in */
	struct ft_step *step_of_link; /* bundle FT_NONE: it stays in its director, or leads to no switch of the plan */
	uint32_t *target_of_host;     /* by host of the net; FT_NONE: it has no LID that can be told */
	uint32_t *entry_of_host;      /* by host of the net: the hop where its messages begin */
	struct ft_forwarding forwarding; /* of these; valid as long as they are, and @net */
};

/*
 * @m    a finished model, with routes among its inputs; must outlive @ret, as must @net
 * @net  of the observed plan of @m
 * The caller releases @ret, all 0 before, also on failure. Returns 0 or -ENOMEM.
 */
int ft_forward_make(struct ft_model *m, const struct ft_work_net *net, struct ft_forward *ret);
static inline void ft_forward_release(struct ft_forward *forward)
{
	ft_walk_release(&forward->walk);
}

#endif
