/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The plan as a graph in the DOT language, for graphviz. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "planner/draw/draw_parts.h"
#include "planner/draw/spread.h"

/* More lines than these are no picture, and graphviz is slow at them. */
enum { BUNDLES_APART_MAX = 300 };

static const struct {
	const char *colour, *fill, *style;
} looks[] = {
	[FT_DRAW_OK] = {"#333333", "#f2f2ee", "filled,rounded"},
	[FT_DRAW_DEGRADED] = {FT_DRAW_AMBER, "#fff3d6", "filled,rounded"},
	[FT_DRAW_LOST] = {FT_DRAW_RED, "#ffffff", "filled,rounded,dashed"},
	[FT_DRAW_UNKNOWN] = {"#777777", "#ffffff", "filled,rounded,dotted"},
};

/* In points, upwards from the lower edge; it is not to be moved. */
static void dot_position(struct ft_text *text, int x, int y)
{
	ft_text_printf(text, ", pos=\"%d,%d!\"", x, y);
}

static void dot_hosts(struct ft_text *text, const struct ft_draw_hosts *hosts, const struct ft_draw_group *group)
{
	if (hosts->differ) {
		ft_draw_add_range(text, hosts->seen_least, hosts->seen_most);
		ft_text_puts(text, " of ");
	}
	ft_draw_add_range(text, hosts->planned_least, hosts->planned_most);
	ft_text_printf(text, " host%s%s", hosts->planned_most == 1 ? "" : "s", group->count > 1 ? "\\non each" : "");
}

/*
 * Names are no identifiers: two switches may have the same. @spread: where they are drawn, and hosts are a line of the
 * label then; NULL: for graphviz to say.
 */
static void dot_group(struct ft_drawing *d, const struct ft_draw_spread *spread, struct ft_text *text, uint32_t g)
{
	const struct ft_draw_group *group = &d->groups[g];
	const struct ft_plan_switch *sw = &d->plan->switches[group->first];
	enum ft_draw_state state = ft_drawing_group_state(d, group);
	struct ft_draw_hosts hosts = ft_drawing_group_hosts(d, group);
	bool has_hosts = sw->tier == FT_TIER_EDGE && (hosts.planned_most > 0 || hosts.seen_most > 0);
	struct ft_text words = {0};

	ft_text_printf(text, "    s%u [label=\"", group->first);
	ft_draw_add_dot(text, ft_drawing_group_name(d, group));
	if (group->count > 1)
		ft_text_printf(text, "\\n%u switches", group->count);
	if (state == FT_DRAW_LOST)
		ft_text_puts(text, "\\nlost");
	if (spread && has_hosts) {
		ft_text_puts(text, "\\n");
		dot_hosts(text, &hosts, group);
	}
	ft_text_puts(text, "\", tooltip=\"");
	ft_drawing_group_words(d, group, &words);
	ft_draw_add_dot(text, ft_text_string(&words));
	text->failed |= words.failed;
	ft_text_release(&words);
	ft_text_printf(text, "\", color=\"%s\", fillcolor=\"%s\", style=\"%s\"", looks[state].colour, looks[state].fill,
		       looks[state].style);
	if (spread)
		dot_position(text, spread->nodes[group->first].x, spread->height - spread->nodes[group->first].y);
	ft_text_puts(text, "];\n");
	if (spread || !has_hosts)
		return;
	ft_text_printf(text, "    h%u [shape=ellipse, style=solid, label=\"", group->first);
	dot_hosts(text, &hosts, group);
	ft_text_puts(text, "\"];\n");
	ft_text_printf(text, "    s%u -- h%u [color=\"#999999\"];\n", group->first, group->first);
}

/* Tier by tier from above; lines that are not seen keep the order of the plan. */
static void dot_ranks(struct ft_drawing *d, struct ft_text *text)
{
	for (int tier = FT_TIER_CORE; tier >= FT_TIER_EDGE; tier--) {
		uint32_t count = 0;

		for (uint32_t g = 0; g < d->group_count; g++)
			if (d->groups[g].tier == (enum ft_tier)tier)
				ft_text_printf(text, "%ss%u", count++ ? " -- " : "    { rank=same; ",
					       d->groups[g].first);
		if (count > 0)
			ft_text_printf(text, "%s; }\n", count > 1 ? " [style=invis]" : "");
	}
}

