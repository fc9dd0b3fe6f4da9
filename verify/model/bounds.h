/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Bounds on the work and output that a fabric can cause. A malicious device can pretend to be any number of switches,
 * and any host's root sets its own node description: the input and the output of a check are bounded by the size of the
 * plan.
 *
 * Nodes and ports: twice those of the plan and a constant, so that a fabric twice as large as planned is read whole.
 * Reports: the number of findings, of places in each, and the length of strings. A finding gives the number of items
 * left out.
 */
#ifndef FT_VERIFY_MODEL_BOUNDS_H
#define FT_VERIFY_MODEL_BOUNDS_H

#include "planner/plan/plan.h"
#include "probe/source.h"
#include "verify/model/report.h"

struct ft_bounds {
	uint32_t planned_nodes; /* switches and hosts, as users count them */
	uint32_t max_nodes;	/* of a sweep; chips of directors and aggregation nodes of switches included */
	uint32_t max_ports;
	uint32_t max_findings; /* of a report */
	size_t max_json;       /* bytes of a report that a daemon serves */
	size_t max_alerts;     /* bytes of its alerts' state, of each part (daemon/state.h) */
};

enum {
	FT_LIST_MAX = 1000,   /* of the places of a finding; likewise of its symptoms, its alternatives */
	FT_STRING_MAX = 4000, /* bytes of a string of the report */
};

void ft_bounds_of_plan(const struct ft_plan *plan, struct ft_bounds *ret);

/*
 * Sets planned_nodes, planned_switches, max_nodes and max_ports for a sweep of that plan's fabric. How many chips
 * directors have is not always planned.
 */
void ft_bounds_sweep(const struct ft_plan *plan, struct ft_sweep_options *sweep);

/* Upper bound of the memory that verifying that snapshot against that plan and writing the report takes, in bytes. */
size_t ft_bounds_memory(const struct ft_plan *plan, uint32_t nodes, uint32_t ports);

/*
 * Cuts a report whose findings are sorted down to @max_findings and the lists and strings in it to their bounds, and
 * adds a finding with the number left out, including those of an earlier cut and @unsaid. Findings of what could not be
 * judged, of which there are a few, are not left out. A report within the bounds is not changed. Returns 0 or -ENOMEM.
 */
int ft_report_bound(struct ft_report *report, uint32_t max_findings, uint32_t unsaid);

/* Writes the report as JSON of at most max_json bytes, cutting it further if it is longer. Returns 0 or -ENOMEM. */
int ft_report_write_bounded(struct ft_text *text, struct ft_report *report, const struct ft_bounds *bounds);

#endif
