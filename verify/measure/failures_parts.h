/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The state while N-k failures are examined. Private to failures.c and failures_sets.c. */
#ifndef FT_VERIFY_MEASURE_FAILURES_PARTS_H
#define FT_VERIFY_MEASURE_FAILURES_PARTS_H

#include "base/arena.h"
#include "base/ratio.h"
#include "verify/measure/failures.h"
#include "verify/model/model.h"

enum { FT_FAILURES_WORK_MAX = 200000000 }; /* bundles and places that all sets visit, roughly */

/* Over all pairs of hosts with a path. */
struct ft_hops_left {
	uint32_t farthest;   /* switches on the longest shortest path; 0: no pair has a path */
	uint64_t pairs, sum; /* how many pairs; their switches in all */
};

/* What can fail: a switch, or one cable of a bundle. */
struct ft_failing {
	uint32_t p, q; /* places; for a switch p, and q is FT_NONE */
	uint32_t cell;
};

/* The severity of a set of failures, in comparable numbers. */
struct ft_failures_state {
	uint32_t edges, hosts;
	uint64_t bisection_ppm; /* the remaining fraction of the planned */
	struct ft_ratio blocking;
};

/* The distances that a set of failures leaves: each figure by itself. */
struct ft_failures_apart {
	uint32_t farthest;
	uint64_t mean_ppm; /* switches between two hosts, on average, in millionths */
	uint64_t pairs;	   /* of hosts that lost their only path */
};

struct ft_failures {
	const struct ft_model *m;
	struct ft_arena memory; /* of all lists here but @cuts */
	enum ft_after_kind kind;
	uint32_t count; /* fail at once */
	uint32_t *carriers,
		*own;	/* by cell: cables that carry traffic, and those of them that are the pair's own by the plan */
	bool *dead;	/* by place */
	uint32_t *part; /* by place: its connected component, from 1; 0: it is cut off, or absent */
	uint32_t *queue;
	uint32_t *order;    /* places, network by network */
	uint64_t *hosts_of; /* by part: scratch, all 0 */
	uint32_t *load;	    /* by place: its load (model/capacity.h) */
	bool *leads_up;	    /* by place: has up links in the plan */
	/* By place: remaining cables up, or all cables without ranks; and those of them that lead further up. */
	uint32_t *above, *links;
	/* Places where these two changed, and their values before any failure. */
	struct stale {
		uint32_t place, above, links;
	} * stale;
	uint32_t stale_count;
	bool *is_stale;	     /* by place */
	uint32_t *part_then; /* x->part before any failure */
	uint64_t *cuts;	     /* remaining capacity of each cut (model/capacity.h) */
	uint32_t *taken;     /* by cell: number of its planned cables that fail */
	uint32_t *changed;   /* those cells */
	uint32_t changed_count;
	struct ft_failing *items;
	uint32_t item_count;
	uint32_t *chosen; /* [count]: items that fail, in ascending order */
	struct ft_failures_state worst;
	uint32_t *worst_chosen;
	struct ft_failures_state harshest; /* of the set in worst_chosen */
	bool any;
	/* Sums over the sets that count for the mean. */
	uint64_t edges, hosts, bisection_ppm, blocking_ppm, blocked;
	uint32_t looked;
	struct {
		struct ft_hops_left then; /* before any failure */
		struct ft_failures_apart worst;
		uint64_t farthest, mean_ppm, pairs; /* sums over the sets that count for the mean */
		uint32_t looked;
		int error;
	} hops;
};

/* failures.c: the effect of one set; @chosen: [count] items, in ascending order. */
struct ft_failures_state ft_failures_look(struct ft_failures *x, const uint32_t *chosen);

/* The same, as a candidate for the worst: each figure has its own worst set. */
struct ft_failures_state ft_failures_worst_take(struct ft_failures *x, const uint32_t *chosen);

/* Hosts first, then bandwidth, then blocking. */
bool ft_failures_worse(const struct ft_failures_state *a, const struct ft_failures_state *b);

typedef void ft_set_fn(struct ft_failures *x, const uint32_t *chosen);

/* failures_sets.c: all sets, or a random sample; their items are in x->chosen. */
void ft_sets_all(struct ft_failures *x, ft_set_fn *look);
void ft_sets_some(struct ft_failures *x, uint32_t samples, ft_set_fn *look);

/* Takes the sets that hit hardest. Returns 0 or -ENOMEM. */
int ft_sets_hardest(struct ft_failures *x);

/*
 * In two ranks the worst sets are known exactly for bandwidth and blocking, and for cables also for hosts. Failing core
 * switches cut off no edge that is cabled to more cores than fail.
 */
bool ft_sets_hardest_known(const struct ft_failures *x);

#endif
