/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Inference of any graph: what was most likely meant to be cabled, by the shortest description. Private to
 * verify/infer*.c.
 *
 * In comes the multigraph of observed switches (infer_graph.c). Out comes, for each pair of switches, how many cables
 * are planned. Everything is planned as it was seen but where the pattern of a class says otherwise:
 *
 *   infer_ranks.c    steps up from the hosts, where there is an up and a down
 *   infer_twins.c    twin sets: switches of one rank with mostly the same neighbours above (below, beside)
 *   infer_blocks.c   a twin set and the switches above it are a matrix of bundles; what most of its rows and columns
 *                    have is planned, and deviations are faults or a class of their own
 *   infer_regular.c  what no matrix holds (rings, tori, groups, single bundles): switches that have a cable less than
 *                    all of their kind, and holes among the ports of a bundle
 *   infer_general_write.c  the design
 *
 * Invariant: planned cables of a pair differ from those seen only where a fault is meant to be found.
 */
#ifndef FT_VERIFY_INFER_GENERAL_H
#define FT_VERIFY_INFER_GENERAL_H

#include "base/map.h"
#include "verify/infer_parts.h"

/* The sides of a switch. */
enum ft_side { FT_SIDE_UP, FT_SIDE_DOWN, FT_SIDE_BESIDE, FT_SIDE_COUNT };

/* Two switches, by number, a < b. */
struct ft_meant {
	uint32_t a, b;
	uint32_t seen, planned; /* cables */
	uint32_t loose;		/* of those seen, more than its block has: they may belong elsewhere */
	bool patterned;		/* what its block says is more than what was seen of it */
	bool settled;		/* a block says what is planned: nothing else looks at it but for what is loose */
};

/* Switches with mostly the same neighbours on one side. */
struct ft_twin_set {
	uint32_t first, count; /* of members[] */
};

struct ft_twins {
	uint32_t *set_of;  /* by live switch; FT_NONE: nothing is on that side */
	uint32_t *members; /* live switches, set by set */
	struct ft_twin_set *sets;
	uint32_t set_count;
	bool *apart; /* by live switch: it has so few of the neighbours of its set that only its kind speaks for it */
};

struct ft_intent {
	const struct ft_inference *f;
	uint32_t count; /* live switches */
	uint32_t *rank; /* by live switch: steps up from the hosts */
	uint32_t ranks;
	bool layered; /* there is an up and a down */
	struct ft_twins twins[FT_SIDE_COUNT];
	struct ft_meant *pairs;
	uint32_t pair_count, pair_size;
	struct ft_map pair_at;

	struct ft_map shape_at;
	/* Description length. */
	uint32_t shapes;     /* unlike blocks: kinds at both ends and a width */
	uint32_t exceptions; /* bundles and hosts that are in no block, or as seen though the pattern says otherwise */
	uint64_t missing, surplus; /* cables */
	uint64_t undecided;	   /* cables that might lack: as seen */
	uint32_t own_class;	   /* switches that are planned otherwise than their twins */
};

void ft_intent_release(struct ft_intent *intent);

/* infer_general.c: all of it, on a graph that ft_infer_graph() has built. Returns 0 or -ENOMEM. */
int ft_intent_make(struct ft_intent *intent, const struct ft_inference *f);

/* infer_ranks.c: fills rank, ranks and layered. Returns 0 or -ENOMEM. */
int ft_intent_rank(struct ft_intent *intent);

/* infer_twins.c: fills twins. Returns 0 or -ENOMEM. */
int ft_intent_twins(struct ft_intent *intent);
void ft_twins_release(struct ft_twins *twins);

/* infer_blocks.c: plans the blocks. Returns 0 or -ENOMEM. */
int ft_intent_blocks(struct ft_intent *intent);

/* infer_regular.c: plans the rest. Returns 0 or -ENOMEM. */
int ft_intent_regular(struct ft_intent *intent);

/* infer_general_write.c: the design as text. Returns 0 or -ENOMEM. */
int ft_intent_write(struct ft_text *text, const struct ft_intent *intent, const char *name);

/* The pair of two switches, NULL where it has neither seen nor planned cables. */
struct ft_meant *ft_meant_find(const struct ft_intent *intent, uint32_t a, uint32_t b);

/* The same, made where there is none. NULL: no memory. */
struct ft_meant *ft_meant_get(struct ft_intent *intent, uint32_t a, uint32_t b);

/* Cables seen between two switches. */
uint32_t ft_infer_cables(const struct ft_inference *f, uint32_t a, uint32_t b);

/* The side of @a on which @b is. */
static inline enum ft_side ft_side_of(const struct ft_intent *intent, uint32_t a, uint32_t b)
{
	return intent->rank[b] > intent->rank[a]   ? FT_SIDE_UP
	       : intent->rank[b] < intent->rank[a] ? FT_SIDE_DOWN
						   : FT_SIDE_BESIDE;
}

/* Are most bundles in no block to speak of, so that a tree that is nearly it is so by chance? */
bool ft_intent_is_irregular(const struct ft_intent *intent);

/* Neither ports nor names nor hosts tell that two switches are of unlike kinds. */
bool ft_intent_alike(const struct ft_intent *intent, uint32_t a, uint32_t b);

/* Is nothing cabled to that port of a switch? */
bool ft_infer_port_is_dark(const struct ft_inference *f, uint32_t live, uint32_t number);

/* The live switch at the far end of a port, or FT_NONE. */
uint32_t ft_infer_port_far(const struct ft_inference *f, uint32_t live, uint32_t number);

#endif
