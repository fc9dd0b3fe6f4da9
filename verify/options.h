/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What ftcheck is asked for on its command line. Part of the program ftcheck and of no library: it prints. */
#ifndef FT_VERIFY_OPTIONS_H
#define FT_VERIFY_OPTIONS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/source.h"
#include "verify/after.h"
#include "verify/complain.h"
#include "verify/ibdiag.h"
#include "verify/status.h"

enum { FT_CRITICAL_DEFAULT = 50 }; /* percent of the bisection lost */

enum ft_format { FT_FORMAT_TEXT, FT_FORMAT_JSON, FT_FORMAT_NAGIOS, FT_FORMAT_SVG, FT_FORMAT_DOT };

/* The strings are those of the command line. */
struct ft_options {
	const char *plan;
	bool plan_found;     /* it was not named: it is the only one there is */
	const char *catalog; /* NULL: none is named */
	const char *cables;  /* the site's list of cables; NULL: none */
	const char *from;    /* NULL: live */
	const char *before;  /* the fabric when all was well, recorded; NULL: none */
	const char *save;    /* NULL: nowhere */
	const char *names;   /* a node name map; NULL: the usual one, if it is there */
	const char *config;  /* of infiniband-diags; NULL: the usual one, if it is there */
	struct ft_sweep_options sweep;

	bool routes;			/* forwarding tables too */
	const char *const *route_paths; /* files or directories of them */
	size_t route_path_count;	/* 0: from the switches */
	bool sm;
	unsigned int counters_ms; /* between two readings; 0: none */

	const char *look_at; /* one switch, and nothing of the others; NULL: all of them */
	/* Of the bisection: less lost than the first is no warning (0: it always is), as much as the other is critical.
	 */
	unsigned int warning_percent, critical_percent;

	bool repair;
	uint32_t after; /* so many more failures; 0: not asked for */
	bool after_kinds[FT_AFTER_KINDS];

	bool ask; /* a running ftcheckd, at @daemon, instead of looking at the fabric */
	struct ft_status_address daemon;

	enum ft_format format;
	bool verbose;

	/* What @plan and @sweep point to where the command line does not say it. */
	char plan_path[PATH_MAX];
	struct ft_ibdiag ibdiag;
};

/*
 * Reads the command line, and what holds where it does not say: the configuration of infiniband-diags and the only plan
 * of this machine. What is wrong is told (complain.h), from here on in the form of --format; what is asked for (--help,
 * --version, --list-codes) is printed. @ret_options stays where it is: it points into itself.
 *
 * Returns -1 to go on, with @ret_options filled, else the exit status.
 */
int ft_options_read(int argc, char **argv, struct ft_options *ret_options);

#endif
