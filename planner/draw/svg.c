/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The drawing as SVG: what stands around the picture or the matrix, and which of them it is. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/draw/spread.h"
#include "planner/plan/tree.h"

enum {
	MARGIN = 24,
	WIDTH_MIN = 640,
	WIDTH_LINES = 900, /* where there are sentences to read */
	TITLE_FONT = 20,
	FONT = 13,
	LINE_HEIGHT = 19,
	PICTURE_LOWER = 16,  /* switches of a tier that a picture has room for */
	PICTURE_BONDS = 100, /* lines between two tiers that can be followed with the eye */
};

static const char *const severity_names[] = {"info", "warning", "critical"};
static const char *const severity_colours[] = {"#2b6cb0", FT_DRAW_AMBER, FT_DRAW_RED};

/* ---- legend ---- */

enum { LEGEND_FONT = 12, LEGEND_SWATCH = 32, LEGEND_GAP = 22, LEGEND_LINE = 22 };

void ft_draw_legend_add(struct ft_draw_legend *legend, const char *words, const char *swatch, ...)
{
	int width = LEGEND_SWATCH + ft_draw_text_width(words, LEGEND_FONT);
	char markup[512];
	va_list args;

	if (legend->x > 0 && legend->x + width > legend->width) {
		legend->x = 0;
		legend->y += LEGEND_LINE;
	}
	va_start(args, swatch);
	vsnprintf(markup, sizeof(markup), swatch, args);
	va_end(args);
	ft_text_printf(legend->text, "<g transform=\"translate(%d %d)\">%s<text x=\"%d\" y=\"11\" font-size=\"%d\">",
		       legend->x, legend->y, markup, LEGEND_SWATCH, LEGEND_FONT);
	ft_draw_add_xml(legend->text, words);
	ft_text_puts(legend->text, "</text></g>\n");
	legend->x += width + LEGEND_GAP;
}

/* What there is of each mark, so that the legend explains no more than that. */
static struct ft_draw_bundle_mark marks_sum(const struct ft_drawing *d)
{
	struct ft_draw_bundle_mark sum = {0};

	for (uint32_t i = 0; d->marks && i < d->plan->bundle_count; i++) {
		struct ft_draw_bundle_mark mark = ft_drawing_bundle(d, i);

		sum.missing |= mark.missing;
		sum.unjudged |= mark.unjudged;
		sum.slow |= mark.slow;
		sum.surplus |= mark.surplus;
	}
	return sum;
}

enum legend_mark {
	LEGEND_MISSING,
	LEGEND_SLOW,
	LEGEND_UNJUDGED,
	LEGEND_STRAY,
	LEGEND_LOST,
	LEGEND_DEGRADED,
	LEGEND_UNKNOWN,
	LEGEND_MARKS,
};

#define LINE(colour, more) "<path d=\"M0 7H26\" stroke=\"" colour "\"" more "/>"
#define CELL(fill, colour) \
	"<rect x=\"4\" width=\"18\" height=\"14\" fill=\"" fill "\" stroke=\"" colour "\" stroke-width=\"1.5\"/>"
#define BOX(fill, colour, more)                                                                        \
	"<rect x=\"1\" y=\"1\" width=\"24\" height=\"12\" rx=\"3\" fill=\"" fill "\" stroke=\"" colour \
	"\" stroke-width=\"2\"" more "/>"
#define NAME(colour, more) "<text x=\"0\" y=\"11\" font-size=\"11\" fill=\"" colour "\"" more ">abc</text>"

