/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/draw/spread.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"

enum {
	BOX_GAP = 18,	 /* between neighbours on a circle */
	GRID_GAP = 34,	 /* between boxes of a grid, and more where lines bend around them */
	BEND = 46,	 /* of the shortest line around boxes */
	BEND_MORE = 14,	 /* of each longer one */
	BEND_APART = 66, /* of one that leads to another frame */
	BEND_FRAME = 52, /* of a line around a frame */
	ROWS_GAP = 90,	 /* between the two rows of a group */
	RADIUS_MIN = 150,
	FRAME_PAD = 14,
	FRAME_CAPTION = 20,
	FRAME_GAP = 66,
	FRAME_GAP_ROWS = 92, /* lines that bend around frames run there too */
	GROUP_GAP = 30,
	CIRCLE_SWITCHES = 40,
	CIRCLE_BUNDLES = 250,
	GROUPS_SWITCHES = 108,
	GROUPS_BUNDLES = 700,
	GRID_SWITCHES = 260,
	GRID_BUNDLES = 1600,
	GRID_FRAMES = 36,
};

static int larger(int a, int b)
{
	return a > b ? a : b;
}

/* ---- which shape ---- */

/* The dimensions of a plan that have more than one switch; 0: it is no grid. */
static uint32_t sides_of(const struct ft_plan *plan, uint32_t sides[FT_DIMENSIONS_MAX])
{
	uint64_t product = 1;
	uint32_t count = 0;

	for (uint32_t i = 0; i < plan->dim_count && product <= plan->switch_count; i++) {
		product *= plan->dims[i];
		if (plan->dims[i] > 1)
			sides[count++] = plan->dims[i];
	}
	return product == plan->switch_count ? count : 0;
}

static bool has_groups(const struct ft_plan *plan)
{
	if (plan->group_count < 2)
		return false;
	for (uint32_t i = 0; i < plan->switch_count; i++)
		if (plan->switches[i].group >= plan->group_count)
			return false;
	return true;
}

/* A grid of one dimension is a ring or a line, and drawn as a circle. */
enum ft_draw_shape ft_draw_shape_of(const struct ft_plan *plan)
{
	uint32_t sides[FT_DIMENSIONS_MAX];

	if (sides_of(plan, sides) > 1)
		return FT_DRAW_GRID;
	return has_groups(plan) ? FT_DRAW_GROUPS : FT_DRAW_CIRCLE;
}

bool ft_draw_spread_fits(const struct ft_plan *plan)
{
	uint32_t sides[FT_DIMENSIONS_MAX], frames = 1, count = sides_of(plan, sides);

	switch (ft_draw_shape_of(plan)) {
	case FT_DRAW_GRID:
		for (uint32_t i = 0; i + 2 < count; i++)
			frames *= sides[i];
		return plan->switch_count <= GRID_SWITCHES && plan->bundle_count <= GRID_BUNDLES &&
		       frames <= GRID_FRAMES;
	case FT_DRAW_GROUPS:
		return plan->switch_count <= GROUPS_SWITCHES && plan->bundle_count <= GROUPS_BUNDLES;
	case FT_DRAW_CIRCLE:
		break;
	}
	return plan->switch_count <= CIRCLE_SWITCHES && plan->bundle_count <= CIRCLE_BUNDLES;
}

/* ---- circles ---- */

/* By Bhaskara's approximation, which is within 0.2 % of @size. */
int ft_draw_sine(int size, int angle)
{
	int64_t half = FT_DRAW_TURN / 2, p = angle & (FT_DRAW_TURN - 1);
	bool negative = p >= half;
	int64_t product;

	p -= negative ? half : 0;
	product = p * (half - p);
	return (int)((negative ? -1 : 1) * (16 * product * size) / (5 * half * half - 4 * product));
}

static int label_width(const struct ft_drawing *d, uint32_t index)
{
	enum { PAD = 18, WIDTH_MIN = 58 };
	int width = ft_draw_text_width(ft_drawing_label(d, index), FT_DRAW_NAME_FONT) + PAD;

	return width < WIDTH_MIN ? WIDTH_MIN : width;
}

static int widths_find(const struct ft_drawing *d, struct ft_draw_spread *s)
{
	int widest = 0;

	for (uint32_t i = 0; i < d->plan->switch_count; i++) {
		s->nodes[i].w = label_width(d, i);
		widest = larger(widest, s->nodes[i].w);
	}
	return widest;
}

