/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Switches beside the tree as islands of the design: by name, with the hosts and cables that were seen. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verify/infer/ranges.h"

enum { LINE_WIDTH = 150 };

static char *short_name(const struct ft_inference *f, uint32_t observed)
{
	size_t length;
	const char *start = ft_text_short_name(f->observed->switches[observed].name, &length);

	return strndup(start, length);
}

/* @observed: the switches; their names are sorted. Returns 0 or -ENOMEM; to be released in any case. */
static int names_make(const struct ft_inference *f, const uint32_t *observed, uint32_t count, struct ft_name_list *ret)
{
	int r = ft_name_list_init(ret, count);

	for (uint32_t i = 0; r == 0 && i < count; i++) {
		_cleanup_free_ char *name = short_name(f, observed[i]);

		r = name ? ft_name_list_add(ret, name) : -ENOMEM;
	}
	return r;
}

/* ---- members ---- */

/* False for names that would be read as ranges of numbers. */
static bool name_serves(const char *name)
{
	const char *open = strchr(name, '[');

	return name[0] && !open;
}

/* True if every switch to be named has a unique short name: the islands' own ones, and their neighbours. */
static int names_serve(const struct ft_inference *f, const uint32_t *member, uint32_t count, bool *ret_serve)
{
	_cleanup_(ft_map_release) struct ft_map map = {0};
	_cleanup_free_ bool *named = calloc(f->observed->switch_count + 1UL, sizeof(*named));
	_cleanup_free_ bool *twice = calloc(f->observed->switch_count + 1UL, sizeof(*twice));
	bool serve = true;

	if (!named || !twice)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		named[member[i]] = true;
		ft_each_adjacent(n, &f->graph, member[i])
			named[n->vertex] = true;
	}
	for (uint32_t i = 0; i < f->observed->switch_count; i++) {
		_cleanup_free_ char *name = short_name(f, i);
		uint32_t there;
		int r = name ? ft_map_add(&map, ft_text_hash(name), i, &there) : -ENOMEM;

		if (r < 0)
			return r;
		if (r == 0)
			twice[i] = twice[there] = true;
		serve &= !named[i] || name_serves(name);
	}
	for (uint32_t i = 0; i < f->observed->switch_count; i++)
		serve &= !named[i] || !twice[i];
	*ret_serve = serve;
	return 0;
}

/* ---- the text ---- */

/* A text in lines of limited width, broken between items only. */
struct lines {
	struct ft_text *text;
	size_t begin; /* of the current line */
};

static void item_add(struct lines *lines, bool first, const struct ft_text *item)
{
	ft_text_puts(lines->text, first ? "" : ",");
	if (lines->text->length - lines->begin + item->length > LINE_WIDTH) {
		ft_text_puts(lines->text, "\n\t\t");
		lines->begin = lines->text->length;
	} else if (!first) {
		ft_text_puts(lines->text, " ");
	}
	ft_text_puts(lines->text, ft_text_string(item));
	lines->text->failed |= item->failed;
}

struct writer {
	const struct ft_inference *f;
	const uint32_t *member;
	uint32_t count;
	bool *islander; /* by observed switch */
	bool *done;	/* by member */
	uint32_t *picked;
	struct lines lines;
};

static bool alike(const struct writer *w, uint32_t a, uint32_t b)
{
	return w->f->hosts[a] == w->f->hosts[b] && ft_infer_ports(w->f, a) == ft_infer_ports(w->f, b);
}

