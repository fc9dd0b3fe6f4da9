/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Where the switches of a graph are drawn. Private to planner/draw.
 *
 * On a circle in the plan's order; or, where the plan has groups, each group as a circle of its own in a frame (or as
 * two rows, if some have no hosts), and the frames on a circle; or, where it is a grid, in rows and columns: the last
 * dimension along the columns, the one before along the rows. Of more dimensions each such sheet is in a frame, and the
 * frames are rows and columns again.
 */
#ifndef FT_PLANNER_DRAW_SPREAD_H
#define FT_PLANNER_DRAW_SPREAD_H

#include "planner/draw/draw_parts.h"

struct ft_draw_node {
	int x, y; /* of its middle */
	int w;
	uint32_t frame;	      /* 0 where there are none */
	uint32_t row, column; /* of a grid, in its frame */
};

struct ft_draw_frame {
	int x, y, w, h;
	uint32_t row, column; /* of a grid */
	uint32_t first;	      /* a switch in it */
};

/* All cables between two frames of a grid, which are drawn as one line. */
struct ft_draw_span {
	uint32_t pairs;
	uint32_t least, most; /* cables of a pair */
};

enum ft_draw_shape { FT_DRAW_CIRCLE, FT_DRAW_GROUPS, FT_DRAW_GRID };

struct ft_draw_spread {
	enum ft_draw_shape shape;
	int width, height;
	struct ft_draw_node *nodes; /* by switch; owned */
	struct ft_draw_frame *frames;
	uint32_t frame_count;		    /* 0: none are drawn */
	struct ft_draw_span *spans;	    /* of a grid: [frame_count * frame_count], the lower frame first; owned */
	int *bend_row, *bend_column;	    /* of a grid: how far a line bends that leads so many places along; owned */
	bool rows_crowded, columns_crowded; /* there are bends of several kinds */
};

/* A line between two switches or frames: straight, or a curve with two control points. */
struct ft_draw_curve {
	int x1, y1, cx1, cy1, cx2, cy2, x2, y2;
	bool straight;
	int label_x, label_y; /* where its count stands */
	bool crowded;	      /* others run beside it: a count would be in their way */
};

/* The shape that the plan is drawn in, and whether it is small enough for that. */
enum ft_draw_shape ft_draw_shape_of(const struct ft_plan *plan);
bool ft_draw_spread_fits(const struct ft_plan *plan);

/* Returns 0 or -ENOMEM. To be released in any case. */
int ft_draw_spread_make(const struct ft_drawing *d, struct ft_draw_spread *spread);
void ft_draw_spread_release(struct ft_draw_spread *spread);

/* The way of a bundle; and of the line between frames @a and @b of a grid. */
struct ft_draw_curve ft_draw_spread_curve(const struct ft_draw_spread *spread, uint32_t a, uint32_t b);
struct ft_draw_curve ft_draw_spread_frame_curve(const struct ft_draw_spread *spread, uint32_t a, uint32_t b);

/* @size * sin(@angle / FT_DRAW_TURN of a full turn). */
enum { FT_DRAW_TURN = 1 << 16, FT_DRAW_BOX_HEIGHT = 34, FT_DRAW_NAME_FONT = 11 };
int ft_draw_sine(int size, int angle);

#endif
