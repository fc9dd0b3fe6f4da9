/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The bundles between two tiers as a matrix: a row is a switch of the lower tier, a column one of the upper.
 *
 * In three levels a column is a place: that of a spine in the row's pod, or of a core switch in the row's plane, so
 * that the matrix has no empty quarters. Where there are many cells, equal neighbours are one rectangle.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "planner/draw/draw_parts.h"

enum {
	FONT = 11,
	CELL_FONT = 10,
	NAME_WIDTH_MAX = FT_DRAW_LABEL_WIDTH,
	NAME_PITCH = 13,    /* names closer than this run into each other */
	CELLS_APART = 6000, /* more are merged */
	ROWS_MAX = 700,	    /* of one pod; more are folded where they are alike */
	HOSTS_WIDTH = 48,
	HEADING_HEIGHT = 20,
	PANEL_GAP = 34,
	PANELS_MAX = 6,
	TITLE_HEIGHT = 24,
	SHADES = 6,
};

static const struct {
	const char *fill, *text;
} shades[SHADES] = {{"#d6e6f4", "#111"}, {"#b3d0ea", "#111"}, {"#86b6df", "#111"},
		    {"#3f83bd", "#fff"}, {"#1f5f9c", "#fff"}, {"#0b3a69", "#fff"}};

enum row_kind { ROW_SWITCH, ROW_POD, ROW_LIKE };

struct row {
	enum row_kind kind;
	uint32_t first, last; /* switches; of ROW_LIKE those that are not shown */
	uint32_t model;	      /* of ROW_LIKE: the first of those that they are like */
	int y;		      /* in its panel */
};

struct panel {
	uint32_t first, end; /* rows */
	int x, height;
};

/* Cells side by side that look the same. */
enum run_kind { RUN_CLEAN, RUN_LOST, RUN_UNJUDGED, RUN_OTHER };

struct run {
	uint32_t from, to; /* columns */
	uint32_t count;
	enum run_kind kind;
	uint32_t bundle; /* the first */
};

/* Rows on top of each other with the same runs. */
struct block {
	struct run *runs;
	uint32_t count;
	uint32_t first, last; /* rows */
};

struct matrix {
	struct ft_drawing *d;
	struct ft_text *text;
	struct ft_text over; /* what lies on top */
	struct ft_text words;
	enum ft_tier lower, upper;
	uint32_t upper_first; /* the first switch of the upper tier */
	bool by_place;	      /* columns are places */
	bool merged;
	bool pods; /* rows come pod by pod */
	uint32_t columns;
	uint32_t *column_switch; /* FT_NONE: several */
	struct row *rows;
	uint32_t row_count, switch_rows;
	struct panel panels[PANELS_MAX];
	int panel_count;
	int cell_w, cell_h, names_w, head_h, panel_w;
	uint32_t row_step, column_step; /* of rows and columns closer than their names, each so many-th is named */
	uint32_t widths[SHADES];	/* the different counts, rising; more than SHADES: not used */
	uint32_t width_count;
	uint32_t least, most;
	struct run *runs; /* scratch */
	struct block block;
};

static int larger(int a, int b)
{
	return a > b ? a : b;
}

/* ---- columns ---- */

static uint32_t column_of(const struct matrix *m, uint32_t bundle)
{
	uint32_t upper = m->d->plan->bundles[bundle].b;

	return m->by_place ? m->d->plan->switches[upper].place : upper - m->upper_first;
}

static bool bundle_is_ours(const struct matrix *m, uint32_t bundle)
{
	const struct ft_plan_bundle *b = &m->d->plan->bundles[bundle];

	/* Cables inside a tier have no column. */
	return m->d->plan->switches[b->a].tier == m->lower && m->d->plan->switches[b->b].tier != m->lower;
}

/* Whether places tell the columns of each row apart, in their order. */
static bool places_are_columns(const struct matrix *m)
{
	const struct ft_plan *plan = m->d->plan;

	for (uint32_t i = 0; i < plan->bundle_count; i++) {
		const struct ft_plan_bundle *b = &plan->bundles[i];
		const struct ft_plan_switch *sw = &plan->switches[b->b];

		if (!bundle_is_ours(m, i))
			continue;
		if (sw->tier != m->upper || sw->place >= plan->switch_count)
			return false;
		if (i > 0 && bundle_is_ours(m, i - 1) && b[-1].a == b->a && plan->switches[b[-1].b].place >= sw->place)
			return false;
	}
	return true;
}

