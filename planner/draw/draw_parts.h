/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Shared by the drawings. Private to planner/draw*.c.
 *
 * Lengths are in pixels (SVG user units). Functions that draw never fail one by one: an allocation that fails is
 * remembered in the texts they add to.
 */
#ifndef FT_PLANNER_DRAW_DRAW_PARTS_H
#define FT_PLANNER_DRAW_DRAW_PARTS_H

#include <stdbool.h>

#include "base/text.h"
#include "planner/draw/draw.h"

/* Switches that are drawn as one: consecutive ones of the plan, all of one tier. */
struct ft_draw_group {
	enum ft_tier tier;
	uint32_t first, count;
	uint32_t pod, pod_last; /* of its switches; FT_NONE for the core tier */
};

/* All bundles between two groups. */
struct ft_draw_bond {
	uint32_t lower, upper; /* groups */
	uint32_t bundle;       /* the first of them */
	uint32_t pairs;	       /* how many they are */
	uint32_t least, most;  /* cables of the thinnest and of the thickest */
	uint64_t cables;
	uint64_t missing, unjudged, slow, surplus;
};

struct ft_drawing {
	const struct ft_design *design;
	struct ft_plan tree;		   /* the plan without islands: nothing is drawn beside the tree */
	const struct ft_plan *plan;	   /* that */
	const struct ft_draw_marks *marks; /* or NULL */
	uint32_t *first; /* [switch_count + 1]: the bundles of a lower switch are [first, next first) */
	bool *loud;	 /* by switch: its marks are not only those explained by a lost neighbour */
	struct ft_draw_group *groups;
	uint32_t group_count;
	uint32_t *group_of; /* by switch */
	struct ft_draw_bond *bonds;
	uint32_t bond_count;
	char **labels;		      /* by switch; owned */
	int width_min;		      /* of the whole drawing, its margins not counted */
	struct ft_text name, clipped; /* scratch */
};

enum {
	FT_DRAW_LINES_MAX = 60,	    /* sentences beneath the drawing; more are no drawing's */
	FT_DRAW_STRANGERS_MAX = 40, /* names of unplanned switches */
	FT_DRAW_LABEL_WIDTH = 150,  /* of one switch, at a font of 11 */
};

struct ft_draw_size {
	int width, height;
};

/*
 * Looks at the plan. @fold: switches that are alike and unmarked become one group, and so do pods.
 * Returns 0, -EINVAL with @err filled, or -ENOMEM. To be released in any case.
 */
int ft_drawing_init(struct ft_drawing *d, const struct ft_design *design, const struct ft_plan *plan,
		    const struct ft_draw_marks *marks, struct ft_error *err);
int ft_drawing_group(struct ft_drawing *d, bool fold);
void ft_drawing_release(struct ft_drawing *d);
bool ft_drawing_failed(const struct ft_drawing *d);

/* Of an unmarked plan these say ok, and nothing is missing. */
enum ft_draw_state ft_drawing_state(const struct ft_drawing *d, uint32_t index);
struct ft_draw_bundle_mark ft_drawing_bundle(const struct ft_drawing *d, uint32_t bundle);
uint32_t ft_drawing_hosts_planned(const struct ft_drawing *d, uint32_t index);
uint32_t ft_drawing_hosts_seen(const struct ft_drawing *d, uint32_t index);

/* The hosts of the switches of a group: from the fewest to the most on any. */
struct ft_draw_hosts {
	uint32_t planned_least, planned_most;
	uint32_t seen_least, seen_most;
	bool lack, differ; /* on some fewer, or another number, are seen than planned */
};
struct ft_draw_hosts ft_drawing_group_hosts(const struct ft_drawing *d, const struct ft_draw_group *group);

/* The state of a group: that of all its switches, or degraded where they differ. */
enum ft_draw_state ft_drawing_group_state(const struct ft_drawing *d, const struct ft_draw_group *group);

/* "20", "14 to 20". */
void ft_draw_add_range(struct ft_text *text, uint32_t least, uint32_t most);
bool ft_draw_mark_is_clean(const struct ft_draw_bundle_mark *mark);

/*
 * Whether switches @a and @b differ in their names only: the same hosts and bundles and, with @marks, no marks except
 * the same lost neighbours.
 */
bool ft_drawing_alike(const struct ft_drawing *d, uint32_t a, uint32_t b, bool marks);

/*
 * The end of the segment that begins with switch @first: switches of the same tier and pod. All cores are one segment.
 */
uint32_t ft_drawing_segment(const struct ft_drawing *d, uint32_t first);

