/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Shared by the parts of the inference. Private to infer/.
 *
 * Flow: ft_infer_graph() -> ft_infer_fits(), which finds the candidate fits, and for each of them ft_infer_members()
 * -> ft_infer_counts() -> ft_infer_names() -> ft_infer_write(), until a fit is good enough.
 */
#ifndef FT_VERIFY_INFER_INFER_PARTS_H
#define FT_VERIFY_INFER_INFER_PARTS_H

#include "verify/model/chassis.h"
#include "verify/model/model.h"

/* The ranks of a tree, from the hosts up, and the steps between them. */
enum { FT_RANKS_MAX = 3, FT_STEPS_MAX = FT_RANKS_MAX - 1 };

/* The rank of an observed switch outside the tree. */
enum { FT_OUTSIDE = FT_RANKS_MAX };

/*
 * A fit: the tree that the fabric may be. Switches of rank 0 have the hosts. Step s joins ranks s and s + 1, in groups
 * whose lower switches are all cabled to all upper ones: of three ranks these are pods, and planes above them; of two
 * there is one group. Arrays are by observed switch.
 */
struct ft_fit {
	uint8_t *rank;		       /* FT_OUTSIDE: in no group */
	uint32_t *group[FT_STEPS_MAX]; /* by step; from 0; FT_NONE for other ranks */
	uint32_t groups[FT_STEPS_MAX]; /* their number */
	uint32_t ranks;		       /* 1 (a star), 2 or 3 */
	uint32_t share;		       /* of three: the spines of each pod in a plane */
	bool ringed[FT_RANKS_MAX];     /* most are cabled to two beside them: the spines of a pod, or all at the top */
	uint64_t unexplained;	       /* surplus and missing cables */
	uint64_t lacking;	       /* only the missing ones */
	bool possible;
};

/* The most likely first: of two ranks and three, by two rankings, and a star. */
enum { FT_FITS_MAX = 5 };
struct ft_fits {
	struct ft_fit fit[FT_FITS_MAX];
	uint32_t count;
};

/* The subjects of the notes under "why", in the order of the file. */
enum ft_why {
	FT_WHY_TOPOLOGY,
	FT_WHY_NODES,
	FT_WHY_EDGE,
	FT_WHY_SPINE,
	FT_WHY_CORE,
	FT_WHY_PODS,
	FT_WHY_SPLIT,
	FT_WHY_BUNDLE,
	FT_WHY_FILL,
	FT_WHY_INSIDE,
	FT_WHY_RATE,
	FT_WHY_AGGREGATION,
	FT_WHY_BIND,
	FT_WHY_ISLANDS,
	FT_WHY_UNPLANNED,
	FT_WHY_COUNT,
};

struct ft_pod_kind {
	uint32_t count; /* of pods */
	uint32_t edges; /* of each */
};

enum { FT_HOST_KINDS_MAX = 4, FT_POD_KINDS_MAX = 8, FT_RATES_MAX = 4 };

/* The design in the making. */
struct ft_inferred {
	uint32_t nodes;
	/* By rank. */
	uint32_t count[FT_RANKS_MAX];
	uint32_t ports[FT_RANKS_MAX];
	uint32_t up[FT_RANKS_MAX]; /* of these, those that lead up */
	bool directors[FT_RANKS_MAX];
	struct ft_inside inside[FT_RANKS_MAX]; /* of directors */
	bool boards_unlike[FT_RANKS_MAX];      /* these have unlike numbers of line boards */
	uint32_t bundle[FT_STEPS_MAX];	       /* by step; 0: not pinned */
	uint32_t ring[FT_RANKS_MAX];	       /* cables between neighbours of its rings; 0: none */
	uint64_t ring_lacks;		       /* cables that are missing in rings */
	uint32_t host_ports;		       /* of each switch of rank 0 */
	enum ft_spread spread;
	uint32_t multiple;
	enum ft_fill fill;
	struct ft_host_kind hosts[FT_HOST_KINDS_MAX]; /* hosts of edges that no fill order produces */
	uint32_t host_kinds;
	struct ft_pod_kind pod_kind[FT_POD_KINDS_MAX];
	uint32_t pod_kinds;
	struct ft_rate uplink_rate; /* of unknown speed: not said */
	struct ft_rate host_rates[FT_RATES_MAX];
	uint32_t host_rate_count;
	struct ft_rate meant[FT_RATES_MAX]; /* those of hosts that are meant so, however few have them */
	uint32_t meant_count;
	bool sorted_by_hosts; /* the plan has the right hosts only if edges are ordered by their number of hosts */
};

