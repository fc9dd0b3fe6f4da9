/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* What Prometheus reads: values, escaping, and that no page is ever one that it would drop. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "daemon/metrics.h"
#include "tests/allocations.h"

/* Members of reports are not const. */
#define TEXT(literal) ((char *)(uintptr_t)(literal))

static const char name_characters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

/* The value of the sample that is exactly @sample, up to the end of its line; NULL if there is none. */
static const char *value_find(const char *page, const char *sample, size_t *ret_length)
{
	size_t length = strlen(sample);

	for (const char *line = page; line && *line; line = strchr(line, '\n') + 1) {
		if (strncmp(line, sample, length) != 0 || line[length] != ' ')
			continue;
		*ret_length = strcspn(line + length + 1, "\n");
		return line + length + 1;
	}
	return NULL;
}

static void value_expect(const char *page, const char *sample, const char *expected)
{
	char shown[64] = "";
	size_t length = 0;
	const char *value = value_find(page, sample, &length);

	if (!expected) {
		if (value)
			fail_msg("%s is there", sample);
		return;
	}
	if (!value)
		fail_msg("no %s in\n%s", sample, page);
	snprintf(shown, sizeof(shown), "%.*s", (int)length, value);
	if (strcmp(shown, expected) != 0)
		fail_msg("%s is %s, not %s", sample, shown, expected);
}

/* Steps over {label="value",…}; NULL if it is malformed. */
static const char *labels_skip(const char *c)
{
	while (*c != '}') {
		size_t length = strspn(++c, name_characters);

		if (length == 0 || strncmp(c + length, "=\"", 2) != 0)
			return NULL;
		for (c += length + 2; *c != '"'; c++) {
			if (*c == '\n' || *c == '\0')
				return NULL;
			if (*c == '\\' && !strchr("\\\"n", *++c))
				return NULL;
		}
		c++;
		if (*c != ',' && *c != '}')
			return NULL;
	}
	return c + 1;
}

