/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The plan as a picture: hosts below, then edge, spine and core switches; bundles are lines with their count. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "planner/draw/draw_parts.h"
#include "planner/plan/tree.h"

enum {
	NAME_FONT = 11,
	SMALL_FONT = 10,
	BOX_HEIGHT = 30,
	GROUP_HEIGHT = 44, /* of a box for several switches */
	POD_PAD = 14,
	STUB = 30, /* the part of a line that goes straight up, where its count is */
	HOST_PITCH = 11,
	HOST_RADIUS = 4,
	HOSTS_DRAWN_MAX = 72, /* more are one block with a number */
	CAPTION = 20,	      /* in a frame */
	PLANE_PAD = 8,	      /* between core switches and the frame of their plane */
	ARC = 46,	      /* how high a cable inside a tier rises */
	ARC_SLOT = 14,	      /* what it takes of the far switch, where its count is not */
};

struct box {
	int x, y, w, h;
	uint32_t up, down;  /* bonds to the tier above and below */
	uint32_t next_down; /* while they are drawn; so is next_label */
	int labels;	    /* the counts on the lines that go up, side by side */
	int next_label;
};

/* A pod in the picture, or several that are drawn as one. */
struct pod {
	uint32_t first, last;
	int x, w;
	int edges_w, spines_w, next_edge, next_spine;
};

struct picture {
	struct ft_drawing *d;
	struct ft_text *text;
	struct box *boxes; /* by group */
	struct pod *pods;
	uint32_t pod_count;
	bool framed; /* there are pods worth a frame */
	int gap;     /* between switches */
	int width;
	int tier_y[FT_TIER_COUNT];
	struct ft_text words; /* scratch */
};

static const struct ft_plan_switch *switch_of(const struct picture *p, uint32_t group)
{
	return &p->d->plan->switches[p->d->groups[group].first];
}

/* Inside a tier, as in a ring. */
static bool is_level(const struct picture *p, const struct ft_draw_bond *bond)
{
	return p->d->groups[bond->lower].tier == p->d->groups[bond->upper].tier;
}

/* ---- hosts ---- */

struct host_grid {
	struct ft_draw_hosts hosts;
	uint32_t ports, planned, seen; /* of one edge switch, the most */
	uint32_t columns, rows;	       /* 0: a block with a number */
	int w, h;
};

static uint32_t columns_for(uint32_t ports)
{
	uint32_t rows = ports <= 6 ? 1 : ports <= 24 ? 3 : ports <= 40 ? 4 : 6;

	return (ports + rows - 1) / rows;
}

static const char *range_words(uint32_t least, uint32_t most, char buffer[32])
{
	snprintf(buffer, 32, most > least ? "%u to %u" : "%u", least, most);
	return buffer;
}

/* "18 hosts", "17/18 hosts"; for several switches "14 to 20 hosts each". */
static const char *block_words(const struct ft_draw_hosts *hosts, bool several, char buffer[96])
{
	const char *ends = several ? " each" : "", *plural = hosts->planned_most == 1 ? "" : "s";
	char planned[32], seen[32];

	range_words(hosts->planned_least, hosts->planned_most, planned);
	range_words(hosts->seen_least, hosts->seen_most, seen);
	if (hosts->differ)
		snprintf(buffer, 96, "%s%s%s host%s%s", seen, several ? " of " : "/", planned, plural, ends);
	else
		snprintf(buffer, 96, "%s host%s%s", planned, plural, ends);
	return buffer;
}

static int block_width(const struct ft_draw_hosts *hosts, bool several)
{
	enum { BLOCK_WIDTH = 92, PAD = 14 };
	char words[96];
	int width = ft_draw_text_width(block_words(hosts, several, words), NAME_FONT) + PAD;

	return width > BLOCK_WIDTH ? width : BLOCK_WIDTH;
}

static struct host_grid grid_of(const struct picture *p, uint32_t group)
{
	enum { BLOCK_HEIGHT = 26 };
	const struct ft_draw_group *g = &p->d->groups[group];
	struct host_grid grid = {.ports = p->d->plan->tree->ports_to_nodes, .hosts = ft_drawing_group_hosts(p->d, g)};

	grid.planned = grid.hosts.planned_most;
	grid.seen = grid.hosts.seen_most;
	grid.ports = grid.ports < grid.planned ? grid.planned : grid.ports;
	grid.ports = grid.ports < grid.seen ? grid.seen : grid.ports;
	grid.w = block_width(&grid.hosts, g->count > 1);
	grid.h = BLOCK_HEIGHT;
	if (grid.ports > HOSTS_DRAWN_MAX || g->count > 1 || grid.ports == 0)
		return grid;
	grid.columns = columns_for(grid.ports);
	grid.rows = (grid.ports + grid.columns - 1) / grid.columns;
	grid.w = (int)grid.columns * HOST_PITCH + 6;
	grid.h = (int)grid.rows * HOST_PITCH + 6;
	return grid;
}