/* How a rank is bound. */
struct ft_inferred_bind {
	bool names;	     /* by name, those that nobody saw, too */
	bool guids;	     /* by GUID */
	const char **called; /* the names of the unseen ones */
};

/* The lowest and the highest port number that leads to a switch from others; without any the highest of all. */
struct ft_leads {
	uint32_t low, high;
};

struct ft_inference {
	const struct ft_snapshot *snapshot;
	const struct ft_snapshot *chips; /* as read: with directors as single chips */
	struct ft_chassis *chassis;	 /* borrowed; the directors that are one node each in @snapshot; NULL: none */
	struct ft_model model;		 /* only the parts that ft_observed_build() fills */
	struct ft_arena *memory;	 /* of that model; all that is found out lies in it */
	const struct ft_observed_fabric *observed;
	struct ft_multigraph graph; /* of the observed switches, and the cables between them */
	uint32_t *hosts;	    /* by observed switch: host ports, aggregation nodes left out */
	struct ft_leads *leads;	    /* by observed switch */
	bool extra_port[256];	    /* by number of ports: such switches have one for the aggregation node */
	uint32_t aggregations;	    /* aggregation nodes */
	uint32_t host_total;
	uint32_t usual_hosts;	   /* the median of switches with hosts */
	uint32_t *order;	   /* all observed switches, in the natural order of their names */
	uint32_t main_part;	   /* the connected part with the most hosts, which contains the tree */
	uint64_t cable_total;	   /* between different switches of the main part */
	struct ft_rate usual_rate; /* of cables between switches */

	struct ft_fits fits;
	/* Everything from here on belongs to one fit. */
	struct ft_fit fit;	      /* borrowed */
	uint32_t count[FT_RANKS_MAX]; /* switches seen of each rank */
	uint32_t *member[FT_RANKS_MAX];
	uint32_t unseen[FT_RANKS_MAX];	   /* unseen switches with evidence */
	uint32_t unseen_at[FT_RANKS_MAX];  /* the first of them in the plan's order */
	const char *lacking[FT_RANKS_MAX]; /* their names that the numbers of the others lack, ", " between; or NULL */
	struct ft_inferred design;
	struct ft_inferred_bind bind[FT_RANKS_MAX];
	const char *chassis_match[FT_RANKS_MAX]; /* a pattern for the names of chips, or NULL */
	const char *islands;			 /* that member of the design, with a leading comma; NULL: none */
	struct ft_text why[FT_WHY_COUNT];
};

/* In a graph every switch counts. */
static inline bool ft_infer_in_tree(const struct ft_inference *f, uint32_t observed)
{
	return !f->fit.rank || f->fit.rank[observed] != FT_OUTSIDE;
}

/* True if the switch is connected to the rest of the tree. */
static inline bool ft_infer_connected(const struct ft_inference *f, uint32_t observed)
{
	return f->observed->switches[observed].part == f->main_part;
}

/* True if the switch has so many hosts, and cables to the fabric, that it is there on purpose. */
static inline bool ft_infer_serves_hosts(const struct ft_inference *f, uint32_t observed)
{
	enum { FEW = 4, SHARE = 4 };

	return ft_infer_connected(f, observed) && f->hosts[observed] >= FEW &&
	       f->hosts[observed] * SHARE >= f->usual_hosts;
}

/* True for a switch with at least a quarter of the usual number of hosts. */
static inline bool ft_infer_has_hosts(const struct ft_inference *f, uint32_t observed)
{
	return f->hosts[observed] > 0 && f->hosts[observed] * 4 >= f->usual_hosts;
}

/* Ports of an observed switch, without the aggregation node's. */
uint32_t ft_infer_ports(const struct ft_inference *f, uint32_t observed);