static int sample_compare(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

/*
 * Holds a page against the text exposition format: each family once, with HELP, TYPE and its samples in one place, each
 * sample well-formed and once.
 */
static void page_check(const char *page)
{
	_cleanup_free_ char *copy = strdup(page);
	char *samples[4096], family[128] = "", *next;
	size_t count = 0;

	assert_non_null(copy);
	assert_true(*page && page[strlen(page) - 1] == '\n');
	for (char *line = copy; *line; line = next) {
		const char *c;
		char *end;

		next = strchr(line, '\n') + 1;
		next[-1] = '\0';
		if (sscanf(line, "# HELP %127s", family) == 1) {
			char again[160];
			const char *first = strstr(page, line);

			assert_true(strlen(line) > strlen(family) + 8);
			snprintf(again, sizeof(again), "# HELP %s ", family);
			assert_null(strstr(first + 1, again));
			continue;
		}
		if (line[0] == '#') {
			char expected[2][160];
			bool total = strlen(family) > 6 && strcmp(family + strlen(family) - 6, "_total") == 0;

			snprintf(expected[0], sizeof(expected[0]), "# TYPE %s gauge", family);
			snprintf(expected[1], sizeof(expected[1]), "# TYPE %s counter", family);
			assert_string_equal(line, expected[total]);
			continue;
		}
		assert_true(strncmp(line, family, strlen(family)) == 0);
		assert_true(strncmp(line, "ftcheck_", 8) == 0);
		c = line + strspn(line, name_characters);
		assert_int_equal(c - line, strlen(family));
		if (*c == '{')
			c = labels_skip(c);
		assert_true(c && *c == ' ');
		(void)strtod(c + 1, &end);
		assert_true(end > c + 1 && *end == '\0');
		line[c - line] = '\0';
		assert_true(count < FT_COUNT(samples));
		samples[count++] = line;
	}
	qsort(samples, count, sizeof(*samples), sample_compare);
	for (size_t i = 1; i < count; i++)
		if (strcmp(samples[i - 1], samples[i]) == 0)
			fail_msg("twice: %s", samples[i]);
}

static const struct ft_hook_runs hook_runs[] = {{"mail", 71, 72}, {"alertmanager", 73, 0}};

static const struct ft_metrics busy = {
	.instance = "mlx5_0:1",
	.sweeps = {[FT_LOOK_COMPLETE] = 5, [FT_LOOK_INCOMPLETE] = 2, [FT_LOOK_FAILED] = 1},
	.rereads = {[FT_LOOK_COMPLETE] = 40, [FT_LOOK_INCOMPLETE] = 3, [FT_LOOK_FAILED] = 4},
	.mads = UINT64_MAX,
	.timeouts = 7,
	.sweep_duration_s = 2.25,
	.reread_duration_s = 0.001234,
	.last_success_ms = 1700000000123,
	.events = {11, 12, 13},
	.listens = true,
	.alerts = {21, 22, 23},
	.standing = {[FT_SEVERITY_INFO] = 31, [FT_SEVERITY_WARNING] = 32, [FT_SEVERITY_CRITICAL] = 33},
	.hooks_succeeded = 41,
	.hooks_failed = 42,
	.hooks_given_up = 43,
	.hooks_refused = 44,
	.hooks = hook_runs,
	.hook_count = FT_COUNT(hook_runs),
	.alerts_summed_up = 34,
	.state_failures = 51,
	.reloads = 61,
	.reloads_refused = 62,
};

static struct ft_report_switch switches[] = {
	{TEXT("edge a"), 0x100001, "edge", TEXT("edge001"), FT_STATUS_DEGRADED, 18, 17, 16, NULL, NULL},
	{TEXT("edge b"), 0x100002, "edge", TEXT("edge002"), FT_STATUS_OK, 18, 18, 18, NULL, NULL},
	{TEXT("core01"), 0, "core", TEXT("core01"), FT_STATUS_MISSING, 18, 0, 0, NULL, NULL},
	{TEXT("stray"), 0x100009, "edge", NULL, FT_STATUS_UNPLANNED, 0, 0, 3, NULL, NULL},
};

static struct ft_finding findings[] = {
	{.code = FT_CODE_CORE_MISSING,
	 .severity = FT_SEVERITY_WARNING,
	 .impact = {.links_lost = 18, .hosts_cut_off = 0}},
	{.code = FT_CODE_CABLE_MISSING,
	 .severity = FT_SEVERITY_WARNING,
	 .impact = {.links_lost = 1, .hosts_cut_off = 0}},
	{.code = FT_CODE_CABLE_MISSING,
	 .severity = FT_SEVERITY_WARNING,
	 .impact = {.links_lost = 2, .hosts_cut_off = 4}},
	{.code = FT_CODE_CABLE_MISSING, .severity = FT_SEVERITY_INFO, .impact = {.links_lost = 1, .hosts_cut_off = 0}},
};

static const struct ft_report degraded = {
	.plan_name = TEXT("the \"plan\""),
	.plan_sha256 = "0123abcd",
	.time_s = 1700000001,
	.verdict = FT_VERDICT_WARNING,
	.uplinks = {.planned = 54, .up = 30, .missing = 18, .misplaced = 2, .unplanned = 4, .slow = 5},
	.hosts = {40, 37},
	.clos_planned = 3,
	.clos_found = 5,
	.blocking_planned = {1, 1},
	.blocking_worst = {9, 8},
	.bisection = {2, 3},
	.switches = switches,
	.switch_count = FT_COUNT(switches),
	.findings = findings,
	.finding_count = FT_COUNT(findings),
};

#define EDGE_A "{switch=\"edge a\",guid=\"0x0000000000100001\",tier=\"edge\",planned_as=\"edge001\"}"
#define CORE "{switch=\"core01\",guid=\"0x0000000000000000\",tier=\"core\",planned_as=\"core01\"}"

/* Of &busy and &degraded; the last column: without a report too */
static const struct {
	const char *sample;
	const char *value;
	bool always;
} values[] = {
	{"ftcheck_build_info{version=\"" PACKAGE_VERSION "\",unit_instance=\"mlx5_0:1\"}", "1", true},
	{"ftcheck_sweeps_total{result=\"complete\"}", "5", true},
	{"ftcheck_sweeps_total{result=\"incomplete\"}", "2", true},
	{"ftcheck_sweeps_total{result=\"failed\"}", "1", true},
	{"ftcheck_rereads_total{result=\"complete\"}", "40", true},
	{"ftcheck_rereads_total{result=\"incomplete\"}", "3", true},
	{"ftcheck_rereads_total{result=\"failed\"}", "4", true},
	{"ftcheck_mads_total", "18446744073709551615", true},
	{"ftcheck_timeouts_total", "7", true},
	{"ftcheck_sweep_duration_seconds", "2.25", true},
	{"ftcheck_reread_duration_seconds", "0.001234", true},
	{"ftcheck_last_success_timestamp_seconds", "1700000000.123", true},
	{"ftcheck_events_total{trap=\"128\"}", "11", true},
	{"ftcheck_events_total{trap=\"64\"}", "12", true},
	{"ftcheck_events_total{trap=\"65\"}", "13", true},
	{"ftcheck_listening", "1", true},
	{"ftcheck_alerts_total{event=\"raised\"}", "21", true},
	{"ftcheck_alerts_total{event=\"changed\"}", "22", true},
	{"ftcheck_alerts_total{event=\"cleared\"}", "23", true},
	{"ftcheck_alerts_standing{severity=\"info\"}", "31", true},
	{"ftcheck_alerts_standing{severity=\"warning\"}", "32", true},
	{"ftcheck_alerts_standing{severity=\"critical\"}", "33", true},
	{"ftcheck_hooks_total{result=\"succeeded\"}", "41", true},
	{"ftcheck_hooks_total{result=\"failed\"}", "42", true},
	{"ftcheck_hooks_total{result=\"given_up\"}", "43", true},
	{"ftcheck_hooks_refused", "44", true},
	{"ftcheck_hook_runs_total{hook=\"mail\",result=\"succeeded\"}", "71", true},
	{"ftcheck_hook_runs_total{hook=\"mail\",result=\"failed\"}", "72", true},
	{"ftcheck_hook_runs_total{hook=\"alertmanager\",result=\"succeeded\"}", "73", true},
	{"ftcheck_hook_runs_total{hook=\"alertmanager\",result=\"failed\"}", "0", true},
	{"ftcheck_alerts_summed_up", "34", true},
	{"ftcheck_state_failures_total", "51", true},
	{"ftcheck_reloads_total{result=\"done\"}", "61", true},
	{"ftcheck_reloads_total{result=\"refused\"}", "62", true},
	{"ftcheck_plan_info{plan=\"the \\\"plan\\\"\",sha256=\"0123abcd\"}", "1", false},
	{"ftcheck_report_timestamp_seconds", "1700000001", false},
	{"ftcheck_verdict", "1", false},
	{"ftcheck_findings{code=\"core-missing\",severity=\"warning\"}", "1", false},
	{"ftcheck_findings{code=\"cable-missing\",severity=\"warning\"}", "2", false},
	{"ftcheck_findings{code=\"cable-missing\",severity=\"info\"}", "1", false},
	{"ftcheck_findings{code=\"edge-isolated\",severity=\"critical\"}", "0", false},
	{"ftcheck_findings{code=\"hosts-missing\",severity=\"info\"}", "0", false},
	{"ftcheck_findings{code=\"hosts-missing\",severity=\"warning\"}", NULL, false},
	{"ftcheck_links_lost", "22", false},
	{"ftcheck_hosts_cut_off", "4", false},
	{"ftcheck_switches{tier=\"edge\",status=\"ok\"}", "1", false},
	{"ftcheck_switches{tier=\"edge\",status=\"degraded\"}", "1", false},
	{"ftcheck_switches{tier=\"edge\",status=\"unplanned\"}", "1", false},
	{"ftcheck_switches{tier=\"core\",status=\"missing\"}", "1", false},
	{"ftcheck_switches{tier=\"core\",status=\"ok\"}", "0", false},
	{"ftcheck_uplinks_planned", "54", false},
	{"ftcheck_uplinks{state=\"up\"}", "30", false},
	{"ftcheck_uplinks{state=\"missing\"}", "18", false},
	{"ftcheck_uplinks{state=\"misplaced\"}", "2", false},
	{"ftcheck_uplinks{state=\"unjudged\"}", "4", false},
	{"ftcheck_uplinks_unplanned", "4", false},
	{"ftcheck_uplinks_slow", "5", false},
	{"ftcheck_hosts_planned", "40", false},
	{"ftcheck_hosts_found", "37", false},
	{"ftcheck_clos_planned", "3", false},
	{"ftcheck_clos_found", "5", false},
	{"ftcheck_bisection_ratio", "0.666666667", false},
	{"ftcheck_blocking_planned", "1", false},
	{"ftcheck_blocking_worst", "1.125", false},
	{"ftcheck_switch_uplinks_planned" EDGE_A, "18", false},
	{"ftcheck_switch_uplinks_up" EDGE_A, "17", false},
	{"ftcheck_switch_hosts" EDGE_A, "16", false},
	{"ftcheck_switch_uplinks_planned" CORE, "18", false},
	{"ftcheck_switch_uplinks_up" CORE, "0", false},
};

static void test_values(void **state)
{
	_cleanup_(ft_text_release) struct ft_text with = {0}, without = {0};

	(void)state;
	ft_metrics_write(&with, &busy, &degraded);
	ft_metrics_write(&without, &busy, NULL);
	assert_false(ft_text_failed(&with) || ft_text_failed(&without));
	page_check(ft_text_string(&with));
	page_check(ft_text_string(&without));
	for (size_t i = 0; i < FT_COUNT(values); i++) {
		value_expect(ft_text_string(&with), values[i].sample, values[i].value);
		value_expect(ft_text_string(&without), values[i].sample, values[i].always ? values[i].value : NULL);
	}
	/* What is not planned has no series of its own. */
	assert_null(strstr(ft_text_string(&with), "stray"));
}

/* The worse, the larger, so that max() is right; and what is out of date is not good. */
static void test_verdict_level(void **state)
{
	static const struct {
		enum ft_verdict verdict;
		bool report, blind;
		const char *level;
	} cases[] = {
		{FT_VERDICT_OK, false, false, "1"},	 {FT_VERDICT_OK, true, false, "0"},
		{FT_VERDICT_OK, true, true, "1"},	 {FT_VERDICT_UNKNOWN, true, false, "1"},
		{FT_VERDICT_WARNING, true, false, "2"},	 {FT_VERDICT_WARNING, true, true, "2"},
		{FT_VERDICT_CRITICAL, true, false, "3"}, {FT_VERDICT_CRITICAL, true, true, "3"},
	};

	(void)state;
	for (size_t i = 0; i < FT_COUNT(cases); i++) {
		_cleanup_(ft_text_release) struct ft_text text = {0};
		struct ft_metrics metrics = busy;
		struct ft_report report = degraded;

		metrics.blind = cases[i].blind;
		report.verdict = cases[i].verdict;
		ft_metrics_write(&text, &metrics, cases[i].report ? &report : NULL);
		value_expect(ft_text_string(&text), "ftcheck_verdict_level", cases[i].level);
	}
}

/* A page is added to what stands there already. */
static void test_added(void **state)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};

	(void)state;
	ft_text_puts(&text, "before\n");
	ft_metrics_write(&text, &busy, NULL);
	assert_true(strncmp(ft_text_string(&text), "before\n# HELP ftcheck_", 22) == 0);
}

