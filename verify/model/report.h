/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The report: what is wrong with the fabric, one finding a fault, and the figures around it. SPEC section 6 in C.
 *
 * All strings are safe for a terminal (base/text.h). They and all lists are in the report's arena (ft_report.memory).
 */
#ifndef FT_VERIFY_MODEL_REPORT_H
#define FT_VERIFY_MODEL_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/ratio.h"
#include "planner/plan/plan.h"
#include "probe/lanes.h"
#include "probe/snapshot.h"
#include "verify/model/codes.h"

enum ft_verdict { FT_VERDICT_OK, FT_VERDICT_WARNING, FT_VERDICT_CRITICAL, FT_VERDICT_UNKNOWN };

/* How a finding is known. */
enum ft_evidence {
	FT_EVIDENCE_ABSENT,    /* the port that should hold the cable was read, and is down */
	FT_EVIDENCE_MUTE,      /* the link is up, its far end does not respond */
	FT_EVIDENCE_UNREACHED, /* the sweep did not reach it */
	FT_EVIDENCE_SEEN,      /* something was observed in the wrong place or state */
};

/* A place: a node as observed, and one of its ports. */
enum { FT_INTERFACE_SIZE = 36 };
struct ft_place {
	char *name;			   /* the node description made safe */
	uint64_t guid;			   /* the node's; 0: not known (a planned switch that was not seen) */
	uint32_t port;			   /* 0: no particular port */
	uint32_t switch_number;		   /* in a model: the observed switch, from 1; 0: none, or not known */
	char interface[FT_INTERFACE_SIZE]; /* the port's name on Ethernet, "swp19", safe; "": it has none */
};

/* Sets its interface; false: @name is NULL, empty, too long, or no printable ASCII. */
bool ft_place_interface_set(struct ft_place *place, const char *name);

/* " port 19", " swp19", or "" of a place without a port. */
enum { FT_PORT_WORDS_SIZE = 48 };
const char *ft_port_words(const struct ft_place *place, char buffer[FT_PORT_WORDS_SIZE]);

/* A consequence of a finding, listed under it. */
struct ft_symptom {
	char *text;
	struct ft_place place;
};

/* The impact of a finding. */
struct ft_impact {
	uint32_t links_lost; /* planned uplink cables that carry nothing now */
	uint32_t hosts_cut_off;
	uint32_t hosts_at_risk; /* switches or hosts that one more failure would cut off, where in the plan none does */
	uint32_t edges;		/* edge switches with less than their planned bandwidth */
	/*
	 * Values of 0, or with a denominator of 0, are as planned. Each is computed as if there were no other finding.
	 */
	struct ft_ratio bisection_lost;	 /* fraction of the planned */
	struct ft_ratio throughput_lost; /* likewise, where it was asked for */
	struct ft_ratio edge_loss;	 /* of the uplinks of the edge that loses most: ft_finding.worst_edge */
	struct ft_ratio blocking;	 /* of that edge now */
	bool ftree_refuses;		 /* OpenSM's ftree would reject the fabric because of this finding alone */
};

/* One manual action. Ports are places; a place without a port number is any suitable free port of that switch. */
enum ft_act {
	FT_ACT_CONNECT,	 /* a cable is missing between @a and @b: reseat it, or replace it */
	FT_ACT_REMOVE,	 /* unplug the cable from @a to @b */
	FT_ACT_MOVE,	 /* move the cable end from @a to @b; its other end stays */
	FT_ACT_EXCHANGE, /* the cable ends in @a and @b change places */
	FT_ACT_RENEW,	 /* the cable from @a to @b is in its place, but faulty: reseat it, or replace it */
	FT_ACT_POWER,	 /* switch @a (its planned name, if it was not seen) is off or gone: bring it back */
	FT_ACT_BOARD,	 /* board @a of a director likewise */
	FT_ACT_SETTING,	 /* no manual work: a setting, by software */
};

struct ft_action {
	enum ft_act act;
	struct ft_place a, b; /* b.name NULL: there is none */
	bool trace;	      /* of the backplane of a director: no cable */
};

