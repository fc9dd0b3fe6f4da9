/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Families of networks: each has a few parameters, and rules that make a graph of switches from them. A family is a
 * file of this folder and a row of ft_families[] (families.c); all that comes behind knows the graph alone.
 *
 * A layout is a network of a family whose parameters are all settled. A family proposes layouts for a design and a
 * switch with so many ports; the search (search.h) takes the best by the objective within the limits; then the family
 * builds the graph.
 */
#ifndef FT_PLANNER_FAMILY_FAMILY_H
#define FT_PLANNER_FAMILY_FAMILY_H

#include "planner/plan/plan.h"

struct ft_text;
struct ft_sketch;

enum { FT_FAMILY_CABLES_MAX = 4000000 }; /* between switches; as of the bundles of a tree (rules.c) */

/* A network with all its parameters. The figures are of the full network, before its hosts are dealt. */
struct ft_layout {
	const struct ft_family *family;
	const char *called;	    /* as in struct ft_plan */
	struct ft_family_keys keys; /* all that the family reads is said; sizes are the design's */
	uint32_t switches;
	uint32_t hosting;    /* switches that hosts belong on */
	uint32_t hosts_each; /* the most hosts on one of these; Eptn */
	uint32_t net_ports;  /* the most cables to other switches on one of these; Eptc */
	uint64_t room;	     /* hosts in all */
	uint64_t cables;     /* between switches */
	uint32_t diameter;   /* cables between the two switches with hosts that are farthest apart; FT_NONE: not known
				before it is built */
};

enum { FT_PROPOSAL_REASON_SIZE = 200 };

/* Why a layout does not fit; text "": not said. */
struct ft_unfit {
	char text[FT_PROPOSAL_REASON_SIZE];
	struct ft_plan_blame at; /* the key of the design at fault */
};

/* What a family proposes layouts for. */
struct ft_proposal {
	const struct ft_design *design;
	uint32_t ports; /* of each switch */
	/* Takes a layout, as a copy. Returns 0, or -errno to end the proposing. */
	int (*offer)(struct ft_proposal *proposal, const struct ft_layout *layout);
	void *arg;
	struct ft_error *err; /* filled where the family refuses; NULL: not needed */
	struct ft_plan_blame *blame;
	uint32_t offered;	/* layouts */
	struct ft_unfit reason; /* why the last one that was not offered does not fit */
};

/* A graph on its way from a layout. */
struct ft_network;

struct ft_family {
	const char *name;
	const char *const *keys; /* of a design, beyond those of every family; ended by NULL */
	const char *about;	 /* for error messages: "a torus", … */
	/*
	 * Offers every layout worth a trial for the proposal. A design that contradicts itself or the switch is refused
	 * with ft_proposal_refuse(); having offered nothing means that nothing fits.
	 */
	int (*propose)(struct ft_proposal *proposal);
	/* Adds the switches and links of @layout. Returns 0 or -ENOMEM. */
	int (*build)(const struct ft_layout *layout, struct ft_network *network);
	/* "5x6", "q=5", "a=8 h=4 g=33". */
	void (*label)(struct ft_text *text, const struct ft_layout *layout);
	/* Offers the parameters that give a network like the sketch (recognise.h). NULL: such a network is just a
	 * graph. */
	int (*recognise)(const struct ft_sketch *sketch);
	/*
	 * The fewest cables whose cut divides the switches with hosts into halves (of an odd number, one half has one
	 * more), by a closed form; FT_BISECTION_UNKNOWN where there is none. NULL: there never is. Is called for
	 * layouts that can be built.
	 */
	uint64_t (*bisection)(const struct ft_layout *layout);
	bool counted;	/* no key of it says how many switches there are: "count" of "edge" does */
	bool symmetric; /* its networks look alike from every switch: distances of one are those of all */
};

extern const struct ft_family *const ft_families[];
extern const size_t ft_family_count;