/* Its highest port number in the snapshot, without an aggregation node's port. */
uint32_t ft_infer_last_port(const struct ft_inference *f, uint32_t observed);

/* graph.c: how many neighbours two switches have in common. */
uint32_t ft_infer_common_neighbours(const struct ft_multigraph *g, uint32_t a, uint32_t b);

/* graph.c: true for the second half of a port that was not split, of a switch whose ports are counted in halves. */
bool ft_infer_port_is_joined(const struct ft_inference *f, uint32_t observed, uint32_t number);

/* Counts of values that are mostly equal. */
enum { FT_TALLY_MAX = FT_DIRECTOR_PORTS_MAX + 1 };
struct ft_tally {
	uint32_t votes[FT_TALLY_MAX]; /* by value; larger values count as the largest */
	uint32_t end;		      /* one more than the largest value with a vote */
};

/* The cables of the lower switches to one upper switch: to the same core, or to the spine of the same place. */
struct ft_column {
	struct ft_tally pairs;
	uint32_t cables;
	uint32_t order; /* the caller's number of it */
	bool unseen;	/* only evidence of the upper switch was seen: the expected cables */
};

struct ft_columns {
	struct ft_column *column;
	uint32_t count;
	uint32_t room; /* cables from each lower switch for which an upper switch has ports */
};

/* A rule to spread uplinks. */
struct ft_spread_rule {
	enum ft_spread spread;
	uint32_t multiple;
	uint32_t bundle; /* the width of equal or thick bundles; else 0 */
	uint32_t uplinks;
	uint32_t widest; /* its widest bundle */
	bool pinned;	 /* the design gives the bundle; else it follows from the ports of the upper switches */
	uint64_t cost;	 /* surplus and missing cables under the rule */
};

/* True if all bundles have the same, given width: every rule agrees then. */
static inline bool ft_infer_rule_is_equal(const struct ft_spread_rule *rule)
{
	return rule->spread == FT_SPREAD_EVEN && rule->pinned;
}

/*
 * graph.c: true for a switch outside the tree with several cables, all to its top, as those of a router: two of them to
 * one switch, or as another one has. A single one in each of two ports may be there by chance.
 */
bool ft_infer_is_attached(const struct ft_inference *f, uint32_t observed);

/*
 * graph.c: the order of two switches in a plan: that of their names; where these are equal, that of the ports that lead
 * to them, which who cabled them has chosen; else by GUID.
 */
int ft_infer_compare(const struct ft_inference *f, uint32_t a, uint32_t b);

/* graph.c: neighbours and hosts of each switch. Returns 0 or -ENOMEM. */
int ft_infer_graph(struct ft_inference *f);

/* fits.c: fills fits, with none if the fabric is no tree, and order. Returns 0 or -ENOMEM. */
int ft_infer_fits(struct ft_inference *f);

/* fit.c: room for a fit, with all switches outside. Returns 0 or -ENOMEM. */
int ft_fit_init(const struct ft_inference *f, struct ft_fit *fit);

/* fit.c: the switches of a rank. */
uint32_t ft_fit_count(const struct ft_inference *f, const struct ft_fit *fit, uint32_t rank);

/* fit.c: the cables of a switch to those of a rank. */
uint32_t ft_fit_cables(const struct ft_inference *f, const struct ft_fit *fit, uint32_t observed, uint32_t rank);

/* fit.c: those to the other end of a step, in the switch's own group; and the number of switches there. */
uint32_t ft_fit_cables_within(const struct ft_inference *f, const struct ft_fit *fit, uint32_t step, uint32_t observed);
uint32_t ft_fit_links_within(const struct ft_inference *f, const struct ft_fit *fit, uint32_t step, uint32_t observed);

/* fit.c: the switches of a rank, by group of the step. NULL: no memory. */
uint32_t *ft_fit_group_sizes(const struct ft_inference *f, const struct ft_fit *fit, uint32_t step, uint32_t rank);

/* fit.c: votes of the groups of a step, for the number of switches of a rank. Returns 0 or -ENOMEM. */
int ft_fit_group_tally(const struct ft_inference *f, const struct ft_fit *fit, uint32_t step, uint32_t rank,
		       struct ft_tally *ret_tally);

