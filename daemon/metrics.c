/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The table of metrics, with their writers.
 *
 * Prometheus drops a whole scrape for one bad line, and the names in labels are not trusted: each goes through
 * ft_text_add_safe() and then through the format's own escaping, and no set of labels is written twice.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "daemon/metrics.h"

struct page {
	struct ft_text *text;
	struct ft_text scratch; /* scratch for escaping a label */
	const struct ft_metrics *metrics;
	const struct ft_report *report; /* not NULL if the metric needs one */
	struct ft_text labels;		/* of all rows, each with its NUL */
	struct row *rows;		/* the planned switches, sorted by their labels */
	size_t row_count;
};

/* A planned switch; repeats of one set of labels are told apart by their number, from 2. */
struct row {
	const struct ft_report_switch *sw;
	size_t start; /* in the page's labels */
	const char *labels;
	uint32_t twin;
};

struct metric {
	const char *name;
	const char *type;
	const char *help;
	bool of_report;
	void (*write)(struct page *page, const struct metric *metric);
	size_t offset; /* for the writers of one plain member of struct ft_metrics, ft_report or ft_report_switch */
};

/* Text exposition format 0.0.4: in a label's value, backslash, quote and line feed are escaped. */
static void escaped_add(struct ft_text *text, const char *string)
{
	for (; *string; string++) {
		if (*string == '\\' || *string == '"')
			ft_text_add(text, "\\", 1);
		if (*string == '\n')
			ft_text_puts(text, "\\n");
		else
			ft_text_add(text, string, 1);
	}
}

/* @before precedes it: "{" or ",". */
static void label_to(struct page *page, struct ft_text *to, const char *before, const char *label, const char *value)
{
	ft_text_reset(&page->scratch);
	ft_text_add_safe(&page->scratch, value ? value : "", value ? strlen(value) : 0);
	ft_text_printf(to, "%s%s=\"", before, label);
	escaped_add(to, ft_text_string(&page->scratch));
	ft_text_puts(to, "\"");
}

static void label_add(struct page *page, const char *before, const char *label, const char *value)
{
	label_to(page, page->text, before, label, value);
}

static void number_add(struct page *page, uint64_t value)
{
	ft_text_printf(page->text, " %" PRIu64 "\n", value);
}

/* A number of billionths as a decimal; the %g of printf depends on the locale. */
static void nanos_add(struct page *page, int64_t nanos)
{
	char fraction[16];
	int length = snprintf(fraction, sizeof(fraction), ".%09" PRId64, nanos % 1000000000);

	while (length > 0 && fraction[length - 1] == '0')
		fraction[--length] = '\0';
	if (length == 1)
		fraction[0] = '\0';
	ft_text_printf(page->text, " %" PRId64 "%s\n", nanos / 1000000000, fraction);
}

static void one_add(struct page *page, const struct metric *metric, uint64_t value)
{
	ft_text_puts(page->text, metric->name);
	number_add(page, value);
}

static void labelled_add(struct page *page, const struct metric *metric, const char *label, const char *label_value,
			 uint64_t value)
{
	ft_text_puts(page->text, metric->name);
	label_add(page, "{", label, label_value);
	ft_text_puts(page->text, "}");
	number_add(page, value);
}

/* The member at the metric's offset. */
static const void *member(const struct page *page, const struct metric *metric)
{
	const void *base = metric->of_report ? (const void *)page->report : (const void *)page->metrics;

	return (const char *)base + metric->offset;
}

static void count_write(struct page *page, const struct metric *metric)
{
	one_add(page, metric, *(const uint64_t *)member(page, metric));
}

static void count32_write(struct page *page, const struct metric *metric)
{
	one_add(page, metric, *(const uint32_t *)member(page, metric));
}

static void seconds_write(struct page *page, const struct metric *metric)
{
	double seconds = *(const double *)member(page, metric);

	ft_text_puts(page->text, metric->name);
	/* Also true for NaN: a comparison with it is false. */
	nanos_add(page, seconds > 0 && seconds < 1e9 ? (int64_t)(seconds * 1e6) * 1000 : 0);
}

