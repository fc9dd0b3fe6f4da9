/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * What the page shows first: the report without its table of switches, how old it is, the alerts and their history.
 *
 *     {"ftcheckd_summary": 1, "fabric", "instance", "version", "status": one line, "listening": one line,
 *      "trouble": why the last sweep failed, or "", "building": the design has phases, and /build tells of them,
 * "verified": the last sweep saw everything, "verified_at": when the last one did, or null, "stale_at": from when on
 * that is too long ago, or null, "findings": how many there are, "alerts": [...], "history": [...], "report": as
 * /report, with no switches and at most FINDINGS_MAX findings, or null}
 *
 * It is the same from one change to the next, and so can be compared by its ETag.
 */
#include "config.h"

#include <errno.h>

#include "base/text.h"
#include "daemon/daemon.h"

enum {
	FINDINGS_MAX = 300,
	UNREACHED_MAX = 50,
	INTERVALS = 2, /* one sweep may be late, or be done again */
};

static void member_add(struct ft_text *t, const char *key, const char *value)
{
	ft_text_puts(t, ",\n  ");
	ft_text_add_member(t, key, value);
}

static void times_write(const struct ft_daemon *d, struct ft_text *t)
{
	int64_t then_ms = d->metrics.last_success_ms;

	if (then_ms == 0) {
		ft_text_puts(t, ", \"verified_at\": null, \"stale_at\": null");
		return;
	}
	ft_alerts_add_time(t, "verified_at", then_ms);
	ft_alerts_add_time(t, "stale_at",
			   then_ms + (int64_t)INTERVALS * d->config->sweep_interval_ms + d->config->sweep.deadline_ms);
}

/* The links with most errors by the last reading, and when that was; null where counters are not read. */
static void links_write(const struct ft_daemon *d, struct ft_text *t)
{
	if (d->counting.serial == 0 || d->counting.links.length == 0) {
		ft_text_puts(t, "null");
		return;
	}
	ft_text_puts(t, "{\"links\": ");
	ft_text_add(t, d->counting.links.data, d->counting.links.length);
	ft_alerts_add_time(t, "at", d->counting.at_ms);
	ft_text_puts(t, "}");
}

static void report_write(const struct ft_daemon *d, struct ft_text *t)
{
	struct ft_report cut;

	if (!d->report) {
		ft_text_puts(t, "null");
		return;
	}
	cut = *d->report;
	cut.switch_count = 0;
	if (cut.finding_count > FINDINGS_MAX)
		cut.finding_count = FINDINGS_MAX;
	if (cut.source.unreached_count > UNREACHED_MAX)
		cut.source.unreached_count = UNREACHED_MAX;
	ft_report_write_json(t, &cut);
}

/*
 * For times that are remembered by the monotonic clock. The two clocks are read one after the other, so that their
 * difference is a millisecond more or less: it counts as the same until the wall clock is set.
 */
static struct ft_now now_shown(struct ft_daemon *d)
{
	enum { SAME_MS = 200 };
	struct ft_now now = ft_daemon_now();
	int64_t offset_ms = now.wall_ms - now.mono_ms, drift_ms = offset_ms - d->shown_offset_ms;

	if (drift_ms < -SAME_MS || drift_ms > SAME_MS)
		d->shown_offset_ms = offset_ms;
	now.wall_ms = now.mono_ms + d->shown_offset_ms;
	return now;
}

int ft_summary_page(void *userdata, struct ft_text *t)
{
	_cleanup_(ft_text_release) struct ft_text status = {0}, listening = {0};
	struct ft_daemon *d = userdata;
	bool verified = d->report && d->looks.failures == 0 && ft_looks_progress(d);

	ft_tell_verdict(d, &status);
	ft_tell_listening(d, &listening);
	ft_text_puts(t, "{\n  \"ftcheckd_summary\": 1");
	member_add(t, "fabric", d->design->name);
	member_add(t, "instance", d->options->instance ? d->options->instance : "");
	member_add(t, "version", PACKAGE_VERSION);
	member_add(t, "status", ft_text_string(&status));
	member_add(t, "listening", ft_text_string(&listening));
	member_add(t, "trouble", d->looks.trouble);
	ft_text_printf(t, ",\n  \"building\": %s", d->design->phase_count > 0 ? "true" : "false");
	ft_text_printf(t, ",\n  \"verified\": %s", verified ? "true" : "false");
	times_write(d, t);
	ft_text_printf(t, ",\n  \"findings\": %zu", d->report ? d->report->finding_count : 0);
	ft_text_puts(t, ",\n  \"alerts\": ");
	ft_alerts_write_list(t, d->alerts, now_shown(d));
	ft_text_puts(t, ",\n  \"history\": ");
	ft_history_write(t, &d->history);
	ft_text_puts(t, ",\n  \"worst_links\": ");
	links_write(d, t);
	ft_text_puts(t, ",\n  \"report\": ");
	report_write(d, t);
	ft_text_puts(t, "}\n");
	return ft_text_failed(t) || ft_text_failed(&status) || ft_text_failed(&listening) ? -ENOMEM : 0;
}
