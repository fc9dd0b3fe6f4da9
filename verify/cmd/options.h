/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The command line of ftcheck. Part of the program ftcheck and of no library: it prints. */
#ifndef FT_VERIFY_CMD_OPTIONS_H
#define FT_VERIFY_CMD_OPTIONS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "planner/work/workload.h"
#include "probe/ibdiag.h"
#include "probe/source.h"
#include "verify/measure/failures.h"
#include "verify/cmd/complain.h"
#include "verify/cmd/status.h"

enum { FT_CRITICAL_DEFAULT = 50 }; /* percent of the bisection lost */

enum ft_format { FT_FORMAT_TEXT, FT_FORMAT_JSON, FT_FORMAT_NAGIOS, FT_FORMAT_SVG, FT_FORMAT_DOT, FT_FORMAT_CSV };

/* The strings are those of the command line. */
struct ft_options {
	const char *plan;
	const char *since;   /* an earlier recording that takes the place of a plan, and is called @plan too; or NULL */
	bool diff;	     /* it is held against another one, @from */
	bool plan_found;     /* not named by the user: it is the only one there is */
	const char *catalog; /* NULL: not given */
	const char *cables;  /* the site's list of cables; NULL: none */
	const char *from;    /* NULL: live */
	const char *const *more_from; /* files that come with it: LLDP neighbours are a file a machine */
	size_t more_from_count;
	const char *before;	     /* the baseline fabric, recorded; NULL: none */
	const char *state_directory; /* of ftcheckd, with its history: for recordings that are named by a time */
	const char *save;	     /* NULL: nowhere */
	const char *names;	     /* a node name map; NULL: the default one, if it exists */
	const char *config;	     /* configuration of infiniband-diags; NULL: the default one, if it exists */
	struct ft_sweep_options sweep;

	bool routes;			/* read forwarding tables too */
	const char *const *route_paths; /* files or directories of them */
	size_t route_path_count;	/* 0: from the switches */
	bool sm;
	unsigned int counters_ms; /* between two readings; 0: none */

	const char *look_at; /* show this switch only; NULL: all of them */
	/*
	 * Loss of the bisection: below the first it is no warning (0: it always is), from the second on it is critical.
	 */
	unsigned int warning_percent, critical_percent;

	bool build;	       /* the states of the planned cables, in place of the report */
	const char *state;     /* the file with the course of the build; NULL: none */
	unsigned int clean_ms; /* how long a cable is clean until it is done */
	const char *day;       /* judge phases as on this day; NULL: on that of the sweep */

	const char *accept;    /* ids of findings, with commas between, or "all"; NULL: none */
	const char *candidate; /* the design that is written with them */
	const char *by, *why;  /* who accepts them, and why; NULL: not said */

	bool repair;
	uint32_t after; /* so many more failures; 0: none */
	bool after_kinds[FT_AFTER_KINDS];

	bool throughput;
	struct ft_workload_list workloads; /* count 0: none */

	bool ask; /* query a running ftcheckd, at @daemon, instead of sweeping the fabric */
	struct ft_status_address daemon;

	enum ft_format format;
	bool verbose;

	/* Storage for @plan and @sweep where they are not from the command line. */
	char plan_path[PATH_MAX];
	struct ft_ibdiag ibdiag;
};

/*
 * Reads the command line, and the defaults: the configuration of infiniband-diags and the only plan of this machine.
 * Errors are reported (complain.h), from here on in the form of --format; --help, --version and --list-codes are
 * printed. @ret_options must not be moved: it points into itself.
 *
 * Returns -1 to go on, with @ret_options filled, else the exit status.
 */
int ft_options_read(int argc, char **argv, struct ft_options *ret_options);

#endif
