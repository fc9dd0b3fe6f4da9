/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * What the parts of the inference share. Private to verify/infer*.c.
 *
 * Flow: ft_infer_graph() -> ft_infer_tiers(), which finds the ways to see the fabric, and for each of them
 * ft_infer_members() -> ft_infer_counts() -> ft_infer_names() -> ft_infer_write(), until one will do.
 */
#ifndef FT_VERIFY_INFER_PARTS_H
#define FT_VERIFY_INFER_PARTS_H

#include "verify/chassis.h"
#include "verify/model.h"

/* A switch that is cabled to another, and by how many cables; loopbacks are left out. */
struct ft_neighbour {
	uint32_t live;
	uint32_t cables;
};

/* Of a live switch that is no part of the tree. */
#define FT_OUTSIDE FT_TIER_COUNT

/* Which switches are of the tree, and where: one way to see the fabric. By live switch. */
struct ft_fit {
	uint8_t *role;	 /* enum ft_tier or FT_OUTSIDE */
	uint32_t *pod;	 /* of edges and spines, from 0; FT_NONE for others */
	uint32_t *plane; /* of spines and cores */
	bool *beside;	 /* outside of the tree, and cabled so on purpose */
	uint32_t levels; /* 1 (a star), 2 or 3 */
	uint32_t pods, planes;
	uint64_t unexplained; /* cables that are there and should not be, or the other way round */
	uint64_t lacking;     /* of those, the other way round */
	bool possible;
};

/* The likeliest first: two levels, three twice, and a star; last two levels without those beside them. */
enum { FT_FITS_MAX = 5 };
struct ft_fits {
	struct ft_fit fit[FT_FITS_MAX];
	uint32_t count;
};

/* What the notes under "why" are about, in the order of the file. */
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

enum { FT_HOST_KINDS_MAX = 4, FT_POD_KINDS_MAX = 8, FT_RATES_MAX = 4, FT_EXPECTED_MAX = 8 };

/* The design in the making. */
struct ft_inferred {
	uint32_t nodes;
	uint32_t edge_count, edge_ports, ports_to_nodes, ports_to_core;
	uint32_t spine_count, spine_ports, spine_up;
	uint32_t core_count, core_ports;
	uint32_t bundle;       /* 0: not pinned */
	uint32_t spine_bundle; /* three levels */
	enum ft_spread spread;
	uint32_t multiple;
	enum ft_fill fill;
	struct ft_host_kind hosts[FT_HOST_KINDS_MAX]; /* hosts of edges that no fill gives */
	uint32_t host_kinds;
	struct ft_pod_kind pods[FT_POD_KINDS_MAX];
	uint32_t pod_kinds;
	struct ft_rate uplink_rate; /* of unknown speed: not said */
	struct ft_rate host_rates[FT_RATES_MAX];
	uint32_t host_rate_count;
	bool directors[FT_TIER_COUNT];
	struct ft_inside inside[FT_TIER_COUNT]; /* of directors */
	bool sorted_by_hosts; /* the plan's hosts come out exactly where edges go by their number of hosts */
};

/* How a tier is bound. */
struct ft_inferred_bind {
	char *match; /* a pattern, or NULL; owned */
	bool names;  /* a list of names */
	bool guids;  /* a list of GUIDs */
};

struct ft_inference {
	const struct ft_snapshot *snapshot;
	const struct ft_snapshot *chips; /* as it was read: a director is its chips */
	struct ft_chassis
		*chassis;      /* borrowed; the directors that are one node each in @snapshot; NULL: there are none */
	struct ft_model model; /* of it, only what ft_live_build() fills */
	const struct ft_live *live;
	uint32_t *near_first; /* by live switch: its first of near[]; one more at the end */
	struct ft_neighbour *near;
	uint32_t *hosts;       /* by live switch: host ports, aggregation nodes left out */
	bool extra_port[256];  /* switches of so many ports have one that is the aggregation node's */
	uint32_t aggregations; /* aggregation nodes */
	uint32_t host_total;
	uint32_t usual_hosts;	   /* on a switch that has any: the median */
	uint32_t main_part;	   /* the connected part with the most hosts: the tree is there */
	uint64_t cable_total;	   /* between different switches of it */
	struct ft_rate usual_rate; /* of cables between switches */

	struct ft_fits fits;
	/* All from here on is of one of them. */
	struct ft_fit fit;	       /* borrowed */
	uint32_t count[FT_TIER_COUNT]; /* switches seen of each tier */
	uint32_t *member[FT_TIER_COUNT];
	uint32_t unseen[FT_TIER_COUNT]; /* switches that left a trace only */
	struct ft_inferred design;
	struct ft_inferred_bind bind[FT_TIER_COUNT];
	char *chassis_match[FT_TIER_COUNT]; /* a pattern for the names of chips, or NULL; owned */
	bool no_lists;			    /* a list would do harm */
	char *expected[FT_EXPECTED_MAX];    /* patterns for expect.unplanned; owned */
	uint32_t expected_count;
	struct ft_text islands; /* the member of the design, with the comma before it; empty: there are none */
	struct ft_text why[FT_WHY_COUNT];
};