/* Thick lines hide their labels. */
static unsigned int pen_width(const struct ft_draw_bond *bond)
{
	enum { THICKEST = 8, LOST = 2 };

	if (bond->cables == bond->missing)
		return LOST;
	return 1 + (bond->most < THICKEST ? bond->most : THICKEST) / 2;
}

/* The upper switch first, for it is to be above. */
static void dot_bond(struct ft_drawing *d, struct ft_text *text, const struct ft_draw_bond *bond)
{
	struct ft_text words = {0};
	bool wrong = bond->missing > 0;

	ft_text_printf(text, "    s%u -- s%u [label=\"", d->groups[bond->upper].first, d->groups[bond->lower].first);
	ft_drawing_bond_label(bond, text);
	if (bond->slow > 0)
		ft_text_printf(text, ", %llu slow", (unsigned long long)bond->slow);
	ft_text_puts(text, "\", labeltooltip=\"");
	ft_drawing_bond_words(d, bond, &words);
	ft_draw_add_dot(text, ft_text_string(&words));
	ft_text_puts(text, "\", tooltip=\"");
	ft_draw_add_dot(text, ft_text_string(&words));
	text->failed |= words.failed;
	ft_text_release(&words);
	ft_text_printf(text, "\", penwidth=%u, color=\"%s\"", pen_width(bond),
		       wrong	    ? FT_DRAW_RED
		       : bond->slow ? FT_DRAW_AMBER
				    : ft_drawing_bond_colour(d, bond));
	if (wrong)
		ft_text_puts(text, ", fontcolor=\"" FT_DRAW_RED "\"");
	if (bond->missing + bond->unjudged > 0)
		ft_text_puts(text, bond->missing > 0 ? ", style=dashed" : ", style=dotted");
	ft_text_puts(text, "];\n");
}

/* They do not move the switches: constraint=false. */
static void dot_links(struct ft_drawing *d, const struct ft_draw_spread *spread, struct ft_text *text)
{
	enum { STRANGER_STEP = 160, STRANGER_Y = -60 };

	for (size_t i = 0; d->marks && i < d->marks->link_count; i++) {
		const struct ft_draw_link *link = &d->marks->links[i];

		ft_text_printf(text,
			       "    s%u -- s%u [constraint=false, color=\"" FT_DRAW_VIOLET
			       "\", fontcolor=\"" FT_DRAW_VIOLET "\", dir=both, label=\"",
			       d->groups[d->group_of[link->a]].first, d->groups[d->group_of[link->b]].first);
		if (link->number > 0)
			ft_text_printf(text, "(%u)", link->number);
		ft_text_puts(text, "\", tooltip=\"");
		ft_draw_add_dot(text, link->note);
		ft_text_puts(text, "\"];\n");
	}
	for (size_t i = 0; d->marks && i < d->marks->stranger_count && i < FT_DRAW_STRANGERS_MAX; i++) {
		ft_text_printf(text, "    u%zu [style=dashed, color=\"" FT_DRAW_VIOLET "\", label=\"", i);
		ft_draw_add_dot(text, d->marks->strangers[i]);
		ft_text_puts(text, "\\n(not in the plan)\"");
		if (spread)
			dot_position(text, STRANGER_STEP / 2 + STRANGER_STEP * (int)i, STRANGER_Y);
		ft_text_puts(text, "];\n");
	}
}

/* @string, which is safe, in lines. \l ends one that begins at the left. */
static void dot_paragraph(struct ft_text *text, const char *string)
{
	enum { LINE_PIXELS = 900, FONT = 11 };
	_cleanup_(ft_text_release) struct ft_text line = {0};
	size_t length, skip;

	for (const char *s = string; *s; s += length + skip) {
		length = ft_draw_wrap(s, FONT, LINE_PIXELS, &skip);
		ft_text_reset(&line);
		ft_text_add(&line, s, length);
		ft_draw_add_dot(text, ft_text_string(&line));
		ft_text_puts(text, "\\l");
	}
	text->failed |= line.failed;
}