/* The same for whole segments of equal length; and the number of the colour of an upper switch. */
bool ft_drawing_segments_alike(const struct ft_drawing *d, uint32_t a, uint32_t b, uint32_t count, bool marks);
const char *ft_drawing_colour(const struct ft_drawing *d, uint32_t upper);
const char *ft_drawing_bond_colour(const struct ft_drawing *d, const struct ft_draw_bond *bond);

/* The name of a switch, safe but not escaped. Valid until the next call. */
const char *ft_drawing_name(struct ft_drawing *d, uint32_t index);

/* "edge001", "edge001 to edge018". Likewise. */
const char *ft_drawing_group_name(struct ft_drawing *d, const struct ft_draw_group *group);

/*
 * Labels: names short enough to be drawn, and different where the names of a tier are. Safe, not escaped. The first
 * makes them, and returns 0 or -ENOMEM.
 */
int ft_drawing_labels(struct ft_drawing *d);
const char *ft_drawing_label(const struct ft_drawing *d, uint32_t index);
void ft_drawing_group_label(const struct ft_drawing *d, const struct ft_draw_group *group, struct ft_text *text);

/* The plan in one sentence; the tooltip of a group or bond. Safe, not escaped. */
void ft_drawing_summary(const struct ft_drawing *d, struct ft_text *text);
void ft_drawing_group_words(struct ft_drawing *d, const struct ft_draw_group *group, struct ft_text *text);
void ft_drawing_bundle_words(struct ft_drawing *d, uint32_t bundle, struct ft_text *text);
void ft_drawing_bond_words(struct ft_drawing *d, const struct ft_draw_bond *bond, struct ft_text *text);

/* What stands on a line: "9", "8/9" where one of nine is missing, "1-2" where they differ. */
void ft_drawing_bond_label(const struct ft_draw_bond *bond, struct ft_text *text);

/* Adds @string, made safe, as character data or an attribute's value of XML; or as what is between quotes of DOT. */
void ft_draw_add_xml(struct ft_text *text, const char *string);
void ft_draw_add_dot(struct ft_text *text, const char *string);

/* About how wide @string comes out. Fonts differ: this is a wide one. */
int ft_draw_text_width(const char *string, int font);

/* @string, or as much of it as @width holds, with an ellipsis in the middle. Adds to @text, unescaped. */
void ft_draw_clip(struct ft_text *text, const char *string, int font, int width);

/*
 * How many bytes of @string are the next line of a text @width wide; at least one character. @ret_skip: the blank after
 * it.
 */
size_t ft_draw_wrap(const char *string, int font, int width, size_t *ret_skip);

/* The bodies of an SVG. Each adds to @text at the origin and returns the room it took. */
int ft_draw_picture(struct ft_drawing *d, struct ft_text *text, struct ft_draw_size *ret_size);
int ft_draw_matrix(struct ft_drawing *d, struct ft_text *text, enum ft_tier lower, struct ft_draw_size *ret_size);

int ft_draw_circle(struct ft_drawing *d, struct ft_text *text, struct ft_draw_size *ret_size);
int ft_draw_square(struct ft_drawing *d, struct ft_text *text, struct ft_draw_size *ret_size);

/* Whether all cables of the plan lead between switches with hosts and switches without, as in a tree of two levels. */
bool ft_drawing_is_layered(const struct ft_drawing *d);

/* The patterns of marked cells of a matrix. */
void ft_draw_patterns(struct ft_text *text);

/* A legend that flows from left to right. */
struct ft_draw_legend {
	struct ft_text *text;
	int x, y;  /* where the next item comes */
	int width; /* of a line */
};

/* Adds an item: @words, behind 26 x 14 pixels of @swatch (SVG). */
void ft_draw_legend_add(struct ft_draw_legend *legend, const char *words, const char *swatch, ...)
	__attribute__((format(printf, 3, 4)));

/* What the marks mean, as far as there are any, in a picture or in a matrix; where the legend ends. */
void ft_draw_legend_marks(const struct ft_drawing *d, struct ft_draw_legend *legend, bool matrix);
int ft_draw_legend_end(const struct ft_draw_legend *legend);

/* "<title>…</title>" of what was added to @words, which is emptied. */
void ft_draw_add_title(struct ft_text *text, struct ft_text *words);

#define FT_DRAW_SEVERAL "#111111" /* a line to switches of several colours */
#define FT_DRAW_RED "#c8200c"
#define FT_DRAW_AMBER "#b86e00"
#define FT_DRAW_VIOLET "#7b2d8b"

#endif