/* NULL: there is none of that name. */
const struct ft_family *ft_family_find(const char *name);

/* Whether the family reads @key, which is one of those that not all families have. */
bool ft_family_reads(const struct ft_family *family, const char *key);

static inline const char *ft_layout_called(const struct ft_layout *layout)
{
	return layout->called ? layout->called : layout->family->name;
}

/* ---- for families ---- */

/* Sets the complaint about a key of the design (@object: as in struct ft_plan_blame); returns -EINVAL. */
int ft_proposal_refuse(struct ft_proposal *proposal, const char *object, const char *key, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Says why a layout does not fit, and the key at fault, as above; returns 0. */
int ft_proposal_unfit(struct ft_proposal *proposal, const char *object, const char *key, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* The key of the design that settles how many cables a switch has: of the root, or NULL for "ports" of "edge". */
struct ft_plan_blame ft_proposal_cables_key(const struct ft_proposal *proposal);

/*
 * The shares of a switch by the blocking factor of the design, as of an edge switch of a tree (SPEC 4): hosts, and the
 * remaining ports to other switches. What "edge" pins holds.
 */
void ft_proposal_split(const struct ft_proposal *proposal, uint32_t *ret_hosts, uint32_t *ret_net);

/*
 * Settles the hosts of a layout of which all else is filled: as "edge" pins; else @usual of them (FT_NONE: as many
 * as ports are left). Returns 1; 0 if the ports of the switch or the room for hosts do not suffice; -EINVAL where the
 * design pins all that matters, and is refused.
 */
int ft_proposal_settle(struct ft_proposal *proposal, struct ft_layout *layout, uint32_t usual);

/*
 * Offers a single switch, all of whose ports are for hosts, if it has enough of them, and "edge" pins nothing. Its
 * label is to be "1". Returns 1; 0 if it does not suffice; or what the offer fails with.
 */
int ft_proposal_star(struct ft_proposal *proposal);

/* There are more than FT_SWITCHES_MAX switches: that is why it does not fit. Returns 0. */
int ft_proposal_too_many(struct ft_proposal *proposal);

/* Adds a switch, which takes over @name (NULL: no memory). @hosting: hosts belong on it. */
int ft_network_switch(struct ft_network *network, char *name, const char *kind, uint32_t group, bool hosting);
/* A switch whose number of hosts is not the common one. */
int ft_network_switch_hosts(struct ft_network *network, char *name, const char *kind, uint32_t group, uint32_t hosts);
/* Cables between two switches, in the order of their adding. More between the same two add up. */
int ft_network_link(struct ft_network *network, uint32_t a, uint32_t b, uint32_t count);
/* The same at ports that the family chooses; the first port of each for cables is the one behind its room for hosts. */
int ft_network_link_at(struct ft_network *network, uint32_t a, uint32_t a_port, uint32_t b, uint32_t b_port,
		       uint32_t count);

/* Decimal digits of numbers below @count, so that names sort. */
int ft_digits_below(uint32_t count);

/* ---- for the search ---- */

/*
 * The switches and cables of such a network of groups without those between groups: their names, and who is cabled to
 * whom. The keys say all but those cables. To be released with ft_design_graph_release(). Returns 0 or -ENOMEM.
 */
int ft_family_groups(const struct ft_family *family, const struct ft_family_keys *keys,
		     struct ft_design_graph *ret_graph);

/* Proposes layouts for the design's family. Returns 0, -EINVAL with the complaint, or -ENOMEM. */
int ft_family_propose(struct ft_proposal *proposal);

/* The plan of a layout, with switches of @ports ports. Returns 0, -EINVAL with @err and @blame, or -ENOMEM. */
int ft_family_plan(const struct ft_design *design, const struct ft_layout *layout, uint32_t ports,
		   struct ft_plan **ret_plan, struct ft_error *err, struct ft_plan_blame *blame);

#endif
