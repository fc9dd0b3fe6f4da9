/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Shared by the steps of the explanation. Private to explain.c and the files of its steps.
 *
 * Flow: explain.c counts missing and surplus cables by pairs of places; apart.c takes those of disconnected parts,
 * returning.c those of switches that are coming back, unseen.c those of unseen switches, and director/inside.c those of
 * directors' boards. The rest is a residual of surplus and missing cables, decomposed into
 * alternating trails: over ports if the plan lists cables or hosts (residual.c, trails.c), else over places
 * (pairing.c). cable_findings.c writes the findings for both. What no trail explains is loopbacks, unplanned and
 * missing cables, each a finding of its own.
 */
#ifndef FT_VERIFY_EXPLAIN_EXPLAIN_H
#define FT_VERIFY_EXPLAIN_EXPLAIN_H

#include "base/numbers.h"
#include "verify/model/model.h"

struct surplus {
	uint32_t cable; /* observed cable */
	uint32_t a, b;	/* places at its ends, a < b; equal: a loopback */
	bool used;
	bool contested; /* another surplus cable took a missing cable that could be this one's */
};

/* The missing cable that would remain if a misplaced cable were explained the other way. */
struct rival {
	uint32_t p, q;		   /* the pair that is reported as short */
	uint32_t other_p, other_q; /* the pair that would be short instead */
};

struct explain {
	struct ft_model *m;
	struct ft_arena memory;
	uint32_t *missing;	   /* by cell */
	struct ft_residual *plain; /* the residual for explanations by pairs of places: residual.h */
	struct surplus *surplus;
	uint32_t surplus_count;
	uint32_t first_hidden; /* surplus cables from here on are of pairs with no more than planned */
	struct rival *rivals;
	uint32_t rival_count;
	uint32_t *picked;	/* scratch for port lists */
	uint32_t hosts_lacking; /* not yet accounted for by any edge */
	bool isolated_seen;	/* an edge without a path to a core was seen */
};

static inline uint32_t *missing_at(const struct explain *x, uint32_t p, uint32_t q)
{
	return &x->missing[ft_cell_at(x->m, p, q)];
}

static inline const struct ft_node *node_of(const struct ft_model *m, uint32_t observed)
{
	return &m->snapshot->nodes[m->observed.switches[observed].node];
}

/* The port of a surplus cable at the end on @planned. */
static inline uint32_t surplus_port(const struct ft_model *m, const struct surplus *s, uint32_t planned)
{
	const struct ft_observed_cable *c = &m->observed.cables[s->cable];

	return m->observed.switches[c->a].planned == planned ? c->a_port : c->b_port;
}

static inline bool surplus_usual(const struct ft_model *m, const struct surplus *s, uint32_t planned, uint32_t peer)
{
	return ft_port_usual(m, m->observed_of[planned], ft_port_number(m, surplus_port(m, s, planned)), peer);
}

/* True if both ends are on one switch: a loopback. */
static inline bool surplus_is_loop(const struct surplus *s)
{
	return s->a == s->b;
}

/* A plain dump lists no port that is down, nor one whose far end is silent: then the two cannot be told apart. */
static inline const char *down_word(const struct ft_model *m)
{
	return m->snapshot->source.lists_down_ports ? "down" : m->words->unlisted;
}

/* port_holes.c: the dark ports that the missing cables belong in; fills holes. Returns 0 or -ENOMEM. */
int ft_port_holes_find(struct explain *x);

/* meant_port.c: which port a cable should be in. */

/*
 * Picks up to @need ports of @observed in state @link that have no finding yet and most likely lead to planned switch
 * @peer. Picks none if that would be a guess (more spare ports than needed). Returns how many are in @ret_ports
 * (snapshot ports).
 */
uint32_t ft_ports_pick(const struct ft_model *m, uint32_t observed, uint32_t peer, uint32_t need, enum ft_link link,
		       uint32_t *ret_ports);

/* For the cable in port @keep of @right whose other end has moved: the port of @target where it belongs, or FT_NONE. */
uint32_t ft_port_home(struct explain *x, uint32_t keep, uint32_t right, uint32_t target);

/* The port at the other end of the cable that the plan lists in port @number of @place, or FT_NONE. */
uint32_t ft_port_opposite(const struct ft_model *m, uint32_t place, uint32_t number);

/* The port of @observed that usually leads to planned switch @peer, if something else is plugged into it, or FT_NONE.
 */
uint32_t ft_port_taken(const struct ft_model *m, uint32_t observed, uint32_t peer);

/* Adds the actions that restore @count cables between two places, with the free ports that are known for them. */
void ft_connect_act(struct explain *x, struct ft_finding *f, uint32_t p, uint32_t q, uint32_t count);

