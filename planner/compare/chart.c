/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/compare/chart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/numbers.h"
#include "base/text.h"
#include "planner/compare/axis.h"
#include "planner/draw/draw_parts.h"

enum {
	MARGIN = 24,
	TITLE_FONT = 18,
	FONT = 12,
	TITLE_HEIGHT = 56,
	PANEL_WIDTH = 430, /* with its numbers, and the room to the next */
	PANEL_HEIGHT = 300,
	PLOT_LEFT = 58, /* of a panel: where its axes are */
	PLOT_TOP = 34,
	PLOT_RIGHT = 412,
	PLOT_BOTTOM = 250,
	BAR_HEIGHT = 18,
	BAR_NUMBERS = 64, /* behind the longest bar */
	LEGEND_LINE = 22,
	LEGEND_SWATCH = 34,
};

/* One colour and mark each, told apart in grey too. After the last they begin again, and lines are dashed. */
static const struct {
	const char *colour;
	const char *mark; /* around 0 0 */
} styles[] = {
	{"#1f4e9c", "<circle r=\"3.4\"/>"},
	{"#c0392b", "<path d=\"M-3.2-3.2H3.2V3.2H-3.2Z\"/>"},
	{"#1e8449", "<path d=\"M0-4.2 3.8 2.8H-3.8Z\"/>"},
	{"#8e44ad", "<path d=\"M0-4.4 4.4 0 0 4.4-4.4 0Z\"/>"},
	{"#d68910", "<path d=\"M0 4.2 3.8-2.8H-3.8Z\"/>"},
	{"#148f9f", "<circle r=\"3\" fill=\"#fff\"/>"},
	{"#6e4b2a", "<path d=\"M-3-3H3V3H-3Z\" fill=\"#fff\"/>"},
	{"#d6338a", "<path d=\"M0-4 3.6 2.6H-3.6Z\" fill=\"#fff\"/>"},
	{"#566573", "<path d=\"M0-4.2 4.2 0 0 4.2-4.2 0Z\" fill=\"#fff\"/>"},
};

static const struct {
	enum ft_compared_figure figure;
	const char *title;
	bool share;	     /* of 1: shown in percent, the axis from 0 */
	unsigned int digits; /* behind the point, of numbers at bars */
} panels[] = {
	{FT_COMPARED_COST_PER_HOST, "Cost per host", false, 0},
	{FT_COMPARED_THROUGHPUT, "Throughput, all to all: % of a host's rate", true, 1},
	{FT_COMPARED_MEAN_HOPS, "Distance: cables between two switches, mean", false, 2},
	{FT_COMPARED_LINKS_LOST, "Resilience: % of cables lost at disconnection", true, 1},
};

/* Rows of one network: a curve, or a bar. */
struct series {
	const struct ft_compared *rows;
	size_t count;
	const char *name;
};

struct chart {
	struct ft_text *text;
	const struct ft_comparison *comparison;
	struct series *series; /* owned */
	size_t count;
	uint32_t least, most; /* nodes */
};

/* ---- what is drawn ---- */

/* NAN: there is none. What is 0, the distance within one switch, is left out, so that an axis may be logarithmic. */
static double value_of(const struct ft_compared *row, size_t panel)
{
	const struct ft_measured *measured = &row->figures[panels[panel].figure];

	if (!ft_measured_known(measured) || (measured->value <= 0 && !panels[panel].share))
		return NAN;
	return panels[panel].share ? 100 * measured->value : measured->value;
}

/* Networks of which nothing can be built are left out. */
static int series_make(struct chart *c)
{
	const struct ft_comparison *comparison = c->comparison;

	c->series = calloc(comparison->count + 1, sizeof(*c->series));
	if (!c->series)
		return -1;
	for (size_t i = 0, end; i < comparison->count; i = end) {
		struct series series = {.rows = &comparison->rows[i]};
		bool built = false;

		for (end = i; end < comparison->count &&
			      (end == i || (comparison->curve &&
					    strcmp(comparison->rows[end].asked, comparison->rows[i].asked) == 0));
		     end++)
			built |= comparison->rows[end].network != NULL;
		series.count = end - i;
		series.name = comparison->curve ? series.rows->asked : series.rows->network;
		for (size_t k = i; k < end; k++) {
			c->least = ft_number_least(c->least, comparison->rows[k].nodes);
			c->most = comparison->rows[k].nodes > c->most ? comparison->rows[k].nodes : c->most;
		}
		if (built)
			c->series[c->count++] = series;
	}
	return 0;
}

