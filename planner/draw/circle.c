/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * A small graph as a picture: boxes for its switches where planner/draw/spread.h has them, and a line for each bundle.
 * Rings come out as rings, grids as rows and columns with a curve for each way around, groups as groups. Between two
 * frames of a grid one thick line stands for all bundles; those that are marked are drawn by themselves.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "planner/draw/spread.h"

enum {
	NAME_FONT = FT_DRAW_NAME_FONT,
	SMALL_FONT = 10,
	BOX_HEIGHT = FT_DRAW_BOX_HEIGHT,
	LABELS_MAX = 60, /* lines that can still have their counts, where they cross */
};

struct circle {
	struct ft_drawing *d;
	struct ft_text *text;
	struct ft_draw_spread spread;
	bool labels;
	struct ft_text words; /* scratch */
};

/* Light enough for black letters; what is wrong has its own look. */
static const char *const kind_fills[] = {"#dcebf7", "#fdeccb", "#dff2e1", "#f3e3ef", "#eeeeea", "#e3e3f5"};

static const char *kind_fill(uint32_t kind)
{
	return kind_fills[kind % FT_COUNT(kind_fills)];
}

/* ---- lines ---- */

static int thickness(uint64_t cables)
{
	enum { THICKEST = 12 };

	return 12 + 5 * (int)(cables < THICKEST ? cables : THICKEST);
}

static void path_draw(struct circle *c, const struct ft_draw_curve *w, const char *stroke, int tenths, const char *more)
{
	ft_text_printf(c->text, "<path d=\"M%d %d", w->x1, w->y1);
	if (w->straight)
		ft_text_printf(c->text, "L%d %d", w->x2, w->y2);
	else
		ft_text_printf(c->text, "C%d %d %d %d %d %d", w->cx1, w->cy1, w->cx2, w->cy2, w->x2, w->y2);
	ft_text_printf(c->text, "\"%s stroke=\"%s\" stroke-width=\"%d.%d\"%s/>", w->straight ? "" : " fill=\"none\"",
		       stroke, tenths / 10, tenths % 10, more);
}

static void line_draw(struct circle *c, uint32_t bundle, const char *stroke, int tenths, const char *more)
{
	const struct ft_plan_bundle *ends = &c->d->plan->bundles[bundle];
	struct ft_draw_curve way = ft_draw_spread_curve(&c->spread, ends->a, ends->b);

	path_draw(c, &way, stroke, tenths, more);
}

/* Whether the bundle is part of the line between two frames. */
static bool is_in_span(const struct circle *c, uint32_t bundle)
{
	const struct ft_plan_bundle *ends = &c->d->plan->bundles[bundle];

	return c->spread.shape == FT_DRAW_GRID && c->spread.nodes[ends->a].frame != c->spread.nodes[ends->b].frame;
}

