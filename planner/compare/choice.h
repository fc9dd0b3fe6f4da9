/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Which networks are worth choosing from: those that no other one beats, which would have to cost no more per host,
 * carry no less, have no longer ways, and be better at one of these.
 */
#ifndef FT_PLANNER_COMPARE_CHOICE_H
#define FT_PLANNER_COMPARE_CHOICE_H

#include "planner/compare/compared.h"

/* Whether row @index can be chosen or beaten: its price and throughput are known, and its hosts reach each other. */
bool ft_choice_can(const struct ft_comparison *comparison, size_t index);

/* The cheapest of the choice that is dearer than @last, or as dear and behind it; SIZE_MAX: none. Begin with that. */
size_t ft_choice_next(const struct ft_comparison *comparison, size_t last);

/* The cheapest of the choice that beats row @index; SIZE_MAX: none does. */
size_t ft_choice_winner(const struct ft_comparison *comparison, size_t index);

/* What a network can be the best at, most of them by a figure of theirs. */
struct ft_merit {
	enum ft_compared_figure figure;
	bool most; /* else the least is best */
	bool per_host;
	double throughput; /* that a network must have to be considered */
};

struct ft_measured ft_merit_of(const struct ft_merit *merit, const struct ft_compared *row);

/* The best by @merit; of equal ones the cheaper, then the first. NULL: it is known of none. */
const struct ft_compared *ft_merit_best(const struct ft_comparison *comparison, const struct ft_merit *merit);

#endif