/* A bundle of the plan that lacks cables because of a finding. */
struct ft_lack {
	uint32_t a, b; /* indices into the plan's switches */
	uint32_t cables;
	uint32_t part_ppm; /* and, of one more cable that is slow, so many millionths */
};

/* A board of a director, or one chip of it. */
struct ft_finding_board {
	bool known; /* else the finding is not about a board */
	bool line;  /* else a fabric board */
	bool gap;   /* it is not there, or comes back: the id has the following, not the ports that are dark */
	uint64_t director;
	uint32_t board, chip; /* from 1; 0: not known, or all of the board */
};

struct ft_finding {
	char *id; /* stable across sweeps for the same fault */
	enum ft_code code;
	enum ft_severity severity;
	enum ft_evidence evidence;
	struct ft_place *where;
	size_t where_count;
	char *expected;
	char *observed;
	uint32_t count; /* number of cables, hosts, …, by code */
	char *text;	/* one sentence: cause and place */
	char *fix;	/* what to do */
	struct ft_impact impact;
	char *worst_edge; /* NULL: no edge switch has less */
	struct ft_symptom *symptoms;
	size_t symptom_count;
	struct {
		uint32_t up, of; /* cables of a switch that is coming back; 0: none is */
	} returning;
	struct ft_place subject; /* the former name of a switch that was not seen; name NULL: not known */
	/* All switches and chips that are not seen because of it, as they were called; none that is coming back. */
	struct ft_place *unseen;
	size_t unseen_count;
	/* Of a switch that was not seen: its name in the plan, where that is known; not owned. */
	const char *planned_as;
	bool vague;	     /* the id does not identify the switch, so no waiver can */
	char *waived;	     /* NULL, or why this is known and raises no alarm; the severity is info then */
	char **alternatives; /* other explanations of equal cost, and the check that distinguishes them */
	size_t alternative_count;
	char **hosts; /* the names of the hosts that it cuts off, as far as known, sorted; NULL: of none */
	size_t host_count;
	/* No part of the JSON: a report that was read has neither. What is gone with a whole switch is not listed. */
	struct ft_lack *lacks;
	size_t lack_count;
	uint32_t *gone; /* switches of the plan that are unreachable because of it */
	size_t gone_count;
	struct ft_finding_board board; /* the missing board, if that is the fault */
	struct ft_action *actions;     /* the repair, in this order; none: no repair is known */
	size_t action_count;
};

/* True if the code of a finding has one of these traits (enum ft_code_trait). */
static inline bool ft_finding_has(const struct ft_finding *finding, unsigned int traits)
{
	return ft_codes[finding->code].traits & traits;
}

enum ft_status {
	FT_STATUS_OK,
	FT_STATUS_DEGRADED,
	FT_STATUS_ISOLATED,
	FT_STATUS_MISSING,
	FT_STATUS_UNPLANNED,
	FT_STATUS_MUTE,
	FT_STATUS_UNREACHED,
	FT_STATUS_NOT_DUE, /* not there, and its phase is not over */
	FT_STATUS_GONE,	   /* not there, as accepted in the design */
	FT_STATUS_COUNT
};

/* The number of switches of a tier above the edge. */
struct ft_report_tier {
	uint32_t planned, found, ok, degraded, missing;
};

/* The switches of one kind, in a plan without tiers. */
struct ft_report_kind {
	char *name; /* "leaf"; "switch": no other word */
	uint32_t planned, found, ok, degraded, isolated, missing;
};

/* A switch of the plan or of the fabric, or, as a rule, of both. */
struct ft_report_switch {
	char *name;	  /* as observed; the planned name if it was not seen */
	uint64_t guid;	  /* 0: not seen */
	const char *tier; /* "edge", "spine", "core", "island"; of an unplanned switch the tier it resembles */
	char *planned_as; /* NULL: unplanned */
	enum ft_status status;
	uint32_t uplinks_planned;
	uint32_t uplinks_up;
	uint32_t hosts;
	char *hosts_names; /* "node055-node072"; "" if none */
	char *kind;	   /* by the plan, where that has no tiers; else, and of an unplanned switch, NULL */
};

