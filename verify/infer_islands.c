/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Switches beside the tree as islands of the design: by name, with the hosts and cables that were seen. */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verify/infer_parts.h"

enum { LINE_WIDTH = 150, DIGITS_MAX = 9 };

/* The short name of a switch in the design, split at its last number. */
struct part {
	char *name;
	size_t head;   /* bytes before the number */
	size_t digits; /* 0: there is none */
	uint32_t number;
};

/* Some names in natural order, to be written as few: "CCORE1-[001,003-005]". */
struct names {
	struct part *part;
	uint32_t count;
};

static void names_release(struct names *names)
{
	for (uint32_t i = 0; i < names->count; i++)
		free(names->part[i].name);
	free(names->part);
}

static void part_split(struct part *part)
{
	size_t end = strlen(part->name);

	while (end > 0 && !isdigit((unsigned char)part->name[end - 1]))
		end--;
	part->head = end;
	while (part->head > 0 && isdigit((unsigned char)part->name[part->head - 1]))
		part->head--;
	part->digits = end - part->head;
	if (part->digits > DIGITS_MAX)
		part->digits = 0;
	part->number = part->digits ? (uint32_t)strtoul(part->name + part->head, NULL, 10) : 0;
}

static int part_compare(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	return ft_text_natural_compare(x->name, y->name);
}

/* Alike but for the number: one bracket holds both. */
static bool part_joins(const struct part *a, const struct part *b)
{
	return a->digits > 0 && a->digits == b->digits && a->head == b->head &&
	       strncmp(a->name, b->name, a->head) == 0 &&
	       strcmp(a->name + a->head + a->digits, b->name + b->head + b->digits) == 0;
}

static char *short_name(const struct ft_inference *f, uint32_t live)
{
	size_t length;
	const char *start = ft_text_short_name(f->live->switches[live].name, &length);

	return strndup(start, length);
}

/* @live: the switches; their names are sorted. Returns 0 or -ENOMEM; to be released in any case. */
static int names_make(const struct ft_inference *f, const uint32_t *live, uint32_t count, struct names *ret)
{
	*ret = (struct names){.part = calloc(count + 1UL, sizeof(*ret->part))};
	if (!ret->part)
		return -ENOMEM;
	for (; ret->count < count; ret->count++) {
		ret->part[ret->count].name = short_name(f, live[ret->count]);
		if (!ret->part[ret->count].name)
			return -ENOMEM;
		part_split(&ret->part[ret->count]);
	}
	qsort(ret->part, ret->count, sizeof(*ret->part), part_compare);
	return 0;
}

/* "[001,003-005]" of the @count parts from @part on, which join. */
static void numbers_write(struct ft_text *text, const struct part *part, uint32_t count)
{
	ft_text_puts(text, "[");
	for (uint32_t i = 0; i < count;) {
		uint32_t last = i;

		while (last + 1 < count && part[last + 1].number == part[last].number + 1)
			last++;
		ft_text_printf(text, "%s%0*u", i ? "," : "", (int)part[i].digits, part[i].number);
		if (last > i)
			ft_text_printf(text, "-%0*u", (int)part[i].digits, part[last].number);
		i = last + 1;
	}
	ft_text_puts(text, "]");
}

/* One string, or a list of them. */
static void names_write(struct ft_text *text, const struct names *names)
{
	_cleanup_(ft_text_release) struct ft_text one = {0};
	uint32_t strings = 0;
	struct ft_text list = {0};

	for (uint32_t i = 0, count; i < names->count; i += count) {
		const struct part *part = &names->part[i];

		for (count = 1; i + count < names->count && part_joins(part, part + count); count++)
			;
		ft_text_reset(&one);
		if (count == 1) {
			ft_text_puts(&one, part->name);
		} else {
			ft_text_add(&one, part->name, part->head);
			numbers_write(&one, part, count);
			ft_text_puts(&one, part->name + part->head + part->digits);
		}
		ft_text_puts(&list, strings++ ? ", " : "");
		ft_text_add_json(&list, ft_text_string(&one));
	}
	text->failed |= one.failed || list.failed;
	ft_text_printf(text, strings == 1 ? "%s" : "[%s]", ft_text_string(&list));
	ft_text_release(&list);
}

/* ---- who ---- */

/* What looks like a range of numbers in a name would be read as one. */
static bool name_serves(const char *name)
{
	const char *open = strchr(name, '[');

	return name[0] && !open;
}

