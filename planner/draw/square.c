/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * A large graph as a matrix: a row and a column for each of its switches; where these are cabled, the cell is the
 * darker the more cables there are. If cables lead between switches with hosts and those without only, the former are
 * the rows and the latter the columns.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "planner/draw/draw_parts.h"

enum {
	FONT = 11,
	CELL_FONT = 10,
	SIZE_MAX_PX = 1500, /* of the whole, if cells may be smaller than a pixel */
	CELL = 14,	    /* pixels of a cell, unless there are too many */
	NAME_PITCH = 13,
	TITLES_MAX = 20000, /* cells that still have tooltips */
	HEAD = 24,
	COUNTS_SHOWN = 6,
};

struct square {
	struct ft_drawing *d;
	struct ft_text *text;
	uint32_t *row, *column; /* by switch; FT_NONE: it has none */
	uint32_t rows, columns;
	bool two_sided; /* rows are not columns */
	int row_px, column_px, names_w, names_h;
	uint32_t most;
	struct ft_text words; /* scratch */
};

static int larger(int a, int b)
{
	return a > b ? a : b;
}

/* Pixels of @count rows or columns. */
static int size_of(uint32_t count)
{
	return count * (uint64_t)CELL > SIZE_MAX_PX ? SIZE_MAX_PX : (int)count * CELL;
}

/* Where number @index of @count begins. */
static int place_of(uint32_t index, uint32_t count, int size)
{
	return (int)((int64_t)index * size / count);
}

static void sides_find(struct square *s)
{
	const struct ft_plan *plan = s->d->plan;

	s->two_sided = ft_drawing_is_layered(s->d);
	for (uint32_t i = 0; i < plan->switch_count; i++) {
		bool lower = plan->switches[i].tier == FT_TIER_EDGE;

		s->row[i] = !s->two_sided || lower ? s->rows++ : FT_NONE;
		s->column[i] = !s->two_sided || !lower ? s->columns++ : FT_NONE;
	}
	for (uint32_t i = 0; i < plan->bundle_count; i++)
		s->most = plan->bundles[i].count > s->most ? plan->bundles[i].count : s->most;
	s->row_px = size_of(s->rows);
	s->column_px = size_of(s->columns);
}

static void names_measure(struct square *s)
{
	int widest = 40;

	for (uint32_t i = 0; i < s->d->plan->switch_count; i++)
		widest = larger(widest, ft_draw_text_width(ft_drawing_label(s->d, i), FONT));
	s->names_w = s->names_h = (widest < FT_DRAW_LABEL_WIDTH ? widest : FT_DRAW_LABEL_WIDTH) + 10;
}

/* ---- cells ---- */

/* From a quarter to the whole of the darkest. In thousandths. */
static unsigned int shade(const struct square *s, uint32_t count)
{
	return s->most <= 1 ? 700 : 250 + 750 * (count - 1) / (s->most - 1);
}

static void cell_look(const struct square *s, uint32_t count, const struct ft_draw_bundle_mark *mark)
{
	if (ft_draw_mark_is_clean(mark))
		ft_text_printf(s->text, "fill=\"#0b3a69\" fill-opacity=\"0.%03u\"/>",
			       shade(s, count) > 999 ? 999 : shade(s, count));
	else if (mark->missing > 0)
		ft_text_printf(s->text, "fill=\"%s\" stroke=\"" FT_DRAW_RED "\"/>",
			       mark->missing == count ? "url(#lost)" : "#fde0da");
	else if (mark->unjudged > 0)
		ft_text_puts(s->text, "fill=\"url(#unjudged)\" stroke=\"#777\"/>");
	else if (mark->slow > 0)
		ft_text_puts(s->text, "fill=\"url(#slow)\" stroke=\"" FT_DRAW_AMBER "\"/>");
	else
		ft_text_puts(s->text, "fill=\"#f0e2f5\" stroke=\"" FT_DRAW_VIOLET "\"/>");
}

/* Marked cells are never too small to be seen. */
static void cell_place(const struct square *s, uint32_t row, uint32_t column, bool marked)
{
	enum { SEEN = 5 };
	int x = place_of(column, s->columns, s->column_px), y = place_of(row, s->rows, s->row_px);
	int w = place_of(column + 1, s->columns, s->column_px) - x, h = place_of(row + 1, s->rows, s->row_px) - y;

	w = larger(w, marked ? SEEN : 1);
	h = larger(h, marked ? SEEN : 1);
	ft_text_printf(s->text, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" ", x, y, w, h);
}