/* A subnet manager, if they were queried. */
struct ft_report_sm {
	struct ft_place place;
	uint64_t port_guid; /* from SMInfo; 0: no response */
	const char *state;  /* ft_sm_state_name() */
	uint32_t priority;
	uint32_t activity;
};

/* The ports whose error counters were read, if any. */
struct ft_report_counters {
	uint32_t interval_ms; /* 0: they were not read */
	uint32_t ports;	      /* that are up */
	uint32_t read;
	uint32_t no_lid, silent, refused; /* those that could not be read: see enum ft_counted */
	uint32_t stuck;			  /* of those read: an error counter was at its maximum all the time */
	uint32_t discarding;		  /* of those read: packets were discarded, usually by congestion */
};

/* How much of the bisection may be lost, in percent; 0: not checked. */
struct ft_limits {
	unsigned int warning_percent;  /* less is no warning */
	unsigned int critical_percent; /* a loss of this much is critical */
};

/* Pairs of host ports with so many switch chips on a shortest path. */
struct ft_hop_pairs {
	uint32_t chips;
	uint64_t pairs;
};

/* Sorted by chips; only numbers of chips that occur. */
struct ft_histogram {
	struct ft_hop_pairs *pairs;
	size_t count;
};

/* One step of a repair, and the state expected after it and all earlier ones. */
struct ft_repair_step {
	enum ft_act act;
	struct ft_place a, b; /* b.name NULL: there is none; a port 0: any free one */
	char *place;	      /* the switch where it is done */
	char *rack;	      /* and its rack, by the floor plan; NULL: not known */
	char *text;	      /* one sentence */
	char **mends;	      /* ids of findings */
	size_t mend_count;
	bool predicted; /* the expected state was computed: not for each step, if there are very many */
	enum ft_verdict verdict;
	uint32_t findings, uplinks_up, hosts_found;
};

/* A finding without a manual repair, or one that appears once the rest is repaired. */
struct ft_repair_left {
	char *id, *text;
};

/* In a plan without tiers any switch may fail, not only those without hosts. */
enum ft_after_kind { FT_AFTER_CORE, FT_AFTER_CABLE, FT_AFTER_SWITCH, FT_AFTER_KINDS };

/* The severity of a set of failures. Means are exact, over the sets examined. */
struct ft_after_state {
	struct ft_ratio edges, hosts; /* edge switches without a path to a core switch, and the hosts on them */
	struct ft_ratio bisection;    /* the remaining fraction of the planned bisection */
	struct ft_ratio blocking;     /* of the worst edge that has a path; 0: none has */
	/* Only in a plan without ranks, where failures make paths longer; else all 0:0. */
	struct ft_ratio clos;	   /* switches between the two hosts that are farthest apart and have a path */
	struct ft_ratio mean_hops; /* switches between two hosts with a path, on average */
	struct ft_ratio pairs;	   /* of hosts that have no path any more, those of failed switches included */
};

/* The effect of so many more failures (measure/failures.h). */
struct ft_after {
	enum ft_after_kind kind;
	uint32_t count, of;   /* so many of the existing ones */
	char *ways;	      /* the number of combinations: "15", "8.1e12" */
	uint32_t looked;      /* at so many of them */
	uint32_t hops_looked; /* at so many for distances; 0: distances were not measured */
	bool drawn;	      /* the sets were sampled, with this seed, not enumerated */
	uint32_t seed;
	bool exact; /* no way is worse */
	struct ft_after_state worst, mean;
	char *example; /* the failures that cut off most hosts, or else lose most bandwidth */
};

/* The time of a workload with the faults that were found, and as planned (routes/workload.h). */
struct ft_report_workload {
	char *name;
	uint32_t hosts, hosts_left_out;
	uint64_t planned_ns, found_ns;
	struct ft_ratio ratio; /* found / planned */
	bool by_tables;	       /* the forwarding tables are known */
	uint64_t tables_ns;    /* by them; 0: they do not lead everywhere */
};