static void host_circle(struct picture *p, const struct host_grid *grid, uint32_t i, int x, int y)
{
	const char *look = i >= grid->planned && i < grid->seen ? "fill=\"" FT_DRAW_VIOLET "\""
			   : i < grid->seen			? "fill=\"#444\""
			   : i < grid->planned			? "fill=\"#fff\" stroke=\"" FT_DRAW_RED
						 "\" stroke-width=\"1.4\" stroke-dasharray=\"2 1.4\""
					       : "fill=\"#fff\" stroke=\"#999\"";

	ft_text_printf(p->text, "<circle cx=\"%d\" cy=\"%d\" r=\"%d\" %s/>",
		       x + 3 + HOST_PITCH / 2 + (int)(i % grid->columns) * HOST_PITCH,
		       y + 3 + HOST_PITCH / 2 + (int)(i / grid->columns) * HOST_PITCH, HOST_RADIUS, look);
}

static void hosts_draw(struct picture *p, uint32_t group)
{
	enum { STEM = 12 };
	const struct box *box = &p->boxes[group];
	struct host_grid grid = grid_of(p, group);
	int x = box->x + (box->w - grid.w) / 2, y = box->y + box->h + STEM;
	const struct ft_draw_hosts *hosts = &grid.hosts;
	char words[96];

	ft_text_printf(p->text,
		       "<path d=\"M%d %dv%d\" stroke=\"#999\"/><g><rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" "
		       "rx=\"5\" fill=\"#fafaf7\" stroke=\"#ccc\"/>",
		       box->x + box->w / 2, box->y + box->h, STEM, x, y, grid.w, grid.h);
	ft_draw_add_range(&p->words, hosts->planned_least, hosts->planned_most);
	ft_text_printf(&p->words, " host%s planned, ", hosts->planned_most == 1 ? "" : "s");
	ft_draw_add_range(&p->words, hosts->seen_least, hosts->seen_most);
	ft_text_printf(&p->words, " seen, %u port%s for hosts", grid.ports, ft_text_s(grid.ports));
	if (!p->d->marks) {
		ft_text_reset(&p->words);
		ft_text_printf(&p->words, "%u host%s, %u port%s for hosts free", grid.planned,
			       grid.planned == 1 ? "" : "s", grid.ports - grid.planned,
			       ft_text_s(grid.ports - grid.planned));
	}
	ft_draw_add_title(p->text, &p->words);
	for (uint32_t i = 0; grid.columns > 0 && i < grid.ports; i++)
		host_circle(p, &grid, i, x, y);
	if (grid.columns == 0) {
		ft_text_printf(p->text, "<text x=\"%d\" y=\"%d\" font-size=\"%d\" text-anchor=\"middle\"%s>",
			       x + grid.w / 2, y + grid.h / 2 + 4, NAME_FONT,
			       hosts->lack ? " fill=\"" FT_DRAW_RED "\"" : "");
		ft_text_puts(p->text, block_words(hosts, p->d->groups[group].count > 1, words));
		ft_text_puts(p->text, "</text>");
	}
	ft_text_puts(p->text, "</g>\n");
}

/* ---- where everything is ---- */

static int larger(int a, int b)
{
	return a > b ? a : b;
}

static int label_width(struct picture *p, const struct ft_draw_bond *bond)
{
	int width;

	ft_drawing_bond_label(bond, &p->words);
	width = ft_draw_text_width(ft_text_string(&p->words), SMALL_FONT) + 12;
	ft_text_reset(&p->words);
	return width;
}

static void bonds_count(struct picture *p)
{
	for (uint32_t i = 0; i < p->d->bond_count; i++) {
		const struct ft_draw_bond *bond = &p->d->bonds[i];
		struct box *lower = &p->boxes[bond->lower];

		lower->labels += label_width(p, bond);
		lower->up++;
		if (is_level(p, bond))
			p->boxes[bond->upper].labels += ARC_SLOT;
		else
			p->boxes[bond->upper].down++;
	}
}

static void box_measure(struct picture *p, uint32_t group)
{
	enum { DOWN_PITCH = 9, PAD = 18, WIDTH_MIN = 56 };
	struct box *box = &p->boxes[group];
	const struct ft_draw_group *g = &p->d->groups[group];

	ft_drawing_group_label(p->d, g, &p->words);
	box->w = larger(WIDTH_MIN, ft_draw_text_width(ft_text_string(&p->words), NAME_FONT) + PAD);
	ft_text_reset(&p->words);
	box->w = larger(box->w, box->labels);
	box->w = larger(box->w, (int)box->down * DOWN_PITCH);
	box->h = g->count > 1 ? GROUP_HEIGHT : BOX_HEIGHT;
	if (g->tier == FT_TIER_EDGE)
		box->w = larger(box->w, grid_of(p, group).w);
}