/* An unknown ratio has a denominator of 0. */
static void ratio_write(struct page *page, const struct metric *metric)
{
	struct ft_ratio ratio = *(const struct ft_ratio *)member(page, metric);

	ft_text_puts(page->text, metric->name);
	if (ratio.den <= 0 || ratio.num < 0) {
		ft_text_puts(page->text, " NaN\n");
		return;
	}
	/* Both are within 10^9 (base/ratio.h), so this stays within 64 bits. */
	nanos_add(page, (ratio.num * 1000000000 + ratio.den / 2) / ratio.den);
}

static void build_write(struct page *page, const struct metric *metric)
{
	ft_text_puts(page->text, metric->name);
	label_add(page, "{", "version", PACKAGE_VERSION);
	/* Prometheus itself uses "instance" for the address that it scrapes. */
	label_add(page, ",", "unit_instance", page->metrics->instance);
	ft_text_puts(page->text, "} 1\n");
}

static void plan_write(struct page *page, const struct metric *metric)
{
	ft_text_puts(page->text, metric->name);
	label_add(page, "{", "plan", page->report->plan_name);
	label_add(page, ",", "sha256", page->report->plan_sha256);
	ft_text_puts(page->text, "} 1\n");
}

/* One sample for each name, of an array of uint64_t. */
static void list_write(struct page *page, const struct metric *metric, const char *label, const char *const *names,
		       size_t count)
{
	const uint64_t *values = member(page, metric);

	for (size_t i = 0; i < count; i++)
		labelled_add(page, metric, label, names[i], values[i]);
}

static void looks_write(struct page *page, const struct metric *metric)
{
	static const char *const names[FT_LOOK_RESULT_COUNT] = {
		[FT_LOOK_COMPLETE] = "complete", [FT_LOOK_INCOMPLETE] = "incomplete", [FT_LOOK_FAILED] = "failed"};

	list_write(page, metric, "result", names, FT_COUNT(names));
}

static void events_write(struct page *page, const struct metric *metric)
{
	static const char *const names[] = {"128", "64", "65"};

	list_write(page, metric, "trap", names, FT_COUNT(names));
}

static void alerts_write(struct page *page, const struct metric *metric)
{
	static const char *const names[] = {"raised", "changed", "cleared"};

	list_write(page, metric, "event", names, FT_COUNT(names));
}

static void standing_write(struct page *page, const struct metric *metric)
{
	for (enum ft_severity i = FT_SEVERITY_INFO; i <= FT_SEVERITY_CRITICAL; i++)
		labelled_add(page, metric, "severity", ft_severity_name(i), page->metrics->standing[i]);
}

static void hooks_write(struct page *page, const struct metric *metric)
{
	labelled_add(page, metric, "result", "succeeded", page->metrics->hooks_succeeded);
	labelled_add(page, metric, "result", "failed", page->metrics->hooks_failed);
	labelled_add(page, metric, "result", "given_up", page->metrics->hooks_given_up);
}

static void hook_runs_write(struct page *page, const struct metric *metric)
{
	static const char *const results[] = {"succeeded", "failed"};

	for (size_t i = 0; i < page->metrics->hook_count; i++) {
		const struct ft_hook_runs *hook = &page->metrics->hooks[i];
		const uint64_t counts[] = {hook->succeeded, hook->failed};

		for (size_t k = 0; k < FT_COUNT(results); k++) {
			ft_text_puts(page->text, metric->name);
			label_add(page, "{", "hook", hook->name);
			label_add(page, ",", "result", results[k]);
			ft_text_puts(page->text, "}");
			number_add(page, counts[k]);
		}
	}
}

static void reloads_write(struct page *page, const struct metric *metric)
{
	labelled_add(page, metric, "result", "done", page->metrics->reloads);
	labelled_add(page, metric, "result", "refused", page->metrics->reloads_refused);
}

static void listening_write(struct page *page, const struct metric *metric)
{
	one_add(page, metric, page->metrics->listens);
}

static void success_write(struct page *page, const struct metric *metric)
{
	int64_t ms = page->metrics->last_success_ms;

	ft_text_puts(page->text, metric->name);
	nanos_add(page, ms > 0 && ms < INT64_MAX / 1000000 ? ms * 1000000 : 0);
}

static void verdict_write(struct page *page, const struct metric *metric)
{
	one_add(page, metric, page->report->verdict);
}

/*
 * In the order of severity, so that max() over several fabrics is the worst of them: an unknown one does not hide a
 * critical one. An outdated report counts as unknown.
 */
