/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What the import of a site's list of cables is made of. Private to planner/site*.c. */
#ifndef FT_PLANNER_SITE_SITE_PARTS_H
#define FT_PLANNER_SITE_SITE_PARTS_H

#include "planner/plan/names.h"
#include "planner/site/site.h"

/* A name of the sheet, in one spelling. */
struct ft_site_name {
	const char *text;		  /* by the design's "names", else as in the sheet; not owned */
	char *rewritten;		  /* owned; NULL: @text is the sheet's */
	const struct ft_sheet_cell *cell; /* where it stands first */
	uint32_t sw;			  /* the planned switch; FT_NONE: none */
	uint32_t board, chip;		  /* that the name says; 0: none */
	uint32_t same;			  /* the first name of this normal form */
	uint32_t rows;			  /* of the sheet that have it, each port once; counted at @same */
	uint32_t spelt;			  /* of these, in this spelling */
	char *normal;			  /* its normal form; owned */
	char *host;    /* what a host of this name calls itself: without the domain; owned, or NULL */
	char *why;     /* rows of it are doubtful, as it cannot be told or printed; owned, or NULL */
	bool expected; /* the design knows that it is there unplanned */
};

struct ft_site {
	struct ft_design *design;
	struct ft_plan *plan;
	const struct ft_sheet *sheet;
	const struct ft_site_switch *known;
	size_t known_count;
	uint32_t island_switches; /* behind those of the plan, which is without them meanwhile */
	struct ft_error *err;

	struct ft_site_name *names;
	size_t name_count;
	uint32_t (*ends)[2]; /* by row: indices of names; FT_NONE: there is none */

	const char **planned; /* names of the planned switches; not owned */
	struct ft_names planned_index;
	const char **known_names; /* not owned */
	struct ft_names known_index;

	bool bound[FT_TIER_COUNT]; /* by the names of the sheet */
	bool strange;		   /* of such a tier, none is a name on the live fabric, though that is known */
};

/* -EINVAL with the place of a cell. */
int ft_site_error(const struct ft_site *site, const struct ft_sheet_cell *cell, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Looks up the planned switches anew; the indices of names are filled. Returns 0, -EINVAL or -ENOMEM. */
int ft_site_resolve(struct ft_site *site);

/*
 * Binds the tiers of the plan that no name of the sheet was found for. Returns 1 where something was bound, and names
 * are to be looked up again; 0, -EINVAL or -ENOMEM.
 */
int ft_site_bind(struct ft_site *site);

/*
 * Three levels: orders the names of @list (by planned switch) so that pods and planes are those of the cables. Returns
 * 0, -EINVAL or -ENOMEM.
 */
int ft_site_group(struct ft_site *site, uint32_t *list);

/*
 * Makes the rows part of the plan. Invalid ones are listed in @faults, as ft_site_import() has them.
 * Returns 1 where @notes are worth reading, 0, -EINVAL or -ENOMEM.
 */
int ft_site_take_rows(struct ft_site *site, struct ft_text *faults, struct ft_text *notes);

/* The design's text with the cables and hosts of the plan, and what is bound. Returns 0 or -ENOMEM. */
int ft_site_write(struct ft_site *site);

#endif