/* The pods in the order of the plan. An upper switch of a pod without edges there is with the pod before. */
static struct pod *pod_of(struct picture *p, uint32_t group)
{
	uint32_t pod = p->d->groups[group].pod;

	for (uint32_t i = p->pod_count; i-- > 0;)
		if (p->pods[i].first <= pod || i == 0)
			return &p->pods[i];
	return NULL;
}

static void pods_find(struct picture *p)
{
	for (uint32_t g = 0; g < p->d->group_count; g++) {
		const struct ft_draw_group *group = &p->d->groups[g];
		struct pod *last = p->pod_count ? &p->pods[p->pod_count - 1] : NULL;

		if (group->tier != FT_TIER_EDGE)
			continue;
		if (last && group->pod == last->first) {
			last->last = group->pod_last > last->last ? group->pod_last : last->last;
			continue;
		}
		p->pods[p->pod_count++] = (struct pod){.first = group->pod, .last = group->pod_last};
	}
	p->framed = p->d->plan->tree->levels > 2;
}

/* Few switches stand farther apart, so that lines between them are told apart. */
static int gap_between(const struct picture *p)
{
	uint32_t edges = 0;

	for (uint32_t g = 0; g < p->d->group_count; g++)
		edges += p->d->groups[g].tier == FT_TIER_EDGE;
	return p->framed || edges > 10 ? 26 : edges > 6 ? 40 : 64;
}

static int pods_place(struct picture *p)
{
	int x = 0;

	for (uint32_t g = 0; g < p->d->group_count; g++) {
		struct pod *pod = p->d->groups[g].tier == FT_TIER_CORE ? NULL : pod_of(p, g);

		if (!pod)
			continue;
		if (p->d->groups[g].tier == FT_TIER_EDGE)
			pod->edges_w += p->boxes[g].w + p->gap;
		else
			pod->spines_w += p->boxes[g].w + p->gap;
	}
	for (uint32_t i = 0; i < p->pod_count; i++) {
		struct pod *pod = &p->pods[i];

		pod->x = x;
		pod->w = larger(pod->edges_w, pod->spines_w) + (p->framed ? 2 * POD_PAD - p->gap : 0);
		x += pod->w + (p->framed ? POD_PAD : 0);
	}
	return x - (p->framed ? POD_PAD : p->gap);
}

/* Across: @used of @width, in the middle. */
static int centred(int start, int width, int used)
{
	return start + (width - used) / 2;
}

static void boxes_place(struct picture *p)
{
	int lower = pods_place(p), cores = -p->gap, count = 0, spread, shift, x;

	for (uint32_t g = 0; g < p->d->group_count; g++)
		if (p->d->groups[g].tier == FT_TIER_CORE) {
			cores += p->boxes[g].w + p->gap;
			count++;
		}
	cores += p->framed ? 2 * PLANE_PAD : 0;
	p->width = larger(lower, larger(cores, 1));
	shift = (p->width - lower) / 2;
	/* Core switches are spread, but not to the ends of the picture. */
	spread = count > 0 ? (p->width - cores) / (count + 1) : 0;
	x = spread + (p->width - cores - spread * (count + 1)) / 2 + (p->framed ? PLANE_PAD : 0);
	for (uint32_t i = 0; i < p->pod_count; i++) {
		struct pod *pod = &p->pods[i];

		pod->x += shift;
		pod->next_edge = centred(pod->x, pod->w, pod->edges_w - p->gap);
		pod->next_spine = centred(pod->x, pod->w, pod->spines_w - p->gap);
		if (!p->framed)
			pod->next_edge = pod->x;
	}
	for (uint32_t g = 0; g < p->d->group_count; g++) {
		enum ft_tier tier = p->d->groups[g].tier;
		struct pod *pod = tier == FT_TIER_CORE ? NULL : pod_of(p, g);
		int *next = !pod ? &x : tier == FT_TIER_EDGE ? &pod->next_edge : &pod->next_spine;

		p->boxes[g].x = *next;
		*next += p->boxes[g].w + p->gap + (pod ? 0 : spread);
	}
}

static bool tier_is_there(const struct picture *p, enum ft_tier tier)
{
	for (uint32_t g = 0; g < p->d->group_count; g++)
		if (p->d->groups[g].tier == tier)
			return true;
	return false;
}

/* Cables inside a tier rise above it. */
static bool tier_has_arcs(const struct picture *p, enum ft_tier tier)
{
	const struct ft_draw_marks *marks = p->d->marks;

	for (uint32_t i = 0; i < p->d->bond_count; i++)
		if (is_level(p, &p->d->bonds[i]) && p->d->groups[p->d->bonds[i].lower].tier == tier)
			return true;
	for (size_t i = 0; marks && i < marks->link_count; i++)
		if (p->d->plan->switches[marks->links[i].a].tier == tier &&
		    p->d->plan->switches[marks->links[i].b].tier == tier)
			return true;
	return false;
}

