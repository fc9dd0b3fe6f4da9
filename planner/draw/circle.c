/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * A small graph as a picture: its switches on a circle in the plan's order, each bundle a straight line. Rings come out
 * as rings, and groups that follow each other in the plan stand side by side.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "planner/draw/draw_parts.h"

enum {
	NAME_FONT = 11,
	SMALL_FONT = 10,
	BOX_HEIGHT = 34,
	BOX_GAP = 18, /* between neighbours on the circle */
	RADIUS_MIN = 150,
	LABELS_MAX = 60, /* lines that can still have their counts */
};

struct node {
	int x, y, w; /* of its middle */
};

struct circle {
	struct ft_drawing *d;
	struct ft_text *text;
	struct node *nodes;
	int radius_x, radius_y, width, height;
	bool labels;
	struct ft_text words; /* scratch */
};

/* Light enough for black letters; what is wrong has its own look. */
static const char *const kind_fills[] = {"#dcebf7", "#fdeccb", "#dff2e1", "#f3e3ef", "#eeeeea", "#e3e3f5"};

static const char *kind_fill(uint32_t kind)
{
	return kind_fills[kind % FT_COUNT(kind_fills)];
}

/* ---- where everything is ---- */

enum { TURN = 1 << 16 };

/* @size * sin(@angle / TURN of a full turn), by Bhaskara's approximation, which is within 0.2 % of @size. */
static int sine(int size, int angle)
{
	int64_t half = TURN / 2, p = angle & (TURN - 1);
	bool negative = p >= half;
	int64_t product;

	p -= negative ? half : 0;
	product = p * (half - p);
	return (int)((negative ? -1 : 1) * (16 * product * size) / (5 * half * half - 4 * product));
}

static int label_width(struct circle *c, uint32_t index)
{
	enum { PAD = 18, WIDTH_MIN = 58 };
	int width = ft_draw_text_width(ft_drawing_label(c->d, index), NAME_FONT) + PAD;

	return width < WIDTH_MIN ? WIDTH_MIN : width;
}

/* The first on top, then clockwise. The circle is wider than high, as boxes are. */
static void nodes_place(struct circle *c)
{
	uint32_t count = c->d->plan->switch_count;
	int widest = 0, around;

	for (uint32_t i = 0; i < count; i++) {
		c->nodes[i].w = label_width(c, i);
		widest = c->nodes[i].w > widest ? c->nodes[i].w : widest;
	}
	/* 2 * pi is little more than 6. */
	around = (int)count * (widest + BOX_GAP) / 6;
	c->radius_x = around < RADIUS_MIN ? RADIUS_MIN : around;
	around = (int)count * (BOX_HEIGHT + 2 * BOX_GAP) / 6;
	c->radius_y = around < RADIUS_MIN ? RADIUS_MIN : around;
	c->width = 2 * c->radius_x + widest;
	c->height = 2 * c->radius_y + BOX_HEIGHT + BOX_GAP;
	for (uint32_t i = 0; i < count; i++) {
		int angle = (int)((int64_t)i * TURN / count);

		c->nodes[i].x = c->width / 2 + sine(c->radius_x, angle);
		c->nodes[i].y = c->height / 2 - sine(c->radius_y, angle + TURN / 4);
	}
}

/* ---- lines ---- */

static int thickness(uint64_t cables)
{
	enum { THICKEST = 12 };

	return 12 + 5 * (int)(cables < THICKEST ? cables : THICKEST);
}

static void line_draw(struct circle *c, uint32_t bundle, const char *stroke, int tenths, const char *more)
{
	const struct node *a = &c->nodes[c->d->plan->bundles[bundle].a], *b = &c->nodes[c->d->plan->bundles[bundle].b];

	ft_text_printf(c->text, "<path d=\"M%d %dL%d %d\" stroke=\"%s\" stroke-width=\"%d.%d\"%s/>", a->x, a->y, b->x,
		       b->y, stroke, tenths / 10, tenths % 10, more);
}

static void bundle_draw(struct circle *c, uint32_t bundle)
{
	struct ft_draw_bundle_mark mark = ft_drawing_bundle(c->d, bundle);
	uint32_t count = c->d->plan->bundles[bundle].count, there = count - mark.missing - mark.unjudged;
	int width = thickness(count);

	ft_text_puts(c->text, "<g>");
	ft_drawing_bundle_words(c->d, bundle, &c->words);
	ft_draw_add_title(c->text, &c->words);
	if (mark.slow > 0)
		line_draw(c, bundle, FT_DRAW_AMBER, width + 20, " stroke-dasharray=\"3 5\"");
	if (there > 0)
		line_draw(c, bundle, "#7d93a8", thickness(there), "");
	if (mark.missing > 0)
		line_draw(c, bundle, FT_DRAW_RED, 22, " stroke-dasharray=\"6 4\"");
	else if (mark.unjudged > 0)
		line_draw(c, bundle, "#777", 22, " stroke-dasharray=\"2 4\"");
	ft_text_puts(c->text, "</g>\n");
}

