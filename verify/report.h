/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The report: what is wrong with the fabric, one finding a fault, and the figures around it. SPEC section 6 in C.
 *
 * All strings are safe for a terminal (base/text.h) and owned by the report.
 */
#ifndef FT_VERIFY_REPORT_H
#define FT_VERIFY_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/ratio.h"
#include "planner/plan.h"
#include "probe/snapshot.h"

enum ft_severity { FT_SEVERITY_INFO, FT_SEVERITY_WARNING, FT_SEVERITY_CRITICAL };
enum ft_verdict { FT_VERDICT_OK, FT_VERDICT_WARNING, FT_VERDICT_CRITICAL, FT_VERDICT_UNKNOWN };

/* How a finding is known. */
enum ft_evidence {
	FT_EVIDENCE_ABSENT,    /* the port that should hold the cable is seen, and is down */
	FT_EVIDENCE_MUTE,      /* the link is up, its far end does not answer */
	FT_EVIDENCE_UNREACHED, /* the sweep never got near */
	FT_EVIDENCE_SEEN,      /* something is there, but wrong */
};

enum ft_code {
	FT_CODE_EDGE_ISOLATED,
	FT_CODE_CORE_MISSING,
	FT_CODE_CABLE_MISSING,
	FT_CODE_CABLE_MISPLACED,
	FT_CODE_CABLES_SWAPPED,
	FT_CODE_CABLE_UNPLANNED,
	FT_CODE_CABLE_WRONG_PORT,
	FT_CODE_CABLE_SLOW,
	FT_CODE_CABLE_NARROW,
	FT_CODE_PORT_INACTIVE,
	FT_CODE_LOOPBACK,
	FT_CODE_SWITCH_UNPLANNED,
	FT_CODE_SWITCH_REPLACED,
	FT_CODE_SWITCH_MUTE,
	FT_CODE_BOARD_MISSING,
	FT_CODE_EDGE_OVERLOADED,
	FT_CODE_HOST_ON_CORE,
	FT_CODE_HOST_MISPLACED,
	FT_CODE_HOSTS_MISSING,
	FT_CODE_HOSTS_UNPLANNED,
	FT_CODE_HOPS_EXCEEDED,
	FT_CODE_GUID_DUPLICATE,
	FT_CODE_LID_DUPLICATE,
	FT_CODE_LID_MISSING,
	FT_CODE_SM_MISSING,
	FT_CODE_SM_CONFLICT,
	FT_CODE_ROUTE_UNREACHABLE,
	FT_CODE_ROUTE_LOOP,
	FT_CODE_ROUTE_DETOUR,
	FT_CODE_ROUTE_CYCLE,
	FT_CODE_ROUTE_IMBALANCE,
	FT_CODE_PORT_ERRORS,
	FT_CODE_EXPECT_UNKNOWN,
	FT_CODE_EXPECT_OUTDATED,
	FT_CODE_PLAN_FOREIGN,
	FT_CODE_SWEEP_INCOMPLETE,
	FT_CODE_FINDINGS_OMITTED,
	FT_CODE_COUNT,
};

/* What each code is; one row a code, in the order of enum ft_code. */
struct ft_code_info {
	const char *name; /* "cable-missing" */
	enum ft_severity severity;
	const char *meaning; /* for man pages and --list-codes */
};
extern const struct ft_code_info ft_codes[FT_CODE_COUNT];

/* A place: a node as observed, and one of its ports. */
struct ft_place {
	char *name;    /* the node description made safe */
	uint64_t guid; /* the node's; 0: not known (a planned switch that was not seen) */
	uint32_t port; /* 0: none in particular */
};

/* A consequence of a finding, folded under it. */
struct ft_symptom {
	char *text;
	struct ft_place place;
};

/* What a finding costs. */
struct ft_impact {
	uint32_t links_lost; /* planned uplink cables that carry nothing now */
	uint32_t hosts_cut_off;
	uint32_t hosts_at_risk; /* that one more switch or cable would cut off, where by the plan none can */
	uint32_t edges;		/* edge switches that have less of their bandwidth */
	/* What of the rest is 0, or of a denominator of 0, is as planned. Each as if nothing else were wrong. */
	struct ft_ratio bisection_lost; /* fraction of the planned */
	struct ft_ratio edge_loss;	/* of the uplinks of the edge that loses most: ft_finding.worst_edge */
	struct ft_ratio blocking;	/* of that edge now */
	bool ftree_refuses;		/* OpenSM's ftree would not take the fabric for a fat-tree, for this alone */
};

/*
 * One thing to do with the hands. Ports are places; one without a port number is any free port of that switch that
 * suits, for more is not known.
 */
