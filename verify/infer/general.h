/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * How a fabric is read. Private to verify/infer/.
 *
 * Principle: the shortest description. What many switches have in common is the plan, and costs little to say; a cable
 * by which one of them deviates is a fault, and costs as much as it takes to say which; deviations that several share
 * are a class of their own as soon as that is shorter. So no reading needs to know what kind of network it is.
 *
 * Three steps, which infer.c takes in this order:
 *
 * 1. Facts (struct ft_inference): graph.c has the multigraph of the observed switches, their hosts and ports, rates.c
 *    the usual rates. Where there are directors, they are one switch each at first; if that is no tree, every chip is a
 *    switch, and the three steps are taken once more.
 *
 * 2. Intent (struct ft_intent): how many cables are meant between every two switches. ft_intent_make() in general.c
 *    begins with each pair as it was seen, and calls one after the other
 *
 *      ranks.c    steps up from the hosts, if the graph has an up and a down (layered); else all have rank 0
 *      twins.c    twin sets: switches of one rank with mostly the same neighbours above (below, beside)
 *      proven.c   missing cables that their ports prove, before any pattern is known
 *      planes.c   three ranks whose switches all have their places: nothing below is asked then but odd.c for hosts
 *      blocks.c   a twin set and the switches above it are a matrix of bundles: what most of its rows and columns have
 *                 is meant. It asks turned.c for bundles that alternate, and moved.c for cables that were moved within
 *      cliques.c, between.c   without an up and a down: groups that are cabled all to all, and bundles between groups
 *      regular.c  what no matrix covers: widths that nearly all have, numbers of cables that nearly all have
 *      rings.c    rings of spines, or of core switches
 *      general.c  nobody has more cables than ports
 *      odd.c      switches, hosts and single cables that are there by mistake
 *      absent.c   switches that nobody saw, as dark ports and names tell
 *
 *    A step plans only pairs that those before it left open: they are not settled. Each says in its head what it needs.
 *
 * 3. The design, written by the first of these that can say just that, and read back:
 *
 *      pods.c             a star, if all other switches are there by mistake; and a fat-tree of three ranks
 *      classes.c          a fat-tree of two ranks. tree.c is what both share, islands.c what is beside the tree
 *      family.c           a torus, a HyperX, a dragonfly and so on: not written from the intent, but matched with what
 *                         was observed, as a rule knows what is missing whatever the neighbours say. cells.c helps it
 *      wired.c            groups by the rule of a dragonfly, and cables between them by none
 *      general_write.c    the graph itself, with the classes in few words
 *
 *    by_rule.c, notes.c, rates.c, class_rates.c, directors.c, ranges.c and numbers.c write the parts of a design.
 *
 * Invariant: planned and observed cables of a pair differ only where a fault is to be found. So the design of a tree or
 * a graph, verified with the fabric that it was read from, finds what the intent says, and nothing else.
 */
#ifndef FT_VERIFY_INFER_GENERAL_H
#define FT_VERIFY_INFER_GENERAL_H

#include "base/map.h"
#include "verify/infer/infer_parts.h"

/* The sides of a switch. */
enum ft_side { FT_SIDE_UP, FT_SIDE_DOWN, FT_SIDE_BESIDE, FT_SIDE_COUNT };

/* Two switches, by number, a < b. */
struct ft_meant {
	uint32_t a, b;
	uint32_t seen, planned; /* cables */
	uint32_t more;		/* cables that its block has not and that are planned */
	uint32_t lacks;		/* cables that its block has and that are not planned */
	uint32_t loose;		/* surplus ones of those seen, compared with the block: they may belong elsewhere */
	uint32_t proven;	/* missing cables that their ports prove */
	uint32_t certain;	/* of these, those with more evidence than is enough */
	bool patterned;		/* its block plans more than was seen of it */
	bool settled;		/* a block gives the planned cables: other steps look only at loose ones */
	bool meshed;		/* all that both are cabled to so are cabled so to each other */
};

/* Switches with mostly the same neighbours on one side. */
struct ft_twin_set {
	uint32_t first, count; /* of members[] */
};

struct ft_twins {
	uint32_t *set_of;  /* by observed switch; FT_NONE: no neighbours on that side */
	uint32_t *members; /* observed switches, set by set */
	struct ft_twin_set *sets;
	uint32_t set_count;
	bool *apart; /* by observed switch: it shares so few neighbours with its set that it belongs there only by its
		      * kind
		      */
};