/* Nearer to one end than to the other, for lines cross in the middle. */
static void bundle_label(struct circle *c, uint32_t bundle)
{
	const struct ft_plan_bundle *plan = &c->d->plan->bundles[bundle];
	const struct node *a = &c->nodes[plan->a], *b = &c->nodes[plan->b];
	struct ft_draw_bundle_mark mark = ft_drawing_bundle(c->d, bundle);
	uint32_t absent = mark.missing + mark.unjudged;
	int x = a->x + (b->x - a->x) * 3 / 8, y = a->y + (b->y - a->y) * 3 / 8, width;

	if (!c->labels && ft_draw_mark_is_clean(&mark))
		return;
	if (absent > 0)
		ft_text_printf(&c->words, "%u/%u", plan->count - absent, plan->count);
	else
		ft_text_printf(&c->words, "%u", plan->count);
	width = ft_draw_text_width(ft_text_string(&c->words), SMALL_FONT) + 8;
	ft_text_printf(c->text,
		       "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"15\" rx=\"4\" fill=\"#fff\" stroke=\"%s\"/>"
		       "<text x=\"%d\" y=\"%d\" font-size=\"%d\" text-anchor=\"middle\"%s>%s</text>\n",
		       x - width / 2, y - 8, width,
		       mark.missing ? FT_DRAW_RED
		       : mark.slow  ? FT_DRAW_AMBER
				    : "#7d93a8",
		       x, y + 4, SMALL_FONT, mark.missing ? " font-weight=\"bold\" fill=\"" FT_DRAW_RED "\"" : "",
		       ft_text_string(&c->words));
	ft_text_reset(&c->words);
}

/* Cables where none should be bend away from the middle of the circle; one from a switch to itself is a loop. */
struct bend {
	int x, y, x2, y2; /* the control points of the curve */
};

static struct bend bend_of(const struct circle *c, const struct ft_draw_link *link)
{
	const struct node *a = &c->nodes[link->a], *b = &c->nodes[link->b];
	int x = (a->x + b->x) / 2, y = (a->y + b->y) / 2;
	struct bend bend = {x + (x - c->width / 2) / 3 + 18, y + (y - c->height / 2) / 3 + 18, 0, 0};

	bend.x2 = bend.x;
	bend.y2 = bend.y;
	if (link->a == link->b)
		bend = (struct bend){x + a->w, y - 2 * BOX_HEIGHT, x + a->w, y};
	return bend;
}

static void stray_draw(struct circle *c, const struct ft_draw_link *link)
{
	const struct node *a = &c->nodes[link->a], *b = &c->nodes[link->b];
	struct bend bend = bend_of(c, link);

	ft_text_puts(c->text, "<g>");
	ft_text_add_safe(&c->words, link->note, strlen(link->note));
	ft_draw_add_title(c->text, &c->words);
	ft_text_printf(c->text,
		       "<path d=\"M%d %dC%d %d %d %d %d %d\" fill=\"none\" stroke=\"" FT_DRAW_VIOLET
		       "\" stroke-width=\"2.5\"/></g>\n",
		       a->x, a->y, bend.x, bend.y, bend.x2, bend.y2, b->x, b->y);
}

static void stray_number(struct circle *c, const struct ft_draw_link *link)
{
	const struct node *a = &c->nodes[link->a], *b = &c->nodes[link->b];
	struct bend bend = bend_of(c, link);
	/* The middle of the curve. */
	int x = (a->x + 3 * bend.x + 3 * bend.x2 + b->x) / 8, y = (a->y + 3 * bend.y + 3 * bend.y2 + b->y) / 8;

	if (link->number > 0)
		ft_text_printf(
			c->text,
			"<circle cx=\"%d\" cy=\"%d\" r=\"9\" fill=\"#fff\" stroke=\"" FT_DRAW_VIOLET
			"\" stroke-width=\"1.6\"/><text x=\"%d\" y=\"%d\" font-size=\"%d\" text-anchor=\"middle\" "
			"font-weight=\"bold\" fill=\"" FT_DRAW_VIOLET "\">%u</text>\n",
			x, y, x, y + 4, SMALL_FONT, link->number);
}

/* ---- switches ---- */

static const struct {
	const char *stroke, *more, *text;
} looks[] = {
	[FT_DRAW_OK] = {"#333", "", "#111"},
	[FT_DRAW_DEGRADED] = {FT_DRAW_AMBER, "", "#111"},
	[FT_DRAW_LOST] = {FT_DRAW_RED, " stroke-dasharray=\"6 3\"", FT_DRAW_RED},
	[FT_DRAW_UNKNOWN] = {"#777", " stroke-dasharray=\"2 3\"", "#555"},
};

