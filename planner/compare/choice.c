/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "planner/compare/choice.h"

#include "base/cleanup.h"
#include "planner/compare/cells.h"

/* As much as it may carry, for all that is known. */
static double carries_at_most(const struct ft_compared *row)
{
	const struct ft_measured *measured = &row->figures[FT_COMPARED_THROUGHPUT];

	return ft_measured_loose(measured) ? measured->high : measured->value;
}

/* It costs no more, carries no less and has no longer ways, and is better at one of these at least. */
static bool beats(const struct ft_compared *a, const struct ft_compared *b)
{
	double cost = a->figures[FT_COMPARED_COST_PER_HOST].value - b->figures[FT_COMPARED_COST_PER_HOST].value;
	double throughput = a->figures[FT_COMPARED_THROUGHPUT].value - carries_at_most(b);
	double ways = a->figures[FT_COMPARED_MEAN_HOPS].value - b->figures[FT_COMPARED_MEAN_HOPS].value;

	return cost <= 0 && throughput >= 0 && ways <= 0 && (cost < 0 || throughput > 0 || ways < 0);
}

bool ft_choice_can(const struct ft_comparison *comparison, size_t index)
{
	const struct ft_compared *row = &comparison->rows[index];

	return ft_comparison_shows(comparison, index) && !row->apart &&
	       ft_measured_known(&row->figures[FT_COMPARED_COST_PER_HOST]) &&
	       ft_measured_known(&row->figures[FT_COMPARED_THROUGHPUT]);
}

static bool is_beaten(const struct ft_comparison *comparison, size_t index)
{
	for (size_t i = 0; i < comparison->count; i++)
		if (ft_choice_can(comparison, i) && beats(&comparison->rows[i], &comparison->rows[index]))
			return true;
	return false;
}

size_t ft_choice_next(const struct ft_comparison *comparison, size_t last)
{
	size_t next = SIZE_MAX;

	for (size_t i = 0; i < comparison->count; i++) {
		double cost = comparison->rows[i].figures[FT_COMPARED_COST_PER_HOST].value, than;

		if (!ft_choice_can(comparison, i) || is_beaten(comparison, i))
			continue;
		if (last != SIZE_MAX) {
			than = comparison->rows[last].figures[FT_COMPARED_COST_PER_HOST].value;
			if (cost < than || (cost <= than && i <= last))
				continue;
		}
		if (next == SIZE_MAX || cost < comparison->rows[next].figures[FT_COMPARED_COST_PER_HOST].value)
			next = i;
	}
	return next;
}

size_t ft_choice_winner(const struct ft_comparison *comparison, size_t index)
{
	size_t choice = ft_choice_next(comparison, SIZE_MAX);

	while (choice != SIZE_MAX && !beats(&comparison->rows[choice], &comparison->rows[index]))
		choice = ft_choice_next(comparison, choice);
	return choice;
}

/* ---- what is best ---- */

struct ft_measured ft_merit_of(const struct ft_merit *merit, const struct ft_compared *row)
{
	struct ft_measured measured = row->figures[merit->figure];

	if (merit->per_host && row->nodes > 0)
		measured.value /= row->nodes;
	return measured;
}

/* Of networks that are equally good one that beats the other is named, else the cheaper or the smaller one. */
static bool is_preferred(const struct ft_compared *a, const struct ft_compared *b)
{
	static const enum ft_compared_figure figures[] = {FT_COMPARED_COST_PER_HOST, FT_COMPARED_SIZE_U_PER_HOST};

	for (size_t i = 0; i < FT_COUNT(figures); i++) {
		const struct ft_measured *x = &a->figures[figures[i]], *y = &b->figures[figures[i]];

		if (ft_measured_known(x) && ft_measured_known(y) && (x->value < y->value || x->value > y->value))
			return x->value < y->value;
	}
	return beats(a, b);
}

const struct ft_compared *ft_merit_best(const struct ft_comparison *comparison, const struct ft_merit *merit)
{
	const struct ft_compared *best = NULL;

	for (size_t i = 0; i < comparison->count; i++) {
		struct ft_measured measured = ft_merit_of(merit, &comparison->rows[i]);
		double than = best ? ft_merit_of(merit, best).value : 0;

		if (!ft_measured_known(&measured) || comparison->rows[i].apart ||
		    comparison->rows[i].figures[FT_COMPARED_THROUGHPUT].value < merit->throughput)
			continue;
		if (!best || (merit->most ? measured.value > than : measured.value < than) ||
		    (measured.value <= than && measured.value >= than && is_preferred(&comparison->rows[i], best)))
			best = &comparison->rows[i];
	}
	return best;
}
