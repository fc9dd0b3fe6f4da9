/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * What the steps of the assignment share. Private to assign*.c.
 *
 * Flow: assign.c seats who is named, and tries what is left from several seeds (assign_seed.c); each trial extends what
 * has places to its neighbours (assign_extend.c), deals the places of twins (assign_deal.c), improves (assign_search.c)
 * and is held against the best so far (assign_worth.c). assign_seat.c is what all of them ask: what a place costs.
 */
#ifndef FT_VERIFY_ASSIGN_PARTS_H
#define FT_VERIFY_ASSIGN_PARTS_H

#include "verify/assign.h"

#define FT_UNASSIGNED UINT32_MAX

enum { FT_GUESSES_MAX = 512 }; /* seeds */

/*
 * Prices. A fault outweighs any number of hosts that are too few or too many, and a host any number of names that the
 * plan has only invented. A switch that is not in the place of its own name costs three: two of them are dearer than a
 * swap of two cables, which four pairs show, and cheaper than two such swaps.
 */
#define FT_PRICE_FAULT ((uint64_t)1 << 32)
#define FT_PRICE_HOST ((uint64_t)1 << 16)
#define FT_PRICE_MISNAMED (3 * FT_PRICE_FAULT)
#define FT_PRICE_VOTED (64 * FT_PRICE_HOST) /* a name that is made of port numbers */

/* What a switch looks like from where it stands: sums over two rounds of neighbours. */
enum {
	LOOK_HOSTS,
	LOOK_PORTS,
	LOOK_CABLES,
	LOOK_PEERS,
	LOOK_PEER_HOSTS,
	LOOK_PEER_CABLES,
	LOOK_PEERS_OF_PEERS,
	FT_ASSIGN_LOOKS
};
struct ft_assign_look {
	uint32_t at[FT_ASSIGN_LOOKS];
};

struct ft_assign_work {
	const struct ft_assign *in;
	uint32_t seated;		   /* how many have places */
	uint32_t *image, *origin;	   /* by observed, by planned switch */
	uint32_t *twin;			   /* by planned switch: its class */
	uint32_t *members, *members_first; /* by class: its planned switches, ascending */
	uint32_t *room;			   /* by class: members that are free */
	uint32_t class_count;
	struct ft_assign_look *planned_look, *observed_look;

	uint32_t *width; /* scratch, by planned switch: all 0 */
	uint32_t *stamp; /* likewise: when last seen */
	uint32_t now;
	uint32_t *votes;   /* scratch, by class: all 0 */
	uint32_t *touched; /* classes with votes */
	uint32_t *voter;   /* by class: the vote that it was last given, as a number from 1 on */
	uint32_t vote;

	uint32_t *support;	 /* by observed switch: neighbours that have a place */
	uint32_t *bucket, *next; /* by support: the first waiting entry; by entry: the next */
	uint32_t *entry_of;	 /* by entry: the observed switch */
	uint32_t entry_count, entry_size, highest;
	uint32_t *deferred, deferred_count;
	bool *waits; /* by observed switch: it is in @deferred */

	uint32_t *root, *surplus, *lacking; /* by planned switch: the pieces of the residual */
	int64_t *balance;
	bool *open;

	uint32_t *hops_seen, *hops_planned; /* scratch, by planned switch: all 0 */
	bool mostly_named;		    /* names are the switches' own, and most have one */
	uint64_t steps;
};

/* What a switch has right and wrong in a place. */
struct ft_assign_seat {
	uint64_t price;
	uint32_t right; /* cables that are as planned */
	uint32_t right_hosts;
	bool hostless; /* it has none where some belong */
	uint32_t row;  /* planned ones, to those that have places */
};

/* A pair to begin with. */
struct ft_assign_guess {
	uint32_t o, p;
	uint32_t unlike, crowd; /* planned switches that look like @p */
	uint32_t turn;		/* 0: the best for its @p; 1: the next; … */
};

/* What an assignment is worth: the faults that its difference amounts to, then the price of its parts. */
struct ft_assign_worth {
	uint32_t faults;
	uint64_t price;
};

