/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * What the daemon would let Prometheus read, in the states that tests/rules.sh makes up. Commands on standard input,
 * one a line:
 *
 *     print                      the metrics, and "# end"
 *     set COUNT VALUE            a count of struct ft_metrics or struct ft_report by its name below
 *     report on | report off     with or without a report: two edge and two core switches, healthy at first
 *     up SWITCH N                uplinks of a switch, by its number
 *     name SWITCH TEXT           its name, \xNN for any byte
 *     finding CODE SEVERITY      one more
 *     findings none
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "daemon/metrics.h"

enum { FINDINGS_MAX = 64, NAME_SIZE = 128 };

static struct ft_metrics metrics = {.instance = ""};

static char names[4][NAME_SIZE] = {"edge-a", "edge-b", "core-a", "core-b"};
static char plan_names[4][NAME_SIZE] = {"edge001", "edge002", "core01", "core02"};
static struct ft_report_switch switches[4];
static struct ft_finding findings[FINDINGS_MAX];
static char plan_name[] = "demo";
static struct ft_report report = {
	.plan_name = plan_name,
	.edge = {2, 2, 2, 0, 0},
	.core = {2, 2, 2, 0, 0},
	.uplinks = {.planned = 36, .up = 36},
	.hosts = {36, 36},
	.clos_planned = 3,
	.clos_found = 3,
	.blocking_planned = {1, 1},
	.blocking_worst = {1, 1},
	.bisection = {1, 1},
	.switches = switches,
	.switch_count = FT_COUNT(switches),
	.findings = findings,
};
static bool reports;

static int64_t verdict;

static const struct {
	const char *name;
	void *place;
	enum { U64, U32, I64, FLAG, SIZE } kind;
} counts[] = {
	{"sweeps-complete", &metrics.sweeps[FT_LOOK_COMPLETE], U64},
	{"sweeps-incomplete", &metrics.sweeps[FT_LOOK_INCOMPLETE], U64},
	{"sweeps-failed", &metrics.sweeps[FT_LOOK_FAILED], U64},
	{"last-success-ms", &metrics.last_success_ms, I64},
	{"listens", &metrics.listens, FLAG},
	{"hooks-succeeded", &metrics.hooks_succeeded, U64},
	{"hooks-failed", &metrics.hooks_failed, U64},
	{"hooks-given-up", &metrics.hooks_given_up, U64},
	{"hooks-refused", &metrics.hooks_refused, U64},
	{"state-failures", &metrics.state_failures, U64},
	{"standing-warning", &metrics.standing[FT_SEVERITY_WARNING], SIZE},
	{"verdict", &verdict, I64},
	{"time", &report.time_s, I64},
	{"uplinks-up", &report.uplinks.up, U32},
	{"hosts-found", &report.hosts.found, U32},
};

static bool count_set(const char *name, int64_t value)
{
	for (size_t i = 0; i < FT_COUNT(counts); i++) {
		void *place = counts[i].place;

		if (strcmp(name, counts[i].name) != 0)
			continue;
		switch (counts[i].kind) {
		case U64:
			*(uint64_t *)place = (uint64_t)value;
			return true;
		case U32:
			*(uint32_t *)place = (uint32_t)value;
			return true;
		case I64:
			*(int64_t *)place = value;
			return true;
		case FLAG:
			*(bool *)place = value;
			return true;
		case SIZE:
			*(size_t *)place = (size_t)value;
			return true;
		}
	}
	return false;
}

static bool finding_add(const char *code, const char *severity)
{
	struct ft_finding f = {.code = ft_code_of(code), .severity = FT_SEVERITY_CRITICAL, .impact = {.links_lost = 1}};

	while (f.severity > FT_SEVERITY_INFO && strcmp(ft_severity_name(f.severity), severity) != 0)
		f.severity--;
	if (f.code == FT_CODE_COUNT || report.finding_count == FINDINGS_MAX)
		return false;
	findings[report.finding_count++] = f;
	return true;
}

static void name_set(char *name, const char *given)
{
	size_t length = 0;
	unsigned int byte;

	while (*given && length < NAME_SIZE - 1) {
		bool coded = sscanf(given, "\\x%2x", &byte) == 1;

		name[length++] = coded ? (char)byte : *given;
		given += coded ? 4 : 1;
	}
	name[length] = '\0';
}

static void page_print(void)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};

	report.verdict = (enum ft_verdict)verdict;
	ft_metrics_write(&text, &metrics, reports ? &report : NULL);
	fputs(ft_text_failed(&text) ? "out of memory\n" : ft_text_string(&text), stdout);
	puts("# end");
	fflush(stdout);
}

static bool command_run(char *line)
{
	char word[64], other[64];
	int64_t value;
	size_t i;
	int end = 0;

	line[strcspn(line, "\n")] = '\0';
	if (strcmp(line, "print") == 0)
		return page_print(), true;
	if (sscanf(line, "set %63s %" SCNd64, word, &value) == 2)
		return count_set(word, value);
	if (sscanf(line, "report %63s", word) == 1)
		return reports = strcmp(word, "on") == 0, true;
	if (sscanf(line, "up %zu %" SCNd64, &i, &value) == 2 && i < FT_COUNT(switches))
		return switches[i].uplinks_up = (uint32_t)value, true;
	if (sscanf(line, "name %zu %n", &i, &end) == 1 && end > 0 && i < FT_COUNT(switches))
		return name_set(names[i], line + end), true;
	if (strcmp(line, "findings none") == 0)
		return report.finding_count = 0, true;
	if (sscanf(line, "finding %63s %63s", word, other) == 2)
		return finding_add(word, other);
	return false;
}

int main(void)
{
	char line[512];

	for (size_t i = 0; i < FT_COUNT(switches); i++)
		switches[i] = (struct ft_report_switch){.name = names[i],
							.guid = 0x100001 + i,
							.tier = i < 2 ? "edge" : "core",
							.planned_as = plan_names[i],
							.uplinks_planned = 18,
							.uplinks_up = 18,
							.hosts = i < 2 ? 18 : 0};
	while (fgets(line, sizeof(line), stdin)) {
		if (!command_run(line)) {
			fprintf(stderr, "metrics_tool: %s?\n", line);
			return 2;
		}
	}
	return 0;
}