/* Number @index of @count, the first on top, then clockwise. */
static void on_circle(uint32_t index, uint32_t count, int radius_x, int radius_y, int *x, int *y)
{
	int angle = (int)((int64_t)index * FT_DRAW_TURN / count);

	*x += ft_draw_sine(radius_x, angle);
	*y -= ft_draw_sine(radius_y, angle + FT_DRAW_TURN / 4);
}

static bool two_meet(uint32_t count, int w, int h, int radius_x, int radius_y)
{
	for (uint32_t i = 1; i < count; i++) {
		int x = 0, y = 0, next_x = 0, next_y = 0;

		on_circle(i - 1, count, radius_x, radius_y, &x, &y);
		on_circle(i, count, radius_x, radius_y, &next_x, &next_y);
		if (abs(next_x - x) < w && abs(next_y - y) < h)
			return true;
	}
	return false;
}

/* The radii of an ellipse on which @count things of this size, their gaps included, do not meet. */
static void radii_find(uint32_t count, int w, int h, int least, int *ret_x, int *ret_y)
{
	/* 2 * pi is little more than 6. */
	*ret_x = larger((int)count * w / 6, least);
	*ret_y = larger((int)count * h / 6, least);
	while (two_meet(count, w, h, *ret_x, *ret_y)) {
		*ret_x += *ret_x / 16 + 1;
		*ret_y += *ret_y / 16 + 1;
	}
}

/* The circle is wider than high, as boxes are. */
static void spread_circle(const struct ft_drawing *d, struct ft_draw_spread *s)
{
	uint32_t count = d->plan->switch_count;
	int widest = widths_find(d, s), radius_x, radius_y;

	radii_find(count, widest + BOX_GAP, FT_DRAW_BOX_HEIGHT + 2 * BOX_GAP, RADIUS_MIN, &radius_x, &radius_y);
	s->width = 2 * radius_x + widest;
	s->height = 2 * radius_y + FT_DRAW_BOX_HEIGHT + BOX_GAP;
	for (uint32_t i = 0; i < count; i++) {
		s->nodes[i].x = s->width / 2;
		s->nodes[i].y = s->height / 2;
		on_circle(i, count, radius_x, radius_y, &s->nodes[i].x, &s->nodes[i].y);
	}
}

/* ---- groups ---- */

/* Members of groups on their way to their places: those with hosts, and the others. */
struct members {
	uint32_t (*counts)[2], (*next)[2]; /* by group; owned */
	uint32_t most, most_in_row;
	bool rows; /* some groups have both: then all are two rows, those with hosts below; else circles */
	int pitch, radius_x, radius_y;
};

static void members_release(struct members *m)
{
	free(m->counts);
	free(m->next);
}

static int members_count(const struct ft_plan *plan, struct members *m)
{
	m->counts = calloc(plan->group_count, sizeof(*m->counts));
	m->next = calloc(plan->group_count, sizeof(*m->next));
	if (!m->counts || !m->next)
		return -ENOMEM;
	for (uint32_t i = 0; i < plan->switch_count; i++)
		m->counts[plan->switches[i].group][plan->switches[i].tier == FT_TIER_EDGE]++;
	for (uint32_t i = 0; i < plan->group_count; i++) {
		uint32_t with = m->counts[i][1], without = m->counts[i][0];

		m->rows |= with > 0 && without > 0;
		m->most = with + without > m->most ? with + without : m->most;
		m->most_in_row = with > m->most_in_row ? with : m->most_in_row;
		m->most_in_row = without > m->most_in_row ? without : m->most_in_row;
	}
	return 0;
}

/* All frames are as large as the largest group needs. */
static void group_frames_place(struct ft_draw_spread *s, struct members *m, int widest)
{
	int outer_x, outer_y, w, h;

	m->pitch = widest + BOX_GAP;
	radii_find(m->most, m->pitch, FT_DRAW_BOX_HEIGHT + BOX_GAP, m->most > 1 ? 40 : 0, &m->radius_x, &m->radius_y);
	w = (m->rows ? (int)(m->most_in_row - 1) * m->pitch : 2 * m->radius_x) + widest + 2 * FRAME_PAD;
	h = (m->rows ? ROWS_GAP : 2 * m->radius_y) + FT_DRAW_BOX_HEIGHT + 2 * FRAME_PAD + FRAME_CAPTION;
	radii_find(s->frame_count, w + GROUP_GAP, h + GROUP_GAP, 0, &outer_x, &outer_y);
	s->width = 2 * outer_x + w;
	s->height = 2 * outer_y + h + BOX_GAP;
	for (uint32_t i = 0; i < s->frame_count; i++) {
		int x = s->width / 2, y = s->height / 2;

		on_circle(i, s->frame_count, outer_x, outer_y, &x, &y);
		s->frames[i] = (struct ft_draw_frame){.x = x - w / 2, .y = y - h / 2, .w = w, .h = h};
	}
}