static void tiers_find(struct matrix *m)
{
	const struct ft_plan *plan = m->d->plan;
	uint32_t lower = 0;

	while (lower < plan->switch_count && plan->switches[lower].tier != m->lower)
		lower++;
	m->upper_first = lower;
	while (m->upper_first < plan->switch_count && plan->switches[m->upper_first].tier == m->lower)
		m->upper_first++;
	m->upper = m->upper_first < plan->switch_count ? plan->switches[m->upper_first].tier : FT_TIER_CORE;
}

static int columns_find(struct matrix *m)
{
	const struct ft_plan *plan = m->d->plan;

	m->by_place = places_are_columns(m);
	m->column_switch = calloc(plan->switch_count + 1UL, sizeof(*m->column_switch));
	if (!m->column_switch)
		return -ENOMEM;
	for (uint32_t i = 0; i < plan->bundle_count; i++) {
		uint32_t column;

		if (!bundle_is_ours(m, i))
			continue;
		column = column_of(m, i);
		for (; m->columns <= column; m->columns++)
			m->column_switch[m->columns] = FT_NONE - 1;
		if (m->column_switch[column] == FT_NONE - 1)
			m->column_switch[column] = plan->bundles[i].b;
		else if (m->column_switch[column] != plan->bundles[i].b)
			m->column_switch[column] = FT_NONE;
	}
	return 0;
}

/* ---- widths ---- */

static void width_note(struct matrix *m, uint32_t count)
{
	uint32_t i = 0;

	m->least = count < m->least ? count : m->least;
	m->most = count > m->most ? count : m->most;
	while (i < m->width_count && i < SHADES && m->widths[i] < count)
		i++;
	if (m->width_count > SHADES || (i < m->width_count && m->widths[i] == count))
		return;
	if (m->width_count == SHADES) {
		m->width_count++;
		return;
	}
	for (uint32_t n = m->width_count++; n > i; n--)
		m->widths[n] = m->widths[n - 1];
	m->widths[i] = count;
}

static unsigned int shade_of(const struct matrix *m, uint32_t count)
{
	uint32_t i = 0;

	if (m->width_count > SHADES)
		return (unsigned int)((uint64_t)(count - m->least) * SHADES / (m->most - m->least + 1UL));
	while (i + 1 < m->width_count && m->widths[i] != count)
		i++;
	/* Without the darkest shade few are distinguishable. */
	if (m->width_count <= 3)
		return m->width_count == 3 ? 2 * i : 1 + 2 * i;
	return i * (SHADES - 1) / (m->width_count - 1);
}

/* ---- rows ---- */

static void row_add(struct matrix *m, enum row_kind kind, uint32_t first, uint32_t last, uint32_t model)
{
	struct row *before = m->row_count ? &m->rows[m->row_count - 1] : NULL;

	if (kind == ROW_LIKE && before && before->kind == ROW_LIKE && before->last + 1 == first &&
	    before->model == model) {
		before->last = last;
		return;
	}
	m->rows[m->row_count++] = (struct row){kind, first, last, model, 0};
	m->switch_rows += kind == ROW_SWITCH;
}

/*
 * The switches of one pod. Of very many, those that are like one that is shown are left out. A switch with marks of its
 * own is like none, not even itself.
 */
static void rows_of_segment(struct matrix *m, uint32_t first, uint32_t end)
{
	bool fold = end - first > ROWS_MAX;
	uint32_t model = first;

	for (uint32_t i = first; i < end; i++) {
		if (fold && i > model && ft_drawing_alike(m->d, model, i, true)) {
			row_add(m, ROW_LIKE, i, i, model);
			continue;
		}
		row_add(m, ROW_SWITCH, i, i, i);
		if (ft_drawing_alike(m->d, i, i, true))
			model = i;
	}
}