static void dot_caption(struct ft_drawing *d, struct ft_text *text)
{
	_cleanup_(ft_text_release) struct ft_text words = {0};

	ft_text_add_safe(&words, d->design->name, strlen(d->design->name));
	ft_text_puts(&words, d->marks && d->marks->headline ? ": " : "");
	if (d->marks && d->marks->headline)
		ft_text_add_safe(&words, d->marks->headline, strlen(d->marks->headline));
	dot_paragraph(text, ft_text_string(&words));
	ft_text_reset(&words);
	ft_drawing_summary(d, &words);
	dot_paragraph(text, ft_text_string(&words));
	for (size_t i = 0; d->marks && i < d->marks->line_count && i < FT_DRAW_LINES_MAX; i++) {
		ft_text_reset(&words);
		ft_text_printf(&words, "(%zu) ", i + 1);
		ft_text_add_safe(&words, d->marks->lines[i].text, strlen(d->marks->lines[i].text));
		dot_paragraph(text, ft_text_string(&words));
	}
	if (d->marks && d->marks->line_count > FT_DRAW_LINES_MAX)
		ft_text_printf(text, "and %zu more\\l", d->marks->line_count - FT_DRAW_LINES_MAX);
	text->failed |= words.failed;
}

static void dot_write(struct ft_drawing *d, const struct ft_draw_spread *spread, struct ft_text *text)
{
	bool round = d->plan->topology == FT_TOPOLOGY_GRAPH && !ft_drawing_is_layered(d);

	ft_text_puts(text,
		     "graph fabric {\n    graph [labelloc=b, labeljust=l, rankdir=TB, ranksep=1.2, bgcolor=white,\n"
		     "        fontname=\"Helvetica\", fontsize=11, label=\"");
	dot_caption(d, text);
	ft_text_puts(text, "\"");
	/* What has no up and down is laid out as in the other drawing, or by its distances. */
	if (spread)
		ft_text_printf(text, ", layout=neato, inputscale=72, splines=%s",
			       d->plan->bundle_count > BUNDLES_APART_MAX ? "line" : "true");
	else if (round)
		ft_text_printf(text, ", layout=%s, overlap=prism, splines=true",
			       d->plan->bundle_count > BUNDLES_APART_MAX ? "sfdp" : "neato");
	ft_text_puts(text, "];\n    node [shape=box, fontname=\"Helvetica\", fontsize=11];\n"
			   "    edge [fontname=\"Helvetica\", fontsize=10];\n");
	for (uint32_t g = 0; g < d->group_count; g++)
		dot_group(d, spread, text, g);
	if (!round && !spread)
		dot_ranks(d, text);
	for (uint32_t i = 0; i < d->bond_count; i++)
		dot_bond(d, text, &d->bonds[i]);
	dot_links(d, spread, text);
	ft_text_puts(text, "}\n");
}

/* As a circle, groups or a grid; what is like a tree is laid out as one. */
static bool is_spread(const struct ft_drawing *d)
{
	return d->plan->topology == FT_TOPOLOGY_GRAPH && ft_draw_spread_fits(d->plan) &&
	       (ft_draw_shape_of(d->plan) != FT_DRAW_CIRCLE || !ft_drawing_is_layered(d));
}

int ft_draw_dot(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan,
		const struct ft_draw_marks *marks, struct ft_error *err)
{
	_cleanup_(ft_drawing_release) struct ft_drawing d = {0};
	_cleanup_(ft_draw_spread_release) struct ft_draw_spread spread = {0};
	bool spreads;
	int r;

	r = ft_drawing_init(&d, design, plan, marks, err);
	if (r == 0)
		r = ft_drawing_group(&d, plan->bundle_count > BUNDLES_APART_MAX && plan->topology != FT_TOPOLOGY_GRAPH);
	if (r < 0)
		return r;
	spreads = is_spread(&d);
	if (spreads && ft_draw_spread_make(&d, &spread) < 0)
		return -ENOMEM;
	dot_write(&d, spreads ? &spread : NULL, text);
	return ft_drawing_failed(&d) || ft_text_failed(text) ? -ENOMEM : 0;
}
