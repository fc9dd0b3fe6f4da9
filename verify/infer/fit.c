/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * A fit: the tree that a fabric may be, as ranks and groups. This is all that it takes to know what a tree leaves
 * unexplained, however many ranks it has (groups.c): cables between switches that no
 * step joins, and in each column of a step the cables more or less than most have.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verify/infer/infer_parts.h"

int ft_fit_init(const struct ft_inference *f, struct ft_fit *fit)
{
	uint32_t n = f->observed->switch_count;

	*fit = (struct ft_fit){.rank = ft_arena_zeros(f->memory, n, sizeof(*fit->rank))};
	for (uint32_t s = 0; s < FT_STEPS_MAX; s++)
		fit->group[s] = ft_arena_numbers(f->memory, n, FT_NONE);
	if (f->memory->failed)
		return -ENOMEM;
	memset(fit->rank, FT_OUTSIDE, n);
	return 0;
}

uint32_t ft_fit_count(const struct ft_inference *f, const struct ft_fit *fit, uint32_t rank)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < f->observed->switch_count; i++)
		count += fit->rank[i] == rank;
	return count;
}

uint32_t ft_fit_cables(const struct ft_inference *f, const struct ft_fit *fit, uint32_t observed, uint32_t rank)
{
	uint32_t cables = 0;

	ft_each_adjacent(n, &f->graph, observed)
		cables += fit->rank[n->vertex] == rank ? n->count : 0;
	return cables;
}

/* True if the step joins the two: they are its two ends, in one group. */
static bool is_joined(const struct ft_fit *fit, uint32_t step, uint32_t a, uint32_t b)
{
	uint32_t low = fit->rank[a] < fit->rank[b] ? fit->rank[a] : fit->rank[b];

	return low == step && fit->rank[a] + fit->rank[b] == 2 * step + 1 && fit->group[step][a] == fit->group[step][b];
}

uint32_t ft_fit_cables_within(const struct ft_inference *f, const struct ft_fit *fit, uint32_t step, uint32_t observed)
{
	uint32_t cables = 0;

	ft_each_adjacent(n, &f->graph, observed)
		cables += is_joined(fit, step, observed, n->vertex) ? n->count : 0;
	return cables;
}

uint32_t ft_fit_links_within(const struct ft_inference *f, const struct ft_fit *fit, uint32_t step, uint32_t observed)
{
	uint32_t links = 0;

	ft_each_adjacent(n, &f->graph, observed)
		links += is_joined(fit, step, observed, n->vertex);
	return links;
}

uint32_t *ft_fit_group_sizes(const struct ft_inference *f, const struct ft_fit *fit, uint32_t step, uint32_t rank)
{
	uint32_t *count = ft_arena_numbers(f->memory, fit->groups[step], 0);

	for (uint32_t i = 0; count && i < f->observed->switch_count; i++)
		if (fit->rank[i] == rank && fit->group[step][i] != FT_NONE)
			count[fit->group[step][i]]++;
	return count;
}

int ft_fit_group_tally(const struct ft_inference *f, const struct ft_fit *fit, uint32_t step, uint32_t rank,
		       struct ft_tally *ret_tally)
{
	const uint32_t *count = ft_fit_group_sizes(f, fit, step, rank);

	if (!count)
		return -ENOMEM;
	*ret_tally = (struct ft_tally){0};
	for (uint32_t g = 0; g < fit->groups[step]; g++)
		ft_tally_add(ret_tally, count[g]);
	return 0;
}

/* ---- columns ---- */

/* An upper switch, and its place among those of its group. */
struct place {
	uint32_t observed, group;
	uint32_t plane;	 /* 0 at the top */
	uint32_t cables; /* at the top: to the lower switches of its group */
	uint32_t order;	 /* by name */
	uint32_t place;
};

static int place_compare(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return FT_ORDER(x->group, y->group) ?: FT_ORDER(x->plane, y->plane) ?: FT_ORDER(y->cables, x->cables) ?: FT_ORDER(x->order, y->order);
}

/*
 * @usual: the upper switches of a group, or of a pod in each plane. Returns their number, without those that have no
 * place.
 */
static uint32_t places_find(const struct ft_inference *f, const struct ft_fit *fit, uint32_t step, uint32_t usual,
			    struct place *places)
{
	bool top = step + 2 == fit->ranks;
	uint32_t count = 0, kept = 0, place = 0;