/* Likewise for pods. */
static void rows_fill(struct matrix *m, uint32_t start, uint32_t stop)
{
	uint32_t end, model = start, model_end = start;

	m->pods = start < stop && ft_drawing_segment(m->d, start) < stop;
	for (uint32_t first = start; first < stop; first = end) {
		end = ft_drawing_segment(m->d, first);
		if (model_end - model == end - first &&
		    ft_drawing_segments_alike(m->d, model, first, end - first, true)) {
			row_add(m, ROW_LIKE, first, end - 1, model);
			continue;
		}
		if (m->pods)
			row_add(m, ROW_POD, first, end - 1, first);
		rows_of_segment(m, first, end);
		if (ft_drawing_segments_alike(m->d, first, first, end - first, true)) {
			model = first;
			model_end = end;
		}
	}
}

static int rows_find(struct matrix *m)
{
	uint32_t stop = m->upper_first, start = stop;

	while (start > 0 && m->d->plan->switches[start - 1].tier == m->lower)
		start--;
	/* At most two rows a switch: its own and a heading. */
	m->rows = calloc(2UL * (stop - start) + 1, sizeof(*m->rows));
	if (!m->rows)
		return -ENOMEM;
	rows_fill(m, start, stop);
	return 0;
}

static int row_height(const struct matrix *m, const struct row *row)
{
	return row->kind == ROW_SWITCH ? m->cell_h : HEADING_HEIGHT;
}

static bool row_is_loud(const struct matrix *m, const struct row *row)
{
	return row->kind != ROW_SWITCH || m->d->loud[row->first];
}

/* ---- sizes ---- */

static int cell_size(uint32_t count, int largest)
{
	enum { ROOM = 1300 };
	int size = ROOM / (int)(count ? count : 1);

	return size < 2 ? 2 : size > largest ? largest : size;
}

static void column_name(struct matrix *m, uint32_t column, struct ft_text *words)
{
	uint32_t index = m->column_switch[column];

	if (index < m->d->plan->switch_count)
		ft_text_puts(words, ft_drawing_label(m->d, index));
	else
		ft_text_printf(words, "%s %u", ft_tier_name(m->upper), column + 1);
}

static void row_words(struct matrix *m, const struct row *row, struct ft_text *words)
{
	const struct ft_plan_switch *first = &m->d->plan->switches[row->first];
	const struct ft_plan_switch *last = &m->d->plan->switches[row->last];

	if (row->kind == ROW_POD) {
		ft_text_printf(words, "pod %u", first->pod + 1);
	} else if (row->kind == ROW_LIKE && m->pods) {
		ft_text_printf(words, first->pod == last->pod ? "pod %u" : "pods %u to %u", first->pod + 1,
			       last->pod + 1);
		ft_text_printf(words, ": as pod %u", m->d->plan->switches[row->model].pod + 1);
	} else if (row->kind == ROW_LIKE) {
		ft_text_puts(words, ft_drawing_label(m->d, row->first));
		if (row->last > row->first) {
			ft_text_puts(words, " to ");
			ft_text_puts(words, ft_drawing_label(m->d, row->last));
		}
		ft_text_puts(words, ": as ");
		ft_text_puts(words, ft_drawing_label(m->d, row->model));
	} else {
		ft_text_puts(words, ft_drawing_label(m->d, row->first));
	}
}

static void names_measure(struct matrix *m)
{
	int names = 40, head = 20;

	for (uint32_t i = 0; i < m->row_count; i++) {
		row_words(m, &m->rows[i], &m->words);
		if (m->rows[i].kind == ROW_SWITCH)
			names = larger(names, ft_draw_text_width(ft_text_string(&m->words), FONT));
		ft_text_reset(&m->words);
	}
	for (uint32_t c = 0; c < m->columns; c++) {
		column_name(m, c, &m->words);
		head = larger(head, ft_draw_text_width(ft_text_string(&m->words), FONT));
		ft_text_reset(&m->words);
	}
	m->names_w = (names < NAME_WIDTH_MAX ? names : NAME_WIDTH_MAX) + 10;
	m->head_h = (head < NAME_WIDTH_MAX ? head : NAME_WIDTH_MAX) + 10;
}

/* Where row @i is too low: a pod is better kept together. */
static int panel_limit(const struct matrix *m, uint32_t i, int limit)
{
	const struct row *row = &m->rows[i];

	if (row->kind == ROW_POD)
		return limit - (int)(row->last - row->first) * m->cell_h / 2;
	return limit + (m->pods ? limit / 4 : m->cell_h / 2);
}

