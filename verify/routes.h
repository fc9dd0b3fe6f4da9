/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Forwarding tables, walked. For one destination the tables make each switch point to one other: what each of them
 * leads to comes out of one pass over the switches, and with it the routes of all hosts to that destination. Nothing
 * is walked pair by pair.
 *
 * Switches here are chips (m->chips): a director is its inside. Private to verify/routes*.c.
 *
 * Flow: ft_walk_build() -> ft_walk_all(), which asks ft_walk_detour() about every route that looks like one ->
 * ft_walk_report().
 */
#ifndef FT_VERIFY_ROUTES_H
#define FT_VERIFY_ROUTES_H

#include "probe/routes.h"
#include "verify/model.h"

/* Where a port of a switch leads, where not to another switch. */
enum {
	FT_FAR_UNKNOWN = FT_NONE - 3, /* nobody knows */
	FT_FAR_DOWN,
	FT_FAR_END, /* to a host, or whatever else does not forward */
};

/* A switch. Its ports are "links", numbered from first_link on: port n is first_link + n - 1. */
struct ft_hop {
	uint32_t node;	/* of the chips */
	uint32_t live;	/* the live switch that it is, or is a part of; FT_NONE: not known */
	uint32_t part;	/* connected part, numbered from 0 */
	uint32_t place; /* of the planned switch; FT_NONE: none */
	uint32_t first_link, links;
	uint32_t hosts;	     /* ports of hosts with a LID on it: where routes begin */
	uint32_t first_host; /* one of them: index into targets; FT_NONE: none */
	uint32_t rank;	     /* twice that of the plan (capacity.h); one more for the fabric chips of a director */
	const struct ft_route_table *table;
};

/* A LID of a host: where routes end. */
struct ft_target {
	uint32_t lid;
	uint32_t port;	    /* the host's, of the chips */
	uint32_t hop, link; /* that it hangs on */
	bool unrouted;	    /* hardly any switch knows of it */
};

enum ft_way_kind {
	FT_WAY_NEW,
	FT_WAY_OPEN, /* on the way that is being followed */
	FT_WAY_ARRIVES,
	FT_WAY_ENDS,
	FT_WAY_LOOPS,
	FT_WAY_UNKNOWN, /* leads to where nothing is known */
};

enum { FT_WAY_GOES_UP = 1, FT_WAY_TURNS = 2 }; /* up again after down */

/* What a switch's table leads to, for the target of the moment. */
struct ft_way {
	uint32_t at;   /* ENDS: the link it should leave by, or link_count + hop: no entry. LOOPS: the loop */
	uint16_t hops; /* ARRIVES: switches on the way, this one included */
	uint8_t kind;
	uint8_t flags;
};

/* Routes that have something in common, and one of them. */
struct ft_some {
	uint64_t pairs;
	uint32_t targets;
	uint32_t stamp;	   /* the last target counted, from 1 */
	uint32_t from, to; /* example: a hop and a target */
};

struct ft_loop {
	uint32_t *links; /* owned; in order, the lowest first */
	uint32_t count;
	struct ft_some some;
};

struct ft_detours {
	struct ft_some some;
	uint64_t turns;		/* pairs that turn up again */
	uint32_t hops, allowed; /* of the longest */
};

/* How far every switch is from one of them, in switches; FT_AFAR: there is no way. */
enum { FT_AFAR = UINT16_MAX };
struct ft_reach {
	uint16_t *plain; /* owned; NULL: not asked for yet */
	uint16_t *legal; /* owned; first up, then down, never up again */
};

struct ft_walk {
	struct ft_model *m;
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

	/* Of the target of the moment. */
	struct ft_way *ways;
	uint32_t *out;	   /* by hop: the link it leaves by, where it does */
	uint32_t *stack;   /* [hop_count] */
	uint32_t *planned; /* by place: chips on the shortest planned way to planned_to, ends included; FT_NONE: none */
	uint32_t planned_to; /* a place, or FT_NONE: not counted yet */
	uint32_t *queue;     /* [place_count] */
	bool *is_queued;     /* by place */
	uint8_t *rows;	     /* by hop: its entries for a block of LIDs */
	bool *row_unread;

	/* What came out. */
	struct ft_some *ends; /* by link, then by hop: no entry */
	struct ft_some unrouted;
	uint32_t judged; /* the last target, from 1, of which it was asked whether it is unrouted */
	struct ft_loop *loops;
	uint32_t loop_count, loop_size;
	struct ft_map loop_by_hash;
	struct ft_detours *detours; /* by hop whose entry makes it one */
	struct ft_reach *reach;	    /* by hop */
	uint32_t *load;		    /* by link that leads up: targets with routes that leave by it */
	uint64_t *after;	    /* by link: a bit for each port of the far switch that a route leaves by next */
	uint32_t *after_first;	    /* by link; of [link_count] the end */
	uint64_t pairs, reached, ended, looping, unknown, apart, sum;
	uint32_t longest;
	uint32_t tables, tables_unknown;
};

/* Not all of its table is known; that dump_lfts leaves out the last LID is no fault of the fabric, nor of the sweep. */
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

/* routes_graph.c: the switches, what is between them, the hosts. Returns 0 or -ENOMEM. */
int ft_walk_build(struct ft_walk *w);
void ft_walk_release(struct ft_walk *w);

/* routes.c: how many switch chips the plan has at most between two of them. */
uint32_t ft_walk_planned(struct ft_walk *w, uint32_t from, uint32_t to);

/* routes_detour.c: a route that arrives, from a hop to a target, and is too long or turns. @pairs it stands for. */
int ft_walk_detour(struct ft_walk *w, uint32_t from, uint32_t target, uint32_t pairs);

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

/* routes_cycle.c: circles of channels that wait for each other, as findings. Returns 0 or -ENOMEM. */
int ft_walk_cycles(struct ft_walk *w);

/* routes_load.c: uplinks that are used more than others, as findings. Returns 0 or -ENOMEM. */
int ft_walk_balance(struct ft_walk *w);

/* routes_report.c: all the other findings, and the figures. Returns 0 or -ENOMEM. */
int ft_walk_report(struct ft_walk *w);

/* "leaf07" */
void ft_walk_name(const struct ft_walk *w, uint32_t hop, struct ft_text *text);
/* The way of a packet from some host of a hop: "from node001 to node019: leaf01 port 7, core02 port 3, …", as far as it
 * comes. */
void ft_walk_path(const struct ft_walk *w, uint32_t from, uint32_t target, struct ft_text *text);
/* Of a switch, by software. */
void ft_walk_act(struct ft_walk *w, struct ft_finding *f, uint32_t hop);

#endif