/* Each code has a row that a rule can ask for while nothing is wrong. */
static void test_codes(void **state)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};
	struct ft_report healthy = {.plan_name = TEXT("p"), .bisection = {1, 1}};

	(void)state;
	ft_metrics_write(&text, &busy, &healthy);
	page_check(ft_text_string(&text));
	for (size_t i = 0; i < FT_CODE_COUNT; i++) {
		char sample[128];

		snprintf(sample, sizeof(sample), "ftcheck_findings{code=\"%s\",severity=\"%s\"}", ft_codes[i].name,
			 ft_severity_name(ft_codes[i].severity));
		value_expect(ft_text_string(&text), sample, "0");
	}
}

/* Names as they may come, and as they stand in a label. */
static const struct {
	const char *name, *label;
} names[] = {
	{"plain", "plain"},
	{"", ""},
	{"a \"quoted\" one", "a \\\"quoted\\\" one"},
	{"back\\slash", "back\\\\slash"},
	{"ends in \\", "ends in \\\\"},
	{"two\nlines", "two\\\\x0alines"},
	{"\"} 1\nftcheck_verdict 0\n#", "\\\"} 1\\\\x0aftcheck_verdict 0\\\\x0a#"},
	{"caf\xc3\xa9", "caf\xc3\xa9"},
	{"bad \xff\xc3 utf", "bad \\\\xff\\\\xc3 utf"},
	{"\x1b[31mred", "\\\\x1b[31mred"},
	{"right \xe2\x80\xae left", "right \\\\xe2\\\\x80\\\\xae left"},
	{"\\x0a", "\\\\x0a"},
	{"{}=,", "{}=,"},
};