/*
 * fit.c: the cables of one step; with room for as many columns again, of unseen switches. Upper switches of different
 * groups share a column if they have the same place: at the top those with the most cables come first, below it each
 * group of the step above is a place. Returns 0 or -ENOMEM.
 */
int ft_fit_columns(const struct ft_inference *f, const struct ft_fit *fit, uint32_t step, struct ft_columns *columns);

/* fit.c: whether the fit, with ranks and groups, is possible, and what it leaves unexplained. Returns 0 or -ENOMEM. */
int ft_fit_judge(const struct ft_inference *f, struct ft_fit *fit);

/* fit.c: fills count and member from fit. Returns 0 or -ENOMEM. */
int ft_infer_members(struct ft_inference *f);

/* "edge", "spine", "core" */
static inline const char *ft_infer_rank_name(const struct ft_inference *f, uint32_t rank)
{
	return rank == 0 ? "edge" : rank + 1 < f->fit.ranks ? "spine" : "core";
}

/* steps.c: how many switches each rank has, bundles and uplinks. Returns 0, -ENOMEM, or -EINVAL: no rule fits. */
int ft_infer_steps(struct ft_inference *f);

/*
 * widths.c: the simplest of the rules with the fewest surplus and missing cables. Sorts the columns as in the plan,
 * those with the most cables first.
 * @usual  uplinks of most lower switches; @most  possible uplinks of one
 * @like   NULL, or the required spread and multiple, unless all bundles are alike
 *
 * Returns 0, or -ERANGE if no rule fits.
 */
int ft_infer_rule(struct ft_columns *columns, uint32_t usual, uint32_t most, const struct ft_spread_rule *like,
		  struct ft_spread_rule *ret_rule);
void ft_infer_rule_tell(struct ft_text *why, const struct ft_spread_rule *rule, const struct ft_columns *columns,
			const char *pairs, const char *switches);

/* Gaps in the numbering of a rank's names. */
struct ft_numbers {
	uint32_t inside;	 /* numbers missing between others */
	uint32_t first;		 /* numbers missing below the lowest one, from 1, if the whole rank is one series */
	const char *names;	 /* the names for @inside, ", " between; NULL: there are none */
	const char *first_names; /* the names for @first */
	bool single;		 /* the whole rank is one series */
};

/*
 * numbers.c: fills @lacking, which is empty, and stays so if the rank is not numbered, or so many numbers are missing
 * that they were left out on purpose. Returns 0 or -ENOMEM.
 */
int ft_infer_numbers(const struct ft_inference *f, uint32_t rank, struct ft_numbers *lacking);

/*
 * unseen.c: unseen core switches of two ranks with evidence. Adds their columns, for which there is room, and changes
 * @rule from the one without them to the one with them. Fills unseen. Returns 0 or -ENOMEM.
 */
int ft_infer_unseen_cores(struct ft_inference *f, struct ft_columns *columns, uint32_t usual,
			  struct ft_spread_rule *rule);

/* unseen.c: unseen edge switches with evidence; of three ranks only notes them. Returns 0 or -ENOMEM. */
int ft_infer_unseen_edges(struct ft_inference *f);

/* counts.c: all numbers, and their notes. Returns 0, -ENOMEM, or -EINVAL if no design has them. */
int ft_infer_counts(struct ft_inference *f);

/* counts.c: rates and aggregation nodes of a graph, and their notes. */
void ft_infer_graph_counts(struct ft_inference *f);

/* counts.c: expects a rate only if it holds for all switches of the graph: else the verifier votes by class. */
void ft_infer_graph_rates(struct ft_inference *f);

/* The rates of some cables. */
struct ft_rates_told {
	struct ft_rate rates[FT_RATES_MAX]; /* of most; then others that are as usual, as of hosts of several makes */
	uint32_t votes[FT_RATES_MAX];
	uint32_t count; /* 0: none is known */
	uint32_t total; /* cables whose rate is known */
};

/* counts.c: what the cables in these ports, one of each, run at. */
void ft_infer_rates_at(const struct ft_inference *f, const uint32_t *ports, uint32_t count,
		       struct ft_rates_told *ret_told);