/* From the top down. Returns the height up to the lower side of the edge switches. */
static int tiers_place(struct picture *p)
{
	enum { GAP_MIN = 150, GAP_MAX = 320 };
	int gap = p->width / 4, y = p->framed ? CAPTION + 8 : 16;

	gap = gap < GAP_MIN ? GAP_MIN : gap > GAP_MAX ? GAP_MAX : gap;
	for (int tier = FT_TIER_CORE; tier >= FT_TIER_EDGE; tier--) {
		int height = 0;

		if (!tier_is_there(p, tier))
			continue;
		if (tier == FT_TIER_CORE && tier_has_arcs(p, tier))
			y += ARC;
		p->tier_y[tier] = y;
		for (uint32_t g = 0; g < p->d->group_count; g++)
			if (p->d->groups[g].tier == (enum ft_tier)tier) {
				p->boxes[g].y = y;
				height = larger(height, p->boxes[g].h);
			}
		y += height + (tier == FT_TIER_EDGE ? 0 : gap);
	}
	return y;
}

static int hosts_height(const struct picture *p)
{
	int height = 0;

	for (uint32_t g = 0; g < p->d->group_count; g++)
		if (p->d->groups[g].tier == FT_TIER_EDGE)
			height = larger(height, grid_of(p, g).h);
	return height + 20;
}

/* ---- lines ---- */

struct route {
	int x1, y1, x2, y2; /* from the lower switch to the upper one */
	bool level;	    /* or to one beside it */
};

/* The next place on the upper side of a switch, of a line that takes so much of it. */
static int slot_next(struct box *box, int width)
{
	int at = box->next_label + width / 2;

	box->next_label += width;
	return box->x + (int)((int64_t)at * box->w / box->labels);
}

/* Along the upper side of the lower switch, a line has as much room as its count takes. */
static struct route route_next(struct picture *p, const struct ft_draw_bond *bond)
{
	struct box *lower = &p->boxes[bond->lower], *upper = &p->boxes[bond->upper];
	struct route route = {.x1 = slot_next(lower, label_width(p, bond)), .y1 = lower->y, .level = is_level(p, bond)};

	if (route.level) {
		route.x2 = slot_next(upper, ARC_SLOT);
		route.y2 = upper->y;
		return route;
	}
	route.x2 = upper->x + (int)((2 * (int64_t)upper->next_down++ + 1) * upper->w / (2 * (int64_t)upper->down));
	route.y2 = upper->y + upper->h;
	return route;
}

/* The longer, the higher, so that arcs are seen apart. */
static void arc_path(struct picture *p, const struct route *r, int shift)
{
	int length = abs(r->x2 - r->x1), rise = 16 + length / 8;

	rise = rise < 2 * ARC - STUB ? rise : 2 * ARC - STUB;
	ft_text_printf(p->text, "M%d %dV%dQ%d %d %d %dV%d", r->x1 + shift, r->y1, r->y1 - STUB,
		       (r->x1 + r->x2) / 2 + shift, r->y1 - STUB - rise, r->x2 + shift, r->y2 - STUB, r->y2);
}

static void route_path(struct picture *p, const struct route *r, int shift, const char *stroke, int tenths,
		       const char *dash)
{
	ft_text_puts(p->text, "<path d=\"");
	if (r->level)
		arc_path(p, r, shift);
	else
		ft_text_printf(p->text, "M%d %dV%dL%d %dV%d", r->x1 + shift, r->y1, r->y1 - STUB, r->x2 + shift,
			       r->y2 + STUB / 3, r->y2);
	ft_text_printf(p->text, "\" fill=\"none\" stroke=\"%s\" stroke-width=\"%d.%d\" stroke-linejoin=\"round\"%s/>",
		       stroke, tenths / 10, tenths % 10, dash);
}

/* Tenths of a pixel. */
static int thickness(uint64_t cables)
{
	enum { THICKEST = 12 };

	return 12 + 5 * (int)(cables < THICKEST ? cables : THICKEST);
}

static void bond_draw(struct picture *p, const struct ft_draw_bond *bond)
{
	struct route route = route_next(p, bond);
	const char *colour = ft_drawing_bond_colour(p->d, bond);
	uint64_t absent = bond->missing + bond->unjudged, there = bond->cables - absent;
	int width = thickness(bond->most);

	ft_text_puts(p->text, "<g>");
	ft_drawing_bond_words(p->d, bond, &p->words);
	ft_draw_add_title(p->text, &p->words);
	if (there > 0 && bond->slow > 0) {
		route_path(p, &route, 0, FT_DRAW_AMBER, width + 20, " stroke-dasharray=\"3 5\"");
		route_path(p, &route, 0, colour, width > 30 ? width - 20 : width, "");
	} else if (there > 0) {
		route_path(p, &route, 0, colour, bond->pairs == 1 ? thickness(there) : width, "");
	}
	if (bond->missing > 0)
		route_path(p, &route, there > 0 ? width / 20 + 3 : 0, FT_DRAW_RED, 22, " stroke-dasharray=\"6 4\"");
	else if (bond->unjudged > 0)
		route_path(p, &route, there > 0 ? width / 20 + 3 : 0, "#777", 22, " stroke-dasharray=\"2 4\"");
	ft_text_puts(p->text, "</g>\n");
}