static void member_place(struct ft_draw_spread *s, struct members *m, uint32_t group, bool hosts,
			 struct ft_draw_node *node)
{
	const struct ft_draw_frame *frame = &s->frames[group];
	uint32_t *next = m->next[group], *counts = m->counts[group];

	node->frame = group;
	node->x = frame->x + frame->w / 2;
	node->y = frame->y + FRAME_CAPTION + (frame->h - FRAME_CAPTION) / 2;
	if (m->rows) {
		node->x += (2 * (int)next[hosts] - (int)counts[hosts] + 1) * m->pitch / 2;
		node->y += hosts ? ROWS_GAP / 2 : -ROWS_GAP / 2;
	} else {
		on_circle(next[0] + next[1], counts[0] + counts[1], m->radius_x, m->radius_y, &node->x, &node->y);
	}
	next[hosts]++;
}

static int spread_groups(const struct ft_drawing *d, struct ft_draw_spread *s)
{
	_cleanup_(members_release) struct members m = {0};
	const struct ft_plan *plan = d->plan;
	int r = members_count(plan, &m);

	if (r < 0)
		return r;
	s->frame_count = plan->group_count;
	group_frames_place(s, &m, widths_find(d, s));
	for (uint32_t i = 0; i < plan->switch_count; i++)
		member_place(s, &m, plan->switches[i].group, plan->switches[i].tier == FT_TIER_EDGE, &s->nodes[i]);
	return 0;
}

/* ---- grids ---- */

/* Coordinates: the last two sides in the frame, those before in turn along the columns and the rows of frames. */
static void grid_number(const struct ft_plan *plan, struct ft_draw_spread *s)
{
	uint32_t sides[FT_DIMENSIONS_MAX], count = sides_of(plan, sides);

	for (uint32_t i = 0; i < plan->switch_count; i++) {
		struct ft_draw_node *node = &s->nodes[i];
		uint32_t rest = i, factor[2] = {1, 1}, at[2] = {0, 0};

		node->column = rest % sides[count - 1];
		rest /= sides[count - 1];
		node->row = rest % sides[count - 2];
		rest /= sides[count - 2];
		node->frame = rest;
		for (uint32_t k = 3; k <= count; k++) {
			uint32_t size = sides[count - k], which = (k + 1) % 2;

			at[which] += rest % size * factor[which];
			factor[which] *= size;
			rest /= size;
		}
		if (node->row == 0 && node->column == 0)
			s->frames[node->frame] = (struct ft_draw_frame){.column = at[0], .row = at[1], .first = i};
		s->frame_count = node->frame + 1;
	}
}

static uint32_t apart(uint32_t a, uint32_t b)
{
	return a > b ? a - b : b - a;
}

/* How far the lines bend: those to the next box not at all, the shortest of the others little. Returns the most. */
static int bends_fill(int *bends, uint32_t size)
{
	int next = BEND;

	for (uint32_t span = 2; span < size; span++)
		if (bends[span]) {
			bends[span] = next;
			next += BEND_MORE;
		}
	return next == BEND ? 0 : next - BEND_MORE;
}

/* Returns the greatest bends of rows and of columns. */
static void bends_find(const struct ft_plan *plan, struct ft_draw_spread *s, int *ret_row, int *ret_column)
{
	for (uint32_t i = 0; i < plan->bundle_count; i++) {
		const struct ft_draw_node *a = &s->nodes[plan->bundles[i].a], *b = &s->nodes[plan->bundles[i].b];

		if (a->frame != b->frame)
			continue;
		if (apart(a->column, b->column) > 1)
			s->bend_row[apart(a->column, b->column)] = 1;
		if (apart(a->row, b->row) > 1)
			s->bend_column[apart(a->row, b->row)] = 1;
	}
	*ret_row = bends_fill(s->bend_row, plan->switch_count);
	*ret_column = bends_fill(s->bend_column, plan->switch_count);
}

static void spans_find(const struct ft_plan *plan, struct ft_draw_spread *s)
{
	for (uint32_t i = 0; i < plan->bundle_count; i++) {
		const struct ft_plan_bundle *bundle = &plan->bundles[i];
		uint32_t a = s->nodes[bundle->a].frame, b = s->nodes[bundle->b].frame;
		struct ft_draw_span *span = &s->spans[a < b ? a * s->frame_count + b : b * s->frame_count + a];

		if (a == b)
			continue;
		span->least = span->pairs == 0 || bundle->count < span->least ? bundle->count : span->least;
		span->most = bundle->count > span->most ? bundle->count : span->most;
		span->pairs++;
	}
}

