/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* One line for Nagios and its kin: FTCHECK STATUS - text|performance data (Nagios plugin guidelines). */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "verify/model/report.h"
#include "verify/report/report_parts.h"

/* A bar begins the performance data, so names must not contain it; nor a newline. */
static void nagios_text(struct ft_text *t, const char *string)
{
	for (; *string; string++)
		ft_text_add(t, *string == '|' ? "/" : *string == '\n' ? " " : string, 1);
}

void ft_report_write_nagios_unknown(struct ft_text *t, const char *reason)
{
	ft_text_puts(t, "FTCHECK UNKNOWN - ");
	nagios_text(t, reason);
	ft_text_puts(t, "\n");
}

/* The figures are left out: against the design of another fabric they are meaningless. */
static void foreign_write(struct ft_text *t, const struct ft_report *r)
{
	_cleanup_(ft_text_release) struct ft_text reason = {0};

	ft_text_printf(&reason, "%s: %s%s%s%s", r->plan_name, r->findings[0].text, r->as_of ? " (" : "",
		       r->as_of ? r->as_of : "", r->as_of ? ")" : "");
	t->failed |= reason.failed;
	ft_report_write_nagios_unknown(t, ft_text_string(&reason));
}

/* "bisection_lost=5.6%;10;50;0;100", with the thresholds that are set. */
static void bisection_write(struct ft_text *t, const struct ft_report *r)
{
	int64_t lost = r->bisection.den > 0 ? (r->bisection.den - r->bisection.num) * 10000 / r->bisection.den : 0;

	ft_text_printf(t, " bisection_lost=%" PRId64 ".%02" PRId64 "%%;", lost / 100, lost % 100);
	if (r->limits.warning_percent)
		ft_text_printf(t, "%u", r->limits.warning_percent);
	ft_text_puts(t, ";");
	if (r->limits.critical_percent)
		ft_text_printf(t, "%u", r->limits.critical_percent);
	ft_text_puts(t, ";0;100");
}

static void tiers_write(struct ft_text *t, const struct ft_report *r)
{
	ft_text_printf(t, "%u/%u edge, ", r->edge.found, r->edge.planned);
	if (r->spine.planned)
		ft_text_printf(t, "%u/%u spine, ", r->spine.found, r->spine.planned);
	ft_text_printf(t, "%u/%u core switches", r->core.found, r->core.planned);
}

/* "8/8 leaf, 2/2 core switches"; "16/16 switches" */
static void kinds_write(struct ft_text *t, const struct ft_report *r)
{
	const char *gap = "";

	for (size_t i = 0; i < r->kind_count; i++) {
		const struct ft_report_kind *kind = &r->kinds[i];
		bool bare = r->kind_count == 1 && strcmp(kind->name, "switch") == 0;

		ft_text_printf(t, "%s%u/%u", gap, kind->found, kind->planned);
		ft_text_puts(t, bare ? "" : " ");
		nagios_text(t, bare ? "" : kind->name);
		gap = ", ";
	}
	ft_text_puts(t, " switches");
}

static void switches_perfdata(struct ft_text *t, const struct ft_report *r)
{
	uint32_t degraded = 0, isolated = 0, missing = 0;

	for (size_t i = 0; i < r->kind_count; i++) {
		degraded += r->kinds[i].degraded;
		isolated += r->kinds[i].isolated;
		missing += r->kinds[i].missing;
	}
	if (r->kind_count > 0) {
		ft_text_printf(t, " switches_degraded=%u switches_isolated=%u switches_missing=%u", degraded, isolated,
			       missing);
		return;
	}
	ft_text_printf(t, " edges_degraded=%u edges_isolated=%u cores_missing=%u", r->edge.degraded, r->edge.isolated,
		       r->core.missing);
	if (r->spine.planned)
		ft_text_printf(t, " spines_missing=%u", r->spine.missing);
}

void ft_report_write_nagios(struct ft_text *t, const struct ft_report *r)
{
	if (ft_report_is_foreign(r)) {
		foreign_write(t, r);
		return;
	}
	ft_text_printf(t, "FTCHECK %s - ", ft_report_capitals(r->verdict));
	nagios_text(t, r->plan_name);
	ft_text_puts(t, ": ");
	if (r->kind_count > 0)
		kinds_write(t, r);
	else
		tiers_write(t, r);
	ft_text_printf(t, ", %u/%u %ss up, %u/%u hosts", r->uplinks.up, r->uplinks.planned, ft_report_link_word(r),
		       r->hosts.found, r->hosts.planned);
	if (r->finding_count > 0) {
		ft_text_puts(t, "; ");
		nagios_text(t, ft_codes[r->findings[0].code].name);
		ft_text_puts(t, ": ");
		nagios_text(t, r->findings[0].text);
	}
	if (r->finding_count > 1)
		ft_text_printf(t, " (and %zu more)", r->finding_count - 1);
	if (r->as_of)
		ft_text_printf(t, " (%s)", r->as_of);
	ft_text_printf(t, "|uplinks_up=%u;;;0;%u uplinks_missing=%u uplinks_misplaced=%u uplinks_slow=%u",
		       r->uplinks.up, r->uplinks.planned, r->uplinks.missing, r->uplinks.misplaced, r->uplinks.slow);
	switches_perfdata(t, r);
	bisection_write(t, r);
	ft_text_printf(t, " hosts=%u;;;0;%u findings=%zu time=%u.%03us\n", r->hosts.found, r->hosts.planned,
		       r->finding_count, r->source.duration_ms / 1000, r->source.duration_ms % 1000);
}