struct ft_report {
	/* The plan and the snapshot that were compared. */
	char *plan_name;
	char *plan_file;
	bool plan_found;      /* the default plan, not named by the user: the report names it. Not part of the JSON */
	char plan_sha256[65]; /* of the file */
	char plan_hash[65];   /* of the design in its normal form (struct ft_design); "": not known */
	struct {
		uint32_t count; /* findings that the design accepts; 0: none, and all else is NULL */
		char *by, *at;	/* the last of them; safe */
	} accepted;
	bool unmatched; /* which switch is which was not found (check/foreign.c). Not part of the JSON */
	struct {
		bool live;
		char *detail;
		struct ft_place entry;
		char *engine;	  /* of a sweep: what swept; else NULL */
		char *engine_why; /* NULL: the user said so */
		uint32_t mads, timeouts, duration_ms;
		bool complete;
		bool ethernet; /* else InfiniBand */
		char **unreached;
		size_t unreached_count;
	} source;
	int64_t time_s;

	enum ft_verdict verdict;
	struct {
		uint32_t planned, found, ok, degraded, isolated;
	} edge;
	struct ft_report_tier spine; /* three levels only: else all 0 */
	struct ft_report_tier core;
	struct ft_report_tier islands; /* all 0 where the plan has none */
	/* In a plan without tiers @edge counts the switches with hosts in the plan, and @core the others. */
	struct ft_report_kind *kinds;
	size_t kind_count;
	/* planned = up + missing + misplaced + unjudged */
	struct {
		uint32_t planned, up, missing, misplaced, unplanned, slow;
	} uplinks;
	struct {
		uint32_t planned, found;
	} hosts;
	struct ft_histogram hops_planned, hops_found;
	uint64_t hops_unreachable; /* pairs of hosts without any path */
	/*
	 * Places of the plan with a switch in them: told by its name or GUID, or found by its cables alone. Where none
	 * is told and the network looks alike from several switches, which of them has which place was chosen freely.
	 */
	uint32_t places_told, places_found;
	uint32_t clos_planned, clos_found; /* found 0: no two edges with hosts reach each other */
	struct ft_ratio blocking_planned, blocking_worst;
	struct ft_ratio bisection; /* fraction of the planned */
	bool ftree_known;	   /* whether OpenSM's ftree would refuse the fabric as it is, and why */
	bool ftree_refuses;
	char *ftree_why; /* NULL: it would not */

	/* Forwarding tables; if they were read, @switches is not 0. Pairs of hosts are ordered. */
	struct {
		uint32_t switches, tables;    /* switches, and those of them whose tables are completely known */
		uint32_t pairs;		      /* = reached + unreachable + looping + unknown */
		uint32_t reached;	      /* pairs whose route arrives */
		uint32_t unreachable;	      /* pairs whose route ends early, or that are not connected at all */
		uint32_t looping;	      /* pairs whose route loops */
		uint32_t unknown;	      /* pairs whose route leads to an unknown table */
		uint32_t longest, mean_milli; /* switches on a route that arrives; the mean in thousandths */
		uint32_t mads;		      /* packets sent for the tables and for lanes; 0: read from files */
		/*
		 * Of pairs whose route is on a circle of channels if all use one lane: those whose lanes are not known.
		 * They are in no route-cycle. 0 as well where nothing is known of lanes: then all are.
		 */
		uint32_t lanes_unknown;
	} routes;
	struct ft_lane_wants lane_wants; /* probe/lanes.h: what would tell circles from lanes; empty unless wanted */

	struct ft_report_switch *switches;
	size_t switch_count;
	struct ft_report_sm *sms; /* NULL: they were not asked for */
	size_t sm_count;
	struct ft_report_counters counters;
	struct ft_finding *findings; /* worst first */
	size_t finding_count;

	/*
	 * The steps of a repair, in the order of one walk, and the findings left after it (repair/repair.h): if
	 * requested.
	 */
	bool repair_asked;
	struct ft_repair_step *repair;
	size_t repair_count;
	struct ft_repair_left *left;
	size_t left_count;

	struct ft_after *after; /* where it was asked for */
	size_t after_count;

	/* The share of its link that each host can use if all send to all; neither is farther from the truth than @gap.
	 */
	struct {
		bool measured;
		struct ft_ratio planned, found, gap;
	} throughput;