/* Every switch that would be named: the islanders, and what they are cabled to, each by a short name of its own. */
static int names_serve(const struct ft_inference *f, const uint32_t *member, uint32_t count, bool *ret_serve)
{
	_cleanup_(ft_map_release) struct ft_map map = {0};
	_cleanup_free_ bool *named = calloc(f->live->switch_count + 1UL, sizeof(*named));
	_cleanup_free_ bool *twice = calloc(f->live->switch_count + 1UL, sizeof(*twice));
	bool serve = true;

	if (!named || !twice)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		named[member[i]] = true;
		for (uint32_t n = f->near_first[member[i]]; n < f->near_first[member[i] + 1]; n++)
			named[f->near[n].live] = true;
	}
	for (uint32_t i = 0; i < f->live->switch_count; i++) {
		_cleanup_free_ char *name = short_name(f, i);
		uint32_t there;
		int r = name ? ft_map_add(&map, ft_text_hash(name), i, &there) : -ENOMEM;

		if (r < 0)
			return r;
		if (r == 0)
			twice[i] = twice[there] = true;
		serve &= !named[i] || name_serves(name);
	}
	for (uint32_t i = 0; i < f->live->switch_count; i++)
		serve &= !named[i] || !twice[i];
	*ret_serve = serve;
	return 0;
}

/* ---- the text ---- */

/* A text in lines of bounded width, broken between items only. */
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
	bool *islander; /* by live switch */
	bool *done;	/* by member */
	uint32_t *picked;
	struct lines lines;
};

static bool alike(const struct writer *w, uint32_t a, uint32_t b)
{
	return w->f->hosts[a] == w->f->hosts[b] && ft_infer_ports(w->f, a) == ft_infer_ports(w->f, b);
}

/* Switches of as many ports and hosts are one entry. */
static int switches_write(struct writer *w)
{
	const struct ft_inference *f = w->f;
	bool first = true;

	for (uint32_t i = 0; i < w->count; i++) {
		_cleanup_(names_release) struct names names = {0};
		_cleanup_(ft_text_release) struct ft_text item = {0};
		uint32_t picked = 0, live = w->member[i];

		for (uint32_t k = i; k < w->count && !w->done[i]; k++)
			if (!w->done[k] && alike(w, live, w->member[k]))
				w->picked[picked++] = w->member[k];
		for (uint32_t k = w->count; k-- > i && !w->done[i];)
			w->done[k] |= alike(w, live, w->member[k]);
		if (picked == 0)
			continue;
		if (names_make(f, w->picked, picked, &names) < 0)
			return -ENOMEM;
		ft_text_puts(&item, "{\"name\": ");
		names_write(&item, &names);
		if (ft_infer_ports(f, live) != f->design.edge_ports)
			ft_text_printf(&item, ", \"ports\": %u", ft_infer_ports(f, live));
		ft_text_printf(&item, ", \"hosts\": %u}", f->hosts[live]);
		item_add(&w->lines, first, &item);
		first = false;
	}
	return 0;
}

/* Of its neighbours those by so many cables; an islander names another only once. */
static uint32_t neighbours_pick(struct writer *w, uint32_t live, uint32_t cables)
{
	const struct ft_inference *f = w->f;
	uint32_t picked = 0;

	for (uint32_t n = f->near_first[live]; n < f->near_first[live + 1]; n++) {
		uint32_t far = f->near[n].live;

		if (f->near[n].cables == cables && (ft_infer_in_tree(f, far) || (w->islander[far] && far > live)))
			w->picked[picked++] = far;
	}
	return picked;
}

static int bundles_write(struct writer *w)
{
	bool first = true;

	for (uint32_t i = 0; i < w->count; i++)
		for (uint32_t cables = 1; cables <= FT_PORTS_MAX; cables++) {
			_cleanup_(names_release) struct names a = {0}, b = {0};
			_cleanup_(ft_text_release) struct ft_text item = {0};
			uint32_t picked = neighbours_pick(w, w->member[i], cables);

			if (picked == 0)
				continue;
			if (names_make(w->f, &w->member[i], 1, &a) < 0 || names_make(w->f, w->picked, picked, &b) < 0)
				return -ENOMEM;
			ft_text_puts(&item, "{\"a\": ");
			names_write(&item, &a);
			ft_text_puts(&item, ", \"b\": ");
			names_write(&item, &b);
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
	const struct ft_live *live = arg;

	return ft_text_natural_compare(live->switches[*(const uint32_t *)a].name,
				       live->switches[*(const uint32_t *)b].name);
}

int ft_infer_islands(struct ft_inference *f, uint32_t *member, uint32_t count)
{
	_cleanup_free_ bool *islander = calloc(f->live->switch_count + 1UL, sizeof(*islander));
	_cleanup_free_ bool *done = calloc(count + 1UL, sizeof(*done));
	_cleanup_free_ uint32_t *picked = malloc((f->live->switch_count + 1UL) * sizeof(*picked));
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
	qsort_r(member, count, sizeof(*member), member_compare, (void *)f->live);
	r = names_serve(f, member, count, &serve);
	if (r < 0 || !serve)
		return r;
	for (uint32_t i = 0; i < count; i++)
		islander[member[i]] = true;
	r = islands_write(&w);
	return r < 0 || ft_text_failed(&f->islands) ? -ENOMEM : 1;
}
