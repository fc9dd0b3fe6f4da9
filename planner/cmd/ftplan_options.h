/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The command line of ftplan. Part of the program ftplan and of no library: it prints. */
#ifndef FT_PLANNER_CMD_FTPLAN_OPTIONS_H
#define FT_PLANNER_CMD_FTPLAN_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "planner/cmd/ftplan_workload.h"
#include "planner/write/choice.h"
#include "planner/write/formats.h"
#include "planner/write/throughput.h"

/* A walk has the same grades as ftcheck: what differs, and what breaks something. */
enum { FT_EXIT_OK = 0, FT_EXIT_WARNING = 1, FT_EXIT_CRITICAL = 2, FT_EXIT_UNKNOWN = 3 };

/* What is done with the design. */
enum ft_work {
	FT_WORK_PLAN,
	FT_WORK_CURVE,
	FT_WORK_ALTERNATIVES,
	FT_WORK_PARETO,
	FT_WORK_STAGES,
	FT_WORK_COMPARE,
	FT_WORK_INFER,
	FT_WORK_THROUGHPUT,
	FT_WORK_WORKLOAD,
	FT_WORK_WALK,
};

/* The strings are those of the command line. */
struct ft_plan_options {
	enum ft_work work;
	const char *design;  /* a file; NULL: made from the options below */
	const char *catalog; /* NULL: none is named */
	const char *names;   /* a node name map; NULL: the usual one, if it is there */
	const char *output;  /* NULL: standard output */
	const struct ft_format *format;
	const char *topology, *nodes, *nodes_max, *blocking, *levels, *objective;
	bool prefer_expandable;
	const char *work_option; /* the option that chose the work */
	uint32_t alternatives;
	enum ft_metric pareto[2];
	uint32_t stages[FT_STAGES_MAX];
	size_t stage_count;
	uint32_t first, last; /* of a curve; both the number of --nodes where there is one */
	uint32_t step;	      /* of a comparison's curve 0: not given */
	const char *compare;  /* the list behind --compare */
	bool verbose;	      /* its text shows all figures */
	char **designs;	      /* for --compare */
	int design_count;
	double gap; /* of the throughput; 0: not given */
	struct ft_throughput_choice throughput;
	bool seed_given;
	struct ft_workload_options workload;
	const char *only;    /* the one switch that a form is written for; NULL: all */
	const char **tables; /* the files of --walk, owned; NULL: the plan's own tables */
	size_t table_count;
	const char *infer;
	const char *const *more_infer; /* files that come with it: LLDP neighbours are a file a machine */
	size_t more_infer_count;
	const char *from;   /* where OpenSM's GUIDs, the live names for a list of cables, or addresses are taken from */
	const char *cables; /* the site's list; NULL: none */
	const char *name;
	const char *override; /* the last option given that belongs into a design file; NULL: none */
};

/*
 * Reads the command line. Errors are reported on standard error; --help and --version are printed.
 *
 * @ret_options  may be partly filled in any case
 * Returns -1 to go on, else the exit status.
 */
int ft_plan_options_read(int argc, char **argv, struct ft_plan_options *ret_options);

void ft_plan_options_release(struct ft_plan_options *options);

/*
 * Adds the design that the options make: a file like any other, so that every check and format is the same. Returns 0
 * or -ENOMEM.
 */
int ft_plan_options_design(const struct ft_plan_options *options, struct ft_text *text);

/* Numbers that go into JSON as they are must be numbers. The exit status. */
int ft_plan_options_check_numbers(const struct ft_plan_options *options);

#endif