	struct ft_report_workload *workloads; /* likewise */
	size_t workload_count;

	struct ft_limits limits; /* the thresholds of the verdict; not part of the JSON */

	/* For a report made earlier by another process; not part of the JSON. NULL: the report is fresh. */
	char *as_of; /* "as of 2026-11-20T12:00:00Z, 12 s ago": on the first line of the text, and on Nagios' */
	char *state; /* the state of its maker, in its own words: a line of the verbose text */

	struct ft_arena memory; /* of all lists and strings */
};

/* Records the plan: the name of its file (made safe) and the checksum of the design. Returns 0 or -ENOMEM. */
int ft_report_set_plan(struct ft_report *report, const char *file, const struct ft_design *design);

/* "uplink"; "cable" if the plan has no tiers, and so no up and down. */
const char *ft_report_link_word(const struct ft_report *report);

/* A switch with hosts is an "edge switch"; in a plan without tiers a "switch". */
const char *ft_report_edge_words(const struct ft_report *report);

/*
 * The fabric cannot be compared with the design, and this is the only finding: the design is that of another fabric
 * (plan-foreign), or which switch is which was not found (sweep-incomplete).
 */
bool ft_report_is_foreign(const struct ft_report *report);

/*
 * Applies the thresholds to a report: severities, their order and the verdict change, and a finding's sentence says so.
 * Returns 0 or -ENOMEM; then the report can only be freed.
 */
int ft_report_limit(struct ft_report *report, const struct ft_limits *limits);

void ft_report_free(struct ft_report *report);
static inline void ft_report_freep(struct ft_report **report)
{
	ft_report_free(*report);
}

/* The words for the values of an enumeration; they take any of them, for tables of such functions (report/kinds.c). */
enum { FT_ACT_COUNT = FT_ACT_SETTING + 1 };
const char *ft_after_name(unsigned int kind); /* "core", "cable", "switch" */
const char *ft_act_name(unsigned int act);    /* "connect", "remove" … */
const char *ft_severity_name(unsigned int severity);
const char *ft_verdict_name(unsigned int verdict);
const char *ft_evidence_name(unsigned int evidence);
const char *ft_status_name(unsigned int status);
/* Of an enum ft_sm_state (probe/sms.h): "not active", "discovering", "standby", "master", "silent". */
const char *ft_sm_state_name(unsigned int state);

/* Exit status of a verdict (SPEC 2). */
int ft_verdict_status(enum ft_verdict verdict);

struct ft_text;
void ft_report_write_json(struct ft_text *text, const struct ft_report *report);
void ft_report_write_text(struct ft_text *text, const struct ft_report *report, bool verbose, bool colour);

/* The same for a terminal, with line breaks between words. */
struct ft_terminal {
	bool colour;
	unsigned int width; /* in columns; 0: no line is broken */
};
void ft_report_write_terminal(struct ft_text *text, const struct ft_report *report, bool verbose,
			      const struct ft_terminal *terminal);
void ft_report_write_nagios(struct ft_text *text, const struct ft_report *report);

/* The line to print if there is no report, for @reason, which is safe and one line. */
void ft_report_write_nagios_unknown(struct ft_text *text, const char *reason);

/* One finding as the object FINDING of SPEC 6, on one line. */
void ft_finding_write_json(struct ft_text *text, const struct ft_finding *finding);

/*
 * Reads a report that ft_report_write_json() wrote, from another process. Writing it again gives the same bytes. (The
 * bisection is restored in millionths, the precision that is printed.)
 *
 * Unknown keys are ignored, as the writer may be newer. All others must exist and be valid; an unknown code is refused,
 * since its meaning and its text are unknown. Strings are made safe again, as the source is not trusted.
 *
 * @ret_report  out: the caller frees it
 * Returns 0; -ENOMEM; or with @err filled, line and column included: -ENOMSG (JSON, but no report at all), -ENOTSUP (a
 * report of a newer version, or with a code of one), -EINVAL.
 */
int ft_report_read_json(const char *text, size_t length, struct ft_report **ret_report, struct ft_error *err);

#endif