/* The size of a sheet, and of the way from box to box. A curve comes to three quarters of its bend. */
struct sheet {
	int pitch_x, pitch_y, left, top, w, h;
};

static struct sheet sheet_measure(const struct ft_plan *plan, const struct ft_draw_spread *s, int widest, int bend_row,
				  int bend_column)
{
	uint32_t sides[FT_DIMENSIONS_MAX], count = sides_of(plan, sides);
	int above = larger(bend_row * 3 / 4 - FT_DRAW_BOX_HEIGHT / 2 + 10, 0);
	int beside = larger(bend_column * 3 / 4 + 10, 0);
	int pad = s->frame_count > 1 ? FRAME_PAD : 0, caption = s->frame_count > 1 ? FRAME_CAPTION : 0;
	struct sheet sheet = {
		.pitch_x = widest + GRID_GAP + beside,
		.pitch_y = FT_DRAW_BOX_HEIGHT + GRID_GAP + above,
		.left = pad + beside + widest / 2,
		.top = pad + caption + above + FT_DRAW_BOX_HEIGHT / 2 + 4,
	};

	sheet.w = sheet.left + (int)(sides[count - 1] - 1) * sheet.pitch_x + widest / 2 + pad;
	sheet.h = sheet.top + (int)(sides[count - 2] - 1) * sheet.pitch_y + FT_DRAW_BOX_HEIGHT / 2 + pad + 2;
	return sheet;
}

static int spread_grid(const struct ft_drawing *d, struct ft_draw_spread *s)
{
	const struct ft_plan *plan = d->plan;
	int widest = widths_find(d, s), bend_row, bend_column;
	struct sheet sheet;

	grid_number(plan, s);
	s->spans = calloc((size_t)s->frame_count * s->frame_count, sizeof(*s->spans));
	s->bend_row = calloc(plan->switch_count + 1UL, sizeof(*s->bend_row));
	s->bend_column = calloc(plan->switch_count + 1UL, sizeof(*s->bend_column));
	if (!s->spans || !s->bend_row || !s->bend_column)
		return -ENOMEM;
	bends_find(plan, s, &bend_row, &bend_column);
	s->rows_crowded = bend_row > BEND;
	s->columns_crowded = bend_column > BEND;
	spans_find(plan, s);
	sheet = sheet_measure(plan, s, widest, bend_row, bend_column);
	for (uint32_t i = 0; i < s->frame_count; i++) {
		struct ft_draw_frame *frame = &s->frames[i];
		int around = s->frame_count > 1 ? FRAME_GAP : 0;

		frame->x = around + (int)frame->column * (sheet.w + FRAME_GAP);
		frame->y = around + (int)frame->row * (sheet.h + FRAME_GAP_ROWS);
		frame->w = sheet.w;
		frame->h = sheet.h;
		s->width = larger(s->width, frame->x + frame->w);
		s->height = larger(s->height, frame->y + frame->h);
	}
	for (uint32_t i = 0; i < plan->switch_count; i++) {
		struct ft_draw_node *node = &s->nodes[i];

		node->x = s->frames[node->frame].x + sheet.left + (int)node->column * sheet.pitch_x;
		node->y = s->frames[node->frame].y + sheet.top + (int)node->row * sheet.pitch_y;
	}
	if (s->frame_count == 1)
		s->frame_count = 0;
	return 0;
}

/* ---- lines ---- */

/* Where the curve has come @part of @whole of its way in the direction that it does not bend to. */
static void label_on(struct ft_draw_curve *curve, uint32_t part, uint32_t whole)
{
	int64_t t = 0, u, scale = 1000;

	/* With its control points beside its ends that is 3 t^2 - 2 t^3. */
	while (t < scale && (3 * scale * t * t - 2 * t * t * t) * whole < scale * scale * scale * part)
		t++;
	u = scale - t;
	curve->label_x = (int)((u * u * u * curve->x1 + 3 * u * u * t * curve->cx1 + 3 * u * t * t * curve->cx2 +
				t * t * t * curve->x2) /
			       (scale * scale * scale));
	curve->label_y = (int)((u * u * u * curve->y1 + 3 * u * u * t * curve->cy1 + 3 * u * t * t * curve->cy2 +
				t * t * t * curve->y2) /
			       (scale * scale * scale));
}

