/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * What is known of a fabric, and helpers that several parts of the inference share. Private to infer/; general.h tells
 * how it all goes together.
 */
#ifndef FT_VERIFY_INFER_INFER_PARTS_H
#define FT_VERIFY_INFER_INFER_PARTS_H

#include "verify/model/chassis.h"
#include "verify/model/model.h"

enum { FT_RATES_MAX = 4 };

/* The subjects of the notes under "why" that do not depend on who writes the design. */
enum ft_why { FT_WHY_RATE, FT_WHY_AGGREGATION, FT_WHY_COUNT };

/* What is expected of all cables, and all hosts. */
struct ft_infer_rates {
	struct ft_rate uplink; /* of unknown speed: not said */
	struct ft_rate hosts[FT_RATES_MAX];
	uint32_t host_count;
	struct ft_rate meant[FT_RATES_MAX]; /* those of hosts that are meant so, however few have them */
	uint32_t meant_count;
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
	uint32_t *ports;	    /* by observed switch: without the port of an aggregation node */
	uint64_t *name_key;	    /* by observed switch: the hash of its name without numbers */
	struct ft_leads *leads;	    /* by observed switch */
	bool extra_port[256];	    /* by number of ports: such switches have one for the aggregation node */
	uint32_t aggregations;	    /* aggregation nodes */
	uint32_t host_total;
	uint32_t usual_hosts;	   /* the median of switches with hosts */
	uint32_t main_part;	   /* the connected part with the most hosts */
	uint64_t cable_total;	   /* between different switches of the main part */
	struct ft_rate usual_rate; /* of cables between switches */

	struct ft_infer_rates rates;
	struct ft_text why[FT_WHY_COUNT];
};

/* True if the switch is connected to most hosts. */
static inline bool ft_infer_connected(const struct ft_inference *f, uint32_t observed)
{
	return f->observed->switches[observed].part == f->main_part;
}

/* True for a switch with at least a quarter of the usual number of hosts. */
static inline bool ft_infer_has_hosts(const struct ft_inference *f, uint32_t observed)
{
	return f->hosts[observed] > 0 && f->hosts[observed] * 4 >= f->usual_hosts;
}

static inline uint32_t ft_infer_ports(const struct ft_inference *f, uint32_t observed)
{
	return f->ports[observed];
}

/* True if the names of two switches differ only in their numbers. */
static inline bool ft_infer_names_alike(const struct ft_inference *f, uint32_t a, uint32_t b)
{
	return f->name_key[a] == f->name_key[b];
}

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

/*
 * graph.c: the order of two switches in a plan: that of their names; where these are equal, that of the ports that lead
 * to them, which who cabled them has chosen; else by GUID.
 */
int ft_infer_compare(const struct ft_inference *f, uint32_t a, uint32_t b);

/* graph.c: neighbours and hosts of each switch. Returns 0 or -ENOMEM. */
int ft_infer_graph(struct ft_inference *f);

/* Some switches, as those of a rank. */
struct ft_infer_set {
	const uint32_t *member; /* observed ones */
	uint32_t count;
};

/* Names of switches that nobody saw are shorter: longer ones have no running number. */
enum { FT_ABSENT_NAME_SIZE = 64 };

/* Gaps in the numbering of their names. */
struct ft_numbers {
	uint32_t inside;	 /* numbers missing between others */
	uint32_t first;		 /* numbers missing below the lowest one, from 1, if all are one series */
	const char *names;	 /* the names for @inside, ", " between; NULL: there are none */
	const char *first_names; /* the names for @first */
	bool single;		 /* all are one series */
};

/*
 * numbers.c: fills @lacking, which is empty, and stays so if the switches are not numbered, or so many numbers are
 * missing that they were left out on purpose. Returns 0 or -ENOMEM.
 */
int ft_infer_numbers(const struct ft_inference *f, const struct ft_infer_set *set, struct ft_numbers *lacking);

/* rates.c: rates and aggregation nodes of a graph, and their notes. */
void ft_infer_graph_counts(struct ft_inference *f);

/* rates.c: expects a rate only if it holds for all switches of the graph: else the verifier votes by class. */
void ft_infer_graph_rates(struct ft_inference *f);

