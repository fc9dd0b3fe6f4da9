/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "base/moment.h"
#include "verify/cmd/accepting.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "planner/write/accepted.h"
#include "planner/write/phases.h"
#include "verify/accept/accept.h"
#include "verify/cmd/complain.h"
#include "verify/cmd/waiting.h"

struct choice {
	bool *taken; /* by finding */
	size_t count;
	struct ft_text entries, refused;
};

static void choice_release(struct choice *c)
{
	free(c->taken);
	ft_text_release(&c->entries);
	ft_text_release(&c->refused);
}

/* Whether @id is among those of --accept, which are separated by commas. */
static bool id_is_named(const char *list, const char *id)
{
	size_t length = strlen(id);

	for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
		if (strncmp(at, id, length) == 0 && (at[length] == '\0' || at[length] == ','))
			return true;
	return false;
}

/* Every name of --accept is that of a finding. Returns 0, or the exit status. */
static int ids_check(const char *list, const struct ft_report *report)
{
	for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
		size_t length = strcspn(at, ",");
		bool known = false;
		_cleanup_free_ char *safe = NULL;

		for (size_t i = 0; i < report->finding_count; i++)
			known |= strlen(report->findings[i].id) == length &&
				 strncmp(report->findings[i].id, at, length) == 0;
		safe = ft_text_safe_dup(at, length);
		if (!known)
			return ft_complainf("ftcheck: --accept: there is no finding \"%s\"; ftcheck -v prints the ids",
					    safe ? safe : "");
	}
	return 0;
}

static const char *who_accepts(const struct ft_options *options)
{
	const struct passwd *user = options->by ? NULL : getpwuid(geteuid());

	return options->by ? options->by : user ? user->pw_name : "unknown";
}

/* Of "all" those that can be are accepted, and the others are listed. Returns 0, or the exit status. */
static int findings_take(const struct ft_options *options, const struct ft_model *m, struct choice *c)
{
	const struct ft_report *report = m->report;
	bool all = strcmp(options->accept, "all") == 0;
	_cleanup_free_ char *by = ft_text_safe_dup(who_accepts(options), strlen(who_accepts(options)));
	_cleanup_free_ char *why = options->why ? ft_text_safe_dup(options->why, strlen(options->why)) : NULL;
	char at[FT_TIME_SIZE];
	int r = all ? 0 : ids_check(options->accept, report);

	if (r != 0)
		return r;
	c->taken = calloc(report->finding_count + 1UL, sizeof(*c->taken));
	if (!c->taken || !by || (options->why && !why) || ft_time_string((int64_t)time(NULL), at) < 0)
		return ft_file_error("ftcheck", -ENOMEM, &(struct ft_error){0});
	for (size_t i = 0; i < report->finding_count; i++) {
		const struct ft_finding *f = &report->findings[i];
		const struct ft_accept_note note = {by, at, why};
		struct ft_error err = {0};

		if (f->waived || (!all && !id_is_named(options->accept, f->id)))
			continue;
		r = ft_accept_write(m, i, &note, &c->entries, &err);
		if (r == -EINVAL && all) {
			ft_text_printf(&c->refused, "not accepted: %s: %s\n", f->id, err.text);
			continue;
		}
		if (r == -EINVAL)
			return ft_complainf("ftcheck: %s cannot be accepted: %s", f->id, err.text);
		if (r < 0)
			return ft_file_error("ftcheck", r, &err);
		c->taken[i] = true;
		c->count++;
	}
	if (c->count > 0)
		return 0;
	fputs(ft_text_string(&c->refused), stderr);
	return ft_complainf("ftcheck: there is nothing to accept");
}

/* The finding of @report that has that id, or SIZE_MAX. */
static size_t finding_find(const struct ft_report *report, const char *id)
{
	for (size_t i = 0; i < report->finding_count; i++)
		if (strcmp(report->findings[i].id, id) == 0)
			return i;
	return SIZE_MAX;
}

/*
 * Verifies the same fabric against the candidate: the accepted findings must be gone, and no others have come. Returns
 * 0 or the exit status.
 */
static int candidate_prove(const struct ft_model *m, const struct choice *c, const struct ft_text *candidate)
{
	_cleanup_(ft_design_freep) struct ft_design *design = NULL;
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	_cleanup_(ft_phases_freep) struct ft_phases *phases = NULL;
	_cleanup_(ft_report_freep) struct ft_report *then = NULL;
	struct ft_verify_input with = *m->input;
	struct ft_error err = {0};
	int r = ft_design_read(candidate->data, candidate->length, &design, &plan, &err)
			?: ft_phases_make(design, plan, &phases, &err);

	with.design = design;
	with.plan = plan;
	with.phases = phases;
	if (r == 0)
		r = ft_verify_all(&with, &then);
	if (r < 0)
		return ft_complainf("ftcheck: no design can say that: %s", err.text[0] ? err.text : strerror(-r));
	for (size_t i = 0; i < then->finding_count; i++) {
		size_t was = finding_find(m->report, then->findings[i].id);

		if (was == SIZE_MAX)
			return ft_complainf(
				"ftcheck: nothing is written: with that accepted, there would be another finding: %s",
				then->findings[i].text);
		if (c->taken[was])
			return ft_complainf("ftcheck: nothing is written: %s would still be found: %s",
					    then->findings[i].id, then->findings[i].text);
	}
	return 0;
}

int ft_accept_findings(const struct ft_options *options, const struct ft_model *m)
{
	const struct ft_report *report = m->report;
	_cleanup_(choice_release) struct choice c = {0};
	_cleanup_(ft_text_release) struct ft_text candidate = {0};
	struct ft_error err = {0};
	struct stat there;
	int r;

	ft_waiting_end();
	if (lstat(options->candidate, &there) == 0)
		return ft_complainf("ftcheck: %s exists already: a candidate is written to a new file",
				    options->candidate);
	r = findings_take(options, m, &c);
	if (r != 0)
		return r;
	r = ft_accept_design(m->design, ft_text_string(&c.entries), &candidate, &err);
	if (r < 0)
		return ft_complainf("ftcheck: no design can say that: %s", err.text[0] ? err.text : strerror(-r));
	r = candidate_prove(m, &c, &candidate);
	if (r != 0)
		return r;
	r = ft_text_out(options->candidate, &candidate);
	if (r != 0)
		return r;
	fputs(ft_text_string(&c.refused), stderr);
	for (size_t i = 0; i < report->finding_count; i++)
		if (c.taken[i])
			printf("accepted: %s: %s\n", report->findings[i].id, report->findings[i].text);
	printf("%s is a candidate; the plan is as it was. To take it: put it in the place of the plan\n",
	       options->candidate);
	return fflush(stdout) == 0 ? 0 : ft_file_error("standard output", -errno, &err);
}
