/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Shared by the steps of the assignment. Private to match/.
 *
 * Flow: assign.c seats the named switches, and tries several seeds (seed.c, bases.c) for the rest; each restart extends
 * the seated switches to their neighbours (extend.c), assigns the members of each class of twins to its places
 * (deal.c), improves by local search (search.c) and is compared with the best so far (worth.c). Small networks in which
 * several faults are left are then searched by a beam (thorough.c, beam.c). All use the price of a place, of seat.c.
 */
#ifndef FT_VERIFY_MATCH_ASSIGN_PARTS_H
#define FT_VERIFY_MATCH_ASSIGN_PARTS_H

#include "base/arena.h"
#include "base/numbers.h"
#include "verify/match/assign.h"

enum { FT_GUESSES_MAX = 512 }; /* seeds */

/*
 * Prices. A fault outweighs any number of surplus or missing hosts, and a host any number of names that the plan has
 * invented. A switch outside the place of its own name costs three faults: two such switches cost more than a swap of
 * two cables, which four pairs show, and less than two such swaps.
 */
#define FT_PRICE_FAULT ((uint64_t)1 << 32)
#define FT_PRICE_HOST ((uint64_t)1 << 16)
#define FT_PRICE_UNEVEN (FT_PRICE_HOST / 2) /* a switch with other hosts: as many are likelier on fewer switches */
#define FT_PRICE_MISNAMED (3 * FT_PRICE_FAULT)
#define FT_PRICE_VOTED (64 * FT_PRICE_HOST) /* a name derived from port numbers */
/* The looks of a switch: sums over two rounds of neighbours. */
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

/* Walks of two hops. */
enum { FT_WAYS_MAX = 8 }; /* larger numbers of walks between two switches count as this */
struct ft_ways {
	uint16_t (*others)[2][FT_WAYS_MAX + 1]; /* by vertex: adjacent or not, how many others by so many walks */
};

struct ft_assign_work {
	const struct ft_assign *in;
	struct ft_arena *memory;
	uint32_t seated;		   /* switches that have places */
	uint32_t *image, *origin;	   /* by observed and by planned switch; each other's inverse */
	uint32_t *twin;			   /* by planned switch: its class */
	uint32_t *members, *members_first; /* by class: its planned switches, in ascending order */
	uint32_t *room;			   /* by class: free members */
	uint32_t class_count;
	struct ft_assign_look *planned_look, *observed_look;
	struct ft_ways planned_ways, observed_ways; /* not set before ft_assign_ways_take() */

	uint32_t *width; /* scratch, by planned switch: all 0 */
	uint32_t *stamp; /* scratch, by planned switch: when last seen */
	uint32_t now;
	uint32_t *votes;   /* scratch, by class: all 0 */
	uint32_t *touched; /* classes with votes */
	uint32_t *voter;   /* by class: the number, from 1, of the last vote that it was given */
	uint32_t vote;

	uint32_t *support;	 /* by observed switch: its seated neighbours */
	uint32_t *bucket, *next; /* by support: the first waiting entry; by entry: the next */
	uint32_t *entry_of;	 /* by entry: the observed switch */
	uint32_t entry_count, highest;
	uint32_t *deferred, deferred_count;
	bool *waits;	 /* by observed switch: it is in @deferred */
	uint32_t *asked; /* by observed switch: its seated neighbours when it was last tried */

	uint32_t *root, *surplus, *lacking; /* by planned switch: the connected pieces of the residual */
	int64_t *balance;
	uint64_t *over, *under; /* by piece: total ends of surplus and of missing cables */

	uint64_t misnamed_price; /* of a switch outside the place of its name */
	uint64_t steps;
	bool unfinished;   /* seeds were left to try, and faults */
	bool contradicted; /* neighbours contradict the places of more switches than a few faults can explain */
};

/* What a switch has right and wrong in a place. */
struct ft_assign_seat {
	uint64_t price;
	uint32_t right; /* cables as planned */
	uint32_t right_hosts;
	uint32_t row; /* planned cables to seated switches */
};