/* The rates of some cables. */
struct ft_rates_told {
	struct ft_rate rates[FT_RATES_MAX]; /* of most; then others that are as usual, as of hosts of several makes */
	uint32_t votes[FT_RATES_MAX];
	uint32_t count; /* 0: none is known */
	uint32_t total; /* cables whose rate is known */
};

/* rates.c: what the cables in these ports, one of each, run at. */
void ft_infer_rates_at(const struct ft_inference *f, const uint32_t *ports, uint32_t count,
		       struct ft_rates_told *ret_told);

/* rates.c: true for one lane of several, or the lowest speed: the cable trains badly, however many do. */
bool ft_infer_rate_is_odd(struct ft_rate rate);

/* rates.c: the rate of most cables between a switch and others if it is not the usual one; else of unknown speed. */
struct ft_rate ft_infer_own_rate(const struct ft_inference *f, uint32_t observed);

/* rates.c: the same, if it is below the usual. */
struct ft_rate ft_infer_slower_rate(const struct ft_inference *f, uint32_t observed);

/* by_rule.c: 1 if every switch has a GUID of its own, 0 if not, or -ENOMEM. */
int ft_infer_guids_usable(const struct ft_inference *f);

/* general.c: a hash of a name without its numbers. */
uint64_t ft_infer_name_key(const char *name);

/* rates.c: that of a host. */
uint64_t ft_infer_host_key(const struct ft_inference *f, const struct ft_observed_host *host);

/* The name of an observed switch without what a comment adds (base/text.h); NULL: no memory. */
const char *ft_infer_short_name(const struct ft_inference *f, uint32_t observed);

/* directors.c: the director of an observed switch, or NULL. */
const struct ft_director *ft_infer_director(const struct ft_inference *f, uint32_t observed);

/* directors.c: the ports of a director with as many boards as the largest of its tier; 0: unknown. */
uint32_t ft_infer_director_ports(const struct ft_inference *f, const struct ft_director *director);

/* The switches of a tier of a tree. */
struct ft_infer_tier {
	const char *name;
	uint32_t ports; /* of most; of directors all that have a place for a board */
	bool mixed;	/* some are directors, but not most */
	/* What most of them consist of if most are directors. */
	bool directors;
	bool boards_unlike; /* they have unlike numbers of line boards */
	struct ft_inside inside;
	const char *match; /* a pattern that identifies the director of a chip by its name, or NULL */
	const char *why;   /* the note on that, or NULL */
};

/*
 * directors.c: fills @ret_tier from its switches, of which those beyond the observed ones are left out. Returns 0 or
 * -ENOMEM.
 */
int ft_infer_tier(const struct ft_inference *f, const char *name, const uint32_t *order, uint32_t count,
		  struct ft_infer_tier *ret_tier);

/* directors.c: the key of a tier with its ports and what directors consist of; the caller writes the rest and the end.
 */
void ft_infer_write_tier(const struct ft_infer_tier *tier, struct ft_text *text);

/* directors.c: the note on directors of all tiers, with a comma before it; nothing if there are none. */
void ft_infer_tell_tiers(const struct ft_infer_tier *tiers, uint32_t count, struct ft_text *text);

/* by_rule.c: the key "rate" of the whole design. */
void ft_infer_write_rates(struct ft_text *text, const struct ft_inference *f);
/* The key "rate", with @before it; nothing if neither is known. @hosts: so many, any of which is right. */
void ft_infer_write_rates_of(struct ft_text *text, const char *before, struct ft_rate uplink,
			     const struct ft_rate *hosts, uint32_t host_count);

static inline void ft_tally_add(struct ft_tally *tally, uint32_t value)
{
	if (value >= FT_TALLY_MAX)
		value = FT_TALLY_MAX - 1;
	tally->votes[value]++;
	if (value >= tally->end)
		tally->end = value + 1;
}

/* The value with the most votes, from @least up; of equals the largest: parts are lost more often than added. */
uint32_t ft_tally_mode(const struct ft_tally *tally, uint32_t least);

/* The sum of the distances of all votes from @usual; adds the part below it to @lacking. */
uint64_t ft_tally_distance(const struct ft_tally *tally, uint32_t usual, uint64_t *lacking);

static inline const char *ft_infer_plural(uint64_t count, const char *one, const char *many)
{
	return count == 1 ? one : many;
}

#endif