static inline uint32_t absolute(uint32_t a, uint32_t b)
{
	return a > b ? a - b : b - a;
}

static inline uint32_t peers_of(const struct ft_multigraph *g, uint32_t v)
{
	return g->first[v + 1] - g->first[v];
}

/* ---- assign_seat.c ---- */

/* Fills in what each vertex looks like. */
void ft_assign_looks_take(const struct ft_multigraph *g, const struct ft_assign_vertex *at,
			  struct ft_assign_look *looks);
/* How unlike two switches look. */
uint32_t ft_assign_unlikeness(const struct ft_assign_work *w, uint32_t o, uint32_t p);
/* Groups the planned switches into classes of twins. */
void ft_assign_twins_find(struct ft_assign_work *w);
/* The free member of class @c that suits @o best. There is one. */
uint32_t ft_assign_class_member(struct ft_assign_work *w, uint32_t c, uint32_t o);
/* What observed switch @o makes wrong in place @p, as far as its neighbours have places. */
struct ft_assign_seat ft_assign_seat_price(struct ft_assign_work *w, uint32_t o, uint32_t p);
/* Takes @o out of its place, if it has one, and puts it into @p, which is free, unless that is FT_UNASSIGNED. */
void ft_assign_seat_move(struct ft_assign_work *w, uint32_t o, uint32_t p);
/* It is cheaper as one that is not planned. */
bool ft_assign_is_stranger(struct ft_assign_seat seat);
/* It has no name where others have, and too few of the cables of the place. */
bool ft_assign_is_intruder(const struct ft_assign_work *w, uint32_t o, struct ft_assign_seat seat);

/* ---- assign_extend.c ---- */

/* Classes that the seated neighbours of @o vote for, in w->touched. Returns how many. */
uint32_t ft_assign_votes_take(struct ft_assign_work *w, uint32_t o, bool occupied);
/* Sorts them, the best first; returns how many of them are worth a look. */
uint32_t ft_assign_votes_rank(struct ft_assign_work *w, uint32_t touched, uint32_t most);
/* Seats @o, and has its neighbours wait for places. 0 or -ENOMEM. */
int ft_assign_seat_take(struct ft_assign_work *w, uint32_t o, uint32_t p);
/* Gives everybody a place that is next to somebody who has one. 0 or -ENOMEM. */
int ft_assign_extend(struct ft_assign_work *w);
/* Has all those wait that are next to somebody with a place. 0 or -ENOMEM. */
int ft_assign_waiting_reset(struct ft_assign_work *w);

/* ---- assign_seed.c ---- */

/* Pairs to begin with, the likeliest first; the caller frees them. 0 or -ENOMEM. */
int ft_assign_guesses_make(struct ft_assign_work *w, struct ft_assign_guess **ret, uint32_t *ret_count);

/* ---- assign_search.c ---- */

/* Puts @o into @p, and whoever is there into the place of @o. */
void ft_assign_exchange(struct ft_assign_work *w, uint32_t o, uint32_t p);
/* Local search. */
void ft_assign_improve(struct ft_assign_work *w);
/* See ft_assign(). */
void ft_assign_rivals_find(struct ft_assign_work *w, uint32_t *ret_rival);
/* Who is none of the planned switches has no place any more. */
void ft_assign_strangers_leave(struct ft_assign_work *w);

/* ---- assign_deal.c ---- */

/* Deals the places of each class anew. 0 or -ENOMEM. */
int ft_assign_twins_deal(struct ft_assign_work *w);

/* ---- assign_worth.c ---- */

/* The price of all seats, of those without one, and of empty places. */
uint64_t ft_assign_total_price(struct ft_assign_work *w);
/* A price that no explanation can be far below. */
uint64_t ft_assign_price_least(const struct ft_assign_work *w);
/* What the assignment is worth. */
struct ft_assign_worth ft_assign_worth_of(struct ft_assign_work *w);
/* True where @a is worth more. */
bool ft_assign_is_better(const struct ft_assign_worth *a, const struct ft_assign_worth *b);
/* Everybody sits as in @image. */
void ft_assign_seats_copy(struct ft_assign_work *w, const uint32_t *image);

#endif
