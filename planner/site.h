/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * A site's list of cables (planner/sheet.h) brought together with the plan: which of its names are planned switches,
 * and so what is a cable of the plan, what a host, and what neither.
 */
#ifndef FT_PLANNER_SITE_H
#define FT_PLANNER_SITE_H

#include "planner/cabling.h"
#include "planner/sheet.h"

struct ft_text;

/* A switch of the live fabric, where that is known. Borrowed. */
struct ft_site_switch {
	const char *name; /* its node description */
	uint64_t guid;
};

/*
 * Makes the cables and hosts of @sheet part of @plan and of the text of @design, which then gives this plan again.
 *
 * Names are those of planned switches in any spelling (ft_names_find()), once they went through the design's "names";
 * or of live ones whose GUIDs are bound. Where no switch of a tier that the design does not bind by name is found in
 * the sheet under the plan's name, the names of the sheet become the binding: which of them are of which tier is told
 * by the pattern that is bound, else by their cables. They are spelt as on the live fabric where @known has them.
 *
 * A cable from an edge switch to something else is a host's. Whatever else there is, is passed over.
 *
 * A row that cannot be right (a port that the switch does not have or that another row claims, two switches that the
 * plan does not join, a name that is no switch but looks like one) does not stop the others. As far as it goes it is
 * taken: its cable is planned, but may be in any port. Where it tells of no cable, its switches have those that the
 * rules give, as has a switch of which the list has none. Where a quarter of the rows is wrong, or more than a quarter
 * of the switches has no cable, it is an error: the list is of something else.
 *
 * @known  NULL: nothing is known of the live fabric
 * @faults "LINE:COLUMN: what is wrong", a line each, is added for the first of the rows that cannot be right
 * @notes  one line for people is added: how much was taken, what was passed over, and what differs from the computed
 *         cabling
 * @err    filled with line, column and text on -EINVAL
 *
 * Returns 1 where the notes are worth reading (something was passed over, or differs), 0 where all is as computed,
 * -EINVAL or -ENOMEM. On failure @design and @plan are of no use but to be freed.
 */
int ft_site_import(struct ft_design *design, struct ft_plan *plan, const struct ft_sheet *sheet,
		   const struct ft_site_switch *known, size_t known_count, struct ft_text *faults,
		   struct ft_text *notes, struct ft_error *err);

/*
 * The faults and notes as they go to standard error: "FILE:LINE:COLUMN: what is wrong" a line, and "FILE: notes".
 */
void ft_site_tell(struct ft_text *text, const char *path, const char *faults, const char *notes);

#endif
