/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * A fabric that is being built: the state of each planned cable, and what is left to do, rack by rack.
 *
 * In: what a verification gets (plan, snapshot, phases). Out: one row for each planned cable, in the order and with the
 * numbers of ftplan --format cables, and the same cables counted by rack, group, tier and phase.
 *
 * Invariant: each planned cable has exactly one state, so the states of every table add up to its planned cables.
 *
 * A cable between switches is seen where the matching has put its switches. Of the cables between two switches those in
 * their planned ports come first; where the plan does not give ports, any other ones count too. What is missing because
 * a cable ends elsewhere is told by the findings' lacks. O(cables + findings) and the verification itself.
 */
#ifndef FT_VERIFY_BUILD_BUILD_H
#define FT_VERIFY_BUILD_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "verify/model/report.h"
#include "verify/model/verify.h"

struct ft_model;

enum ft_cable_state {
	FT_CABLE_RIGHT,	       /* in its place, at its rate */
	FT_CABLE_MISSING,      /* not there, as far as its ends can be seen */
	FT_CABLE_HALF,	       /* up at one end only, or with fewer lanes than it should have */
	FT_CABLE_WRONG_PORT,   /* the right switch, another port */
	FT_CABLE_WRONG_SWITCH, /* it ends on another switch */
	FT_CABLE_WRONG_RAIL,   /* of a host: it ends where another adapter of that host belongs */
	FT_CABLE_SLOW,	       /* in its place, with slower lanes than it should have */
	FT_CABLE_NOT_DUE,      /* not there, and its phase is not over */
	FT_CABLE_UNKNOWN,      /* the sweep could not tell */
	FT_CABLE_STATES,
};

/* "right", "missing", "half", "wrong-port" … */
const char *ft_cable_state_name(enum ft_cable_state state);

/* The place of a cable's end. Names are those of the plan, safe to print. */
struct ft_build_end {
	const char *name; /* not owned: of the build's names */
	uint32_t port;
	uint32_t rack, unit; /* of the floor plan; FT_NONE: it has no place there */
};

struct ft_build_cable {
	enum ft_cable_state state;
	/* Of the model that the build was made of (states.h), or FT_NONE. */
	uint32_t cable, host;	  /* in its place; of a host that is in a wrong one: where it is now */
	uint32_t finding;	  /* why it is elsewhere: index into the report's findings */
	const char *kind;	  /* "host", "uplink" …; static */
	struct ft_build_end a, b; /* a: the host, or the lower switch */
	uint32_t phase;		  /* index of the design's phase that both ends are due in; FT_NONE: none */
	uint32_t group;		  /* pod or group of the lower switch; FT_NONE: none */
	bool counted, errors;	  /* error counters were read at an end; and one rose faster than allowed */
	bool idle;		  /* the link is up, and no subnet manager uses it */
	uint32_t mbps;		  /* its rate; 0: it is not up */
	uint64_t symbols, others; /* if it is counted: what both ends have counted so far */
	char *there, *todo;	  /* what is there instead, and what to do; NULL: nothing */
	/* From the course of the build (ft_build_course_learn()): 0 and false without. */
	int64_t right_s; /* right in every check since then; 0: it is not right */
	int64_t clean_s; /* likewise, and without errors by its counters; 0: not known */
	bool done;	 /* clean for long enough */
};

/* Cables of a rack, a group, a tier, a phase, or all. */
struct ft_build_tally {
	char *name; /* "": all */
	uint32_t planned, done;
	uint32_t states[FT_CABLE_STATES]; /* they add up to @planned */
};

enum ft_build_table {
	FT_BUILD_ALL,
	FT_BUILD_RACKS, /* of the a ends */
	FT_BUILD_GROUPS,
	FT_BUILD_TIERS,
	FT_BUILD_PHASES,
	FT_BUILD_TABLES
};

/* How far the build was at a time. */
struct ft_build_sample {
	int64_t time_s;
	uint32_t planned, done, states[FT_CABLE_STATES];
};

struct ft_build_course;