/* A switch that nobody saw, with its planned cables. */
struct ft_absent_link {
	uint32_t observed, width;
};
struct ft_absent {
	uint32_t like; /* an observed switch of its kind */
	struct ft_absent_link *links;
	uint32_t count;
};
enum { FT_ABSENT_MAX = 4 };

struct ft_intent {
	const struct ft_inference *f;
	uint32_t count; /* observed switches */
	uint32_t *rank; /* by observed switch: steps up from the hosts */
	uint32_t ranks;
	bool layered; /* the graph has an up and a down */
	bool unnamed; /* names do not tell kinds: two kinds of names are both in two ranks */
	struct ft_twins twins[FT_SIDE_COUNT];
	struct ft_meant *pairs;
	uint32_t pair_count;
	struct ft_map pair_at;

	uint64_t missing, surplus; /* cables */
	uint64_t undecided;	   /* possibly missing cables, planned as seen */
	uint32_t own_class;	   /* switches planned differently from their twins */
	uint32_t services;	   /* of these, such of another kind with fewer cables */

	uint32_t *hosts;     /* planned ones, by observed switch, and then of those that nobody saw */
	uint32_t host_total; /* all planned ones */
	uint32_t *load;	     /* by observed switch: hosts and planned cables, before odd ones are judged */
	bool *stray;	     /* by observed switch: there by mistake */
	bool *beside;	     /* by observed switch: on purpose, but no part of the tree (tree.h) */
	uint32_t *pod;	 /* by switch, also of those that nobody saw, of edges and spines; NULL: planes.c found none */
	uint32_t *plane; /* likewise, of spines and core switches */
	struct ft_absent absent[FT_ABSENT_MAX];
	uint32_t absent_count;
	char absent_name[FT_ABSENT_MAX][FT_ABSENT_NAME_SIZE];
};

void ft_intent_release(struct ft_intent *intent);

/* general.c: the whole inference, on a graph that ft_infer_graph() has built. Returns 0 or -ENOMEM. */
int ft_intent_make(struct ft_intent *intent, const struct ft_inference *f);

/* ranks.c: fills rank, ranks and layered. Returns 0 or -ENOMEM. */
int ft_intent_rank(struct ft_intent *intent);

/* general.c: the switches of a rank, ascending. NULL: no memory. */
uint32_t *ft_intent_members(const struct ft_intent *intent, uint32_t rank, uint32_t *ret_count);

/* general.c: what lacks among the names of a rank, strays left out: as ft_infer_numbers(). Returns 0 or -ENOMEM. */
int ft_intent_numbers(const struct ft_intent *intent, uint32_t rank, struct ft_numbers *lacking);

/* twins.c: fills twins. Returns 0 or -ENOMEM. */
int ft_intent_twins(struct ft_intent *intent);

/* proven.c: counts the missing cables of each pair that their ports prove. Returns 0 or -ENOMEM. */
int ft_intent_proven(struct ft_intent *intent);

/*
 * turned.c: plans the bundles between rows and the columns above them, if uplinks were given out in turn. Returns 0 or
 * -ENOMEM.
 */
int ft_intent_turned(struct ft_intent *intent, const uint32_t *row, uint32_t rows, const uint32_t *column,
		     uint32_t columns, bool *ret_turned);

/* planes.c: plans all cables and absent switches, and fills pod and plane, or changes nothing. 0 or -ENOMEM. */
int ft_intent_planes(struct ft_intent *intent);

/* blocks.c: plans the blocks. Returns 0 or -ENOMEM. */
int ft_intent_blocks(struct ft_intent *intent);

/* The bundles between rows and the columns above them, and the usual ones. */
struct ft_matrix {
	uint16_t *seen; /* rows x columns */
	uint32_t rows, columns;
	const uint32_t *usual; /* by column */
	const bool *apart;     /* by row: of another kind */
};

/*
 * moved.c: puts cables back that were moved within the matrix, if that is likelier than rows of their own. @all: and
 * than all that deviates. True: it did so.
 */
bool ft_infer_moved(const struct ft_matrix *m, bool all);

/* cliques.c: plans what few pairs lack, and fills meshed. Returns 0 or -ENOMEM. */
int ft_intent_cliques(struct ft_intent *intent);

/* between.c: plans bundles between groups that are not there at all. Returns 0 or -ENOMEM. */
int ft_intent_between(struct ft_intent *intent);