static void verdict_level_write(struct page *page, const struct metric *metric)
{
	static const uint64_t levels[] = {
		[FT_VERDICT_OK] = 0, [FT_VERDICT_UNKNOWN] = 1, [FT_VERDICT_WARNING] = 2, [FT_VERDICT_CRITICAL] = 3};
	uint64_t level = levels[FT_VERDICT_UNKNOWN];

	if (page->report && page->report->verdict < FT_COUNT(levels))
		level = levels[page->report->verdict];
	if (page->metrics->blind && level < levels[FT_VERDICT_UNKNOWN])
		level = levels[FT_VERDICT_UNKNOWN];
	one_add(page, metric, level);
}

static void report_time_write(struct page *page, const struct metric *metric)
{
	one_add(page, metric, page->report->time_s > 0 ? (uint64_t)page->report->time_s : 0);
}

/*
 * All codes with their usual severity, found or not, since a rule cannot query a missing series; with another severity
 * (waived, or worse than usual) only those found.
 */
static void findings_write(struct page *page, const struct metric *metric)
{
	uint32_t counts[FT_CODE_COUNT][FT_SEVERITY_CRITICAL + 1] = {{0}};

	for (size_t i = 0; i < page->report->finding_count; i++) {
		const struct ft_finding *f = &page->report->findings[i];

		if (f->code < FT_CODE_COUNT && f->severity <= FT_SEVERITY_CRITICAL)
			counts[f->code][f->severity]++;
	}
	for (size_t code = 0; code < FT_CODE_COUNT; code++) {
		for (enum ft_severity i = FT_SEVERITY_INFO; i <= FT_SEVERITY_CRITICAL; i++) {
			if (counts[code][i] == 0 && i != ft_codes[code].severity)
				continue;
			ft_text_puts(page->text, metric->name);
			label_add(page, "{", "code", ft_codes[code].name);
			label_add(page, ",", "severity", ft_severity_name(i));
			ft_text_puts(page->text, "}");
			number_add(page, counts[code][i]);
		}
	}
}

static void impact_write(struct page *page, const struct metric *metric)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < page->report->finding_count; i++) {
		const char *impact = (const char *)&page->report->findings[i].impact;

		sum += *(const uint32_t *)(impact + metric->offset);
	}
	one_add(page, metric, sum);
}

static void switches_write(struct page *page, const struct metric *metric)
{
	static const char *const tiers[] = {"edge", "spine", "core", "island"};
	/* Of islands only where the plan has any. */
	size_t tier_count = FT_COUNT(tiers) - (page->report->islands.planned == 0);
	uint32_t counts[FT_COUNT(tiers)][FT_STATUS_COUNT] = {{0}};

	for (size_t i = 0; i < page->report->switch_count; i++) {
		const struct ft_report_switch *sw = &page->report->switches[i];

		for (size_t tier = 0; tier < tier_count; tier++)
			if (sw->tier && strcmp(sw->tier, tiers[tier]) == 0 && sw->status < FT_STATUS_COUNT)
				counts[tier][sw->status]++;
	}
	for (size_t tier = 0; tier < tier_count; tier++) {
		for (enum ft_status status = FT_STATUS_OK; status < FT_STATUS_COUNT; status++) {
			ft_text_puts(page->text, metric->name);
			label_add(page, "{", "tier", tiers[tier]);
			label_add(page, ",", "status", ft_status_name(status));
			ft_text_puts(page->text, "}");
			number_add(page, counts[tier][status]);
		}
	}
}

/* The states sum up to the planned ones. */
static void uplinks_write(struct page *page, const struct metric *metric)
{
	uint64_t known =
		(uint64_t)page->report->uplinks.up + page->report->uplinks.missing + page->report->uplinks.misplaced;
	uint64_t planned = page->report->uplinks.planned;

	labelled_add(page, metric, "state", "up", page->report->uplinks.up);
	labelled_add(page, metric, "state", "missing", page->report->uplinks.missing);
	labelled_add(page, metric, "state", "misplaced", page->report->uplinks.misplaced);
	labelled_add(page, metric, "state", "unjudged", planned > known ? planned - known : 0);
}

