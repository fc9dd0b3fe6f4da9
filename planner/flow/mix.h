/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * A flow as a mix of routings. The demands are in parts. Each part has routings, each of which carries all of it, and
 * each has a share; the shares of a part are 1 in sum, so that any shares are a flow. Private to planner/flow/.
 *
 * An arc has a price that follows its load: exp(steep * (load / most - 1)) / capacity, most being the greatest load
 * when all were added up. A routing costs what its amounts cost by these prices.
 */
#ifndef FT_PLANNER_FLOW_MIX_H
#define FT_PLANNER_FLOW_MIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "planner/flow/paths.h"

struct ft_flow_routing {
	uint32_t next;	/* of the same part, or UINT32_MAX */
	uint32_t count; /* its arcs, */
	size_t first;	/* which begin here in the lists of the mix */
	double share;
	double cost; /* when it was last looked at */
	double bend; /* how that grows with the share, likewise */
	double step; /* of the share: the last one, or that being made */
};

/* What moves look at, of each arc in one place of the memory: they go from arc to arc in no order. */
struct ft_flow_mix_arc {
	double load;	 /* as a share of its capacity */
	double weight;	 /* price * capacity */
	double change;	 /* of the load by a move being made; else 0 */
	bool is_changed; /* by that */
};

struct ft_flow_part {
	uint32_t head;	/* its first routing, or UINT32_MAX */
	uint32_t rests; /* so many sweeps pass over it */
	double paid;	/* when it was last looked at, what it paid, */
	double saves;	/* and what it would by the cheapest of its routings */
};

struct ft_flow_mix {
	uint32_t arc_count, part_count;
	const double *capacity; /* by arc */
	struct ft_flow_part *parts;
	struct ft_flow_routing *routings;
	uint32_t count, room;
	uint32_t *arcs; /* of all routings, one after the other, */
	double *loads;	/* and how much of its capacity each is loaded with where the share is 1 */
	size_t used, arc_room;
	struct ft_flow_mix_arc *at; /* by arc */
	double *price;		    /* by arc; until loads are first added up, 1 / capacity */
	uint32_t *changed;	    /* the arcs that a move being made changes */
	uint32_t changed_count;
	double most, steep;
	uint64_t steps; /* arcs looked at */
};

/* @graph must live as long as @ret, which is released by the caller also on failure. Returns 0 or -ENOMEM. */
int ft_flow_mix_make(const struct ft_flow_graph *graph, uint32_t part_count, struct ft_flow_mix *ret);
void ft_flow_mix_release(struct ft_flow_mix *mix);

/* A routing of @part more: with no share, or with all of it if it is the first one. Returns 0 or -ENOMEM. */
int ft_flow_mix_add(struct ft_flow_mix *mix, uint32_t part, const struct ft_flow_carried *carried);

/* Adds up all loads, and sets the prices by them. */
void ft_flow_mix_add_up(struct ft_flow_mix *mix, double steep);

/* What @part pays: the costs of its routings by their shares. */
double ft_flow_mix_cost(struct ft_flow_mix *mix, uint32_t part);

/* Moves shares of @part from its dear routings to the cheap ones. */
void ft_flow_mix_balance(struct ft_flow_mix *mix, uint32_t part);

/*
 * Balances all parts by turns; those that could save less than the share @little of what they pay rest, and are not
 * looked at again in some sweeps. 0: all are looked at. Returns the share of all costs that would have been gained at
 * the prices of the turns, or of the last look.
 */
double ft_flow_mix_sweep(struct ft_flow_mix *mix, double little);

/* Drops the routings without a share. Returns 0, or -ENOMEM, after which @mix can only be released. */
int ft_flow_mix_clean(struct ft_flow_mix *mix);

#endif