	for (uint32_t k = 0; k < f->observed->switch_count; k++) {
		uint32_t i = f->order[k];

		if (fit->rank[i] != step + 1 || fit->group[step][i] == FT_NONE ||
		    (!top && fit->group[step + 1][i] == FT_NONE))
			continue;
		places[count++] = (struct place){
			.observed = i,
			.group = fit->group[step][i],
			.plane = top ? 0 : fit->group[step + 1][i],
			.cables = top ? ft_fit_cables_within(f, fit, step, i) : 0,
			.order = k,
		};
	}
	qsort(places, count, sizeof(*places), place_compare);
	for (uint32_t i = 0; i < count; i++) {
		struct place here = places[i];

		place = i > 0 && places[i - 1].group == here.group && places[i - 1].plane == here.plane ? place + 1 : 0;
		here.place = here.plane * usual + place;
		if (place < usual)
			places[kept++] = here;
	}
	return kept;
}

/* Adds the pairs of an upper switch with the @lowers lower ones of its group. */
static void column_add(const struct ft_inference *f, const struct ft_fit *fit, uint32_t step, const struct place *place,
		       uint32_t lowers, struct ft_column *column)
{
	uint32_t links = 0;

	ft_each_adjacent(n, &f->graph, place->observed) {
		if (!is_joined(fit, step, place->observed, n->vertex))
			continue;
		ft_tally_add(&column->pairs, n->count);
		links++;
	}
	column->cables += ft_fit_cables_within(f, fit, step, place->observed);
	ft_tally_add_many(&column->pairs, 0, lowers - links);
}

int ft_fit_columns(const struct ft_inference *f, const struct ft_fit *fit, uint32_t step, struct ft_columns *columns)
{
	const uint32_t *lowers = ft_fit_group_sizes(f, fit, step, step);
	struct place *places = ft_arena_zeros(f->memory, f->observed->switch_count, sizeof(*places));
	struct ft_tally uppers;
	uint32_t count, usual;

	if (!lowers || !places || ft_fit_group_tally(f, fit, step, step + 1, &uppers) < 0)
		return -ENOMEM;
	usual = step + 2 == fit->ranks ? ft_tally_mode(&uppers, 1) : fit->share;
	columns->count = step + 2 == fit->ranks ? usual : usual * fit->groups[step + 1];
	columns->column = ft_arena_zeros(f->memory, 2UL * columns->count, sizeof(*columns->column));
	if (!columns->column)
		return -ENOMEM;
	for (uint32_t c = 0; c < columns->count; c++)
		columns->column[c].order = c;
	count = places_find(f, fit, step, usual, places);
	for (uint32_t i = 0; i < count; i++)
		column_add(f, fit, step, &places[i], lowers[places[i].group], &columns->column[places[i].place]);
	return 0;
}

/* ---- what a fit explains ---- */

/* The difference from the cables that most lower switches have to each place. */
static int step_residual(const struct ft_inference *f, struct ft_fit *fit, uint32_t step)
{
	struct ft_columns columns = {0};
	int r = ft_fit_columns(f, fit, step, &columns);

	for (uint32_t c = 0; r == 0 && c < columns.count; c++) {
		const struct ft_tally *pairs = &columns.column[c].pairs;

		fit->unexplained += ft_tally_distance(pairs, ft_tally_mode(pairs, 1), &fit->lacking);
	}
	return r;
}

/* True for two of one rank that a ring may join: spines of one pod, or two at the top of three ranks. */
static bool is_beside(const struct ft_fit *fit, uint32_t a, uint32_t b)
{
	return fit->ranks == FT_RANKS_MAX && fit->rank[a] > 0 && fit->rank[a] < FT_OUTSIDE &&
	       fit->rank[a] == fit->rank[b] &&
	       (fit->rank[a] + 1U == fit->ranks || fit->group[0][a] == fit->group[0][b]);
}

/* Ranks most of whose switches are cabled to one or two beside them. */
static void rings_guess(const struct ft_inference *f, struct ft_fit *fit)
{
	uint32_t turns[FT_RANKS_MAX] = {0};

	for (uint32_t i = 0; i < f->observed->switch_count && fit->ranks == FT_RANKS_MAX; i++) {
		uint32_t beside = 0;

		ft_each_adjacent(n, &f->graph, i)
			beside += is_beside(fit, i, n->vertex);
		if (fit->rank[i] < FT_OUTSIDE)
			turns[fit->rank[i]] += beside == 1 || beside == 2;
	}
	for (uint32_t rank = 0; rank < FT_RANKS_MAX; rank++)
		fit->ringed[rank] = turns[rank] * 2 > ft_fit_count(f, fit, rank);
}