static const struct {
	const char *words;
	const char *picture, *matrix;
} legend_marks[LEGEND_MARKS] = {
	[LEGEND_MISSING] = {"cables missing: how many are there, of how many",
			    LINE(FT_DRAW_RED, " stroke-width=\"2.2\" stroke-dasharray=\"6 4\""),
			    CELL("url(#lost)", FT_DRAW_RED)},
	[LEGEND_SLOW] = {"slow cables", LINE(FT_DRAW_AMBER, " stroke-width=\"5\" stroke-dasharray=\"2 3\""),
			 CELL("url(#slow)", FT_DRAW_AMBER)},
	[LEGEND_UNJUDGED] = {"not judged", LINE("#777", " stroke-width=\"2.2\" stroke-dasharray=\"2 4\""),
			     CELL("url(#unjudged)", "#777")},
	[LEGEND_STRAY] = {"a cable where the plan has none (and which line says so)",
			  LINE(FT_DRAW_VIOLET, " stroke-width=\"2.5\""), CELL("#f0e2f5", FT_DRAW_VIOLET)},
	[LEGEND_LOST] = {"a switch that is missing or cut off", BOX("#fff", FT_DRAW_RED, " stroke-dasharray=\"4 2\""),
			 NAME(FT_DRAW_RED, " font-weight=\"bold\" text-decoration=\"line-through\"")},
	[LEGEND_DEGRADED] = {"a switch that lacks cables", BOX("#fff3d6", FT_DRAW_AMBER, ""), NAME(FT_DRAW_RED, "")},
	[LEGEND_UNKNOWN] = {"a switch that could not be judged", BOX("#fff", "#777", " stroke-dasharray=\"1 2\""),
			    NAME("#777", " font-style=\"italic\"")},
};

static bool any_state(const struct ft_drawing *d, enum ft_draw_state state, bool loud)
{
	for (uint32_t i = 0; i < d->plan->switch_count; i++)
		if (ft_drawing_state(d, i) == state && (d->loud[i] || !loud))
			return true;
	return false;
}

void ft_draw_legend_marks(const struct ft_drawing *d, struct ft_draw_legend *legend, bool matrix)
{
	struct ft_draw_bundle_mark sum = marks_sum(d);
	const bool there[LEGEND_MARKS] = {
		[LEGEND_MISSING] = sum.missing > 0,
		[LEGEND_SLOW] = sum.slow > 0,
		[LEGEND_UNJUDGED] = sum.unjudged > 0,
		[LEGEND_STRAY] = sum.surplus > 0 || (!matrix && d->marks && d->marks->link_count > 0),
		[LEGEND_LOST] = any_state(d, FT_DRAW_LOST, false),
		[LEGEND_DEGRADED] = any_state(d, FT_DRAW_DEGRADED, matrix),
		[LEGEND_UNKNOWN] = any_state(d, FT_DRAW_UNKNOWN, false),
	};

	for (int i = 0; i < LEGEND_MARKS; i++)
		if (there[i])
			ft_draw_legend_add(legend, legend_marks[i].words, "%s",
					   matrix ? legend_marks[i].matrix : legend_marks[i].picture);
}

int ft_draw_legend_end(const struct ft_draw_legend *legend)
{
	return legend->x > 0 ? legend->y + LEGEND_LINE : legend->y;
}

/* ---- words around it ---- */

/* @string, which is safe, in lines of @width; returns where the next one comes. */
static int paragraph(struct ft_text *text, const char *string, int x, int y, int width, const char *attributes)
{
	_cleanup_(ft_text_release) struct ft_text line = {0};
	size_t length, skip;

	for (const char *s = string; *s; s += length + skip) {
		length = ft_draw_wrap(s, FONT, width, &skip);
		ft_text_reset(&line);
		ft_text_add(&line, s, length);
		ft_text_printf(text, "<text x=\"%d\" y=\"%d\" font-size=\"%d\"%s>", x, y, FONT, attributes);
		ft_draw_add_xml(text, ft_text_string(&line));
		ft_text_puts(text, "</text>\n");
		y += LINE_HEIGHT;
	}
	text->failed |= line.failed;
	return y;
}

static int header(struct ft_drawing *d, struct ft_text *text, int width)
{
	struct ft_text words = {0};
	int y = MARGIN + TITLE_FONT;

	ft_text_add_safe(&words, d->design->name, strlen(d->design->name));
	ft_text_printf(text, "<text x=\"%d\" y=\"%d\" font-size=\"%d\" font-weight=\"bold\">", MARGIN, y, TITLE_FONT);
	ft_draw_clip(&d->clipped, ft_text_string(&words), TITLE_FONT + 2, width);
	ft_draw_add_xml(text, ft_text_string(&d->clipped));
	ft_text_reset(&d->clipped);
	ft_text_puts(text, "</text>\n");
	y += LINE_HEIGHT + 4;
	ft_text_reset(&words);
	if (d->marks && d->marks->headline) {
		ft_text_add_safe(&words, d->marks->headline, strlen(d->marks->headline));
		ft_text_printf(text, "<rect x=\"%d\" y=\"%d\" width=\"5\" height=\"%d\" fill=\"%s\"/>\n", MARGIN,
			       y - 12, 15, severity_colours[d->marks->severity]);
		y = paragraph(text, ft_text_string(&words), MARGIN + 12, y, width * 9 / 10 - 12,
			      " font-weight=\"bold\"");
	}
	ft_text_reset(&words);
	ft_drawing_summary(d, &words);
	y = paragraph(text, ft_text_string(&words), MARGIN, y, width, " fill=\"#444\"");
	text->failed |= words.failed;
	ft_text_release(&words);
	return y;
}