static void cell_draw(struct square *s, uint32_t bundle, uint32_t from, uint32_t to)
{
	struct ft_draw_bundle_mark mark = ft_drawing_bundle(s->d, bundle);
	uint32_t count = s->d->plan->bundles[bundle].count;
	bool titled = s->d->plan->bundle_count <= TITLES_MAX || !ft_draw_mark_is_clean(&mark);

	if (s->row[from] == FT_NONE || s->column[to] == FT_NONE)
		return;
	ft_text_puts(s->text, titled ? "<g>" : "");
	if (titled) {
		ft_drawing_bundle_words(s->d, bundle, &s->words);
		ft_draw_add_title(s->text, &s->words);
	}
	cell_place(s, s->row[from], s->column[to], !ft_draw_mark_is_clean(&mark));
	cell_look(s, count, &mark);
	ft_text_puts(s->text, titled ? "</g>\n" : "\n");
}

static void stray_cell(struct square *s, const struct ft_draw_link *link, uint32_t from, uint32_t to)
{
	if (s->row[from] == FT_NONE || s->column[to] == FT_NONE || ft_plan_find_bundle(s->d->plan, from, to) != FT_NONE)
		return;
	ft_text_puts(s->text, "<g>");
	ft_text_add_safe(&s->words, link->note, strlen(link->note));
	ft_draw_add_title(s->text, &s->words);
	cell_place(s, s->row[from], s->column[to], true);
	ft_text_puts(s->text, "fill=\"#f0e2f5\" stroke=\"" FT_DRAW_VIOLET "\" stroke-width=\"1.8\"/></g>\n");
}

/* Marked cells lie on top of their neighbours. */
static void cells_draw(struct square *s)
{
	const struct ft_plan *plan = s->d->plan;

	for (int marked = 0; marked < 2; marked++)
		for (uint32_t i = 0; i < plan->bundle_count; i++) {
			struct ft_draw_bundle_mark mark = ft_drawing_bundle(s->d, i);

			if (ft_draw_mark_is_clean(&mark) == (marked == 1))
				continue;
			cell_draw(s, i, plan->bundles[i].a, plan->bundles[i].b);
			cell_draw(s, i, plan->bundles[i].b, plan->bundles[i].a);
		}
	for (size_t i = 0; s->d->marks && i < s->d->marks->link_count; i++) {
		const struct ft_draw_link *link = &s->d->marks->links[i];

		stray_cell(s, link, link->a, link->b);
		if (link->a != link->b)
			stray_cell(s, link, link->b, link->a);
	}
}

/* ---- names ---- */

static const char *name_look(const struct square *s, uint32_t index)
{
	static const char *const looks[] = {
		[FT_DRAW_OK] = "",
		[FT_DRAW_DEGRADED] = " fill=\"" FT_DRAW_RED "\"",
		[FT_DRAW_LOST] = " fill=\"" FT_DRAW_RED "\" font-weight=\"bold\" text-decoration=\"line-through\"",
		[FT_DRAW_UNKNOWN] = " fill=\"#777\" font-style=\"italic\"",
	};

	return s->d->loud[index] ? looks[ft_drawing_state(s->d, index)] : "";
}

static void name_write(struct square *s, uint32_t index, bool row)
{
	uint32_t number = row ? s->row[index] : s->column[index], count = row ? s->rows : s->columns;
	int size = row ? s->row_px : s->column_px;
	int at = (place_of(number, count, size) + place_of(number + 1, count, size)) / 2 + 4;

	if (row)
		ft_text_printf(s->text, "<text x=\"-6\" y=\"%d\" font-size=\"%d\" text-anchor=\"end\"%s>", at, FONT,
			       name_look(s, index));
	else
		ft_text_printf(s->text, "<text transform=\"translate(%d -6) rotate(-90)\" font-size=\"%d\"%s>", at,
			       FONT, name_look(s, index));
	ft_draw_clip(&s->d->clipped, ft_drawing_label(s->d, index), FONT, FT_DRAW_LABEL_WIDTH);
	ft_draw_add_xml(s->text, ft_text_string(&s->d->clipped));
	ft_text_reset(&s->d->clipped);
	ft_text_puts(s->text, "</text>\n");
}

/* Where names would overlap, only some are shown: marked ones first. */
static int names_draw(struct square *s, bool row)
{
	int size = row ? s->row_px : s->column_px;
	uint32_t count = row ? s->rows : s->columns;
	_cleanup_free_ bool *taken = calloc((size_t)size / NAME_PITCH + 2, sizeof(*taken));

	if (!taken)
		return -ENOMEM;
	for (int loud = 1; loud >= 0; loud--)
		for (uint32_t i = 0; i < s->d->plan->switch_count; i++) {
			uint32_t number = row ? s->row[i] : s->column[i];
			bool *slot;

			if (number == FT_NONE || s->d->loud[i] != (loud == 1))
				continue;
			slot = &taken[place_of(number, count, size) / NAME_PITCH];
			if (*slot && size < (int64_t)count * NAME_PITCH)
				continue;
			*slot = true;
			name_write(s, i, row);
		}
	return 0;
}

