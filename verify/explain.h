/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * What the steps of the explanation share. Private to explain.c and the files of its steps.
 *
 * Flow: what lacks and what is too much is counted by pairs of places (explain.c); unseen.c takes what went with
 * switches that are not there, inside.c what went with boards of directors. Of the rest, strays are held against
 * deficits: by number, readings.c tries swaps.c and misplaced.c in several readings; by port, where the plan lists
 * cables or hosts, exact_explain.c (exact.h). What nothing explains is loopbacks, unplanned and missing cables, each a
 * finding of its own. islands_explain.c comes last: switches beside the tree.
 */
#ifndef FT_VERIFY_EXPLAIN_H
#define FT_VERIFY_EXPLAIN_H

#include "verify/model.h"

/* A fabric with more stray cables than this is not the planned one; then they are named one by one, unexplained. */
enum { STRAYS_EXPLAINED_MAX = 1024, STRAYS_PAIRED_MAX = 256, CANDIDATES_MAX = 1 << 18 };

struct stray {
	uint32_t cable; /* live cable */
	uint32_t a, b;	/* places at its ends, a < b; equal: a loopback */
	bool used;
	bool uncovered; /* counted right; see readings.c */
	bool covered;	/* was uncovered and explained nothing: an ordinary cable again */
	bool contested; /* another stray took the deficit that could be this one's as well */
};

/* A deficit that would be the missing cable if a misplaced one were read the other way. */
struct rival {
	uint32_t p, q;		   /* the pair reported as short */
	uint32_t other_p, other_q; /* the pair that is short instead */
};

struct explain {
	struct ft_model *m;
	uint32_t *deficit; /* by cell */
	struct stray *strays;
	uint32_t stray_count;
	struct rival *rivals;
	uint32_t rival_count;
	struct ft_text text_a, text_b, text_c; /* scratch for places in sentences */
	uint32_t *picked;		       /* scratch for port lists */
	uint32_t hosts_lacking;		       /* that no edge accounts for yet */
	bool isolated_seen;		       /* an edge without a path to a core was seen */
};

static inline uint32_t *deficit_at(const struct explain *x, uint32_t p, uint32_t q)
{
	return &x->deficit[ft_cell_at(x->m, p, q)];
}

static inline uint32_t lesser(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static inline uint32_t width_of(const struct ft_model *m, uint32_t p, uint32_t q)
{
	return ft_width_at(m, p, q);
}

static inline const char *label_of(const struct ft_model *m, uint32_t planned)
{
	const struct ft_live_switch *sw = ft_live_at(m, planned);

	return sw ? sw->label : m->places[planned]->name;
}

static inline const struct ft_node *node_of(const struct ft_model *m, uint32_t live)
{
	return &m->snapshot->nodes[m->live.switches[live].node];
}

/* The port at the end of a stray cable that is on @planned. */
static inline uint32_t stray_port(const struct ft_model *m, const struct stray *s, uint32_t planned)
{
	const struct ft_live_cable *c = &m->live.cables[s->cable];

	return m->live.switches[c->a].planned == planned ? c->a_port : c->b_port;
}

static inline bool stray_usual(const struct ft_model *m, const struct stray *s, uint32_t planned, uint32_t peer)
{
	return ft_port_usual(m, m->live_of[planned], ft_port_number(m, stray_port(m, s, planned)), peer);
}

/* True where it counts as a cable of a pair: in a plain tree, where it joins a row and a column. */
static inline bool stray_crosses(const struct ft_model *m, const struct stray *s)
{
	return ft_places_pair(m, s->a, s->b);
}

/* A plain dump lists no port that is down, nor one whose far end is silent: there, more cannot be said. */
static inline const char *down_word(const struct ft_model *m)
{
	return m->snapshot->source.lists_down_ports ? "down" : "not listed in the dump";
}

/* ports.c: which port a cable should be in. */

/*
 * Picks up to @need ports of @live that are in state @link, belong to no finding yet and most likely lead to planned
 * switch @peer. Where only a guess would tell (spare ports, more of them than needed), none is picked.
 * Returns how many are in @ret_ports (snapshot ports).
 */
uint32_t ft_ports_pick(const struct ft_model *m, uint32_t live, uint32_t peer, uint32_t need, enum ft_link link,
		       uint32_t *ret_ports);

/*
 * The actions that put @count cables between two places back: with the ports that are free and known for them, as far
 * as there are such.
 */
void ft_connect_act(struct explain *x, struct ft_finding *f, uint32_t p, uint32_t q, uint32_t count);

/*
 * The first of @count ports at @p that wait for cables to @q and that no action of @f has yet, or FT_NONE. What
 * ft_ports_pick() said before is gone.
 */
uint32_t ft_port_unacted(struct explain *x, const struct ft_finding *f, uint32_t p, uint32_t q, uint32_t count);

/* Ports of @live in state @link that at least @votes others use for planned @peer, and that no finding has yet. */
uint32_t ft_usual_ports(const struct ft_model *m, uint32_t live, uint32_t peer, enum ft_link link, uint32_t votes);

/* Ports of @live in state @link that no finding has yet and that are not for hosts. */
uint32_t ft_uplinks_in_state(const struct ft_model *m, uint32_t live, enum ft_link link);

/* Ports of @live in state @link that belong to no finding yet. */
uint32_t ft_ports_in_state(const struct ft_model *m, uint32_t live, enum ft_link link);

/* returning.c: switches that are coming back take what they still lack. */
void ft_returning_explain(struct explain *x);

/*
 * apart.c: whether the sweep began on a part that is cut off; findings for parts that are;
 * and groups of unseen switches of which some, @behind, are next to unseen ones only. 0 or -ENOMEM.
 */
typedef void ft_apart_report_fn(struct explain *x, const bool *is_of, uint32_t behind);
bool ft_apart_entry(const struct ft_model *m);
int ft_apart_seen(struct explain *x);
int ft_apart_unseen(struct explain *x, ft_apart_report_fn *report);

/* unseen.c: switches that are not there, edges without a core, what could not be judged. */
bool ft_uplink_may_be_up(const struct ft_model *m, uint32_t e, uint32_t planned);
int ft_unseen_explain(struct explain *x);
void ft_incomplete_report(struct explain *x);

/* islands_explain.c: what is wrong with switches beside the tree. Returns 0 or -ENOMEM. */
int ft_islands_explain(struct explain *x);

/*
 * inside.c: what is wrong inside directors. Takes the deficits of outer cables that went with a board. The ports of
 * boards that are not there belong to no finding but that. Returns 0 or -ENOMEM.
 */
int ft_inside_explain(struct explain *x);

/* explain.c: live cable @cable is a stray. How many of its ends are in unusual ports. */
void ft_stray_add(struct explain *x, uint32_t cable);
int ft_cable_oddness(const struct ft_model *m, uint32_t cable);

/* swaps.c, misplaced.c: explain strays and deficits; readings.c: calls both, in the reading with the fewest faults. */
int ft_swaps_explain(struct explain *x);
int ft_misplaced_explain(struct explain *x);
int ft_strays_read(struct explain *x);

#endif