/* Cables of the main part that neither a step nor a ring joins. */
static uint64_t stray_cables(const struct ft_inference *f, const struct ft_fit *fit)
{
	uint64_t twice = 0;

	for (uint32_t i = 0; i < f->observed->switch_count; i++) {
		if (!ft_infer_connected(f, i))
			continue;
		ft_each_adjacent(n, &f->graph, i) {
			bool joined = is_beside(fit, i, n->vertex) && fit->ringed[fit->rank[i]];

			for (uint32_t s = 0; s + 1 < fit->ranks; s++)
				joined |= is_joined(fit, s, i, n->vertex);
			twice += joined ? 0 : n->count;
		}
	}
	return twice / 2;
}

/*
 * True if a switch below the top has at most so many hosts, or cables to the rank below, for each cable to the top:
 * else what is above a single switch or pod is an unplanned switch. Nor are there hosts at the top then.
 */
static bool serves_one(const struct ft_inference *f, const struct ft_fit *fit)
{
	enum { CROWDED = 4 };
	uint32_t below = fit->ranks - 2, down = 0, up = 0;

	for (uint32_t i = 0; i < f->observed->switch_count; i++) {
		if (fit->rank[i] == below + 1 && f->hosts[i] > 0)
			return false;
		if (fit->rank[i] != below)
			continue;
		down += below == 0 ? f->hosts[i] : ft_fit_cables(f, fit, i, below - 1);
		up += ft_fit_cables(f, fit, i, below + 1);
	}
	return up * CROWDED >= down;
}

/* True if each pod has that many spines in each plane, and each plane as many core switches. 1, 0, or -ENOMEM. */
static int planes_even(const struct ft_inference *f, const struct ft_fit *fit, uint32_t share)
{
	uint32_t pods = fit->groups[0], planes = fit->groups[1];
	uint32_t *spines = ft_arena_numbers(f->memory, (size_t)pods * planes, 0);
	const uint32_t *cores = ft_fit_group_sizes(f, fit, 1, 2);
	bool even = true;

	if (!spines || !cores)
		return -ENOMEM;
	for (uint32_t i = 0; i < f->observed->switch_count; i++)
		if (fit->rank[i] == 1 && fit->group[0][i] < pods && fit->group[1][i] < planes)
			spines[(size_t)fit->group[0][i] * planes + fit->group[1][i]]++;
	for (size_t i = 0; i < (size_t)pods * planes; i++)
		even &= spines[i] == share;
	for (uint32_t g = 1; g < planes; g++)
		even &= cores[g] == cores[0];
	return even;
}

/*
 * Each pod has a spine in each plane; a few that lack one are missing. Where several share a plane, one pod is two
 * levels upside down, with edge switches without hosts at the top; and one with fewer spines is half built.
 */
static int planes_share(const struct ft_inference *f, struct ft_fit *fit, bool *ret)
{
	struct ft_tally spines;
	uint32_t planes = fit->groups[1], usual;
	int r;

	*ret = true;
	fit->share = 1;
	if (fit->ranks < FT_RANKS_MAX)
		return 0;
	r = ft_fit_group_tally(f, fit, 0, 1, &spines);
	if (r < 0)
		return r;
	usual = ft_tally_mode(&spines, 1);
	*ret = fit->groups[0] > 0 && planes == usual;
	if (*ret || planes == 0 || usual % planes != 0 || fit->groups[0] < 2)
		return 0;
	r = planes_even(f, fit, usual / planes);
	*ret = r > 0;
	fit->share = r > 0 ? usual / planes : 1;
	return r < 0 ? r : 0;
}

int ft_fit_judge(const struct ft_inference *f, struct ft_fit *fit)
{
	/* What the top joins: pods, or switches. */
	uint32_t units = fit->ranks > 2 ? fit->groups[0] : ft_fit_count(f, fit, 0);
	bool agree;
	int r = planes_share(f, fit, &agree);

	fit->possible =
		agree && units > 0 && ft_fit_count(f, fit, fit->ranks - 1) > 0 && (units > 1 || serves_one(f, fit));
	fit->lacking = 0;
	rings_guess(f, fit);
	fit->unexplained = stray_cables(f, fit);
	for (uint32_t s = 0; r == 0 && s + 1 < fit->ranks; s++)
		r = step_residual(f, fit, s);
	return r;
}

int ft_infer_members(struct ft_inference *f)
{
	for (uint32_t rank = 0; rank < FT_RANKS_MAX; rank++) {
		f->member[rank] = ft_arena_numbers(f->memory, f->observed->switch_count, FT_NONE);
		if (!f->member[rank])
			return -ENOMEM;
		for (uint32_t k = 0; k < f->observed->switch_count; k++)
			if (f->fit.rank[f->order[k]] == rank)
				f->member[rank][f->count[rank]++] = f->order[k];
	}
	return 0;
}