/* Switches that the plan does not know. */
static int strangers(struct ft_drawing *d, struct ft_text *text, int y, int width)
{
	struct ft_text words = {0};

	if (!d->marks || d->marks->stranger_count == 0)
		return y;
	ft_text_puts(&words, "Switches that are not in the plan: ");
	for (size_t i = 0; i < d->marks->stranger_count && i < FT_DRAW_STRANGERS_MAX; i++) {
		ft_text_puts(&words, i ? ", " : "");
		ft_text_add_safe(&words, d->marks->strangers[i], strlen(d->marks->strangers[i]));
	}
	ft_text_more(&words, d->marks->stranger_count, FT_DRAW_STRANGERS_MAX);
	y = paragraph(text, ft_text_string(&words), MARGIN, y, width, " fill=\"" FT_DRAW_VIOLET "\"");
	text->failed |= words.failed;
	ft_text_release(&words);
	return y;
}

static int line_write(struct ft_text *text, const struct ft_draw_line *line, size_t number, int y, int width)
{
	enum { NUMBER_WIDTH = 34, SEVERITY_WIDTH = 68 };
	struct ft_text words = {0};

	ft_text_printf(text,
		       "<text x=\"%d\" y=\"%d\" font-size=\"%d\" text-anchor=\"end\" fill=\"#555\">%zu</text>"
		       "<text x=\"%d\" y=\"%d\" font-size=\"%d\" font-weight=\"bold\" fill=\"%s\">%s</text>\n",
		       MARGIN + NUMBER_WIDTH - 10, y, FONT, number, MARGIN + NUMBER_WIDTH, y, FONT,
		       severity_colours[line->severity], severity_names[line->severity]);
	ft_text_add_safe(&words, line->text, strlen(line->text));
	y = paragraph(text, ft_text_string(&words), MARGIN + NUMBER_WIDTH + SEVERITY_WIDTH, y,
		      width - NUMBER_WIDTH - SEVERITY_WIDTH, "");
	text->failed |= words.failed;
	ft_text_release(&words);
	return y + 4;
}

static int lines(struct ft_drawing *d, struct ft_text *text, int y, int width)
{
	if (!d->marks || d->marks->line_count == 0)
		return y;
	ft_text_printf(text, "<path d=\"M%d %dh%d\" stroke=\"#bbb\"/>\n", MARGIN, y - 8, width);
	y += LINE_HEIGHT;
	for (size_t i = 0; i < d->marks->line_count && i < FT_DRAW_LINES_MAX; i++)
		y = line_write(text, &d->marks->lines[i], i + 1, y, width);
	if (d->marks->line_count > FT_DRAW_LINES_MAX) {
		ft_text_printf(text, "<text x=\"%d\" y=\"%d\" font-size=\"%d\">and %zu more</text>\n", MARGIN, y, FONT,
			       d->marks->line_count - FT_DRAW_LINES_MAX);
		y += LINE_HEIGHT;
	}
	return y;
}

/* ---- the whole ---- */

static bool picture_fits(const struct ft_plan *plan)
{
	uint32_t tiers[FT_TIER_COUNT] = {0};

	for (uint32_t i = 0; i < plan->switch_count; i++)
		tiers[plan->switches[i].tier]++;
	return tiers[FT_TIER_EDGE] <= PICTURE_LOWER && tiers[FT_TIER_SPINE] <= PICTURE_LOWER &&
	       tiers[FT_TIER_CORE] <= PICTURE_LOWER && plan->bundle_count <= PICTURE_BONDS;
}

struct part {
	struct ft_text text;
	struct ft_draw_size size;
};

/* Below each other: a picture, and a matrix for each pair of tiers that is cabled, if the picture does not say it all.
 */
