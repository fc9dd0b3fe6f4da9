/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Switches with hosts that are cabled to the cores of two ranks differently from the edges, like storage or management
 * switches: another fit, in which they are no edges.
 */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verify/infer/infer_parts.h"

/* The ranks. */
enum { LOWER, UPPER };

/* A single thick bundle instead of two thin ones may be one misplaced cable; this many are on purpose. */
enum { REWIRED_MIN = 4 };

/* For one fit: the usual cables of edges to each core. */
struct look {
	const struct ft_inference *f;
	const struct ft_fit *fit;
	uint32_t *usual; /* by observed switch, for cores: cables to most edges */
	uint32_t cores, edges;
};

static int usual_find(struct look *look)
{
	const struct ft_inference *f = look->f;
	_cleanup_free_ struct ft_tally *tally = malloc(sizeof(*tally));

	if (!tally)
		return -ENOMEM;
	for (uint32_t c = 0; c < f->observed->switch_count; c++) {
		uint32_t near = 0;

		look->edges += look->fit->rank[c] == LOWER;
		if (look->fit->rank[c] != UPPER)
			continue;
		look->cores++;
		memset(tally, 0, sizeof(*tally));
		for (const struct ft_adjacent *n = ft_adjacent_of(&f->graph, c); n < ft_adjacent_of(&f->graph, c + 1);
		     n++) {
			if (look->fit->rank[n->vertex] != LOWER)
				continue;
			ft_tally_add(tally, n->count);
			near++;
		}
		look->usual[c] = near > 0 ? ft_tally_mode(tally, 1) : 0;
	}
	return 0;
}

/* The differences between an edge's bundles and those of the others. */
struct difference {
	uint32_t wrong;	  /* cores with another number of cables */
	uint32_t surplus; /* cables beyond the usual number, in total */
	bool even;	  /* all its bundles have one width */
};

static struct difference difference_of(const struct look *look, uint32_t edge)
{
	const struct ft_inference *f = look->f;
	struct difference d = {.wrong = look->cores, .even = true};
	uint32_t width = 0;

	for (const struct ft_adjacent *n = ft_adjacent_of(&f->graph, edge); n < ft_adjacent_of(&f->graph, edge + 1);
	     n++) {
		uint32_t far = n->vertex, cables = n->count;

		if (look->fit->rank[far] != UPPER)
			continue;
		d.wrong -= cables == look->usual[far];
		d.surplus += cables > look->usual[far] ? cables - look->usual[far] : 0;
		d.even &= width == 0 || width == cables;
		width = cables;
	}
	return d;
}

static bool named_like(const struct ft_inference *f, uint32_t a, uint32_t b)
{
	size_t length_a, length_b;
	const char *x = ft_text_short_name(f->observed->switches[a].name, &length_a);
	const char *y = ft_text_short_name(f->observed->switches[b].name, &length_b);
	size_t stem_a = strcspn(x, "0123456789"), stem_b = strcspn(y, "0123456789");

	return stem_a == stem_b && strncmp(x, y, stem_a) == 0;
}

/* True if its name differs from those of nearly all edges, which are alike. */
static bool is_named_apart(const struct look *look, uint32_t edge)
{
	const struct ft_observed_fabric *observed = look->f->observed;
	uint32_t alike = 0, apart = FT_NONE, others = 0;

	for (uint32_t i = 0; i < observed->switch_count; i++) {
		if (look->fit->rank[i] != LOWER)
			continue;
		if (named_like(look->f, edge, i))
			alike++;
		else if (apart == FT_NONE)
			apart = i;
	}
	for (uint32_t i = 0; i < observed->switch_count && apart != FT_NONE; i++)
		others += look->fit->rank[i] == LOWER && named_like(look->f, apart, i);
	return alike * 4 <= look->edges && others * 4 >= look->edges * 3;
}

/* True if another edge differs in the same way, which is no accident. */
static bool has_twin(const struct look *look, uint32_t edge)
{
	for (uint32_t i = 0; i < look->f->observed->switch_count; i++)
		if (i != edge && look->fit->rank[i] == LOWER && ft_infer_are_cabled_alike(look->f, i, edge))
			return true;
	return false;
}

static bool is_beside(const struct look *look, uint32_t edge)
{
	struct difference d = difference_of(look, edge);

	if (look->fit->rank[edge] != LOWER || d.wrong * 2 <= look->cores)
		return false;
	if (d.surplus >= REWIRED_MIN && (d.even || has_twin(look, edge)))
		return true;
	return is_named_apart(look, edge);
}

int ft_infer_beside(const struct ft_inference *f, const struct ft_fit *fit, struct ft_fit *ret)
{
	uint32_t n = f->observed->switch_count, found = 0;
	_cleanup_free_ uint32_t *usual = calloc(n + 1UL, sizeof(*usual));
	struct look look = {.f = f, .fit = fit, .usual = usual};
	int r = usual ? usual_find(&look) : -ENOMEM;

	if (r < 0)
		return r;
	for (uint32_t i = 0; i < n; i++) {
		ret->beside[i] = is_beside(&look, i);
		ret->rank[i] = ret->beside[i] ? FT_OUTSIDE : fit->rank[i];
		ret->group[0][i] = ret->beside[i] ? FT_NONE : fit->group[0][i];
		found += ret->beside[i];
	}
	ret->ranks = fit->ranks;
	ret->groups[0] = fit->groups[0];
	ret->possible = fit->possible;
	ret->unexplained = fit->unexplained;
	ret->lacking = fit->lacking;
	return found > 0 && found * 4 <= look.edges;
}