static void curve_bend(struct ft_draw_curve *curve, int left, int up)
{
	curve->straight = false;
	curve->cx1 = curve->x1 - left;
	curve->cy1 = curve->y1 - up;
	curve->cx2 = curve->x2 - left;
	curve->cy2 = curve->y2 - up;
	label_on(curve, 1, 2);
}

/* A line with its count @eighths of the way from one end to the other. */
static struct ft_draw_curve line_make(int x1, int y1, int x2, int y2, int eighths)
{
	return (struct ft_draw_curve){
		.x1 = x1,
		.y1 = y1,
		.x2 = x2,
		.y2 = y2,
		.straight = true,
		.label_x = x1 + (x2 - x1) * eighths / 8,
		.label_y = y1 + (y2 - y1) * eighths / 8,
	};
}

/*
 * Along a row lines bend upwards, and have their counts in the first gap between columns; along a column they bend to
 * the left, and have them in the gap between rows that is nearest to the middle. So no two counts meet.
 */
static void curve_around(const struct ft_draw_spread *s, struct ft_draw_curve *curve, const struct ft_draw_node *from,
			 const struct ft_draw_node *to)
{
	uint32_t columns = apart(from->column, to->column), rows = apart(from->row, to->row);

	if (from->row == to->row && columns > 1) {
		curve_bend(curve, 0, s->bend_row[columns]);
		label_on(curve, 1, 2 * columns);
		curve->crowded = s->rows_crowded;
	} else if (from->column == to->column && rows > 1) {
		curve_bend(curve, s->bend_column[rows] + from->w / 2, 0);
		label_on(curve, 2 * ((rows - 1) / 2) + 1, 2 * rows);
		curve->crowded = s->columns_crowded;
	}
}

struct ft_draw_curve ft_draw_spread_curve(const struct ft_draw_spread *s, uint32_t a, uint32_t b)
{
	const struct ft_draw_node *from = &s->nodes[a], *to = &s->nodes[b];
	bool grid = s->shape == FT_DRAW_GRID;
	/* Lines cross in the middle of a circle. */
	struct ft_draw_curve curve = line_make(from->x, from->y, to->x, to->y, grid ? 4 : 3);

	/* Else it would run behind the boxes of both rows. */
	if (s->shape == FT_DRAW_GROUPS && from->frame != to->frame && from->y == to->y)
		curve_bend(&curve, 0, BEND_APART);
	if (!grid)
		return curve;
	if (from->frame == to->frame)
		curve_around(s, &curve, from, to);
	else
		curve_bend(&curve, from->y == to->y ? 0 : BEND_APART + from->w / 2, from->y == to->y ? BEND_APART : 0);
	return curve;
}

struct ft_draw_curve ft_draw_spread_frame_curve(const struct ft_draw_spread *s, uint32_t a, uint32_t b)
{
	const struct ft_draw_frame *from = &s->frames[a], *to = &s->frames[b];
	struct ft_draw_curve curve =
		line_make(from->x + from->w / 2, from->y + from->h / 2, to->x + to->w / 2, to->y + to->h / 2, 4);

	if (apart(from->column, to->column) > 1) {
		curve.y1 = from->y;
		curve.y2 = to->y;
		curve_bend(&curve, 0, BEND_FRAME);
	} else if (apart(from->row, to->row) > 1) {
		curve.x1 = from->x;
		curve.x2 = to->x;
		curve_bend(&curve, BEND_FRAME, 0);
	} else if (from->row != to->row) {
		/* Above the lines that bend around the lower frame. */
		curve.label_y = (from->row < to->row ? from : to)->y + from->h + 20;
	}
	return curve;
}

/* ---- the whole ---- */

int ft_draw_spread_make(const struct ft_drawing *d, struct ft_draw_spread *s)
{
	*s = (struct ft_draw_spread){.shape = ft_draw_shape_of(d->plan)};
	s->nodes = calloc(d->plan->switch_count + 1UL, sizeof(*s->nodes));
	s->frames = calloc(d->plan->switch_count + d->plan->group_count + 1UL, sizeof(*s->frames));
	if (!s->nodes || !s->frames)
		return -ENOMEM;
	if (s->shape == FT_DRAW_GRID)
		return spread_grid(d, s);
	if (s->shape == FT_DRAW_GROUPS)
		return spread_groups(d, s);
	spread_circle(d, s);
	return 0;
}

void ft_draw_spread_release(struct ft_draw_spread *s)
{
	free(s->nodes);
	free(s->frames);
	free(s->spans);
	free(s->bend_row);
	free(s->bend_column);
}
