/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Drawings: well formed whatever names hold, complete, of bounded size; and what findings become in them. */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "planner/draw/draw_parts.h"
#include "tests/allocations.h"
#include "tests/runs.h"
#include "verify/report/draw.h"
#include "planner/plan/tree.h"

typedef int draw_function(struct ft_text *, const struct ft_design *, const struct ft_plan *,
			  const struct ft_draw_marks *, struct ft_error *);

#define SMALL "\"topology\":\"fat-tree\",\"nodes\":60,\"edge\":{\"ports\":36},\"core\":{\"ports\":36}"
#define UNEVEN "\"topology\":\"fat-tree\",\"nodes\":90,\"blocking\":4,\"edge\":{\"ports\":24},\"core\":{\"ports\":24}"
#define MATRIX "\"topology\":\"fat-tree\",\"nodes\":648,\"edge\":{\"ports\":36},\"core\":{\"ports\":36}"
#define LARGE "\"topology\":\"fat-tree\",\"nodes\":209952,\"edge\":{\"ports\":648},\"core\":{\"ports\":648}"
#define THREE                                                                                                   \
	"\"topology\":\"fat-tree\",\"levels\":3,\"nodes\":16,\"edge\":{\"ports\":4},\"spine\":{\"ports\":4},\"" \
	"core\":{\"ports\":4}"
#define THREE_LARGE                                                                                                \
	"\"topology\":\"fat-tree\",\"levels\":3,\"nodes\":27648,\"edge\":{\"ports\":48},\"spine\":{\"ports\":48}," \
	"\"core\":{\"ports\":48}"

#define PODS                                                                                                      \
	"\"topology\":\"fat-tree\",\"levels\":3,\"nodes\":500,\"blocking\":3,\"edge\":{\"ports\":36},\"spine\":{" \
	"\"ports\":36},"                                                                                          \
	"\"core\":{\"ports\":36}"

/* Trees with planes of two spines of each pod, and with edge switches unlike the rest. */
#define SHARED                                                                                                         \
	"\"levels\":3,\"nodes\":256,\"pods\":4,\"planes\":2,\"edge\":{\"ports\":40,\"count\":16,\"ports_to_core\":16}" \
	","                                                                                                            \
	"\"spine\":{\"ports\":40,\"count\":16,\"ports_to_core\":8},\"core\":{\"ports\":40,\"count\":16}"
#define CLASSES                                                                                                  \
	"\"nodes\":144,\"edge\":{\"ports\":36,\"count\":8,\"ports_to_core\":9,\"ports_to_nodes\":20},\"core\":{" \
	"\"ports\":254,"                                                                                         \
	"\"count\":2},\"classes\":[{\"count\":2,\"hosts\":12,\"bundle\":[10,8]},{\"tier\":\"core\",\"count\":1," \
	"\"hosts\":3}]"

/* Graphs: drawn on a circle, in layers (core switches first in the plan), as a matrix, and as one of two sides. */
#define TORUS "\"topology\":\"torus\",\"dims\":[4,6],\"nodes\":400,\"edge\":{\"ports\":36}"
#define MESH "\"topology\":\"mesh\",\"dims\":[4,4],\"nodes\":160,\"edge\":{\"ports\":36}"
#define GRIDS "\"topology\":\"torus\",\"dims\":[3,4,5],\"nodes\":600,\"edge\":{\"ports\":36}"
#define HYPERCUBE "\"topology\":\"hypercube\",\"dimensions\":5,\"nodes\":400,\"edge\":{\"ports\":36}"
#define RING "\"topology\":\"ring\",\"nodes\":140,\"edge\":{\"ports\":36}"
#define GROUPS "\"topology\":\"slim-fly\",\"q\":3,\"nodes\":54,\"edge\":{\"ports\":8}"
#define TWO_ROWS                                                                                                   \
	"\"topology\":\"dragonfly+\",\"group\":{\"leafs\":4,\"spines\":4,\"global\":4},\"groups\":5,\"nodes\":60," \
	"\"edge\":{\"ports\":16}"
#define WIDE_TORUS "\"topology\":\"torus\",\"dims\":[20,20],\"nodes\":4000,\"edge\":{\"ports\":36}"
#define CIRCLE                                                                                                        \
	"\"topology\":\"graph\",\"switches\":[{\"name\":\"r[1-6]\",\"ports\":36,\"hosts\":8},{\"name\":\"hub\","      \
	"\"kind\":"                                                                                                   \
	"\"h<b>\",\"ports\":36}],\"links\":[{\"a\":\"r1\",\"b\":\"r[2,6]\",\"count\":3},{\"a\":\"r3\",\"b\":\"r[2,4]" \
	"\",\"count\":3},"                                                                                            \
	"{\"a\":\"r5\",\"b\":\"r[4,6]\",\"count\":3},{\"a\":\"hub\",\"b\":\"r[1-6]\"}]"
#define LAYERS                                                                                                   \
	"\"topology\":\"graph\",\"switches\":[{\"name\":\"core[1-2]\",\"kind\":\"core\",\"ports\":36},"          \
	"{\"name\":\"leaf[1-4]\",\"kind\":\"leaf\",\"ports\":36,\"hosts\":18}],\"links\":[{\"a\":\"leaf[1-4]\"," \
	"\"b\":\"core[1-2]\",\"count\":9}]"
#define SQUARE                                                                                                 \
	"\"topology\":\"graph\",\"switches\":[{\"name\":\"s[01-48]\",\"ports\":128,\"hosts\":30}],\"links\":[" \
	"{\"a\":\"s[01-48]\",\"b\":\"s[01-48]\"},{\"a\":\"s01\",\"b\":\"s48\",\"count\":4}]"
#define SIDES                                                                                                         \
	"\"topology\":\"graph\",\"switches\":[{\"name\":\"core[01-20]\",\"kind\":\"core\",\"ports\":254},"            \
	"{\"name\":\"leaf[001-200]\",\"kind\":\"leaf\",\"ports\":40,\"hosts\":20}],\"links\":[{\"a\":\"leaf[001-200]" \
	"\","                                                                                                         \
	"\"b\":\"core[01-20]\"}]"

static void read_design(const char *keys, struct ft_design **ret_design, struct ft_plan **ret_plan)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};
	struct ft_error err = {0};

	ft_text_printf(&text, "{\"ftcheck\": 1, \"name\": \"t\", %s}", keys);
	if (ft_design_read(text.data, text.length, ret_design, ret_plan, &err) < 0)
		fail_msg("%s: %u:%u: %s", keys, err.line, err.column, err.text);
}

/*
 * The next @part from @s on, or NULL. Not strstr(), nor anything else of <string.h> that takes a whole string, in loops
 * over drawings: the sanitizers' strict checks measure what is left of a megabyte each time.
 */
static const char *next_of(const char *s, const char *part)
{
	size_t length = strlen(part);

	for (; *s; s++)
		if (*s == *part && strncmp(s, part, length) == 0)
			return s;
	return NULL;
}

/* ---- whether it is well formed ---- */

/* An entity at @s, or a byte that needs none. Returns behind it, NULL where neither. */
static const char *xml_letter(const char *s)
{
	static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};

	if (*s == '<' || (unsigned char)*s < 0x20 || *s == 0x7f)
		return *s == '\n' ? s + 1 : NULL;
	if (*s != '&')
		return s + 1;
	for (size_t i = 0; i < FT_COUNT(entities); i++)
		if (strncmp(s, entities[i], strlen(entities[i])) == 0)
			return s + strlen(entities[i]);
	return NULL;
}

