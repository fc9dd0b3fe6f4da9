/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Drawings of a plan, as SVG or for graphviz, as it is or with what is wrong with the fabric marked in it.
 *
 * Small plans are drawn as the tutorial's Fig. 2 ("Fat-tree networks"): hosts below, edge switches, spines if there are
 * any, core switches above, each bundle a thick line with its count. Larger ones are matrices of bundles, lower
 * switches by upper ones, and, where there are three levels, a picture in which like pods are one.
 */
#ifndef FT_PLANNER_DRAW_DRAW_H
#define FT_PLANNER_DRAW_DRAW_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "planner/plan/plan.h"

/* How a planned switch is. */
enum ft_draw_state {
	FT_DRAW_OK,
	FT_DRAW_DEGRADED, /* some of its cables are not in their place */
	FT_DRAW_LOST,	  /* missing, or cut off */
	FT_DRAW_UNKNOWN,  /* could not be judged */
};

enum ft_draw_severity { FT_DRAW_INFO, FT_DRAW_WARNING, FT_DRAW_CRITICAL };

/*
 * All strings here may hold any bytes: they are escaped on their way out. They are owned by the marks.
 */
struct ft_draw_switch_mark {
	enum ft_draw_state state;
	uint32_t hosts;		/* that were seen on it; FT_NONE: not known */
	uint32_t hosts_planned; /* that should be on it; FT_NONE: as many as the plan says */
	char *name;		/* that it goes by; NULL: the plan's */
	char *note;		/* tooltip; NULL: none */
};

/* Cables of a bundle. @missing and @unjudged are none of the ones that are there; @slow are some of them. */
struct ft_draw_bundle_mark {
	uint32_t missing;
	uint32_t unjudged;
	uint32_t slow;
	uint32_t surplus; /* beyond the bundle's count */
	char *note;
};

/* A cable that is not where the plan has one. The ends may be the same switch. */
struct ft_draw_link {
	uint32_t a, b;	 /* planned switches */
	uint32_t number; /* number of its line among the sentences, from 1; 0: none */
	char *note;
};

/* A sentence beneath the drawing. */
struct ft_draw_line {
	enum ft_draw_severity severity;
	char *text;
};

struct ft_draw_marks {
	char *headline; /* in place of the plan's summary; NULL: none */
	enum ft_draw_severity severity;
	struct ft_draw_switch_mark *switches; /* [plan->switch_count] */
	struct ft_draw_bundle_mark *bundles;  /* [plan->bundle_count] */
	size_t switch_count, bundle_count;
	struct ft_draw_link *links;
	size_t link_count;
	struct ft_draw_line *lines;
	size_t line_count;
	char **strangers; /* names of switches that are there unplanned */
	size_t stranger_count;
};

/*
 * Empty marks: every switch ok, every bundle complete.
 *
 * @ret_marks  out: the caller frees it. Untouched on failure.
 * Returns 0 or -ENOMEM.
 */
int ft_draw_marks_new(const struct ft_plan *plan, struct ft_draw_marks **ret_marks);

void ft_draw_marks_free(struct ft_draw_marks *marks);
static inline void ft_draw_marks_freep(struct ft_draw_marks **marks)
{
	ft_draw_marks_free(*marks);
}

/* Each adds one, with strings of its own. Return 0 or -ENOMEM; the marks stay as they were then. */
int ft_draw_marks_add_link(struct ft_draw_marks *marks, uint32_t a, uint32_t b, uint32_t number, const char *note);
int ft_draw_marks_add_line(struct ft_draw_marks *marks, enum ft_draw_severity severity, const char *text);
int ft_draw_marks_add_stranger(struct ft_draw_marks *marks, const char *name);

/*
 * The drawing, added to @text: one SVG 1.1 document, needing nothing else; or one undirected graph in the DOT language.
 *
 * @design  names the drawing
 * @marks   made for @plan; NULL: the plan as it is
 * @err     filled on -EINVAL: marks of another plan
 *
 * Returns 0, -EINVAL or -ENOMEM.
 */
int ft_draw_svg(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan,
		const struct ft_draw_marks *marks, struct ft_error *err);
int ft_draw_dot(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan,
		const struct ft_draw_marks *marks, struct ft_error *err);

#endif