enum ft_act {
	FT_ACT_CONNECT,	 /* there should be a cable from @a to @b: reseat it, or replace it */
	FT_ACT_REMOVE,	 /* unplug the cable from @a to @b */
	FT_ACT_MOVE,	 /* the cable end in @a goes into @b; its other end stays where it is */
	FT_ACT_EXCHANGE, /* the cable ends in @a and @b change places */
	FT_ACT_RENEW,	 /* the cable from @a to @b is in its place and bad: reseat it, or replace it */
	FT_ACT_POWER,	 /* switch @a (its planned name, where it was not seen) is off, or gone: bring it back */
	FT_ACT_BOARD,	 /* board @a of a director likewise */
	FT_ACT_SETTING,	 /* nothing to carry: a setting, by software */
};

struct ft_action {
	enum ft_act act;
	struct ft_place a, b; /* b.name NULL: there is none */
	bool trace;	      /* of the backplane of a director: no cable */
};

/* A bundle of the plan that is short of cables because of a finding. */
struct ft_lack {
	uint32_t a, b; /* indices into the plan's switches */
	uint32_t cables;
	uint32_t part_ppm; /* and of one more cable so many millionths, where it is slow */
};

/* A board of a director, or one chip of it. */
struct ft_finding_board {
	bool known;	      /* else the finding is about no board */
	uint32_t of;	      /* the director: index into the plan's switches */
	bool line;	      /* else a fabric board */
	bool whole;	      /* else one chip */
	bool all;	      /* all boards of the director that are not there */
	uint32_t board, chip; /* from 0; which board it is may be a guess */
};

struct ft_finding {
	char *id; /* stable from sweep to sweep for the same fault */
	enum ft_code code;
	enum ft_severity severity;
	enum ft_evidence evidence;
	struct ft_place *where;
	size_t where_count;
	char *expected;
	char *observed;
	uint32_t count; /* of cables, hosts: whatever the code counts */
	char *text;	/* one sentence: cause and place */
	char *fix;	/* what to do */
	struct ft_impact impact;
	char *worst_edge; /* NULL: no edge switch has less */
	struct ft_symptom *symptoms;
	size_t symptom_count;
	struct {
		uint32_t up, of; /* cables of a switch that is coming back; of 0: it is not that */
	} returning;
	struct ft_place subject; /* a switch that was not seen, as it was called when it was; name NULL: not known */
	/* Of a switch that was not seen: its name in the plan, where that is known; not owned. */
	const char *planned_as;
	bool vague;	     /* its id does not tell which switch is meant, so no waiver can */
	char *waived;	     /* NULL, or why this is known and no alarm; the severity is info then */
	char **alternatives; /* other explanations of equal price, and the look that tells them apart */
	size_t alternative_count;
	/* No part of the JSON: a report that was read has neither. What is gone with a whole switch is not listed. */
	bool beside; /* about cables of an island, which are in no bundle of the tree: it has no lacks */
	struct ft_lack *lacks;
	size_t lack_count;
	uint32_t *gone; /* switches of the plan that nothing leads to because of it */
	size_t gone_count;
	struct ft_finding_board board; /* what is not there, where that is it */
	struct ft_action *actions;     /* what mends it, in this order; none: nothing that is known */
	size_t action_count;
};

enum ft_status {
	FT_STATUS_OK,
	FT_STATUS_DEGRADED,
	FT_STATUS_ISOLATED,
	FT_STATUS_MISSING,
	FT_STATUS_UNPLANNED,
	FT_STATUS_MUTE,
	FT_STATUS_UNREACHED
};

/* How many switches of a tier above the edge there are. */
struct ft_report_tier {
	uint32_t planned, found, ok, degraded, missing;
};

/* The switches of one kind, of a plan that has no tiers. */
struct ft_report_kind {
	char *name; /* "leaf"; "switch": just that */
	uint32_t planned, found, ok, degraded, isolated, missing;
};

/* A switch of the plan or of the fabric, or, as a rule, of both. */
struct ft_report_switch {
	char *name;	  /* observed; the planned one where it was not seen */
	uint64_t guid;	  /* 0: not seen */
	const char *tier; /* "edge", "spine", "core", "island"; of an unplanned switch the tier it looks like */
	char *planned_as; /* NULL: unplanned */
	enum ft_status status;
	uint32_t uplinks_planned;
	uint32_t uplinks_up;
	uint32_t hosts;
	char *hosts_names; /* "node055-node072"; "" if none */
	char *kind;	   /* by the plan, where that has no tiers; else, and of an unplanned switch, NULL */
};

/* A subnet manager, where they were asked for. */
struct ft_report_sm {
	struct ft_place place;
	uint64_t port_guid; /* as it says; 0: it did not answer */
	const char *state;  /* ft_sm_state_name() */
	uint32_t priority;
	uint32_t activity;
};