static const char *xml_attributes(const char *s)
{
	while (*s == ' ') {
		s++;
		while (isalnum((unsigned char)*s) || strchr(":-", *s))
			s++;
		if (strncmp(s, "=\"", 2) != 0)
			return NULL;
		for (s += 2; s && *s && *s != '"';)
			s = xml_letter(s);
		if (!s || !*s)
			return NULL;
		s++;
	}
	return s;
}

/* Where the document is broken, or NULL: elements close in order, attributes are quoted, no byte is bare. */
static const char *xml_fault(const char *text)
{
	enum { DEPTH = 64, NAME = 32 };
	char open[DEPTH][NAME];
	size_t depth = 0;
	const char *s = strstr(text, "?>"), *next;

	if (strncmp(text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg ", 44) != 0 || !s)
		return text;
	for (s += 2; *s; s = next) {
		bool closes = s[0] == '<' && s[1] == '/';
		char name[NAME] = "";
		size_t length = 0;

		if (*s != '<') {
			next = xml_letter(s);
			if (!next || (depth == 0 && *s != '\n'))
				return s;
			continue;
		}
		while (isalpha((unsigned char)s[1 + closes + length]))
			length++;
		if (length == 0 || length >= NAME)
			return s;
		memcpy(name, s + 1 + closes, length);
		next = s + 1 + closes + length;
		if (closes) {
			if (depth == 0 || strcmp(open[--depth], name) != 0 || *next++ != '>')
				return s;
			continue;
		}
		next = xml_attributes(next);
		if (!next)
			return s;
		if (*next == '>' && depth < DEPTH)
			memcpy(open[depth++], name, NAME);
		else if (strncmp(next, "/>", 2) == 0)
			next++;
		else
			return s;
		next++;
	}
	return depth == 0 ? NULL : s;
}

/* Quotes and braces of a graph match, and nothing outside of quotes is anything but what the writer itself says. */
static const char *dot_fault(const char *text)
{
	int braces = 0;

	if (strncmp(text, "graph fabric {\n", 15) != 0)
		return text;
	for (const char *s = text; *s; s++) {
		if (*s == '"') {
			for (s++; *s && *s != '"'; s++)
				if ((unsigned char)*s < 0x20 || (*s == '\\' && !strchr("\\\"nl", *++s)))
					return s;
			if (!*s)
				return s;
			continue;
		}
		braces += *s == '{' ? 1 : *s == '}' ? -1 : 0;
		if (!isalnum((unsigned char)*s) && !strchr(" \n{}[]=-,;_.", *s))
			return s;
	}
	return braces == 0 ? NULL : text;
}

/* Rectangles lie within the drawing: those of the frame; parts have coordinates of their own, all of them positive. */
static void check_room(const char *svg, const char *what)
{
	int width, height;
	const char *box = strstr(svg, " viewBox=\"0 0 ");

	assert_non_null(box);
	assert_int_equal(sscanf(box, " viewBox=\"0 0 %d %d\"", &width, &height), 2);
	for (const char *s = next_of(svg, "<rect x=\""); s; s = next_of(s + 1, "<rect x=\"")) {
		int x, y, w, h;

		if (sscanf(s, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"", &x, &y, &w, &h) != 4)
			continue;
		if (x < 0 || y < -2 || w < 1 || h < 1 || x + w > width || y + h > height)
			fail_msg("%s: %.80s is outside of %d x %d", what, s, width, height);
	}
}

static void check_svg(const char *svg, const char *what)
{
	const char *fault = xml_fault(svg);

	if (fault)
		fail_msg("%s: no XML at %.120s", what, fault);
	check_room(svg, what);
}

static void check_dot(const char *dot, const char *what)
{
	const char *fault = dot_fault(dot);

	if (fault)
		fail_msg("%s: no DOT at %.120s", what, fault);
}

static size_t count_of(const char *text, const char *part)
{
	size_t count = 0;

	for (const char *s = next_of(text, part); s; s = next_of(s + strlen(part), part))
		count++;
	return count;
}

/* ---- marks of every kind ---- */

static const char hostile[] = "a<b>&\"'\\N\\l]]>\x1b[31m\x07\xff\xe2\x80\xae{}|;\n";

static void mark_whole(struct ft_draw_marks *marks, const struct ft_plan *plan, uint32_t index, bool known)
{
	marks->switches[index].state = known ? FT_DRAW_LOST : FT_DRAW_UNKNOWN;
	for (uint32_t i = 0; i < plan->bundle_count; i++)
		if (plan->bundles[i].a == index || plan->bundles[i].b == index)
			*(known ? &marks->bundles[i].missing : &marks->bundles[i].unjudged) = plan->bundles[i].count;
}

static struct ft_draw_marks *marks_make(const struct ft_plan *plan)
{
	struct ft_draw_marks *marks = NULL;
	uint32_t last = plan->switch_count - 1, edges = plan->tree->edge_count ? plan->tree->edge_count : last;

	assert_int_equal(ft_draw_marks_new(plan, &marks), 0);
	marks->headline = strdup(hostile);
	marks->severity = FT_DRAW_CRITICAL;
	for (uint32_t i = 0; i < 6 && i < plan->bundle_count; i++) {
		uint32_t *const what[] = {&marks->bundles[i].missing, &marks->bundles[i].slow,
					  &marks->bundles[i].surplus};

		*what[i % 3] = 1 + i;
		marks->bundles[i].note = strdup(hostile);
	}
	for (uint32_t i = 0; i < plan->switch_count; i += 7) {
		marks->switches[i].name = strdup(hostile);
		marks->switches[i].note = strdup(hostile);
		marks->switches[i].hosts = i;
		marks->switches[i].state = FT_DRAW_DEGRADED;
	}
	mark_whole(marks, plan, last, true);
	mark_whole(marks, plan, edges / 2, true);
	mark_whole(marks, plan, edges - 1, false);
	assert_int_equal(ft_draw_marks_add_link(marks, 0, last, 1, hostile), 0);
	assert_int_equal(ft_draw_marks_add_link(marks, 0, 0, 2, hostile), 0);
	assert_int_equal(ft_draw_marks_add_link(marks, 0, edges - 1, 0, hostile), 0);
	for (int i = 0; i < 70; i++)
		assert_int_equal(ft_draw_marks_add_line(marks, i % 3, hostile), 0);
	for (int i = 0; i < 50; i++)
		assert_int_equal(ft_draw_marks_add_stranger(marks, hostile), 0);
	return marks;
}

static const struct shape {
	const char *keys;
	size_t largest; /* bytes of the SVG of the plan as it is, and of its graph */
	size_t largest_dot;
} shapes[] = {
	{"\"topology\":\"star\",\"nodes\":1,\"edge\":{\"ports\":36},\"core\":{\"ports\":36}", 8000, 2000},
	{"\"topology\":\"star\",\"nodes\":648,\"edge\":{\"ports\":648},\"core\":{\"ports\":648}", 8000, 2000},
	{SMALL, 20000, 5000},
	{UNEVEN, 20000, 5000},
	{"\"topology\":\"fat-tree\",\"nodes\":216,\"edge\":{\"ports\":36},\"core\":{\"ports\":36}", 60000, 20000},
	{"\"topology\":\"fat-tree\",\"nodes\":540,\"blocking\":\"16:9\",\"edge\":{\"ports\":64},\"core\":{\"ports\":"
	 "64}",
	 90000, 60000},
	{MATRIX, 200000, 20000},
	{"\"topology\":\"fat-tree\",\"nodes\":2592,\"edge\":{\"ports\":36},\"core\":{\"ports\":144}", 1000000, 20000},
	{LARGE, 100000, 5000},
	{"\"topology\":\"fat-tree\",\"nodes\":40000,\"edge\":{\"ports\":40},\"core\":{\"ports\":4000}", 100000, 5000},
	{THREE, 40000, 20000},
	{"\"topology\":\"fat-tree\",\"levels\":3,\"nodes\":128,\"edge\":{\"ports\":8},\"spine\":{\"ports\":8},\"core\":"
	 "{\"ports\":8}",
	 200000, 90000},
	{THREE_LARGE, 1000000, 20000},
	{SHARED, 60000, 40000},
	{CLASSES, 30000, 20000},
	{CIRCLE, 20000, 10000},
	{LAYERS, 20000, 5000},
	{SQUARE, 500000, 500000},
	{SIDES, 1000000, 1500000},
	{TORUS, 60000, 40000},
	{MESH, 40000, 30000},
	{GRIDS, 150000, 120000},
	{HYPERCUBE, 80000, 60000},
	{RING, 30000, 20000},
	{WIDE_TORUS, 1000000, 500000},
	{GROUPS, 60000, 40000},
	{TWO_ROWS, 100000, 80000},
};

static void test_shape(void **state)
{
	const struct shape *shape = *state;
	_cleanup_(ft_design_freep) struct ft_design *design = NULL;
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	_cleanup_(ft_draw_marks_freep) struct ft_draw_marks *marks = NULL;
	_cleanup_(ft_text_release) struct ft_text svg = {0}, dot = {0}, marked = {0}, marked_dot = {0};

	read_design(shape->keys, &design, &plan);
	assert_int_equal(ft_draw_svg(&svg, design, plan, NULL, NULL), 0);
	check_svg(svg.data, shape->keys);
	assert_in_range(svg.length, 500, shape->largest);
	assert_int_equal(ft_draw_dot(&dot, design, plan, NULL, NULL), 0);
	check_dot(dot.data, shape->keys);
	assert_in_range(dot.length, 300, shape->largest_dot);

	marks = marks_make(plan);
	assert_int_equal(ft_draw_svg(&marked, design, plan, marks, NULL), 0);
	check_svg(marked.data, shape->keys);
	assert_int_equal(ft_draw_dot(&marked_dot, design, plan, marks, NULL), 0);
	check_dot(marked_dot.data, shape->keys);
	assert_non_null(strstr(marked.data, "\\x1b[31m\\x07\\xff"));
	assert_non_null(strstr(marked_dot.data, "\\\\x1b[31m\\\\x07\\\\xff"));
}

/* ---- what is in it ---- */

static const struct content {
	const char *keys, *part;
	bool dot;
	size_t count;
} contents[] = {
	/* eight bundles of nine, and the one of the legend */
	{SMALL, ">9</text>", false, 9},
	{SMALL, "fill=\"#111\">edge00", false, 4},
	/* hosts, and one in the legend; ports for twelve more, likewise */
	{SMALL, "r=\"4\" fill=\"#444\"/>", false, 61},
	{SMALL, "r=\"4\" fill=\"#fff\" stroke=\"#999\"/>", false, 13},
	{SMALL, "<title>edge004 - core02: 9 cables</title>", false, 1},
	{SMALL, "stroke-dasharray", false, 0},
	{SMALL, " -- h", true, 4},
	{SMALL, "[label=\"9\"", true, 8},
	{SMALL, "penwidth=5", true, 8},
	{SMALL, "rank=same", true, 2},
	{UNEVEN, ">3</text>", false, 5},
	{UNEVEN, ">2</text>", false, 5},
	{UNEVEN, "[label=\"3\"", true, 5},
	{MATRIX, ">1</text>", false, 648},
	{MATRIX, "text-anchor=\"end\">edge0", false, 36},
	{MATRIX, "<title>edge036 - core18: 1 cable</title>", false, 1},
	{LARGE, "<title>edge001 to edge648 - core001 to core324: 1 cable each</title>", false, 1},
	{LARGE, "edge001 to edge648\\n648 switches", true, 1},
	{THREE, ">plane 1</text>", false, 1},
	{THREE, ">pod 4</text>", false, 1},
	{THREE, "the colour of a line is that of its plane", false, 1},
	{THREE, "lines of several planes", false, 0},
	{THREE, ">1</text>", false, 32},
	{THREE, "rank=same", true, 3},
	{THREE, "[label=\"1\"", true, 32},
	{THREE_LARGE, "pods 2 to 48: as pod 1</text>", false, 2},
	{THREE_LARGE, ">pods 1 to 48</text>", false, 1},
	{THREE_LARGE, ">1152 switches, 24 a pod</text>", false, 2},
	{THREE_LARGE, ">1</text>", false, 2 * 24 * 24 + 2},
	{THREE_LARGE, "the colour of a line is that of its plane", false, 0},
	{THREE_LARGE, "lines of several planes", false, 1},
	{PODS, ">pods 1 to 9</text>", false, 1},
	{PODS, "pods 2 to 9: as pod 1</text>", false, 1},
	{PODS, "pods 2 to 10: as pod 1</text>", false, 1},
	{PODS, ">9 switches, 1 a pod</text>", false, 1},
	{SHARED, ">plane 2</text>", false, 1},
	{SHARED, ">plane 3</text>", false, 0},
	{SHARED, "<title>spine02 - core01: 1 cable</title>", false, 1},
	{CLASSES, "<title>edge008 - core01: 10 cables</title>", false, 1},
	{CLASSES, "hosts here: 3</text>", false, 1},
	{CIRCLE, ">3</text>", false, 6},
	{CIRCLE, ">8 hosts</text>", false, 6},
	{CIRCLE, "<title>r1 - r6: 3 cables</title>", false, 1},
	{CIRCLE, "<title>hub; h&lt;b&gt; switch of 36 ports</title>", false, 1},
	{CIRCLE, "A graph of 7 switches (6 of kind switch, 1 of kind h&lt;b&gt;)", false, 1},
	{CIRCLE, "rank=same", true, 0},
	{CIRCLE, "layout=neato", true, 1},
	{CIRCLE, ", pos=\"", true, 7},
	{CIRCLE, "\\n8 hosts\"", true, 6},
	{CIRCLE, " -- h", true, 0},
	{CIRCLE, "[label=\"3\"", true, 6},
	{LAYERS, ">9</text>", false, 9},
	{LAYERS, "<title>core2 - leaf4: 9 cables</title>", false, 1},
	{LAYERS, "r=\"4\" fill=\"#444\"/>", false, 73},
	{LAYERS, "rank=same", true, 2},
	{LAYERS, "layout=", true, 0},
	{LAYERS, "pos=", true, 0},
	{SQUARE, "<title>s01 - s48: 5 cables</title>", false, 2},
	{SQUARE, "<title>s01 - s02: 1 cable</title>", false, 2},
	{SQUARE, ">5 cables</text>", false, 1},
	{SQUARE, ">30 hosts</text>", false, 48},
	{SQUARE, "layout=sfdp", true, 1},
	{SQUARE, "pos=", true, 0},
	{SIDES, "<title>core20 - leaf200: 1 cable</title>", false, 1},
	{SIDES, "switch with hosts (rows)", false, 1},
	/* of a grid: the ways around are curves, and nothing else is; each bundle has its count */
	{TORUS, " fill=\"none\" stroke=\"#7d93a8\"", false, 6 + 4},
	{TORUS, ">4</text>", false, 24},
	{TORUS, ">5</text>", false, 24},
	{TORUS, "<title>sw-0-0 - sw-0-5: 4 cables</title>", false, 1},
	{TORUS, "The torus 4x6: 24 switches for 400 nodes", false, 1},
	{TORUS, ", pos=\"", true, 24},
	{MESH, " fill=\"none\" stroke=\"#7d93a8\"", false, 0},
	/* of three dimensions: three frames, and one line between any two of them */
	{GRIDS, "fill=\"#f6f9fc\"", false, 3},
	{GRIDS, ">20 x 3</text>", false, 3},
	{GRIDS, ">from sw-1-0-0</text>", false, 1},
	{GRIDS, "pairs x cables of each", false, 1},
	{HYPERCUBE, ">4 x 4</text>", false, 12},
	{RING, "<title>sw-0 - sw-7: 9 cables</title>", false, 1},
	/* frames of groups; lines have their counts only where something is wrong */
	{GROUPS, "fill=\"#f6f9fc\"", false, 3},
	{GROUPS, ">group 2</text>", false, 1},
	{GROUPS, ">1</text>", false, 0},
	{GROUPS, "<title>sf-0-0-0 - sf-1-0-0: 1 cable</title>", false, 1},
	{TWO_ROWS, "fill=\"#f6f9fc\"", false, 5},
	{TWO_ROWS, ">leaf</text>", false, 1},
	{WIDE_TORUS, "(rows) to each other (columns)", false, 1},
};

static void test_content(void **state)
{
	const struct content *content = *state;
	_cleanup_(ft_design_freep) struct ft_design *design = NULL;
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	_cleanup_(ft_text_release) struct ft_text text = {0};
	draw_function *draw = content->dot ? ft_draw_dot : ft_draw_svg;

	read_design(content->keys, &design, &plan);
	assert_int_equal(draw(&text, design, plan, NULL, NULL), 0);
	if (count_of(text.data, content->part) != content->count)
		fail_msg("%s is there %zu times", content->part, count_of(text.data, content->part));
}

/* What a mark looks like. */
static void test_marks(void **state)
{
	static const struct {
		const char *part;
		size_t count; /* in the picture */
	} rows[] = {
		{">8/9</text>", 1},
		{">0/9</text>", 4},
		{">9</text>", 3 + 1},
		{"<title>edge001 - core01: 9 cables, 1 missing; see (1)</title>", 1},
		{">core02</text>", 1},
		{"missing or cut off; core switch of 36 ports", 1},
		{"r=\"4\" fill=\"#fff\" stroke=\"" FT_DRAW_RED "\"", 2 + 1},
		{"url(#end)", 1},
		{">7</text>", 1},
		{"Switches that are not in the plan: who", 1},
		{">CRITICAL so it is</text>", 1},
		{">do it</text>", 1},
	};
	_cleanup_(ft_design_freep) struct ft_design *design = NULL;
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	_cleanup_(ft_draw_marks_freep) struct ft_draw_marks *marks = NULL;
	_cleanup_(ft_text_release) struct ft_text text = {0};

	(void)state;
	read_design(SMALL, &design, &plan);
	assert_int_equal(ft_draw_marks_new(plan, &marks), 0);
	marks->headline = strdup("CRITICAL so it is");
	marks->bundles[0].missing = 1;
	marks->bundles[0].note = strdup("see (1)");
	mark_whole(marks, plan, 5, true);
	marks->switches[3].hosts = 4;
	assert_int_equal(ft_draw_marks_add_link(marks, 0, 4, 7, "here"), 0);
	assert_int_equal(ft_draw_marks_add_line(marks, FT_DRAW_WARNING, "do it"), 0);
	assert_int_equal(ft_draw_marks_add_stranger(marks, "who"), 0);
	assert_int_equal(ft_draw_svg(&text, design, plan, marks, NULL), 0);
	for (size_t i = 0; i < FT_COUNT(rows); i++)
		if (count_of(text.data, rows[i].part) != rows[i].count)
			fail_msg("%s is there %zu times", rows[i].part, count_of(text.data, rows[i].part));
}

/* The same on a circle, and in the matrix of a graph. */
static void test_marks_of_graphs(void **state)
{
	static const struct {
		const char *keys, *part;
		size_t count;
	} rows[] = {
		{CIRCLE, ">2/3</text>", 1},
		{CIRCLE, "stroke=\"" FT_DRAW_RED "\" stroke-width=\"2.2\" stroke-dasharray=\"6 4\"/>", 1 + 3 + 1},
		{CIRCLE, "<title>r1 - r2: 3 cables, 1 missing; see (1)</title>", 1},
		{CIRCLE, "missing or cut off; switch of 36 ports", 1},
		{CIRCLE, ">7</text>", 1},
		{CIRCLE, "<title>here</title>", 1},
		{CIRCLE, ">4/8 hosts</text>", 1},
		{SQUARE, "<title>s01 - s02: 1 cable, 1 missing; see (1)</title>", 2},
		{SQUARE, "<title>here</title>", 0},
		{SQUARE, "fill=\"url(#lost)\" stroke", 2 * 48 + 1},
		{SQUARE, ">4/30 hosts</text>", 1},
	};

	(void)state;
	for (size_t i = 0; i < FT_COUNT(rows); i++) {
		_cleanup_(ft_design_freep) struct ft_design *design = NULL;
		_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
		_cleanup_(ft_draw_marks_freep) struct ft_draw_marks *marks = NULL;
		_cleanup_(ft_text_release) struct ft_text text = {0};

		read_design(rows[i].keys, &design, &plan);
		assert_int_equal(ft_draw_marks_new(plan, &marks), 0);
		marks->bundles[0].missing = 1;
		marks->bundles[0].note = strdup("see (1)");
		mark_whole(marks, plan, 5, true);
		marks->switches[3].hosts = 4;
		assert_int_equal(ft_draw_marks_add_link(marks, 1, 4, 7, "here"), 0);
		assert_int_equal(ft_draw_svg(&text, design, plan, marks, NULL), 0);
		if (count_of(text.data, rows[i].part) != rows[i].count)
			fail_msg("%s is there %zu times", rows[i].part, count_of(text.data, rows[i].part));
	}
}

/* A dead switch of a large matrix is one rectangle, not hundreds; and what lies across it is still seen. */
static void test_marks_merge(void **state)
{
	_cleanup_(ft_design_freep) struct ft_design *design = NULL;
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	_cleanup_(ft_draw_marks_freep) struct ft_draw_marks *marks = NULL;
	_cleanup_(ft_text_release) struct ft_text text = {0};

	(void)state;
	read_design(LARGE, &design, &plan);
	assert_int_equal(ft_draw_marks_new(plan, &marks), 0);
	mark_whole(marks, plan, 648 + 99, true);
	assert_int_equal(ft_draw_svg(&text, design, plan, marks, NULL), 0);
	assert_int_equal(count_of(text.data, "edge001 to edge648 - core100 to core100: 1 cable each, missing</title>"),
			 1);
	assert_int_equal(count_of(text.data, "line-through\">core100<"), 1);
	ft_text_reset(&text);
	marks->bundles[10].slow = 1;
	assert_int_equal(ft_draw_svg(&text, design, plan, marks, NULL), 0);
	assert_int_equal(count_of(text.data, "edge001 - core011: 1 cable, 1 slow</title>"), 1);
	assert_in_range(text.length, 1000, 100000);
}

/* A box of several switches says what is on any of them, not on the first. */
static void test_marks_ranges(void **state)
{
	static const struct {
		const char *part;
		size_t count;
	} rows[] = {
		{">14 to 17 of 15 to 24 hosts each</text>", 1},
		{"<title>15 to 24 hosts planned, 14 to 17 seen, 24 ports for hosts</title>", 1},
		{"; edge switches of 48 ports, 15 to 24 hosts planned on each, 14 to 17 seen</title>", 1},
		{"<title>edge0001 to edge1152: 9 degraded, 1 missing or cut off; edge", 1},
		{"#fff3d6", 3}, /* two boxes, and in the legend */
	};
	_cleanup_(ft_design_freep) struct ft_design *design = NULL;
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	_cleanup_(ft_draw_marks_freep) struct ft_draw_marks *marks = NULL;
	_cleanup_(ft_text_release) struct ft_text text = {0}, dot = {0};

	(void)state;
	read_design(THREE_LARGE, &design, &plan);
	assert_int_equal(ft_draw_marks_new(plan, &marks), 0);
	for (uint32_t i = 0; i < plan->tree->edge_count; i++)
		marks->switches[i].hosts = marks->switches[i].hosts_planned = 17;
	marks->switches[1].hosts = 14;
	marks->switches[1].hosts_planned = 15;
	marks->switches[700].hosts_planned = 24;
	/* More are lost and marked than are drawn by themselves. */
	for (uint32_t i = 0; i < 9; i++)
		marks->switches[300 + i].state = FT_DRAW_DEGRADED;
	for (uint32_t i = 0; i < 9; i++)
		marks->switches[plan->tree->edge_count + 24 * i].state = FT_DRAW_LOST;
	marks->switches[500].state = FT_DRAW_LOST;
	assert_int_equal(ft_draw_svg(&text, design, plan, marks, NULL), 0);
	check_svg(text.data, "ranges");
	for (size_t i = 0; i < FT_COUNT(rows); i++)
		if (count_of(text.data, rows[i].part) != rows[i].count)
			fail_msg("%s is there %zu times", rows[i].part, count_of(text.data, rows[i].part));
	assert_int_equal(ft_draw_dot(&dot, design, plan, marks, NULL), 0);
	assert_int_equal(count_of(dot.data, "14 to 17 of 15 to 24 hosts\\non each"), 1);
}

#define ELLIPSIS "\xe2\x80\xa6"

/* Long names: what is drawn is short, and as different as they are. */
static void test_labels(void **state)
{
	static const struct {
		const char *names[4];
		const char *labels[4];
	} rows[] = {
		{{"a", "b", "c", "d"}, {"a", "b", "c", "d"}},
		{{"MF0;A10-P1-IBSPINE-01-AAAAAAAAAAAA:MQM9701/U1", "MF0;A10-P1-IBSPINE-02-AAAAAAAAAAAA:MQM9701/U1",
		  "MF0;A10-P1-IBSPINE-03-AAAAAAAAAAAA:MQM9701/U1", "MF0;A10-P1-IBSPINE-14-AAAAAAAAAAAA:MQM9701/U1"},
		 {ELLIPSIS "A10-P1-IBSPINE-01" ELLIPSIS, ELLIPSIS "A10-P1-IBSPINE-02" ELLIPSIS,
		  ELLIPSIS "A10-P1-IBSPINE-03" ELLIPSIS, ELLIPSIS "A10-P1-IBSPINE-14" ELLIPSIS}},
		{{"the-first-machine-room-of-this-house-leaf01", "the-first-machine-room-of-this-house-leaf02",
		  "the-first-machine-room-of-this-house-leaf10", "the-first-machine-room-of-this-house-leaf11"},
		 {ELLIPSIS "of-this-house-leaf01", ELLIPSIS "of-this-house-leaf02", ELLIPSIS "of-this-house-leaf10",
		  ELLIPSIS "of-this-house-leaf11"}},
		/* Short ones among them. */
		{{"MF0;A10-P1-IBSPINE-01-AAAAAAAAAAAA:MQM9701/U1", "c2", "MF0;A10-P1-IBSPINE-02:MQM9701/U1", "c4"},
		 {ELLIPSIS "AAAAAAAA" ELLIPSIS, "c2", ELLIPSIS "02" ELLIPSIS, "c4"}},
		/* They differ in the middle, and at both ends. */
		{{"x-mmmmmmmmmmmmmmmmmmmmm1mmmmmmmmmmmmmmmmmmmmmmmmm-a",
		  "x-mmmmmmmmmmmmmmmmmmmmm2mmmmmmmmmmmmmmmmmmmmmmmmm-a",
		  "y-mmmmmmmmmmmmmmmmmmmmm1mmmmmmmmmmmmmmmmmmmmmmmmm-b",
		  "y-mmmmmmmmmmmmmmmmmmmmm1mmmmmmmmmmmmmmmmmmmmmmmmm-c"},
		 {" #1", " #2", " #3", " #4"}},
		/* One is the other's beginning. */
		{{"the-first-machine-room-of-this-house", "the-first-machine-room-of-this-house-2",
		  "the-first-machine-room-of-this-house-3", "the-first-machine-room-of-this-house-4"},
		 {"", "-2", "-3", "-4"}},
	};

	(void)state;
	for (size_t i = 0; i < FT_COUNT(rows); i++) {
		_cleanup_(ft_design_freep) struct ft_design *design = NULL;
		_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
		_cleanup_(ft_drawing_release) struct ft_drawing d = {0};

		read_design(SMALL, &design, &plan);
		for (size_t k = 0; k < 4; k++) {
			free(plan->switches[k].name);
			plan->switches[k].name = strdup(rows[i].names[k]);
		}
		assert_int_equal(ft_drawing_init(&d, design, plan, NULL, NULL), 0);
		assert_string_equal(ft_drawing_label(&d, 4), "core01");
		for (uint32_t k = 0; k < 4; k++) {
			const char *label = ft_drawing_label(&d, k), *wanted = rows[i].labels[k];
			size_t length = strlen(label), end = strlen(wanted);

			if (length < end || strcmp(label + length - end, wanted) != 0)
				fail_msg("%s is drawn as %s", rows[i].names[k], label);
			assert_in_range(ft_draw_text_width(label, 11), 1, FT_DRAW_LABEL_WIDTH);
			for (uint32_t other = 0; other < k; other++)
				assert_string_not_equal(label, ft_drawing_label(&d, other));
		}
	}
}

static void test_marks_refused(void **state)
{
	_cleanup_(ft_design_freep) struct ft_design *design = NULL, *other_design = NULL;
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL, *other = NULL;
	_cleanup_(ft_draw_marks_freep) struct ft_draw_marks *marks = NULL;
	_cleanup_(ft_text_release) struct ft_text text = {0};
	draw_function *const draws[] = {ft_draw_svg, ft_draw_dot};

	(void)state;
	read_design(SMALL, &design, &plan);
	read_design(UNEVEN, &other_design, &other);
	assert_int_equal(ft_draw_marks_new(plan, &marks), 0);
	for (size_t i = 0; i < FT_COUNT(draws); i++) {
		struct ft_error err = {0};

		assert_int_equal(draws[i](&text, other_design, other, marks, &err), -EINVAL);
		assert_string_equal(err.text, "what is to be marked in the drawing is of another plan");
		assert_null(text.data);
	}
	assert_int_equal(ft_draw_marks_add_link(marks, 0, plan->switch_count, 1, "beyond"), 0);
	assert_int_equal(ft_draw_svg(&text, design, plan, marks, NULL), -EINVAL);
}

/* ---- three levels by hand, with places that tell no columns apart ---- */

static void test_odd_places(void **state)
{
	struct ft_plan_switch switches[] = {
		{.name = (char *)(uintptr_t) "e1",
		 .tier = FT_TIER_EDGE,
		 .ports = 8,
		 .hosts = 3,
		 .pod = 0,
		 .plane = FT_NONE,
		 .place = 0},
		{.name = (char *)(uintptr_t) "e2",
		 .tier = FT_TIER_EDGE,
		 .ports = 8,
		 .hosts = 3,
		 .pod = 1,
		 .plane = FT_NONE,
		 .place = 0},
		{.name = (char *)(uintptr_t) "s1",
		 .tier = FT_TIER_SPINE,
		 .ports = 8,
		 .hosts = 0,
		 .pod = 0,
		 .plane = 0,
		 .place = 0},
		{.name = (char *)(uintptr_t) "s2",
		 .tier = FT_TIER_SPINE,
		 .ports = 8,
		 .hosts = 0,
		 .pod = 1,
		 .plane = 0,
		 .place = 0},
		{.name = (char *)(uintptr_t) "c1",
		 .tier = FT_TIER_CORE,
		 .ports = 8,
		 .hosts = 0,
		 .pod = FT_NONE,
		 .plane = 0,
		 .place = 0},
	};
	struct ft_plan_bundle bundles[] = {{0, 2, 1, 4, 1}, {0, 3, 2, 5, 1}, {1, 2, 3, 4, 2},
					   {1, 3, 4, 7, 3}, {2, 4, 5, 5, 1}, {3, 4, 6, 7, 6}};
	struct ft_tree tree = {.levels = 3,
			       .edge_count = 2,
			       .edge_ports = 8,
			       .ports_to_nodes = 3,
			       .spine_count = 2,
			       .core_count = 1,
			       .blocking = {1, 1}};
	struct ft_plan plan = {.topology = FT_TOPOLOGY_FAT_TREE,
			       .tree = &tree,
			       .nodes = 6,
			       .switches = switches,
			       .switch_count = FT_COUNT(switches),
			       .bundles = bundles,
			       .bundle_count = FT_COUNT(bundles)};
	struct ft_design design = {.name = (char *)(uintptr_t) "odd"};
	_cleanup_(ft_drawing_release) struct ft_drawing d = {0};
	_cleanup_(ft_text_release) struct ft_text text = {0}, matrix = {0};
	struct ft_draw_size size = {0};

	(void)state;
	assert_int_equal(ft_draw_svg(&text, &design, &plan, NULL, NULL), 0);
	check_svg(text.data, "odd places");
	for (uint32_t i = 0; i < plan.bundle_count; i++) {
		char label[32];

		snprintf(label, sizeof(label), ">%u</text>", bundles[i].count);
		assert_int_equal(count_of(text.data, label), 1);
	}
	/* Both spines have place 0: as columns they are still two. */
	assert_int_equal(ft_drawing_init(&d, &design, &plan, NULL, NULL), 0);
	assert_int_equal(ft_draw_matrix(&d, &matrix, FT_TIER_EDGE, &size), 0);
	assert_int_equal(count_of(matrix.data, ">s1</text>"), 1);
	assert_int_equal(count_of(matrix.data, ">s2</text>"), 1);
	assert_non_null(strstr(matrix.data, "<title>e2 - s2: 4 cables</title>"));
	assert_int_equal(ft_plan_find_bundle(&plan, 3, 1), 3);
	assert_int_equal(ft_plan_find_bundle(&plan, 2, 4), 4);
	assert_int_equal(ft_plan_find_bundle(&plan, 0, 4), FT_NONE);
	assert_int_equal(ft_plan_find_bundle(&plan, 0, 0), FT_NONE);
}

/* ---- escaping, and text in its room ---- */

static void test_escapes(void **state)
{
	static const struct {
		const char *string, *xml, *dot;
	} rows[] = {
		{"", "", ""},
		{"plain", "plain", "plain"},
		{"a<b>&'\"", "a&lt;b&gt;&amp;&#39;&quot;", "a<b>&amp;'\\\""},
		{"&lt;", "&amp;lt;", "&amp;lt;"},
		{"\\N\\", "\\N\\", "\\\\N\\\\"},
		{"\x01\x7f\n", "\\x01\\x7f\\x0a", "\\\\x01\\\\x7f\\\\x0a"},
		{"\xc3\xa9\xff", "\xc3\xa9\\xff", "\xc3\xa9\\\\xff"},
		{"\xef\xbf\xbf", "\\xef\\xbf\\xbf", "\\\\xef\\\\xbf\\\\xbf"},
		{"\xed\xa0\x80", "\\xed\\xa0\\x80", "\\\\xed\\\\xa0\\\\x80"},
	};

	(void)state;
	for (size_t i = 0; i < FT_COUNT(rows); i++) {
		_cleanup_(ft_text_release) struct ft_text xml = {0}, dot = {0};

		ft_draw_add_xml(&xml, rows[i].string);
		ft_draw_add_dot(&dot, rows[i].string);
		assert_string_equal(ft_text_string(&xml), rows[i].xml);
		assert_string_equal(ft_text_string(&dot), rows[i].dot);
	}
}

static void test_text(void **state)
{
	static const char *const strings[] = {"",
					      "x",
					      "WWWWWWWWWWWWWWWW",
					      "MF0;leaf-0001:MQM8700/U1",
					      "\xe4\xb8\xad\xe6\x96\x87\xe4\xb8\xad\xe6\x96\x87 \xc3\xa9\xc3\xa9",
					      "a word and another, averyveryverylongoneindeed, and so on"};

	(void)state;
	for (size_t i = 0; i < FT_COUNT(strings); i++)
		for (int width = 0; width < 400; width += 7) {
			_cleanup_(ft_text_release) struct ft_text clipped = {0}, lines = {0};
			size_t length, skip;

			ft_draw_clip(&clipped, strings[i], 11, width);
			if (width > 24 && ft_draw_text_width(ft_text_string(&clipped), 11) > width + 11)
				fail_msg("\"%s\" is %d wide, not %d", clipped.data,
					 ft_draw_text_width(clipped.data, 11), width);
			for (const char *s = strings[i]; *s; s += length + skip) {
				length = ft_draw_wrap(s, 11, width, &skip);
				assert_true(length > 0);
				assert_true((s[length] & 0xc0) != 0x80);
				ft_text_add(&lines, s, length + skip);
			}
			assert_string_equal(ft_text_string(&lines), strings[i]);
		}
}

/* ---- allocations ---- */

static void fails_well(draw_function *draw, const struct ft_design *design, const struct ft_plan *plan,
		       const struct ft_draw_marks *marks)
{
	int r = -ENOMEM;

	for (size_t n = 1; r != 0; n += 1 + n / (runs_are_few() ? 4 : 16)) {
		_cleanup_(ft_text_release) struct ft_text text = {0};

		allocation_failing = n;
		r = draw(&text, design, plan, marks, NULL);
		if (allocation_failing > 0) {
			allocation_failing = 0;
			assert_int_equal(r, 0);
			return;
		}
		allocation_failing = 0;
		if (r != -ENOMEM)
			fail_msg("allocation %zu fails, and the drawing says %d", n, r);
	}
}

static void test_allocations(void **state)
{
	static const char *const keys[] = {SMALL,  MATRIX, THREE, THREE_LARGE, CIRCLE,
					   LAYERS, SIDES,  TORUS, GRIDS,       GROUPS};

	(void)state;
	for (size_t i = 0; i < FT_COUNT(keys); i++) {
		_cleanup_(ft_design_freep) struct ft_design *design = NULL;
		_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
		_cleanup_(ft_draw_marks_freep) struct ft_draw_marks *marks = NULL;

		read_design(keys[i], &design, &plan);
		marks = marks_make(plan);
		fails_well(ft_draw_svg, design, plan, NULL);
		fails_well(ft_draw_svg, design, plan, marks);
		fails_well(ft_draw_dot, design, plan, NULL);
		fails_well(ft_draw_dot, design, plan, marks);
	}
}

/* ---- reports ---- */

enum { GUID = 0x100 };

/* The report on @plan where every switch was seen and is ok: planned switch p has GUID + p. */
static struct ft_report *report_make(const struct ft_plan *plan)
{
	struct ft_report *report = calloc(1, sizeof(*report));

	assert_non_null(report);
	report->plan_name = ft_arena_string(&report->memory, "t");
	report->source.complete = true;
	report->switches = ft_arena_zeros(&report->memory, plan->switch_count + 1UL, sizeof(*report->switches));
	for (uint32_t p = 0; p < plan->switch_count; p++)
		report->switches[p] = (struct ft_report_switch){
			.name = ft_arena_string(&report->memory, plan->switches[p].name),
			.planned_as = ft_arena_string(&report->memory, plan->switches[p].name),
			.guid = GUID + p,
			.tier = ft_tier_name(plan->switches[p].tier),
			.hosts = plan->switches[p].hosts,
			.uplinks_up = 1,
			.hosts_names = ft_arena_string(&report->memory, "")};
	report->switch_count = plan->switch_count;
	return report;
}

/* One finding, in planned switches: edges 0 to 3, cores 4 and 5 of SMALL. */
static const struct told {
	const char *what;
	enum ft_code code;
	uint32_t where[6]; /* planned switches + 1; 0: the end */
	struct ft_lack lacks[2];
	struct {
		uint32_t a, b, missing, surplus, slow;
	} bundles[4];
	struct {
		uint32_t a, b;
	} links[3];
	size_t link_count;
} told[] = {
	{.what = "cables missing",
	 .code = FT_CODE_CABLE_MISSING,
	 .where = {2, 2, 5},
	 .lacks = {{1, 4, 2, 0}},
	 .bundles = {{1, 4, 2, 0, 0}}},
	{.what = "more cables missing than there are",
	 .code = FT_CODE_CABLE_MISSING,
	 .where = {2, 5},
	 .lacks = {{4, 1, 4000, 0}},
	 .bundles = {{1, 4, 9, 0, 0}}},
	{.what = "cables missing where the plan has none",
	 .code = FT_CODE_CABLE_MISSING,
	 .where = {2, 5},
	 .lacks = {{1, 2, 1, 0}, {7, 99, 1, 0}}},
	{.what = "two swapped",
	 .code = FT_CODE_CABLES_SWAPPED,
	 .where = {1, 6, 3, 5},
	 .lacks = {{0, 4, 1, 0}, {2, 5, 1, 0}},
	 .bundles = {{0, 4, 1, 0, 0}, {2, 5, 1, 0, 0}, {0, 5, 0, 1, 0}, {2, 4, 0, 1, 0}},
	 .links = {{0, 5}, {2, 4}},
	 .link_count = 2},
	{.what = "two swapped beside the tiers",
	 .code = FT_CODE_CABLES_SWAPPED,
	 .where = {1, 2, 5, 6},
	 .lacks = {{0, 5, 1, 0}, {1, 4, 1, 0}},
	 .bundles = {{0, 5, 1, 0, 0}, {1, 4, 1, 0, 0}},
	 .links = {{0, 1}, {4, 5}},
	 .link_count = 2},
	{.what = "misplaced",
	 .code = FT_CODE_CABLE_MISPLACED,
	 .where = {4, 5},
	 .lacks = {{4, 1, 1, 0}},
	 .bundles = {{1, 4, 1, 0, 0}, {3, 4, 0, 1, 0}},
	 .links = {{3, 4}},
	 .link_count = 1},
	{.what = "misplaced to the same tier",
	 .code = FT_CODE_CABLE_MISPLACED,
	 .where = {1, 2},
	 .lacks = {{0, 4, 1, 0}},
	 .bundles = {{0, 4, 1, 0, 0}},
	 .links = {{0, 1}},
	 .link_count = 1},
	{.what = "misplaced, in a report that does not tell",
	 .code = FT_CODE_CABLE_MISPLACED,
	 .where = {1, 2},
	 .links = {{0, 1}},
	 .link_count = 1},
	{.what = "unplanned",
	 .code = FT_CODE_CABLE_UNPLANNED,
	 .where = {1, 5},
	 .bundles = {{0, 4, 0, 1, 0}},
	 .links = {{0, 4}},
	 .link_count = 1},
	{.what = "a loopback in the place of a cable",
	 .code = FT_CODE_LOOPBACK,
	 .where = {3, 3},
	 .lacks = {{2, 5, 1, 0}},
	 .bundles = {{2, 5, 1, 0, 0}},
	 .links = {{2, 2}},
	 .link_count = 1},
	{.what = "a stranger in the place of a cable",
	 .code = FT_CODE_SWITCH_UNPLANNED,
	 .where = {99},
	 .lacks = {{2, 5, 1, 0}},
	 .bundles = {{2, 5, 1, 0, 0}}},
	{.what = "slow", .code = FT_CODE_CABLE_SLOW, .where = {1, 5}, .bundles = {{0, 4, 0, 0, 1}}},
	{.what = "a slow host", .code = FT_CODE_CABLE_NARROW, .where = {1, 99}},
	{.what = "of nobody", .code = FT_CODE_CABLES_SWAPPED, .where = {1, 99, 77, 5}},
	{.what = "a missing end", .code = FT_CODE_CABLE_MISPLACED, .where = {1}},
};

static void finding_make(struct ft_report *report, const struct told *t)
{
	struct ft_finding *f = ft_arena_zeros(&report->memory, 1, sizeof(*f));

	assert_non_null(f);
	*f = (struct ft_finding){.code = t->code,
				 .severity = FT_SEVERITY_WARNING,
				 .id = ft_arena_string(&report->memory, "id"),
				 .expected = ft_arena_string(&report->memory, ""),
				 .observed = ft_arena_string(&report->memory, ""),
				 .count = 1,
				 .text = ft_arena_string(&report->memory, t->what),
				 .fix = ft_arena_string(&report->memory, "mend it")};
	f->where = ft_arena_zeros(&report->memory, FT_COUNT(t->where), sizeof(*f->where));
	while (f->where_count < FT_COUNT(t->where) && t->where[f->where_count]) {
		f->where[f->where_count].name = ft_arena_string(&report->memory, "n");
		f->where[f->where_count].guid = GUID + t->where[f->where_count] - 1;
		f->where_count++;
	}
	f->lacks = ft_arena_zeros(&report->memory, FT_COUNT(t->lacks), sizeof(*f->lacks));
	while (f->lack_count < FT_COUNT(t->lacks) && t->lacks[f->lack_count].cables) {
		f->lacks[f->lack_count] = t->lacks[f->lack_count];
		f->lack_count++;
	}
	report->findings = f;
	report->finding_count = 1;
}

static void check_told(const struct told *t, const struct ft_plan *plan, const struct ft_draw_marks *marks)
{
	for (uint32_t i = 0; i < plan->bundle_count; i++) {
		const struct ft_draw_bundle_mark *mark = &marks->bundles[i];
		uint32_t missing = 0, surplus = 0, slow = 0;

		for (size_t n = 0; n < FT_COUNT(t->bundles); n++)
			if (t->bundles[n].b && ft_plan_find_bundle(plan, t->bundles[n].a, t->bundles[n].b) == i) {
				missing = t->bundles[n].missing;
				surplus = t->bundles[n].surplus;
				slow = t->bundles[n].slow;
			}
		if (mark->missing != missing || mark->surplus != surplus || mark->slow != slow)
			fail_msg("%s - %s: %u missing, %u too many, %u slow", plan->switches[plan->bundles[i].a].name,
				 plan->switches[plan->bundles[i].b].name, mark->missing, mark->surplus, mark->slow);
	}
	assert_int_equal(marks->link_count, t->link_count);
	for (size_t i = 0; i < t->link_count; i++) {
		assert_int_equal(marks->links[i].a, t->links[i].a);
		assert_int_equal(marks->links[i].b, t->links[i].b);
		assert_int_equal(marks->links[i].number, 1);
	}
}

static void test_told(void **state)
{
	const struct told *t = *state;
	_cleanup_(ft_design_freep) struct ft_design *design = NULL;
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	_cleanup_(ft_draw_marks_freep) struct ft_draw_marks *marks = NULL;
	_cleanup_(ft_text_release) struct ft_text svg = {0}, dot = {0};

	read_design(SMALL, &design, &plan);
	report = report_make(plan);
	finding_make(report, t);
	assert_int_equal(ft_report_marks(report, plan, &marks, NULL), 0);
	check_told(t, plan, marks);
	assert_int_equal(marks->line_count, 1);
	assert_non_null(strstr(marks->lines[0].text, ft_codes[t->code].name));
	assert_non_null(strstr(marks->lines[0].text, ". Fix: mend it"));
	assert_int_equal(ft_report_draw(&svg, report, design, plan, ft_draw_svg, NULL), 0);
	check_svg(svg.data, t->what);
	assert_int_equal(ft_report_draw(&dot, report, design, plan, ft_draw_dot, NULL), 0);
	check_dot(dot.data, t->what);
}

/* Switches by their status: whole bundles go with those that are gone. */
static void test_statuses(void **state)
{
	static const struct {
		enum ft_status status;
		bool seen;
		uint32_t uplinks_up;
		enum ft_draw_state is;
		uint32_t missing, unjudged;
	} rows[] = {
		{FT_STATUS_OK, true, 4, FT_DRAW_OK, 0, 0},
		{FT_STATUS_DEGRADED, true, 4, FT_DRAW_DEGRADED, 0, 0},
		{FT_STATUS_MISSING, false, 0, FT_DRAW_LOST, 9, 0},
		{FT_STATUS_ISOLATED, true, 0, FT_DRAW_LOST, 9, 0},
		{FT_STATUS_ISOLATED, true, 4, FT_DRAW_LOST, 0, 0},
		{FT_STATUS_MUTE, false, 4, FT_DRAW_UNKNOWN, 0, 0},
		{FT_STATUS_UNREACHED, false, 0, FT_DRAW_UNKNOWN, 0, 9},
	};

	(void)state;
	for (size_t i = 0; i < FT_COUNT(rows); i++)
		for (uint32_t p = 0; p < 6; p++) {
			_cleanup_(ft_design_freep) struct ft_design *design = NULL;
			_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
			_cleanup_(ft_report_freep) struct ft_report *report = NULL;
			_cleanup_(ft_draw_marks_freep) struct ft_draw_marks *marks = NULL;

			read_design(SMALL, &design, &plan);
			report = report_make(plan);
			report->switches[p].status = rows[i].status;
			report->switches[p].guid = rows[i].seen ? GUID + p : 0;
			report->switches[p].uplinks_up = rows[i].uplinks_up;
			assert_int_equal(ft_report_marks(report, plan, &marks, NULL), 0);
			assert_int_equal(marks->switches[p].state, rows[i].is);
			for (uint32_t b = 0; b < plan->bundle_count; b++) {
				bool here = plan->bundles[b].a == p || plan->bundles[b].b == p;

				assert_int_equal(marks->bundles[b].missing, here ? rows[i].missing : 0);
				assert_int_equal(marks->bundles[b].unjudged, here ? rows[i].unjudged : 0);
			}
		}
}

/* Names that several have are told apart as in the sentences; unplanned switches are strangers. */
static void test_names(void **state)
{
	_cleanup_(ft_design_freep) struct ft_design *design = NULL;
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	_cleanup_(ft_draw_marks_freep) struct ft_draw_marks *marks = NULL;

	(void)state;
	read_design(SMALL, &design, &plan);
	report = report_make(plan);
	for (uint32_t p = 0; p < 5; p++) {
		report->switches[p].name = ft_arena_string(&report->memory, p < 2    ? "same"
									    : p == 4 ? "MF0;ib7:SX6036/U1"
										     : "");
	}
	report->switches[report->switch_count++] =
		(struct ft_report_switch){.name = ft_arena_string(&report->memory, "same"),
					  .guid = 0xabc,
					  .tier = "edge",
					  .status = FT_STATUS_UNPLANNED,
					  .hosts_names = ft_arena_string(&report->memory, "")};
	assert_int_equal(ft_report_marks(report, plan, &marks, NULL), 0);
	assert_string_equal(marks->switches[0].name, "same 0x0000000000000100");
	assert_string_equal(marks->switches[1].name, "same 0x0000000000000101");
	assert_string_equal(marks->switches[2].name, "0x0000000000000102");
	assert_string_equal(marks->switches[3].name, "0x0000000000000103");
	assert_string_equal(marks->switches[4].name, "ib7");
	assert_string_equal(marks->switches[5].name, "core02");
	assert_int_equal(marks->stranger_count, 1);
	assert_string_equal(marks->strangers[0], "same 0x0000000000000abc");
}

static void test_other_plan(void **state)
{
	_cleanup_(ft_design_freep) struct ft_design *design = NULL, *other_design = NULL;
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL, *other = NULL;
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	struct ft_draw_marks *marks = NULL;
	struct ft_error err = {0};

	(void)state;
	read_design(SMALL, &design, &plan);
	read_design(MATRIX, &other_design, &other);
	report = report_make(plan);
	assert_int_equal(ft_report_marks(report, other, &marks, &err), -EINVAL);
	assert_string_equal(err.text, "the report is of another plan");
	assert_null(marks);
}

static void test_report_allocations(void **state)
{
	_cleanup_(ft_design_freep) struct ft_design *design = NULL;
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;

	(void)state;
	read_design(SMALL, &design, &plan);
	for (size_t i = 0; i < FT_COUNT(told); i++) {
		_cleanup_(ft_report_freep) struct ft_report *report = report_make(plan);

		finding_make(report, &told[i]);
		for (size_t n = 1;; n++) {
			_cleanup_(ft_draw_marks_freep) struct ft_draw_marks *marks = NULL;
			bool failed;
			int r;

			allocation_failing = n;
			r = ft_report_marks(report, plan, &marks, NULL);
			failed = allocation_failing == 0;
			allocation_failing = 0;
			if (!failed) {
				assert_int_equal(r, 0);
				break;
			}
			assert_int_equal(r, -ENOMEM);
			assert_null(marks);
		}
	}
}

int main(void)
{
	static struct CMUnitTest tests[FT_COUNT(shapes) + FT_COUNT(contents) + FT_COUNT(told) + 16];
	const struct CMUnitTest others[] = {
		cmocka_unit_test(test_marks),	      cmocka_unit_test(test_marks_of_graphs),
		cmocka_unit_test(test_marks_merge),   cmocka_unit_test(test_marks_ranges),
		cmocka_unit_test(test_marks_refused), cmocka_unit_test(test_labels),
		cmocka_unit_test(test_odd_places),    cmocka_unit_test(test_escapes),
		cmocka_unit_test(test_text),	      cmocka_unit_test(test_allocations),
		cmocka_unit_test(test_statuses),      cmocka_unit_test(test_names),
		cmocka_unit_test(test_other_plan),    cmocka_unit_test(test_report_allocations),
	};
	size_t n = 0;

	for (size_t i = 0; i < FT_COUNT(shapes); i++)
		tests[n++] = (struct CMUnitTest){shapes[i].keys, test_shape, NULL, NULL, (void *)(uintptr_t)&shapes[i]};
	for (size_t i = 0; i < FT_COUNT(contents); i++)
		tests[n++] = (struct CMUnitTest){contents[i].part, test_content, NULL, NULL,
						 (void *)(uintptr_t)&contents[i]};
	for (size_t i = 0; i < FT_COUNT(told); i++)
		tests[n++] = (struct CMUnitTest){told[i].what, test_told, NULL, NULL, (void *)(uintptr_t)&told[i]};
	for (size_t i = 0; i < FT_COUNT(others); i++)
		tests[n++] = others[i];
	return _cmocka_run_group_tests("draw", tests, n, NULL, NULL) ? 1 : 0;
}