/* Switches with equally many ports and hosts are one entry. */
static int switches_write(struct writer *w)
{
	const struct ft_inference *f = w->f;
	bool first = true;

	for (uint32_t i = 0; i < w->count; i++) {
		_cleanup_(ft_name_list_release) struct ft_name_list names = {0};
		_cleanup_(ft_text_release) struct ft_text item = {0};
		uint32_t picked = 0, observed = w->member[i];

		for (uint32_t k = i; k < w->count && !w->done[i]; k++)
			if (!w->done[k] && alike(w, observed, w->member[k]))
				w->picked[picked++] = w->member[k];
		for (uint32_t k = w->count; k-- > i && !w->done[i];)
			w->done[k] |= alike(w, observed, w->member[k]);
		if (picked == 0)
			continue;
		if (names_make(f, w->picked, picked, &names) < 0)
			return -ENOMEM;
		ft_text_puts(&item, "{\"name\": ");
		ft_name_list_write(&item, &names);
		if (ft_infer_ports(f, observed) != f->design.ports[0])
			ft_text_printf(&item, ", \"ports\": %u", ft_infer_ports(f, observed));
		ft_text_printf(&item, ", \"hosts\": %u}", f->hosts[observed]);
		item_add(&w->lines, first, &item);
		first = false;
	}
	return 0;
}

/* The neighbours with that number of cables; a cable between two islanders is written once. */
static uint32_t neighbours_pick(struct writer *w, uint32_t observed, uint32_t cables)
{
	const struct ft_inference *f = w->f;
	uint32_t picked = 0;

	ft_each_adjacent(n, &f->graph, observed) {
		uint32_t far = n->vertex;

		if (n->count == cables && (ft_infer_in_tree(f, far) || (w->islander[far] && far > observed)))
			w->picked[picked++] = far;
	}
	return picked;
}

static int bundles_write(struct writer *w)
{
	bool first = true;

	for (uint32_t i = 0; i < w->count; i++)
		for (uint32_t cables = 1; cables <= FT_PORTS_MAX; cables++) {
			_cleanup_(ft_name_list_release) struct ft_name_list a = {0}, b = {0};
			_cleanup_(ft_text_release) struct ft_text item = {0};
			uint32_t picked = neighbours_pick(w, w->member[i], cables);

			if (picked == 0)
				continue;
			if (names_make(w->f, &w->member[i], 1, &a) < 0 || names_make(w->f, w->picked, picked, &b) < 0)
				return -ENOMEM;
			ft_text_puts(&item, "{\"a\": ");
			ft_name_list_write(&item, &a);
			ft_text_puts(&item, ", \"b\": ");
			ft_name_list_write(&item, &b);
			ft_text_printf(&item, ", \"count\": %u}", cables);
			item_add(&w->lines, first, &item);
			first = false;
		}
	return 0;
}

static int islands_write(struct writer *w)
{
	int r;

	ft_text_puts(w->lines.text, ",\n\t\"islands\": [{\"name\": \"island\", \"switches\": [");
	r = switches_write(w);
	ft_text_puts(w->lines.text, "], \"bundles\": [\n\t\t");
	w->lines.begin = w->lines.text->length;
	if (r == 0)
		r = bundles_write(w);
	ft_text_puts(w->lines.text, "]}]");
	return r;
}

static int member_compare(const void *a, const void *b, void *arg)
{
	const struct ft_observed_fabric *observed = arg;

	return ft_text_natural_compare(observed->switches[*(const uint32_t *)a].name,
				       observed->switches[*(const uint32_t *)b].name);
}

int ft_infer_islands(struct ft_inference *f, uint32_t *member, uint32_t count)
{
	_cleanup_free_ bool *islander = calloc(f->observed->switch_count + 1UL, sizeof(*islander));
	_cleanup_free_ bool *done = calloc(count + 1UL, sizeof(*done));
	_cleanup_free_ uint32_t *picked = malloc((f->observed->switch_count + 1UL) * sizeof(*picked));
	struct writer w = {
		.f = f,
		.member = member,
		.count = count,
		.islander = islander,
		.done = done,
		.picked = picked,
		.lines.text = &f->islands,
	};
	bool serve = false;
	int r;

	if (!islander || !done || !picked)
		return -ENOMEM;
	if (count == 0)
		return 0;
	qsort_r(member, count, sizeof(*member), member_compare, (void *)f->observed);
	r = names_serve(f, member, count, &serve);
	if (r < 0 || !serve)
		return r;
	for (uint32_t i = 0; i < count; i++)
		islander[member[i]] = true;
	r = islands_write(&w);
	return r < 0 || ft_text_failed(&f->islands) ? -ENOMEM : 1;
}
