/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Several ways to place the switches of a fabric that may have the fewest faults (match/thorough.c): what the
 * explanation of each costs, and how another one is told that costs as much.
 */
#ifndef FT_VERIFY_STEPS_PLACINGS_H
#define FT_VERIFY_STEPS_PLACINGS_H

#include "verify/model/model.h"

/*
 * What an explanation costs: its findings of what is built otherwise and what it takes to mend them; then switches
 * outside the places of their names; then what could not be judged; then hosts, too few or too many, told or not; then
 * findings, those of hosts included; then cables. Neither findings alone nor moves alone tell: a cycle of eleven
 * exchanged cables is one finding, and three moved cables are no more work than a cycle of three and a moved one.
 */
struct ft_cost {
	uint32_t mending, misnamed, unjudged, hosts, faults, host_findings, cables;
};

/*
 * Adds to what the findings take to mend, as the matching does (match/seat.c), one for each of these:
 *
 *   - a switch that is not in the place of its name, or has another number of ports than its place
 *   - an unplanned switch with hosts, and each of its cables
 *   - a switch without hosts whose place has some, unless as many hosts are found on cores
 *   - each cable of an unplanned switch, from the third on, that it would have right in the place of an unseen one: it
 *     may be that one. The cases that bit: a HyperX whose switch without hosts lacked three of eleven cables, and a
 *     ring that lacked most cables of two bundles and all of a third, were explained by an unplanned switch
 *
 * A port whose far end does not answer counts by itself, unless a mute switch explains several.
 *
 * @ret_cost  out: untouched on failure
 * Returns 0 or -ENOMEM. O(findings), and O(cables * neighbours) of unplanned switches.
 */
int ft_cost_of(const struct ft_model *m, struct ft_cost *ret_cost);

/* Below, above or equal to 0, as @a costs less, more or as much. */
int ft_cost_compare(struct ft_cost a, struct ft_cost b);

/* True if two explanations are equally short, whichever moves more cables. */
bool ft_cost_is_like(struct ft_cost a, struct ft_cost b);

/* True if the two have findings of what is built otherwise of other kinds, or other numbers of them. */
bool ft_codes_differ(const struct ft_report *a, const struct ft_report *b);

/*
 * Adds the placing of @other, which costs as much, as an alternative to the findings of @m that it does not have.
 * Returns 0 or -ENOMEM.
 */
int ft_tie_tell(struct ft_model *m, const struct ft_model *other);

/*
 * The present placing, but with each switch in the place of its name: where switches are told to be exchanged, or most
 * carry the names that the plan has invented and it has switches beside the tree.
 *
 * @ret_given  out: by observed switch, its place; the caller frees it. NULL: it is so, or names do not count here
 *
 * Returns 0 or -ENOMEM.
 */
int ft_names_restore(const struct ft_model *m, uint32_t **ret_given);

#endif
