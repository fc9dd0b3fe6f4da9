/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The options of workloads, and their run. Part of the program ftplan and of no library: it prints its progress. */
#ifndef FT_PLANNER_CMD_FTPLAN_WORKLOAD_H
#define FT_PLANNER_CMD_FTPLAN_WORKLOAD_H

#include "planner/work/work.h"

/* What the command line says of workloads. */
struct ft_workload_options {
	struct ft_workload_list list;
	struct ft_work_model model;
	struct ft_placement placements[FT_WORK_SIDES];
	bool two_placements; /* said for each */
	const char *against; /* a design file; NULL: none */
	const char *option;  /* the last one given that goes with --workload only; NULL: none */
};

void ft_workload_options_init(struct ft_workload_options *options);

/*
 * Each reads the argument of an option. 0, or -EINVAL with @err filled (no line): what the option takes, behind whose
 * name it belongs.
 */
int ft_workload_parse(struct ft_workload_options *options, const char *argument, struct ft_error *err);
int ft_workload_parse_routing(struct ft_workload_options *options, const char *argument, struct ft_error *err);
int ft_workload_parse_placement(struct ft_workload_options *options, const char *argument, struct ft_error *err);
int ft_workload_parse_switch_latency(struct ft_workload_options *options, const char *argument, struct ft_error *err);
int ft_workload_parse_host_overhead(struct ft_workload_options *options, const char *argument, struct ft_error *err);

/*
 * Runs the workloads, and writes their times to @text in @format, which is text, json or csv.
 *
 * @catalog   for the design of --against; NULL: none is named
 * @ret_path  out: the file to blame on failure, where it is not the design; else unchanged
 * Returns 0, -ENOMEM, -errno of that file, or -EINVAL with @err filled.
 */
int ft_workload_work(const struct ft_workload_options *options, const struct ft_design *design,
		     const struct ft_plan *plan, const struct ft_catalog *catalog, const char *format,
		     struct ft_text *text, const char **ret_path, struct ft_error *err);

#endif