static void test_names(void **state)
{
	(void)state;
	for (size_t i = 0; i < FT_COUNT(names); i++) {
		_cleanup_(ft_text_release) struct ft_text text = {0};
		struct ft_report_switch sw = {.name = TEXT(names[i].name),
					      .guid = 0xfedcba9876543210,
					      .tier = "edge",
					      .planned_as = TEXT(names[i].name),
					      .hosts = 7};
		struct ft_report report = {.plan_name = TEXT(names[i].name), .switches = &sw, .switch_count = 1};
		struct ft_metrics metrics = {.instance = names[i].name};
		char sample[512];

		ft_metrics_write(&text, &metrics, &report);
		page_check(ft_text_string(&text));
		snprintf(sample, sizeof(sample),
			 "ftcheck_switch_hosts{switch=\"%s\",guid=\"0xfedcba9876543210\",tier=\"edge\",planned_as=\"%"
			 "s\"}",
			 names[i].label, names[i].label);
		value_expect(ft_text_string(&text), sample, "7");
		snprintf(sample, sizeof(sample), "ftcheck_plan_info{plan=\"%s\",sha256=\"\"}", names[i].label);
		value_expect(ft_text_string(&text), sample, "1");
		snprintf(sample, sizeof(sample),
			 "ftcheck_build_info{version=\"" PACKAGE_VERSION "\",unit_instance=\"%s\"}", names[i].label);
		value_expect(ft_text_string(&text), sample, "1");
	}
}