/* As many panels side by side as make the whole about as wide as a page is. */
static void panels_split(struct matrix *m)
{
	enum { HEIGHT_ENOUGH = 560, HEIGHT_MERGED = 1500 };
	int total = 0, count = 1, limit, y = 0;
	struct panel *panel = m->panels;

	for (uint32_t i = 0; i < m->row_count; i++)
		total += row_height(m, &m->rows[i]);
	m->panel_w = m->names_w + (int)m->columns * m->cell_w + (m->lower == FT_TIER_EDGE ? HOSTS_WIDTH : 0);
	while (count < PANELS_MAX && total / count > (m->merged ? HEIGHT_MERGED : HEIGHT_ENOUGH) &&
	       total / count > count * (m->panel_w + PANEL_GAP) * 3 / 4)
		count++;
	limit = (total + count - 1) / count;
	panel->first = 0;
	for (uint32_t i = 0; i < m->row_count; i++) {
		int height = row_height(m, &m->rows[i]);

		if (y > 0 && panel - m->panels + 1 < count && y + height > panel_limit(m, i, limit)) {
			panel->end = i;
			panel->height = y;
			panel++;
			panel->first = i;
			panel->x = (int)(panel - m->panels) * (m->panel_w + PANEL_GAP);
			y = 0;
		}
		m->rows[i].y = y;
		y += height;
	}
	panel->end = m->row_count;
	panel->height = y;
	m->panel_count = (int)(panel - m->panels) + 1;
}

/* A round number of cells that are together as high as a name. */
static uint32_t step_for(int cell)
{
	static const uint32_t steps[] = {1, 2, 5, 10};
	size_t i = 0;

	while (i + 1 < FT_COUNT(steps) && (int)steps[i] * cell < NAME_PITCH)
		i++;
	return steps[i];
}

static void sizes_find(struct matrix *m)
{
	enum { WIDE = 28, TALL = 18 };

	m->merged = (uint64_t)m->switch_rows * m->columns > CELLS_APART;
	m->cell_w = cell_size(m->columns, m->merged ? TALL : WIDE);
	/* Rows find more room in panels. */
	m->cell_h = m->merged ? cell_size(m->switch_rows, TALL) : TALL;
	m->row_step = step_for(m->cell_h);
	m->column_step = step_for(m->cell_w);
	names_measure(m);
	panels_split(m);
}

/* ---- cells ---- */

static enum run_kind kind_of(const struct matrix *m, uint32_t bundle)
{
	struct ft_draw_bundle_mark mark = ft_drawing_bundle(m->d, bundle);
	uint32_t count = m->d->plan->bundles[bundle].count;

	if (ft_draw_mark_is_clean(&mark))
		return RUN_CLEAN;
	if (mark.slow || mark.surplus)
		return RUN_OTHER;
	return mark.missing == count ? RUN_LOST : mark.unjudged == count ? RUN_UNJUDGED : RUN_OTHER;
}

static uint32_t runs_of_row(const struct matrix *m, uint32_t index, struct run *runs)
{
	uint32_t count = 0;

	for (uint32_t i = m->d->first[index]; i < m->d->first[index + 1]; i++) {
		uint32_t column = column_of(m, i), cables = m->d->plan->bundles[i].count;
		struct run *last = count ? &runs[count - 1] : NULL;
		enum run_kind kind = kind_of(m, i);

		if (!bundle_is_ours(m, i))
			continue;
		if (m->merged && last && kind != RUN_OTHER && last->kind == kind && last->to == column &&
		    last->count == cables)
			last->to++;
		else
			runs[count++] = (struct run){column, column + 1, cables, kind, i};
	}
	return count;
}

static bool block_goes_on(const struct matrix *m, uint32_t row, const struct run *runs, uint32_t count)
{
	const struct block *b = &m->block;

	if (!m->merged || b->count != count || b->last + 1 != row || m->rows[b->last].y > m->rows[row].y)
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (b->runs[i].from != runs[i].from || b->runs[i].to != runs[i].to ||
		    b->runs[i].count != runs[i].count || b->runs[i].kind != runs[i].kind || runs[i].kind == RUN_OTHER)
			return false;
	return true;
}