/* The least and the most of a panel's figure. False: it is known of none. */
static bool extent(const struct chart *c, size_t panel, double *ret_least, double *ret_most)
{
	double least = INFINITY, most = -INFINITY;

	for (size_t i = 0; i < c->count; i++)
		for (size_t k = 0; k < c->series[i].count; k++) {
			double value = value_of(&c->series[i].rows[k], panel);

			least = fmin(least, value);
			most = fmax(most, value);
		}
	*ret_least = least;
	*ret_most = most;
	return least <= most;
}

/* ---- words ---- */

static void add_words(struct ft_text *text, double x, double y, const char *anchor, const char *more, const char *words)
{
	ft_text_printf(text, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"%s>", x, y, anchor, more);
	ft_draw_add_xml(text, words);
	ft_text_puts(text, "</text>\n");
}

/* "Cost per host, USD". */
static void add_panel_title(const struct chart *c, size_t panel)
{
	const char *currency = c->count > 0 ? c->series[0].rows[0].currency : NULL;
	_cleanup_(ft_text_release) struct ft_text title = {0};

	for (size_t k = 0; c->count > 0 && !currency && k < c->series[0].count; k++)
		currency = c->series[0].rows[k].currency;
	ft_text_puts(&title, panels[panel].title);
	if (panels[panel].figure == FT_COMPARED_COST_PER_HOST && currency && currency[0])
		ft_text_printf(&title, ", %s", currency);
	add_words(c->text, 0, 16, "start", " font-weight=\"bold\"", ft_text_string(&title));
	c->text->failed |= title.failed;
}

/* ---- curves ---- */

static void add_grid(const struct chart *c, const struct ft_axis *axis, bool upright)
{
	double ticks[FT_AXIS_TICKS_MAX];
	char label[FT_AXIS_LABEL_SIZE];
	unsigned int count = ft_axis_ticks(axis, ticks);

	for (unsigned int i = 0; i < count; i++) {
		double at = ft_axis_at(axis, ticks[i]);

		ft_axis_label(ticks[i], label);
		if (upright) {
			ft_text_printf(c->text, "<path d=\"M%d %.1fH%d\" stroke=\"#ddd\"/>\n", PLOT_LEFT, at,
				       PLOT_RIGHT);
			add_words(c->text, PLOT_LEFT - 6, at + 4, "end", "", label);
		} else {
			ft_text_printf(c->text, "<path d=\"M%.1f %dV%d\" stroke=\"#ddd\"/>\n", at, PLOT_TOP,
				       PLOT_BOTTOM);
			add_words(c->text, at, PLOT_BOTTOM + 16, "middle", "", label);
		}
	}
}

/* A curve has a gap where there is no network. */
static void add_curve(const struct chart *c, size_t index, size_t panel, const struct ft_axis *x,
		      const struct ft_axis *y)
{
	const struct series *series = &c->series[index];
	size_t style = index % FT_COUNT(styles);
	bool pen_down = false;

	ft_text_printf(c->text, "<g stroke=\"%s\" fill=\"%s\" stroke-width=\"1.6\"><path fill=\"none\"%s d=\"",
		       styles[style].colour, styles[style].colour,
		       index < FT_COUNT(styles) ? "" : " stroke-dasharray=\"5 3\"");
	for (size_t k = 0; k < series->count; k++) {
		double value = value_of(&series->rows[k], panel);

		if (!isnan(value))
			ft_text_printf(c->text, "%s%.1f %.1f", pen_down ? "L" : "M",
				       ft_axis_at(x, series->rows[k].nodes), ft_axis_at(y, value));
		pen_down = !isnan(value);
	}
	ft_text_puts(c->text, "\"/>\n");
	for (size_t k = 0; k < series->count; k++) {
		double value = value_of(&series->rows[k], panel);

		if (!isnan(value))
			ft_text_printf(c->text, "<g transform=\"translate(%.1f %.1f)\">%s</g>\n",
				       ft_axis_at(x, series->rows[k].nodes), ft_axis_at(y, value), styles[style].mark);
	}
	ft_text_puts(c->text, "</g>\n");
}

