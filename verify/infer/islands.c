/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Switches beside the tree as an island of the design: by name, with the hosts and cables that the graph plans. */
#include "config.h"

#include <stdlib.h>

#include "verify/infer/by_rule.h"
#include "verify/infer/ranges.h"
#include "verify/infer/tree.h"

struct writer {
	const struct ft_intent *intent;
	uint32_t *member; /* in the order of their names */
	uint32_t count;
	uint32_t *picked;
	struct ft_text *text;
};

static void names_write(const struct writer *w, const uint32_t *who, uint32_t count)
{
	struct ft_name_list names = ft_name_list_of(w->intent->f->memory, count);

	for (uint32_t i = 0; i < count; i++)
		ft_name_list_add(&names, ft_infer_short_name(w->intent->f, who[i]));
	ft_name_list_write(w->text, &names);
}

static bool alike(const struct writer *w, uint32_t a, uint32_t b)
{
	return w->intent->hosts[a] == w->intent->hosts[b] &&
	       ft_infer_ports(w->intent->f, a) == ft_infer_ports(w->intent->f, b);
}

/* Switches with equally many ports and hosts are one entry, at the first of them. */
static void switches_write(const struct writer *w)
{
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
		ft_text_printf(w->text, ", \"ports\": %u, \"hosts\": %u}", ft_infer_ports(w->intent->f, observed),
			       w->intent->hosts[observed]);
	}
}

/* The neighbours with that number of planned cables; a bundle between two of the island is written once. */
static uint32_t neighbours_pick(const struct writer *w, uint32_t observed, uint32_t cables)
{
	const struct ft_intent *intent = w->intent;
	uint32_t picked = 0;

	ft_each_adjacent(n, &intent->f->graph, observed)
		if (ft_meant_between(intent, observed, n->vertex) == cables &&
		    (!intent->beside[n->vertex] || n->vertex > observed))
			w->picked[picked++] = n->vertex;
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

static int member_compare(const void *a, const void *b, void *f)
{
	return ft_infer_compare(f, *(const uint32_t *)a, *(const uint32_t *)b);
}

void ft_infer_write_islands(const struct ft_intent *intent, struct ft_text *text)
{
	struct ft_arena *memory = intent->f->memory;
	struct writer w = {
		.intent = intent,
		.member = ft_arena_numbers(memory, intent->count, 0),
		.picked = ft_arena_numbers(memory, intent->count, 0),
		.text = text,
	};

	text->failed |= memory->failed;
	if (memory->failed)
		return;
	for (uint32_t i = 0; i < intent->count; i++)
		if (intent->beside[i])
			w.member[w.count++] = i;
	if (w.count == 0)
		return;
	qsort_r(w.member, w.count, sizeof(*w.member), member_compare, (void *)intent->f);
	ft_text_puts(text, ",\n\t\"islands\": [{\"name\": \"island\", \"switches\": [");
	switches_write(&w);
	ft_text_puts(text, "], \"bundles\": [");
	bundles_write(&w);
	ft_text_puts(text, "]}]");
}