/* Twins of a GUID and of a name, and names that differ only before they are made safe: each has its own series. */
static void test_twins(void **state)
{
	struct ft_report_switch twins[] = {
		{TEXT("x"), 1, "edge", TEXT("p"), FT_STATUS_OK, 1, 1, 10, NULL, NULL},
		{TEXT("x"), 1, "edge", TEXT("q"), FT_STATUS_OK, 1, 1, 11, NULL, NULL},
		{TEXT("x"), 1, "edge", TEXT("p"), FT_STATUS_OK, 1, 1, 12, NULL, NULL},
		{TEXT("x"), 2, "edge", TEXT("p"), FT_STATUS_OK, 1, 1, 13, NULL, NULL},
		{TEXT("x"), 1, "core", TEXT("p"), FT_STATUS_OK, 1, 1, 14, NULL, NULL},
		{TEXT("x"), 1, "edge", TEXT("p"), FT_STATUS_OK, 1, 1, 15, NULL, NULL},
		{TEXT("x"), 0, "edge", TEXT("\n"), FT_STATUS_OK, 1, 1, 16, NULL, NULL},
		{TEXT("x"), 0, "edge", TEXT("\\x0a"), FT_STATUS_OK, 1, 1, 17, NULL, NULL},
		{NULL, 0, NULL, TEXT(""), FT_STATUS_OK, 1, 1, 18, NULL, NULL},
		{NULL, 0, NULL, TEXT(""), FT_STATUS_OK, 1, 1, 19, NULL, NULL},
	};
	static const struct {
		const char *labels;
		const char *hosts;
	} rows[] = {
		{"switch=\"x\",guid=\"0x0000000000000001\",tier=\"edge\",planned_as=\"p\"", "10"},
		{"switch=\"x\",guid=\"0x0000000000000001\",tier=\"edge\",planned_as=\"p\",twin=\"2\"", "12"},
		{"switch=\"x\",guid=\"0x0000000000000001\",tier=\"edge\",planned_as=\"p\",twin=\"3\"", "15"},
		{"switch=\"x\",guid=\"0x0000000000000001\",tier=\"edge\",planned_as=\"q\"", "11"},
		{"switch=\"x\",guid=\"0x0000000000000002\",tier=\"edge\",planned_as=\"p\"", "13"},
		{"switch=\"x\",guid=\"0x0000000000000001\",tier=\"core\",planned_as=\"p\"", "14"},
		{"switch=\"x\",guid=\"0x0000000000000000\",tier=\"edge\",planned_as=\"\\\\x0a\"", "16"},
		{"switch=\"x\",guid=\"0x0000000000000000\",tier=\"edge\",planned_as=\"\\\\x0a\",twin=\"2\"", "17"},
		{"switch=\"\",guid=\"0x0000000000000000\",tier=\"\",planned_as=\"\"", "18"},
		{"switch=\"\",guid=\"0x0000000000000000\",tier=\"\",planned_as=\"\",twin=\"2\"", "19"},
	};
	struct ft_report report = {
		.plan_name = TEXT("p"), .switches = twins, .switch_count = FT_COUNT(twins), .bisection = {1, 1}};
	_cleanup_(ft_text_release) struct ft_text text = {0};

	(void)state;
	ft_metrics_write(&text, &busy, &report);
	page_check(ft_text_string(&text));
	for (size_t i = 0; i < FT_COUNT(rows); i++) {
		char sample[256];

		snprintf(sample, sizeof(sample), "ftcheck_switch_hosts{%s}", rows[i].labels);
		value_expect(ft_text_string(&text), sample, rows[i].hosts);
	}
}

