/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * How much a fabric may make us do. A device can answer as switches without end, and any host's root gives itself the
 * name it likes: what a check takes in, and what it says, is bounded by the size of the plan.
 *
 * Nodes and ports: twice those of the plan and a constant, so that a fabric twice as large as planned is read whole.
 * What a report lists: so many findings, so many places in each, strings of such a length. Whatever is left out, a
 * finding says how much it is.
 */
#ifndef FT_VERIFY_BOUNDS_H
#define FT_VERIFY_BOUNDS_H

#include "planner/plan.h"
#include "probe/source.h"
#include "verify/report.h"

struct ft_bounds {
	uint32_t planned_nodes; /* switches and hosts, as people count them */
	uint32_t max_nodes; /* of a sweep; the chips of directors are nodes, and so is the aggregation node of a switch
			     */
	uint32_t max_ports;
	uint32_t max_findings; /* of a report */
	size_t max_json;       /* bytes of a report that a daemon serves */
};

enum {
	FT_LIST_MAX = 1000,   /* of the places of a finding; likewise of its symptoms, its alternatives */
	FT_STRING_MAX = 4000, /* bytes of a string of the report */
};

void ft_bounds_of_plan(const struct ft_plan *plan, struct ft_bounds *ret);

/* Sets max_nodes and max_ports of a sweep of that plan's fabric. */
void ft_bounds_sweep(const struct ft_plan *plan, struct ft_sweep_options *sweep);

/*
 * How much memory it takes at most to hold that snapshot against that plan and to write the report, in bytes.
 */
size_t ft_bounds_memory(const struct ft_plan *plan, uint32_t nodes, uint32_t ports);

/*
 * Cuts a report whose findings are sorted down to @max_findings and the lists and strings in it to their bounds, and
 * adds a finding of how many more there are, those of a cut before and @unsaid among them. What is within its bounds
 * stays as it is. Returns 0 or -ENOMEM.
 */
int ft_report_bound(struct ft_report *report, uint32_t max_findings, uint32_t unsaid);

/* Writes the report as JSON of at most max_json bytes, cutting it further where it is longer. Returns 0 or -ENOMEM. */
int ft_report_write_bounded(struct ft_text *text, struct ft_report *report, const struct ft_bounds *bounds);

#endif
