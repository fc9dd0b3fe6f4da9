/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The daemon's counters, in the text exposition format 0.0.4 of Prometheus. No I/O.
 *
 * Labels: per switch and per code, never per port or host, so the number of series is bounded by the plan's size.
 */
#ifndef FT_DAEMON_METRICS_H
#define FT_DAEMON_METRICS_H

#include "daemon/hooks.h"
#include "verify/model/report.h"

/* The outcome of a check. */
enum ft_look_result { FT_LOOK_COMPLETE, FT_LOOK_INCOMPLETE, FT_LOOK_FAILED, FT_LOOK_RESULT_COUNT };

struct ft_metrics {
	const char *instance; /* "" without; not owned */
	uint64_t sweeps[FT_LOOK_RESULT_COUNT];
	uint64_t rereads[FT_LOOK_RESULT_COUNT]; /* after events; incremental ones that required a full sweep count as
						   failed */
	uint64_t mads;				/* SMPs sent by all of them */
	uint64_t timeouts;
	double sweep_duration_s; /* of the last full sweep, process included */
	double reread_duration_s;
	int64_t last_success_ms; /* wall clock; 0: none yet */
	uint64_t events[3];	 /* traps that came: 128, 64, 65 */
	bool listens;		 /* subscribed to events now */
	uint64_t alerts[3];	 /* events so far: raised, changed, cleared */
	size_t standing[3];	 /* by enum ft_severity */
	uint64_t alerts_summed_up;
	bool blind; /* so many sweeps in a row failed that the report is out of date */
	uint64_t hooks_succeeded, hooks_failed, hooks_given_up, hooks_refused;
	const struct ft_hook_runs *hooks; /* not owned */
	size_t hook_count;
	uint64_t state_failures;	   /* state that could not be saved */
	uint64_t reloads, reloads_refused; /* reloads that took effect, and those that did not */
};

/*
 * Adds all metrics.
 * @report  the last accepted one; NULL: none yet, and its metrics are left out
 */
void ft_metrics_write(struct ft_text *text, const struct ft_metrics *metrics, const struct ft_report *report);

#endif