static void bond_label(struct picture *p, const struct ft_draw_bond *bond)
{
	struct route route = route_next(p, bond);
	const char *colour = bond->missing ? FT_DRAW_RED
			     : bond->slow  ? FT_DRAW_AMBER
					   : ft_drawing_bond_colour(p->d, bond);
	int width;

	ft_drawing_bond_label(bond, &p->words);
	width = ft_draw_text_width(ft_text_string(&p->words), SMALL_FONT) + 8;
	ft_text_printf(p->text,
		       "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"15\" rx=\"4\" fill=\"#fff\" stroke=\"%s\"%s/>"
		       "<text x=\"%d\" y=\"%d\" font-size=\"%d\" text-anchor=\"middle\"%s>%s</text>\n",
		       route.x1 - width / 2, route.y1 - 25, width, colour,
		       bond->missing || bond->slow ? " stroke-width=\"1.8\"" : "", route.x1, route.y1 - 14, SMALL_FONT,
		       bond->missing ? " font-weight=\"bold\" fill=\"" FT_DRAW_RED "\"" : "",
		       ft_text_string(&p->words));
	ft_text_reset(&p->words);
}

/* Lines first and counts on top, both in the same order of slots. */
static void bonds_draw(struct picture *p, void (*draw)(struct picture *, const struct ft_draw_bond *))
{
	for (uint32_t g = 0; g < p->d->group_count; g++)
		p->boxes[g].next_label = 0, p->boxes[g].next_down = 0;
	for (uint32_t i = 0; i < p->d->bond_count; i++)
		draw(p, &p->d->bonds[i]);
}

/* ---- unplanned cables ---- */

/* The path of such a cable, and the place of its number. */
struct stray {
	char path[128];
	int x, y;
};

static struct stray stray_of(const struct picture *p, const struct ft_draw_link *link)
{
	const struct box *a = &p->boxes[p->d->group_of[link->a]], *b = &p->boxes[p->d->group_of[link->b]];
	const struct box *low = a->y > b->y ? a : b, *high = a->y > b->y ? b : a;
	int x1 = low->x + low->w / 2, x2 = high->x + high->w / 2, y2 = high->y + high->h;
	struct stray s = {.x = x1 + (x2 - x1) * 3 / 10, .y = low->y + (y2 - low->y) * 3 / 10};

	if (a == b) {
		snprintf(s.path, sizeof(s.path), "M%d %dC%d %d %d %d %d %d", a->x + a->w - 30, a->y, a->x + a->w - 26,
			 a->y - 26, a->x + a->w + 24, a->y - 26, a->x + a->w, a->y + 9);
		s.x = a->x + a->w + 2;
		s.y = a->y - 18;
	} else if (a->y == b->y) {
		snprintf(s.path, sizeof(s.path), "M%d %dQ%d %d %d %d", x1, low->y, (x1 + x2) / 2, low->y - 2 * ARC, x2,
			 high->y);
		s.x = (x1 + x2) / 2;
		s.y = low->y - ARC;
	} else {
		snprintf(s.path, sizeof(s.path), "M%d %dL%d %d", x1, low->y, x2, y2);
	}
	return s;
}

/* SVG 1.1 has no marker that turns round at the start. */
static void marker_define(struct picture *p, const char *name, int tip, const char *path)
{
	ft_text_printf(p->text,
		       "<marker id=\"%s\" viewBox=\"0 0 8 8\" refX=\"%d\" refY=\"4\" markerWidth=\"10\" "
		       "markerHeight=\"10\" markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"%s\" "
		       "fill=\"" FT_DRAW_VIOLET "\"/></marker>",
		       name, tip, path);
}