enum { PARTS = 3 };

static void parts_release(struct part (*parts)[PARTS])
{
	for (int i = 0; i < PARTS; i++)
		ft_text_release(&(*parts)[i].text);
}

/* In layers as a tree, if it is like one; else as a grid, as groups or on a circle; or, if there is too much for that,
 * as a matrix. */
static int graph_draw(struct ft_drawing *d, struct part *part)
{
	int r;

	if (ft_draw_shape_of(d->plan) == FT_DRAW_CIRCLE && ft_drawing_is_layered(d) && picture_fits(d->plan)) {
		r = ft_drawing_group(d, false);
		return r < 0 ? r : ft_draw_picture(d, &part->text, &part->size);
	}
	if (ft_draw_spread_fits(d->plan))
		return ft_draw_circle(d, &part->text, &part->size);
	return ft_draw_square(d, &part->text, &part->size);
}

static int parts_draw(struct ft_drawing *d, struct part parts[PARTS])
{
	bool fits = picture_fits(d->plan), three = d->plan->tree->levels > 2;
	int r = 0;

	if (d->plan->topology == FT_TOPOLOGY_GRAPH)
		return graph_draw(d, &parts[0]);
	/* A matrix has no place for cables inside a tier. */
	if (fits || three || !ft_drawing_is_layered(d)) {
		r = ft_drawing_group(d, !fits);
		if (r == 0)
			r = ft_draw_picture(d, &parts[0].text, &parts[0].size);
	}
	if (r == 0 && !fits)
		r = ft_draw_matrix(d, &parts[1].text, FT_TIER_EDGE, &parts[1].size);
	if (r == 0 && !fits && three)
		r = ft_draw_matrix(d, &parts[2].text, FT_TIER_SPINE, &parts[2].size);
	return r;
}

static void svg_write(struct ft_drawing *d, struct part parts[PARTS], struct ft_text *text)
{
	struct ft_text inside = {0};
	int width = d->width_min, y;

	for (int i = 0; i < PARTS; i++)
		width = parts[i].size.width > width ? parts[i].size.width : width;
	/* What a page that shows the picture says in its own way is told by its class. */
	ft_text_puts(&inside, "<g class=\"words\">\n");
	y = header(d, &inside, width);
	ft_text_puts(&inside, "</g>\n");
	for (int i = 0; i < PARTS; i++) {
		if (parts[i].size.height == 0)
			continue;
		ft_text_printf(&inside, "<g transform=\"translate(%d %d)\">\n", MARGIN, y);
		ft_text_puts(&inside, ft_text_string(&parts[i].text));
		ft_text_puts(&inside, "</g>\n");
		inside.failed |= parts[i].text.failed;
		y += parts[i].size.height + MARGIN;
	}
	ft_text_puts(&inside, "<g class=\"words\">\n");
	y = strangers(d, &inside, y + 8, width);
	y = lines(d, &inside, y, width);
	ft_text_puts(&inside, "</g>\n");
	width += 2 * MARGIN;
	ft_text_printf(text,
		       "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		       "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"%d\" height=\"%d\" "
		       "viewBox=\"0 0 %d %d\" font-family=\"DejaVu Sans, Verdana, Helvetica, Arial, sans-serif\" "
		       "fill=\"#111\">\n<title>",
		       width, y + 8, width, y + 8);
	ft_draw_add_xml(text, d->design->name);
	ft_text_printf(text, "</title>\n<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n", width, y + 8);
	ft_text_puts(text, ft_text_string(&inside));
	ft_text_puts(text, "</svg>\n");
	text->failed |= inside.failed;
	ft_text_release(&inside);
}

int ft_draw_svg(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan,
		const struct ft_draw_marks *marks, struct ft_error *err)
{
	_cleanup_(ft_drawing_release) struct ft_drawing d = {0};
	_cleanup_(parts_release) struct part parts[PARTS] = {0};
	int r;

	r = ft_drawing_init(&d, design, plan, marks, err);
	d.width_min = marks && marks->line_count > 0 ? WIDTH_LINES : WIDTH_MIN;
	if (r == 0)
		r = parts_draw(&d, parts);
	if (r < 0)
		return r;
	svg_write(&d, parts, text);
	return ft_drawing_failed(&d) || ft_text_failed(text) ? -ENOMEM : 0;
}
