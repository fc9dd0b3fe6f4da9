/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "verify/model/report.h"

#include <errno.h>
#include <sha256.h>
#include <stdlib.h>
#include <string.h>

void ft_report_free(struct ft_report *report)
{
	if (!report)
		return;
	ft_lane_wants_release(&report->lane_wants);
	ft_arena_release(&report->memory);
	free(report);
}

static void accepted_tell(struct ft_report *report, const struct ft_design *design)
{
	const struct ft_accepted *last = NULL;

	for (size_t i = 0; i < design->accepted_count; i++)
		if (!last || strcmp(design->accepted[i].at, last->at) >= 0)
			last = &design->accepted[i];
	if (!last)
		return;
	report->accepted.count = (uint32_t)design->accepted_count;
	report->accepted.by = ft_arena_safe(&report->memory, last->by, strlen(last->by));
	report->accepted.at = ft_arena_safe(&report->memory, last->at, strlen(last->at));
}

int ft_report_set_plan(struct ft_report *report, const char *file, const struct ft_design *design)
{
	report->plan_file = ft_arena_safe(&report->memory, file, strlen(file));
	memcpy(report->plan_hash, design->hash, sizeof(report->plan_hash));
	accepted_tell(report, design);
	SHA256Data((const uint8_t *)design->text, design->text_length, report->plan_sha256);
	return report->memory.failed ? -ENOMEM : 0;
}

const char *ft_report_link_word(const struct ft_report *report)
{
	return report->kind_count > 0 ? "cable" : "uplink";
}

const char *ft_report_edge_words(const struct ft_report *report)
{
	return report->kind_count > 0 ? "switch" : "edge switch";
}

bool ft_report_is_foreign(const struct ft_report *report)
{
	return report->finding_count == 1 && (report->findings[0].code == FT_CODE_PLAN_FOREIGN || report->unmatched);
}

/* ft_severity_name() and its like. */
#define WORDS(of, ...)                                            \
	const char *ft_##of##_name(unsigned int value)            \
	{                                                         \
		static const char *const words[] = {__VA_ARGS__}; \
                                                                  \
		return words[value];                              \
	}
WORDS(sm_state, "not active", "discovering", "standby", "master", "silent")
WORDS(after, "core", "cable", "switch")
WORDS(act, "connect", "remove", "move", "exchange", "renew", "power", "board", "setting")
WORDS(severity, "info", "warning", "critical")
WORDS(verdict, "ok", "warning", "critical", "unknown")
WORDS(evidence, "absent", "mute", "unreached", "seen")
WORDS(status, "ok", "degraded", "isolated", "missing", "unplanned", "mute", "unreached", "not-due", "gone")

/* The verdicts are in the order of the Nagios plugin statuses: 0 ok, 1 warning, 2 critical, 3 unknown. */
int ft_verdict_status(enum ft_verdict verdict)
{
	return (int)verdict;
}