/* regular.c: plans the rest. Returns 0 or -ENOMEM. */
int ft_intent_regular(struct ft_intent *intent);

/* rings.c: plans what rings of one rank lack. Returns 0 or -ENOMEM. */
int ft_intent_rings(struct ft_intent *intent);

/* odd.c: marks switches that are like no other as stray, before twin sets are found. Returns 0 or -ENOMEM. */
int ft_intent_strangers(struct ft_intent *intent);

/* odd.c: *@ret_odd: one host alone is above the leaves, and not on purpose. Returns 0 or -ENOMEM. */
int ft_intent_host_is_odd(const struct ft_intent *intent, bool *ret_odd);

/*
 * odd.c: switches, hosts (in hosts) and single cables that are there by mistake. Return 0 or -ENOMEM.
 */
int ft_intent_strays(struct ft_intent *intent);
int ft_intent_hosts(struct ft_intent *intent);
int ft_intent_odd(struct ft_intent *intent);

/* absent.c: fills absent. Returns 0 or -ENOMEM. */
int ft_intent_absent(struct ft_intent *intent);

/* absent.c: leaves out again what would have more cables than there are ports. Returns 0 or -ENOMEM. */
int ft_intent_absent_respect(struct ft_intent *intent);

/* general_write.c: the design as text. Returns 0 or -ENOMEM. */
int ft_intent_write(struct ft_text *text, const struct ft_intent *intent, const char *name);

/*
 * family.c: the design of a network of a family, if the fabric is one. @ret_wrong: cables that are wrong or missing by
 * its rule; @ret_cost: the same, where moved ones count more than missing ones. Returns 1 with @text replaced, 0, or
 * -ENOMEM.
 */
int ft_infer_family(const struct ft_inference *f, const char *name, struct ft_text *text, uint64_t *ret_wrong,
		    uint64_t *ret_cost);

/* The pair of two switches, NULL if it has neither seen nor planned cables. */
struct ft_meant *ft_meant_find(const struct ft_intent *intent, uint32_t a, uint32_t b);

/* The same, created if necessary. NULL: no memory. */
struct ft_meant *ft_meant_get(struct ft_intent *intent, uint32_t a, uint32_t b);

/* The observed switch that tells what a switch is like: itself, or of one that nobody saw (count and up) one of its
 * kind. */
static inline uint32_t ft_intent_like(const struct ft_intent *intent, uint32_t i)
{
	return i < intent->count ? i : intent->absent[i - intent->count].like;
}

static inline uint32_t ft_intent_rank_of(const struct ft_intent *intent, uint32_t i)
{
	return intent->rank[ft_intent_like(intent, i)];
}

/* The cables that are planned between two switches. */
static inline uint32_t ft_meant_between(const struct ft_intent *intent, uint32_t a, uint32_t b)
{
	const struct ft_meant *pair = ft_meant_find(intent, a, b);

	return pair ? pair->planned : 0;
}

/* The side of @a on which @b is. */
static inline enum ft_side ft_side_of(const struct ft_intent *intent, uint32_t a, uint32_t b)
{
	return intent->rank[b] > intent->rank[a]   ? FT_SIDE_UP
	       : intent->rank[b] < intent->rank[a] ? FT_SIDE_DOWN
						   : FT_SIDE_BESIDE;
}

/* True if some cables are planned otherwise than seen. */
bool ft_intent_has_faults(const struct ft_intent *intent);

/* True if ports and names allow two switches to be of one kind. */
static inline bool ft_intent_same_make(const struct ft_intent *intent, uint32_t a, uint32_t b)
{
	return ft_infer_ports(intent->f, a) == ft_infer_ports(intent->f, b) &&
	       (intent->unnamed || ft_infer_names_alike(intent->f, a, b));
}

/* True if ports, names and hosts allow two switches to be of one kind. */
bool ft_intent_alike(const struct ft_intent *intent, uint32_t a, uint32_t b);

/* True if both are chips of one director, by SystemImageGUID or name. */
bool ft_infer_same_system(const struct ft_inference *f, uint32_t a, uint32_t b);

/* True if that port of a switch has no cable. */
bool ft_infer_port_is_dark(const struct ft_inference *f, uint32_t observed, uint32_t number);

/* The observed switch at the far end of a port, or FT_NONE. */
uint32_t ft_infer_port_far(const struct ft_inference *f, uint32_t observed, uint32_t number);

#endif