struct ft_build {
	char *plan_name; /* safe */
	char plan_sha256[65];
	int64_t time_s;	  /* when the fabric was seen; the caller's to set */
	int64_t now_s;	  /* by the clock of this machine; likewise; 0: not said */
	uint32_t clean_s; /* how long a cable is to be clean until it is done */
	bool rails;	  /* the plan has hosts of several adapters on different switches */
	bool ports;	  /* the plan gives ports: without, no cable is in a wrong one */
	bool counters;	  /* error counters were read */
	struct ft_build_cable *cables;
	uint32_t cable_count;
	char **names; /* of switches, then of hosts */
	struct ft_build_tally *tables[FT_BUILD_TABLES];
	uint32_t table_counts[FT_BUILD_TABLES];
	char (*racks)[16];		      /* names, by rack */
	const struct ft_build_course *course; /* not owned; NULL: there is none */
	struct ft_arena memory;		      /* of all lists and strings */
};

/* AI clusters' rule: after a repair a cable is good again once it is clean for 125 minutes (thresholds of 1e-15). */
enum { FT_BUILD_CLEAN_S = 125 * 60 };

/*
 * The states of all planned cables of the plan of @input, phases not yet over taken into account.
 *
 * @ret_build  out: the caller frees it. Untouched on failure. time_s, plan_sha256 and course are the caller's to fill
 * Returns 0 or -ENOMEM.
 */
int ft_build_make(const struct ft_verify_input *input, struct ft_build **ret_build);

/* The same of a model that was made of such an input, with .building. */
int ft_build_of_model(const struct ft_model *m, struct ft_build **ret_build);

void ft_build_free(struct ft_build *build);
static inline void ft_build_freep(struct ft_build **build)
{
	ft_build_free(*build);
}

/* Counts the cables again, after done has changed. */
void ft_build_count(struct ft_build *build);

/* True for a cable that needs work. */
bool ft_build_is_open(const struct ft_build_cable *cable);

/*
 * From a model that is explained, the plan without the cables, hosts and switches that are not there and not due.
 *
 * @ret_due      out: the caller frees it by ft_plan_variant_free(). NULL: there is nothing to leave out
 * @ret_not_due  out: by switch of the plan; the caller frees it. NULL likewise
 * Returns 0 or -ENOMEM.
 */
int ft_due_make(const struct ft_model *m, struct ft_plan **ret_due, bool **ret_not_due);

/*
 * The course of a build: since when each cable is right and clean, and how many were in which state at which time. It
 * is kept between checks, as JSON. Its size is bounded: an entry for each planned cable that is right, and
 * FT_BUILD_SAMPLES_MAX samples; where there are more, every other one of the older half is left out.
 *
 * A cable is clean since the first check in an unbroken row of checks that found it right and, by the counters of its
 * ends, without more errors than allowed since the check before: symbol errors as ft_rate_errors_allowed() has it,
 * and none of any other sort. Checks without counters neither break the row nor prove anything.
 */
enum { FT_BUILD_SAMPLES_MAX = 512 };

void ft_build_course_free(struct ft_build_course *course);
static inline void ft_build_course_freep(struct ft_build_course **course)
{
	ft_build_course_free(*course);
}

/*
 * Adds the check that @build is of, and tells @build since when its cables are right and clean, and which are done.
 * A check that is older than the last one adds nothing, and @build gets no course; but what is later than @build->now_s
 * was learned when that was wrong, and goes first.
 *
 * @course  in and out: NULL at first; owned by the caller, and borrowed by @build from now on. Kept on failure
 * Returns 0 or -ENOMEM.
 */
int ft_build_course_learn(struct ft_build_course **course, struct ft_build *build);

/* The samples, oldest first. */
const struct ft_build_sample *ft_build_course_samples(const struct ft_build_course *course, size_t *ret_count);

void ft_build_course_write_json(struct ft_text *text, const struct ft_build_course *course);
/* Returns 0, -ENOMEM, or -EINVAL with @err filled: it is damaged, or of another version. */
int ft_build_course_read_json(const char *text, size_t length, struct ft_build_course **ret_course,
			      struct ft_error *err);

/*
 * As text: a line of all, tables, and work orders by rack; as JSON; and the work orders as CSV. @report names the
 * verdict.
 * @open_most  of the JSON: list so many cables at most, and only those that need work; 0: all
 */
void ft_build_write_text(struct ft_text *text, const struct ft_build *build, const struct ft_report *report,
			 bool verbose);
void ft_build_write_json(struct ft_text *text, const struct ft_build *build, const struct ft_report *report,
			 uint32_t open_most);
void ft_build_write_csv(struct ft_text *text, const struct ft_build *build, bool all);

#endif
