/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * A what-if fabric: a copy of a snapshot to which the actions of findings are applied, to predict the snapshot after
 * the repair. The real fabric is not touched.
 *
 * Assumptions: a replugged cable is good; parts that were not seen are as planned. A dead switch comes back with its
 * planned cables, in the ports that went down, and with the nodes reachable only through it. Boards and directors do
 * not come back here, as every chip, port and trace of them would be made up: with them back, their finding is
 * repaired.
 */
#ifndef FT_VERIFY_REPAIR_WHAT_IF_H
#define FT_VERIFY_REPAIR_WHAT_IF_H

#include "planner/plan/variant.h"
#include "verify/model/model.h"

struct ft_what_if;

/*
 * @m  the finished model of the snapshot, borrowed for as long as the what-if fabric lives
 * Returns 0 or -ENOMEM.
 */
int ft_what_if_new(const struct ft_model *m, struct ft_what_if **ret_what_if);
void ft_what_if_free(struct ft_what_if *what_if);
static inline void ft_what_if_freep(struct ft_what_if **what_if)
{
	ft_what_if_free(*what_if);
}

/*
 * Reserves the ports that @action names (or, @wanted false, releases them): no other action takes them as free ports,
 * and a switch with a restoring action of its own is not restored with another one.
 */
void ft_what_if_reserve(struct ft_what_if *what_if, const struct ft_action *action, bool wanted);

/*
 * Carries out @action of the finding @because.
 *
 * Returns 0; -EBUSY (a port for it is taken, or none is free); -ENODEV (the switch or the cable is not there); -ENOTSUP
 * (a snapshot cannot show its effect: a setting; a board, or a whole director); -ENOMEM.
 */
int ft_what_if_do(struct ft_what_if *what_if, const struct ft_action *action, const struct ft_finding *because);

/* True if a cable is in that port. */
bool ft_what_if_is_taken(const struct ft_what_if *what_if, const struct ft_place *place);

/*
 * The snapshot of a sweep after the actions: unreachable nodes are dropped. The caller frees it. Returns 0 or -ENOMEM.
 */
int ft_what_if_look(const struct ft_what_if *what_if, struct ft_snapshot **ret_snapshot);

/*
 * The plan to verify that snapshot against: that of the input, with the switches bound by GUID to the places that they
 * have. The assignment is known, and does not change while cables are moved. To repeat it would take four fifths of a
 * verification; and where several assignments explain a fabric equally well, each step might take another one.
 *
 * A variant of the input's plan; the caller frees it. NULL: no memory.
 */
struct ft_plan *ft_what_if_plan(const struct ft_what_if *what_if);

#endif