static void hosts_write(struct circle *c, uint32_t index)
{
	uint32_t planned = ft_drawing_hosts_planned(c->d, index), seen = ft_drawing_hosts_seen(c->d, index);
	const struct node *node = &c->nodes[index];

	if (planned == 0 && seen == 0)
		return;
	ft_text_printf(c->text, "<text x=\"%d\" y=\"%d\" font-size=\"%d\" text-anchor=\"middle\" fill=\"%s\">", node->x,
		       node->y + 12, SMALL_FONT,
		       seen < planned	? FT_DRAW_RED
		       : seen > planned ? FT_DRAW_VIOLET
					: "#444");
	if (seen != planned)
		ft_text_printf(c->text, "%u/", seen);
	ft_text_printf(c->text, "%u host%s</text>", planned, ft_text_s(planned));
}

static void node_draw(struct circle *c, uint32_t index)
{
	const struct ft_plan_switch *sw = &c->d->plan->switches[index];
	const struct ft_draw_group group = {.tier = sw->tier, .first = index, .count = 1};
	const struct node *node = &c->nodes[index];
	enum ft_draw_state state = ft_drawing_state(c->d, index);
	bool hosts = ft_drawing_hosts_planned(c->d, index) > 0 || ft_drawing_hosts_seen(c->d, index) > 0;

	ft_text_puts(c->text, "<g>");
	ft_drawing_group_words(c->d, &group, &c->words);
	ft_draw_add_title(c->text, &c->words);
	ft_text_printf(c->text,
		       "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"5\" fill=\"%s\" stroke=\"%s\" "
		       "stroke-width=\"%s\"%s/>",
		       node->x - node->w / 2, node->y - BOX_HEIGHT / 2, node->w, BOX_HEIGHT,
		       state == FT_DRAW_LOST || state == FT_DRAW_UNKNOWN ? "#fff" : kind_fill(sw->kind),
		       looks[state].stroke, state == FT_DRAW_OK ? "1.2" : "2.2", looks[state].more);
	ft_text_printf(c->text, "<text x=\"%d\" y=\"%d\" font-size=\"%d\" text-anchor=\"middle\" fill=\"%s\">", node->x,
		       node->y + (hosts ? -2 : 4), NAME_FONT, looks[state].text);
	ft_draw_add_xml(c->text, ft_drawing_label(c->d, index));
	ft_text_puts(c->text, "</text>");
	hosts_write(c, index);
	ft_text_puts(c->text, "</g>\n");
}

/* ---- the whole ---- */

static int legend_draw(struct circle *c, int y, int width)
{
	const struct ft_plan *plan = c->d->plan;
	struct ft_draw_legend legend = {c->text, 0, y, width};

	for (uint32_t kind = 0; kind < plan->kind_count && plan->kind_count > 1; kind++) {
		ft_text_add_safe(&c->words, plan->kinds[kind].name, strlen(plan->kinds[kind].name));
		ft_draw_legend_add(
			&legend, ft_text_string(&c->words),
			"<rect x=\"1\" y=\"1\" width=\"24\" height=\"12\" rx=\"3\" fill=\"%s\" stroke=\"#333\"/>",
			kind_fill(kind));
		ft_text_reset(&c->words);
	}
	if (plan->bundle_count > 0)
		ft_draw_legend_add(&legend,
				   c->labels ? "a bundle, and how many cables it has"
					     : "a bundle; the thicker, the more cables it has",
				   "<path d=\"M0 7H26\" stroke=\"#7d93a8\" stroke-width=\"5\"/>");
	ft_draw_legend_marks(c->d, &legend, false);
	return ft_draw_legend_end(&legend);
}

static void circle_draw(struct circle *c)
{
	const struct ft_plan *plan = c->d->plan;

	for (uint32_t i = 0; i < plan->bundle_count; i++)
		bundle_draw(c, i);
	for (size_t i = 0; c->d->marks && i < c->d->marks->link_count; i++)
		stray_draw(c, &c->d->marks->links[i]);
	for (uint32_t i = 0; i < plan->switch_count; i++)
		node_draw(c, i);
	for (uint32_t i = 0; i < plan->bundle_count; i++)
		bundle_label(c, i);
	for (size_t i = 0; c->d->marks && i < c->d->marks->link_count; i++)
		stray_number(c, &c->d->marks->links[i]);
}

int ft_draw_circle(struct ft_drawing *d, struct ft_text *text, struct ft_draw_size *ret_size)
{
	enum { LEGEND_ABOVE = 26 };
	_cleanup_free_ struct node *nodes = calloc(d->plan->switch_count + 1UL, sizeof(*nodes));
	struct circle c = {.d = d, .text = text, .nodes = nodes, .labels = d->plan->bundle_count <= LABELS_MAX};
	int width, height;

	if (!nodes)
		return -ENOMEM;
	nodes_place(&c);
	width = c.width > d->width_min ? c.width : d->width_min;
	ft_text_printf(text, "<g transform=\"translate(%d 0)\">\n", (width - c.width) / 2);
	circle_draw(&c);
	ft_text_puts(text, "</g>\n");
	height = legend_draw(&c, c.height + LEGEND_ABOVE, width);
	*ret_size = (struct ft_draw_size){width, height};
	text->failed |= c.words.failed;
	ft_text_release(&c.words);
	return 0;
}