/* counts.c: true for one lane of several, or the lowest speed: the cable trains badly, however many do. */
bool ft_infer_rate_is_odd(struct ft_rate rate);

/* counts.c: the rate of most cables between a switch and others if it is not the usual one; else of unknown speed. */
struct ft_rate ft_infer_own_rate(const struct ft_inference *f, uint32_t observed);

/* counts.c: the same, if it is below the usual. */
struct ft_rate ft_infer_slower_rate(const struct ft_inference *f, uint32_t observed);

/* places.c: sorts the members into the plan's order. Returns 0 or -ENOMEM. */
int ft_infer_places(struct ft_inference *f);

/* rings.c: the rings of spines and core switches, in whose order the members are then. */
void ft_infer_rings(struct ft_inference *f);

/* names.c: 1 if every switch has a GUID of its own, 0 if not, or -ENOMEM. */
int ft_infer_guids_usable(const struct ft_inference *f);

/* names.c: bindings and islands. @by_name false: by GUIDs only. Returns 0 or -ENOMEM. */
int ft_infer_names(struct ft_inference *f, bool by_name);
void ft_infer_names_reset(struct ft_inference *f);

/*
 * islands.c: the @count switches of @member, which are outside the tree, as islands of the design. Returns 1; 0 if
 * names do not identify them; or -ENOMEM.
 */
int ft_infer_islands(struct ft_inference *f, uint32_t *member, uint32_t count);

/* general.c: a hash of a name without its numbers. */
uint64_t ft_infer_name_key(const char *name);

/* counts.c: that of a host. */
uint64_t ft_infer_host_key(const struct ft_inference *f, const struct ft_observed_host *host);

/* The name of an observed switch without what a comment adds (base/text.h); NULL: no memory. */
const char *ft_infer_short_name(const struct ft_inference *f, uint32_t observed);

/* True if two names differ only in their numbers. */
bool ft_infer_names_alike(const char *a, const char *b);

/* directors.c: the director of an observed switch, or NULL. */
const struct ft_director *ft_infer_director(const struct ft_inference *f, uint32_t observed);

/* directors.c: the ports of a director with as many boards as the largest of its tier; 0: unknown. */
uint32_t ft_infer_director_ports(const struct ft_inference *f, const struct ft_director *director);

/* directors.c: finds which ranks are directors, and what most of them consist of. Clears the name patterns first. */
void ft_infer_insides(struct ft_inference *f);

/* directors.c: patterns that identify the director of a chip. Returns 0 or -ENOMEM. */
int ft_infer_chassis_names(struct ft_inference *f);

/* write.c: the text of the design. */
void ft_infer_write(struct ft_text *text, const struct ft_inference *f, const char *name);
void ft_infer_write_rates(struct ft_text *text, const struct ft_inference *f);
/* The key "rate", with @before it; nothing if neither is known. @hosts: so many, any of which is right. */
void ft_infer_write_rates_of(struct ft_text *text, const char *before, struct ft_rate uplink,
			     const struct ft_rate *hosts, uint32_t host_count);

static inline void ft_tally_add_many(struct ft_tally *tally, uint32_t value, uint32_t votes)
{
	if (value >= FT_TALLY_MAX)
		value = FT_TALLY_MAX - 1;
	tally->votes[value] += votes;
	if (votes > 0 && value >= tally->end)
		tally->end = value + 1;
}

static inline void ft_tally_add(struct ft_tally *tally, uint32_t value)
{
	ft_tally_add_many(tally, value, 1);
}

/* The value with the most votes, from @least up; of equals the largest: parts are lost more often than added. */
uint32_t ft_tally_mode(const struct ft_tally *tally, uint32_t least);

/* The sum of the distances of all votes from @usual; adds the part below it to @lacking. */
uint64_t ft_tally_distance(const struct ft_tally *tally, uint32_t usual, uint64_t *lacking);

/* "540 of 558 UNITS have 2 MANY; 6 have 1, 12 have none" */
void ft_tally_tell(struct ft_text *text, const struct ft_tally *tally, uint32_t usual, const char *units,
		   const char *one, const char *many);

static inline const char *ft_infer_plural(uint64_t count, const char *one, const char *many)
{
	return count == 1 ? one : many;
}

#endif