static void links_draw(struct picture *p)
{
	if (!p->d->marks || p->d->marks->link_count == 0)
		return;
	ft_text_puts(p->text, "<defs>");
	marker_define(p, "start", 1, "M8 0L0 4L8 8z");
	marker_define(p, "end", 7, "M0 0L8 4L0 8z");
	ft_text_puts(p->text, "</defs>\n");
	for (size_t i = 0; i < p->d->marks->link_count; i++) {
		const struct ft_draw_link *link = &p->d->marks->links[i];
		struct stray s = stray_of(p, link);

		ft_text_puts(p->text, "<g>");
		ft_text_add_safe(&p->words, link->note, strlen(link->note));
		ft_draw_add_title(p->text, &p->words);
		ft_text_printf(p->text,
			       "<path d=\"%s\" fill=\"none\" stroke=\"#fff\" stroke-width=\"6\"/>"
			       "<path d=\"%s\" fill=\"none\" stroke=\"" FT_DRAW_VIOLET
			       "\" stroke-width=\"2.5\" marker-start=\"url(#start)\" marker-end=\"url(#end)\"/></g>\n",
			       s.path, s.path);
	}
}

static void links_number(struct picture *p)
{
	for (size_t i = 0; p->d->marks && i < p->d->marks->link_count; i++) {
		const struct ft_draw_link *link = &p->d->marks->links[i];
		struct stray s = stray_of(p, link);

		if (link->number > 0)
			ft_text_printf(p->text,
				       "<circle cx=\"%d\" cy=\"%d\" r=\"9\" fill=\"#fff\" stroke=\"" FT_DRAW_VIOLET
				       "\" stroke-width=\"1.6\"/><text x=\"%d\" y=\"%d\" font-size=\"%d\" "
				       "text-anchor=\"middle\" font-weight=\"bold\" fill=\"" FT_DRAW_VIOLET
				       "\">%u</text>\n",
				       s.x, s.y, s.x, s.y + 4, SMALL_FONT, link->number);
	}
}

/* ---- switches ---- */

static const struct {
	const char *stroke, *fill, *more, *text;
} looks[] = {
	[FT_DRAW_OK] = {"#333", "#f2f2ee", "", "#111"},
	[FT_DRAW_DEGRADED] = {FT_DRAW_AMBER, "#fff3d6", "", "#111"},
	[FT_DRAW_LOST] = {FT_DRAW_RED, "#fff", " stroke-dasharray=\"6 3\"", FT_DRAW_RED},
	[FT_DRAW_UNKNOWN] = {"#777", "#fff", " stroke-dasharray=\"2 3\"", "#555"},
};

/* "18 switches", "648 switches, 18 a pod". Pods that are one box are alike. */
static const char *count_words(const struct ft_draw_group *g, char buffer[64])
{
	uint32_t pods = g->pod == FT_NONE ? 1 : g->pod_last - g->pod + 1;

	if (pods > 1)
		snprintf(buffer, 64, "%u switch%s, %u a pod", g->count, ft_text_es(g->count), g->count / pods);
	else
		snprintf(buffer, 64, "%u switch%s", g->count, ft_text_es(g->count));
	return buffer;
}

static void box_words(struct picture *p, uint32_t group)
{
	const struct box *box = &p->boxes[group];
	const struct ft_draw_group *g = &p->d->groups[group];
	int middle = box->x + box->w / 2;
	uint32_t hosts = ft_drawing_hosts_seen(p->d, g->first);
	char words[64];

	ft_text_printf(p->text, "<text x=\"%d\" y=\"%d\" font-size=\"%d\" text-anchor=\"middle\" fill=\"%s\">", middle,
		       box->y + (g->count > 1 ? 18 : BOX_HEIGHT / 2 + 4), NAME_FONT,
		       looks[ft_drawing_group_state(p->d, g)].text);
	ft_drawing_group_label(p->d, g, &p->words);
	ft_draw_add_xml(p->text, ft_text_string(&p->words));
	ft_text_reset(&p->words);
	ft_text_puts(p->text, "</text>");
	if (g->tier != FT_TIER_EDGE && hosts > 0)
		ft_text_printf(p->text,
			       "<text x=\"%d\" y=\"%d\" font-size=\"%d\" text-anchor=\"middle\" "
			       "fill=\"" FT_DRAW_VIOLET "\">hosts here: %u</text>",
			       middle, box->y - 5, SMALL_FONT, hosts);
	if (g->count > 1)
		ft_text_printf(p->text,
			       "<text x=\"%d\" y=\"%d\" font-size=\"%d\" text-anchor=\"middle\" "
			       "fill=\"#444\">%s</text>",
			       middle, box->y + 34, SMALL_FONT, count_words(g, words));
}

static void box_draw(struct picture *p, uint32_t group)
{
	const struct box *box = &p->boxes[group];
	const struct ft_draw_group *g = &p->d->groups[group];
	enum ft_draw_state state = ft_drawing_group_state(p->d, g);

	ft_text_puts(p->text, "<g>");
	ft_drawing_group_words(p->d, g, &p->words);
	ft_draw_add_title(p->text, &p->words);
	ft_text_printf(p->text,
		       "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"4\" fill=\"%s\" stroke=\"%s\" "
		       "stroke-width=\"%s\"%s/>",
		       box->x, box->y, box->w, box->h, looks[state].fill, looks[state].stroke,
		       state == FT_DRAW_OK ? "1.2" : "2.2", looks[state].more);
	if (state == FT_DRAW_LOST)
		ft_text_printf(p->text, "<path d=\"M%d %dl%d %dm0 %dl%d %d\" stroke=\"#f2b8b0\" fill=\"none\"/>",
			       box->x, box->y, box->w, box->h, -box->h, -box->w, box->h);
	box_words(p, group);
	ft_text_puts(p->text, "</g>\n");
}