static void row_labels_add(struct page *page, struct row *row, const struct ft_report_switch *sw)
{
	*row = (struct row){.sw = sw, .start = page->labels.length, .twin = 1};
	label_to(page, &page->labels, "{", "switch", sw->name);
	ft_text_printf(&page->labels, ",guid=\"0x%016" PRIx64 "\"", sw->guid);
	label_to(page, &page->labels, ",", "tier", sw->tier);
	label_to(page, &page->labels, ",", "planned_as", sw->planned_as);
	ft_text_add(&page->labels, "", 1);
}

static int row_compare(const void *left, const void *right)
{
	const struct row *a = left, *b = right;
	int r = ft_text_natural_compare(a->labels, b->labels);

	/* Twins keep their order. */
	return r ? r : (a->start > b->start) - (a->start < b->start);
}

/*
 * Only planned switches, which bounds the number of series. The others are counted in ftcheck_switches. The escaped
 * labels are compared, so that equal ones are found and numbered.
 */
static int rows_make(struct page *page)
{
	const struct ft_report *report = page->report;

	page->rows = calloc(report->switch_count + 1, sizeof(*page->rows));
	if (!page->rows)
		return -ENOMEM;
	for (size_t i = 0; i < report->switch_count; i++)
		if (report->switches[i].planned_as)
			row_labels_add(page, &page->rows[page->row_count++], &report->switches[i]);
	if (ft_text_failed(&page->labels) || ft_text_failed(&page->scratch))
		return -ENOMEM;
	for (size_t i = 0; i < page->row_count; i++)
		page->rows[i].labels = page->labels.data + page->rows[i].start;
	qsort(page->rows, page->row_count, sizeof(*page->rows), row_compare);
	for (size_t i = 1; i < page->row_count; i++)
		if (strcmp(page->rows[i - 1].labels, page->rows[i].labels) == 0)
			page->rows[i].twin = page->rows[i - 1].twin + 1;
	return 0;
}

static void each_switch_write(struct page *page, const struct metric *metric)
{
	for (size_t i = 0; i < page->row_count; i++) {
		const struct row *row = &page->rows[i];

		ft_text_puts(page->text, metric->name);
		ft_text_puts(page->text, row->labels);
		if (row->twin > 1)
			ft_text_printf(page->text, ",twin=\"%u\"", row->twin);
		ft_text_puts(page->text, "}");
		number_add(page, *(const uint32_t *)((const char *)row->sw + metric->offset));
	}
}

#define COUNTER(name, help, write, member)                                                          \
	{                                                                                           \
		"ftcheck_" name, "counter", help, false, write, offsetof(struct ft_metrics, member) \
	}
#define GAUGE(name, help, write, member)                                                          \
	{                                                                                         \
		"ftcheck_" name, "gauge", help, false, write, offsetof(struct ft_metrics, member) \
	}
#define REPORT(name, help, write, member)                                                       \
	{                                                                                       \
		"ftcheck_" name, "gauge", help, true, write, offsetof(struct ft_report, member) \
	}
#define IMPACT(name, help, member)                                                                       \
	{                                                                                                \
		"ftcheck_" name, "gauge", help, true, impact_write,                                      \
			offsetof(struct ft_finding, impact.member) - offsetof(struct ft_finding, impact) \
	}
#define SWITCH(name, help, member)                                              \
	{                                                                       \
		"ftcheck_switch_" name, "gauge", help, true, each_switch_write, \
			offsetof(struct ft_report_switch, member)               \
	}