static const struct {
	double seconds;
	const char *shown;
} seconds[] = {
	{0, "0"},    {1, "1"},	      {0.5, "0.5"},	{12.000001, "12.000001"}, {1e-7, "0"},	{-3, "0"}, {NAN, "0"},
	{-NAN, "0"}, {INFINITY, "0"}, {-INFINITY, "0"}, {86400.25, "86400.25"},	  {1e300, "0"},
};

static const struct {
	struct ft_ratio ratio;
	const char *shown;
} ratios[] = {
	{{1, 1}, "1"},
	{{0, 1}, "0"},
	{{1, 3}, "0.333333333"},
	{{5, 2}, "2.5"},
	{{999999999, 1000000000}, "0.999999999"},
	{{1000000000, 1}, "1000000000"},
	{{0, 0}, "NaN"},
	{{1, 0}, "NaN"},
	{{-1, 2}, "NaN"},
	{{1, 1000000000}, "0.000000001"},
};

static void test_numbers(void **state)
{
	/* Where it is installed, a locale with a decimal comma. */
	(void)setlocale(LC_ALL, "de_DE.UTF-8");
	(void)state;
	for (size_t i = 0; i < FT_COUNT(seconds); i++) {
		_cleanup_(ft_text_release) struct ft_text text = {0};
		struct ft_metrics metrics = {.instance = NULL, .sweep_duration_s = seconds[i].seconds};

		ft_metrics_write(&text, &metrics, NULL);
		value_expect(ft_text_string(&text), "ftcheck_sweep_duration_seconds", seconds[i].shown);
		value_expect(ft_text_string(&text), "ftcheck_last_success_timestamp_seconds", "0");
		value_expect(ft_text_string(&text), "ftcheck_listening", "0");
	}
	for (size_t i = 0; i < FT_COUNT(ratios); i++) {
		_cleanup_(ft_text_release) struct ft_text text = {0};
		struct ft_report report = {.plan_name = TEXT("p"), .bisection = ratios[i].ratio};

		ft_metrics_write(&text, &busy, &report);
		value_expect(ft_text_string(&text), "ftcheck_bisection_ratio", ratios[i].shown);
	}
	(void)setlocale(LC_ALL, "C");
}

