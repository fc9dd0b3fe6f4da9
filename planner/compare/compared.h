/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * What networks are compared by: a row of figures a network, each with how it came about.
 *
 * In: a plan and a catalog. Out: struct ft_compared, which the writers (table.h, chart.h) show. Counts and what closed
 * forms give are exact; the halving cut is the best one found, with a bound that is proven; what random orders of
 * failing cables give is a median with its spread. Units are in the names of the figures (compared.c).
 */
#ifndef FT_PLANNER_COMPARE_COMPARED_H
#define FT_PLANNER_COMPARE_COMPARED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ft_how {
	FT_HOW_UNKNOWN, /* not known: no price, or nothing there to be measured */
	FT_HOW_EXACT,	/* counted, searched completely, or bounds that meet */
	FT_HOW_CLOSED,	/* a closed form, exact too */
	FT_HOW_FOUND,	/* the best found: the true one is in [low, high] */
	FT_HOW_SAMPLED, /* the median of random trials: 10 % of them are below @low, 10 % above @high */
	FT_HOW_COUNT,
};

struct ft_measured {
	double value;
	double low, high;
	enum ft_how how;
};

static inline struct ft_measured ft_measured_exact(double value)
{
	return (struct ft_measured){value, value, value, FT_HOW_EXACT};
}

enum ft_compared_figure {
	FT_COMPARED_SWITCHES,
	FT_COMPARED_PORTS,
	FT_COMPARED_PORTS_USED,
	FT_COMPARED_HOST_CABLES,
	FT_COMPARED_SWITCH_CABLES,
	FT_COMPARED_GROUP_CABLES,
	FT_COMPARED_ELECTRIC,
	FT_COMPARED_OPTICAL,
	FT_COMPARED_CABLE_M,
	FT_COMPARED_COST,
	FT_COMPARED_COST_PER_HOST,
	FT_COMPARED_POWER_W,
	FT_COMPARED_POWER_W_PER_HOST,
	FT_COMPARED_SIZE_U,
	FT_COMPARED_SIZE_U_PER_HOST,
	FT_COMPARED_DIAMETER,
	FT_COMPARED_MEAN_HOPS,
	FT_COMPARED_OF_MOORE,
	FT_COMPARED_BISECTION,
	FT_COMPARED_THROUGHPUT_BOUND,
	FT_COMPARED_THROUGHPUT,
	FT_COMPARED_LINKS_LOST,
	FT_COMPARED_SWITCH_CUTS_OFF,
	FT_COMPARED_CABLE_CUTS_OFF,
	FT_COMPARED_COUNT,
};

/* What there is to say about each figure. */
struct ft_compared_about {
	const char *name;    /* in csv and json */
	unsigned int digits; /* behind the point */
	bool interval;	     /* it may be other than exact */
	const char *meaning; /* a sentence for the manual and the schema */
};
extern const struct ft_compared_about ft_compared_about[FT_COMPARED_COUNT];

const char *ft_how_name(enum ft_how how); /* "unknown", "exact", … */

/* One network, or why there is none. */
struct ft_compared {
	char *asked; /* the topology's name, or that of a design; owned */
	bool asked_is_design;
	bool apart;		    /* not every host has a path to every other */
	bool one_group;		    /* of a network of groups: it needs no cables between groups */
	bool cables_cost_alike;	    /* by its catalog, at any length */
	bool is_large;		    /* no searches: nothing is known of distances, halves and throughput */
	char *network;		    /* "torus 5x5x5x5"; NULL: there is none; owned */
	char *switches;		    /* "556 x Mellanox SX6036 (36 ports)", or what else is to be bought; owned */
	char *switch_kind;	    /* "Mellanox SX6036 (36 ports)", which all of them are; NULL: not alike; owned */
	char *refusal;		    /* why there is none; owned */
	char *catalog;		    /* where its prices are from; NULL: it has none; owned */
	char *currency, *prices_of; /* of that catalog; "" or NULL: not known; owned */
	uint32_t nodes;
	struct ft_measured figures[FT_COMPARED_COUNT];
};

/* Several networks; of a curve one after the other, each in ascending order of nodes. */
struct ft_comparison {
	struct ft_compared *rows; /* owned */
	size_t count;
	uint32_t seed, orders; /* of what is random */
	bool curve;	       /* over numbers of nodes */
	bool verbose;	       /* text shows all figures */
};

void ft_comparison_release(struct ft_comparison *comparison);

/* An empty row at the end, to be filled; NULL: no memory. Valid until the next call. */
struct ft_compared *ft_comparison_add(struct ft_comparison *comparison);

/* The best found is far from its bound: it says how much there is at least, and no more. */
static inline bool ft_measured_loose(const struct ft_measured *measured)
{
	return measured->how == FT_HOW_FOUND && measured->high > 1.1 * measured->value;
}

static inline bool ft_measured_known(const struct ft_measured *measured)
{
	return measured->how != FT_HOW_UNKNOWN;
}

#endif
