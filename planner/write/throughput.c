/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/write/throughput.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"

struct writer {
	struct ft_text *text;
	const struct ft_throughput_choice *choice;
	bool first;
};

typedef void row_fn(struct writer *w, enum ft_traffic traffic, const struct ft_throughput *found);

/* Measures each pattern that is asked for, and calls @row with what was found. */
static int patterns_measure(struct writer *w, const struct ft_design *design, const struct ft_plan *plan, row_fn *row,
			    struct ft_error *err)
{
	_cleanup_free_ double *capacity = NULL;
	int r = ft_throughput_capacity(design, plan, &capacity);

	w->first = true;
	for (int i = 0; r == 0 && i < FT_TRAFFIC_COUNT; i++) {
		struct ft_throughput_ask ask = {
			.traffic = (enum ft_traffic)i,
			.gap = w->choice->gap,
			.seed = w->choice->seed,
			.capacity = capacity,
		};
		struct ft_throughput found;

		if (!w->choice->traffic[i])
			continue;
		r = ft_throughput(plan, &ask, &found);
		if (r < 0)
			break;
		row(w, (enum ft_traffic)i, &found);
		w->first = false;
	}
	return r == -EINVAL ? ft_error_set(err, r, 0, 0, "throughput is of two hosts or more") : r;
}

/* ---- text ---- */

static void row_text(struct writer *w, enum ft_traffic traffic, const struct ft_throughput *found)
{
	ft_text_printf(w->text, "  %-14s  %6.4f", ft_traffic_name(traffic), found->value);
	if (found->pairs_cut > 0)
		ft_text_printf(w->text, "  %" PRIu64 " of %" PRIu64 " pairs of switches have no path", found->pairs_cut,
			       found->pairs);
	else if (found->value >= 1)
		ft_text_puts(w->text, "  every host can use all of its link");
	else
		ft_text_printf(w->text, "  proved: no routing gives more than %.4f", found->bound);
	if (traffic == FT_TRAFFIC_PERMUTATION)
		ft_text_printf(w->text, "; seed %" PRIu64, w->choice->seed);
	if (traffic == FT_TRAFFIC_WORST_MATCHING && !found->matching_exact)
		ft_text_puts(w->text, "; of the longest matching found, others may be longer");
	ft_text_puts(w->text, "\n");
}

int ft_write_throughput(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan,
			const struct ft_throughput_choice *choice, struct ft_error *err)
{
	struct writer w = {.text = text, .choice = choice};

	ft_text_add_safe(text, design->name, strlen(design->name));
	ft_text_puts(text, ": throughput, the share of its link that every host can use at once\n\n");
	return patterns_measure(&w, design, plan, row_text, err);
}

/* ---- JSON ---- */

/* JSON has no infinity: null where no traffic leaves a switch. */
static void add_number(struct ft_text *text, const char *key, double value)
{
	if (isinf(value))
		ft_text_printf(text, ", \"%s\": null", key);
	else
		ft_text_printf(text, ", \"%s\": %.6g", key, value);
}

static void row_json(struct writer *w, enum ft_traffic traffic, const struct ft_throughput *found)
{
	ft_text_printf(w->text, "%s\n    {\"traffic\": \"%s\"", w->first ? "" : ",", ft_traffic_name(traffic));
	add_number(w->text, "value", found->value);
	add_number(w->text, "bound", found->bound);
	add_number(w->text, "gap", found->gap);
	add_number(w->text, "network", found->network);
	add_number(w->text, "network_bound", found->network_bound);
	ft_text_printf(w->text, ", \"pairs\": %" PRIu64 ", \"pairs_cut\": %" PRIu64, found->pairs, found->pairs_cut);
	if (traffic == FT_TRAFFIC_PERMUTATION)
		ft_text_printf(w->text, ", \"seed\": %" PRIu64, w->choice->seed);
	if (traffic == FT_TRAFFIC_WORST_MATCHING)
		ft_text_printf(w->text, ", \"longest\": %s", found->matching_exact ? "true" : "false");
	ft_text_puts(w->text, "}");
}

int ft_write_throughput_json(struct ft_text *text, const struct ft_design *design, const struct ft_plan *plan,
			     const struct ft_throughput_choice *choice, struct ft_error *err)
{
	_cleanup_free_ char *name = ft_text_safe_dup(design->name, strlen(design->name));
	struct writer w = {.text = text, .choice = choice};
	int r;

	if (!name)
		return -ENOMEM;
	ft_text_puts(text, "{\n  \"ftcheck\": 1,\n  \"name\": ");
	ft_text_add_json(text, name);
	ft_text_puts(text, ",\n  \"throughput\": [");
	r = patterns_measure(&w, design, plan, row_json, err);
	ft_text_puts(text, "\n  ]\n}\n");
	return r;
}