static void run_title(struct matrix *m, struct ft_text *text, const struct run *run)
{
	const struct block *b = &m->block;

	if (run->to == run->from + 1 && b->first == b->last) {
		ft_drawing_bundle_words(m->d, run->bundle, &m->words);
		ft_draw_add_title(text, &m->words);
		return;
	}
	row_words(m, &m->rows[b->first], &m->words);
	ft_text_puts(&m->words, " to ");
	row_words(m, &m->rows[b->last], &m->words);
	ft_text_puts(&m->words, " - ");
	column_name(m, run->from, &m->words);
	ft_text_puts(&m->words, " to ");
	column_name(m, run->to - 1, &m->words);
	ft_text_printf(&m->words, ": %u cable%s each%s", run->count, run->count == 1 ? "" : "s",
		       run->kind == RUN_LOST	   ? ", missing"
		       : run->kind == RUN_UNJUDGED ? ", not judged"
						   : "");
	ft_draw_add_title(text, &m->words);
}

static void run_label(struct matrix *m, struct ft_text *text, const struct run *run)
{
	struct ft_draw_bundle_mark mark = ft_drawing_bundle(m->d, run->bundle);
	uint32_t absent = mark.missing + mark.unjudged;

	if (absent > 0)
		ft_text_printf(text, "%u/%u", run->count - absent, run->count);
	else if (mark.surplus > 0)
		ft_text_printf(text, "%u+%u", run->count, mark.surplus);
	else
		ft_text_printf(text, "%u", run->count);
}

static const char *run_look(const struct matrix *m, const struct run *run)
{
	struct ft_draw_bundle_mark mark = ft_drawing_bundle(m->d, run->bundle);

	if (run->kind == RUN_LOST)
		return "fill=\"url(#lost)\" stroke=\"" FT_DRAW_RED "\"";
	if (mark.missing > 0)
		return "fill=\"#fde0da\" stroke=\"" FT_DRAW_RED "\" stroke-width=\"1.8\"";
	if (mark.unjudged > 0)
		return "fill=\"url(#unjudged)\" stroke=\"#777\"";
	if (mark.slow > 0)
		return "fill=\"url(#slow)\" stroke=\"" FT_DRAW_AMBER "\" stroke-width=\"1.8\"";
	return "fill=\"#f0e2f5\" stroke=\"" FT_DRAW_VIOLET "\" stroke-width=\"1.8\"";
}

/* Marked cells are never too small to be seen; they lie on top of their neighbours. */
static void run_draw(struct matrix *m, const struct run *run, int x0, int y, int height)
{
	enum { SEEN = 5 };
	struct ft_text *text = run->kind == RUN_CLEAN ? m->text : &m->over;
	int x = x0 + (int)run->from * m->cell_w, width = (int)(run->to - run->from) * m->cell_w;
	int gap = m->merged ? 0 : 1;
	unsigned int shade = shade_of(m, run->count);

	if (run->kind != RUN_CLEAN && width < SEEN) {
		x -= (SEEN - width) / 2;
		width = SEEN;
	}
	if (run->kind != RUN_CLEAN && height < SEEN) {
		y -= (SEEN - height) / 2;
		height = SEEN;
	}
	ft_text_puts(text, "<g>");
	run_title(m, text, run);
	ft_text_printf(text, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" ", x, y, width - gap, height - gap);
	if (run->kind == RUN_CLEAN)
		ft_text_printf(text, "fill=\"%s\"/>", shades[shade].fill);
	else
		ft_text_printf(text, "%s/>", run_look(m, run));
	if (!m->merged && m->cell_w >= 12) {
		const char *colour = run->kind == RUN_CLEAN ? shades[shade].text : "#111";

		run_label(m, &m->words, run);
		ft_text_printf(
			text, "<text x=\"%d\" y=\"%d\" font-size=\"%d\" text-anchor=\"middle\" fill=\"%s\"%s>%s</text>",
			x + width / 2, y + height / 2 + 3,
			ft_draw_text_width(ft_text_string(&m->words), CELL_FONT) > width ? CELL_FONT - 2 : CELL_FONT,
			colour, run->kind == RUN_CLEAN ? "" : " font-weight=\"bold\"", ft_text_string(&m->words));
		ft_text_reset(&m->words);
	}
	ft_text_puts(text, "</g>\n");
}