/* Of a graph every switch is. */
static inline bool ft_infer_in_tree(const struct ft_inference *f, uint32_t live)
{
	return !f->fit.role || f->fit.role[live] != FT_OUTSIDE;
}

/* Is the switch connected to the rest of the tree? */
static inline bool ft_infer_connected(const struct ft_inference *f, uint32_t live)
{
	return f->live->switches[live].part == f->main_part;
}

/* So many hosts hang on it, and it on the fabric, that it is there on purpose. */
static inline bool ft_infer_serves_hosts(const struct ft_inference *f, uint32_t live)
{
	enum { FEW = 4, SHARE = 4 };

	return ft_infer_connected(f, live) && f->hosts[live] >= FEW && f->hosts[live] * SHARE >= f->usual_hosts;
}

/* Ports of a live switch, without the aggregation node's. */
uint32_t ft_infer_ports(const struct ft_inference *f, uint32_t live);

/* The numbers of its ports in the snapshot are up to this one; what is beyond is an aggregation node's. */
uint32_t ft_infer_last_port(const struct ft_inference *f, uint32_t live);

/* Counts of something that is mostly one and the same. */
enum { FT_TALLY_MAX = FT_DIRECTOR_PORTS_MAX + 1 };
struct ft_tally {
	uint32_t votes[FT_TALLY_MAX]; /* by value; larger values count as the largest */
	uint32_t end;		      /* behind the largest value that has a vote */
};

/* What lower switches have to one upper switch each: to the same core, or to the spine of the same place. */
struct ft_column {
	struct ft_tally pairs;
	uint32_t cables;
	uint32_t order; /* the caller's number of it */
	bool unseen;	/* the upper switch left a trace only: what it should have */
};

struct ft_columns {
	struct ft_column *column;
	uint32_t count;
	uint32_t room; /* cables that an upper switch has ports for from each lower one */
};

/* A rule to spread uplinks. */
struct ft_spread_rule {
	enum ft_spread spread;
	uint32_t multiple;
	uint32_t bundle; /* of equal or thick bundles; else 0 */
	uint32_t uplinks;
	uint32_t widest; /* of its bundles */
	bool pinned;	 /* the bundle is said in the design; else the ports of the upper switches give it */
	uint64_t cost;	 /* cables missing or too many by it */
};

/* All bundles alike, and said: so by any rule. */
static inline bool ft_infer_rule_is_equal(const struct ft_spread_rule *rule)
{
	return rule->spread == FT_SPREAD_EVEN && rule->pinned;
}

/* infer_graph.c: who is cabled to whom, and hosts. Returns 0 or -ENOMEM. */
int ft_infer_graph(struct ft_inference *f);

/* infer_tiers.c: fills fits. Returns 0, -ENOMEM, or -EINVAL with @err filled where there is none. */
int ft_infer_tiers(struct ft_inference *f, struct ft_error *err);
void ft_fits_release(struct ft_fits *fits);

/*
 * infer_beside.c: @fit, of two levels, without edges that are cabled otherwise than the others, and evidently meant so.
 * @ret is allocated. Returns 1, 0 where there are none, or -ENOMEM.
 */
int ft_infer_beside(const struct ft_inference *f, const struct ft_fit *fit, struct ft_fit *ret);

/* infer_tiers.c: fills count and member from fit. Returns 0 or -ENOMEM. */
int ft_infer_members(struct ft_inference *f);

/*
 * Planned trees have at most so many hosts to a cable: where one switch or one pod is all there is, this tells a tree
 * from a stray switch on it.
 */
enum { FT_CROWDED = 4 };

/*
 * infer_pods.c: the fabric as three levels; @fit is allocated, its roles are to be found.
 * @least  hosts that make a switch an edge. Returns 0 or -ENOMEM.
 */
int ft_infer_three(struct ft_inference *f, struct ft_fit *fit, uint32_t least);

/* infer_pods.c: the numbers of three levels. Returns 0, -ENOMEM, or -EINVAL with @err filled. */
int ft_infer_three_counts(struct ft_inference *f, struct ft_error *err);

/* infer_widths.c: bundles and uplinks of two levels. Returns 0, -ENOMEM, or -EINVAL with @err filled. */
int ft_infer_widths(struct ft_inference *f, struct ft_error *err);

/*
 * infer_widths.c: of all rules the simplest of those that leave the fewest cables missing or too many. Sorts the
 * columns, those with the most cables first, as in the plan.
 * @usual  uplinks that most have; @most  that a lower switch can have
 * @like   NULL, or the spread and multiple that it must have, if its bundles are not all alike
 *
 * Returns 0, or -ERANGE where no rule fits.
 */
int ft_infer_rule(struct ft_columns *columns, uint32_t usual, uint32_t most, const struct ft_spread_rule *like,
		  struct ft_spread_rule *ret_rule);
