/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Several ways to place the switches of a fabric that may have the fewest faults (match/thorough.c): what the
 * explanation of each costs, and how another one is told that costs as much.
 */
#ifndef FT_VERIFY_CMD_PLACINGS_H
#define FT_VERIFY_CMD_PLACINGS_H

#include "verify/model/model.h"

/*
 * What an explanation costs: its findings of what is built otherwise and what it takes to mend them; then switches
 * outside the places of their names; then what could not be judged; then hosts; then findings, those of hosts included;
 * then cables. Neither findings alone nor moves alone tell: a cycle of eleven exchanged cables is one finding, and
 * three moved cables are no more work than a cycle of three and a moved one.
 */
struct ft_cost {
	uint32_t mending, misnamed, unjudged, hosts, faults, host_findings, cables;
};

/*
 * As in the matching (match/seat.c), it speaks against a placing that a switch is not in the place of its name, or has
 * another number of ports, that an unplanned one has hosts, the more the more cables it has, or that one whose place
 * has hosts has none, unless they are found on a core. So does each cable of an unplanned switch, from the third on,
 * that it would have right in the place of an unseen one: it may be that one. The cases that bit: a HyperX whose switch
 * without hosts lacked three of eleven cables, and a ring that lacked most cables of two bundles and all of a third,
 * were explained by an unplanned switch. Each port whose far end does not answer counts, unless a mute switch explains
 * several.
 * Returns 0 or -ENOMEM.
 */
int ft_cost_of(const struct ft_model *m, struct ft_cost *ret_cost);

/* Below, above or equal to 0, as @a costs less, more or as much. */
int ft_cost_compare(struct ft_cost a, struct ft_cost b);

/* True if two explanations are equally short, whichever moves more cables. */
bool ft_cost_is_like(struct ft_cost a, struct ft_cost b);

/* True if the two have findings of what is built otherwise of other kinds, or other numbers of them. */
bool ft_codes_differ(const struct ft_report *a, const struct ft_report *b);

/* Another placing is the alternative of the findings that are none of its. @how: in words. Returns 0 or -ENOMEM. */
int ft_tie_tell(struct ft_model *m, const struct ft_model *other, const char *how);

/*
 * *@ret_given: the present placing, but with each switch in the place of its name, by observed switch; NULL: it is so
 * already, or names do not count here. @invented: names that the plan invented count as well, if most switches carry
 * them and the plan has switches beside the tree. The caller frees it. Returns 0 or
 * -ENOMEM.
 */
int ft_names_restore(const struct ft_model *m, bool invented, uint32_t **ret_given);

/*
 * *@ret_may: @named, the explanation by these places, takes at most twice as much to mend as @m: up to two cables a
 * switch or so. Beyond that it is the switches that were exchanged. Returns 0 or -ENOMEM.
 */
int ft_names_may_hold(const struct ft_model *m, const struct ft_model *named, bool *ret_may);

#endif