static void block_flush(struct matrix *m, const struct panel *panel)
{
	struct block *b = &m->block;
	int y, height;

	if (b->count == 0)
		return;
	y = m->head_h + m->rows[b->first].y;
	height = m->rows[b->last].y + m->cell_h - m->rows[b->first].y;
	for (uint32_t i = 0; i < b->count; i++)
		run_draw(m, &b->runs[i], panel->x + m->names_w, y, height);
	b->count = 0;
}

static void cells_draw(struct matrix *m, const struct panel *panel)
{
	for (uint32_t i = panel->first; i < panel->end; i++) {
		uint32_t count;
		struct run *swap;

		if (m->rows[i].kind != ROW_SWITCH)
			continue;
		count = runs_of_row(m, m->rows[i].first, m->runs);
		if (block_goes_on(m, i, m->runs, count)) {
			m->block.last = i;
			continue;
		}
		block_flush(m, panel);
		swap = m->block.runs;
		m->block = (struct block){m->runs, count, i, i};
		m->runs = swap;
	}
	block_flush(m, panel);
}

/* ---- names ---- */

static const char *name_look(const struct matrix *m, uint32_t index)
{
	static const char *const looks[] = {
		[FT_DRAW_OK] = "",
		[FT_DRAW_DEGRADED] = " fill=\"" FT_DRAW_RED "\"",
		[FT_DRAW_LOST] = " fill=\"" FT_DRAW_RED "\" font-weight=\"bold\" text-decoration=\"line-through\"",
		[FT_DRAW_UNKNOWN] = " fill=\"#777\" font-style=\"italic\"",
	};

	return index < m->d->plan->switch_count && m->d->loud[index] ? looks[ft_drawing_state(m->d, index)] : "";
}

static void name_write(struct matrix *m, const char *place, uint32_t index, const char *anchor)
{
	ft_text_printf(m->text, "<text %s font-size=\"%d\" text-anchor=\"%s\"%s>", place, FONT, anchor,
		       name_look(m, index));
	ft_draw_clip(&m->d->clipped, ft_text_string(&m->words), FONT, NAME_WIDTH_MAX);
	ft_draw_add_xml(m->text, ft_text_string(&m->d->clipped));
	ft_text_reset(&m->d->clipped);
	ft_text_reset(&m->words);
	ft_text_puts(m->text, "</text>\n");
}

static void hosts_write(struct matrix *m, const struct panel *panel, const struct row *row, int y)
{
	uint32_t planned = ft_drawing_hosts_planned(m->d, row->first), seen = ft_drawing_hosts_seen(m->d, row->first);
	bool lacks = seen != planned;

	if (m->lower != FT_TIER_EDGE || row->kind != ROW_SWITCH)
		return;
	ft_text_printf(m->text, "<text x=\"%d\" y=\"%d\" font-size=\"%d\" text-anchor=\"end\"%s>",
		       panel->x + m->panel_w - 4, y, CELL_FONT, lacks ? " fill=\"" FT_DRAW_RED "\"" : " fill=\"#444\"");
	if (lacks)
		ft_text_printf(m->text, "%u/", seen);
	ft_text_printf(m->text, "%u</text>\n", planned);
}

static void row_name(struct matrix *m, const struct panel *panel, const struct row *row)
{
	int y = m->head_h + row->y + row_height(m, row) / 2 + 4;
	char place[64];

	row_words(m, row, &m->words);
	if (row->kind == ROW_SWITCH) {
		snprintf(place, sizeof(place), "x=\"%d\" y=\"%d\"", panel->x + m->names_w - 6, y);
		name_write(m, place, row->first, "end");
		hosts_write(m, panel, row, y);
		return;
	}
	ft_text_printf(m->text, "<text x=\"%d\" y=\"%d\" font-size=\"%d\" fill=\"#35506b\"%s>", panel->x, y, FONT,
		       row->kind == ROW_POD ? " font-weight=\"bold\"" : " font-style=\"italic\"");
	ft_draw_add_xml(m->text, ft_text_string(&m->words));
	ft_text_puts(m->text, "</text>\n");
	ft_text_reset(&m->words);
}

/*
 * Takes the room for a name at @at, if no other name is there. @taken: by pixel.
 */