/* A pair to start from. */
struct ft_assign_guess {
	uint32_t o, p;	 /* observed switch, planned switch */
	uint32_t unlike; /* ft_assign_unlikeness() of the two */
	uint32_t crowd;	 /* planned switches that look like @p */
	uint32_t turn;	 /* 0: the most similar switch for @p; 1: the next; … */
};

/* The value of an assignment: first the number of faults in its residual, then the cables that these are, then the sum
 * of the prices of its parts. */
struct ft_assign_worth {
	uint32_t faults;
	uint32_t moves;
	uint32_t mending; /* faults and cables to move: an estimate, seldom too high, of what steps/placings.c counts */
	uint64_t price;
	uint32_t uneven; /* switches with other hosts: what FT_PRICE_UNEVEN adds to the price */
};

/* Assignments whose residuals differ, the shortest to mend first; in the memory of the work. */
enum { FT_POOL_MAX = 48 };
struct ft_assign_pool {
	uint32_t *image[FT_POOL_MAX];
	struct ft_assign_worth worth[FT_POOL_MAX];
	uint64_t key[FT_POOL_MAX]; /* of the residual */
	uint32_t count;
};

/* ---- beam.c ---- */

enum { FT_BEAM_SWITCHES = 64 }; /* the largest network, planned and observed */

/*
 * The best complete assignments that extend @begin; none if @begin seats all switches. *@ret_images: @ret_count images
 * one after the other, sorted within each beginning, the best first, in @memory. 0 or -ENOMEM.
 */
int ft_assign_beam(struct ft_assign_work *w, struct ft_arena *memory, const uint32_t *begin, uint32_t **ret_images,
		   uint32_t *ret_count);

/* ---- thorough.c ---- */

/*
 * Searches a small network in which some faults are left. @begin: seats that are certain; @best, of value @worth, is
 * replaced by what is better. @pool, empty before: what may be explained as well, @best first. 0 or -ENOMEM.
 */
int ft_assign_thorough(struct ft_assign_work *w, const uint32_t *begin, struct ft_assign_worth *worth, uint32_t *best,
		       struct ft_assign_pool *pool);

/* ---- ways.c ---- */

/* Fills in the ways of both graphs, if that has not been done. O(sum of squared degrees). 0 or -ENOMEM. */
int ft_assign_ways_take(struct ft_assign_work *w);
/* How much vertex @v of one graph differs from vertex @u of another. */
uint32_t ft_ways_apart(const struct ft_ways *a, uint32_t v, const struct ft_ways *b, uint32_t u);

/* ---- likeness.c ---- */

/* Fills in the looks of each vertex. */
void ft_assign_looks_take(const struct ft_multigraph *g, const struct ft_assign_vertex *at,
			  struct ft_assign_look *looks);
/* How unlike two switches are, in the unit of looks. */
uint32_t ft_assign_unlikeness(const struct ft_assign_work *w, uint32_t o, uint32_t p);

/* ---- seat.c ---- */

/* Groups the planned switches into classes of twins. */
void ft_assign_twins_find(struct ft_assign_work *w);
/* The free member of class @c that suits @o best. At least one is free. */
uint32_t ft_assign_class_member(struct ft_assign_work *w, uint32_t c, uint32_t o);
/* The faults of observed switch @o in place @p, counted against its seated neighbours. */
struct ft_assign_seat ft_assign_seat_price(struct ft_assign_work *w, uint32_t o, uint32_t p);
/* Removes @o from its place, if any, and puts it into @p, which is free, unless @p is FT_NONE. */
void ft_assign_seat_move(struct ft_assign_work *w, uint32_t o, uint32_t p);
/* True if the switch is cheaper as an unplanned one. */
bool ft_assign_is_stranger(struct ft_assign_seat seat);

/* The price of @o without a place. */
uint64_t ft_assign_stranger_price(const struct ft_assign_work *w, uint32_t o);