/*
 * The first of @count ports at @p that wait for cables to @q and have no action of @f yet, or FT_NONE. Overwrites the
 * result of ft_ports_pick().
 */
uint32_t ft_port_unacted(struct explain *x, const struct ft_finding *f, uint32_t p, uint32_t q, uint32_t count);

/* Ports of @observed in state @link without a finding that at least @votes other switches use for planned @peer. */
uint32_t ft_usual_ports(const struct ft_model *m, uint32_t observed, uint32_t peer, enum ft_link link, uint32_t votes);

/* Ports of @observed in state @link without a finding; of those for hosts only if @hosts. */
uint32_t ft_ports_in_state(const struct ft_model *m, uint32_t observed, enum ft_link link, bool hosts);

static inline uint32_t ft_uplinks_in_state(const struct ft_model *m, uint32_t observed, enum ft_link link)
{
	return ft_ports_in_state(m, observed, link, false);
}

/* occupied.c: loopbacks, and unplanned switches, with the planned cables that are missing because of them. */
void ft_loopbacks_explain(struct explain *x);
void ft_unplanned_explain(struct explain *x);

/*
 * A switch of that place that is gone is edge-isolated, as it takes its hosts with it; else it is core-missing. In a
 * graph that is asked of each switch: others of its kind may have hosts, or get some with a new plan, where it has
 * none.
 */
static inline bool ft_gone_isolates(const struct ft_model *m, uint32_t place)
{
	if (m->plan->general || ft_is_beside(m, place))
		return m->places[place]->hosts > 0;
	return place < m->edges;
}

/* returning.c: assigns to returning switches the cables that they still lack. */
void ft_returning_explain(struct explain *x);

/* apart.c: true if the sweep began in a part that is cut off from the larger one, and saw that part alone. */
bool ft_entry_is_apart(const struct ft_model *m);

/* apart.c: reports parts of the fabric that are disconnected from the main one. 0 or -ENOMEM. */
int ft_apart_seen(struct explain *x);

/*
 * apart.c: calls @report for each group of connected unseen switches of which some, @behind, have unseen neighbours
 * only.
 * @is_of: by place, the group. 0 or -ENOMEM.
 */
typedef void ft_apart_report_fn(struct explain *x, const bool *is_of, uint32_t behind);
int ft_apart_unseen(struct explain *x, ft_apart_report_fn *report);

/* unseen.c: true if a cable of place @e, which has @planned cables to others, may be up on a hazy port. */
bool ft_uplink_may_be_up(const struct ft_model *m, uint32_t e, uint32_t planned);

/* unseen.c: findings for unseen switches, with the missing cables that are theirs. 0 or -ENOMEM. */
int ft_unseen_explain(struct explain *x);

/* unseen.c: adds the ports in state @link that face a switch to the finding; if they are ambiguous, their switch. */
void ft_shadow_where(struct explain *x, struct ft_finding *f, uint32_t planned, enum ft_link link);

/* unseen.c: "core01 ports 10-18, core02 ports 10-18 and those of 4 more switches": the places from @first on. */
const char *ft_where_words(const struct ft_model *m, const struct ft_finding *f, size_t first);

/* unseen.c: the finding of what could not be judged; sets the unheard ports of each observed switch. */
void ft_incomplete_report(struct explain *x);

/* neighbours.c: on Ethernet, switches that are known by the other ends of their cables only. */
void ft_neighbours_report(struct explain *x);

/*
 * director/inside.c: faults inside directors. Takes the missing cables of outer cables that are missing with a board.
 * Ports of missing boards belong to no other finding. Returns 0 or -ENOMEM.
 */
int ft_inside_explain(struct explain *x);

/* explain.c: records observed cable @cable as surplus. */
void ft_surplus_add(struct explain *x, uint32_t cable);

/*
 * explain.c: how little speaks for @cable: two for each end in an unusual port, one for a rate that few of its two
 * switches' cables have. At most ODDNESS_MAX. O(d).
 */
enum { ODDNESS_MAX = 5 };
int ft_cable_oddness(const struct ft_model *m, uint32_t cable);

/*
 * pairing.c: who remembers the ports knows which cables were moved. Such a cable does not stand for one of the pair
 * that it is now in, whatever that lacks: neither for one of a dead board or a switch that is coming back.
 */
void ft_moved_uncover(struct explain *x);

/* Misplaced and swapped cables: pairing.c by pairs of places, trails.c by port, if planned. 0 or -ENOMEM. */
int ft_pairing_explain(struct explain *x);
int ft_trails_explain(struct explain *x);

/* cable_findings.c: reports the remaining missing cables. 0 or -ENOMEM. */
int ft_missing_report(struct explain *x);

#endif