static void add_curves_panel(const struct chart *c, size_t panel)
{
	struct ft_axis x = ft_axis_make(c->least, c->most, false, PLOT_LEFT, PLOT_RIGHT), y;
	double least, most;

	add_panel_title(c, panel);
	if (!extent(c, panel, &least, &most)) {
		add_words(c->text, PLOT_LEFT, PLOT_TOP + FONT, "start", "", "not known");
		return;
	}
	y = ft_axis_make(least, panels[panel].share ? fmax(most, 1) : most, panels[panel].share, PLOT_BOTTOM, PLOT_TOP);
	add_grid(c, &x, false);
	add_grid(c, &y, true);
	ft_text_printf(c->text, "<path d=\"M%d %dV%dH%d\" fill=\"none\" stroke=\"#111\"/>\n", PLOT_LEFT, PLOT_TOP,
		       PLOT_BOTTOM, PLOT_RIGHT);
	add_words(c->text, (PLOT_LEFT + PLOT_RIGHT) / 2.0, PLOT_BOTTOM + 34, "middle", "", "hosts");
	for (size_t i = 0; i < c->count; i++)
		add_curve(c, i, panel, &x, &y);
}

/* Returns how high the legend is. */
static int add_legend(const struct chart *c, int width)
{
	int x = 0, y = 0;

	for (size_t i = 0; i < c->count; i++) {
		size_t style = i % FT_COUNT(styles);
		int room = LEGEND_SWATCH + ft_draw_text_width(c->series[i].name, FONT) + FONT;

		if (x > 0 && x + room > width) {
			x = 0;
			y += LEGEND_LINE;
		}
		ft_text_printf(c->text,
			       "<g transform=\"translate(%d %d)\"><g stroke=\"%s\" fill=\"%s\" stroke-width=\"1.6\">"
			       "<path d=\"M0 0H28\"%s/><g transform=\"translate(14 0)\">%s</g></g>",
			       x, y, styles[style].colour, styles[style].colour,
			       i < FT_COUNT(styles) ? "" : " stroke-dasharray=\"5 3\"", styles[style].mark);
		add_words(c->text, LEGEND_SWATCH, 4, "start", "", c->series[i].name);
		ft_text_puts(c->text, "</g>\n");
		x += room;
	}
	return y + LEGEND_LINE;
}

/* ---- bars ---- */

/* The bounds of what is the best found, or was sampled. */
static void add_whisker(const struct chart *c, const struct ft_measured *measured, const struct ft_axis *x, double y,
			bool share)
{
	double low = ft_axis_at(x, share ? 100 * measured->low : measured->low);
	double high = ft_axis_at(x, share ? 100 * measured->high : measured->high);

	if (measured->how != FT_HOW_FOUND && measured->how != FT_HOW_SAMPLED)
		return;
	ft_text_printf(c->text, "<path d=\"M%.1f %.1fv8m0-4H%.1fm0-4v8\" fill=\"none\" stroke=\"#111\"/>\n", low, y - 4,
		       high);
}

static void add_bar(const struct chart *c, size_t index, size_t panel, const struct ft_axis *x, int names)
{
	const struct ft_compared *row = &c->series[index].rows[0];
	const struct ft_measured *measured = &row->figures[panels[panel].figure];
	double value = value_of(row, panel), y = PLOT_TOP + BAR_HEIGHT * (double)index + BAR_HEIGHT / 2.0;
	double end = x->from;
	char number[32] = "?";

	if (!isnan(value)) {
		end = ft_axis_at(x, value);
		snprintf(number, sizeof(number), "%.*f", (int)panels[panel].digits, value);
		ft_text_printf(c->text,
			       "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" fill=\"%s\" "
			       "fill-opacity=\"0.75\"/>\n",
			       x->from, y - BAR_HEIGHT / 2.0 + 3, end - x->from, BAR_HEIGHT - 6,
			       styles[index % FT_COUNT(styles)].colour);
		add_whisker(c, measured, x, y, panels[panel].share);
		if (measured->how == FT_HOW_FOUND || measured->how == FT_HOW_SAMPLED)
			end = fmax(end, ft_axis_at(x, panels[panel].share ? 100 * measured->high : measured->high));
	}
	add_words(c->text, names - 6, y + 4, "end", "", c->series[index].name);
	add_words(c->text, end + 5, y + 4, "start", "", number);
}

