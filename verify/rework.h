/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * A fabric on paper: a copy of a snapshot on which the actions of findings are carried out, to see what a sweep would
 * see then. Nothing of the real fabric is touched.
 *
 * A cable that is plugged anew is taken to be a good one. What was not seen is taken to be as planned: a dead switch
 * comes back with its planned cables, in the ports that went dark, and with what nobody saw but through it. Boards of
 * directors come back chip by chip, each after the likeness of one on another board, directors after another one.
 */
#ifndef FT_VERIFY_REWORK_H
#define FT_VERIFY_REWORK_H

#include "verify/report.h"
#include "verify/verify.h"

struct ft_rework;

/*
 * @input   its design, plan and snapshot are borrowed for as long as the rework lives
 * @report  what was found on that snapshot: which switch is which planned one; borrowed likewise
 * Returns 0 or -ENOMEM.
 */
int ft_rework_new(const struct ft_verify_input *input, const struct ft_report *report, struct ft_rework **ret_rework);
void ft_rework_free(struct ft_rework *rework);
static inline void ft_rework_freep(struct ft_rework **rework)
{
	ft_rework_free(*rework);
}

/*
 * The ports that @action names are spoken for (or, @wanted false, no longer): no other action that takes any free port
 * gets them, and a switch that is brought back by an action of its own does not come back with another one.
 */
void ft_rework_reserve(struct ft_rework *rework, const struct ft_action *action, bool wanted);

/*
 * Carries out @action of the finding @because.
 *
 * Returns 0; -EBUSY (a port for it is taken, or none is free); -ENODEV (the switch or the cable is not there);
 * -ENOTSUP (it changes nothing that a snapshot shows as it is known: a setting; a
 * director without its like); -ENOMEM.
 */
int ft_rework_do(struct ft_rework *rework, const struct ft_action *action, const struct ft_finding *because);

/* True where a cable is in that port. */
bool ft_rework_is_taken(const struct ft_rework *rework, const struct ft_place *place);

/* What a sweep would see now: what nothing leads to is gone. The caller frees it. Returns 0 or -ENOMEM. */
int ft_rework_look(const struct ft_rework *rework, struct ft_snapshot **ret_snapshot);

#endif