static bool room_take(bool *taken, int at, int size)
{
	int from = at < NAME_PITCH ? 0 : at - NAME_PITCH + 1, to = at + NAME_PITCH < size ? at + NAME_PITCH : size;

	for (int i = from; i < to; i++)
		if (taken[i])
			return false;
	taken[at] = true;
	return true;
}

/* Where rows are low, only some can have their names: those that stand out come first. */
static int row_names(struct matrix *m, const struct panel *panel)
{
	_cleanup_free_ bool *taken = calloc((size_t)panel->height + 1, sizeof(*taken));

	if (!taken)
		return -ENOMEM;
	for (int loud = 1; loud >= 0; loud--)
		for (uint32_t i = panel->first; i < panel->end; i++)
			if (row_is_loud(m, &m->rows[i]) == loud && (loud || (i - panel->first) % m->row_step == 0) &&
			    (m->cell_h >= NAME_PITCH || room_take(taken, m->rows[i].y, panel->height)))
				row_name(m, panel, &m->rows[i]);
	return 0;
}

static bool column_is_loud(const struct matrix *m, uint32_t column)
{
	uint32_t index = m->column_switch[column];

	return index < m->d->plan->switch_count && m->d->loud[index];
}

static int column_names(struct matrix *m, const struct panel *panel)
{
	int size = (int)m->columns * m->cell_w;
	_cleanup_free_ bool *taken = calloc((size_t)size + 1, sizeof(*taken));

	if (!taken)
		return -ENOMEM;
	for (int loud = 1; loud >= 0; loud--)
		for (uint32_t c = 0; c < m->columns; c++) {
			int x = panel->x + m->names_w + (int)c * m->cell_w + m->cell_w / 2 + 4;
			char place[96];

			if (column_is_loud(m, c) != loud || (!loud && c % m->column_step) ||
			    !room_take(taken, (int)c * m->cell_w, size))
				continue;
			column_name(m, c, &m->words);
			snprintf(place, sizeof(place), "transform=\"translate(%d %d) rotate(-90)\"", x, m->head_h - 5);
			name_write(m, place, m->column_switch[c], "start");
		}
	if (m->lower == FT_TIER_EDGE)
		ft_text_printf(m->text,
			       "<text x=\"%d\" y=\"%d\" font-size=\"%d\" text-anchor=\"end\" fill=\"#444\">"
			       "hosts</text>\n",
			       panel->x + m->panel_w - 4, m->head_h - 5, CELL_FONT);
	return 0;
}

/* ---- the whole ---- */

void ft_draw_patterns(struct ft_text *text)
{
	static const struct {
		const char *name, *ground, *line;
	} patterns[] = {{"lost", "#fff", "#f2a597"}, {"slow", "#fff", "#eda63c"}, {"unjudged", "#fff", "#aaa"}};

	ft_text_puts(text, "<defs>");
	for (size_t i = 0; i < FT_COUNT(patterns); i++)
		ft_text_printf(text,
			       "<pattern id=\"%s\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
			       "patternTransform=\"rotate(45)\"><rect width=\"6\" height=\"6\" fill=\"%s\"/>"
			       "<rect width=\"2.4\" height=\"6\" fill=\"%s\"/></pattern>",
			       patterns[i].name, patterns[i].ground, patterns[i].line);
	ft_text_puts(text, "</defs>\n");
}

/* Fine lines between merged cells: at those that have names, where the cells are finer than the lines. */
static void grid_draw(struct matrix *m, const struct panel *panel)
{
	int x = panel->x + m->names_w, w = (int)m->columns * m->cell_w;

	if (!m->merged)
		return;
	ft_text_puts(m->text, "<path stroke=\"#fff\" stroke-width=\"0.7\" fill=\"none\" d=\"");
	for (uint32_t c = m->column_step; c < m->columns; c += m->column_step)
		ft_text_printf(m->text, "M%d %dv%d", x + (int)c * m->cell_w, m->head_h, panel->height);
	for (uint32_t i = panel->first + m->row_step; i < panel->end; i += m->row_step)
		ft_text_printf(m->text, "M%d %dh%d", x, m->head_h + m->rows[i].y, w);
	ft_text_printf(m->text,
		       "\"/>\n<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#5b7a96\"/>\n",
		       x, m->head_h, w, panel->height);
}

