/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "verify/model/report.h"

#include <errno.h>
#include <sha256.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void ft_finding_release(struct ft_finding *f)
{
	for (size_t i = 0; i < f->where_count; i++)
		free(f->where[i].name);
	for (size_t i = 0; i < f->symptom_count; i++) {
		free(f->symptoms[i].text);
		free(f->symptoms[i].place.name);
	}
	for (size_t i = 0; i < f->alternative_count; i++)
		free(f->alternatives[i]);
	for (size_t i = 0; i < f->host_count; i++)
		free(f->hosts[i]);
	free(f->hosts);
	free(f->where);
	free(f->symptoms);
	free(f->alternatives);
	for (size_t i = 0; i < f->action_count; i++) {
		free(f->actions[i].a.name);
		free(f->actions[i].b.name);
	}
	free(f->subject.name);
	free(f->lacks);
	free(f->gone);
	free(f->worst_edge);
	free(f->actions);
	free(f->id);
	free(f->expected);
	free(f->observed);
	free(f->text);
	free(f->fix);
	free(f->waived);
}

static void step_release(struct ft_repair_step *step)
{
	for (size_t i = 0; i < step->mend_count; i++)
		free(step->mends[i]);
	free(step->mends);
	free(step->a.name);
	free(step->b.name);
	free(step->place);
	free(step->rack);
	free(step->text);
}

void ft_report_free(struct ft_report *report)
{
	if (!report)
		return;
	for (size_t i = 0; i < report->finding_count; i++)
		ft_finding_release(&report->findings[i]);
	for (size_t i = 0; i < report->switch_count; i++) {
		free(report->switches[i].name);
		free(report->switches[i].planned_as);
		free(report->switches[i].kind);
		free(report->switches[i].hosts_names);
	}
	for (size_t i = 0; i < report->sm_count; i++)
		free(report->sms[i].place.name);
	for (size_t i = 0; i < report->source.unreached_count; i++)
		free(report->source.unreached[i]);
	ft_lane_wants_release(&report->lane_wants);
	free(report->hops_planned.pairs);
	free(report->hops_found.pairs);
	for (size_t i = 0; i < report->repair_count; i++)
		step_release(&report->repair[i]);
	for (size_t i = 0; i < report->left_count; i++) {
		free(report->left[i].id);
		free(report->left[i].text);
	}
	for (size_t i = 0; i < report->after_count; i++) {
		free(report->after[i].ways);
		free(report->after[i].example);
	}
	for (size_t i = 0; i < report->kind_count; i++)
		free(report->kinds[i].name);
	free(report->kinds);
	free(report->after);
	for (size_t i = 0; i < report->workload_count; i++)
		free(report->workloads[i].name);
	free(report->workloads);
	free(report->repair);
	free(report->left);
	free(report->findings);
	free(report->switches);
	free(report->sms);
	free(report->source.unreached);
	free(report->source.detail);
	free(report->source.engine);
	free(report->source.engine_why);
	free(report->source.entry.name);
	free(report->ftree_why);
	free(report->plan_name);
	free(report->plan_file);
	free(report->accepted.by);
	free(report->accepted.at);
	free(report->as_of);
	free(report->state);
	free(report);
}

static int accepted_tell(struct ft_report *report, const struct ft_design *design)
{
	const struct ft_accepted *last = NULL;

	for (size_t i = 0; i < design->accepted_count; i++)
		if (!last || strcmp(design->accepted[i].at, last->at) >= 0)
			last = &design->accepted[i];
	if (!last)
		return 0;
	free(report->accepted.by);
	free(report->accepted.at);
	report->accepted.count = (uint32_t)design->accepted_count;
	report->accepted.by = ft_text_safe_dup(last->by, strlen(last->by));
	report->accepted.at = ft_text_safe_dup(last->at, strlen(last->at));
	return report->accepted.by && report->accepted.at ? 0 : -ENOMEM;
}

int ft_report_set_plan(struct ft_report *report, const char *file, const struct ft_design *design)
{
	char *safe = ft_text_safe_dup(file, strlen(file));

	if (!safe)
		return -ENOMEM;
	free(report->plan_file);
	report->plan_file = safe;
	memcpy(report->plan_hash, design->hash, sizeof(report->plan_hash));
	if (accepted_tell(report, design) < 0)
		return -ENOMEM;
	SHA256Data((const uint8_t *)design->text, design->text_length, report->plan_sha256);
	return 0;
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

const char *ft_sm_state_name(unsigned int state)
{
	static const char *const names[] = {"not active", "discovering", "standby", "master", "silent"};

	return names[state];
}

const char *ft_after_name(unsigned int kind)
{
	static const char *const names[FT_AFTER_KINDS] = {"core", "cable", "switch"};

	return names[kind];
}

const char *ft_act_name(unsigned int act)
{
	static const char *const names[FT_ACT_COUNT] = {"connect", "remove", "move",  "exchange",
							"renew",   "power",  "board", "setting"};

	return names[act];
}

const char *ft_severity_name(unsigned int severity)
{
	static const char *const names[] = {"info", "warning", "critical"};

	return names[severity];
}

const char *ft_verdict_name(unsigned int verdict)
{
	static const char *const names[] = {"ok", "warning", "critical", "unknown"};

	return names[verdict];
}

const char *ft_evidence_name(unsigned int evidence)
{
	static const char *const names[] = {"absent", "mute", "unreached", "seen"};

	return names[evidence];
}

const char *ft_status_name(unsigned int status)
{
	static const char *const names[] = {"ok",   "degraded",	 "isolated", "missing", "unplanned",
					    "mute", "unreached", "not-due",  "gone"};

	return names[status];
}

/* The verdicts are in the order of the Nagios plugin statuses: 0 ok, 1 warning, 2 critical, 3 unknown. */
int ft_verdict_status(enum ft_verdict verdict)
{
	return (int)verdict;
}

int ft_time_string(int64_t time_s, char ret_string[FT_TIME_SIZE])
{
	time_t when = (time_t)time_s;
	char string[FT_TIME_SIZE];
	struct tm tm;

	if (!gmtime_r(&when, &tm) || strftime(string, sizeof(string), "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
		return -EOVERFLOW;
	memcpy(ret_string, string, sizeof(string));
	return 0;
}

int ft_day_string(int64_t time_s, char ret_string[FT_DAY_SIZE])
{
	char string[FT_TIME_SIZE];
	int r = ft_time_string(time_s, string);

	if (r == 0)
		snprintf(ret_string, FT_DAY_SIZE, "%.*s", FT_DAY_SIZE - 1, string);
	return r;
}