/* The room for the names of networks. */
static int names_width(const struct chart *c)
{
	int width = 0;

	for (size_t i = 0; i < c->count; i++) {
		int name = ft_draw_text_width(c->series[i].name, FONT);

		width = name > width ? name : width;
	}
	return width + FONT;
}

static void add_bars_panel(const struct chart *c, size_t panel, int names)
{
	struct ft_axis x = {.from = names, .to = names + PLOT_RIGHT - PLOT_LEFT - BAR_NUMBERS};
	double least, most;

	add_panel_title(c, panel);
	if (!extent(c, panel, &least, &most))
		most = 0;
	/* Bars begin at 0: their lengths are what is compared. */
	x.high = panels[panel].share ? 100 : most > 0 ? most : 1;
	for (size_t i = 0; i < c->count; i++)
		add_bar(c, i, panel, &x, names);
	ft_text_printf(c->text, "<path d=\"M%.1f %dV%d\" stroke=\"#111\"/>\n", x.from, PLOT_TOP,
		       PLOT_TOP + BAR_HEIGHT * (int)c->count);
}

/* ---- the whole ---- */

static void add_head(const struct chart *c, int width, int height)
{
	_cleanup_(ft_text_release) struct ft_text title = {0};

	ft_text_printf(&title, "%zu network%s for %u", c->count, ft_text_s(c->count), c->least);
	if (c->most > c->least)
		ft_text_printf(&title, " to %u", c->most);
	ft_text_puts(&title, " hosts");
	ft_text_printf(c->text,
		       "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"%d\" height=\"%d\" "
		       "viewBox=\"0 0 %d %d\" font-family=\"DejaVu Sans, Verdana, Helvetica, Arial, sans-serif\" "
		       "font-size=\"%d\" fill=\"#111\">\n<title>%s</title>\n<rect width=\"%d\" height=\"%d\" "
		       "fill=\"#fff\"/>\n",
		       width, height, width, height, FONT, ft_text_string(&title), width, height);
	ft_text_printf(c->text, "<text x=\"%d\" y=\"%d\" font-size=\"%d\">%s</text>\n", MARGIN, MARGIN + TITLE_FONT - 4,
		       TITLE_FONT, ft_text_string(&title));
	c->text->failed |= title.failed;
}

static void write_chart(const struct chart *whole)
{
	_cleanup_(ft_text_release) struct ft_text inside = {0};
	bool curve = whole->comparison->curve;
	int names = names_width(whole);
	int panel_width = curve ? PANEL_WIDTH : names + PLOT_RIGHT - PLOT_LEFT + FONT;
	int panel_height = curve ? PANEL_HEIGHT : PLOT_TOP + BAR_HEIGHT * (int)whole->count + 2 * FONT;
	int width = 2 * MARGIN + 2 * panel_width, height = TITLE_HEIGHT;
	struct chart c = *whole;

	c.text = &inside;
	for (size_t i = 0; i < FT_COUNT(panels); i++) {
		ft_text_printf(&inside, "<g transform=\"translate(%d %d)\">\n", MARGIN + (int)(i % 2) * panel_width,
			       height + (int)(i / 2) * panel_height);
		if (curve)
			add_curves_panel(&c, i);
		else
			add_bars_panel(&c, i, names);
		ft_text_puts(&inside, "</g>\n");
	}
	height += ((int)FT_COUNT(panels) + 1) / 2 * panel_height;
	if (curve) {
		ft_text_printf(&inside, "<g transform=\"translate(%d %d)\">\n", MARGIN, height + FONT);
		height += add_legend(&c, width - 2 * MARGIN);
		ft_text_puts(&inside, "</g>\n");
	}
	add_head(whole, width, height + FONT);
	ft_text_puts(whole->text, ft_text_string(&inside));
	ft_text_puts(whole->text, "</svg>\n");
	whole->text->failed |= inside.failed;
}

void ft_comparison_write_svg(struct ft_text *text, const struct ft_comparison *comparison)
{
	struct chart c = {.text = text, .comparison = comparison, .least = UINT32_MAX};

	if (series_make(&c) < 0)
		text->failed = true;
	else
		write_chart(&c);
	free(c.series);
}