static void hosts_write(struct square *s)
{
	if (s->row_px < (int64_t)s->rows * NAME_PITCH)
		return;
	for (uint32_t i = 0; i < s->d->plan->switch_count; i++) {
		uint32_t planned = ft_drawing_hosts_planned(s->d, i), seen = ft_drawing_hosts_seen(s->d, i);

		if (s->row[i] == FT_NONE || (planned == 0 && seen == 0))
			continue;
		ft_text_printf(s->text, "<text x=\"%d\" y=\"%d\" font-size=\"%d\"%s>", s->column_px + 8,
			       place_of(s->row[i], s->rows, s->row_px) + CELL - 3, CELL_FONT,
			       seen == planned ? " fill=\"#444\"" : " fill=\"" FT_DRAW_RED "\"");
		if (seen != planned)
			ft_text_printf(s->text, "%u/", seen);
		ft_text_printf(s->text, "%u host%s</text>\n", planned, ft_text_s(planned));
	}
}

/* ---- the whole ---- */

static int legend_draw(struct square *s, int y, int width)
{
	struct ft_draw_legend legend = {s->text, 0, y, width};
	bool there[FT_PORTS_MAX + 1] = {false};
	uint32_t kinds = 0, number = 0;

	for (uint32_t i = 0; i < s->d->plan->bundle_count; i++) {
		uint32_t count = s->d->plan->bundles[i].count;

		kinds += !there[count];
		there[count] = true;
	}
	/* Of many, every so many-th. */
	for (uint32_t count = 1; count <= s->most; count++) {
		unsigned int dark = shade(s, count);

		if (!there[count] || number++ % ((kinds - 1) / COUNTS_SHOWN + 1) != 0)
			continue;
		ft_text_printf(&s->words, "%u cable%s", count, ft_text_s(count));
		ft_draw_legend_add(
			&legend, ft_text_string(&s->words),
			"<rect x=\"4\" width=\"18\" height=\"14\" fill=\"#0b3a69\" fill-opacity=\"0.%03u\"/>",
			dark > 999 ? 999 : dark);
		ft_text_reset(&s->words);
	}
	ft_draw_legend_marks(s->d, &legend, true);
	return ft_draw_legend_end(&legend);
}

static int square_draw(struct square *s, struct ft_draw_size *ret_size)
{
	enum { HOSTS_WIDTH = 70, LEGEND_ABOVE = 14 };
	int width = larger(s->names_w + s->column_px + HOSTS_WIDTH, s->d->width_min), r;

	ft_text_printf(s->text, "<text x=\"0\" y=\"14\" font-size=\"13\" font-weight=\"bold\">%s</text>\n",
		       s->two_sided ? "Cables from each switch with hosts (rows) to each without (columns)"
				    : "Cables from each switch (rows) to each other (columns)");
	ft_draw_patterns(s->text);
	ft_text_printf(s->text, "<g transform=\"translate(%d %d)\">\n", s->names_w, HEAD + s->names_h);
	ft_text_printf(s->text, "<rect width=\"%d\" height=\"%d\" fill=\"#fafaf7\" stroke=\"#5b7a96\"/>\n",
		       s->column_px, s->row_px);
	cells_draw(s);
	r = names_draw(s, true);
	if (r == 0)
		r = names_draw(s, false);
	hosts_write(s);
	ft_text_puts(s->text, "</g>\n");
	*ret_size = (struct ft_draw_size){width, legend_draw(s, HEAD + s->names_h + s->row_px + LEGEND_ABOVE, width)};
	s->text->failed |= s->words.failed;
	return r;
}

static void square_release(struct square *s)
{
	ft_text_release(&s->words);
	free(s->row);
	free(s->column);
}

int ft_draw_square(struct ft_drawing *d, struct ft_text *text, struct ft_draw_size *ret_size)
{
	_cleanup_(square_release) struct square s = {
		.d = d,
		.text = text,
		.row = calloc(d->plan->switch_count + 1UL, sizeof(*s.row)),
		.column = calloc(d->plan->switch_count + 1UL, sizeof(*s.column)),
	};

	if (!s.row || !s.column)
		return -ENOMEM;
	sides_find(&s);
	names_measure(&s);
	return square_draw(&s, ret_size);
}