/* The ports whose error counters were read, where they were. */
struct ft_report_counters {
	uint32_t interval_ms; /* 0: they were not read */
	uint32_t ports;	      /* that are up */
	uint32_t read;
	uint32_t no_lid, silent, refused; /* those that could not be read: see enum ft_counted */
	uint32_t stuck;	     /* of those read: an error counter has been at its greatest value all the time */
	uint32_t discarding; /* of those read: packets were discarded, for want of room as a rule */
};

/* How much of the bisection may be lost, in percent; 0: it is not looked at. */
struct ft_limits {
	unsigned int warning_percent;  /* less is no warning */
	unsigned int critical_percent; /* as much is critical */
};

/* Pairs of host ports with so many switch chips between them, by the shortest path. */
struct ft_hop_pairs {
	uint32_t chips;
	uint64_t pairs;
};

/* Sorted by chips; only numbers of chips that some pair has. */
struct ft_histogram {
	struct ft_hop_pairs *pairs; /* owned */
	size_t count;
};

/* One thing to do of a repair, and what is seen once it, and all before it, is done. */
struct ft_repair_step {
	enum ft_act act;
	struct ft_place a, b; /* b.name NULL: there is none; a port 0: any free one */
	char *place;	      /* where it is done: the switch */
	char *rack;	      /* and its rack, by the floor plan; NULL: not known */
	char *text;	      /* one sentence */
	char **mends;	      /* ids of findings */
	size_t mend_count;
	bool predicted; /* what follows was computed: not for each step, where there are very many */
	enum ft_verdict verdict;
	uint32_t findings, uplinks_up, hosts_found;
};

/* A finding that no hand mends, or that shows once the rest is mended. */
struct ft_repair_left {
	char *id, *text;
};

/* Of a plan without tiers any switch may fail, not only one that has no hosts. */
enum ft_after_kind { FT_AFTER_CORE, FT_AFTER_CABLE, FT_AFTER_SWITCH, FT_AFTER_KINDS };

/* How bad it is. Means are exact, of what was looked at. */
struct ft_after_state {
	struct ft_ratio edges, hosts; /* edge switches without a path to a core switch, and the hosts on them */
	struct ft_ratio bisection;    /* what is left, a fraction of the planned */
	struct ft_ratio blocking;     /* of the worst edge that has a path; 0: none has */
};

/* What so many more failures do (after.h). */
struct ft_after {
	enum ft_after_kind kind;
	uint32_t count, of; /* so many of those that are there */
	char *ways;	    /* in how many ways: "15", "8.1e12" */
	uint32_t looked;    /* at so many of them */
	bool drawn;	    /* they are not all, but drawn, with this seed */
	uint32_t seed;
	bool exact; /* no way is worse */
	struct ft_after_state worst, mean;
	char *example; /* what fails where most hosts are cut off, or else most bandwidth is lost */
};

struct ft_report {
	/* What was compared with what. */
	char *plan_name;
	char *plan_file;
	bool plan_found; /* nobody named it: the report says which it is. Not part of the JSON */
	char plan_sha256[65];
	struct {
		bool live;
		char *detail;
		struct ft_place entry;
		uint32_t mads, timeouts, duration_ms;
		bool complete;
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
	/* Where the plan has no tiers: then @edge is of the switches on which hosts belong, and @core of the others. */
	struct ft_report_kind *kinds;
	size_t kind_count;
	/* planned = up + missing + misplaced + what could not be judged */
	struct {
		uint32_t planned, up, missing, misplaced, unplanned, slow;
	} uplinks;
	struct {
		uint32_t planned, found;
	} hosts;
	struct ft_histogram hops_planned, hops_found;
	uint64_t hops_unreachable;	   /* pairs of hosts without any path */
	uint32_t clos_planned, clos_found; /* found 0: no two edges with hosts reach each other */
	struct ft_ratio blocking_planned, blocking_worst;
	struct ft_ratio bisection; /* fraction of the planned */
	bool ftree_known;	   /* whether OpenSM's ftree would refuse the fabric as it is, and why */
	bool ftree_refuses;
	char *ftree_why; /* NULL: it would not */

	/* Forwarding tables, where they were read: then @switches is not 0. Pairs of hosts are ordered. */
	struct {
		uint32_t switches, tables;    /* switches, and those whose tables are known, all of them */
		uint32_t pairs;		      /* = reached + unreachable + looping + unknown */
		uint32_t reached;	      /* whose route arrives */
		uint32_t unreachable;	      /* whose route ends early, or between which there is no cable at all */
		uint32_t looping;	      /* whose route never ends */
		uint32_t unknown;	      /* that lead to where nothing is known */
		uint32_t longest, mean_milli; /* switches on a route that arrives; the mean in thousandths */
		uint32_t mads;		      /* SMPs sent for the tables; 0: from files */
	} routes;

