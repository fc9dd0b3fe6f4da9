/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Walks the forwarding tables. For one destination the tables form a functional graph: each switch points to at most
 * one other, so one pass over the switches settles the routes of all hosts to that destination. Nothing is walked pair
 * by pair.
 *
 * Switches here are chips (m->chips), inside of directors too. Private to routes/, but for ft_routes_check().
 *
 * Flow, of ft_routes_check(): ft_walk_build() makes the graph; walk_all() follows the tables, and calls
 * ft_walk_detour() for each route that is too long or turns; then ft_walk_report(), ft_walk_cycles() and
 * ft_walk_balance() make the findings.
 */
#ifndef FT_VERIFY_ROUTES_ROUTES_H
#define FT_VERIFY_ROUTES_ROUTES_H

#include "base/arena.h"
#include "base/map.h"
#include "probe/lanes.h"
#include "probe/routes.h"
#include "verify/model/model.h"

/* Checks the forwarding tables, if they were read; uses the findings made so far. Returns 0 or -ENOMEM. */
int ft_routes_check(struct ft_model *m);

/* The far end of a switch port, if not another switch. */
enum {
	FT_FAR_UNKNOWN = FT_NONE - 3, /* not known */
	FT_FAR_DOWN,
	FT_FAR_END, /* a host, or another node that does not forward */
};

/* A switch. Its ports are "links", numbered from first_link on: port n is first_link + n - 1. */
struct ft_hop {
	uint32_t node;	   /* of the chips */
	uint32_t observed; /* the observed switch that it is, or is part of; FT_NONE: unknown */
	uint32_t part;	   /* connected component, numbered from 0 */
	uint32_t place;	   /* of the planned switch; FT_NONE: none */
	uint32_t first_link, links;
	uint32_t hosts;	     /* number of host ports with a LID on it: where routes begin */
	uint32_t first_host; /* one of them: index into targets; FT_NONE: none */
	uint32_t rank;	     /* twice the planned rank (model/capacity.h); one more for fabric chips of a director */
	const struct ft_route_table *table;
};

/* A LID of a host: where routes end. */
struct ft_target {
	uint32_t lid;
	uint32_t port;	    /* the host's, of the chips */
	uint32_t hop, link; /* its hop and the link to it */
	bool unrouted;	    /* hardly any switch has an entry for it */
};

enum ft_way_kind {
	FT_WAY_NEW,
	FT_WAY_OPEN, /* on the route being followed */
	FT_WAY_ARRIVES,
	FT_WAY_ENDS,
	FT_WAY_LOOPS,
	FT_WAY_UNKNOWN, /* leads to an unknown table */
};

enum { FT_WAY_GOES_UP = 1, FT_WAY_TURNS = 2 }; /* up again after down */

/* The route from a switch, for the current target. */
struct ft_way {
	uint32_t at;   /* ENDS: the link it should leave by, or link_count + hop: no entry. LOOPS: the loop */
	uint16_t hops; /* ARRIVES: number of switches on the route, this one included */
	uint8_t kind;
	uint8_t flags;
};

/* Routes with a common property, and an example. */
struct ft_some {
	uint64_t pairs;
	uint32_t targets;
	uint32_t stamp;	   /* the last target counted, from 1 */
	uint32_t from, to; /* example: a hop and a target */
};

struct ft_loop {
	uint32_t *links; /* rotated so that the lowest comes first */
	uint32_t count;
	struct ft_some some;
};

struct ft_detours {
	struct ft_some some;
	uint64_t turns;		/* pairs that turn up again */
	uint32_t hops, allowed; /* of the longest */
};

/* The distance of every switch from one of them, in switches; FT_AFAR: no path. */
enum { FT_AFAR = UINT16_MAX };
struct ft_reach {
	uint16_t *plain; /* NULL: not computed yet */
	uint16_t *legal; /* first up, then down, never up again */
};

struct ft_walk {
	struct ft_model *m;
	struct ft_arena memory; /* of all lists here, and of those in @loops and @reach */
	struct ft_hop *hops;
	uint32_t hop_count;
	uint32_t *hop_of_node;
	uint32_t *far;	 /* by link: a hop, or FT_FAR_… */
	uint32_t *owner; /* by link: its hop */
	bool *up;	 /* by link: to a higher rank */
	uint32_t link_count;
	struct ft_target *targets; /* by LID */
	uint32_t target_count;
	uint32_t *sources; /* hops with hosts */
	uint32_t source_count;

	/* For the current target. */
	struct ft_way *ways;
	uint32_t *out;	   /* by hop: its output link, if any */
	uint32_t *stack;   /* [hop_count] */
	uint32_t *circle;  /* likewise: the links of a loop that may be known already */
	uint32_t *planned; /* by place: chips on the shortest planned way to planned_to, ends included; FT_NONE: none */
	uint32_t planned_to; /* a place, or FT_NONE: not computed yet */
	uint32_t *queue;     /* [place_count] */
	bool *is_queued;     /* by place */
	uint8_t *rows;	     /* by hop: its entries for a block of LIDs */
	bool *row_unread;

