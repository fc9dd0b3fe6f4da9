/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Switches beside the tree as islands of the design: by name, with the hosts and cables that were seen. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verify/infer/by_rule.h"
#include "verify/infer/ranges.h"

struct writer {
	const struct ft_inference *f;
	const uint32_t *member;
	uint32_t count;
	bool *islander; /* by observed switch */
	uint32_t *picked;
	struct ft_text *text;
};

/* True if every switch to be named has a name of its own: the islands' own ones, and their neighbours. */
static int names_serve(const struct ft_inference *f, const uint32_t *member, uint32_t count, bool *ret_serve)
{
	const bool *by_guid = ft_infer_by_rule_names(f);

	if (!by_guid)
		return -ENOMEM;
	*ret_serve = true;
	for (uint32_t i = 0; i < count; i++) {
		*ret_serve &= !by_guid[member[i]];
		ft_each_adjacent(n, &f->graph, member[i])
			*ret_serve &= !by_guid[n->vertex];
	}
	return 0;
}

static void names_write(const struct writer *w, const uint32_t *who, uint32_t count)
{
	struct ft_name_list names = ft_name_list_of(w->f->memory, count);

	for (uint32_t i = 0; i < count; i++)
		ft_name_list_add(&names, ft_infer_short_name(w->f, who[i]));
	ft_name_list_write(w->text, &names);
}

static bool alike(const struct writer *w, uint32_t a, uint32_t b)
{
	return w->f->hosts[a] == w->f->hosts[b] && ft_infer_ports(w->f, a) == ft_infer_ports(w->f, b);
}

/* Switches with equally many ports and hosts are one entry, at the first of them. */
static void switches_write(const struct writer *w)
{
	const struct ft_inference *f = w->f;

	for (uint32_t i = 0; i < w->count; i++) {
		uint32_t picked = 0, before = 0, observed = w->member[i];

		for (uint32_t k = 0; k < w->count; k++) {
			if (!alike(w, observed, w->member[k]))
				continue;
			before += k < i;
			w->picked[picked++] = w->member[k];
		}
		if (before > 0)
			continue;
		ft_text_printf(w->text, "%s{\"name\": ", i ? ",\n\t\t" : "");
		names_write(w, w->picked, picked);
		if (ft_infer_ports(f, observed) != f->design.ports[0])
			ft_text_printf(w->text, ", \"ports\": %u", ft_infer_ports(f, observed));
		ft_text_printf(w->text, ", \"hosts\": %u}", f->hosts[observed]);
	}
}

/* The neighbours with that number of cables; a cable between two islanders is written once. */
static uint32_t neighbours_pick(const struct writer *w, uint32_t observed, uint32_t cables)
{
	uint32_t picked = 0;

	ft_each_adjacent(n, &w->f->graph, observed) {
		uint32_t far = n->vertex;

		if (n->count == cables && (ft_infer_in_tree(w->f, far) || (w->islander[far] && far > observed)))
			w->picked[picked++] = far;
	}
	return picked;
}

static void bundles_write(const struct writer *w)
{
	const char *separator = "";

	for (uint32_t i = 0; i < w->count; i++)
		for (uint32_t cables = 1; cables <= FT_PORTS_MAX; cables++) {
			uint32_t picked = neighbours_pick(w, w->member[i], cables);

			if (picked == 0)
				continue;
			ft_text_printf(w->text, "%s\n\t\t{\"a\": ", separator);
			names_write(w, &w->member[i], 1);
			ft_text_puts(w->text, ", \"b\": ");
			names_write(w, w->picked, picked);
			ft_text_printf(w->text, ", \"count\": %u}", cables);
			separator = ",";
		}
}

static int member_compare(const void *a, const void *b, void *arg)
{
	const struct ft_observed_fabric *observed = arg;

	return ft_text_natural_compare(observed->switches[*(const uint32_t *)a].name,
				       observed->switches[*(const uint32_t *)b].name);
}

int ft_infer_islands(struct ft_inference *f, uint32_t *member, uint32_t count)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};
	bool *islander = ft_arena_zeros(f->memory, f->observed->switch_count, sizeof(*islander));
	uint32_t *picked = ft_arena_numbers(f->memory, f->observed->switch_count, 0);
	struct writer w = {f, member, count, islander, picked, &text};
	bool serve = false;
	int r;

	if (!islander || !picked)
		return -ENOMEM;
	if (count == 0)
		return 0;
	qsort_r(member, count, sizeof(*member), member_compare, (void *)f->observed);
	r = names_serve(f, member, count, &serve);
	if (r < 0 || !serve)
		return r;
	for (uint32_t i = 0; i < count; i++)
		islander[member[i]] = true;
	ft_text_puts(w.text, ",\n\t\"islands\": [{\"name\": \"island\", \"switches\": [");
	switches_write(&w);
	ft_text_puts(w.text, "], \"bundles\": [");
	bundles_write(&w);
	ft_text_puts(w.text, "]}]");
	f->islands = ft_arena_text(f->memory, &text);
	return f->islands ? 1 : -ENOMEM;
}