/* ---- frames ---- */

static void frame_draw(struct picture *p, int x, int y, int w, int h)
{
	ft_text_printf(p->text,
		       "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"8\" fill=\"#f6f9fc\" "
		       "stroke=\"#c3d0dc\"/>\n",
		       x, y, w, h);
}

/* @y: of the line that the letters stand on. */
static void frame_caption(struct picture *p, int x, int y, const char *what, uint32_t first, uint32_t last)
{
	ft_text_printf(p->text, "<text x=\"%d\" y=\"%d\" font-size=\"%d\" fill=\"#35506b\">%s%s ", x + 8, y, NAME_FONT,
		       what, first == last ? "" : "s");
	ft_draw_add_range(p->text, first + 1, last + 1);
	ft_text_puts(p->text, "</text>\n");
}

/* Planes: core groups that follow each other and are of one plane. Lines come from below, so captions are above. */
static void planes_draw(struct picture *p)
{
	int y = p->tier_y[FT_TIER_CORE] - CAPTION - 2;

	for (uint32_t g = 0; g < p->d->group_count; g++) {
		uint32_t last = g, plane = switch_of(p, g)->plane;
		uint32_t end_switch;

		if (p->d->groups[g].tier != FT_TIER_CORE)
			continue;
		while (last + 1 < p->d->group_count && switch_of(p, last + 1)->plane == plane)
			last++;
		end_switch = p->d->groups[last].first + p->d->groups[last].count - 1;
		frame_draw(p, p->boxes[g].x - PLANE_PAD, y,
			   p->boxes[last].x + p->boxes[last].w - p->boxes[g].x + 2 * PLANE_PAD,
			   p->boxes[g].h + CAPTION + 2 + PLANE_PAD);
		frame_caption(p, p->boxes[g].x - PLANE_PAD, y + 14, "plane", plane,
			      p->d->plan->switches[end_switch].plane);
		g = last;
	}
}

/* Lines come to a pod from above, so captions are below. */
static void frames_draw(struct picture *p, int bottom)
{
	int top = p->tier_y[FT_TIER_SPINE] - STUB - 10;

	if (!p->framed)
		return;
	for (uint32_t i = 0; i < p->pod_count; i++) {
		const struct pod *pod = &p->pods[i];

		frame_draw(p, pod->x, top, pod->w, bottom - top);
		frame_caption(p, pod->x, bottom - 8, "pod", pod->first, pod->last);
	}
	planes_draw(p);
}

/* ---- legend ---- */

/* Swatches of the lines there are: in colour, and dark where one line stands for several planes. */
static void legend_planes(struct picture *p, struct ft_draw_legend *legend)
{
	const char *first = NULL, *second = NULL;
	bool dark = false;

	for (uint32_t i = 0; i < p->d->bond_count; i++) {
		const char *colour = ft_drawing_bond_colour(p->d, &p->d->bonds[i]);

		if (strcmp(colour, FT_DRAW_SEVERAL) == 0)
			dark = true;
		else if (!first)
			first = colour;
		else if (!second && colour != first)
			second = colour;
	}
	if (first)
		ft_draw_legend_add(legend, "the colour of a line is that of its plane",
				   "<path d=\"M0 4H26\" stroke=\"%s\" stroke-width=\"4\"/>"
				   "<path d=\"M0 10H26\" stroke=\"%s\" stroke-width=\"4\"/>",
				   first, second ? second : first);
	if (dark)
		ft_draw_legend_add(legend, "lines of several planes",
				   "<path d=\"M0 7H26\" stroke=\"" FT_DRAW_SEVERAL "\" stroke-width=\"4\"/>");
}

static void legend_colours(struct picture *p, struct ft_draw_legend *legend)
{
	enum { COLOURS = 8 };
	uint32_t shown = 0;

	if (p->d->plan->tree->levels > 2) {
		legend_planes(p, legend);
		return;
	}
	for (uint32_t g = 0; g < p->d->group_count && shown < COLOURS; g++) {
		/* Lines to several are dark. */
		if (p->d->groups[g].tier != FT_TIER_CORE || p->d->groups[g].count > 1)
			continue;
		shown++;
		ft_text_puts(&p->words, "to ");
		ft_drawing_group_label(p->d, &p->d->groups[g], &p->words);
		ft_draw_legend_add(legend, ft_text_string(&p->words),
				   "<path d=\"M0 7H26\" stroke=\"%s\" stroke-width=\"5\"/>",
				   ft_drawing_colour(p->d, p->d->groups[g].first));
		ft_text_reset(&p->words);
	}
}