void ft_infer_rule_tell(struct ft_text *why, const struct ft_spread_rule *rule, const struct ft_columns *columns,
			const char *pairs, const char *switches);

/* Switches whose numbers lack among the names of a tier. */
struct ft_numbers {
	uint32_t inside;	    /* numbers between others */
	uint32_t first;		    /* from 1 on to the lowest, where the whole tier is one series */
	struct ft_text names;	    /* of those inside, for a note */
	struct ft_text first_names; /* and of those before */
	bool single;		    /* the whole tier is one series */
};

/*
 * infer_numbers.c: fills @lacking, which is empty, and stays so where the tier is not numbered or so many numbers lack
 * that they were left out on purpose. Returns 0 or -ENOMEM; to be released in any case.
 */
int ft_infer_numbers(const struct ft_inference *f, enum ft_tier tier, struct ft_numbers *lacking);
void ft_numbers_release(struct ft_numbers *lacking);

/*
 * infer_unseen.c: core switches of two levels that left a trace only. Adds their columns, for which there is room, and
 * makes @rule, the one without them, that with them. Fills unseen. Returns 0 or -ENOMEM.
 */
int ft_infer_unseen_cores(struct ft_inference *f, struct ft_columns *columns, uint32_t usual,
			  struct ft_spread_rule *rule);

/* infer_unseen.c: edge switches that left a trace only; of three levels it is only told. Returns 0 or -ENOMEM. */
int ft_infer_unseen_edges(struct ft_inference *f);

/* infer_counts.c: all numbers, and the notes on them. Returns 0, -ENOMEM, or -EINVAL with @err filled. */
int ft_infer_counts(struct ft_inference *f, struct ft_error *err);

/*
 * infer_counts.c: rates and aggregation nodes of a graph, and the notes on them. What is expected is said only where it
 * holds for all switches: else the verifier votes by class.
 */
void ft_infer_graph_counts(struct ft_inference *f);

/* infer_counts.c: the rate of most cables between a switch and others, if that is less than usual; else of no speed. */
struct ft_rate ft_infer_slower_rate(const struct ft_inference *f, uint32_t live);

/* infer_places.c: puts the members of three levels into the plan's order. Returns 0 or -ENOMEM. */
int ft_infer_places(struct ft_inference *f);

/* infer_names.c: binding and what to expect. @by_name false: by GUIDs only. Returns 0 or -ENOMEM. */
int ft_infer_names(struct ft_inference *f, bool by_name);
void ft_infer_names_release(struct ft_inference *f);

/*
 * infer_islands.c: the @count switches of @member, which are no part of the tree, as islands of the design. Returns 1;
 * 0 where names do not tell who is who; or -ENOMEM.
 */
int ft_infer_islands(struct ft_inference *f, uint32_t *member, uint32_t count);

/* infer_directors.c: the director that a live switch is, or NULL. */
const struct ft_director *ft_infer_director(const struct ft_inference *f, uint32_t live);

/* infer_directors.c: the ports of a director with as many boards as the largest of its tier; 0: not known. */
uint32_t ft_infer_director_ports(const struct ft_inference *f, const struct ft_director *director);

/* infer_directors.c: which tiers are directors, and what most of them are made of. Begins with no pattern of names. */
void ft_infer_insides(struct ft_inference *f);

/* infer_directors.c: patterns by which the chips of a director are told. Returns 0 or -ENOMEM. */
int ft_infer_chassis_names(struct ft_inference *f);

/*
 * infer_names.c: adds a name with every number in it made any number (GUIDs too), as a regular expression, to @shape.
 *
 * @literal  [FT_SHAPE_NUMBERS]: which numbers of the name stay as they are; NULL: none
 * Returns false where it holds what no pattern is made of.
 */
enum { FT_SHAPE_NUMBERS = 16 };
bool ft_infer_shape(struct ft_text *shape, const char *name, size_t length, const bool *literal);

/* infer_names.c: where the number that begins at @at ends; @at where none does. */
size_t ft_infer_number_end(const char *name, size_t length, size_t at);

/* infer_write.c: the text of the design. */
void ft_infer_write(struct ft_text *text, const struct ft_inference *f, const char *name);
void ft_infer_write_rates(struct ft_text *text, const struct ft_inference *f);

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

/* The value with most votes, from @least up; of equals the largest, for things get lost more often than they grow. */
uint32_t ft_tally_mode(const struct ft_tally *tally, uint32_t least);

/* How far all votes are from @usual; what those below it lack is added to @lacking. */
uint64_t ft_tally_distance(const struct ft_tally *tally, uint32_t usual, uint64_t *lacking);

/* "540 of 558 UNITS have 2 MANY; 6 have 1, 12 have none" */
void ft_tally_tell(struct ft_text *text, const struct ft_tally *tally, uint32_t usual, const char *units,
		   const char *one, const char *many);

static inline const char *ft_infer_plural(uint64_t count, const char *one, const char *many)
{
	return count == 1 ? one : many;
}

#endif