/* Help texts hold neither backslashes nor line feeds. */
static const struct metric metrics_table[] = {
	GAUGE("build_info", "The version of ftcheckd, and the instance of its unit.", build_write, instance),
	COUNTER("sweeps_total", "Full sweeps of the fabric.", looks_write, sweeps),
	COUNTER("rereads_total", "Partial sweeps after events; those that made a full sweep necessary have failed.",
		looks_write, rereads),
	GAUGE("sweep_duration_seconds", "Duration of the last full sweep; 0 before the first.", seconds_write,
	      sweep_duration_s),
	GAUGE("reread_duration_seconds", "Duration of the last partial sweep; 0 before the first.", seconds_write,
	      reread_duration_s),
	COUNTER("mads_total", "Management packets sent by all sweeps.", count_write, mads),
	COUNTER("timeouts_total", "Management packets that were not answered.", count_write, timeouts),
	COUNTER("events_total", "Events of the fabric that were passed on to the daemon.", events_write, events),
	GAUGE("listening", "Whether events come now (1), or the fabric is only polled (0).", listening_write, listens),
	GAUGE("last_success_timestamp_seconds",
	      "Unix time of the last sweep, full or partial, that missed nothing; 0 before.", success_write,
	      last_success_ms),
	GAUGE("alerts_standing", "Alerts that stand now; those that an alert-storm sums up are in it.", standing_write,
	      standing),
	GAUGE("alerts_summed_up", "Alerts that the alert-storm that stands sums up; 0: none does.", count_write,
	      alerts_summed_up),
	COUNTER("alerts_total", "Alerts said so far.", alerts_write, alerts),
	COUNTER("hooks_total", "Runs of hooks that succeeded or failed, and events that were given up.", hooks_write,
		hooks_succeeded),
	COUNTER("hook_runs_total", "Runs of each hook, by result.", hook_runs_write, hooks),
	GAUGE("hooks_refused", "Hooks that are not run since others may have written them; the log says which.",
	      count_write, hooks_refused),
	COUNTER("state_failures_total", "How often the alerts could not be saved to disk.", count_write,
		state_failures),
	COUNTER("reloads_total", "Reloads of the configuration and the plan.", reloads_write, reloads),
	GAUGE("verdict_level", "0 ok, 1 unknown, 2 warning, 3 critical: the larger, the worse.", verdict_level_write,
	      blind),

	REPORT("plan_info", "The plan that the fabric is held against.", plan_write, plan_name),
	REPORT("report_timestamp_seconds", "Unix time of the report that the metrics below come from.",
	       report_time_write, time_s),
	REPORT("verdict", "0 ok, 1 warning, 2 critical, 3 unknown.", verdict_write, verdict),
	REPORT("findings", "What is wrong, one a fault.", findings_write, findings),
	IMPACT("links_lost", "Planned uplink cables that carry nothing now, by the findings.", links_lost),
	IMPACT("hosts_cut_off", "Hosts that are cut off, by the findings.", hosts_cut_off),
	REPORT("switches", "Switches by tier and status.", switches_write, switches),
	REPORT("uplinks_planned", "Planned cables between switches.", count32_write, uplinks.planned),
	REPORT("uplinks", "Planned cables between switches by their state; unjudged: no sweep got there.",
	       uplinks_write, uplinks),
	REPORT("uplinks_unplanned", "Cables between switches that the plan does not know.", count32_write,
	       uplinks.unplanned),
	REPORT("uplinks_slow", "Cables between switches below their expected rate.", count32_write, uplinks.slow),
	REPORT("hosts_planned", "Planned hosts.", count32_write, hosts.planned),
	REPORT("hosts_found", "Hosts that are there.", count32_write, hosts.found),
	REPORT("clos_planned", "Switches on the longest of the shortest paths between two hosts, planned.",
	       count32_write, clos_planned),
	REPORT("clos_found", "The same as found; 0: no two edge switches with hosts reach each other.", count32_write,
	       clos_found),
	REPORT("bisection_ratio", "Fraction of the planned bisection bandwidth that is left.", ratio_write, bisection),
	REPORT("blocking_planned", "Planned blocking factor.", ratio_write, blocking_planned),
	REPORT("blocking_worst", "Blocking factor of the worst edge switch.", ratio_write, blocking_worst),
	SWITCH("uplinks_planned", "Planned uplinks of a planned switch.", uplinks_planned),
	SWITCH("uplinks_up", "Uplinks of a planned switch that are up and as planned.", uplinks_up),
	SWITCH("hosts", "Hosts on a planned switch.", hosts),
};

static void page_write(struct page *page)
{
	for (size_t i = 0; i < FT_COUNT(metrics_table); i++) {
		const struct metric *metric = &metrics_table[i];

		if (metric->of_report && !page->report)
			continue;
		ft_text_printf(page->text, "# HELP %s %s\n# TYPE %s %s\n", metric->name, metric->help, metric->name,
			       metric->type);
		metric->write(page, metric);
	}
}

void ft_metrics_write(struct ft_text *text, const struct ft_metrics *metrics, const struct ft_report *report)
{
	struct page page = {.text = text, .metrics = metrics, .report = report};

	if (!report || rows_make(&page) == 0)
		page_write(&page);
	else
		text->failed = true;
	text->failed = text->failed || ft_text_failed(&page.scratch);
	ft_text_release(&page.scratch);
	ft_text_release(&page.labels);
	free(page.rows);
}