static void legend_hosts(struct picture *p, struct ft_draw_legend *legend)
{
	bool circles = false, free_ports = false, lacking = false, crowd = false;

	for (uint32_t g = 0; g < p->d->group_count; g++) {
		struct host_grid grid;

		if (p->d->groups[g].tier != FT_TIER_EDGE)
			continue;
		grid = grid_of(p, g);
		if (grid.columns == 0)
			continue;
		circles |= grid.seen > 0;
		free_ports |= grid.ports > grid.planned && grid.ports > grid.seen;
		lacking |= grid.seen < grid.planned;
		crowd |= grid.seen > grid.planned;
	}
	if (circles)
		ft_draw_legend_add(legend, "host", "<circle cx=\"18\" cy=\"7\" r=\"4\" fill=\"#444\"/>");
	if (free_ports)
		ft_draw_legend_add(legend, "free port for a host",
				   "<circle cx=\"18\" cy=\"7\" r=\"4\" fill=\"#fff\" stroke=\"#999\"/>");
	if (lacking)
		ft_draw_legend_add(legend, "planned host that was not seen",
				   "<circle cx=\"18\" cy=\"7\" r=\"4\" fill=\"#fff\" stroke=\"" FT_DRAW_RED
				   "\" stroke-width=\"1.4\" stroke-dasharray=\"2 1.4\"/>");
	if (crowd)
		ft_draw_legend_add(legend, "more hosts than planned",
				   "<circle cx=\"18\" cy=\"7\" r=\"4\" fill=\"" FT_DRAW_VIOLET "\"/>");
}

static int legend_draw(struct picture *p, int y, int width)
{
	struct ft_draw_legend legend = {p->text, 0, y, width};

	if (p->d->bond_count > 0)
		ft_draw_legend_add(&legend,
				   p->d->group_count < p->d->plan->switch_count
					   ? "bundles, and how many cables each has"
					   : "a bundle, and how many cables it has",
				   "<path d=\"M0 7H26\" stroke=\"#888\" stroke-width=\"5\"/>"
				   "<rect x=\"7\" y=\"0\" width=\"12\" height=\"14\" rx=\"3\" fill=\"#fff\" "
				   "stroke=\"#888\"/><text x=\"13\" y=\"11\" font-size=\"10\" "
				   "text-anchor=\"middle\">9</text>");
	if (p->d->bond_count > 0)
		legend_colours(p, &legend);
	legend_hosts(p, &legend);
	ft_draw_legend_marks(p->d, &legend, false);
	return ft_draw_legend_end(&legend);
}

/* ---- the whole ---- */

static int picture_draw(struct picture *p)
{
	int bottom;

	bonds_count(p);
	for (uint32_t g = 0; g < p->d->group_count; g++)
		box_measure(p, g);
	pods_find(p);
	p->gap = gap_between(p);
	boxes_place(p);
	bottom = tiers_place(p) + hosts_height(p) + (p->framed ? CAPTION : 0);
	frames_draw(p, bottom);
	bonds_draw(p, bond_draw);
	links_draw(p);
	for (uint32_t g = 0; g < p->d->group_count; g++)
		box_draw(p, g);
	for (uint32_t g = 0; g < p->d->group_count; g++)
		if (p->d->groups[g].tier == FT_TIER_EDGE)
			hosts_draw(p, g);
	bonds_draw(p, bond_label);
	links_number(p);
	return bottom;
}

int ft_draw_picture(struct ft_drawing *d, struct ft_text *text, struct ft_draw_size *ret_size)
{
	enum { LEGEND_ABOVE = 26 };
	_cleanup_free_ struct box *boxes = calloc(d->group_count + 1UL, sizeof(*boxes));
	_cleanup_free_ struct pod *pods = calloc(d->group_count + 1UL, sizeof(*pods));
	struct ft_text inside = {0};
	struct picture p = {.d = d, .text = &inside, .boxes = boxes, .pods = pods};
	int height, width, shift;

	if (!boxes || !pods)
		return -ENOMEM;
	height = picture_draw(&p);
	width = larger(p.width, d->width_min);
	shift = (width - p.width) / 2;
	/* The picture in the middle, its legend from the left. */
	ft_text_printf(text, "<g transform=\"translate(%d 0)\">\n", shift);
	ft_text_puts(text, ft_text_string(&inside));
	ft_text_puts(text, "</g>\n");
	p.text = text;
	height = legend_draw(&p, height + LEGEND_ABOVE, width);
	*ret_size = (struct ft_draw_size){width, height};
	text->failed |= inside.failed | p.words.failed;
	ft_text_release(&inside);
	ft_text_release(&p.words);
	return 0;
}
