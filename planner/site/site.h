/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Imports a site's list of cables (planner/site/sheet.h) into the plan: identifies planned switches by name, and so
 * cables of the plan, hosts, and other rows.
 */
#ifndef FT_PLANNER_SITE_SITE_H
#define FT_PLANNER_SITE_SITE_H

#include "planner/plan/cabling.h"
#include "planner/site/sheet.h"

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
 * the sheet under the plan's name, the names of the sheet become the binding: their tiers follow from the design's
 * patterns, else from their cables. They are spelt as on the live fabric if @known has them.
 *
 * A cable from an edge switch to another name is a host's. All other rows are skipped.
 *
 * An invalid row (a port that the switch does not have or that another row claims, two switches that the plan does not
 * join, a misspelt switch) does not stop the others. Its valid parts are used: its cable is planned, but may be in any
 * port. If it gives no cable, its switches get those of the rules, as does a switch without any row. If a quarter of
 * the rows is invalid, or more than a quarter of the switches has no cable, it is an error: the list is not that of
 * this plan.
 *
 * @known  NULL: nothing is known of the live fabric @faults "LINE:COLUMN: what is wrong", a line each, is added for the
 * first of the invalid rows
 * @notes  one line is added: the numbers of used and skipped rows, and of differences from the computed cabling
 * @err    filled with line, column and text on -EINVAL
 *
 * Returns 1 if rows were skipped or differ, 0 if all is as computed, -EINVAL or -ENOMEM. On failure @design and @plan
 * can only be freed.
 */
int ft_site_import(struct ft_design *design, struct ft_plan *plan, const struct ft_sheet *sheet,
		   const struct ft_site_switch *known, size_t known_count, struct ft_text *faults,
		   struct ft_text *notes, struct ft_error *err);

/*
 * The faults and notes as they go to standard error: "FILE:LINE:COLUMN: what is wrong" a line, and "FILE: notes".
 */
void ft_site_tell(struct ft_text *text, const char *path, const char *faults, const char *notes);

#endif
