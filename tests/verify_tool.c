/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * How long the verifier takes by itself, for the bench:
 *
 *     verify_tool DESIGN FABRIC    prints the milliseconds that one ft_verify() takes of a processor
 *
 * It waits for nothing, so on a machine with nothing else to do that is the time by the clock too. Both files are read
 * before, and the report is not written. Once a process: caches and the heap are as cold as in a check. Status 3 and
 * one line on standard error where something failed.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "planner/plan/plan.h"
#include "probe/source.h"
#include "verify/model/verify.h"

enum { STATUS_USAGE = 2, STATUS_FAILED = 3 };

static int fail(int r, const struct ft_error *err)
{
	fprintf(stderr, "verify_tool: %s: %s\n", strerror(-r), err->text);
	return STATUS_FAILED;
}

static double used_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

int main(int argc, char **argv)
{
	_cleanup_(ft_design_freep) struct ft_design *design = NULL;
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *snapshot = NULL;
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	struct ft_error err = {0};
	double began;
	int r;

	if (argc != 3) {
		fprintf(stderr, "usage: verify_tool DESIGN FABRIC\n");
		return STATUS_USAGE;
	}
	r = ft_design_load_with(argv[1], NULL, &design, &plan, &err);
	if (r == 0)
		r = ft_source_load(argv[2], &snapshot, &err);
	if (r < 0)
		return fail(r, &err);
	began = used_ms();
	/* Any date does: the bench's designs waive nothing. */
	r = ft_verify(design, plan, snapshot, "2000-01-01", &report);
	if (r < 0)
		return fail(r, &err);
	printf("%.3f\n", used_ms() - began);
	return 0;
}
