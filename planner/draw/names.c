/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Labels: names that are short enough for a box or a row. Where names of a tier are not, what all of these end with
 * goes first, then what all of these begin with, then the middle; but no two switches of a tier come to look the same.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "planner/draw/draw_parts.h"

enum { FONT = 11 };

#define ELLIPSIS "\xe2\x80\xa6"

/* The names of one tier, safe, and what of them is left out. */
struct names {
	char **names;
	uint32_t count;
	size_t prefix, suffix; /* bytes */
};

static bool is_inside_letter(char c)
{
	return (c & 0xc0) == 0x80;
}

/* Whether a number, a word or a letter of several bytes goes on from @a to @b. */
static bool goes_on(char a, char b)
{
	return is_inside_letter(b) || (isdigit((unsigned char)a) && isdigit((unsigned char)b)) ||
	       (isalpha((unsigned char)a) && isalpha((unsigned char)b));
}

/* Some name is cut through a word after @prefix, or before the last @suffix bytes. */
static bool prefix_tears(const struct names *n, size_t prefix)
{
	for (uint32_t i = 0; i < n->count; i++)
		if (goes_on(n->names[i][prefix - 1], n->names[i][prefix]))
			return true;
	return false;
}

static bool suffix_tears(const struct names *n, size_t suffix)
{
	for (uint32_t i = 0; i < n->count; i++) {
		const char *end = n->names[i] + strlen(n->names[i]) - suffix;

		if (end > n->names[i] && goes_on(end[-1], end[0]))
			return true;
	}
	return false;
}

/* What all names have in common, in whole words. Something of each is left. */
static void common_find(const struct names *n, size_t *ret_prefix, size_t *ret_suffix)
{
	size_t shortest = strlen(n->names[0]), prefix = shortest, suffix = shortest, length = shortest;

	for (uint32_t i = 1; i < n->count; i++) {
		const char *end = n->names[i] + strlen(n->names[i]);
		size_t same = 0;

		while (same < prefix && n->names[0][same] == n->names[i][same])
			same++;
		prefix = same;
		shortest = (size_t)(end - n->names[i]) < shortest ? (size_t)(end - n->names[i]) : shortest;
		suffix = suffix < shortest ? suffix : shortest;
		for (same = 0; same < suffix && n->names[0][length - 1 - same] == end[-1 - (ptrdiff_t)same];)
			same++;
		suffix = same;
	}
	while (prefix > 0 && prefix_tears(n, prefix))
		prefix--;
	suffix = suffix < shortest - prefix ? suffix : shortest - prefix;
	while (suffix > 0 && suffix_tears(n, suffix))
		suffix--;
	*ret_prefix = prefix;
	*ret_suffix = prefix + suffix < shortest ? suffix : 0;
}

static bool is_wide(const char *name)
{
	return ft_draw_text_width(name, FONT) > FT_DRAW_LABEL_WIDTH;
}

static void cut_add(const struct names *n, uint32_t i, struct ft_text *text)
{
	const char *name = n->names[i];

	if (!is_wide(name)) {
		ft_text_puts(text, name);
		return;
	}
	ft_text_puts(text, n->prefix ? ELLIPSIS : "");
	ft_text_add(text, name + n->prefix, strlen(name) - n->prefix - n->suffix);
	ft_text_puts(text, n->suffix ? ELLIPSIS : "");
}

static int widest(const struct names *n)
{
	int most = 0;

	for (uint32_t i = 0; i < n->count; i++) {
		int width = ft_draw_text_width(n->names[i], FONT);

		most = width > most ? width : most;
	}
	return most;
}

/* How wide the @length bytes at @start are; an ellipsis takes their place. */
static int width_of(const char *start, size_t length)
{
	return ft_draw_text_width(start, FONT) - ft_draw_text_width(start + length, FONT) -
	       ft_draw_text_width(ELLIPSIS, FONT);
}

/* The least of the @most bytes that a name begins with to leave out for @excess; whole parts, or all of them. */
static size_t prefix_choose(const char *name, size_t most, int excess)
{
	for (size_t cut = 1; cut < most; cut++)
		if (ispunct((unsigned char)name[cut - 1]) && width_of(name, cut) >= excess)
			return cut;
	return most;
}

static size_t suffix_choose(const char *name, size_t most, int excess)
{
	const char *end = name + strlen(name);

	for (size_t cut = 1; cut < most; cut++)
		if (ispunct((unsigned char)end[-(ptrdiff_t)cut]) && width_of(end - cut, cut) >= excess)
			return cut;
	return most;
}