static void bundle_draw(struct circle *c, uint32_t bundle)
{
	struct ft_draw_bundle_mark mark = ft_drawing_bundle(c->d, bundle);
	uint32_t count = c->d->plan->bundles[bundle].count, there = count - mark.missing - mark.unjudged;
	int width = thickness(count);

	if (is_in_span(c, bundle) && ft_draw_mark_is_clean(&mark))
		return;
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

static void bundle_label(struct circle *c, uint32_t bundle)
{
	const struct ft_plan_bundle *plan = &c->d->plan->bundles[bundle];
	struct ft_draw_curve way = ft_draw_spread_curve(&c->spread, plan->a, plan->b);
	struct ft_draw_bundle_mark mark = ft_drawing_bundle(c->d, bundle);
	uint32_t absent = mark.missing + mark.unjudged;
	int x = way.label_x, y = way.label_y, width;

	if ((!c->labels || way.crowded || is_in_span(c, bundle)) && ft_draw_mark_is_clean(&mark))
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

/* ---- frames ---- */

static void frame_caption(struct circle *c, uint32_t index)
{
	const struct ft_draw_frame *frame = &c->spread.frames[index];

	ft_text_printf(c->text, "<text x=\"%d\" y=\"%d\" font-size=\"%d\" fill=\"#35506b\">", frame->x + 8,
		       frame->y + 14, NAME_FONT);
	if (c->spread.shape == FT_DRAW_GROUPS) {
		ft_text_printf(c->text, "group %u</text>\n", index);
		return;
	}
	ft_text_puts(c->text, "from ");
	ft_draw_add_xml(c->text, ft_drawing_label(c->d, frame->first));
	ft_text_puts(c->text, "</text>\n");
}

static void span_line(struct circle *c, uint32_t a, uint32_t b)
{
	const struct ft_draw_span *span = &c->spread.spans[a * c->spread.frame_count + b];
	struct ft_draw_curve way = ft_draw_spread_frame_curve(&c->spread, a, b);

	if (span->pairs > 0)
		path_draw(c, &way, "#7d93a8", 70, "");
}

/* "20 x 3": pairs of switches, and the cables of each. */
static void span_label(struct circle *c, uint32_t a, uint32_t b)
{
	const struct ft_draw_span *span = &c->spread.spans[a * c->spread.frame_count + b];
	struct ft_draw_curve way = ft_draw_spread_frame_curve(&c->spread, a, b);
	int x = way.label_x, y = way.label_y, width;

	if (span->pairs == 0)
		return;
	ft_text_printf(&c->words, "%u x ", span->pairs);
	ft_draw_add_range(&c->words, span->least, span->most);
	width = ft_draw_text_width(ft_text_string(&c->words), SMALL_FONT) + 8;
	ft_text_printf(c->text,
		       "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"15\" rx=\"4\" fill=\"#fff\" "
		       "stroke=\"#7d93a8\"/><text x=\"%d\" y=\"%d\" font-size=\"%d\" "
		       "text-anchor=\"middle\">%s</text>\n",
		       x - width / 2, y - 8, width, x, y + 4, SMALL_FONT, ft_text_string(&c->words));
	ft_text_reset(&c->words);
}

static void spans_draw(struct circle *c, void (*draw)(struct circle *, uint32_t, uint32_t))
{
	for (uint32_t a = 0; c->spread.shape == FT_DRAW_GRID && a < c->spread.frame_count; a++)
		for (uint32_t b = a + 1; b < c->spread.frame_count; b++)
			draw(c, a, b);
}

static void frames_draw(struct circle *c)
{
	spans_draw(c, span_line);
	for (uint32_t i = 0; i < c->spread.frame_count; i++) {
		const struct ft_draw_frame *frame = &c->spread.frames[i];

		ft_text_printf(c->text,
			       "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"8\" fill=\"#f6f9fc\" "
			       "stroke=\"#c3d0dc\"/>\n",
			       frame->x, frame->y, frame->w, frame->h);
	}
	spans_draw(c, span_label);
}

/* ---- cables that should not be there ---- */

/* Cables where none should be bend away from the middle of the circle; one from a switch to itself is a loop. */
struct bend {
	int x, y, x2, y2; /* the control points of the curve */
};

static struct bend bend_of(const struct circle *c, const struct ft_draw_link *link)
{
	const struct ft_draw_node *a = &c->spread.nodes[link->a], *b = &c->spread.nodes[link->b];
	int x = (a->x + b->x) / 2, y = (a->y + b->y) / 2;
	struct bend bend = {x + (x - c->spread.width / 2) / 3 + 18, y + (y - c->spread.height / 2) / 3 + 18, 0, 0};

	bend.x2 = bend.x;
	bend.y2 = bend.y;
	if (link->a == link->b)
		bend = (struct bend){x + a->w, y - 2 * BOX_HEIGHT, x + a->w, y};
	return bend;
}

static void stray_draw(struct circle *c, const struct ft_draw_link *link)
{
	const struct ft_draw_node *a = &c->spread.nodes[link->a], *b = &c->spread.nodes[link->b];
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
	const struct ft_draw_node *a = &c->spread.nodes[link->a], *b = &c->spread.nodes[link->b];
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
	const struct ft_draw_node *node = &c->spread.nodes[index];

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
	const struct ft_draw_node *node = &c->spread.nodes[index];
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
	if (c->spread.spans && c->spread.frame_count > 0)
		ft_draw_legend_add(&legend, "each switch to its like in the other frame: pairs x cables of each",
				   "<path d=\"M0 7H26\" stroke=\"#7d93a8\" stroke-width=\"7\"/>");
	ft_draw_legend_marks(c->d, &legend, false);
	return ft_draw_legend_end(&legend);
}

static void circle_draw(struct circle *c)
{
	const struct ft_plan *plan = c->d->plan;

	frames_draw(c);
	for (uint32_t i = 0; i < plan->bundle_count; i++)
		bundle_draw(c, i);
	for (uint32_t i = 0; i < c->spread.frame_count; i++)
		frame_caption(c, i);
	for (size_t i = 0; c->d->marks && i < c->d->marks->link_count; i++)
		stray_draw(c, &c->d->marks->links[i]);
	for (uint32_t i = 0; i < plan->switch_count; i++)
		node_draw(c, i);
	for (uint32_t i = 0; i < plan->bundle_count; i++)
		bundle_label(c, i);
	for (size_t i = 0; c->d->marks && i < c->d->marks->link_count; i++)
		stray_number(c, &c->d->marks->links[i]);
}

static void circle_release(struct circle *c)
{
	ft_draw_spread_release(&c->spread);
	ft_text_release(&c->words);
}

int ft_draw_circle(struct ft_drawing *d, struct ft_text *text, struct ft_draw_size *ret_size)
{
	enum { LEGEND_ABOVE = 26 };
	_cleanup_(circle_release) struct circle c = {.d = d, .text = text};
	int width, height, r = ft_draw_spread_make(d, &c.spread);

	if (r < 0)
		return r;
	c.labels = c.spread.shape == FT_DRAW_GRID ||
		   (c.spread.shape == FT_DRAW_CIRCLE && d->plan->bundle_count <= LABELS_MAX);
	width = c.spread.width > d->width_min ? c.spread.width : d->width_min;
	ft_text_printf(text, "<g transform=\"translate(%d 0)\">\n", (width - c.spread.width) / 2);
	circle_draw(&c);
	ft_text_puts(text, "</g>\n");
	height = legend_draw(&c, c.spread.height + LEGEND_ABOVE, width);
	*ret_size = (struct ft_draw_size){width, height};
	text->failed |= c.words.failed;
	return 0;
}
