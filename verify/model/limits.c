/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Thresholds on the total loss of bandwidth. The verdict is the worst severity of the findings, so a threshold changes
 * that of a finding, and its sentence says so: at the critical threshold the most costly finding becomes critical;
 * below the warning threshold findings that cost only bandwidth are no warnings.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>

#include "base/text.h"
#include "verify/model/model.h"

static bool lost_at_least(const struct ft_report *r, unsigned int percent)
{
	return (r->bisection.den - r->bisection.num) * 100 >= (int64_t)percent * r->bisection.den;
}

/* "50.0 %" */
static void lost_print(const struct ft_report *r, char buffer[32])
{
	/* From 0 to 1000. */
	unsigned int tenths = (unsigned int)((r->bisection.den - r->bisection.num) * 1000 / r->bisection.den);

	snprintf(buffer, 32, "%u.%u %%", tenths / 10, tenths % 10);
}

/* True where @a costs more of the bandwidth than @b. */
static bool costs_more(const struct ft_finding *a, const struct ft_finding *b)
{
	if (a->impact.bisection_lost.num == 0 || b->impact.bisection_lost.num == 0)
		return a->impact.bisection_lost.num > b->impact.bisection_lost.num;
	return ft_ratio_compare(a->impact.bisection_lost, b->impact.bisection_lost) > 0;
}

static int place_compare(const struct ft_place *a, const struct ft_place *b)
{
	return ft_text_natural_compare(a->name ? a->name : "", b->name ? b->name : "") ?: FT_ORDER(a->port, b->port);
}

/* Its place with the first name, or NULL. */
static const struct ft_place *first_place(const struct ft_finding *f)
{
	const struct ft_place *first = f->where_count > 0 ? &f->where[0] : NULL;

	for (size_t i = 1; i < f->where_count; i++)
		if (place_compare(&f->where[i], first) < 0)
			first = &f->where[i];
	return first;
}

/*
 * Of findings with equal cost the first by the names of its places is raised, then by its words. The order of ids is
 * that of GUIDs, which say nothing, and the words of a swap begin with one of its cables by GUIDs. Those without places
 * are the last.
 */
static bool is_before(const struct ft_finding *a, const struct ft_finding *b)
{
	const struct ft_place *x = first_place(a), *y = first_place(b);

	if (costs_more(a, b) || costs_more(b, a))
		return costs_more(a, b);
	return ((x && y ? place_compare(x, y) : FT_ORDER(!x, !y)) ?: ft_text_natural_compare(a->text, b->text)) < 0;
}

/* The finding to become critical; NULL: one is critical already, or none is to be changed. */
static struct ft_finding *finding_to_raise(struct ft_report *r)
{
	struct ft_finding *most = NULL;

	for (size_t i = 0; i < r->finding_count; i++) {
		struct ft_finding *f = &r->findings[i];

		if (f->severity == FT_SEVERITY_CRITICAL)
			return NULL;
		if (f->severity != FT_SEVERITY_WARNING)
			continue;
		if (!most || is_before(f, most))
			most = f;
	}
	return most;
}

static void critical_raise(struct ft_report *r, unsigned int percent)
{
	struct ft_finding *f = finding_to_raise(r);
	char lost[32];

	if (!f)
		return;
	lost_print(r, lost);
	f->severity = FT_SEVERITY_CRITICAL;
	f->text = ft_arena_print(&r->memory, "%s; in all %s of the bisection is lost, and %u %% is critical", f->text,
				 lost, percent);
}

static void warnings_lower(struct ft_report *r, unsigned int percent)
{
	char lost[32];

	lost_print(r, lost);
	for (size_t i = 0; i < r->finding_count; i++) {
		struct ft_finding *f = &r->findings[i];

		if (f->severity != FT_SEVERITY_WARNING || !ft_finding_has(f, FT_TRAIT_CAPACITY) ||
		    f->impact.hosts_cut_off > 0 || f->impact.hosts_at_risk > 0)
			continue;
		f->severity = FT_SEVERITY_INFO;
		f->text = ft_arena_print(&r->memory,
					 "%s; in all %s of the bisection is lost, and %u %% is worth a warning",
					 f->text, lost, percent);
	}
}

static void severities_change(struct ft_report *r, const struct ft_limits *limits)
{
	if (r->verdict == FT_VERDICT_UNKNOWN || r->bisection.den <= 0)
		return;
	if (limits->critical_percent > 0 && lost_at_least(r, limits->critical_percent))
		critical_raise(r, limits->critical_percent);
	else if (limits->warning_percent > 0 && !lost_at_least(r, limits->warning_percent))
		warnings_lower(r, limits->warning_percent);
}

int ft_report_limit(struct ft_report *report, const struct ft_limits *limits)
{
	severities_change(report, limits);
	if (report->memory.failed)
		return -ENOMEM;
	report->limits = *limits;
	ft_findings_sort(report);
	ft_findings_judge(report);
	return 0;
}