/* A report from elsewhere with values that are none of ours. */
static void test_strange(void **state)
{
	struct ft_finding strange[] = {
		{.code = FT_CODE_COUNT, .severity = FT_SEVERITY_WARNING},
		{.code = (enum ft_code)1000, .severity = FT_SEVERITY_WARNING},
		{.code = FT_CODE_LOOPBACK,
		 .severity = (enum ft_severity)9,
		 .impact = {.links_lost = UINT32_MAX, .hosts_cut_off = UINT32_MAX}},
		{.code = FT_CODE_LOOPBACK,
		 .severity = FT_SEVERITY_CRITICAL,
		 .impact = {.links_lost = UINT32_MAX, .hosts_cut_off = UINT32_MAX}},
	};
	struct ft_report_switch odd = {TEXT("x"), 1, "attic", TEXT("p"), (enum ft_status)99, 1, 1, 1, NULL, NULL};
	struct ft_report report = {.plan_name = NULL,
				   .uplinks = {.planned = 1, .up = UINT32_MAX, .missing = UINT32_MAX},
				   .time_s = -5,
				   .switches = &odd,
				   .switch_count = 1,
				   .findings = strange,
				   .finding_count = FT_COUNT(strange)};
	_cleanup_(ft_text_release) struct ft_text text = {0};

	(void)state;
	ft_metrics_write(&text, &busy, &report);
	page_check(ft_text_string(&text));
	value_expect(ft_text_string(&text), "ftcheck_findings{code=\"loopback\",severity=\"critical\"}", "1");
	value_expect(ft_text_string(&text), "ftcheck_links_lost", "8589934590");
	value_expect(ft_text_string(&text), "ftcheck_uplinks{state=\"unjudged\"}", "0");
	value_expect(ft_text_string(&text), "ftcheck_report_timestamp_seconds", "0");
}

/* Every allocation that fails is told. */
static void test_allocations(void **state)
{
	size_t failed = 0;

	(void)state;
	for (size_t n = 1;; n++) {
		_cleanup_(ft_text_release) struct ft_text text = {0};

		allocation_failing = n;
		ft_metrics_write(&text, &busy, &degraded);
		if (allocation_failing > 0) {
			allocation_failing = 0;
			assert_false(ft_text_failed(&text));
			break;
		}
		assert_true(ft_text_failed(&text));
		failed++;
	}
	assert_true(failed > 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),	    cmocka_unit_test(test_verdict_level),
		cmocka_unit_test(test_added),	    cmocka_unit_test(test_codes),
		cmocka_unit_test(test_names),	    cmocka_unit_test(test_twins),
		cmocka_unit_test(test_numbers),	    cmocka_unit_test(test_strange),
		cmocka_unit_test(test_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