/* Cuts as little as makes all names @excess narrower, or as much as can be. */
static void cut_choose(struct names *n, int excess)
{
	const char *name = n->names[0];
	size_t prefix, suffix;

	common_find(n, &prefix, &suffix);
	n->suffix = suffix_choose(name, suffix, excess);
	if (n->suffix > 0)
		excess -= width_of(name + strlen(name) - n->suffix, n->suffix);
	if (excess > 0)
		n->prefix = prefix_choose(name, prefix, excess);
}

/* Only the names that are too wide are cut, and by what these have in common. Returns 0 or -ENOMEM. */
static int cut_find(struct names *n, int excess)
{
	_cleanup_free_ char **names = malloc((n->count + 1UL) * sizeof(*names));
	struct names wide = {.names = names};

	if (!names)
		return -ENOMEM;
	for (uint32_t i = 0; i < n->count; i++)
		if (is_wide(n->names[i]))
			names[wide.count++] = n->names[i];
	if (wide.count > 1)
		cut_choose(&wide, excess);
	n->prefix = wide.prefix;
	n->suffix = wide.suffix;
	return 0;
}

/* The label of switch @i, clipped to @width. NULL: memory ran out. */
static char *label_make(const struct names *n, uint32_t i, int width, bool number)
{
	struct ft_text whole = {0}, text = {0};
	char *label;

	cut_add(n, i, &whole);
	ft_draw_clip(&text, ft_text_string(&whole), FONT, width);
	if (number)
		ft_text_printf(&text, " #%u", i + 1);
	label = whole.failed || text.failed ? NULL : strdup(ft_text_string(&text));
	ft_text_release(&whole);
	ft_text_release(&text);
	return label;
}

/* Labels in @labels. 1 where they are told apart, 0 where not, or -ENOMEM. */
static int labels_make(const struct names *n, int width, bool number, char **labels)
{
	_cleanup_(ft_map_release) struct ft_map there = {0};
	int unique = 1;

	for (uint32_t i = 0; i < n->count; i++) {
		int r;

		free(labels[i]);
		labels[i] = label_make(n, i, width, number);
		if (!labels[i])
			return -ENOMEM;
		r = ft_map_add(&there, ft_text_hash(labels[i]), i, NULL);
		if (r < 0)
			return r;
		unique &= r;
	}
	return unique;
}

static int tier_label(struct names *n, char **labels)
{
	enum { NUMBER_WIDTH = 50 };
	int excess = widest(n) - FT_DRAW_LABEL_WIDTH;
	/* Each part of a name is rounded up by a pixel. */
	int r = excess > 0 ? cut_find(n, excess + 2) : 0;

	if (r == 0)
		r = labels_make(n, FT_DRAW_LABEL_WIDTH, false, labels);
	/* Names that are the same as they are stay so. */
	if (r == 0 && excess > 0)
		r = labels_make(n, FT_DRAW_LABEL_WIDTH - NUMBER_WIDTH, true, labels);
	return r < 0 ? r : 0;
}

static int names_label(struct ft_drawing *d, char **names)
{
	const struct ft_plan_switch *switches = d->plan->switches;
	uint32_t end;
	int r = 0;

	for (uint32_t first = 0; r == 0 && first < d->plan->switch_count; first = end) {
		struct names n = {.names = names + first};

		for (end = first; end < d->plan->switch_count && (switches[end].tier == switches[first].tier ||
								  d->plan->topology == FT_TOPOLOGY_GRAPH);)
			end++;
		n.count = end - first;
		r = tier_label(&n, d->labels + first);
	}
	return r;
}

int ft_drawing_labels(struct ft_drawing *d)
{
	uint32_t count = d->plan->switch_count;
	char **names = calloc(count + 1UL, sizeof(*names));
	int r = 0;

	d->labels = calloc(count + 1UL, sizeof(*d->labels));
	if (!names || !d->labels)
		r = -ENOMEM;
	for (uint32_t i = 0; r == 0 && i < count; i++) {
		names[i] = strdup(ft_drawing_name(d, i));
		if (!names[i] || ft_drawing_failed(d))
			r = -ENOMEM;
	}
	if (r == 0)
		r = names_label(d, names);
	for (uint32_t i = 0; names && i < count; i++)
		free(names[i]);
	free(names);
	return r;
}

const char *ft_drawing_label(const struct ft_drawing *d, uint32_t index)
{
	return d->labels[index];
}

void ft_drawing_group_label(const struct ft_drawing *d, const struct ft_draw_group *group, struct ft_text *text)
{
	ft_text_puts(text, ft_drawing_label(d, group->first));
	if (group->count == 1)
		return;
	ft_text_puts(text, group->count == 2 ? " and " : " to ");
	ft_text_puts(text, ft_drawing_label(d, group->first + group->count - 1));
}
