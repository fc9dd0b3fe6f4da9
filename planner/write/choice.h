/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * What the search found, for people who choose: one row a design as CSV, several designs side by side, the Pareto
 * front, and the stages of an expansion.
 */
#ifndef FT_PLANNER_WRITE_CHOICE_H
#define FT_PLANNER_WRITE_CHOICE_H

#include "planner/family/search.h"

struct ft_text;

/* The header of SPEC 3. Three levels have columns of their own behind it. */
void ft_csv_header(struct ft_text *text, uint32_t levels, bool family);

/* One row: a candidate for @design, or NULL where no design exists ("none"). */
void ft_csv_row(struct ft_text *text, const struct ft_design *design, const struct ft_candidate *candidate);

/* The same of a plan. Returns 0 or -ENOMEM. */
int ft_csv_plan(struct ft_text *text, const struct ft_plan *plan);

/* The designs of @search in columns, best first, their figures in rows. */
void ft_write_alternatives(struct ft_text *text, const struct ft_design *design, const struct ft_search *search);

/* The designs of a Pareto front, one a line, with the two figures and the switches. */
void ft_write_front(struct ft_text *text, const struct ft_design *design, const struct ft_search *search,
		    enum ft_metric a, enum ft_metric b);

enum { FT_STAGES_MAX = 32 };

/*
 * The stages of an expansion (the tutorial, "Designing for expandability"): the switches are chosen for the last stage,
 * or for the design's nodes_max if that is larger; then each stage is planned with them. What each adds is written, and
 * that no cable laid in one stage moves in a later one is checked cable by cable.
 *
 * @nodes  [count] rising
 *
 * Returns 0, -ENOMEM, or -EINVAL with @err: nothing fits, or a cable would have to move.
 */
int ft_write_stages(struct ft_text *text, const struct ft_design *design, const struct ft_menu *menu,
		    const uint32_t *nodes, size_t count, struct ft_error *err, struct ft_plan_blame *blame);

#endif