	struct ft_report_switch *switches;
	size_t switch_count;
	struct ft_report_sm *sms; /* NULL: they were not asked for */
	size_t sm_count;
	struct ft_report_counters counters;
	struct ft_finding *findings; /* worst first */
	size_t finding_count;

	/* What to do, in the order of one walk, and what is left after it (repair.h): where it was asked for. */
	bool repair_asked;
	struct ft_repair_step *repair;
	size_t repair_count;
	struct ft_repair_left *left;
	size_t left_count;

	struct ft_after *after; /* where it was asked for */
	size_t after_count;

	struct ft_limits limits; /* that it was judged by; no part of the JSON */

	/* Of a report that somebody else made, a while ago; no part of the JSON. NULL where it is fresh. */
	char *as_of; /* "as of 2026-11-20T12:00:00Z, 12 s ago": on the first line of the text, and on Nagios' */
	char *state; /* how its maker is, in its own words: a line of the verbose text */
};

/*
 * Notes which plan it is: the name of its file (made safe) and the checksum of the design. Returns 0 or -ENOMEM.
 */
int ft_report_set_plan(struct ft_report *report, const char *file, const struct ft_design *design);

/* "uplink"; "cable" where the plan has no tiers, and nothing is up. */
const char *ft_report_link_word(const struct ft_report *report);

/* "edge switch" is what a switch with hosts is; where the plan has no tiers it is a "switch". */
const char *ft_report_edge_words(const struct ft_report *report);

/* The design is that of another fabric: that is the only finding (plan-foreign). */
bool ft_report_is_foreign(const struct ft_report *report);

/*
 * Judges a report by these thresholds: severities, their order and the verdict change, and a sentence of a finding says
 * so. Returns 0 or -ENOMEM, and then the report is of no use but to be freed.
 */
int ft_report_limit(struct ft_report *report, const struct ft_limits *limits);

/* Frees what a finding owns, not the finding itself. */
void ft_finding_release(struct ft_finding *finding);

void ft_report_free(struct ft_report *report);
static inline void ft_report_freep(struct ft_report **report)
{
	ft_report_free(*report);
}

const char *ft_after_name(enum ft_after_kind kind); /* "core", "cable", "switch" */
/* "connect", "remove" … */
const char *ft_act_name(enum ft_act act);
enum { FT_ACT_COUNT = FT_ACT_SETTING + 1 };

const char *ft_severity_name(enum ft_severity severity);
const char *ft_verdict_name(enum ft_verdict verdict);
const char *ft_evidence_name(enum ft_evidence evidence);
const char *ft_status_name(enum ft_status status);
/* Of an enum ft_sm_state (probe/sms.h): "not active", "discovering", "standby", "master", "silent". */
const char *ft_sm_state_name(unsigned int state);

/* Exit status of a verdict (SPEC 2). */
int ft_verdict_status(enum ft_verdict verdict);

/*
 * A time of a report, in seconds since 1970, as RFC 3339 in UTC: "2026-11-20T12:00:00Z".
 * Returns 0, or -EOVERFLOW where the year is beyond all bounds.
 */
enum { FT_TIME_SIZE = 32 };
int ft_time_string(int64_t time_s, char ret_string[FT_TIME_SIZE]);

struct ft_text;
void ft_report_write_json(struct ft_text *text, const struct ft_report *report);
void ft_report_write_text(struct ft_text *text, const struct ft_report *report, bool verbose, bool colour);

/* The same for a terminal, on which sentences are broken between words. */
struct ft_terminal {
	bool colour;
	unsigned int width; /* in columns; 0: no line is broken */
};
void ft_report_write_terminal(struct ft_text *text, const struct ft_report *report, bool verbose,
			      const struct ft_terminal *terminal);
void ft_report_write_nagios(struct ft_text *text, const struct ft_report *report);

/* The line where there is no report, for @reason, which is safe and one line. */
void ft_report_write_nagios_unknown(struct ft_text *text, const char *reason);

/* One finding as the object FINDING of SPEC 6, on one line. */
void ft_finding_write_json(struct ft_text *text, const struct ft_finding *finding);

/*
 * The report that ft_report_write_json() wrote, from another process: what the writers make of it is byte for byte what
 * they made of the first. (The bisection comes back in millionths, which is all that is printed of it.)
 *
 * Keys that are not known are ignored, for the other may be newer. All others have to be there and to hold what they
 * should; a code that is not known here is refused, since what it means and how to print it is not known either.
 * Strings are made safe again, so that a stranger's text does no harm.
 *
 * @ret_report  out: the caller frees it
 * Returns 0; -ENOMEM; or with @err filled, line and column included: -ENOMSG (JSON, but no report at all), -ENOTSUP (a
 * report of a newer version, or with a code of one), -EINVAL.
 */
int ft_report_read_json(const char *text, size_t length, struct ft_report **ret_report, struct ft_error *err);

#endif