/* ---- extend.c ---- */

/* The classes that the seated neighbours of @o vote for, in w->touched. Returns how many. */
uint32_t ft_assign_votes_take(struct ft_assign_work *w, uint32_t o, bool occupied);
/* Sorts them, the best first; returns how many are worth trying. */
uint32_t ft_assign_votes_rank(struct ft_assign_work *w, uint32_t touched, uint32_t most);
/* Seats @o, and queues its neighbours. */
void ft_assign_seat_take(struct ft_assign_work *w, uint32_t o, uint32_t p);
/* Seats all switches that have a seated neighbour, until none is left. */
void ft_assign_extend(struct ft_assign_work *w);
/* Queues all unseated switches that have a seated neighbour. */
void ft_assign_waiting_reset(struct ft_assign_work *w);

/* ---- seed.c ---- */

/* Pairs to start from, the likeliest first; the caller frees them. 0 or -ENOMEM. */
int ft_assign_guesses_make(struct ft_assign_work *w, struct ft_assign_guess **ret, uint32_t *ret_count);

/* ---- bases.c ---- */

/*
 * Pairs to start from together, for a network that looks alike from everywhere: by observed switch its place, or
 * FT_NONE. *@ret_count: how many; 0: none found, and @ret_image is not set. No switch has a place before.
 * Its work is bounded, and not counted in w->steps. Returns 0 or -ENOMEM.
 */
int ft_assign_bases_find(struct ft_assign_work *w, uint32_t *ret_image, uint32_t *ret_count);

/* Removes switches from @image that lack more than a quarter of the cables of their places, and several. Returns how
 * many. */
uint32_t ft_assign_pairs_check(struct ft_assign_work *w, uint32_t *image);

/* ---- search.c ---- */

/* Puts @o into @p, and the switch in @p, if any, into the place of @o. */
void ft_assign_exchange(struct ft_assign_work *w, uint32_t o, uint32_t p);
/* True if @a is the better one. */
typedef bool ft_assign_compare_fn(const struct ft_assign_worth *a, const struct ft_assign_worth *b);
/*
 * ft_assign_exchange() if that makes the assignment better than *@worth, which is its value then; else nothing changes.
 * Pinned switches stay. True if it was done.
 */
bool ft_assign_exchange_settle(struct ft_assign_work *w, uint32_t o, uint32_t p, ft_assign_compare_fn *is_better,
			       struct ft_assign_worth *worth);
/* Local search by prices of seats. True if any switch was moved. */
bool ft_assign_improve(struct ft_assign_work *w);
/* See ft_assign(). */
void ft_assign_rivals_find(struct ft_assign_work *w, uint32_t *ret_rival);
/* Removes switches from their places that are none of the planned ones. */
void ft_assign_strangers_leave(struct ft_assign_work *w);
void ft_assign_misfits_leave(struct ft_assign_work *w);

/* ---- deal.c ---- */

/* Assigns the places of each class of twins anew. 0 or -ENOMEM. */
int ft_assign_twins_deal(struct ft_assign_work *w);

/* ---- worth.c ---- */

/* The price of all seats, of switches without one, and of empty places. */
uint64_t ft_assign_total_price(struct ft_assign_work *w);
/* A price that no explanation can be far below. */
uint64_t ft_assign_price_least(const struct ft_assign_work *w);
/* The value of the assignment. */
struct ft_assign_worth ft_assign_worth_of(struct ft_assign_work *w);
/* ft_assign_compare_fn: by faults, moves and price, in this order; by what it takes to mend, then by these. */
bool ft_assign_is_better(const struct ft_assign_worth *a, const struct ft_assign_worth *b);
bool ft_assign_is_shorter(const struct ft_assign_worth *a, const struct ft_assign_worth *b);
/* Removes all switches from their places. */
void ft_assign_seats_clear(struct ft_assign_work *w);
/* Seats all switches as in @image. */
void ft_assign_seats_copy(struct ft_assign_work *w, const uint32_t *image);

#endif