static void title_write(struct matrix *m)
{
	static const char *const what[] = {[FT_TIER_EDGE] = "", [FT_TIER_SPINE] = " of its pod", [FT_TIER_CORE] = ""};

	ft_text_printf(m->text,
		       "<text x=\"0\" y=\"14\" font-size=\"13\" font-weight=\"bold\">Cables from each %s switch (rows) "
		       "to each %s switch%s (columns)</text>\n",
		       ft_tier_name(m->lower), ft_tier_name(m->upper),
		       m->lower == FT_TIER_SPINE ? " of its plane" : what[m->upper]);
}

static int legend_draw(struct matrix *m, int y, int width)
{
	struct ft_draw_legend legend = {m->text, 0, y, width};
	uint32_t count = m->width_count <= SHADES ? m->width_count : SHADES;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t span = m->most - m->least + 1;
		uint32_t from = m->least + (uint32_t)(((uint64_t)i * span + SHADES - 1) / SHADES);
		uint32_t to = m->least + (uint32_t)(((uint64_t)(i + 1) * span + SHADES - 1) / SHADES) - 1;

		if (m->width_count <= SHADES)
			from = to = m->widths[i];
		ft_text_printf(&m->words, from == to ? "%u" : "%u to %u", from, to);
		ft_text_puts(&m->words, to == 1 ? " cable" : " cables");
		ft_draw_legend_add(&legend, ft_text_string(&m->words),
				   "<rect x=\"4\" width=\"18\" height=\"14\" fill=\"%s\"/>",
				   shades[shade_of(m, from)].fill);
		ft_text_reset(&m->words);
	}
	ft_draw_legend_marks(m->d, &legend, true);
	return ft_draw_legend_end(&legend);
}

static int matrix_draw(struct matrix *m, struct ft_draw_size *ret_size)
{
	enum { LEGEND_ABOVE = 14, WIDTH_MIN = 560 };
	int height = 0, width, r = 0;

	title_write(m);
	ft_draw_patterns(m->text);
	ft_text_printf(m->text, "<g transform=\"translate(0 %d)\">\n", TITLE_HEIGHT);
	for (int i = 0; r == 0 && i < m->panel_count; i++) {
		const struct panel *panel = &m->panels[i];

		cells_draw(m, panel);
		grid_draw(m, panel);
		height = larger(height, panel->height);
		r = column_names(m, panel);
		if (r == 0)
			r = row_names(m, panel);
	}
	ft_text_puts(m->text, ft_text_string(&m->over));
	ft_text_puts(m->text, "</g>\n");
	width = larger(WIDTH_MIN, m->panel_count * (m->panel_w + PANEL_GAP) - PANEL_GAP);
	height = legend_draw(m, TITLE_HEIGHT + m->head_h + height + LEGEND_ABOVE, width);
	m->text->failed |= m->over.failed | m->words.failed;
	if (r == 0)
		*ret_size = (struct ft_draw_size){width, height};
	return r;
}

static int matrix_find(struct matrix *m)
{
	const struct ft_plan *plan = m->d->plan;
	int r;

	tiers_find(m);
	r = columns_find(m);
	if (r == 0)
		r = rows_find(m);
	if (r < 0)
		return r;
	for (uint32_t i = 0; i < plan->bundle_count; i++)
		if (bundle_is_ours(m, i))
			width_note(m, plan->bundles[i].count);
	m->runs = calloc(m->columns + 1UL, sizeof(*m->runs));
	m->block.runs = calloc(m->columns + 1UL, sizeof(*m->runs));
	if (!m->runs || !m->block.runs)
		return -ENOMEM;
	sizes_find(m);
	return 0;
}

static void matrix_release(struct matrix *m)
{
	ft_text_release(&m->over);
	ft_text_release(&m->words);
	free(m->column_switch);
	free(m->rows);
	free(m->runs);
	free(m->block.runs);
}

int ft_draw_matrix(struct ft_drawing *d, struct ft_text *text, enum ft_tier lower, struct ft_draw_size *ret_size)
{
	_cleanup_(matrix_release) struct matrix m = {.d = d, .text = text, .lower = lower, .least = UINT32_MAX};
	int r;

	r = matrix_find(&m);
	return r < 0 ? r : matrix_draw(&m, ret_size);
}