	/* What came out. */
	struct ft_some *ends; /* by link, then by hop: no entry */
	struct ft_some unrouted;
	uint32_t judged; /* the last target, from 1, that was checked for being unrouted */
	struct ft_loop *loops;
	uint32_t loop_count;
	struct ft_map loop_by_hash;
	struct ft_detours *detours; /* by hop whose entry is the cause */
	struct ft_reach *reach;	    /* by hop */
	uint32_t *load;		    /* by uplink: targets with routes over it */
	uint64_t *after;	    /* by link: a bit for each port of the far switch that a route uses next */
	uint32_t *after_first;	    /* by link; of [link_count] the end */
	uint64_t pairs, reached, ended, looping, unknown, apart, sum;
	uint32_t longest;
	uint32_t tables, tables_unknown;
};

/* The table is partly unknown. The last LID, which dump_lfts omits, is no fault of the fabric or the sweep. */
static inline bool ft_walk_has_holes(const struct ft_hop *hop)
{
	return !hop->table->ports || (hop->table->unread && !hop->table->left_out);
}

static inline uint32_t ft_walk_words(const struct ft_walk *w, uint32_t hop)
{
	return (w->hops[hop].links + 63) / 64;
}

/* The port of a link, in the chips. */
static inline uint32_t ft_walk_port(const struct ft_walk *w, uint32_t link)
{
	const struct ft_hop *hop = &w->hops[w->owner[link]];

	return w->m->chips->nodes[hop->node].first_port + link - hop->first_link;
}

/* A number of pairs, as the report counts them. */
static inline uint32_t ft_saturate(uint64_t count)
{
	return count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
}

/* graph.c: the switches, the links, the hosts. Returns 0 or -ENOMEM; what follows tells by w->memory that it failed. */
int ft_walk_build(struct ft_walk *w);
void ft_walk_release(struct ft_walk *w);

/*
 * routes.c: switch chips on the shortest way from hop @from to hop @to in the plan, both included; where one has no
 * place, the most between any two hosts of the plan.
 */
uint32_t ft_walk_planned(struct ft_walk *w, uint32_t from, uint32_t to);

/*
 * detour.c: records a route from a hop to a target that arrives, and is too long or turns. It stands for @pairs routes.
 */
void ft_walk_detour(struct ft_walk *w, uint32_t from, uint32_t target, uint32_t pairs);

static inline void ft_some_add(struct ft_some *some, uint64_t pairs, uint32_t from, uint32_t target)
{
	if (some->pairs == 0) {
		some->from = from;
		some->to = target;
	}
	some->pairs += pairs;
	some->targets += some->stamp != target + 1;
	some->stamp = target + 1;
}

/* cycle.c: cycles of the channel dependency graph, as findings. Returns 0 or -ENOMEM. */
int ft_walk_cycles(struct ft_walk *w);

/* The channel dependency graph. */
struct ft_channels {
	uint32_t count;
	uint32_t *first; /* [count + 1]: index into next; of the memory of who made them */
	uint32_t *next;	 /* the channels that routes use after this one */
	/*
	 * NULL: each link is a channel. Else each lane of each of these links is one, numbered by the link's place here
	 * times FT_LANE_LEVELS, plus the lane.
	 */
	const uint32_t *links;
};

/* cycle.c: a finding for each component of more than one channel. Returns 0 or -ENOMEM. */
int ft_cycles_report(struct ft_walk *w, const struct ft_channels *channels);

/*
 * lanes.c: the cycles of links, by lane. @cycles: by link, the number of the component that it is in, or FT_NONE.
 *
 * ft_lanes_want() fills report->lane_wants with what is to be known, and ft_lanes_judge(), with m->input->lanes, adds
 * the findings. Both return 0 or -ENOMEM.
 */
int ft_lanes_want(struct ft_walk *w, const uint32_t *cycles);
int ft_lanes_judge(struct ft_walk *w, const uint32_t *cycles);

/* load.c: overloaded uplinks, as findings. */
void ft_walk_balance(struct ft_walk *w);

/* findings.c: all other findings, and the figures. */
void ft_walk_report(struct ft_walk *w);

/* findings.c: the link by which a hop's table forwards the target's packets, or FT_NONE. */
uint32_t ft_walk_out(const struct ft_walk *w, uint32_t hop, uint32_t target);

/* "leaf07" */
void ft_walk_name(const struct ft_walk *w, uint32_t hop, struct ft_text *text);
/* Of a switch, by software. */
void ft_walk_act(struct ft_walk *w, struct ft_finding *f, uint32_t hop);

#endif
